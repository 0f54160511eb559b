// SPDX-License-Identifier: Apache-2.0
// What the checks of data paths share: commands, patterns, names.
#ifndef PROBE_H
#define PROBE_H

#include "evidence.h"
#include "fp32_bits.h"
#include "fp8rt/app.h"
#include "fp8rt/registers.h"
#include "paths.h"

enum {
    WORDS = 128,     // of a row of FP32 values
    MOST_SIDE = 128, // of a square operand
    ROWS = 4,        // of a matrix of values
    PHASES = 2,      // a pattern and its complement
};

#define PATH_D "D path"
#define PATH_X "X path"
#define PATH_C "C path"
#define PATH_SCALE_A "scale_a vector"
#define PATH_SCALE_B "scale_b vector"
#define PATH_BIAS "bias vector"
#define PATH_TABLE "table"
#define PATH_A "operand buffer A"
#define PATH_B "operand buffer B"
#define PATH_MX_A "MX scale buffer A"
#define PATH_MX_B "MX scale buffer B"
#define PATH_ARRAY "array"

typedef struct paths {
    fp8rt_device *dev;
    report *r;
    fp8rt_arena arena;
    uint32_t beat;
} paths;

typedef struct sheet {
    uint32_t *x, *c, *d, *want; // ROWS x WORDS
} sheet;

// Square operands that fill half of each operand buffer, as far as one command can.
typedef struct square {
    uint32_t side;
    fp8mac_format_id format;
    uint8_t one; // its code of 1
    uint8_t *a, *b, *d;
} square;

// Runs a command. False: it failed, which was reported as a fault of `part`.
bool probe_run(const paths *p, const char *part, const fp8rt_command *command);
// Zeroed memory, or NULL.
void *probe_take(paths *p, size_t bytes);
// FP32 words whose bits all change from phase to phase.
void probe_fill(uint32_t *words, uint32_t count, uint32_t phase);
// Adds words that should be `want`, in their order from a beat on.
void probe_add(const paths *p, evidence *e, const uint32_t *got, uint32_t count,
               const uint32_t *want);
// D = A * B^T of square operands, in their format.
fp8rt_command probe_product(const paths *p, const square *s);

// values.c. Whether the way is good:
bool check_d(const paths *p, const sheet *s);
bool check_values(const paths *p, const sheet *s, bool is_c);
void check_scale_a(const paths *p, const sheet *s);
void check_columns(const paths *p, const square *s, const sheet *sheet, bool is_bias);
void check_tables(const paths *p, const sheet *s);
// operands.c
void check_operands(const paths *p, const square *s);
void check_scales(const paths *p, const square *s, const sheet *sheet);

#endif
