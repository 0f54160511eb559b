# SPDX-License-Identifier: Apache-2.0
"""Which 8-bit format suits which distribution: bits of accuracy of 5 formats and 3 distributions.

Bits of accuracy are log2(sigma / RMSE) for the scale with the least error, so one bit is 6.02 dB of SQNR. The error is
integrated, not sampled: over each interval that rounds to one value q, the integral of (x - q)^2 is M2 - 2 q M1 + q^2 M0
with the partial moments M0, M1, M2 of the density. The values of a format are those that fp8mac decodes.

Formats and distributions are those of Kuzmin et al., FP8 quantization: the power of the exponent (arXiv 2208.09225).
Student's t has nu = 3 and ends at +-1e5.
"""

import math

import common
import fp8mac
import numpy as np

KEYS = "format", "distribution"
SQRT3 = math.sqrt(3)
erf = np.vectorize(math.erf)


def uniform_moments(x):
    x = np.minimum(x, 1.0)
    return x / 2, x**2 / 4, x**3 / 6


def normal_moments(x):
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    below = erf(x / math.sqrt(2)) / 2
    return below, -density, below - x * density


def student_moments(x):
    angle, rational = np.arctan(x / SQRT3), 3 + x * x
    return (
        (SQRT3 * x / rational + angle) / math.pi,
        -3 * SQRT3 / (math.pi * rational),
        6 * SQRT3 / math.pi * (angle / (2 * SQRT3) - x / (2 * rational)),
    )


# The partial moments from 0 to x, and where the distribution ends.
DISTRIBUTIONS = {
    "uniform": (uniform_moments, 1.0),
    "normal": (normal_moments, 40.0),
    "Student's t": (student_moments, 1e5),
}
# Bits of accuracy for these distributions, as published.
PUBLISHED = {
    "qc_e5m2": (4.47, 4.25, 4.24),
    "qc_e4m3": (5.44, 5.24, 5.18),
    "qc_e3m4": (6.42, 6.24, 4.19),
    "qc_e2m5": (7.39, 7.09, 3.21),
    "int8": (7.99, 6.73, 2.88),
}


def positive_values(name: str) -> np.ndarray:
    """Every value of the format from 0 to its largest."""
    format = fp8mac.formats[name]
    return fp8mac.decode(np.arange(format.max_code + 1, dtype=np.uint8), format, dtype=np.float64)


def mean_square(moments, limit: float, q: np.ndarray) -> float:
    """Twice the integral of the squared error over the positive half: distributions and formats are symmetric."""
    edges = np.concatenate(([0.0], (q[1:] + q[:-1]) / 2, [limit]))
    m0, m1, m2 = (np.diff(m) for m in moments(np.minimum(edges, limit)))
    return 2 * float(np.sum(m2 - 2 * q * m1 + q * q * m0))


def bits_of_accuracy(moments, limit: float, values: np.ndarray) -> float:
    """With the scale that has the least error: a coarse search, then a fine one around its best."""
    m0, _, m2 = moments(np.array([0.0, limit]))
    inside = 2 * (m0[1] - m0[0])
    variance = 2 * (m2[1] - m2[0]) / inside
    exponents = np.arange(-2.0, math.log2(limit) + 2, 1 / 16)
    for width in (1 / 16, 1 / 256):
        errors = [mean_square(moments, limit, values * (2.0**e / values[-1])) for e in exponents]
        exponents = exponents[int(np.argmin(errors))] + np.arange(-width, width, width / 16)
    return math.log2(math.sqrt(variance / (min(errors) / inside)))


def measure(formats=tuple(PUBLISHED)) -> list[common.Row]:
    rows = []
    for name in formats:
        values = positive_values(name)
        for (law, (moments, limit)), published in zip(DISTRIBUTIONS.items(), PUBLISHED[name]):
            bits = bits_of_accuracy(moments, limit, values)
            rows.append(
                {
                    "format": name,
                    "distribution": law,
                    "bits": bits,
                    "sqnr_db": 20 * math.log10(2) * bits,
                    "published_bits": published,
                }
            )
    return rows


def draw(rows):
    figure, (axes,) = common.panels(1, "Bits of accuracy of 8-bit formats", width=8.4)
    formats, laws = common.distinct(rows, "format"), common.distinct(rows, "distribution")
    for i, law in enumerate(laws):
        some = common.select(rows, distribution=law)
        x = np.arange(len(formats)) + (i - 1) * 0.27
        axes.bar(x, [row["bits"] for row in some], 0.25, color=common.COLOURS[i], label=law)
        published = [row["published_bits"] for row in some]
        axes.plot(
            x, published, "_", color="black", markersize=16, label="published" if i == 0 else None
        )
    axes.set_xticks(range(len(formats)), formats)
    axes.set_ylabel("log2(sigma / RMSE), bits")
    axes.legend(fontsize=9)
    return figure


if __name__ == "__main__":
    common.run("sqnr", measure, draw)
