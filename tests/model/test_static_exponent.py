# SPDX-License-Identifier: Apache-2.0
"""The `fixed` accumulator with a static shared exponent, against its definition in fractions and by hand."""

import ctypes as ct
import itertools
import operator

import clib
from oracle import definition as d
from test_fixed import fixed_state, two_halves
from test_settings import OPERANDS, draw_codes, one_of

COUNT, EXACT_COUNT = 1500, 400
ABOVE = clib.enum("ERR_SCALE_EXPONENT")


class Dot:
    """A configuration of the library with an accumulator and flags. A format may have a bias of its own."""

    def __init__(self, lib, rows, frac_bits, static_exponent, group=1, scale=(0, 0), guard_bits=0):
        own = [clib.Format.from_buffer_copy(lib.by_name[row.name].contents) for row in rows]
        for mine, row in zip(own, rows):
            mine.bias = row.bias
        self.lib, self.acc, self.flags = lib, clib.Acc(), ct.c_uint32()
        self.config = clib.DotConfig(
            *zip(map(ct.pointer, own), scale),
            clib.enum("ACC_FIXED"),
            group,
            guard_bits,
            frac_bits=frac_bits,
            static_exponent=static_exponent,
        )

    def run(self, a, b, step=False):
        call = self.lib.dot_step if step else self.lib.dot
        self.acc = clib.Acc.from_buffer_copy(bytes(self.acc))
        return call(
            ct.addressof(self.config),
            ct.addressof(self.acc),
            a,
            b,
            len(a),
            ct.addressof(self.flags),
        )

    def state(self):
        return *fixed_state(self.acc), self.flags.value

    def read_out(self):
        return self.lib.acc_to_fp32(
            *map(ct.addressof, (self.config, self.acc, self.flags))
        ), self.flags.value


def state_of(want):
    return *two_halves(want.total), want.sticky, want.terms, want.flags


def draw_row(rng):
    row = d.FORMATS[one_of(rng, *OPERANDS[:4], *OPERANDS)]
    biases = {
        "cfloat8_e4m3": range(64),
        "cfloat8_e5m2": range(64),
        "gaudi_e4m3": (3, 7, 11, 15),
    }.get(row.name)
    return row._replace(bias=int(rng.choice(biases))) if biases else row


def draw_mild(rng, row, n):
    """Codes as test_settings draws them. Three times in four all of them are finite."""
    codes = draw_codes(rng, row.name, n)
    finite = [
        code for code in range(1 << d.width(row)) if d.decode(row, code)[0] in (d.FINITE, d.ZERO)
    ]
    return (
        codes
        if not rng.integers(0, 4)
        else bytes(c if c in finite else finite[c % len(finite)] for c in codes)
    )


def draw_static_exponent(rng, want, a, b):
    """A row's largest exponent plus a column's, or a number at, below, above or far above the products' own bound."""
    sides = [
        [d.floor_log2(table[code][2]) for code in codes if table[code][0] == d.FINITE]
        for table, codes in zip(want.tables, (a, b))
    ]
    bound = max(want.exponents(a, b), default=0)
    edge = sum(map(max, sides)) if all(sides) else bound
    return one_of(
        rng,
        edge,
        edge,
        bound,
        bound,
        bound + 1,
        bound + int(rng.integers(2, 9)),
        bound + 40,
        bound - 1,
    )


