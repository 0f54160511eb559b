# SPDX-License-Identifier: Apache-2.0
"""Accuracy over the exponent bias of Tesla's configurable formats, CFloat8_1_4_3 and CFloat8_1_5_2.

Weights and activations of a network are cast to the format with one bias, 0 to 63, without any scale. The formats have no
Inf and no NaN, so larger magnitudes saturate. Products are accumulated in FP32. Four networks of models.py.

The formats are those of Tesla Dojo technology: a guide to Tesla's configurable floating point formats & arithmetic (2021).
"""

import common
import fp8mac
import models
import numpy as np

KEYS = "network", "format", "bias"
FORMATS = "cfloat8_e4m3", "cfloat8_e5m2"
BIASES = tuple(range(64))
# Tables 4 and 5: the least and largest normal number of some biases, as (significand, exponent of 2).
PUBLISHED = {
    "cfloat8_e4m3": {0: (1, 15), 1: (0, 14), 31: (-30, -16), 63: (-62, -48)},
    "cfloat8_e5m2": {0: (1, 31), 1: (0, 30), 31: (-30, 0), 63: (-62, -32)},
}


def normal_exponents(format: str, bias: int) -> tuple[int, int]:
    """The exponents of the least and the largest normal number."""
    entry = fp8mac.format_of(f"{format}:{bias}")
    least = entry.record(1 << entry.mantissa_bits)
    return least.exponent, entry.record(entry.max_code).exponent


def measure_one(network: models.Measured, format: str, bias: int) -> common.Row:
    name = f"{format}:{bias}"
    codes = lambda x, amax=None: (fp8mac.cast(x, name), np.float32(1))
    return network.run(name, codes, codes)


def measure(networks=models.NAMES, biases=BIASES) -> list[common.Row]:
    rows = []
    for name in networks:
        network = models.measured(name)
        float32 = network.score()["accuracy"]
        for format in FORMATS:
            for bias in biases:
                found = measure_one(network, format, bias)
                low, high = normal_exponents(format, bias)
                row = {"network": name, "format": format, "bias": bias, **found}
                row |= {"kept": found["accuracy"] / float32, "low": low, "high": high}
                rows.append(row)
    return rows


def draw(rows):
    formats = common.distinct(rows, "format")
    figure, every = common.panels(len(formats), "Accuracy over the bias of CFloat8")
    for axes, format in zip(every, formats):
        for i, name in enumerate(common.distinct(rows, "network")):
            some = common.select(rows, network=name, format=format)
            axes.plot(
                [row["bias"] for row in some],
                [100 * row["accuracy"] for row in some],
                label=name,
                **common.style(i),
            )
        axes.set_title(format, fontsize=10)
        axes.set_xlabel("exponent bias")
    every[0].set_ylabel("accuracy, %")
    every[0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    common.run("cfloat8", measure, draw)
