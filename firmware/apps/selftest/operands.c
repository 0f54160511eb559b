// SPDX-License-Identifier: Apache-2.0
// The operand buffers with the elements behind them, and the buffers of MX scales.
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    HALVES = 2,             // of a double buffer
    SCALE_COLUMNS = 16,     // bytes of a row of D where A's MX scales are seen
    ONE_SCALE = 127,        // the MX scale 1
    BLOCK = FP8MAC_MX_BLOCK // codes of an MX scale
};

// A symmetric pattern: code (m, n) is number m ^ n of a list, so D is the pattern whichever operand
// has it. All rows differ. All exponents are 0101, or 1010 in the other phase, so that narrow
// windows of alignment keep every bit. As int8 the codes are numbers beside the smallest one.
static void fill_codes(const square *s, uint8_t *codes, uint32_t phase)
{
    enum { MOST = MOST_SIDE / 4 };
    const uint32_t words = s->side / 4u;
    uint32_t list[4][MOST],
        *to = (uint32_t *)codes; // with bytes 0 1 2 3, 1 0 3 2, 2 3 0 1, 3 2 1 0
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t random = (i + 1u) * 0x9e3779b9u;
        const uint32_t word = ((random ^ random >> 15) & 0x87878787u) | 0x28282828u;
        list[0][i] = phase == 0 ? word : ~word;
        list[1][i] = (list[0][i] & 0x00ff00ffu) << 8 | (list[0][i] >> 8 & 0x00ff00ffu);
        list[2][i] = list[0][i] << 16 | list[0][i] >> 16;
        list[3][i] = list[1][i] << 16 | list[1][i] >> 16;
    }
    for (uint32_t row = 0; row < s->side; row++) {
        for (uint32_t i = 0; i < words; i++) {
            *to++ = list[row & 3u][i ^ row / 4u];
        }
    }
}

static void fill_identity(const square *s, uint8_t *codes)
{
    memset(codes, 0, s->side * s->side);
    for (uint32_t i = 0; i < s->side; i++) {
        codes[i * s->side + i] = s->one;
    }
}

// What the wrong bytes say of A and of B: the row RAM, and the byte of a beat, of each one's part.
typedef struct square_evidence {
    evidence a, b;
} square_evidence;

static void add_square_word(const paths *p, uint32_t m, uint32_t n, bool is_b, uint32_t want,
                            uint32_t got, square_evidence *e)
{
    const fp8rt_caps *caps = &p->dev->caps;
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t expected = (uint8_t)(want >> 8 * i), read = (uint8_t)(got >> 8 * i);
        const uint32_t lane = (is_b ? m : n + i) & (p->beat - 1u);
        evidence_add(&e->a, m & (caps->rows - 1u), lane, expected, read);
        evidence_add(&e->b, (n + i) & (caps->cols - 1u), lane, expected, read);
    }
}

// D is the pattern, A[m][n] or B[n][m].
static void add_square(const paths *p, const square *s, bool is_b, square_evidence *e)
{
    const uint32_t *d = (const uint32_t *)s->d, *want = (const uint32_t *)(is_b ? s->b : s->a);
    const uint32_t words = s->side / 4u, all = s->side * words;
    for (uint32_t i = 0; i < all; i++) {
        if (d[i] != want[i]) {
            add_square_word(p, i / words, i % words * 4u, is_b, want[i], d[i], e);
        }
    }
}

// The pattern in one operand, the identity in the other. Each phase runs once for each half of the
// buffers.
static bool see_square(const paths *p, const square *s, bool is_b, square_evidence *e)
{
    fill_identity(s, is_b ? s->a : s->b);
    for (uint32_t i = 0; i < PHASES * HALVES; i++) {
        const fp8rt_command command = probe_product(p, s);
        if (i % HALVES == 0) {
            fill_codes(s, is_b ? s->b : s->a, i / HALVES);
        }
        memset(s->d, 0, s->side * s->side);
        if (!probe_run(p, PATH_ARRAY, &command)) {
            return false;
        }
        add_square(p, s, is_b, e);
    }
    return true;
}

// The buffer whose pattern was seen is broken if the wrong bytes have one row RAM and one position
// in a beat in common. An element of the array is broken if they have its row and column in common.
static bool blame(const paths *p, const square_evidence *a, const square_evidence *b)
{
    const bool is_a = evidence_is_one_position(&a->a), is_b = evidence_is_one_position(&b->b);
    if (is_a || is_b) {
        if (is_a) {
            evidence_conclude(&a->a, p->r, PATH_A, "row RAM");
        }
        if (is_b) {
            evidence_conclude(&b->b, p->r, PATH_B, "row RAM");
        }
        return true;
    }
    if (evidence_is_one(a->a.units) && evidence_is_one(a->b.units) && a->a.units == b->a.units &&
        a->b.units == b->b.units) {
        report_broken(p->r, PATH_ARRAY, "the element in row %" PRIu32 ", column %" PRIu32,
                      evidence_index(a->a.units), evidence_index(a->b.units));
        return true;
    }
    return false;
}

