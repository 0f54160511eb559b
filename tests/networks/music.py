# SPDX-License-Identifier: Apache-2.0
"""Inputs of the network of the Python package basic-pitch (Apache-2.0), which set-up installs as data: two seconds of notes.

No recording of music is at hand, so notes are made: eight harmonics that decay, three to twelve notes of a scale at random
times, and noise 50 dB below the loudest sample. An even number of notes calibrates, an odd one tests.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

RATE, SAMPLES = 22050, 43844
NAME = "serving_default_input_2:0"
HARMONICS = 8
RUNS = 16
# Probabilities of notes: 172 frames of 88 keys
NOTES = "StatefulPartitionedCall:1"
# Spectra whose range is too wide for codes: power, its logarithm, and what that is above the least one
_LOG = "model_1/normalized_log_1"
KEEP = (f"{_LOG}/Square;{_LOG}/Square", f"{_LOG}/mul;{_LOG}/mul", f"{_LOG}/sub;{_LOG}/sub")
SEED = 71


def network() -> Path:
    """The package's ONNX file. The package itself is not imported."""
    spec = importlib.util.find_spec("basic_pitch")
    if spec is None:
        raise SystemExit("the Python package basic-pitch is missing: tools/requirements-data.txt")
    folder = Path(spec.submodule_search_locations[0])
    return folder / "saved_models" / "icassp_2022" / "nmp.onnx"


def _note(rng: np.random.Generator, samples: int) -> np.ndarray:
    """A note from A1 to A6 that begins at a random time."""
    pitch = 55.0 * 2 ** (rng.integers(0, 61) / 12)
    start = int(rng.integers(0, samples * 3 // 4))
    t = np.arange(samples - start) / RATE
    decay = rng.uniform(1.0, 4.0)
    tone = np.zeros(samples)
    for k in range(1, HARMONICS + 1):
        if k * pitch < 0.45 * RATE:
            phase = rng.uniform(0, 2 * np.pi)
            part = np.sin(2 * np.pi * k * pitch * t + phase) * np.exp(-decay * k**0.5 * t)
            tone[start:] += part * rng.uniform(0.3, 1.0) / k
    return tone * rng.uniform(0.2, 1.0) * np.minimum(np.arange(samples) / 100, 1)


def runs(count: int) -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test, half as many each."""
    found = []
    for number in range(count):
        rng = np.random.default_rng((SEED, number))
        notes = 3 + 2 * int(rng.integers(0, 5)) + number % 2
        signal = sum(_note(rng, SAMPLES) for _ in range(notes))
        signal = signal / np.abs(signal).max() * rng.uniform(0.1, 0.9)
        signal = signal + rng.normal(size=SAMPLES) * np.abs(signal).max() * 10**-2.5
        found.append({NAME: signal.astype(np.float32).reshape(1, SAMPLES, 1)})
    return found[1::2], found[::2]
