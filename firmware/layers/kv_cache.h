// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_LAYERS_KV_CACHE_H
#define FP8RT_LAYERS_KV_CACHE_H

#include "fp8rt/attention.h"

// FP8RT_OK, or what is wrong with a cache.
fp8rt_status fp8rt_kv_check(fp8rt_run *run, const fp8rt_kv_cache *cache);

static inline bool fp8rt_kv_is_steady(const fp8rt_kv_cache *cache)
{
    return cache->group.data != NULL;
}

// The core copies the first `rows` rows of a tensor to those of another one of its format.
fp8rt_status fp8rt_copy_rows(fp8rt_run *run, const fp8rt_tensor *from, uint32_t rows,
                             const fp8rt_tensor *to);

#endif
