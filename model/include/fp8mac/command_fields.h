// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/regs/fp8mac.rdl by rtl/regs/command_c.py (`make regs`): a command, a member
// for each field of its registers. The register map says what each field means. Members are named
// as those of the RTL's command_t. fp8mac/command.h has the functions.
#ifndef FP8MAC_COMMAND_FIELDS_H
#define FP8MAC_COMMAND_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/codes.h"

typedef struct fp8mac_command_operand {
    uintptr_t addr;     // A_ADDR, B_ADDR
    uintptr_t mx_addr;  // MX_A_ADDR, MX_B_ADDR
    uintptr_t scale;    // SCALE_A, SCALE_B
    uint32_t mx_stride; // MX_A_STRIDE, MX_B_STRIDE
    uint32_t stride;    // A_STRIDE, B_STRIDE
    uint8_t fmt;        // MODE.a_fmt, MODE.b_fmt
    bool narrow;        // MODE.a_narrow, MODE.b_narrow
    bool reuse;         // MODE.reuse_a, MODE.reuse_b
    int8_t scale_exp;   // SCALE_EXP.sa, SCALE_EXP.sb
    bool scale_vec;     // MODE.scale_a_vec, MODE.scale_b_vec
} fp8mac_command_operand;

typedef struct fp8mac_command_source {
    uintptr_t addr;  // C_ADDR
    uint32_t stride; // C_STRIDE
    uint32_t beta;   // BETA
    bool en;         // OPERATION.c_en
    uint8_t fmt;     // OPERATION.c_fmt
} fp8mac_command_source;

typedef struct fp8mac_command_result {
    uintptr_t addr;  // D_ADDR
    uint32_t stride; // D_STRIDE
    uint32_t scale;  // SCALE_D
    uint8_t fmt;     // MODE.d_fmt
} fp8mac_command_result;

typedef struct fp8mac_command_finish {
    uintptr_t bias;    // BIAS
    uint32_t clamp_lo; // CLAMP_LO
    uint32_t clamp_hi; // CLAMP_HI
    uint32_t seed;     // SEED
    uint8_t overflow;  // MODE.overflow
    uint8_t act;       // MODE.act
    bool bias_en;      // MODE.bias_en
    bool stochastic;   // OPERATION.rounding
    uint8_t act_table; // OPERATION.act_table
} fp8mac_command_finish;

typedef struct fp8mac_command_mode {
    bool acc_fmt;       // MODE.acc_fmt
    bool acc_continue;  // MODE.acc_continue
    bool acc_keep;      // MODE.acc_keep
    bool irq;           // MODE.irq
    uint8_t pass_shape; // MODE.pass_shape
    bool b_resident;    // MODE.b_resident
    bool b_free;        // MODE.b_free
    bool record;        // MODE.record
    bool extended;      // MODE.extended
    uint8_t after;      // MODE.after
    uint8_t op;         // OPERATION.op
    bool conv_a;        // OPERATION.conv_a
    bool mx;            // OPERATION.mx
    uint8_t row_op;     // OPERATION.row_op
    bool causal;        // OPERATION.causal
    bool depthwise;     // OPERATION.depthwise
    bool maximum;       // OPERATION.maximum
    bool pairs;         // OPERATION.pairs
} fp8mac_command_mode;

typedef struct fp8mac_command_tile {
    uint16_t m;       // TILE.m
    uint16_t n;       // TILE.n
    uint16_t k;       // TILE_K.k
    uint16_t first_k; // TILE_K.first
} fp8mac_command_tile;

typedef struct fp8mac_command_image {
    uint32_t width;         // CONV_LINE
    uint16_t height;        // CONV_SIZE.height
    uint16_t out_w;         // CONV_SIZE.out_w
    uint16_t segment_bytes; // CONV_SEGMENT.bytes
    uint16_t step_x;        // CONV_STEP.step_x
    uint16_t segment_step;  // CONV_STEP.segment_step
    uint16_t pad_left;      // CONV_PAD
    uint8_t segments;       // CONV_SEGMENT.segments
    uint8_t step_y;         // CONV_LINES.step_y
    uint8_t dil_y;          // CONV_LINES.dil_y
    uint8_t pad_top;        // CONV_LINES.pad_top
} fp8mac_command_image;

typedef struct fp8mac_command_table {
    uintptr_t addr; // TABLE_ADDR
    bool load;      // OPERATION.load_table
} fp8mac_command_table;

typedef struct fp8mac_command {
    uint32_t m;    // M
    uint32_t n;    // N
    uint32_t k;    // K
    uint16_t tag;  // SUBMIT.tag
    bool more;     // SUBMIT.more
    bool pause;    // SUBMIT.pause
    uint8_t x_fmt; // OPERATION.x_fmt
    fp8mac_command_operand a;
    fp8mac_command_operand b;
    fp8mac_command_result d;
    fp8mac_command_finish finish;
    fp8mac_command_source c;
    fp8mac_command_table table;
    fp8mac_command_image image;
    fp8mac_command_tile tile;
    fp8mac_command_mode mode;
} fp8mac_command;

// The words of a descriptor: those that every one has, and those with the extension
enum { FP8MAC_COMMAND_WORDS = 20, FP8MAC_COMMAND_WORDS_MOST = 36 };

