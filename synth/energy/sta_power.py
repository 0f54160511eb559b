# SPDX-License-Identifier: Apache-2.0
"""The same energy in OpenSTA's report_power, with the activity of every pin set: a check of loads, wires, slews, tables and
units by a program that shares no code with this one.

Debian's version 2.0.17 reads no activity files, and the figures that are quoted cannot be its own:
- `set_power_activity -pins` fails, and what is set on a pin is overwritten by estimates that start at inputs and at
  constants. So the netlist is written without either: flip-flops take their place, and the clock is the only input.
- A transition of an output counts the energy of rise and of fall, and that of every input with tables, whichever of
  them changed. Later versions take the mean, and weigh inputs as power_tables.py does.

So what is compared is the power of switching, and by the version's own rule the internal power of the cells for which the
rule is short: those with one input, and flip-flops. Leakage is OpenSTA's alone.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path

from ..flow import functions, sta
from ..flow.errors import FlowError
from ..flow.liberty import original_names
from ..study import wires
from .circuit import Activity, Circuit
from .power_tables import EnergyTable, Tables

TOP = "energy"
CORNER = "[sta::cmd_corner]"


@dataclass(frozen=True)
class Power:
    """pJ a cycle: OpenSTA's, and what it should be by its rules."""

    switching: float
    wanted_switching: float
    internal: float  # of cells with one input, and of flip-flops
    wanted_internal: float
    all_internal: float  # OpenSTA's, of all cells
    leakage: float

    def judge(self) -> None:
        """The two programs must agree."""
        for name, most in (("switching", 0.001), ("internal", 0.005)):
            found, wanted = getattr(self, name), getattr(self, f"wanted_{name}")
            if not abs(found - wanted) <= most * wanted:
                raise FlowError(f"OpenSTA's {name} power is {found:g} pJ a cycle, not {wanted:g}")


def simple(circuit: Circuit, name: str) -> bool:
    """A cell whose outputs have one cause"""
    cell = circuit.library.cells[circuit.graph.kind[name]]
    return cell.is_flip_flop or len(cell.inputs()) == 1


class Wrapped:
    """A netlist with the clock as its only port"""

    def __init__(self, circuit: Circuit):
        self.circuit, self.register = circuit, circuit.graph.register
        self.cell = circuit.library.cells[self.register.cell]
        self.instance = {name: f"c{i}" for i, name in enumerate(circuit.graph.kind)}

    def net(self, bit: int | str) -> str:
        return "clk_i" if bit in self.circuit.enables else f"n{self.circuit.number[bit]}"

    def flop(self, name: str, data: str, output: str) -> str:
        pins = {
            self.register.data: data,
            self.register.clock: "clk_i",
            self.register.output: output,
        }
        for pin in self.cell.inputs():
            pins.setdefault(pin, "n1")
        joined = ", ".join(f".{pin}({net})" for pin, net in pins.items() if net)
        return f"  {self.cell.name} {name} ({joined});"

    def pin_net(self, name: str, pin: str) -> str:
        """A pin's net. Each constant pin has one of its own, so that no edge is slow."""
        bit = self.circuit.graph.pins[name][pin]
        return f"k_{self.instance[name]}_{pin}" if bit in ("0", "1") else self.net(bit)

    def verilog(self) -> str:
        graph = self.circuit.graph
        lines = [f"module {TOP} (clk_i);", "  input clk_i;"]
        lines += [f"  wire n{number};" for number in range(len(self.circuit.number))]
        for name, kind in graph.kind.items():
            nets = {pin: self.pin_net(name, pin) for pin in graph.pins[name]}
            joined = ", ".join(f".{pin}({net})" for pin, net in nets.items())
            lines.append(f"  {kind} {self.instance[name]} ({joined});")
            lines += [
                f"  wire {net};\n{self.flop(f'f_{net}', 'n0', net)}"
                for net in nets.values()
                if net.startswith("k_")
            ]
        for bit in ("0", "1", *graph.inputs):
            lines.append(self.flop(f"i{self.circuit.number[bit]}", "n0", self.net(bit)))
        for bit, count in graph.port_loads.items():
            lines += [
                self.flop(f"o{self.circuit.number[bit]}_{i}", self.net(bit), "")
                for i in range(count)
            ]
        return "\n".join((*lines, "endmodule", ""))

    def activities(self, activity: Activity) -> str:
        """Tcl: of each pin transitions a cycle, and the part of time it is 1"""
        graph, lines = self.circuit.graph, []
        for name in graph.kind:
            lines += [
                f"a {self.instance[name]}/{pin} {activity.per_cycle[bit]:.6g} {activity.ones[bit]:.6g}"
                for pin, bit in graph.pins[name].items()
                if bit not in self.circuit.enables
            ]
        for bit in ("0", "1", *graph.inputs):
            lines.append(
                f"a i{self.circuit.number[bit]}/{self.register.output} "
                f"{activity.per_cycle[bit]:.6g} {activity.ones[bit]:.6g}"
            )
        return "\n".join(lines) + "\n"

    def script(self, factor: float) -> str:
        library, register = self.circuit.library, self.register
        reads = "\n".join(f"read_liberty {name}" for name in original_names(library))
        every = " ".join(
            f"{{{self.instance[name]} {int(simple(self.circuit, name))}}}"
            for name in self.circuit.graph.kind
        )
        return f"""{reads}
{sta.reading("stated.lib", wires.stated(library, factor))}read_verilog wrapped.v
link_design {TOP}
set_wire_load_mode top
set_wire_load_model -name stated -library stated_wires
set_cmd_units -time ns -capacitance pF
create_clock -name clock -period {self.circuit.period_ns:g} [get_ports clk_i]
set_input_transition {register.clock_slew:g} [get_ports clk_i]
proc a {{name activity duty}} {{ sta::set_power_pin_activity [get_pins $name] $activity $duty }}
source activity.tcl
set all {{0 0 0}}
set simple 0
foreach one {{{every}}} {{
  set power [sta::instance_power [get_cells [lindex $one 0]] {CORNER}]
  set all [list [expr {{[lindex $all 0] + [lindex $power 0]}}] [expr {{[lindex $all 1] + [lindex $power 1]}}] \\
    [expr {{[lindex $all 2] + [lindex $power 2]}}]]
  if {{[lindex $one 1]}} {{ set simple [expr {{$simple + [lindex $power 0]}}] }}
}}
puts "POWER $all $simple"
"""


