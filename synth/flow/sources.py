# SPDX-License-Identifier: Apache-2.0
"""The source files of a design. Only a change in those makes its runs anew.

A file is named after the only module or package in it, and every name of the project begins with PREFIX. The files of a
design are those whose names occur in the file of its top module, then those whose names occur in these, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .errors import FlowError

PREFIX = "fp8mac_"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
NAME = re.compile(rf"\b{PREFIX}\w+")
PORTS_END = re.compile(r"^\s*\);$", re.M)


def index(folders: Iterable[Path]) -> dict[str, Path]:
    """Module or package name to file. Folders may be missing. A file in a later folder replaces one of the same name."""
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.sv"))}


def check_parameters(top: Path, names: Iterable[str]) -> None:
    """Refuses parameters that the module does not have: read_slang would ignore their values."""
    text = COMMENT.sub("", top.read_text())
    for name in names:
        if not re.search(rf"\bparameter\b[^,;()]*\b{name}\s*=", text):
            raise FlowError(f"{top.stem} has no parameter {name}")


def ports_only(text: str) -> str:
    """A module's text without its body."""
    end = PORTS_END.search(text)
    return text if end is None else f"{text[: end.end()]}\nendmodule\n"


def closure(top: str, files: dict[str, Path], black_boxes: Iterable[str] = ()) -> list[Path]:
    """The files of `top`, packages first, each after those it uses. Below a black box only its ports are read."""
    if top not in files:
        folders = sorted({str(path.parent) for path in files.values()})
        raise FlowError(f"there is no module {top}: no {top}.sv in {', '.join(folders)}")
    boxes, order, seen = set(black_boxes), [], set()

    def visit(name: str) -> None:
        if name in seen or name not in files:
            return
        seen.add(name)
        text = COMMENT.sub("", files[name].read_text())
        for other in dict.fromkeys(NAME.findall(text)):
            if name not in boxes or other.endswith("_pkg"):
                visit(other)
        order.append(files[name])

    visit(top)
    return sorted(order, key=lambda path: not path.stem.endswith("_pkg"))
