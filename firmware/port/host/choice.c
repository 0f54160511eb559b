// SPDX-License-Identifier: Apache-2.0
#include "choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/version.h"

#define ARRAY_VARIABLE "FP8RT_ARRAY"
#define ELEMENT_VARIABLE "FP8RT_ELEMENT"
#define WIDTH_VARIABLE "FP8RT_AXI_DATA_W"
#define REQUANTISE_VARIABLE "FP8RT_REQUANTISE" // 1: the integer requantiser
#define MINIMAL_VARIABLE "FP8RT_MINIMAL"       // 1: no function that can be left out
#define MAX_LANES 16u

// Reads "_" LETTER DIGITS at *text and moves *text behind it. If it is not there, returns false and
// leaves *number unchanged.
static bool read_suffix(const char **text, char letter, unsigned *number)
{
    const char *t = *text;
    if (t[0] != '_' || t[1] != letter || t[2] < '1' || t[2] > '9') {
        return false;
    }
    char *end;
    unsigned long value = strtoul(t + 2, &end, 10);
    *number = value > UINT8_MAX ? UINT8_MAX : (unsigned)value;
    *text = end;
    return true;
}

// An element's spelling, KIND[_fF][_lL]; L must be the array's lanes.
static bool read_element(const char *text, unsigned lanes, fp8rt_element *element)
{
    for (unsigned i = 0; i < FP8MAC_ELEMENT_COUNT; i++) {
        const fp8mac_element_info *info = &fp8mac_element_table[i];
        size_t length = strlen(info->name);
        if (strncmp(text, info->name, length) != 0) {
            continue;
        }
        const char *rest = text + length;
        unsigned frac_bits = 0, own_lanes = lanes;
        read_suffix(&rest, 'f', &frac_bits);
        read_suffix(&rest, 'l', &own_lanes);
        if (*rest == '\0') {
            return own_lanes == lanes && fp8rt_element_make(info->kind, lanes, frac_bits, element);
        }
    }
    return false;
}

// Reads a text that is 1, or 0, empty or absent. False: it is something else.
static bool read_switch(const char *text, bool *on)
{
    *on = text != NULL && strcmp(text, "1") == 0;
    return *on || text == NULL || strcmp(text, "0") == 0 || *text == '\0';
}

static bool set_minimal(fp8rt_caps *caps, const char *minimal)
{
    bool on;
    const bool legal = read_switch(minimal, &on);
    if (on) {
        caps->functions &= FP8MAC_FUNCTION_INT8 | FP8MAC_FUNCTION_REQUANTISE;
        caps->records = 0;
    }
    return legal;
}

static bool is_side(unsigned x, unsigned most)
{
    return x != 0 && x <= most && (x & (x - 1u)) == 0;
}

bool fp8rt_host_choose(const fp8rt_host_choice *choice, fp8rt_caps *caps)
{
    unsigned rows = 4, cols = 4, lanes = 16;
    const char *element = choice->element == NULL ? "block" : choice->element;
    unsigned long data_w = choice->width == NULL ? 128u : strtoul(choice->width, NULL, 10);
    if (choice->array != NULL && sscanf(choice->array, "%ux%ux%u", &rows, &cols, &lanes) != 3) {
        return false;
    }
    *caps = (fp8rt_caps){.rows = (uint16_t)rows,
                         .cols = (uint16_t)cols,
                         .lanes = (uint16_t)lanes,
                         .beat_bytes = (uint16_t)(data_w / 8u),
                         .pass_tiles = 4,
                         .acc_tiles = 256,
                         .queue_depth = 8,
                         .records = FP8RT_HOST_RECORDS,
                         .buf_beats = 256,
                         .max_mn = FP8MAC_ACCELERATOR_MN_MOST,
                         .release_major = FP8MAC_VERSION_MAJOR,
                         .release_minor = FP8MAC_VERSION_MINOR,
                         .release_patch = FP8MAC_VERSION_PATCH};
    if (!is_side(rows, FP8MAC_ACCELERATOR_SIDE_MOST) ||
        !is_side(cols, FP8MAC_ACCELERATOR_SIDE_MOST) || !is_side(lanes, MAX_LANES) ||
        (data_w != 64u && data_w != 128u && data_w != 256u) ||
        !read_element(element, lanes, &caps->element)) {
        return false;
    }
    unsigned block = fp8mac_element_find(caps->element.kind)->block;
    caps->block = (uint16_t)(block == 0 ? lanes : block);
    bool requantise;
    const bool legal = read_switch(choice->requantise, &requantise);
    caps->functions = fp8mac_functions_possible(caps, requantise);
    return set_minimal(caps, choice->minimal) && legal && (!requantise || caps->element.int8);
}

bool fp8rt_host_array(fp8rt_caps *caps)
{
    const fp8rt_host_choice choice = {getenv(ARRAY_VARIABLE), getenv(ELEMENT_VARIABLE),
                                      getenv(WIDTH_VARIABLE), getenv(REQUANTISE_VARIABLE),
                                      getenv(MINIMAL_VARIABLE)};
    return fp8rt_host_choose(&choice, caps);
}
