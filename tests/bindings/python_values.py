# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: formats, fixtures, bit patterns."""

import math
from fractions import Fraction

import fp8mac
import ml_dtypes
import numpy as np
import pytest
from fp8mac import Error

FP8 = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"]
ML = {
    **{
        n: getattr(ml_dtypes, f"float8_{n}")
        for n in FP8 + ["e4m3", "e3m4", "e4m3b11fnuz", "e8m0fnu"]
    },
    "e3m2fn": ml_dtypes.float6_e3m2fn,
    "e2m3fn": ml_dtypes.float6_e2m3fn,
    "e2m1fn": ml_dtypes.float4_e2m1fn,
}
F32 = np.float32


@pytest.fixture(autouse=True)
def quiet():
    """NaN, Inf and overflow are among the values."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def refused(check):
    """Error is a ValueError, names the status, and says what is wrong, once."""

    def compare(sentence, status, call):
        try:
            got = (None, None, f"returned {call()!r}")
        except ValueError as error:
            own, general = str(error), fp8mac._core.status_text(status)
            once = own == general or (general not in own and not own.endswith(".."))
            got = (
                type(error),
                getattr(error, "status", None),
                sentence if sentence in own and once else own,
            )
        except Exception as error:
            got = (type(error), None, str(error))
        check("refusals", got, (Error, f"FP8MAC_ERR_{status}", sentence))

    return compare


def bits_of(x):
    """Patterns, a NaN being any NaN."""
    x = np.asarray(x)
    bits = x.view(f"u{x.dtype.itemsize}").copy()
    return np.where(np.isnan(x.astype(np.float64)), np.uint64(2**63), bits.astype(np.uint64))


def swapped(x):
    """The same values in the other byte order."""
    x = np.asarray(x)
    return x.astype(x.dtype.newbyteorder())


def nearest_single(x):
    """The float32 nearest to a fraction, ties to even."""
    if x == 0:
        return F32(0)
    exponent = max(math.frexp(float(abs(x)))[1] - 24, -149)
    for step in (exponent - 1, exponent, exponent + 1):
        units = abs(x) / Fraction(2) ** step
        if units < 2**24 or step == exponent + 1:
            whole = round(units)  # to nearest, ties to even
            return F32(math.copysign(math.ldexp(whole, step), x))
