// SPDX-License-Identifier: Apache-2.0
// Counts checks, and keeps the names of what is broken.
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { REPORT_PARTS = 16, REPORT_NAME = 40 };

typedef struct report {
    unsigned passed, failed;
    char broken[REPORT_PARTS][REPORT_NAME]; // without repetitions
    unsigned broken_count;                  // also of those for which there was no room
} report;

// Counts a check and prints a line with its name.
void report_count(report *r, bool passed, const char *name);
// Counts a failure and prints "FAIL part: text"; the part is broken.
void report_broken(report *r, const char *part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a part to what is broken, without a line.
void report_name(report *r, const char *part);
bool report_is_broken(const report *r, const char *part);
// The last lines: the broken parts, if there are any, and the counts.
void report_print(const report *r);

#endif
