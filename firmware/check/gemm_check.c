// SPDX-License-Identifier: Apache-2.0
#include "gemm_check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element_model.h"
#include "explain.h"
#include "fp32_bits.h"
#include "fp8mac/fp8mac.h"
#include "fp8rt/registers.h"
#include "operand_format.h"

#define MAX_REPORTED 4

#define ALL_FLAGS                                                                                  \
    (FP8MAC_FLAG_INVALID | FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_SATURATED | FP8MAC_FLAG_NAN)

// The fields of MODE that a record uses; reuse, chaining, the interrupt and the pass shape say how
// a command ran, not what it computes.
#define UNUSED_MODE                                                                                \
    (~(uint32_t)(FP8RT_MODE_A_FORMAT | FP8RT_MODE_B_FORMAT | FP8MAC_REGS__MODE__ACC_FMT_bm |       \
                 FP8MAC_REGS__MODE__D_FMT_bm | FP8MAC_REGS__MODE__OVERFLOW_bm |                    \
                 FP8MAC_REGS__MODE__ACT_bm | FP8MAC_REGS__MODE__SCALE_A_VEC_bm |                   \
                 FP8MAC_REGS__MODE__SCALE_B_VEC_bm | FP8MAC_REGS__MODE__BIAS_EN_bm |               \
                 FP8MAC_REGS__MODE__REUSE_A_bm | FP8MAC_REGS__MODE__REUSE_B_bm |                   \
                 FP8MAC_REGS__MODE__ACC_CONTINUE_bm | FP8MAC_REGS__MODE__ACC_KEEP_bm |             \
                 FP8MAC_REGS__MODE__IRQ_bm | FP8MAC_REGS__MODE__PASS_SHAPE_bm))

// The program's memory.
typedef struct memory {
    fp8rt_check_resolve resolve;
    void *context;
} memory;

// The immediate scales of a record, as floats that a fp8mac_gemm_desc can point to.
typedef struct immediates {
    float scale_a, scale_b, scale_d;
} immediates;

// `rows` rows of `row_bytes`, the k-th at address + k * stride; NULL if not within memory, or if
// rows overlap.
static const void *matrix(memory mem, uint64_t address, uint32_t rows, uint32_t stride,
                          uint64_t row_bytes)
{
    if (rows == 0 || row_bytes == 0 || (rows > 1 && stride < row_bytes)) {
        return NULL;
    }
    return mem.resolve(mem.context, address, (uint64_t)(rows - 1) * stride + row_bytes);
}

static const float *floats(memory mem, uint64_t address, uint32_t count)
{
    const void *p = matrix(mem, address, 1, 0, (uint64_t)count * sizeof(float));
    return (uintptr_t)p % _Alignof(float) == 0 ? p : NULL;
}

static const fp8mac_format *d_format(const fp8rt_check_record *r)
{
    return fp8mac_format_get((fp8mac_format_id)FP8RT_GET(MODE__D_FMT, r->mode));
}

static uint32_t d_size(const fp8rt_check_record *r)
{
    return fp8mac_format_bytes(d_format(r));
}

// A scale vector or an immediate scale. `values` is NULL if the vector is outside memory.
static fp8mac_scale scale(memory mem, bool is_vector, uint64_t field, uint32_t count,
                          float *immediate)
{
    if (is_vector) {
        return (fp8mac_scale){FP8MAC_SCALE_VECTOR, floats(mem, field, count)};
    }
    *immediate = fp8rt_fp32_from_bits((uint32_t)field);
    return (fp8mac_scale){FP8MAC_SCALE_TENSOR, field >> 32 == 0 ? immediate : NULL};
}

// well_formed has checked that the element exists.
static fp8mac_dot_config dot_config(const fp8rt_check_record *r)
{
    fp8mac_dot_config dot = {
        .group = r->group,
        .a.scale_exp = (int8_t)FP8RT_GET(SCALE_EXP__SA, r->scale_exp),
        .b.scale_exp = (int8_t)FP8RT_GET(SCALE_EXP__SB, r->scale_exp),
    };
    fp8rt_element_model(r->element, r->mode, &dot);
    return dot;
}

// The stride matters only if there is a second row.
static size_t leading(uint32_t rows, uint32_t stride, uint32_t size, uint32_t columns)
{
    return rows > 1 ? stride / size : columns;
}

