// SPDX-License-Identifier: Apache-2.0
// Counts events in the steps of an element with an alignment window, so that its bench can check
// that it has met all of them. The window is computed again here, in 64-bit integers. Only the
// counts depend on this computation.
#ifndef ELEMENT_EVENTS_H
#define ELEMENT_EVENTS_H

#include "dot_steps.h"
#include "element_dut.h"
#include "event_counts.h"

namespace tb
{

// A step as the model takes it: the present lanes without gaps.
struct ElementTerms {
    fp8mac_dot_config config;
    unsigned n;
    uint8_t a[kTopBlock], b[kTopBlock];
};

class ElementEvents
{
  public:
    explicit ElementEvents(const ElementParameters &parameters) : p_(parameters) {}

    void count(const ElementStep &step, const ElementTerms &terms, double before, double after,
               uint32_t flags)
    {
        steps_.count(step, terms.n, p_.lanes, flags);
        hits_[kOverflow] += (flags & FP8MAC_FLAG_OVERFLOW) != 0;
        hits_[kNanKept] += std::isnan(before) && flags == 0;
        hits_[kInfKept] += std::isinf(before) && std::isinf(after);
        hits_[kInfMinusAcc] +=
            std::isinf(before) && std::isnan(after) && flags == FP8MAC_FLAG_INVALID;
        hits_[kInf] += std::isfinite(before) && std::isinf(after) && flags == 0;
        hits_[kSubnormal] += after != 0 && std::fabs(after) < std::ldexp(1.0, -14);
        hits_[kMinusZeroKept] +=
            before == 0 && std::signbit(before) && after == 0 && std::signbit(after);
        hits_[kMinusZero] += after == 0 && std::signbit(after);
        if (std::isfinite(before) && std::isfinite(after)) {
            window(terms, before);
        }
    }

    // Fails for each kind of event that is possible with these parameters and never happened.
    void report(Bench &bench) const
    {
        const bool many = p_.lanes > 1, deep = p_.sum_bits() >= (p_.fp16 ? 11u : 25u);
        const bool below =
            p_.fp16 && p_.scale && p_.sum_bits() > 10; // units below FP16's smallest subnormal
        // An FP16 accumulator has no bit at a tie. Where the last unit is far below, tie and unit
        // are both of the products: of several, in a window that reaches from one to the other.
        const bool apart = p_.fp16 && p_.sum_bits() > 2 * 11;
        const bool near =
            deep && !(apart && (p_.fused || !many || p_.frac_bits + 11 < p_.sum_bits()));
        const bool truncated =
            p_.late ? many : p_.exp_w == 5 || p_.scale; // a product in the products' window
        steps_.report(bench, p_.lanes, p_.nan, p_.inf);
        hits_.report(
            bench, {{kOverflow, "overflow", p_.fp16 && p_.scale},
                    {kNanKept, "NaN kept", p_.nan || p_.inf},
                    {kInfKept, "Inf kept", p_.inf},
                    {kInfMinusAcc, "Inf - Inf in the accumulator", p_.inf},
                    {kInf, "Inf product", p_.inf},
                    {kSubnormal, "FP16 subnormal result", p_.fp16},
                    {kMinusZero, "-0 from underflow", below},
                    {kPlusZero, "+0 from underflow", below},
                    {kCancelled, "sum of non-zero terms is zero", true},
                    {kProductTruncated, "product truncated to nothing", truncated},
                    {kProductPartlyTruncated, "product truncated in part", truncated},
                    {kAccTruncated, "accumulator truncated to nothing", p_.scale},
                    {kAccPartlyTruncated, "accumulator truncated in part", p_.scale},
                    {kSumTruncated, "products' sum truncated to the odd bit alone", p_.late},
                    {kSumPartlyTruncated, "products' sum rounded to odd", p_.late},
                    {kAligned, "products and accumulator of one exponent", p_.late},
                    {kNothing, "accumulator alone", p_.late},
                    {kMinusZeroKept, "-0 kept", p_.fused && p_.fp16},
                    {kAccAbove, "accumulator far above the products' window", p_.scale && !p_.fp16},
                    {kZeroPartner, "zero lane whose partner is above the window", many},
                    {kOne, "sum of one unit", many},
                    {kMinusOne, "sum of minus one unit", many},
                    {kTieUp, "tie, positive, up", deep},
                    {kTieDown, "tie, positive, down", deep},
                    {kMinusTieUp, "tie, negative, up", deep},
                    {kMinusTieDown, "tie, negative, down", deep},
                    {kJustAbove, "one unit above a tie, positive", near},
                    {kMinusJustAbove, "the same, negative", near},
                    {kJustBelow, "one unit below a tie, positive", near},
                    {kMinusJustBelow, "the same, negative", near},
                    {kAllOnes, "rounding carries into the next binade", deep}});
    }

  private:
    enum Kind {
        kOverflow,
        kNanKept,
        kInfKept,
        kInfMinusAcc,
        kInf,
        kSubnormal,
        kMinusZero,
        kPlusZero,
        kCancelled,
        kProductTruncated,
        kProductPartlyTruncated,
        kAccTruncated,
        kAccPartlyTruncated,
        kAccAbove,
        kZeroPartner,
        kTieUp,
        kTieDown,
        kMinusTieUp,
        kMinusTieDown,
        kJustAbove,
        kMinusJustAbove,
        kJustBelow,
        kMinusJustBelow,
        kAllOnes,
        kMinusZeroKept,
        kOne,
        kMinusOne,
        kSumTruncated,
        kSumPartlyTruncated,
        kAligned,
        kNothing,
        kKinds
    };

    static constexpr int kNone = -10000;

