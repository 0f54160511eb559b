// SPDX-License-Identifier: Apache-2.0
// The checks that the accelerator makes on a tile command, in the accelerator's order.
#include "tile_check.h"

#include <string.h>

#include "ceil_div.h"
#include "coding.h"
#include "fp32_bits.h"
#include "fp8mac/fp8mac.h"
#include "fp8rt/registers.h"
#include "gemm_tiles.h"
#include "host_memory.h"
#include "mapped.h"
#include "regions.h"
#include "side.h"

// Sizes of a tile command have so many bits.
#define DIM_MAX 0xffffu

typedef struct region {
    bool used;
    uintptr_t address;
    uint32_t rows, stride, row_bytes;
} region;

// Those of A come first, then those of B.
enum { OF_OPERAND = 3, REGION_D = 2 * OF_OPERAND, REGIONS = REGION_D + 3 };

static bool finishes(const fp8rt_command *tile)
{
    return !fp8rt_host_has(tile, FP8RT_BIT(MODE__ACC_KEEP));
}

// Beats of a row RAM that holds `row_words` of each of its rows, of the fuller one of both operands
static uint32_t most_row_beats(const fp8rt_caps *caps, const fp8rt_command *tile, uint32_t a_words,
                               uint32_t b_words)
{
    const uint32_t a = fp8rt_ceil_div(tile->m, fp8rt_host_row_rams(caps, false)),
                   b = fp8rt_ceil_div(fp8rt_host_columns(tile), fp8rt_host_row_rams(caps, true));
    return a * a_words > b * b_words ? a * a_words : b * b_words;
}

static bool shape_is_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    if (tile->m > DIM_MAX || tile->n > DIM_MAX || tile->k > DIM_MAX) {
        return true;
    }
    uint32_t row_words = fp8rt_ceil_div(tile->k, fp8rt_bound_codes(caps)) *
                         (fp8rt_bound_codes(caps) / caps->beat_bytes);
    const uint32_t pairs = fp8rt_host_pairs(tile) ? 2u : 1u;
    const uint32_t quads =
        fp8rt_host_depthwise(tile) ? pairs * (uint32_t)caps->beat_bytes / caps->cols : 1u;
    const uint32_t a_words = row_words * (quads != 0 ? quads : 1u);
    return tile->m == 0 || tile->n == 0 || tile->k == 0 || tile->m > caps->max_mn ||
           tile->n > caps->max_mn ||
           (!fp8rt_host_elementwise(tile) &&
            most_row_beats(caps, tile, a_words, row_words) > caps->buf_beats);
}

// The scales must fit their memories.
static bool scales_are_too_many(const fp8rt_caps *caps, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = &host_tile->command;
    const uint32_t words = fp8rt_scale_words(caps, host_tile->mx_first, tile->k);
    const uint32_t most = fp8rt_scale_beats(caps);
    return fp8rt_host_mx(tile) && (caps->functions & FP8RT_FUNCTION_MX) != 0 &&
           most_row_beats(caps, tile, words, words) > most;
}

static bool image_is_bad(const fp8rt_command *tile)
{
    return fp8rt_host_conv_a(tile) && !fp8rt_host_has(tile, FP8RT_BIT(MODE__REUSE_A)) &&
           (FP8RT_GET(CONV_LINE__WIDTH, tile->conv[0]) == 0 ||
            FP8RT_GET(CONV_SIZE__HEIGHT, tile->conv[1]) == 0 ||
            FP8RT_GET(CONV_SIZE__OUT_W, tile->conv[1]) == 0 ||
            FP8RT_GET(CONV_SEGMENT__BYTES, tile->conv[2]) == 0 ||
            FP8RT_GET(CONV_SEGMENT__SEGMENTS, tile->conv[2]) == 0);
}

