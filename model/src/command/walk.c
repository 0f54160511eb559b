// SPDX-License-Identifier: Apache-2.0
// The walker's rules: a command becomes tile commands (fp8mac_cmd_walk).
#include "command/tiles.h"

#include <string.h>

#define BEYOND (1ull << 32) // the first address behind the last one
#define ADDRESSES ((1ull << 33) - 1u)

enum { BAND_ROWS = 16, BLOCK_COLUMNS = 32, COLUMNS_MOST = 480, ROWS_COLUMNS_MOST = 1 << 24 };

uint32_t fp8mac_bus_address(const fp8mac_caps *caps, uintptr_t address)
{
#if UINTPTR_MAX > UINT32_MAX
    if (address > UINT32_MAX) {
        return UINT32_C(0x80000000) | ((uint32_t)address & (caps->beat_bytes - 1u));
    }
#else
    (void)caps;
#endif
    return (uint32_t)address;
}

// What the walk takes for pairs: those of an image
static bool has_pairs(const fp8mac_command *c)
{
    return c->mode.conv_a && fp8mac_command_has_pairs(c);
}

static bool b_is_resident(const fp8mac_command *c)
{
    return c->mode.b_resident && !fp8mac_command_is_rows(c);
}

// Bands of 16 rows, and in them as many columns as the limit allows, or those of an MX block
static void begin_rows(fp8mac_walk *k, const fp8mac_command *c)
{
    const uint32_t most = k->caps->max_mn;
    k->last_phase = fp8mac_rows_last_phase(c);
    k->tile_m = BAND_ROWS;
    k->tile_n = fp8mac_command_writes_scales(c) ? BLOCK_COLUMNS
                : most < 512                    ? most / 32u * 32u
                                                : COLUMNS_MOST;
    k->a_band = k->at[FP8MAC_REGION_A];
    k->d_band = k->at[FP8MAC_REGION_D];
}

void fp8mac_walk_begin(fp8mac_walk *k, const fp8mac_caps *caps, const fp8mac_command *c)
{
    const uintptr_t addresses[FP8MAC_TILE_REGIONS] = {c->a.addr,  c->b.addr,    c->d.addr,
                                                      c->a.scale, c->b.scale,   c->finish.bias,
                                                      c->c.addr,  c->a.mx_addr, c->b.mx_addr};
    const bool x = fp8mac_command_has_x(c);
    const uint32_t block = fp8mac_caps_bound_block(caps);
    *k = (fp8mac_walk){
        .caps = caps,
        .command = c,
        .granule = block > caps->beat_bytes ? block : caps->beat_bytes,
        .tile_m = c->tile.m,
        .tile_n = c->tile.n,
        .tile_k = x ? 0 : c->tile.k,
        .m_left = c->m,
        .n_left = c->n,
        .k_left = x ? 1 : c->k,
        .cap = c->tile.first_k != 0 ? c->tile.first_k : c->tile.k,
        .first = true,
        .from_start = true,
        .has_a = c->a.reuse,
        .has_b = c->b.reuse,
    };
    for (unsigned i = 0; i < FP8MAC_TILE_REGIONS; i++) {
        k->at[i] = fp8mac_bus_address(caps, addresses[i]);
    }
    if ((caps->functions & FP8MAC_FUNCTION_C) == 0) {
        k->at[FP8MAC_REGION_C] = 0; // as the accelerator, which has no place for it
    }
    if (fp8mac_command_is_rows(c)) {
        begin_rows(k, c);
    }
}

// ---- sizes --------------------------------------------------------------------------------------

static uint32_t to_dim(uint32_t x)
{
    return x >> 16 != 0 ? 0 : x;
}

// Half of what is left of K, in whole granules
static uint32_t half_of(uint32_t left, uint32_t granule)
{
    return ((left & 0x1ffffu) + 2u * granule - 1u) / (2u * granule) * granule;
}

static void size(fp8mac_walk *k)
{
    const fp8mac_command *c = k->command;
    const bool rows = fp8mac_command_is_rows(c), blocks = fp8mac_command_writes_scales(c);
    k->m_more = k->tile_m != 0 && k->m_left > k->tile_m;
    const bool result = (fp8mac_command_is_reduction(c) || blocks) && k->phase == k->last_phase;
    k->n_more = k->tile_n != 0 && k->n_left > k->tile_n && (!result || blocks);
    k->k_more = k->tile_k != 0 && k->k_left > k->cap && k->k_left > k->granule;
    k->m = k->m_more ? k->tile_m : to_dim(k->m_left);
    k->n = result ? 1 : k->n_more ? k->tile_n : to_dim(k->n_left);
    if (rows && (c->n > ROWS_COLUMNS_MOST || c->k > c->n || c->n == 0)) {
        k->n = 0;
    }
    k->k = !k->k_more                ? to_dim(k->k_left)
           : k->k_left < 2u * k->cap ? half_of(k->k_left, k->granule)
                                     : k->cap;
    k->m_start = k->m_left == c->m;
    k->n_start = k->n_left == c->n;
}

