// SPDX-License-Identifier: Apache-2.0
// The checker: equal GEMMs pass, every seeded difference is counted, and no record reaches outside
// the memory.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/fp8mac.h"
#include "fp8mac_regs.h"
#include "explain.h"
#include "gemm_check.h"

#define BASE 0x80000000u
#define RAM_BYTES 65536u
#define ROUNDS 300
#define K_MAX 200u

static unsigned long passed, failed;
// Exactly RAM_BYTES from malloc, so that the address sanitizer guards both ends.
static uint8_t *ram;
static fp8rt_check_counters counters;

static void expect(const char *what, bool ok)
{
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s\n", what);
    }
}

static const void *resolve(void *context, uint64_t address, uint64_t size)
{
    (void)context;
    bool inside = address >= BASE && size <= RAM_BYTES && address - BASE <= RAM_BYTES - size;
    return inside ? ram + (address - BASE) : NULL;
}

static uint32_t run(const fp8rt_check_record *record)
{
    return fp8rt_check_run(record, resolve, NULL, &counters);
}

static uint32_t draw(uint32_t below)
{
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

static uint32_t draw_float(void)
{
    return (110 + draw(34)) << 23 | draw(1u << 23);
}

// Words of the ELEMENT register.
#define ACC(name) ((uint32_t)FP8MAC_REGS__ELEMENT__ACC_##name##_bm)
#define E5M2 ((uint32_t)FP8MAC_REGS__ELEMENT__E5M2_bm)
#define NARROW ((uint32_t)FP8MAC_REGS__ELEMENT__NARROW_bm)
#define BY_OPERANDS ((uint32_t)FP8MAC_REGS__ELEMENT__ALIGN_BY_OPERANDS_bm)
#define WINDOW(bits) ((uint32_t)(bits) << FP8MAC_REGS__ELEMENT__FRAC_BITS_bp)
#define EXACT (ACC(FP32) | ACC(FP16) | E5M2 | NARROW)
#define ALIGNED_FP32(bits) (1u | ACC(FP32) | E5M2 | WINDOW(bits))
#define ALIGNED_FP16(bits) (2u | ACC(FP16) | E5M2 | WINDOW(bits))
#define FIXED (3u | ACC(FIXED) | NARROW | 16u << FP8MAC_REGS__ELEMENT__TERMS_LOG2_bp)
#define LATE_FP32(bits) (5u | ACC(FP32) | E5M2 | NARROW | BY_OPERANDS | WINDOW(bits))
#define LATE_FP16(bits) (6u | ACC(FP16) | E5M2 | NARROW | BY_OPERANDS | WINDOW(bits))
#define LATE_FP32_ONE_LANE (5u | ACC(FP32) | E5M2 | NARROW)

static void make_late(fp8mac_dot_config *dot, unsigned least_bits)
{
    dot->align_by = FP8MAC_ALIGN_BY_OPERANDS;
    dot->acc_late = true;
    dot->late_round = FP8MAC_ALIGN_ODD;
    dot->late_bits_sum = dot->late_bits_acc =
        dot->frac_bits < least_bits ? least_bits : dot->frac_bits;
}

// Draws an element: its word, and the golden model's settings, typed here independently of the
// catalogue. The formats are drawn before, and may change.
static uint32_t draw_element(fp8mac_dot_config *dot, uint32_t *a, uint32_t *b, uint32_t *acc)
{
    uint32_t kind = draw(7); // odd: an FP16 accumulator
    dot->acc_format = (fp8mac_acc_format)*acc;
    if (kind == 0) {
        return EXACT;
    }
    if (kind == 3) {
        *a &= 2;
        *b &= 2;
        *acc = 0;
        dot->acc_format = FP8MAC_ACC_FIXED;
        dot->guard_bits = 16;
        return FIXED;
    }
    *acc = kind % 2;
    dot->acc_format = (fp8mac_acc_format)*acc;
    if (kind == 6) {
        dot->group = 1;
        return LATE_FP32_ONE_LANE;
    }
    if (kind < 3) {
        uint32_t bits = *acc ? 10 + draw(20) : 23 + draw(7);
        dot->frac_bits = bits;
        dot->min_exponent = *acc ? -14 : 0;
        return *acc ? ALIGNED_FP16(bits) : ALIGNED_FP32(bits);
    }
    uint32_t bits = 9 + draw(21);
    dot->frac_bits = bits;
    dot->group = 2 + draw(7);
    make_late(dot, *acc ? 12 : 25);
    return *acc ? LATE_FP16(bits) : LATE_FP32(bits);
}

// A GEMM of the model's own description, and the record that says the same.
typedef struct pair {
    fp8mac_gemm_desc desc;
    fp8rt_check_record record;
    float scale_d;
} pair;

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Where everything is: A, B, D, then the vectors; 16 KiB each.
enum {
    A_AT = 0,
    B_AT = 16384,
    D_AT = 32768,
    SCALE_A_AT = 49152,
    SCALE_B_AT = 53248,
    BIAS_AT = 57344
};

static void draw_memory(void)
{
    for (uint32_t i = 0; i < SCALE_A_AT; i++) {
        ram[i] = (uint8_t)draw(256);
    }
    for (uint32_t i = SCALE_A_AT; i < RAM_BYTES; i += 4) {
        uint32_t x = draw_float();
        memcpy(ram + i, &x, 4);
    }
}

static void draw_pair(pair *t)
{
    uint32_t m = 1 + draw(20), n = 1 + draw(20), k = 1 + draw(70);
    fp8mac_format_id d = (fp8mac_format_id)draw(7);
    uint32_t a = draw(4), b = draw(4), acc = draw(2);
    uint32_t overflow = draw(3), act = draw(3), vector_a = draw(2), vector_b = draw(2),
             bias = draw(2);
    uint32_t size = d < FP8MAC_FP16 ? 1 : d < FP8MAC_FP32 ? 2 : 4;
    uint32_t lda = k + draw(9), ldb = k + draw(9), ldd = n + draw(9), group = 1 + draw(8);
    int sa = (int)draw(65) - 32, sb = (int)draw(65) - 32;
    uint32_t scale_d = draw_float(), lo = draw_float() | 1u << 31, hi = draw_float();
    fp8mac_dot_config dot = {.group = group, .a.scale_exp = sa, .b.scale_exp = sb};
    uint32_t element = draw_element(&dot, &a, &b, &acc);
    dot.a.format = fp8mac_format_get((fp8mac_format_id)a);
    dot.b.format = fp8mac_format_get((fp8mac_format_id)b);
    t->scale_d = float_of(scale_d);
    t->desc = (fp8mac_gemm_desc){
        .m = m,
        .n = n,
        .k = k,
        .dot = dot,
        .a.codes = ram + A_AT,
        .a.stride = lda,
        .b.codes = ram + B_AT,
        .b.stride = ldb,
        .a.scale = {vector_a ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_TENSOR,
                    (float *)(void *)(ram + SCALE_A_AT)},
        .b.scale = {vector_b ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_TENSOR,
                    (float *)(void *)(ram + SCALE_B_AT)},
        .bias = bias ? (float *)(void *)(ram + BIAS_AT) : NULL,
        .activation = (fp8mac_activation)act,
        .clamp_lo = float_of(lo),
        .clamp_hi = float_of(hi),
        .d = ram + D_AT,
        .d_format = fp8mac_format_get(d),
        .ldd = ldd,
        .d_mode = {.overflow = (fp8mac_overflow)overflow},
        .scale_d = &t->scale_d,
    };
    t->record = (fp8rt_check_record){
        .magic = FP8RT_CHECK_MAGIC,
        .m = m,
        .n = n,
        .k = k,
        .group = dot.group,
        .mode = a << FP8MAC_REGS__MODE__A_FMT_bp | b << FP8MAC_REGS__MODE__B_FMT_bp |
                acc << FP8MAC_REGS__MODE__ACC_FMT_bp | (uint32_t)d << FP8MAC_REGS__MODE__D_FMT_bp |
                overflow << FP8MAC_REGS__MODE__OVERFLOW_bp | act << FP8MAC_REGS__MODE__ACT_bp |
                vector_a << FP8MAC_REGS__MODE__SCALE_A_VEC_bp |
                vector_b << FP8MAC_REGS__MODE__SCALE_B_VEC_bp |
                bias << FP8MAC_REGS__MODE__BIAS_EN_bp,
        .scale_exp = ((uint32_t)sa & 0xff) << FP8MAC_REGS__SCALE_EXP__SA_bp |
                     ((uint32_t)sb & 0xff) << FP8MAC_REGS__SCALE_EXP__SB_bp,
        .scale_d = scale_d,
        .clamp_lo = lo,
        .clamp_hi = hi,
        .a.scale = vector_a ? BASE + SCALE_A_AT : bits_of(*t->desc.a.scale.values),
        .b.scale = vector_b ? BASE + SCALE_B_AT : bits_of(*t->desc.b.scale.values),
        .bias = bias ? BASE + BIAS_AT : 0,
        .a.address = BASE + A_AT,
        .b.address = BASE + B_AT,
        .d = BASE + D_AT,
        .a.stride = lda,
        .b.stride = ldb,
        .d_stride = ldd * size,
        .element = element,
    };
}

// Leaves D, amax and flags as the model has them.
static void compute(pair *t)
{
    fp8mac_gemm_result result;
    expect("the model takes the GEMM", fp8mac_gemm(&t->desc, &result) == FP8MAC_OK);
    t->record.amax = bits_of(result.amax);
    t->record.flags =
        result.flags | (result.amax_nonfinite ? FP8MAC_REGS__FLAGS__AMAX_NONFINITE_bm : 0);
}

// Spoils one bit of each of `count` different outputs.
static void spoil(const pair *t, uint32_t count)
{
    uint32_t size = t->record.d_stride / (uint32_t)t->desc.ldd;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = i % t->record.m, column = i / t->record.m;
        ram[D_AT + row * t->record.d_stride + column * size + draw(size)] ^=
            (uint8_t)(1u << draw(8));
    }
}

