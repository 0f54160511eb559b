// SPDX-License-Identifier: Apache-2.0
#include "cycles/live.h"

#include <stdlib.h>

#include "cycles/tiles.h"

enum {
    KEPT_TILES = 64,  // behind the oldest one that has not retired
    FORGET_AT = 4096, // tiles that have retired
    MACS_STAGES = 3,  // of the counter of multiply-accumulates
};

// The counter of multiply-accumulates: the products of the steps in the two stages behind the walk,
// and in those of the counter
typedef struct macs {
    uint32_t walked[2], counted[MACS_STAGES];
    uint64_t sum;
} macs;

struct fp8mac_live {
    machine m;
    predecessor before;
    fp8mac_cycles_command *commands;
    size_t room;
    macs macs;
    uint64_t busy;
    // Causes are counted one cycle late. `late` has them without the last cycle, `cleared` what
    // they were when software cleared them.
    fp8mac_cycles_counters late, cleared;
};

// ---- begin and end ------------------------------------------------------------------------------

fp8mac_live *fp8mac_live_new(const fp8mac_cycles_config *config)
{
    fp8mac_live *l = calloc(1, sizeof *l);
    if (l == NULL || fp8mac_cycles_parameters_of(config, &l->m.p) != FP8MAC_OK) {
        free(l);
        return NULL;
    }
    fp8mac_cycles_reset(&l->m);
    l->m.memory.stall_state = l->m.p.stall_state;
    l->m.counters.idle = 1; // of the last cycle of the reset
    return l;
}

void fp8mac_live_free(fp8mac_live *l)
{
    if (l != NULL) {
        free(l->m.list.tiles);
        free(l->m.watch);
        free(l->commands);
        free(l);
    }
}

bool fp8mac_live_watch(fp8mac_live *l, const fp8mac_cycles_watcher *watcher)
{
    watch *watch = calloc(1, sizeof *watch);
    if (watch != NULL) {
        watch->to = *watcher;
        l->m.watch = watch;
    }
    return watch != NULL;
}

// ---- submission ---------------------------------------------------------------------------------

void fp8mac_live_look(const fp8mac_live *l, fp8mac_live_view *view)
{
    const machine *m = &l->m;
    const front *f = &m->front;
    const uint32_t level = (uint32_t)(f->pushed - f->popped);
    const bool waiting = level != 0 || m->walk.state != WALK_IDLE || m->check.state != CHECK_IDLE;
    view->list_busy = f->state != FETCH_IDLE || f->room;
    view->queue_full = level == m->p.queue_depth;
    view->paused = f->paused;
    view->engines_idle = !view->list_busy && !waiting && fp8mac_cycles_engines_are_idle(m);
    view->queue_level = level;
    view->position = f->position;
}

static bool make_room(fp8mac_live *l)
{
    if (l->m.count < l->room) {
        return true;
    }
    const size_t room = l->room == 0 ? 64 : 2 * l->room;
    fp8mac_cycles_command *commands = realloc(l->commands, room * sizeof *commands);
    if (commands == NULL) {
        return false;
    }
    l->m.commands = l->commands = commands;
    l->room = room;
    return true;
}

// Drops tile commands that nobody looks at any more.
static void forget_tiles(tile_list *list, uint64_t retired)
{
    if (retired < list->first + FORGET_AT) {
        return;
    }
    const size_t first = retired - KEPT_TILES;
    memmove(list->tiles, list->tiles + (first - list->first),
            (list->count - first) * sizeof *list->tiles);
    list->first = first;
}

fp8mac_status fp8mac_live_submit(fp8mac_live *l, const fp8mac_cycles_command *command)
{
    machine *m = &l->m;
    if (!make_room(l)) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    forget_tiles(&m->list, m->report.retired);
    const size_t number = m->count++;
    l->commands[number] = *command;
    l->commands[number].cycle = m->now;
    fp8mac_cycles_prepare(m, l->commands, number);
    if (m->status == FP8MAC_OK) {
        fp8mac_cycles_plan_command(m, number, &l->before);
    }
    if (command->submission == FP8MAC_CYCLES_DOORBELL && !m->front.paused) {
        m->front.position = command->descriptor;
    }
    return m->status;
}

void fp8mac_live_end_list(fp8mac_live *l)
{
    l->m.front.paused = false;
}

// ---- a cycle ------------------------------------------------------------------------------------

// The products of the step that compute issued there
static uint32_t products(const machine *m, const compute *c)
{
    const tile_key *t = &tile_at(m, c->taken - 1u)->key;
    const uint32_t k = c->block * m->p.block + c->step * m->p.lanes;
    const uint32_t rows = least(m->p.rows, t->m - (c->row_tile + c->im) * m->p.rows);
    const uint32_t cols = least(m->p.cols, t->columns - (c->col_tile + c->in) * m->p.cols);
    return t->elementwise ? 0 : rows * cols * least(m->p.lanes, t->k - k);
}