// ---- moves --------------------------------------------------------------------------------------

typedef struct moves {
    bool stream_more, resident_more, next_phase, m, n;
} moves;

static moves moves_of(const fp8mac_walk *k)
{
    const bool rows = fp8mac_command_is_rows(k->command);
    const bool blocks = fp8mac_command_writes_scales(k->command);
    const bool b_resident = b_is_resident(k->command);
    const bool m_left = k->backwards ? !k->m_start : k->m_more;
    const bool n_left = k->backwards ? !k->n_start : k->n_more;
    moves v;
    v.stream_more = b_resident ? m_left : n_left;
    v.resident_more = b_resident ? k->n_more : k->m_more;
    const bool any = v.stream_more || v.resident_more;
    v.next_phase = rows && (blocks || !v.stream_more) && k->phase != k->last_phase;
    v.m = any && b_resident == v.stream_more && !v.next_phase;
    v.n = any && b_resident != v.stream_more && !(blocks && v.next_phase);
    return v;
}

static void along(uint64_t *at, uint64_t by, bool back)
{
    *at = (back ? *at - by : *at + by) & ADDRESSES;
}

// The product of a stride and a tile's rows
static uint64_t step_of(uint32_t stride, uint32_t rows)
{
    const uint64_t product = (uint64_t)stride * rows;
    return product < BEYOND ? product : BEYOND;
}

static void move_rows(fp8mac_walk *k, bool back)
{
    const fp8mac_command *c = k->command;
    const uint32_t d_rows = (has_pairs(c) ? 2u : 1u) * k->tile_m;
    along(&k->at[FP8MAC_REGION_A], c->mode.conv_a ? 0 : step_of(c->a.stride, k->tile_m), back);
    along(&k->at[FP8MAC_REGION_C], step_of(c->c.stride, k->tile_m), back);
    along(&k->at[FP8MAC_REGION_D], step_of(c->d.stride, d_rows), back);
    along(&k->at[FP8MAC_REGION_MX_A], step_of(c->a.mx_stride, k->tile_m), back);
    along(&k->at[FP8MAC_REGION_SCALE_A], c->a.scale_vec ? 4u * k->tile_m : 0, back);
    k->m_left = back ? k->m_left + k->tile_m : k->m_left - k->tile_m;
}

static void move_columns(fp8mac_walk *k, bool back)
{
    const fp8mac_command *c = k->command;
    const uint64_t columns = k->tile_n;
    const bool x = fp8mac_command_has_x(c);
    along(&k->at[FP8MAC_REGION_A], x ? columns << fp8mac_command_size_log2(c->x_fmt) : 0, back);
    along(&k->at[FP8MAC_REGION_B], step_of(c->b.stride, k->tile_n), back);
    along(&k->at[FP8MAC_REGION_C], columns << fp8mac_command_size_log2(c->c.fmt), back);
    along(&k->at[FP8MAC_REGION_D], columns << fp8mac_command_size_log2(c->d.fmt), back);
    along(&k->at[FP8MAC_REGION_MX_B], step_of(c->b.mx_stride, k->tile_n), back);
    along(&k->at[FP8MAC_REGION_SCALE_B], c->b.scale_vec ? scale_b_bytes(k->caps) * columns : 0,
          back);
    along(&k->at[FP8MAC_REGION_BIAS], 4u * columns, back);
    k->n_left = back ? k->n_left + k->tile_n : k->n_left - k->tile_n;
}

static void move_on(fp8mac_walk *k)
{
    const fp8mac_command *c = k->command;
    const uint64_t columns = k->tile_n;
    along(&k->at[FP8MAC_REGION_A], columns << fp8mac_command_size_log2(c->x_fmt), false);
    if (k->phase == k->last_phase) {
        along(&k->at[FP8MAC_REGION_D], columns << fp8mac_command_size_log2(c->d.fmt), false);
        along(&k->at[FP8MAC_REGION_SCALE_B], c->b.scale_vec ? 4u * columns : 0, false);
        along(&k->at[FP8MAC_REGION_BIAS], 4u * columns, false);
    }
    k->n_left -= k->tile_n;
}

static void end_phase(fp8mac_walk *k)
{
    k->phase = k->phase == k->last_phase ? 0 : k->phase + 1u;
}

