// SPDX-License-Identifier: Apache-2.0
// The accelerator as the model of cycles (model/src/cycles/live.h) behind its own registers
// (fp8mac_sys_accel.sv), as sim/partitioned/accelerator.cpp evaluates it. It goes through each
// cycle while there is work. The registers are evaluated in cycles with an access or an event.
//
// Bytes are those of the model of the accelerator (fp8mac/accelerator_model.h). A command is
// computed whole when its last result leaves the array's side of the store engine, in the order of
// submission, and D goes to the RAM at once.
#ifndef FP8MAC_SIM_TIMED_MODEL_H
#define FP8MAC_SIM_TIMED_MODEL_H

#include <cstdint>
#include <memory>
#include <vector>

#include "Vfp8mac_sys_accel.h"
#include "cycles/live.h"
#include "fp8mac/accelerator_model.h"
#include "ram.h"

class PartitionedModel final : public Vfp8mac_sys_accel
{
  public:
    PartitionedModel(VerilatedContext *context, const char *name, const Ram &ram);
    ~PartitionedModel() override;

    void cycle();
    void catch_up(uint64_t cycles);
    void final();

    bool quiet_o = false; // as in rtl/system/fp8mac_sys_accel.sv

  private:
    void reset();
    void start();
    void watch();
    uint64_t cycle_of(uint64_t cycle) const;
    void on_transfer(const fp8mac_cycles_transfer &t) const;
    void on_event(const fp8mac_cycles_event &e) const;
    void look();
    void take_submissions();
    void submit(const fp8mac_command &command, fp8mac_cycles_submission how, uint32_t descriptor);
    uint32_t read_descriptor(uint32_t address, fp8mac_command &command) const;
    void follow_list(uint32_t address, fp8mac_cycles_submission how);
    void write_table(unsigned table, unsigned word, uint32_t codes);
    void announce_pause();
    void take_events();
    void run_bytes(size_t number);
    void clock_registers();
    void registers_said();
    void settle_after();
    void follow_core();
    [[noreturn]] void stop(const char *why) const;

    Ram ram_;
    std::unique_ptr<fp8mac_live, void (*)(fp8mac_live *)> live_;
    std::unique_ptr<fp8mac_accelerator> bytes_;
    std::vector<fp8mac_command> commands_; // by their numbers
    fp8mac_live_view view_{};
    fp8mac_live_events events_{};
    uint64_t first_cycle_ = 0; // of the simulation, in which the model begins
    bool slept_ = true;        // the core, in the cycle before; for the timeline
    unsigned awake_ = 0;       // cycles in which the registers are still evaluated
    unsigned idle_cycles_ = 0; // up to FP8MAC_LIVE_SETTLED
    bool announced_ = false;   // the pause
    uint64_t pause_cycles_ = 0;
};

#endif
