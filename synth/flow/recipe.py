# SPDX-License-Identifier: Apache-2.0
"""The recipe: the only place that says which Yosys and ABC commands run. FP8 and INT8 have the same.

A run has four parts. The front reads the design and simplifies it to single-bit cells. It knows neither the clock period
nor the library, so every variant shares it. The back maps to the library's cells, without buffers. Then fit.py buffers
and sizes the paths that miss the clock. The finish writes the netlist.

Variants differ by an effort and by a seed. The effort says how hard ABC works for the clock. The seed gives another
order of the same cells: ABC then breaks ties differently, which shows the noise of synthesis.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .liberty import Adder, Library
from .sta import CLOCK, GATED

SEEDS = (1, 2, 3, 4, 5)  # until three of them meet the clock
HOPELESS = (
    0.02  # part of the period: an effort that misses by more with its first seed is not tried again
)

# Leaf modules that become adder cells of the library. If the library has none, they become their bodies.
FULL_ADDER, HALF_ADDER = "fp8mac_full_adder", "fp8mac_half_adder"
ADDERS = {
    FULL_ADDER: (("a_i", "b_i", "c_i"), "a_i ^ b_i ^ c_i", "(a_i & b_i) | (c_i & (a_i ^ b_i))"),
    HALF_ADDER: (("a_i", "b_i"), "a_i ^ b_i", "a_i & b_i"),
}

# Leaf modules of one output that become the library's cell of the same function.
GATES = {
    "fp8mac_mux_n": (
        ("a_i", "b_i", "select_i", "select_n_i"),
        "!((a_i & select_i) | (b_i & select_n_i))",
    ),
    "fp8mac_fill_n": (("a_i", "select_i", "hold_i"), "!((a_i | select_i) & hold_i)"),
}
GATE_OUTPUT = "y_n_o"

# A clock gate is a black box: the RTL's own, and those that gated() inserts, which are called INSERTED and a number.
CLOCK_GATE = "fp8mac_clock_gate"
ENABLE = "en_i"
INSERTED = "clock_gate_"
CLOCK_GATE_VERILOG = f"(* blackbox *) module {CLOCK_GATE} (input {CLOCK}, input {ENABLE}, output {GATED[1:]});\nendmodule\n"


@dataclass(frozen=True)
class Effort:
    """How hard ABC works for the clock. {target} in `abc` is the time of a path between two registers, in ps."""

    name: str
    abc: tuple[str, ...]

    @property
    def knows_period(self) -> bool:
        """Whether its mapping depends on the clock. If not, only the repairs do."""
        return any("{target}" in command for command in self.abc)


# ABC neither buffers nor sizes. Afterwards fit.py does that on the paths that miss the clock in the whole netlist.
_CLEAN = ("strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2")
_SMALL = ("dc2", "dc2")  # fewer nodes
_LEVEL = ("if -g", "strash")  # fewer levels

# From the least area to the most speed. Of those that do not know the period, a point uses the smallest that meets its
# clock; the others are tried after them, in this order.
EFFORTS = (
    Effort("area", (*_CLEAN, *_SMALL, "dch", "amap -m")),
    Effort("balanced", (*_CLEAN, "dch -f", "amap -m")),
    Effort("level", (*_CLEAN, *_LEVEL, "dch -f", "amap -m")),
    Effort("level2", (*_CLEAN, *_LEVEL, *_LEVEL, "dch -f", "amap -m")),
    Effort("map", (*_CLEAN, *_LEVEL, *_LEVEL, "dch -f", "map -B 0.9 -D {target}")),
    Effort(
        "speed", (*_CLEAN, "&get -n", "&st", "&if -g -K 6", "&dch -f", "&nf -D {target}", "&put")
    ),
)

FIT_MARGIN = 0.2  # FO4 delays: fit.py sees nearly the slack that OpenSTA sees

SOURCE_LINE = re.compile(r"^ *attribute \\src [^\n]*\n", re.M)
NUMBER = re.compile(r"\$(\d+)(?!\d)")  # in the names that Yosys gives
AUTOIDX = re.compile(r"^autoidx \d+$", re.M)  # the next one

# Parts of a module's text that may stand in any order among their like
PARTS = {
    "wire": r"(?:^  attribute [^\n]*\n)*^  wire [^\n]*\n",
    "cell": r"(?:^  attribute [^\n]*\n)*^  cell [^\n]*\n.*?^  end\n",
}
RUNS = {kind: re.compile(f"(?:{part})+", re.M | re.S) for kind, part in PARTS.items()}


def simple_ports(rtlil: str) -> str:
    """The design with port names that OpenSTA reads. A black box leaves ports that are named after its place."""
    ports = re.findall(r"^  wire (?:width \d+ )?(?:input|output) \d+ (\\\S+)$", rtlil, re.M)
    names = {port: "\\" + re.sub(r"\W", "_", port[1:]) for port in ports}
    if len(set(names.values())) != len(names):
        raise ValueError("two ports would have one name")
    return re.sub(r"\\\S+", lambda word: names.get(word[0], word[0]), rtlil)


def plain(rtlil: str) -> str:
    """The design without text that its logic does not depend on: source lines, gaps in Yosys's running numbers, and the
    order of wires and cells. Sources that describe the same logic in other words often give the same text."""
    text = SOURCE_LINE.sub("", rtlil)
    numbers = sorted({int(number) for number in NUMBER.findall(text)})
    rank = {str(number): f"${place}" for place, number in enumerate(numbers, 1)}
    text = NUMBER.sub(lambda found: rank[found[1]], text)
    text = AUTOIDX.sub(f"autoidx {len(numbers) + 1}", text)
    return _arranged(
        text, lambda parts, kind: sorted(parts, key=lambda part: part[part.index(f"  {kind} ") :])
    )


def shuffle(rtlil: str, seed: int) -> str:
    """The same design with its wires and cells in another order. Seed 0 keeps the order."""
    draw = random.Random(seed)
    return rtlil if seed == 0 else _arranged(rtlil, lambda parts, _: draw.sample(parts, len(parts)))


def _arranged(rtlil: str, order: Callable[[list[str], str], list[str]]) -> str:
    for kind, part in PARTS.items():
        rtlil = RUNS[kind].sub(
            lambda run: "".join(order(re.findall(part, run[0], re.M | re.S), kind)), rtlil
        )
    return rtlil


def leaves_verilog(library: Library) -> str:
    """Techmap rules of the leaves. A leaf with a constant input is left to ABC, which makes it smaller."""
    rules = []
    for module, (inputs, total, carry) in ADDERS.items():
        cell = library.adder(len(inputs))
        instance = "" if cell is None else _adder(cell, inputs)
        rules.append(_rule(module, inputs, ("sum_o", "carry_o"), (total, carry), instance))
    for module, (inputs, function) in GATES.items():
        gate = library.gate(inputs, function)
        instance = (
            ""
            if gate is None
            else f"{gate.cell} leaf ({_pins(gate.pins)}, .{gate.output}({GATE_OUTPUT}));"
        )
        rules.append(_rule(module, inputs, (GATE_OUTPUT,), (function,), instance))
    return "\n".join(rules)


def _adder(cell: Adder, inputs: Sequence[str]) -> str:
    """An instance of an adder cell. ABC merges the inverters behind inverted outputs into the logic that follows."""
    ends = {"sum_o": cell.sum, "carry_o": cell.carry}
    wires = {port: f"{port[:-2]}_n" for port, pin in ends.items() if pin in cell.inverted}
    outputs = _pins((pin, wires.get(port, port)) for port, pin in ends.items())
    return "\n  ".join(
        (
            *(f"wire {wire};" for wire in wires.values()),
            f"{cell.cell} leaf ({_pins(zip(cell.inputs, inputs))}, {outputs});",
            *(f"assign {port} = ~{wire};" for port, wire in wires.items()),
        )
    )


def _pins(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f".{pin}({port})" for pin, port in pairs)


def _rule(
    module: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    functions: Sequence[str],
    instance: str,
) -> str:
    body = "\n  ".join(f"assign {out} = {function};" for out, function in zip(outputs, functions))
    if instance:
        constant = " || ".join(f"_TECHMAP_CONSTMSK_{port}_ != 0" for port in inputs)
        masks = "\n  ".join(f"parameter _TECHMAP_CONSTMSK_{port}_ = 0;" for port in inputs)
        body = f"{masks}\n  if ({constant}) begin\n  {body}\n  end else begin\n  {instance}\n  end"
    return f"module {module} (input {', '.join(inputs)}, output {', '.join(outputs)});\n  {body}\nendmodule\n"


def read(
    top: str,
    parameters: dict[str, int],
    sources: Sequence[str],
    black_boxes: Sequence[str] = (),
    hierarchy: bool = False,
) -> str:
    """The line of a Yosys script that reads sources. With `hierarchy` every module stays apart, for the breakdown."""
    slang = ["read_slang --threads 1 --ignore-assertions", f"--top {top}"]
    slang += [f"-G {name}={value}" for name, value in parameters.items()]
    slang += [f"--blackboxed-module {name}" for name in (*black_boxes, *ADDERS, *GATES)]
    slang += ["--best-effort-hierarchy"] if hierarchy else []
    return " ".join((*slang, *sources))


def instances(reads: str) -> str:
    """Yosys script from sources to instances.il, as they were read, and to instances.json, for boxes.py."""
    return "\n".join(
        (reads, "write_rtlil instances.il", "proc", "opt_clean", "write_json instances.json", "")
    )


def gated(least: int) -> list[str]:
    """Lines that put a clock gate before flip-flops that have the same enable, if there are at least so many. Those of a
    clock that has a gate already keep that one alone."""
    fine = "$_DFFE_PP_"
    return [
        f"dfflegalize -cell $_DFF_P_ x -cell {fine} x -mince {least}",
        f"select -set free w:{CLOCK} %co1:+{fine}[C] t:{fine} %i",
        f"dfflegalize -cell $_DFF_P_ x t:{fine} @free %d",
        "read_verilog -lib -overwrite clock_gate.v",
        f"clockgate -pos {CLOCK_GATE} {ENABLE}:{CLOCK}:{GATED[1:]}",
        f"rename -enumerate -pattern {INSERTED}% t:{CLOCK_GATE}",
        f"expose -evert t:{CLOCK_GATE}",
        f"delete -port o:*.{CLOCK}",
        "opt -nodffe -nosdff -fast",
    ]


def front(top: str, reads: str, black_boxes: Sequence[str] = (), least: int = 0) -> str:
    """Yosys script from `reads`, a line that reads the design, to read.il and front.il. A black box, whose modules
    boxes.uniquify() has numbered, goes: what it is connected to become ports, so that a flip-flop stands behind each of
    its pins. `least` is that of gated(); without it no clock gate is inserted."""
    left_out = [
        f"expose -evert {' '.join(f't:{name}__*' for name in black_boxes)}",
        f"delete -port o:*.{CLOCK}",
    ]
    opt = "opt -nosdff" if least else "opt -nodffe -nosdff"
    return "\n".join(
        (
            reads,
            f"hierarchy -check -top {top}",
            "write_rtlil read.il",
            *(left_out if black_boxes else ()),
            "proc",
            "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
            "opt_expr",
            "opt_clean",
            "check -assert",
            opt,
            "wreduce",
            "peepopt",
            "opt_clean",
            "booth",
            "alumacc",
            "share",
            opt,
            "memory -nomap",
            "opt_clean",
            f"{opt} -fast -full",
            "memory_map",
            f"{opt} -undriven -fine",
            "techmap",
            f"{opt} -fast",
            *(gated(least) if least else ()),
            "write_rtlil front.il",
            "",
        )
    )


def back(library: Library) -> str:
    """Yosys script from front.il to mapped.json; ABC's own script is abc.txt. library.lib has only cells that may be
    used."""
    other = "".join(f" -dont_use {name}" for name in library.other_flip_flops())
    return "\n".join(
        (
            "read_rtlil front.il",
            "techmap -map leaves.v " + " ".join(f"t:{name}" for name in (*ADDERS, *GATES)),
            "simplemap",
            f"dfflibmap -liberty library.lib{other}",
            "opt -nodffe -nosdff",
            "abc -liberty library.lib -script abc.txt",
            "opt_clean -purge",
            "splitnets",
            "opt_clean -purge",
            "write_json mapped.json",
            "",
        )
    )


def finish() -> str:
    """Yosys script from fitted.json, the repaired netlist, to the files that are measured, timed and simulated."""
    return "\n".join(
        (
            "read_json fitted.json",
            "splitnets",
            "opt_clean -purge",
            "tee -q -o stat.json stat -json -liberty library.lib",
            "write_json netlist.json",
            "write_verilog -noattr -noexpr -nohex netlist.v",
            "",
        )
    )


def abc(effort: Effort, library: Library, period_ns: float) -> str:
    """ABC's script."""
    register = library.flip_flop()
    target = 1000 * (period_ns - register.clock_to_output - register.setup)
    return "\n".join(effort.abc).format(target=max(1, round(target))) + "\n"
