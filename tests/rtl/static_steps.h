// SPDX-License-Identifier: Apache-2.0
// Operands for steps of an element with a fixed-point accumulator. Their styles aim at the bounds,
// the window's lower end, saturating distances, growing sums, cancelling sums and specials.
// Formats, bounds and a style last for a chain onto one accumulator.
#ifndef STATIC_STEPS_H
#define STATIC_STEPS_H

#include "element_steps.h"

namespace tb
{

// One side, A or B. A bound is the largest floor(log2 |x|) that is allowed.
struct StaticSide {
    unsigned format = 0;
    int bound = 0;

    const Binades &binades() const
    {
        return Binades::of(format);
    }
    double value(uint8_t code) const
    {
        return Codes::of(format).value[code];
    }
    int exponent(uint8_t code) const
    {
        return std::ilogb(value(code));
    } // of a code that is a number and not zero
    bool is_number(uint8_t code) const
    {
        return std::isfinite(value(code)) && value(code) != 0;
    }
    bool fits(uint8_t code) const
    {
        return !is_number(code) || exponent(code) <= bound;
    }
    // The bound as the feed takes it: with E5M2's bias, 1 more for FNUZ, plus 1.
    int field() const
    {
        return bound + field_of_one();
    }
    int highest() const
    {
        return 32 - field_of_one();
    } // that the feed takes
    // Some code of the binade `distance` below the bound, or of the nearest one; 0 if the bound is
    // below all binades.
    uint8_t below(Rng &rng, int distance) const
    {
        if (bound < binades().low) {
            return 0;
        }
        return binades().pick(rng, std::min(bound - distance, bound));
    }

  private:
    int field_of_one() const
    {
        return 15 + (format >= 2) + 1;
    }
};

// Formats and bounds of a chain. An exact element uses the bounds of its formats.
struct StaticChain {
    StaticSide a, b;
};

class StaticSteps
{
  public:
    StaticSteps(Rng &rng, const StaticParameters &parameters)
        : rng_(rng), parameters_(parameters), depth_(static_cast<int>(parameters.frac_bits))
    {
    }

    static bool taken(const StaticParameters &parameters, unsigned format)
    {
        return parameters.static_exponent ? parameters.inf || format != 1 : format % 2 == 0;
    }

    void new_chain()
    {
        style_ = static_cast<Style>(rng_.below(kStyles));
        last_ = StaticStep();
        new_side(chain.a);
        new_side(chain.b);
        if (style_ == kSpecials && parameters_.inf) { // E5M2 has Inf
            StaticSide &side = rng_.coin() ? chain.a : chain.b;
            side.format = 1;
            side.bound = side.binades().high;
        }
    }

    // Fills in everything but `valid` and `first`.
    void next(StaticStep &step)
    {
        step.a_format = chain.a.format;
        step.b_format = chain.b.format;
        step.a_bound = static_cast<unsigned>(chain.a.field());
        step.b_bound = static_cast<unsigned>(chain.b.field());
        step.lanes = some_lanes(rng_, parameters_.lanes);
        if (style_ == kCancel && rng_.chance(300)) {
            take_back(step);
            return;
        }
        const bool minus = rng_.coin();
        for (unsigned i = 0; i < kTopLanes; i++) {
            term(i, step, minus);
        }
        const unsigned often = style_ == kSpecials ? 200 : 10;
        if (rng_.chance(often)) {
            corner(chain.a, step.a[rng_.below(parameters_.lanes)]);
        }
        if (rng_.chance(often)) {
            corner(chain.b, step.b[rng_.below(parameters_.lanes)]);
        }
        if (style_ == kSpecials) {
            infinite(step);
        }
        last_ = step;
    }

    StaticChain chain;

  private:
    enum Style {
        kAnyCode,
        kAtBound,
        kWindowEnd,
        kSaturated,
        kGrow,
        kCancel,
        kSparse,
        kSpecials,
        kStyles
    };

    void new_side(StaticSide &side)
    {
        do {
            side.format = rng_.below(kFormats);
        } while (!taken(parameters_, side.format));
        const Binades &binades = side.binades();
        side.bound = binades.high;
        if (!parameters_.static_exponent) {
            return;
        }
        switch (rng_.below(5)) {
        case 0: side.bound = rng_.range(binades.low, binades.low + 3); break;
        case 1:
            side.bound = rng_.range(binades.high, side.highest());
            break; // farther than it need be
        case 2:    // zeros alone fit
            if (rng_.chance(100) && side.format != 3) {
                side.bound = binades.low - 1;
            }
            break;
        default: side.bound = rng_.range(binades.low, binades.high); break;
        }
    }

