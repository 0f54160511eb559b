// SPDX-License-Identifier: Apache-2.0
// The maximum of FP8 codes, four channels at a time. A code has a sign and a magnitude; its key is an
// unsigned number in the order of the values: negative codes are inverted, positive ones get a high bit.
#include "pooling.h"
#include "regions.h"

// Four codes of neighbouring channels. Pixels start at a beat.
typedef uint32_t __attribute__((may_alias)) codes;

#define HIGH 0x80808080u
#define EACH 0x01010101u

// From four codes to their keys, and back: negative codes have the high bit, their keys do not.
static inline uint32_t keys_of(uint32_t word)
{
    const uint32_t negative = word >> 7 & EACH;
    return word ^ ((negative << 7) - negative) ^ HIGH;
}

static inline uint32_t codes_of(uint32_t keys)
{
    const uint32_t negative = ~keys >> 7 & EACH;
    return keys ^ ((negative << 7) - negative) ^ HIGH;
}

static inline uint32_t max_keys(uint32_t a, uint32_t b)
{
    const uint32_t low = (a | HIGH) - (b & ~HIGH);                // high bit: a's low bits >= b's
    const uint32_t larger = ((a & ~b) | (~(a ^ b) & low)) & HIGH; // high bit: a >= b
    const uint32_t mask = (larger << 1) - (larger >> 7);          // all bits of those bytes
    return b ^ ((a ^ b) & mask);
}

// The pixels of a window that are in the image
typedef struct patch {
    const uint8_t *first;
    uint32_t lines, pixels;
} patch;

static uint32_t max_of(const patch *p, uint32_t line_bytes, uint32_t pixel_bytes, uint32_t channel)
{
    const uint8_t *line = p->first + channel;
    uint32_t largest = 0;
    for (uint32_t y = 0; y < p->lines; y++, line += line_bytes) {
        const uint8_t *pixel = line;
        for (uint32_t x = 0; x < p->pixels; x++, pixel += pixel_bytes) {
            largest = max_keys(keys_of(*(const codes *)(const void *)pixel), largest);
        }
    }
    return codes_of(largest);
}

static void write_output(const fp8rt_pools *pools, const patch *p, uint8_t *to)
{
    const uint32_t channels = pools->desc->x->cols;
    for (uint32_t channel = 0; channel < channels; channel += sizeof(uint32_t)) {
        *(codes *)(void *)(to + channel) =
            max_of(p, pools->width * pools->pixel_bytes, pools->pixel_bytes, channel);
    }
}

static void compute(const fp8rt_run *run, const fp8rt_pools *pools)
{
    const uint32_t stride = fp8rt_tensor_stride(&run->dev->caps, pools->desc->out);
    uint8_t *to = pools->desc->out->data;
    for (uint32_t image = 0; image < pools->images; image++) {
        const uint8_t *from = (const uint8_t *)pools->desc->x->data +
                              (size_t)image * pools->height * pools->width * pools->pixel_bytes;
        for (uint32_t oy = 0; oy < pools->out_h; oy++) {
            const fp8rt_span y = fp8rt_pool_lines(pools, oy);
            for (uint32_t ox = 0; ox < pools->out_w; ox++, to += stride) {
                const fp8rt_span x = fp8rt_pool_pixels(pools, ox);
                const size_t pixel = (size_t)y.first * pools->width + x.first;
                const patch p = {from + pixel * pools->pixel_bytes, y.count, x.count};
                write_output(pools, &p, to);
            }
        }
    }
}

// An output would be read as a pixel of a later one.
static bool overlaps(const fp8rt_run *run, const fp8rt_pools *pools)
{
    const fp8rt_tensor *x = pools->desc->x, *out = pools->desc->out;
    const fp8rt_region from = {(uintptr_t)x->data, x->rows, pools->pixel_bytes, x->cols};
    const fp8rt_region to = {(uintptr_t)out->data, out->rows,
                             fp8rt_tensor_stride(&run->dev->caps, out), out->cols};
    return fp8rt_regions_overlap(&from, &to);
}

fp8rt_status fp8rt_max_pool(fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_pools pools;
    fp8rt_status status = fp8rt_layer_begin(run, "max_pool", &scope);
    if (status == FP8RT_OK) {
        status = fp8rt_pools_check(run, desc, &pools);
    }
    if (status == FP8RT_OK && desc->out->format != desc->x->format) {
        status = FP8RT_ERR_FORMAT;
    }
    if (status == FP8RT_OK && !run->query && overlaps(run, &pools)) {
        status = FP8RT_ERR_OVERLAP;
    }
    if (status == FP8RT_OK && !run->query) {
        compute(run, &pools);
        desc->out->scale = desc->x->scale;
    }
    return fp8rt_layer_end(run, &scope, status);
}
