# SPDX-License-Identifier: Apache-2.0
"""Writes the table of tanh that fixed.h interpolates, as C: firmware/layers/tanh_table.py > firmware/layers/tanh_table.c"""

import math

STEPS, STEPS_PER_ONE, ONE = 512, 64, 1 << 15

print("// SPDX-License-Identifier: Apache-2.0")
print("// Written by firmware/layers/tanh_table.py.")
print('#include "fixed.h"\n')
print("const uint16_t fp8rt_tanh_table[FP8RT_TANH_STEPS + 1] = {")
values = [round(math.tanh(i / STEPS_PER_ONE) * ONE) for i in range(STEPS + 1)]
for first in range(0, len(values), 12):
    print("    " + ", ".join(str(v) for v in values[first : first + 12]) + ",")
print("};")
