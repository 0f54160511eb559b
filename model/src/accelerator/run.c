// SPDX-License-Identifier: Apache-2.0
// A command from its checks to its last byte.
#include "accelerator/machine.h"

// ---- tables -------------------------------------------------------------------------------------

void fp8mac_accelerator_load_table(fp8mac_accelerator *x, uint32_t table, const uint8_t *codes)
{
    uint8_t *kept = x->tables[table - 1u];
    memcpy(kept, codes, FP8MAC_TABLE_CODES);
    fp8mac_fault_bytes(&x->fault, FP8MAC_FAULT_TABLE, table, 4, 0, kept, FP8MAC_TABLE_CODES);
    x->tables_loaded |= 1u << (table - 1u);
}

// A load comes before all that is judged of the command. One that fails leaves no codes.
static fp8mac_command_error load_table(fp8mac_accelerator *x, const fp8mac_command *c)
{
    const uint8_t table = c->finish.act_table;
    if (!c->table.load) {
        return FP8MAC_COMMAND_ERROR_NONE;
    }
    if ((x->caps.functions & FP8MAC_FUNCTION_TABLES) == 0 || table == FP8MAC_D_TABLE_NONE ||
        table > FP8MAC_ACCELERATOR_TABLES) {
        return FP8MAC_COMMAND_ERROR_MODE;
    }
    x->tables_loaded &= ~(1u << (table - 1u));
    if (c->table.addr % x->caps.beat_bytes != 0) {
        return FP8MAC_COMMAND_ERROR_ALIGN;
    }
    if (fp8mac_bus_address(&x->caps, c->table.addr) > UINT32_MAX - (FP8MAC_TABLE_CODES - 1u)) {
        return FP8MAC_COMMAND_ERROR_RANGE;
    }
    const uint8_t *codes = x->memory(x->context, c->table.addr, FP8MAC_TABLE_CODES);
    if (codes == NULL) {
        return FP8MAC_COMMAND_ERROR_READ_DEC;
    }
    fp8mac_accelerator_load_table(x, table, codes);
    x->read_beats += (uint32_t)FP8MAC_TABLE_CODES / x->caps.beat_bytes;
    return FP8MAC_COMMAND_ERROR_NONE;
}

// ---- memory -------------------------------------------------------------------------------------

static uint64_t span_of(const fp8mac_region *r)
{
    return (uint64_t)(r->rows - 1u) * r->stride + r->row_bytes;
}

// Regions of D are parts of one: each one's memory is asked for, and the first one gives the place.
static bool find(job *j, const fp8mac_command_region *r)
{
    uint8_t *here = j->x->memory(j->x->context, r->at.address, span_of(&r->at));
    place *to = &j->place[r->of];
    if (here != NULL && to->at == NULL) {
        *to = (place){r->at.address, here};
    }
    return here != NULL;
}

static bool is_no_scale(uint32_t x)
{
    return x >> 31 != 0 || x == 0 || x >> 23 == 0xffu;
}

// The accelerator sees the values when it loads them. Gamma of a norm may have any.
static bool vector_is_bad(const job *j, fp8mac_region_of of, uint32_t count)
{
    const uint8_t *vector = j->place[of].at;
    const bool integers = of == FP8MAC_REGION_SCALE_B && j->requantises;
    const bool any = fp8mac_command_is_rows(j->c);
    for (uint32_t i = 0; vector != NULL && !any && i < count; i++) {
        uint32_t word[2];
        memcpy(word, vector + (size_t)i * (integers ? 8u : 4u), integers ? 8u : 4u);
        const int32_t shift = (int32_t)word[1];
        if (integers ? word[0] >> 31 != 0 || shift < FP8MAC_SHIFT_LEAST || shift > FP8MAC_SHIFT_MOST
                     : is_no_scale(word[0])) {
            return true;
        }
    }
    return false;
}

// The accelerator reads before it writes D.
static fp8mac_command_error find_memory(job *j)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    const unsigned count = fp8mac_command_regions(&j->x->caps, j->c, list);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].of != FP8MAC_REGION_TABLE && !list[i].written && !find(j, &list[i])) {
            return FP8MAC_COMMAND_ERROR_READ_DEC;
        }
    }
    if (vector_is_bad(j, FP8MAC_REGION_SCALE_A, j->c->m) ||
        vector_is_bad(j, FP8MAC_REGION_SCALE_B, j->c->n)) {
        return FP8MAC_COMMAND_ERROR_SCALE;
    }
    for (unsigned i = 0; i < count; i++) {
        if (list[i].written && !find(j, &list[i])) {
            return FP8MAC_COMMAND_ERROR_WRITE_DEC;
        }
    }
    return FP8MAC_COMMAND_ERROR_NONE;
}

// ---- counters -----------------------------------------------------------------------------------

