// SPDX-License-Identifier: Apache-2.0
#include "watched.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace_events.h"

typedef struct files {
    const watched *w;
    FILE *bus;
    trace_events *timeline;
} files;

static void write_transfer(void *context, const fp8mac_cycles_transfer *t)
{
    static const char *const names[] = {"ar", "r", "aw", "w", "b"};
    const files *f = context;
    fprintf(f->bus, "%" PRIu64 ",%s,0x%08" PRIx32 ",%" PRIu32 "\n", f->w->start + t->cycle,
            names[t->channel], t->address, t->bytes);
}

static void write_event(void *context, const fp8mac_cycles_event *e)
{
    const files *f = context;
    const uint64_t cycle = f->w->start + e->cycle;
    const bool window = e->kind == FP8MAC_CYCLES_WINDOW_ENDS; // of no command
    trace_events_tell(f->timeline, e, window ? "" : f->w->names[e->command], (uint32_t)e->command,
                      cycle);
}

// The end of the window before the one in which the run begins. Windows end in the last one of
// FP8MAC_CYCLES_WINDOW cycles.
static uint64_t window_before(uint64_t start)
{
    const uint64_t begin = start / FP8MAC_CYCLES_WINDOW * FP8MAC_CYCLES_WINDOW;
    return begin == 0 ? 0 : begin - 1u;
}

static void open_files(cli *c, files *f)
{
    const watched *w = f->w;
    if (w->bus != NULL) {
        c->open = f->bus = fopen(w->bus, "w");
        if (f->bus == NULL) {
            cli_fail_output(c, "'%.200s' cannot be written (%s)", w->bus, strerror(errno));
        }
        fputs("cycle,channel,address,bytes\n", f->bus);
    }
    if (w->timeline != NULL) {
        f->timeline = trace_events_open(w->timeline, window_before(w->start));
        if (f->timeline == NULL) {
            cli_fail_output(c, "'%.200s' cannot be written (%s)", w->timeline, strerror(errno));
        }
    }
}

static void close_files(cli *c, files *f, uint64_t end)
{
    const watched *w = f->w;
    const bool timeline = f->timeline == NULL || trace_events_close(f->timeline, end);
    bool bus = f->bus == NULL || ferror(f->bus) == 0;
    c->open = NULL;
    bus &= f->bus == NULL || fclose(f->bus) == 0;
    if (!bus || !timeline) {
        cli_fail_output(c, "'%.200s' could not be written", bus ? w->timeline : w->bus);
    }
}

fp8mac_status watched_run(cli *c, const fp8mac_cycles_config *config,
                          const fp8mac_cycles_command *commands, size_t count, const watched *w,
                          size_t *refused, fp8mac_cycles_counters *counters)
{
    if (w->bus == NULL && w->timeline == NULL) {
        return fp8mac_cycles_run(config, commands, count, NULL, refused, counters);
    }
    files f = {.w = w};
    open_files(c, &f);
    const fp8mac_cycles_watcher watcher = {
        .context = &f,
        .transfer = f.bus != NULL ? write_transfer : NULL,
        .event = f.timeline != NULL ? write_event : NULL,
        .first_cycle = w->start,
    };
    *counters = (fp8mac_cycles_counters){0};
    const fp8mac_status status =
        fp8mac_cycles_run_watched(config, commands, count, NULL, refused, counters, &watcher);
    close_files(c, &f, w->start + counters->cycles);
    return status;
}
