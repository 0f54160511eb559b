// SPDX-License-Identifier: Apache-2.0
// Block accumulation for the simulator's fast mode: one block of products joins an accumulator, in
// 64-bit integers. fp8mac_dot_step of the golden model computes the same and is some fifty times
// slower. The test sim-block compares the two.
#ifndef FP8MAC_SIM_FAST_BLOCK_H
#define FP8MAC_SIM_FAST_BLOCK_H

#include "fp8mac/dot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8SIM_BLOCK_MAX = 64 }; // products
enum { FP8SIM_SCALE_ONE = 127 };

// What a block computes: settings of the golden model, and tables made from them.
typedef struct fp8sim_block_config {
    fp8mac_dot_config dot;
    // Of each code: the significand 1.mmm as an integer 8..15 with the value's sign, and the
    // exponent of its leading bit. Zeros, Inf and NaN have significand 0.
    int8_t a_significand[256], a_exponent[256], b_significand[256], b_exponent[256];
    uint8_t a_class[256], b_class[256]; // fp8mac_class
} fp8sim_block_config;

// The present operands of one row of A, or one column of B, in a block.
typedef struct fp8sim_block_operands {
    unsigned n;
    bool special;                          // an Inf or NaN is among them
    bool nan;                              // the scale is a NaN
    bool none;                             // all are zero, so `exponent` has no meaning
    int exponent;                          // the largest of those that are not zero, scaled
    int32_t significand[FP8SIM_BLOCK_MAX]; // as in the tables
    int32_t distance[FP8SIM_BLOCK_MAX];    // exponent - the operand's; 0 for a zero
    uint8_t code[FP8SIM_BLOCK_MAX];
} fp8sim_block_operands;

// Takes the settings of an element of the kinds `block` and `block64` (fp8mac_element_config), with
// formats, scaling exponents and FP32 or FP16 as accumulator. False if they are of no such kind.
bool fp8sim_block_init(fp8sim_block_config *config, const fp8mac_dot_config *dot);

// codes[0..n-1], n <= FP8SIM_BLOCK_MAX; n = 0 is a row or column that is not enabled. `scale` is
// their MX scale, an E8M0 code: FP8SIM_SCALE_ONE where there is none.
void fp8sim_block_a(const fp8sim_block_config *config, const uint8_t *codes, unsigned n,
                    uint8_t scale, fp8sim_block_operands *operands);
void fp8sim_block_b(const fp8sim_block_config *config, const uint8_t *codes, unsigned n,
                    uint8_t scale, fp8sim_block_operands *operands);

// The new accumulator, a code of the accumulator's format, as `acc` is. ORs the block's flags into
// *flags. a and b have the same n >= 1.
uint32_t fp8sim_block_join(const fp8sim_block_config *config, uint32_t acc,
                           const fp8sim_block_operands *a, const fp8sim_block_operands *b,
                           fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
