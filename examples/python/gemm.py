# SPDX-License-Identifier: Apache-2.0
"""The golden model in Python: one scaled GEMM in FP8, and how far each accumulator is from float64."""

import fp8mac
import numpy as np

M, N, K = 16, 12, 512


def main() -> int:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(M, K)).astype(np.float32)
    w = rng.normal(size=(N, K)).astype(np.float32)
    # One scale per tensor, so that the largest value becomes the format's largest.
    largest = fp8mac.formats["e4m3fn"].max
    scale_x, scale_w = np.abs(x).max() / largest, np.abs(w).max() / largest
    a, b = fp8mac.cast(x / scale_x, "e4m3fn"), fp8mac.cast(w / scale_w, "e4m3fn")
    # What the codes stand for, multiplied in float64: the error of the conversion is not counted.
    exact = (
        fp8mac.decode(a, "e4m3fn", dtype=np.float64)
        @ fp8mac.decode(b, "e4m3fn", dtype=np.float64).T
    )
    exact *= np.float64(scale_x) * np.float64(scale_w)

    limits = {"fp32": 1e-6, "hopper-fp8": 2e-3}
    failed = 0
    for name, limit in limits.items():
        how = {"preset": name} if name in fp8mac.presets else {"acc_format": name, "group": 4}
        d = fp8mac.gemm(a, b, format="e4m3fn", scale_a=scale_x, scale_b=scale_w, **how)
        error = np.linalg.norm(d - exact) / np.linalg.norm(exact)
        failed += not error < limit
        print(f"{name:12} relative error {error:.1e}, limit {limit:.0e}")
    print(f"{len(limits) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
