// SPDX-License-Identifier: Apache-2.0
#ifndef FP8MAC_CYCLES_LEAP_H
#define FP8MAC_CYCLES_LEAP_H

#include "cycles/machine.h"

enum { NOTES = 32 };

// The state when compute took a tile command
typedef struct note {
    uint64_t taken, retired, now, hash;
    fp8mac_cycles_counters counters;
    machine state; // relative to the tile command and the cycle
} note;

typedef struct history {
    uint64_t count;    // of notes, the oldest ones are gone
    uint64_t left_out; // cycles
    note notes[NOTES];
} history;

// Notes the state, in the cycle in which compute has taken a tile command. If it is a known one,
// goes on to the last point that is certain. Software must have nothing more to submit.
void fp8mac_cycles_leap_if_known(machine *m, history *h);

#endif
