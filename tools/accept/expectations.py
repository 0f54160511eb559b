# SPDX-License-Identifier: Apache-2.0
"""Recorded expectations: figures that are kept in a result file, and how a change of them is accepted.

A result file is JSON. Its object `rows` is {ROW: {FIGURE: value}}; what else it has belongs to its kind. A kind names the
file and the figures that are judged. `make accept-KIND` measures all rows again, says what moved, and writes the file. It
refuses if a judged figure is worse by more than LIMIT, unless it is given a reason. The row then keeps the reason until its figures are within LIMIT of what they were:

    "make run": {"cycles": 15400, ..., "reason": {"text": "REASON", "cycles": [15274, 15400]}}

Worse than what? Than the best value since the row's last reason, which the row keeps as `best` where it is not today's. So
many small losses need a reason as one large loss does.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

LIMIT = 0.01
NOTES = ("reason", "best")  # of a row, beside its figures

Row = Mapping[str, str | int | float]
Rows = Mapping[str, Row]


class ExpectationError(Exception):
    """A result file cannot be used; the message is one sentence with the next step."""


@dataclass(frozen=True)
class Kind:
    """What `make accept-NAME` accepts."""

    name: str
    path: Path
    judged: Mapping[str, int]  # by figure: 1 where more is worse, -1 where less is

    @property
    def command(self) -> str:
        return f"make accept-{self.name}"


@dataclass(frozen=True)
class Move:
    """A figure that moved. A row that came or went is one, too."""

    row: str
    figure: str = ""
    old: str | int | float | None = None
    new: str | int | float | None = None

    @property
    def per_cent(self) -> str:
        if not isinstance(self.old, int | float) or not isinstance(self.new, int | float):
            return ""
        return f" ({100 * (self.new / self.old - 1):+.2f} %)" if self.old else ""

    def __str__(self) -> str:
        if self.figure == "":
            return f"{self.row}: the row is {'gone' if self.new is None else 'new'}"
        return f"{self.row}: {self.figure} {shown(self.old)} -> {shown(self.new)}{self.per_cent}"


def shown(value: str | int | float | None) -> str:
    return f"{value:,}" if isinstance(value, int | float) else "none" if value is None else value


def read(kind: Kind, path: Path | None = None) -> dict:
    path = path or kind.path
    try:
        results = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sentence = f"{path} cannot be read ({error}): write it by `{kind.command}`"
        raise ExpectationError(sentence) from None
    rows = results.get("rows") if isinstance(results, dict) else None
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise ExpectationError(f"{path} has no rows of figures: write it by `{kind.command}`")
    return results


def text_of(results: Mapping) -> str:
    """One row a line, so that a comparison of two files shows what moved."""
    parts = []
    for key, value in results.items():
        if key == "rows":
            lines = [f"  {json.dumps(row)}: {json.dumps(value[row])}" for row in value]
            parts.append('"rows": {\n' + ",\n".join(lines) + "}")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n ".join(parts) + "}\n"


def figures(row: Row) -> dict:
    return {name: value for name, value in row.items() if name not in NOTES}


def moves(old: Rows, new: Rows) -> list[Move]:
    """What differs between two measurements, in the order of the new one."""
    found = []
    for row, now in new.items():
        if row not in old:
            found.append(Move(row, new=""))
            continue
        before = figures(old[row])
        names = dict.fromkeys((*before, *figures(now)))
        found += [
            Move(row, name, before.get(name), now.get(name))
            for name in names
            if before.get(name) != now.get(name)
        ]
    return found + [Move(row, old="") for row in old if row not in new]


def best_of(kind: Kind, row: Row, figure: str) -> float | None:
    return row.get("best", {}).get(figure, row.get(figure))


def worse(kind: Kind, old: Rows, new: Rows, limit: float = LIMIT) -> list[Move]:
    """The judged figures that are worse than the best since the last reason by more than the limit."""
    found = []
    for row, now in new.items():
        for figure, sign in kind.judged.items():
            best, value = best_of(kind, old.get(row, {}), figure), now.get(figure)
            if best is None or value is None:
                continue
            if sign * (value - best) > limit * abs(best):
                found.append(Move(row, figure, best, value))
    return found


def still_lost(kind: Kind, reason: Mapping, row: Row) -> dict:
    """What of a reason is for figures that are still worse than before it by more than LIMIT"""

    def is_lost(name: str, old: float, new: float) -> bool:
        return kind.judged.get(name, 0) * (row.get(name, new) - old) > LIMIT * abs(old)

    lost = {name: pair for name, pair in reason.items() if name != "text" and is_lost(name, *pair)}
    return {"text": reason["text"]} | lost if lost else {}


def noted(kind: Kind, old: Rows, new: Rows, lost: Iterable[Move], reason: str) -> dict[str, dict]:
    """The new rows with their notes: the last reason, and the best figures since."""
    rows = {}
    for name, now in new.items():
        before, own = old.get(name, {}), [move for move in lost if move.row == name]
        row = figures(now)
        best = {}
        for figure, sign in kind.judged.items():
            values = [v for v in (best_of(kind, before, figure), row.get(figure)) if v is not None]
            if row.get(figure) is None or any(move.figure == figure for move in own):
                continue
            least = min(values, key=lambda v: sign * v)
            if least != row[figure]:
                best[figure] = least
        if own:
            row["reason"] = {"text": reason} | {one.figure: [one.old, one.new] for one in own}
        elif left := still_lost(kind, before.get("reason", {}), row):
            row["reason"] = left
        rows[name] = row | ({"best": best} if best else {})
    return rows


def accept(kind: Kind, results: dict, measured: Rows, reason: str = "") -> tuple[bool, str]:
    """Whether the measurement is accepted, and what to print. `results` gets the new rows if it is."""
    old = results["rows"]
    found, lost = moves(old, measured), worse(kind, old, measured)
    text = [str(move) for move in found]
    if not found:
        return True, f"{len(measured)} rows of {kind.path} are as they were."
    text.append(f"{len({move.row for move in found})} of {len(measured)} rows moved.")
    if lost and not reason.strip():
        text.append(f"Refused: these are worse by more than {100 * LIMIT:g} %.")
        text += [f"  {move}" for move in lost]
        text.append(
            f"Find the cause, or accept them by `{kind.command} REASON='why it is worth it'`. "
            f"{kind.path} is unchanged."
        )
        return False, "\n".join(text)
    results["rows"] = noted(kind, old, measured, lost, reason.strip())
    return True, "\n".join(text)


def take(kind: Kind, measured: Rows, reason: str = "", head: Mapping | None = None) -> int:
    """Accepts a measurement, says what moved, and writes the kind's file, with `head` beside its rows. Its exit status."""
    results = read(kind)
    accepted, said = accept(kind, results, measured, reason)
    print(said)
    if accepted:
        kind.path.write_text(text_of({**results, **(head or {})}))
    return 0 if accepted else 1


def complaint(kind: Kind, found: Iterable[Move]) -> str:
    """What a test prints if `found` is not empty."""
    lines = [str(move) for move in found]
    if not lines:
        return ""
    return "\n".join(
        [
            f"{kind.path} is not what is measured now:",
            *lines,
            f"If the change is meant, accept it by `{kind.command}` and commit the file with it.",
        ]
    )
