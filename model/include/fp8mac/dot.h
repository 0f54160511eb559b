// SPDX-License-Identifier: Apache-2.0
// One step of the dot product: acc' = round(acc + 2^(sa+sb) * sum of a_i * b_i), as if computed
// exactly and rounded once to the accumulator's format. With one term this is IEEE 754's
// fusedMultiplyAdd.
//
// Signs: a product's sign is the XOR of its operands', also for zeros. An exactly zero sum is -0
// only if every present term and acc are -0, otherwise +0. A non-zero sum that rounds to zero keeps
// its sign.
// Special values: a NaN operand, Inf * 0 and Inf - Inf give NaN; Inf propagates. Overflow means
// that the sum, rounded with an unbounded exponent, exceeds the largest finite value. It gives Inf
// in every rounding mode, or +-max with `acc_saturate`.
// Every NaN that is written is canonical: FP32 and E8M13 0x7fc00000, FP16 0x7e00, BF16 0x7fc0,
// 1-6-9 0x7f00; or `nan_code`.
//
// Truncated alignment. frac_bits = F > 0 drops bits, as hardware does. trunc(x, q) truncates x to a
// multiple of 2^q: toward zero, down, or to odd (the last bit is set if anything was lost). e_i is
// the exponent of a product: the sum of its operands' exponents and of all scaling exponents. An
// operand's exponent is that of its binade; a subnormal has the smallest. e_acc is the exponent of
// the accumulator.
//
//   acc in the alignment     e = max(min_exponent, e_i, e_acc)
//                            acc' = round( trunc(acc, e-F) + sum trunc(product_i, e-F) )
//   late accumulation        e = max(min_exponent, e_i)          s = sum trunc(product_i, e-F)
//                            E = max(e, e_acc), or e if acc is zero
//                            acc' = round( trunc'(s, E-late_bits_sum) + trunc'(acc,
//                            E-late_bits_acc) ) where acc is left out if e_acc < E - late_drop;
//                            or, with both late_bits 0, acc' = round( round(s) + acc )
//   even/odd (late only)     s_0 of the terms 0, 2, 4, ..., s_1 of 1, 3, 5, ..., each as s above
//                            with its own e; e = max(e_0, e_1),
//                            s = trunc'(s_0, e-F) + trunc'(s_1, e-F)
//
// trunc follows align_round, trunc' late_round. Zero terms, absent lanes and a zero acc take no
// part in a maximum. An aligned sum of zero is +0.
//
// align_by OPERANDS takes e_products in place of every max e_i above. It has two maxima. Each is
// over the present operands that are not zero, whatever they are multiplied by:
//
//   e_products = max ea_i + max eb_i + the scaling exponents
//   ea_i = floor(log2 |a_i|), eb_i likewise
//
// The exponent of a subnormal is that of its leading bit here. A block's scale exponent is part of
// its operands' ea_i or eb_i. If all a_i or all b_i are zero, there is no e_products. Every product
// is below 4 * 2^e_products. One maximum belongs to a row of A, the other to a column of B, so an
// array's operand feed can find them once for all elements. In exchange, e_products may exceed the
// exponent of the largest product.
//
// Static shared exponent. A FIXED accumulator with frac_bits = F > 0 aligns to a constant:
//
//   acc' = acc + sum trunc(a_i * b_i, static_exponent-F)   where ea_i + eb_i <= static_exponent
//
// trunc is toward zero. Scaling exponents take no part. The accumulator is an integer in units of
// 2^(static_exponent-F), with F + 2 + guard_bits bits and a sign. It cannot overflow. A call with a
// finite product above the limit, ea_i + eb_i > static_exponent, is FP8MAC_ERR_SCALE_EXPONENT and
// changes nothing. In hardware the static exponent is the sum of two bounds: the largest ea of a
// row of A and the largest eb of a column of B, over the whole K. A GEMM finds them before it
// starts. The element then needs no maximum, no normalisation and no rounding in its accumulate
// loop. For e4m3fn pairs, static_exponent 16 and F = 34 lose nothing.
//
// Flags of a step: `nan` if a present operand is a NaN; `invalid` if some product is Inf * 0, or if
// both +Inf and -Inf are among the products and acc. A NaN elsewhere in the step neither raises
// `invalid` nor suppresses it.
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
    // The Kulisch accumulator: two's complement in units of the product of the two formats'
    // smallest subnormals (2^-18 for e4m3fn pairs, 2^-34 for e5m2fnuz pairs). It is wide enough for
    // 2^guard_bits terms and neither rounds nor overflows. With frac_bits it has a static shared
    // exponent, as above. The scaling exponents are applied once, at read-out.
    FP8MAC_ACC_FIXED = 2,
    FP8MAC_ACC_BF16 = 3,
    // Each step rounds to 13 fraction bits. The code is an FP32 code; one that the caller loads may
    // have all 23 fraction bits.
    FP8MAC_ACC_E8M13 = 4,
    FP8MAC_ACC_E6M9 = 5, // 1-6-9
    // Exact two's complement in fp8mac_acc.code. INT8 operands only, K <= 131071, every other
    // option 0.
    FP8MAC_ACC_INT32 = 6,
} fp8mac_acc_format;

