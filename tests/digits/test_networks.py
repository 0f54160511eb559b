# SPDX-License-Identifier: Apache-2.0
"""Training of the digits networks: the reverse pass gives the gradients that differences of the forward pass give, and
the weights' codes are those of the library."""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "model"), str(HERE.parents[1] / "firmware" / "apps" / "digits")]

import clib
import train
from checks import Checks, arguments
from networks import NETWORKS

IMAGES, ENTRIES, STEP = 3, 12, 1e-6
CLOSE = 1e-4


def in_double(network, rng):
    """Parameters in double precision, away from the zeros and ones with which training begins."""
    for name, p in network.parameters.items():
        network.parameters[name] = p.astype(np.float64) + rng.normal(0, 0.05, p.shape)


def test_gradients(c, kind, rng):
    network = kind(rng)
    in_double(network, rng)
    x, weights = rng.random((IMAGES, 64)), rng.normal(0, 1, (IMAGES, 10))
    masks = network.masks(IMAGES, rng)
    loss = lambda: (network.forward(x, masks)[0][-1] * weights).sum()
    gradients = network.backward(weights, *network.forward(x, masks))
    c.check("gradients: of all parameters", set(gradients), set(network.parameters), kind.NAME)
    for name, p in network.parameters.items():
        g = gradients[name]
        c.check("gradients: shapes", g.shape, p.shape, name)
        for i in rng.choice(p.size, min(p.size, ENTRIES), replace=False):
            kept, sums = p.flat[i], []
            for step in (STEP, -STEP):
                p.flat[i] = kept + step
                sums.append(loss())
            p.flat[i] = kept
            slope = (sums[0] - sums[1]) / (2 * STEP)
            c.check(
                "gradients: those of differences",
                bool(abs(slope - g.flat[i]) <= CLOSE * max(1, abs(slope))),
                True,
                f"{kind.NAME} {name}[{i}]: {g.flat[i]:.6g}, differences give {slope:.6g}",
            )


def test_codes(c, lib, rng):
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
        c.check("codes: quantised", status, clib.OK, row)
        c.arrays("codes: those of the library", codes[row], want, lambda k: f"row {row}, {k}")
        c.check("codes: the scale undoes it", scale[row], np.float32(1) / factor, row)


def main():
    args = arguments("digits: training")
    c, lib, rng = Checks(), clib.Library(args.lib), np.random.default_rng(args.seed)
    for kind in NETWORKS.values():
        test_gradients(c, kind, rng)
    test_codes(c, lib, rng)
    return c.finish()


if __name__ == "__main__":
    sys.exit(main())
