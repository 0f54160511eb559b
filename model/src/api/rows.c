// SPDX-License-Identifier: Apache-2.0
// The public row commands: their arguments are checked, then the definition computes them.
#include "core/rows_definition.h"

#include "api/checks.h"
#include "core/environment.h"

typedef fp8mac_rows_desc rows_desc;

static bool has_factor(fp8mac_rows_operation operation)
{
    return !fp8mac_rows_is_norm(operation) && operation != FP8MAC_ROWS_ARGMAX &&
           !fp8mac_rows_is_quantise(operation);
}

static fp8mac_status check_pointers(const rows_desc *desc)
{
    const bool scales = desc->operation == FP8MAC_ROWS_QUANTISE_MX;
    return desc->x == NULL || desc->d == NULL || (scales && desc->scales == NULL) ? FP8MAC_ERR_NULL
                                                                                  : FP8MAC_OK;
}

// What argmax does not have: the epilogue.
static bool has_epilogue(const rows_desc *desc)
{
    return desc->activation != FP8MAC_ACT_NONE || desc->d_format != NULL || desc->scale_d != NULL ||
           desc->d_table != NULL || desc->d_mode.rounding != FP8MAC_ROUND_NEAREST_EVEN ||
           desc->d_mode.overflow != FP8MAC_OVERFLOW_SATURATE;
}

// Quantise MX has no options, others have no scales.
static bool scales_are_wrong(const rows_desc *desc)
{
    if (desc->operation != FP8MAC_ROWS_QUANTISE_MX) {
        return desc->scales != NULL || desc->lds != 0;
    }
    return desc->activation != FP8MAC_ACT_NONE || desc->scale_d != NULL || desc->d_table != NULL ||
           desc->d_mode.rounding != FP8MAC_ROUND_NEAREST_EVEN ||
           desc->d_mode.overflow != FP8MAC_OVERFLOW_SATURATE;
}

// What the operation does not have is absent.
static fp8mac_status check_operation(const rows_desc *desc)
{
    if ((unsigned)desc->operation >= FP8MAC_ROWS_OPERATIONS) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    const bool norm = fp8mac_rows_is_norm(desc->operation);
    const bool affine = desc->gamma != NULL || desc->beta != NULL;
    const bool unmasked =
        norm || fp8mac_rows_is_curve(desc->operation) || fp8mac_rows_is_quantise(desc->operation);
    const bool wrong = (unmasked && (desc->seen != 0 || desc->causal)) ||
                       (!norm && (affine || fp8mac_float_bits(desc->eps) != 0)) ||
                       (desc->operation == FP8MAC_ROWS_RMS_NORM && desc->beta != NULL) ||
                       (!has_factor(desc->operation) && desc->factor != NULL) ||
                       (desc->base2 && desc->operation != FP8MAC_ROWS_SOFTMAX) ||
                       (desc->operation == FP8MAC_ROWS_ARGMAX && has_epilogue(desc)) ||
                       scales_are_wrong(desc);
    return wrong ? FP8MAC_ERR_UNSUPPORTED : FP8MAC_OK;
}

static fp8mac_status check_formats(const rows_desc *desc)
{
    if (!fp8mac_is_array_format(desc->x_format)) {
        return FP8MAC_ERR_FORMAT;
    }
    if (desc->operation == FP8MAC_ROWS_ARGMAX) {
        return FP8MAC_OK;
    }
    if (!fp8mac_is_array_format(desc->d_format) ||
        (desc->operation == FP8MAC_ROWS_QUANTISE_MX && !fp8mac_is_fp8_format(desc->d_format)) ||
        (desc->d_table != NULL && fp8mac_format_bytes(desc->d_format) != 1)) {
        return FP8MAC_ERR_FORMAT;
    }
    return fp8mac_convert_mode_validate(desc->d_format, desc->d_mode);
}

enum { INPUTS = 6 };

static fp8mac_matrix d_of(const rows_desc *desc)
{
    const size_t columns = fp8mac_rows_is_reduction(desc->operation) ? 1 : desc->cols;
    const unsigned bytes = desc->operation == FP8MAC_ROWS_ARGMAX
                               ? (unsigned)sizeof(uint32_t)
                               : fp8mac_format_bytes(desc->d_format);
    return (fp8mac_matrix){desc->d, desc->rows, columns, desc->ldd, bytes};
}

static fp8mac_matrix scales_of(const rows_desc *desc)
{
    return (fp8mac_matrix){desc->scales, desc->rows, fp8mac_rows_blocks(desc->cols), desc->lds, 1};
}

