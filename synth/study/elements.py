# SPDX-License-Identifier: Apache-2.0
"""Entries: what can be measured. An element, its operand feed or a whole array, each with its INT8 baseline of equal
lanes. An element has two: with as many interleaved accumulators, and with the one accumulator that INT8 needs. The kinds
of elements come from rtl/catalogue.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from pathlib import Path

from rtl.catalogue import catalogue, rules

from ..flow.recipe import CLOCK_GATE
from ..flow.runs import Design

KINDS = catalogue.load()
FORMATS = KINDS["exact"].formats
E4M3 = KINDS["kulisch"].formats
E5M2 = frozenset(FORMATS) - frozenset(E4M3)
OCP = ("e4m3fn", "e5m2")

# Elements for one format. Such an element has significands of the format's width, and no infinities where it has none.
# The catalogue's elements take the first two. The others are Qualcomm's: no Inf, no NaN. The accelerator does not know
# them, and their operand feed is not built. Values are the bits of a significand, with its leading one.
ONE_FORMAT = {"e5m2": 3, "e4m3fn": 4, "qc_e3m4": 5, "qc_e2m5": 6}
ONE_FORMAT_FAMILIES = ("late", "block")
SIG_BITS = 4  # of the catalogue's elements

MX_SUFFIX = "_mx"
BANKS = 4  # interleaved accumulators, on both sides, unless an entry says otherwise
BANKS_SUFFIX = "_b"  # of an entry with another number of them
STAGGERED_SUFFIX = "_staggered"  # its rows take their operands one after the other
# Variants of the element with block accumulation, with a register that stops glitches: behind multiply, behind align
REGISTERED = "synth/energy/registered"
REGISTERS = ("product", "word")
REGISTER_SUFFIX = "_register"
UNIT_CYCLES = 4  # of an accumulate unit, as in fp8mac_element_block
ROWS, COLUMNS = 4, 4  # of the array, unless chosen

# Leaves that instantiate no cells, for both sides.
BEHAVIOURAL = ("rtl/behavioural",)

# For an FPGA: block accumulation whose products are aligned by DSP blocks, beside behavioural leaves
FOR_FPGA = (*BEHAVIOURAL, "rtl/fpga")

# Folders of sources; the build folder adds the generated ones.
GENERATED = ("catalogue", "regs")


def source_folders(build: Path) -> list[Path]:
    """Every folder with SystemVerilog below rtl, then the generated ones. Those of FOR_FPGA take the place of other modules
    only where a design asks for it."""
    found = sorted({path.parent for path in Path("rtl").rglob("*.sv")})
    return [
        *(folder for folder in found if str(folder) not in FOR_FPGA),
        *(build / name for name in GENERATED),
    ]


@dataclass(frozen=True)
class Entry:
    """One line of the table."""

    name: str  # KIND_fF_lL for an element; others begin with feed_, unit_ or array_
    design: Design
    group: str  # the table or plot that it belongs to
    lanes: int
    kind: str  # of the catalogue; "" for a feed, which several kinds share
    family: str
    acc: str  # the accumulator's formats
    frac_bits: int | None  # of the alignment window; None: there is no window
    formats: tuple[str, ...]
    baseline: Entry | None = None
    # Of an element: the baseline with one accumulator, which is all that INT8 needs
    single: Entry | None = None
    target: float | None = None  # the largest area, as a ratio to the baseline's
    # Black boxes, and the entry of each. None: a clock gate is counted as flow/gates.py says, a memory is not counted.
    parts: tuple[tuple[str, Entry | None], ...] = ()
    feeds: tuple[
        tuple[Entry, int], ...
    ] = ()  # black boxes too, with their number: the two sides can differ
    variants: int = 3  # re-synthesised netlists of which the median is taken
    copies: int = 1  # elements in the netlist; an element's area is its part
    model: tuple[str, ...] = ()  # the golden model's options beside the kind's preset
    # Of a baseline: another form of it. The smaller one of those that meet the clock is taken.
    rival: Entry | None = None


def design(
    top: str,
    *folders: str,
    edits: tuple[tuple[str, str, str], ...] = (),
    **parameters: int,
) -> Design:
    return Design(top, tuple(parameters.items()), folders=folders, edits=edits)


# ---- elements -------------------------------------------------------------------------------------------------------


def with_banks(banks: int) -> str:
    """The end of a name."""
    return "" if banks == BANKS else f"{BANKS_SUFFIX}{banks}"


def int8(
    lanes: int, behavioural: bool = False, register: bool | None = None, banks: int = BANKS
) -> Entry:
    """The baseline: INT8 products, one compressor tree, INT32 accumulators, made of the same leaves as FP8. `register`:
    there is a register behind the tree. If it is not said, 32 lanes have it, without which they miss 6 ns; for 16 lanes
    it depends on the library and on the clock."""
    kind = KINDS["int8"]
    both = register is None and lanes == 16 and not behavioural
    has_register = lanes > 16 and not behavioural if register is None else register
    return Entry(
        kind.spelling(lanes)
        + with_banks(banks)
        + ("_behavioural" if behavioural else "")
        + ("_register" if register else ""),
        design(
            "fp8mac_element_int8",
            *(BEHAVIOURAL if behavioural else ()),
            LANES=lanes,
            BANKS=banks,
            **({"TREE_REGISTER": 1} if has_register else {}),
        ),
        "baseline",
        lanes,
        kind.name,
        kind.family,
        kind.accumulators[0],
        None,
        kind.formats,
        rival=int8(lanes, register=True, banks=banks) if both else None,
    )


def is_one_format(kind: catalogue.Element, formats: tuple[str, ...]) -> bool:
    """Whether there is an element of the kind for this one format alone."""
    return kind.family in ONE_FORMAT_FAMILIES and len(formats) == 1 and formats[0] in ONE_FORMAT


def edits(formats: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """What an element for one format has in place of the catalogue's significands."""
    bits = ONE_FORMAT[formats[0]] if len(formats) == 1 and formats[0] in ONE_FORMAT else SIG_BITS
    if bits > SIG_BITS:
        return (("fp8mac_pkg.sv", f"SigW = {SIG_BITS};", f"SigW = {bits};"),)
    if bits < SIG_BITS:  # the lowest fraction bit is zero
        return tuple(
            (
                "fp8mac_lane_multiply.sv",
                f"{side}_i.sig[FracW-1:0];",
                f"{{{side}_i.sig[FracW-1:{SIG_BITS - bits}], {SIG_BITS - bits}'b0}};",
            )
            for side in "ab"
        )
    return ()


