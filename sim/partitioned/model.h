// SPDX-License-Identifier: Apache-2.0
// The accelerator's own RTL, as sim/partitioned/accelerator.cpp evaluates it.
#ifndef FP8MAC_SIM_PARTITIONED_MODEL_H
#define FP8MAC_SIM_PARTITIONED_MODEL_H

#include <svdpi.h>

#include <algorithm>
#include <cstdint>

#include "Vfp8mac_sys_accel.h"
#include "Vfp8mac_sys_accel__Dpi.h"
#include "ram.h"

class PartitionedModel final : public Vfp8mac_sys_accel
{
  public:
    PartitionedModel(VerilatedContext *context, const char *name, const Ram &)
        : Vfp8mac_sys_accel(context, name),
          scope_(svGetScopeFromName("accelerator.fp8mac_sys_accel"))
    {
    }

    void cycle()
    {
        clk_i = 1;
        eval();
        clk_i = 0;
        eval();
    }

    // Does what so many quiet cycles would have done.
    void catch_up(uint64_t cycles)
    {
        svSetScope(scope_);
        while (cycles != 0) {
            const uint64_t part = std::min<uint64_t>(cycles, UINT32_MAX);
            fp8sim_accel_catch_up(static_cast<unsigned>(part));
            cycles -= part;
        }
    }

  private:
    svScope scope_;
};

#endif
