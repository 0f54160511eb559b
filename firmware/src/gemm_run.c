// SPDX-License-Identifier: Apache-2.0
// Runs a plan. The panels of the resident operand follow in order. For each panel, the tiles of the
// other operand are streamed, alternately forwards and backwards. Where the commands have all of K,
// the tile at which the direction changes is therefore in the buffer already.
#include <string.h>

#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/matrix.h"
#include "fp8rt/registers.h"
#include "gemm_tiles.h"

// Rows of one operand, or a part of K.
typedef struct span {
    uint32_t start;
    uint32_t length; // 0: none
} span;

// One side of the grid of tiles.
typedef struct side {
    uint32_t total, step;
    uint32_t end; // total, rounded up to whole steps
} side;

typedef struct job {
    fp8rt_device *dev;
    const fp8rt_gemm_plan *plan;
    fp8rt_tile tile;                  // the next command
    uintptr_t scale_a, scale_b, bias; // where they are: in place or in the scratch
    uint32_t d_element_bytes;
    uint32_t tile_mode; // MODE bits of the tile at hand
    // The tile behind the one at hand: the resident operand's start, and how far the other operand
    // has been streamed.
    side resident, streamed;
    uint32_t resident_start, streamed_length;
    bool backwards;
    span m, n;               // the tile at hand
    uint32_t left;           // products of it that no command has yet; 0: the tile is complete
    uint32_t cap;            // most products of its next command
    uint32_t first_k;        // the same of the next tile's first command
    span loaded_m, loaded_n; // what the buffers hold, whole along K
} job;

static bool same_span(span x, span y)
{
    return x.start == y.start && x.length == y.length;
}

static side make_side(uint32_t total, uint32_t step)
{
    return (side){total, step, (total + step - 1u) / step * step};
}

static span span_at(const side *side, uint32_t start)
{
    uint32_t left = side->total - start;
    return (span){start, side->step < left ? side->step : left};
}

// ---- one tile -----------------------------------------------------------------------------------

// MODE bits and sizes of tiles, which most tiles have in common
static void shape_tile(job *job)
{
    const fp8rt_caps *caps = &job->dev->caps;
    uint32_t passes;
    uint32_t shape = fp8rt_pass_shape(fp8rt_count_pow2(job->m.length, caps->rows),
                                      fp8rt_count_pow2(job->n.length, caps->cols), &passes);
    job->tile_mode = job->plan->mode | FP8RT_PUT(MODE__PASS_SHAPE, shape);
    job->tile.m = (uint16_t)job->m.length;
    job->tile.n = (uint16_t)job->n.length;
}

static void place_tile(job *job)
{
    const span m = job->m, n = job->n;
    const fp8rt_gemm_desc *desc = &job->plan->desc;
    fp8rt_tile *tile = &job->tile;
    if (m.length != tile->m || n.length != tile->n) {
        shape_tile(job);
    }
    tile->d = (uintptr_t)desc->d + (size_t)m.start * desc->d_stride +
              (size_t)n.start * job->d_element_bytes;
    tile->scale_a = job->scale_a;
    tile->scale_b = job->scale_b;
    if (desc->scale_a.mode == FP8MAC_SCALE_VECTOR) {
        tile->scale_a += (size_t)m.start * sizeof(float);
    }
    if (desc->scale_b.mode == FP8MAC_SCALE_VECTOR) {
        tile->scale_b += (size_t)n.start * sizeof(float);
    }
    if (desc->bias != NULL) {
        tile->bias = job->bias + (size_t)n.start * sizeof(float);
    }
}

static bool next_tile(job *job)
{
    const fp8rt_gemm_plan *plan = job->plan;
    if (job->streamed_length == job->streamed.end) {
        job->streamed_length = 0;
        job->resident_start += job->resident.step;
        job->backwards = !job->backwards;
    }
    if (job->resident_start >= job->resident.total) {
        return false;
    }
    uint32_t start = job->streamed_length;
    job->streamed_length += job->streamed.step;
    if (job->backwards) {
        start = job->streamed.end - job->streamed_length;
    }
    span resident = span_at(&job->resident, job->resident_start);
    span streamed = span_at(&job->streamed, start);
    job->m = plan->b_resident ? streamed : resident;
    job->n = plan->b_resident ? resident : streamed;
    place_tile(job);
    job->left = plan->desc.k;
    job->cap = job->first_k;
    job->first_k = plan->tile_k;
    return true;
}

