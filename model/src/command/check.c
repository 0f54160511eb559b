// SPDX-License-Identifier: Apache-2.0
// What the accelerator refuses, in its order (fp8mac_cmd_pkg::offered, fp8mac_cmd_check).
#include "command/tiles.h"

#include "fp8mac/dot.h"
#include "fp8mac/requantise.h"

enum { PASS_TILES_LOG2 = 2, NARROW_INT8 = 3 };

// ---- functions that are absent ------------------------------------------------------------------

static bool is_int8(uint8_t fmt)
{
    return fmt == FP8MAC_INT8;
}

fp8mac_command_error fp8mac_command_absent(const fp8mac_caps *caps, const fp8mac_command *c)
{
    const bool rows = fp8mac_command_is_rows(c), x = fp8mac_command_has_x(c);
    const bool int8 =
        is_int8(c->d.fmt) || (c->c.en && is_int8(c->c.fmt)) || (x && is_int8(c->x_fmt));
    uint32_t asked = 0;
    asked |= c->c.en ? FP8MAC_FUNCTION_C : 0u;
    asked |= x || c->mode.maximum ? FP8MAC_FUNCTION_ELEMENTWISE : 0u;
    asked |= rows ? FP8MAC_FUNCTION_ROWS : 0u;
    asked |= c->finish.stochastic ? FP8MAC_FUNCTION_STOCHASTIC : 0u;
    asked |= c->finish.act_table != FP8MAC_D_TABLE_NONE ? FP8MAC_FUNCTION_TABLES : 0u;
    asked |= c->mode.conv_a ? FP8MAC_FUNCTION_CONV_A : 0u;
    asked |= c->mode.depthwise || c->mode.pairs ? FP8MAC_FUNCTION_DEPTHWISE : 0u;
    asked |= c->mode.mx ? FP8MAC_FUNCTION_MX : 0u;
    asked |= int8 ? FP8MAC_FUNCTION_INT8 : 0u;
    const bool requantise_bad = (caps->functions & FP8MAC_FUNCTION_REQUANTISE) != 0 &&
                                (c->a.scale_vec || c->finish.act == FP8MAC_ACT_RELU ||
                                 (!is_int8(c->d.fmt) && c->d.fmt != FP8MAC_FP32));
    return (asked & ~caps->functions) != 0 || requantise_bad ||
                   (c->mode.record && caps->records == 0)
               ? FP8MAC_COMMAND_ERROR_MODE
               : FP8MAC_COMMAND_ERROR_NONE;
}

// ---- passes -------------------------------------------------------------------------------------

static uint32_t down_of(const fp8mac_caps *caps, const fp8mac_tile *t)
{
    return ceil_log2(t->m, log2_of(caps->rows));
}

static uint32_t across_of(const fp8mac_caps *caps, const fp8mac_tile *t)
{
    return ceil_log2(t->columns, log2_of(caps->cols));
}

static uint32_t passes_of(uint32_t down, uint32_t across, uint32_t shape)
{
    return ceil_log2(down, shape) * ceil_log2(across, PASS_TILES_LOG2 - shape);
}

// The shape with the fewest passes, of equal ones the widest
static uint32_t shape_of(const fp8mac_caps *caps, const fp8mac_tile *t, uint32_t asked)
{
    const uint32_t down = down_of(caps, t), across = across_of(caps, t);
    uint32_t best = asked == FP8MAC_PASS_AUTOMATIC ? FP8MAC_PASS_ACROSS : asked;
    for (uint32_t shape = 1; asked == FP8MAC_PASS_AUTOMATIC && shape <= FP8MAC_PASS_DOWN; shape++) {
        best = passes_of(down, across, shape) < passes_of(down, across, best) ? shape : best;
    }
    return best;
}

// As fp8mac_cmd_pkg's function
static bool rows_down(const fp8mac_caps *caps)
{
    return caps->rows < 4u || caps->cols > 2u * caps->rows;
}

