// SPDX-License-Identifier: Apache-2.0
// Array conversions from float32, and to it, by the kernels.
#include "core/convert.h"
#include "fast/fast.h"

#if FP8MAC_FAST

static uint32_t float_of_power(int32_t e) // 2^e, also subnormal
{
    return e >= -126 ? (uint32_t)(e + 127) << 23 : UINT32_C(1) << (e + 149);
}

bool fp8mac_fast_format_init(fp8mac_fast_format *format, const fp8mac_format *f)
{
    int32_t e_min = 1 - f->bias;
    bool ok = f->is_signed && f->exponent_bits >= 1 && f->mantissa_bits >= 1 &&
              fp8mac_format_bytes(f) <= 2 && f->exponent_zero == FP8MAC_EXPONENT_ZERO_SUBNORMAL &&
              e_min >= -126;
    if (!ok) {
        return false;
    }
    uint32_t m = f->mantissa_bits;
    uint32_t max_code = fp8mac_format_max_code(f);
    int32_t e_max = (int32_t)(max_code >> m) - f->bias;
    if (e_min - (int32_t)m < -149 || e_min - (int32_t)m + 23 > 127 || e_max > 127) {
        return false;
    }
    *format = (fp8mac_fast_format){
        .bits = fp8mac_format_bits(f),
        .shift = 23 - m,
        .sign = UINT32_C(1) << (f->exponent_bits + m),
        .keep_zero_sign = f->has_negative_zero ? UINT32_MAX : 0,
        .rebias = (uint32_t)(127 - f->bias) << m,
        .least_normal = float_of_power(e_min),
        .denormal_magic = float_of_power(e_min - (int32_t)m + 23),
        .quantum = fp8mac_float_from_bits(float_of_power(e_min - (int32_t)m)),
        .max_code = max_code,
        .inf_code = f->has_inf ? max_code + 1 : fp8mac_format_nan_code(f),
        .nan_code = fp8mac_format_nan_code(f),
        .max_bits = (max_code + ((uint32_t)(127 - f->bias) << m)) << (23 - m),
        .has_inf = f->has_inf,
        .nan_is_minus_zero = f->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO,
    };
    return true;
}

static bool is_float32(const fp8mac_format *f)
{
    const fp8mac_format *own = &fp8mac_formats[FP8MAC_FP32];
    return f->is_signed && f->exponent_bits == 8 && f->mantissa_bits == 23 &&
           f->bias == own->bias && f->nan_encoding == own->nan_encoding && f->has_negative_zero &&
           f->exponent_zero == own->exponent_zero;
}

static bool encode_init(fp8mac_fast_encode *how, const fp8mac_format *dst, fp8mac_overflow overflow)
{
    if (!fp8mac_fast_format_init(&how->format, dst) || dst->nan_encoding == FP8MAC_NAN_NONE) {
        return false;
    }
    if (fp8mac_format_is_wide(dst)) {
        overflow = FP8MAC_OVERFLOW_IEEE;
    }
    uint32_t max_code = how->format.max_code, inf_code = how->format.inf_code;
    how->finite_code = overflow == FP8MAC_OVERFLOW_IEEE ? inf_code : max_code;
    how->inf_code = overflow == FP8MAC_OVERFLOW_SATURATE ? max_code : inf_code;
    return true;
}

static void run_encode(const fp8mac_kernels *kernels, const fp8mac_fast_encode *how, void *dst,
                       const float *src, size_t n, fp8mac_flags *flags)
{
    fp8mac_fast_seen seen;
    if (how->format.bits <= 8) {
        kernels->encode8(how, dst, src, n, &seen);
    } else {
        kernels->encode16(how, dst, src, n, &seen);
    }
    bool finite_saturates = how->finite_code == how->format.max_code,
         inf_saturates = how->inf_code == how->format.max_code;
    if (seen.over) {
        fp8mac_raise(flags, finite_saturates ? FP8MAC_FLAG_SATURATED : FP8MAC_FLAG_OVERFLOW);
    }
    if (seen.inf && inf_saturates) {
        fp8mac_raise(flags, FP8MAC_FLAG_SATURATED);
    }
}

