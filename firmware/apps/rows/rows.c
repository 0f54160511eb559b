// SPDX-License-Identifier: Apache-2.0
//: Norms, softmax, reductions, sigmoid and tanh of rows: a hash of D, amax, flags and the
//: cycles of each command.
//
// On the host the golden model computes them; there D is compared with a call of the model, too.
// The chip prints the same lines, but for the cycles. The last line is the count of tests: besides
// those, an operation in place gives the same bytes, and bytes between D's rows stay as they were.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/matrix.h"
#include "fp8rt/rows.h"
#include "refusals.h"

enum { MOST_BYTES = 1 << 17, MOST_N = 4096, UNTOUCHED = 0x5a };

// How the values of X are drawn
typedef enum draw { ANY, NEAR_ONE, EQUAL, SPECIAL } draw;

typedef struct named_case {
    const char *name;
    fp8mac_rows_operation operation;
    uint32_t m, n;
    fp8mac_format_id x_format, d_format;
    draw draw;
    bool gamma, beta;
    uint32_t seen;
    bool causal;
    float factor, eps, scale_d; // 0: none
    fp8mac_activation activation;
    uint32_t table;
    uint32_t gap; // bytes that are added to the strides
    bool dense;   // results one behind the other
} named_case;

#define LAYER FP8MAC_ROWS_LAYER_NORM
#define RMS FP8MAC_ROWS_RMS_NORM
#define SOFTMAX FP8MAC_ROWS_SOFTMAX
#define MAXIMUM FP8MAC_ROWS_MAXIMUM
#define ARGMAX FP8MAC_ROWS_ARGMAX
#define SQUARES FP8MAC_ROWS_SUM_OF_SQUARES
#define SUM FP8MAC_ROWS_SUM
#define SIGMOID FP8MAC_ROWS_SIGMOID
#define TANH FP8MAC_ROWS_TANH
#define MAGNITUDE FP8MAC_ROWS_MAGNITUDE
#define QUANTISE FP8MAC_ROWS_QUANTISE
#define QUANTISE_MX FP8MAC_ROWS_QUANTISE_MX
#define FP32 FP8MAC_FP32
#define FP16 FP8MAC_FP16
#define E4M3 FP8MAC_E4M3FN

