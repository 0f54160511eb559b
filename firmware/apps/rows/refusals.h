// SPDX-License-Identifier: Apache-2.0
// Descriptors that fp8rt_rows refuses before the accelerator sees them.
#ifndef ROWS_REFUSALS_H
#define ROWS_REFUSALS_H

#include "fp8rt/rows.h"

void rows_refusals(fp8rt_device *dev, unsigned *passed, unsigned *failed);

#endif
