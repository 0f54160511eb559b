// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

const char *fp8mac_version(void)
{
    return FP8MAC_VERSION;
}
