# SPDX-License-Identifier: Apache-2.0
"""Steps of the quantiser: what each gained. A quantised file has them in its metadata, and the report of its program a table."""

from __future__ import annotations

import dataclasses
import json

import onnx

KEY = "fp8net.steps"  # of the model's metadata


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    before: float  # dB of the worst output, or of what its softmax or sigmoid reads
    after: float | None  # None: it was not possible
    applied: bool
    note: str = ""
    error: float | None = None  # standard error of the gain, in dB; None: not known

    @property
    def gain(self) -> str:
        error = "" if self.error is None else f" ± {self.error:.1f}"
        return f"{self.after - self.before:+.1f}{error}"

    def __str__(self) -> str:
        kind = "applied" if self.applied else "not applied"
        note = f"; {self.note}" if self.note else ""
        if self.after is None:
            return f"{self.name}: {kind}{note}"
        change = f"{self.gain} dB, {self.before:.1f} to {self.after:.1f} dB"
        return f"{self.name}: {change}; {kind}{note}"


def write(model: onnx.ModelProto, rule: str, steps: list[Step]) -> None:
    """The steps, for the report of the program"""
    rows = [[s.name, s.before, s.after, s.applied, s.note, s.error] for s in steps]
    text = json.dumps({"rule": rule, "steps": rows}) if rows else ""
    for entry in [p for p in model.metadata_props if p.key == KEY]:
        model.metadata_props.remove(entry)
    if text:
        model.metadata_props.add(key=KEY, value=text)


def of(model: onnx.ModelProto) -> dict:
    """What `write` wrote, as report.json has it; {}: nothing, or nothing of this form"""
    text = next((p.value for p in model.metadata_props if p.key == KEY), "")
    try:
        found = json.loads(text)
        return {
            "rule": str(found["rule"]),
            "steps": [dataclasses.asdict(Step(*s)) for s in found["steps"]],
        }
    except (ValueError, KeyError, TypeError):
        return {}


def table(found: dict) -> list[str]:
    """Lines of Markdown"""
    if not found:
        return []
    lines = [
        f"Steps of the quantiser. {found['rule']} SQNR is that of the worst output, or of what its softmax or sigmoid reads.",
        "",
        "| step | SQNR before, dB | with it | gain | applied |",
        "|---|---|---|---|---|",
    ]
    for s in found["steps"]:
        after = "-" if s["after"] is None else f"{s['after']:.1f}"
        gain = "-" if s["after"] is None else Step(**s).gain
        applied = ("yes" if s["applied"] else "no") + (f": {s['note']}" if s["note"] else "")
        lines.append(f"| {s['name']} | {s['before']:.1f} | {after} | {gain} | {applied} |")
    return [*lines, ""]
