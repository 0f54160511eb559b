// SPDX-License-Identifier: Apache-2.0
// The array as its bench knows it: the parameters of the build, tiles of the accumulator memory
// with the model's accumulators, and the blocks that are issued and shown.
#ifndef ARRAY_MODEL_H
#define ARRAY_MODEL_H

#include "Varray_tb.h"
#include "dot_steps.h"
#include "fp8mac/catalogue.h"

namespace array
{

constexpr unsigned kElement = ELEMENT_KIND;
inline const fp8mac_element_info &kInfo = *fp8mac_element_find(kElement);
constexpr bool kStatic = kElement == FP8MAC_ELEMENT_STATIC;
constexpr bool kInt8 = kElement == FP8MAC_ELEMENT_INT8;
inline const bool kFp16 = kInfo.accumulators == 1u << FP8MAC_ACC_FP16; // the only accumulator
inline const bool kChoice = (kInfo.accumulators & (kInfo.accumulators - 1)) != 0; // at run time
inline const bool kFixedPoint = (kInfo.accumulators & 1u << FP8MAC_ACC_FIXED) != 0;
inline const bool kInteger = kFixedPoint || kInt8;
inline const bool kInf = (kInfo.formats & 1u << FP8MAC_E5M2) != 0;
inline const unsigned kBlock = kInfo.block != 0 ? kInfo.block : LANES;
constexpr int kBoundBias = 16; // BoundBias, and the bits of a bound
constexpr unsigned kBoundW = 6;
constexpr int kBoundNone = (1 << kBoundW) - 1;
constexpr bool kMx = MX != 0;
constexpr unsigned kScaleOne = 127, kScaleNan = 0xff; // E8M0
constexpr unsigned kTileMax = TILES;
constexpr unsigned kMetas = 1u << 17;

using Dut = tb::Clocked<Varray_tb>;

// FNUZ's bias is one larger; bounds do not know it.
inline int fnuz(unsigned format)
{
    return format >= 2;
}

// The model's configuration that computes the same as the elements. Bounds are those of the
// element's row and column.
inline fp8mac_dot_config model_of(const tb::StepConfig &step, int a_bound, int b_bound)
{
    fp8mac_dot_config config = step.model(LANES);
    if (kInt8) {
        config = {};
        config.a.format = config.b.format = fp8mac_format_get(FP8MAC_INT8);
    }
    const int static_exponent =
        a_bound + b_bound - 2 * kBoundBias - fnuz(step.a_format) - fnuz(step.b_format);
    fp8mac_element_settings(kInfo.kind, LANES, FRAC_BITS, static_exponent, &config);
    return config;
}

static_assert(kBoundW * ROWS < 64 && kBoundW * COLS < 64, "bounds are driven as one word");

inline void drive_bounds(Dut &dut, uint64_t a, uint64_t b)
{
    dut->a_bound_i =
        static_cast<decltype(Varray_tb::a_bound_i + 0)>(a & ((1ull << kBoundW * ROWS) - 1));
    dut->b_bound_i =
        static_cast<decltype(Varray_tb::b_bound_i + 0)>(b & ((1ull << kBoundW * COLS) - 1));
}

inline uint64_t packed(const int *bound, unsigned count)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < count; i++) {
        word |= static_cast<uint64_t>(bound[i]) << kBoundW * i;
    }
    return word;
}

// One accumulator, by the model.
struct Accumulator {
    fp8mac_acc acc = {};
    uint32_t pattern = 0; // acc as FP32

    // A block of terms; mx_a and mx_b are its scales, or null.
    tb::Answer step(const fp8mac_dot_config &config, const uint8_t *a, const uint8_t *b, unsigned n,
                    const uint8_t *mx_a, const uint8_t *mx_b)
    {
        fp8mac_flags flags = 0;
        const fp8mac_status status =
            kMx ? fp8mac_dot_mx(&config, &acc, {a, mx_a}, {b, mx_b}, n, &flags)
                : fp8mac_dot_step(&config, &acc, a, b, n, &flags);
        if (status != FP8MAC_OK) {
            std::printf("model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        pattern = fp8mac_acc_to_fp32(&config, &acc, nullptr);
        return {pattern, flags};
    }
};

// One tile of the accumulator memory: the dot product that it holds.
struct Tile {
    explicit Tile(tb::Rng &rng) : steps(rng, kBlock) {}
    tb::Steps steps;
    tb::StepConfig config;                      // kFixedPoint: of all its blocks
    int a_bound[ROWS] = {}, b_bound[COLS] = {}; // kStatic
    // kInt8: mostly -128 * -128; kStatic, blocks: infinities in place of NaNs, which outlive all
    // else
    bool extremes = false;
    // kMx: the scales of a block are centre / 2 each, with as much to either side.
    // Without scales, all are 1.
    bool scales = false;
    int centre = 0, spread = 0;
    Accumulator acc[ROWS][COLS];
    uint32_t rows = 0, cols = 0; // enabled
    unsigned left = 0;           // blocks to issue
    bool first = false;
    uint64_t issued = 0; // cycle of the last block's last step
};

// A block while its steps are issued.
struct Block {
    bool open = false;
    unsigned tile = 0, steps = 0, step = 0;
    bool first = false, last = false;
    uint64_t lanes = 0; // of all steps
    uint32_t meta = 0;
    uint64_t a_bounds = 0, b_bounds = 0;
    uint8_t a_scale[ROWS] = {}, b_scale[COLS] = {};
    uint8_t a[ROWS][tb::kLanesMax] = {}, b[COLS][tb::kLanesMax] = {};
    uint32_t flags[ROWS] = {};
};

// What the array shows in one cycle.
struct Shown {
    bool valid = false;   // a phase of a block
    bool results = false; // and its results
    unsigned tile = 0, phase = 0;
    uint32_t flags = 0, meta = 0, rows = 0, cols = 0;
    uint32_t pattern[ROWS][COLS] = {}; // FP32
};

} // namespace array

#endif