// One operand of the record's GEMM. False if a part of it lies outside memory.
static bool describe_operand(memory mem, const fp8rt_check_operand *x, bool is_vector,
                             uint32_t rows, uint32_t k, float *immediate, fp8mac_gemm_operand *to)
{
    const uint32_t blocks = k / FP8MAC_MX_BLOCK + (k % FP8MAC_MX_BLOCK != 0);
    *to = (fp8mac_gemm_operand){
        .codes = matrix(mem, x->address, rows, x->stride, k),
        .stride = leading(rows, x->stride, 1, k),
        .scale = scale(mem, is_vector, x->scale, rows, immediate),
    };
    if (x->mx != 0) {
        to->mx = matrix(mem, x->mx, rows, x->mx_stride, blocks);
        to->mx_stride = leading(rows, x->mx_stride, 1, blocks);
    }
    return to->codes != NULL && to->scale.values != NULL && (x->mx == 0 || to->mx != NULL);
}

// Describes the record's GEMM over the program's memory, without D. False if an operand lies
// outside memory.
static bool describe(const fp8rt_check_record *r, memory mem, immediates *imm,
                     fp8mac_gemm_desc *desc)
{
    imm->scale_d = fp8rt_fp32_from_bits(r->scale_d);
    *desc = (fp8mac_gemm_desc){
        .m = r->m,
        .n = r->n,
        .k = r->k,
        .dot = dot_config(r),
        .activation = (fp8mac_activation)FP8RT_GET(MODE__ACT, r->mode),
        .clamp_lo = fp8rt_fp32_from_bits(r->clamp_lo),
        .clamp_hi = fp8rt_fp32_from_bits(r->clamp_hi),
        .d_format = d_format(r),
        .ldd = r->n,
        .d_mode = {.overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, r->mode)},
        .scale_d = &imm->scale_d,
    };
    if (FP8RT_GET(MODE__BIAS_EN, r->mode)) {
        desc->bias = floats(mem, r->bias, r->n);
        if (desc->bias == NULL) {
            return false;
        }
    }
    return (r->a.mx == 0) == (r->b.mx == 0) &&
           describe_operand(mem, &r->a, FP8RT_GET(MODE__SCALE_A_VEC, r->mode), r->m, r->k,
                            &imm->scale_a, &desc->a) &&
           describe_operand(mem, &r->b, FP8RT_GET(MODE__SCALE_B_VEC, r->mode), r->n, r->k,
                            &imm->scale_b, &desc->b);
}

static bool well_formed(const fp8rt_check_record *r)
{
    uint32_t size = d_size(r);
    fp8mac_dot_config dot = {.group = r->group};
    return r->magic == FP8RT_CHECK_MAGIC && fp8rt_element_model(r->element, r->mode, &dot) &&
           r->group != 0 && (r->mode & UNUSED_MODE) == 0 && r->scale_exp >> 16 == 0 &&
           (r->m <= 1 || r->d_stride % size == 0);
}

static uint32_t element(const uint8_t *p, uint32_t size)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < size; i++) {
        code |= (uint32_t)p[i] << 8 * i;
    }
    return code;
}

// What was compared: the GEMM as the model knows it, and how many differences were reported.
typedef struct comparison {
    const fp8mac_gemm_desc *gemm;
    uint32_t size; // bytes of an output
    uint32_t reported;
} comparison;

// The first difference of a GEMM also says which steps along K explain it.
static void report_output(comparison *c, uint32_t m, uint32_t n, uint32_t got, uint32_t want)
{
    const int digits = (int)(2 * c->size);
    if (c->reported++ >= MAX_REPORTED) {
        return;
    }
    fprintf(stderr,
            "check: D[%" PRIu32 "][%" PRIu32 "] is 0x%0*" PRIx32 ", golden model 0x%0*" PRIx32 "\n",
            m, n, digits, got, digits, want);
    if (c->reported == 1) {
        fp8rt_explain_print(stderr, c->gemm, m, n, got);
    }
}

// Number of outputs in row `m` that differ.
static uint32_t compare_row(comparison *c, uint32_t m, const uint8_t *got, const uint8_t *want)
{
    const uint32_t size = c->size;
    uint32_t differing = 0;
    if (memcmp(got, want, c->gemm->n * size) == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < c->gemm->n; i++, got += size, want += size) {
        if (memcmp(got, want, size) != 0) {
            differing++;
            report_output(c, m, i, element(got, size), element(want, size));
        }
    }
    return differing;
}

