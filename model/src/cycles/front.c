// SPDX-License-Identifier: Apache-2.0
// Submission: software's writes, the fetch of descriptors, loads of tables, lists, and the command
// queue (fp8mac_fetch, fp8mac_table_load, fp8mac_list, fp8mac_cmd_queue).
#include "cycles/machine.h"

static const fp8mac_cycles_command *fetched(const machine *m)
{
    return &m->commands[m->front.fetched];
}

// Whether the list goes on behind the descriptor that was fetched
static bool has_more(const machine *m)
{
    const size_t next = m->front.fetched + 1;
    return fetched(m)->command.pause ||
           (next < m->count && m->commands[next].submission == FP8MAC_CYCLES_LISTED);
}

void fp8mac_cycles_front_wires(machine *m, wires *w)
{
    const front *f = &m->front;
    const bool busy = f->state != FETCH_IDLE || f->room;
    const bool full = f->pushed - f->popped == m->p.queue_depth;
    const bool due = f->next < m->count && m->commands[f->next].cycle <= m->now;
    const bool rings = due && m->commands[f->next].submission == FP8MAC_CYCLES_DOORBELL;
    const bool submits = due && m->commands[f->next].submission == FP8MAC_CYCLES_REGISTERS;
    w->resume = due && m->commands[f->next].submission == FP8MAC_CYCLES_RESUMED;
    if (((rings || submits) && (busy || full)) || (w->resume && !f->paused)) {
        fp8mac_cycles_refuse(m, f->next, FP8MAC_ERR_COMMAND);
    }
    w->ring = rings;
    w->follow = f->room && !full && f->state == FETCH_IDLE;
    w->fetching = rings || busy;
    w->submit = f->state == FETCH_DONE || submits;
    w->fetch_row = f->state == FETCH_REQUEST;
    w->table_row = f->state == FETCH_TABLE_REQUEST;
    w->queue_pop = f->shown && m->walk.state == WALK_IDLE;
}

// The next command that software submits itself
static void skip_listed(machine *m)
{
    front *f = &m->front;
    do {
        f->next++;
    } while (f->next < m->count && m->commands[f->next].submission == FP8MAC_CYCLES_LISTED);
}

// Behind a descriptor of a list. A command in a pause has no list of its own.
static void go_on(machine *m)
{
    front *f = &m->front;
    if (!f->listed) {
        fp8mac_cycles_refuse(m, f->fetched, FP8MAC_ERR_COMMAND);
    }
    f->position = f->address + (f->longer ? m->p.all_beats : m->p.short_beats) * m->p.beat;
    f->following = f->fetched + 1;
    f->paused = fetched(m)->command.pause;
    f->room = !f->paused;
}

static void fetch_clock(machine *m, const wires *w)
{
    front *f = &m->front;
    const bool last =
        w->beat && w->oldest->kind == ROW_DESCRIPTOR && w->oldest->row_last && w->r_last;
    const bool table_last =
        w->beat && w->oldest->kind == ROW_TABLE && w->oldest->row_last && w->r_last;
    switch (f->state) {
    case FETCH_IDLE:
        if (w->ring || w->follow) {
            f->state = FETCH_REQUEST;
            f->longer = false;
            f->fetched = w->ring ? f->next : f->following;
            f->address = w->ring ? m->commands[f->next].descriptor : f->position;
            f->listed = !f->paused;
        }
        break;
    case FETCH_REQUEST:
        if (w->read_row_ready) {
            f->state = FETCH_DATA;
        }
        break;
    case FETCH_DATA:
        if (last) {
            const bool longer = fetched(m)->command.mode.extended && !f->longer;
            f->state = longer                           ? FETCH_REQUEST
                       : fetched(m)->command.table.load ? FETCH_READ
                                                        : FETCH_DONE;
            f->longer = f->longer || longer;
        }
        break;
    case FETCH_READ:
        f->state = FETCH_WAIT;
        f->table_word = 0;
        break;
    case FETCH_WAIT:
        if (fp8mac_cycles_is_drained(m)) {
            f->state = FETCH_TABLE_REQUEST;
        }
        break;
    case FETCH_TABLE_REQUEST:
        if (w->read_row_ready) {
            f->state = FETCH_TABLE_DATA;
        }
        break;
    case FETCH_TABLE_DATA:
        f->table_word += w->table_beat;
        if (table_last) {
            f->state = FETCH_DONE;
        }
        break;
    case FETCH_DONE:
        f->state = FETCH_IDLE;
        if (has_more(m)) {
            go_on(m);
        }
        break;
    }
}

void fp8mac_cycles_front_clock(machine *m, const wires *w)
{
    front *f = &m->front;
    if (w->follow) {
        f->room = false;
    }
    fetch_clock(m, w);
    if (w->resume) {
        f->paused = false;
        f->room = true;
        f->following = f->next;
    }
    if (w->ring || w->resume ||
        (w->submit && f->next < m->count && m->commands[f->next].cycle <= m->now &&
         m->commands[f->next].submission == FP8MAC_CYCLES_REGISTERS)) {
        skip_listed(m);
    }
    f->shown = f->pushed - f->popped > w->queue_pop;
    f->pushed += w->submit;
    f->popped += w->queue_pop;
}
