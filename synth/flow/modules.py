# SPDX-License-Identifier: Apache-2.0
"""Areas of a design whose modules stay apart, module by module. A module that was mapped before comes from the cache, also
if it was mapped as a part of another design: with modules apart, nothing outside a module changes its netlist.

Netlists are as they were mapped, neither sized nor buffered nor timed."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path

from . import blocks, recipe, runs, yosys
from .cache import Cache, key_of
from .errors import FlowError, RejectedNetlist
from .liberty import Library

MODULE = re.compile(r"^((?:attribute [^\n]*\n)*)module (\S+)\n(.*?)^end\n", re.M | re.S)
CHILD = re.compile(r"^  cell (\\\S+) ", re.M)
PORT = re.compile(
    r"(?:^  attribute [^\n]*\n)*^  wire [^\n]*\b(?:input|output|inout) \d+[^\n]*\n", re.M
)
PORT_NUMBER = re.compile(r"(?<= input )\d+|(?<= output )\d+|(?<= inout )\d+")
# What does not change a module's netlist: where it stands in the sources, and in the design
PLACE = re.compile(r"^ *attribute \\(?:hdlname|top|scopename|definition) [^\n]*\n", re.M)
# Names with numbers that Yosys and its reader count through the whole design
COUNTED = re.compile(r"(?<!\S)\$(?:\S*\$)?\d+(?!\d)\S*")
BLACK_BOX = "attribute \\blackbox 1\n"
READS, MAPPED = "read_rtlil alone.il", "mapped.json"
ALONE = "\\alone"  # the name of a module that is mapped


class Modules:
    """Of a design that was read"""

    def __init__(self, rtlil: str):
        self.texts = {name: (before, body) for before, name, body in MODULE.findall(rtlil)}
        self.boxes = {name for name, (before, _) in self.texts.items() if "blackbox" in before}

    def names(self) -> list[str]:
        return [name for name in self.texts if name not in self.boxes]

    def children(self, name: str) -> Counter[str]:
        return Counter(one for one in CHILD.findall(self.texts[name][1]) if one in self.texts)

    def alone(self, name: str) -> str:
        """The module and stubs of what stands in it, under names that do not say where: all that its netlist depends on."""
        before, body = self.texts[name]
        ports = {one: "".join(PORT.findall(self.texts[one][1])) for one in self.children(name)}
        inner = sorted(ports, key=lambda one: (ports[one], one))
        names = {one: f"\\child{place}" for place, one in enumerate(inner) if one not in self.boxes}
        stubs = (f"{BLACK_BOX}module {one}\n{ports[one]}end\n" for one in inner)
        text = PLACE.sub("", "".join((*stubs, f"{before}module {ALONE}\n{body}end\n")))
        text = re.sub(r"\\\S+", lambda word: names.get(word[0], word[0]), text)
        order: dict[str, str] = {}
        text = COUNTED.sub(lambda word: order.setdefault(word[0], f"$n{len(order)}"), text)
        text = recipe.plain(PORT_NUMBER.sub("0", text))
        numbers = itertools.count(1)  # in the order of their names
        return PORT_NUMBER.sub(lambda _: str(next(numbers)), text)

    def inside(self, name: str) -> Counter[str]:
        """The modules that stand in it, and how often"""
        found = self.children(name)
        return Counter({one: count for one, count in found.items() if one not in self.boxes})

    def below(self, name: str) -> set[str]:
        """The module and all that stand below it"""
        return {name}.union(*(self.below(one) for one in self.inside(name)))

    def area(self, name: str, areas: dict[str, float]) -> float:
        """With all that stands below it. AREAS are those of modules without the modules in them."""
        inner = (count * self.area(one, areas) for one, count in self.inside(name).items())
        return areas[name] + sum(inner)

    def parts(self, top: str, areas: dict[str, float], place: str = "") -> dict[str, float]:
        """Areas by instance of the top level, from the largest. Instances of one module are under the name of the first.
        What stands in a group (blocks.GROUPS) counts as if it stood beside it. PLACE is the group's."""
        place = place or top[1:]
        found: dict[str, float] = {}
        for one, count in self.inside(top).items():
            name = one.rpartition(f"{place}.")[2]
            if name in blocks.GROUPS:
                found |= {**self.parts(one, areas, f"{place}.{name}"), name: areas[one]}
            else:
                found[name] = count * self.area(one, areas)
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def cells_area(cells: dict[str, dict], library: Library) -> float:
    """Of a mapped module, without the modules in it"""
    kinds = Counter(one["type"] for one in cells.values())
    kinds = Counter({kind: n for kind, n in kinds.items() if not re.fullmatch(r"child\d+", kind)})
    strange = sorted(kind for kind in kinds if kind not in library.cells)
    if strange:
        raise RejectedNetlist(f"the netlist has cells that the library has not: {strange}")
    return sum(count * library.cells[kind].area for kind, count in kinds.items())


