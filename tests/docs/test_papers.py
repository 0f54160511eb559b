# SPDX-License-Identifier: Apache-2.0
"""docs/FIGURES.md and its plots are what the scripts make of the results, and the model computes those results.

    python -m pytest -c tests/pytest.ini tests/docs/test_papers.py --build BUILD [--all]

BUILD has the package fp8mac in examples/package. Without --all, rows that take seconds are computed again. With it, all are.
Where the model decides, they must be equal to the digits that the results keep. The networks compute in float32 between
their matrix products, and another processor may round there in another way. So their rows may differ by RIGHT answers and
DECIBELS, where the SQNR is good enough to be stable.
"""

import ast
import copy
import functools
import importlib
import math
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import Bench

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "examples" / "python" / "figures"
# The results of these come from the model alone.
EXACT = ("sqnr", "accumulation", "gradient_scaling", "gpu_generations")
NETWORKS = ("post_training", "scaling_bias", "cfloat8")
NAMES = EXACT + NETWORKS
# What the quick test computes again.
QUICK = {
    "sqnr": {},
    "accumulation": {"lengths": (16, 1024, 4096)},
    "gradient_scaling": {"ranks": (1, 8, 16)},
    "gpu_generations": {"lengths": (32, 128, 4096)},
    "post_training": {"networks": ("perceptron", "cnn")},
    "scaling_bias": {"networks": ("perceptron", "transformer"), "biases": (-8, 0, 8)},
    "cfloat8": {"networks": ("perceptron", "cnn"), "biases": (0, 1, 7, 31, 63)},
}
RIGHT, DECIBELS, STABLE = 4, 1.0, 10.0  # answers; dB; dB from which the SQNR is compared
# Published numbers, typed a second time. Micikevicius et al., arXiv 2209.05433, table 5.
NVIDIA = {
    "BERT Base": (88.19, 76.89, 88.09),
    "BERT Large": (90.87, 89.65, 90.94),
    "GPT3 126M": (19.01, 28.37, 19.43),
    "GPT3 1.3B": (10.19, 12.74, 10.29),
    "GPT3 6.7B": (8.51, 10.29, 8.41),
}


@pytest.fixture(scope="module")
def figure(build: Path):
    """The figures' modules, with the package as make builds it."""
    sys.path[:0] = [str(FIGURES), str((build / "examples" / "package").resolve())]
    return functools.cache(importlib.import_module)


@pytest.fixture
def results(figure) -> dict[str, list[dict]]:
    return {name: figure("common").load(name) for name in NAMES}


def keys_of(module: ModuleType, row: dict) -> tuple:
    return tuple(row[key] for key in module.KEYS)


def same(name: str, key: str, old: dict, new: dict) -> bool:
    if name in EXACT:
        return key in old and key in new and old[key] == new[key]
    if key == "right":
        return abs(old[key] - new[key]) <= RIGHT
    if key == "accuracy":
        return abs(old[key] - new[key]) <= RIGHT / old["of"]
    if key == "kept":  # of an accuracy that moves, too
        return abs(old[key] - new[key]) <= 2 * RIGHT / old["of"]
    if key == "sqnr_db":
        if key not in old or key not in new:
            return key not in old and key not in new
        return abs(old[key] - new[key]) <= DECIBELS or max(old[key], new[key]) < STABLE
    return old.get(key) == new.get(key)


def differences(
    name: str, module: ModuleType, committed: list[dict], found: list[dict]
) -> list[str]:
    """One sentence for each number that differs."""
    of = {keys_of(module, row): row for row in committed}
    wrong = []
    for new in found:
        place = keys_of(module, new)
        if place not in of:
            wrong.append(f"{name} {place}: the results do not have this row")
            continue
        old = of[place]
        wrong += [
            f"{name} {place}: {key} is {new.get(key)}, the results have {old.get(key)}"
            for key in {**old, **new}
            if not same(name, key, old, new)
        ]
    return wrong


def moved(rows: list[dict], index: int, key: str) -> list[dict]:
    other = copy.deepcopy(rows)
    old = other[index][key]
    other[index][key] = old + RIGHT + 1 if isinstance(old, int) else old + 0.01 * (abs(old) + 1)
    return other


# ---- the page ---------------------------------------------------------------------------------------------------


def test_page(bench: Bench, figure) -> None:
    page, common = figure("page"), figure("common")
    bench.check("the page has every figure", set(page.FIGURES) == set(NAMES))
    text = page.filled(page.Page(common.RESULTS).text(page.TEMPLATE.read_text()))
    bench.check("docs/FIGURES.md is not what `make figures` writes", text == page.PAGE.read_text())
    typed = [
        line
        for line in page.TEMPLATE.read_text().splitlines()
        if line.startswith("|") and not line.startswith(("| figure", "|---", "| ["))
    ]
    bench.check(f"a table is typed: {typed}", not typed)


