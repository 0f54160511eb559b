# SPDX-License-Identifier: Apache-2.0
"""The user's file, run as it is: what everything else is compared with.

An ONNX file runs in ONNX Runtime without any optimisation, a TensorFlow Lite file in LiteRT's reference kernels. Nothing of
what fp8net makes of the file is part of it. Only `unrounded` takes something away: QuantizeLinear and DequantizeLinear of
activations, so that an import can be compared without rounding.
"""

from __future__ import annotations

import hashlib
import pathlib
import re

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto

from . import loader, shapes, states, tflite
from .errors import Problem, Refused, refuse, words
from .ir import product

_LITERT = "LiteRT is not installed, which runs TensorFlow Lite files as the reference"


SOURCE = "fp8net.source"  # metadata of a quantised file: SHA-256 of the file that it was made of


def sha256(path: str | pathlib.Path) -> str:
    return hashlib.sha256(loader.read_bytes(pathlib.Path(path))).hexdigest()


def write_source(model: onnx.ModelProto, path: str | pathlib.Path) -> None:
    model.metadata_props.add(key=SOURCE, value=sha256(path))


def source_of(model: onnx.ModelProto) -> str:
    """The SHA-256, or nothing"""
    return next((p.value for p in model.metadata_props if p.key == SOURCE), "")


def read(path: str | pathlib.Path, kept: dict[str, str] | None = None, rounded: bool = True):
    """The reference of a file; `kept` are its states by input."""
    path = pathlib.Path(path)
    data = loader.read_bytes(path)
    if tflite.is_tflite(data):
        return LiteReference(data, str(path))
    model = loader.parse(data, path)
    if not rounded:
        model = unrounded(model)
    return Reference(model, states.of(model) or kept or {})


def check(reference, inputs: dict, outputs: dict) -> None:
    """Refused unless the reference has these inputs and outputs, of as many values."""
    problems = []
    for kind, wanted, found in (
        ("input", inputs, reference.inputs),
        ("output", outputs, reference.outputs),
    ):
        for name, view in wanted.items():
            if name not in found:
                problems.append(Problem("the reference", f"has no {kind} {name!r}"))
                continue
            sizes = found[name]
            if min(sizes, default=1) > 0 and product(sizes) != product(view.shape):
                text = f"has the shape {list(sizes)} for {name!r}, the network {list(view.shape)}"
                problems.append(Problem("the reference", text))
        if kind == "input":
            for name in sorted(found.keys() - wanted.keys()):
                problems.append(Problem("the reference", f"has an input {name!r} more"))
    if problems:
        raise Refused(problems)


def check_value(name: str, value: np.ndarray, shape: tuple[int, ...]) -> None:
    """A value of the reference has as many numbers as the network's."""
    if np.size(value) != product(shape):
        text = f"has the shape {list(np.shape(value))} for {name!r}, the network {list(shape)}"
        raise refuse("the reference", text)