static const named_case cases[] = {
    {"layer norm", LAYER, 16, 64, FP32, E4M3, .gamma = true, .beta = true, .eps = 1e-5f},
    {"layer norm, one row", LAYER, 1, 64, FP32, FP32, .gamma = true, .beta = true, .eps = 1e-5f},
    {"layer norm, plain", LAYER, 7, 45, FP8MAC_E5M2, FP16, .eps = 1e-5f},
    {"layer norm, gamma, long rows", LAYER, 3, 1001, FP16, FP32, .gamma = true, .eps = 1.0f},
    {"layer norm, beta alone, relu", LAYER, 9, 33, E4M3, E4M3, .beta = true, .eps = 1e-5f,
     .scale_d = 8.0f, .activation = FP8MAC_ACT_RELU},
    {"layer norm of equal values", LAYER, 5, 70, FP32, FP32, .draw = EQUAL, .eps = 1e-5f},
    {"layer norm, eps 0", LAYER, 5, 24, FP32, FP32, .draw = NEAR_ONE},
    {"layer norm, one column", LAYER, 6, 1, FP32, FP32, .eps = 1e-5f, .beta = true},
    {"layer norm of NaN and Inf", LAYER, 8, 40, FP16, E4M3, .draw = SPECIAL, .eps = 1e-5f},
    {"layer norm, many rows", LAYER, 131, 17, FP8MAC_BF16, FP8MAC_BF16, .gamma = true, .beta = true,
     .eps = 1e-5f, .gap = 64},
    {"layer norm, mapped", LAYER, 4, 64, FP32, E4M3, .eps = 1e-5f, .scale_d = 16.0f, .table = 1},
    {"RMS norm", RMS, 16, 64, FP32, E4M3, .gamma = true, .eps = 1e-5f},
    {"RMS norm, one row", RMS, 1, 1000, FP16, FP32, .eps = 1e-5f},
    {"RMS norm, clamp", RMS, 19, 100, FP8MAC_INT8, FP8MAC_INT8, .eps = 1e-5f, .scale_d = 40.0f,
     .activation = FP8MAC_ACT_CLAMP, .gap = 32},
    {"RMS norm of NaN and Inf", RMS, 8, 40, FP32, FP32, .draw = SPECIAL, .gamma = true,
     .eps = 1e-5f},
    {"softmax", SOFTMAX, 16, 64, FP32, E4M3, .scale_d = 256.0f, .factor = 0.125f},
    {"softmax, one row", SOFTMAX, 1, 64, FP32, FP32, .draw = ANY},
    {"softmax, short rows", SOFTMAX, 100, 8, FP32, E4M3, .scale_d = 256.0f, .factor = 0.176f},
    {"softmax, causal", SOFTMAX, 20, 20, FP32, FP8MAC_E5M2, .seen = 1, .causal = true,
     .scale_d = 32768.0f, .factor = 0.125f},
    {"softmax, 13 of 77 columns", SOFTMAX, 10, 77, FP16, FP16, .seen = 13, .gap = 32},
    {"softmax, causal beyond the end", SOFTMAX, 40, 21, E4M3, FP32, .seen = 3, .causal = true,
     .factor = 0.03125f},
    {"softmax, long rows", SOFTMAX, 3, 2049, E4M3, FP32, .factor = 0.03125f},
    {"softmax, one column", SOFTMAX, 5, 1, FP32, FP32, .draw = ANY},
    {"softmax of NaN and Inf", SOFTMAX, 8, 40, FP32, FP32, .draw = SPECIAL},
    {"softmax of equal values", SOFTMAX, 4, 100, FP32, E4M3, .draw = EQUAL, .scale_d = 256.0f},
    {"softmax, mapped", SOFTMAX, 4, 64, FP32, E4M3, .seen = 60, .scale_d = 256.0f, .table = 1},
    {"sum", SUM, 20, 100, FP32, FP32, .factor = 0.01f},
    {"sum, causal", SUM, 9, 40, E4M3, FP16, .seen = 30, .causal = true},
    {"sum of one row", SUM, 1, 4096, E4M3, FP32, .draw = ANY},
    {"sum of squares", SQUARES, 12, 333, FP16, FP32, .factor = 0.5f},
    {"sum of squares of NaN and Inf", SQUARES, 8, 40, FP32, FP8MAC_BF16, .draw = SPECIAL},
    {"maximum", MAXIMUM, 33, 70, FP32, E4M3, .factor = 2.0f, .scale_d = 0.5f},
    {"maximum, relu, 5 columns", MAXIMUM, 6, 50, FP16, FP32, .seen = 5,
     .activation = FP8MAC_ACT_RELU},
    {"maximum of NaN and Inf", MAXIMUM, 8, 40, FP32, FP32, .draw = SPECIAL},
    {"argmax", ARGMAX, 64, 10, FP32, 0, .draw = ANY},
    {"argmax of equal values", ARGMAX, 3, 300, E4M3, 0, .draw = EQUAL},
    {"argmax of NaN and Inf", ARGMAX, 8, 40, FP32, 0, .draw = SPECIAL, .seen = 9, .causal = true},
    {"sigmoid", SIGMOID, 1, 512, FP32, FP32, .draw = ANY},
    {"sigmoid, a factor", SIGMOID, 16, 64, FP16, E4M3, .factor = 0.01f, .scale_d = 256.0f},
    {"sigmoid of NaN and Inf", SIGMOID, 8, 40, FP32, FP32, .draw = SPECIAL},
    {"tanh", TANH, 1, 128, FP32, FP32, .draw = NEAR_ONE},
    {"tanh, long rows", TANH, 3, 1001, E4M3, FP16, .factor = 0.25f, .gap = 32},
    {"tanh, relu, mapped", TANH, 33, 20, FP32, E4M3, .activation = FP8MAC_ACT_RELU, .table = 1},
    {"tanh of NaN and Inf", TANH, 8, 40, FP16, FP32, .draw = SPECIAL},
    {"magnitude", MAGNITUDE, 16, 64, FP16, FP32, .factor = 1.0f / 448.0f},
    {"magnitude, one behind the other", MAGNITUDE, 45, 33, E4M3, FP32, .factor = 0.25f,
     .dense = true},
    {"argmax, one behind the other", ARGMAX, 16, 40, FP16, 0, .draw = ANY, .dense = true},
    {"magnitude, causal", MAGNITUDE, 37, 21, FP32, FP32, .seen = 2, .causal = true},
    {"magnitude of NaN and Inf", MAGNITUDE, 8, 40, FP32, FP32, .draw = SPECIAL},
    {"quantise", QUANTISE, 16, 64, FP32, E4M3, .scale_d = 448.0f},
    {"quantise, one row", QUANTISE, 1, 1000, FP16, FP8MAC_E5M2, .scale_d = 57344.0f},
    {"quantise, many rows", QUANTISE, 131, 17, FP8MAC_BF16, FP8MAC_INT8, .scale_d = 127.0f,
     .gap = 64},
    {"quantise, relu, mapped", QUANTISE, 9, 33, FP32, E4M3, .scale_d = 448.0f,
     .activation = FP8MAC_ACT_RELU, .table = 1},
    {"quantise of NaN and Inf", QUANTISE, 8, 40, FP16, FP32, .draw = SPECIAL},
    {"quantise MX", QUANTISE_MX, 16, 64, FP32, E4M3, .gap = 32},
    {"quantise MX, one row", QUANTISE_MX, 1, 1000, FP16, FP8MAC_E5M2, .gap = 0},
    {"quantise MX, many rows", QUANTISE_MX, 131, 17, FP8MAC_BF16, FP8MAC_E4M3FNUZ, .gap = 64},
    {"quantise MX of codes", QUANTISE_MX, 9, 100, FP8MAC_E5M2FNUZ, FP8MAC_E5M2FNUZ, .gap = 0},
    {"quantise MX of NaN and Inf", QUANTISE_MX, 8, 40, FP32, E4M3, .draw = SPECIAL},
};

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static unsigned passed, failed;

