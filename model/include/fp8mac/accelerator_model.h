// SPDX-License-Identifier: Apache-2.0
// A model of the accelerator without time: it takes commands, refuses what the RTL refuses, with
// the same error, and gives the same bytes, flags and amax. The host device of the firmware library
// and the timed simulator run on it. fp8mac/cycles.h is the model of the time.
//
// A command runs as a whole when it is given. GEMMs that neither continue nor keep accumulators are
// fp8mac_gemm's; chains go tile command by tile command, as in the RTL.
#ifndef FP8MAC_ACCELERATOR_MODEL_H
#define FP8MAC_ACCELERATOR_MODEL_H

#include <stddef.h>

#include "fp8mac/command.h"
#include "fp8mac/dot.h"
#include "fp8mac/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- a fault ------------------------------------------------------------------------------------

// What bytes pass through in the accelerator. The parts of B follow those of A. `unit` and
// `lane` of a fault are
//
//   PART      what                                       unit             lane
//   D, X, C   their ways                                 0                byte of a beat
//   SCALE_A, SCALE_B, BIAS   vectors                     0                byte of a beat
//   A, B      operand buffers                            row RAM          byte of a beat
//   MX_A, MX_B  MX scale buffers                         row RAM          byte of a beat
//   TABLE     tables of codes                            table, from 1    byte of a word
//   ARRAY     an element's FP32 result                   row              column
//   FORMAT    the FP32 result where A (B) has a format   number of it     0 (1)
typedef enum fp8mac_fault_part {
    FP8MAC_FAULT_NONE = 0,
    FP8MAC_FAULT_D,
    FP8MAC_FAULT_X,
    FP8MAC_FAULT_C,
    FP8MAC_FAULT_SCALE_A,
    FP8MAC_FAULT_SCALE_B,
    FP8MAC_FAULT_BIAS,
    FP8MAC_FAULT_A,
    FP8MAC_FAULT_B,
    FP8MAC_FAULT_MX_A,
    FP8MAC_FAULT_MX_B,
    FP8MAC_FAULT_TABLE,
    FP8MAC_FAULT_ARRAY,
    FP8MAC_FAULT_FORMAT,
} fp8mac_fault_part;

// A bit, 0 to 7 of a byte (ARRAY, FORMAT: to 31), that is stuck at `value`, 0 or 1. All zero: none
typedef struct fp8mac_fault {
    fp8mac_fault_part part;
    uint32_t unit, lane, bit, value;
} fp8mac_fault;

// ---- the accelerator ----------------------------------------------------------------------------

// The largest array that the model stands for
enum {
    FP8MAC_ACCELERATOR_SIDE_MOST = 32,  // rows, columns
    FP8MAC_ACCELERATOR_MN_MOST = 128,   // max_mn
    FP8MAC_ACCELERATOR_BUFFER = 262144, // row RAMs * buf_beats * beat_bytes: 32 * 256 * 32
    FP8MAC_ACCELERATOR_TABLES = 2,
};

// Where `bytes` bytes of the bus's memory at `address` are; NULL: there is no memory, and the bus
// answers DECERR. Memory lies together as addresses do.
typedef void *(*fp8mac_memory)(void *context, uintptr_t address, uint64_t bytes);

// An operand's buffer: rows of k codes, in a depthwise command those of each quad; and their scales
typedef struct fp8mac_operand_buffer {
    uint8_t codes[FP8MAC_ACCELERATOR_BUFFER];
    uint8_t mx[FP8MAC_ACCELERATOR_BUFFER / 32];
} fp8mac_operand_buffer;

// The caller sets the first members, and zeroes the others. `observed` and the counters add up
// until the caller clears them.
typedef struct fp8mac_accelerator {
    fp8mac_caps caps; // within the limits above; pass_tiles is 4
    fp8mac_memory memory;
    void *context; // its first argument
    fp8mac_fault fault;
    fp8mac_observed observed;
    uint64_t macs;                    // those of tile commands
    uint32_t read_beats, write_beats; // each row of a tile command once; an image without padding
    uint8_t tables[FP8MAC_ACCELERATOR_TABLES][256];
    uint32_t tables_loaded; // bit i: table i + 1
    fp8mac_left left;       // by the tile command before
    fp8mac_operand_buffer a, b;
    fp8mac_acc acc[FP8MAC_ACCELERATOR_MN_MOST * FP8MAC_ACCELERATOR_MN_MOST]; // kept
} fp8mac_accelerator;

// Runs a command. FP8MAC_COMMAND_ERROR_NONE: all of D is written. Otherwise nothing is written, and
// the error is the one that the RTL reports. Addresses are those of the memory.
fp8mac_command_error fp8mac_accelerator_run(fp8mac_accelerator *x, const fp8mac_command *command);
// Writes table 1 or 2.
void fp8mac_accelerator_load_table(fp8mac_accelerator *x, uint32_t table, const uint8_t *codes);
// The error state is left: the next tile command has no predecessor.
void fp8mac_accelerator_forget(fp8mac_accelerator *x);

#ifdef __cplusplus
}
#endif
#endif
