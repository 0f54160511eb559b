// SPDX-License-Identifier: Apache-2.0
// The way of D to memory: the write-out engine, the write DMA, and retirement (fp8mac_write_out,
// fp8mac_dma_write, fp8mac_output).
#include "cycles/machine.h"

enum { BEATS = 2 }; // that wait for the bus

static const tile *at_hand(const machine *m)
{
    return tile_at(m, m->out.done);
}

// Results that lie one behind the other are a row.
static uint32_t shape(const machine *m)
{
    return at_hand(m)->key.dense ? 0 : at_hand(m)->key.shape;
}

static uint32_t rows_of(const tile_key *key)
{
    return key->dense ? 1u : key->m;
}

static uint32_t row_bytes(const machine *m)
{
    const tile_key *key = &at_hand(m)->key;
    return (key->dense ? key->m : key->n)
           << fp8mac_command_size_log2(command_of(m, at_hand(m))->d.fmt);
}

static uint32_t stride_of(const machine *m, const tile *t)
{
    const fp8mac_command *c = command_of(m, t);
    return fp8mac_cycles_writes_scales(t) ? c->a.mx_stride : c->d.stride;
}

// Results that lie one behind the other are those of a pass of four tiles down.
static uint32_t most_bytes(const machine *m)
{
    const uint32_t pass = PASS_TILES * m->p.rows;
    return at_hand(m)->key.dense ? 4u * least(pass, BAND_ROWS) : m->p.row_bytes >> shape(m);
}

static uint32_t most_rows(const machine *m)
{
    return m->p.rows << shape(m);
}

// Whether the results 1 of the row at hand follow its results 0
static bool more(const write_out *o)
{
    return o->pairs && !o->second && o->row < o->seconds;
}

// ---- wires --------------------------------------------------------------------------------------

static void out_wires(const machine *m, wires *w)
{
    const write_out *o = &m->out;
    const bool s1_ready = !o->offered || m->write.beats != BEATS;
    const bool first = o->beat == 0, runs = o->busy && !o->end && s1_ready;
    w->out_step = runs && (!first || w->write_row_ready);
    w->out_region_done =
        w->out_step && o->beat == o->beats - 1u && o->row == o->last_row && !more(o);
    w->out_row = o->end || (runs && first);
    const bool free = (!o->busy || w->out_region_done) && !o->end;
    w->out_take = false;
    w->out_ready = false;
    if (m->store.pushed == o->done) {
        return;
    }
    if (!at_hand(m)->key.writes) {
        w->out_take = w->out_ready = !o->busy && !o->end;
        return;
    }
    w->out_take = free && o->begun && o->waiting != 0;
    w->out_ready = w->out_take && o->bytes_left <= most_bytes(m) && o->rows_left <= most_rows(m);
}

static void dma_wires(const machine *m, wires *w)
{
    const write_dma *d = &m->write;
    const bool none = (d->none & 1u) != 0, is_none = d->split.row.kind == ROW_NONE;
    w->answered = w->b_valid && d->level != 0 && !none;
    w->retire = d->level != 0 && none && m->store.pushed != m->report.retired &&
                m->store.done != m->report.retired;
    const bool aw_free = !d->aw_valid || w->aw_ready;
    w->write_burst =
        d->split.busy && d->level != WRITES && (is_none || (aw_free && d->lens_level != WRITES));
    w->write_row_ready =
        !d->split.busy ||
        (w->write_burst && split_final(&d->split, fp8mac_cycles_split_beats(&d->split)));
    w->w_load = d->beats != 0 && d->lens_level != 0 && (!d->w_valid || w->w_ready);
}

void fp8mac_cycles_write_wires(machine *m, wires *w)
{
    dma_wires(m, w);
    out_wires(m, w);
}

// ---- the write-out engine -----------------------------------------------------------------------

static void begin(machine *m)
{
    write_out *o = &m->out;
    const tile *t = at_hand(m);
    o->band = o->region = fp8mac_cycles_d_address(m, t);
    o->band_stride = stride_of(m, t) << (m->p.rows_log2 + shape(m));
    o->rows_left = rows_of(&t->key);
    o->bytes_left = row_bytes(m);
    o->fresh = true;
    o->seconds_left = t->key.seconds;
}

static void next_region(machine *m)
{
    write_out *o = &m->out;
    if (o->bytes_left > most_bytes(m)) {
        o->region += most_bytes(m);
        o->bytes_left -= most_bytes(m);
        return;
    }
    o->band += o->band_stride;
    o->region = o->band;
    o->rows_left -= most_rows(m);
    o->bytes_left = row_bytes(m);
}

// Of the row behind that at hand. The rows of an output line's results 1 are those of the next
// line.
static uint32_t next_address(const write_out *o)
{
    const bool ends = o->line_rows == 1u;
    if (!o->pairs) {
        return o->address + o->stride;
    }
    return !ends ? o->row_address + o->stride : o->address + o->stride + (o->second ? 0 : o->line);
}

static void next_row(write_out *o)
{
    o->address = next_address(o);
    if (o->pairs) {
        o->row_address = o->address;
        o->line_rows = o->line_rows == 1u ? o->out_w : o->line_rows - 1u;
    }
    o->second = false;
    o->row++;
}

