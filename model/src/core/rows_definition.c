// SPDX-License-Identifier: Apache-2.0
// Row commands, one row after the other. Terms are computed again where they are needed
// again, so no memory is.
#include "core/rows_definition.h"

#include "core/function.h"
#include "fp8mac/recipe_published.h"

enum { LANES = 4, PARTIAL_SUMS = 16, CODES = 256, SCALE_NAN = 255, GAIN_OF_SCALE_0 = 254 };
#define NEGATIVE_ZERO 0x80000000u
#define NEGATIVE_INF 0xff800000u
#define LEAST_MAGNITUDE 0x0d800000u // 2^-100

// A row and what its terms depend on.
typedef struct row {
    const fp8mac_rows_desc *desc;
    const uint32_t *values; // of each code of one byte
    size_t m, cols;
    uint32_t offset; // what is subtracted: the mean, the maximum
    uint32_t factor; // softmax: of the difference; sigmoid, tanh: of the value
    fp8mac_gemm_totals *totals;
} row;

typedef uint32_t term(const row *r, size_t i);

// ---- operations ---------------------------------------------------------------------------------
// The host's, unless the result is special: then those in integers, which know flags and NaN.

static uint32_t add(const row *r, uint32_t a, uint32_t b)
{
    const float sum = fp8mac_float_from_bits(a) + fp8mac_float_from_bits(b);
    const uint32_t bits = fp8mac_float_bits(sum);
    return fp8mac_fp32_is_finite(bits) ? bits : fp8mac_fp32_add(a, b, &r->totals->flags);
}

static uint32_t multiply(const row *r, uint32_t a, uint32_t b)
{
    const float product = fp8mac_float_from_bits(a) * fp8mac_float_from_bits(b);
    const uint32_t bits = fp8mac_float_bits(product);
    return fp8mac_fp32_is_finite(bits) ? bits : fp8mac_fp32_mul(a, b, &r->totals->flags);
}

static uint32_t subtract(const row *r, uint32_t a, uint32_t b)
{
    return add(r, a, b ^ NEGATIVE_ZERO);
}

// ---- values -------------------------------------------------------------------------------------

// FP32 holds every value of X's formats.
static uint32_t widen(const fp8mac_format *format, uint32_t code)
{
    return fp8mac_encode_independent(fp8mac_format_get(FP8MAC_FP32), fp8mac_decode(format, code),
                                     FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE, NULL);
}

static uint32_t value_at(const row *r, size_t i)
{
    const fp8mac_format *format = r->desc->x_format;
    const unsigned bytes = fp8mac_format_bytes(format);
    const uint32_t code = fp8mac_load_code(r->desc->x, r->m * r->desc->ldx + i, bytes);
    const uint32_t x = bytes == 1 ? r->values[code] : bytes == 4 ? code : widen(format, code);
    if (fp8mac_fp32_is_nan(x)) {
        fp8mac_raise(&r->totals->flags, FP8MAC_FLAG_NAN);
        return FP8MAC_FP32_NAN;
    }
    return x;
}

static uint32_t magnitude_at(const row *r, size_t i)
{
    return value_at(r, i) & ~NEGATIVE_ZERO;
}

static uint32_t square_at(const row *r, size_t i)
{
    const uint32_t x = value_at(r, i);
    return multiply(r, x, x);
}

static uint32_t deviation_at(const row *r, size_t i)
{
    return subtract(r, value_at(r, i), r->offset);
}

static uint32_t square_of_deviation_at(const row *r, size_t i)
{
    const uint32_t d = deviation_at(r, i);
    return multiply(r, d, d);
}

static uint32_t exponential_at(const row *r, size_t i)
{
    const uint32_t power = multiply(r, deviation_at(r, i), r->factor);
    return fp8mac_exp2_of(power, &r->totals->flags);
}

static uint32_t sigmoid_at(const row *r, size_t i)
{
    return fp8mac_sigmoid_of(multiply(r, value_at(r, i), r->factor));
}

static uint32_t tanh_at(const row *r, size_t i)
{
    return fp8mac_tanh_of(multiply(r, value_at(r, i), r->factor));
}

// ---- sums and maxima ----------------------------------------------------------------------------

// The partial sums of a lane one after the other, then a tree of the lanes
static uint32_t sum_of_partial(const row *r, const uint32_t partial[PARTIAL_SUMS])
{
    uint32_t lane[LANES];
    for (size_t l = 0; l < LANES; l++) {
        lane[l] = partial[l];
        for (size_t i = l + LANES; i < PARTIAL_SUMS; i += LANES) {
            lane[l] = add(r, lane[l], partial[i]);
        }
    }
    return add(r, add(r, lane[0], lane[1]), add(r, lane[2], lane[3]));
}