static void derive(const fp8mac_caps *caps, const fp8mac_command *c, fp8mac_tile *t)
{
    // Results that lie one behind the other are in as few regions as possible.
    const bool dense = fp8mac_command_is_dense(c) && t->writes;
    const bool down = dense || (fp8mac_command_is_rows(c) && rows_down(caps) &&
                                c->mode.pass_shape == FP8MAC_PASS_AUTOMATIC);
    t->shape = shape_of(caps, t, down ? FP8MAC_PASS_DOWN : c->mode.pass_shape);
    t->seconds = !fp8mac_command_has_pairs(c) || c->c.stride <= t->first_m
                     ? 0
                     : least(c->c.stride - t->first_m, t->m);
}

// ---- regions of memory --------------------------------------------------------------------------

static bool loads_vectors(const fp8mac_tile *t)
{
    return !t->acc_keep;
}

static fp8mac_tile_region region_of_d(const fp8mac_command *c, const fp8mac_tile *t)
{
    const uint64_t columns = fp8mac_command_is_reduction(c) ? 1 : t->n;
    if (fp8mac_command_has_pairs(c)) { // the rows that could be D's
        return (fp8mac_tile_region){!t->acc_keep, c->d.stride, 2u * t->m, t->n};
    }
    if (fp8mac_command_is_dense(c)) {
        return (fp8mac_tile_region){!t->acc_keep, c->d.stride, 1, 4ull * t->m};
    }
    return (fp8mac_tile_region){!t->acc_keep, c->d.stride, t->m,
                                columns << fp8mac_command_size_log2(c->d.fmt)};
}

void fp8mac_tile_regions(const fp8mac_caps *caps, const fp8mac_command *c, const fp8mac_tile *t,
                         fp8mac_tile_region list[FP8MAC_TILE_REGIONS])
{
    const uint64_t n = t->n;
    const bool x = fp8mac_command_has_x(c), mx = fp8mac_command_has_mx(c),
               blocks = fp8mac_command_writes_scales(c), vectors = loads_vectors(t);
    const uint32_t scales = ceil_div(t->k, fp8mac_caps_bound_block(caps)) + t->mx_first;
    const bool a = !t->reuse_a && !c->mode.conv_a, b = !t->reuse_b && !x;
    const uint64_t a_row = x ? n << fp8mac_command_size_log2(c->x_fmt) : t->k;
    list[FP8MAC_REGION_A] = (fp8mac_tile_region){a, c->a.stride, t->m, a_row};
    list[FP8MAC_REGION_B] = (fp8mac_tile_region){b, c->b.stride, t->columns, t->k};
    list[FP8MAC_REGION_D] = region_of_d(c, t);
    list[FP8MAC_REGION_SCALE_A] =
        (fp8mac_tile_region){vectors && c->a.scale_vec, 0, 1, 4ull * t->m};
    list[FP8MAC_REGION_SCALE_B] =
        (fp8mac_tile_region){vectors && c->b.scale_vec, 0, 1, scale_b_bytes(caps) * n};
    list[FP8MAC_REGION_BIAS] = (fp8mac_tile_region){vectors && c->finish.bias_en, 0, 1, 4ull * n};
    list[FP8MAC_REGION_C] =
        (fp8mac_tile_region){!t->acc_keep && fp8mac_command_reads_c(c), c->c.stride, t->m,
                             n << fp8mac_command_size_log2(c->c.fmt)};
    list[FP8MAC_REGION_MX_A] = (fp8mac_tile_region){blocks || (mx && !t->reuse_a), c->a.mx_stride,
                                                    t->m, blocks ? (t->first_n >> 5) + 1u : scales};
    list[FP8MAC_REGION_MX_B] = (fp8mac_tile_region){mx && b, c->b.mx_stride, t->n, scales};
}

static bool misaligned(const fp8mac_tile_region *r, uint32_t address, uint32_t beat)
{
    return r->used && (address % beat != 0 || (r->rows > 1 && r->stride % beat != 0));
}

