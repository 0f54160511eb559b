# SPDX-License-Identifier: Apache-2.0
"""The tool fp8mac as its tests run it."""

import subprocess

import numpy as np
import pytest

COMMANDS = ["show", "table", "cast", "dot", "gemm", "rows", "cycles", "probe", "presets", "formats"]


class Tool:
    def __init__(self, path, bench):
        self.path, self.bench = path, bench

    def run(self, *arguments, stdin=b""):
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run([self.path, *map(str, arguments)], input=stdin, capture_output=True)

    def output(self, name, want, *arguments, stdin=b"", err=""):
        done = self.run(*arguments, stdin=stdin)
        got = (done.returncode, done.stdout.decode(), done.stderr.decode())
        self.bench.check(name, got, (0, want, err), f"fp8mac {' '.join(map(str, arguments))}")

    def refused(self, sentence, *arguments, stdin=b"", status=2):
        """One line on standard error that contains `sentence`, nothing on standard output."""
        done = self.run(*arguments, stdin=stdin)
        text = done.stderr.decode(errors="replace")
        got = (
            done.returncode,
            done.stdout,
            text.count("\n"),
            text.startswith("fp8mac"),
            sentence in text,
        )
        self.bench.check(
            "refusals: status, one sentence, no output",
            got,
            (status, b"", 1, True, True),
            f"fp8mac {' '.join(map(str, arguments))[:80]} said {text.strip()!r}, wanted {sentence!r}",
        )

    def rows(self, *arguments, stdin=b""):
        """What is printed, as a matrix."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])


@pytest.fixture
def tool(bench, build):
    """The one with the sanitizers."""
    return Tool((build / "model-san" / "fp8mac").resolve(), bench)
