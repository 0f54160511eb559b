# SPDX-License-Identifier: Apache-2.0
"""Runs tasks in parallel, prints the progress, and continues after a task that fails."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from .errors import FlowError

T = TypeVar("T")


@dataclass(frozen=True)
class Task(Generic[T]):
    name: str
    cost: float  # roughly in proportion to its time; tasks of the highest cost start first
    work: Callable[[], T]
    summary: Callable[[T], str]  # printed when it is done


class Progress:
    """Prints a line for each finished task, with an estimate of the time that is left, and on a terminal a changing line
    with the running ones."""

    def __init__(self, costs: dict[str, float]):
        self.costs = costs
        self.begun = time.monotonic()
        self.done = 0
        self.done_cost = 0.0
        self.running: dict[str, float] = {}
        self.live = sys.stdout.isatty()
        self.lock = threading.Lock()

    def start(self, name: str) -> None:
        with self.lock:
            self.running[name] = time.monotonic()

    def finish(self, name: str, text: str) -> None:
        with self.lock:
            self.done += 1
            self.done_cost += self.costs[name]
            seconds = time.monotonic() - self.running.pop(name, time.monotonic())
            self._clear()
            print(
                f"  SYNTH     [{self.done}/{len(self.costs)}{self._left()}] {name}: {text} ({seconds:.0f} s)",
                flush=True,
            )

    def _left(self) -> str:
        """The time that the other tasks will take, if time goes with cost."""
        other = sum(self.costs.values()) - self.done_cost
        if not (other and self.done_cost):
            return ""
        seconds = (time.monotonic() - self.begun) * other / self.done_cost
        return (
            f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", {seconds:.0f} s left"
        )

    def show(self) -> None:
        if self.live:
            with self.lock:
                now = time.monotonic()
                names = ", ".join(
                    f"{name} {now - start:.0f} s" for name, start in self.running.items()
                )
                self._clear()
                print(f"  ...       {names}"[:118], end="", flush=True)

    def _clear(self) -> None:
        if self.live:
            print("\r\033[K", end="")


def run_all(tasks: list[Task[T]], jobs: int) -> tuple[dict[str, T], dict[str, FlowError]]:
    """Results and failures by the tasks' names. After an interrupt running tools end and no others start."""
    progress = Progress({task.name: task.cost for task in tasks})
    results: dict[str, T] = {}
    failures: dict[str, FlowError] = {}

    def work(task: Task[T]) -> None:
        progress.start(task.name)
        try:
            results[task.name] = task.work()
            progress.finish(task.name, task.summary(results[task.name]))
        except FlowError as error:
            failures[task.name] = error
            progress.finish(task.name, f"FAILED: {error}")

    pool = ThreadPoolExecutor(max_workers=jobs)
    pending: set[Future[None]] = {
        pool.submit(work, task) for task in sorted(tasks, key=lambda task: -task.cost)
    }
    try:
        while pending:
            finished, pending = wait(pending, timeout=1, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
            progress.show()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return results, failures
