// SPDX-License-Identifier: Apache-2.0
#include "accelerator/machine.h"

uint32_t fp8mac_fault_word(const fp8mac_fault *fault, fp8mac_fault_part part, uint32_t unit,
                           uint32_t lane, uint32_t word)
{
    if (fault->part != part || fault->unit != unit || fault->lane != lane) {
        return word;
    }
    return (word & ~(UINT32_C(1) << fault->bit)) | fault->value << fault->bit;
}

void fp8mac_fault_bytes(const fp8mac_fault *fault, fp8mac_fault_part part, uint32_t unit,
                        uint32_t beat, uint32_t offset, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; fault->part == part && i < count; i++) {
        bytes[i] =
            (uint8_t)fp8mac_fault_word(fault, part, unit, (offset + i) & (beat - 1u), bytes[i]);
    }
}
