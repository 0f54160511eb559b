// SPDX-License-Identifier: Apache-2.0
// One cycle of the machine, its counters, and a run (fp8mac_counters, fp8mac_report).
#include "cycles/leap.h"
#include "cycles/run.h"

#include <stdlib.h>

void fp8mac_cycles_refuse(machine *m, size_t command, fp8mac_status status)
{
    if (m->status == FP8MAC_OK) {
        m->status = status;
        m->refused = command;
    }
}

// ---- counters -----------------------------------------------------------------------------------

static bool is_queued(const machine *m)
{
    return m->front.pushed != m->front.popped || m->walk.state != WALK_IDLE ||
           m->check.state != CHECK_IDLE;
}

// A command is on its way to the load engine.
static bool is_waiting(const machine *m, const wires *w)
{
    return w->submit || w->fetching || is_queued(m);
}

bool fp8mac_cycles_engines_are_idle(const machine *m)
{
    const bool load = m->load.state == LOAD_IDLE && m->load.in_use == 0;
    const bool c = m->c.state == SOURCE_IDLE && m->c.level == 0 && m->c.pending == 0;
    const bool x = m->x.state == SOURCE_IDLE && m->x.level == 0 && m->x.pending == 0;
    return load && c && x && m->compute.taken == m->store.done &&
           m->store.pushed == m->report.retired && m->array.valid == 0;
}

bool fp8mac_cycles_is_drained(const machine *m)
{
    return !is_queued(m) && fp8mac_cycles_engines_are_idle(m);
}

// The first cause that holds
static uint64_t *cause_of(machine *m, const wires *w)
{
    fp8mac_cycles_counters *n = &m->counters;
    if (w->issue) {
        return &n->compute;
    }
    if (w->stalled) {
        return &n->results;
    }
    if (w->spacing) {
        return &n->spacing;
    }
    if (m->compute.busy || m->loads_done != m->compute.taken) {
        return &n->command;
    }
    const bool load_waits = m->load.state == LOAD_WAIT;
    if (m->load.accepted != m->compute.taken && !load_waits) {
        return m->report.begun ? &n->load : &n->first_load;
    }
    const bool waiting = is_waiting(m, w);
    if (!waiting && fp8mac_cycles_engines_are_idle(m)) {
        return &n->idle;
    }
    return !waiting || load_waits ? &n->store : &n->command;
}

static bool count(machine *m, const wires *w)
{
    uint64_t *cause = cause_of(m, w);
    const bool idle = !is_waiting(m, w) && fp8mac_cycles_engines_are_idle(m);
    ++*cause;
    m->counters.cycles++;
    m->counters.read_beats += w->beat;
    m->report.begun = w->issue || (m->report.begun && !idle);
    return idle;
}

// ---- a cycle ------------------------------------------------------------------------------------

static void find_wires(machine *m, wires *w)
{
    fp8mac_cycles_memory_wires(m, w);
    fp8mac_cycles_image_wires(m, w);
    fp8mac_cycles_read_wires(m, w);
    fp8mac_cycles_front_wires(m, w);
    w->tile_taken = m->walk.state == WALK_OFFER && m->check.state == CHECK_IDLE;
    fp8mac_cycles_load_wires(m, w);
    fp8mac_cycles_read_rows(m, w);
    fp8mac_cycles_strip_wires(m, w);
    fp8mac_cycles_compute_wires(m, w);
    w->is_storing = m->compute.taken != m->store.done;
    fp8mac_cycles_store_wires(m, w);
    fp8mac_cycles_write_wires(m, w);
}

static void retire(machine *m)
{
    const tile *t = tile_at(m, m->report.retired++);
    if (t->key.last && m->completed != NULL) {
        m->completed[t->key.command] = m->now;
    }
}

