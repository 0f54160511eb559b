# SPDX-License-Identifier: Apache-2.0
"""Runs `fp8mac cycles` for each configuration and network, and keeps what it said: a run that was broken off goes on."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from .configuration import Configuration
from .errors import PlanError

IMPOSSIBLE = re.compile(r"is not possible; .* is expected$")


@dataclass(frozen=True)
class Totals:
    """Of a network on a configuration, with every layer as often as it counts"""

    cycles: int
    macs: int
    bytes_read: int
    bytes_written: int

    def utilisation(self, its: Configuration) -> float:
        return self.macs / (self.cycles * its.macs)


class Impossible(Exception):
    """The RTL has no such configuration; the text names the parameter and its range."""


def cycles(tool: Path, its: Configuration, network: Path) -> Totals:
    command = [str(tool), "cycles", *its.options(), str(network)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stderr.strip().removeprefix("fp8mac cycles: ")
    if done.returncode and IMPOSSIBLE.search(said):
        raise Impossible(f"{its.name}: {said}")
    if done.returncode:
        raise PlanError(f"{said} (of {its.name})" if said else f"{' '.join(command)} failed")
    return totals(done.stdout)


def totals(text: str) -> Totals:
    """Of the CSV that the tool prints"""
    found = [0, 0, 0, 0]
    for row in csv.DictReader(io.StringIO(text)):
        count = int(row["count"])
        macs = int(row["m"]) * int(row["n"]) * int(row["k"])
        its = (int(row["cycles"]), macs, int(row["bytes_read"]), int(row["bytes_written"]))
        found = [total + count * one for total, one in zip(found, its)]
    return Totals(*found)


class Store:
    """Lines of JSON: what was asked, and the answer. A line that is cut off counts as none."""

    def __init__(self, path: Path, tool: Path):
        self.path, self.tool = path, hashlib.sha256(tool.read_bytes()).hexdigest()[:16]
        self.known: dict[str, dict] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    one = json.loads(line)
                    self.known[one["key"]] = one
                except (ValueError, KeyError, TypeError):
                    continue

    def key(self, its: Configuration, network: Path) -> str:
        text = json.dumps([self.tool, asdict(its), network.read_text()])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def keep(self, key: str, **answer: object) -> dict:
        self.known[key] = {"key": key, **answer}
        with self.path.open("a") as file:
            file.write(json.dumps(self.known[key]) + "\n")
        return self.known[key]


@dataclass(frozen=True)
class Found:
    """By configuration and name of the network. `skipped`: why the RTL refuses a configuration."""

    totals: dict[tuple[Configuration, str], Totals]
    skipped: dict[Configuration, str]


def run(
    tool: Path,
    configurations: Iterable[Configuration],
    networks: dict[str, Path],
    store: Store,
    jobs: int,
    skips: bool,
) -> Found:
    found = Found({}, {})
    wanted = [(its, name) for its in configurations for name in networks]

    def one(pair: tuple[Configuration, str]) -> dict:
        its, name = pair
        key = store.key(its, networks[name])
        if key in store.known:
            return store.known[key]
        try:
            return {"key": key, "totals": asdict(cycles(tool, its, networks[name]))}
        except Impossible as error:
            return {"key": key, "impossible": str(error)}

    pool = ThreadPoolExecutor(jobs)
    try:
        for (its, name), answer in zip(wanted, pool.map(one, wanted)):
            if answer["key"] not in store.known:
                store.keep(**answer)
            if "totals" in answer:
                found.totals[its, name] = Totals(**answer["totals"])
            elif skips:
                found.skipped[its] = answer["impossible"]
            else:
                raise PlanError(answer["impossible"])
    finally:
        pool.shutdown(cancel_futures=True)
    return found
