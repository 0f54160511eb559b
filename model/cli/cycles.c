// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core_cycles.h"
#include "recorded.h"

enum { NUMBERS = 9 };

typedef struct cycles_options {
    const char *m, *n, *k, *d_format, *element, *memory, *latency, *stall, *seed, *output;
    const char *bus, *timeline, *start, *descriptor, *a, *b, *d;
    const char *numbers[NUMBERS];
    const char *tables;
    bool list, requantise;
} cycles_options;

// The numbers of a configuration, in the order of their names
static const char *const number_names[NUMBERS] = {
    "rows", "cols", "lanes", "tiles", "axi", "epi-width", "max-mn", "queue-depth", "buf-beats"};

static uint64_t number(cli *c, const char *name, const char *text, uint64_t least)
{
    uint64_t value = 0;
    if (!settings_number(text, UINT32_MAX, &value) || value < least) {
        cli_fail(c, "--%s '%.60s' is not a whole number in %" PRIu64 "..%u", name, text, least,
                 UINT32_MAX);
    }
    return value;
}

// ---- the configuration --------------------------------------------------------------------------

static uint32_t element_named(cli *c, const char *name)
{
    char good[256] = "";
    for (unsigned i = 0; i < FP8MAC_ELEMENT_COUNT; i++) {
        const fp8mac_element_info *element = &fp8mac_element_table[i];
        if (element->accelerator && strcmp(element->name, name) == 0) {
            return (uint32_t)element->kind;
        }
        const size_t used = strlen(good);
        if (element->accelerator) {
            snprintf(good + used, sizeof good - used, "%s%s", used == 0 ? "" : ", ", element->name);
        }
    }
    cli_fail(c, "there is no element '%.60s'; choose from %s", name, good);
}

static fp8mac_cycles_memory_kind memory_named(cli *c, const char *name)
{
    if (strcmp(name, "chip") == 0) {
        return FP8MAC_CYCLES_CHIP;
    }
    if (strcmp(name, "ideal") == 0) {
        return FP8MAC_CYCLES_IDEAL;
    }
    cli_fail(c, "there is no memory '%.60s'; choose from chip, ideal", name);
}

// The cycle of the doorbell, counted from the chip's reset
static uint64_t start_of(cli *c, const cycles_options *o)
{
    return o->start != NULL ? number(c, "start", o->start, 0) : 0;
}

static fp8mac_cycles_config configure(cli *c, const cycles_options *o)
{
    fp8mac_cycles_config config = fp8mac_cycles_default();
    uint32_t *const fields[NUMBERS] = {&config.rows,   &config.cols,        &config.lanes,
                                       &config.tiles,  &config.axi_data_w,  &config.epi_width,
                                       &config.max_mn, &config.queue_depth, &config.buf_beats};
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (o->numbers[i] != NULL) {
            *fields[i] = (uint32_t)number(c, number_names[i], o->numbers[i], 0);
        }
    }
    config.element = o->element != NULL ? element_named(c, o->element) : config.element;
    config.requantise = o->requantise;
    config.memory = o->memory != NULL ? memory_named(c, o->memory) : config.memory;
    config.latency = o->latency != NULL ? (uint32_t)number(c, "latency", o->latency, 0) : 0;
    config.stall_permille = o->stall != NULL ? (uint32_t)number(c, "stall", o->stall, 0) : 0;
    const uint64_t seed = o->seed != NULL ? number(c, "seed", o->seed, 0) : 1;
    config.stall_state = fp8mac_cycles_stall_state(seed, start_of(c, o));
    const char *parameter, *range;
    if (fp8mac_cycles_check(&config, &parameter, &range) != FP8MAC_OK) {
        cli_fail(c, "%s is not possible; %s is expected", parameter, range);
    }
    return config;
}

// ---- output -------------------------------------------------------------------------------------

// The turn of the rows of images goes on from layer to layer.
static workload_result run_layer(cli *c, fp8mac_cycles_config *config, const layer *l,
                                 const char *path)
{
    workload_result result;
    const char *why = NULL;
    const fp8mac_status status = workload_run(config, &l->work, &result, &why);
    config->image_turn = (uint32_t)result.counters.image_turn;
    if (status == FP8MAC_OK) {
        return result;
    }
    if (path == NULL) {
        cli_fail(c, "%s", why);
    }
    cli_fail(c, "%.200s:%u:1: %s", path, l->line, why);
}

static void print_counters(cli *c, const fp8mac_cycles_counters *n)
{
    fprintf(c->out, "read beats   %" PRIu64 "\nwrite beats  %" PRIu64 "\n", n->read_beats,
            n->write_beats);
    fprintf(c->out,
            "compute      %" PRIu64 "\nresults      %" PRIu64 "\nspacing      %" PRIu64
            "\nfirst load   %" PRIu64 "\nload         %" PRIu64 "\ncommand      %" PRIu64
            "\nstore        %" PRIu64 "\n",
            n->compute, n->results, n->spacing, n->first_load, n->load, n->command, n->store);
}