class Mapper:
    def __init__(self, library: Library, cache: Cache, tools: dict[str, str]):
        self.library = library
        self.cache = cache
        self.tools = tools

    def areas(
        self, read: Path, design: runs.Design, effort: recipe.Effort, period_ns: float
    ) -> tuple[Modules, dict[str, float]]:
        """The modules, and the area of each without those in it. READ: Synthesiser.read()"""
        modules = Modules((read / "apart.il").read_text())
        front = recipe.front(ALONE[1:], READS, design.black_boxes).splitlines()
        back = recipe.back(self.library).splitlines()
        lines = [
            line
            for line in (*front, *back)
            if not line.startswith(("write_rtlil", "read_rtlil front"))
        ]
        scripts = {
            "back.ys": "\n".join((*lines, "")),
            "leaves.v": recipe.leaves_verilog(self.library),
            "abc.txt": recipe.abc(effort, self.library, period_ns),
        }
        common = {**scripts, **self.tools, "library": self.library.fingerprint}
        texts = {name: modules.alone(name) for name in sorted(modules.below(f"\\{design.top}"))}
        keys = {name: key_of({"module": text, **common}) for name, text in texts.items()}
        missing = {key: texts[name] for name, key in keys.items() if not self.cache.holds(key)}
        if missing:
            self._map(missing, scripts)
        return modules, {name: self._area(key) for name, key in keys.items()}

    def _area(self, key: str) -> float:
        def absent(folder: Path) -> None:
            raise FlowError("a module that was mapped is not in the cache", folder / "back.log")

        folder, _ = self.cache.get(key, absent)
        return json.loads((folder / "area.json").read_text())

    def _map(self, texts: dict[str, str], scripts: dict[str, str]) -> None:
        """Maps these modules in one run, one after the other, and puts the area of each into the cache. TEXTS by key"""
        others = {name: text for name, text in scripts.items() if name != "back.ys"}
        each = [
            scripts["back.ys"].replace(READS, f"read_rtlil {key}.il").replace(MAPPED, f"{key}.json")
            for key in texts
        ]
        netlists = tuple(f"{key}.json" for key in texts)

        def make(folder: Path) -> None:
            files = {**others, "library.lib": self.library.text}
            files |= {f"{key}.il": text for key, text in texts.items()}
            files["back.ys"] = "design -reset\n".join(each)
            for name, text in files.items():
                (folder / name).write_text(text)
            yosys.run(folder, "back", netlists)

        made, _ = self.cache.get(key_of({**scripts, "modules": " ".join(texts)}), make)
        for key in texts:
            cells = json.loads((made / f"{key}.json").read_text())["modules"][ALONE[1:]]["cells"]
            area = cells_area(cells, self.library)

            def write(folder: Path, area: float = area) -> None:
                (folder / "area.json").write_text(f"{area!r}\n")

            self.cache.get(key, write)
