// SPDX-License-Identifier: Apache-2.0
// Every instruction set computes what the definition computes: D, amax and flags of GEMMs of ragged
// shapes, with all pairs of formats, accumulators, scalings and epilogues, over codes of every
// kind; and the same on threads. Each kernel must have been taken often, or the test fails: a fast
// path that refuses everything proves nothing.
#include <math.h>
#include <stdlib.h>

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

static bool same_result(const fp8mac_gemm_result *x, const fp8mac_gemm_result *y)
{
    return fp8mac_float_bits(x->amax) == fp8mac_float_bits(y->amax) &&
           x->amax_nonfinite == y->amax_nonfinite && x->flags == y->flags;
}

static void describe(const fp8mac_gemm_desc *desc, fp8mac_isa isa, const fp8mac_gemm_result *want,
                     const fp8mac_gemm_result *got)
{
    size_t bytes = fp8mac_format_bytes(desc->d_format), wrong = 0;
    for (size_t i = 0; i < desc->m * desc->ldd * bytes && wrong == 0; i++) {
        wrong = d_want[i] != d_got[i] ? i + 1 : 0;
    }
    const fp8mac_dot_config *dot = &desc->dot;
    printf(
        "%s: %zu x %zu x %zu, %s x %s, D %s differs at byte %zu; flags %x and %x, amax %g and %g\n",
        fp8mac_isa_name(isa), desc->m, desc->n, desc->k, dot->a.format->name, dot->b.format->name,
        desc->d_format->name, wrong, want->flags, got->flags, (double)want->amax,
        (double)got->amax);
    printf(
        "    acc %d group %u F %u rounding %d scale %d, saturate %d flush %d promote %u chunk %u, "
        "align %d by %d late %d, %u %u %u %d, even_odd %d min %d, blocks %d, tracked %d\n",
        dot->acc_format, dot->group, dot->frac_bits, dot->acc_rounding,
        dot->a.scale_exp + dot->b.scale_exp - (int)dot->lscale, dot->acc_saturate, dot->flush,
        dot->promote, dot->chunk, dot->align_round, dot->align_by, dot->acc_late,
        dot->late_bits_sum, dot->late_bits_acc, dot->late_drop, dot->late_round, dot->even_odd,
        dot->min_exponent, (desc->a.mx != NULL) + 2 * (desc->b.mx != NULL), desc->inexact_flags);
}

typedef enum feature {
    BF16,
    E6M9,
    EXACT_E8M13,
    STOCHASTIC,
    TO_ODD,
    EXACT_TOWARD_ZERO,
    SATURATE,
    FLUSH,
    PROMOTE,
    CHUNK,
    BLOCK_SCALES,
    BY_OPERANDS,
    ALIGN_DOWN,
    ALIGN_ODD,
    LATE_BITS,
    LATE_ROUNDED,
    EVEN_ODD,
    OTHER_FORMATS,
    D_STOCHASTIC,
    FEATURES
} feature;

// [accumulator][exact, in groups, aligned]: how often kernels did the work.
static unsigned long taken[FP8MAC_ACC_INT32 + 1][3];

// The same for the settings that the kernels for every setting alone have.
static unsigned long any_taken[FEATURES], any_refused, loaded_taken, pairs_taken;

// With `inexact` and `underflow`: how often kernels did the work, and in how many results
// each flag is set, or not.
static unsigned long tracked_taken, inexact_seen[2], underflow_seen[2];