// Blocks that read others' registers come before those.
static void clock(machine *m, const wires *w)
{
    fp8mac_cycles_memory_clock(m, w);
    fp8mac_cycles_read_clock(m, w);
    fp8mac_cycles_source_clock(m, &m->c, true, w);
    fp8mac_cycles_source_clock(m, &m->x, false, w);
    fp8mac_cycles_image_clock(m, w);
    fp8mac_cycles_load_clock(m, w);
    fp8mac_cycles_walk_clock(m, w);
    fp8mac_cycles_front_clock(m, w);
    fp8mac_cycles_check_clock(m, w);
    fp8mac_cycles_array_clock(m, w);
    fp8mac_cycles_compute_clock(m, w);
    fp8mac_cycles_write_clock(m, w);
    fp8mac_cycles_epilogue_clock(m);
    fp8mac_cycles_store_clock(m, w);
    if (w->retire) {
        retire(m);
    }
    m->now++;
}

bool fp8mac_cycles_step(machine *m, wires *w)
{
    find_wires(m, w);
    if (m->watch != NULL) {
        fp8mac_cycles_watch_clock(m, w);
    }
    const bool idle = count(m, w);
    clock(m, w);
    return idle;
}

// Whether the accelerator is idle behind the last command
static bool step(machine *m)
{
    wires w;
    return fp8mac_cycles_step(m, &w) && !w.resume && m->front.next == m->count;
}

// ---- a run --------------------------------------------------------------------------------------

static fp8mac_status judge_command(const machine *m, size_t number)
{
    const fp8mac_cycles_command *c = &m->commands[number];
    const bool listed = c->submission == FP8MAC_CYCLES_LISTED;
    const bool first_listed = number == 0 && listed;
    const bool early = number != 0 && listed && m->commands[number - 1].command.pause;
    const bool no_list = c->command.pause && c->submission == FP8MAC_CYCLES_REGISTERS;
    const bool after_registers =
        number != 0 && listed && m->commands[number - 1].submission == FP8MAC_CYCLES_REGISTERS;
    const bool misaligned =
        c->submission == FP8MAC_CYCLES_DOORBELL && c->descriptor % m->p.beat != 0;
    const fp8mac_command_table *table = &c->command.table;
    const bool no_table =
        table->load && (c->submission == FP8MAC_CYCLES_REGISTERS ||
                        c->command.finish.act_table == FP8MAC_D_TABLE_NONE ||
                        table->addr % m->p.beat != 0 || table->addr > UINT32_MAX - 255u);
    if (!fp8mac_command_fits(&c->command) || (unsigned)c->submission > FP8MAC_CYCLES_RESUMED ||
        first_listed || early || no_list || after_registers || misaligned || no_table) {
        return FP8MAC_ERR_COMMAND;
    }
    return FP8MAC_OK;
}

void fp8mac_cycles_prepare(machine *m, fp8mac_cycles_command *commands, size_t number)
{
    fp8mac_command_drop_extension(&commands[number].command);
    const fp8mac_status status = judge_command(m, number);
    if (status != FP8MAC_OK) {
        fp8mac_cycles_refuse(m, number, status);
    }
}

void fp8mac_cycles_reset(machine *m)
{
    m->store.slot_available = m->store.ready = true;
    m->array.phase = m->p.share - 1u;
    m->store.turn = m->p.odd;
    m->align.turn = m->p.image_turn;
}

static uint64_t macs_of(const fp8mac_command *c)
{
    return (uint64_t)c->m * c->k * fp8mac_command_columns(c);
}

static void prepare(machine *m, fp8mac_cycles_command *commands)
{
    m->commands = commands;
    for (size_t i = 0; i < m->count; i++) {
        fp8mac_cycles_prepare(m, commands, i);
        const fp8mac_command *command = &commands[i].command;
        m->counters.macs += fp8mac_command_has_x(command) ? 0 : macs_of(command);
    }
    fp8mac_cycles_reset(m);
    m->memory.stall_state = m->p.stall_state;
    if (m->status == FP8MAC_OK) {
        fp8mac_cycles_plan_tiles(m);
    }
}

