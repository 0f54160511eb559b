# SPDX-License-Identifier: Apache-2.0
"""Random networks with steps that move values, and with those along an axis."""

from __future__ import annotations

import numpy as np
import onnx
from graphs import Builder, convolution, end, limit, residual


def joined(b: Builder) -> None:
    """With an older value along the channels, or with itself."""
    last, shape = b.last, b.shape
    fits = [
        n for n, s in b.older if s[0] == shape[0] and s[2:] == shape[2:] and len(s) == len(shape)
    ]
    other = b.pick(*fits)
    channels = shape[1] + dict(b.older)[other][1]
    if channels < 40:
        order = [last, other] if b.rng.random() < 0.5 else [other, last]
        b.node("Concat", order, (shape[0], channels, *shape[2:]), axis=1)


def sliced(b: Builder) -> None:
    axis = int(b.rng.integers(1, len(b.shape)))
    size = b.shape[axis]
    step = int(b.pick(1, 1, 2, -1))
    first, last = sorted(int(n) for n in b.rng.choice(size + 1, 2, replace=False))
    starts, ends = (
        (first, last) if step > 0 else (last - 1, first - 1 - (size if first == 0 else 0))
    )
    shape = list(b.shape)
    shape[axis] = len(range(first, last, step)) if step > 0 else last - first
    values = [b.constant(np.array([n], np.int64)) for n in (starts, ends, axis, step)]
    b.node("Slice", [b.last, *values], tuple(shape))


def padded(b: Builder) -> None:
    mode = b.pick("constant", "reflect", "edge")
    rank = len(b.shape)
    pads = [0] * (2 * rank)
    for axis in range(2, rank):
        most = b.shape[axis] if mode == "reflect" else 3
        pads[axis], pads[axis + rank] = (int(n) for n in b.rng.integers(0, min(most, 3), 2))
    shape = tuple(s + pads[a] + pads[a + rank] for a, s in enumerate(b.shape))
    b.node("Pad", [b.last, b.constant(np.array(pads, np.int64))], shape, mode=mode)


def enlarged(b: Builder) -> None:
    factors = [1, 1, *(int(n) for n in b.rng.integers(1, 3, len(b.shape) - 2))]
    shape = tuple(s * f for s, f in zip(b.shape, factors))
    if max(shape[2:]) > 20:
        return
    where, rounding = b.pick(("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"))
    scales = b.constant(np.array(factors, np.float32))
    b.node(
        "Resize",
        [b.last, "", scales],
        shape,
        mode="nearest",
        coordinate_transformation_mode=where,
        nearest_mode=rounding,
    )


def transposed_convolution(b: Builder) -> None:
    images, channels, *sizes = b.shape
    out = int(b.rng.integers(1, 20))
    kernel = [int(b.rng.integers(1, 4)) for _ in sizes]
    stride = [int(b.rng.integers(1, 3)) for _ in sizes]
    before = [int(b.rng.integers(0, k)) for k in kernel]
    after = [int(b.rng.integers(0, k)) for k in kernel]
    shape = [t * (s - 1) + k - x - y for s, k, t, x, y in zip(sizes, kernel, stride, before, after)]
    if min(shape) < 1 or max(shape) > 24:
        return
    weights = b.normal(channels, out, *kernel, by=channels * int(np.prod(kernel)))
    inputs = [b.last, b.constant(weights)]
    if b.rng.random() < 0.5:
        inputs.append(b.constant(b.normal(out)))
    b.node("ConvTranspose", inputs, (images, out, *shape), strides=stride, pads=before + after)


def norm(b: Builder) -> None:
    """Over the last axis, or of each channel."""
    channels, last = b.shape[1], b.shape[-1]
    if last > 2 and b.rng.random() < 0.5:
        values = [b.constant(b.normal(last)), b.constant(b.normal(last))]
        b.node("LayerNormalization", [b.last, *values], b.shape, axis=-1, epsilon=1e-3)
    elif int(np.prod(b.shape[2:])) > 2:
        values = [b.constant(b.normal(channels)), b.constant(b.normal(channels))]
        b.node("InstanceNormalization", [b.last, *values], b.shape, epsilon=1e-3)


def curve(b: Builder) -> None:
    """GELU by its error function, which one table computes."""
    x, shape = b.last, b.shape
    b.node("Div", [x, b.constant(np.float32(np.sqrt(2)))], shape)
    b.node("Erf", [b.last], shape)
    b.node("Add", [b.last, b.constant(np.float32(1))], shape)
    b.node("Mul", [x, b.last], shape)
    b.node("Mul", [b.last, b.constant(np.float32(0.5))], shape)