static void test_differences(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pair t;
        draw_memory();
        draw_pair(&t);
        compute(&t);
        expect("equal", run(&t.record) == 0);
        t.record.amax ^= 1u << draw(31);
        expect("amax differs", run(&t.record) == 1);
        t.record.flags ^= 1u << draw(9);
        expect("amax and flags differ", run(&t.record) == 2);
        uint32_t outputs = 1 + draw(t.record.m * t.record.n);
        spoil(&t, outputs);
        expect("outputs differ", run(&t.record) == outputs + 2);
    }
}

// Leaves in D[0][0] what `change` makes of the operands, and returns what is said of it.
static fp8rt_explanation explained(pair *t, uint32_t first, uint32_t last, fp8rt_cause change)
{
    uint8_t a[2 * K_MAX], b[2 * K_MAX], d[4] = {0};
    const uint32_t count = last + 1 - first;
    fp8mac_gemm_desc one = t->desc;
    memcpy(a, t->desc.a.codes, t->desc.k);
    memcpy(b, t->desc.b.codes, t->desc.k);
    if (change == FP8RT_CAUSE_PREFIX) {
        one.k = first;
    } else if (change == FP8RT_CAUSE_WITHOUT) {
        memset(a + first, 0, count);
    } else {
        memmove(a + last + 1, a + first, t->desc.k - first);
        memmove(b + last + 1, b + first, t->desc.k - first);
        one.k += count;
    }
    one.m = one.n = one.ldd = 1;
    one.a.codes = a;
    one.b.codes = b;
    one.a.stride = one.b.stride = one.k;
    one.d = d;
    expect("the model takes the changed GEMM", fp8mac_gemm(&one, NULL) == FP8MAC_OK);
    const uint32_t got = d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
    return fp8rt_explain(&t->desc, 0, 0, got);
}

