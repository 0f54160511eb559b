// SPDX-License-Identifier: Apache-2.0
// The model of the accelerator's cycles beside the RTL, with which rtl_cycles compares it: leaps
// change no count, numbers that were read from the RTL by hand, and every refusal.
#include "check.h"
#include "cycles/run.h"

enum { COMMANDS = 4, RUNS = 24 };

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) * n >> 31);
}

#define ONE 0x3f800000u

// A GEMM in one command, at pages of its own
static fp8mac_cycles_command gemm(uint32_t m, uint32_t n, uint32_t k)
{
    return (fp8mac_cycles_command){.submission = FP8MAC_CYCLES_DOORBELL,
                                   .command.m = m,
                                   .command.n = n,
                                   .command.k = k,
                                   .command.a.addr = 0x01000000,
                                   .command.a.stride = (k + 31u) / 32u * 32u,
                                   .command.b.addr = 0x11000000,
                                   .command.b.stride = (k + 31u) / 32u * 32u,
                                   .command.d.addr = 0x21000000,
                                   .command.d.stride = (4u * n + 31u) / 32u * 32u,
                                   .command.a.scale = ONE,
                                   .command.b.scale = ONE,
                                   .command.d.scale = ONE,
                                   .command.mode.pass_shape = 3};
}

static bool equal(const fp8mac_cycles_counters *a, const fp8mac_cycles_counters *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// ---- leaps --------------------------------------------------------------------------------------

// Makes a row command of an element-wise one, sometimes.
static void rows(fp8mac_cycles_command *c)
{
    static const uint8_t operations[] = {FP8MAC_ROWS_SUM,      FP8MAC_ROWS_MAXIMUM,
                                         FP8MAC_ROWS_SOFTMAX,  FP8MAC_ROWS_TANH,
                                         FP8MAC_ROWS_QUANTISE, FP8MAC_ROWS_QUANTISE_MX};
    if (below(2) == 0) {
        c->command.mode.op = FP8MAC_OP_ROWS;
        c->command.mode.row_op = operations[below(6)];
        c->command.k = 0;
        c->command.c.en = false;
    }
    if (c->command.mode.op == FP8MAC_OP_ROWS && c->command.mode.row_op == FP8MAC_ROWS_QUANTISE_MX) {
        c->command.a.mx_addr = 0x31000000;
        c->command.a.mx_stride = (c->command.n / 32u + 32u) / 32u * 32u;
        c->command.d.fmt %= 4;
        c->command.finish.act = c->command.finish.overflow = 0;
    }
}

static fp8mac_cycles_command divided(void)
{
    const bool chunks = below(2) != 0;
    fp8mac_cycles_command c = gemm(1 + below(400), 1 + below(400), 1 + below(chunks ? 500 : 128));
    c.command.tile.m = (uint16_t)(16u * (1 + below(3)));
    c.command.tile.n = (uint16_t)(16u * (1 + below(3)));
    c.command.tile.k = (uint16_t)(chunks ? 32u * (1 + below(4)) : 0);
    c.command.tile.first_k = below(2) ? 32 : 0;
    c.command.mode.b_resident = below(2) != 0;
    c.command.d.fmt = (uint8_t)below(8);
    c.command.a.addr += 32u * below(200);
    c.command.d.addr += 32u * below(200);
    if (below(4) == 0) {
        c.command.mode.extended = c.command.c.en = true;
        c.command.c.beta = ONE;
        c.command.c.addr = 0x41000000;
        c.command.c.stride = c.command.d.stride;
        c.command.c.fmt = (uint8_t)below(8);
    }
    if (below(4) == 0) {
        c.command.mode.extended = true;
        c.command.mode.op = FP8MAC_OP_ADD;
        c.command.a.stride = c.command.d.stride;
        c.command.x_fmt = (uint8_t)below(8);
        rows(&c);
    }
    return c;
}

static void test_leaps(void)
{
    uint64_t left_out = 0, all = 0;
    unsigned leapt = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        fp8mac_cycles_config config = fp8mac_cycles_default();
        config.memory = below(2) ? FP8MAC_CYCLES_CHIP : FP8MAC_CYCLES_IDEAL;
        config.latency = below(30);
        fp8mac_cycles_command commands[COMMANDS];
        const size_t count = 1 + below(COMMANDS);
        for (size_t j = 0; j < count; j++) {
            commands[j] = divided();
            commands[j].submission = j == 0 ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_LISTED;
        }
        uint64_t want_end[COMMANDS], got_end[COMMANDS], now;
        fp8mac_cycles_counters want, got;
        size_t refused;
        CHECK(fp8mac_cycles_run_with(&config, commands, count, want_end, &refused, &want, NULL) ==
              FP8MAC_OK);
        CHECK(fp8mac_cycles_run_with(&config, commands, count, got_end, &refused, &got, &now) ==
              FP8MAC_OK);
        CHECK(equal(&want, &got));
        CHECK(memcmp(want_end, got_end, count * sizeof want_end[0]) == 0);
        left_out += now;
        all += want.cycles;
        leapt += now != 0;
    }
    printf("%12llu  cycles, of which leaps left out %llu, in %u of %d runs\n",
           (unsigned long long)all, (unsigned long long)left_out, leapt, RUNS);
    CHECK(leapt > RUNS / 2 && left_out > all / 10);
}

