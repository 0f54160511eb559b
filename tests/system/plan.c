// SPDX-License-Identifier: Apache-2.0
// The tile commands of a GEMM, recorded in place of an accelerator: every output is computed once
// from all of its products in order, operands fit their buffers, and reuse and chains are legal.
// For the layers listed here it prints the time that an ideal accelerator would take with them:
//
//   load of a command:  one beat a cycle; it starts when the load before has ended and the
//                       computation of the command before the last one has ended
//   computation:        passes * pass_tiles * steps; it starts when its load and the computation
//                       before have ended
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "fp8rt/fp8rt.h"
#include "stamp.h"
#include "fp8mac/tiles.h"

// Cycles per tile command, before the first one and at the end, as the simulated chip shows.
enum { SUBMIT_CYCLES = 16, START_CYCLES = 40, FIRST_BEAT = 8, END_CYCLES = 100 };

// The recorder: one GEMM at a time.
static struct {
    const fp8rt_gemm_desc *desc;
    fp8mac_tile before;
    bool has_before, ended;
    uint16_t *covered; // m x n: products that are in the output's accumulator
    uint8_t *stored;   // m x n: how often the output was stored
    unsigned commands, errors;
    uint64_t submitted, load_end, compute_end[2];
} record;

static void expect(bool right, const char *what)
{
    if (!right) {
        if (record.errors++ < 4) {
            printf("FAIL %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", command %u: %s\n", record.desc->m,
                   record.desc->n, record.desc->k, record.commands, what);
        }
    }
}

static uint32_t ceil_div(uint32_t x, uint32_t y)
{
    return (x + y - 1) / y;
}

static uint32_t passes_of(const fp8rt_caps *caps, const fp8mac_tile *tile)
{
    const uint32_t shape = tile->shape;
    return ceil_div(ceil_div(tile->m, caps->rows), 1u << shape) *
           ceil_div(ceil_div(tile->n, caps->cols), 4u >> shape);
}

static void check_limits(const fp8rt_caps *caps, const fp8mac_tile *tile)
{
    const fp8mac_tile *before = &record.before;
    const bool keep = tile->acc_keep, continues = tile->acc_continue;
    uint32_t words = ceil_div(tile->k, 32) * (32u / caps->beat_bytes);
    expect(tile->m <= caps->max_mn && tile->n <= caps->max_mn, "m or n above the limit");
    expect(ceil_div(tile->m, caps->rows) * words <= caps->buf_beats, "A exceeds its buffer");
    expect(ceil_div(tile->n, caps->cols) * words <= caps->buf_beats, "B exceeds its buffer");
    expect((tile->address[FP8MAC_REGION_A] | tile->address[FP8MAC_REGION_B] |
            tile->address[FP8MAC_REGION_D]) %
                   caps->beat_bytes ==
               0,
           "an address is not on a beat");
    if (keep || continues) {
        expect(passes_of(caps, tile) * caps->pass_tiles <= caps->acc_tiles, "too many tiles");
    }
    expect(!keep || tile->k % caps->block == 0, "keeps part of a block");
    const bool kept = record.has_before && before->acc_keep;
    expect(kept == continues, "a chain is broken");
    if (continues) {
        expect(tile->m == before->m && tile->n == before->n && tile->shape == before->shape,
               "a chain changes its shape");
    }
    if (tile->reuse_a) {
        expect(record.has_before &&
                   tile->address[FP8MAC_REGION_A] == before->address[FP8MAC_REGION_A] &&
                   tile->m == before->m && tile->k == before->k,
               "reuses another A");
    }
    if (tile->reuse_b) {
        expect(record.has_before &&
                   tile->address[FP8MAC_REGION_B] == before->address[FP8MAC_REGION_B] &&
                   tile->n == before->n && tile->k == before->k,
               "reuses another B");
    }
}

// The row (or column) and the first product that an operand's address stands for.
static void locate(const fp8rt_caps *caps, uint32_t address, const void *base, uint32_t stride,
                   uint32_t *row, uint32_t *k)
{
    const uint32_t offset = address - fp8mac_bus_address(caps, (uintptr_t)base);
    *row = offset / stride;
    *k = offset % stride;
}

