// SPDX-License-Identifier: Apache-2.0
// Turns rows of codes into panels of operands. vector.h defines the vectors.

enum { SIDE = 16 }; // codes are transposed in squares
typedef uint8_t v16 VECTOR(SIDE);

INLINE v16 larger(v16 a, v16 b)
{
    v16 first = (v16)(a > b);
    return (first & a) | (~first & b);
}

static fp8mac_scan scan(const uint8_t *codes, size_t n)
{
    fp8mac_scan found = {.least_less1 = 0xff};
    vc most = {0}, least = ~(vc){0}, zero = ~(vc){0};
    size_t i = 0;
    for (; n - i >= sizeof(vc); i += sizeof(vc)) {
        vc code;
        memcpy(&code, codes + i, sizeof code);
        vc magnitude = code & 0x7f;
        most = MAX_CODE(most, magnitude);
        least = MIN_CODE(least, magnitude - 1);
        zero = MIN_CODE(zero, code ^ 0x80);
    }
    v16 all_most = {0}, all_least = ~(v16){0}, all_zero = ~(v16){0};
    for (unsigned j = 0; j < sizeof(vc); j += SIDE) {
        v16 x[3];
        memcpy(&x[0], (const uint8_t *)&most + j, SIDE);
        memcpy(&x[1], (const uint8_t *)&least + j, SIDE);
        memcpy(&x[2], (const uint8_t *)&zero + j, SIDE);
        all_most = larger(all_most, x[0]);
        all_least = ~larger(~all_least, ~x[1]);
        all_zero = ~larger(~all_zero, ~x[2]);
    }
    for (unsigned j = 0; j < SIDE; j++) {
        found.most = all_most[j] > found.most ? all_most[j] : found.most;
        found.least_less1 = all_least[j] < found.least_less1 ? all_least[j] : found.least_less1;
        found.minus_zero |= all_zero[j] == 0;
    }
    for (; i < n; i++) {
        uint8_t magnitude = codes[i] & 0x7f, less1 = (uint8_t)(magnitude - 1);
        found.most = magnitude > found.most ? magnitude : found.most;
        found.least_less1 = less1 < found.least_less1 ? less1 : found.least_less1;
        found.minus_zero |= codes[i] == 0x80;
    }
    return found;
}

