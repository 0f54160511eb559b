# SPDX-License-Identifier: Apache-2.0
"""Files by which other tools know the project: Bender.yml, fp8mac.core, CHANGELOG.md, the forge's workflow.

test_packaging.py --version-h FILE --regs-h FILE --fusesoc FOLDER [--simulate] SOURCES...
SOURCES are the build's sources in the order of compilation (RTL_SOURCES of rtl/build.mk).
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


class Count:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, ok: bool, what: str) -> None:
        self.passed += ok
        self.failed += not ok
        print("ok  " if ok else "FAIL", what)

    def same(self, got: object, expected: object, what: str) -> None:
        self.check(got == expected, what if got == expected else f"{what}: {got}, not {expected}")


def bender_sources(build: Path) -> list[str]:
    """The files of Bender.yml in its order; a pattern's are sorted."""
    manifest = yaml.safe_load((ROOT / "Bender.yml").read_text())
    found = []
    for pattern in (name for group in manifest["sources"] for name in group["files"]):
        if pattern.startswith("build/"):
            found.append(str(build / pattern.removeprefix("build/")))
        else:
            found += sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))
    return found


def check_bender(count: Count, sources: list[str], build: Path) -> None:
    found = bender_sources(build)
    count.same(len(found), len(set(found)), "Bender.yml names no file twice")
    count.same(sorted(set(sources) - set(found)), [], "sources that Bender.yml leaves out")
    count.same(sorted(set(found) - set(sources)), [], "files of Bender.yml that are no sources")
    packages = [name for name in found if name.endswith("_pkg.sv")]
    count.same(
        packages, [n for n in sources if n.endswith("_pkg.sv")], "packages stand in the same order"
    )
    last = max(found.index(name) for name in packages)
    count.same(last + 1 - len(packages), 0, "files before the last package that are none")


def check_versions(count: Count, version_h: Path, regs_h: Path) -> None:
    def parts(text: str, pattern: str) -> list[int]:
        return [
            int(re.search(pattern.format(part), text)[1], 0) for part in ("MAJOR", "MINOR", "PATCH")
        ]

    number = parts(version_h.read_text(), r"FP8MAC_VERSION_{} (\d+)")
    version = ".".join(map(str, number))
    count.same(
        parts(regs_h.read_text(), r"RELEASE__{}_reset (0x[0-9a-f]+)"), number, "register RELEASE"
    )
    core = yaml.safe_load((ROOT / "fp8mac.core").read_text().removeprefix("CAPI=2:\n"))
    count.same(core["name"], f"fp8mac:ip:accel:{version}", "version of fp8mac.core")
    released = re.findall(r"^## \[([0-9.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    count.same(released[:1], [version], "newest version of CHANGELOG.md")


def check_workflow(count: Count) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["test"]
    count.same(job["container"], "debian:12", "the workflow's container")
    count.check(
        any(step.get("run") == ".ci/run" for step in job["steps"]), "the workflow calls .ci/run"
    )
    long = workflow["jobs"]["test-long"]
    count.check(
        any(step.get("run") == "make test-long" for step in long["steps"]),
        "the workflow has a step for make test-long",
    )
    count.check(os.access(ROOT / ".ci/run", os.X_OK), ".ci/run is executable")


def check_fusesoc(count: Count, folder: Path, targets: dict[str, str]) -> None:
    """Each target runs and prints the text beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools.absolute()}:{os.environ['PATH']}"}
    environment.pop("MAKEFLAGS", None)
    environment.pop("MAKELEVEL", None)
    for target, expected in targets.items():
        command = ["fusesoc", "--cores-root", str(ROOT), "run", "--clean", "--build-root", "build"]
        done = subprocess.run(
            [*command, "--target", target, "fp8mac:ip:accel"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ok = done.returncode == 0 and expected in done.stdout
        count.check(ok, f"fusesoc run --target {target} fp8mac:ip:accel")
        if not ok:
            print(done.stdout[-4000:])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version-h", type=Path, required=True)
    parser.add_argument("--regs-h", type=Path, required=True)
    parser.add_argument("--fusesoc", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--simulate", action="store_true", help="only FuseSoC's target sim")
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    count = Count()
    if options.simulate:
        check_fusesoc(count, options.fusesoc, {"sim": "35 passed, 0 failed"})
        print(f"{count.passed} passed, {count.failed} failed")
        return 1 if count.failed else 0
    check_bender(count, options.sources, options.build)
    check_versions(count, options.version_h, options.regs_h)
    check_workflow(count)
    check_fusesoc(count, options.fusesoc, {"lint": ""})
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
