# SPDX-License-Identifier: Apache-2.0
"""NAME.c: tensors, and a function for each layer. c_run.py writes the rest."""

from __future__ import annotations

import numpy as np

from . import c_integers, c_run, mx
from .c_text import boolean, head, number, plain
from .ir import FORMAT_BYTES, FORMAT_C, Layer, Tensor, Weights
from .plan import REPEATED, mx_stride_of, name_of, turns_of, up
from .transposed import split
from .weights import averages_quads, join

_ACTIVATIONS = {"relu": "FP8MAC_ACT_RELU", "clamp": "FP8MAC_ACT_CLAMP"}


def source(s) -> str:
    parts = [
        head(s, "Memory, layers, and how they run."),
        f'#include "{s.name}.h"\n\n#include "fp8rt/layers.h"\n\n#include <string.h>\n'
        + ("#include <math.h>\n" if s.graph.requantises else ""),
        _declarations(s),
        _tensors(s),
        *(_layer(s, index, layer) for index, layer in enumerate(s.graph.layers)),
        c_run.text(s, _ids(s)),
    ]
    return "\n".join(parts)


def _declarations(s) -> str:
    text = []
    for index, layer in enumerate(s.graph.layers):
        if layer.integer is not None:
            text += c_integers.declarations(s, index, layer)
            continue
        for suffix, w in zip("ab", layer.all_weights):
            text.append(f"extern const uint8_t {s.name}_codes{index}{suffix}[];")
            if w.mx is None:
                text.append(f"extern const float {s.name}_scales{index}{suffix}[];")
            else:
                text.append(f"extern const uint8_t {s.name}_mx{index}{suffix}[];")
            if w.bias is not None:
                text.append(f"extern const float {s.name}_bias{index}{suffix}[];")
        if layer.table is not None:
            text.append(f"extern const uint8_t {s.name}_words{index}[];")
        if layer.op == "global_average" and averages_quads(layer, s.graph):
            text.append(f"extern const uint8_t {s.name}_ones{index}[];")
        for name in ("gamma", "beta") if layer.norm is not None else ():
            if getattr(layer.norm, name) is not None:
                text.append(f"extern const float {s.name}_{name}{index}[];")
    text += [f"extern const uint8_t {s.name}_table{i}[];" for i in range(len(s.plan.tables))]
    text += [f"extern const float {s.name}_constant{i}[];" for i in range(len(s.graph.constants))]
    return "\n".join(text) + "\n"


def _ids(s) -> dict[str, int]:
    return {name: index for index, name in enumerate(s.graph.tensors)}


def _tensors(s) -> str:
    rows = []
    constants = {name: f"{s.name}_constant{i}" for i, name in enumerate(s.graph.constants)}
    for name, tensor in s.graph.tensors.items():
        offset = s.plan.offsets.get(name, 0)
        rows.append(
            f"    {{{offset}, {tensor.rows}, {tensor.cols}, {s.plan.strides[name]}, "
            f"{FORMAT_C[tensor.format]}, {number(tensor.scale)}, {constants.get(name, 'NULL')}, "
            f"{mx_stride_of(s.graph, name, s.plan.beat)}{_zero(tensor)}}}, "
            f"// {_short(name)}"
        )
    return (
        "static const struct {\n"
        "    uint32_t offset, rows, cols, stride;\n"
        "    fp8mac_format_id format;\n"
        "    float scale;\n"
        "    const float *constant; // NULL: the tensor is in the arena\n"
        "    uint32_t mx_stride;    // of the MX scales behind the codes; 0: there are none\n"
        + ("    int32_t zero;          // zero point\n" if s.graph.requantises else "")
        + "} tensors[] = {\n"
        + "\n".join(rows)
        + "\n};\n\n"
        "static fp8rt_tensor at(uint8_t *arena, unsigned i)\n"
        "{\n"
        "    const float *constant = tensors[i].constant;\n"
        "    uint8_t *const codes = arena + tensors[i].offset;\n"
        "    uint8_t *const scales = codes + (size_t)tensors[i].rows * tensors[i].stride;\n"
        "    return (fp8rt_tensor){.data = constant != NULL ? (void *)(uintptr_t)constant\n"
        "                                                   : (void *)codes,\n"
        "                          .rows = tensors[i].rows,\n"
        "                          .cols = tensors[i].cols,\n"
        "                          .stride = tensors[i].stride,\n"
        "                          .format = tensors[i].format,\n"
        "                          .scale = tensors[i].scale,\n"
        "                          .mx = tensors[i].mx_stride != 0 ? scales : NULL,\n"
        "                          .mx_stride = tensors[i].mx_stride};\n"
        "}\n"
    )


