// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the program: the accelerator, the memory and the counts.
#ifndef FAULTS_TALLY_H
#define FAULTS_TALLY_H

#include "fp8rt/trial.h"

typedef struct faults {
    fp8rt_device dev;
    fp8rt_arena arena;
    unsigned passed, failed, skipped;
} faults;

// Counts one test and prints its line.
void faults_count(faults *f, bool passed, const char *name);
// Counts a test that this build or this array cannot run, and prints why.
void faults_skip(faults *f, const char *name, const char *why);
// Runs a small GEMM, as after an error, and compares it with the golden model.
bool faults_still_works(faults *f);

#endif