static void cover(const fp8rt_caps *caps, const fp8mac_tile *tile)
{
    const fp8rt_gemm_desc *desc = record.desc;
    uint32_t m0, n0, k0, k0_b, m_d, n_d;
    locate(caps, tile->address[FP8MAC_REGION_A], desc->a.codes, desc->a.stride, &m0, &k0);
    locate(caps, tile->address[FP8MAC_REGION_B], desc->b.codes, desc->b.stride, &n0, &k0_b);
    expect(k0 == k0_b, "A and B start at different products");
    const bool finishes = !tile->acc_keep;
    locate(caps, tile->address[FP8MAC_REGION_D], desc->d, desc->d_stride, &m_d, &n_d);
    n_d /= fp8mac_format_bytes(fp8mac_format_get(desc->d_format));
    expect(!finishes || (m_d == m0 && n_d == n0), "D is not where A and B are");
    expect(m0 + tile->m <= desc->m && n0 + tile->n <= desc->n && k0 + tile->k <= desc->k,
           "leaves the matrices");
    for (uint32_t m = m0; record.errors == 0 && m < m0 + tile->m; m++) {
        for (uint32_t n = n0; n < n0 + tile->n; n++) {
            uint16_t *covered = &record.covered[(size_t)m * desc->n + n];
            expect(*covered == k0, "products are not in order");
            *covered = (uint16_t)(k0 + tile->k);
            record.stored[(size_t)m * desc->n + n] += finishes;
            expect(!finishes || *covered == desc->k, "stores a part of the products");
        }
    }
}

static void advance(const fp8rt_caps *caps, const fp8mac_tile *tile)
{
    uint32_t row_beats = ceil_div(tile->k, caps->beat_bytes);
    uint64_t load =
        (tile->reuse_a ? 0 : tile->m * row_beats) + (tile->reuse_b ? 0 : tile->n * row_beats);
    uint64_t compute =
        (uint64_t)passes_of(caps, tile) * caps->pass_tiles * ceil_div(tile->k, caps->lanes);
    uint64_t start = record.load_end;
    start = start > record.submitted ? start : record.submitted;
    start = start > record.compute_end[0] ? start : record.compute_end[0];
    record.submitted += SUBMIT_CYCLES;
    record.load_end = start + load + (record.commands == 0 ? FIRST_BEAT : 0);
    start = record.load_end > record.compute_end[1] ? record.load_end : record.compute_end[1];
    record.compute_end[0] = record.compute_end[1];
    record.compute_end[1] = start + compute;
}

// ---- the device ---------------------------------------------------------------------------------

static void record_tile(const fp8rt_caps *caps, const fp8mac_tile *tile)
{
    expect(!tile->range_bad && !tile->sequence_bad, "the command is illegal");
    expect(!record.ended, "a tile command behind the last one");
    record.ended = tile->last;
    check_limits(caps, tile);
    cover(caps, tile);
    advance(caps, tile);
    record.before = *tile;
    record.has_before = true;
    record.commands++;
}
void fp8rt_backend_encode(const fp8rt_command *command, fp8rt_descriptor *descriptor)
{
    descriptor->command = *command;
}
void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d)
{
    (void)descriptor, (void)scale_a, (void)scale_b, (void)bias, (void)scale_d;
}
void fp8rt_backend_get_scales(const fp8rt_descriptor *descriptor, fp8rt_command *command)
{
    (void)descriptor, (void)command;
}
void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta)
{
    (void)descriptor, (void)beta;
}
void fp8rt_backend_set_matrices(fp8rt_descriptor *descriptor, uintptr_t a, uintptr_t b, uintptr_t d)
{
    (void)descriptor, (void)a, (void)b, (void)d;
}
void fp8rt_backend_fetched(const fp8rt_device *dev)
{
    (void)dev;
}
void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag)
{
    (void)tag;
    fp8mac_left left = {.any = false};
    fp8mac_walk walk;
    fp8mac_tile tile = {.last = false};
    fp8mac_walk_begin(&walk, &dev->caps, &descriptor->command);
    while (!tile.last) {
        fp8mac_walk_next(&walk, &tile);
        fp8mac_tile_check(&dev->caps, &descriptor->command, 0, &left, &tile); // for the pass shape
        record_tile(&dev->caps, &tile);
    }
    expect(record.ended, "no tile command is the last one");
}
fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear)
{
    (void)clear;
    fp8rt_backend_submit(dev, descriptor, 0);
    return FP8RT_OK;
}
fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters)
{
    *counters = (fp8rt_counters){0};
    return fp8rt_backend_run(dev, descriptor, clear);
}
fp8rt_status fp8rt_device_claim(fp8rt_device *dev, uint16_t *tag)
{
    (void)dev, (void)tag;
    return FP8RT_OK;
}
fp8rt_record fp8rt_device_end(fp8rt_device *dev, uint16_t tag)
{
    (void)dev, (void)tag;
    return (fp8rt_record){.status = FP8RT_OK};
}
fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what)
{
    (void)dev, (void)what;
    return FP8RT_OK;
}
fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev)
{
    (void)dev;
    return (fp8rt_observed){0};
}
fp8rt_counters fp8rt_device_counters(const fp8rt_device *dev)
{
    (void)dev;
    return (fp8rt_counters){0};
}

