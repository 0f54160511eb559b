# SPDX-License-Identifier: Apache-2.0
"""`make accept-sizes`: bytes of programs on the chip, and what the core takes for runs that are too short for a page, as a
result file: sizes.json, beside this file.

    {"compiler": NAME, "rows": {COMMAND: {"code", "data", "stack", "image_cycles"}}}

Code has the constants, data the zeroed data; the stack is what the run has used. `image_cycles` stands only where the program
prints it. All depend on the compiler. The test system-footprint measures them again: none may be worse by more than 1 %.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from tools.accept import expectations
from tools.accept.expectations import ExpectationError, Kind, Row

from .programs import IMAGE, Command, ProgramError, match
from .results import compiler_version

COMMITTED = Path("sim/bench/sizes.json")
JUDGED = dict.fromkeys(("code", "data", "stack", "image_cycles"), 1)
KIND = Kind("sizes", COMMITTED, JUDGED)
# Each runs long enough to use all of its stack. The networks run two batches, of which the second has the plans of the first.
COMMANDS = tuple(
    Command(f"make run {options}")
    for options in (
        "APP=gemm M=33 N=20 K=70 SCALE=vector BIAS=1",
        "IMAGES=8",
        "NET=cnn IMAGES=4 BATCH=2",
        "NET=transformer IMAGES=2 BATCH=1",
        "APP=convolution",
        "APP=layers FAMILY=pooling",
        "APP=vad FRAMES=2",
        "APP=recipes STEPS=1 DRIFT=steady RECIPE=mx",
    )
)
SIZES = re.compile(r"^ *(\d+)\s+(\d+)\s+(\d+)\s", re.M)  # text, data, bss
STACK = re.compile(r"^fp8mac-sim: (\d+) of \d+ bytes of stack were used$", re.M)


def printed(*command: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        raise ProgramError(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def row(sim: Path, size: str, program: Path, arguments: list[str]) -> Row:
    text, data, zeroed = map(int, match(SIZES, printed(size, str(program))).groups())
    said = printed(str(sim), "--heartbeat", "0", str(program), *arguments)
    found = {"code": text, "data": data + zeroed, "stack": int(match(STACK, said)[1])}
    image = IMAGE.search(said)
    return found | ({"image_cycles": int(image[1])} if image else {})


def measured(sim: Path, size: str, programs: Path) -> dict[str, Row]:
    return {
        one.text: row(sim, size, programs / f"{one.app}.elf", one.arguments) for one in COMMANDS
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--sim", required=True, type=Path, help="a simulator of the default chip")
    add("--size", required=True, help="the cross compiler's program `size`")
    add("--programs", required=True, type=Path, help="the chip's programs")
    add("--compiler", required=True, help="their compiler")
    add("--reason", default="", help="why a loss is accepted")
    options = parser.parse_args()
    try:
        rows = measured(options.sim, options.size, options.programs)
        head = {"compiler": compiler_version(options.compiler)}
        return expectations.take(KIND, rows, options.reason, head)
    except (ExpectationError, ProgramError, subprocess.SubprocessError, OSError) as error:
        print(f"{KIND.command}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
