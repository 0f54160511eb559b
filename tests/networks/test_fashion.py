# SPDX-License-Identifier: Apache-2.0
"""The network of examples/fashion: its gradients, its file beside NumPy, and its program on the host."""

from __future__ import annotations

import json
import re
from pathlib import Path

import clothes
import estimates
import numpy as np
import pytest
from clothes import data, network
from fp8net import estimate, lower, plan, quantize, recipe, shapes, validate, writer
from programs import run

STEP = 1e-6
# Cycles of the accelerator that `fp8net measure` has found, in FP8
MEASURED = {
    **{"down0": 2203, "wide0": 2354, "point0": 939, "down1": 1306, "wide1": 2134, "point1": 482},
    **{"down2": 1637, "wide2": 3014, "point2": 559, "mean": 516, "classes": 130},
}


def test_gradients(bench, rng) -> None:
    """Each parameter's largest gradient is the quotient of differences, in double precision."""
    p = {name: x.astype(np.float64) for name, x in network.parameters(rng).items()}
    for i in range(network.STAGES):  # not 0 as at the start, where others have no gradient
        p[f"point{i}"] += rng.normal(size=p[f"point{i}"].shape) / 8
    x, weights = rng.random((2, 28, 28, 1)), rng.normal(size=(2, network.CLASSES))
    found = network.backward(p, weights, network.forward(p, x)[1])
    for name, values in p.items():
        place = np.unravel_index(np.argmax(np.abs(found[name])), values.shape)
        ends = []
        for sign in (1, -1):
            kept = values[place]
            values[place] = kept + sign * STEP
            ends.append((network.forward(p, x)[0] * weights).sum())
            values[place] = kept
        slope = (ends[0] - ends[1]) / (2 * STEP)
        error = abs(slope - found[name][place]) / abs(slope)
        bench.check(f"{name}: {found[name][place]}, {slope}", error < 1e-4)


def test_file(bench, work) -> None:
    """ONNX Runtime computes what NumPy does."""
    path = work / "fashion.onnx"
    clothes.write(path)
    p, _, images, labels = data.read()
    session = shapes.session(shapes.prepare(path))
    scores = np.concatenate([session.run(None, x)[0] for x in network.runs(images)])
    error = np.abs(scores - network.forward(p, network.pixels(images))[0]).max()
    bench.check(f"scores differ by {error}", error < 1e-3)
    right = int((scores.argmax(axis=1) == labels).sum())
    bench.check(f"{right} are right", right == network.correct(p, images, labels))
    bench.check("all classes are there", len(set(labels.tolist())) == network.CLASSES)


COLUMNS = 4  # of the default array, which fp8net has for its depthwise commands


@pytest.mark.parametrize("form", ("e4m3fn", "int8", "mx"))
def test_program(bench, work, compiler, form, request) -> None:
    """The program on the host gives the executor's bytes; with --chip also on the chip, in the recorded cycles."""
    path = work / "fashion.onnx"
    clothes.write(path)
    calibration, test = clothes.runs()
    format = "int8" if form == "int8" else "e4m3fn"
    options = quantize.Options(format, format, mx=form == "mx")
    model = recipe.quantise(path, calibration, options).model
    graph = lower.lower_model(shapes.infer(model))
    graph.columns = COLUMNS
    folder = work / "net"
    writer.write(folder, writer.prepare(graph, folder, "fashion", test[:3]), {})
    element = "int8" if form == "int8" else "block_f19"
    outcome = run(compiler.build(folder), FP8RT_ELEMENT=element)
    bench.check(outcome.text, outcome.status == 0 and outcome.compared > 0)
    bench.check(outcome.text, outcome.different == 0)
    if request.config.getoption("--chip") and form != "int8":
        text = validate.run_program(Path.cwd(), folder, "chip")
        bench.check(text, re.search(r"[1-9]\d* bytes compared, 0 differ$", text, re.M) is not None)
        cycles = int(re.search(r"core cycles +(\d+) a run", text).group(1))
        recorded = _recorded_cycles(form == "mx")
        # Of other images: the cycles of the core's part depend a little on values.
        text = f"{cycles} cycles; the results have {recorded}: make accept-networks ONLY=fashion"
        bench.check(text, abs(cycles / recorded - 1) < 0.01)


def _recorded_cycles(mx: bool) -> int:
    row = json.loads(Path("sim/bench/networks.json").read_text())["rows"]["fashion.onnx"]
    return row["mx_cycles" if mx else "cycles"]


def test_estimates(bench, work) -> None:
    """The cycles that the report estimates are near those of the chip."""
    path = work / "fashion.onnx"
    clothes.write(path)
    model, _ = quantize.quantize(path, clothes.runs()[0], quantize.Options())
    graph = lower.lower_model(shapes.infer(model))
    made = plan.make(graph)

    def estimated(element: str) -> dict[str, int | None]:
        cycles = estimate.cycles(graph, made, element)
        return {layer.name: value for layer, value in zip(graph.layers, cycles, strict=True)}

    found = estimated(graph.element)
    known = {name: value for name, value in found.items() if value is not None}
    bench.check(f"{sorted(known)}", known.keys() == MEASURED.keys())
    for name, value in known.items():
        bench.check(f"{name}: {value}", estimates.near(value, MEASURED[name]))
    bench.check("other elements have none", not any(estimated("late_fp16_l4").values()))
