// SPDX-License-Identifier: Apache-2.0
// Results, one by one, as the definition has them.
#include "accelerator/machine.h"

enum { RANDOM_BITS = 16 }; // of an output that is rounded stochastically

// What a column of the products gives: the output at row m and column n of the command's
// outputs, in row `row` of D
typedef struct output {
    uint32_t m, n, row;
    bool given;
} output;

static output output_of(const job *j, uint32_t m, uint32_t column)
{
    const fp8mac_command *c = j->c;
    const uint32_t cols = j->x->caps.cols, each = cols / 2u;
    if (!fp8mac_command_has_pairs(c)) {
        return (output){m, column, m, true};
    }
    const uint32_t second = column % cols / each;
    return (output){m, column / cols * each + column % each, fp8mac_command_pair_row(c, m, second),
                    second == 0 || m < c->c.stride};
}

// The bytes at an address, as they arrive
static uint32_t arriving(const job *j, fp8mac_region_of of, fp8mac_fault_part part,
                         uintptr_t address, uint32_t bytes)
{
    uint8_t byte[4] = {0};
    memcpy(byte, at(j, of, address), bytes);
    fp8mac_fault_bytes(&j->x->fault, part, 0, j->x->caps.beat_bytes, (uint32_t)address, byte,
                       bytes);
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static uint32_t word_at(const job *j, fp8mac_region_of of, fp8mac_fault_part part,
                        uintptr_t address, uint32_t index)
{
    return arriving(j, of, part, address + (uintptr_t)index * 4u, 4);
}

static uint32_t scale_a_at(const job *j, uint32_t m)
{
    const fp8mac_command_operand *a = &j->c->a;
    return a->scale_vec ? word_at(j, FP8MAC_REGION_SCALE_A, FP8MAC_FAULT_SCALE_A, a->scale, m)
                        : (uint32_t)a->scale;
}

static uint32_t scale_b_at(const job *j, uint32_t n)
{
    const fp8mac_command_operand *b = &j->c->b;
    return b->scale_vec ? word_at(j, FP8MAC_REGION_SCALE_B, FP8MAC_FAULT_SCALE_B, b->scale, n)
                        : (uint32_t)b->scale;
}

static uint32_t bias_at(const job *j, uint32_t n)
{
    return j->c->finish.bias_en
               ? word_at(j, FP8MAC_REGION_BIAS, FP8MAC_FAULT_BIAS, j->c->finish.bias, n)
               : 0;
}

// The FP32 value of an element of C or X
static uint32_t value_at(const job *j, fp8mac_region_of of, fp8mac_fault_part part,
                         uintptr_t address, uint8_t fmt)
{
    const fp8mac_format *f = format_of(fmt);
    const uint32_t code = arriving(j, of, part, address, fp8mac_format_bytes(f));
    const fp8mac_convert_mode ieee = {.overflow = FP8MAC_OVERFLOW_IEEE};
    return fp8mac_encode(fp8mac_format_get(FP8MAC_FP32), fp8mac_decode(f, code), ieee, NULL);
}

static uintptr_t element_of(uintptr_t matrix, uint32_t stride, uint32_t m, uint32_t n, uint8_t fmt)
{
    return matrix + (uintptr_t)m * stride + ((uintptr_t)n << fp8mac_command_size_log2(fmt));
}

static uint32_t c_at(const job *j, uint32_t m, uint32_t n)
{
    const fp8mac_command_source *c = &j->c->c;
    return fp8mac_command_reads_c(j->c)
               ? value_at(j, FP8MAC_REGION_C, FP8MAC_FAULT_C,
                          element_of(c->addr, c->stride, m, n, c->fmt), c->fmt)
               : 0;
}

static uint32_t x_at(const job *j, uint32_t m, uint32_t n)
{
    const fp8mac_command *c = j->c;
    const uint32_t x = value_at(j, FP8MAC_REGION_A, FP8MAC_FAULT_X,
                                element_of(c->a.addr, c->a.stride, m, n, c->x_fmt), c->x_fmt);
    j->x->observed.flags |= (x & 0x7fffffffu) > 0x7f800000u ? FP8MAC_FLAG_NAN : 0;
    return x;
}

static void store(const job *j, uint32_t d, const output *to)
{
    const fp8mac_command_result *to_d = &j->c->d;
    const uint32_t bytes = 1u << fp8mac_command_size_log2(to_d->fmt);
    const uintptr_t address = element_of(to_d->addr, to_d->stride, to->row, to->n, to_d->fmt);
    uint8_t *out = at(j, FP8MAC_REGION_D, address);
    for (uint32_t i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(d >> 8 * i);
    }
    fp8mac_fault_bytes(&j->x->fault, FP8MAC_FAULT_D, 0, j->x->caps.beat_bytes, (uint32_t)address,
                       out, bytes);
}

// ---- the epilogues ------------------------------------------------------------------------------

static fp8mac_epilogue epilogue_of(const job *j)
{
    const fp8mac_command *c = j->c;
    return (fp8mac_epilogue){
        .has_bias = c->finish.bias_en,
        .activation = (fp8mac_activation)c->finish.act,
        .clamp_lo = fp8mac_float_from_bits(c->finish.clamp_lo),
        .clamp_hi = fp8mac_float_from_bits(c->finish.clamp_hi),
        .d_format = format_of(c->d.fmt),
        .d_mode = {.overflow = (fp8mac_overflow)c->finish.overflow},
        .scale_d = fp8mac_float_from_bits(c->d.scale),
        .beta = fp8mac_command_reads_c(c) ? fp8mac_float_from_bits(c->c.beta) : 0.0f,
        .multiply = c->mode.op == FP8MAC_OP_MULTIPLY,
        .maximum = c->mode.maximum,
        .d_table = j->table,
    };
}

static void finish(const job *j, const fp8mac_epilogue *e, uint32_t t0, const output *to)
{
    fp8mac_observed *seen = &j->x->observed;
    const uint32_t scale_a = scale_a_at(j, to->m), scale_b = scale_b_at(j, to->n),
                   bias = bias_at(j, to->n), c = c_at(j, to->m, to->n);
    uint32_t d;
    if (j->c->finish.stochastic) {
        const uint32_t r = fp8mac_simon_bits(j->c->finish.seed, to->m, to->n, RANDOM_BITS);
        d = fp8mac_epilogue_apply_random(e, r, RANDOM_BITS, t0, scale_a, scale_b, bias, c,
                                         &seen->amax, &seen->amax_nonfinite, &seen->flags);
    } else {
        d = fp8mac_epilogue_apply(e, t0, scale_a, scale_b, bias, c, &seen->amax,
                                  &seen->amax_nonfinite, &seen->flags);
    }
    store(j, d, to);
}

void fp8mac_accelerator_elementwise(const job *j)
{
    const fp8mac_epilogue e = epilogue_of(j);
    for (uint32_t m = 0; m < j->c->m; m++) {
        for (uint32_t n = 0; n < j->c->n; n++) {
            const output to = {m, n, m, true};
            finish(j, &e, x_at(j, m, n), &to);
        }
    }
}

fp8mac_requantise fp8mac_accelerator_limits(const fp8mac_command *c)
{
    const bool clamps = c->finish.act == FP8MAC_ACT_CLAMP;
    return (fp8mac_requantise){
        .zero_point = (int32_t)c->d.scale,
        .lo = clamps ? (int32_t)c->finish.clamp_lo : INT8_MIN,
        .hi = clamps ? (int32_t)c->finish.clamp_hi : INT8_MAX,
    };
}

fp8mac_int_scale fp8mac_accelerator_int_scale(const job *j, uint32_t n)
{
    const fp8mac_command_operand *b = &j->c->b;
    if (!b->scale_vec) {
        return (fp8mac_int_scale){(int32_t)(uint32_t)b->scale, (int32_t)(uint32_t)j->c->a.scale};
    }
    return (fp8mac_int_scale){
        (int32_t)word_at(j, FP8MAC_REGION_SCALE_B, FP8MAC_FAULT_SCALE_B, b->scale, 2u * n),
        (int32_t)word_at(j, FP8MAC_REGION_SCALE_B, FP8MAC_FAULT_SCALE_B, b->scale, 2u * n + 1u)};
}

// `sum` in two's complement
static void requantise(const job *j, uint32_t sum, const output *to)
{
    const uint32_t bias = bias_at(j, to->n);
    uint32_t d = sum + bias;
    if (j->c->d.fmt == FP8MAC_INT8) {
        const fp8mac_requantise limits = fp8mac_accelerator_limits(j->c);
        d = (uint8_t)fp8mac_requantise_apply(&limits, (int32_t)sum, (int32_t)bias,
                                             fp8mac_accelerator_int_scale(j, to->n));
        d = j->table != NULL ? j->table[d] : d;
    }
    store(j, d, to);
}

// ---- a tile command -----------------------------------------------------------------------------

// An element's result, with the faults that it may have
static uint32_t stuck_result(const job *j, uint32_t m, uint32_t n, uint32_t t0)
{
    const fp8mac_fault *fault = &j->x->fault;
    if (fault->part == FP8MAC_FAULT_FORMAT) {
        t0 = fp8mac_fault_word(fault, FP8MAC_FAULT_FORMAT, operand_format(&j->c->a), 0, t0);
        return fp8mac_fault_word(fault, FP8MAC_FAULT_FORMAT, operand_format(&j->c->b), 1, t0);
    }
    return fp8mac_fault_word(fault, FP8MAC_FAULT_ARRAY, m & (j->x->caps.rows - 1u),
                             n & (j->x->caps.cols - 1u), t0);
}

static fp8mac_dot_terms terms_of(const fp8mac_operand_buffer *buffer, const fp8mac_tile *t,
                                 uint32_t row)
{
    return (fp8mac_dot_terms){.codes = buffer->codes + (size_t)row * t->k,
                              .mx = buffer->mx + (size_t)row * fp8mac_command_scales(t->k)};
}

static void accumulate(const job *j, const fp8mac_dot_config *dot, const fp8mac_tile *t, uint32_t m,
                       uint32_t n, fp8mac_acc *acc)
{
    fp8mac_accelerator *x = j->x;
    const bool depthwise = fp8mac_command_is_depthwise(j->c);
    const uint32_t first = depthwise ? n / x->caps.cols * t->m : 0;
    const fp8mac_dot_terms a = terms_of(&x->a, t, first + m), b = terms_of(&x->b, t, n);
    if (fp8mac_command_has_mx(j->c)) {
        fp8mac_dot_mx(dot, acc, a, b, t->k, &x->observed.flags);
    } else {
        fp8mac_dot(dot, acc, a.codes, b.codes, t->k, &x->observed.flags);
    }
}

void fp8mac_accelerator_tile(const job *j, const fp8mac_dot_config *dot, const fp8mac_tile *t)
{
    fp8mac_accelerator *x = j->x;
    const fp8mac_epilogue e = epilogue_of(j);
    for (uint32_t m = 0; m < t->m; m++) {
        for (uint32_t n = 0; n < t->columns; n++) {
            fp8mac_acc *kept = &x->acc[m * x->caps.max_mn + n];
            fp8mac_acc acc = t->acc_continue ? *kept : (fp8mac_acc){0};
            accumulate(j, dot, t, m, n, &acc);
            if (t->acc_keep) {
                *kept = acc;
                continue;
            }
            const output to = output_of(j, t->first_m + m, t->first_n + n);
            if (j->requantises) {
                requantise(j, stuck_result(j, m, n, acc.code), &to);
                continue;
            }
            const uint32_t t0 = fp8mac_acc_to_fp32(dot, &acc, &x->observed.flags);
            if (to.given) {
                finish(j, &e, stuck_result(j, m, n, t0), &to);
            }
        }
    }
}
