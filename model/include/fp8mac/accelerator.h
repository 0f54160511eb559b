// SPDX-License-Identifier: Apache-2.0
// What an accelerator has: its registers CONFIG0 to CONFIG4, ELEMENT and RELEASE as numbers.
// Whoever makes, checks, runs or times commands takes it from here.
#ifndef FP8MAC_ACCELERATOR_H
#define FP8MAC_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/catalogue.h"
#include "fp8mac/codes.h"

#ifdef __cplusplus
extern "C" {
#endif

// The elements of the array
typedef struct fp8mac_element_caps {
    fp8mac_element_kind kind;
    uint8_t accumulators; // bits 1u << format: FP8MAC_ACC_FP32, _FP16, _FIXED, _INT32
    bool e5m2;            // A and B may also be e5m2 and e5m2fnuz, not e4m3fn and e4m3fnuz alone
    bool narrow;          // A and B may also be e3m2fn, e2m3fn and e2m1fn
    bool int8;            // A and B are int8, and have no other format
    uint8_t frac_bits;    // fraction bits of the alignment window; 0: there is no window
    fp8mac_align_by align_by; // what the products are aligned to, where there is a window
    uint8_t terms_log2; // an accumulator takes 2^terms_log2 products, the limit of K; 0: any number
} fp8mac_element_caps;

// The numbers up to queue_depth are powers of two.
typedef struct fp8mac_caps {
    uint16_t rows, cols; // elements of the array
    uint16_t lanes;      // products per element and cycle: rows * cols * lanes MACs a cycle
    uint16_t beat_bytes; // bus width: the alignment of every address and stride
    uint16_t block;      // products that join an accumulator together
    uint16_t pass_tiles; // tiles of rows x cols outputs that are computed in turn
    uint16_t acc_tiles;  // tiles that the accumulator memory holds
    uint16_t queue_depth;
    uint16_t records; // commands with a completion record at a time; at most 32, 0: no command can
                      // be begun, only run or submitted
    uint16_t buf_beats;          // beats per row RAM of an operand buffer
    uint16_t max_mn;             // limit of m and of n of one tile command
    uint32_t functions;          // FP8MAC_FUNCTION_*: what commands with an extension may ask for
    fp8mac_element_caps element; // which formats and accumulators there are, and how a step rounds
    // Version number of the project that the hardware was generated from.
    uint8_t release_major, release_minor, release_patch;
} fp8mac_caps;

// FP8MAC_FUNCTION_*: the functions of an accelerator that is built with all that its shape can
// have. Of caps it reads rows, cols, lanes, beat_bytes, block, max_mn and element.kind, which is
// one of the catalogue. `requantise`: the integer requantiser is in the place of the FP32
// epilogue, and of what needs that one.
uint32_t fp8mac_functions_possible(const fp8mac_caps *caps, bool requantise);

// What outputs have shown: of the commands since it was cleared, or of one command
typedef struct fp8mac_observed {
    fp8mac_flags flags;  // FP8MAC_FLAG_*
    bool amax_nonfinite; // some output before scale_d was Inf or NaN
    uint32_t amax;       // FP32 bits of max |T| over the finite ones; +0 if none
} fp8mac_observed;

#ifdef __cplusplus
}
#endif
#endif
