// SPDX-License-Identifier: Apache-2.0
// Each fault spoils one field of a good descriptor. Argument errors must leave D unchanged. After
// bus errors the accelerator must work.
#include "faults_library.h"

#include <stdio.h>
#include <string.h>

#include "fp8rt/matrix.h"

enum {
    ROWS_M = 5,
    ROWS_N = 7,
    DEPTH = 33,
    VECTOR = 8,
    UNWRITTEN = 0x25,
    D_BEFORE = 64,
    SCRATCH_BYTES = 256
};

static const float zero = 0.0f, negative = -1.0f, bad_at_three[VECTOR] = {1, 1, 1, 0, 1, 1, 1, 1};

typedef struct bench {
    faults *f;
    fp8rt_gemm_desc good;
    float *vector; // VECTOR values, one float off a beat
    uint8_t *scratch;
    size_t d_bytes;
} bench;

typedef void (*spoiler)(const bench *b, fp8rt_gemm_desc *desc);

typedef struct fault {
    const char *name;
    spoiler spoil;
    fp8rt_status expected;
} fault;

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SPOIL(name, statement)                                                                     \
    static void name(const bench *b, fp8rt_gemm_desc *desc)                                        \
    {                                                                                              \
        (void)b;                                                                                   \
        statement;                                                                                 \
    }

// A float in D that is a legal scale: the bytes of D that are not written.
static const float *one_in_d(const bench *b)
{
    return (const float *)b->good.d + 2;
}

SPOIL(null_a, desc->a.codes = NULL)
SPOIL(null_b, desc->b.codes = NULL)
SPOIL(null_d, desc->d = NULL)
SPOIL(null_scale, desc->b.scale = (fp8mac_scale){.mode = FP8MAC_SCALE_VECTOR})
SPOIL(zero_m, desc->m = 0)
SPOIL(zero_n, desc->n = 0)
SPOIL(zero_k, desc->k = 0)
SPOIL(huge_k, desc->k = UINT32_MAX)
SPOIL(huge_m, desc->m = UINT32_MAX)
SPOIL(huge_n, desc->n = UINT32_MAX / 8)
SPOIL(unknown_flag, desc->flags = FP8RT_GEMM_FLAGS + 1u)
SPOIL(unknown_top_flag, desc->flags = FP8RT_GEMM_KEEP_FLAGS | 1u << 31)
SPOIL(d_is_a, desc->a.codes = b->good.d; desc->a.stride = b->good.d_stride)
SPOIL(a_ends_in_d, desc->a.codes = (uint8_t *)desc->d - D_BEFORE)
SPOIL(d_is_b, desc->b.codes = desc->d)
SPOIL(scales_in_d, desc->b.scale = ((fp8mac_scale){FP8MAC_SCALE_VECTOR, desc->d}))
SPOIL(scale_in_d, desc->a.scale = ((fp8mac_scale){FP8MAC_SCALE_TENSOR, one_in_d(b)}))
SPOIL(scale_d_in_d, desc->scale_d = one_in_d(b))
SPOIL(bias_in_d, desc->bias = (const float *)desc->d + 1)
SPOIL(bias_past_the_end, desc->bias = (const float *)(uintptr_t)(UINT32_MAX - 15u))
SPOIL(short_a, desc->a.stride = DEPTH - 1)
SPOIL(short_b, desc->b.stride = 16)
SPOIL(short_d, desc->d_stride = 16)
SPOIL(past_the_end, desc->a.codes = (const void *)(uintptr_t)(UINT32_MAX - 15u))
SPOIL(odd_a, desc->a.codes = (const uint8_t *)desc->a.codes + 1)
SPOIL(odd_b_stride, desc->b.stride = DEPTH)
SPOIL(odd_d, desc->d = (uint8_t *)desc->d + 4)
SPOIL(a_of_fp16, desc->a.format = FP8MAC_FP16)
SPOIL(b_of_fp32, desc->b.format = FP8MAC_FP32)
SPOIL(d_of_nothing, desc->d_format = FP8MAC_ARRAY_FORMAT_COUNT)
SPOIL(fp32_acc, desc->acc_format = FP8MAC_ACC_FP32)
SPOIL(fp16_acc, desc->acc_format = FP8MAC_ACC_FP16)
SPOIL(fixed_acc, desc->acc_format = FP8MAC_ACC_FIXED)
SPOIL(int32_acc, desc->acc_format = FP8MAC_ACC_INT32)
SPOIL(bf16_acc, desc->acc_format = FP8MAC_ACC_BF16)
SPOIL(a_of_int8, desc->a.format = FP8MAC_INT8)
SPOIL(a_of_e4m3fn, desc->a.format = FP8MAC_E4M3FN)
SPOIL(int8_ieee, desc->d_format = FP8MAC_INT8; desc->overflow = FP8MAC_OVERFLOW_IEEE)
SPOIL(exponent_1, desc->b.scale_exp = 1)
SPOIL(a_of_e5m2, desc->a.format = FP8MAC_E5M2)
SPOIL(b_of_e5m2fnuz, desc->b.format = FP8MAC_E5M2FNUZ)
SPOIL(too_deep, desc->k = (1u << b->f->dev.caps.element.terms_log2) + 1u)
SPOIL(no_overflow_mode, desc->overflow = (fp8mac_overflow)3)
SPOIL(exponent_33, desc->a.scale_exp = 33)
SPOIL(exponent_minus_33, desc->b.scale_exp = -33)
SPOIL(exponent_257, desc->b.scale_exp = 257)
SPOIL(zero_scale, desc->a.scale = ((fp8mac_scale){FP8MAC_SCALE_TENSOR, &zero}))
SPOIL(negative_scale, desc->b.scale = ((fp8mac_scale){FP8MAC_SCALE_TENSOR, &negative}))
SPOIL(zero_scale_d, desc->scale_d = &zero)
SPOIL(bad_vector, desc->b.scale = ((fp8mac_scale){FP8MAC_SCALE_VECTOR, bad_at_three}))
SPOIL(no_scale_mode, desc->a.scale = ((fp8mac_scale){(fp8mac_scale_mode)3, &negative}))
SPOIL(no_activation, desc->activation = (fp8mac_activation)3)
SPOIL(reversed, desc->activation = FP8MAC_ACT_CLAMP; desc->clamp_lo = 1.0f)
SPOIL(nan_bound, desc->activation = FP8MAC_ACT_CLAMP; desc->clamp_hi = of_bits(0x7fc00000u))
SPOIL(infinite_bound, desc->activation = FP8MAC_ACT_CLAMP; desc->clamp_hi = of_bits(0x7f800000u))
SPOIL(without_c, desc->beta = 1.0f)
SPOIL(mx_of_a_alone, desc->a.mx = desc->a.codes)
SPOIL(with_mx, desc->a.mx = desc->a.codes; desc->b.mx = desc->b.codes)
SPOIL(odd_mx, desc->a.mx = (const uint8_t *)desc->a.codes + 1; desc->b.mx = desc->b.codes)
SPOIL(odd_mx_stride, with_mx(b, desc); desc->b.mx_stride = 4)
SPOIL(short_mx, with_mx(b, desc); desc->a.mx_stride = 1)
SPOIL(mx_in_d, desc->a.mx = desc->a.codes; desc->b.mx = desc->d)
SPOIL(a_slverr, desc->a.codes = (const void *)fp8rt_app_slverr_address)
SPOIL(b_decerr, desc->b.codes = (const void *)fp8rt_app_decerr_address)
SPOIL(d_slverr, desc->d = (void *)fp8rt_app_slverr_address)
SPOIL(d_decerr, desc->d = (void *)fp8rt_app_decerr_address)

