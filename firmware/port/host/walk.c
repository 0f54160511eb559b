// SPDX-License-Identifier: Apache-2.0
// The panels of the resident operand follow in order. For each panel the tiles of the other operand
// are streamed, alternately forwards and backwards.
#include "walk.h"

#include "fp8mac/fp8mac.h"
#include "fp8rt/registers.h"
#include "gemm_tiles.h"
#include "regions.h"
#include "side.h"

// A part of the rows of an operand, or of K
typedef struct span {
    uint32_t start, length;
} span;

typedef struct walk {
    const fp8rt_caps *caps;
    const fp8rt_command *command;
    fp8rt_host_visit visit;
    void *context;
    bool range_bad;
    uint32_t cap;       // most products of the next tile command
    bool before, whole; // there was a tile command; it had all of K
    span m, n;          // rows of A and of B that it had
} walk;

static bool same(span x, span y)
{
    return x.start == y.start && x.length == y.length;
}

static uint32_t count_tiles(uint32_t total, uint32_t tile)
{
    return tile == 0 || total <= tile ? 1 : total / tile + (total % tile != 0);
}

static span span_of(uint32_t total, uint32_t tile, uint32_t index)
{
    if (count_tiles(total, tile) == 1) {
        return (span){0, total};
    }
    uint32_t start = index * tile;
    return (span){start, total - start < tile ? total - start : tile};
}

// ---- the command as a whole ---------------------------------------------------------------------

static uint32_t element_bytes(uint32_t code)
{
    return fp8mac_format_bytes(fp8mac_format_get((fp8mac_format_id)code));
}

uint32_t fp8rt_host_d_bytes(const fp8rt_command *command)
{
    return element_bytes(FP8RT_GET(MODE__D_FMT, command->mode));
}

uint32_t fp8rt_host_c_bytes(const fp8rt_command *command)
{
    return element_bytes(FP8RT_GET(OPERATION__C_FMT, fp8rt_host_operation(command)));
}

uint32_t fp8rt_host_x_bytes(const fp8rt_command *command)
{
    return element_bytes(FP8RT_GET(OPERATION__X_FMT, fp8rt_host_operation(command)));
}

bool fp8rt_host_reads_c(const fp8rt_command *command)
{
    const uint32_t operation = fp8rt_host_operation(command);
    return FP8RT_GET(OPERATION__C_EN, operation) != 0 &&
           ((command->beta & 0x7fffffffu) != 0 ||
            FP8RT_GET(OPERATION__OP, operation) == FP8RT_OPERATION_MULTIPLY);
}

static bool is_short(uint32_t stride, uint32_t n, uint32_t bytes)
{
    return stride < (uint64_t)n * bytes;
}

static bool results_strides_are_bad(const fp8rt_command *c)
{
    return (c->m > 1 || fp8rt_host_pairs(c)) && !fp8rt_host_has(c, FP8RT_BIT(MODE__ACC_KEEP)) &&
           (is_short(c->d_stride, c->n, fp8rt_host_d_bytes(c)) ||
            (fp8rt_host_reads_c(c) && is_short(c->c_stride, c->n, fp8rt_host_c_bytes(c))));
}

static bool operand_strides_are_bad(const fp8rt_command *c, fp8rt_host_side side)
{
    const fp8rt_command_operand *x = side.operand;
    const bool is_image = fp8rt_host_conv_a(c) && !side.is_b;
    if (side.rows <= 1 || side.reused) {
        return false;
    }
    if (fp8rt_host_elementwise(c)) {
        return !side.is_b && is_short(x->stride, c->n, fp8rt_host_x_bytes(c));
    }
    return (!is_image && x->stride < c->k) ||
           (fp8rt_host_mx(c) && x->mx_stride < fp8rt_host_blocks(c));
}

static bool strides_are_bad(const fp8rt_command *c)
{
    return operand_strides_are_bad(c, fp8rt_host_a(c)) ||
           operand_strides_are_bad(c, fp8rt_host_b(c)) || results_strides_are_bad(c);
}

// ---- one tile command ---------------------------------------------------------------------------

// The address `count` steps behind `from`. Notes an address that does not exist.
static uintptr_t behind(uintptr_t from, uint32_t count, uint32_t step, bool *beyond)
{
    uint64_t offset = (uint64_t)count * step;
    *beyond |= offset > fp8rt_address_room(from);
    return from + (uintptr_t)offset;
}

// The part of an operand from its row rows.start and its code k on. An image stays at its address. An
// element-wise command has no B.
static void place_operand(const walk *w, fp8rt_host_side side, span rows, uint32_t k,
                          fp8rt_command_operand *to, fp8rt_host_tile *tile)
{
    const fp8rt_command *c = w->command;
    const fp8rt_command_operand *from = side.operand;
    bool *beyond = &tile->range_bad;
    const bool elementwise = fp8rt_host_elementwise(c);
    if (fp8rt_host_conv_a(c) && !side.is_b) {
        tile->a_row = rows.start;
        tile->a_k = k;
    } else if (!elementwise || !side.is_b) {
        to->address = behind(behind(from->address, rows.start, from->stride, beyond), k, 1, beyond);
    }
    if (fp8rt_host_mx(c)) {
        const uint32_t blocks = k / FP8MAC_MX_BLOCK, beat = w->caps->beat_bytes;
        const uint32_t beats = blocks / beat * beat;
        to->mx = behind(behind(from->mx, rows.start, from->mx_stride, beyond), beats, 1, beyond);
        tile->mx_first = blocks - beats;
    }
    if (side.scale_is_vector) {
        to->scale =
            behind(from->scale, rows.start, fp8rt_host_scale_bytes(w->caps, side.is_b), beyond);
    }
}

