# SPDX-License-Identifier: Apache-2.0
"""The chip of a board on its way to an FPGA: enables in the place of clock gates, proved by Yosys, and what is refused; and
the report of what nextpnr reached.

python -m pytest -c tests/pytest.ini tests/synth/test_board.py --folder FOLDER
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from synth.board import enables, nextpnr_report
from synth.flow import yosys
from synth.flow.errors import FlowError

HERE = Path(__file__).resolve().parent
TOP = "fp8mac_board_gated"


def flat(folder: Path, gated: bool) -> str:
    """The design's text behind flattening, with its clock gate as a black box."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / f"{TOP}.sv", folder)
    shutil.copy("rtl/leaf/fp8mac_clock_gate.sv", folder)
    (folder / "front.ys").write_text(
        f"read_slang --threads 1 --top {TOP} -G GATED={int(gated)} --blackboxed-module fp8mac_clock_gate"
        f" {TOP}.sv fp8mac_clock_gate.sv\nhierarchy -top {TOP}\nproc\nflatten\nopt_clean\nwrite_rtlil front.il\n"
    )
    yosys.run(folder, "front", ("front.il",))
    return (folder / "front.il").read_text()


def equal(folder: Path, made: str, wanted: str) -> bool:
    """Whether both texts are the same machine from the same state, by induction."""
    (folder / "made.il").write_text(made)
    (folder / "wanted.il").write_text(wanted)
    (folder / "proof.ys").write_text(
        f"read_rtlil wanted.il\nhierarchy -top {TOP}\nmemory_map\nopt_clean\nrename {TOP} gold\ndesign -stash gold\n"
        f"read_rtlil made.il\nhierarchy -top {TOP}\nmemory_map\nopt_clean\nrename {TOP} gate\ndesign -stash gate\n"
        "design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n"
        "equiv_make gold gate equiv\nhierarchy -top equiv\nequiv_simple -undef\nequiv_induct -undef\n"
        "tee -o status.txt equiv_status -assert\n"
    )
    try:
        yosys.run(folder, "proof", ("status.txt",))
    except FlowError as error:
        assert "unproven" in str(error), error
        return False
    return "successfully proven" in (folder / "status.txt").read_text()


@pytest.fixture(scope="session")
def gated(folder: Path) -> str:
    return flat(folder / "gated", gated=True)


@pytest.fixture(scope="session")
def wanted(folder: Path) -> str:
    return flat(folder / "wanted", gated=False)


def test_gates_become_the_enables_that_they_stand_for(
    folder: Path, gated: str, wanted: str
) -> None:
    made, count = enables.with_enables(gated, TOP)
    assert count == 2
    assert "cell \\fp8mac_clock_gate" not in made
    assert equal(folder / "gated", made, wanted)


@pytest.mark.parametrize("fault", ["always", "never written"])
def test_the_proof_sees_a_wrong_enable(folder: Path, gated: str, wanted: str, fault: str) -> None:
    made, _ = enables.with_enables(gated, TOP)
    if fault == "always":
        start = made.index("cell $dffe")
        line = next(x for x in made[start:].splitlines() if x.startswith("    connect \\EN "))
        wrong = made[:start] + made[start:].replace(line, "    connect \\EN 1'1", 1)
    else:
        start = made.index("cell $mux \\gated_enable_0_mux")
        line = next(x for x in made[start:].splitlines() if x.startswith("    connect \\S "))
        wrong = made[:start] + made[start:].replace(line, "    connect \\S 1'0", 1)
    assert wrong != made
    assert not equal(folder / "gated", wrong, wanted)


def test_a_cell_of_another_kind_is_refused(gated: str) -> None:
    with pytest.raises(FlowError, match=r"of the kind \$sdff: \$dff or \$memwr_v2 is possible"):
        enables.with_enables(gated.replace("cell $dff ", "cell $sdff "), TOP)


def test_a_gate_behind_a_gate_is_refused() -> None:
    gate = "  cell \\fp8mac_clock_gate {0}\n    connect \\clk_i {1}\n    connect \\en_i \\run\n    connect \\clk_o {2}\n  end\n"
    text = (
        f"module \\top\n{gate.format('a', 'clk', 'slow')}{gate.format('b', 'slow', 'slower')}end\n"
    )
    with pytest.raises(FlowError, match="the clock gate of slower is behind another one: slow"):
        enables.with_enables(text, "top")


def test_another_top_is_refused(gated: str) -> None:
    with pytest.raises(FlowError, match="there is no module other"):
        enables.with_enables(gated, "other")


def a_report(achieved: float) -> dict:
    used = {cell: {"used": 5, "available": 10} for cell in nextpnr_report.RESOURCES}
    return {
        "fmax": {"$glbnet$clk_25mhz_i$TRELLIS_IO_IN": {"achieved": achieved, "constraint": 25.0}},
        "utilization": used,
    }


def test_the_report_names_clock_and_resources(folder: Path, capsys: pytest.CaptureFixture) -> None:
    file = folder / "report.json"
    file.write_text(json.dumps(a_report(41.25)))
    assert nextpnr_report.main([str(file)]) == 0
    said = capsys.readouterr().out
    assert "clock: 41.2 MHz possible, 25 MHz wanted" in said
    assert "| DSP | 5 | 10 | 50 % |" in said


def test_a_clock_that_is_too_slow_fails(folder: Path, capsys: pytest.CaptureFixture) -> None:
    file = folder / "slow.json"
    file.write_text(json.dumps(a_report(24.9)))
    assert nextpnr_report.main([str(file)]) == 1
    assert "too fast for this placement" in capsys.readouterr().err
