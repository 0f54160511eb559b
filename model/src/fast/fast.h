// SPDX-License-Identifier: Apache-2.0
// The fast paths. They give the results of the definition with float and double arithmetic that is
// exact wherever the definition is. The kernels have one source, kernels.h, which is compiled once
// for each instruction set.
// The public functions call them in the environment of core/environment.h.
#ifndef FP8MAC_FAST_INTERNAL_H
#define FP8MAC_FAST_INTERNAL_H

#include "core/gemm_definition.h"

// ---- formats ------------------------------------------------------------------------------------

// A format with IEEE 754's exponents, in the bits of a float. `shift` is 23 - mantissa bits; a
// magnitude is a code without its sign.
typedef struct fp8mac_fast_format {
    uint32_t bits, shift;
    uint32_t sign;           // the sign bit of a code
    uint32_t keep_zero_sign; // all ones if there is -0, else 0
    uint32_t rebias; // (127 - bias) << mantissa bits: subtracted from a normal float's top bits
    uint32_t least_normal; // float bits of the smallest normal value
    // Float bits of 2^(e_min - mantissa bits + 23), whose last place is the quantum
    uint32_t denormal_magic;
    float quantum; // 2^(e_min - mantissa bits)
    uint32_t max_code, inf_code, nan_code;
    uint32_t max_bits; // float bits of the largest finite value
    bool has_inf, nan_is_minus_zero;
} fp8mac_fast_format;

// Whether the format has that form; fills *fast.
bool fp8mac_fast_format_init(fp8mac_fast_format *fast, const fp8mac_format *format);

// What occurred during an array conversion. The caller turns it into flags.
typedef struct fp8mac_fast_seen {
    bool over, inf; // finite values rounded beyond the largest; infinities
} fp8mac_fast_seen;

typedef struct fp8mac_fast_encode {
    fp8mac_fast_format format;
    uint32_t finite_code, inf_code; // magnitude written for an overflow, for an infinity
    unsigned random_bits;           // 0: nearest even
    float units;                    // stochastic: 2^random_bits / quantum
    const uint32_t *r;              // stochastic: one for each element
} fp8mac_fast_encode;

// Where random bits are drawn: see random.h. The counter's last word holds `use` too.
typedef struct fp8mac_draw {
    uint32_t m, n, step_low, step_high;
    uint32_t key[2]; // the seed
    unsigned bits;   // of each word, its first
} fp8mac_draw;

// ---- every setting ------------------------------------------------------------------------------

// A format to which sums are rounded, in doubles.
typedef struct fp8mac_round_to {
    fp8mac_rounding rounding;
    bool flush;
    bool may_overflow;
    bool as_float;              // rounds as the conversion to a float does
    bool relative;              // stochastic, and every sum is a multiple of the least quantum
    unsigned bits, random_bits; // of the significand; of a stochastic rounding
    double least, most;         // power of two of the smallest normal; one above the largest number
    double quantum;             // the quantum of a power of two is power * quantum
    double magic;               // and this is 2^52 of them
    double random_unit;         // stochastic: 2^-n
    double tiny_below;          // what is tiny before rounding is tiny after it below this
    double largest, overflow;   // the largest finite number; what is written for anything larger
} fp8mac_round_to;

typedef enum fp8mac_any_sums {
    FP8MAC_ANY_EXACT,    // acc and products fit one double
    FP8MAC_ANY_ODD,      // products fit one double
    FP8MAC_ANY_TWO_SUMS, // products of A's large values do, and so do those of its small ones
} fp8mac_any_sums;

// What the kernels of kernels_any.h compute. Members that dot.h explains have its names.
typedef struct fp8mac_any {
    fp8mac_round_to to, to_second;
    fp8mac_flags overflow_flag; // what an overflow raises
    int32_t scale;              // exponent of what multiplies all products
    bool blocks;                // and of the block scales
    fp8mac_any_sums sums;
    fp8mac_draw draw; // key and bits
    unsigned period;  // promote or chunk; 0 if there is no second accumulator
    // truncated alignment
    bool by_operands, late, even_odd;
    fp8mac_align_round align_round, late_round;
    unsigned frac_bits, late_bits_sum, late_bits_acc, late_drop;
    int32_t exponent; // of a product whose two exponents are the least of their formats
    int32_t min_exponent, acc_min_exponent;
    int32_t least_to_unit; // every product is below 2^-(this + 1)
} fp8mac_any;

enum { FP8MAC_FAST_NO_EXPONENT = -8192 }; // of terms that are all zero

// ---- tiles --------------------------------------------------------------------------------------

