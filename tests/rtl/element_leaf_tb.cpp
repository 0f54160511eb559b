// SPDX-License-Identifier: Apache-2.0
// Sends random and extreme words through the leaves that are built cell by cell
// (element_leaf_tb.sv).
#include "Velement_leaf_tb.h"
#include "tb.h"

namespace
{

constexpr unsigned kShifts = 10, kTrees = 4, kWords = 32; // 33 * 31 bits

// Few bits, many bits, one run of ones, or anything.
uint32_t word(tb::Rng &rng)
{
    const uint32_t any = static_cast<uint32_t>(rng.next() >> 32);
    switch (rng.below(6)) {
    case 0: return 0;
    case 1: return ~0u;
    case 2: return 1u << rng.below(32);
    case 3: return ~0u << rng.below(32);
    default: return any;
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    Velement_leaf_tb dut(bench.context());
    for (unsigned round = 0; round < 20000 && !bench.hopeless(); round++) {
        const bool all = rng.chance(100), same = rng.chance(200);
        const uint32_t common = word(rng);
        uint32_t *words = dut.word_i.data();
        for (unsigned i = 0; i < kWords; i++) {
            words[i] = all ? ~0u : same ? common : word(rng);
        }
        words[kWords - 1] &= (1u << 33 * 31 % 32) - 1;
        dut.sign_i =
            all ? 0x1ffffffff : rng.next() & (rng.coin() ? 0x1ffffffff : rng.next()) & 0x1ffffffff;
        dut.fill_i = rng.coin();
        dut.void_i = rng.coin();
        dut.value_i = (uint64_t{word(rng)} << 32 | word(rng)) & 0x3ffffffff;
        dut.shift_i = static_cast<uint8_t>(round % 64);
        dut.eval();
        for (unsigned i = 0; i < kShifts + kTrees; i++) {
            bench.equal(i < kShifts ? "shift" : "compressor tree", dut.wrong_o >> i & 1, 0, [&] {
                return tb::text("number %u, value %#" PRIx64 ", fill %u, void %u, shift %u",
                                i < kShifts ? i : i - kShifts, static_cast<uint64_t>(dut.value_i),
                                dut.fill_i, dut.void_i, dut.shift_i);
            });
        }
    }
    dut.final();
    return bench.finish();
}