def _shape(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    """Of which 0 is open"""
    if not value.type.tensor_type.HasField("shape"):
        return (0,)
    return tuple(d.dim_value for d in value.type.tensor_type.shape.dim)


class Reference:
    """An ONNX model. `inputs` and `outputs` have the file's shapes, in which a size of 0 is open."""

    def __init__(self, model: onnx.ModelProto, kept: dict[str, str] | None = None):
        self.model, self.kept, self.rounds = model, kept or {}, False
        constants = {t.name for t in model.graph.initializer}
        given = [v for v in model.graph.input if v.name not in constants]
        self.inputs = {v.name: _shape(v) for v in given if v.name not in self.kept}
        self.outputs = {v.name: _shape(v) for v in model.graph.output}
        self.names = [o for node in model.graph.node for o in node.output if o]
        self._states = {v.name: v for v in given if v.name in self.kept}
        self._sessions: dict[tuple[str, ...], onnxruntime.InferenceSession] = {}
        self.reset()

    def reset(self) -> None:
        """States are 0 again."""
        self._values: dict[str, np.ndarray] = {}

    def run(self, names: list[str], values: dict[str, np.ndarray]) -> list[np.ndarray]:
        """The values of these names, inner ones too. A run goes on with the states of the one before."""
        more = sorted(set(self.kept.values()) - set(names))
        session = self._session(tuple(names))
        given = {name: self._state(name) for name in self._states}
        wanted = {v.name: v for v in session.get_inputs()}
        feed = {n: _as(wanted[n], x) for n, x in {**values, **given}.items() if n in wanted}
        try:
            results = session.run([*names, *more], feed)
        except Exception as error:  # the runtime's exceptions have no common class of their own
            raise refuse("ONNX Runtime", f"does not run the file: {words(error)}") from None
        found = dict(zip([*names, *more], results))
        self._values |= {given: found[kept] for given, kept in self.kept.items()}
        return results[: len(names)]

    def _state(self, name: str) -> np.ndarray:
        sizes = [size or 1 for size in _shape(self._states[name])]
        return self._values.get(name, np.zeros(sizes, np.float32))

    def _session(self, names: tuple[str, ...]) -> onnxruntime.InferenceSession:
        """All inner values that are asked for are outputs too."""
        inner = tuple(n for n in names if n not in self.outputs)
        if inner not in self._sessions:
            model = self.model
            if inner:
                model = onnx.ModelProto()
                model.CopyFrom(self.model)
                model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
            self._sessions[inner] = _open(model)
        return self._sessions[inner]


def _as(wanted, x: np.ndarray) -> np.ndarray:
    """In the shape that the file says, where the numbers of values are equal: () for (1,)."""
    sizes = wanted.shape
    if all(isinstance(s, int) for s in sizes) and product(sizes) == x.size:
        return x.reshape(sizes)
    return x


def _open(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    try:
        data, options = model.SerializeToString(), shapes.session_options()
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        text = words(error)
        kernel = re.search(r"Could not find an implementation for (\w+\(\d+\))", text)
        if kernel:
            what = f"has no kernel for {kernel.group(1)}, so nothing can be compared with the file"
            raise refuse("ONNX Runtime", what, "export it with opset 13 or newer") from None
        raise refuse("ONNX Runtime", f"refuses the file: {text}") from None


# ---- without rounding ---------------------------------------------------------------------------


def unrounded(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model in which activations are not rounded: each QuantizeLinear, each DequantizeLinear behind one, and each cast to
    FLOAT16 that is cast back hands its operand on. Weights keep their codes."""
    plain = onnx.ModelProto()
    plain.CopyFrom(model)
    constants = {t.name for t in plain.graph.initializer}
    constants |= {n.output[0] for n in plain.graph.node if n.op_type == "Constant"}
    kinds = {v.name: v.type.tensor_type.elem_type for v in plain.graph.input}
    codes = set()
    for node in plain.graph.node:
        to = next((a.i for a in node.attribute if a.name == "to"), 0)
        if (node.op_type == "QuantizeLinear" and node.input[0] not in constants) or (
            node.op_type == "Cast" and to == TensorProto.FLOAT16 and _is_float(node, kinds, plain)
        ):
            codes.add(node.output[0])
        elif node.op_type not in ("DequantizeLinear", "Cast") or node.input[0] not in codes:
            continue
        operand, result, name = node.input[0], node.output[0], node.name
        node.Clear()
        node.op_type, node.name = "Identity", name
        node.input.append(operand)
        node.output.append(result)
    del plain.graph.value_info[:]
    return plain


def _is_float(node: onnx.NodeProto, kinds: dict[str, int], model: onnx.ModelProto) -> bool:
    """All that reads the result casts it back."""
    if kinds.get(node.input[0], TensorProto.FLOAT) != TensorProto.FLOAT:
        return False
    readers = [n for n in model.graph.node if node.output[0] in n.input]
    outputs = {o.name for o in model.graph.output}
    back = [
        n.op_type == "Cast" and any(a.i == TensorProto.FLOAT for a in n.attribute) for n in readers
    ]
    return bool(back) and all(back) and node.output[0] not in outputs


# ---- TensorFlow Lite ----------------------------------------------------------------------------


class LiteReference:
    """A TensorFlow Lite file. Codes of INT8 come out as the values that they stand for, unless `codes` is true."""

    def __init__(self, data: bytes, where: str, codes: bool = False):
        self.where, self.codes = where, codes
        self.values = tflite.values_of(data, where)
        places = {value.name: number for number, value in enumerate(self.values)}
        self._places = places
        self._run_time = _interpreter(data, where)
        self._given = {d["index"]: d for d in self._run_time.get_input_details()}
        self._made = {d["index"]: d for d in self._run_time.get_output_details()}
        self.inputs = {n: self.values[i].shape for n, i in places.items() if i in self._given}
        self.outputs = {n: self.values[i].shape for n, i in places.items() if i in self._made}
        self._details = {d["index"]: d for d in self._run_time.get_tensor_details()}
        self.names = [
            v.name for i, v in enumerate(self.values) if i not in self._given and not v.data.size
        ]
        # Codes of weights beside float32 activations: LiteRT makes codes of these in each run.
        self.hybrid = any(v.data.size and v.scales.size and v.type == 9 for v in self.values)
        self.rounds = self.hybrid or any(self.step(name) for name in self.names)

    def step(self, name: str) -> float:
        """The scale of a tensor's codes; 0: it has none"""
        return float(self._details[self._places[name]]["quantization"][0])

    def limits(self, name: str) -> tuple[float, float]:
        """The values of the lowest and the highest code"""
        detail = self._details[self._places[name]]
        (scale, zero), codes = detail["quantization"], np.iinfo(detail["dtype"])
        return scale * (codes.min - zero), scale * (codes.max - zero)

    def reset(self) -> None:
        """There are no states."""

    def run(self, names: list[str], values: dict[str, np.ndarray]) -> list[np.ndarray]:
        for name in self.inputs:
            place = self._places[name]
            x = np.asarray(values[name]).reshape(self._given[place]["shape"])
            self._run_time.set_tensor(place, self._encode(x, self._given[place]))
        try:
            self._run_time.invoke()
        except Exception as error:
            raise refuse(self.where, f"LiteRT does not run it: {words(error)}") from None
        return [self._decode(self._places[name]) for name in names]

    def _encode(self, x: np.ndarray, detail: dict) -> np.ndarray:
        kind, (scale, zero) = detail["dtype"], detail["quantization"]
        if x.dtype == kind or not scale:
            return x.astype(kind)
        limits = np.iinfo(kind)
        codes = np.rint(x.astype(np.float64) / scale) + zero
        return np.clip(codes, limits.min, limits.max).astype(kind)

    def _decode(self, place: int) -> np.ndarray:
        x = self._run_time.get_tensor(place)
        scale, zero = self._details[place]["quantization"]
        if self.codes or not scale or x.dtype.kind == "f":
            return x
        return ((x.astype(np.float64) - zero) * scale).astype(np.float32)


def _interpreter(data: bytes, where: str):
    try:
        from ai_edge_litert import interpreter as litert
    except ImportError:
        raise refuse(where, _LITERT, "`pip install ai-edge-litert`") from None
    try:
        made = litert.Interpreter(
            model_content=data,
            experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=True,
            num_threads=1,
        )
        made.allocate_tensors()
    except Exception as error:
        raise refuse(where, f"LiteRT refuses it: {words(error)}") from None
    return made