static bool depthwise_shape_is_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    const bool beats = fp8rt_host_has(tile, FP8RT_BIT(MODE__REUSE_A)) ||
                       FP8RT_GET(CONV_SEGMENT__BYTES, tile->conv[2]) == caps->beat_bytes;
    const uint32_t rest = fp8rt_host_pairs(tile) ? caps->cols / 2u - 1u : caps->cols - 1u;
    return fp8rt_host_depthwise(tile) &&
           (tile->n > caps->beat_bytes || (tile->k & rest) != 0 || !beats ||
            (fp8rt_host_pairs(tile) && (tile->n & rest) != 0));
}

static bool depthwise_alignment_is_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    const uint32_t *w = tile->conv;
    const uintptr_t places = tile->a.address | tile->a.stride | FP8RT_GET(CONV_LINE__WIDTH, w[0]) |
                             FP8RT_GET(CONV_STEP__STEP_X, w[3]) |
                             FP8RT_GET(CONV_STEP__SEGMENT_STEP, w[3]) |
                             FP8RT_GET(CONV_PAD__PAD_LEFT, w[5]);
    return fp8rt_host_depthwise(tile) && !fp8rt_host_has(tile, FP8RT_BIT(MODE__REUSE_A)) &&
           (places & (caps->beat_bytes - 1u)) != 0;
}

static void list_operand(const fp8rt_caps *caps, const fp8rt_host_tile *host_tile,
                         fp8rt_host_side side, region list[OF_OPERAND])
{
    const fp8rt_command *tile = &host_tile->command;
    const fp8rt_command_operand *x = side.operand;
    const bool mx = fp8rt_host_mx(tile) && (caps->functions & FP8RT_FUNCTION_MX) != 0;
    const bool elementwise = fp8rt_host_elementwise(tile);
    list[0] = (region){!side.reused && !(elementwise && side.is_b), x->address, side.code_rows,
                       x->stride, elementwise ? tile->n * fp8rt_host_x_bytes(tile) : tile->k};
    list[1] = (region){finishes(tile) && side.scale_is_vector, x->scale, 1, 0,
                       side.rows * fp8rt_host_scale_bytes(caps, side.is_b)};
    list[2] = (region){mx && !side.reused, x->mx, side.rows, x->mx_stride,
                       host_tile->mx_first + fp8rt_host_blocks(tile)};
}

static void list_regions(const fp8rt_caps *caps, const fp8rt_host_tile *host_tile,
                         region list[REGIONS])
{
    const fp8rt_command *tile = &host_tile->command;
    const bool end = finishes(tile);
    list_operand(caps, host_tile, fp8rt_host_a(tile), list);
    list_operand(caps, host_tile, fp8rt_host_b(tile), list + OF_OPERAND);
    if (fp8rt_host_conv_a(tile)) {
        list[0].rows = FP8RT_GET(CONV_SIZE__HEIGHT, tile->conv[1]);
        list[0].row_bytes = FP8RT_GET(CONV_LINE__WIDTH, tile->conv[0]);
    }
    list[REGION_D] =
        (region){end, tile->d, tile->m, tile->d_stride, tile->n * fp8rt_host_d_bytes(tile)};
    if (fp8rt_host_pairs(tile)) { // the rows that could be D's
        list[REGION_D] = (region){end, tile->c, 2u * tile->m, tile->d_stride, tile->n};
    }
    list[REGION_D + 1] = (region){end && fp8rt_host_has(tile, FP8RT_BIT(MODE__BIAS_EN)), tile->bias,
                                  1, 0, tile->n * 4u};
    list[REGION_D + 2] = (region){end && fp8rt_host_reads_c(tile), tile->c, tile->m, tile->c_stride,
                                  tile->n * fp8rt_host_c_bytes(tile)};
}

static bool alignment_is_bad(const fp8rt_caps *caps, const region *r)
{
    uintptr_t bits = r->address | (r->rows > 1 ? r->stride : 0);
    return r->used && (bits & (caps->beat_bytes - 1u)) != 0;
}

static bool range_is_bad(const region *r)
{
    uint64_t span = (uint64_t)(r->rows - 1u) * r->stride + r->row_bytes - 1u;
    return r->used && span > fp8rt_address_room(r->address);
}

