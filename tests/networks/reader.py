# SPDX-License-Identifier: Apache-2.0
"""The reader of text lines of the Python package rapidocr-onnxruntime (Apache-2.0): a convolution network with two blocks of a
transformer of width 120, whose activations have channels that are far larger than the others.

Its file has shapes that are computed from the input's. They become numbers when ONNX Runtime writes its file for one shape.
Lines are those of lines.py that are upright.
"""

from __future__ import annotations

from pathlib import Path

import lines
import onnx
import onnxruntime


def network() -> Path:
    return lines.network().with_name("ch_PP-OCRv4_rec_infer.onnx")


def write(path: Path) -> None:
    """The package's file for one line of lines.HEIGHT x lines.WIDTH"""
    model = onnx.load(network())
    sides = model.graph.input[0].type.tensor_type.shape.dim
    for side, value in zip(sides, (1, 3, lines.HEIGHT, lines.WIDTH)):
        side.dim_value = value
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    options.intra_op_num_threads = 1
    onnxruntime.InferenceSession(model.SerializeToString(), options)


def runs(count: int) -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test"""
    found: tuple[list[dict], list[dict]] = [], []
    for number in range(4 * count):
        values, turned = lines.line(number)
        if not turned:
            found[number % 2].append({"x": values})
    return found[0][:count], found[1][:count]
