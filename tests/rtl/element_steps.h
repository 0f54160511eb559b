// SPDX-License-Identifier: Apache-2.0
// Operands for steps of an element with an alignment window. Their styles aim at the window's ends,
// cancellation, ties, specials and underflow. A style lasts for a chain of steps onto one
// accumulator.
#ifndef ELEMENT_STEPS_H
#define ELEMENT_STEPS_H

#include "dot_steps.h"
#include "element_dut.h"

namespace tb
{

// The codes of one format by floor(log2 |value|).
class Binades
{
  public:
    explicit Binades(unsigned format)
    {
        for (uint8_t code : Codes::of(format).finite) {
            const double value = Codes::of(format).value[code];
            if (value != 0) {
                codes_[std::ilogb(value) + kBias].push_back(code);
            }
        }
        while (codes_[low + kBias].empty()) {
            low++;
        }
        while (codes_[high + kBias].empty()) {
            high--;
        }
    }
    static const Binades &of(unsigned format)
    {
        static const Binades table[kFormats] = {Binades(0), Binades(1), Binades(2), Binades(3)};
        return table[format];
    }
    // Some code of the binade next to `exponent`.
    uint8_t pick(Rng &rng, int exponent) const
    {
        const std::vector<uint8_t> &from = codes_[std::min(std::max(exponent, low), high) + kBias];
        return from[rng.below(static_cast<uint32_t>(from.size()))];
    }
    static constexpr int kBias = 32;
    int low = -kBias, high = kBias - 1;

  private:
    std::vector<uint8_t> codes_[2 * kBias];
};

// All lanes, or some, or one, or none.
inline uint32_t some_lanes(Rng &rng, unsigned lanes)
{
    const uint32_t all = static_cast<uint32_t>((uint64_t{1} << lanes) - 1);
    switch (rng.below(10)) {
    case 0: return static_cast<uint32_t>(rng.next()) & all;
    case 1: return 1u << rng.below(lanes);
    case 2: return all >> rng.below(lanes);
    case 3: return rng.chance(300) ? 0 : all;
    default: return all;
    }
}

class ElementSteps
{
  public:
    ElementSteps(Rng &rng, const ElementParameters &parameters)
        : rng_(rng), parameters_(parameters), lanes_(parameters.lanes),
          precision_(parameters.fp16 ? 11 : 24), fraction_(static_cast<int>(parameters.frac_bits)),
          depth_(static_cast<int>(parameters.sum_bits()))
    {
    }

    // Whether the element takes a format. Without scale it takes no FNUZ format, with a narrow
    // exponent no E5M2 format, and without Inf not the format that has one.
    static bool taken(const ElementParameters &parameters, unsigned format)
    {
        const bool fnuz = format >= 2, e5m2 = format % 2 != 0;
        return (!fnuz || parameters.scale) && (!e5m2 || parameters.exp_w == 5) &&
               (format != 1 || parameters.inf);
    }

    void new_chain()
    {
        style_ = static_cast<Style>(rng_.below(kStyles));
        new_config();
    }

    // Fills in everything but `valid` and `first`, for an accumulator of the value `acc`.
    void next(double acc, ElementStep &step)
    {
        if (rng_.chance(style_ == kJumps ? 1000 : 100)) {
            new_config();
        }
        if (style_ == kWindowEnds) {
            aim(acc);
        }
        step.a_format = a_format_;
        step.b_format = b_format_;
        step.scale = scale_;
        step.lanes = some_lanes(rng_, lanes_);
        rest_ = std::isfinite(acc) ? std::ldexp(-acc, -scale_) : 0;
        const bool cancel = rng_.chance(700);
        for (unsigned i = 0; i < kTopLanes; i++) {
            term(i, step, cancel);
            if (step.lanes >> i & 1) {
                rest_ -= product(step, i);
            }
        }
        if (rng_.chance(6)) {
            step.a[rng_.below(lanes_)] = corner();
        }
        if (rng_.chance(6)) {
            step.b[rng_.below(lanes_)] = corner();
        }
        if (!parameters_.nan) {
            drop_nans(step);
        }
    }

  private:
    enum Style {
        kAnyCode,
        kCorners,
        kFewBinades,
        kCancel,
        kTies,
        kSparse,
        kSubnormal,
        kJumps,
        kLargest,
        kWindowEnds,
        kSpecials,
        kStyles
    };

    static double value(unsigned format, uint8_t code)
    {
        return Codes::of(format).value[code];
    }
    double product(const ElementStep &step, unsigned i) const
    {
        const double p = value(a_format_, step.a[i]) * value(b_format_, step.b[i]);
        return std::isfinite(p) ? p : 0;
    }

    void new_config()
    {
        do {
            a_format_ = rng_.below(kFormats);
        } while (!taken(parameters_, a_format_));
        do {
            b_format_ = rng_.below(kFormats);
        } while (!taken(parameters_, b_format_));
        if (style_ == kSpecials && parameters_.inf) {
            (rng_.coin() ? a_format_ : b_format_) = 1; // E5M2 has Inf
        }
        scale_ = 0;
        if (!parameters_.scale) {
            return;
        }
        switch (rng_.below(6)) {
        case 0: scale_ = rng_.coin() ? 64 : -64; break;
        case 1: scale_ = rng_.range(-64, 64); break;
        case 2: scale_ = rng_.range(-32, -8); break; // FP16's subnormals
        default: scale_ = rng_.range(-8, 8); break;
        }
        top_ = rng_.range(least() + 4, most());
    }
    int least() const
    {
        return Binades::of(a_format_).low + Binades::of(b_format_).low;
    }
    int most() const
    {
        return Binades::of(a_format_).high + Binades::of(b_format_).high;
    }