// ---- the bus ------------------------------------------------------------------------------------

typedef struct heard {
    uint64_t transfers[5], bytes[5], last;
} heard;

static void hear(void *context, const fp8mac_cycles_transfer *t)
{
    heard *h = context;
    h->transfers[t->channel]++;
    h->bytes[t->channel] += t->bytes;
    h->last = t->cycle;
}

// A watcher changes no count, and hears each transfer. Stalls cost cycles and no transfer.
static void test_bus(void)
{
    fp8mac_cycles_config config = fp8mac_cycles_default();
    fp8mac_cycles_command command = gemm(100, 60, 200);
    command.command.tile.m = command.command.tile.n = command.command.tile.k =
        command.command.tile.first_k = 32;
    fp8mac_cycles_counters want, got, stalled;
    heard h = {{0}, {0}, 0};
    const fp8mac_cycles_watcher watcher = {.context = &h, .transfer = hear};
    CHECK(fp8mac_cycles_run(&config, &command, 1, NULL, NULL, &want) == FP8MAC_OK);
    CHECK(fp8mac_cycles_run_watched(&config, &command, 1, NULL, NULL, &got, &watcher) == FP8MAC_OK);
    CHECK(equal(&want, &got));
    CHECK(h.transfers[FP8MAC_CYCLES_R] == want.read_beats);
    CHECK(h.transfers[FP8MAC_CYCLES_W] == want.write_beats);
    CHECK(h.transfers[FP8MAC_CYCLES_AW] == h.transfers[FP8MAC_CYCLES_B]);
    CHECK(h.bytes[FP8MAC_CYCLES_AR] == h.bytes[FP8MAC_CYCLES_R]);
    CHECK(h.bytes[FP8MAC_CYCLES_W] == 100u * 60u); // D in FP8
    CHECK(h.last < want.cycles);
    config.stall_permille = 300;
    config.stall_state = fp8mac_cycles_stall_state(7, 0);
    CHECK(fp8mac_cycles_run_watched(&config, &command, 1, NULL, NULL, &stalled, NULL) == FP8MAC_OK);
    CHECK(stalled.cycles > want.cycles && stalled.read_beats == want.read_beats);
    // xorshift64 steps once for each cycle.
    CHECK(fp8mac_cycles_stall_state(7, 3) != fp8mac_cycles_stall_state(7, 4));
    CHECK(fp8mac_cycles_run_watched(NULL, &command, 1, NULL, NULL, &got, &watcher) ==
          FP8MAC_ERR_NULL);
}

typedef struct seen {
    uint64_t events[FP8MAC_CYCLES_WINDOW_ENDS + 1], last[2], steps, reads, writes, cycle;
    bool in_order;
} seen;

static void see(void *context, const fp8mac_cycles_event *e)
{
    seen *s = context;
    s->in_order = s->in_order && e->cycle >= s->cycle;
    s->cycle = e->cycle;
    s->events[e->kind]++;
    if (e->kind == FP8MAC_CYCLES_SUBMITTED || e->kind == FP8MAC_CYCLES_RETIRES) {
        uint64_t *last = &s->last[e->kind == FP8MAC_CYCLES_RETIRES];
        s->in_order = s->in_order && e->command == *last;
        ++*last;
    }
    s->steps += e->steps;
    s->reads += e->read_beats;
    s->writes += e->write_beats;
}

