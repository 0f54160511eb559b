# SPDX-License-Identifier: Apache-2.0
"""Drives an element's netlist with operands through the netlists of its operand feeds, as in an array, and checks the
results. With block accumulation the netlist has as many elements as share an accumulate unit.
"""

from __future__ import annotations

import runpy
from dataclasses import dataclass, replace

import numpy as np

from ..flow.errors import FlowError
from ..flow.runs import Design
from ..study.elements import BANKS, KINDS, REGISTER_SUFFIX, STAGGERED_SUFFIX
from ..study.records import Record
from .circuit import STREAMS
from .data import BLOCK, COLUMNS, SCALE_BIAS, Data, Order, Steps, operands, steps, value_of

# The generated module by its path: the package needs the compiled model.
Fp8Format = runpy.run_path("model/python/fp8mac/register_codes.py")["Fp8Format"]
NO_BOUND, NO_PLACE = 63, 511  # BoundNone, PlaceNone
# Largest error, relative to the sum of the products' magnitudes: by kind, and for a window of less than 25 bits.
TOLERANCE = {"fp32": 2e-5, "fp16": 2e-2, "kulisch": 1e-12, "static": 1e-4}
TOLERANCE_NARROW = 2e-3


@dataclass(frozen=True)
class Kind:
    """How an element is driven: the module of its feeds and their parameters, by side; cycles from the codes to
    step_first_i, and to the result."""

    name: str
    top: str
    a: tuple[tuple[str, int], ...]
    b: tuple[tuple[str, int], ...]
    first: int
    result: int
    turn: int = 1  # steps of an accumulator's turn, and elements of a netlist
    late: int = 0  # cycles by which a register delays the accumulate unit's work
    staggered: bool = (
        False  # a row takes its operands a cycle after the row before; the unit works a cycle later
    )

    def feed(self, side: str, lanes: int) -> Design:
        return Design(self.top, (("LANES", lanes), *(self.a if side == "a" else self.b)))


def both(name: str, number: int, first: int, result: int, **parameters: int) -> Kind:
    a, b = ((("ELEMENT", number), *parameters.items(), ("SIDE_A", side_a)) for side_a in (1, 0))
    return Kind(name, "fp8mac_feed", a, b, first, result)


def kind_of(record: Record) -> Kind:
    """The kind of a record of area.json."""
    parameters = record["parameters"]
    number = parameters.get("ELEMENT", KINDS["int8"].number)
    window = {"FRAC_BITS": parameters["FRAC_BITS"]} if "FRAC_BITS" in parameters else {}
    if record["top"] == "fp8mac_element_int8":
        cycles = 2 + parameters.get("BANKS", BANKS) + parameters.get("TREE_REGISTER", 0)
        return both("int8", number, 1, cycles)
    staggered = record["top"] == "fp8mac_element_block" + STAGGERED_SUFFIX
    if record["top"] == "fp8mac_element_block" or staggered:
        mx = {"MX": 1} if parameters.get("MX") else {}
        kind = both("block", KINDS[record["kind"]].number, 2, 6, **window, **mx)
        late = int(record["name"].endswith(REGISTER_SUFFIX))
        turn, result = parameters["SHARE"], kind.result + late + staggered
        return replace(kind, turn=turn, result=result, late=late, staggered=staggered)
    if record["top"] == "fp8mac_element_static":
        name = "kulisch" if number == KINDS["kulisch"].number else "static"
        return both(name, number, 1, 7, **window)
    if record["top"] == "fp8mac_element_late":
        return both("late", number, 4, 8, **window)
    return both("aligned", number, 2, 6)


# The fields of fp8mac_feed's lanes, the lowest first, and their widths; what stands above the lanes
# (fp8mac_element_pkg draws both).
LANE_W, COMMON_W = 14, 11
LANE = dict.fromkeys("ab", (("", LANE_W),))
FIELDS = {
    "int8": {"a": (("", 8),), "b": (("", 12),)},
    "aligned": dict.fromkeys("ab", (("", LANE_W), ("_exp", 5), ("_zero", 1))),
}
COMMON = {"field": slice(0, 9), "none": slice(9, 10), "nan": slice(10, 11)}


