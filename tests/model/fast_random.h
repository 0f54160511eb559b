// SPDX-License-Identifier: Apache-2.0
// Random GEMMs for the kernels: all settings, codes of every kind, and the sums that are hard to
// round.
#ifndef FAST_RANDOM_H
#define FAST_RANDOM_H

#include "check.h"
#include "fast/fast.h"

static uint64_t random_state = 20240611;

static uint32_t random_bits(void) // splitmix64
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint32_t below(uint32_t n)
{
    return random_bits() % n;
}

enum { M_MOST = 70, N_MOST = 90, K_MOST = 700, PAD = 3 };

static uint8_t a[M_MOST * (K_MOST + PAD)], b[N_MOST * (K_MOST + PAD)];
static float scales_a[M_MOST], scales_b[N_MOST], bias[N_MOST], scale_d;
static float c[M_MOST * (N_MOST + PAD)];
static uint8_t d_want[M_MOST * (N_MOST + PAD) * 4], d_got[M_MOST * (N_MOST + PAD) * 4];

typedef enum code_kind {
    ANY,
    FINITE,
    NEAR_ONE,
    TINY,
    LARGEST,
    FEW_SPECIAL,
    ZEROS,
    KINDS
} code_kind;

// A finite code of a format whose specials are its largest codes.
static uint8_t random_code(const fp8mac_format *f, code_kind kind)
{
    uint32_t max = fp8mac_format_max_code(f), sign = below(2) << 7,
             one = (uint32_t)f->bias << f->mantissa_bits;
    uint32_t width = 3u << f->mantissa_bits;
    switch (kind) {
    case ANY: return (uint8_t)random_bits();
    case NEAR_ONE: return (uint8_t)(sign | (one - width + below(2 * width)));
    case TINY: return (uint8_t)(sign | below(6));
    case LARGEST: return (uint8_t)(sign | (max - below(8)));
    case ZEROS: return (uint8_t)(below(8) != 0 ? sign : sign | below(max + 1));
    case FEW_SPECIAL:
        return below(4000) == 0 ? (uint8_t)random_bits() : (uint8_t)(sign | below(max + 1));
    default: return (uint8_t)(sign | below(max + 1));
    }
}

static void random_codes(uint8_t *codes, size_t n, const fp8mac_format *f, code_kind kind)
{
    for (size_t i = 0; i < n; i++) {
        codes[i] = random_code(f, kind);
        if (codes[i] == 0x80 && f->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO && kind != ANY) {
            codes[i] = 0;
        }
    }
}

static float random_float(unsigned kind)
{
    float x = fp8mac_float_from_bits(0x3f800000u | random_bits() >> 9) - 1.5f;
    switch (kind % 12) {
    case 0: return 0;
    case 1: return -0.0f;
    case 2: return x * 1e-38f;
    case 3: return x * 1e38f;
    case 4: return fp8mac_float_from_bits(random_bits());
    default: return x;
    }
}

static float random_scale(bool wild)
{
    uint32_t x = wild ? random_bits() % 0x7f800000u
                      : 0x3f800000u + random_bits() % 0x01000000u - 0x00800000u;
    return fp8mac_float_from_bits(x == 0 ? 1 : x);
}

