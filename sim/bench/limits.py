# SPDX-License-Identifier: Apache-2.0
"""What an array and its bus allow for a GEMM, in cycles. D has one byte an output."""

import csv
import io
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Shape = tuple[int, int, int]  # m, n, k


@dataclass(frozen=True)
class Chip:
    """An array of `kind`, as the simulated chip prints it, and the bytes of a bus beat."""

    rows: int
    cols: int
    lanes: int
    kind: str
    beat: int

    @property
    def macs(self) -> int:
        """Multiply-accumulates a cycle."""
        return self.rows * self.cols * self.lanes


DEFAULT = Chip(rows=4, cols=4, lanes=16, kind="block", beat=16)


def round_up(x: int, unit: int) -> int:
    return -(-x // unit) * unit


def bounds(shape: Shape, chip: Chip) -> dict[str, float]:
    """Cycles that the array, the read channel and the write channel need at least."""
    m, n, k = shape
    row = -(-k // chip.beat)
    return {
        "array": m * n * k / chip.macs,
        "read": (m + n) * row,
        "write": m * -(-n // chip.beat),
    }


def array_cycles(tool: Path, shapes: Iterable[Shape], chip: Chip) -> dict[Shape, int]:
    """Cycles that the array itself takes for each GEMM, by the model of cycles: those with a step, and those in which a
    block waits for an accumulator or an accumulate unit. `tool` is fp8mac."""
    wanted = list(shapes)
    options = {
        "rows": chip.rows,
        "cols": chip.cols,
        "lanes": chip.lanes,
        "element": chip.kind,
        "axi": 8 * chip.beat,
        "d-format": "int8" if chip.kind == "int8" else "e4m3fn",
    }
    done = subprocess.run(
        [str(tool), "cycles", *(f"--{name}={value}" for name, value in options.items()), "-"],
        input="m,n,k\n" + "".join(f"{m},{n},{k}\n" for m, n, k in wanted),
        capture_output=True,
        text=True,
        check=True,
    )
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {
        shape: int(row["compute"]) + int(row["spacing"])
        for shape, row in zip(wanted, rows, strict=True)
    }


@dataclass(frozen=True)
class Layer:
    """A recorded 3 x 3 convolution on an image, with a scale and a bias for each channel"""

    height: int
    width: int
    channels: int
    filters: int
    depthwise: bool = False

    @property
    def macs(self) -> int:
        each = 9 if self.depthwise else 9 * self.channels
        return each * self.height * self.width * self.filters


def layer_cycles(tool: Path, layer: Layer, latency: int = 0) -> int:
    """By the model of cycles, on the simulated chip's memory with so many cycles more of latency"""
    head = "ifmap height,ifmap width,filter height,filter width,channels,num filter,groups,pad_y,pad_x,vectors"
    groups = layer.channels if layer.depthwise else 1
    numbers = (layer.height, layer.width, 3, 3, layer.channels, layer.filters, groups, 1, 1, 1)
    done = subprocess.run(
        [str(tool), "cycles", "--list", "--latency", str(latency), "-"],
        input=f"{head}\n{','.join(map(str, numbers))}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return int(
        dict(row.split() for row in done.stdout.splitlines() if row.startswith("cycles "))["cycles"]
    )


def baseline(shape: Shape, of: str, chip: Chip) -> float:
    """The cycles with which a group of workloads.toml is compared."""
    m, n, k = shape
    if of == "rounded":
        return round_up(m, 8) * round_up(n, 8) * round_up(k, 16) / chip.macs
    limit = bounds(shape, chip)
    return limit["array"] if of == "peak" else max(limit.values())


def ratio_limit(shape: Shape, of: str, chip: Chip, array: int) -> float:
    """The ratio that a GEMM could reach if the array, which takes `array` cycles, never waited for anything else."""
    least = bounds(shape, chip) | {"array": array}
    return baseline(shape, of, chip) / max(least.values())
