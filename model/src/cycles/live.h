// SPDX-License-Identifier: Apache-2.0
// The model of cycles, clock by clock beside something else: a simulator submits commands when its
// software does, and sees in each cycle what the accelerator's other blocks would see. The machine
// is that of fp8mac_cycles_run, without leaps.
//
// In each cycle: fp8mac_live_look, then at most one submission, then fp8mac_live_cycle.
#ifndef FP8MAC_CYCLES_LIVE_H
#define FP8MAC_CYCLES_LIVE_H

#pragma GCC visibility push(default)
#include "fp8mac/cycles.h"
#pragma GCC visibility pop

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8mac_live fp8mac_live;

// As software sees it in the cycle to come
typedef struct fp8mac_live_view {
    bool list_busy;  // a descriptor is read, or a list goes on: no submission is taken
    bool queue_full; // likewise
    bool paused;
    bool engines_idle; // the accelerator is idle, unless software submits in this cycle
    uint32_t queue_level;
    uint32_t position; // of the list
} fp8mac_live_view;

// What happens in a cycle. Commands have the numbers of their submissions, from 0 on.
typedef struct fp8mac_live_events {
    bool idle;
    bool fetched; // a descriptor: command `fetched_command` goes to the queue
    bool stored;  // store has passed on from the last tile command of `stored_command`
    bool retired; // memory has acknowledged the last write of `retired_command`
    size_t fetched_command, stored_command, retired_command;
} fp8mac_live_events;

// Behind a reset, in cycle 0. NULL: the configuration is not possible, or there is no memory.
fp8mac_live *fp8mac_live_new(const fp8mac_cycles_config *config);
void fp8mac_live_free(fp8mac_live *l);

// What happens from here on is told. False: there is no memory.
bool fp8mac_live_watch(fp8mac_live *l, const fp8mac_cycles_watcher *watcher);

void fp8mac_live_look(const fp8mac_live *l, fp8mac_live_view *view);

// Submits a command in the cycle to come, whose number is not needed in it. Behind DOORBELL and
// RESUMED, the LISTED ones of the same list up to its end or its pause follow at once. The status
// is that of fp8mac_cycles_run for a command that the accelerator would refuse.
fp8mac_status fp8mac_live_submit(fp8mac_live *l, const fp8mac_cycles_command *command);
// Ends a list that pauses, as CTRL.end_list does.
void fp8mac_live_end_list(fp8mac_live *l);

void fp8mac_live_cycle(fp8mac_live *l, fp8mac_live_events *events);
// So many cycles of an accelerator that has been idle for FP8MAC_LIVE_SETTLED cycles
enum { FP8MAC_LIVE_SETTLED = 64 };
void fp8mac_live_skip(fp8mac_live *l, uint64_t cycles);

// ---- what registers do --------------------------------------------------------------------------

// The cycle before held a reset of all but the registers, while the accelerator was idle.
void fp8mac_live_reset(fp8mac_live *l);
// The cycle before was none of an idle accelerator: it counts for `command`, or for `store`.
void fp8mac_live_count_command(fp8mac_live *l);
void fp8mac_live_count_store(fp8mac_live *l);
// Nothing is left of the command before, which reuse and chains could use: the end of an error
void fp8mac_live_forget(fp8mac_live *l);
// From the cycle to come on
void fp8mac_live_stall(fp8mac_live *l, uint32_t permille);
// The counters are 0 in the cycle to come.
void fp8mac_live_clear_counters(fp8mac_live *l);
// The registers of the counters in the cycle to come
void fp8mac_live_counters(const fp8mac_live *l, fp8mac_cycles_counters *counters);
// Multiply-accumulates since the reset, and cycles with a command
void fp8mac_live_usage(const fp8mac_live *l, uint64_t *macs, uint64_t *busy);

#ifdef __cplusplus
}
#endif
#endif
