# SPDX-License-Identifier: Apache-2.0
"""Summing FP8 gradients over ranks: underflow and overflow of pre-scaling, post-scaling and FP8-LM's automatic factor.

The mean of N ranks' gradients is computed in e4m3fn, as an all-reduce in FP8 would:

    rank i        q_i = FP8(before * scale * g_i)
    all-reduce    s = the sum of the q_i in a binary tree, every partial sum rounded to FP8 and saturated
    result        after * s / scale

before and after come from fp8mac.recipes.fp8lm_reduction_factors: pre-scaling {1/N, 1}, post-scaling {1, 1/N}, automatic
{mu, 1/(N mu)}. mu begins at 1 and follows fp8mac.recipes.fp8lm_mu for STEPS steps: it is halved when more than 0.001 % of
the sums saturate, and else grows a little. scale is a power of two from the amax of the ranks' gradients of the step, the
smallest of the ranks; it does not know N, mu or the sum.

Gradients are synthetic. Element j of rank i is 2^(3 n_j) (m_j + e_ij) with n, m and e normal: elements spread over
binades, and ranks agree in part. Each step draws anew. The last step is measured, over its ELEMENTS elements:

underflow     share of the ranks' values that are not zero and become zero
overflow      share of the elements with a partial sum that saturates
sqnr          mean square of the exact mean over that of the error, in dB

After Peng et al., FP8-LM: training FP8 large language models (arXiv 2310.18313).
"""

import common
import fp8mac
import numpy as np
from fp8mac import recipes

KEYS = "reduction", "ranks"
FORMAT = "e4m3fn"
ELEMENTS, STEPS = 16384, 24
RANKS = tuple(2**i for i in range(0, 11))
REDUCTIONS = "pre-scaling", "post-scaling", "automatic"


class Gradients:
    """Those of one step. A rank's are drawn when they are asked for, and are the same every time."""

    def __init__(self, step: int):
        self.step = step
        rng = np.random.default_rng([common.SEED, step])
        self.spread = np.exp2(3 * rng.normal(size=ELEMENTS))
        self.common = rng.normal(size=ELEMENTS)

    def rank(self, i: int) -> np.ndarray:
        noise = np.random.default_rng([common.SEED, self.step, i]).normal(size=ELEMENTS)
        return (self.spread * (self.common + noise)).astype(np.float32)


def rounded(x: np.ndarray, overflow: str) -> np.ndarray:
    return fp8mac.decode(fp8mac.cast(x, FORMAT, overflow=overflow), FORMAT)


def all_reduce(gradients: Gradients, ranks: int, before: float, after: float) -> common.Row:
    every = [gradients.rank(i) for i in range(ranks)]
    scale = recipes.fp8lm_shared_scale(
        [recipes.msamp_scale(FORMAT, float(np.abs(g).max()), 1.0) for g in every]
    )
    scaled = [fp8mac.cast(g, FORMAT, scale=float(np.float32(before * scale))) for g in every]
    sums = [fp8mac.decode(codes, FORMAT) for codes in scaled]
    lost = sum(np.count_nonzero((q == 0) & (g != 0)) for q, g in zip(sums, every))
    overflowed = np.zeros(ELEMENTS, bool)
    while len(sums) > 1:
        for i in range(0, len(sums) - 1, 2):
            total = sums[i] + sums[i + 1]  # exact in float32: both have few bits
            overflowed |= np.isnan(rounded(total, "ieee"))
            sums[i] = rounded(total, "saturate")
        sums = sums[::2]
    exact = np.mean(every, axis=0, dtype=np.float64)
    error = sums[0].astype(np.float64) * (after / scale) - exact
    return {
        "underflow": lost / sum(map(np.count_nonzero, every)),
        "overflow": overflowed.mean(),
        "sqnr_db": 10 * np.log10(np.sum(exact**2) / np.sum(error**2)),
    }


def measure(ranks=RANKS) -> list[common.Row]:
    rows = []
    for reduction in REDUCTIONS:
        for n in ranks:
            mu = 1.0
            steps = range(STEPS) if reduction == "automatic" else [STEPS - 1]
            for step in steps:
                before, after = recipes.fp8lm_reduction_factors(reduction, n, mu)
                found = all_reduce(Gradients(step), n, before, after)
                row = {"reduction": reduction, "ranks": n, "before": before, **found}
                mu = recipes.fp8lm_mu(mu, round(found["overflow"] * ELEMENTS), ELEMENTS)
            rows.append(row)
    return rows


def draw(rows):
    measures = {
        "underflow": ("values of ranks that become zero, %", 100),
        "overflow": ("sums that saturate, %", 100),
        "sqnr_db": ("SQNR of the mean, dB", 1),
    }
    figure, every = common.panels(len(measures), "Gradients summed over ranks in e4m3fn", width=3.9)
    for axes, (key, (name, factor)) in zip(every, measures.items()):
        for i, reduction in enumerate(common.distinct(rows, "reduction")):
            some = common.select(rows, reduction=reduction)
            y = [factor * row[key] for row in some]
            axes.plot([row["ranks"] for row in some], y, label=reduction, **common.style(i))
        axes.set_xscale("log", base=2)
        axes.set_xlabel("ranks")
        axes.set_ylabel(name)
    every[0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    common.run("gradient_scaling", measure, draw)
