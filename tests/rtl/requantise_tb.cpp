// SPDX-License-Identifier: Apache-2.0
// fp8mac_requantise against libfp8mac: values of every size, multipliers and shifts of every kind,
// ties of both roundings, sums in INT32, gaps between transfers.
#include "Vfp8mac_requantise.h"
#include "tb.h"

#include <deque>

extern "C" {
#include "fp8mac/fp8mac.h"
}

namespace
{

constexpr unsigned kWidth = 8, kCols = 4;
constexpr unsigned kInt8 = 7, kSums = 6, kNone = 0,
                   kClamp = 2; // codes of D's format and the activation

struct Config {
    fp8mac_requantise to;
    bool sums, clamp, bias;
};

struct Transfer {
    uint32_t meta;
    uint32_t d[kWidth];
};

// The fields of epilogue_cfg_t that count, from its last bit on: scale_d, clamp_hi, clamp_lo,
// bias_en, act, overflow, d_fmt
void drive(Vfp8mac_requantise &dut, const Config &config)
{
    for (unsigned i = 0; i < sizeof dut.cfg_i / sizeof dut.cfg_i[0]; i++) {
        dut.cfg_i[i] = 0;
    }
    dut.cfg_i[0] = static_cast<uint32_t>(config.to.zero_point);
    dut.cfg_i[1] = static_cast<uint32_t>(config.to.hi);
    dut.cfg_i[2] = static_cast<uint32_t>(config.to.lo);
    const uint32_t act = config.clamp ? kClamp : kNone, d = config.sums ? kSums : kInt8;
    dut.cfg_i[3] = static_cast<uint32_t>(config.bias) | act << 1 | d << 5;
}

class Random
{
  public:
    explicit Random(tb::Rng &rng) : rng_(rng) {}
    int32_t int32()
    {
        const uint32_t low = static_cast<uint32_t>(rng_.next());
        switch (rng_.below(4)) {
        case 0: return static_cast<int32_t>(low);
        case 1: return static_cast<int32_t>(low) >> rng_.below(32);
        case 2: return static_cast<int32_t>((1u << rng_.below(32)) + rng_.below(5) - 2);
        default: return static_cast<int32_t>(0 - (1u << rng_.below(32)) - rng_.below(5) + 2);
        }
    }
    fp8mac_int_scale scale()
    {
        static const uint32_t corners[] = {0, 1, 1u << 30, 0x7fffffff, 0x55555555, 0x2aaaaaaa};
        uint32_t multiplier = static_cast<uint32_t>(rng_.next()) & 0x7fffffff;
        if (rng_.below(3) == 0) {
            multiplier = rng_.coin() ? corners[rng_.below(6)] : 1u << rng_.below(31);
        }
        const int shift = rng_.coin() ? rng_.range(-31, 30) : rng_.range(-12, 2);
        return {static_cast<int32_t>(multiplier), shift};
    }
    // What most of a network has: results near the range of INT8
    fp8mac_int_scale usual()
    {
        return {static_cast<int32_t>(rng_.next() >> 34 | 1u << 30), rng_.range(-11, -5)};
    }
    Config config()
    {
        int a = rng_.range(-128, 127), b = rng_.range(-128, 127);
        Config config = {{rng_.range(-128, 127), std::min(a, b), std::max(a, b)},
                         rng_.below(4) == 0,
                         rng_.coin(),
                         rng_.below(4) != 0};
        if (!config.clamp) {
            config.to.lo = -128, config.to.hi = 127;
        }
        return config;
    }

  private:
    tb::Rng &rng_;
};

class Run
{
  public:
    Run(tb::Bench &bench, tb::Clocked<Vfp8mac_requantise> &dut)
        : bench_(bench), rng_(bench.seed()), random_(rng_), dut_(dut)
    {
    }

    void phase()
    {
        config_ = random_.config();
        drive(*dut_, config_);
        usual_ = rng_.coin();
        const unsigned gaps = rng_.coin() ? 0 : 400, transfers = 1 + rng_.below(60);
        for (unsigned i = 0; i < transfers; i++) {
            while (rng_.chance(gaps)) {
                cycle(false);
            }
            cycle(true);
        }
        for (unsigned i = 0; i < 8; i++) {
            cycle(false);
        }
        bench_.equal("transfers that did not leave", expected_.size(), 0);
        bench_.check("idle when empty", !dut_->busy_o);
    }

