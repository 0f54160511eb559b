// SPDX-License-Identifier: Apache-2.0
#include "stamp.h"

#include "fp8mac/version.h"

// A step of the hash FNV-1a, with words in place of bytes.
static inline uint32_t mix(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 16777619u;
    return hash ^ hash >> 15;
}

uint32_t fp8rt_stamp(const fp8rt_caps *caps)
{
    const uint32_t version =
        FP8MAC_VERSION_MAJOR << 16 | FP8MAC_VERSION_MINOR << 8 | FP8MAC_VERSION_PATCH;
    uint32_t hash = mix(2166136261u, version);
    hash = mix(hash, (uint32_t)caps->rows << 16 | caps->cols);
    hash = mix(hash, (uint32_t)caps->lanes << 16 | caps->beat_bytes);
    hash = mix(hash, (uint32_t)caps->block << 16 | caps->pass_tiles);
    hash = mix(hash, (uint32_t)caps->acc_tiles << 16 | caps->max_mn);
    hash = mix(hash, (uint32_t)caps->buf_beats << 16 | caps->records);
    hash = mix(hash, caps->functions);
    hash = mix(hash, fp8rt_element_encode(&caps->element));
    return hash == 0 ? 1 : hash;
}
