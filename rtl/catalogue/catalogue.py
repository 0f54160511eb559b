# SPDX-License-Identifier: Apache-2.0
"""The catalogue of processing elements: reads and checks elements.toml, and writes what is generated from it and from
rules.py.

    python3 rtl/catalogue/catalogue.py --out build/catalogue

writes fp8mac_catalogue_pkg.sv (SystemVerilog), fp8mac/catalogue.h (C), catalogue.mk (make), element_kind.rdl (the
register map's enumeration) and elements.md (a table for readers). Python imports it and calls load(), and the functions
of rules.py.
"""

from __future__ import annotations

import argparse
import itertools
import re
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path

try:
    from . import rules, translate
except ImportError:  # it runs as a program
    import rules
    import translate

TABLE = Path(__file__).resolve().parent / "elements.toml"
RULES = TABLE.with_name("rules.py")
FEEDS = ("fields", "exponents", "distances", "bounded", "format", "int8")
ALIGNS = ("exact", "products", "operands", "bounds", "format")
ACCUMULATORS = ("fp32", "fp16", "fixed", "int32")
MANTISSA_BITS = {"fp32": 23, "fp16": 10}  # of the accumulators that round
FORMATS = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "int8")
MODEL_ACCUMULATORS = {name: f"FP8MAC_ACC_{name.upper()}" for name in ACCUMULATORS}


class CatalogueError(ValueError):
    """elements.toml says what cannot be; the message names the kind and the field."""


@dataclass(frozen=True)
class FracBits:
    """Fraction bits of the alignment window: the least and most possible, and the default."""

    least: int
    default: int
    most: int


@dataclass(frozen=True)
class Family:
    """What the kinds of a family have in common. elements.toml explains the fields."""

    acc_cycle: int
    result_cycle: int


@dataclass(frozen=True)
class Element:
    """One kind of element. elements.toml explains the fields."""

    name: str
    number: int
    summary: str
    family: str
    feed: str
    accumulators: tuple[str, ...]
    formats: tuple[str, ...]
    align: str
    accelerator: bool
    frac_bits: FracBits | None
    window_lanes: int
    late_bits: tuple[int, int]
    rtl_frac_bits: int
    terms_log2: int
    block: int
    mx: bool
    model: dict[str, str]
    cycles: Family

    # Columns, by the names that they have in rules.py and in SystemVerilog
    @property
    def block_products(self) -> int:
        return self.block

    @property
    def late_bits_least(self) -> int:
        return self.late_bits[0]

    @property
    def late_bits_one_lane(self) -> int:
        return self.late_bits[1]

    @property
    def acc_cycle(self) -> int:
        return self.cycles.acc_cycle

    @property
    def result_cycle(self) -> int:
        return self.cycles.result_cycle

    @property
    def latency(self) -> int:
        """Cycles from a block's last step to its first results: element_latency() of fp8mac_element_pkg. An accumulator
        whose code is no FP32 pattern is converted in one more."""
        chosen = {"fp32", "fp16"} <= set(self.accumulators)
        is_pattern = "fp32" in self.accumulators and (not chosen or self.family == "exact")
        return self.result_cycle + (1 if is_pattern else 2)

    @property
    def narrow(self) -> bool:
        """Whether commands may have FP6 and FP4 operands, which the array gets as e4m3fn codes.

        Alignment to the largest product sees a subnormal's format: e4m3fn has the same value as a normal code.
        """
        return self.accelerator and "e4m3fn" in self.formats and self.align != "products"

    @property
    def run_time_accumulator(self) -> bool:
        """Whether each GEMM chooses the accumulator's format."""
        return len(self.accumulators) > 1

    def has_window(self, lanes: int) -> bool:
        return rules.has_window(self, lanes)

    def default_frac_bits(self, lanes: int) -> int | None:
        return self.frac_bits.default if self.has_window(lanes) else None

    def spelling(self, lanes: int, frac_bits: int | None = None) -> str:
        """KIND_fF_lL; _fF only where there is a window."""
        bits = frac_bits if frac_bits is not None else self.default_frac_bits(lanes)
        return self.name + (f"_f{bits}" if bits is not None else "") + f"_l{lanes}"

    @property
    def constant(self) -> str:
        """The name of its number in SystemVerilog."""
        return "Element" + "".join(word.capitalize() for word in self.name.split("_"))


