// SPDX-License-Identifier: Apache-2.0
// fp8mac-lists [--latency N] [--stall PERMILLE] [--seed N] RAM
//
// Clock cycles of the recorded networks (fp8rt/network_format.h) that lie in RAM, a file of the
// simulator's --dump-memory: what the model of cycles has for each as a list on an idle
// accelerator, and when its layers complete. The array is that of the simulator which `make lists`
// was given. A network's total has the core's part in it, once for a run.
//
// Exit status: 0; 1: there is no network, or the accelerator refuses one; 2: bad arguments or file.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor.h"
#include "core_cycles.h"
#include "fp8rt/network_format.h"
#include "fp8mac/cycles.h"

enum {
    BEAT_WORDS = FP8SIM_AXI_DATA_W / 32,
    ADDRESS = 0x80000000, // of the RAM: RamBase of fp8mac_sys_pkg
    HEADER_BYTES = FP8RT_IMAGE_HEADER * 4,
};

typedef struct memory {
    uint32_t *words;
    size_t count;
} memory;

typedef struct network {
    const uint32_t *image;
    uint32_t address; // of its list
    fp8mac_cycles_command *commands;
    uint64_t *completed;
    uint32_t count;
} network;

// ---- arguments ----------------------------------------------------------------------------------

static _Noreturn void refuse(const char *what, const char *which)
{
    fprintf(stderr, "fp8mac-lists: %s '%s'\n", what, which);
    exit(2);
}

static uint32_t number(const char *name, const char *text, uint32_t most)
{
    char *end;
    const unsigned long long value = text == NULL ? 0 : strtoull(text, &end, 10);
    if (text == NULL || *text < '0' || *text > '9' || *end != '\0' || value > most) {
        fprintf(stderr, "fp8mac-lists: %s expects a whole number up to %" PRIu32 "\n", name, most);
        exit(2);
    }
    return (uint32_t)value;
}

static fp8mac_cycles_config usual(void)
{
    fp8mac_cycles_config config = fp8mac_cycles_default();
    config.rows = FP8SIM_ROWS, config.cols = FP8SIM_COLS, config.lanes = FP8SIM_LANES;
    config.element = FP8SIM_ELEMENT, config.axi_data_w = FP8SIM_AXI_DATA_W;
    config.requantise = FP8SIM_REQUANTISE != 0;
    return config;
}

static const char *arguments(int argc, char **argv, fp8mac_cycles_config *config)
{
    uint32_t seed = 1;
    const char *file = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--latency") == 0) {
            config->latency = number(argv[i++], value, 10000);
        } else if (strcmp(argv[i], "--stall") == 0) {
            config->stall_permille = number(argv[i++], value, 900);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = number(argv[i++], value, UINT32_MAX);
        } else if (argv[i][0] == '-' || file != NULL) {
            refuse("one file and --latency, --stall, --seed are expected, not", argv[i]);
        } else {
            file = argv[i];
        }
    }
    if (file == NULL) {
        refuse("a file of the simulator's --dump-memory is expected, not", "");
    }
    config->stall_state = fp8mac_cycles_stall_state(seed, 0);
    return file;
}

static memory read_memory(const char *path)
{
    memory m = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        refuse("cannot read", path);
    }
    const long bytes = ftell(file);
    m.count = bytes > 0 ? (size_t)bytes / 4u : 0;
    m.words = malloc(m.count * 4u + 4u);
    rewind(file);
    if (m.words == NULL || fread(m.words, 4, m.count, file) != m.count) {
        refuse("cannot read", path);
    }
    fclose(file);
    return m;
}

// ---- networks -----------------------------------------------------------------------------------

static bool is_image(const uint32_t *image, size_t room)
{
    return room >= FP8RT_IMAGE_HEADER && image[FP8RT_IMAGE_WORD_MAGIC] == FP8RT_IMAGE_MAGIC &&
           image[FP8RT_IMAGE_WORD_VERSION] >> 16 == FP8RT_IMAGE_VERSION >> 16 &&
           image[FP8RT_IMAGE_WORD_WORDS] <= room && image[FP8RT_IMAGE_WORD_COMMANDS] != 0 &&
           (uint64_t)FP8RT_IMAGE_HEADER + image[FP8RT_IMAGE_WORD_LIST] +
                   image[FP8RT_IMAGE_WORD_NOTES] ==
               image[FP8RT_IMAGE_WORD_WORDS] &&
           image[FP8RT_IMAGE_WORD_COMMANDS] <=
               image[FP8RT_IMAGE_WORD_LIST] / (uint32_t)FP8MAC_COMMAND_WORDS;
}

