# SPDX-License-Identifier: Apache-2.0
"""Inputs of the network of the Python package magika (Apache-2.0), which set-up installs as data: bytes of files.

The files are those of the other pinned packages, at most PER_KIND for each ending. Every second one calibrates, the others test.

    1,024 bytes from the first one on that is no white space, within the first 4,096 bytes; then 1,024 up to the last one
    that is none, within the last 4,096. 256 stands for no byte.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np

PACKAGES = ("numpy", "onnx", "peakrdl_html", "pulsevad", "pythondata_cpu_ibex", "scipy", "sklearn")
PER_KIND, SIZE, BLOCK, NONE = 2, 1024, 4096, 256
LEAST = 64  # bytes of a file


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise SystemExit(f"the Python package {package} is missing: make setup")
    return Path(spec.submodule_search_locations[0])


def network() -> Path:
    """The package's ONNX file. The package itself is not imported."""
    return _folder("magika") / "models" / "standard_v3_3" / "model.onnx"


def _kinds() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for package in PACKAGES:
        folder = _folder(package)
        for path in sorted(folder.rglob("*"), key=lambda p: p.relative_to(folder).as_posix()):
            if path.suffix not in ("", ".pyc") and path.is_file() and path.stat().st_size >= LEAST:
                found.setdefault(path.suffix, []).append(path)
    return found


def numbers(data: bytes) -> np.ndarray:
    """1 x 2048 of a file."""
    first, last = data[:BLOCK].lstrip()[:SIZE], data[-BLOCK:].rstrip()[-SIZE:]
    none = [NONE] * SIZE
    row = [*first, *none[len(first) :], *none[len(last) :], *last]
    return np.array([row], np.int32)


def _chosen() -> list[Path]:
    kinds = _kinds()
    return [
        path
        for kind in sorted(kinds)
        for path in kinds[kind][:: max(1, len(kinds[kind]) // PER_KIND)][:PER_KIND]
    ]


def runs() -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test."""
    every = [{"bytes": numbers(path.read_bytes())} for path in _chosen()]
    return every[1::2], every[::2]


def labels() -> list[set[int]]:
    """Of each run of the test the kinds that have the file's ending, as the package lists them; none: nobody knows"""
    folder = network().parents[2]
    kinds = json.loads((network().parent / "config.min.json").read_text())["target_labels_space"]
    known = json.loads((folder / "config" / "content_types_kb.min.json").read_text())
    endings = [known[kind]["extensions"] for kind in kinds]
    return [
        {n for n, its in enumerate(endings) if path.suffix.removeprefix(".").lower() in its}
        for path in _chosen()[::2]
    ]
