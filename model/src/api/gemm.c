// SPDX-License-Identifier: Apache-2.0
// The public GEMM: its arguments are checked, then threads share the work.
#include "api/checks.h"
#include "api/threads.h"
#include "core/dot_engine.h"
#include "core/environment.h"

static bool is_missing(const fp8mac_gemm_operand *operand)
{
    return operand->codes == NULL ||
           (operand->scale.mode != FP8MAC_SCALE_NONE && operand->scale.values == NULL);
}

static fp8mac_status validate_pointers(const fp8mac_gemm_desc *desc)
{
    bool missing = is_missing(&desc->a) || is_missing(&desc->b) || desc->d == NULL ||
                   (desc->beta != 0 && desc->c == NULL);
    return missing ? FP8MAC_ERR_NULL : FP8MAC_OK;
}

// D may be rounded stochastically too, because fp8mac_gemm draws the random bits.
static fp8mac_status validate_d(const fp8mac_gemm_desc *desc)
{
    fp8mac_convert_mode mode = desc->d_mode;
    bool stochastic = mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    bool bits_fit =
        stochastic ? fp8mac_generator_gives(desc->d_generator, desc->d_random_bits, 0)
                   : desc->d_random_bits == 0 && desc->d_generator == FP8MAC_GENERATOR_THREEFRY;
    if (desc->d_table != NULL && fp8mac_format_bytes(desc->d_format) != 1) {
        return FP8MAC_ERR_FORMAT;
    }
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
    bool scaled = fp8mac_gemm_has_mx(desc);
    bool has_static_exponent = desc->dot.acc_format == FP8MAC_ACC_FIXED && desc->dot.frac_bits != 0;
    if (has_static_exponent ||
        (desc->acc != NULL && fp8mac_acc_loaded_format(&desc->dot) == NULL) ||
        (scaled && fp8mac_acc_rounded_format(desc->dot.acc_format) == NULL)) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    if (!fp8mac_is_array_format(desc->d_format) ||
        (desc->beta != 0 && !fp8mac_is_array_format(desc->c_format))) {
        return FP8MAC_ERR_FORMAT;
    }
    return validate_d(desc);
}

// ---- the matrices in memory ---------------------------------------------------------------------

enum { OF_OPERAND = 3, OTHERS = 6, MATRIX_D = 0, MATRICES = OTHERS + 2 * OF_OPERAND };

static void list_operand(const fp8mac_gemm_operand *x, size_t rows, size_t k,
                         fp8mac_matrix list[OF_OPERAND])
{
    const size_t blocks = k / FP8MAC_MX_BLOCK + (k % FP8MAC_MX_BLOCK != 0),
                 scales = x->scale.mode == FP8MAC_SCALE_VECTOR ? rows : 1;
    const float *values = x->scale.mode == FP8MAC_SCALE_NONE ? NULL : x->scale.values;
    list[0] = (fp8mac_matrix){x->codes, rows, k, x->stride, 1};
    list[1] = (fp8mac_matrix){values, 1, scales, scales, sizeof(float)};
    list[2] = (fp8mac_matrix){x->mx, rows, blocks, x->mx_stride, 1};
}

// D comes first, then the inputs.
static void list_matrices(const fp8mac_gemm_desc *desc, fp8mac_matrix list[MATRICES])
{
    bool has_c = desc->beta != 0;
    const unsigned c_bytes = has_c ? fp8mac_format_bytes(desc->c_format) : 1,
                   acc_bytes = desc->acc != NULL
                                   ? fp8mac_format_bytes(fp8mac_acc_loaded_format(&desc->dot))
                                   : 1;
    const fp8mac_matrix others[OTHERS] = {
        {desc->d, desc->m, desc->n, desc->ldd, fp8mac_format_bytes(desc->d_format)},
        {has_c ? desc->c : NULL, desc->m, desc->n, desc->ldc, c_bytes},
        {desc->acc, desc->m, desc->n, desc->ldacc, acc_bytes},
        {desc->bias, 1, desc->n, desc->n, sizeof(float)},
        {desc->scale_d, 1, 1, 1, sizeof(float)},
        {desc->d_table, 1, FP8MAC_TABLE_CODES, FP8MAC_TABLE_CODES, 1},
    };
    memcpy(list, others, sizeof others);
    list_operand(&desc->a, desc->m, desc->k, list + OTHERS);
    list_operand(&desc->b, desc->n, desc->k, list + OTHERS + OF_OPERAND);
}

// Both origins and all of D are within the generator's counter.
static bool origin_fits(uint32_t origin, size_t size)
{
    return size - 1 <= UINT32_MAX - origin;
}

static fp8mac_status validate_shape(const fp8mac_gemm_desc *desc)
{
    if (desc->m == 0 || desc->n == 0 || desc->k == 0 || !origin_fits(desc->origin_m, desc->m) ||
        !origin_fits(desc->origin_n, desc->n)) {
        return FP8MAC_ERR_SHAPE;
    }
    fp8mac_matrix list[MATRICES];
    list_matrices(desc, list);
    for (size_t i = 0; i < MATRICES; i++) {
        fp8mac_status status = list[i].at == NULL ? FP8MAC_OK : fp8mac_check_matrix(&list[i]);
        if (status != FP8MAC_OK) {
            return status;
        }
    }
    for (size_t i = MATRIX_D + 1; i < MATRICES; i++) {
        if (list[i].at != NULL && fp8mac_matrices_overlap(&list[MATRIX_D], &list[i])) {
            return FP8MAC_ERR_OVERLAP;
        }
    }
    return fp8mac_dot_k_fits(&desc->dot, 0, desc->k) ? FP8MAC_OK : FP8MAC_ERR_K_LIMIT;
}

// ---- the epilogue's arguments -------------------------------------------------------------------

static fp8mac_status validate_scales(const fp8mac_gemm_desc *desc)
{
    fp8mac_status status = fp8mac_check_scale(desc->a.scale, desc->m);
    if (status == FP8MAC_OK) {
        status = fp8mac_check_scale(desc->b.scale, desc->n);
    }
    if (status == FP8MAC_OK && desc->scale_d != NULL) {
        status = fp8mac_check_scale((fp8mac_scale){FP8MAC_SCALE_TENSOR, desc->scale_d}, 1);
    }
    return status;
}

static fp8mac_status validate_activation(const fp8mac_gemm_desc *desc)
{
    return fp8mac_check_activation(desc->activation, desc->clamp_lo, desc->clamp_hi);
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

FP8MAC_APART static fp8mac_status gemm_run(const fp8mac_gemm_desc *desc, const fp8mac_run *run,
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

fp8mac_status fp8mac_gemm_run(const fp8mac_gemm_desc *desc, const fp8mac_run *run,
                              fp8mac_gemm_result *result)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status, gemm_run(desc, run, result));
}

fp8mac_status fp8mac_gemm(const fp8mac_gemm_desc *desc, fp8mac_gemm_result *result)
{
    return fp8mac_gemm_run(desc, NULL, result);
}