def _zero(tensor: Tensor) -> str:
    return f", {tensor.zero}" if tensor.whole else ""


def _short(text: str) -> str:
    return plain(text)[:60]


def _fused(s, index: int, layer: Layer) -> list[str]:
    fused, fields = layer.fused, []
    if fused.activation in _ACTIVATIONS:
        fields.append(f".activation = {_ACTIVATIONS[fused.activation]}")
    if fused.activation == "clamp":
        fields += [f".clamp_lo = {number(fused.clamp[0])}", f".clamp_hi = {number(fused.clamp[1])}"]
    if fused.function is not None:
        fields.append(f".coding = {{.table = {s.plan.slots[index]}}}")
        fields.append(f".table_scale = {number(fused.table_scale)}")
    return [f".fused = {{{', '.join(fields)}}}"] if fields else []


def _geometry(layer: Layer) -> list[str]:
    w = layer.window
    window = [
        f".kernel_h = {w.kernel[0]}",
        f".kernel_w = {w.kernel[1]}",
        f".stride_y = {w.stride[0]}",
        f".stride_x = {w.stride[1]}",
        f".dilation_y = {w.dilation[0]}",
        f".dilation_x = {w.dilation[1]}",
        f".pad_top = {w.pads[0]}",
        f".pad_left = {w.pads[1]}",
        f".pad_bottom = {w.pads[2]}",
        f".pad_right = {w.pads[3]}",
    ]
    return [
        f".images = {layer.images}",
        f".height = {layer.height}",
        f".width = {layer.width}",
        ".window = {" + ", ".join(window) + "}",
    ]


def _upsampling(layer: Layer) -> list[str]:
    w = layer.window
    values = {
        **{"images": layer.images, "height": layer.height, "width": layer.width},
        **{"out_height": layer.upsampled[0], "out_width": layer.upsampled[1]},
        **{"kernel_h": w.kernel[0], "kernel_w": w.kernel[1]},
        **{"stride_y": w.stride[0], "stride_x": w.stride[1]},
        **{"pad_top": w.pads[0], "pad_left": w.pads[1]},
    }
    return [f".{name} = {value}" for name, value in values.items()]


def _weights(s, suffix: str, w: Weights, codes: np.ndarray, name: str) -> str:
    """The declaration of weights."""
    rows, cols = codes.shape
    bias = f".bias = {s.name}_bias{suffix}" if w.bias is not None else ""
    blocks = ""
    scales = [f".row_scale = {s.name}_scales{suffix}"] if w.mx is None else []
    if w.mx is not None:
        blocks = (
            f",\n                  .mx = (void *)(uintptr_t){s.name}_mx{suffix}, "
            f".mx_stride = {up(mx.blocks(cols), s.plan.beat)}"
        )
    fields = "".join(f",\n        {field}" for field in [*scales, bias] if field)
    return (
        f"    const fp8rt_weights {name} = {{\n"
        f"        .codes = {{.data = (void *)(uintptr_t){s.name}_codes{suffix}, .rows = {rows}, .cols = {cols},\n"
        f"                  .stride = {up(cols, s.plan.beat)}, .format = {FORMAT_C[w.format]}, .scale = 1.0f{blocks}}}"
        f"{fields}}};\n"
    )


def _product(s, index: int, layer: Layer) -> tuple[str, list[str]]:
    """The weights of a product, and fields of groups."""
    codes, groups = layer.weights.codes, []
    if layer.op == "convolution":
        grouped = join(layer, s.graph, s.plan.beat)
        codes = grouped.codes
        if grouped.group_in:
            groups = [f".group_in = {grouped.group_in}", f".group_out = {grouped.group_out}"]
        if grouped.pairs:
            groups.append(".pairs = true")
    if layer.op == "transposed":
        codes = split(layer)
    return _weights(s, f"{index}a", layer.weights, codes, "weights"), [
        ".weights = &weights",
        *groups,
    ]