// One of the settings for which there is a kernel, and now and then one for which there is none.
static fp8mac_dot_config random_dot(void)
{
    static const struct {
        fp8mac_acc_format acc;
        unsigned group, frac_bits;
        fp8mac_rounding rounding;
    } settings[] = {
        {FP8MAC_ACC_FP32, 1, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP16, 1, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP32, 4, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP16, 4, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP32, 7, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP16, 16, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FIXED, 4, 0, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_E8M13, 32, 13, FP8MAC_ROUND_TOWARD_ZERO},
        {FP8MAC_ACC_FP32, 32, 25, FP8MAC_ROUND_TOWARD_ZERO},
        {FP8MAC_ACC_FP16, 32, 13, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_E8M13, 16, 13, FP8MAC_ROUND_TOWARD_ZERO},
        {FP8MAC_ACC_FP32, 5, 20, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP16, 32, 25, FP8MAC_ROUND_NEAREST_EVEN},
        {FP8MAC_ACC_FP32, 300, 27, FP8MAC_ROUND_TOWARD_ZERO},
    };
    size_t i = below(sizeof settings / sizeof settings[0]);
    fp8mac_dot_config dot = {
        .acc_format = settings[i].acc,
        .group = settings[i].group,
        .frac_bits = settings[i].frac_bits,
        .acc_rounding = settings[i].rounding,
    };
    unsigned scaled = below(4);
    dot.a.scale_exp = scaled == 0 ? (int)below(65) - 32 : scaled == 1 ? (int)below(9) - 4 : 0;
    dot.b.scale_exp = scaled == 0 ? (int)below(65) - 32 : 0;
    bool floating = dot.acc_format != FP8MAC_ACC_FIXED;
    dot.lscale = floating && below(8) == 0 ? below(16) : 0;
    dot.acc_saturate = floating && below(8) == 0;
    dot.flush = floating && below(16) == 0;
    dot.promote = floating && below(16) == 0 ? dot.group * 4 : 0;
    dot.align_by =
        dot.frac_bits != 0 && below(8) == 0 ? FP8MAC_ALIGN_BY_OPERANDS : FP8MAC_ALIGN_BY_PRODUCTS;
    dot.min_exponent = dot.frac_bits != 0 && below(4) == 0 ? 1 - (int)below(152) : 0;
    return dot;
}

static const fp8mac_format *random_format(void)
{
    static const fp8mac_format_id others[] = {FP8MAC_E4M3, FP8MAC_E3M4, FP8MAC_E4M3B11FNUZ,
                                              FP8MAC_QC_E2M5};
    uint32_t i = below(20);
    return row(i < 16 ? (fp8mac_format_id)(i % 4) : others[i - 16]);
}

static fp8mac_gemm_desc random_gemm(void)
{
    static const fp8mac_format_id outputs[] = {FP8MAC_E4M3FN,   FP8MAC_E5M2, FP8MAC_E4M3FNUZ,
                                               FP8MAC_E5M2FNUZ, FP8MAC_FP16, FP8MAC_BF16,
                                               FP8MAC_FP32,     FP8MAC_FP32, FP8MAC_INT8};
    fp8mac_gemm_desc desc = {.m = 1 + below(M_MOST),
                             .n = 1 + below(N_MOST),
                             .dot = random_dot(),
                             .a.codes = a,
                             .b.codes = b};
    desc.k = 1 + (below(3) == 0 ? below(K_MOST) : below(80));
    desc.a.stride = desc.k + below(PAD + 1);
    desc.b.stride = desc.k + below(PAD + 1);
    desc.dot.a.format = random_format();
    desc.dot.b.format = random_format();
    code_kind kind = (code_kind)below(KINDS);
    random_codes(a, desc.m * desc.a.stride, desc.dot.a.format, kind);
    random_codes(b, desc.n * desc.b.stride, desc.dot.b.format,
                 below(3) == 0 ? (code_kind)below(KINDS) : kind);

    bool wild = below(6) == 0;
    desc.a.scale = (fp8mac_scale){(fp8mac_scale_mode)below(3), scales_a};
    desc.b.scale = (fp8mac_scale){(fp8mac_scale_mode)below(3), scales_b};
    for (size_t i = 0; i < M_MOST; i++) {
        scales_a[i] = random_scale(wild);
    }
    for (size_t i = 0; i < N_MOST; i++) {
        scales_b[i] = random_scale(wild);
        bias[i] = random_float(wild ? random_bits() : 5);
    }
    scale_d = random_scale(wild);
    desc.scale_d = below(2) != 0 ? &scale_d : NULL;
    desc.bias = below(2) != 0 ? bias : NULL;
    desc.beta = below(2) != 0 ? random_float(wild ? random_bits() : 5) : 0;
    desc.c = c;
    desc.c_format = row((fp8mac_format_id)(FP8MAC_FP16 + below(3)));
    desc.ldc = desc.n + below(PAD + 1);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        c[i] = random_float(wild ? random_bits() : 5);
    }
    desc.activation = (fp8mac_activation)below(FP8MAC_ACTIVATIONS);
    desc.clamp_lo = -0.25f;
    desc.clamp_hi = below(2) != 0 ? 100.0f : 0.0f;
    desc.d_format = row(outputs[below(sizeof outputs / sizeof outputs[0])]);
    desc.d_mode =
        (fp8mac_convert_mode){below(8) == 0 ? FP8MAC_ROUND_TOWARD_ZERO : FP8MAC_ROUND_NEAREST_EVEN,
                              (fp8mac_overflow)below(FP8MAC_OVERFLOWS)};
    if (desc.d_format == row(FP8MAC_INT8)) {
        desc.d_mode.overflow = FP8MAC_OVERFLOW_SATURATE;
    }
    desc.ldd = desc.n + below(PAD + 1);
    return desc;
}

