# SPDX-License-Identifier: Apache-2.0
"""The command line of fp8mac plan."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from . import page, sweep
from .area import Areas
from .choose import choices
from .configuration import Configuration
from .errors import PlanError
from .network import Network, read
from .run import Store, ask, run

USAGE = "fp8mac plan NETWORK.csv... --sweep SWEEP.toml -o FOLDER"
EPILOG = """Each network is a CSV file of layers, as `fp8mac cycles` takes it. FOLDER gets
results.csv with every figure, plan.html with plots, and runs.jsonl, with which a plan
that was broken off goes on.

  [sweep]                every value of a list with every one of the others
  rows = [2, 4, 8]
  lanes = [8, 16]
  macs = [64, 512]       optional: the least and the most products a cycle
  impossible = "skip"    optional: leave out what the RTL refuses; else it ends the plan

  [[configuration]]      one more
  element = "block64"

Parameters and their defaults:
"""


def parser() -> argparse.ArgumentParser:
    usual = Configuration()
    keys = "".join(f"  {key} = {getattr(usual, key)!r}\n" for key in sweep.KEYS)
    made = argparse.ArgumentParser(
        prog="fp8mac plan",
        usage=USAGE,
        description="Crosses layers of networks with configurations of the accelerator: cycles, area, and the front between them.",
        epilog=EPILOG + keys,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("networks", nargs="+", type=Path, metavar="NETWORK.csv")
    made.add_argument("--sweep", type=Path, required=True, metavar="SWEEP.toml")
    made.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    made.add_argument(
        "--tool", type=Path, help="fp8mac; the default is the one that calls, or that PATH has"
    )
    return made


def tool_of(given: Path | None) -> Path:
    name = given or os.environ.get("FP8MAC_TOOL") or shutil.which("fp8mac")
    if name is None or not Path(name).is_file():
        raise PlanError(f"the tool {name or 'fp8mac'} is not there; --tool names it")
    return Path(name)


def named(networks: list[Path], tool: Path) -> dict[str, Network]:
    """By the names of their files, which `fp8mac cycles` judges"""
    found: dict[str, Network] = {}
    for path in networks:
        if not path.is_file():
            raise PlanError(f"{path} is no file; a CSV file of layers is expected")
        if path.stem in found:
            first = found[path.stem].path
            raise PlanError(f"two networks have the name {path.stem}: {first} and {path}")
        ask(tool, Configuration(), str(path))
        found[path.stem] = read(path)
    return found


def plan(options: argparse.Namespace) -> None:
    if options.jobs < 1:
        raise PlanError(f"--jobs is {options.jobs}; at least 1 is expected")
    tool = tool_of(options.tool)
    wanted, areas = sweep.read(options.sweep), Areas.shipped()
    networks = named(options.networks, tool)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlanError(f"the folder {options.output} cannot be made ({error.strerror})") from None
    store = Store(options.output / "runs.jsonl", tool)
    found = run(tool, wanted.configurations, networks, store, options.jobs, wanted.skips)
    if not found.totals:
        raise PlanError(f"{options.sweep}: no configuration is possible")
    names = list(networks)
    every = choices(found, areas, names)
    ours = next((one for one in every if one.its == Configuration()), None)
    (options.output / "results.csv").write_text(page.results_csv(found, areas, names))
    made = page.Plan(names, every, areas, ours)
    if every:
        (options.output / "plan.html").write_text(page.html(made, len(found.skipped)))
    say(options.output, len({its for its, _ in found.totals}), len(every), found.skipped)


def say(folder: Path, ran: int, with_area: int, skipped: dict[Configuration, str]) -> None:
    print(f"{ran} configurations: {folder / 'results.csv'}")
    if skipped:
        print(f"{len(skipped)} are not possible, for instance {next(iter(skipped.values()))}")
    if with_area < ran:
        print(
            f"{ran - with_area} have no known area, because no accelerator with their elements was synthesised"
        )
    if with_area:
        print(f"plots: {folder / 'plan.html'}")


def main() -> int:
    try:
        plan(parser().parse_args())
    except PlanError as error:
        print(f"fp8mac plan: {error}", file=sys.stderr)
        return 2
    return 0
