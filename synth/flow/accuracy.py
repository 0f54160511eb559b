# SPDX-License-Identifier: Apache-2.0
"""How far a configuration's dot products are from exact ones: asked of the model, on random data of a fixed seed."""

from __future__ import annotations

import math
import random
import subprocess
from functools import cache
from pathlib import Path

from .errors import FlowError

ROWS, COLUMNS, SEED = 16, 16, 1


@cache
def _matrices(k: int) -> tuple[str, str]:
    """Normally distributed values, a row a line; the model rounds them to the operands' format."""
    draw = random.Random(SEED)
    return tuple(
        "\n".join(" ".join(f"{draw.gauss(0, 1):.6g}" for _ in range(k)) for _ in range(n)) + "\n"
        for n in (ROWS, COLUMNS)
    )


def words(settings: dict[str, str]) -> list[str]:
    """As the tool's options; one without a value is a flag."""
    return [word for name, value in settings.items() for word in (f"--{name}", value) if word]


def _gemm(tool: Path, folder: Path, k: int, operand: str, settings: dict[str, str]) -> list[float]:
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, text in zip("ab", _matrices(k)):
        names.append(str(folder / f"{name}{k}.txt"))
        Path(names[-1]).write_text(text)
    options = words({"format": operand, **settings})
    done = subprocess.run(
        [str(tool), "gemm", *options, *names], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FlowError(f"the model refuses {' '.join(options)}: {done.stderr.strip()}")
    return [float(word) for word in done.stdout.replace(",", " ").replace(";", " ").split()]


def _dots(tool: Path, k: int, operand: str, settings: dict[str, str]) -> list[float]:
    """The same outputs one by one, for what `gemm` does not take."""
    options = words({"format": operand, **settings})
    found = []
    a, b = (text.splitlines() for text in _matrices(k))
    for row in a:
        for column in b:
            done = subprocess.run(
                [str(tool), "dot", *options],
                input=f"{row}\n{column}\n",
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise FlowError(f"the model refuses {' '.join(options)}: {done.stderr.strip()}")
            found.append(float(done.stdout))
    return found


def error(tool: Path, folder: Path, k: int, operand: str, settings: dict[str, str]) -> float:
    """Root mean square error over the dot products, relative to the root mean square of the exact ones."""
    exact = _gemm(tool, folder, k, operand, {"acc-format": "fixed"})
    found = (
        _dots(tool, k, operand, settings)
        if "static-exponent" in settings
        else _gemm(tool, folder, k, operand, settings)
    )
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(found, exact)) / sum(b * b for b in exact))
