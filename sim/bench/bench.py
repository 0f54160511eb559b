# SPDX-License-Identifier: Apache-2.0
"""Throughput of the simulated chip on the GEMMs of workloads.toml, beside what the array and the bus allow.

Each GEMM is one run of the application gemm: D in e4m3fn, one scale for each tensor. Its cycles go from the driver's
first register write to the moment at which the driver sees completion. The driver plans the GEMM before that, once per
shape; `plan` is the core's cycles for it. `limit` is the ratio that this array and bus could reach without the cycles
at a GEMM's start and end. Every output is compared with the golden model. The last rows are the speed of the simulation
(sim/speed/speed.py). Writes OUT/system.json (rows {name, value, unit, baseline, ratio, target, met}), OUT/system.md and
OUT/roofline.svg. Exit status 1 if a run fails or an output differs; a missed target is only reported."""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import time
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "speed"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import plot
import speed

from rtl.catalogue import catalogue

CYCLES = re.compile(r"^cycles +(\d+) of the GEMM$", re.M)
ARRAY = re.compile(r"on an array of (\d+) x (\d+) x (\d+)$", re.M)
KIND = re.compile(r"^element +([a-z0-9_]+)", re.M)
PLAN = re.compile(r"^planning +(\d+) cycles", re.M)
RATE = re.compile(r"\((\d+\.\d+) kHz, ([^)]+)\)")
BEATS = re.compile(r"^bus beats +(\d+) read, (\d+) written$", re.M)