def test_plots(bench: Bench, figure, results) -> None:
    common = figure("common")
    for name in NAMES:
        plot = common.svg(figure(name).draw(results[name]))
        committed = (common.PLOTS / f"{name}.svg").read_text()
        bench.check(f"docs/figures/{name}.svg is not the plot of the results", plot == committed)


def test_every_figure(bench: Bench, figure, results, tmp_path: Path) -> None:
    """A number of each figure that changes, changes the page."""
    page, common = figure("page"), figure("common")
    before = page.PAGE.read_text()
    shown = {
        "sqnr": "bits",
        "accumulation": "mean_error",
        "gradient_scaling": "underflow",
        "gpu_generations": "rms_error",
        "post_training": "right",
        "scaling_bias": "kept",
        "cfloat8": "low",
    }
    for changed in NAMES:
        for name in NAMES:
            common.save(name, results[name], tmp_path)
        rows = copy.deepcopy(results[changed])
        for row in rows:
            row[shown[changed]] += 1
        common.save(changed, rows, tmp_path)
        text = page.filled(page.Page(tmp_path).text(page.TEMPLATE.read_text()))
        bench.check(f"{changed}: {shown[changed]} is not on the page", text != before)


def test_commands(bench: Bench, figure) -> None:
    """make knows every command of the page, and there is one for each figure."""
    text = figure("page").PAGE.read_text()
    commands = re.findall(r"^    (make .*)$", text, re.M)
    wanted = {"make figures", *(f"make figures FIGURE={name}" for name in NAMES)}
    bench.check(f"the page's commands are {commands}", set(commands) == wanted)
    for command in commands:
        run = subprocess.run(
            [*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True
        )
        bench.check(f"`{command}` is refused: {run.stderr[-300:]}", run.returncode == 0)
    wrong = ["make", "--dry-run", "figures", "FIGURE=none"]
    run = subprocess.run(wrong, cwd=ROOT, capture_output=True, text=True)
    bench.check("another figure is refused", run.returncode != 0 and "sqnr" in run.stderr)


def test_published(bench: Bench, figure, results) -> None:
    """The published numbers are those that another test has, and the model agrees with them."""
    source = (ROOT / "tests" / "model" / "test_effects.py").read_text()
    bits = ast.literal_eval(re.search(r"^BITS = (\{.*?^\})", source, re.M | re.S)[1])
    bench.check("sqnr: published bits", bits == figure("sqnr").PUBLISHED)
    for row in results["sqnr"]:
        off = abs(row["bits"] - row["published_bits"])
        bench.check(f"sqnr: {row} is within 0.05 dB", 20 * math.log10(2) * off <= 0.05)
    found = {name: numbers for (name, _), numbers in figure("page").NVIDIA.items()}
    bench.check("post_training: published table", found == NVIDIA)
    for row in results["cfloat8"]:
        published = figure("cfloat8").PUBLISHED[row["format"]].get(row["bias"])
        if published is not None:
            bench.check(f"cfloat8: binades of {row}", (row["low"], row["high"]) == published)
    (ones,) = (
        row
        for row in results["accumulation"]
        if (row["data"], row["length"]) == ("ones", 65536)
        and row["accumulator"] == "1-6-9, nearest even"
    )
    bench.check("accumulation: 1-6-9 stops at 1024 ones", ones["least"] == ones["most"] == 1024)


# ---- the results ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_repeated(bench: Bench, figure, results, every: bool, name: str) -> None:
    """The model computes the rows of the results. A number that is a little larger is found."""
    module = figure(name)
    found = figure("common").clean(module.measure(**({} if every else QUICK[name])))
    print(f"{name}: {len(found)} of {len(results[name])} rows")
    bench.check("there are rows to repeat", bool(found))
    if every:
        bench.check("every row is repeated", len(found) == len(results[name]))
    wrong = differences(name, module, results[name], found)
    bench.check("\n".join(wrong[:20]), not wrong)
    for index in (0, len(found) - 1):
        for key in set(found[index]) - set(module.KEYS):
            if isinstance(found[index][key], int | float) and (key != "sqnr_db" or name in EXACT):
                seeded = moved(found, index, key)
                tolerated = name in NETWORKS and key in ("accuracy", "kept")
                bench.check(
                    f"{name}: a seeded fault of {key} is not found",
                    tolerated or differences(name, module, results[name], seeded),
                )