    void window(const ElementTerms &t, double before)
    {
        const unsigned ids[2] = {id(t.config.a.format), id(t.config.b.format)};
        const int scale = t.config.a.scale_exp + t.config.b.scale_exp;
        const int depth = static_cast<int>(p_.sum_bits()),
                  products_depth = static_cast<int>(p_.frac_bits);
        const int least = p_.fp16 ? -14 : -126;
        int e = p_.late ? -126 : least, a_top = kNone, b_top = kNone;
        bool any = false;
        for (unsigned i = 0; i < t.n; i++) {
            const Exponent a = exponent(ids[0], t.a[i]), b = exponent(ids[1], t.b[i]);
            if (!p_.late && !a.zero && !b.zero) {
                e = std::max(e, a.binade + b.binade + scale);
            }
            if (!a.zero) {
                a_top = std::max(a_top, a.leading);
            }
            if (!b.zero) {
                b_top = std::max(b_top, b.leading);
            }
            any |= !a.zero && !b.zero;
        }
        if (p_.late && a_top != kNone && b_top != kNone) {
            e = std::max(e, a_top + b_top + scale);
        }
        const int products_top = e;
        if (before != 0) {
            e = std::max(e, std::max(std::ilogb(before), least));
        }
        hits_[kAccAbove] += any && e > products_top + depth + 40;

        const int unit = e - depth, products_unit = (p_.late ? products_top : e) - products_depth;
        int64_t products = 0;
        for (unsigned i = 0; i < t.n; i++) {
            const double x = Codes::of(ids[0]).value[t.a[i]], y = Codes::of(ids[1]).value[t.b[i]];
            products += truncate_to(std::ldexp(x * y, scale), products_unit, kProductTruncated,
                                    kProductPartlyTruncated);
            const int partner = x != 0 ? exponent(ids[0], t.a[i]).binade - 16
                                       : exponent(ids[1], t.b[i]).binade - 16;
            hits_[kZeroPartner] += x * y == 0 && x != y && partner + scale > e;
        }
        int64_t sum = 0;
        if (p_.late) {
            const double late = std::ldexp(static_cast<double>(products), products_unit);
            hits_[kAligned] +=
                any && before != 0 && products_top == e && std::max(std::ilogb(before), least) == e;
            hits_[kNothing] += !any && before != 0;
            sum = odd(late, unit, kSumTruncated, kSumPartlyTruncated) +
                  odd(before, unit, kAccTruncated, kAccPartlyTruncated);
        } else {
            sum = products + truncate_to(before, unit, kAccTruncated, kAccPartlyTruncated);
        }
        hits_[kOne] += sum == 1;
        hits_[kMinusOne] += sum == -1;
        hits_[kCancelled] += (any || before != 0) && sum == 0;
        round(sum, unit);
    }

    // The exponent of an operand's binade, where a subnormal has the smallest one, and that of its
    // leading bit.
    struct Exponent {
        bool zero;
        int binade, leading;
    };
    static Exponent exponent(unsigned format, uint8_t code)
    {
        const fp8mac_value v = fp8mac_decode(Codes::of(format).format, code);
        if (v.cls != FP8MAC_CLASS_FINITE) {
            return {true, 0, 0};
        }
        return {false, v.exponent + Codes::of(format).format->mantissa_bits,
                std::ilogb(Codes::of(format).value[code])};
    }
    static unsigned id(const fp8mac_format *format)
    {
        unsigned i = 0;
        while (Codes::of(i).format != format) {
            i++;
        }
        return i;
    }

    int64_t truncate_to(double x, int unit, Kind whole, Kind part)
    {
        const double scaled = std::ldexp(x, -unit), kept = std::trunc(scaled);
        hits_[whole] += x != 0 && kept == 0;
        hits_[part] += kept != 0 && kept != scaled;
        return static_cast<int64_t>(kept);
    }

    // Round to odd: lost bits set the last bit. Cases in which this changes the last bit are
    // counted.
    int64_t odd(double x, int unit, Kind whole, Kind part)
    {
        const auto kept = static_cast<int64_t>(std::trunc(std::ldexp(x, -unit)));
        if (static_cast<double>(kept) == std::ldexp(x, -unit) || kept % 2 != 0) {
            return kept;
        }
        hits_[kept == 0 ? whole : part]++;
        return x < 0 ? kept - 1 : kept + 1;
    }

    void round(int64_t sum, int unit)
    {
        if (sum == 0) {
            return;
        }
        const bool minus = sum < 0;
        const uint64_t magnitude = static_cast<uint64_t>(minus ? -sum : sum);
        int drop = 63 - __builtin_clzll(magnitude) - (p_.fp16 ? 10 : 23);
        if (p_.fp16) {
            drop = std::max(drop, -24 - unit);
        }
        if (drop <= 0 || drop > 60) {
            return;
        }
        const uint64_t kept = magnitude >> drop, rest = magnitude & ((uint64_t{1} << drop) - 1);
        const uint64_t half = uint64_t{1} << (drop - 1);
        const bool odd = (kept & 1) != 0, up = rest > half || (rest == half && odd);
        if (rest == half) {
            hits_[minus ? (odd ? kMinusTieUp : kMinusTieDown) : (odd ? kTieUp : kTieDown)]++;
        }
        if (rest == half + 1) {
            hits_[minus ? kMinusJustAbove : kJustAbove]++;
        }
        if (rest == half - 1 && rest != 0) {
            hits_[minus ? kMinusJustBelow : kJustBelow]++;
        }
        hits_[kAllOnes] += up && (kept & (kept + 1)) == 0 && kept != 0;
        hits_[kPlusZero] += !minus && kept == 0 && !up;
    }

    const ElementParameters p_;
    StepEvents steps_;
    EventCounts<kKinds> hits_;
};

} // namespace tb

#endif
