# SPDX-License-Identifier: Apache-2.0
"""Speed of the simulators: cycles simulated per second of processor time, beside the core with RAM alone.

    python sim/speed/speed.py --core SIM --elf speed.elf MODE=SIM ...

Each speed is the slope between two runs of different length, so start-up does not count. All simulators take turns,
and the median of the rounds is reported. Processor time is used because other programs on the machine hardly change it.
"""

import argparse
import os
import statistics
import subprocess
import sys

ROUNDS = 3
SECONDS = 2.0  # of processor time, at least, between the two lengths
START = 60_000  # cycles of the shorter run: the program is in its loop
TIMEOUT_STATUS = 124  # of the simulator
IDLE_TARGET = 1 / 1.5
COMPUTE_TARGETS = {"RTL": 1 / 20}
GROUP = "Simulation speed"  # of the rows


def processor_seconds(sim, elf, work, cycles):
    command = [sim, "--quiet", "--heartbeat", "0", "--power-up", "1", "--silence", "0"]
    command += ["--timeout", str(cycles)]
    before = os.times()
    done = subprocess.run([*command, elf, f"WORK={work}"], capture_output=True, text=True)
    after = os.times()
    if done.returncode != TIMEOUT_STATUS:
        sys.exit(f"{sim} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


class Measurement:
    """One simulator with one kind of work."""

    def __init__(self, sim, elf, work):
        self.run = lambda cycles: processor_seconds(sim, elf, work, cycles)
        self.cycles = START
        self.rates = []

    def measure(self):
        start = self.run(START)
        while (time := self.run(START + self.cycles) - start) < SECONDS and not self.rates:
            self.cycles *= 2 if time <= 0 else max(2, min(16, round(1.2 * SECONDS / time)))
        self.rates.append(self.cycles / max(time, 1e-6))


def speeds(core, elf, modes):
    """modes: simulator by name. Returns rows as of `make bench-system`. `ratio` is that of the medians; `least` and
    `most` are of single rounds."""
    alone = Measurement(core, elf, "core")
    works = {
        (mode, work): Measurement(sim, elf, work)
        for mode, sim in modes.items()
        for work in ("core", "compute")
    }
    for _ in range(ROUNDS):
        for measurement in (alone, *works.values()):
            measurement.measure()
    base = statistics.median(alone.rates)
    rows = []
    for (mode, work), measurement in works.items():
        value = statistics.median(measurement.rates)
        ratios = [own / beside for own, beside in zip(measurement.rates, alone.rates)]
        target = COMPUTE_TARGETS.get(mode, 1 / 20) if work == "compute" else IDLE_TARGET
        rows.append(
            {
                "name": "while the array computes" if work == "compute" else "accelerator idle",
                "group": GROUP,
                "layer": "",
                "mode": mode,
                "value": round(value),
                "unit": "cycles/s",
                "baseline": f"core with RAM alone: {base:.0f} cycles/s",
                "ratio": value / base,
                "least": min(ratios),
                "most": max(ratios),
                "target": target,
                "met": value / base >= target,
            }
        )
    return rows


def line(row):
    verdict = "met" if row["met"] else "MISSED"
    return (
        f"{row['mode']:<10} {row['name']:<26} {row['value']:>9} cycles/s, 1/{1 / row['ratio']:.1f} of the "
        f"{row['baseline']}; target 1/{1 / row['target']:g} {verdict}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core", required=True, help="the simulator of the core with RAM alone")
    parser.add_argument("--elf", required=True, help="the program speed.c")
    parser.add_argument("modes", nargs="+", help="MODE=SIMULATOR")
    options = parser.parse_args()
    modes = dict(mode.split("=", 1) for mode in options.modes)
    for row in speeds(options.core, options.elf, modes):
        print(line(row))


if __name__ == "__main__":
    main()
