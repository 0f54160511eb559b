# SPDX-License-Identifier: Apache-2.0
"""Liberty files of several spellings, units and kinds of cells are read rightly, and refused with a clear sentence. The
FO4 delay is that of an inverter in a chain, as OpenSTA computes it too.

python -m pytest -c tests/pytest.ini tests/synth/test_liberty.py --folder FOLDER
"""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

from synth.flow import cells, fo4, functions, liberty, recipe, sta
from synth.flow.errors import UsageError
from synth.study import libraries
from tests.conftest import Bench

OSU018 = libraries.LIBRARIES["osu018"][0]
TINY = r"""
/* names that say nothing, functions in several spellings */
library (tiny) {
  time_unit : "1ps"; capacitive_load_unit (1, ff);
  cell (p) { area : 3.5; pin (x) { direction : input; } pin (y) { direction : input; } pin (z) { direction : input; }
    pin (u) { direction : output; function : "x ^ y ^ z"; }
    pin (v) { direction : output; function : "x*y + z*(x+y)"; } }
  cell (q) { area : 2; pin (x) { direction : input; } pin (y) { direction : input; }
    pin (u) { direction : output; function : "(x' y) | (x y')"; }
    pin (v) { direction : output; function : "!(x' + y')"; } }
  cell (big) { area : 9; pin (x) { direction : input; } pin (u) { direction : output; function : "x"; } }
  cell (small) { area : 1; pin (x) { direction : input; } pin (u) { direction : output; function : "(x')'"; } }
  cell (hold) { area : 5; latch (i, n) { enable : "g"; data_in : "d"; } pin (d) { direction : input; }
    pin (g) { direction : input; } pin (u) { direction : output; function : "i"; } }
  cell (reset) { area : 6; ff (i, n) { clocked_on : "c"; next_state : "d"; clear : "r'"; }
    pin (d) { direction : input; }
    pin (c) { direction : input; } pin (u) { direction : output; function : "i"; } }
  cell (edge) { area : 7; ff (i, n) { clocked_on : "c"; next_state : "d"; }
    pin (d) { direction : input; capacitance : 4; timing () { related_pin : "c"; timing_type : setup_rising;
      rise_constraint (t) { values ("100, 110, 900", "1, 2, 3"); } } }
    pin (c) { direction : input; }
    pin (u) { direction : output; function : "i";
      timing () { related_pin : "c"; cell_rise (t) { values ("70, 80", \
        "90, 99"); } cell_fall (t) { values ("75, 80", "90, 99"); } } } }
}
"""


# A library in ns and pF, and the same in ps and fF. {t} and {c} are the factors to these units.
SCALED = """
library (scaled) {{
  time_unit : "1{time}"; capacitive_load_unit (1, {load}); nom_voltage : 1.8
  lu_table_template (d) {{ variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1 ("{t0}, {t2}"); index_2 ("0, {c4}"); }}
  lu_table_template (s) {{ variable_1 : related_pin_transition; variable_2 : constrained_pin_transition;
    index_1 ("{t0}, {t2}"); index_2 ("{t0}, {t2}"); }}
  cell (inv) {{ area : 2; pin (a) {{ direction : input; capacitance : {c1}; }}
    pin (y) {{ direction : output; function : "!a"; internal_power () {{ rise_power (d) {{ values ("1, 2", "3, 4"); }} }}
      timing () {{ related_pin : "a"; timing_sense : negative_unate;
        cell_rise (d) {{ values ("{t1}, {t3}", "{t2}, {t4}"); }} rise_transition (d) {{ values ("{t1}, {t2}", "{t1}, {t2}"); }}
        cell_fall (d) {{ values ("{t1}, {t3}", "{t2}, {t4}"); }} fall_transition (d) {{ values ("{t1}, {t2}", "{t1}, {t2}"); }}
  }} }} }}
  cell (ff) {{ area : 7 ff (i, n) {{ clocked_on : "c"; next_state : "!d"; }}
    pin (c) {{ direction : input; capacitance : {c1}; clock : true; }}
    pin (d) {{ direction : input; capacitance : {c1};
      timing () {{ related_pin : "c"; timing_type : setup_rising; rise_constraint (s) {{ values ("{t1}, {t1}", "{t1}, {t1}"); }}
        fall_constraint (s) {{ values ("{t1}, {t1}", "{t1}, {t1}"); }} }}
      timing () {{ related_pin : "c"; timing_type : hold_rising; rise_constraint (s) {{ values ("{t4}, {t4}", "{t4}, {t4}"); }} }} }}
    pin (qn) {{ direction : output; function : "i";
      timing () {{ related_pin : "c"; timing_type : rising_edge; timing_sense : non_unate;
        cell_rise (d) {{ values ("{t1}, {t3}", "{t2}, {t4}"); }} rise_transition (d) {{ values ("{t1}, {t2}", "{t1}, {t2}"); }}
        cell_fall (d) {{ values ("{t1}, {t3}", "{t2}, {t4}"); }} fall_transition (d) {{ values ("{t1}, {t2}", "{t1}, {t2}"); }}
  }} }} }}
}}
"""