// Events of two GEMMs of 4 x 2 x 7 tile commands: each command once, each tile command once, and
// windows with all beats but those of the cycles behind the last window
static void test_events(void)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    fp8mac_cycles_command commands[2] = {gemm(100, 60, 200), gemm(100, 60, 200)};
    for (unsigned i = 0; i < 2; i++) {
        commands[i].command.tile.m = commands[i].command.tile.n = commands[i].command.tile.k =
            commands[i].command.tile.first_k = 32;
    }
    commands[1].submission = FP8MAC_CYCLES_LISTED;
    fp8mac_cycles_counters counters;
    seen s = {.in_order = true};
    const fp8mac_cycles_watcher watcher = {.context = &s, .event = see, .first_cycle = 1000};
    CHECK(fp8mac_cycles_run_watched(&config, commands, 2, NULL, NULL, &counters, &watcher) ==
          FP8MAC_OK);
    CHECK(s.in_order && s.last[0] == 2 && s.last[1] == 2);
    for (unsigned i = FP8MAC_CYCLES_LOAD_BEGINS; i <= FP8MAC_CYCLES_COMPUTE_ENDS; i++) {
        CHECK(s.events[i] == 2u * 4 * 2 * 7);
    }
    const uint64_t windows = (1000 + counters.cycles) / FP8MAC_CYCLES_WINDOW - 1000 / 64;
    CHECK(s.events[FP8MAC_CYCLES_WINDOW_ENDS] == windows);
    CHECK(s.steps <= counters.compute && s.steps + FP8MAC_CYCLES_WINDOW >= counters.compute);
    CHECK(s.reads <= counters.read_beats && s.reads + 64 >= counters.read_beats);
    CHECK(s.writes <= counters.write_beats && s.writes + 64 >= counters.write_beats);
}

// ---- numbers of the RTL -------------------------------------------------------------------------

// 64 x 64 x 64 on the simulated chip, in tiles of 32 x 32 and chunks of 32: docs/CYCLES.md
static void test_known(void)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    fp8mac_cycles_command c = gemm(64, 64, 64);
    c.command.tile.m = c.command.tile.n = c.command.tile.k = c.command.tile.first_k = 32;
    c.command.d.stride = 64;
    const fp8mac_cycles_counters want = {.cycles = 1265,
                                         .compute = 1024,
                                         .results = 4,
                                         .first_load = 134,
                                         .load = 24,
                                         .command = 32,
                                         .store = 47,
                                         .macs = 64 * 64 * 64,
                                         .read_beats = 1029,
                                         .write_beats = 256};
    fp8mac_cycles_counters got;
    CHECK(fp8mac_cycles_run(&config, &c, 1, NULL, NULL, &got) == FP8MAC_OK);
    CHECK(equal(&want, &got));
    CHECK(fp8mac_cycles_run(&config, &c, 0, NULL, NULL, &got) == FP8MAC_OK && got.cycles == 0);
}

// ---- refusals -----------------------------------------------------------------------------------

static void refuses_config(const char *parameter, fp8mac_cycles_config config)
{
    const char *name = NULL, *range = NULL;
    fp8mac_cycles_command c = gemm(4, 4, 16);
    fp8mac_cycles_counters counters;
    CHECK(fp8mac_cycles_check(&config, &name, &range) == FP8MAC_ERR_CONFIG);
    CHECK(name != NULL && strcmp(name, parameter) == 0 && range != NULL);
    CHECK(fp8mac_cycles_run(&config, &c, 1, NULL, NULL, &counters) == FP8MAC_ERR_CONFIG);
}

#define REFUSES(field, value)                                                                      \
    do {                                                                                           \
        fp8mac_cycles_config bad = fp8mac_cycles_default();                                        \
        bad.field = value;                                                                         \
        refuses_config(#field, bad);                                                               \
    } while (0)

static void test_configurations(void)
{
    const uint32_t numbers[] = {0, 3, 64, UINT32_MAX};
    for (unsigned i = 0; i < 4; i++) {
        REFUSES(rows, numbers[i]);
        REFUSES(cols, numbers[i]);
        REFUSES(lanes, numbers[i]);
    }
    REFUSES(tiles, 4);
    REFUSES(tiles, 65536);
    REFUSES(element, FP8MAC_ELEMENT_STATIC);
    REFUSES(element, 200);
    REFUSES(axi_data_w, 32);
    REFUSES(axi_data_w, 512);
    REFUSES(epi_width, 3);
    REFUSES(epi_width, 16);
    REFUSES(max_mn, 3);
    REFUSES(max_mn, 1025);
    REFUSES(queue_depth, 0);
    REFUSES(queue_depth, 128);
    REFUSES(buf_beats, 2);
    REFUSES(buf_beats, 65536);
    REFUSES(memory, (fp8mac_cycles_memory_kind)2);
    REFUSES(latency, 10001);
    REFUSES(image_turn, 4);
    REFUSES(requantise, true);
    REFUSES(stall_permille, 901);
    fp8mac_cycles_config stalled = fp8mac_cycles_default();
    stalled.stall_permille = 1;
    refuses_config("stall_state", stalled);
    stalled.stall_state = 1;
    stalled.memory = FP8MAC_CYCLES_IDEAL;
    refuses_config("stall_permille", stalled);
    fp8mac_cycles_config good = fp8mac_cycles_default();
    const char *name = "", *range = "";
    CHECK(fp8mac_cycles_check(&good, &name, &range) == FP8MAC_OK && name == NULL && range == NULL);
}

static void refused(fp8mac_status status, const fp8mac_cycles_command *bad, int line)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    const fp8mac_cycles_command commands[2] = {gemm(4, 4, 16), *bad};
    size_t number = 0;
    fp8mac_cycles_counters counters = {.cycles = 77};
    const bool ok = fp8mac_cycles_run(&config, commands, 2, NULL, &number, &counters) == status &&
                    number == 1 && counters.cycles == 77;
    check(ok, "a command is refused, and nothing is written", line);
}

