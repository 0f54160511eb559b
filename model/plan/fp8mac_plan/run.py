# SPDX-License-Identifier: Apache-2.0
"""Runs `fp8mac cycles` for each configuration, and keeps what it said: a run that was broken off goes on."""

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
from .errors import PlanError, ToolEnded
from .network import Layer, Network, distinct, text

IMPOSSIBLE = re.compile(r"is not possible; .* is expected$")
FIELDS = ("cycles", "bytes_read", "bytes_written")


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


def ask(
    tool: Path, its: Configuration, file: str, given: str = "", more: tuple[str, ...] = ()
) -> list[dict[str, str]]:
    """What the tool says of each layer of a file; "-" is `given`. `more` are options of the tool."""
    command = [str(tool), "cycles", *its.options(), *more, file]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode < 0:  # this says nothing about the configuration
        raise ToolEnded(f"signal {-done.returncode} ended {' '.join(command)}")
    said = done.stderr.strip().removeprefix("fp8mac cycles: ")
    if done.returncode and IMPOSSIBLE.search(said):
        raise Impossible(f"{its.name}: {said}")
    if done.returncode:
        raise PlanError(f"{said} (of {its.name})" if said else f"{' '.join(command)} failed")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def layers_of(tool: Path, its: Configuration, networks: Iterable[Network]) -> list[list[int]]:
    """Of each distinct layer its products, cycles, bytes read and written"""
    found = []
    for columns, layers in distinct(networks).items():
        try:
            rows = ask(tool, its, "-", text(columns, layers))
        except PlanError:
            for network in networks:  # says which file and line
                ask(tool, its, str(network.path))
            raise
        found += [
            [int(row["m"]) * int(row["n"]) * int(row["k"]), *(int(row[name]) for name in FIELDS)]
            for row in rows
        ]
    return found


def totals(network: Network, known: dict[Layer, list[int]]) -> Totals:
    found = [0, 0, 0, 0]
    for layer, count in network.layers:
        found = [total + count * one for total, one in zip(found, known[layer])]
    macs, cycles, read, written = found
    return Totals(cycles, macs, read, written)


class Store:
    """Lines of JSON: what was asked, and the answer. A line that is cut off counts as none."""

    def __init__(self, path: Path, tool: Path):
        self.path, self.tool = path, hashlib.sha256(tool.read_bytes()).hexdigest()[:16]
        self.known: dict[str, dict] = {}
        text = path.read_text() if path.exists() else ""
        self.cut = not text.endswith("\n") and text != ""
        for line in text.splitlines():
            try:
                one = json.loads(line)
                self.known[one["key"]] = one
            except (ValueError, KeyError, TypeError):
                continue

    def key(self, its: Configuration, asked: list[str]) -> str:
        its_text = json.dumps([self.tool, asdict(its), asked])
        return hashlib.sha256(its_text.encode()).hexdigest()[:32]

    def keep(self, answer: dict) -> None:
        """Begins with the end of a line that was cut off."""
        self.known[answer["key"]] = answer
        with self.path.open("a") as file:
            file.write("\n" * self.cut + json.dumps(answer) + "\n")
        self.cut = False


@dataclass(frozen=True)
class Found:
    """By configuration and name of the network. `skipped`: why the RTL refuses a configuration."""

    totals: dict[tuple[Configuration, str], Totals]
    skipped: dict[Configuration, str]


def run(
    tool: Path,
    configurations: tuple[Configuration, ...],
    networks: dict[str, Network],
    store: Store,
    jobs: int,
    skips: bool,
) -> Found:
    every = distinct(networks.values())
    asked = [text(columns, layers) for columns, layers in every.items()]
    order = [layer for layers in every.values() for layer in layers]

    def answer(its: Configuration) -> dict:
        key = store.key(its, asked)
        if key in store.known:
            return store.known[key]
        try:
            return {"key": key, "layers": layers_of(tool, its, networks.values())}
        except Impossible as error:
            return {"key": key, "impossible": str(error)}

    found = Found({}, {})
    pool = ThreadPoolExecutor(jobs)
    try:
        for its, one in zip(configurations, pool.map(answer, configurations)):
            if one["key"] not in store.known:
                store.keep(one)
            if "impossible" in one and not skips:
                raise PlanError(one["impossible"])
            if "impossible" in one:
                found.skipped[its] = one["impossible"]
                continue
            known = dict(zip(order, one["layers"]))
            found.totals.update({(its, n): totals(net, known) for n, net in networks.items()})
    finally:
        pool.shutdown(cancel_futures=True)
    return found
