// SPDX-License-Identifier: Apache-2.0
// A core with a cache, for host builds: linked in place of firmware/port/host/host_memory.c and
// port.c.
//
// The accelerator has a memory of its own, and the process's memory is what the core sees through
// its cache. Nothing passes between them but by the port's functions: `clean` writes what the core
// has changed since to the accelerator's memory, and `invalidate` replaces what the core sees by
// what is there. Until it is cleaned, each byte of the accelerator's memory is POISON: a NaN of
// most formats and no sensible address. So an operand that the library does not clean gives wrong
// results, and a result that it does not invalidate stays what it was. This is the strictest cache
// that the contract in fp8rt/port.h allows: it never writes a line back and never loses one by
// itself. With each operation it begins anew: what an earlier one has cleaned is poison again. So
// a list that cleans too little is found even where the same layer ran without it before.
//
// If the environment has CACHE_TOTALS, the program says at its end, on stderr, how many bytes were
// cleaned and invalidated.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fp8rt/app.h"
#include "fp8rt/network.h"
#include "host_memory.h"

#define TOTALS_VARIABLE "CACHE_TOTALS"
#define POISON 0xff
#define CHUNK ((uintptr_t)1 << 20) // bytes of memory that are added at a time
#define MOST_CHUNKS 512u
#define MOST_SPANS 65536u

// Where the bytes that belong to an address are: addresses of processes differ from these in bits
// 44 and 45.
#define MEMORY ((uintptr_t)1 << 45) // of the accelerator
#define SEEN ((uintptr_t)1 << 44)   // what the core had when both were last equal
#define KNOWN (MEMORY | SEEN)       // 1: they have been

static uintptr_t chunks[MOST_CHUNKS];
static size_t chunk_count, cleaned, invalidated;

// What this operation has cleaned
static struct {
    uintptr_t address;
    size_t bytes;
} spans[MOST_SPANS];
static size_t span_count;
static bool worked; // the accelerator has, since it was cleaned last

static void say_totals(void)
{
    fprintf(stderr, "cache: %zu bytes cleaned, %zu invalidated\n", cleaned, invalidated);
}

static void add(uintptr_t chunk, uintptr_t which, int byte)
{
    void *const place = (void *)(chunk ^ which);
    if (mmap(place, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
             0) != place) {
        fprintf(stderr, "cache: this process uses %p itself\n", place);
        exit(EXIT_FAILURE);
    }
    if (byte != 0) {
        memset(place, byte, CHUNK);
    }
}

static void add_chunk(uintptr_t chunk)
{
    for (size_t i = 0; i < chunk_count; i++) {
        if (chunks[i] == chunk) {
            chunks[i] = chunks[0]; // the next look-up begins with it
            chunks[0] = chunk;
            return;
        }
    }
    if (chunk_count == MOST_CHUNKS) {
        fprintf(stderr, "cache: more than %u MiB are in use\n", MOST_CHUNKS);
        exit(EXIT_FAILURE);
    }
    if (chunk_count == 0 && getenv(TOTALS_VARIABLE) != NULL) {
        atexit(say_totals);
    }
    add(chunk, MEMORY, POISON);
    add(chunk, SEEN, 0);
    add(chunk, KNOWN, 0);
    chunks[chunk_count++] = chunk;
}

static uint8_t *place(uintptr_t address, uintptr_t which)
{
    return (uint8_t *)(address ^ which);
}

static uint8_t *memory_at(uintptr_t address, size_t bytes)
{
    const uintptr_t last = (address + (bytes == 0 ? 0 : bytes - 1u)) & ~(CHUNK - 1u);
    for (uintptr_t chunk = address & ~(CHUNK - 1u); chunk <= last; chunk += CHUNK) {
        if (chunk_count == 0 || chunks[0] != chunk) {
            add_chunk(chunk);
        }
    }
    return place(address, MEMORY);
}

uint8_t *fp8rt_host_at(uintptr_t address, size_t bytes)
{
    worked = true;
    return memory_at(address, bytes);
}

// Nothing is in flight, and no list pauses.
static bool is_idle(const fp8rt_device *dev)
{
    return dev->begun == 0 && (dev->network == NULL || !dev->network->started);
}

static void begin_operation(void)
{
    for (size_t i = 0; i < span_count; i++) {
        memset(place(spans[i].address, MEMORY), POISON, spans[i].bytes);
        memset(place(spans[i].address, KNOWN), 0, spans[i].bytes);
    }
    span_count = 0;
}

static void note_span(uintptr_t address, size_t bytes)
{
    if (span_count == MOST_SPANS) {
        fprintf(stderr, "cache: an operation has more than %u regions\n", MOST_SPANS);
        exit(EXIT_FAILURE);
    }
    spans[span_count].address = address;
    spans[span_count++].bytes = bytes;
}

static void clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    const uintptr_t address = (uintptr_t)start;
    const uint8_t *const core = start;
    if (worked && is_idle(dev)) {
        begin_operation();
    }
    worked = false;
    note_span(address, bytes);
    uint8_t *const memory = memory_at(address, bytes), *const seen = place(address, SEEN),
                   *const known = place(address, KNOWN);
    cleaned += bytes;
    for (size_t i = 0; i < bytes; i++) {
        if (known[i] == 0 || core[i] != seen[i]) {
            memory[i] = seen[i] = core[i];
            known[i] = 1;
        }
    }
}

static void invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    const uintptr_t address = (uintptr_t)start;
    const uint8_t *const memory = memory_at(address, bytes);
    (void)dev;
    invalidated += bytes;
    memcpy(start, memory, bytes);
    memcpy(place(address, SEEN), memory, bytes);
    memset(place(address, KNOWN), 1, bytes);
}

const fp8rt_port fp8rt_app_port = {.clean = clean, .invalidate = invalidate};
