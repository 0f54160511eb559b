// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_VARIABLE "FP8RT_ARRAY"
#define ELEMENT_VARIABLE "FP8RT_ELEMENT"

#define FP32 (1u << FP8MAC_ACC_FP32)
#define FP16 (1u << FP8MAC_ACC_FP16)
#define FIXED (1u << FP8MAC_ACC_FIXED)

typedef struct kind {
    fp8rt_element element;         // frac_bits: unless told otherwise
    uint8_t least_bits, most_bits; // of a window
    bool late;                     // without a window if there is but one lane
} kind;

static const kind kinds[] = {
    {{.kind = FP8RT_ELEMENT_EXACT, .accumulators = FP32 | FP16, .e5m2 = true}, 0, 0, false},
    {{.kind = FP8RT_ELEMENT_ALIGNED_FP32, .accumulators = FP32, .e5m2 = true, .frac_bits = 25},
     23,
     29,
     false},
    {{.kind = FP8RT_ELEMENT_ALIGNED_FP16, .accumulators = FP16, .e5m2 = true, .frac_bits = 13},
     10,
     29,
     false},
    {{.kind = FP8RT_ELEMENT_LATE_FP32, .accumulators = FP32, .e5m2 = true, .frac_bits = 25},
     10,
     29,
     true},
    {{.kind = FP8RT_ELEMENT_LATE_FP16, .accumulators = FP16, .e5m2 = true, .frac_bits = 13},
     10,
     29,
     true},
    {{.kind = FP8RT_ELEMENT_KULISCH, .accumulators = FIXED, .terms_log2 = 16}, 0, 0, false},
};

static const kind *find_kind(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *known = fp8rt_element_name(kinds[i].element.kind);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

// What follows the name: nothing, or _fBITS.
static bool read_bits(const kind *kind, const char *text, uint8_t *frac_bits)
{
    char *end;
    if (*text == '\0') {
        return true;
    }
    unsigned long bits = strtoul(text + 2, &end, 10);
    *frac_bits = (uint8_t)bits;
    return *end == '\0' && bits != 0 && bits >= kind->least_bits && bits <= kind->most_bits;
}

static bool choose_element(uint32_t lanes, fp8rt_element *element)
{
    const char *text = getenv(ELEMENT_VARIABLE);
    if (text == NULL) {
        text = fp8rt_element_name(FP8RT_ELEMENT_EXACT);
    }
    size_t length = 0; // of the name: _f followed by digits alone ends it, _fp16 does not
    while (text[length] != '\0' &&
           !(strncmp(text + length, "_f", 2) == 0 &&
             strspn(text + length + 2, "0123456789") == strlen(text + length + 2))) {
        length++;
    }
    const kind *kind = find_kind(text, length);
    if (kind == NULL) {
        return false;
    }
    *element = kind->element;
    if (!read_bits(kind, text + length, &element->frac_bits)) {
        return false;
    }
    if (kind->late && lanes == 1) {
        element->frac_bits = 0;
    }
    if (kind->late && lanes > 1) {
        element->align_by = FP8MAC_ALIGN_BY_OPERANDS;
    }
    return true;
}

static bool is_side(unsigned x, unsigned most)
{
    return x != 0 && x <= most && (x & (x - 1u)) == 0;
}

bool fp8rt_host_array(fp8rt_caps *caps)
{
    unsigned rows = 8, cols = 8, lanes = 4;
    const char *array = getenv(ARRAY_VARIABLE);
    if (array != NULL && sscanf(array, "%ux%ux%u", &rows, &cols, &lanes) != 3) {
        return false;
    }
    *caps = (fp8rt_caps){.rows = (uint16_t)rows,
                         .cols = (uint16_t)cols,
                         .lanes = (uint16_t)lanes,
                         .beat_bytes = 16,
                         .banks_m = 2,
                         .banks_n = 2,
                         .queue_depth = 8,
                         .buf_beats = 256,
                         .max_mn = 128};
    return is_side(rows, FP8RT_HOST_MAX_SIDE) && is_side(cols, FP8RT_HOST_MAX_SIDE) &&
           is_side(lanes, caps->beat_bytes) && choose_element(lanes, &caps->element);
}
