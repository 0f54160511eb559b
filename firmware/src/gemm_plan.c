// SPDX-License-Identifier: Apache-2.0
// Checks a GEMM and divides it into tile commands.
//
// While one tile computes, the next one loads. An m x n tile computes for m*n*k / MACs-per-cycle
// cycles and loads (m + n) * k bytes. With one panel resident, it loads only m * k or n * k bytes.
// Tiles therefore cover the whole K and are nearly square, as far as the buffers allow. If K does
// not fit, each tile is the outputs of one pass, computed by a chain of commands along K.
#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/matrix.h"
#include "fp8rt/registers.h"

// The array would finish shorter commands before the core submits the next one.
#define MIN_COMMAND_CYCLES 512u

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// ceil(total / tile) without a division, which is slow on this core. 1 for a total of 0.
static uint32_t count_tiles(uint32_t total, uint32_t tile)
{
    uint32_t count = 1;
    for (; total > tile; total -= tile) {
        count++;
    }
    return count;
}

// ceil(total / step) for a step that is a power of two. The time does not depend on `total`.
static uint32_t count_pow2(uint32_t total, uint32_t step)
{
    for (; step > 1; step >>= 1) {
        total = (total >> 1) + (total & 1u);
    }
    return total;
}

static uint32_t d_bytes(const fp8rt_gemm_desc *desc)
{
    return fp8mac_format_bytes(fp8mac_format_get(desc->d_format));
}

// ---- argument checks, one function per kind of error --------------------------------------------

static bool has_null(const fp8rt_gemm_desc *desc)
{
    return desc->a == NULL || desc->b == NULL || desc->d == NULL ||
           (desc->scale_a.mode != FP8MAC_SCALE_NONE && desc->scale_a.values == NULL) ||
           (desc->scale_b.mode != FP8MAC_SCALE_NONE && desc->scale_b.values == NULL);
}

// Whether rows of `row_bytes`, one every `stride` bytes, end within the address space.
static bool fits_addresses(const void *base, uint32_t rows, uint32_t stride, uint32_t row_bytes)
{
    uint64_t room = (uint64_t)UINTPTR_MAX - (uintptr_t)base;
    uint64_t span = (uint64_t)(rows - 1u) * stride;
    return span <= room && row_bytes - 1u <= room - span;
}

static bool strides_are_legal(const fp8rt_gemm_desc *desc)
{
    uint32_t d_row = desc->n * d_bytes(desc);
    return (desc->m == 1 || (desc->a_stride >= desc->k && desc->d_stride >= d_row)) &&
           (desc->n == 1 || desc->b_stride >= desc->k) &&
           fits_addresses(desc->a, desc->m, desc->a_stride, desc->k) &&
           fits_addresses(desc->b, desc->n, desc->b_stride, desc->k) &&
           fits_addresses(desc->d, desc->m, desc->d_stride, d_row);
}

// The stride matters only if there is a second row.
static bool is_aligned(const fp8rt_caps *caps, const void *address, uint32_t rows, uint32_t stride)
{
    return (((uintptr_t)address | (rows > 1 ? stride : 0)) & (caps->beat_bytes - 1u)) == 0;
}

static bool exponent_is_legal(int exponent)
{
    return exponent >= FP8MAC_SCALE_EXPONENT_MIN && exponent <= FP8MAC_SCALE_EXPONENT_MAX;
}

static bool scale_is_legal(const fp8mac_scale *scale)
{
    if (scale->mode == FP8MAC_SCALE_TENSOR) {
        return fp8rt_fp32_is_scale(fp8rt_fp32_bits(scale->values[0]));
    }
    return scale->mode == FP8MAC_SCALE_NONE || scale->mode == FP8MAC_SCALE_VECTOR;
}

static bool activation_is_legal(const fp8rt_gemm_desc *desc)
{
    if (desc->activation != FP8MAC_ACT_CLAMP) {
        return (unsigned)desc->activation < FP8MAC_ACT_CLAMP;
    }
    return fp8rt_fp32_is_interval(fp8rt_fp32_bits(desc->clamp_lo), fp8rt_fp32_bits(desc->clamp_hi));
}

