// SPDX-License-Identifier: Apache-2.0
// One GEMM on the accelerator of soc_top, every output compared with the golden model.
#include <cstdio>
#include <vector>

#include "fp8mac/catalogue.h"
#include "fp8mac/fp8mac.h"
#include "soc_host.h"

namespace
{

constexpr unsigned kM = 6, kN = 5, kK = 40, kLanes = 4;
constexpr uint32_t kDStride = 24; // 5 FP32 values, up to a whole beat

// Seeded codes of e4m3fn, its NaNs left out so that every output shows a number.
std::vector<uint8_t> random_codes(size_t count, uint32_t seed)
{
    std::vector<uint8_t> codes(count);
    for (uint8_t &code : codes) {
        seed = seed * 1664525u + 1013904223u;
        code = static_cast<uint8_t>(seed >> 24);
        if ((code & 0x7f) == 0x7f) {
            code ^= 1;
        }
    }
    return codes;
}

std::vector<uint32_t> model(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b)
{
    std::vector<uint32_t> d(kM * kN);
    fp8mac_gemm_desc desc = {};
    desc.m = kM;
    desc.n = kN;
    desc.k = kK;
    fp8mac_element_config(FP8MAC_ELEMENT_BLOCK, kLanes, 0, &desc.dot); // the accelerator's default
    desc.dot.a.format = desc.dot.b.format = fp8mac_format_get(FP8MAC_E4M3FN);
    desc.dot.acc_format = FP8MAC_ACC_FP32;
    desc.a.codes = a.data();
    desc.a.stride = kK;
    desc.b.codes = b.data();
    desc.b.stride = kK;
    desc.d = d.data();
    desc.d_format = fp8mac_format_get(FP8MAC_FP32);
    desc.ldd = kN;
    const fp8mac_status status = fp8mac_gemm(&desc, nullptr);
    if (status != FP8MAC_OK) {
        throw std::runtime_error(fp8mac_status_string(status));
    }
    return d;
}

std::vector<uint32_t> accelerator(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b)
{
    SocHost host;
    const SocGemm gemm = {kM, kN, kK, 0x000, kK, 0x400, kK, 0x800, kDStride};
    host.store(gemm.a, a.data(), a.size());
    host.store(gemm.b, b.data(), b.size());
    const uint64_t cycles = soc_run(host, gemm);
    std::printf("GEMM %u x %u x %u: %llu cycles\n", kM, kN, kK,
                static_cast<unsigned long long>(cycles));
    std::vector<uint32_t> d(kM * kN);
    for (unsigned row = 0; row < kM; row++) {
        host.load(&d[row * kN], gemm.d + row * kDStride, kN * sizeof(uint32_t));
    }
    return d;
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    try {
        const std::vector<uint8_t> a = random_codes(kM * kK, 1), b = random_codes(kN * kK, 2);
        const std::vector<uint32_t> expected = model(a, b), got = accelerator(a, b);
        unsigned failed = 0;
        for (size_t i = 0; i < expected.size(); i++) {
            if (got[i] != expected[i]) {
                failed++;
                std::printf("D[%zu][%zu]: 0x%08x, the model has 0x%08x\n", i / kN, i % kN, got[i],
                            expected[i]);
            }
        }
        std::printf("%zu passed, %u failed\n", expected.size() - failed, failed);
        return failed == 0 ? 0 : 1;
    } catch (const std::exception &error) {
        std::printf("%s\n0 passed, 1 failed\n", error.what());
        return 1;
    }
}
