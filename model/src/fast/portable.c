// SPDX-License-Identifier: Apache-2.0
// Vectors of the compiler's (GCC, Clang), four wide; whatever the processor has for them. A product
// is exact, so that multiplying and adding is one rounding.
#include "fast/fast.h"

#if FP8MAC_FAST

enum { VL = 4, MR = 6 };
#define KERNELS fp8mac_kernels_portable
#define FMA(a, b, c) ((a) * (b) + (c))
#define FMA_DOUBLE(a, b, c) ((a) * (b) + (c))
#define BLEND(type, mask, a, b)                                                                    \
    ((type)(((mask) & (__typeof__(mask))(a)) | (~(mask) & (__typeof__(mask))(b))))
#if defined(__SSE2__)
#include <emmintrin.h>
#define ADD_PRODUCTS(a, b) ((vi)_mm_madd_epi16((__m128i)(a), (__m128i)(b)))
#else
#define ADD_PRODUCTS(a, b) add_products(a, b)
#endif
#define MAX_BYTE(a, b) BLEND(vb, (a) > (b), a, b)
#define MAX_CODE(a, b) BLEND(vc, (a) > (b), a, b)
#define MIN_CODE(a, b) BLEND(vc, (a) < (b), a, b)
#define MAX_INT(a, b) BLEND(vi, (a) > (b), a, b)
#define ROUND_FP16(x) round_fp16(x)
#define vmask vi
#define GREATER(a, b) ((vi)(a) > (vi)(b))
#define EQUAL(a, b) ((vi)(a) == (vi)(b))
#define SELECT(mask, a, b) BLEND(vi, mask, (vi)(a), (vi)(b))
#define MASK_OR(a, b) ((a) | (b))
#define MASK_XOR(a, b) ((a) ^ (b))
#define NO_MASK ((vi){0})
#define ANY(mask) any(mask)
typedef int64_t dmask __attribute__((vector_size(4 * VL)));
#define GREATER_DOUBLE(a, b) ((dmask)((a) > (b)))
#define SELECT_WHERE(mask, a, b) BLEND(vd, (vl)(mask), (vl)(a), (vl)(b))
#define MASK_DOUBLE_OR(a, b) ((a) | (b))
#define MASK_DOUBLE_AND(a, b) ((a) & (b))
#define MASK_DOUBLE_NONE ((dmask){0})
#define ANY_DOUBLE(mask) (((mask)[0] | (mask)[1]) != 0)
#define ANY_NEGATIVE(x) (((x)[0] | (x)[1]) < 0)
#define ANY_NEGATIVE_HALF(x) (((x)[0] | (x)[1]) < 0)
#define ROUND_FP16_HALF(x)                                                                         \
    __builtin_convertvector(round_fp16_double(__builtin_convertvector(x, vd)), half_vf)
#define MAX_DOUBLE(a, b) SELECT_WHERE((a) > (b), a, b)
#define MIN_DOUBLE(a, b) SELECT_WHERE((b) > (a), a, b)
#define DOUBLE_OF_FLOATS(x) __builtin_convertvector(x, vd)
#define DOUBLE_OF_INTS(x) __builtin_convertvector(x, vd)
#define LONG_OF_INTS(x) __builtin_convertvector(x, vl)
#define HALF(x, h) half_of(x, h)
#define FLOOR_DOUBLE(x) floor_double(x)
#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define WORDS_LOW(a, b) ((vu)__builtin_shufflevector(a, b, 0, 4, 1, 5))
#define WORDS_HIGH(a, b) ((vu)__builtin_shufflevector(a, b, 2, 6, 3, 7))
#define PAIRS_LOW(a, b) ((vu)__builtin_shufflevector(a, b, 0, 1, 4, 5))
#define PAIRS_HIGH(a, b) ((vu)__builtin_shufflevector(a, b, 2, 3, 6, 7))
#define WIDEN8(x) __builtin_convertvector(x, vi)
#define WIDEN16(x) __builtin_convertvector(x, vi)
#define WIDEN_SIGNED(x) __builtin_convertvector(x, vi)
#define NARROW8(x) __builtin_convertvector(x, v_code8)
#define NARROW16(x) __builtin_convertvector(x, v_code16)

#define NARROW_FOUR(a, b, c, d) narrow_four(a, b, c, d)
#define ANY_OF(v) any((vi)(v))

#include "fast/kernels.h"
#endif
