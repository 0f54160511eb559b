// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_block against the model's step, every block's results and flags:
//   block_tb [--seed N] [--steps N] [--pairs]
// N is a number of blocks. Random chains of blocks run onto rotating accumulators. A block has any
// number of its products, in any of its steps. The rows of a cluster have the operands of B in
// common. With --pairs also every pair of codes of every pair of formats runs, alone in its block.
#include <deque>

#include "element_events.h"
#include "element_steps.h"

namespace
{

constexpr uint8_t kOne = 127; // E8M0 code of 1

// A block of every row.
struct Block {
    Block()
    {
        std::memset(a_scale, kOne, sizeof a_scale);
    }
    unsigned a_format = 0, b_format = 0;
    int scale = 0;
    bool fp16 = false, first = false;
    uint64_t present = 0; // product t is lane t % lanes of step t / lanes
    uint8_t a[tb::kTopLanes][tb::kTopBlock] = {}, b[tb::kTopBlock] = {};
    unsigned a_bound[tb::kTopLanes] = {}, b_bound = 0;
    uint8_t a_scale[tb::kTopLanes], b_scale = kOne; // MX: E8M0 codes
};

// The accumulator that the blocks of one bank have in one row.
struct Chain {
    fp8mac_acc acc;
    bool fp16 = false;
};

class BlockTest
{
  public:
    BlockTest(tb::Bench &bench, tb::Rng &rng)
        : bench_(bench), rng_(rng), dut_(tb::BlockDut::make(bench.context())),
          p_(dut_->parameters()),
          events_{tb::ElementEvents(as_element(false)), tb::ElementEvents(as_element(true))},
          chain_(p_.banks * p_.share), formats_(p_.banks)
    {
        std::printf("%u lanes, blocks of %u, %u rows, %u fraction bits%s%s%s%s\n", p_.lanes,
                    p_.block, p_.share, p_.frac_bits, p_.fp32 ? ", fp32" : "",
                    p_.fp16 ? ", fp16" : "", p_.inf ? "" : ", no Inf", p_.mx ? ", MX" : "");
        for (unsigned i = 0; i < p_.banks; i++) {
            for (bool fp16 : {false, true}) {
                steps_[fp16].emplace_back(rng_, as_element(fp16));
            }
        }
        clear();
    }

    unsigned rows() const
    {
        return p_.share;
    }

    void random_chains(unsigned blocks)
    {
        for (unsigned i = 0; i < blocks && !bench_.hopeless(); i++) {
            Block block;
            const unsigned row = rng_.below(p_.share);
            block.first = rng_.chance(std::isfinite(value(row)) ? 80 : 300);
            if (block.first) {
                formats_[bank()] = one_format() ? p_.fp16 : rng_.coin();
                steps_[formats_[bank()]][bank()].new_chain();
            }
            block.fp16 = formats_[bank()] != 0;
            fill(block, row);
            // The model has no terms that could be NaN without products.
            if (p_.mx && block.present != 0) {
                scale(block);
            }
            issue(block);
        }
    }

    void every_pair()
    {
        for (unsigned formats = 0; formats < 16 && !bench_.hopeless(); formats++) {
            Block block;
            block.a_format = formats / tb::kFormats;
            block.b_format = formats % tb::kFormats;
            if (!taken(block.a_format) || !taken(block.b_format)) {
                continue;
            }
            for (unsigned pair = 0; pair < 65536; pair += p_.share) {
                const unsigned t = rng_.below(p_.block);
                block.present = uint64_t{1} << t;
                bool finite = true;
                for (unsigned r = 0; r < p_.share; r++) {
                    block.a[r][t] = static_cast<uint8_t>(pair + r);
                    finite = finite && std::isfinite(value(r));
                }
                block.b[t] = static_cast<uint8_t>(pair >> 8);
                if (pair % 64 == 0) {
                    block.scale = rng_.range(-30, 20);
                }
                // A NaN or Inf would stay for the rest of the run.
                block.first = !finite || rng_.coin();
                if (block.first) {
                    formats_[bank()] = one_format() ? p_.fp16 : rng_.coin();
                }
                block.fp16 = formats_[bank()] != 0;
                issue(block);
            }
        }
    }

