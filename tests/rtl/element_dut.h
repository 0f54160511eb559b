// SPDX-License-Identifier: Apache-2.0
// The interface between the elements' benches and a verilated top. It is the same for every
// parameter set, so that a bench is compiled once. element_dut.cpp, static_dut.cpp and int8_dut.cpp
// are compiled with each set.
#ifndef ELEMENT_DUT_H
#define ELEMENT_DUT_H

#include <cstdint>
#include <memory>

class VerilatedContext;

namespace tb
{

constexpr unsigned kTopLanes = 32; // every top has this many lanes; the element may have fewer

struct ElementParameters {
    unsigned lanes, frac_bits, stages, exp_w; // stages: clock edges from a step to its result
    bool late, fused, hidden_one, inf, nan, scale,
        fp16;                // fused: late, and one lane, whose product is not truncated
    unsigned late_least = 0; // least sum_bits() if it is not that of the accumulator's format
    bool choice = false;     // each step chooses FP32 or FP16; fp16 has no meaning, see chosen()

    // Fraction bits of the addition of products and accumulator. Late accumulation has at least two
    // bits more than the accumulator's fraction, or three where a single product is rounded
    // correctly.
    unsigned sum_bits() const
    {
        const unsigned enough =
            late_least != 0 ? late_least : (fp16 ? 10u : 23u) + (fused ? 3u : 2u);
        return late && frac_bits < enough ? enough : frac_bits;
    }

    // Those of the element while it accumulates in FP16, or in FP32.
    ElementParameters chosen(bool is_fp16) const
    {
        ElementParameters p = *this;
        p.fp16 = is_fp16;
        p.late_least = fused ? 26 : 25; // in FP16 too
        p.choice = false;
        return p;
    }
};

// The inputs before one clock edge. A step that is not valid is a bubble.
struct ElementStep {
    bool valid = false, first = false;
    bool fp16 = false; // with a choice of formats
    unsigned a_format = 0, b_format = 0;
    int scale = 0; // sum of both scaling exponents
    uint32_t lanes = 0;
    uint8_t a[kTopLanes] = {}, b[kTopLanes] = {};
};

struct ElementResult {
    uint32_t sign, field, sig, special, flags;
};

class ElementDut
{
  public:
    static std::unique_ptr<ElementDut> make(VerilatedContext *context);
    virtual ~ElementDut() = default;
    virtual ElementParameters parameters() = 0;
    virtual ElementResult tick(const ElementStep &step) = 0;
};

struct StaticParameters {
    unsigned lanes, banks, frac_bits, distance_w, stages; // stages: as ElementParameters'
    bool static_exponent, inf;
};

struct StaticStep {
    bool valid = false, first = false;
    unsigned a_format = 0, b_format = 0;
    unsigned a_bound = 0,
             b_bound = 0; // as the feed takes them: normalised exponents in E5M2's bias, plus 1
    uint32_t lanes = 0;
    uint8_t a[kTopLanes] = {}, b[kTopLanes] = {};
};

struct StaticResult {
    uint64_t acc;
    uint32_t special, flags;
};

class StaticDut
{
  public:
    static std::unique_ptr<StaticDut> make(VerilatedContext *context);
    virtual ~StaticDut() = default;
    virtual StaticParameters parameters() = 0;
    virtual StaticResult tick(const StaticStep &step) = 0;
};

constexpr unsigned kTopBlock = 64; // products of the longest block

struct BlockParameters {
    unsigned lanes, block, share, banks, frac_bits;
    bool fp32, fp16, inf, nan, mx;
    unsigned latency; // cycles from the last codes of row 0 to its result
};

// The inputs before one clock edge. Row r's operand of lane l is a[r * lanes + l].
struct BlockCycle {
    // For the operand feeds. A cycle that is not valid is a bubble.
    bool valid = false, first = false, last = false;
    unsigned a_format = 0, b_format = 0;
    uint32_t lanes = 0;
    uint8_t a[kTopBlock] = {}, b[kTopLanes] = {};
    unsigned a_bound[kTopLanes] = {}, b_bound = 0; // a_bound: of each row
    unsigned a_scale[kTopLanes] = {}, b_scale = 0; // E8M0 codes
    // For the accumulate unit
    unsigned unit_a_bound = 0, unit_b_bound = 0;
    unsigned unit_a_scale = 0, unit_b_scale = 0;
    int scale = 0; // sum of both scaling exponents, less 1 for each FNUZ format
    bool fp16 = false, acc_first = false;
};

struct BlockResult {
    uint32_t pattern, flags; // with FP16 alone FP16's pattern, else FP32's
};

class BlockDut
{
  public:
    static std::unique_ptr<BlockDut> make(VerilatedContext *context);
    virtual ~BlockDut() = default;
    virtual BlockParameters parameters() = 0;
    virtual BlockResult tick(const BlockCycle &cycle) = 0;
};

struct Int8Step {
    bool first = false;
    uint8_t a[kTopLanes] = {}, b[kTopLanes] = {};
};

class Int8Dut
{
  public:
    static std::unique_ptr<Int8Dut> make(VerilatedContext *context);
    virtual ~Int8Dut() = default;
    virtual unsigned lanes() = 0;
    virtual unsigned banks() = 0;
    virtual uint32_t tick(const Int8Step &step) = 0; // acc_o after the edge
};

} // namespace tb

#endif
