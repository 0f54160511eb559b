# SPDX-License-Identifier: Apache-2.0
"""Clock gates that synthesis inserts: which flip-flops get one, and that the netlist with its gates does what the RTL does.

python -m pytest -c tests/pytest.ini tests/synth/test_clock_gates.py --folder FOLDER
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from synth.flow import boxes, cells, faults, liberty, runs
from synth.flow.cache import Cache
from synth.flow.errors import UsageError
from synth.flow.recipe import CLOCK_GATE, EFFORTS
from synth.study import gating, intake, libraries, request
from tests.conftest import Bench

# Six flip-flops with an enable, three with another one, two without, and four behind a gate of the RTL's own
RTL = """module fp8mac_enables (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       six_i,
  input  logic [1:0] three_i,
  input  logic       own_i,
  input  logic [5:0] d_i,
  output logic [5:0] six_o,
  output logic [2:0] three_o,
  output logic [1:0] two_o,
  output logic [3:0] own_o
);
  logic clk;
  fp8mac_clock_gate u_gate (.clk_i, .en_i(own_i || !rst_ni), .clk_o(clk));
  always_ff @(posedge clk_i) begin
    if (!rst_ni) six_o <= '0;
    else if (six_i) six_o <= d_i;
    if (!rst_ni) three_o <= '0;
    else if (three_i == 2'd2) three_o <= d_i[2:0] ^ three_o;
    two_o <= d_i[4:3];
  end
  always_ff @(posedge clk) begin
    if (!rst_ni) own_o <= '0;
    else if (d_i[5]) own_o <= d_i[3:0];
  end
endmodule
"""
DESIGN = runs.Design("fp8mac_enables", black_boxes=(CLOCK_GATE,))
CYCLES = 2000
# The netlist against the RTL: inputs change between clock edges, and outputs are compared before the next one.
COMPARE = """module compare;
  reg clk = 0, rst_n = 0;
  reg [9:0] in = 0;
  reg [31:0] seed = 5;
  wire [14:0] wanted, found;
  wire en, gated;
  integer i, wrong = 0, compared = 0;
  fp8mac_enables u_rtl (clk, rst_n, in[0], in[2:1], in[3], in[9:4],
    wanted[5:0], wanted[8:6], wanted[10:9], wanted[14:11]);
  netlist u_netlist (.clk_i(clk), .rst_ni(rst_n), .six_i(in[0]), .three_i(in[2:1]), .own_i(in[3]), .d_i(in[9:4]),
    .six_o(found[5:0]), .three_o(found[8:6]), .two_o(found[10:9]), .own_o(found[14:11]), .u_gate_en_i(en),
    .u_gate_clk_o(gated));
  fp8mac_clock_gate u_gate (clk, en, gated);
  initial begin
    for (i = 0; i < CYCLES; i = i + 1) begin
      rst_n = i > 2 && i % 97 != 0;
      in = $random(seed);
      #1 clk = 1; #1 clk = 0; #1;
      if (i > 3) begin
        compared = compared + 1;
        if (wanted !== found) wrong = wrong + 1;
      end
    end
    $display("%0d %0d", compared, wrong);
    $finish(0);  // Icarus 12 prints a line for $finish
  end
endmodule
"""


@pytest.fixture(scope="session")
def flow(folder: Path) -> runs.Synthesiser:
    rtl = folder / "rtl"
    rtl.mkdir(parents=True)
    (rtl / "fp8mac_enables.sv").write_text(RTL)
    (rtl / f"{CLOCK_GATE}.sv").write_text(Path(f"rtl/leaf/{CLOCK_GATE}.sv").read_text())
    library = liberty.Library(libraries.LIBRARIES["osu018"][0])
    return runs.Synthesiser(library, [rtl], Cache(folder / "cache"), clock_gates=4)


def compared(flow: runs.Synthesiser, folder: Path, netlist: str) -> tuple[int, int]:
    """Cycles that were compared with the RTL's, and those that differ"""
    folder.mkdir(exist_ok=True)
    kinds = {match["kind"] for match in faults.instances(netlist)} & flow.library.cells.keys()
    texts = {
        "rtl.v": RTL,
        "gate.v": Path(f"rtl/leaf/{CLOCK_GATE}.sv").read_text(),
        "cells.v": cells.models(flow.library, kinds),
        "netlist.v": netlist.replace("module fp8mac_enables", "module netlist"),
        "compare.v": COMPARE.replace("CYCLES", str(CYCLES)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    for command in (
        ["iverilog", "-g2012", "-s", "compare", "-o", "compare.vvp", *texts],
        ["vvp", "-n", "compare.vvp"],
    ):
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    count, wrong = map(int, done.stdout.split())
    return count, wrong


def test_inserted(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    """Which flip-flops get a gate, and that the netlist does what the RTL does"""
    made = flow.run(DESIGN, 6.0, EFFORTS[0], 1)
    text = Path(made.netlist, "netlist.v").read_text()
    bench.check(f"the RTL's own gate and one more: {made.boxes}", made.boxes == {CLOCK_GATE: 2})
    clocks = Counter(re.findall(r"\.CLK\((\w+)\)", text))
    bench.check(
        f"six behind the gate, four behind the RTL's, the others on the clock: {clocks}",
        clocks == {"clock_gate_0_clk_o": 6, "u_gate_clk_o": 4, "clk_i": 5},
    )
    closed = boxes.closed(text)
    bench.check("the netlist's gate is inside", "clock_gate_0_clk_o," not in closed)
    count, wrong = compared(flow, folder / "good", closed)
    bench.check(f"{wrong} of {count} cycles differ", (count, wrong) == (CYCLES - 4, 0))
    late = closed.replace(".en_i(clock_gate_0_en_i)", ".en_i(six_i)")
    bench.check("the fault is seeded", late != closed)
    _, wrong = compared(flow, folder / "fault", late)
    bench.check("a gate that is closed in reset is found", wrong > 0)


def test_table(bench: Bench, folder: Path) -> None:
    """The page's table, and records in the place of older ones"""
    results = folder / "results"
    results.mkdir()

    def one(least: int, area: float) -> dict:
        fields = ("fetch", {}, "osu018", 6.0, least, 2 if least else 0, 50, 60, area, 1.0, None)
        return asdict(gating.Gated(*fields))

    for areas in ({0: 500.0, 4: 300.0}, {0: 400.0, 4: 360.0}):
        made = {"run": {"command": "x"}, "gates": [one(*its) for its in areas.items()]}
        (folder / "gates.json").write_text(json.dumps(made))
        intake.take(folder / "gates.json", results, "")
    known = intake.load(results, "clock_gates")["gates"]
    bench.check(f"the newer ones: {known}", [its["area"] for its in known] == [400, 360])
    row = gating.table(known).splitlines()[2]
    wanted = "| `fetch` | 4 | 50 of 60 | 2 | 400 | 360 | -10.0 % | 1.00 | 1.00 |"
    bench.check(f"a row: {row}", row == wanted)
    bench.check("what it loses", gating.most(known) == "10 %")


def test_least(bench: Bench, folder: Path, flow: runs.Synthesiser) -> None:
    """The least number of flip-flops, and none without the option"""
    for least, inserted in ((0, 0), (3, 2), (7, 0)):
        other = runs.Synthesiser(flow.library, [folder / "rtl"], flow.cache, clock_gates=least)
        names = [box.path for box in runs.instances(other.front(DESIGN)[0])]
        bench.check(f"at least {least}: {names}", len(names) == 1 + inserted)
    bench.raises("no number", UsageError, "CLOCK_GATES=x", lambda: request.clock_gates("x"))
    bench.check("empty is none", request.clock_gates("") == 0)
