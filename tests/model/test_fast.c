// SPDX-License-Identifier: Apache-2.0
// Every instruction set computes what the definition computes: D, amax and flags of GEMMs of ragged
// shapes, with all pairs of formats, accumulators, scalings and epilogues, over codes of every
// kind; and the same on threads. Each kernel must have been taken often, or the test fails: a fast
// path that refuses everything proves nothing.
#include <math.h>
#include <stdlib.h>

#include "fast_random.h"

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
