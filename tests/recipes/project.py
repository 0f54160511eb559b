# SPDX-License-Identifier: Apache-2.0
"""A copy of the project in which recipes of CONTRIBUTING.md are followed.

Sources, and what is built already, are copied with their times, so that make builds only what a recipe changes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

KEPT = (
    "env",
    "catalogue",
    "regs",
    "model",
    "firmware/host",
    "firmware/check",
)  # of the build folder
HIDDEN = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FP8MAC_MAKE")


class Wrong(Exception):
    """A recipe does not fit the project."""


@dataclass
class Recipe:
    """A file NAME.toml: the section of the page, the edits, and what is built and run."""

    name: str
    section: str
    edits: list[dict] = field(default_factory=list)
    copies: list[dict] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    builds: list[str] = field(default_factory=list)
    long_builds: list[str] = field(default_factory=list)  # of `make test-long`, with long checks
    checks: list[dict] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Recipe:
        known = tomllib.loads(path.read_text())
        return cls(path.stem, known.pop("section"), **known)


def edited(text: str, edit: dict) -> str:
    """With `text` behind the line that begins with `after` or before that of `before`, or in the place of `replace`."""
    if "replace" in edit:
        place, count = edit["replace"], text.count(edit["replace"])
        if count != 1:
            raise Wrong(f"{edit['file']} has '{place}' {count} times, not once")
        return text.replace(place, edit["text"])
    if "append" in edit:
        return text + edit["append"]
    start = edit.get("after", edit.get("before"))
    lines = text.splitlines(keepends=True)
    found = [n for n, line in enumerate(lines) if line.startswith(start)]
    if len(found) != 1:
        raise Wrong(f"{edit['file']} has {len(found)} lines that begin with '{start}', not one")
    at = found[0] + ("after" in edit)
    return "".join([*lines[:at], edit["text"], *lines[at:]])


class Project:
    """The copy."""

    def __init__(self, folder: Path, build: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.folder = folder.absolute()
        self.answers: dict[str, subprocess.CompletedProcess[str]] = {}
        self.package = str((build / "examples/package").absolute())
        listed = subprocess.run(
            ["git", "ls-files", "-z"], capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            source, target = Path(name), folder / name
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        for name in KEPT:
            if (build / name).is_dir():
                shutil.copytree(build / name, folder / "build" / name, symlinks=True)
        (folder / "build/venv").symlink_to((build / "venv").resolve())

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def follow(self, recipe: Recipe) -> set[str]:
        """Makes the recipe's edits; returns the files that are new or changed."""
        before = self.state()
        for copy in recipe.copies:
            for source in sorted((self.folder / copy["from"]).rglob("*")):
                if source.is_file():
                    text = source.read_text()
                    name = str(source.relative_to(self.folder)).replace(copy["from"], copy["to"], 1)
                    for old, new in copy.get("names", {}).items():
                        text, name = text.replace(old, new), name.replace(old, new)
                    self.write(name, text)
        for edit in recipe.edits:
            path = self.folder / edit["file"]
            self.write(edit["file"], edited(path.read_text() if path.exists() else "", edit))
        for command in recipe.commands:
            done = self.run(command)
            if done.returncode != 0:
                raise Wrong(f"{command}: {done.stdout}{done.stderr}")
        after = self.state()
        return {
            name for name in after.keys() | before.keys() if after.get(name) != before.get(name)
        }

    def state(self) -> dict[str, bytes]:
        """Each file outside build/"""
        files = {}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name not in ("build", "__pycache__")]
            for name in names:
                path = Path(folder, name)
                files[str(path.relative_to(self.folder))] = path.read_bytes()
        return files

    def answer(self, command: str) -> subprocess.CompletedProcess[str]:
        """Of a command that several recipes have, once"""
        if command not in self.answers:
            self.answers[command] = self.run(command)
        return self.answers[command]

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        env["PACKAGE"] = self.package
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )


def named_files(page: str, section: str) -> list[str]:
    """The files that the section's paragraph `Files: ...` names."""
    parts = re.split(r"^(## .*)$", page, flags=re.M)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    title, _, sub = section.partition(": ")
    if f"## {title}" not in bodies:
        raise Wrong(f"CONTRIBUTING.md has no section '{title}'")
    word = f"Files of {sub}: " if sub else "Files: "
    found = re.findall(
        rf"^(?:\d\. )?{re.escape(word)}(.*?)(?:\n\n|\Z)", bodies[f"## {title}"], re.M | re.S
    )
    if len(found) != 1:
        raise Wrong(f"'{title}' has {len(found)} paragraphs that begin with '{word}', not one")
    return re.findall(r"`([^`\s]+/[^`\s]+)`", found[0])
