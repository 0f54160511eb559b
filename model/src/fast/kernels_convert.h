// SPDX-License-Identifier: Apache-2.0
// Conversion of arrays, and of codes to floats. vector.h defines the vectors.

// |x| + 2^(e_min - m + 23): the sum's last place is the quantum, so the addition rounds to it,
// nearest even.
INLINE vi encode_subnormal(const fp8mac_fast_encode *how, vi magnitude)
{
    vf sum = (vf)magnitude + splat_float(fp8mac_float_from_bits(how->format.denormal_magic));
    return (vi)sum - (int32_t)how->format.denormal_magic;
}

// Nearest even: adds half - 1 + the last kept bit, then truncates.
//
//   31 30      23 22      shift  shift-1      0
//   [s][ exponent ][  kept     ][    rest      ]
INLINE vi encode_normal(const fp8mac_fast_encode *how, vi magnitude)
{
    uint32_t shift = how->format.shift;
    vu u = (vu)magnitude;
    vu odd = (u >> shift) & 1;
    return (vi)((u + ((UINT32_C(1) << (shift - 1)) - 1) + odd) >> shift) -
           (int32_t)how->format.rebias;
}

// The random bits are aligned to the rest and added. Random bits below its last bit cannot carry.
INLINE vi encode_normal_random(const fp8mac_fast_encode *how, vi magnitude, vu r)
{
    uint32_t shift = how->format.shift, n = how->random_bits;
    vu addend = n <= shift ? r << (shift - n) : r >> (n - shift);
    return (vi)(((vu)magnitude + addend) >> shift) - (int32_t)how->format.rebias;
}

// |x| in units of quantum / 2^n, truncated: the truncated bits cannot carry either.
INLINE vi encode_subnormal_random(const fp8mac_fast_encode *how, vi magnitude, vu r)
{
    vf units = (vf)magnitude * how->units;
    vi in_range = (vi)SELECT(GREATER(splat(how->format.least_normal), magnitude), units, splat(0));
    return (vi)(((vu) __builtin_convertvector((vf)in_range, vi) + r) >> how->random_bits);
}

typedef struct seen_masks {
    vmask over, inf;
} seen_masks;

INLINE vi encode(const fp8mac_fast_encode *how, vi x, vu r, bool random, seen_masks *seen)
{
    const fp8mac_fast_format *format = &how->format;
    vi magnitude = x & splat(0x7fffffffu);
    vi normal = random ? encode_normal_random(how, magnitude, r) : encode_normal(how, magnitude);
    vi small =
        random ? encode_subnormal_random(how, magnitude, r) : encode_subnormal(how, magnitude);
    vi code = SELECT(GREATER(splat(format->least_normal), magnitude), small, normal);
    vmask over = GREATER(code, splat(format->max_code));
    vmask special = GREATER(magnitude, splat(0x7f7fffffu));
    vmask nan = GREATER(magnitude, splat(0x7f800000u));
    code = SELECT(over, splat(how->finite_code), code);
    code = SELECT(special, splat(how->inf_code), code);
    code = SELECT(nan, splat(format->nan_code), code);
    seen->over = MASK_OR(seen->over, MASK_XOR(over, special)); // what is special is over, too
    seen->inf = MASK_OR(seen->inf, MASK_XOR(special, nan));
    vi sign = (vi)((vu)x >> (32 - format->bits)) & splat(format->sign);
    vi zero = SELECT(EQUAL(code, splat(0)), splat(format->keep_zero_sign), splat(0xffffffffu));
    return code | (sign & zero);
}

// `left` <= VL elements from i on.
INLINE void encode_some(const fp8mac_fast_encode *how, uint8_t *dst, const float *src, size_t i,
                        size_t left, unsigned bytes, bool random, seen_masks *masks)
{
    vi x = (vi)load_some(src + i, left);
    vu r = random ? (vu)load_some((const float *)(const void *)(how->r + i), left) : (vu){0};
    vi codes = encode(how, x, r, random, masks);
    if (bytes == 1) {
        v_code8 out = NARROW8(codes);
        memcpy(dst + i, &out, left >= VL ? sizeof out : left);
    } else {
        v_code16 out = NARROW16(codes);
        memcpy(dst + 2 * i, &out, left >= VL ? sizeof out : 2 * left);
    }
}

// Four vectors that hold no NaN, Inf or value beyond the largest: what occurs most. False if they
// may; then nothing has been written.
INLINE bool encode_four(const fp8mac_fast_encode *how, uint8_t *dst, const float *src, size_t i,
                        bool random)
{
    const fp8mac_fast_format *format = &how->format;
    vi x[4], beyond = {0}, limit = splat(format->max_bits);
    UNROLL for (int j = 0; j < 4; j++)
    {
        x[j] = (vi)load(src + i + (size_t)j * VL);
        beyond |= limit - (x[j] & 0x7fffffff); // negative if it is
    }
    if (ANY_OF(beyond & INT32_MIN)) {
        return false;
    }
    UNROLL for (int j = 0; j < 4; j++)
    {
        vi magnitude = x[j] & 0x7fffffff, normal, small;
        if (random) {
            vu r;
            memcpy(&r, how->r + i + (size_t)j * VL, sizeof r);
            normal = encode_normal_random(how, magnitude, r);
            small = encode_subnormal_random(how, magnitude, r);
        } else {
            normal = encode_normal(how, magnitude);
            small = encode_subnormal(how, magnitude);
        }
        vi code = SELECT(GREATER(splat(format->least_normal), magnitude), small, normal);
        vi sign = (vi)((vu)x[j] >> (32 - format->bits)) & splat(format->sign);
        if (format->keep_zero_sign == 0) {
            sign = SELECT(EQUAL(code, splat(0)), splat(0), sign);
        }
        x[j] = code | sign;
    }
    vc codes = NARROW_FOUR(x[0], x[1], x[2], x[3]);
    memcpy(dst + i, &codes, sizeof codes);
    return true;
}

