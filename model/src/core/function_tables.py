#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of exp2, reciprocal, reciprocal square root and tanh, as model/NUMERICS.md defines them.

    python3 model/src/core/function_tables.py > model/src/core/function_tables.c
    python3 model/src/core/function_tables.py --text
    python3 model/src/core/function_tables.py --rtl

The second command prints every entry as an integer with its unit, for those who build the tables in hardware. The third
writes the tables of the project's own hardware, rtl/epilogue/fp8mac_*_table.sv. All numbers are computed in decimal arithmetic of 60 digits, so no mathematical library decides a bit.
"""

import itertools
import struct
import sys
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from pathlib import Path

getcontext().prec = 60
LN2 = Decimal(2).ln()
SEARCH = 40  # candidates on each side


def power(x):
    return (x * LN2).exp()


def rounded(x, bits):
    """x in units of 2^-bits, to the nearest integer."""
    return int((x * 2**bits).to_integral_value(ROUND_HALF_EVEN))


# ---- exp2: 2^-(i/32), and near 2^-(j/1024) a line ------------------------------------------------
def exp2_coarse():
    return [rounded(power(-Decimal(i) / 32), 24) for i in range(32)]


def exp2_line():
    """(value, slope) for each j. Value 0 is 1, so that 2^n is exact; the others halve the line's error."""
    width = Decimal(1) / 1024
    chord = (1 - power(-width)) / width
    lower = 1 - LN2 * LN2 * width * width / 16
    at = [power(-width * j) for j in range(32)]
    values = [rounded(x * lower if j else x, 24) for j, x in enumerate(at)]
    return values, [rounded(x * chord, 14) for x in at]


# ---- lines that begin Newton's iteration ---------------------------------------------------------
def best(first, second, bits, error):
    """The integer A near A = (first + second) / 2 for which the largest relative error is least."""
    middle = rounded((first + second) / 2, bits)
    candidates = range(middle - SEARCH, middle + SEARCH + 1)
    return min(candidates, key=lambda a: error(Decimal(a) / 2**bits))


def reciprocal_line(low, high):
    """A - B * m near 2 / m. The error's extremes are at the ends and at m = A / 2B."""
    slope = rounded(2 / (low * high), 9)
    b = Decimal(slope) / 2**9

    def error(a):
        ends = [m * (a - b * m) / 2 - 1 for m in (low, high)]
        return max(abs(x) for x in (*ends, a * a / (8 * b) - 1))

    return best(2 / low + b * low, 2 / (low + high) * 2 + b * (low + high) / 2, 14, error), slope


def root_line(low, high):
    """A - B * m near 2 / sqrt(m). The error's extremes are at the ends and at m = A / 3B."""
    slope = rounded((2 / low.sqrt() - 2 / high.sqrt()) / (high - low), 9)
    b = Decimal(slope) / 2**9

    def error(a):
        points = (low, high, a / (3 * b))
        return max(abs((a - b * m) * m.sqrt() / 2 - 1) for m in points)

    middle = (low + high) / 2
    return best(2 / low.sqrt() + b * low, 2 / middle.sqrt() + b * middle, 15, error), slope


def reciprocal_lines():
    ends = [1 + Decimal(i) / 32 for i in range(33)]
    return [list(column) for column in zip(*map(reciprocal_line, ends, ends[1:]))]


def root_lines():
    """m from 1 up to 2, then from 2 up to 4, in 32 intervals each."""
    ends = [1 + Decimal(i) / 32 for i in range(33)]
    lines = [*map(root_line, ends, ends[1:])]
    lines += [root_line(2 * low, 2 * high) for low, high in itertools.pairwise(ends)]
    return [list(column) for column in zip(*lines)]


# ---- tanh: lines through 129 points --------------------------------------------------------------
def tanh(x):
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


def tanh_ends():
    """32 intervals each from 0 to 1, 1 to 2, 2 to 4 and 4 to 8"""
    ends = [Decimal(i) / 32 for i in range(64)]
    return ends + [Decimal(i) / 16 for i in range(32, 64)] + [Decimal(i) / 8 for i in range(32, 65)]


def chord_error(low, high):
    """The largest distance of tanh from its chord: where its slope, 1 - tanh^2, is the chord's."""
    chord = (tanh(high) - tanh(low)) / (high - low)
    value = (1 - chord).sqrt()
    x = ((1 + value) / (1 - value)).ln() / 2
    return value - tanh(low) - chord * (x - low)


def tanh_points():
    """Between 0 and 8 they are above tanh by half of what its chord is below, so that the lines lie on both sides."""
    ends = tanh_ends()
    errors = [chord_error(low, high) for low, high in itertools.pairwise(ends)]
    above = [Decimal(0), *((a + b) / 4 for a, b in itertools.pairwise(errors)), Decimal(0)]
    return [rounded(tanh(x) + more, 15) for x, more in zip(ends, above)]


def tables():
    """(name, what it holds, bits below the point, integers)"""
    values, slopes = exp2_line()
    first, slope = reciprocal_lines()
    root, root_slope = root_lines()
    return [
        ("exp2_coarse", "2^(-i/32)", 24, exp2_coarse()),
        ("exp2_value", "near 2^(-j/1024)", 24, values),
        ("exp2_slope", "its slope", 14, slopes),
        ("reciprocal_value", "A of the line near 2/m", 14, first),
        ("reciprocal_slope", "B of the same", 9, slope),
        ("root_value", "A of the line near 2/sqrt(m)", 15, root),
        ("root_slope", "B of the same", 9, root_slope),
    ]


def word(integer, bits):
    """The FP32 word of integer * 2^-bits, which is exact."""
    (pattern,) = struct.unpack("<I", struct.pack("<f", integer / 2**bits))
    return pattern


