// SPDX-License-Identifier: Apache-2.0
//: Conversions, additions, products and maxima of matrices, and a GEMM with beta * C: a hash of D
//: and the cycles of each.
//
// On the host the golden model computes them, so the hashes are the model's. The chip prints the
// same lines, but for the cycles. The last line is the count of tests: D is what the call reports,
// and an in-place operation gives the bytes of the one that is not.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/activation.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/matrix.h"

enum { MOST_M = 130, MOST_N = 260, MOST_BYTES = MOST_M * (MOST_N * 4 + 64) };

typedef struct named_case {
    const char *name;
    uint32_t operation; // FP8RT_OPERATION_*
    uint32_t m, n;
    fp8mac_format_id x_format, c_format, d_format;
    float beta;
    bool vector;
    fp8mac_activation activation;
    fp8rt_coding coding;
} named_case;

#define ADD FP8RT_OPERATION_ADD
#define MULTIPLY FP8RT_OPERATION_MULTIPLY
#define MAXIMUM FP8RT_OPERATION_MAXIMUM

static const named_case cases[] = {
    {"float32 to e4m3fn", ADD, 32, 256, FP8MAC_FP32, 0, FP8MAC_E4M3FN, 0, false, 0, {0}},
    {"float32 to e5m2, a scale of each row",
     ADD,
     130,
     77,
     FP8MAC_FP32,
     0,
     FP8MAC_E5M2,
     0,
     true,
     0,
     {0}},
    {"float16 to e4m3fn", ADD, 32, 256, FP8MAC_FP16, 0, FP8MAC_E4M3FN, 0, false, 0, {0}},
    {"bfloat16 to e4m3fnuz", ADD, 9, 31, FP8MAC_BF16, 0, FP8MAC_E4M3FNUZ, 0, false, 0, {0}},
    {"float32 to int8", ADD, 32, 256, FP8MAC_FP32, 0, FP8MAC_INT8, 0, false, 0, {0}},
    {"int8 to e4m3fn", ADD, 7, 250, FP8MAC_INT8, 0, FP8MAC_E4M3FN, 0, false, 0, {0}},
    {"int8 to int8, mapped", ADD, 9, 70, FP8MAC_INT8, 0, FP8MAC_INT8, 0, false, 0, {.table = 1}},
    {"e4m3fn to float32", ADD, 32, 256, FP8MAC_E4M3FN, 0, FP8MAC_FP32, 0, false, 0, {0}},
    {"e5m2 to bfloat16", ADD, 5, 260, FP8MAC_E5M2, 0, FP8MAC_BF16, 0, false, 0, {0}},
    {"e4m3fn to e5m2fnuz", ADD, 32, 256, FP8MAC_E4M3FN, 0, FP8MAC_E5M2FNUZ, 0, false, 0, {0}},
    {"sum of e4m3fn",
     ADD,
     32,
     256,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     0.5f,
     false,
     0,
     {0}},
    {"sum of float16, relu",
     ADD,
     33,
     65,
     FP8MAC_FP16,
     FP8MAC_FP16,
     FP8MAC_FP16,
     -1.0f,
     false,
     FP8MAC_ACT_RELU,
     {0}},
    {"product of e4m3fn",
     MULTIPLY,
     32,
     256,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     1.5f,
     false,
     0,
     {0}},
    {"product of float32 and e5m2",
     MULTIPLY,
     17,
     40,
     FP8MAC_FP32,
     FP8MAC_E5M2,
     FP8MAC_FP16,
     0.25f,
     true,
     0,
     {0}},
    {"float32 to e4m3fn, stochastic",
     ADD,
     130,
     20,
     FP8MAC_FP32,
     0,
     FP8MAC_E4M3FN,
     0,
     false,
     0,
     {.stochastic = true, .seed = 7}},
    {"float32 to float16, stochastic",
     ADD,
     33,
     20,
     FP8MAC_FP32,
     0,
     FP8MAC_FP16,
     0,
     false,
     0,
     {.stochastic = true, .seed = 0xffffffff}},
    {"e4m3fn, mapped", ADD, 32, 256, FP8MAC_E4M3FN, 0, FP8MAC_E4M3FN, 0, false, 0, {.table = 1}},
    {"maximum of e4m3fn",
     MAXIMUM,
     32,
     256,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     1.0f,
     false,
     0,
     {0}},
    {"maximum of e5m2 and -float16, relu",
     MAXIMUM,
     29,
     70,
     FP8MAC_E5M2,
     FP8MAC_FP16,
     FP8MAC_BF16,
     -1.0f,
     true,
     FP8MAC_ACT_RELU,
     {0}},
    {"product of e5m2, stochastic, mapped",
     MULTIPLY,
     20,
     50,
     FP8MAC_E5M2,
     FP8MAC_E5M2,
     FP8MAC_E5M2,
     1.0f,
     false,
     0,
     {.stochastic = true, .seed = 1, .table = 2}},
};

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

