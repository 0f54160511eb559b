# SPDX-License-Identifier: Apache-2.0
"""Proves an import on data: the graph that fp8net has made of a file computes what the file computes, before anything is written.

The file runs as it is (reference.py), the graph without rounding (exact.py). Outputs may differ by 1e-5 of their largest
magnitude; where sums cancel, by what the graph itself differs between single and double precision, or with tensors that differ
in the last bit. An integer network has the file's bytes. A file of INT8 codes that becomes one of float32 rounds where
the graph does not: there each tensor is compared, and later layers read the file's.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from . import fuse, importer, reference, shapes
from .errors import Problem, Refused
from .exact import Exact
from .executor import Executor
from .ir import FORMAT_MAX, Graph
from .operators.quantisation import FORMAT_OF_TYPE

TOLERANCE = 1e-5  # of the largest magnitude
NOISE = 16.0  # times the graph's own difference
HYBRID = (
    0.01  # of the largest magnitude: a step, where LiteRT makes codes of activations in each run
)
STEPS = (
    1.0,
    4.0,
)  # of INT8 codes: the largest root mean square of a tensor's differences, and the largest difference
RUNS = 2  # of the data
SEED = 1


def seeded_runs(graph: Graph, count: int = RUNS) -> list[dict[str, np.ndarray]]:
    """Inputs where there are no data: normal values, words that every table has, codes."""
    rng = np.random.default_rng(SEED)
    runs = []
    for _ in range(count):
        run = {}
        for name, view in graph.inputs.items():
            tensor = graph.tensors[view.tensor]
            if tensor.integer:
                run[name] = rng.integers(-128, 128, view.shape).astype(np.int8)
            elif tensor.format == "int32":
                run[name] = rng.integers(0, _words(graph, view.tensor), view.shape)
            else:
                run[name] = rng.normal(size=view.shape).astype(np.float32)
        runs.append(run)
    return runs


def _words(graph: Graph, tensor: str) -> int:
    """How many words every table has that is read by these numbers"""
    tables = [len(layer.table) for layer in graph.readers(tensor) if layer.table is not None]
    return min(tables, default=2)


def check_import(graph: Graph, source, runs: list | None, where: str) -> None:
    """Raises Refused, which names the first tensor that differs, unless the graph computes what the source does."""
    runs = (runs or seeded_runs(graph))[:RUNS]
    reference.check(source, graph.inputs, graph.outputs)
    if graph.requantises:
        _check_whole(graph, source, runs, where)
        return
    exact, others = Exact(graph), None
    source.reset()
    names = list(graph.outputs)
    for number, run in enumerate(runs):
        truth, mine = source.run(names, run), exact.run(run)
        for name, value in zip(names, truth):
            reference.check_value(name, value, graph.outputs[name].shape)
            allowed = TOLERANCE * _largest(value)
            worst = difference(value, mine[name])
            if worst <= allowed:
                continue
            if others is None:
                others = _others(graph, runs)
            noise = NOISE * max(difference(other[number][name], mine[name]) for other in others)
            if not worst <= max(allowed, noise):
                raise Refused([_problem(graph, source, runs, where, name, worst, value)])


def _others(graph: Graph, runs: list) -> list[list[dict[str, np.ndarray]]]:
    """The same in single precision, and with inputs and inner tensors that differ in the last bit"""
    rng, found = np.random.default_rng(SEED), []

    def near(_, x: np.ndarray) -> np.ndarray:
        return x * (1 + rng.choice([-1, 0, 1], x.shape) * 2.0**-23) if x.dtype.kind == "f" else x

    for number in range(5):
        exact = Exact(graph, np.float64 if number else np.float32)
        if number:
            exact.teacher = near
            others = [{name: near(name, x) for name, x in run.items()} for run in runs]
        found.append([exact.run(run) for run in (others if number else runs)])
    return found


def _largest(values: np.ndarray) -> float:
    values = np.abs(np.asarray(values, np.float64))
    return float(values[np.isfinite(values)].max(initial=0.0))


def difference(truth: np.ndarray, values: np.ndarray) -> float:
    """The largest one; Inf where only one of both is no finite number."""
    truth, values = (np.asarray(x, np.float64).reshape(-1) for x in (truth, values))
    if truth.shape != values.shape:
        return np.inf
    with np.errstate(invalid="ignore"):
        apart = np.abs(truth - values)
    same = (truth == values) | (np.isnan(truth) & np.isnan(values))
    apart = np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))
    return float(apart.max(initial=0.0))


def _problem(graph, source, runs, where: str, name: str, worst: float, value) -> Problem:
    first = first_difference(graph, source, runs) or name
    text = (
        f"{first} is the first tensor in which the import differs from the file: output {name} by {worst:.3g}, of values up to "
        f"{_largest(value):.3g}"
    )
    return Problem(where, text, "please report it: nothing has been written")


def first_difference(graph: Graph, source, runs: list) -> str | None:
    """The first value, in the file's order, that the graph has too, and otherwise."""
    views = {**graph.values, **graph.outputs}
    known = [n for n in source.names if n in views and views[n].tensor in graph.tensors]
    exact = Exact(graph)
    source.reset()
    for run in runs:
        try:
            truth = source.run(known, run)
        except Refused:
            return None
        exact.run(run)
        for name, value in zip(known, truth):
            rows = exact.values.get(views[name].tensor)
            if rows is None or graph.tensors[views[name].tensor].inner:
                continue
            if difference(value, views[name].to_array(rows)) > 10 * TOLERANCE * _largest(value):
                return name
    return None