def slopes(b: Builder) -> None:
    shape = (b.shape[1],) + (1,) * (len(b.shape) - 2)
    values = b.rng.uniform(-0.5, 1, shape).astype(np.float32)
    b.node("PRelu", [b.last, b.constant(values)], b.shape)


def reduced(b: Builder) -> None:
    """The value minus its largest one or its mean along an axis."""
    x, shape = b.last, b.shape
    axis = int(b.rng.integers(1, len(shape)))
    small = tuple(1 if a == axis else s for a, s in enumerate(shape))
    op = b.pick("ReduceMax", "ReduceMean", "ReduceSum")
    b.node(op, [x, b.constant(np.array([axis], np.int64))], small)
    b.node("Sub", [x, b.last], shape)


def attention(b: Builder) -> None:
    """Each pixel attends to all pixels of its image: two products of computed matrices."""
    images, channels, *sizes = b.shape
    pixels = int(np.prod(sizes))
    if pixels > 40:
        return
    image = b.shape
    flat = b.constant(np.array([images, channels, pixels], np.int64))
    b.node("Reshape", [b.last, flat], (images, channels, pixels))
    keys = b.last
    b.node("Transpose", [keys], (images, pixels, channels), perm=[0, 2, 1])
    queries = b.last
    b.node("MatMul", [queries, keys], (images, pixels, pixels))
    b.node("Mul", [b.last, b.constant(np.float32(channels**-0.5))], b.shape)
    b.node("Softmax", [b.last], b.shape)
    b.node("MatMul", [b.last, queries], (images, pixels, channels))
    b.node("Transpose", [b.last], (images, channels, pixels), perm=[0, 2, 1])
    b.node("Reshape", [b.last, b.constant(np.array(image, np.int64))], image)


def written_norm(b: Builder, axis: int, turned: bool) -> None:
    """A layer norm as older exporters write it; `turned`: with a transposition between."""
    x, shape = b.last, b.shape
    small = tuple(1 if a == axis else s for a, s in enumerate(shape))
    b.node("ReduceMean", [x, b.constant(np.array([axis], np.int64))], small)
    b.node("Sub", [x, b.last], shape)
    if turned:
        perm = [0, 2, 1]
        shape = tuple(shape[p] for p in perm)
        b.node("Transpose", [b.last], shape, perm=perm)
        axis = perm.index(axis)
    apart = b.last
    b.node("Pow", [apart, b.constant(np.float32(2))], shape)
    small = tuple(1 if a == axis else s for a, s in enumerate(shape))
    b.node("ReduceMean", [b.last, b.constant(np.array([axis], np.int64))], small)
    b.node("Add", [b.last, b.constant(np.float32(0.4))], small)
    b.node("Sqrt", [b.last], small)
    b.node("Div", [apart, b.last], shape)
    if axis == len(shape) - 1:
        b.node("Mul", [b.last, b.constant(b.normal(shape[axis]))], shape)
        b.node("Add", [b.last, b.constant(b.normal(shape[axis]))], shape)


def norms(rng: np.random.Generator, form: str) -> onnx.ModelProto:
    """One norm, whose epsilon is not small beside the variance."""
    b = Builder(rng, (2, 9, 7))
    last = b.constant(b.normal(7))
    if form in ("LayerNormalization", "RMSNormalization"):
        b.node(form, [b.last, last], b.shape, axis=-1, epsilon=0.4)
    elif form == "groups":
        channels = [b.constant(b.normal(9)), b.constant(b.normal(9))]
        b.node("InstanceNormalization", [b.last, *channels], b.shape, epsilon=0.4)
    else:
        written_norm(b, 2 if form == "written" else 1, form == "turned")
    if b.shape == b.input:  # the input is FP8 then, and its scale is in the norm's epsilon
        b.node("Sub", [b.last, "x"], b.shape)
    return b.model("norms", 23)


MOVING = (joined, sliced, padded, enlarged, transposed_convolution, norm, curve, slopes)


def random_moving(rng: np.random.Generator, name: str) -> onnx.ModelProto:
    """Two to five steps that move values or go along an axis, between others."""
    shape = tuple(int(n) for n in rng.integers((1, 2), (3, 14)))
    sizes = [int(rng.integers(3, 9)) for _ in range(rng.integers(1, 3))]
    b = Builder(rng, (*shape, *sizes))
    if rng.random() < 0.7:
        convolution(b)
    for _ in range(rng.integers(2, 6)):
        b.pick(*MOVING, reduced, attention, convolution, residual, limit)(b)
    if rng.random() < 0.5:
        end(b)
    if b.last == "x":
        convolution(b)
    return b.model(name, int(rng.choice([18, 19, 21, 23])))