// The word of a descriptor that has a register
enum {
    FP8MAC_WORD_A_ADDR = 0,
    FP8MAC_WORD_A_STRIDE = 1,
    FP8MAC_WORD_B_ADDR = 2,
    FP8MAC_WORD_B_STRIDE = 3,
    FP8MAC_WORD_D_ADDR = 4,
    FP8MAC_WORD_D_STRIDE = 5,
    FP8MAC_WORD_M = 6,
    FP8MAC_WORD_N = 7,
    FP8MAC_WORD_K = 8,
    FP8MAC_WORD_TILE = 9,
    FP8MAC_WORD_TILE_K = 10,
    FP8MAC_WORD_MODE = 11,
    FP8MAC_WORD_SCALE_EXP = 12,
    FP8MAC_WORD_SCALE_A = 13,
    FP8MAC_WORD_SCALE_B = 14,
    FP8MAC_WORD_BIAS = 15,
    FP8MAC_WORD_SCALE_D = 16,
    FP8MAC_WORD_CLAMP_LO = 17,
    FP8MAC_WORD_CLAMP_HI = 18,
    FP8MAC_WORD_SUBMIT = 19,
    FP8MAC_WORD_OPERATION = 20,
    FP8MAC_WORD_C_ADDR = 21,
    FP8MAC_WORD_C_STRIDE = 22,
    FP8MAC_WORD_BETA = 23,
    FP8MAC_WORD_SEED = 24,
    FP8MAC_WORD_CONV_LINE = 25,
    FP8MAC_WORD_CONV_SIZE = 26,
    FP8MAC_WORD_CONV_SEGMENT = 27,
    FP8MAC_WORD_CONV_STEP = 28,
    FP8MAC_WORD_CONV_LINES = 29,
    FP8MAC_WORD_CONV_PAD = 30,
    FP8MAC_WORD_MX_A_ADDR = 31,
    FP8MAC_WORD_MX_A_STRIDE = 32,
    FP8MAC_WORD_MX_B_ADDR = 33,
    FP8MAC_WORD_MX_B_STRIDE = 34,
    FP8MAC_WORD_TABLE_ADDR = 35,
};

// Each member by itself. So the compiler calls no function, and leaves out those that are then set.
static inline void fp8mac_command_clear_extension(fp8mac_command *c)
{
    c->mode.op = 0;
    c->c.en = false;
    c->c.fmt = 0;
    c->x_fmt = 0;
    c->finish.stochastic = false;
    c->finish.act_table = 0;
    c->mode.conv_a = false;
    c->mode.mx = false;
    c->mode.row_op = 0;
    c->mode.causal = false;
    c->mode.depthwise = false;
    c->mode.maximum = false;
    c->table.load = false;
    c->mode.pairs = false;
    c->c.addr = 0;
    c->c.stride = 0;
    c->c.beta = 0;
    c->finish.seed = 0;
    c->image.width = 0;
    c->image.height = 0;
    c->image.out_w = 0;
    c->image.segment_bytes = 0;
    c->image.segments = 0;
    c->image.step_x = 0;
    c->image.segment_step = 0;
    c->image.step_y = 0;
    c->image.dil_y = 0;
    c->image.pad_top = 0;
    c->image.pad_left = 0;
    c->a.mx_addr = 0;
    c->a.mx_stride = 0;
    c->b.mx_addr = 0;
    c->b.mx_stride = 0;
    c->table.addr = 0;
}

static inline void fp8mac_command_clear(fp8mac_command *c)
{
    c->a.addr = 0;
    c->a.stride = 0;
    c->b.addr = 0;
    c->b.stride = 0;
    c->d.addr = 0;
    c->d.stride = 0;
    c->m = 0;
    c->n = 0;
    c->k = 0;
    c->tile.m = 0;
    c->tile.n = 0;
    c->tile.k = 0;
    c->tile.first_k = 0;
    c->a.fmt = 0;
    c->b.fmt = 0;
    c->mode.acc_fmt = false;
    c->d.fmt = 0;
    c->finish.overflow = 0;
    c->finish.act = 0;
    c->a.scale_vec = false;
    c->b.scale_vec = false;
    c->finish.bias_en = false;
    c->a.reuse = false;
    c->b.reuse = false;
    c->mode.acc_continue = false;
    c->mode.acc_keep = false;
    c->mode.irq = false;
    c->mode.pass_shape = 0;
    c->mode.b_resident = false;
    c->mode.b_free = false;
    c->mode.record = false;
    c->mode.extended = false;
    c->a.narrow = false;
    c->b.narrow = false;
    c->mode.after = 0;
    c->a.scale_exp = 0;
    c->b.scale_exp = 0;
    c->a.scale = 0;
    c->b.scale = 0;
    c->finish.bias = 0;
    c->d.scale = 0;
    c->finish.clamp_lo = 0;
    c->finish.clamp_hi = 0;
    c->tag = 0;
    c->more = false;
    c->pause = false;
    fp8mac_command_clear_extension(c);
}

// Whether each member of unsigned numbers fits the field of its register.
static inline bool fp8mac_command_fits(const fp8mac_command *c)
{
    return (uint64_t)c->a.addr >> 32 == 0 && (uint64_t)c->b.addr >> 32 == 0 &&
           (uint64_t)c->d.addr >> 32 == 0 && c->a.fmt < 4 && c->b.fmt < 4 && c->d.fmt < 8 &&
           c->finish.overflow < 4 && c->finish.act < 4 && c->mode.pass_shape < 4 &&
           c->mode.after < 16 && (uint64_t)c->a.scale >> 32 == 0 &&
           (uint64_t)c->b.scale >> 32 == 0 && (uint64_t)c->finish.bias >> 32 == 0 &&
           c->mode.op < 4 && c->c.fmt < 8 && c->x_fmt < 8 && c->finish.act_table < 4 &&
           c->mode.row_op < 16 && (uint64_t)c->c.addr >> 32 == 0 && c->image.width < 16777216 &&
           (uint64_t)c->a.mx_addr >> 32 == 0 && (uint64_t)c->b.mx_addr >> 32 == 0 &&
           (uint64_t)c->table.addr >> 32 == 0;
}

#endif
