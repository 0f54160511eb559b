# SPDX-License-Identifier: Apache-2.0
"""Netlists do again what a waveform has: changes of words, what the reader of waveforms finds in one of Icarus Verilog, and
a netlist that answers otherwise.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_replay.py --toggles TOGGLES --ports PORTS --folder FOLDER

TOGGLES is the compiled simulator, PORTS the compiled reader of waveforms
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from synth.energy.circuit import ENABLE, Changes, Circuit
from synth.energy.replay import Part, differences, replay, words_of
from synth.energy.waveform import record
from synth.flow.errors import FlowError
from tests.synth.compared import Compared
from tests.synth.hand import LONG, PERIOD, SETTLED, Hand

CYCLES = 40
# Two instances of a register behind a clock gate with an inverter behind it, as RTL. A cycle is two units of time.
RTL = """module one (input clk_i, input [1:0] d_i, output reg [1:0] q_o, output [1:0] n_o);
  initial q_o = 0;
  always @(posedge clk_i) q_o <= d_i;
  assign n_o = ~q_o;
endmodule
module top;
  reg clk = 0, en = 0; reg [3:0] d = 0; reg [7:0] seed = 77;
  reg gate = 0; always @* if (!clk) gate = en;
  wire gated = clk && gate;
  one u_a (.clk_i(gated), .d_i(d[1:0]), .q_o(), .n_o());
  one u_b (.clk_i(gated), .d_i(d[3:2]), .q_o(), .n_o());
  integer i;
  initial begin
    $dumpfile("rtl.fst"); $dumpvars(0, top);
    for (i = 0; i < 40; i = i + 1) begin
      clk = 1; #0 begin seed = {seed[6:0], seed[7] ^ seed[5] ^ seed[4] ^ seed[3]}; end
      #0 begin d <= seed[3:0]; en <= seed[6] | seed[5]; end
      #1 clk = 0; #1;
    end
    $finish;
  end
