# SPDX-License-Identifier: Apache-2.0
"""One synthesis of one design: front, back, checks and timing. Front and back come from the cache if they are there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from . import boxes, gates, recipe, rules, sources, sta, yosys
from .cache import Cache, key_of
from .errors import FlowError, RejectedNetlist
from .liberty import Library
from .netlist import Netlist
from .timing import Graph
from .timing import Timing as Timer

# Part of every key of the cache. It goes up when this package computes an area, a check or a kept file differently, so
# that older results are made anew. Sources, scripts, tools and the library are in the key themselves.
VERSION = "7"

# `python -m synth...` runs from here.
ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = re.compile(r"^  assign (\{ .* \}) = (\{ .* \}|\d+'[bd]\d+);$", re.M)

BOXES = "boxes.json"  # of a front: its black boxes


@dataclass(frozen=True)
class Design:
    """A top module with parameters. Black boxes are left out and counted. Sources in `folders` take the place of those of
    the same name. An edit names a source, a text that stands in it once, and the text that takes its place."""

    top: str
    parameters: tuple[tuple[str, int], ...] = ()
    black_boxes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    edits: tuple[tuple[str, str, str], ...] = ()

    def __str__(self) -> str:
        values = " ".join(
            (
                *(f"{name}={value}" for name, value in self.parameters),
                *(f"with {folder}" for folder in self.folders),
                *(f"with {new}" for _, _, new in self.edits),
                *(f"without {box}" for box in self.black_boxes),
            )
        )
        return f"{self.top} {values}".strip()


@dataclass(frozen=True)
class Result:
    """One netlist that passed every check."""

    effort: str
    seed: int
    area: float
    register_area: float
    slack_ns: float
    critical: str  # the start and the end of its longest path
    cells: int
    idle: dict[str, int]  # adder cells with an output that nothing reads
    boxes: dict[str, int]  # black boxes left out
    netlist: str  # folder of netlist.v, netlist.json and the logs
    made: bool = field(default=False, compare=False)  # in this run; False: from the cache
    # Nets that broke each design rule before they were repaired. None does in the netlist.
    repaired: dict[str, int] = field(default_factory=dict)


class Synthesiser:
    """Runs designs with one library, reading sources from some folders."""

    def __init__(
        self,
        library: Library,
        folders: list[Path],
        cache: Cache,
        sta_command: str = "sta",
        clock_gates: int = 0,
    ):
        """`clock_gates`: the least number of flip-flops with the same enable that get a clock gate; 0 for no such gates."""
        self.library = library
        self.clock_gates = clock_gates
        self.files = sources.index(folders)
        self.cache = cache
        self.sta_command = sta_command

    @cached_property
    def tools(self) -> dict[str, str]:
        try:
            timer = subprocess.run(
                [self.sta_command, "-version"], capture_output=True, text=True, check=True
            ).stdout
        except (OSError, subprocess.CalledProcessError):
            raise FlowError(
                f"{self.sta_command} (OpenSTA) does not run: `make setup` installs it"
            ) from None
        return {"yosys": yosys.version(), "sta": timer.strip(), "flow": VERSION}

    def _sources(self, design: Design, hierarchy: bool) -> tuple[dict[str, str], str]:
        """Texts by name, and the line of a Yosys script that reads them"""
        known = {**self.files, **sources.index(map(Path, design.folders))}
        files = sources.closure(design.top, known, design.black_boxes)
        sources.check_parameters(known[design.top], dict(design.parameters))
        texts = {file.name: file.read_text() for file in files}
        edit(texts, design)
        for box in design.black_boxes:
            texts[known[box].name] = sources.ports_only(texts[known[box].name])
        reads = recipe.read(
            design.top, dict(design.parameters), list(texts), design.black_boxes, hierarchy
        )
        return texts, reads

    def read(self, design: Design) -> Path:
        """A folder with apart.il, the design as it is read, with all modules apart and with black boxes told apart."""
        texts, reads = self._sources(design, hierarchy=True)
        scripts = {"instances.ys": recipe.instances(reads)}
        parts = {**scripts, "yosys": self.tools["yosys"], "flow": VERSION, **texts}

        def make(folder: Path) -> None:
            for name, text in {**texts, **scripts}.items():
                (folder / name).write_text(text)
            uniquify(folder, design.black_boxes)
            check_driven(folder / "apart.il")

        return self.cache.get(key_of({**parts, "what": "read"}), make)[0]

    def front(self, design: Design, hierarchy: bool = False) -> tuple[Path, str]:
        """The folder with front.il, and its key."""
        texts, reads = self._sources(design, hierarchy)
        least = self.clock_gates
        if least:
            texts["clock_gate.v"] = recipe.CLOCK_GATE_VERILOG
        scripts = {"front.ys": recipe.front(design.top, reads, least=least)}
        if design.black_boxes:
            scripts = {
                "instances.ys": recipe.instances(reads),
                "front.ys": recipe.front(
                    design.top, "read_rtlil apart.il", design.black_boxes, least
                ),
            }
        key = key_of({**scripts, "yosys": self.tools["yosys"], "flow": VERSION, **texts})

        def make(folder: Path) -> None:
            for name, text in {**texts, **scripts}.items():
                (folder / name).write_text(text)
            if design.black_boxes:
                uniquify(folder, design.black_boxes)
            yosys.run(folder, "front", ("front.il", "read.il"))
            (folder / "apart.il").unlink(missing_ok=True)
            check_driven(folder / "read.il")
            (folder / "read.il").unlink()
            if design.black_boxes or least:
                text = (folder / "front.il").read_text()
                (folder / "front.il").write_text(recipe.simple_ports(text))
                known = [*instances(folder), *boxes.inserted(text)]
                (folder / BOXES).write_text(json.dumps(boxes.to_data(known)))

        return self.cache.get(key, make)[0], key

    def run(
        self,
        design: Design,
        period_ns: float,
        effort: recipe.Effort,
        seed: int,
        hierarchy: bool = False,
        repaired: bool = True,
    ) -> Result:
        """With `repaired` off the netlist is as it was mapped. It is not timed, and no area may be quoted from it."""
        front_folder = self.front(design, hierarchy)[0]
        front = recipe.plain((front_folder / "front.il").read_text())
        texts = {
            "back.ys": recipe.back(self.library),
            "leaves.v": recipe.leaves_verilog(self.library),
            "abc.txt": recipe.abc(effort, self.library, period_ns),
            "finish.ys": recipe.finish(),
            "sta.tcl": sta.script(
                design.top,
                self.library,
                period_ns,
                clocked=any(end in front for end in (f"\\{sta.CLOCK}\n", f"{sta.GATED}\n")),
            ),
            "fit": f"{period_ns:g} ns, margin {recipe.FIT_MARGIN:g}" if repaired else "none",
        }
        key = key_of(
            {
                "front": front,
                "seed": str(seed),
                "library": self.library.fingerprint,
                **self.tools,
                **texts,
            }
        )

        def make(folder: Path) -> None:
            libraries = {"library.lib": self.library.text, **self.library.originals()}
            for name, text in {**texts, **libraries}.items():
                (folder / name).write_text(text)
            (folder / "front.il").write_text(recipe.shuffle(front, seed))
            yosys.run(folder, "back", ("mapped.json",))
            if repaired:
                self._fit(folder, design, period_ns)
            else:
                shutil.copy(folder / "mapped.json", folder / "fitted.json")
                (folder / "repaired.json").write_text("{}")
            yosys.run(folder, "finish", ("netlist.json", "netlist.v", "stat.json"))
            split_assignments(folder / "netlist.v")
            self._judge(folder, design, effort, seed, timed=repaired and not hierarchy)
            for name in (*libraries, "front.il", "mapped.json", "fitted.json", "repaired.json"):
                (folder / name).unlink()

        folder, made = self.cache.get(key, make)
        data = json.loads((folder / "result.json").read_text())
        known = Counter(box.module for box in instances(front_folder))
        inserted = (recipe.CLOCK_GATE,) if self.clock_gates else ()
        counts = {name: known[name] for name in (*design.black_boxes, *inserted)}
        return Result(
            **{**data, "effort": effort.name, "boxes": counts, "netlist": str(folder), "made": made}
        )

    @staticmethod
    def _fit(folder: Path, design: Design, period_ns: float) -> None:
        """Runs in a process of its own, so that several run at a time."""
        log = folder / "fit.log"
        command = [
            sys.executable,
            "-B",
            "-m",
            "synth.flow.fit",
            folder.resolve(),
            design.top,
            f"{period_ns:g}",
            f"{recipe.FIT_MARGIN:g}",
        ]
        with log.open("w") as output:
            done = subprocess.run(
                command,
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            raise FlowError("the repair of paths that miss the clock failed", log)

    def _judge(
        self, folder: Path, design: Design, effort: recipe.Effort, seed: int, timed: bool
    ) -> None:
        """Writes result.json. A netlist that keeps its modules apart is for the breakdown and is not timed: OpenSTA does
        not read all of its connections."""
        try:
            netlist = self.read_netlist(folder, design)
            netlist.check()
            check_area(netlist, folder / "stat.json")
        except RejectedNetlist as rejected:
            rejected.log = folder / "finish.log"
            raise
        timing = sta.Timing(0.0, "", "")
        if timed:
            timing = sta.run(folder, self.sta_command)
            self._check_rules(folder, design, timing)
        count = netlist.count()
        result = Result(
            effort.name,
            seed,
            netlist.area(),
            netlist.register_area(),
            timing.slack_ns,
            f"{timing.start} to {timing.end}",
            sum(count.values()),
            dict(netlist.idle_outputs()),
            {},
            "",
            repaired=json.loads((folder / "repaired.json").read_text()),
        )
        (folder / "result.json").write_text(json.dumps(asdict(result), indent=1) + "\n")

    def _check_rules(self, folder: Path, design: Design, timing: sta.Timing) -> None:
        module = json.loads((folder / "netlist.json").read_text())["modules"][design.top]
        try:
            check_rules(module, self.library, timing)
        except RejectedNetlist as rejected:
            rejected.log = folder / "sta.log"
            raise

    def slack_with_gates(self, result: Result, design: Design, period_ns: float) -> float | None:
        """The worst slack with the library's clock-gating cells in the places of the gates that were inserted: OpenSTA then
        checks the setup time of their enables. None without such gates, or such a cell."""
        cell = gates.cell(self.library)
        if not self.clock_gates or cell is None:
            return None
        folder = Path(result.netlist, "gates")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        text = Path(result.netlist, "netlist.v").read_text()
        texts = {
            "netlist.v": boxes.closed(text, cell.name, gates.pins(cell)),
            "sta.tcl": sta.script(design.top, self.library, period_ns),
            **self.library.originals(),
        }
        for name, text in texts.items():
            (folder / name).write_text(text)
        return sta.run(folder, self.sta_command).slack_ns

    def read_netlist(self, folder: Path, design: Design) -> Netlist:
        return Netlist.read(folder / "netlist.json", design.top, self.library)


def edit(texts: dict[str, str], design: Design) -> None:
    """Makes the design's edits."""
    for name, old, new in design.edits:
        if texts.get(name, "").count(old) != 1:
            raise FlowError(f"{old!r} does not stand once in {name}, so {design} cannot be made")
        texts[name] = texts[name].replace(old, new)


