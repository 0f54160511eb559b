// SPDX-License-Identifier: Apache-2.0
// The benches' common part: seeded random codes, a clock, counted checks.
//
//   int main(int argc, char **argv) {
//       // Takes --seed N and --first-failure; bench.number("--steps", 1000)
//       tb::Bench bench(argc, argv);
//       tb::Clocked<Vdut> dut(bench); // dut.reset(); dut->port = ...; dut.tick();
//       // One counted check; detail() makes the text of a failure
//       bench.equal("what", got, want, detail);
//       // Fails if an event that must happen never did
//       bench.covered("rounds to even at a tie", n);
//       // Prints "N passed, N failed"; 0 checks is a failure
//       return bench.finish();
//   }
#ifndef TB_H
#define TB_H

#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"

namespace tb
{

// xoshiro256**, its state filled by splitmix64.
class Rng
{
  public:
    explicit Rng(uint64_t seed)
    {
        for (uint64_t &word : state_) {
            seed += 0x9e3779b97f4a7c15u;
            uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
            word = z ^ (z >> 31);
        }
    }
    uint64_t next()
    {
        const uint64_t result = rotl(state_[1] * 5, 7) * 9;
        const uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotl(state_[3], 45);
        return result;
    }
    // Uniform in 0..n-1, n >= 1.
    uint32_t below(uint32_t n)
    {
        return static_cast<uint32_t>(((next() >> 32) * n) >> 32);
    }
    // Uniform in lo..hi.
    int range(int lo, int hi)
    {
        return lo + static_cast<int>(below(static_cast<uint32_t>(hi - lo + 1)));
    }
    bool chance(unsigned permille)
    {
        return below(1000) < permille;
    }
    bool coin()
    {
        return (next() >> 63) != 0;
    }
    uint8_t code8()
    {
        return static_cast<uint8_t>(next() >> 56);
    }

    // An FP32 or FP16 pattern of any class. Exponents are uniform over the field. Significands are
    // random, all zeros, all ones or a single bit. Zero, Inf, NaN, subnormals and the range's ends
    // are as likely as the middle.
    uint32_t fp32()
    {
        return pattern(8, 23);
    }
    uint16_t fp16()
    {
        return static_cast<uint16_t>(pattern(5, 10));
    }
    uint16_t bf16()
    {
        return static_cast<uint16_t>(pattern(8, 7));
    }
    // The same, without Inf and NaN.
    uint32_t fp32_finite()
    {
        uint32_t x;
        do {
            x = fp32();
        } while ((x & 0x7f800000u) == 0x7f800000u);
        return x;
    }

  private:
    static uint64_t rotl(uint64_t x, int k)
    {
        return (x << k) | (x >> (64 - k));
    }
    uint32_t pattern(unsigned exponent_bits, unsigned mantissa_bits)
    {
        const uint32_t exponent_max = (1u << exponent_bits) - 1;
        const uint32_t mantissa_mask = (1u << mantissa_bits) - 1;
        uint32_t exponent = below(exponent_max + 1);
        const uint32_t kind = below(16);
        if (kind == 0) {
            exponent = 0;
        }
        if (kind == 1) {
            exponent = 1;
        }
        if (kind == 2) {
            exponent = exponent_max - 1;
        }
        if (kind == 3) {
            exponent = exponent_max;
        }
        if (kind >= 4 && kind < 8) {
            exponent = exponent_max / 2 - 4 + below(9); // about 1.0
        }
        uint32_t mantissa = static_cast<uint32_t>(next()) & mantissa_mask;
        switch (below(8)) {
        case 0: mantissa = 0; break;
        case 1: mantissa = mantissa_mask; break;
        case 2: mantissa = 1u << below(mantissa_bits); break;
        case 3: mantissa = mantissa_mask & ~(1u << below(mantissa_bits)); break;
        default: break;
        }
        return (static_cast<uint32_t>(coin()) << (exponent_bits + mantissa_bits)) |
               (exponent << mantissa_bits) | mantissa;
    }
    uint64_t state_[4];
};

// Registers and memories of the models that are built in `context` start with random contents, if
// Verilator had --x-initial unique.
inline void random_start(VerilatedContext &context, uint64_t seed)
{
    context.randReset(2);
    context.randSeed(static_cast<int>(seed % INT32_MAX) + 1);
}

// Options, the simulation context and the counted checks of one bench.
class Bench
{
  public:
    Bench(int argc, char **argv) : arguments_(argv + 1, argv + argc), context_(new VerilatedContext)
    {
        context_->commandArgs(argc, argv);
        if (const char *seed = option("--seed")) {
            seed_ = std::strtoull(seed, nullptr, 0);
        }
        one_is_enough_ = flag("--first-failure");
        std::printf("seed %" PRIu64 "\n", seed_);
    }
    bool flag(const char *name) const
    {
        for (const char *argument : arguments_) {
            if (std::strcmp(argument, name) == 0) {
                return true;
            }
        }
        return false;
    }
    // The word after the last `name` on the command line; null if there is none.
    const char *option(const char *name) const
    {
        const char *found = nullptr;
        for (size_t i = 0; i + 1 < arguments_.size(); i++) {
            if (std::strcmp(arguments_[i], name) == 0) {
                found = arguments_[i + 1];
            }
        }
        return found;
    }
    unsigned number(const char *name, unsigned otherwise) const
    {
        const char *word = option(name);
        return word == nullptr ? otherwise : static_cast<unsigned>(std::atoi(word));
    }
    VerilatedContext *context()
    {
        return context_.get();
    }
    uint64_t seed() const
    {
        return seed_;
    }
    uint64_t failed() const
    {
        return failed_;
    }
    // There are so many failures that more would not help.
    bool hopeless() const
    {
        return failed_ > 1000;
    }

