# SPDX-License-Identifier: Apache-2.0
"""The second half of NAME.c: the sequence of layers as lists of commands, how it is opened and run, inputs and outputs."""

from __future__ import annotations

from .c_text import boolean
from .weights import averages_quads, has_pairs, has_quads


def text(s, ids: dict[str, int]) -> str:
    """`ids` are the numbers of tensors."""
    words, requantises = _has_indices(s), s.graph.requantises
    run = _RUN.replace("@convert@", _CODES if requantises else _CONVERT)
    products = ("convolution", "scale_channels", "int_convolution")
    quads = any(
        (x.op in products and (has_quads(x, s.graph) or has_pairs(x, s.graph)))
        or (x.op == "global_average" and averages_quads(x, s.graph))
        for x in s.graph.layers
    )
    checks = (_REQUANTISES if requantises else "") + (_DEPTHWISE if quads else "")
    run = run.replace("@requantises@", checks).replace("@columns@", str(s.graph.columns))
    masks = any(_is_mask(s, view) for view in s.graph.inputs.values())
    run = run.replace("@masks@", _MASKS if masks else "")
    run = run.replace("@check_mask@", _CHECK_MASK if masks else "")
    run = run.replace("@load@", _LOAD if s.plan.loads else "")
    run = run.replace("@before_layer@", _BEFORE_LAYER if s.plan.loads else "")
    run = run.replace("@indices@", _INDICES if words else "")
    run = run.replace("@take_indices@", _TAKE_INDICES if words else "")
    return _tables(s, ids) + run.replace("@n@", s.name).replace("@N@", s.upper)


def _has_indices(s) -> bool:
    return any(s.graph.tensors[v.tensor].format == "int32" for v in s.graph.inputs.values())


def _is_mask(s, view) -> bool:
    """An input that has to be finite"""
    return view.tensor in s.graph.finite and not s.graph.tensors[view.tensor].has_codes


def _tables(s, ids: dict[str, int]) -> str:
    plan = s.plan
    names = ", ".join(f"layer{i}" for i in range(len(s.graph.layers)))
    segments = [
        f"    {{{g.first}, {g.count}, {boolean(g.recorded)}, {g.list_bytes}}},"
        for g in plan.segments
    ]
    inputs = ", ".join(str(ids[v.tensor]) for v in s.graph.inputs.values())
    indices = _indices(s) if _has_indices(s) else ""
    if any(_is_mask(s, view) for view in s.graph.inputs.values()):
        masks = ", ".join(boolean(_is_mask(s, view)) for view in s.graph.inputs.values())
        indices += f"static const bool is_mask[] = {{{masks}}}; // inputs that have to be finite\n"
    outputs = ", ".join(str(ids[v.tensor]) for v in s.graph.outputs.values())
    return (
        f"static fp8rt_status (*const layers[])(fp8rt_run *run, uint8_t *arena) = {{\n    {names}}};\n\n"
        "// Layers that run as one list, or one by one.\n"
        "static const struct {\n    uint32_t first, count;\n    bool recorded;\n"
        "    uint32_t list_bytes;\n} segments[] = {\n"
        + "\n".join(segments)
        + "\n};\n\n"
        + _loads(s)
        + f"static const uint32_t inputs[] = {{{inputs}}}, outputs[] = {{{outputs}}};\n"
        + indices
        + "\n"
        + _kept(s, ids)
        + f"enum {{\n    SEGMENTS = {len(plan.segments)},\n    LAYERS = {len(s.graph.layers)},\n"
        f"    SCRATCH = {plan.activations}, // where it begins\n"
        f"    SCRATCH_BYTES = {plan.scratch},\n    LISTS = SCRATCH + SCRATCH_BYTES,\n}};\n"
    )


def _loads(s) -> str:
    plan = s.plan
    if not plan.loads:
        return ""
    lines = "\n".join(
        f"    {{{layer}, {plan.slots[layer]}, {s.name}_table{table}}},"
        for layer, table in plan.loads.items()
    )
    return (
        "// Tables of codes that are loaded before a layer, in the order of layers\n"
        "static const struct {\n    uint32_t layer, slot;\n    const uint8_t *codes;\n} loads[] = {\n"
        f"{lines}\n}};\n\nenum {{ LOADS = {len(plan.loads)} }};\n\n"
    )


def _indices(s) -> str:
    kinds = (s.graph.tensors[v.tensor].format for v in s.graph.inputs.values())
    values = ", ".join(boolean(kind == "int32") for kind in kinds)
    return f"static const bool is_index[] = {{{values}}}; // inputs that are numbers of words\n"


