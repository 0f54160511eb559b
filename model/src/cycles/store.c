// SPDX-License-Identifier: Apache-2.0
// The store engine, which gives results to the epilogue (fp8mac_store).
#include "cycles/epilogue.h"
#include "cycles/tiles.h"

static const tile *at_hand(const machine *m)
{
    return tile_at(m, m->store.done);
}

// ---- transfers ----------------------------------------------------------------------------------

static bool columns_end(const store *s, const position *at, uint32_t cols)
{
    return at->col_tile == s->last_col_tile || (at->col_tile & cols) == cols;
}

static void transfer(const machine *m, wires *w, bool valid, uint32_t phase)
{
    const store *s = &m->store;
    const uint32_t rows = s->row_by_row ? 1u : m->p.transfer_rows;
    w->go = s->state == STORE_RESULTS && valid && (s->open || s->slot_available || s->statistic) &&
            s->wait == 0 && (s->turn || !s->every_second) &&
            (s->turn != ((s->bundle_row & 1u) != 0) || !s->rows_in_turn) &&
            (!s->uses_c || m->c.ready) && (!s->uses_x || m->x.ready);
    w->bundle_done = w->go && s->bundle_row + rows == m->p.bundle;
    const bool tile_done = w->bundle_done && phase == m->p.share - 1u;
    const position *at = &w->bundle;
    const bool rows_done = tile_done && (at->row_tile == s->last_row_tile ||
                                         (at->row_tile & s->region_rows) == s->region_rows);
    w->region_done = rows_done && columns_end(s, at, s->region_cols);
    w->c_done = rows_done && s->uses_c && columns_end(s, at, s->c_cols);
    w->x_done = rows_done && s->uses_x && columns_end(s, at, s->x_cols);
    w->tile_done = tile_done && at->last;
}

static bool may_start(const machine *m)
{
    const store *s = &m->store;
    const bool empty = s->valid == 0 && !fp8mac_cycles_epilogue_busy(&m->epilogue);
    const bool same = at_hand(m)->key.same_config && !s->waits;
    return s->no_results ? s->kept_seen != 0 : same || empty;
}

void fp8mac_cycles_store_wires(machine *m, wires *w)
{
    const store *s = &m->store;
    w->bundle = s->skid_valid ? s->skid : m->array.results[m->array.head];
    w->bundle_phase = s->skid_valid ? s->skid_phase : m->array.result_phase;
    w->bundle_valid = s->skid_valid || (w->result_valid && s->ready);
    transfer(m, w, w->bundle_valid, w->bundle_phase);
    const bool room = s->pushed - m->out.done != WRITE_OUT_DEPTH &&
                      s->pushed - m->report.retired != FINISHED_DEPTH;
    w->start = s->state == STORE_START && may_start(m) && room;
    const epilogue *e = &m->epilogue;
    w->region_full = (e->valid & e->last & 1u << m->p.epilogue_cycles) != 0;
    w->c_slot_free = (e->c_ends & (e->multiply ? 1u << 2 : 1u << 6)) != 0;
    w->x_slot_free = (e->x_ends & (e->multiply ? 1u << 7 : 1u << 2)) != 0;
}

// ---- tile commands ------------------------------------------------------------------------------

static uint32_t region_cols(const machine *m, const tile *t, uint32_t fmt)
{
    return ((m->p.row_bytes >> m->p.cols_log2 >> t->key.shape >> fp8mac_command_size_log2(fmt)) -
            1u) &
           0xffu;
}

// So that no partial sum is needed again within 8 cycles: the transfers of a column of tiles, and
// the columns of tiles until the same partial sums come
static uint32_t pause_behind(const parameters *p, const store *s, const tile_key *key)
{
    const bool four = key->shape == FP8MAC_PASS_DOWN && (s->last_row_tile + 1u) % PASS_TILES == 0;
    const uint32_t transfers = p->rows / p->transfer_rows * (four ? PASS_TILES : 1u);
    const uint32_t distance = transfers * (p->cols < 16u ? 16u / p->cols : 1u);
    return distance < 8u ? 8u / distance - 1u : 0;
}

