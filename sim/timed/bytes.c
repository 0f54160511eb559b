// SPDX-License-Identifier: Apache-2.0
// The bytes of a command, from the golden model behind the device interface (firmware/port/host).
// The model's alignment rules are about addresses, and the simulated RAM lies anywhere in the
// host's memory. So a command runs in a copy of the RAM that begins at a page: what it reads is
// copied there before, and D back behind it.
#define _POSIX_C_SOURCE 200112L // setenv

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "command_words.h"
#include "fp8mac/rows.h"
#include "fp8rt/device.h"
#include "fp8rt/registers.h"
#include "rows.h"
#include "side.h"
#include "timed/commands.h"
#include "timed/products.h"
#include "walk.h"

enum { ALIGNMENT = 4096, REGIONS_MOST = 10 };

struct fp8sim_bytes {
    fp8rt_device device;
    fp8rt_port port;
    uint8_t *ram, *copy;
    uint32_t base, size;
    char why[96];
};

// Rows of memory that a command reads or writes
typedef struct region {
    uint64_t address;
    uint64_t rows, stride, bytes;
} region;

typedef struct regions {
    region list[REGIONS_MOST];
    unsigned count;
} regions;

// ---- begin and end ------------------------------------------------------------------------------

static bool open_device(fp8sim_bytes *b, const char *array, const char *element,
                        const char *axi_data_w, const char *requantise)
{
    b->device.port = &b->port;
    return setenv("FP8RT_ARRAY", array, 1) == 0 && setenv("FP8RT_ELEMENT", element, 1) == 0 &&
           setenv("FP8RT_AXI_DATA_W", axi_data_w, 1) == 0 &&
           setenv("FP8RT_REQUANTISE", requantise, 1) == 0 &&
           fp8rt_backend_open(&b->device) == FP8RT_OK;
}

fp8sim_bytes *fp8sim_bytes_new(const char *array, const char *element, const char *axi_data_w,
                               const char *requantise, uint8_t *ram, uint32_t base, uint32_t size)
{
    fp8sim_bytes *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->ram = ram;
    b->base = base;
    b->size = size;
    b->copy = aligned_alloc(ALIGNMENT, size);
    if (b->copy == NULL || !open_device(b, array, element, axi_data_w, requantise)) {
        fp8sim_bytes_free(b);
        return NULL;
    }
    return b;
}

void fp8sim_bytes_free(fp8sim_bytes *b)
{
    if (b != NULL) {
        free(b->copy);
        free(b);
    }
}

void fp8sim_bytes_table(fp8sim_bytes *b, unsigned table, unsigned word, uint32_t codes)
{
    fp8rt_device_state *state = &b->device.state;
    for (unsigned i = 0; i < 4; i++) {
        state->tables[table][4u * word + i] = (uint8_t)(codes >> 8 * i);
    }
    state->loaded[table] |= 4u * word + 4u == FP8RT_TABLE_CODES;
}

void fp8sim_bytes_forget(fp8sim_bytes *b)
{
    b->device.state.before = false;
    b->device.state.kept = false;
}

// ---- what a command reads and writes ------------------------------------------------------------

static void add(regions *r, uint64_t address, uint64_t rows, uint64_t stride, uint64_t bytes)
{
    if (rows != 0 && bytes != 0) {
        r->list[r->count++] = (region){address, rows, stride, bytes};
    }
}

static void add_image(regions *r, const fp8rt_command *c)
{
    add(r, c->a.address, FP8RT_GET(CONV_SIZE__HEIGHT, c->conv[1]), c->a.stride,
        FP8RT_GET(CONV_LINE__WIDTH, c->conv[0]));
}

// Of a GEMM. Whole blocks of 32 MX scales are copied, because the copy costs little.
static void add_operands(regions *r, const fp8rt_command *c)
{
    const bool mx = fp8rt_host_mx(c);
    if (!fp8rt_host_has(c, FP8RT_BIT(MODE__REUSE_A))) {
        if (fp8rt_host_conv_a(c)) {
            add_image(r, c);
        } else {
            add(r, c->a.address, c->m, c->a.stride, c->k);
        }
        add(r, c->a.mx, mx ? c->m : 0, c->a.mx_stride, fp8rt_host_blocks(c));
    }
    if (!fp8rt_host_has(c, FP8RT_BIT(MODE__REUSE_B))) {
        add(r, c->b.address, fp8rt_host_columns(c), c->b.stride, c->k);
        add(r, c->b.mx, mx ? c->n : 0, c->b.mx_stride, fp8rt_host_blocks(c));
    }
}

// The rows of D from its address to the last one that is written
static uint64_t rows_of_d(const fp8rt_command *c)
{
    return fp8rt_host_pairs(c) ? fp8rt_host_last_pair_row(c, 0) + 1ull : c->m;
}

