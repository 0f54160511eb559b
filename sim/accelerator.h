// SPDX-License-Identifier: Apache-2.0
// The accelerator of the simulated chip, if it is a model of its own (sim/partitioned).
#ifndef FP8MAC_SIM_ACCELERATOR_H
#define FP8MAC_SIM_ACCELERATOR_H

#include <functional>
#include <memory>

#include "ram.h"
#include "verilated.h"

class Accelerator
{
  public:
    virtual ~Accelerator() = default;
    // Simulates a cycle in which only the accelerator can change, without the chip. False if the
    // chip must be evaluated in this cycle, too. Called before each cycle, those in reset included.
    virtual bool cycle_alone(bool core_sleeps) = 0;
    // Behind the last cycle: counters have their last values, and the model reports its sums.
    virtual void end() = 0;
};

// How the accelerator is simulated, for messages: "RTL", "timing model"
extern const char *const simulator_mode;

// nullptr if the accelerator is in the model of the chip. `settle` evaluates the chip without an
// edge of its clock. `everything`: evaluate all in every cycle. A process has one accelerator at a
// time.
std::unique_ptr<Accelerator> make_accelerator(VerilatedContext &context, const Ram &ram,
                                              std::function<void()> settle, bool everything);

#endif