static const fault arguments[] = {
    {"library: A is NULL", null_a, FP8RT_ERR_NULL},
    {"library: B is NULL", null_b, FP8RT_ERR_NULL},
    {"library: D is NULL", null_d, FP8RT_ERR_NULL},
    {"library: scales are NULL", null_scale, FP8RT_ERR_NULL},
    {"library: m of 0", zero_m, FP8RT_ERR_SHAPE},
    {"library: n of 0", zero_n, FP8RT_ERR_SHAPE},
    {"library: k of 0", zero_k, FP8RT_ERR_SHAPE},
    {"library: k of 2^32 - 1", huge_k, FP8RT_ERR_SHAPE},
    {"library: m of 2^32 - 1", huge_m, FP8RT_ERR_STRIDE},
    {"library: n of 2^29 - 1", huge_n, FP8RT_ERR_STRIDE},
    {"library: unknown flag", unknown_flag, FP8RT_ERR_FLAGS},
    {"library: unknown flag at the top", unknown_top_flag, FP8RT_ERR_FLAGS},
    {"library: D is A", d_is_a, FP8RT_ERR_OVERLAP},
    {"library: A ends in D", a_ends_in_d, FP8RT_ERR_OVERLAP},
    {"library: D is B", d_is_b, FP8RT_ERR_OVERLAP},
    {"library: scales of B in D", scales_in_d, FP8RT_ERR_OVERLAP},
    {"library: scale of A in D", scale_in_d, FP8RT_ERR_OVERLAP},
    {"library: scale of D in D", scale_d_in_d, FP8RT_ERR_OVERLAP},
    {"library: bias in D", bias_in_d, FP8RT_ERR_OVERLAP},
    {"library: bias past the end of addresses", bias_past_the_end, FP8RT_ERR_STRIDE},
    {"library: short stride of A", short_a, FP8RT_ERR_STRIDE},
    {"library: short stride of B", short_b, FP8RT_ERR_STRIDE},
    {"library: short stride of D", short_d, FP8RT_ERR_STRIDE},
    {"library: A past the end of addresses", past_the_end, FP8RT_ERR_STRIDE},
    {"library: A not on a beat", odd_a, FP8RT_ERR_ALIGNMENT},
    {"library: stride of B not of beats", odd_b_stride, FP8RT_ERR_ALIGNMENT},
    {"library: D not on a beat", odd_d, FP8RT_ERR_ALIGNMENT},
    {"library: A of float16", a_of_fp16, FP8RT_ERR_FORMAT},
    {"library: B of float32", b_of_fp32, FP8RT_ERR_FORMAT},
    {"library: D of no format", d_of_nothing, FP8RT_ERR_FORMAT},
    {"library: BF16 accumulator", bf16_acc, FP8RT_ERR_ACCUMULATOR},
    {"library: unknown overflow mode", no_overflow_mode, FP8RT_ERR_OVERFLOW_MODE},
    {"library: D of int8 that does not saturate", int8_ieee, FP8RT_ERR_OVERFLOW_MODE},
    {"library: scaling exponent 33", exponent_33, FP8RT_ERR_SCALE_EXPONENT},
    {"library: scaling exponent -33", exponent_minus_33, FP8RT_ERR_SCALE_EXPONENT},
    {"library: scaling exponent 257", exponent_257, FP8RT_ERR_SCALE_EXPONENT},
    {"library: scale of 0", zero_scale, FP8RT_ERR_SCALE},
    {"library: negative scale", negative_scale, FP8RT_ERR_SCALE},
    {"library: scale of D of 0", zero_scale_d, FP8RT_ERR_SCALE},
    {"library: one bad scale in a vector", bad_vector, FP8RT_ERR_HW_SCALE},
    {"library: unknown scale mode", no_scale_mode, FP8RT_ERR_SCALE},
    {"library: unknown activation", no_activation, FP8RT_ERR_ACTIVATION},
    {"library: clamp bounds reversed", reversed, FP8RT_ERR_ACTIVATION},
    {"library: clamp bound NaN", nan_bound, FP8RT_ERR_ACTIVATION},
    {"library: clamp bound Inf", infinite_bound, FP8RT_ERR_ACTIVATION},
    {"library: MX scales of A alone", mx_of_a_alone, FP8RT_ERR_NULL},
    {"library: no C", without_c, FP8RT_ERR_NULL},
};

