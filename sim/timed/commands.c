// SPDX-License-Identifier: Apache-2.0
#include "timed/commands.h"

#include "command_words.h"
#include "fp8rt/registers.h"

// A field of the register's word, as a number of T
#define FIELD(T, field, word) ((T)FP8RT_GET(field, word))
#define IS(field, word) (FP8RT_GET(field, word) != 0)

static void read_mode(fp8mac_cycles_command *c, uint32_t mode)
{
    c->a_fmt = FIELD(uint8_t, MODE__A_FMT, mode);
    c->b_fmt = FIELD(uint8_t, MODE__B_FMT, mode);
    c->a_narrow = IS(MODE__A_NARROW, mode);
    c->b_narrow = IS(MODE__B_NARROW, mode);
    c->acc_fmt = FIELD(uint8_t, MODE__ACC_FMT, mode);
    c->d_fmt = FIELD(uint8_t, MODE__D_FMT, mode);
    c->overflow = FIELD(uint8_t, MODE__OVERFLOW, mode);
    c->act = FIELD(uint8_t, MODE__ACT, mode);
    c->scale_a_vec = IS(MODE__SCALE_A_VEC, mode);
    c->scale_b_vec = IS(MODE__SCALE_B_VEC, mode);
    c->bias_en = IS(MODE__BIAS_EN, mode);
    c->reuse_a = IS(MODE__REUSE_A, mode);
    c->reuse_b = IS(MODE__REUSE_B, mode);
    c->acc_continue = IS(MODE__ACC_CONTINUE, mode);
    c->acc_keep = IS(MODE__ACC_KEEP, mode);
    c->pass_shape = FIELD(uint8_t, MODE__PASS_SHAPE, mode);
    c->b_resident = IS(MODE__B_RESIDENT, mode);
    c->b_free = IS(MODE__B_FREE, mode);
    c->extended = IS(MODE__EXTENDED, mode);
    c->after = FIELD(uint8_t, MODE__AFTER, mode);
}

static void read_operation(fp8mac_cycles_command *c, uint32_t operation)
{
    c->operation = FIELD(fp8mac_cycles_operation, OPERATION__OP, operation);
    c->c_en = IS(OPERATION__C_EN, operation);
    c->c_fmt = FIELD(uint8_t, OPERATION__C_FMT, operation);
    c->x_fmt = FIELD(uint8_t, OPERATION__X_FMT, operation);
    c->stochastic = IS(OPERATION__ROUNDING, operation);
    c->act_table = FIELD(uint8_t, OPERATION__ACT_TABLE, operation);
    c->conv_a = IS(OPERATION__CONV_A, operation);
    c->depthwise = IS(OPERATION__DEPTHWISE, operation);
    c->pairs = IS(OPERATION__PAIRS, operation);
    c->mx = IS(OPERATION__MX, operation);
    c->row_operation = FIELD(uint8_t, OPERATION__ROW_OP, operation);
    c->causal = IS(OPERATION__CAUSAL, operation);
    c->maximum = IS(OPERATION__MAXIMUM, operation);
    c->load_table = IS(OPERATION__LOAD_TABLE, operation);
}

static void read_image(fp8mac_cycles_command *c, const uint32_t conv[6])
{
    c->image_width = FIELD(uint32_t, CONV_LINE__WIDTH, conv[0]);
    c->image_height = FIELD(uint16_t, CONV_SIZE__HEIGHT, conv[1]);
    c->out_w = FIELD(uint16_t, CONV_SIZE__OUT_W, conv[1]);
    c->segment_bytes = FIELD(uint16_t, CONV_SEGMENT__BYTES, conv[2]);
    c->segments = FIELD(uint8_t, CONV_SEGMENT__SEGMENTS, conv[2]);
    c->step_x = FIELD(uint16_t, CONV_STEP__STEP_X, conv[3]);
    c->segment_step = FIELD(uint16_t, CONV_STEP__SEGMENT_STEP, conv[3]);
    c->step_y = FIELD(uint8_t, CONV_LINES__STEP_Y, conv[4]);
    c->dil_y = FIELD(uint8_t, CONV_LINES__DIL_Y, conv[4]);
    c->pad_top = FIELD(uint8_t, CONV_LINES__PAD_TOP, conv[4]);
    c->pad_left = FIELD(uint16_t, CONV_PAD__PAD_LEFT, conv[5]);
}

static void read_extension(fp8mac_cycles_command *c, const fp8rt_command *r)
{
    read_operation(c, r->operation);
    read_image(c, r->conv);
    c->c_addr = (uint32_t)r->c, c->c_stride = r->c_stride;
    c->mx_a_addr = (uint32_t)r->a.mx, c->mx_a_stride = r->a.mx_stride;
    c->mx_b_addr = (uint32_t)r->b.mx, c->mx_b_stride = r->b.mx_stride;
    c->beta = r->beta, c->seed = r->seed;
    c->table_addr = (uint32_t)r->table;
}

fp8mac_cycles_command fp8sim_timed_command(const uint32_t words[FP8SIM_WORDS_MOST])
{
    const fp8rt_command r = fp8rt_command_of_words(words);
    fp8mac_cycles_command c = {.submission = FP8MAC_CYCLES_REGISTERS};
    read_mode(&c, r.mode);
    c.m = r.m, c.n = r.n, c.k = r.k;
    c.tile_m = r.tile_m, c.tile_n = r.tile_n, c.tile_k = r.tile_k, c.first_k = r.first_k;
    c.a_addr = (uint32_t)r.a.address, c.a_stride = r.a.stride;
    c.b_addr = (uint32_t)r.b.address, c.b_stride = r.b.stride;
    c.d_addr = (uint32_t)r.d, c.d_stride = r.d_stride;
    c.scale_a = (uint32_t)r.a.scale, c.scale_b = (uint32_t)r.b.scale, c.bias = (uint32_t)r.bias;
    c.scale_d = r.scale_d, c.clamp_lo = r.clamp_lo, c.clamp_hi = r.clamp_hi;
    c.sa = r.a.scale_exp, c.sb = r.b.scale_exp;
    if (c.extended) {
        read_extension(&c, &r);
    }
    return c;
}

fp8sim_report fp8sim_report_of(const uint32_t words[FP8SIM_WORDS_MOST])
{
    const uint32_t mode = words[FP8RT_WORD_MODE], submit = words[FP8RT_WORD_SUBMIT];
    return (fp8sim_report){.tag = FIELD(uint16_t, SUBMIT__TAG, submit),
                           .record = IS(MODE__RECORD, mode),
                           .irq = IS(MODE__IRQ, mode),
                           .more = IS(SUBMIT__MORE, submit),
                           .pause = IS(SUBMIT__PAUSE, submit),
                           .extended = IS(MODE__EXTENDED, mode)};
}
