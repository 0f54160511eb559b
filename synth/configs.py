# SPDX-License-Identifier: Apache-2.0
"""What `make synth` measures: one table of elements, each beside its INT8 baseline of equal lanes and banks.

An element is a top module with parameters. To measure another one, add a line to ELEMENTS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from flow.runs import Design

FORMATS = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")
ACCUMULATORS = ("fp32", "fp16", "fixed", "int32")
LANES = (1, 2, 4, 8, 16, 32)
LATE_BITS = {
    "fp32": 25,
    "fp16": 12,
}  # fp8mac_element_pkg's late_bits: at least so many where the accumulator joins late
FRAC_BITS = {
    "fp32": 25,
    "fp16": 13,
}  # a window's width where nothing else is said; `fixed` is exact
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

BANKS = 4  # interleaved accumulators, on both sides
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
    baseline: Element | None = None
    target: float | None = None  # the largest area, as a ratio to the baseline's
    sweep: bool = False  # measured over all PERIODS by a full run
    removed: str = ""  # what the full element has and this one has not
    parts: tuple[
        tuple[str, Element | None], ...
    ] = ()  # black boxes, and what each of them is; None is left out
    inside: tuple[
        tuple[Element, int], ...
    ] = ()  # what else it has so often: measured alone, for the table to tell
    kind: str = ""  # what its window hangs from, see PRODUCTS
    period_ns: float | None = None  # measured at this one instead of the library's headline
    variants: int = 3  # re-synthesised so often


# Leaves as one would write them without thinking of their cells, for both sides.
BEHAVIOURAL = ("rtl/behavioural",)


def design(top: str, *folders: str, **parameters: int) -> Design:
    return Design(top, tuple(parameters.items()), folders=folders)


def int8(lanes: int, sweep: bool = False, behavioural: bool = False) -> Element:
    """The baseline: INT8 products, one compressor tree, INT32 accumulators, as well built as the FP8 element."""
    folders = BEHAVIOURAL if behavioural else ()
    name = f"int8_{lanes}" + ("_behavioural" if behavioural else "")
    many = (
        {"TREE_REGISTER": 1} if lanes > 16 and not behavioural else {}
    )  # without it 32 lanes miss 6 ns
    return Element(
        name,
        design("fp8mac_element_int8", *folders, LANES=lanes, BANKS=BANKS, **many),
        "int8",
        lanes,
        "int32",
        EXACT,
        ("int8",),
        sweep=sweep,
    )


E5M2 = frozenset(("e5m2", "e5m2fnuz"))
E4M3 = ("e4m3fn", "e4m3fnuz")
OCP = ("e4m3fn", "e5m2")

# What the window hangs from, beside the largest product and the accumulator: the step's largest operands, where the
# accumulator joins the products' sum (one lane: correctly rounded), or a bound over all of K.
PRODUCTS, LATE, STATIC = "", "late", "static"


def distance_bits(frac_bits: int) -> int:
    """$clog2(FRAC_BITS + 3): for the largest distance to leave nothing in the window."""
    return (frac_bits + 2).bit_length()


def fp8_design(
    lanes: int,
    accumulator: str,
    frac_bits: int | str,
    formats: tuple[str, ...],
    kind: str = PRODUCTS,
    behavioural: bool = False,
    **more: int,
) -> Design:
    """The one place that knows how the elements' RTL spells a configuration."""
    wide = bool(E5M2 & set(formats))
    normalised = wide or not more.get("SUBNORMALS", 1)
    inf = int("e5m2" in formats)
    folders = BEHAVIOURAL if behavioural else ()
    if accumulator == "fixed":
        window = {}
        if kind == STATIC:
            window = {
                "DISTANCE_W": distance_bits(frac_bits),
                "HIDDEN_ONE": 1,
                "FRAC_BITS": frac_bits,
            }
        return design(
            "fp8mac_element_static", *folders, LANES=lanes, BANKS=BANKS, INF=inf, **window, **more
        )
    if frac_bits == EXACT and lanes > 1:
        return design("fp8mac_element_exact", LANES=lanes, BANKS=BANKS)
    rounded = {"ACC_FP16": int(accumulator == "fp16"), "INF": inf}
    if frac_bits == EXACT:
        return design("fp8mac_element_late", LANES=lanes, **rounded, **more)
    if kind == LATE:
        return design("fp8mac_element_late", LANES=lanes, FRAC_BITS=frac_bits, **rounded, **more)
    return design(
        "fp8mac_element_aligned",
        *folders,
        LANES=lanes,
        FRAC_BITS=frac_bits,
        EXP_W=5 if wide else 4,
        HIDDEN_ONE=int(normalised),
        **rounded,
        **({"SCALE": int(formats != OCP), **more}),
    )


