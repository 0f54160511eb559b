// SPDX-License-Identifier: Apache-2.0
//: Random commands of every kind, direct and recorded, with a log of cleans and invalidations.
//: COUNT=     operations of each kind (2)
//: SEED=      of the generator (1)
//
// An operation is one call of the library, a few GEMMs in flight, or one list. The log says when
// each one ran, what the program asked for, and each call of the port's functions;
// tests/sim/test_touched.py compares it with the transfers on the bus. The last line but one says
// where the log lies in memory.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elementwise_plan.h"
#include "fp8rt/app.h"
#include "fp8rt/fp8rt.h"
#include "fp8rt/mx.h"
#include "fp8rt/random.h"
#include "record.h"
#include "rows_plan.h"

enum {
    ENTRIES = 1 << 16,
    FILL = 0x3c, // of all memory: a positive number in most formats
    GAP = 64,    // bytes between operands
    MOST_COMMANDS = 3,
    LIST_BYTES = 8192,
    SCRATCH_BYTES = 16384,
    SINGLES = 16, // scales of one value of an operation
};

// What an entry of the log says
typedef enum entry_kind {
    BEGIN = 1,      // name, whether recorded, cycle
    END = 2,        // status, cycle
    CLEAN = 3,      // address, bytes
    INVALIDATE = 4, // address, bytes
    ROWS = 5,       // of an operand: address, bytes of its memory, stride, bytes of a row
    CORE = 6,       // read by the core alone: address, bytes
    LOOSE = 7,      // may be read in part: address, bytes
    IMAGE_AT = 8,   // there is an image: address, bytes of its last pixel that do not count
} entry_kind;

typedef struct entry {
    uint32_t kind;
    uint32_t values[4];
} entry;

typedef struct bench {
    fp8rt_device dev;
    fp8rt_port port;
    fp8rt_random random;
    fp8rt_arena memory; // of the operations
    fp8rt_arena arena;  // of this one
    uint8_t *scratch;
    bool recorded; // the operation
    bool tight;    // its rows follow each other without gaps of whole beats
    float *singles;
    unsigned single_count;
    unsigned passed, failed;
} bench;

static entry *entries;
static uint32_t entry_count;

// ---- the log ------------------------------------------------------------------------------------

static void say(entry_kind kind, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    if (entry_count < ENTRIES) {
        entries[entry_count] = (entry){(uint32_t)kind, {a, b, c, d}};
    }
    entry_count++;
}

static uint32_t address_of(const void *p)
{
    return (uint32_t)(uintptr_t)p;
}

static void clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    (void)dev;
    say(CLEAN, address_of(start), (uint32_t)bytes, 0, 0);
}

static void invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    (void)dev;
    say(INVALIDATE, address_of(start), (uint32_t)bytes, 0, 0);
}

// ---- choices ------------------------------------------------------------------------------------

static uint32_t below(bench *b, uint32_t count)
{
    return (fp8rt_random_next(&b->random) >> 8) % count;
}

static bool one_in(bench *b, uint32_t count)
{
    return below(b, count) == 0;
}

static uint32_t most_of(bench *b, uint32_t usual, uint32_t most)
{
    return 1u + below(b, one_in(b, 6) ? most : usual);
}

static uint32_t bytes_of(fp8mac_format_id format)
{
    return fp8mac_format_bytes(fp8mac_format_get(format));
}

static fp8mac_format_id operand_format(bench *b)
{
    return (fp8mac_format_id)below(b, 4);
}

static fp8mac_format_id result_format(bench *b)
{
    return (fp8mac_format_id)below(b, 8);
}

// ---- operands -----------------------------------------------------------------------------------

static uint32_t stride_of(bench *b, uint32_t row_bytes)
{
    const uint32_t beat = b->dev.caps.beat_bytes;
    const uint32_t whole = (row_bytes + beat - 1u) & ~(beat - 1u);
    return b->tight ? whole : whole + beat * (1u + below(b, 3));
}

// Memory for `rows` rows. `shift` bytes behind a beat
static void *take_rows(bench *b, uint32_t rows, uint32_t stride, uint32_t row_bytes, uint32_t shift)
{
    const uint32_t bytes = (rows - 1u) * stride + row_bytes;
    uint8_t *p = fp8rt_arena_alloc(&b->arena, bytes + shift + GAP);
    if (p == NULL) {
        printf("FAIL out of memory\n");
        exit(EXIT_FAILURE);
    }
    say(ROWS, address_of(p + shift), bytes, stride, row_bytes);
    return p + shift;
}

