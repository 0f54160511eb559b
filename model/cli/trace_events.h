// SPDX-License-Identifier: Apache-2.0
// A timeline of the accelerator's work as trace-event JSON, which ui.perfetto.dev and
// chrome://tracing show. One microsecond of the timeline is one cycle. `fp8mac cycles --timeline`
// and the simulator's --timeline write it with the functions here.
#ifndef FP8MAC_CLI_TRACE_EVENTS_H
#define FP8MAC_CLI_TRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/cycles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trace_events trace_events;

// Lines of the timeline, with the numbers of rtl/system/fp8mac_sys_timeline.sv
typedef enum trace_track {
    TRACE_CORE = 0,    // the core does not sleep
    TRACE_LOAD = 1,    // operands of a tile command
    TRACE_COMPUTE = 2, // its steps
    TRACE_COMMAND = 3, // a command, from its submission until its results are in memory
    TRACE_TRACKS = 4,
} trace_track;

// NULL: the file cannot be written; errno says why. The first rates are of the cycles from `begin`
// on.
trace_events *trace_events_open(const char *path, uint64_t begin);

// A span begins. Spans of a track end in the order in which they begin. `name` is that of its
// command.
void trace_events_begin(trace_events *t, trace_track track, const char *name, uint32_t tag,
                        uint64_t cycle);
// The oldest open span of the track ends.
void trace_events_end(trace_events *t, trace_track track, uint64_t cycle);
// The command with this tag ends. Commands before it that are still open have been dropped.
void trace_events_retire(trace_events *t, uint32_t tag, uint64_t cycle);
// Cycles with a step, and beats of the bus, since the last call
void trace_events_rates(trace_events *t, uint32_t steps, uint32_t reads, uint32_t writes,
                        uint64_t cycle);
// What the model of cycles tells: one of the calls above. Without a command, name and tag have no
// effect.
void trace_events_tell(trace_events *t, const fp8mac_cycles_event *event, const char *name,
                       uint32_t tag, uint64_t cycle);
// Ends all spans and the file. False if some of it could not be written.
bool trace_events_close(trace_events *t, uint64_t cycle);

#ifdef __cplusplus
}
#endif
#endif
