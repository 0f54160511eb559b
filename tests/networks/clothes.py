# SPDX-License-Identifier: Apache-2.0
"""The network of examples/fashion, for tests and the table."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/fashion"))

import data
import network
import onnx


def write(path: Path) -> None:
    """Its file for one image."""
    onnx.save(network.as_onnx(data.read()[0]), path)


def runs() -> tuple[list[dict], list[dict]]:
    """Of the calibration and of the test."""
    _, calibration, test, _ = data.read()
    return network.runs(calibration), network.runs(test)
