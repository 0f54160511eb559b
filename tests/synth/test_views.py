# SPDX-License-Identifier: Apache-2.0
"""The study's other views: the blocks of the accelerator, cells of an FPGA, the area of memories, and the tables of
process design kits.

python -m pytest -c tests/pytest.ini tests/synth/test_views.py --folder FOLDER
"""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

from synth.flow import blocks, gates, liberty, runs, sources, sta
from synth.flow.cache import Cache
from synth.flow.errors import FlowError, UsageError
from synth.flow.netlist import Netlist
from synth.flow.recipe import EFFORTS
from synth.study import (
    accel,
    defaults,
    elements,
    fpga,
    fpga_clock,
    libraries,
    memories,
    records,
    report,
    tables,
)
from synth.study.elements import KINDS, int8
from tests.conftest import Bench

GATED = """module fp8mac_gated (
  input  logic       clk_i,
  input  logic       en_i,
  input  logic [3:0] a_i,
  output logic [3:0] y_o
);
  logic clk;
  fp8mac_gate u_gate (.clk_i, .en_i, .clk_o(clk));
  fp8mac_stage u_first (.clk_i(clk), .a_i, .y_o);
endmodule
"""
GATE = """module fp8mac_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);
  assign clk_o = clk_i && en_i;
endmodule
"""
STAGE = """module fp8mac_stage (
  input  logic       clk_i,
  input  logic [3:0] a_i,
  output logic [3:0] y_o
);
  logic [3:0] sum_q;
  always_ff @(posedge clk_i) sum_q <= sum_q + a_i;
  assign y_o = ~sum_q;
endmodule
"""


def test_gated_clock(bench: Bench, folder: Path) -> None:
    """A clock gate is a black box, and the clock behind it is a clock. Paths are told apart by block."""
    rtl = folder / "rtl"
    rtl.mkdir()
    for name, text in (("gated", GATED), ("gate", GATE), ("stage", STAGE)):
        (rtl / f"fp8mac_{name}.sv").write_text(text)
    library = liberty.Library(libraries.LIBRARIES["osu018"][0])
    flow = runs.Synthesiser(library, [rtl], Cache(folder / "cache"))
    design = runs.Design("fp8mac_gated", black_boxes=("fp8mac_gate",))
    result = flow.run(design, 6.0, EFFORTS[0], 1)
    text = Path(result.netlist, "netlist.v").read_text()
    bench.check("the gate is counted", result.boxes == {"fp8mac_gate": 1})
    bench.check("four flip-flops behind it", text.count(".CLK(u_gate_clk_o)") == 4)
    bench.check("the netlist is accepted and timed", 0 < result.slack_ns < 6)
    other = folder / "other.json"
    other.write_text(
        Path(result.netlist, "netlist.json").read_text().replace("u_gate_clk_o", "u_gate_x_o")
    )
    bench.raises(
        "another signal is no clock",
        FlowError,
        "does not run on the clock",
        lambda: Netlist.read(other, design.top, library).check(),
    )
    setup = sta.script(design.top, library, 6.0)
    paths = blocks.worst_paths(
        folder / "blocks", Path(result.netlist, "netlist.v"), setup, library, 1
    )
    by_block = {path.block: path for path in paths}
    bench.check(
        f"a path into the block and one to the ports: {paths}",
        by_block.keys() == {"u_first", "ports"}
        and abs(by_block["u_first"].slack_ns - result.slack_ns) < 1e-3
        and re.match(r"u_first\.sum_q", by_block["u_first"].end),
    )
    bench.check("from the worst to the best", paths == sorted(paths, key=lambda p: p.slack_ns))


def test_names(bench: Bench) -> None:
    known = {"u_array", "u_array.u_grid", "u_b"}
    for net, depth, block in (
        (r"\u_array.u_grid.x_q[3] ", 1, "u_array"),
        (r"\u_array.u_grid.x_q[3] ", 2, "u_array.u_grid"),
        (r"\u_array.x_q ", 2, "u_array"),
        ("u_array_u_grid_u_ram_data_i", 1, "u_array.u_grid"),
        ("u_b_en_i", 1, "u_b"),
        (r"\u_compute_path.u_array.u_grid.x_q[3] ", 1, "u_array"),
        (r"\u_compute_path.u_array.u_grid.x_q[3] ", 2, "u_array.u_grid"),
        (r"\u_load_path.scale_bad_q ", 1, "u_load_path"),
        ("u_compute_path_u_array_u_grid_u_ram_data_i", 1, "u_array.u_grid"),
        ("irq_o", 1, "ports"),
    ):
        found = blocks.block_of(net, depth, known)
        bench.check(f"{net} belongs to {block}: {found}", found == block)


