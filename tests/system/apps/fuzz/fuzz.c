// SPDX-License-Identifier: Apache-2.0
//: Random descriptors, most of them nearly valid: each ends in a status, and writes only its D.
//: COUNT=     descriptors (200)
//: SEED=      of the generator (1)
//: EACH=1     prints a line for each descriptor
//
// Prints statuses and a hash of all memory after each descriptor, so that chip and host can be
// compared: a line for every 25 descriptors, which has the hash of all before it. The last line
// is the count of tests.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8rt/fp8rt.h"
#include "fp8rt/trial.h"

enum {
    BYTES = 6144, // of all matrices and vectors
    GUARD = 2048, // around them: no matrix or image that begins within is longer
    LINE = 25,    // descriptors of a printed line
    STATUSES = 64,
};

typedef struct fuzz {
    fp8rt_device dev;
    fp8rt_random random;
    uint8_t *memory; // GUARD, BYTES, GUARD
    uint8_t *before; // what it was
    uint32_t hash;
    uint32_t passed, failed;
    uint32_t seen[STATUSES];
} fuzz;

// ---- choices ------------------------------------------------------------------------------------

static uint32_t below(fuzz *f, uint32_t count)
{
    return (fp8rt_random_next(&f->random) >> 8) % count;
}

static bool one_in(fuzz *f, uint32_t count)
{
    return below(f, count) == 0;
}

// What is not refused stays within the memory.
static uint32_t size_of(fuzz *f, uint32_t most)
{
    static const uint32_t odd[] = {0, 1, UINT32_MAX};
    return one_in(f, 40) ? odd[below(f, sizeof odd / sizeof odd[0])] : 1 + below(f, most);
}

// Rows of a product: with so many, an operand leaves the address space.
static uint32_t rows_of(fuzz *f, uint32_t most)
{
    static const uint32_t many[] = {UINT32_MAX / 8, 1u << 31, 1u << 29};
    return one_in(f, 60) ? many[below(f, sizeof many / sizeof many[0])] : size_of(f, most);
}

// Memory for a matrix, at a beat if nothing else is wanted. Nothing that begins here and is not
// refused ends beyond the guard.
static void *memory_for(fuzz *f)
{
    uint8_t *p = f->memory + GUARD + (below(f, BYTES / 64) * 64);
    if (one_in(f, 40)) {
        return NULL;
    }
    return one_in(f, 30) ? p + 1 + below(f, 15) : p;
}

// Most often a whole number of beats that a row of `bytes` fits in.
static uint32_t stride_of(fuzz *f, uint32_t bytes)
{
    static const uint32_t odd[] = {1, 8, 16, 17, 1u << 31, UINT32_MAX};
    if (one_in(f, 25)) {
        return odd[below(f, sizeof odd / sizeof odd[0])];
    }
    return one_in(f, 2) || bytes > 4096 ? 0 : ((bytes + 15u) & ~15u) + 16 * below(f, 3);
}

static fp8mac_format_id format_of(fuzz *f, uint32_t usual)
{
    return (fp8mac_format_id)(one_in(f, 30) ? below(f, 40) : below(f, usual));
}

