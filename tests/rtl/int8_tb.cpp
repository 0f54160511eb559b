// SPDX-License-Identifier: Apache-2.0
// The INT8 element against the model's exact step, every cycle's accumulator:
//   int8_tb [--seed N] [--steps N] [--pairs]
// Random chains run onto rotating accumulators. Chains of the largest and least products reach the
// model's longest sum, except with one lane, where it takes too many steps. With --pairs also every
// pair of codes runs, each in another lane than the pair before, from 0 and onto running
// accumulators.
#include <deque>
#include <vector>

#include "fp8mac/fp8mac.h"
#include "tb.h"
#include "element_dut.h"

namespace
{

class Int8Test
{
  public:
    Int8Test(tb::Bench &bench, tb::Rng &rng)
        : bench_(bench), rng_(rng), dut_(tb::Int8Dut::make(bench.context())), lanes_(dut_->lanes()),
          banks_(dut_->banks()), acc_(banks_)
    {
        std::printf("%u lanes, %u banks\n", lanes_, banks_);
        config_.a.format = config_.b.format = fp8mac_format_get(FP8MAC_INT8);
        config_.acc_format = FP8MAC_ACC_INT32;
        config_.group = lanes_;
        restart();
    }

    unsigned lanes() const
    {
        return lanes_;
    }

    void every_pair(bool running)
    {
        for (unsigned pair = 0; pair < 65536; pair++) {
            tb::Int8Step step;
            step.first = !running || full();
            step.a[pair % lanes_] = static_cast<uint8_t>(pair >> 8);
            step.b[pair % lanes_] = static_cast<uint8_t>(pair);
            issue(step);
        }
        restart();
    }

    void random_chains(unsigned steps)
    {
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            tb::Int8Step step;
            step.first = rng_.chance(20) || full();
            const unsigned style = rng_.below(8);
            if (style == 7) {
                bubbles_++;
            }
            for (unsigned lane = 0; lane < tb::kTopLanes && (style != 7 || lane >= lanes_);
                 lane++) {
                step.a[lane] = code(style);
                step.b[lane] = code(style);
                if (style == 6 && rng_.chance(700)) {
                    (rng_.coin() ? step.a : step.b)[lane] = 0;
                }
            }
            issue(step);
        }
    }

    // The longest sum that the model allows, so that every bit of the accumulator is used.
    void longest(uint8_t a, uint8_t b)
    {
        restart();
        const unsigned steps = FP8MAC_INT8_K_MAX / lanes_ - 1; // restart() took one
        for (unsigned i = 0; i < steps * banks_ && !bench_.hopeless(); i++) {
            tb::Int8Step step;
            std::memset(step.a, a, sizeof step.a);
            std::memset(step.b, b, sizeof step.b);
            issue(step);
        }
        restart();
    }

    void finish()
    {
        for (unsigned i = 0; i < stages(); i++) {
            restart();
        }
        if (lanes_ > 1) {
            bench_.covered("accumulator above 2^30", above_);
        }
        if (lanes_ > 1) {
            bench_.covered("accumulator below -2^30", below_);
        }
        bench_.covered("sign changed", sign_changed_);
        bench_.covered("bubble", bubbles_);
    }

  private:
    struct Expected {
        uint32_t before, after;
        tb::Int8Step step;
    };

    // A step issued before one edge is seen in the accumulator after this many more, its own
    // included.
    unsigned stages() const
    {
        return banks_ + 2;
    }
    unsigned bank() const
    {
        return static_cast<unsigned>(cycle_ % banks_);
    }

    // The model allows no longer sum.
    bool full() const
    {
        return acc_[bank()].fixed_terms + lanes_ > FP8MAC_INT8_K_MAX;
    }

    uint8_t code(unsigned style)
    {
        static const uint8_t corner[] = {0x00, 0x01, 0x02, 0x3f, 0x40, 0x7f, 0x80,
                                         0x81, 0xaa, 0x55, 0xc0, 0xfe, 0xff};
        if (style < 3) {
            return rng_.code8();
        }
        if (style == 3) {
            return corner[rng_.below(sizeof corner)];
        }
        if (style == 4) {
            return rng_.chance(900) ? 0x80 : rng_.code8();
        }
        return rng_.coin() ? 0x7f : 0x80;
    }

    void restart()
    {
        for (unsigned i = 0; i < banks_; i++) {
            tb::Int8Step step;
            step.first = true;
            issue(step);
        }
    }

    void issue(const tb::Int8Step &step)
    {
        fp8mac_acc &acc = acc_[bank()];
        if (step.first) {
            acc = fp8mac_acc();
        }
        Expected e = {acc.code, 0, step};
        const fp8mac_status status =
            fp8mac_dot_step(&config_, &acc, step.a, step.b, lanes_, nullptr);
        if (status != FP8MAC_OK) {
            std::fprintf(stderr, "model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        e.after = acc.code;
        const int32_t before = static_cast<int32_t>(e.before),
                      after = static_cast<int32_t>(e.after);
        above_ += after > 1 << 30;
        below_ += after < -(1 << 30);
        sign_changed_ += before != 0 && (before ^ after) < 0;
        const uint32_t got = dut_->tick(step);
        cycle_++;
        in_flight_.push_back(e);
        if (in_flight_.size() <= stages()) {
            return;
        }
        in_flight_.pop_front();
        const Expected &seen = in_flight_.front();
        bench_.equal("accumulator", got, seen.after, [&] { return text_of(seen); });
    }

    std::string text_of(const Expected &e) const
    {
        std::string s = tb::text("from %#x:", e.step.first ? 0 : e.before);
        for (unsigned i = 0; i < lanes_; i++) {
            s += tb::text(" %02x*%02x", e.step.a[i], e.step.b[i]);
        }
        return s;
    }

    tb::Bench &bench_;
    tb::Rng &rng_;
    std::unique_ptr<tb::Int8Dut> dut_;
    const unsigned lanes_, banks_;
    fp8mac_dot_config config_ = {};
    std::vector<fp8mac_acc> acc_;
    uint64_t cycle_ = 0, above_ = 0, below_ = 0, sign_changed_ = 0, bubbles_ = 0;
    std::deque<Expected> in_flight_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    const unsigned steps = bench.number("--steps", 50000);
    const bool pairs = bench.flag("--pairs");
    Int8Test test(bench, rng);
    if (pairs) {
        test.every_pair(false);
    }
    if (pairs) {
        test.every_pair(true);
    }
    test.random_chains(steps);
    if (test.lanes() > 1) {
        test.longest(0x80, 0x80);
    }
    if (test.lanes() > 1) {
        test.longest(0x80, 0x7f);
    }
    test.finish();
    return bench.finish();
}