INLINE void encode_array(const fp8mac_fast_encode *how, void *dst, const float *src, size_t n,
                         unsigned bytes, bool random, fp8mac_fast_seen *seen)
{
    seen_masks masks = {NO_MASK, NO_MASK};
    const fp8mac_fast_encode local = *how;
    size_t i = 0;
    for (; bytes == 1 && n - i >= 4 * VL; i += 4 * VL) {
        if (!encode_four(&local, dst, src, i, random)) {
            for (size_t j = 0; j < 4 * VL; j += VL) {
                encode_some(&local, dst, src, i + j, VL, bytes, random, &masks);
            }
        }
    }
    for (; n - i >= VL; i += VL) {
        encode_some(&local, dst, src, i, VL, bytes, random, &masks);
    }
    if (i < n) {
        encode_some(&local, dst, src, i, n - i, bytes, random, &masks);
    }
    seen->over = ANY(masks.over);
    seen->inf = ANY(masks.inf);
}

static void encode8(const fp8mac_fast_encode *how, uint8_t *dst, const float *src, size_t n,
                    fp8mac_fast_seen *seen)
{
    if (how->random_bits != 0) {
        encode_array(how, dst, src, n, 1, true, seen);
    } else {
        encode_array(how, dst, src, n, 1, false, seen);
    }
}

static void encode16(const fp8mac_fast_encode *how, uint16_t *dst, const float *src, size_t n,
                     fp8mac_fast_seen *seen)
{
    encode_array(how, dst, src, n, 2, false, seen);
}

// Floats of finite codes: their bits moved up, or a subnormal's integer times the quantum.
INLINE vi decode_finite(const fp8mac_fast_format *format, vi magnitude)
{
    vi normal = (magnitude + (int32_t)format->rebias) << format->shift;
    vf small = __builtin_convertvector(magnitude, vf) * format->quantum;
    return SELECT(GREATER(splat(UINT32_C(1) << (23 - format->shift)), magnitude), (vi)small,
                  normal);
}

INLINE vi decode(const fp8mac_fast_format *format, vi code)
{
    code &= splat(2 * format->sign - 1);
    vi magnitude = code & splat(format->sign - 1);
    vi value = decode_finite(format, magnitude);
    vi special = SELECT(EQUAL(magnitude, splat(format->has_inf ? format->inf_code : UINT32_MAX)),
                        splat(0x7f800000u), splat(0x7fc00000u));
    value = SELECT(GREATER(magnitude, splat(format->max_code)), special, value);
    if (format->nan_is_minus_zero) {
        value = SELECT(EQUAL(code, splat(format->sign)), splat(0x7fc00000u), value);
    }
    return value | (code & splat(format->sign)) << (32 - format->bits);
}

INLINE void decode_some(const fp8mac_fast_format *format, float *dst, const uint8_t *src, size_t i,
                        size_t left, unsigned bytes)
{
    vi codes;
    if (bytes == 1) {
        v_code8 in = {0};
        memcpy(&in, src + i, left >= VL ? sizeof in : left);
        codes = WIDEN8(in);
    } else {
        v_code16 in = {0};
        memcpy(&in, src + 2 * i, left >= VL ? sizeof in : 2 * left);
        codes = WIDEN16(in);
    }
    store_some(dst + i, (vf)decode(format, codes), left);
}

INLINE void decode_array(const fp8mac_fast_format *format, float *dst, const void *src, size_t n,
                         unsigned bytes)
{
    const fp8mac_fast_format local = *format;
    size_t i = 0;
    for (; n - i >= VL; i += VL) {
        decode_some(&local, dst, src, i, VL, bytes);
    }
    if (i < n) {
        decode_some(&local, dst, src, i, n - i, bytes);
    }
}

static void decode8(const fp8mac_fast_format *format, float *dst, const uint8_t *src, size_t n)
{
    decode_array(format, dst, src, n, 1);
}

static void decode16(const fp8mac_fast_format *format, float *dst, const uint16_t *src, size_t n)
{
    decode_array(format, dst, src, n, 2);
}

static uint32_t bits_used(const uint32_t *words, size_t n)
{
    vi all = {0};
    uint32_t used = 0;
    size_t i = 0;
    for (; n - i >= VL; i += VL) {
        vi some;
        memcpy(&some, words + i, sizeof some);
        all |= some;
    }
    for (; i < n; i++) {
        used |= words[i];
    }
    for (int j = 0; j < VL; j++) {
        used |= (uint32_t)all[j];
    }
    return used;
}