// One of the special numbers, or a usual one.
static float number(fuzz *f)
{
    static const uint32_t odd[] = {0,          0x80000000, 1,          0x7f800000,
                                   0xff800000, 0x7fc00000, 0xbf800000, 0x7f7fffff};
    uint32_t bits = 0x3c000000u + (fp8rt_random_next(&f->random) >> 6);
    float x;
    if (one_in(f, 40)) {
        bits = odd[below(f, sizeof odd / sizeof odd[0])];
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static fp8mac_scale scale(fuzz *f, const float *single)
{
    const uint32_t mode = one_in(f, 40) ? 3 : below(f, 3);
    return (fp8mac_scale){(fp8mac_scale_mode)mode,
                          mode == FP8MAC_SCALE_TENSOR ? single : memory_for(f)};
}

static fp8rt_coding coding(fuzz *f)
{
    return (fp8rt_coding){.stochastic = one_in(f, 4),
                          .seed = fp8rt_random_next(&f->random),
                          .table = one_in(f, 6) ? below(f, 4) : 0};
}

static uint32_t flags(fuzz *f)
{
    return one_in(f, 30) ? fp8rt_random_next(&f->random) : below(f, FP8RT_GEMM_FLAGS + 1u);
}

// ---- descriptors --------------------------------------------------------------------------------

typedef struct numbers {
    float scale_a, scale_b, scale_d;
} numbers;

static fp8rt_image image(fuzz *f, uint32_t k)
{
    const uint32_t kernel = 1 + below(f, 3);
    return (fp8rt_image){
        .height = size_of(f, 8),
        .width = size_of(f, 8),
        .channels = one_in(f, 20) ? size_of(f, 8) : (k + kernel - 1) / kernel,
        .pixel_bytes = one_in(f, 2) ? 0 : size_of(f, 24),
        .out_w = size_of(f, 8),
        .kernel_w = kernel,
        .stride_y = below(f, 3),
        .stride_x = below(f, 3),
        .dilation_y = below(f, 3),
        .dilation_x = below(f, 3),
        .pad_top = below(f, 3),
        .pad_left = below(f, 3),
    };
}

// The output bytes of a row, or something above what a stride can be.
static uint32_t row_bytes(uint32_t n, fp8mac_format_id format)
{
    const fp8mac_format *known = fp8mac_format_get(format);
    return n > 4096 || known == NULL ? 8192 : n * (uint32_t)fp8mac_format_bytes(known);
}

static fp8rt_gemm_desc gemm(fuzz *f, numbers *x)
{
    *x = (numbers){number(f), number(f), number(f)};
    fp8rt_gemm_desc desc = {
        .m = rows_of(f, 12),
        .n = rows_of(f, 12),
        .k = size_of(f, 70),
        .a.format = format_of(f, 4),
        .b.format = format_of(f, 4),
        .acc_format = (fp8mac_acc_format)(one_in(f, 40) ? below(f, 9) : below(f, 2)),
        .a.codes = memory_for(f),
        .b.codes = memory_for(f),
        .a.scale_exp = one_in(f, 40) ? (int)below(f, 300) - 150 : (int)below(f, 5) - 2,
        .b.scale_exp = one_in(f, 40) ? (int)below(f, 300) - 150 : (int)below(f, 5) - 2,
        .activation = (fp8mac_activation)(one_in(f, 40) ? 3 : below(f, 3)),
        .clamp_lo = -number(f),
        .clamp_hi = number(f),
        .d = memory_for(f),
        .d_format = format_of(f, 7),
        .overflow = (fp8mac_overflow)(one_in(f, 40) ? 2 : below(f, 2)),
        .coding = coding(f),
        .flags = flags(f),
    };
    desc.a.stride = stride_of(f, desc.k);
    desc.b.stride = stride_of(f, desc.k);
    desc.d_stride = stride_of(f, row_bytes(desc.n, desc.d_format));
    desc.a.scale = scale(f, &x->scale_a);
    desc.b.scale = scale(f, &x->scale_b);
    desc.scale_d = one_in(f, 2) ? &x->scale_d : NULL;
    desc.bias = one_in(f, 3) ? memory_for(f) : NULL;
    if (one_in(f, 4)) {
        desc.image = image(f, desc.k);
    }
    if (one_in(f, 4)) {
        desc.beta = number(f);
        desc.c_format = format_of(f, 7);
        desc.c = one_in(f, 3) ? desc.d : memory_for(f);
        desc.c_stride = stride_of(f, row_bytes(desc.n, desc.c_format));
    }
    return desc;
}

static fp8rt_elementwise_desc elementwise(fuzz *f, numbers *x)
{
    *x = (numbers){number(f), number(f), number(f)};
    fp8rt_elementwise_desc desc = {
        .operation = one_in(f, 20) ? below(f, 5) : 1 + below(f, 2),
        .m = size_of(f, 12),
        .n = size_of(f, 12),
        .x = memory_for(f),
        .x_format = format_of(f, 7),
        .beta = one_in(f, 4) ? 0.0f : number(f),
        .c = memory_for(f),
        .c_format = format_of(f, 7),
        .activation = (fp8mac_activation)(one_in(f, 40) ? 3 : below(f, 3)),
        .clamp_lo = -number(f),
        .clamp_hi = number(f),
        .d = memory_for(f),
        .d_format = format_of(f, 7),
        .overflow = (fp8mac_overflow)(one_in(f, 40) ? 2 : below(f, 2)),
        .coding = coding(f),
        .flags = flags(f),
    };
    desc.x_stride = stride_of(f, row_bytes(desc.n, desc.x_format));
    desc.c_stride = stride_of(f, row_bytes(desc.n, desc.c_format));
    desc.d_stride = stride_of(f, row_bytes(desc.n, desc.d_format));
    desc.scale_x = scale(f, &x->scale_a);
    desc.scale_d = one_in(f, 2) ? &x->scale_d : NULL;
    if (one_in(f, 5)) {
        desc.d = (void *)(uintptr_t)desc.x;
        desc.d_stride = desc.x_stride;
        desc.d_format = desc.x_format;
    }
    return desc;
}

// ---- one descriptor -----------------------------------------------------------------------------

// D of a descriptor that ran.
typedef struct written {
    const uint8_t *d;
    uint32_t rows, row_bytes, stride;
} written;

// All codes, or FP8 codes of small numbers.
static void refill(fuzz *f)
{
    const uint32_t mask = one_in(f, 3) ? UINT32_MAX : 0xbfbfbfbfu;
    uint32_t *word = (uint32_t *)(void *)f->memory;
    for (uint32_t i = 0; i < (BYTES + 2 * GUARD) / 4; i++) {
        word[i] = fp8rt_random_next(&f->random) & mask;
    }
    // Floats of vectors are scales most often.
    for (uint32_t i = 0; i < BYTES / 256; i++) {
        float *vector = (float *)(void *)(f->memory + GUARD + below(f, BYTES / 64) * 64);
        fp8rt_random_floats(&f->random, false, vector, 16);
    }
    memcpy(f->before, f->memory, BYTES + 2 * GUARD);
}

static bool is_of(const written *w, const uint8_t *p)
{
    const size_t from = (size_t)(p - w->d);
    return p >= w->d && w->stride != 0 && from / w->stride < w->rows &&
           from % w->stride < w->row_bytes;
}

// Bytes that have changed and are not D's.
static uint32_t strays(const fuzz *f, const written *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BYTES + 2 * GUARD; i++) {
        if (i % 16 == 0 && memcmp(f->memory + i, f->before + i, 16) == 0) {
            i += 15;
            continue;
        }
        count += f->memory[i] != f->before[i] && !is_of(w, f->memory + i);
    }
    return count;
}

static void add(uint32_t *hash, uint32_t word)
{
    *hash = (*hash ^ word) * 16777619u;
    *hash ^= *hash >> 15;
}

static void add_memory(fuzz *f)
{
    const uint32_t *word = (const uint32_t *)(const void *)f->memory;
    for (uint32_t i = 0; i < (BYTES + 2 * GUARD) / 4; i++) {
        add(&f->hash, word[i]);
    }
}

// One row may have any stride.
static written written_at(const void *d, uint32_t rows, uint32_t bytes, uint32_t stride)
{
    const uint32_t apart = stride != 0 && rows != 1 ? stride : (bytes + 15u) & ~15u;
    return (written){d, rows, bytes, apart};
}

// A status of the accelerator may leave D partly written; a fault there is another one's test.
static void judge(fuzz *f, uint32_t index, fp8rt_status status, const fp8rt_gemm_result *result,
                  const written *w)
{
    const bool ran = status == FP8RT_OK;
    const uint32_t stray =
        status >= FP8RT_ERR_HW ? 0 : strays(f, ran ? w : &(written){.d = f->memory});
    const bool good = stray == 0 && result->status == status && (unsigned)status < STATUSES;
    good ? f->passed++ : f->failed++;
    if (!good) {
        printf("FAIL descriptor %" PRIu32 ": status %d, in the result %d; %" PRIu32
               " bytes outside D were written\n",
               index, (int)status, (int)result->status, stray);
        return;
    }
    f->seen[status]++;
    add(&f->hash, (uint32_t)status);
    if (ran) {
        uint32_t amax;
        memcpy(&amax, &result->amax, sizeof amax);
        add(&f->hash, amax);
        add(&f->hash, (uint32_t)result->flags << 1 | result->amax_nonfinite);
    }
    if (status < FP8RT_ERR_HW) {
        add_memory(f);
    }
}

static fp8rt_status run_gemm(fuzz *f, fp8rt_gemm_result *result, written *w)
{
    static _Alignas(64) uint8_t scratch[1024];
    numbers x;
    const fp8rt_gemm_desc desc = gemm(f, &x);
    const uint32_t bytes = row_bytes(desc.n, desc.d_format);
    *w = written_at(desc.d, desc.m, bytes, desc.d_stride);
    const size_t size = one_in(f, 40) ? below(f, 64) : sizeof scratch;
    return fp8rt_gemm(&f->dev, desc, one_in(f, 60) ? NULL : scratch, size, result);
}

static fp8rt_status run_elementwise(fuzz *f, fp8rt_gemm_result *result, written *w)
{
    numbers x;
    const fp8rt_elementwise_desc desc = elementwise(f, &x);
    const uint32_t bytes = row_bytes(desc.n, desc.d_format);
    *w = written_at(desc.d, desc.m, bytes, desc.d_stride);
    return fp8rt_elementwise(&f->dev, desc, result);
}

static void try_one(fuzz *f, uint32_t index, bool each)
{
    fp8rt_gemm_result result = {0};
    written w;
    refill(f);
    const bool product = !one_in(f, 3);
    const fp8rt_status status =
        product ? run_gemm(f, &result, &w) : run_elementwise(f, &result, &w);
    judge(f, index, status, &result, &w);
    if (each) {
        printf("%6" PRIu32 " %s: %d %08" PRIx32 "\n", index, product ? "gemm" : "element-wise",
               (int)status, f->hash);
    } else if (index % LINE == LINE - 1) {
        printf("descriptors to %5" PRIu32 ": %08" PRIx32 "\n", index, f->hash);
    }
}

// ---- the program --------------------------------------------------------------------------------

static uint32_t option(int argc, char **argv, const char *key, uint32_t otherwise)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    return text == NULL ? otherwise : (uint32_t)strtoul(text, NULL, 10);
}

