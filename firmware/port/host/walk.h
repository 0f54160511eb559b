// SPDX-License-Identifier: Apache-2.0
// The accelerator's division of a command into tile commands.
#ifndef FP8RT_HOST_WALK_H
#define FP8RT_HOST_WALK_H

#include "fp8mac/dot.h"
#include "fp8rt/device.h"
#include "fp8rt/registers.h"

typedef struct fp8rt_host_tile {
    uint32_t a_row, a_k;       // of an image A, which stays at its address: its first row and code
    fp8rt_command command;     // its part of the matrices and vectors; without tile sizes
    uint32_t first_m, first_n; // position of its first output in the command's D
    uint32_t mx_first;         // the position of its first MX scale in a beat
    bool last;                 // of its command
    bool range_bad;            // the command's strides or this part's addresses are illegal
    bool sequence_bad;         // the command is part of a chain, but not one tile command
} fp8rt_host_tile;

// Takes a tile command. False ends the walk.
typedef bool (*fp8rt_host_visit)(void *context, const fp8rt_host_tile *tile);

// Bytes of an element of D. A reserved format counts as 1 byte, as in the accelerator.
uint32_t fp8rt_host_d_bytes(const fp8rt_command *command);

static inline bool fp8rt_host_has(const fp8rt_command *command, uint32_t mode_bit)
{
    return (command->mode & mode_bit) != 0;
}

// OPERATION, as it counts
static inline uint32_t fp8rt_host_operation(const fp8rt_command *command)
{
    return fp8rt_host_has(command, FP8MAC_REGS__MODE__EXTENDED_bm) ? command->operation : 0;
}

// X takes the place of A * B^T.
static inline bool fp8rt_host_elementwise(const fp8rt_command *command)
{
    return (fp8rt_host_operation(command) & FP8MAC_REGS__OPERATION__OP_bm) != 0;
}

// C is read: not where beta is 0, unless X is multiplied by C.
bool fp8rt_host_reads_c(const fp8rt_command *command);

// Bytes of an element of C, and of X
uint32_t fp8rt_host_c_bytes(const fp8rt_command *command);
uint32_t fp8rt_host_x_bytes(const fp8rt_command *command);

static inline bool fp8rt_host_conv_a(const fp8rt_command *command)
{
    return (fp8rt_host_operation(command) & FP8MAC_REGS__OPERATION__CONV_A_bm) != 0;
}

static inline bool fp8rt_host_depthwise(const fp8rt_command *command)
{
    return !fp8rt_host_elementwise(command) &&
           (fp8rt_host_operation(command) & FP8MAC_REGS__OPERATION__DEPTHWISE_bm) != 0;
}

// A row of A gives two results of each channel.
static inline bool fp8rt_host_pairs(const fp8rt_command *command)
{
    return fp8rt_host_depthwise(command) &&
           (fp8rt_host_operation(command) & FP8MAC_REGS__OPERATION__PAIRS_bm) != 0;
}

// Columns of the products, and rows of B
static inline uint32_t fp8rt_host_columns(const fp8rt_command *command)
{
    return fp8rt_host_pairs(command) ? 2u * command->n : command->n;
}

// Rows of a tile command that have two results, whose first one is row `first` of its command
static inline uint32_t fp8rt_host_seconds(const fp8rt_command *tile, uint32_t first)
{
    const uint32_t left =
        fp8rt_host_pairs(tile) && tile->c_stride > first ? tile->c_stride - first : 0;
    return left < tile->m ? left : tile->m;
}

// The row of D that has result `second` of A's row r, in a command with pairs
static inline uint32_t fp8rt_host_pair_row(const fp8rt_command *command, uint32_t r,
                                           uint32_t second)
{
    const uint32_t out_w = FP8RT_GET(CONV_SIZE__OUT_W, command->conv[1]);
    return (2u * (r / out_w) + second) * out_w + r % out_w;
}

// The last row of D that a tile command with pairs writes, whose first row of A is row `first` of its command
static inline uint32_t fp8rt_host_last_pair_row(const fp8rt_command *tile, uint32_t first)
{
    const uint32_t seconds = fp8rt_host_seconds(tile, first);
    const uint32_t row = fp8rt_host_pair_row(tile, first + tile->m - 1u, 0),
                   other = seconds != 0 ? fp8rt_host_pair_row(tile, first + seconds - 1u, 1) : 0;
    return row > other ? row : other;
}

static inline bool fp8rt_host_mx(const fp8rt_command *command)
{
    return !fp8rt_host_elementwise(command) &&
           (fp8rt_host_operation(command) & FP8MAC_REGS__OPERATION__MX_bm) != 0;
}

// MX scales of a row
static inline uint32_t fp8rt_host_blocks(const fp8rt_command *command)
{
    return command->k / FP8MAC_MX_BLOCK + (command->k % FP8MAC_MX_BLOCK != 0);
}

void fp8rt_host_walk(const fp8rt_caps *caps, const fp8rt_command *command, fp8rt_host_visit visit,
                     void *context);

#endif
