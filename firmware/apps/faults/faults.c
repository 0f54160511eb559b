// SPDX-License-Identifier: Apache-2.0
//: Provokes every error that the accelerator and the library can report, and counts.
//
// Each error must come back with its own status, must write nothing that the status promises not to
// write, and must leave a working accelerator. The last line is the count of tests.
#include <stdio.h>

#include "faults_commands.h"
#include "faults_library.h"

int main(void)
{
    static faults f;
    fp8rt_status status = fp8rt_device_open(&f.dev, &fp8rt_app_port);
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