static uint32_t reads_of(const fp8mac_accelerator *x, const fp8mac_command *c, const fp8mac_tile *t)
{
    fp8mac_tile_region list[FP8MAC_TILE_REGIONS];
    uint32_t beats = 0;
    fp8mac_tile_regions(&x->caps, c, t, list);
    for (unsigned i = 0; i < FP8MAC_TILE_REGIONS; i++) {
        if (list[i].used && i != FP8MAC_REGION_D) {
            beats += list[i].rows * beats_of(x, list[i].row_bytes);
        }
    }
    if (c->mode.conv_a && !t->reuse_a) {
        const uint32_t codes = fp8mac_command_has_pairs(c) ? x->caps.cols / 2u : x->caps.cols;
        const uint32_t quads = fp8mac_command_is_depthwise(c) ? (t->n + codes - 1u) / codes : 1;
        beats += t->m * beats_of(x, t->k) * quads;
    }
    return beats;
}

static void count(fp8mac_accelerator *x, const fp8mac_command *c, const fp8mac_tile *t)
{
    const uint64_t d_row = (uint64_t)t->n << fp8mac_command_size_log2(c->d.fmt);
    x->read_beats += reads_of(x, c, t);
    x->write_beats += t->acc_keep ? 0 : (t->m + t->seconds) * beats_of(x, d_row);
    x->macs += fp8mac_command_has_x(c) ? 0 : (uint64_t)t->m * t->columns * t->k;
}

// ---- the run ------------------------------------------------------------------------------------

static fp8mac_command_error walk(fp8mac_accelerator *x, const fp8mac_command *c, bool counts,
                                 fp8mac_left *left, fp8mac_tile *last)
{
    fp8mac_command_error error = FP8MAC_COMMAND_ERROR_NONE;
    fp8mac_walk w;
    last->last = false;
    fp8mac_walk_begin(&w, &x->caps, c);
    while (error == FP8MAC_COMMAND_ERROR_NONE && !last->last) {
        fp8mac_walk_next(&w, last);
        error = fp8mac_tile_check(&x->caps, c, x->tables_loaded, left, last);
        if (counts) {
            count(x, c, last);
        }
    }
    return error;
}

// The tile commands of a GEMM, one after the other
static bool run_tiles(const job *j)
{
    fp8mac_left left = j->x->left;
    fp8mac_dot_config dot;
    fp8mac_walk w;
    fp8mac_tile t = {.last = false};
    if (!fp8mac_accelerator_dot(j->x, j->c, &dot)) {
        return false;
    }
    fp8mac_walk_begin(&w, &j->x->caps, j->c);
    while (!t.last) {
        fp8mac_walk_next(&w, &t);
        fp8mac_tile_check(&j->x->caps, j->c, j->x->tables_loaded, &left, &t);
        fp8mac_accelerator_load(j, &t, false);
        fp8mac_accelerator_tile(j, &dot, &t);
    }
    return true;
}

// `last` is the command's last tile command, whose operands stay in the buffers.
static bool compute(const job *j, const fp8mac_tile *last)
{
    if (fp8mac_command_is_rows(j->c)) {
        return fp8mac_accelerator_rows(j);
    }
    if (fp8mac_command_has_x(j->c)) {
        fp8mac_accelerator_elementwise(j);
        return true;
    }
    if (fp8mac_accelerator_product(j)) {
        fp8mac_accelerator_load(j, last, true);
        return true;
    }
    return run_tiles(j);
}

static fp8mac_command_error run(fp8mac_accelerator *x, const fp8mac_command *c)
{
    job j = {.x = x,
             .c = c,
             .requantises = (x->caps.functions & FP8MAC_FUNCTION_REQUANTISE) != 0,
             .table = c->finish.act_table != FP8MAC_D_TABLE_NONE
                          ? x->tables[c->finish.act_table - 1u]
                          : NULL};
    fp8mac_left left = x->left;
    fp8mac_tile last;
    fp8mac_command_error error = walk(x, c, false, &left, &last);
    if (error == FP8MAC_COMMAND_ERROR_NONE) {
        error = find_memory(&j);
    }
    if (error != FP8MAC_COMMAND_ERROR_NONE) {
        return error;
    }
    if (!compute(&j, &last)) {
        return FP8MAC_COMMAND_ERROR_MODE;
    }
    if (fp8mac_command_is_rows(c)) {
        fp8mac_accelerator_count_rows(x, c);
    } else {
        fp8mac_left counted = x->left;
        walk(x, c, true, &counted, &last);
    }
    x->left = left;
    return FP8MAC_COMMAND_ERROR_NONE;
}

fp8mac_command_error fp8mac_accelerator_run(fp8mac_accelerator *x, const fp8mac_command *command)
{
    fp8mac_command c = *command;
    fp8mac_command_drop_extension(&c);
    fp8mac_command_error error = load_table(x, &c);
    if (error == FP8MAC_COMMAND_ERROR_NONE) {
        error = fp8mac_command_absent(&x->caps, &c);
    }
    return error == FP8MAC_COMMAND_ERROR_NONE ? run(x, &c) : error;
}

void fp8mac_accelerator_forget(fp8mac_accelerator *x)
{
    x->left = (fp8mac_left){.any = false};
}
