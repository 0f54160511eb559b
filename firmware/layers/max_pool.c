// SPDX-License-Identifier: Apache-2.0
// The maximum of codes: by commands, or by the core, four channels at a time. A code of FP8 has a
// sign and a magnitude; its key is an unsigned number in the order of the values: negative codes
// are inverted, positive ones get a high bit. INT8 gets that bit's inverse alone.
// NaN is no part of this order: which channels have one is collected beside the maximum.
#include "pooling.h"
#include "record.h"
#include "regions.h"

// Four codes of neighbouring channels. Pixels start at a beat.
typedef uint32_t __attribute__((may_alias)) codes;

#define HIGH 0x80808080u
#define EACH 0x01010101u

typedef enum code_kind { OCP, FNUZ, INT8 } code_kind;

// From four codes to their keys, and back: negative codes have the high bit, their keys do not.
static inline uint32_t keys_of(uint32_t word, code_kind kind)
{
    const uint32_t negative = kind == INT8 ? 0 : word >> 7 & EACH;
    return word ^ ((negative << 7) - negative) ^ HIGH;
}

static inline uint32_t codes_of(uint32_t keys, code_kind kind)
{
    const uint32_t negative = kind == INT8 ? 0 : ~keys >> 7 & EACH;
    return keys ^ ((negative << 7) - negative) ^ HIGH;
}

static inline uint32_t max_keys(uint32_t a, uint32_t b)
{
    const uint32_t low = (a | HIGH) - (b & ~HIGH);                // high bit: a's low bits >= b's
    const uint32_t larger = ((a & ~b) | (~(a ^ b) & low)) & HIGH; // high bit: a >= b
    const uint32_t mask = (larger << 1) - (larger >> 7);          // all bits of those bytes
    return b ^ ((a ^ b) & mask);
}

// How NaN is told: OCP's formats have it at the largest magnitudes of either sign, FNUZ at the code
// 0x80.
typedef struct nans {
    code_kind kind;
    uint32_t distance; // OCP: four times what takes the smallest magnitude of a NaN to 0x80
    uint32_t code;     // four times the NaN that is written
} nans;

static nans nans_of(fp8mac_format_id format)
{
    switch (format) {
    case FP8MAC_E4M3FN: return (nans){.distance = 0x01 * EACH, .code = 0x7f * EACH};
    case FP8MAC_E5M2: return (nans){.distance = 0x03 * EACH, .code = 0x7e * EACH};
    case FP8MAC_INT8: return (nans){.kind = INT8};
    default: return (nans){.kind = FNUZ, .code = 0x80 * EACH};
    }
}

// The high bits of those of four codes that are NaN; other bits are undefined.
static inline uint32_t find_nans(uint32_t word, code_kind kind, uint32_t distance)
{
    const uint32_t magnitudes = word & ~HIGH;
    switch (kind) {
    case INT8: return 0;
    case FNUZ: return word & ~(magnitudes + ~HIGH);
    default: return magnitudes + distance;
    }
}

// A pooling on its way to the core, also long after the call that described it:
// pools.desc is not used.
typedef struct maximum {
    fp8rt_pools pools;
    const uint8_t *from;
    uint8_t *to;
    uint32_t channels, stride; // of the output, from row to row
    fp8mac_format_id format;
} maximum;

// The pixels of a window that are in the image
typedef struct patch {
    const uint8_t *first;
    uint32_t lines, pixels;
} patch;

// `kind` is that of `n`, and constant where this is inlined.
static inline uint32_t max_of(const patch *p, const fp8rt_pools *pools, const nans *n,
                              code_kind kind, uint32_t channel)
{
    const uint32_t pixel_bytes = pools->pixel_bytes, line_bytes = pools->width * pixel_bytes;
    const uint32_t distance = n->distance;
    const uint8_t *line = p->first + channel;
    uint32_t largest = 0, found = 0;
    for (uint32_t y = 0; y < p->lines; y++, line += line_bytes) {
        const uint8_t *pixel = line;
        for (uint32_t x = 0; x < p->pixels; x++, pixel += pixel_bytes) {
            const uint32_t word = *(const codes *)(const void *)pixel;
            found |= find_nans(word, kind, distance);
            largest = max_keys(keys_of(word, kind), largest);
        }
    }
    const uint32_t bits = found & HIGH, mask = (bits << 1) - (bits >> 7);
    return (codes_of(largest, kind) & ~mask) | (n->code & mask);
}

static inline uint32_t largest_codes(const maximum *m, const patch *p, const nans *n,
                                     uint32_t channel)
{
    switch (n->kind) {
    case INT8: return max_of(p, &m->pools, n, INT8, channel);
    case FNUZ: return max_of(p, &m->pools, n, FNUZ, channel);
    default: return max_of(p, &m->pools, n, OCP, channel);
    }
}

static void write_output(const maximum *m, const patch *p, const nans *n, uint8_t *to)
{
    const uint32_t words = m->channels & ~3u;
    for (uint32_t channel = 0; channel < words; channel += sizeof(uint32_t)) {
        *(codes *)(void *)(to + channel) = largest_codes(m, p, n, channel);
    }
    if (words != m->channels) {
        uint32_t last = largest_codes(m, p, n, words);
        for (uint32_t channel = words; channel < m->channels; channel++, last >>= 8) {
            to[channel] = (uint8_t)last;
        }
    }
}

static void compute(void *context)
{
    const maximum *m = context;
    const fp8rt_pools *pools = &m->pools;
    const nans n = nans_of(m->format);
    uint8_t *to = m->to;
    for (uint32_t image = 0; image < pools->images; image++) {
        const uint8_t *from =
            m->from + (size_t)image * pools->height * pools->width * pools->pixel_bytes;
        for (uint32_t oy = 0; oy < pools->out_h; oy++) {
            const fp8rt_span y = fp8rt_pool_lines(pools, oy);
            for (uint32_t ox = 0; ox < pools->out_w; ox++, to += m->stride) {
                const fp8rt_span x = fp8rt_pool_pixels(pools, ox);
                const size_t pixel = (size_t)y.first * pools->width + x.first;
                const patch p = {from + pixel * pools->pixel_bytes, y.count, x.count};
                write_output(m, &p, &n, to);
            }
        }
    }
}

static fp8rt_status compute_or_record(fp8rt_run *run, const fp8rt_pools *pools)
{
    const fp8rt_pooling_desc *desc = pools->desc;
    const maximum m = {.pools = *pools,
                       .from = desc->x->data,
                       .to = desc->out->data,
                       .channels = desc->x->cols,
                       .stride = fp8rt_tensor_stride(&run->dev->caps, desc->out),
                       .format = desc->x->format};
    return fp8rt_layer_core(run, compute, &m, sizeof m);
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
    if (status == FP8RT_OK && fp8rt_pool_overlaps(run, desc)) {
        status = FP8RT_ERR_OVERLAP;
    }
    if (status == FP8RT_OK) {
        fp8rt_layer_observe(run, &scope, desc);
        status = fp8rt_max_pool_takes_commands(run, &pools) ? fp8rt_max_pool_commands(run, &pools)
                                                            : compute_or_record(run, &pools);
    }
    if (status == FP8RT_OK && !run->query) {
        desc->out->scale = desc->x->scale;
    }
    return fp8rt_layer_end(run, &scope, status);
}
