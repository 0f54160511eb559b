// SPDX-License-Identifier: Apache-2.0
// Status codes and sticky exception flags of the golden model.
#ifndef FP8MAC_STATUS_H
#define FP8MAC_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every function that can refuse its arguments returns one of these. Anything but FP8MAC_OK
// promises that no output has been written.
typedef enum fp8mac_status {
    FP8MAC_OK = 0,
    FP8MAC_ERR_NULL,     // a required pointer is NULL
    FP8MAC_ERR_FORMAT,   // a format is NULL, malformed, or not usable in this place
    FP8MAC_ERR_ROUNDING, // rounding mode not in fp8mac_rounding, or random bits out of range
    // overflow mode unknown, or not `saturate` for a format without Inf and NaN
    FP8MAC_ERR_OVERFLOW_MODE,
    FP8MAC_ERR_ACCUMULATOR, // accumulator format unknown, or not usable with these operands
    FP8MAC_ERR_GROUP,       // more terms present than the step's group, or a group out of range
    // A scaling exponent is outside -32..+32. FIXED: a scaling exponent or static_exponent has
    // changed, or a product exceeds static_exponent.
    FP8MAC_ERR_SCALE_EXPONENT,
    FP8MAC_ERR_SCALE,       // a scale that is not finite and greater than zero
    FP8MAC_ERR_SHAPE,       // a dimension that is zero or too large
    FP8MAC_ERR_STRIDE,      // a leading stride shorter than its row, or beyond PTRDIFF_MAX bytes
    FP8MAC_ERR_K_LIMIT,     // FIXED: K > 2^G, so that the sum could overflow; INT32: K > 131071
    FP8MAC_ERR_ACTIVATION,  // activation unknown, or clamp bounds not finite or not lo <= hi
    FP8MAC_ERR_UNSUPPORTED, // a valid request that this build does not implement
    FP8MAC_ERR_PRESET,      // a preset or a kind of element that does not exist
    FP8MAC_ERR_OVERLAP,     // the output overlaps an input
    FP8MAC_ERR_CONFIG,      // an accelerator that cannot be built (fp8mac/cycles.h)
    FP8MAC_ERR_COMMAND,     // a command that the accelerator refuses (fp8mac/cycles.h)
} fp8mac_status;

// One sentence in English for `status`; never NULL.
const char *fp8mac_status_string(fp8mac_status status);

// Sticky exception flags: functions OR into the caller's word, never clear it.
//
// `inexact` and `underflow` are those of IEEE 754. They are an option: a function raises them only
// if the caller's word has FP8MAC_FLAG_TRACK_INEXACT set on entry. Without it nothing is slower.
// With it, arrays and GEMMs are computed by the definition.
//
//   inexact    a finite exact result differs from what was written, also by saturation or overflow
//   underflow  inexact, and the exact result, rounded as if the exponent had no lower limit, is not
//              zero and is below the smallest normal number (tininess after rounding, as in RISC-V
//              and x86; Arm judges before rounding). Integers never underflow.
//
// The exact result of a conversion is the value given; of a step, acc + 2^(sa+sb) * sum of
// a_i * b_i, whatever bits the alignment truncates; of an addition to a second accumulator,
// of a read-out and of each operation of the epilogue, its own. An operation that raises
// `invalid` raises neither.
typedef uint32_t fp8mac_flags;
enum {
    FP8MAC_FLAG_INVALID = 1u << 0,   // Inf * 0 or Inf - Inf; not for NaN operands
    FP8MAC_FLAG_OVERFLOW = 1u << 1,  // finite operands gave Inf (or NaN where there is no Inf)
    FP8MAC_FLAG_SATURATED = 1u << 2, // +-max was written for anything larger, Inf included
    FP8MAC_FLAG_NAN = 1u << 3,       // a NaN in A, B, C, bias, beta or a scale
    FP8MAC_FLAG_INEXACT = 1u << 4,   // only with FP8MAC_FLAG_TRACK_INEXACT, as above
    FP8MAC_FLAG_UNDERFLOW = 1u << 5, // likewise
    // Set by the caller, not by the library: also raise `inexact` and `underflow`.
    FP8MAC_FLAG_TRACK_INEXACT = 1u << 30,
};

#ifdef __cplusplus
}
#endif
#endif
