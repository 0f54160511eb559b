// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTS_H
#define FAULTS_H

#include "fp8rt/trial.h"

typedef struct faults {
    fp8rt_device dev;
    fp8rt_arena arena;
    unsigned passed, failed, skipped;
} faults;

// Counts and prints one line.
void faults_count(faults *f, bool passed, const char *name);
// What this build or this array cannot have.
void faults_skip(faults *f, const char *name, const char *why);
// A GEMM right after an error, compared with the golden model.
bool faults_still_works(faults *f);

// Illegal commands and bus errors, given to the device; a full queue.
void faults_run_commands(faults *f);
// Illegal descriptors and bus errors, through the GEMM library.
void faults_run_library(faults *f);

#endif
