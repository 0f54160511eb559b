# SPDX-License-Identifier: Apache-2.0
"""make_small.py FOLDER: a small convolutional network with each kind of layer, and inputs for it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from graphs import Builder

NAME = "small.onnx"


def build(rng: np.random.Generator) -> onnx.ModelProto:
    b = Builder(rng, (1, 3, 12, 12))

    def conv(out: int, kernel: int, **attributes) -> None:
        images, channels, height, width = b.shape
        groups = attributes.get("group", 1)
        stride = attributes.setdefault("strides", [1, 1])[0]
        weights = b.normal(
            out, channels // groups, kernel, kernel, by=channels // groups * kernel**2
        )
        shape = (images, out, -(-height // stride), -(-width // stride))
        pads = [kernel // 2] * 4
        b.node(
            "Conv",
            [b.last, b.constant(weights), b.constant(b.normal(out))],
            shape,
            pads=pads,
            **attributes,
        )

    conv(64, 3)
    b.node("Relu", [b.last], b.shape)
    conv(64, 3, group=64)  # four commands, which do not wait for each other
    conv(20, 1, strides=[2, 2])
    b.node("Sigmoid", [b.last], b.shape)
    before = b.last
    conv(20, 3)
    b.node("Add", [b.last, before], b.shape)
    b.node("HardSwish", [b.last], b.shape)
    b.node("MaxPool", [b.last], (1, 20, 3, 3), kernel_shape=[2, 2], strides=[2, 2])
    b.node("Elu", [b.last], b.shape)  # a third table: it is loaded when it is wanted
    places = [b.constant(np.array([n], np.int64)) for n in (19, -21, 1, -1)]
    b.node(
        "Slice", [b.last, *places], b.shape
    )  # channels in reverse: the core moves them while the list pauses
    b.node("AveragePool", [b.last], (1, 20, 2, 2), kernel_shape=[2, 2], strides=[1, 1])
    b.node("GlobalAveragePool", [b.last], (1, 20, 1, 1))
    b.node("Flatten", [b.last], (1, 20))
    b.node("Gemm", [b.last, b.constant(b.normal(10, 20, by=20))], (1, 10), transB=1)
    return b.model("small", 19)


def write(folder: Path) -> list[dict[str, np.ndarray]]:
    """Writes the network. Returns its inputs."""
    rng = np.random.default_rng(0)
    onnx.save(build(rng), folder / NAME)
    return [{"x": x[None]} for x in rng.normal(size=(8, 3, 12, 12)).astype(np.float32)]


def main() -> None:
    folder = Path(sys.argv[1])
    np.savez(folder / "small.npz", x=np.concatenate([run["x"] for run in write(folder)]))


if __name__ == "__main__":
    main()