def _require(ok: bool, name: str, what: str) -> None:
    if not ok:
        raise CatalogueError(f"{TABLE.name}: [{name}] {what}")


def _element(name: str, row: dict, families: dict[str, Family]) -> Element:
    frac = row.get("frac_bits")
    known = {field for field in Element.__dataclass_fields__ if field not in ("name", "cycles")}
    for field in row:
        _require(
            field in known, name, f"has no field {field}: choose from {', '.join(sorted(known))}"
        )
    for field in ("number", "summary", "family", "feed", "accumulators", "formats", "align", "accelerator"):  # fmt: skip
        _require(field in row, name, f"needs the field {field}")
    _require(row["family"] in families, name, f"has a family without a line family.{row['family']}")
    element = Element(
        name=name,
        frac_bits=FracBits(**frac) if frac else None,
        window_lanes=row.get("window_lanes", 1) if frac else 0,
        late_bits=tuple(row.get("late_bits", (0, 0))),
        rtl_frac_bits=row.get("rtl_frac_bits", 0),
        terms_log2=row.get("terms_log2", 0),
        block=row.get("block", 0),
        mx=row.get("mx", False),
        cycles=families[row["family"]],
        model=row.get("model", {}),
        accumulators=tuple(row["accumulators"]),
        formats=tuple(row["formats"]),
        **{k: row[k] for k in ("number", "summary", "family", "feed", "align")},
        accelerator=row["accelerator"],
    )
    _require(
        re.fullmatch(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*", name) is not None,
        name,
        "is not a lower-case name",
    )
    _require(0 <= element.number <= 255, name, "number must be 0..255")
    _require(element.feed in FEEDS, name, f"feed must be one of {', '.join(FEEDS)}")
    _require(element.align in ALIGNS, name, f"align must be one of {', '.join(ALIGNS)}")
    _require(bool(element.accumulators) and set(element.accumulators) <= set(ACCUMULATORS), name,
             f"accumulators must be some of {', '.join(ACCUMULATORS)}")  # fmt: skip
    _require(bool(element.formats) and set(element.formats) <= set(FORMATS), name,
             f"formats must be some of {', '.join(FORMATS)}")  # fmt: skip
    if element.frac_bits:
        bits = element.frac_bits
        _require(
            0 < bits.least <= bits.default <= bits.most <= 64,
            name,
            "frac_bits must ascend within 1..64",
        )
    _require(element.block != 0 or not element.mx, name, "needs a block for MX scales")
    late = [rules.late_bits_of(MANTISSA_BITS.get(acc, 0), 0) for acc in element.accumulators]
    _require(element.late_bits[0] in (0, max(late)), name, f"late_bits must begin with {max(late)}")
    return element


def load(path: Path = TABLE) -> dict[str, Element]:
    """Every kind by name, in the order of their numbers."""
    table = tomllib.loads(path.read_text())
    families = {name: Family(**row) for name, row in table.pop("family").items()}
    elements = [_element(name, row, families) for name, row in table.items()]
    elements.sort(key=lambda e: e.number)
    for one, other in itertools.pairwise(elements):
        _require(one.number != other.number, other.name, f"has the number of [{one.name}]")
    names = [e.name for e in elements]
    for name in names:
        clash = [o for o in names if re.fullmatch(re.escape(name) + r"_[fl]\d+.*", o)]
        _require(not clash, name, f"cannot be told from {clash}: _fF and _lL are suffixes")
    return {e.name: e for e in elements}


def parse(
    spelling: str, elements: dict[str, Element] | None = None
) -> tuple[Element, int | None, int | None]:
    """(kind, fraction bits or None, lanes or None) of KIND[_fF][_lL]. CatalogueError for any other text."""
    elements = elements or load()
    found = re.fullmatch(r"(.+?)(?:_f(\d+))?(?:_l(\d+))?", spelling)
    name = found.group(1) if found else ""
    if name not in elements:
        raise CatalogueError(
            f"there is no element {spelling}: choose KIND[_fF][_lL] with KIND one of {', '.join(elements)}"
        )
    bits, lanes = (int(text) if text else None for text in found.group(2, 3))
    return elements[name], bits, lanes


# ---- generated files --------------------------------------------------------------------------------------------

BY = "Generated by rtl/catalogue/catalogue.py from rtl/catalogue/elements.toml. Do not edit."


def system_verilog(elements: dict[str, Element]) -> str:
    rows = list(elements.values())
    families = list(dict.fromkeys(e.family for e in rows))

    def enum(prefix: str, names: tuple[str, ...] | list[str]) -> str:
        return ", ".join(prefix + name.capitalize() for name in names)

    def column(result: str, name: str, comment: str, value, default: str) -> str:
        lines = [
            f"  // {comment}",
            f"  function automatic {result} element_{name}(int unsigned element);",
            "    case (element)",
        ]
        lines += [f"      {e.constant}: return {value(e)};" for e in rows]
        return "\n".join(
            [*lines, f"      default: return {default};", "    endcase", "  endfunction", ""]
        )

    def bit(test) -> object:
        return lambda e: "1'b1" if test(e) else "1'b0"

    def bits(pick) -> object:
        return lambda e: str(pick(e.frac_bits)) if e.frac_bits else str(e.rtl_frac_bits)

    def flag(name: str, comment: str, test) -> str:
        return column("bit", name, comment, bit(test), "1'b0")

    def count(name: str, comment: str, value) -> str:
        return column("int unsigned", name, comment, value, "0")

    parts = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {BY}",
        "// The kinds of processing elements: a parameter ELEMENT has one of the values Element*. Each element_* function",
        "// of one parameter gives a column of the catalogue; for a number that is no kind it gives 0 or ...None. The others",
        "// are the rules of rtl/catalogue/rules.py.",
        "package fp8mac_catalogue_pkg;",
        "",
        *(
            textwrap.indent("\n".join(textwrap.wrap(e.summary, 94)), "  // ")
            + f"\n  parameter int unsigned {e.constant} = {e.number};"
            for e in rows
        ),
        "",
        f"  typedef enum logic [3:0] {{{enum('Family', (*families, 'none'))}}} element_family_e;",
        f"  typedef enum logic [3:0] {{{enum('Feed', (*FEEDS, 'none'))}}} element_feed_e;",
        f"  typedef enum logic [3:0] {{{enum('Align', (*ALIGNS, 'none'))}}} element_align_e;",
        "",
        flag("exists", "Whether this is a kind at all.", lambda e: True),
        flag("in_accelerator", "Whether commands of the accelerator know this kind.", lambda e: e.accelerator),
        column("element_family_e", "family", "The module fp8mac_element_FAMILY.",
               lambda e: f"Family{e.family.capitalize()}", "FamilyNone"),
        column("element_feed_e", "feed", "What the operand feed sends.", lambda e: f"Feed{e.feed.capitalize()}", "FeedNone"),
        column("element_align_e", "align", "What the products are aligned to.",
               lambda e: f"Align{e.align.capitalize()}", "AlignNone"),
        *(flag(f"has_{acc}", f"Whether the accumulator can be {acc}.", lambda e, acc=acc: acc in e.accumulators)
          for acc in ACCUMULATORS),
        flag("takes_e5m2", "Whether A and B may be e5m2 and e5m2fnuz.", lambda e: "e5m2" in e.formats),
        flag("takes_narrow", "Whether A and B may have narrow codes, which the array gets as e4m3fn.", lambda e: e.narrow),
        count("default_frac_bits", "Fraction bits of the alignment window unless chosen; the RTL's own where there is no choice.",
              bits(lambda b: b.default)),
        count("least_frac_bits", "The least fraction bits that are possible.", bits(lambda b: b.least)),
        count("most_frac_bits", "The most fraction bits that are possible.", bits(lambda b: b.most)),
        count("window_lanes", "With fewer lanes there is no alignment window. 0: there never is one to choose.",
              lambda e: str(e.window_lanes)),
        count("terms_log2", "An accumulator takes 2^element_terms_log2 products; 0: any number.", lambda e: str(e.terms_log2)),
        count("block_products", "Products that are summed before the sum joins the accumulator. 0: those of one step.",
              lambda e: str(e.block)),
        flag("has_mx", "Whether blocks can have MX scales.", lambda e: e.mx),
        count("late_bits_least", "Late accumulation: least fraction bits of the final addition.", lambda e: str(e.late_bits[0])),
        count("late_bits_one_lane", "The same with one lane.", lambda e: str(e.late_bits[1])),
        count("acc_cycle", "The cycle in which an element takes the accumulator. Cycle 0 issues the last step of a block.",
              lambda e: str(e.acc_cycle)),
        count("result_cycle", "The cycle in which it shows the new one and the block's flags.", lambda e: str(e.result_cycle)),
        translate.systemverilog(RULES.read_text()),
        "endpackage",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _mask(names: tuple[str, ...], prefix: str) -> str:
    return " | ".join(f"1u << {prefix}{name.upper()}" for name in names)


def _bits(e: Element) -> FracBits:
    return e.frac_bits or FracBits(0, 0, 0)


def _c_bool(value: bool) -> str:
    return str(value).lower()


# The fields of C's fp8mac_element_info: type, name, comment, value
C_FIELDS = (
    ("const char *", "name", "", lambda e: f'"{e.name}"'),
    ("const char *", "summary", "", lambda e: f'"{e.summary}"'),
    ("fp8mac_element_kind", "kind", "", lambda e: f"FP8MAC_ELEMENT_{e.name.upper()}"),
    (
        "uint32_t",
        "accumulators",
        "bits 1u << fp8mac_acc_format; more than one: each GEMM chooses",
        lambda e: _mask(e.accumulators, "FP8MAC_ACC_"),
    ),
    (
        "uint32_t",
        "formats",
        "bits 1u << fp8mac_format_id that A and B may have",
        lambda e: _mask(e.formats, "FP8MAC_"),
    ),
    (
        "uint8_t",
        "frac_bits_least",
        "fraction bits of the alignment window; all 0: there is no choice",
        lambda e: _bits(e).least,
    ),
    ("uint8_t", "frac_bits_default", "", lambda e: _bits(e).default),
    ("uint8_t", "frac_bits_most", "", lambda e: _bits(e).most),
    (
        "uint8_t",
        "window_lanes",
        "with fewer lanes there is no window; 0: there never is one",
        lambda e: e.window_lanes,
    ),
    (
        "uint8_t",
        "terms_log2",
        "an accumulator takes 2^terms_log2 products; 0: any number",
        lambda e: e.terms_log2,
    ),
    (
        "uint8_t",
        "block",
        "products that join the accumulator together; 0: those of one step",
        lambda e: e.block,
    ),
    (
        "uint8_t",
        "acc_cycle",
        "in which it takes the accumulator; cycle 0 issues a block's last step",
        lambda e: e.acc_cycle,
    ),
    ("uint8_t", "result_cycle", "in which it shows the new one", lambda e: e.result_cycle),
    (
        "uint8_t",
        "latency",
        "in which the array shows the first of a block's results",
        lambda e: e.latency,
    ),
    ("bool", "mx", "blocks can have MX scales", lambda e: _c_bool(e.mx)),
    (
        "bool",
        "align_by_operands",
        "products are aligned to the largest operands",
        lambda e: _c_bool(e.align == "operands"),
    ),
    (
        "bool",
        "narrow",
        "A and B may also be e3m2fn, e2m3fn and e2m1fn",
        lambda e: _c_bool(e.narrow),
    ),
    (
        "bool",
        "accelerator",
        "commands of the accelerator know this kind",
        lambda e: _c_bool(e.accelerator),
    ),
)


# The table's rows give values in the order of the fields: C++17 has no designated initialisers.
def _c_entry(e: Element) -> str:
    values = (f"        {value(e)}, // {name}\n" for _, name, _, value in C_FIELDS)
    return f"    {{\n{''.join(values)}    }},\n"


def _c_field(kind: str, name: str, comment: str) -> str:
    declared = f"    {kind}{'' if kind.endswith('*') else ' '}{name};"
    return f"{declared:<30} // {comment}\n" if comment else f"{declared}\n"


def _c_settings(e: Element) -> str:
    lines = [f"    case FP8MAC_ELEMENT_{e.name.upper()}:\n"]
    if len(e.accumulators) == 1:
        lines.append(f"        config->acc_format = {MODEL_ACCUMULATORS[e.accumulators[0]]};\n")
    if e.block:
        lines.append(f"        config->group = {e.block};\n")
    if e.frac_bits and e.window_lanes > 1:
        lines.append(f"        if (lanes < {e.window_lanes}) {{\n            break;\n        }}\n")
    for field, value in e.model.items():
        value = value.replace(
            "late_bits", f"(frac_bits > {e.late_bits[0]} ? frac_bits : {e.late_bits[0]})"
        )
        lines.append(f"        config->{field} = {value};\n")
    return "".join(lines) + "        break;\n"


def c_header(elements: dict[str, Element]) -> str:
    rows = list(elements.values())

    return f"""// SPDX-License-Identifier: Apache-2.0
// {BY}
// The kinds of processing elements of the array, and the golden model's settings that compute what each of them does.
#ifndef FP8MAC_CATALOGUE_H
#define FP8MAC_CATALOGUE_H

#include "fp8mac/dot.h"

#ifdef __cplusplus
extern "C" {{
#endif

// The numbers are those of the register ELEMENT and of the RTL's parameter ELEMENT.
typedef enum fp8mac_element_kind {{
{"".join(f"    FP8MAC_ELEMENT_{e.name.upper()} = {e.number},{chr(10)}" for e in rows)}}} fp8mac_element_kind;

#define FP8MAC_ELEMENT_COUNT {len(rows)}

// One kind of element.
typedef struct fp8mac_element_info {{
{"".join(_c_field(*one[:3]) for one in C_FIELDS)}}} fp8mac_element_info;

static const fp8mac_element_info fp8mac_element_table[FP8MAC_ELEMENT_COUNT] = {{
{"".join(_c_entry(e) for e in rows)}}};

// The kind with this number, or NULL.
static inline const fp8mac_element_info *fp8mac_element_find(uint32_t kind)
{{
    for (unsigned i = 0; i < FP8MAC_ELEMENT_COUNT; i++) {{
        if ((uint32_t)fp8mac_element_table[i].kind == kind) {{
            return &fp8mac_element_table[i];
        }}
    }}
    return NULL;
}}

// Whether an element of so many lanes has an alignment window whose width is chosen.
static inline bool fp8mac_element_has_window(const fp8mac_element_info *element, unsigned lanes)
{{
    return element->window_lanes != 0 && lanes >= element->window_lanes;
}}

// Sets the fields of *config that say how a step of this kind of element is computed: group, which is the kind's block
// or else `lanes`, alignment, and the accumulator's format where there is but one. The other fields keep what they have: zero them first. `frac_bits` is the
// window's, at least 1 where there is one; `static_exponent` is the sum of a row's and a column's bound, for the kind
// `static` alone.
static inline void fp8mac_element_settings(fp8mac_element_kind kind, unsigned lanes, unsigned frac_bits,
                                           int static_exponent, fp8mac_dot_config *config)
{{
    (void)frac_bits;
    (void)static_exponent;
    config->group = lanes;
    switch (kind) {{
{"".join(_c_settings(e) for e in rows)}    }}
}}

#ifdef __cplusplus
}}
#endif
#endif
"""


def make_fragment(elements: dict[str, Element]) -> str:
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# {BY}",
        "# ELEMENTS: every kind. ELEMENTS_ACCELERATOR: those that commands know. Of a kind K: element_number_K,",
        "# element_frac_bits_K (those possible; empty: no choice), element_default_frac_bits_K, element_no_window_lanes_K.",
        f"ELEMENTS := {' '.join(elements)}",
        f"ELEMENTS_ACCELERATOR := {' '.join(e.name for e in elements.values() if e.accelerator)}",
    ]
    for e in elements.values():
        lines.append(f"element_number_{e.name} := {e.number}")
        if e.frac_bits:
            lines.append(
                f"element_frac_bits_{e.name} := {' '.join(map(str, range(e.frac_bits.least, e.frac_bits.most + 1)))}"
            )
            lines.append(f"element_default_frac_bits_{e.name} := {e.frac_bits.default}")
            lanes = " ".join(map(str, range(1, e.window_lanes)))
            lines.append(f"element_no_window_lanes_{e.name} := {lanes}")
        if e.rtl_frac_bits:
            lines.append(f"element_rtl_frac_bits_{e.name} := {e.rtl_frac_bits}")
    return "\n".join(lines) + "\n"