static const struct accumulator {
    fp8mac_acc_format format;
    fault fault;
} accumulators[] = {
    {FP8MAC_ACC_FP32, {"library: FP32 accumulator", fp32_acc, FP8RT_ERR_ACCUMULATOR}},
    {FP8MAC_ACC_FP16, {"library: FP16 accumulator", fp16_acc, FP8RT_ERR_ACCUMULATOR}},
    {FP8MAC_ACC_FIXED, {"library: fixed accumulator", fixed_acc, FP8RT_ERR_ACCUMULATOR}},
    {FP8MAC_ACC_INT32, {"library: INT32 accumulator", int32_acc, FP8RT_ERR_ACCUMULATOR}},
};

static const fault e5m2[] = {
    {"library: A of e5m2", a_of_e5m2, FP8RT_ERR_FORMAT},
    {"library: B of e5m2fnuz", b_of_e5m2fnuz, FP8RT_ERR_FORMAT},
};

static const fault fp8_alone = {"library: A of int8", a_of_int8, FP8RT_ERR_FORMAT};
static const fault int8_alone[] = {
    {"library: A of e4m3fn", a_of_e4m3fn, FP8RT_ERR_FORMAT},
    {"library: scaling exponent 1", exponent_1, FP8RT_ERR_SCALE_EXPONENT},
};

static const fault depth = {"library: k of more than an accumulator takes", too_deep,
                            FP8RT_ERR_SHAPE};

static const fault bus[] = {
    {"library: A answered SLVERR", a_slverr, FP8RT_ERR_HW_READ_SLVERR},
    {"library: B answered DECERR", b_decerr, FP8RT_ERR_HW_READ_DECERR},
    {"library: D answered SLVERR", d_slverr, FP8RT_ERR_HW_WRITE_SLVERR},
    {"library: D answered DECERR", d_decerr, FP8RT_ERR_HW_WRITE_DECERR},
};

static bool d_is_unwritten(const bench *b)
{
    const uint8_t *d = b->good.d;
    for (size_t i = 0; i < b->d_bytes; i++) {
        if (d[i] != UNWRITTEN) {
            return false;
        }
    }
    return true;
}

static bool provoke(const bench *b, const fault *fault)
{
    fp8rt_gemm_desc desc = b->good;
    fp8rt_gemm_result result;
    fault->spoil(b, &desc);
    fp8rt_status status = fp8rt_gemm(&b->f->dev, desc, b->scratch, SCRATCH_BYTES, &result);
    if (status != fault->expected) {
        printf("     answered: %s\n", fp8rt_status_string(status));
    }
    return status == fault->expected && result.status == status && d_is_unwritten(b);
}

static void run_fault(const bench *b, const fault *fault)
{
    bool right = provoke(b, fault);
    faults_count(b->f,
                 fp8rt_device_wait(&b->f->dev) == FP8RT_OK && faults_still_works(b->f) && right,
                 fault->name);
}

static const fault mx[] = {
    {"library: MX scales not on a beat", odd_mx, FP8RT_ERR_ALIGNMENT},
    {"library: stride of MX scales not of beats", odd_mx_stride, FP8RT_ERR_ALIGNMENT},
    {"library: short stride of MX scales", short_mx, FP8RT_ERR_STRIDE},
    {"library: MX scales in D", mx_in_d, FP8RT_ERR_OVERLAP},
};

static const fault no_mx = {"library: no MX scales", with_mx, FP8RT_ERR_UNSUPPORTED};

static void run_mx(const bench *b)
{
    const bool has = (b->f->dev.caps.functions & FP8MAC_FUNCTION_MX) != 0;
    for (size_t i = 0; i < sizeof mx / sizeof mx[0]; i++) {
        if (has) {
            run_fault(b, &mx[i]);
        } else {
            faults_skip(b->f, mx[i].name, "the array has no MX scales");
        }
    }
    if (has) {
        faults_skip(b->f, no_mx.name, "the array has them");
    } else {
        run_fault(b, &no_mx);
    }
}

