// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/recurrent.h"

#include "curve.h"
#include "gates.h"
#include "record.h"

typedef struct step_parts step_parts;
// The new state, and h in `h`, from the gates of a step
typedef fp8rt_status advance(fp8rt_run *run, const step_parts *p, fp8rt_tensor *h);

typedef struct kind {
    const char *name;
    uint32_t gates;
    bool summed; // the input's part is added within the GEMM; else the layer adds what it needs
    advance *advance;
} kind;

// ---- parts of tensors ---------------------------------------------------------------------------

static fp8rt_tensor rows_of(const fp8rt_run *run, const fp8rt_tensor *tensor, uint32_t first,
                            uint32_t rows)
{
    return fp8rt_tensor_part(run, tensor, first, rows, 1, 0, tensor->cols);
}

// ---- checks -------------------------------------------------------------------------------------

typedef struct sizes {
    uint32_t batch, steps, units;
} sizes;

static sizes sizes_of(const fp8rt_recurrent_desc *desc)
{
    const uint32_t batch = desc->batch == 0 ? 1 : desc->batch;
    return (sizes){.batch = batch, .steps = desc->x->rows / batch, .units = desc->hidden->cols};
}

static fp8rt_status check_output(fp8rt_run *run, const fp8rt_recurrent_desc *desc)
{
    if (desc->out == NULL) {
        return FP8RT_OK;
    }
    const fp8rt_status status = fp8rt_layer_check_any(run, desc->out);
    return status == FP8RT_OK && !fp8rt_tensor_is(desc->out, desc->x->rows, desc->hidden->cols)
               ? fp8rt_layer_fit(run, "desc->out")
               : status;
}

static fp8rt_status check_state(fp8rt_run *run, const fp8rt_recurrent_desc *desc)
{
    if (desc->state == NULL || desc->recurrent == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->hidden);
    if (status == FP8RT_OK && fp8rt_layer_scaling(desc->hidden) != FP8RT_SCALING_STATIC) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check(run, desc->state, FP8MAC_FP32, FP8MAC_FP32);
    }
    return status == FP8RT_OK && fp8rt_layer_scale(desc->state->scale) != 1.0f ? FP8RT_ERR_SCALE
                                                                               : status;
}

// The argument that does not fit, or NULL
static const char *misfit(const kind *kind, const fp8rt_recurrent_desc *desc)
{
    const sizes s = sizes_of(desc);
    const uint32_t gates = kind->gates * s.units;
    return s.steps == 0 || s.steps * s.batch != desc->x->rows            ? "desc->x"
           : s.units > UINT32_MAX / 64u || desc->hidden->rows != s.batch ? "desc->hidden"
           : !fp8rt_tensor_is(desc->state, s.batch, s.units)             ? "desc->state"
           : desc->input->codes.rows != gates                            ? "desc->input"
           : desc->recurrent->codes.rows != gates                        ? "desc->recurrent"
                                                                         : NULL;
}

static fp8rt_status check(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc)
{
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->x);
    if (status == FP8RT_OK) {
        status = check_state(run, desc);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_weights(run, desc->input, desc->x->cols);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_weights(run, desc->recurrent, desc->hidden->cols);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_fit(run, misfit(kind, desc));
    }
    return status == FP8RT_OK ? check_output(run, desc) : status;
}

// ---- a step's functions -------------------------------------------------------------------------

// All that a step works on: FP32, batch x units but for the gates. `input` is there where its
// part is not summed yet.
struct step_parts {
    fp8rt_gate_set gates, input;
    const fp8rt_tensor *state;
    fp8rt_tensor term;
};

static fp8rt_status combine(fp8rt_run *run, uint32_t operation, const fp8rt_tensor *x,
                            const fp8rt_tensor *y, float factor, const fp8rt_tensor *out)
{
    fp8rt_tensor to = *out;
    const fp8rt_combination combination = {
        .operation = operation, .x = x, .c = y, .factor = factor};
    return fp8rt_layer_combine(run, &combination, &to);
}

// out = x * y
static fp8rt_status multiply(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *y,
                             const fp8rt_tensor *out)
{
    return combine(run, FP8RT_OPERATION_MULTIPLY, x, y, 1.0f, out);
}

// out = x + factor * y
static fp8rt_status add(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *y, float factor,
                        const fp8rt_tensor *out)
{
    return combine(run, FP8RT_OPERATION_ADD, x, y, factor, out);
}

static fp8rt_curve sigmoid_in_place(fp8rt_tensor values)
{
    return (fp8rt_curve){FP8MAC_ROWS_SIGMOID, values, values};
}

static fp8rt_curve tanh_to(const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    return (fp8rt_curve){FP8MAC_ROWS_TANH, *x, *out};
}