def split_assignments(netlist: Path) -> None:
    """Writes such assignments bit by bit. Yosys writes outputs that are constants or other outputs as
    `assign { a, b[1:0] } = { c, 2'b00 }`, which OpenSTA does not read."""

    def split(line: re.Match[str], ranges: dict[str, str]) -> str:
        left, right = single_bits(line[1], ranges), single_bits(line[2], ranges)
        if len(left) != len(right):
            raise RejectedNetlist(f"an assignment of {len(right)} bits to {len(left)}", netlist)
        return "\n".join(f"  assign {name} = {value};" for name, value in zip(left, right))

    def module(text: str) -> str:
        ranges = {
            name: f"{name}[{high}:{low}]"
            for high, low, name in re.findall(r"^  \w+ \[(\d+):(\d+)\] (\w+);$", text, re.M)
        }
        return ASSIGNMENT.sub(lambda line: split(line, ranges), text)

    netlist.write_text("endmodule".join(map(module, netlist.read_text().split("endmodule"))))


def single_bits(words: str, ranges: dict[str, str]) -> list[str]:
    """{ x[3:1], 2'b10 } becomes x[3], x[2], x[1], 1'b1, 1'b0. A name of several bits has its range in RANGES. Any other
    word is one bit."""
    bits = []
    for word in words.strip("{} ").split(", "):
        part = re.fullmatch(r"(.*)\[(\d+):(\d+)\]", ranges.get(word, word))
        constant = re.fullmatch(r"(\d+)'([bd])(\d+)", word)
        if part:
            bits += [f"{part[1]}[{bit}]" for bit in range(int(part[2]), int(part[3]) - 1, -1)]
        elif constant:
            value = int(constant[3], 10 if constant[2] == "d" else 2)
            bits += [f"1'b{value >> place & 1}" for place in reversed(range(int(constant[1])))]
        else:
            bits.append(word)
    return bits


