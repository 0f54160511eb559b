// SPDX-License-Identifier: Apache-2.0
// Patterns through the data paths and memories of the accelerator, by commands whose results are
// known without a model. Each bit is seen as 0 and as 1.
#ifndef PATHS_H
#define PATHS_H

#include "fp8rt/app.h"
#include "report.h"

// What is broken if wrong products have no position in common, such as the decoding of a format.
#define PATH_PRODUCTS "products"

// `arena` is for the operands. A path that needs a broken one is not tested. False: something is
// broken beside PATH_PRODUCTS.
bool check_paths(fp8rt_device *dev, fp8rt_arena arena, report *r);

#endif