    void finish()
    {
        for (unsigned i = 0; i < 2 + p_.latency / p_.share; i++) {
            clear();
        }
        if (p_.fp32) {
            events_[0].report(bench_);
        }
        if (p_.fp16) {
            events_[1].report(bench_);
        }
        std::printf("%" PRIu64 " blocks\n", number_);
    }

  private:
    struct Expected {
        tb::ElementTerms terms;
        uint32_t before, pattern, flags;
        unsigned row, a_scale, b_scale;
        bool none; // no row leaves
    };

    // The unit's parameters, as those of an element that takes a whole block in a step.
    tb::ElementParameters as_element(bool fp16) const
    {
        tb::ElementParameters e = {};
        e.lanes = std::min(p_.block, tb::kTopLanes);
        e.frac_bits = p_.frac_bits;
        e.exp_w = 5;
        e.late = e.scale = true;
        e.inf = p_.inf;
        e.nan = p_.nan;
        e.fp16 = fp16;
        e.late_least = p_.fp32 ? 25 : 12;
        return e;
    }
    bool one_format() const
    {
        return p_.fp32 != p_.fp16;
    }
    bool taken(unsigned format) const
    {
        return tb::ElementSteps::taken(as_element(false), format);
    }

    unsigned bank() const
    {
        return static_cast<unsigned>(number_ % p_.banks);
    }
    Chain &chain(unsigned row)
    {
        return chain_[bank() * p_.share + row];
    }
    static double value_of(const Chain &chain)
    {
        const fp8mac_format_id id = chain.fp16 ? FP8MAC_FP16 : FP8MAC_FP32;
        return fp8mac_value_to_double(fp8mac_decode(fp8mac_format_get(id), chain.acc.code));
    }
    double value(unsigned row)
    {
        return value_of(chain(row));
    }

    // Operands that aim at the accumulator of `row`. The other rows have the same or other codes.
    void fill(Block &block, unsigned row)
    {
        tb::ElementStep step;
        steps_[block.fp16][bank()].next(block.first ? 0 : value(row), step);
        block.a_format = step.a_format;
        block.b_format = step.b_format;
        block.scale = step.scale;
        block.present = step.lanes;
        for (unsigned t = 0; t < p_.block; t++) {
            const unsigned from = t < tb::kTopLanes ? t : rng_.below(tb::kTopLanes);
            const bool negate = t >= tb::kTopLanes && rng_.chance(300);
            block.b[t] = step.b[from];
            block.a[row][t] = static_cast<uint8_t>(step.a[from] ^ (negate ? 0x80 : 0));
            if (t >= tb::kTopLanes) {
                block.present |= (step.lanes >> from & uint64_t{1}) << t;
            }
            if (!p_.nan && is_nan(block.a_format, block.a[row][t])) {
                block.a[row][t] = 0;
            }
        }
        for (unsigned r = 0; r < p_.share; r++) {
            const unsigned style = rng_.below(4);
            for (unsigned t = 0; t < p_.block && r != row; t++) {
                const uint8_t same = block.a[row][t], other = block.a[row][rng_.below(p_.block)];
                const uint8_t code = style == 0   ? same
                                     : style == 1 ? static_cast<uint8_t>(same ^ 0x80)
                                     : style == 2 ? other
                                                  : (rng_.chance(900) ? other : rng_.code8());
                block.a[r][t] = !p_.nan && is_nan(block.a_format, code) ? 0 : code;
            }
        }
    }
    // MX scales. Mostly the scales of A and B cancel, or nearly so, which leaves the operands near
    // the accumulator. Some are any code, which may be a NaN.
    void scale(Block &block)
    {
        const int away = rng_.range(-120, 120), near = rng_.chance(300) ? rng_.range(-20, 20) : 0;
        block.b_scale = rng_.chance(30) ? rng_.code8() : static_cast<uint8_t>(kOne - away);
        for (unsigned r = 0; r < p_.share; r++) {
            const int code = std::min(std::max(kOne + away + near, 0), 254);
            block.a_scale[r] = rng_.chance(30) ? rng_.code8() : static_cast<uint8_t>(code);
        }
    }
    static bool is_nan(unsigned format, uint8_t code)
    {
        return std::isnan(tb::Codes::of(format).value[code]);
    }

