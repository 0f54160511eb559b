# SPDX-License-Identifier: Apache-2.0
"""NAME.c: tensors, and a function for each layer. c_run.py writes the rest."""

from __future__ import annotations

from . import c_integers, c_run
from .c_text import boolean, head, number, plain
from .calls import At, Call, Matrix, Product, c_fields
from .ir import FORMAT_C, Layer, Tensor, name_of
from .layer_calls import calls_of
from .moves import turns_of
from .plan import mx_stride_of
from .weights import averages_quads


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
    return f", {tensor.zero}" if tensor.integer else ""


def _short(text: str) -> str:
    return plain(text)[:60]


def _weights(name: str, w: Product) -> str:
    """The declaration of weights of the program's constants."""
    m, blocks = w.codes, ""
    if m.mx is not None:
        blocks = (
            f",\n                  .mx = (void *)(uintptr_t){m.mx.name}, .mx_stride = {m.mx_stride}"
        )
    fields = "".join(f",\n        {field}" for field in c_fields(w.vectors()))
    return (
        f"    const fp8rt_weights {name} = {{\n"
        f"        .codes = {{.data = (void *)(uintptr_t){m.codes.name}, .rows = {m.rows}, .cols = {m.cols},\n"
        f"                  .stride = {m.stride}, .format = {FORMAT_C[m.format]}, .scale = 1.0f{blocks}}}"
        f"{fields}}};\n"
    )


def _local(name: str, local: At | Matrix | Product, ids: dict[str, int]) -> str:
    """The declaration of a structure before the descriptor."""
    if isinstance(local, At):
        scale = "" if local.scale is None else f"    {name}.scale = {number(local.scale)};\n"
        kind = "const fp8rt_tensor" if local.constant else "fp8rt_tensor"
        return f"    {kind} {name} = at(arena, {ids[local.tensor]});\n{scale}"
    if isinstance(local, Product) and isinstance(local.codes, At):
        return (
            f"    const fp8rt_weights {name} = {{.codes = at(arena, {ids[local.codes.tensor]})}};\n"
        )
    if isinstance(local, Product):
        return _weights(name, local)
    data = f".data = (void *)(uintptr_t){local.codes.name}, .rows = {local.rows},"
    rest = f".cols = {local.cols}, .stride = {local.stride}, .format = {FORMAT_C[local.format]}"
    if local.scale is None:
        return (
            f"    const fp8rt_tensor {name} = {{{data}\n"
            f"                                  {rest}}};\n"
        )
    return (
        f"    const fp8rt_tensor {name} = {{\n"
        f"        {data} .cols = {local.cols},\n"
        f"        .stride = {local.stride}, .format = {FORMAT_C[local.format]}, "
        f".scale = {number(local.scale)}}};\n"
    )


def _once(layer: Layer, call: Call, ids: dict[str, int]) -> str:
    """The body of a layer that is one call."""
    whole = layer.integer is not None
    body = "".join(_local(name, local, ids) for name, local in call.locals.items())
    first = "\n        " if whole else ""
    between = ",\n        " if whole else ",\n                                  "
    return (
        f"{body}    const {call.kind} desc = {{{first}{between.join(c_fields(call.fields))}}};\n"
        f'    fp8rt_run_label(run, "{name_of(layer)}");\n'
        f"    return {call.function}(run, &desc);\n"
    )


def _repeated(layer: Layer, call: Call, ids: dict[str, int]) -> str:
    """The body of a layer that is a call for each part of rows. What has no parts is declared once."""
    once = "".join(_local(n, x, ids) for n, x in call.locals.items() if n not in call.parts)
    x, out = (call.locals[name].tensor for name in ("x", "out"))
    parts = f"        fp8rt_tensor x = at(arena, {ids[x]}), out = at(arena, {ids[out]});\n"
    if call.locals["x"].scale is not None:
        parts += f"        x.scale = {number(call.locals['x'].scale)};\n"
    places = {name: name for name in call.parts}
    if "weights" in call.parts:
        y = call.locals["weights"].codes
        places["weights"] = "weights.codes"
        parts += (
            f"        fp8rt_weights weights = {{.codes = at(arena, {ids[y.tensor]})}};\n"
            f"        weights.codes.scale = {number(y.scale)};\n"
        )
    for name, rows in call.parts.items():
        place = places[name]
        parts += (
            f"        {place}.rows = {rows};\n"
            f"        {place}.data = (uint8_t *){place}.data + i * {rows}u * {place}.stride;\n"
        )
    for name, rows in call.parts.items() if layer.mx else ():
        if name != "out":
            parts += f"        {places[name]}.mx += i * {rows}u * {places[name]}.mx_stride;\n"
    return (
        f"{once}    fp8rt_status status = FP8RT_OK;\n"
        f"    for (unsigned i = 0; i < {call.images} && status == FP8RT_OK; i++) {{\n"
        f"{parts}        const {call.kind} desc = {{{', '.join(c_fields(call.fields))}}};\n"
        f'        fp8rt_run_label(run, "{name_of(layer)}");\n'
        f"        status = {call.function}(run, &desc);\n"
        "    }\n    return status;\n"
    )


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


def _layer(s, index: int, layer: Layer) -> str:
    ids = _ids(s)
    head = (
        f"// {_short(', '.join(layer.nodes))}\n"
        f"static fp8rt_status layer{index}(fp8rt_run *run, uint8_t *arena)\n{{\n"
    )
    if layer.op == "move":
        return head + _moves(s, layer, ids) + "}\n"
    (call,) = calls_of(s.graph, s.plan, s.name, index, layer)
    body = _repeated(layer, call, ids) if call.parts else _once(layer, call, ids)
    return head + body + "}\n"
