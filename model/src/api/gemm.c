// SPDX-License-Identifier: Apache-2.0
// The public GEMM: its arguments are checked, then threads share the work.
#include "api/threads.h"
#include "core/dot_engine.h"

static fp8mac_status validate_pointers(const fp8mac_gemm_desc *desc)
{
    bool missing = desc->a == NULL || desc->b == NULL || desc->d == NULL ||
                   (desc->beta != 0 && desc->c == NULL) ||
                   (desc->scale_a.mode != FP8MAC_SCALE_NONE && desc->scale_a.values == NULL) ||
                   (desc->scale_b.mode != FP8MAC_SCALE_NONE && desc->scale_b.values == NULL);
    return missing ? FP8MAC_ERR_NULL : FP8MAC_OK;
}

// D may be rounded stochastically too, because fp8mac_gemm draws the random bits.
static fp8mac_status validate_d(const fp8mac_gemm_desc *desc)
{
    fp8mac_convert_mode mode = desc->d_mode;
    bool stochastic = mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    bool bits_fit = stochastic
                        ? desc->d_random_bits >= 1 && desc->d_random_bits <= FP8MAC_RANDOM_BITS_MAX
                        : desc->d_random_bits == 0;
    if (stochastic) {
        mode.rounding = FP8MAC_ROUND_NEAREST_EVEN;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(desc->d_format, mode);
    return status == FP8MAC_OK && !bits_fit ? FP8MAC_ERR_ROUNDING : status;
}

static fp8mac_status validate_formats(const fp8mac_gemm_desc *desc)
{
    fp8mac_status status = fp8mac_dot_config_validate(&desc->dot);
    if (status != FP8MAC_OK) {
        return status;
    }
    bool scaled = desc->mx_a != NULL || desc->mx_b != NULL;
    bool has_static_exponent = desc->dot.acc_format == FP8MAC_ACC_FIXED && desc->dot.frac_bits != 0;
    if (has_static_exponent ||
        (scaled && fp8mac_acc_rounded_format(desc->dot.acc_format) == NULL)) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    if (desc->beta != 0 && (fp8mac_format_validate(desc->c_format) != FP8MAC_OK ||
                            !fp8mac_format_is_wide(desc->c_format))) {
        return FP8MAC_ERR_FORMAT;
    }
    return validate_d(desc);
}

// Rows of `used` elements, `stride` apart. The last element's index and byte offset must fit a
// size_t.
static fp8mac_status validate_matrix(size_t rows, size_t used, size_t stride, unsigned bytes)
{
    if (stride < used) {
        return FP8MAC_ERR_STRIDE;
    }
    size_t room = SIZE_MAX / bytes;
    return used > room || (rows > 1 && stride > (room - used) / (rows - 1)) ? FP8MAC_ERR_SHAPE
                                                                            : FP8MAC_OK;
}

static fp8mac_status validate_shape(const fp8mac_gemm_desc *desc)
{
    if (desc->m == 0 || desc->n == 0 || desc->k == 0) {
        return FP8MAC_ERR_SHAPE;
    }
    fp8mac_status status = validate_matrix(desc->m, desc->k, desc->lda, 1);
    if (status == FP8MAC_OK) {
        status = validate_matrix(desc->n, desc->k, desc->ldb, 1);
    }
    if (status == FP8MAC_OK && desc->beta != 0) {
        status = validate_matrix(desc->m, desc->n, desc->ldc, fp8mac_format_bytes(desc->c_format));
    }
    if (status == FP8MAC_OK) {
        status = validate_matrix(desc->m, desc->n, desc->ldd, fp8mac_format_bytes(desc->d_format));
    }
    size_t blocks = desc->k / FP8MAC_MX_BLOCK + (desc->k % FP8MAC_MX_BLOCK != 0);
    if (status == FP8MAC_OK && desc->mx_a != NULL) {
        status = validate_matrix(desc->m, blocks, desc->ldmx_a, 1);
    }
    if (status == FP8MAC_OK && desc->mx_b != NULL) {
        status = validate_matrix(desc->n, blocks, desc->ldmx_b, 1);
    }
    if (status == FP8MAC_OK && !fp8mac_dot_k_fits(&desc->dot, 0, desc->k)) {
        status = FP8MAC_ERR_K_LIMIT;
    }
    return status;
}

static fp8mac_status validate_scale(fp8mac_scale scale, size_t rows)
{
    size_t used;
    switch (scale.mode) {
    case FP8MAC_SCALE_NONE: used = 0; break;
    case FP8MAC_SCALE_TENSOR: used = 1; break;
    case FP8MAC_SCALE_VECTOR: used = rows; break;
    default: return FP8MAC_ERR_SCALE;
    }
    for (size_t i = 0; i < used; i++) {
        if (!fp8mac_fp32_is_scale(fp8mac_float_bits(scale.values[i]))) {
            return FP8MAC_ERR_SCALE;
        }
    }
    return FP8MAC_OK;
}

static fp8mac_status validate_scales(const fp8mac_gemm_desc *desc)
{
    fp8mac_status status = validate_scale(desc->scale_a, desc->m);
    if (status == FP8MAC_OK) {
        status = validate_scale(desc->scale_b, desc->n);
    }
    if (status == FP8MAC_OK && desc->scale_d != NULL) {
        status = validate_scale((fp8mac_scale){FP8MAC_SCALE_TENSOR, desc->scale_d}, 1);
    }
    return status;
}

static fp8mac_status validate_activation(const fp8mac_gemm_desc *desc)
{
    if ((unsigned)desc->activation > FP8MAC_ACT_CLAMP) {
        return FP8MAC_ERR_ACTIVATION;
    }
    bool finite = fp8mac_fp32_is_finite(fp8mac_float_bits(desc->clamp_lo)) &&
                  fp8mac_fp32_is_finite(fp8mac_float_bits(desc->clamp_hi));
    if (desc->activation == FP8MAC_ACT_CLAMP && (!finite || desc->clamp_lo > desc->clamp_hi)) {
        return FP8MAC_ERR_ACTIVATION;
    }
    return FP8MAC_OK;
}

static fp8mac_status validate(const fp8mac_gemm_desc *desc)
{
    fp8mac_status (*const checks[])(const fp8mac_gemm_desc *) = {
        validate_pointers, validate_formats, validate_shape, validate_scales, validate_activation};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        fp8mac_status status = checks[i](desc);
        if (status != FP8MAC_OK) {
            return status;
        }
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_gemm_run(const fp8mac_gemm_desc *desc, const fp8mac_run *run,
                              fp8mac_gemm_result *result)
{
    if (desc == NULL) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_run how = run != NULL ? *run : (fp8mac_run){.isa = FP8MAC_ISA_BEST};
    const fp8mac_kernels *kernels;
    fp8mac_status status =
        fp8mac_kernels_find(how.isa, &kernels) ? validate(desc) : FP8MAC_ERR_UNSUPPORTED;
    if (status != FP8MAC_OK) {
        return status;
    }
    fp8mac_gemm_totals totals = {0};
    fp8mac_gemm_threads(desc, kernels, how.threads, &totals);
    if (result != NULL) {
        *result = (fp8mac_gemm_result){fp8mac_float_from_bits(totals.amax), totals.amax_nonfinite,
                                       totals.flags};
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_gemm(const fp8mac_gemm_desc *desc, fp8mac_gemm_result *result)
{
    return fp8mac_gemm_run(desc, NULL, result);
}