def _diagonal(s, layer: Layer, ids: dict[str, int]) -> tuple[str, list[str]]:
    """The weights of a depthwise convolution are a tensor: the diagonal of each group."""
    group = s.graph.tensors[layer.inputs[1]].cols
    text = f"    const fp8rt_weights weights = {{.codes = at(arena, {ids[layer.inputs[1]]})}};\n"
    groups = [] if group == layer.groups else [f".group_in = {group}", f".group_out = {group}"]
    return text, [f".height = {layer.height}", ".weights = &weights", *groups]


def _norm(s, index: int, layer: Layer) -> list[str]:
    norm = layer.norm
    fields = [f".rms = {boolean(norm.rms)}", f".eps = {number(norm.eps)}"]
    if norm.gamma is not None:
        fields.append(f".gamma = {s.name}_gamma{index}")
    if norm.beta is not None:
        fields.append(f".beta = {s.name}_beta{index}")
    return fields


def _words(s, index: int, layer: Layer) -> tuple[str, list[str]]:
    """The table of an embedding."""
    out = s.graph.tensors[layer.output]
    words, width = layer.table.shape
    stride = up(width * FORMAT_BYTES[out.format], s.plan.beat)
    text = (
        "    const fp8rt_tensor words = {\n"
        f"        .data = (void *)(uintptr_t){s.name}_words{index}, .rows = {words}, .cols = {width},\n"
        f"        .stride = {stride}, .format = {FORMAT_C[out.format]}, .scale = {number(out.scale)}}};\n"
    )
    return text, [".table = &words", ".indices = x.data"]


def _moves(s, layer: Layer, ids: dict[str, int]) -> str:
    """The body of a layer of moves: a table, and a call for each line of it."""
    lines = []
    turned = any(turns_of(s.graph, layer, s.plan.beat))
    for move in layer.moves:
        axes = ", ".join(
            f"{{{a.count}, {{{a.from_rows}, {a.from_cols}}}, {{{a.to_rows}, {a.to_cols}}}}}"
            for a in move.axes
        )
        where = f"{ids[layer.inputs[move.place]]}, {move.x_row}, {move.x_col}, {move.out_row}, {move.out_col}"
        lines.append(f"        {{{where}, {{{axes or '{1, {0, 0}, {0, 0}}'}}}}},\n")
    return (
        "    static const struct {\n"
        "        uint32_t x, x_row, x_col, out_row, out_col;\n"
        "        fp8rt_move_axis axis[FP8RT_MOVE_AXES];\n"
        "    } moves[] = {\n" + "".join(lines) + "    };\n"
        f"    fp8rt_tensor out = at(arena, {ids[layer.output]});\n"
        "    fp8rt_status status = FP8RT_OK;\n"
        "    for (unsigned i = 0; i < sizeof moves / sizeof *moves && status == FP8RT_OK; i++) {\n"
        "        const fp8rt_tensor x = at(arena, moves[i].x);\n"
        "        fp8rt_move_desc desc = {.x = &x, .x_row = moves[i].x_row, .x_col = moves[i].x_col,\n"
        "                                .out_row = moves[i].out_row, .out_col = moves[i].out_col,\n"
        f"                                .clear = {'i == 0' if layer.clear else 'false'},\n"
        f"                                .by_value = {boolean(turned)}, .out = &out}};\n"
        "        memcpy(desc.axis, moves[i].axis, sizeof desc.axis);\n"
        f'        fp8rt_run_label(run, "{name_of(layer)}");\n'
        "        status = fp8rt_move(run, &desc);\n"
        "    }\n    return status;\n"
    )


