// SPDX-License-Identifier: Apache-2.0
// The checks of tile commands (fp8mac_cmd_check): how long they take, what they refuse, and what the
// engines get.
#include "cycles/machine.h"

const fp8mac_cycles_command *command_of(const machine *m, const tile *t)
{
    return &m->commands[t->command];
}

// ---- what engines get ---------------------------------------------------------------------------

static uint32_t passes_of(uint32_t down, uint32_t across, uint32_t shape)
{
    return ceil_log2(down, shape) * ceil_log2(across, 2u - shape);
}

// The shape with the fewest passes, of equal ones the widest
static uint32_t shape_of(const machine *m, const tile *t, uint32_t asked)
{
    const uint32_t down = ceil_log2(t->m, m->p.rows_log2), across = ceil_log2(t->n, m->p.cols_log2);
    uint32_t best = asked == 3u ? 0 : asked;
    for (uint32_t shape = 1; asked == 3u && shape < 3u; shape++) {
        best = passes_of(down, across, shape) < passes_of(down, across, best) ? shape : best;
    }
    return best;
}

static uint32_t passes_of_tile(const machine *m, const tile *t)
{
    return passes_of(ceil_log2(t->m, m->p.rows_log2), ceil_log2(t->n, m->p.cols_log2), t->shape);
}

static void derive(machine *m, tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const bool finishes = !t->acc_keep;
    t->shape = shape_of(m, t, c->pass_shape);
    t->row_beats = ceil_log2(t->k, m->p.beat_log2);
    const uint32_t blocks = (t->k + m->p.bound_block - 1u) / m->p.bound_block;
    t->mx_words = ceil_log2(blocks + t->mx_first, m->p.beat_log2);
    t->reads_c = finishes && t->reads_c;
    t->loads_bias = finishes && c->bias_en;
    t->loads_scale_a = finishes && c->scale_a_vec;
    t->loads_scale_b = finishes && c->scale_b_vec;
}

// ---- regions of memory --------------------------------------------------------------------------

typedef struct region {
    bool used;
    uint32_t address, stride, rows;
    uint64_t row_bytes;
} region;

enum { REGIONS = 9 };

static void regions_of(const machine *m, const tile *t, region *list)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const uint64_t x_row = (uint64_t)t->n << size_log2(c->x_fmt);
    const uint32_t scales = (t->k + m->p.bound_block - 1u) / m->p.bound_block + t->mx_first;
    const bool a = !t->reuse_a, b = !t->reuse_b && !t->elementwise;
    const region all[REGIONS] = {
        {a, t->a, c->a_stride, t->m, t->elementwise ? x_row : t->k},
        {b, t->b, c->b_stride, t->n, t->k},
        {!t->acc_keep, t->d, c->d_stride, t->m, (uint64_t)t->n << size_log2(c->d_fmt)},
        {t->loads_scale_a, t->scale_a, 0, 1, 4ull * t->m},
        {t->loads_scale_b, t->scale_b, 0, 1, 4ull * t->n},
        {t->loads_bias, t->bias, 0, 1, 4ull * t->n},
        {t->reads_c, t->c, c->c_stride, t->m, (uint64_t)t->n << size_log2(c->c_fmt)},
        {t->mx && a, t->mx_a, c->mx_a_stride, t->m, scales},
        {t->mx && b, t->mx_b, c->mx_b_stride, t->n, scales},
    };
    memcpy(list, all, sizeof all);
}

static bool region_bad(const region *r, uint32_t beat)
{
    const bool misaligned = r->address % beat != 0 || (r->rows > 1 && r->stride % beat != 0);
    const uint64_t end = r->address + r->row_bytes + (uint64_t)(r->rows - 1u) * r->stride;
    return r->used && (misaligned || end > 1ull << 32);
}

static bool regions_bad(const machine *m, const tile *t)
{
    region list[REGIONS];
    regions_of(m, t, list);
    bool bad = t->range_bad;
    for (unsigned i = 0; i < REGIONS; i++) {
        bad |= region_bad(&list[i], m->p.beat);
    }
    return bad;
}

// ---- shape --------------------------------------------------------------------------------------

static bool rows_fit(const machine *m, const tile *t, uint32_t beats, uint32_t depth)
{
    const uint32_t down = ceil_log2(t->m, m->p.rows_log2), across = ceil_log2(t->n, m->p.cols_log2);
    return (uint64_t)down * beats <= depth && (uint64_t)across * beats <= depth;
}

static bool shape_bad(const machine *m, const tile *t)
{
    const parameters *p = &m->p;
    if (t->m == 0 || t->n == 0 || t->k == 0 || t->m > p->max_mn || t->n > p->max_mn) {
        return true;
    }
    const uint32_t blocks = (t->k + p->bound_block - 1u) / p->bound_block;
    const uint32_t words = blocks * (p->bound_block / p->beat);
    return words > p->buf_beats || (t->mx && !rows_fit(m, t, t->mx_words, p->scale_beats)) ||
           (!t->elementwise && !rows_fit(m, t, words, p->buf_beats));
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
    const bool acc_bad = c->acc_fmt != 0
                             ? !has_accumulator(m, FP8MAC_ACC_FP16)
                             : !has_accumulator(m, FP8MAC_ACC_FP32) && !has_integer(m);
    return acc_bad || operand_format_bad(m, c->a_fmt, c->a_narrow) ||
           operand_format_bad(m, c->b_fmt, c->b_narrow);
}

