// SPDX-License-Identifier: Apache-2.0
// The ways of D, X and C, the vectors of scales and biases, and the tables.
#include "probe.h"

#include <string.h>

// An element-wise command on ROWS x WORDS values: D = X, both in FP32.
static fp8rt_command conversion(const paths *p, const void *x, void *d)
{
    return (fp8rt_command){
        .a.addr = (uintptr_t)x,
        .a.stride = WORDS * 4u,
        .d.addr = (uintptr_t)d,
        .d.stride = WORDS * 4u,
        .d.fmt = FP8MAC_FP32,
        .m = ROWS,
        .n = WORDS,
        .tile.m = p->dev->caps.max_mn,
        .tile.n = p->dev->caps.max_mn,
        .mode.op = FP8MAC_OP_ADD,
        .mode.pass_shape = FP8MAC_PASS_AUTOMATIC,
        .mode.extended = true,
        .x_fmt = FP8MAC_FP32,
        .a.scale = FP8RT_FP32_ONE,
        .b.scale = FP8RT_FP32_ONE,
        .d.scale = FP8RT_FP32_ONE,
    };
}

// D is a constant, which comes from the clamp's registers: nothing but D's way to memory is seen.
bool check_d(const paths *p, const sheet *s)
{
    evidence e = {0};
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        fp8rt_command command = conversion(p, s->x, s->d);
        command.finish.act = FP8MAC_ACT_CLAMP;
        command.finish.clamp_lo = command.finish.clamp_hi = phase == 0 ? 0x55555555u : 0xaaaaaaaau;
        if (!probe_run(p, PATH_D, &command)) {
            return false;
        }
        for (uint32_t i = 0; i < ROWS * WORDS; i++) {
            s->want[i] = command.finish.clamp_lo;
        }
        probe_add(p, &e, s->d, ROWS * WORDS, s->want);
    }
    return evidence_conclude(&e, p->r, PATH_D, NULL);
}

// D = X, or D = 0 + 1 * C.
bool check_values(const paths *p, const sheet *s, bool is_c)
{
    const char *part = is_c ? PATH_C : PATH_X;
    evidence e = {0};
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        fp8rt_command command = conversion(p, s->x, s->d);
        probe_fill(s->want, ROWS * WORDS, phase);
        memcpy(is_c ? s->c : s->x, s->want, ROWS * WORDS * 4u);
        if (is_c) {
            memset(s->x, 0, ROWS * WORDS * 4u);
            command.c = (fp8mac_command_source){.en = true,
                                                .fmt = FP8MAC_FP32,
                                                .addr = (uintptr_t)s->c,
                                                .stride = WORDS * 4u,
                                                .beta = FP8RT_FP32_ONE};
        }
        if (!probe_run(p, part, &command)) {
            return false;
        }
        probe_add(p, &e, s->d, ROWS * WORDS, s->want);
    }
    return evidence_conclude(&e, p->r, part, NULL);
}

// A vector of scales or biases, seen in D. `rows` of D: a value for each row, else for each column.
static bool see_vector(const paths *p, const char *part, const fp8rt_command *command,
                       const uint32_t *vector, uint32_t count, bool rows, evidence *e)
{
    const uint32_t *d = (const uint32_t *)command->d.addr;
    if (!probe_run(p, part, command)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t got = rows ? d[i * (command->d.stride / 4u)] : d[i];
        for (uint32_t byte = 0; got != vector[i] && byte < 4; byte++) {
            evidence_add(e, 0, (i * 4u + byte) & (p->beat - 1u), (uint8_t)(vector[i] >> 8 * byte),
                         (uint8_t)(got >> 8 * byte));
        }
    }
    return true;
}

// Scales are positive: their signs stay 0.
static void fill_scales(uint32_t *vector, uint32_t count, uint32_t phase)
{
    probe_fill(vector, count, phase);
    for (uint32_t i = 0; i < count; i++) {
        vector[i] &= ~FP8RT_FP32_SIGN;
    }
}