static void *take_vector(bench *b, uint32_t bytes, bool anywhere)
{
    const uint32_t shift = anywhere ? 4u * below(b, 4) : 0;
    void *p = take_rows(b, 1, 0, bytes, shift);
    memset(p, FILL, bytes); // it may have been D of another operation
    if (shift != 0) {       // the core copies it to the scratch
        say(CORE, address_of(p), bytes, 0, 0);
    }
    return p;
}

// A number that the core reads
static const float *single(bench *b)
{
    float *x = &b->singles[b->single_count++ % SINGLES];
    *x = 0.25f;
    say(CORE, address_of(x), sizeof *x, 0, 0);
    return x;
}

static fp8mac_scale scale(bench *b, uint32_t count, bool anywhere)
{
    const fp8mac_scale_mode mode = (fp8mac_scale_mode)below(b, 3);
    const float *values = mode == FP8MAC_SCALE_NONE     ? NULL
                          : mode == FP8MAC_SCALE_TENSOR ? single(b)
                                                        : take_vector(b, count * 4u, anywhere);
    return (fp8mac_scale){mode, values};
}

// ---- GEMMs --------------------------------------------------------------------------------------

typedef enum flavour {
    PLAIN,
    LARGE, // several tiles, or chunks of K
    C,
    C_IN_PLACE,
    TABLE,
    MX,
    IMAGE,
    DILATED,
    DEPTHWISE,
    PAIRS,
} flavour;

static bool requantises(const bench *b)
{
    return (b->dev.caps.functions & FP8MAC_FUNCTION_REQUANTISE) != 0;
}

// A vector at any float is copied to the scratch, which a list does not have.
static bool anywhere(bench *b)
{
    return !b->recorded && one_in(b, 3);
}

static void set_integer_finish(bench *b, fp8rt_gemm_desc *desc)
{
    desc->d_format = one_in(b, 4) && !desc->image.pairs ? FP8MAC_FP32 : FP8MAC_INT8;
    desc->requantise.lo = -128;
    desc->requantise.hi = 127;
    if (desc->d_format == FP8MAC_INT8) {
        fp8mac_int_scale *const scales = take_vector(b, desc->n * sizeof *scales, false);
        for (uint32_t n = 0; n < desc->n; n++) {
            scales[n] = (fp8mac_int_scale){1 << 30, -4};
        }
        desc->requantise.scales = scales;
    }
    if (one_in(b, 2)) {
        desc->requantise.bias = take_vector(b, desc->n * 4u, false);
    }
}

static void set_finish(bench *b, flavour f, fp8rt_gemm_desc *desc)
{
    desc->d_format = f == TABLE || f == PAIRS ? operand_format(b) : result_format(b);
    desc->a.scale = scale(b, desc->m, anywhere(b));
    desc->b.scale = scale(b, desc->n, anywhere(b));
    desc->scale_d = one_in(b, 2) ? single(b) : NULL;
    desc->bias = one_in(b, 2) ? take_vector(b, desc->n * 4u, anywhere(b)) : NULL;
    desc->coding.table = f == TABLE;
    desc->activation = (fp8mac_activation)below(b, 2);
}