// Reads the commands of the list. False: its descriptors do not fill it.
static bool read_list(network *n)
{
    const uint32_t words = n->image[FP8RT_IMAGE_WORD_LIST];
    uint32_t at = 0, count = 0;
    for (bool more = true; more; count++) {
        uint32_t all[FP8MAC_COMMAND_WORDS_MOST] = {0};
        if (count == n->count || at + FP8MAC_COMMAND_WORDS > words) {
            return false;
        }
        const uint32_t *list = &n->image[FP8RT_IMAGE_HEADER + at];
        const uint32_t long_ = fp8rt_words_count(list);
        const uint32_t beats = (long_ + BEAT_WORDS - 1u) / BEAT_WORDS;
        if (at + beats * BEAT_WORDS > words) {
            return false;
        }
        memcpy(all, list, long_ * sizeof *all);
        n->commands[count] = (fp8mac_cycles_command){
            .submission = count == 0 ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_LISTED,
            .descriptor = n->address,
            .command = fp8mac_command_of_words(all),
        };
        more = n->commands[count].command.more;
        n->commands[count].command.pause = false; // the core's part is no part of the list's time
        at += beats * BEAT_WORDS;
    }
    return at == words && count == n->count;
}

static void print_layers(const network *n)
{
    const uint32_t *note = &n->image[FP8RT_IMAGE_HEADER + n->image[FP8RT_IMAGE_WORD_LIST]];
    const uint32_t *const end = &n->image[n->image[FP8RT_IMAGE_WORD_WORDS]];
    const uint32_t *open = NULL; // the layer whose end is not known
    for (; note < end && fp8rt_note_words(*note) <= (size_t)(end - note);
         note += fp8rt_note_words(*note)) {
        if (fp8rt_note_kind_of(*note) != FP8RT_NOTE_LAYER || fp8rt_note_words(*note) < 3) {
            continue;
        }
        if (open != NULL && note[1] != 0 && note[1] <= n->count) {
            printf("  %-24.*s until %10" PRIu64 "\n", (int)(fp8rt_note_words(*open) - 2u) * 4,
                   (const char *)&open[2], n->completed[note[1] - 1u]);
        }
        open = note;
    }
    if (open != NULL) {
        printf("  %-24.*s until %10" PRIu64 "\n", (int)(fp8rt_note_words(*open) - 2u) * 4,
               (const char *)&open[2], n->completed[n->count - 1u]);
    }
}

static bool run(const network *n, const fp8mac_cycles_config *config)
{
    fp8mac_cycles_counters c;
    size_t refused = 0;
    if (fp8mac_cycles_run(config, n->commands, n->count, n->completed, &refused, &c) != FP8MAC_OK) {
        printf("network at 0x%08" PRIx32 ": the accelerator refuses command %zu of %" PRIu32 "\n",
               n->address - HEADER_BYTES, refused + 1, n->count);
        return false;
    }
    printf("network at 0x%08" PRIx32 ": commands=%" PRIu32 " cycles=%" PRIu64 " compute=%" PRIu64
           " results=%" PRIu64 " spacing=%" PRIu64 " first_load=%" PRIu64 " load=%" PRIu64
           " command=%" PRIu64 " store=%" PRIu64 " read_beats=%" PRIu64 " write_beats=%" PRIu64
           " core=%d total=%" PRIu64 "\n",
           n->address - HEADER_BYTES, n->count, c.cycles, c.compute, c.results, c.spacing,
           c.first_load, c.load, c.command, c.store, c.read_beats, c.write_beats, CORE_LIST,
           c.cycles + CORE_LIST);
    print_layers(n);
    return true;
}

// The network whose image begins at this word. 0: there is none; 1: it was run; -1: it is refused.
static int try_at(const memory *m, size_t at, const fp8mac_cycles_config *config)
{
    const uint32_t *image = &m->words[at];
    if (!is_image(image, m->count - at)) {
        return 0;
    }
    network n = {.image = image, .address = ADDRESS + (uint32_t)at * 4u + HEADER_BYTES};
    n.count = image[FP8RT_IMAGE_WORD_COMMANDS];
    n.commands = calloc(n.count, sizeof *n.commands);
    n.completed = calloc(n.count, sizeof *n.completed);
    int result = 0;
    if (n.commands != NULL && n.completed != NULL && read_list(&n)) {
        result = run(&n, config) ? 1 : -1;
    }
    free(n.commands);
    free(n.completed);
    return result;
}

int main(int argc, char **argv)
{
    fp8mac_cycles_config config = usual();
    const char *path = arguments(argc, argv, &config);
    const memory m = read_memory(path);
    unsigned found = 0, refused = 0;
    for (size_t at = 0; at < m.count; at += BEAT_WORDS) {
        const int result = try_at(&m, at, &config);
        found += result > 0;
        refused += result < 0;
    }
    if (found + refused == 0) {
        fprintf(stderr, "fp8mac-lists: '%s' has no recorded network\n", path);
    }
    free(m.words);
    return found != 0 && refused == 0 ? 0 : 1;
}
