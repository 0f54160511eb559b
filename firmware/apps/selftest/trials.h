// SPDX-License-Identifier: Apache-2.0
// GEMMs over the corners of shapes, formats and options, compared with the golden model:
// every output, amax, flags and counters. The runtime's packing and quantisation are
// compared with known answers.
#ifndef TRIALS_H
#define TRIALS_H

#include "fp8rt/device.h"
#include "report.h"

// `all_pairs`: every pair of formats of A and B with every format of D, not with one of them.
void run_trials(fp8rt_device *dev, bool all_pairs, report *r);

#endif
