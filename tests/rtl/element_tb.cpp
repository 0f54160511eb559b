// SPDX-License-Identifier: Apache-2.0
// The elements with an alignment window, fp8mac_element_aligned and fp8mac_element_late, against
// the model's step, every cycle's result and flags:
//   element_tb [--seed N] [--steps N] [--pairs zero|running|both]
// Random chains run onto four rotating accumulators, with bubbles between. With --pairs also every
// pair of codes of every pair of formats runs, each in another lane than the pair before: from +0,
// onto running accumulators, or both.
#include <deque>

#include "element_events.h"
#include "element_steps.h"

namespace
{

constexpr unsigned kBanks = 4;

class ElementTest
{
  public:
    ElementTest(tb::Bench &bench, tb::Rng &rng)
        : bench_(bench), rng_(rng), dut_(tb::ElementDut::make(bench.context())),
          p_(dut_->parameters()), events_(p_)
    {
        std::printf("%u lanes, %u fraction bits, %s, exponents of %u bits%s%s%s%s%s\n", p_.lanes,
                    p_.frac_bits, p_.fp16 ? "fp16" : "fp32", p_.exp_w,
                    p_.fused  ? ", fused"
                    : p_.late ? ", late accumulation"
                              : "",
                    p_.hidden_one ? ", normalised" : "", p_.inf ? "" : ", no Inf",
                    p_.nan ? "" : ", no NaN", p_.scale ? "" : ", no scale");
        for (unsigned bank = 0; bank < kBanks; bank++) {
            clear();
        }
    }

    void every_pair(bool running)
    {
        for (unsigned pair_of_formats = 0; pair_of_formats < 16 && !bench_.hopeless();
             pair_of_formats++) {
            tb::ElementStep step;
            step.valid = true;
            step.a_format = pair_of_formats / tb::kFormats;
            step.b_format = pair_of_formats % tb::kFormats;
            if (!tb::ElementSteps::taken(p_, step.a_format) ||
                !tb::ElementSteps::taken(p_, step.b_format)) {
                continue;
            }
            for (unsigned pair = 0; pair < 65536; pair++) {
                const unsigned lane = pair % p_.lanes;
                if (running && p_.scale && pair % 64 == 0) {
                    step.scale = rng_.range(-30, 20);
                }
                step.lanes = 1u << lane;
                step.a[lane] = static_cast<uint8_t>(pair >> 8);
                step.b[lane] = static_cast<uint8_t>(pair);
                // A NaN or Inf would stay for the rest of the run.
                step.first = !running || !std::isfinite(value());
                if (!p_.nan &&
                    (is_nan(step.a_format, step.a[lane]) || is_nan(step.b_format, step.b[lane]))) {
                    continue;
                }
                issue(step);
            }
        }
    }

    void random_chains(unsigned steps)
    {
        std::vector<tb::ElementSteps> chain(kBanks, tb::ElementSteps(rng_, p_));
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            tb::ElementSteps &operands = chain[bank()];
            tb::ElementStep step;
            step.valid = rng_.chance(920);
            step.first = rng_.chance(!step.valid ? 50 : std::isfinite(value()) ? 80 : 300);
            if (step.first) {
                operands.new_chain();
            }
            operands.next(step.first ? 0 : value(), step);
            issue(step);
        }
    }

    void finish()
    {
        for (unsigned i = 0; i < p_.stages; i++) {
            issue(tb::ElementStep());
        }
        events_.report(bench_);
        std::printf("%" PRIu64 " steps\n", cycle_);
    }

  private:
    struct Expected {
        bool known;
        uint32_t result, flags;
        tb::ElementTerms terms;
        uint32_t before;
    };

    static bool is_nan(unsigned format, uint8_t code)
    {
        return std::isnan(tb::Codes::of(format).value[code]);
    }

    unsigned bank() const
    {
        return static_cast<unsigned>(cycle_ % kBanks);
    }
    double value() const
    {
        return value_of(acc_[bank()].code);
    }
    double value_of(uint32_t code) const
    {
        const fp8mac_format_id id = p_.fp16 ? FP8MAC_FP16 : FP8MAC_FP32;
        return fp8mac_value_to_double(fp8mac_decode(fp8mac_format_get(id), code)) * 1.0;
    }

    // An accumulator is known from its first step on. Before that its registers may hold anything.
    void clear()
    {
        tb::ElementStep step;
        step.first = true;
        issue(step);
    }