static bool is_mapped(const region *r)
{
    return !r->used ||
           fp8rt_host_is_mapped(r->address, (uint64_t)(r->rows - 1u) * r->stride + r->row_bytes);
}

// ACC_FMT has no code for an integer accumulator. A command selects it with the code of FP32, the
// format of its read-out.
static bool element_lacks(const fp8rt_element *element, const fp8rt_command *tile)
{
    bool fp16 = FP8RT_GET(MODE__ACC_FMT, tile->mode) != 0;
    bool has_acc =
        fp16 ? fp8rt_element_has(element, FP8MAC_ACC_FP16)
             : fp8rt_element_has(element, FP8MAC_ACC_FP32) || fp8rt_element_is_integer(element);
    return !has_acc || !fp8rt_element_takes(element, fp8rt_host_a(tile).format) ||
           !fp8rt_element_takes(element, fp8rt_host_b(tile).format);
}

static bool requantises(const fp8rt_caps *caps)
{
    return (caps->functions & FP8RT_FUNCTION_REQUANTISE) != 0;
}

// What the integer requantiser does not have
static bool requantiser_lacks(const fp8rt_command *tile)
{
    const uint32_t d_format = FP8RT_GET(MODE__D_FMT, tile->mode);
    return fp8rt_host_has(tile, FP8RT_BIT(MODE__SCALE_A_VEC)) ||
           FP8RT_GET(MODE__ACT, tile->mode) == FP8MAC_ACT_RELU ||
           (d_format != FP8MAC_INT8 && d_format != FP8MAC_FP32);
}

static bool mode_is_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    const fp8mac_overflow overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, tile->mode);
    return !fp8rt_is_overflow(overflow, (fp8mac_format_id)FP8RT_GET(MODE__D_FMT, tile->mode)) ||
           FP8RT_GET(MODE__ACT, tile->mode) > FP8MAC_ACT_CLAMP ||
           (requantises(caps) && requantiser_lacks(tile));
}

// What a command with pairs must not have
static bool pairs_are_bad(const fp8rt_command *tile)
{
    const uint32_t operation = fp8rt_host_operation(tile);
    return FP8RT_GET(OPERATION__PAIRS, operation) != 0 &&
           (FP8RT_GET(OPERATION__DEPTHWISE, operation) == 0 || fp8rt_host_reads_c(tile) ||
            FP8RT_GET(OPERATION__ROUNDING, operation) != 0 ||
            fp8rt_host_has(tile, FP8RT_BIT(MODE__ACC_CONTINUE) | FP8RT_BIT(MODE__ACC_KEEP)) ||
            fp8rt_host_d_bytes(tile) != 1);
}

