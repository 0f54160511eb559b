# SPDX-License-Identifier: Apache-2.0
"""Tensors that cost a network most when they are rounded to FP8: what --keep or --split of each would give.

Each candidate is tried: the network is quantised with the option and runs in ONNX Runtime, which rounds where the chip does.
"""

from __future__ import annotations

import dataclasses
import shlex

import numpy as np

from . import fuse, importer, logarithm, lower, quantize, report, shapes, weights
from .errors import Refused

RUNS = 4  # of the data
CANDIDATES = 12  # tensors whose rounding loses most
SHOWN = 3
LEAST_DB = 0.5


@dataclasses.dataclass(frozen=True)
class Proposal:
    flag: str
    names: tuple[str, ...]
    sqnr: float

    def __str__(self) -> str:
        options = " ".join(f"{self.flag} {shlex.quote(name)}" for name in self.names)
        return f"{options}: {self.sqnr:.1f} dB"


def proposals(source: quantize.Source, options: quantize.Options) -> list[str]:
    """What to print: the SQNR of the worst output without, and with the options that help most."""
    base, found = find(source, options)
    if not found:
        return []
    count = min(len(source.runs), RUNS)
    head = f"{base:.1f} dB in the first {count} runs, by ONNX Runtime. One by one:"
    return [head, *(f"  {proposal}" for proposal in found)]


def find(source: quantize.Source, options: quantize.Options) -> tuple[float, list[Proposal]]:
    few = source.first(RUNS)
    reference = source.model
    truth = outputs(reference, few.runs)
    model, chosen, _ = quantize.quantise_source(few, options)
    base = worst(truth, outputs(model, few.runs))
    tried, together = {}, _together(reference)
    for name in [*together, *_candidates(few, chosen)]:
        names = together.get(name, (name,))
        for field in ("keep", "split") if names not in tried else ():
            changed = dataclasses.replace(options, **{field: (*getattr(options, field), *names)})
            value = _try(few, changed, truth)
            if value is not None:
                tried[names] = Proposal(f"--{field}", names, value)
                break
    good = [p for p in tried.values() if p.sqnr >= base + LEAST_DB]
    return base, sorted(good, key=lambda p: -p.sqnr)[:SHOWN]


def _together(reference) -> dict[str, tuple[str, ...]]:
    """Operand and result of a logarithm, which stay float32 both or not at all."""
    layers = fuse.fuse(importer.load(reference)).layers
    pairs = [(x.inputs[0], x.output) for x in layers if logarithm.of(x) is not None]
    return {name: pair for pair in pairs for name in pair}


def _candidates(source: quantize.Source, chosen: dict) -> list[str]:
    """The tensors whose own rounding has the lowest SQNR."""
    values = source.observe(source.new, [n for n in chosen if n in source.known])
    errors = {n: report.sqnr(x, weights.rounded(x, *chosen[n])) for n, x in values.items()}
    return sorted(errors, key=lambda name: errors[name])[:CANDIDATES]


def _try(source: quantize.Source, options: quantize.Options, truth) -> float | None:
    """The SQNR of the worst output; None: the option is refused."""
    try:
        model, _, _ = quantize.quantise_source(source, options)
        lower.lower_model(shapes.infer(model))
    except Refused:
        return None
    return worst(truth, outputs(model, source.runs))


def outputs(model, runs: list) -> list[np.ndarray]:
    """All runs of each output; states are none."""
    session = shapes.session(model)
    names = [o.name for o in model.graph.output if o.name not in session.pairs.values()]
    results = [session.run(names, run) for run in runs]
    return [np.stack([np.asarray(r[i], np.float32) for r in results]) for i in range(len(names))]


def worst(truth: list[np.ndarray], values: list[np.ndarray]) -> float:
    return min(report.sqnr(t, v) for t, v in zip(truth, values))
