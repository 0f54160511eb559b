// SPDX-License-Identifier: Apache-2.0
// The accelerator of the simulated chip, if it is a model of its own (sim/apart).
#ifndef FP8MAC_SIM_ACCELERATOR_H
#define FP8MAC_SIM_ACCELERATOR_H

#include <cstdint>
#include <memory>

#include "verilated.h"

class Accelerator
{
  public:
    virtual ~Accelerator() = default;
    // Called before each cycle of the chip, cycles in reset included.
    virtual void begin_cycle() = 0;
    // Brings counters to the values that they have before the cycle that runs.
    virtual void catch_up() = 0;
    // Behind the last cycle: counters have their last values, and the model reports its sums.
    virtual void end() = 0;
};

// How the accelerator is simulated, for messages: "RTL", "fast mode"
extern const char *const simulator_mode;

// nullptr if the accelerator is in the model of the chip. A process has one accelerator at a time.
std::unique_ptr<Accelerator> make_accelerator(VerilatedContext &context);

#endif
