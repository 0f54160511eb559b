// SPDX-License-Identifier: Apache-2.0
// Counts events in the steps of an element with a fixed-point accumulator, so that its bench can
// check that it has met all of them. Only the counts depend on this computation.
#ifndef STATIC_EVENTS_H
#define STATIC_EVENTS_H

#include "event_counts.h"
#include "static_steps.h"

namespace tb
{

// A step as the model takes it: the present lanes without gaps.
struct StaticTerms {
    StaticChain chain;
    fp8mac_dot_config config;
    unsigned n;
    uint8_t a[kTopLanes], b[kTopLanes];
};

// An accumulator as the element shows it.
struct StaticState {
    int64_t acc;
    unsigned sticky;

    // special_e: none, NaN, +Inf, -Inf
    unsigned special() const
    {
        const bool plus = (sticky & FP8MAC_FIXED_POS_INF) != 0,
                   minus = (sticky & FP8MAC_FIXED_NEG_INF) != 0;
        if ((sticky & FP8MAC_FIXED_NAN) != 0 || (plus && minus)) {
            return 1;
        }
        return plus ? 2 : minus ? 3 : 0;
    }
};

class StaticEvents
{
  public:
    explicit StaticEvents(const StaticParameters &parameters) : p_(parameters) {}

    void count(const StaticStep &step, const StaticTerms &terms, uint64_t consumed,
               const StaticState &before, const StaticState &after, uint32_t flags)
    {
        steps_.count(step, terms.n, p_.lanes, flags);
        hits_[kOtherTurns] += step.first && consumed == 0 && terms.n != 0;
        specials(before, after, flags);
        if (before.special() != 0 || after.special() != 0) {
            return;
        }
        const int64_t high = int64_t{1} << (p_.frac_bits + 17); // the highest bit beside the sign
        hits_[kHigh] += after.acc > high;
        hits_[kLow] += after.acc < -high;
        hits_[kLongest] += consumed + terms.n == 65536;
        hits_[kSignChanged] += before.acc != 0 && (before.acc ^ after.acc) < 0;
        hits_[kCancelled] += before.acc != 0 && after.acc == 0 && terms.n != 0;
        for (unsigned i = 0; i < terms.n; i++) {
            product(terms, i);
        }
    }

    // Fails for each kind of event that is possible with these parameters and never happened.
    void report(Bench &bench) const
    {
        const bool truncated = p_.static_exponent;
        steps_.report(bench, p_.lanes, true, p_.inf);
        hits_.report(bench,
                     {{kOtherTurns, "accumulator started anew", true},
                      {kNanKept, "NaN kept", true},
                      {kPlusInf, "+Inf product", p_.inf},
                      {kMinusInf, "-Inf product", p_.inf},
                      {kInfKept, "Inf kept", p_.inf},
                      {kInfMinusAcc, "Inf - Inf in the accumulator", p_.inf},
                      {kBothKept, "Inf - Inf kept", p_.inf},
                      {kInfAgain, "Inf - Inf raised again by another Inf", p_.inf},
                      {kHigh, "sum in the accumulator's highest bits", true},
                      {kLow, "the same, negative", true},
                      {kLongest, "as many terms as there may be", true},
                      {kSignChanged, "sign changed", true},
                      {kCancelled, "sum of non-zero terms is zero", true},
                      {kAtA, "a at its bound", true},
                      {kAtB, "b at its bound", true},
                      {kAtBoth, "both at their bounds", true},
                      {kWhole, "product not truncated", true},
                      {kGone, "positive product truncated to nothing", truncated},
                      {kMinusGone, "negative product truncated to nothing", truncated},
                      {kPart, "positive product truncated in part", truncated},
                      {kMinusPart, "negative product truncated in part", truncated},
                      {kLast, "product that is the last column alone", true},
                      {kFarA, "a's distance saturated", truncated},
                      {kFarB, "b's distance saturated", truncated},
                      {kFarSum, "product out of the window, neither distance saturated", truncated},
                      {kJustFar, "distance of one less than the saturated", truncated},
                      {kZeroNear, "zero whose partner is at its bound", true}});
    }

  private:
    enum Kind {
        kOtherTurns,
        kNanKept,
        kPlusInf,
        kMinusInf,
        kInfKept,
        kInfMinusAcc,
        kBothKept,
        kInfAgain,
        kHigh,
        kLow,
        kLongest,
        kSignChanged,
        kCancelled,
        kAtA,
        kAtB,
        kAtBoth,
        kWhole,
        kGone,
        kMinusGone,
        kPart,
        kMinusPart,
        kLast,
        kFarA,
        kFarB,
        kFarSum,
        kJustFar,
        kZeroNear,
        kKinds
    };

    void specials(const StaticState &before, const StaticState &after, uint32_t flags)
    {
        const unsigned infs = FP8MAC_FIXED_POS_INF | FP8MAC_FIXED_NEG_INF;
        const bool one = before.special() >= 2, both = (before.sticky & infs) == infs,
                   none = before.special() == 0;
        const bool invalid = (flags & FP8MAC_FLAG_INVALID) != 0;
        hits_[kNanKept] += (before.sticky & FP8MAC_FIXED_NAN) != 0 && flags == 0;
        hits_[kPlusInf] += none && after.special() == 2;
        hits_[kMinusInf] += none && after.special() == 3;
        hits_[kInfKept] += one && after.special() == before.special();
        hits_[kInfMinusAcc] += one && after.special() == 1 && flags == FP8MAC_FLAG_INVALID;
        hits_[kBothKept] += both && flags == 0;
        hits_[kInfAgain] += both && (before.sticky & FP8MAC_FIXED_NAN) == 0 &&
                            (after.sticky & FP8MAC_FIXED_NAN) == 0 && invalid;
    }

    void product(const StaticTerms &t, unsigned i)
    {
        const StaticSide &a = t.chain.a, &b = t.chain.b;
        const int far = (1 << p_.distance_w) - 1;
        if (!a.is_number(t.a[i]) || !b.is_number(t.b[i])) {
            hits_[kZeroNear] += a.is_number(t.a[i]) && a.exponent(t.a[i]) == a.bound;
            hits_[kZeroNear] += b.is_number(t.b[i]) && b.exponent(t.b[i]) == b.bound;
            return;
        }
        const int a_below = a.bound - a.exponent(t.a[i]), b_below = b.bound - b.exponent(t.b[i]);
        hits_[kAtA] += a_below == 0;
        hits_[kAtB] += b_below == 0;
        hits_[kAtBoth] += a_below == 0 && b_below == 0;
        hits_[kFarA] += a_below > far;
        hits_[kFarB] += b_below > far;
        hits_[kJustFar] += a_below == far - 1 || b_below == far - 1;
        hits_[kFarSum] += a_below < far && b_below < far &&
                          a_below + b_below > static_cast<int>(p_.frac_bits) + 1;

        const double exact = a.value(t.a[i]) * b.value(t.b[i]);
        const int unit = a.bound + b.bound - static_cast<int>(p_.frac_bits);
        const double scaled = std::ldexp(exact, -unit), kept = std::trunc(scaled);
        hits_[kWhole] += kept == scaled;
        hits_[exact < 0 ? kMinusGone : kGone] += kept == 0;
        hits_[exact < 0 ? kMinusPart : kPart] += kept != 0 && kept != scaled;
        hits_[kLast] += std::fabs(kept) == 1;
    }

    const StaticParameters p_;
    StepEvents steps_;
    EventCounts<kKinds> hits_;
};

} // namespace tb

#endif
