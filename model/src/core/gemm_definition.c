// SPDX-License-Identifier: Apache-2.0
// A GEMM by its definition: one output after the other.
#include "core/gemm_definition.h"

#include "core/dot_engine.h"

static uint32_t scale_at(fp8mac_scale scale, size_t index)
{
    switch (scale.mode) {
    case FP8MAC_SCALE_TENSOR: return fp8mac_float_bits(scale.values[0]);
    case FP8MAC_SCALE_VECTOR: return fp8mac_float_bits(scale.values[index]);
    default: return FP8MAC_FP32_ONE;
    }
}

// C[m][n] as FP32, which holds every value of C's formats. A NaN is flagged by the epilogue.
static uint32_t c_at(const fp8mac_gemm_desc *desc, size_t m, size_t n)
{
    if (desc->beta == 0) {
        return 0;
    }
    uint32_t code =
        fp8mac_load_code(desc->c, m * desc->ldc + n, fp8mac_format_bytes(desc->c_format));
    return fp8mac_encode(fp8mac_format_get(FP8MAC_FP32), fp8mac_decode(desc->c_format, code),
                         (fp8mac_convert_mode){FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE},
                         NULL);
}

fp8mac_epilogue fp8mac_gemm_epilogue(const fp8mac_gemm_desc *desc)
{
    return (fp8mac_epilogue){
        .has_bias = desc->bias != NULL,
        .activation = desc->activation,
        .clamp_lo = desc->clamp_lo,
        .clamp_hi = desc->clamp_hi,
        .beta = desc->beta,
        .d_format = desc->d_format,
        .d_mode = desc->d_mode,
        .scale_d = desc->scale_d != NULL ? *desc->scale_d : 1.0f,
        .d_table = desc->d_table,
    };
}

static fp8mac_dot_terms row_of(const fp8mac_gemm_operand *operand, size_t row)
{
    return (fp8mac_dot_terms){
        .codes = operand->codes + row * operand->stride,
        .mx = operand->mx == NULL ? NULL : operand->mx + row * operand->mx_stride,
    };
}

// t0 of one output, all of its K.
static uint32_t accumulate(const fp8mac_gemm_desc *desc, const fp8mac_dot_engine *engine, size_t m,
                           size_t n, fp8mac_flags *flags)
{
    fp8mac_acc acc = {.m = desc->origin_m + (uint32_t)m, .n = desc->origin_n + (uint32_t)n};
    if (desc->acc != NULL) {
        unsigned bytes = fp8mac_format_bytes(fp8mac_acc_loaded_format(&desc->dot));
        (void)fp8mac_acc_load(&desc->dot, &acc,
                              fp8mac_load_code(desc->acc, m * desc->ldacc + n, bytes));
    }
    fp8mac_dot_engine_run_mx(engine, &acc, row_of(&desc->a, m), row_of(&desc->b, n), desc->k,
                             flags);
    return fp8mac_acc_to_fp32(&desc->dot, &acc, flags);
}

static fp8mac_round_mode d_round_mode(const fp8mac_gemm_desc *desc, size_t m, size_t n)
{
    fp8mac_round_mode mode = {.rounding = desc->d_mode.rounding};
    if (mode.rounding == FP8MAC_ROUND_STOCHASTIC) {
        mode.n = desc->d_random_bits;
        mode.r =
            fp8mac_generator_bits(desc->d_generator, desc->dot.seed, desc->origin_m + (uint32_t)m,
                                  desc->origin_n + (uint32_t)n, 0, FP8MAC_RANDOM_OUTPUT, mode.n);
    }
    return mode;
}

// The code of D. nan_code replaces a NaN if D has the accumulator's format.
static uint32_t d_code(const fp8mac_gemm_desc *desc, uint32_t code)
{
    const fp8mac_format *row = fp8mac_acc_code_format(desc->dot.acc_format);
    bool own = desc->dot.nan_code != 0 && row != NULL &&
               desc->d_format->exponent_bits == row->exponent_bits &&
               desc->d_format->mantissa_bits == row->mantissa_bits;
    return own && fp8mac_decode(desc->d_format, code).cls == FP8MAC_CLASS_NAN ? desc->dot.nan_code
                                                                              : code;
}

void fp8mac_gemm_finish(const fp8mac_gemm_desc *desc, const fp8mac_epilogue *epilogue, size_t m,
                        size_t n, uint32_t t0, fp8mac_gemm_totals *totals)
{
    uint32_t bias = desc->bias != NULL ? fp8mac_float_bits(desc->bias[n]) : 0;
    uint32_t d =
        fp8mac_epilogue_rounded(epilogue, d_round_mode(desc, m, n), t0, scale_at(desc->a.scale, m),
                                scale_at(desc->b.scale, n), bias, c_at(desc, m, n), &totals->amax,
                                &totals->amax_nonfinite, &totals->flags);
    fp8mac_store_code(desc->d, m * desc->ldd + n, fp8mac_format_bytes(desc->d_format),
                      d_code(desc, d));
}

void fp8mac_gemm_defined(const fp8mac_gemm_desc *desc, fp8mac_gemm_totals *totals)
{
    fp8mac_dot_engine engine;
    fp8mac_dot_engine_init(&engine, &desc->dot);
    fp8mac_epilogue epilogue = fp8mac_gemm_epilogue(desc);
    for (size_t m = 0; m < desc->m; m++) {
        for (size_t n = 0; n < desc->n; n++) {
            uint32_t t0 = accumulate(desc, &engine, m, n, &totals->flags);
            fp8mac_gemm_finish(desc, &epilogue, m, n, t0, totals);
        }
    }
}

static fp8mac_gemm_operand from_row(fp8mac_gemm_operand operand, size_t row)
{
    const fp8mac_dot_terms first = row_of(&operand, row);
    operand.codes = first.codes;
    operand.mx = first.mx;
    if (operand.scale.mode == FP8MAC_SCALE_VECTOR) {
        operand.scale.values += row;
    }
    return operand;
}

fp8mac_gemm_desc fp8mac_gemm_part(const fp8mac_gemm_desc *desc, size_t m0, size_t m, size_t n0,
                                  size_t n)
{
    fp8mac_gemm_desc part = *desc;
    part.m = m;
    part.n = n;
    part.a = from_row(desc->a, m0);
    part.b = from_row(desc->b, n0);
    if (desc->bias != NULL) {
        part.bias += n0;
    }
    if (desc->beta != 0) {
        part.c =
            (const uint8_t *)desc->c + (m0 * desc->ldc + n0) * fp8mac_format_bytes(desc->c_format);
    }
    if (desc->acc != NULL) {
        part.acc =
            (const uint8_t *)desc->acc +
            (m0 * desc->ldacc + n0) * fp8mac_format_bytes(fp8mac_acc_loaded_format(&desc->dot));
    }
    part.d = (uint8_t *)desc->d + (m0 * desc->ldd + n0) * fp8mac_format_bytes(desc->d_format);
    part.origin_m += (uint32_t)m0;
    part.origin_n += (uint32_t)n0;
    return part;
}
