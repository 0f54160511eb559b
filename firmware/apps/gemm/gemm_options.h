// SPDX-License-Identifier: Apache-2.0
// The command line of gemm: KEY=value, every key with a default.
#ifndef GEMM_OPTIONS_H
#define GEMM_OPTIONS_H

#include "fp8rt/trial.h"

// Fills *trial. If a key or value is unknown, or an array of such elements does not have it, prints
// one sentence for each of these and returns false.
bool gemm_options_parse(int argc, char **argv, const fp8rt_element *element, fp8rt_trial *trial);

const char *gemm_accumulator_name(fp8mac_acc_format format);

#endif
