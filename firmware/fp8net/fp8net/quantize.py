# SPDX-License-Identifier: Apache-2.0
"""Calibrates a network and writes it with QuantizeLinear and DequantizeLinear where the chip rounds."""

from __future__ import annotations

import copy
import dataclasses
import pathlib
import zipfile

import fp8mac
import numpy as np
import onnx
import onnx.version_converter
from onnx import TensorProto, helper, numpy_helper

from . import (
    fuse,
    importer,
    loader,
    logarithm,
    lower,
    mx,
    powers,
    proof,
    reference,
    shapes,
    simplify,
    split,
    weights,
)
from .errors import Problem, Refused, refuse, words
from .formats import SOFTMAX_UNIT
from .ir import FP8_OPERANDS, ROWS, WIDE_OPERANDS, Graph, Layer
from .qdq import Writer

FLOAT8_OPSET, FLOAT8_IR = 19, 9
MANY = 16  # times that a value is repeated, and then stays float32
SAMPLES = 1 << 16  # of a tensor, for percentile and mse


@dataclasses.dataclass(frozen=True)
class Options:
    format: str = "e4m3fn"
    weights_format: str = "e4m3fn"
    method: str = "max"  # of activations
    weights_method: str = "max"
    percentile: float = 99.9
    keep: tuple[str, ...] = ()  # tensors that stay float32
    half: tuple[str, ...] = ()  # tensors that become float16
    split: tuple[str, ...] = ()  # tensors that are carried as two codes
    mx: bool = False  # products in MX where they can be
    powers: bool = False  # scales are powers of two

    def scale(self, amax: float) -> float:
        """Of activations"""
        scale = weights.scale_for(amax, self.format)
        return weights.power_of_two(scale) if self.powers else scale


# ---- data ---------------------------------------------------------------------------------------


def read_data(path: str | pathlib.Path, model: onnx.ModelProto) -> list[dict[str, np.ndarray]]:
    """Runs of an .npz: each array is keyed by an input's name, and has one input after the other."""
    wanted = {
        v.name: tuple(d.dim_value for d in v.type.tensor_type.shape.dim)
        for v in shapes.data_inputs(model)
    }
    kinds = {
        v.name: helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type)
        for v in shapes.data_inputs(model)
    }
    return read_runs(path, wanted, kinds)


def read_runs(
    path: str | pathlib.Path, wanted: dict[str, tuple[int, ...]], kinds: dict[str, np.dtype | None]
) -> list[dict[str, np.ndarray]]:
    """Shapes and types of the inputs by name. None: float32 values, or INT8 codes where the file has INT8."""
    try:
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise ValueError("it is one array")
        with file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise refuse(str(path), f"is no .npz of arrays: {error}") from None
    problems, runs = [], {}
    for name, shape in wanted.items():
        if name not in arrays:
            problems.append(
                Problem(str(path), f"has no array {name!r}", f"it has {sorted(arrays)}")
            )
            continue
        array = np.asarray(arrays[name])
        if array.dtype.kind not in "fiu" or not np.isfinite(array.astype(np.float64)).all():
            problems.append(Problem(f"{path}, {name}", "holds other than finite numbers"))
            continue
        own = np.int8 if array.dtype == np.int8 else np.float32
        kind = own if kinds[name] is None else kinds[name]
        if (
            kinds[name] is not None
            and np.issubdtype(kind, np.integer)
            and (array != np.rint(array)).any()
        ):
            problems.append(Problem(f"{path}, {name}", "holds other than whole numbers"))
        elif array.shape == shape:
            runs[name] = array[None].astype(kind)
        elif array.shape[1:] == shape and array.shape[0]:
            runs[name] = array.astype(kind)
        elif shape and shape[0] == 1 and array.shape[1:] == shape[1:] and array.shape[0]:
            runs[name] = array[:, None].astype(kind)
        else:
            problems.append(
                Problem(f"{path}, {name}", f"has shape {array.shape}", f"(runs, *{shape})")
            )
    if not problems and len({len(a) for a in runs.values()}) > 1:
        problems.append(Problem(str(path), "its arrays have different numbers of runs"))
    if problems:
        raise Refused(problems)
    count = len(next(iter(runs.values()), ()))
    return [
        {name: array[i : i + 1].reshape(wanted[name]) for name, array in runs.items()}
        for i in range(count)
    ]


