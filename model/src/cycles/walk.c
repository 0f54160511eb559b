// SPDX-License-Identifier: Apache-2.0
// The clock of walker and check (fp8mac_cmd_walk, fp8mac_cmd_check), and the tile commands of a
// run.
#include "cycles/tiles.h"

#include <stdlib.h>

enum {
    MOST_TILES = 1 << 20, // of a run
    IMAGE_PRODUCT = 17,   // cycles
    TABLES_LOADED = 3,    // both: what lies in memory is not judged
};

static uint32_t products(const tile *t, const fp8mac_command *c)
{
    return 3u + fp8mac_command_reads_c(c) + 2u * (t->key.mx || t->key.blocks);
}

static void accept(machine *m)
{
    const tile *t = tile_at(m, m->walk.offered);
    m->walk.products_left = products(t, command_of(m, t)) * m->p.product_cycles;
    m->walk.image_wait = 0;
    if (t->key.image) {
        // The product of lines has 16 bits. The end of the image is known three cycles later.
        m->walk.products_left += IMAGE_PRODUCT - m->p.product_cycles;
        m->walk.image_wait = IMAGE_PRODUCT + 3u;
        if (t->key.pairs) { // the product of D's stride and an output line comes next
            m->walk.products_left += IMAGE_PRODUCT;
            m->walk.image_wait += IMAGE_PRODUCT;
        }
    }
    m->walk.state = WALK_SIZE;
}

void fp8mac_cycles_walk_clock(machine *m, const wires *w)
{
    walk *k = &m->walk;
    const bool products_done = k->products_left == 0, steps_done = k->steps_done;
    k->steps_done = products_done;
    k->products_left -= !products_done;
    const uint32_t image_wait = k->image_wait;
    k->image_wait -= image_wait != 0;
    switch (k->state) {
    case WALK_IDLE:
        if (w->queue_pop) {
            accept(m);
        }
        break;
    case WALK_SIZE: k->state = image_wait == 0 ? WALK_OFFER : WALK_SIZE; break;
    case WALK_OFFER:
        if (w->tile_taken) {
            k->state = tile_at(m, k->offered++)->key.next;
        }
        break;
    case WALK_MOVE: k->state = steps_done ? WALK_SIZE : WALK_MOVE; break;
    case WALK_MOVE_ON: k->state = WALK_SIZE; break;
    }
}

void fp8mac_cycles_check_clock(machine *m, const wires *w)
{
    check *k = &m->check;
    switch (k->state) {
    case CHECK_IDLE:
        if (w->tile_taken) {
            k->last_cycle = fp8mac_cycles_cycles_of_check(tile_at(m, m->walk.offered - 1u)) - 1u;
            k->cycle = 0;
            k->state = CHECK_CHECK;
        }
        break;
    case CHECK_CHECK: k->state = k->cycle++ == k->last_cycle ? CHECK_OFFER : CHECK_CHECK; break;
    case CHECK_OFFER: k->state = w->accept ? CHECK_IDLE : CHECK_OFFER; break;
    }
}

// ---- the tile commands of a run -----------------------------------------------------------------

static tile *append(machine *m)
{
    tile_list *list = &m->list;
    const size_t kept = list->count - list->first;
    if (kept == list->room) {
        const size_t room = list->room == 0 ? 64 : 2 * list->room;
        tile *tiles = realloc(list->tiles, room * sizeof *tiles);
        if (tiles == NULL || kept == MOST_TILES) {
            free(tiles == NULL ? list->tiles : tiles);
            *list = (tile_list){.tiles = NULL};
            return NULL;
        }
        list->tiles = tiles;
        list->room = room;
    }
    list->count++;
    return &list->tiles[kept];
}

void fp8mac_cycles_plan_command(machine *m, size_t number, predecessor *before)
{
    const fp8mac_command *command = &m->commands[number].command;
    fp8mac_walk walk;
    fp8mac_tile now;
    fp8mac_walk_begin(&walk, &m->p.caps, command);
    if (fp8mac_command_absent(&m->p.caps, command) != FP8MAC_COMMAND_ERROR_NONE) {
        fp8mac_cycles_refuse(m, number, FP8MAC_ERR_COMMAND);
        return;
    }
    do {
        tile *t = append(m);
        if (t == NULL) {
            fp8mac_cycles_refuse(m, number, FP8MAC_ERR_UNSUPPORTED);
            return;
        }
        fp8mac_walk_next(&walk, &now);
        if (fp8mac_tile_check(&m->p.caps, command, TABLES_LOADED, &before->left, &now) !=
            FP8MAC_COMMAND_ERROR_NONE) {
            fp8mac_cycles_refuse(m, number, FP8MAC_ERR_COMMAND);
            return;
        }
        fp8mac_cycles_set_tile(m, number, &now, before, t);
        m->uses_turn |= fp8mac_cycles_uses_turn(command, &t->key);
    } while (!now.last);
}

void fp8mac_cycles_plan_tiles(machine *m)
{
    predecessor before = {.configured = false};
    for (size_t i = 0; i < m->count && m->status == FP8MAC_OK; i++) {
        fp8mac_cycles_plan_command(m, i, &before);
    }
}
