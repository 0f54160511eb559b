# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: lets make generate the registers and the catalogue of elements, and copies every source of the
accelerator beside them, in the order of compilation. The list is RTL_SOURCES of rtl/build.mk. With the parameter `minimal`
the functions of MINIMAL_FUNCTIONS, of the same file, are parameters that are 0."""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

# What `make` takes from a machine that is set up: here the Python that has PeakRDL.
ENVIRONMENT = "PYTHON := {python}\n"


def printed_by(make: list[str], goal: str) -> list[str]:
    """The words of the last line that make prints."""
    done = subprocess.run([*make, goal], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"fusesoc_rtl: make {goal} failed; is PeakRDL installed?")
    return done.stdout.splitlines()[-1].split()


def main() -> None:
    request = yaml.safe_load(Path(sys.argv[1]).read_text())
    root = Path(request["files_root"])
    build = Path.cwd() / "build"
    build.mkdir(exist_ok=True)
    (build / "env.mk").write_text(ENVIRONMENT.format(python=sys.executable))
    make = ["make", "--no-print-directory", "-C", str(root), f"BUILD={build}"]
    make += [f"SETUP_ENV={build / 'env.mk'}"]
    sources = [Path(word) for word in printed_by(make, "rtl-sources")]
    files = []
    for source in sources:
        # The folders stay: lint waivers name them.
        copy = source.relative_to(build) if source.is_absolute() else source
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / source, copy)
        is_header = source.suffix == ".h"
        kind = "cppSource" if is_header else "systemVerilogSource"
        files.append({str(copy): {"file_type": kind, "is_include_file": is_header}})
    minimal = request["parameters"].get("minimal", False)
    functions = printed_by(make, "rtl-functions") if minimal else []
    core = {
        "name": request["vlnv"],
        "filesets": {"rtl": {"files": files}},
        "parameters": {name: {"datatype": "int", "paramtype": "vlogparam"} for name in functions},
        "targets": {
            "default": {"filesets": ["rtl"], "parameters": [f"{name}=0" for name in functions]}
        },
    }
    name = request["vlnv"].split(":")[2]
    Path(f"{name}.core").write_text("CAPI=2:\n" + yaml.safe_dump(core, sort_keys=False))


if __name__ == "__main__":
    main()
