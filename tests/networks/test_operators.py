# SPDX-License-Identifier: Apache-2.0
"""ONNX's own operator tests: each runs within the bound of FP8, or is refused by name. Nothing runs and is wrong.

Operands that fp8net wants constant, such as weights, are inputs in these tests. They become constants of the case's data.
"""

from __future__ import annotations

import collections
import functools
import re
import warnings
from pathlib import Path

import numpy as np
import onnx
from bounds import Bounds
from fp8net import lower, operators, quantize, shapes, writer
from fp8net.errors import Refused
from fp8net.executor import Executor
from onnx import numpy_helper
from onnx.backend.test import loader
from programs import run

KINDS = ("node", "simple", "pytorch-operator", "pytorch-converted")
ONE_OPERAND = (
    *("Conv", "Gemm", "MatMul", "BatchNormalization", "Clip", "Reshape", "Squeeze", "Unsqueeze"),
    *("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "Dropout"),
    *("QuantizeLinear", "DequantizeLinear"),
    *("LSTM", "GRU", "ConvTranspose", "Slice", "Split", "Gather", "Pad", "Expand", "Tile"),
    *("Resize", "PRelu", "Pow", "LayerNormalization", "RMSNormalization"),
    *("InstanceNormalization", "GroupNormalization", "RotaryEmbedding"),
)
LEAST_RUN = {True: 550, False: 430}  # cases that have to run: all, sample


SHARES: list[float] = []  # of the bounds, that the largest errors take


@functools.cache
def cases(all_cases: bool) -> list:
    found = [c for kind in KINDS for c in loader.load_model_tests(kind=kind)]
    if all_cases:
        return found
    known = [c for c in found if _is_close(c)]
    return known + [c for c in found if c not in known][::40]


def _is_close(case) -> bool:
    """Its operators are known, and its inputs are float32."""
    kinds = {i.type.tensor_type.elem_type for i in _model(case).graph.input[:1]}
    return _operators(case) <= set(operators.HANDLERS) and kinds <= {onnx.TensorProto.FLOAT}


def _operators(case) -> set[str]:
    return {node.op_type for node in _model(case).graph.node}


def _model(case) -> onnx.ModelProto:
    """In memory, or in a folder."""
    if case.model is not None:
        model = onnx.ModelProto()
        model.CopyFrom(case.model)
        return model
    return onnx.load(Path(case.model_dir) / "model.onnx")


def _read(case) -> tuple[onnx.ModelProto, dict, dict]:
    """The model, the first data set's inputs, and its outputs."""
    model = _model(case)
    constants = {t.name for t in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in constants]
    if case.data_sets:
        inputs, outputs = case.data_sets[0]
    else:
        data = Path(case.model_dir) / "test_data_set_0"
        inputs, outputs = (
            [
                _tensor(data / f"{kind}_{i}.pb")
                for i in range(count)
                if (data / f"{kind}_{i}.pb").exists()
            ]
            for kind, count in (("input", len(names)), ("output", len(model.graph.output)))
        )
    return (
        model,
        {n: _array(x) for n, x in zip(names, inputs)},
        {o.name: _array(x) for o, x in zip(model.graph.output, outputs)},
    )


def _array(x) -> np.ndarray:
    """A sequence or optional is no array, and no network's input."""
    return x if isinstance(x, np.ndarray | np.generic) else np.zeros(0, object)


def _tensor(path: Path) -> np.ndarray:
    tensor = onnx.TensorProto()
    try:
        tensor.ParseFromString(path.read_bytes())
        return numpy_helper.to_array(tensor)
    except Exception:  # a sequence, an optional: no tensor
        return np.zeros(0, object)


def _constants(model: onnx.ModelProto, inputs: dict) -> None:
    """Inputs that are no data become initialisers."""
    keep = set(inputs)
    for node in model.graph.node:
        if node.op_type in ONE_OPERAND:
            keep -= set(node.input[1:])
        if node.op_type == "Where":
            keep -= {node.input[0]}
        if node.op_type == "Attention":  # truths
            keep -= {n for n in node.input[3:4] if inputs.get(n, np.zeros(0)).dtype == bool}
    for value in list(model.graph.input):
        if value.name in inputs and value.name not in keep:
            model.graph.initializer.append(
                numpy_helper.from_array(np.asarray(inputs.pop(value.name)), value.name)
            )
            model.graph.input.remove(value)


def _judge(case, work: Path, bench, compiler) -> str:
    model, inputs, outputs = _read(case)
    _constants(model, inputs)
    path = work / "case.onnx"
    onnx.save(model, path)
    try:
        given = {name: x.shape for name, x in inputs.items() if x.dtype == np.float32 and x.ndim}
        runs = [dict(inputs)]
        quantised, _ = quantize.quantize(path, runs, quantize.Options(), given)
        graph = lower.lower_model(shapes.infer(quantised))
    except Refused as error:
        _check_words(case, model, path, error, bench)
        return "refused"
    if compiler is not None:
        _compile(case, graph, work, runs, compiler, bench)
    results = Executor(graph).run({name: np.asarray(x, np.float32) for name, x in inputs.items()})
    simple = shapes.prepare(path, given)
    errors = Bounds(simple).run(inputs)
    for name, want in outputs.items():
        if name not in results:
            continue
        bench.check(f"{case.name}: shape of {name}", results[name].shape == want.shape)
        distance = np.abs(results[name].astype(np.float64) - want)
        bound = np.nan_to_num(errors[name], nan=np.inf)  # Inf - Inf: there is none
        allowed = bound * (1 + 1e-5) + 1e-6 * np.abs(want)
        good = (distance <= allowed) | (np.isnan(results[name]) & np.isnan(want))
        worst = float((distance / np.maximum(allowed, 1e-30)).max(initial=0))
        SHARES.append(worst)
        bench.check(f"{case.name}: {name} is {worst:.3g} of its bound", good.all())
    return "run"


def _compile(case, graph, work: Path, runs: list, compiler, bench) -> None:
    """The program on the host gives the executor's bytes."""
    folder = work / "compiled"
    writer.write(folder, writer.prepare(graph, folder, case.name, runs), {})
    outcome = run(compiler.build(folder))
    bench.check(f"{case.name}: {outcome.text}", outcome.compared > 0 and outcome.different == 0)


def _check_words(case, model: onnx.ModelProto, path: Path, error: Refused, bench) -> None:
    """The refusal names a node, an operator, a value or the file."""
    names = {n.op_type for n in model.graph.node} | {n.name for n in model.graph.node if n.name}
    names |= {v.name for v in [*model.graph.input, *model.graph.output, *model.graph.initializer]}
    names |= {o for n in model.graph.node for o in n.output if o}
    names |= {str(path), "ONNX Runtime", "shapes", "opset", "graph"}
    text = str(error)
    # ONNX and its runtime put other operators in the place of old ones and of functions.
    names |= {f"({op})" for op in re.findall(r"\((\w+)\): ", text) if onnx.defs.has(op)}
    bench.check(f"{case.name}: refused by name: {text}", any(name in text for name in names))


def test_operators(bench, request, work, compiler) -> None:
    only = set(filter(None, request.config.getoption("--only").split(",")))
    every = request.config.getoption("--all-cases") or bool(only)
    compiler = compiler if every and not only else None
    counts: collections.Counter = collections.Counter()
    ran: collections.Counter = collections.Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases(every):
            if only and not only & _operators(case):
                continue
            try:
                verdict = _judge(case, work, bench, compiler)
            except Exception as error:
                verdict = "broken"
                bench.check(f"{case.name}: {type(error).__name__}: {error}", False)
            counts[verdict] += 1
            if verdict == "run":
                ran.update(_operators(case))
    print(
        f"{sum(counts.values())} cases: {dict(counts)}; operators that ran: {', '.join(sorted(ran))}"
    )
    print(f"the largest error of a case is {np.median(SHARES):.0%} of its bound in the median")
    bench.check(f"{counts['run']} cases run", counts["run"] >= (1 if only else LEAST_RUN[every]))
    for operator in only:
        bench.check(f"a case of {operator} runs", ran[operator] > 0)
