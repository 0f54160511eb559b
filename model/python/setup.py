# SPDX-License-Identifier: Apache-2.0
"""Builds the C sources of the model into the extension fp8mac._core, for CPython's stable ABI.

In the repository the sources are where the library has them; an sdist carries them in csrc. The version is the
library's. What is built goes to a temporary folder, so that an installation leaves the tree as it was.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent if (HERE.parent / "include" / "fp8mac" / "fp8mac.h").exists() else HERE / "csrc"
CARRIED = [
    "src/*/*.c",
    "src/*/*.h",
    "include/fp8mac/*.h",
    "cli/settings.c",
    "cli/settings.h",
    "cli/workload.c",
    "cli/workload.h",
    "cli/convolution.c",
    "cli/convolution.h",
]
# The planner of the firmware's driver, for fp8mac.cycles
FIRMWARE = HERE.parents[1] / "firmware" if TREE != HERE / "csrc" else TREE / "firmware"
PLANNER = [
    "src/gemm_choose.c",
    "src/gemm_estimate.c",
    "src/*.h",
    "include/fp8rt/*.h",
    "port/host/fp8rt_*.h",
]
VERSION_H = TREE / "include" / "fp8mac" / "version.h"
SCRATCH = tempfile.mkdtemp(prefix="fp8mac-build-")
# The catalogue's header is generated in the repository, from the table that the RTL is generated from.
CATALOGUE = HERE.parents[1] / "rtl" / "catalogue" / "catalogue.py"
GENERATED = pathlib.Path(SCRATCH) if TREE != HERE / "csrc" else TREE / "include"
if TREE != HERE / "csrc":
    subprocess.run([sys.executable, "-B", str(CATALOGUE), "--out", SCRATCH], check=True)
VERSION = ".".join(
    re.search(rf"^#define FP8MAC_VERSION_{part} (\d+)$", VERSION_H.read_text(), re.M).group(1)
    for part in ("MAJOR", "MINOR", "PATCH")
)


class BuildExt(build_ext):
    """The library's sources join at the last moment: setuptools wants no path outside the project before."""

    def build_extension(self, ext):
        ext.sources += [
            str(path)
            for path in (
                *sorted((TREE / "src").glob("*/*.c")),
                TREE / "cli" / "settings.c",
                TREE / "cli" / "workload.c",
                TREE / "cli" / "convolution.c",
                FIRMWARE / "src" / "gemm_choose.c",
                FIRMWARE / "src" / "gemm_estimate.c",
            )
        ]
        super().build_extension(ext)


class Sdist(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        carried = [(path, path.relative_to(TREE)) for p in CARRIED for path in TREE.glob(p)]
        carried += [
            (path, pathlib.Path("firmware", path.relative_to(FIRMWARE)))
            for p in PLANNER
            for path in FIRMWARE.glob(p)
        ]
        for path, name in carried:
            target = pathlib.Path(base_dir, "csrc", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        header = pathlib.Path("fp8mac", "catalogue.h")
        shutil.copyfile(GENERATED / header, pathlib.Path(base_dir, "csrc", "include", header))


try:
    setup(
        version=VERSION,
        ext_modules=[
            Extension(
                "fp8mac._core",
                [str(path.relative_to(HERE)) for path in sorted((HERE / "fp8mac").glob("*.c"))],
                py_limited_api=True,
                include_dirs=[
                    str(GENERATED),
                    *(str(TREE / folder) for folder in ("include", "src", "cli")),
                    *(str(FIRMWARE / folder) for folder in ("include", "src", "port/host")),
                ],
                define_macros=[("Py_LIMITED_API", "0x030B0000")],
                extra_compile_args=[
                    "-std=c11",
                    "-O2",
                    "-g0",
                    "-ffp-contract=off",
                    "-fvisibility=hidden",
                    "-Wall",
                    "-Wextra",
                ],
                extra_link_args=["-pthread"],
            )
        ],
        cmdclass={"build_ext": BuildExt, "sdist": Sdist},
        options={
            "build": {"build_base": SCRATCH},
            "egg_info": {"egg_base": SCRATCH},
            "bdist_wheel": {"py_limited_api": "cp311"},
        },
    )
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
