# SPDX-License-Identifier: Apache-2.0
"""The types of results, as mypy and pyright see them. test_python.py runs this file, and mypy on it."""

from typing import Any, assert_type

import fp8mac
import numpy as np
from fp8mac import Flags, GemmResult, recipes
from numpy.typing import NDArray

Codes = NDArray[Any]
Sums = NDArray[np.float32] | np.float32
Scales = NDArray[np.uint8]

x = np.ones((2, 32), np.float32)
a = assert_type(fp8mac.cast(x, "e4m3fn"), Codes)
both = assert_type(fp8mac.cast(x, "e4m3fn", return_flags=True, seed=3), tuple[Codes, Flags])
assert_type(fp8mac.decode(a, "e4m3fn", scale=2.0), Codes)
assert_type(fp8mac.dot(a, a, format="e4m3fn"), Sums)
assert_type(fp8mac.dot(a, a, "hopper-fp8", return_flags=True), tuple[Sums, Flags])
assert_type(fp8mac.gemm(a, a, format="e4m3fn", group=4), Codes)
result = assert_type(fp8mac.gemm(a, a, format="e4m3fn", return_result=True), GemmResult)
assert_type(result.d, Codes)
assert_type(fp8mac.exp2(x), NDArray[np.float32])
assert_type(fp8mac.rows("sum", x), Codes)
assert_type(fp8mac.rows("softmax", x, return_result=True, d_format="e4m3fn"), GemmResult)
assert_type(result.amax, np.float32)
assert_type(recipes.mx_quantize(x, "e4m3fn"), tuple[Codes, Scales])
assert_type(recipes.mx_quantize(x, "e4m3fn", return_flags=True), tuple[Codes, Scales, Flags])
assert_type(recipes.scale(448.0, 3.0), float)
assert_type(fp8mac.cycles(64, 64, 64), fp8mac.CycleCounts)
assert_type(fp8mac.cycles(64, 64, 64).cycles, int)


class Half:
    """As torch.float16 is declared; a result asked for with it is a tensor, which only PyTorch can name."""

    is_floating_point = True
    is_complex = False


def tensors(half: Half) -> None:
    """The package's types do not import PyTorch."""
    assert_type(fp8mac.cast(x, half), Any)
    assert_type(fp8mac.decode(a, "e4m3fn", dtype=half), Any)
    assert_type(fp8mac.dot(a, a, dtype=half), Any)
    assert_type(fp8mac.gemm(a, a, d_format=half), Any)


def asked(flags: bool) -> None:
    """The caller decides when the program runs."""
    assert_type(fp8mac.cast(x, "e4m3fn", return_flags=flags), Codes | tuple[Codes, Flags])
    assert_type(fp8mac.dot(a, a, return_flags=flags), Sums | tuple[Sums, Flags])
    assert_type(fp8mac.gemm(a, a, return_result=flags), Codes | GemmResult)


asked(True)
