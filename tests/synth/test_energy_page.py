# SPDX-License-Identifier: Apache-2.0
"""Energy: the words of synth/ENERGY.md, and new records in the place of older ones.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_page.py
"""

from __future__ import annotations

import pytest

from synth.energy import chip, networks, pages
from synth.energy.chip_pages import MACRO_READ, MACRO_WRITE
from synth.energy.circuit import GLITCHES
from synth.flow.errors import UsageError
from tests.synth.compared import Compared


@pytest.fixture
def bench() -> Compared:
    return Compared()


def page_record(name: str, pj: float, **more: object) -> dict:
    int8 = name.startswith("int8")
    banks = int(name[-1]) if "_b" in name else 4
    return {
        "name": name,
        "kind": "int8" if int8 else "block",
        "acc": "int32" if int8 else "fp32",
        "frac_bits": None if int8 else 19,
        "lanes": 16,
        "library": "some_library",
        "period_ns": 6.0,
        "area": 300.0 if int8 else 400.0,
        "parameters": {"LANES": 16, "BANKS": banks, **({} if int8 else {"SHARE": 2})},
        "data": "digits_1",
        "format": "int8" if int8 else "e4m3fn",
        "mode": GLITCHES.name,
        "wires": 1.0,
        "pj": pj,
        "element_pj": pj - 0.5,
        "feeds_pj": 0.5,
        "netlist": "folder/netlist.v",
        "results": 10,
        **more,
    }


def test_page(bench: Compared) -> None:
    """Words of the page, and new records in the place of older ones"""
    names = {"block_f19_l16_fp32": 6.0, "int8_l16": 4.0, "int8_l16_b1": 3.0}
    first = [page_record(name, pj) for name, pj in names.items()]
    first += [page_record(name, 3 * pj, data="digits_2") for name, pj in names.items()]
    first += [page_record("block_f19_l16_fp32", 99.0, format="e5m2")]
    run = {"command": "make synth-energy", "area": "make synth", "date": "2026-01-01"}
    none = {"runs": {}, "records": []}
    taken = pages.take({"run": run, "records": first}, none, "first")
    bench.check("all records", len(taken["records"]), 7)
    bench.check(
        "no path of a build folder", any("netlist" in one for one in taken["records"]), False
    )
    found = pages.Energies(taken)
    words = {
        ("mean", "some", "block_f19_l16_fp32"): "12.00",
        ("mean", "some", "block_f19_l16_fp32", "one"): "2.00",
        ("mean", "some", "block_f19_l16_fp32", "as_many"): "1.50",
        ("ratio", "some", "block_f19_l16_fp32", "one", "digits_2"): "2.00",
        ("results",): "70",
        ("commands", "some"): "    make synth\n    make synth-energy",
    }
    for said, wanted in words.items():
        bench.check(" ".join(said), found.word(*said), wanted)
    row = found.word("elements", "some").splitlines()[-1]
    wanted = "12.00 | 8.00 | 1.50 (1.50 to 1.50) | 1.33 | 6.00 | 2.00 (2.00 to 2.00) | 1.33"
    bench.check("a row", row, f"| `block_f19_l16_fp32` | {wanted} |")
    bench.check("E5M2 has a row", "99.00" in found.word("operands", "some", "16"))
    again = {"run": run, "records": [page_record("int8_l16_b1", 6.0)]}
    taken = pages.take(again, taken, "second")
    bench.check("a record is replaced", len(taken["records"]), 7)
    bench.check("its run is known", set(taken["runs"]), {"first", "second"})
    ratio = pages.Energies(taken).word("ratio", "some", "block_f19_l16_fp32", "one", "digits_1")
    bench.check("the new ratio", ratio, "1.00")
    bench.raises("a word that is not known", UsageError, lambda: found.word("nothing"))
    bench.raises("no such library", UsageError, lambda: found.word("elements", "other"))
    products = {name: sum(one.macs for one in its) for name, its in networks.NETWORKS.items()}
    bench.check("MACs of the perceptron", products["digits, perceptron, an image"], 12928)


