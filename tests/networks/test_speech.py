# SPDX-License-Identifier: Apache-2.0
"""Published networks keep their quality: SQNR and answers beside ONNX Runtime on the float file."""

from __future__ import annotations

import numpy as np
import pytest
import speech
from fp8net import lower, quantize, reference, report, shapes, validate
from fp8net.executor import Executor

# The least SQNR of the logits in dB, and the most windows of about 60 whose answer differs.
FLOORS = {"pulsevad_2.1k.onnx": (17.0, 2), "pulsevad_teacher_81k.onnx": (16.0, 2)}


@pytest.mark.parametrize("name", FLOORS)
def test_quality(bench, name) -> None:
    calibration, test = speech.windows()
    path = speech.package() / name
    quantised, _ = quantize.quantize(path, calibration, quantize.Options())
    graph = lower.lower_model(shapes.infer(quantised))
    result = validate.compare(graph, Executor(graph), reference.read(path), test)
    least, most = FLOORS[name]
    print(
        f"{name}: {result.sqnr['logits']:.1f} dB, {result.agree['logits']} of {result.runs} answers"
    )
    bench.check(f"{name}: {result.runs} windows", result.runs > 50)
    bench.check(
        f"{name}: {result.sqnr['logits']:.1f} dB, at least {least}", result.sqnr["logits"] >= least
    )
    bench.check(f"{name}: answers", result.runs - result.agree["logits"] <= most)


def test_int8_file(bench) -> None:
    """A file that has INT8 codes already keeps its scales: nearly ONNX Runtime's values of this file, and float32's answers."""
    _, test = speech.windows()
    path, floats = (speech.package() / f"pulsevad_2.1k{kind}.onnx" for kind in ("_int8", ""))
    model = shapes.prepare(path)
    graph = lower.lower_model(model)
    bench.check("INT8", graph.is_int8)
    for what, file, least, most in (
        ("the same file", path, 40.0, 0),
        ("float32", floats, 18.0, 3),
    ):
        result = validate.compare(graph, Executor(graph), reference.read(file), test)
        error, wrong = result.sqnr["logits"], result.runs - result.agree["logits"]
        print(f"INT8 beside {what}: {error:.1f} dB, {wrong} of {result.runs} answers differ")
        bench.check(f"beside {what}: {error:.1f} dB", error >= least)
        bench.check(f"beside {what}: answers", result.runs > 50 and wrong <= most)


def test_silero(bench) -> None:
    """A network with a state, a long kernel and reflected padding: four frames a run, one run after the other."""
    frames = speech.frames()
    given, kept = {"input": frames[0]["input"].shape}, {"h": "hn", "c": "cn"}
    path = speech.silero()
    quantised, _ = quantize.quantize(path, frames[:40], quantize.Options(), given, kept)
    graph = lower.lower_model(shapes.infer(quantised))
    session, executor = reference.read(path, kept), Executor(graph)
    test = frames[40:80]
    truth = np.concatenate([session.run(["speech_probs"], run)[0] for run in test])
    mine = np.concatenate([executor.run(run)["speech_probs"] for run in test])
    error, wrong = report.sqnr(truth, mine), int(((truth > 0.5) != (mine > 0.5)).sum())
    print(f"silero: {error:.1f} dB, {wrong} of {truth.size} answers differ")
    bench.check(
        f"{truth.size} frames, of them {int((truth > 0.5).sum())} speech", truth.size == 160
    )
    bench.check(f"there are both answers: {truth.max():.2f}", truth.min() < 0.5 < truth.max())
    bench.check(f"{error:.1f} dB", error >= 20.0)
    bench.check(f"{wrong} answers differ", wrong <= 3)
