# SPDX-License-Identifier: Apache-2.0
"""Runs a graph over the golden model: the bytes that fp8rt computes on host and chip.

A product is one GEMM of fp8mac's Python package for each group. Element-wise commands are FP32 operations, one after the
other. The order of operations is that of fp8rt/gemm.h, fp8rt/elementwise.h and the header of each layer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import fp8mac
import numpy as np

from . import functions, integer_layers, logarithm, moves, mx, rows, transposed, weights
from .errors import refuse
from .ir import FORMATS, INT8, Graph, Layer, Tensor, Weights
from .recurrent import Recurrent

F32 = np.float32
_WINDOW = 17  # bits that products of E4M3 codes with 1 need: firmware/layers/move_products.c


def encode(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Codes of values, as fp8rt_quantize makes them with 1 / scale, or fp8rt_mx_quantize; of an integer network as its
    program does."""
    if tensor.mx:
        return mx.encode(values, tensor)
    if tensor.integer:
        return integer_layers.encode(values, tensor)
    if not tensor.has_codes:
        return values.astype(tensor.kind)
    return fp8mac.cast(values.astype(F32), tensor.format, scale=float(inverse(tensor.scale)))


def decode(codes: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Values of codes, as fp8rt_dequantize makes them."""
    if tensor.mx:
        return mx.decode(codes, tensor)
    if tensor.integer:
        return (codes.astype(F32) - F32(tensor.zero)) * F32(tensor.scale)
    if tensor.has_codes:
        return fp8mac.decode(codes, tensor.format, scale=tensor.scale)
    return codes.astype(F32)


def numbers(codes: np.ndarray, tensor: Tensor) -> np.ndarray:
    """The codes' own values, without the tensor's scale."""
    return fp8mac.decode(codes, tensor.format) if tensor.has_codes else codes.astype(F32)


def inverse(scale: float) -> np.float32:
    return F32(1) / F32(scale)


class Executor:
    def __init__(self, graph: Graph, element: str | None = None, beat: int = 16):
        self.graph, self.element, self.beat = graph, element or graph.element, beat
        self.codes: dict[str, np.ndarray] = {}
        self.kept: dict[str, tuple] = {}  # states of layers that keep them

    def run(self, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Arrays of the file's outputs for arrays of its inputs. The codes of all tensors stay in self.codes."""
        self.codes = dict(self.graph.constants)
        for name, view in self.graph.inputs.items():
            tensor = self.graph.tensors[view.tensor]
            masks = view.tensor in self.graph.finite and not tensor.has_codes
            if masks and not np.isfinite(values[name]).all():
                raise refuse(name, "is a mask with numbers that are not finite", "such as -1e30")
            self.codes[view.tensor] = encode(view.to_rows(values[name], tensor.cols), tensor)
        for layer in self.graph.layers:
            self.codes[layer.output] = self.layer(layer)
        return {
            name: view.to_array(decode(self.codes[view.tensor], self.graph.tensors[view.tensor]))
            for name, view in self.graph.outputs.items()
        }

    def layer(self, layer: Layer) -> np.ndarray:
        """The codes of the layer's output, from those of its inputs in self.codes."""
        with np.errstate(all="ignore"):  # Inf and NaN are results, as on the chip
            try:
                if layer.integer is not None:
                    return integer_layers.compute(layer, self.codes, self.graph)
                return _RUN[layer.op](self, layer)
            except fp8mac.Error as error:
                text = f"cannot be computed with its scales: {error}"
                raise refuse(layer.name, text, "scales that are less extreme") from None

    def alone(self, layer: Layer) -> np.ndarray:
        """The same, and states stay as they are."""
        kept = dict(self.kept)
        codes = self.layer(layer)
        self.kept = kept
        return codes

    # ---- commands

    def _source(self, layer: Layer, place: int = 0) -> tuple[np.ndarray, Tensor]:
        name = layer.inputs[place]
        return self.codes[name], self.graph.tensors[name]

    def _out(self, layer: Layer) -> dict:
        """What a command does to its output, as keywords of fp8mac.gemm."""
        out, fused = self.graph.tensors[layer.output], layer.fused
        scale = fused.table_scale if fused.function else out.scale
        options = {
            "activation": fused.activation,
            "d_format": fused.table_format if fused.function else out.format,
            "scale_d": float(inverse(scale)),
        }
        if fused.activation == "clamp":
            options["clamp"] = fused.clamp
        return options

    def _look_up(self, layer: Layer, codes: np.ndarray) -> np.ndarray:
        table = table_of(layer, self.graph.tensors[layer.output])
        return codes if table is None else table[codes]

    def gemm(
        self,
        rows: np.ndarray,
        x: Tensor,
        w: Weights,
        codes: np.ndarray,
        part: slice,
        bias: np.ndarray | None = None,
        **others,
    ) -> np.ndarray:
        """rows * codes^T, where the weights are rows `part` of w. `bias` stands in for that of w."""
        if bias is None and w.bias is not None:
            bias = w.bias[part]
        rows, mx_a = mx.split(rows, x)
        if mx_a is not None:
            others |= {"mx_a": np.ascontiguousarray(mx_a), "mx_b": w.mx}
        return fp8mac.gemm(
            np.ascontiguousarray(rows),
            np.ascontiguousarray(codes),
            preset=self.element,
            a_format=x.format,
            b_format=w.format,
            scale_a=float(F32(x.scale)),
            scale_b=None if w.row_scale is None else w.row_scale[part],
            bias=bias,
            **others,
        )

    def _residual(self, layer: Layer, part: slice) -> dict:
        if layer.residual is None:
            return {}
        tensor = self.graph.tensors[layer.residual]
        c = numbers(np.ascontiguousarray(self.codes[layer.residual][:, part]), tensor)
        return {"beta": float(F32(tensor.scale)), "c": c}

    def linear(self, layer: Layer) -> np.ndarray:
        x, tensor = self._source(layer)
        w = layer.weights
        every = slice(0, w.codes.shape[0])
        out = self.gemm(
            x, tensor, w, w.codes, every, **self._residual(layer, every), **self._out(layer)
        )
        return self._look_up(layer, out)

    def convolution(self, layer: Layer) -> np.ndarray:
        x, tensor = self._source(layer)
        grouped = weights.join(layer, self.graph, self.beat)
        if grouped.pairs:
            return self._look_up(layer, self._pairs(layer, grouped, x, tensor))
        points = layer.window.kernel[0] * layer.window.kernel[1]
        parts = []
        each = grouped.group_out or len(grouped.codes)  # a depthwise command has several groups
        for group in range(-(-len(grouped.codes) // each)):
            inputs, outputs, codes = grouped.part(group, points, tensor.cols)
            rows = unfold(x[:, inputs], layer)
            others = {**self._residual(layer, outputs), **self._out(layer)}
            parts.append(self.gemm(rows, tensor, layer.weights, codes, outputs, **others))
        return self._look_up(layer, np.concatenate(parts, axis=1))

    def _pairs(
        self, layer: Layer, grouped: weights.Grouped, x: np.ndarray, tensor: Tensor
    ) -> np.ndarray:
        """Two output lines at once, of half a quad of channels"""
        w, each, (height, width) = layer.weights, grouped.group_in, layer.out_size
        both, lines = weights.of_pairs(layer), -(-height // 2)
        out = []
        for group in range(len(w.codes) // each):
            channels = slice(group * each, (group + 1) * each)
            twice = Weights(
                w.codes,
                format=w.format,
                row_scale=None if w.row_scale is None else np.tile(w.row_scale[channels], 2),
                bias=None if w.bias is None else np.tile(w.bias[channels], 2),
            )
            codes = grouped.codes[2 * channels.start : 2 * channels.stop]
            rows = unfold(x[:, channels], both)
            result = self.gemm(rows, tensor, twice, codes, slice(0, 2 * each), **self._out(layer))
            result = result.reshape(layer.images, lines, width, 2, each).transpose(0, 1, 3, 2, 4)
            result = result.reshape(layer.images, 2 * lines, width, each)[:, :height]
            out.append(result.reshape(-1, each))
        return np.concatenate(out, axis=1)

    def embedding(self, layer: Layer) -> np.ndarray:
        """Rows of the table, whose codes are those of the output."""
        indices, _ = self._source(layer)
        codes = table_codes(layer, self.graph.tensors[layer.output])
        if indices.min(initial=0) < 0 or indices.max(initial=0) >= len(codes):
            raise refuse(layer.name, f"an index is not within {len(codes)}")
        return codes[indices.reshape(-1)]

    def transposed(self, layer: Layer) -> np.ndarray:
        out = transposed.run(self, layer, *self._source(layer), self._out(layer))
        return self._look_up(layer, out)

    def global_average(self, layer: Layer) -> np.ndarray:
        x, tensor = self._source(layer)
        pixels = layer.height * layer.width
        operands = INT8 if tensor.format == INT8 else "e4m3fn"
        one = np.full((1, pixels), 1 if operands == INT8 else 0x38, np.uint8)
        scale = F32(tensor.scale) * (F32(1) / F32(pixels))
        average = Tensor(tensor.name, 0, 0, tensor.format, float(scale))
        ones = Weights(one, format=operands)
        if weights.averages_quads(layer, self.graph):
            quad = self.graph.columns
            codes = weights.ones_of(layer, self.graph, self.beat)[:quad]
            quads = [
                self.gemm(
                    x[:, first : first + quad].reshape(layer.images, -1),
                    average,
                    ones,
                    codes,
                    slice(0, quad),
                    **self._out(layer),
                )
                for first in range(0, tensor.cols, quad)
            ]
            return np.concatenate(quads, axis=1)
        columns = [
            self.gemm(image.T, average, ones, one, slice(0, 1), **self._out(layer))
            for image in x.reshape(layer.images, pixels, tensor.cols)
        ]
        return np.stack([column[:, 0] for column in columns])

    def elementwise(self, layer: Layer) -> np.ndarray:
        """T = act(scale_x * X + beta * C), or act(X * ((scale_x * beta) * C)), one FP32 operation after the other."""
        x, source = self._source(layer)
        scale = F32(source.scale)
        total = numbers(x, source)
        if layer.op == "convert":
            total = scale * total
        else:
            y, other = self._source(layer, 1)
            beta = F32(layer.factor) * F32(other.scale)
            c = np.tile(numbers(y, other), (layer.images, 1))
            total = scale * total + beta * c if layer.op == "add" else total * ((scale * beta) * c)
        return self._look_up(layer, self._convert(layer, functions.activate(total, layer.fused)))

    def scale_channels(self, layer: Layer) -> np.ndarray:
        """Each product is exact, so the sum with zeros is: T = act((x * v) * (scale_x * scale_v))."""
        x, source = self._source(layer)
        diagonal, vector = self._source(layer, 1)
        channels = np.arange(source.cols)
        v = diagonal[channels, channels % vector.cols]
        scale = F32(source.scale) * F32(vector.scale)
        total = (numbers(x, source) * numbers(v.reshape(1, -1), vector)) * scale
        return self._look_up(layer, self._convert(layer, functions.activate(total, layer.fused)))

    def matmul(self, layer: Layer) -> np.ndarray:
        """A product for each pair of matrices, whose factor is part of the second one's scale."""
        (x, source), (y, other) = self._source(layer), self._source(layer, 1)
        scale = F32(source.scale) * (F32(other.scale) * F32(layer.factor))
        operand = dataclasses.replace(source, scale=float(scale))
        m, n = len(x) // layer.images, len(y) // layer.images
        w = Weights(np.zeros(0), format=other.format)
        parts = []
        for i in range(layer.images):
            codes, w.mx = mx.split(y[i * n : (i + 1) * n], other)
            rows = slice(i * m, (i + 1) * m)
            parts.append(self.gemm(x[rows], operand, w, codes, slice(0, n), **self._out(layer)))
        return self._look_up(layer, np.concatenate(parts))

    def move(self, layer: Layer) -> np.ndarray:
        """Codes, or values, at the places that fp8rt/move.h gives. Places that no index reaches are 0."""
        first, _ = self._source(layer)
        tensor = self.graph.tensors[layer.output]
        out = np.zeros((tensor.rows, tensor.cols), first.dtype)
        for move in layer.moves:
            x, _ = self._source(layer, move.place)
            turn = moves.turn_of(move, tensor.format, self.beat) if self._keeps_values() else None
            if turn is not None:
                self._turn(move, turn, tensor, x, out)
                continue
            row, col, x_row, x_col = move.out_row, move.out_col, move.x_row, move.x_col
            for place, axis in enumerate(move.axes):
                index = np.arange(axis.count).reshape((-1,) + (1,) * (len(move.axes) - 1 - place))
                row, col = row + index * axis.to_rows, col + index * axis.to_cols
                x_row, x_col = x_row + index * axis.from_rows, x_col + index * axis.from_cols
            values = x[x_row, x_col]
            if moves.copies_of(move, tensor.format, self.beat) is not None:
                values = self._copied(values, tensor.format)
            out[row, col] = values
        return out

    @staticmethod
    def _copied(x: np.ndarray, format: str) -> np.ndarray:
        """A NaN becomes the format's own. INT8 has none."""
        if format == "int8":
            return x
        if x.dtype.kind == "f":
            return np.where(np.isnan(x), x.dtype.type(np.nan), x)
        nan = fp8mac.cast(np.array([np.nan], F32), format)[0]
        return np.where(np.isnan(fp8mac.decode(x, format)), nan, x)

    def _keeps_values(self) -> bool:
        """Whether products of E4M3 codes with 1 are exact, beside zeros."""
        settings = fp8mac.Config(self.element).settings
        bits = int(settings.get("frac_bits", _WINDOW))
        exact = settings.get("align_by", "products") == "products" or bits >= _WINDOW
        return exact and settings.get("acc_format") != "fp16"

    def _turn(self, move, turn: moves.Turn, tensor: Tensor, x: np.ndarray, out: np.ndarray) -> None:
        """Transpositions as products with the identity, 32 columns at a time."""
        one = Tensor("identity", 0, 0, "e4m3fn")
        w = Weights(np.zeros(0), format=tensor.format)
        for index in np.ndindex(*(axis.count for axis in turn.others)):
            steps = list(zip(index, turn.others))
            x_row = move.x_row + sum(i * a.from_rows for i, a in steps)
            x_col = move.x_col + sum(i * a.from_cols for i, a in steps)
            row = move.out_row + sum(i * a.to_rows for i, a in steps)
            col = move.out_col + sum(i * a.to_cols for i, a in steps)
            n = turn.rows.count
            lines = x[x_row + turn.rows.from_rows * np.arange(n)]
            for block in turn.blocks:
                codes = lines[:, x_col + block.start : x_col + block.stop]
                identity = np.eye(len(block), dtype=np.uint8) * np.uint8(0x38)
                places = row + turn.columns.to_rows * np.array(block)
                out[places, col : col + n] = self.gemm(
                    identity, one, w, codes, slice(0, n), d_format=tensor.format
                )

    def rows(self, layer: Layer) -> np.ndarray:
        x, tensor = self._source(layer)
        return rows.RUN[layer.op](layer, x, tensor, self.graph.tensors[layer.output])

    def reciprocal(self, layer: Layer) -> np.ndarray:
        x, _ = self._source(layer)
        quotient = F32(1) / x
        return np.where(x == 0, F32(0), quotient) if layer.zero else quotient

    def to_mx(self, layer: Layer) -> np.ndarray:
        return encode(self._source(layer)[0], self.graph.tensors[layer.output])

    def logarithm(self, layer: Layer) -> np.ndarray:
        x, _ = self._source(layer)
        return logarithm.run(x, F32(layer.offset), F32(layer.factor))

    def _convert(self, layer: Layer, total: np.ndarray) -> np.ndarray:
        out = self._out(layer)
        if out["d_format"] not in FORMATS:
            kind = self.graph.tensors[layer.output].kind
            return (total * F32(out["scale_d"])).astype(kind)
        return fp8mac.cast(total, out["d_format"], scale=out["scale_d"])

    def recurrent(self, layer: Layer) -> np.ndarray:
        return Recurrent(self, layer).run(*self._source(layer))

    def round(self, values: np.ndarray, tensor: Tensor) -> np.ndarray:
        """Codes of FP32 values, as a command writes them."""
        if not tensor.has_codes:
            return values * inverse(tensor.scale)
        return fp8mac.cast(values, tensor.format, scale=float(inverse(tensor.scale)))

    def max_pool(self, layer: Layer) -> np.ndarray:
        """The largest value of the pixels in the image; a NaN is the largest of all, and of +0 and -0 +0 is."""
        x, tensor = self._source(layer)
        order = np.argsort(_values_of_codes(tensor.format), kind="stable")
        ranks = np.argsort(order).astype(np.int32)
        windows = unfold_pixels(ranks[x], layer, fill=-1)
        codes = order[windows.max(axis=1)].astype(np.uint8)
        nan = np.isnan(fp8mac.decode(codes, tensor.format))
        codes[nan] = {"e4m3fn": 0x7F, "e5m2": 0x7E}.get(tensor.format, 0x80)
        return codes


def table_codes(layer: Layer, out: Tensor) -> np.ndarray:
    """The table of an embedding in the format and scale of its output."""
    return encode(layer.table, out)


def _values_of_codes(format: str) -> np.ndarray:
    """What orders the codes: -0 is below +0, NaN above all."""
    values = fp8mac.decode(np.arange(256, dtype=np.uint8), format, dtype=np.float64)
    values = np.where(np.isnan(values), np.inf, np.clip(values, -1e30, 1e30))
    values[(values == 0) & (np.signbit(values))] = -1e-30
    return values


def table_of(layer: Layer, out: Tensor) -> np.ndarray | None:
    fused = layer.fused
    if fused.function is None:
        return None
    return functions.table(
        fused.function,
        fused.arguments,
        fused.table_format,
        float(F32(fused.table_scale)),
        out.format,
        float(F32(out.scale)),
    )


def unfold_pixels(x: np.ndarray, layer: Layer, fill: int = 0) -> np.ndarray:
    """Output pixels x points x channels: the pixels that each output sees, in the order ky, kx."""
    w = layer.window
    (height, width), channels = layer.out_size, x.shape[1]
    image = x.reshape(layer.images, layer.height, layer.width, channels)
    top, left, bottom, right = w.pads
    image = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    points = []
    for ky in range(w.kernel[0]):
        for kx in range(w.kernel[1]):
            y, z = ky * w.dilation[0], kx * w.dilation[1]
            lines = image[:, y : y + (height - 1) * w.stride[0] + 1 : w.stride[0]]
            points.append(lines[:, :, z : z + (width - 1) * w.stride[1] + 1 : w.stride[1]])
    return np.stack(points, axis=3).reshape(-1, len(points), channels)


def unfold(x: np.ndarray, layer: Layer) -> np.ndarray:
    """The rows of A: padding is the code 0."""
    pixels = unfold_pixels(x, layer)
    return pixels.reshape(len(pixels), -1)


_RUN: dict[str, Callable[[Executor, Layer], np.ndarray]] = {
    "linear": Executor.linear,
    "convolution": Executor.convolution,
    "global_average": Executor.global_average,
    "add": Executor.elementwise,
    "multiply": Executor.elementwise,
    "convert": Executor.elementwise,
    "scale_channels": Executor.scale_channels,
    "max_pool": Executor.max_pool,
    "transposed": Executor.transposed,
    "matmul": Executor.matmul,
    "move": Executor.move,
    "to_mx": Executor.to_mx,
    "softmax": Executor.rows,
    "normalise": Executor.rows,
    "reduce": Executor.rows,
    "embedding": Executor.embedding,
    "reciprocal": Executor.reciprocal,
    "logarithm": Executor.logarithm,
    "lstm": Executor.recurrent,
    "gru": Executor.recurrent,
}
