// SPDX-License-Identifier: Apache-2.0
// Recorded networks: a list of commands in memory that the accelerator runs by itself.
//
// Layers are recorded once. The core then starts the list with one write to a register, and has
// nothing to do until the interrupt at its end:
//
//   fp8rt_run run = fp8rt_run_query(&dev);
//   status = layers(&run, ...);                        // run.peak: scratch; run.record_bytes: list
//   run = fp8rt_run_on(&dev, scratch, run.peak);
//   fp8rt_recorder recorder = fp8rt_recorder_in(memory, bytes); // at FP8RT_NETWORK_ALIGN
//   run.recorder = &recorder;
//   status = layers(&run, ...);                        // computes nothing
//   status = fp8rt_network_record(&network, &run);
//   status = fp8rt_network_run(&network, &result);     // any number of times
//
// Each command knows which command before it writes what it reads, and waits for no later one.
// Results are the bytes that the same layers give without a recorder. A GEMM that depends on no
// command before it may be divided into other tiles than without one, so that its loads are hidden.
//
// What a recording fixes: shapes, addresses, single scales, seeds of stochastic rounding. Vectors,
// weights and activations are read when the list runs, and tables of codes are those that the
// device has then, or those that the list loads: fp8rt_load_table. Tensors, scratch and list stay
// where they are while the network is in use, and the list unchanged.
//
// Layers that compute on the core are recorded as calls: the list pauses, and fp8rt_network_poll or
// fp8rt_network_wait call the function. FP8RT_ERR_UNSUPPORTED, named by fp8rt_run_message: a layer
// whose commands depend on data, such as an output with a scaling that is not static, or one whose
// core part cannot be recorded. FP8RT_ERR_ALIGNMENT: a vector that is not at a beat.
//
// From fp8rt_network_start to the end of fp8rt_network_wait no other thread uses the device, and no
// other network is started. Calls may run layers and GEMMs; an error of theirs ends the network.
#ifndef FP8RT_NETWORK_H
#define FP8RT_NETWORK_H

#include "fp8rt/network_format.h" // the image
#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FP8RT_NETWORK_ALIGN = 32,   // bytes: the widest beat
    FP8RT_NETWORK_SYMBOLS = 16, // at most, with those that a recording adds
    FP8RT_NETWORK_COMMANDS = 65535,
};

// ---- recording ----------------------------------------------------------------------------------

// Memory that the addresses of a recording lie in: weights, activations, inputs, outputs,
// scratch. It begins at a beat. Names differ, and have 20 bytes at most if run.record_bytes
// of a query is all the memory there is. FP8RT_ERR_SHAPE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_NULL of fp8rt_network_record or of a layer: a symbol is not so, or an operand
// begins in one and ends outside.
typedef struct fp8rt_symbol {
    const char *name;
    const void *data;
    size_t bytes;
} fp8rt_symbol;

// B of the last command, which the next one may find in the buffers. Private to the library.
typedef struct fp8rt_left_b {
    uintptr_t address, mx;
    uint32_t stride, mx_stride, n, k; // n = 0: none
    uint8_t format;                   // the code of its format
    bool narrow, depthwise, pairs, has_mx;
    bool whole; // the command is one tile command
} fp8rt_left_b;

// Private to the library but for the first two fields.
typedef struct fp8rt_recorder {
    const fp8rt_symbol *symbols; // NULL: none. They stay there until fp8rt_network_record
    uint32_t symbol_count;       // FP8RT_NETWORK_SYMBOLS at most
    uint32_t *image;
    uint32_t words;      // of the memory
    uint32_t list_words; // so far
    uint32_t note_words; // so far: they grow down from the end of the memory
    uint32_t commands;
    uint32_t last; // word of the last command
    uint32_t bases_count;
    uintptr_t bases[FP8RT_NETWORK_SYMBOLS]; // of the symbols, and of memory that no symbol has
    struct {
        uintptr_t address;
        uint32_t rows, stride, row_bytes;
    } written[15][2]; // D of the last commands, and MX scales that they write
    uint32_t since;   // commands since the last call
    uint32_t steps;   // cycles of the last command's steps, if it is a GEMM
    fp8rt_left_b left;
    const uint8_t *tables[FP8RT_TABLES]; // that the next command with this table loads; NULL: none
    bool calls;                          // there are calls
    // Commands are those of layers that run one by one: tiles as planned, and each reads B.
    bool one_by_one;
} fp8rt_recorder;

