# SPDX-License-Identifier: Apache-2.0
"""Conv, Gemm and MatMul with constant weights, and batch norms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..fuse import scale_codes
from ..ir import Weights, Window, product
from ..moves import Index
from .layout import _unsupported
from .moving import Mover, arrange, plain
from .registry import handles

MOST_PIXELS = 255  # of a line of the kernel, and of strides, dilations and padding
MOST_LINE_BYTES = 65535
MOST_LINES = 65535  # of an image


def weights_of(importer, name: str, axis: int, arrange: Callable) -> Weights:
    """The constant as n x k. `axis` has the outputs, `arrange` brings them first."""
    constant = importer.constant(name)
    if constant is None:
        raise _unsupported(f"its weights {name!r} are not constant", "constant weights")
    if constant.dtype.kind != "f" or not np.isfinite(constant).all():
        raise _unsupported(f"its weights {name!r} are {constant.dtype}", "finite floats")
    values = np.ascontiguousarray(arrange(constant.astype(np.float32)))
    codes = importer.weights_of.get(name)
    if codes is None:
        return Weights(values)
    if codes.scales.size > 1 and codes.axis != axis:
        raise _unsupported(
            f"its weights {name!r} have scales along axis {codes.axis}", f"along axis {axis}"
        )
    scale = np.broadcast_to(codes.scales, (values.shape[0],)).astype(np.float32)
    arranged = np.ascontiguousarray(arrange(codes.codes))
    return Weights(values, None, arranged, np.ascontiguousarray(scale), codes.format)


def bias_of(importer, name: str, count: int) -> np.ndarray | None:
    if not name:
        return None
    bias = importer.constant(name)
    if bias is None:
        raise _unsupported(f"its bias {name!r} is not constant", "a constant bias")
    if bias.dtype.kind != "f" or not np.isfinite(bias).all():
        raise _unsupported(f"its bias {name!r} is not finite floats")
    if bias.size not in (1, count) or (bias.ndim and bias.shape[-1] != bias.size):
        raise _unsupported(f"its bias {name!r} has shape {bias.shape}", f"{count} values")
    bias = np.broadcast_to(bias.reshape(-1), (count,)).astype(np.float32)
    return np.ascontiguousarray(bias) if bias.any() else None


# ---- windows ------------------------------------------------------------------------------------


def _pair(values, spatial: int, default: int) -> tuple[int, int]:
    values = list(values) if values else [default] * spatial
    return tuple([default] * (2 - spatial) + values)  # type: ignore[return-value]


def image_of(importer, view, what: str = "its input") -> tuple[int, int, int]:
    """Images, height and width of a view whose channels are axis 1, and last in memory."""
    shape = view.shape
    if len(shape) not in (3, 4):
        raise _unsupported(f"{what} has shape {shape}", "one or two dimensions behind the channels")
    tensor = importer.tensor_of(view)
    if not view.lies_as((0, *range(2, len(shape)), 1)) or tensor.cols != shape[1]:
        raise _unsupported(f"{what} of shape {shape} has not its channels last in memory")
    return shape[0], *_pair(shape[2:], len(shape) - 2, 1)


def channels_last(importer, node, place: int = 0):
    """The node's operand as layers read images: arranged, if it does not lie so."""
    view = importer.view(node, place)
    if len(view.shape) not in (3, 4):
        return view
    return arrange(importer, node, view, (0, *range(2, len(view.shape)), 1))