static fp8rt_status take_tanh(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    const fp8rt_curve curve = tanh_to(x, out);
    return fp8rt_layer_curves(run, &curve, 1);
}

// c' = f * c + i * g
static fp8rt_status advance_cell(fp8rt_run *run, const step_parts *p)
{
    const fp8rt_tensor in = fp8rt_gates(run, &p->gates, 0, 1),
                       forget = fp8rt_gates(run, &p->gates, 1, 1),
                       new = fp8rt_gates(run, &p->gates, 2, 1);
    fp8rt_status status = multiply(run, &forget, p->state, p->state);
    if (status == FP8RT_OK) {
        status = multiply(run, &in, &new, &p->term);
    }
    return status == FP8RT_OK ? add(run, p->state, &p->term, 1.0f, p->state) : status;
}

static fp8rt_status advance_lstm(fp8rt_run *run, const step_parts *p, fp8rt_tensor *h)
{
    const fp8rt_tensor both = fp8rt_gates(run, &p->gates, 0, 2),
                       new = fp8rt_gates(run, &p->gates, 2, 1),
                       out = fp8rt_gates(run, &p->gates, 3, 1);
    const fp8rt_curve curves[] = {sigmoid_in_place(both), tanh_to(&new, &new),
                                  sigmoid_in_place(out)};
    fp8rt_status status = fp8rt_layer_curves(run, curves, 3);
    if (status == FP8RT_OK) {
        status = advance_cell(run, p);
    }
    if (status == FP8RT_OK) {
        status = take_tanh(run, p->state, &p->term);
    }
    return status == FP8RT_OK ? multiply(run, &out, &p->term, h) : status;
}

// n = tanh(Wx_n x + bx_n + r * (Wh_n h + bh_n)), in p->term
static fp8rt_status new_gate(fp8rt_run *run, const step_parts *p)
{
    const fp8rt_tensor reset = fp8rt_gates(run, &p->gates, 0, 1),
                       back = fp8rt_gates(run, &p->gates, 2, 1),
                       input = fp8rt_gates(run, &p->input, 2, 1);
    fp8rt_status status = multiply(run, &reset, &back, &p->term);
    if (status == FP8RT_OK) {
        status = add(run, &input, &p->term, 1.0f, &p->term);
    }
    return status == FP8RT_OK ? take_tanh(run, &p->term, &p->term) : status;
}

// h' = n + z * (h - n). The state is h.
static fp8rt_status advance_gru(fp8rt_run *run, const step_parts *p, fp8rt_tensor *h)
{
    const fp8rt_tensor input = fp8rt_gates(run, &p->input, 0, 2),
                       both = fp8rt_gates(run, &p->gates, 0, 2),
                       keep = fp8rt_gates(run, &p->gates, 1, 1);
    const fp8rt_curve curve = sigmoid_in_place(both);
    fp8rt_status status = add(run, &both, &input, 1.0f, &both);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_curves(run, &curve, 1);
    }
    if (status == FP8RT_OK) {
        status = new_gate(run, p);
    }
    if (status == FP8RT_OK) {
        status = add(run, p->state, &p->term, -1.0f, p->state);
    }
    if (status == FP8RT_OK) {
        status = multiply(run, &keep, p->state, p->state);
    }
    if (status == FP8RT_OK) {
        status = add(run, &p->term, p->state, 1.0f, p->state);
    }
    return status == FP8RT_OK ? add(run, p->state, NULL, 0.0f, h) : status;
}

static const kind lstm = {.name = "lstm", .gates = 4, .summed = true, .advance = advance_lstm};
static const kind gru = {.name = "gru", .gates = 3, .summed = false, .advance = advance_gru};

// ---- a sequence ---------------------------------------------------------------------------------

// What the steps need: all in the scratch. Rooms for gates apart are empty (data NULL) where
// gates begin at beats.
typedef struct parts {
    fp8rt_weights recurrent; // with its bias at a beat
    fp8rt_tensor input;      // Wx x + bx, steps * batch x gates * units
    fp8rt_tensor gates;      // of one step
    fp8rt_tensor term;
    fp8rt_tensor gate_room, input_room;
    fp8rt_tensor h; // of every step; without out, none: it becomes codes at once
} parts;

// A list of commands needs a bias at a beat.
static fp8rt_status align_bias(fp8rt_run *run, fp8rt_weights *weights)
{
    const float *bias = weights->bias;
    if (((uintptr_t)bias & (run->dev->caps.beat_bytes - 1u)) == 0) {
        return FP8RT_OK;
    }
    const fp8rt_tensor to = fp8rt_layer_tensor(run, 1, weights->codes.rows, FP8MAC_FP32);
    weights->bias = to.data;
    return to.data == NULL ? FP8RT_ERR_SCRATCH
                           : fp8rt_layer_copy(run, to.data, bias, to.cols * sizeof(float));
}

