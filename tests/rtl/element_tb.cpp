// SPDX-License-Identifier: Apache-2.0
// The elements with an alignment window, fp8mac_element_aligned and fp8mac_element_late, against
// the model's step, every cycle's result and flags:
//   element_tb [--seed N] [--steps N] [--pairs zero|running|both]
// Random chains run onto four rotating accumulators, with bubbles between. With --pairs also every
// pair of codes of every pair of formats runs, each in another lane than the pair before: from +0,
// onto running accumulators, or both. An element that chooses its accumulator's format runs all of
// it with both, in random chains side by side.
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
          p_(dut_->parameters()),
          as_{p_.choice ? p_.chosen(false) : p_, p_.choice ? p_.chosen(true) : p_},
          events_{tb::ElementEvents(as_[0]), tb::ElementEvents(as_[1])}
    {
        std::printf("%u lanes, %u fraction bits, %s, exponents of %u bits%s%s%s%s%s\n", p_.lanes,
                    p_.frac_bits,
                    p_.choice ? "fp32 or fp16"
                    : p_.fp16 ? "fp16"
                              : "fp32",
                    p_.exp_w,
                    p_.fused  ? ", fused"
                    : p_.late ? ", late accumulation"
                              : "",
                    p_.hidden_one ? ", normalised" : "", p_.inf ? "" : ", no Inf",
                    p_.nan ? "" : ", no NaN", p_.scale ? "" : ", no scale");
        for (unsigned bank = 0; bank < kBanks; bank++) {
            clear();
        }
    }

    bool chooses() const
    {
        return p_.choice;
    }

    void every_pair(bool running)
    {
        for (bool fp16 : {false, true}) {
            if (p_.choice || fp16 == p_.fp16) {
                every_pair(running, fp16);
            }
        }
    }

    void every_pair(bool running, bool fp16)
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
                step.fp16 = fp16;
                step.first = !running || !std::isfinite(value()) || formats_[bank()] != fp16;
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
        std::vector<tb::ElementSteps> chain[2] = {
            std::vector<tb::ElementSteps>(kBanks, tb::ElementSteps(rng_, as_[0])),
            std::vector<tb::ElementSteps>(kBanks, tb::ElementSteps(rng_, as_[1]))};
        for (unsigned i = 0; i < steps && !bench_.hopeless(); i++) {
            tb::ElementStep step;
            step.valid = rng_.chance(920);
            step.first = rng_.chance(!step.valid ? 50 : std::isfinite(value()) ? 80 : 300);
            step.fp16 = step.first ? some_format() : formats_[bank()];
            tb::ElementSteps &operands = chain[step.fp16][bank()];
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
            tb::ElementStep step;
            step.fp16 = formats_[bank()];
            issue(step);
        }
        for (bool fp16 : {false, true}) {
            if (p_.choice || fp16 == p_.fp16) {
                events_[fp16].report(bench_);
            }
        }
        std::printf("%" PRIu64 " steps\n", cycle_);
    }

  private:
    struct Expected {
        bool known;
        uint32_t result, flags;
        tb::ElementTerms terms;
        uint32_t before;
        bool fp16;
    };

    bool some_format()
    {
        return p_.choice ? rng_.coin() : p_.fp16;
    }

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
        return value_of(acc_[bank()].code, formats_[bank()]);
    }
    static double value_of(uint32_t code, bool fp16)
    {
        const fp8mac_format_id id = fp16 ? FP8MAC_FP16 : FP8MAC_FP32;
        return fp8mac_value_to_double(fp8mac_decode(fp8mac_format_get(id), code)) * 1.0;
    }

    // An accumulator is known from its first step on. Before that its registers may hold anything.
    void clear()
    {
        tb::ElementStep step;
        step.first = true;
        step.fp16 = some_format();
        issue(step);
    }

    tb::ElementTerms terms_of(const tb::ElementStep &step) const
    {
        tb::ElementTerms terms = {};
        terms.config.a.format = tb::Codes::of(step.a_format).format;
        terms.config.b.format = tb::Codes::of(step.b_format).format;
        terms.config.acc_format = step.fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        terms.config.group = p_.lanes;
        if (!p_.fused) {
            terms.config.frac_bits = p_.frac_bits; // else exact
        }
        if (!p_.late && step.fp16) {
            terms.config.min_exponent = -14;
        }
        if (p_.late && !p_.fused) {
            terms.config.align_by = FP8MAC_ALIGN_BY_OPERANDS;
            terms.config.acc_late = true;
            terms.config.late_bits_sum = terms.config.late_bits_acc = as_[step.fp16].sum_bits();
            terms.config.late_round = FP8MAC_ALIGN_ODD;
        }
        terms.config.a.scale_exp = std::min(std::max(step.scale, -32), 32);
        terms.config.b.scale_exp = step.scale - terms.config.a.scale_exp;
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
            formats_[bank()] = step.fp16;
        }
        Expected e = {true, 0, 0, terms_of(step), acc.code, step.fp16};
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
        events_[e.fp16].count(step, e.terms, value_of(e.before, e.fp16), value_of(acc.code, e.fp16),
                              flags);
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
        bench_.equal("result", code_of(r, e.fp16), e.result, detail);
        bench_.equal("flags", r.flags, e.flags, detail);
    }

    // A result as the model's code. A result that no code means is marked above the 32 bits.
    uint64_t code_of(tb::ElementResult r, bool fp16) const
    {
        const unsigned fraction = fp16 ? 10 : 23;
        const uint64_t infinity = fp16 ? 0x7c00 : 0x7f800000, sign_bit = fp16 ? 0x8000 : 0x80000000;
        if (r.special == 1) {
            return infinity | uint64_t{1} << (fraction - 1);
        }
        if (r.special == 2) {
            return infinity;
        }
        if (r.special == 3) {
            return infinity | sign_bit;
        }
        if (p_.choice && fp16) { // field and significand are FP32's
            if ((r.sig & 0x1fff) != 0 || r.field < 113 || r.field > 142) {
                return uint64_t{1} << 35;
            }
            r.sig >>= 13;
            r.field -= 112;
        }
        const bool leading = (r.sig >> fraction & 1) != 0;
        const uint64_t sign = r.sign != 0 ? sign_bit : 0;
        const uint64_t code =
            sign | uint64_t{r.field} << fraction | (r.sig & ((1u << fraction) - 1));
        if (leading) {
            return r.field != 0 ? code : code | uint64_t{1} << 32;
        }
        if (fp16) {
            return r.field == 1 ? code - (uint64_t{1} << fraction) : code | uint64_t{1} << 33;
        }
        return r.field == 0 && r.sig == 0 ? code : code | uint64_t{1} << 34;
    }

    std::string text_of(const Expected &e) const
    {
        const fp8mac_dot_config &c = e.terms.config;
        std::string s = tb::text("(flags %u) from acc %#x, %s * %s, scale %d:", e.flags, e.before,
                                 c.a.format->name, c.b.format->name, c.a.scale_exp + c.b.scale_exp);
        for (unsigned i = 0; i < e.terms.n; i++) {
            s += tb::text(" %02x*%02x", e.terms.a[i], e.terms.b[i]);
        }
        return s;
    }

    tb::Bench &bench_;
    tb::Rng &rng_;
    std::unique_ptr<tb::ElementDut> dut_;
    const tb::ElementParameters p_;
    const tb::ElementParameters as_[2]; // while it accumulates in FP32, and in FP16
    tb::ElementEvents events_[2];
    fp8mac_acc acc_[kBanks] = {};
    bool formats_[kBanks] = {}; // of acc_: FP16
    uint64_t cycle_ = 0;
    std::deque<Expected> in_flight_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    const char *given = bench.option("--pairs");
    const std::string pairs = given == nullptr ? "" : given;
    ElementTest test(bench, rng);
    // With one format in half of the steps, rare events need more steps.
    const unsigned steps = bench.number("--steps", test.chooses() ? 160000 : 40000);
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