def _check_rounded(graph: Graph, source, runs: list, where: str) -> None:
    exact = Exact(graph)
    rounded = [n for n in source.names if n in graph.values and (source.step(n) or source.hybrid)]
    named = {graph.values[name].tensor: name for name in reversed(rounded)}
    names = list(named.values())
    for run in runs:
        truth = dict(zip(names, source.run(names, run)))

        def teach(tensor: str, rows: np.ndarray, truth=truth) -> np.ndarray:
            if tensor not in named:
                return rows
            name = named[tensor]
            view, values = graph.values[name], truth[name].astype(np.float64)
            own = view.to_array(rows)
            own = np.clip(own, *source.limits(name)) if source.step(name) else own
            step = source.step(name) or HYBRID * _largest(values)
            steps = np.abs(own - values.reshape(own.shape)) / max(step, 1e-30)
            if not (np.sqrt(np.square(steps).mean()) <= STEPS[0] and steps.max() <= STEPS[1]):
                text = (
                    f"{name} is the first tensor in which the import differs from the file: by {steps.max():.1f} of the steps that "
                    f"the file rounds it to"
                )
                raise Refused([Problem(where, text, "please report it: nothing has been written")])
            return view.to_rows(values, graph.tensors[tensor].cols).astype(rows.dtype)

        exact.teacher = teach
        exact.run(run)


def _check_whole(graph: Graph, source, runs: list, where: str) -> None:
    executor = Executor(graph)
    names = [n for n in source.names if n in graph.tensors]
    for run in runs:
        truth = dict(zip([*names, *graph.outputs], source.run([*names, *graph.outputs], run)))
        executor.run(run)
        for name, view in graph.outputs.items():
            codes = view.to_array(executor.codes[view.tensor].view(np.int8))
            apart = int((codes != truth[name].reshape(codes.shape)).sum())
            if not apart:
                continue
            own = {n: executor.codes[n].view(np.int8) for n in names if n in executor.codes}
            first = next(
                (n for n in own if (own[n].reshape(-1) != truth[n].reshape(-1)).any()), name
            )
            text = f"{first} is the first tensor whose bytes are not those of the file: {apart} of output {name} differ"
            raise Refused([Problem(where, text, "please report it: nothing has been written")])


# ---- the quantised file -------------------------------------------------------------------------

# The largest error of a code: of its value, and of its scale where the value is subnormal
_STEPS = {"e4m3fn": (2.0**-4, 2.0**-10), "e5m2": (2.0**-3, 2.0**-17), "int8": (0.0, 0.5)}
_STEPS |= {"e4m3fnuz": _STEPS["e4m3fn"], "e5m2fnuz": _STEPS["e5m2"]}


def check_quantised(
    model: onnx.ModelProto, coded: dict, source, runs: list | None, where: str
) -> None:
    """A quantised model is the file but for its roundings. `coded` has the weights for each value that codes stand for: the codes
    are near them, and with them, and without the roundings of activations, the model computes what the file does."""
    plain = reference.unrounded(model)
    constants = {t.name: t for t in plain.graph.initializer}
    problems = []
    for node in list(plain.graph.node):
        if node.op_type != "DequantizeLinear" or node.output[0] not in coded:
            continue
        if _is_far(node, constants, coded[node.output[0]]):
            text = f"the codes {node.input[0]} are not those of its weights"
            problems.append(Problem(where, text, "please report it: nothing has been written"))
        plain.graph.node.remove(node)
        values = np.ascontiguousarray(coded[node.output[0]])
        plain.graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
    if problems:
        raise Refused(problems)
    plain = shapes.infer(plain)
    if source.rounds:  # what the file rounds inside a layer is compared before layers are joined
        graph = importer.load(plain)
        _check_rounded(graph, source, (runs or seeded_runs(graph))[:RUNS], where)
        source = _Graph(graph)
    check_import(fuse.fuse(importer.load(plain)), source, runs, where)


class _Graph:
    """A graph as a reference"""

    def __init__(self, graph: Graph):
        self.graph, self.exact = graph, Exact(graph)
        self.inputs = {name: view.shape for name, view in graph.inputs.items()}
        self.outputs = {name: view.shape for name, view in graph.outputs.items()}
        self.names = [layer.output for layer in graph.layers]

    def reset(self) -> None:
        self.exact = Exact(self.graph)

    def run(self, names: list[str], values: dict[str, np.ndarray]) -> list[np.ndarray]:
        found = self.exact.run(values)
        inner = [n for n in names if n not in found]
        found |= {n: self.graph.views[n].to_array(self.exact.values[n]) for n in inner}
        return [found[name] for name in names]


def _is_far(node: onnx.NodeProto, constants: dict, values: np.ndarray) -> bool:
    codes, scales = (constants[name] for name in node.input[:2])
    format = FORMAT_OF_TYPE[codes.data_type]
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    scales = numpy_helper.to_array(scales).astype(np.float64)
    shape = [1] * len(codes.dims)
    if scales.size > 1:
        shape[axis] = scales.size
    scales = scales.reshape(shape)
    got = numpy_helper.to_array(codes).astype(np.float64) * scales
    limit = FORMAT_MAX[format] * scales
    wanted = np.clip(values.astype(np.float64), -limit, limit)
    relative, least = _STEPS[format]
    allowed = np.maximum(relative * np.abs(wanted), least * scales) * (1 + 1e-6)
    return bool((np.abs(got - wanted) > allowed).any())
