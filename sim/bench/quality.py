# SPDX-License-Identifier: Apache-2.0
"""`make accept-quality`: what formats cost networks that are written by hand, as a result file: quality.json, beside this file.

    {"rows": {NETWORK: {"of": tests, FORMAT_right: answers, FORMAT_perplexity: value}}}

Each row is what commands print. The test digits-host compares the digits, firmware-vad the speech, tokens-model the text,
and example_fashion_all the clothes.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from synth.study.tables import table
from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind, Row

COMMITTED = Path("sim/bench/quality.json")
FORMATS = {"float32": "float32", "fp8": "FP8", "int8": "INT8", "mx": "MX"}
JUDGED = {f"{one}_perplexity": 1 for one in FORMATS} | {f"{one}_right": -1 for one in FORMATS}
KIND = Kind("quality", COMMITTED, JUDGED)
# Networks of the application digits, and the elements that they run on
DIGITS = {"perceptron": ("fp8", "int8"), "cnn": ("fp8",), "transformer": ("fp8",)}
ELEMENTS = {"fp8": "block_f19", "int8": "int8"}
DIGITS_LINE = re.compile(r"^digits: images=(\d+) .*\bfloat32_right=(\d+) right=(\d+)", re.M)
VAD_LINE = re.compile(r"^vad: decisions=(\d+) equal=(\d+) ", re.M)
PERPLEXITY = re.compile(r"^perplexity (\w+) +([\d.]+)$", re.M)
RIGHT = re.compile(r"^(\w+) +(\d+) of (\d+) right", re.M)


def printed(*command: str, **environment: str) -> str:
    settings = [f"{name}={value}" for name, value in environment.items()]
    done = subprocess.run(["env", *settings, *command], capture_output=True, text=True)
    if done.returncode != 0:
        raise ExpectationError(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def digits(program: Path) -> dict[str, Row]:
    """On the host, all held-out images"""
    rows = {}
    for net, formats in DIGITS.items():
        row: dict[str, int] = {}
        for one in formats:
            environment = {"FP8RT_ELEMENT": ELEMENTS[one]}
            text = printed(str(program), f"NET={net}", **environment)
            images, floats, right = map(int, DIGITS_LINE.search(text).groups())
            row |= {"of": images, "float32_right": floats, f"{one}_right": right}
        rows[f"digits, {net}"] = row
    return rows


def text(python: str) -> dict[str, Row]:
    found = PERPLEXITY.findall(printed(python, "-B", "firmware/apps/tokens/quantised.py"))
    return {"text": {f"{name.lower()}_perplexity": round(float(value), 2) for name, value in found}}


def speech(program: Path) -> dict[str, Row]:
    """On the host, all recordings: decisions that are those of float32"""
    decisions, equal = map(int, VAD_LINE.search(printed(str(program))).groups())
    return {"speech": {"of": decisions, "fp8_right": equal}}


def clothes(command: str) -> dict[str, Row]:
    """All images of the test, if Debian's package is there"""
    found = RIGHT.findall(printed("sh", "-c", command))
    right = {f"{name.lower()}_right": int(count) for name, count, _ in found}
    return {"clothes": {"of": int(found[0][2])} | right}


def load(path: Path = COMMITTED) -> dict[str, Row]:
    return expectations.read(KIND, path)["rows"]


def quality(rows: Mapping[str, Row]) -> str:
    """The table of all rows"""
    lines = []
    for name, row in rows.items():
        what = "right" if "float32_right" in row else "decisions as float32's"
        of = f"{what} of {row['of']:,}" if "of" in row else "perplexity of 8,192 tokens"
        cells = [
            f"{row[f'{one}_right']:,}"
            if f"{one}_right" in row
            else f"{row[f'{one}_perplexity']:.2f}"
            if f"{one}_perplexity" in row
            else "-"
            for one in FORMATS
        ]
        lines.append([name, of, *cells])
    return table(["network", "", *FORMATS.values()], lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--digits", required=True, type=Path, help="the host's program of the digits")
    add("--vad", required=True, type=Path, help="the host's voice detector")
    add("--python", default=sys.executable, help="the interpreter for the text")
    add("--clothes", required=True, help="the command for the clothes")
    add("--reason", default="", help="why a loss is accepted")
    options = parser.parse_args()
    try:
        rows = digits(options.digits) | speech(options.vad)
        rows |= text(options.python) | clothes(options.clothes)
        return expectations.take(KIND, rows, options.reason)
    except ExpectationError as error:
        print(f"{KIND.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