// Lines and pixels of an image without those that no output sees
static void set_image(bench *b, flavour f, fp8rt_gemm_desc *desc)
{
    const uint32_t beat = b->dev.caps.beat_bytes, cols = b->dev.caps.cols;
    const bool depthwise = f == DEPTHWISE || f == PAIRS, pairs = f == PAIRS;
    const uint32_t kernel_h = 1u + below(b, 3), kernel_w = 1u + below(b, 3);
    const uint32_t dilation = f == DILATED ? 2 : 1;
    const uint32_t step_y = f == DILATED ? 1 : 1u + below(b, kernel_h),
                   step_x = f == DILATED ? 1 : 1u + below(b, kernel_w);
    const uint32_t out_h = 3u + below(b, 4), out_w = 3u + below(b, 6);
    fp8rt_image *image = &desc->image;
    image->channels = depthwise ? beat : 1u + below(b, 40);
    image->pixel_bytes = image->channels + (b->tight ? 0 : depthwise ? beat : below(b, 20));
    image->kernel_w = kernel_w;
    image->stride_y = pairs ? 2u * step_y : step_y;
    image->stride_x = step_x;
    image->dilation_y = image->dilation_x = dilation;
    image->pad_top = below(b, kernel_h);
    image->pad_left = below(b, kernel_w);
    image->height = (out_h - 1u) * step_y + (kernel_h - 1u) * dilation + 1u - image->pad_top;
    image->width = (out_w - 1u) * step_x + (kernel_w - 1u) * dilation + 1u - image->pad_left;
    image->out_w = out_w;
    image->depthwise = depthwise;
    image->pairs = pairs;
    image->odd = pairs && out_h % 2u != 0;
    desc->m = (pairs ? (out_h + 1u) / 2u : out_h) * out_w;
    desc->n = depthwise ? (1u + below(b, beat / cols)) * cols : 1u + below(b, 30);
    desc->k = (pairs ? kernel_h + step_y : kernel_h) * kernel_w *
              (pairs       ? cols / 2u
               : depthwise ? cols
                           : image->channels);
    const uint32_t line = (image->width - 1u) * image->pixel_bytes + image->channels;
    desc->a.stride = depthwise || one_in(b, 2) ? stride_of(b, line) : line + below(b, 20);
    desc->a.codes = take_rows(b, image->height, desc->a.stride, line, 0);
    say(IMAGE_AT, address_of(desc->a.codes), image->pixel_bytes - image->channels, 0, 0);
}

static void set_shape(bench *b, flavour f, fp8rt_gemm_desc *desc)
{
    if (f == IMAGE || f == DILATED || f == DEPTHWISE || f == PAIRS) {
        set_image(b, f, desc);
        return;
    }
    const unsigned large = f == LARGE ? below(b, 3) : 3;
    desc->m = large == 0 ? 129u + below(b, 20) : 1u + below(b, 24);
    desc->n = large == 1 ? 129u + below(b, 20) : 1u + below(b, 24);
    desc->k = large == 2 ? 1025u + below(b, 2000) : most_of(b, 90, 300);
    desc->a.stride = stride_of(b, desc->k);
    desc->a.codes = take_rows(b, desc->m, desc->a.stride, desc->k, 0);
}

static void set_mx(bench *b, fp8rt_operand *operand, uint32_t rows, uint32_t k)
{
    operand->mx_stride = stride_of(b, fp8rt_mx_blocks(k));
    operand->mx = take_rows(b, rows, operand->mx_stride, fp8rt_mx_blocks(k), 0);
}

static uint32_t d_rows(const fp8rt_gemm_desc *desc)
{
    const fp8rt_image *image = &desc->image;
    return image->pairs ? 2u * desc->m - (image->odd ? image->out_w : 0) : desc->m;
}

static fp8rt_gemm_desc gemm_desc(bench *b, flavour f)
{
    fp8rt_gemm_desc desc = {.flags = 0};
    set_shape(b, f, &desc);
    const uint32_t rows_b = desc.image.pairs ? 2u * desc.n : desc.n;
    const bool integers = requantises(b);
    desc.a.format = integers ? FP8MAC_INT8 : operand_format(b);
    desc.b.format = integers ? FP8MAC_INT8 : operand_format(b);
    desc.acc_format = integers ? FP8MAC_ACC_INT32 : FP8MAC_ACC_FP32;
    desc.b.stride = stride_of(b, desc.k);
    desc.b.codes = take_rows(b, rows_b, desc.b.stride, desc.k, 0);
    if (f == MX) {
        set_mx(b, &desc.a, desc.m, desc.k);
        set_mx(b, &desc.b, desc.n, desc.k);
    }
    integers ? set_integer_finish(b, &desc) : set_finish(b, f, &desc);
    const uint32_t row_bytes = desc.n * bytes_of(desc.d_format);
    desc.d_stride = stride_of(b, row_bytes);
    desc.d = take_rows(b, d_rows(&desc), desc.d_stride, row_bytes, 0);
    if (f == C || f == C_IN_PLACE) {
        desc.beta = 0.5f;
        desc.c_format = f == C ? result_format(b) : desc.d_format;
        const uint32_t bytes = desc.n * bytes_of(desc.c_format);
        desc.c_stride = f == C ? stride_of(b, bytes) : desc.d_stride;
        desc.c = f == C ? take_rows(b, desc.m, desc.c_stride, bytes, 0) : desc.d;
    }
    return desc;
}

