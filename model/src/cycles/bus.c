// SPDX-License-Identifier: Apache-2.0
#include "cycles/bus.h"
#include "cycles/machine.h"

static bus_burst *burst_at(bus_side *side, uint32_t number)
{
    return &side->ring[number % (2u * MEMORY_RING)];
}

void fp8mac_cycles_bus_push(bus_side *side, uint32_t address, uint32_t beats, uint32_t bytes)
{
    *burst_at(side, side->pushed++) = (bus_burst){address, beats, bytes};
}

static void tell(const machine *m, fp8mac_cycles_channel channel, uint32_t address, uint32_t bytes)
{
    const fp8mac_cycles_transfer transfer = {m->now, channel, address, bytes};
    m->bus->listener(m->bus->context, &transfer);
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

void fp8mac_cycles_bus_clock(machine *m, const wires *w)
{
    bus_side *reads = &m->bus->reads, *writes = &m->bus->writes;
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
