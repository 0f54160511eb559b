# SPDX-License-Identifier: Apache-2.0
"""The memories of the accelerator with its parameters chosen, as docs/INTEGRATION.md has them.

Yosys reads the sources and writes each instance as a module of its own. Modules with equal text are one memory:
fp8mac_ram_256x128 has 256 words of 128 bits.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..flow import recipe, sources, yosys
from ..flow.errors import FlowError, UsageError
from . import accel, tables
from .elements import source_folders

MEMORIES = ("fp8mac_ram", "fp8mac_byte_ram", "fp8mac_two_port_ram")
LEAVES = (*recipe.ADDERS, *recipe.GATES)  # without parameters, and thousands of them
# Modules without memories. Without their bodies the memories are found in seconds.
WITHOUT_MEMORIES = tuple(
    f"fp8mac_{name}"
    for name in (
        *(
            "feed",
            "nest",
            "readout",
            "epilogue",
            "regs",
            "cmd_walk",
            "cmd_check",
            "compute",
            "load",
        ),
        *(
            "image_strips",
            "image_align",
            "fetch",
            "store",
            "drain",
            "records",
            "report",
            "counters",
        ),
    )
)
MODULE = re.compile(r"^module (\\\S+ |\w+) ?\(.*?^endmodule\n", re.M | re.S)
INSTANCE = re.compile(r"^  (\\fp8mac_\S+ |fp8mac_\w+) +(\\\S+ |\w+) \($", re.M)
TWICE = re.compile(r"^(  (?:input|output) (.*;)\n)  wire \2\n", re.M)
WORDS = re.compile(r"^  reg (?:\[(\d+):0\] )?(?:mem_q|word_q) \[(\d+):0\];$", re.M)
ELABORATION = re.compile(r"\$error encountered: (.*)")


@dataclass
class Module:
    """A module of the accelerator, and the instances that it stands for."""

    base: str  # its name in the sources
    text: str  # NAME in place of its own name, and the final names of its children
    instances: list[str] = field(default_factory=list)  # paths
    name: str = ""

    @property
    def memory(self) -> tuple[int, int] | None:
        """Words and bits of a word."""
        found = WORDS.search(self.text) if self.base in MEMORIES else None
        return None if found is None else (int(found[2]) + 1, int(found[1] or 0) + 1)


def script(parameters: dict[str, int], files: list[str], boxes: tuple[str, ...]) -> str:
    """From the sources to accel.v, without the boxes."""
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    left_out = " ".join(f"--blackboxed-module {name}" for name in boxes)
    memories = " ".join(f"{name}$*" for name in MEMORIES)
    return "\n".join(
        (
            f"read_slang --threads 1 --ignore-assertions --keep-hierarchy --top {accel.TOP} {values} "
            f"{left_out} {' '.join(files)}",
            "proc",
            "bwmuxmap",  # Verilog has no such cell
            # Values that nothing depends on go, and registers get their enables and resets back.
            "opt_expr -mux_undef",
            "opt_clean",
            "opt_muxtree",
            "opt_expr -mux_undef",
            "opt_clean",
            "opt_dff",
            "opt_clean",
            # A write enable of a memory is one bit for each part that is written apart.
            f"simplemap {memories}",
            f"opt_expr -mux_undef {memories}",
            f"opt_clean {memories}",
            "write_verilog -noattr accel.v",
            "",
        )
    )


def modules_of(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of the modules that Yosys wrote, in lines that fit a screen."""
    for found in MODULE.finditer(text):
        head, end, body = found[0].partition(");\n")
        names = re.sub(r"\s*,\s*", ", ", head.partition("(")[2])
        ports = textwrap.fill(names, 100, initial_indent="  ", subsequent_indent="  ")
        body = TWICE.sub(r"\1", body)
        yield found[1].strip(), f"module {found[1].strip()} (\n{ports}\n{end}{body}"


def children(text: str) -> list[tuple[str, str]]:
    """Module and name of each instance, in the order of the text."""
    return [(found[1].strip(), found[2].strip().lstrip("\\")) for found in INSTANCE.finditer(text)]


