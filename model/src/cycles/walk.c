// SPDX-License-Identifier: Apache-2.0
// The walker: a command becomes tile commands (fp8mac_cmd_walk).
#include "cycles/machine.h"

#define BEYOND (1ull << 32) // the first address behind the last one
#define ADDRESSES ((1ull << 33) - 1u)

static const fp8mac_cycles_command *at_hand(const machine *m)
{
    return &m->commands[m->walk.command];
}

static uint32_t products(const walk *k)
{
    return 3u + k->reads_c + 2u * k->mx;
}

static void accept(machine *m)
{
    walk *k = &m->walk;
    k->command = m->front.popped;
    const fp8mac_cycles_command *c = at_hand(m);
    k->elementwise = c->operation != FP8MAC_CYCLES_GEMM;
    k->mx = c->mx && !k->elementwise;
    k->reads_c =
        c->c_en && (c->operation == FP8MAC_CYCLES_MULTIPLY || (c->beta & 0x7fffffffu) != 0);
    k->products_left = products(k) * m->p.product_cycles;
    k->tile_m = c->tile_m, k->tile_n = c->tile_n;
    k->tile_k = k->elementwise ? 0 : c->tile_k;
    k->m_left = c->m, k->n_left = c->n;
    k->k_left = k->elementwise ? 1 : c->k;
    k->cap = c->first_k != 0 ? c->first_k : c->tile_k;
    k->first = k->from_start = true;
    k->backwards = false;
    k->has_a = c->reuse_a, k->has_b = c->reuse_b;
    k->k_done = 0;
    k->a = c->a_addr, k->b = c->b_addr, k->c = c->c_addr, k->d = c->d_addr;
    k->scale_a = c->scale_a, k->scale_b = c->scale_b, k->bias = c->bias;
    k->mx_a = c->mx_a_addr, k->mx_b = c->mx_b_addr;
    k->state = WALK_SIZE;
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

static void size(machine *m)
{
    walk *k = &m->walk;
    const fp8mac_cycles_command *c = at_hand(m);
    const uint32_t granule = m->p.granule;
    k->m_more = k->tile_m != 0 && k->m_left > k->tile_m;
    k->n_more = k->tile_n != 0 && k->n_left > k->tile_n;
    k->k_more = k->tile_k != 0 && k->k_left > k->cap && k->k_left > granule;
    k->m = k->m_more ? k->tile_m : to_dim(k->m_left);
    k->n = k->n_more ? k->tile_n : to_dim(k->n_left);
    k->k = !k->k_more                  ? to_dim(k->k_left)
           : k->k_left < 2u * k->cap ? half_of(k->k_left, granule)
                                       : k->cap;
    k->m_start = k->m_left == c->m;
    k->n_start = k->n_left == c->n;
    k->state = WALK_OFFER;
}

// ---- moves --------------------------------------------------------------------------------------

typedef struct moves {
    bool stream_more, resident_more, m, n;
} moves;

static moves moves_of(const machine *m)
{
    const walk *k = &m->walk;
    const bool b_resident = at_hand(m)->b_resident;
    const bool m_left = k->backwards ? !k->m_start : k->m_more;
    const bool n_left = k->backwards ? !k->n_start : k->n_more;
    moves v;
    v.stream_more = b_resident ? m_left : n_left;
    v.resident_more = b_resident ? k->n_more : k->m_more;
    const bool any = v.stream_more || v.resident_more;
    v.m = any && b_resident == v.stream_more;
    v.n = any && b_resident != v.stream_more;
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

static void move_rows(walk *k, const fp8mac_cycles_command *c, bool back)
{
    along(&k->a, step_of(c->a_stride, k->tile_m), back);
    along(&k->c, step_of(c->c_stride, k->tile_m), back);
    along(&k->d, step_of(c->d_stride, k->tile_m), back);
    along(&k->mx_a, step_of(c->mx_a_stride, k->tile_m), back);
    along(&k->scale_a, c->scale_a_vec ? 4u * k->tile_m : 0, back);
    k->m_left = back ? k->m_left + k->tile_m : k->m_left - k->tile_m;
}

static void move_columns(walk *k, const fp8mac_cycles_command *c, bool back)
{
    along(&k->a, k->elementwise ? (uint64_t)k->tile_n << size_log2(c->x_fmt) : 0, back);
    along(&k->b, step_of(c->b_stride, k->tile_n), back);
    along(&k->c, (uint64_t)k->tile_n << size_log2(c->c_fmt), back);
    along(&k->d, (uint64_t)k->tile_n << size_log2(c->d_fmt), back);
    along(&k->mx_b, step_of(c->mx_b_stride, k->tile_n), back);
    along(&k->scale_b, c->scale_b_vec ? 4u * k->tile_n : 0, back);
    along(&k->bias, 4u * k->tile_n, back);
    k->n_left = back ? k->n_left + k->tile_n : k->n_left - k->tile_n;
}

static void move(machine *m)
{
    walk *k = &m->walk;
    const moves v = moves_of(m);
    const bool back = v.stream_more && k->backwards;
    if (v.m) {
        move_rows(k, at_hand(m), back);
    }
    if (v.n) {
        move_columns(k, at_hand(m), back);
    }
    if (!v.stream_more) {
        k->backwards = !k->backwards;
    }
    k->state = WALK_SIZE;
}

// ---- the tile command ---------------------------------------------------------------------------

static bool too_short(uint32_t stride, uint32_t columns, uint32_t log2)
{
    return stride < (uint64_t)columns << log2;
}

static bool operand_stride_bad(const walk *k, uint32_t rows, bool reuse, uint32_t stride,
                               uint32_t mx_stride, uint32_t products_of_row)
{
    return rows > 1 && !reuse &&
           (stride < products_of_row || (k->mx && mx_stride < ceil_log2(products_of_row, 5)));
}

static bool stride_bad(const walk *k, const fp8mac_cycles_command *c)
{
    const bool outputs =
        c->m > 1 && !c->acc_keep &&
        (too_short(c->d_stride, c->n, size_log2(c->d_fmt)) ||
         (k->reads_c && too_short(c->c_stride, c->n, size_log2(c->c_fmt))));
    if (k->elementwise) {
        return outputs ||
               (c->m > 1 && !c->reuse_a && too_short(c->a_stride, c->n, size_log2(c->x_fmt)));
    }
    return outputs || operand_stride_bad(k, c->m, c->reuse_a, c->a_stride, c->mx_a_stride, c->k) ||
           operand_stride_bad(k, c->n, c->reuse_b, c->b_stride, c->mx_b_stride, c->k);
}

static bool beyond(const walk *k, const fp8mac_cycles_command *c, uint64_t mx_beats)
{
    uint64_t all = (k->a + k->k_done) | k->d | k->scale_a | k->scale_b;
    all |= k->elementwise ? 0 : k->b + k->k_done;
    all |= k->reads_c ? k->c : 0;
    all |= c->bias_en ? k->bias : 0;
    all |= k->mx ? (k->mx_a + mx_beats) | (k->mx_b + mx_beats) : 0;
    return (all & BEYOND) != 0;
}

static bool sequence_bad(const walk *k, const fp8mac_cycles_command *c)
{
    const bool divided = k->m_more || k->n_more || k->k_more;
    return k->first && divided && (c->reuse_a || c->reuse_b || c->acc_continue || c->acc_keep);
}

static void offer(machine *m, tile *t, const moves *v)
{
    const walk *k = &m->walk;
    const fp8mac_cycles_command *c = at_hand(m);
    const bool whole = k->from_start && !k->k_more;
    const uint32_t mx_done = k->k_done >> 5, mx_beats = mx_done & ~(m->p.beat - 1u);
    *t = (tile){
        .command = k->command,
        .m = k->m,
        .n = k->n,
        .k = k->k,
        .a = (uint32_t)k->a + k->k_done,
        .b = (uint32_t)k->b + k->k_done,
        .c = (uint32_t)k->c,
        .d = (uint32_t)k->d,
        .scale_a = (uint32_t)k->scale_a,
        .scale_b = (uint32_t)k->scale_b,
        .bias = (uint32_t)k->bias,
        .mx_a = (uint32_t)k->mx_a + mx_beats,
        .mx_b = (uint32_t)k->mx_b + mx_beats,
        .mx_first = mx_done & (m->p.beat - 1u),
        .first_m = c->m - k->m_left,
        .first_n = c->n - k->n_left,
        .first = k->first,
        .last = !k->k_more && !v->stream_more && !v->resident_more,
        .range_bad = stride_bad(k, c) || beyond(k, c, mx_beats),
        .sequence_bad = sequence_bad(k, c),
        .reuse_a = k->elementwise ? c->reuse_a : k->has_a && whole,
        .reuse_b = k->elementwise ? c->reuse_b : k->has_b && whole,
        .acc_continue = !k->from_start || c->acc_continue,
        .acc_keep = k->k_more || c->acc_keep,
        .elementwise = k->elementwise,
        .mx = k->mx,
        .reads_c = k->reads_c,
    };
}

static void taken(machine *m)
{
    walk *k = &m->walk;
    const moves v = moves_of(m);
    const bool whole = k->from_start && !k->k_more;
    offer(m, tile_at(m, m->check.taken), &v);
    k->first = false;
    k->k_left = k->k_more ? k->k_left - k->k : (k->elementwise ? 1 : at_hand(m)->k);
    k->k_done = k->k_more ? k->k_done + k->k : 0;
    k->from_start = !k->k_more;
    const bool doubles = k->k_more && k->cap < 0x8000u && 2u * k->cap < k->tile_k;
    k->cap = doubles ? 2u * k->cap : k->tile_k;
    k->has_a = whole && !v.m;
    k->has_b = whole && !v.n;
    k->state = k->k_more                              ? WALK_SIZE
               : v.stream_more || v.resident_more ? WALK_MOVE
                                                      : WALK_IDLE;
}

void walk_clock(machine *m, const wires *w)
{
    walk *k = &m->walk;
    const bool products_done = k->products_left == 0, steps_done = k->steps_done;
    k->steps_done = products_done;
    k->products_left -= !products_done;
    switch (k->state) {
    case WALK_IDLE:
        if (w->queue_pop) {
            accept(m);
        }
        break;
    case WALK_SIZE: size(m); break;
    case WALK_OFFER:
        if (w->tile_taken) {
            taken(m);
        }
        break;
    case WALK_MOVE:
        if (steps_done) {
            move(m);
        }
        break;
    }
}
