// SPDX-License-Identifier: Apache-2.0
// The read DMA with the choice of the next row, and the splitter that both DMA engines have
// (fp8mac_dma_read, fp8mac_burst_split).
#include "cycles/machine.h"

// ---- the splitter -------------------------------------------------------------------------------

row fp8mac_cycles_row_at(const parameters *p, row_kind kind, uint32_t address, uint32_t beats)
{
    const uint32_t to_page = (PAGE - address % PAGE) >> p->beat_log2;
    return kind == ROW_NONE ? (row){.kind = ROW_NONE}
                            : (row){.kind = kind,
                                    .beats = beats,
                                    .to_page = least(beats, to_page),
                                    .address = address,
                                    .bytes = beats << p->beat_log2};
}

uint32_t fp8mac_cycles_split_beats(const splitter *s)
{
    return least(s->row.to_page, MAX_BURST);
}

void fp8mac_cycles_split_tell(const parameters *p, splitter *s, bus_side *side)
{
    const uint32_t beats = fp8mac_cycles_split_beats(s);
    const uint32_t bytes = least(beats << p->beat_log2, s->row.bytes);
    fp8mac_cycles_watch_burst(side, s->row.address, beats, bytes);
    s->row.address += beats << p->beat_log2;
    s->row.bytes -= bytes;
}

void fp8mac_cycles_split_clock(const parameters *p, splitter *s, bool taken, bool row_valid,
                               const row *row)
{
    const uint32_t beats = fp8mac_cycles_split_beats(s);
    if (!s->busy || (taken && split_final(s, beats))) {
        s->busy = row_valid;
        s->row = *row;
    } else if (taken) {
        s->row.beats -= beats;
        s->row.to_page -= beats;
        if (s->row.to_page == 0) {
            s->row.to_page = least(s->row.beats, PAGE >> p->beat_log2);
        }
    }
}

// ---- the read DMA -------------------------------------------------------------------------------

// The aligner knows where the beats of an image go.
static bool is_image(const row *row)
{
    return row->kind == ROW_IMAGE;
}

void fp8mac_cycles_read_wires(machine *m, wires *w)
{
    const read_dma *r = &m->read;
    const bool empty = r->level == 0;
    w->oldest = &r->in_flight[r->head];
    const bool none = w->oldest->kind == ROW_NONE;
    w->read_done = !empty && none && w->align_quiet;
    w->beat = w->r_valid && !empty && !none && w->beat_ready;
    w->table_beat = w->r_valid && !empty && w->oldest->kind == ROW_TABLE;
    const bool ar_free = !r->ar_valid || w->ar_ready;
    const bool is_none = r->split.row.kind == ROW_NONE;
    const bool room = r->level != READS && (is_image(&r->split.row) || r->dests != READ_DESTS);
    w->read_burst = r->split.busy && room && (is_none || ar_free);
    w->read_row_ready =
        !r->split.busy ||
        (w->read_burst && split_final(&r->split, fp8mac_cycles_split_beats(&r->split)));
}

// Whose row is next: descriptors, C, X, operands
void fp8mac_cycles_read_rows(const machine *m, wires *w)
{
    w->c_row = m->c.state == SOURCE_ROWS;
    w->x_row = m->x.state == SOURCE_ROWS;
    w->c_row_taken = w->read_row_ready && w->c_row && !w->fetch_row;
    w->x_row_taken = w->read_row_ready && w->x_row && !w->fetch_row && !w->c_row;
    w->load_row_taken = w->read_row_ready && w->load_row && !w->fetch_row && !w->c_row && !w->x_row;
}

static row fetch_row(const machine *m)
{
    const front *f = &m->front;
    const uint32_t first = m->p.short_beats;
    return f->longer ? fp8mac_cycles_row_at(&m->p, ROW_DESCRIPTOR, f->address + first * m->p.beat,
                                            m->p.all_beats - first)
                     : fp8mac_cycles_row_at(&m->p, ROW_DESCRIPTOR, f->address, first);
}

static row source_row(const parameters *p, const source *s, row_kind kind)
{
    row row = fp8mac_cycles_row_at(p, kind, s->address, s->beats);
    row.region_last = s->row == s->last_row;
    return row;
}

static row load_row(const machine *m, const wires *w)
{
    const load *l = &m->load;
    if (w->load_strip) {
        const strip *s = &m->strips.stage[4];
        return fp8mac_cycles_row_at(&m->p, ROW_IMAGE, s->address, s->beats);
    }
    const bool a = l->state == LOAD_A && !w->image;
    return fp8mac_cycles_row_at(&m->p,
                                l->state == LOAD_FINISH ? ROW_NONE
                                : a                     ? ROW_A
                                                        : ROW_OPERAND,
                                l->address, l->beats);
}

static row table_row(const machine *m)
{
    const uint32_t beats = FP8MAC_TABLE_CODES / m->p.beat;
    return fp8mac_cycles_row_at(&m->p, ROW_TABLE,
                                (uint32_t)m->commands[m->front.fetched].command.table.addr, beats);
}

static row next_row(const machine *m, const wires *w)
{
    return w->fetch_row  ? fetch_row(m)
           : w->c_row    ? source_row(&m->p, &m->c, ROW_C)
           : w->x_row    ? source_row(&m->p, &m->x, ROW_X)
           : w->load_row ? load_row(m, w)
                         : table_row(m);
}

static void push_burst(machine *m)
{
    read_dma *r = &m->read;
    const uint32_t beats = fp8mac_cycles_split_beats(&r->split);
    r->in_flight[(r->head + r->level) % READS] = (burst){.kind = r->split.row.kind,
                                                         .region_last = r->split.row.region_last,
                                                         .row_last = split_final(&r->split, beats),
                                                         .beats = beats};
    r->level++;
    r->dests += !is_image(&r->split.row);
    if (r->split.row.kind != ROW_NONE) {
        r->ar_valid = true;
        r->ar_beats = beats;
        if (m->watch != NULL) {
            fp8mac_cycles_split_tell(&m->p, &r->split, &m->watch->reads);
        }
    }
}

void fp8mac_cycles_read_clock(machine *m, const wires *w)
{
    read_dma *r = &m->read;
    const bool pop = w->read_done || (w->beat && w->r_last);
    if (w->ar_ready) {
        r->ar_valid = false;
    }
    if (w->read_burst) {
        push_burst(m);
    }
    if (pop) {
        r->dests -= w->oldest->kind != ROW_IMAGE;
        r->head = (r->head + 1u) % READS;
        r->level--;
    }
    m->loads_done += w->read_done;
    if (w->read_row_ready) {
        const bool valid = w->fetch_row || w->c_row || w->x_row || w->load_row || w->table_row;
        const row row = valid ? next_row(m, w) : load_row(m, w);
        fp8mac_cycles_split_clock(&m->p, &r->split, w->read_burst, valid, &row);
    } else {
        fp8mac_cycles_split_clock(&m->p, &r->split, w->read_burst, false, &r->split.row);
    }
}
