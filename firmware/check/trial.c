// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/trial.h"

#include <string.h>

#include "ask.h"
#include "fp8rt/matrix.h"

#define UNWRITTEN 0xa5 // what D holds before the run

// ---- one trial ----------------------------------------------------------------------------------

// Scales and scale_d of a trial, in memory while it runs.
typedef struct setting {
    const fp8rt_trial *trial;
    const fp8rt_caps *caps;
    fp8rt_arena arena;
    fp8rt_random random;
    bool exhausted;
} setting;

static void *take(setting *s, size_t bytes)
{
    void *memory = fp8rt_arena_alloc(&s->arena, bytes);
    if (memory == NULL) {
        s->exhausted = true;
    }
    return memory;
}

// By the simulator, if there is one: it takes no cycle. The codes are the same.
static void fill(setting *s, fp8mac_format_id format, void *dst, size_t bytes)
{
    const fp8rt_fill_record record = {.magic = FP8RT_FILL_MAGIC,
                                      .data = (uint32_t)s->trial->data,
                                      .format = (uint32_t)format,
                                      .state = s->random.state,
                                      .address = (uint32_t)(uintptr_t)dst,
                                      .bytes = (uint32_t)bytes};
    const uint32_t state = fp8rt_fill_ask(&record);
    if (state != 0) {
        s->random.state = state;
    } else {
        fp8rt_random_codes(&s->random, s->trial->data, format, dst, bytes);
    }
}

static void *make_operand(setting *s, fp8mac_format_id format, uint32_t rows)
{
    size_t bytes = fp8rt_packed_bytes(s->caps, rows, s->trial->k);
    void *operand = take(s, bytes);
    if (operand != NULL) {
        fill(s, format, operand, bytes);
    }
    return operand;
}

static const uint8_t *make_blocks(setting *s, uint32_t rows)
{
    const uint32_t blocks = (s->trial->k + FP8MAC_MX_BLOCK - 1u) / FP8MAC_MX_BLOCK;
    const size_t bytes = fp8rt_packed_bytes(s->caps, rows, blocks);
    uint8_t *scales = take(s, bytes);
    for (size_t i = 0; scales != NULL && i < bytes; i++) {
        scales[i] = (uint8_t)(119u + (fp8rt_random_next(&s->random) >> 28));
    }
    return scales;
}

static const float *make_vector(setting *s, uint32_t count, bool is_signed)
{
    uint32_t offset = s->trial->unaligned_vectors ? 1 : 0;
    float *vector = take(s, (count + offset) * sizeof(float));
    if (vector != NULL) {
        fp8rt_random_floats(&s->random, is_signed, vector + offset, count);
    }
    return vector == NULL ? NULL : vector + offset;
}

static fp8mac_scale make_scale(setting *s, uint32_t rows)
{
    fp8mac_scale_mode mode = s->trial->scales;
    if (mode == FP8MAC_SCALE_NONE) {
        return (fp8mac_scale){FP8MAC_SCALE_NONE, NULL};
    }
    return (fp8mac_scale){mode, make_vector(s, mode == FP8MAC_SCALE_VECTOR ? rows : 1, false)};
}

static uint32_t d_row_bytes(const fp8rt_trial *trial)
{
    return trial->n * fp8mac_format_bytes(fp8mac_format_get(trial->d_format));
}

static void *make_d(setting *s)
{
    size_t bytes = fp8rt_packed_bytes(s->caps, s->trial->m, d_row_bytes(s->trial));
    void *d = take(s, bytes);
    if (d != NULL) {
        memset(d, UNWRITTEN, bytes);
    }
    return d;
}

static fp8rt_gemm_desc plain_desc(const fp8rt_trial *trial)
{
    return (fp8rt_gemm_desc){
        .m = trial->m,
        .n = trial->n,
        .k = trial->k,
        .a.format = trial->a.format,
        .b.format = trial->b.format,
        .d_format = trial->d_format,
        .acc_format = trial->acc_format,
        .a.scale_exp = trial->a.scale_exp,
        .b.scale_exp = trial->b.scale_exp,
        .activation = trial->activation,
        .clamp_lo = -2.0f,
        .clamp_hi = 6.0f,
        .overflow = trial->overflow,
    };
}

// Each draw is one statement. Initialisers have no order, and the random numbers must be the same
// with every compiler.
static fp8rt_gemm_desc make_desc(setting *s)
{
    fp8rt_gemm_desc desc = plain_desc(s->trial);
    desc.a.codes = make_operand(s, s->trial->a.format, s->trial->m);
    desc.b.codes = make_operand(s, s->trial->b.format, s->trial->n);
    desc.d = make_d(s);
    desc.a.scale = make_scale(s, s->trial->m);
    desc.b.scale = make_scale(s, s->trial->n);
    if (s->trial->scales != FP8MAC_SCALE_NONE) {
        desc.scale_d = make_vector(s, 1, false);
    }
    if (s->trial->mx) {
        desc.a.mx = make_blocks(s, s->trial->m);
        desc.b.mx = make_blocks(s, s->trial->n);
    }
    if (s->trial->bias) {
        desc.bias = make_vector(s, s->trial->n, true);
    }
    return desc;
}

static uint32_t count_overwritten(const fp8rt_gemm_desc *desc, uint32_t row_bytes)
{
    uint32_t count = 0;
    const uint8_t *row = desc->d;
    for (uint32_t m = 0; m < desc->m; m++, row += desc->d_stride) {
        for (uint32_t i = row_bytes; i < desc->d_stride; i++) {
            count += row[i] != UNWRITTEN;
        }
    }
    return count;
}

fp8rt_trial_outcome fp8rt_trial_run(fp8rt_device *dev, const fp8rt_trial *trial, fp8rt_arena arena)
{
    fp8rt_trial_outcome out = {.differing = FP8RT_CHECK_MALFORMED};
    setting s = {.trial = trial,
                 .caps = &dev->caps,
                 .arena = arena,
                 .random = fp8rt_random_seed(trial->seed)};
    fp8rt_gemm_desc desc = make_desc(&s);
    const uint64_t before_plan = fp8rt_app_cycles();
    out.status =
        s.exhausted ? FP8RT_ERR_SCRATCH : fp8rt_gemm_plan_make(&dev->caps, desc, &out.plan);
    out.plan_cycles = (uint32_t)(fp8rt_app_cycles() - before_plan);
    if (out.status != FP8RT_OK) {
        return out;
    }

    void *scratch = take(&s, out.plan.scratch_bytes);
    if (scratch == NULL) {
        out.status = FP8RT_ERR_SCRATCH;
    } else {
        out.status = fp8rt_gemm_run(dev, &out.plan, scratch, out.plan.scratch_bytes, &out.result);
    }
    if (out.status != FP8RT_OK) {
        return out;
    }

    out.differing = fp8rt_check_gemm(&dev->caps, &out.plan, &out.result);
    out.overwritten = count_overwritten(&out.plan.desc, d_row_bytes(trial));
    return out;
}
