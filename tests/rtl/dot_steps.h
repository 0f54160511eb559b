// SPDX-License-Identifier: Apache-2.0
// Random steps of a dot product with the model's result of each, for the benches of the element and
// of the array.
#ifndef DOT_STEPS_H
#define DOT_STEPS_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "fp8mac/fp8mac.h"
#include "tb.h"

namespace tb
{

constexpr unsigned kFormats = 4;
constexpr unsigned kLanesMax = 64; // the products of a block

// The codes of one FP8 format, sorted into the classes from which generators choose.
class Codes
{
  public:
    explicit Codes(unsigned id) : format(fp8mac_format_get(static_cast<fp8mac_format_id>(id)))
    {
        for (unsigned code = 0; code < 256; code++) {
            const fp8mac_value v = fp8mac_decode(format, code);
            value[code] = fp8mac_value_to_double(v);
            if (v.cls == FP8MAC_CLASS_INF || v.cls == FP8MAC_CLASS_NAN) {
                continue;
            }
            finite.push_back(static_cast<uint8_t>(code));
            int exponent;
            if (std::frexp(std::fabs(value[code]), &exponent) == 0.5) {
                powers.push_back(static_cast<uint8_t>(code));
            }
        }
        std::stable_sort(finite.begin(), finite.end(),
                         [&](uint8_t x, uint8_t y) { return value[x] < value[y]; });
    }
    uint8_t nearest(double target) const
    {
        auto above = std::lower_bound(finite.begin(), finite.end(), target,
                                      [&](uint8_t code, double x) { return value[code] < x; });
        if (above == finite.end()) {
            return finite.back();
        }
        if (above == finite.begin()) {
            return *above;
        }
        return target - value[above[-1]] < value[*above] - target ? above[-1] : *above;
    }
    static const Codes &of(unsigned id)
    {
        static const Codes table[kFormats] = {Codes(0), Codes(1), Codes(2), Codes(3)};
        return table[id];
    }
    const fp8mac_format *format;
    double value[256];
    std::vector<uint8_t> finite; // ascending
    std::vector<uint8_t> powers; // +-2^i
};

// A step's configuration, as the hardware has it.
struct StepConfig {
    unsigned a_format = 0, b_format = 0;
    bool fp16 = false;
    int scale_a = 0, scale_b = 0;

    fp8mac_dot_config model(unsigned group) const
    {
        fp8mac_dot_config config = {};
        config.a.format = Codes::of(a_format).format;
        config.b.format = Codes::of(b_format).format;
        config.acc_format = fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        config.group = group;
        config.a.scale_exp = scale_a;
        config.b.scale_exp = scale_b;
        return config;
    }
    // Bits of step_cfg_t.
    uint32_t bits() const
    {
        return a_format << 11 | b_format << 9 | static_cast<uint32_t>(fp16) << 8 |
               (static_cast<uint32_t>(scale_a + scale_b) & 0xffu);
    }
    std::string text() const
    {
        return tb::text("%s x %s, %s, 2^(%d%+d)", Codes::of(a_format).format->name,
                        Codes::of(b_format).format->name, fp16 ? "fp16" : "fp32", scale_a, scale_b);
    }
};

struct Answer {
    uint32_t result = 0; // FP32 pattern
    uint32_t flags = 0;
};

inline float float_of(uint32_t pattern)
{
    float x;
    std::memcpy(&x, &pattern, sizeof x);
    return x;
}

// One accumulator, computed by the model.
struct Accumulator {
    fp8mac_acc acc = {};
    uint32_t pattern = 0; // acc as FP32

