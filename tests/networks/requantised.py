# SPDX-License-Identifier: Apache-2.0
"""Random full INT8 networks, as files of TensorFlow Lite."""

from __future__ import annotations

import numpy as np
from small_tflite import INT8, Operator, Tensor, write

ADD, AVERAGE, CONV, DEPTHWISE, LINEAR, MAX_POOL, RESHAPE, SOFTMAX = 0, 1, 3, 4, 9, 17, 22, 25
PAD, PADV2 = 34, 60
SPREAD = 74.0  # of drawn codes: their standard deviation
WANTED = 45.0  # of the codes of a layer's output
SAME, VALID = 0, 1
RELU, RELU6, RELU_N1_TO_1 = 1, 3, 2


class Files:
    """A file that grows by layers. The last tensor is the next one's input."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...], zero: int | None = None):
        self.rng, self.tensors, self.operators = rng, [], []
        self.last = self.computed("x", shape, float(rng.uniform(0.01, 0.3)), zero)

    def computed(
        self, name: str, shape: tuple[int, ...], scale: float, zero: int | None = None
    ) -> int:
        zero = int(self.rng.integers(-128, 128)) if zero is None else zero
        return self.put(
            Tensor(
                name,
                shape,
                kind=INT8,
                scales=np.array([np.float32(scale)]),
                zeros=np.array([zero]),
            )
        )

    def put(self, tensor: Tensor) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def scale(self, index: int) -> float:
        return float(self.tensors[index].scales[0])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensors[self.last].shape

    def layer(self, code: int, inputs: list[int], out: int, options=None, kind=None) -> int:
        self.operators.append(Operator(code, inputs, [out], options or {}, kind))
        self.last = out
        return out

    # ---- products

    def _product(self, code, weights_shape, n, k, axis, options, kind, out_shape, bias=True) -> int:
        rng, number = self.rng, len(self.operators)
        apart = code != LINEAR
        scales = rng.uniform(0.0004, 0.004, n if apart else 1).astype(np.float32)
        weights = rng.integers(-127, 128, weights_shape).astype(np.int8)
        zeros = np.zeros(len(scales), int)
        inputs = [
            self.last,
            self.put(Tensor.constant(f"w{number}", weights, scales=scales, zeros=zeros, axis=axis)),
        ]
        if bias:
            values = rng.integers(-20000, 20000, n).astype(np.int32)
            inputs.append(self.put(Tensor.constant(f"b{number}", values)))
        size = self.scale(self.last) * float(scales.mean()) * np.sqrt(k) * SPREAD**2 / WANTED
        out = self.computed(f"y{number}", out_shape, size * float(rng.uniform(0.7, 1.5)))
        return self.layer(code, inputs, out, options, kind)

    def convolution(
        self,
        outputs: int,
        kernel=(3, 3),
        stride=(1, 1),
        dilation=(1, 1),
        padding=SAME,
        activation=0,
    ) -> int:
        """`outputs` 0: depthwise"""
        _, height, width, channels = self.shape
        sizes = []
        for size, k, s, d in zip((height, width), kernel, stride, dilation):
            extent = d * (k - 1) + 1
            sizes.append(-(-size // s) if padding == SAME else (size - extent) // s + 1)
        depthwise = outputs == 0
        n = channels if depthwise else outputs
        first = 3 + depthwise
        options = {
            0: ("b", padding),
            1: ("i", stride[1]),
            2: ("i", stride[0]),
            **({3: ("i", 1)} if depthwise else {}),
            first: ("b", activation),
            first + 1: ("i", dilation[1]),
            first + 2: ("i", dilation[0]),
        }
        return self._product(
            DEPTHWISE if depthwise else CONV,
            (1, *kernel, n) if depthwise else (n, *kernel, channels),
            n,
            kernel[0] * kernel[1] * (1 if depthwise else channels),
            3 * depthwise,
            options,
            2 if depthwise else 1,
            (1, *sizes, n),
        )

    def linear(self, outputs: int, activation=0, bias=True) -> int:
        rows, k = self.shape
        options = {0: ("b", activation)}
        return self._product(LINEAR, (outputs, k), outputs, k, 0, options, 8, (rows, outputs), bias)

    # ---- others

    def add(self, other: int, activation=0) -> int:
        size = max(self.scale(self.last), self.scale(other)) * float(self.rng.uniform(0.8, 2))
        out = self.computed(f"y{len(self.operators)}", self.shape, size)
        return self.layer(ADD, [other, self.last], out, {0: ("b", activation)}, 11)

    def pool(self, code: int, kernel, stride=(1, 1), padding=VALID, activation=0) -> int:
        _, height, width, channels = self.shape
        sizes = [
            -(-size // s) if padding == SAME else (size - k) // s + 1
            for size, k, s in zip((height, width), kernel, stride)
        ]
        x = self.tensors[self.last]
        out = self.computed(
            f"y{len(self.operators)}", (1, *sizes, channels), float(x.scales[0]), int(x.zeros[0])
        )
        options = {0: padding, 1: stride[1], 2: stride[0], 3: kernel[1], 4: kernel[0]}
        options[5] = activation
        kinds = {0: "b", 1: "i", 2: "i", 3: "i", 4: "i", 5: "b"}
        return self.layer(
            code, [self.last], out, {f: (kinds[f], value) for f, value in options.items()}, 5
        )

    def pad(self, sides: tuple[int, int, int, int], code: int | None = None) -> int:
        """Top, left, bottom, right; of the zero point, or of a constant"""
        _, height, width, channels = self.shape
        top, left, bottom, right = sides
        x, number = self.tensors[self.last], len(self.operators)
        quantised = {"scales": x.scales.copy(), "zeros": x.zeros.copy()}
        out = self.computed(
            f"y{number}",
            (1, top + height + bottom, left + width + right, channels),
            float(x.scales[0]),
            int(x.zeros[0]),
        )
        pads = np.array([[0, 0], [top, bottom], [left, right], [0, 0]], np.int32)
        inputs = [self.last, self.put(Tensor.constant(f"p{number}", pads))]
        if code is None:
            return self.layer(PAD, inputs, out, {}, 22)
        value = Tensor.constant(f"c{number}", np.array([code], np.int8), **quantised)
        return self.layer(PADV2, [*inputs, self.put(value)], out, {}, 43)

    def reshape(self, shape: tuple[int, ...]) -> int:
        x = self.tensors[self.last]
        out = self.computed(f"y{len(self.operators)}", shape, float(x.scales[0]), int(x.zeros[0]))
        sizes = self.put(Tensor.constant(f"s{len(self.operators)}", np.array(shape, np.int32)))
        return self.layer(RESHAPE, [self.last, sizes], out)

    def softmax(self) -> int:
        out = self.computed(f"y{len(self.operators)}", self.shape, 2.0**-8, -128)
        return self.layer(SOFTMAX, [self.last], out, {0: ("f", 1.0)}, 9)

    def write(self) -> bytes:
        return write(self.tensors, self.operators, [0], [self.last])


def _some_edge(files: Files, rng: np.random.Generator) -> None:
    """Sometimes an edge: one that a convolution takes over, or one that stays a layer"""
    if rng.random() < 0.3:
        sides = tuple(int(n) for n in rng.integers(0, 3, 4))
        files.pad(sides, None if rng.random() < 0.6 else int(rng.integers(-128, 128)))


def random_file(rng: np.random.Generator) -> tuple[bytes, tuple[int, ...]]:
    """Convolutions of all kinds, edges, sums around some of them, poolings, products, a softmax: the file and its input's shape"""
    sizes = (int(rng.integers(4, 14)), int(rng.integers(4, 14)), int(rng.choice([1, 3, 8, 20, 33])))
    files = Files(rng, (1, *sizes), 0 if rng.random() < 0.2 else None)
    shape = files.shape
    for _ in range(int(rng.integers(2, 5))):
        _, height, width, _ = files.shape
        dilated = rng.random() < 0.2
        stride = (1, 1) if dilated else tuple(int(s) for s in rng.integers(1, 3, 2))
        kernel = tuple(int(k) for k in rng.integers(1, 5, 2))
        extent = max(k * 2 for k in kernel)
        padding = VALID if min(height, width) > extent + 2 and rng.random() < 0.4 else SAME
        _some_edge(files, rng)
        before = files.last
        files.convolution(
            0 if rng.random() < 0.4 else int(rng.choice([5, 16, 24, 40])),
            kernel,
            stride,
            (2, 2) if dilated else (1, 1),
            padding,
            int(rng.choice([0, RELU, RELU6, RELU_N1_TO_1])),
        )
        if files.tensors[before].shape == files.shape:
            files.add(before, int(rng.choice([0, RELU])))
    _, height, width, channels = files.shape
    if rng.random() < 0.5:
        activation = int(rng.choice([0, RELU, RELU6]))
        files.pool(MAX_POOL, (3, 2), (1, 2), SAME, activation)
        _, height, width, channels = files.shape
    if rng.random() < 0.5:
        files.pool(AVERAGE, (2, 3), (2, 2), SAME)
        _, height, width, channels = files.shape
    files.pool(AVERAGE, (height, width))
    files.reshape((1, channels))
    files.linear(int(rng.integers(2, 150)), int(rng.choice([0, RELU])))
    files.linear(int(rng.integers(2, 30)), bias=bool(rng.random() < 0.7))
    if files.scale(files.last) < 8 and rng.random() < 0.8:  # with more its exponentials are 0 or 1
        files.softmax()
    return files.write(), shape