// An empty recorder for a list in `bytes` of memory, at FP8RT_NETWORK_ALIGN.
fp8rt_recorder fp8rt_recorder_in(void *memory, size_t bytes);

// Loads a table of codes for the layers that follow: fp8rt_device_load_table, or, recorded, the
// first command with this table that follows reads the codes when all commands before it have
// ended. They stay there unchanged, like weights. Loads that no command uses are left out. A list
// that loads a table changes that table of the device, so what runs beside it loads its own again.
// FP8RT_ERR_NULL (run, its device, codes), FP8RT_ERR_UNSUPPORTED: no such table.
// FP8RT_ERR_ALIGNMENT: recorded, codes that are not at a beat. FP8RT_ERR_NOT_OPEN,
// FP8RT_ERR_SILENT. The status of the run, if it has failed. In a query nothing is loaded.
fp8rt_status fp8rt_load_table(fp8rt_run *run, uint32_t table, const uint8_t *codes);

// ---- networks -----------------------------------------------------------------------------------

typedef struct fp8rt_network {
    fp8rt_device *dev;
    uint32_t *image;
    uintptr_t bases[FP8RT_NETWORK_SYMBOLS];
    uint32_t unbound;  // a bit for each symbol without an address
    uint32_t call;     // word of the note of the next call; private, as what follows
    uint32_t position; // word of the list: the descriptor with which the next start begins
    uint32_t last;     // word of the last descriptor of a start
    uint32_t resets;   // of the device before the start
    uint32_t *reuses;  // MODE of the command that this start begins with, if it reused B; else NULL
    bool alone;        // a start runs one command
    bool started, local;
    bool calls; // there are some
} fp8rt_network;

typedef struct fp8rt_network_result {
    fp8rt_status status;
    uint32_t command; // that failed, counted from 0; FP8RT_NO_COMMAND if none did, or none is known
    const char *layer;       // that it belongs to; "" if none is known
    fp8rt_observed observed; // of all commands, if status is FP8RT_OK
    fp8rt_counters counters; // from the start on
} fp8rt_network_result;

#define FP8RT_NO_COMMAND UINT32_MAX

// Ends the recording of a run whose layers were recorded, and makes a network of it, whose image is
// in the recorder's memory from now on. Symbols of the recorder are bound to their data. The status
// of the run, if it has failed. FP8RT_ERR_SHAPE: no command or more than
// FP8RT_NETWORK_COMMANDS were recorded, or more than FP8RT_NETWORK_SYMBOLS symbols.
// FP8RT_ERR_SCRATCH: the memory is too small. FP8RT_ERR_NULL,
// FP8RT_ERR_ALIGNMENT (the memory).
fp8rt_status fp8rt_network_record(fp8rt_network *network, fp8rt_run *run);

// A network of an image that was recorded elsewhere, on the host say, for the same array and
// library. `image` is at FP8RT_NETWORK_ALIGN; the library writes addresses into it. All symbols are
// without an address. FP8RT_ERR_PLAN: it is no image, its version, its stamp or its hash differ, it
// has calls, or an address in no symbol. FP8RT_ERR_NULL, FP8RT_ERR_NOT_OPEN, FP8RT_ERR_ALIGNMENT.
fp8rt_status fp8rt_network_open(fp8rt_network *network, fp8rt_device *dev, void *image,
                                size_t bytes);
// The image as it was recorded, for fp8rt_network_open: copies fewer or as many bytes as fit and
// returns how many it has; without bytes `image` may be NULL. 0: it has calls, or addresses in no
// symbol, and is of no use elsewhere.
size_t fp8rt_network_save(const fp8rt_network *network, void *image, size_t bytes);

// Gives a symbol its address, at a beat: before the first start, or to change it while the list
// does not run. FP8RT_ERR_SHAPE: no symbol has this name, or `bytes` are fewer than it has.
// FP8RT_ERR_NULL, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_LATE: the list runs. The memory of two symbols
// does not overlap, because the list knows its dependencies from the recording.
fp8rt_status fp8rt_network_bind(fp8rt_network *network, const char *symbol, void *data,
                                size_t bytes);

