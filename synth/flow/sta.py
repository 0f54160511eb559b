# SPDX-License-Identifier: Apache-2.0
"""The timing of a netlist in OpenSTA, which reads the library's own Liberty files: what liberty.py makes of them for the
other tools does not enter the verdict.

The surroundings are the same for every design. The clock is ideal and has no uncertainty, also
behind clock gates, whose enables end in a flip-flop like other outputs. Inputs come from the library's
plain flip-flop, with its clock-to-output delay and drive. Outputs end in one, with its setup time and input capacitance.
Nets have no wires: a driver sees the capacitance of the pins alone. Setup and transition times are checked. Hold is not, since there is no
clock tree.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import FlowError
from .liberty import Library, original_names

CLOCK = "clk_i"
# A clock gate is a black box. Its output becomes a port with this ending, which is another source of the same clock.
GATED = "_clk_o"


@dataclass(frozen=True)
class Timing:
    slack_ns: float
    start: str
    end: str
    slow_edges: int = 0  # pins with a slower edge than their max_transition


# A wire-load model without wires, in a library of its own. OpenSTA takes a library's default model unless another is set.
NO_WIRES = """library (no_wires) {
  capacitive_load_unit (1, pf);
  input_threshold_pct_rise : 50;
  input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20;
  slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80;
  slew_upper_threshold_pct_fall : 80;
  wire_load (none) {
    capacitance : 0;
    resistance : 0;
    slope : 0;
    fanout_length (1, 0);
  }
}"""

SET_NO_WIRES = "set_wire_load_model -name none -library no_wires\n"


def reading(name: str, text: str) -> str:
    """Lines that write a library into the folder and read it."""
    return f"set file [open {name} w]\nputs $file {{{text}}}\nclose $file\nread_liberty {name}\n"


def without_wires(library: Library) -> tuple[str, str]:
    """Lines that read NO_WIRES and set it; none for a library that has no default model."""
    if library.default_wire_load is None:
        return "", ""
    return reading("no_wires.lib", NO_WIRES), SET_NO_WIRES


def is_clock(port: str) -> bool:
    return port == CLOCK or port.endswith(GATED)


def script(top: str, library: Library, period_ns: float, clocked: bool = True) -> str:
    """A design without clocked cells has inputs and outputs at the clock, but no transition of the clock itself."""
    register = library.flip_flop()
    transition = f"set_clock_transition {register.clock_slew:g} [get_clocks clock]\n"
    reads = "\n".join(f"read_liberty {name}" for name in original_names(library))
    reads_wires, wires = without_wires(library)
    return f"""{reads}
{reads_wires}read_verilog netlist.v
link_design {top}
{wires}set_cmd_units -time ns -capacitance pF
set inputs {{}}
set clocks {{}}
foreach port [all_inputs] {{
  set name [get_full_name $port]
  if {{$name eq "{CLOCK}" || [string match "*{GATED}" $name]}} {{ lappend clocks $port }} else {{ lappend inputs $port }}
}}
if {{[llength $clocks] == 0}} {{
  create_clock -name clock -period {period_ns:g}
}} else {{
  create_clock -name clock -period {period_ns:g} $clocks
}}
{transition if clocked else ""}set_driving_cell -lib_cell {register.cell} -from_pin {register.clock} -pin {register.output} \\
  -input_transition_rise {register.clock_slew:g} -input_transition_fall {register.clock_slew:g} $inputs
set_input_delay -clock clock {register.clock_to_output:g} $inputs
set_output_delay -clock clock {register.setup:g} [all_outputs]
set_load {register.data_capacitance:g} [all_outputs]
report_check_types -max_transition -all_violators
report_checks -path_delay max -format full -fields {{slew cap}} -digits 3
puts "WORST_SLACK [worst_slack]"
"""


def run(folder: Path, command: str = "sta") -> Timing:
    """Runs FOLDER/sta.tcl, keeps FOLDER/sta.log. OpenSTA continues after an error and exits with 0, so the log
    decides."""
    log = folder / "sta.log"
    return read_log(log, run_script(log, command))


def run_script(log: Path, command: str = "sta") -> int:
    """Runs sta.tcl in the log's folder and returns OpenSTA's status."""
    with log.open("w") as output:
        return subprocess.run(
            [command, "-no_splash", "-exit", "sta.tcl"],
            cwd=log.parent,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        ).returncode


def read_log(log: Path, status: int = 0) -> Timing:
    text = log.read_text()
    error = re.search(r"^.*\bError: .*$", text, re.M)
    slack = re.search(r"^WORST_SLACK (-?[\d.]+(?:e[+-]?\d+)?)$", text, re.M)
    if status or error or not slack:
        raise FlowError(
            f"OpenSTA failed: {error[0] if error else f'exit status {status}, no slack'}", log
        )
    if float(slack[1]) > 1e6:
        raise FlowError("OpenSTA found no constrained path", log)
    ends = [re.search(rf"^{word}: (\S+)", text, re.M) for word in ("Startpoint", "Endpoint")]
    start, end = (end[1] if end else "" for end in ends)
    slow = len(re.findall(r"\(VIOLATED\)$", text.partition("Startpoint: ")[0], re.M))
    return Timing(float(slack[1]), start, end, slow)