// Formats and accumulators that only some elements lack.
static void run_element(const bench *b)
{
    const fp8rt_element *element = &b->f->dev.caps.element;
    for (size_t i = 0; i < sizeof accumulators / sizeof accumulators[0]; i++) {
        if (!fp8rt_element_has(element, accumulators[i].format)) {
            run_fault(b, &accumulators[i].fault);
        }
    }
    for (size_t i = 0; i < sizeof e5m2 / sizeof e5m2[0]; i++) {
        if (!element->e5m2) {
            run_fault(b, &e5m2[i]);
        } else {
            faults_skip(b->f, e5m2[i].name, "the array takes it");
        }
    }
    if (!element->int8) {
        run_fault(b, &fp8_alone);
    } else {
        run_fault(b, &int8_alone[0]);
        run_fault(b, &int8_alone[1]);
    }
    if (element->terms_log2 != 0) {
        run_fault(b, &depth);
    } else {
        faults_skip(b->f, depth.name, "any number");
    }
}

// A vector that is not aligned to a beat needs scratch. The tests give too little of it, and none.
static void run_scratch(const bench *b)
{
    fp8rt_gemm_desc desc = b->good;
    fp8rt_gemm_plan plan;
    desc.bias = b->vector;
    bool made =
        fp8rt_gemm_plan_make(&b->f->dev.caps, desc, &plan) == FP8RT_OK && plan.scratch_bytes > 0;
    fp8rt_device *dev = &b->f->dev;
    fp8rt_status short_by_one =
        fp8rt_gemm_run(dev, &plan, b->scratch, plan.scratch_bytes - 1, NULL);
    faults_count(b->f, made && short_by_one == FP8RT_ERR_SCRATCH && d_is_unwritten(b),
                 "library: scratch one byte short");
    fp8rt_status none = fp8rt_gemm_run(dev, &plan, NULL, plan.scratch_bytes, NULL);
    faults_count(b->f, made && none == FP8RT_ERR_NULL && d_is_unwritten(b),
                 "library: scratch is NULL");
}

// The scratch may not be where the matrices and vectors are.
static void run_scratch_overlap(const bench *b)
{
    fp8rt_gemm_desc desc = b->good;
    fp8rt_gemm_plan plan;
    desc.bias = b->vector;
    fp8rt_device *dev = &b->f->dev;
    bool made = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_OK;
    const void *const bad[] = {desc.a.codes, (const uint8_t *)desc.b.codes + 1, desc.d, desc.bias};
    bool right = made;
    for (unsigned i = 0; right && i < sizeof bad / sizeof bad[0]; i++) {
        right = fp8rt_gemm_run(dev, &plan, (void *)(uintptr_t)bad[i], SCRATCH_BYTES, NULL) ==
                FP8RT_ERR_OVERLAP;
    }
    faults_count(b->f, right && d_is_unwritten(b), "library: scratch in matrices and vectors");
}

// Columns of D between those of A, in one matrix of a common stride. One byte less is too close.
static void run_alternating(const bench *b)
{
    enum { STRIDE = 256, D_AT = 64 };
    fp8rt_device *dev = &b->f->dev;
    uint8_t *both = fp8rt_arena_alloc(&b->f->arena, ROWS_M * STRIDE);
    bool right = both != NULL;
    if (right) {
        memset(both, 0, ROWS_M * STRIDE);
        fp8rt_gemm_desc desc = b->good;
        desc.a.codes = both;
        desc.d = both + D_AT;
        desc.a.stride = desc.d_stride = STRIDE;
        right = fp8rt_gemm(dev, desc, b->scratch, SCRATCH_BYTES, NULL) == FP8RT_OK;
        desc.k = D_AT;
        desc.b.stride = D_AT;
        desc.n = 1;
        right = right && fp8rt_gemm(dev, desc, b->scratch, SCRATCH_BYTES, NULL) == FP8RT_OK;
        desc.k = D_AT + 1;
        desc.b.stride = 2 * D_AT;
        right =
            right && fp8rt_gemm(dev, desc, b->scratch, SCRATCH_BYTES, NULL) == FP8RT_ERR_OVERLAP;
    }
    faults_count(b->f, right, "library: rows of D between those of A");
}

// ---- plans and devices --------------------------------------------------------------------------

static bool is_refused(fp8rt_device *dev, fp8rt_gemm_plan *plan, fp8rt_status expected)
{
    uint16_t tag = 0;
    fp8rt_gemm_result result;
    return fp8rt_gemm_run(dev, plan, NULL, 0, &result) == expected && result.status == expected &&
           fp8rt_gemm_begin(dev, plan, NULL, 0, &tag) == expected && tag == 0;
}