static void place(const walk *w, span m, span n, uint32_t k, fp8rt_host_tile *tile)
{
    const fp8rt_command *from = w->command;
    fp8rt_command *to = &tile->command;
    bool *beyond = &tile->range_bad;
    place_operand(w, fp8rt_host_a(from), m, k, &to->a, tile);
    place_operand(w, fp8rt_host_b(from), n, k, &to->b, tile);
    if (fp8rt_host_elementwise(from)) {
        to->a.address = behind(to->a.address, n.start, fp8rt_host_x_bytes(from), beyond);
    }
    if (fp8rt_host_reads_c(from)) {
        to->c = behind(behind(from->c, m.start, from->c_stride, beyond), n.start,
                       fp8rt_host_c_bytes(from), beyond);
    }
    if (fp8rt_host_pairs(from)) { // D stays at its address
        to->c = behind(behind(from->d, 2u * m.start, from->d_stride, beyond),
                       FP8RT_GET(CONV_SIZE__OUT_W, from->conv[1]), from->d_stride, beyond);
    } else {
        to->d = behind(behind(from->d, m.start, from->d_stride, beyond), n.start,
                       fp8rt_host_d_bytes(from), beyond);
    }
    if (fp8rt_host_has(from, FP8RT_BIT(MODE__BIAS_EN))) {
        to->bias = behind(from->bias, n.start, 4, beyond);
    }
}

static bool visit_chunk(walk *w, span m, span n, span k, bool last_tile)
{
    const uint32_t chains = FP8RT_BIT(MODE__REUSE_A) | FP8RT_BIT(MODE__REUSE_B) |
                            FP8RT_BIT(MODE__ACC_CONTINUE) | FP8RT_BIT(MODE__ACC_KEEP);
    const fp8rt_command *c = w->command;
    bool whole = k.length == c->k, ends = k.start + k.length == c->k;
    bool all = whole && m.length == c->m && n.length == c->n;
    fp8rt_host_tile tile = {.command = *c, .last = ends && last_tile, .range_bad = w->range_bad};
    tile.sequence_bad =
        (!all && fp8rt_host_has(c, chains)) ||
        (fp8rt_host_conv_a(c) && n.length != c->n &&
         (fp8rt_host_has(c, FP8RT_BIT(MODE__B_RESIDENT)) || fp8rt_host_depthwise(c)));
    tile.command.m = m.length;
    tile.command.n = n.length;
    tile.command.k = k.length;
    tile.command.tile_m = tile.command.tile_n = tile.command.tile_k = tile.command.first_k = 0;
    if (w->before && w->whole && whole && !fp8rt_host_elementwise(c)) {
        tile.command.mode |= same(m, w->m) ? FP8RT_BIT(MODE__REUSE_A) : 0;
        tile.command.mode |= same(n, w->n) ? FP8RT_BIT(MODE__REUSE_B) : 0;
    }
    tile.command.mode |= k.start != 0 ? FP8RT_BIT(MODE__ACC_CONTINUE) : 0;
    tile.command.mode |= !ends ? FP8RT_BIT(MODE__ACC_KEEP) : 0;
    tile.first_m = m.start;
    tile.first_n = n.start;
    place(w, m, n, k.start, &tile);
    w->before = true;
    w->whole = whole;
    w->m = m;
    w->n = n;
    return w->visit(w->context, &tile);
}

static bool visit_tile(walk *w, span m, span n, bool last_tile)
{
    const fp8rt_command *c = w->command;
    uint32_t cap = c->tile_k == 0 ? c->k : w->cap;
    uint32_t start = 0;
    do {
        uint32_t left = c->k - start;
        uint32_t length =
            c->tile_k == 0 ? left : fp8rt_next_chunk(left, cap, fp8rt_granule_k(w->caps));
        if (!visit_chunk(w, m, n, (span){start, length}, last_tile)) {
            return false;
        }
        start += length;
        cap = 2u * cap < c->tile_k ? 2u * cap : c->tile_k;
    } while (start < c->k);
    w->cap = c->tile_k;
    return true;
}

void fp8rt_host_walk(const fp8rt_caps *caps, const fp8rt_command *given, fp8rt_host_visit visit,
                     void *context)
{
    fp8rt_command without_k = *given;
    const fp8rt_command *command = given;
    if (fp8rt_host_elementwise(given)) {
        without_k.k = 1;
        without_k.tile_k = 0;
        command = &without_k;
    }
    walk w = {.caps = caps, .command = command, .visit = visit, .context = context};
    const bool b_resident = fp8rt_host_has(command, FP8RT_BIT(MODE__B_RESIDENT));
    const uint32_t down = count_tiles(command->m, command->tile_m),
                   across = count_tiles(command->n, command->tile_n);
    const uint32_t resident = b_resident ? across : down, streamed = b_resident ? down : across;
    w.range_bad = strides_are_bad(command);
    w.cap = command->first_k == 0 ? command->tile_k : command->first_k;
    for (uint32_t i = 0; i < resident; i++) {
        for (uint32_t j = 0; j < streamed; j++) {
            uint32_t stream = i % 2u == 0 ? j : streamed - 1u - j;
            span m = span_of(command->m, command->tile_m, b_resident ? stream : i);
            span n = span_of(command->n, command->tile_n, b_resident ? i : stream);
            bool last = i + 1u == resident && j + 1u == streamed;
            if (!visit_tile(&w, m, n, last)) {
                return;
            }
        }
    }
}
