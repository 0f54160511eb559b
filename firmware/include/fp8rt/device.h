// SPDX-License-Identifier: Apache-2.0
// The accelerator as a queue of commands. Two back ends implement it: one drives the registers, the
// other runs the golden model in place of the accelerator. Neither allocates memory. The caller
// owns the device structure, which holds all state.
//
// Each accelerator of a program has a device structure and a port (fp8rt/port.h). Calls for one
// device must not overlap, unless its port has a lock; then they wait for each other. Commands that
// were submitted or begun here have their matrices outside the core's cache: only the GEMM and
// element-wise functions call the port's clean and invalidate for them.
#ifndef FP8RT_DEVICE_H
#define FP8RT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/accelerator.h"
#include "fp8mac/command.h"
#include "fp8rt/element.h"
#include "fp8rt/port.h"
#include "fp8rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a command computes: OPERATION.op. A maximum is an addition there, with OPERATION.maximum.
enum {
    FP8RT_OPERATION_GEMM = FP8MAC_OP_GEMM,
    FP8RT_OPERATION_ADD = FP8MAC_OP_ADD,           // element-wise: X takes the place of A * B^T
    FP8RT_OPERATION_MULTIPLY = FP8MAC_OP_MULTIPLY, // element-wise: T = act(X * (s * C))
    FP8RT_OPERATION_ROWS = FP8MAC_OP_ROWS,         // rows of X: fp8rt/rows.h
    FP8RT_OPERATION_MAXIMUM, // element-wise: T = act(the larger of X and beta * C)
};

enum { FP8RT_TABLES = 2, FP8RT_TABLE_CODES = 256, FP8RT_RECORDS = 32 };

// How D's codes are made, beside the overflow mode. All zero: to nearest even, without a table.
typedef struct fp8rt_coding {
    // With 16 random bits of the generator Simon (fp8mac/random.h) for each output: they depend on
    // the seed and on the output's row and column in D.
    bool stochastic;
    uint32_t seed;
    // 0: none. 1 to FP8RT_TABLES: D's code c becomes that table's code number c, see
    // fp8rt_device_load_table and fp8rt_load_table. D is FP8 or INT8. A run with a table that was
    // not loaded since the accelerator's hardware reset (on the host: since fp8rt_device_open)
    // returns FP8RT_ERR_HW_SEQUENCE.
    uint32_t table;
} fp8rt_coding;

// The accelerator, as its registers CONFIG, ELEMENT and RELEASE describe it
typedef fp8mac_caps fp8rt_caps;