// Functions that the accelerator does not have, and reserved codes of their fields
static bool operation_is_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    const uint32_t operation = fp8rt_host_operation(tile);
    const uint32_t op = FP8RT_GET(OPERATION__OP, operation),
                   table = FP8RT_GET(OPERATION__ACT_TABLE, operation);
    const uint32_t chains = FP8RT_BIT(MODE__REUSE_A) | FP8RT_BIT(MODE__REUSE_B) |
                            FP8RT_BIT(MODE__ACC_CONTINUE) | FP8RT_BIT(MODE__ACC_KEEP);
    uint32_t asked = 0;
    const bool bad_elementwise =
        fp8rt_host_elementwise(tile) &&
        ((operation & (FP8RT_BIT(OPERATION__CONV_A) | FP8RT_BIT(OPERATION__MX))) != 0 ||
         fp8rt_host_has(tile, chains) ||
         (op == FP8RT_OPERATION_MULTIPLY &&
          (!fp8rt_host_reads_c(tile) || fp8rt_host_has(tile, FP8RT_BIT(MODE__BIAS_EN)))));
    const bool maximum = FP8RT_GET(OPERATION__MAXIMUM, operation) != 0;
    const bool bad_maximum = maximum && (op != FP8RT_OPERATION_ADD || !fp8rt_host_reads_c(tile));
    asked |= op != 0 || maximum ? FP8RT_FUNCTION_ELEMENTWISE : 0;
    asked |= FP8RT_GET(OPERATION__C_EN, operation) != 0 ? FP8RT_FUNCTION_C : 0;
    asked |= FP8RT_GET(OPERATION__ROUNDING, operation) != 0 ? FP8RT_FUNCTION_STOCHASTIC : 0;
    asked |= table != 0 ? FP8RT_FUNCTION_TABLES : 0;
    asked |= FP8RT_GET(OPERATION__CONV_A, operation) != 0 ? FP8RT_FUNCTION_CONV_A : 0;
    asked |= FP8RT_GET(OPERATION__DEPTHWISE, operation) != 0 ? FP8RT_FUNCTION_DEPTHWISE : 0;
    asked |= FP8RT_GET(OPERATION__MX, operation) != 0 ? FP8RT_FUNCTION_MX : 0;
    const uint32_t both = FP8RT_BIT(OPERATION__CONV_A) | FP8RT_BIT(OPERATION__MX);
    asked |= FP8RT_GET(OPERATION__PAIRS, operation) != 0 ? FP8RT_FUNCTION_DEPTHWISE : 0;
    const bool no_image = (operation & FP8RT_BIT(OPERATION__DEPTHWISE)) != 0 &&
                          (operation & FP8RT_BIT(OPERATION__CONV_A)) == 0;
    return bad_elementwise || bad_maximum || no_image || pairs_are_bad(tile) ||
           (operation & both) == both || (asked & ~caps->functions) != 0 || op == 3 || table == 3 ||
           (table != 0 && fp8rt_host_d_bytes(tile) != 1);
}

static bool exponent_is_bad(const fp8rt_device *dev, const fp8rt_command *tile, int exponent)
{
    if (dev->caps.element.int8 && !fp8rt_host_elementwise(tile)) {
        return exponent != 0;
    }
    return exponent < FP8MAC_SCALE_EXPONENT_MIN || exponent > FP8MAC_SCALE_EXPONENT_MAX;
}

static bool single_scale_is_bad(fp8rt_host_side side)
{
    return !side.scale_is_vector && !fp8rt_fp32_is_scale((uint32_t)side.operand->scale);
}

static bool is_int8(uint32_t word)
{
    return (int32_t)word >= INT8_MIN && (int32_t)word <= INT8_MAX;
}

static bool is_int_scale(uint32_t multiplier, uint32_t shift)
{
    return (int32_t)multiplier >= 0 && (int32_t)shift >= FP8MAC_SHIFT_LEAST &&
           (int32_t)shift <= FP8MAC_SHIFT_MOST;
}

static bool integers_are_bad(const fp8rt_command *tile)
{
    const bool clamps = FP8RT_GET(MODE__ACT, tile->mode) == FP8MAC_ACT_CLAMP;
    const bool single = !fp8rt_host_has(tile, FP8RT_BIT(MODE__SCALE_B_VEC));
    return (single && !is_int_scale((uint32_t)tile->b.scale, (uint32_t)tile->a.scale)) ||
           !is_int8(tile->scale_d) ||
           (clamps && (!is_int8(tile->clamp_lo) || !is_int8(tile->clamp_hi) ||
                       (int32_t)tile->clamp_lo > (int32_t)tile->clamp_hi));
}

static bool scales_are_bad(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    if (requantises(caps)) {
        return integers_are_bad(tile);
    }
    bool clamps = FP8RT_GET(MODE__ACT, tile->mode) == FP8MAC_ACT_CLAMP;
    return single_scale_is_bad(fp8rt_host_a(tile)) || single_scale_is_bad(fp8rt_host_b(tile)) ||
           !fp8rt_fp32_is_scale(tile->scale_d) ||
           (clamps && !fp8rt_fp32_is_interval(tile->clamp_lo, tile->clamp_hi));
}