// ---- element-wise and row commands --------------------------------------------------------------

static fp8rt_elementwise_desc elementwise_desc(bench *b, uint32_t operation)
{
    fp8rt_elementwise_desc desc = {.operation = operation,
                                   .m = 1u + below(b, 20),
                                   .n = most_of(b, 30, 300),
                                   .x_format = result_format(b),
                                   .c_format = result_format(b),
                                   .d_format = result_format(b)};
    const uint32_t x = desc.n * bytes_of(desc.x_format), c = desc.n * bytes_of(desc.c_format),
                   d = desc.n * bytes_of(desc.d_format);
    desc.beta = operation == FP8RT_OPERATION_ADD && one_in(b, 3) ? 0.0f : 0.5f;
    desc.x_stride = stride_of(b, x);
    desc.x = take_rows(b, desc.m, desc.x_stride, x, 0);
    if (desc.beta != 0.0f) {
        desc.c_stride = stride_of(b, c);
        desc.c = take_rows(b, desc.m, desc.c_stride, c, 0);
    }
    desc.d_stride = stride_of(b, d);
    desc.d = take_rows(b, desc.m, desc.d_stride, d, 0);
    desc.scale_x = scale(b, desc.m, false);
    desc.scale_d = one_in(b, 2) ? single(b) : NULL;
    if (one_in(b, 4)) { // in place
        desc.d = (void *)(uintptr_t)desc.x;
        desc.d_stride = desc.x_stride;
        desc.d_format = desc.x_format;
    }
    return desc;
}

static fp8rt_rows_desc rows_desc(bench *b, fp8mac_rows_operation operation)
{
    const bool mx = operation == FP8MAC_ROWS_QUANTISE_MX, argmax = operation == FP8MAC_ROWS_ARGMAX,
               one = fp8mac_rows_is_reduction(operation),
               norm = operation == FP8MAC_ROWS_RMS_NORM || operation == FP8MAC_ROWS_LAYER_NORM;
    fp8rt_rows_desc desc = {.operation = operation,
                            .m = most_of(b, 20, 40),
                            .n = most_of(b, 60, 500),
                            .x_format = result_format(b)};
    const uint32_t x = desc.n * bytes_of(desc.x_format);
    desc.d_format = mx ? operand_format(b) : argmax ? FP8MAC_E4M3FN : result_format(b);
    desc.x_stride = stride_of(b, x);
    desc.x = take_rows(b, desc.m, desc.x_stride, x, 0);
    desc.eps = norm ? 1e-5f : 0.0f;
    desc.gamma = norm && one_in(b, 2) ? take_vector(b, desc.n * 4u, false) : NULL;
    desc.beta = operation == FP8MAC_ROWS_LAYER_NORM && one_in(b, 2)
                    ? take_vector(b, desc.n * 4u, false)
                    : NULL;
    const uint32_t d = (one ? 1 : desc.n) * (argmax ? 4u : bytes_of(desc.d_format));
    desc.d_stride =
        d == FP8RT_ROWS_DENSE && one && one_in(b, 2) ? FP8RT_ROWS_DENSE : stride_of(b, d);
    desc.d = take_rows(b, desc.m, desc.d_stride, d, 0);
    if (mx) {
        desc.scales_stride = stride_of(b, fp8rt_mx_blocks(desc.n));
        desc.scales = take_rows(b, desc.m, desc.scales_stride, fp8rt_mx_blocks(desc.n), 0);
    }
    return desc;
}

// ---- kinds --------------------------------------------------------------------------------------

typedef struct kind {
    const char *name;
    enum { GEMM, ELEMENTWISE, ROW } of;
    uint32_t which; // flavour, or operation
} kind;

