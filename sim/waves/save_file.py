# SPDX-License-Identifier: Apache-2.0
"""Writes the GTKWave save file of a waveform: the signals of signals.txt in groups.

    python sim/waves/save_file.py NAMES FILE.fst FILE.gtkw

NAMES is the program that lists the signals of a waveform (names.c). A signal that the waveform does not have is an
error. Prints the command that opens the view."""

import pathlib
import subprocess
import sys

TOP = "TOP.fp8mac_system."
# GTKWave's flags of a line: a comment; binary; hexadecimal, right-justified
COMMENT, BINARY, HEXADECIMAL = "@200", "@28", "@22"


def wanted():
    """(group, signal) for each line of signals.txt."""
    group = ""
    for line in pathlib.Path(__file__).with_name("signals.txt").read_text().splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        elif line and not line.startswith("#"):
            yield group, TOP + line


def main():
    names, wave, save = sys.argv[1:]
    listed = subprocess.run([names, wave], capture_output=True, text=True, check=True).stdout
    # Several ranges of one name: an array of vectors; the first one is shown.
    full = {}
    for line in listed.splitlines():
        full.setdefault(line.split("[")[0], line)
    lines = [f'[dumpfile] "{pathlib.Path(wave).resolve()}"', "[timestart] 0", "[sst_expanded] 1"]
    last = None
    for group, name in wanted():
        if name not in full:
            sys.exit(f"{wave} has no signal {name}, which sim/waves/signals.txt names")
        if group != last:
            lines += [COMMENT, f"-{group}"]
            last = group
        lines += [HEXADECIMAL if "[" in full[name] else BINARY, full[name]]
    pathlib.Path(save).write_text("\n".join(lines) + "\n")
    print(f"gtkwave {save}")


if __name__ == "__main__":
    main()
