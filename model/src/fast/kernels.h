// SPDX-License-Identifier: Apache-2.0
// The kernels. Each instruction set's source includes this file once and defines the operations
// that C cannot express. A vector has VL floats.
#include "fast/vector.h"
#include "fast/kernels_convert.h"
#include "fast/kernels_random.h"
#include "fast/kernels_pack.h"
#include "fast/kernels_gemm.h"
#include "fast/kernels_wide.h"
#include "fast/kernels_any.h"
#include "fast/kernels_any_aligned.h"
#include "fast/kernels_any_steps.h"

const fp8mac_kernels KERNELS = {
    .mr = MR,
    .nr = NR,
    .encode8 = encode8,
    .encode16 = encode16,
    .decode8 = decode8,
    .decode16 = decode16,
    .draw = draw_words,
    .bits_used = bits_used,
    .scan = scan,
    .pack = pack,
    .pack_exponents = pack_exponents,
    .pack_groups = pack_groups,
    .pack_pairs = pack_pairs,
    .outputs = outputs,
    .fp32 = tile_fp32,
    .fp16 = tile_fp16,
    .fused_fp32 = tile_fused_fp32,
    .fused_fp16 = tile_fused_fp16,
    .wide_fp32 = tile_wide_fp32,
    .wide_fp16 = tile_wide_fp16,
    .wide_sum = tile_wide_sum,
    .sum = tile_sum,
    .int8 = tile_int8,
    .aligned = tile_aligned,
    .any_exact = tile_any_exact,
    .any_aligned = tile_any_aligned,
    .any_operands = tile_any_operands,
    .tracked_exact = tile_tracked_exact,
    .tracked_aligned = tile_tracked_aligned,
};
