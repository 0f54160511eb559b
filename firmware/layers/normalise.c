// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/normalise.h"

#include "fixed.h"
#include "root.h"

// Words of a row are below 2^INTEGER_BITS in magnitude, so that the squares of a chunk fit one word.
enum { INTEGER_BITS = 13, CHUNK = 32, EXPONENT_BIAS = 127, FRACTION = 23, MOST_COLS = 65535 };

// A matrix that is the product of two vectors, as a GEMM with k = 1: codes are signs and zeros, scales
// are magnitudes.
typedef struct rank_one {
    fp8rt_tensor rows;     // m x 1
    fp8rt_weights columns; // n x 1
    float *row_scale, *column_scale;
} rank_one;

// What the layer needs, all in the scratch.
typedef struct parts {
    fp8rt_tensor wide;   // x in FP32
    fp8rt_tensor words;  // the integers; then gamma / s of each value, then that times x
    float *unit;         // of each row: 1 in the words, as 2^-exponent
    rank_one gain, mean; // gamma / s; -mean * gamma / s
} parts;

// ---- checks -------------------------------------------------------------------------------------

// Positive, finite and not subnormal
static bool is_normal(uint32_t bits)
{
    return bits - (1u << FRACTION) < FP8RT_FP32_INF - (1u << FRACTION);
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_norm_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->out->rows != desc->x->rows || desc->out->cols != desc->x->cols ||
        desc->x->cols > MOST_COLS) {
        return FP8RT_ERR_SHAPE;
    }
    if (!is_normal(fp8rt_fp32_bits(desc->eps))) {
        return FP8RT_ERR_SCALE;
    }
    return desc->rms && desc->beta != NULL ? FP8RT_ERR_UNSUPPORTED : FP8RT_OK;
}

// ---- vectors as operands of a GEMM --------------------------------------------------------------

static void set_value(const fp8rt_caps *caps, fp8rt_tensor *codes, float *scales, uint32_t i,
                      float value)
{
    const uint32_t bits = fp8rt_fp32_bits(value), magnitude = bits & ~FP8RT_FP32_SIGN;
    uint8_t *code = (uint8_t *)codes->data + (size_t)i * fp8rt_tensor_stride(caps, codes);
    *code = (uint8_t)(magnitude == 0 ? 0 : 0x38u | (bits >> 24 & 0x80u));
    scales[i] = fp8rt_fp32_from_bits(magnitude == 0 ? FP8RT_FP32_ONE : magnitude);
}

static fp8rt_status take_rank_one(fp8rt_run *run, uint32_t rows, uint32_t cols, rank_one *r)
{
    r->rows = fp8rt_layer_tensor(run, rows, 1, FP8MAC_E4M3FN);
    r->row_scale = fp8rt_layer_take(run, rows * sizeof(float));
    r->columns.codes = fp8rt_layer_tensor(run, cols, 1, FP8MAC_E4M3FN);
    r->column_scale = fp8rt_layer_take(run, cols * sizeof(float));
    r->columns.row_scale = r->column_scale;
    return r->rows.data == NULL || r->row_scale == NULL || r->columns.codes.data == NULL ||
                   r->column_scale == NULL
               ? FP8RT_ERR_SCRATCH
               : FP8RT_OK;
}

static void set_gamma(const fp8rt_caps *caps, const fp8rt_norm_desc *desc, rank_one *r)
{
    for (uint32_t i = 0; i < desc->x->cols; i++) {
        set_value(caps, &r->columns.codes, r->column_scale, i,
                  desc->gamma == NULL ? 1.0f : desc->gamma[i]);
    }
}

static fp8rt_status take(fp8rt_run *run, const fp8rt_norm_desc *desc, parts *p)
{
    const uint32_t rows = desc->x->rows, cols = desc->x->cols;
    p->wide = fp8rt_layer_tensor(run, rows, cols, FP8MAC_FP32);
    p->words = fp8rt_layer_tensor(run, rows, cols, FP8MAC_FP32);
    p->unit = fp8rt_layer_take(run, rows * sizeof(float));
    const fp8rt_status status = take_rank_one(run, rows, cols, &p->gain);
    if (p->wide.data == NULL || p->words.data == NULL || p->unit == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    // Both products have the columns' vector in common.
    p->mean = p->gain;
    p->mean.rows = fp8rt_layer_tensor(run, rows, 1, FP8MAC_E4M3FN);
    p->mean.row_scale = fp8rt_layer_take(run, rows * sizeof(float));
    return p->mean.rows.data == NULL || p->mean.row_scale == NULL ? FP8RT_ERR_SCRATCH : status;
}

// ---- the core's part ----------------------------------------------------------------------------

static uint32_t largest(const uint32_t *values, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t magnitude = values[i] << 1;
        most = magnitude > most ? magnitude : most;
    }
    return most >> 1;
}

// The power of two that takes values up to `most` below 2^INTEGER_BITS.
static float unit_for(uint32_t most)
{
    const uint32_t exponent = 2 * EXPONENT_BIAS + INTEGER_BITS - 1 - (most >> FRACTION);
    const uint32_t limit = 2 * EXPONENT_BIAS;
    return fp8rt_fp32_from_bits((exponent > limit ? limit : exponent) << FRACTION);
}