// Four perfect shuffles of 16 rows transpose them.
INLINE void transpose(v16 row[SIDE])
{
    v16 next[SIDE];
    for (int round = 0; round < 4; round++) {
        UNROLL for (int i = 0; i < SIDE / 2; i++)
        {
            next[2 * i] = __builtin_shufflevector(row[i], row[i + SIDE / 2], 0, 16, 1, 17, 2, 18, 3,
                                                  19, 4, 20, 5, 21, 6, 22, 7, 23);
            next[2 * i + 1] = __builtin_shufflevector(row[i], row[i + SIDE / 2], 8, 24, 9, 25, 10,
                                                      26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        UNROLL for (int i = 0; i < SIDE; i++)
        {
            row[i] = next[i];
        }
    }
}

// 16 terms of up to 32 rows, term by term; what is absent is 0.
typedef struct terms {
    uint8_t code[SIDE][2 * SIDE];
} terms;

INLINE void gather_terms(terms *out, const uint8_t *codes, size_t stride, unsigned rows,
                         unsigned width, size_t k)
{
    for (unsigned first = 0; first < width; first += SIDE) {
        v16 square[SIDE];
        for (unsigned i = 0; i < SIDE; i++) {
            square[i] = (v16){0};
            if (first + i < rows && k == SIDE) { // a copy of constant size is one instruction
                memcpy(&square[i], codes + (first + i) * stride, SIDE);
            } else if (first + i < rows) {
                memcpy(&square[i], codes + (first + i) * stride, k);
            }
        }
        transpose(square);
        for (unsigned i = 0; i < SIDE; i++) {
            memcpy(&out->code[i][first], &square[i], SIDE);
        }
    }
}

static void pack(const fp8mac_fast_format *format, float *panel, unsigned width,
                 const uint8_t *codes, size_t stride, unsigned rows, size_t k, float scale)
{
    const fp8mac_fast_format local = *format;
    for (size_t k0 = 0; k0 < k; k0 += SIDE) {
        size_t count = k - k0 < SIDE ? k - k0 : SIDE;
        terms block;
        gather_terms(&block, codes + k0, stride, rows, width, count);
        for (size_t i = 0; i < count; i++) {
            for (unsigned j = 0; j < width; j += VL) {
                v_code8 some;
                memcpy(&some, &block.code[i][j], sizeof some);
                vi code = WIDEN8(some);
                vi value = decode_finite(&local, code & 0x7f) | (code & 0x80) << 24;
                store(panel + (k0 + i) * width + j, (vf)value * scale);
            }
        }
    }
}

static void pack_exponents(const fp8mac_fast_format *format, int8_t *panel, unsigned width,
                           const uint8_t *codes, size_t stride, unsigned rows, size_t k,
                           int8_t zero)
{
    unsigned m = 23 - format->shift;
    int8_t bias = (int8_t)(127 - (int32_t)(format->rebias >> m));
    for (size_t k0 = 0; k0 < k; k0 += SIDE) {
        size_t count = k - k0 < SIDE ? k - k0 : SIDE;
        terms block;
        gather_terms(&block, codes + k0, stride, rows, width, count);
        for (size_t i = 0; i < count; i++) {
            for (unsigned j = 0; j < width; j += SIDE) {
                typedef int8_t v16s VECTOR(SIDE);
                v16s magnitude;
                memcpy(&magnitude, &block.code[i][j], SIDE);
                magnitude &= 0x7f;
                v16s field = magnitude >> (int)m;
                field -= field == 0; // a subnormal has the smallest normal's exponent
                v16s is_zero = magnitude == 0;
                v16s exponent = (is_zero & zero) | (~is_zero & (field - bias));
                memcpy(panel + (k0 + i) * width + j, &exponent, SIDE);
            }
        }
    }
}

static void pack_pairs(int32_t *panel, unsigned width, const uint8_t *codes, size_t stride,
                       unsigned rows, size_t k)
{
    for (size_t k0 = 0; k0 < k; k0 += SIDE) {
        size_t count = k - k0 < SIDE ? k - k0 : SIDE;
        terms block;
        gather_terms(&block, codes + k0, stride, rows, width, count);
        for (size_t i = 0; i < count; i += 2, panel += width) {
            for (unsigned j = 0; j < width; j += VL) {
                half_vb some[2];
                memcpy(&some[0], &block.code[i][j], sizeof some[0]);
                memcpy(&some[1], &block.code[i + 1][j], sizeof some[1]);
                vi low = WIDEN_SIGNED(some[0]), high = WIDEN_SIGNED(some[1]);
                vi pair = (low & 0xffff) | (vi)((vu)high << 16);
                memcpy(panel + j, &pair, sizeof pair);
            }
        }
    }
}

// Of the values of `terms` terms at `panel`, in VL columns: the exponents of the largest
// magnitudes.
INLINE vi largest_of_group(const float *panel, unsigned width, size_t terms)
{
    vi most = {0};
    for (size_t k = 0; k < terms; k++) {
        most = MAX_INT(most, (vi)load(panel + k * width) & 0x7fffffff);
    }
    return SELECT(EQUAL(most, splat(0)), splat((uint32_t)FP8MAC_FAST_NO_EXPONENT),
                  (most >> 23) - 127);
}

// A vector may reach into the next term's columns, which keep their values: they are multiplied by
// 1.
static void pack_groups(float *panel, int32_t *exponents, unsigned width, size_t k, unsigned group,
                        float unit)
{
    vi lane;
    for (int i = 0; i < VL; i++) {
        lane[i] = i;
    }
    for (size_t k0 = 0; k0 < k; k0 += group, exponents += width) {
        size_t terms = k - k0 < group ? k - k0 : group;
        for (unsigned j = 0; j < width; j += VL) {
            float *first = panel + k0 * width + j;
            vi e = largest_of_group(first, width, terms);
            memcpy(exponents + j, &e, sizeof e);
            vi zero = (vi)(e < FP8MAC_FAST_NO_EXPONENT / 2);
            vf factor = (vf)((127 - (e & ~zero)) << 23) * unit;
            factor = (vf)SELECT(GREATER(splat(width - j), lane), (vi)factor, (vi)splat_float(1));
            for (size_t i = 0; i < terms; i++) {
                store(first + i * width, load(first + i * width) * factor);
            }
        }
    }
}
