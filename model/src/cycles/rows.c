// SPDX-License-Identifier: Apache-2.0
// Row commands: their phases and what they must not have (fp8mac_cmd_pkg, fp8mac_cmd_check).
#include "cycles/tiles.h"

static fp8mac_rows_operation operation_of(const fp8mac_cycles_command *c)
{
    return (fp8mac_rows_operation)c->row_operation;
}

bool fp8mac_cycles_is_reduction(const fp8mac_cycles_command *c)
{
    return fp8mac_rows_is_reduction(operation_of(c));
}

bool fp8mac_cycles_has_blocks(const fp8mac_cycles_command *c)
{
    return c->operation == FP8MAC_CYCLES_ROWS && operation_of(c) == FP8MAC_ROWS_QUANTISE_MX;
}

bool fp8mac_cycles_is_norm(const fp8mac_cycles_command *c)
{
    return operation_of(c) == FP8MAC_ROWS_RMS_NORM || operation_of(c) == FP8MAC_ROWS_LAYER_NORM;
}

bool fp8mac_cycles_is_statistic(rows_step step)
{
    return step != STEP_NONE && step < STEP_OUT;
}

bool fp8mac_cycles_is_curve(rows_step step)
{
    return step == STEP_SIGMOID || step == STEP_TANH;
}

static bool has_one_phase(const fp8mac_cycles_command *c)
{
    return operation_of(c) == FP8MAC_ROWS_SIGMOID || operation_of(c) == FP8MAC_ROWS_TANH;
}

static bool has_three_phases(const fp8mac_cycles_command *c)
{
    const fp8mac_rows_operation operation = operation_of(c);
    return operation == FP8MAC_ROWS_ARGMAX || operation == FP8MAC_ROWS_LAYER_NORM ||
           operation == FP8MAC_ROWS_SOFTMAX || operation == FP8MAC_ROWS_QUANTISE_MX;
}

uint32_t fp8mac_cycles_last_phase(const fp8mac_cycles_command *c)
{
    return has_three_phases(c) ? 2 : has_one_phase(c) ? 0 : 1;
}

static rows_step step_of(const fp8mac_cycles_command *c, uint32_t phase, bool out)
{
    const bool softmax = operation_of(c) == FP8MAC_ROWS_SOFTMAX;
    if (has_one_phase(c)) {
        return operation_of(c) == FP8MAC_ROWS_TANH ? STEP_TANH : STEP_SIGMOID;
    }
    if (fp8mac_cycles_has_blocks(c)) {
        return out ? STEP_RESULT : phase == 0 ? STEP_MAGNITUDE : STEP_OUT;
    }
    if (out) {
        return fp8mac_cycles_is_reduction(c) ? STEP_RESULT : softmax ? STEP_EXP_OUT : STEP_OUT;
    }
    switch (operation_of(c)) {
    case FP8MAC_ROWS_SUM: return STEP_SUM;
    case FP8MAC_ROWS_SUM_OF_SQUARES:
    case FP8MAC_ROWS_RMS_NORM: return STEP_SQUARES;
    case FP8MAC_ROWS_LAYER_NORM: return phase == 0 ? STEP_SUM : STEP_SQUARES;
    case FP8MAC_ROWS_ARGMAX: return phase == 0 ? STEP_MAXIMUM : STEP_FIRST;
    case FP8MAC_ROWS_SOFTMAX: return phase == 0 ? STEP_MAXIMUM : STEP_EXP_SUM;
    case FP8MAC_ROWS_MAGNITUDE:
    case FP8MAC_ROWS_QUANTISE: return STEP_MAGNITUDE;
    default: return STEP_MAXIMUM;
    }
}

void fp8mac_cycles_rows_key(const fp8mac_cycles_command *c, const tile *t, bool out, tile_key *key)
{
    key->step = step_of(c, t->phase, out);
    key->uses_x = key->step != STEP_RESULT;
    key->writes = !fp8mac_cycles_is_statistic(key->step);
    key->blocks = fp8mac_cycles_has_blocks(c);
    key->dense = fp8mac_cycles_is_reduction(c) && c->d_stride == 4 && size_log2(c->d_fmt) == 2;
}

bool fp8mac_cycles_is_centred(const fp8mac_cycles_command *c, const tile *t)
{
    const bool centres =
        operation_of(c) == FP8MAC_ROWS_SOFTMAX || operation_of(c) == FP8MAC_ROWS_LAYER_NORM;
    return centres && t->phase != 0;
}

// MX blocks have conversions alone.
static bool is_plain_quantisation(const fp8mac_cycles_command *c)
{
    return c->scale_a == FP8MAC_FP32_ONE && c->scale_d == FP8MAC_FP32_ONE && c->d_fmt < 4 &&
           c->act == 0 && c->overflow == 0 && c->act_table == 0;
}

// Argmax has no epilogue.
static bool is_plain(const fp8mac_cycles_command *c)
{
    return c->scale_a == FP8MAC_FP32_ONE && c->scale_d == FP8MAC_FP32_ONE && c->d_fmt == 6 &&
           c->act == 0;
}

bool fp8mac_cycles_rows_bad(const parameters *p, const fp8mac_cycles_command *c)
{
    const bool built = p->rows == 4 && p->cols == 4 && p->transfer_rows == 2 && p->max_mn >= 32;
    const bool norm = fp8mac_cycles_is_norm(c);
    const fp8mac_rows_operation operation = operation_of(c);
    return !built || c->row_operation >= FP8MAC_ROWS_OPERATIONS || c->c_en || c->stochastic ||
           c->scale_a_vec || (c->scale_b_vec ? !norm : c->scale_b != FP8MAC_FP32_ONE) ||
           (c->bias_en && operation != FP8MAC_ROWS_LAYER_NORM) ||
           ((norm || has_one_phase(c) || operation == FP8MAC_ROWS_QUANTISE ||
             fp8mac_cycles_has_blocks(c)) &&
            (c->k != 0 || c->causal)) ||
           (operation == FP8MAC_ROWS_ARGMAX && !is_plain(c)) ||
           (fp8mac_cycles_has_blocks(c) && !is_plain_quantisation(c));
}