def _kept(s, ids: dict[str, int]) -> str:
    """The tensors of states."""
    kept, fresh = (
        [str(ids[n]) for x in s.graph.layers if x.keeps == keeps for n in x.states]
        for keeps in (True, False)
    )
    return (
        "// States that are kept between runs, and those that are 0 at the start of each\n"
        f"enum {{ KEPT = {len(kept)}, FRESH = {len(fresh)} }};\n"
        f"static const uint32_t kept[] = {{{', '.join(kept or ['0'])}}};\n"
        f"static const uint32_t fresh[] = {{{', '.join(fresh or ['0'])}}};\n\n"
    )


_INDICES = """// Numbers of words. What is no such number the layer that reads it refuses.
static fp8rt_status set_indices(const fp8rt_tensor *t, const float *values)
{
    uint32_t *indices = t->data;
    for (uint32_t i = 0; i < t->cols; i++) {
        if (!(values[i] >= 0.0f && values[i] < 4294967296.0f) ||
            (float)(uint32_t)values[i] != values[i]) {
            return FP8RT_ERR_SHAPE;
        }
        indices[i] = (uint32_t)values[i];
    }
    return FP8RT_OK;
}

"""

_TAKE_INDICES = """    if (is_index[i]) {
        return set_indices(&t, values);
    }
"""

_MASKS = """// Masks of attention. A row of -Inf alone would give NaN.
static bool is_finite(const fp8rt_tensor *t, const float *values)
{
    for (size_t i = 0; i < (size_t)t->rows * t->cols; i++) {
        if (!(values[i] - values[i] == 0.0f)) {
            return false;
        }
    }
    return true;
}

"""

_CHECK_MASK = """    if (is_mask[i] && !is_finite(&t, values)) {
        return FP8RT_ERR_SHAPE;
    }
"""

_CONVERT = """fp8rt_status @n@_set_input(const @n@_net *net, unsigned i, const float *values)
{
    const fp8rt_tensor t = @n@_input(net, i);
@take_indices@@check_mask@    if (t.format == FP8MAC_FP32) {
        for (uint32_t row = 0; row < t.rows; row++) {
            memcpy((uint8_t *)t.data + (size_t)row * t.stride, values + (size_t)row * t.cols,
                   t.cols * sizeof *values);
        }
        return FP8RT_OK;
    }
    return fp8rt_quantize(t.format, t.data, t.stride, values, t.cols, t.rows, t.cols,
                          fp8mac_recipe_inverse(t.scale), FP8MAC_OVERFLOW_SATURATE, NULL);
}

fp8rt_status @n@_get_output(const @n@_net *net, unsigned i, float *values)
{
    const fp8rt_tensor t = @n@_output(net, i);
    return fp8rt_dequantize(values, t.cols, t.format, t.data, t.stride, t.rows, t.cols, t.scale);
}
"""

# With zero points
_CODES = """fp8rt_status @n@_set_input(const @n@_net *net, unsigned i, const float *values)
{
    const fp8rt_tensor t = @n@_input(net, i);
    for (uint32_t row = 0; row < t.rows; row++) {
        int8_t *to = (int8_t *)t.data + (size_t)row * t.stride;
        for (uint32_t col = 0; col < t.cols; col++, values++) {
            const float code = roundf(*values / t.scale) + (float)tensors[inputs[i]].zero;
            to[col] = code > 127.0f ? INT8_MAX : code > -128.0f ? (int8_t)code : INT8_MIN;
        }
    }
    return FP8RT_OK;
}

fp8rt_status @n@_get_output(const @n@_net *net, unsigned i, float *values)
{
    const fp8rt_tensor t = @n@_output(net, i);
    for (uint32_t row = 0; row < t.rows; row++) {
        const int8_t *from = (const int8_t *)t.data + (size_t)row * t.stride;
        for (uint32_t col = 0; col < t.cols; col++) {
            *values++ = t.scale * (float)(from[col] - tensors[outputs[i]].zero);
        }
    }
    return FP8RT_OK;
}
"""

_LOAD = """static fp8rt_status load_tables(fp8rt_run *run, uint32_t layer)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < LOADS && status == FP8RT_OK; i++) {
        if (loads[i].layer == layer) {
            status = fp8rt_load_table(run, loads[i].slot, loads[i].codes);
        }
    }
    return status;
}

"""

_BEFORE_LAYER = """        status = load_tables(run, segments[s].first + i);
        if (status != FP8RT_OK) {
            break;
        }
"""

_REQUANTISES = """    if ((dev->caps.functions & FP8MAC_FUNCTION_REQUANTISE) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
"""

_DEPTHWISE = """    if ((dev->caps.functions & FP8MAC_FUNCTION_DEPTHWISE) == 0 || dev->caps.cols != @columns@) {
        return FP8RT_ERR_UNSUPPORTED;
    }
"""

