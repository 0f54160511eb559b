// SPDX-License-Identifier: Apache-2.0
// The compute engine's walk over the steps of a tile command, and blocks on their way through the
// array (fp8mac_compute, fp8mac_array).
#include "cycles/machine.h"

static uint32_t position_of(const compute *c)
{
    return c->shape == 0 ? c->in : c->shape == 1 ? 2u * c->im + c->in : c->im;
}

static bool last_m(const compute *c)
{
    return c->rows_more <= c->pass_rows;
}

static bool last_n(const compute *c)
{
    return c->cols_more <= c->pass_cols;
}

// The last tile of the pass that has outputs
static uint32_t last_im(const compute *c)
{
    return last_m(c) ? c->rows_more : c->pass_rows;
}

static uint32_t last_in(const compute *c)
{
    return last_n(c) ? c->cols_more : c->pass_cols;
}

static uint32_t steps_less_one(const machine *m, bool last_block)
{
    return last_block ? m->compute.last_step : m->p.block / m->p.lanes - 1u;
}

// Whether the block may not end yet
static bool is_early(const compute *c)
{
    const bool acc_first = c->block == 0 && !c->acc_continue;
    return c->ticks < c->share_ends || (!acc_first && c->ticks < c->loop_ends[position_of(c)]);
}

void fp8mac_cycles_compute_wires(const machine *m, wires *w)
{
    const compute *c = &m->compute;
    const uint32_t result = 1u << m->p.array_cycles;
    w->result_valid = (m->array.valid & m->array.last & result) != 0;
    w->advance = m->store.ready || !w->result_valid;
    w->last_block = c->block == c->last_block;
    w->last_step = c->step == steps_less_one(m, w->last_block);
    w->last_tile = c->im == last_im(c) && c->in == last_in(c);
    const bool early = w->last_step && is_early(c);
    w->issue = c->busy && w->advance && !early;
    w->spacing = c->busy && w->advance && early;
    w->finished =
        w->issue && w->last_step && w->last_tile && w->last_block && last_n(c) && last_m(c);
    w->has_room = c->taken - m->store.done != STORING_DEPTH;
    const bool loaded = m->loads_done != c->taken;
    w->take = loaded && w->has_room && (!c->busy || w->finished);
    w->stalled = (c->busy && !w->advance) || (loaded && !w->has_room && !c->busy);
    w->released = c->end2 && w->advance;
    w->kept = w->advance && (c->keeping >> (m->p.keep_cycles - 1u) & 1u) != 0;
}

// ---- the walk -----------------------------------------------------------------------------------

static void take(machine *m)
{
    compute *c = &m->compute;
    const tile *t = tile_at(m, c->taken++);
    const uint32_t k = t->key.k - 1u;
    c->busy = true;
    c->shape = t->key.shape;
    c->pass_rows = (1u << t->key.shape) - 1u;
    c->pass_cols = (PASS_TILES >> t->key.shape) - 1u;
    c->rows_more = (t->key.m - 1u) >> m->p.rows_log2;
    c->cols_more = c->cols_more_all = (t->key.columns - 1u) >> m->p.cols_log2;
    c->last_block = k / m->p.block;
    c->last_step = k % m->p.block >> m->p.lanes_log2;
    c->acc_continue = t->key.acc_continue;
    c->acc_keep = t->key.acc_keep;
    c->row_tile = c->col_tile = c->block = c->im = c->in = c->step = 0;
}

static void next_pass(compute *c)
{
    if (!last_n(c)) {
        c->col_tile += c->pass_cols + 1u;
        c->cols_more -= c->pass_cols + 1u;
        return;
    }
    c->row_tile += c->pass_rows + 1u;
    c->rows_more -= c->pass_rows + 1u;
    c->col_tile = 0;
    c->cols_more = c->cols_more_all;
}

static void next_step(compute *c, const wires *w)
{
    if (!w->last_step) {
        c->step++;
        return;
    }
    c->step = 0;
    if (!w->last_tile) {
        const bool row_ends = c->in == last_in(c);
        c->in = row_ends ? 0 : c->in + 1u;
        c->im += row_ends;
        return;
    }
    c->in = c->im = 0;
    if (!w->last_block) {
        c->block++;
        return;
    }
    c->block = 0;
    next_pass(c);
}

static void space(const machine *m, compute *c)
{
    c->share_ends = c->ticks + m->p.share;
    c->loop_ends[position_of(c)] = c->ticks + m->p.loop;
}

// The two stages behind the walk
static void stages(compute *c, const wires *w)
{
    c->valid2 = c->valid1;
    c->end2 = c->end1;
    c->keep2 = c->keep1;
    c->block_last2 = c->block_last1;
    c->acc_last2 = c->acc_last1;
    c->at2 = c->at1;
    c->valid1 = w->issue;
    c->end1 = w->finished;
    c->keep1 = c->acc_keep;
    c->block_last1 = w->last_step;
    c->acc_last1 = w->last_block && !c->acc_keep;
    c->at1 = (position){.row_tile = c->row_tile + c->im,
                        .col_tile = c->col_tile + c->in,
                        .last = c->rows_more == c->im && c->cols_more == c->in};
}

void fp8mac_cycles_compute_clock(machine *m, const wires *w)
{
    compute *c = &m->compute;
    if (w->advance) {
        const uint64_t keeping = (1ull << m->p.keep_cycles) - 1u;
        c->keeping = (c->keeping << 1 | (c->end2 && c->keep2)) & keeping;
        stages(c, w);
        if (w->issue && w->last_step) {
            space(m, c);
        }
        c->ticks++;
    }
    if (w->take) {
        take(m);
    } else if (w->finished) {
        c->busy = false;
    } else if (w->issue) {
        next_step(c, w);
    }
}

// ---- the array ----------------------------------------------------------------------------------

// The clock runs while a block is inside or a step comes.
static bool is_clocked(const machine *m, const wires *w)
{
    return w->advance && (m->compute.valid2 || m->array.valid != 0);
}

void fp8mac_cycles_array_clock(machine *m, const wires *w)
{
    array *a = &m->array;
    const compute *c = &m->compute;
    if (!is_clocked(m, w)) {
        return;
    }
    if (w->result_valid) {
        a->result_phase = a->result_phase + 1u == m->p.share ? 0 : a->result_phase + 1u;
        a->head = (a->head + (a->result_phase == 0)) % RESULT_RING;
    }
    const bool issued = c->valid2 && c->block_last2;
    const bool more = (a->valid & 2u) != 0 && a->phase != m->p.share - 1u;
    if (issued) {
        a->acc_last = c->acc_last2;
        a->phase = 0;
    } else {
        a->phase += more;
    }
    if (issued && c->acc_last2) {
        a->results[a->tail] = c->at2;
        a->tail = (a->tail + 1u) % RESULT_RING;
    }
    const uint32_t stages = (2u << m->p.array_cycles) - 2u;
    a->valid = (a->valid << 1 | (uint32_t)(issued || more) << 1) & stages;
    a->last = (a->last << 1 | (uint32_t)a->acc_last << 1) & stages;
}