    template <typename Detail>
    bool equal(const char *what, uint64_t got, uint64_t want, Detail detail)
    {
        if (got == want) {
            passed_++;
            return true;
        }
        if (failed_++ < 20) {
            std::printf("FAIL %s: got %#" PRIx64 ", want %#" PRIx64 " %s\n", what, got, want,
                        std::string(detail()).c_str());
        }
        if (one_is_enough_) {
            std::exit(finish());
        }
        return false;
    }
    bool equal(const char *what, uint64_t got, uint64_t want)
    {
        return equal(what, got, want, [] { return ""; });
    }
    bool check(const char *what, bool ok)
    {
        return equal(what, ok, true);
    }

    void covered(const char *event, uint64_t hits)
    {
        std::printf("%12" PRIu64 "  %s\n", hits, event);
        if (hits != 0) {
            passed_++;
        } else {
            failed_++;
            std::printf("FAIL never happened: %s\n", event);
        }
    }

    int finish()
    {
        std::printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed_, failed_);
        return (failed_ == 0 && passed_ != 0) ? 0 : 1;
    }

  private:
    const std::vector<const char *> arguments_;
    std::unique_ptr<VerilatedContext> context_;
    uint64_t seed_ = 1;
    bool one_is_enough_ = false; // --first-failure: the bench ends there
    uint64_t passed_ = 0;
    uint64_t failed_ = 0;
};

// A verilated module with clk_i and rst_ni. Inputs are set while the clock is low; tick() is the
// rising edge, after which registered outputs have their new values. settle() lets combinational
// outputs follow the inputs.
template <typename Dut>
class Clocked
{
  public:
    explicit Clocked(Bench &bench) : Clocked(*bench.context()) {}
    explicit Clocked(VerilatedContext &context) : dut_(new Dut(&context)) {}
    ~Clocked()
    {
        dut_->final();
    }
    Dut *operator->()
    {
        return dut_.get();
    }
    Dut &operator*()
    {
        return *dut_;
    }

    void settle()
    {
        dut_->eval();
    }
    void tick()
    {
        dut_->clk_i = 0;
        dut_->eval();
        dut_->clk_i = 1;
        dut_->eval();
        dut_->contextp()->timeInc(1);
        cycles_++;
    }
    void reset()
    {
        dut_->rst_ni = 0;
        tick();
        tick();
        dut_->rst_ni = 1;
    }
    uint64_t cycles() const
    {
        return cycles_;
    }

  private:
    std::unique_ptr<Dut> dut_;
    uint64_t cycles_ = 0;
};

// printf into a string, for the detail of a failure.
inline std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
inline std::string text(const char *format, ...)
{
    char buffer[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return buffer;
}

} // namespace tb

#endif
