// SPDX-License-Identifier: Apache-2.0
#ifndef FP8MAC_CYCLES_EPILOGUE_H
#define FP8MAC_CYCLES_EPILOGUE_H

#include "cycles/machine.h"

bool fp8mac_cycles_epilogue_busy(const epilogue *e);
// The configuration of the tile command, from the next cycle on
void fp8mac_cycles_configure(machine *m, const tile *t);

#endif