def bits_of(values: np.ndarray, width: int) -> np.ndarray:
    """[...] to [..., width], the lowest bit first."""
    return (values[..., None].astype(np.int64) >> np.arange(width) & 1).astype(np.uint8)


def constant(value: int, width: int, cycles: int) -> np.ndarray:
    return np.broadcast_to(bits_of(np.array(value), width), (cycles, STREAMS, width))


def delayed(values: np.ndarray, cycles: int, total: int) -> np.ndarray:
    """[cycle, ...] delayed, 0 before and after."""
    result = np.zeros((total, *values.shape[1:]), values.dtype)
    result[cycles : cycles + len(values)] = values[: total - cycles]
    return result


def later(values: np.ndarray) -> np.ndarray:
    """A cycle later"""
    return delayed(values[:-1], 1, len(values))


class Drive:
    """One netlist's work on one data set, `most` steps of it and the rest of the pass."""

    def __init__(self, record: Record, data: Data, most: int | None = None):
        self.record, self.data, self.kind = record, data, kind_of(record)
        self.lanes = record["lanes"]
        self.is_int8 = self.kind.name == "int8"
        self.a = data.a_int8 if self.is_int8 else data.a_fp8
        self.b = data.b_int8 if self.is_int8 else data.b_fp8
        turn, banks = self.kind.turn, record["parameters"].get("BANKS", BANKS)
        self.order = Order(self.lanes, turn, turn, banks)
        self.steps: Steps = steps(len(self.a), len(self.b), self.a.shape[1], self.order, most)
        self.total = len(self.steps) + self.kind.result + turn - 1

    @property
    def macs(self) -> int:
        """Of a netlist in a cycle"""
        return self.lanes * self.order.share

    # ---- operand feeds -----------------------------------------------------------------------------------------------

    def where(self, side: str) -> np.ndarray:
        """[cycle, feed]: the rows of A or of B that the feeds of the array's rows or columns decode."""
        start, count = (
            (self.steps.row, self.order.rows) if side == "a" else (self.steps.column, COLUMNS)
        )
        return start[:, None] + np.arange(count)

    def feed_inputs(
        self, side: str, ports: dict[str, list], feeds: np.ndarray
    ) -> dict[str, np.ndarray]:
        """`feeds`: which feed each stream is"""
        codes, where = self.a if side == "a" else self.b, self.where(side)[:, feeds]
        count = len(self.steps)
        lanes = np.zeros((self.total, STREAMS, self.lanes), np.uint8)
        lanes[:count] = operands(codes, where, self.steps.k, self.lanes).view(np.uint8)
        all_inputs = {
            "rst_ni": constant(1, 1, self.total),
            "valid_i": delayed(np.ones((count, STREAMS, 1), np.uint8), 0, self.total),
            "lane_en_i": constant((1 << self.lanes) - 1, self.lanes, self.total),
            "code_i": np.unpackbits(lanes, axis=2, bitorder="little"),
            "fmt_i": constant(Fp8Format.of(self.data.format), 2, self.total),
            "bound_i": self._feed_bounds(codes, where),
            "nan_i": constant(0, 1, self.total),
            "base_i": constant(self.base & 0x1FF if side == "a" else 0, 9, self.total),
        }
        return {name: all_inputs[name] for name in ports}

    def _feed_bounds(self, codes: np.ndarray, where: np.ndarray) -> np.ndarray:
        """The largest exponent, with E5M2's bias, plus 1: of a row's block, or of all of a row. Without MX scales."""
        if self.kind.name not in ("static", "block"):
            return np.zeros((self.total, STREAMS, 6), np.uint8)
        return delayed(bits_of(self._bounds(codes, where), 6), 0, self.total)

    def _bounds(self, codes: np.ndarray, where: np.ndarray) -> np.ndarray:
        """[cycle, feed]"""
        length = self.lanes * self.kind.turn if self.kind.name == "block" else codes.shape[1]
        found = bounds(value_of(codes, self.data.format), length)
        return found[where % len(codes), self.steps.k[:, None] // length]

    # ---- the element -------------------------------------------------------------------------------------------------

    def element_inputs(
        self, a_feed: dict[str, np.ndarray], b_feed: dict[str, np.ndarray], ports: dict[str, list]
    ) -> dict[str, np.ndarray]:
        """From the outputs of the feeds of all rows and of all columns, [cycle, feed, bit]"""
        group, column = np.divmod(np.arange(STREAMS), COLUMNS)
        rows = group[:, None] * self.order.share + np.arange(self.order.share)
        b = {name: bits[:, column] for name, bits in b_feed.items()}
        if self.kind.name == "block":
            return self._block_inputs(a_feed, b, rows, column, ports)
        a = {name: bits[:, rows[:, 0]] for name, bits in a_feed.items()}
        inputs = {
            "step_first_i": lambda: self.same(
                self.steps.first & self.steps.begins, self.kind.first
            ),
            "rst_ni": lambda: constant(1, 1, self.total),
            "acc_fp16_i": lambda: constant(0, 1, self.total),  # a choice is FP32
            "base_i": lambda: constant(self.base & 0x1FF, 9, self.total),
            "nan_i": lambda: self._common(a, "nan") | self._common(b, "nan"),
            "none_i": lambda: self._common(a, "none") | self._common(b, "none"),
            "field_a_i": lambda: self._common(a, "field"),
            "negatives_i": lambda: self._above(b, self.lanes * FIELDS["int8"]["b"][0][1]),
            "bound_b_i": lambda: self._common(b, "field")[..., :6],
        }

        def lanes_of(name: str) -> np.ndarray:
            return self._lanes(a if name.startswith("a") else b, name[0], name[1:-2])

        return {name: inputs[name]() if name in inputs else lanes_of(name) for name in ports}

    def _block_inputs(
        self,
        a_feed: dict[str, np.ndarray],
        b: dict[str, np.ndarray],
        rows: np.ndarray,
        column: np.ndarray,
        ports: dict[str, list],
    ) -> dict[str, np.ndarray]:
        """Steps leave the feeds in cycle 1. What the unit takes of row r comes r cycles after the block's last step."""
        a = [
            {name: bits[:, rows[:, r]] for name, bits in a_feed.items()}
            for r in range(self.order.share)
        ]
        columns = np.repeat(column[:, None], rows.shape[1], 1)
        a_bound, a_place = self._places("a", rows)
        b_bound, b_place = self._places("b", columns)
        none = (a_bound == NO_BOUND) | (b_bound == NO_BOUND)
        acc_first = self._in_turn(np.repeat(self.steps.first[:, None], self.order.rows, 1), rows)
        field = len(ports["a_field_i"])
        found = {
            "rst_ni": constant(1, 1, self.total),
            "block_first_i": self.same(self.steps.begins, 1),
            "block_last_i": self.same(self.steps.ends, 1 + self.kind.late),
            "a_i": self._rows([self._lanes(feed, "a", "") for feed in a]),
            "b_i": self._lanes(b, "b", ""),
            "a_nan_i": self._rows([self._common(feed, "nan") for feed in a]),
            "b_nan_i": self._common(b, "nan"),
            "a_field_i": bits_of(a_place + self.base & (1 << field) - 1, field),
            "b_place_i": bits_of(b_place, len(ports["b_place_i"])),
            "none_i": later(none[..., None].astype(np.uint8)),
            "acc_first_i": later(acc_first[..., None].astype(np.uint8)),
            "acc_fp16_i": constant(0, 1, self.total),
        }
        return {name: found[name] for name in ports}

    def _rows(self, each: list[np.ndarray]) -> np.ndarray:
        """What the rows take, side by side"""
        if self.kind.staggered:
            count = self.total
            each = [delayed(bits[: count - r], r, count) for r, bits in enumerate(each)]
        return np.concatenate(each, axis=2)

    def _places(self, side: str, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[cycle, stream], as _in_turn: bounds, and places, which with MX scales are other numbers"""
        codes, where = self.a if side == "a" else self.b, self.where(side)
        bound, scales = (
            self._bounds(codes, where),
            self.data.a_mx if side == "a" else self.data.b_mx,
        )
        place = bound
        if scales is not None:
            scale = SCALE_BIAS + scales[where % len(codes), self.steps.k[:, None] // BLOCK]
            place = np.where(bound == NO_BOUND, NO_PLACE, bound + scale)
        return self._in_turn(bound, which), self._in_turn(place, which)

    def _in_turn(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """[cycle, feed] to [cycle, stream]: what the unit takes, in its cycle 0, of the block's rows one after the
        other."""
        result = np.zeros((self.total, STREAMS), values.dtype)
        ends = np.flatnonzero(self.steps.ends)
        for r in range(self.order.share):
            result[ends + 1 + self.kind.late + self.kind.staggered + r] = values[ends][
                :, rows[:, r]
            ]
        return result

    def same(self, values: np.ndarray, cycles: int) -> np.ndarray:
        """One bit of each cycle, for all streams, delayed"""
        bits = delayed(values.astype(np.uint8), cycles, self.total)[:, None, None]
        return np.broadcast_to(bits, (self.total, STREAMS, 1))

    def _common(self, feed: dict[str, np.ndarray], name: str) -> np.ndarray:
        bits = feed["feed_o"]
        return bits[..., bits.shape[-1] - COMMON_W :][..., COMMON[name]]

    @staticmethod
    def _above(feed: dict[str, np.ndarray], of_lanes: int) -> np.ndarray:
        """What stands between the lanes and the fields that all have in common."""
        bits = feed["feed_o"]
        return bits[..., of_lanes : bits.shape[-1] - COMMON_W]

    def _lanes(self, feed: dict[str, np.ndarray], side: str, name: str) -> np.ndarray:
        """One field of all lanes, side by side, as the element takes it."""
        bits = feed["feed_o"]
        fields = FIELDS.get(self.kind.name, LANE)[side]
        of_lanes = self.lanes * sum(width for _, width in fields)
        lanes = bits[..., :of_lanes].reshape(*bits.shape[:-1], self.lanes, -1)
        start = 0
        for field, width in fields:
            if field == name:
                return lanes[..., start : start + width].reshape(*bits.shape[:-1], -1)
            start += width
        raise KeyError(name)

    @property
    def base(self) -> int:
        """fp8mac_element_pkg's base_of, for operands of 5 exponent bits; with block accumulation block_base."""
        bias = 15 if self.record["acc"] == "fp16" else 127
        scales = 0 if self.data.a_mx is None else 2 * SCALE_BIAS
        return (
            self.data.scale + bias - (2 * 16 if self.kind.name == "block" else 2 * 15 + 2) - scales
        )

    # ---- the check ----------------------------------------------------------------------------------------------------

    def check(self, outputs: dict[str, np.ndarray]) -> int:
        """Every result against the product of the operands' values; how many there were."""
        issued = np.flatnonzero(self.steps.last & self.steps.ends)
        group, column = np.divmod(np.arange(STREAMS), COLUMNS)
        column = (self.steps.column[issued][:, None] + column) % len(self.b)
        return sum(
            self._check_row(
                {name: bits[issued + self.kind.result + r] for name, bits in outputs.items()},
                (self.steps.row[issued][:, None] + group * self.order.share + r) % len(self.a),
                column,
            )
            for r in range(self.order.share)
        )

    def _check_row(
        self, outputs: dict[str, np.ndarray], row: np.ndarray, column: np.ndarray
    ) -> int:
        found = self._value(outputs, row, column)
        a, b = (
            (self.a.astype(np.float64), self.b.astype(np.float64))
            if self.is_int8
            else (self.data.values("a"), self.data.values("b"))
        )
        scale = (
            1.0 if self.is_int8 or self.kind.name in ("kulisch", "static") else 2.0**self.data.scale
        )
        wanted, size = (scale * (x @ y.T)[row, column] for x, y in ((a, b), (np.abs(a), np.abs(b))))
        allowed = 0.0 if self.is_int8 else self._tolerance()
        wrong = np.abs(found - wanted) > allowed * size
        if wrong.any():
            worst = np.unravel_index(np.argmax(np.abs(found - wanted)), found.shape)
            raise FlowError(
                f"{self.record['name']} on {self.data.name}: {wrong.sum()} of {wrong.size} results are wrong, "
                f"one is {found[worst]:g} instead of {wanted[worst]:g}"
            )
        return wrong.size

    def _tolerance(self) -> float:
        acc = self.record["acc"].split(" or ")[0]
        name = self.kind.name if self.kind.name in TOLERANCE else acc
        narrow = self.record["frac_bits"] is not None and self.record["frac_bits"] < 25
        return max(TOLERANCE[name], TOLERANCE_NARROW if narrow else 0.0)

    def _value(
        self, outputs: dict[str, np.ndarray], row: np.ndarray, column: np.ndarray
    ) -> np.ndarray:
        number = {
            name: (
                bits.astype(object if bits.shape[-1] > 62 else np.int64)
                << np.arange(bits.shape[-1])
            ).sum(axis=-1)
            for name, bits in outputs.items()
        }
        if self.kind.name == "block":
            return pattern_value(number["acc_o"], self.record["acc"])
        if "acc_o" in number:
            width = outputs["acc_o"].shape[-1]
            signed = number["acc_o"] - (
                outputs["acc_o"][..., -1].astype(number["acc_o"].dtype) << width
            )
            return signed.astype(np.float64) * self._unit(row, column)
        fraction = outputs["sig_o"].shape[-1] - 1
        half, least = (15, 1) if self.record["acc"] == "fp16" else (127, 0)
        exponent = np.maximum(number["field_o"], least) - half - fraction
        if number["special_o"].any():
            raise FlowError(f"{self.record['name']} on {self.data.name}: a result is Inf or NaN")
        return (1 - 2.0 * number["sign_o"]) * number["sig_o"] * 2.0**exponent

    def _unit(self, row: np.ndarray, column: np.ndarray) -> np.ndarray | float:
        """The value of an integer accumulator's lowest bit."""
        if self.kind.name == "kulisch":
            return 2.0**-18
        if self.kind.name == "static":
            return 2.0 ** (
                exponents(self.a)[row] + exponents(self.b)[column] - self.record["frac_bits"]
            )
        return 1.0


def exponents(codes: np.ndarray) -> np.ndarray:
    """floor(log2) of the largest magnitude of each row."""
    return np.floor(np.log2(np.abs(value_of(codes)).max(axis=1))).astype(int)


def bounds(values: np.ndarray, length: int) -> np.ndarray:
    """[row, block] of blocks of `length` values: the largest exponent plus 16, NO_BOUND if all are zero."""
    largest = np.abs(values).reshape(len(values), -1, length).max(axis=2)
    exponent = np.floor(np.log2(np.where(largest > 0, largest, 1))).astype(int)
    return np.where(largest > 0, exponent + 16, NO_BOUND)


def pattern_value(patterns: np.ndarray, acc: str) -> np.ndarray:
    """The values of FP32's or FP16's patterns"""
    if acc == "fp16":
        return patterns.astype(np.uint16).view(np.float16).astype(np.float64)
    return patterns.astype(np.uint32).view(np.float32).astype(np.float64)
