// SPDX-License-Identifier: Apache-2.0
// quiet FILE.fst SCOPE SIGNAL: what changes below SCOPE while SIGNAL says that nothing does.
// Prints `N quiet cycles`, then the names below SCOPE that change in one of them, a line each.
//
// A cycle is two units of time, the first from the rising edge of the clock. It is quiet if SIGNAL
// was 1 before that edge, and the inputs valid_i and stall_write_i were 0.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gtkwave/fstapi.h"

enum { PATH = 4096 };

typedef struct signal {
    char *name;   // below the scope, or NULL
    bool changed; // since the cycle began
    bool reported;
} signal;

typedef struct reader {
    signal *signals; // by handle
    fstHandle *changed;
    size_t count, changes;
    fstHandle quiet, valid, stall;
    bool is_quiet, is_valid, is_stall; // now
    bool cycle_is_quiet;
    uint64_t cycle, quiet_cycles;
} reader;

static void enter(char *path, const char *name)
{
    const size_t length = strlen(path);
    if (length + strlen(name) + 2 < PATH) {
        snprintf(path + length, PATH - length, "%s%s", length == 0 ? "" : ".", name);
    }
}

static void leave(char *path)
{
    char *dot = strrchr(path, '.');
    *(dot == NULL ? path : dot) = '\0';
}

// Keeps the first name of a signal; others are aliases.
static void keep(reader *r, char **arguments, const char *path, const char *name, fstHandle handle)
{
    const char *scope = arguments[2];
    char full[2 * PATH];
    snprintf(full, sizeof full, "%s.%.*s", path, (int)strcspn(name, " "), name);
    const size_t length = strlen(scope);
    if (strncmp(full, scope, length) != 0 || full[length] != '.') {
        return;
    }
    const char *below = full + length + 1;
    if (r->signals[handle].name == NULL) {
        r->signals[handle].name = strdup(below);
    }
    r->quiet = strcmp(below, arguments[3]) == 0 ? handle : r->quiet;
    r->valid = strcmp(below, "valid_i") == 0 ? handle : r->valid;
    r->stall = strcmp(below, "stall_write_i") == 0 ? handle : r->stall;
}

static void name_signals(reader *r, void *file, char **arguments)
{
    char path[PATH] = "";
    for (struct fstHier *item; (item = fstReaderIterateHier(file)) != NULL;) {
        switch (item->htyp) {
        case FST_HT_SCOPE: enter(path, item->u.scope.name); break;
        case FST_HT_UPSCOPE: leave(path); break;
        case FST_HT_VAR: keep(r, arguments, path, item->u.var.name, item->u.var.handle); break;
        default: break;
        }
    }
}

// The cycle is complete: its changes count if it was quiet.
static void end_cycle(reader *r)
{
    for (size_t i = 0; i < r->changes; i++) {
        signal *s = &r->signals[r->changed[i]];
        s->reported |= r->cycle_is_quiet;
        s->changed = false;
    }
    r->changes = 0;
    r->quiet_cycles += r->cycle_is_quiet;
    r->cycle_is_quiet = r->is_quiet && !r->is_valid && !r->is_stall;
}

static void change(void *user, uint64_t time, fstHandle handle, const unsigned char *value)
{
    reader *r = user;
    for (; time / 2 > r->cycle; r->cycle++) {
        end_cycle(r);
    }
    signal *s = &r->signals[handle];
    if (s->name != NULL && !s->changed) {
        s->changed = true;
        r->changed[r->changes++] = handle;
    }
    r->is_quiet = handle == r->quiet ? value[0] == '1' : r->is_quiet;
    r->is_valid = handle == r->valid ? value[0] == '1' : r->is_valid;
    r->is_stall = handle == r->stall ? value[0] == '1' : r->is_stall;
}

static void change_long(void *user, uint64_t time, fstHandle handle, const unsigned char *value,
                        uint32_t length)
{
    (void)length;
    change(user, time, handle, value);
}

int main(int argc, char **argv)
{
    void *file = argc == 4 ? fstReaderOpen(argv[1]) : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: quiet FILE.fst SCOPE SIGNAL\n");
        return 2;
    }
    reader r = {.count = fstReaderGetMaxHandle(file) + 1};
    r.signals = calloc(r.count, sizeof *r.signals);
    r.changed = calloc(r.count, sizeof *r.changed);
    name_signals(&r, file, argv);
    fstReaderSetFacProcessMaskAll(file);
    fstReaderIterBlocks2(file, change, change_long, &r, NULL);
    printf("%llu quiet cycles\n", (unsigned long long)r.quiet_cycles);
    for (size_t i = 0; i < r.count; i++) {
        if (r.signals[i].reported) {
            puts(r.signals[i].name);
        }
    }
    fstReaderClose(file);
    return 0;
}
