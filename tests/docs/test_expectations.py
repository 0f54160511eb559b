# SPDX-License-Identifier: Apache-2.0
"""Recorded expectations (tools/accept): what moved is said, a loss of more than 1 % needs a reason, and small losses add up."""

import copy
import json
from pathlib import Path

import pytest

from tests.conftest import Bench
from tools.accept import expectations as accept

KIND = accept.Kind("things", Path("things.json"), {"cycles": 1, "sqnr": -1})
OLD = {"rows": {"a": {"cycles": 1000, "sqnr": 20.0, "beats": 5}, "b": {"cycles": 300}}}


def changed(row: str, **figures: float) -> dict:
    rows = copy.deepcopy(OLD["rows"])
    rows[row] |= figures
    return rows


def taken(rows: dict, reason: str = "", old: dict = OLD) -> tuple[bool, str, dict]:
    results = copy.deepcopy(old)
    accepted, text = accept.accept(KIND, results, rows, reason)
    return accepted, text, results


def test_nothing_moved(bench: Bench) -> None:
    accepted, text, results = taken(OLD["rows"])
    bench.check("nothing moved", accepted and results == OLD and "as they were" in text)


@pytest.mark.parametrize(
    ("figures", "accepted"),
    (
        ({"cycles": 900}, True),
        ({"cycles": 1010}, True),  # exactly 1 %
        ({"cycles": 1011}, False),
        ({"sqnr": 19.8}, True),
        ({"sqnr": 19.7}, False),
        ({"sqnr": 30.0}, True),
        ({"beats": 500}, True),  # it is not judged
    ),
)
def test_limit(bench: Bench, figures: dict, accepted: bool) -> None:
    (name, new), *_ = figures.items()
    got, text, results = taken(changed("a", **figures))
    bench.check(f"{figures}: {text}", got == accepted)
    line = f"a: {name} {accept.shown(OLD['rows']['a'][name])} -> {accept.shown(new)}"
    bench.check(f"it is said: {text}", line in text and " %)" in text)
    bench.check(
        "the file", results["rows"]["a"][name] == (new if accepted else OLD["rows"]["a"][name])
    )
    if not accepted:
        bench.check(f"the next step is said: {text}", "make accept-things REASON=" in text)
        got, text, results = taken(changed("a", **figures), "a second bank")
        reason = results["rows"]["a"].get("reason")
        want = {"text": "a second bank", name: [OLD["rows"]["a"][name], new]}
        bench.check(f"the reason stands beside the row: {reason}", got and reason == want)
        bench.check("and at no other row", "reason" not in results["rows"]["b"])


def test_small_losses_add_up(bench: Bench) -> None:
    results, cycles, accepted = OLD, 1000, True
    for _ in range(3):
        cycles += 4
        accepted, text, results = taken(changed("a", cycles=cycles), old=results)
    bench.check("1.2 % in three steps is refused", not accepted)
    bench.check(f"beside the best one: {text}", "cycles 1,000 -> 1,012" in text)
    accepted, _, results = taken(changed("a", cycles=1012), "why", results)
    bench.check("a reason begins anew", accepted and "best" not in results["rows"]["a"])
    accepted, _, results = taken(changed("a", cycles=1020), old=results)
    row = results["rows"]["a"]
    bench.check(f"and is kept: {row}", accepted and row["reason"]["text"] == "why")
    bench.check("with the best one since", row["best"] == {"cycles": 1012})
    _, _, results = taken(changed("a", cycles=990), old=results)
    bench.check("a better one needs no note", "best" not in results["rows"]["a"])
    bench.check("nor a reason for a loss that is made good", "reason" not in results["rows"]["a"])


def test_reason_lapses(bench: Bench) -> None:
    _, _, results = taken(changed("a", cycles=1100, sqnr=18.0), "why")
    _, _, results = taken(changed("a", cycles=1010, sqnr=18.5), old=results)
    reason = results["rows"]["a"].get("reason")
    bench.check(f"one is left: {reason}", reason == {"text": "why", "sqnr": [20.0, 18.0]})


def test_rows_come_and_go(bench: Bench) -> None:
    rows = {"b": {"cycles": 300}, "c": {"cycles": 7}}
    accepted, text, results = taken(rows)
    bench.check(
        f"they are said: {text}", "a: the row is gone" in text and "c: the row is new" in text
    )
    bench.check("they are taken", accepted and list(results["rows"]) == ["b", "c"])


def test_file(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_text(accept.text_of({**OLD, "run": {"date": "today"}}))
    bench.check("a row is a line", len(path.read_text().splitlines()) == 4)
    bench.check("and is read again", accept.read(KIND, path) == json.loads(path.read_text()))
    for text in ("", "[]", '{"rows": []}', '{"rows": {"a": 1}}'):
        path.write_text(text)
        with pytest.raises(accept.ExpectationError) as refused:
            accept.read(KIND, path)
        bench.check(f"{text!r}: {refused.value}", "make accept-things" in str(refused.value))


def test_complaint(bench: Bench) -> None:
    bench.check("nothing", accept.complaint(KIND, accept.moves(OLD["rows"], OLD["rows"])) == "")
    text = accept.complaint(KIND, accept.moves(OLD["rows"], changed("b", cycles=303)))
    bench.check(text, "b: cycles 300 -> 303 (+1.00 %)" in text and "`make accept-things`" in text)
