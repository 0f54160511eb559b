# SPDX-License-Identifier: Apache-2.0
"""Inputs for the networks of MLPerf Tiny, whose files are not part of this repository. The variable MLPERF_TINY names their
folder: benchmark/training/*/trained_models of github.com/mlcommons/tiny.

The benchmark's data sets are not needed: a network's answers are compared with those of its float32 file.

  keyword    MFCC of the recordings of Debian's package alsa-utils, at many starts and loudnesses
  anomaly    log-mel spectra of the same recordings
  image      drawn: shapes and gradients of random colours
  person     the same, larger
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from speech import RECORDINGS, recording

RUNS = 48  # for calibration, and as many for the test


def folder() -> Path:
    where = os.environ.get("MLPERF_TINY", "")
    if not where:
        raise SystemExit("set MLPERF_TINY to the folder of MLPerf Tiny's networks")
    return Path(where)


@dataclasses.dataclass
class Tiny:
    about: str
    floats: str  # files
    int8: str
    inputs: Callable[[np.random.Generator], np.ndarray]  # one


def _sound(rng: np.random.Generator, samples: int) -> np.ndarray:
    """A part of a recording, of random loudness, with noise."""
    paths = sorted(RECORDINGS.glob("*.wav"))
    sound = recording(paths[rng.integers(len(paths))])
    sound = np.pad(sound, (0, max(samples - len(sound) + 1, 0)))
    first = int(rng.integers(len(sound) - samples))
    part = sound[first : first + samples] * 10 ** rng.uniform(-1, 0.3)
    return part + rng.normal(size=samples) * 10 ** rng.uniform(-4, -2)


def _mel(bands: int, low: float, high: float, bins: int) -> np.ndarray:
    """Triangles over the bins of a spectrum up to 8 kHz."""
    scale = np.linspace(*(1127 * np.log1p(f / 700) for f in (low, high)), bands + 2)
    at = 1127 * np.log1p(np.linspace(0, 8000, bins) / 700)
    up = (at[:, None] - scale[:-2]) / (scale[1:-1] - scale[:-2])
    down = (scale[2:] - at[:, None]) / (scale[2:] - scale[1:-1])
    return np.maximum(0, np.minimum(up, down))


def _spectra(sound: np.ndarray, window: int, hop: int, fft: int) -> np.ndarray:
    count = (len(sound) - window) // hop + 1
    frames = np.stack([sound[i * hop : i * hop + window] for i in range(count)])
    return np.abs(np.fft.rfft(frames * np.hanning(window + 1)[:-1], fft))


def keyword(rng: np.random.Generator) -> np.ndarray:
    """49 frames of 30 ms, every 20 ms; 40 bands of 20 to 4,000 Hz; 10 coefficients."""
    logs = np.log(_spectra(_sound(rng, 16000), 480, 320, 512) @ _mel(40, 20, 4000, 257) + 1e-6)
    n = np.arange(40)
    cosines = np.cos(np.pi / 40 * (n + 0.5) * n[:10, None]) * np.sqrt(2 / 40)
    return (logs @ cosines.T).reshape(1, 49, 10, 1).astype(np.float32)


def anomaly(rng: np.random.Generator) -> np.ndarray:
    """Five frames of 1,024 samples, every 512; 128 bands; decibels of power."""
    power = _spectra(_sound(rng, 1024 + 4 * 512), 1024, 512, 1024) ** 2 @ _mel(128, 0, 8000, 513)
    return (10 * np.log10(power + 1e-10)).reshape(1, 640).astype(np.float32)


def _picture(rng: np.random.Generator, size: int) -> np.ndarray:
    """Colours from 0 to 1."""
    y, x = np.mgrid[0:size, 0:size] / size
    picture = sum(rng.random(3) * g[..., None] for g in (x, y, np.ones_like(x))) / 3
    for _ in range(rng.integers(2, 8)):
        (cx, cy), (rx, ry) = rng.random(2), rng.uniform(0.05, 0.4, 2)
        ellipse = ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1
        box = (np.abs(x - cx) < rx) & (np.abs(y - cy) < ry)
        picture = np.where(
            (ellipse if rng.random() < 0.5 else box)[..., None], rng.random(3), picture
        )
    return np.clip(picture + rng.normal(size=picture.shape) * 0.03, 0, 1)


def image(rng: np.random.Generator) -> np.ndarray:
    return (_picture(rng, 32) * 255)[None].astype(np.float32)


def person(rng: np.random.Generator) -> np.ndarray:
    return _picture(rng, 96)[None].astype(np.float32)


NETWORKS = {
    "keyword": Tiny(
        "keyword, 12 classes", "kws_ref_model_float32.tflite", "kws_ref_model.tflite", keyword
    ),
    "image": Tiny(
        "image, 10 classes", "pretrainedResnet.tflite", "pretrainedResnet_quant.tflite", image
    ),
    "person": Tiny("person or not", "vww_96_float.tflite", "vww_96_int8.tflite", person),
    "anomaly": Tiny(
        "anomalous sound, autoencoder", "ad01_fp32.tflite", "ad01_int8.tflite", anomaly
    ),
}


def runs(tiny: Tiny, name: str, kind: str) -> list[dict[str, np.ndarray]]:
    """Of the input `name`; kind is calibration or test."""
    rng = np.random.default_rng([len(tiny.about), kind == "test"])
    return [{name: tiny.inputs(rng)} for _ in range(RUNS)]
