# SPDX-License-Identifier: Apache-2.0
"""Post-training quantisation of four networks to e4m3fn, e5m2, e3m4 and INT8, with weight scales per tensor and per channel.

Every operand of a matrix product is quantised, those of attention too. The scale of an activation is static, one for each
tensor: the format's largest value is the largest magnitude of the calibration. A weight's scale is 1 for the tensor or one
for each output channel, from its largest magnitude (max calibration). FP8 sums are rounded to FP32 after each product, INT8
sums are exact INT32. Nothing is retrained.

After Micikevicius et al., FP8 formats for deep learning (arXiv 2209.05433), section 4.2 and table 5.
"""

import common
import fp8mac
import models
import numpy as np

KEYS = "network", "format", "weights"
FORMATS = "e4m3fn", "e5m2", "e3m4", "int8"
SCALES = "per tensor", "per channel"


def quantise(x, amax, format):
    """Codes of x, and the scale that undoes it. amax is one value, or one for each row."""
    largest = fp8mac.formats[format].max
    scale = np.where(amax > 0, np.float32(amax) / np.float32(largest), np.float32(1))
    return fp8mac.cast(x / scale, format), scale.astype(np.float32).ravel()


def measure_one(name: str, format: str, scales: str) -> common.Row:
    def weight(w):
        amax = np.abs(w).max(axis=1, keepdims=True) if scales == "per channel" else np.abs(w).max()
        return quantise(w, amax, format)

    return models.measured(name).run(format, lambda x, amax: quantise(x, amax, format), weight)


def measure(networks=models.NAMES) -> list[common.Row]:
    rows = []
    for name in networks:
        rows.append(
            {"network": name, "format": "float32", "weights": "-", **models.measured(name).score()}
        )
        for format in FORMATS:
            for scales in SCALES:
                row = {"network": name, "format": format, "weights": scales}
                rows.append(row | measure_one(name, format, scales))
    return rows


def draw(rows):
    names = common.distinct(rows, "network")
    figure, (axes,) = common.panels(
        1, "SQNR of the outputs after post-training quantisation", width=8.4
    )
    for i, format in enumerate(FORMATS):
        for j, scales in enumerate(SCALES):
            some = [common.select(rows, network=n, format=format, weights=scales)[0] for n in names]
            x = np.arange(len(names)) + (2 * i + j - 3.5) * 0.1
            shade = {"alpha": 0.55} if j == 0 else {}
            axes.bar(
                x,
                [row["sqnr_db"] for row in some],
                0.095,
                color=common.COLOURS[i],
                label=f"{format}, weights {scales}",
                **shade,
            )
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("SQNR of the outputs, dB")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


if __name__ == "__main__":
    common.run("post_training", measure, draw)