static uint32_t compare_outputs(const fp8rt_check_record *r, const fp8mac_gemm_desc *gemm,
                                const uint8_t *got, const uint8_t *want)
{
    comparison c = {.gemm = gemm, .size = d_size(r)};
    uint32_t differing = 0;
    for (uint32_t m = 0; m < r->m; m++) {
        differing +=
            compare_row(&c, m, got + (size_t)m * r->d_stride, want + (size_t)m * r->n * c.size);
    }
    return differing;
}

// Compares amax and flags, and counts 1 for each that differs.
static uint32_t compare_summary(const fp8rt_check_record *r, const fp8mac_gemm_result *want)
{
    uint32_t differing = 0;
    uint32_t amax = fp8rt_fp32_bits(want->amax);
    uint32_t flags = (want->flags & ALL_FLAGS) |
                     (want->amax_nonfinite ? FP8MAC_REGS__FLAGS__AMAX_NONFINITE_bm : 0);
    if (r->amax != amax) {
        fprintf(stderr, "check: amax is 0x%08" PRIx32 ", golden model 0x%08" PRIx32 "\n", r->amax,
                amax);
        differing++;
    }
    if (r->flags != flags) {
        fprintf(stderr, "check: flags are 0x%03" PRIx32 ", golden model 0x%03" PRIx32 "\n",
                r->flags, flags);
        differing++;
    }
    return differing;
}

static void count(const fp8rt_check_record *r, uint32_t outputs_differing,
                  uint32_t summary_differing, fp8rt_check_counters *counters)
{
    uint64_t outputs = (uint64_t)r->m * r->n;
    counters->gemms++;
    counters->outputs += outputs;
    counters->outputs_equal += outputs - outputs_differing;
    if (outputs_differing + summary_differing == 0) {
        counters->gemms_equal++;
    } else {
        fprintf(stderr,
                "check: GEMM %" PRIu64 " (m %" PRIu32 ", n %" PRIu32 ", k %" PRIu32 "): %" PRIu32
                " of %" PRIu64 " outputs differ\n",
                counters->gemms, r->m, r->n, r->k, outputs_differing, outputs);
    }
}

static uint32_t malformed(fp8rt_check_counters *counters, const char *why)
{
    counters->malformed++;
    fprintf(stderr, "check: malformed record: %s\n", why);
    return FP8RT_CHECK_MALFORMED;
}

uint32_t fp8rt_check_run(const fp8rt_check_record *record, fp8rt_check_resolve resolve,
                         void *context, fp8rt_check_counters *counters)
{
    memory mem = {resolve, context};
    immediates imm;
    fp8mac_gemm_desc desc;
    fp8mac_gemm_result result;
    if (!well_formed(record)) {
        return malformed(
            counters,
            "no magic number, a reserved code, a format that the elements do not have, or a D "
            "stride that is not a multiple of the output's size");
    }
    uint64_t row_bytes = (uint64_t)record->n * d_size(record);
    const uint8_t *got = matrix(mem, record->d, record->m, record->d_stride, row_bytes);
    if (got == NULL || !describe(record, mem, &imm, &desc)) {
        return malformed(
            counters,
            "a dimension of zero, a stride shorter than its row, or an operand outside memory");
    }
    uint8_t *want = calloc(record->m, (size_t)row_bytes);
    if (want == NULL) {
        return malformed(counters, "the host has no memory for its outputs");
    }
    desc.d = want;
    fp8mac_status status = fp8mac_gemm(&desc, &result);
    if (status != FP8MAC_OK) {
        free(want);
        return malformed(counters, fp8mac_status_string(status));
    }
    uint32_t outputs = compare_outputs(record, &desc, got, want);
    uint32_t summary = compare_summary(record, &result);
    free(want);
    count(record, outputs, summary, counters);
    return outputs + summary;
}

const void *fp8rt_check_d_row(const fp8rt_check_record *record, uint32_t row,
                              fp8rt_check_resolve resolve, void *context, size_t *bytes)
{
    *bytes = (size_t)record->n * d_size(record);
    return resolve(context, record->d + (uint64_t)row * record->d_stride, *bytes);
}