// K terms of a tile of outputs, mr x nr. Panels hold k-major columns of operands: a[k][mr],
// b[k][nr].
typedef struct fp8mac_tile {
    size_t k;
    unsigned group;
    const float *a, *b;
    const double *a_double, *b_double;
    // Sums that may need two doubles: the large values of A, and the others. Each has zeros in the
    // other's places.
    const double *a_large, *a_small;
    double one; // wide sums: the power of two at which they are split
    // For each group, b_most has the largest magnitudes of the columns, and a_reach those of the
    // rows, times a factor: see kernels_wide.h.
    const double *a_reach, *b_most;
    const int8_t *a_exponent, *b_exponent;
    void *acc; // mr x nr floats, or doubles for FIXED
    // truncated alignment
    unsigned frac_bits;
    unsigned chunk; // the number of terms whose sum fits an int32_t
    int32_t scale, min_exponent, acc_min_exponent;
    uint64_t keep; // mask of a double's bits: what rounding toward zero keeps
    bool to_fp16;
    // Every setting; with a second accumulator, mr x nr floats of it follow those of acc.
    const fp8mac_any *any;
    const int32_t *a_block, *b_block; // exponents of block scales, from the tile's first block on
    // Alignment by operands: for each group, the largest exponents of the rows and of the columns.
    const int32_t *a_group, *b_group;
    size_t k_first, k_all; // the tile's first term; all terms of an output
    uint32_t m, n;         // the first output's position
    fp8mac_flags *seen;
} fp8mac_tile;

typedef void fp8mac_tile_function(const fp8mac_tile *tile);

// The epilogue's arithmetic on a row of outputs.
typedef struct fp8mac_fast_outputs {
    size_t n;
    const float *t0;
    float scale_a, scale_b; // scale_b: unless scales_b is given
    const float *scales_b, *bias, *c;
    float beta, clamp_lo, clamp_hi, scale_d;
    fp8mac_activation activation;
    bool find_tiny; // whether `tiny` is wanted
    float d_least;  // values of D below this may be tiny; 0 if none are
    bool identity;  // T * scale_d is t0: `out` is not written
    float *out;     // T * scale_d
    uint32_t amax;  // bits of max |T|, if all were finite
    bool nonfinite; // some operand or result was not finite: no result here may be used
    bool tiny;      // some operation may underflow
} fp8mac_fast_outputs;

// What a row of operand codes holds.
typedef struct fp8mac_scan {
    uint8_t most;        // largest magnitude
    uint8_t least_less1; // smallest magnitude but zero, less 1; 0xff if all are zero
    bool minus_zero;     // the sign bit alone
} fp8mac_scan;

typedef struct fp8mac_kernels {
    unsigned mr, nr;
    void (*encode8)(const fp8mac_fast_encode *how, uint8_t *dst, const float *src, size_t n,
                    fp8mac_fast_seen *seen);
    void (*encode16)(const fp8mac_fast_encode *how, uint16_t *dst, const float *src, size_t n,
                     fp8mac_fast_seen *seen);
    void (*decode8)(const fp8mac_fast_format *format, float *dst, const uint8_t *src, size_t n);
    void (*decode16)(const fp8mac_fast_format *format, float *dst, const uint16_t *src, size_t n);
    // r[i] = the random bits at column n + i; n does not carry.
    void (*draw)(uint32_t *r, size_t count, const fp8mac_draw *at);
    uint32_t (*bits_used)(const uint32_t *words, size_t n); // all of them ORed
    fp8mac_scan (*scan)(const uint8_t *codes, size_t n);
    // Turns `rows` <= width rows of k finite codes into a panel of `width` columns (mr or nr). The
    // panel holds values * scale. 16 floats beyond the panel may be written.
    void (*pack)(const fp8mac_fast_format *format, float *panel, unsigned width,
                 const uint8_t *codes, size_t stride, unsigned rows, size_t k, float scale);
    // Writes the exponents of the codes' binades, and `zero` for a zero. 16 bytes beyond the panel
    // may be written.
    void (*pack_exponents)(const fp8mac_fast_format *format, int8_t *panel, unsigned width,
                           const uint8_t *codes, size_t stride, unsigned rows, size_t k,
                           int8_t zero);
    // Two terms of INT8 in each 32-bit word, the first one low; the last may be alone.
    void (*pack_pairs)(int32_t *panel, unsigned width, const uint8_t *codes, size_t stride,
                       unsigned rows, size_t k);
    // Divides each group of terms of a panel by the power of two of its largest magnitude, column
    // by column, and multiplies it by `unit`. Writes that exponent, or FP8MAC_FAST_NO_EXPONENT
    // where all terms are zero. 16 floats beyond the panel and the exponents may be written.
    void (*pack_groups)(float *panel, int32_t *exponents, unsigned width, size_t k, unsigned group,
                        float unit);
    void (*outputs)(fp8mac_fast_outputs *outputs);
    fp8mac_tile_function *fp32, *fp16;             // one product a step
    fp8mac_tile_function *fused_fp32, *fused_fp16; // groups, sums exact in double
    fp8mac_tile_function *wide_fp32, *wide_fp16;   // groups, sums exact in two doubles
    fp8mac_tile_function *wide_sum; // FIXED: mr x nr doubles of high, then of low parts
    fp8mac_tile_function *sum;      // exact in double, no rounding
    fp8mac_tile_function *int8;     // INT32; a and b hold pairs of terms, and k counts pairs
    fp8mac_tile_function *aligned;  // truncated alignment
    fp8mac_tile_function *any_exact, *any_aligned; // every setting
    fp8mac_tile_function *any_operands;            // alignment by operands, then late accumulation
    fp8mac_tile_function *tracked_exact, *tracked_aligned; // with `inexact` and `underflow`
} fp8mac_kernels;

