// SPDX-License-Identifier: Apache-2.0
// The checks of tile commands (fp8mac_cmd_check): how long they take, what they refuse, and what
// the engines get.
#include "cycles/tiles.h"

// ---- what engines get ---------------------------------------------------------------------------

enum { PASS_DOWN = 2 }; // four tiles down

static uint32_t passes_of(uint32_t down, uint32_t across, uint32_t shape)
{
    return ceil_log2(down, shape) * ceil_log2(across, 2u - shape);
}

// The shape with the fewest passes, of equal ones the widest
static uint32_t shape_of(const machine *m, const tile *t, uint32_t asked)
{
    const uint32_t down = ceil_log2(t->key.m, m->p.rows_log2),
                   across = ceil_log2(t->key.columns, m->p.cols_log2);
    uint32_t best = asked == 3u ? 0 : asked;
    for (uint32_t shape = 1; asked == 3u && shape < 3u; shape++) {
        best = passes_of(down, across, shape) < passes_of(down, across, best) ? shape : best;
    }
    return best;
}

static uint32_t passes_of_tile(const machine *m, const tile *t)
{
    return passes_of(ceil_log2(t->key.m, m->p.rows_log2), ceil_log2(t->key.columns, m->p.cols_log2),
                     t->key.shape);
}

static void derive(const machine *m, tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    tile_key *key = &t->key;
    const bool finishes = !key->acc_keep;
    key->shape = shape_of(m, t, key->dense && key->writes ? PASS_DOWN : c->pass_shape);
    key->row_beats = ceil_log2(key->k, m->p.beat_log2);
    key->seconds =
        !key->pairs || c->c_stride <= t->first_m ? 0 : least(c->c_stride - t->first_m, key->m);
    const uint32_t blocks = (key->k + m->p.bound_block - 1u) / m->p.bound_block;
    key->mx_words = ceil_log2(blocks + key->mx_first, m->p.beat_log2);
    key->reads_c = finishes && key->reads_c;
    key->has_vectors = finishes && (c->bias_en || c->scale_a_vec || c->scale_b_vec);
    const bool loads = finishes && !fp8mac_cycles_is_statistic(key->step);
    key->loads_bias = loads && c->bias_en;
    key->loads_scale_a = loads && c->scale_a_vec;
    key->loads_scale_b = loads && c->scale_b_vec;
}

// ---- regions of memory --------------------------------------------------------------------------

typedef struct region {
    bool used;
    uint32_t stride, rows;
    uint64_t row_bytes;
} region;

static void regions_of(const machine *m, const tile *t, region *list)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const tile_key *key = &t->key;
    const bool rows = key->step != STEP_NONE;
    const uint64_t n = key->n, x_row = n << size_log2(c->x_fmt);
    const uint64_t d_columns = rows && fp8mac_cycles_is_reduction(c) ? 1 : n;
    const uint32_t scales = (key->k + m->p.bound_block - 1u) / m->p.bound_block + key->mx_first;
    const bool a = !key->reuse_a && !key->image, b = !key->reuse_b && !key->elementwise;
    const region d = {!key->acc_keep, c->d_stride, key->dense ? 1 : key->m,
                      key->dense ? 4ull * key->m : d_columns << size_log2(c->d_fmt)};
    const region rows_of_pairs = {!key->acc_keep, c->d_stride, 2u * key->m, n};
    const region all[REGIONS] = {
        [REGION_A] = {a, c->a_stride, key->m, key->elementwise ? x_row : key->k},
        [REGION_B] = {b, c->b_stride, key->columns, key->k},
        [REGION_D] = key->pairs ? rows_of_pairs : d,
        [REGION_SCALE_A] = {key->loads_scale_a, 0, 1, 4ull * key->m},
        [REGION_SCALE_B] = {key->loads_scale_b, 0, 1, m->p.scale_b_bytes * n},
        [REGION_BIAS] = {key->loads_bias, 0, 1, 4ull * n},
        [REGION_C] = {key->reads_c, c->c_stride, key->m, n << size_log2(c->c_fmt)},
        [REGION_MX_A] = {key->blocks || (key->mx && a), c->mx_a_stride, key->m,
                         key->blocks ? ceil_log2(t->first_n + 1u, 5) : scales},
        [REGION_MX_B] = {key->mx && b, c->mx_b_stride, key->n, scales},
    };
    memcpy(list, all, sizeof all);
}