static void count(const char *name, bool good)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? passed++ : failed++;
}

static uint32_t bytes_of(fp8mac_format_id format)
{
    return fp8mac_format_bytes(fp8mac_format_get(format));
}

// ---- operands -----------------------------------------------------------------------------------

// The top byte of a value: neither NaN nor Inf, and of wide formats most are neither huge nor tiny.
static uint8_t top_byte(const named_case *t, uint32_t r)
{
    if (t->x_format == FP8MAC_INT8) {
        return (uint8_t)r;
    }
    if (t->draw == NEAR_ONE) {
        return (uint8_t)((r & 0x80u) | 0x3fu);
    }
    return bytes_of(t->x_format) == 1 || (r & 0xf00u) == 0 ? (uint8_t)(r & 0xbfu)
                                                           : (uint8_t)((r & 0x81u) | 0x40u);
}

static void put(uint8_t *at, uint32_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

// NaN, Inf, -Inf, and rows with nothing but -Inf or zeros
static void put_specials(const named_case *t, uint8_t *x, uint32_t stride)
{
    const uint32_t size = bytes_of(t->x_format), inf = t->x_format == FP16 ? 0x7c00 : 0x7f800000,
                   sign = t->x_format == FP16 ? 0x8000 : 0x80000000;
    const uint32_t specials[] = {inf + 1, inf, inf | sign, sign, 0};
    for (uint32_t row = 0; row < 5; row++) {
        put(x + row * stride + row * size, specials[row], size);
    }
    for (uint32_t i = 0; i < t->n; i++) {
        put(x + 5 * stride + i * size, inf | sign, size);
        put(x + 6 * stride + i * size, i % 3 == 0 ? sign : 0, size);
    }
}

static void fill(const named_case *t, uint8_t *x, uint32_t stride)
{
    const uint32_t size = bytes_of(t->x_format);
    memset(x, 0, (size_t)stride * t->m);
    for (uint32_t row = 0; row < t->m; row++) {
        uint8_t *at = x + (size_t)row * stride;
        for (uint32_t i = 0; i < t->n * size; i++) {
            const uint32_t r = next_random();
            at[i] = i % size == size - 1u ? top_byte(t, r) : (uint8_t)r;
        }
        for (uint32_t i = size; i < t->n * size && t->draw == EQUAL; i++) {
            at[i] = at[i - size];
        }
    }
    if (t->draw == SPECIAL) {
        put_specials(t, x, stride);
    }
}

static uint32_t hash(const uint8_t *at, uint32_t rows, uint32_t stride, uint32_t row_bytes)
{
    uint32_t h = 2166136261u;
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t i = 0; i < row_bytes; i++) {
            h = (h ^ at[(size_t)r * stride + i]) * 16777619u;
        }
    }
    return h;
}

