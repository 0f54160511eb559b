// SPDX-License-Identifier: Apache-2.0
// The fast mode's block accumulation equals the golden model: chains of blocks with every pair of
// formats, both accumulators, several windows, scaling exponents, short blocks, zeros, subnormals,
// Inf and NaN. The accumulator's code and the flags are compared after each block.
#include <inttypes.h>
#include <stdio.h>

#include "fast/block.h"
#include "fp8mac/catalogue.h"
#include "fp8mac/preset.h"

enum { CHAINS = 20000, BLOCKS = 6, BLOCK = 32, LANES = 16 };

static unsigned long passed, failed;

static uint64_t draw(void)
{
    static uint64_t state = 1;
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(draw() >> 32) % n;
}

// Codes of one kind: any, finite ones near each other, with many zeros, or the smallest.
static uint8_t code(const fp8mac_format *format, unsigned kind)
{
    for (;;) {
        const uint8_t any = (uint8_t)draw();
        const uint8_t drawn = kind == 0   ? any
                              : kind == 1 ? (uint8_t)((any & 0x8f) | 0x30)
                              : kind == 2 ? (below(4) != 0 ? 0 : any)
                                          : any & 0x83;
        const fp8mac_class class = fp8mac_decode(format, drawn).cls;
        const bool special = class == FP8MAC_CLASS_INF || class == FP8MAC_CLASS_NAN;
        if (!special || (kind == 0 && below(8) == 0)) {
            return drawn;
        }
    }
}

static void check(uint32_t fast, uint32_t golden, fp8mac_flags fast_flags,
                  fp8mac_flags golden_flags, const fp8mac_dot_config *dot)
{
    if (fast == golden && fast_flags == golden_flags) {
        passed++;
    } else if (failed++ < 20) {
        printf("FAIL %s x %s, F %u, accumulator %d: 0x%08" PRIx32
               " flags %u, golden model 0x%08" PRIx32 " flags %u\n",
               dot->a.format->name, dot->b.format->name, dot->frac_bits, (int)dot->acc_format, fast,
               (unsigned)fast_flags, golden, (unsigned)golden_flags);
    }
}

// An MX scale near the middle, or far from it, or a NaN; 1 where blocks are not scaled
static uint8_t scale(bool scaled, unsigned middle)
{
    if (!scaled || below(50) == 0) {
        return scaled ? 0xff : FP8SIM_SCALE_ONE;
    }
    const unsigned drawn = below(8) == 0 ? below(255) : middle + below(16);
    return (uint8_t)(drawn < 254 ? drawn : 254);
}

static void run_chain(const fp8mac_dot_config *dot)
{
    fp8sim_block_config config;
    fp8sim_block_operands a, b;
    fp8mac_acc acc = {.code = 0};
    uint32_t fast = 0;
    const bool scaled = below(2) != 0;
    const unsigned middle = below(2) != 0 ? 64 + below(128) : below(255);
    if (!fp8sim_block_init(&config, dot)) {
        failed++;
        printf("FAIL fp8sim_block_init refuses the element's settings\n");
        return;
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        uint8_t x[BLOCK], y[BLOCK];
        const unsigned n = below(3) == 0 ? 1 + below(BLOCK) : BLOCK;
        const unsigned x_kind = below(4), y_kind = below(4);
        for (unsigned k = 0; k < n; k++) {
            x[k] = code(dot->a.format, x_kind);
            y[k] = code(dot->b.format, y_kind);
        }
        fp8mac_flags flags = 0, golden_flags = 0;
        const uint8_t x_scale = scale(scaled, middle), y_scale = scale(scaled, middle);
        fp8sim_block_a(&config, x, n, x_scale, &a);
        fp8sim_block_b(&config, y, n, y_scale, &b);
        fast = fp8sim_block_join(&config, fast, &a, &b, &flags);
        if (fp8mac_dot_mx(dot, &acc, (fp8mac_dot_terms){x, &x_scale},
                          (fp8mac_dot_terms){y, &y_scale}, n, &golden_flags) != FP8MAC_OK) {
            failed++;
        }
        check(fast, acc.code, flags, golden_flags, dot);
    }
}

int main(void)
{
    static const unsigned windows[] = {0, 9, 13, 25, 29}; // 0: the kind's default
    for (unsigned i = 0; i < CHAINS; i++) {
        fp8mac_dot_config dot;
        const fp8mac_format_id formats[] = {FP8MAC_E4M3FN, FP8MAC_E5M2, FP8MAC_E4M3FNUZ,
                                            FP8MAC_E5M2FNUZ};
        if (fp8mac_element_config(FP8MAC_ELEMENT_BLOCK, LANES, windows[below(5)], &dot) !=
            FP8MAC_OK) {
            failed++;
            break;
        }
        dot.a.format = fp8mac_format_get(formats[below(4)]);
        dot.b.format = fp8mac_format_get(formats[below(4)]);
        dot.acc_format = below(2) != 0 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        if (below(2) != 0) {
            dot.a.scale_exp = (int)below(65) - 32;
            dot.b.scale_exp = (int)below(65) - 32;
        }
        run_chain(&dot);
    }
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