// One command: D[m x n] = epilogue(A[m x k] * B[n x k]^T). Addresses and strides are in bytes and
// multiples of beat_bytes. Fields that the mode makes unused (D with acc_keep, A with reuse_a, ...)
// are ignored. Formats that caps.element does not have are FP8RT_ERR_HW_MODE.
//
// With mode.extended the members of the extension count, else they are ignored. FP8RT_ERR_HW_MODE:
// it asks for a function that caps.functions does not have.
//
// The accelerator divides a command into tile commands: D into tiles of tile.m x tile.n outputs,
// and K of each tile into chunks of at most tile.k products. A size of 0 stands for the whole
// matrix, so a command without sizes is one tile command. Its limits apply to each of them:
//
//   m, n       at most max_mn
//   operands   ceil(m / rows) * ceil(k / G) * G / beat_bytes at most buf_beats, and n likewise; G
//              is 32 or the block, if that is more
//   MX scales  ceil(m / rows) * ceil((first + ceil(k / 32)) / beat_bytes) at most the power of two
//              that is at least buf_beats / 8 and max_mn / rows and max_mn / cols; n likewise.
//              `first` is the position in its beat of the chunk's first scale: (products before it)
//              / 32 modulo beat_bytes
//
// With OPERATION.mx each row of A and of B has ceil(k / 32) MX scales, E8M0 codes, one for every 32
// codes. They are part of the operands: a command that reuses an operand has its scales, too.
//
// Tiles and chunks start at a beat in every matrix and vector, and chunks have whole granules: the
// largest of block, beat_bytes and 32. MODE.b_resident: for each tile of B's rows the tiles of A's
// rows follow in turn; else the reverse. A command that fails may have written the tiles of D
// before the one that failed.
//
// A command may read its operands while earlier commands still write D. With MODE.after = d it
// reads them only when D of the d-th command before it, and of all before that, is in memory. With
// MODE.b_free it reads B, its scales and the bias without this wait.
//
// FP8RT_ERR_HW_SEQUENCE, unless:
// - a tile command that keeps its accumulators has a k of whole blocks;
// - passes * pass_tiles <= acc_tiles in a tile command that keeps or continues accumulators;
// - a command with acc_keep, acc_continue, reuse_a or reuse_b is one tile command;
// - a command with acc_continue has the m, n, acc_fmt and pass_shape of the preceding command;
// - a command with reuse_a (reuse_b) has the m (n), k and format of the preceding command, and MX
//   scales if that had them;
// - a command that continues a fixed-point accumulator has the formats and scaling exponents of the
//   preceding command, and the chain at most 2^terms_log2 products.
// The three last rules hold between tile commands, if the preceding command has several.
//
// With table.load, table.addr is the address of FP8RT_TABLE_CODES codes, at a beat. The accelerator
// reads them into the table of finish.act_table when all commands before have ended.
// FP8RT_ERR_HW_ALIGNMENT, _RANGE, _MODE (no table), _READ_*: also the table's old codes are lost,
// but not with the first three.
//
// `tag` comes back with an error; fp8rt_device_begin chooses it. `more` and `pause` belong to
// lists.
typedef fp8mac_command fp8rt_command;

// The parts of the cycles, one for each cause: X(field, meaning). The register is CYC_FIELD.
#define FP8RT_CYCLE_PARTS(X)                                                                       \
    X(compute, "a step was issued")                                                                \
    X(results, "the array waited until its results were taken")                                    \
    X(spacing, "too few tiles in a pass to fill the array's loop")                                 \
    X(first_load, "the first operands after idleness were loading")                                \
    X(load, "later operands were loading, and there was nothing to compute")                       \
    X(command, "a command was on its way, and nothing was loaded")                                 \
    X(store, "the last results were being finished and written")                                   \
    X(idle, "there was no command")

// The cycles since FP8RT_CLEAR_COUNTERS and their causes. `cycles` is exactly the sum of the parts.
// The golden model has no clock: its cycles and parts are 0. Its beats count each row of a tile
// command once.
typedef struct fp8rt_counters {
    uint32_t cycles;
#define FP8RT_FIELD(field, meaning) uint32_t field;
    FP8RT_CYCLE_PARTS(FP8RT_FIELD)
#undef FP8RT_FIELD
    uint64_t macs; // sum of m*n*k of the tile commands; element-wise ones add none
    uint32_t read_beats, write_beats; // bus data beats
} fp8rt_counters;

// Flags and amax of the commands since FP8RT_CLEAR_FLAGS, or of one command
typedef fp8mac_observed fp8rt_observed;

// What became of one command.
typedef struct fp8rt_record {
    fp8rt_status status;
    fp8rt_observed observed; // if status is FP8RT_OK: of this command alone
} fp8rt_record;

enum {
    FP8RT_CLEAR_ERROR = 1u << 0,    // leave the error state, and announce it no more
    FP8RT_CLEAR_FLAGS = 1u << 1,    // flags, amax, amax_nonfinite
    FP8RT_CLEAR_COUNTERS = 1u << 2, // all counters
};

#include "fp8rt_device_state.h" // of the back end: fp8rt_descriptor, fp8rt_device_state

// Told by fp8rt_device_interrupt that the command with `tag` has completed or failed.
typedef void fp8rt_completion(void *context, uint16_t tag);