def register_enum(elements: dict[str, Element]) -> str:
    rows = [e for e in elements.values() if e.accelerator]
    body = "".join(f'  {e.name} = 8\'d{e.number} {{ desc = "{e.summary}"; }};\n' for e in rows)
    return f"// SPDX-License-Identifier: Apache-2.0\n// {BY}\nenum element_kind {{\n{body}}};\n"


def document(elements: dict[str, Element]) -> str:
    head = ("kind", "number", "accumulator", "formats", "aligned to", "fraction bits", "block, products",
            "in the accelerator")  # fmt: skip
    to = {"exact": "nothing: the sum is exact", "products": "largest product or accumulator", "operands": "largest operands of the block",
          "bounds": "bounds of row and column", "format": "largest exponent of the format"}  # fmt: skip
    lines = [
        f"<!-- {BY} -->",
        "# Elements",
        "",
        f"| {' | '.join(head)} |",
        "|" + "---|" * len(head),
    ]
    for e in elements.values():
        bits = (
            f"{e.frac_bits.least} to {e.frac_bits.most}, default {e.frac_bits.default}"
            if e.frac_bits
            else "no choice"
        )
        choice = ", chosen at run time" if e.run_time_accumulator else ""
        cells = (f"`{e.name}`", str(e.number), ", ".join(e.accumulators) + choice, ", ".join(f"`{f}`" for f in e.formats),
                 to[e.align], bits, str(e.block) if e.block else "LANES",
                 "yes" if e.accelerator else "no")  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- `{e.name}`: {e.summary}" for e in elements.values())]
    return "\n".join(lines) + "\n"


FILES = {
    "fp8mac_catalogue_pkg.sv": system_verilog,
    "fp8mac/catalogue.h": c_header,
    "catalogue.mk": make_fragment,
    "element_kind.rdl": register_enum,
    "elements.md": document,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Writes the files that are generated from elements.toml."
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    out = parser.parse_args().out
    elements = load()
    for name, write in FILES.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(elements))


if __name__ == "__main__":
    try:
        main()
    except CatalogueError as error:
        raise SystemExit(str(error)) from None