def scaled(time: str, load: str) -> str:
    factor, farad = {"ns": 1, "ps": 1000}[time], {"pf": 1, "ff": 1000}[load]
    numbers = {f"t{n}": f"{n * 0.1 * factor:g}" for n in range(5)}
    numbers |= {f"c{n}": f"{n * 0.01 * farad:g}" for n in range(5)}
    return SCALED.format(time=time, load=load, **numbers)


# A cell whose delay from `a` depends on `b`, added to SCALED: the slow case is the first or the last of its arcs.
CONDITIONAL = """
  cell (choice) {{ area : 4; pin (a) {{ direction : input; capacitance : {c1}; }} pin (b) {{ direction : input; capacitance : {c1}; }}
    pin (y) {{ direction : output; function : "a (b + !b)";
{arcs}    }} }}
"""
CONDITIONAL_ARC = """      timing () {{ related_pin : "a"; timing_sense : positive_unate; when : "{when}"; sdf_cond : "{sdf}";
        cell_rise (d) {{ values ("{own}, {own}", "{own}, {own}"); }} rise_transition (d) {{ values ("{t1}, {t1}", "{t1}, {t1}"); }}
        cell_fall (d) {{ values ("{own}, {own}", "{own}, {own}"); }} fall_transition (d) {{ values ("{t1}, {t1}", "{t1}, {t1}"); }} }}
"""


def conditional(time: str, load: str, slow_first: bool) -> str:
    """SCALED with CONDITIONAL, whose delays are 0.2 ns where b is 1 and 0.7 ns where it is 0."""
    factor, farad = {"ns": 1, "ps": 1000}[time], {"pf": 1, "ff": 1000}[load]
    arcs = [
        CONDITIONAL_ARC.format(
            when=when, sdf=sdf, own=f"{delay * factor:g}", t1=f"{0.1 * factor:g}"
        )
        for when, sdf, delay in (("!b", "b == 1'b0", 0.7), ("b", "b == 1'b1", 0.2))
    ]
    cell = CONDITIONAL.format(
        c1=f"{0.01 * farad:g}", arcs="".join(arcs if slow_first else reversed(arcs))
    )
    marks = "".join(
        f"{part}_threshold_pct_{edge} : {value}; "
        for part, value in (
            *(("input", 50), ("output", 50)),
            *(("slew_lower", 20), ("slew_upper", 80)),
        )
        for edge in ("rise", "fall")
    )
    text = scaled(time, load).replace(
        "nom_voltage : 1.8", f"nom_voltage : 1.8; delay_model : table_lookup; {marks}"
    )
    return text.rpartition("}")[0] + cell + "}\n"