def window_of(node, kernel: tuple[int, ...], size: tuple[int, int]) -> Window:
    spatial = len(kernel)
    window = Window(
        _pair(kernel, spatial, 1),
        _pair(node.attribute("strides"), spatial, 1),
        _pair(node.attribute("dilations"), spatial, 1),
    )
    auto = node.attribute("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        window.pads = _same(window, size, auto == "SAME_UPPER")
    elif auto in ("NOTSET", ""):
        pads = list(node.attribute("pads") or [0] * (2 * spatial))
        window.pads = (
            *_pair(pads[:spatial], spatial, 0),
            *_pair(pads[spatial:], spatial, 0),
        )
    elif auto != "VALID":
        raise _unsupported(f"auto_pad is {auto}")
    return window


def _same(window: Window, size: tuple[int, int], upper: bool) -> tuple[int, int, int, int]:
    before, after = [], []
    for axis in range(2):
        outputs = -(-size[axis] // window.stride[axis])
        total = max((outputs - 1) * window.stride[axis] + window.extent(axis) - size[axis], 0)
        less, more = total // 2, total - total // 2
        before.append(less if upper else more)
        after.append(more if upper else less)
    return before[0], before[1], after[0], after[1]


def check_window(window: Window, size: tuple[int, int], channels: int) -> None:
    """What fp8rt_image can say."""
    limits = [
        ("kernel", window.kernel[1], MOST_PIXELS),
        ("strides", max(window.stride), MOST_PIXELS),
        ("dilations", max(window.dilation), MOST_PIXELS),
        ("pads", max(window.pads), MOST_PIXELS),
        ("bytes of the kernel's lines", window.kernel[1] * channels, MOST_LINE_BYTES),
        ("bytes of a stride", window.stride[1] * channels, MOST_LINE_BYTES),
        ("bytes of a dilation", window.dilation[1] * channels, MOST_LINE_BYTES),
        ("bytes of a padding", window.pads[1] * channels, MOST_LINE_BYTES),
        ("height", size[0], MOST_LINES),
        ("width", size[1], MOST_LINES),
    ]
    for what, value, most in limits:
        if value > most:
            raise _unsupported(f"{what}: {value}", f"{most} at most")
    if min(window.pads) < 0:
        raise _unsupported(f"pads are {window.pads}", "pads of 0 and more")
    for axis in range(2):
        if window.count(size[axis], axis) < 1:
            raise _unsupported(f"the kernel {window.kernel} does not fit into the image {size}")


# ---- convolutions -------------------------------------------------------------------------------


@handles(
    "Conv",
    "fp8rt_convolution",
    "1-D and 2-D; constant weights; any stride, dilation, padding, group; auto_pad",
)
def conv(importer, node) -> None:
    if _by_phases(importer, node):
        return
    view = channels_last(importer, node)
    images, height, width = image_of(importer, view)
    kernel = importer.constant(node.inputs[1])
    weights = weights_of(importer, node.inputs[1], 0, _channels_last)
    groups = node.attribute("group", 1)
    if kernel.ndim != len(view.shape) or kernel.shape[1] * groups != view.shape[1]:
        raise _unsupported(f"weights of {kernel.shape} in {groups} groups do not fit {view.shape}")
    if kernel.shape[0] % groups:
        raise _unsupported(f"{kernel.shape[0]} channels are no multiple of {groups} groups")
    given = node.attribute("kernel_shape")
    if given and tuple(given) != kernel.shape[2:]:
        raise _unsupported(f"kernel_shape {given} is not that of the weights {kernel.shape}")
    window = window_of(node, kernel.shape[2:], (height, width))
    check_window(window, (height, width), view.shape[1])
    weights.bias = bias_of(
        importer, node.inputs[2] if len(node.inputs) > 2 else "", kernel.shape[0]
    )
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        images=images,
        height=height,
        width=width,
        window=window,
        groups=groups,
    )
    sizes = layer.out_size[-(len(view.shape) - 2) :]
    shape = (images, kernel.shape[0], *sizes)
    importer.add(node, layer, shape, (0, *range(2, len(shape)), 1), kernel.shape[0])


def _by_phases(importer, node) -> bool:
    """A long kernel over a signal, in whole strides: pixels of a stride become channels of one pixel."""
    view, kernel = importer.view(node), importer.constant(node.inputs[1])
    rank = len(view.shape)
    signal = rank in (3, 4) and product(view.shape[2:]) == view.shape[-1] and kernel is not None
    if not signal or kernel.ndim != rank or product(kernel.shape[2:]) != kernel.shape[-1]:
        return False
    window = window_of(node, kernel.shape[2:], (1, view.shape[-1]))
    stride, taps = window.stride[1], kernel.shape[-1]
    plain_window = max(window.pads) == 0 and max(window.dilation) == 1 and window.stride[0] == 1
    lies = view.base is None and importer.tensor_of(view).cols == view.shape[1]
    if not plain_window or taps % stride or stride == 1 or node.attribute("group", 1) != 1:
        return False
    if kernel.shape[1] != view.shape[1] or (lies and taps <= MOST_PIXELS):
        return False
    count = window.count(view.shape[-1], 1)
    if count < 1:
        return False
    _add_phases(importer, node, plain(importer, node, view), stride, count)
    return True


def _add_phases(importer, node, view, stride: int, count: int) -> None:
    weights = weights_of(importer, node.inputs[1], 0, _channels_last)
    n, channels, rank = weights.values.shape[0], view.shape[1], len(view.shape)
    weights.bias = bias_of(importer, node.inputs[2] if len(node.inputs) > 2 else "", n)
    taps = weights.values.shape[1] // channels // stride
    width = count - 1 + taps
    shape = (view.shape[0], width * stride, channels)
    mover = Mover(importer, node, shape, (0, 1, 2), inner="phases", cols=stride * channels)
    places = (0, rank - 1, 1)
    mover.add(view, [Index(size, a, i) for i, (size, a) in enumerate(zip(shape, places))])
    window = Window((1, taps))
    check_window(window, (1, width), stride * channels)
    layer = importer.layer(
        node,
        "convolution",
        [mover.finish().tensor],
        weights=weights,
        images=shape[0],
        width=width,
        window=window,
    )
    out = (shape[0], n, *(1,) * (rank - 3), count)
    importer.add(node, layer, out, (0, *range(2, rank), 1), n)


def _channels_last(weights: np.ndarray) -> np.ndarray:
    return weights.transpose(0, *range(2, weights.ndim), 1).reshape(weights.shape[0], -1)


def _upsampled(node, window: Window, size, spatial: int) -> tuple[int, int]:
    """Lines and pixels of the output. The padding in front becomes part of the window."""
    extra = _pair(node.attribute("output_padding"), spatial, 0)
    wanted = (
        _pair(node.attribute("output_shape"), spatial, 1)
        if node.attribute("output_shape")
        else None
    )
    auto = node.attribute("auto_pad", "NOTSET")
    whole = [window.stride[a] * (size[a] - 1) + window.kernel[a] + extra[a] for a in range(2)]
    if auto in ("SAME_UPPER", "SAME_LOWER") and wanted is None:
        wanted = size[0] * window.stride[0], size[1] * window.stride[1]
    if wanted is None:
        return tuple(whole[a] - window.pads[a] - window.pads[a + 2] for a in range(2))  # type: ignore[return-value]
    before = []
    for a in range(2):
        total = max(whole[a] - wanted[a], 0)
        before.append(total // 2 if auto == "SAME_UPPER" else total - total // 2)
    window.pads = (before[0], before[1], 0, 0)
    return wanted


@handles(
    "ConvTranspose",
    "fp8rt_transposed_convolution",
    "1-D and 2-D; constant weights; group 1, dilations 1; pads below the kernel's sizes",
)
def conv_transpose(importer, node) -> None:
    view = channels_last(importer, node)
    images, height, width = image_of(importer, view)
    kernel = importer.constant(node.inputs[1])
    weights = weights_of(importer, node.inputs[1], 1, _transposed_last)
    spatial = len(view.shape) - 2
    if node.attribute("group", 1) != 1 or kernel.shape[0] != view.shape[1]:
        raise _unsupported(f"group is {node.attribute('group', 1)}", "group 1")
    window = Window(
        _pair(kernel.shape[2:], spatial, 1),
        _pair(node.attribute("strides"), spatial, 1),
        _pair(node.attribute("dilations"), spatial, 1),
    )
    pads = list(node.attribute("pads") or [0] * (2 * spatial))
    window.pads = (*_pair(pads[:spatial], spatial, 0), *_pair(pads[spatial:], spatial, 0))
    size = _upsampled(node, window, (height, width), spatial)
    _check_transposed(window, (height, width), size)
    name = node.inputs[2] if len(node.inputs) > 2 else ""
    weights.bias = bias_of(importer, name, kernel.shape[1])
    layer = importer.layer(
        node,
        "transposed",
        [view.tensor],
        weights=weights,
        images=images,
        height=height,
        width=width,
        window=window,
        upsampled=size,
    )
    shape = (images, kernel.shape[1], *size[-spatial:])
    importer.add(node, layer, shape, (0, *range(2, len(shape)), 1), kernel.shape[1])


def _check_transposed(window: Window, size, out) -> None:
    if max(window.dilation) > 1:
        raise _unsupported(f"dilations are {window.dilation}", "dilations of 1")
    check_window(
        Window(window.kernel, window.stride),
        tuple(max(s, k) for s, k in zip(size, window.kernel)),
        1,
    )
    for a in range(2):
        pad, stride = window.pads[a], window.stride[a]
        skipped = (stride - 1 + pad) // stride - (-(-window.kernel[a] // stride) - 1)
        if not 0 <= pad < window.kernel[a] or skipped >= size[a] or out[a] < 1:
            raise _unsupported(
                f"pads are {window.pads}", "pads of 0 and more, below the kernel's sizes"
            )


def _transposed_last(weights: np.ndarray) -> np.ndarray:
    return weights.transpose(1, *range(2, weights.ndim), 0).reshape(weights.shape[1], -1)


# ---- matrices -----------------------------------------------------------------------------------


@handles("Gemm", "fp8rt_linear", "transA 0; constant B and C; behind an image: fp8rt_convolution")
def gemm(importer, node) -> None:
    if node.attribute("transA", 0):
        raise _unsupported("transA is 1", "transA 0")
    transposed = node.attribute("transB", 0)
    weights = weights_of(
        importer, node.inputs[1], 0 if transposed else 1, lambda w: w if transposed else w.T
    )
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    weights.values = weights.values * np.float32(alpha)
    if not np.isfinite(weights.values).all() or not np.isfinite(beta):
        raise _unsupported(f"alpha is {alpha} and beta {beta}", "finite products with them")
    if weights.codes is not None and alpha != 1.0:
        scale_codes(weights, np.full(len(weights.codes), alpha, np.float32))
    name = node.inputs[2] if len(node.inputs) > 2 else ""
    bias = bias_of(importer, name, weights.values.shape[0])
    weights.bias = None if bias is None else bias * np.float32(beta)
    _multiply(importer, node, importer.view(node), weights)


@handles("MatMul", "fp8rt_linear", "a constant second operand with two sizes, or two computed ones")
def matmul(importer, node) -> None:
    constant = importer.constant(node.inputs[1])
    if constant is None:
        if importer.constant(node.inputs[0]) is not None:
            raise _unsupported("its first operand is a constant", "a constant second operand")
        _multiply_pairs(importer, node)
        return
    if constant.ndim != 2:
        raise _unsupported(f"its second operand has shape {constant.shape}", "two sizes")
    view = importer.view(node)
    if len(view.shape) < 2:
        raise _unsupported(f"its first operand has shape {view.shape}", "two sizes and more")
    _multiply(importer, node, view, weights_of(importer, node.inputs[1], 1, lambda w: w.T))


def _multiply_pairs(importer, node) -> None:
    """Products of computed matrices. The second operand's rows are its columns here."""
    x, y = (plain(importer, node, importer.view(node, place)) for place in (0, 1))
    rank = len(x.shape)
    if rank < 2 or len(y.shape) != rank or x.shape[:-2] != y.shape[:-2]:
        raise _unsupported(f"multiplies {x.shape} by {y.shape}", "equal sizes before the last two")
    if x.shape[-1] != y.shape[-2]:
        raise _unsupported(f"its operands of {x.shape} and {y.shape} do not fit")
    first = tuple(range(rank - 2))
    x = arrange(importer, node, x, (*first, rank - 2, rank - 1))
    y = arrange(importer, node, y, (*first, rank - 1, rank - 2))
    layer = importer.layer(node, "matmul", [x.tensor, y.tensor], images=product(x.shape[:-2]))
    shape = (*x.shape[:-1], y.shape[-1])
    importer.add(node, layer, shape, tuple(range(rank)), y.shape[-1])


def _multiply(importer, node, view, weights: Weights) -> None:
    n, k = weights.values.shape
    if view.shape[-1] != k:
        raise _unsupported(f"its operands have {view.shape[-1]} and {k} columns")
    last = len(view.shape) - 1
    shape = (*view.shape[:-1], n)
    if not _lies_in_rows(importer, view):
        size = _image_size(importer, view, k)
        if size is not None:
            _multiply_images(importer, node, view, weights, shape, size)
            return
        view = plain(importer, node, view)
        view = arrange(importer, node, view, tuple(a for a in view.axes if a != last) + (last,))
    layer = importer.layer(node, "linear", [view.tensor], weights=weights)
    axes = tuple(a for a in view.axes if a != last) + (last,)
    importer.add(node, layer, shape, axes, n)


def _lies_in_rows(importer, view) -> bool:
    """Whether the last axis of the array is a row of the tensor."""
    last, k = len(view.shape) - 1, view.shape[-1]
    whole = importer.tensor_of(view).cols == k and view.base is None
    return whole and (k == 1 or view.axes[-1] == last)


def _image_size(importer, view, k: int) -> tuple[int, int] | None:
    """Height and width, if each row of k values is an image that lies whole in memory; None: it is not."""
    tensor, base = importer.tensor_of(view), view.base
    images, pixels = product(view.shape[:-1]), k // tensor.cols
    if k % tensor.cols or pixels * images != tensor.rows:
        return None
    size = (pixels, 1)
    if base is not None:
        if base.axes[0] != 0 or base.shape[0] != images or base.shape[base.axes[-1]] != tensor.cols:
            return None
        sizes = [base.shape[a] for a in base.axes[1:-1]]
        if len(sizes) > 1:
            size = (product(sizes[:-1]), sizes[-1])
    elif view.axes != tuple(sorted(view.axes)):
        return None
    fits = size[1] <= MOST_PIXELS and size[1] * tensor.cols <= MOST_LINE_BYTES
    return size if fits and size[0] <= MOST_LINES else None


def _multiply_images(importer, node, view, weights: Weights, shape, size) -> None:
    """A flattened image is multiplied in place: a convolution whose kernel is as large as the image."""
    if view.base is not None:
        _reorder(weights, view.base)
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        images=product(view.shape[:-1]),
        height=size[0],
        width=size[1],
        window=Window(size),
    )
    importer.add(node, layer, shape, tuple(range(len(shape))), weights.values.shape[0])


def _reorder(weights: Weights, base) -> None:
    """The columns in the order of memory."""
    n = weights.values.shape[0]
    order = base.axes[1:]

    def arrange(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.reshape(n, *base.shape[1:]).transpose(0, *order)).reshape(
            n, -1
        )

    weights.values = arrange(weights.values)
    if weights.codes is not None:
        weights.codes = arrange(weights.codes)


# ---- a factor and an offset for each channel ----------------------------------------------------


def add_affine(importer, node, view, factor: np.ndarray, offset: np.ndarray | None) -> None:
    """out = x * factor + offset: a depthwise convolution of one pixel. Often the layer before it takes it in."""
    tensor = importer.tensor_of(view)
    weights = Weights(factor.reshape(-1, 1).astype(np.float32), offset)
    if not np.isfinite(weights.values).all() or (
        offset is not None and not np.isfinite(offset).all()
    ):
        raise _unsupported("a factor or offset is not finite")
    layer = importer.layer(
        node,
        "convolution",
        [view.tensor],
        weights=weights,
        height=tensor.rows,
        groups=tensor.cols,
        affine=True,
    )
    importer.add_like(node, layer, view)


@handles("BatchNormalization", "the layer before it, or fp8rt_convolution", "inference")
def batch_normalization(importer, node) -> None:
    if node.attribute("training_mode", 0):
        raise _unsupported("training_mode is 1", "training_mode 0")
    view = plain(importer, node, importer.view(node))
    rank = len(view.shape)
    channels = view.shape[1] if rank > 1 else 1
    if channels > 1:
        view = arrange(importer, node, view, tuple(a for a in view.axes if a != 1) + (1,))
    elif importer.tensor_of(view).cols != 1:
        raise _unsupported(f"its input of shape {view.shape} has one channel and long rows")
    values = [importer.constant(name) for name in node.inputs[1:5]]
    if any(v is None or v.size != channels for v in values):
        raise _unsupported(
            "scale, bias, mean and variance are not constants of one value a channel"
        )
    gamma, beta, mean, variance = (v.astype(np.float64).reshape(-1) for v in values)
    epsilon = node.attribute("epsilon", 1e-5)
    if not (variance + epsilon > 0).all():
        raise _unsupported("variance + epsilon is not greater than 0")
    factor = gamma / np.sqrt(variance + epsilon)
    add_affine(
        importer, node, view, factor.astype(np.float32), (beta - mean * factor).astype(np.float32)
    )