static void run(machine *m, history *h)
{
    uint64_t taken = 0;
    while (m->status == FP8MAC_OK && !step(m)) {
        if (h != NULL && m->p.stall_permille == 0 && m->compute.taken != taken &&
            m->front.next == m->count) {
            fp8mac_cycles_leap_if_known(m, h);
        }
        taken = m->compute.taken;
    }
    m->counters.cycles--; // the cycle in which it was idle again
    m->counters.idle--;
}

static fp8mac_status finish(machine *m, size_t *refused, fp8mac_cycles_counters *counters)
{
    if (m->status == FP8MAC_OK) {
        *counters = m->counters;
        counters->image_turn = m->align.turn;
    } else if (refused != NULL) {
        *refused = m->refused;
    }
    return m->status;
}

// With memory for the machine and its commands
static fp8mac_status run_in(machine *m, history *h, fp8mac_cycles_command *own,
                            const fp8mac_cycles_config *config, size_t *refused,
                            fp8mac_cycles_counters *counters)
{
    const fp8mac_status status = fp8mac_cycles_parameters_of(config, &m->p);
    if (status != FP8MAC_OK) {
        return status;
    }
    prepare(m, own);
    run(m, h);
    free(m->list.tiles);
    return finish(m, refused, counters);
}

// *left_out: cycles that leaps have left out; NULL: there are no leaps.
static fp8mac_status run_all(const fp8mac_cycles_config *config,
                             const fp8mac_cycles_command *commands, size_t count,
                             uint64_t *completed, size_t *refused, fp8mac_cycles_counters *counters,
                             uint64_t *left_out, watch *watch)
{
    if (config == NULL || counters == NULL || (commands == NULL && count != 0)) {
        return FP8MAC_ERR_NULL;
    }
    machine *m = calloc(1, sizeof *m);
    history *h = calloc(1, sizeof *h);
    fp8mac_cycles_command *own = calloc(count + 1u, sizeof *own);
    fp8mac_status status = FP8MAC_ERR_UNSUPPORTED;
    if (m != NULL && h != NULL && own != NULL) {
        m->count = count;
        m->completed = completed;
        m->watch = watch;
        if (count != 0) {
            memcpy(own, commands, count * sizeof *own);
        }
        status = run_in(m, left_out != NULL ? h : NULL, own, config, refused, counters);
        if (left_out != NULL) {
            *left_out = h->left_out;
        }
    }
    free(own);
    free(h);
    free(m);
    return status;
}

fp8mac_status fp8mac_cycles_run_with(const fp8mac_cycles_config *config,
                                     const fp8mac_cycles_command *commands, size_t count,
                                     uint64_t *completed, size_t *refused,
                                     fp8mac_cycles_counters *counters, uint64_t *left_out)
{
    return run_all(config, commands, count, completed, refused, counters, left_out, NULL);
}

fp8mac_status fp8mac_cycles_run(const fp8mac_cycles_config *config,
                                const fp8mac_cycles_command *commands, size_t count,
                                uint64_t *completed, size_t *refused,
                                fp8mac_cycles_counters *counters)
{
    uint64_t left_out;
    return run_all(config, commands, count, completed, refused, counters, &left_out, NULL);
}

fp8mac_status fp8mac_cycles_run_watched(const fp8mac_cycles_config *config,
                                        const fp8mac_cycles_command *commands, size_t count,
                                        uint64_t *completed, size_t *refused,
                                        fp8mac_cycles_counters *counters,
                                        const fp8mac_cycles_watcher *watcher)
{
    if (watcher == NULL) {
        return fp8mac_cycles_run(config, commands, count, completed, refused, counters);
    }
    watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    watch->to = *watcher;
    const fp8mac_status status =
        run_all(config, commands, count, completed, refused, counters, NULL, watch);
    free(watch);
    return status;
}
