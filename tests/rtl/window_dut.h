// SPDX-License-Identifier: Apache-2.0
// What the benches of the window and the INT8 element see of a verilated top: the same for every parameter set, so that
// a bench is compiled once. window_dut.cpp and int8_dut.cpp are compiled with each set.
#ifndef WINDOW_DUT_H
#define WINDOW_DUT_H

#include <cstdint>
#include <memory>

class VerilatedContext;

namespace tb {

constexpr unsigned kWindowLanes = 32; // of the tops, whatever the element has

struct WindowParameters {
    unsigned lanes, frac_bits, exp_w;
    bool fused, hidden_one, inf, nan, scale, by_operands, fp16;
};

// What goes in before one clock edge. A step that is not valid is a bubble.
struct WindowStep {
    bool valid = false, first = false;
    unsigned a_format = 0, b_format = 0;
    int scale = 0; // sum of both scaling exponents
    uint32_t lanes = 0;
    uint8_t a[kWindowLanes] = {}, b[kWindowLanes] = {};
};

struct WindowResult {
    uint32_t sign, field, sig, special, flags;
};

class WindowDut {
  public:
    static constexpr unsigned kStages = 6; // clock edges from a step to its result
    static std::unique_ptr<WindowDut> make(VerilatedContext *context);
    virtual ~WindowDut() = default;
    virtual WindowParameters parameters() = 0;
    virtual WindowResult tick(const WindowStep &step) = 0;
};

struct Int8Step {
    bool first = false;
    uint8_t a[kWindowLanes] = {}, b[kWindowLanes] = {};
};

class Int8Dut {
  public:
    static std::unique_ptr<Int8Dut> make(VerilatedContext *context);
    virtual ~Int8Dut() = default;
    virtual unsigned lanes() = 0;
    virtual unsigned slots() = 0;
    virtual uint32_t tick(const Int8Step &step) = 0; // acc_o after the edge
};

} // namespace tb

#endif