static void count_features(const fp8mac_gemm_desc *desc)
{
    const fp8mac_dot_config *dot = &desc->dot;
    bool aligned = dot->frac_bits != 0;
    const bool has[FEATURES] = {
        [BF16] = dot->acc_format == FP8MAC_ACC_BF16,
        [E6M9] = dot->acc_format == FP8MAC_ACC_E6M9,
        [EXACT_E8M13] = dot->acc_format == FP8MAC_ACC_E8M13 && !aligned,
        [STOCHASTIC] = dot->acc_rounding == FP8MAC_ROUND_STOCHASTIC,
        [TO_ODD] = dot->acc_rounding == FP8MAC_ROUND_ODD,
        [EXACT_TOWARD_ZERO] = dot->acc_rounding == FP8MAC_ROUND_TOWARD_ZERO && !aligned,
        [SATURATE] = dot->acc_saturate,
        [FLUSH] = dot->flush,
        [PROMOTE] = dot->promote != 0,
        [CHUNK] = dot->chunk != 0,
        [BLOCK_SCALES] = desc->a.mx != NULL || desc->b.mx != NULL,
        [BY_OPERANDS] = dot->align_by == FP8MAC_ALIGN_BY_OPERANDS,
        [ALIGN_DOWN] = aligned && dot->align_round == FP8MAC_ALIGN_FLOOR,
        [ALIGN_ODD] = aligned && dot->align_round == FP8MAC_ALIGN_ODD,
        [LATE_BITS] = dot->late_bits_sum != 0,
        [LATE_ROUNDED] = dot->acc_late && dot->late_bits_sum == 0,
        [EVEN_ODD] = dot->even_odd,
        [OTHER_FORMATS] = dot->a.format->exponent_bits < 4 || dot->b.format->exponent_bits < 4,
        [D_STOCHASTIC] = desc->d_mode.rounding == FP8MAC_ROUND_STOCHASTIC,
    };
    for (int i = 0; i < FEATURES; i++) {
        any_taken[i] += has[i];
    }
}

static void count_taken(const fp8mac_gemm_desc *desc)
{
    fp8mac_gemm_totals totals = {.flags = desc->inexact_flags ? FP8MAC_FLAG_TRACK_INEXACT : 0u};
    fp8mac_refusal refusal = fp8mac_fast_gemm(&fp8mac_kernels_portable, desc, &totals);
    if (refusal == FP8MAC_NOT_REFUSED) {
        taken[desc->dot.acc_format][desc->dot.frac_bits != 0 ? 2 : desc->dot.group > 1 ? 1 : 0]++;
        count_features(desc);
        tracked_taken += desc->inexact_flags;
        loaded_taken += desc->acc != NULL;
        pairs_taken += desc->dot.k_order == FP8MAC_K_PAIRS;
    } else {
        any_refused++;
    }
}

static void compare_gemm(fp8mac_gemm_desc desc)
{
    fp8mac_gemm_result want, got;
    memset(d_want, UNTOUCHED, sizeof d_want);
    desc.d = d_want;
    desc.inexact_flags = below(3) == 0;
    fp8mac_run run = {.isa = FP8MAC_ISA_DEFINED};
    if (fp8mac_gemm_run(&desc, &run, &want) != FP8MAC_OK) {
        CHECK(false);
        return;
    }
    if (desc.inexact_flags) {
        inexact_seen[(want.flags & FP8MAC_FLAG_INEXACT) != 0]++;
        underflow_seen[(want.flags & FP8MAC_FLAG_UNDERFLOW) != 0]++;
    }
    desc.d = d_got;
    count_taken(&desc);
    for (int isa = FP8MAC_ISA_BEST; isa <= FP8MAC_ISA_AVX512; isa++) {
        run = (fp8mac_run){.isa = (fp8mac_isa)isa, .threads = 1 + below(4)};
        if (!fp8mac_isa_available(run.isa)) {
            continue;
        }
        memset(d_got, UNTOUCHED, sizeof d_got);
        CHECK(fp8mac_gemm_run(&desc, &run, &got) == FP8MAC_OK);
        bool equal = memcmp(d_want, d_got, sizeof d_want) == 0 && same_result(&want, &got);
        CHECK(equal);
        if (!equal && failed < 20) {
            describe(&desc, run.isa, &want, &got);
        }
    }
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

// Wider and deeper than one block of the kernels' panels.
static void compare_large(const fp8mac_dot_config *dot)
{
    enum { M = 130, N = 1100, K = 600 };
    uint8_t *x = malloc(M * K), *y = malloc(N * K);
    float *want = malloc(M * N * sizeof(float)), *got = malloc(M * N * sizeof(float));
    random_codes(x, M * K, dot->a.format, NEAR_ONE);
    random_codes(y, N * K, dot->b.format, NEAR_ONE);
    x[77 * K + 5] = 0x7f;
    y[1030 * K + 599] = 0x80;
    fp8mac_gemm_desc desc = {.m = M,
                             .n = N,
                             .k = K,
                             .dot = *dot,
                             .a.codes = x,
                             .a.stride = K,
                             .b.codes = y,
                             .b.stride = K,
                             .d = want,
                             .d_format = row(FP8MAC_FP32),
                             .ldd = N};
    fp8mac_gemm_result want_result, got_result;
    fp8mac_run run = {.isa = FP8MAC_ISA_DEFINED, .threads = 4};
    CHECK(fp8mac_gemm_run(&desc, &run, &want_result) == FP8MAC_OK);
    desc.d = got;
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        run = (fp8mac_run){.isa = (fp8mac_isa)isa, .threads = (unsigned)isa};
        if (fp8mac_isa_available(run.isa)) {
            CHECK(fp8mac_gemm_run(&desc, &run, &got_result) == FP8MAC_OK);
            CHECK(memcmp(want, got, M * N * sizeof(float)) == 0 &&
                  same_result(&want_result, &got_result));
        }
    }
    free(x);
    free(y);
    free(want);
    free(got);
}

