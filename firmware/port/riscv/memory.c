// SPDX-License-Identifier: Apache-2.0
// memcpy and memset by words. The C library's copy single bytes, because it is built for size. Four
// words per iteration hide the cost of the loop.
#include <stddef.h>
#include <stdint.h>

// A word of any object. Accesses are always aligned.
typedef uint32_t __attribute__((may_alias)) word;

enum { WORD = sizeof(word), TURN = 4 * WORD };

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memset(void *dst, int c, size_t n);

static size_t bytes_to_alignment(const void *p, size_t n)
{
    size_t bytes = -(uintptr_t)p & (WORD - 1u);
    return bytes < n ? bytes : n;
}

// Without this attribute the compiler replaces the loops by calls of memcpy and memset themselves.
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *
memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
    if (((uintptr_t)to & (WORD - 1u)) == ((uintptr_t)from & (WORD - 1u))) {
        for (size_t head = bytes_to_alignment(to, n); head > 0; head--, n--) {
            *to++ = *from++;
        }
        for (; n >= TURN; n -= TURN, to += TURN, from += TURN) {
            word *w = (word *)to;
            const word *v = (const word *)from;
            word a = v[0], b = v[1], c = v[2], d = v[3];
            w[0] = a, w[1] = b, w[2] = c, w[3] = d;
        }
        for (; n >= WORD; n -= WORD, to += WORD, from += WORD) {
            *(word *)to = *(const word *)from;
        }
    }
    for (; n > 0; n--) {
        *to++ = *from++;
    }
    return dst;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *dst, int c,
                                                                           size_t n)
{
    uint8_t *to = dst;
    const word fill = (uint8_t)c * 0x01010101u;
    for (size_t head = bytes_to_alignment(to, n); head > 0; head--, n--) {
        *to++ = (uint8_t)c;
    }
    for (; n >= TURN; n -= TURN, to += TURN) {
        word *w = (word *)to;
        w[0] = fill, w[1] = fill, w[2] = fill, w[3] = fill;
    }
    for (; n >= WORD; n -= WORD, to += WORD) {
        *(word *)to = fill;
    }
    for (; n > 0; n--) {
        *to++ = (uint8_t)c;
    }
    return dst;
}
