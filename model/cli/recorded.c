// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <inttypes.h>
#include <string.h>

enum { DISTANCES = 15 }; // that MODE.after can name

typedef struct list {
    cli *c;
    fp8mac_cycles_command *commands;
    uint32_t *images;   // of each command
    const char **names; // likewise
    const char *layer;  // the name of the layer at hand
    size_t count, room;
    size_t before, begin; // the first commands of the layer before, and of the layer at hand
    recorded_tables tables;
} list;

// The last command of the layer before that writes this image, or of all; begin: there is none.
static size_t writer(const list *l, uint32_t image, bool by_image)
{
    size_t found = l->begin;
    for (size_t i = l->before; i < l->begin; i++) {
        if (!by_image || l->images[i] == image) {
            found = i;
        }
    }
    return found;
}

static bool is_one_tile(const fp8mac_cycles_command *command)
{
    const uint32_t chunk = command->command.tile.first_k != 0 ? command->command.tile.first_k
                                                              : command->command.tile.k;
    return (command->command.tile.m == 0 || command->command.m <= command->command.tile.m) &&
           (command->command.tile.n == 0 || command->command.n <= command->command.tile.n) &&
           (command->command.tile.k == 0 || command->command.k <= chunk);
}

// The next image of a layer finds the layer's weights in the buffers, as the recorder of
// firmware/layers/record.c has it.
static void reuse(const list *l, fp8mac_cycles_command *command, bool fits)
{
    const fp8mac_cycles_command *last = l->count > l->begin ? &l->commands[l->count - 1] : NULL;
    if (last == NULL || last->command.b.addr != command->command.b.addr ||
        last->command.n != command->command.n || last->command.k != command->command.k ||
        last->command.mode.mx) {
        return;
    }
    if (fits) {
        command->command.tile.m = command->command.tile.n = command->command.tile.k =
            command->command.tile.first_k = 0;
        command->command.mode.b_resident = false;
    }
    command->command.b.reuse = is_one_tile(last) && is_one_tile(command);
}

static fp8mac_status append(void *context, const fp8mac_cycles_command *command, uint32_t image,
                            bool fits, const char **why)
{
    list *l = context;
    (void)why;
    if (l->count == l->room) {
        l->room = l->room == 0 ? 64 : 2 * l->room;
        l->commands = cli_grow(l->c, l->commands, l->room, sizeof *l->commands);
        l->images = cli_grow(l->c, l->images, l->room, sizeof *l->images);
        l->names = cli_grow(l->c, l->names, l->room, sizeof *l->names);
    }
    l->images[l->count] = image;
    l->names[l->count] = l->layer;
    l->commands[l->count] = *command;
    reuse(l, &l->commands[l->count], fits);
    l->commands[l->count].submission =
        l->count == 0 ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_LISTED;
    l->count++;
    return FP8MAC_OK;
}

// The name as the file's reader would have it without quotation marks
static const char *unquoted(cli *c, const char *name)
{
    const size_t length = strlen(name);
    char *text = cli_alloc(c, length + 1u, 1), *to = text;
    for (const char *from = name; *from != '\0'; from++) {
        const bool mark = name[0] == '"' && *from == '"';
        if (!mark || (from != name && from[1] == '"')) {
            *to++ = *from;
            from += mark;
        }
    }
    return text;
}

// Images of a layer are numbered from 0.
static uint32_t images_of(const list *l, size_t first, size_t end)
{
    return first == end ? 0 : l->images[end - 1] + 1u;
}

// What the commands of the layer at hand wait for
static void order(list *l)
{
    const bool by_image = images_of(l, l->before, l->begin) == images_of(l, l->begin, l->count);
    for (size_t i = l->begin; i < l->count && l->before != l->begin; i++) {
        const size_t distance = i - writer(l, l->images[i], by_image);
        l->commands[i].command.mode.after = (uint8_t)(distance <= DISTANCES ? distance : 0);
        l->commands[i].command.mode.b_free = true;
    }
    l->before = l->begin;
    l->begin = l->count;
}

static void record(list *l, const fp8mac_cycles_config *config, const layer *one, const char *path)
{
    const char *why = NULL;
    fp8mac_cycles_command command;
    fp8mac_status status;
    l->layer = unquoted(l->c, one->name);
    if (one->count != 1) {
        cli_fail(l->c, "%.200s:%u:1: a list runs each line once; set the count to 1", path,
                 one->line);
    }
    if (one->convolution.images != 0) {
        status = convolution_each(config, &one->convolution, &one->work, append, l, &why);
    } else {
        status = workload_command(config, &one->work, &command, &why);
        status = status == FP8MAC_OK ? append(l, &command, 0, false, &why) : status;
    }
    if (status != FP8MAC_OK) {
        cli_fail(l->c, "%.200s:%u:1: %s", path, one->line, why);
    }
    for (size_t i = l->begin; l->tables != RECORDED_NO_TABLES && i < l->count; i++) {
        l->commands[i].command.mode.extended = true;
        l->commands[i].command.finish.act_table = 1;
        l->commands[i].command.table.load = l->tables == RECORDED_TABLES_LOADED && i == l->begin;
    }
    order(l);
}

recorded_result recorded_run(cli *c, const fp8mac_cycles_config *config, const layers *all,
                             const char *path, recorded_tables tables, watched files)
{
    list l = {.c = c, .tables = tables};
    for (size_t i = 0; i < all->count; i++) {
        record(&l, config, &all->list[i], path);
    }
    recorded_result result = {.commands = l.count};
    size_t refused = 0;
    files.names = l.names;
    if (watched_run(c, config, l.commands, l.count, &files, &refused, &result.counters) !=
        FP8MAC_OK) {
        cli_fail(c, "%.200s: the accelerator refuses command %zu of the list", path, refused + 1);
    }
    return result;
}
