// SPDX-License-Identifier: Apache-2.0
// A command of the accelerator: its fields (fp8mac/command_fields.h, generated from the register
// map), its words in memory, and the memory that it reads and writes. fp8mac/tiles.h says what is
// legal. The driver, the recorder of networks, the model of the accelerator, the model of cycles
// and the simulators all ask here.
//
// The functions need neither libc's allocation nor a floating-point unit, and run on bare metal.
#ifndef FP8MAC_COMMAND_H
#define FP8MAC_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/accelerator.h"
#include "fp8mac/command_fields.h"
#include "fp8mac/format.h"
#include "fp8mac/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- words --------------------------------------------------------------------------------------

// A descriptor is the words of the registers A_ADDR to SUBMIT; with MODE.extended, those of
// OPERATION to TABLE_ADDR follow. Without it, the members of the extension are 0.
//
// Writes the words and returns their number. Members fit their fields, but for addresses, which
// lose the bits that 32 do not hold.
unsigned fp8mac_words_of_command(const fp8mac_command *c,
                                 uint32_t words[FP8MAC_COMMAND_WORDS_MOST]);
// The command of these words
fp8mac_command fp8mac_command_of_words(const uint32_t *words);
// Without mode.extended, sets the members of the extension to 0, as the accelerator does.
void fp8mac_command_drop_extension(fp8mac_command *c);

// ---- what a command is --------------------------------------------------------------------------

// FP32 bits of 1.0: a scale that changes nothing
#define FP8MAC_COMMAND_ONE UINT32_C(0x3f800000)

// log2 of the bytes of an element of C, D or X with this code
static inline unsigned fp8mac_command_size_log2(unsigned fmt)
{
    return fmt == FP8MAC_FP32 ? 2 : fmt == FP8MAC_FP16 || fmt == FP8MAC_BF16 ? 1 : 0;
}

// X takes the place of A * B^T: element-wise and row commands
static inline bool fp8mac_command_has_x(const fp8mac_command *c)
{
    return c->mode.op != FP8MAC_OP_GEMM;
}

static inline bool fp8mac_command_is_rows(const fp8mac_command *c)
{
    return c->mode.op == FP8MAC_OP_ROWS;
}

// A row command whose D has one column
static inline bool fp8mac_command_is_reduction(const fp8mac_command *c)
{
    return fp8mac_command_is_rows(c) &&
           fp8mac_rows_is_reduction((fp8mac_rows_operation)c->mode.row_op);
}

// A reduction whose results lie one behind the other
static inline bool fp8mac_command_is_dense(const fp8mac_command *c)
{
    return fp8mac_command_is_reduction(c) && c->d.stride == 4 &&
           fp8mac_command_size_log2(c->d.fmt) == 2;
}

static inline bool fp8mac_command_is_norm(const fp8mac_command *c)
{
    return fp8mac_command_is_rows(c) &&
           (c->mode.row_op == FP8MAC_ROWS_RMS_NORM || c->mode.row_op == FP8MAC_ROWS_LAYER_NORM);
}

// A row command that gives MX codes and their scales
static inline bool fp8mac_command_writes_scales(const fp8mac_command *c)
{
    return fp8mac_command_is_rows(c) && c->mode.row_op == FP8MAC_ROWS_QUANTISE_MX;
}

// C is read: not in sums where beta is 0. Where a command keeps its accumulators, the one that ends
// the chain reads it.
static inline bool fp8mac_command_reads_c(const fp8mac_command *c)
{
    return c->c.en && (c->mode.op >= FP8MAC_OP_MULTIPLY || (c->c.beta & 0x7fffffffu) != 0);
}

// A and B have MX scales.
static inline bool fp8mac_command_has_mx(const fp8mac_command *c)
{
    return c->mode.mx && !fp8mac_command_has_x(c);
}

static inline bool fp8mac_command_is_depthwise(const fp8mac_command *c)
{
    return c->mode.depthwise && !fp8mac_command_has_x(c);
}