static bool region_bad(const region *r, uint32_t address, uint32_t beat)
{
    const bool misaligned = address % beat != 0 || (r->rows > 1 && r->stride % beat != 0);
    const uint64_t end = address + r->row_bytes + (uint64_t)(r->rows - 1u) * r->stride;
    return r->used && (misaligned || end > 1ull << 32);
}

// Rows that lie in their own parts of pages
static bool lies_apart(const region *r, uint32_t address)
{
    uint32_t part = 16;
    while (part < PAGE && part < r->row_bytes) {
        part *= 2u;
    }
    return r->row_bytes <= part && address % part == 0 && (r->rows == 1 || r->stride % part == 0);
}

static bool crosses(const region *r, uint32_t address)
{
    for (uint32_t row = 0; row < r->rows; row++) {
        if ((address + row * r->stride) % PAGE + r->row_bytes > PAGE) {
            return true;
        }
    }
    return false;
}

// Where a row crosses a page, the position in the page decides.
static uint32_t page_of(const region *r, uint32_t address)
{
    const bool stays = !r->used || lies_apart(r, address) || !crosses(r, address);
    return stays ? NO_PAGE : address % PAGE;
}

static bool regions_bad(const machine *m, tile *t)
{
    region list[REGIONS];
    regions_of(m, t, list);
    bool bad = t->range_bad;
    for (unsigned i = 0; i < REGIONS; i++) {
        bad |= region_bad(&list[i], t->address[i], m->p.beat);
        t->key.pages[i] = page_of(&list[i], t->address[i]);
    }
    return bad;
}

// ---- shape --------------------------------------------------------------------------------------

static bool rows_fit(const machine *m, const tile *t, uint32_t a_beats, uint32_t b_beats,
                     uint32_t depth)
{
    const uint32_t down = ceil_log2(t->key.m, m->p.rows_log2),
                   across = ceil_log2(t->key.columns, m->p.cols_log2);
    return (uint64_t)down * a_beats <= depth && (uint64_t)across * b_beats <= depth;
}

// An image whose fields are not all there
static bool image_bad(const machine *m, const tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    return t->key.image && !t->key.reuse_a &&
           (c->image_width == 0 || c->image_height == 0 || c->out_w == 0 || c->segment_bytes == 0 ||
            c->segments == 0);
}

static bool depthwise_shape_bad(const machine *m, const tile *t)
{
    const bool image = t->key.reuse_a || command_of(m, t)->segment_bytes == m->p.beat;
    const uint32_t whole = t->key.pairs ? m->p.cols / 2u : m->p.cols;
    return t->key.depthwise && (t->key.n > m->p.beat || t->key.k % whole != 0 || !image ||
                                (t->key.pairs && t->key.n % whole != 0));
}

static bool depthwise_align_bad(const machine *m, const tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const uint32_t places =
        c->a_addr | c->a_stride | c->image_width | c->step_x | c->segment_step | c->pad_left;
    return t->key.depthwise && !t->key.reuse_a && places % m->p.beat != 0;
}

static bool shape_bad(const machine *m, const tile *t)
{
    const parameters *p = &m->p;
    if (image_bad(m, t) || depthwise_shape_bad(m, t) || t->key.m == 0 || t->key.n == 0 ||
        t->key.k == 0 || t->key.m > p->max_mn || t->key.n > p->max_mn) {
        return true;
    }
    const uint32_t blocks = (t->key.k + p->bound_block - 1u) / p->bound_block;
    const uint32_t words = blocks * (p->bound_block / p->beat);
    const uint32_t a_words = t->key.depthwise ? words * p->quads * (t->key.pairs ? 2u : 1u) : words;
    return a_words > p->buf_beats ||
           (t->key.mx && !rows_fit(m, t, t->key.mx_words, t->key.mx_words, p->scale_beats)) ||
           (!t->key.elementwise && !rows_fit(m, t, a_words, words, p->buf_beats));
}