// The accelerator sees the values when it loads them, after all other checks.
static bool scale_vector_is_bad(const fp8rt_caps *caps, fp8rt_host_side side)
{
    const bool integers = side.is_b && requantises(caps);
    const uint32_t bytes = fp8rt_host_scale_bytes(caps, side.is_b);
    for (uint32_t i = 0; side.scale_is_vector && i < side.rows; i++) {
        uint32_t words[2];
        memcpy(words, fp8rt_host_at(side.operand->scale + (size_t)i * bytes, bytes), bytes);
        if (integers ? !is_int_scale(words[0], words[1]) : !fp8rt_fp32_is_scale(words[0])) {
            return true;
        }
    }
    return false;
}

// A chain on an integer accumulator must keep the accumulator's unit, which the formats and the
// scaling exponents determine. It must also stay within the accumulator's number of products.
static bool unit_is_bad(const fp8rt_device *dev, const fp8rt_command *tile)
{
    const fp8rt_device_state *left = &dev->state;
    const uint32_t unit = FP8RT_MODE_A_FORMAT | FP8RT_MODE_B_FORMAT;
    return fp8rt_element_is_integer(&dev->caps.element) &&
           (((tile->mode ^ left->mode) & unit) != 0 || tile->a.scale_exp != left->a.scale_exp ||
            tile->b.scale_exp != left->b.scale_exp ||
            !fp8rt_element_holds(&dev->caps.element, left->terms + tile->k));
}

// A pass is 1 << shape tiles down and 4 >> shape across.
static bool tiles_are_too_many(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    uint32_t shape = FP8RT_GET(MODE__PASS_SHAPE, tile->mode);
    uint32_t passes =
        fp8rt_ceil_div(fp8rt_ceil_div(tile->m, caps->rows), 1u << shape) *
        fp8rt_ceil_div(fp8rt_ceil_div(fp8rt_host_columns(tile), caps->cols), 4u >> shape);
    return passes * caps->pass_tiles > caps->acc_tiles;
}

// An operand that is reused must be the one that the preceding tile command left.
static bool reuse_is_bad(const fp8rt_device_state *left, const fp8rt_host_tile *host_tile,
                         fp8rt_host_side side)
{
    const fp8rt_command *tile = &host_tile->command;
    const uint32_t rows = side.is_b ? left->n : left->m;
    const fp8mac_format_id format =
        side.is_b ? fp8rt_mode_b_format(left->mode) : fp8rt_mode_a_format(left->mode);
    const bool same_mx =
        fp8rt_host_mx(tile) == left->mx && (!left->mx || host_tile->mx_first == left->mx_first);
    return side.reused && !(left->before && side.rows == rows && tile->k == left->k && same_mx &&
                            fp8rt_host_depthwise(tile) == left->depthwise &&
                            fp8rt_host_pairs(tile) == left->pairs && side.format == format);
}

// The mode was checked, so that the table is 0 to FP8RT_TABLES.
static bool table_is_missing(const fp8rt_device *dev, const fp8rt_command *tile)
{
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, fp8rt_host_operation(tile));
    return table != 0 && !dev->state.loaded[table - 1u];
}

static bool sequence_is_bad(const fp8rt_device *dev, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = &host_tile->command;
    const fp8rt_device_state *left = &dev->state;
    const uint32_t other = tile->mode ^ left->mode;
    bool keep = !finishes(tile), continues = fp8rt_host_has(tile, FP8RT_BIT(MODE__ACC_CONTINUE));
    bool same_m = tile->m == left->m, same_n = tile->n == left->n;
    bool same_tiles = (other & (FP8RT_BIT(MODE__ACC_FMT) | FP8RT_BIT(MODE__PASS_SHAPE))) == 0;
    if (continues && (!left->kept || !same_m || !same_n || !same_tiles || unit_is_bad(dev, tile))) {
        return true;
    }
    if ((continues || keep) && tiles_are_too_many(&dev->caps, tile)) {
        return true;
    }
    if (keep && (tile->k & (dev->caps.block - 1u)) != 0) {
        return true;
    }
    return reuse_is_bad(left, host_tile, fp8rt_host_a(tile)) ||
           reuse_is_bad(left, host_tile, fp8rt_host_b(tile));
}

