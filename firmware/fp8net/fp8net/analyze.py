# SPDX-License-Identifier: Apache-2.0
"""What a network is made of, and all that is not supported."""

from __future__ import annotations

import collections
import dataclasses
import math
import pathlib

import onnx

from . import fuse, importer, lower, mx, shapes
from .errors import Problem
from .ir import OPS, Graph


@dataclasses.dataclass
class Analysis:
    operators: dict[str, int]
    graph: Graph  # without what is not supported
    problems: list[Problem]
    parameters: int
    quantised: bool

    @property
    def macs(self) -> int:
        return sum(self.graph.macs(layer) for layer in self.graph.layers)


def analyze(
    path: str | pathlib.Path,
    given: dict[str, tuple[int, ...]] | None = None,
    kept: dict[str, str] | None = None,
) -> Analysis:
    model = shapes.prepare(path, given, kept)
    operators = collections.Counter(node.op_type for node in model.graph.node)
    graph, problems = importer.attempt(model)
    if not problems:
        fuse.fuse(graph)
        graph.mx = mx.of(model)
        if shapes.is_quantised(model):
            problems = lower.problems_of(graph)
    return Analysis(
        dict(operators.most_common()),
        graph,
        problems,
        _parameters(model),
        shapes.is_quantised(model),
    )


def _parameters(model: onnx.ModelProto) -> int:
    """Numbers of weights and biases: floats, and codes that are dequantised, without their scales and zero points."""
    kinds = (onnx.TensorProto.FLOAT, *range(17, 21))
    rounds = [n for n in model.graph.node if n.op_type in ("QuantizeLinear", "DequantizeLinear")]
    codes = {node.input[0] for node in rounds}
    scales = {name for node in rounds for name in node.input[1:]}
    return sum(
        math.prod(tensor.dims)
        for tensor in model.graph.initializer
        if tensor.dims
        and tensor.name not in scales
        and (tensor.data_type in kinds or tensor.name in codes)
    )


def as_dict(a: Analysis) -> dict:
    return {
        "operators": a.operators,
        "parameters": a.parameters,
        "macs": a.macs,
        "quantised": a.quantised,
        "inputs": {n: list(v.shape) for n, v in a.graph.inputs.items()},
        "outputs": {n: list(v.shape) for n, v in a.graph.outputs.items()},
        "layers": [
            {
                "name": layer.name,
                "call": OPS[layer.op],
                "nodes": layer.nodes,
                "rows": a.graph.tensors[layer.output].rows,
                "cols": a.graph.tensors[layer.output].cols,
                "macs": a.graph.macs(layer),
            }
            for layer in a.graph.layers
        ],
        "problems": [dataclasses.asdict(p) for p in a.problems],
    }


def as_text(a: Analysis) -> str:
    lines = ["operators     " + ", ".join(f"{count} {op}" for op, count in a.operators.items())]
    for kind, views in (("input", a.graph.inputs), ("output", a.graph.outputs)):
        for name, view in views.items():
            lines.append(f"{kind:13} {name}: {' x '.join(map(str, view.shape))}")
    lines.append(f"parameters    {a.parameters:,}")
    what = "MACs" if not a.problems else "MACs, of what is supported"
    lines.append(f"{what:13} {a.macs:,}")
    if a.problems:
        lines.append(f"unsupported   {len(a.problems)}:")
        lines += [f"  {problem}" for problem in a.problems]
        return "\n".join(lines)
    lines.append(f"layers        {len(a.graph.layers)}:")
    for layer in a.graph.layers:
        out = a.graph.tensors[layer.output]
        lines.append(
            f"  {OPS[layer.op]:22} {out.rows:6} x {out.cols:<5} {a.graph.macs(layer):12,} MACs  "
            f"{', '.join(layer.nodes)}"
        )
    return "\n".join(lines)