// ---- a case -------------------------------------------------------------------------------------

// What a case works with
typedef struct bench {
    fp8rt_device dev;
    uint8_t *x, *d, *want, *scales;
    float *gamma, *beta;
    uint8_t table[FP8RT_TABLE_CODES];
} bench;

static uint32_t d_row_bytes(const named_case *t)
{
    const uint32_t columns = fp8mac_rows_is_reduction(t->operation) ? 1 : t->n;
    return columns * (t->operation == ARGMAX ? 4 : bytes_of(t->d_format));
}

static uint32_t stride_of(const bench *b, const named_case *t, uint32_t row_bytes)
{
    return fp8rt_packed_stride(&b->dev.caps, row_bytes) + t->gap;
}

// 0: the operation has no scales
static uint32_t scales_stride(const bench *b, const named_case *t)
{
    return t->operation == QUANTISE_MX ? stride_of(b, t, fp8rt_mx_blocks(t->n)) : 0;
}

static fp8rt_rows_desc desc_of(const bench *b, const named_case *t)
{
    return (fp8rt_rows_desc){
        .operation = t->operation,
        .m = t->m,
        .n = t->n,
        .x = b->x,
        .x_stride = stride_of(b, t, t->n * bytes_of(t->x_format)),
        .x_format = t->x_format,
        .seen = t->seen,
        .causal = t->causal,
        .factor = t->factor == 0.0f ? NULL : &t->factor,
        .eps = t->eps,
        .gamma = t->gamma ? b->gamma : NULL,
        .beta = t->beta ? b->beta : NULL,
        .activation = t->activation,
        .clamp_lo = -2.0f,
        .clamp_hi = 2.5f,
        .d = b->d,
        .d_stride = t->dense ? FP8RT_ROWS_DENSE : stride_of(b, t, d_row_bytes(t)),
        .d_format = t->d_format,
        .coding = {.table = t->table},
        .scale_d = t->scale_d == 0.0f ? NULL : &t->scale_d,
        .scales = t->operation == QUANTISE_MX ? b->scales : NULL,
        .scales_stride = scales_stride(b, t),
    };
}

#ifndef __riscv
// The model is called by its own names.
static bool agrees(const bench *b, const fp8rt_rows_desc *desc, const fp8rt_gemm_result *result)
{
    const bool argmax = desc->operation == ARGMAX;
    const uint32_t row = fp8mac_rows_is_reduction(desc->operation) ? 1 : desc->n;
    const uint32_t size = argmax ? 4 : bytes_of(desc->d_format);
    const uint32_t blocks = desc->scales == NULL ? 0 : fp8rt_mx_blocks(desc->n);
    const fp8mac_rows_desc model = {
        .operation = desc->operation,
        .rows = desc->m,
        .cols = desc->n,
        .x = desc->x,
        .x_format = fp8mac_format_get(desc->x_format),
        .ldx = desc->x_stride / bytes_of(desc->x_format),
        .seen = desc->seen,
        .causal = desc->causal,
        .factor = desc->factor,
        .eps = desc->eps,
        .gamma = desc->gamma,
        .beta = desc->beta,
        .activation = desc->activation,
        .clamp_lo = desc->clamp_lo,
        .clamp_hi = desc->clamp_hi,
        .d = b->want,
        .d_format = argmax ? NULL : fp8mac_format_get(desc->d_format),
        .ldd = row,
        .scale_d = desc->scale_d,
        .d_table = desc->coding.table == 0 ? NULL : b->table,
        .scales = blocks == 0 ? NULL : b->want + desc->m * row,
        .lds = blocks,
    };
    fp8mac_gemm_result wanted;
    bool same = fp8mac_rows(&model, &wanted) == FP8MAC_OK && wanted.flags == result->flags &&
                memcmp(&wanted.amax, &result->amax, sizeof wanted.amax) == 0 &&
                wanted.amax_nonfinite == result->amax_nonfinite;
    for (uint32_t i = 0; i < desc->m; i++) {
        same = same && memcmp(b->want + (size_t)i * row * size, b->d + (size_t)i * desc->d_stride,
                              (size_t)row * size) == 0;
        same = same && memcmp(b->want + desc->m * row + i * blocks,
                              b->scales + i * desc->scales_stride, blocks) == 0;
    }
    return same;
}
#else
static bool agrees(const bench *b, const fp8rt_rows_desc *desc, const fp8rt_gemm_result *result)
{
    (void)b, (void)desc, (void)result;
    return true;
}
#endif