def test_requests(bench: Bench) -> None:
    chosen = accel.parameters("ROWS=8, ELEMENT=late_fp16")
    bench.check(
        f"the default accelerator with changes: {chosen}",
        chosen == {**defaults.parameters(), "ROWS": 8, "ELEMENT": KINDS["late_fp16"].number},
    )
    bench.check("a module's own parameters", accel.parameters("WORDS=4", {}) == {"WORDS": 4})
    inner = accel.blocks_of(accel.parameters("ROWS=1"))
    cluster = dict(inner["fp8mac_block_cluster"].parameters)
    bench.check(
        f"one row shares no accumulate unit: {cluster}",
        (cluster["SHARE"], cluster["LANES"]) == (1, defaults.parameters()["LANES"]),
    )
    for text, words in (
        ("ROWS", "not NAME=VALUE"),
        ("ELEMENT=x", "choose one of"),
        ("ROWS=a", "ROWS=a"),
    ):
        bench.raises(f"CONFIG={text}", UsageError, words, lambda text=text: accel.parameters(text))
    files = {"fp8mac_ram": Path("a"), "fp8mac_clock_gate": Path("b"), "fp8mac_array": Path("c")}
    bench.check(
        "memories, clock gates and what is named are left out",
        accel.boxes(files, "fp8mac_array") == ("fp8mac_ram", "fp8mac_clock_gate", "fp8mac_array"),
    )
    bench.raises("BOXES", UsageError, "no module x", lambda: accel.boxes(files, "x"))
    library = liberty.Library(libraries.LIBRARIES["osu018"][0])
    areas = [library.cells[name].area for name in ("DFFPOSX1", "AND2X1")]
    bench.check(
        "a clock gate is a latch and an AND, and a latch without an area counts as a flip-flop",
        gates.area(library) == sum(areas),
    )


def test_fpga(bench: Bench) -> None:
    cells = {"LUT6": 5, "LUT2": 1, "FDRE": 7, "DSP48E1": 2, "RAMB18E1": 3, "CARRY4": 4, "MUXF7": 9}
    found = fpga.counts(fpga.TARGETS["xilinx"], cells)
    bench.check(
        f"cells of Xilinx: {found}",
        tuple(found.values()) == (6, 7, 2, 1.5, 0, 4) and tuple(found) == fpga.COLUMNS,
    )
    found = fpga.counts(fpga.TARGETS["ecp5"], {"LUT4": 5, "CCU2C": 3, "TRELLIS_FF": 2})
    bench.check("a carry cell of ECP5 takes two LUTs", (found["LUT"], found["carry"]) == (11, 3))
    whole = fpga.accelerator(accel.parameters(""))
    bench.check(
        f"blocks of the accelerator are left out of its flat part: {whole.design}",
        set(whole.blocks) < set(whole.design.black_boxes),
    )
    one = dict.fromkeys(fpga.COLUMNS, 1.0)
    parts = [fpga.Part("flat", 1, one), fpga.Part("block", 3, {**one, "DSP": 4.0})]
    found = fpga.total(parts)
    bench.check(
        f"a block counts as often as it stands there: {found}",
        (found["LUT"], found["DSP"]) == (4, 13),
    )
    record = {
        "name": "a",
        "target": "b",
        "parameters": {},
        **found,
        "parts": list(map(asdict, parts)),
    }
    lines = tables.fpga_parts({"records": [record]}).splitlines()
    bench.check(f"parts: {lines[3]}", lines[3] == "| `block` | b | 3 | 1 | 1 | 4 | 1 | 1 | 1 |")
    bench.check(
        "the sum",
        tables.fpga({"records": [record]}).endswith("| a | b | 4 | 4 | 13 | 4 | 4 | 4 |\n"),
    )