#define REFUSED(status, change)                                                                    \
    do {                                                                                           \
        fp8mac_cycles_command bad = gemm(8, 8, 32);                                                \
        bad.submission = FP8MAC_CYCLES_LISTED;                                                     \
        bad.command.mode.extended = true;                                                          \
        change;                                                                                    \
        refused(status, &bad, __LINE__);                                                           \
    } while (0)

static void test_commands(void)
{
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.mode.conv_a = true);       // an image of no lines
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.mode.op = FP8MAC_OP_ROWS); // row 0 sees 32 of 8 columns
    REFUSED(FP8MAC_ERR_COMMAND,
            (bad.command.mode.op = FP8MAC_OP_ROWS, bad.command.k = 0, bad.command.c.en = true));
    REFUSED(FP8MAC_ERR_COMMAND, (bad.command.mode.op = FP8MAC_OP_ROWS, bad.command.k = 0,
                                 bad.command.mode.row_op = FP8MAC_ROWS_OPERATIONS));
    REFUSED(FP8MAC_ERR_COMMAND, bad.submission = FP8MAC_CYCLES_RESUMED); // there is no pause
    REFUSED(FP8MAC_ERR_COMMAND, bad.submission = FP8MAC_CYCLES_REGISTERS; bad.command.pause = true);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.m = 0);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.m = 129);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.k = 65536);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.a.addr++);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.b.stride = 16);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.d.addr = 0xfffffff0);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.a.scale = 0);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.d.scale = 0x7f800000);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.a.scale_exp = 33);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.finish.overflow = FP8MAC_OVERFLOWS);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.finish.act = FP8MAC_ACTIVATIONS);
    REFUSED(FP8MAC_ERR_COMMAND,
            (bad.command.finish.act = FP8MAC_ACT_CLAMP, bad.command.finish.clamp_lo = ONE));
    REFUSED(FP8MAC_ERR_COMMAND, (bad.command.a.fmt = 3, bad.command.a.narrow = true)); // INT8
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.a.fmt = 4);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.finish.act_table = 3);
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.mode.op = FP8MAC_OP_MULTIPLY); // without C
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.mode.acc_continue = true);
    REFUSED(FP8MAC_ERR_COMMAND, (bad.command.mode.acc_keep = true, bad.command.k = 33,
                                 bad.command.a.stride = bad.command.b.stride = 64));
    REFUSED(FP8MAC_ERR_COMMAND, bad.command.a.reuse = true);                // of another shape
    REFUSED(FP8MAC_ERR_COMMAND, (bad.submission = FP8MAC_CYCLES_DOORBELL)); // while another is read
    REFUSED(FP8MAC_ERR_COMMAND,
            (bad.submission = FP8MAC_CYCLES_DOORBELL, bad.cycle = 100, bad.descriptor = 4));
    REFUSED(FP8MAC_ERR_UNSUPPORTED, // more tile commands than the model takes
            (bad.command.m = 1u << 21, bad.command.tile.m = 1));
}

static void test_null(void)
{
    const fp8mac_cycles_config config = fp8mac_cycles_default();
    const fp8mac_cycles_command c = gemm(4, 4, 16);
    fp8mac_cycles_counters counters;
    const char *text;
    CHECK(fp8mac_cycles_run(NULL, &c, 1, NULL, NULL, &counters) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_cycles_run(&config, NULL, 1, NULL, NULL, &counters) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_cycles_run(&config, &c, 1, NULL, NULL, NULL) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_cycles_check(NULL, &text, &text) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_cycles_check(&config, NULL, &text) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_cycles_check(&config, &text, NULL) == FP8MAC_ERR_NULL);
}

int main(void)
{
    test_leaps();
    test_bus();
    test_events();
    test_known();
    test_configurations();
    test_commands();
    test_null();
    return report();
}