    Answer step(const StepConfig &config, unsigned group, const uint8_t *a, const uint8_t *b,
                unsigned n)
    {
        const fp8mac_dot_config model = config.model(group);
        fp8mac_flags flags = 0;
        const fp8mac_status status = fp8mac_dot_step(&model, &acc, a, b, n, &flags);
        if (status != FP8MAC_OK) {
            std::printf("model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        pattern = fp8mac_acc_to_fp32(&model, &acc, nullptr);
        return {pattern, flags};
    }
};

// Counts events in steps, so that a bench can check that it has met all of them.
class Events
{
  public:
    enum Kind {
        kNan,
        kInf,
        kInfTimesZero,
        kInfMinusInf,
        kInfMinusAcc,
        kNanFlag,
        kOverflow,
        kSubnormal16,
        kZeroFromNonZero,
        kMinusZero,
        kShortStep,
        kSumFarBelow,
        kAccFarBelow,
        kCancelled,
        kCancelledToZero,
        kTie16,
        kTie32,
        kSticky16,
        kSticky32,
        kKinds
    };
    uint64_t hits[kKinds] = {};

    void count(const StepConfig &config, uint32_t acc, const uint8_t *a, const uint8_t *b,
               unsigned n, unsigned lanes, const Answer &answer)
    {
        const float result = float_of(answer.result);
        add(kNanFlag, (answer.flags & FP8MAC_FLAG_NAN) != 0);
        add(kOverflow, (answer.flags & FP8MAC_FLAG_OVERFLOW) != 0);
        add(kNan, std::isnan(result));
        add(kInf, std::isinf(result));
        add(kShortStep, n < lanes);
        long double sum = 0, error = 0;
        bool numbers = true, infinite[2] = {};
        for (unsigned i = 0; i < n; i++) {
            const long double x = Codes::of(config.a_format).value[a[i]],
                              y = Codes::of(config.b_format).value[b[i]];
            add(kInfTimesZero, std::isnan(x * y) && !std::isnan(x) && !std::isnan(y));
            numbers = numbers && !std::isnan(x * y);
            if (std::isinf(x * y)) {
                infinite[x * y < 0] = true;
            }
            accumulate(sum, error, std::ldexp(x * y, config.scale_a + config.scale_b));
        }
        const long double products = sum;
        const long double before = float_of(acc);
        add(kInfMinusInf, numbers && infinite[0] && infinite[1]);
        add(kInfMinusAcc,
            numbers && std::isinf(before) && !infinite[before < 0] && infinite[before > 0]);
        accumulate(sum, error, before);
        if (std::isfinite(sum) && std::isfinite(result)) {
            count_finite(config, before, products, sum, error == 0, result, answer.result);
        }
    }

    // Fails for each of the first `kinds` kinds that never happened. A single lane can be neither
    // short nor cancel itself.
    void report(Bench &bench, const std::string &where, unsigned lanes,
                unsigned kinds = kKinds) const
    {
        static const char *const name[kKinds] = {"NaN result",
                                                 "infinite result",
                                                 "Inf * 0",
                                                 "Inf - Inf",
                                                 "Inf - Inf in acc",
                                                 "NaN operand",
                                                 "FP16 overflow",
                                                 "FP16 subnormal result",
                                                 "non-zero sum rounded to zero",
                                                 "result -0",
                                                 "short step",
                                                 "sum far below acc",
                                                 "acc far below sum",
                                                 "sum cancels acc but for a rest",
                                                 "sum cancels acc",
                                                 "FP16 tie",
                                                 "FP32 tie",
                                                 "FP16 just off a tie",
                                                 "FP32 just off a tie"};
        for (unsigned kind = 0; kind < kinds; kind++) {
            if (lanes == 1 && (kind == kShortStep || kind == kInfMinusInf)) {
                continue;
            }
            bench.covered((where + ": " + name[kind]).c_str(), hits[kind]);
        }
    }

  private:
    void add(Kind kind, bool happened)
    {
        hits[kind] += happened;
    }

    // sum += x. `error` is other than zero after a sum that was not exact.
    static void accumulate(long double &sum, long double &error, long double x)
    {
        const long double total = sum + x;
        const long double x_part = total - sum;
        error += std::fabs((sum - (total - x_part)) + (x - x_part));
        sum = total;
    }

    void count_finite(const StepConfig &config, long double before, long double products,
                      long double sum, bool exact, float result, uint32_t pattern)
    {
        const int precision = config.fp16 ? 11 : 24, emin = config.fp16 ? -14 : -126;
        add(kMinusZero, pattern == 0x80000000u);
        add(kSubnormal16, config.fp16 && result != 0 && std::fabs(result) < std::ldexp(1.0f, -14));
        add(kZeroFromNonZero, result == 0 && sum != 0);
        add(kCancelled, sum != 0 && std::fabs(sum) < std::ldexp(std::fabs(before), -12));
        add(kCancelledToZero, exact && sum == 0 && before != 0);
        add(kSumFarBelow,
            products != 0 && std::fabs(products) < std::ldexp(std::fabs(before), -26));
        add(kAccFarBelow, before != 0 && std::fabs(before) < std::ldexp(std::fabs(products), -40));
        if (sum == 0) {
            return;
        }
        int exponent;
        std::frexp(sum, &exponent);
        const long double quanta =
            std::ldexp(std::fabs(sum), -(std::max(exponent - 1, emin) - precision + 1));
        const long double off = std::fabs(quanta - std::floor(quanta) - 0.5L);
        add(config.fp16 ? kTie16 : kTie32, exact && off == 0);
        add(config.fp16 ? kSticky16 : kSticky32,
            (off != 0 || !exact) && off < std::ldexp(1.0L, -10));
    }
};

// Chooses the operands of steps. A style lasts for a chain.
class Steps
{
  public:
    enum Style { kAnyCode, kCorners, kFinite, kLargest, kPowers, kCancel, kTies, kStyles };

    Steps(Rng &rng, unsigned lanes) : rng_(rng), lanes_(lanes) {}

    void new_chain()
    {
        style_ = static_cast<Style>(rng_.below(kStyles));
        config.fp16 = rng_.coin();
        new_config();
    }
    // The next step: its configuration, the number of lanes present (all, with `whole`), and
    // operands that suit an accumulator of value `acc`.
    void next(uint32_t acc, bool whole)
    {
        if (rng_.chance(100)) {
            new_config();
        }
        n = whole || rng_.chance(800) ? lanes_ : 1 + rng_.below(lanes_);
        fill(acc);
    }
    // Other operands for the same step.
    void fill(uint32_t acc)
    {
        rest_ = std::isfinite(float_of(acc))
                    ? std::ldexp(-static_cast<double>(float_of(acc)), -scale())
                    : 0;
        const bool cancel = style_ == kCancel && rng_.chance(700);
        if (style_ == kTies) {
            choose_tie();
        }
        for (unsigned i = 0; i < n; i++) {
            if (cancel) {
                cancelling(i);
            } else {
                a[i] = any(config.a_format);
                b[i] = any(config.b_format);
            }
            if (style_ == kTies) {
                tie_term(i);
            }
        }
        if (rng_.chance(4)) {
            a[rng_.below(n)] = corner();
        }
        if (rng_.chance(4)) {
            b[rng_.below(n)] = corner();
        }
    }

    StepConfig config;
    uint8_t a[kLanesMax] = {}, b[kLanesMax] = {};
    unsigned n = 1;

  private:
    int scale() const
    {
        return config.scale_a + config.scale_b;
    }

    void new_config()
    {
        config.a_format = rng_.below(kFormats);
        config.b_format = rng_.below(kFormats);
        switch (rng_.below(6)) {
        case 0: set_scale(-64); break;
        case 1: set_scale(64); break;
        case 2: set_scale(rng_.range(-64, 64)); break;
        case 3: set_scale(rng_.range(-32, -8)); break; // FP16's subnormals
        default: set_scale(rng_.range(-8, 8)); break;
        }
    }
    void set_scale(int sum)
    {
        config.scale_a = rng_.range(std::max(-32, sum - 32), std::min(32, sum + 32));
        config.scale_b = sum - config.scale_a;
    }
    // Zeros, Inf, NaN and the ends of the ranges, in one format or another.
    uint8_t corner()
    {
        static const uint8_t magnitude[] = {0x00, 0x00, 0x00, 0x01, 0x03, 0x07,
                                            0x08, 0x7b, 0x7c, 0x7c, 0x7e, 0x7f};
        return static_cast<uint8_t>(magnitude[rng_.below(sizeof magnitude)] |
                                    (rng_.coin() ? 0x80 : 0));
    }
    uint8_t any(unsigned format)
    {
        const Codes &codes = Codes::of(format);
        const std::vector<uint8_t> &from =
            style_ == kPowers || style_ == kTies ? codes.powers : codes.finite;
        if (style_ == kAnyCode) {
            return rng_.code8();
        }
        if (style_ == kCorners) {
            return corner();
        }
        if (style_ == kLargest && rng_.chance(900)) {
            return rng_.coin() ? codes.finite.front() : codes.finite.back();
        }
        return from[rng_.below(static_cast<uint32_t>(from.size()))];
    }
    // Brings the sum of the accumulator and the lanes so far as near to zero as one product can.
    void cancelling(unsigned lane)
    {
        const Codes &x = Codes::of(config.a_format), &y = Codes::of(config.b_format);
        do {
            b[lane] = any(config.b_format);
        } while (y.value[b[lane]] == 0);
        a[lane] = x.nearest(rest_ / y.value[b[lane]]);
        if (rng_.chance(20)) {
            a[lane] ^= 1;
        }
        rest_ -= x.value[a[lane]] * y.value[b[lane]];
    }
    // Terms of a tie: 2^top, half its quantum 2^(top - precision), and a much smaller term.
    void choose_tie()
    {
        top_ = rng_.range(-8, 12);
    }
    void tie_term(unsigned lane)
    {
        const int precision = config.fp16 ? 11 : 24;
        switch (rng_.below(4)) {
        case 0: power_term(lane, top_); break;
        case 1: power_term(lane, top_ - precision); break;
        case 2: power_term(lane, top_ - precision - rng_.range(-1, 12)); break;
        default: break;
        }
    }
    // +-2^exponent, or the nearest product that the formats have.
    void power_term(unsigned lane, int exponent)
    {
        const Codes &x = Codes::of(config.a_format), &y = Codes::of(config.b_format);
        a[lane] = x.nearest(std::ldexp(1.0, exponent / 2));
        b[lane] = y.nearest(std::ldexp(1.0, exponent) / x.value[a[lane]]);
        if (x.value[a[lane]] != 0 && y.value[b[lane]] != 0 && rng_.coin()) {
            a[lane] ^= 0x80;
        }
    }

    Rng &rng_;
    unsigned lanes_;
    Style style_ = kAnyCode;
    double rest_ = 0;
    int top_ = 0;
};

} // namespace tb

#endif
