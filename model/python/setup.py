# SPDX-License-Identifier: Apache-2.0
"""Builds the C sources of the model, and of the firmware's layer library, into the extension fp8mac._core, for CPython's
stable ABI.

In the repository the sources are where the library has them; an sdist carries them in csrc. The version is the
library's. What is built goes to a temporary folder, so that an installation leaves the tree as it was.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import descriptors

TREE = HERE.parent if (HERE.parent / "include" / "fp8mac" / "fp8mac.h").exists() else HERE / "csrc"
CARRIED = [
    "src/*/*.c",
    "src/*/*.h",
    "include/fp8mac/*.h",
    "cli/settings.c",
    "cli/settings.h",
    "cli/workload.c",
    "cli/workload.h",
]
# The firmware's layer library over a device that runs nothing, for cycles and for fp8mac.layers
ROOT = HERE.parents[1] if TREE != HERE / "csrc" else TREE
LIBRARY = [
    "firmware/src/*.c",
    "firmware/layers/*.c",
    "firmware/port/command/*.c",
    "firmware/port/plan/*.c",
]
LIBRARY_HEADERS = [
    "firmware/src/*.h",
    "firmware/layers/*.h",
    "firmware/port/plan/*.h",
    "firmware/include/fp8rt/*.h",
]
FOLDERS = ("firmware/include", "firmware/src", "firmware/layers", "firmware/port/plan")
DESCRIPTORS = ["fp8rt/layers.h", "fp8rt_plan.h", "elementwise_plan.h", "rows_plan.h", "workload.h"]
VERSION_H = TREE / "include" / "fp8mac" / "version.h"
SCRATCH = tempfile.mkdtemp(prefix="fp8mac-build-")
GENERATED = pathlib.Path(SCRATCH) if TREE != HERE / "csrc" else TREE / "include"
NUMBERS = dict(re.findall(r"^#define FP8MAC_VERSION_([A-Z]+) (\d+)$", VERSION_H.read_text(), re.M))
VERSION = ".".join(NUMBERS[part] for part in ("MAJOR", "MINOR", "PATCH"))
# A library of the model that was built before, in the place of the model's sources
LIBRARY_OF_MODEL = os.environ.get("FP8MAC_LIBRARY")
HEADERS = ("fp8mac/catalogue.h", "fp8mac_regs.h")
INCLUDES = [
    GENERATED,
    *(TREE / folder for folder in ("include", "src", "cli")),
    *(ROOT / folder for folder in FOLDERS),
]
FLAGS = ["-std=c11", "-O2", "-g0", "-ffp-contract=off", "-Wall", "-Wextra"]


@functools.cache
def generate() -> None:
    """The headers of the catalogue and of the registers, whose fields a command has. An sdist carries them."""
    if TREE == HERE / "csrc":
        return
    # The table that the RTL is generated from
    catalogue = ROOT / "rtl" / "catalogue" / "catalogue.py"
    subprocess.run([sys.executable, "-B", str(catalogue), "--out", SCRATCH], check=True)
    numbers = [x for part in NUMBERS for x in ("-D", f"FP8MAC_VERSION_{part}={NUMBERS[part]}")]
    subprocess.run(
        [
            *(sys.executable, "-B", "-m", "peakrdl", "c-header", "-I", SCRATCH, *numbers),
            *(ROOT / "rtl" / "regs" / "fp8mac.rdl", "--std", "gnu11", "--type-style", "hier"),
            *("-o", pathlib.Path(SCRATCH) / "fp8mac_regs.h"),
        ],
        check=True,
    )


def found(patterns: list[str]) -> list[pathlib.Path]:
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


@functools.cache
def layouts() -> str:
    generate()
    return descriptors.module(descriptors.Headers(DESCRIPTORS, INCLUDES))


class BuildPy(build_py):
    """With the structures of the library's headers as a module"""

    def run(self):
        super().run()
        (pathlib.Path(self.build_lib) / "fp8mac" / "_descriptors.py").write_text(layouts())


class BuildExt(build_ext):
    """The library's sources join at the last moment: setuptools wants no path outside the project before."""

    def build_extension(self, ext):
        generate()
        if LIBRARY_OF_MODEL is None:
            ext.sources += map(str, sorted((TREE / "src").glob("*/*.c")))
        ext.sources.append(str(TREE / "cli" / "settings.c"))
        proof = pathlib.Path(SCRATCH) / "layout.c"
        proof.write_text(descriptors.proof(layouts(), DESCRIPTORS))
        # All functions of the library can be called from outside.
        ext.extra_objects += self.compiler.compile(
            [str(path) for path in (*found(LIBRARY), TREE / "cli" / "workload.c", proof)],
            output_dir=self.build_temp,
            include_dirs=ext.include_dirs,
            extra_postargs=FLAGS,
        )
        if LIBRARY_OF_MODEL is not None:
            ext.extra_objects += ["-Wl,--whole-archive", LIBRARY_OF_MODEL, "-Wl,--no-whole-archive"]
        super().build_extension(ext)


class Sdist(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        carried = [(path, path.relative_to(TREE)) for p in CARRIED for path in TREE.glob(p)]
        carried += [(path, path.relative_to(ROOT)) for path in found(LIBRARY + LIBRARY_HEADERS)]
        for path, name in carried:
            target = pathlib.Path(base_dir, "csrc", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        generate()
        for header in HEADERS:
            shutil.copyfile(GENERATED / header, pathlib.Path(base_dir, "csrc", "include", header))


try:
    setup(
        version=VERSION,
        ext_modules=[
            Extension(
                "fp8mac._core",
                [str(path.relative_to(HERE)) for path in sorted((HERE / "fp8mac").glob("*.c"))],
                py_limited_api=True,
                include_dirs=[str(folder) for folder in INCLUDES],
                define_macros=[("Py_LIMITED_API", "0x030B0000")],
                extra_compile_args=[*FLAGS, "-fvisibility=hidden"],
                extra_link_args=["-pthread"],
            )
        ],
        cmdclass={"build_ext": BuildExt, "build_py": BuildPy, "sdist": Sdist},
        options={
            "build": {"build_base": SCRATCH},
            "egg_info": {"egg_base": SCRATCH},
            "bdist_wheel": {"py_limited_api": "cp311"},
        },
    )
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
