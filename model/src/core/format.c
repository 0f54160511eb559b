// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

#define SUBNORMAL FP8MAC_EXPONENT_ZERO_SUBNORMAL
#define AT_BIAS FP8MAC_EXPONENT_ZERO_AT_BIAS
#define NORMAL FP8MAC_EXPONENT_ZERO_NORMAL
#define NO_NAN FP8MAC_NAN_NONE
#define IEEE FP8MAC_NAN_IEEE
#define ALL_ONES FP8MAC_NAN_ALL_ONES
#define NEGATIVE_ZERO FP8MAC_NAN_NEGATIVE_ZERO

// name, signed, exponent bits, mantissa bits, bias, Inf, -0, NaN, exponent zero
const fp8mac_format fp8mac_formats[FP8MAC_FORMAT_COUNT] = {
    [FP8MAC_E4M3FN] = {"e4m3fn", true, 4, 3, 7, false, true, ALL_ONES, SUBNORMAL},
    [FP8MAC_E5M2] = {"e5m2", true, 5, 2, 15, true, true, IEEE, SUBNORMAL},
    [FP8MAC_E4M3FNUZ] = {"e4m3fnuz", true, 4, 3, 8, false, false, NEGATIVE_ZERO, SUBNORMAL},
    [FP8MAC_E5M2FNUZ] = {"e5m2fnuz", true, 5, 2, 16, false, false, NEGATIVE_ZERO, SUBNORMAL},
    [FP8MAC_FP16] = {"float16", true, 5, 10, 15, true, true, IEEE, SUBNORMAL},
    [FP8MAC_BF16] = {"bfloat16", true, 8, 7, 127, true, true, IEEE, SUBNORMAL},
    [FP8MAC_FP32] = {"float32", true, 8, 23, 127, true, true, IEEE, SUBNORMAL},
    [FP8MAC_INT8] = {"int8", true, 0, 7, -6, false, false, NO_NAN, SUBNORMAL},
    [FP8MAC_E4M3] = {"e4m3", true, 4, 3, 7, true, true, IEEE, SUBNORMAL},
    [FP8MAC_E3M4] = {"e3m4", true, 3, 4, 3, true, true, IEEE, SUBNORMAL},
    [FP8MAC_E4M3B11FNUZ] = {"e4m3b11fnuz", true, 4, 3, 11, false, false, NEGATIVE_ZERO, SUBNORMAL},
    [FP8MAC_HFP8_E4M3] = {"hfp8_e4m3", true, 4, 3, 11, false, true, NO_NAN, NORMAL},
    [FP8MAC_CFLOAT8_E4M3] = {"cfloat8_e4m3", true, 4, 3, 7, false, true, NO_NAN, AT_BIAS},
    [FP8MAC_CFLOAT8_E5M2] = {"cfloat8_e5m2", true, 5, 2, 15, false, true, NO_NAN, AT_BIAS},
    [FP8MAC_QC_E5M2] = {"qc_e5m2", true, 5, 2, 15, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_QC_E4M3] = {"qc_e4m3", true, 4, 3, 7, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_QC_E3M4] = {"qc_e3m4", true, 3, 4, 3, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_QC_E2M5] = {"qc_e2m5", true, 2, 5, 1, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_GAUDI_E4M3] = {"gaudi_e4m3", true, 4, 3, 7, true, true, IEEE, SUBNORMAL},
    [FP8MAC_E3M2FN] = {"e3m2fn", true, 3, 2, 3, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_E2M3FN] = {"e2m3fn", true, 2, 3, 1, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_E2M1FN] = {"e2m1fn", true, 2, 1, 1, false, true, NO_NAN, SUBNORMAL},
    [FP8MAC_MXINT8] = {"mxint8", true, 0, 7, 0, false, false, NO_NAN, SUBNORMAL},
    [FP8MAC_E8M0FNU] = {"e8m0fnu", false, 8, 0, 127, false, false, ALL_ONES, NORMAL},
    [FP8MAC_E8M13] = {"e8m13", true, 8, 13, 127, true, true, IEEE, SUBNORMAL},
    [FP8MAC_E6M9] = {"e6m9", true, 6, 9, 31, true, true, IEEE, SUBNORMAL},
};

static const struct {
    const char *name;
    fp8mac_format_id id;
} aliases[] = {
    {"fp16", FP8MAC_FP16}, {"bf16", FP8MAC_BF16}, {"fp32", FP8MAC_FP32}, {"1-6-9", FP8MAC_E6M9}};

const fp8mac_format *fp8mac_format_get(fp8mac_format_id id)
{
    return (unsigned)id < FP8MAC_FORMAT_COUNT ? &fp8mac_formats[id] : NULL;
}

const fp8mac_format *fp8mac_format_by_name(const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < FP8MAC_FORMAT_COUNT; i++) {
        if (strcmp(name, fp8mac_formats[i].name) == 0) {
            return &fp8mac_formats[i];
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            return &fp8mac_formats[aliases[i].id];
        }
    }
    return NULL;
}

// Which biases fp8mac_format_with_bias gives a format.
static bool bias_is_possible(fp8mac_format_id id, int bias)
{
    switch (id) {
    case FP8MAC_CFLOAT8_E4M3:
    case FP8MAC_CFLOAT8_E5M2: return bias >= 0 && bias <= 63;
    case FP8MAC_GAUDI_E4M3: return bias == 3 || bias == 7 || bias == 11 || bias == 15;
    case FP8MAC_QC_E5M2:
    case FP8MAC_QC_E4M3:
    case FP8MAC_QC_E3M4:
    case FP8MAC_QC_E2M5: return bias >= FP8MAC_BIAS_MIN && bias <= FP8MAC_BIAS_MAX;
    default: return false;
    }
}

