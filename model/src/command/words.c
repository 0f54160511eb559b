// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/regs/fp8mac.rdl by rtl/regs/command_c.py (`make regs`): a command as the words
// of its descriptor.
#include "command/tiles.h"

// Commands are read of their words more seldom than they are written.
#define SELDOM __attribute__((cold))

static SELDOM void read_extension(const uint32_t *word, fp8mac_command *c)
{
    c->mode.op = (uint8_t)(word[20] & 0x3u);
    c->c.en = (word[20] >> 2 & 1u) != 0;
    c->c.fmt = (uint8_t)(word[20] >> 3 & 0x7u);
    c->x_fmt = (uint8_t)(word[20] >> 6 & 0x7u);
    c->finish.stochastic = (word[20] >> 9 & 1u) != 0;
    c->finish.act_table = (uint8_t)(word[20] >> 10 & 0x3u);
    c->mode.conv_a = (word[20] >> 12 & 1u) != 0;
    c->mode.mx = (word[20] >> 13 & 1u) != 0;
    c->mode.row_op = (uint8_t)(word[20] >> 14 & 0xfu);
    c->mode.causal = (word[20] >> 18 & 1u) != 0;
    c->mode.depthwise = (word[20] >> 19 & 1u) != 0;
    c->mode.maximum = (word[20] >> 20 & 1u) != 0;
    c->table.load = (word[20] >> 21 & 1u) != 0;
    c->mode.pairs = (word[20] >> 22 & 1u) != 0;
    c->c.addr = word[21];
    c->c.stride = word[22];
    c->c.beta = word[23];
    c->finish.seed = word[24];
    c->image.width = word[25] & 0xffffffu;
    c->image.height = (uint16_t)word[26];
    c->image.out_w = (uint16_t)(word[26] >> 16);
    c->image.segment_bytes = (uint16_t)word[27];
    c->image.segments = (uint8_t)(word[27] >> 16);
    c->image.step_x = (uint16_t)word[28];
    c->image.segment_step = (uint16_t)(word[28] >> 16);
    c->image.step_y = (uint8_t)word[29];
    c->image.dil_y = (uint8_t)(word[29] >> 8);
    c->image.pad_top = (uint8_t)(word[29] >> 16);
    c->image.pad_left = (uint16_t)word[30];
    c->a.mx_addr = word[31];
    c->a.mx_stride = word[32];
    c->b.mx_addr = word[33];
    c->b.mx_stride = word[34];
    c->table.addr = word[35];
}

SELDOM fp8mac_command fp8mac_command_of_words(const uint32_t *word)
{
    fp8mac_command command, *const c = &command;
    fp8mac_command_clear(c);
    c->a.addr = word[0];
    c->a.stride = word[1];
    c->b.addr = word[2];
    c->b.stride = word[3];
    c->d.addr = word[4];
    c->d.stride = word[5];
    c->m = word[6];
    c->n = word[7];
    c->k = word[8];
    c->tile.m = (uint16_t)word[9];
    c->tile.n = (uint16_t)(word[9] >> 16);
    c->tile.k = (uint16_t)word[10];
    c->tile.first_k = (uint16_t)(word[10] >> 16);
    c->a.fmt = (uint8_t)(word[11] & 0x3u);
    c->b.fmt = (uint8_t)(word[11] >> 2 & 0x3u);
    c->mode.acc_fmt = (word[11] >> 4 & 1u) != 0;
    c->d.fmt = (uint8_t)(word[11] >> 5 & 0x7u);
    c->finish.overflow = (uint8_t)(word[11] >> 8 & 0x3u);
    c->finish.act = (uint8_t)(word[11] >> 10 & 0x3u);
    c->a.scale_vec = (word[11] >> 12 & 1u) != 0;
    c->b.scale_vec = (word[11] >> 13 & 1u) != 0;
    c->finish.bias_en = (word[11] >> 14 & 1u) != 0;
    c->a.reuse = (word[11] >> 15 & 1u) != 0;
    c->b.reuse = (word[11] >> 16 & 1u) != 0;
    c->mode.acc_continue = (word[11] >> 17 & 1u) != 0;
    c->mode.acc_keep = (word[11] >> 18 & 1u) != 0;
    c->mode.irq = (word[11] >> 19 & 1u) != 0;
    c->mode.pass_shape = (uint8_t)(word[11] >> 20 & 0x3u);
    c->mode.b_resident = (word[11] >> 22 & 1u) != 0;
    c->mode.b_free = (word[11] >> 23 & 1u) != 0;
    c->mode.record = (word[11] >> 24 & 1u) != 0;
    c->mode.extended = (word[11] >> 25 & 1u) != 0;
    c->a.narrow = (word[11] >> 26 & 1u) != 0;
    c->b.narrow = (word[11] >> 27 & 1u) != 0;
    c->mode.after = (uint8_t)(word[11] >> 28);
    c->a.scale_exp = (int8_t)word[12];
    c->b.scale_exp = (int8_t)(word[12] >> 8);
    c->a.scale = word[13];
    c->b.scale = word[14];
    c->finish.bias = word[15];
    c->d.scale = word[16];
    c->finish.clamp_lo = word[17];
    c->finish.clamp_hi = word[18];
    c->tag = (uint16_t)word[19];
    c->more = (word[19] >> 16 & 1u) != 0;
    c->pause = (word[19] >> 17 & 1u) != 0;
    if (c->mode.extended) {
        read_extension(word, c);
    }
    return command;
}

