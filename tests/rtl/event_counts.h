// SPDX-License-Identifier: Apache-2.0
// Counts of events, so that a bench can check that it has met all that are possible, and the
// events that steps of every element have.
#ifndef EVENT_COUNTS_H
#define EVENT_COUNTS_H

#include <initializer_list>

#include "fp8mac/fp8mac.h"
#include "tb.h"

namespace tb
{

struct Event {
    unsigned kind;
    const char *name;
    bool possible;
};

template <unsigned kKinds>
class EventCounts
{
  public:
    uint64_t &operator[](unsigned kind)
    {
        return hits_[kind];
    }

    // Fails for each event that is possible and never happened.
    void report(Bench &bench, std::initializer_list<Event> events) const
    {
        for (const Event &event : events) {
            if (event.possible) {
                bench.covered(event.name, hits_[event.kind]);
            }
        }
    }

  private:
    uint64_t hits_[kKinds] = {};
};

// Which lanes a step has, and the flags of its operands.
class StepEvents
{
  public:
    // `present`: lanes of the step, of `lanes`, without the absent ones.
    template <typename Step>
    void count(const Step &step, unsigned present, unsigned lanes, uint32_t flags)
    {
        const bool nan = (flags & FP8MAC_FLAG_NAN) != 0,
                   invalid = (flags & FP8MAC_FLAG_INVALID) != 0;
        hits_[kBubble] += !step.valid;
        hits_[kNoLane] += step.valid && step.lanes == 0;
        hits_[kSomeLanes] += step.valid && present != 0 && present < lanes;
        hits_[kNanFlag] += nan;
        hits_[kInvalid] += invalid;
        hits_[kInvalidBesideNan] += invalid && nan;
    }

    void report(Bench &bench, unsigned lanes, bool nan, bool inf) const
    {
        const bool many = lanes > 1;
        hits_.report(bench,
                     {{kBubble, "bubble", true},
                      {kNoLane, "step without a lane", true},
                      {kSomeLanes, "step with some lanes absent", many},
                      {kNanFlag, "NaN operand", nan},
                      {kInvalid, "Inf * 0 or Inf - Inf", inf},
                      {kInvalidBesideNan, "invalid beside a NaN operand", inf && nan && many}});
    }

  private:
    enum Kind { kBubble, kNoLane, kSomeLanes, kNanFlag, kInvalid, kInvalidBesideNan, kKinds };
    EventCounts<kKinds> hits_;
};

} // namespace tb

#endif