static void test_large(void)
{
    fp8mac_dot_config dot = e4m3_config();
    compare_large(&dot);
    dot.b.format = row(FP8MAC_E5M2FNUZ);
    dot.acc_format = FP8MAC_ACC_FP16;
    compare_large(&dot);
    dot.group = 48;
    compare_large(&dot);
}

// D[0][0], in FP32, of one or more rows against as many columns, by every path.
static void expect(const fp8mac_dot_config *dot, size_t rows, size_t k, uint32_t want_bits)
{
    float d[4];
    fp8mac_gemm_desc desc = {.m = rows,
                             .n = rows,
                             .k = k,
                             .dot = *dot,
                             .a.codes = a,
                             .a.stride = k,
                             .b.codes = b,
                             .b.stride = k,
                             .d = d,
                             .d_format = row(FP8MAC_FP32),
                             .ldd = rows};
    for (int isa = FP8MAC_ISA_DEFINED; isa <= FP8MAC_ISA_AVX512; isa++) {
        fp8mac_run run = {.isa = (fp8mac_isa)isa};
        if (fp8mac_isa_available(run.isa)) {
            CHECK(fp8mac_gemm_run(&desc, &run, NULL) == FP8MAC_OK);
            CHECK(fp8mac_float_bits(d[0]) == want_bits);
        }
    }
}

// FP16: a small negative sum rounds to -0, which stays through a step of products that are all -0;
// the second row's values make the sums wide.
static void test_minus_zero(void)
{
    fp8mac_dot_config dot = {.a.format = row(FP8MAC_E5M2),
                             .b.format = row(FP8MAC_E5M2),
                             .acc_format = FP8MAC_ACC_FP16,
                             .group = 4};
    static const uint8_t rows_a[2][8] = {{0x81, 0, 0, 0, 0x80, 0x80, 0x80, 0x80},
                                         {0x7b, 0x01, 0x7b, 0x01, 0, 0, 0, 0}};
    static const uint8_t rows_b[2][8] = {{0x01, 0, 0, 0, 1, 0, 0x3c, 0x7b},
                                         {0x7b, 0x01, 1, 1, 1, 1, 1, 1}};
    memcpy(a, rows_a, sizeof rows_a);
    memcpy(b, rows_b, sizeof rows_b);
    expect(&dot, 2, 8, 0x80000000u);
    a[4] = 0;
    expect(&dot, 2, 8, 0);
}

// Eleven times the largest product, a tie of FP32's, and the smallest product, which alone
// says which way: 55 bits.
static void test_tie_beyond_double(void)
{
    fp8mac_dot_config dot = {
        .a.format = row(FP8MAC_E4M3FN), .b.format = row(FP8MAC_E5M2), .group = 13};
    memset(a, 0x7e, 11);        // 448
    memset(b, 0x7b, 11);        // 57344
    a[11] = 0x58, b[11] = 0x3c; // 16 * 1
    a[12] = 0x01, b[12] = 0x01; // 2^-9 * 2^-16
    expect(&dot, 1, 13, fp8mac_float_bits(282591264.0f));
    a[12] = 0;
    expect(&dot, 1, 13, fp8mac_float_bits(282591232.0f));
}

