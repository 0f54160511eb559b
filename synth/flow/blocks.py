# SPDX-License-Identifier: Apache-2.0
"""The worst path into each block of a flat netlist, from OpenSTA.

A block is an instance of the RTL. The cells of a flat netlist belong to no block, but its registers keep their names:
`u_compute.walk_q[3]` is in the block `u_compute`. The path that ends in a register, or in a port of a black box, counts
for that block. Paths to the ports of the design itself are the block `ports`. GROUPS are no level of a block's name.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import faults
from .errors import FlowError
from .liberty import Library

PORTS = "ports"
# Instances of fp8mac_accel that are wiring around others: `u_load_path.u_load` is the block `u_load`.
GROUPS = ("u_control", "u_commands", "u_load_path", "u_compute_path")
OUTPUT = re.compile(r"^  output (?:\[\d+:\d+\] )?(\\\S+ |\w+) *;$", re.M)


@dataclass(frozen=True)
class WorstPath:
    block: str
    slack_ns: float
    start: str  # the register's or port's name in the RTL
    end: str
    ends: int  # registers and ports of this block


def levels(instances: Sequence[str]) -> Sequence[str]:
    """Names of instances, from the top, without that of a group. What is the group's own keeps it."""
    return instances[1:] if len(instances) > 1 and instances[0] in GROUPS else instances


def block_of(net: str, depth: int, instances: set[str]) -> str:
    """The block of a register's net or of a port. Ports of black boxes are named INSTANCE_PIN with `_` for dots."""
    *inside, last = net.replace("\\", "").strip().split(".")
    if inside:
        return ".".join(levels(inside)[:depth])
    plain = re.sub(rf"^({'|'.join(GROUPS)})_(?=u_|g_|gen_)", "", last)
    owners = [name for name in instances if plain.startswith(name.replace(".", "_") + "_")]
    return max(owners, key=len, default=PORTS)


def ends_of(text: str, library: Library, depth: int) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The ends of paths by block, as OpenSTA's names, and the names of registers' nets by instance."""
    register = library.flip_flop()
    nets = {}
    for match in faults.instances(text, register.cell):
        nets[match["name"].strip("\\")] = re.search(
            rf"\.{register.output}\(([^\n]*)\)", match["pins"]
        )[1].strip()
    instances = {block_of(net, depth, set()) for net in nets.values()} - {PORTS}
    found: dict[str, list[str]] = {}
    for name, net in nets.items():
        found.setdefault(block_of(net, depth, instances), []).append(f"{name}/{register.data}")
    for port in OUTPUT.findall(text):
        found.setdefault(block_of(port, depth, instances), []).append(port.strip(" \\"))
    return found, nets


def script(setup: str, ends: dict[str, list[str]]) -> str:
    """OpenSTA's script: the set-up of sta.py, then one line `BLOCK name slack start end` for each block."""
    lines = [setup]
    for block, names in ends.items():
        pins = " ".join(name for name in names if "/" in name)
        ports = " ".join(name for name in names if "/" not in name)
        lines.append("set ends {}")
        lines += [f"set ends [concat $ends [get_pins {{{pins}}}]]"] if pins else []
        # A bus is given by its name without bits
        lines += [f"set ends [concat $ends [get_ports {{{_buses(ports)}}}]]"] if ports else []
        lines.append(
            "set path [lindex [find_timing_paths -path_delay max -to $ends] 0]\n"
            'if {$path ne "" && $path ne "NULL"} {\n'
            f'  puts "BLOCK {block} [get_property $path slack] '
            "[get_full_name [get_property $path startpoint]] "
            '[get_full_name [get_property $path endpoint]]"\n}'
        )
    return "\n".join((*lines, ""))


def _buses(ports: str) -> str:
    return " ".join(f"{port} {port}[*]" for port in ports.split())


def worst_paths(
    folder: Path, netlist: Path, setup: str, library: Library, depth: int, command: str = "sta"
) -> list[WorstPath]:
    """From the worst to the best. `folder` is for the run's own files."""
    folder.mkdir(parents=True, exist_ok=True)
    text = netlist.read_text()
    ends, nets = ends_of(text, library, depth)
    (folder / "netlist.v").write_text(text)
    for name, original in library.originals().items():
        (folder / name).write_text(original)
    (folder / "blocks.tcl").write_text(script(setup, ends))
    done = subprocess.run(
        [command, "-no_splash", "-exit", "blocks.tcl"],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    log = folder / "blocks.log"
    log.write_text(done.stdout + done.stderr)
    if done.returncode or re.search(r"^.*\bError: ", done.stdout + done.stderr, re.M):
        raise FlowError("OpenSTA failed on the worst path of each block", log)

    def named(pin: str) -> str:
        return nets.get(pin.rpartition("/")[0], pin).strip("\\ ")

    found = [
        WorstPath(m[1], float(m[2]), named(m[3]), named(m[4]), len(ends[m[1]]))
        for m in re.finditer(r"^BLOCK (\S+) (-?[\d.e+-]+) (\S+) (\S+)$", done.stdout, re.M)
    ]
    return sorted(found, key=lambda path: path.slack_ns)