def _pairs(s, index: int, layer: Layer, ids: dict[str, int]) -> str:
    """The body of a product of computed matrices: one call for each pair."""
    x, y = (s.graph.tensors[name] for name in layer.inputs)
    m, n = x.rows // layer.images, y.rows // layer.images
    fused = "".join(f", {field}" for field in _fused(s, index, layer))
    scale = number(np.float32(y.scale) * np.float32(layer.factor))
    parts = "".join(
        f"        {name}.rows = {rows};\n        {name}.data = (uint8_t *){name}.data + i * {rows}u * {name}.stride;\n"
        for name, rows in (("x", m), ("weights.codes", n), ("out", m))
    )
    if layer.mx:
        parts += "".join(
            f"        {name}.mx += i * {rows}u * {name}.mx_stride;\n"
            for name, rows in (("x", m), ("weights.codes", n))
        )
    return (
        "    fp8rt_status status = FP8RT_OK;\n"
        f"    for (unsigned i = 0; i < {layer.images} && status == FP8RT_OK; i++) {{\n"
        f"        fp8rt_tensor x = at(arena, {ids[layer.inputs[0]]}), out = at(arena, {ids[layer.output]});\n"
        f"        fp8rt_weights weights = {{.codes = at(arena, {ids[layer.inputs[1]]})}};\n"
        f"        weights.codes.scale = {scale};\n"
        + parts
        + f"        const fp8rt_linear_desc desc = {{.x = &x, .weights = &weights{fused}, .out = &out}};\n"
        f'        fp8rt_run_label(run, "{name_of(layer)}");\n'
        "        status = fp8rt_linear(run, &desc);\n"
        "    }\n    return status;\n"
    )


def _parts(s, index: int, layer: Layer, ids: dict[str, int]) -> str:
    """The body of a layer that is one call for each part of x's rows, with the same second operand."""
    rows = s.graph.tensors[layer.output].rows // layer.images
    fields = [".x = &x", *_operands(layer), *_fused(s, index, layer), ".out = &out"]
    kind, call = _DESCRIPTORS[layer.op]
    y = ""
    if len(layer.inputs) > 1:
        y = f"    const fp8rt_tensor y = at(arena, {ids[layer.inputs[1]]});\n"
    parts = "".join(
        f"        {name}.rows = {rows};\n        {name}.data = (uint8_t *){name}.data + i * {rows}u * {name}.stride;\n"
        for name in ("x", "out")
    )
    return (
        y + "    fp8rt_status status = FP8RT_OK;\n"
        f"    for (unsigned i = 0; i < {layer.images} && status == FP8RT_OK; i++) {{\n"
        f"        fp8rt_tensor x = at(arena, {ids[layer.inputs[0]]}), out = at(arena, {ids[layer.output]});\n"
        + parts
        + f"        const {kind} desc = {{{', '.join(fields)}}};\n"
        f'        fp8rt_run_label(run, "{name_of(layer)}");\n'
        f"        status = {call}(run, &desc);\n"
        "    }\n    return status;\n"
    )


def _operands(layer: Layer) -> list[str]:
    """What a sum, a product or a softmax has besides x."""
    if layer.op != "softmax":
        return [".y = &y", f".factor = {number(layer.factor)}"]
    mask = [f".seen = {layer.seen}"] if layer.seen else []
    return [*mask, ".causal = true"] if layer.causal else mask


def _recurrent(s, index: int, layer: Layer, ids: dict[str, int]) -> tuple[str, list[str]]:
    """Weights and state, which the program sets to 0 before the layer runs."""
    text = _weights(s, f"{index}a", layer.weights, layer.weights.codes, "input")
    text += _weights(s, f"{index}b", layer.recurrent, layer.recurrent.codes, "recurrent")
    text += (
        f"    const fp8rt_tensor hidden = at(arena, {ids[layer.extra['hidden']]});\n"
        f"    const fp8rt_tensor state = at(arena, {ids[layer.extra['state']]});\n"
    )
    fields = [".input = &input", ".recurrent = &recurrent", f".batch = {layer.images}"]
    return text, [*fields, ".hidden = &hidden", ".state = &state"]


def _layer(s, index: int, layer: Layer) -> str:
    ids = _ids(s)
    head = (
        f"// {_short(', '.join(layer.nodes))}\n"
        f"static fp8rt_status layer{index}(fp8rt_run *run, uint8_t *arena)\n{{\n"
    )
    if layer.integer is not None:
        return head + c_integers.body(s, index, layer, ids) + "}\n"
    if layer.op == "move":
        return head + _moves(s, layer, ids) + "}\n"
    if layer.op == "matmul":
        return head + _pairs(s, index, layer, ids) + "}\n"
    if layer.images > 1 and layer.op in REPEATED:
        return head + _parts(s, index, layer, ids) + "}\n"
    return head + _call(s, index, layer, ids) + "}\n"


