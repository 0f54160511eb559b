// SPDX-License-Identifier: Apache-2.0
// The sums of kernels_any.h with truncated alignment.

// ---- truncated alignment ------------------------------------------------------------------------

enum { NO_EXPONENT = FP8MAC_FAST_NO_EXPONENT };

// The largest exponent of the products first, first + stride, ..., in NR columns, without scale.
// Exponents count from the format's least, so that only a zero makes a sum negative.
INLINE void products_exponent(const fp8mac_tile *tile, const any_step *at, size_t first,
                              size_t stride, vi e[2])
{
    const int8_t *a = tile->a_exponent + at->k * MR + at->row;
    const int8_t *b = tile->b_exponent + at->k * NR;
    vb most = (vb){0} - (int8_t)127;
    int8_t most_a = -127;
    for (size_t i = first; i < at->terms; i += stride) {
        vb column;
        memcpy(&column, b + i * NR, sizeof column);
        if (tile->any->by_operands) {
            most_a = a[i * MR] > most_a ? a[i * MR] : most_a;
        } else {
            column += a[i * MR];
        }
        most = MAX_BYTE(most, column);
    }
    for (int j = 0; j < 2; j++) {
        half_vb half;
        memcpy(&half, (const int8_t *)&most + j * VL, sizeof half);
        vi wide = WIDEN_SIGNED(half);
        vi sum = wide + (tile->any->by_operands ? most_a : 0);
        e[j] = SELECT(GREATER(wide, splat(UINT32_MAX)), sum + tile->any->exponent,
                      splat((uint32_t)NO_EXPONENT));
        if (tile->any->by_operands && most_a < 0) {
            e[j] = splat((uint32_t)NO_EXPONENT);
        }
    }
}

// Products in units of 2^(e-F), truncated to integers. A product of 8-bit codes is a float, and so
// is its integer part.
INLINE vi truncate_products(vf products, fp8mac_align_round round)
{
    vi units = __builtin_convertvector(products, vi);
    if (round == FP8MAC_ALIGN_TOWARD_ZERO) {
        return units;
    }
    vf kept = __builtin_convertvector(units, vf);
    if (round == FP8MAC_ALIGN_FLOOR) {
        return units + (vi)(kept > products);
    }
    // To odd: an even integer moves away from zero by one.
    vi away = ((vi)products >> 31) | 1;
    return units + ((vi)(kept != products) & ((units & 1) - 1) & away);
}

// The sum of the truncated products first, first + stride, ...; e is their exponent without scale.
INLINE void sum_truncated(const fp8mac_tile *tile, const any_step *at, size_t first, size_t stride,
                          const vi e[2], vd sum[4])
{
    const fp8mac_any *any = tile->any;
    const float *a = tile->a + at->k * MR + at->row, *b = tile->b + at->k * NR;
    vf to_unit[2];
    for (int j = 0; j < 2; j++) {
        // Below the limit every product is less than one unit, and it must not underflow.
        vi exponent = MAX_INT((int32_t)any->frac_bits - e[j], splat((uint32_t)any->least_to_unit));
        to_unit[j] = powers(exponent);
        sum[2 * j] = sum[2 * j + 1] = (vd){0};
    }
    for (size_t i = first; i < at->terms;) {
        vi units[2] = {{0}, {0}};
        for (unsigned count = 0; count < tile->chunk && i < at->terms; count++, i += stride) {
            for (int j = 0; j < 2; j++) {
                vf product = load(b + i * NR + j * VL) * a[i * MR];
                units[j] += truncate_products(product * to_unit[j], any->align_round);
            }
        }
        for (int j = 0; j < 2; j++) {
            sum[2 * j] += half_as_double(units[j], 0);
            sum[2 * j + 1] += half_as_double(units[j], 1);
        }
    }
}