def fp8(
    lanes: int,
    accumulator: str,
    frac_bits: int | str | None = None,
    formats: tuple[str, ...] = FORMATS,
    kind: str = PRODUCTS,
    target: float | None = None,
    group: str = "main",
    sweep: bool = False,
    removed: str = "",
    behavioural: bool = False,
    **more: int,
) -> Element:
    if frac_bits is None:
        frac_bits = EXACT if lanes == 1 else FRAC_BITS.get(accumulator, EXACT)
    short = "" if formats == FORMATS else "_" + "_".join(formats)
    name = (
        f"fp8_{accumulator}_{frac_bits}_{lanes}{short}"
        + (f"_{kind}" if kind else "")
        + "".join(f"_no_{name.lower()}" for name in more)
        + ("_behavioural" if behavioural else "")
    )
    return Element(
        name,
        fp8_design(lanes, accumulator, frac_bits, formats, kind, behavioural, **more),
        group,
        lanes,
        accumulator,
        frac_bits,
        formats,
        int8(lanes, sweep, behavioural),
        target,
        sweep,
        removed,
        kind=kind,
    )


def edge(
    name: str, top: str, lanes: int, baseline: Element | None = None, **parameters: int
) -> Element:
    """One row's edge: decoders and registers."""
    return Element(
        f"edge_{name}_{lanes}",
        design(top, LANES=lanes, **parameters),
        "edge",
        lanes,
        "-",
        "-",
        FORMATS if baseline else ("int8",),
        baseline,
    )


def fp8_edge(
    lanes: int, kind: str, frac_bits: int | str, baseline: Element | None = None
) -> Element:
    if kind == PRODUCTS:
        return edge("products", "fp8mac_feed_aligned", lanes, baseline, NORMALISE=1)
    return edge(
        f"{kind}_{frac_bits}",
        "fp8mac_feed_distance",
        lanes,
        baseline,
        DISTANCE_W=distance_bits(frac_bits),
        OWN_BOUND=int(kind == LATE),
    )


def int8_edges(lanes: int) -> tuple[Element, Element]:
    """One side's operands come as they are, the other's as Booth digits."""
    return (
        edge("int8_plain", "fp8mac_feed_int8", lanes, RECODE=0),
        edge("int8_recoded", "fp8mac_feed_int8", lanes, RECODE=1),
    )


def edges(lanes: int) -> list[Element]:
    plain, digits = int8_edges(lanes)
    return [
        plain,
        *(
            fp8_edge(lanes, kind, frac_bits, digits)
            for kind, frac_bits in (
                (PRODUCTS, 25),
                (LATE, 25),
                (LATE, 13),
                (STATIC, 25),
                (STATIC, 13),
            )
        ),
        edge("e4m3", "fp8mac_feed_kulisch", lanes, digits),
    ]


# ---- the array, and the accelerator without its memories -------------------------------------------------------------

ARRAY_LANES = 4
# Accumulator and window to fp8mac_array's ELEMENT
ARRAY_KINDS = {
    ("fp32", PRODUCTS): 1,
    ("fp16", PRODUCTS): 2,
    ("int32", PRODUCTS): 4,
    ("fp32", LATE): 5,
    ("fp16", LATE): 6,
    ("fixed", STATIC): 7,
}
SLOW_PERIOD = (
    12.0  # of what was not made for the elements' clock, as the accelerator's control and epilogue
)