bool fp8mac_fast_convert(const fp8mac_kernels *kernels, const fp8mac_format *dst_format, void *dst,
                         const fp8mac_format *src_format, const void *src, size_t n,
                         fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    fp8mac_fast_encode how = {.random_bits = 0};
    if (is_float32(dst_format) && fp8mac_fast_format_init(&how.format, src_format)) {
        if (fp8mac_format_bytes(src_format) == 1) {
            kernels->decode8(&how.format, dst, src, n);
        } else {
            kernels->decode16(&how.format, dst, src, n);
        }
        return true;
    }
    if (!is_float32(src_format) || mode.rounding != FP8MAC_ROUND_NEAREST_EVEN ||
        !encode_init(&how, dst_format, mode.overflow)) {
        return false;
    }
    run_encode(kernels, &how, dst, src, n, flags);
    return true;
}

bool fp8mac_fast_convert_stochastic(const fp8mac_kernels *kernels, const fp8mac_format *dst_format,
                                    void *dst, const fp8mac_format *src_format, const void *src,
                                    size_t n, fp8mac_overflow overflow, const uint32_t *r,
                                    unsigned bits, fp8mac_flags *flags)
{
    fp8mac_fast_encode how = {.random_bits = bits, .r = r};
    if (r == NULL || !is_float32(src_format) || fp8mac_format_bytes(dst_format) != 1 ||
        !encode_init(&how, dst_format, overflow)) {
        return false;
    }
    int32_t quantum_exponent = 1 - dst_format->bias - dst_format->mantissa_bits;
    int32_t units_exponent = (int32_t)bits - quantum_exponent;
    if (units_exponent > 127 || units_exponent < -126 || dst_format->mantissa_bits + bits > 29) {
        return false;
    }
    how.units = fp8mac_float_from_bits(float_of_power(units_exponent));
    run_encode(kernels, &how, dst, src, n, flags);
    return true;
}

// ---- with a scale -------------------------------------------------------------------------------

enum { BLOCK = 1024 };

// out = x * scale. False if an operand or a result is not finite.
static bool multiply(const fp8mac_kernels *kernels, float *out, const float *x, size_t n,
                     float scale)
{
    fp8mac_fast_outputs o = {
        .n = n, .t0 = x, .scale_a = scale, .scale_b = 1, .scale_d = 1, .out = out};
    kernels->outputs(&o);
    return !o.nonfinite;
}

bool fp8mac_fast_quantize(const fp8mac_kernels *kernels, const fp8mac_format *dst_format, void *dst,
                          const float *src, size_t n, float scale, fp8mac_convert_mode mode,
                          fp8mac_flags *flags)
{
    fp8mac_fast_encode how = {.random_bits = 0};
    if (mode.rounding != FP8MAC_ROUND_NEAREST_EVEN ||
        !encode_init(&how, dst_format, mode.overflow)) {
        return false;
    }
    float product[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        void *out = (uint8_t *)dst + i * fp8mac_format_bytes(dst_format);
        if (multiply(kernels, product, src + i, count, scale)) {
            run_encode(kernels, &how, out, product, count, flags);
        } else {
            fp8mac_quantize_defined(dst_format, out, src + i, count, scale, mode, flags);
        }
    }
    return true;
}

bool fp8mac_fast_dequantize(const fp8mac_kernels *kernels, float *dst,
                            const fp8mac_format *src_format, const void *src, size_t n, float scale)
{
    fp8mac_fast_format format;
    if (!fp8mac_fast_format_init(&format, src_format)) {
        return false;
    }
    unsigned bytes = fp8mac_format_bytes(src_format);
    float value[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        const uint8_t *codes = (const uint8_t *)src + i * bytes;
        if (bytes == 1) {
            kernels->decode8(&format, value, codes, count);
        } else {
            kernels->decode16(&format, value, (const void *)codes, count);
        }
        if (!multiply(kernels, dst + i, value, count, scale)) {
            fp8mac_dequantize_defined(dst + i, src_format, codes, count, scale);
        }
    }
    return true;
}
#endif
