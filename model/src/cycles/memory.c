// SPDX-License-Identifier: Apache-2.0
// The memory behind the bus: the simulated chip's RAM (fp8mac_sys_axi_read, fp8mac_sys_axi_write),
// or one that takes everything at once.
#include "cycles/machine.h"

enum {
    CHIP_READS = 32,  // bursts that wait
    CHIP_WRITES = 16, // bursts that wait, and answers
    CHIP_BEATS = 4,   // that were read and wait for R
};

// ---- stalls (fp8mac_sys_stall) ------------------------------------------------------------------

enum { DRAW_BITS = 10 };
// Channels, in the order of their bits of the generator
typedef enum channel { B, W, AW, R, AR } channel;

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

// The finaliser of splitmix64
static uint64_t spread(uint64_t seed)
{
    uint64_t z = seed + GOLDEN;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t xorshift(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

uint64_t fp8mac_cycles_stall_state(uint64_t seed, uint64_t cycles)
{
    const uint64_t first = spread(seed);
    return fp8mac_cycles_stall_on(first != 0 ? first : GOLDEN, cycles);
}

uint64_t fp8mac_cycles_stall_on(uint64_t state, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles; i++) {
        state = xorshift(state);
    }
    return state;
}

// draw / 1024 < permille / 1000, in integers
static bool stalls(const machine *m, channel channel)
{
    const uint64_t draw = m->memory.stall_state >> DRAW_BITS * channel & ((1u << DRAW_BITS) - 1u);
    return draw * 125u < m->p.stall_permille * 128u;
}

// ---- wires --------------------------------------------------------------------------------------

void fp8mac_cycles_memory_wires(const machine *m, wires *w)
{
    const memory *y = &m->memory;
    const bool chip = m->p.chip_memory;
    const waiting_burst *front = &y->reads[y->reads_head];
    w->ar_ready = !chip || (y->reads_level != CHIP_READS && !stalls(m, AR));
    w->r_valid = chip ? y->shown != 0 && (y->r_waits || !stalls(m, R))
                      : y->reads_level != 0 && front->due <= m->now;
    w->r_last = chip ? (y->last_bits & 1u) != 0 : front->beats == 1;
    w->aw_ready = !chip || (y->writes_level != CHIP_WRITES && !stalls(m, AW));
    const bool room = y->writes_level != 0 && y->answers_level != CHIP_WRITES;
    w->w_ready = !chip || (room && !stalls(m, W));
    const bool due = y->answers_level != 0 && y->answers[y->answers_head] <= m->now;
    w->b_valid = due && (y->b_waits || !stalls(m, B));
}

// ---- reads --------------------------------------------------------------------------------------

// One beat of the oldest burst leaves the queue.
static bool read_beat(memory *y)
{
    const bool last = --y->reads[y->reads_head].beats == 0;
    if (last) {
        y->reads_head = (y->reads_head + 1u) % MEMORY_RING;
        y->reads_level--;
    }
    return last;
}

static void chip_reads(machine *m, const wires *w)
{
    memory *y = &m->memory;
    const bool old = y->reads_level != 0 && m->now - y->reads[y->reads_head].due > m->p.latency;
    const bool issue = old && y->shown + y->issued < CHIP_BEATS;
    if (w->beat) {
        y->last_bits >>= 1;
        y->shown--;
    }
    if (y->issued) {
        y->last_bits |= (uint32_t)y->issued_last << y->shown;
        y->shown++;
    }
    y->issued = issue;
    y->issued_last = issue && read_beat(y);
}

static void take_address(machine *m)
{
    memory *y = &m->memory;
    const uint64_t due = m->p.chip_memory ? m->now : m->now + 1u + m->p.latency;
    y->reads[(y->reads_head + y->reads_level++) % MEMORY_RING] =
        (waiting_burst){due, m->read.ar_beats};
}

// ---- writes -------------------------------------------------------------------------------------

static void push_write(memory *y, uint32_t beats)
{
    y->writes[(y->writes_head + y->writes_level++) % MEMORY_RING] = beats;
}

// A beat goes to the oldest burst.
static void write_beat(machine *m)
{
    memory *y = &m->memory;
    if (--y->writes[y->writes_head] == 0) {
        y->writes_head = (y->writes_head + 1u) % MEMORY_RING;
        y->writes_level--;
        y->answers[(y->answers_head + y->answers_level++) % MEMORY_RING] =
            m->now + 1u + m->p.latency;
    }
}

static void ideal_writes(machine *m, bool aw, bool data)
{
    memory *y = &m->memory;
    if (aw) {
        push_write(y, m->write.aw_beats);
    }
    y->data += data;
    while (y->writes_level != 0 && y->data != 0) {
        y->data--;
        write_beat(m);
    }
}

static void chip_writes(machine *m, bool aw, bool data)
{
    if (data) {
        write_beat(m);
    }
    if (aw) {
        push_write(&m->memory, m->write.aw_beats);
    }
}

void fp8mac_cycles_memory_clock(machine *m, const wires *w)
{
    memory *y = &m->memory;
    y->r_waits = w->r_valid && !w->beat;
    y->b_waits = w->b_valid && !w->answered;
    if (m->p.stall_permille != 0) {
        y->stall_state = xorshift(y->stall_state);
    }
    if (m->p.chip_memory) {
        chip_reads(m, w);
    } else if (w->beat) {
        read_beat(y);
    }
    if (m->read.ar_valid && w->ar_ready) {
        take_address(m);
    }
    if (w->answered) {
        y->answers_head = (y->answers_head + 1u) % MEMORY_RING;
        y->answers_level--;
    }
    const bool aw = m->write.aw_valid && w->aw_ready, data = m->write.w_valid && w->w_ready;
    if (m->p.chip_memory) {
        chip_writes(m, aw, data);
    } else {
        ideal_writes(m, aw, data);
    }
}