def test_fpga_clock(bench: Bench) -> None:
    port = lambda way, width: {"direction": way, "bits": list(range(width))}
    ports = {
        "clk_i": port("input", 1),
        "a_i": port("input", 3),
        "y_o": port("output", 5),
        "b_i": port("input", 2),
    }
    text = fpga_clock.wrapper("top", ports)
    bench.check(
        f"every port of a design has its own part of the chain or of the result: {text}",
        "top u_design (.clk_i(clk_i), .a_i(chain[0+:3]), .b_i(chain[3+:2]), .y_o(result[0+:5]));"
        in text
        and "reg [4:0] chain;" in text
        and "reg [4:0] held;" in text,
    )
    used = {cell: {"used": at} for at, cell in enumerate(fpga_clock.CELLS.values(), 7)}
    report_of = {"fmax": {"$PACKER$clk_i$TRELLIS_IO_IN": {"achieved": 41.5}}, "utilization": used}
    found = fpga_clock.of_report("a", 2, report_of, 3)
    bench.check(
        f"nextpnr's report: {found}",
        found.mhz == 41.5 and found.cells == {"LUT": 7, "flip-flop": 8, "DSP": 9},
    )
    bench.check(
        "its line",
        fpga_clock.text_of([asdict(found)]).endswith("| a | 2 | 7 | 8 | 9 | 41.5 |\n"),
    )
    bench.raises(
        "no clock",
        FlowError,
        "0 clocks",
        lambda: fpga_clock.of_report("a", 1, {**report_of, "fmax": {}}, 1),
    )


def test_replacing_sources(bench: Bench) -> None:
    """What rtl/fpga and rtl/behavioural replace is not in a design that does not ask for it."""
    usual = sources.index(elements.source_folders(Path("build")))
    asked = sources.index(map(Path, elements.FOR_FPGA))
    shared = {name for name in asked if name in usual}
    bench.check(
        f"usual sources: {usual['fp8mac_block_sum']}",
        usual["fp8mac_block_sum"] == Path("rtl/element/block/fp8mac_block_sum.sv"),
    )
    bench.check(
        f"replaced: {sorted(shared)}",
        "fp8mac_block_sum" in shared and all(usual[name] != asked[name] for name in shared),
    )


def test_defaults(bench: Bench, folder: Path) -> None:
    usual = defaults.parameters()
    bench.check(
        f"the accelerator's defaults: {usual}",
        usual["ELEMENT"] in KINDS and {"ROWS", "COLS", "LANES", "BUF_BEATS"} <= usual.keys(),
    )
    other = folder / "other.sv"
    text = Path("rtl/accel/fp8mac_accel.sv").read_text()
    other.write_text(re.sub(r"(ROWS +=) 4,", r"\1 2 * 4,", text))
    changed = defaults.parameters(other)
    bench.check(f"a default is elaborated: {changed}", changed == {**usual, "ROWS": 8})
    other = folder / "unknown.sv"
    other.write_text(text.replace("= ElementBlock,", "= 200,"))
    bench.raises("an unknown kind", FlowError, "number 200", lambda: defaults.parameters(other))