def chip_record(chip: str, pj: float, **more: object) -> dict:
    parts = [
        ("fp8mac_array", 1, 1.0),
        ("fp8mac_block_cluster", 8, 2.0),
        ("fp8mac_feed", 4, 0.5),
        ("fp8mac_feed_b", 4, 0.5),
    ]
    return {
        "chip": chip,
        "scope": "array",
        "network": "digits, perceptron, an image",
        "inferences": 4,
        "macs": 12928,
        "library": "some_library",
        "period_ns": 6.0,
        "busy_cycles": 400,
        "cycles": 1000,
        "parts": [
            {"title": title, "instances": n, "pj": part * pj, "idle_pj": n, "compared": 10}
            for title, n, part in parts
        ],
        "memories": [{"width": 128, "reads": 3.0, "writes": 1.0}],
        **more,
    }


def test_chips(bench: Compared) -> None:
    """The table of the chip's parts, and records of a chip in the place of older ones"""
    run = {"command": "make synth-energy CHIP=default", "date": "2026-01-01"}
    none = {"runs": {"old": run}, "records": [page_record("int8_l16_b1", 6.0, run="old")]}
    taken = pages.take({"run": run, "chips": [chip_record("default", 12928.0)]}, none, "first")
    bench.check("other records stay", len(taken["records"]), 1)
    taken = pages.take(
        {"run": run, "chips": [chip_record("default_int8", 12928.0)]}, taken, "second"
    )
    found = pages.Energies(taken)
    rows = found.word("chip", "parts", "array").splitlines()
    head = "network | chip | control and result registers | elements | feeds | sum"
    bench.check("its head", head in rows[0])
    memories = 2 * (3 * MACRO_READ + MACRO_WRITE) / 12928
    bench.check("a row", f"| 1.00 | 2.00 | 1.00 | 4.00 | {memories:.2f} | 0.052 | 100 |" in rows[2])
    bench.check("both chips", len(rows), 4)
    bench.check("changes", found.word("chip", "compared"), "80")
    bench.check("commands", found.word("commands", "some").count("CHIP=default"), 1)
    bench.check("elements and feeds", found.word("digits"), "0.039")
    taken = pages.take({"run": run, "chips": [chip_record("default", 1.0)]}, taken, "third")
    bench.check("a record is replaced", len(taken["chips"]), 2)
    bench.check("its run is forgotten", set(taken["runs"]), {"old", "second", "third"})
    bench.raises("no such scope", UsageError, lambda: found.word("chip", "parts", "accelerator"))


def test_inferences(bench: Compared) -> None:
    """Networks on the small accelerator. INT8's are measured, or FP8's with INT8's products in the place of its own"""
    digits, transformer, speech = networks.NETWORKS
    given = [
        ("small", digits, 8e6),
        ("small_int8", digits, 10e6),
        ("small", transformer, 50e6),
        ("small", transformer + networks.ALONE, 20e6),
        ("small_int8", transformer + networks.ALONE, 10e6),
        ("small", speech, 60e6),
        ("small", speech + networks.ALONE, 30e6),
        ("small_int8", speech + networks.ALONE, 50e6),
    ]
    chips = [
        chip_record(
            chip,
            pj / 4,
            scope="accelerator",
            network=network,
            memories=[{"width": 64, "reads": 1e6 / MACRO_READ, "writes": 0.0}],
        )
        for chip, network, pj in given
    ]
    said = lambda its: pages.Energies({"runs": {}, "records": [], "chips": its}).word(
        "chip", "inferences"
    )
    rows = said(chips).splitlines()[2:]
    bench.check("measured", rows[0].endswith("| 8.00 | - | - | 10.00 | 0.80 | 0.82 |"))
    bench.check("computed", rows[1].endswith("| 50.00 | 20.00 | 10.00 | 40.00 | 1.25 | 1.24 |"))
    bench.check(
        "more with INT8", rows[2].endswith("| 60.00 | 30.00 | 50.00 | 80.00 | 0.75 | 0.75 |")
    )
    rows = said(chips[:-1]).splitlines()[2:]
    bench.check("not measured", rows[2].endswith("| 60.00 | 30.00 | - | - | - | - |"))
    bench.check("the others stay", rows[:2], said(chips).splitlines()[2:4])
    bench.check("a network that did not run", len(said(chips[:-3]).splitlines()), 4)


