// SPDX-License-Identifier: Apache-2.0
#include "element_dut.h"

#include <cstring>

#include "Velement_tb.h"

namespace
{

class Dut : public tb::ElementDut
{
  public:
    explicit Dut(VerilatedContext *context) : top_(context) {}
    ~Dut() override
    {
        top_.final();
    }

    tb::ElementParameters parameters() override
    {
        top_.eval();
        const uint32_t p = top_.parameters_o;
        auto flag = [p](unsigned bit) { return (p >> bit & 1) != 0; };
        return {p >> 24, p >> 16 & 255, p >> 12 & 15, p >> 8 & 15, flag(6), flag(5), flag(4),
                flag(3), flag(2),       flag(1),      flag(0),     0,       flag(7)};
    }

    tb::ElementResult tick(const tb::ElementStep &step) override
    {
        top_.valid_i = step.valid;
        top_.first_i = step.first;
        top_.fp16_i = step.fp16;
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
    Velement_tb top_;
};

} // namespace

std::unique_ptr<tb::ElementDut> tb::ElementDut::make(VerilatedContext *context)
{
    return std::unique_ptr<tb::ElementDut>(new Dut(context));
}
