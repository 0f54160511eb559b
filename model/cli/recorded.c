// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <string.h>

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

static const workload **works_of(cli *c, const layers *all, const char *path)
{
    const workload **works = cli_alloc(c, all->count, sizeof(const workload *));
    for (size_t i = 0; i < all->count; i++) {
        works[i] = &all->list[i].work;
        if (all->list[i].count != 1) {
            cli_fail(c, "%.200s:%u:1: a list runs each line once; set the count to 1", path,
                     all->list[i].line);
        }
    }
    return works;
}

// Of each command
static const char **names_of(cli *c, const layers *all, const workload_commands *commands)
{
    const char **names = cli_alloc(c, commands->count, sizeof *names);
    size_t command = 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = unquoted(c, all->list[i].name);
        while (command < commands->behind[i]) {
            names[command++] = name;
        }
    }
    return names;
}

recorded_result recorded_run(cli *c, const fp8mac_cycles_config *config, const layers *all,
                             const char *path, workload_tables tables, watched files)
{
    const workload **works = works_of(c, all, path);
    const char *why = NULL;
    size_t refused = 0;
    workload_commands commands;
    if (workload_issue(config, works, all->count, true, tables, &commands, &why) != FP8MAC_OK) {
        cli_fail(c, "%.200s:%u:1: %s", path, all->list[commands.failed].line, why);
    }
    recorded_result result = {.commands = commands.count};
    files.names = names_of(c, all, &commands);
    const fp8mac_status status =
        watched_run(c, config, commands.list, commands.count, &files, &refused, &result.counters);
    workload_free(&commands);
    if (status != FP8MAC_OK) {
        cli_fail(c, "%.200s: the accelerator refuses command %zu of the list", path, refused + 1);
    }
    return result;
}
