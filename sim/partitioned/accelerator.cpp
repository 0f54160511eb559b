// SPDX-License-Identifier: Apache-2.0
// The accelerator as a model of its own. It is evaluated only in cycles in which something may
// change in it: sim/partitioned/fp8mac_sys_accel.sv, its place in the chip, calls
// fp8sim_accel_cycle() from the chip's rising edge, with the inputs before that edge, for the
// outputs behind it. While the core sleeps, the chip is not evaluated either, and this file
// does the work of the RAM. Counters catch up before anything can read them. FP8SIM_MODEL has
// the class PartitionedModel: the RTL (sim/partitioned/model.h), or its registers with the model of
// cycles (sim/timed/model.h).
#include "accelerator.h"

#include <svdpi.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "Vfp8mac_system__Dpi.h"
#include FP8SIM_MODEL

namespace
{

// The core's registers change in the first cycle of its sleep; others make sure.
constexpr unsigned settled_sleep = 4;

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

template <typename Port>
const svBitVecVal *vector(const Port &port)
{
    static_assert(sizeof port % sizeof(svBitVecVal) == 0, "a port of whole words");
    return reinterpret_cast<const svBitVecVal *>(&port);
}

class PartitionedAccelerator final : public Accelerator
{
  public:
    PartitionedAccelerator(VerilatedContext &context, const Ram &ram, std::function<void()> settle,
                           bool everything)
        : model_(&context, "accelerator", ram), ram_(ram), settle_(std::move(settle)),
          everything_(everything), chip_scope_(svGetScopeFromName("TOP.fp8mac_system.u_accel"))
    {
    }

    PartitionedModel &model()
    {
        return model_;
    }

    bool quiet() const
    {
        return model_.quiet_o && !everything_;
    }

    // Simulates the cycle that the inputs belong to.
    void cycle()
    {
        catch_up();
        model_.cycle();
        next_++;
    }

    bool cycle_alone(bool core_sleeps) override
    {
        now_++;
        if (paused_ && (paused_cycles_ == paused_most_ || model_.irq_o != paused_irq_)) {
            resume();
        }
        sleep_ = core_sleeps ? sleep_ + 1 : 0;
        if (!paused_ && sleep_ > settled_sleep && !everything_) {
            pause();
        }
        if (paused_) {
            paused_cycles_++;
            ram_cycle();
        }
        return paused_;
    }

    void end() override
    {
        now_++;
        catch_up();
        model_.final();
    }

  private:
    using Beat = decltype(PartitionedModel::ram_rdata_i);
    using Wide = std::remove_reference_t<Beat>;

    // Does what the cycles that were left out would have done.
    void catch_up()
    {
        model_.catch_up(now_ - next_);
        next_ = now_;
    }

    void pause()
    {
        svSetScope(chip_scope_);
        unsigned long long cycles;
        svBitVecVal rdata[sizeof(Wide) / sizeof(svBitVecVal)];
        fp8sim_chip_pause(&cycles, rdata);
        take(ram_rdata_, rdata);
        paused_most_ = cycles;
        paused_cycles_ = 0;
        paused_irq_ = model_.irq_o;
        paused_ = cycles != 0;
    }

    void resume()
    {
        paused_ = false;
        sleep_ = 0;
        svSetScope(chip_scope_);
        const svBitVecVal read_addr = model_.ram_read_addr_o, write_addr = model_.ram_write_addr_o;
        svBitVecVal strobes = 0;
        give(model_.ram_wstrb_o, &strobes);
        fp8sim_chip_resume(paused_cycles_, model_.irq_o, model_.ram_read_valid_o, &read_addr,
                           vector(ram_rdata_), model_.ram_write_valid_o, &write_addr,
                           vector(model_.ram_wdata_o), &strobes, model_.quiet_o);
        settle_();
    }

    // A cycle of the accelerator and of the RAM's port for it (rtl/system/fp8mac_sys_ram.sv). What
    // is read in this cycle is an input in the next one.
    void ram_cycle()
    {
        Wide rdata = ram_rdata_;
        const size_t mask = ram_.size - sizeof(Wide);
        if (model_.ram_read_valid_o) {
            std::memcpy(&rdata, ram_.bytes + (model_.ram_read_addr_o & mask), sizeof rdata);
        }
        if (model_.ram_write_valid_o) {
            write_beat(ram_.bytes + (model_.ram_write_addr_o & mask));
        }
        if (!quiet()) {
            model_.ram_rdata_i = ram_rdata_;
            model_.valid_i = 0;
            model_.stall_write_i = 0;
            model_.sleeping_i = 1;
            cycle();
        }
        ram_rdata_ = rdata;
    }

    void write_beat(uint8_t *to) const
    {
        uint8_t beat[sizeof(Wide)];
        std::memcpy(beat, &model_.ram_wdata_o, sizeof beat);
        for (unsigned i = 0; i < sizeof beat; i++) {
            if ((model_.ram_wstrb_o >> i & 1) != 0) {
                to[i] = beat[i];
            }
        }
    }

    PartitionedModel model_;
    Ram ram_;
    std::function<void()> settle_;
    bool everything_;
    svScope chip_scope_;
    // The cycle that runs, and the first one that the model has not seen
    uint64_t now_ = 0, next_ = 1;
    uint64_t sleep_ = 0; // cycles for which the core has slept
    // The chip pauses: since how many cycles, for how many at most, and with which interrupt
    bool paused_ = false, paused_irq_ = false;
    uint64_t paused_cycles_ = 0, paused_most_ = 0;
    Wide ram_rdata_{}; // while it pauses, the output of the RAM
};

PartitionedAccelerator *running = nullptr; // as DPI calls carry no context

} // namespace

const char *const simulator_mode = FP8SIM_MODE;

std::unique_ptr<Accelerator> make_accelerator(VerilatedContext &context, const Ram &ram,
                                              std::function<void()> settle, bool everything)
{
    auto accelerator =
        std::make_unique<PartitionedAccelerator>(context, ram, std::move(settle), everything);
    running = accelerator.get();
    return accelerator;
}

// The function that sim/partitioned/fp8mac_sys_accel.sv imports.
void fp8sim_accel_cycle(svBit rst_n, svBit sleeping, svBit valid, const svBitVecVal *req,
                        svBit stall_write, const svBitVecVal *stall_permille,
                        const svBitVecVal *ram_rdata, svBit *done, unsigned *rdata, svBit *err,
                        svBit *irq, svBitVecVal *stall, svBit *read_valid, svBitVecVal *read_addr,
                        svBit *write_valid, svBitVecVal *write_addr, svBitVecVal *wdata,
                        svBitVecVal *wstrb, svBit *quiet)
{
    PartitionedModel &model = running->model();
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
    *quiet = running->quiet();
}