// A GEMM that kernels refuse for each reason, but for a lack of memory. The results are right all
// the same.
static void test_reasons(void)
{
    const fp8mac_format small = fp8mac_format_with_bias(FP8MAC_CFLOAT8_E4M3, 63);
    const fp8mac_dot_config plain = {
        .a.format = row(FP8MAC_E5M2), .b.format = row(FP8MAC_E5M2), .group = 4};
    for (int reason = 1; reason < FP8MAC_REFUSED_MEMORY; reason++) {
        fp8mac_gemm_desc desc = random_wide();
        static uint8_t mx[64 * 2];
        static float acc[64 * 64];
        code_kind kind = FINITE;
        desc.k = desc.a.stride = desc.b.stride = 37;
        desc.dot = plain;
        memset(mx, 127, sizeof mx);
        switch ((fp8mac_refusal)reason) {
        case FP8MAC_REFUSED_FIXED:
            desc.dot.acc_format = FP8MAC_ACC_FIXED;
            desc.dot.a.format = desc.dot.b.format = &small;
            desc.dot.a.scale_exp = -32;
            break;
        case FP8MAC_REFUSED_WIDE_GROUPS: desc.dot.group = 37; break;
        case FP8MAC_REFUSED_BLOCKS:
            desc.a.mx = mx;
            desc.a.mx_stride = 2;
            desc.dot.group = 5;
            break;
        case FP8MAC_REFUSED_FRACTION: desc.dot.frac_bits = 30; break;
        case FP8MAC_REFUSED_LATE_BITS:
            desc.dot.frac_bits = 20;
            desc.dot.acc_late = true;
            desc.dot.late_bits_sum = desc.dot.late_bits_acc = 50;
            break;
        case FP8MAC_REFUSED_EXPONENTS:
            desc.dot.frac_bits = 20;
            desc.dot.a.format = desc.dot.b.format = &small;
            break;
        case FP8MAC_REFUSED_SPECIAL_ROWS: kind = ANY; break;
        case FP8MAC_REFUSED_SPECIAL_ACC:
            acc[0] = INFINITY;
            desc.acc = acc;
            desc.ldacc = 64;
            break;
        case FP8MAC_REFUSED_RANDOM_FLAGS:
            desc.dot.acc_rounding = FP8MAC_ROUND_STOCHASTIC;
            desc.dot.random_bits = 9;
            break;
        default:
            CHECK(reason == FP8MAC_REFUSED_PAIRS);
            desc.dot.a.format = row(FP8MAC_E4M3FNUZ);
            desc.dot.k_order = FP8MAC_K_PAIRS;
            break;
        }
        random_codes(a, desc.m * desc.k, desc.dot.a.format, kind);
        random_codes(b, desc.n * desc.k, desc.dot.b.format, kind);
        fp8mac_gemm_totals totals = {.flags = FP8MAC_FLAG_TRACK_INEXACT};
        desc.d = d_got;
        fp8mac_refusal found = fp8mac_fast_gemm(&fp8mac_kernels_portable, &desc, &totals);
        CHECK((int)found == reason);
        if ((int)found != reason) {
            printf("refused for %d, not %d: %s\n", found, reason,
                   fp8mac_refusal_text((fp8mac_refusal)reason));
        }
        compare_gemm(desc);
    }
}

// What model/SPEED.md says about GEMMs on the definition.
static int print_refusals(void)
{
    for (int i = 1; i < FP8MAC_REFUSALS; i++) {
        printf("- %s%s\n", fp8mac_refusal_text((fp8mac_refusal)i),
               i + 1 < FP8MAC_REFUSALS ? ";" : ".");
    }
    return 0;
}