def print_text():
    for name, what, bits, integers in tables():
        print(f"{name}: {what}, in units of 2^-{bits}")
        for i in range(0, len(integers), 8):
            print("   " + "".join(f"{x:>10}" for x in integers[i : i + 8]))
    print("tanh_points: near tanh at the ends of its intervals, in units of 2^-15")
    for line in tanh_lines("{:>10}", "   "):
        print(line)


def tanh_lines(each, before):
    points = tanh_points()
    for i in range(0, len(points), 8):
        yield before + "".join(each.format(x) for x in points[i : i + 8])


def print_c():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Written by model/src/core/function_tables.py.")
    print('#include "core/function_tables.h"')
    print("\n// clang-format off")
    for name, what, bits, integers in tables():
        print(f"\n// {what}, a multiple of 2^-{bits}")
        print(f"const uint32_t fp8mac_table_{name}[{len(integers)}] = {{")
        for i in range(0, len(integers), 8):
            words = (f"0x{word(x, bits):08x}," for x in integers[i : i + 8])
            print("    " + " ".join(words))
        print("};")
    print("\n// near tanh at the ends of its intervals, in units of 2^-15")
    print("const uint16_t fp8mac_table_tanh[FP8MAC_TANH_INTERVALS + 1] = {")
    for line in tanh_lines(" {:>5},", "   "):
        print(line)
    print("};")


# ---- the hardware's ------------------------------------------------------------------------------
RTL = Path(__file__).resolve().parents[3] / "rtl/epilogue"


def array(name, words):
    """A constant of FP32 words, which an index selects. The last one is written first."""
    lines = f"  localparam logic [{len(words) - 1}:0][31:0] {name} = {{\n"
    for i in range(len(words), 0, -8):
        row = ", ".join(f"32'h{x:08x}" for x in reversed(words[i - 8 : i]))
        lines += f"    {row}{',' if i > 8 else ''}\n"
    return lines + "  };\n"


def head(name, what, ports):
    return f"""// SPDX-License-Identifier: Apache-2.0
// Written by model/src/core/function_tables.py --rtl.
// {what}
// Combinational.
module {name} (
{ports}
);
"""


def exp2_module():
    table = {name: [word(x, bits) for x in numbers] for name, _, bits, numbers in tables()}
    text = head(
        "fp8mac_exp2_table",
        "The tables of exp2, FP32 words: model/NUMERICS.md says how they are used.",
        """  input  logic [4:0]  i_i,
  input  logic [4:0]  slope_j_i,
  input  logic [4:0]  value_j_i,
  output logic [31:0] coarse_o,
  output logic [31:0] slope_o,
  output logic [31:0] value_o""",
    )
    text += array("Coarse", table["exp2_coarse"]) + "\n" + array("Slope", table["exp2_slope"])
    text += "\n" + array("Value", table["exp2_value"]) + "\n"
    text += "  assign coarse_o = Coarse[i_i];\n  assign slope_o  = Slope[slope_j_i];\n"
    return text + "  assign value_o  = Value[value_j_i];\n\nendmodule\n"


def newton_module():
    table = {name: [word(x, bits) for x in numbers] for name, _, bits, numbers in tables()}
    text = head(
        "fp8mac_newton_table",
        "The lines that begin Newton's iteration, value - slope * m, FP32 words: first those of\n"
        "// the reciprocal square root, m from 1 up to 2 and from 2 up to 4, then those of the\n"
        "// reciprocal.",
        """  input  logic [6:0]  slope_i,
  input  logic [6:0]  value_i,
  output logic [31:0] slope_o,
  output logic [31:0] value_o""",
    )
    for name in ("slope", "value"):
        rows = table[f"root_{name}"] + table[f"reciprocal_{name}"]
        text += array(name.title(), rows + [0] * 32) + "\n"
    text += "  assign slope_o = Slope[slope_i];\n  assign value_o = Value[value_i];\n"
    return text + "\nendmodule\n"


def integers(name, bits, values):
    """A constant of integers, which an index selects. The last one is written first."""
    lines = f"  localparam logic [{len(values) - 1}:0][{bits - 1}:0] {name} = {{\n"
    for i in range(len(values), 0, -8):
        row = ", ".join(f"{bits}'d{x}" for x in reversed(values[i - 8 : i]))
        lines += f"    {row}{',' if i > 8 else ''}\n"
    return lines + "  };\n"


def tanh_module():
    points = tanh_points()
    steps = [word(b - a, 0) for a, b in itertools.pairwise(points)]
    text = head(
        "fp8mac_tanh_table",
        "tanh at the beginning of an interval, an integer, and its growth to the end, an FP32 word, both\n"
        "// in units of 2^-15: model/NUMERICS.md",
        """  input  logic [6:0]  value_i,
  input  logic [6:0]  step_i,
  output logic [15:0] value_o,
  output logic [31:0] step_o""",
    )
    text += integers("Value", 16, points[:-1]) + "\n" + array("Step", steps) + "\n"
    text += "  assign value_o = Value[value_i];\n  assign step_o  = Step[step_i];\n"
    return text + "\nendmodule\n"


def write_rtl():
    (RTL / "fp8mac_tanh_table.sv").write_text(tanh_module())
    (RTL / "fp8mac_exp2_table.sv").write_text(exp2_module())
    (RTL / "fp8mac_newton_table.sv").write_text(newton_module())


if __name__ == "__main__":
    if "--rtl" in sys.argv[1:]:
        write_rtl()
    elif "--text" in sys.argv[1:]:
        print_text()
    else:
        print_c()
