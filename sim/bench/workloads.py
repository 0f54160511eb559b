# SPDX-License-Identifier: Apache-2.0
"""workloads.toml, and every command whose cycles results.json has."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .limits import Shape
from .programs import Command, gemm

TABLE = Path(__file__).with_name("workloads.toml")
TARGETS = Path(__file__).with_name("targets.toml")
DIGITS = {"block": Command("make run"), "int8": Command("make run ELEMENT=int8")}
ELEMENTWISE = Command("make run APP=elementwise")
CONVOLUTION = Command("make run APP=convolution")
CALLS = Command("make run APP=cycles APPS_DIR=tests/system/apps")
NETWORKS = tuple(
    Command(f"make run {options}")
    for options in (
        "NET=cnn",
        "NET=cnn BATCH=1",
        "NET=cnn BATCH=64",
        "NET=transformer",
        "NET=transformer BATCH=64",
        "APP=dscnn",
        "APP=vad",
        "APP=tokens",
        "APP=tokens LIST=0",
        "APP=decoder",
    )
)


@dataclass(frozen=True)
class Gemm:
    shape: Shape
    layer: str
    target: float | None
    quick: bool

    @property
    def name(self) -> str:
        return "x".join(map(str, self.shape))


@dataclass(frozen=True)
class Group:
    name: str
    of: str
    mean: float | None  # the target of the geometric mean
    gemms: tuple[Gemm, ...]


@dataclass(frozen=True)
class Workloads:
    groups: tuple[Group, ...]
    int8: tuple[Shape, ...]

    @property
    def gemms(self) -> tuple[Gemm, ...]:
        return tuple(one for group in self.groups for one in group.gemms)

    def commands(self) -> list[Command]:
        """In the order of the results, each once."""
        every = [gemm(one.shape) for one in self.gemms]
        every += [gemm(shape, "int8") for shape in self.int8]
        return [*every, *DIGITS.values(), CONVOLUTION, ELEMENTWISE, CALLS, *NETWORKS]

    def quick(self) -> list[Command]:
        """Those that `make test` repeats."""
        networks = [Command("make run APP=dscnn"), Command("make run NET=cnn BATCH=1")]
        return [gemm(one.shape) for one in self.gemms if one.quick] + [DIGITS["block"], *networks]


def gemm_of(entry: dict) -> Gemm:
    m, n, k = entry["shape"]
    return Gemm((m, n, k), entry.get("layer", ""), entry.get("target"), entry.get("quick", False))


def load(only: str = "") -> Workloads:
    """`only` is a regular expression of names, as 64x64x64: groups keep the GEMMs that match."""
    table = tomllib.loads(TABLE.read_text())
    groups = (
        Group(
            one["name"],
            one["of"],
            one.get("mean"),
            tuple(found for found in map(gemm_of, one["gemms"]) if re.search(only, found.name)),
        )
        for one in table["group"]
    )
    shapes = tuple((m, n, k) for m, n, k in table["int8"]["shapes"])
    return Workloads(tuple(group for group in groups if group.gemms), shapes)


def targets() -> list[dict]:
    """The rows of targets.toml."""
    return tomllib.loads(TARGETS.read_text())["target"]
