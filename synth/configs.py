# SPDX-License-Identifier: Apache-2.0
"""What `make synth` measures: one table of elements, each beside its INT8 twin of equal lanes and slots.

An element is a top module with parameters. To measure another one, add a line to ELEMENTS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flow.runs import Design

FORMATS = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
ACCUMULATORS = ("fp32", "fp16", "fixed", "int32")
LANES = (1, 2, 4, 8, 16, 32)
FRAC_BITS = {"fp32": 25, "fp16": 13}  # a window's width where nothing else is said; `fixed` is exact
EXACT = "exact"

HEADLINE_PERIOD = 6.0
PERIODS = tuple(float(period) for period in range(4, 13))

# Where Debian's qflow packages put the libraries, and the headline period in each: the older ones are slower.
TECH = Path("/usr/share/qflow/tech")
LIBRARIES = {
    "osu018": (TECH / "osu018/osu018_stdcells.lib", HEADLINE_PERIOD),
    "osu035": (TECH / "osu035/osu035_stdcells.lib", 10.0),
    "osu050": (TECH / "osu050/osu05_stdcells.lib", 12.0),
}

SLOTS = 4           # interleaved accumulators, on both sides
ROWS, COLUMNS = 8, 8  # of the array whose edge an element shares


@dataclass(frozen=True)
class Element:
    """One line of the table. `group` says which table or plot it belongs to; the default run leaves out LONG ones."""

    name: str
    design: Design
    group: str
    lanes: int
    accumulator: str
    frac_bits: int | str
    formats: tuple[str, ...]
    twin: Element | None = None
    target: float | None = None   # the largest area, as a ratio to the twin's
    sweep: bool = False           # measured over all PERIODS by a full run
    removed: str = ""             # what the full element has and this one has not
    parts: tuple[tuple[str, Element | None], ...] = ()  # black boxes, and what each of them is; None is left out
    kind: str = ""                # what its window hangs from, see PRODUCTS


# Leaves as one would write them without thinking of their cells, for both sides.
BEHAVIOURAL = ("synth/behavioural",)


def design(top: str, *folders: str, **parameters: int) -> Design:
    return Design(top, tuple(parameters.items()), folders=folders)


def int8(lanes: int, sweep: bool = False, behavioural: bool = False) -> Element:
    """The twin: INT8 products, one heap, INT32 accumulators, as well built as the FP8 element."""
    folders = BEHAVIOURAL if behavioural else ()
    name = f"int8_{lanes}" + ("_behavioural" if behavioural else "")
    many = {"HEAP_REGISTER": 1} if lanes > 16 and not behavioural else {}  # without it 32 lanes miss 6 ns
    return Element(name, design("fp8mac_pe_int8", *folders, LANES=lanes, SLOTS=SLOTS, **many), "int8", lanes, "int32", EXACT,
                   ("int8",), sweep=sweep)


E5M2 = frozenset(("e5m2", "e5m2fnuz"))
E4M3 = ("e4m3fn", "e4m3fnuz")
OCP = ("e4m3fn", "e5m2")

# What the window hangs from, beside the largest product: the largest operands of the step, or a bound over all of K.
PRODUCTS, OPERANDS, ANCHOR = "", "operands", "anchored"
FUSED_FRAC_BITS = {"fp32": 26, "fp16": 13}


def fp8_design(lanes: int, accumulator: str, frac_bits: int | str, formats: tuple[str, ...], kind: str = PRODUCTS,
               behavioural: bool = False, **more: int) -> Design:
    """The one place that knows how the elements' RTL spells a configuration."""
    wide = bool(E5M2 & set(formats))
    inf = int("e5m2" in formats)
    folders = BEHAVIOURAL if behavioural else ()
    if accumulator == "fixed":
        window = {"DISTANCE_W": 5, "HIDDEN_ONE": 1, "FRAC_BITS": frac_bits} if kind == ANCHOR else {}
        return design("fp8mac_pe_fixed", *folders, LANES=lanes, SLOTS=SLOTS, INF=inf, **window, **more)
    if frac_bits == EXACT and lanes > 1:
        return design("fp8mac_pe", LANES=lanes, SLOTS=SLOTS)
    fused = frac_bits == EXACT
    return design("fp8mac_pe_window", *folders, LANES=lanes,
                  FRAC_BITS=FUSED_FRAC_BITS[accumulator] if fused else frac_bits, ACC_FP16=int(accumulator == "fp16"),
                  EXP_W=5 if wide else 4, HIDDEN_ONE=int(wide), INF=inf, FUSED=int(fused),
                  ALIGN_BY_OPERANDS=int(kind == OPERANDS or lanes == 1),
                  **({"SCALE": int(formats != OCP), **more}))


def fp8(lanes: int, accumulator: str, frac_bits: int | str | None = None, formats: tuple[str, ...] = FORMATS,
        kind: str = PRODUCTS, target: float | None = None, group: str = "main", sweep: bool = False, removed: str = "",
        behavioural: bool = False, **more: int) -> Element:
    if frac_bits is None:
        frac_bits = EXACT if lanes == 1 else FRAC_BITS.get(accumulator, EXACT)
    short = "" if formats == FORMATS else "_" + "_".join(formats)
    name = f"fp8_{accumulator}_{frac_bits}_{lanes}{short}" + (f"_{kind}" if kind else "") + \
        "".join(f"_no_{name.lower()}" for name in more) + ("_behavioural" if behavioural else "")
    return Element(name, fp8_design(lanes, accumulator, frac_bits, formats, kind, behavioural, **more), group, lanes,
                   accumulator, frac_bits, formats, int8(lanes, sweep, behavioural), target, sweep, removed, kind=kind)


