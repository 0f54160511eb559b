// SPDX-License-Identifier: Apache-2.0
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_STEPS = 8 };

// The GEMM of one output, over operands that can be changed: room for one step more than K.
typedef struct output {
    fp8mac_gemm_desc gemm;
    uint8_t *a, *b;
    uint32_t k, step, got;
} output;

static fp8mac_gemm_operand at(fp8mac_gemm_operand operand, uint32_t row)
{
    operand.codes += row * operand.stride;
    if (operand.scale.mode == FP8MAC_SCALE_VECTOR) {
        operand.scale.values += row;
    }
    return operand;
}

static fp8mac_gemm_desc one_output(const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n)
{
    fp8mac_gemm_desc one = *gemm;
    one.m = one.n = one.ldd = 1;
    one.a = at(gemm->a, m);
    one.b = at(gemm->b, n);
    one.bias = gemm->bias == NULL ? NULL : gemm->bias + n;
    if (gemm->c != NULL) {
        one.c =
            (const uint8_t *)gemm->c + (m * gemm->ldc + n) * fp8mac_format_bytes(gemm->c_format);
    }
    one.origin_m += m;
    one.origin_n += n;
    return one;
}

// The code of D for the first `k` products of o->a and o->b.
static uint32_t code_of(const output *o, uint32_t k)
{
    uint8_t d[4] = {0};
    fp8mac_gemm_desc gemm = o->gemm;
    gemm.a.codes = o->a;
    gemm.b.codes = o->b;
    gemm.k = gemm.a.stride = gemm.b.stride = k;
    gemm.d = d;
    if (fp8mac_gemm(&gemm, NULL) != FP8MAC_OK) {
        return ~o->got;
    }
    return d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

static void restore(const output *o)
{
    memcpy(o->a, o->gemm.a.codes, o->k);
    memcpy(o->b, o->gemm.b.codes, o->k);
}

// Code 0 is +0 in all formats of the array.
static uint32_t without(const output *o, uint32_t first, uint32_t last)
{
    memset(o->a + first, 0, last + 1 - first);
    memset(o->b + first, 0, last + 1 - first);
    return code_of(o, o->k);
}

// The step is repeated behind itself.
static uint32_t twice(const output *o, uint32_t first, uint32_t last)
{
    const uint32_t count = last + 1 - first;
    memmove(o->a + last + 1, o->a + first, o->k - first);
    memmove(o->b + last + 1, o->b + first, o->k - first);
    return code_of(o, o->k + count);
}

static uint32_t code_with(const output *o, fp8rt_cause cause, uint32_t first, uint32_t last)
{
    restore(o);
    switch (cause) {
    case FP8RT_CAUSE_PREFIX: return first == 0 ? ~o->got : code_of(o, first);
    case FP8RT_CAUSE_WITHOUT: return without(o, first, last);
    default: return twice(o, first, last);
    }
}

static fp8rt_explanation try_cause(const output *o, fp8rt_cause cause)
{
    fp8rt_explanation found = {0};
    for (uint32_t first = 0, step = 0; first < o->k && step < FP8RT_EXPLAIN_STEPS;
         first += o->step, step++) {
        const uint32_t last = (o->k - first > o->step ? first + o->step : o->k) - 1;
        if (code_with(o, cause, first, last) != o->got) {
            continue;
        }
        if (found.cause == FP8RT_CAUSE_UNKNOWN) {
            found = (fp8rt_explanation){.cause = cause, .first = first, .last = last};
        } else {
            found.others++;
        }
    }
    return found;
}

static bool has_mx(const fp8mac_gemm_desc *gemm)
{
    return gemm->a.mx != NULL || gemm->b.mx != NULL;
}

// The steps of a GEMM with MX scales or accumulators to begin with cannot be moved.
static bool can_try(const fp8mac_gemm_desc *gemm)
{
    return !has_mx(gemm) && gemm->acc == NULL;
}

fp8rt_explanation fp8rt_explain(const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n, uint32_t got)
{
    fp8rt_explanation found = {0};
    output o = {.gemm = one_output(gemm, m, n),
                .k = (uint32_t)gemm->k,
                .step = gemm->dot.group,
                .got = got};
    o.a = malloc(gemm->k + o.step);
    o.b = malloc(gemm->k + o.step);
    for (int cause = FP8RT_CAUSE_PREFIX; cause <= FP8RT_CAUSE_TWICE && o.a != NULL && o.b != NULL &&
                                         can_try(gemm) && found.cause == FP8RT_CAUSE_UNKNOWN;
         cause++) {
        found = try_cause(&o, (fp8rt_cause)cause);
    }
    free(o.a);
    free(o.b);
    return found;
}

// ---- the report ---------------------------------------------------------------------------------

static void print_accumulators(FILE *out, const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n)
{
    const fp8mac_gemm_desc one = one_output(gemm, m, n);
    const uint32_t step = one.dot.group, k = (uint32_t)one.k;
    fp8mac_acc acc = {0};
    fp8mac_flags flags = 0;
    for (uint32_t first = 0, count = 0; first < k; first += step, count++) {
        const uint32_t size = k - first < step ? k - first : step;
        if (fp8mac_dot(&one.dot, &acc, one.a.codes + first, one.b.codes + first, size, &flags) !=
            FP8MAC_OK) {
            return;
        }
        if (count < PRINTED_STEPS || first + size == k) {
            fprintf(out,
                    "check:   model's accumulator after products %" PRIu32 " to %" PRIu32
                    ": 0x%0*" PRIx64 "\n",
                    first, first + size - 1,
                    one.dot.acc_format == FP8MAC_ACC_FIXED  ? 16
                    : one.dot.acc_format == FP8MAC_ACC_FP16 ? 4
                                                            : 8,
                    one.dot.acc_format == FP8MAC_ACC_FIXED ? acc.fixed_lo : (uint64_t)acc.code);
        }
    }
}

static void print_unknown(FILE *out, const fp8mac_gemm_desc *gemm)
{
    const uint64_t tried = (uint64_t)FP8RT_EXPLAIN_STEPS * gemm->dot.group;
    if (!can_try(gemm)) {
        fprintf(out, "check:   steps along K are not tried with MX scales\n");
    } else if (gemm->k <= tried) {
        fprintf(out, "check:   no single step along K explains it\n");
    } else {
        fprintf(out, "check:   no single step of the first %" PRIu64 " products explains it\n",
                tried);
    }
}

static void print_cause(FILE *out, const fp8rt_explanation *found, const fp8mac_gemm_desc *gemm)
{
    const uint32_t k = (uint32_t)gemm->k;
    static const char *const how[] = {
        [FP8RT_CAUSE_WITHOUT] = "is missing",
        [FP8RT_CAUSE_TWICE] = "was added twice",
    };
    if (found->cause == FP8RT_CAUSE_UNKNOWN) {
        print_unknown(out, gemm);
    } else if (found->cause == FP8RT_CAUSE_PREFIX) {
        fprintf(out, "check:   it is what the first %" PRIu32 " of %" PRIu32 " products give",
                found->first, k);
    } else {
        fprintf(out, "check:   it is as if the step of products %" PRIu32 " to %" PRIu32 " %s",
                found->first, found->last, how[found->cause]);
    }
    if (found->others != 0) {
        fprintf(out, " (%" PRIu32 " other steps explain it as well)", found->others);
    }
    if (found->cause != FP8RT_CAUSE_UNKNOWN) {
        fprintf(out, "\n");
    }
}

void fp8rt_explain_print(FILE *out, const fp8mac_gemm_desc *gemm, uint32_t m, uint32_t n,
                         uint32_t got)
{
    const fp8rt_explanation found = fp8rt_explain(gemm, m, n, got);
    print_cause(out, &found, gemm);
    if (!has_mx(gemm)) {
        print_accumulators(out, gemm, m, n);
    }
}
