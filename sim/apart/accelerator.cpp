// SPDX-License-Identifier: Apache-2.0
// The accelerator as a model of its own, evaluated only in cycles in which something may change.
// sim/apart/fp8mac_sys_accel.sv, its place in the chip, calls fp8sim_accel_cycle() from the chip's
// rising edge: with the inputs before that edge, and for the outputs behind it.
#include "accelerator.h"

#include <svdpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "Vfp8mac_sys_accel.h"
#include "Vfp8mac_sys_accel__Dpi.h"

namespace
{

// Copies a vector between a port and an argument of DPI. Both hold its lowest bits first.
template <typename Port>
void take(Port &port, const svBitVecVal *argument)
{
    std::memcpy(&port, argument, sizeof port);
}

template <typename Port>
void give(const Port &port, svBitVecVal *argument)
{
    std::memcpy(argument, &port, sizeof port);
}

class ApartAccelerator final : public Accelerator
{
  public:
    explicit ApartAccelerator(VerilatedContext &context) : model_(&context, "accelerator")
    {
        scope_ = svGetScopeFromName("accelerator.fp8mac_sys_accel");
    }

    Vfp8mac_sys_accel &model()
    {
        return model_;
    }

    // Simulates the cycle that the ports' inputs belong to.
    void cycle()
    {
        catch_up();
        model_.clk_i = 1;
        model_.eval();
        model_.clk_i = 0;
        model_.eval();
        next_++;
    }

    void begin_cycle() override
    {
        now_++;
    }

    void catch_up() override
    {
        if (next_ == now_) {
            return;
        }
        svSetScope(scope_);
        while (next_ < now_) {
            const uint64_t part = std::min<uint64_t>(now_ - next_, UINT32_MAX);
            fp8sim_accel_catch_up(static_cast<unsigned>(part));
            next_ += part;
        }
    }

    void end() override
    {
        now_++;
        catch_up();
        model_.final();
    }

  private:
    Vfp8mac_sys_accel model_;
    svScope scope_;
    // The cycle that runs, and the first one that the model has not seen
    uint64_t now_ = 0, next_ = 1;
};

ApartAccelerator *running = nullptr; // as DPI calls carry no context

} // namespace

const char *const simulator_mode = FP8SIM_MODE;

std::unique_ptr<Accelerator> make_accelerator(VerilatedContext &context)
{
    auto accelerator = std::make_unique<ApartAccelerator>(context);
    running = accelerator.get();
    return accelerator;
}

extern "C" void fp8sim_accel_cycle(svBit rst_n, svBit sleeping, svBit valid, const svBitVecVal *req,
                        svBit stall_write, const svBitVecVal *stall_permille,
                        const svBitVecVal *ram_rdata, svBit *done, unsigned *rdata, svBit *err,
                        svBit *irq, svBitVecVal *stall, svBit *read_valid, svBitVecVal *read_addr,
                        svBit *write_valid, svBitVecVal *write_addr, svBitVecVal *wdata,
                        svBitVecVal *wstrb, svBit *quiet)
{
    Vfp8mac_sys_accel &model = running->model();
    model.rst_ni = rst_n;
    model.sleeping_i = sleeping;
    model.valid_i = valid;
    take(model.req_i, req);
    model.stall_write_i = stall_write;
    take(model.stall_permille_i, stall_permille);
    take(model.ram_rdata_i, ram_rdata);
    running->cycle();
    *done = model.done_o;
    *rdata = model.rdata_o;
    *err = model.err_o;
    *irq = model.irq_o;
    give(model.stall_permille_o, stall);
    *read_valid = model.ram_read_valid_o;
    give(model.ram_read_addr_o, read_addr);
    *write_valid = model.ram_write_valid_o;
    give(model.ram_write_addr_o, write_addr);
    give(model.ram_wdata_o, wdata);
    give(model.ram_wstrb_o, wstrb);
    *quiet = model.quiet_o;
}