// Sums that do not fit a double: all of E5M2's range, with large terms that cancel and leave
// small ones to be rounded.
static fp8mac_gemm_desc random_wide(void)
{
    fp8mac_gemm_desc desc = {
        .m = 1 + below(13), .n = 1 + below(40), .k = 1 + below(60), .a.codes = a, .b.codes = b};
    static const fp8mac_format_id outputs[] = {FP8MAC_FP32, FP8MAC_FP16, FP8MAC_BF16, FP8MAC_E5M2,
                                               FP8MAC_E4M3FN};
    desc.d_format = row(outputs[below(sizeof outputs / sizeof outputs[0])]);
    desc.d_mode.overflow = (fp8mac_overflow)below(FP8MAC_OVERFLOWS);
    desc.a.stride = desc.b.stride = desc.k;
    desc.ldd = desc.n;
    desc.dot = (fp8mac_dot_config){
        .a.format = row(below(2) != 0 ? FP8MAC_E5M2 : FP8MAC_E5M2FNUZ),
        .b.format = row(below(2) != 0 ? FP8MAC_E5M2 : FP8MAC_E5M2FNUZ),
        .acc_format = (fp8mac_acc_format)below(3), // FP32, FP16, FIXED
        .group = 2 + below(below(3) == 0 ? 40 : 4),
        .a.scale_exp = below(2) != 0 ? (int)below(65) - 32 : (int)below(11) - 8,
    };
    random_codes(a, desc.m * desc.a.stride, desc.dot.a.format, FINITE);
    random_codes(b, desc.n * desc.b.stride, desc.dot.b.format, FINITE);
    uint32_t cancel = below(3);
    for (size_t i = 0; i + 1 < desc.m * desc.k && cancel != 0; i += 1 + cancel) {
        a[i + 1] = a[i] == 0 ? 0 : a[i] ^ 0x80; // the same magnitude with a neighbour in B, often
    }
    for (size_t i = 0; i + 1 < desc.n * desc.k && cancel != 0; i += 1 + cancel) {
        b[i + 1] = b[i];
    }
    for (size_t i = 0; i < desc.m * desc.k && below(2) != 0; i++) {
        a[i] = below(3) == 0 ? (uint8_t)(a[i] & 0x83) : a[i];
        a[i] =
            a[i] == 0x80 && desc.dot.a.format->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO ? 0 : a[i];
    }
    return desc;
}

