# SPDX-License-Identifier: Apache-2.0
"""Every format, rounding and setting of a step, from their definitions in exact numbers, without the library.

Numbers are Python integers in units of 2^-SHIFT, so that sums are exact and truncating to a multiple of 2^q clears bits.
"""

from collections import namedtuple
from fractions import Fraction

from oracle import formats
from oracle.formats import (
    FINITE,
    FORMATS,
    INF,
    INVALID,
    NAN,
    NAN_FLAG,
    OVERFLOW,
    SATURATED,
    ZERO,
    is_integer,
    max_code,
    nan_code,
    sign_bit,
    width,
)

SHIFT = 1400


def power(exponent):
    return Fraction(2) ** exponent


def is_wide(row):
    """FP16, BF16, FP32 and the accumulators' formats, which overflow in one way only."""
    return width(row) > 8 and row.nan == "ieee"


def magnitude_of(row, code):
    """The number that a magnitude code stands for, the exponent field being unbounded above."""
    number, exponent = formats.magnitude(row, code)
    return number * power(exponent)


def exponent_of(row, code):
    """The exponent of the binade that a magnitude code is in, as alignment sees it."""
    field = code >> row.mantissa_bits if row.exponent_bits else 0
    return (field or (1 if row.low == "gradual" else 0)) - row.bias


def decode(row, code):
    """(class, sign, magnitude, exponent that alignment sees)"""
    cls, sign, number, exponent = formats.decode(row, code)
    if cls != FINITE:
        return cls, sign, Fraction(0), 0
    low_bits = code & (sign_bit(row) - 1)
    if is_integer(row) and sign:
        low_bits = sign_bit(row) - low_bits
    return cls, sign, number * power(exponent), exponent_of(row, low_bits)


def floor_log2(x):
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if power(n) <= x else n - 1


def round_code(row, x, rounding, r=0, n=0):
    """The magnitude code of one of the two neighbours of x > 0, as if the exponent had no upper limit."""
    field = max(floor_log2(x) + row.bias, 0)
    code = field << row.mantissa_bits if row.exponent_bits else int(x / magnitude_of(row, 1))
    if row.exponent_bits and field:
        code += int((x / power(floor_log2(x)) - 1) * (1 << row.mantissa_bits))
    elif row.exponent_bits:
        code = int(x / power(1 - row.bias - row.mantissa_bits))
    while magnitude_of(row, code) > x:
        code -= 1
    while magnitude_of(row, code + 1) <= x:
        code += 1
    low, high = magnitude_of(row, code), magnitude_of(row, code + 1)
    place = (x - low) / (high - low)
    if rounding == "NEAREST_EVEN":
        return code + (place > Fraction(1, 2) or (place == Fraction(1, 2) and code & 1))
    if rounding == "ODD":
        return code | 1 if place else code
    if rounding == "STOCHASTIC":
        return code + (place + Fraction(r, 1 << n) >= 1)
    return code


def signed(row, sign, magnitude):
    if is_integer(row) and sign:
        return 2 * sign_bit(row) - magnitude
    return magnitude | (sign_bit(row) if sign and row.signed else 0)


def no_number(row, sign, flags):
    """NaN with the value's sign, where the format has one."""
    if not row.nan:
        return 0, flags | INVALID
    return signed(row, sign if row.signed else 0, nan_code(row)), flags


def encode(row, value, rounding="NEAREST_EVEN", overflow="SATURATE", r=0, n=0, always=False):
    """(code, flags) of (class, sign, magnitude). `always`: overflow does not depend on the rounding."""
    cls, sign, x = value[:3]
    if row.low == "powers":
        return encode_power(row, cls, sign, x)
    if is_wide(row) and not always:
        overflow = "IEEE"
    if cls == NAN:
        return no_number(row, sign, 0)
    if (
        not row.signed
        and sign
        and (cls == INF or (cls == FINITE and round_code(row, x, rounding, r, n)))
    ):
        return nan_code(row), INVALID
    if cls == INF:
        code = max_code(row) + 1
    elif cls == ZERO or x == 0:
        code = 0
    else:
        code = round_code(row, x, rounding, r, n)
    if code > max_code(row):
        toward_zero = rounding == "TOWARD_ZERO" and not always and cls == FINITE
        if overflow == "SATURATE" or (
            cls == FINITE and (overflow == "SATURATE_FINITE" or toward_zero)
        ):
            return signed(row, sign, max_code(row)), SATURATED
        raised = OVERFLOW if cls == FINITE else 0
        if row.has_inf:
            return signed(row, sign, max_code(row) + 1), raised
        return no_number(row, sign, raised)
    return (signed(row, sign, code) if code or row.has_negative_zero else 0), 0


