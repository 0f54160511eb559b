// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#if FP8MAC_FAST && defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

enum { VL = 8, MR = 6 };
#define KERNELS fp8mac_kernels_avx2
#define FMA(a, b, c) ((vf)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA_DOUBLE(a, b, c) ((vd)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define ADD_PRODUCTS(a, b) ((vi)_mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#define MAX_BYTE(a, b) ((vb)_mm_max_epi8((__m128i)(a), (__m128i)(b)))
#define MAX_CODE(a, b) ((vc)_mm256_max_epu8((__m256i)(a), (__m256i)(b)))
#define MIN_CODE(a, b) ((vc)_mm256_min_epu8((__m256i)(a), (__m256i)(b)))
#define MAX_INT(a, b) ((vi)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#define ROUND_FP16(x) ((vf)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT)))
typedef __m256i vmask;
#define GREATER(a, b) _mm256_cmpgt_epi32((__m256i)(a), (__m256i)(b))
#define EQUAL(a, b) _mm256_cmpeq_epi32((__m256i)(a), (__m256i)(b))
#define SELECT(mask, a, b) ((vi)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), mask))
#define MASK_OR(a, b) _mm256_or_si256(a, b)
#define MASK_XOR(a, b) _mm256_xor_si256(a, b)
#define NO_MASK _mm256_setzero_si256()
#define ANY(mask) (!_mm256_testz_si256(mask, mask))
typedef __m256d dmask;
#define GREATER_DOUBLE(a, b) _mm256_cmp_pd((__m256d)(a), (__m256d)(b), _CMP_GT_OQ)
#define SELECT_WHERE(mask, a, b) ((vd)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), mask))
#define MASK_DOUBLE_OR(a, b) _mm256_or_pd(a, b)
#define MASK_DOUBLE_AND(a, b) _mm256_and_pd(a, b)
#define MASK_DOUBLE_NONE _mm256_setzero_pd()
#define ANY_DOUBLE(mask) (_mm256_movemask_pd(mask) != 0)
#define ANY_NEGATIVE(x) (_mm256_movemask_pd((__m256d)(x)) != 0)
#define ANY_NEGATIVE_HALF(x) (_mm_movemask_ps((__m128)(x)) != 0)
#define ROUND_FP16_HALF(x)                                                                         \
    ((half_vf)_mm_cvtph_ps(_mm_cvtps_ph((__m128)(x), _MM_FROUND_TO_NEAREST_INT)))
#define MAX_DOUBLE(a, b) ((vd)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define MIN_DOUBLE(a, b) ((vd)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define DOUBLE_OF_FLOATS(x) ((vd)_mm256_cvtps_pd((__m128)(x)))
#define DOUBLE_OF_INTS(x) ((vd)_mm256_cvtepi32_pd((__m128i)(x)))
#define LONG_OF_INTS(x) ((vl)_mm256_cvtepi32_epi64((__m128i)(x)))
#define HALF(x, h)                                                                                 \
    ((half_vi)((h) == 0 ? _mm256_castsi256_si128((__m256i)(x))                                     \
                        : _mm256_extracti128_si256((__m256i)(x), 1)))
#define FLOOR_DOUBLE(x) ((vd)_mm256_floor_pd((__m256d)(x)))
#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define WORDS_LOW(a, b) ((vu)_mm256_unpacklo_epi32((__m256i)(a), (__m256i)(b)))
#define WORDS_HIGH(a, b) ((vu)_mm256_unpackhi_epi32((__m256i)(a), (__m256i)(b)))
#define PAIRS_LOW(a, b) ((vu)_mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b)))
#define PAIRS_HIGH(a, b) ((vu)_mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b)))
// The compiler's own conversions between these widths go element by element.
#define LOW_HALF(x)                                                                                \
    _mm_set_epi64x(0, (long long)(x)) // of eight bytes that GCC converts to a scalar as they are
#define WIDEN8(x) ((vi)_mm256_cvtepu8_epi32(LOW_HALF(x)))
#define WIDEN16(x) ((vi)_mm256_cvtepu16_epi32((__m128i)(x)))
#define WIDEN_SIGNED(x) ((vi)_mm256_cvtepi8_epi32(LOW_HALF(x)))
#define PACK16(x)                                                                                  \
    _mm_packus_epi32(_mm256_castsi256_si128((__m256i)(x)),                                         \
                     _mm256_extracti128_si256((__m256i)(x), 1))
#define NARROW16(x) ((v_code16)PACK16(x))
#define NARROW8(x) ((v_code8)_mm_cvtsi128_si64(_mm_packus_epi16(PACK16(x), PACK16(x))))

// 4 * VL codes in the order of their vectors. Packing works on 128-bit lanes.
#define NARROW_FOUR(a, b, c, d)                                                                    \
    ((vc)_mm256_permutevar8x32_epi32(                                                              \
        _mm256_packus_epi16(_mm256_packus_epi32((__m256i)(a), (__m256i)(b)),                       \
                            _mm256_packus_epi32((__m256i)(c), (__m256i)(d))),                      \
        _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
#define ANY_OF(v) (!_mm256_testz_si256((__m256i)(v), (__m256i)(v)))

#include "fast/kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
