// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTS_LIBRARY_H
#define FAULTS_LIBRARY_H

#include "faults_tally.h"

// Illegal descriptors and bus errors, through the GEMM library.
void faults_run_library(faults *f);

#endif
