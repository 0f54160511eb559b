# SPDX-License-Identifier: Apache-2.0
"""Makes a graph smaller before it is imported. Each rewrite here is exact, but for the rounding of float32 weights:

functions   operators that the standard defines by others, and that ONNX Runtime computes by these, become them; the runtime
            writes the graph without any optimisation
constants   what depends on constants alone becomes a constant
nothing     Identity, Dropout, casts and steps that change nothing disappear, and so does what nobody reads
duplicates  equal nodes with equal operands are one
padding     zeros in front of a convolution become its padding
channels    a factor and an offset of each channel behind a convolution become part of its weights
orders      a function of each value of a transposed array comes before the transposition
matrices    an offset behind a product of matrices becomes its bias
"""

from __future__ import annotations

import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from . import fold, loader
from .errors import Refused, refuse, words

# What a constant is not folded through: the scales of tensors, and codes of weights
_RANDOM = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial"}


def inline(model: onnx.ModelProto, options: onnxruntime.SessionOptions) -> onnx.ModelProto:
    """As ONNX Runtime reads the model, with `options` that leave out all optimisations."""
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "read.onnx"
        options.optimized_model_filepath = str(target)
        try:
            onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
            return loader.read(target)
        except Refused:
            raise
        except Exception as error:
            raise refuse("ONNX Runtime", f"refuses the model: {words(error)}") from None


class Graph:
    """A model while it is rewritten."""

    def __init__(self, model: onnx.ModelProto, shapes: dict):
        self.model, self.graph, self.shapes = model, model.graph, shapes
        self.constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        self.outputs = {o.name for o in model.graph.output}
        self.inputs = {i.name for i in model.graph.input}
        self.index()

    def index(self) -> None:
        self.writers = {o: n for n in self.graph.node for o in n.output if o}
        self.readers: dict[str, list[onnx.NodeProto]] = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)

    def is_alone(self, name: str) -> bool:
        """One node reads it, and it is no output."""
        return len(self.readers.get(name, [])) == 1 and name not in self.outputs

    def name(self, near: str) -> str:
        """A name that no value has"""
        name, number = near, 2
        while name in self.constants or name in self.writers or name in self.inputs:
            name, number = f"{near}_{number}", number + 1
        return name

    def constant(self, near: str, array: np.ndarray) -> str:
        name = self.name(near)
        self.constants[name] = np.asarray(array)
        return name

    def replace(self, name: str, by: str) -> bool:
        """Whoever reads `name` reads `by`. An output keeps its name: the value gets it, if it can be renamed."""
        if name in self.outputs:
            writer = self.writers.get(by)
            if by in self.outputs or writer is None:
                return False
            for node in self.graph.node:
                _rename(node.input, by, name)
                _rename(node.output, by, name)
            return True
        for node in self.readers.get(name, []):
            _rename(node.input, name, by)
        return True

    def finish(self) -> onnx.ModelProto:
        """Without nodes and constants that nobody reads."""
        wanted, kept = set(self.outputs), []
        for node in reversed(self.graph.node):
            if wanted & set(node.output):
                kept.append(node)
                wanted |= set(node.input)
        kept = list(reversed(kept))
        del self.graph.node[:]
        self.graph.node.extend(kept)
        del self.graph.initializer[:]
        for name, array in self.constants.items():
            if name in wanted:
                self.graph.initializer.append(numpy_helper.from_array(array, name))
        del self.graph.value_info[:]
        return self.model


def _rename(names, old: str, new: str) -> None:
    for place, name in enumerate(names):
        if name == old:
            names[place] = new


def _attributes(node: onnx.NodeProto) -> dict:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


# ---- constants, nothing, duplicates ---------------------------------------------------------------


def _fold(g: Graph) -> None:
    found = dict(g.constants)
    fold.fold(g.model, found, g.shapes)
    for node in list(g.graph.node):
        names = [o for o in node.output if o]
        if (
            all(n in found for n in names)
            and node.op_type not in _RANDOM
            and not g.outputs & set(names)
        ):
            g.graph.node.remove(node)
            g.constants |= {n: found[n] for n in names}