def test_memories(bench: Bench, build: Path, folder: Path) -> None:
    """By hand: four rows and columns, beats of 16 bytes, 256 beats and 128 rows of C, 256 tiles of 16 results."""
    found = memories.memories(accel.parameters("", build=build), build, folder / "memories")
    expected = {
        "u_array.u_accumulators": 256 * 16 * 32,
        "u_memories.g_mx.u_a": 2 * 4 * 32 * 128,  # scale_beats(): 32 beats of MX scales
        "u_memories.g_quads.u_a.g_ram[*].g_bank[*].g_half[*].g_bound": 2 * 4 * (256 * 16 // 32) * 6,
        "u_memories.u_b.g_ram[*].g_half[*].g_part": 2 * 4 * 256 * 128,
        "u_memories.u_bias": 2 * 128 * 32,
        # two tables for each of eight results
        "u_output.u_pack.g_tables.g_map_row": 8 * 2 * 256 * 8,
        "u_output.g_x.u_x_buffer": 4 * 4 * 128 * 8,  # four regions of 128 bytes for each row
    }
    for path, bits in expected.items():
        outer = "" if path.startswith("u_output") else "u_compute_path."
        rows = [one for one in found if one.instances.startswith(outer + path)]
        bench.check(f"{path} has {bits} bits: {rows}", [one.bits for one in rows] == [bits])
    page = report.Page(Path("synth/results")).memories
    bench.check(f"the page has these memories: {page}", page == found)
    wide = accel.parameters("ROWS=8 TILES=64", build=build)
    more = memories.memories(wide, build, folder / "memories")
    tiles = [one.bits for one in more if one.instances.endswith("u_array.u_accumulators.u_ram")]
    bench.check("with eight rows and 64 tiles", tiles == [64 * 32 * 32])
    area = memories.TWO_PORTS.um2_per_bit
    bench.check("area of a bit", abs(area - 683.1 * 416.54 / 16384) < 1e-9 and 17 < area < 18)


def test_shapes(bench: Bench) -> None:
    shape = tables.Shape.of("array_8x4_block_f19_l4", "block")
    bench.check(
        f"a shape by its name: {shape}", (shape.rows, shape.share, shape.word) == (8, 8, 128)
    )
    bench.check(f"its key: {shape.key}", shape.key == (8, 4, 4, "block"))


def test_pdk_tables(bench: Bench) -> None:
    record = {
        "name": next(iter(tables.PDK_ELEMENTS)),
        "library": "sky130_fd_sc_hd__tt",
        "period_ns": 4.0,
        "fo4_ns": 0.08,
        "area": 2000.0,
        "baseline_area": 1000.0,
        "slack_ns": -0.1,
        "baseline_slack_ns": 0.2,
    }
    own = {**record, "library": "osu018", "slack_ns": 0.1, "area": 1500.0}
    slower = {**record, "period_ns": 6.0, "slack_ns": 0.1, "baseline_slack_ns": -0.3}
    lines = tables.pdk([slower, record], [own]).splitlines()[2:]
    bench.check(
        f"a line each library and clock, and by how much it is missed: {lines}",
        [line[: line.index(" -") + 2] for line in lines]
        == [
            "| OSU018 | 80.0 | 4 | 50.0 | 1,000 | 1.50 | -",
            "| sky130hd | 80.0 | 4 | 50.0 | 1,000 | (2.00, misses by 2.5 %) | -",
            "| sky130hd | 80.0 | 6 | 75.0 | 1,000, misses by 5.0 % | (2.00) | -",
        ],
    )
    adders = {"nand_area": 1.0, "full_adders": 100, "baseline_full_adders": 120}
    usual = {**own, **adders, "prices": {"full adder": 5.0, "flip-flop": 4.0}}
    cheap = {**record, **adders, "prices": {"full adder": 3.0, "flip-flop": 4.5}}
    none = {**cheap, "library": "sg13g2_stdcell", "prices": {"flip-flop": 5.0}}
    lines = tables.cell_prices([cheap, none], [usual]).splitlines()[2:]
    bench.check(
        f"what cells cost, and the ratio with full adders of 5 NANDs: {lines}",
        lines
        == [
            "| OSU018 | 5.00 | 4.00 | 60 % | 33 % | 1.50 | 1.50 |",
            "| sky130hd | 3.00 | 4.50 | 36 % | 15 % | 2.00 | 1.77 |",
            "| IHP SG13G2 | - | 5.00 | - | - | 2.00 | - |",
        ],
    )
    text = tables.behavioural([record])
    bench.check(
        f"a pair in words: {text}", "| 2,000 | 1,000 | 2.00 | FP8 misses by 2.5 % |" in text
    )


def test_baselines(bench: Bench) -> None:
    """Of two forms of the baseline the smaller one that meets the clock is taken."""

    def point(met: bool, area: float) -> SimpleNamespace:
        return SimpleNamespace(met=met, chosen=SimpleNamespace(area=area))

    plain = int8(16)
    register = plain.rival
    bench.check(
        "16 lanes have two forms, with and without a register behind the tree",
        dict(register.design.parameters).get("TREE_REGISTER") == 1
        and "TREE_REGISTER" not in dict(plain.design.parameters)
        and register.rival is None
        and int8(32).rival is None,
    )
    for one, other, taken in (
        (point(True, 100), point(True, 101), plain),
        (point(True, 102), point(True, 101), register),
        (point(False, 100), point(True, 101), register),
        (point(False, 100), point(False, 101), plain),
    ):
        found = {plain.design: one, register.design: other}
        bench.check(f"{one} or {other}", records.better(plain, found) is taken)
