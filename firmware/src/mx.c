// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/mx.h"

#include <string.h>

#include "convert_fp8.h"
#include "fp32_bits.h"
#include "fp8mac/recipe_published.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/matrix.h"
#include "fp8rt/rows.h"
#include "mx_columns.h"
#include "stamp.h"

enum { BLOCK = FP8MAC_MX_BLOCK, SCALE_BIAS = 127, SCALE_NAN = 0xff };

#define MAGNITUDE (~FP8RT_FP32_SIGN)

// ---- checks -------------------------------------------------------------------------------------

static bool is_narrow(fp8mac_format_id format)
{
    return format >= FP8MAC_E3M2FN && format <= FP8MAC_E2M1FN;
}

static uint32_t value_bytes(const fp8rt_mx_desc *desc)
{
    return fp8mac_format_bytes(fp8mac_format_get(desc->values_format));
}

static uint32_t or_packed(const fp8rt_caps *caps, uint32_t stride, uint32_t row_bytes)
{
    return stride != 0 ? stride : fp8rt_packed_stride(caps, row_bytes);
}

static void fill_strides(const fp8rt_caps *caps, fp8rt_mx_desc *desc)
{
    desc->values_stride = or_packed(caps, desc->values_stride, desc->cols * value_bytes(desc));
    desc->codes_stride = or_packed(caps, desc->codes_stride, desc->cols);
    desc->scales_stride = or_packed(caps, desc->scales_stride, fp8rt_mx_blocks(desc->cols));
}

static fp8rt_status check_kinds(const fp8rt_mx_desc *desc)
{
    if (desc->values == NULL || desc->codes == NULL || desc->scales == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (desc->rows == 0 || desc->cols == 0 || desc->cols > UINT32_MAX / 8u) {
        return FP8RT_ERR_SHAPE;
    }
    const bool values = desc->values_format == FP8MAC_FP32 || desc->values_format == FP8MAC_FP16 ||
                        desc->values_format == FP8MAC_BF16;
    return values && (fp8rt_is_fp8(desc->format) || is_narrow(desc->format)) ? FP8RT_OK
                                                                             : FP8RT_ERR_FORMAT;
}

// Checks the descriptor and fills in its strides.
static fp8rt_status prepare(const fp8rt_caps *caps, fp8rt_mx_desc *desc)
{
    const fp8rt_status status = check_kinds(desc);
    if (status != FP8RT_OK) {
        return status;
    }
    fill_strides(caps, desc);
    return desc->values_stride < desc->cols * value_bytes(desc) ||
                   desc->values_stride % value_bytes(desc) != 0 ||
                   desc->codes_stride < desc->cols ||
                   desc->scales_stride < fp8rt_mx_blocks(desc->cols)
               ? FP8RT_ERR_STRIDE
               : FP8RT_OK;
}

// ---- blocks -------------------------------------------------------------------------------------

static uint32_t word_of_fp16(uint32_t half)
{
    enum { SHIFT = 13, REBIAS = 112, FRACTION = 23, INF = 0x7c00 };
    const uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    if (magnitude >= INF) {
        return sign | FP8RT_FP32_INF | (magnitude & 0x3ffu) << SHIFT;
    }
    if (magnitude >= 0x400u) {
        return sign | ((magnitude << SHIFT) + ((uint32_t)REBIAS << FRACTION));
    }
    // A subnormal number is magnitude * 2^-24: an exact product.
    const float value = (float)magnitude * 0x1p-24f;
    return sign | fp8rt_fp32_bits(value);
}

// A value as an FP32 word.
static inline uint32_t word_at(fp8mac_format_id format, const uint8_t *from, uint32_t i)
{
    if (format == FP8MAC_FP32) {
        uint32_t word;
        memcpy(&word,
               (const uint8_t *)__builtin_assume_aligned(from, sizeof word) + i * sizeof word,
               sizeof word);
        return word;
    }
    uint16_t half;
    memcpy(&half, (const uint8_t *)__builtin_assume_aligned(from, sizeof half) + i * sizeof half,
           sizeof half);
    return format == FP8MAC_BF16 ? (uint32_t)half << 16 : word_of_fp16(half);
}

// The largest magnitude of a block. That of Inf and NaN is above all others.
static inline uint32_t largest_of(fp8mac_format_id format, const uint8_t *from, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t magnitude = word_at(format, from, i) & MAGNITUDE;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

static uint32_t largest_in(const fp8rt_mx_desc *desc, const uint8_t *from, uint32_t count)
{
    switch (desc->values_format) { // a loop for each format
    case FP8MAC_FP32: return largest_of(FP8MAC_FP32, from, count);
    case FP8MAC_BF16: return largest_of(FP8MAC_BF16, from, count);
    default: return largest_of(FP8MAC_FP16, from, count);
    }
}

static void read_block(const fp8rt_mx_desc *desc, const uint8_t *from, uint32_t count,
                       float values[BLOCK])
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = fp8rt_fp32_from_bits(word_at(desc->values_format, from, i));
    }
}

