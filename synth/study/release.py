# SPDX-License-Identifier: Apache-2.0
"""python -m synth release: the accelerator as one plain Verilog file, with its parameters chosen (make rtl-release).

Yosys reads the sources and writes Verilog-2005 without packages, records and assertions. Every instance is a module of
its own at first. Modules with equal text become one module here, so that the file has the hierarchy of the sources.
Names of modules, instances, ports and registers stay. Modules of one name whose text differs are numbered.

Memories and the clock gate are modules of their own, which a chip replaces: fp8mac_ram_256x128 has 256 words of 128
bits. modules.json lists them with the paths of their instances.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..flow import recipe, sources, yosys
from ..flow.errors import FlowError, UsageError, exit_status
from . import accel
from .elements import CLOCK_GATE, FOR_FPGA, KINDS, source_folders
from .memories import MACROS as MEMORIES

GOAL = "rtl-release"
LEAVES = (*recipe.ADDERS, *recipe.GATES)  # without parameters, and thousands of them
VARIABLES = ("ROWS", "COLS", "LANES", "AXI_DATA_W", "ELEMENT", "FRAC_BITS")  # of make
VERSION = Path("model/include/fp8mac/version.h")
# Warnings of Verilator that the file switches off for itself
WARNINGS = {
    "CASEOVERLAP": "at most one bit of a selection is 1",
    "LATCH": "the clock gate has one",
    "PINMISSING": "an output that nothing reads is not connected",
    "WIDTH": "`!` of several bits asks whether all are 0",
    "UNOPTFLAT": "bits of one wire depend on each other",
}

MODULE = re.compile(r"^module (\\\S+ |\w+) ?\(.*?^endmodule\n", re.M | re.S)
INSTANCE = re.compile(r"^  (\\fp8mac_\S+ |fp8mac_\w+) +(\\\S+ |\w+) \($", re.M)
TWICE = re.compile(r"^(  (?:input|output) (.*;)\n)  wire \2\n", re.M)
WORDS = re.compile(r"^  reg (?:\[(\d+):0\] )?(?:mem_q|word_q) \[(\d+):0\];$", re.M)
ELABORATION = re.compile(r"\$error encountered: (.*)")


@dataclass
class Module:
    """A module of the released file, and the instances that it stands for."""

    base: str  # its name in the sources
    text: str  # NAME in place of its own name, and the final names of its children
    instances: list[str] = field(default_factory=list)  # paths
    name: str = ""

    @property
    def memory(self) -> tuple[int, int] | None:
        """Words and bits of a word."""
        found = WORDS.search(self.text) if self.base in MEMORIES else None
        return None if found is None else (int(found[2]) + 1, int(found[1] or 0) + 1)

    @property
    def replaced(self) -> bool:
        return self.base in (*MEMORIES, CLOCK_GATE)


def script(parameters: dict[str, int], files: list[str]) -> str:
    """From the sources to accel.v, without LEAVES."""
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    left_out = " ".join(f"--blackboxed-module {name}" for name in LEAVES)
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


# Sums, because Verilator 5.006 computes long chains of exclusive ORs wrongly (its -fno-const-bit-op-tree avoids that).
SUMS = {recipe.FULL_ADDER: ("a_i", "b_i", "c_i"), recipe.HALF_ADDER: ("a_i", "b_i")}


def adder(name: str) -> str:
    """A full or half adder."""
    total = " + ".join(f"{{ 1'h0, {one} }}" for one in SUMS[name])
    inputs = "".join(f"  input {one};\n" for one in SUMS[name])
    return (
        f"module {name} (\n  {', '.join(SUMS[name])}, sum_o, carry_o\n);\n{inputs}  output sum_o;\n"
        f"  output carry_o;\n  assign {{ carry_o, sum_o }} = {total};\nendmodule\n"
    )


def leaf_script(files: list[str]) -> str:
    """From the sources of LEAVES to leaves.v."""
    tops = " ".join(f"--top {name}" for name in LEAVES)
    return f"read_slang --threads 1 {tops} {' '.join(files)}\nopt_clean\nwrite_verilog -noattr leaves.v\n"


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


def elaborate(parameters: dict[str, int], build: Path, folder: Path) -> list[Module]:
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
        shutil.copy(path, folder)
    run_yosys(folder, "accel", script(parameters, [path.name for path in own]), "accel.v")
    return merged(dict(modules_of((folder / "accel.v").read_text())), accel.TOP)


def leaves(folder: Path, of: list[Module]) -> list[Module]:
    """Those that the modules `of` have."""
    run_yosys(folder, "leaves", leaf_script([f"{name}.sv" for name in LEAVES]), "leaves.v")
    texts, found = dict(modules_of((folder / "leaves.v").read_text())), []
    for name in LEAVES:
        paths = [
            f"{path}.{instance}"
            for module in of
            for child, instance in children(module.text)
            if child == name
            for path in module.instances
        ]
        if paths:
            found.append(Module(name, adder(name) if name in SUMS else texts[name], paths, name))
    return found


def source_of(base: str) -> Path:
    return next(
        path for path in Path("rtl").rglob(f"{base}.sv") if str(path.parent) not in FOR_FPGA
    )


def contract(base: str) -> list[str]:
    """The comment at the head of a module's source."""
    lines = source_of(base).read_text().splitlines()[1:]
    return lines[: next(place for place, line in enumerate(lines) if not line.startswith("//"))]


