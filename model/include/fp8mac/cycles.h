// SPDX-License-Identifier: Apache-2.0
// Clock cycles of the accelerator: from a configuration and a list of commands, the cycles and the
// counters that the RTL has for them, without a difference of one cycle. No operand is read and no
// result is computed.
//
// The model has the RTL's registers that decide about time, clock by clock: queue, walker, checks,
// load, read DMA, compute, array, store, epilogue, write-out, write DMA. docs/CYCLES.md has their
// rules. A test compares it with the RTL on random commands.
//
// Commands that the model has:
//   GEMMs, divided into tile commands and chunks of K or not; with vectors of scales and a bias;
//   with beta * C; with MX scales; chains (acc_keep, acc_continue); operands that are reused
//   image operands; element-wise additions and products; row commands
//   any number in flight, also those that wait for others (after, b_free)
//   submission by registers, by the doorbell, and by lists, also with pauses that software ends
// It refuses more than 2^20 tile commands in a run (FP8MAC_ERR_UNSUPPORTED).
// Commands that the accelerator refuses (STATUS.error) are refused, too: fp8mac_cycles_run says
// what is judged. What lies in memory is not judged: vectors hold legal scales, tables are loaded,
// and the bus gives no error.
#ifndef FP8MAC_CYCLES_H
#define FP8MAC_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8mac/catalogue.h"
#include "fp8mac/command.h"
#include "fp8mac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the configuration --------------------------------------------------------------------------

typedef enum fp8mac_cycles_memory_kind {
    // The simulated chip's RAM: 32 bursts wait to read, as many as the accelerator has in flight,
    // and 16 to write. The first beat comes 3 + latency cycles after its address, the answer to a
    // write 1 + latency cycles after its last beat.
    FP8MAC_CYCLES_CHIP = 0,
    // A memory that takes everything at once. Both come 1 + latency cycles after.
    FP8MAC_CYCLES_IDEAL = 1,
} fp8mac_cycles_memory_kind;

// Parameters of the RTL's fp8mac_accel, in its spelling but for the case. `fp8mac_cycles_default`
// has the defaults.
typedef struct fp8mac_cycles_config {
    uint32_t rows;        // of elements: a power of two, 1 to 32
    uint32_t cols;        // likewise
    uint32_t lanes;       // products of an element per step: a power of two, 1 to 32; exact: to 16
    uint32_t element;     // fp8mac_element_kind; one that commands know
    uint32_t tiles;       // of the accumulator memory: a power of two, 8 to 32768
    uint32_t axi_data_w;  // bits of a beat: 64, 128, 256
    uint32_t epi_width;   // outputs that the epilogue finishes per cycle; 0: the default
    uint32_t max_mn;      // limit of a tile command's m and n
    uint32_t queue_depth; // 1 to 127
    uint32_t buf_beats;   // of a row RAM in half an operand buffer: a power of two
    fp8mac_cycles_memory_kind memory;
    uint32_t latency; // of the memory, 0 to 10000 cycles
    // Random stalls of the simulated chip's RAM: in each cycle each of the five channels of the bus
    // is stalled with this probability, 0 to 900 per mille (--stall of the simulator). 0 with an
    // ideal memory.
    uint32_t stall_permille;
    // The state of their generator in cycle 0: fp8mac_cycles_stall_state
    uint64_t stall_state;
    // Whether cycle 0 is an odd one, counted from the first one behind the reset. Softmax takes
    // transfers in odd cycles alone.
    bool odd;
    // The row of elements whose words of image operands go first to the memories: 0 after a reset,
    // else `image_turn` of the run before.
    uint32_t image_turn;
    // The integer requantiser is in the place of the FP32 epilogue: with the element int8 alone.
    // Then SCALE_A, SCALE_B, SCALE_D and the limits of the clamp are integers, and a vector of
    // scales of B has two words for each column.
    bool requantise;
} fp8mac_cycles_config;

// 4 x 4 elements of 16 lanes, kind block, 128 bits, on the simulated chip's RAM without latency
fp8mac_cycles_config fp8mac_cycles_default(void);

// The state of the generator of stalls, so many cycles behind the reset. `seed` is that of the
// simulator (--seed, 1 if it is not given), which is spread over 64 bits by splitmix64. The
// generator is xorshift64 (Marsaglia, Xorshift RNGs, 2003) with the shifts 13, 7 and 17.
uint64_t fp8mac_cycles_stall_state(uint64_t seed, uint64_t cycles);

// FP8MAC_OK, or FP8MAC_ERR_CONFIG: then *parameter is the name of the first one that is not
// possible and *range says what is. Both stay NULL else.
fp8mac_status fp8mac_cycles_check(const fp8mac_cycles_config *config, const char **parameter,
                                  const char **range);

// ---- commands -----------------------------------------------------------------------------------

typedef enum fp8mac_cycles_submission {
    FP8MAC_CYCLES_REGISTERS = 0, // SUBMIT is written in `cycle`
    FP8MAC_CYCLES_DOORBELL = 1,  // DOORBELL is written in `cycle`
    FP8MAC_CYCLES_LISTED = 2,    // its descriptor is behind the one before, which says SUBMIT.more
    // The same behind a pause: CTRL.resume is written in `cycle`, while the list pauses. Commands
    // that software submits in the pause stand between the two.
    FP8MAC_CYCLES_RESUMED = 3,
} fp8mac_cycles_submission;