static void find_units(const fp8rt_caps *caps, const parts *p)
{
    for (uint32_t row = 0; row < p->wide.rows; row++) {
        p->unit[row] = unit_for(largest(fp8rt_tensor_row(caps, &p->wide, row), p->wide.cols));
    }
}

typedef struct sums {
    int64_t of_values;
    uint64_t of_squares;
} sums;

static void add_chunk(const int32_t *words, uint32_t count, sums *s)
{
    uint32_t values = 0; // modulo 2^32, as a word of an Inf or a NaN has any size
    uint32_t squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = (uint32_t)words[i] - FP8RT_FIXED_ORIGIN;
        values += x;
        squares += x * x;
    }
    s->of_values += (int32_t)values;
    s->of_squares += squares;
}

static sums sums_of(const int32_t *words, uint32_t count)
{
    sums s = {0};
    for (uint32_t first = 0; first < count; first += CHUNK) {
        const uint32_t rest = count - first;
        add_chunk(words + first, rest < CHUNK ? rest : CHUNK, &s);
    }
    return s;
}

// 1 / sqrt(variance + eps) of a row, where n^2 * variance = n * squares - values^2 in integers. `scale`
// is 1 / n in units of x.
static float gain_of(const fp8rt_norm_desc *desc, const sums *s, float scale)
{
    const uint64_t square = (uint64_t)s->of_values * (uint64_t)s->of_values;
    const uint64_t spread = desc->x->cols * s->of_squares - (desc->rms ? 0 : square);
    return fp8rt_inverse_root(((float)spread * scale) * scale + desc->eps);
}

static void set_row(const fp8rt_caps *caps, const fp8rt_norm_desc *desc, parts *p, uint32_t row)
{
    const sums s = sums_of(fp8rt_tensor_row(caps, &p->words, row), desc->x->cols);
    const float scale = fp8mac_recipe_inverse((float)desc->x->cols * p->unit[row]);
    const float gain = gain_of(desc, &s, scale);
    set_value(caps, &p->gain.rows, p->gain.row_scale, row, gain);
    if (!desc->rms) {
        const float mean = (float)s.of_values * scale;
        const float shift = -mean * gain; // Inf of a row whose values are undefined
        set_value(caps, &p->mean.rows, p->mean.row_scale, row,
                  fp8rt_fp32_is_finite(fp8rt_fp32_bits(shift)) ? shift : 0.0f);
    }
}

// ---- the accelerator's part ---------------------------------------------------------------------

static fp8rt_status widen(fp8rt_run *run, const fp8rt_norm_desc *desc, parts *p)
{
    return fp8rt_layer_convert(run, desc->x, NULL, &p->wide);
}

static fp8rt_status measure(fp8rt_run *run, const fp8rt_norm_desc *desc, parts *p)
{
    if (fp8rt_layer_computes(run)) {
        find_units(&run->dev->caps, p);
    }
    const fp8rt_status status = fp8rt_fixed_from(run, &p->wide, 1.0f, p->unit, 0.0f, &p->words);
    if (status != FP8RT_OK || !fp8rt_layer_computes(run)) {
        return status;
    }
    set_gamma(&run->dev->caps, desc, &p->gain);
    for (uint32_t row = 0; row < desc->x->rows; row++) {
        set_row(&run->dev->caps, desc, p, row);
    }
    return status;
}

// words = gain[m] * gamma[n], then x times that
static fp8rt_status multiply(fp8rt_run *run, parts *p, fp8rt_tensor *out)
{
    const fp8rt_product gain = {
        .x = &p->gain.rows, .weights = &p->gain.columns, .x_scale = p->gain.row_scale};
    const fp8rt_combination product = {
        .operation = FP8RT_OPERATION_MULTIPLY, .x = &p->wide, .c = &p->words, .factor = 1.0f};
    const fp8rt_status status = fp8rt_layer_gemm(run, &gain, &p->words);
    return status == FP8RT_OK ? fp8rt_layer_combine(run, &product, out) : status;
}

// out = words + (-mean * gain)[m] * gamma[n] + beta[n]
static fp8rt_status shift(fp8rt_run *run, const fp8rt_norm_desc *desc, parts *p)
{
    p->mean.columns.bias = desc->beta;
    const fp8rt_product product = {.x = &p->mean.rows,
                                   .weights = &p->mean.columns,
                                   .x_scale = p->mean.row_scale,
                                   .c = &p->words,
                                   .factor = 1.0f};
    return fp8rt_layer_gemm(run, &product, desc->out);
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_norm_desc *desc = layer;
    parts p = {0};
    fp8rt_status status = take(run, desc, &p);
    if (status == FP8RT_OK) {
        status = widen(run, desc, &p);
    }
    if (status == FP8RT_OK) {
        status = measure(run, desc, &p);
    }
    if (status == FP8RT_OK) {
        status = multiply(run, &p, desc->rms ? desc->out : &p.words);
    }
    return status == FP8RT_OK && !desc->rms ? shift(run, desc, &p) : status;
}

fp8rt_status fp8rt_normalise(fp8rt_run *run, const fp8rt_norm_desc *desc)
{
    return fp8rt_layer(run, "normalise", desc, check, compute);
}