// A command that was begun and not ended, private to the library.
typedef struct fp8rt_flight {
    uint16_t tag;   // 0: there is none
    bool announced; // to the completion function
    uintptr_t d;    // what is invalidated at its end
    uint32_t d_bytes;
} fp8rt_flight;

typedef struct fp8rt_device {
    const fp8rt_port *port;
    fp8rt_caps caps;   // constant after open
    bool plain;        // the port has neither lock nor cache functions, and no network runs
    uint32_t stamp;    // of caps and this library; 0: not open
    uint32_t begun;    // a bit for each record of a command that was begun and not ended
    uint16_t last_tag; // of the command that was begun last
    uint32_t resets;   // by fp8rt_device_reset
    uint32_t clears;   // what a run of a command may clear: nothing while a network runs
    struct fp8rt_network *network;       // that was started and not waited for; NULL: none
    fp8rt_flight flights[FP8RT_RECORDS]; // by record
    fp8rt_completion *completed;         // see fp8rt_device_on_completion
    void *completed_context;
    fp8rt_descriptor descriptor; // of the command that was submitted last, plans excepted
    fp8rt_device_state state;    // private to the back end
} fp8rt_device;

// Finds the accelerator at `port`, fills *dev, resets it, clears flags and counters. The port stays
// as it is while the device is in use. The golden model has no registers and sleeps never.
// FP8RT_OK, FP8RT_ERR_NULL (dev, port, or registers of 0), FP8RT_ERR_NO_DEVICE, FP8RT_ERR_SILENT.
// Before it has returned FP8RT_OK,
// the functions that return a status return FP8RT_ERR_NOT_OPEN, if *dev was zero. The others are
// only for open devices.
fp8rt_status fp8rt_device_open(fp8rt_device *dev, const fp8rt_port *port);

// Queues a command, sleeping while the queue is full. FP8RT_OK: queued (whether it is legal is
// known after fp8rt_device_wait). FP8RT_ERR_HW_*: an earlier command has failed, and this one was
// not queued. FP8RT_ERR_SILENT.
fp8rt_status fp8rt_device_submit(fp8rt_device *dev, const fp8rt_command *command);
// The same without a check for room. A full queue drops the command, and the next wait returns
// FP8RT_ERR_HW_QUEUE_FULL.
void fp8rt_device_push(fp8rt_device *dev, const fp8rt_command *command);
// Sleeps until no command is in flight. FP8RT_OK: all are complete and their D is in memory.
// FP8RT_ERR_HW_*: the first failure, which is returned again until it is cleared. FP8RT_ERR_SILENT:
// the bus did not answer for as long again as the watchdog allows, since the commands were dropped.
fp8rt_status fp8rt_device_wait(fp8rt_device *dev);
// Several commands in flight, each with its own status, flags and amax. Begins a command as
// fp8rt_device_submit does, and stores its tag, which fp8rt_device_end takes. The tag is not 0 and
// belongs to this command until then. FP8RT_ERR_RECORDS: caps.records commands are not ended,
// which is so from the start on an accelerator without records.
fp8rt_status fp8rt_device_begin(fp8rt_device *dev, const fp8rt_command *command, uint16_t *tag);
// Whether fp8rt_device_end would return at once, because the command completed or failed, or
// because no command with this tag was begun.
bool fp8rt_device_is_done(const fp8rt_device *dev, uint16_t tag);
// Waits, without sleeping, until fp8rt_device_end would return at once, but not much longer than
// `cycles` of the accelerator, less than 2^32. FP8RT_OK; FP8RT_ERR_LATE: the command is still in
// flight, and so is its tag. fp8rt_device_reset cancels all commands. FP8RT_ERR_NOT_OPEN.
fp8rt_status fp8rt_device_await(const fp8rt_device *dev, uint16_t tag, uint32_t cycles);
// Sleeps until the command that was begun with `tag` has completed or failed, in any order. Its D
// is in memory with FP8RT_OK. FP8RT_ERR_HW_*: its own error, or FP8RT_ERR_HW_DROPPED, which is also
// the status of a tag that belongs to no command that was begun and not ended. The error state
// stays until it is cleared, and so does what the other commands have left in their records.
// FP8RT_ERR_SILENT as in fp8rt_device_wait; the tag is free in any case.
fp8rt_record fp8rt_device_end(fp8rt_device *dev, uint16_t tag);
// From now on fp8rt_device_interrupt calls `completed` for every command that was begun and has a
// record, once, when it has completed or failed, unless fp8rt_device_end came first. It also
// calls it with the tag 0 when the accelerator enters the error state. A command without a
// record has no other call: one that the accelerator could not read or has discarded. So end all
// begun commands after the tag 0, also one whose begin has not returned yet. fp8rt_device_reset
// drops commands without a call. NULL: nothing is called, as after fp8rt_device_open. Call this
// while no command is begun.
//
// The call comes where fp8rt_device_interrupt was called, which is usually an interrupt handler. It
// may come before fp8rt_gemm_begin or fp8rt_device_begin has returned; *tag has been stored by
// then. The golden model calls it there. `completed` may call fp8rt_device_is_done and
// fp8rt_device_error_tag, and what the operating system allows in a handler: it gives a semaphore,
// say, and the thread that takes it calls fp8rt_gemm_end, which then does not wait.
void fp8rt_device_on_completion(fp8rt_device *dev, fp8rt_completion *completed, void *context);
// Whoever finds the accelerator's interrupt line high calls this, in a handler or not: see
// fp8rt_port.sleep. Lowers the line and announces what has completed. Takes no lock. It must not
// interrupt itself.
void fp8rt_device_interrupt(fp8rt_device *dev);
// Tag of the command that caused the current error; 0 if there is no error, or if the accelerator
// could not read the command.
uint16_t fp8rt_device_error_tag(const fp8rt_device *dev);