// Positive numbers of different size in every product: each step changes D.
static void draw_distinct(pair *t, uint8_t *a, uint8_t *b)
{
    static const float one = 1.0f;
    t->desc = (fp8mac_gemm_desc){
        .m = 1,
        .n = 1,
        .k = 33 + draw(K_MAX - 32),
        .dot = {.a.format = fp8mac_format_get(FP8MAC_E4M3FN),
                .b.format = fp8mac_format_get(FP8MAC_E4M3FN),
                .acc_format = FP8MAC_ACC_FP32,
                .group = 8},
        .a.codes = a,
        .b.codes = b,
        .scale_d = &one,
        .d_format = fp8mac_format_get(FP8MAC_FP32),
        .ldd = 1,
    };
    t->desc.a.stride = t->desc.b.stride = t->desc.k;
    for (size_t i = 0; i < t->desc.k; i++) {
        a[i] = (uint8_t)(0x30 + draw(16));
        b[i] = (uint8_t)(0x30 + draw(16));
    }
}

static void test_explanations(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t a[K_MAX], b[K_MAX];
        pair t;
        draw_distinct(&t, a, b);
        const uint32_t k = (uint32_t)t.desc.k, first = 8 * (1 + draw(k / 8 - 1));
        const uint32_t last = (k - first > 8 ? first + 8 : k) - 1;
        for (int change = FP8RT_CAUSE_PREFIX; change <= FP8RT_CAUSE_TWICE; change++) {
            const fp8rt_explanation e = explained(&t, first, last, (fp8rt_cause)change);
            // A short last step that is missing is also a prefix.
            const bool prefix = change == FP8RT_CAUSE_WITHOUT && last == k - 1;
            expect("a step explains the output",
                   e.cause == (prefix ? FP8RT_CAUSE_PREFIX : (fp8rt_cause)change));
            expect("which step, if it is one alone",
                   e.others != 0 || (e.first == first && (prefix || e.last == last)));
        }
        expect("nothing explains a NaN",
               fp8rt_explain(&t.desc, 0, 0, 0x7fc00000).cause == FP8RT_CAUSE_UNKNOWN);
    }
}