static const kind kinds[] = {
    {"gemm", GEMM, PLAIN},
    {"gemm, divided", GEMM, LARGE},
    {"gemm, C", GEMM, C},
    {"gemm, C in the place of D", GEMM, C_IN_PLACE},
    {"gemm, table", GEMM, TABLE},
    {"gemm, MX", GEMM, MX},
    {"image", GEMM, IMAGE},
    {"image, dilated", GEMM, DILATED},
    {"depthwise", GEMM, DEPTHWISE},
    {"depthwise, pairs", GEMM, PAIRS},
    {"add", ELEMENTWISE, FP8RT_OPERATION_ADD},
    {"multiply", ELEMENTWISE, FP8RT_OPERATION_MULTIPLY},
    {"maximum of two", ELEMENTWISE, FP8RT_OPERATION_MAXIMUM},
    {"sum", ROW, FP8MAC_ROWS_SUM},
    {"sum of squares", ROW, FP8MAC_ROWS_SUM_OF_SQUARES},
    {"maximum", ROW, FP8MAC_ROWS_MAXIMUM},
    {"magnitude", ROW, FP8MAC_ROWS_MAGNITUDE},
    {"argmax", ROW, FP8MAC_ROWS_ARGMAX},
    {"RMS norm", ROW, FP8MAC_ROWS_RMS_NORM},
    {"layer norm", ROW, FP8MAC_ROWS_LAYER_NORM},
    {"softmax", ROW, FP8MAC_ROWS_SOFTMAX},
    {"sigmoid", ROW, FP8MAC_ROWS_SIGMOID},
    {"tanh", ROW, FP8MAC_ROWS_TANH},
    {"quantise", ROW, FP8MAC_ROWS_QUANTISE},
    {"quantise MX", ROW, FP8MAC_ROWS_QUANTISE_MX},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// Of an accelerator that requantises
static bool has_kind(const bench *b, const kind *k)
{
    const bool epilogue = k->of != GEMM || k->which == C || k->which == C_IN_PLACE ||
                          k->which == TABLE || k->which == MX;
    return !requantises(b) || !epilogue;
}

// ---- operations ---------------------------------------------------------------------------------

static void begin(bench *b, uint32_t number)
{
    say(BEGIN, number, b->recorded, (uint32_t)fp8rt_app_cycles(), 0);
}

static void end(bench *b, const char *name, fp8rt_status status)
{
    say(END, (uint32_t)status, (uint32_t)fp8rt_app_cycles(), 0, 0);
    if (status != FP8RT_OK) {
        printf("FAIL %s%s: %s\n", name, b->recorded ? ", recorded" : "",
               fp8rt_status_string(status));
    }
    status == FP8RT_OK ? b->passed++ : b->failed++;
}

// A GEMM alone, or two in flight
static fp8rt_status run_gemms(bench *b, const kind *k)
{
    static fp8rt_gemm_plan plans[2];
    const unsigned count = 1u + one_in(b, 3);
    uint16_t tags[2];
    fp8rt_status status = FP8RT_OK;
    if (count == 1) {
        const fp8rt_gemm_desc desc = gemm_desc(b, (flavour)k->which);
        return fp8rt_gemm(&b->dev, desc, b->scratch, SCRATCH_BYTES, NULL);
    }
    for (unsigned i = 0; i < count && status == FP8RT_OK; i++) {
        const fp8rt_gemm_desc desc = gemm_desc(b, (flavour)k->which);
        status = fp8rt_gemm_plan_make(&b->dev.caps, desc, &plans[i]);
    }
    for (unsigned i = 0; i < count && status == FP8RT_OK; i++) {
        status = fp8rt_gemm_begin(&b->dev, &plans[i], b->scratch + i * SCRATCH_BYTES, SCRATCH_BYTES,
                                  &tags[i]);
    }
    for (unsigned i = 0; i < count && status == FP8RT_OK; i++) {
        status = fp8rt_gemm_end(&b->dev, tags[i], NULL);
    }
    return status;
}

static fp8rt_status run_direct(bench *b, const kind *k)
{
    switch (k->of) {
    case GEMM: return run_gemms(b, k);
    case ELEMENTWISE: return fp8rt_elementwise(&b->dev, elementwise_desc(b, k->which), NULL);
    default: return fp8rt_rows(&b->dev, rows_desc(b, (fp8mac_rows_operation)k->which), NULL);
    }
}

static fp8rt_status record_one(bench *b, fp8rt_run *run, const kind *k)
{
    const fp8rt_caps *caps = &b->dev.caps;
    fp8rt_status status;
    if (k->of == GEMM) {
        static fp8rt_gemm_plan plan;
        if (k->which == TABLE) {
            fp8rt_load_table(run, 1, take_vector(b, FP8RT_TABLE_CODES, false));
        }
        status = fp8rt_gemm_plan_make(caps, gemm_desc(b, (flavour)k->which), &plan);
        return status == FP8RT_OK ? fp8rt_record_gemm(run, &plan) : status;
    }
    if (k->of == ELEMENTWISE) {
        static fp8rt_elementwise_plan plan;
        plan.desc = elementwise_desc(b, k->which);
        status = fp8rt_elementwise_prepare(caps, b->dev.stamp, &plan);
        return status == FP8RT_OK ? fp8rt_record_elementwise(run, &plan) : status;
    }
    static fp8rt_rows_plan plan;
    plan.desc = rows_desc(b, (fp8mac_rows_operation)k->which);
    status = fp8rt_rows_prepare(caps, b->dev.stamp, &plan);
    return status == FP8RT_OK ? fp8rt_record_rows(run, &plan) : status;
}

// The kind first, then others
static fp8rt_status run_recorded(bench *b, const kind *k)
{
    static fp8rt_network network;
    uint32_t *list = fp8rt_arena_alloc(&b->arena, LIST_BYTES);
    fp8rt_recorder recorder = fp8rt_recorder_in(list, LIST_BYTES);
    fp8rt_run run = fp8rt_run_on(&b->dev, b->scratch, SCRATCH_BYTES);
    run.recorder = &recorder;
    fp8rt_status status = record_one(b, &run, k);
    for (uint32_t more = below(b, MOST_COMMANDS); more != 0 && status == FP8RT_OK; more--) {
        const kind *other = &kinds[below(b, KINDS)];
        status = record_one(b, &run, has_kind(b, other) ? other : k);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_network_record(&network, &run);
    }
    const uint32_t bytes = fp8rt_list_words(&network) * 4u;
    say(ROWS, address_of(fp8rt_list_of(&network)), bytes, bytes, bytes);
    return status == FP8RT_OK ? fp8rt_network_run(&network, NULL) : status;
}

static void operate(bench *b, uint32_t number)
{
    const kind *k = &kinds[number];
    b->arena = b->memory;
    b->single_count = 0;
    b->tight = one_in(b, 2);
    begin(b, number);
    say(LOOSE, address_of(b->scratch), 2u * SCRATCH_BYTES, 0, 0);
    end(b, k->name, b->recorded ? run_recorded(b, k) : run_direct(b, k));
}

// ---- the program --------------------------------------------------------------------------------

static uint32_t option(int argc, char **argv, const char *key, uint32_t otherwise)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    return text == NULL ? otherwise : (uint32_t)strtoul(text, NULL, 10);
}

