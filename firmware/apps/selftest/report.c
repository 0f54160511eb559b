// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_count(report *r, bool passed, const char *name)
{
    passed ? r->passed++ : r->failed++;
    printf("%s %s\n", passed ? "ok  " : "FAIL", name);
}

bool report_is_broken(const report *r, const char *part)
{
    for (unsigned i = 0; i < r->broken_count && i < REPORT_PARTS; i++) {
        if (strncmp(r->broken[i], part, REPORT_NAME - 1) == 0) {
            return true;
        }
    }
    return false;
}

void report_name(report *r, const char *part)
{
    if (report_is_broken(r, part)) {
        return;
    }
    if (r->broken_count < REPORT_PARTS) {
        strncpy(r->broken[r->broken_count], part, REPORT_NAME - 1);
    }
    r->broken_count++;
}

void report_broken(report *r, const char *part, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    printf("FAIL %s: ", part);
    vprintf(format, values);
    printf("\n");
    va_end(values);
    r->failed++;
    report_name(r, part);
}

void report_print(const report *r)
{
    if (r->broken_count != 0) {
        printf("broken:");
        for (unsigned i = 0; i < r->broken_count && i < REPORT_PARTS; i++) {
            printf("%s %s", i == 0 ? "" : ",", r->broken[i]);
        }
        printf("%s\n", r->broken_count > REPORT_PARTS ? ", and more" : "");
    }
    printf("%u passed, %u failed\n", r->passed, r->failed);
}