static void print_text(cli *c, const workload_result *r)
{
    fprintf(c->out, "cycles       %" PRIu64 "\n", r->counters.cycles);
    fprintf(c->out, "utilisation  %.1f %%\nroofline     %.1f %%\n", 100 * r->utilisation,
            100 * r->roofline);
    print_counters(c, &r->counters);
}

static void print_recorded(cli *c, recorded_result r)
{
    fprintf(c->out, "cycles       %" PRIu64 "\ncommands     %zu\n", r.counters.cycles, r.commands);
    print_counters(c, &r.counters);
    fprintf(c->out, "idle         %" PRIu64 "\ncore         %d\ntotal        %" PRIu64 "\n",
            r.counters.idle, CORE_LIST, r.counters.cycles + CORE_LIST);
}

static const char *name_of(fp8mac_format_id format)
{
    return fp8mac_format_get(format)->name;
}

static void print_line(FILE *to, const layer *l, const workload_result *r, uint64_t beat)
{
    const fp8mac_cycles_counters *n = &r->counters;
    const workload *w = &l->work;
    fprintf(to, "%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%.4f,%.4f,%" PRIu64 ",%" PRIu64, l->name, w->m,
            w->n, w->k, l->count, n->cycles, r->utilisation, r->roofline, beat * n->read_beats,
            beat * n->write_beats);
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
            n->compute, n->results, n->spacing, n->first_load, n->load, n->command, n->store);
    fprintf(to, ",%" PRIu64 ",%" PRIu64, r->commands, CORE_RUN * r->commands);
    fprintf(to, ",%s,%s,%s,%s,%d,%d,%d\n", name_of(w->a_format), name_of(w->b_format),
            name_of(w->d_format), w->adds_c ? name_of(w->c_format) : "", w->mx, w->vectors,
            w->image.images != 0);
}

static void print_list(FILE *to, const layers *all, const workload_result *results, uint64_t beat)
{
    fputs("layer,m,n,k,count,cycles,utilisation,roofline,bytes_read,bytes_written,compute,results,"
          "spacing,first_load,load,command,store,commands,core,format_a,format_b,format_d,format_c,"
          "mx,vectors,"
          "convolution\n",
          to);
    for (size_t i = 0; i < all->count; i++) {
        print_line(to, &all->list[i], &results[i], beat);
    }
}

static void write_list(cli *c, const char *path, const layers *all, const workload_result *results,
                       uint64_t beat)
{
    c->open = fopen(path, "w");
    if (c->open == NULL) {
        cli_fail_output(c, "'%.200s' cannot be written (%s)", path, strerror(errno));
    }
    print_list(c->open, all, results, beat);
    const bool bad = ferror(c->open) != 0;
    const bool unclosed = fclose(c->open) != 0;
    c->open = NULL;
    if (bad || unclosed) {
        cli_fail_output(c, "'%.200s' could not be written", path);
    }
}

static workload_tables tables_of(cli *c, const cycles_options *o)
{
    if (o->tables == NULL) {
        return WORKLOAD_NO_TABLES;
    }
    if (strcmp(o->tables, "stay") != 0 && strcmp(o->tables, "load") != 0) {
        cli_fail(c, "--tables '%.60s' is unknown; choose stay or load", o->tables);
    }
    return o->tables[0] == 's' ? WORKLOAD_TABLES_STAY : WORKLOAD_TABLES_LOADED;
}

static watched files_of(cli *c, const cycles_options *o)
{
    return (watched){.bus = o->bus, .timeline = o->timeline, .start = start_of(c, o)};
}

// All layers are run before the first line is printed.
static void run_file(cli *c, fp8mac_cycles_config *config, const char *path,
                     const cycles_options *o, fp8mac_format_id d_format)
{
    workload usual = workload_usual(config);
    usual.d_format = d_format;
    const layers all = layers_read(c, path, &usual);
    const char *origin = strcmp(path, "-") == 0 ? "standard input" : path;
    if (o->list) {
        print_recorded(c, recorded_run(c, config, &all, origin, tables_of(c, o), files_of(c, o)));
        return;
    }
    workload_result *results = cli_alloc(c, all.count, sizeof *results);
    for (size_t i = 0; i < all.count; i++) {
        results[i] = run_layer(c, config, &all.list[i], origin);
    }
    const uint64_t beat = config->axi_data_w / 8u;
    if (o->output == NULL) {
        print_list(c->out, &all, results, beat);
    } else {
        write_list(c, o->output, &all, results, beat);
    }
}

// ---- one GEMM -----------------------------------------------------------------------------------

static void set_address(cli *c, const char *name, const char *text, uintptr_t *address)
{
    uint64_t value = 0;
    if (text == NULL) {
        return;
    }
    if (!settings_number(text, UINT32_MAX, &value)) {
        cli_fail(c, "--%s '%.60s' is not an address; give one from 0 to 0xffffffff", name, text);
    }
    *address = (uintptr_t)value;
}