// A row command goes to the next columns, or back to the first ones for the next phase or the next
// band. In a block, the next phase comes first.
static void move_in_rows(fp8mac_walk *k, const moves *v)
{
    const fp8mac_command *c = k->command;
    const bool blocks = fp8mac_command_writes_scales(c);
    if (blocks && v->next_phase) {
        end_phase(k);
        return;
    }
    if (v->stream_more) {
        move_on(k);
        k->phase = blocks ? 0 : k->phase;
        return;
    }
    if (v->m) {
        along(&k->a_band, step_of(c->a.stride, k->tile_m), false);
        along(&k->d_band, step_of(c->d.stride, k->tile_m), false);
        along(&k->at[FP8MAC_REGION_MX_A], step_of(c->a.mx_stride, k->tile_m), false);
        k->m_left -= k->tile_m;
    }
    k->at[FP8MAC_REGION_A] = k->a_band;
    k->at[FP8MAC_REGION_D] = k->d_band;
    k->at[FP8MAC_REGION_SCALE_B] = fp8mac_bus_address(k->caps, c->b.scale);
    k->at[FP8MAC_REGION_BIAS] = fp8mac_bus_address(k->caps, c->finish.bias);
    k->n_left = c->n;
    end_phase(k);
}

static void move(fp8mac_walk *k, const moves *v)
{
    if (fp8mac_command_is_rows(k->command)) {
        move_in_rows(k, v);
        return;
    }
    const bool back = v->stream_more && k->backwards;
    if (v->m) {
        move_rows(k, back);
    }
    if (v->n) {
        move_columns(k, back);
    }
    k->backwards ^= !v->stream_more;
}

// ---- what is wrong with the walk ----------------------------------------------------------------

static bool too_short(uint32_t stride, uint32_t columns, uint8_t fmt)
{
    return stride < (uint64_t)columns << fp8mac_command_size_log2(fmt);
}

// Lines of an image may overlap. An image with MX scales is refused, but their stride is judged
// before.
static bool operand_stride_bad(const fp8mac_command *c, const fp8mac_command_operand *x,
                               uint32_t rows, bool image)
{
    return rows > 1 && !x->reuse &&
           ((!image && x->stride < c->k) ||
            (fp8mac_command_has_mx(c) && x->mx_stride < fp8mac_command_scales(c->k)));
}

static bool stride_bad(const fp8mac_command *c)
{
    const uint32_t d_columns = fp8mac_command_is_reduction(c) ? 1 : c->n;
    const bool outputs = (c->m > 1 || has_pairs(c)) && !c->mode.acc_keep &&
                         (too_short(c->d.stride, d_columns, c->d.fmt) ||
                          (fp8mac_command_reads_c(c) && too_short(c->c.stride, c->n, c->c.fmt)));
    if (fp8mac_command_has_x(c)) {
        return outputs ||
               (fp8mac_command_writes_scales(c) && c->m > 1 &&
                c->a.mx_stride < fp8mac_command_scales(c->n)) ||
               (c->m > 1 && !c->a.reuse && !c->mode.conv_a &&
                too_short(c->a.stride, c->n, c->x_fmt));
    }
    return outputs || operand_stride_bad(c, &c->a, c->m, c->mode.conv_a) ||
           operand_stride_bad(c, &c->b, c->n, false);
}

// D's address, or with pairs where its rows could end, less twice its rows. Pairs without an image
// are refused, but C's address is judged in the place of D's before.
static uint64_t d_of(const fp8mac_walk *k)
{
    const fp8mac_command *c = k->command;
    if (has_pairs(c)) {
        return k->at[FP8MAC_REGION_D] + step_of(c->d.stride, c->image.out_w);
    }
    return k->at[fp8mac_command_has_pairs(c) ? FP8MAC_REGION_C : FP8MAC_REGION_D];
}

static bool beyond(const fp8mac_walk *k, uint64_t mx_beats)
{
    const fp8mac_command *c = k->command;
    const uint64_t *at = k->at;
    uint64_t all = (at[FP8MAC_REGION_A] + (c->mode.conv_a ? 0 : k->k_done)) |
                   (has_pairs(c) ? d_of(k) : 0) | at[FP8MAC_REGION_D] | at[FP8MAC_REGION_SCALE_A] |
                   at[FP8MAC_REGION_SCALE_B];
    all |= fp8mac_command_has_x(c) ? 0 : at[FP8MAC_REGION_B] + k->k_done;
    all |= fp8mac_command_reads_c(c) ? at[FP8MAC_REGION_C] : 0;
    all |= c->finish.bias_en ? at[FP8MAC_REGION_BIAS] : 0;
    all |= fp8mac_command_writes_scales(c) ? at[FP8MAC_REGION_MX_A] : 0;
    all |= fp8mac_command_has_mx(c)
               ? (at[FP8MAC_REGION_MX_A] + mx_beats) | (at[FP8MAC_REGION_MX_B] + mx_beats)
               : 0;
    return (all & BEYOND) != 0;
}

