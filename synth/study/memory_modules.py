# SPDX-License-Identifier: Apache-2.0
"""The memories of the accelerator with its parameters chosen, as docs/INTEGRATION.md has them.

Yosys elaborates the sources. fp8mac_ram_256x128 is the module fp8mac_ram with 256 words of 128 bits.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..flow import recipe, sources, yosys
from . import accel, tables
from .elements import source_folders

MEMORIES = ("fp8mac_ram", "fp8mac_byte_ram", "fp8mac_two_port_ram")
# Modules without memories. Without their bodies the memories are found in seconds.
WITHOUT = (
    *(f"fp8mac_{name}" for name in ("feed", "nest", "readout", "epilogue", "regs", "compute")),
    *(
        f"fp8mac_{name}"
        for name in ("cmd_walk", "cmd_check", "load", "image_strips", "image_align")
    ),
    *(f"fp8mac_{name}" for name in ("fetch", "store", "drain", "records", "report", "counters")),
)


def elaborate(parameters: dict[str, int], build: Path, folder: Path) -> dict[str, dict]:
    """The accelerator's modules, an own one for each instance, as Yosys writes them. Works in `folder`, which is emptied
    first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = sources.index(source_folders(build))
    sources.check_parameters(files[accel.TOP], parameters)
    own = sources.closure(accel.TOP, files)
    for path in own:
        text = path.read_text()
        (folder / path.name).write_text(sources.ports_only(text) if path.stem in WITHOUT else text)
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    boxes = (*recipe.ADDERS, *recipe.GATES, *WITHOUT)
    left_out = " ".join(f"--blackboxed-module {name}" for name in boxes)
    names = " ".join(path.name for path in own)
    (folder / "accel.ys").write_text(
        f"read_slang --threads 1 --ignore-assertions --keep-hierarchy --top {accel.TOP} {values} {left_out} {names}\n"
        "proc\nwrite_json accel.json\n"
    )
    yosys.run(folder, "accel", ("accel.json",))
    return json.loads((folder / "accel.json").read_text())["modules"]


def memories(
    modules: dict[str, dict], name: str, path: str = ""
) -> Iterator[tuple[str, str, int, int]]:
    """Of each memory below a module: its instance's path, its module's name, words, and bits of a word."""
    base = name.partition("$")[0]
    if base in MEMORIES:
        (memory,) = modules[name]["memories"].values()
        yield path, base, memory["size"], memory["width"]
    for instance, cell in modules[name]["cells"].items():
        if cell["type"] in modules:
            yield from memories(modules, cell["type"], f"{path}.{instance}" if path else instance)


def table(parameters: dict[str, int], build: Path, folder: Path) -> str:
    """A row for each memory of the sources: its instances differ in the numbers of rows, columns and halves alone."""
    count = Counter(
        (re.sub(r"\[\d+\]", "[*]", path), *shape)
        for path, *shape in memories(elaborate(parameters, build, folder), accel.TOP)
    )
    lines = [
        [
            f"`{path}`",
            f"`{base}_{words}x{bits}`",
            *(f"{n:,}" for n in (number, words, bits, number * words * bits)),
        ]
        for (path, base, words, bits), number in sorted(count.items())
    ]
    total = sum(number * words * bits for (_, _, words, bits), number in count.items())
    lines.append(["all", "", f"{count.total()}", "", "", f"{total:,}"])
    return tables.table(["instances", "module", "count", "words", "bits of a word", "bits"], lines)