// ---- variables ----------------------------------------------------------------------------------

// What a recording fixes can change between two starts, if it does so in steps of the same size:
// the row of a cache that a token goes to, the columns that a softmax sees, the row of a table. The
// layers are recorded twice, as they are for 0 and for 1, and the difference is a variable:
//
//   status = fp8rt_network_vary(&network, &with_1, &place, words, 64);
//   status = fp8rt_network_set(&network, &place, 5);   // as if it were recorded for 5
//
// Words of several variables add up: one for the tokens of a beat and one for the beats, say. The
// caller knows that the layers' commands for each value are those of 0, but for what is added.
typedef struct fp8rt_variable {
    uint32_t *words; // of the list, and what each step adds; private
    uint32_t count;  // of words
    uint32_t value;
} fp8rt_variable;

// A variable of `network`, whose value is 0 now. `next` is recorded with the same scratch, and of
// no use later. `memory` of 8 bytes for each word that differs is the variable's from now on.
// FP8RT_ERR_PLAN: more differs than addresses and numbers of the same commands, or symbols are not
// where the recording had them. FP8RT_ERR_SCRATCH: the memory is too small; variable->count says
// what is needed. FP8RT_ERR_NULL.
fp8rt_status fp8rt_network_vary(const fp8rt_network *network, const fp8rt_network *next,
                                fp8rt_variable *variable, void *memory, size_t bytes);
// Gives a variable its value for the next starts. FP8RT_ERR_LATE: the list runs. FP8RT_ERR_NULL.
// fp8rt_network_save is called while all values are 0.
fp8rt_status fp8rt_network_set(fp8rt_network *network, fp8rt_variable *variable, uint32_t value);

// ---- running ------------------------------------------------------------------------------------

// Starts the list, when no command is in flight, after clearing flags and counters. Other commands
// of the device wait until the accelerator has read the list. FP8RT_ERR_PLAN: a symbol has no
// address. FP8RT_ERR_LATE: it runs already. FP8RT_ERR_HW_*: an error of a command before, which was
// not cleared. FP8RT_ERR_SILENT, FP8RT_ERR_NULL.
fp8rt_status fp8rt_network_start(fp8rt_network *network);
// Runs the call that the list pauses for, if it does. FP8RT_ERR_LATE: the list runs. FP8RT_OK: it
// has ended, and all outputs are in memory. FP8RT_ERR_HW_*: a command has failed, and the list has
// ended. In both cases fp8rt_network_wait then returns at once, and only after it the network can
// be started again. FP8RT_ERR_HW_TIMEOUT also if a call or its poll came too late:
// fp8rt_device_pause_limit. FP8RT_ERR_HW_DROPPED: fp8rt_device_reset was called since the start.
fp8rt_status fp8rt_network_poll(fp8rt_network *network);
// Sleeps until the list has ended, and runs its calls. `result`, if it is not NULL, says what
// became of it. The error state is left then.
fp8rt_status fp8rt_network_wait(fp8rt_network *network, fp8rt_network_result *result);
// fp8rt_network_start and fp8rt_network_wait. Without a result the shortest run of a list.
fp8rt_status fp8rt_network_run(fp8rt_network *network, fp8rt_network_result *result);
// After a failure the next start begins with the command that failed, which repeats all of it: a
// command whose D is what it reads (a sum in place) must not be repeated if D was partly written.
// After this call the next start begins with the first command again.
void fp8rt_network_abandon(fp8rt_network *network);
// The command with which the next start begins, counted from 0.
uint32_t fp8rt_network_next(const fp8rt_network *network);

// The name of the layer that a command, counted from 0, belongs to; "" if there is none.
const char *fp8rt_network_layer(const fp8rt_network *network, uint32_t command);
uint32_t fp8rt_network_commands(const fp8rt_network *network);
// Runs the commands one by one, and gives each layer an entry with its cycles and counters: without
// the overlap of commands that a start has. As fp8rt_network_run otherwise.
fp8rt_status fp8rt_network_profile(fp8rt_network *network, fp8rt_profile *profile,
                                   fp8rt_network_result *result);

#ifdef __cplusplus
}
#endif
#endif
