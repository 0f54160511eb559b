# SPDX-License-Identifier: Apache-2.0
"""A copy of the project in which one source at a time is changed, and make in it."""

import hashlib
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from draw import Mutant
from limits import Outcome, Running, Seconds, run
from table import TableError

# What no copy needs: what is built, and version control.
LEFT_OUT = {"build", ".git", "__pycache__"}
# make's own variables, and those of `make mutants`: a test must not see them.
HIDDEN = {"MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "MAKE_TERMOUT", "MAKE_TERMERR", "FP8MAC_MAKE",
          "MUTANTS", "SEED", "JOBS", "REPORT", "SURVIVORS", "TESTS_OF"}  # fmt: skip
COMPILERS = ("gcc", "g++", "verilator", "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-g++")
BUILD_LIMIT = Seconds(3600, 7200)


def sources(root: Path) -> Iterator[Path]:
    """The files of the project, relative to it."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(files):
            yield (Path(folder) / name).relative_to(root)


def digest(root: Path) -> str:
    """One word for all sources: tests that pass on them were tried with these."""
    total = hashlib.sha256()
    for path in sources(root):
        total.update(f"{path}\0".encode() + hashlib.sha256((root / path).read_bytes()).digest())
    return total.hexdigest()[:16]


def code(path: Path) -> bytes:
    """What an object file holds beside its debug information, which has columns of the source."""
    data = path.read_bytes()
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    offset = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count, names = struct.unpack_from(order + "HHH", data, 58 if wide else 46)
    head = order + ("IIQQQQ" if wide else "IIIIII")  # name, type, flags, address, offset, size
    sections = [struct.unpack_from(head, data, offset + n * size) for n in range(count)]
    base = sections[names][4]
    total = hashlib.sha256()
    for name, kind, _, _, start, length in sections:
        title = data[base + name : data.index(b"\0", base + name)]
        if b".debug" not in title and title != b".shstrtab":
            total.update(title + (b"" if kind == 8 else data[start : start + length]))
    return total.digest()


class Tree:
    """One copy. A mark says that a source is changed: a copy whose run was killed is made anew."""

    def __init__(self, root: Path, folder: Path, jobs: int, stopped: Callable[[], bool]) -> None:
        self.root, self.folder, self.jobs, self.stopped = root, folder.absolute(), jobs, stopped
        self.mark = self.folder / "build/changed"
        self.log = self.folder / "build/mutant.log"
        self.tests = self.folder / "build/test"
        self.processor = 0.0  # seconds of all commands
        self.changed: Mutant | None = None
        if self.mark.exists():
            shutil.rmtree(self.folder)
        self.copy()
        self.env = self.environment()

    def copy(self) -> None:
        """Files that are equal keep their times, so that make rebuilds only what changed."""
        wanted = set(sources(self.root))
        for path in set(sources(self.folder)) - wanted:
            (self.folder / path).unlink()
        for path in sorted(wanted):
            source, target = self.root / path, self.folder / path
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        self.tests.mkdir(parents=True, exist_ok=True)
        self.copy_environment()

    def copy_environment(self) -> None:
        """The installed tools. A copied fragment is newer than what it depends on, so set-up is skipped."""
        environment, tools = self.root / "build/env", self.root / "build/venv"
        if environment.is_dir():
            shutil.copytree(
                environment,
                self.folder / "build/env",
                dirs_exist_ok=True,
                copy_function=shutil.copy,
            )
        if tools.exists() and not (self.folder / "build/venv").exists():
            (self.folder / "build/venv").symlink_to(tools.resolve())

    def environment(self) -> dict[str, str]:
        """Warnings are no errors here: a mutant that leaves a signal without use is a mutant all the same."""
        own = self.folder / "build/compilers"
        own.mkdir(exist_ok=True)
        for name in COMPILERS:
            shutil.copy(Path(__file__).with_name("tolerant.sh"), own / name)
        env = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        path = env["PATH"]
        return env | {
            "PATH": f"{own}:{path}",
            "COMPILERS_PATH": path,
            "FORMAL_OPTIONS": "--only proof,cover",
        }

    # ---- the changed source ----------------------------------------------------------------------

    def change(self, mutant: Mutant) -> None:
        self.mark.write_text(mutant.name())
        self.write(mutant.file, mutant.text())
        self.changed = mutant

    def restore(self) -> None:
        if self.changed is not None:
            self.write(self.changed.file, self.changed.original)
            self.changed = None
        self.mark.unlink(missing_ok=True)

    def write(self, file: str, text: str) -> None:
        """A source must be newer than what make has just built, and the kernel counts times in steps of 4 ms."""
        time.sleep(0.02)
        (self.folder / file).write_text(text)

    # ---- make ------------------------------------------------------------------------------------

    def make(
        self, *goals: str, watched: Path | None = None, limit: Seconds = BUILD_LIMIT
    ) -> Outcome:
        command = ["make", "--no-print-directory", f"-j{self.jobs}", *goals]
        running = Running(command, self.folder, self.env, self.log)
        outcome = run(running, watched, BUILD_LIMIT, limit, self.stopped)
        self.processor += outcome.processor
        return outcome

    def names(self, goal: str) -> list[str]:
        """What a goal of make prints."""
        command = ["make", "-s", "--no-print-directory", goal]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise TableError(f"make {goal} failed in {self.folder}:\n{done.stderr}")
        return done.stdout.split()

    def code(self, targets: list[str]) -> list[bytes]:
        """The code of the object files, or nothing if not all targets are object files."""
        paths = [self.folder / target for target in targets]
        objects = all(path.suffix == ".o" and path.exists() for path in paths)
        return [code(path) for path in paths] if objects else []

    def times(self, test: str) -> Seconds:
        """Processor seconds and seconds of the last run of a test, as run_test.sh notes them."""
        path = self.tests / "times"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [line.split() for line in lines if line.split()[0] == test]
        return Seconds(float(found[-1][2]), float(found[-1][1])) if found else Seconds(0, 0)

    def tail(self, lines: int = 12) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
