// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "Vint8_tb.h"
#include "element_dut.h"

namespace
{

class Dut : public tb::Int8Dut
{
  public:
    explicit Dut(VerilatedContext *context) : top_(context)
    {
        top_.eval();
    }
    ~Dut() override
    {
        top_.final();
    }

    unsigned lanes() override
    {
        return top_.parameters_o >> 24;
    }
    unsigned banks() override
    {
        return top_.parameters_o >> 16 & 255;
    }
    uint32_t tick(const tb::Int8Step &step) override
    {
        top_.step_first_i = step.first;
        std::memcpy(top_.a_code_i.data(), step.a, sizeof step.a);
        std::memcpy(top_.b_code_i.data(), step.b, sizeof step.b);
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        return top_.acc_o;
    }

  private:
    Vint8_tb top_;
};

} // namespace

std::unique_ptr<tb::Int8Dut> tb::Int8Dut::make(VerilatedContext *context)
{
    return std::unique_ptr<tb::Int8Dut>(new Dut(context));
}