def rtl_parameters(
    kind: catalogue.Element, frac_bits: int | None, formats: tuple[str, ...], more: dict[str, int]
) -> dict[str, int]:
    """The only place that knows how each family's module spells a configuration."""
    inf = int("e5m2" in formats)
    window = {} if frac_bits is None else {"FRAC_BITS": frac_bits}
    if kind.family == "exact":
        return {"BANKS": BANKS}
    if kind.family == "static":
        return {"ELEMENT": kind.number, "BANKS": BANKS, "INF": inf, **window}
    rounded = {"ELEMENT": kind.number, "INF": inf, **window}
    if kind.family == "late":
        return rounded
    wide = bool(E5M2 & set(formats))
    normalised = wide or not more.get("SUBNORMALS", 1)
    return {
        **rounded,
        "EXP_W": 5 if wide else 4,
        "HIDDEN_ONE": int(normalised),
        "SCALE": int(formats != OCP),
    }


def format_sets(kind: catalogue.Element) -> tuple[tuple[str, ...], ...]:
    """The sets of formats for which an element of a kind can be built, all formats first. A module takes every format for
    which its parameters are the same."""
    found: dict[tuple[tuple[str, int], ...], set[str]] = {}
    for count in range(len(kind.formats), 0, -1):
        for chosen in itertools.combinations(kind.formats, count):
            module = tuple(rtl_parameters(kind, None, chosen, {}).items())
            found.setdefault(module, set()).update(chosen)
    return tuple(tuple(one for one in kind.formats if one in taken) for taken in found.values())


def element(
    name: str,
    lanes: int,
    frac_bits: int | None = None,
    formats: tuple[str, ...] | None = None,
    target: float | None = None,
    group: str = "main",
    behavioural: bool = False,
    **more: int,
) -> Entry:
    """An element of the kind NAME. `more` are further parameters of its module, named in the entry's name."""
    kind = KINDS[name]
    formats = formats or kind.formats
    if formats not in format_sets(kind) and not is_one_format(kind, formats):
        raise ValueError(f"no module of {name} takes {formats} alone")
    if frac_bits is None:
        frac_bits = kind.default_frac_bits(lanes)
    spelling = (
        kind.spelling(lanes, frac_bits)
        + ("" if formats == kind.formats else "_" + "_".join(formats))
        + "".join(f"_no_{parameter.lower()}" for parameter in more)
        + ("_behavioural" if behavioural else "")
    )
    parameters = {"LANES": lanes, **rtl_parameters(kind, frac_bits, formats, more), **more}
    return Entry(
        spelling,
        design(
            f"fp8mac_element_{kind.family}",
            *(BEHAVIOURAL if behavioural else ()),
            edits=edits(formats),
            **parameters,
        ),
        group,
        lanes,
        kind.name,
        kind.family,
        " or ".join(kind.accumulators),
        frac_bits,
        formats,
        int8(lanes, behavioural),
        None if behavioural else int8(lanes, banks=1),
        target,
    )


def with_mx(mx: bool) -> dict[str, int]:
    """The parameter of MX scales."""
    return {"MX": 1} if mx else {}