    tb::ElementTerms terms_of(const tb::ElementStep &step) const
    {
        tb::ElementTerms terms = {};
        terms.config.a_format = tb::Codes::of(step.a_format).format;
        terms.config.b_format = tb::Codes::of(step.b_format).format;
        terms.config.acc_format = p_.fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        terms.config.group = p_.lanes;
        if (!p_.fused) {
            terms.config.frac_bits = p_.frac_bits; // else exact
        }
        if (!p_.late && p_.fp16) {
            terms.config.min_exponent = -14;
        }
        if (p_.late && !p_.fused) {
            terms.config.align_by = FP8MAC_ALIGN_BY_OPERANDS;
            terms.config.acc_late = true;
            terms.config.late_bits_sum = terms.config.late_bits_acc = p_.sum_bits();
            terms.config.late_round = FP8MAC_ALIGN_ODD;
        }
        terms.config.scale_exp_a = std::min(std::max(step.scale, -32), 32);
        terms.config.scale_exp_b = step.scale - terms.config.scale_exp_a;
        for (unsigned i = 0; i < p_.lanes; i++) {
            if (!step.valid || !(step.lanes >> i & 1)) {
                continue;
            }
            terms.a[terms.n] = step.a[i];
            terms.b[terms.n++] = step.b[i];
        }
        return terms;
    }

    void issue(const tb::ElementStep &step)
    {
        fp8mac_acc &acc = acc_[bank()];
        if (step.first) {
            acc = fp8mac_acc();
        }
        Expected e = {true, 0, 0, terms_of(step), acc.code};
        fp8mac_flags flags = 0;
        // A step without lanes, or a bubble, is one term 0 * 0, where both codes are +0; a fused
        // one leaves even -0.
        fp8mac_status status = FP8MAC_OK;
        if (e.terms.n != 0 || !p_.fused) {
            const unsigned n = std::max(e.terms.n, 1u);
            status = fp8mac_dot_step(&e.terms.config, &acc, e.terms.a, e.terms.b, n, &flags);
        }
        if (status != FP8MAC_OK) {
            std::fprintf(stderr, "model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        e.result = acc.code;
        e.flags = flags;
        events_.count(step, e.terms, value_of(e.before), value_of(acc.code), flags);
        const tb::ElementResult result = dut_->tick(step);
        cycle_++;
        in_flight_.push_back(e);
        if (in_flight_.size() < p_.stages) {
            return;
        }
        check(result, in_flight_.front());
        in_flight_.pop_front();
    }

    void check(const tb::ElementResult &r, const Expected &e)
    {
        auto detail = [&] { return text_of(e); };
        bench_.equal("result", code_of(r), e.result, detail);
        bench_.equal("flags", r.flags, e.flags, detail);
    }

    // A result as the model's code. A result that no code means is marked above the 32 bits.
    uint64_t code_of(const tb::ElementResult &r) const
    {
        const unsigned fraction = p_.fp16 ? 10 : 23;
        const uint64_t infinity = p_.fp16 ? 0x7c00 : 0x7f800000,
                       sign_bit = p_.fp16 ? 0x8000 : 0x80000000;
        if (r.special == 1) {
            return infinity | uint64_t{1} << (fraction - 1);
        }
        if (r.special == 2) {
            return infinity;
        }
        if (r.special == 3) {
            return infinity | sign_bit;
        }
        const bool leading = (r.sig >> fraction & 1) != 0;
        const uint64_t sign = r.sign != 0 ? sign_bit : 0;
        const uint64_t code =
            sign | uint64_t{r.field} << fraction | (r.sig & ((1u << fraction) - 1));
        if (leading) {
            return r.field != 0 ? code : code | uint64_t{1} << 32;
        }
        if (p_.fp16) {
            return r.field == 1 ? code - (uint64_t{1} << fraction) : code | uint64_t{1} << 33;
        }
        return r.field == 0 && r.sig == 0 ? code : code | uint64_t{1} << 34;
    }

    std::string text_of(const Expected &e) const
    {
        const fp8mac_dot_config &c = e.terms.config;
        std::string s = tb::text("(flags %u) from acc %#x, %s * %s, scale %d:", e.flags, e.before,
                                 c.a_format->name, c.b_format->name, c.scale_exp_a + c.scale_exp_b);
        for (unsigned i = 0; i < e.terms.n; i++) {
            s += tb::text(" %02x*%02x", e.terms.a[i], e.terms.b[i]);
        }
        return s;
    }

    tb::Bench &bench_;
    tb::Rng &rng_;
    std::unique_ptr<tb::ElementDut> dut_;
    const tb::ElementParameters p_;
    tb::ElementEvents events_;
    fp8mac_acc acc_[kBanks] = {};
    uint64_t cycle_ = 0;
    std::deque<Expected> in_flight_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    const unsigned steps = bench.number("--steps", 40000);
    const char *given = bench.option("--pairs");
    const std::string pairs = given == nullptr ? "" : given;
    ElementTest test(bench, rng);
    test.random_chains(steps);
    if (pairs == "zero" || pairs == "both") {
        test.every_pair(false);
    }
    if (pairs == "running" || pairs == "both") {
        test.every_pair(true);
    }
    test.finish();
    return bench.finish();
}