static uint8_t scale_code(const fp8mac_format *format, uint32_t largest)
{
    return fp8mac_recipe_mx_scale(format, fp8rt_fp32_from_bits(largest));
}

// What multiplies the values: the inverse of the block's scale.
static float factor_of(uint8_t code)
{
    return fp8mac_recipe_power_of_two(SCALE_BIAS - (int)code);
}

static const uint8_t *values_at(const fp8rt_mx_desc *desc, uint32_t row, uint32_t col)
{
    return (const uint8_t *)desc->values + (size_t)row * desc->values_stride +
           (size_t)col * value_bytes(desc);
}

static uint32_t block_count(const fp8rt_mx_desc *desc, uint32_t col)
{
    return desc->cols - col < BLOCK ? desc->cols - col : BLOCK;
}

// ---- on the core --------------------------------------------------------------------------------

static void quantize_row(const fp8rt_mx_desc *desc, fp8rt_fp8_target *target, uint32_t row,
                         fp8mac_flags *flags)
{
    const fp8mac_format *format = fp8mac_format_get(desc->format);
    uint8_t *codes = desc->codes + (size_t)row * desc->codes_stride;
    uint8_t *scales = desc->scales + (size_t)row * desc->scales_stride;
    for (uint32_t col = 0; col < desc->cols; col += BLOCK) {
        float values[BLOCK];
        const uint32_t count = block_count(desc, col);
        const uint8_t *from = values_at(desc, row, col);
        const uint32_t largest = largest_in(desc, from, count);
        const uint8_t code = scale_code(format, largest);
        scales[col / BLOCK] = code;
        read_block(desc, from, count, values);
        if (code == SCALE_NAN) {
            memset(codes + col, 0, count);
            *flags |= largest > FP8RT_FP32_INF ? FP8MAC_FLAG_NAN : 0;
        } else if (fp8rt_is_fp8(desc->format)) {
            fp8rt_fp8_quantize_to(target, codes + col, values, count,
                                  fp8rt_fp32_bits(factor_of(code)));
        } else {
            fp8mac_recipe_mx_quantize(format, codes + col, scales + col / BLOCK, values, count,
                                      flags);
        }
    }
}