static SELDOM void write_extension(const fp8mac_command *c, uint32_t *word)
{
    word[20] = (uint32_t)c->mode.op | ((uint32_t)c->c.en << 2) | ((uint32_t)c->c.fmt << 3) |
               ((uint32_t)c->x_fmt << 6) | ((uint32_t)c->finish.stochastic << 9) |
               ((uint32_t)c->finish.act_table << 10) | ((uint32_t)c->mode.conv_a << 12) |
               ((uint32_t)c->mode.mx << 13) | ((uint32_t)c->mode.row_op << 14) |
               ((uint32_t)c->mode.causal << 18) | ((uint32_t)c->mode.depthwise << 19) |
               ((uint32_t)c->mode.maximum << 20) | ((uint32_t)c->table.load << 21) |
               ((uint32_t)c->mode.pairs << 22);
    word[21] = (uint32_t)c->c.addr;
    word[22] = c->c.stride;
    word[23] = c->c.beta;
    word[24] = c->finish.seed;
    word[25] = (uint32_t)c->image.width;
    word[26] = (uint32_t)c->image.height | ((uint32_t)c->image.out_w << 16);
    word[27] = (uint32_t)c->image.segment_bytes | ((uint32_t)c->image.segments << 16);
    word[28] = (uint32_t)c->image.step_x | ((uint32_t)c->image.segment_step << 16);
    word[29] = (uint32_t)c->image.step_y | ((uint32_t)c->image.dil_y << 8) |
               ((uint32_t)c->image.pad_top << 16);
    word[30] = (uint32_t)c->image.pad_left;
    word[31] = (uint32_t)c->a.mx_addr;
    word[32] = c->a.mx_stride;
    word[33] = (uint32_t)c->b.mx_addr;
    word[34] = c->b.mx_stride;
    word[35] = (uint32_t)c->table.addr;
}

void fp8mac_command_drop_extension(fp8mac_command *c)
{
    if (!c->mode.extended) {
        fp8mac_command_clear_extension(c);
    }
}

unsigned fp8mac_words_of_command(const fp8mac_command *c, uint32_t word[FP8MAC_COMMAND_WORDS_MOST])
{
    word[0] = (uint32_t)c->a.addr;
    word[1] = c->a.stride;
    word[2] = (uint32_t)c->b.addr;
    word[3] = c->b.stride;
    word[4] = (uint32_t)c->d.addr;
    word[5] = c->d.stride;
    word[6] = c->m;
    word[7] = c->n;
    word[8] = c->k;
    word[9] = (uint32_t)c->tile.m | ((uint32_t)c->tile.n << 16);
    word[10] = (uint32_t)c->tile.k | ((uint32_t)c->tile.first_k << 16);
    word[11] = (uint32_t)c->a.fmt | ((uint32_t)c->b.fmt << 2) | ((uint32_t)c->mode.acc_fmt << 4) |
               ((uint32_t)c->d.fmt << 5) | ((uint32_t)c->finish.overflow << 8) |
               ((uint32_t)c->finish.act << 10) | ((uint32_t)c->a.scale_vec << 12) |
               ((uint32_t)c->b.scale_vec << 13) | ((uint32_t)c->finish.bias_en << 14) |
               ((uint32_t)c->a.reuse << 15) | ((uint32_t)c->b.reuse << 16) |
               ((uint32_t)c->mode.acc_continue << 17) | ((uint32_t)c->mode.acc_keep << 18) |
               ((uint32_t)c->mode.irq << 19) | ((uint32_t)c->mode.pass_shape << 20) |
               ((uint32_t)c->mode.b_resident << 22) | ((uint32_t)c->mode.b_free << 23) |
               ((uint32_t)c->mode.record << 24) | ((uint32_t)c->mode.extended << 25) |
               ((uint32_t)c->a.narrow << 26) | ((uint32_t)c->b.narrow << 27) |
               ((uint32_t)c->mode.after << 28);
    word[12] = ((uint32_t)c->a.scale_exp & 0xffu) | (((uint32_t)c->b.scale_exp & 0xffu) << 8);
    word[13] = (uint32_t)c->a.scale;
    word[14] = (uint32_t)c->b.scale;
    word[15] = (uint32_t)c->finish.bias;
    word[16] = c->d.scale;
    word[17] = c->finish.clamp_lo;
    word[18] = c->finish.clamp_hi;
    word[19] = (uint32_t)c->tag | ((uint32_t)c->more << 16) | ((uint32_t)c->pause << 17);
    if (c->mode.extended) {
        write_extension(c, word);
    }
    return c->mode.extended ? FP8MAC_COMMAND_WORDS_MOST : FP8MAC_COMMAND_WORDS;
}
