# SPDX-License-Identifier: Apache-2.0
"""The command for C, which the model keeps, is what rtl/regs/command_c.py makes of the register map.

python -m pytest -c tests/pytest.ini tests/catalogue/test_command.py --build BUILD
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Bench

MAP = "rtl/regs/fp8mac.rdl"
FILES = (
    "include/fp8mac/codes.h",
    "include/fp8mac/command_fields.h",
    "src/command/words.c",
    "python/fp8mac/register_codes.py",
)


def make(
    out: Path, build: Path, source: str, script: str = "command_c.py"
) -> subprocess.CompletedProcess:
    versions = [f"-DFP8MAC_VERSION_{part}=0" for part in ("MAJOR", "MINOR", "PATCH")]
    command = [
        sys.executable,
        "-B",
        f"rtl/regs/{script}",
        f"-I{build.resolve()}/catalogue",
        *versions,
    ]
    return subprocess.run(
        [*command, "-o", str(out), source], check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", FILES)
def test_kept_files(name: str, build: Path, tmp_path: Path, bench: Bench) -> None:
    done = make(tmp_path, build, MAP)
    bench.check(f"command_c.py: {done.stderr}", done.returncode == 0)
    kept = Path("model", name).read_text()
    made = (tmp_path / name).read_text()
    bench.check(f"model/{name} is old: `make regs` writes it", kept == made)


def test_codes_for_the_rtl(build: Path, tmp_path: Path, bench: Bench) -> None:
    name = "fp8mac_codes_pkg.sv"
    done = make(tmp_path / name, build, MAP, "command_package.py")
    bench.check(f"command_package.py: {done.stderr}", done.returncode == 0)
    kept = Path("rtl", name).read_text()
    bench.check(f"rtl/{name} is old: `make regs` writes it", kept == (tmp_path / name).read_text())


def test_a_map_without_codes(build: Path, tmp_path: Path, bench: Bench) -> None:
    broken = tmp_path / "broken.rdl"
    text = Path(MAP).read_text()
    broken.write_text(text.replace("encode = activation; ", ""))
    done = make(tmp_path, build, str(broken))
    bench.check("status", done.returncode == 1)
    bench.check("message", "no field has the codes activation" in done.stderr)