static fp8rt_status check_kinds(const fp8rt_element *element, const fp8rt_gemm_desc *desc)
{
    if (has_null(desc)) {
        return FP8RT_ERR_NULL;
    }
    if (desc->m == 0 || desc->n == 0 || desc->k == 0) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_element_takes(element, desc->a_format) ||
        !fp8rt_element_takes(element, desc->b_format) || (unsigned)desc->d_format > FP8MAC_FP32) {
        return FP8RT_ERR_FORMAT;
    }
    if (desc->n > UINT32_MAX / 8 || desc->k > UINT32_MAX / 8) {
        return FP8RT_ERR_SHAPE; // the bytes of a row must fit 32 bits
    }
    if (!fp8rt_element_has(element, desc->acc_format)) {
        return FP8RT_ERR_ACCUMULATOR;
    }
    if (!fp8rt_element_holds(element, desc->k)) {
        return FP8RT_ERR_SHAPE;
    }
    if ((unsigned)desc->overflow > FP8MAC_OVERFLOW_IEEE) {
        return FP8RT_ERR_OVERFLOW_MODE;
    }
    return FP8RT_OK;
}

static fp8rt_status check_values(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    if (!strides_are_legal(desc)) {
        return FP8RT_ERR_STRIDE;
    }
    if (!is_aligned(caps, desc->a, desc->m, desc->a_stride) ||
        !is_aligned(caps, desc->b, desc->n, desc->b_stride) ||
        !is_aligned(caps, desc->d, desc->m, desc->d_stride)) {
        return FP8RT_ERR_ALIGNMENT;
    }
    if (!exponent_is_legal(desc->scale_exp_a) || !exponent_is_legal(desc->scale_exp_b)) {
        return FP8RT_ERR_SCALE_EXPONENT;
    }
    if (!scale_is_legal(&desc->scale_a) || !scale_is_legal(&desc->scale_b)) {
        return FP8RT_ERR_SCALE;
    }
    if (desc->scale_d != NULL && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(*desc->scale_d))) {
        return FP8RT_ERR_SCALE;
    }
    if (!activation_is_legal(desc)) {
        return FP8RT_ERR_ACTIVATION;
    }
    if ((fp8rt_fp32_bits(desc->beta) & ~FP8RT_FP32_SIGN) != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return FP8RT_OK;
}

static void fill_strides(const fp8rt_caps *caps, fp8rt_gemm_desc *desc)
{
    if (desc->a_stride == 0) {
        desc->a_stride = fp8rt_packed_stride(caps, desc->k);
    }
    if (desc->b_stride == 0) {
        desc->b_stride = fp8rt_packed_stride(caps, desc->k);
    }
    if (desc->d_stride == 0) {
        desc->d_stride = fp8rt_packed_stride(caps, desc->n * d_bytes(desc));
    }
}

// ---- tiles --------------------------------------------------------------------------------------

// Tile sizes are multiples of a granule. A tile is then whole passes, and its parts of D's rows and
// of the vectors start at a beat.
static uint32_t granule_m(const fp8rt_caps *caps)
{
    return max_u32(fp8rt_block_m(caps), count_pow2(caps->beat_bytes, sizeof(float)));
}

static uint32_t granule_n(const fp8rt_caps *caps, uint32_t d_element_bytes)
{
    return max_u32(fp8rt_block_n(caps), count_pow2(caps->beat_bytes, d_element_bytes));
}

// Cycles that the array computes for a tile of `side` x `side` outputs.
static uint64_t compute_cycles(const fp8rt_caps *caps, uint32_t side, uint32_t k)
{
    uint32_t passes = count_pow2(side, fp8rt_block_m(caps)) * count_pow2(side, fp8rt_block_n(caps));
    return (uint64_t)count_pow2(k, caps->lanes) * passes * caps->banks_m * caps->banks_n;
}

