// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "Vstatic_tb.h"
#include "element_dut.h"

namespace
{

class Dut : public tb::StaticDut
{
  public:
    explicit Dut(VerilatedContext *context) : top_(context) {}
    ~Dut() override
    {
        top_.final();
    }

    tb::StaticParameters parameters() override
    {
        top_.eval();
        const uint32_t p = top_.parameters_o;
        return {p >> 26,     p >> 22 & 15,      p >> 16 & 63, p >> 12 & 15,
                p >> 8 & 15, (p >> 1 & 1) != 0, (p & 1) != 0};
    }

    tb::StaticResult tick(const tb::StaticStep &step) override
    {
        top_.valid_i = step.valid;
        top_.step_first_i = step.first;
        top_.a_fmt_i = static_cast<uint8_t>(step.a_format);
        top_.b_fmt_i = static_cast<uint8_t>(step.b_format);
        top_.a_bound_i = static_cast<uint8_t>(step.a_bound);
        top_.b_bound_i = static_cast<uint8_t>(step.b_bound);
        top_.lane_en_i = step.lanes;
        std::memcpy(top_.a_code_i.data(), step.a, sizeof step.a);
        std::memcpy(top_.b_code_i.data(), step.b, sizeof step.b);
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        return {top_.acc_o, top_.special_o, top_.flags_o};
    }

  private:
    Vstatic_tb top_;
};

} // namespace

std::unique_ptr<tb::StaticDut> tb::StaticDut::make(VerilatedContext *context)
{
    return std::unique_ptr<tb::StaticDut>(new Dut(context));
}
