# SPDX-License-Identifier: Apache-2.0
"""The representation between importer and writer: tensors in memory, and layers of fp8rt in the order in which they run.

An importer of another kind of file makes a Graph; quantiser, planner, executor and writer see nothing else.

  Tensor   rows x cols as fp8rt_tensor has them: a row for each pixel or vector, a column for each channel. Its format is a
           name of fp8mac's Python package, and value = scale * decode(code). `amax` is its calibrated magnitude.
  View     how an array of the file lies in a tensor. The axes of `shape` are stored in the order `axes`, the last one
           fastest, so that NCHW has the axes (0, 2, 3, 1). A transposition is another view of the same tensor. `base` is the
           view that was flattened, where rows of `shape` are not in the order of memory.
  Layer    one call of fp8rt, or a few equal ones. `op` is a key of OPS. Each layer writes one tensor of its own.
           scale_channels multiplies each pixel by a vector, whose diagonal matrix is its second operand: a depthwise
           convolution. matmul multiplies `images` pairs of matrices, each of rows of x and rows of y.
           to_mx makes MX operands of float32 numbers.
           embedding takes the rows of `table` whose numbers its input holds; they are stored as codes of its output.
           add and multiply take `images` parts of x by the same second operand, and softmax has `images` masks.
  Move     one call of fp8rt_move: which values of an input go where in the output.
  Weights  `values` are n x k floats in the order of fp8rt: ky, kx, channel of the group. The quantiser fills in codes and
           row_scale; weight = row_scale * decode(code).

  Integer  what finishes an integer layer, whose name begins with int_: fp8rt/integer.h. Tensors have zero points then.

A tensor that is a key of Graph.constants is no part of the network's memory: float32 numbers of the program.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

OPS = {
    "convolution": "fp8rt_convolution",
    "transposed": "fp8rt_transposed_convolution",
    "linear": "fp8rt_linear",
    "global_average": "fp8rt_global_average",
    "max_pool": "fp8rt_max_pool",
    "matmul": "fp8rt_linear",
    "move": "fp8rt_move",
    "add": "fp8rt_add",
    "multiply": "fp8rt_multiply",
    "scale_channels": "fp8rt_convolution",
    "convert": "fp8rt_add",
    "softmax": "fp8rt_softmax",
    "normalise": "fp8rt_normalise",
    "reduce": "fp8rt_reduce",
    "embedding": "fp8rt_embedding",
    "reciprocal": "fp8rt_reciprocal",
    "logarithm": "fp8rt_logarithm",
    "to_mx": "fp8rt_to_mx",
    "lstm": "fp8rt_lstm",
    "gru": "fp8rt_gru",
    "int_convolution": "fp8rt_int_convolution",
    "int_linear": "fp8rt_int_linear",
    "int_add": "fp8rt_int_add",
    "int_average": "fp8rt_int_average_pool",
    "int_max": "fp8rt_int_max_pool",
    "int_pad": "fp8rt_int_pad",
    "int_softmax": "fp8rt_int_softmax",
}
# Layers that are a call for each image.
REPEATED = {"matmul", "add", "multiply", "softmax"}
# Layers that no list of commands can hold: words differ from run to run, and are checked in each.
ALONE = {"embedding"}
# Layers whose operands have to be FP8.
FP8_OPERANDS = {
    *("convolution", "transposed", "linear", "matmul", "scale_channels"),
    *("global_average", "max_pool", "lstm", "gru"),
}
# Layers that compute rows: each takes operands of any format.
ROWS = {"softmax", "normalise", "reduce"}
# Layers whose operands are float32.
WIDE_OPERANDS = {"reciprocal", "logarithm"}

INT8 = "int8"  # of elements that have no other: a network has FP8 or INT8
FORMATS = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", INT8)
WIDE = ("float32", "float16")
FORMAT_MAX = {"e4m3fn": 448.0, "e5m2": 57344.0, "e4m3fnuz": 240.0, "e5m2fnuz": 57344.0, INT8: 127.0}
FORMAT_BYTES = {
    **dict.fromkeys(FORMATS, 1),
    "float32": 4,
    "float16": 2,
    "int32": 4,  # of indices alone
}
FORMAT_C = {
    "e4m3fn": "FP8MAC_E4M3FN",
    "e5m2": "FP8MAC_E5M2",
    "e4m3fnuz": "FP8MAC_E4M3FNUZ",
    "e5m2fnuz": "FP8MAC_E5M2FNUZ",
    INT8: "FP8MAC_INT8",
    "float32": "FP8MAC_FP32",
    "float16": "FP8MAC_FP16",
    "int32": "FP8MAC_FP32",
}


@dataclasses.dataclass
class Tensor:
    name: str  # of the file's value
    rows: int
    cols: int
    format: str = "float32"
    scale: float = 1.0
    amax: float | None = None
    fixed: bool = False  # the file or the layer has decided the scale
    inner: bool = False  # the file has no value of this name
    mx: bool = False  # it has a scale for each 32 codes of a row
    follows: str | None = None  # the tensor whose format and scale it has, if none are fixed
    integer: bool = (
        False  # INT8 codes of a file, in an integer network: value = scale * (code - zero)
    )
    zero: int = 0

    @property
    def has_codes(self) -> bool:
        return self.format in FORMATS

    @property
    def kind(self) -> type:
        """Of codes that are numbers."""
        return {"float16": np.float16, "int32": np.int32}.get(self.format, np.float32)


@dataclasses.dataclass(frozen=True)
class View:
    tensor: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    base: View | None = None

    def of(self, tensor: str) -> View:
        """The view of another tensor whose values lie as those of this one."""
        base = None if self.base is None else self.base.of(tensor)
        return dataclasses.replace(self, tensor=tensor, base=base)

    def to_array(self, rows: np.ndarray) -> np.ndarray:
        """The file's array of a tensor's rows."""
        if self.base is not None:
            return self.base.to_array(rows).reshape(self.shape)
        stored = rows.reshape([self.shape[a] for a in self.axes])
        return stored.transpose(np.argsort(self.axes)).reshape(self.shape)

    def to_rows(self, array: np.ndarray, cols: int) -> np.ndarray:
        """The tensor's rows of the file's array."""
        if self.base is not None:
            return self.base.to_rows(array.reshape(self.base.shape), cols)
        return np.ascontiguousarray(array.reshape(self.shape).transpose(self.axes)).reshape(
            -1, cols
        )

    def lies_as(self, axes: tuple[int, ...]) -> bool:
        """Whether memory would be the same with these axes: those of size 1 have no place."""
        long = [a for a in self.axes if self.shape[a] > 1]
        return self.base is None and long == [a for a in axes if self.shape[a] > 1]


@dataclasses.dataclass
class Window:
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)  # top, left, bottom, right

    def extent(self, axis: int) -> int:
        return self.dilation[axis] * (self.kernel[axis] - 1) + 1

    def count(self, size: int, axis: int) -> int:
        padded = size + self.pads[axis] + self.pads[axis + 2]
        return (padded - self.extent(axis)) // self.stride[axis] + 1


@dataclasses.dataclass
class Axis:
    """Steps from one index to the next, in rows and columns."""

    count: int
    from_rows: int
    from_cols: int
    to_rows: int
    to_cols: int


@dataclasses.dataclass
class Move:
    place: int  # of the input
    x_row: int
    x_col: int
    out_row: int
    out_col: int
    axes: list[Axis]

    @property
    def values(self) -> int:
        return math.prod(axis.count for axis in self.axes)


@dataclasses.dataclass
class Norm:
    """A layer norm or RMS norm of rows."""

    rms: bool
    eps: float
    gamma: np.ndarray | None = None
    beta: np.ndarray | None = None


@dataclasses.dataclass
class Weights:
    values: np.ndarray  # n x k
    bias: np.ndarray | None = None
    codes: np.ndarray | None = None
    row_scale: np.ndarray | None = None
    format: str = "e4m3fn"
    mx: np.ndarray | None = (
        None  # E8M0 scales in place of row_scale, one for each 32 codes of a row
    )
    unit: float | None = None  # the scale of all rows in FP8, where it makes codes exact
    made: bool = False  # the codes are not the file's


@dataclasses.dataclass
class Fused:
    """What a command does to its output: an activation, then a table of codes."""

    activation: str = "none"  # none, clamp, or one of functions.ACTIVATIONS
    clamp: tuple[float, float] = (0.0, 0.0)
    function: str | None = None  # a key of functions.FUNCTIONS, computed by a table
    arguments: tuple[float, ...] = ()
    table_format: str = "e4m3fn"  # of the codes that are looked up
    table_scale: float = 1.0  # their scale
    table_from: str | None = None  # the file's value that they stand for


@dataclasses.dataclass
class Integer:
    """Factors are multiplier * 2^(shift - 31): of outputs; of a sum's operands and its output; of a softmax's differences."""

    multipliers: np.ndarray
    shifts: np.ndarray
    low: int = -128
    high: int = 127
    bias: np.ndarray | None = None  # n; the file's own
    least: int = 0  # difference of a softmax that counts


@dataclasses.dataclass
class Layer:
    op: str
    name: str
    inputs: list[str]
    output: str
    nodes: list[str]  # of the file
    weights: Weights | None = None
    images: int = 1
    height: int = 1
    width: int = 1
    window: Window = dataclasses.field(default_factory=Window)
    groups: int = 1
    factor: float = (
        1.0  # of the second operand of a sum or product, of a sum of rows, of a softmax's values
    )
    affine: bool = (
        False  # a factor and an offset for each channel, whose weights are no weights of the file
    )
    residual: str | None = None
    fused: Fused = dataclasses.field(default_factory=Fused)
    recurrent: Weights | None = None  # of h, for LSTM and GRU; images is their batch
    upsampled: tuple[int, int] = (1, 1)  # lines and pixels that a transposed convolution writes
    keeps: bool = False  # its state stays from run to run
    moves: list[Move] = dataclasses.field(default_factory=list)
    clear: bool = False  # the output is 0 where nothing moves to
    norm: Norm | None = None
    table: np.ndarray | None = None  # words x width, floats
    zero: bool = False  # the reciprocal of 0 is 0
    offset: float = 0.0  # logarithm: factor * log2(x + offset)
    reduction: str = ""  # sum or maximum; factor multiplies the sum
    seen: int = 0  # softmax: columns that the first row of an image sees; 0: all
    causal: bool = False  # softmax: each row of an image sees one column more
    integer: Integer | None = None
    # Tensors that it writes too: hidden and state, or the weights that a vector becomes (diagonal)
    extra: dict[str, str] = dataclasses.field(default_factory=dict)
    mx: bool = False  # its operands are MX

    @property
    def out_size(self) -> tuple[int, int]:
        return self.window.count(self.height, 0), self.window.count(self.width, 1)

    @property
    def reads(self) -> list[str]:
        return self.inputs + ([self.residual] if self.residual is not None else [])

    @property
    def writes(self) -> list[str]:
        return [self.output, *self.extra.values()]

    @property
    def states(self) -> list[str]:
        """Tensors of a recurrent layer that are 0 at first."""
        return list(self.extra.values()) if self.recurrent is not None else []

    @property
    def all_weights(self) -> list[Weights]:
        return [w for w in (self.weights, self.recurrent) if w is not None]


@dataclasses.dataclass
class Graph:
    name: str
    tensors: dict[str, Tensor] = dataclasses.field(default_factory=dict)
    layers: list[Layer] = dataclasses.field(default_factory=list)
    inputs: dict[str, View] = dataclasses.field(default_factory=dict)
    outputs: dict[str, View] = dataclasses.field(default_factory=dict)
    views: dict[str, View] = dataclasses.field(
        default_factory=dict
    )  # of each tensor, as its writer has it
    # How each value of the file lies in a tensor, as imported: layers that are joined later take tensors away
    values: dict[str, View] = dataclasses.field(default_factory=dict)
    constants: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)  # rows of numbers
    mx: tuple[str, str] | None = None  # formats of activations and weights of MX layers
    # Of the array whose depthwise commands the layers have; 0: none, for any array
    columns: int = 0
    powers: bool = False  # all scales are powers of two
    finite: set[str] = dataclasses.field(default_factory=set)  # inputs that are masks of attention
    labels: dict[str, str] = dataclasses.field(
        default_factory=dict
    )  # what the file calls its nodes

    def label(self, layer: Layer) -> str:
        """Of a layer, in messages"""
        known = (self.labels[name] for name in layer.nodes if name in self.labels)
        return next(known, f"{layer.name} ({layer.op})")

    def readers(self, tensor: str) -> list[Layer]:
        return [layer for layer in self.layers if tensor in layer.reads]

    def writer(self, tensor: str) -> Layer | None:
        return next((layer for layer in self.layers if tensor in layer.writes), None)

    def is_output(self, tensor: str) -> bool:
        return any(view.tensor == tensor for view in self.outputs.values())

    @property
    def is_int8(self) -> bool:
        kinds = {tensor.format for tensor in self.tensors.values()}
        kinds |= {w.format for layer in self.layers for w in layer.all_weights}
        return INT8 in kinds

    @property
    def requantises(self) -> bool:
        """For an accelerator with the integer requantiser."""
        return any(layer.integer is not None for layer in self.layers)

    @property
    def element(self) -> str:
        """The element of the array that the network is for, unless another one is named."""
        return "int8_l16" if self.is_int8 else "block_f19_l16"

    def macs(self, layer: Layer) -> int:
        """Products that the network needs, without those of zeros that fill weights up."""
        if layer.op == "matmul":
            x, out = self.tensors[layer.inputs[0]], self.tensors[layer.output]
            return x.rows * x.cols * out.cols
        rows = layer.inputs[0] if layer.op == "transposed" else layer.output
        return sum(w.values.size for w in layer.all_weights) * self.tensors[rows].rows

    def moved(self) -> int:
        """Values that are moved."""
        return sum(move.values for layer in self.layers for move in layer.moves)


def name_of(layer: Layer) -> str:
    """The layer's name in lists and messages: a byte for each character."""
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in layer.name).strip("_")
    return (text or layer.op)[:48]


def product(sizes) -> int:
    return math.prod(int(size) for size in sizes)
