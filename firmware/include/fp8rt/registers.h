// SPDX-License-Identifier: Apache-2.0
// Fields of the accelerator's registers, by the names of the register map: FP8RT_PUT(MODE__D_FMT,
// FP8MAC_FP32).
#ifndef FP8RT_REGISTERS_H
#define FP8RT_REGISTERS_H

#include <stddef.h>

#include "fp8mac_regs.h"

#define FP8RT_PUT(field, x)                                                                        \
    (((uint32_t)(x) << FP8MAC_REGS__##field##_bp) & FP8MAC_REGS__##field##_bm)
#define FP8RT_GET(field, word)                                                                     \
    (((uint32_t)(word) & FP8MAC_REGS__##field##_bm) >> FP8MAC_REGS__##field##_bp)
#define FP8RT_BIT(field) ((uint32_t)FP8MAC_REGS__##field##_bm)

#endif