def round_up(x, unit):
    return -(-x // unit) * unit


def bounds(shape, macs, beat):
    """Cycles that the array, the read channel and the write channel need at least, for D of one byte."""
    m, n, k = shape
    row = -(-k // beat)
    return {"array": m * n * k / macs, "read": (m + n) * row, "write": m * -(-n // beat)}


def array_cycles(shape, array):
    """Cycles in which the array can issue m x n x k at best. It computes tiles of rows x cols outputs, block by block.
    A block takes at least as many cycles as elements share an accumulate unit."""
    m, n, k = shape
    rows, cols, lanes = array["shape"]
    block = catalogue.load()[array["kind"]].block or lanes
    share = min(block // lanes, rows)
    whole, rest = divmod(k, block)
    steps = whole * max(block // lanes, share) + (max(-(-rest // lanes), share) if rest else 0)
    return -(-m // rows) * -(-n // cols) * steps


def run_cycles(shape, macs, beat):
    """Cycles of a whole run, about: the core first fills A and B, which takes it some six cycles a byte."""
    m, n, k = shape
    return 40_000 + 6 * (m + n) * k + max(bounds(shape, macs, beat).values())


def baseline(shape, of, macs, beat):
    m, n, k = shape
    if of == "rounded":
        return round_up(m, 8) * round_up(n, 8) * round_up(k, 16) / macs
    limit = bounds(shape, macs, beat)
    return limit["array"] if of == "peak" else max(limit.values())


def simulate(sim, elf, shape):
    m, n, k = shape
    arguments = [f"M={m}", f"N={n}", f"K={k}", "D=e4m3fn", "SCALE=tensor"]
    done = subprocess.run(
        [sim, "--heartbeat", "0", "--silence", "0", elf, *arguments], capture_output=True, text=True
    )
    text = done.stdout + done.stderr
    cycles = CYCLES.search(text)
    if done.returncode != 0 or not cycles:
        sys.exit(f"gemm {' '.join(arguments)} failed with status {done.returncode}:\n{text}")
    rows, cols, lanes = map(int, ARRAY.search(text).groups())
    return {
        "cycles": int(cycles[1]),
        "macs": rows * cols * lanes,
        "array": {"shape": (rows, cols, lanes), "kind": KIND.search(text)[1]},
        "beats": sum(map(int, BEATS.search(text).groups())),
        "plan": int(PLAN.search(text)[1]),
        "khz": float(RATE.search(text)[1]),
        "mode": RATE.search(text)[2],
    }


def row_of(group, gemm, run, beat):
    shape, target = gemm["shape"], gemm.get("target")
    base = baseline(shape, group["of"], run["macs"], beat)
    name = "x".join(map(str, shape))
    ratio = base / run["cycles"]
    limit = bounds(shape, run["macs"], beat) | {"array": array_cycles(shape, run["array"])}
    return {
        "name": name,
        "group": group["name"],
        "layer": gemm.get("layer", ""),
        "value": run["cycles"],
        "unit": "cycles",
        "baseline": f"{group['of']}: {base:.0f} cycles",
        "ratio": ratio,
        "limit": base / max(limit.values()),
        "target": target,
        "met": target is None or ratio >= target,
        "beats": run["beats"],
        "plan": run["plan"],
        "khz": run["khz"],
        "mode": run["mode"],
    }


def mean_row(group, rows):
    ratio, limit = (
        math.exp(statistics.fmean(math.log(r[key]) for r in rows)) for key in ("ratio", "limit")
    )
    return {
        "name": f"{group['name']}: geometric mean",
        "group": group["name"],
        "layer": "",
        "value": ratio,
        "unit": "ratio",
        "baseline": group["of"],
        "ratio": ratio,
        "limit": limit,
        "target": group["mean"],
        "met": ratio >= group["mean"],
    }


def verdict(row):
    if row["target"] is None:
        return ""
    return f"{100 * row['target']:.1f} % {'met' if row['met'] else 'MISSED'}"


def markdown(rows, array):
    head = [
        f"# Throughput of the chip, array {array}",
        "",
        "| group | m x n x k | layer | cycles | planning | of | ratio | at most | target |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines = [
        f"| {r['group']} | {r['name']} | {r['layer']} | {r['value'] if r['unit'] == 'cycles' else ''} "
        f"| {r.get('plan', '')} | {r['baseline']} "
        f"| {100 * r['ratio']:.1f} % | {100 * r['limit']:.1f} % | {verdict(r)} |"
        for r in rows
        if r["group"] != "Simulation speed"
    ]
    speeds = [f"- {speed.line(r)}" for r in rows if r["group"] == "Simulation speed"]
    return "\n".join([*head, *lines, "", "Simulation speed:", "", *speeds]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sim", required=True, help="the simulator")
    parser.add_argument("--elf", required=True, help="the application gemm")
    parser.add_argument("--array", required=True, help="name of the array, for the page")
    parser.add_argument(
        "--macs", required=True, type=int, help="multiply-accumulates of the array per cycle"
    )
    parser.add_argument("--core", required=True, help="the simulator of the core with RAM alone")
    parser.add_argument("--speed-elf", required=True, help="the program sim/speed/speed.c")
    parser.add_argument("modes", nargs="+", help="MODE=SIMULATOR, whose speed is measured")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--beat", type=int, default=16, help="bytes of a bus beat")
    parser.add_argument(
        "--only", default="", help="regular expression: measure only these shapes, as 64x64x64"
    )
    options = parser.parse_args()

    groups = tomllib.loads(pathlib.Path(__file__).with_name("workloads.toml").read_text())["group"]
    for group in groups:
        group["gemms"] = [
            g for g in group["gemms"] if re.search(options.only, "x".join(map(str, g["shape"])))
        ]
    # A run's time grows with its cycles, and the least number of cycles is known before.
    work = [(g, gemm) for g in groups for gemm in g["gemms"]]
    if not work:
        sys.exit(f"no shape of workloads.toml matches '{options.only}'")
    weight = [run_cycles(gemm["shape"], options.macs, options.beat) for _, gemm in work]
    start, done, rows = time.monotonic(), 0.0, []
    for index, (group, gemm) in enumerate(work):
        run = simulate(options.sim, options.elf, gemm["shape"])
        row = row_of(group, gemm, run, options.beat)
        rows.append(row)
        done += weight[index]
        elapsed = time.monotonic() - start
        left = elapsed / done * (sum(weight) - done)
        print(
            f"{row['name']:<16} {row['value']:>9} cycles {100 * row['ratio']:6.1f} % of {group['of']:<9} "
            f"at most {100 * row['limit']:5.1f} % "
            f"{verdict(row):<14} planning {row['plan']:>6} ({row['mode']}) [{index + 1}/{len(work)}, {left:.0f} s left]",
            flush=True,
        )
        last = index + 1 == len(work) or work[index + 1][0] is not group
        if last and "mean" in group:
            rows.append(mean_row(group, [r for r in rows if r["group"] == group["name"]]))
            print(
                f"{rows[-1]['name']:<44} {100 * rows[-1]['ratio']:.1f} %, at most {100 * rows[-1]['limit']:.1f} % {verdict(rows[-1])}",
                flush=True,
            )

    print("speed of the simulation: a minute", flush=True)
    for row in speed.speeds(
        options.core, options.speed_elf, dict(mode.split("=", 1) for mode in options.modes)
    ):
        print(speed.line(row), flush=True)
        rows.append(row)

    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "system.json").write_text(json.dumps(rows, indent=1) + "\n")
    (options.out / "system.md").write_text(markdown(rows, options.array))
    macs = run["macs"]
    points = [(gemm, r) for (_, gemm), r in zip(work, [r for r in rows if r["unit"] == "cycles"])]
    plot.roofline(options.out / "roofline.svg", points, macs, options.beat)
    wanted = [r for r in rows if r["target"] is not None]
    print(
        f"{sum(r['met'] for r in wanted)} of {len(wanted)} targets met; {options.out}/system.json, system.md, roofline.svg"
    )


if __name__ == "__main__":
    main()
