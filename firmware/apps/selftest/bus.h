// SPDX-License-Identifier: Apache-2.0
// How the checks of registers, interrupt and counters reach the accelerator. A test puts a
// faulty one in its place.
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8rt/registers.h"
#include "report.h"

typedef struct bus {
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    bool (*line)(void *context); // whether the interrupt line is high at the core
    void *context;
} bus;

#define BUS_READ(b, name) (b)->read((b)->context, offsetof(fp8mac_regs_t, name))
#define BUS_WRITE(b, name, value) (b)->write((b)->context, offsetof(fp8mac_regs_t, name), value)

// A product of matrices of ones, as the interrupt and the counters need one: m = n = BUS_SIDE, k =
// BUS_K, D in FP32. Addresses are those of the accelerator.
enum { BUS_SIDE = 4, BUS_K = 32 };
typedef struct bus_product {
    uint32_t a, b, d; // rows of BUS_K codes; rows of BUS_SIDE floats
    uint32_t d_stride;
    uint32_t mode; // formats and accumulator
} bus_product;

// Identity, release and sizes. Prints what the accelerator is.
void check_identity(const bus *b, report *r);
// Reset values and patterns of every register that keeps what is written, and their addresses. For
// an accelerator that was not used since its reset. Leaves the reset values.
void check_registers(const bus *b, report *r);
void check_interrupt(const bus *b, const bus_product *product, report *r);
void check_counters(const bus *b, const bus_product *product, report *r);
// Submits the product, with these bits of MODE more, and waits. False: it did not end.
bool bus_run(const bus *b, const bus_product *product, uint32_t m, uint32_t mode);

#endif