def uniquify(folder: Path, names: tuple[str, ...]) -> None:
    """Writes apart.il, the design with a module for each set of widths of each black box, and boxes.json."""
    yosys.run(folder, "instances", ("instances.il", "instances.json"))
    read, tree = folder / "instances.il", folder / "instances.json"
    found = boxes.found(json.loads(tree.read_text())["modules"], names)
    (folder / BOXES).write_text(json.dumps(boxes.to_data(found)))
    (folder / "apart.il").write_text(boxes.uniquify(read.read_text(), found))
    read.unlink()
    tree.unlink()


def instances(front: Path) -> list[boxes.Box]:
    """The black boxes of a design whose front is in this folder."""
    file = front / BOXES
    return boxes.from_data(json.loads(file.read_text())) if file.exists() else []


def check_driven(read: Path) -> None:
    """Rejects nets without a driver. The reader ties them to x, and later steps would choose their value."""
    tied = (
        r"^  cell \$buf [^\n]*\n(?:    parameter [^\n]*\n)*"
        r"    connect \\A [^\n]*'[01xz]*x[^\n]*\n    connect \\Y \\(\S+)"
    )
    undriven = re.search(tied, read.read_text(), re.M)
    if undriven:
        raise RejectedNetlist(f"nothing drives {undriven[1]}", read.with_name("front.log"))


