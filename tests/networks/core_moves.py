# SPDX-License-Identifier: Apache-2.0
"""core_moves.py FOLDER --compiler GCC [--seed N] [--count N] [--fit] -- MAKE...: random moves of narrow rows on the simulated
chip, beside their estimates. The whole run has to be within a tenth, and so has each move; within OTHER_COMPILER if another
compiler than that of the recorded cycles makes the program. --fit prints the constants of core_moves.py instead.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from fp8net import core_moves, estimate, measure, report, writer
from fp8net.ir import FORMAT_BYTES, Axis, Graph, Layer, Move, Tensor, View

from sim.bench import results
from tools.accept import expectations

WITHIN, OTHER_COMPILER = 0.1, 0.4
PROFILE_CALL = 55  # cycles that a call takes more in a profile than in a run
FORMATS = ("e4m3fn", "e4m3fn", "float32", "float16")
Case = tuple[str, tuple[int, int], tuple[int, int], Move]  # format, sizes of both tensors


def _case(r: random.Random) -> Case:
    """A part of a concatenation, a transposition, one of several, a reversal, or rows that become one"""
    kind, n = (
        r.choice(["part", "part", "turn", "turn", "turns", "reversal", "flat", "long"]),
        r.randint,
    )
    if kind == "turns":
        images, pixels, channels = n(2, 5), n(3, 20), n(2, 6)
        axes = [
            Axis(images, pixels, 0, channels, 0),
            Axis(channels, 0, 1, 1, 0),
            Axis(pixels, 1, 0, 0, 1),
        ]
        sizes = (images * pixels, channels), (images * channels, pixels)
        return r.choice(FORMATS), *sizes, Move(0, 0, 0, 0, 0, axes)
    if kind == "turn":
        rows, cols, at = n(2, 60), n(2, 12), n(0, 1)
        axes = [Axis(cols, 0, 1, 1, 0), Axis(rows, 1, 0, 0, 1)]
        r.shuffle(axes)
        return r.choice(FORMATS), (rows, cols), (cols, rows + at), Move(0, 0, 0, 0, at, axes)
    rows, cols, at = n(3, 60), n(2, 12), n(0, 9)
    if kind == "long":
        rows, cols = n(1, 6), n(20, 120)
    if kind == "flat":
        steps, out, at = (0, cols), (1, rows * cols), 0
    else:
        steps, out = (1, 0), (rows, cols + at)
    back = kind == "reversal"
    axes = [Axis(rows, 1, 0, *steps), Axis(cols, 0, -1 if back else 1, 0, 1)]
    return r.choice(FORMATS), (rows, cols), out, Move(0, 0, cols - 1 if back else 0, 0, at, axes)


def _graph(cases: list[Case]) -> Graph:
    """A command stands behind each move, so that a profile tells them apart. Moves leave out places of their outputs, whose
    bytes are not compared."""
    g = Graph("moves")

    def tensor(name: str, size: tuple[int, int], format: str) -> View:
        g.tensors[name] = Tensor(name, *size, format, fixed=True)
        g.views[name] = View(name, size, (0, 1))
        return g.views[name]

    def command(name: str) -> None:
        g.outputs[name] = tensor(name, (4, 16), "e4m3fn")
        g.layers.append(Layer("convert", name, ["x"], name, [name]))

    g.inputs["x"] = tensor("x", (4, 16), "e4m3fn")
    command("y")
    for i, (format, size, out, move) in enumerate(cases):
        g.inputs[f"x{i}"] = tensor(f"x{i}", size, format)
        tensor(f"m{i}", out, format)
        g.layers.append(Layer("move", f"m{i}", [f"x{i}"], f"m{i}", [f"m{i}"], moves=[move]))
        command(f"y{i}")
    return g


def _run(folder: Path, graph: Graph, make: list[str]) -> tuple[writer.Sources, dict]:
    random_values = np.random.default_rng(0)
    run = {
        n: random_values.normal(size=v.shape).astype(np.float32) for n, v in graph.inputs.items()
    }
    sources = writer.prepare(graph, folder, "random moves", [run])
    rows = report.rows_of(graph)
    report.add_estimates(rows, sources.estimates)
    writer.write(folder, sources, {})
    program = [f"APP={folder.name}", f"APPS_DIR={folder.parent.resolve()}"]
    command = [*make, "run", "TIMED=1", *program, "PROFILE=csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if " 0 differ" not in done.stdout:
        raise SystemExit(done.stdout + done.stderr)
    found = report.document(graph, sources.plan, rows, sources.origin, {})
    measure.add(found, done.stdout)
    return sources, found


def _fit(measured: list[int], parts: list[dict]) -> None:
    """The constants with the least relative errors"""
    names = [name for name in core_moves.COSTS if any(part[name] for part in parts)]
    wanted = np.array(measured, float)
    table = np.array([[part[name] for name in names] for part in parts], float) / wanted[:, None]
    for name, value in zip(names, np.linalg.lstsq(table, np.ones(len(wanted)))[0], strict=True):
        print(f"{name:12} {value:7.1f}   {core_moves.COSTS[name]}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", required=True, help="of the chip's programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("make", nargs="+")
    options = parser.parse_args()
    recorded = expectations.read(results.KIND)["run"]["compiler"]
    same = results.same_compiler(recorded, options.compiler)
    each = WITHIN if same else OTHER_COMPILER
    r = random.Random(options.seed)
    cases = [_case(r) for _ in range(options.count)]
    sources, found = _run(options.folder, _graph(cases), options.make)
    layers, plan = found["layers"], sources.plan
    # In a profile a pause counts with the command in front of it. The last one has none behind it.
    commands = [layer["core_cycles"] for layer in layers[::2]]
    measured, parts, failed = [], [], 0
    for i, (format, x, out, move) in enumerate(cases):
        if plan.layers[1 + 2 * i].pauses == 0:  # element-wise commands
            continue
        measured.append(commands[i] - commands[-1] - PROFILE_CALL)
        parts.append(core_moves.parts_of(move, FORMAT_BYTES[format], (x[1], out[1]), plan.beat))
        guess, real = (
            layers[1 + 2 * i]["estimated_core_cycles"],
            measured[-1] + estimate.CORE["stop"],
        )
        if abs(guess / real - 1) > each:
            failed += 1
            print(f"FAILED {format} {x} -> {out}, {move.axes}: {guess} estimated, {real} measured")
    if options.fit:
        _fit(measured, parts)
    total = (
        sum(x["estimated_cycles"] + x["estimated_core_cycles"] for x in layers)
        + found["estimated_rest"]
    )
    run = found["core_cycles"]
    failed += abs(total / run - 1) > WITHIN
    print(
        f"{len(measured)} moves; a run: {total} estimated, {run} measured, {total / run - 1:+.1%}"
    )
    print(f"{len(measured) + 1 - failed} passed, {failed} failed")
    return 1 if failed or len(measured) < options.count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
