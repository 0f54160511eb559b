// SPDX-License-Identifier: Apache-2.0
// fp8mac_pe_fixed, anchored, against libfp8mac: every cycle the whole accumulator, specials and flags.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>

#include "Vanchored_tb.h"
#include "fp8mac/fp8mac.h"
#include "verilated.h"

namespace {

constexpr unsigned kSlots = 4, kAccLatency = 8, kFlagLatency = 4;
const fp8mac_format_id kFormats[] = {FP8MAC_E4M3FN, FP8MAC_E5M2, FP8MAC_E4M3FNUZ, FP8MAC_E5M2FNUZ};

struct Expected {
    int64_t acc;
    unsigned sticky;
    uint8_t flags;
};

struct Side {
    const fp8mac_format *format;
    unsigned fmt;
    int bound;  // largest exponent

    void draw(std::mt19937_64 &random) {
        fmt = random() % 4;
        format = fp8mac_format_get(kFormats[fmt]);
        bound = static_cast<int>(random() % 34) - 17;
        if (random() % 4 == 0) bound = fmt % 2 ? 15 : 8;
    }
    // As the edge wants it: the exponent field in E5M2's bias, FNUZ's one more, plus 1.
    unsigned field() const { return static_cast<unsigned>(bound + 15 + (fmt >= 2) + 1); }
    bool fits() const { return bound + 15 + (fmt >= 2) + 1 >= 0 && bound + 15 + (fmt >= 2) <= 31; }

    // A code within the bound; `special` lets Inf and NaN through.
    uint8_t code(std::mt19937_64 &random, bool special) const {
        for (;;) {
            const auto c = static_cast<uint8_t>(random());
            const fp8mac_value v = fp8mac_decode(format, c);
            if (v.cls == FP8MAC_CLASS_ZERO) return c;
            if (v.cls != FP8MAC_CLASS_FINITE) {
                if (special) return c;
                continue;
            }
            int exponent = v.exponent - 1;
            for (auto s = v.significand; s != 0; s >>= 1) exponent++;
            if (exponent <= bound) return c;
            if (random() % 8 == 0) return 0;
        }
    }
};

unsigned special_of(unsigned sticky) {
    const bool plus = sticky & FP8MAC_FIXED_POS_INF, minus = sticky & FP8MAC_FIXED_NEG_INF;
    if ((sticky & FP8MAC_FIXED_NAN) || (plus && minus)) return 1;
    return plus ? 2 : minus ? 3 : 0;
}

}  // namespace

int main() {
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vanchored_tb>(context.get());
    top->eval();
    const unsigned lanes = top->parameters_o >> 8, frac = top->parameters_o & 255;
    std::mt19937_64 random(20240601);
    uint64_t passed = 0, failed = 0, specials = 0, negative = 0;
    std::deque<Expected> accs, flags;
    for (unsigned epoch = 0; epoch < 1500; epoch++) {
        Side a, b;
        do a.draw(random); while (!a.fits());
        do b.draw(random); while (!b.fits());
        fp8mac_dot_config config = {};
        config.a_format = a.format;
        config.b_format = b.format;
        config.acc_format = FP8MAC_ACC_FIXED;
        config.group = lanes;
        config.frac_bits = frac;
        config.anchor = a.bound + b.bound;
        if (config.anchor == 0 && fp8mac_dot_config_validate(&config) != FP8MAC_OK) continue;
        const bool special = epoch % 4 == 0;
        fp8mac_acc acc[kSlots] = {};
        for (unsigned step = 0; step < 60 * kSlots; step++) {
            fp8mac_acc &mine = acc[step % kSlots];
            const bool first = step < kSlots || random() % 50 == 0;
            if (first) mine = fp8mac_acc();
            const unsigned n = random() % 5 ? lanes : 1 + static_cast<unsigned>(random() % lanes);
            uint8_t ac[64], bc[64];
            uint64_t aw[4] = {}, bw[4] = {};
            for (unsigned i = 0; i < lanes; i++) {
                ac[i] = a.code(random, special && random() % 40 == 0);
                bc[i] = b.code(random, special && random() % 40 == 0);
                aw[i / 8] |= static_cast<uint64_t>(ac[i]) << 8 * (i % 8);
                bw[i / 8] |= static_cast<uint64_t>(bc[i]) << 8 * (i % 8);
            }
            fp8mac_flags raised = {};
            const fp8mac_status status = fp8mac_dot_step(&config, &mine, ac, bc, n, &raised);
            if (status != FP8MAC_OK) {
                std::fprintf(stderr, "model: %s\n", fp8mac_status_string(status));
                return 2;
            }
            static_assert(sizeof(raised) <= sizeof(uint32_t));
            Expected e = {static_cast<int64_t>(mine.fixed_lo), mine.fixed_sticky, static_cast<uint8_t>(raised)};
            accs.push_back(e);
            flags.push_back(e);
            top->step_first_i = first;
            top->lane_en_i = (1u << n) - 1;
            for (unsigned i = 0; i < lanes; i++) {
                reinterpret_cast<uint8_t *>(&top->a_code_i)[i] = ac[i];
                reinterpret_cast<uint8_t *>(&top->b_code_i)[i] = bc[i];
            }
            top->a_fmt_i = a.fmt;
            top->b_fmt_i = b.fmt;
            top->a_bound_i = a.field();
            top->b_bound_i = b.field();
            top->clk_i = 1;
            top->eval();
            top->clk_i = 0;
            top->eval();
            if (accs.size() > kAccLatency) {
                const Expected seen = accs.front();
                accs.pop_front();
                const unsigned want = special_of(seen.sticky);
                const bool right = top->special_o == want &&
                                   (want != 0 || static_cast<int64_t>(top->acc_o) == seen.acc);
                right ? passed++ : failed++;
                specials += want != 0;
                negative += want == 0 && seen.acc < 0;
                if (!right && failed < 10) {
                    std::printf("acc %016llx special %u, want %016llx %u\n", (unsigned long long)top->acc_o,
                                top->special_o, (unsigned long long)seen.acc, want);
                }
            }
            if (flags.size() > kFlagLatency) {
                const Expected seen = flags.front();
                flags.pop_front();
                top->flags_o == seen.flags ? passed++ : failed++;
                if (top->flags_o != seen.flags && failed < 10) std::printf("flags %u want %u\n", top->flags_o, seen.flags);
            }
        }
    }
    if (specials == 0 || negative == 0) failed++;
    std::printf("%u lanes, %u fraction bits: %llu specials, %llu negative\n", lanes, frac, (unsigned long long)specials,
                (unsigned long long)negative);
    std::printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return failed != 0;
}
