// SPDX-License-Identifier: Apache-2.0
// An element of FamilyStatic (kulisch or static) against the model's step, every cycle's
// accumulator, specials and flags:
//   static_tb [--seed N] [--steps N] [--pairs]
// Random chains run onto rotating accumulators, with bubbles between. Sums of the largest products
// of either sign have as many products as the model allows. With --pairs also every pair of codes
// of every pair of formats runs, each in another lane than the pair before: from 0, below bounds
// that fit the pair, and onto running accumulators, below the formats' own bounds.
#include <deque>
#include <vector>

#include "static_events.h"

namespace
{

constexpr uint64_t kTerms = 65536; // of one sum

class StaticTest
{
  public:
    StaticTest(tb::Bench &bench, tb::Rng &rng)
        : bench_(bench), rng_(rng), dut_(tb::StaticDut::make(bench.context())),
          p_(dut_->parameters()), events_(p_), bank_(p_.banks)
    {
        std::printf("%u lanes, %u banks, %u fraction bits, %s, distances of %u bits%s\n", p_.lanes,
                    p_.banks, p_.frac_bits, p_.static_exponent ? "static" : "exact", p_.distance_w,
                    p_.inf ? "" : ", no Inf");
        // An accumulator is known from its first step on. Before that its registers may hold
        // anything.
        restart();
    }

    void random_chains(unsigned steps)
    {
        std::vector<tb::StaticSteps> chains(p_.banks, tb::StaticSteps(rng_, p_));
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            tb::StaticSteps &operands = chains[turn()];
            tb::StaticStep step;
            step.valid = rng_.chance(920);
            step.first =
                i < p_.banks || full() || rng_.chance(bank().state.special() == 0 ? 20 : 300);
            if (step.first) {
                operands.new_chain();
            }
            operands.next(step);
            issue(step, operands.chain);
        }
    }

    void every_pair(bool running)
    {
        for (unsigned formats = 0; formats < tb::kFormats * tb::kFormats && !bench_.hopeless();
             formats++) {
            tb::StaticChain own;
            own.a.format = formats / tb::kFormats;
            own.b.format = formats % tb::kFormats;
            if (!tb::StaticSteps::taken(p_, own.a.format) ||
                !tb::StaticSteps::taken(p_, own.b.format)) {
                continue;
            }
            own.a.bound = own.a.binades().high;
            own.b.bound = own.b.binades().high;
            for (unsigned pair = 0; pair < 65536; pair++) {
                const auto a = static_cast<uint8_t>(pair >> 8), b = static_cast<uint8_t>(pair);
                tb::StaticChain chain = own;
                if (!running) {
                    draw_bound(chain.a, a);
                }
                if (!running) {
                    draw_bound(chain.b, b);
                }
                // A NaN or Inf would stay for the rest of the run.
                const bool first =
                    !running || pair < p_.banks || full() || bank().state.special() != 0;
                one_lane(chain, a, b, first);
            }
        }
    }

    // Every bit of the accumulator is used.
    void longest(uint8_t sign)
    {
        tb::StaticChain chain;
        chain.a.bound = chain.b.bound = p_.static_exponent ? 7 : 8;
        tb::StaticStep step;
        step.valid = true;
        set_bounds(step, chain);
        step.lanes = static_cast<uint32_t>((uint64_t{1} << p_.lanes) - 1);
        std::memset(step.a, p_.static_exponent ? 0x77 : 0x7e,
                    sizeof step.a); // 1.875 * 2^7, 1.75 * 2^8
        std::memset(step.b, step.a[0] | sign, sizeof step.b);
        for (unsigned i = 0; i < kTerms / p_.lanes * p_.banks && !bench_.hopeless(); i++) {
            step.first = i < p_.banks;
            issue(step, chain);
        }
        restart();
    }

    void finish()
    {
        for (unsigned i = 0; i < p_.stages; i++) {
            restart();
        }
        events_.report(bench_);
        std::printf("%" PRIu64 " steps\n", cycle_);
    }

  private:
    struct Bank {
        fp8mac_acc acc;
        tb::StaticState state;
    };
    struct Expected {
        tb::StaticTerms terms;
        tb::StaticState before, after;
        uint32_t flags;
        bool first;
    };

    unsigned turn() const
    {
        return static_cast<unsigned>(cycle_ % p_.banks);
    }
    const Bank &bank() const
    {
        return bank_[turn()];
    }
    bool full() const
    {
        return bank().acc.fixed_terms + p_.lanes > kTerms;
    }

    void restart()
    {
        tb::StaticStep step;
        step.first = true;
        for (unsigned i = 0; i < p_.banks; i++) {
            issue(step, tb::StaticChain());
        }
    }

