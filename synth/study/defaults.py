# SPDX-License-Identifier: Apache-2.0
"""The default parameters of the accelerator, which its RTL has: they are typed nowhere else."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from ..flow import sources, yosys
from ..flow.errors import FlowError
from .elements import KINDS, source_folders

TOP = "fp8mac_accel"
# What a chip is described with. The defaults of the others follow from these, or are the same for all chips.
NAMES = (
    *("ROWS", "COLS", "LANES", "TILES", "ELEMENT", "AXI_DATA_W", "AXI_ADDR_W", "AXI_ID_W"),
    *("AXI_ID", "QUEUE_DEPTH", "BUF_BEATS", "MAX_MN"),
)


def parameters(module: Path | None = None, build: Path = Path("build")) -> dict[str, int | str]:
    """Name to number, and ELEMENT to the name of its kind. The build folder has the generated packages."""
    found: dict[str, int | str] = dict(elaborated(module, build))
    kinds = {kind.number: name for name, kind in KINDS.items()}
    if found["ELEMENT"] not in kinds:
        raise FlowError(f"no kind of the catalogue has the number {found['ELEMENT']}")
    return {**found, "ELEMENT": kinds[found["ELEMENT"]]}


@cache
def elaborated(module: Path | None, build: Path) -> dict[str, int]:
    """The values that Yosys elaborates: the module's ports and parameters are read, and in place of its body a net for each
    parameter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = sources.index(source_folders(build))
        nets = "\n".join(f"(* keep *) wire [31:0] {one}_default = {one};" for one in NAMES)
        stub = folder / f"{TOP}.sv"
        text = sources.ports_only((module or files[TOP]).read_text())
        stub.write_text(text.replace("\nendmodule\n", f"\n{nets}\nendmodule\n"))
        order = sources.closure(TOP, {**files, TOP: stub})
        for path in order:
            (folder / path.name).write_text(path.read_text())
        script = f"read_slang --threads 1 --top {TOP} {' '.join(path.name for path in order)}"
        (folder / "defaults.ys").write_text(
            f"{script}\nproc\nopt_expr\nopt_clean\nwrite_json defaults.json\n"
        )
        yosys.run(folder, "defaults", ("defaults.json",))
        found = json.loads((folder / "defaults.json").read_text())["modules"][TOP]["netnames"]
    return {one: bits_value(found[f"{one}_default"]["bits"]) for one in NAMES}


def bits_value(bits: list[str | int]) -> int:
    return int("".join(map(str, reversed(bits))), 2)
