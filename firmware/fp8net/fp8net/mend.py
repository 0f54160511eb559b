# SPDX-License-Identifier: Apache-2.0
"""Mends the products of a quantised network by data: weights rounded by the error of results (rounding.py), biases that take away
the mean error (bias.py).

Products are mended in the order of the file. Each one reads what the mended products before it have written, so both networks run
once, side by side, in parts that end at a product.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx

from . import bias, rounding, shapes, states
from .qdq import Writer
from .walk import Walk

FITTED = 64  # runs that weights are rounded by, at most: these from first to last


@dataclasses.dataclass
class Outcome:
    model: onnx.ModelProto
    rounded: list[str]  # names of products with other codes of weights
    corrected: list[str]  # names of products with other biases
    left: list[str]  # products that have no counterpart in the float file, or no finite error


@dataclasses.dataclass
class _Rounded:
    """A product whose weights are rounded, and its operand in both networks"""

    product: rounding.Product
    own: str
    reference: str


def mend(
    quantised: onnx.ModelProto,
    coded: dict[str, np.ndarray],
    reference: onnx.ModelProto,
    runs: list,
    rounds: bool = True,
    corrects: bool = True,
) -> Outcome:
    """`reference` is the float file, prepared; `runs` are the data; `coded` has the weights for each value that codes stand for."""
    writer = Writer(quantised)
    targets, left = bias.find(writer.graph, reference)
    outcome = Outcome(writer.model, [], [], left)
    plans = [_plan(writer, t, coded, reference) if rounds else None for t in targets]
    inputs = _inputs(reference, runs)
    if not corrects:  # and weights need fewer runs
        chosen = np.linspace(0, len(inputs) - 1, min(FITTED, len(inputs))).round().astype(int)
        inputs = [inputs[i] for i in chosen]
    own, truth = [], []
    for target, plan in zip(targets, plans):
        own += [plan.own] if plan else []
        truth += [plan.reference] if plan else []
        own += [target.result] if corrects else []
        truth += [target.reference] if corrects else []
    own, truth = Walk(writer.model, inputs, own), Walk(reference, inputs, truth)
    for target, plan in zip(targets, plans):
        name = target.product.name or target.result
        if plan and _round(plan, own, truth):
            outcome.rounded.append(name)
        if corrects:
            found = _correct(writer, target, own, truth)
            (outcome.corrected if found else left).append(name)
    return outcome


def _inputs(reference: onnx.ModelProto, runs: list) -> list[dict]:
    """Of each run, with the states that the float file has then"""
    if not states.of(reference):
        return runs
    session, found = shapes.session(reference), []
    for run in runs:
        found.append({**run, **session.kept})
        session.run(None, run)
    return found


def _plan(writer: Writer, target: bias.Target, coded: dict, reference) -> _Rounded | None:
    product = rounding.product_of(writer, target.product, coded, 1 + target.halves)
    if product is None:
        return None
    known = {o for node in reference.graph.node for o in node.output}
    known |= {value.name for value in reference.graph.input}
    own = target.product.input[0]
    if own in known and not target.halves:
        return _Rounded(product, own, own)
    made = {o: n for n in writer.graph.node for o in n.output}
    source = own
    for kind in ("DequantizeLinear", "QuantizeLinear"):
        if source not in made or made[source].op_type != kind:
            return None
        source = made[source].input[0]
    # Both codes together are nearly the value itself.
    return _Rounded(product, source if target.halves else own, source) if source in known else None


def _round(plan: _Rounded, own: Walk, truth: Walk) -> bool:
    given, wanted = own.to(plan.own), truth.to(plan.reference)
    if not all(np.isfinite(v).all() for v in (*given, *wanted)):
        return False
    return rounding.improve(plan.product, given, wanted) > 0


def _correct(writer: Writer, target: bias.Target, own: Walk, truth: Walk) -> bool:
    values, axis = own.to(target.result), target.axis
    change = bias.channels(truth.to(target.reference), axis) - bias.channels(values, axis)
    if not np.isfinite(change).all():
        return False
    bias.add(writer, target, change)
    bias.shift(values, axis, change)
    return True
