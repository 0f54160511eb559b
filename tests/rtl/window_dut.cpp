// SPDX-License-Identifier: Apache-2.0
#include "window_dut.h"

#include <cstring>

#include "Vwindow_tb.h"

namespace {

class Dut : public tb::WindowDut {
  public:
    explicit Dut(VerilatedContext *context) : top_(context) {}
    ~Dut() override { top_.final(); }

    tb::WindowParameters parameters() override {
        top_.eval();
        const uint32_t p = top_.parameters_o;
        return {p >> 24, p >> 16 & 255, p >> 8 & 255, (p >> 6 & 1) != 0, (p >> 5 & 1) != 0, (p >> 4 & 1) != 0,
                (p >> 3 & 1) != 0, (p >> 2 & 1) != 0, (p >> 1 & 1) != 0, (p & 1) != 0};
    }

    tb::WindowResult tick(const tb::WindowStep &step) override {
        top_.valid_i = step.valid;
        top_.first_i = step.first;
        top_.a_fmt_i = static_cast<uint8_t>(step.a_format);
        top_.b_fmt_i = static_cast<uint8_t>(step.b_format);
        top_.scale_sum_i = static_cast<uint8_t>(step.scale);
        top_.lane_en_i = step.lanes;
        std::memcpy(top_.a_code_i.data(), step.a, sizeof step.a);
        std::memcpy(top_.b_code_i.data(), step.b, sizeof step.b);
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        return {top_.sign_o, top_.field_o, top_.sig_o, top_.special_o, top_.flags_o};
    }

  private:
    Vwindow_tb top_;
};

} // namespace

std::unique_ptr<tb::WindowDut> tb::WindowDut::make(VerilatedContext *context)
{
    return std::unique_ptr<tb::WindowDut>(new Dut(context));
}
