# SPDX-License-Identifier: Apache-2.0
"""Programs that the simulator's tests run: each is an option, and a fixture of the same name."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "sim": "the simulator",
    "timed": "the simulator with the timing model",
    "faulty": "the same with a seeded fault",
    "elf": "the program that it runs",
    "digits": "the application digits",
    "vad": "the application vad",
    "tool": "the command-line tool fp8mac",
    "lists": "the program that has the cycles of recorded networks",
    "disassembler": "the program that prints texts of instructions",
    "objdump": "objdump for RISC-V",
    "objcopy": "objcopy for RISC-V",
    "gdb": "gdb for RISC-V",
    "changes": "the program that lists what changes in quiet cycles",
    "names": "the program that lists the signals of a waveform",
}
COMMANDS = {
    "chip": "the compiler of programs for the chip, with its options",
    "chip_link": "the command that links them, with all objects",
    "host": "the compiler of programs for the host, with its options",
    "host_link": "the command that links them, with all objects",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, meaning in PROGRAMS.items():
        parser.addoption(f"--{name}", help=meaning)
    for name, meaning in COMMANDS.items():
        parser.addoption(f"--{name.replace('_', '-')}", help=meaning)
    parser.addoption("--count", type=int, help="operations of each kind, direct and recorded")
    parser.addoption("--elfs", nargs="+", help="programs to disassemble or to run")
    parser.addoption("--faulties", nargs="+", help="simulators with one seeded fault each")


def option(name: str):
    @pytest.fixture(scope="session", name=name)
    def value(request: pytest.FixtureRequest):
        return request.config.getoption(name)

    return value


globals().update(
    {name: option(name) for name in (*PROGRAMS, *COMMANDS, "count", "elfs", "faulties")}
)