def edge(name: str, top: str, lanes: int, twin: Element | None = None, **parameters: int) -> Element:
    """One row's edge: decoders and registers."""
    return Element(f"edge_{name}_{lanes}", design(top, LANES=lanes, **parameters), "edge", lanes, "-", "-",
                   FORMATS if twin else ("int8",), twin)


def edges(lanes: int) -> list[Element]:
    digits = edge("int8_recoded", "fp8mac_int8_edge", lanes, RECODE=1)
    plain = edge("int8_plain", "fp8mac_int8_edge", lanes, RECODE=0)
    fp8_edges = {"products": {}, "operands": {"BY_OPERANDS": 1}, "anchored": {"ANCHORED": 1}}
    return [plain, *(edge(name, "fp8mac_window_edge", lanes, digits, NORMALISE=1, **more)
                     for name, more in fp8_edges.items()),
            edge("e4m3", "fp8mac_window_edge", lanes, digits, EXP_W=4)]


ELEMENTS = [
    fp8(1, "fp32", target=1.45),
    fp8(4, "fp32", target=1.30),
    fp8(16, "fp32", target=1.10, sweep=True),
    fp8(32, "fp32", target=1.10),
    fp8(1, "fp16", target=0.95),
    fp8(4, "fp16", target=0.92),
    fp8(16, "fp16", target=0.80, sweep=True),
    fp8(32, "fp16", target=0.80),
    fp8(4, "fixed", formats=E4M3, target=1.05),
    fp8(16, "fixed", formats=E4M3, target=1.00),
    # The window hung from a bound that the edge knows: the same targets, other numerics
    *(fp8(lanes, "fp32", kind=OPERANDS, target=target) for lanes, target in ((4, 1.30), (16, 1.10))),
    *(fp8(lanes, "fp16", kind=OPERANDS, target=target) for lanes, target in ((4, 0.92), (16, 0.80))),
    *(fp8(lanes, "fixed", 25, kind=ANCHOR, target=target) for lanes, target in ((4, 1.30), (16, 1.10), (32, 1.10))),
    *(fp8(lanes, "fixed", 13, kind=ANCHOR, target=target) for lanes, target in ((4, 0.92), (16, 0.80), (32, 0.80))),
    # As one would write both sides without thinking of cells
    fp8(4, "fp32", group="behavioural", behavioural=True),
    fp8(16, "fp32", group="behavioural", behavioural=True),
    fp8(4, "fp16", group="behavioural", behavioural=True),
    fp8(16, "fp16", group="behavioural", behavioural=True),
    # What each feature costs
    *(fp8(16, accumulator, formats=formats, group="removal", removed=removed, **more)
      for accumulator in ("fp32", "fp16")
      for formats, removed, more in (
          (E4M3, "both E5M2 formats", {}),
          (("e4m3fn", "e4m3fnuz", "e5m2fnuz"), "E5M2's Inf", {}),
          (OCP, "FNUZ and the run-time bias", {}),
          (FORMATS, "NaN", {"NAN": 0}))),
    *edges(16),
    # The exact sum of all formats
    fp8(4, "fp32", EXACT, group="exact"),
    fp8(16, "fp32", EXACT, group="exact"),
    # The window's width
    *(fp8(4, "fp32", bits, group="frac_bits") for bits in (13, 16, 19, 22, 28)),
    *(fp8(4, "fp16", bits, group="frac_bits") for bits in (10, 11, 12, 14, 16)),
]

# The default run leaves these groups to `make synth-full`.
LONG = ("frac_bits", "removal", "behavioural", "array", "exact")

# With the other libraries a full run measures these groups, at the headline period alone.
OTHER_LIBRARIES = ("main",)


def elements(full: bool) -> Iterator[Element]:
    """Every element of the default or the full run."""
    return (element for element in ELEMENTS if full or element.group not in LONG)


def own(lanes: int, accumulator: str, frac_bits: int | str | None, formats: tuple[str, ...]) -> Element:
    """What a user asked for."""
    if accumulator == "fixed" and E5M2 & set(formats):
        frac_bits = frac_bits or FRAC_BITS["fp32"]
        return fp8(lanes, accumulator, frac_bits, formats, ANCHOR)
    return fp8(lanes, accumulator, frac_bits, formats)


# Source folders, the register files' generated ones in the build folder beside them.
SOURCES = ("rtl", "rtl/leaf", "rtl/array", "rtl/epilogue", "rtl/accel")
GENERATED = ("regs",)

# ---- breakdown ------------------------------------------------------------------------------------------------------

BREAKDOWN_LANES = (4, 16)

# The boxes of the datapath, in its order, and the words in a module's or instance's name that put it into one. The
# outermost instance that matches decides; logic in none of them is `control`; flip-flops are `registers` everywhere.
BOXES = {
    "decode": ("decode",),
    "multiply": ("multiply", "booth"),
    "align": ("align", "maximum", "place"),
    "add": ("add", "heap", "signed_heap", "rotating"),
    "normalise": ("normalise",),
    "round": ("round",),
}

# ---- accuracy -------------------------------------------------------------------------------------------------------

ACCURACY_K = 4096
ACCURACY_ANCHOR = 4  # normal values of the error's matrices are below 8 = 2^3 in e4m3fn: exponents of at most 2 + 2


def model_settings(element: Element) -> dict[str, str]:
    """The model's settings that compute what the element does."""
    settings = {"group": str(element.lanes), "acc-format": element.accumulator}
    if element.frac_bits != EXACT:
        settings["frac-bits"] = str(element.frac_bits)
    if element.accumulator == "fp16" and element.frac_bits != EXACT:
        settings["min-exponent"] = "-14"
    if element.kind == OPERANDS:
        settings["align-by"] = "operands"
    if element.kind == ANCHOR:
        settings["anchor"] = str(ACCURACY_ANCHOR)
    return settings
