// SPDX-License-Identifier: Apache-2.0
// One GEMM with operands -2, -1, 0, 1 and 2 on soc_top: every sum is a small integer, so it is
// exact in FP32 and the host's integers are the oracle.
#include <cstdio>
#include <vector>

#include "soc_host.h"

namespace
{

constexpr unsigned kM = 7, kN = 5, kK = 48;
constexpr uint32_t kDStride = 24; // 5 FP32 values, up to a whole beat

struct Operand {
    int value;
    uint8_t code; // e4m3fn
};
constexpr Operand kOperands[] = {{-2, 0xc0}, {-1, 0xb8}, {0, 0x00}, {1, 0x38}, {2, 0x40}};

struct Matrix {
    std::vector<int> values;
    std::vector<uint8_t> codes;
};

Matrix random_matrix(size_t count, uint32_t seed)
{
    Matrix matrix;
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        const Operand &operand = kOperands[(seed >> 24) % 5];
        matrix.values.push_back(operand.value);
        matrix.codes.push_back(operand.code);
    }
    return matrix;
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    const Matrix a = random_matrix(kM * kK, 1), b = random_matrix(kN * kK, 2);
    SocHost host;
    const SocGemm gemm = {kM, kN, kK, 0x000, kK, 0x400, kK, 0x800, kDStride};
    host.store(gemm.a, a.codes.data(), a.codes.size());
    host.store(gemm.b, b.codes.data(), b.codes.size());
    soc_run(host, gemm);
    unsigned passed = 0;
    for (unsigned m = 0; m < kM; m++) {
        float d[kN];
        host.load(d, gemm.d + m * kDStride, sizeof d);
        for (unsigned n = 0; n < kN; n++) {
            int sum = 0;
            for (unsigned k = 0; k < kK; k++) {
                sum += a.values[m * kK + k] * b.values[n * kK + k];
            }
            passed += d[n] == static_cast<float>(sum);
        }
    }
    std::printf("%u passed, %u failed\n", passed, kM * kN - passed);
    return passed == kM * kN ? 0 : 1;
}