static void test_refusals(void)
{
    fp8mac_gemm_desc desc = random_gemm();
    fp8mac_run run = {.isa = (fp8mac_isa)99};
    memset(d_got, UNTOUCHED, sizeof d_got);
    desc.d = d_got;
    CHECK(fp8mac_gemm_run(&desc, &run, NULL) == FP8MAC_ERR_UNSUPPORTED);
    CHECK(fp8mac_gemm_run(NULL, NULL, NULL) == FP8MAC_ERR_NULL);
    CHECK(all_bytes_are(d_got, sizeof d_got, UNTOUCHED));
    CHECK(fp8mac_isa_name((fp8mac_isa)99) == NULL && !fp8mac_isa_available((fp8mac_isa)99));
    CHECK(fp8mac_isa_best() != FP8MAC_ISA_BEST && fp8mac_isa_available(fp8mac_isa_best()));
}
// A sum that overflows FP16 before it meets a NaN raises `overflow`, though every other row is
// small.
static void test_overflow_before_nan(void)
{
    static const uint8_t rows_a[2][4] = {{0x01, 0x01, 0x01, 0x01},
                                         {0x7e, 0x7e, 0x7e, 0x7f}}; // e4m3fn
    float want[4], got[4];
    fp8mac_dot_config dot = {.a.format = row(FP8MAC_E4M3FN),
                             .b.format = row(FP8MAC_E4M3FN),
                             .acc_format = FP8MAC_ACC_FP16};
    memcpy(a, rows_a, sizeof rows_a);
    memcpy(b, (const uint8_t[2][4]){{0x7e, 0x7e, 0x7e, 0x7e}, {0x01, 0x01, 0x01, 0x01}}, 8);
    fp8mac_gemm_desc desc = {.m = 2,
                             .n = 2,
                             .k = 4,
                             .dot = dot,
                             .a.codes = a,
                             .a.stride = 4,
                             .b.codes = b,
                             .b.stride = 4,
                             .d = want,
                             .d_format = row(FP8MAC_FP32),
                             .ldd = 2};
    fp8mac_gemm_result want_result, got_result;
    fp8mac_run run = {.isa = FP8MAC_ISA_DEFINED};
    CHECK(fp8mac_gemm_run(&desc, &run, &want_result) == FP8MAC_OK);
    CHECK(want_result.flags == (FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_NAN));
    desc.d = got;
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        run.isa = (fp8mac_isa)isa;
        if (fp8mac_isa_available(run.isa)) {
            CHECK(fp8mac_gemm_run(&desc, &run, &got_result) == FP8MAC_OK);
            CHECK(memcmp(want, got, sizeof want) == 0 && same_result(&want_result, &got_result));
        }
    }
}

// Chunks and promotion: the accumulator brings an infinity to the opposite one, in either order.
static void test_infinities_meet(void)
{
    static const uint8_t orders[2][4] = {{0x7e, 0x7e, 0xfe, 0xfe}, {0xfe, 0xfe, 0x7e, 0x7e}};
    for (unsigned which = 0; which < 4; which++) {
        float d[1];
        fp8mac_dot_config dot = {.a.format = row(FP8MAC_E4M3FN),
                                 .b.format = row(FP8MAC_E4M3FN),
                                 .acc_format = FP8MAC_ACC_FP16,
                                 .chunk = which < 2 ? 2 : 0,
                                 .promote = which < 2 ? 0 : 2};
        memset(b, 0x7e, 4); // 448 * 448 is beyond FP16
        const fp8mac_gemm_desc desc = {.m = 1,
                                       .n = 1,
                                       .k = 4,
                                       .dot = dot,
                                       .a.codes = orders[which % 2],
                                       .a.stride = 4,
                                       .b.codes = b,
                                       .b.stride = 4,
                                       .d = d,
                                       .d_format = row(FP8MAC_FP32),
                                       .ldd = 1};
        for (int isa = FP8MAC_ISA_DEFINED; isa <= FP8MAC_ISA_AVX512; isa++) {
            const fp8mac_run run = {.isa = (fp8mac_isa)isa};
            fp8mac_gemm_result result;
            if (fp8mac_isa_available(run.isa)) {
                CHECK(fp8mac_gemm_run(&desc, &run, &result) == FP8MAC_OK);
                CHECK(fp8mac_float_bits(d[0]) == FP8MAC_FP32_NAN);
                CHECK(result.flags == (FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_INVALID));
            }
        }
    }
}

