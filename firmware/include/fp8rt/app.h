// SPDX-License-Identifier: Apache-2.0
// Services for programs in firmware/apps: memory, arguments and a checker. They are the same on the
// chip (in the simulator) and on the host. The runtime does not use them.
//
// An application is a folder with C or C++ sources and `int main(int argc, char **argv)`. Its exit
// status is main's. On the chip, printf goes to the console. The chip has no file I/O
// and no malloc. Its stack has 64 KiB, or what make's STACK says; a program that needs
// more ends with a trap.
#ifndef FP8RT_APP_H
#define FP8RT_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// True in the host build. There the golden model replaces the chip. Its bus has one kind of error:
// DECERR where the process has no memory.
extern const bool fp8rt_app_is_host;

// The accelerator of the program, for fp8rt_device_open.
extern const fp8rt_port fp8rt_app_port;
// From now on an interrupt handler calls fp8rt_device_interrupt for `dev`, which was opened with
// fp8rt_app_port; NULL: as before, nothing interrupts the program. The host build has no
// interrupts.
void fp8rt_app_handle_interrupts(fp8rt_device *dev);

// Whether the accelerator's interrupt line is high at the core, enabled there or not. Host: false.
bool fp8rt_app_interrupt_line(void);

// Addresses that the bus answers with SLVERR (host build: 0, there is none) and DECERR, for reads
// and writes of the accelerator.
extern const uintptr_t fp8rt_app_slverr_address;
extern const uintptr_t fp8rt_app_decerr_address;

// Stops the bus: until it is called with false, it answers nothing to the accelerator. Not in the
// host build.
void fp8rt_app_stop_bus(bool stopped);

// A bump allocator over a piece of memory. Nothing is ever freed; to start again, copy the
// structure back.
typedef struct fp8rt_arena {
    uint8_t *next;
    uint8_t *end;
} fp8rt_arena;

// All memory that the program does not use itself (some 15.8 MB). Not cleared. Every call gives the
// same memory.
fp8rt_arena fp8rt_app_arena(void);
// `bytes` aligned to 64, or NULL if there is not that much left.
void *fp8rt_arena_alloc(fp8rt_arena *arena, size_t bytes);

// Prints one line with the spelling of the array's elements.
void fp8rt_app_print_element(const fp8rt_caps *caps);

// Prints two lines: the share of the array's multipliers in use during the GEMMs, and during the
// whole run, each with the cycles that it covers. `gemms` holds the counters of all GEMMs;
// `run_cycles` are core cycles, at least 1.
void fp8rt_app_print_utilisation(const fp8rt_caps *caps, const fp8rt_counters *gemms,
                                 uint64_t run_cycles);

// Prints a line for each layer of a profile: cycles of the core and of the accelerator, commands,
// MACs, utilisation of the multipliers while the accelerator worked, bytes on the bus, and the
// error if the program has compared, or a word that says why it was not. As text, where a layer
// within a layer is indented, or as CSV with a head, where the column `depth` says that.
void fp8rt_app_print_profile(const fp8rt_caps *caps, const fp8rt_profile *profile);
void fp8rt_app_print_profile_csv(const fp8rt_caps *caps, const fp8rt_profile *profile);
// The value of the last argument `key=value`, or NULL if there is none.
const char *fp8rt_app_option(int argc, char **argv, const char *key);

// Cycles since reset (host: 0).
uint64_t fp8rt_app_cycles(void);

// `x` in decimal, for printf's %s; the text lies in `buffer`.
const char *fp8rt_app_decimal(uint64_t x, char buffer[21]);

#ifdef __cplusplus
}
#endif
#endif