static void run_plans(const bench *b)
{
    fp8rt_device *dev = &b->f->dev;
    static fp8rt_gemm_plan zero_plan;
    faults_count(b->f, is_refused(dev, &zero_plan, FP8RT_ERR_PLAN), "library: a plan of zeros");

    fp8rt_caps other = dev->caps;
    fp8rt_gemm_plan plan;
    other.rows = (uint16_t)(2u * other.rows);
    bool made = fp8rt_gemm_plan_make(&other, b->good, &plan) == FP8RT_OK;
    faults_count(b->f, made && is_refused(dev, &plan, FP8RT_ERR_PLAN) && d_is_unwritten(b),
                 "library: a plan of another array");

    fp8rt_gemm_desc desc = b->good;
    made = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_OK;
    desc.m = 0;
    bool failed = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_ERR_SHAPE;
    faults_count(b->f, made && failed && is_refused(dev, &plan, FP8RT_ERR_PLAN),
                 "library: a plan that could not be made");

    float changing = 1.0f;
    desc = b->good;
    desc.a.scale = (fp8mac_scale){FP8MAC_SCALE_TENSOR, &changing};
    made = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_OK;
    changing = zero;
    bool right = made && is_refused(dev, &plan, FP8RT_ERR_SCALE);
    desc.a.scale = b->good.a.scale;
    desc.scale_d = &changing;
    changing = 1.0f;
    made = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_OK;
    changing = negative;
    faults_count(b->f,
                 right && made && is_refused(dev, &plan, FP8RT_ERR_SCALE) && d_is_unwritten(b),
                 "library: a scale that becomes illegal behind the plan");
}

// A plan of all zeros in A moves to another A and D, and back. A bad address leaves it as it was.
static void run_moved(const bench *b)
{
    fp8rt_device *dev = &b->f->dev;
    fp8rt_gemm_plan plan;
    fp8rt_arena start = b->f->arena;
    uint8_t *a = fp8rt_arena_alloc(&b->f->arena, fp8rt_packed_bytes(&dev->caps, ROWS_M, DEPTH));
    uint8_t *d = fp8rt_arena_alloc(&b->f->arena, b->d_bytes);
    bool right = d != NULL && fp8rt_gemm_plan_make(&dev->caps, b->good, &plan) == FP8RT_OK;
    if (right) {
        memset(a, 0x38, fp8rt_packed_bytes(&dev->caps, ROWS_M, DEPTH));
        memset(d, UNWRITTEN, b->d_bytes);
        const void *const other_b = plan.desc.b.codes;
        right = fp8rt_gemm_plan_move(dev, &plan, a, other_b, a) == FP8RT_ERR_OVERLAP &&
                fp8rt_gemm_plan_move(dev, &plan, a, d, d) == FP8RT_ERR_OVERLAP &&
                fp8rt_gemm_plan_move(dev, &plan, a + 1, other_b, d) == FP8RT_ERR_ALIGNMENT &&
                fp8rt_gemm_plan_move(dev, &plan, a, NULL, d) == FP8RT_ERR_NULL &&
                plan.desc.a.codes == b->good.a.codes && plan.desc.b.codes == other_b &&
                fp8rt_gemm_plan_move(dev, &plan, a, other_b, d) == FP8RT_OK &&
                fp8rt_gemm_run(dev, &plan, NULL, 0, NULL) == FP8RT_OK && d[0] == 0 && d[3] == 0 &&
                d_is_unwritten(b);
    }
    b->f->arena = start;
    faults_count(b->f, right, "library: a plan with other matrices");
}

static void run_without_open(const bench *b)
{
    static fp8rt_device closed;
    const fp8rt_command command = {0};
    fp8rt_gemm_plan plan;
    uint16_t tag = 0;
    bool right = fp8rt_gemm_plan_make(&closed.caps, b->good, &plan) == FP8RT_ERR_NOT_OPEN &&
                 fp8rt_gemm(&closed, b->good, NULL, 0, NULL) == FP8RT_ERR_NOT_OPEN &&
                 fp8rt_gemm_end(&closed, 1, NULL) == FP8RT_ERR_NOT_OPEN;
    right = right && fp8rt_gemm_plan_make(&b->f->dev.caps, b->good, &plan) == FP8RT_OK &&
            is_refused(&closed, &plan, FP8RT_ERR_NOT_OPEN) &&
            fp8rt_device_submit(&closed, &command) == FP8RT_ERR_NOT_OPEN &&
            fp8rt_device_begin(&closed, &command, &tag) == FP8RT_ERR_NOT_OPEN;
    faults_count(b->f, right && d_is_unwritten(b), "library: a device that is not open");
}

// The planner's time is bounded, whatever the sizes are.
static void run_planner(const bench *b)
{
    enum { LIMIT = 10000 };
    static const uint32_t sizes[][3] = {{1, 1, UINT32_MAX / 8},
                                        {1, 4096, 1u << 17},
                                        {4096, 1, 1u << 17},
                                        {1u << 15, 1u << 15, 1},
                                        {129, 131, UINT32_MAX / 1024}};
    uint64_t longest = 0;
    bool made = true;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fp8rt_gemm_desc desc = b->good;
        fp8rt_gemm_plan plan;
        desc.m = sizes[i][0];
        desc.n = sizes[i][1];
        desc.k = sizes[i][2];
        desc.a.codes = (const void *)(uintptr_t)0x01000000u; // addresses only: nothing is read
        desc.b.codes = (const void *)(uintptr_t)0x41000000u;
        desc.d = (void *)(uintptr_t)0x81000000u;
        desc.d_format = FP8MAC_E4M3FN;
        const uint64_t start = fp8rt_app_cycles();
        const fp8rt_status status = fp8rt_gemm_plan_make(&b->f->dev.caps, desc, &plan);
        const bool deep = !fp8rt_element_holds(&b->f->dev.caps.element, desc.k);
        made = made && status == (deep ? FP8RT_ERR_SHAPE : FP8RT_OK);
        const uint64_t cycles = fp8rt_app_cycles() - start;
        longest = cycles > longest ? cycles : longest;
    }
    char text[21];
    if (fp8rt_app_is_host) {
        faults_skip(b->f, "library: the planner's time", "the golden model has no clock");
    } else {
        printf("     at most %s cycles\n", fp8rt_app_decimal(longest, text));
        faults_count(b->f, made && longest > 0 && longest <= LIMIT, "library: the planner's time");
    }
}