static void test_counters(void)
{
    pair t;
    draw_memory();
    draw_pair(&t);
    compute(&t);
    counters = (fp8rt_check_counters){0};
    uint64_t outputs = (uint64_t)t.record.m * t.record.n;
    run(&t.record);
    spoil(&t, 1);
    run(&t.record);
    t.record.magic++;
    run(&t.record);
    expect("GEMMs are counted",
           counters.gemms == 2 && counters.gemms_equal == 1 && counters.malformed == 1);
    expect("outputs are counted",
           counters.outputs == 2 * outputs && counters.outputs_equal == 2 * outputs - 1);
}

static fp8rt_check_record well_formed(void)
{
    pair t;
    draw_memory();
    draw_pair(&t);
    t.record.element = EXACT;
    t.record.mode |= FP8MAC_REGS__MODE__ACC_FMT_bm | FP8MAC_E5M2 << FP8MAC_REGS__MODE__A_FMT_bp;
    t.record.m = t.record.n = 4;
    t.record.k = 16;
    t.record.a.stride = t.record.b.stride = t.record.d_stride = 64;
    t.record.mode |= FP8MAC_REGS__MODE__SCALE_A_VEC_bm | FP8MAC_REGS__MODE__SCALE_B_VEC_bm |
                     FP8MAC_REGS__MODE__BIAS_EN_bm;
    t.record.a.scale = BASE + SCALE_A_AT;
    t.record.b.scale = BASE + SCALE_B_AT;
    t.record.bias = BASE + BIAS_AT;
    return t.record;
}