# One cell of each kind that the flow leaves out, in a library with the few that it wants.
ODD = """
library (odd) { time_unit : "1ns"; capacitive_load_unit (1, pf); comment : "";
  cell (gate) { area : 5; clock_gating_integrated_cell : "latch_posedge"; statetable ("c e", "m") { table : "x"; }
    pin (c) { direction : input; } pin (e) { direction : input; } pin (y) { direction : output; state_function : "c*m"; } }
  cell (nothing) { area : 5; pin (a) { direction : input; } pin (y) { direction : output; } }
  cell (scan) { area : 9; ff (i, n) { clocked_on : "c"; next_state : "(d * !s) + (t * s)"; } test_cell () { }
    pin (c) { direction : input; } pin (d) { direction : input; } pin (s) { direction : input; }
    pin (t) { direction : input; } pin (y) { direction : output; function : "i"; } }
  cell (fill) { area : 1; }
  cell (bus) { area : 3; pin (a) { direction : input; } pin (e) { direction : input; }
    pin (y) { direction : output; function : "a"; three_state : "e"; } }
  cell (marked) { area : 3; dont_use : true; pin (a) { direction : input; } pin (y) { direction : output; function : "a"; } }
  cell (probe_1) { area : 1; pin (a) { direction : input; } pin (y) { direction : output; function : "a"; } }
  cell (buf_1) { area : 3; pin (a) { direction : input; } pin (y) { direction : output; function : "a"; } }
  cell (add_n) { area : 8; pin (a) { direction : input; } pin (b) { direction : input; } pin (c) { direction : input; }
    pin (s) { direction : output; function : "!(a ^ b ^ c)"; }
    pin (k) { direction : output; function : "!(a*b + c*(a+b))"; } }
}
"""


# ---- Liberty --------------------------------------------------------------------------------------------------------


def test_liberty_by_function(bench: Bench, folder: Path) -> None:
    path = folder / "tiny.lib"
    path.write_text(TINY)
    library = liberty.Library(path)
    bench.check(
        "full adder by function", library.adder(3) == liberty.Adder("p", ("x", "y", "z"), "u", "v")
    )
    bench.check(
        "half adder by function", library.adder(2) == liberty.Adder("q", ("x", "y"), "u", "v")
    )
    bench.check("smallest buffer", library.buffer().name == "small")
    register = library.flip_flop()
    bench.check("plain flip-flop, not the smaller one with a reset", register.cell == "edge")
    bench.check(
        "units",
        abs(register.clock_to_output - 0.075) < 1e-9
        and abs(register.setup - 0.11) < 1e-9
        and abs(register.data_capacitance - 0.004) < 1e-9,
    )
    bench.check("a latch is not usable", library.unusable() == ["hold"])
    table = [
        functions.evaluator("!A B + C ^ D'")(dict(zip("ABCD", map(bool, map(int, f"{i:04b}")))))
        for i in range(16)
    ]
    expected = [
        bool(((not a) and b) or (c != (not d)))
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
        for d in (0, 1)
    ]
    bench.check("precedence of operators", table == expected)


def test_liberty_osu018(bench: Bench) -> None:
    library = liberty.Library(OSU018)
    bench.check("OSU018 adders", (library.adder(3).cell, library.adder(2).cell) == ("FAX1", "HAX1"))
    bench.check("OSU018 flip-flop", library.flip_flop().cell == "DFFPOSX1")
    bench.check(
        "OSU018 area", library.cells["FAX1"].area == 120 and library.cells["OAI21X1"].area == 23
    )
    bench.check("OSU018 not usable", library.unusable() == ["LATCH", "TBUFX1", "TBUFX2"])