static bool out_of_range(const fp8mac_tile_region *r, uint32_t address)
{
    return r->used && address + r->row_bytes + (uint64_t)(r->rows - 1u) * r->stride > 1ull << 32;
}

// ---- shape --------------------------------------------------------------------------------------

static bool rows_fit(const fp8mac_caps *caps, const fp8mac_tile *t, uint32_t a_beats,
                     uint32_t b_beats, uint32_t depth)
{
    return (uint64_t)down_of(caps, t) * a_beats <= depth &&
           (uint64_t)across_of(caps, t) * b_beats <= depth;
}

// An image whose fields are not all there
static bool image_bad(const fp8mac_command *c, const fp8mac_tile *t)
{
    const fp8mac_command_image *image = &c->image;
    return c->mode.conv_a && !t->reuse_a &&
           (image->width == 0 || image->height == 0 || image->out_w == 0 ||
            image->segment_bytes == 0 || image->segments == 0);
}

static bool depthwise_shape_bad(const fp8mac_caps *caps, const fp8mac_command *c,
                                const fp8mac_tile *t)
{
    const bool pairs = fp8mac_command_has_pairs(c);
    const bool image = t->reuse_a || c->image.segment_bytes == caps->beat_bytes;
    const uint32_t whole = pairs ? caps->cols / 2u : caps->cols;
    return fp8mac_command_is_depthwise(c) &&
           (t->n > caps->beat_bytes || t->k % whole != 0 || !image || (pairs && t->n % whole != 0));
}

static bool depthwise_align_bad(const fp8mac_caps *caps, const fp8mac_command *c,
                                const fp8mac_tile *t)
{
    const fp8mac_command_image *image = &c->image;
    const uint32_t places = (uint32_t)c->a.addr | c->a.stride | image->width | image->step_x |
                            image->segment_step | image->pad_left;
    return fp8mac_command_is_depthwise(c) && !t->reuse_a && places % caps->beat_bytes != 0;
}

uint32_t fp8mac_caps_scale_beats(const fp8mac_caps *caps)
{
    const uint32_t side = least(caps->rows, caps->cols), tiles = ceil_div(caps->max_mn, side);
    uint32_t beats = 2;
    while (beats < caps->buf_beats / 8u || beats < tiles) {
        beats *= 2u;
    }
    return beats;
}

static bool shape_bad(const fp8mac_caps *caps, const fp8mac_command *c, const fp8mac_tile *t)
{
    if (image_bad(c, t) || depthwise_shape_bad(caps, c, t) || t->m == 0 || t->n == 0 || t->k == 0 ||
        t->m > caps->max_mn || t->n > caps->max_mn) {
        return true;
    }
    const uint32_t bound = fp8mac_caps_bound_block(caps), beat = caps->beat_bytes;
    const uint32_t blocks = ceil_div(t->k, bound), words = blocks * (bound / beat);
    const uint32_t quads = fp8mac_command_is_depthwise(c)
                               ? beat / caps->cols * (fp8mac_command_has_pairs(c) ? 2u : 1u)
                               : 1u;
    const uint32_t a_words = words * quads, scales = ceil_div(blocks + t->mx_first, beat);
    return a_words > caps->buf_beats ||
           (fp8mac_command_has_mx(c) &&
            !rows_fit(caps, t, scales, scales, fp8mac_caps_scale_beats(caps))) ||
           (!fp8mac_command_has_x(c) && !rows_fit(caps, t, a_words, words, caps->buf_beats));
}

// ---- formats, modes, scales ---------------------------------------------------------------------

static bool has_accumulator(const fp8mac_caps *caps, fp8mac_acc_format format)
{
    return (caps->element.accumulators >> format & 1u) != 0;
}

static bool has_integer(const fp8mac_caps *caps)
{
    return has_accumulator(caps, FP8MAC_ACC_FIXED) || has_accumulator(caps, FP8MAC_ACC_INT32);
}

