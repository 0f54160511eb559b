// SPDX-License-Identifier: Apache-2.0
// The load engine: tile commands become rows to be read (fp8mac_load).
#include "cycles/machine.h"

static uint32_t bit(load_state state)
{
    return 1u << state;
}

static const tile *at_hand(const machine *m)
{
    return tile_at(m, m->load.accepted - 1u);
}

static uint32_t wanted_of(const tile *t)
{
    const bool a = !t->key.reuse_a && !t->key.elementwise,
               b = !t->key.reuse_b && !t->key.elementwise;
    return (a ? bit(LOAD_A) : 0) | (b ? bit(LOAD_B) : 0) | (a && t->key.mx ? bit(LOAD_MX_A) : 0) |
           (b && t->key.mx ? bit(LOAD_MX_B) : 0) | (t->key.loads_scale_a ? bit(LOAD_SCALE_A) : 0) |
           (t->key.loads_scale_b ? bit(LOAD_SCALE_B) : 0) |
           (t->key.loads_bias ? bit(LOAD_BIAS) : 0);
}

static load_state first_of(uint32_t left, load_state otherwise)
{
    for (load_state state = LOAD_A; state <= LOAD_BIAS; state++) {
        if ((left & bit(state)) != 0) {
            return state;
        }
    }
    return otherwise;
}

// Whether the tile command may read all. `earlier` commands have begun before its own.
static bool may_read(const machine *m, const tile *t, uint32_t earlier)
{
    const uint32_t after = t->key.first ? command_of(m, t)->mode.after : 0;
    return after == 0 || earlier < after;
}

static load_state next_state(const machine *m, const tile *t, uint32_t left, uint32_t earlier)
{
    if (may_read(m, t, earlier)) {
        return first_of(left, LOAD_FINISH);
    }
    uint32_t free = bit(LOAD_B) | bit(LOAD_MX_B);
    free |= m->load.held <= 1 ? bit(LOAD_SCALE_B) | bit(LOAD_BIAS) : 0;
    return first_of(command_of(m, t)->mode.b_free ? left & free : 0, LOAD_WAIT);
}

// Whether a strip of an image has beats to be read, and room
static bool offers_strip(const machine *m)
{
    const strips *s = &m->strips;
    return m->load.state == LOAD_A && at_hand(m)->key.image && (s->valid & 1u << 4) != 0 &&
           s->stage[4].reads && m->align.level < fp8mac_cycles_strips(m);
}

// Whether it offers a row
static bool offers(const machine *m, bool sources_ready)
{
    switch (m->load.state) {
    case LOAD_IDLE:
    case LOAD_WAIT: return false;
    case LOAD_SCALE_A:
    case LOAD_SCALE_B:
    case LOAD_BIAS: return m->load.held <= 1;
    case LOAD_FINISH: return sources_ready;
    case LOAD_A: return !at_hand(m)->key.image || offers_strip(m) || m->load.beside;
    default: return true;
    }
}

void fp8mac_cycles_load_wires(const machine *m, wires *w)
{
    w->sources_ready = m->c.level != SOURCE_DEPTH && m->x.level != SOURCE_DEPTH;
    const bool room = m->load.accepted - m->store.done != STORE_DEPTH;
    w->accept =
        m->load.state == LOAD_IDLE && m->load.in_use < 2 && room && m->check.state == CHECK_OFFER;
    w->load_row = offers(m, w->sources_ready);
    w->load_strip = offers_strip(m);
}

// ---- rows of a state ----------------------------------------------------------------------------

static uint32_t vector_beats(const machine *m, uint32_t bytes)
{
    return ceil_log2(bytes, m->p.beat_log2);
}

static void rows_are(load *l, uint32_t rows, uint32_t beats, uint32_t address, uint32_t stride)
{
    l->rows_left = rows;
    l->beats = beats;
    l->address = address;
    l->stride = stride;
}

static void enter(machine *m, const tile *t, load_state state)
{
    load *l = &m->load;
    const fp8mac_command *c = command_of(m, t);
    // Rows of B that were begun beside an image go on.
    const bool goes_on = state == LOAD_B && l->beside;
    l->state = state;
    l->beside = state == LOAD_A && t->key.image && (l->left & bit(LOAD_B)) != 0 &&
                (l->left & bit(LOAD_MX_A)) == 0;
    if (goes_on) {
        return;
    }
    switch (l->beside ? LOAD_B : state) {
    case LOAD_A: rows_are(l, t->key.m, t->key.row_beats, t->address[REGION_A], c->a.stride); break;
    case LOAD_B:
        rows_are(l, t->key.columns, t->key.row_beats, t->address[REGION_B], c->b.stride);
        break;
    case LOAD_MX_A:
        rows_are(l, t->key.m, t->key.mx_words, t->address[REGION_MX_A], c->a.mx_stride);
        break;
    case LOAD_MX_B:
        rows_are(l, t->key.n, t->key.mx_words, t->address[REGION_MX_B], c->b.mx_stride);
        break;
    case LOAD_SCALE_A:
        rows_are(l, 1, vector_beats(m, 4u * t->key.m), t->address[REGION_SCALE_A], 0);
        break;
    case LOAD_SCALE_B:
        rows_are(l, 1, vector_beats(m, (m->p.requantise ? 8u : 4u) * t->key.n),
                 t->address[REGION_SCALE_B], 0);
        break;
    case LOAD_BIAS:
        rows_are(l, 1, vector_beats(m, 4u * t->key.n), t->address[REGION_BIAS], 0);
        break;
    default: break;
    }
}

static void push_source(source *s, uint64_t number)
{
    s->jobs[(s->head + s->level++) % SOURCE_DEPTH] = number;
}

