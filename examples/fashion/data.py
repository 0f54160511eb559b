# SPDX-License-Identifier: Apache-2.0
"""The images of fashion-MNIST (Debian's package dataset-fashion-mnist, MIT), and the weights with a few of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

FOLDER = Path("/usr/share/datasets/fashion-mnist")
WEIGHTS = Path(__file__).resolve().parent / "weights.npz"
HEADS = {3: 16, 1: 8}  # bytes before the values, by the number of axes
CALIBRATION, TEST = 64, 100  # images that are kept beside the weights


def load(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of the part `train` or `t10k`, bytes."""
    return _read(part, "images", 3), _read(part, "labels", 1)


def _read(part: str, kind: str, axes: int) -> np.ndarray:
    """The format is big-endian: a magic number whose last byte is the number of axes, their sizes, the values."""
    path = FOLDER / f"{part}-{kind}-idx{axes}-ubyte.gz"
    try:
        raw = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise SystemExit(f"{path} is missing: Debian's package dataset-fashion-mnist") from None
    head = np.frombuffer(raw[: HEADS[axes]], ">u4")
    if head[0] != 0x800 + axes or len(raw) != HEADS[axes] + int(np.prod(head[1:])):
        raise SystemExit(f"{path} is no file of {kind}")
    return np.frombuffer(raw, np.uint8, offset=HEADS[axes]).reshape(head[1:])


def write(path: Path, p: dict) -> None:
    """Weights as float16, the first images of both parts, and the labels of the test."""
    images, _ = load("train")
    test, labels = load("t10k")
    kept = {"calibration": images[:CALIBRATION], "test": test[:TEST], "labels": labels[:TEST]}
    np.savez_compressed(path, **kept, **{name: x.astype(np.float16) for name, x in p.items()})


def read(path: Path = WEIGHTS):
    """Parameters in float32; images of the calibration; images and labels of the test."""
    with np.load(path) as found:
        arrays = {name: found[name] for name in found.files}
    calibration, test, labels = (arrays.pop(name) for name in ("calibration", "test", "labels"))
    return {name: x.astype(np.float32) for name, x in arrays.items()}, calibration, test, labels
