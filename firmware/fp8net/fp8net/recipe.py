# SPDX-License-Identifier: Apache-2.0
"""The recipe of quantisation: steps that cost the chip little, each of which is kept if it gains on data that it has not seen.

    bias correction    bias.py; no cycles
    input in two codes split.py; a second product of the first layer

Each step is judged by cross-validation. The data are in four parts, and the network that runs a part has biases that were
corrected with the three others. The file that is written has biases corrected with all data. Scales are of all data.
"""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
import onnx

from . import (
    bias,
    estimate,
    lower,
    plan,
    propose,
    quantize,
    shapes,
    split,
    steps,
)
from . import states as kept
from .c_text import counted
from .errors import Refused

LEAST_RUNS = 8  # with fewer, nothing is held out
FOLDS = 4
LEAST_DB = 0.5  # that a step gains which was judged by what it was fitted to
COSTLY_DB = 1.0  # that a step gains which costs cycles
MOST_CYCLES = 0.25  # of the network's, by the estimate, that a second product may add


@dataclasses.dataclass(frozen=True)
class Recipe:
    bias: bool = True
    split: bool = True


@dataclasses.dataclass
class Result:
    model: onnx.ModelProto
    scales: dict
    options: quantize.Options  # with the tensors that were split
    steps: list[steps.Step]
    rule: str  # by which data the steps are judged
    plain: onnx.ModelProto  # without corrected biases
    coded: dict  # of it, the weights for each value that codes stand for

    def lines(self) -> list[str]:
        return [f"{self.rule} Steps:", *(f"  {step}" for step in self.steps)] if self.steps else []


def folds(runs: list, in_order: bool) -> tuple[list[tuple[list, list]], str]:
    """Runs to fit and runs to judge by, for each part; and the rule in words. Runs with states stay in their order."""
    count = len(runs)
    if count < LEAST_RUNS:
        text = f"{count} runs are too few to hold any out: a step is judged by all, and must gain {LEAST_DB} dB."
        return [(runs, runs)], text
    part = [i * FOLDS // count if in_order else i % FOLDS for i in range(count)]
    found = [
        (
            [r for r, its in zip(runs, part) if its != fold],
            [r for r, its in zip(runs, part) if its == fold],
        )
        for fold in range(FOLDS)
    ]
    how = "in order" if in_order else "every fourth run"
    text = f"{count} runs in {FOLDS} parts ({how}), each judged with biases of the others."
    return found, text


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


def proved(result: Result, path, runs: list, states=None):
    """The model, its scales and its graph, compared with the file: all but the corrections before these, and all behind them."""
    graph = quantize.prove(result.plain, result.coded, result.model, path, runs, states)
    return result.model, result.scales, graph


class _Run:
    def __init__(self, path, runs, options, given, states):
        self.path, self.runs, self.more = path, runs, (given, states)
        self.reference = shapes.prepare(path, given, states)
        self.folds, rule = folds(runs, bool(kept.of(self.reference)))
        model, scales, coded = quantize.quantise_coded(path, runs, options, *self.more)
        self.result = Result(model, scales, options, [], rule, model, coded)
        self.cycles: int | None = None  # of the plain model, where a step has asked for them
        self.corrects = False

    def go(self, recipe: Recipe) -> Result:
        """The file says which steps were tried."""
        if self.result.options.mx or not (recipe.bias or recipe.split):
            return self.result  # ONNX Runtime has no MX
        self._all(recipe)
        steps.write(self.result.model, self.result.rule, self.result.steps)
        return self.result

    def _all(self, recipe: Recipe) -> None:
        self.truth = self._outputs(self.reference)
        self.db = self._judge(self.result.plain, False)
        if self.result.options.powers:
            self._powers()
        if recipe.bias:
            self._correct()
        if recipe.split:
            for name in split.inputs(self.reference):
                if split.place(self.reference, name) not in self._places():
                    self._split(name)
            if recipe.bias and not self.corrects and self._places():
                self._correct()

    def _places(self) -> list[str]:
        return [split.place(self.reference, name) for name in self.result.options.split]

    def _outputs(self, model: onnx.ModelProto, corrects: bool = False) -> list[np.ndarray]:
        """Of all runs, part by part"""
        parts = []
        for fitted, held in self.folds:
            own = bias.correct(model, self.reference, fitted).model if corrects else model
            parts.append(propose.outputs(own, held))
        return [np.concatenate(values) for values in zip(*parts)]

    def _judge(self, model: onnx.ModelProto, corrects: bool) -> float:
        return propose.worst(self.truth, self._outputs(model, corrects))

    def _step(self, name: str, after: float | None, applied: bool, note: str) -> bool:
        self.result.steps.append(steps.Step(name, self.db, after, applied, note))
        if applied:
            self.db = after
        return applied

    def _powers(self) -> None:
        """What these scales lose: no step, because they were asked for"""
        floats = dataclasses.replace(self.result.options, powers=False)
        model, _ = quantize.quantize(self.path, self.runs, floats, *self.more)
        lost = steps.Step("scales that are powers of two", self._judge(model, False), self.db, True)
        self.result.steps.append(lost)

    def _correct(self) -> None:
        outcome = bias.correct(self.result.plain, self.reference, self.runs)
        name = f"bias correction of {counted(len(outcome.corrected), 'product')}"
        if not outcome.corrected:
            return
        try:
            lower.lower_model(shapes.infer(outcome.model))
        except Refused as error:
            self._step(name, None, False, str(error.problems[0]))
            return
        note = f"left: {', '.join(outcome.left)}" if outcome.left else ""
        after = self._judge(self.result.plain, True)
        least = LEAST_DB if len(self.folds) == 1 else 0.0
        if self._step(name, after, after > self.db and after >= self.db + least, note):
            self.result.model, self.corrects = outcome.model, True

    def _split(self, name: str) -> None:
        options = self.result.options
        options = dataclasses.replace(options, split=(*options.split, name))
        title = f"input {name} in two codes"
        try:
            plain, scales, coded = quantize.quantise_coded(
                self.path, self.runs, options, *self.more
            )
            cycles = _cycles(plain)
            if self.cycles is None:
                self.cycles = _cycles(self.result.plain)
            more = cycles / max(self.cycles, 1) - 1
            model = plain
            if self.corrects:
                model = bias.correct(plain, self.reference, self.runs).model
                lower.lower_model(shapes.infer(model))
        except Refused as error:
            self._step(title, None, False, str(error.problems[0]))
            return
        note = f"{100 * more:.0f} % more cycles, estimated"
        after = self._judge(plain, self.corrects)
        gains = after >= self.db + COSTLY_DB
        if gains and more > MOST_CYCLES:
            note += f": --split {name} takes it"
        if self._step(title, after, gains and more <= MOST_CYCLES, note):
            result, self.cycles = self.result, cycles
            result.model, result.scales, result.options = model, scales, options
            result.plain, result.coded = plain, coded


def _cycles(model: onnx.ModelProto) -> int:
    """Of the layers on the default array"""
    graph = lower.lower_model(shapes.infer(model))
    graph.columns = plan.COLUMNS
    found = estimate.layers(graph, plan.make(graph), graph.element)
    return sum((its.accelerator or 0) + (its.core or 0) for its in found)