endmodule
"""
NAMES = {f"top_u_{one}_{port}": 2 for one in "ab" for port in ("d_i", "q_o", "n_o")}


@pytest.fixture
def bench() -> Compared:
    return Compared()


@pytest.fixture(scope="session")
def ports(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--ports").resolve()


@pytest.fixture(scope="session")
def waveform(folder: Path) -> Path:
    (folder / "rtl.v").write_text(RTL)
    for command in (["iverilog", "-o", "rtl.vvp", "rtl.v"], ["vvp", "-n", "rtl.vvp", "-fst"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "rtl.fst"


def circuit(hand: Hand, kind: str = "inv") -> Circuit:
    cells = {}
    for bit in (0, 1):
        cells[f"q{bit}"] = ("flop", {"C": 2, "D": 3 + bit, "Q": 5 + bit})
        cells[f"n{bit}"] = (kind if bit else "inv", {"A": 5 + bit, "Y": 7 + bit})
    ports = {
        "clk_i": {"direction": "input", "bits": [2]},
        "d_i": {"direction": "input", "bits": [3, 4]},
        "q_o": {"direction": "output", "bits": [5, 6]},
        "n_o": {"direction": "output", "bits": [7, 8]},
    }
    module = {
        "ports": ports,
        "cells": {
            name: {"type": kind, "connections": {pin: [bit] for pin, bit in pins.items()}}
            for name, (kind, pins) in cells.items()
        },
    }
    return Circuit(module, hand.library, PERIOD, gated=True)


def part() -> Part:
    return Part("one", Path(), "one", ("top_u_a", "top_u_b"), ("top_en", "top_en"))


def test_words(bench: Compared) -> None:
    """Changes of bits in any order, two of them in one cycle and word, one taken back."""
    cycle, word = np.array([3, 0, 2, 2, 3, 3]), np.array([1, 1, 0, 0, 1, 1])
    mask = np.array([1, 4, 1, 2, 8, 8], np.uint64)
    found = words_of(cycle, word, mask, 5).words(2)
    wanted = [[0, 4], [0, 4], [3, 4], [3, 5], [3, 5]]
    bench.check("values", found.tolist(), wanted)
    bench.check(
        "no change", words_of(cycle[:0], word[:0], mask[:0], 3).words(1).tolist(), [[0]] * 3
    )


def test_differences(bench: Compared) -> None:
    def made(*changes: tuple[int, int, int]) -> Changes:
        counts = np.bincount([cycle for cycle, _, _ in changes], minlength=6).astype(np.uint64)
        return Changes(counts, np.array([pair for _, *pair in changes], np.uint64))

    one = made((1, 0, 5), (4, 1, 7))

    def differ(
        *changes: tuple[int, int, int], start: int = 3, left: tuple[bool, ...] = (False, False)
    ) -> set[int]:
        return differences(one, made(*changes), start, np.array(left))

    bench.check("the same", differ((1, 0, 5), (4, 1, 7), start=0), set())
    bench.check("before the start", differ((2, 0, 5), (4, 1, 7)), set())
    bench.check("at the start", differ((2, 0, 4), (4, 1, 7)), {0})
    bench.check("a cycle late", differ((1, 0, 5), (5, 1, 7)), {1})
    bench.check("one more", differ((1, 0, 5), (4, 1, 7), (5, 0, 9)), {0})
    bench.check("one less", differ((1, 0, 5)), {1})
    bench.check("left out", differ((2, 0, 4), (4, 1, 7), left=[True, False]), set())


def test_reader(bench: Compared, ports: Path, waveform: Path) -> None:
    """Against a model of the RTL"""
    found = record(ports, waveform, {**NAMES, "top_en": 1}, CYCLES)
    seed, q, before = 77, [0, 0], (0, 0)
    for cycle in range(CYCLES):
        d, en = before
        if en and cycle:
            q = [d & 3, d >> 2]
        seed = (seed << 1 & 0xFF) | (seed >> 7 ^ seed >> 5 ^ seed >> 4 ^ seed >> 3) & 1
        before = seed & 15, (seed >> 6 | seed >> 5) & 1
        value = lambda name: sum(int(found.bit_level(name, i)[cycle]) << i for i in (0, 1))
        bench.check(f"{cycle}: enable", int(found.level("top_en")[cycle]), before[1])
        bench.check(f"{cycle}: data", value("top_u_b_d_i"), before[0] >> 2)
        bench.check(f"{cycle}: registers", [value("top_u_a_q_o"), value("top_u_b_q_o")], q)
    short = record(ports, waveform, NAMES, 7)
    bench.check("the first cycles alone", int(short.cycle.max()), 6)
    for wrong in ({"top_u_c_d_i": 2}, {"top_u_a_d_i": 3}):
        bench.raises(f"{wrong}", FlowError, lambda: record(ports, waveform, wrong, CYCLES))


def test_replay(bench: Compared, hand: Hand, ports: Path, waveform: Path) -> None:
    """The right netlist gives every output; one with another gate does not, unless nobody reads the port."""
    recording = record(ports, waveform, {**NAMES, "top_en": 1}, CYCLES)
    counted = np.arange(CYCLES) >= 4
    made = circuit(hand)
    for mode in (SETTLED, LONG):
        run = lambda one, *more: replay(
            part(), one, recording, counted, 4, hand.toggles, hand.folder, mode, *more
        )
        found = run(made)
        flips = [recording.bit_level(f"top_u_{one}_q_o", bit) for one in "ab" for bit in (0, 1)]
        wanted = sum(np.abs(np.diff(level))[3:].sum() for level in flips)
        total = 2 * found.activity.cycles * sum(found.activity.per_cycle[bit] for bit in (5, 6))
        bench.near(f"{mode.name}: transitions of both instances", round(total, 6), wanted)
        often = recording.level("top_en")[counted].mean()
        bench.near(f"{mode.name}: the enable", found.activity.ones[ENABLE], often)
        bench.check(f"{mode.name}: outputs were compared", found.compared > 20)
        wrong = circuit(hand, "slow")
        bench.raises(f"{mode.name}: another gate", FlowError, lambda: run(wrong))
        bench.check("a port that may differ", run(wrong, frozenset({"n_o"})).compared > 20)
