// SPDX-License-Identifier: Apache-2.0
// What the sources of the accelerator's model share.
#ifndef FP8MAC_ACCELERATOR_MACHINE_H
#define FP8MAC_ACCELERATOR_MACHINE_H

#include "core/internal.h"
#pragma GCC visibility push(default)
#include "fp8mac/accelerator_model.h"
#pragma GCC visibility pop

// Where a region of the command is
typedef struct place {
    uintptr_t address; // its first byte on the bus
    uint8_t *at;       // the same in this process; NULL: the command does not use it
} place;

// A command at work
typedef struct job {
    fp8mac_accelerator *x;
    const fp8mac_command *c;
    place place[FP8MAC_REGION_KINDS];
    const uint8_t *table; // of D's codes; NULL: none
    bool requantises;
} job;

// The byte of region `of` at a bus address
static inline uint8_t *at(const job *j, fp8mac_region_of of, uintptr_t address)
{
    return j->place[of].at + (address - j->place[of].address);
}

static inline const fp8mac_format *format_of(uint8_t fmt)
{
    return fp8mac_format_get((fp8mac_format_id)fmt);
}

// The format of an operand: a narrow one, and INT8, have a bit beside the code.
static inline fp8mac_format_id operand_format(const fp8mac_command_operand *x)
{
    enum { CODE_INT8 = 3 };
    if (!x->narrow) {
        return (fp8mac_format_id)x->fmt;
    }
    return x->fmt == CODE_INT8 ? FP8MAC_INT8 : (fp8mac_format_id)(FP8MAC_E3M2FN + x->fmt);
}

static inline uint32_t beats_of(const fp8mac_accelerator *x, uint64_t bytes)
{
    return (uint32_t)((bytes + x->caps.beat_bytes - 1u) / x->caps.beat_bytes);
}

// Adds what a function of the model has seen.
static inline void observe(fp8mac_accelerator *x, fp8mac_flags flags, bool nonfinite, uint32_t amax)
{
    x->observed.flags |= flags;
    x->observed.amax_nonfinite |= nonfinite;
    x->observed.amax = amax > x->observed.amax ? amax : x->observed.amax;
}

// ---- faults (fault.c) ---------------------------------------------------------------------------

uint32_t fp8mac_fault_word(const fp8mac_fault *fault, fp8mac_fault_part part, uint32_t unit,
                           uint32_t lane, uint32_t word);
// The same for each of `count` bytes that begin at byte `offset` of a beat
void fp8mac_fault_bytes(const fp8mac_fault *fault, fp8mac_fault_part part, uint32_t unit,
                        uint32_t beat, uint32_t offset, uint8_t *bytes, uint32_t count);

// ---- operands (operands.c) ----------------------------------------------------------------------

// How the elements compute: the command's operands, accumulator and scaling exponents
bool fp8mac_accelerator_dot(const fp8mac_accelerator *x, const fp8mac_command *c,
                            fp8mac_dot_config *dot);
// Codes k to k + count - 1 of row r of an image operand
void fp8mac_accelerator_image(const job *j, uint32_t r, uint32_t k, uint32_t count, uint8_t *codes);
// Loads a tile command's operands and their scales, also those that it reuses if `all`.
void fp8mac_accelerator_load(const job *j, const fp8mac_tile *t, bool all);

// ---- results (outputs.c) ------------------------------------------------------------------------

// Element-wise: all of D
void fp8mac_accelerator_elementwise(const job *j);
// One tile command of a GEMM, whose operands are loaded
void fp8mac_accelerator_tile(const job *j, const fp8mac_dot_config *dot, const fp8mac_tile *t);
// The integer scale of column n
fp8mac_int_scale fp8mac_accelerator_int_scale(const job *j, uint32_t n);
fp8mac_requantise fp8mac_accelerator_limits(const fp8mac_command *c);

// ---- whole commands -----------------------------------------------------------------------------

// A GEMM by the model's own (products.c). False: it is none that can be computed so, and nothing
// was written.
bool fp8mac_accelerator_product(const job *j);
// A row command (rows.c). False: the model has no such
bool fp8mac_accelerator_rows(const job *j);
void fp8mac_accelerator_count_rows(fp8mac_accelerator *x, const fp8mac_command *c);

#endif
