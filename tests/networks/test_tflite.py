# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite files have the values of their operators' definitions, in float32 and from INT8 weights."""

from __future__ import annotations

import numpy as np
import pytest
from fp8net import lower, shapes, tflite
from fp8net.cli import main
from fp8net.errors import Refused
from fp8net.executor import Executor
from small_tflite import Operator, Tensor, write

SAME, VALID = 0, 1
NONE, RELU, RELU6 = 0, 1, 3
TOLERANCE = 1e-5


def _padded(x: np.ndarray, kernel, stride, dilation, padding: int, fill: float):
    """TensorFlow's SAME: the output has ceil(size / stride), and the odd zero is behind."""
    pads = [(0, 0)]
    for axis in range(2):
        size, extent = x.shape[axis + 1], dilation[axis] * (kernel[axis] - 1) + 1
        total = max((-(-size // stride[axis]) - 1) * stride[axis] + extent - size, 0)
        pads.append((total // 2, total - total // 2) if padding == SAME else (0, 0))
    return np.pad(x, [*pads, (0, 0)], constant_values=fill)


def _windows(x: np.ndarray, kernel, stride, dilation):
    """Each output's pixels: n, lines, pixels, kernel lines, kernel pixels, channels."""
    count = [
        (x.shape[a + 1] - dilation[a] * (kernel[a] - 1) - 1) // stride[a] + 1 for a in range(2)
    ]
    out = np.zeros((len(x), *count, *kernel, x.shape[3]))
    for oy, ox, ky, kx in np.ndindex(*count, *kernel):
        y, z = oy * stride[0] + ky * dilation[0], ox * stride[1] + kx * dilation[1]
        out[:, oy, ox, ky, kx] = x[:, y, z]
    return out


def _options(padding, stride, activation, dilation, where) -> dict:
    return {
        0: ("b", padding),
        1: ("i", stride[1]),
        2: ("i", stride[0]),
        where: ("b", activation),
        where + 1: ("i", dilation[1]),
        where + 2: ("i", dilation[0]),
    }


def _activate(y: np.ndarray, kind: int) -> np.ndarray:
    return {NONE: y, RELU: np.maximum(y, 0), RELU6: np.clip(y, 0, 6)}[kind]


def _run(work, data: bytes, x: np.ndarray) -> np.ndarray:
    path = work / "net.tflite"
    path.write_bytes(data)
    model = shapes.prepare(path)
    return shapes.session(model).run(None, {model.graph.input[0].name: x})[0]


def _weights(rng, shape, axis: int, int8: bool) -> tuple[Tensor, np.ndarray]:
    """A constant and its values."""
    if not int8:
        values = rng.normal(size=shape).astype(np.float32)
        return Tensor.constant("w", values), values
    codes = rng.integers(-127, 128, shape).astype(np.int8)
    scales = rng.uniform(0.005, 0.02, shape[axis]).astype(np.float32)
    tensor = Tensor.constant("w", codes, scales=scales, zeros=np.zeros(len(scales)), axis=axis)
    wide = [1] * len(shape)
    wide[axis] = -1
    return tensor, codes * scales.reshape(wide)


@pytest.mark.parametrize("int8", (False, True))
@pytest.mark.parametrize("case", range(6))
def test_convolutions(bench, seed, work, case, int8) -> None:
    rng = np.random.default_rng([seed, case, int8])
    padding, activation = int(rng.integers(2)), int(rng.choice([NONE, RELU, RELU6]))
    kernel, stride = (tuple(int(n) for n in rng.integers(1, 4, 2)) for _ in range(2))
    dilation = (2, 2) if stride == (1, 1) else (1, 1)
    channels, deep = int(rng.integers(1, 5)), case % 2
    x = rng.normal(size=(2, 9, 8, channels)).astype(np.float32)
    out = channels * 2 if deep else 5
    shape = (1, *kernel, out) if deep else (out, *kernel, channels)
    tensor, w = _weights(rng, shape, 3 if deep else 0, int8)
    bias = rng.normal(size=out).astype(np.float32)
    windows = _windows(_padded(x, kernel, stride, dilation, padding, 0), kernel, stride, dilation)
    if deep:
        wide = np.repeat(windows, 2, axis=-1)
        want = (wide * w[0]).sum(axis=(3, 4)) + bias
    else:
        want = np.einsum("nyxklc,oklc->nyxo", windows, w) + bias
    tensors = [Tensor("x", x.shape), tensor, Tensor.constant("bias", bias), Tensor("y", want.shape)]
    options = _options(padding, stride, activation, dilation, 4 if deep else 3)
    if deep:
        options[3] = ("i", 2)
    data = write(tensors, [Operator(4 if deep else 3, [0, 1, 2], [3], options)], [0], [3])
    got = _run(work, data, x)
    want = _activate(want, activation)
    bench.check("shape", got.shape == want.shape)
    bench.check("values", np.allclose(got, want, rtol=TOLERANCE, atol=1e-4))


def _one(work, x: np.ndarray, code: int, options: dict, shape, more=()) -> np.ndarray:
    tensors = [Tensor("x", x.shape), *more, Tensor("y", shape)]
    inputs = list(range(len(tensors) - 1))
    operator = Operator(code, inputs, [len(tensors) - 1], options)
    return _run(work, write(tensors, [operator], [0], [len(tensors) - 1]), x)


def test_others(bench, rng, work) -> None:
    x = rng.normal(size=(2, 7, 6, 3)).astype(np.float32)
    pools = {0: ("b", VALID), 1: ("i", 2), 2: ("i", 2), 3: ("i", 2), 4: ("i", 3), 5: ("b", RELU)}
    windows = _windows(x, (3, 2), (2, 2), (1, 1))
    got = _one(work, x, 1, pools, (2, 3, 3, 3))
    bench.check("average", np.allclose(got, np.maximum(windows.mean(axis=(3, 4)), 0), atol=1e-6))
    got = _one(work, x, 17, pools, (2, 3, 3, 3))
    bench.check("maximum", np.allclose(got, np.maximum(windows.max(axis=(3, 4)), 0)))
    flat = x.reshape(2, -1)
    w, b = rng.normal(size=(5, 126)).astype(np.float32), rng.normal(size=5).astype(np.float32)
    constants = [Tensor.constant("w", w), Tensor.constant("b", b)]
    got = _one(work, flat, 9, {0: ("b", RELU6)}, (2, 5), constants)
    bench.check("matrix", np.allclose(got, np.clip(flat @ w.T + b, 0, 6), rtol=1e-5, atol=1e-4))
    e = np.exp(flat - flat.max(axis=1, keepdims=True))
    got = _one(work, flat, 25, {0: ("f", 1.0)}, flat.shape)
    bench.check("softmax", np.allclose(got, e / e.sum(axis=1, keepdims=True), atol=1e-6))
    axes = Tensor.constant("axes", np.array([1, 2], np.int32))
    got = _one(work, x, 40, {0: ("b", 0)}, (2, 3), [axes])
    bench.check("mean", np.allclose(got, x.mean(axis=(1, 2)), atol=1e-6))
    pads = Tensor.constant("pads", np.array([[0, 0], [1, 2], [0, 3], [0, 0]], np.int32))
    got = _one(work, x, 34, {}, (2, 10, 9, 3), [pads])
    bench.check("pad", np.array_equal(got, np.pad(x, [(0, 0), (1, 2), (0, 3), (0, 0)])))
    sizes = Tensor.constant("sizes", np.array([14, 18], np.int32))
    got = _one(work, x, 97, {}, (2, 14, 18, 3), [sizes])
    bench.check("nearest", np.array_equal(got, x.repeat(2, axis=1).repeat(3, axis=2)))
    addend = Tensor.constant("a", rng.normal(size=3).astype(np.float32))
    got = _one(work, x, 0, {0: ("b", RELU)}, x.shape, [addend])
    bench.check("sum", np.allclose(got, np.maximum(x + addend.data, 0)))


def _small(rng) -> bytes:
    tensors = [
        Tensor("x", (1, 6, 6, 2)),
        Tensor.constant("w", rng.normal(size=(4, 3, 3, 2)).astype(np.float32)),
        Tensor.constant("b", rng.normal(size=4).astype(np.float32)),
        Tensor("y", (1, 6, 6, 4)),
    ]
    options = _options(SAME, (1, 1), RELU, (1, 1), 3)
    return write(tensors, [Operator(3, [0, 1, 2], [3], options, 1)], [0], [3])


def test_fp8(bench, rng, work, capsys) -> None:
    """By the same commands as an ONNX file."""
    path = work / "small.tflite"
    path.write_bytes(_small(rng))
    runs = [{"x": rng.normal(size=(1, 6, 6, 2)).astype(np.float32)} for _ in range(3)]
    np.savez(work / "data.npz", x=np.concatenate([run["x"] for run in runs]))
    command = ["quantize", str(path), "--data", str(work / "data.npz"), "-o", str(work / "q.onnx")]
    bench.check("quantize", main(command) == 0)
    graph = lower.lower_model(shapes.prepare(work / "q.onnx"))
    (got,) = Executor(graph).run(runs[0]).values()
    (want,) = shapes.session(shapes.prepare(path)).run(None, runs[0])
    error = np.linalg.norm(got - want) / np.linalg.norm(want)
    bench.check(f"error of FP8: {error:.3f}", error < 0.1)
    bench.check("one layer, nothing moves", len(graph.layers) == 1 and graph.moved() == 0)
    capsys.readouterr()


def test_hostile(bench, rng, work, capsys) -> None:
    data = bytearray(_small(rng))
    for size in range(8, len(data), 9):
        bench.raises(
            f"cut to {size}", Refused, "cut", lambda n=size: tflite.convert(data[:n], "cut")
        )
    path, refused = work / "damaged.tflite", 0
    for _ in range(300):
        copy = bytearray(data)
        for _ in range(rng.integers(1, 5)):
            copy[rng.integers(8, len(copy))] = rng.integers(256)
        path.write_bytes(copy)
        refused += main(["analyze", str(path)])
    bench.check(f"{refused} of 300 damaged files are refused", 0 < refused < 300)
    operator = Operator(36, [0, 1], [2])
    tensors = [Tensor("x", (2, 3)), Tensor("y", (2, 3)), Tensor("z", (2, 3))]
    path.write_bytes(write(tensors, [operator, Operator(5, [2], [1])], [0], [1]))
    capsys.readouterr()
    bench.check("unknown operators", main(["analyze", str(path)]) == 1)
    said = capsys.readouterr().err
    bench.check(
        f"both are named: {said}",
        "z (GATHER)" in said
        and "y (DEPTH_TO_SPACE)" in said
        and "an ONNX file, with Gather" in said,
    )
    path.write_bytes(b"\0" * 4 + b"TFL3" + b"\xff" * 40)
    bench.check("no tables", main(["analyze", str(path)]) == 1)
    capsys.readouterr()