// ---- one command --------------------------------------------------------------------------------

// The operands that the preceding command has left; only commands with all of K leave any.
static uint32_t reuse(job *job, bool whole)
{
    uint32_t mode = 0;
    if (whole && same_span(job->m, job->loaded_m)) {
        mode |= FP8RT_BIT(MODE__REUSE_A);
    }
    if (whole && same_span(job->n, job->loaded_n)) {
        mode |= FP8RT_BIT(MODE__REUSE_B);
    }
    job->loaded_m = whole ? job->m : (span){0, 0};
    job->loaded_n = whole ? job->n : (span){0, 0};
    return mode;
}

// Makes the next command. All chunks of K except the last keep their accumulators, all except the
// first continue them. False if there is no further command.
static bool next_command(job *job)
{
    if (job->left == 0 && !next_tile(job)) {
        return false;
    }
    const fp8rt_gemm_plan *plan = job->plan;
    const fp8rt_gemm_desc *desc = &plan->desc;
    fp8rt_tile *tile = &job->tile;
    uint32_t start = desc->k - job->left;
    uint32_t length = fp8rt_next_chunk(job->left, job->cap, plan->granule_k);
    job->left -= length;
    job->cap = 2u * job->cap < plan->tile_k ? 2u * job->cap : plan->tile_k;
    tile->a = (uintptr_t)desc->a + (size_t)job->m.start * desc->a_stride + start;
    tile->b = (uintptr_t)desc->b + (size_t)job->n.start * desc->b_stride + start;
    tile->k = (uint16_t)length;
    tile->mode = job->tile_mode | reuse(job, length == desc->k);
    if (start != 0) {
        tile->mode |= FP8RT_BIT(MODE__ACC_CONTINUE);
    }
    if (job->left != 0) {
        tile->mode |= FP8RT_BIT(MODE__ACC_KEEP);
    }
    tile->tag++;
    return true;
}

// ---- before and after ---------------------------------------------------------------------------

static fp8rt_status check_run(const fp8rt_gemm_plan *plan, const void *scratch,
                              size_t scratch_bytes)
{
    if (plan->scratch_bytes > 0 && scratch == NULL) {
        return FP8RT_ERR_NULL;
    }
    return scratch_bytes < plan->scratch_bytes ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

static uintptr_t place_vector(const float *vector, uint32_t count, uint8_t *scratch, size_t offset)
{
    if (offset == FP8RT_IN_PLACE) {
        return (uintptr_t)vector;
    }
    memcpy(scratch + offset, vector, (size_t)count * sizeof(float));
    return (uintptr_t)(scratch + offset);
}

// The address of a scale vector, or the FP32 bits of a single scale.
static uintptr_t place_scale(const fp8mac_scale *scale, uint32_t count, uint8_t *scratch,
                             size_t offset)
{
    if (scale->mode == FP8MAC_SCALE_VECTOR) {
        return place_vector(scale->values, count, scratch, offset);
    }
    return scale->mode == FP8MAC_SCALE_NONE ? FP8RT_FP32_ONE : fp8rt_fp32_bits(scale->values[0]);
}

static job make_job(fp8rt_device *dev, const fp8rt_gemm_plan *plan, uint8_t *scratch)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    job job = {
        .dev = dev,
        .plan = plan,
        .resident =
            plan->b_resident ? make_side(desc->n, plan->tile_n) : make_side(desc->m, plan->tile_m),
        .streamed =
            plan->b_resident ? make_side(desc->m, plan->tile_m) : make_side(desc->n, plan->tile_n),
        .first_k = plan->first_k,
    };
    job.d_element_bytes = fp8mac_format_bytes(fp8mac_format_get(desc->d_format));
    job.scale_a = place_scale(&desc->scale_a, desc->m, scratch, plan->staged.scale_a);
    job.scale_b = place_scale(&desc->scale_b, desc->n, scratch, plan->staged.scale_b);
    job.bias = place_vector(desc->bias, desc->n, scratch, plan->staged.bias);
    job.tile.a_stride = desc->a_stride;
    job.tile.b_stride = desc->b_stride;
    job.tile.d_stride = desc->d_stride;
    job.tile.scale_exp_a = (int8_t)desc->scale_exp_a;
    job.tile.scale_exp_b = (int8_t)desc->scale_exp_b;
    job.tile.scale_d = desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d);
    job.tile.clamp_lo = fp8rt_fp32_bits(desc->clamp_lo);
    job.tile.clamp_hi = fp8rt_fp32_bits(desc->clamp_hi);
    return job;
}

