# SPDX-License-Identifier: Apache-2.0
"""Error of a dot product over its length, in a 16-bit accumulator: chunks and stochastic rounding.

The accumulator is IBM's 1-6-9 (sign, exponent, fraction). Operand A holds values of mean 1 and deviation 1, uniform in
[1 - sqrt 3, 1 + sqrt 3], cast to e5m2; B holds ones. A length takes the first terms of the same 16 vectors. The error is
|sum - exact| / |exact|, where exact is the sum of the cast terms; rows have its mean and its largest. The rows "ones"
sum 16 vectors of ones, between which only the random bits differ. The generator's key is SEED, its counter is that of
outputs 0 to 15.

After Wang et al., Training deep neural networks with 8-bit floating point numbers (NeurIPS 2018, arXiv 1812.08011),
section 2.3 and figure 3.
"""

import common
import fp8mac
import numpy as np

KEYS = "data", "accumulator", "length"
FORMAT, VECTORS, LONGEST = "e5m2", 16, 65536
LENGTHS = tuple(2**i for i in range(4, 17))
# One product a step into 1-6-9, but for the first.
ACCUMULATORS = {
    "FP32": {"acc_format": "fp32"},
    "1-6-9, nearest even": {"acc_format": "e6m9"},
    **{
        f"1-6-9, chunks of {cl}": {"acc_format": "e6m9", "chunk": cl}
        for cl in (8, 32, 64, 256, 1024)
    },
    "1-6-9, stochastic": {"preset": "ibm-stochastic", "seed": common.SEED},
}


def terms() -> np.ndarray:
    """Codes, one vector a row."""
    rng = np.random.default_rng(common.SEED)
    x = rng.uniform(1 - np.sqrt(3), 1 + np.sqrt(3), (VECTORS, LONGEST))
    return fp8mac.cast(x, FORMAT)


def sums(codes: np.ndarray, settings: dict) -> np.ndarray:
    ones = np.full(codes.shape[-1], fp8mac.cast(1.0, FORMAT), np.uint8)
    return fp8mac.dot(codes, ones, format=FORMAT, **settings).astype(np.float64)


def measure(lengths=LENGTHS) -> list[common.Row]:
    rows = []
    data = {
        "mean 1, deviation 1": terms(),
        "ones": np.full((VECTORS, LONGEST), fp8mac.cast(1.0, FORMAT), np.uint8),
    }
    for law, codes in data.items():
        for length in lengths:
            exact = fp8mac.decode(codes[:, :length], FORMAT, dtype=np.float64).sum(axis=1)
            for name, settings in ACCUMULATORS.items():
                found = sums(codes[:, :length], settings)
                errors = np.abs(found - exact) / np.abs(exact)
                row = {"data": law, "accumulator": name, "length": length}
                row |= {"mean_error": errors.mean(), "largest_error": errors.max()}
                rows.append(row | {"least": found.min(), "most": found.max()})
    return rows


def draw(rows):
    figure, (axes,) = common.panels(1, "Error of a sum in a 1-6-9 accumulator", width=8.4)
    some = common.select(rows, data="mean 1, deviation 1")
    for i, name in enumerate(common.distinct(some, "accumulator")):
        points = common.select(some, accumulator=name)
        errors = [
            max(row["mean_error"], 1e-8) for row in points
        ]  # 0 has no place on a logarithmic axis
        axes.plot([row["length"] for row in points], errors, label=name, **common.style(i))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("length of the dot product, terms")
    axes.set_ylabel(f"|sum - exact| / |exact|, mean of {VECTORS}")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


if __name__ == "__main__":
    common.run("accumulation", measure, draw)
