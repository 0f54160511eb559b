# SPDX-License-Identifier: Apache-2.0
"""The page energy.md and its caveats."""

from __future__ import annotations

from dataclasses import asdict

from ..study.tables import number, table
from .circuit import MODES
from .measure import Measured
from .power import PARTS

Pair = tuple[Measured, Measured]

CAVEATS = """**Indicative.** Good for comparing the two sides of a line, not for a budget.

- There are no wires: the load of a net is the pins that it drives. There is no clock tree: the clock drives the clock
  pins of the flip-flops in every cycle, without gating. There is no leakage. The library is {library}, an old one, at
  {volts:g} V and one corner.
- Transitions are counted in three ways. *Settled*: a net counts once a cycle if its value changes from one cycle to the
  next. That leaves out glitches, so it is a lower bound. *Long glitches*: changes travel with each cell's mean delay
  from the Liberty tables, and a cell stops a pulse that is shorter than its delay. *Shorter ones too*: a cell stops a
  pulse that is shorter than half its delay. Silicon can lie between the last two counts, or beyond them.
- Netlists were made for area at {period:g} ns, not for energy, on both sides. The energy of a cycle is the same at any
  slower clock.
- Elements are measured alone. Operands come decoded (FP8) or recoded (INT8); the operand feeds are listed below.
  Memories, operand distribution and read-out are left out. A fixed-point element leaves normalisation and rounding to
  its read-out, as INT8 does.
- Every MAC counts, also those with a zero operand.
- OpenSTA's report_power is not used. Version 2.0.17 reads no activity files and ignores activities that are set on the
  outputs of adder cells. It adds the internal power of rise and fall for every single transition.
"""

METHOD = """## Method

The netlists of `area.json` are simulated, 64 copies at a time: the elements of an 8 x 8 array. Netlists of the operand
feeds drive them in the order of the array: 2 x 2 banks in a snake, LANES consecutive k a step, output after output.
Every result is compared with the product of the operands' values: INT8 must be equal, FP8 within the accumulator's
precision. The transitions of every net are counted.

    energy = 0.5 C V^2 a transition of a net  +  internal_power of the cells, mean of rise and fall, at load and slew
           + flip-flops' clock pins: C V^2 and internal_power, every cycle

Data: FP8 is e4m3fn as the digits application quantises it (weights per output row, activations per tensor). INT8 is
symmetric, round to nearest even of x * 127 / amax with the same granularity. N(0,1): one amax a tensor on both sides.
"""


def main_table(pairs: list[Pair]) -> str:
    lines = [
        [
            f"`{m.record['name']}`",
            *(number(x.per_mac(mode.name), 2) for mode in MODES for x in (m, baseline)),
            *(number(m.per_mac(mode.name) / baseline.per_mac(mode.name), 2) for mode in MODES),
            number(m.record["ratio"], 2),
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
        seen.setdefault(baseline.record["name"], baseline)
        seen[m.record["name"]] = m
    lines = []
    for name, m in seen.items():
        for mode in MODES:
            parts = asdict(m.energy[mode.name])
            lines.append(
                [
                    f"`{name}`",
                    mode.title,
                    *(number(parts[part] / m.record["lanes"], 2) for part in PARTS),
                    number(m.per_mac(mode.name), 2),
                ]
            )
    return table(["element", "counted", *PARTS, "sum"], lines)


def feeds_table(pairs: list[Pair]) -> str:
    lines = []
    for m, baseline in pairs:
        ratio = (m.per_mac("settled") + m.feed_per_mac) / (
            baseline.per_mac("settled") + baseline.feed_per_mac
        )
        lines.append(
            [
                f"`{m.record['name']}`",
                number(m.feed_per_mac, 2),
                number(baseline.feed_per_mac, 2),
                number(ratio, 2),
            ]
        )
    return table(["element", "FP8 feeds", "INT8 feeds", "ratio with feeds, settled"], lines)


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
        "## Parts\n",
        f"pJ a MAC, {first[0][0].data.title}. *Registers* is the internal energy "
        "of flip-flops at data pins and outputs. *Inputs* is the energy of driving the element's input pins.\n",
        parts_table(first),
        "## Operand feeds\n",
        "An element's share of the feeds of its row and its column in an 8 x 8 array, pJ a MAC, "
        f"settled, {first[0][0].data.title}. The feeds are mapped for area, not sized for the clock.\n",
        feeds_table(first),
        METHOD,
    ]
    return "\n".join(parts)
