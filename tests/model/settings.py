# SPDX-License-Identifier: Apache-2.0
"""Random settings of a step, and operands and accumulators for them."""

import clib
import numpy as np
from checks import show
from oracle import definition as d

OPERANDS = (
    "e4m3fn",
    "e5m2",
    "e4m3fnuz",
    "e5m2fnuz",
    "e4m3",
    "e3m4",
    "e4m3b11fnuz",
    "hfp8_e4m3",
    "cfloat8_e4m3",
    "cfloat8_e5m2",
    "qc_e5m2",
    "qc_e2m5",
    "gaudi_e4m3",
    "e3m2fn",
    "e2m3fn",
    "e2m1fn",
    "mxint8",
    "int8",
)
ACCS = tuple(d.ACC_FORMATS)


def acc_min_exponent(acc):
    """The exponent of the smallest normal number of an accumulator's format."""
    return 1 - d.FORMATS[d.ACC_FORMATS[acc]].bias


def coded_min_exponent(s):
    """The field has two special values: 0 is -126, and 1 is the accumulator's own least exponent. Exact sums have 0."""
    if s.frac_bits and s.min_exponent == acc_min_exponent(s.acc) and s.group % 2:
        return 1
    return 0 if s.min_exponent == -126 else s.min_exponent


def dot_config(lib, s):
    """The library's configuration of the definition's settings."""
    return clib.DotConfig(
        (lib.by_name[s.a_format], s.sa),
        (lib.by_name[s.b_format], s.sb),
        clib.enum("ACC_" + s.acc),
        s.group,
        0,
        s.saturate,
        clib.enum("ROUND_" + s.acc_rounding),
        s.random_bits,
        s.seed,
        s.frac_bits,
        0,
        clib.enum("ALIGN_" + s.align),
        clib.enum("ALIGN_BY_" + s.align_by),
        coded_min_exponent(s),
        s.late,
        s.late_bits_sum,
        s.late_bits_acc,
        s.late_drop,
        clib.enum("ALIGN_" + s.late_round),
        s.even_odd,
        s.flush,
        s.nan_code,
        s.lscale,
        s.promote,
        s.chunk,
        clib.enum("K_" + s.k_order),
    )


def one_of(rng, *choices):
    return choices[int(rng.integers(0, len(choices)))]


def draw_nan_code(rng, acc):
    row = d.FORMATS["float32" if acc == "E8M13" else d.ACC_FORMATS[acc]]
    return int(rng.integers(d.max_code(row) + 2, d.sign_bit(row))) | one_of(rng, 0, d.sign_bit(row))


def draw_settings(rng):
    acc, group = one_of(rng, *ACCS), one_of(rng, 1, 1, 2, 3, 4, 8, 16, 32, 96)
    changes = dict(
        a_format=one_of(rng, *OPERANDS),
        b_format=one_of(rng, *OPERANDS),
        acc=acc,
        group=group,
        saturate=not rng.integers(0, 4),
        flush=not rng.integers(0, 4),
    )
    if rng.integers(0, 2):
        changes.update(sa=int(rng.integers(-32, 33)), sb=int(rng.integers(-32, 33)))
    changes["acc_rounding"] = one_of(rng, "NEAREST_EVEN", "TOWARD_ZERO", "STOCHASTIC", "ODD")
    if changes["acc_rounding"] == "STOCHASTIC":
        changes.update(random_bits=int(rng.integers(1, 25)), seed=int(rng.integers(0, 1 << 63)))
    if rng.integers(0, 4):
        changes.update(
            frac_bits=one_of(rng, 1, 7, 13, 13, 24, 25, int(rng.integers(1, 65))),
            align=one_of(rng, "TOWARD_ZERO", "FLOOR", "ODD"),
            align_by=one_of(rng, "PRODUCTS", "OPERANDS"),
            min_exponent=one_of(
                rng, -126, -126, -133, acc_min_exponent(acc), -14, -1, int(rng.integers(-1100, 0))
            ),
        )
        if rng.integers(0, 2):
            changes.update(
                late=True,
                late_bits_sum=one_of(rng, 31, 25, 13, int(rng.integers(1, 65))),
                late_bits_acc=one_of(rng, 24, 25, 13, int(rng.integers(1, 65))),
                late_drop=one_of(rng, 0, 25, int(rng.integers(1, 60))),
                late_round=one_of(rng, "TOWARD_ZERO", "FLOOR", "ODD"),
                even_odd=changes["align_by"] == "PRODUCTS" and bool(rng.integers(0, 2)),
            )
            if not rng.integers(0, 3):
                changes.update(late_bits_sum=0, late_bits_acc=0, late_drop=0)
    if not rng.integers(0, 3):
        changes["nan_code"] = draw_nan_code(rng, acc)
    if not rng.integers(0, 4):
        changes["lscale"] = int(rng.integers(0, 16 if acc == "FP16" else 128))
    if group % 2 == 0 and not rng.integers(0, 3):
        changes["k_order"] = "PAIRS"
    second = rng.integers(0, 4)
    if second < 2:
        block = 2 * group if "k_order" in changes else group
        changes["promote" if second else "chunk"] = block * int(rng.integers(1, 9))
    return d.settings(**changes)