def test_liberty_errors(bench: Bench, folder: Path) -> None:
    bench.raises(
        "a missing Liberty file",
        UsageError,
        "cannot be read .*LIB=path.lib",
        lambda: liberty.Library(folder / "none.lib"),
    )
    for text, words in (
        ("module x; endmodule", "not Liberty"),
        ("library (x) {", "not Liberty"),
        ("library (x) { }", "no cells"),
    ):
        path = folder / "bad.lib"
        path.write_text(text)
        bench.raises(f"Liberty text {text!r}", UsageError, words, lambda: liberty.Library(path))
    path = folder / "noff.lib"
    path.write_text(re.sub(r"\bff \(", "latch (", TINY))
    bench.raises(
        "a library without a flip-flop",
        UsageError,
        "no plain rising-edge flip-flop",
        lambda: liberty.Library(path).flip_flop(),
    )


def test_units(bench: Bench, folder: Path) -> None:
    texts = []
    for time, load in (("ns", "pf"), ("ps", "ff")):
        path = folder / f"{time}.lib"
        path.write_text(scaled(time, load))
        library = liberty.Library(path)
        texts.append(library.text)
        register = library.flip_flop()
        bench.check(
            f"delays in ns, capacitances in pF, from {time} and {load}: {register}",
            abs(register.clock_to_output - 0.1) < 1e-9
            and abs(register.setup - 0.1) < 1e-9
            and abs(register.data_capacitance - 0.01) < 1e-9,
        )
    bench.check("one text, whatever the units", texts[0] == texts[1])
    bench.check("no power, no hold", "rise_power" not in texts[0] and "hold" not in texts[0])
    path.write_text(texts[0])
    bench.check("the text of the text is the same", liberty.Library(path).text == texts[0])
    powers = liberty.Library(folder / "ns.lib", power=True).cells["inv"].pins["y"].group
    bench.check("power where it is wanted", any(powers.all("internal_power")))


def test_inverted_flip_flop(bench: Bench, folder: Path) -> None:
    library = liberty.Library(folder / "ns.lib")
    register = library.flip_flop()
    bench.check("a flip-flop with QN alone", (register.output, register.inverted) == ("qn", True))
    text = cells.models(library, {"ff", "inv"})
    bench.check(f"its model inverts: {text}", "i <= ~d" in text and "assign qn = i" in text)
    plain = scaled("ns", "pf").replace("!d", "d").replace("cell (ff)", "cell (plain)")
    both = folder / "both.lib"
    for area, chosen in (("9.5", "ff"), ("8.5", "plain")):
        both.write_text(plain.replace("area : 7", f"area : {area}").replace("(scaled)", "(both)"))
        pair = liberty.Library([folder / "ns.lib", both])
        bench.check(f"QN counts with an inverter: {chosen}", pair.flip_flop().cell == chosen)
        bench.check(
            "no other flip-flop is mapped to",
            pair.other_flip_flops() == [name for name in ("ff", "plain") if name != chosen],
        )
    reset = scaled("ns", "pf").replace('next_state : "!d";', 'next_state : "d"; clear : "!r";')
    reset = reset.replace("pin (d)", "pin (r) { direction : input; } pin (d)")
    path = folder / "reset.lib"
    path.write_text(reset)
    library = liberty.Library(path)
    bench.check("a reset, where every flip-flop has one", library.flip_flop().cell == "ff")
    text = cells.models(library, {"ff"})
    bench.check(
        f"its model has the reset: {text}",
        "wire clear_is_on = ~r;" in text and "if (clear_is_on) i <= 1'b0; else i <= d;" in text,
    )


