# SPDX-License-Identifier: Apache-2.0
"""Tables of the energy pages about the chip's netlists, from `chips` of synth/results/energy.json."""

from __future__ import annotations

from collections.abc import Callable

from ..flow.errors import UsageError
from ..study.records import Record
from ..study.tables import number, table
from .networks import ALONE, NETWORKS

KEY = ("chip", "scope", "network", "library", "period_ns", "clock_gates")
# pJ of an access to 64 bits of IHP's SG13G2 macro RM_IHPSG13_1P_256x64, 1.2 V, 25 C, from its Liberty file
MACRO_BITS, MACRO_READ, MACRO_WRITE = 64, 49.634, 63.4365
PARTS = {
    "fp8mac_block_cluster": "elements",
    "fp8mac_int8_pipeline": "elements",
    "fp8mac_feed": "feeds",
    "fp8mac_feed_b": "feeds",
    "fp8mac_readout": "read-out",
    "fp8mac_array": "control and result registers",
    "fp8mac_fp32_mul": "epilogue's FP32 units",
    "fp8mac_fp32_add": "epilogue's FP32 units",
    "fp8mac_fp32_to_fmt": "epilogue's FP32 units",
    "fp8mac_accel": "all else, with feeds",
}
CHIP_TITLES = {
    "default": "FP8, 19 bits, FP32 or FP16, MX",
    "default_int8": "INT8",
    "small": "FP8, 19 bits, FP32 or FP16, MX; 2 x 2 x 4",
    "small_int8": "INT8; 2 x 2 x 4",
}


def memory_pj(record: Record) -> float:
    """Of an inference, as if all memories were of the macro's kind"""
    return sum(
        one["width"] / MACRO_BITS * (MACRO_READ * one["reads"] + MACRO_WRITE * one["writes"])
        for one in record["memories"]
    )


def by_part(record: Record) -> dict[str, float]:
    """pJ of an inference"""
    found: dict[str, float] = {}
    for one in record["parts"]:
        title = PARTS[one["title"]]
        found[title] = found.get(title, 0.0) + one["pj"]
    return found


def logic_pj(record: Record) -> float:
    """Of an inference, without memories"""
    return sum(by_part(record).values())


def clock_pj(record: Record) -> float:
    """Of an inference: clock pins, clock gates and clock trees"""
    return sum(one["parts"]["clock"] + one["parts"]["tree"] for one in record["parts"])