// ---- formats, modes, scales ---------------------------------------------------------------------

static bool has_accumulator(const machine *m, fp8mac_acc_format format)
{
    return (m->p.element->accumulators >> format & 1u) != 0;
}

static bool has_integer(const machine *m)
{
    return has_accumulator(m, FP8MAC_ACC_FIXED) || has_accumulator(m, FP8MAC_ACC_INT32);
}

static bool is_int8(const machine *m)
{
    return (m->p.element->formats >> FP8MAC_INT8 & 1u) != 0;
}

static bool operand_format_bad(const machine *m, uint8_t fmt, bool narrow)
{
    if (narrow) {
        return fmt == 3 ? !is_int8(m) : !m->p.element->narrow;
    }
    const bool e5m2 = fmt == 1 || fmt == 3;
    return is_int8(m) || (e5m2 && (m->p.element->formats >> FP8MAC_E5M2 & 1u) == 0);
}

static bool element_bad(const machine *m, const fp8mac_cycles_command *c)
{
    const bool acc_bad = c->acc_fmt != 0 ? !has_accumulator(m, FP8MAC_ACC_FP16)
                                         : !has_accumulator(m, FP8MAC_ACC_FP32) && !has_integer(m);
    return acc_bad || operand_format_bad(m, c->a_fmt, c->a_narrow) ||
           operand_format_bad(m, c->b_fmt, c->b_narrow);
}

// What an accelerator that requantises does not have, beside row commands and MX
static bool requantise_bad(const machine *m, const fp8mac_cycles_command *c)
{
    return m->p.requantise &&
           (c->operation != FP8MAC_CYCLES_GEMM || c->maximum || c->c_en || c->stochastic ||
            c->scale_a_vec || c->act == 1 || (c->d_fmt != 6 && c->d_fmt != 7));
}

static bool mode_bad(const machine *m, const tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const bool table_bad = c->act_table == 3 || (c->act_table != 0 && size_log2(c->d_fmt) != 0);
    const bool mx_bad = (c->conv_a && t->key.elementwise) ||
                        (c->mx && (t->key.elementwise || c->conv_a || !m->p.element->mx));
    const bool depthwise_bad = c->depthwise && (!c->conv_a || m->p.quads == 0);
    const bool pairs_bad =
        c->pairs && (!c->depthwise || t->key.reads_c || c->stochastic || t->key.acc_continue ||
                     t->key.acc_keep || size_log2(c->d_fmt) != 0);
    const bool product_bad =
        c->operation == FP8MAC_CYCLES_MULTIPLY && (!t->key.reads_c || c->bias_en);
    const bool maximum_bad = c->maximum && (c->operation != FP8MAC_CYCLES_ADD || !t->key.reads_c);
    const bool chain_bad =
        t->key.elementwise && (c->reuse_a || c->reuse_b || t->key.acc_continue || t->key.acc_keep);
    const bool rows_bad = c->operation == FP8MAC_CYCLES_ROWS && fp8mac_cycles_rows_bad(&m->p, c);
    return requantise_bad(m, c) || rows_bad || c->overflow == 3 || c->act == 3 ||
           (c->d_fmt == 7 && c->overflow != 0) || (!t->key.elementwise && element_bad(m, c)) ||
           table_bad || mx_bad || depthwise_bad || pairs_bad || product_bad || maximum_bad ||
           chain_bad;
}

static bool exponent_bad(const machine *m, const tile *t, int s)
{
    return is_int8(m) && !t->key.elementwise ? s != 0 : s < -32 || s > 32;
}