static void finish(machine *m)
{
    const tile *t = at_hand(m);
    m->load.state = LOAD_IDLE;
    if (t->key.reads_c) {
        push_source(&m->c, m->load.accepted - 1u);
    }
    if (t->key.uses_x) {
        push_source(&m->x, m->load.accepted - 1u);
    }
}

// ---- the clock ----------------------------------------------------------------------------------

static void taken_all(machine *m)
{
    load *l = &m->load;
    l->left &= ~bit(l->state);
    enter(m, at_hand(m), next_state(m, at_hand(m), l->left, l->begun - 1u));
}

// While an image is read, the address channel takes rows of B where no strip is read.
static void taken_beside(load *l)
{
    l->address += l->stride;
    if (--l->rows_left == 0) {
        l->beside = 0;
        l->left &= ~bit(LOAD_B);
    }
}

static void taken_row(machine *m)
{
    load *l = &m->load;
    if (l->state == LOAD_FINISH) {
        finish(m);
    } else if (l->rows_left == 1) {
        taken_all(m);
    } else {
        l->address += l->stride;
        l->rows_left--;
    }
}

static void accept(machine *m)
{
    load *l = &m->load;
    const tile *t = tile_at(m, l->accepted++);
    l->left = wanted_of(t);
    enter(m, t, next_state(m, t, l->left, l->begun));
}

static void wait(machine *m)
{
    load *l = &m->load;
    const load_state next = next_state(m, at_hand(m), l->left, l->begun - 1u);
    if (next != LOAD_WAIT) {
        enter(m, at_hand(m), next);
    }
}

static bool completes(machine *m, const wires *w)
{
    return w->retire && tile_at(m, m->report.retired)->key.last;
}

void fp8mac_cycles_load_clock(machine *m, const wires *w)
{
    load *l = &m->load;
    const bool finishes = w->load_row_taken && l->state == LOAD_FINISH;
    const bool begins = w->accept && tile_at(m, l->accepted)->key.first;
    if (w->accept) {
        accept(m);
    } else if (l->state == LOAD_WAIT) {
        wait(m);
    } else if (w->image) {
        if (w->load_row_taken && !w->load_strip) {
            taken_beside(l);
        }
        if (w->image_done) {
            taken_all(m);
        }
    } else if (w->load_row_taken) {
        taken_row(m);
    }
    l->in_use += w->accept;
    l->in_use -= w->released;
    l->held += finishes;
    l->held -= m->store.state == STORE_FINISH;
    const bool ends = completes(m, w) && l->begun != 0;
    l->begun += begins;
    l->begun -= ends;
}

// ---- C and X ------------------------------------------------------------------------------------

static void source_begin(machine *m, source *s, bool is_c)
{
    s->job = s->jobs[s->head];
    const tile *t = tile_at(m, s->job);
    const fp8mac_command *c = command_of(m, t);
    s->head = (s->head + 1u) % SOURCE_DEPTH;
    s->level--;
    s->size = fp8mac_command_size_log2(is_c ? c->c.fmt : c->x_fmt);
    s->shape = t->key.shape;
    s->stride = is_c ? c->c.stride : c->a.stride;
    s->band = s->region = t->address[is_c ? REGION_C : REGION_A];
    s->rows_left = t->key.m;
    s->all_bytes = s->bytes_left = t->key.n << s->size;
    s->state = SOURCE_REGION;
}

static uint32_t region_bytes(const machine *m, const source *s)
{
    return m->p.row_bytes >> s->shape;
}

static void source_start(const machine *m, source *s)
{
    const uint32_t bytes = least(s->bytes_left, region_bytes(m, s));
    s->address = s->region;
    s->row = 0;
    s->last_row = least(s->rows_left, m->p.rows << s->shape) - 1u;
    s->beats = ceil_log2(bytes, m->p.beat_log2);
    s->used++;
    s->state = SOURCE_ROWS;
}

static void source_region_done(const machine *m, source *s)
{
    const uint32_t most_rows = m->p.rows << s->shape;
    const bool last_across = s->bytes_left <= region_bytes(m, s);
    const bool last_down = s->rows_left <= most_rows;
    s->state = last_across && last_down ? SOURCE_IDLE : SOURCE_REGION;
    if (!last_across) {
        s->region += region_bytes(m, s);
        s->bytes_left -= region_bytes(m, s);
        return;
    }
    s->band += s->stride << (m->p.rows_log2 + s->shape);
    s->region = s->band;
    s->rows_left -= most_rows;
    s->bytes_left = s->all_bytes;
}

static void source_row_taken(const machine *m, source *s)
{
    s->pending++;
    s->address += s->stride;
    if (s->row++ == s->last_row) {
        source_region_done(m, s);
    }
}

static void source_beats(source *s, bool is_c, const wires *w)
{
    const bool mine = w->beat && w->oldest->kind == (is_c ? ROW_C : ROW_X);
    const bool row_came = mine && w->r_last && w->oldest->row_last;
    const bool done = is_c ? w->c_done : w->x_done;
    s->pending -= row_came;
    s->filled += row_came && w->oldest->region_last;
    s->filled -= done;
    s->ready = s->filled != 0;
    s->used -= is_c ? w->c_slot_free : w->x_slot_free;
}

void fp8mac_cycles_source_clock(machine *m, source *s, bool is_c, const wires *w)
{
    switch (s->state) {
    case SOURCE_IDLE:
        if (s->level != 0) {
            source_begin(m, s, is_c);
        }
        break;
    case SOURCE_REGION:
        if (s->used != SLOTS) {
            source_start(m, s);
        }
        break;
    case SOURCE_ROWS:
        if (is_c ? w->c_row_taken : w->x_row_taken) {
            source_row_taken(m, s);
        }
        break;
    }
    source_beats(s, is_c, w);
}
