// SPDX-License-Identifier: Apache-2.0
// Embedding, and blocks of transformers, in double precision.
#ifndef FP8RT_REFERENCE_TRANSFORMER_H
#define FP8RT_REFERENCE_TRANSFORMER_H

#include "fp8rt/embedding.h"
#include "fp8rt/reference.h"
#include "fp8rt/transformer.h"

#ifdef __cplusplus
extern "C" {
#endif

void fp8rt_reference_embedding(fp8rt_reference *reference, const fp8rt_embedding_desc *desc);

// A block whose caches were empty before: `before` has the codes of x, and `memory` the tokens of
// the cross-attention. Nothing is rounded between the layers, so the bound is no sum of theirs: a
// quarter of the largest change of a row of x, or, with post-norm, of its largest value.
void fp8rt_reference_block(fp8rt_reference *reference, const fp8rt_block_desc *desc,
                           const void *before, const fp8rt_tensor *memory);

#ifdef __cplusplus
}
#endif
#endif