def array_of(
    element: Element,
    inside: tuple[tuple[Element, int], ...],
    baseline: Element | None,
    period_ns: float | None,
) -> Element:
    """Elements are black boxes; what is synthesised are edges, results, read-out and control."""
    frac = {} if element.frac_bits == EXACT else {"FRAC_BITS": element.frac_bits}
    made = design(
        "fp8mac_array",
        ROWS=ROWS,
        COLS=COLUMNS,
        LANES=ARRAY_LANES,
        ELEMENT=ARRAY_KINDS[element.accumulator, element.kind],
        **frac,
    )
    return Element(
        f"array_{element.name}" + (f"_{period_ns:g}_ns" if period_ns else ""),
        replace(made, black_boxes=(element.design.top,)),
        "array",
        ARRAY_LANES,
        element.accumulator,
        element.frac_bits,
        element.formats,
        baseline,
        parts=((element.design.top, element),),
        inside=inside,
        kind=element.kind,
        period_ns=period_ns,
    )


def array(accumulator: str, kind: str, frac_bits: int, period_ns: float | None = None) -> Element:
    plain, digits = int8_edges(ARRAY_LANES)
    baseline = array_of(int8(ARRAY_LANES), ((plain, ROWS), (digits, COLUMNS)), None, period_ns)
    element = fp8(ARRAY_LANES, accumulator, frac_bits, kind=kind)
    return array_of(
        element, ((fp8_edge(ARRAY_LANES, kind, frac_bits), ROWS + COLUMNS),), baseline, period_ns
    )


def accelerator(accumulator: str, kind: str, frac_bits: int) -> Element:
    """The array is a black box, and the memories are left out. The baseline is INT8's array in the same surroundings. It
    takes so long that one variant must do."""
    inner = array(accumulator, kind, frac_bits, SLOW_PERIOD)
    around = replace(
        design("fp8mac_accel", ELEMENT=ARRAY_KINDS["fp32", LATE]),
        black_boxes=("fp8mac_array", "fp8mac_memories"),
    )

    def made(array: Element, baseline: Element | None) -> Element:
        return Element(
            array.name.replace("array", "accelerator"),
            around,
            "array",
            ARRAY_LANES,
            array.accumulator,
            array.frac_bits,
            array.formats,
            baseline,
            parts=(("fp8mac_array", array), ("fp8mac_memories", None)),
            kind=array.kind,
            period_ns=SLOW_PERIOD,
            variants=1,
        )

    return made(inner, made(inner.baseline, None))


def needed(element: Element | None) -> tuple[Element, ...]:
    """An element and everything else that its row is made of."""
    if element is None:
        return ()
    others = (
        element.baseline,
        *(part for _, part in element.parts),
        *(part for part, _ in element.inside),
    )
    return (element, *(one for other in others for one in needed(other)))


# What is left, what is gone. Without e4m3fn, e4m3fnuz or e5m2fnuz alone an element is what it was: the edge decodes,
# and another format has the same exponents and significands.
REMOVALS = (
    (E4M3, "both E5M2 formats", {}),
    (("e4m3fn", "e4m3fnuz", "e5m2fnuz"), "e5m2, which alone has Inf", {}),
    (OCP, "FNUZ and the run-time bias", {}),
    (FORMATS, "NaN", {"NAN": 0}),
    (FORMATS, "subnormals", {"SUBNORMALS": 0}),
    (("e4m3fn",), "all of these", {"NAN": 0, "SUBNORMALS": 0, "SCALE": 0}),
)

# The largest area of an element, as a ratio to its baseline's, by lanes
FP32_TARGETS = {1: 1.45, 4: 1.30, 16: 1.10, 32: 1.10}
FP16_TARGETS = {1: 0.95, 4: 0.92, 16: 0.80, 32: 0.80}


def of_lanes(
    accumulator: str, frac_bits: int, kind: str, targets: dict[int, float | None]
) -> list[Element]:
    """Some of them over the period, by a full run."""
    return [
        fp8(
            lanes,
            accumulator,
            frac_bits,
            kind=kind,
            target=target,
            sweep=lanes == 16 and kind != STATIC,
        )
        for lanes, target in targets.items()
        if lanes > 1
    ]


