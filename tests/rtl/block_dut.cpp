// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "Vblock_tb.h"
#include "element_dut.h"

namespace
{

class Dut : public tb::BlockDut
{
  public:
    explicit Dut(VerilatedContext *context) : top_(context) {}
    ~Dut() override
    {
        top_.final();
    }

    tb::BlockParameters parameters() override
    {
        top_.eval();
        const uint32_t p = top_.parameters_o;
        return {p >> 26,      p >> 19 & 127,     p >> 13 & 63,      p >> 9 & 15,
                p >> 4 & 31,  (p >> 3 & 1) != 0, (p >> 2 & 1) != 0, (p >> 1 & 1) != 0,
                (p & 1) != 0, top_.mx_o != 0,    top_.latency_o};
    }

    tb::BlockResult tick(const tb::BlockCycle &c) override
    {
        top_.valid_i = c.valid;
        top_.first_i = c.first;
        top_.last_i = c.last;
        top_.a_fmt_i = static_cast<uint8_t>(c.a_format);
        top_.b_fmt_i = static_cast<uint8_t>(c.b_format);
        top_.lane_en_i = c.lanes;
        std::memcpy(top_.a_code_i.data(), c.a, sizeof c.a);
        std::memcpy(top_.b_code_i.data(), c.b, sizeof c.b);
        uint8_t bound[tb::kTopLanes], scale[tb::kTopLanes];
        for (unsigned r = 0; r < tb::kTopLanes; r++) {
            bound[r] = static_cast<uint8_t>(c.a_bound[r]);
            scale[r] = static_cast<uint8_t>(c.a_scale[r]);
        }
        std::memcpy(top_.a_bound_i.data(), bound, sizeof bound);
        std::memcpy(top_.a_scale_i.data(), scale, sizeof scale);
        top_.b_bound_i = static_cast<uint8_t>(c.b_bound);
        top_.b_scale_i = static_cast<uint8_t>(c.b_scale);
        top_.unit_a_bound_i = static_cast<uint8_t>(c.unit_a_bound);
        top_.unit_b_bound_i = static_cast<uint8_t>(c.unit_b_bound);
        top_.unit_a_scale_i = static_cast<uint8_t>(c.unit_a_scale);
        top_.unit_b_scale_i = static_cast<uint8_t>(c.unit_b_scale);
        top_.scale_sum_i = static_cast<uint8_t>(c.scale);
        top_.acc_fp16_i = c.fp16;
        top_.acc_first_i = c.acc_first;
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
        return {top_.pattern_o, top_.flags_o};
    }

  private:
    Vblock_tb top_;
};

} // namespace

std::unique_ptr<tb::BlockDut> tb::BlockDut::make(VerilatedContext *context)
{
    return std::unique_ptr<tb::BlockDut>(new Dut(context));
}