// Nothing done to the sums, NaN among many codes or few, nan_code now and then.
static fp8mac_gemm_desc random_nans(void)
{
    fp8mac_gemm_desc desc = random_wide();
    desc.dot = random_dot();
    desc.dot.a.format = row(below(2) != 0 ? FP8MAC_E4M3FN : FP8MAC_E5M2FNUZ);
    desc.dot.b.format = row(below(2) != 0 ? FP8MAC_E4M3FN : FP8MAC_E4M3FNUZ);
    bool fp32 = desc.dot.acc_format == FP8MAC_ACC_FP32 || desc.dot.acc_format == FP8MAC_ACC_E8M13;
    desc.dot.nan_code = below(2) == 0 || desc.dot.acc_format == FP8MAC_ACC_FIXED ? 0
                        : fp32                                                   ? 0x7fffffff
                                                                                 : 0x7fff;
    random_codes(a, desc.m * desc.a.stride, desc.dot.a.format, below(2) != 0 ? ANY : FEW_SPECIAL);
    random_codes(b, desc.n * desc.b.stride, desc.dot.b.format, below(2) != 0 ? TINY : FEW_SPECIAL);
    return desc;
}

// Sums of small integers, all exact, with a code of any kind somewhere now and then.
static fp8mac_gemm_desc random_nearly_exact(fp8mac_gemm_desc desc)
{
    const struct {
        uint8_t *codes;
        size_t count;
        const fp8mac_format *format;
    } sides[] = {{a, desc.m * desc.a.stride, desc.dot.a.format},
                 {b, desc.n * desc.b.stride, desc.dot.b.format}};
    for (int s = 0; s < 2; s++) {
        const fp8mac_format *f = sides[s].format;
        uint8_t one = (uint8_t)((uint32_t)f->bias << f->mantissa_bits);
        for (size_t i = 0; i < sides[s].count; i++) {
            sides[s].codes[i] = below(3) == 0 ? 0 : (uint8_t)(below(2) << 7 | one);
        }
        if (below(3) == 0) {
            sides[s].codes[below((uint32_t)sides[s].count)] = random_code(f, FINITE);
        }
    }
    desc.dot.a.scale_exp = desc.dot.b.scale_exp = 0;
    desc.a.scale.mode = desc.b.scale.mode = FP8MAC_SCALE_NONE;
    desc.bias = desc.scale_d = NULL;
    desc.beta = 0;
    return desc;
}

// INT8 with INT32 sums, which have the largest products now and then.
static fp8mac_gemm_desc random_int8(void)
{
    fp8mac_gemm_desc desc = random_gemm();
    desc.dot = (fp8mac_dot_config){.a.format = row(FP8MAC_INT8),
                                   .b.format = row(FP8MAC_INT8),
                                   .acc_format = FP8MAC_ACC_INT32,
                                   .group = 1 + below(40)};
    uint32_t largest = below(3);
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = largest == 1 ? 0x80 : (uint8_t)random_bits();
    }
    for (size_t i = 0; i < sizeof b; i++) {
        b[i] = largest != 0 ? 0x80 : (uint8_t)random_bits();
    }
    return desc;
}

static unsigned pick(const unsigned *from, size_t count)
{
    return from[below((uint32_t)count)];
}
#define PICK(...)                                                                                  \
    pick((const unsigned[]){__VA_ARGS__}, sizeof(const unsigned[]){__VA_ARGS__} / sizeof(unsigned))

static void random_alignment(fp8mac_dot_config *dot)
{
    dot->frac_bits = PICK(1, 5, 9, 13, 20, 24, 25, 28, 29, 1 + below(29));
    dot->align_round = (fp8mac_align_round)below(3);
    dot->align_by = (fp8mac_align_by)below(2);
    dot->min_exponent = below(3) == 0 ? 1 - (int)below(252) : 0;
    dot->acc_late = below(2) != 0;
    if (dot->acc_late) {
        dot->late_round = (fp8mac_align_round)below(3);
        dot->even_odd = dot->align_by == FP8MAC_ALIGN_BY_PRODUCTS && below(2) != 0;
        if (below(3) != 0) {
            dot->late_bits_sum = 1 + below(35);
            dot->late_bits_acc = 1 + below(35);
            dot->late_drop = below(2) != 0 ? 1 + below(30) : 0;
        }
    }
}