def _changes_nothing(g: Graph, node: onnx.NodeProto) -> bool:
    """Its first output is its first operand."""
    op = node.op_type
    if op == "Identity":
        return True
    if op == "Dropout":
        training = g.constants.get(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        known = len(node.input) < 3 or not node.input[2] or training is not None
        return known and not (training is not None and training.any()) and len(node.output) == 1
    shape, its = (g.shapes.get(n) for n in (node.input[0], node.output[0]))
    if shape is None or shape != its:
        return False
    if op in ("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand"):
        return True
    if op == "Transpose":
        perm = _attributes(node).get("perm")
        return perm is not None and list(perm) == list(range(len(shape)))
    neutral = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1, "Pow": 1}.get(op)
    value = g.constants.get(node.input[1]) if neutral is not None else None
    return value is not None and value.dtype.kind == "f" and bool((value == neutral).all())


def _drop(g: Graph) -> None:
    for node in list(g.graph.node):
        operand = node.input[0] if node.input else ""
        if not operand or operand in g.constants or not _changes_nothing(g, node):
            continue
        if g.replace(node.output[0], operand):
            g.graph.node.remove(node)
            g.index()


def _join_duplicates(g: Graph) -> None:
    known: dict[tuple, onnx.NodeProto] = {}
    for node in list(g.graph.node):
        if node.op_type in _RANDOM:
            continue
        attributes = sorted(a.SerializeToString() for a in node.attribute)
        key = (node.op_type, tuple(node.input), len(node.output), *attributes)
        first = known.setdefault(key, node)
        if first is node or g.outputs & set(node.output):
            continue
        if not all(bool(a) == bool(b) for a, b in zip(node.output, first.output)):
            continue
        for name, by in zip(node.output, first.output):
            if name:
                g.replace(name, by)
        g.graph.node.remove(node)
        g.index()


# ---- convolutions -------------------------------------------------------------------------------


def _pads_of(g: Graph, node: onnx.NodeProto) -> np.ndarray | None:
    """Zeros before and behind each axis, of a Pad that adds nothing else."""
    attributes = _attributes(node)
    if attributes.get("mode", b"constant") != b"constant" or len(node.input) < 2:
        return None
    pads = g.constants.get(node.input[1])
    rank = len(g.shapes.get(node.input[0]) or ())
    if pads is None or not rank or pads.size != 2 * rank or (len(node.input) > 3 and node.input[3]):
        return None
    if len(node.input) > 2 and node.input[2]:
        value = g.constants.get(node.input[2])
        if value is None or value.any():
            return None
    pads = pads.reshape(2, rank)
    return None if pads.min() < 0 or pads[:, :2].any() else pads[:, 2:]


def _join_pads(g: Graph) -> None:
    for node in list(g.graph.node):
        before = g.writers.get(node.input[0]) if node.op_type == "Conv" else None
        if before is None or before.op_type != "Pad" or not g.is_alone(node.input[0]):
            continue
        pads, attributes = _pads_of(g, before), _attributes(node)
        if pads is None or attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
            continue
        own = np.array(attributes.get("pads", [0] * pads.size)).reshape(2, -1)
        kept = [a for a in node.attribute if a.name not in ("pads", "auto_pad")]
        del node.attribute[:]
        node.attribute.extend(kept)
        node.attribute.append(helper.make_attribute("pads", (own + pads).reshape(-1).tolist()))
        node.input[0] = before.input[0]
        g.graph.node.remove(before)
        g.index()


def _channels_of(g: Graph, node: onnx.NodeProto, operand: str) -> tuple | None:
    """Factor and offset of each channel, in double precision."""
    rank = len(g.shapes.get(operand) or ())
    count = (g.shapes.get(operand) or (0, 0))[1] if rank > 1 else 0
    if node.op_type == "BatchNormalization":
        attributes = _attributes(node)
        values = [g.constants.get(n) for n in node.input[1:5]]
        if any(v is None for v in values) or attributes.get("training_mode", 0):
            return None
        if len([o for o in node.output if o]) != 1:
            return None
        scale, bias, mean, variance = (v.astype(np.float64) for v in values)
        factor = scale / np.sqrt(variance + attributes.get("epsilon", 1e-5))
        return factor, bias - mean * factor
    if node.op_type not in ("Mul", "Add") or list(node.input).count(operand) != 1:
        return None
    value = g.constants.get(node.input[1 - list(node.input).index(operand)])
    if value is None or value.dtype != np.float32 or value.ndim > rank or not count:
        return None
    shape = (1,) * (rank - value.ndim) + value.shape
    if any(s != 1 for a, s in enumerate(shape) if a != 1) or shape[1] not in (1, count):
        return None
    value = np.broadcast_to(value.reshape(-1).astype(np.float64), count)
    return (value, np.zeros(count)) if node.op_type == "Mul" else (np.ones(count), value)