_RUN = """
// ---- opening ------------------------------------------------------------------------------------

@load@static fp8rt_status run_layers(@n@_net *net, fp8rt_run *run, unsigned s)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < segments[s].count && status == FP8RT_OK; i++) {
@before_layer@        status = layers[segments[s].first + i](run, net->arena);
    }
    net->failed = run->failed;
    net->wrong = run->wrong;
    return status;
}

// Checks the layers of a segment. They need no more memory than was planned.
static fp8rt_status query(@n@_net *net, unsigned s)
{
    fp8rt_run run = fp8rt_run_query(net->dev);
    const fp8rt_status status = run_layers(net, &run, s);
    net->scratch_bytes = run.peak > net->scratch_bytes ? run.peak : net->scratch_bytes;
    if (segments[s].recorded) {
        net->list_bytes += (run.record_bytes + FP8RT_NETWORK_ALIGN - 1u) & ~(size_t)(FP8RT_NETWORK_ALIGN - 1u);
    }
    const bool fits = run.peak <= SCRATCH_BYTES &&
                      (!segments[s].recorded || run.record_bytes <= segments[s].list_bytes);
    return status == FP8RT_OK && !fits ? FP8RT_ERR_SCRATCH : status;
}

static fp8rt_status record(@n@_net *net, unsigned s, uint8_t *list)
{
    fp8rt_recorder recorder = fp8rt_recorder_in(list, segments[s].list_bytes);
    fp8rt_run run = fp8rt_run_on(net->dev, net->arena + SCRATCH, SCRATCH_BYTES);
    run.recorder = &recorder;
    const fp8rt_status status = run_layers(net, &run, s);
    return status == FP8RT_OK ? fp8rt_network_record(&net->lists[s], &run) : status;
}

static void set_to_zero(uint8_t *arena, const uint32_t *list, int count)
{
    for (int i = 0; i < count; i++) {
        const fp8rt_tensor t = at(arena, list[i]);
        memset(t.data, 0, (size_t)t.rows * t.stride);
    }
}

void @n@_reset(@n@_net *net)
{
    set_to_zero(net->arena, kept, KEPT);
}

fp8rt_status @n@_open(@n@_net *net, fp8rt_device *dev, void *arena, size_t bytes)
{
    if (net == NULL || dev == NULL || arena == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (bytes < @N@_ARENA_BYTES) {
        return FP8RT_ERR_SCRATCH;
    }
    if (((uintptr_t)arena & (@N@_ARENA_ALIGN - 1u)) != 0 || dev->caps.beat_bytes != @N@_BEAT_BYTES) {
        return FP8RT_ERR_ALIGNMENT;
    }
@requantises@    *net = (@n@_net){.dev = dev, .arena = arena};
    @n@_reset(net);
    uint8_t *list = net->arena + LISTS;
    fp8rt_status status = FP8RT_OK;
    for (unsigned s = 0; s < SEGMENTS && status == FP8RT_OK; s++) {
        status = query(net, s);
        if (status == FP8RT_OK && segments[s].recorded) {
            status = record(net, s, list);
            list += segments[s].list_bytes;
        }
    }
    return status;
}

// ---- running ------------------------------------------------------------------------------------

static fp8rt_status run_list(@n@_net *net, unsigned s, fp8rt_profile *profile)
{
    fp8rt_network_result result;
    const fp8rt_status status = profile == NULL
                                    ? fp8rt_network_run(&net->lists[s], &result)
                                    : fp8rt_network_profile(&net->lists[s], profile, &result);
    if (status != FP8RT_OK) {
        net->failed = result.layer;
        fp8rt_network_abandon(&net->lists[s]);
    }
    return status;
}

static fp8rt_status run_segment(@n@_net *net, unsigned s, fp8rt_profile *profile)
{
    if (segments[s].recorded) {
        return run_list(net, s, profile);
    }
    fp8rt_run run = fp8rt_run_on(net->dev, net->arena + SCRATCH, SCRATCH_BYTES);
    run.profile = profile;
    return run_layers(net, &run, s);
}

fp8rt_status @n@_profile(@n@_net *net, fp8rt_profile *profile)
{
    fp8rt_status status = FP8RT_OK;
    net->failed = net->wrong = NULL;
    set_to_zero(net->arena, fresh, FRESH);
    for (unsigned s = 0; s < SEGMENTS && status == FP8RT_OK; s++) {
        status = run_segment(net, s, profile);
    }
    return status;
}

fp8rt_status @n@_run(@n@_net *net)
{
    return @n@_profile(net, NULL);
}

// ---- inputs and outputs -------------------------------------------------------------------------

fp8rt_tensor @n@_input(const @n@_net *net, unsigned i)
{
    return at(net->arena, inputs[i]);
}

fp8rt_tensor @n@_output(const @n@_net *net, unsigned i)
{
    return at(net->arena, outputs[i]);
}

@indices@@masks@@convert@"""