// Any setting of a floating-point accumulator.
static fp8mac_dot_config random_any_dot(void)
{
    static const fp8mac_acc_format accs[] = {FP8MAC_ACC_FP32, FP8MAC_ACC_FP16, FP8MAC_ACC_BF16,
                                             FP8MAC_ACC_E8M13, FP8MAC_ACC_E6M9};
    static const fp8mac_rounding roundings[] = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_ROUND_TOWARD_ZERO,
                                                FP8MAC_ROUND_ODD, FP8MAC_ROUND_STOCHASTIC};
    fp8mac_dot_config dot = {
        .a.format = row((fp8mac_format_id)below(FP8MAC_FORMAT_COUNT)),
        .b.format = row((fp8mac_format_id)below(FP8MAC_FORMAT_COUNT)),
        .acc_format = accs[below(5)],
        .acc_rounding = roundings[below(4)],
        .group = PICK(1, 1, 2, 4, 8, 16, 32, 7, 50),
    };
    if (below(4) != 0) {
        dot.a.format = row((fp8mac_format_id)below(4));
        dot.b.format = row((fp8mac_format_id)below(4));
    }
    if (dot.acc_rounding == FP8MAC_ROUND_STOCHASTIC) {
        dot.random_bits = 1 + below(24);
        dot.seed = (uint64_t)random_bits() << 32 | random_bits();
    }
    if (below(2) != 0) {
        random_alignment(&dot);
    }
    if (below(2) != 0) {
        dot.a.scale_exp = (int)below(65) - 32;
        dot.b.scale_exp = (int)below(65) - 32;
        dot.lscale = below(16);
    }
    dot.acc_saturate = below(4) == 0;
    dot.flush = below(4) == 0;
    dot.promote = below(3) == 0 ? dot.group * (1 + below(6)) : 0;
    dot.chunk = dot.promote == 0 && below(2) == 0 ? dot.group * (1 + below(6)) : 0;
    const fp8mac_format *code = fp8mac_acc_code_format(dot.acc_format);
    dot.nan_code = below(4) == 0 ? fp8mac_format_nan_code(code) + 1 : 0;
    return dot;
}

static uint8_t mx_a[M_MOST * 32], mx_b[N_MOST * 32];

static void random_blocks(uint8_t *mx, size_t size)
{
    bool wild = below(3) == 0;
    for (size_t i = 0; i < size; i++) {
        mx[i] = (uint8_t)(wild ? random_bits() : 120 + below(15));
        mx[i] = mx[i] == 0xff && below(4) != 0 ? 0 : mx[i];
    }
}

static fp8mac_gemm_desc random_any(void)
{
    fp8mac_gemm_desc desc = random_gemm();
    do {
        desc.dot = random_any_dot();
    } while (fp8mac_dot_config_validate(&desc.dot) != FP8MAC_OK);
    bool deep = below(8) == 0; // more than one block of the panels
    desc.m = 1 + below(deep ? 4 : 14);
    desc.n = 1 + below(deep ? 5 : 70);
    desc.k = 1 + (deep ? below(K_MOST) : below(100));
    desc.a.stride = desc.b.stride = desc.k;
    desc.ldd = desc.ldc = desc.n;
    code_kind kind = (code_kind)PICK(FINITE, NEAR_ONE, TINY, LARGEST, FEW_SPECIAL, ZEROS);
    random_codes(a, desc.m * desc.a.stride, desc.dot.a.format, kind);
    random_codes(b, desc.n * desc.b.stride, desc.dot.b.format, below(2) == 0 ? FINITE : kind);
    desc.origin_m = below(4) == 0 ? random_bits() / 2 : 0;
    desc.origin_n = below(3) == 0 ? random_bits() / 2 : 0;
    unsigned blocks = below(3);
    if (blocks > 0) {
        random_blocks(mx_a, sizeof mx_a);
        random_blocks(mx_b, sizeof mx_b);
        desc.a.mx = below(4) != 0 ? mx_a : NULL;
        desc.b.mx = below(4) != 0 ? mx_b : NULL;
        desc.a.mx_stride = desc.b.mx_stride = desc.k / FP8MAC_MX_BLOCK + 1;
    }
    if (below(2) != 0) { // the accumulators themselves
        desc.bias = NULL;
        desc.scale_d = NULL;
        desc.beta = 0;
        desc.activation = FP8MAC_ACT_NONE;
        desc.a.scale.mode = desc.b.scale.mode = FP8MAC_SCALE_NONE;
        desc.d_format = row(FP8MAC_FP32);
    } else if (below(4) == 0) {
        desc.d_mode.rounding = FP8MAC_ROUND_STOCHASTIC;
        desc.d_random_bits = 1 + below(24);
    }
    return desc;
}

