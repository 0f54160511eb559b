# SPDX-License-Identifier: Apache-2.0
"""Writes roundings into a model: QuantizeLinear and DequantizeLinear, casts to FLOAT16 and back, codes of weights."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_ONNX_TYPES = {
    "e4m3fn": (TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn),
    "e5m2": (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2),
    "e4m3fnuz": (TensorProto.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz),
    "e5m2fnuz": (TensorProto.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz),
    "int8": (TensorProto.INT8, np.int8),
}


def _fresh(name: str, used: set[str]) -> str:
    while name in used:
        name += "_"
    used.add(name)
    return name


class Writer:
    def __init__(self, model: onnx.ModelProto):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.graph = self.model.graph
        self.used = {n for node in self.graph.node for n in [*node.input, *node.output]}
        self.used |= {t.name for t in self.graph.initializer}
        self.nodes = {node.name for node in self.graph.node}
        self.coded: dict[str, np.ndarray] = {}  # the weights for each value that codes stand for

    def fresh(self, name: str) -> str:
        return _fresh(name, self.used)

    def fresh_node(self, name: str) -> str:
        """ONNX Runtime refuses two nodes with one name."""
        return _fresh(name, self.nodes)

    def constant(self, name: str, array: np.ndarray) -> str:
        name = self.fresh(name)
        self.graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def pair(self, name: str, format: str, scale: float) -> None:
        """Whoever reads `name` reads it rounded."""
        kind = _ONNX_TYPES[format][1]
        factor = self.constant(f"{name}_scale", np.array(scale, np.float32))
        zero = self.constant(f"{name}_zero", np.zeros((), kind))
        index = next((i for i, n in enumerate(self.graph.node) if name in n.output), -1)
        inner, codes = self.fresh(f"{name}_raw"), self.fresh(f"{name}_codes")
        if any(o.name == name for o in self.graph.output):
            source, target = inner, name
            for i, output in enumerate(self.graph.node[index].output):
                if output == name:
                    self.graph.node[index].output[i] = inner
        else:
            source, target = name, inner
            for node in self.graph.node:
                for i, read in enumerate(node.input):
                    if read == name:
                        node.input[i] = target
        for offset, node in enumerate(self._pair(name, source, codes, target, factor, zero)):
            self.graph.node.insert(index + 1 + offset, node)

    def half(self, name: str) -> None:
        """Whoever reads `name` reads it rounded to FLOAT16."""
        index = next(i for i, n in enumerate(self.graph.node) if name in n.output)
        rounded, target = self.fresh(f"{name}_half"), self.fresh(f"{name}_wide")
        for node in self.graph.node:
            for i, read in enumerate(node.input):
                if read == name:
                    node.input[i] = target
        casts = (name, rounded, TensorProto.FLOAT16), (rounded, target, TensorProto.FLOAT)
        for offset, (source, result, kind) in enumerate(casts):
            node = helper.make_node(
                "Cast", [source], [result], self.fresh_node(f"{result}_cast"), to=kind
            )
            self.graph.node.insert(index + 1 + offset, node)

    def rounding(self, source: str, target: str, format: str, scale: float) -> list[onnx.NodeProto]:
        """Nodes that make the rounded `target` of `source`, whose other readers stay."""
        factor = self.constant(f"{target}_scale", np.array(scale, np.float32))
        zero = self.constant(f"{target}_zero", np.zeros((), _ONNX_TYPES[format][1]))
        return self._pair(target, source, self.fresh(f"{target}_codes"), target, factor, zero)

    def _pair(self, name, source, codes, target, factor, zero) -> list[onnx.NodeProto]:
        names = self.fresh_node(f"{name}_quantize"), self.fresh_node(f"{name}_dequantize")
        return [
            helper.make_node("QuantizeLinear", [source, factor, zero], [codes], names[0]),
            helper.make_node("DequantizeLinear", [codes, factor, zero], [target], names[1]),
        ]

    def codes(
        self, name: str, codes: np.ndarray, scales: np.ndarray, axis: int, format: str
    ) -> str:
        """Codes in the place of the constant `name`"""
        kind = _ONNX_TYPES[format][1]
        values = self.constant(f"{name}_codes", codes.view(kind))
        factors = self.constant(f"{name}_scales", scales)
        zeros = self.constant(f"{name}_zeros", np.zeros(scales.shape, kind))
        target = self.fresh(f"{name}_weights")
        weights = next(t for t in self.graph.initializer if t.name == name)
        self.coded[target] = numpy_helper.to_array(weights)
        node = helper.make_node(
            "DequantizeLinear",
            [values, factors, zeros],
            [target],
            self.fresh_node(f"{name}_dequantize"),
            axis=axis,
        )
        self.graph.node.insert(0, node)
        return target