// A command and its submission. What its mode does not use has no effect. An address of table.addr
// that is not at a beat, or ends beyond 2^32: FP8MAC_ERR_COMMAND.
typedef struct fp8mac_cycles_command {
    fp8mac_cycles_submission submission;
    uint64_t cycle;      // first cycle in which the register has its new value
    uint32_t descriptor; // its address; of a list, of the first one
    // command.pause: the list goes on, but pauses behind this command. command.more has no effect:
    // the submission of the next command says whether it is in the list.
    fp8mac_command command;
} fp8mac_cycles_command;

// ---- a run --------------------------------------------------------------------------------------

// The RTL's counters (docs/CYCLES.md). `cycles` is the sum of `compute` to `idle`.
typedef struct fp8mac_cycles_counters {
    uint64_t cycles;
    uint64_t compute, results, spacing, first_load, load, command, store, idle;
    uint64_t macs, read_beats, write_beats;
    uint64_t image_turn; // no counter: fp8mac_cycles_config.image_turn of the run that follows
} fp8mac_cycles_counters;

// Runs the commands from an idle accelerator until it is idle again. Cycle 0 is the first one, and
// `cycles` the number of those before the first idle one behind the last command. completed[i] is
// the cycle in which memory has acknowledged the last write of command i; `completed` may be NULL.
//
// FP8MAC_ERR_COMMAND: *refused is the number of a command that the accelerator would refuse:
// shapes, alignment, ranges, formats, scales, sequences, a submission while the queue is full or
// another descriptor is read, the end of a pause that has not begun. FP8MAC_ERR_UNSUPPORTED: of one
// whose tile commands are too many. `refused` may be NULL. FP8MAC_ERR_CONFIG: see
// fp8mac_cycles_check.
fp8mac_status fp8mac_cycles_run(const fp8mac_cycles_config *config,
                                const fp8mac_cycles_command *commands, size_t count,
                                uint64_t *completed, size_t *refused,
                                fp8mac_cycles_counters *counters);

// ---- what happens in a run ----------------------------------------------------------------------

typedef enum fp8mac_cycles_channel {
    FP8MAC_CYCLES_AR = 0,
    FP8MAC_CYCLES_R = 1,
    FP8MAC_CYCLES_AW = 2,
    FP8MAC_CYCLES_W = 3,
    FP8MAC_CYCLES_B = 4,
} fp8mac_cycles_channel;

// A transfer of a channel of the AXI4 bus: valid and ready are both high in `cycle`. Of AR and AW,
// `address` and `bytes` are those of the burst, whole beats; of R, of the beat; of W, `bytes` are
// those that the beat writes. Of B they are those of the burst that was written.
typedef struct fp8mac_cycles_transfer {
    uint64_t cycle;
    fp8mac_cycles_channel channel;
    uint32_t address, bytes;
} fp8mac_cycles_transfer;

typedef enum fp8mac_cycles_event_kind {
    FP8MAC_CYCLES_SUBMITTED = 0,      // a command goes to the queue
    FP8MAC_CYCLES_LOAD_BEGINS = 1,    // of a tile command's operands
    FP8MAC_CYCLES_LOAD_ENDS = 2,      // the last one has arrived
    FP8MAC_CYCLES_COMPUTE_BEGINS = 3, // a tile command's first step may be issued
    FP8MAC_CYCLES_COMPUTE_ENDS = 4,   // it has read all its operands
    FP8MAC_CYCLES_RETIRES = 5,        // a command's results are in memory
    FP8MAC_CYCLES_WINDOW_ENDS = 6,    // FP8MAC_CYCLES_WINDOW cycles have passed
} fp8mac_cycles_event_kind;

// An event of a command. Tile commands begin and end in the order of their commands.
typedef struct fp8mac_cycles_event {
    uint64_t cycle;
    fp8mac_cycles_event_kind kind;
    size_t command; // its number, from 0; not of a window
    // What the counters have gained since the window before
    uint32_t steps, read_beats, write_beats;
} fp8mac_cycles_event;

enum { FP8MAC_CYCLES_WINDOW = 64 }; // cycles

typedef struct fp8mac_cycles_watcher {
    void *context; // the first argument of both
    // Each transfer of the bus, in the order of channels within a cycle. NULL: nobody hears them.
    void (*transfer)(void *context, const fp8mac_cycles_transfer *transfer);
    // Each event. NULL: nobody hears them.
    void (*event)(void *context, const fp8mac_cycles_event *event);
    uint64_t first_cycle; // cycle 0, counted from the reset: windows are counted from there, too
} fp8mac_cycles_watcher;

// fp8mac_cycles_run that calls the watcher in the order of cycles. The run goes through each cycle,
// so that it takes longer. `watcher` may be NULL.
fp8mac_status fp8mac_cycles_run_watched(const fp8mac_cycles_config *config,
                                        const fp8mac_cycles_command *commands, size_t count,
                                        uint64_t *completed, size_t *refused,
                                        fp8mac_cycles_counters *counters,
                                        const fp8mac_cycles_watcher *watcher);

#ifdef __cplusplus
}
#endif
#endif
