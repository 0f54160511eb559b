# SPDX-License-Identifier: Apache-2.0
"""Energy: the operands' order and quantisation, what an element is driven with, and which results are right.

python -m pytest -c tests/pytest.ini tests/synth/test_energy_operands.py
"""

from __future__ import annotations

import numpy as np
import pytest

from synth.energy import data, drive, tensors
from synth.energy.circuit import STREAMS
from synth.flow.errors import FlowError
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


def unit_ports(field: int, place: int) -> dict[str, range]:
    """Ports of a cluster with their bits; the number of bits of two of them counts"""
    ones = ("block_first_i", "block_last_i", "a_i", "b_i", "none_i", "acc_first_i")
    return dict.fromkeys(ones, range(1)) | {"a_field_i": range(field), "b_place_i": range(place)}


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
    ports = unit_ports(9, 6)
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


def test_scales(bench: Compared) -> None:
    """MX: each block's largest value is in the format's largest binade, and its scale is a part of its place."""
    draw = np.random.default_rng(5)
    x = draw.standard_normal((4, 64)) * np.exp2(draw.integers(-9, 9, (4, 1)))
    x[2, :32] = 0
    for kind, largest in (("e4m3fn", 448.0), ("e5m2", 57344.0)):
        codes, exponent = data.quantise_mx(x, kind)
        blocks = data.value_of(codes, kind).reshape(4, 2, 32)
        tops = np.abs(blocks).max(axis=2)
        full = tops[tops > 0]
        bench.check(
            f"{kind}: the largest binade",
            bool((full > largest / 2).all() and full.max() <= largest),
        )
        bench.check(f"{kind}: a block of zeros", (tops[2, 0], int(exponent[2, 0])), (0.0, -127))
        back = blocks * np.exp2(exponent)[..., None]
        error = np.where(np.abs(blocks) < largest, np.abs(back - x.reshape(4, 2, 32)), 0)
        half = np.exp2(exponent + np.floor(np.log2(largest)) - (3 if kind == "e5m2" else 4))
        bench.check(f"{kind}: half a spacing of it", bool((error.max(axis=2) <= half).all()))
        bench.check(
            f"{kind}: none saturates wrongly",
            bool((np.abs(x.reshape(4, 2, 32)) >= np.abs(back) - half[..., None]).all()),
        )
    numbers = tensors.data("digits_2", mx=True)
    products = numbers.values("a") @ numbers.values("b").T
    plain = tensors.data("digits_2")
    other = 2.0**plain.scale * (plain.values("a") @ plain.values("b").T)
    bench.check("of the same", np.corrcoef(products.ravel(), other.ravel())[0, 1] > 0.999)
    bench.raises("no scales", ValueError, lambda: tensors.data("uniform", mx=True))
    record = record_of("block_l16_mx", LANES=16, SHARE=2, BANKS=4, FRAC_BITS=19, MX=1)
    work = drive.Drive(record, numbers)
    bench.check("the feed has them, too", ("MX", 1) in work.kind.a and ("MX", 1) in work.kind.b)
    feeds = [
        {"feed_o": np.zeros((work.total, count, 16 * drive.LANE_W + drive.COMMON_W), np.uint8)}
        for count in (work.order.rows, data.COLUMNS)
    ]
    found = work.element_inputs(*feeds, unit_ports(10, 9))
    number = lambda name: (found[name] << np.arange(found[name].shape[2])).sum(axis=2)
    for step in (1, 9, 17):
        k, stream = work.steps.k[step] - 16, 11
        for r in range(2):
            row = (work.steps.row[step] + stream // 8 * 2 + r) % len(work.a)
            column = (work.steps.column[step] + stream % 8) % len(work.b)
            for name, side, which in (("a_field_i", "a", row), ("b_place_i", "b", column)):
                codes, mx = getattr(numbers, f"{side}_fp8"), getattr(numbers, f"{side}_mx")
                top = np.abs(data.value_of(codes[which, k : k + 32])).max()
                bound = int(np.floor(np.log2(top))) + 16 if top else None
                place = 511 if bound is None else bound + int(mx[which, k // 32]) + 127
                # The field of FP32 has the base 127 - 2 * 16 - 2 * 127 of block_base().
                wanted = (place - 159) % 1024 if side == "a" else place
                at = step + 1 + r
                bench.check(f"step {step}, row {r}: {name}", number(name)[at, stream], wanted)


def test_late(bench: Compared) -> None:
    """With a register against glitches the unit's inputs and the result come a cycle later."""
    for name, late in (("block_l16", 0), ("block_l16_product_register", 1)):
        record = record_of(name, LANES=16, SHARE=2, BANKS=4, FRAC_BITS=19)
        work = drive.Drive(record, tensors.data("digits_2"))
        bench.check(f"{name}: result", work.kind.result, 6 + late)
        feeds = [
            {"feed_o": np.zeros((work.total, count, 16 * drive.LANE_W + drive.COMMON_W), np.uint8)}
            for count in (work.order.rows, data.COLUMNS)
        ]
        found = work.element_inputs(*feeds, unit_ports(9, 6))
        ends = np.flatnonzero(found["block_last_i"][:, 0, 0])
        bench.check(f"{name}: a block begins in time", int(found["block_first_i"][1, 0, 0]), 1)
        bench.check(f"{name}: the first ends", int(ends[0]), 2 + late)
        places = np.flatnonzero(found["b_place_i"][:, 0].any(axis=1))
        bench.check(f"{name}: the first place", int(places[0]), 2 + late)
