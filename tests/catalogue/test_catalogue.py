# SPDX-License-Identifier: Apache-2.0
"""The generated catalogue against a table that is typed here independently of rtl/catalogue/elements.toml.

    python -m pytest -c tests/pytest.ini tests/catalogue/test_catalogue.py --build BUILD

BUILD/catalogue has catalogue.mk, fp8mac_catalogue_pkg.sv and fp8mac/catalogue.h

A new kind of element needs an entry in TABLE and in SETTINGS.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rtl.catalogue import catalogue, rules, translate
from tests.conftest import Bench

FP8 = "E4M3FN E5M2 E4M3FNUZ E5M2FNUZ"
E4M3 = "E4M3FN E4M3FNUZ"
LATE = "frac_bits=frac_bits align_by=FP8MAC_ALIGN_BY_OPERANDS acc_late=true late_round=FP8MAC_ALIGN_ODD"

# Kind: number, family, feed, accumulators, formats of A and B, fraction bits least/default/most and fewest lanes with
# a choice of them, 2^terms products at most, products of a block (0: those of a step), known to the accelerator's
# commands.
TABLE = {
    "exact": (0, "Exact", "Fields", "FP32 FP16", FP8, (0, 0, 0, 0), 0, 0, True),
    "aligned_fp32": (1, "Aligned", "Exponents", "FP32", FP8, (23, 25, 29, 1), 0, 0, True),
    "aligned_fp16": (2, "Aligned", "Exponents", "FP16", FP8, (10, 13, 29, 1), 0, 0, True),
    "kulisch": (3, "Static", "Format", "FIXED", E4M3, (0, 0, 0, 0), 16, 0, True),
    "int8": (4, "Int8", "Int8", "INT32", "INT8", (0, 0, 0, 0), 16, 0, True),
    "late_fp32": (5, "Late", "Distances", "FP32", FP8, (9, 25, 29, 2), 0, 0, True),
    "late_fp16": (6, "Late", "Distances", "FP16", FP8, (9, 13, 29, 2), 0, 0, True),
    "static": (7, "Static", "Bounded", "FIXED", FP8, (9, 13, 29, 1), 16, 0, False),
    "block": (8, "Block", "Bounded", "FP32 FP16", FP8, (9, 19, 29, 1), 0, 32, True),
    "late": (9, "Late", "Distances", "FP32 FP16", FP8, (9, 25, 29, 2), 0, 0, True),
    "aligned": (10, "Aligned", "Exponents", "FP32 FP16", FP8, (23, 25, 29, 1), 0, 0, True),
    "block64": (11, "Block", "Bounded", "FP32 FP16", FP8, (9, 19, 29, 1), 0, 64, True),
    "block64_fp32": (12, "Block", "Bounded", "FP32", FP8, (9, 13, 29, 1), 0, 64, True),
}
RTL_FRAC_BITS = {
    "kulisch": 34
}  # kinds without a choice; with 34 fraction bits E4M3 products are exact
# Fraction bits of the final addition of late accumulation, at least: with several lanes, with one.
LATE_BITS = {
    "late_fp32": (25, 26),
    "late_fp16": (12, 13),
    "block": (25, 25),
    "late": (25, 26),
    "block64": (25, 25),
    "block64_fp32": (25, 25),
}

# In which cycle an element of a family takes the accumulator, and in which it shows the new one.
CYCLES = {
    "Exact": (3, 6),
    "Aligned": (2, 6),
    "Static": (3, 6),
    "Int8": (2, 4),
    "Late": (4, 8),
    "Block": (2, 6),
}
MX = {"block"}
# Rules, by kind, lanes and rows: elements that share an accumulate unit; cycles between two blocks of an accumulator
RULES = {
    ("block", 16, 4): (2, 6),
    ("block", 16, 3): (1, 4),
    ("block", 1, 16): (16, 6),
    ("block", 32, 16): (1, 4),
    ("block64", 16, 8): (4, 6),
    ("block64", 16, 6): (3, 6),
    ("block64_fp32", 16, 4): (4, 6),
    ("int8", 16, 4): (1, 4),
    ("late_fp16", 4, 4): (1, 4),
    ("exact", 4, 4): (1, 3),
}

# Assignments of fp8mac_element_settings, after group = lanes.
SETTINGS = {
    "exact": "",
    "aligned_fp32": "acc_format=FP8MAC_ACC_FP32 frac_bits=frac_bits",
    "aligned_fp16": "acc_format=FP8MAC_ACC_FP16 frac_bits=frac_bits min_exponent=-14",
    "kulisch": "acc_format=FP8MAC_ACC_FIXED guard_bits=16",
    "int8": "acc_format=FP8MAC_ACC_INT32",
    "late_fp32": f"acc_format=FP8MAC_ACC_FP32 {LATE} late_bits_sum=max25 late_bits_acc=max25",
    "late_fp16": f"acc_format=FP8MAC_ACC_FP16 {LATE} late_bits_sum=max12 late_bits_acc=max12",
    "static": "acc_format=FP8MAC_ACC_FIXED frac_bits=frac_bits static_exponent=static_exponent guard_bits=16",
    # MX scales take products below FP32's least exponent.
    "block": f"group=32 {LATE.replace(' ', ' min_exponent=-1100 ', 1)} late_bits_sum=max25 late_bits_acc=max25",
    "block64": f"group=64 {LATE.replace(' ', ' min_exponent=-1100 ', 1)} late_bits_sum=max25 late_bits_acc=max25",
    "block64_fp32": f"acc_format=FP8MAC_ACC_FP32 group=64 {LATE.replace(' ', ' min_exponent=-1100 ', 1)} "
    "late_bits_sum=max25 late_bits_acc=max25",
    "late": f"{LATE} late_bits_sum=max25 late_bits_acc=max25",
    "aligned": "frac_bits=frac_bits min_exponent=FP8MAC_MIN_EXPONENT_ACC",
}


class Checks(Bench):
    """A check names what it found."""

    def equal(self, what: str, found: object, wanted: object) -> None:
        self.check(f"{what}: is {found!r}, must be {wanted!r}", found == wanted)


@pytest.fixture
def bench() -> Checks:
    return Checks()


def constant(kind: str) -> str:
    return "Element" + "".join(word.capitalize() for word in kind.split("_"))


def sv_columns(text: str) -> dict[str, dict[str, str]]:
    """{function: {constant: value}}"""
    functions = re.findall(r"function automatic \S+(?: unsigned)? element_(\w+)\(int unsigned element\);(.*?)endfunction", text, re.S)  # fmt: skip
    return {
        name: dict(re.findall(r"(Element\w+): return (\S+);", body)) for name, body in functions
    }


def test_sv(bench: Checks, build: Path) -> None:
    text = (build / "catalogue" / "fp8mac_catalogue_pkg.sv").read_text()
    numbers = dict(re.findall(r"parameter int unsigned (Element\w+) = (\d+);", text))
    bench.equal("kinds in SystemVerilog", set(numbers), {constant(kind) for kind in TABLE})
    columns = sv_columns(text)
    for kind, row in TABLE.items():
        number, family, feed, accumulators, formats, bits, terms, block, accelerator = row
        rtl = RTL_FRAC_BITS.get(kind, 0)
        late = LATE_BITS.get(kind, (0, 0))
        wanted = {
            "family": f"Family{family}",
            "feed": f"Feed{feed}",
            "in_accelerator": f"1'b{int(accelerator)}",
            "takes_e5m2": f"1'b{int('E5M2' in formats.split())}",
            "least_frac_bits": str(bits[0] or rtl),
            "default_frac_bits": str(bits[1] or rtl),
            "most_frac_bits": str(bits[2] or rtl),
            "window_lanes": str(bits[3]),
            "terms_log2": str(terms),
            "block_products": str(block),
            "late_bits_least": str(late[0]),
            "late_bits_one_lane": str(late[1]),
            "acc_cycle": str(CYCLES[family][0]),
            "result_cycle": str(CYCLES[family][1]),
            "has_mx": f"1'b{int(kind in MX)}",
        } | {
            f"has_{acc.lower()}": f"1'b{int(acc in accumulators.split())}"
            for acc in ("FP32", "FP16", "FIXED", "INT32")
        }
        bench.equal(f"{kind}: number in SystemVerilog", numbers.get(constant(kind)), str(number))
        for name, value in wanted.items():
            bench.equal(f"{kind}: element_{name}", columns.get(name, {}).get(constant(kind)), value)


def bits_of(names: str, prefix: str) -> str:
    return " | ".join(f"1u << {prefix}{name}" for name in names.split())


def test_c(bench: Checks, build: Path) -> None:
    text = (build / "catalogue" / "fp8mac/catalogue.h").read_text()
    numbers = dict(re.findall(r"FP8MAC_ELEMENT_(\w+) = (\d+),", text))
    bench.equal("kinds in C", set(numbers), {kind.upper() for kind in TABLE})
    entries = dict(re.findall(r'\{\n        "(\w+)", // name\n(.*?)\n    \},\n', text, re.S))
    settings = dict(
        re.findall(
            r"case FP8MAC_ELEMENT_(\w+):\n(.*?)        break;\n(?=    case|    })", text, re.S
        )
    )
    for kind, row in TABLE.items():
        number, family, _, accumulators, formats, bits, terms, block, accelerator = row
        bench.equal(f"{kind}: number in C", numbers.get(kind.upper()), str(number))
        row = re.findall(r"(?m)^ *(.+), // (\w+)$", entries.get(kind, ""))
        found = {name: value for value, name in row}
        wanted = {
            "kind": f"FP8MAC_ELEMENT_{kind.upper()}",
            "accumulators": bits_of(accumulators, "FP8MAC_ACC_"),
            "formats": bits_of(formats, "FP8MAC_"),
            "frac_bits_least": str(bits[0]),
            "frac_bits_default": str(bits[1]),
            "frac_bits_most": str(bits[2]),
            "window_lanes": str(bits[3]),
            "terms_log2": str(terms),
            "block": str(block),
            "align_by_operands": str(family in ("Late", "Block")).lower(),
            "accelerator": str(accelerator).lower(),
        }
        for name, value in wanted.items():
            bench.equal(f"{kind}: {name} in C", found.get(name), value)
        code = settings.get(kind.upper(), "(none)")
        assigned = re.findall(r"config->(\w+) = (.+?);", code)
        found = " ".join(f"{field}={value}" for field, value in assigned)
        found = re.sub(r"\(frac_bits > (\d+) \? frac_bits : \1\)", r"max\1", found)
        bench.equal(f"{kind}: settings", found, SETTINGS[kind])
        bench.equal(f"{kind}: one lane has no window", "lanes < 2" in code, bits[3] == 2)


def test_make(bench: Checks, build: Path) -> None:
    text = (build / "catalogue" / "catalogue.mk").read_text()
    variables = dict(re.findall(r"^(\w+) := (.*)$", text, re.M))
    bench.equal("ELEMENTS", variables["ELEMENTS"].split(), list(TABLE))
    bench.equal(
        "ELEMENTS_ACCELERATOR",
        variables["ELEMENTS_ACCELERATOR"].split(),
        [kind for kind, row in TABLE.items() if row[-1]],
    )
    for kind, row in TABLE.items():
        least, default, most, lanes = row[5]
        bench.equal(f"{kind}: number in make", variables[f"element_number_{kind}"], str(row[0]))
        bench.equal(
            f"{kind}: fraction bits in make",
            variables.get(f"element_frac_bits_{kind}", ""),
            " ".join(map(str, range(least, most + 1))) if lanes else "",
        )
        bench.equal(
            f"{kind}: default fraction bits in make",
            variables.get(f"element_default_frac_bits_{kind}", "0"),
            str(default),
        )


def test_rules(bench: Checks) -> None:
    kinds = catalogue.load()
    for (kind, lanes, rows), (share, loop) in RULES.items():
        of = (kinds[kind], lanes, rows)
        bench.equal(f"share of {kind}, {lanes} lanes, {rows} rows", rules.share(*of), share)
        bench.equal(f"loop of {kind}, {lanes} lanes, {rows} rows", rules.loop(*of), loop)
    for mantissa_bits, frac_bits, wanted in ((23, 19, 25), (10, 9, 12), (10, 13, 13)):
        found = rules.late_bits_of(mantissa_bits, frac_bits)
        bench.equal(f"late bits of {mantissa_bits}, {frac_bits}", found, wanted)


# A rule in Python, and the lines between the head and the end of its function
RULE = """
MOST = 5
def first(element: Element, rows: int) -> int:
    \"\"\"The first.\"\"\"
    result = 1
    for count in range(2, MOST // rows + 1):
        if rows % count == 0 and not_last(rows):
            result = max(count, rows - 1)
    return element.block if rows > 1 else result
def not_last(rows: int) -> bool:
    \"\"\"Not last.\"\"\"
    return rows != 3
"""
TRANSLATED = """  parameter int unsigned RuleMost = 5;

  // The first.
  function automatic int unsigned element_first(int unsigned element, int unsigned rows);
    int unsigned result;
    result = 1;
    for (int unsigned count = 2; count < ((RuleMost / rows) + 1); count++) begin
      if (((rows % count) == 0) && not_last(rows)) begin
        result = count > (rows - 1) ? count : (rows - 1);
      end
    end
    return (rows > 1) ? element_block(element) : result;
  endfunction

  // Not last.
  function automatic bit not_last(int unsigned rows);
    return rows != 3;
  endfunction
"""
REFUSED = (
    "return -rows",
    "return rows ** 2",
    "rows += 1",
    "while rows: pass",
    "return 0 < rows < 3",
)


def test_translation(bench: Checks) -> None:
    bench.equal(
        "a rule in SystemVerilog", translate.systemverilog(RULE).strip(), TRANSLATED.strip()
    )
    for line in REFUSED:
        try:
            found = translate.systemverilog(
                f'def one(rows: int) -> int:\n    """One."""\n    {line}\n'
            )
        except ValueError as error:
            found = str(error)
        bench.equal(f"refused: {line}", found.startswith("a rule cannot have"), True)