    // The largest exponent of the present operands that are not zero, plus 16 and without FNUZ's
    // larger bias. 63: all are zero. Inf and NaN count or do not.
    unsigned bound(unsigned format, const uint8_t *codes, uint64_t present)
    {
        int largest = -1000;
        for (unsigned t = 0; t < p_.block; t++) {
            const double v = std::fabs(tb::Codes::of(format).value[codes[t]]);
            if ((present >> t & 1) == 0 || v == 0) {
                continue;
            }
            const int special = rng_.coin() ? 15 : -16;
            const int e = std::isfinite(v) ? std::ilogb(v) + (format >= 2 ? 1 : 0) : special;
            largest = std::max(largest, e);
        }
        return largest == -1000 ? 63 : static_cast<unsigned>(largest + 16);
    }

    // An accumulator is known from its first block on. Before that its registers may hold anything.
    void clear()
    {
        for (unsigned i = 0; i < p_.banks; i++) {
            Block block;
            block.first = true;
            block.fp16 = !p_.fp32;
            formats_[bank()] = block.fp16;
            issue(block);
        }
    }

    Expected expect(const Block &block, unsigned row)
    {
        Chain &mine = chain(row);
        if (block.first) {
            mine.acc = fp8mac_acc();
            mine.fp16 = block.fp16;
        }
        Expected e = {};
        e.row = row;
        e.a_scale = block.a_scale[row];
        e.b_scale = block.b_scale;
        e.before = mine.acc.code;
        fp8mac_dot_config &config = e.terms.config;
        config.a.format = tb::Codes::of(block.a_format).format;
        config.b.format = tb::Codes::of(block.b_format).format;
        config.acc_format = block.fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        config.group = p_.block;
        config.frac_bits = p_.frac_bits;
        config.align_by = FP8MAC_ALIGN_BY_OPERANDS;
        config.min_exponent = -1100; // as in the catalogue
        config.acc_late = true;
        config.late_bits_sum = config.late_bits_acc = as_element(block.fp16).sum_bits();
        config.late_round = FP8MAC_ALIGN_ODD;
        config.a.scale_exp = std::min(std::max(block.scale, -32), 32);
        config.b.scale_exp = block.scale - config.a.scale_exp;
        for (unsigned t = 0; t < p_.block; t++) {
            if ((block.present >> t & 1) != 0) {
                e.terms.a[e.terms.n] = block.a[row][t];
                e.terms.b[e.terms.n++] = block.b[t];
            }
        }
        const double value_before = value_of(mine);
        fp8mac_flags flags = 0;
        // A block without products is one term 0 * 0, where both codes are +0.
        const unsigned n = std::max(e.terms.n, 1u);
        const fp8mac_status status =
            p_.mx ? fp8mac_dot_mx(&config, &mine.acc, {e.terms.a, &block.a_scale[row]},
                                  {e.terms.b, &block.b_scale}, n, &flags)
                  : fp8mac_dot_step(&config, &mine.acc, e.terms.a, e.terms.b, n, &flags);
        if (status != FP8MAC_OK) {
            std::fprintf(stderr, "model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        e.flags = flags;
        e.pattern = mine.acc.code;
        if (block.fp16 && p_.fp32) {
            const double v = value_of(mine);
            const auto f = static_cast<float>(v);
            std::memcpy(&e.pattern, &f, sizeof f);
            e.pattern = std::isnan(v) ? 0x7fc00000 : e.pattern;
        }
        tb::ElementStep step;
        step.valid = block.present != 0 || rng_.coin();
        step.lanes = static_cast<uint32_t>(block.present | block.present >> 32);
        events_[block.fp16].count(step, e.terms, value_before, value_of(mine), flags);
        return e;
    }

    void issue(Block &block)
    {
        block.b_bound = bound(block.b_format, block.b, block.present);
        for (unsigned r = 0; r < p_.share; r++) {
            block.a_bound[r] = bound(block.a_format, block.a[r], block.present);
            expected_.push_back(expect(block, r));
        }
        number_++;
        const unsigned steps = p_.block / p_.lanes, period = std::max(steps, p_.share);
        for (unsigned s = p_.share; s < period; s++) {
            expected_.emplace_back();
            expected_.back().none = true;
        }
        for (unsigned s = 0; s < period; s++) {
            tb::BlockCycle cycle;
            cycle.first = s == 0;
            cycle.last = s + 1 == period;
            if (s < steps) {
                step(block, s, cycle);
            }
            if (s < p_.share) {
                unit(s, cycle);
            }
            const tb::BlockResult result = dut_->tick(cycle);
            cycle_++;
            if (cycle_ >= period + p_.latency) {
                check(result, expected_.front());
                expected_.pop_front();
            }
        }
        before_ = block;
    }

    void step(const Block &block, unsigned s, tb::BlockCycle &cycle) const
    {
        cycle.lanes = static_cast<uint32_t>(block.present >> (s * p_.lanes) &
                                            ((uint64_t{1} << p_.lanes) - 1));
        cycle.valid = cycle.lanes != 0;
        cycle.a_format = block.a_format;
        cycle.b_format = block.b_format;
        cycle.b_bound = block.b_bound;
        cycle.b_scale = block.b_scale;
        std::memcpy(cycle.b, block.b + s * p_.lanes, p_.lanes);
        for (unsigned r = 0; r < p_.share; r++) {
            cycle.a_bound[r] = block.a_bound[r];
            cycle.a_scale[r] = block.a_scale[r];
            std::memcpy(cycle.a + r * p_.lanes, block.a[r] + s * p_.lanes, p_.lanes);
        }
    }

    // The unit takes row s of the block before.
    void unit(unsigned s, tb::BlockCycle &cycle) const
    {
        cycle.unit_a_bound = before_.a_bound[s];
        cycle.unit_b_bound = before_.b_bound;
        cycle.unit_a_scale = before_.a_scale[s];
        cycle.unit_b_scale = before_.b_scale;
        cycle.scale =
            before_.scale - (before_.a_format >= 2 ? 1 : 0) - (before_.b_format >= 2 ? 1 : 0);
        cycle.fp16 = before_.fp16;
        cycle.acc_first = before_.first;
    }

    void check(const tb::BlockResult &r, const Expected &e)
    {
        auto detail = [&] { return text_of(e); };
        if (e.none) {
            return;
        }
        bench_.equal("result", r.pattern, e.pattern, detail);
        bench_.equal("flags", r.flags, e.flags, detail);
    }

    std::string text_of(const Expected &e) const
    {
        const fp8mac_dot_config &c = e.terms.config;
        std::string s = tb::text("(flags %u) row %u from %s acc %#x, %s * %s, scale %d:", e.flags,
                                 e.row, c.acc_format == FP8MAC_ACC_FP16 ? "fp16" : "fp32", e.before,
                                 c.a.format->name, c.b.format->name, c.a.scale_exp + c.b.scale_exp);
        if (p_.mx) {
            s += tb::text(" MX %02x %02x:", e.a_scale, e.b_scale);
        }
        for (unsigned i = 0; i < e.terms.n; i++) {
            s += tb::text(" %02x*%02x", e.terms.a[i], e.terms.b[i]);
        }
        return s;
    }

    tb::Bench &bench_;
    tb::Rng &rng_;
    std::unique_ptr<tb::BlockDut> dut_;
    const tb::BlockParameters p_;
    tb::ElementEvents events_[2]; // by the accumulator's format
    std::vector<Chain> chain_;
    std::vector<unsigned> formats_; // of each bank's accumulators: 1 is FP16
    std::vector<tb::ElementSteps> steps_[2];
    Block before_;
    uint64_t number_ = 0, cycle_ = 0;
    std::deque<Expected> expected_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    const bool pairs = bench.flag("--pairs");
    BlockTest test(bench, rng);
    test.random_chains(bench.number("--steps", std::max(10000u, 160000 / test.rows())));
    if (pairs) {
        test.every_pair();
    }
    test.finish();
    return bench.finish();
}
