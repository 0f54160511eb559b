# SPDX-License-Identifier: Apache-2.0
"""A cache of finished runs. The key is a hash of everything that a result depends on. Its folder exists only after the
run has succeeded."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from .errors import FlowError


def key_of(parts: dict[str, str]) -> str:
    """The key of a result: a hash of everything that it depends on."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


class Cache:
    """Finished runs are in FOLDER/cache, runs in progress in FOLDER/run and failed ones in FOLDER/failed."""

    def __init__(self, folder: Path):
        self.folder = folder / "cache"
        self.working = folder / "run"
        self.failed = folder / "failed"
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def holds(self, key: str) -> bool:
        return (self.folder / key).is_dir()

    def get(self, key: str, make: Callable[[Path], None]) -> tuple[Path, bool]:
        """The folder of `key`, and whether it was made now: make(folder) fills an empty one, or raises."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            done = self.folder / key
            if done.is_dir():
                return done, False
            return self._make(key, done, make), True

    def _make(self, key: str, done: Path, make: Callable[[Path], None]) -> Path:
        work = self.working / f"{key}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            make(work)
        except FlowError as error:
            kept = self.failed / key
            shutil.rmtree(kept, ignore_errors=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            work.rename(kept)
            if error.log is not None:
                error.log = kept / error.log.name
            raise
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        done.parent.mkdir(parents=True, exist_ok=True)
        try:
            work.rename(done)
        except OSError:  # another process was first, with the same result
            shutil.rmtree(work, ignore_errors=True)
        return done