ELEMENTS = [
    # One lane is correctly rounded
    fp8(1, "fp32", target=FP32_TARGETS[1]),
    fp8(1, "fp16", target=FP16_TARGETS[1]),
    *of_lanes("fp32", 25, LATE, FP32_TARGETS),
    *of_lanes("fp32", 13, LATE, dict.fromkeys(FP32_TARGETS)),
    *of_lanes("fp16", 13, LATE, FP16_TARGETS),
    *of_lanes("fixed", 25, STATIC, FP32_TARGETS),
    *of_lanes("fixed", 13, STATIC, FP16_TARGETS),
    *of_lanes("fp32", 25, PRODUCTS, FP32_TARGETS),
    *of_lanes("fp16", 13, PRODUCTS, FP16_TARGETS),
    fp8(4, "fixed", formats=E4M3, target=1.05),
    fp8(16, "fixed", formats=E4M3, target=1.00),
    # As one would write both sides without thinking of cells
    *(
        fp8(4, accumulator, group="behavioural", behavioural=True)
        for accumulator in ("fp32", "fp16")
    ),
    # Sums of 16 lanes as synthesis makes them are slow
    *(
        replace(fp8(16, accumulator, group="behavioural", behavioural=True), period_ns=SLOW_PERIOD)
        for accumulator in ("fp32", "fp16")
    ),
    # What each feature costs
    *(
        fp8(16, accumulator, formats=formats, group="removal", removed=removed, **more)
        for accumulator in ("fp32", "fp16")
        for formats, removed, more in REMOVALS
    ),
    *edges(16),
    # The whole array, and the accelerator without its memories
    *(
        array(*what)
        for what in (
            ("fp32", LATE, 25),
            ("fp32", LATE, 13),
            ("fp16", LATE, 13),
            ("fixed", STATIC, 13),
            ("fp32", PRODUCTS, 25),
            ("fp16", PRODUCTS, 13),
        )
    ),
    *(accelerator(*what) for what in (("fp32", LATE, 25), ("fp32", LATE, 13), ("fp16", LATE, 13))),
    # The exact sum of all formats, both accumulators at run time: not made for the others' clock either
    replace(fp8(4, "fp32", EXACT, group="exact"), period_ns=SLOW_PERIOD),
    replace(fp8(16, "fp32", EXACT, group="exact"), period_ns=SLOW_PERIOD),
    # The window's width
    *(fp8(4, "fp32", bits, group="frac_bits") for bits in (13, 16, 19, 22, 28)),
    *(fp8(4, "fp16", bits, group="frac_bits") for bits in (10, 11, 12, 14, 16)),
    *(fp8(16, "fp32", bits, kind=LATE, group="frac_bits") for bits in (9, 10, 11, 16, 19, 22)),
    *(fp8(16, "fp16", bits, kind=LATE, group="frac_bits") for bits in (9, 10, 11)),
    fp8(32, "fp32", 10, kind=LATE, group="frac_bits"),
    fp8(32, "fp16", 9, kind=LATE, group="frac_bits"),
]

# The default run leaves these groups to `make synth-full`.
LONG = ("frac_bits", "removal", "behavioural", "array", "exact")


def in_other_libraries(element: Element) -> bool:
    """Whether a full run measures it with the libraries beside the first, at the headline period alone."""
    return element.group == "main" and element.lanes in BREAKDOWN_LANES


def usual_name(library: str) -> str:
    """A library's name here, which may be given by its file's."""
    return next((name for name, (path, _) in LIBRARIES.items() if library == path.stem), library)


def headline(library: str) -> float:
    return LIBRARIES.get(usual_name(library), (None, HEADLINE_PERIOD))[1]


def periods(element: Element, library: str, full: bool) -> tuple[float, ...]:
    """Where nothing else is asked for."""
    if element.period_ns:
        return (element.period_ns,)
    if full and element.sweep and usual_name(library) == next(iter(LIBRARIES)):
        return PERIODS
    return (headline(library),)


def elements(full: bool) -> Iterator[Element]:
    """Every element of the default or the full run."""
    return (element for element in ELEMENTS if full or element.group not in LONG)


# What a user calls them, and the accumulators that they are for
WINDOWS = {
    "products": (PRODUCTS, ("fp32", "fp16")),
    "late": (LATE, ("fp32", "fp16")),
    "static": (STATIC, ("fixed",)),
}
FRAC_RANGE = (4, 29)  # of a window: as many as the elements' alignment reaches


