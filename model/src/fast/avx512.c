// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#if FP8MAC_FAST && defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))),                   \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

enum { VL = 16, MR = 12 };
#define KERNELS fp8mac_kernels_avx512
#define FMA(a, b, c) ((vf)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA_DOUBLE(a, b, c) ((vd)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define ADD_PRODUCTS(a, b) ((vi)_mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#define MAX_BYTE(a, b) ((vb)_mm256_max_epi8((__m256i)(a), (__m256i)(b)))
#define MAX_CODE(a, b) ((vc)_mm512_max_epu8((__m512i)(a), (__m512i)(b)))
#define MIN_CODE(a, b) ((vc)_mm512_min_epu8((__m512i)(a), (__m512i)(b)))
#define MAX_INT(a, b) ((vi)_mm512_max_epi32((__m512i)(a), (__m512i)(b)))
#define ROUND_FP16(x) ((vf)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)(x), _MM_FROUND_TO_NEAREST_INT)))
typedef __mmask16 vmask;
#define GREATER(a, b) _mm512_cmpgt_epi32_mask((__m512i)(a), (__m512i)(b))
#define EQUAL(a, b) _mm512_cmpeq_epi32_mask((__m512i)(a), (__m512i)(b))
#define SELECT(mask, a, b) ((vi)_mm512_mask_blend_epi32(mask, (__m512i)(b), (__m512i)(a)))
#define MASK_OR(a, b) ((vmask)((a) | (b)))
#define MASK_XOR(a, b) ((vmask)((a) ^ (b)))
#define NO_MASK 0
#define ANY(mask) ((mask) != 0)
typedef __mmask8 dmask;
#define GREATER_DOUBLE(a, b) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), _CMP_GT_OQ)
#define SELECT_WHERE(mask, a, b) ((vd)_mm512_mask_blend_pd(mask, (__m512d)(b), (__m512d)(a)))
#define MASK_DOUBLE_OR(a, b) ((dmask)((a) | (b)))
#define MASK_DOUBLE_AND(a, b) ((dmask)((a) & (b)))
#define MASK_DOUBLE_NONE 0
#define ANY_DOUBLE(mask) ((mask) != 0)
#define ANY_NEGATIVE(x) (_mm512_movepi64_mask((__m512i)(x)) != 0)
#define ANY_NEGATIVE_HALF(x) (_mm256_movemask_ps((__m256)(x)) != 0)
#define ROUND_FP16_HALF(x)                                                                         \
    ((half_vf)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT)))
#define MAX_DOUBLE(a, b) ((vd)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#define MIN_DOUBLE(a, b) ((vd)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
// GCC's own conversions to twice the width work on half a vector.
#define DOUBLE_OF_FLOATS(x) ((vd)_mm512_cvtps_pd((__m256)(x)))
#define DOUBLE_OF_INTS(x) ((vd)_mm512_cvtepi32_pd((__m256i)(x)))
#define LONG_OF_INTS(x) ((vl)_mm512_cvtepi32_epi64((__m256i)(x)))
#define HALF(x, h)                                                                                 \
    ((half_vi)((h) == 0 ? _mm512_castsi512_si256((__m512i)(x))                                     \
                        : _mm512_extracti64x4_epi64((__m512i)(x), 1)))
#define FLOOR_DOUBLE(x)                                                                            \
    ((vd)_mm512_roundscale_pd((__m512d)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
#define ROTATE(x, n) ((vu)_mm512_rol_epi32((__m512i)(x), n))
#define WORDS_LOW(a, b) ((vu)_mm512_unpacklo_epi32((__m512i)(a), (__m512i)(b)))
#define WORDS_HIGH(a, b) ((vu)_mm512_unpackhi_epi32((__m512i)(a), (__m512i)(b)))
#define PAIRS_LOW(a, b) ((vu)_mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b)))
#define PAIRS_HIGH(a, b) ((vu)_mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b)))
// The compiler's own conversions between these widths go element by element.
#define WIDEN8(x) ((vi)_mm512_cvtepu8_epi32((__m128i)(x)))
#define WIDEN16(x) ((vi)_mm512_cvtepu16_epi32((__m256i)(x)))
#define WIDEN_SIGNED(x) ((vi)_mm512_cvtepi8_epi32((__m128i)(x)))
#define NARROW8(x) ((v_code8)_mm512_cvtepi32_epi8((__m512i)(x)))
#define NARROW16(x) ((v_code16)_mm512_cvtepi32_epi16((__m512i)(x)))

// 4 * VL codes in the order of their vectors. Packing works on 128-bit lanes.
#define NARROW_FOUR(a, b, c, d)                                                                    \
    ((vc)_mm512_permutexvar_epi32(                                                                 \
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),                   \
        _mm512_packus_epi16(_mm512_packus_epi32((__m512i)(a), (__m512i)(b)),                       \
                            _mm512_packus_epi32((__m512i)(c), (__m512i)(d)))))
#define ANY_OF(v) (_mm512_test_epi32_mask((__m512i)(v), (__m512i)(v)) != 0)

#include "fast/kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
