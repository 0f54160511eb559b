// SPDX-License-Identifier: Apache-2.0
// What the engines get of a legal tile command, and how long its check takes (fp8mac_cmd_check).
#include "cycles/tiles.h"

// ---- what engines get ---------------------------------------------------------------------------

static walk_state next_of(const fp8mac_command *c, const fp8mac_tile *from)
{
    if (from->more_k) {
        return WALK_SIZE;
    }
    if (from->last) {
        return WALK_IDLE;
    }
    return fp8mac_command_is_rows(c) && !from->moves_m ? WALK_MOVE_ON : WALK_MOVE;
}

static void set_kind(const fp8mac_command *c, const fp8mac_tile *from, tile_key *key)
{
    key->elementwise = fp8mac_command_has_x(c);
    key->mx = fp8mac_command_has_mx(c);
    key->image = c->mode.conv_a;
    key->depthwise = fp8mac_command_is_depthwise(c);
    key->pairs = fp8mac_command_has_pairs(c);
    key->dense = fp8mac_command_is_dense(c);
    key->blocks = fp8mac_command_writes_scales(c);
    key->reads_c = !from->acc_keep && fp8mac_command_reads_c(c);
    key->has_vectors = !from->acc_keep && (c->finish.bias_en || c->a.scale_vec || c->b.scale_vec);
    const bool loads = !from->acc_keep && !fp8mac_step_is_statistic(from->step);
    key->loads_bias = loads && c->finish.bias_en;
    key->loads_scale_a = loads && c->a.scale_vec;
    key->loads_scale_b = loads && c->b.scale_vec;
}

static void set_key(const machine *m, const fp8mac_command *c, const fp8mac_tile *from,
                    tile_key *key)
{
    key->m = from->m, key->n = from->n, key->k = from->k;
    key->columns = from->columns;
    key->seconds = from->seconds;
    key->shape = from->shape;
    key->row_beats = ceil_log2(from->k, m->p.beat_log2);
    key->mx_first = from->mx_first;
    const uint32_t blocks = (from->k + m->p.bound_block - 1u) / m->p.bound_block;
    key->mx_words = ceil_log2(blocks + from->mx_first, m->p.beat_log2);
    key->next = next_of(c, from);
    key->step = from->step;
    key->first = from->first, key->last = from->last;
    key->reuse_a = from->reuse_a, key->reuse_b = from->reuse_b;
    key->acc_continue = from->acc_continue, key->acc_keep = from->acc_keep;
    key->next_rows = from->next_rows, key->k_start = from->k_start;
    key->uses_x = from->uses_x, key->writes = from->writes;
    key->rows_first = from->rows_first, key->rows_end = from->rows_end;
    set_kind(c, from, key);
}

// ---- pages --------------------------------------------------------------------------------------

// Rows that lie in their own parts of pages
static bool lies_apart(const fp8mac_tile_region *r, uint32_t address)
{
    uint32_t part = 16;
    while (part < PAGE && part < r->row_bytes) {
        part *= 2u;
    }
    return r->row_bytes <= part && address % part == 0 && (r->rows == 1 || r->stride % part == 0);
}

static bool crosses(const fp8mac_tile_region *r, uint32_t address)
{
    for (uint32_t row = 0; row < r->rows; row++) {
        if ((address + row * r->stride) % PAGE + r->row_bytes > PAGE) {
            return true;
        }
    }
    return false;
}

// Where a row crosses a page, the position in the page decides.
static uint32_t page_of(const fp8mac_tile_region *r, uint32_t address)
{
    const bool stays = !r->used || lies_apart(r, address) || !crosses(r, address);
    return stays ? NO_PAGE : address % PAGE;
}

static void set_pages(const machine *m, const fp8mac_command *c, const fp8mac_tile *from, tile *t)
{
    fp8mac_tile_region list[REGIONS];
    fp8mac_tile_regions(&m->p.caps, c, from, list);
    list[REGION_SCALE_A].used = t->key.loads_scale_a; // in phases without statistics
    list[REGION_SCALE_B].used = t->key.loads_scale_b;
    list[REGION_BIAS].used = t->key.loads_bias;
    for (unsigned i = 0; i < REGIONS; i++) {
        t->key.pages[i] = page_of(&list[i], t->address[i]);
    }
}

// ---- the epilogue's configuration, which must not change while transfers are inside -------------

static bool same_position(const machine *m, const tile *t, const tile *o)
{
    return !command_of(m, t)->finish.stochastic ||
           (t->first_m == o->first_m && t->first_n == o->first_n);
}