def draw_codes(rng, name, n):
    """Any codes, one time in eight; else finite ones, at times half of them zero, all equal, or with a run of zeros."""
    width = d.width(d.FORMATS[name])
    codes = rng.integers(0, 1 << width, n)
    finite = np.array([c for c, t in enumerate(d.table(name)) if t[0] in (d.FINITE, d.ZERO)])
    kind = rng.integers(0, 8)
    if kind:
        codes = finite[rng.integers(0, finite.size, n)]
    if kind == 1:
        codes[rng.integers(0, 2, n) == 0] = 0
    if kind == 2:
        codes[:] = codes[0]
    if kind == 3:
        first, last = sorted(int(x) for x in rng.integers(0, n + 1, 2))
        codes[first:last] = 0
    return codes.astype(np.uint8).tobytes()


def draw_acc_code(rng, s, a, b):
    """Any code, a special, a small one, or one within some binades of the products' sum."""
    row = d.kept_row(s)
    kind, sign = rng.integers(0, 6), one_of(rng, 0, d.sign_bit(row))
    if kind == 0:
        return int(rng.integers(0, 1 << d.width(row)))
    if kind == 1:
        return sign | one_of(
            rng,
            0,
            1,
            d.max_code(row),
            d.max_code(row) + 1,
            1 << row.mantissa_bits,
            (1 << row.mantissa_bits) - 1,
        )
    terms, _ = d.products(s, a, b)
    total = sum(t.units for t in terms)
    if total == 0:
        return sign | int(rng.integers(0, d.max_code(row)))
    near = d.encode(
        row, (d.FINITE, int(total > 0), d.Fraction(abs(total), 1 << d.SHIFT)), overflow="IEEE"
    )[0]
    if kind < 4:
        return near
    moved = (
        (near & (d.sign_bit(row) - 1))
        + (int(rng.integers(-30, 31)) << row.mantissa_bits)
        + int(rng.integers(-4, 5))
    )
    return sign | min(max(moved, 0), d.max_code(row))


def about(s, *rest):
    changed = {k: v for k, v in s._asdict().items() if v != d.DEFAULTS[k]}
    return f"{changed} {' '.join(x.hex(' ') if isinstance(x, bytes) else show(x) for x in rest)}"


def draw_mx(rng, k):
    """E8M0 codes for k products, mostly near 1, or None."""
    kind = rng.integers(0, 3)
    if kind == 0:
        return None
    blocks = -(-k // 32)
    codes = rng.integers(100, 150, blocks) if kind == 1 else rng.integers(0, 255, blocks)
    if not rng.integers(0, 6):
        codes[rng.integers(0, blocks)] = 255
    return codes.astype(np.uint8)


# ---- one step -------------------------------------------------------------------------------------------------------