def test_left_out(bench: Bench, folder: Path) -> None:
    path = folder / "odd.lib"
    path.write_text(ODD)
    library = liberty.Library(path, ["probe*"])
    why = {cell.name: cell.unusable for cell in library.cells.values()}
    bench.check(
        f"why cells are left out: {why}",
        why
        == {
            "gate": "clock gate",
            "nothing": "output without a function",
            "scan": "scan",
            "fill": "no output or no area",
            "bus": "tri-state or pad",
            "marked": "marked dont_use",
            "probe_1": "DONT_USE",
            "buf_1": "",
            "add_n": "",
        },
    )
    bench.check(
        f"the note counts them: {library.note()}",
        "2 of 9 cells" in library.note() and "1 clock gate" in library.note(),
    )
    bench.check("a cell of DONT_USE is not taken", library.buffer().name == "buf_1")
    bench.check("without it, it is", liberty.Library(path).buffer().name == "probe_1")
    bench.check(
        "the tools see the used cells alone",
        re.findall(r"cell \((\w+)\)", library.text) == ["buf_1", "add_n"],
    )
    adder = library.adder(3)
    bench.check(f"an adder with inverted outputs: {adder}", adder.inverted == ("s", "k"))
    rule = recipe.leaves_verilog(library)
    bench.check(
        "its leaf inverts them",
        "add_n leaf (.a(a_i), .b(b_i), .c(c_i), .s(sum_n), .k(carry_n));" in rule
        and "assign sum_o = ~sum_n;" in rule,
    )
    bench.raises(
        "a pattern without a cell",
        UsageError,
        "no cell of .* matches zz",
        lambda: liberty.Library(path, ["zz*"]),
    )


def test_files(bench: Bench, folder: Path) -> None:
    packed = folder / "packed.lib.gz"
    packed.write_bytes(gzip.compress(ODD.encode()))
    bench.check(
        "compressed",
        liberty.Library(packed).cells.keys() == liberty.Library(folder / "odd.lib").cells.keys(),
    )
    bench.check("the name of a compressed library", libraries.name_of(packed) == "packed")
    several = liberty.Library([folder / "ps.lib", packed])
    bench.check(
        "several files, each in its own units",
        {"inv", "buf_1"} <= several.cells.keys()
        and abs(several.cells["inv"].pins["a"].capacitance - 0.01) < 1e-9,
    )
    (folder / "cut.lib.gz").write_bytes(packed.read_bytes()[:-20])
    bench.raises(
        "a damaged file",
        UsageError,
        "cannot be read .*damaged",
        lambda: liberty.Library(folder / "cut.lib.gz"),
    )


def test_conditions(bench: Bench, folder: Path) -> None:
    """OpenSTA computes the same slack from the library's own files, which judge, and from the text that the other tools
    read: arcs keep their conditions, without which OpenSTA drops all but one of a pin's arcs."""
    for time, load in (("ns", "pf"), ("ps", "ff")):
        slacks = []
        for slow_first in (True, False):
            path = folder / f"conditional_{time}_{slow_first}.lib"
            path.write_text(conditional(time, load, slow_first))
            library = liberty.Library(path)
            (text,) = library.originals().values()
            bench.check("the original is the file", text == path.read_text())
            where = folder / f"conditions_{time}_{slow_first}"
            own = slack_of_choice(where, library, text)
            ours = slack_of_choice(where, library, library.text)
            bench.check(f"one slack: {own} of the original, {ours} of the text", own == ours)
            without = re.sub(r"^ *(when|sdf_cond) : .*\n", "", library.text, flags=re.M)
            slacks += [own, slack_of_choice(where, library, without)]
        # 4 ns less the clock-to-output delay 0.1, the inverter's load 0.05, the slow case 0.7 and the setup time 0.1
        bench.check(f"by hand, in either order: {slacks}", slacks[0] == slacks[2] == 3.05)
        bench.check(
            f"arcs without conditions are too fast in one order: {slacks}",
            max(slacks[1], slacks[3]) == 3.55,
        )


