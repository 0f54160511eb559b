// SPDX-License-Identifier: Apache-2.0
// What happens in a run, for a watcher. Nothing here decides about time.
#ifndef FP8MAC_CYCLES_WATCH_H
#define FP8MAC_CYCLES_WATCH_H

#include "cycles/parameters.h"

typedef struct bus_burst {
    uint32_t address, beats;
    uint32_t bytes; // from its address on
} bus_burst;

// The bursts of a direction, from a DMA engine until their last answer
typedef struct bus_side {
    bus_burst ring[2 * MEMORY_RING];
    uint32_t pushed, addressed, moved, answered; // bursts so far
    uint32_t beat;                               // of the burst that moves
} bus_side;

typedef struct watch {
    fp8mac_cycles_watcher to;
    bus_side reads, writes;
    // What the RTL's counters were when software cleared them, and at the end of the last window;
    // `late` is that of steps in the cycle before, because it counts one cycle late.
    fp8mac_cycles_counters cleared, window, late;
} watch;

// A DMA engine has a burst that begins in this row.
void fp8mac_cycles_watch_burst(bus_side *side, uint32_t address, uint32_t beats, uint32_t bytes);

#endif
