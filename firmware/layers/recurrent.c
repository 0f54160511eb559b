// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/recurrent.h"

#include "fixed.h"
#include "record.h"

// Numbers of the core: gates, their functions, states.
enum { GATE_BITS = 14, FUNCTION_BITS = 15, MOST_CELL = 2046 };
#define GATE_LIMIT 2097152.0f // 128 * 2^GATE_BITS
#define GATE_ONE 16384.0f
#define STATE_UNIT 0x1p-20f

// One row of one step. `gates` has the words of all gates, `apart` those of the part of a gate that is
// not summed, `words` gets h.
typedef void advance(uint32_t units, const int32_t *gates, const int32_t *apart, int32_t *state,
                     int32_t *words);

typedef struct kind {
    const char *name;
    uint32_t gates;
    uint32_t summed; // gates whose two parts are added before the function; the others follow them
    advance *advance;
} kind;

// ---- the core's part ----------------------------------------------------------------------------

static inline int32_t gate(const int32_t *word)
{
    return *word - FP8RT_FIXED_ORIGIN;
}

static inline int32_t sigmoid_of(const int32_t *word)
{
    return fp8rt_fixed_sigmoid(gate(word));
}

static inline int32_t tanh_of_gate(int32_t x)
{
    return fp8rt_fixed_tanh(x * (1 << (FUNCTION_BITS - GATE_BITS)));
}

// x * factor, where factor is at most 1
static inline int32_t scaled(int32_t x, int32_t factor)
{
    return (int32_t)(((int64_t)x * factor + (1 << (FUNCTION_BITS - 1))) >> FUNCTION_BITS);
}

// The product of two functions as a state
static inline int32_t product(int32_t x, int32_t y)
{
    const int shift = 2 * FUNCTION_BITS - FP8RT_STATE_BITS;
    return (x * y + (1 << (shift - 1))) >> shift;
}

static inline int32_t limited(int32_t cell)
{
    const int32_t most = MOST_CELL << FP8RT_STATE_BITS;
    return cell > most ? most : cell < -most ? -most : cell;
}

static void advance_lstm(uint32_t units, const int32_t *gates, const int32_t *apart, int32_t *state,
                         int32_t *words)
{
    (void)apart;
    for (uint32_t u = 0; u < units; u++, gates++) {
        const int32_t in = sigmoid_of(gates), forget = sigmoid_of(gates + units);
        const int32_t new = tanh_of_gate(gate(gates + 2 * units));
        const int32_t out = sigmoid_of(gates + 3 * units);
        const int32_t cell = limited(scaled(state[u], forget) + product(in, new));
        state[u] = cell;
        words[u] = FP8RT_FIXED_ORIGIN +
                   product(out, fp8rt_fixed_tanh(cell >> (FP8RT_STATE_BITS - FUNCTION_BITS)));
    }
}

static void advance_gru(uint32_t units, const int32_t *gates, const int32_t *apart, int32_t *state,
                        int32_t *words)
{
    for (uint32_t u = 0; u < units; u++, gates++) {
        const int32_t reset = sigmoid_of(gates), keep = sigmoid_of(gates + units);
        const int32_t new = tanh_of_gate(gate(&apart[u]) + scaled(gate(gates + 2 * units), reset));
        state[u] = scaled(state[u], keep) + product((1 << FUNCTION_BITS) - keep, new);
        words[u] = FP8RT_FIXED_ORIGIN + state[u];
    }
}

static const kind lstm = {.name = "lstm", .gates = 4, .summed = 4, .advance = advance_lstm};
static const kind gru = {.name = "gru", .gates = 3, .summed = 2, .advance = advance_gru};

// ---- parts of tensors ---------------------------------------------------------------------------

static fp8rt_tensor rows_of(const fp8rt_run *run, const fp8rt_tensor *tensor, uint32_t first,
                            uint32_t rows)
{
    return fp8rt_tensor_part(run, tensor, first, rows, 1, 0, tensor->cols);
}

static fp8rt_weights weights_of(const fp8rt_run *run, const fp8rt_weights *weights, uint32_t first,
                                uint32_t rows)
{
    return fp8rt_weights_part(run, weights, first, rows, weights->codes.cols);
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
    return status == FP8RT_OK &&
                   (desc->out->rows != desc->x->rows || desc->out->cols != desc->hidden->cols)
               ? FP8RT_ERR_SHAPE
               : status;
}

