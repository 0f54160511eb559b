// SPDX-License-Identifier: Apache-2.0
// Every kind of error that the accelerator and the library can report is provoked; each must come back with its own
// status, touch nothing it promises not to touch, and leave an accelerator that works. The last line counts.
#include "faults.h"

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
                               .acc_format = fp8rt_element_accumulator(&f->dev.caps.element)};
    fp8rt_trial_outcome outcome = fp8rt_trial_run(&f->dev, &trial, f->arena);
    return fp8rt_trial_passed(&outcome);
}

int main(void)
{
    static faults f;
    fp8rt_status status = fp8rt_device_open(&f.dev);
    f.arena = fp8rt_app_arena();
    if (status == FP8RT_OK) {
        faults_run_commands(&f);
        faults_run_library(&f);
    } else {
        printf("faults: %s\n", fp8rt_status_string(status));
    }
    printf("%u skipped\n", f.skipped);
    printf("%u passed, %u failed\n", f.passed, f.failed);
    return f.failed == 0 && f.passed > 0 ? 0 : 1;
}