// A row of A gives two results of each channel.
static inline bool fp8mac_command_has_pairs(const fp8mac_command *c)
{
    return c->mode.pairs && fp8mac_command_is_depthwise(c);
}

// Rows of B, and columns of the products
static inline uint32_t fp8mac_command_columns(const fp8mac_command *c)
{
    return fp8mac_command_has_pairs(c) ? 2u * c->n : c->n;
}

// MX scales of `products` codes: one for each 32
static inline uint32_t fp8mac_command_scales(uint32_t products)
{
    return products / 32u + (products % 32u != 0);
}

// Rows of A that have a second result, with pairs
static inline uint32_t fp8mac_command_seconds(const fp8mac_command *c)
{
    return c->c.stride < c->m ? c->c.stride : c->m;
}

// The row of D that has result 0 or 1 of row r of A, with pairs
static inline uint32_t fp8mac_command_pair_row(const fp8mac_command *c, uint32_t r, uint32_t result)
{
    return (2u * (r / c->image.out_w) + result) * c->image.out_w + r % c->image.out_w;
}

// ---- memory -------------------------------------------------------------------------------------

// `rows` rows of `row_bytes`, one every `stride` bytes. None of them is 0, but `stride` may be with
// one row.
typedef struct fp8mac_region {
    uintptr_t address;
    uint32_t rows, stride, row_bytes;
} fp8mac_region;

// What lies in a region
typedef enum fp8mac_region_of {
    FP8MAC_REGION_A, // or X, or the lines of an image
    FP8MAC_REGION_B,
    FP8MAC_REGION_D,
    FP8MAC_REGION_SCALE_A,
    FP8MAC_REGION_SCALE_B, // or gamma of a norm
    FP8MAC_REGION_BIAS,    // or beta of a norm
    FP8MAC_REGION_C,
    FP8MAC_REGION_MX_A, // or the scales that quantise_mx writes
    FP8MAC_REGION_MX_B,
    FP8MAC_REGION_TABLE,
    FP8MAC_REGION_KINDS,
} fp8mac_region_of;

enum {
    FP8MAC_COMMAND_EXTENTS_MOST = 10, // one of each kind
    // With pairs D may have three: whole pairs of lines, the first results behind them, and the
    // second ones of a line that is not whole.
    FP8MAC_COMMAND_REGIONS_MOST = 12,
    FP8MAC_COMMAND_ADDRESSES_MOST = 10,
};

typedef struct fp8mac_command_region {
    fp8mac_region at;
    uint8_t of;   // fp8mac_region_of
    bool written; // else it is read
} fp8mac_command_region;

// The memory that a legal command reads and writes, apart from its descriptor, on an accelerator
// with these `caps`: of them, cols and functions count. An operand that is reused is not there, nor
// D and what finishes it in a command that keeps its accumulators. D is the first region, if it is
// there. Returns the number of regions.
//
// Each byte that is written belongs to a row of a written region, and each byte of such a row is
// written. Each beat that is read meets a row of a read region. Each row of one is read, but for
// lines that the kernel of an image skips: they are left out only if the kernel has one line.
// With pairs and more than one output line without second results, the rows between first
// results count as written.
unsigned fp8mac_command_regions(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST]);
// The same, but D is one region: from its first row to its last one.
unsigned fp8mac_command_extents(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST]);
// The same of a command with A * B^T alone. Programs that have no others need not the rest.
unsigned fp8mac_product_extents(const fp8mac_caps *caps, const fp8mac_command *c,
                                fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST]);

// An address that a command uses: the member, and the word of the descriptor
typedef struct fp8mac_command_address {
    uintptr_t *at;
    uint8_t word;
} fp8mac_command_address;

// Those of a command, in the order of their words; returns how many there are. B's is there with
// MODE.reuse_b, too: a list that starts with this command reads B.
unsigned fp8mac_command_addresses(fp8mac_command *c,
                                  fp8mac_command_address list[FP8MAC_COMMAND_ADDRESSES_MOST]);

#ifdef __cplusplus
}
#endif
#endif