static fp8rt_status check_state(fp8rt_run *run, const fp8rt_recurrent_desc *desc)
{
    if (desc->state == NULL || desc->recurrent == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_layer_check_fp8(run, desc->hidden);
    return status == FP8RT_OK && fp8rt_layer_scaling(desc->hidden) != FP8RT_SCALING_STATIC
               ? FP8RT_ERR_UNSUPPORTED
               : status;
}

static fp8rt_status check_sizes(const kind *kind, const fp8rt_recurrent_desc *desc)
{
    const sizes s = sizes_of(desc);
    const uint32_t gates = kind->gates * s.units;
    return s.units > UINT32_MAX / 64u || s.steps == 0 || s.steps * s.batch != desc->x->rows ||
                   desc->hidden->rows != s.batch || desc->input->codes.rows != gates ||
                   desc->recurrent->codes.rows != gates
               ? FP8RT_ERR_SHAPE
               : FP8RT_OK;
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
        status = check_sizes(kind, desc);
    }
    return status == FP8RT_OK ? check_output(run, desc) : status;
}

// ---- the accelerator's part ---------------------------------------------------------------------

// What the steps need: all in the scratch.
typedef struct parts {
    fp8rt_tensor summed;     // Wx x + bx in FP32, steps * batch x gates * units; 0 for gates apart
    fp8rt_tensor apart;      // words of Wx x + bx of the gates apart
    fp8rt_weights recurrent; // with the words of bh as its bias, in units of gates
    fp8rt_tensor gates;      // words, batch x gates * units
    fp8rt_tensor states;     // words of h: of every step, or of the last one
} parts;

typedef struct origins {
    int32_t *words;
    uint32_t count;
} origins;

static void fill_origins(void *context)
{
    const origins *o = context;
    for (uint32_t i = 0; i < o->count; i++) {
        o->words[i] = FP8RT_FIXED_ORIGIN;
    }
}