// ---- several GEMMs in flight --------------------------------------------------------------------

enum { FLIGHT = 3, OWN_ROW = 64 };

// GEMMs of one row each: their D differs, and so do their flags and amax. The second saturates, the
// third has a NaN. INT8 has none: the third saturates, too.
typedef struct flight {
    fp8rt_gemm_plan plans[FLIGHT];
    fp8rt_gemm_result alone[FLIGHT]; // of each GEMM by itself
    uint8_t *d[FLIGHT];
    uint8_t expected[FLIGHT][OWN_ROW];
} flight;

static bool plan_flight(const bench *b, flight *fl, const fp8mac_scale *scale_of_second)
{
    static const uint8_t fp8[FLIGHT] = {0x38, 0x7e, 0x7f};  // 1, the largest number, NaN
    static const uint8_t int8[FLIGHT] = {0x01, 0x7e, 0x80}; // 1, 126, -128
    fp8rt_device *dev = &b->f->dev;
    const uint8_t *codes = dev->caps.element.int8 ? int8 : fp8;
    for (unsigned i = 0; i < FLIGHT; i++) {
        uint8_t *a = fp8rt_arena_alloc(&b->f->arena, OWN_ROW);
        uint8_t *second = fp8rt_arena_alloc(&b->f->arena, (size_t)ROWS_N * OWN_ROW);
        fl->d[i] = fp8rt_arena_alloc(&b->f->arena, OWN_ROW);
        if (a == NULL || second == NULL || fl->d[i] == NULL) {
            return false;
        }
        memset(a, codes[i], OWN_ROW);
        memset(second, codes[0], (size_t)ROWS_N * OWN_ROW); // sums are finite in FP16, too
        memset(fl->d[i], UNWRITTEN, OWN_ROW);
        fp8rt_gemm_desc desc = {.m = 1,
                                .n = ROWS_N,
                                .k = DEPTH,
                                .a.codes = a,
                                .a.stride = OWN_ROW,
                                .b.codes = second,
                                .b.stride = OWN_ROW,
                                .d = fl->d[i],
                                .d_stride = OWN_ROW,
                                .a.format = b->good.a.format,
                                .b.format = b->good.b.format,
                                .acc_format = b->good.acc_format,
                                .d_format = FP8MAC_E4M3FN};
        if (scale_of_second != NULL && i == 1) {
            desc.b.scale = *scale_of_second;
        }
        if (fp8rt_gemm_plan_make(&dev->caps, desc, &fl->plans[i]) != FP8RT_OK) {
            return false;
        }
    }
    return true;
}

static bool run_alone(const bench *b, flight *fl)
{
    bool right = true;
    for (unsigned i = 0; i < FLIGHT; i++) {
        right = fp8rt_gemm_run(&b->f->dev, &fl->plans[i], b->scratch, SCRATCH_BYTES,
                               &fl->alone[i]) == FP8RT_OK &&
                right;
        memcpy(fl->expected[i], fl->d[i], OWN_ROW);
        memset(fl->d[i], UNWRITTEN, OWN_ROW);
    }
    const bool int8 = b->f->dev.caps.element.int8;
    const fp8mac_flags third = int8 ? FP8MAC_FLAG_SATURATED : FP8MAC_FLAG_NAN;
    return right && fl->alone[0].flags == 0 && (fl->alone[1].flags & FP8MAC_FLAG_SATURATED) != 0 &&
           (fl->alone[2].flags & third) != 0 && fl->alone[2].amax_nonfinite == !int8 &&
           fl->alone[0].amax < fl->alone[1].amax;
}

static bool same_result(const fp8rt_gemm_result *x, const fp8rt_gemm_result *y)
{
    return x->status == y->status && x->flags == y->flags && x->amax == y->amax &&
           x->amax_nonfinite == y->amax_nonfinite;
}

// All are begun before the first is ended, and ended in another order.
static void run_flight(const bench *b)
{
    static const unsigned order[FLIGHT] = {1, 2, 0};
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    bool right = plan_flight(b, &fl, NULL) && run_alone(b, &fl);
    uint16_t tags[FLIGHT];
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        right =
            fp8rt_gemm_begin(dev, &fl.plans[i], b->scratch, SCRATCH_BYTES, &tags[i]) == FP8RT_OK;
    }
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        const unsigned which = order[i];
        fp8rt_gemm_result result;
        right = fp8rt_gemm_end(dev, tags[which], &result) == FP8RT_OK &&
                same_result(&result, &fl.alone[which]) &&
                memcmp(fl.d[which], fl.expected[which], OWN_ROW) == 0;
    }
    faults_count(b->f, right, "library: GEMMs in flight have their own flags and amax");
}

