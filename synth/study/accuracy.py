# SPDX-License-Identifier: Apache-2.0
"""The error of an element's dot products against exact ones, computed by the golden model on random data of a fixed
seed."""

from __future__ import annotations

import math
import random
import subprocess
from functools import cache
from pathlib import Path

from rtl.catalogue import catalogue

from ..flow.errors import FlowError

ROWS, COLUMNS, SEED = 16, 16, 1
K = 4096
# In e4m3fn the normally distributed values of this data are below 8 = 2^3: exponents of at most 2 + 2.
STATIC_EXPONENT = 4


@cache
def _matrices(k: int) -> tuple[str, str]:
    """Normally distributed values, one line for each row. The model rounds them to the operands' format."""
    draw = random.Random(SEED)
    return tuple(
        "\n".join(" ".join(f"{draw.gauss(0, 1):.6g}" for _ in range(k)) for _ in range(n)) + "\n"
        for n in (ROWS, COLUMNS)
    )


def _run(tool: Path, command: str, options: list[str], files: list[str], text: str = "") -> str:
    done = subprocess.run(
        [str(tool), command, *options, *files],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise FlowError(f"the model refuses {' '.join(options)}: {done.stderr.strip()}")
    return done.stdout


def _gemm(tool: Path, folder: Path, k: int, options: list[str]) -> list[float]:
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, text in zip("ab", _matrices(k)):
        names.append(str(folder / f"{name}{k}.txt"))
        Path(names[-1]).write_text(text)
    said = _run(tool, "gemm", options, names)
    return [float(word) for word in said.replace(",", " ").replace(";", " ").split()]


def _dots(tool: Path, k: int, options: list[str]) -> list[float]:
    """The same outputs one by one, for settings that `gemm` does not take."""
    a, b = (text.splitlines() for text in _matrices(k))
    return [
        float(_run(tool, "dot", options, [], f"{row}\n{column}\n")) for row in a for column in b
    ]


def settings(kind: catalogue.Element, lanes: int, frac_bits: int | None) -> list[str]:
    """The model's options for an element: its preset. Below the catalogue's least fraction bits there is no preset, so
    the preset of the least bits is taken and the bits are set."""
    if frac_bits is None or frac_bits >= kind.frac_bits.least:
        return ["--preset", kind.spelling(lanes, frac_bits)]
    least = kind.spelling(lanes, kind.frac_bits.least)
    return ["--preset", least, "--frac-bits", str(frac_bits)]


def error(
    tool: Path,
    folder: Path,
    operand: str,
    kind: catalogue.Element,
    lanes: int,
    frac_bits: int | None,
    k: int = K,
    more: tuple[str, ...] = (),
) -> float:
    """Root mean square error over the dot products, relative to the root mean square of the exact ones."""
    common = ["--format", operand]
    exact = _gemm(tool, folder, k, [*common, "--acc-format", "fixed"])
    own = [*settings(kind, lanes, frac_bits), *more, *common]
    if kind.align == "bounds":
        found = _dots(tool, k, [*own, "--static-exponent", str(STATIC_EXPONENT)])
    else:
        found = _gemm(tool, folder, k, own)
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, exact)) / sum(b * b for b in exact))