// The bias becomes words of gates, so that the GEMM's outputs are words of gates too.
static fp8rt_status bias_to_words(fp8rt_run *run, fp8rt_weights *weights)
{
    fp8rt_tensor words = fp8rt_layer_tensor(run, 1, weights->codes.rows, FP8MAC_FP32);
    const float *bias = weights->bias;
    weights->bias = words.data;
    if (words.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    if (bias != NULL) {
        fp8rt_tensor from = words;
        fp8rt_status status = FP8RT_OK;
        if (((uintptr_t)bias & (run->dev->caps.beat_bytes - 1u)) == 0) {
            from.data = (void *)(uintptr_t)bias;
        } else {
            status = fp8rt_layer_copy(run, words.data, bias, words.cols * sizeof(float));
        }
        return status == FP8RT_OK ? fp8rt_fixed_from(run, &from, GATE_ONE, &words) : status;
    }
    const origins o = {words.data, words.cols};
    return fp8rt_layer_core(run, fill_origins, &o, sizeof o);
}

static void scale_to_gates(fp8rt_weights *weights)
{
    weights->codes.scale = fp8rt_layer_scale(weights->codes.scale) * GATE_ONE;
}

// Wx x + bx of the gates that are summed with the recurrent part
static fp8rt_status input_summed(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                                 parts *p)
{
    const sizes s = sizes_of(desc);
    const fp8rt_weights weights = weights_of(run, desc->input, 0, kind->summed * s.units);
    const fp8rt_product product = {.x = desc->x, .weights = &weights};
    p->summed = fp8rt_layer_tensor(run, desc->x->rows, kind->gates * s.units, FP8MAC_FP32);
    if (p->summed.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_tensor out = rows_of(run, &p->summed, 0, p->summed.rows);
    fp8rt_status status = FP8RT_OK;
    if (kind->summed != kind->gates) {
        status = fp8rt_layer_fill(run, out.data, 0, fp8rt_tensor_bytes(&run->dev->caps, &out));
    }
    out.cols = weights.codes.rows;
    return status == FP8RT_OK ? fp8rt_layer_gemm(run, &product, &out) : status;
}

// The words of Wx x + bx of the gates apart
static fp8rt_status input_apart(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                                parts *p)
{
    const sizes s = sizes_of(desc);
    const fp8rt_fused clamp = fp8rt_fixed_clamp(GATE_LIMIT);
    fp8rt_weights weights = weights_of(run, desc->input, kind->summed * s.units,
                                       (kind->gates - kind->summed) * s.units);
    const fp8rt_product product = {.x = desc->x, .weights = &weights, .fused = &clamp};
    p->apart = fp8rt_layer_tensor(run, desc->x->rows, weights.codes.rows, FP8MAC_FP32);
    if (p->apart.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    scale_to_gates(&weights);
    const fp8rt_status status = bias_to_words(run, &weights);
    return status == FP8RT_OK ? fp8rt_layer_gemm(run, &product, &p->apart) : status;
}

static fp8rt_status prepare(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                            parts *p)
{
    const sizes s = sizes_of(desc);
    *p = (parts){.recurrent = *desc->recurrent};
    scale_to_gates(&p->recurrent);
    fp8rt_status status = bias_to_words(run, &p->recurrent);
    if (status == FP8RT_OK) {
        status = input_summed(run, kind, desc, p);
    }
    if (status == FP8RT_OK && kind->summed != kind->gates) {
        status = input_apart(run, kind, desc, p);
    }
    p->gates = fp8rt_layer_tensor(run, s.batch, kind->gates * s.units, FP8MAC_FP32);
    p->states =
        fp8rt_layer_tensor(run, desc->out == NULL ? s.batch : desc->x->rows, s.units, FP8MAC_FP32);
    return status == FP8RT_OK && (p->gates.data == NULL || p->states.data == NULL)
               ? FP8RT_ERR_SCRATCH
               : status;
}

// The words of all gates of one step. The recurrent part is added to the input's part, so the order of
// the sums is ((Wh h) + bh) + (Wx x + bx).
static fp8rt_status step_gates(fp8rt_run *run, const fp8rt_recurrent_desc *desc, uint32_t step,
                               parts *p)
{
    const sizes s = sizes_of(desc);
    const fp8rt_tensor input = rows_of(run, &p->summed, step * s.batch, s.batch);
    const fp8rt_fused clamp = fp8rt_fixed_clamp(GATE_LIMIT);
    const fp8rt_product product = {.x = desc->hidden,
                                   .weights = &p->recurrent,
                                   .c = &input,
                                   .factor = GATE_ONE,
                                   .fused = &clamp};
    return fp8rt_layer_gemm(run, &product, &p->gates);
}

// What the core does in one step, for all rows of the batch; strides in words
typedef struct step_call {
    advance *advance;
    const int32_t *gates, *apart; // apart NULL: none
    int32_t *state, *words;
    uint32_t batch, units, gates_stride, apart_stride, words_stride;
} step_call;

static void advance_batch(void *context)
{
    const step_call *c = context;
    for (uint32_t b = 0; b < c->batch; b++) {
        const int32_t *apart = c->apart == NULL ? NULL : c->apart + b * c->apart_stride;
        c->advance(c->units, c->gates + b * c->gates_stride, apart, c->state + b * c->units,
                   c->words + b * c->words_stride);
    }
}

static fp8rt_status advance_step(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                                 uint32_t step, const parts *p, const fp8rt_tensor *states)
{
    const sizes s = sizes_of(desc);
    step_call call = {
        .advance = kind->advance,
        .gates = p->gates.data,
        .state = desc->state,
        .words = states->data,
        .batch = s.batch,
        .units = s.units,
        .gates_stride = fp8rt_tensor_words(run, &p->gates),
        .words_stride = fp8rt_tensor_words(run, states),
    };
    if (p->apart.data != NULL) {
        call.apart = fp8rt_tensor_row(&run->dev->caps, &p->apart, step * s.batch);
        call.apart_stride = fp8rt_tensor_words(run, &p->apart);
    }
    return fp8rt_layer_core(run, advance_batch, &call, sizeof call);
}

static fp8rt_status run_step(fp8rt_run *run, const kind *kind, const fp8rt_recurrent_desc *desc,
                             uint32_t step, parts *p)
{
    const sizes s = sizes_of(desc);
    const uint32_t first = desc->out == NULL ? 0 : step * s.batch;
    const fp8rt_tensor states = rows_of(run, &p->states, first, s.batch);
    fp8rt_tensor hidden = *desc->hidden;
    fp8rt_status status = step_gates(run, desc, step, p);
    if (status == FP8RT_OK) {
        status = advance_step(run, kind, desc, step, p, &states);
    }
    return status == FP8RT_OK ? fp8rt_fixed_to(run, &states, STATE_UNIT, &hidden) : status;
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
    return status == FP8RT_OK && desc->out != NULL
               ? fp8rt_fixed_to(run, &p.states, STATE_UNIT, desc->out)
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