static bool operand_format_bad(const fp8mac_caps *caps, const fp8mac_command_operand *x)
{
    if (x->narrow) {
        return x->fmt == NARROW_INT8 ? !caps->element.int8 : !caps->element.narrow;
    }
    const bool e5m2 = x->fmt == FP8MAC_E5M2 || x->fmt == FP8MAC_E5M2FNUZ;
    return caps->element.int8 || (e5m2 && !caps->element.e5m2);
}

// ACC_FMT has no code for an integer accumulator, which has that of FP32, the format of its
// read-out.
static bool element_bad(const fp8mac_caps *caps, const fp8mac_command *c)
{
    const bool acc_bad = c->mode.acc_fmt
                             ? !has_accumulator(caps, FP8MAC_ACC_FP16)
                             : !has_accumulator(caps, FP8MAC_ACC_FP32) && !has_integer(caps);
    return acc_bad || operand_format_bad(caps, &c->a) || operand_format_bad(caps, &c->b);
}

static bool pairs_bad(const fp8mac_command *c, const fp8mac_tile *t)
{
    return c->mode.pairs &&
           (!c->mode.depthwise || fp8mac_command_reads_c(c) || c->finish.stochastic ||
            t->acc_continue || t->acc_keep || fp8mac_command_size_log2(c->d.fmt) != 0);
}

static bool function_bad(const fp8mac_command *c, const fp8mac_tile *t)
{
    const bool x = fp8mac_command_has_x(c), reads_c = fp8mac_command_reads_c(c);
    const bool table_bad =
        c->finish.act_table >= FP8MAC_D_TABLES ||
        (c->finish.act_table != FP8MAC_D_TABLE_NONE && fp8mac_command_size_log2(c->d.fmt) != 0);
    const bool image_mode_bad = (c->mode.conv_a && x) || (c->mode.depthwise && !c->mode.conv_a) ||
                                (c->mode.mx && (x || c->mode.conv_a));
    const bool product_bad = c->mode.op == FP8MAC_OP_MULTIPLY && (!reads_c || c->finish.bias_en);
    const bool maximum_bad = c->mode.maximum && (c->mode.op != FP8MAC_OP_ADD || !reads_c);
    const bool chain_bad = x && (t->reuse_a || t->reuse_b || t->acc_continue || t->acc_keep);
    return table_bad || image_mode_bad || pairs_bad(c, t) || product_bad || maximum_bad ||
           chain_bad || (fp8mac_command_is_rows(c) && fp8mac_rows_mode_bad(c));
}

static bool mode_bad(const fp8mac_caps *caps, const fp8mac_command *c, const fp8mac_tile *t)
{
    return c->finish.overflow >= FP8MAC_OVERFLOWS || c->finish.act >= FP8MAC_ACTIVATIONS ||
           (is_int8(c->d.fmt) && c->finish.overflow != FP8MAC_OVERFLOW_SATURATE) ||
           (!fp8mac_command_has_x(c) && element_bad(caps, c)) || function_bad(c, t);
}

static bool exponent_bad(const fp8mac_caps *caps, const fp8mac_command *c, int s)
{
    return caps->element.int8 && !fp8mac_command_has_x(c)
               ? s != 0
               : s < FP8MAC_SCALE_EXPONENT_MIN || s > FP8MAC_SCALE_EXPONENT_MAX;
}

static bool is_no_scale(uint32_t x)
{
    return x >> 31 != 0 || x == 0 || x >> 23 == 0xffu;
}

static bool operand_scale_bad(const fp8mac_command_operand *x)
{
    return !x->scale_vec && is_no_scale((uint32_t)x->scale);
}

// Integers of the same order as finite FP32 values; both zeros become 0.
static int64_t rank_of(uint32_t x)
{
    const int64_t magnitude = x & 0x7fffffffu;
    return x >> 31 != 0 ? -magnitude : magnitude;
}

static bool is_no_int8(uint32_t x)
{
    return x + 128u > 255u;
}

