# SPDX-License-Identifier: Apache-2.0
"""Energy: the operands' order and quantisation, what an element is driven with, which results are right, and the words of
the page.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_operands.py
"""

from __future__ import annotations

import numpy as np
import pytest

from synth.energy import data, drive, networks, pages, tensors
from synth.energy.circuit import GLITCHES, STREAMS
from synth.flow.errors import FlowError, UsageError
from tests.synth.compared import Compared


@pytest.fixture
def bench() -> Compared:
    return Compared()


# ---- operands --------------------------------------------------------------------------------------------------------


def test_order(bench: Compared) -> None:
    """Every element gets every k of every output once, in turns of its accumulators."""
    m, n, k = 64, 16, 64
    for share, turn, banks in ((1, 1, 4), (1, 1, 1), (2, 2, 4), (2, 2, 2), (8, 8, 1)):
        order = data.Order(32 // turn, share, turn, banks)
        s = data.steps(max(m, 2 * order.rows), n, k, order)
        name = f"{share} rows, turns of {turn}, {banks} accumulators"
        places = list(zip(s.row.tolist(), s.column.tolist(), s.k.tolist()))
        bench.check(f"{name}: every step once", len(set(places)), len(places))
        covered = {(row // order.rows, column // data.COLUMNS) for row, column, _ in places}
        bench.check(f"{name}: all of D", len(covered), max(m, 2 * order.rows) // order.rows * 2)
        bench.check(f"{name}: steps of an output", len(places), len(covered) * k // order.lanes)
        turns = [places[i : i + turn] for i in range(0, len(places), turn)]
        bench.check(
            f"{name}: a turn is a run of k",
            all(
                [k for _, _, k in one] == [one[0][2] + i * order.lanes for i in range(turn)]
                for one in turns
            ),
        )
        bench.check(f"{name}: begins and ends", (s.begins.sum(), s.ends.sum()), (len(turns),) * 2)
        outputs = [one[0][:2] for one in turns]
        marks = [
            [one[0][2] == 0 for one in turns],
            [one[-1][2] + order.lanes == k for one in turns],
        ]
        found = [s.first[s.ends].tolist(), s.last[s.ends].tolist()]
        bench.check(f"{name}: an output's first and last turn", found, marks)
        again = [outputs[i] == outputs[i + banks] for i in range(0, banks * (k // 32 // 1 - 1))]
        bench.check(
            f"{name}: an accumulator's turns", all(again) and len(set(outputs[:banks])) == banks
        )
    codes = np.arange(6 * 8).reshape(6, 8)
    found = data.operands(codes, np.array([[1, 7]]), np.array([4]), 4)
    bench.check("lanes are consecutive k, rows repeat", found.tolist(), [[[12, 13, 14, 15]] * 2])


def test_quantised(bench: Compared) -> None:
    weights = tensors.perceptron_weights(0, 96)
    codes = tensors.c_array(tensors.DIGITS / "digits_net.c", "fp8_weights0", np.uint8)
    first = tensors.data("digits_1")
    bench.check("FP8 weights are the committed codes", (first.b_fp8.ravel() == codes).all())
    bench.check("weights of 64 pixels", weights.shape, (96, 64))
    bench.check(
        "halves go to even",
        data.quantise_int8(np.array([0.5, 1.5, -2.5, 127]), np.float32(127)).tolist(),
        [0, 2, -2, 127],
    )
    network = tensors.transformer()
    up = tensors.c_array(tensors.DIGITS / "digits_transformer_data.c", "up_codes", np.uint8)
    made = tensors.data("transformer_up")
    bench.check("a drawn weight has its code again", (made.b_fp8.ravel() == up).mean() > 0.99)
    bench.check("tokens of 64 images", network["transformer_up"][0].shape, (512, 32))
    for name in (name for name in tensors.SOURCES if not name.startswith("vad")):
        for kind in tensors.FORMATS:
            one = tensors.data(name, kind)
            tops = [int(np.abs(x.astype(int)).max()) for x in (one.a_int8, one.b_int8)]
            bench.check(f"{name}: INT8 uses its range", tops, [127, 127])
            x, y = (
                data.value_of(one.a_fp8, kind) @ data.value_of(one.b_fp8, kind).T,
                one.a_int8.astype(float) @ one.b_int8.astype(float).T,
            )
            bench.check(f"{name} {kind}: finite", bool(np.isfinite(x).all()))
            bench.check(
                f"{name} {kind}: of the same", np.corrcoef(x.ravel(), y.ravel())[0, 1] > 0.99
            )
            bench.check(f"{name}: whole blocks", one.a_fp8.shape[1] % data.BLOCK, 0)


def record_of(name: str, **parameters: int) -> dict:
    block = name.startswith("block")
    return {
        "name": name,
        "kind": "block" if block else "int8",
        "top": f"fp8mac_element_{'block' if block else 'int8'}",
        "lanes": parameters["LANES"],
        "acc": "fp32" if block else "int32",
        "frac_bits": parameters.get("FRAC_BITS"),
        "parameters": parameters,
    }


def results(work: drive.Drive, products: np.ndarray) -> np.ndarray:
    """acc_o of a right netlist, [cycle, stream]: the products where and when an output is complete"""
    acc = np.zeros((work.total, STREAMS), products.dtype)
    group, column = np.divmod(np.arange(STREAMS), data.COLUMNS)
    for step in np.flatnonzero(work.steps.last & work.steps.ends):
        for r in range(work.order.share):
            rows = (work.steps.row[step] + group * work.order.share + r) % len(work.a)
            columns = (work.steps.column[step] + column) % len(work.b)
            acc[step + work.kind.result + r] = products[rows, columns]
    return acc


def test_wrong_results(bench: Compared) -> None:
    """An element that answers wrongly is not quoted."""
    numbers = tensors.data("digits_1")
    for banks, register, at in ((4, 0, 6), (1, 0, 3), (1, 1, 4)):
        record = record_of("int8_l4", LANES=4, BANKS=banks, TREE_REGISTER=register)
        work = drive.Drive(record, numbers)
        bench.check(f"{banks} accumulators: cycles to the result", work.kind.result, at)
        acc = results(work, work.a.astype(np.int64) @ work.b.astype(np.int64).T)
        found = work.check({"acc_o": drive.bits_of(acc, 32)})
        bench.check("all results are compared", found, 64 * 96)
        acc[np.flatnonzero(work.steps.last)[0] + at, 5] += 1
        bench.raises(
            "one result off by one",
            FlowError,
            lambda: work.check({"acc_o": drive.bits_of(acc, 32)}),
        )
    record = record_of("block_l16", LANES=16, SHARE=2, BANKS=4, FRAC_BITS=19)
    work = drive.Drive(record, numbers)
    products = (data.value_of(work.a) @ data.value_of(work.b).T * 2.0**numbers.scale).astype(
        np.float32
    )
    acc = results(work, products)
    right = lambda: work.check({"acc_o": drive.bits_of(acc.view(np.uint32), 32)})
    bench.check("block: all results are compared", right(), 64 * 96)
    wrong = np.flatnonzero(acc[:, 9])[0]
    acc[wrong, 9] += np.abs(products).max() / 10
    bench.raises("block: one result off", FlowError, right)


def test_block_inputs(bench: Compared) -> None:
    """What the unit takes: each row's bound in its turn, behind the block's last step."""
    record = record_of("block_l16", LANES=16, SHARE=2, BANKS=4, FRAC_BITS=19)
    numbers = tensors.data("digits_2")
    numbers.a_fp8[3, :32] = 0  # a row of stream 11
    work = drive.Drive(record, numbers)
    feeds = [
        {"feed_o": np.zeros((work.total, count, 16 * drive.LANE_W + drive.COMMON_W), np.uint8)}
        for count in (work.order.rows, data.COLUMNS)
    ]
    ports = dict.fromkeys(
        (
            "block_first_i",
            "block_last_i",
            "a_i",
            "b_i",
            "a_field_i",
            "b_place_i",
            "none_i",
            "acc_first_i",
        )
    )
    found = work.element_inputs(*feeds, ports)
    number = lambda name: (found[name] << np.arange(found[name].shape[2])).sum(axis=2)
    values = data.value_of(work.a)
    bench.check("a's lanes of two rows", found["a_i"].shape[2], 2 * 16 * drive.LANE_W)
    bounds = []
    for step in (1, 9, 17, 25, 33):
        k, stream = work.steps.k[step] - 16, 11
        for r in range(2):
            row = (work.steps.row[step] + stream // 8 * 2 + r) % len(work.a)
            top = np.abs(values[row, k : k + 32]).max()
            bound = int(np.floor(np.log2(top))) + 16 if top else drive.NO_BOUND
            at = step + 1 + r
            bounds.append(bound)
            bench.check(
                f"step {step}, row {r}: field",
                number("a_field_i")[at, stream],
                (bound + work.base) % 512,
            )
            bench.check(
                "none a cycle later",
                found["none_i"][at + 1, stream, 0],
                int(bound == drive.NO_BOUND),
            )
            first = int(work.steps.first[step])
            bench.check("first a cycle later", found["acc_first_i"][at + 1, stream, 0], first)
        marks = [found[f"block_{end}_i"][step + 1, 0, 0] for end in ("first", "last")]
        bench.check(f"step {step} ends a block", marks, [0, 1])
    bench.check(f"rows differ: {bounds}", len(set(bounds)) > 2 and drive.NO_BOUND in bounds)
    zero = drive.bounds(np.array([[0.0, 0, 2, 3]]), 2)
    bench.check("a block of zeros has no bound", zero.tolist(), [[drive.NO_BOUND, 17]])


# ---- the page --------------------------------------------------------------------------------------------------------


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