    // At the code's own exponent, or above it.
    void draw_bound(tb::StaticSide &side, uint8_t code)
    {
        if (!p_.static_exponent) {
            return;
        }
        const int least = side.is_number(code) ? side.exponent(code) : side.binades().low;
        side.bound = rng_.chance(300) ? least : rng_.range(least, side.highest());
    }

    void one_lane(const tb::StaticChain &chain, uint8_t a, uint8_t b, bool first)
    {
        const auto lane = static_cast<unsigned>(cycle_ % p_.lanes);
        tb::StaticStep step;
        step.valid = true;
        step.first = first;
        step.lanes = 1u << lane;
        set_bounds(step, chain);
        step.a[lane] = a;
        step.b[lane] = b;
        issue(step, chain);
    }

    static void set_bounds(tb::StaticStep &step, const tb::StaticChain &chain)
    {
        step.a_format = chain.a.format;
        step.b_format = chain.b.format;
        step.a_bound = static_cast<unsigned>(chain.a.field());
        step.b_bound = static_cast<unsigned>(chain.b.field());
    }

    tb::StaticTerms terms_of(const tb::StaticStep &step, const tb::StaticChain &chain) const
    {
        tb::StaticTerms terms = {};
        terms.chain = chain;
        terms.config.a.format = tb::Codes::of(chain.a.format).format;
        terms.config.b.format = tb::Codes::of(chain.b.format).format;
        terms.config.acc_format = FP8MAC_ACC_FIXED;
        terms.config.group = p_.lanes;
        if (p_.static_exponent) {
            terms.config.frac_bits = p_.frac_bits;
            terms.config.static_exponent = chain.a.bound + chain.b.bound;
        }
        for (unsigned i = 0; i < p_.lanes; i++) {
            if (!step.valid || !(step.lanes >> i & 1)) {
                continue;
            }
            terms.a[terms.n] = step.a[i];
            terms.b[terms.n++] = step.b[i];
        }
        return terms;
    }

    void issue(const tb::StaticStep &step, const tb::StaticChain &chain)
    {
        Bank &mine = bank_[turn()];
        if (step.first) {
            mine = Bank();
        }
        Expected e = {terms_of(step, chain), mine.state, {}, 0, step.first};
        const uint64_t consumed = mine.acc.fixed_terms;
        fp8mac_flags flags = 0;
        if (e.terms.n != 0) { // a step without lanes, or a bubble, leaves the sum as it is
            const fp8mac_status status = fp8mac_dot_step(&e.terms.config, &mine.acc, e.terms.a,
                                                         e.terms.b, e.terms.n, &flags);
            if (status != FP8MAC_OK) {
                std::fprintf(stderr, "model: %s\n", fp8mac_status_string(status));
                std::abort();
            }
        }
        mine.state = {static_cast<int64_t>(mine.acc.fixed_lo), mine.acc.fixed_sticky};
        e.after = mine.state;
        e.flags = flags;
        events_.count(step, e.terms, consumed, e.before, e.after, flags);
        const tb::StaticResult result = dut_->tick(step);
        cycle_++;
        in_flight_.push_back(e);
        if (in_flight_.size() < p_.stages) {
            return;
        }
        check(result, in_flight_.front());
        in_flight_.pop_front();
    }

    void check(const tb::StaticResult &r, const Expected &e)
    {
        auto detail = [&] { return text_of(e); };
        const unsigned special = e.after.special();
        bench_.equal("special", r.special, special, detail);
        if (special == 0) {
            bench_.equal("accumulator", r.acc, static_cast<uint64_t>(e.after.acc), detail);
        }
        bench_.equal("flags", r.flags, e.flags, detail);
    }

    std::string text_of(const Expected &e) const
    {
        const tb::StaticSide &a = e.terms.chain.a, &b = e.terms.chain.b;
        std::string s = tb::text("from %#" PRIx64 "%s, %s below 2^%d * %s below 2^%d:",
                                 static_cast<uint64_t>(e.before.acc), e.first ? " (first)" : "",
                                 e.terms.config.a.format->name, a.bound + 1,
                                 e.terms.config.b.format->name, b.bound + 1);
        for (unsigned i = 0; i < e.terms.n; i++) {
            s += tb::text(" %02x*%02x", e.terms.a[i], e.terms.b[i]);
        }
        return s;
    }

    tb::Bench &bench_;
    tb::Rng &rng_;
    std::unique_ptr<tb::StaticDut> dut_;
    const tb::StaticParameters p_;
    tb::StaticEvents events_;
    std::vector<Bank> bank_;
    uint64_t cycle_ = 0;
    std::deque<Expected> in_flight_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    const unsigned steps = bench.number("--steps", 50000);
    const bool pairs = bench.flag("--pairs");
    StaticTest test(bench, rng);
    test.random_chains(steps);
    test.longest(0x00);
    test.longest(0x80);
    if (pairs) {
        test.every_pair(false);
    }
    if (pairs) {
        test.every_pair(true);
    }
    test.finish();
    return bench.finish();
}