// x, below 2^51, as an integer.
INLINE vd truncate_any(vd x, fp8mac_align_round round)
{
    vd magic = splat_double(POWER_OF_TWO(52)), one = splat_double(1), none = {0};
    if (round == FP8MAC_ALIGN_FLOOR) {
        vd middle = magic * 1.5, near = (x + middle) - middle;
        return near - SELECT_WHERE(GREATER_DOUBLE(near, x), one, none);
    }
    vl sign = (vl)x & DOUBLE_SIGN;
    vd magnitude = (vd)((vl)x ^ sign), result = (magnitude + magic) - magic;
    result -= SELECT_WHERE(GREATER_DOUBLE(result, magnitude), one, none);
    if (round == FP8MAC_ALIGN_ODD) {
        vd odd = (vd)((vl)(result + magic) | 1) - magic;
        result = SELECT_WHERE(GREATER_DOUBLE(magnitude, result), odd, result);
    }
    return (vd)((vl)result | sign);
}

// The exponent of acc's binade, at least the format's least; NO_EXPONENT for zero.
INLINE vi acc_exponent(const fp8mac_any *any, vf acc)
{
    vi field = (vi)((vu)acc >> 23) & 255;
    vi own = MAX_INT(field - 127, splat((uint32_t)any->acc_min_exponent));
    return SELECT(EQUAL((vi)acc & 0x7fffffff, splat(0)), splat((uint32_t)NO_EXPONENT), own);
}

// The products' sum of a step in units of 2^(e-F), and e. Without late accumulation, acc takes part
// in e. The products are multiplied by 2^scale.
INLINE void products_any(const fp8mac_tile *tile, const any_step *at, const vi scale[2],
                         const vi acc_e[2], vi e[2], vd sum[4])
{
    const fp8mac_any *any = tile->any;
    vi parts_e[2][2], own[2];
    vi least = splat((uint32_t)any->min_exponent);
    size_t parts = any->even_odd ? 2 : 1;
    e[0] = e[1] = least;
    for (size_t part = 0; part < parts; part++) {
        products_exponent(tile, at, part, parts, parts_e[part]);
        for (int j = 0; j < 2; j++) {
            vi *own_e = &parts_e[part][j];
            *own_e = MAX_INT(*own_e + scale[j], least);
            *own_e = any->late ? *own_e : MAX_INT(*own_e, acc_e[j]);
            e[j] = MAX_INT(e[j], *own_e);
        }
    }
    for (size_t part = 0; part < parts; part++) {
        vd some[4];
        for (int j = 0; j < 2; j++) {
            own[j] = parts_e[part][j] - scale[j];
        }
        sum_truncated(tile, at, part, parts, own, part == 0 ? sum : some);
        for (int q = 0; q < 4 && parts > 1; q++) {
            vd *one = part == 0 ? &sum[q] : &some[q];
            vl distance = widen(parts_e[part][q / 2] - e[q / 2], q % 2);
            *one = truncate_any(*one * power_of(distance), any->late_round);
            if (part > 0) {
                sum[q] += *one;
            }
        }
    }
}

// Late accumulation with fraction bits of its own.
INLINE vd add_late(const fp8mac_any *any, vd sum, vd acc, vl e, vl acc_e)
{
    vl most = (vl)SELECT_DOUBLE(acc_e > e, acc_e, e);
    vd products = sum * power_of(e - most + ((int64_t)any->late_bits_sum - any->frac_bits));
    vd addend = acc * power_of((int64_t)any->late_bits_acc - most);
    products = truncate_any(products, any->late_round);
    addend = truncate_any(addend, any->late_round);
    if (any->late_drop != 0) {
        vl dropped = acc_e < most - (int64_t)any->late_drop;
        addend = (vd)((vl)addend & ~dropped);
    }
    vd unit = power_of(most - (int64_t)any->late_bits_sum);
    double between = double_from_bits(
        (uint64_t)(1023 + (int64_t)any->late_bits_sum - (int64_t)any->late_bits_acc) << 52);
    return (products + addend * between) * unit;
}