def _join_channels(g: Graph) -> None:
    """In order, so that several steps behind a convolution all become part of it"""
    for node in list(g.graph.node):
        for operand in node.input[:2]:
            conv = g.writers.get(operand)
            if conv is None or conv.op_type != "Conv" or not g.is_alone(operand):
                continue
            weights = g.constants.get(conv.input[1])
            bias = g.constants.get(conv.input[2]) if len(conv.input) > 2 and conv.input[2] else None
            if weights is None or weights.dtype != np.float32:
                continue
            if len(conv.input) > 2 and conv.input[2] and bias is None:
                continue
            found = _channels_of(g, node, operand)
            if found is None or found[0].shape != (len(weights),):
                continue
            _absorb(g, conv, node, weights, bias, *found)
            break


def _absorb(g: Graph, conv, node, weights, bias, factor, offset) -> None:
    result = node.output[0]
    scaled = weights.astype(np.float64) * factor.reshape((-1,) + (1,) * (weights.ndim - 1))
    total = offset + (0 if bias is None else bias.astype(np.float64) * factor)
    changed = [np.asarray(a, np.float64).astype(np.float32) for a in (scaled, total)]
    if not all(np.isfinite(a).all() for a in changed):
        return
    if (factor != 1).any():
        conv.input[1] = g.constant(f"{conv.input[1]}_{result}", changed[0])
    name = g.constant(f"{result}_offset", changed[1])
    if len(conv.input) > 2:
        conv.input[2] = name
    else:
        conv.input.append(name)
    conv.output[0] = result
    g.graph.node.remove(node)
    g.index()


# ---- matrices -----------------------------------------------------------------------------------


def _join_biases(g: Graph) -> None:
    """A product of two matrices with one number more for each column is a Gemm."""
    for node in list(g.graph.node):
        if node.op_type != "Add":
            continue
        for place, operand in enumerate(node.input):
            product, bias = g.writers.get(operand), g.constants.get(node.input[1 - place])
            if product is None or product.op_type != "MatMul" or not g.is_alone(operand):
                continue
            its, rank = g.constants.get(product.input[1]), len(g.shapes.get(product.input[0]) or ())
            if rank != 2 or its is None or its.ndim != 2 or its.dtype != np.float32 or bias is None:
                continue
            columns = its.shape[1]
            if bias.dtype != np.float32 or bias.shape not in ((columns,), (1, columns)):
                continue
            product.op_type, product.output[0] = "Gemm", node.output[0]
            product.input.append(g.constant(f"{node.output[0]}_bias", bias.reshape(-1)))
            g.graph.node.remove(node)
            g.index()
            break


# ---- orders -------------------------------------------------------------------------------------

_CURVES = {"Sqrt", "Exp", "Log", "Abs", "Neg", "Relu", "Sigmoid", "Tanh", "Erf"}
_PAIRS = {"Add", "Sub", "Mul", "Div", "Pow"}


def unturned(name: str) -> str:
    """What a value is called while it is not transposed yet"""
    return f"{name}/before"


def _move_transposes(g: Graph) -> None:
    """What reads transposed arrays alone reads them as they are, and its result is transposed: it may be part of what is before,
    and fewer values move."""
    for node in list(g.graph.node):
        given = [n for n in dict.fromkeys(node.input) if n and n not in g.constants]
        turns = [g.writers.get(name) for name in given]
        if not given or any(t is None or t.op_type != "Transpose" for t in turns):
            continue
        perms = {tuple(_attributes(t).get("perm", ())) for t in turns}
        shared = any(g.readers[n] != [node] * list(node.input).count(n) for n in given)
        if len(perms) > 1 or shared or g.outputs & set(given) or not (perm := list(*perms)):
            continue
        perm = _turned(g, node, given, perm)
        if perm is not None:
            _turn_behind(g, node, dict(zip(given, turns)), perm)


