// SPDX-License-Identifier: Apache-2.0
// Converts matrices to the form that the accelerator reads: rows along K, each of which starts at a
// bus beat.
#ifndef FP8RT_MATRIX_H
#define FP8RT_MATRIX_H

#include <stddef.h>

#include "fp8mac/convert.h"
#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes from row to row of a packed matrix with `row_bytes` bytes a row (k codes, or n * bytes of
// D's format).
static inline uint32_t fp8rt_packed_stride(const fp8rt_caps *caps, uint32_t row_bytes)
{
    return (row_bytes + caps->beat_bytes - 1u) & ~((uint32_t)caps->beat_bytes - 1u);
}
// Bytes of a whole packed matrix; allocate it aligned to caps->beat_bytes.
static inline size_t fp8rt_packed_bytes(const fp8rt_caps *caps, uint32_t rows, uint32_t row_bytes)
{
    return (size_t)rows * fp8rt_packed_stride(caps, row_bytes);
}

// An operand as it lies in memory: element (row, kk) is the byte at src[row * row_stride + kk *
// k_stride]. With row-major storage of leading stride ld:
//
//   GEMM   A is stored   A: row_stride, k_stride   B is stored   B: row_stride, k_stride
//   NT     m x k         ld, 1                     n x k         ld, 1
//   NN     m x k         ld, 1                     k x n         1, ld
//   TT     k x m         1, ld                     n x k         ld, 1
//   TN     k x m         1, ld                     k x n         1, ld
typedef struct fp8rt_operand_view {
    const void *src;
    uint32_t rows; // m for A, n for B
    uint32_t k;
    size_t row_stride; // bytes; any value and any alignment
    size_t k_stride;
} fp8rt_operand_view;

// dst[row * packed_stride + kk] = element (row, kk). The padding up to the stride is code 0. `dst`
// must be aligned to a beat and hold fp8rt_packed_bytes(caps, view.rows, view.k); it must not
// overlap the source. FP8RT_OK, FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_ALIGNMENT.
fp8rt_status fp8rt_pack(const fp8rt_caps *caps, void *dst, fp8rt_operand_view view);

// Quantises a float matrix into a packed one: dst = encode(src * scale), as fp8mac_quantize, row by
// row. `src_stride` is in floats, `dst_stride` in bytes. Padding is not written. Flags are ORed
// into *flags, which may be NULL. FP8RT_OK, FP8RT_ERR_NULL, FP8RT_ERR_STRIDE, FP8RT_ERR_FORMAT,
// FP8RT_ERR_OVERFLOW_MODE, FP8RT_ERR_SCALE.
fp8rt_status fp8rt_quantize(fp8mac_format_id format, void *dst, uint32_t dst_stride,
                            const float *src, uint32_t src_stride, uint32_t rows, uint32_t cols,
                            float scale, fp8mac_overflow overflow, fp8mac_flags *flags);
// The reverse: dst = decode(src) * scale.
fp8rt_status fp8rt_dequantize(float *dst, uint32_t dst_stride, fp8mac_format_id format,
                              const void *src, uint32_t src_stride, uint32_t rows, uint32_t cols,
                              float scale);

#ifdef __cplusplus
}
#endif
#endif