class Probe:
    """A model whose inner values come out too."""

    def __init__(self, model: onnx.ModelProto, names: list[str]):
        probe = onnx.ModelProto()
        probe.CopyFrom(model)
        known = {o.name for o in probe.graph.output}
        for name in names:
            if name not in known:
                probe.graph.output.append(
                    helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
                )
        self.names, self.session = names, shapes.session(probe)

    def run(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """In the order of the names"""
        if not self.names:
            return {}
        return dict(zip(self.names, self.session.run(self.names, values)))


def observe(
    model: onnx.ModelProto, names: list[str], runs: list[dict[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """Values of tensors over all runs: a sample of each, with its largest magnitude."""
    inputs = {v.name for v in shapes.real_inputs(model.graph)}
    probe = Probe(model, [name for name in names if name not in inputs])
    kept: dict[str, list[np.ndarray]] = {name: [] for name in names}
    share = max(SAMPLES // len(runs), 16)
    for run in runs:
        for name, value in {**probe.run(run), **run}.items():
            if name in kept:
                kept[name].append(_sample(np.asarray(value, np.float32).reshape(-1), share))
    return {name: np.concatenate(parts) for name, parts in kept.items()}


def _sample(values: np.ndarray, share: int) -> np.ndarray:
    if values.size <= share:
        return values
    step = -(-values.size // share)
    return np.append(values[::step], values[np.argmax(np.abs(values))])


# ---- the file -----------------------------------------------------------------------------------


def _weights_of(node: onnx.NodeProto, constants: dict[str, np.ndarray]) -> list[tuple[int, int]]:
    """The places of a node's weights, and the axis of each that has its outputs."""
    if node.op_type in ("LSTM", "GRU"):
        return [(1, 1), (2, 1)]
    if node.op_type == "Conv":
        return [(1, 0)]
    if node.op_type == "ConvTranspose":
        return [(1, 1)]
    if node.op_type == "Gemm":
        return [(1, 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1)]
    known = constants.get(node.input[1]) if node.op_type == "MatMul" else None
    return [(1, 1)] if known is not None and known.ndim == 2 else []


def quantise_weights(writer: Writer, options: Options, left: set[str]) -> None:
    """`left` are nodes whose weights stay: MX becomes codes when the file is read, and a table codes of its output."""
    constants = {t.name: numpy_helper.to_array(t) for t in writer.graph.initializer}
    made: dict[tuple[str, int], str] = {}
    for index, node in enumerate(list(writer.graph.node)):
        if loader.name_of(node, index) in left:
            continue
        for place, axis in _weights_of(node, constants):
            array = constants.get(node.input[place])
            if array is None or array.dtype != np.float32:
                continue
            key = (node.input[place], axis)
            if key not in made:
                made[key] = _code_weights(writer, node.input[place], array, axis, options)
            node.input[place] = made[key]
    used = {name for node in writer.graph.node for name in node.input}
    kept = [t for t in writer.graph.initializer if t.name in used]
    del writer.graph.initializer[:]
    writer.graph.initializer.extend(kept)


def _code_weights(writer: Writer, name: str, array: np.ndarray, axis: int, options: Options) -> str:
    rows = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
    format = options.weights_format
    scales = weights.row_scales(rows, format, options.weights_method, options.percentile)
    if options.powers:
        scales = np.array([weights.power_of_two(s) for s in scales], np.float32)
    shape = [1] * array.ndim
    shape[axis] = -1
    divided = array.astype(np.float64) / scales.reshape(shape).astype(np.float64)
    return writer.codes(name, fp8mac.cast(divided, format), scales, axis, format)


def _wants_scale(graph: Graph, name: str) -> bool:
    """Every tensor but results, and what layers of rows alone read: they stay float32 if their command can write it."""
    tensor, layer = graph.tensors[name], graph.writer(name)
    if tensor.inner:
        return False
    if any(not _takes_wide(graph, r) for r in graph.readers(name)):
        return True
    if layer is not None and name in layer.extra.values():
        return graph.is_output(name) or bool(graph.readers(name))
    return layer is not None and (layer.op == "max_pool" or layer.fused.function is not None)


def _takes_wide(graph: Graph, reader: Layer) -> bool:
    """Layers of rows and reciprocals read float32 as well as codes; so do those that move for them, or repeat few values."""
    if reader.op in ROWS | WIDE_OPERANDS or reader.mx:
        return True
    if reader.op == "convert" and fuse.is_plain(reader):
        readers = graph.readers(reader.output)
        return bool(readers) and all(r.op in WIDE_OPERANDS for r in readers)
    if reader.op == "add" and fuse.is_plain(reader):  # a mask
        readers = graph.readers(reader.output)
        return bool(readers) and all(r.op == "softmax" for r in readers)
    return reader.op == "move" and (_is_bare(graph, reader) or _repeats_few(graph, reader))


def _is_bare(graph: Graph, move: Layer) -> bool:
    """Its output is not rounded."""
    return all(_takes_wide(graph, r) for r in graph.readers(move.output))


def _repeats_few(graph: Graph, move: Layer) -> bool:
    """Values that each meet many others in a sum or product, which takes them in float32."""
    size = sum(graph.tensors[n].rows * graph.tensors[n].cols for n in move.inputs)
    plain = graph.tensors[move.output].inner and not move.clear
    readers = graph.readers(move.output)
    many = sum(m.values for m in move.moves) >= MANY * size
    return plain and many and all(r.op in ("add", "multiply") for r in readers)


def _is_inner(graph: Graph, name: str) -> bool:
    """A state, or a result of LSTM or GRU that nobody reads: the file may have no such value."""
    layer = graph.writer(name)
    if graph.tensors[name].inner:
        return True
    if layer is None or layer.op not in ("lstm", "gru"):
        return False
    return not graph.readers(name) and not graph.is_output(name)


def _groups(graph: Graph) -> dict[str, list[str]]:
    """Tensors that have the same codes in different places: one scale for all of them."""
    group = {name: [name] for name in graph.tensors}
    for layer in graph.layers:
        if layer.op not in ("move", "max_pool"):
            continue
        for name in layer.inputs:
            ours, its = group[layer.output], group[name]
            if ours is not its and not _is_given(graph, name):
                ours += its
                group |= dict.fromkeys(its, ours)
    return group


def _is_given(graph: Graph, name: str) -> bool:
    """The layer decides the scale."""
    layer = graph.writer(name)
    return layer is not None and (layer.op == "softmax" or name == layer.extra.get("hidden"))


def _given(graph: Graph, name: str, options: Options) -> tuple[str, float]:
    if graph.writer(name).op == "softmax":
        return options.format, SOFTMAX_UNIT[options.format]
    return graph.tensors[name].format, graph.tensors[name].scale


def scales_of(
    graph: Graph, values: dict[str, np.ndarray], options: Options
) -> dict[str, tuple[str, float]]:
    """Format and scale of each tensor that is to be rounded, in the order in which they are written."""
    groups = _groups(graph)
    rounded = {
        name: any(_wants_scale(graph, other) for other in group) for name, group in groups.items()
    }
    chosen: dict[str, tuple[str, float]] = {}
    problems = []
    for name in [*graph.inputs, *(n for layer in graph.layers for n in layer.writes)]:
        name = graph.inputs[name].tensor if name in graph.inputs else name
        tensor = graph.tensors.get(name)
        if tensor is None or tensor.inner or tensor.fixed or not rounded[name]:
            continue
        if name in options.keep:
            continue
        known = [other for other in groups[name] if other in values]
        if not all(np.isfinite(values[other]).all() for other in known):
            problems.append(
                Problem(f"tensor {name}", "has values that are NaN or Inf with this data")
            )
        elif _is_given(graph, name):
            chosen[name] = _given(graph, name, options)
        else:
            together = np.concatenate([values[other] for other in known])
            amax = weights.amax_of(together, options.format, options.method, options.percentile)
            chosen[name] = (options.format, options.scale(amax))
    if problems:
        raise Refused(problems)
    return chosen


def _with_mx(graph: Graph, values: dict, options: Options) -> dict[str, tuple[str, float]]:
    """As scales_of. A product is not MX if another layer wants a scale for one of its operands."""
    mx.mark(graph)
    while True:
        chosen = scales_of(graph, values, options)
        rounded = [x for x in graph.layers if x.mx and any(name in chosen for name in x.inputs)]
        if not rounded:
            return chosen
        for layer in rounded:
            layer.mx = False


def quantize(
    path: str | pathlib.Path,
    data: str | pathlib.Path | list[dict[str, np.ndarray]],
    options: Options,
    given: dict[str, tuple[int, ...]] | None = None,
    states: dict[str, str] | None = None,
) -> tuple[onnx.ModelProto, dict[str, tuple[str, float]]]:
    """The quantised model, and the scales that were chosen."""
    model, chosen, _ = quantise_coded(path, data, options, given, states)
    return model, chosen


def proved(
    path: str | pathlib.Path,
    runs: list[dict[str, np.ndarray]],
    options: Options,
    given: dict[str, tuple[int, ...]] | None = None,
    states: dict[str, str] | None = None,
) -> tuple[onnx.ModelProto, dict[str, tuple[str, float]], Graph]:
    """The same with the graph that it becomes, both compared with the file; the model carries the hash of the file."""
    model, chosen, coded = quantise_coded(path, runs, options, given, states)
    return model, chosen, prove(model, coded, model, path, runs, states)


def prove(
    plain: onnx.ModelProto,
    coded: dict[str, np.ndarray],
    model: onnx.ModelProto,
    path: str | pathlib.Path,
    runs: list[dict[str, np.ndarray]],
    states: dict[str, str] | None = None,
) -> Graph:
    """The graph of a quantised model, which gets the hash of the file. The file is compared with `plain`, the model without
    corrected biases, and the model with its graph."""
    proof.check_quantised(plain, coded, reference.read(path, states), runs, str(path))
    reference.write_source(model, path)
    graph = lower.lower_model(shapes.infer(model))
    itself = reference.Reference(reference.unrounded(model), reference.states.of(model))
    proof.check_import(graph, itself, runs, str(path))
    return graph


class Source:
    """A file that is quantised again and again: it is read once, and each of its tensors is observed once."""

    def __init__(self, path, data, given=None, states=None):
        self.model = shapes.prepare(path, given, states)
        if shapes.is_quantised(self.model):
            raise refuse(str(path), "is quantised already", "`fp8net generate` takes it as it is")
        self.new = _new_enough(self.model)
        self.runs = data if isinstance(data, list) else read_data(data, self.new)
        self._begin()

    def first(self, count: int) -> Source:
        """The same with the first runs only"""
        other = copy.copy(self)
        other.runs = self.runs[:count]
        other._begin()
        return other

    def rewritten(self, model: onnx.ModelProto) -> Source:
        """The same data for another model, of this opset"""
        other = copy.copy(self)
        other.model = other.new = model
        other._begin()
        return other

    def _begin(self) -> None:
        self.known = {o for node in self.new.graph.node for o in node.output}
        self.known |= {i.name for i in self.new.graph.input}
        self.seen: dict[str, np.ndarray] = {}

    def observe(self, model: onnx.ModelProto, names: list[str]) -> dict[str, np.ndarray]:
        """`model` is the file with parts of it rewritten: what has a name of the file has its value."""
        found = observe(model, [n for n in names if n not in self.seen], self.runs)
        self.seen |= {n: v for n, v in found.items() if n in self.known}
        return {n: self.seen.get(n, found.get(n)) for n in names}


def quantise_coded(
    path, data, options: Options, given=None, states=None
) -> tuple[onnx.ModelProto, dict[str, tuple[str, float]], dict[str, np.ndarray]]:
    """As quantize; also the weights for each value that codes stand for."""
    return quantise_source(source_for(path, data, options, given, states), options)


def source_for(path, data, options: Options, given=None, states=None) -> Source:
    """With these options alone: scales that are powers of two want another model"""
    source = Source(path, data, given, states)
    if not options.powers:
        return source
    return source.rewritten(shapes.infer(powers.fold_averages(source.new)))


def quantise_source(
    source: Source, options: Options
) -> tuple[onnx.ModelProto, dict[str, tuple[str, float]], dict[str, np.ndarray]]:
    model, rounding, kept = _split(source, options)
    graph = fuse.fuse(importer.load(model))
    options = _with_tensors(graph, options)
    _check_kept(graph, options)
    options = dataclasses.replace(
        options, keep=(*options.keep, *options.half, *kept, *_whole(graph, rounding))
    )
    names = [n for n, t in graph.tensors.items() if not t.fixed and not _is_inner(graph, n)]
    values = source.observe(model, names)
    chosen = _with_mx(graph, values, options) if options.mx else scales_of(graph, values, options)
    writer = Writer(model)
    left = {n for layer in graph.layers if layer.op == "embedding" or layer.mx for n in layer.nodes}
    quantise_weights(writer, options, left)
    if options.mx:
        mx.write(writer.model, options.format, options.weights_format)
    for name, (format, scale) in chosen.items():
        writer.pair(name, format, scale)
    for name in options.half:
        writer.half(name)
    if options.powers:
        powers.write(writer.model)
    _set_header(writer.model)
    return writer.model, chosen, writer.coded


def _with_tensors(graph: Graph, options: Options) -> Options:
    """A value that lies in a tensor of another name stands for that."""

    def tensor(name: str) -> str:
        view = graph.values.get(name, graph.values.get(simplify.unturned(name)))
        found = view.tensor if view is not None else name
        return found if name not in graph.tensors and found in graph.tensors else name

    keep, half = (tuple(map(tensor, names)) for names in (options.keep, options.half))
    return dataclasses.replace(options, keep=keep, half=half)


def _split(source: Source, options: Options) -> tuple[onnx.ModelProto, list[str], list[str]]:
    """With both parts of each tensor that is split: the nodes that round them, and values that stay float32."""
    model = source.new
    if not options.split:
        return model, [], []
    places = list(dict.fromkeys(split.place(model, name) for name in options.split))
    split.check(model, places)
    values = source.observe(model, places)
    writer = Writer(model)
    nodes, kept = [], []
    for name in places:
        amax = weights.amax_of(values[name], options.format, "max", options.percentile)
        scale = options.scale(amax)
        node, results = split.apply(writer, name, options.format, scale)
        nodes.append(node)
        kept += results
    del writer.model.graph.value_info[:]
    return shapes.infer(writer.model), nodes, kept


def _whole(graph: Graph, nodes: list[str]) -> list[str]:
    """The tensors that these nodes round, and those that have their values in other places: float32."""
    groups = _groups(graph)
    sources = [n for layer in graph.layers if set(layer.nodes) & set(nodes) for n in layer.inputs]
    return [name for source in sources for name in groups[source]]


def _check_half(graph: Graph, options: Options) -> list[Problem]:
    """What becomes float16 is computed, and no layer reads it as float32 alone."""
    problems = []
    for name in options.half:
        where = f"--keep {name}=fp16"
        if name in graph.inputs or graph.is_output(name):
            problems.append(Problem(where, "is an input or output", "fp32"))
        for layer in graph.readers(name):
            if not _reads_half(graph, layer):
                text = f"{graph.label(layer)} reads float32"
                problems.append(Problem(where, text, f"--keep {name}"))
    return problems


def _reads_half(graph: Graph, layer: Layer) -> bool:
    if layer.op == "move":
        return all(_reads_half(graph, r) for r in graph.readers(layer.output))
    return layer.op not in WIDE_OPERANDS and logarithm.of(layer) is None


def _check_kept(graph: Graph, options: Options) -> None:
    """What reads a tensor that stays float32 takes it."""
    problems = _check_half(graph, options)
    for name in (*options.keep, *options.half):
        where = f"--keep {name}"
        if name not in graph.tensors or graph.tensors[name].inner:
            known = [n for n, t in graph.tensors.items() if not t.inner]
            problems.append(Problem(where, "is no tensor of the network", f"one of {known}"[:400]))
            continue
        for layer in graph.readers(name):
            table = layer.fused.function is not None and logarithm.of(layer) is None
            if layer.op in FP8_OPERANDS or table:
                text = f"{graph.label(layer)} reads FP8"
                problems.append(Problem(where, text, "--split, where a product reads it"))
        writer = graph.writer(name)
        if writer is not None and logarithm.of(writer) is not None:
            if writer.inputs[0] not in options.keep:
                text = f"{graph.label(writer)} writes FP8, as its input is FP8"
                problems.append(Problem(where, text, f"--keep {writer.inputs[0]}"))
        elif writer is not None and (writer.fused.function is not None or writer.op == "max_pool"):
            problems.append(Problem(where, f"{graph.label(writer)} writes FP8"))
    if problems:
        raise Refused(problems)


def _new_enough(model: onnx.ModelProto) -> onnx.ModelProto:
    """QuantizeLinear has FLOAT8 since opset 19."""
    if loader.opset(model) >= FLOAT8_OPSET:
        return model
    try:
        return shapes.infer(onnx.version_converter.convert_version(model, FLOAT8_OPSET))
    except (RuntimeError, ValueError) as error:
        raise refuse("opset", f"cannot be raised to {FLOAT8_OPSET}: {words(error)}") from None


def _set_header(model: onnx.ModelProto) -> None:
    """ONNX Runtime lists domains of its own, which no node uses."""
    del model.graph.value_info[:]
    version = loader.opset(model)
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", version))
    model.ir_version = max(model.ir_version, FLOAT8_IR)
    model.producer_name = "fp8net"
    for node in model.graph.node:
        node.ClearField("doc_string")