static bool is_no_scale(uint32_t x)
{
    return x >> 31 != 0 || x == 0 || x >> 23 == 0xffu;
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
static bool integers_bad(const fp8mac_cycles_command *c)
{
    const bool shift_bad = c->scale_a + 31u > 61u;
    const bool clamp_bad = is_no_int8(c->clamp_lo) || is_no_int8(c->clamp_hi) ||
                           (int32_t)c->clamp_lo > (int32_t)c->clamp_hi;
    return (!c->scale_b_vec && (c->scale_b >> 31 != 0 || shift_bad)) || is_no_int8(c->scale_d) ||
           (c->act == 2 && clamp_bad);
}

static bool scales_bad(const machine *m, const fp8mac_cycles_command *c)
{
    if (m->p.requantise) {
        return integers_bad(c);
    }
    const bool finite =
        (c->clamp_lo >> 23 & 0xffu) != 0xffu && (c->clamp_hi >> 23 & 0xffu) != 0xffu;
    const bool norm_bad = c->operation == FP8MAC_CYCLES_ROWS && fp8mac_cycles_is_norm(c) &&
                          (is_no_scale(c->b_stride) || (c->beta != 0 && is_no_scale(c->beta)));
    return norm_bad || (!c->scale_a_vec && is_no_scale(c->scale_a)) ||
           (!c->scale_b_vec && is_no_scale(c->scale_b)) || is_no_scale(c->scale_d) ||
           (c->act == 2 && (!finite || rank_of(c->clamp_lo) > rank_of(c->clamp_hi)));
}

// ---- sequence -----------------------------------------------------------------------------------

static bool unit_bad(const machine *m, const tile *t, const tile *left)
{
    const fp8mac_cycles_command *c = command_of(m, t), *l = command_of(m, left);
    return c->a_fmt != l->a_fmt || c->a_narrow != l->a_narrow || c->b_fmt != l->b_fmt ||
           c->b_narrow != l->b_narrow || c->sa != l->sa || c->sb != l->sb;
}

// The products that an integer accumulator has taken, this tile command's included
static uint64_t terms_of(const predecessor *before, const tile *t)
{
    return t->key.k + (t->key.acc_continue ? before->terms : 0);
}

static bool continue_bad(const machine *m, const predecessor *before, const tile *t)
{
    const tile *left = &before->left;
    const fp8mac_cycles_command *c = command_of(m, t), *l = command_of(m, left);
    const bool other = !before->kept || t->key.m != left->key.m || t->key.n != left->key.n ||
                       c->acc_fmt != l->acc_fmt || t->key.shape != left->key.shape;
    return other || (has_integer(m) && (unit_bad(m, t, left) ||
                                        terms_of(before, t) > 1ull << m->p.element->terms_log2));
}

static bool reuse_bad(const predecessor *before, const tile *t, bool same_size, bool same_format)
{
    const tile_key *left = &before->left.key, *key = &t->key;
    return !before->any || !same_size || !same_format || key->k != left->k || key->mx != left->mx ||
           key->depthwise != left->depthwise || key->pairs != left->pairs ||
           (key->mx && key->mx_first != left->mx_first);
}

static bool sequence_bad(const machine *m, const predecessor *before, const tile *t)
{
    const tile *left = &before->left;
    const tile_key *key = &t->key;
    const fp8mac_cycles_command *c = command_of(m, t), *l = command_of(m, left);
    const bool chained = key->acc_continue || key->acc_keep;
    const bool a_format = c->a_fmt == l->a_fmt && c->a_narrow == l->a_narrow;
    const bool b_format = c->b_fmt == l->b_fmt && c->b_narrow == l->b_narrow;
    return t->sequence_bad || (key->acc_continue && continue_bad(m, before, t)) ||
           (chained && passes_of_tile(m, t) > m->p.tiles / PASS_TILES) ||
           (key->acc_keep && key->k % m->p.block != 0) ||
           (key->reuse_a && reuse_bad(before, t, key->m == left->key.m, a_format)) ||
           (key->reuse_b && reuse_bad(before, t, key->n == left->key.n, b_format));
}

// ---- the epilogue's configuration, which must not change while transfers are inside -------------

static bool same_position(const machine *m, const tile *t, const tile *o)
{
    return !command_of(m, t)->stochastic || (t->first_m == o->first_m && t->first_n == o->first_n);
}

// What the epilogue's part of row commands has
static bool same_rows(const machine *m, const tile *t, const tile *o)
{
    const fp8mac_cycles_command *a = command_of(m, t), *b = command_of(m, o);
    if (t->key.step != o->key.step || t->key.uses_x != o->key.uses_x) {
        return false;
    }
    if (t->key.step == STEP_NONE) {
        return true;
    }
    const bool norm = fp8mac_cycles_is_norm(a);
    const bool argmax = a->row_operation == FP8MAC_ROWS_ARGMAX;
    return fp8mac_cycles_has_blocks(a) == fp8mac_cycles_has_blocks(b) &&
           norm == fp8mac_cycles_is_norm(b) && (!norm || a->b_stride == b->b_stride) &&
           argmax == (b->row_operation == FP8MAC_ROWS_ARGMAX) &&
           fp8mac_cycles_is_centred(a, t) == fp8mac_cycles_is_centred(b, o) &&
           (!fp8mac_cycles_is_curve(t->key.step) || a->scale_a == b->scale_a) &&
           (t->key.step != STEP_FIRST || t->first_n == o->first_n);
}

// beta, or in its place the bytes of an output line
static uint32_t factor_of(const tile *t, const fp8mac_cycles_command *c)
{
    return t->key.pairs ? c->out_w * c->d_stride : c->beta;
}

// Products of scales that differ need the multipliers of C
static bool same_scales(const fp8mac_cycles_command *a, const fp8mac_cycles_command *b)
{
    const bool varies = a->scale_a_vec || a->scale_b_vec;
    return a->scale_a_vec == b->scale_a_vec && a->scale_b_vec == b->scale_b_vec &&
           (varies || (a->scale_a == b->scale_a && a->scale_b == b->scale_b));
}

static bool same_config(const machine *m, const predecessor *before, const tile *t)
{
    const tile *o = &before->config;
    const fp8mac_cycles_command *a = command_of(m, t), *b = command_of(m, o);
    const bool same_operation =
        (a->operation == FP8MAC_CYCLES_MULTIPLY) == (b->operation == FP8MAC_CYCLES_MULTIPLY) &&
        a->maximum == b->maximum && t->key.reads_c == o->key.reads_c &&
        t->key.pairs == o->key.pairs;
    // The requantiser has neither X nor C.
    const bool same_sources = m->p.requantise || (a->x_fmt == b->x_fmt && a->c_fmt == b->c_fmt);
    const bool same_codes = same_sources && a->d_fmt == b->d_fmt && a->overflow == b->overflow &&
                            a->act == b->act && a->act_table == b->act_table &&
                            a->bias_en == b->bias_en;
    const bool same_values = factor_of(t, a) == factor_of(o, b) && a->clamp_lo == b->clamp_lo &&
                             a->clamp_hi == b->clamp_hi && a->scale_d == b->scale_d;
    const bool same_random =
        a->stochastic == b->stochastic && (!a->stochastic || a->seed == b->seed);
    const bool one_by_one = t->key.reads_c && t->key.step == STEP_NONE && !same_scales(a, b);
    return before->configured && same_operation && same_codes && same_values && same_random &&
           !one_by_one && same_position(m, t, o) && same_rows(m, t, o);
}

// ---- the verdict --------------------------------------------------------------------------------

static bool is_refused(const machine *m, const predecessor *before, tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    return shape_bad(m, t) || depthwise_align_bad(m, t) || regions_bad(m, t) || mode_bad(m, t) ||
           exponent_bad(m, t, c->sa) || exponent_bad(m, t, c->sb) ||
           (!t->key.acc_keep && scales_bad(m, c)) || sequence_bad(m, before, t);
}

bool fp8mac_cycles_check_tile(const machine *m, predecessor *before, tile *t)
{
    derive(m, t);
    if (is_refused(m, before, t)) {
        return false;
    }
    t->key.same_config = same_config(m, before, t);
    before->terms = terms_of(before, t);
    before->any = !t->key.elementwise;
    before->kept = t->key.acc_keep;
    before->left = *t;
    if (!t->key.acc_keep) {
        before->config = *t;
        before->configured = true;
    }
    return true;
}

// Regions are judged one a cycle: matrices, vectors, C, MX scales. Four stages are behind.
uint32_t fp8mac_cycles_cycles_of_check(const tile *t)
{
    const tile_key *key = &t->key;
    return (key->mx ? 9u : key->blocks ? 8u : key->reads_c ? 7u : key->has_vectors ? 6u : 3u) + 4u;
}