def run(
    circuit: Circuit,
    activity: Activity,
    tables: Tables,
    folder: Path,
    factor: float = 1.0,
    command: str = "sta",
) -> Power:
    """`factor` is that of the circuit's wires."""
    wrapped = Wrapped(circuit)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "wrapped.v": wrapped.verilog(),
        "activity.tcl": wrapped.activities(activity),
        "sta.tcl": wrapped.script(factor),
        **circuit.library.originals(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    log = folder / "sta.log"
    sta.run_script(log, command)
    for name in circuit.library.originals():
        (folder / name).unlink()
    text = log.read_text()
    words = [line.split()[1:] for line in text.splitlines() if line.startswith("POWER ")]
    if not words or "Error: " in text:
        raise FlowError("OpenSTA reports no power", log)
    pj = 1e3 * circuit.period_ns
    internal, switching, leakage, of_simple = (float(word) * pj for word in words[0])
    return Power(
        switching,
        _switching(circuit, activity, tables.volts),
        of_simple,
        _internal(circuit, activity, tables),
        internal,
        leakage,
    )


def _switching(circuit: Circuit, activity: Activity, volts: float) -> float:
    inside = set(circuit.number) - {"0", "1", *circuit.enables} - set(circuit.graph.inputs)
    return 0.5 * volts**2 * sum(circuit.load(bit) * activity.per_cycle[bit] for bit in inside)


def _internal(circuit: Circuit, activity: Activity, tables: Tables) -> float:
    """By the rules of 2.0.17"""
    return sum(
        _pin_internal(circuit, activity, tables, name, pin)
        for name in circuit.graph.kind
        if simple(circuit, name)
        for pin in circuit.graph.pins[name]
    )


def _pin_internal(
    circuit: Circuit, activity: Activity, tables: Tables, name: str, pin: str
) -> float:
    """Every group of tables counts with rise and fall: as often as `when` holds, or as likely as its cause is. That is 1 for
    the clock and for the input of a gate, else one half."""
    cell, nets = circuit.library.cells[circuit.graph.kind[name]], circuit.graph.pins[name]
    its_clock = cell.clock if cell.is_flip_flop else ""
    clock_slew = circuit.graph.register.clock_slew
    ones = {one: 0.5 if one == its_clock else activity.ones[net] for one, net in nets.items()}
    load = circuit.load(nets[pin]) if pin in cell.outputs() else 0.0
    energy = 0.0
    for group in tables.groups(cell, pin):
        when = group.attributes.get("when")
        for related in group.attributes.get("related_pin", pin).split():
            sure = related == its_clock or (pin in cell.outputs() and not cell.is_flip_flop)
            likely = probability(when, ones) if when else 1.0 if sure else 0.5
            slews = (clock_slew,) * 2 if related == its_clock else circuit.slew(nets[related])
            for edge in group.groups:
                if edge.kind in ("rise_power", "fall_power"):
                    slew = slews[edge.kind == "fall_power"]
                    energy += likely * EnergyTable(edge, circuit.library)(load, slew)
    return energy * (2.0 if pin == its_clock else activity.per_cycle[nets[pin]])


def probability(function: str, ones: dict[str, float]) -> float:
    """Of a function whose variables are independent"""
    names, holds = sorted(functions.names(function)), functions.evaluator(function)
    total = 0.0
    for row in itertools.product((False, True), repeat=len(names)):
        values = dict(zip(names, row))
        if holds(values):
            total += math.prod(
                ones.get(name, 0.0) if value else 1 - ones.get(name, 0.0)
                for name, value in values.items()
            )
    return total