// The files of the layer's command, which has run
static void write_files(cli *c, const fp8mac_cycles_config *config, const cycles_options *o,
                        const layer *one)
{
    fp8mac_cycles_counters counters;
    workload_commands issued;
    const workload *work = &one->work;
    const char *why = NULL;
    char name[48];
    const char *const names[] = {name};
    watched files = files_of(c, o);
    files.names = names;
    snprintf(name, sizeof name, "%ux%ux%u", one->work.m, one->work.n, one->work.k);
    workload_issue(config, &work, 1, false, WORKLOAD_NO_TABLES, &issued, &why);
    fp8mac_cycles_command command = issued.list[0];
    workload_free(&issued);
    uintptr_t descriptor = command.descriptor;
    set_address(c, "descriptor", o->descriptor, &descriptor);
    command.descriptor = (uint32_t)descriptor;
    set_address(c, "a", o->a, &command.command.a.addr);
    set_address(c, "b", o->b, &command.command.b.addr);
    set_address(c, "d", o->d, &command.command.d.addr);
    if (watched_run(c, config, &command, 1, &files, NULL, &counters) != FP8MAC_OK) {
        cli_fail(c, "the accelerator refuses these addresses: they are multiples of a beat, and "
                    "the matrices lie below 4 GiB");
    }
}

static void run_one(cli *c, fp8mac_cycles_config *config, const cycles_options *o,
                    fp8mac_format_id d_format)
{
    if (o->m == NULL || o->n == NULL || o->k == NULL) {
        cli_fail(c, "give --m, --n and --k, or a CSV file");
    }
    layer one = {.work = workload_usual(config)};
    one.work.m = (uint32_t)number(c, "m", o->m, 1);
    one.work.n = (uint32_t)number(c, "n", o->n, 1);
    one.work.k = (uint32_t)number(c, "k", o->k, 1);
    one.work.d_format = d_format;
    const workload_result result = run_layer(c, config, &one, NULL);
    if (o->bus != NULL || o->timeline != NULL) {
        write_files(c, config, o, &one);
    }
    print_text(c, &result);
}

void cli_cycles(cli *c, int argc, char **argv)
{
    cycles_options o = {0};
    cli_option options[NUMBERS + 22] = {
        {"m", &o.m, NULL},
        {"n", &o.n, NULL},
        {"k", &o.k, NULL},
        {"d-format", &o.d_format, NULL},
        {"element", &o.element, NULL},
        {"memory", &o.memory, NULL},
        {"tables", &o.tables, NULL},
        {"latency", &o.latency, NULL},
        {"stall", &o.stall, NULL},
        {"seed", &o.seed, NULL},
        {"output", &o.output, NULL},
        {"o", &o.output, NULL},
        {"bus", &o.bus, NULL},
        {"timeline", &o.timeline, NULL},
        {"start", &o.start, NULL},
        {"descriptor", &o.descriptor, NULL},
        {"a", &o.a, NULL},
        {"b", &o.b, NULL},
        {"d", &o.d, NULL},
        {"list", NULL, &o.list},
        {"requantise", NULL, &o.requantise},
    };
    cli_option *last = options;
    while (last->name != NULL) {
        last++;
    }
    for (unsigned i = 0; i < NUMBERS; i++) {
        last[i] = (cli_option){number_names[i], &o.numbers[i], NULL};
    }
    const cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    fp8mac_format_id d_format;
    if (o.output != NULL && operands.count == 0) {
        cli_fail(c, "--output needs a CSV file of layers; the counts of one GEMM are printed, so "
                    "leave it out");
    }
    if (o.list && (operands.count == 0 || o.output != NULL)) {
        cli_fail(c,
                 "--list needs a CSV file of layers, and prints its counts, so leave --output out");
    }
    if (o.tables != NULL && !o.list) {
        cli_fail(c, "--tables needs --list");
    }
    if (o.bus != NULL && operands.count != 0) {
        cli_fail(c, "--bus traces one GEMM: give --m, --n and --k in place of the CSV file");
    }
    if (o.timeline != NULL && operands.count != 0 && !o.list) {
        cli_fail(c, "--timeline shows one run: give --m, --n and --k, or a CSV file with --list");
    }
    if (o.bus == NULL && o.timeline == NULL &&
        (o.descriptor != NULL || o.a != NULL || o.b != NULL || o.d != NULL)) {
        cli_fail(c, "--descriptor, --a, --b and --d need one GEMM with --bus or --timeline");
    }
    if (o.d_format == NULL) {
        o.d_format = o.requantise ? "int8" : "e4m3fn";
    }
    if (!layers_d_format(o.d_format, &d_format)) {
        cli_fail(c, "D cannot have the format '%.60s'", o.d_format);
    }
    fp8mac_cycles_config config = configure(c, &o);
    if (operands.count > 1 ||
        (operands.count == 1 && (o.m != NULL || o.n != NULL || o.k != NULL))) {
        cli_fail(c, "give --m, --n and --k, or one CSV file");
    }
    if (operands.count == 1) {
        run_file(c, &config, operands.text[0], &o, d_format);
    } else {
        run_one(c, &config, &o, d_format);
    }
}
