// SPDX-License-Identifier: Apache-2.0
// One step of the dot product: acc' = round(acc + 2^(sa+sb) * sum of a_i * b_i), as if computed exactly and rounded
// once to the accumulator's format. With one term this is IEEE 754 fusedMultiplyAdd.
//
// Signs: a product's sign is the XOR of its operands', also for zeros; an exactly zero sum is -0 only if every present
// term and acc are -0, otherwise +0; a non-zero sum that rounds to zero keeps its sign.
// Specials: NaN in, Inf * 0 and Inf - Inf give NaN; Inf propagates; overflow gives Inf, or +-max with `saturate`.
// Every NaN that is written is canonical: FP32 0x7fc00000, FP16 0x7e00.
// Flags of a step: `nan` if a present operand is a NaN; `invalid` if some product is Inf * 0, or if both +Inf and -Inf
// are among the products and acc. A NaN elsewhere in the step neither raises `invalid` nor suppresses it.
#ifndef FP8MAC_DOT_H
#define FP8MAC_DOT_H

#include "fp8mac/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FP8MAC_SCALE_EXPONENT_MIN (-32)
#define FP8MAC_SCALE_EXPONENT_MAX 32
#define FP8MAC_GUARD_BITS_DEFAULT 16

typedef enum fp8mac_acc_format {
    FP8MAC_ACC_FP32 = 0,
    FP8MAC_ACC_FP16 = 1,
    // Two's complement in units of the product of the two formats' smallest subnormals (2^-18 for e4m3fn pairs,
    // 2^-34 for e5m2fnuz pairs), wide enough for 2^guard_bits terms, so it never rounds nor overflows. The scaling
    // exponents are applied once, at read-out.
    FP8MAC_ACC_FIXED = 2,
} fp8mac_acc_format;

// What a dot product computes. All-zero apart from the two formats is group 1, FP32, exact, unscaled.
typedef struct fp8mac_dot_config {
    const fp8mac_format *a_format; // one of the FP8 rows, or a row of at most 8 bits and no wider range
    const fp8mac_format *b_format; // likewise, independent of a_format
    fp8mac_acc_format acc_format;
    unsigned group;      // terms per step (LANES in RTL), 1..1024; 0 means 1
    int scale_exp_a;     // used value of A = 2^scale_exp_a * decoded value; -32..+32
    int scale_exp_b;
    unsigned guard_bits; // FIXED: G, K <= 2^G; 0 means 16, at most 40. FP32, FP16: must be 0
    bool acc_saturate;   // FP32, FP16: overflow of a step gives +-max (flag `saturated`) instead of Inf, while an
                         // infinite operand or acc still gives Inf. FIXED: must be false
} fp8mac_dot_config;

// FP8MAC_OK, or FP8MAC_ERR_FORMAT, _ACCUMULATOR (also guard_bits and acc_saturate), _GROUP or _SCALE_EXPONENT.
fp8mac_status fp8mac_dot_config_validate(const fp8mac_dot_config *config);

// Sticky bits beside a FIXED accumulator. Both infinities together read as NaN.
enum { FP8MAC_FIXED_NAN = 1, FP8MAC_FIXED_POS_INF = 2, FP8MAC_FIXED_NEG_INF = 4 };

// The whole state of one accumulator, in its own format: copying it out and back changes no later bit.
// All zero is +0.
typedef struct fp8mac_acc {
    uint32_t code;        // FP32 or FP16: its code
    uint64_t fixed_lo;    // FIXED: 128-bit two's complement
    uint64_t fixed_hi;
    uint8_t fixed_sticky; // FIXED: FP8MAC_FIXED_*
    uint64_t fixed_terms; // FIXED: terms consumed so far, checked against 2^guard_bits
    int16_t fixed_scale;  // FIXED: sa+sb of the terms consumed so far; a change is an error
} fp8mac_acc;

// One step over n terms a[0..n-1], b[0..n-1], 1 <= n <= group; missing lanes are absent and raise no flag.
fp8mac_status fp8mac_dot_step(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a, const uint8_t *b,
                              unsigned n, fp8mac_flags *flags);
// k >= 1 terms in ascending order, `group` at a time; the last step may be short. Continues from *acc.
// Zero terms, here and above, are FP8MAC_ERR_SHAPE.
fp8mac_status fp8mac_dot(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a, const uint8_t *b,
                         size_t k, fp8mac_flags *flags);
// The accumulator as an FP32 code: exact for FP32 and FP16; for FIXED one nearest-even rounding, where zero reads +0
// and an overflow raises FP8MAC_FLAG_OVERFLOW. NaN is canonical. `config` and `acc` must be valid.
uint32_t fp8mac_acc_to_fp32(const fp8mac_dot_config *config, const fp8mac_acc *acc, fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
