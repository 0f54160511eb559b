# SPDX-License-Identifier: Apache-2.0
"""Faults that are seeded in the RTL under a bench. One build has all of them, and +seeded-fault=N of a run chooses one.

python tests/rtl/faults.py FOLDER SOURCE...

copies the SOURCEs into FOLDER, with the faults. A source without a fault is refused, and so is a fault without its place.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROWS = "fp8mac_rows.sv"
TABLE_LOAD = "fp8mac_table_load.sv"
WRITE_OUT = "fp8mac_write_out.sv"
WALK = "fp8mac_cmd_walk.sv"


@dataclass(frozen=True)
class Fault:
    """In `place`, @ stands for the expression `old`, which becomes `new`. `part`: the bench's option that finds it."""

    name: str
    file: str
    place: str
    old: str
    new: str
    part: str


# Their numbers are their positions, from 1 on.
FAULTS = (
    Fault(
        "the maximum of the command before stays",
        ROWS,
        ".start_i      (@),",
        "start",
        "start && sums",
        "--rows",
    ),
    Fault(
        "sums have the columns that a row does not see",
        ROWS,
        "@ ? value_q[w] : Fp32NegZero;",
        "(main_en_i[w] || !sums)",
        "1'b1",
        "--rows",
    ),
    Fault(
        "a row's last transfer has columns behind the row",
        ROWS,
        "main_en_o    = @ &",
        "waiting.en",
        "{WIDTH{1'b1}}",
        "--rows",
    ),
    Fault(
        "a layer norm's second phase takes X for X - mean",
        ROWS,
        "subtrahend[r] = @ ?",
        "cfg_i.rows.centred",
        "cfg_i.rows.centred && step != StepSquares",
        "--rows",
    ),
    Fault(
        "the program begins with the first transfer of a phase, not with the last",
        ROWS,
        "at[0] && @ && statistic",
        "in_end_i",
        "in_first_i",
        "--rows",
    ),
    Fault(
        "argmax finds the last column",
        ROWS,
        "{8'h7e, @}",
        "~(cfg_i.first_n[23:0] + 24'(main_col_i[3]) + 24'(w % COLS))",
        "cfg_i.first_n[23:0] + 24'(main_col_i[3]) + 24'(w % COLS)",
        "--rows",
    ),
    Fault(
        "flags of the row command before stay",
        ROWS,
        "if (@) flags_q <= '0;",
        "start && first_phase",
        "1'b0",
        "--rows",
    ),
    Fault(
        "MX blocks with an infinity keep their codes",
        ROWS,
        "block_off_q[row] <= cfg_i.rows.mx && step == StepOut && @;",
        "gain[row][31:23] == 9'h0ff",
        "1'b0",
        "--rows",
    ),
    Fault(
        "the mean of the transfer behind",
        ROWS,
        ".offset_set_i (@),",
        "set_q[3]",
        "set_q[2]",
        "--rows",
    ),
    Fault(
        "a table's codes go to the other table",
        TABLE_LOAD,
        "second: @,",
        "code_table_i == Table1",
        "code_table_i != Table1",
        "--tables",
    ),
    Fault(
        "the last beat of a table is dropped",
        TABLE_LOAD,
        "'{write: @,",
        "beat_i && error == ErrNone",
        "beat_i && error == ErrNone && !beat_last_i",
        "--tables",
    ),
    Fault(
        "a table counts as loaded although a beat failed",
        TABLE_LOAD,
        "'{write: @,",
        "beat_i && error == ErrNone",
        "beat_i",
        "--tables",
    ),
    Fault(
        "a table counts as loaded while it is read",
        TABLE_LOAD,
        "begin_o = @ ||",
        "state_q == Request",
        "1'b0",
        "--tables",
    ),
    Fault(
        "a table whose address is none keeps its codes",
        TABLE_LOAD,
        " || @;",
        "(state_q == Wait && !abort_i && drained_i && refused)",
        "1'b0",
        "--tables",
    ),
    Fault(
        "a table is read before the commands before have ended",
        TABLE_LOAD,
        "else if (@) state_q <= refused ? Done : Request;",
        "drained_i",
        "1'b1",
        "--tables",
    ),
    Fault(
        "a table's error is not told",
        TABLE_LOAD,
        "error_o = (state_q == Done) ? @ : ErrNone;",
        "error_q",
        "ErrNone",
        "--tables",
    ),
    Fault(
        "results are written although their X was not read",
        WRITE_OUT,
        "if (take) row_bad_q <= @;",
        "good_q == '0",
        "1'b0",
        "--blocks",
    ),
    Fault(
        "D's stride counts although pairs keep accumulators",
        WALK,
        "((cmd_q.m > size_t'(1) || pairs) && @ &&",
        "!cmd_q.mode.acc_keep",
        "1'b1",
        "--cycles",
    ),
)

SELECTION = """
  int unsigned seeded_fault;  // 0: none
  initial if ($value$plusargs("seeded-fault=%d", seeded_fault) == 0) seeded_fault = 0;
"""


def chosen(text: str, file: str, faults: tuple[Fault, ...]) -> str:
    """The source with its faults, of which `seeded_fault` chooses one."""
    places: dict[tuple[str, str], str] = {}
    for number, fault in enumerate(faults, 1):
        if fault.file == file:
            key = (fault.place, fault.old)
            places[key] = (
                f"(seeded_fault == {number} ? ({fault.new}) : ({places.get(key, fault.old)}))"
            )
    if not places:
        raise ValueError(f"{file} has no fault")
    for (place, old), choice in places.items():
        if text.count(place.replace("@", old)) != 1:
            raise ValueError(f"{place!r} is {text.count(place.replace('@', old))} times in {file}")
        text = text.replace(place.replace("@", old), place.replace("@", choice))
    return text


def seeded(text: str, file: str) -> str:
    """A module with its faults."""
    head, _, rest = chosen(text, file, FAULTS).partition("\n);\n")
    return f"{head}\n);\n{SELECTION}{rest}"


def main(folder: Path, *sources: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources:
        (folder / source.name).write_text(seeded(source.read_text(), source.name))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