static uint32_t sum_of(const row *r, term *term)
{
    uint32_t partial[PARTIAL_SUMS];
    for (size_t i = 0; i < PARTIAL_SUMS; i++) {
        partial[i] = NEGATIVE_ZERO;
    }
    for (size_t i = 0; i < r->cols; i++) {
        uint32_t *to = &partial[i % PARTIAL_SUMS];
        *to = add(r, *to, term(r, i));
    }
    return sum_of_partial(r, partial);
}

// The order of two numbers, where -0 is below +0.
static bool is_above(uint32_t a, uint32_t b)
{
    const uint32_t x = (a >> 31) != 0 ? ~a : a | NEGATIVE_ZERO;
    const uint32_t y = (b >> 31) != 0 ? ~b : b | NEGATIVE_ZERO;
    return x > y;
}

// Of `least` and the terms
static uint32_t maximum_of(const row *r, term *term, uint32_t least)
{
    uint32_t most = least;
    for (size_t i = 0; i < r->cols; i++) {
        const uint32_t x = term(r, i);
        if (fp8mac_fp32_is_nan(x)) {
            most = x;
        } else if (!fp8mac_fp32_is_nan(most) && is_above(x, most)) {
            most = x;
        }
    }
    return most;
}

static uint32_t largest_of(const row *r)
{
    return maximum_of(r, value_at, NEGATIVE_INF);
}

static uint32_t magnitude_of(const row *r)
{
    return maximum_of(r, magnitude_at, LEAST_MAGNITUDE);
}

static uint32_t first_maximum_of(const row *r)
{
    const uint32_t most = largest_of(r);
    for (size_t i = 0;; i++) {
        const uint32_t x = value_at(r, i);
        if (x == most || ((x | most) << 1) == 0) {
            return (uint32_t)i;
        }
    }
}

// ---- a row --------------------------------------------------------------------------------------

static uint32_t factor_of(const fp8mac_rows_desc *desc)
{
    return desc->factor == NULL ? FP8MAC_FP32_ONE : fp8mac_float_bits(*desc->factor);
}

static uint32_t scale_of_columns(const fp8mac_rows_desc *desc)
{
    return fp8mac_float_bits(1.0f / (float)desc->cols);
}

// 1 / sqrt(mean of the terms + eps)
static uint32_t gain_of(const row *r, term *term)
{
    const uint32_t mean = multiply(r, sum_of(r, term), scale_of_columns(r->desc));
    const uint32_t under = add(r, mean, fp8mac_float_bits(r->desc->eps));
    return fp8mac_rsqrt_of(under, &r->totals->flags);
}

// D[m][i]
static void finish(const row *r, const fp8mac_epilogue *epilogue, size_t i, uint32_t t0,
                   uint32_t scale)
{
    const fp8mac_rows_desc *desc = r->desc;
    const uint32_t gamma =
        desc->gamma == NULL ? FP8MAC_FP32_ONE : fp8mac_float_bits(desc->gamma[i]);
    const uint32_t beta = desc->beta == NULL ? 0 : fp8mac_float_bits(desc->beta[i]);
    const uint32_t code =
        fp8mac_epilogue_apply(epilogue, t0, scale, gamma, beta, 0, &r->totals->amax,
                              &r->totals->amax_nonfinite, &r->totals->flags);
    fp8mac_store_code(desc->d, r->m * desc->ldd + i, fp8mac_format_bytes(desc->d_format), code);
}

static void finish_row(const row *r, const fp8mac_epilogue *epilogue, term *term, uint32_t scale)
{
    for (size_t i = 0; i < r->cols; i++) {
        finish(r, epilogue, i, term(r, i), scale);
    }
    fp8mac_epilogue unseen = *epilogue;
    unseen.activation = FP8MAC_ACT_NONE;
    for (size_t i = r->cols; i < r->desc->cols; i++) {
        finish(r, &unseen, i, 0, FP8MAC_FP32_ONE);
    }
}

static void layer_norm(row *r, const fp8mac_epilogue *epilogue)
{
    r->offset = multiply(r, sum_of(r, value_at), scale_of_columns(r->desc));
    finish_row(r, epilogue, deviation_at, gain_of(r, square_of_deviation_at));
}

static void softmax(row *r, const fp8mac_epilogue *epilogue)
{
    r->offset = largest_of(r);
    r->factor = factor_of(r->desc);
    if (!r->desc->base2) {
        r->factor = multiply(r, r->factor, FP8MAC_LOG2_E);
    }
    const uint32_t sum = sum_of(r, exponential_at);
    finish_row(r, epilogue, exponential_at, fp8mac_reciprocal_of(sum, &r->totals->flags));
}

static void curve(row *r, const fp8mac_epilogue *epilogue, term *term)
{
    r->factor = factor_of(r->desc);
    finish_row(r, epilogue, term, FP8MAC_FP32_ONE);
}

static void quantise(const row *r, const fp8mac_epilogue *epilogue)
{
    finish_row(r, epilogue, value_at, fp8mac_reciprocal_of(magnitude_of(r), &r->totals->flags));
}

