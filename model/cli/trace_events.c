// SPDX-License-Identifier: Apache-2.0
#include "trace_events.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    char *name;
    uint32_t tag;
    uint64_t begin;
} span;

typedef struct track {
    span *open; // the oldest one first
    size_t count, room;
    uint64_t free; // first cycle after the track's last span
} track;

struct trace_events {
    FILE *file;
    track tracks[TRACE_TRACKS];
    uint64_t last_rates;
    bool any, failed;
};

static const char *const track_names[TRACE_TRACKS] = {"core", "load", "compute", "command"};

__attribute__((format(printf, 2, 3))) static void event(trace_events *t, const char *format, ...)
{
    fputs(t->any ? ",\n" : "\n", t->file);
    t->any = true;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(t->file, format, arguments);
    va_end(arguments);
}

trace_events *trace_events_open(const char *path, uint64_t begin)
{
    trace_events *t = calloc(1, sizeof *t);
    if (t == NULL || (t->file = fopen(path, "w")) == NULL) {
        free(t);
        return NULL;
    }
    t->last_rates = begin;
    fputs("{\"traceEvents\":[", t->file);
    event(t, "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"fp8mac\"}}");
    for (unsigned i = 0; i < TRACE_COMMAND; i++) {
        event(t,
              "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\","
              "\"args\":{\"name\":\"%s\"}}",
              i, track_names[i]);
    }
    return t;
}

// ---- spans --------------------------------------------------------------------------------------

// A copy of a name as JSON has it; NULL: there is no memory.
static char *quoted(const char *name)
{
    char *text = malloc(2 * strlen(name) + 1), *to = text;
    for (; text != NULL && *name != '\0'; name++) {
        if (*name == '"' || *name == '\\') {
            *to++ = '\\';
        }
        *to++ = (char)((unsigned char)*name < ' ' ? '?' : *name);
    }
    if (text != NULL) {
        *to = '\0';
    }
    return text;
}

void trace_events_begin(trace_events *t, trace_track number, const char *name, uint32_t tag,
                        uint64_t cycle)
{
    track *k = &t->tracks[number];
    if (k->count == k->room) {
        const size_t room = k->room == 0 ? 16 : 2 * k->room;
        span *open = realloc(k->open, room * sizeof *open);
        if (open == NULL) {
            t->failed = true;
            return;
        }
        k->open = open;
        k->room = room;
    }
    k->open[k->count] = (span){quoted(name), tag, cycle};
    t->failed |= k->open[k->count].name == NULL;
    k->count++;
}

// Commands overlap, so each has a line of its own.
static void write_command(trace_events *t, const span *s, uint64_t cycle, const char *outcome)
{
    for (int end = 0; end < 2; end++) {
        event(t,
              "{\"ph\":\"%c\",\"pid\":1,\"cat\":\"command\",\"id\":%" PRIu64
              ",\"name\":\"command %s%s\",\"ts\":%" PRIu64 "}",
              end ? 'e' : 'b', s->begin, s->name, outcome, end ? cycle : s->begin);
    }
}

// On the other tracks a span begins when the one before it has ended.
static void write_span(trace_events *t, trace_track number, const span *s, uint64_t cycle)
{
    track *k = &t->tracks[number];
    const uint64_t begin = s->begin > k->free ? s->begin : k->free;
    const uint64_t end = cycle > begin ? cycle : begin;
    const bool core = number == TRACE_CORE;
    event(t,
          "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s%s%s\",\"ts\":%" PRIu64
          ",\"dur\":%" PRIu64 "}",
          (unsigned)number, core ? "active" : track_names[number], core ? "" : " ",
          core ? "" : s->name, begin, end - begin);
    k->free = end;
}

// Takes the oldest open span from its track, and writes it.
static void finish(trace_events *t, trace_track number, uint64_t cycle, const char *outcome)
{
    track *k = &t->tracks[number];
    const span oldest = k->open[0];
    k->count--;
    memmove(k->open, k->open + 1, k->count * sizeof *k->open);
    if (oldest.name != NULL && number == TRACE_COMMAND) {
        write_command(t, &oldest, cycle, outcome);
    } else if (oldest.name != NULL) {
        write_span(t, number, &oldest, cycle);
    }
    free(oldest.name);
}

void trace_events_end(trace_events *t, trace_track number, uint64_t cycle)
{
    if (t->tracks[number].count != 0) {
        finish(t, number, cycle, "");
    }
}

void trace_events_retire(trace_events *t, uint32_t tag, uint64_t cycle)
{
    const track *k = &t->tracks[TRACE_COMMAND];
    bool found = false;
    while (!found && k->count != 0) {
        found = k->open[0].tag == tag;
        finish(t, TRACE_COMMAND, cycle, found ? "" : ", dropped");
    }
}

// ---- rates, and the end -------------------------------------------------------------------------

void trace_events_rates(trace_events *t, uint32_t steps, uint32_t reads, uint32_t writes,
                        uint64_t cycle)
{
    const double window = (double)(cycle - t->last_rates);
    event(t,
          "{\"ph\":\"C\",\"pid\":1,\"name\":\"steps per cycle\",\"ts\":%" PRIu64
          ",\"args\":{\"steps\":%.3f}}",
          t->last_rates, steps / window);
    event(t,
          "{\"ph\":\"C\",\"pid\":1,\"name\":\"bus beats per cycle\",\"ts\":%" PRIu64
          ",\"args\":{\"read\":%.3f,\"write\":%.3f}}",
          t->last_rates, reads / window, writes / window);
    t->last_rates = cycle;
}

void trace_events_tell(trace_events *t, const fp8mac_cycles_event *event, const char *name,
                       uint32_t tag, uint64_t cycle)
{
    switch (event->kind) {
    case FP8MAC_CYCLES_SUBMITTED: trace_events_begin(t, TRACE_COMMAND, name, tag, cycle); break;
    case FP8MAC_CYCLES_LOAD_BEGINS: trace_events_begin(t, TRACE_LOAD, name, tag, cycle); break;
    case FP8MAC_CYCLES_LOAD_ENDS: trace_events_end(t, TRACE_LOAD, cycle); break;
    case FP8MAC_CYCLES_COMPUTE_BEGINS:
        trace_events_begin(t, TRACE_COMPUTE, name, tag, cycle);
        break;
    case FP8MAC_CYCLES_COMPUTE_ENDS: trace_events_end(t, TRACE_COMPUTE, cycle); break;
    case FP8MAC_CYCLES_RETIRES: trace_events_retire(t, tag, cycle); break;
    case FP8MAC_CYCLES_WINDOW_ENDS:
        trace_events_rates(t, event->steps, event->read_beats, event->write_beats, cycle);
        break;
    }
}

bool trace_events_close(trace_events *t, uint64_t cycle)
{
    for (unsigned i = 0; i < TRACE_TRACKS; i++) {
        while (t->tracks[i].count != 0) {
            finish(t, (trace_track)i, cycle, ", unfinished");
        }
        free(t->tracks[i].open);
    }
    fputs("\n],\"displayTimeUnit\":\"ns\"}\n", t->file);
    const bool failed = t->failed || ferror(t->file) != 0;
    const bool closed = fclose(t->file) == 0;
    free(t);
    return closed && !failed;
}