uint32_t fp8rt_host_pass_shape(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    uint32_t passes;
    if (FP8RT_GET(MODE__PASS_SHAPE, tile->mode) != FP8RT_PASS_SHAPE_AUTOMATIC) {
        return tile->mode;
    }
    uint32_t shape =
        fp8rt_pass_shape(fp8rt_count_pow2(tile->m, caps->rows),
                         fp8rt_count_pow2(fp8rt_host_columns(tile), caps->cols), &passes);
    return (tile->mode & ~FP8RT_BIT(MODE__PASS_SHAPE)) | FP8RT_PUT(MODE__PASS_SHAPE, shape);
}

// D's rows, with pairs: those of the results that there are. They may be others than those that are checked.
static region written(const fp8rt_host_tile *host_tile, region d)
{
    const fp8rt_command *tile = &host_tile->command;
    const uint32_t first = host_tile->a_row;
    if (!fp8rt_host_pairs(tile)) {
        return d;
    }
    const uint32_t first_row = fp8rt_host_pair_row(tile, first, 0);
    d.address = tile->d + (uintptr_t)first_row * tile->d_stride;
    d.rows = fp8rt_host_last_pair_row(tile, first) - first_row + 1u;
    return d;
}

// The bus answers DECERR where there is no memory. The accelerator reads before it writes D.
static fp8rt_status check_memory(const fp8rt_caps *caps, const fp8rt_host_tile *host_tile,
                                 const region list[REGIONS])
{
    const fp8rt_command *tile = &host_tile->command;
    const region d = written(host_tile, list[REGION_D]);
    for (int i = 0; i < REGIONS; i++) {
        if (i != REGION_D && !is_mapped(&list[i])) {
            return FP8RT_ERR_HW_READ_DECERR;
        }
    }
    if (finishes(tile) && (scale_vector_is_bad(caps, fp8rt_host_a(tile)) ||
                           scale_vector_is_bad(caps, fp8rt_host_b(tile)))) {
        return FP8RT_ERR_HW_SCALE;
    }
    return is_mapped(&d) ? FP8RT_OK : FP8RT_ERR_HW_WRITE_DECERR;
}

fp8rt_status fp8rt_host_tile_check(const fp8rt_device *dev, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = &host_tile->command;
    region list[REGIONS];
    if (shape_is_bad(&dev->caps, tile) || image_is_bad(tile) ||
        depthwise_shape_is_bad(&dev->caps, tile) || scales_are_too_many(&dev->caps, host_tile)) {
        return FP8RT_ERR_HW_SHAPE;
    }
    list_regions(&dev->caps, host_tile, list);
    if (depthwise_alignment_is_bad(&dev->caps, tile)) {
        return FP8RT_ERR_HW_ALIGNMENT;
    }
    // Any other image may begin at any byte.
    for (int i = fp8rt_host_conv_a(tile) ? 1 : 0; i < REGIONS; i++) {
        if (alignment_is_bad(&dev->caps, &list[i])) {
            return FP8RT_ERR_HW_ALIGNMENT;
        }
    }
    bool range_bad = host_tile->range_bad;
    for (int i = 0; i < REGIONS; i++) {
        range_bad |= range_is_bad(&list[i]);
    }
    if (range_bad) {
        return FP8RT_ERR_HW_RANGE;
    }
    if (mode_is_bad(&dev->caps, tile) ||
        (!fp8rt_host_elementwise(tile) && element_lacks(&dev->caps.element, tile)) ||
        operation_is_bad(&dev->caps, tile)) {
        return FP8RT_ERR_HW_MODE;
    }
    if (exponent_is_bad(dev, tile, tile->a.scale_exp) ||
        exponent_is_bad(dev, tile, tile->b.scale_exp)) {
        return FP8RT_ERR_HW_SCALE_EXPONENT;
    }
    if (finishes(tile) && scales_are_bad(&dev->caps, tile)) {
        return FP8RT_ERR_HW_SCALE;
    }
    if (host_tile->sequence_bad || table_is_missing(dev, tile) || sequence_is_bad(dev, host_tile)) {
        return FP8RT_ERR_HW_SEQUENCE;
    }
    return check_memory(&dev->caps, host_tile, list);
}
