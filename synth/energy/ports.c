// SPDX-License-Identifier: Apache-2.0
// ports FILE.fst NAMES OUT CYCLES: what signals of a waveform did in its first CYCLES cycles.
//
// NAMES has a line `NAME WIDTH` for each signal: its hierarchical name with `_` for every character
// that is neither a letter nor a digit. OUT gets pairs of 32 bits (cycle, bit) for every change of
// a bit in the order of time. Bits are numbered in the order of NAMES, the lowest bit of a signal
// first, and all are 0 before cycle 0. A cycle has two units of the waveform's time, and a signal's
// value in it is that at its end. A name that the waveform has not, or with another width, is an
// error.
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gtkwave/fstapi.h"

enum { PATH = 4096 };

typedef struct signal {
    char name[PATH];
    unsigned width, first; // its lowest bit's number
    fstHandle handle;      // 0: not found
} signal;

typedef struct recorder {
    signal *signals;
    unsigned count, bits;
    unsigned char *value, *before; // of each bit: in this cycle so far, and at the end of the last
    unsigned **followers;          // by handle: how many signals, and which
    uint32_t *touched;             // bits that may have changed in this cycle
    size_t touched_count, touched_room;
    uint32_t cycle, cycles;
    FILE *out;
} recorder;

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "ports: %s%s\n", what, which);
    exit(1);
}

static void *room_for(void *old, size_t count, size_t size)
{
    void *found = realloc(old, (count == 0 ? 1 : count) * size);
    if (found == NULL) {
        fail("no memory", "");
    }
    return found;
}

static void read_names(recorder *r, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail("cannot read ", path);
    }
    signal next = {.first = 0};
    while (fscanf(file, "%4095s %u", next.name, &next.width) == 2) {
        next.first = r->bits;
        r->bits += next.width;
        r->signals = room_for(r->signals, r->count + 1, sizeof next);
        r->signals[r->count++] = next;
    }
    fclose(file);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const signal *)a)->name, ((const signal *)b)->name);
}

static void enter(char *path, const char *name)
{
    size_t length = strlen(path);
    snprintf(path + length, PATH - length, "%s%s", length == 0 ? "" : ".", name);
}

static void leave(char *path)
{
    char *dot = strrchr(path, '.');
    *(dot == NULL ? path : dot) = '\0';
}

// `name` or `name [msb:lsb]` below a path, as NAMES has it.
static void spelled(char *to, const char *path, const char *name)
{
    const int bare = (int)strcspn(name, " ");
    snprintf(to, PATH, "%s.%.*s", path, bare, name);
    for (char *c = to; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
}

static void follow(recorder *r, signal *found, fstHandle handle)
{
    unsigned *its = r->followers[handle];
    const unsigned count = its == NULL ? 0 : its[0];
    its = room_for(its, count + 2, sizeof *its);
    its[0] = count + 1;
    its[count + 1] = (unsigned)(found - r->signals);
    r->followers[handle] = its;
    found->handle = handle;
}

static void find_signals(recorder *r, void *reader)
{
    static char path[PATH];
    static signal wanted;
    r->followers = calloc(fstReaderGetMaxHandle(reader) + 1, sizeof *r->followers);
    for (struct fstHier *item; (item = fstReaderIterateHier(reader)) != NULL;) {
        if (item->htyp == FST_HT_SCOPE) {
            enter(path, item->u.scope.name);
        } else if (item->htyp == FST_HT_UPSCOPE) {
            leave(path);
        } else if (item->htyp == FST_HT_VAR) {
            spelled(wanted.name, path, item->u.var.name);
            signal *found = bsearch(&wanted, r->signals, r->count, sizeof wanted, by_name);
            if (found != NULL && found->handle == 0 && found->width == item->u.var.length) {
                follow(r, found, item->u.var.handle);
                fstReaderSetFacProcessMask(reader, item->u.var.handle);
            }
        }
    }
    for (unsigned i = 0; i < r->count; i++) {
        if (r->signals[i].handle == 0) {
            fail("the waveform has no ", r->signals[i].name);
        }
    }
}

// The cycle is over: writes the bits that are not what they were at the end of the last one.
static void end_cycle(recorder *r)
{
    for (size_t i = 0; i < r->touched_count; i++) {
        const uint32_t bit = r->touched[i];
        if (r->value[bit] != r->before[bit]) {
            const uint32_t pair[2] = {r->cycle, bit};
            fwrite(pair, sizeof pair, 1, r->out);
            r->before[bit] = r->value[bit];
        }
    }
    r->touched_count = 0;
}

static void set_bit(recorder *r, uint32_t bit, unsigned char value)
{
    if (r->value[bit] == value) {
        return;
    }
    r->value[bit] = value;
    if (r->touched_count == r->touched_room) {
        r->touched_room = 2 * r->touched_room + 1024;
        r->touched = room_for(r->touched, r->touched_room, sizeof *r->touched);
    }
    r->touched[r->touched_count++] = bit;
}

static void changed(void *user, uint64_t time, fstHandle handle, const unsigned char *value)
{
    recorder *r = user;
    if (time / 2 >= r->cycles) {
        return;
    }
    if (time / 2 != r->cycle) {
        end_cycle(r);
        r->cycle = (uint32_t)(time / 2);
    }
    const unsigned *its = r->followers[handle];
    for (unsigned i = 1; its != NULL && i <= its[0]; i++) {
        const signal *one = &r->signals[its[i]];
        for (unsigned bit = 0; bit < one->width; bit++) {
            set_bit(r, one->first + bit, value[one->width - 1 - bit] == '1');
        }
    }
}

int main(int argc, char **argv)
{
    recorder r = {.cycle = 0};
    if (argc != 5) {
        fail("usage: ports FILE.fst NAMES OUT CYCLES", "");
    }
    read_names(&r, argv[2]);
    r.value = calloc(r.bits + 1, 1);
    r.before = calloc(r.bits + 1, 1);
    r.cycles = (uint32_t)strtoul(argv[4], NULL, 10);
    qsort(r.signals, r.count, sizeof *r.signals, by_name);
    void *reader = fstReaderOpen(argv[1]);
    r.out = fopen(argv[3], "wb");
    if (reader == NULL || r.out == NULL) {
        fail(reader == NULL ? "this is no waveform: " : "cannot write ",
             argv[reader == NULL ? 1 : 3]);
    }
    find_signals(&r, reader);
    fstReaderIterBlocks(reader, changed, &r, NULL);
    end_cycle(&r);
    fstReaderClose(reader);
    return fclose(r.out) == 0 ? 0 : 1;
}
