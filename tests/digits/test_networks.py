# SPDX-License-Identifier: Apache-2.0
"""Training of the digits networks: the reverse pass gives the gradients that differences of the forward pass give, and
the weights' codes are those of the library."""

import clib
import numpy as np
import pytest
import train
from networks import NETWORKS

IMAGES, ENTRIES, STEP = 3, 12, 1e-6
CLOSE = 1e-4


def in_double(network, rng):
    """Parameters in double precision, away from the zeros and ones with which training begins."""
    for name, p in network.parameters.items():
        network.parameters[name] = p.astype(np.float64) + rng.normal(0, 0.05, p.shape)


@pytest.mark.parametrize("kind", NETWORKS.values(), ids=NETWORKS)
def test_gradients(bench, kind, rng):
    network = kind(rng)
    in_double(network, rng)
    x, weights = rng.random((IMAGES, 64)), rng.normal(0, 1, (IMAGES, 10))
    masks = network.masks(IMAGES, rng)
    loss = lambda: (network.forward(x, masks)[0][-1] * weights).sum()
    gradients = network.backward(weights, *network.forward(x, masks))
    bench.check("gradients: of all parameters", set(gradients), set(network.parameters), kind.NAME)
    for name, p in network.parameters.items():
        g = gradients[name]
        bench.check("gradients: shapes", g.shape, p.shape, name)
        for i in rng.choice(p.size, min(p.size, ENTRIES), replace=False):
            kept, sums = p.flat[i], []
            for step in (STEP, -STEP):
                p.flat[i] = kept + step
                sums.append(loss())
            p.flat[i] = kept
            slope = (sums[0] - sums[1]) / (2 * STEP)
            bench.check(
                "gradients: those of differences",
                bool(abs(slope - g.flat[i]) <= CLOSE * max(1, abs(slope))),
                True,
                f"{kind.NAME} {name}[{i}]: {g.flat[i]:.6g}, differences give {slope:.6g}",
            )


def test_codes(bench, lib, rng):
    weights = (rng.normal(0, 1, (40, 60)) * np.exp2(rng.integers(-9, 3, (40, 60)))).astype(
        np.float32
    )
    codes, scale = train.quantise_rows(weights)
    for row, values in enumerate(weights):
        want, factor = clib.blank(values.size, np.uint8), np.float32(448) / np.abs(values).max()
        status = lib.quantize(
            lib.by_name["e4m3fn"], want.ctypes.data, values.ctypes.data, values.size,
            float(factor), clib.mode(), None,
        )  # fmt: skip
        bench.check("codes: quantised", status, clib.OK, row)
        bench.arrays("codes: those of the library", codes[row], want, lambda k: f"row {row}, {k}")
        bench.check("codes: the scale undoes it", scale[row], np.float32(1) / factor, row)
