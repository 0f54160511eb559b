# SPDX-License-Identifier: Apache-2.0
"""The calls of fp8rt that each layer is."""

from __future__ import annotations

import numpy as np

from . import integer_calls, moves
from .calls import Array, At, Call, Constant, Data, Fields, Local, Matrix, Product, up, weights_of
from .ir import FORMAT_BYTES, OPS, REPEATED, Graph, Layer
from .transposed import split
from .weights import averages_quads, join, ones_of


def calls_of(graph: Graph, plan, prefix: str, index: int, layer: Layer) -> list[Call]:
    """`prefix` begins the names of arrays; of the plan beat and slots count."""
    maker = _Maker(graph, plan, prefix, index, layer)
    if layer.integer is not None:
        return [maker.whole()]
    if layer.op == "move":
        return maker.moves()
    if layer.op == "matmul":
        return [maker.pairs()]
    call = maker.call()
    if layer.images > 1 and layer.op in REPEATED:
        rows = graph.tensors[layer.output].rows // layer.images
        call.images, call.parts = layer.images, {"x": rows, "out": rows}
    return [call]


def geometry(layer: Layer) -> Fields:
    sizes = {"images": layer.images, "height": layer.height, "width": layer.width}
    return {**sizes, "window": integer_calls.window_of(layer)}


class _Maker:
    def __init__(self, graph: Graph, plan, prefix: str, index: int, layer: Layer) -> None:
        self.graph, self.plan, self.prefix, self.index, self.layer = (
            graph,
            plan,
            prefix,
            index,
            layer,
        )
        self.out = graph.tensors[layer.output]

    def array(self, kind: str, size: int) -> Array:
        return Array(f"{self.prefix}_{kind}{self.index}", size)

    def fused(self) -> Fields:
        fused, fields = self.layer.fused, {}
        if fused.activation != "none":
            fields["activation"] = Constant(f"FP8MAC_ACT_{fused.activation.upper()}")
        if fused.activation == "clamp":
            fields |= {"clamp_lo": float(fused.clamp[0]), "clamp_hi": float(fused.clamp[1])}
        if fused.function is not None:
            fields["coding"] = {"table": self.plan.slots[self.index]}
            fields["table_scale"] = float(fused.table_scale)
        return {"fused": fields} if fields else {}

    # ---- one call -------------------------------------------------------------------------------

    def whole(self) -> Call:
        function = OPS[self.layer.op]
        own, fields = integer_calls.own(
            self.graph, self.plan.beat, self.prefix, self.index, self.layer
        )
        local = {"x": At(self.layer.inputs[0]), "out": At(self.layer.output, constant=False), **own}
        fields = {"x": Local("x"), **fields, "out": Local("out")}
        return Call(function, descriptor_of(function), local, fields)

    def call(self) -> Call:
        layer, graph = self.layer, self.graph
        source = At(layer.inputs[0])
        if layer.op in ("reduce", "softmax") and layer.factor != 1.0:  # part of x's scale
            scale = np.float32(graph.tensors[layer.inputs[0]].scale) * np.float32(layer.factor)
            source = At(layer.inputs[0], scale, constant=False)
        own, fields = _OWN.get(layer.op, lambda _: ({}, {}))(self)
        local = {"x": source, **own}
        if "table" not in fields:
            fields = {"x": Local("x"), **fields}
        if layer.residual is not None:
            local["residual"] = At(layer.residual)
            fields["residual"] = Local("residual")
        local["out"] = At(layer.output, constant=False)
        fields |= {**self.fused(), "out": Local("out")}
        function = OPS[layer.op]
        return Call(function, descriptor_of(function), local, fields)

    def weights(self, codes: np.ndarray | None = None) -> tuple[dict, Fields]:
        w = self.layer.weights
        codes = w.codes if codes is None else codes
        made = weights_of(self.prefix, f"{self.index}a", w, codes, self.plan.beat)
        return {"weights": made}, {"weights": Local("weights")}

    def convolution(self) -> tuple[dict, Fields]:
        grouped = join(self.layer, self.graph, self.plan.beat)
        own, fields = self.weights(grouped.codes)
        if grouped.group_in:
            fields |= {"group_in": grouped.group_in, "group_out": grouped.group_out}
        if grouped.pairs:
            fields["pairs"] = True
        return own, geometry(self.layer) | fields

    def transposed(self) -> tuple[dict, Fields]:
        layer, w = self.layer, self.layer.window
        own, fields = self.weights(split(layer))
        sizes = {
            **{"images": layer.images, "height": layer.height, "width": layer.width},
            **{"out_height": layer.upsampled[0], "out_width": layer.upsampled[1]},
            **{"kernel_h": w.kernel[0], "kernel_w": w.kernel[1]},
            **{"stride_y": w.stride[0], "stride_x": w.stride[1]},
            **{"pad_top": w.pads[0], "pad_left": w.pads[1]},
        }
        return own, sizes | fields

    def scale_channels(self) -> tuple[dict, Fields]:
        """The weights of a depthwise convolution are a tensor: the diagonal of each group."""
        layer, group = self.layer, self.graph.tensors[self.layer.inputs[1]].cols
        fields = {"height": layer.height, "weights": Local("weights")}
        if group != layer.groups:
            fields |= {"group_in": group, "group_out": group}
        return {"weights": Product(At(layer.inputs[1]))}, fields

    def average(self) -> tuple[dict, Fields]:
        fields = geometry(self.layer)
        if averages_quads(self.layer, self.graph):
            rows, cols = ones_of(self.layer, self.graph, self.plan.beat).shape
            fields["ones"] = self.array("ones", rows * up(cols, self.plan.beat))
        return {}, fields

    def second(self) -> tuple[dict, Fields]:
        """Of a sum or a product"""
        fields = {"y": Local("y"), "factor": float(self.layer.factor)}
        return {"y": At(self.layer.inputs[1])}, fields

    def softmax(self) -> tuple[dict, Fields]:
        fields = {"seen": self.layer.seen} if self.layer.seen else {}
        return {}, fields | ({"causal": True} if self.layer.causal else {})

    def norm(self) -> tuple[dict, Fields]:
        norm = self.layer.norm
        fields: Fields = {"rms": norm.rms, "eps": float(norm.eps)}
        for name in ("gamma", "beta"):
            values = getattr(norm, name)
            if values is not None:
                fields[name] = self.array(name, 4 * values.size)
        return {}, fields

    def embedding(self) -> tuple[dict, Fields]:
        words, width = self.layer.table.shape
        stride = up(width * FORMAT_BYTES[self.out.format], self.plan.beat)
        codes = self.array("words", words * stride)
        table = Matrix(codes, words, width, stride, self.out.format, float(self.out.scale))
        return {"words": table}, {"table": Local("words"), "indices": Data("x")}

    def recurrent(self) -> tuple[dict, Fields]:
        """Weights and state, which the program sets to 0 before the layer runs."""
        layer, own = self.layer, {}
        for name, suffix, w in zip(("input", "recurrent"), "ab", layer.all_weights):
            own[name] = weights_of(self.prefix, f"{self.index}{suffix}", w, w.codes, self.plan.beat)
        own |= {name: At(layer.extra[name]) for name in ("hidden", "state")}
        fields = {name: Local(name) for name in ("input", "recurrent")} | {"batch": layer.images}
        return own, fields | {name: Local(name) for name in ("hidden", "state")}

    # ---- several calls --------------------------------------------------------------------------

    def pairs(self) -> Call:
        """A product of computed matrices: one call for each pair."""
        layer = self.layer
        x, y = (self.graph.tensors[name] for name in layer.inputs)
        m, n = x.rows // layer.images, y.rows // layer.images
        scale = np.float32(y.scale) * np.float32(layer.factor)
        local = {
            "x": At(layer.inputs[0], constant=False),
            "out": At(layer.output, constant=False),
            "weights": Product(At(layer.inputs[1], scale, constant=False)),
        }
        fields = {"x": Local("x"), "weights": Local("weights"), **self.fused(), "out": Local("out")}
        parts = {"x": m, "weights": n, "out": m}
        return Call("fp8rt_linear", "fp8rt_linear_desc", local, fields, layer.images, parts)

    def moves(self) -> list[Call]:
        layer = self.layer
        turned = any(moves.turns_of(self.graph, layer, self.plan.beat))
        calls = []
        for i, move in enumerate(layer.moves):
            axes = [
                {
                    "count": a.count,
                    "from": {"rows": a.from_rows, "cols": a.from_cols},
                    "to": {"rows": a.to_rows, "cols": a.to_cols},
                }
                for a in move.axes
            ]
            fields = {
                "x": Local("x"),
                **{"x_row": move.x_row, "x_col": move.x_col},
                **{"out_row": move.out_row, "out_col": move.out_col},
                **{"axis": axes, "clear": layer.clear and i == 0, "by_value": turned},
                "out": Local("out"),
            }
            local = {"x": At(layer.inputs[move.place]), "out": At(layer.output, constant=False)}
            calls.append(Call("fp8rt_move", "fp8rt_move_desc", local, fields))
        return calls