void check_operands(const paths *p, const square *s)
{
    square_evidence a = {0}, b = {0};
    if (!see_square(p, s, false, &a) || !see_square(p, s, true, &b)) {
        return;
    }
    if (a.a.bytes == 0 && b.a.bytes == 0) {
        p->r->passed += 2;
        printf("     operand buffers: %" PRIu32 " of %" PRIu32 " beats of each row RAM and half\n",
               s->side * s->side / (p->beat * p->dev->caps.rows), (uint32_t)p->dev->caps.buf_beats);
    } else if (!blame(p, &a, &b)) {
        report_broken(p->r, PATH_PRODUCTS,
                      "%" PRIu32 " and %" PRIu32 " bytes, with no position in common", a.a.bytes,
                      b.a.bytes);
    }
}

// ---- MX scales ----------------------------------------------------------------------------------

// One operand has a 1 at the begin of each block; row i of the other only at that of block i.
static void fill_blocks(const square *s, bool is_b)
{
    uint8_t *all = is_b ? s->b : s->a, *few = is_b ? s->a : s->b;
    memset(s->a, 0, s->side * s->side);
    memset(s->b, 0, s->side * s->side);
    for (uint32_t i = 0; i < s->side; i++) {
        for (uint32_t block = 0; block < s->side / BLOCK; block++) {
            all[i * s->side + block * BLOCK] = s->one;
        }
    }
    for (uint32_t i = 0; i < s->side / BLOCK; i++) {
        few[i * s->side + i * BLOCK] = s->one;
    }
}

static fp8rt_command scaled_product(const paths *p, const square *s, const sheet *sheet, bool is_b)
{
    const uint32_t blocks = s->side / BLOCK;
    const uintptr_t pattern = (uintptr_t)sheet->x, ones = (uintptr_t)sheet->c;
    fp8rt_command command = probe_product(p, s);
    command.m = is_b ? blocks : s->side;
    command.n = is_b ? s->side : blocks;
    command.d.addr = (uintptr_t)sheet->d;
    command.d.stride = is_b ? WORDS * 4u : SCALE_COLUMNS < p->beat ? p->beat : SCALE_COLUMNS;
    command.d.fmt = FP8MAC_FP32;
    command.mode.extended = command.mode.mx = true;
    command.a.mx_addr = is_b ? ones : pattern;
    command.b.mx_addr = is_b ? pattern : ones;
    command.a.mx_stride = command.b.mx_stride = p->beat;
    return command;
}

// D[m][n] = 2^(mx_a - 127 + mx_b - 127), of the one block whose codes are both 1. The scales of
// the other operand are 1.
static bool see_scales(const paths *p, const square *s, const sheet *sheet, bool is_b,
                       uint32_t phase, evidence *e)
{
    const uint32_t blocks = s->side / BLOCK, rams = is_b ? p->dev->caps.cols : p->dev->caps.rows;
    const fp8rt_command command = scaled_product(p, s, sheet, is_b);
    uint8_t *pattern = (uint8_t *)sheet->x;
    memset(sheet->c, ONE_SCALE, s->side * p->beat);
    for (uint32_t i = 0; i < s->side * blocks; i++) {
        // No code becomes 0xff, which makes products NaN, by one wrong bit.
        const uint8_t code = (uint8_t)((i * 0x9du & 0x22u) | 0x55u);
        pattern[i / blocks * p->beat + i % blocks] = phase == 0 ? code : (uint8_t)~code;
    }
    if (!probe_run(p, is_b ? PATH_MX_B : PATH_MX_A, &command)) {
        return false;
    }
    for (uint32_t i = 0; i < s->side; i++) {
        for (uint32_t block = 0; block < blocks; block++) {
            const uint32_t row = is_b ? block : i, col = is_b ? i : block;
            const uint32_t d = sheet->d[row * (command.d.stride / 4u) + col];
            evidence_add(e, i & (rams - 1u), block, pattern[i * p->beat + block],
                         (uint8_t)(d >> 23));
        }
    }
    return true;
}

// The scales of one operand are seen times those of the other. So one broken byte of one
// blames that one alone.
void check_scales(const paths *p, const square *s, const sheet *sheet)
{
    evidence e[2] = {{0}, {0}};
    for (uint32_t i = 0; i < 2u * PHASES * HALVES; i++) {
        const bool is_b = i >= PHASES * HALVES;
        if (i % (PHASES * HALVES) == 0) {
            fill_blocks(s, is_b);
        }
        if (!see_scales(p, s, sheet, is_b, i / HALVES % PHASES, &e[is_b])) {
            return;
        }
    }
    const bool a_alone = evidence_is_one_position(&e[0]) && !evidence_is_one_position(&e[1]);
    const bool b_alone = evidence_is_one_position(&e[1]) && !evidence_is_one_position(&e[0]);
    if (!b_alone) {
        evidence_conclude(&e[0], p->r, PATH_MX_A, "row RAM");
    }
    if (!a_alone) {
        evidence_conclude(&e[1], p->r, PATH_MX_B, "row RAM");
    }
}