// ---- GEMMs --------------------------------------------------------------------------------------

typedef struct layer {
    const char *name;
    uint32_t m, n, k;
} layer;

static const layer layers[] = {
    {"512^3", 512, 512, 512},
    {"256^3", 256, 256, 256},
    {"128^3", 128, 128, 128},
    {"64^3", 64, 64, 64},
    {"32^3", 32, 32, 32},
    {"128x64x4096", 128, 64, 4096},
    {"64x64x2048", 64, 64, 2048},
    {"16x16x16384", 16, 16, 16384},
    {"1x768x768", 1, 768, 768},
    {"8x768x768", 8, 768, 768},
    {"128x96x32", 128, 96, 32},
    {"128x96x16", 128, 96, 16},
    {"65^3", 65, 65, 65},
    {"129^3", 129, 129, 129},
    {"257^3", 257, 257, 257},
    {"BERT 768x768", 128, 768, 768},
    {"BERT 3072x768", 128, 3072, 768},
    {"BERT 768x3072", 128, 768, 3072},
    {"BERT QK", 128, 128, 64},
    {"BERT PV", 128, 64, 128},
    {"TinyLlama q", 64, 2048, 2048},
    {"TinyLlama k", 64, 256, 2048},
    {"TinyLlama up", 64, 5632, 2048},
    {"MobileNetV2 3136", 3136, 144, 24},
    {"MobileNetV2 784", 784, 192, 32},
    {"MobileNetV2 196", 196, 384, 64},
    {"MobileNetV2 196b", 196, 96, 576},
    {"MobileNetV2 49", 49, 960, 160},
    {"MobileNetV2 49b", 49, 320, 960},
    {"ResNet-50 784", 784, 128, 1152},
    {"ResNet-50 196", 196, 256, 2304},
    {"ResNet-50 49", 49, 512, 4608},
    {"LSTM", 16, 512, 256},
    {"KWS 64", 125, 64, 64},
    {"KWS 40", 125, 64, 40},
    {"batch 1, 2048", 1, 2048, 2048},
    {"batch 1, 3072", 1, 3072, 768},
};

static fp8rt_device device(uint16_t rows, uint16_t cols, uint16_t lanes, uint16_t block,
                           uint16_t beat_bytes, uint16_t acc_tiles)
{
    static const fp8rt_port port = {0};
    fp8rt_device dev = {.port = &port,
                        .caps = {.rows = rows,
                                 .cols = cols,
                                 .lanes = lanes,
                                 .block = block,
                                 .beat_bytes = beat_bytes,
                                 .pass_tiles = 4,
                                 .acc_tiles = acc_tiles,
                                 .queue_depth = 8,
                                 .records = 8,
                                 .buf_beats = 256,
                                 .max_mn = 128}};
    if (!fp8rt_element_make(block > lanes ? FP8MAC_ELEMENT_BLOCK : FP8MAC_ELEMENT_EXACT, lanes, 0,
                            &dev.caps.element)) {
        abort();
    }
    dev.stamp = fp8rt_stamp(&dev.caps);
    return dev;
}

static fp8rt_gemm_desc describe(uint32_t m, uint32_t n, uint32_t k, fp8mac_format_id d_format)
{
    return (fp8rt_gemm_desc){
        .m = m,
        .n = n,
        .k = k,
        .d_format = d_format,
        .a.codes = (const void *)(uintptr_t)0x1000000u, // addresses only: nothing is read
        .b.codes = (const void *)(uintptr_t)0x41000000u,
        .d = (void *)(uintptr_t)0x81000000u,
    };
}