fp8rt_status fp8rt_mx_quantize(const fp8rt_caps *caps, const fp8rt_mx_desc *desc,
                               fp8mac_flags *flags)
{
    if (caps == NULL || desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_mx_desc filled = *desc;
    const fp8rt_status status = prepare(caps, &filled);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8mac_flags raised = 0;
    fp8rt_fp8_target target = {0};
    if (fp8rt_is_fp8(desc->format)) {
        target = fp8rt_fp8_target_of(fp8mac_format_get(desc->format), FP8MAC_OVERFLOW_SATURATE);
    }
    for (uint32_t row = 0; row < filled.rows; row++) {
        quantize_row(&filled, &target, row, &raised);
    }
    if (flags != NULL) {
        *flags |= raised | target.flags;
    }
    return FP8RT_OK;
}

// ---- on the accelerator -------------------------------------------------------------------------

bool fp8rt_mx_scale_columns(const fp8rt_mx_desc *desc, uint32_t col, float *factors)
{
    const fp8mac_format *format = fp8mac_format_get(desc->format);
    const uint32_t count = block_count(desc, col);
    bool nonfinite = false;
    for (uint32_t row = 0; row < desc->rows; row++) {
        const uint8_t code = scale_code(format, largest_in(desc, values_at(desc, row, col), count));
        desc->scales[(size_t)row * desc->scales_stride + col / BLOCK] = code;
        factors[row] = code == SCALE_NAN ? 1.0f : factor_of(code);
        nonfinite = nonfinite || code == SCALE_NAN;
    }
    return nonfinite;
}

void fp8rt_mx_clear_nonfinite(const fp8rt_mx_desc *desc, uint32_t col)
{
    for (uint32_t row = 0; row < desc->rows; row++) {
        if (desc->scales[(size_t)row * desc->scales_stride + col / BLOCK] == SCALE_NAN) {
            memset(desc->codes + (size_t)row * desc->codes_stride + col, 0, block_count(desc, col));
        }
    }
}

static fp8rt_status convert_columns(fp8rt_device *dev, const fp8rt_mx_desc *desc, uint32_t col,
                                    float *factors)
{
    const bool nonfinite = fp8rt_mx_scale_columns(desc, col, factors);
    const fp8rt_elementwise_desc conversion = {
        .operation = FP8RT_OPERATION_ADD,
        .m = desc->rows,
        .n = block_count(desc, col),
        .x = values_at(desc, 0, col),
        .x_stride = desc->values_stride,
        .x_format = desc->values_format,
        .scale_x = {.mode = FP8MAC_SCALE_VECTOR, .values = factors},
        .d = desc->codes + col,
        .d_stride = desc->codes_stride,
        .d_format = desc->format,
    };
    const fp8rt_status status = fp8rt_elementwise(dev, conversion, NULL);
    if (status == FP8RT_OK && nonfinite) {
        fp8rt_mx_clear_nonfinite(desc, col);
    }
    return status;
}

// A row command writes scales whose rows begin at beats.
static bool is_one_command(const fp8rt_caps *caps, const fp8rt_mx_desc *desc)
{
    const uintptr_t bits = (uintptr_t)desc->scales | (desc->rows > 1 ? desc->scales_stride : 0);
    return (caps->functions & FP8MAC_FUNCTION_ROWS) != 0 && (bits & (caps->beat_bytes - 1u)) == 0;
}

static fp8rt_status convert_rows(fp8rt_device *dev, const fp8rt_mx_desc *desc)
{
    const fp8rt_rows_desc rows = {
        .operation = FP8MAC_ROWS_QUANTISE_MX,
        .m = desc->rows,
        .n = desc->cols,
        .x = desc->values,
        .x_stride = desc->values_stride,
        .x_format = desc->values_format,
        .d = desc->codes,
        .d_stride = desc->codes_stride,
        .d_format = desc->format,
        .scales = desc->scales,
        .scales_stride = desc->scales_stride,
    };
    return fp8rt_rows(dev, rows, NULL);
}

fp8rt_status fp8rt_mx_convert(fp8rt_device *dev, const fp8rt_mx_desc *desc, void *scratch,
                              size_t scratch_bytes)
{
    fp8rt_status status = desc == NULL || scratch == NULL ? FP8RT_ERR_NULL : fp8rt_open_status(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_mx_desc filled = *desc;
    status = prepare(&dev->caps, &filled);
    if (status == FP8RT_OK && !fp8rt_is_fp8(desc->format)) {
        status = FP8RT_ERR_FORMAT;
    }
    if (status == FP8RT_OK && scratch_bytes < fp8rt_mx_scratch_bytes(desc->rows)) {
        status = FP8RT_ERR_SCRATCH;
    }
    if (status == FP8RT_OK && is_one_command(&dev->caps, &filled)) {
        return convert_rows(dev, &filled);
    }
    for (uint32_t col = 0; col < filled.cols && status == FP8RT_OK; col += BLOCK) {
        status = convert_columns(dev, &filled, col, scratch);
    }
    return status;
}