def has_mx(entry: Entry) -> bool:
    return "MX" in dict(entry.design.parameters)


def block(
    lanes: int,
    frac_bits: int | None = None,
    acc: str = "fp32",
    target: float | None = None,
    group: str = "main",
    mx: bool = False,
    kind_name: str = "block",
    banks: int = BANKS,
    formats: tuple[str, ...] | None = None,
    register: str = "",
    staggered: bool = False,
) -> Entry:
    """An element of a kind with block accumulation, for all formats or for one. The netlist has as many elements as a
    block has steps, the accumulate unit that they share, and `banks` accumulators of each: at least those that the
    unit's UNIT_CYCLES cycles take. `acc`: fp32, fp16, or both for a choice at run time. `mx`: its blocks have MX
    scales. `register`: where one stops glitches, one of REGISTERS. `staggered`: its rows take their operands one after
    the other."""
    kind = KINDS[kind_name]
    share = kind.block // lanes
    if banks * share < UNIT_CYCLES:
        raise ValueError(f"{kind_name} of {lanes} lanes needs more than {banks} accumulators")
    if frac_bits is None:
        frac_bits = kind.default_frac_bits(lanes)
    rounded = "fp16" if acc == "fp16" else "fp32"  # with both, FP16 is rounded from FP32's window
    late_bits = rules.late_bits_of(catalogue.MANTISSA_BITS[rounded], frac_bits)
    return Entry(
        kind.spelling(lanes, frac_bits)
        + ("" if acc == "both" else f"_{acc}")
        + MX_SUFFIX * mx
        + with_banks(banks)
        + STAGGERED_SUFFIX * staggered
        + ("" if formats is None else "_" + "_".join(formats))
        + (f"_{register}{REGISTER_SUFFIX}" if register else ""),
        design(
            "fp8mac_element_block" + STAGGERED_SUFFIX * staggered,
            *((REGISTERED, f"{REGISTERED}/{register}") if register else ()),
            edits=edits(formats or kind.formats),
            LANES=lanes,
            BLOCK=kind.block,
            SHARE=share,
            BANKS=banks,
            FRAC_BITS=frac_bits,
            ACC_FP32=int(acc != "fp16"),
            ACC_FP16=int(acc != "fp32"),
            **with_mx(mx),
            **({} if formats is None or "e5m2" in formats else {"INF": 0}),
        ),
        group,
        lanes,
        kind.name,
        kind.family,
        "fp32 or fp16" if acc == "both" else acc,
        frac_bits,
        formats or kind.formats,
        int8(lanes, banks=banks),
        int8(lanes, banks=1),
        target,
        copies=share,
        model=(
            "--group",
            str(kind.block),
            "--acc-format",
            rounded,
            "--late-bits-sum",
            str(late_bits),
            "--late-bits-acc",
            str(late_bits),
        ),
    )


# ---- operand feeds --------------------------------------------------------------------------------------------------


def feed(
    name: str,
    kind: catalogue.Element,
    lanes: int,
    baseline: Entry | None = None,
    frac_bits: int | None = None,
    side_a: int = 1,
    mx: bool = False,
) -> Entry:
    """The operand feed of one row (SIDE_A) or column: decoders and registers."""
    window = "" if frac_bits is None else f"_f{frac_bits}"
    parameters = {} if frac_bits is None else {"FRAC_BITS": frac_bits}
    return Entry(
        f"feed_{name}{window}_l{lanes}" + MX_SUFFIX * mx,
        design(FEED, ELEMENT=kind.number, LANES=lanes, SIDE_A=side_a, **parameters, **with_mx(mx)),
        "feed",
        lanes,
        "",
        kind.family,
        "",
        frac_bits,
        kind.formats,
        baseline,
    )


def feed_of(
    kind_name: str,
    lanes: int,
    frac_bits: int | None = None,
    baseline: Entry | None = None,
    mx: bool = False,
) -> Entry:
    """The feed that an element of this kind needs."""
    kind = KINDS[kind_name]
    # The other feeds do not depend on the window.
    window = frac_bits if kind.feed in ("distances", "bounded") else None
    name = kind.name if kind.feed == "format" else kind.family
    return feed(name, kind, lanes, baseline, window, mx=mx)


def int8_feeds(lanes: int) -> tuple[Entry, Entry]:
    """A's operands pass as they are, B's as radix-4 digits, with the sum that the negative ones need."""
    kind = KINDS["int8"]
    return feed("int8_codes", kind, lanes), feed("int8_digits", kind, lanes, side_a=0)


# ---- what the array has instead of an element, and the array --------------------------------------------------------

FEED = "fp8mac_feed"
ACCUMULATORS = "fp8mac_acc_memory"  # a memory, whose area is not counted
READOUT = "fp8mac_readout"  # converts results to FP32, where the accumulator's code is not FP32's
OUTPUTS = 4096  # of the accumulator memory, as in the default chip: 64 x 64