// There are no kernels on bare metal, which compiles only the conversions, and on 32-bit machines,
// which would not gain from them.
#define FP8MAC_FAST (__STDC_HOSTED__ && UINTPTR_MAX > UINT32_MAX)

extern const fp8mac_kernels fp8mac_kernels_portable;
#if defined(__x86_64__)
extern const fp8mac_kernels fp8mac_kernels_avx2, fp8mac_kernels_avx512;
#endif

// ---- what the callers try first -----------------------------------------------------------------

// False if `isa` is not available. *kernels is NULL for FP8MAC_ISA_DEFINED.
#if FP8MAC_FAST
bool fp8mac_kernels_find(fp8mac_isa isa, const fp8mac_kernels **kernels);
#else
static inline bool fp8mac_kernels_find(fp8mac_isa isa, const fp8mac_kernels **kernels)
{
    *kernels = NULL;
    return isa == FP8MAC_ISA_BEST || isa == FP8MAC_ISA_DEFINED;
}
#endif

static inline const fp8mac_kernels *fp8mac_kernels_best(void)
{
    const fp8mac_kernels *kernels;
    return fp8mac_kernels_find(FP8MAC_ISA_BEST, &kernels) ? kernels : NULL;
}

// `kernels` is not NULL, arguments have been validated. True if done; false: nothing has been
// written, the definition has to do it.
bool fp8mac_fast_convert(const fp8mac_kernels *kernels, const fp8mac_format *dst_format, void *dst,
                         const fp8mac_format *src_format, const void *src, size_t n,
                         fp8mac_convert_mode mode, fp8mac_flags *flags);
// Random bits r[i] < 2^bits are given.
bool fp8mac_fast_convert_stochastic(const fp8mac_kernels *kernels, const fp8mac_format *dst_format,
                                    void *dst, const fp8mac_format *src_format, const void *src,
                                    size_t n, fp8mac_overflow overflow, const uint32_t *r,
                                    unsigned bits, fp8mac_flags *flags);
bool fp8mac_fast_quantize(const fp8mac_kernels *kernels, const fp8mac_format *dst_format, void *dst,
                          const float *src, size_t n, float scale, fp8mac_convert_mode mode,
                          fp8mac_flags *flags);
bool fp8mac_fast_dequantize(const fp8mac_kernels *kernels, float *dst,
                            const fp8mac_format *src_format, const void *src, size_t n,
                            float scale);

// Why no kernel computes a GEMM.
typedef enum fp8mac_refusal {
    FP8MAC_NOT_REFUSED,
    FP8MAC_REFUSED_FIXED,
    FP8MAC_REFUSED_WIDE_GROUPS,
    FP8MAC_REFUSED_BLOCKS,
    FP8MAC_REFUSED_FRACTION,
    FP8MAC_REFUSED_LATE_BITS,
    FP8MAC_REFUSED_EXPONENTS,
    FP8MAC_REFUSED_SPECIAL_ROWS,
    FP8MAC_REFUSED_SPECIAL_ACC,
    FP8MAC_REFUSED_RANDOM_FLAGS,
    FP8MAC_REFUSED_PAIRS,
    FP8MAC_REFUSED_MEMORY,
    FP8MAC_REFUSALS
} fp8mac_refusal;

// model/SPEED.md has these sentences.
const char *fp8mac_refusal_text(fp8mac_refusal refusal);

// If it is refused, totals may have flags of some outputs, which the definition raises too.
fp8mac_refusal fp8mac_fast_gemm(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                fp8mac_gemm_totals *totals);

#endif