// Waits until no command is in flight, then clears `what`, an OR of FP8RT_CLEAR_*.
// FP8RT_OK; FP8RT_ERR_SILENT: nothing was cleared.
fp8rt_status fp8rt_device_clear(fp8rt_device *dev, uint32_t what);
// Waits until no command is in flight, then writes FP8RT_TABLE_CODES codes into table 1 to
// FP8RT_TABLES. They stay until they are written again, also after fp8rt_device_reset. Load what a
// program needs after fp8rt_device_open: the accelerator may have tables of a program before.
// FP8RT_ERR_NULL, FP8RT_ERR_NOT_OPEN,
// FP8RT_ERR_UNSUPPORTED: no such table. FP8RT_ERR_SILENT: nothing was written.
fp8rt_status fp8rt_device_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes);
// Drops all commands, whatever they do, and leaves the error state. D of a dropped command may be
// partly written. FP8RT_OK: the accelerator accepts commands. FP8RT_ERR_SILENT.
fp8rt_status fp8rt_device_reset(fp8rt_device *dev);
// Sets the watchdog: cycles in which the bus owes an answer and does not move, until the error
// FP8RT_ERR_HW_TIMEOUT. 1 to 2^24 - 1, after reset 65,536. 0: no limit, so that a wait may last for
// ever. The golden model has no bus.
void fp8rt_device_watchdog(fp8rt_device *dev, uint32_t cycles);
// Sets how many cycles a list waits in a pause for the core, until the error FP8RT_ERR_HW_TIMEOUT:
// after reset 2^24. 0: no limit. The golden model waits for ever.
void fp8rt_device_pause_limit(fp8rt_device *dev, uint32_t cycles);
// Both are valid only while no command is in flight.
fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev);
fp8rt_counters fp8rt_device_counters(const fp8rt_device *dev);
// Adds the counters of another time to *sum.
void fp8rt_counters_add(fp8rt_counters *sum, const fp8rt_counters *x);

#ifdef __cplusplus
}
#endif
#endif
