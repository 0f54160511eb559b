# SPDX-License-Identifier: Apache-2.0
"""What the tests of the model take: the library of --build, and a counter of compared values."""

from __future__ import annotations

from pathlib import Path

import clib
import pytest
from checks import bench

__all__ = ["bench"]


@pytest.fixture(scope="session")
def lib(build: Path) -> clib.Library:
    return clib.Library(build / "model" / "libfp8mac.so")