// Half the limit keeps the first load and the last store short. If such tiles would be shorter than
// MIN_COMMAND_CYCLES, the whole limit applies.
static uint32_t side_limit(const fp8rt_caps *caps, uint32_t k)
{
    uint32_t half = caps->max_mn / 2u;
    return compute_cycles(caps, half, k) >= MIN_COMMAND_CYCLES ? half : caps->max_mn;
}

// The most rows of k codes that a buffer of `banks` row RAMs holds: a multiple of `granule` up to
// `limit`, or 0 if one granule does not fit.
static uint32_t rows_that_fit(const fp8rt_caps *caps, uint32_t banks, uint32_t granule, uint32_t k,
                              uint32_t limit)
{
    uint64_t step = (uint64_t)count_pow2(k, caps->beat_bytes) * count_pow2(granule, banks);
    uint64_t used = step;
    uint32_t rows = 0;
    for (; used <= caps->buf_beats && rows + granule <= limit; used += step) {
        rows += granule;
    }
    return rows;
}

// The smallest multiple of `granule` that divides `total` into no more tiles than `tile` does. The
// last tile is then not much smaller than the others.
static uint32_t even_out(uint32_t total, uint32_t tile, uint32_t granule)
{
    uint32_t count = count_tiles(total, tile);
    while (tile > granule && count_tiles(total, tile - granule) == count) {
        tile -= granule;
    }
    return tile;
}

// Sets tiles to the outputs of one pass, and divides K into parts whose operands fit the buffers.
// Parts start at a beat and hold whole steps.
static void cut_k(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    uint32_t banks = max_u32(caps->banks_m, caps->banks_n);
    uint32_t step = max_u32(caps->beat_bytes, caps->lanes);
    uint32_t part = 0;
    while ((part + step) * banks <= (uint32_t)caps->buf_beats * caps->beat_bytes) {
        part += step;
    }
    plan->tile_k = part < plan->desc.k ? even_out(plan->desc.k, part, step) : plan->desc.k;
    plan->tile_m = fp8rt_block_m(caps);
    plan->tile_n = fp8rt_block_n(caps);
}

static void choose_tiles(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    uint32_t step_m = granule_m(caps);
    uint32_t step_n = granule_n(caps, d_bytes(desc));
    uint32_t limit = side_limit(caps, desc->k);
    plan->tile_k = desc->k;
    plan->tile_m = rows_that_fit(caps, caps->rows, step_m, desc->k, limit);
    plan->tile_n = rows_that_fit(caps, caps->cols, step_n, desc->k, limit);
    if (plan->tile_m == 0 || plan->tile_n == 0) {
        cut_k(caps, plan);
        return;
    }
    plan->tile_m = even_out(desc->m, plan->tile_m, step_m);
    plan->tile_n = even_out(desc->n, plan->tile_n, step_n);
}

// The resident operand is loaded once. The other one is loaded once for every tile of the resident
// operand. The order that loads fewer rows is chosen.
static void choose_order(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    uint64_t a_resident = desc->m + (uint64_t)count_tiles(desc->m, plan->tile_m) * desc->n;
    uint64_t b_resident = desc->n + (uint64_t)count_tiles(desc->n, plan->tile_n) * desc->m;
    plan->b_resident = b_resident < a_resident;
    plan->first = plan->b_resident ? min_u32(granule_m(caps), plan->tile_m)
                                   : min_u32(granule_n(caps, d_bytes(desc)), plan->tile_n);
}

static uint32_t count_commands(const fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    uint32_t tiles_m = count_tiles(desc->m, plan->tile_m);
    uint32_t tiles_n = count_tiles(desc->n, plan->tile_n);
    uint32_t total = plan->b_resident ? desc->m : desc->n;
    uint32_t step = plan->b_resident ? plan->tile_m : plan->tile_n;
    uint32_t first_panel = total > plan->first ? 1u + count_tiles(total - plan->first, step) : 1u;
    uint32_t other_panels = tiles_m * tiles_n - (plan->b_resident ? tiles_m : tiles_n);
    return (first_panel + other_panels) * count_tiles(desc->k, plan->tile_k);
}

