// SPDX-License-Identifier: Apache-2.0
// The transfers of the bus, for a listener. Nothing here decides about time.
#ifndef FP8MAC_CYCLES_BUS_H
#define FP8MAC_CYCLES_BUS_H

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

typedef struct bus {
    fp8mac_cycles_listener listener;
    void *context;
    bus_side reads, writes;
} bus;

// A DMA engine has a burst that begins in this row.
void fp8mac_cycles_bus_push(bus_side *side, uint32_t address, uint32_t beats, uint32_t bytes);

#endif
