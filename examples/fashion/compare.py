# SPDX-License-Identifier: Apache-2.0
"""compare.py [--all] [--results FILE] [--out FOLDER]: how many images the network gets right in float32, FP8, INT8 and MX.

Without --all these are the images beside the weights; with it all 10,000 of the test. Every format is computed by the golden
model, so the answers are those of the chip. The result file sim/bench/quality.json has the counts of all images, which are compared. FOLDER gets fashion.onnx, and calibration.npz and test.npz for `fp8net`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import data
import network
import numpy as np
import onnx
from fp8net import lower, mx, quantize, shapes
from fp8net.executor import Executor

BATCH = 50
FORMATS = {
    "FP8": quantize.Options(),
    "INT8": quantize.Options("int8", "int8"),
    "MX": quantize.Options(mx=True),
}
LEAST = 0.88  # of the images, in every format
LEAST_AGREE = 0.95  # whose answers are those of float32


def answers(p: dict, calibration: np.ndarray, images: np.ndarray) -> dict[str, np.ndarray]:
    """The class of each image, by format."""
    with tempfile.TemporaryDirectory(prefix="fashion-") as folder:
        path = Path(folder) / "fashion.onnx"
        onnx.save(network.as_onnx(p, BATCH), path)
        session = shapes.session(shapes.prepare(path))
        batches = network.runs(images, BATCH)
        found = {"float32": np.concatenate([session.run(None, b)[0] for b in batches])}
        for name, options in FORMATS.items():
            model, _ = quantize.quantize(path, network.runs(calibration, BATCH)[:1], options)
            graph = lower.lower_model(shapes.infer(model))
            if options.mx:
                print(*mx.summary(graph), sep="\n")
            executor = Executor(graph)
            found[name] = np.concatenate([executor.run(b)["classes"] for b in batches])
    return {name: scores.argmax(axis=1) for name, scores in found.items()}


def write(folder: Path, p: dict, calibration: np.ndarray, images: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(network.as_onnx(p), folder / "fashion.onnx")
    for name, some in (("calibration", calibration), ("test", images)):
        inputs = np.stack([run["pixels"] for run in network.runs(some)])
        np.savez_compressed(folder / f"{name}.npz", pixels=inputs)


def _recorded(results: Path) -> dict[str, int]:
    """The right answers that a result file has for each format."""
    row = json.loads(results.read_text())["rows"]["clothes"]
    return {name: row[f"{name.lower()}_right"] for name in ("float32", *FORMATS)}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    p, calibration, images, labels = data.read()
    if options.out:
        write(options.out, p, calibration, images)
    if options.all:
        images, labels = data.load("t10k")
    found = answers(p, calibration, images)
    recorded = _recorded(options.results) if options.results else {}
    passed = 0
    for name, classes in found.items():
        right, agree = (int((classes == other).sum()) for other in (labels, found["float32"]))
        good = recorded.get(name, right) == right
        good &= right >= LEAST * len(labels) and agree >= LEAST_AGREE * len(labels)
        passed += good
        print(
            f"{name:8} {right} of {len(labels)} right, {agree} as float32{'' if good else f': the result file has {recorded.get(name, right)}'}"
        )
    print(f"{passed} passed, {len(found) - passed} failed")
    return 0 if passed == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
