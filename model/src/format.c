// SPDX-License-Identifier: Apache-2.0
#include "internal.h"

#define SUBNORMAL FP8MAC_EXPONENT_ZERO_SUBNORMAL

// name, signed, exponent bits, mantissa bits, bias, Inf, -0, NaN, exponent zero
static const fp8mac_format formats[FP8MAC_FORMAT_COUNT] = {
    [FP8MAC_E4M3FN] = {"e4m3fn", true, 4, 3, 7, false, true, FP8MAC_NAN_ALL_ONES, SUBNORMAL},
    [FP8MAC_E5M2] = {"e5m2", true, 5, 2, 15, true, true, FP8MAC_NAN_IEEE, SUBNORMAL},
    [FP8MAC_E4M3FNUZ] = {"e4m3fnuz", true, 4, 3, 8, false, false, FP8MAC_NAN_NEGATIVE_ZERO, SUBNORMAL},
    [FP8MAC_E5M2FNUZ] = {"e5m2fnuz", true, 5, 2, 16, false, false, FP8MAC_NAN_NEGATIVE_ZERO, SUBNORMAL},
    [FP8MAC_FP16] = {"float16", true, 5, 10, 15, true, true, FP8MAC_NAN_IEEE, SUBNORMAL},
    [FP8MAC_BF16] = {"bfloat16", true, 8, 7, 127, true, true, FP8MAC_NAN_IEEE, SUBNORMAL},
    [FP8MAC_FP32] = {"float32", true, 8, 23, 127, true, true, FP8MAC_NAN_IEEE, SUBNORMAL},
};

static const struct {
    const char *name;
    fp8mac_format_id id;
} aliases[] = {{"fp16", FP8MAC_FP16}, {"bf16", FP8MAC_BF16}, {"fp32", FP8MAC_FP32}};

const fp8mac_format *fp8mac_format_get(fp8mac_format_id id)
{
    return (unsigned)id < FP8MAC_FORMAT_COUNT ? &formats[id] : NULL;
}

const fp8mac_format *fp8mac_format_by_name(const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < FP8MAC_FORMAT_COUNT; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            return &formats[i];
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            return &formats[aliases[i].id];
        }
    }
    return NULL;
}

// The specials that the row declares fit together, and leave room for one another in its codes.
static bool specials_are_consistent(const fp8mac_format *f)
{
    switch (f->nan_encoding) {
    case FP8MAC_NAN_NONE: return !f->has_inf;
    case FP8MAC_NAN_IEEE: return f->has_inf && f->mantissa_bits >= 1;
    case FP8MAC_NAN_ALL_ONES: return !f->has_inf;
    case FP8MAC_NAN_NEGATIVE_ZERO: return !f->has_inf && !f->has_negative_zero;
    }
    return false;
}

fp8mac_status fp8mac_format_validate(const fp8mac_format *f)
{
    // The range of biases keeps every exponent of every product far inside an int32_t.
    bool ok = f != NULL && f->is_signed && f->exponent_bits >= 1 && f->exponent_bits <= 8 && f->mantissa_bits <= 23 &&
              f->exponent_bits + f->mantissa_bits >= 2 &&
              f->bias >= -128 && f->bias <= 255 && f->exponent_zero == SUBNORMAL && specials_are_consistent(f);
    return ok ? FP8MAC_OK : FP8MAC_ERR_FORMAT;
}

unsigned fp8mac_format_bits(const fp8mac_format *f)
{
    return (f->is_signed ? 1u : 0u) + f->exponent_bits + f->mantissa_bits;
}

unsigned fp8mac_format_bytes(const fp8mac_format *f)
{
    unsigned bits = fp8mac_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

bool fp8mac_format_is_wide(const fp8mac_format *f)
{
    return fp8mac_format_bytes(f) > 1 && f->nan_encoding == FP8MAC_NAN_IEEE;
}

// A code without its sign bit: exponent field above mantissa field.
static uint32_t magnitude_mask(const fp8mac_format *f)
{
    return (UINT32_C(1) << (f->exponent_bits + f->mantissa_bits)) - 1;
}

static uint32_t mantissa_mask(const fp8mac_format *f)
{
    return (UINT32_C(1) << f->mantissa_bits) - 1;
}

// The class of a code from its two parts.
static fp8mac_class classify(const fp8mac_format *f, bool sign, uint32_t magnitude)
{
    uint32_t top = magnitude_mask(f);
    uint32_t inf = top - mantissa_mask(f); // exponent all ones, mantissa zero
    if (f->nan_encoding == FP8MAC_NAN_IEEE && magnitude >= inf) {
        return magnitude == inf ? FP8MAC_CLASS_INF : FP8MAC_CLASS_NAN;
    }
    if (f->nan_encoding == FP8MAC_NAN_ALL_ONES && magnitude == top) {
        return FP8MAC_CLASS_NAN;
    }
    if (magnitude == 0) {
        return sign && f->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO ? FP8MAC_CLASS_NAN : FP8MAC_CLASS_ZERO;
    }
    return FP8MAC_CLASS_FINITE;
}

fp8mac_value fp8mac_decode(const fp8mac_format *f, uint32_t code)
{
    uint32_t magnitude = code & magnitude_mask(f);
    bool sign = f->is_signed && (code >> (f->exponent_bits + f->mantissa_bits) & 1) != 0;
    fp8mac_value value = {.cls = classify(f, sign, magnitude), .sign = sign};
    if (value.cls == FP8MAC_CLASS_FINITE) {
        uint32_t field = magnitude >> f->mantissa_bits;
        uint32_t hidden = field == 0 ? 0 : UINT32_C(1) << f->mantissa_bits;
        value.significand = hidden | (magnitude & mantissa_mask(f));
        value.exponent = (int32_t)(field == 0 ? 1 : field) - f->bias - f->mantissa_bits;
    }
    return value;
}

uint32_t fp8mac_format_max_code(const fp8mac_format *f)
{
    uint32_t top = magnitude_mask(f);
    switch (f->nan_encoding) {
    case FP8MAC_NAN_IEEE: return top - mantissa_mask(f) - 1;
    case FP8MAC_NAN_ALL_ONES: return top - 1;
    default: return top;
    }
}

uint32_t fp8mac_format_nan_code(const fp8mac_format *f)
{
    uint32_t top = magnitude_mask(f);
    switch (f->nan_encoding) {
    case FP8MAC_NAN_IEEE: return top - (mantissa_mask(f) >> 1); // quiet: the mantissa's first bit alone
    case FP8MAC_NAN_ALL_ONES: return top;
    case FP8MAC_NAN_NEGATIVE_ZERO: return top + 1; // the sign bit alone
    default: return 0;
    }
}