    // The largest product lies above or below the accumulator by about the window's depth.
    void aim(double acc)
    {
        if (!parameters_.scale || acc == 0 || !std::isfinite(acc) || rng_.chance(300)) {
            return;
        }
        const int depth = rng_.coin() ? depth_ : precision_;
        const int distance = (rng_.coin() ? 1 : -1) * (depth + rng_.range(-9, 10));
        scale_ = std::min(std::max(std::ilogb(acc) + distance - top_, -64), 64);
    }

    void term(unsigned i, ElementStep &step, bool cancel)
    {
        step.a[i] = any(a_format_);
        step.b[i] = any(b_format_);
        switch (style_) {
        case kCancel:
            if (cancel) {
                cancelling(i, step);
            }
            break;
        case kTies: tie_term(i, step); break;
        case kWindowEnds: set(i, step, i == 0 ? top_ : top_ - fraction_ + rng_.range(-3, 9)); break;
        case kFewBinades: set(i, step, top_ - rng_.range(0, 2)); break;
        case kSparse:
            if (rng_.chance(800)) {
                (rng_.coin() ? step.a : step.b)[i] = zero();
            }
            break;
        default: break;
        }
    }

    uint8_t any(unsigned format)
    {
        const Codes &codes = Codes::of(format);
        const Binades &binades = Binades::of(format);
        switch (style_) {
        case kAnyCode: return rng_.code8();
        case kCorners: return corner();
        case kSpecials:
            if (rng_.below(4 * lanes_) == 0) {
                return rng_.coin() ? corner() : rng_.coin() ? 0x7c : 0xfc;
            }
            break;
        case kSubnormal: return binades.pick(rng_, binades.low + rng_.range(0, 2));
        case kSparse: return rng_.coin() ? binades.pick(rng_, binades.high) : rng_.code8();
        case kLargest:
            if (rng_.chance(900)) {
                return rng_.coin() ? codes.finite.front() : codes.finite.back();
            }
            break;
        default: break;
        }
        return codes.finite[rng_.below(static_cast<uint32_t>(codes.finite.size()))];
    }
    // Zeros, Inf, NaN and the ends of the ranges, in one format or another.
    uint8_t corner()
    {
        static const uint8_t magnitude[] = {0x00, 0x00, 0x00, 0x01, 0x03, 0x07,
                                            0x08, 0x7b, 0x7c, 0x7c, 0x7e, 0x7f};
        return static_cast<uint8_t>(magnitude[rng_.below(sizeof magnitude)] |
                                    (rng_.coin() ? 0x80 : 0));
    }
    // -0 is FNUZ's NaN.
    uint8_t zero()
    {
        return rng_.chance(900) ? 0x00 : 0x80;
    }

    // A product of about 2^exponent.
    void set(unsigned i, ElementStep &step, int exponent)
    {
        const Binades &x = Binades::of(a_format_), &y = Binades::of(b_format_);
        const int low = std::max(x.low, exponent - y.high),
                  high = std::min(x.high, exponent - y.low);
        const int a = low <= high ? rng_.range(low, high) : exponent < 0 ? x.low : x.high;
        step.a[i] = x.pick(rng_, a);
        step.b[i] = y.pick(rng_, exponent - a);
    }
    // The product that comes nearest to the opposite of the sum so far, or of the preceding lane.
    void cancelling(unsigned i, ElementStep &step)
    {
        if (i != 0 && rng_.chance(400)) {
            step.a[i] = step.a[i - 1] ^ 0x80;
            step.b[i] = step.b[i - 1];
            if (rng_.chance(100)) {
                step.b[i] ^= 1;
            }
            return;
        }
        do {
            step.b[i] = any(b_format_);
        } while (value(b_format_, step.b[i]) == 0);
        step.a[i] = Codes::of(a_format_).nearest(rest_ / value(b_format_, step.b[i]));
        if (rng_.chance(20)) {
            step.a[i] ^= 1;
        }
    }
    // 2^top, half a unit of its last place, and a term at the window's lower end.
    void tie_term(unsigned i, ElementStep &step)
    {
        const int precision = rng_.coin() ? precision_ : precision_ - 1;
        switch (rng_.below(5)) {
        case 0: power(i, step, top_); break;
        case 1: power(i, step, top_ - precision); break;
        case 2: power(i, step, top_ - precision + rng_.range(-2, 2)); break;
        case 3: power(i, step, top_ - fraction_ + rng_.range(-2, 2)); break;
        default: step.a[i] = 0; break;
        }
    }
    void power(unsigned i, ElementStep &step, int exponent)
    {
        const Codes &x = Codes::of(a_format_), &y = Codes::of(b_format_);
        step.a[i] = x.nearest(std::ldexp(1.0, exponent / 2));
        step.b[i] = y.nearest(std::ldexp(1.0, exponent) / value(a_format_, step.a[i]));
        if (value(a_format_, step.a[i]) != 0 && value(b_format_, step.b[i]) != 0 && rng_.coin()) {
            step.a[i] ^= 0x80;
        }
    }
    void drop_nans(ElementStep &step)
    {
        for (unsigned i = 0; i < kTopLanes; i++) {
            if (std::isnan(value(a_format_, step.a[i]))) {
                step.a[i] = 0;
            }
            if (std::isnan(value(b_format_, step.b[i]))) {
                step.b[i] = 0;
            }
        }
    }

    Rng &rng_;
    const ElementParameters parameters_;
    const unsigned lanes_;
    const int precision_, fraction_, depth_;
    Style style_ = kAnyCode;
    unsigned a_format_ = 0, b_format_ = 0;
    int scale_ = 0, top_ = 0;
    double rest_ = 0;
};

} // namespace tb

#endif
