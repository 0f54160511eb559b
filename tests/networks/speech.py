# SPDX-License-Identifier: Apache-2.0
"""Inputs of the networks of the Python package pulsevad (MIT), which set-up installs as data: log-mel spectra of recordings.

Recordings: those of Debian's package alsa-utils (GPL-2), 48 kHz, resampled to 16 kHz. Neither is part of this repository.
A window of 200 ms begins every 100 ms. Every second one calibrates, the others test.

    pre-emphasis 0.97; mean 0 and deviation 1; 21 Hann windows of 400 samples, every 160, each in 512 samples, the signal
    reflected by 256; power; the package's filter bank of 64; logarithm; mean 0 and deviation 1 of each band
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import wave
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

RECORDINGS = Path("/usr/share/sounds/alsa")
WINDOW, STEP, FRAMES, HOP, HANN, FFT = 3200, 1600, 21, 160, 400, 512
TINY = 1e-5


def package() -> Path:
    """The folder of the package's data. The package itself is not imported."""
    spec = importlib.util.find_spec("pulsevad")
    if spec is None:
        raise SystemExit("the Python package pulsevad is missing: tools/requirements-data.txt")
    return Path(spec.submodule_search_locations[0]) / "data"


def recording(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        mono = samples.reshape(-1, file.getnchannels())[:, 0] / 32768
        return resample_poly(mono, 16000, file.getframerate()).astype(np.float32)


def _normalised(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + TINY)


def log_mel(window: np.ndarray, bank: np.ndarray) -> np.ndarray:
    """1 x 64 x 21 of 3200 samples."""
    signal = _normalised(np.append(window[0], window[1:] - 0.97 * window[:-1]))
    padded = np.pad(signal, FFT // 2, mode="reflect")
    frames = np.stack([padded[i * HOP : i * HOP + FFT] for i in range(FRAMES)])
    margin = (FFT - HANN) // 2
    hann = np.pad(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(HANN) / HANN), margin)
    power = np.abs(np.fft.rfft(frames * hann)) ** 2
    return _normalised(np.log(power @ bank + TINY).T)[None].astype(np.float32)


def windows() -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test."""
    bank = np.load(package() / "mel_filterbank.npy")
    runs = [
        {"log_mel": log_mel(signal[start : start + WINDOW], bank)}
        for signal in map(recording, sorted(RECORDINGS.glob("*.wav")))
        for start in range(0, len(signal) - WINDOW, STEP)
    ]
    return runs[1::2], runs[::2]


SILERO_FRAME, SILERO_CONTEXT, SILERO_FRAMES = 512, 64, 4


def silero() -> Path:
    """The file of the package silero-vad (MIT) that takes several frames at once."""
    spec = importlib.util.find_spec("silero_vad")
    if spec is None:
        raise SystemExit("the Python package silero-vad is missing: make setup")
    return Path(spec.submodule_search_locations[0]) / "data" / "silero_vad_16k_sequence.onnx"


def frames() -> list[dict]:
    """Runs of four frames, one after the other: all recordings. A frame begins with the end of the one before."""
    sound = np.concatenate([recording(path) for path in sorted(RECORDINGS.glob("*.wav"))])
    sound = np.concatenate([np.zeros(SILERO_CONTEXT, np.float32), sound])
    count = (len(sound) - SILERO_CONTEXT) // SILERO_FRAME // SILERO_FRAMES
    size = SILERO_CONTEXT + SILERO_FRAME
    starts = np.arange(count * SILERO_FRAMES) * SILERO_FRAME
    every = np.stack([sound[start : start + size] for start in starts])
    return [{"input": run} for run in every.reshape(count, SILERO_FRAMES, size)]


def main() -> None:
    """speech.py FOLDER: calibration.npz, test.npz and the networks, to try fp8net."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, runs in zip(("calibration", "test"), windows()):
        np.savez(folder / f"{name}.npz", log_mel=np.stack([run["log_mel"] for run in runs]))
    for path in package().glob("pulsevad_*.onnx"):
        shutil.copy(path, folder)


if __name__ == "__main__":
    main()
