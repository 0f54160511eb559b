// SPDX-License-Identifier: Apache-2.0
// The walker's rules: a command becomes tile commands (fp8mac_cmd_walk).
#include "cycles/tiles.h"

#define BEYOND (1ull << 32) // the first address behind the last one
#define ADDRESSES ((1ull << 33) - 1u)

// Bands of 16 rows, and in them as many columns as the limit allows, or those of an MX block
static void begin_rows(walker *k, const fp8mac_cycles_command *c)
{
    k->reduction = fp8mac_cycles_is_reduction(c);
    k->blocks = fp8mac_cycles_has_blocks(c);
    k->last_phase = fp8mac_cycles_last_phase(c);
    k->tile_m = 16;
    k->tile_n = k->blocks ? 32 : k->p->max_mn < 512 ? k->p->max_mn / 32u * 32u : 480;
    k->a_band = c->a_addr;
    k->d_band = c->d_addr;
}

void fp8mac_cycles_walk_begin(walker *k, const parameters *p, const fp8mac_cycles_command *c,
                              size_t command)
{
    *k = (walker){
        .p = p,
        .command = c,
        .number = (uint32_t)command,
        .elementwise = c->operation != FP8MAC_CYCLES_GEMM,
        .tile_m = c->tile_m,
        .tile_n = c->tile_n,
        .m_left = c->m,
        .n_left = c->n,
        .cap = c->first_k != 0 ? c->first_k : c->tile_k,
        .first = true,
        .from_start = true,
        .has_a = c->reuse_a,
        .has_b = c->reuse_b,
        .at = {c->a_addr, c->b_addr, c->d_addr, c->scale_a, c->scale_b, c->bias, c->c_addr,
               c->mx_a_addr, c->mx_b_addr},
    };
    k->mx = c->mx && !k->elementwise;
    k->pairs = c->pairs && c->depthwise && c->conv_a && !k->elementwise;
    k->reads_c = fp8mac_cycles_adds_c(c);
    k->tile_k = k->elementwise ? 0 : c->tile_k;
    k->k_left = k->elementwise ? 1 : c->k;
    k->rows = c->operation == FP8MAC_CYCLES_ROWS;
    if (k->rows) {
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

static void size(walker *k)
{
    const fp8mac_cycles_command *c = k->command;
    const uint32_t granule = k->p->granule;
    k->m_more = k->tile_m != 0 && k->m_left > k->tile_m;
    const bool result = (k->reduction || k->blocks) && k->phase == k->last_phase; // one column
    k->n_more = k->tile_n != 0 && k->n_left > k->tile_n && (!result || k->blocks);
    k->k_more = k->tile_k != 0 && k->k_left > k->cap && k->k_left > granule;
    k->m = k->m_more ? k->tile_m : to_dim(k->m_left);
    k->n = result ? 1 : k->n_more ? k->tile_n : to_dim(k->n_left);
    if (k->rows && (c->n > 1u << 24 || c->k > c->n || c->n == 0)) {
        k->n = 0;
    }
    k->k = !k->k_more                ? to_dim(k->k_left)
           : k->k_left < 2u * k->cap ? half_of(k->k_left, granule)
                                     : k->cap;
    k->m_start = k->m_left == c->m;
    k->n_start = k->n_left == c->n;
}

// ---- moves --------------------------------------------------------------------------------------

typedef struct moves {
    bool stream_more, resident_more, next_phase, m, n;
} moves;

static moves moves_of(const walker *k)
{
    const bool b_resident = k->command->b_resident && !k->rows;
    const bool m_left = k->backwards ? !k->m_start : k->m_more;
    const bool n_left = k->backwards ? !k->n_start : k->n_more;
    moves v;
    v.stream_more = b_resident ? m_left : n_left;
    v.resident_more = b_resident ? k->n_more : k->m_more;
    const bool any = v.stream_more || v.resident_more;
    v.next_phase = k->rows && (k->blocks || !v.stream_more) && k->phase != k->last_phase;
    v.m = any && b_resident == v.stream_more && !v.next_phase;
    v.n = any && b_resident != v.stream_more && !(k->blocks && v.next_phase);
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

static void move_rows(walker *k, bool back)
{
    const fp8mac_cycles_command *c = k->command;
    along(&k->at[REGION_A], c->conv_a ? 0 : step_of(c->a_stride, k->tile_m), back);
    along(&k->at[REGION_C], step_of(c->c_stride, k->tile_m), back);
    along(&k->at[REGION_D], step_of(c->d_stride, (k->pairs ? 2u : 1u) * k->tile_m), back);
    along(&k->at[REGION_MX_A], step_of(c->mx_a_stride, k->tile_m), back);
    along(&k->at[REGION_SCALE_A], c->scale_a_vec ? 4u * k->tile_m : 0, back);
    k->m_left = back ? k->m_left + k->tile_m : k->m_left - k->tile_m;
}

static void move_columns(walker *k, bool back)
{
    const fp8mac_cycles_command *c = k->command;
    const uint64_t columns = k->tile_n;
    along(&k->at[REGION_A], k->elementwise ? columns << size_log2(c->x_fmt) : 0, back);
    along(&k->at[REGION_B], step_of(c->b_stride, k->tile_n), back);
    along(&k->at[REGION_C], columns << size_log2(c->c_fmt), back);
    along(&k->at[REGION_D], columns << size_log2(c->d_fmt), back);
    along(&k->at[REGION_MX_B], step_of(c->mx_b_stride, k->tile_n), back);
    along(&k->at[REGION_SCALE_B], c->scale_b_vec ? k->p->scale_b_bytes * columns : 0, back);
    along(&k->at[REGION_BIAS], 4u * columns, back);
    k->n_left = back ? k->n_left + k->tile_n : k->n_left - k->tile_n;
}

static void move_on(walker *k)
{
    const fp8mac_cycles_command *c = k->command;
    const uint64_t columns = k->tile_n;
    along(&k->at[REGION_A], columns << size_log2(c->x_fmt), false);
    if (k->phase == k->last_phase) {
        along(&k->at[REGION_D], columns << size_log2(c->d_fmt), false);
        along(&k->at[REGION_SCALE_B], c->scale_b_vec ? 4u * columns : 0, false);
        along(&k->at[REGION_BIAS], 4u * columns, false);
    }
    k->n_left -= k->tile_n;
}

static void end_phase(walker *k)
{
    k->phase = k->phase == k->last_phase ? 0 : k->phase + 1u;
}

// A row command goes to the next columns, or back to the first ones for the next phase or the next
// band. In a block, the next phase comes first.
static void move_in_rows(walker *k, const moves *v)
{
    const fp8mac_cycles_command *c = k->command;
    if (k->blocks && v->next_phase) {
        end_phase(k);
        return;
    }
    if (v->stream_more) {
        move_on(k);
        k->phase = k->blocks ? 0 : k->phase;
        return;
    }
    if (v->m) {
        along(&k->a_band, step_of(c->a_stride, k->tile_m), false);
        along(&k->d_band, step_of(c->d_stride, k->tile_m), false);
        along(&k->at[REGION_MX_A], step_of(c->mx_a_stride, k->tile_m), false);
        k->m_left -= k->tile_m;
    }
    k->at[REGION_A] = k->a_band;
    k->at[REGION_D] = k->d_band;
    k->at[REGION_SCALE_B] = c->scale_b;
    k->at[REGION_BIAS] = c->bias;
    k->n_left = c->n;
    end_phase(k);
}

static void move(walker *k, const moves *v)
{
    if (k->rows) {
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

// ---- the tile command ---------------------------------------------------------------------------

static bool too_short(uint32_t stride, uint32_t columns, uint32_t log2)
{
    return stride < (uint64_t)columns << log2;
}

static bool operand_stride_bad(const walker *k, uint32_t rows, bool reuse, uint32_t stride,
                               uint32_t mx_stride, uint32_t products_of_row)
{
    return rows > 1 && !reuse &&
           (stride < products_of_row || (k->mx && mx_stride < ceil_log2(products_of_row, 5)));
}

static bool stride_bad(const walker *k, const fp8mac_cycles_command *c)
{
    const bool outputs = (c->m > 1 || k->pairs) && !c->acc_keep &&
                         (too_short(c->d_stride, k->reduction ? 1 : c->n, size_log2(c->d_fmt)) ||
                          (k->reads_c && too_short(c->c_stride, c->n, size_log2(c->c_fmt))));
    if (k->elementwise) {
        return outputs || (k->blocks && c->m > 1 && c->mx_a_stride < ceil_log2(c->n, 5)) ||
               (c->m > 1 && !c->reuse_a && too_short(c->a_stride, c->n, size_log2(c->x_fmt)));
    }
    return outputs ||
           operand_stride_bad(k, c->m, c->reuse_a || c->conv_a, c->a_stride, c->mx_a_stride,
                              c->k) ||
           operand_stride_bad(k, c->n, c->reuse_b, c->b_stride, c->mx_b_stride, c->k);
}

// D's address in a tile command with pairs, or where its rows could end, less twice its rows
static uint64_t d_of(const walker *k)
{
    const uint64_t lines = k->pairs ? step_of(k->command->d_stride, k->command->out_w) : 0;
    return k->at[REGION_D] + lines;
}

static bool beyond(const walker *k, uint64_t mx_beats)
{
    const fp8mac_cycles_command *c = k->command;
    const uint64_t *at = k->at;
    uint64_t all = (at[REGION_A] + (c->conv_a ? 0 : k->k_done)) | d_of(k) | at[REGION_D] |
                   at[REGION_SCALE_A] | at[REGION_SCALE_B];
    all |= k->elementwise ? 0 : at[REGION_B] + k->k_done;
    all |= k->reads_c ? at[REGION_C] : 0;
    all |= c->bias_en ? at[REGION_BIAS] : 0;
    all |= k->blocks ? at[REGION_MX_A] : 0;
    all |= k->mx ? (at[REGION_MX_A] + mx_beats) | (at[REGION_MX_B] + mx_beats) : 0;
    return (all & BEYOND) != 0;
}

// The end of an image
static bool image_bad(const fp8mac_cycles_command *c)
{
    const uint64_t lines = step_of(c->a_stride, (c->image_height - 1u) & 0xffffu);
    return c->conv_a && !c->reuse_a && c->a_addr + lines + c->image_width > BEYOND;
}

static bool sequence_bad(const walker *k)
{
    const fp8mac_cycles_command *c = k->command;
    const bool divided = k->m_more || k->n_more || k->k_more;
    const bool chained = c->reuse_a || c->reuse_b || c->acc_continue || c->acc_keep;
    return k->first &&
           ((divided && chained) || (c->conv_a && (c->b_resident || c->depthwise) && k->n_more));
}

static void set_key(const walker *k, tile_key *key, const moves *v)
{
    const fp8mac_cycles_command *c = k->command;
    const bool whole = k->from_start && !k->k_more;
    key->command = k->number;
    key->m = k->m, key->n = k->n, key->k = k->k;
    key->mx_first = k->k_done >> 5 & (k->p->beat - 1u);
    key->first = k->first;
    key->last = !k->k_more && !v->stream_more && !v->next_phase && !v->resident_more;
    key->reuse_a = k->elementwise ? c->reuse_a : k->has_a && whole;
    key->reuse_b = k->elementwise ? c->reuse_b : k->has_b && whole;
    key->acc_continue = !k->from_start || c->acc_continue;
    key->acc_keep = k->k_more || c->acc_keep;
    key->elementwise = k->elementwise;
    key->mx = k->mx;
    key->image = k->command->conv_a;
    key->depthwise = c->depthwise && !k->elementwise;
    key->pairs = k->pairs;
    key->columns = k->pairs ? 2u * k->n : k->n;
    key->next_rows = key->image && k->next_rows;
    key->k_start = key->image && k->from_start;
    key->reads_c = k->reads_c;
    key->next = k->k_more ? WALK_SIZE : key->last ? WALK_IDLE : WALK_MOVE;
    if (key->next == WALK_MOVE && k->rows && !v->m) {
        key->next = WALK_MOVE_ON;
    }
    key->rows_first = k->rows && (k->n_start || k->blocks);
    key->rows_end = k->rows && (!k->n_more || k->blocks);
    key->uses_x = k->elementwise;
    key->writes = !key->acc_keep;
}

static void set_addresses(const walker *k, tile *t)
{
    const uint32_t mx_beats = k->k_done >> 5 & ~(k->p->beat - 1u);
    for (unsigned i = 0; i < REGIONS; i++) {
        const bool codes = (i == REGION_A && !k->command->conv_a) || i == REGION_B;
        const bool scales = i == REGION_MX_A || i == REGION_MX_B;
        t->address[i] = (uint32_t)k->at[i] + (codes ? k->k_done : scales ? mx_beats : 0);
    }
    t->address[REGION_D] = (uint32_t)d_of(k);
    t->first_m = k->command->m - k->m_left;
    t->first_n = k->command->n - k->n_left;
    t->range_bad = stride_bad(k, k->command) || beyond(k, mx_beats) || image_bad(k->command);
    t->sequence_bad = sequence_bad(k);
}

static void advance(walker *k, const moves *v)
{
    const bool whole = k->from_start && !k->k_more;
    k->first = false;
    k->k_left = k->k_more ? k->k_left - k->k : (k->elementwise ? 1 : k->command->k);
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

void fp8mac_cycles_walk_next(walker *k, tile *t)
{
    memset(t, 0, sizeof *t);
    size(k);
    const moves v = moves_of(k);
    set_key(k, &t->key, &v);
    t->phase = k->phase;
    if (k->rows) {
        fp8mac_cycles_rows_key(k->command, t, k->phase == k->last_phase, &t->key);
    }
    set_addresses(k, t);
    advance(k, &v);
}