def merged(texts: dict[str, str], top: str) -> list[Module]:
    """The modules below `top`, each text once, in the order in which they are met. Names of children are final."""
    classes: dict[tuple[str, str], Module] = {}
    of: dict[str, Module] = {}
    order: list[Module] = []

    def visit(name: str, path: str) -> Module | None:
        text = texts.get(name)
        if text is None:
            return None  # a box
        for child, instance in children(text):
            visit(child, f"{path}.{instance}")
        own = re.escape(name)
        text = re.sub(rf"^module {own} ?", "module NAME", text, count=1)
        text = INSTANCE.sub(
            lambda found: (
                f"  <{id(of[found[1].strip()])}> {found[2]} ("
                if found[1].strip() in of
                else f"  {found[1].strip()} {found[2]} ("
            ),
            text,
        )
        base = name.lstrip("\\").partition("$")[0]
        key = (base, text)
        if key not in classes:
            classes[key] = Module(base, text)
        of[name] = classes[key]
        classes[key].instances.append(path)
        return classes[key]

    first = visit(top, top)
    if first is None:
        raise FlowError(f"Yosys wrote no module {top}")
    by_id = {str(id(module)): module for module in classes.values()}

    def arrange(module: Module) -> None:
        if module in order:
            return
        order.append(module)
        for number in re.findall(r"^  <(\d+)> ", module.text, re.M):
            arrange(by_id[number])

    arrange(first)
    _name(order)
    for module in order:
        module.text = re.sub(
            r"^  <(\d+)> ", lambda n: f"  {by_id[n[1]].name} ", module.text, flags=re.M
        )
        module.text = re.sub(r"^module NAME", f"module {module.name} ", module.text, count=1)
    return order


def _name(order: list[Module]) -> None:
    bases = [module.base for module in order]
    count: dict[str, int] = {}
    for module in order:
        count[module.base] = count.get(module.base, 0) + 1
        if module.memory is not None:
            module.name = f"{module.base}_{module.memory[0]}x{module.memory[1]}"
        elif bases.count(module.base) > 1:
            module.name = f"{module.base}_{count[module.base]}"
        else:
            module.name = module.base
    names = [module.name for module in order]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise FlowError(f"two modules would be called {' and '.join(sorted(twice))}")


def run_yosys(folder: Path, name: str, text: str, product: str) -> None:
    """A parameter that the sources refuse is a wrong request, with their sentence."""
    (folder / f"{name}.ys").write_text(text)
    try:
        yosys.run(folder, name, (product,))
    except FlowError:
        log = folder / f"{name}.log"
        said = ELABORATION.findall(log.read_text()) if log.exists() else []
        if said:
            raise UsageError(said[0].strip('"')) from None
        raise


def elaborate(
    parameters: dict[str, int], build: Path, folder: Path, boxes: tuple[str, ...] = ()
) -> list[Module]:
    """The modules of an accelerator with these parameters. Works in `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = sources.index(source_folders(build))
    try:
        sources.check_parameters(files[accel.TOP], parameters)
    except FlowError as error:
        raise UsageError(f"CONFIG: {error}") from None
    own = sources.closure(accel.TOP, files)
    for path in own:
        text = path.read_text()
        (folder / path.name).write_text(sources.ports_only(text) if path.stem in boxes else text)
    names = [path.name for path in own]
    run_yosys(folder, "accel", script(parameters, names, (*LEAVES, *boxes)), "accel.v")
    return merged(dict(modules_of((folder / "accel.v").read_text())), accel.TOP)


def place(path: str) -> str:
    """An instance's path without the top, and with * for the numbers of its rows, columns and halves."""
    return re.sub(r"\[\d+\]", "[*]", path.partition(".")[2])


def memory_table(modules: list[Module]) -> str:
    """A row for each memory of the sources: its instances differ in their numbers alone."""
    rows: dict[tuple[str, Module | str], int] = {}
    shapes: dict[tuple[str, str], Module] = {}
    for module in modules:
        if module.memory is None:
            continue
        for path in module.instances:
            key = (place(path), module.name)
            rows[key] = rows.get(key, 0) + 1
            shapes[key] = module
    lines = []
    for (path, name), count in rows.items():
        words, bits = shapes[path, name].memory
        lines.append(
            [
                f"`{path}`",
                f"`{name}`",
                f"{count}",
                f"{words:,}",
                f"{bits:,}",
                f"{count * words * bits:,}",
            ]
        )
    total = sum(int(line[5].replace(",", "")) for line in lines)
    lines.append(["all", "", f"{sum(int(line[2]) for line in lines)}", "", "", f"{total:,}"])
    return tables.table(["instances", "module", "count", "words", "bits of a word", "bits"], lines)


def memories(parameters: dict[str, int], build: Path, folder: Path) -> list[Module]:
    """The memories of an accelerator with these parameters. Works in `folder`, which is emptied first."""
    return [
        module for module in elaborate(parameters, build, folder, WITHOUT_MEMORIES) if module.memory
    ]