def check_area(netlist: Netlist, stat: Path) -> None:
    """Rejects a netlist whose sum of areas differs from that of Yosys."""
    theirs = float(json.loads(stat.read_text())["design"]["area"])
    if abs(netlist.area() - theirs) > 1e-6 * max(1.0, theirs):
        raise RejectedNetlist(
            f"the cells' areas sum to {netlist.area():g}, but stat -liberty says {theirs:g}"
        )


def check_rules(module: dict, library: Library, timing: sta.Timing) -> None:
    """Rejects a netlist with a net that breaks a design rule. OpenSTA 2.0 checks transition times alone, so the
    capacitances are summed here."""
    graph = Graph(module, library, 1.0)
    found = rules.counts(rules.Rules(graph).broken(Timer(graph)))
    if found[rules.CAPACITANCE] or timing.slow_edges:
        raise RejectedNetlist(
            f"{found[rules.CAPACITANCE]} nets have more than the max_capacitance of their driver, and "
            f"{timing.slow_edges} pins have slower edges than their max_transition"
        )


def remove_stale(folder: Path) -> None:
    """Removes runs that were interrupted: those of processes that have ended (Cache names them)."""
    for run in (folder / "run").glob("*"):
        process = run.suffix.removeprefix(".")
        if not (process.isdigit() and Path("/proc", process).exists()):
            shutil.rmtree(run, ignore_errors=True)
