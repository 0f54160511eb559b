# SPDX-License-Identifier: Apache-2.0
"""OCP MX: operands of products with an E8M0 scale for each 32 codes of a row, in place of a scale for all of them.

Scales follow from the values, so nothing is calibrated: a tensor that MX layers read stays float32, and a layer to_mx in front
of them makes its codes. Weights become codes when the file is read. A quantised file says so in its metadata, with the formats
of both operands; its MX layers are those that can be, and whose operands it does not round. ONNX Runtime does not compute them.

The executor has codes and scales of a tensor side by side: rows x (cols + blocks) bytes.
"""

from __future__ import annotations

import fp8mac
import numpy as np
import onnx
from fp8mac import recipes

from .errors import refuse
from .ir import FORMATS, FP8_OPERANDS, INT8, Graph, Layer, Tensor, Weights

KEY = "fp8net.mx"
BLOCK = 32
FLOAT8 = tuple(format for format in FORMATS if format != INT8)


# ---- the file -----------------------------------------------------------------------------------


def of(model: onnx.ModelProto) -> tuple[str, str] | None:
    """The formats of activations and of weights, if the file has MX."""
    text = next((p.value for p in model.metadata_props if p.key == KEY), None)
    if text is None:
        return None
    formats = tuple(text.split())
    if len(formats) != 2 or not set(formats) <= set(FLOAT8):
        raise refuse(f"metadata {KEY}", f"is {text!r}", f"two of {', '.join(FLOAT8)}")
    return formats


def write(model: onnx.ModelProto, format: str, weights_format: str) -> None:
    model.metadata_props.add(key=KEY, value=f"{format} {weights_format}")


# ---- which layers -------------------------------------------------------------------------------


def why_not_op(layer: Layer) -> str | None:
    """What keeps a product from MX, whatever its operands are; None: nothing."""
    if layer.op == "convolution":
        w = layer.window
        if w.kernel != (1, 1) or w.stride != (1, 1) or any(w.pads):
            return f"it reads an image: kernel {w.kernel}, strides {w.stride}"
        if layer.groups != 1:
            return f"it has {layer.groups} groups"
    elif layer.op not in ("linear", "matmul"):
        return f"{layer.op} has no MX"
    if layer.affine:
        return "it is a factor for each channel"
    return None


def why_not(graph: Graph, layer: Layer) -> str | None:
    """The same, and what keeps its operands from it."""
    reason = why_not_op(layer)
    if reason is not None:
        return reason
    for name in layer.inputs:
        if graph.tensors[name].has_codes and not _is_free(graph, name):
            return f"{name} is rounded {_for_whom(graph, name)}"
    if layer.weights is not None and (layer.weights.unit or layer.weights.codes is not None):
        return "its weights have a scale already"
    return None


def _is_free(graph: Graph, name: str) -> bool:
    """The weights of an attention, which the file does not have: its softmax can write float32."""
    writer, tensor = graph.writer(name), graph.tensors[name]
    inner = tensor.inner and not tensor.fixed and len(graph.readers(name)) == 1
    return inner and writer is not None and writer.op == "softmax"


def _for_whom(graph: Graph, name: str) -> str:
    """Why a tensor has one scale."""
    writer = graph.writer(name)
    if writer is not None and (writer.fused.function is not None or writer.op == "max_pool"):
        return f"by {writer.name}, which writes FP8"
    others = [r.name for r in graph.readers(name) if r.op in FP8_OPERANDS and why_not_op(r)]
    return f"for {others[0]}" if others else "in the file"


def products(graph: Graph) -> list[Layer]:
    return [layer for layer in graph.layers if layer.op in FP8_OPERANDS]


def mark(graph: Graph) -> None:
    """Sets Layer.mx where MX can be."""
    for layer in products(graph):
        layer.mx = why_not(graph, layer) is None


# ---- the graph ----------------------------------------------------------------------------------


def use(graph: Graph) -> None:
    """MX layers get their operands from layers to_mx. A convolution of single pixels is a linear layer."""
    if graph.mx is None:
        return
    mark(graph)
    for layer in [layer for layer in products(graph) if layer.mx]:
        if layer.op == "convolution":
            layer.op = "linear"
        for place, name in enumerate(layer.inputs):
            layer.inputs[place] = _operand(graph, layer, name)


def _operand(graph: Graph, layer: Layer, name: str) -> str:
    """The MX form of a tensor, which all layers share."""
    known = next((x for x in graph.layers if x.op == "to_mx" and x.inputs == [name]), None)
    if known is not None:
        return known.output
    source = graph.tensors[name]
    source.format, source.scale = "float32", 1.0
    unique, number = f"{name}_mx", 2
    while unique in graph.tensors:
        unique, number = f"{name}_mx_{number}", number + 1
    graph.tensors[unique] = Tensor(
        unique, source.rows, source.cols, graph.mx[0], fixed=True, inner=True, mx=True
    )
    convert = Layer("to_mx", f"{layer.name}_to_mx", [name], unique, layer.nodes)
    graph.layers.insert(graph.layers.index(layer), convert)
    return unique


def quantise(weights: Weights, format: str) -> None:
    weights.format = format
    weights.codes, weights.mx = recipes.mx_quantize(weights.values.astype(np.float32), format)


def share(graph: Graph) -> float:
    """Of the products' MACs"""
    macs = [(graph.macs(layer), layer.mx) for layer in products(graph)]
    return sum(count for count, is_mx in macs if is_mx) / max(sum(count for count, _ in macs), 1)


def summary(graph: Graph) -> list[str]:
    """How many products are MX, and what keeps each of the others from it."""
    found = [layer for layer in products(graph) if layer.mx]
    count = f"{len(found)} of {len(products(graph))} products are MX"
    lines = [f"{count}, {100 * share(graph):.1f} % of the MACs"]
    return lines + [
        f"  {layer.name}: FP8, because {why_not(graph, layer)}"
        for layer in products(graph)
        if not layer.mx
    ]


# ---- codes and scales ---------------------------------------------------------------------------


def blocks(cols: int) -> int:
    return -(-cols // BLOCK)


def encode(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    return np.concatenate(recipes.mx_quantize(values.astype(np.float32), tensor.format), axis=1)


def split(both: np.ndarray, tensor: Tensor) -> tuple[np.ndarray, np.ndarray | None]:
    """Codes, and scales if the tensor has some."""
    if not tensor.mx:
        return both, None
    return both[:, : tensor.cols], both[:, tensor.cols :]


def decode(both: np.ndarray, tensor: Tensor) -> np.ndarray:
    codes, scales = split(both, tensor)
    powers = np.where(scales == 0xFF, np.nan, np.exp2(scales.astype(np.float64) - 127))
    each = np.repeat(powers, BLOCK, axis=1)[:, : tensor.cols]
    return (fp8mac.decode(np.ascontiguousarray(codes), tensor.format) * each).astype(np.float32)