static void print_statuses(const fuzz *f)
{
    for (int status = 0; status < STATUSES; status++) {
        if (f->seen[status] != 0) {
            printf("%6" PRIu32 " %s\n", f->seen[status], fp8rt_status_string((fp8rt_status)status));
        }
    }
}

int main(int argc, char **argv)
{
    static fuzz f;
    fp8rt_arena arena = fp8rt_app_arena();
    const uint32_t count = option(argc, argv, "COUNT", 200);
    f.random = fp8rt_random_seed(option(argc, argv, "SEED", 1));
    f.memory = fp8rt_arena_alloc(&arena, BYTES + 2 * GUARD);
    f.before = fp8rt_arena_alloc(&arena, BYTES + 2 * GUARD);
    if (f.memory == NULL || f.before == NULL ||
        fp8rt_device_open(&f.dev, &fp8rt_app_port) != FP8RT_OK) {
        return EXIT_FAILURE;
    }
    static uint8_t codes[FP8RT_TABLE_CODES]; // of table 1; table 2 is never loaded
    fp8rt_random_codes(&f.random, FP8RT_DATA_FINITE, FP8MAC_E4M3FN, codes, sizeof codes);
    if (fp8rt_device_load_table(&f.dev, 1, codes) != FP8RT_OK) {
        return EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < count; i++) {
        try_one(&f, i, option(argc, argv, "EACH", 0) != 0);
    }
    print_statuses(&f);
    printf("%" PRIu32 " passed, %" PRIu32 " failed\n", f.passed, f.failed);
    return f.failed == 0 && f.passed != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
