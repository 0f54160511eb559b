# SPDX-License-Identifier: Apache-2.0
"""Functions of the accelerator that are left out: their parameters, the table of their prices, and the operators that an
epilogue without C does not have.

python -m pytest -c tests/pytest.ini tests/synth/test_left_out.py --build BUILD --folder FOLDER
"""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.flow import liberty, recipe, runs
from synth.flow.cache import Cache
from synth.flow.errors import RejectedNetlist
from synth.flow.modules import Mapper, cells_area
from synth.study import left_out, libraries
from synth.study.elements import source_folders
from tests.conftest import Bench

FUNCTIONS = ["IMAGES", "ELEMENTWISE", "ROW_COMMANDS"]
MUL, ADD = "fp8mac_fp32_mul", "fp8mac_fp32_add"
NOISE = 1.02  # between the areas of netlists of one design
BOXES = (MUL, ADD, "fp8mac_fp32_to_fmt", "fp8mac_clock_gate")


def test_without(bench: Bench) -> None:
    bench.check("nothing", left_out.without("all", FUNCTIONS) == {})
    bench.check("one", left_out.without("IMAGES", FUNCTIONS) == {"IMAGES": 0})
    both = left_out.without("ELEMENTWISE", FUNCTIONS)
    bench.check("what needs it goes too", both == {"ELEMENTWISE": 0, "ROW_COMMANDS": 0})
    minimal = left_out.without("minimal", FUNCTIONS)
    bench.check("minimal", minimal == dict.fromkeys(FUNCTIONS, 0))


def test_prices(bench: Bench) -> None:
    found = [
        {"name": "all", "logic": 1000.0, "bits": 500},
        {"name": "IMAGES", "logic": 900.0, "bits": 500},
        {"name": "minimal", "logic": 250.0, "bits": 100},
    ]
    lines = left_out.prices(found).splitlines()
    bench.check("a line for each", len(lines) == 4)
    bench.check("a price", lines[2] == "| `IMAGES` | 100 | 10.0 % | 0 | 900 |")
    bench.check("all of them", lines[3] == "| minimal | 750 | 75.0 % | 400 | 250 |")


def test_parts(bench: Bench) -> None:
    found = [{"name": "MX"}, {"name": "all", "logic": 1000.0, "parts": {"u_a": 300.0, "u_b": 55.0}}]
    lines = left_out.parts(found).splitlines()
    wanted = ["| `u_a` | 300 | 30.0 % |", "| `u_b` | 55 | 5.5 % |"]
    bench.check(f"{lines}", lines[2:] == wanted)


def test_beats(bench: Bench) -> None:
    def one(rows: int, bits: int, logic: float) -> dict:
        return {
            "parameters": {"ROWS": rows, "COLS": 2, "LANES": 4, "AXI_DATA_W": bits},
            "logic": logic,
        }

    lines = left_out.beats(
        [one(2, 256, 130.0), one(2, 128, 100.0), one(4, 128, 500.0)]
    ).splitlines()
    wanted = ["| 2 x 2 x 4 | 128 | 100 | 0 |", "| 2 x 2 x 4 | 256 | 130 | 30 |"]
    bench.check(f"one shape has two widths: {lines}", lines[2:] == wanted)


def test_registers(bench: Bench, build: Path, folder: Path) -> None:
    """Flip-flops by instance. Those of the design's own are no instance's."""
    library = liberty.Library([libraries.LIBRARIES[libraries.FIRST][0]])
    flow = runs.Synthesiser(library, source_folders(build), Cache(folder))
    cells = "".join(
        f"  DFFPOSX1 _{place}_ (\n    .CLK(clk_i),\n    .D(d),\n    .Q({net})\n  );\n"
        for place, net in enumerate(("\\u_a.x_q[0] ", "\\u_a.u_c.x_q[1] ", "\\u_b.y_q ", "top_q"))
    )
    found = left_out.Meter(flow, build, 6.0).registers(f"module m;\n{cells}endmodule\n")
    each = library.cells["DFFPOSX1"].area
    bench.check(f"{found}", found == {"u_a": 2 * each, "u_b": each, "no name": each})
    both = [{"name": "all", "registers": found}, {"name": "minimal", "registers": {"u_a": each}}]
    lines = left_out.largest(both, 2).splitlines()
    bench.check(f"{lines}", lines[2:] == ["| `u_a` | 192 | 96 |", "| `u_b` | 96 | 0 |"])


@pytest.mark.parametrize(("c", "each"), [(1, 2), (0, 1)])
def test_operators_of_c(bench: Bench, build: Path, folder: Path, c: int, each: int) -> None:
    """Of an epilogue of two values a cycle, each in a row of its own. Both are multiplied by scales and by scale_d. A multiplier
    of C computes the product of scales; without C there is one of the first row alone."""
    library = liberty.Library([libraries.LIBRARIES[libraries.FIRST][0]])
    flow = runs.Synthesiser(library, source_folders(build), Cache(folder))
    given = (("WIDTH", 2), ("COLS", 1), ("STOCHASTIC", 0), ("ADD_C", c))
    front, _ = flow.front(runs.Design("fp8mac_epilogue", given, BOXES))
    boxes = [box.module for box in runs.instances(front)]
    bench.check(f"multipliers, ADD_C={c}", boxes.count(MUL) == 4 + each)
    bench.check(f"adders, ADD_C={c}", boxes.count(ADD) == 2 * each)


def test_modules(bench: Bench, build: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that stay apart: their areas sum to that of the netlist that is mapped at once. One that was mapped as a
    part of another design is not mapped again."""
    library = liberty.Library([libraries.LIBRARIES[libraries.FIRST][0]])
    flow = runs.Synthesiser(library, source_folders(build), Cache(folder))
    effort, period = recipe.EFFORTS[0], libraries.HEADLINE_PERIOD
    mapper = Mapper(library, flow.cache, flow.tools)
    mapped: list[dict[str, str]] = []
    once = Mapper._map
    monkeypatch.setattr(
        Mapper,
        "_map",
        lambda its, texts, scripts: (mapped.append(texts), once(its, texts, scripts)),
    )

    def area(top: str) -> float:
        design = runs.Design(top)
        modules, areas = mapper.areas(flow.read(design), design, effort, period)
        parts = modules.parts(f"\\{top}", areas)
        whole = modules.area(f"\\{top}", areas)
        bench.check(f"parts: {parts}", whole == areas[f"\\{top}"] + sum(parts.values()))
        bench.check("named by their instances", set(parts) == {"u_round"})
        return whole

    area("fp8mac_fp32_round")
    bench.check(f"{len(mapped[0])} modules are mapped", len(mapped) == 1 and len(mapped[0]) == 2)
    found = area(ADD)
    bench.check(f"without those that are known: {len(mapped[1])}", len(mapped[1]) == 1)
    whole = flow.run(runs.Design(ADD), period, effort, 0, hierarchy=True, repaired=False).area
    bench.check(f"that of one run: {found:,.0f}, {whole:,.0f}", NOISE > found / whole > 1 / NOISE)
    bench.check("nothing is mapped twice", area(ADD) == found and len(mapped) == 2)
    with pytest.raises(RejectedNetlist, match="NO_CELL"):
        cells_area({"u": {"type": "NO_CELL"}}, library)
