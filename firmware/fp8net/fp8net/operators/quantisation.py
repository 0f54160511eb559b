# SPDX-License-Identifier: Apache-2.0
"""QuantizeLinear and DequantizeLinear: the scales of tensors and weights."""

from __future__ import annotations

import dataclasses

import fp8mac
import numpy as np
from onnx import TensorProto

from ..ir import FORMATS, INT8
from ..weights import LEAST_SCALE
from .layout import _unsupported
from .registry import handles

# Types of ONNX -> formats.
FORMAT_OF_TYPE = {
    TensorProto.FLOAT8E4M3FN: "e4m3fn",
    TensorProto.FLOAT8E5M2: "e5m2",
    TensorProto.FLOAT8E4M3FNUZ: "e4m3fnuz",
    TensorProto.FLOAT8E5M2FNUZ: "e5m2fnuz",
    TensorProto.INT8: "int8",
}
_BY_DTYPE = {
    "float8_e4m3fn": "e4m3fn",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
    "int8": "int8",
}
_NEAREST = "FLOAT8E4M3FN, FLOAT8E5M2 and their FNUZ forms, INT8 with zero points of 0"


@dataclasses.dataclass
class Codes:
    """A dequantised constant."""

    codes: np.ndarray
    scales: np.ndarray  # one, or one for each index of the axis
    axis: int
    format: str


def _format_of_dtype(dtype: np.dtype) -> str:
    name = _BY_DTYPE.get(dtype.name)
    if name is None:
        raise _unsupported(f"its codes are {dtype.name}", _NEAREST)
    return name


def _scale_of(importer, node) -> np.ndarray:
    scale = importer.constant(node.inputs[1])
    if scale is None:
        raise _unsupported("its scale is not constant", "a constant scale")
    scale = scale.astype(np.float32)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise _unsupported("its scale is not finite and greater than 0")
    if node.attribute("block_size", 0):
        raise _unsupported("block_size is not 0", "a scale for each channel")
    return scale


def _check_zero(importer, node) -> np.ndarray | None:
    """The zero point, if there is one"""
    if not node.operand(2):
        return None
    zero = importer.constant(node.inputs[2])
    if zero is None or zero.astype(np.float32).any():
        raise _unsupported("its zero point is not 0", "a zero point of 0")
    return zero


def _format_of(importer, node) -> str:
    if node.operand(2):
        return _format_of_dtype(_check_zero(importer, node).dtype)
    kind = node.attribute("output_dtype", TensorProto.UINT8)
    if kind not in FORMAT_OF_TYPE:
        raise _unsupported(f"its codes are {TensorProto.DataType.Name(kind)}", _NEAREST)
    return FORMAT_OF_TYPE[kind]


@handles("QuantizeLinear", "the tensor's scale", "FP8 or INT8, one constant scale, saturate")
def quantize(importer, node) -> None:
    format = _format_of(importer, node)
    scale = _scale_of(importer, node)
    if scale.size != 1:
        raise _unsupported("it has a scale for each channel", "one scale for activations")
    if not node.attribute("saturate", 1) and format != INT8:  # which always saturates
        raise _unsupported("saturate is 0", "saturate 1")
    only = float(scale.reshape(())[()])
    if only < LEAST_SCALE:
        raise _unsupported(
            f"its scale is {only:.3g}, whose reciprocal is no finite float32",
            "a scale of 2^-126 (1.18e-38) or more",
        )
    round_to(importer, node, format, only)


def round_to(importer, node, format: str, scale: float) -> None:
    """The node's output is its input, rounded to a format."""
    view = importer.view(node)
    tensor = importer.tensor_of(view)
    if tensor.fixed and (tensor.format, tensor.scale) == (format, scale):
        importer.views[node.outputs[0]] = view
        return
    if tensor.fixed or _has_other_readers(importer, node):
        layer = importer.layer(node, "convert", [view.tensor])
        importer.add_like(node, layer, view)
        view = importer.views[node.outputs[0]]
        tensor = importer.tensor_of(view)
    tensor.format, tensor.scale, tensor.fixed = format, scale, True
    importer.views[node.outputs[0]] = view


def _has_other_readers(importer, node) -> bool:
    """Somebody reads the tensor before it is rounded, by this name or that of another view."""
    tensor = importer.view(node).tensor
    graph = importer.model.graph
    names = [name for name, view in importer.views.items() if view.tensor == tensor]
    return any(
        sum(name in n.input for n in graph.node) > 1 or any(o.name == name for o in graph.output)
        for name in names
    )


@handles(
    "DequantizeLinear",
    "the scale of tensors and weights",
    "FP8 or INT8; weights: also a scale a channel; biases: INT32",
)
def dequantize(importer, node) -> None:
    scale = _scale_of(importer, node)
    _check_zero(importer, node)
    codes = importer.constant(node.inputs[0])
    if codes is not None:
        _constant(importer, node, codes, scale)
        return
    view = importer.view(node)
    tensor = importer.tensor_of(view)
    if tensor.format not in FORMATS:
        raise _unsupported("its input is no output of QuantizeLinear")
    if scale.size != 1 or float(scale.reshape(())[()]) != tensor.scale:
        raise _unsupported("its scale is not that of the QuantizeLinear before it")
    importer.views[node.outputs[0]] = view


def _constant(importer, node, codes: np.ndarray, scale: np.ndarray) -> None:
    axis = node.attribute("axis", 1)
    axis = axis + codes.ndim if axis < 0 else axis
    shape = [1] * codes.ndim
    if scale.size > 1:
        if scale.ndim != 1 or axis >= codes.ndim or codes.shape[axis] != scale.size:
            raise _unsupported(f"has {scale.size} scales along axis {axis} of {codes.shape}")
        shape[axis] = scale.size
    scales = scale.reshape(shape if scale.size > 1 else ())
    name = node.outputs[0]
    if codes.dtype == np.int32:  # a bias: numbers, which get no codes
        importer.constants[name] = codes.astype(np.float32) * scales
        return
    format = _format_of_dtype(codes.dtype)
    raw = codes.view(np.uint8)
    values = fp8mac.decode(raw, format)
    if not np.isfinite(values).all():
        raise _unsupported("has codes that are NaN or Inf")
    importer.weights_of[name] = Codes(raw, scale.reshape(-1), axis, format)
    importer.constants[name] = values * scales
