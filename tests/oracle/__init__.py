# SPDX-License-Identifier: Apache-2.0
"""The arithmetic from its definitions, in exact numbers. Nothing here knows the library or shares code with it.

formats     the one table of formats, what their codes mean, classes and flags
exact       exact steps of FP8 products with an FP32, FP16 or Kulisch accumulator, and the epilogue; integers, fast
definition  every format, rounding and setting of a step; fractions, slow
"""
