// SPDX-License-Identifier: Apache-2.0
// The generator of random.h, VL blocks at a time. vector.h defines the vectors.

typedef uint64_t vul VECTOR(4 * VL);

// Both halves of 32-bit products; the odd elements are multiplied apart.
INLINE void multiply_words(vu x, uint32_t by, vu *low, vu *high)
{
    const vul factor = (vul){0} + by, lower = (vul){0} + UINT32_MAX;
    vul even = ((vul)x & lower) * factor;
    vul odd = ((vul)x >> 32) * factor;
    *low = (vu)((even & lower) | (odd << 32));
    *high = (vu)((even >> 32) | (odd & ~lower));
}

static void draw_words(uint32_t *r, size_t count, const uint32_t counter[4], const uint32_t key[2],
                       unsigned bits)
{
    vu lane;
    for (uint32_t i = 0; i < VL; i++) {
        lane[i] = counter[1] + i;
    }
    for (size_t i = 0; i < count; i += VL, lane += VL) {
        vu x[4] = {(vu)splat(counter[0]), lane, (vu)splat(counter[2]), (vu)splat(counter[3])};
        uint32_t k0 = key[0], k1 = key[1];
        for (int round = 0; round < 10; round++) {
            vu p_low, p_high, q_low, q_high;
            multiply_words(x[0], UINT32_C(0xd2511f53), &p_low, &p_high);
            multiply_words(x[2], UINT32_C(0xcd9e8d57), &q_low, &q_high);
            x[0] = q_high ^ x[1] ^ (vu)splat(k0);
            x[1] = q_low;
            x[2] = p_high ^ x[3] ^ (vu)splat(k1);
            x[3] = p_low;
            k0 += UINT32_C(0x9e3779b9);
            k1 += UINT32_C(0xbb67ae85);
        }
        vu out = x[0] >> (32 - bits);
        memcpy(r + i, &out, count - i < VL ? (count - i) * sizeof *r : sizeof out);
    }
}
