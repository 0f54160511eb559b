// SPDX-License-Identifier: Apache-2.0
// What wrong bytes have in common: their position in a beat of the bus, and the row RAM in which
// they lay.
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdint.h>

#include "report.h"

typedef struct evidence {
    uint64_t units;    // a bit for each row RAM, or table
    uint32_t lanes;    // for each byte of a beat
    uint8_t high, low; // bits that are 1 and should be 0; the reverse
    uint32_t bytes;
    uint8_t want, got; // of the first one
} evidence;

// Adds a byte if it is wrong.
void evidence_add(evidence *e, uint32_t unit, uint32_t lane, uint8_t want, uint8_t got);
bool evidence_is_one(uint64_t mask);
// Of the lowest bit of a mask that is not 0
uint32_t evidence_index(uint64_t mask);
// All wrong bytes lay in one row RAM, at one position in a beat.
bool evidence_is_one_position(const evidence *e);
// Reports all the bytes that one test has seen, as one check. `unit` says what the units are; NULL:
// there is one. Returns whether they were right.
bool evidence_conclude(const evidence *e, report *r, const char *part, const char *unit);

#endif