static void look(machine *m)
{
    store *s = &m->store;
    const tile *t = at_hand(m);
    const fp8mac_command *c = command_of(m, t);
    s->last_row_tile = (t->key.m - 1u) >> m->p.rows_log2;
    s->last_col_tile = (t->key.columns - 1u) >> m->p.cols_log2;
    s->region_rows = (1u << t->key.shape) - 1u;
    s->region_cols = region_cols(m, t, c->d.fmt);
    s->c_cols = region_cols(m, t, c->c.fmt);
    s->x_cols = region_cols(m, t, c->x_fmt);
    s->uses_c = t->key.reads_c;
    s->uses_x = t->key.uses_x;
    s->statistic = fp8mac_step_is_statistic(t->key.step);
    s->rows_in_turn =
        fp8mac_cycles_shares_products(c, &t->key) && c->a.scale_vec && m->p.transfer_rows > 1;
    s->every_second = fp8mac_cycles_uses_turn(c, &t->key) && !s->rows_in_turn;
    s->waits = t->key.step != FP8MAC_STEP_NONE && t->key.rows_first;
    s->pause = s->statistic ? pause_behind(&m->p, s, &t->key) : 0;
    const bool side_by_side = t->key.dense && t->key.step == FP8MAC_STEP_RESULT;
    s->row_by_row = c->a.scale_vec || (side_by_side && m->p.transfer_rows > 1 &&
                                       m->p.transfer_rows * m->p.share > m->p.cols);
    s->no_results = t->key.acc_keep;
    s->state = STORE_START;
}

static void start(machine *m)
{
    store *s = &m->store;
    s->pushed++;
    if (s->no_results) {
        s->state = STORE_FINISH;
        return;
    }
    fp8mac_cycles_configure(m, at_hand(m));
    s->state = STORE_RESULTS;
}

static void state_clock(machine *m, const wires *w)
{
    store *s = &m->store;
    switch (s->state) {
    case STORE_IDLE:
        if (w->is_storing) {
            look(m);
        }
        break;
    case STORE_START:
        if (w->start) {
            start(m);
        }
        break;
    case STORE_RESULTS: s->state = w->tile_done ? STORE_FINISH : STORE_RESULTS; break;
    case STORE_FINISH:
        s->state = STORE_IDLE;
        s->done++;
        break;
    }
}

// ---- the clock ----------------------------------------------------------------------------------

static void bundle_clock(machine *m, const wires *w)
{
    store *s = &m->store;
    if (!s->skid_valid && w->result_valid) {
        s->skid = w->bundle;
        s->skid_phase = w->bundle_phase;
    }
    s->skid_valid = w->bundle_valid && !w->bundle_done;
    s->ready = !s->skid_valid;
    if (w->go) {
        s->bundle_row =
            w->bundle_done ? 0 : s->bundle_row + (s->row_by_row ? 1u : m->p.transfer_rows);
    }
}

static void region_clock(store *s, const wires *w)
{
    s->regions += w->go && !s->open && !s->statistic;
    s->regions -= w->out_region_done;
    s->slot_available = s->regions != SLOTS;
    if (w->go) {
        s->open = !w->region_done && !s->statistic;
    }
}

// A shift register of two bits
static uint32_t shift2(uint32_t bits, bool in)
{
    return (bits << 1 | in) & 3u;
}

void fp8mac_cycles_store_clock(machine *m, const wires *w)
{
    store *s = &m->store;
    bundle_clock(m, w);
    region_clock(s, w);
    s->valid = shift2(s->valid, w->go);
    s->region_ends = shift2(s->region_ends, w->region_done && !s->statistic);
    s->rows_ends = shift2(s->rows_ends, w->tile_done && at_hand(m)->key.rows_end);
    s->turn = !s->turn;
    s->wait = w->go ? s->pause : s->wait - (s->wait != 0);
    s->c_ends = shift2(s->c_ends, w->c_done);
    s->x_ends = shift2(s->x_ends, w->x_done);
    s->kept_seen += w->kept;
    s->kept_seen -= w->start && s->no_results;
    state_clock(m, w);
}
