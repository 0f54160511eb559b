// SPDX-License-Identifier: Apache-2.0
#include "evidence.h"

#include <inttypes.h>
#include <stdio.h>

void evidence_add(evidence *e, uint32_t unit, uint32_t lane, uint8_t want, uint8_t got)
{
    if (want == got) {
        return;
    }
    if (e->bytes++ == 0) {
        e->want = want;
        e->got = got;
    }
    e->units |= UINT64_C(1) << unit;
    e->lanes |= 1u << lane;
    e->high |= got & (uint8_t)~want;
    e->low |= want & (uint8_t)~got;
}

bool evidence_is_one(uint64_t mask)
{
    return mask != 0 && (mask & (mask - 1u)) == 0;
}

bool evidence_is_one_position(const evidence *e)
{
    return evidence_is_one(e->units) && evidence_is_one(e->lanes);
}

uint32_t evidence_index(uint64_t mask)
{
    uint32_t index = 0;
    while ((mask >> index & 1u) == 0) {
        index++;
    }
    return index;
}

static void describe_bits(const evidence *e, char *text, size_t bytes)
{
    const uint8_t bits = e->high | e->low;
    if (evidence_is_one(bits)) {
        snprintf(text, bytes, "bit %" PRIu32 " %s", evidence_index(bits),
                 e->low == 0    ? "stuck at 1"
                 : e->high == 0 ? "stuck at 0"
                                : "is wrong in both directions");
    } else {
        snprintf(text, bytes, "bits 0x%02x", bits);
    }
}

bool evidence_conclude(const evidence *e, report *r, const char *part, const char *unit)
{
    if (e->bytes == 0) {
        r->passed++;
        return true;
    }
    char units[32] = "", lanes[32], bits[48];
    if (unit != NULL && evidence_is_one(e->units)) {
        snprintf(units, sizeof units, "%s %" PRIu32 ", ", unit, evidence_index(e->units));
    } else if (unit != NULL) {
        snprintf(units, sizeof units, "several %ss, ", unit);
    }
    if (evidence_is_one(e->lanes)) {
        snprintf(lanes, sizeof lanes, "byte %" PRIu32 " of a beat", evidence_index(e->lanes));
    } else {
        snprintf(lanes, sizeof lanes, "bytes 0x%" PRIx32 " of a beat", e->lanes);
    }
    describe_bits(e, bits, sizeof bits);
    report_broken(r, part, "%s%s, %s; %" PRIu32 " bytes, the first 0x%02x in place of 0x%02x",
                  units, lanes, bits, e->bytes, e->got, e->want);
    return false;
}
