// SPDX-License-Identifier: Apache-2.0
// placed_product_tb: every pair of normalised significands and of distances, for each width of a
// word. The word is what remains of the product, which has two integer bits, and fraction bits
// below them, when it is shifted right by the sum of the distances.
#include "Vplaced_product_tb.h"
#include "tb.h"

static constexpr unsigned Widths = 4;

static void check(tb::Bench &bench, Vplaced_product_tb &dut, unsigned i, uint64_t far[2])
{
    const uint64_t mask = (1u << dut.distance_w_o[i]) - 1;
    if (dut.a_distance_i > mask || dut.b_distance_i > mask) {
        return;
    }
    const unsigned shift = dut.a_distance_i + dut.b_distance_i;
    const uint64_t product = uint64_t(dut.a_sig_i) * dut.b_sig_i;
    const uint64_t want = ((product << dut.word_w_o[i]) >> 8) >> shift;
    far[0] += dut.a_distance_i > 14 && want != 0;
    far[1] += dut.b_distance_i > 14 && want != 0;
    bench.equal("word", dut.word_o[i], want, [&] {
        return tb::text("%u bits, %u at %u times %u at %u", dut.word_w_o[i], dut.a_sig_i,
                        dut.a_distance_i, dut.b_sig_i, dut.b_distance_i);
    });
}

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Clocked<Vplaced_product_tb> dut(bench);
    uint64_t far[2] = {0, 0};
    for (unsigned code = 0; code < 1u << 16; code++) {
        dut->a_sig_i = 8 | (code & 7);
        dut->b_sig_i = 8 | (code >> 3 & 7);
        dut->a_distance_i = code >> 6 & 31;
        dut->b_distance_i = code >> 11 & 31;
        dut->eval();
        for (unsigned i = 0; i < Widths; i++) {
            check(bench, *dut, i, far);
        }
    }
    bench.covered("a distance of A beyond the multiplier's input leaves something", far[0]);
    bench.covered("a distance of B beyond the multiplier's input leaves something", far[1]);
    return bench.finish();
}
