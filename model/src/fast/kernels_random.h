// SPDX-License-Identifier: Apache-2.0
// The generator of random.h, VL blocks at a time. vector.h defines the vectors.

enum { WORDS = 4 }; // of a block

// Two additions, rotations and exclusive ORs.
#define MIX(a, b, c, d, r, s)                                                                      \
    x[a] += x[b], x[c] += x[d];                                                                    \
    x[b] = ROTATE(x[b], r) ^ x[a], x[d] = ROTATE(x[d], s) ^ x[c]

INLINE void add_key(vu x[WORDS], const uint32_t key[WORDS + 1], uint32_t turn)
{
    UNROLL for (uint32_t i = 0; i < WORDS; i++)
    {
        x[i] += key[(turn + i) % (WORDS + 1)];
    }
    x[WORDS - 1] += turn;
}

// Thirteen rounds; the key has its parity word.
INLINE void threefry(vu x[WORDS], const uint32_t key[WORDS + 1])
{
    add_key(x, key, 0);
    MIX(0, 1, 2, 3, 10, 26);
    MIX(0, 3, 2, 1, 11, 21);
    MIX(0, 1, 2, 3, 13, 27);
    MIX(0, 3, 2, 1, 23, 5);
    add_key(x, key, 1);
    MIX(0, 1, 2, 3, 6, 20);
    MIX(0, 3, 2, 1, 17, 11);
    MIX(0, 1, 2, 3, 25, 10);
    MIX(0, 3, 2, 1, 18, 20);
    add_key(x, key, 2);
    MIX(0, 1, 2, 3, 10, 26);
    MIX(0, 3, 2, 1, 11, 21);
    MIX(0, 1, 2, 3, 13, 27);
    MIX(0, 3, 2, 1, 23, 5);
    add_key(x, key, 3);
    MIX(0, 1, 2, 3, 6, 20);
}

// The block that a lane computes. With this order, four transpositions of 4 x 4 words give all
// words in the order of their blocks:
//
//   lane            0       1          2 ...
//   block, VL = 16  0, 4, 8, 12,   1, 5, 9, 13,   2, 6, 10, 14,   3, 7, 11, 15
INLINE vu block_of_lane(void)
{
    vu block;
    UNROLL for (unsigned i = 0; i < VL; i++)
    {
        block[i] = VL / 4 * (i % 4) + i / 4;
    }
    return block;
}

// Columns of a block: halves of its words serve up to 16 bits.
INLINE uint32_t columns_of_block(const fp8mac_draw *at)
{
    return at->bits <= 16 ? 2 * WORDS : WORDS;
}

// The draws of VL blocks, in order. `n` and `step` are the blocks' own; of step only the low word,
// which does not carry.
INLINE void draw_blocks(uint32_t *r, const fp8mac_draw *at, vu n, vu step)
{
    const uint32_t *key = at->key;
    const uint32_t full[WORDS + 1] = {key[0], key[1], 0, 0, key[0] ^ key[1] ^ 0x1bd11bdau};
    vu most = (vu)splat(UINT32_MAX / columns_of_block(at)); // n wraps
    vu x[WORDS] = {(vu)splat(at->m), n & most, step, (vu)splat(at->step_high)};
    threefry(x, full);
    vu low[2] = {WORDS_LOW(x[0], x[1]), WORDS_LOW(x[2], x[3])};
    vu high[2] = {WORDS_HIGH(x[0], x[1]), WORDS_HIGH(x[2], x[3])};
    vu rows[WORDS] = {PAIRS_LOW(low[0], low[1]), PAIRS_HIGH(low[0], low[1]),
                      PAIRS_LOW(high[0], high[1]), PAIRS_HIGH(high[0], high[1])};
    UNROLL for (int i = 0; i < WORDS; i++)
    {
        if (columns_of_block(at) == WORDS) {
            rows[i] >>= 32 - at->bits;
            memcpy(r + i * VL, &rows[i], sizeof rows[i]);
            continue;
        }
        UNROLL for (int j = 0; j < 2; j++)
        {
            v_code16 halves;
            memcpy(&halves, (const uint16_t *)&rows[i] + j * VL, sizeof halves);
            vu wide = (vu)WIDEN16(halves) >> (16 - at->bits);
            memcpy(r + (2 * i + j) * VL, &wide, sizeof wide);
        }
    }
}

// r[i] at column n + i.
static void draw_words(uint32_t *r, size_t count, const fp8mac_draw *at)
{
    const fp8mac_draw local = *at;
    const uint32_t columns = columns_of_block(&local);
    const size_t all = (size_t)columns * VL;
    vu step = (vu)splat(at->step_low), block = block_of_lane() + at->n / columns;
    size_t skip = at->n % columns; // draws of the first block that belong to columns before n
    for (size_t i = 0; i < count; block += VL) {
        size_t size = all - skip < count - i ? all - skip : count - i;
        if (size == all) {
            draw_blocks(r + i, &local, block, step);
        } else {
            uint32_t some[2 * WORDS * VL];
            draw_blocks(some, &local, block, step);
            memcpy(r + i, some + skip, size * sizeof *r);
        }
        i += size;
        skip = 0;
    }
}