def test_random(bench, lib, rng):
    taken = above = 0
    for _ in range(COUNT):
        rows, group, k = (
            [draw_row(rng), draw_row(rng)],
            int(rng.integers(1, 17)),
            int(rng.integers(1, 70)),
        )
        frac_bits, guard_bits = (
            int(rng.integers(1, 41 if rng.integers(0, 4) else 65)),
            int(rng.integers(8, 41)),
        )
        scale = tuple(int(x) for x in rng.integers(-32, 33, 2))
        a, b = draw_mild(rng, rows[0], k), draw_mild(rng, rows[1], k)
        if not rng.integers(0, 4):  # the same again, in the other order
            a, b, k = a + a[::-1], b + b[::-1], 2 * k
        static_exponent = draw_static_exponent(rng, d.Static(*rows, frac_bits, 0), a, b)
        want, dot = (
            d.Static(*rows, frac_bits, static_exponent),
            Dot(lib, rows, frac_bits, static_exponent, group, scale, guard_bits),
        )
        about = f"{rows[0].name} x {rows[1].name} F {frac_bits} static_exponent {static_exponent} a {a.hex(' ')} b {b.hex(' ')}"
        cuts = sorted({0, k, *(group * int(x) for x in rng.integers(0, k // group + 1, 2))})
        for lo, hi in itertools.pairwise(cuts):
            ok = want.accumulate(a[lo:hi], b[lo:hi])
            taken, above = taken + ok, above + (not ok)
            status = dot.run(a[lo:hi], b[lo:hi], step=hi - lo <= group)
            bench.check(
                f"random: {'taken' if ok else 'above the static_exponent'}",
                status,
                clib.OK if ok else ABOVE,
                about,
            )
            bench.check("random: state and flags", dot.state(), state_of(want), about)
        bench.check("random: read-out and flags", dot.read_out(), want.read_out(sum(scale)), about)
    bench.check(
        "random: many are taken and some not",
        taken > COUNT and above > COUNT // 10,
        True,
        (taken, above),
    )


def test_exact(bench, lib, rng):
    """An F that reaches the exact unit loses nothing: the exact accumulator's sum, in another unit."""
    for _ in range(EXACT_COUNT):
        rows = [d.FORMATS[one_of(rng, *OPERANDS[:4])] for _ in range(2)]
        unit = sum(1 - row.bias - row.mantissa_bits for row in rows)
        k, more, scale = (
            int(rng.integers(1, 300)),
            int(rng.integers(0, 4)),
            (int(rng.integers(-32, 33)), 3),
        )
        a, b = draw_mild(rng, rows[0], k), draw_mild(rng, rows[1], k)
        bound = max(d.Static(*rows, 1, 0).exponents(a, b), default=unit + 1)
        static_exponent = max(bound, min(bound + int(rng.integers(0, 3)), unit + 64))
        frac_bits = min(max(static_exponent - unit + more, 1), 64)
        exact, dot = (
            Dot(lib, rows, *window, 4, scale) for window in ((0, 0), (frac_bits, static_exponent))
        )
        bench.check(
            "as exact: both are taken", (exact.run(a, b), dot.run(a, b)), (clib.OK, clib.OK)
        )
        lo, hi, *rest = exact.state()
        total = (hi << 64 | lo) << (frac_bits - static_exponent + unit)
        bench.check(
            "as exact: state",
            dot.state(),
            (*two_halves(total), *rest),
            (rows[0].name, rows[1].name, static_exponent),
        )
        bench.check("as exact: read-out", dot.read_out(), exact.read_out())
    rows, every = [d.FORMATS["e4m3fn"]] * 2, bytes(range(256))
    for shift in range(256):  # every pair of codes
        exact, dot = (Dot(lib, rows, *window, 256) for window in ((0, 0), (34, 16)))
        other = every[shift:] + every[:shift]
        bench.check(
            "as exact: e4m3fn, static_exponent 16, F 34",
            (dot.run(every, other), dot.state()),
            (exact.run(every, other), exact.state()),
            shift,
        )


# Name, formats, F, static_exponent, scale, A, B, the integer (None: above the static_exponent), FP32 code, flags.
E4, E5, EZ = "e4m3fn", "e5m2", "e4m3fnuz"
BY_HAND = (
    ("1 * 1", E4, E4, 1, 0, 0, "38", "38", 2, 0x3F800000, 0),
    ("3.0625 is cut to 3", E4, E4, 1, 0, 0, "3e", "3e", 6, 0x40400000, 0),
    ("-3.0625 is cut to -3, not down", E4, E4, 1, 0, 0, "be", "3e", -6, 0xC0400000, 0),
    ("each product by itself: 4 * 0.375", E4, E4, 1, 0, 0, "2c 2c 2c 2c", "38 38 38 38", 0, 0, 0),
    (
        "0.375 - 0.375 twice, of one bit more",
        E4,
        E4,
        2,
        0,
        0,
        "2c ac 2c",
        "38 38 38",
        1,
        0x3E800000,
        0,
    ),
    ("-0.375 reads +0", E4, E4, 1, 0, 0, "ac", "38", 0, 0, 0),
    ("-0 reads +0", E4, E4, 1, 0, 0, "80", "38", 0, 0, 0),
    ("1 + 1 - 1 - 1", E4, E4, 7, 3, 0, "38 38 b8 b8", "38 38 38 38", 0, 0, 0),
    ("2 * 1 is above 2^0", E4, E4, 1, 0, 0, "40", "38", None, 0, 0),
    ("2 * 0.5 is not", E4, E4, 1, 0, 0, "40", "30", 2, 0x3F800000, 0),
    ("1.875 * 1.875 is not, though above 2", E4, E4, 3, 0, 0, "3f", "3f", 28, 0x40600000, 0),
    ("nor -1.875 * 1.875", E4, E4, 3, 0, 0, "3f", "bf", -28, 0xC0600000, 0),
    ("a product above, after one that is not", E4, E4, 1, 0, 0, "38 38", "38 40", None, 0, 0),
    ("448 * 0 and 0 * 448 have no exponent", E4, E4, 1, -9, 0, "7e 00 00", "00 fe 00", 0, 0, 0),
    ("NaN has none", E4, E4, 1, 0, 0, "7f 38", "7e 38", 2, 0x7FC00000, d.NAN_FLAG),
    ("nor has a number beside NaN", E4, E4, 1, 0, 0, "7e 38", "ff 38", 2, 0x7FC00000, d.NAN_FLAG),
    # 7 * 2^-9 has the exponent -7: its square is 49 * 2^-18, below 2^-12 and of exponent -14.
    ("subnormals are normalised", E4, E4, 4, -14, 0, "07", "07", 49, 0x39440000, 0),
    ("subnormals above", E4, E4, 4, -15, 0, "07", "07", None, 0, 0),
    ("subnormals above, the larger on one side", E4, E4, 4, -16, 0, "03", "07", None, 0, 0),
    ("3 * 7 subnormals", E4, E4, 3, -15, 0, "03", "07", 21, 0x38A80000, 0),
    ("all 64 bits below the least product", E4, E4, 64, -18, 0, "01", "01", 1 << 64, 0x36800000, 0),
    ("and -2^-18", E4, E4, 64, -18, 0, "81", "01", -1 << 64, 0xB6800000, 0),
    (
        "the largest products, at F of 64",
        E4,
        E4,
        64,
        16,
        0,
        "7e 7e",
        "7e 7e",
        2 * 49 << 60,
        0x48C40000,
        0,
    ),
    ("an static_exponent far above", E4, E4, 64, 323, 0, "7e", "7e", 0, 0, 0),
    ("a bit far above is kept", E4, E4, 40, 56, 0, "7e", "7e", 3, 0x48400000, 0),
    ("an static_exponent far below", E4, E4, 64, -524, 0, "01", "01", None, 0, 0),
    ("scaling is no part of it", E4, E4, 1, 0, 40, "3e", "3e", 6, 0x54400000, 0),
    ("scaling down to a subnormal", E4, E4, 1, 0, -64, "3e", "3e", 6, 0x20400000, 0),
    ("FNUZ: 0x40 is 1", EZ, EZ, 1, 0, 0, "40 46", "40 46", 2 + 6, 0x40800000, 0),
    ("FNUZ: 0x41 * 0x48 is above 2^0", EZ, EZ, 1, 0, 0, "41", "48", None, 0, 0),
    ("FNUZ: the least product", EZ, EZ, 1, -20, 0, "01", "01", 2, 0x35800000, 0),
    ("FNUZ and OCP", EZ, E4, 2, 1, 0, "48 47", "38 38", 4 + 3, 0x40600000, 0),
    ("+Inf", E5, E4, 1, 0, 0, "7c", "38", 0, 0x7F800000, 0),
    ("-Inf, whatever the number beside it", E5, E4, 1, 0, 0, "fc", "7e", 0, 0xFF800000, 0),
    ("Inf - Inf", E5, E4, 1, 0, 0, "7c 7c", "38 b8", 0, 0x7FC00000, d.INVALID),
    ("Inf * 0", E5, E4, 1, 0, 0, "7c", "00", 0, 0x7FC00000, d.INVALID),
    ("Inf does not hide a product above", E5, E4, 1, 0, 0, "7c 40", "38 38", None, 0, 0),
)


def test_by_hand(bench, lib):
    for (
        name,
        a_name,
        b_name,
        frac_bits,
        static_exponent,
        scale,
        a,
        b,
        number,
        code,
        flags,
    ), group in itertools.product(BY_HAND, (1, 2, 1024)):
        rows, a, b = [d.FORMATS[a_name], d.FORMATS[b_name]], bytes.fromhex(a), bytes.fromhex(b)
        split = max(-32, min(32, scale))
        dot = Dot(lib, rows, frac_bits, static_exponent, group, (split, scale - split))
        own = d.Static(*rows, frac_bits, static_exponent)
        status = dot.run(a, b)
        bench.check("by hand: status", status, ABOVE if number is None else clib.OK, name)
        bench.check(
            "by hand: the definition's status", own.accumulate(a, b), number is not None, name
        )
        bench.check("by hand: integer", dot.state()[:2], two_halves(number or 0), name)
        bench.check("by hand: read-out and flags", dot.read_out(), (code, flags), name)
        bench.check(
            "by hand: the definition's",
            (own.total, *own.read_out(scale)),
            (number or 0, code, flags),
            name,
        )


def test_sticky(bench, lib):
    """Steps after an Inf or a NaN go on adding; a later Inf of the other sign is invalid."""
    rows = [d.FORMATS[E5], d.FORMATS[E5]]
    for order in itertools.product(("7c", "fc", "7e", "3c", "bc", "00"), repeat=3):
        dot, want = Dot(lib, rows, 5, 0), d.Static(*rows, 5, 0)
        for code in order:
            a, one = bytes.fromhex(code), bytes.fromhex("3c")
            bench.check("sticky: status", dot.run(a, one, step=True), clib.OK, order)
            want.accumulate(a, one)
            bench.check("sticky: state and flags", dot.state(), state_of(want), order)
            bench.check("sticky: read-out", dot.read_out(), want.read_out(0), order)


def test_widest(bench, lib):
    """As many of the largest products as the guard bits hold, at every F: no bit of the sum is lost."""
    rows, guard_bits = [d.FORMATS[E4]] * 2, 12
    k = 1 << guard_bits
    for frac_bits, sign in itertools.product((1, 2, 5, 16, 34, 63, 64), (0, 0x80)):
        dot = Dot(lib, rows, frac_bits, 16, 64, guard_bits=guard_bits)
        bench.check("widest: status", dot.run(bytes([sign | 0x7E]) * k, b"\x7e" * k), clib.OK)
        number = (-k if sign else k) * int(200704 * d.power(frac_bits - 16))
        bench.check("widest: sum", dot.state(), (*two_halves(number), 0, k, 0), frac_bits)
        bench.check("widest: one more", dot.run(b"\0", b"\0"), clib.enum("ERR_K_LIMIT"), frac_bits)


def test_untouched(bench, lib):
    """A refused call changes nothing: a product above in any place, another scale, another static_exponent."""
    rows, one = [d.FORMATS[E4]] * 2, b"\x38"
    for place, step in itertools.product((0, 7, 8, 15), (False, True)):
        dot = Dot(lib, rows, 9, 0, 16, (3, -1))
        bench.check("untouched: the first terms", dot.run(one * 16, one * 16), clib.OK)
        before, a = bytes(dot.acc), bytearray(one * 16)
        a[place], a[3] = 0x40, 0x7F
        bench.check("untouched: a product above", dot.run(bytes(a), one * 16, step), ABOVE, place)
        bench.check(
            "untouched: state and flags", (bytes(dot.acc), dot.flags.value), (before, 0), place
        )
        for field, value in (("static_exponent", 1), ("a.scale_exp", 4), ("static_exponent", 0)):
            old = operator.attrgetter(field)(dot.config)
            clib.set_field(dot.config, field, value)
            same = old == value
            bench.check(
                "untouched: another " + field, dot.run(one, one, step), clib.OK if same else ABOVE
            )
            bench.check("untouched: state", bytes(dot.acc) == before, not same, field)
            clib.set_field(dot.config, field, old)


OTHERS = {
    "acc_rounding": 1,
    "random_bits": 1,
    "align_round": 1,
    "align_by": 1,
    "min_exponent": -1,
    "acc_late": True,
    "late_bits_sum": 1,
    "late_bits_acc": 1,
    "late_drop": 1,
    "late_round": 1,
    "even_odd": True,
    "flush": True,
    "nan_code": 0x7FC00001,
    "lscale": 1,
    "promote": 64,
    "chunk": 64,
    "acc_saturate": True,
}


def test_validation(bench, lib):
    rows, refused = [d.FORMATS[E4]] * 2, clib.enum("ERR_ACCUMULATOR")
    for changes, accepted in (
        ({}, True),
        ({"static_exponent": -524}, True),
        ({"static_exponent": 323}, True),
        ({"static_exponent": -525}, False),
        ({"static_exponent": 324}, False),
        ({"static_exponent": 2**31 - 1}, False),
        ({"static_exponent": -(2**31)}, False),
        ({"static_exponent": 0}, True),
        ({"frac_bits": 1}, True),
        ({"frac_bits": 64, "guard_bits": 40}, True),
        ({"frac_bits": 65}, False),
        ({"frac_bits": 2**32 - 2}, False),
        ({"guard_bits": 41}, False),
        ({"frac_bits": 0}, False),
        ({"frac_bits": 0, "static_exponent": 0}, True),
        *(({name: value}, False) for name, value in OTHERS.items()),
        *(({"acc_format": clib.enum("ACC_" + acc)}, False) for acc in d.ACC_FORMATS),
    ):
        dot = Dot(lib, rows, 9, 1)
        for field, value in changes.items():
            setattr(dot.config, field, value)
        want = clib.OK if accepted else refused
        bench.check("validation", lib.dot_config_validate(ct.byref(dot.config)), want, changes)
        if not accepted:
            bench.check("validation: by the dot product", dot.run(b"8", b"8"), refused, changes)
            bench.check("validation: nothing written", bytes(dot.acc), bytes(clib.Acc()), changes)
    int8 = Dot(lib, [d.FORMATS["int8"]] * 2, 0, 1)
    int8.config.acc_format = clib.enum("ACC_INT32")
    bench.check("validation: INT32", lib.dot_config_validate(ct.byref(int8.config)), refused)
    dot, terms = Dot(lib, rows, 9, 1), clib.DotTerms(b"\x7f", b"\x7f")
    status = lib.dot_mx(ct.addressof(dot.config), ct.addressof(dot.acc), terms, terms, 1, None)
    bench.check("validation: no block scales", status, refused)
