// SPDX-License-Identifier: Apache-2.0
// Decoder and processing element against the model's step. Result and flags are compared in every
// cycle. Steps are:
//   every pair of codes of every pair of formats, in FP32 and FP16, from +0 and onto a running
//   accumulator; random chains in 1, 3, 4 and 16 lanes; single steps from accumulators of any FP32
//   or FP16 value, and of ties with the largest products.
#include <deque>

#include "Vexact_tb.h"
#include "dot_steps.h"

namespace
{

constexpr unsigned kWidths = 4;
constexpr unsigned kLanes[kWidths] = {1, 3, 4, 16}; // as in exact_tb.sv
constexpr unsigned kDutLanes = 16;                  // of the ports
constexpr unsigned kBanks = 4;
constexpr unsigned kStages = 5; // ElementStages
constexpr unsigned kLoop = 3;   // LoopCycles

struct Expected {
    bool valid = false, last = false;
    unsigned bank = 0;
    tb::Answer answer;
    tb::StepConfig config;
    uint8_t a = 0, b = 0;
};

class PeTest
{
  public:
    PeTest(tb::Bench &bench, tb::Clocked<Vexact_tb> &dut, tb::Rng &rng, unsigned width)
        : bench_(bench), dut_(dut), rng_(rng), width_(width), lanes_(kLanes[width])
    {
        dut_->step_valid_i = 0;
        dut_->boxes_en_i = 0;
    }

    // Every pair, each in another lane than the pair before. The other lanes are absent.
    void every_pair(bool fp16, bool running)
    {
        for (unsigned formats = 0; formats < tb::kFormats * tb::kFormats && !bench_.hopeless();
             formats++) {
            tb::StepConfig config;
            config.a_format = formats / tb::kFormats;
            config.b_format = formats % tb::kFormats;
            config.fp16 = fp16;
            for (unsigned pair = 0; pair < 65536; pair++) {
                const uint8_t a = static_cast<uint8_t>(pair >> 8), b = static_cast<uint8_t>(pair);
                if (running && pair % 64 == 0) {
                    config.scale_a = rng_.range(-20, 10);
                    config.scale_b = rng_.range(-10, 10);
                }
                const unsigned bank = pair % kBanks;
                // A NaN or Inf would stay for the rest of the run.
                const bool stuck = (acc_[bank].pattern & 0x7f800000u) == 0x7f800000u;
                step(config, bank, !running || stuck || pair < kBanks, true, pair % lanes_, &a, &b,
                     1);
            }
            let_finish();
        }
    }

    void random_chains(unsigned steps)
    {
        std::vector<tb::Steps> chain(kBanks, tb::Steps(rng_, lanes_));
        unsigned left[kBanks] = {};
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            if (rng_.chance(30)) {
                idle();
            }
            const unsigned bank = free_bank();
            const bool first = left[bank] == 0;
            if (first) {
                left[bank] = 1 + rng_.below(12);
                chain[bank].new_chain();
            }
            left[bank]--;
            chain[bank].next(first ? 0 : acc_[bank].pattern, left[bank] != 0);
            step(chain[bank].config, bank, first, left[bank] == 0 || rng_.chance(800), 0,
                 chain[bank].a, chain[bank].b, chain[bank].n);
        }
        let_finish();
    }

