# SPDX-License-Identifier: Apache-2.0
"""The planner's bits of memory (model/plan/fp8mac_plan/configuration.py) are those of the elaborated RTL, for several shapes
and without the functions that can be left out.

python -m pytest -c tests/pytest.ini tests/synth/test_memories.py --build BUILD --folder FOLDER --functions NAME...
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synth.study import accel, memories
from tests.conftest import Bench

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "model/plan"))

from fp8mac_plan.configuration import (
    NOT_FOR_INFERENCE,
    Configuration,
    one_port_bits,
    table_bits,
    two_port_bits,
)

# Options of the planner, as parameters of the RTL
PARAMETERS = {"AXI_DATA_W": "axi"}
SHAPES = (
    "ROWS=2 COLS=2 LANES=4",
    "ROWS=8 COLS=8 LANES=16",
    "ROWS=8 COLS=2 LANES=16",
    "ROWS=4 COLS=4 LANES=32",
    "ROWS=2 COLS=4 LANES=8 AXI_DATA_W=64 BUF_BEATS=64",
    "AXI_DATA_W=64",
    "AXI_DATA_W=256",
    "BUF_BEATS=32 MAX_MN=32 TILES=64",
    "BUF_BEATS=512 MAX_MN=256 QUEUE_DEPTH=5",
    "ELEMENT=block64",
    "ELEMENT=int8",
    "ELEMENT=late_fp32",
)
# Each function that has memories, and those of accelerators for inference
WITHOUT = (
    *([name] for name in ("MX", "IMAGES", "DEPTHWISE", "ADD_C", "TABLES", "ROW_COMMANDS")),
    ["ELEMENTWISE", "ROW_COMMANDS"],
    sorted(NOT_FOR_INFERENCE),
)
INTEGERS = "ELEMENT=int8 REQUANTISE=1"


def elaborated(config: str, build: Path, folder: Path) -> dict[str, int]:
    """Bits by the ports of the macros"""
    found = memories.memories(accel.parameters(config, build=build), build, folder / "memories")
    bits = {memories.ONE_PORT.ports: 0, memories.TWO_PORTS.ports: 0}
    for one in found:
        bits[one.macro.ports] += one.bits
    return bits


def configuration(config: str) -> Configuration:
    named = dict(word.split("=") for word in config.split() if not word.startswith("REQUANTISE"))
    return Configuration(
        **{
            PARAMETERS.get(name, name.lower()): value if name == "ELEMENT" else int(value)
            for name, value in named.items()
        }
    )


def same(bench: Bench, build: Path, folder: Path, config: str, without: list[str]) -> None:
    its = configuration(config)
    off = " ".join(f"{name}=0" for name in without)
    got = {
        memories.ONE_PORT.ports: one_port_bits(its),
        memories.TWO_PORTS.ports: two_port_bits(its, without),
    }
    rtl = elaborated(f"{config} {off}", build, folder)
    for ports, bits in rtl.items():
        bench.check(
            f"{config or 'the default'} {off}, {ports}: {got[ports]}, in the RTL {bits}",
            got[ports] == bits,
        )


def test_default(bench: Bench, request: pytest.FixtureRequest, build: Path, folder: Path) -> None:
    same(bench, build, folder, "", [])
    same(bench, build, folder, "", request.config.getoption("--functions"))


def test_shapes(bench: Bench, build: Path, folder: Path) -> None:
    for config in SHAPES:
        same(bench, build, folder, config, [])


def test_functions(bench: Bench, build: Path, folder: Path) -> None:
    for without in WITHOUT:
        same(bench, build, folder, "", without)
    same(bench, build, folder, INTEGERS, sorted(NOT_FOR_INFERENCE))
    usual = Configuration()
    bench.check(
        "bits of the tables",
        two_port_bits(usual) - two_port_bits(usual, ["TABLES"]) == table_bits(usual),
    )
