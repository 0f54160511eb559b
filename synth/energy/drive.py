# SPDX-License-Identifier: Apache-2.0
"""Drives an element's netlist with operands through the netlists of its operand feeds, as in an array, and checks the
results.

In an array the feed of a row decodes for all elements of the row. Here every copy of the element has its own copies of
both feeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..flow.errors import FlowError
from ..flow.runs import Design
from ..study.elements import KINDS
from ..study.records import Record
from .circuit import STREAMS
from .data import Data, Steps, operands, steps, value_of

FMT_E4M3FN = 0
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
        return both("int8", number, 1, 6)
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


class Drive:
    """One element's work on one data set."""

    def __init__(self, record: Record, data: Data):
        self.record, self.data, self.kind = record, data, kind_of(record)
        self.lanes = record["lanes"]
        self.is_int8 = self.kind.name == "int8"
        self.a = data.a_int8 if self.is_int8 else data.a_fp8
        self.b = data.b_int8 if self.is_int8 else data.b_fp8
        self.steps: Steps = steps(len(self.a), len(self.b), self.a.shape[1], self.lanes)
        self.total = len(self.steps.k) + self.kind.result

    def feed_inputs(self, side: str, ports: dict[str, list]) -> dict[str, np.ndarray]:
        codes, where = (self.a, self.steps.row) if side == "a" else (self.b, self.steps.column)
        lanes = np.zeros((self.total, STREAMS, self.lanes), np.uint8)
        lanes[: len(self.steps.k)] = operands(codes, where, self.steps.k, self.lanes).view(np.uint8)
        all_inputs = {
            "valid_i": delayed(np.ones((len(self.steps.k), STREAMS, 1), np.uint8), 0, self.total),
            "lane_en_i": constant((1 << self.lanes) - 1, self.lanes, self.total),
            "code_i": np.unpackbits(lanes, axis=2, bitorder="little"),
            "fmt_i": constant(FMT_E4M3FN, 2, self.total),
            "bound_i": self._bounds(codes, where),
            "nan_i": constant(0, 1, self.total),
            "base_i": constant(self.base & 0x1FF if side == "a" else 0, 9, self.total),
        }
        return {name: all_inputs[name] for name in ports}

    def _bounds(self, codes: np.ndarray, where: np.ndarray) -> np.ndarray:
        """The largest exponent of each row over all of K, with E5M2's bias, plus 1."""
        if self.kind.name != "static":
            return np.zeros((self.total, STREAMS, 6), np.uint8)
        return delayed(bits_of(exponents(codes)[where] + 15 + 1, 6), 0, self.total)

    def element_inputs(
        self, a_feed: dict[str, np.ndarray], b_feed: dict[str, np.ndarray], ports: dict[str, list]
    ) -> dict[str, np.ndarray]:
        found = {}
        first = np.broadcast_to(
            delayed(self.steps.first, self.kind.first, self.total)[:, None, None],
            (self.total, STREAMS, 1),
        )
        for name in ports:
            if name == "step_first_i":
                found[name] = first.astype(np.uint8)
            elif name == "acc_fp16_i":  # where it is chosen, the accumulator is FP32
                found[name] = constant(0, 1, self.total)
            elif name == "base_i":
                found[name] = constant(self.base & 0x1FF, 9, self.total)
            elif name in ("nan_i", "none_i"):
                found[name] = self._common(a_feed, name[:-2]) | self._common(b_feed, name[:-2])
            elif name == "field_a_i":
                found[name] = self._common(a_feed, "field")
            elif name == "negatives_i":
                found[name] = self._above(b_feed, self.lanes * FIELDS["int8"]["b"][0][1])
            elif name == "bound_b_i":
                found[name] = self._common(b_feed, "field")[..., :6]
            else:
                feed = a_feed if name.startswith("a") else b_feed
                found[name] = self._lanes(feed, name[0], name[1:-2])
        return found

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
        """fp8mac_element_pkg's base_of, for operands of 5 exponent bits."""
        bias = 15 if self.record["acc"] == "fp16" else 127
        return self.data.scale + bias - 2 * 15 - 2

    @property
    def macs_per_cycle(self) -> int:
        return self.lanes

    # ---- the check ----------------------------------------------------------------------------------------------------

    def check(self, outputs: dict[str, np.ndarray]) -> int:
        """Every result against the product of the operands' values; how many there were."""
        issued = np.flatnonzero(self.steps.last)
        at = issued + self.kind.result
        row, column = self.steps.row[issued], self.steps.column[issued]
        found = self._value({name: bits[at] for name, bits in outputs.items()}, row, column)
        values = (lambda codes: codes.astype(np.float64)) if self.is_int8 else value_of
        a, b = values(self.a), values(self.b)
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
