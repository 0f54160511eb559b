# SPDX-License-Identifier: Apache-2.0
"""The default parameters of the accelerator, read from its RTL: they are typed nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

from ..flow import sources
from ..flow.errors import FlowError
from .elements import KINDS

ACCELERATOR = Path("rtl/accel/fp8mac_accel.sv")
PARAMETER = re.compile(r"parameter int unsigned (\w+)\s*=\s*(\w+)\s*[,)\n]")


def parameters(path: Path = ACCELERATOR) -> dict[str, int | str]:
    """Name to number, and ELEMENT to the name of its kind. Values that are computed are left out."""
    found: dict[str, int | str] = {}
    for name, value in PARAMETER.findall(sources.COMMENT.sub("", path.read_text())):
        if value.isdigit():
            found[name] = int(value)
        elif name == "ELEMENT":
            found[name] = kind_of(value)
    if "ELEMENT" not in found or "LANES" not in found:
        raise FlowError(f"{path} has no parameters ELEMENT and LANES with defaults")
    return found


def kind_of(constant: str) -> str:
    """ElementLateFp32 is the kind late_fp32."""
    for kind in KINDS:
        if constant == "Element" + "".join(word.capitalize() for word in kind.split("_")):
            return kind
    raise FlowError(f"no kind of the catalogue is called {constant} in RTL")