static bool open_bench(bench *b, uint32_t seed)
{
    fp8rt_arena arena = fp8rt_app_arena();
    b->random = fp8rt_random_seed(seed);
    entries = fp8rt_arena_alloc(&arena, ENTRIES * sizeof *entries);
    b->scratch = fp8rt_arena_alloc(&arena, 2 * SCRATCH_BYTES);
    b->singles = fp8rt_arena_alloc(&arena, SINGLES * sizeof *b->singles);
    b->memory = arena;
    memset(arena.next, FILL, 1u << 20);
    b->port = fp8rt_app_port;
    b->port.clean = clean;
    b->port.invalidate = invalidate;
    static uint8_t codes[FP8RT_TABLE_CODES];
    return fp8rt_device_open(&b->dev, &b->port) == FP8RT_OK &&
           (requantises(b) || fp8rt_device_load_table(&b->dev, 1, codes) == FP8RT_OK);
}

int main(int argc, char **argv)
{
    static bench b;
    const uint32_t count = option(argc, argv, "COUNT", 2);
    if (!open_bench(&b, option(argc, argv, "SEED", 1))) {
        printf("touched: no accelerator\n");
        return 1;
    }
    for (uint32_t number = 0; number < KINDS; number++) {
        for (uint32_t i = 0; i < 2 * count && has_kind(&b, &kinds[number]); i++) {
            b.recorded = i % 2 != 0;
            operate(&b, number);
        }
    }
    for (uint32_t number = 0; number < KINDS; number++) {
        printf("kind %" PRIu32 " %s\n", number, kinds[number].name);
    }
    printf("log 0x%08" PRIx32 " %" PRIu32 " of %u\n", address_of(entries), entry_count,
           (unsigned)ENTRIES);
    printf("%u passed, %u failed\n", b.passed, b.failed);
    return b.failed == 0 && b.passed != 0 && entry_count <= ENTRIES ? 0 : 1;
}
