// SPDX-License-Identifier: Apache-2.0
#ifndef FP8MAC_CYCLES_IMAGES_H
#define FP8MAC_CYCLES_IMAGES_H

#include "cycles/machine.h"

enum { STRIP_MASK = (1 << 20) - 1 }; // bytes of a strip are counted so

// Bytes from row RAM 0's part of a strip to that of another one
uint32_t fp8mac_cycles_strip_start(const machine *m, uint32_t ram);
void fp8mac_cycles_align_clock(machine *m, const wires *w);

#endif