def encode_power(row, cls, sign, x):
    if cls in (NAN, INF) or (sign and cls == FINITE):
        return nan_code(row), 0 if cls == NAN else INVALID
    if cls == ZERO:
        return 0, 0
    code = floor_log2(x) + row.bias
    return min(max(code, 0), max_code(row)), SATURATED if code > max_code(row) else 0


# ---- arithmetic -------------------------------------------------------------------------------------------------


def add(a, b):
    """((class, sign, magnitude), flags) of two decoded values."""
    if NAN in (a[0], b[0]):
        return (NAN, 0, Fraction(0)), 0
    if a[0] == b[0] == INF and a[1] != b[1]:
        return (NAN, 0, Fraction(0)), INVALID
    if INF in (a[0], b[0]):
        return (INF, (a if a[0] == INF else b)[1], Fraction(0)), 0
    total = sum((-v[2] if v[1] else v[2]) for v in (a, b))
    if total == 0:
        both = a[0] == b[0] == ZERO and a[1] and b[1]
        return (ZERO, int(both), Fraction(0)), 0
    return (FINITE, int(total < 0), abs(total)), 0


def multiply(a, b):
    sign = a[1] ^ b[1]
    if NAN in (a[0], b[0]):
        return (NAN, 0, Fraction(0)), 0
    if INF in (a[0], b[0]):
        return (
            ((NAN, 0, Fraction(0)), INVALID)
            if ZERO in (a[0], b[0])
            else ((INF, sign, Fraction(0)), 0)
        )
    product = a[2] * b[2]
    return (FINITE if product else ZERO, sign, product), 0


# ---- one step ---------------------------------------------------------------------------------------------------

ACC_FORMATS = {
    "FP32": "float32",
    "FP16": "float16",
    "BF16": "bfloat16",
    "E8M13": "e8m13",
    "E6M9": "e6m9",
}

DEFAULTS = dict(
    a_format="e4m3fn",
    b_format="e4m3fn",
    acc="FP32",
    group=1,
    sa=0,
    sb=0,
    saturate=False,
    acc_rounding="NEAREST_EVEN",
    random_bits=0,
    seed=0,
    frac_bits=0,
    align="TOWARD_ZERO",
    align_by="PRODUCTS",
    min_exponent=-126,
    late=False,
    late_bits_sum=0,
    late_bits_acc=0,
    late_drop=0,
    late_round="TOWARD_ZERO",
    even_odd=False,
    flush=False,
    nan_code=0,
    lscale=0,
    promote=0,
    chunk=0,
    k_order="ASCENDING",
)
Settings = namedtuple("Settings", DEFAULTS)


def settings(**changes):
    return Settings(**{**DEFAULTS, **changes})


def kept_row(s):
    """The format of the accumulator's code: E8M13 is held as FP32."""
    return FORMATS["float32"] if s.acc == "E8M13" else FORMATS[ACC_FORMATS[s.acc]]


_tables = {}


def table(name):
    """code -> (class, sign, signed integer in units of 2^-400, exponent)"""
    if name not in _tables:
        rows = [decode(FORMATS[name], code) for code in range(1 << width(FORMATS[name]))]
        _tables[name] = [(c, s, int((-x if s else x) * (1 << 400)), e) for c, s, x, e in rows]
    return _tables[name]


# A term: its class, its sign, its value in units of 2^-SHIFT and the exponent that alignment sees; of a product also
# the exponents of its operands with their scales, None for a zero and a special.
Term = namedtuple("Term", "cls sign units exponent a b", defaults=(None, None))


def shifted(x, by):
    return x << by if by >= 0 else x >> -by


def operand_exponent(units, scale):
    """floor(log2 |x|) of an operand in units of 2^-400, scaled."""
    return abs(units).bit_length() - 1 - 400 + scale if units else None


