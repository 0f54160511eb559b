// SPDX-License-Identifier: Apache-2.0
// Row commands: their phases and what they must not have (fp8mac_cmd_pkg, fp8mac_cmd_check).
#include "command/tiles.h"

static bool is_curve(const fp8mac_command *c)
{
    return c->mode.row_op == FP8MAC_ROWS_SIGMOID || c->mode.row_op == FP8MAC_ROWS_TANH;
}

uint32_t fp8mac_rows_last_phase(const fp8mac_command *c)
{
    switch (c->mode.row_op) {
    case FP8MAC_ROWS_SIGMOID:
    case FP8MAC_ROWS_TANH: return 0;
    case FP8MAC_ROWS_ARGMAX:
    case FP8MAC_ROWS_LAYER_NORM:
    case FP8MAC_ROWS_SOFTMAX:
    case FP8MAC_ROWS_QUANTISE_MX: return 2;
    default: return 1;
    }
}

static fp8mac_rows_step last_step(const fp8mac_command *c)
{
    if (fp8mac_command_writes_scales(c) || fp8mac_command_is_reduction(c)) {
        return FP8MAC_STEP_RESULT;
    }
    return c->mode.row_op == FP8MAC_ROWS_SOFTMAX ? FP8MAC_STEP_EXP_OUT : FP8MAC_STEP_OUT;
}

fp8mac_rows_step fp8mac_rows_step_of(const fp8mac_command *c, uint32_t phase)
{
    if (is_curve(c)) {
        return c->mode.row_op == FP8MAC_ROWS_TANH ? FP8MAC_STEP_TANH : FP8MAC_STEP_SIGMOID;
    }
    if (phase == fp8mac_rows_last_phase(c)) {
        return last_step(c);
    }
    switch (c->mode.row_op) {
    case FP8MAC_ROWS_SUM: return FP8MAC_STEP_SUM;
    case FP8MAC_ROWS_SUM_OF_SQUARES:
    case FP8MAC_ROWS_RMS_NORM: return FP8MAC_STEP_SQUARES;
    case FP8MAC_ROWS_LAYER_NORM: return phase == 0 ? FP8MAC_STEP_SUM : FP8MAC_STEP_SQUARES;
    case FP8MAC_ROWS_ARGMAX: return phase == 0 ? FP8MAC_STEP_MAXIMUM : FP8MAC_STEP_FIRST;
    case FP8MAC_ROWS_SOFTMAX: return phase == 0 ? FP8MAC_STEP_MAXIMUM : FP8MAC_STEP_EXP_SUM;
    case FP8MAC_ROWS_QUANTISE_MX: return phase == 0 ? FP8MAC_STEP_MAGNITUDE : FP8MAC_STEP_OUT;
    case FP8MAC_ROWS_MAGNITUDE:
    case FP8MAC_ROWS_QUANTISE: return FP8MAC_STEP_MAGNITUDE;
    default: return FP8MAC_STEP_MAXIMUM;
    }
}

// No epilogue beside the conversion to D
static bool is_unscaled(const fp8mac_command *c)
{
    return (uint32_t)c->a.scale == FP8MAC_COMMAND_ONE && c->d.scale == FP8MAC_COMMAND_ONE &&
           c->finish.act == FP8MAC_ACT_NONE;
}

// MX blocks have conversions alone.
static bool is_plain_quantisation(const fp8mac_command *c)
{
    return is_unscaled(c) && c->d.fmt <= FP8MAC_E5M2FNUZ &&
           c->finish.overflow == FP8MAC_OVERFLOW_SATURATE &&
           c->finish.act_table == FP8MAC_D_TABLE_NONE;
}

bool fp8mac_rows_mode_bad(const fp8mac_command *c)
{
    const bool norm = fp8mac_command_is_norm(c), blocks = fp8mac_command_writes_scales(c);
    const bool sees_all = norm || blocks || is_curve(c) || c->mode.row_op == FP8MAC_ROWS_QUANTISE;
    return c->mode.row_op >= FP8MAC_ROWS_OPERATIONS || c->c.en || c->finish.stochastic ||
           c->a.scale_vec ||
           (c->b.scale_vec ? !norm : (uint32_t)c->b.scale != FP8MAC_COMMAND_ONE) ||
           (c->finish.bias_en && c->mode.row_op != FP8MAC_ROWS_LAYER_NORM) ||
           (sees_all && (c->k != 0 || c->mode.causal)) ||
           (c->mode.row_op == FP8MAC_ROWS_ARGMAX && !(is_unscaled(c) && c->d.fmt == FP8MAC_FP32)) ||
           (blocks && !is_plain_quantisation(c));
}