# What an operator has between x and out
_OWN = {
    "convolution": _Maker.convolution,
    "transposed": _Maker.transposed,
    "linear": _Maker.weights,
    "scale_channels": _Maker.scale_channels,
    "global_average": _Maker.average,
    "max_pool": lambda maker: ({}, geometry(maker.layer)),
    "add": _Maker.second,
    "multiply": _Maker.second,
    "softmax": _Maker.softmax,
    "normalise": _Maker.norm,
    "reduce": lambda maker: (
        {},
        {"operation": Constant(f"FP8MAC_ROWS_{maker.layer.reduction.upper()}")},
    ),
    "embedding": _Maker.embedding,
    "reciprocal": lambda maker: ({}, {"zero": True} if maker.layer.zero else {}),
    "logarithm": lambda maker: (
        {},
        {"offset": float(maker.layer.offset), "factor": float(maker.layer.factor)},
    ),
    "lstm": _Maker.recurrent,
    "gru": _Maker.recurrent,
}

_KINDS = {
    "fp8rt_transposed_convolution": "fp8rt_transposed_desc",
    **dict.fromkeys(("fp8rt_global_average", "fp8rt_max_pool"), "fp8rt_pooling_desc"),
    **dict.fromkeys(("fp8rt_add", "fp8rt_multiply"), "fp8rt_arithmetic_desc"),
    "fp8rt_normalise": "fp8rt_norm_desc",
    **dict.fromkeys(("fp8rt_lstm", "fp8rt_gru"), "fp8rt_recurrent_desc"),
    **dict.fromkeys(("fp8rt_int_average_pool", "fp8rt_int_max_pool"), "fp8rt_int_pool_desc"),
}


def descriptor_of(function: str) -> str:
    return _KINDS.get(function, f"{function}_desc")
