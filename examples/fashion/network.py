# SPDX-License-Identifier: Apache-2.0
"""A residual network for images of 28 x 28 pixels, in float32 with its gradients, and as an ONNX file.

    x = ReLU(conv 3 x 3, stride 2)                             14 x 14 x 16
    x = ReLU(x + conv 1 x 1 (ReLU(conv 3 x 3 (x))))            a block
    x = ReLU(conv 3 x 3, stride 2), and a block                 7 x 7 x 32
    x = ReLU(conv 3 x 3, stride 2), and a block                 4 x 4 x 64
    classes = linear(mean of the pixels)                        10

There is no norm: the last convolution of a block is 0 at the start. Weights are n x (ky, kx, channel). Images are
n x 28 x 28 x 1 with pixels from 0 to 1.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware/apps/digits"))

from operations import linear, linear_back, patches, patches_back

F32 = np.float32
SIDE, CLASSES = 28, 10
CHANNELS = 1, 16, 32, 64
STAGES = len(CHANNELS) - 1


def parameters(rng: np.random.Generator) -> dict[str, np.ndarray]:
    def normal(n: int, k: int, gain: float) -> np.ndarray:
        return (rng.standard_normal((n, k)) * gain / np.sqrt(k)).astype(F32)

    p = {}
    for i, (c, n) in enumerate(itertools.pairwise(CHANNELS)):
        p[f"down{i}"], p[f"wide{i}"] = normal(n, 9 * c, 2**0.5), normal(n, 9 * n, 2**0.5)
        p[f"point{i}"] = np.zeros((n, n), F32)
        p |= {f"{kind}{i}_bias": np.zeros(n, F32) for kind in ("down", "wide", "point")}
    p["classes"], p["classes_bias"] = normal(CLASSES, CHANNELS[-1], 1), np.zeros(CLASSES, F32)
    return p


def forward(p: dict, x: np.ndarray):
    """Scores of the classes, and what backward needs."""
    kept = []
    for i in range(STAGES):
        shape = x.shape
        seen = patches(x, 3, 2)
        x = np.maximum(linear(seen, p[f"down{i}"], p[f"down{i}_bias"]), 0)
        around = patches(x, 3, 1)
        inner = np.maximum(linear(around, p[f"wide{i}"], p[f"wide{i}_bias"]), 0)
        out = np.maximum(x + linear(inner, p[f"point{i}"], p[f"point{i}_bias"]), 0)
        kept.append((shape, seen, x, around, inner, out))
        x = out
    mean = x.mean(axis=(1, 2))
    return linear(mean, p["classes"], p["classes_bias"]), (kept, mean)


def backward(p: dict, g: np.ndarray, state) -> dict[str, np.ndarray]:
    """Gradients by name, of the gradient of the scores."""
    kept, mean = state
    d = {}

    def back(name, g, x):
        g, d[name], d[f"{name}_bias"] = linear_back(g, x, p[name])
        return g

    out = kept[-1][5]
    g = back("classes", g, mean) / F32(out.shape[1] * out.shape[2])
    g = np.broadcast_to(g[:, None, None], out.shape)
    for i in reversed(range(STAGES)):
        shape, seen, x, around, inner, out = kept[i]
        g = g * (out > 0)
        more = back(f"wide{i}", back(f"point{i}", g, inner) * (inner > 0), around)
        g = (g + patches_back(more, x.shape, 3, 1)) * (x > 0)
        g = back(f"down{i}", g, seen)
        g = patches_back(g, shape, 3, 2) if i else g
    return d


def pixels(images: np.ndarray) -> np.ndarray:
    """Of n x 28 x 28 bytes"""
    return (images[..., None] / 255).astype(F32)


def correct(p: dict, images: np.ndarray, labels: np.ndarray) -> int:
    """How many images of all get their label."""
    parts = range(0, len(images), 250)
    return sum(
        int((forward(p, pixels(images[i : i + 250]))[0].argmax(1) == labels[i : i + 250]).sum())
        for i in parts
    )


# ---- the file -----------------------------------------------------------------------------------


def as_onnx(p: dict, images: int = 1) -> onnx.ModelProto:
    """The same network for so many images of 1 x 28 x 28: the input `pixels`, the output `classes`."""
    nodes, constants = [], []

    def add(op: str, *inputs: str, name: str, **attributes) -> str:
        nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def constant(name: str, values: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def convolution(x: str, name: str, kernel: int, stride: int) -> str:
        weights = p[name].reshape(len(p[name]), kernel, kernel, -1).transpose(0, 3, 1, 2)
        operands = constant(f"{name}_weights", weights), constant(f"{name}_bias", p[f"{name}_bias"])
        shape = {"strides": [stride, stride], "pads": [kernel // 2] * 4}
        return add("Conv", x, *operands, name=name, **shape)

    x = "pixels"
    for i in range(STAGES):
        x = add("Relu", convolution(x, f"down{i}", 3, 2), name=f"down{i}_relu")
        inner = add("Relu", convolution(x, f"wide{i}", 3, 1), name=f"wide{i}_relu")
        total = add("Add", x, convolution(inner, f"point{i}", 1, 1), name=f"block{i}")
        x = add("Relu", total, name=f"block{i}_relu")
    mean = add("Flatten", add("GlobalAveragePool", x, name="mean"), name="features")
    operands = constant("classes_weights", p["classes"]), constant("bias", p["classes_bias"])
    add("Gemm", mean, *operands, name="classes", transB=1)
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, (images, *shape))
        for name, shape in (("pixels", (1, SIDE, SIDE)), ("classes", (CLASSES,)))
    ]
    graph = helper.make_graph(nodes, "fashion", values[:1], values[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def runs(images: np.ndarray, batch: int = 1) -> list[dict[str, np.ndarray]]:
    """Inputs of the file for `batch` images."""
    values = pixels(images).transpose(0, 3, 1, 2)
    return [{"pixels": values[i : i + batch]} for i in range(0, len(values), batch)]