def products(s, a, b, mx=None):
    """Terms and flags; mx: pairs of E8M0 codes, one for each product."""
    terms, flags = [], 0
    ta, tb = table(s.a_format), table(s.b_format)
    for i, (x, y) in enumerate(zip(a, b)):
        cx, sx, vx, ex = ta[x]
        cy, sy, vy, ey = tb[y]
        scales, scale_nan = [s.sa - s.lscale, s.sb], False
        if mx:
            scales, scale_nan = [old + m - 127 for old, m in zip(scales, mx[i])], 255 in mx[i]
        scale = sum(scales)
        if NAN in (cx, cy) or scale_nan:
            terms.append(Term(NAN, 0, 0, 0))
            flags |= NAN_FLAG
        elif INF in (cx, cy):
            invalid = ZERO in (cx, cy)
            flags |= INVALID if invalid else 0
            terms.append(Term(NAN if invalid else INF, sx ^ sy, 0, 0))
        else:
            units = shifted(vx * vy, SHIFT - 800 + scale)
            bounds = (
                [operand_exponent(*x) for x in zip((vx, vy), scales)]
                if s.align_by == "OPERANDS"
                else ()
            )
            terms.append(Term(FINITE if units else ZERO, sx ^ sy, units, ex + ey + scale, *bounds))
    return terms, flags


def acc_term(s, code, row=None):
    cls, sign, x, exponent = decode(row or kept_row(s), code)
    units = int(x * (1 << SHIFT))
    return Term(cls, sign, -units if sign else units, exponent)


def cut(x, quantum, way):
    """A multiple of 2^quantum, toward zero or down."""
    bits = quantum + SHIFT
    if bits <= 0:
        return x
    if way == "ODD":
        units, rest = divmod(abs(x), 1 << bits)
        return (-1 if x < 0 else 1) * ((units | (rest != 0)) << bits)
    return (x >> bits) << bits if way == "FLOOR" or x >= 0 else -((-x >> bits) << bits)


def largest(s, terms):
    """The exponent that products are aligned to."""
    if s.align_by == "PRODUCTS":
        return max([s.min_exponent] + [t.exponent for t in terms if t.cls == FINITE])
    if not terms:
        return s.min_exponent
    row, column = ([e for e in side if e is not None] for side in zip(*((t.a, t.b) for t in terms)))
    return max(s.min_exponent, max(row) + max(column)) if row and column else s.min_exponent


def aligned_sum(s, terms, acc=None):
    e = largest(s, terms)
    if acc:
        e, terms = max([e] + [acc.exponent] * (acc.cls == FINITE)), terms + [acc]
    return sum(cut(t.units, e - s.frac_bits, s.align) for t in terms), e


def sum_of(s, terms, acc):
    """The exact integer that is rounded."""
    if not s.frac_bits:
        return acc.units + sum(t.units for t in terms)
    if not s.late:
        return aligned_sum(s, terms, acc)[0]
    total, e = products_sum(s, terms)
    if acc.cls == FINITE:
        e = max(e, acc.exponent)
    total = cut(total, e - s.late_bits_sum, s.late_round)
    if acc.cls == FINITE and not (s.late_drop and acc.exponent < e - s.late_drop):
        total += cut(acc.units, e - s.late_bits_acc, s.late_round)
    return total


def round_acc(s, row, value, r, rounding=None):
    """(code as the accumulator holds it, flags) of (class, sign, magnitude)"""
    if value[0] == NAN:
        fp32_like = row.name in ("float32", "e8m13") and s.acc in ("FP32", "E8M13")
        own = s.nan_code and (fp32_like or row.name == ACC_FORMATS[s.acc])
        return (s.nan_code if own else nan_code(row) << (10 if row.name == "e8m13" else 0)), 0
    if s.flush and rounding is None and value[0] == FINITE and value[2] < power(1 - row.bias):
        value = (ZERO, value[1], Fraction(0))
    overflow = "SATURATE_FINITE" if s.saturate else "IEEE"
    code, flags = encode(
        row, value, rounding or s.acc_rounding, overflow, r, s.random_bits, always=True
    )
    return code << (10 if row.name == "e8m13" else 0), flags


