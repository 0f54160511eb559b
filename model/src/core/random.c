// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10, the counter-based generator that random.h describes.
#include "core/internal.h"

void fp8mac_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t output[4])
{
    uint32_t x[4], k[2];
    memcpy(x, counter, sizeof x);
    memcpy(k, key, sizeof k);
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)UINT32_C(0xd2511f53) * x[0];
        uint64_t q = (uint64_t)UINT32_C(0xcd9e8d57) * x[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ x[1] ^ k[0], (uint32_t)q,
                            (uint32_t)(p >> 32) ^ x[3] ^ k[1], (uint32_t)p};
        memcpy(x, next, sizeof x);
        k[0] += UINT32_C(0x9e3779b9);
        k[1] += UINT32_C(0xbb67ae85);
    }
    memcpy(output, x, sizeof x);
}

uint32_t fp8mac_random_bits(uint64_t seed, uint32_t m, uint32_t n, uint64_t step,
                            fp8mac_random_use use, unsigned n_bits)
{
    uint32_t high = (uint32_t)(step >> 32) | (uint32_t)use << 28;
    const uint32_t counter[4] = {m, n, (uint32_t)step, high};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t output[4];
    fp8mac_philox4x32(counter, key, output);
    return output[0] >> (32 - n_bits);
}
