// SPDX-License-Identifier: Apache-2.0
// Integer sums and softmax, which the core computes.
#include "integer.h"

// ---- sums ---------------------------------------------------------------------------------------

enum {
    SUM_BITS = 20, // of an operand behind the point
    CODES = 256,
};

static fp8rt_status check_add(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_add_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_int_check_pair(run, desc->x, desc->out);
    if (status == FP8RT_OK) {
        status = fp8rt_int_check(run, desc->y);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (!fp8rt_tensor_is_as(desc->y, desc->x)) {
        return fp8rt_layer_fit(run, "desc->y");
    }
    if (!fp8rt_tensor_is_as(desc->out, desc->x)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    if (!fp8rt_int_is_scale(desc->x_scale, 0) || !fp8rt_int_is_scale(desc->y_scale, 0) ||
        !fp8rt_int_is_scale(desc->out_scale, 0)) {
        return FP8RT_ERR_SCALE;
    }
    if (desc->lo > desc->hi) {
        return FP8RT_ERR_ACTIVATION;
    }
    status = fp8rt_int_check_overlap(run, desc->x, desc->out, true);
    return status == FP8RT_OK ? fp8rt_int_check_overlap(run, desc->y, desc->out, true) : status;
}

typedef struct operand {
    const uint8_t *codes;
    uint32_t stride;
    int32_t zero;
    fp8mac_int_scale scale;
    int32_t *values; // of the codes 0x00 .. 0xff
} operand;

typedef struct sum {
    operand x, y;
    int8_t *out;
    uint32_t rows, cols, stride;
    fp8mac_int_scale scale;
    int8_t zero_point, lo, hi;
} sum;

// fp8rt_int_scaled of a value of at most 2^30. The core's products have 64 bits; the
// rest is done with 32.
static inline int32_t scale_sum(int32_t x, int32_t multiplier, unsigned right)
{
    const int64_t product = (int64_t)(x * 2) * multiplier; // z is the upper half, rounded
    const int32_t z = (int32_t)(product >> 32) + (int32_t)((uint32_t)product >> 31);
    if (right == 0) {
        return z;
    }
    // A tie goes away from zero. Bit 31 is added before the shift, and its share
    // subtracted behind it.
    const uint32_t half = (1u << (right - 1u)) - (z < 0);
    return (int32_t)(((uint32_t)z + half + 0x80000000u) >> right) - (int32_t)(0x80000000u >> right);
}

// Most tensors have more values than there are codes, so what each code stands for is computed
// first.
static void fill(const operand *x)
{
    for (int32_t code = INT8_MIN; code <= INT8_MAX; code++) {
        x->values[(uint8_t)code] = fp8rt_int_scaled((code - x->zero) * (1 << SUM_BITS), x->scale);
    }
}

static void add_rows(void *context)
{
    const sum *s = context;
    const int32_t *x_values = s->x.values, *y_values = s->y.values;
    const int32_t multiplier = s->scale.multiplier;
    const unsigned right = (unsigned)-s->scale.shift;
    const int32_t zero = s->zero_point, lo = s->lo, hi = s->hi;
    fill(&s->x);
    fill(&s->y);
    for (uint32_t row = 0; row < s->rows; row++) {
        const uint8_t *x = s->x.codes + (size_t)row * s->x.stride,
                      *y = s->y.codes + (size_t)row * s->y.stride;
        int8_t *out = s->out + (size_t)row * s->stride;
        for (uint32_t i = 0; i < s->cols; i++) {
            const int32_t total = x_values[x[i]] + y_values[y[i]];
            const int32_t code = scale_sum(total, multiplier, right) + zero;
            out[i] = (int8_t)(code < lo ? lo : code > hi ? hi : code);
        }
    }
}

static fp8rt_status compute_add(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_add_desc *desc = layer;
    const fp8rt_caps *caps = &run->dev->caps;
    int32_t *values = fp8rt_layer_take(run, 2 * CODES * sizeof *values);
    if (values == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    const sum s = {
        .x = {desc->x->data, fp8rt_tensor_stride(caps, desc->x), desc->x_zero, desc->x_scale,
              values},
        .y = {desc->y->data, fp8rt_tensor_stride(caps, desc->y), desc->y_zero, desc->y_scale,
              values + CODES},
        .out = desc->out->data,
        .rows = desc->out->rows,
        .cols = desc->out->cols,
        .stride = fp8rt_tensor_stride(caps, desc->out),
        .scale = desc->out_scale,
        .zero_point = desc->zero_point,
        .lo = desc->lo,
        .hi = desc->hi,
    };
    return fp8rt_layer_core(run, add_rows, &s, sizeof s);
}

fp8rt_status fp8rt_int_add(fp8rt_run *run, const fp8rt_int_add_desc *desc)
{
    return fp8rt_layer(run, "int_add", desc, check_add, compute_add);
}

// ---- softmax ------------------------------------------------------------------------------------
// Numbers of 32 bits: differences have DIFFERENCE_BITS in front of the point, sums of exponentials
// ONES_BITS, others none.

enum { DIFFERENCE_BITS = 5, ONES_BITS = 12, OUT_BITS = 8 };
#define MOST_DIFFERENCE (INT64_C(31) << (31 - DIFFERENCE_BITS))
#define EIGHTH INT32_C(1895147668) // exp(-1/8) * 2^31
#define THIRD INT32_C(715827883)   // 2^31 / 3

static fp8rt_status check_softmax(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_softmax_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_int_check_pair(run, desc->x, desc->out);
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->x->cols >= 1u << ONES_BITS) {
        return fp8rt_layer_fit(run, "desc->x");
    }
    if (!fp8rt_tensor_is_as(desc->out, desc->x)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    if (!fp8rt_int_is_scale(desc->scale, FP8MAC_SHIFT_MOST) || desc->scale.shift < 0 ||
        desc->least > 0 || (-(int64_t)desc->least << desc->scale.shift) > MOST_DIFFERENCE) {
        return FP8RT_ERR_SCALE;
    }
    return fp8rt_int_check_overlap(run, desc->x, desc->out, true);
}

typedef struct softmax {
    const int8_t *x;
    int8_t *out;
    uint32_t rows, cols, x_stride, out_stride;
    fp8mac_int_scale scale;
    int32_t least;
} softmax;

// floor(x / 2^by)
static int64_t floor_shift(int64_t x, unsigned by)
{
    return x >= 0 ? x >> by : -((-x - 1) >> by) - 1;
}

// a * b / 2^31 to nearest, a tie goes up
static int32_t high(int32_t a, int32_t b)
{
    return (int32_t)floor_shift((int64_t)a * b + (INT64_C(1) << 30), 31);
}

// x / 2^bits to nearest, a tie goes away from zero
static int32_t halve(int32_t x, unsigned bits)
{
    const int64_t size =
        ((x < 0 ? -(int64_t)x : x) + (bits == 0 ? 0 : INT64_C(1) << (bits - 1))) >> bits;
    return (int32_t)(x < 0 ? -size : size);
}

// exp of a number from -1/4 up to 0: a polynomial around -1/8
static int32_t exp_quarter(int32_t a)
{
    const int32_t x = a + (1 << 28), x2 = high(x, x), x3 = high(x2, x);
    const int32_t x4 = halve(high(x2, x2), 2);
    const int32_t tail = halve(high(x4 + x3, THIRD) + x2, 1);
    return EIGHTH + high(EIGHTH, x + tail);
}

// exp of a difference, which is 0 or less
static int32_t exp_difference(int32_t a)
{
    // exp(-2^k) * 2^31 for k = -2 .. 4
    static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                     39332535,   720401,     242};
    const int32_t point = 31 - DIFFERENCE_BITS, quarter = 1 << (point - 2);
    if (a == 0) {
        return INT32_MAX;
    }
    const int32_t within = (int32_t)((uint32_t)a & ((uint32_t)quarter - 1u)) - quarter;
    const uint32_t rest = (uint32_t)(within - a);
    int32_t result = exp_quarter(within * (1 << DIFFERENCE_BITS));
    for (unsigned k = 0; k < sizeof powers / sizeof *powers; k++) {
        if ((rest >> ((unsigned)point - 2u + k) & 1u) != 0) {
            result = high(result, powers[k]);
        }
    }
    return result;
}

static int32_t saturate(int64_t x)
{
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

// 1 / total; the bits of total in front of the point, less one, are `over`.
static int32_t invert(int32_t total, unsigned *over)
{
    unsigned zeros = 0;
    while (((uint32_t)total << zeros & 0x80000000u) == 0) {
        zeros++;
    }
    *over = ONES_BITS - zeros;
    // (1 + x) / 2 of total = 1 + x
    const int64_t fraction = (int64_t)((uint32_t)total << zeros & 0x7fffffffu);
    const int32_t half = (int32_t)((fraction + INT32_MAX + 1) >> 1);
    int32_t x = INT32_C(1515870810) + high(half, INT32_C(-1010580540)); // 48/17 - 32/17 * half
    for (int i = 0; i < 3; i++) {
        const int32_t error = (1 << 29) - high(half, x);
        x = (int32_t)(x + saturate((int64_t)high(x, error) * 4));
    }
    return saturate((int64_t)x * 2);
}

static int32_t exp_of(const softmax *s, int32_t difference)
{
    return exp_difference(high(difference * (1 << s->scale.shift), s->scale.multiplier));
}

static void softmax_row(const softmax *s, const int8_t *x, int8_t *out)
{
    int32_t most = INT8_MIN, total = 0;
    unsigned over;
    for (uint32_t i = 0; i < s->cols; i++) {
        most = x[i] > most ? x[i] : most;
    }
    for (uint32_t i = 0; i < s->cols; i++) {
        total += x[i] - most >= s->least ? halve(exp_of(s, x[i] - most), ONES_BITS) : 0;
    }
    const int32_t one = invert(total, &over);
    for (uint32_t i = 0; i < s->cols; i++) {
        int32_t code = INT8_MIN;
        if (x[i] - most >= s->least) {
            code += halve(high(one, exp_of(s, x[i] - most)), over + 31u - OUT_BITS);
        }
        out[i] = fp8rt_int_clamp(code, INT8_MIN, INT8_MAX);
    }
}

static void softmax_rows(void *context)
{
    const softmax *s = context;
    for (uint32_t row = 0; row < s->rows; row++) {
        softmax_row(s, s->x + (size_t)row * s->x_stride, s->out + (size_t)row * s->out_stride);
    }
}

static fp8rt_status compute_softmax(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_softmax_desc *desc = layer;
    const fp8rt_caps *caps = &run->dev->caps;
    const softmax s = {
        .x = desc->x->data,
        .out = desc->out->data,
        .rows = desc->out->rows,
        .cols = desc->out->cols,
        .x_stride = fp8rt_tensor_stride(caps, desc->x),
        .out_stride = fp8rt_tensor_stride(caps, desc->out),
        .scale = desc->scale,
        .least = desc->least,
    };
    return fp8rt_layer_core(run, softmax_rows, &s, sizeof s);
}

fp8rt_status fp8rt_int_softmax(fp8rt_run *run, const fp8rt_int_softmax_desc *desc)
{
    return fp8rt_layer(run, "int_softmax", desc, check_softmax, compute_softmax);
}