static fp8rt_gemm_result observe(fp8rt_device *dev, fp8rt_status status)
{
    fp8rt_gemm_result result = {.status = status, .counters = fp8rt_device_counters(dev)};
    if (status != FP8RT_OK) {
        return result;
    }
    fp8rt_observed seen = fp8rt_device_observed(dev);
    result.amax = fp8rt_fp32_from_bits(seen.amax);
    result.amax_nonfinite = seen.amax_nonfinite;
    result.flags = seen.flags;
    return result;
}

// The first command is ready before the counters start, each other one before the queue has room.
static fp8rt_gemm_result run_job(job *job)
{
    fp8rt_device *dev = job->dev;
    uint32_t flags = job->plan->desc.flags;
    next_command(job);
    fp8rt_status submitted = fp8rt_device_clear(
        dev, FP8RT_CLEAR_ERROR | ((flags & FP8RT_GEMM_KEEP_FLAGS) ? 0 : FP8RT_CLEAR_FLAGS) |
                 ((flags & FP8RT_GEMM_KEEP_COUNTERS) ? 0 : FP8RT_CLEAR_COUNTERS));
    if (submitted == FP8RT_OK) {
        fp8rt_device_push(dev, &job->tile); // the queue is empty
    }
    while (submitted == FP8RT_OK && next_command(job)) {
        submitted = fp8rt_device_submit(dev, &job->tile);
    }
    fp8rt_status done = fp8rt_device_wait(dev);
    fp8rt_gemm_result result = observe(dev, submitted == FP8RT_OK ? done : submitted);
    if (result.status != FP8RT_OK) {
        fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR);
    }
    return result;
}

static uint8_t *align_up(const fp8rt_caps *caps, void *p)
{
    return (uint8_t *)(((uintptr_t)p + caps->beat_bytes - 1u) &
                       ~((uintptr_t)caps->beat_bytes - 1u));
}

fp8rt_status fp8rt_gemm_run(fp8rt_device *dev, const fp8rt_gemm_plan *plan, void *scratch,
                            size_t scratch_bytes, fp8rt_gemm_result *result)
{
    fp8rt_gemm_result out = {.status = FP8RT_ERR_NULL};
    if (dev != NULL && plan != NULL) {
        out.status = check_run(plan, scratch, scratch_bytes);
    }
    if (out.status == FP8RT_OK) {
        job job = make_job(dev, plan, align_up(&dev->caps, scratch));
        out = run_job(&job);
    }
    if (result != NULL) {
        *result = out;
    }
    return out.status;
}

fp8rt_status fp8rt_gemm(fp8rt_device *dev, fp8rt_gemm_desc desc, void *scratch,
                        size_t scratch_bytes, fp8rt_gemm_result *result)
{
    fp8rt_gemm_plan plan;
    fp8rt_status status =
        dev == NULL ? FP8RT_ERR_NULL : fp8rt_gemm_plan_make(&dev->caps, desc, &plan);
    if (status == FP8RT_OK) {
        return fp8rt_gemm_run(dev, &plan, scratch, scratch_bytes, result);
    }
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = status};
    }
    return status;
}