static bool gaps_are_untouched(const fp8rt_rows_desc *desc, uint32_t row_bytes)
{
    const uint8_t *at = desc->d;
    for (uint32_t row = 0; row < desc->m; row++) {
        for (uint32_t i = row_bytes; i < desc->d_stride; i++) {
            if (at[(size_t)row * desc->d_stride + i] != UNTOUCHED) {
                return false;
            }
        }
    }
    return true;
}

static void print(const named_case *t, fp8rt_status status, uint32_t h,
                  const fp8rt_gemm_result *result)
{
    const fp8rt_counters *c = &result->counters;
    uint32_t amax;
    memcpy(&amax, &result->amax, sizeof amax);
    printf("%-32s %3" PRIu32 " x %4" PRIu32 "  %s  hash %08" PRIx32 "  amax %08" PRIx32
           "%s  flags %" PRIx32 "\n",
           t->name, t->m, t->n, status == FP8RT_OK ? "ok" : fp8rt_status_string(status), h, amax,
           result->amax_nonfinite ? "+" : "", (uint32_t)result->flags);
    printf("  cycles %" PRIu32 ", values %" PRIu32 "\n", c->cycles, t->m * t->n);
}

static void run_case(bench *b, const named_case *t)
{
    const uint32_t row = d_row_bytes(t);
    fp8rt_rows_desc desc = desc_of(b, t);
    fp8rt_gemm_result result;
    fill(t, b->x, desc.x_stride);
    memset(b->d, UNTOUCHED, (size_t)desc.m * desc.d_stride);
    fp8rt_status status = fp8rt_rows(&b->dev, desc, &result);
    const uint32_t blocks = desc.scales == NULL ? 0 : fp8rt_mx_blocks(desc.n);
    const uint32_t scales = hash(b->scales, t->m, desc.scales_stride, blocks);
    const uint32_t h = hash(b->d, t->m, desc.d_stride, row) ^ (blocks == 0 ? 0 : scales);
    print(t, status, h, &result);
    count(t->name, status == FP8RT_OK && agrees(b, &desc, &result));
    count("bytes between rows", gaps_are_untouched(&desc, row));
    if (!fp8mac_rows_is_reduction(t->operation) && t->x_format == t->d_format) {
        desc.d = b->x;
        status = fp8rt_rows(&b->dev, desc, &result);
        const uint32_t same = hash(b->x, t->m, desc.d_stride, row) ^ (blocks == 0 ? 0 : scales);
        count("in place", status == FP8RT_OK && same == h);
    }
}

static float number(void)
{
    const float magnitude = (float)(next_random() & 0xffffu) / 16384.0f;
    return (next_random() & 1u) != 0 ? magnitude : -magnitude;
}

static bool prepare(bench *b)
{
    fp8rt_arena arena = fp8rt_app_arena();
    b->x = fp8rt_arena_alloc(&arena, MOST_BYTES);
    b->d = fp8rt_arena_alloc(&arena, MOST_BYTES);
    b->want = fp8rt_arena_alloc(&arena, MOST_BYTES);
    b->scales = fp8rt_arena_alloc(&arena, MOST_BYTES);
    b->gamma = fp8rt_arena_alloc(&arena, MOST_N * sizeof(float));
    b->beta = fp8rt_arena_alloc(&arena, MOST_N * sizeof(float));
    if (b->beta == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < MOST_N; i++) {
        b->gamma[i] = number();
        b->beta[i] = number();
    }
    for (uint32_t i = 0; i < FP8RT_TABLE_CODES; i++) {
        b->table[i] = (uint8_t)(i * 3u + 1u);
    }
    return fp8rt_device_load_table(&b->dev, 1, b->table) == FP8RT_OK;
}

int main(void)
{
    static bench b;
    if (fp8rt_device_open(&b.dev, &fp8rt_app_port) != FP8RT_OK) {
        printf("no accelerator\n");
        return 1;
    }
    if ((b.dev.caps.functions & FP8MAC_FUNCTION_ROWS) == 0) {
        printf("this accelerator has no row commands\n");
        return 1;
    }
    count("memory", prepare(&b));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && b.beta != NULL; i++) {
        run_case(&b, &cases[i]);
    }
    rows_refusals(&b.dev, &passed, &failed);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
