// SPDX-License-Identifier: Apache-2.0
// The host's implementation of fp8rt/app.h. Its static memory is as large as the chip's. It calls
// the simulator's checker directly.
#include "fp8rt/app.h"

#include <stdio.h>
#include <stdlib.h>

#include "gemm_check.h"
#include "ask.h"

// Names the file that gets every checked D of this process, as the simulator's --dump-outputs does:
// what the file had is lost, and rows have no padding.
#define DUMP_VARIABLE "FP8RT_DUMP"
#define ARENA_BYTES ((16u << 20) - (256u << 10)) // about as much as the chip has

const bool fp8rt_app_is_host = true;
const uintptr_t fp8rt_app_slverr_address = 0;
const uintptr_t fp8rt_app_decerr_address = 0x50000000u; // where Linux maps nothing by itself

bool fp8rt_app_interrupt_line(void)
{
    return false;
}

void fp8rt_app_handle_interrupts(fp8rt_device *dev)
{
    (void)dev;
}

fp8rt_arena fp8rt_app_arena(void)
{
    static _Alignas(64) uint8_t memory[ARENA_BYTES];
    return (fp8rt_arena){memory, memory + sizeof memory};
}

void fp8rt_app_stop_bus(bool stopped)
{
    (void)stopped;
}

uint64_t fp8rt_app_cycles(void)
{
    return 0;
}

// Addresses in a record are this process's own.
static const void *resolve(void *context, uint64_t address, uint64_t size)
{
    (void)context;
    (void)size;
    return (const void *)(uintptr_t)address;
}

static void dump(const char *path, const fp8rt_check_record *record)
{
    static bool is_begun;
    FILE *file = fopen(path, is_begun ? "ab" : "wb");
    is_begun = true;
    for (uint32_t m = 0; file != NULL && m < record->m; m++) {
        size_t bytes;
        const void *row = fp8rt_check_d_row(record, m, resolve, NULL, &bytes);
        if (row != NULL) {
            fwrite(row, 1, bytes, file);
        }
    }
    if (file == NULL || fclose(file) != 0) {
        fprintf(stderr, DUMP_VARIABLE ": cannot write %s\n", path);
        exit(EXIT_FAILURE);
    }
}

uint32_t fp8rt_fill_ask(const fp8rt_fill_record *record)
{
    (void)record;
    return 0;
}

uint32_t fp8rt_check_ask(const fp8rt_check_record *record)
{
    fp8rt_check_counters counters = {0};
    const char *path = getenv(DUMP_VARIABLE);
    uint32_t differing = fp8rt_check_run(record, resolve, NULL, &counters);
    if (path != NULL && differing != FP8RT_CHECK_MALFORMED) {
        dump(path, record);
    }
    return differing;
}
