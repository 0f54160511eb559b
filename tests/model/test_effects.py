# SPDX-License-Identifier: Apache-2.0
"""Published effects of narrow formats and accumulators, reproduced: sources, seeds and input laws stated with each."""

import ctypes as ct
import math

import clib
import numpy as np
from oracle import definition as d
from test_settings import dot_config

SQRT3 = math.sqrt(3)


def cast(lib, name, x):
    """Codes and their values, nearest even, saturated."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    codes, back = np.empty(x.shape, np.uint8), np.empty(x.shape)
    p = lib.by_name[name]
    assert (
        lib.convert_from_double(p, codes.ctypes.data, x.ctypes.data, x.size, clib.mode(), None)
        == clib.OK
    )
    assert lib.convert_to_double(back.ctypes.data, p, codes.ctypes.data, x.size) == clib.OK
    return codes, back


def dot(lib, s, a, b, place=(0, 0)):
    config, acc = dot_config(lib, s), clib.Acc(m=place[0], n=place[1])
    status = lib.dot(ct.byref(config), ct.byref(acc), a.tobytes(), b.tobytes(), a.size, None)
    assert status == clib.OK, lib.status_string(status)
    code = lib.acc_to_fp32(ct.byref(config), ct.byref(acc), None)
    return float(np.uint32(code).view(np.float32))


def test_freeze(bench, lib, seed):
    """A 1-6-9 accumulator freezes where its quantum is twice the largest term; chunks or stochastic rounding repair it.

    Wang et al., Training deep neural networks with 8-bit floating point numbers (NeurIPS 2018, arXiv 1812.08011),
    section 2.3 and figure 3: 65,536 terms of mean 1, chunks of 64. Terms are drawn, then cast to e4m3fn; the other
    operand is 1. The error is against the exact sum of the cast terms.
    """
    rng, terms = np.random.default_rng(seed), 65536
    laws = {
        "ones": (np.ones(terms), 1024),
        "uniform [0, 2)": (rng.uniform(0, 2, terms), 2048),
        "uniform [1-sqrt 3, 1+sqrt 3]": (rng.uniform(1 - SQRT3, 1 + SQRT3, terms), 4096),
    }
    one = np.full(terms, 0x38, np.uint8)
    base = d.settings(acc="E6M9")
    for name, (law, stop) in laws.items():
        codes, values = cast(lib, "e4m3fn", law)
        exact = values.sum()
        bench.check("1-6-9, nearest even: freezes", dot(lib, base, codes, one), float(stop), name)
        chunked = dot(lib, base._replace(chunk=64), codes, one)
        bench.check(
            "1-6-9, chunks of 64: within 1 %",
            abs(chunked / exact - 1) < 0.01,
            True,
            f"{name}: {chunked / exact}",
        )
        errors = [
            abs(
                dot(
                    lib,
                    base._replace(acc_rounding="STOCHASTIC", random_bits=16, seed=seed),
                    codes,
                    one,
                    (0, n),
                )
                / exact
                - 1
            )
            for n in range(8)
        ]
        print(f"1-6-9 stochastic, {name}: relative errors {np.round(errors, 4).tolist()}")
        bench.check(
            "1-6-9, stochastic: mean of 8 within 5 %",
            float(np.mean(errors)) < 0.05,
            True,
            f"{name}: {errors}",
        )


def test_fourteen_bits(bench, lib, seed):
    """Sums of positive terms drift down when every step truncates; promotion every 128 terms repairs it.

    DeepSeek-AI, DeepSeek-V3 technical report (arXiv 2412.19437), 3.3.2: about 14 bits kept, K = 4096, nearly 2 %
    largest relative error; promotion to FP32 every 128. A and B uniform [0, 1), scaled so that the largest is 448, cast
    to e4m3fn; steps of 32, 14 fraction bits toward zero, kept in FP32 toward zero. 16 x 16 outputs.
    """
    rng, k, size = np.random.default_rng(seed), 4096, 16
    operands = []
    for _ in range(2):
        x = rng.uniform(0, 1, (size, k))
        operands.append(cast(lib, "e4m3fn", x * (448 / x.max())))
    (a, va), (b, vb) = operands
    exact = va @ vb.T
    s = d.settings(group=32, frac_bits=14, acc_rounding="TOWARD_ZERO")
    for name, setting, low, high in (
        ("one accumulator", s, 0.02, 0.06),
        ("promoted every 128", s._replace(promote=128), 0.0, 0.001),
    ):
        got = np.array([[dot(lib, setting, a[i], b[j]) for j in range(size)] for i in range(size)])
        worst = float(np.max(np.abs(got / exact - 1)))
        print(f"14 fraction bits toward zero, K = 4096, {name}: largest relative error {worst:.5f}")
        bench.check(f"14 bits, {name}: largest relative error", low <= worst <= high, True, worst)


# ---- bits of accuracy -----------------------------------------------------------------------------------------------
# log2(sigma / RMSE) of the best scale for a format, by integrating the squared error over each interval that rounds to
# one value: with partial moments M0, M1, M2 of the density, the integral of (x - q)^2 is M2 - 2 q M1 + q^2 M0. After
# Noune et al., 8-bit numerical formats for deep neural networks (arXiv 2206.02915), and Kuzmin et al., FP8
# quantization: the power of the exponent (arXiv 2208.09225), whose formats these are. Student-t: nu = 3, truncated at +-1e5.

erf = np.vectorize(math.erf)


def uniform_moments(x):
    x = np.minimum(x, 1.0)
    return x / 2, x**2 / 4, x**3 / 6


def normal_moments(x):
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    below = erf(x / math.sqrt(2)) / 2
    return below, -density, below - x * density


def student_moments(x):
    x = np.minimum(x, 1e5)
    angle, rational = np.arctan(x / SQRT3), 3 + x * x
    return (
        (SQRT3 * x / rational + angle) / math.pi,
        -3 * SQRT3 / (math.pi * rational),
        6 * SQRT3 / math.pi * (angle / (2 * SQRT3) - x / (2 * rational)),
    )


LAWS = {
    "uniform": (uniform_moments, 1.0),
    "normal": (normal_moments, 40.0),
    "student": (student_moments, 1e5),
}
BITS = {
    "qc_e4m3": (5.44, 5.24, 5.18),
    "qc_e5m2": (4.47, 4.25, 4.24),
    "qc_e3m4": (6.42, 6.24, 4.19),
    "qc_e2m5": (7.39, 7.09, 3.21),
    "int8": (7.99, 6.73, 2.88),
}


def mean_square(moments, limit, values, scale):
    """Twice the integral over the positive half: the laws and the values are symmetric."""
    q = values * scale
    edges = np.concatenate(([0.0], (q[1:] + q[:-1]) / 2, [limit]))
    m0, m1, m2 = (np.diff(m) for m in moments(np.minimum(edges, limit)))
    return 2 * float(np.sum(m2 - 2 * q * m1 + q * q * m0))


def bits_of_accuracy(moments, limit, values):
    m0, _, m2 = moments(np.array([0.0, limit]))
    variance = (m2[1] - m2[0]) / (m0[1] - m0[0])
    exponents = np.arange(-2.0, math.log2(limit) + 2, 1 / 16)
    for width in (1 / 16, 1 / 256):
        errors = [mean_square(moments, limit, values, 2.0**e / values[-1]) for e in exponents]
        best = exponents[int(np.argmin(errors))]
        exponents = best + np.arange(-width, width, width / 16)
    least = min(errors) / (2 * (m0[1] - m0[0]))
    return math.log2(math.sqrt(variance / least))


def test_bits(bench, lib):
    for name, published in BITS.items():
        p = lib.by_name[name]
        values = np.array(
            [lib.value_to_double(lib.decode(p, code)) for code in range(lib.format_max_code(p) + 1)]
        )
        middles = (
            values[1:] + values[:-1]
        ) / 2  # the library rounds at the middles, which the integral assumes
        up = np.array(
            [
                lib.encode(p, lib.value_from_double(float(np.nextafter(x, 1e9))), clib.mode(), None)
                for x in middles
            ]
        )
        down = np.array(
            [
                lib.encode(p, lib.value_from_double(float(np.nextafter(x, 0))), clib.mode(), None)
                for x in middles
            ]
        )
        order = np.arange(middles.size)
        bench.arrays(
            "bits: the library rounds at the middles",
            np.stack([down, up]),
            np.stack([order, order + 1]),
        )
        for (law, (moments, limit)), want in zip(LAWS.items(), published):
            got = bits_of_accuracy(moments, limit, values)
            print(f"bits of accuracy, {name}, {law}: {got:.3f} (published {want})")
            bench.check(
                "bits of accuracy within 0.05",
                abs(got - want) <= 0.05,
                True,
                f"{name} {law}: {got:.3f}, {want}",
            )


def test_arange(bench, lib):
    """arange(16) in e5m2fnuz, its dot product with itself, and that in e5m2fnuz."""
    codes, values = cast(lib, "e5m2fnuz", np.arange(16.0))
    bench.check(
        "arange(16) in e5m2fnuz",
        values.tolist(),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 12, 12, 14, 16],
    )
    for group in (1, 4, 16):
        s = d.settings(a_format="e5m2fnuz", b_format="e5m2fnuz", group=group)
        bench.check("arange(16) . arange(16)", dot(lib, s, codes, codes), 1252.0, group)
    bench.check("1252 in e5m2fnuz", cast(lib, "e5m2fnuz", [1252.0])[1].tolist(), [1280.0])
    bench.check(
        "[2^-14, 2, 7] at 1/64",
        cast(lib, "e4m3fn", np.array([2.0**-14, 2, 7]) * 64)[1].tolist(),
        [2.0**-8, 128, 448],
    )
