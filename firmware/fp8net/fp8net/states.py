# SPDX-License-Identifier: Apache-2.0
"""States that are kept between runs: an input of the file that gets what an output had in the run before, 0 at first.

The pairs stand in the model's metadata, so that a quantised file has them too.
"""

from __future__ import annotations

import numpy as np
import onnx

from .errors import Problem, Refused, refuse

KEY = "fp8net.states"


def parse(texts: list[str]) -> dict[str, str]:
    """--state INPUT:OUTPUT"""
    pairs = {}
    for text in texts:
        given, _, kept = text.rpartition(":")
        if not given or not kept:
            raise refuse(f"--state {text}", "is not INPUT:OUTPUT")
        if given in pairs or kept in pairs.values():
            raise refuse(f"--state {text}", "has a name that another --state has")
        pairs[given] = kept
    return pairs


def of(model: onnx.ModelProto) -> dict[str, str]:
    text = next((p.value for p in model.metadata_props if p.key == KEY), "")
    return dict(line.split("\t") for line in text.split("\n") if line)


def write(model: onnx.ModelProto, pairs: dict[str, str]) -> None:
    """Refused unless each pair is an input and an output of the same shape."""
    if not pairs:
        return
    inputs, outputs = (
        {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in values}
        for values in (model.graph.input, model.graph.output)
    )
    problems = []
    for given, kept in pairs.items():
        where = f"--state {given}:{kept}"
        if given not in inputs:
            problems.append(Problem(where, f"there is no input {given!r}", f"{sorted(inputs)}"))
        elif kept not in outputs:
            problems.append(Problem(where, f"there is no output {kept!r}", f"{sorted(outputs)}"))
        elif inputs[given] != outputs[kept]:
            problems.append(Problem(where, f"has shapes {inputs[given]} and {outputs[kept]}"))
    if problems:
        raise Refused(problems)
    text = "\n".join("\t".join(pair) for pair in pairs.items())
    model.metadata_props.add(key=KEY, value=text)


class Session:
    """Runs a model again and again: its states go from run to run."""

    def __init__(self, model: onnx.ModelProto, session, run):
        self.session, self._run, self.pairs = session, run, of(model)
        self.kept = {
            v.name: np.zeros([d.dim_value for d in v.type.tensor_type.shape.dim], np.float32)
            for v in model.graph.input
            if v.name in self.pairs
        }

    def get_inputs(self) -> list:
        return self.session.get_inputs()

    def run(self, names: list[str] | None, values: dict[str, np.ndarray]) -> list[np.ndarray]:
        names = names or [o.name for o in self.session.get_outputs()]
        more = [name for name in self.pairs.values() if name not in names]
        results = self._run(self.session, [*names, *more], {**values, **self.kept})
        found = dict(zip([*names, *more], results))
        self.kept = {given: np.asarray(found[kept]) for given, kept in self.pairs.items()}
        return results[: len(names)]
