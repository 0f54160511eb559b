# SPDX-License-Identifier: Apache-2.0
"""The same FP8 product on GPU generations and on this project's element, and how far each is from exact over K.

A and B are 16 x K and 16 x K values, cast to e4m3fn with the largest value at 240, so that e4m3fnuz (CDNA3) holds the same
values. C = A * B^T has 256 outputs. Each product of codes is exact, so only the accumulation differs. The exact result is
computed in float64, which holds it without rounding: a sum has at most 50 bits.

error        |C - exact| / sum |a b|, the root of the mean square and the largest of the 256 outputs
relative     |C - exact| / |exact|, the largest
as_exact     share of the outputs that are the exact sum rounded once to FP32

The presets are bit-accurate models of the hardware; `fp8mac presets` and fp8mac.presets say what each was compared with.
"""

import common
import fp8mac
import numpy as np

KEYS = "data", "hardware", "k"
SIZE, LARGEST = 16, 240
LENGTHS = tuple(2**i for i in range(5, 17))
OF_PATTERN = 4096  # the K whose first output is shown bit by bit
HARDWARE = {
    "Hopper": {"preset": "hopper-fp8"},
    "Hopper, FP32 every 128": {"preset": "hopper-fp8", "promote": 128},
    "Ada": {"preset": "ada-fp8"},
    "Blackwell": {"preset": "blackwell-fp8"},
    "CDNA3": {"preset": "cdna3-fp8"},
    "fp8mac, block": {"preset": "block"},
}
DATA = {
    "uniform [0, 1)": lambda rng, shape: rng.uniform(0, 1, shape),
    "normal": lambda rng, shape: rng.normal(size=shape),
}


def operand(draw, k: int, seed: list[int]) -> np.ndarray:
    x = draw(np.random.default_rng(seed), (SIZE, k))
    return fp8mac.cast(x * (LARGEST / np.abs(x).max()), "e4m3fn")


def product(a: np.ndarray, b: np.ndarray, settings: dict) -> np.ndarray:
    """C in FP32 of e4m3fn codes, in the format that the hardware takes."""
    own = fp8mac.Config(settings["preset"]).a_format.name
    if own != "e4m3fn":
        a, b = (fp8mac.cast(x, own, source="e4m3fn") for x in (a, b))
    return fp8mac.gemm(a, b, format=own, **settings)


def measure(lengths=LENGTHS) -> list[common.Row]:
    rows = []
    for index, (law, draw) in enumerate(DATA.items()):
        for k in lengths:
            a, b = (operand(draw, k, [common.SEED, index, k, side]) for side in (0, 1))
            va, vb = (fp8mac.decode(x, "e4m3fn", dtype=np.float64) for x in (a, b))
            exact, magnitude = va @ vb.T, np.abs(va) @ np.abs(vb).T
            nearest = exact.astype(np.float32)
            for name, settings in HARDWARE.items():
                c = product(a, b, settings)
                off = np.abs(c - exact)
                row = {
                    "data": law,
                    "hardware": name,
                    "k": k,
                    "rms_error": np.sqrt(np.mean((off / magnitude) ** 2)),
                    "largest_error": (off / magnitude).max(),
                    "largest_relative": (off / np.abs(exact)).max(),
                    "as_exact": (c == nearest).mean(),
                }
                if k == OF_PATTERN:
                    row["first_output"] = f"0x{c.view(np.uint32)[0, 0]:08x}"
                    row["first_exact"] = f"0x{nearest.view(np.uint32)[0, 0]:08x}"
                rows.append(row)
    return rows


def draw(rows):
    laws = common.distinct(rows, "data")
    figure, every = common.panels(
        len(laws), "Error of the same FP8 product on several machines", width=5.2
    )
    for axes, law in zip(every, laws):
        for i, name in enumerate(common.distinct(rows, "hardware")):
            some = common.select(rows, data=law, hardware=name)
            errors = [max(row["rms_error"], 1e-10) for row in some]
            axes.plot([row["k"] for row in some], errors, label=name, **common.style(i))
        axes.set_title(f"A and B {law}", fontsize=10)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("K, products of an output")
    every[0].set_ylabel("|C - exact| / sum |a b|, RMS of 256")
    every[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


if __name__ == "__main__":
    common.run("gpu_generations", measure, draw)
