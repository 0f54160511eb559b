// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_GEMM_ENCODE_H
#define FP8RT_GEMM_ENCODE_H

#include "fp8rt/gemm.h"

// What says which memory a descriptor's command touches; the descriptor's strides are filled. Other
// members stay as they are.
void fp8rt_gemm_memory(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, fp8rt_command *command);
// The whole command: all that is known before the run, but the tiles. Without mode.extended, what
// the extension has is undefined.
void fp8rt_gemm_command(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                        fp8rt_command *command);
// Gives the command plan->tiles, and writes it to plan->descriptor.
void fp8rt_gemm_encode(fp8rt_gemm_plan *plan, fp8rt_command *command);

#endif
