// SPDX-License-Identifier: Apache-2.0
// What the core does, instruction by instruction. It reads the signals of Ibex that
// sim/fp8mac_sim.vlt makes readable, and nothing of the chip depends on it.
#ifndef FP8MAC_SIM_CORE_WATCH_H
#define FP8MAC_SIM_CORE_WATCH_H

#include <array>
#include <cstdint>

#include "Vfp8mac_system.h"

// What an instruction does to memory. A load or store that is not aligned is one access.
struct Access {
    enum class Kind { none, load, store };
    Kind kind = Kind::none;
    uint32_t address = 0;
    unsigned bytes = 0; // 1, 2 or 4
    uint32_t data = 0;  // the bytes; those above are 0
};

// An instruction that has retired: it has taken no exception, and its result is written.
struct Instruction {
    uint64_t cycle = 0;   // in which it wrote its result
    uint32_t pc = 0;      // its address
    uint32_t code = 0;    // a compressed instruction as the one of 32 bits that it stands for
    uint32_t encoded = 0; // as in memory
    unsigned bytes = 0;   // 2 or 4
    unsigned rd = 0;      // the register that it wrote; 0: none
    uint32_t value = 0;   // of that register
    Access access;
};

// An exception or an interrupt that the core takes.
struct Trap {
    uint64_t cycle = 0;
    bool interrupt = false;
    unsigned cause = 0; // of mcause, without its highest bit
    uint32_t pc = 0;    // the instruction that failed, or the one that the interrupt returns to
    uint32_t value = 0; // mtval
};

class CoreWatch
{
  public:
    // What happened in one cycle. The instruction that retired is older than the trap.
    struct Events {
        bool retired = false;
        bool trapped = false;
        // The next instruction, at pc(), has done nothing yet; all before it are complete.
        bool boundary = false;
    };

    explicit CoreWatch(const Vfp8mac_system &chip) : chip_(chip) {}

    // Looks at the chip in `cycle`, after its falling edge. Called once in each cycle after reset.
    Events look(uint64_t cycle);

    // The last instruction and trap that look() reported
    const Instruction &instruction() const
    {
        return done_;
    }
    const Trap &trap() const
    {
        return trap_;
    }
    // x0..x31, with the results of all instructions that have retired
    const std::array<uint32_t, 32> &registers() const
    {
        return registers_;
    }
    // The instruction that executes, or the last one that did
    uint32_t pc() const;

  private:
    void execute();
    void retire(uint64_t cycle);

    const Vfp8mac_system &chip_;
    std::array<uint32_t, 32> registers_{};
    Access access_;             // of the instruction that executes
    bool fresh_ = true;         // it has not reached its boundary
    Instruction behind_, done_; // the one that writes back, and the last one that retired
    Trap trap_;
};

#endif
