# SPDX-License-Identifier: Apache-2.0
"""The recipe of quantisation: steps that cost the chip little, each of which is kept if it gains on data that it has not seen.

    bias correction    bias.py; no cycles
    input in two codes split.py; a second product of the first layer

Scales are of all data. A quarter of the data is held out: corrections do not see it, and each step is judged by it.
"""

from __future__ import annotations

import dataclasses
import pathlib

import onnx

from . import bias, lower, propose, quantize, shapes, split
from .errors import Refused

LEAST_RUNS = 8  # with fewer, nothing is held out
SHARE = 4  # one of so many runs is held out
LEAST_DB = 0.5  # that a step gains which costs cycles, or which was judged by what it was fitted to
MOST_WORK = 0.25  # of the network's MACs, that a second product may add


@dataclasses.dataclass(frozen=True)
class Recipe:
    bias: bool = True
    split: bool = True


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    before: float  # dB of the worst output
    after: float | None  # None: it was not possible
    applied: bool
    note: str = ""

    def __str__(self) -> str:
        kind = "applied" if self.applied else "not applied"
        note = f"; {self.note}" if self.note else ""
        if self.after is None:
            return f"{self.name}: {kind}{note}"
        change = f"{self.after - self.before:+.1f} dB, {self.before:.1f} to {self.after:.1f} dB"
        return f"{self.name}: {change}; {kind}{note}"


@dataclasses.dataclass
class Result:
    model: onnx.ModelProto
    scales: dict
    options: quantize.Options  # with the tensors that were split
    steps: list[Step]
    rule: str  # what was held out

    def lines(self) -> list[str]:
        return [f"{self.rule} Steps:", *(f"  {step}" for step in self.steps)] if self.steps else []


def parts(runs: list, in_order: bool) -> tuple[list, list, str]:
    """Runs to fit, runs to judge by, and the rule in words. Runs with states stay in their order."""
    if len(runs) < LEAST_RUNS:
        text = f"{len(runs)} runs are too few to hold any out: each step is judged by all, and must gain {LEAST_DB} dB."
        return runs, runs, text
    if in_order:
        count = len(runs) // SHARE
        return runs[:-count], runs[-count:], f"The last {count} of {len(runs)} runs are held out."
    held = runs[SHARE - 1 :: SHARE]
    fitted = [run for i, run in enumerate(runs) if i % SHARE != SHARE - 1]
    return fitted, held, f"Each fourth run is held out, {len(held)} of {len(runs)}."


def quantise(
    path: str | pathlib.Path,
    runs: list,
    options: quantize.Options,
    given: dict | None = None,
    states: dict | None = None,
    recipe: Recipe = Recipe(),
) -> Result:
    """Quantises with each step that gains."""
    return _Run(path, runs, options, given, states).go(recipe)


class _Run:
    def __init__(self, path, runs, options, given, states):
        self.path, self.runs, self.more = path, runs, (given, states)
        self.reference = shapes.prepare(path, given, states)
        self.fitted, self.held, self.rule = parts(runs, bias.has_states(self.reference))
        self.seen = self.held is self.runs
        model, scales = quantize.quantize(path, runs, options, *self.more)
        self.result = Result(model, scales, options, [], self.rule)
        self.corrects = False

    def go(self, recipe: Recipe) -> Result:
        if self.result.options.mx or not (recipe.bias or recipe.split):
            return self.result  # ONNX Runtime has no MX
        self.truth = propose.outputs(self.reference, self.held)
        self.db = self._judge(self.result.model)
        if recipe.bias:
            self._correct()
        if recipe.split:
            for name in split.inputs(self.reference):
                if name not in self.result.options.split:
                    self._split(name)
        return self.result

    def _judge(self, model: onnx.ModelProto) -> float:
        return propose.worst(self.truth, propose.outputs(model, self.held))

    def _take(self, name: str, model, after: float, least: float, note: str) -> bool:
        """Whether the step is applied"""
        gains = after > self.db and after >= self.db + least
        self.result.steps.append(Step(name, self.db, after, gains, note))
        if gains:
            self.result.model, self.db = model, after
        return gains

    def _correct(self) -> None:
        outcome = bias.correct(self.result.model, self.reference, self.fitted)
        name = f"bias correction of {len(outcome.corrected)} products"
        if not outcome.corrected:
            return
        try:
            lower.lower_model(shapes.infer(outcome.model))
        except Refused as error:
            step = Step("bias correction", self.db, None, False, str(error.problems[0]))
            self.result.steps.append(step)
            return
        note = f"left: {', '.join(outcome.left)}" if outcome.left else ""
        least = LEAST_DB if self.seen else 0.0
        self.corrects = self._take(name, outcome.model, self._judge(outcome.model), least, note)

    def _split(self, name: str) -> None:
        options = self.result.options
        options = dataclasses.replace(options, split=(*options.split, name))
        title = f"input {name} in two codes"
        try:
            model, scales = quantize.quantize(self.path, self.runs, options, *self.more)
            work = _macs(model) / max(_macs(self.result.model), 1) - 1
            if self.corrects:
                model = bias.correct(model, self.reference, self.fitted).model
                lower.lower_model(shapes.infer(model))
        except Refused as error:
            self.result.steps.append(Step(title, self.db, None, False, str(error.problems[0])))
            return
        note = f"{100 * work:.1f} % more MACs"
        after = self._judge(model)
        if work > MOST_WORK:
            note += f": --split {name} takes it"
            self.result.steps.append(Step(title, self.db, after, False, note))
        elif self._take(title, model, after, LEAST_DB, note):
            self.result.scales, self.result.options = scales, options


def _macs(model: onnx.ModelProto) -> int:
    graph = lower.lower_model(shapes.infer(model))
    return sum(graph.macs(layer) for layer in graph.layers)