def version() -> str:
    return ".".join(re.findall(r"^#define FP8MAC_VERSION_[A-Z]+ (\d+)$", VERSION.read_text(), re.M))


def times(count: int) -> str:
    return "1 instance" if count == 1 else f"{count} instances"


def header(command: str, parameters: dict[str, int], replaced: list[Module]) -> list[str]:
    kinds = {kind.number: name for name, kind in KINDS.items()}
    values = [
        f"//   {name:12} {value}{f' ({kinds[value]})' if name == 'ELEMENT' else ''}"
        for name, value in parameters.items()
    ]
    modules = [f"//   {module.name:30} {times(len(module.instances))}" for module in replaced]
    return [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// fp8mac_accel of fp8mac {version()}, generated by",
        "//",
        f"//   {command}",
        "//",
        f"// from its SystemVerilog with {yosys.version().partition(' (')[0]}. Do not edit. Parameters; others have their defaults:",
        "//",
        *values,
        "//",
        "// A chip replaces these modules by its own, with the same ports. They are at the end of the file, and",
        "// docs/INTEGRATION.md says how they behave. The numbers are words x bits.",
        "//",
        *modules,
        "",
        *(f"/* verilator lint_off {warning} */  // {why}" for warning, why in WARNINGS.items()),
        "",
    ]


def file_text(head: list[str], modules: list[Module]) -> str:
    parts = ["\n".join(head)]
    for module in sorted(modules, key=lambda one: one.replaced):
        where = module.instances[0]
        notes = [
            f"// {times(len(module.instances))}"
            + (f", the first: {where}" if where != accel.TOP else "")
        ]
        if module.replaced:
            notes = [*contract(module.base), *notes]
        parts.append("\n".join((*notes, module.text)))
    return "\n".join(parts)


def to_data(parameters: dict[str, int], replaced: list[Module]) -> dict:
    return {
        "parameters": parameters,
        "modules": [
            {
                "module": module.name,
                "source": str(source_of(module.base)),
                "words": module.memory and module.memory[0],
                "bits": module.memory and module.memory[1],
                "instances": module.instances,
            }
            for module in replaced
        ],
    }


def run(options: argparse.Namespace) -> int:
    more = options.more.replace(",", " ").split()
    for word in more:
        if word.partition("=")[0] in VARIABLES:
            raise UsageError(f"CONFIG={word} is not possible: give {word} without CONFIG")
    off = [f"{name}=0" for name in options.minimal.split()]
    parameters = accel.parameters(" ".join((options.config, *off, *more)), build=options.build)
    folder = options.out / "-".join((options.name, *(word.replace("=", "") for word in more)))
    work = folder / "yosys"
    modules = elaborate(parameters, options.build, work)
    replaced = [module for module in modules if module.replaced]
    modules += leaves(work, modules)
    path = folder / f"{accel.TOP}.v"
    config = f" CONFIG='{' '.join(more)}'" if more else ""
    minimal = " MINIMAL=1" if off else ""
    head = header(f"make {GOAL} {options.config}{minimal}{config}", parameters, replaced)
    path.write_text(file_text(head, modules))
    data = to_data(parameters, replaced)
    (folder / "modules.json").write_text(json.dumps(data, indent=1) + "\n")
    shutil.rmtree(work)
    print(
        f"  RELEASE   {path}: {len(modules)} modules, {len(path.read_text().splitlines()):,} lines"
    )
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m synth release", description=__doc__, allow_abbrev=False
    )
    add = parser.add_argument
    add("--build", type=Path, default=Path("build"), help="the build folder")
    add("--config", default="", help="NAME=VALUE parameters, as make's variables give them")
    add("--minimal", default="", help="functions that are left out, those of MINIMAL=1")
    add("--more", default="", help="further NAME=VALUE parameters, those of CONFIG")
    add("--out", type=Path, required=True, help="the folder of all released files")
    add("--name", required=True, help="that of this file's folder; CONFIG's parameters are added")
    options = parser.parse_args(arguments)
    return exit_status(GOAL, lambda: run(options))
