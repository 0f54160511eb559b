// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bus.h"
#include "fp8mac/version.h"
#include "fp8rt/element.h"
#include "register_table.h"

enum { BITS = 32 };

static uint32_t read(const bus *b, const entry *e)
{
    return b->read(b->context, e->offset);
}

static void write(const bus *b, const entry *e, uint32_t value)
{
    b->write(b->context, e->offset, value);
}

static void broken(report *r, const entry *e, const char *what, uint32_t want, uint32_t got)
{
    char part[REPORT_NAME];
    snprintf(part, sizeof part, "register %s", e->name);
    report_broken(r, part, "%s at 0x%03" PRIx32 ", expected 0x%08" PRIx32 ", read 0x%08" PRIx32,
                  what, e->offset, want, got);
}

// ---- identity -----------------------------------------------------------------------------------

static bool is_power_of_two(uint32_t x)
{
    return x != 0 && (x & (x - 1u)) == 0;
}

typedef struct size {
    const char *name;
    uint32_t value, most;
} size;

static void check_sizes(const bus *b, report *r)
{
    const uint32_t config0 = BUS_READ(b, CONFIG0), config1 = BUS_READ(b, CONFIG1),
                   config2 = BUS_READ(b, CONFIG2), config3 = BUS_READ(b, CONFIG3),
                   records = FP8RT_GET(CONFIG3__RECORDS, config3);
    const size sizes[] = {
        {"CONFIG0.rows", FP8RT_GET(CONFIG0__ROWS, config0), 128},
        {"CONFIG0.cols", FP8RT_GET(CONFIG0__COLS, config0), 128},
        {"CONFIG0.lanes", FP8RT_GET(CONFIG0__LANES, config0), 128},
        {"CONFIG0.beat_bytes", FP8RT_GET(CONFIG0__BEAT_BYTES, config0), 128},
        {"CONFIG1.queue_depth", FP8RT_GET(CONFIG1__QUEUE_DEPTH, config1), 128},
        {"CONFIG1.pass_tiles", FP8RT_GET(CONFIG1__PASS_TILES, config1), 128},
        {"CONFIG2.buf_beats", FP8RT_GET(CONFIG2__BUF_BEATS, config2), 32768},
        {"CONFIG3.block", FP8RT_GET(CONFIG3__BLOCK, config3), 128},
        // Without records there are 0.
        {"CONFIG3.records", records != 0 ? records : 1, 32},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (is_power_of_two(sizes[i].value) && sizes[i].value <= sizes[i].most) {
            r->passed++;
        } else {
            report_broken(r, sizes[i].name,
                          "expected a power of two up to %" PRIu32 ", read %" PRIu32, sizes[i].most,
                          sizes[i].value);
        }
    }
    const uint32_t element = BUS_READ(b, ELEMENT);
    const char *name = fp8rt_element_name(FP8RT_GET(ELEMENT__KIND, element));
    if (name == NULL) {
        report_broken(r, "register ELEMENT", "no kind of the catalogue: 0x%08" PRIx32, element);
    } else {
        printf("     %" PRIu32 " x %" PRIu32 " elements `%s` of %" PRIu32
               " products, bus of %" PRIu32 " bytes, functions 0x%02" PRIx32 "\n",
               sizes[0].value, sizes[1].value, name, sizes[2].value, sizes[3].value,
               BUS_READ(b, CONFIG4));
        r->passed++;
    }
}

void check_identity(const bus *b, report *r)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        const uint32_t got = read(b, e) & e->constant, want = e->reset & e->constant;
        if (e->constant != 0 && got != want) {
            broken(r, e, "identity", want, got);
        } else {
            r->passed += e->constant != 0;
        }
    }
    check_sizes(b, r);
}

// ---- patterns -----------------------------------------------------------------------------------

// What a bit has read over all patterns: as written, or something else.
typedef struct history {
    uint32_t read_high, read_low; // bits that were ever read as 1, as 0
    uint32_t wrong;
} history;

static void try_pattern(const bus *b, const entry *e, uint32_t pattern, history *h)
{
    write(b, e, pattern & e->writable);
    const uint32_t got = read(b, e);
    h->read_high |= got;
    h->read_low |= ~got;
    h->wrong |= (got ^ pattern) & e->writable;
}

static const char *behaviour(const history *h, uint32_t bit)
{
    return (h->read_low & bit) == 0    ? "is stuck at 1"
           : (h->read_high & bit) == 0 ? "is stuck at 0"
                                       : "follows other bits";
}

static void check_patterns(const bus *b, const entry *e, report *r)
{
    history h = {0};
    for (unsigned bit = 0; bit < BITS; bit++) {
        if ((e->writable >> bit & 1u) != 0) {
            try_pattern(b, e, 1u << bit, &h);
            try_pattern(b, e, ~(1u << bit), &h);
        }
    }
    char part[REPORT_NAME];
    snprintf(part, sizeof part, "register %s", e->name);
    for (unsigned bit = 0; bit < BITS; bit++) {
        if ((h.wrong >> bit & 1u) != 0) {
            report_broken(r, part, "bit %u at 0x%03" PRIx32 " %s", bit, e->offset,
                          behaviour(&h, 1u << bit));
        }
    }
    r->passed += h.wrong == 0;
    write(b, e, e->reset);
}

// A number for each register: two registers at one address show.
static uint32_t own_number(const entry *e)
{
    return (e->offset + 4u) * 0x01010101u;
}

static void check_addresses(const bus *b, report *r)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (entries[i].writable != 0) {
            write(b, &entries[i], own_number(&entries[i]) & entries[i].writable);
        }
    }
    for (unsigned i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        const uint32_t want = own_number(e) & e->writable, got = read(b, e) & e->writable;
        if (e->writable != 0 && got != want) {
            broken(r, e, "another register was written", want, got);
        }
        r->passed += e->writable != 0 && got == want;
    }
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (entries[i].writable != 0) {
            write(b, &entries[i], entries[i].reset);
        }
    }
}

void check_registers(const bus *b, report *r)
{
    const unsigned failed = r->failed;
    for (unsigned i = 0; i < ENTRIES; i++) {
        const entry *e = &entries[i];
        const uint32_t got = read(b, e) & e->writable;
        if (e->writable != 0 && got != e->reset) {
            broken(r, e, "reset value", e->reset, got);
        }
        r->passed += e->writable != 0 && got == e->reset;
    }
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (entries[i].writable != 0) {
            check_patterns(b, &entries[i], r);
        }
    }
    if (r->failed == failed) { // a register with a stuck bit is named already
        check_addresses(b, r);
    }
}