fp8mac_format fp8mac_format_with_bias(fp8mac_format_id id, int bias)
{
    if (!bias_is_possible(id, bias)) {
        return (fp8mac_format){.bias = FP8MAC_BIAS_IMPOSSIBLE};
    }
    fp8mac_format format = fp8mac_formats[id];
    format.bias = (int16_t)bias;
    return format;
}

static const char *shape_refusal(const fp8mac_format *f)
{
    if (f->bias == FP8MAC_BIAS_IMPOSSIBLE) {
        return "The bias is not one that this format can have.";
    }
    if (f->bias < FP8MAC_BIAS_MIN || f->bias > FP8MAC_BIAS_MAX) {
        // The limits keep exponents of products far inside an int32_t.
        return "The bias is outside -128..255.";
    }
    if (f->exponent_bits > 8 || f->mantissa_bits > 23) {
        return "More than 8 exponent bits or more than 23 mantissa bits.";
    }
    if (f->exponent_bits + f->mantissa_bits < 2) {
        return "Fewer than two bits besides the sign.";
    }
    if ((unsigned)f->exponent_zero > NORMAL) {
        return "The meaning of exponent field 0 is unknown.";
    }
    if (!f->is_signed && f->has_negative_zero) {
        return "An unsigned format cannot have a negative zero.";
    }
    return NULL;
}

// Why the special values that the format declares do not fit together or do not fit its codes.
static const char *specials_refusal(const fp8mac_format *f)
{
    switch (f->nan_encoding) {
    case NO_NAN:
    case ALL_ONES:
        return f->has_inf ? "There is Inf, but no NaN encoding that goes with it." : NULL;
    case IEEE:
        if (!f->has_inf) {
            return "The IEEE encoding of NaN goes with Inf.";
        }
        return f->mantissa_bits == 0 ? "The IEEE encoding of NaN needs a mantissa bit." : NULL;
    case NEGATIVE_ZERO:
        if (f->has_inf || f->has_negative_zero || !f->is_signed) {
            return "A NaN in place of -0 needs a sign, no -0 and no Inf.";
        }
        return NULL;
    }
    return "The NaN encoding is unknown.";
}

static const char *exponent_refusal(const fp8mac_format *f)
{
    bool integer = f->is_signed && f->nan_encoding == NO_NAN && !f->has_negative_zero &&
                   f->exponent_zero == SUBNORMAL;
    if (f->exponent_bits == 0 && !integer) {
        return "A format without exponent bits is two's complement: signed, gradual, without NaN "
               "and "
               "-0.";
    }
    bool powers = !f->is_signed && f->nan_encoding == ALL_ONES;
    if (f->exponent_zero == NORMAL && f->mantissa_bits == 0 && !powers) {
        return "A format of powers of two without zero is unsigned and has a NaN of all ones.";
    }
    return NULL;
}

const char *fp8mac_format_refusal(const fp8mac_format *f)
{
    if (f == NULL) {
        return "There is no format.";
    }
    const char *refusal = shape_refusal(f);
    if (refusal == NULL) {
        refusal = specials_refusal(f);
    }
    return refusal == NULL ? exponent_refusal(f) : refusal;
}

fp8mac_status fp8mac_format_validate(const fp8mac_format *f)
{
    return fp8mac_format_refusal(f) == NULL ? FP8MAC_OK : FP8MAC_ERR_FORMAT;
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
    if (magnitude == 0 && !fp8mac_format_is_powers(f)) {
        return sign && f->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO ? FP8MAC_CLASS_NAN
                                                                   : FP8MAC_CLASS_ZERO;
    }
    return FP8MAC_CLASS_FINITE;
}

int32_t fp8mac_format_unit_exponent(const fp8mac_format *f)
{
    return (f->exponent_zero == SUBNORMAL ? 1 : 0) - f->bias - f->mantissa_bits;
}

fp8mac_value fp8mac_decode(const fp8mac_format *f, uint32_t code)
{
    uint32_t magnitude = code & magnitude_mask(f);
    bool sign = f->is_signed && (code >> (f->exponent_bits + f->mantissa_bits) & 1) != 0;
    if (f->exponent_bits == 0 && sign) {
        magnitude = magnitude_mask(f) + 1 - magnitude; // two's complement
    }
    fp8mac_value value = {.cls = classify(f, sign, magnitude), .sign = sign};
    if (value.cls == FP8MAC_CLASS_FINITE && f->exponent_bits == 0) {
        value.significand = magnitude;
        value.exponent = fp8mac_format_unit_exponent(f);
    } else if (value.cls == FP8MAC_CLASS_FINITE) {
        uint32_t field = magnitude >> f->mantissa_bits;
        bool hidden = field != 0 || f->exponent_zero == NORMAL;
        value.significand =
            (hidden ? UINT32_C(1) << f->mantissa_bits : 0) | (magnitude & mantissa_mask(f));
        value.exponent = field == 0 ? fp8mac_format_unit_exponent(f)
                                    : (int32_t)field - f->bias - f->mantissa_bits;
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
    case FP8MAC_NAN_IEEE:
        return top - (mantissa_mask(f) >> 1); // quiet: the mantissa's first bit alone
    case FP8MAC_NAN_ALL_ONES: return top;
    case FP8MAC_NAN_NEGATIVE_ZERO: return top + 1; // the sign bit alone
    default: return 0;
    }
}