def _call(s, index: int, layer: Layer, ids: dict[str, int]) -> str:
    """The body of a layer that is one call."""
    scaled = layer.op == "reduce" and layer.factor != 1.0
    body = [
        f"    {'' if scaled else 'const '}fp8rt_tensor x = at(arena, {ids[layer.inputs[0]]});\n"
    ]
    fields = [".x = &x"]
    if scaled:  # a mean: the factor is part of x's scale
        scale = np.float32(s.graph.tensors[layer.inputs[0]].scale) * np.float32(layer.factor)
        body.append(f"    x.scale = {number(scale)};\n")
    if layer.op == "reduce":
        fields.append(f".operation = FP8MAC_ROWS_{layer.reduction.upper()}")
    if layer.norm is not None:
        fields += _norm(s, index, layer)
    if layer.table is not None:
        text, more = _words(s, index, layer)
        body.append(text)
        fields = more
    if layer.op == "logarithm":
        fields += [f".offset = {number(layer.offset)}", f".factor = {number(layer.factor)}"]
    if layer.zero:
        fields.append(".zero = true")
    if layer.op in ("add", "multiply"):
        body.append(f"    const fp8rt_tensor y = at(arena, {ids[layer.inputs[1]]});\n")
        fields += _operands(layer)
    if layer.op == "softmax":
        fields += _operands(layer)
    if layer.op in ("convolution", "global_average", "max_pool"):
        fields += _geometry(layer)
    if layer.op == "global_average" and averages_quads(layer, s.graph):
        fields.append(f".ones = {s.name}_ones{index}")
    if layer.op == "transposed":
        fields += _upsampling(layer)
    if layer.op == "scale_channels":
        text, more = _diagonal(s, layer, ids)
        body.append(text)
        fields += more
    if layer.weights is not None:
        make = _recurrent(s, index, layer, ids) if layer.recurrent else _product(s, index, layer)
        body.append(make[0])
        fields += make[1]
    if layer.residual is not None:
        body.append(f"    const fp8rt_tensor residual = at(arena, {ids[layer.residual]});\n")
        fields.append(".residual = &residual")
    body.append(f"    fp8rt_tensor out = at(arena, {ids[layer.output]});\n")
    fields += [*_fused(s, index, layer), ".out = &out"]
    kind, call = _DESCRIPTORS[layer.op]
    lines = ",\n                                  ".join(fields)
    return (
        "".join(body) + f"    const {kind} desc = {{{lines}}};\n"
        f'    fp8rt_run_label(run, "{name_of(layer)}");\n'
        f"    return {call}(run, &desc);\n"
    )


_DESCRIPTORS = {
    "convolution": ("fp8rt_convolution_desc", "fp8rt_convolution"),
    "transposed": ("fp8rt_transposed_desc", "fp8rt_transposed_convolution"),
    "linear": ("fp8rt_linear_desc", "fp8rt_linear"),
    "global_average": ("fp8rt_pooling_desc", "fp8rt_global_average"),
    "max_pool": ("fp8rt_pooling_desc", "fp8rt_max_pool"),
    "add": ("fp8rt_arithmetic_desc", "fp8rt_add"),
    "multiply": ("fp8rt_arithmetic_desc", "fp8rt_multiply"),
    "convert": ("fp8rt_arithmetic_desc", "fp8rt_add"),
    "scale_channels": ("fp8rt_convolution_desc", "fp8rt_convolution"),
    "softmax": ("fp8rt_softmax_desc", "fp8rt_softmax"),
    "normalise": ("fp8rt_norm_desc", "fp8rt_normalise"),
    "reduce": ("fp8rt_reduce_desc", "fp8rt_reduce"),
    "embedding": ("fp8rt_embedding_desc", "fp8rt_embedding"),
    "reciprocal": ("fp8rt_reciprocal_desc", "fp8rt_reciprocal"),
    "logarithm": ("fp8rt_logarithm_desc", "fp8rt_logarithm"),
    "to_mx": ("fp8rt_to_mx_desc", "fp8rt_to_mx"),
    "lstm": ("fp8rt_recurrent_desc", "fp8rt_lstm"),
    "gru": ("fp8rt_recurrent_desc", "fp8rt_gru"),
}