def step(s, code, a, b, mx=None, r=0):
    """acc' and flags of one step from an accumulator's code. r are the step's random bits."""
    terms, flags = products(s, a, b, mx)
    acc = acc_term(s, code)
    row = FORMATS[ACC_FORMATS[s.acc]]
    classes = [t.cls for t in terms] + [acc.cls]
    infinities = {t.sign for t in terms + [acc] if t.cls == INF}
    if len(infinities) == 2:
        flags |= INVALID
    if NAN in classes or len(infinities) == 2:
        return round_acc(s, row, (NAN, 0, 0), r)[0], flags
    if infinities:
        code, raised = round_acc(s, row, (INF, infinities.pop(), 0), r)
        return code, flags | raised
    if s.late and not s.late_bits_sum:
        return add_rounded(s, row, terms, code, r, flags)
    total = sum_of(s, terms, acc)
    if total == 0:
        minus = not s.frac_bits and all(t.cls == ZERO and t.sign for t in terms + [acc])
        value = (ZERO, int(minus), Fraction(0))
    else:
        value = (FINITE, int(total < 0), Fraction(abs(total), 1 << SHIFT))
    code, raised = round_acc(s, row, value, r)
    return code, flags | raised


def products_sum(s, terms):
    """(sum of the truncated products, its exponent)"""
    if not s.even_odd:
        return aligned_sum(s, terms)
    (even, e_even), (odd, e_odd) = aligned_sum(s, terms[0::2]), aligned_sum(s, terms[1::2])
    e = max(e_even, e_odd)
    return cut(even, e - s.frac_bits, s.late_round) + cut(odd, e - s.frac_bits, s.late_round), e


def add_rounded(s, row, terms, code, r, flags):
    """The products' sum is rounded by itself before acc is added and the result rounded."""
    total = products_sum(s, terms)[0]
    value = (FINITE if total else ZERO, int(total < 0), Fraction(abs(total), 1 << SHIFT))
    rounded, raised = round_acc(s, row, value, r)
    value, more = add(decode(kept_row(s), rounded), decode(kept_row(s), code))
    code, last = round_acc(s, row, value, r)
    return code, flags | raised | more | last


class Static:
    """The `fixed` accumulator in units of 2^(static_exponent - frac_bits): an integer, three sticky bits, and the read-out."""

    NAN, POS_INF, NEG_INF = 1, 2, 4

    def __init__(self, a_row, b_row, frac_bits, static_exponent):
        self.tables = [
            [decode(row, code) for code in range(1 << width(row))] for row in (a_row, b_row)
        ]
        self.static_exponent, self.unit = static_exponent, power(static_exponent - frac_bits)
        self.total = self.sticky = self.terms = self.flags = 0

    def exponents(self, a, b):
        """ea + eb of every product that is a number and not zero."""
        pairs = ((self.tables[0][x], self.tables[1][y]) for x, y in zip(a, b))
        return [floor_log2(x[2]) + floor_log2(y[2]) for x, y in pairs if x[0] == y[0] == FINITE]

    def accumulate(self, a, b):
        """Returns whether no product is above the static_exponent. If one is, nothing is added."""
        if max(self.exponents(a, b), default=self.static_exponent) > self.static_exponent:
            return False
        for x, y in zip(a, b):
            x, y = self.tables[0][x], self.tables[1][y]
            (cls, sign, product), raised = multiply(x, y)
            self.flags |= raised | (NAN_FLAG if NAN in (x[0], y[0]) else 0)
            self.total += int((-product if sign else product) / self.unit)  # toward zero
            self.sticky |= {NAN: self.NAN, INF: self.NEG_INF if sign else self.POS_INF}.get(cls, 0)
        self.flags |= INVALID if self.sticky & 6 == 6 else 0
        self.terms += len(a)
        return True

    def read_out(self, scale):
        """(FP32 code, flags so far and of the read-out)"""
        value = (
            FINITE if self.total else ZERO,
            int(self.total < 0),
            abs(self.total) * self.unit * power(scale),
        )
        if self.sticky:
            value = (INF, int(self.sticky & 6 == self.NEG_INF), Fraction(0))
        if self.sticky & self.NAN or self.sticky & 6 == 6:
            value = (NAN, 0, Fraction(0))
        code, raised = encode(FORMATS["float32"], value)
        return code, self.flags | raised


def steps_of(s, length):
    """The places of each step's terms. A step without terms does not happen."""
    if s.k_order == "ASCENDING":
        return [range(k, min(k + s.group, length)) for k in range(0, length, s.group)]
    blocks = [range(k, min(k + 2 * s.group, length)) for k in range(0, length, 2 * s.group)]
    halves = [
        [k for k in block if (k % 4 < 2) == first] for block in blocks for first in (True, False)
    ]
    return [half for half in halves if half]


