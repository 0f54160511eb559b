# SPDX-License-Identifier: Apache-2.0
"""Joins layers that one command can do. A value that the file rounds, gives out or reads elsewhere stays as it is."""

from __future__ import annotations

import numpy as np

from . import functions
from .ir import INT8, Fused, Graph, Layer

MASKED = -1e30  # what is added to a score that a softmax does not see
COMMANDS = (
    "convolution",
    "transposed",
    "linear",
    "matmul",
    "add",
    "multiply",
    "convert",
    "scale_channels",
)


def fuse(graph: Graph) -> Graph:
    for step in (
        _into_table,
        _root,
        _affine,
        _activations,
        _gates,
        _written_out,
        _masks,
        _residuals,
        _activations,
    ):
        changed = True
        while changed:
            changed = any(step(graph, layer) for layer in list(graph.layers))
    return graph


def fuse_tables(graph: Graph) -> Graph:
    """A table behind a command needs none of its own: the codes of the command are looked up while it writes them."""
    for layer in list(graph.layers):
        if layer.op != "convert" or layer.fused.function is None:
            continue
        source = graph.tensors[layer.inputs[0]]
        layer.fused.table_format, layer.fused.table_scale = source.format, source.scale
        before = _before(graph, layer, rounded=True)
        if before is not None and before.fused.function is None:
            fused = before.fused
            before.fused = Fused(
                fused.activation,
                fused.clamp,
                layer.fused.function,
                layer.fused.arguments,
                source.format,
                source.scale,
                layer.fused.table_from,
            )
            _absorb(graph, before, layer)
    return graph


def _before(graph: Graph, layer: Layer, rounded: bool = False) -> Layer | None:
    """The command that writes the layer's first operand, for this layer alone."""
    name = layer.inputs[0]
    before = graph.writer(name)
    if before is None or before.op not in COMMANDS or graph.is_output(name):
        return None
    if len(graph.readers(name)) != 1 or layer.reads.count(name) != 1:
        return None
    return None if graph.tensors[name].fixed and not rounded else before


def _absorb(graph: Graph, before: Layer, layer: Layer) -> None:
    """`before` writes what `layer` wrote."""
    del graph.tensors[before.output]
    before.output = layer.output
    before.nodes += layer.nodes
    graph.layers.remove(layer)


def is_plain(layer: Layer) -> bool:
    return layer.fused.activation == "none" and layer.fused.function is None


def is_affine(layer: Layer) -> bool:
    return layer.affine and layer.residual is None


def _into_table(graph: Graph, layer: Layer) -> bool:
    """What follows an embedding value by value is computed once, in its table."""
    name = layer.inputs[0]
    before = graph.writer(name)
    if before is None or before.op != "embedding" or len(layer.reads) != 1:
        return False
    if len(graph.readers(name)) != 1 or graph.is_output(name) or graph.tensors[name].fixed:
        return False
    if is_affine(layer) and layer.groups == before.table.shape[1]:
        offset = 0.0 if layer.weights.bias is None else layer.weights.bias
        values = before.table * layer.weights.values[:, 0] + offset
    elif layer.op == "convert":
        values = before.table
    else:
        return False
    before.table = _apply(layer.fused, values)
    _absorb(graph, before, layer)
    return True


def _apply(fused: Fused, values: np.ndarray) -> np.ndarray:
    values = functions.activate(values, fused)
    if fused.function is not None:
        values = functions.apply(fused.function, fused.arguments, values)
    return values.astype(np.float32)


_SQUARED_ROOT = (("Sqrt", (("x",),), ()), ("Mul", (("step", 0), ("step", 0)), ()))


def _root(graph: Graph, layer: Layer) -> bool:
    """sqrt(x)^2 is x where x is a sum of squares."""
    if layer.op != "convert" or layer.fused.arguments != _SQUARED_ROOT:
        return False
    name = layer.inputs[0]
    before = graph.writer(name)
    if before is None or before.op != "reduce" or before.reduction != "sum":
        return False
    source = graph.writer(before.inputs[0])
    while source is not None and source.op == "move":
        source = graph.writer(source.inputs[0])
    square = source is not None and source.op == "multiply" and len(set(source.inputs)) == 1
    alone = len(graph.readers(name)) == 1 and not graph.is_output(name)
    if not square or not alone or source.factor <= 0 or graph.tensors[name].fixed:
        return False
    _absorb(graph, before, layer)
    return True


