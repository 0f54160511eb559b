// SPDX-License-Identifier: Apache-2.0
#include "cycles/watch.h"

#include "cycles/machine.h"

// ---- transfers of the bus -----------------------------------------------------------------------

static bus_burst *burst_at(bus_side *side, uint32_t number)
{
    return &side->ring[number % (2u * MEMORY_RING)];
}

void fp8mac_cycles_watch_burst(bus_side *side, uint32_t address, uint32_t beats, uint32_t bytes)
{
    *burst_at(side, side->pushed++) = (bus_burst){address, beats, bytes};
}

static void tell(const machine *m, fp8mac_cycles_channel channel, uint32_t address, uint32_t bytes)
{
    const fp8mac_cycles_transfer transfer = {m->now, channel, address, bytes};
    m->watch->to.transfer(m->watch->to.context, &transfer);
}

static void tell_burst(const machine *m, fp8mac_cycles_channel channel, const bus_burst *b)
{
    tell(m, channel, b->address, b->beats * m->p.beat);
}

static void tell_beat(const machine *m, fp8mac_cycles_channel channel, bus_side *side)
{
    const bus_burst *b = burst_at(side, side->moved);
    const uint32_t offset = side->beat * m->p.beat;
    tell(m, channel, b->address + offset, least(b->bytes - offset, m->p.beat));
    side->beat++;
    if (side->beat == b->beats) {
        side->beat = 0;
        side->moved++;
    }
}

static void watch_bus(machine *m, const wires *w)
{
    bus_side *reads = &m->watch->reads, *writes = &m->watch->writes;
    if (m->read.ar_valid && w->ar_ready) {
        tell_burst(m, FP8MAC_CYCLES_AR, burst_at(reads, reads->addressed++));
    }
    if (w->beat) {
        tell_beat(m, FP8MAC_CYCLES_R, reads);
    }
    if (m->write.aw_valid && w->aw_ready) {
        tell_burst(m, FP8MAC_CYCLES_AW, burst_at(writes, writes->addressed++));
    }
    if (m->write.w_valid && w->w_ready) {
        tell_beat(m, FP8MAC_CYCLES_W, writes);
    }
    if (w->answered) {
        tell_burst(m, FP8MAC_CYCLES_B, burst_at(writes, writes->answered++));
    }
}

// ---- events -------------------------------------------------------------------------------------

static void happens(const machine *m, fp8mac_cycles_event_kind kind, size_t command)
{
    const fp8mac_cycles_event event = {.cycle = m->now, .kind = kind, .command = command};
    m->watch->to.event(m->watch->to.context, &event);
}

static void happens_to(const machine *m, fp8mac_cycles_event_kind kind, uint64_t number)
{
    happens(m, kind, tile_at(m, number)->key.command);
}

// In the order in which the RTL's timeline has them
static void watch_commands(const machine *m, const wires *w)
{
    const front *f = &m->front;
    if (w->retire && tile_at(m, m->report.retired)->key.last) {
        happens_to(m, FP8MAC_CYCLES_RETIRES, m->report.retired);
    }
    if (w->submit) {
        happens(m, FP8MAC_CYCLES_SUBMITTED, f->state == FETCH_DONE ? f->fetched : f->next);
    }
    if (w->read_done) {
        happens_to(m, FP8MAC_CYCLES_LOAD_ENDS, m->loads_done);
    }
    if (w->accept) {
        happens_to(m, FP8MAC_CYCLES_LOAD_BEGINS, m->load.accepted);
    }
    if (w->released) {
        happens_to(m, FP8MAC_CYCLES_COMPUTE_ENDS, m->compute.taken - 1u);
    }
    if (w->take) {
        happens_to(m, FP8MAC_CYCLES_COMPUTE_BEGINS, m->compute.taken);
    }
}

// A counter that was cleared in between begins at 0.
static uint32_t since(uint64_t now, uint64_t before)
{
    return (uint32_t)(now >= before ? now - before : now);
}

static void end_window(const machine *m, uint64_t cycle)
{
    watch *h = m->watch;
    const fp8mac_cycles_counters now = {
        .compute = h->late.compute - h->cleared.compute,
        .read_beats = m->counters.read_beats - h->cleared.read_beats,
        .write_beats = m->counters.write_beats - h->cleared.write_beats,
    };
    const fp8mac_cycles_event event = {
        .cycle = cycle,
        .kind = FP8MAC_CYCLES_WINDOW_ENDS,
        .steps = since(now.compute, h->window.compute),
        .read_beats = since(now.read_beats, h->window.read_beats),
        .write_beats = since(now.write_beats, h->window.write_beats),
    };
    h->window = now;
    h->to.event(h->to.context, &event);
}

static bool ends_window(const watch *h, uint64_t cycle)
{
    return (cycle + h->to.first_cycle + 1u) % FP8MAC_CYCLES_WINDOW == 0;
}

void fp8mac_cycles_watch_clock(machine *m, const wires *w)
{
    if (m->watch->to.transfer != NULL) {
        watch_bus(m, w);
    }
    if (m->watch->to.event != NULL) {
        watch_commands(m, w);
        if (ends_window(m->watch, m->now)) {
            end_window(m, m->now);
        }
    }
    m->watch->late = m->counters;
}

void fp8mac_cycles_watch_skip(machine *m, uint64_t cycles)
{
    m->watch->late = m->counters;
    if (m->watch->to.event == NULL) {
        return;
    }
    const uint64_t into = (m->now + m->watch->to.first_cycle) % FP8MAC_CYCLES_WINDOW;
    for (uint64_t i = FP8MAC_CYCLES_WINDOW - 1u - into; i < cycles; i += FP8MAC_CYCLES_WINDOW) {
        end_window(m, m->now + i);
    }
}
