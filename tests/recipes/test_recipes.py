# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md, followed in a copy of the project.

Each NAME.toml has a recipe's edits, what is built of them, and what is then true. The files that the edits change are
those that the recipe names on the page: `Files: ...`. All recipes are followed in the same copy, one after the other, and
are built together. The copy is BUILD/recipes. With --long also the benches and lint of the RTL.

python -m pytest -c tests/pytest.ini tests/recipes/test_recipes.py --build BUILD [--long]
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from project import Project, Recipe, named_files

from tests.conftest import Bench

PAGE = Path("CONTRIBUTING.md")
RECIPES = [Recipe.read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))]


@pytest.fixture(scope="module")
def project(request: pytest.FixtureRequest) -> Project:
    build = request.config.getoption("--build")
    return Project(build / "recipes", build)


@pytest.fixture(scope="module")
def changed(project: Project) -> dict[str, set[str]]:
    """The files that each recipe changes."""
    return {recipe.name: project.follow(recipe) for recipe in RECIPES}


@pytest.fixture(scope="module")
def long(request: pytest.FixtureRequest) -> bool:
    return request.config.getoption("--long")


@pytest.fixture(scope="module")
def built(project: Project, changed: dict[str, set[str]], long: bool) -> str:
    """What make says, if it fails"""
    assert changed
    lists = [recipe.builds + (recipe.long_builds if long else []) for recipe in RECIPES]
    wanted = dict.fromkeys(target for targets in lists for target in targets)
    done = project.run(f"make -j2 CFLAGS='-O0 -Wno-sign-conversion' {' '.join(wanted)}")
    return "" if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_files(recipe: Recipe, changed: dict[str, set[str]], bench: Bench) -> None:
    named = named_files(PAGE.read_text(), recipe.section)
    bench.check(f"{recipe.section}: a file is named twice", len(named) == len(set(named)))
    for name in sorted(changed[recipe.name] - set(named)):
        bench.check(f"{recipe.section}: {PAGE} does not name {name}, which changes", False)
    for name in named:
        bench.check(f"{recipe.section}: {name} does not change", name in changed[recipe.name])


def test_build(built: str, bench: Bench) -> None:
    bench.check(f"the recipes build: {built}", built == "")


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_checks(recipe: Recipe, project: Project, built: str, long: bool, bench: Bench) -> None:
    assert built == "", "the recipes do not build"
    for check in recipe.checks:
        if check.get("long") and not long:
            continue
        done = project.answer(check["command"])
        text = done.stdout + done.stderr
        bench.check(
            f"{recipe.section}: {check['what']}: {text[-1000:]}",
            done.returncode == 0 and re.search(check["shows"], text) is not None,
        )


def test_every_recipe(bench: Bench) -> None:
    """Each section that names files has a recipe here."""
    titles = re.findall(r"^## (Add .*)$", PAGE.read_text(), re.M)
    followed = {recipe.section.partition(": ")[0] for recipe in RECIPES}
    bench.check("there are recipes", titles)
    for title in titles:
        bench.check(f"nothing follows '{title}'", title in followed)