def test_default_wires(bench: Bench, folder: Path) -> None:
    """OpenSTA takes a library's default wire-load model by itself. The verdict is without wires, as the repairs are."""
    plain = conditional("ns", "pf", True)
    wires = (
        'wire_load ("long") { capacitance : 1; resistance : 0; slope : 1; fanout_length (1, 0.5); }\n'
        '  default_wire_load : "long";\n  default_wire_load_mode : "top";\n'
    )
    head, brace, body = plain.partition("{\n")
    text = f"{head}{brace}  {wires}{body}"
    (folder / "wires.lib").write_text(text)
    (folder / "plain.lib").write_text(plain)
    library, without = (liberty.Library(folder / f"{name}.lib") for name in ("wires", "plain"))
    bench.check("the model is known", library.default_wire_load == "long")
    bench.check("no model", without.default_wire_load is None)
    own = slack_of_choice(folder / "no_wires", library, text)
    bench.check(f"no wires: {own}", own == 3.05)
    # A script for a library without a model leaves the default one in force.
    missed = slack_of_choice(folder / "wires", without, text)
    bench.check(f"with the model: {missed}", missed < 3.0)


def slack_of_choice(folder: Path, library: liberty.Library, text: str) -> float:
    """Of one cell `choice` between ports, at 4 ns; TEXT takes the place of the library's file."""
    folder.mkdir(exist_ok=True)
    (name,) = library.originals()
    (folder / name).write_text(text)
    (folder / "netlist.v").write_text(
        "module top (a, b, y);\n  input a;\n  input b;\n  output y;\n"
        "  choice u (.a(a), .b(b), .y(y));\nendmodule\n"
    )
    (folder / "sta.tcl").write_text(sta.script("top", library, 4.0, clocked=False))
    return round(sta.run(folder).slack_ns, 6)


def test_fo4(bench: Bench, folder: Path) -> None:
    """Delay 0.1 + 5 * load + 0.5 * slew, slew 0.1 + 2.5 * load; the load is 0.04 pF: slew 0.2, delay 0.4."""
    its = fo4.of(liberty.Library(folder / "ps.lib"))
    bench.check(f"by hand: {its}", abs(its.delay_ns - 0.4) < 1e-9 and abs(its.slew_ns - 0.2) < 1e-9)
    library = liberty.Library(OSU018)
    own = fo4.of(library)
    bench.check(
        f"the headline clock in FO4: {own.delay_ns}",
        abs(libraries.HEADLINE_PERIOD / own.delay_ns - libraries.HEADLINE_FO4) < 0.05,
    )
    bench.check("in_fo4 is the headline period", libraries.in_fo4(library, 60.5) in (6.0, 6.001))
    theirs = chain_in_opensta(folder / "fo4", library, own.cell)
    bench.check(f"OpenSTA: {theirs} ns, ours {own.delay_ns} ns", abs(theirs - own.delay_ns) < 1e-4)


def chain_in_opensta(folder: Path, library: liberty.Library, inverter: str) -> float:
    """The delay of one stage, from two more stages deep in a chain of inverters, each with three more loads."""
    folder.mkdir()
    (folder / "library.lib").write_text(library.text)
    cell = library.cells[inverter]
    (pin,), (out,) = cell.inputs(), cell.outputs()
    stages = 30
    lines = [
        "module chain (input a, output y);",
        f"  wire [{stages}:0] n;",
        "  assign n[0] = a; assign y = n[28];",
    ]
    for n in range(stages):
        lines.append(f"  {inverter} u{n} (.{pin}(n[{n}]), .{out}(n[{n + 1}]));")
        lines += [f"  {inverter} l{n}_{k} (.{pin}(n[{n}]));" for k in range(3)]
    (folder / "chain.v").write_text("\n".join((*lines, "endmodule", "")))
    (folder / "run.tcl").write_text(
        "read_liberty library.lib\nread_verilog chain.v\nlink_design chain\ncreate_clock -name c -period 100\n"
        "set_input_delay -clock c 0 [get_ports a]\n"
        "set_output_delay -clock c 0 [get_ports y]\nreport_checks -digits 6\n"
    )
    done = subprocess.run(
        ["sta", "-no_splash", "-exit", "run.tcl"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    at = {
        int(match[2]): float(match[1])
        for match in re.finditer(rf"([\d.]+) [\^v] u(\d+)/{out} ", done.stdout)
    }
    return (at[24] - at[14]) / 10
