// SPDX-License-Identifier: Apache-2.0
#include "faults_tally.h"

#include <stdio.h>

void faults_count(faults *f, bool passed, const char *name)
{
    if (passed) {
        f->passed++;
    } else {
        f->failed++;
    }
    printf("%s %s\n", passed ? "ok  " : "FAIL", name);
}

void faults_skip(faults *f, const char *name, const char *why)
{
    f->skipped++;
    printf("--   %s: %s\n", name, why);
}

bool faults_still_works(faults *f)
{
    const fp8rt_trial trial = {.m = 5,
                               .n = 18,
                               .k = 7,
                               .d_format = FP8MAC_FP32,
                               .seed = f->passed,
                               .a.format = fp8rt_element_format(&f->dev.caps.element),
                               .b.format = fp8rt_element_format(&f->dev.caps.element),
                               .acc_format = fp8rt_element_accumulator(&f->dev.caps.element)};
    fp8rt_trial_outcome outcome = fp8rt_trial_run(&f->dev, &trial, f->arena);
    return fp8rt_trial_passed(&outcome);
}