// The largest magnitude of columns first to behind - 1
static uint32_t magnitude_of_block(const row *r, size_t first, size_t behind)
{
    uint32_t most = 0;
    for (size_t i = first; i < behind; i++) {
        const uint32_t x = magnitude_at(r, i);
        most = x > most ? x : most; // a NaN is above Inf
    }
    return most;
}

// A block whose scale is NaN has codes of +0.
static void finish_nonfinite(const row *r, const fp8mac_epilogue *epilogue, size_t first,
                             size_t behind)
{
    for (size_t i = first; i < behind; i++) {
        finish(r, epilogue, i, 0, FP8MAC_FP32_ONE);
    }
    r->totals->amax_nonfinite = true;
}

static void quantise_mx(const row *r, const fp8mac_epilogue *epilogue)
{
    const fp8mac_rows_desc *desc = r->desc;
    uint8_t *scales = desc->scales + r->m * desc->lds;
    for (size_t first = 0; first < r->cols; first += FP8MAC_MX_BLOCK) {
        const size_t left = r->cols - first;
        const size_t behind = first + (left < FP8MAC_MX_BLOCK ? left : FP8MAC_MX_BLOCK);
        const float amax = fp8mac_float_from_bits(magnitude_of_block(r, first, behind));
        const uint8_t scale = fp8mac_recipe_mx_scale(desc->d_format, amax);
        scales[first / FP8MAC_MX_BLOCK] = scale;
        if (scale == SCALE_NAN) {
            finish_nonfinite(r, epilogue, first, behind);
            continue;
        }
        for (size_t i = first; i < behind; i++) {
            finish(r, epilogue, i, value_at(r, i), (uint32_t)(GAIN_OF_SCALE_0 - scale) << 23);
        }
    }
}

static void run_row(row *r, const fp8mac_epilogue *epilogue)
{
    const uint32_t factor = factor_of(r->desc);
    switch (r->desc->operation) {
    case FP8MAC_ROWS_SUM: finish(r, epilogue, 0, sum_of(r, value_at), factor); break;
    case FP8MAC_ROWS_SUM_OF_SQUARES: finish(r, epilogue, 0, sum_of(r, square_at), factor); break;
    case FP8MAC_ROWS_MAXIMUM: finish(r, epilogue, 0, largest_of(r), factor); break;
    case FP8MAC_ROWS_ARGMAX:
        fp8mac_store_code(r->desc->d, r->m * r->desc->ldd, sizeof(uint32_t), first_maximum_of(r));
        break;
    case FP8MAC_ROWS_RMS_NORM: finish_row(r, epilogue, value_at, gain_of(r, square_at)); break;
    case FP8MAC_ROWS_LAYER_NORM: layer_norm(r, epilogue); break;
    case FP8MAC_ROWS_SOFTMAX: softmax(r, epilogue); break;
    case FP8MAC_ROWS_SIGMOID: curve(r, epilogue, sigmoid_at); break;
    case FP8MAC_ROWS_TANH: curve(r, epilogue, tanh_at); break;
    case FP8MAC_ROWS_MAGNITUDE: finish(r, epilogue, 0, magnitude_of(r), factor); break;
    case FP8MAC_ROWS_QUANTISE: quantise(r, epilogue); break;
    case FP8MAC_ROWS_QUANTISE_MX: quantise_mx(r, epilogue); break;
    }
}

static fp8mac_epilogue epilogue_of(const fp8mac_rows_desc *desc)
{
    return (fp8mac_epilogue){
        .has_bias = desc->beta != NULL,
        .activation = desc->activation,
        .clamp_lo = desc->clamp_lo,
        .clamp_hi = desc->clamp_hi,
        .d_format = desc->d_format,
        .d_mode = desc->d_mode,
        .scale_d = desc->scale_d != NULL ? *desc->scale_d : 1.0f,
        .d_table = desc->d_table,
    };
}

static size_t columns_of(const fp8mac_rows_desc *desc, size_t m)
{
    const size_t first = desc->seen == 0 ? desc->cols : desc->seen;
    const size_t rest = desc->cols - first, more = desc->causal ? m : 0;
    return first + (more < rest ? more : rest);
}

void fp8mac_rows_defined(const fp8mac_rows_desc *desc, fp8mac_gemm_totals *totals)
{
    uint32_t values[CODES];
    if (fp8mac_format_bytes(desc->x_format) == 1) {
        for (uint32_t code = 0; code < CODES; code++) {
            values[code] = widen(desc->x_format, code);
        }
    }
    const fp8mac_epilogue epilogue = epilogue_of(desc);
    for (size_t m = 0; m < desc->rows; m++) {
        row r = {
            .desc = desc, .values = values, .m = m, .cols = columns_of(desc, m), .totals = totals};
        run_row(&r, &epilogue);
    }
}
