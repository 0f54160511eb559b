# SPDX-License-Identifier: Apache-2.0
"""Runs a command under limits of processor time, wall time, memory and the size of a file.

A mutant may loop, print without end or fill the memory. The command and all its children are one session, so that
nothing of it outlives a limit. The limits of a test start when the file `watched` appears: what make builds before that
has limits of its own.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
MEMORY = 8 << 30
FILE_BLOCKS = 2 << 20  # of 512 bytes: 1 GiB
GRACE = 5  # seconds from SIGTERM, which lets make remove what is half built, to SIGKILL
POLL = 0.5  # seconds between two looks at a command; the first ones are shorter


@dataclass(frozen=True)
class Seconds:
    """Of the processors and of the clock: what a test takes, or may take."""

    processor: float
    wall: float


@dataclass
class Outcome:
    status: int
    over: str = ""  # the limit that ended the command
    processor: float = 0.0  # seconds


class Stopped(Exception):
    """The campaign ends: the command was ended, too."""


def session(leader: int) -> list[tuple[int, float, int]]:
    """Process, processor seconds with those of ended children, and bytes in memory, of all of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == leader:
            seconds = sum(map(int, fields[11:15])) / TICKS
            found.append((int(entry.name), seconds, int(fields[21]) * PAGE))
    return found


def end_session(leader: int, wait: Callable[[], bool]) -> None:
    """Ends what remains of a session, and waits for its leader."""
    deadline = time.monotonic() + GRACE
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for process, _, _ in session(leader):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, sign)
        while time.monotonic() < deadline and (not wait() or session(leader)):
            time.sleep(POLL / 25)
        deadline += GRACE


class Running:
    """A command that runs, and the clock of its phases."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str], log: Path) -> None:
        shell = ["sh", "-c", f'ulimit -f {FILE_BLOCKS}; exec "$@"', "sh", *command]
        with log.open("w") as output:
            self.process = subprocess.Popen(
                shell,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.usage = None
        self.phase = (time.monotonic(), 0.0)  # when it began, and the processor seconds before it
        self.seconds, self.memory = 0.0, 0

    def ended(self) -> bool:
        if self.usage is None:
            process, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if process:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.usage = usage
        return self.usage is not None

    def measure(self) -> None:
        processes = session(self.process.pid)
        self.seconds = max(self.seconds, sum(seconds for _, seconds, _ in processes))
        self.memory = sum(size for _, _, size in processes)

    def begin_phase(self) -> None:
        self.phase = (time.monotonic(), self.seconds)

    def exceeded(self, limit: Seconds) -> str:
        if self.seconds - self.phase[1] > limit.processor:
            return f"{limit.processor:.0f} s of processor time"
        if time.monotonic() - self.phase[0] > limit.wall:
            return f"{limit.wall:.0f} s"
        return f"{MEMORY >> 30} GiB of memory" if self.memory > MEMORY else ""

    def outcome(self, over: str) -> Outcome:
        used = self.usage.ru_utime + self.usage.ru_stime if self.usage else 0.0
        status = self.process.returncode if self.usage else -signal.SIGKILL
        return Outcome(status, over, max(used, self.seconds))


def run(
    running: Running,
    watched: Path | None,
    build: Seconds,
    test: Seconds,
    stopped: Callable[[], bool],
) -> Outcome:
    """Waits for a command. Raises Stopped if the campaign ends before it."""
    limit, over, pause = build, "", POLL / 25
    while not running.ended() and not over:
        time.sleep(pause)
        pause = min(POLL, 1.2 * pause)
        running.measure()
        if limit is build and watched is not None and watched.exists():
            running.begin_phase()
            limit = test
        over = running.exceeded(limit)
        if stopped():
            end_session(running.process.pid, running.ended)
            raise Stopped
    end_session(running.process.pid, running.ended)
    return running.outcome(over)
