# SPDX-License-Identifier: Apache-2.0
"""Every function that the public headers declare is exported, and test_environment.c calls it; nothing else is exported."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from checks import Checks


def declared() -> set[str]:
    """Functions that the headers declare: names before a parenthesis at the start of a declaration. Those that the headers
    define are inline and not exported."""
    names: set[str] = set()
    for header in Path("model/include/fp8mac").glob("*.h"):
        code = re.sub(r"//[^\n]*|^ *#.*(?:\\\n.*)*", "", header.read_text(), flags=re.M)
        names |= set(re.findall(r"^(?!static inline )[a-z][\w *]*?\b(fp8mac_\w+)\(", code, re.M))
    return names


def test_exported(bench: Checks, build: Path) -> None:
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(build / "model/libfp8mac.so")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = {line.split()[2] for line in listed.splitlines()}
    names = declared()
    bench.check("the headers declare functions", len(names) > 80, True, len(names))
    for name in sorted(names | exported):
        bench.check("exported and not declared", name in names, True, name)
        bench.check("declared and not exported", name in exported, True, name)


def test_called(bench: Checks) -> None:
    sources = [Path("tests/model/test_environment.c"), *Path("tests/model").glob("environment_*.h")]
    called = {name for s in sources for name in re.findall(r"\b(fp8mac_\w+)\(", s.read_text())}
    for name in sorted(declared()):
        bench.check("called by test_environment.c", name in called, True, name)