typedef enum fp8mac_align_round {
    FP8MAC_ALIGN_TOWARD_ZERO = 0,
    FP8MAC_ALIGN_FLOOR = 1,
    FP8MAC_ALIGN_ODD = 2,
} fp8mac_align_round;

// What the products are aligned to.
typedef enum fp8mac_align_by {
    FP8MAC_ALIGN_BY_PRODUCTS = 0, // the largest exponent among them
    FP8MAC_ALIGN_BY_OPERANDS = 1, // the largest among the a_i plus the largest among the b_i
} fp8mac_align_by;

// The order in which the products enter the steps.
typedef enum fp8mac_k_order {
    FP8MAC_K_ASCENDING = 0,
    // Each block of 2 * group products takes two steps: first the products with k mod 4 < 2, then
    // the others, each in ascending order. k counts from the first term of a call. A short block
    // takes a step only if it has terms for it.
    FP8MAC_K_PAIRS = 1,
} fp8mac_k_order;

#define FP8MAC_FRAC_BITS_MAX 64
#define FP8MAC_LATE_BITS_MAX 64
#define FP8MAC_MIN_EXPONENT_DEFAULT (-126)
#define FP8MAC_MIN_EXPONENT_ACC 1         // that of the smallest normal number of acc_format
#define FP8MAC_STATIC_EXPONENT_MIN (-524) // products of any two formats are within these
#define FP8MAC_STATIC_EXPONENT_MAX 323
#define FP8MAC_MX_BLOCK 32 // products that share one pair of block scales
#define FP8MAC_INT8_K_MAX 131071

// How an operand's codes become values.
typedef struct fp8mac_dot_operand {
    // One of the FP8 formats, or a format of at most 8 bits and no wider range than cfloat8_e5m2.
    const fp8mac_format *format;
    int scale_exp; // a value is 2^scale_exp * the decoded value; -32..+32
} fp8mac_dot_operand;

// What a dot product computes. If all but the two formats is zero, it is exact into FP32, with
// group 1 and without scaling exponents.
typedef struct fp8mac_dot_config {
    fp8mac_dot_operand a, b; // independent of each other
    fp8mac_acc_format acc_format;
    unsigned group;      // terms per step (LANES in RTL), 1..1024; 0 means 1
    unsigned guard_bits; // FIXED: G, K <= 2^G, at most 40; 0 means 16. Others: must be 0
    // Overflow of a step gives +-max (flag `saturated`) instead of Inf. An infinite operand or acc
    // still gives Inf. FIXED and INT32: must be false.
    bool acc_saturate;

    // FIXED takes frac_bits and static_exponent of the settings below, INT32 none.
    fp8mac_rounding acc_rounding; // of a step's sum to acc_format
    unsigned random_bits;         // stochastic acc_rounding: 1..24 random bits; otherwise 0
    uint64_t seed;                // key of the generator, see random.h

    // Truncated alignment: F = 1..64 fraction bits; 0 is exact, and then the settings up to
    // even_odd must be 0 too.
    unsigned frac_bits;
    // FIXED: -524..323, constant while an accumulator is in use. Others: must be 0.
    int static_exponent;
    fp8mac_align_round align_round;
    fp8mac_align_by align_by; // OPERANDS excludes even_odd
    // No alignment exponent is below this: -1100..-1, or FP8MAC_MIN_EXPONENT_ACC; 0 means -126.
    int min_exponent;
    bool acc_late; // late accumulation: acc is added after the product sum
    // Late accumulation: fraction bits of the final addition, 1..64 each. Both 0: the product sum
    // is rounded to acc_format, added to acc exactly and rounded again. Otherwise 0.
    unsigned late_bits_sum, late_bits_acc;
    unsigned late_drop; // late: 1..1000; 0 disables it. It needs late_bits_sum and late_bits_acc
    fp8mac_align_round late_round;
    bool even_odd; // late only: even and odd terms of a step are summed apart

    // A sum below acc_format's smallest normal number, before rounding, becomes zero of its sign.
    bool flush;
    // The code that is written for a NaN; 0 means the canonical one. It must be a NaN of acc_format
    // (of FP32 for E8M13).
    uint32_t nan_code;
    // Products are also scaled by 2^-lscale: 0..127, or 0..15 for FP16 (Arm's FPMR.LSCALE).
    unsigned lscale;

    // A second accumulator. At most one of the two is set, to a multiple of group. After that many
    // products, and at read-out for the remainder, second = round(second + acc) and acc = +0. The
    // read-out gives `second`. acc_saturate applies here too.
    unsigned promote; // P: the second accumulator is FP32, nearest even
    unsigned chunk;   // CL: it has acc_format, acc_rounding and flush, like acc itself

    // PAIRS: group must be even, and promote and chunk multiples of 2 * group. Every call but an
    // output's last takes a multiple of 2 * group terms. fp8mac_dot_step takes the terms of one
    // step.
    fp8mac_k_order k_order;
} fp8mac_dot_config;