class Accumulator:
    """The whole of K: steps, promotion or chunks, and the read-out. `draw(use, step)` gives the random bits."""

    def __init__(self, s, code=0, draw=None):
        self.s, self.code, self.second, self.pending, self.steps, self.flags = s, code, 0, 0, 0, 0
        self.draw = draw or (lambda use, step: 0)

    def step(self, *arguments):
        return step(*arguments)

    def run(self, a, b, mx=None):
        for places in steps_of(self.s, len(a)):
            self.code, raised = self.step(
                self.s,
                self.code,
                *(bytes(x[k] for k in places) for x in (a, b)),
                [mx[k] for k in places] if mx else None,
                self.draw("STEP", self.steps),
            )
            self.flags |= raised
            self.steps += 1
            self.pending += len(places)
            if (self.s.promote or self.s.chunk) and self.pending >= (
                self.s.promote or self.s.chunk
            ):
                self.second, raised = self.joined()
                self.flags |= raised
                self.code = self.pending = 0

    def joined(self):
        s = self.s
        row = FORMATS["float32"] if s.promote else FORMATS[ACC_FORMATS[s.acc]]
        kept = FORMATS["float32"] if s.promote else kept_row(s)
        value, flags = add(decode(kept, self.second), decode(kept_row(s), self.code))
        r = 0 if s.promote else self.draw("OUTER", self.steps - 1)
        code, raised = round_acc(s, row, value, r, "NEAREST_EVEN" if s.promote else None)
        return code, flags | raised

    def read_out(self):
        """(FP32 code, flags)"""
        s, row, code, flags = self.s, kept_row(self.s), self.code, self.flags
        if s.promote or s.chunk:
            row = FORMATS["float32"] if s.promote else row
            code, raised = self.joined() if self.pending else (self.second, 0)
            flags |= raised
        value = decode(row, code)
        if value[0] == NAN:
            return (s.nan_code if s.nan_code and s.acc in ("FP32", "E8M13") else 0x7FC00000), flags
        return encode(FORMATS["float32"], value, always=True, overflow="IEEE")[0], flags


# Threefry4x32 with 13 rounds, from its paper's text: two pairs of words are mixed in each round, and after every fourth
# round the key is added, whose fifth word is the others' parity.
ROTATIONS = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))


def threefry(counter, key):
    words, keys = list(counter), [*key, 0x1BD11BDA ^ key[0] ^ key[1] ^ key[2] ^ key[3]]

    def add_key(turn):
        for i in range(4):
            words[i] = (words[i] + keys[(turn + i) % 5] + (turn if i == 3 else 0)) & 0xFFFFFFFF

    def mix(i, j, left):
        words[i] = (words[i] + words[j]) & 0xFFFFFFFF
        words[j] = ((words[j] << left | words[j] >> (32 - left)) & 0xFFFFFFFF) ^ words[i]

    add_key(0)
    for number in range(13):
        left = ROTATIONS[number % 8]
        mix(0, 1 if number % 2 == 0 else 3, left[0])
        mix(2, 3 if number % 2 == 0 else 1, left[1])
        if number % 4 == 3:
            add_key((number + 1) // 4)
    return words


USES = {"STEP": 0, "OUTER": 1, "OUTPUT": 2, "CONVERT": 3}


def draw_bits(seed, m, n, step_number, use, bits):
    width = 16 if bits <= 16 else 32
    columns = 128 // width
    counter = (m, n // columns, step_number & 0xFFFFFFFF, step_number >> 32 | USES[use] << 28)
    words = threefry(counter, (seed & 0xFFFFFFFF, seed >> 32, 0, 0))
    whole = sum(word << 32 * i for i, word in enumerate(words))
    return (whole >> width * (n % columns) & (1 << width) - 1) >> (width - bits)


def simon64(counter, key, rounds=16):
    """The accelerator's generator. The words of the cipher's text are joined as they are printed: x, then y."""
    x, y = counter
    for i in range(rounds):
        turned = [(x << by | x >> (32 - by)) & 0xFFFFFFFF for by in (1, 8, 2)]
        round_key = key[i % 2] ^ 0x9E3779B9 * (i + 1) & 0xFFFFFFFF
        x, y = y ^ (turned[0] & turned[1]) ^ turned[2] ^ round_key, x
    return x, y


def simon_bits(seed, m, n, bits):
    """The upper bits of one of a block's four halves of words."""
    x, y = simon64((m, n // 4), (seed & 0xFFFFFFFF, seed >> 32))
    return ((y << 32 | x) >> 16 * (n % 4) & 0xFFFF) >> (16 - bits)