def _turned(g: Graph, node: onnx.NodeProto, given: list[str], perm: list[int]) -> list[int] | None:
    """Changes the node for operands that are not transposed; the order of its result. None: it stays."""
    op, attributes, rank = node.op_type, _attributes(node), len(perm)
    if op in _CURVES:
        return perm
    if op == "Transpose":
        own = list(attributes.get("perm", range(rank)[::-1]))
        del node.attribute[:]
        node.attribute.append(helper.make_attribute("perm", [perm[a] for a in own]))
        return list(range(rank))
    if op in _PAIRS:
        places = {n: g.constants[n] for n in node.input if n in g.constants}
        # A number alone is part of a function that begins here, and may be kept apart from what is before.
        if any(c.ndim > rank or c.size == 1 for c in places.values()):
            return None
        for name, constant in places.items():
            if constant.ndim:
                whole = constant.reshape((1,) * (rank - constant.ndim) + constant.shape)
                _rename(
                    node.input,
                    name,
                    g.constant(f"{name}/turned", whole.transpose(np.argsort(perm))),
                )
        return perm
    if op == "Concat" and len(given) == len(set(node.input)):
        axis = attributes["axis"] % rank
        del node.attribute[:]
        node.attribute.append(helper.make_attribute("axis", perm[axis]))
        return perm
    if op == "Slice" and len(node.input) > 3 and node.input[3] in g.constants:
        axes = [perm[int(a) % rank] for a in g.constants[node.input[3]]]
        node.input[3] = g.constant(f"{node.input[3]}/turned", np.array(axes, np.int64))
        return perm
    if op in ("Reshape", "Squeeze", "Unsqueeze"):
        return _resized(g, node, given[0], perm)
    return None


def _resized(g: Graph, node: onnx.NodeProto, given: str, perm: list[int]) -> list[int] | None:
    """A node that adds or removes one size of 1"""
    before, after = g.shapes.get(given), g.shapes.get(node.output[0])
    if before is None or after is None or abs(len(before) - len(after)) != 1:
        return None
    short, long = sorted((before, after), key=len)
    axis = next(
        (a for a, n in enumerate(long) if n == 1 and long[:a] + long[a + 1 :] == short), None
    )
    if axis is None:
        return None
    if len(before) > len(after):
        gone = perm[axis]
        perm = [p - (p > gone) for a, p in enumerate(perm) if a != axis]
    else:
        place = _place_of_one(g, g.writers[given].input[0], axis)
        perm = [p + (p >= place) for p in perm]
        perm.insert(axis, place)
    sizes = np.array([after[a] for a in np.argsort(perm)], np.int64)
    del node.input[1:], node.attribute[:]
    node.op_type = "Reshape"
    node.input.append(g.constant(f"{node.output[0]}/sizes", sizes))
    return perm


def _place_of_one(g: Graph, name: str, axis: int) -> int:
    """Where a size of 1 goes: where the same array had one before it was removed, else to `axis`"""
    shape, before = g.shapes.get(name), g.writers.get(name)
    if before is not None and before.op_type == "Reshape" and shape is not None:
        whole = g.shapes.get(before.input[0])
        for place in range(len(shape) + 1):
            if (*shape[:place], 1, *shape[place:]) == whole:
                return place
    return axis


def _join_reshapes(g: Graph) -> None:
    for node in g.graph.node:
        before = g.writers.get(node.input[0]) if node.op_type == "Reshape" else None
        sizes = g.constants.get(node.input[1]) if before is not None else None
        if sizes is not None and before.op_type == "Reshape" and sizes.all():
            node.input[0] = before.input[0]
    g.index()
    _drop(g)


def _turn_behind(g: Graph, node: onnx.NodeProto, turns: dict, perm: list[int]) -> None:
    result, shape = node.output[0], g.shapes.get(node.output[0])
    for name, turn in turns.items():
        _rename(node.input, name, turn.input[0])
        if turn in g.graph.node:
            g.graph.node.remove(turn)
    if perm != list(range(len(perm))):
        inner = g.name(unturned(result))
        node.output[0] = inner
        turned = helper.make_node("Transpose", [inner], [result], f"{result}/turned", perm=perm)
        g.graph.node.insert(list(g.graph.node).index(node) + 1, turned)
        if shape is not None:
            g.shapes[inner] = tuple(shape[place] for place in np.argsort(perm))
    g.index()


STEPS = (
    *(_fold, _drop, _join_duplicates, _move_transposes, _join_reshapes),
    *(_join_pads, _join_channels, _join_biases),
)


def run(model: onnx.ModelProto, shapes: dict) -> onnx.ModelProto:
    """The model with the shape of each value, as far as it is known, rewritten."""
    g = Graph(model, shapes)
    for step in STEPS:
        step(g)
        g.index()
    return g.finish()
