# SPDX-License-Identifier: Apache-2.0
"""Reads a netlist that Yosys wrote as JSON: its area from the Liberty file's cells, and reasons to reject it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import RejectedNetlist
from .liberty import Library
from .sta import is_clock

Bit = int | str


@dataclass
class Module:
    name: str
    ports: dict[str, dict]
    cells: dict[str, dict]


@dataclass
class Netlist:
    """Modules by name; `top` is the one that nothing instantiates."""

    top: str
    modules: dict[str, Module]
    library: Library

    @classmethod
    def read(cls, path: Path, top: str, library: Library) -> Netlist:
        data = json.loads(path.read_text())["modules"]
        modules = {
            name: Module(name, m["ports"], m["cells"])
            for name, m in data.items()
            if name not in library.cells and not is_black_box(m)
        }
        if top not in modules:
            raise RejectedNetlist(f"the netlist has no module {top}")
        return cls(top, modules, library)

    def instances(
        self, module: str | None = None, path: tuple[str, ...] = ()
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """Every leaf cell below a module as (path of instance and module names, cell type)."""
        for name, cell in self.modules[module or self.top].cells.items():
            if cell["type"] in self.modules:
                yield from self.instances(cell["type"], (*path, f"{name} {cell['type']}"))
            else:
                yield path, cell["type"]

    def count(self) -> Counter[str]:
        return Counter(kind for _, kind in self.instances())

    def area(self) -> float:
        """Sum of the cells' Liberty areas."""
        cells = self.library.cells
        return sum(cells[kind].area * n for kind, n in self.count().items())

    def register_area(self) -> float:
        cells = self.library.cells
        return sum(
            cells[kind].area * n
            for kind, n in self.count().items()
            if kind in cells and cells[kind].is_flip_flop
        )

    # ---- reasons to reject -------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raises RejectedNetlist unless every cell is a usable library cell, every input is driven by exactly one
        driver and none by x, flip-flops run on a clock, and no path through logic closes on itself."""
        for module in self.modules.values():
            self._check_cells(module)
            drivers = self._drivers(module)
            self._check_inputs(module, drivers)
            self._check_loops(module, drivers)
        top = self.modules[self.top]
        self._check_clock(
            top, {port["bits"][0] for name, port in top.ports.items() if is_clock(name)}
        )

    def _check_cells(self, module: Module) -> None:
        for name, cell in module.cells.items():
            kind = cell["type"]
            if kind in self.modules:
                continue
            if kind not in self.library.cells:
                raise RejectedNetlist(
                    f"cell {name} of {module.name} is a {kind}, which is not in the library"
                )
            if self.library.cells[kind].is_latch:
                raise RejectedNetlist(f"cell {name} of {module.name} is a latch ({kind})")
            if not self.library.cells[kind].is_usable:
                raise RejectedNetlist(
                    f"cell {name} of {module.name} is a {kind}, which is not to be used"
                )

    def _direction(self, cell: dict, port: str) -> str:
        kind = cell["type"]
        if kind in self.library.cells:
            return self.library.cells[kind].pins[port].direction
        return self.modules[kind].ports[port]["direction"]

    def _drivers(self, module: Module) -> dict[Bit, str]:
        drivers: dict[Bit, str] = {}
        sources = [
            ("its port " + name, port["bits"])
            for name, port in module.ports.items()
            if port["direction"] == "input"
        ]
        sources += [
            (name, bits)
            for name, cell in module.cells.items()
            for port, bits in cell["connections"].items()
            if self._direction(cell, port) == "output"
        ]
        for source, bits in sources:
            for bit in bits:
                if bit in drivers:
                    raise RejectedNetlist(
                        f"a net of {module.name} has two drivers: {drivers[bit]} and {source}"
                    )
                drivers[bit] = source
        return drivers

    def _check_inputs(self, module: Module, drivers: dict[Bit, str]) -> None:
        ends = [
            ("output " + name, port["bits"])
            for name, port in module.ports.items()
            if port["direction"] == "output"
        ]
        ends += [
            (f"{port} of {name}", bits)
            for name, cell in module.cells.items()
            for port, bits in cell["connections"].items()
            if self._direction(cell, port) == "input"
        ]
        for name, cell in module.cells.items():
            pins = (
                self.library.cells[cell["type"]].inputs()
                if cell["type"] in self.library.cells
                else []
            )
            missing = [pin for pin in pins if not cell["connections"].get(pin)]
            if missing:
                raise RejectedNetlist(f"{missing[0]} of {name} in {module.name} is not connected")
        for end, bits in ends:
            for bit in bits:
                if bit in ("x", "z"):
                    raise RejectedNetlist(f"{end} in {module.name} is {bit}")
                if bit not in ("0", "1") and bit not in drivers:
                    raise RejectedNetlist(f"{end} in {module.name} has no driver")

    def _check_clock(self, module: Module, clocks: set[Bit]) -> None:
        for name, cell in module.cells.items():
            kind = cell["type"]
            if kind in self.modules:
                inner = self.modules[kind]
                bits = {
                    bit: inner.ports[port]["bits"][i]
                    for port, outer in cell["connections"].items()
                    for i, bit in enumerate(outer)
                    if inner.ports[port]["direction"] == "input"
                }
                # In a netlist that keeps its modules apart, a clock gate's output is a port that nothing drives.
                gated = {
                    port["bits"][0]
                    for pin, port in inner.ports.items()
                    if is_clock(pin) and pin not in cell["connections"]
                }
                self._check_clock(inner, {bits[clock] for clock in clocks & bits.keys()} | gated)
            elif kind in self.library.cells and self.library.cells[kind].is_flip_flop:
                if not set(cell["connections"][self.library.cells[kind].clock]) <= clocks:
                    raise RejectedNetlist(
                        f"flip-flop {name} of {module.name} does not run on the clock"
                    )

    def _check_loops(self, module: Module, drivers: dict[Bit, str]) -> None:
        """Within a module: what a logic cell waits for is done before it."""
        waits: dict[str, set[str]] = {}
        for name, cell in module.cells.items():
            kind = cell["type"]
            if kind in self.library.cells and not self.library.cells[kind].is_flip_flop:
                waits[name] = {
                    drivers.get(bit, "")
                    for pin in self.library.cells[kind].inputs()
                    for bit in cell["connections"][pin]
                }
        users: dict[str, list[str]] = {}
        left = {}
        for name, before in waits.items():
            before &= waits.keys()
            left[name] = len(before)
            for other in before:
                users.setdefault(other, []).append(name)
        ready = [name for name, n in left.items() if n == 0]
        done = 0
        while ready:
            done += 1
            for name in users.get(ready.pop(), ()):
                left[name] -= 1
                if left[name] == 0:
                    ready.append(name)
        if done != len(waits):
            raise RejectedNetlist(
                f"logic of {module.name} closes on itself at {next(n for n in left if left[n])}"
            )

    # ---- further facts ------------------------------------------------------------------------------------------------

    def idle_outputs(self) -> Counter[str]:
        """Adder cells with an output that nothing reads: area that the RTL could save."""
        found: Counter[str] = Counter()
        adders = {
            adder.cell: adder for adder in (self.library.adder(2), self.library.adder(3)) if adder
        }
        for module in self.modules.values():
            read = {
                bit
                for port in module.ports.values()
                if port["direction"] == "output"
                for bit in port["bits"]
            }
            read |= {
                bit
                for cell in module.cells.values()
                for port, bits in cell["connections"].items()
                if self._direction(cell, port) == "input"
                for bit in bits
            }
            for cell in module.cells.values():
                adder = adders.get(cell["type"])
                if adder:
                    for pin, role in ((adder.sum, "sum"), (adder.carry, "carry")):
                        if not set(cell["connections"].get(pin, ())) & read:
                            found[f"{adder.cell} without {role}"] += 1
        return found


def is_black_box(module: dict) -> bool:
    return any(
        int(str(module.get("attributes", {}).get(name, "0")), 2)
        for name in ("blackbox", "whitebox")
    )
