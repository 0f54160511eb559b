// SPDX-License-Identifier: Apache-2.0
// Every pair of formats of A and B that the array takes, with every format of D.
#ifndef FORMATS_H
#define FORMATS_H

#include "fp8rt/app.h"
#include "report.h"

void check_formats(fp8rt_device *dev, fp8rt_arena arena, report *r);

#endif
