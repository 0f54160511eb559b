# SPDX-License-Identifier: Apache-2.0
"""One scaling bias for a whole network: which biases keep 99.5 % of the accuracy?

FP8-CSCALE: all weights and activations are quantised as cast(x * 2^b) with one constant b, and used as 2^-b * code, which
the hardware does with its scaling exponents (scale_exp_a, scale_exp_b). FP8-AMAX takes b of each tensor from its largest
magnitude (fp8mac.recipes.graphcore_amax_bias); for activations from that of the calibration. Four networks of models.py.

After Perez et al., Training and inference of large language models using 8-bit floating point (arXiv 2309.17224).
"""

import common
import fp8mac
import models
import numpy as np
from fp8mac import recipes

KEYS = "network", "format", "bias"
FORMATS = "e4m3fn", "e5m2"
BIASES = tuple(range(-20, 21))
KEPT = 0.995  # of the accuracy in float32


def constant(network: models.Measured, format: str, bias: int) -> common.Row:
    """The same bias for every tensor."""
    codes = lambda x, amax=None: (fp8mac.cast(np.ldexp(x, bias), format), np.float32(1))
    exponent = recipes.scale_exponent(recipes.graphcore_cscale_bias(bias))
    return network.run(format, codes, codes, scale_exp_a=exponent, scale_exp_b=exponent)


def by_tensor(network: models.Measured, format: str) -> common.Row:
    """A bias for each tensor."""

    def codes(x, amax):
        bias = recipes.graphcore_amax_bias(format, float(amax))
        return fp8mac.cast(np.ldexp(x, bias), format), np.float32(2.0**-bias)

    return network.run(format, codes, lambda w: codes(w, np.abs(w).max()))


def measure(networks=models.NAMES, biases=BIASES) -> list[common.Row]:
    rows = []
    for name in networks:
        network = models.measured(name)
        float32 = network.score()["accuracy"]
        for format in FORMATS:
            runs = {"each tensor": by_tensor(network, format)}
            runs |= {bias: constant(network, format, bias) for bias in biases}
            for bias, found in runs.items():
                row = {"network": name, "format": format, "bias": bias, **found}
                rows.append(row | {"kept": found["accuracy"] / float32})
    return rows


def good(rows: list[common.Row], kept: float = KEPT) -> list[int]:
    """The biases that keep this share of float32's accuracy."""
    return [row["bias"] for row in rows if row["kept"] >= kept]


def constants(rows):
    return [row for row in rows if row["bias"] != "each tensor"]


def draw(rows):
    formats = common.distinct(rows, "format")
    figure, every = common.panels(len(formats), "Accuracy with one scaling bias for all tensors")
    for axes, format in zip(every, formats):
        for i, name in enumerate(common.distinct(rows, "network")):
            some = constants(common.select(rows, network=name, format=format))
            y = [100 * row["kept"] for row in some]
            axes.plot([row["bias"] for row in some], y, label=name, **common.style(i))
        axes.axhline(100 * KEPT, color="#555555", linewidth=1, linestyle=":")
        axes.set_title(format, fontsize=10)
        axes.set_xlabel("scaling bias b: codes are cast(x * 2^b)")
    every[0].set_ylabel("share of float32's accuracy, %")
    every[0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    common.run("scaling_bias", measure, draw)