// An alignment by operands, with terms far enough apart to tell it from one by products.
static fp8mac_gemm_desc random_by_operands(void)
{
    fp8mac_gemm_desc desc = random_wide();
    desc.dot.acc_format = FP8MAC_ACC_FP32;
    desc.dot.frac_bits = 8 + below(8);
    desc.dot.a.scale_exp = (int)below(21) - 10;
    desc.d_format = row(FP8MAC_FP32);
    desc.dot.align_by = FP8MAC_ALIGN_BY_OPERANDS;
    return desc;
}

// Accumulators that the caller loads, D rounded stochastically, and terms in pairs.
static fp8mac_gemm_desc varied(fp8mac_gemm_desc desc)
{
    static uint32_t loaded[M_MOST * (N_MOST + PAD)];
    fp8mac_dot_config *dot = &desc.dot;
    const unsigned group = dot->group == 0 ? 1 : dot->group;
    const fp8mac_format *format = fp8mac_acc_loaded_format(dot);
    dot->seed = (uint64_t)random_bits() << 32 | random_bits();
    desc.origin_m = random_bits() >> 1;
    desc.origin_n = random_bits() >> 1;
    if (format != NULL && below(2) == 0) {
        const unsigned kind = below(4), bytes = fp8mac_format_bytes(format);
        desc.acc = loaded;
        desc.ldacc = desc.n + below(PAD + 1);
        for (size_t i = 0; i < sizeof loaded / sizeof loaded[0] * 4 / bytes; i++) {
            // Zeros; values near the products; any value; any code
            const float near = kind == 0 ? 0 : random_float(kind == 1 ? 5 : random_bits());
            uint32_t code = kind == 3 ? random_bits() : 0;
            if (kind != 3) {
                code =
                    fp8mac_encode(format, fp8mac_decode(row(FP8MAC_FP32), fp8mac_float_bits(near)),
                                  mode_ieee, NULL);
                const fp8mac_class cls = fp8mac_decode(format, code).cls;
                code = cls == FP8MAC_CLASS_INF || cls == FP8MAC_CLASS_NAN ? 1 : code;
                code |= below(8) == 0 ? 1u << (fp8mac_format_bits(format) - 1) : 0;
            }
            memcpy((uint8_t *)loaded + i * bytes, &code, bytes);
        }
    }
    if (below(2) == 0) {
        desc.d_mode.rounding = FP8MAC_ROUND_STOCHASTIC;
        desc.d_generator = below(3) == 0 ? FP8MAC_GENERATOR_SIMON : FP8MAC_GENERATOR_THREEFRY;
        desc.d_random_bits = 1 + below(desc.d_generator == FP8MAC_GENERATOR_SIMON ? 16 : 24);
        if (fp8mac_format_bytes(desc.d_format) > 1) {
            desc.d_mode.overflow = FP8MAC_OVERFLOW_IEEE;
        }
    }
    if (dot->acc_format != FP8MAC_ACC_FIXED && group % 2 == 0 && dot->promote % (2 * group) == 0 &&
        dot->chunk % (2 * group) == 0 && below(2) == 0) {
        dot->k_order = FP8MAC_K_PAIRS;
    }
    return desc;
}

#endif