// Codes of any value. The top bytes of the wide formats make most values neither huge nor tiny.
static void fill(uint8_t *at, uint32_t bytes, fp8mac_format_id format)
{
    const uint32_t size = fp8mac_format_bytes(fp8mac_format_get(format));
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t r = next_random();
        at[i] = (uint8_t)r;
        if (size > 1 && i % size == size - 1u && (r & 0xf00u) != 0) {
            at[i] = (uint8_t)((r & 0x81u) | 0x3cu);
        }
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

static unsigned passed, failed;

static void count(bool good)
{
    passed += good;
    failed += !good;
}

static uint32_t row_bytes(const named_case *t, fp8mac_format_id format)
{
    return t->n * fp8mac_format_bytes(fp8mac_format_get(format));
}

static uint32_t packed_row(const fp8rt_device *dev, const named_case *t, fp8mac_format_id format)
{
    return fp8rt_packed_stride(&dev->caps, row_bytes(t, format));
}

static void run_case(fp8rt_device *dev, const named_case *t, uint8_t *x, uint8_t *c, uint8_t *d,
                     float *scales)
{
    fp8rt_elementwise_desc desc = {
        .operation = t->operation,
        .m = t->m,
        .n = t->n,
        .x = x,
        .x_format = t->x_format,
        .scale_x = {t->vector ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_NONE, scales},
        .beta = t->beta,
        .c = c,
        .c_format = t->c_format,
        .activation = t->activation,
        .d = d,
        .d_format = t->d_format,
        .coding = t->coding,
    };
    const uint32_t d_row = row_bytes(t, t->d_format);
    const uint32_t stride = packed_row(dev, t, t->d_format);
    fp8rt_gemm_result result;
    fill(x, t->m * packed_row(dev, t, t->x_format), t->x_format);
    fill(c, t->m * packed_row(dev, t, t->c_format), t->c_format);
    const fp8rt_status status = fp8rt_elementwise(dev, desc, &result);
    const uint32_t h = hash(d, t->m, stride, d_row);
    uint32_t amax;
    memcpy(&amax, &result.amax, sizeof amax);
    printf("%-40s %3" PRIu32 " x %3" PRIu32 "  %s  hash %08" PRIx32 "  amax %08" PRIx32
           "  flags %" PRIx32 "\n",
           t->name, t->m, t->n, status == FP8RT_OK ? "ok" : fp8rt_status_string(status), h, amax,
           (uint32_t)result.flags);
    printf("  cycles %" PRIu32 ", values %" PRIu32 "\n", result.counters.cycles, t->m * t->n);
    count(status == FP8RT_OK);
    if (t->x_format == t->d_format) { // in place: the same bytes
        desc.d = x;
        count(fp8rt_elementwise(dev, desc, &result) == FP8RT_OK &&
              hash(x, t->m, stride, d_row) == h);
    }
}

// A GEMM with C of `c_format`, and the same in place of D
static void run_gemm(fp8rt_device *dev, fp8mac_format_id c_format, fp8rt_coding coding, uint8_t *ab,
                     uint8_t *c, uint8_t *d)
{
    const uint32_t m = 33, n = 90, k = 70;
    const uint32_t row = n * fp8mac_format_bytes(fp8mac_format_get(c_format));
    const uint32_t stride = fp8rt_packed_stride(&dev->caps, row);
    fp8rt_gemm_result result;
    fp8rt_gemm_desc desc = {
        .m = m,
        .n = n,
        .k = k,
        .a.codes = ab,
        .b.codes = ab + m * fp8rt_packed_stride(&dev->caps, k),
        .beta = 0.75f,
        .c = c,
        .c_format = c_format,
        .d = d,
        .d_format = c_format,
        .coding = coding,
    };
    desc.a.format = desc.b.format = fp8rt_element_format(&dev->caps.element);
    desc.acc_format = fp8rt_element_accumulator(&dev->caps.element);
    for (uint32_t i = 0; i < (m + n) * fp8rt_packed_stride(&dev->caps, k); i++) {
        ab[i] = (uint8_t)(next_random() & 0xb7u);
    }
    fill(c, m * stride, c_format);
    fp8rt_status status = fp8rt_gemm(dev, desc, NULL, 0, &result);
    const uint32_t h = hash(d, m, stride, row);
    printf("GEMM with C, format %u: %s  hash %08" PRIx32 "\n  cycles %" PRIu32 "\n",
           (unsigned)c_format, status == FP8RT_OK ? "ok" : fp8rt_status_string(status), h,
           result.counters.cycles);
    count(status == FP8RT_OK);
    desc.d = c;
    status = fp8rt_gemm(dev, desc, NULL, 0, &result);
    count(status == FP8RT_OK && hash(c, m, stride, row) == h);
}

// Each table has every code once.
static void load_tables(fp8rt_device *dev, uint8_t *codes)
{
    for (uint32_t table = 1; table <= FP8RT_TABLES; table++) {
        for (uint32_t i = 0; i < FP8RT_TABLE_CODES; i++) {
            codes[i] = (uint8_t)(i * (2 * table + 1u) + table);
        }
        count(fp8rt_device_load_table(dev, table, codes) == FP8RT_OK);
    }
    count(fp8rt_device_load_table(dev, 0, codes) == FP8RT_ERR_UNSUPPORTED);
    count(fp8rt_device_load_table(dev, FP8RT_TABLES + 1u, codes) == FP8RT_ERR_UNSUPPORTED);
    count(fp8rt_device_load_table(dev, 1, NULL) == FP8RT_ERR_NULL);
}

// SiLU of every code of e4m3fn in units of 1/16, into e5m2
static void run_silu(fp8rt_device *dev, uint8_t *x, uint8_t *d)
{
    uint8_t codes[FP8RT_TABLE_CODES];
    const fp8rt_activation silu = {
        .function = fp8rt_silu, .from_scale = 0.0625f, .to = FP8MAC_E5M2};
    const fp8rt_elementwise_desc desc = {.operation = FP8RT_OPERATION_ADD,
                                         .m = 1,
                                         .n = FP8RT_TABLE_CODES,
                                         .x = x,
                                         .d = d,
                                         .coding = {.table = 1}};
    for (unsigned i = 0; i < FP8RT_TABLE_CODES; i++) {
        x[i] = (uint8_t)i;
    }
    const uint64_t start = fp8rt_app_cycles();
    fp8rt_status status = fp8rt_activation_table(silu, codes);
    const uint64_t cycles = fp8rt_app_cycles() - start;
    if (status == FP8RT_OK) {
        status = fp8rt_device_load_table(dev, 1, codes);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_elementwise(dev, desc, NULL);
    }
    printf("SiLU: %s  hash %08" PRIx32 "\n  cycles of the core for the table %" PRIu32 "\n",
           status == FP8RT_OK ? "ok" : fp8rt_status_string(status),
           hash(d, 1, 0, FP8RT_TABLE_CODES), (uint32_t)cycles);
    count(status == FP8RT_OK && memcmp(d, codes, sizeof codes) == 0);
}

int main(void)
{
    static fp8rt_device dev;
    if (fp8rt_device_open(&dev, &fp8rt_app_port) != FP8RT_OK) {
        printf("no accelerator\n");
        return 1;
    }
    fp8rt_arena arena = fp8rt_app_arena();
    uint8_t *x = fp8rt_arena_alloc(&arena, MOST_BYTES), *c = fp8rt_arena_alloc(&arena, MOST_BYTES),
            *d = fp8rt_arena_alloc(&arena, MOST_BYTES);
    float *scales = fp8rt_arena_alloc(&arena, MOST_M * sizeof(float));
    for (uint32_t i = 0; i < MOST_M; i++) {
        scales[i] = (float)(i + 1u) / 64.0f;
    }
    load_tables(&dev, x);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(&dev, &cases[i], x, c, d, scales);
    }
    for (unsigned format = 0; format < FP8MAC_ARRAY_FORMAT_COUNT; format++) {
        run_gemm(&dev, (fp8mac_format_id)format, (fp8rt_coding){0}, x, c, d);
    }
    run_gemm(&dev, FP8MAC_E5M2FNUZ, (fp8rt_coding){.stochastic = true, .seed = 3, .table = 2}, x, c,
             d);
    run_silu(&dev, x, d);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