def test_clock_gates(bench: Compared) -> None:
    """Records with inserted clock gates stand beside those without, in a table of their own."""
    digits = next(iter(networks.NETWORKS))
    clocks = {"clock": 6e6, "tree": 1e6}
    chips = []
    for name, pj, least in (
        *(("small", 8e6, 0), ("small", 2e6, 4)),
        *(("small_int8", 10e6, 0), ("small_int8", 4e6, 4)),
    ):
        one = chip_record(name, 0.0, scope="accelerator", network=digits, clock_gates=least)
        one["parts"] = [{"title": "fp8mac_accel", "pj": pj, "compared": 1, "parts": clocks}]
        chips.append(one)
    run = {"command": "make synth-energy", "date": "2026-01-01"}
    none = {"runs": {}, "records": [], "chips": []}
    taken = pages.take({"run": run, "chips": chips}, none, "run")
    bench.check("all are kept", len(taken["chips"]), 4)
    said = lambda *words: pages.Energies(taken).word("chip", *words)
    rows = said("gated").splitlines()[2:]
    bench.check("a row a chip", len(rows), 2)
    row = "| 8.000 | 2.000 | -75 % | 7.000 | 7.000 |"
    bench.check("uJ without and with, and of it clocks", rows[0].endswith(row))
    bench.check("other tables are without", said("whole_ratio"), "0.80")


def test_products(bench: Compared) -> None:
    """The commands of a network's products have its MACs"""
    for name in ("transformer", "vad"):
        whole, alone = chip.PROGRAMS[name], chip.PROGRAMS[f"{name}_products"]
        bench.check(f"MACs of {name}", alone.macs, whole.macs)
        bench.check(f"batch of {name}", alone.inferences, whole.inferences)
    words, times = chip.PROGRAMS["transformer_products"].runs[1]
    bench.check("a run", (words, times), (("gemm", "M=32", "N=64", "K=32"), 4))


def test_grid(bench: Compared) -> None:
    """Every format in every library: mean of two products, or a dash"""
    its = {
        "block_f19_l16_fp32": 6.0,
        "int8_l16_b1": 3.0,
        "int8_l16": 4.0,
        "block_f19_l16_fp32_mx": 9.0,
    }
    records = [
        page_record(name, pj + extra, data=data, library="sky130_library")
        for name, pj in its.items()
        for data, extra in (("digits_2", 0.0), ("vad_lstm", 2.0))
    ]
    records.append(
        page_record(
            "block_f19_l16_fp32", 1.5, data="digits_2", format="e5m2", library="sky130_library"
        )
    )
    found = pages.Energies({"runs": {}, "records": records}).word("formats").splitlines()
    row = lambda *start: next(line for line in found if line.startswith("| " + " | ".join(start)))
    page = pages.Energies({"runs": {}, "records": records})
    bench.check("E5M2 against E4M3", page.word("e5m2"), "-75 to -75 %")
    bench.check("MX scales", page.word("mx"), "+50 to +50 %")
    first = "19 fraction bits, FP32"
    bench.check("E4M3", row(first, "E4M3"), f"| {first} | E4M3 | 7.00 (1.75) | - | - |")
    bench.check("E5M2", row(first, "E5M2"), f"| {first} | E5M2 | 1.50 (0.50) | - | - |")
    bench.check("MX", row(first, "MX, E4M3"), f"| {first} | MX, E4M3 | 10.00 (2.50) | - | - |")
    one = "INT8, one accumulator"
    bench.check("INT8", row(one, "INT8"), f"| {one} | INT8 | 4.00 (1.00) | - | - |")