// `issued` are the products of the step that was issued in the cycle.
static void macs_clock(macs *n, bool advance, uint32_t issued)
{
    n->sum += n->counted[2];
    n->counted[2] = n->counted[1];
    n->counted[1] = n->counted[0];
    n->counted[0] = advance ? n->walked[1] : 0;
    if (advance) {
        n->walked[1] = n->walked[0];
        n->walked[0] = issued;
    }
}

static void tell(const machine *m, const wires *w, uint64_t stored, fp8mac_live_events *events)
{
    if (m->store.done != stored) {
        const tile_key *t = &tile_at(m, stored)->key;
        events->stored = t->last;
        events->stored_command = t->command;
    }
    if (w->retire) {
        const tile_key *t = &tile_at(m, m->report.retired - 1u)->key;
        events->retired = t->last;
        events->retired_command = t->command;
    }
}

void fp8mac_live_cycle(fp8mac_live *l, fp8mac_live_events *events)
{
    machine *m = &l->m;
    wires w;
    *events = (fp8mac_live_events){.fetched = m->front.state == FETCH_DONE,
                                   .fetched_command = m->front.fetched};
    const uint64_t stored = m->store.done;
    const compute before = m->compute;
    l->late = m->counters;
    events->idle = fp8mac_cycles_step(m, &w);
    l->busy += !events->idle;
    macs_clock(&l->macs, w.advance, w.issue ? products(m, &before) : 0);
    tell(m, &w, stored, events);
}

void fp8mac_live_skip(fp8mac_live *l, uint64_t cycles)
{
    machine *m = &l->m;
    if (cycles == 0) {
        return;
    }
    if (m->watch != NULL) {
        fp8mac_cycles_watch_skip(m, cycles);
    }
    m->now += cycles;
    m->compute.ticks += cycles;
    m->store.turn ^= cycles & 1u;
    m->counters.idle += cycles;
    l->late = m->counters;
    l->late.idle--;
    if (m->p.stall_permille != 0) {
        m->memory.stall_state = fp8mac_cycles_stall_on(m->memory.stall_state, cycles);
    }
}

// ---- what registers do --------------------------------------------------------------------------

void fp8mac_live_reset(fp8mac_live *l)
{
    machine *m = &l->m;
    memset(&m->front, 0, sizeof m->front);
    m->front.next = m->count;
    memset(&m->align, 0, sizeof m->align);
    fp8mac_cycles_reset(m);
    m->store.turn = false;
    m->align.turn = 0;
    fp8mac_live_forget(l);
}

static void count_instead(fp8mac_live *l, uint64_t *cause)
{
    l->m.counters.idle--;
    ++*cause;
    l->busy++;
}

void fp8mac_live_count_command(fp8mac_live *l)
{
    count_instead(l, &l->m.counters.command);
}

void fp8mac_live_count_store(fp8mac_live *l)
{
    count_instead(l, &l->m.counters.store);
}

void fp8mac_live_forget(fp8mac_live *l)
{
    l->before.left.any = l->before.left.kept = false;
}

void fp8mac_live_stall(fp8mac_live *l, uint32_t permille)
{
    l->m.p.stall_permille = permille;
}

void fp8mac_live_clear_counters(fp8mac_live *l)
{
    l->cleared = l->late;
    l->cleared.cycles = l->m.now;
    l->cleared.macs = l->macs.sum;
    l->cleared.read_beats = l->m.counters.read_beats;
    l->cleared.write_beats = l->m.counters.write_beats;
    if (l->m.watch != NULL) {
        l->m.watch->cleared = l->cleared;
    }
}

void fp8mac_live_counters(const fp8mac_live *l, fp8mac_cycles_counters *n)
{
    const fp8mac_cycles_counters *late = &l->late, *from = &l->cleared;
    n->cycles = l->m.now - from->cycles;
    n->compute = late->compute - from->compute;
    n->results = late->results - from->results;
    n->spacing = late->spacing - from->spacing;
    n->first_load = late->first_load - from->first_load;
    n->load = late->load - from->load;
    n->command = late->command - from->command;
    n->store = late->store - from->store;
    n->idle = late->idle - from->idle;
    n->macs = l->macs.sum - from->macs;
    n->read_beats = l->m.counters.read_beats - from->read_beats;
    n->write_beats = l->m.counters.write_beats - from->write_beats;
    n->image_turn = l->m.align.turn;
}

void fp8mac_live_usage(const fp8mac_live *l, uint64_t *macs, uint64_t *busy)
{
    *macs = l->macs.sum;
    *busy = l->busy;
}
