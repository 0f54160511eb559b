# SPDX-License-Identifier: Apache-2.0
"""Published networks keep their quality: SQNR and answers beside ONNX Runtime on the float file."""

from __future__ import annotations

import onnx
import pytest
import speech
from fp8net import lower, quantize, shapes, validate
from fp8net.executor import Executor

# The least SQNR of the logits in dB, and the most windows of about 60 whose answer differs.
FLOORS = {"pulsevad_2.1k.onnx": (17.0, 2), "pulsevad_teacher_81k.onnx": (16.0, 2)}


@pytest.mark.parametrize("name", FLOORS)
def test_quality(bench, name) -> None:
    calibration, test = speech.windows()
    path = speech.package() / name
    quantised, _ = quantize.quantize(path, calibration, quantize.Options())
    graph = lower.lower_model(shapes.infer(quantised))
    reference = shapes.prepare(path)
    result = validate.compare(graph, Executor(graph), reference, test)
    least, most = FLOORS[name]
    print(
        f"{name}: {result.sqnr['logits']:.1f} dB, {result.agree['logits']} of {result.runs} answers"
    )
    bench.check(f"{name}: {result.runs} windows", result.runs > 50)
    bench.check(
        f"{name}: {result.sqnr['logits']:.1f} dB, at least {least}", result.sqnr["logits"] >= least
    )
    bench.check(f"{name}: answers", result.runs - result.agree["logits"] <= most)
    bench.check(f"{name}: its output has its shape", isinstance(reference, onnx.ModelProto))
