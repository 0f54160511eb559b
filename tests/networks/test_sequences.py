# SPDX-License-Identifier: Apache-2.0
"""Attention with masks, rotary positions, constants of several axes, Resize and slices: as test_random.py compares networks."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from fp8net import lower, quantize, shapes, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from graphs import Builder
from onnx import TensorProto, helper
from programs import run
from test_random import LEAST_DB, RUNS, _check

BATCH, TOKENS, HEADS, SHARED, SIZE = 2, 6, 4, 2, 8
TRIANGLE = np.tri(TOKENS, dtype=bool)
HIDDEN = np.float32(np.finfo(np.float32).min)


def _product(b: Builder, name: str, columns: int) -> str:
    width = b.input[-1]
    b.node(
        "MatMul", [name, b.constant(b.normal(width, columns, by=width))], (*b.input[:-1], columns)
    )
    return b.last


def _operands(b: Builder, shared: int = SHARED) -> list[str]:
    return [_product(b, "x", heads * SIZE) for heads in (HEADS, shared, shared)]


def _attend(b: Builder, operands: list[str], **attributes) -> None:
    heads = {"q_num_heads": HEADS, "kv_num_heads": SHARED, **attributes}
    b.node("Attention", operands, (BATCH, TOKENS, HEADS * SIZE), **heads)


def causal(b: Builder) -> None:
    _attend(b, _operands(b), is_causal=1)


def truths(b: Builder) -> None:
    """A mask of truths that is no triangle"""
    mask = b.rng.random((TOKENS, TOKENS)) < 0.6
    _attend(b, [*_operands(b), b.constant(mask | np.eye(TOKENS, dtype=bool))])


def biases(b: Builder) -> None:
    """A number for each score of each head"""
    _attend(b, [*_operands(b), b.constant(b.normal(1, HEADS, TOKENS, TOKENS))], is_causal=1)


def _scores(b: Builder) -> str:
    """Of one head, in several nodes. Returns the values."""
    q, k, v = (_product(b, "x", SIZE) for _ in range(3))
    b.node("Transpose", [k], (BATCH, SIZE, TOKENS), perm=[0, 2, 1])
    b.node("MatMul", [q, b.last], (BATCH, TOKENS, TOKENS))
    b.node("Mul", [b.last, b.constant(np.float32(SIZE**-0.5))], b.shape)
    return v


def _sums(b: Builder, values: str) -> None:
    b.node("Softmax", [b.last], b.shape, axis=-1)
    b.node("MatMul", [b.last, values], (BATCH, TOKENS, SIZE))


def added(b: Builder) -> None:
    values = _scores(b)
    mask = np.where(TRIANGLE, 0, HIDDEN).astype(np.float32)
    b.node("Add", [b.last, b.constant(mask)], b.shape)
    _sums(b, values)


def chosen(b: Builder) -> None:
    """Where: scores, or what a softmax does not see"""
    values = _scores(b)
    mask = TRIANGLE ^ np.eye(TOKENS, k=-2, dtype=bool)
    b.node("Where", [b.constant(mask), b.last, b.constant(np.float32(-np.inf))], b.shape)
    _sums(b, values)


def padding(b: Builder) -> None:
    """Columns that no row sees, of the second sequence alone: no number of columns for all"""
    values = _scores(b)
    seen = np.arange(TOKENS) < np.array([TOKENS, TOKENS - 2])[:, None, None]
    b.node("Where", [b.constant(seen), b.last, b.constant(HIDDEN)], b.shape)
    _sums(b, values)


def branches(b: Builder) -> None:
    """Where of two computed values, and of one with a number"""
    first, second = (_product(b, "x", SIZE) for _ in range(2))
    mask = b.rng.random((TOKENS, SIZE)) < 0.5
    b.node("Where", [b.constant(mask), first, second], (BATCH, TOKENS, SIZE))
    b.node("Where", [b.constant(~mask[:1]), b.last, b.constant(np.float32(0.25))], b.shape)


def positions(b: Builder) -> None:
    """A vector for each token, and factors and differences of several axes"""
    width = b.input[-1]
    b.node("Add", ["x", b.constant(b.normal(TOKENS, width))], b.input)
    b.node("Mul", [b.last, b.constant(b.normal(BATCH, TOKENS, width))], b.shape)
    b.node("Sub", [b.constant(b.normal(TOKENS, width)), b.last], b.shape)
    b.node("Div", [b.last, b.constant(1 + np.abs(b.normal(BATCH, 1, width)))], b.shape)
    _product(b, b.last, 5)


def rotary(b: Builder, interleaved: int = 0, part: int = SIZE) -> None:
    q, k, v = _operands(b, HEADS)
    angles = np.outer(np.arange(16), 10.0 ** -np.linspace(0, 2, part // 2)).astype(np.float32)
    caches = [b.constant(np.cos(angles)), b.constant(np.sin(angles))]
    places = b.constant(np.stack([np.arange(TOKENS), 3 + np.arange(TOKENS)]).astype(np.int64))
    turned = []
    for name in (q, k):
        attributes = {"num_heads": HEADS, "interleaved": interleaved, "rotary_embedding_dim": part}
        shape = (BATCH, TOKENS, HEADS * SIZE)
        b.node("RotaryEmbedding", [name, *caches, places], shape, **attributes)
        turned.append(b.last)
    _attend(b, [*turned, v], kv_num_heads=HEADS, is_causal=1)


def interleaved(b: Builder) -> None:
    rotary(b, 1, SIZE // 2)


SEQUENCES = (
    *(causal, truths, biases, added, chosen, padding, branches, positions),
    *(rotary, interleaved),
)


def _quantised(b: Builder, name: str, work) -> tuple:
    path = work / f"{name}.onnx"
    onnx.save(b.model(name, 23), path)
    runs = [{"x": b.rng.normal(size=b.input).astype(np.float32)} for _ in range(RUNS)]
    quantised, _ = quantize.quantize(path, runs, quantize.Options())
    return quantised, runs


@pytest.mark.parametrize("make", SEQUENCES, ids=lambda make: make.__name__)
def test_sequences(bench, rng, compiler, work, make) -> None:
    b = Builder(rng, (BATCH, TOKENS, 12))
    make(b)
    case = _quantised(b, make.__name__, work)
    _check(bench, make.__name__, work / "net", LEAST_DB, case, compiler, False)
    masked = [layer for layer in lower.lower_model(shapes.infer(case[0])).layers if layer.seen]
    known = make in (causal, biases, added, rotary, interleaved)
    bench.check(f"{make.__name__}: the softmax has a number of columns", bool(masked) == known)


RESIZED = (
    ((1, 5, 4, 6), (1, 1, 2, 2), {}),
    ((1, 5, 4, 6), (1, 1, 3, 1.5), {"coordinate_transformation_mode": "asymmetric"}),
    ((2, 3, 7), (1, 1, 11 / 7), {"coordinate_transformation_mode": "align_corners"}),
    ((1, 4, 6, 6), (1, 1, 1.5, 0.5), {"mode": "nearest", "nearest_mode": "ceil"}),
)


@pytest.mark.parametrize("number", range(len(RESIZED)))
def test_resize(bench, rng, compiler, work, number) -> None:
    """Between convolutions, which want channels last"""
    shape, scales, attributes = RESIZED[number]
    b = Builder(rng, shape)
    rank = len(shape)
    ones = b.constant(b.normal(shape[1], shape[1], *(1,) * (rank - 2), by=shape[1]))
    b.node("Conv", ["x", ones], shape)
    sizes = tuple(int(s * f + 1e-9) for s, f in zip(shape, scales))
    factors = b.constant(np.array(scales, np.float32))
    if any(float(np.float32(f)) != f for f in scales):
        places = ["", b.constant(np.array(sizes, np.int64))]
    else:
        places = [factors]
    b.node("Resize", [b.last, "", *places], sizes, **{"mode": "linear", **attributes})
    b.node("Conv", [b.last, ones], sizes)
    case = _quantised(b, "resize", work)
    _check(bench, f"resize {number}", work / "net", LEAST_DB, case, compiler, False)


def test_slices(bench, rng, compiler, work) -> None:
    """Slices of channels are convolutions of their own. With a slice of lines beside them they are moves."""
    for lines in (False, True):
        b = Builder(rng, (1, 5, 6, 4))
        b.node("Conv", ["x", b.constant(b.normal(14, 5, 3, 1, by=15))], (1, 14, 4, 4))
        image, parts = b.last, []
        for first, last, axis in ((0, 7, 1), (7, 14, 1), *([(1, 3, 2)] if lines else [])):
            places = [b.constant(np.array([n], np.int64)) for n in (first, last, axis)]
            b.node("Slice", [image, *places], (1, 7, 4, 4) if axis == 1 else (1, 14, 2, 4))
            parts.append(b.last)
        if lines:
            b.node("ReduceMax", [b.last], (1, 1, 1, 1))
        b.node("Mul", parts[:2], (1, 7, 4, 4))
        if lines:
            b.node("Add", [b.last, b.nodes[-2].output[0]], b.shape)
        case = _quantised(b, "slices", work)
        if not lines:  # moves are tested elsewhere
            _check(bench, "slices", work / "net", LEAST_DB, case, compiler, False)
        layers = [layer.op for layer in lower.lower_model(shapes.infer(case[0])).layers]
        moved = layers.count("move") - lines  # the maximum is repeated
        bench.check(f"slices, {lines}: {layers}", (moved > 0) == lines)


def _refused(bench, b: Builder, what: str, work) -> None:
    try:
        _quantised(b, "refused", work)
        text = ""
    except Refused as error:
        text = str(error)
    bench.check(f"{what}: {text}", what in text)


def test_refused(bench, rng, work) -> None:
    def hidden(b: Builder) -> None:
        mask = TRIANGLE.copy()
        mask[0] = False
        _attend(b, [*_operands(b), b.constant(mask)])

    def hidden_added(b: Builder) -> None:
        values = _scores(b)
        mask = np.where(np.tri(TOKENS, k=-1, dtype=bool), 0, -np.inf).astype(np.float32)
        b.node("Add", [b.last, b.constant(mask)], b.shape)
        _sums(b, values)

    def capped(b: Builder) -> None:
        _attend(b, _operands(b), softcap=2.0)

    def computed(b: Builder) -> None:
        caches = [_product(b, "x", SIZE // 2) for _ in range(2)]
        b.node("RotaryEmbedding", ["x", *caches], b.input, num_heads=1)

    def part(b: Builder) -> None:
        scales = b.constant(np.array([1, 1, 1.05], np.float32))
        b.node("Resize", ["x", "", scales], b.input, mode="linear")

    for make, what in (
        (hidden, "hides all of a row"),
        (hidden_added, "-Inf for all of a row"),
        (capped, "softcap is 2.0"),
        (computed, "its caches are no finite constants"),
        (part, "leave all sizes as they are"),
    ):
        b = Builder(rng, (BATCH, TOKENS, SIZE))
        make(b)
        _refused(bench, b, what, work)


# A program that gives the network its mask, with one number of it from the command line
_MASK = """
#include <stdio.h>