def part_of(inner: Entry, name: str, made: Design) -> Entry:
    """A part of an array of INNER, measured once by itself."""
    return replace(
        inner,
        name=name,
        design=made,
        group="unit",
        baseline=None,
        single=None,
        rival=None,
        target=None,
        copies=1,
        variants=1,
    )


def unit(inner: Entry, rows: int) -> Entry:
    """The module that an array of ROWS rows instantiates in the place of INNER. Its accumulators are in the array's
    accumulator memory. With block accumulation it has the elements of a column that share an accumulate unit."""
    kind, given = KINDS[inner.kind], dict(inner.design.parameters)
    if inner.family == "block":
        share = rules.share(kind, inner.lanes, rows)
        names = ("LANES", "BLOCK", "FRAC_BITS", "ACC_FP32", "ACC_FP16", "MX")
        made = design(
            "fp8mac_block_cluster",
            SHARE=share,
            **{name: given[name] for name in names if name in given},
        )
        name = f"unit_{inner.name}_s{share}"
    elif inner.family == "int8":
        more = {key: value for key, value in given.items() if key == "TREE_REGISTER"}
        made, name = (
            design(
                "fp8mac_int8_pipeline",
                LANES=inner.lanes,
                STAGES=kind.result_cycle - kind.acc_cycle,
                **more,
            ),
            f"unit_{inner.name}",
        )
    else:
        window = {} if inner.frac_bits is None else {"FRAC_BITS": inner.frac_bits}
        made = design("fp8mac_element", ELEMENT=kind.number, LANES=inner.lanes, **window)
        name = f"unit_{inner.name}"
    return part_of(inner, name, made)


def readout(inner: Entry) -> Entry:
    """The conversion of one result a cycle."""
    window = {} if inner.frac_bits is None else {"FRAC_BITS": inner.frac_bits}
    made = design(READOUT, ELEMENT=KINDS[inner.kind].number, **window)
    return part_of(inner, f"readout_{inner.name}", made)


def array_of(
    inner: Entry,
    feeds: tuple[tuple[Entry, int], ...],
    baseline: Entry | None,
    rows: int,
    columns: int,
    target: float | None = None,
) -> Entry:
    """The array as the sum of its parts. Units, operand feeds and read-out, which stand in it many times, are synthesised
    once each; result registers and control are the array's own netlist."""
    window = {} if inner.frac_bits is None else {"FRAC_BITS": inner.frac_bits}
    made = design(
        "fp8mac_array",
        ROWS=rows,
        COLS=columns,
        LANES=inner.lanes,
        ELEMENT=KINDS[inner.kind].number,
        TILES=OUTPUTS // (rows * columns),
        **window,
        **with_mx(has_mx(inner)),
    )
    its = unit(inner, rows)
    return replace(
        inner,
        name=f"array_{rows}x{columns}_{inner.name}",
        design=replace(made, black_boxes=(its.design.top, FEED, READOUT, ACCUMULATORS, CLOCK_GATE)),
        group="array",
        baseline=baseline,
        single=None,
        rival=None,
        parts=(
            (its.design.top, its),
            (READOUT, readout(inner)),
            (ACCUMULATORS, None),
            (CLOCK_GATE, None),
        ),
        feeds=feeds,
        target=target,
        copies=1,
        variants=1,
    )


def int8_array(lanes: int, rows: int, columns: int) -> Entry:
    codes, digits = int8_feeds(lanes)
    return array_of(int8(lanes), ((codes, rows), (digits, columns)), None, rows, columns)


def array(
    kind: str,
    lanes: int,
    frac_bits: int | None = None,
    rows: int = ROWS,
    columns: int = COLUMNS,
    acc: str = "both",
    target: float | None = None,
    mx: bool = False,
) -> Entry:
    """`acc` and `mx` are for kinds with block accumulation. Their arrays have both accumulator formats; with one of them
    alone the units are smaller, and the rest is that of both."""
    if KINDS[kind].family == "block":
        inner = block(lanes, frac_bits, acc, mx=mx, kind_name=kind)
    else:
        inner = element(kind, lanes, frac_bits)
    feeds = ((feed_of(kind, lanes, inner.frac_bits, mx=mx), rows + columns),)
    return array_of(inner, feeds, int8_array(lanes, rows, columns), rows, columns, target)


def needed(entry: Entry | None) -> tuple[Entry, ...]:
    """An entry and every other one that its record is made of."""
    if entry is None:
        return ()
    others = (
        entry.baseline,
        entry.single,
        entry.rival,
        *(part for _, part in entry.parts),
        *(part for part, _ in entry.feeds),
    )
    return (entry, *(one for other in others for one in needed(other)))
