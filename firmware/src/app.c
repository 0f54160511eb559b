// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/app.h"

#include <stdio.h>
#include <string.h>

void fp8rt_app_print_element(const fp8rt_caps *caps)
{
    char spelling[FP8RT_ELEMENT_SPELLING_BYTES];
    printf("element       %s\n", fp8rt_element_spell(&caps->element, caps->lanes, spelling));
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
