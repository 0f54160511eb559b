# SPDX-License-Identifier: Apache-2.0
"""The recipe of quantisation: steps that cost the chip little, each of which is kept if it gains on data that it has not seen.

    weights by results    rounding.py; no cycles
    bias correction       bias.py; no cycles, but for biases that are new
    equal channels        equalise.py; no cycles
    input in two codes    split.py; a second product of the first layer

Each step is judged by cross-validation. The data are in four parts, and the network that runs a part has weights and biases that
were fitted to the three others. Those of the file that is written are fitted to all data. Scales are of all data.
"""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
import onnx

from . import (
    equalise,
    estimate,
    judge,
    lower,
    mend,
    plan,
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
ERRORS = 1.0  # standard errors that a gain has at least
MOST_CYCLES = 0.25  # of the network's, by the estimate, that a second product may add
ALL = -1  # fold
TITLES = {"rounding": "weights by results", "bias": "bias correction"}


@dataclasses.dataclass(frozen=True)
class Recipe:
    equalise: bool = True
    rounding: bool = True
    bias: bool = True
    split: bool = True


@dataclasses.dataclass(frozen=True)
class Setup:
    """What is done to a network"""

    options: quantize.Options
    equalise: bool = False
    rounding: bool = False
    bias: bool = False

    @property
    def unmended(self) -> Setup:
        return dataclasses.replace(self, rounding=False, bias=False)


@dataclasses.dataclass
class Quantised:
    """A network before its products are mended"""

    plain: onnx.ModelProto
    scales: dict
    coded: dict  # the weights for each value that codes stand for


@dataclasses.dataclass
class Result:
    model: onnx.ModelProto
    scales: dict
    options: quantize.Options  # with the tensors that were split
    steps: list[steps.Step]
    rule: str  # by which data the steps are judged
    plain: onnx.ModelProto  # without mended products
    coded: dict  # of it, the weights for each value that codes stand for
    source: quantize.Source

    def lines(self) -> list[str]:
        return [f"{self.rule} Steps:", *(f"  {step}" for step in self.steps)] if self.steps else []


def folds(count: int, in_order: bool) -> tuple[list[tuple[list[int], list[int]]], str]:
    """Runs to fit and runs to judge by, for each part; and the rule in words. Runs with states stay in their order."""
    every = list(range(count))
    if count < LEAST_RUNS:
        text = f"{count} runs are too few to hold any out: a step is judged by all, and must gain {LEAST_DB} dB."
        return [(every, every)], text
    part = [i * FOLDS // count if in_order else i % FOLDS for i in every]
    found = [
        ([r for r in every if part[r] != fold], [r for r in every if part[r] == fold])
        for fold in range(FOLDS)
    ]
    how = "in order" if in_order else "every fourth run"
    text = (
        f"{count} runs in {FOLDS} parts ({how}), each judged with weights and biases fitted to the others. A step must gain its standard "
        f"error."
    )
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
    return _Run(quantize.source_for(path, runs, options, given, states), options).go(recipe)


def proved(result: Result, path, runs: list, states=None):
    """The model, its scales and its graph, compared with the file: all but the corrections before these, and all behind them."""
    graph = quantize.prove(result.plain, result.coded, result.model, path, runs, states)
    return result.model, result.scales, graph


class _Run:
    def __init__(self, source: quantize.Source, options: quantize.Options):
        self.source, self.runs = source, source.runs
        self.in_order = bool(kept.of(source.model))
        self.folds, self.rule = folds(len(self.runs), self.in_order)
        self.equal: quantize.Source | None = None  # with equal channels
        self.made: dict[Setup, Quantised] = {}
        self.rounded: dict[tuple[Setup, int], mend.Outcome] = {}
        self.setup = Setup(options)
        self.plain(self.setup)  # refused at once, if it is
        self.steps: list[steps.Step] = []

    def go(self, recipe: Recipe) -> Result:
        """The file says which steps were tried."""
        if any(dataclasses.astuple(recipe)) and not self.setup.options.mx:  # ONNX Runtime has no MX
            self._all(recipe)
        found = self.plain(self.setup)
        model = self.mended(self.setup).model
        steps.write(model, self.rule, self.steps)
        more = self.setup.options, self.steps, self.rule, found.plain, found.coded
        source = self._source(self.setup)
        return Result(model, found.scales, *more, source)

    def _all(self, recipe: Recipe) -> None:
        self.values = judge.values(self.source.model, self.plain(self.setup).plain)
        self.judge = judge.Judge(self._outputs(self.setup, self.source.model), self.in_order)
        self.errors = self._errors(self.setup)
        if self.setup.options.powers:
            self._powers()
        free = [name for name in ("rounding", "bias") if getattr(recipe, name)]
        for name in free:
            self._mend(name)
        applied = [recipe.equalise and self._equalise()]
        applied += [
            self._split(name)
            for name in (split.inputs(self.source.model) if recipe.split else ())
            if split.place(self.source.model, name) not in self._places()
        ]
        if any(applied):
            for name in free:
                if not getattr(self.setup, name):
                    self._mend(name)

    # ---- networks

    def _source(self, setup: Setup) -> quantize.Source:
        return self.equal if setup.equalise else self.source

    def plain(self, setup: Setup) -> Quantised:
        setup = setup.unmended
        if setup not in self.made:
            made = quantize.quantise_source(self._source(setup), setup.options)
            self.made[setup] = Quantised(*made)
        return self.made[setup]

    def mended(self, setup: Setup, fold: int = ALL) -> mend.Outcome:
        """With products that are fitted to the runs of the fold: weights first, then biases"""
        found = self.plain(setup)
        runs = self.runs if fold == ALL else [self.runs[i] for i in self.folds[fold][0]]
        more = found.coded, self._source(setup).model, runs
        outcome = mend.Outcome(found.plain, [], [], [])
        if setup.rounding:
            key = setup.unmended, fold
            if key not in self.rounded:
                self.rounded[key] = mend.mend(found.plain, *more, corrects=False)
            outcome = self.rounded[key]
        if setup.bias:
            rounded = outcome.rounded
            outcome = mend.mend(outcome.model, *more, rounds=False)
            outcome.rounded = rounded
        return outcome

    def _places(self) -> list[str]:
        return [split.place(self.source.model, name) for name in self.setup.options.split]

    def _outputs(self, setup: Setup, model: onnx.ModelProto | None = None) -> list[np.ndarray]:
        """Of all runs, those of each part with products that are fitted to the others"""
        found: list = [None] * len(self.runs)
        for fold, (_, held) in enumerate(self.folds):
            own = model or self.mended(setup, fold).model
            probe = quantize.Probe(own, [v.name for v in self.values])
            for run in held:
                found[run] = list(probe.run(self.runs[run]).values())
        return [v.of(np.stack(column)) for v, column in zip(self.values, zip(*found))]

    def _errors(self, setup: Setup) -> np.ndarray:
        return self.judge.errors(self._outputs(setup))

    # ---- steps

    def _try(self, title: str, setup: Setup, note: str, least: float = 0.0) -> bool:
        """Applies a step that gains so many dB and its standard error."""
        errors = self._errors(setup)
        gain = self.judge.gain(self.errors, errors)
        if len(self.folds) == 1:
            least, error = max(least, LEAST_DB), None
        else:
            error = gain.error
        applied = gain.db > 0 and gain.db >= max(least, ERRORS * (error or 0.0))
        self.steps.append(steps.Step(title, gain.before, gain.after, applied, note, error))
        if applied:
            self.setup, self.errors = setup, errors
        return applied

    def _powers(self) -> None:
        """What these scales lose: no step, because they were asked for"""
        floats = Setup(dataclasses.replace(self.setup.options, powers=False))
        before, after = self.judge.db(self._errors(floats)), self.judge.db(self.errors)
        self.steps.append(steps.Step("scales that are powers of two", before, after, True))

    def _equalise(self) -> bool:
        model, count = equalise.equalise(self.source.new, self.runs)
        if not count:
            return False
        self.equal = self.source.rewritten(model)
        setup = dataclasses.replace(self.setup, equalise=True)
        title = f"equal channels between {counted(count, 'pair')} of convolutions"
        return self._try(title, setup, "")

    def _mend(self, name: str) -> None:
        setup = dataclasses.replace(self.setup, **{name: True})
        try:
            outcome = self.mended(setup)
            lower.lower_model(shapes.infer(outcome.model))
        except Refused as error:
            self._refused(TITLES[name], error)
            return
        products = outcome.rounded if name == "rounding" else outcome.corrected
        if products:
            note = f"left: {', '.join(outcome.left)}" if outcome.left else ""
            self._try(f"{TITLES[name]} of {counted(len(products), 'product')}", setup, note)

    def _split(self, name: str) -> bool:
        options = self.setup.options
        options = dataclasses.replace(options, split=(*options.split, name))
        setup = dataclasses.replace(self.setup, options=options)
        title = f"input {name} in two codes"
        try:
            cycles = [_cycles(self.plain(s).plain) for s in (self.setup, setup)]
        except Refused as error:
            self._refused(title, error)
            return False
        more = cycles[1] / max(cycles[0], 1) - 1
        note = f"{100 * more:.0f} % more cycles, estimated"
        if more > MOST_CYCLES:
            before = self.judge.db(self.errors)
            note = f"not tried, {note}: --split {name} takes it"
            self.steps.append(steps.Step(title, before, None, False, note))
            return False
        return self._try(title, setup, note, COSTLY_DB)

    def _refused(self, title: str, error: Refused) -> None:
        before = self.judge.db(self.errors)
        self.steps.append(steps.Step(title, before, None, False, str(error.problems[0])))


def _cycles(model: onnx.ModelProto) -> int:
    """Of the layers on the default array"""
    graph = lower.lower_model(shapes.infer(model))
    graph.columns = plan.COLUMNS
    found = estimate.layers(graph, plan.make(graph), graph.element)
    return sum((its.accelerator or 0) + (its.core or 0) for its in found)