// Whether X - offset is taken
static bool is_centred(const fp8mac_command *c, const tile *t)
{
    return (c->mode.row_op == FP8MAC_ROWS_SOFTMAX || c->mode.row_op == FP8MAC_ROWS_LAYER_NORM) &&
           t->phase != 0;
}

// What the epilogue's part of row commands has
static bool same_rows(const machine *m, const tile *t, const tile *o)
{
    const fp8mac_command *a = command_of(m, t), *b = command_of(m, o);
    if (t->key.step != o->key.step || t->key.uses_x != o->key.uses_x) {
        return false;
    }
    if (t->key.step == FP8MAC_STEP_NONE) {
        return true;
    }
    const bool norm = fp8mac_command_is_norm(a);
    const bool argmax = a->mode.row_op == FP8MAC_ROWS_ARGMAX;
    return fp8mac_command_writes_scales(a) == fp8mac_command_writes_scales(b) &&
           norm == fp8mac_command_is_norm(b) && (!norm || a->b.stride == b->b.stride) &&
           argmax == (b->mode.row_op == FP8MAC_ROWS_ARGMAX) &&
           is_centred(a, t) == is_centred(b, o) &&
           (!fp8mac_step_is_curve(t->key.step) || a->a.scale == b->a.scale) &&
           (t->key.step != FP8MAC_STEP_FIRST || t->first_n == o->first_n);
}

// beta, or in its place the bytes of an output line
static uint32_t factor_of(const tile *t, const fp8mac_command *c)
{
    return t->key.pairs ? c->image.out_w * c->d.stride : c->c.beta;
}

// Products of scales that differ need the multipliers of C
static bool same_scales(const fp8mac_command *a, const fp8mac_command *b)
{
    const bool varies = a->a.scale_vec || a->b.scale_vec;
    return a->a.scale_vec == b->a.scale_vec && a->b.scale_vec == b->b.scale_vec &&
           (varies || (a->a.scale == b->a.scale && a->b.scale == b->b.scale));
}

static bool same_config(const machine *m, const predecessor *before, const tile *t)
{
    const tile *o = &before->config;
    const fp8mac_command *a = command_of(m, t), *b = command_of(m, o);
    const bool same_operation =
        (a->mode.op == FP8MAC_OP_MULTIPLY) == (b->mode.op == FP8MAC_OP_MULTIPLY) &&
        a->mode.maximum == b->mode.maximum && t->key.reads_c == o->key.reads_c &&
        t->key.pairs == o->key.pairs;
    // The requantiser has neither X nor C.
    const bool same_sources = m->p.requantise || (a->x_fmt == b->x_fmt && a->c.fmt == b->c.fmt);
    const bool same_codes =
        same_sources && a->d.fmt == b->d.fmt && a->finish.overflow == b->finish.overflow &&
        a->finish.act == b->finish.act && a->finish.act_table == b->finish.act_table &&
        a->finish.bias_en == b->finish.bias_en;
    const bool same_values = factor_of(t, a) == factor_of(o, b) &&
                             a->finish.clamp_lo == b->finish.clamp_lo &&
                             a->finish.clamp_hi == b->finish.clamp_hi && a->d.scale == b->d.scale;
    const bool same_random = a->finish.stochastic == b->finish.stochastic &&
                             (!a->finish.stochastic || a->finish.seed == b->finish.seed);
    const bool one_by_one = t->key.reads_c && t->key.step == FP8MAC_STEP_NONE && !same_scales(a, b);
    return before->configured && same_operation && same_codes && same_values && same_random &&
           !one_by_one && same_position(m, t, o) && same_rows(m, t, o);
}

// ---- all of it ----------------------------------------------------------------------------------

void fp8mac_cycles_set_tile(const machine *m, size_t number, const fp8mac_tile *from,
                            predecessor *before, tile *t)
{
    const fp8mac_command *c = &m->commands[number].command;
    memset(t, 0, sizeof *t);
    t->key.command = (uint32_t)number;
    memcpy(t->address, from->address, sizeof t->address);
    t->first_m = from->first_m;
    t->first_n = from->first_n;
    t->phase = from->phase;
    set_key(m, c, from, &t->key);
    set_pages(m, c, from, t);
    t->key.same_config = same_config(m, before, t);
    if (!t->key.acc_keep) {
        before->config = *t;
        before->configured = true;
    }
}

// Regions are judged one a cycle: matrices, vectors, C, MX scales. Four stages are behind.
uint32_t fp8mac_cycles_cycles_of_check(const tile *t)
{
    const tile_key *key = &t->key;
    return (key->mx ? 9u : key->blocks ? 8u : key->reads_c ? 7u : key->has_vectors ? 6u : 3u) + 4u;
}