def _affine(graph: Graph, layer: Layer) -> bool:
    """A factor and an offset for each channel go into the weights before them."""
    if not is_affine(layer):
        return False
    if _into_norm(graph, layer):
        return True
    before = _before(graph, layer)
    if before is not None and before.op == "matmul":
        return _factor(graph, before, layer)
    if (
        before is None
        or before.weights is None
        or before.residual is not None
        or not is_plain(before)
        or before.weights.values.shape[0] != layer.groups
    ):
        return False
    factor, weights = layer.weights.values[:, 0], before.weights
    weights.values = weights.values * factor[:, None]
    if weights.codes is not None:
        scale_codes(weights, factor)
    bias = 0.0 if weights.bias is None else weights.bias * factor
    offset = 0.0 if layer.weights.bias is None else layer.weights.bias
    total = np.broadcast_to(np.asarray(bias + offset, np.float32), factor.shape)
    weights.bias = np.ascontiguousarray(total) if total.any() else None
    before.fused = layer.fused
    _absorb(graph, before, layer)
    return True


def _into_norm(graph: Graph, layer: Layer) -> bool:
    """The factor and the offset of a norm, as its gamma and beta"""
    before, name = graph.writer(layer.inputs[0]), layer.inputs[0]
    if before is None or before.op != "normalise" or not is_plain(layer):
        return False
    alone = len(graph.readers(name)) == 1 and not graph.is_output(name)
    norm, offset = before.norm, layer.weights.bias
    if not alone or graph.tensors[name].fixed or graph.tensors[name].inner:
        return False
    if graph.tensors[name].cols != layer.groups or (norm.rms and offset is not None):
        return False
    factor = layer.weights.values[:, 0]
    norm.gamma = factor * (1 if norm.gamma is None else norm.gamma)
    beta = (0 if norm.beta is None else norm.beta * factor) + (0 if offset is None else offset)
    beta = np.broadcast_to(np.asarray(beta, np.float32), factor.shape)
    norm.beta = np.ascontiguousarray(beta) if beta.any() else None
    norm.gamma = np.ascontiguousarray(norm.gamma, np.float32)
    _absorb(graph, before, layer)
    return True


def _factor(graph: Graph, before: Layer, layer: Layer) -> bool:
    """One positive factor of a product of computed matrices"""
    values = layer.weights.values
    if layer.weights.bias is not None or values.min() != values.max() or values[0, 0] <= 0:
        return False
    if not is_plain(before):
        return False
    before.factor *= float(values[0, 0])
    before.fused = layer.fused
    _absorb(graph, before, layer)
    return True


def scale_codes(weights, factor: np.ndarray) -> None:
    """Codes of a negative factor change their signs; 0 stays +0."""
    weights.codes = weights.codes.copy()
    if weights.format == INT8:
        weights.codes = np.where((factor < 0)[:, None], -weights.codes, weights.codes)
    else:
        negative = (factor < 0)[:, None] & (weights.codes & 0x7F != 0)
        weights.codes[negative] ^= 0x80
    scale = (weights.row_scale * np.abs(factor)).astype(np.float32)
    usable = np.isfinite(scale) & (scale > 0)
    weights.codes[~usable] = 0
    weights.row_scale = np.where(usable, scale, np.float32(1)).astype(np.float32)


# x * gate(x) -> one function
_GATES = {("Sigmoid", ()): "Silu", ("HardSigmoid", (1 / 6, 0.5)): "HardSwish"}


def _gates(graph: Graph, layer: Layer) -> bool:
    if layer.op != "multiply" or not is_plain(layer):
        return False
    for place in (0, 1):
        x, gate = layer.inputs[place], graph.writer(layer.inputs[1 - place])
        if (
            gate is None
            or gate.op != "convert"
            or gate.inputs != [x]
            or gate.fused.activation != "none"
        ):
            continue
        if len(graph.readers(gate.output)) != 1 or graph.is_output(gate.output):
            continue
        function = next(
            (
                name
                for (op, arguments), name in _GATES.items()
                if op == gate.fused.function and np.allclose(arguments, gate.fused.arguments)
            ),
            None,
        )
        if function is None or graph.tensors[gate.output].fixed:
            continue
        layer.op, layer.inputs, layer.factor = "convert", [x], 1.0
        layer.fused = Fused(function=function, table_from=gate.fused.table_from)
        layer.nodes = gate.nodes + layer.nodes
        del graph.tensors[gate.output]
        graph.layers.remove(gate)
        return True
    return False


