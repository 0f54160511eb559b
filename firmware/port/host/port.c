// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/app.h"

// No registers, no interrupt and no cache
const fp8rt_port fp8rt_app_port = {0};
