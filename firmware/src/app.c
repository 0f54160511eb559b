// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/app.h"

#include <stdio.h>
#include <string.h>

void fp8rt_app_print_element(const fp8rt_caps *caps)
{
    char spelling[FP8RT_ELEMENT_SPELLING_BYTES];
    printf("element       %s\n", fp8rt_element_spell(&caps->element, caps->lanes, spelling));
}

// `macs` in hundredths of a per cent of what the array can do in `cycles`, and the cycles.
static void print_use(const char *head, uint64_t macs, uint64_t macs_per_cycle, uint64_t cycles,
                      const char *what)
{
    char text[21];
    uint64_t most = cycles * macs_per_cycle;
    uint32_t hundredths = most == 0 ? 0 : (uint32_t)((macs * 10000u + most / 2) / most);
    printf("%-13s %2u.%02u %% %s: %s cycles\n", head, (unsigned)(hundredths / 100u),
           (unsigned)(hundredths % 100u), what, fp8rt_app_decimal(cycles, text));
}

void fp8rt_app_print_utilisation(const fp8rt_caps *caps, const fp8rt_counters *gemms,
                                 uint64_t run_cycles)
{
    uint64_t macs_per_cycle = (uint64_t)caps->rows * caps->cols * caps->lanes;
    print_use("utilisation", gemms->macs, macs_per_cycle, gemms->cycles,
              "while the accelerator ran GEMMs");
    print_use("", gemms->macs, macs_per_cycle, run_cycles,
              "of the whole run, the core's own work and the console included");
}

void *fp8rt_arena_alloc(fp8rt_arena *arena, size_t bytes)
{
    uint8_t *start = (uint8_t *)(((uintptr_t)arena->next + 63u) & ~(uintptr_t)63u);
    if (start > arena->end || bytes > (size_t)(arena->end - start)) {
        return NULL;
    }
    arena->next = start + bytes;
    return start;
}

const char *fp8rt_app_option(int argc, char **argv, const char *key)
{
    const char *value = NULL;
    size_t length = strlen(key);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=') {
            value = argv[i] + length + 1;
        }
    }
    return value;
}

const char *fp8rt_app_decimal(uint64_t x, char buffer[21])
{
    char *digit = buffer + 20;
    *digit = '\0';
    do {
        *--digit = (char)('0' + x % 10);
        x /= 10;
    } while (x != 0);
    return digit;
}