// FP8MAC_OK if the settings are legal. FP8MAC_ERR_FORMAT: formats of A and B. FP8MAC_ERR_GROUP:
// group, or a promote or chunk that is not a multiple of it, also as k_order asks.
// FP8MAC_ERR_ROUNDING: acc_rounding, random_bits. FP8MAC_ERR_SCALE_EXPONENT: scaling exponents,
// lscale. FP8MAC_ERR_ACCUMULATOR: every other setting.
fp8mac_status fp8mac_dot_config_validate(const fp8mac_dot_config *config);

// Sticky bits beside a FIXED accumulator. Both infinities together read as NaN.
enum { FP8MAC_FIXED_NAN = 1, FP8MAC_FIXED_POS_INF = 2, FP8MAC_FIXED_NEG_INF = 4 };

// The whole state of one accumulator, in its own format. A copy of it continues with the same bits.
// All zero is +0. With stochastic rounding the caller sets m and n before the first step.
typedef struct fp8mac_acc {
    uint32_t code;     // floating point: its code; INT32: the integer
    uint64_t fixed_lo; // FIXED: 128-bit two's complement
    uint64_t fixed_hi;
    uint8_t fixed_sticky; // FIXED: FP8MAC_FIXED_*
    // FIXED, INT32: terms consumed so far, checked against 2^guard_bits or 131071
    uint64_t fixed_terms;
    int16_t fixed_scale; // FIXED: sa+sb of the terms consumed so far; a change is an error
    int16_t fixed_static_exponent; // FIXED: static_exponent of the terms consumed so far; likewise
    uint32_t second;               // promote: FP32 code; chunk: code of acc_format
    uint32_t pending;              // promote, chunk: products in `code` that `second` has not seen
    uint32_t m, n;                 // stochastic: which output this is
    uint64_t steps;                // stochastic: steps consumed so far
} fp8mac_acc;

// The format of the code that fp8mac_acc_load takes: acc_format, but FP32 for E8M13 and with
// `promote`. NULL for FIXED and INT32.
const fp8mac_format *fp8mac_acc_loaded_format(const fp8mac_dot_config *config);
// Loads the accumulator that is read out: the second one where there is one, else the only one.
// This is the C operand of a matrix instruction. `config` must be valid. Only the format's bits of
// `code` count. FP8MAC_ERR_NULL; FP8MAC_ERR_ACCUMULATOR for FIXED and INT32.
fp8mac_status fp8mac_acc_load(const fp8mac_dot_config *config, fp8mac_acc *acc, uint32_t code);

// One step over the n terms a[0..n-1], b[0..n-1], where 1 <= n <= group. Lanes from n on are absent
// and raise no flag.
fp8mac_status fp8mac_dot_step(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                              const uint8_t *b, unsigned n, fp8mac_flags *flags);
// Adds k >= 1 terms to *acc in ascending order, `group` at a time; the last step may be short.
// k = 0 here and n = 0 above are FP8MAC_ERR_SHAPE.
fp8mac_status fp8mac_dot(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                         const uint8_t *b, size_t k, fp8mac_flags *flags);
// An operand's codes with their block scales: ceil(k / 32) E8M0 codes, one for every 32 terms of a
// call. NULL stands for scales of 1.
typedef struct fp8mac_dot_terms {
    const uint8_t *codes;
    const uint8_t *mx;
} fp8mac_dot_terms;

// fp8mac_dot with block scales. Their exponents add to those of the products. A scale of 0xff makes
// its terms NaN and raises `nan`. k must be a multiple of 32 in every call but an output's last.
// FIXED and INT32 are refused (FP8MAC_ERR_ACCUMULATOR).
fp8mac_status fp8mac_dot_mx(const fp8mac_dot_config *config, fp8mac_acc *acc, fp8mac_dot_terms a,
                            fp8mac_dot_terms b, size_t k, fp8mac_flags *flags);
// The accumulator as an FP32 code. `config` and `acc` must be valid. A floating-point accumulator
// is converted exactly. If there is a second accumulator, it is converted, after what is pending
// has been added to it. A NaN is canonical, or nan_code where that is an FP32 code. FIXED and INT32
// are rounded once to nearest even; zero gives +0, and an overflow raises FP8MAC_FLAG_OVERFLOW.
uint32_t fp8mac_acc_to_fp32(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                            fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