def _written_out(graph: Graph, layer: Layer) -> bool:
    """HardSwish as x * clip(x + 3, 0, 6) / 6."""
    if not is_affine(layer) or layer.weights.bias is not None or not is_plain(layer):
        return False
    if not np.allclose(layer.weights.values, 1 / 6, rtol=1e-6):
        return False
    times = _before(graph, layer)
    if times is None or times.op != "multiply" or not is_plain(times):
        return False
    for place in (0, 1):
        x, gate = times.inputs[place], graph.writer(times.inputs[1 - place])
        if gate is None or gate.inputs != [x] or not _is_clipped_sum(graph, gate):
            continue
        layer.op, layer.inputs, layer.weights, layer.affine = "convert", [x], None, False
        layer.images = layer.height = layer.width = layer.groups = 1
        layer.fused = Fused(function="HardSwish")
        layer.nodes = gate.nodes + times.nodes + layer.nodes
        for gone in (gate, times):
            del graph.tensors[gone.output]
            graph.layers.remove(gone)
        return True
    return False


def _is_clipped_sum(graph: Graph, gate: Layer) -> bool:
    """clip(x + 3, 0, 6), which nobody else reads."""
    if not is_affine(gate) or gate.weights.bias is None:
        return False
    exact = (gate.weights.values == 1).all() and (gate.weights.bias == 3).all()
    clipped = gate.fused.activation == "clamp" and gate.fused.clamp == (0.0, 6.0)
    alone = len(graph.readers(gate.output)) == 1 and not graph.is_output(gate.output)
    return bool(exact and clipped and alone and not graph.tensors[gate.output].fixed)


def _masks(graph: Graph, layer: Layer) -> bool:
    """A softmax behind a constant mask sees fewer columns, if these are the first ones of each row."""
    name = layer.inputs[0]
    before = graph.writer(name)
    if layer.op != "softmax" or layer.seen or before is None or before.op != "add":
        return False
    if before.factor != 1.0 or not is_plain(before) or before.inputs[1] not in graph.constants:
        return False
    if len(graph.readers(name)) != 1 or graph.is_output(name) or graph.tensors[name].fixed:
        return False
    found = _seen(graph.constants[before.inputs[1]])
    if found is None:
        return False
    layer.seen, layer.causal, rows = found
    layer.images = graph.tensors[name].rows // rows if layer.causal else 1
    layer.inputs = before.inputs[:1]
    layer.nodes = before.nodes + layer.nodes
    del graph.tensors[name]
    del graph.constants[before.inputs[1]], graph.tensors[before.inputs[1]]
    graph.layers.remove(before)
    return True


def _seen(mask: np.ndarray) -> tuple[int, bool, int] | None:
    """Columns that the first row sees, whether each row sees one more, and the rows after which this begins again."""
    counts = (mask == 0).sum(axis=1)
    columns = np.arange(mask.shape[1])
    if not ((mask <= MASKED) == (columns >= counts[:, None])).all() or counts.min() == 0:
        return None
    if (counts == counts[0]).all():
        return int(counts[0]), False, len(mask)
    falls = np.flatnonzero(np.diff(counts) < 0)
    rows = int(falls[0]) + 1 if len(falls) else len(mask)
    wanted = np.minimum(counts[0] + np.arange(len(mask)) % rows, mask.shape[1])
    return (
        (int(counts[0]), True, rows) if len(mask) % rows == 0 and (counts == wanted).all() else None
    )


def _is_finite(graph: Graph, names: list[str]) -> bool:
    return all(np.isfinite(graph.constants[n]).all() for n in names if n in graph.constants)


def _residuals(graph: Graph, layer: Layer) -> bool:
    """A sum goes into the product that writes one of its operands, if the other one is there before."""
    if layer.op != "add" or layer.factor != 1.0 or len(set(layer.inputs)) != 2 or layer.residual:
        return False
    if layer.images > 1 or not _is_finite(graph, layer.inputs):
        return False
    written = {before.output: i for i, before in enumerate(graph.layers)}
    order = sorted(layer.inputs, key=lambda name: written.get(name, -1))
    layer.inputs = order[::-1]
    before = _before(graph, layer)
    if before is None or before.op not in ("convolution", "linear") or before.residual is not None:
        return False
    if not is_plain(before):
        return False
    before.residual = order[0]
    before.fused = layer.fused
    _absorb(graph, before, layer)
    return True


def _activations(graph: Graph, layer: Layer) -> bool:
    """ReLU and clamps. Behind a rounding they give the codes that they give in front of an equal one."""
    if (
        layer.op != "convert"
        or layer.fused.function is not None
        or layer.fused.activation == "none"
    ):
        return False
    before = _before(graph, layer, rounded=True)
    if before is None or not is_plain(before):
        return False
    rounded, out = (graph.tensors[name] for name in (before.output, layer.output))
    equal = out.fixed and (out.format, out.scale) == (rounded.format, rounded.scale)
    if rounded.fixed and not equal:
        return False
    before.fused = layer.fused
    _absorb(graph, before, layer)
    return True