// The address of a command's first row is its own. All others follow each other.
static void take_pairs(machine *m)
{
    write_out *o = &m->out;
    const tile *t = at_hand(m);
    const fp8mac_command *c = command_of(m, t);
    o->line = c->image.out_w * c->d.stride;
    o->out_w = c->image.out_w;
    if (o->fresh && t->key.first) {
        o->address = o->row_address = (uint32_t)c->d.addr;
        o->line_rows = c->image.out_w;
    }
    o->seconds = least(o->seconds_left, most_rows(m));
    o->seconds_left -= o->seconds;
    o->fresh = false;
}

static void take_region(machine *m, const wires *w)
{
    write_out *o = &m->out;
    const bool pairs = at_hand(m)->key.pairs;
    if (o->pairs && w->out_step) {
        next_row(o);
    }
    o->pairs = pairs;
    o->second = false;
    o->ends = w->out_ready;
    o->job = o->done;
    if (pairs) {
        take_pairs(m);
    } else {
        o->address = o->region;
        o->row_address = o->line = o->out_w = o->line_rows = o->seconds = 0;
    }
    o->stride = stride_of(m, at_hand(m));
    o->row = o->beat = 0;
    o->last_row = least(o->rows_left, most_rows(m)) - 1u;
    o->row_bytes = least(o->bytes_left, most_bytes(m));
    o->beats = ceil_log2(o->row_bytes, m->p.beat_log2);
    next_region(m);
}

static void next_beat(write_out *o)
{
    const bool last = o->beat == o->beats - 1u;
    o->beat = last ? 0 : o->beat + 1u;
    if (last && more(o)) {
        o->second = true;
        o->address += o->line;
    } else if (last) {
        next_row(o);
    }
}

static void end_clock(write_out *o, const wires *w, bool none)
{
    if ((w->out_region_done && o->ends) || (w->out_take && none)) {
        o->end = true;
    } else if (w->write_row_ready) {
        o->end = false;
    }
}

static void out_clock(machine *m, const wires *w)
{
    write_out *o = &m->out;
    const bool valid = m->store.pushed != o->done, none = valid && !at_hand(m)->key.writes;
    const bool s1_ready = !o->offered || m->write.beats != BEATS;
    end_clock(o, w, none);
    if (w->out_take && !none) {
        o->busy = true;
    } else if (w->out_region_done) {
        o->busy = false;
    }
    o->waiting += w->region_full;
    o->waiting -= w->out_take && !none;
    if (valid && !o->begun) {
        begin(m);
    } else if (w->out_take && !none) {
        take_region(m, w);
    }
    if (w->out_step && !(w->out_take && !none)) {
        next_beat(o);
    }
    o->begun = valid && !w->out_ready;
    o->offered = s1_ready ? w->out_step : o->offered;
    o->done += w->out_ready;
}

// ---- the write DMA ------------------------------------------------------------------------------

static void flight_clock(write_dma *d, const wires *w)
{
    if (w->answered || w->retire) {
        d->none >>= 1;
        d->level--;
    }
    if (w->write_burst) {
        d->none |= (uint32_t)(d->split.row.kind == ROW_NONE) << d->level;
        d->level++;
    }
}

static void address_clock(machine *m, const wires *w, uint32_t beats)
{
    write_dma *d = &m->write;
    if (w->aw_ready) {
        d->aw_valid = false;
    }
    if (w->write_burst && d->split.row.kind != ROW_NONE) {
        d->aw_valid = true;
        d->aw_beats = beats;
        d->lens[(d->lens_head + d->lens_level++) % WRITES] = beats;
        if (m->watch != NULL) {
            fp8mac_cycles_split_tell(&m->p, &d->split, &m->watch->writes);
        }
    }
}

static void data_clock(write_dma *d, const wires *w, bool offered)
{
    const bool room = d->beats != BEATS;
    if (w->w_load) {
        const bool last = ++d->sent == d->lens[d->lens_head];
        d->sent = last ? 0 : d->sent;
        d->lens_head = (d->lens_head + last) % WRITES;
        d->lens_level -= last;
        d->w_valid = true;
    } else if (w->w_ready) {
        d->w_valid = false;
    }
    d->beats += offered && room;
    d->beats -= w->w_load;
}

void fp8mac_cycles_write_clock(machine *m, const wires *w)
{
    write_dma *d = &m->write;
    const uint32_t beats = fp8mac_cycles_split_beats(&d->split);
    row row = fp8mac_cycles_row_at(&m->p, m->out.end ? ROW_NONE : ROW_OPERAND, m->out.address,
                                   m->out.beats);
    row.bytes = m->out.row_bytes;
    const bool offered = m->out.offered;
    m->counters.write_beats += d->w_valid && w->w_ready;
    out_clock(m, w);
    data_clock(d, w, offered);
    address_clock(m, w, beats);
    flight_clock(d, w);
    fp8mac_cycles_split_clock(&m->p, &d->split, w->write_burst, w->out_row, &row);
}