// Integers in the place of scales: the shift is that of A, and the multiplier that of B.
static bool integers_bad(const fp8mac_command *c)
{
    const int32_t shift = (int32_t)(uint32_t)c->a.scale;
    const bool scale_bad =
        (uint32_t)c->b.scale >> 31 != 0 || shift < FP8MAC_SHIFT_LEAST || shift > FP8MAC_SHIFT_MOST;
    const bool clamp_bad = is_no_int8(c->finish.clamp_lo) || is_no_int8(c->finish.clamp_hi) ||
                           (int32_t)c->finish.clamp_lo > (int32_t)c->finish.clamp_hi;
    return (!c->b.scale_vec && scale_bad) || is_no_int8(c->d.scale) ||
           (c->finish.act == FP8MAC_ACT_CLAMP && clamp_bad);
}

static bool is_finite(uint32_t x)
{
    return (x >> 23 & 0xffu) != 0xffu;
}

static bool scales_bad(const fp8mac_caps *caps, const fp8mac_command *c)
{
    if ((caps->functions & FP8MAC_FUNCTION_REQUANTISE) != 0) {
        return integers_bad(c);
    }
    const uint32_t lo = c->finish.clamp_lo, hi = c->finish.clamp_hi;
    const bool norm_bad = fp8mac_command_is_norm(c) &&
                          (is_no_scale(c->b.stride) || (c->c.beta != 0 && is_no_scale(c->c.beta)));
    return norm_bad || operand_scale_bad(&c->a) || operand_scale_bad(&c->b) ||
           is_no_scale(c->d.scale) ||
           (c->finish.act == FP8MAC_ACT_CLAMP &&
            (!is_finite(lo) || !is_finite(hi) || rank_of(lo) > rank_of(hi)));
}

// ---- sequence -----------------------------------------------------------------------------------

static fp8mac_left left_by(const fp8mac_command *c, const fp8mac_tile *t, const fp8mac_left *before)
{
    const bool mx = fp8mac_command_has_mx(c);
    return (fp8mac_left){
        .any = !fp8mac_command_has_x(c),
        .kept = t->acc_keep,
        .terms = t->k + (t->acc_continue ? before->terms : 0),
        .m = t->m,
        .n = t->n,
        .k = t->k,
        .shape = t->shape,
        .mx_first = mx ? t->mx_first : 0,
        .acc_fmt = c->mode.acc_fmt,
        .mx = mx,
        .depthwise = fp8mac_command_is_depthwise(c),
        .pairs = fp8mac_command_has_pairs(c),
        .a_narrow = c->a.narrow,
        .b_narrow = c->b.narrow,
        .a_fmt = c->a.fmt,
        .b_fmt = c->b.fmt,
        .sa = c->a.scale_exp,
        .sb = c->b.scale_exp,
    };
}

static bool same_a_format(const fp8mac_left *x, const fp8mac_left *y)
{
    return x->a_fmt == y->a_fmt && x->a_narrow == y->a_narrow;
}

static bool same_b_format(const fp8mac_left *x, const fp8mac_left *y)
{
    return x->b_fmt == y->b_fmt && x->b_narrow == y->b_narrow;
}

// The unit of an integer accumulator is that of the formats and scaling exponents.
static bool continue_bad(const fp8mac_caps *caps, const fp8mac_left *before, const fp8mac_left *t)
{
    const bool unit_bad = !same_a_format(before, t) || !same_b_format(before, t) ||
                          before->sa != t->sa || before->sb != t->sb ||
                          t->terms > 1ull << caps->element.terms_log2;
    return !before->kept || t->m != before->m || t->n != before->n ||
           t->acc_fmt != before->acc_fmt || t->shape != before->shape ||
           (has_integer(caps) && unit_bad);
}

static bool reuse_bad(const fp8mac_left *before, const fp8mac_left *t, bool same)
{
    return !before->any || !same || t->k != before->k || t->mx != before->mx ||
           t->mx_first != before->mx_first || t->depthwise != before->depthwise ||
           t->pairs != before->pairs;
}