#define MALFORMED(field, value)                                                                    \
    do {                                                                                           \
        fp8rt_check_record r_ = well_formed();                                                     \
        expect("a well-formed record", run(&r_) != FP8RT_CHECK_MALFORMED);                         \
        r_.field = (value);                                                                        \
        expect(#field " = " #value, run(&r_) == FP8RT_CHECK_MALFORMED);                            \
    } while (0)

static void test_malformed(void)
{
    const uint64_t end = (uint64_t)BASE + RAM_BYTES;
    MALFORMED(magic, 0);
    MALFORMED(element, 0);
    MALFORMED(element, r_.element | 4);
    MALFORMED(element, r_.element | FP8MAC_REGS__ELEMENT__KIND_bm);
    MALFORMED(element, r_.element | 1u << 14);
    MALFORMED(element, r_.element & ~NARROW);
    MALFORMED(element, ALIGNED_FP16(0));
    MALFORMED(element, ALIGNED_FP16(13) | BY_OPERANDS);
    MALFORMED(element, LATE_FP16(13) & ~BY_OPERANDS);
    MALFORMED(element, LATE_FP16(0));
    MALFORMED(element, LATE_FP16(8));
    MALFORMED(element, ALIGNED_FP16(30));
    MALFORMED(element, 4u | ACC(FP32) | E5M2);
    MALFORMED(element, ALIGNED_FP32(25));
    MALFORMED(element, r_.element | 25 << FP8MAC_REGS__ELEMENT__FRAC_BITS_bp);
    MALFORMED(element, r_.element | 16u << FP8MAC_REGS__ELEMENT__TERMS_LOG2_bp);
    MALFORMED(element, r_.element & ~ACC(FP16));
    MALFORMED(element, r_.element & ~E5M2);
    MALFORMED(element, FIXED);
    MALFORMED(mode, r_.mode | FP8MAC_REGS__MODE__B_NARROW_bm | FP8MAC_REGS__MODE__B_FMT_bm);
    MALFORMED(m, 0);
    MALFORMED(n, 0);
    MALFORMED(k, 0);
    MALFORMED(m, UINT32_MAX);
    MALFORMED(n, UINT32_MAX);
    MALFORMED(k, UINT32_MAX);
    MALFORMED(k, 65);
    MALFORMED(group, 0);
    MALFORMED(group, UINT32_MAX);
    MALFORMED(mode, r_.mode | FP8MAC_REGS__MODE__D_FMT_bm | 2u << FP8MAC_REGS__MODE__OVERFLOW_bp);
    MALFORMED(mode, r_.mode | FP8MAC_REGS__MODE__OVERFLOW_bm);
    MALFORMED(mode, r_.mode | FP8MAC_REGS__MODE__ACT_bm);
    MALFORMED(mode, r_.mode | 1u << 31);
    MALFORMED(scale_exp, 33);
    MALFORMED(scale_exp, 0xdf00);
    MALFORMED(scale_exp, 1u << 16);
    MALFORMED(scale_d, 0);
    MALFORMED(scale_d, 0x7f800000);
    MALFORMED(a.scale, 0);
    MALFORMED(a.scale, BASE + SCALE_A_AT + 1);
    MALFORMED(b.scale, end - 15);
    MALFORMED(bias, end - 12);
    MALFORMED(bias, UINT64_MAX - 3);
    MALFORMED(a.address, BASE - 1);
    MALFORMED(a.address, end - 207);
    MALFORMED(a.address, UINT64_MAX);
    MALFORMED(b.address, end);
    MALFORMED(d, end - 195);
    MALFORMED(d, 0);
    MALFORMED(a.stride, 15);
    MALFORMED(a.stride, UINT32_MAX);
    MALFORMED(b.stride, 0);
    MALFORMED(d_stride, 3);
}

static void test_d_rows(void)
{
    fp8rt_check_record r = well_formed();
    size_t bytes = 0;
    const uint8_t *row = fp8rt_check_d_row(&r, 2, resolve, NULL, &bytes);
    expect("a row of D",
           row == ram + D_AT + 128 && bytes % r.n == 0 && bytes / r.n <= 4 && bytes != 0);
    r.d = BASE + RAM_BYTES - 1;
    expect("a row outside memory", fp8rt_check_d_row(&r, 2, resolve, NULL, &bytes) == NULL);
}

int main(void)
{
    // The seeded differences are reported, as they should be: not to here.
    if (freopen("/dev/null", "w", stderr) == NULL) {
        return 1;
    }
    ram = malloc(RAM_BYTES);
    if (ram == NULL) {
        return 1;
    }
    test_differences();
    test_explanations();
    test_counters();
    test_malformed();
    test_d_rows();
    free(ram);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