    void term(unsigned i, StaticStep &step, bool minus)
    {
        const StaticSide &a = chain.a, &b = chain.b;
        int far = 0;
        switch (style_) {
        case kAnyCode: far = -1; break;
        case kAtBound: set(i, step, rng_.chance(300), rng_.chance(300)); return;
        case kGrow:
            set(i, step, 0, 0);
            if ((a.value(step.a[i]) * b.value(step.b[i]) < 0) != minus) {
                step.a[i] ^= 0x80;
            }
            return;
        case kWindowEnd: // the product's leading bit near the window's last column
            far = rng_.range(0, depth_ + 2);
            set(i, step, far, depth_ + rng_.range(-5, 2) - far);
            return;
        case kSaturated:
            far = (1 << parameters_.distance_w) - 1 + rng_.range(-2, 3);
            if (rng_.coin()) {
                set(i, step, far, rng_.range(0, 2));
            } else {
                set(i, step, rng_.range(0, 2), far);
            }
            return;
        case kCancel:
            if (i % 2 == 1 && rng_.chance(900)) {
                step.a[i] = minus_of(step.a[i - 1]);
                step.b[i] = step.b[i - 1];
                return;
            }
            break;
        case kSparse:
            if (rng_.chance(800)) {
                (rng_.coin() ? step.a : step.b)[i] = 0;
                (step.a[i] == 0 ? step.b : step.a)[i] = any(step.a[i] == 0 ? b : a);
                return;
            }
            break;
        default: break;
        }
        step.a[i] = any(a);
        step.b[i] = any(b);
    }

    // The preceding step with the opposite sign.
    void take_back(StaticStep &step) const
    {
        step.lanes = last_.lanes;
        for (unsigned i = 0; i < kTopLanes; i++) {
            step.a[i] = minus_of(last_.a[i]);
            step.b[i] = last_.b[i];
        }
    }
    uint8_t minus_of(uint8_t a) const
    {
        return chain.a.is_number(a) ? a ^ 0x80 : a;
    } // FNUZ's -0 is NaN

    void set(unsigned i, StaticStep &step, int a_distance, int b_distance)
    {
        step.a[i] = chain.a.below(rng_, a_distance);
        step.b[i] = chain.b.below(rng_, b_distance);
    }
    // Any finite code within the bound.
    uint8_t any(const StaticSide &side)
    {
        for (unsigned tries = 0; tries < 8; tries++) {
            const uint8_t code = rng_.code8();
            if (std::isfinite(side.value(code)) && side.fits(code)) {
                return code;
            }
        }
        return side.below(rng_, rng_.range(0, 6));
    }
    // Zeros, Inf, NaN and the ends of the ranges, in one format or another, if the bound allows it.
    void corner(const StaticSide &side, uint8_t &code)
    {
        static const uint8_t magnitude[] = {0x00, 0x00, 0x00, 0x01, 0x03, 0x07,
                                            0x08, 0x7b, 0x7c, 0x7c, 0x7e, 0x7f};
        const auto drawn = static_cast<uint8_t>(magnitude[rng_.below(sizeof magnitude)] |
                                                (rng_.coin() ? 0x80 : 0));
        if (side.fits(drawn)) {
            code = drawn;
        }
    }

    // Inf in one lane, or Inf * 0, if the format has an Inf.
    void infinite(StaticStep &step)
    {
        const bool in_a = chain.a.format == 1 && (chain.b.format != 1 || rng_.coin());
        if ((!in_a && chain.b.format != 1) || rng_.chance(600)) {
            return;
        }
        const unsigned lane = rng_.below(parameters_.lanes);
        (in_a ? step.a : step.b)[lane] = rng_.coin() ? 0x7c : 0xfc;
        if (rng_.chance(200)) {
            (in_a ? step.b : step.a)[lane] = 0;
        }
    }

    Rng &rng_;
    const StaticParameters parameters_;
    const int depth_;
    Style style_ = kAnyCode;
    StaticStep last_;
};

} // namespace tb

#endif