// Records the GEMM's commands. False if something is wrong with them.
static bool run(fp8rt_device *dev, fp8rt_gemm_desc desc, fp8rt_gemm_plan *plan)
{
    fp8rt_status status = fp8rt_gemm_plan_make(&dev->caps, desc, plan);
    if (status != FP8RT_OK) {
        printf("FAIL %" PRIu32 " x %" PRIu32 " x %" PRIu32 ": %s\n", desc.m, desc.n, desc.k,
               fp8rt_status_string(status));
        return false;
    }
    size_t outputs = (size_t)desc.m * desc.n;
    memset(&record, 0, sizeof record);
    record.desc = &plan->desc;
    record.covered = calloc(outputs, sizeof *record.covered);
    record.stored = calloc(outputs, 1);
    if (record.covered == NULL || record.stored == NULL) {
        abort();
    }
    status = fp8rt_gemm_run(dev, plan, NULL, 0, NULL);
    expect(status == FP8RT_OK, fp8rt_status_string(status));
    expect(record.commands == plan->tiles.commands, "the plan counts other commands");
    for (size_t i = 0; i < outputs && record.errors == 0; i++) {
        expect(record.stored[i] == 1, "an output is not stored once");
    }
    free(record.covered);
    free(record.stored);
    return record.errors == 0;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool run_layer(fp8rt_device *dev, const layer *l)
{
    fp8rt_gemm_plan plan;
    bool right = run(dev, describe(l->m, l->n, l->k, FP8MAC_E4M3FN), &plan);
    uint64_t macs = (uint64_t)l->m * l->n * l->k / 256u;
    uint64_t reads = (uint64_t)(l->m + l->n) * ceil_div(l->k, 16);
    uint64_t writes = (uint64_t)l->m * ceil_div(l->n, 16);
    uint64_t roof = most(most(macs, reads), writes);
    uint64_t cycles = record.compute_end[1] + START_CYCLES + END_CYCLES;
    const fp8rt_gemm_tiles *tiles = &plan.tiles;
    printf("%-17s %4u x %4u x %4u from %4u"
           "%s %4u tile commands %9" PRIu64 " cycles, %5.1f %% of the roofline\n",
           l->name, tiles->m, tiles->n, tiles->k, tiles->first_k, tiles->b_resident ? " B" : "  ",
           record.commands, cycles, 100.0 * (double)roof / (double)cycles);
    return right;
}

static uint32_t random_size(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t bits = *state >> 28;
    uint32_t most_here = limit >> bits / 2u;
    return 1u + (*state >> 8) % (most_here == 0 ? 1 : most_here);
}

// The word of the register ELEMENT holds everything that the driver knows of an element.
static bool element_is_kept(fp8mac_element_kind kind)
{
    fp8rt_element element;
    if (!fp8rt_element_make(kind, 4, 0, &element)) {
        return kind == FP8MAC_ELEMENT_STATIC; // no accelerator has it
    }
    const fp8rt_element read = fp8rt_element_decode(fp8rt_element_encode(&element));
    return read.kind == element.kind && read.accumulators == element.accumulators &&
           read.e5m2 == element.e5m2 && read.narrow == element.narrow &&
           read.int8 == element.int8 && read.frac_bits == element.frac_bits &&
           read.align_by == element.align_by && read.terms_log2 == element.terms_log2;
}

int main(void)
{
    static const uint16_t arrays[][6] = {
        {4, 4, 16, 32, 16, 256},  {4, 4, 16, 32, 16, 64},  {2, 2, 1, 1, 16, 256},
        {8, 8, 4, 4, 16, 256},    {32, 32, 2, 2, 16, 256}, {2, 16, 8, 32, 16, 256},
        {16, 4, 16, 16, 32, 256}, {4, 4, 4, 4, 8, 256},
    };
    unsigned passed = 0, failed = 0;
    fp8rt_device dev = device(4, 4, 16, 32, 16, 256);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        run_layer(&dev, &layers[i]) ? passed++ : failed++;
    }
    for (unsigned kind = 0; kind < FP8MAC_ELEMENT_COUNT; kind++) {
        element_is_kept((fp8mac_element_kind)kind) ? passed++ : failed++;
    }
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        const uint16_t *a = arrays[i];
        dev = device(a[0], a[1], a[2], a[3], a[4], a[5]);
        for (unsigned trial = 0; trial < 300; trial++) {
            fp8rt_gemm_plan plan;
            uint32_t m = random_size(&state, 400), n = random_size(&state, 400);
            uint32_t k = random_size(&state, 9000);
            fp8mac_format_id d = trial % 3 == 0   ? FP8MAC_E4M3FN
                                 : trial % 3 == 1 ? FP8MAC_FP16
                                                  : FP8MAC_FP32;
            run(&dev, describe(m, n, k, d), &plan) ? passed++ : failed++;
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
