# SPDX-License-Identifier: Apache-2.0
"""What `make rtl-release` wrote is plain Verilog, which four tools accept, and it has what its header says. Wrong
requests get one sentence.

python -m pytest -c tests/pytest.ini tests/rtl/test_release.py --build BUILD --released FILE

FILE is a released fp8mac_accel.v with its modules.json beside it. With --functions NAME... it is the minimal accelerator,
without these.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from synth.flow import yosys
from synth.flow.errors import FlowError
from synth.study import memories, release
from tests.conftest import Bench

TOP = "fp8mac_accel"
# Words of SystemVerilog that Verilog-2005 does not have
MODERN = r"\b(logic|import|package|typedef|struct|enum|always_ff|always_comb|always_latch|assert|assume|cover|property|bind)\b"


@pytest.fixture
def path(request: pytest.FixtureRequest) -> Path:
    return request.config.getoption("--released")


def small(path: Path) -> None:
    """Leaves out what does not depend on the parameters, but where it costs least."""
    if "2_2_4" not in str(path):
        pytest.skip("the small accelerator's test has it")


def accepted(bench: Bench, name: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    bench.check(f"{name}: {done.stdout[-2000:]}{done.stderr[-2000:]}", done.returncode == 0)


def accepted_by_yosys(bench: Bench, folder: Path, name: str, read: str) -> None:
    """Yosys reads the file, finds every module, and no latch beside the clock gate's and no undriven net."""
    (folder / f"{name}.ys").write_text(
        f"{read}\nhierarchy -check -top {TOP}\nproc\nwrite_json {name}.json\n"
    )
    try:
        yosys.run(folder, name, (f"{name}.json",))
        bench.check(name, True)
    except FlowError as error:
        bench.check(f"{name}: {error}", False)
    (folder / f"{name}.json").unlink(missing_ok=True)


def test_tools(bench: Bench, path: Path) -> None:
    verilator = os.environ.get("VERILATOR", "verilator")
    accepted(
        bench,
        "Verilator",
        [verilator, "--lint-only", "--top-module", TOP, str(path)],
    )
    # A file of its own: Icarus removes its output after an error, and root could lose /dev/null.
    output = str(path.with_suffix(".vvp"))
    accepted(bench, "Icarus", ["iverilog", "-g2005", "-s", TOP, "-o", output, str(path)])
    accepted_by_yosys(bench, path.parent, "read_verilog", f"read_verilog -sv {path.name}")
    accepted_by_yosys(
        bench, path.parent, "read_slang", f"read_slang --threads 1 --top {TOP} {path.name}"
    )


def test_text(bench: Bench, path: Path) -> None:
    text = path.read_text()
    code = re.sub(r"//[^\n]*|\\\S+ ", "", text)
    bench.check(f"plain Verilog: {re.findall(MODERN, code)[:3]}", not re.search(MODERN, code))
    bench.check("no path of the machine", str(Path.cwd()) not in text)
    head = text.partition("\n\n")[0]
    own = Path("rtl/accel/fp8mac_accel.sv").read_text()
    ports = re.findall(r"^  (input|output) +logic +(?:\[[^\]]*\] +)?(\w+)[,\n]", own, re.M)
    top = re.search(rf"^module {TOP} .*?^endmodule", text, re.M | re.S)[0]
    found = re.findall(r"^  (input|output) (?:\[\d+:0\] )?(\w+);", top, re.M)
    bench.check("the ports of the sources, in their order", len(ports) > 40 and ports == found)
    data = json.loads((path.parent / "modules.json").read_text())
    for name, value in data["parameters"].items():
        bench.check(f"{name} in the header", re.search(rf"^//   {name} +{value}\b", head, re.M))
    for one in data["modules"]:
        bench.check(
            f"{one['module']} in the header",
            re.search(
                rf"^//   {one['module']} +{release.times(len(one['instances']))}$", head, re.M
            ),
        )
        bench.check(
            f"{one['module']} once", len(re.findall(rf"^module {one['module']} ", text, re.M)) == 1
        )
    arrays = re.findall(
        r"^module (\S+) [^;]*;(?:(?!^endmodule).)*?^  reg [^;]*\b(?:mem_q|word_q) \[\d+:0\];",
        text,
        re.M | re.S,
    )
    kept = {name for name in arrays if not name.startswith("fp8mac_fifo")}
    bench.check(
        f"every memory is a module that a chip replaces: {kept}",
        kept == {one["module"] for one in data["modules"] if one["words"]},
    )
    gates = [one for one in data["modules"] if not one["words"]]
    bench.check(
        "one clock gate", [one["source"] for one in gates] == ["rtl/leaf/fp8mac_clock_gate.sv"]
    )
    page = Path("docs/INTEGRATION.md").read_text()
    for gate in gates[0]["instances"]:
        place = gate.removeprefix(f"{TOP}.").rpartition(".")[0]
        bench.check(f"docs/INTEGRATION.md has the clock gate in {place}", f"`{place}`" in page)


def test_memories(bench: Bench, build: Path, path: Path) -> None:
    """The file has the memories that `make synth-memories` and docs/INTEGRATION.md list."""
    small(path)
    data = json.loads((path.parent / "modules.json").read_text())
    listed = Counter()
    for one in memories.memories(data["parameters"], build, path.parent / "memories"):
        listed[f"{one.module}_{one.words}x{one.width}"] += one.count
    released = {one["module"]: len(one["instances"]) for one in data["modules"] if one["words"]}
    bench.check(f"the memories: {listed} and {released}", dict(listed) == released)


def test_minimal(bench: Bench, request: pytest.FixtureRequest, path: Path) -> None:
    """The functions that can be left out are, and they have no memories."""
    functions = request.config.getoption("--functions")
    if not functions:
        pytest.skip("not the minimal accelerator")
    head = path.read_text().partition("\n\n")[0]
    bench.check(
        "its command has MINIMAL=1", re.search(r"^//   make rtl-release .*MINIMAL=1", head, re.M)
    )
    data = json.loads((path.parent / "modules.json").read_text())
    for name in functions:
        bench.check(f"{name} is 0", data["parameters"].get(name) == 0)
    kept = [place for one in data["modules"] if one["words"] for place in one["instances"]]
    for part in ("g_image", "g_mx", "g_c.", "g_x.", "gen_rows", "g_tables", "u_strips"):
        bench.check(f"no memory of {part}", kept and not any(part in place for place in kept))


def test_requests(bench: Bench, build: Path, path: Path) -> None:
    small(path)
    if "minimal" in str(path):
        pytest.skip("the accelerator with all functions has it")
    for config, sentence in (
        ("ROWS=2", "CONFIG=ROWS=2 is not possible: give ROWS=2 without CONFIG"),
        ("NONSENSE=1", "CONFIG: fp8mac_accel has no parameter NONSENSE"),
        ("TILES", "CONFIG: TILES is not NAME=VALUE"),
        ("TILES=7", "TILES=7 is not possible: it must be a power of two, 8 to 32768"),
    ):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = release.main(
                [
                    "--build",
                    str(build),
                    "--out",
                    str(path.parent),
                    "--name",
                    "wrong",
                    "--more",
                    config,
                ]
                + ["--config", "ROWS=2 COLS=2 LANES=4 ELEMENT=block"]
            )
        lines = said.getvalue().splitlines()
        bench.check(
            f"CONFIG={config}: {lines}",
            status == 2
            and len(lines) == 1
            and lines[0].startswith(f"make rtl-release: {sentence}"),
        )
