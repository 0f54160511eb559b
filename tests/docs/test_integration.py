# SPDX-License-Identifier: Apache-2.0
"""docs/INTEGRATION.md says what the sources say: memories, parameters, ports, registers and the driver's order.

VERILATOR=verilator python -m pytest -c tests/pytest.ini tests/docs/test_integration.py --build BUILD --folder FOLDER
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from synth.flow import sources
from synth.study import accel, defaults, memories
from synth.study.elements import source_folders
from tests.conftest import Bench

PAGE = Path("docs/INTEGRATION.md")
DRIVER = Path("firmware/driver/device.c")
REGISTERS = Path("rtl/regs/fp8mac.rdl")


@pytest.fixture
def text() -> str:
    return PAGE.read_text()


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table whose first column is called `head`."""
    tables = re.findall(rf"^\| {head} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.M)
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for table in tables
        for line in table.splitlines()
    ]


def test_memories(bench: Bench, text: str, build: Path, folder: Path) -> None:
    found = memories.memories(accel.parameters("", build=build), build, folder / "memories")
    table = memories.shapes(found)
    bench.check(f"the table of the memories is\n{table}", table in text)


def test_parameters(bench: Bench, text: str, build: Path) -> None:
    own = sources.COMMENT.sub("", Path("rtl/accel/fp8mac_accel.sv").read_text())
    names = re.findall(r"^  parameter [^=]*?(\w+) *=", own, re.M)
    page = {
        name: default.strip()
        for row in rows(text, "parameter")
        for name, default in zip(re.findall(r"`(\w+)`", row[0]), row[1].split(","), strict=False)
    }
    bench.check(
        f"every parameter: {set(names) ^ set(page)}", len(names) > 15 and set(names) == set(page)
    )
    for name, value in defaults.parameters(build=build).items():
        if isinstance(value, int):
            bench.check(f"{name} is {value} by default", page.get(name) == str(value))
    bench.check("AXI_PROT", "AXI_PROT    = 3'b000," in own and page.get("AXI_PROT") == "000")


def test_instantiation(bench: Bench, text: str, build: Path, folder: Path) -> None:
    """Verilator takes the snippet, and it connects every port."""
    verilator = os.environ.get("VERILATOR", "verilator")
    snippet = re.search(r"```systemverilog\n(module chip.*?)```", text, re.S)[1]
    files = sources.index(source_folders(build))
    used = [
        path for path in sources.closure(accel.TOP, files, (accel.TOP,)) if path.stem != accel.TOP
    ]
    (folder / "chip.sv").write_text(snippet)
    (folder / f"{accel.TOP}.sv").write_text(sources.ports_only(files[accel.TOP].read_text()))
    command = [verilator, "--lint-only", "-Wno-UNDRIVEN", "-Wno-UNUSED", "--top-module", "chip"]
    command += [*map(str, used), str(folder / f"{accel.TOP}.sv"), str(folder / "chip.sv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    bench.check(f"the snippet: {done.stdout}{done.stderr}", done.returncode == 0)


def steps_of_driver() -> list[str]:
    """The registers that fp8rt_backend_open accesses, each where it comes first."""
    code = sources.COMMENT.sub("", DRIVER.read_text())
    bodies = dict(re.findall(r"^[\w ]+[ *](\w+)\([^;{]*\)\n\{\n(.*?)^\}", code, re.M | re.S))

    def registers(function: str, above: tuple[str, ...] = ()) -> list[str]:
        found = []
        access = r"\b(READ|WRITE|read_at)\((?:dev, |\w+, offsetof\(fp8mac_regs_t, )(\w+)|\b(\w+)\("
        for word in re.finditer(access, bodies[function]):
            if word[2]:
                found.append(word[2])
            elif word[3] in bodies and word[3] not in (*above, function):
                found += registers(word[3], (*above, function))
        return found

    return list(dict.fromkeys(registers("fp8rt_backend_open")))


def test_bring_up(bench: Bench, text: str) -> None:
    known = set(re.findall(r"^ *(?:\} |word_r\w )(\w+) @", REGISTERS.read_text(), re.M))
    steps = [re.findall(r"`([A-Z_0-9]+)`", row[1]) for row in rows(text, "step")]
    bench.check("the steps have registers", len(steps) > 10 and all(steps))
    for name in sorted({name for step in steps for name in step}):
        bench.check(f"register {name}", name in known)
    for name in sorted(set(re.findall(r"`([A-Z][A-Z_0-9]+)\.\w+`", text))):
        bench.check(f"register {name}", name in known)
    driver = [
        name for name in steps_of_driver() if name != "IRQ_STATE"
    ]  # cleared with an error alone
    page = steps[:7]
    place = 0
    for step in page:
        own = driver[place : place + len(step)]
        bench.check(f"the driver accesses {own} where the page has {step}", set(own) == set(step))
        place += len(step)
    bench.check(
        f"the driver accesses nothing else: {driver[place:]}",
        len(driver) == place or set(driver[place:]) <= {"WATCHDOG", "CYCLES"},
    )
