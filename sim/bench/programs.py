# SPDX-License-Identifier: Apache-2.0
"""Programs on the simulated chip, and the figures that they print.

A command is the text `make run NAME=value...`, as the page prints it. Its program prints one or more rows of figures.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .limits import Chip

Row = dict[str, str | int]

CYCLES = re.compile(r"^cycles +(\d+) of the GEMM$", re.M)
PLAN = re.compile(r"^planning +(\d+) cycles", re.M)
BEATS = re.compile(r"^bus beats +(\d+) read, (\d+) written$", re.M)
# A cause of cycles and its count, as the application gemm prints it.
PART = re.compile(r"^  ([a-z_]+) +(\d+) ", re.M)
DIGITS = re.compile(r"^digits: (.*)$", re.M)
ELEMENTWISE = re.compile(
    r"^(\S.*?) +(\d+) x +(\d+)  ok  hash .*\n  cycles (\d+), values \d+$", re.M
)
CONVOLUTION = re.compile(
    r"^ok   (.+)\n"
    r" +in place +(\d+) cycles, +(\d+) beats read\n"
    r" +as a GEMM +(\d+) cycles, +(\d+) beats read\n"
    r" +gathering +(\d+) cycles of the core",
    re.M,
)
CHIP = re.compile(
    r"on an array of (\d+) x (\d+) x (\d+)\nelement +([a-z0-9_]+?)(?:_f\d+)?(?:_l\d+)?$", re.M
)
RATE = re.compile(r"\((\d+\.\d+) kHz, ([^)]+)\)")
IMAGE = re.compile(r"^ *(\d+) cycles of the network for each image$", re.M)
RECORDED = re.compile(r"^(?:dscnn|decoder): hash \w+, (\d+) commands, (\d+) cycles a", re.M)
VAD = re.compile(r"^vad: (\d+) core cycles a frame", re.M)
TOKENS = re.compile(r"^(prompt|generation) +(\d+) core cycles a token, (\d+) tokens$", re.M)
CALL = re.compile(r"^(?:ok   (.+?) +(\d+) cycles|(\w.*):)$", re.M)


class ProgramError(Exception):
    """A program failed, or did not print its figures."""


@dataclass(frozen=True)
class Command:
    text: str

    @property
    def options(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.text.removeprefix("make run").split())

    @property
    def app(self) -> str:
        return self.options.get("APP", "digits")

    @property
    def element(self) -> str:
        """Empty: the chip that is measured, which is the default one on the page."""
        return self.options.get("ELEMENT", "")

    @property
    def arguments(self) -> list[str]:
        own = {
            name: v
            for name, v in self.options.items()
            if name not in ("APP", "APPS_DIR", "ELEMENT")
        }
        return [f"{name}={value}" for name, value in own.items()]


def gemm(shape: tuple[int, int, int], element: str = "") -> Command:
    """One scale for each tensor, and D of one byte an output."""
    m, n, k = shape
    words = ["make run", f"ELEMENT={element}" if element else "", "APP=gemm", f"M={m} N={n} K={k}"]
    words += [f"D={element if element == 'int8' else 'e4m3fn'}", "SCALE=tensor"]
    return Command(" ".join(filter(None, words)))


def match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.search(text)
    if not found:
        raise ProgramError(f"nothing printed is like {pattern.pattern}:\n{text}")
    return found


def numbers(pattern: re.Pattern[str], text: str) -> tuple[int, ...]:
    return tuple(map(int, match(pattern, text).groups()))


def gemm_rows(text: str) -> list[Row]:
    (cycles,) = numbers(CYCLES, text)
    (plan,) = numbers(PLAN, text)
    read, written = numbers(BEATS, text)
    parts = {name: int(count) for name, count in PART.findall(text)}
    if sum(parts.values()) != cycles:
        raise ProgramError(f"the causes of the cycles do not add up to them:\n{text}")
    return [{"cycles": cycles, **parts, "plan": plan, "read_beats": read, "write_beats": written}]


def digits_rows(text: str) -> list[Row]:
    """The counters of the whole run, all images together."""
    record = dict(word.split("=") for word in match(DIGITS, text)[1].split())
    figures = {name: int(value) for name, value in record.items() if value.isdecimal()}
    if figures["outputs"] != figures["equal"]:
        raise ProgramError(f"outputs differ from the golden model's:\n{text}")
    # core_cycles are mostly the checker's and the console's.
    left_out = ("batch", "float32_right", "right", "outputs", "equal", "hash", "core_cycles")
    (image,) = numbers(IMAGE, text)
    kept = {name: value for name, value in figures.items() if name not in left_out}
    return [{**kept, "image_cycles": image}]


def elementwise_rows(text: str) -> list[Row]:
    return [
        {"name": name, "m": int(m), "n": int(n), "cycles": int(cycles)}
        for name, m, n, cycles in ELEMENTWISE.findall(text)
    ]


def convolution_rows(text: str) -> list[Row]:
    keys = ("cycles", "beats", "gemm_cycles", "gemm_beats", "gathering")
    return [
        {"name": name, **dict(zip(keys, map(int, counts), strict=True))}
        for name, *counts in CONVOLUTION.findall(text)
    ]


def recorded_rows(text: str) -> list[Row]:
    commands, cycles = numbers(RECORDED, text)
    return [{"commands": commands, "cycles": cycles}]


def vad_rows(text: str) -> list[Row]:
    return [{"core_cycles": numbers(VAD, text)[0]}]


def tokens_rows(text: str) -> list[Row]:
    return [
        {"name": name, "tokens": int(tokens), "core_cycles": int(cycles)}
        for name, cycles, tokens in TOKENS.findall(text)
    ]


def calls_rows(text: str) -> list[Row]:
    """What the core takes for calls of the driver, and the accelerator for a list of GEMMs."""
    rows: list[Row] = []
    before = ""
    for name, cycles, heading in CALL.findall(text):
        if not name:  # planned runs are printed for two kinds of scales
            before = "without scales, " if heading == "without scales" else ""
            continue
        key = "cycles" if name.endswith(", the accelerator") else "core_cycles"
        rows.append({"name": f"{before}{name}", key: int(cycles)})
    return rows


ROWS = {
    "cycles": calls_rows,
    "decoder": recorded_rows,
    "dscnn": recorded_rows,
    "gemm": gemm_rows,
    "digits": digits_rows,
    "elementwise": elementwise_rows,
    "convolution": convolution_rows,
    "tokens": tokens_rows,
    "vad": vad_rows,
}


@dataclass(frozen=True)
class Simulators:
    """The simulator of each kind of element, and the folder of the programs."""

    of: dict[str, Path]
    programs: Path

    def output(self, command: Command) -> str:
        """What the program prints. It fails if an output of a GEMM differs from the golden model's."""
        done = subprocess.run(
            [
                str(self.of[command.element]),
                *("--heartbeat", "0", "--silence", "0"),
                str(self.programs / f"{command.app}.elf"),
                *command.arguments,
            ],
            capture_output=True,
            text=True,
        )
        text = done.stdout + done.stderr
        if done.returncode != 0:
            raise ProgramError(f"{command.text} failed with status {done.returncode}:\n{text}")
        return text


def rows_of(command: Command, text: str) -> list[Row]:
    rows = ROWS[command.app](text)
    if not rows:
        raise ProgramError(f"{command.text} printed no figures:\n{text}")
    return rows


def chip_of(text: str, beat: int) -> Chip:
    """The chip that the application gemm names."""
    rows, cols, lanes, kind = match(CHIP, text).groups()
    return Chip(int(rows), int(cols), int(lanes), kind, beat)


def rate_of(text: str) -> tuple[float, str]:
    """kHz of the simulation, and the simulator's mode."""
    found = match(RATE, text)
    return float(found[1]), found[2]