static bool sequence_bad(const fp8mac_caps *caps, const fp8mac_command *c, uint32_t tables,
                         const fp8mac_left *before, const fp8mac_left *own, const fp8mac_tile *t)
{
    const uint32_t passes = passes_of(down_of(caps, t), across_of(caps, t), t->shape);
    const uint8_t table = c->finish.act_table;
    return t->sequence_bad ||
           (table != FP8MAC_D_TABLE_NONE && (tables >> (table - 1u) & 1u) == 0) ||
           (t->acc_continue && continue_bad(caps, before, own)) ||
           ((t->acc_continue || t->acc_keep) &&
            passes > (uint32_t)caps->acc_tiles >> PASS_TILES_LOG2) ||
           (t->acc_keep && t->k % caps->block != 0) ||
           (t->reuse_a &&
            reuse_bad(before, own, own->m == before->m && same_a_format(before, own))) ||
           (t->reuse_b &&
            reuse_bad(before, own, own->n == before->n && same_b_format(before, own)));
}

// ---- the verdict --------------------------------------------------------------------------------

static fp8mac_command_error region_error(const fp8mac_caps *caps, const fp8mac_command *c,
                                         const fp8mac_tile *t)
{
    fp8mac_tile_region list[FP8MAC_TILE_REGIONS];
    fp8mac_tile_regions(caps, c, t, list);
    bool align = depthwise_align_bad(caps, c, t), range = t->range_bad;
    for (unsigned i = 0; i < FP8MAC_TILE_REGIONS; i++) {
        align |= misaligned(&list[i], t->address[i], caps->beat_bytes);
        range |= out_of_range(&list[i], t->address[i]);
    }
    return align   ? FP8MAC_COMMAND_ERROR_ALIGN
           : range ? FP8MAC_COMMAND_ERROR_RANGE
                   : FP8MAC_COMMAND_ERROR_NONE;
}

fp8mac_command_error fp8mac_tile_check(const fp8mac_caps *caps, const fp8mac_command *c,
                                       uint32_t tables, fp8mac_left *left, fp8mac_tile *t)
{
    derive(caps, c, t);
    if (shape_bad(caps, c, t)) {
        return FP8MAC_COMMAND_ERROR_SHAPE;
    }
    const fp8mac_command_error regions = region_error(caps, c, t);
    if (regions != FP8MAC_COMMAND_ERROR_NONE) {
        return regions;
    }
    if (mode_bad(caps, c, t)) {
        return FP8MAC_COMMAND_ERROR_MODE;
    }
    if (exponent_bad(caps, c, c->a.scale_exp) || exponent_bad(caps, c, c->b.scale_exp)) {
        return FP8MAC_COMMAND_ERROR_SCALE_EXP;
    }
    if (!t->acc_keep && scales_bad(caps, c)) {
        return FP8MAC_COMMAND_ERROR_SCALE;
    }
    const fp8mac_left own = left_by(c, t, left);
    if (sequence_bad(caps, c, tables, left, &own, t)) {
        return FP8MAC_COMMAND_ERROR_SEQUENCE;
    }
    *left = own;
    return FP8MAC_COMMAND_ERROR_NONE;
}

fp8mac_command_error fp8mac_command_check(const fp8mac_caps *caps, const fp8mac_command *c,
                                          uint32_t tables, fp8mac_left *left)
{
    fp8mac_command_error error = fp8mac_command_absent(caps, c);
    fp8mac_left now = *left;
    fp8mac_walk walk;
    fp8mac_tile tile = {.last = false};
    fp8mac_walk_begin(&walk, caps, c);
    while (error == FP8MAC_COMMAND_ERROR_NONE && !tile.last) {
        fp8mac_walk_next(&walk, &tile);
        error = fp8mac_tile_check(caps, c, tables, &now, &tile);
    }
    if (error == FP8MAC_COMMAND_ERROR_NONE) {
        *left = now;
    }
    return error;
}