    void coverage()
    {
        bench_.covered("results inside the limits", inside_);
        bench_.covered("results at a limit", clamped_);
        bench_.covered("negative ties of the division", ties_);
        bench_.covered("shifts to the left", left_);
        bench_.covered("sums in INT32", sums_);
    }

  private:
    void fill()
    {
        Transfer transfer{static_cast<uint32_t>(rng_.next()) & 0xffff, {}};
        fp8mac_int_scale scale[kCols];
        int32_t bias[kCols];
        uint32_t shifts = 0;
        for (unsigned c = 0; c < kCols; c++) {
            scale[c] = usual_ ? random_.usual() : random_.scale();
            bias[c] = usual_ ? rng_.range(-20000, 20000) : random_.int32();
            dut_->multiplier_i[c] = static_cast<uint32_t>(scale[c].multiplier);
            dut_->bias_i[c] = config_.bias ? static_cast<uint32_t>(bias[c]) : 0;
            shifts |= (static_cast<uint32_t>(scale[c].shift) & 63) << (6 * c);
        }
        dut_->shift_i = shifts;
        dut_->meta_i = static_cast<uint16_t>(transfer.meta);
        for (unsigned w = 0; w < kWidth; w++) {
            const unsigned c = w % kCols;
            const int32_t t0 = usual_ ? rng_.range(-40000, 40000) : random_.int32();
            dut_->t0_i[w] = static_cast<uint32_t>(t0);
            transfer.d[w] = want(t0, config_.bias ? bias[c] : 0, scale[c]);
        }
        expected_.push_back(transfer);
    }
    uint32_t want(int32_t t0, int32_t bias, fp8mac_int_scale scale)
    {
        const uint32_t x = static_cast<uint32_t>(t0) + static_cast<uint32_t>(bias);
        if (config_.sums) {
            sums_++;
            return x;
        }
        const int8_t d = fp8mac_requantise_apply(&config_.to, t0, bias, scale);
        const bool at_limit = d == config_.to.lo || d == config_.to.hi;
        clamped_ += at_limit;
        inside_ += !at_limit;
        left_ += scale.shift > 0;
        const int32_t z = fp8mac_int_scale_apply(static_cast<int32_t>(x), {scale.multiplier, 0});
        ties_ += scale.shift < 0 && z < 0 && !at_limit &&
                 (static_cast<uint32_t>(z) << (32 + scale.shift)) == 0x80000000u;
        return static_cast<uint8_t>(d);
    }
    void cycle(bool transfer)
    {
        dut_->in_valid_i = transfer;
        if (transfer) {
            fill();
        }
        dut_.tick();
        if (!dut_->out_valid_o) {
            return;
        }
        if (!bench_.check("a transfer leaves that has entered", !expected_.empty())) {
            return;
        }
        const Transfer want = expected_.front();
        expected_.pop_front();
        bench_.equal("meta", dut_->meta_o, want.meta);
        for (unsigned w = 0; w < kWidth; w++) {
            bench_.equal("D", dut_->d_o[w], want.d[w], [&] { return tb::text("output %u", w); });
        }
    }

    tb::Bench &bench_;
    tb::Rng rng_;
    Random random_;
    tb::Clocked<Vfp8mac_requantise> &dut_;
    Config config_{};
    bool usual_ = false;
    std::deque<Transfer> expected_;
    uint64_t inside_ = 0, clamped_ = 0, ties_ = 0, left_ = 0, sums_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Clocked<Vfp8mac_requantise> dut(bench);
    dut->in_valid_i = 0;
    dut.reset();
    Run run(bench, dut);
    const unsigned phases = bench.number("--phases", 2000);
    for (unsigned i = 0; i < phases && !bench.hopeless(); i++) {
        run.phase();
    }
    run.coverage();
    return bench.finish();
}