// The second fails when its scales are loaded: the first is complete, the third dropped.
static void run_failing_flight(const bench *b)
{
    static const fp8mac_scale bad = {FP8MAC_SCALE_VECTOR, bad_at_three};
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    bool right = plan_flight(b, &fl, &bad);
    uint16_t tags[FLIGHT];
    fp8rt_status begun[FLIGHT], ended[FLIGHT];
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        begun[i] = fp8rt_gemm_begin(dev, &fl.plans[i], b->scratch, SCRATCH_BYTES, &tags[i]);
        ended[i] = begun[i];
    }
    for (unsigned i = FLIGHT; right && i-- > 0;) {
        if (begun[i] == FP8RT_OK) {
            ended[i] = fp8rt_gemm_end(dev, tags[i], NULL);
        }
    }
    // The third may have come after the failure.
    right = right && begun[0] == FP8RT_OK && begun[1] == FP8RT_OK && ended[0] == FP8RT_OK &&
            ended[1] == FP8RT_ERR_HW_SCALE &&
            ended[2] == (begun[2] == FP8RT_OK ? FP8RT_ERR_HW_DROPPED : FP8RT_ERR_HW_SCALE);
    for (unsigned i = 0; right && i < OWN_ROW; i++) {
        right = fl.d[1][i] == UNWRITTEN && fl.d[2][i] == UNWRITTEN;
    }
    right = fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR) == FP8RT_OK && right;
    faults_count(b->f, faults_still_works(b->f) && right,
                 "library: a GEMM in flight fails by itself");
}

// More GEMMs than records: the next one can be begun when one was ended.
static void run_many(const bench *b)
{
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    bool right = plan_flight(b, &fl, NULL) && dev->caps.records <= 32;
    uint16_t tags[32], more;
    for (unsigned i = 0; right && i < dev->caps.records; i++) {
        right =
            fp8rt_gemm_begin(dev, &fl.plans[0], b->scratch, SCRATCH_BYTES, &tags[i]) == FP8RT_OK;
    }
    right = right && fp8rt_gemm_begin(dev, &fl.plans[0], b->scratch, SCRATCH_BYTES, &more) ==
                         FP8RT_ERR_RECORDS;
    right = right && fp8rt_gemm_end(dev, tags[2], NULL) == FP8RT_OK &&
            fp8rt_gemm_begin(dev, &fl.plans[1], b->scratch, SCRATCH_BYTES, &tags[2]) == FP8RT_OK;
    for (unsigned i = 0; right && i < dev->caps.records; i++) {
        fp8rt_gemm_result result;
        right = fp8rt_gemm_end(dev, tags[i], &result) == FP8RT_OK &&
                (result.flags & FP8MAC_FLAG_SATURATED) == (i == 2 ? FP8MAC_FLAG_SATURATED : 0);
    }
    faults_count(b->f, right, "library: as many GEMMs in flight as there are records");
}

// Tags that belong to no command in flight: ended ones, 0, unknown ones, and an old one whose
// record another command has. They end nothing.
static void run_stale(const bench *b)
{
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    const uint16_t records = dev->caps.records;
    uint16_t first, last;
    bool right =
        plan_flight(b, &fl, NULL) && run_alone(b, &fl) &&
        fp8rt_gemm_begin(dev, &fl.plans[0], b->scratch, SCRATCH_BYTES, &first) == FP8RT_OK &&
        fp8rt_gemm_end(dev, first, NULL) == FP8RT_OK;
    right = right && fp8rt_gemm_end(dev, first, NULL) == FP8RT_ERR_HW_DROPPED &&
            fp8rt_gemm_end(dev, 0, NULL) == FP8RT_ERR_HW_DROPPED &&
            fp8rt_gemm_end(dev, (uint16_t)(first + 3u), NULL) == FP8RT_ERR_HW_DROPPED &&
            fp8rt_device_is_done(dev, first) && fp8rt_device_is_done(dev, 0) &&
            fp8rt_device_await(dev, first, 1000) == FP8RT_OK;
    last = first;
    for (unsigned i = 0; right && i < records; i++) { // the last has the record of `first`
        right =
            fp8rt_gemm_begin(dev, &fl.plans[1], b->scratch, SCRATCH_BYTES, &last) == FP8RT_OK &&
            (last == (uint16_t)(first + records) || fp8rt_gemm_end(dev, last, NULL) == FP8RT_OK);
    }
    fp8rt_gemm_result result;
    right = right && last == (uint16_t)(first + records) &&
            fp8rt_gemm_end(dev, first, NULL) == FP8RT_ERR_HW_DROPPED &&
            fp8rt_gemm_end(dev, last, &result) == FP8RT_OK && same_result(&result, &fl.alone[1]);
    faults_count(b->f, right, "library: tags of no GEMM in flight");
}