INLINE void aligned_any(const fp8mac_tile *tile, const any_step *at, vd sum[4], dmask *over)
{
    const fp8mac_any *any = tile->any;
    vi scale[2], acc_e[2], e[2];
    for (int j = 0; j < 2; j++) {
        scale[j] = any->blocks ? scale_exponent(tile, at, j) : splat((uint32_t)any->scale);
        acc_e[j] = acc_exponent(any, load(at->acc + j * VL));
    }
    products_any(tile, at, scale, acc_e, e, sum);
    UNROLL for (int q = 0; q < 4; q++)
    {
        vd acc = load_as_double(at->acc + q * (VL / 2));
        vl own = widen(e[q / 2], q % 2);
        vl from_unit = own - (int64_t)any->frac_bits;
        if (!any->late) {
            vd units = truncate_any(acc * power_of(-from_unit), any->align_round);
            sum[q] = (sum[q] + units) * power_of(from_unit);
        } else if (any->late_bits_sum != 0) {
            sum[q] = add_late(any, sum[q], acc, own, widen(acc_e[q / 2], q % 2));
        } else {
            vd exact = sum[q] * power_of(from_unit) + 0.0;
            sum[q] = add_odd(round_any(&any->to, exact, at->r, q, over), acc);
            continue; // two zeros of one sign keep it
        }
        sum[q] += 0.0; // an aligned sum of zero is +0
    }
}

// ---- alignment by operands ----------------------------------------------------------------------
// The exponent of a step is the sum of A's and B's. The panels hold the operands divided by theirs,
// and A's also multiplied by 2^F, so that a product is in units of 2^(e-F) at once.

INLINE void sum_by_operands(const fp8mac_tile *tile, const any_step *at, vd sum[4])
{
    const float *a = tile->a + at->k * MR + at->row, *b = tile->b + at->k * NR;
    size_t chunk = at->terms < tile->chunk ? at->terms : tile->chunk;
    UNROLL for (int q = 0; q < 4; q++)
    {
        sum[q] = (vd){0};
    }
    for (size_t i = 0, end = chunk;; end = at->terms - i < chunk ? at->terms : i + chunk) {
        vi units[2] = {{0}, {0}};
        for (; i < end; i++) {
            vf x = splat_float(a[i * MR]);
            UNROLL for (int j = 0; j < 2; j++)
            {
                units[j] += __builtin_convertvector(load(b + i * NR + j * VL) * x, vi);
            }
        }
        UNROLL for (int q = 0; q < 4; q++)
        {
            sum[q] += half_as_double(units[q / 2], q % 2);
        }
        if (i == at->terms) {
            return;
        }
    }
}

// x as an integer, rounded to odd.
INLINE vd round_odd(vd x)
{
    vd magic = splat_double(1.5 * POWER_OF_TWO(52)), below = FLOOR_DOUBLE(x),
       shifted = below + magic;
    vd odd = (vd)((vl)shifted | 1);
    return SELECT_WHERE(GREATER_DOUBLE(x, below), odd, shifted) - magic;
}

// acc + the products' sum. Both are rounded to odd in units of 2^(most - late_bits).
INLINE void operands_any(const fp8mac_tile *tile, const any_step *at, size_t step, vd sum[4])
{
    const fp8mac_any *any = tile->any;
    int32_t late = (int32_t)any->late_bits_sum;
    int32_t a_e = tile->a_group[step * MR + (size_t)at->row] + any->scale;
    vi sum_unit[2], acc_unit[2], unit[2];
    sum_by_operands(tile, at, sum);
    UNROLL for (int j = 0; j < 2; j++)
    {
        vi b_e, acc_e = acc_exponent(any, load(at->acc + j * VL));
        memcpy(&b_e, tile->b_group + step * NR + j * VL, sizeof b_e);
        vi e = MAX_INT(b_e + a_e, splat((uint32_t)any->min_exponent)), most = MAX_INT(e, acc_e);
        sum_unit[j] = e - most + (late - (int32_t)any->frac_bits + 1023);
        acc_unit[j] = late + 1023 - most;
        unit[j] = most + (1023 - late);
    }
    UNROLL for (int q = 0; q < 4; q++)
    {
        vd products = sum[q] * (vd)(widen(sum_unit[q / 2], q % 2) << 52);
        vd acc = load_as_double(at->acc + q * (VL / 2));
        acc *= (vd)(widen(acc_unit[q / 2], q % 2) << 52);
        vd units = round_odd(products) + round_odd(acc);
        sum[q] = units * (vd)(widen(unit[q / 2], q % 2) << 52) + 0.0; // a sum of zero is +0
    }
}
