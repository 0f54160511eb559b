# SPDX-License-Identifier: Apache-2.0
"""energy.md."""

from __future__ import annotations

from dataclasses import asdict

from flow.report import number, table

from .circuit import MODES
from .power import PARTS
from .study import Measured

Pair = tuple[Measured, Measured]

CAVEATS = """**Indicative.** Good for comparing the two sides of a line, not for a budget.

- No wires: a net weighs the pins that it drives. No clock tree: the clock weighs the flip-flops' clock pins, every
  cycle, without gating. No leakage. One old library, {library}, {volts:g} V, one corner.
- Three ways to count. *Settled*: a net counts once a cycle if it ends elsewhere than it began: no glitches, a lower
  bound, which favours whatever glitches most. *Long glitches*: changes travel with each cell's mean delay from the
  Liberty tables at its load, all inputs change at a clock edge, and a pulse shorter than a cell's delay does not pass
  it. *Shorter ones too*: half the delay is enough. Cells' inputs, rise and fall have one delay, wires have none: the
  two say how far the figure hangs on glitches, not where between them, or beyond, silicon would be.
- Netlists were made for area at {period:g} ns, not for energy, on both sides. Energy a cycle is the same at any slower
  clock.
- Elements alone: operands come decoded (FP8) and recoded (INT8), see the edges below; memories, operand distribution
  and read-out are not in it. A fixed-point element leaves normalisation and rounding to its read-out, as INT8 does.
- Every MAC counts, those with a zero operand too.
- OpenSTA's report_power is not used: version 2.0.17 reads no activity files, does not honour what is set on the outputs
  of adder cells, and adds internal power of rise and fall for every single transition.
"""

METHOD = """## Method

The netlists of `area.json` are simulated, 64 copies at a time: the elements of an 8 x 8 array, driven by netlists of
its edges, in the order of the array (2 x 2 banks in a snake, LANES consecutive k a step, output after output). Every
result is compared with the product of the operands' values (INT8: equal; FP8: within the accumulator's precision); the
transitions of every net are counted.

    energy = 0.5 C V^2 a transition of a net  +  internal_power of the cells, mean of rise and fall, at load and slew
           + flip-flops' clock pins: C V^2 and internal_power, every cycle

Data: FP8 is e4m3fn as the digits application quantises it (weights per output row, activations per tensor). INT8 is
symmetric, round to nearest even of x * 127 / amax with the same granularity. N(0,1): one amax a tensor on both sides.
"""


def main_table(pairs: list[Pair]) -> str:
    lines = [
        [
            f"`{m.row['name']}`",
            *(number(x.per_mac(mode.name), 2) for mode in MODES for x in (m, baseline)),
            *(number(m.per_mac(mode.name) / baseline.per_mac(mode.name), 2) for mode in MODES),
            number(m.row["ratio"], 2),
        ]
        for m, baseline in pairs
    ]
    return table(
        [
            "element",
            *(f"{who}, {mode.title}" for mode in MODES for who in ("FP8", "INT8")),
            *(f"ratio, {mode.title}" for mode in MODES),
            "ratio of areas",
        ],
        lines,
    )


def parts_table(pairs: list[Pair]) -> str:
    seen: dict[str, Measured] = {}
    for m, baseline in pairs:
        seen.setdefault(baseline.row["name"], baseline)
        seen[m.row["name"]] = m
    lines = []
    for name, m in seen.items():
        for mode in MODES:
            parts = asdict(m.energy[mode.name])
            lines.append(
                [
                    f"`{name}`",
                    mode.title,
                    *(number(parts[part] / m.row["lanes"], 2) for part in PARTS),
                    number(m.per_mac(mode.name), 2),
                ]
            )
    return table(["element", "counted", *PARTS, "sum"], lines)


def edges_table(pairs: list[Pair]) -> str:
    lines = []
    for m, baseline in pairs:
        ratio = (m.per_mac("settled") + m.edge_per_mac) / (
            baseline.per_mac("settled") + baseline.edge_per_mac
        )
        lines.append(
            [
                f"`{m.row['name']}`",
                number(m.edge_per_mac, 2),
                number(baseline.edge_per_mac, 2),
                number(ratio, 2),
            ]
        )
    return table(["element", "FP8 edges", "INT8 edges", "ratio with edges, settled"], lines)


def page(pairs: list[Pair], library: str, volts: float, period_ns: float) -> str:
    parts = [
        "# Energy of a MAC: FP8 elements beside their INT8 baselines\n",
        CAVEATS.format(library=library, volts=volts, period=period_ns),
    ]
    names = list(dict.fromkeys(m.data.name for m, _ in pairs))
    for name in names:
        mine = [pair for pair in pairs if pair[0].data.name == name]
        parts += [f"## {mine[0][0].data.title}\n", "pJ a MAC.\n", main_table(mine)]
    first = [pair for pair in pairs if pair[0].data.name == names[0]]
    parts += [
        "## Where it goes\n",
        f"pJ a MAC, {first[0][0].data.title}. *Registers* is the flip-flops' internal "
        "energy at data pins and outputs, *inputs* what drives the element's own pins.\n",
        parts_table(first),
        "## Edges\n",
        "An element's share of its row's and its column's edge in an 8 x 8 array, pJ a MAC, "
        f"settled, {first[0][0].data.title}. The edges are mapped for area, not sized for the clock.\n",
        edges_table(first),
        METHOD,
    ]
    return "\n".join(parts)