// A wait ends when its time has passed. A reset cancels what is in flight. The golden model has run
// a command when it was begun.
static void run_late(const bench *b)
{
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    bool right = plan_flight(b, &fl, NULL);
    uint16_t tags[FLIGHT];
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        right =
            fp8rt_gemm_begin(dev, &fl.plans[i], b->scratch, SCRATCH_BYTES, &tags[i]) == FP8RT_OK;
    }
    right = right && fp8rt_device_await(dev, tags[FLIGHT - 1], 0) ==
                         (fp8rt_app_is_host ? FP8RT_OK : FP8RT_ERR_LATE);
    right = right && fp8rt_device_await(dev, tags[FLIGHT - 1], 100000) == FP8RT_OK;
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        right = fp8rt_gemm_end(dev, tags[i], NULL) == FP8RT_OK;
    }
    faults_count(b->f, right, "library: a wait of limited time");

    for (unsigned i = 0; right && i < FLIGHT; i++) {
        right =
            fp8rt_gemm_begin(dev, &fl.plans[i], b->scratch, SCRATCH_BYTES, &tags[i]) == FP8RT_OK;
    }
    right = right && fp8rt_device_reset(dev) == FP8RT_OK;
    fp8rt_status last = FP8RT_OK;
    for (unsigned i = 0; right && i < FLIGHT; i++) {
        last = fp8rt_gemm_end(dev, tags[i], NULL);
        right = last == FP8RT_OK || last == FP8RT_ERR_HW_DROPPED;
    }
    right = right && last == (fp8rt_app_is_host ? FP8RT_OK : FP8RT_ERR_HW_DROPPED);
    faults_count(b->f, right && faults_still_works(b->f), "library: a reset cancels GEMMs");
}

// An accelerator without records runs GEMMs and begins none. No tag is one of a GEMM in flight.
static void run_no_records(const bench *b)
{
    static flight fl;
    fp8rt_device *dev = &b->f->dev;
    uint16_t tag = 5;
    const bool right =
        plan_flight(b, &fl, NULL) && run_alone(b, &fl) &&
        fp8rt_gemm_begin(dev, &fl.plans[0], b->scratch, SCRATCH_BYTES, &tag) == FP8RT_ERR_RECORDS &&
        fp8rt_gemm_end(dev, tag, NULL) == FP8RT_ERR_HW_DROPPED && fp8rt_device_is_done(dev, tag);
    faults_count(b->f, right && faults_still_works(b->f),
                 "library: no GEMM is begun without records");
    faults_skip(b->f, "library: GEMMs in flight", "the accelerator has no completion records");
}

static bool prepare(bench *b)
{
    faults *f = b->f;
    const fp8rt_caps *caps = &f->dev.caps;
    uint8_t *a = fp8rt_arena_alloc(&f->arena, fp8rt_packed_bytes(caps, ROWS_M, DEPTH));
    uint8_t *second = fp8rt_arena_alloc(&f->arena, fp8rt_packed_bytes(caps, ROWS_N, DEPTH));
    b->d_bytes = fp8rt_packed_bytes(caps, ROWS_M, ROWS_N * sizeof(float));
    uint8_t *d = fp8rt_arena_alloc(&f->arena, b->d_bytes);
    float *vector = fp8rt_arena_alloc(&f->arena, (VECTOR + 1) * sizeof(float));
    b->scratch = fp8rt_arena_alloc(&f->arena, SCRATCH_BYTES);
    if (b->scratch == NULL) {
        return false;
    }
    b->vector = vector + 1;
    memset(a, 0, fp8rt_packed_bytes(caps, ROWS_M, DEPTH));
    memset(second, 0, fp8rt_packed_bytes(caps, ROWS_N, DEPTH));
    memset(d, UNWRITTEN, b->d_bytes);
    memset(vector, 0, (VECTOR + 1) * sizeof(float));
    b->good = (fp8rt_gemm_desc){.m = ROWS_M,
                                .n = ROWS_N,
                                .k = DEPTH,
                                .a.codes = a,
                                .b.codes = second,
                                .d = d,
                                .a.format = fp8rt_element_format(&caps->element),
                                .b.format = fp8rt_element_format(&caps->element),
                                .acc_format = fp8rt_element_accumulator(&caps->element),
                                .d_format = FP8MAC_FP32};
    return true;
}

void faults_run_library(faults *f)
{
    static bench b;
    const fp8rt_arena start = f->arena;
    b.f = f;
    if (!prepare(&b)) {
        faults_count(f, false, "library: memory");
        return;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        run_fault(&b, &arguments[i]);
    }
    run_element(&b);
    run_mx(&b);
    run_scratch(&b);
    run_scratch_overlap(&b);
    run_alternating(&b);
    run_plans(&b);
    run_moved(&b);
    run_without_open(&b);
    run_planner(&b);
    if (f->dev.caps.records == 0) {
        run_no_records(&b);
    } else {
        run_flight(&b);
        run_failing_flight(&b);
        run_many(&b);
        run_stale(&b);
        run_late(&b);
    }
    for (size_t i = 0; i < sizeof bus / sizeof bus[0]; i++) {
        if (fp8rt_app_slverr_address != 0 || bus[i].expected == FP8RT_ERR_HW_READ_DECERR ||
            bus[i].expected == FP8RT_ERR_HW_WRITE_DECERR) {
            run_fault(&b, &bus[i]);
        } else {
            faults_skip(f, bus[i].name, "the host build has no SLVERR");
        }
    }
    f->arena = start;
}