// Sums whose rounding in double is not that of the exact sum. Of the second row, only the large
// values matter: they make all sums wide.
static void test_doubtful_sums(void)
{
    // 2^15 * 2^15 + 2^-32 - 2^15 * 2^15 = 2^-32, of which a double that starts with the
    // first product has nothing.
    fp8mac_dot_config dot = {
        .a.format = row(FP8MAC_E5M2), .b.format = row(FP8MAC_E5M2), .group = 4};
    static const uint8_t cancel_a[2][4] = {{0x78, 0x01, 0xf8, 0}, {0x7b, 0x01, 0x7b, 0x01}};
    static const uint8_t cancel_b[2][4] = {{0x78, 0x01, 0x78, 0}, {0x7b, 0x01, 1, 1}};
    memcpy(a, cancel_a, sizeof cancel_a);
    memcpy(b, cancel_b, sizeof cancel_b);
    expect(&dot, 2, 4, fp8mac_float_bits(0x1p-32f));
    // FP16: 2^-25 is halfway between 0 and the smallest number; another 2^-52 says which way.
    dot.acc_format = FP8MAC_ACC_FP16;
    dot.a.scale_exp = -20;
    static const uint8_t tiny_a[2][4] = {{0x28, 0x01, 0, 0}, {0x7b, 0x01, 0x7b, 0x01}};
    static const uint8_t tiny_b[2][4] = {{0x3c, 0x01, 0, 0}, {0x7b, 0x01, 1, 1}};
    memcpy(a, tiny_a, sizeof tiny_a);
    memcpy(b, tiny_b, sizeof tiny_b);
    expect(&dot, 2, 4, fp8mac_float_bits(0x1p-24f));
    a[1] = 0;
    expect(&dot, 2, 4, 0);
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

// The number of random GEMMs is an argument.
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "refusals") == 0) {
        return print_refusals();
    }
    int count = argc > 1 ? atoi(argv[1]) : 300;
    for (int i = 0; i < count; i++) {
        compare_gemm(random_gemm());
        compare_gemm(varied(random_gemm()));
        compare_gemm(varied(random_any()));
        compare_gemm(varied(random_wide()));
        compare_gemm(random_wide());
        compare_gemm(random_nans());
        compare_gemm(random_int8());
        compare_gemm(random_nearly_exact(random_gemm()));
        compare_gemm(random_nearly_exact(random_by_operands()));
        compare_gemm(random_by_operands());
        compare_gemm(random_any());
        compare_gemm(random_any());
        compare_gemm(random_any());
    }
    if (count > 100) {
        test_large();
    }
    test_minus_zero();
    test_tie_beyond_double();
    test_doubtful_sums();
    test_overflow_before_nan();
    test_infinities_meet();
    test_reasons();
    test_refusals();
    unsigned long least = (unsigned long)count / 100;
    static const char *const names[] = {"single", "groups", "aligned"};
    for (int i = 0; i < 3; i++) {
        CHECK(i == 2 || taken[FP8MAC_ACC_FP32][i] > least);
        CHECK(i == 2 || taken[FP8MAC_ACC_FP16][i] > least);
        printf("%s: FP32 %lu, FP16 %lu, FIXED %lu, E8M13 %lu\n", names[i],
               taken[FP8MAC_ACC_FP32][i], taken[FP8MAC_ACC_FP16][i], taken[FP8MAC_ACC_FIXED][i],
               taken[FP8MAC_ACC_E8M13][i]);
    }
    CHECK(taken[FP8MAC_ACC_FIXED][1] > least && taken[FP8MAC_ACC_E8M13][2] > least &&
          taken[FP8MAC_ACC_FP32][2] > least && taken[FP8MAC_ACC_FP16][2] > least);
    for (int i = 0; i < FEATURES; i++) {
        CHECK(any_taken[i] > least);
        printf("feature %d: %lu\n", i, any_taken[i]);
    }
    CHECK(taken[FP8MAC_ACC_INT32][0] + taken[FP8MAC_ACC_INT32][1] > least);
    CHECK(tracked_taken > least && inexact_seen[0] > least && inexact_seen[1] > least &&
          underflow_seen[0] > least && underflow_seen[1] > least);
    printf("tracked: %lu; inexact %lu of %lu, underflow %lu\n", tracked_taken, inexact_seen[1],
           inexact_seen[0] + inexact_seen[1], underflow_seen[1]);
    CHECK(loaded_taken > least && pairs_taken > least);
    printf("loaded accumulators: %lu\nterms in pairs: %lu\nno kernel: %lu\n", loaded_taken,
           pairs_taken, any_refused);
    return report();
}