    // The boxes alone, from any accumulator.
    void single_steps(unsigned steps)
    {
        tb::Steps operands(rng_, lanes_);
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            operands.new_chain();
            tb::Accumulator acc;
            any_accumulator(operands.config, acc);
            operands.next(acc.pattern, false);
            single_step(operands, acc);
        }
        dut_->boxes_en_i = 0;
        bench_.covered(name("FP32 subnormal kept").c_str(), subnormal_);
        bench_.covered(name("-0 kept").c_str(), minus_zero_);
    }

    // The largest products are half of acc's last place: acc is 64 places above the sum's last bit.
    // Two products of 2^15 * 2^15 against a last place of 2^32.
    void ties_at_the_top()
    {
        if (lanes_ < 2) {
            return;
        }
        tb::Steps operands(rng_, lanes_);
        for (unsigned i = 0; i < 64; i++) {
            operands.new_chain();
            operands.next(0, false);
            operands.config = tb::StepConfig();
            operands.config.a_format = operands.config.b_format = FP8MAC_E5M2;
            operands.n = 2;
            const uint8_t sign = rng_.coin() ? 0x80 : 0;
            for (unsigned lane = 0; lane < 2; lane++) {
                operands.a[lane] = static_cast<uint8_t>(0x78 | sign);
                operands.b[lane] = 0x78;
            }
            tb::Accumulator acc;
            acc.acc.code = (rng_.fp32() & 0x807fffffu) | (127u + 23 + 32) << 23;
            acc.pattern = acc.acc.code;
            single_step(operands, acc);
        }
        dut_->boxes_en_i = 0;
    }

    void report()
    {
        events_.report(bench_, name("random"), lanes_);
    }

  private:
    void single_step(tb::Steps &operands, tb::Accumulator &acc)
    {
        const uint32_t before = acc.pattern;
        const tb::Answer want =
            acc.step(operands.config, lanes_, operands.a, operands.b, operands.n);
        events_.count(operands.config, before, operands.a, operands.b, operands.n, lanes_, want);
        subnormal_ += (want.result & 0x7fffffffu) - 1 < 0x7fffffu;
        minus_zero_ += before == 0x80000000u && want.result == before;
        drive(operands.config, 0, operands.a, operands.b, operands.n);
        dut_->acc_i = before;
        dut_->boxes_en_i = static_cast<uint8_t>(1u << width_);
        for (unsigned cycle = 0; cycle < kStages; cycle++) {
            dut_.tick();
        }
        auto detail = [&] { return operands.config.text() + tb::text(", acc %08x", before); };
        bench_.equal("single step", dut_->boxes_acc_o[width_], want.result, detail);
        bench_.equal("single step's flags", dut_->boxes_flags_o >> (4 * width_) & 15, want.flags,
                     detail);
    }

    std::string name(const char *what) const
    {
        return tb::text("%2u lanes, %s", lanes_, what);
    }

    void any_accumulator(const tb::StepConfig &config, tb::Accumulator &acc)
    {
        acc.acc.code = config.fp16 ? rng_.fp16() : rng_.fp32();
        if (rng_.chance(400)) {
            put_at_an_edge(config, acc.acc.code);
        }
        const bool nan = config.fp16 ? (acc.acc.code & 0x7fff) > 0x7c00
                                     : (acc.acc.code & 0x7fffffff) > 0x7f800000;
        if (nan) {
            acc.acc.code = config.fp16 ? 0x7e00 : 0x7fc00000; // an accumulator's only NaN
        }
        const fp8mac_dot_config model = config.model(lanes_);
        acc.pattern = fp8mac_acc_to_fp32(&model, &acc.acc, nullptr);
    }

    // As far above or below the products as the alignment goes: their sum has 67 bits and more, acc
    // 24.
    void put_at_an_edge(const tb::StepConfig &config, uint32_t &code)
    {
        const int unit = 118 + config.scale_a +
                         config.scale_b; // FP32 exponent field of the sum's last bit as acc's
        const int field = unit + (rng_.coin() ? rng_.range(60, 80) : rng_.range(-60, 0));
        if (!config.fp16) {
            if (field > 0 && field < 255) {
                code = (code & 0x807fffffu) | static_cast<uint32_t>(field) << 23;
            }
        } else if (field > 112 && field < 143) {
            code = (code & 0x83ffu) | static_cast<uint32_t>(field - 112) << 10;
        }
    }

    unsigned free_bank()
    {
        unsigned bank;
        do {
            bank = rng_.below(kBanks);
        } while (cycle_ - issued_[bank] < kLoop);
        return bank;
    }

    void drive(const tb::StepConfig &config, unsigned lane, const uint8_t *a, const uint8_t *b,
               unsigned n)
    {
        uint8_t codes[2][kDutLanes];
        for (unsigned i = 0; i < kDutLanes; i++) { // absent lanes carry anything
            codes[0][i] = rng_.code8();
            codes[1][i] = rng_.code8();
        }
        std::memcpy(codes[0] + lane, a, n);
        std::memcpy(codes[1] + lane, b, n);
        std::memcpy(dut_->a_code_i.data(), codes[0], sizeof codes[0]);
        std::memcpy(dut_->b_code_i.data(), codes[1], sizeof codes[1]);
        dut_->lane_en_i = static_cast<uint16_t>(((1u << n) - 1) << lane);
        dut_->cfg_i = config.bits();
    }

    void step(const tb::StepConfig &config, unsigned bank, bool first, bool last, unsigned lane,
              const uint8_t *a, const uint8_t *b, unsigned n)
    {
        drive(config, lane, a, b, n);
        dut_->step_valid_i = static_cast<uint8_t>(1u << width_);
        dut_->step_bank_i = static_cast<uint8_t>(bank);
        dut_->step_first_i = first;
        dut_->step_last_i = last;
        if (first) {
            acc_[bank] = tb::Accumulator();
        }
        Expected expected;
        expected.valid = true;
        expected.last = last;
        expected.bank = bank;
        expected.config = config;
        expected.a = a[0];
        expected.b = b[0];
        const uint32_t before = acc_[bank].pattern;
        expected.answer = acc_[bank].step(config, lanes_, a, b, n);
        events_.count(config, before, a, b, n, lanes_, expected.answer);
        issued_[bank] = cycle_;
        cycle(expected);
    }
    void idle()
    {
        dut_->step_valid_i = 0;
        cycle(Expected());
    }
    void let_finish()
    {
        for (unsigned i = 0; i < kStages; i++) {
            idle();
        }
    }
    void cycle(const Expected &issued)
    {
        in_flight_.push_back(issued);
        dut_.tick();
        cycle_++;
        if (in_flight_.size() < kStages) {
            return;
        }
        const Expected e = in_flight_.front();
        in_flight_.pop_front();
        auto detail = [&] {
            return e.config.text() + tb::text(", %u lanes, %02x * %02x ..", lanes_, e.a, e.b);
        };
        bench_.equal("result valid", dut_->result_valid_o >> width_ & 1, e.last, detail);
        bench_.equal("flags", dut_->flags_o >> (4 * width_) & 15, e.answer.flags, detail);
        if (!e.last) {
            return;
        }
        bench_.equal("bank", dut_->result_bank_o >> (2 * width_) & 3, e.bank, detail);
        bench_.equal("result", dut_->result_o[width_], e.answer.result, detail);
    }

    tb::Bench &bench_;
    tb::Clocked<Vexact_tb> &dut_;
    tb::Rng &rng_;
    unsigned width_, lanes_;
    tb::Accumulator acc_[kBanks];
    uint64_t cycle_ = 100, issued_[kBanks] = {};
    std::deque<Expected> in_flight_;
    tb::Events events_;
    uint64_t subnormal_ = 0, minus_zero_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    tb::Clocked<Vexact_tb> dut(bench);
    dut.reset();
    for (unsigned width = 0; width < kWidths; width++) {
        PeTest test(bench, dut, rng, width);
        // All pairs in the narrowest and in the default width: lanes are alike.
        if (kLanes[width] == 1) {
            test.every_pair(false, false);
            test.every_pair(true, false);
        }
        if (kLanes[width] == 4) {
            test.every_pair(false, true);
            test.every_pair(true, true);
        }
        test.random_chains(300000);
        test.single_steps(100000);
        test.ties_at_the_top();
        test.report();
    }
    std::printf("%" PRIu64 " cycles\n", dut.cycles());
    return bench.finish();
}