// ---- scratch ------------------------------------------------------------------------------------

static size_t reserve(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, size_t bytes)
{
    size_t offset = plan->scratch_bytes;
    plan->scratch_bytes += (bytes + caps->beat_bytes - 1u) & ~((size_t)caps->beat_bytes - 1u);
    return offset;
}

static size_t stage_vector(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, const float *vector,
                           uint32_t count)
{
    if (vector == NULL || is_aligned(caps, vector, 1, 0)) {
        return FP8RT_IN_PLACE;
    }
    return reserve(caps, plan, (size_t)count * sizeof(float));
}

static const float *vector_of(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_VECTOR ? scale->values : NULL;
}

// Whether all tiles of `tile` elements of `bytes` bytes, out of `total` elements, start at a beat.
static bool starts_at_beats(const fp8rt_caps *caps, uint32_t total, uint32_t tile, uint32_t bytes)
{
    return total <= tile || ((tile * bytes) & (caps->beat_bytes - 1u)) == 0;
}

// One-pass tiles of a narrow array may be less than a beat wide. Their D goes to the scratch and is
// copied into place at the end. Each column of tiles has a panel there with rows of one beat.
static void lay_out_scratch(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    plan->scratch_bytes = 0;
    plan->staged.scale_a = stage_vector(caps, plan, vector_of(&desc->scale_a), desc->m);
    plan->staged.scale_b = stage_vector(caps, plan, vector_of(&desc->scale_b), desc->n);
    plan->staged.bias = stage_vector(caps, plan, desc->bias, desc->n);
    plan->staged.d = FP8RT_IN_PLACE;
    if (!starts_at_beats(caps, desc->n, plan->tile_n, d_bytes(desc))) {
        plan->staged.d = reserve(
            caps, plan, (size_t)count_tiles(desc->n, plan->tile_n) * desc->m * caps->beat_bytes);
    }
    if (plan->scratch_bytes > 0) {
        plan->scratch_bytes += caps->beat_bytes - 1u; // to align its start
    }
}

static bool vectors_are_reachable(const fp8rt_caps *caps, const fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    bool over_n = vector_of(&desc->scale_b) != NULL || desc->bias != NULL;
    return (vector_of(&desc->scale_a) == NULL ||
            starts_at_beats(caps, desc->m, plan->tile_m, sizeof(float))) &&
           (!over_n || starts_at_beats(caps, desc->n, plan->tile_n, sizeof(float)));
}

static uint32_t mode_of(const fp8rt_gemm_desc *desc)
{
    return FP8RT_PUT(MODE__A_FMT, desc->a_format) | FP8RT_PUT(MODE__B_FMT, desc->b_format) |
           FP8RT_PUT(MODE__ACC_FMT, desc->acc_format == FP8MAC_ACC_FP16) |
           FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           FP8RT_PUT(MODE__ACT, desc->activation) |
           FP8RT_PUT(MODE__SCALE_A_VEC, vector_of(&desc->scale_a) != NULL) |
           FP8RT_PUT(MODE__SCALE_B_VEC, vector_of(&desc->scale_b) != NULL) |
           FP8RT_PUT(MODE__BIAS_EN, desc->bias != NULL);
}

fp8rt_status fp8rt_gemm_plan_make(const fp8rt_caps *caps, fp8rt_gemm_desc desc,
                                  fp8rt_gemm_plan *plan)
{
    if (caps == NULL || plan == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = check_kinds(&caps->element, &desc);
    if (status != FP8RT_OK) {
        return status;
    }
    fill_strides(caps, &desc);
    status = check_values(caps, &desc);
    if (status != FP8RT_OK) {
        return status;
    }

    fp8rt_gemm_plan made = {.desc = desc, .mode = mode_of(&desc)};
    choose_tiles(caps, &made);
    choose_order(caps, &made);
    made.commands = count_commands(&made);
    lay_out_scratch(caps, &made);
    if (!vectors_are_reachable(caps, &made)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    *plan = made;
    return FP8RT_OK;
}
