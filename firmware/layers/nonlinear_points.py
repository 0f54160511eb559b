#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes nonlinear_points.c: the FP32 words of curves at the ends of intervals of x.

    python3 firmware/layers/nonlinear_points.py > firmware/layers/nonlinear_points.c

A power of two of |x| has 16 intervals. layers/nonlinear.c interpolates the words between their ends.
"""

import math
import struct

STEP = 1 << 19  # of an interval, in FP32 words of |x|


def word(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def value(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x / 2 * math.erfc(-x * math.sqrt(0.5))


# Name, function, the first and the last |x|, and the signs of x that have words of their own
CURVES = [
    ("sigmoid_right", sigmoid, 2**-10, 16, 1),
    ("sigmoid_left", sigmoid, 2**-10, 16, -1),
    ("tanh", math.tanh, 2**-5, 8, 1),
    ("silu_right", silu, 2**-6, 16, 1),
    ("silu_left", silu, 2**-6, 16, -1),
    ("gelu_right", gelu, 2**-6, 8, 1),
    ("gelu_left", gelu, 2**-6, 8, -1),
]


def points(function, first, last, sign):
    words = range(word(first), word(last) + 1, STEP)
    return [word(function(sign * value(w))) for w in words]


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Written by firmware/layers/nonlinear_points.py.")
    print('#include "nonlinear_points.h"')
    print("\n// clang-format off")
    for name, function, first, last, sign in CURVES:
        words = points(function, first, last, sign)
        print(f"\n// |x| from {first:g} to {last:g}")
        print(f"const uint32_t fp8rt_points_{name}[{len(words)}] = {{")
        for i in range(0, len(words), 8):
            print("    " + " ".join(f"0x{w:08x}," for w in words[i : i + 8]))
        print("};")


if __name__ == "__main__":
    main()