class Chips:
    def __init__(self, records: list[Record]):
        self.records = records

    def of(self, scope: str, gates: bool = False) -> list[Record]:
        """`gates`: those whose synthesis inserts clock gates"""
        found = [
            one
            for one in self.records
            if one["scope"] == scope and bool(one.get("clock_gates")) == gates
        ]
        if not found:
            raise UsageError(f"synth/results/energy.json has no chip with the scope {scope}")
        order = list(NETWORKS)
        place = lambda one: order.index(one) if one in order else -1
        whole = lambda one: one["network"].removesuffix(ALONE)
        return sorted(found, key=lambda one: (place(whole(one)), one["network"], one["chip"]))

    def say_parts(self, scope: str) -> str:
        """pJ of a MAC by part"""
        found = self.of(scope)
        titles = list(dict.fromkeys(title for one in found for title in by_part(one)))
        lines = []
        for one in found:
            macs, its = one["macs"], by_part(one)
            parts = [number(its[title] / macs, 2) if title in its else "-" for title in titles]
            lines.append(
                [
                    one["network"],
                    CHIP_TITLES[one["chip"]],
                    *parts,
                    number(sum(its.values()) / macs, 2),
                    number(memory_pj(one) / macs, 2),
                    number(1e-6 * sum(its.values()), 3),
                    number(one["busy_cycles"] / one["inferences"]),
                ]
            )
        head = ["network", "chip", *titles, "sum", "memories, SG13G2's", "uJ without memories"]
        return table([*head, "cycles"], lines)

    @staticmethod
    def say_macro() -> str:
        return (
            f"the {MACRO_READ:.1f} pJ of a read and {MACRO_WRITE:.1f} pJ of a write of {MACRO_BITS} bits that IHP's file gives for "
            "its macro RM_IHPSG13_1P_256x64 of SG13G2 at 1.2 V"
        )

    def mac_pj(self, chip: str, scope: str, network: str) -> tuple[float, float]:
        """pJ of a MAC: of the logic, and of memories"""
        found = (one for one in self.of(scope) if (one["chip"], one["network"]) == (chip, network))
        one = next(found, None)
        if one is None:
            raise UsageError(f"synth/results/energy.json has no {scope} of {chip} on {network}")
        return logic_pj(one) / one["macs"], memory_pj(one) / one["macs"]

    def digits_pj(self) -> float:
        """Of an image in the default array's elements and feeds"""
        digits = next(iter(NETWORKS))
        found = next(
            one for one in self.of("array") if one["chip"] == "default" and one["network"] == digits
        )
        its = by_part(found)
        return its["elements"] + its["feeds"]

    def say_compared(self) -> str:
        """Changes of outputs that were compared with the RTL's"""
        return number(sum(part["compared"] for one in self.records for part in one["parts"]))

    def say_ratio(self, start: str, memories: str = "") -> str:
        """The default array to the INT8 one, on the network whose name starts so"""
        found = {
            one["chip"]: sum(by_part(one).values()) + (memory_pj(one) if memories else 0.0)
            for one in self.of("array")
            if one["network"].startswith(start.replace("_", " "))
        }
        return number(found["default"] / found["default_int8"], 2)

    def say_more_mx(self) -> str:
        """What the random product takes more with MX scales"""
        its = {
            one["network"].split(",")[0]: sum(by_part(one).values())
            for one in self.of("array")
            if one["chip"] == "default"
        }
        return f"{100 * (its['random product with MX scales'] / its['random product'] - 1):.1f} %"

    def _accelerator(self, chip: str, network: str) -> Record | None:
        its = [one for one in self.of("accelerator") if one["network"] == network]
        return next((one for one in its if one["chip"] == chip), None)

    def _whole(self, chip: str) -> Record:
        """The accelerator of a chip, on the digits"""
        found = self._accelerator(chip, next(iter(NETWORKS)))
        if found is None:
            raise UsageError(f"synth/results/energy.json has no digits on {chip}")
        return found

    def _inference(self, network: str, pj: Callable[[Record], float]) -> list[float | None]:
        """Of FP8 and its products, of INT8's products and INT8. A network that INT8 elements do not run takes what FP8's does
        with INT8's products in the place of its own."""
        records = [
            self._accelerator(chip, network + end)
            for chip, end in (("small", ""), ("small", ALONE), ("small_int8", ALONE))
        ]
        own, products, rivals = (None if one is None else pj(one) for one in records)
        measured = self._accelerator("small_int8", network)
        if measured is not None:
            return [own, products, rivals, pj(measured)]
        if own is None or products is None or rivals is None:
            return [own, products, rivals, None]
        return [own, products, rivals, own - products + rivals]

    def say_inferences(self) -> str:
        """uJ of an inference on the small accelerator, FP8 beside INT8, of the networks that ran on it"""
        lines = []
        for network in NETWORKS:
            if self._accelerator("small", network) is None:
                continue
            found = self._inference(network, logic_pj)
            whole = self._inference(network, lambda one: logic_pj(one) + memory_pj(one))
            texts = ["-" if one is None else number(1e-6 * one, 2) for one in found]
            ratios = [
                "-" if one[3] is None else number(one[0] / one[3], 2) for one in (found, whole)
            ]
            lines.append([network, *texts, *ratios])
        head = ["network", "FP8, uJ", "its products alone", "INT8's products alone", "INT8, uJ"]
        return table([*head, "FP8 / INT8", "the same with memories"], lines)

    def say_whole(self, chip: str) -> str:
        """uJ of an inference"""
        return number(1e-6 * sum(by_part(self._whole(chip)).values()), 2)

    def say_whole_ratio(self) -> str:
        total = {one: sum(by_part(self._whole(one)).values()) for one in ("small", "small_int8")}
        return number(total["small"] / total["small_int8"], 2)

    def say_array_share(self, chip: str) -> str:
        """Of the elements; the rest of the array is in the netlist of all else."""
        its = by_part(self._whole(chip))
        return f"{100 * its['elements'] / sum(its.values()):.0f} %"

    def say_clock_share(self, chip: str) -> str:
        """Of the netlist of all else: its clock pins and tree"""
        whole = self._whole(chip)
        rest = next(one for one in whole["parts"] if one["title"] == "fp8mac_accel")
        clock = rest["parts"]["clock"] + rest["parts"]["tree"]
        return f"{100 * clock / sum(by_part(whole).values()):.0f} %"

    def _gated(self) -> list[tuple[Record, Record]]:
        """Accelerators without and with inserted clock gates, on the same network"""
        return [
            (before, one)
            for one in self.of("accelerator", gates=True)
            if (before := self._accelerator(one["chip"], one["network"])) is not None
        ]

    def say_gated(self) -> str:
        """uJ of an inference without memories, and of it clocks, without and with inserted clock gates"""
        lines = []
        for before, one in self._gated():
            pj = [logic_pj(its) for its in (before, one)]
            clocks = [clock_pj(its) for its in (before, one)]
            lines.append(
                [
                    one["network"],
                    CHIP_TITLES[one["chip"]],
                    *(number(1e-6 * its, 3) for its in pj),
                    f"{100 * (pj[1] / pj[0] - 1):+.0f} %",
                    *(number(1e-6 * its, 3) for its in clocks),
                ]
            )
        head = ["network", "chip", "uJ", "with gates", "change", "of it clocks", "with gates"]
        return table(head, lines)

    def say_idle(self, scope: str, chip: str) -> str:
        """pJ of a cycle without a command"""
        one = next(one for one in self.of(scope) if one["chip"] == chip)
        return number(sum(part["idle_pj"] for part in one["parts"]), 1)


def take(made: dict, known: list[Record], name: str) -> list[Record]:
    """Records take the place of those of the same chip and network."""
    key = lambda one: tuple(str(one.get(part, 0)) for part in KEY)
    fresh = {key(one): {**one, "run": name} for one in made.get("chips", [])}
    found = {**{key(one): one for one in known}, **fresh}
    return [found[its] for its in sorted(found)]
