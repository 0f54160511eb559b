# SPDX-License-Identifier: Apache-2.0
"""Netlists of the operand feeds that drive the elements: mapped for area by the flow's recipe, neither sized nor
timed."""

from __future__ import annotations

from pathlib import Path

from ..flow import recipe, yosys
from ..flow.cache import key_of
from ..flow.runs import Design, Synthesiser


def netlist(synthesiser: Synthesiser, design: Design, period_ns: float) -> Path:
    """The flat netlist as JSON, from the cache if it is there."""
    front, front_key = synthesiser.front(design)
    library = synthesiser.library
    texts = {
        "back.ys": recipe.back(library),
        "leaves.v": recipe.leaves_verilog(library),
        "abc.txt": recipe.abc(recipe.EFFORTS[0], library, period_ns),
        "library.lib": library.text,
    }

    def make(folder: Path) -> None:
        for name, text in {**texts, "front.il": (front / "front.il").read_text()}.items():
            (folder / name).write_text(text)
        yosys.run(folder, "back", ("mapped.json",))
        for name in ("library.lib", "front.il"):
            (folder / name).unlink()

    key = key_of({"feed": front_key, "yosys": yosys.version(), **texts})
    return synthesiser.cache.get(key, make)[0] / "mapped.json"