static bool mode_bad(const machine *m, const tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    const bool table_bad =
        c->act_table == 3 || (c->act_table != 0 && size_log2(c->d_fmt) != 0);
    const bool mx_bad = c->mx && (t->elementwise || !m->p.element->mx);
    const bool product_bad =
        c->operation == FP8MAC_CYCLES_MULTIPLY && (!t->reads_c || c->bias_en);
    const bool chain_bad = t->elementwise && (c->reuse_a || c->reuse_b || t->acc_continue ||
                                              t->acc_keep);
    return c->overflow == 3 || c->act == 3 || (c->d_fmt == 7 && c->overflow != 0) ||
           (!t->elementwise && element_bad(m, c)) || table_bad || mx_bad || product_bad || chain_bad;
}

static bool exponent_bad(const machine *m, const tile *t, int s)
{
    return is_int8(m) && !t->elementwise ? s != 0 : s < -32 || s > 32;
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

static bool scales_bad(const fp8mac_cycles_command *c)
{
    const bool finite =
        (c->clamp_lo >> 23 & 0xffu) != 0xffu && (c->clamp_hi >> 23 & 0xffu) != 0xffu;
    return (!c->scale_a_vec && is_no_scale(c->scale_a)) ||
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
static uint64_t terms_of(const machine *m, const tile *t)
{
    return t->k + (t->acc_continue ? m->check.terms : 0);
}

static bool continue_bad(const machine *m, const tile *t)
{
    const tile *left = &m->check.left;
    const fp8mac_cycles_command *c = command_of(m, t), *l = command_of(m, left);
    const bool other = !m->check.kept || t->m != left->m || t->n != left->n ||
                       c->acc_fmt != l->acc_fmt || t->shape != left->shape;
    return other || (has_integer(m) && (unit_bad(m, t, left) ||
                                        terms_of(m, t) > 1ull << m->p.element->terms_log2));
}

static bool reuse_bad(const machine *m, const tile *t, bool same_size, bool same_format)
{
    const tile *left = &m->check.left;
    return !m->check.before || !same_size || !same_format || t->k != left->k || t->mx != left->mx ||
           (t->mx && t->mx_first != left->mx_first);
}

static bool sequence_bad(const machine *m, const tile *t)
{
    const tile *left = &m->check.left;
    const fp8mac_cycles_command *c = command_of(m, t), *l = command_of(m, left);
    const bool chained = t->acc_continue || t->acc_keep;
    const bool a_format = c->a_fmt == l->a_fmt && c->a_narrow == l->a_narrow;
    const bool b_format = c->b_fmt == l->b_fmt && c->b_narrow == l->b_narrow;
    return t->sequence_bad || (t->acc_continue && continue_bad(m, t)) ||
           (chained && passes_of_tile(m, t) > m->p.tiles / PASS_TILES) ||
           (t->acc_keep && t->k % m->p.block != 0) ||
           (t->reuse_a && reuse_bad(m, t, t->m == left->m, a_format)) ||
           (t->reuse_b && reuse_bad(m, t, t->n == left->n, b_format));
}

// ---- the verdict, and the clock -----------------------------------------------------------------

static bool refuses(const machine *m, const tile *t)
{
    const fp8mac_cycles_command *c = command_of(m, t);
    return shape_bad(m, t) || regions_bad(m, t) || mode_bad(m, t) || exponent_bad(m, t, c->sa) ||
           exponent_bad(m, t, c->sb) || (!t->acc_keep && scales_bad(c)) || sequence_bad(m, t);
}

void check_tile(machine *m, tile *t)
{
    derive(m, t);
    if (refuses(m, t)) {
        refuse(m, t->command, FP8MAC_ERR_COMMAND);
    }
    m->check.terms = terms_of(m, t);
    m->check.before = !t->elementwise;
    m->check.kept = t->acc_keep;
    m->check.left = *t;
}

// The last region that is judged: matrices, vectors, C, MX scales
static uint32_t last_region(const tile *t)
{
    const bool vectors = t->loads_bias || t->loads_scale_a || t->loads_scale_b;
    return t->mx ? 8 : t->reads_c ? 6 : vectors ? 5 : 2;
}

void check_clock(machine *m, const wires *w)
{
    check *k = &m->check;
    switch (k->state) {
    case CHECK_IDLE:
        if (w->tile_taken) {
            tile *t = tile_at(m, k->taken++);
            check_tile(m, t);
            k->last_cycle = 4u + last_region(t);
            k->cycle = 0;
            k->state = CHECK_CHECK;
        }
        break;
    case CHECK_CHECK: k->state = k->cycle++ == k->last_cycle ? CHECK_OFFER : CHECK_CHECK; break;
    case CHECK_OFFER: k->state = w->accept ? CHECK_IDLE : CHECK_OFFER; break;
    }
}
