// SPDX-License-Identifier: Apache-2.0
// The read-out against the definitions of the formats: every code of FP16, both as the only format
// and as one of two, and INT32 and FP32 with values around every power of two.
#include "Vreadout_tb.h"
#include "tb.h"

#include <cmath>

namespace
{

uint32_t bits(float x)
{
    uint32_t pattern;
    std::memcpy(&pattern, &x, sizeof pattern);
    return pattern;
}

// IEEE 754: sign, five bits of exponent with bias 15, ten bits of fraction. NaN keeps its fraction.
uint32_t meaning_of_fp16(uint32_t code)
{
    const uint32_t sign = code >> 15 << 31, field = code >> 10 & 31, fraction = code & 1023;
    if (field == 31) {
        return sign | 0x7f800000 | fraction << 13;
    }
    const double significand = field == 0 ? fraction : 1024.0 + fraction;
    const int exponent = field == 0 ? -24 : static_cast<int>(field) - 25;
    return sign | bits(static_cast<float>(std::ldexp(significand, exponent)));
}

// How an accumulator of either format holds an FP16 code: as FP32's pattern, but below 2^-14 with
// the field of 2^-14, FP16's fraction behind it, and the last bit set.
uint32_t held(uint32_t code)
{
    const bool below = (code >> 10 & 31) == 0;
    const uint32_t fraction = code & 1023;
    return below ? code >> 15 << 31 | (127u - 14u) << 23 | fraction << 13 | 1u
                 : meaning_of_fp16(code);
}

void every_fp16(tb::Bench &bench, Vreadout_tb &dut)
{
    for (uint32_t code = 0; code < 65536 && !bench.hopeless(); code++) {
        dut.fp16_i = static_cast<uint16_t>(code);
        dut.choice_fp16_i = 1;
        dut.choice_i = held(code);
        dut.eval();
        const auto detail = [&] { return tb::text("code %#x", code); };
        bench.equal("FP16", dut.fp16_o, meaning_of_fp16(code), detail);
        bench.equal("FP16, one of two formats", dut.choice_o, meaning_of_fp16(code), detail);
    }
}

void around_powers(tb::Bench &bench, Vreadout_tb &dut, tb::Rng &rng)
{
    for (unsigned round = 0; round < 100000 && !bench.hopeless(); round++) {
        const uint32_t low = static_cast<uint32_t>(rng.next()) >> rng.below(32);
        const uint32_t near = (1u << rng.below(32)) + static_cast<uint32_t>(rng.range(-3, 3));
        const uint32_t word = rng.coin() ? low : near;
        const uint32_t value = rng.coin() ? word : 0u - word;
        dut.choice_fp16_i = 0;
        dut.choice_i = value;
        dut.int32_i = value;
        dut.eval();
        const auto detail = [&] { return tb::text("word %#x", value); };
        bench.equal("FP32, one of two formats", dut.choice_o, value, detail);
        bench.equal("INT32", dut.int32_o, bits(static_cast<float>(static_cast<int32_t>(value))),
                    detail);
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    Vreadout_tb dut(bench.context());
    every_fp16(bench, dut);
    around_powers(bench, dut, rng);
    dut.final();
    return bench.finish();
}