// The end of an image
static bool image_beyond(const fp8mac_walk *k)
{
    const fp8mac_command *c = k->command;
    const uint64_t lines = step_of(c->a.stride, (c->image.height - 1u) & 0xffffu);
    return c->mode.conv_a && !c->a.reuse &&
           fp8mac_bus_address(k->caps, c->a.addr) + lines + c->image.width > BEYOND;
}

static bool sequence_bad(const fp8mac_walk *k)
{
    const fp8mac_command *c = k->command;
    const bool divided = k->m_more || k->n_more || k->k_more;
    const bool once = b_is_resident(c) || c->mode.depthwise; // tiles of an image's rows
    const bool chained = c->a.reuse || c->b.reuse || c->mode.acc_continue || c->mode.acc_keep;
    return k->first && ((divided && chained) || (c->mode.conv_a && once && k->n_more));
}

// ---- the tile command ---------------------------------------------------------------------------

static void set_rows(const fp8mac_walk *k, fp8mac_tile *t)
{
    const bool blocks = fp8mac_command_writes_scales(k->command);
    t->step = fp8mac_rows_step_of(k->command, k->phase);
    t->uses_x = t->step != FP8MAC_STEP_RESULT;
    t->writes = !fp8mac_step_is_statistic(t->step);
    t->rows_first = k->n_start || blocks;
    t->rows_end = !k->n_more || blocks;
}

static void set(const fp8mac_walk *k, fp8mac_tile *t, const moves *v)
{
    const fp8mac_command *c = k->command;
    const bool whole = k->from_start && !k->k_more, x = fp8mac_command_has_x(c);
    t->m = k->m, t->n = k->n, t->k = k->k;
    t->columns = fp8mac_command_has_pairs(c) ? 2u * k->n : k->n;
    t->first_m = c->m - k->m_left;
    t->first_n = c->n - k->n_left;
    t->first_k = k->k_done;
    t->mx_first = k->k_done >> 5 & (k->caps->beat_bytes - 1u);
    t->phase = k->phase;
    t->first = k->first;
    t->last = !k->k_more && !v->stream_more && !v->next_phase && !v->resident_more;
    t->reuse_a = x ? c->a.reuse : k->has_a && whole;
    t->reuse_b = x ? c->b.reuse : k->has_b && whole;
    t->acc_continue = !k->from_start || c->mode.acc_continue;
    t->acc_keep = k->k_more || c->mode.acc_keep;
    t->more_k = k->k_more;
    t->moves_m = v->m;
    t->next_rows = c->mode.conv_a && k->next_rows;
    t->k_start = c->mode.conv_a && k->from_start;
    t->uses_x = x;
    t->writes = !t->acc_keep;
    if (fp8mac_command_is_rows(c)) {
        set_rows(k, t);
    }
}

static void set_addresses(const fp8mac_walk *k, fp8mac_tile *t)
{
    const fp8mac_command *c = k->command;
    const uint32_t mx_beats = k->k_done >> 5 & ~(k->caps->beat_bytes - 1u);
    for (unsigned i = 0; i < FP8MAC_TILE_REGIONS; i++) {
        const bool codes = (i == FP8MAC_REGION_A && !c->mode.conv_a) || i == FP8MAC_REGION_B;
        const bool scales = i == FP8MAC_REGION_MX_A || i == FP8MAC_REGION_MX_B;
        t->address[i] = (uint32_t)k->at[i] + (codes ? k->k_done : scales ? mx_beats : 0);
    }
    t->address[FP8MAC_REGION_D] = (uint32_t)d_of(k);
    t->range_bad = stride_bad(c) || beyond(k, mx_beats) || image_beyond(k);
    t->sequence_bad = sequence_bad(k);
}

static void advance(fp8mac_walk *k, const moves *v)
{
    const bool whole = k->from_start && !k->k_more;
    k->first = false;
    k->k_left = k->k_more ? k->k_left - k->k : fp8mac_command_has_x(k->command) ? 1 : k->command->k;
    k->k_done = k->k_more ? k->k_done + k->k : 0;
    k->from_start = !k->k_more;
    const bool doubles = k->k_more && k->cap < 0x8000u && 2u * k->cap < k->tile_k;
    k->cap = doubles ? 2u * k->cap : k->tile_k;
    k->has_a = whole && !v->m;
    k->has_b = whole && !v->n;
    k->next_rows = k->from_start && v->m;
    if (k->from_start && (v->m || v->n || v->next_phase)) {
        move(k, v);
    }
}

void fp8mac_walk_next(fp8mac_walk *k, fp8mac_tile *t)
{
    memset(t, 0, sizeof *t);
    size(k);
    const moves v = moves_of(k);
    set(k, t, &v);
    set_addresses(k, t);
    advance(k, &v);
}