def own(
    lanes: int, accumulator: str, frac_bits: int | str | None, formats: tuple[str, ...], window: str
) -> Element:
    """What a user asked for; "" or None where nothing is said. What there is not is a ValueError with the reason."""
    if not window and accumulator == "fixed":
        window = (
            "static"
            if frac_bits not in (None, EXACT) or (frac_bits is None and E5M2 & set(formats))
            else ""
        )
    if window and accumulator not in WINDOWS[window][1]:
        raise ValueError(f"WINDOW={window} is for ACC={' or ACC='.join(WINDOWS[window][1])}")
    if window and frac_bits == EXACT:
        raise ValueError("FRAC=exact has no window: leave WINDOW out, or give FRAC a number")
    if window == "late" and lanes == 1:
        if frac_bits is not None:
            raise ValueError(
                "LANES=1 WINDOW=late is correctly rounded whatever its window: leave FRAC out"
            )
        frac_bits = EXACT
    if window and frac_bits is None:
        frac_bits = FRAC_BITS.get(accumulator, FRAC_BITS["fp32"])
    element = fp8(
        lanes, accumulator, frac_bits, formats, WINDOWS[window][0] if window else PRODUCTS
    )
    if element.frac_bits == EXACT and accumulator == "fixed" and E5M2 & set(formats):
        raise ValueError(
            "ACC=fixed FRAC=exact is for the E4M3 formats: add FORMATS=e4m3fn,e4m3fnuz, "
            "or give FRAC a number"
        )
    if element.frac_bits == EXACT and accumulator != "fixed" and lanes > 1 and formats != FORMATS:
        raise ValueError(
            "FRAC=exact with several lanes has all formats: leave FORMATS out, or give FRAC a number"
        )
    return element


# Source folders, the register files' generated ones in the build folder beside them.
SOURCES = (
    "rtl",
    "rtl/leaf",
    "rtl/feed",
    "rtl/element",
    "rtl/element/shared",
    "rtl/element/exact",
    "rtl/element/aligned",
    "rtl/element/late",
    "rtl/element/static",
    "rtl/element/int8",
    "rtl/array",
    "rtl/epilogue",
    "rtl/accel",
)
GENERATED = ("regs",)

# ---- breakdown ------------------------------------------------------------------------------------------------------

BREAKDOWN_LANES = (4, 16)


def breakdown_lanes(full: bool) -> tuple[int, ...]:
    return BREAKDOWN_LANES if full else BREAKDOWN_LANES[-1:]


# The boxes of the datapath, in its order, and the words in a module's or instance's name that put it into one. The
# outermost instance that matches decides; logic in none of them is `control`; flip-flops are `registers` everywhere.
BOXES = {
    "decode": ("decode",),
    "multiply": ("multiply", "booth"),
    "align": ("align", "maximum", "place"),
    "add": ("add", "compressor tree", "signed_tree", "rotating"),
    "normalise": ("normalise",),
    "round": ("round",),
}

# ---- accuracy -------------------------------------------------------------------------------------------------------

ACCURACY_K = 4096
ACCURACY_STATIC_EXPONENT = 4  # normal values of the error's matrices are below 8 = 2^3 in e4m3fn: exponents of at most 2 + 2


def model_settings(element: Element) -> dict[str, str]:
    """The model's settings that compute what the element does."""
    settings = {"group": str(element.lanes), "acc-format": element.accumulator}
    if element.frac_bits != EXACT:
        settings["frac-bits"] = str(element.frac_bits)
    if element.accumulator == "fp16" and element.frac_bits != EXACT:
        settings["min-exponent"] = "-14"
    if element.kind == LATE:
        late = max(int(element.frac_bits), LATE_BITS[element.accumulator])
        settings |= {
            "align-by": "operands",
            "acc-late": "",
            "late-round": "odd",
            "late-bits-sum": str(late),
            "late-bits-acc": str(late),
        }
        settings.pop("min-exponent", None)
    if element.kind == STATIC:
        settings["static-exponent"] = str(ACCURACY_STATIC_EXPONENT)
    return settings