// D = scale_x[m] * 1, one column
void check_scale_a(const paths *p, const sheet *s)
{
    const uint32_t rows = p->dev->caps.max_mn < WORDS ? p->dev->caps.max_mn : WORDS;
    evidence e = {0};
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        fp8rt_command command = conversion(p, s->x, s->d);
        for (uint32_t i = 0; i < rows; i++) {
            s->x[i * (p->beat / 4u)] = FP8RT_FP32_ONE;
        }
        fill_scales(s->c, rows, phase);
        command.a.stride = command.d.stride = p->beat;
        command.m = rows;
        command.n = 1;
        command.a.scale_vec = true;
        command.a.scale = (uintptr_t)s->c;
        if (!see_vector(p, PATH_SCALE_A, &command, s->c, rows, true, &e)) {
            return;
        }
    }
    evidence_conclude(&e, p->r, PATH_SCALE_A, NULL);
}

// A vector for each column: D = 1 * scale_b[n], or D = 0 + bias[n].
void check_columns(const paths *p, const square *s, const sheet *sheet, bool is_bias)
{
    const char *part = is_bias ? PATH_BIAS : PATH_SCALE_B;
    evidence e = {0};
    memset(s->a, 0, s->side);
    memset(s->b, 0, s->side * s->side);
    for (uint32_t n = 0; n < s->side && !is_bias; n++) {
        s->a[0] = s->b[n * s->side] = s->one;
    }
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        fp8rt_command command = probe_product(p, s);
        command.m = 1;
        command.d.addr = (uintptr_t)sheet->d;
        command.d.stride = WORDS * 4u;
        command.d.fmt = FP8MAC_FP32;
        command.finish.bias_en = is_bias;
        command.b.scale_vec = !is_bias;
        if (is_bias) {
            probe_fill(sheet->c, s->side, phase);
            command.finish.bias = (uintptr_t)sheet->c;
        } else {
            fill_scales(sheet->c, s->side, phase);
            command.b.scale = (uintptr_t)sheet->c;
        }
        if (!see_vector(p, part, &command, sheet->c, s->side, false, &e)) {
            return;
        }
    }
    evidence_conclude(&e, p->r, part, NULL);
}

// ---- tables -------------------------------------------------------------------------------------

// The codes of INT8 values are looked up. -128 becomes -127: its place is not seen.
void check_tables(const paths *p, const sheet *s)
{
    enum { UNSEEN = 0x80 };
    uint8_t *x = (uint8_t *)s->x, *d = (uint8_t *)s->d;
    for (uint32_t table = 1; table <= FP8RT_TABLES; table++) {
        evidence e = {0};
        for (uint32_t phase = 0; phase < PHASES; phase++) {
            uint8_t codes[FP8RT_TABLE_CODES];
            for (uint32_t i = 0; i < FP8RT_TABLE_CODES; i++) {
                const uint8_t code = (uint8_t)(i * 0x9du + table);
                codes[i] = phase == 0 ? code : (uint8_t)~code;
                x[i] = (uint8_t)i;
            }
            fp8rt_command command = conversion(p, x, d);
            command.m = 2;
            command.n = FP8RT_TABLE_CODES / 2u;
            command.a.stride = command.d.stride = FP8RT_TABLE_CODES / 2u;
            command.d.fmt = command.x_fmt = FP8MAC_INT8;
            command.finish.act_table = (uint8_t)table;
            if (fp8rt_device_load_table(p->dev, table, codes) != FP8RT_OK ||
                !probe_run(p, PATH_TABLE, &command)) {
                return;
            }
            for (uint32_t i = 0; i < FP8RT_TABLE_CODES; i++) {
                evidence_add(&e, table, i & 3u, codes[i], i == UNSEEN ? codes[i] : d[i]);
            }
        }
        evidence_conclude(&e, p->r, PATH_TABLE, "table");
    }
}
