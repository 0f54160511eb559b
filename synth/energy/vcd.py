# SPDX-License-Identifier: Apache-2.0
"""The same transitions counted by Icarus Verilog: a check of toggles.cpp by a program that shares no code with it.

The netlist is written as Verilog with a delay for each net: a continuous assignment is inertial, as a gate is in
toggles.cpp. Icarus writes a VCD, whose changes are counted. Without glitches there are no delays, and a VCD has one
change of a net at a time.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..flow.errors import FlowError
from ..flow.functions import verilog
from .circuit import SKIPPED, SLOWER, Circuit

Counts = dict[int | str, int]


class Bench:
    """A netlist, its delays and its stimulus as one module"""

    def __init__(self, circuit: Circuit, timed: bool):
        self.circuit, self.timed = circuit, timed
        self.period = SLOWER * circuit.ticks
        self.bits = [bit for bits in circuit.ports("input").values() for bit in bits]

    def net(self, bit: int | str) -> str:
        return f"1'b{bit}" if bit in ("0", "1") else f"n{self.circuit.number[bit]}"

    def delay(self, ticks: int) -> str:
        return f"#{ticks} " if self.timed else ""

    def lines(self, cycles: int) -> Iterator[str]:
        circuit = self.circuit
        registers = {
            circuit.graph.pins[name].get(circuit.graph.register.output) for name in circuit.flops
        }
        yield "`timescale 1ns/1ns\nmodule bench;\n  reg clock = 0;"
        yield f"  reg [{len(self.bits) - 1}:0] stimulus [0:{cycles - 1}];\n  integer cycle = 0;"
        for bit, number in circuit.number.items():
            if bit not in ("0", "1"):
                held = bit in registers or bit in set(self.bits)
                yield f"  {'reg' if held else 'wire'} n{number}{' = 0' if held else ''};"
        yield from self.gates()
        yield "  always @(posedge clock) begin"
        yield from self.registers()
        for i, bit in enumerate(self.bits):
            yield f"    {self.net(bit)} <= {self.delay(circuit.input_ticks(bit))}stimulus[cycle][{i}];"
        yield "    cycle = cycle + 1;\n  end"
        yield '  initial begin\n    $readmemb("stimulus.txt", stimulus);\n    $dumpfile("bench.vcd");\n    $dumpvars(1, bench);'
        yield f"    repeat ({cycles}) begin #{self.period // 2} clock = 1; #{self.period - self.period // 2} clock = 0; end"
        yield "    $finish;\n  end\nendmodule"

    def gates(self) -> Iterator[str]:
        circuit, graph = self.circuit, self.circuit.graph
        for name in circuit.order:
            kind, pins = graph.kind[name], graph.pins[name]
            for out in graph.models[kind].outputs:
                if out not in pins:
                    continue
                its = ", ".join(self.net(pins[pin]) for pin in graph.models[kind].inputs)
                function = f"f_{kind}_{out}({its})"
                yield f"  assign {self.delay(circuit.ticks_of(name, out))}{self.net(pins[out])} = {function};"
        for kind in {graph.kind[name] for name in circuit.order}:
            yield from self.functions(kind)

    def functions(self, kind: str) -> Iterator[str]:
        cell, model = self.circuit.library.cells[kind], self.circuit.graph.models[kind]
        for out in model.outputs:
            its = ", ".join(f"input {pin}" for pin in model.inputs)
            yield f"  function f_{kind}_{out}({its}); f_{kind}_{out} = {verilog(cell.pins[out].function)}; endfunction"

    def registers(self) -> Iterator[str]:
        circuit, register = self.circuit, self.circuit.graph.register
        for name in circuit.flops:
            pins = circuit.graph.pins[name]
            if register.output in pins:
                value = ("~" if register.inverted else "") + self.net(pins[register.data])
                if circuit.enable(name) != "1":
                    held = self.net(pins[register.output])
                    value = f"{self.net(circuit.enable(name))} ? {value} : {held}"
                delay = self.delay(circuit.ticks_of(name, register.output))
                yield f"    {self.net(pins[register.output])} <= {delay}{value};"


def count(circuit: Circuit, folder: Path, inputs: dict[str, np.ndarray], timed: bool) -> Counts:
    """Transitions of each net in all cycles but the first SKIPPED. `inputs`: by port, [cycle, bit]"""
    bench, folder = Bench(circuit, timed), folder / "vcd"
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.concatenate([inputs[name] for name in circuit.ports("input")], axis=1)[:, ::-1]
    (folder / "stimulus.txt").write_text("".join("".join(map(str, row)) + "\n" for row in rows))
    (folder / "bench.v").write_text("\n".join(bench.lines(len(rows))) + "\n")
    for command in (
        ["iverilog", "-g2005", "-o", "bench.vvp", "bench.v"],
        ["vvp", "-n", "bench.vvp"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise FlowError(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[:500]}")
    # A cycle begins with the clock's edge.
    start = SKIPPED * bench.period + bench.period // 2
    changes = changes_of(folder / "bench.vcd", start)
    return {
        bit: changes.get(f"n{number}", 0)
        for bit, number in circuit.number.items()
        if bit not in ("0", "1", *circuit.enables)
    }


def changes_of(path: Path, start: int) -> dict[str, int]:
    """Changes of each net of one bit from a time on"""
    names: dict[str, str] = {}
    found: dict[str, int] = {}
    value: dict[str, str] = {}
    time = 0
    with path.open() as lines:
        for line in lines:
            if line.startswith("$var"):
                words = line.split()
                if words[2] == "1":
                    names[words[3]] = words[4]
            elif line[0] == "#":
                time = int(line[1:])
            elif line[0] in "01xz" and line[1:].strip() in names:
                name = line[1:].strip()
                if time >= start and value.get(name, line[0]) != line[0]:
                    found[names[name]] = found.get(names[name], 0) + 1
                value[name] = line[0]
    return found
