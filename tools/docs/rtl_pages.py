# SPDX-License-Identifier: Apache-2.0
"""The RTL as pages, a page for each folder, with the parameters and ports of its modules, and its packages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_text import block, code, directive, escaped, prose, table
from pages import ROOT, Sources

PARAMETER = re.compile(
    r"\s*(parameter|localparam)\s+(.*?)\s*\b(\w+)\s*(?:\[[^\]]*\]\s*)?=\s*(.*?),?\s*(?://\s*(.*))?$"
)
PORT = re.compile(r"\s*(input|output)\s+(.*?)\s*\b(\w+)(?:\s*\[[^\]]*\])?\s*,?\s*(?://\s*(.*))?$")


@dataclass
class Unit:
    """A module or a package."""

    kind: str
    name: str
    path: Path
    head: str
    text: str = ""
    parameters: list[tuple[str, ...]] = field(default_factory=list)
    ports: list[tuple[str, ...]] = field(default_factory=list)


def unit_of(path: Path) -> Unit | None:
    lines = path.read_text().split("\n")
    start = next(
        (i for i, line in enumerate(lines) if re.match(r"(module|package) \w+", line)), None
    )
    if start is None:
        return None
    kind, name = re.match(r"(module|package) (\w+)", lines[start]).groups()
    head = "\n".join(re.sub(r"^// ?", "", x) for x in lines[1:start] if x.startswith("//"))
    unit = Unit(kind, name, path.relative_to(ROOT), head)
    if kind == "package":
        unit.text = "\n".join(lines[start:])
        return unit
    end = next(i for i in range(start, len(lines)) if lines[i].rstrip().endswith(");"))
    above = ""
    for line in lines[start : end + 1]:
        comment = re.match(r"\s*//\s*(.*)", line)
        parameter, port = PARAMETER.match(line), PORT.match(line)
        if parameter:
            what, type_, label, value, text = parameter.groups()
            meaning = ": ".join(["derived"] * (what == "localparam") + [text] * bool(text))
            unit.parameters.append((code(label), code(type_), code(value), escaped(meaning)))
        elif port:
            direction, type_, label, text = port.groups()
            unit.ports.append((code(label), direction, code(type_), escaped(text or above)))
        above = comment[1] if comment else (above if port else "")
    return unit


def folders() -> dict[Path, list[Unit]]:
    """The units of each folder. What is behavioural stands for modules that other folders have."""
    found = {}
    for folder in sorted({path.parent for path in (ROOT / "rtl").rglob("*.sv")}):
        units = [unit for unit in map(unit_of, sorted(folder.glob("*.sv"))) if unit]
        if units and folder.name != "behavioural":
            found[folder.relative_to(ROOT)] = units
    return found


def place(folder: Path) -> str:
    return f"reference/rtl/{'-'.join(folder.parts)}.md"


def shown(unit: Unit) -> str:
    out = f"(rtl-{unit.name})=\n## {unit.name}\n\n{unit.kind.capitalize()}, {code(str(unit.path))}\n\n{prose(unit.head)}\n"
    out += table(("parameter", "type", "default", "meaning"), unit.parameters)
    out += table(("port", "direction", "type", "meaning"), unit.ports)
    return out + (block("systemverilog", unit.text) + "\n" if unit.text else "")


def write(sources: Sources) -> None:
    out = "# RTL modules\n\n"
    rows, names = [], []
    for folder, units in folders().items():
        page = Path(place(folder))
        links = ", ".join(f"[{code(u.name)}](rtl/{page.name}#{u.name})" for u in units)
        rows.append((f"[{folder}](rtl/{page.name})", links))
        names.append(f"rtl/{page.stem}")
        text = f"# {folder}\n\n" + "".join(map(shown, units))
        sources.write(place(folder), text)
    out += table(("folder", "modules and packages"), rows)
    sources.write(
        "reference/rtl.md", out + directive("toctree", "", "\n".join(names), ("hidden:",))
    )


def references() -> dict[str, str]:
    return {
        str(unit.path): f"{place(folder)}#{unit.name}"
        for folder, units in folders().items()
        for unit in units
    }
