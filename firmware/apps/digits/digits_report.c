// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"

static const char *format_name(const digits_session *session)
{
    return fp8mac_format_get(session->options.format)->name;
}

void digits_print_head(const digits_session *session)
{
    const fp8rt_caps *caps = &session->dev.caps;
    printf("digits        %" PRIu32 " images in batches of %" PRIu32
           " on an array of %u x %u x %u\n",
           session->options.images, session->options.batch, caps->rows, caps->cols, caps->lanes);
    fp8rt_app_print_element(caps);
    printf("formats       activations %s, weights %s, accumulator %s\n", format_name(session),
           digits_is_int8(session) ? "int8" : "e4m3fn",
           digits_acc_name(session->options.acc_format));
}

static void print_percent(int width, uint64_t part, uint64_t whole)
{
    uint32_t hundredths = whole == 0 ? 0 : (uint32_t)((part * 10000 + whole / 2) / whole);
    printf("%*" PRIu32 ".%02" PRIu32 " %%", width, hundredths / 100, hundredths % 100);
}

static void print_accuracy(const char *name, uint32_t right, uint32_t images)
{
    printf("%s %4" PRIu32 " of %" PRIu32 " images right, ", name, right, images);
    print_percent(2, right, images);
    printf("\n");
}

static void print_part(const char *name, uint32_t cycles, uint32_t whole, const char *meaning)
{
    printf("  %-11s %9" PRIu32, name, cycles);
    print_percent(5, cycles, whole);
    printf("  %s\n", meaning);
}

static void print_cycles(const fp8rt_counters *c, uint32_t macs_per_cycle)
{
    printf("cycles        %9" PRIu32 " while the accelerator ran GEMMs:\n", c->cycles);
    print_part("useful", (uint32_t)(c->macs / macs_per_cycle), c->cycles,
               "computing outputs, all multipliers in use");
    print_part("absent", (uint32_t)(c->compute - c->macs / macs_per_cycle), c->cycles,
               "computing outputs beyond the matrix's edge");
    const char *part = "compute"; // printed above, in two parts
#define PRINT_PART(field, meaning)                                                                 \
    if (strcmp(#field, part) != 0) {                                                               \
        print_part(#field, c->field, c->cycles, meaning);                                          \
    }
    FP8RT_CYCLE_PARTS(PRINT_PART)
#undef PRINT_PART
}

static void print_core_cycles(const digits_session *session, uint32_t core_cycles)
{
    const uint32_t images = session->options.images;
    const uint32_t checker = (uint32_t)session->totals.checker_cycles;
    const uint32_t console = (uint32_t)session->totals.console_cycles;
    const uint32_t network = core_cycles - checker - console;
    printf("core cycles   %9" PRIu32 " of the whole run, %" PRIu32 " for each image:\n",
           core_cycles, core_cycles / images);
    print_part("network", network, core_cycles, "the accelerator's included");
    print_part("checker", checker, core_cycles, "comparing outputs, adding up counters");
    print_part("console", console, core_cycles, "printing");
    printf("              %9" PRIu32 " cycles of the network for each image\n", network / images);
}

// One line of key=value for programs.
static void print_record(const digits_session *session, uint32_t core_cycles)
{
    const digits_totals *t = &session->totals;
    const fp8rt_counters *c = &t->counters;
    printf("digits: images=%" PRIu32 " batch=%" PRIu32 " format=%s acc=%s float32_right=%" PRIu32
           " right=%" PRIu32 " outputs=%" PRIu32 " equal=%" PRIu32 " macs=%" PRIu32
           " cycles=%" PRIu32,
           session->options.images, session->options.batch, format_name(session),
           digits_acc_name(session->options.acc_format), t->float32_right, t->right, t->outputs,
           t->outputs - t->different, (uint32_t)c->macs, c->cycles);
#define PRINT_PART(field, meaning) printf(" " #field "=%" PRIu32, c->field);
    FP8RT_CYCLE_PARTS(PRINT_PART)
#undef PRINT_PART
    printf(" core_cycles=%" PRIu32, core_cycles);
    const digits_net *net = session->options.net;
    if (net->hash != NULL) {
        printf(" net=%s hash=%08" PRIx32, net->name, net->hash(session));
    }
    printf("\n");
}

int digits_print_report(const digits_session *session, uint32_t core_cycles)
{
    const digits_totals *t = &session->totals;
    const fp8rt_counters *c = &t->counters;
    const fp8rt_caps *caps = &session->dev.caps;
#define ADD_PART(field, meaning) +c->field
    bool parts_add_up = (0 FP8RT_CYCLE_PARTS(ADD_PART)) == c->cycles;
#undef ADD_PART

    print_accuracy("accuracy      float32", t->float32_right, session->options.images);
    print_accuracy(digits_is_int8(session) ? "              INT8   " : "              FP8    ",
                   t->right, session->options.images);
    printf("outputs       %9" PRIu32 " compared, %" PRIu32 " equal\n", t->outputs,
           t->outputs - t->different);
    printf("macs          %9" PRIu32 "\n", (uint32_t)c->macs);
    if (fp8rt_app_is_host) {
        printf("cycles        none: the golden model has no clock\n");
    } else {
        fp8rt_app_print_utilisation(caps, c, core_cycles);
        print_cycles(c, (uint32_t)caps->rows * caps->cols * caps->lanes);
        print_core_cycles(session, core_cycles);
    }
    if (!parts_add_up) {
        printf("the parts of the cycles do not add up to them\n");
    }
    const digits_net *net = session->options.net;
    const bool good = net->report == NULL || net->report(session);
    print_record(session, core_cycles);
    return t->different == 0 && parts_add_up && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