// Takes the room of a tensor. False: there is not that much.
static bool take(fp8rt_run *run, uint32_t rows, uint32_t cols, fp8rt_tensor *tensor)
{
    *tensor = fp8rt_layer_tensor(run, rows, cols, FP8MAC_FP32);
    return tensor->data != NULL;
}

static bool take_all(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc, parts *p)
{
    const sizes s = sizes_of(desc);
    const uint32_t wide = kind->gates * s.units, apart = kind->gates * s.batch;
    bool good = take(run, desc->x->rows, wide, &p->input) && take(run, s.batch, wide, &p->gates) &&
                take(run, s.batch, s.units, &p->term);
    if (fp8rt_gates_apart(run, s.units)) {
        good = good && take(run, apart, s.units, &p->gate_room);
        good = good && (kind->summed || take(run, apart, s.units, &p->input_room));
    }
    return good && (desc->out == NULL || take(run, desc->x->rows, s.units, &p->h));
}

static fp8rt_status prepare(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                            parts *p)
{
    *p = (parts){.recurrent = *desc->recurrent};
    if (!take_all(run, kind, desc, p)) {
        return FP8RT_ERR_SCRATCH;
    }
    const fp8rt_product product = {.x = desc->x, .weights = desc->input};
    const fp8rt_status status = align_bias(run, &p->recurrent);
    return status == FP8RT_OK ? fp8rt_layer_gemm(run, &product, &p->input) : status;
}

// The order of the sums is ((Wh h) + bh) + (Wx x + bx).
static fp8rt_status step_gates(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                               uint32_t step, parts *p, step_parts *s)
{
    const sizes size = sizes_of(desc);
    const fp8rt_tensor input = rows_of(run, &p->input, step * size.batch, size.batch);
    fp8rt_product product = {.x = desc->hidden, .weights = &p->recurrent};
    if (kind->summed) {
        product.c = &input;
        product.factor = 1.0f;
    }
    fp8rt_status status = fp8rt_layer_gemm(run, &product, &p->gates);
    if (status == FP8RT_OK) {
        status = fp8rt_gates_from(run, &p->gates, size.units, &p->gate_room, &s->gates);
    }
    return status == FP8RT_OK && !kind->summed
               ? fp8rt_gates_from(run, &input, size.units, &p->input_room, &s->input)
               : status;
}

static fp8rt_status run_step(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                             uint32_t step, parts *p)
{
    const uint32_t batch = sizes_of(desc).batch;
    step_parts s = {.state = desc->state, .term = p->term};
    fp8rt_tensor hidden = *desc->hidden;
    fp8rt_status status = step_gates(run, kind, desc, step, p, &s);
    if (status != FP8RT_OK || desc->out == NULL) {
        return status == FP8RT_OK ? kind->advance(run, &s, &hidden) : status;
    }
    fp8rt_tensor h = rows_of(run, &p->h, step * batch, batch);
    status = kind->advance(run, &s, &h);
    return status == FP8RT_OK ? fp8rt_layer_convert(run, &h, NULL, &hidden) : status;
}

static fp8rt_status compute(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc)
{
    parts p;
    const uint32_t steps = sizes_of(desc).steps;
    fp8rt_status status = prepare(run, kind, desc, &p);
    const size_t before = run->plan_bytes, recorded = run->record_bytes;
    for (uint32_t step = 0; status == FP8RT_OK && step < steps; step++) {
        status = run_step(run, kind, desc, step, &p);
        if (run->query) { // all steps take the same
            run->plan_bytes += (steps - 1u) * (run->plan_bytes - before);
            run->record_bytes += (steps - 1u) * (run->record_bytes - recorded);
            break;
        }
    }
    return status == FP8RT_OK && desc->out != NULL ? fp8rt_layer_convert(run, &p.h, NULL, desc->out)
                                                   : status;
}

static fp8rt_status run_kind(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, kind->name, &scope);
    if (status == FP8RT_OK) {
        status = check(run, kind, desc);
    }
    if (status == FP8RT_OK) {
        fp8rt_layer_observe(run, &scope, desc);
        status = compute(run, kind, desc);
    }
    return fp8rt_layer_end(run, &scope, status);
}

fp8rt_status fp8rt_lstm(fp8rt_run *run, const fp8rt_recurrent_desc *desc)
{
    return run_kind(run, &lstm, desc);
}

fp8rt_status fp8rt_gru(fp8rt_run *run, const fp8rt_recurrent_desc *desc)
{
    return run_kind(run, &gru, desc);
}