// Scales lie beside D and X.
static fp8mac_status check_scales_of_blocks(const rows_desc *desc, const fp8mac_matrix *d,
                                            const fp8mac_matrix *x)
{
    const fp8mac_matrix scales = scales_of(desc);
    const fp8mac_status status = desc->scales == NULL ? FP8MAC_OK : fp8mac_check_matrix(&scales);
    if (status != FP8MAC_OK || desc->scales == NULL) {
        return status;
    }
    return fp8mac_matrices_overlap(&scales, d) || fp8mac_matrices_overlap(&scales, x)
               ? FP8MAC_ERR_OVERLAP
               : FP8MAC_OK;
}

static bool is_in_place(const fp8mac_matrix *d, const fp8mac_matrix *x)
{
    return d->at == x->at && d->used == x->used && d->stride == x->stride && d->bytes == x->bytes;
}

static fp8mac_status check_shape(const rows_desc *desc)
{
    if (desc->rows == 0 || desc->cols == 0 || desc->cols > FP8MAC_ROWS_MAX_COLS ||
        desc->seen > desc->cols) {
        return FP8MAC_ERR_SHAPE;
    }
    const fp8mac_matrix d = d_of(desc);
    const fp8mac_matrix inputs[INPUTS] = {
        {desc->x, desc->rows, desc->cols, desc->ldx, fp8mac_format_bytes(desc->x_format)},
        {desc->gamma, 1, desc->cols, desc->cols, sizeof(float)},
        {desc->beta, 1, desc->cols, desc->cols, sizeof(float)},
        {desc->factor, 1, 1, 1, sizeof(float)},
        {desc->scale_d, 1, 1, 1, sizeof(float)},
        {desc->d_table, 1, FP8MAC_TABLE_CODES, FP8MAC_TABLE_CODES, 1},
    };
    fp8mac_status status = fp8mac_check_matrix(&d);
    if (status == FP8MAC_OK) {
        status = fp8mac_check_matrix(&inputs[0]);
    }
    for (size_t i = 0; i < INPUTS && status == FP8MAC_OK; i++) {
        const bool allowed = inputs[i].at == NULL || (i == 0 && is_in_place(&d, &inputs[0]));
        status = !allowed && fp8mac_matrices_overlap(&d, &inputs[i]) ? FP8MAC_ERR_OVERLAP : status;
    }
    return status == FP8MAC_OK ? check_scales_of_blocks(desc, &d, &inputs[0]) : status;
}

static fp8mac_status check_one_scale(const float *value)
{
    return value == NULL ? FP8MAC_OK
                         : fp8mac_check_scale((fp8mac_scale){FP8MAC_SCALE_TENSOR, value}, 1);
}

static fp8mac_status check_scales(const rows_desc *desc)
{
    const fp8mac_status status = check_one_scale(desc->factor);
    const uint32_t eps = fp8mac_float_bits(desc->eps);
    if (status != FP8MAC_OK || (eps != 0 && !fp8mac_fp32_is_scale(eps))) {
        return FP8MAC_ERR_SCALE;
    }
    return check_one_scale(desc->scale_d);
}

static fp8mac_status check_activation(const rows_desc *desc)
{
    return fp8mac_check_activation(desc->activation, desc->clamp_lo, desc->clamp_hi);
}

static fp8mac_status check(const rows_desc *desc)
{
    fp8mac_status (*const checks[])(const rows_desc *) = {check_pointers, check_operation,
                                                          check_formats,  check_shape,
                                                          check_scales,   check_activation};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const fp8mac_status status = checks[i](desc);
        if (status != FP8MAC_OK) {
            return status;
        }
    }
    return FP8MAC_OK;
}

FP8MAC_APART static fp8mac_status rows_run(const rows_desc *desc, fp8mac_gemm_result *result)
{
    if (desc == NULL) {
        return FP8MAC_ERR_NULL;
    }
    const fp8mac_status status = check(desc);
    if (status != FP8MAC_OK) {
        return status;
    }
    fp8mac_gemm_totals totals = {0};
    fp8mac_rows_defined(desc, &totals);
    if (result != NULL) {
        *result = (fp8mac_gemm_result){fp8mac_float_from_bits(totals.amax), totals.amax_nonfinite,
                                       totals.flags};
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_rows(const fp8mac_rows_desc *desc, fp8mac_gemm_result *result)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status, rows_run(desc, result));
}
