// SPDX-License-Identifier: Apache-2.0
// The version of the library, which is that of the project.
#ifndef FP8RT_VERSION_H
#define FP8RT_VERSION_H

#include "fp8mac/version.h"

#define FP8RT_VERSION FP8MAC_VERSION // "MAJOR.MINOR.PATCH"
// 0xMMmmpp, to compare in #if
#define FP8RT_VERSION_NUMBER                                                                       \
    (FP8MAC_VERSION_MAJOR << 16 | FP8MAC_VERSION_MINOR << 8 | FP8MAC_VERSION_PATCH)

#endif
