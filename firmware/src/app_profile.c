// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/app.h"

#include <inttypes.h>
#include <stdio.h>

// What a line says of a layer, beside its name
typedef struct figures {
    uint32_t core, accelerator, commands, hundredths; // of a per cent of utilisation
    char macs[21], read[21], written[21], error[24];
} figures;

static void put_error(const fp8rt_profile_entry *entry, const char *none, char text[24])
{
    if (entry->compared) {
        snprintf(text, 24, "%.3e", (double)entry->error);
    } else if (entry->reason != NULL && *none != '\0') {
        snprintf(text, 24, "%s %.20s", none, entry->reason);
    } else {
        snprintf(text, 24, "%s", none);
    }
}

static figures figures_of(const fp8rt_caps *caps, const fp8rt_profile_entry *entry,
                          const char *none)
{
    const fp8rt_counters *c = &entry->counters;
    const uint32_t macs_per_cycle = (uint32_t)caps->rows * caps->cols * caps->lanes;
    figures f = {.core = entry->core_cycles,
                 .accelerator = c->cycles - c->idle,
                 .commands = entry->commands};
    const uint64_t most = (uint64_t)f.accelerator * macs_per_cycle;
    f.hundredths = most == 0 ? 0 : (uint32_t)((c->macs * 10000u + most / 2) / most);
    char text[21];
    snprintf(f.macs, sizeof f.macs, "%s", fp8rt_app_decimal(c->macs, text));
    snprintf(f.read, sizeof f.read, "%s",
             fp8rt_app_decimal((uint64_t)c->read_beats * caps->beat_bytes, text));
    snprintf(f.written, sizeof f.written, "%s",
             fp8rt_app_decimal((uint64_t)c->write_beats * caps->beat_bytes, text));
    put_error(entry, none, f.error);
    return f;
}

static uint32_t kept(const fp8rt_profile *profile)
{
    return profile->count < profile->capacity ? profile->count : profile->capacity;
}

void fp8rt_app_print_profile(const fp8rt_caps *caps, const fp8rt_profile *profile)
{
    printf("%-24s %10s %11s %8s %10s %7s %10s %10s %10s\n", "layer", "core", "accelerator",
           "commands", "MACs", "use", "read", "written", "error");
    for (uint32_t i = 0; i < kept(profile); i++) {
        const fp8rt_profile_entry *entry = &profile->entries[i];
        const figures f = figures_of(caps, entry, "-");
        const int indent = 2 * (int)(entry->depth < 8u ? entry->depth : 8u);
        printf("%*s%-*s %10" PRIu32 " %11" PRIu32 " %8" PRIu32 " %10s %3u.%02u%% %10s %10s %10s\n",
               indent, "", 24 - indent, entry->name, f.core, f.accelerator, f.commands, f.macs,
               (unsigned)(f.hundredths / 100u), (unsigned)(f.hundredths % 100u), f.read, f.written,
               f.error);
    }
    if (kept(profile) < profile->count) {
        printf("%" PRIu32 " more layers have no place in the profile\n",
               profile->count - kept(profile));
    }
}

void fp8rt_app_print_profile_csv(const fp8rt_caps *caps, const fp8rt_profile *profile)
{
    printf("layer,depth,core_cycles,accelerator_cycles,commands,macs,utilisation_percent,"
           "read_bytes,written_bytes,error\n");
    for (uint32_t i = 0; i < kept(profile); i++) {
        const fp8rt_profile_entry *entry = &profile->entries[i];
        const figures f = figures_of(caps, entry, "");
        printf("%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,%u.%02u,%s,%s,%s\n",
               entry->name, entry->depth, f.core, f.accelerator, f.commands, f.macs,
               (unsigned)(f.hundredths / 100u), (unsigned)(f.hundredths % 100u), f.read, f.written,
               f.error);
    }
}
