# SPDX-License-Identifier: Apache-2.0
"""Files by which other tools know the project: Bender.yml, fp8mac.core, CHANGELOG.md, the forge's workflow.

python -m pytest -c tests/pytest.ini tests/consistency/test_packaging.py -k 'not simulation' --version-h FILE --regs-h FILE --build BUILD \\
  --folder FOLDER --sources SOURCE... --functions NAME...
python -m pytest -c tests/pytest.ini tests/consistency/test_packaging.py -k simulation --folder FOLDER

SOURCES are the build's sources in the order of compilation (RTL_SOURCES of rtl/build.mk), NAMEs those of its MINIMAL_FUNCTIONS.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import Bench

ROOT = Path(__file__).resolve().parents[2]


class Compared(Bench):
    def same(self, got: object, expected: object, what: str) -> None:
        self.check(f"{what}: {got}, not {expected}", got == expected)


@pytest.fixture
def bench() -> Compared:
    return Compared()


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


def test_bender(bench: Compared, request: pytest.FixtureRequest, build: Path) -> None:
    sources = request.config.getoption("--sources")
    found = bender_sources(build)
    bench.same(len(found), len(set(found)), "Bender.yml names no file twice")
    bench.same(sorted(set(sources) - set(found)), [], "sources that Bender.yml leaves out")
    bench.same(sorted(set(found) - set(sources)), [], "files of Bender.yml that are no sources")
    packages = [name for name in found if name.endswith("_pkg.sv")]
    bench.same(
        packages, [n for n in sources if n.endswith("_pkg.sv")], "packages stand in the same order"
    )
    last = max(found.index(name) for name in packages)
    bench.same(last + 1 - len(packages), 0, "files before the last package that are none")


def test_versions(bench: Compared, request: pytest.FixtureRequest) -> None:
    version_h, regs_h = map(request.config.getoption, ("--version-h", "--regs-h"))

    def parts(text: str, pattern: str) -> list[int]:
        return [
            int(re.search(pattern.format(part), text)[1], 0) for part in ("MAJOR", "MINOR", "PATCH")
        ]

    number = parts(version_h.read_text(), r"FP8MAC_VERSION_{} (\d+)")
    version = ".".join(map(str, number))
    bench.same(
        parts(regs_h.read_text(), r"RELEASE__{}_reset (0x[0-9a-f]+)"), number, "register RELEASE"
    )
    core = yaml.safe_load((ROOT / "fp8mac.core").read_text().removeprefix("CAPI=2:\n"))
    bench.same(core["name"], f"fp8mac:ip:accel:{version}", "version of fp8mac.core")
    released = re.findall(r"^## \[([0-9.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    bench.same(released[:1], [version], "newest version of CHANGELOG.md")


def test_workflow(bench: Compared) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["test"]
    bench.same(job["container"], "debian:12", "the workflow's container")
    bench.check(
        "the workflow calls .ci/run", any(step.get("run") == ".ci/run" for step in job["steps"])
    )
    long = workflow["jobs"]["test-long"]
    bench.check(
        "the workflow has a step for make test-long",
        any(step.get("run") == "make test-long" for step in long["steps"]),
    )
    bench.check(".ci/run is executable", os.access(ROOT / ".ci/run", os.X_OK))


def check_fusesoc(
    bench: Compared,
    folder: Path,
    target: str,
    expected: str,
    *options: str,
    arguments: tuple[str, ...] = (),
) -> str:
    """The target runs and prints the text. Returns what it prints."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools.absolute()}:{os.environ['PATH']}"}
    environment.pop("MAKEFLAGS", None)
    environment.pop("MAKELEVEL", None)
    command = ["fusesoc", "--cores-root", str(ROOT), "run", "--clean", "--build-root", "build"]
    done = subprocess.run(
        [*command, *options, "--target", target, "fp8mac:ip:accel", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    good = done.returncode == 0 and expected in done.stdout
    bench.check(f"fusesoc run --target {target} fp8mac:ip:accel", good)
    if not good:
        print(done.stdout[-4000:])
    return done.stdout


def test_fusesoc_lint(bench: Compared, folder: Path) -> None:
    # The smallest array: how much of it there is costs time alone, and `make lint` has many.
    sizes = {"ROWS": 1, "COLS": 1, "LANES": 1}
    arguments = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    check_fusesoc(bench, folder, "lint", "", arguments=tuple(arguments))
    options = " ".join(path.read_text() for path in folder.rglob("lint/*.vc")).split()
    for name, size in sizes.items():
        bench.check(f"lint has {name} of FuseSoC's option", f"-G{name}={size}" in options)


def test_fusesoc_minimal(bench: Compared, folder: Path, request: pytest.FixtureRequest) -> None:
    # `make lint` lints the accelerator with these parameters. Here FuseSoC's files and options count.
    check_fusesoc(bench, folder, "lint-minimal", "", "--setup")
    functions = request.config.getoption("--functions")
    options = " ".join(path.read_text() for path in folder.rglob("lint-minimal/*.vc"))
    bench.check("functions that can be left out", functions)
    for name in functions:
        bench.check(f"lint-minimal leaves out {name}", f"-G{name}=0" in options.split())


def test_fusesoc_simulation(bench: Compared, folder: Path) -> None:
    check_fusesoc(bench, folder, "sim", "35 passed, 0 failed")
