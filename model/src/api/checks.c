// SPDX-License-Identifier: Apache-2.0
#include "api/checks.h"

static bool same_format(const fp8mac_format *a, const fp8mac_format *b)
{
    return a->is_signed == b->is_signed && a->exponent_bits == b->exponent_bits &&
           a->mantissa_bits == b->mantissa_bits && a->bias == b->bias && a->has_inf == b->has_inf &&
           a->has_negative_zero == b->has_negative_zero && a->nan_encoding == b->nan_encoding &&
           a->exponent_zero == b->exponent_zero;
}

static bool is_one_of(const fp8mac_format *format, unsigned count)
{
    for (unsigned id = 0; format != NULL && id < count; id++) {
        if (same_format(format, &fp8mac_formats[id])) {
            return true;
        }
    }
    return false;
}

bool fp8mac_is_array_format(const fp8mac_format *format)
{
    return is_one_of(format, FP8MAC_ARRAY_FORMAT_COUNT);
}

bool fp8mac_is_fp8_format(const fp8mac_format *format)
{
    return is_one_of(format, FP8MAC_E5M2FNUZ + 1);
}

fp8mac_status fp8mac_check_matrix(const fp8mac_matrix *x)
{
    size_t room = PTRDIFF_MAX / x->bytes;
    if (x->stride < x->used || x->stride > room) {
        return FP8MAC_ERR_STRIDE;
    }
    return x->rows > 1 && x->stride > (room - x->used) / (x->rows - 1) ? FP8MAC_ERR_SHAPE
                                                                       : FP8MAC_OK;
}

// Whether some row of x holds a byte of first .. end - 1.
static bool has_byte_of(const fp8mac_matrix *x, uintptr_t first, uintptr_t end)
{
    uintptr_t at = (uintptr_t)x->at;
    size_t stride = x->stride * x->bytes, used = x->used * x->bytes;
    if (end <= at) {
        return false;
    }
    // The first row that ends behind `first`.
    size_t row = first < at + used ? 0 : (first - at - used) / stride + 1;
    return row < x->rows && at + row * stride < end;
}

bool fp8mac_matrices_overlap(const fp8mac_matrix *x, const fp8mac_matrix *y)
{
    for (size_t row = 0; row < x->rows; row++) {
        uintptr_t first = (uintptr_t)x->at + row * x->stride * x->bytes;
        if (has_byte_of(y, first, first + x->used * x->bytes)) {
            return true;
        }
    }
    return false;
}

fp8mac_status fp8mac_check_scale(fp8mac_scale scale, size_t rows)
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

fp8mac_status fp8mac_check_activation(fp8mac_activation activation, float lo, float hi)
{
    if ((unsigned)activation >= FP8MAC_ACTIVATIONS) {
        return FP8MAC_ERR_ACTIVATION;
    }
    bool finite = fp8mac_fp32_is_finite(fp8mac_float_bits(lo)) &&
                  fp8mac_fp32_is_finite(fp8mac_float_bits(hi));
    if (activation == FP8MAC_ACT_CLAMP && (!finite || lo > hi)) {
        return FP8MAC_ERR_ACTIVATION;
    }
    return FP8MAC_OK;
}