static void add_d(regions *r, const fp8rt_command *c, uint64_t columns)
{
    add(r, c->d, rows_of_d(c), c->d_stride, columns * fp8rt_host_d_bytes(c));
}

static void inputs(const fp8rt_caps *caps, const fp8rt_command *c, regions *r)
{
    r->count = 0;
    if ((fp8rt_host_operation(c) & FP8RT_BIT(OPERATION__LOAD_TABLE)) != 0) {
        add(r, c->table, 1, 0, FP8RT_TABLE_CODES);
    }
    if (fp8rt_host_elementwise(c)) {
        add(r, c->a.address, c->m, c->a.stride, (uint64_t)c->n * fp8rt_host_x_bytes(c));
    } else {
        add_operands(r, c);
    }
    if (fp8rt_host_has(c, FP8RT_BIT(MODE__ACC_KEEP))) {
        return;
    }
    const bool a = fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_A_VEC));
    const bool b = fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC));
    const bool bias = fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN));
    add(r, c->a.scale, a, 0, 4ull * c->m);
    add(r, c->b.scale, b, 0, (uint64_t)fp8rt_host_scale_bytes(caps, true) * c->n);
    add(r, c->bias, bias, 0, 4ull * c->n);
    if (fp8rt_host_pairs(c)) { // not every row up to D's last one is written
        add_d(r, c, c->n);
    }
    if (fp8rt_host_reads_c(c)) {
        add(r, c->c, c->m, c->c_stride, (uint64_t)c->n * fp8rt_host_c_bytes(c));
    }
}

static bool is_reduction(const fp8rt_command *c)
{
    const uint32_t operation = FP8RT_GET(OPERATION__ROW_OP, fp8rt_host_operation(c));
    return fp8rt_host_is_rows(c) && fp8mac_rows_is_reduction((fp8mac_rows_operation)operation);
}

static void outputs(const fp8rt_command *c, regions *r)
{
    const uint64_t columns = is_reduction(c) ? 1 : c->n;
    r->count = 0;
    if (!fp8rt_host_has(c, FP8RT_BIT(MODE__ACC_KEEP))) {
        add_d(r, c, columns);
    }
    if (fp8rt_operation_writes_scales(fp8rt_host_operation(c))) {
        add(r, c->a.mx, c->m, c->a.mx_stride, fp8mac_rows_blocks(c->n));
    }
}

// ---- the copy -----------------------------------------------------------------------------------

static bool are_inside(const fp8sim_bytes *b, const regions *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        const region *x = &r->list[i];
        const uint64_t end = x->address + (x->rows - 1u) * x->stride + x->bytes;
        if (x->address < b->base || end > (uint64_t)b->base + b->size) {
            return false;
        }
    }
    return true;
}

static void copy(const fp8sim_bytes *b, uint8_t *to, const uint8_t *from, const regions *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        const region *x = &r->list[i];
        uint64_t at = x->address - b->base;
        for (uint64_t row = 0; row < x->rows; row++, at += x->stride) {
            memcpy(to + at, from + at, x->bytes);
        }
    }
}

// The command with addresses in the copy
static void move_addresses(const fp8sim_bytes *b, fp8rt_command *c)
{
    fp8rt_address list[FP8RT_ADDRESSES_MOST];
    const unsigned count = fp8rt_command_addresses(c, list);
    for (unsigned i = 0; i < count; i++) {
        *list[i].at = *list[i].at - b->base + (uintptr_t)b->copy;
    }
}

const char *fp8sim_bytes_run(fp8sim_bytes *b, const uint32_t words[FP8SIM_WORDS_MOST],
                             fp8sim_observed *observed)
{
    fp8rt_descriptor descriptor = {.command = fp8rt_command_of_words(words)};
    fp8rt_command *c = &descriptor.command;
    regions in, out;
    inputs(&b->device.caps, c, &in);
    outputs(c, &out);
    if (!are_inside(b, &in) || !are_inside(b, &out)) {
        return "a command reaches beyond the RAM, and errors of the bus are not modelled";
    }
    copy(b, b->copy, b->ram, &in);
    move_addresses(b, c);
    b->device.state.observed = (fp8rt_observed){0};
    if (fp8sim_products_run(&b->device, c) == FP8SIM_PRODUCTS_OTHER) {
        fp8rt_backend_submit(&b->device, &descriptor, 0);
    }
    if (b->device.state.error != 0) {
        snprintf(b->why, sizeof b->why,
                 "a command fails with error code %u, and errors of commands are not modelled",
                 b->device.state.error);
        return b->why;
    }
    copy(b, b->ram, b->copy, &out);
    const fp8rt_observed *seen = &b->device.state.observed;
    *observed = (fp8sim_observed){seen->flags, seen->amax, seen->amax_nonfinite};
    return NULL;
}