#include "fp8rt/app.h"
#include "mask.h"

int main(void)
{
    static fp8rt_device dev;
    static _Alignas(32) uint8_t arena[MASK_ARENA_BYTES];
    static float x[%d], mask[%d];
    const float numbers[] = {0.0f, -1e30f, -1.0f / x[0], 1.0f / x[0], x[0] / x[0]};
    mask_net net;
    if (fp8rt_device_open(&dev, &fp8rt_app_port) != FP8RT_OK ||
        mask_open(&net, &dev, arena, sizeof arena) != FP8RT_OK ||
        mask_set_input(&net, 0, x) != FP8RT_OK) {
        return 1;
    }
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        mask[7] = numbers[i];
        printf("%%d ", (int)mask_set_input(&net, 1, mask));
    }
    printf("shape %%d", (int)FP8RT_ERR_SHAPE);
    return mask_run(&net) == FP8RT_OK ? 0 : 1;
}
"""


def test_mask_as_input(bench, rng, compiler, work) -> None:
    """A row of -Inf alone is 0 by ONNX's definition, and NaN on the chip: a mask that is an input has finite numbers."""
    b = Builder(rng, (BATCH, TOKENS, SIZE))
    _attend(b, [*_operands(b), "mask"])
    model = b.model("mask", 24, check=False)
    value = helper.make_tensor_value_info("mask", TensorProto.FLOAT, [TOKENS, TOKENS])
    model.graph.input.append(value)
    onnx.save(model, work / "mask.onnx")
    mask = np.where(TRIANGLE, 0, -1e30).astype(np.float32)
    runs = [{"x": rng.normal(size=b.input).astype(np.float32), "mask": mask}]
    quantised, _ = quantize.quantize(work / "mask.onnx", runs, quantize.Options())
    _check(bench, "mask", work / "net", LEAST_DB, (quantised, runs), compiler, False)
    graph = lower.lower_model(shapes.infer(quantised))
    for number in (-np.inf, np.inf, np.nan):
        bad = mask.copy()
        bad[1, 1] = number
        bench.raises(
            f"{number}", Refused, "mask", lambda: Executor(graph).run({**runs[0], "mask": bad})
        )
    sources = writer.prepare(graph, work / "mask", "mask.onnx", runs)
    writer.write(work / "mask", sources, {})
    (work / "mask/main.c").write_text(_MASK % (BATCH * TOKENS * SIZE, TOKENS * TOKENS))
    outcome = run(compiler.build(work / "mask"))
    *codes, shape = outcome.text.replace("shape", "").split()
    good = outcome.status == 0 and codes == ["0", "0", shape, shape, shape]
    bench.check(f"statuses: {outcome.text}", good)
