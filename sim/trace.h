// SPDX-License-Identifier: Apache-2.0
// The waveform of a window of cycles. Only a simulator that `make waves` builds can write one,
// because its model takes twice as long to compile.
#ifndef FP8MAC_SIM_TRACE_H
#define FP8MAC_SIM_TRACE_H

#include <cstdint>
#include <memory>
#include <string>

#include "Vfp8mac_system.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

class Trace
{
  public:
    // An empty file name traces nothing. Throws std::runtime_error if a waveform is asked for but
    // cannot be written.
    Trace(VerilatedContext &context, Vfp8mac_system &chip, const std::string &file, uint64_t from,
          uint64_t to);

    // The chip's state at the context's time, which is two units a cycle.
    void dump()
    {
        if (active_ && context_.time() / 2 >= from_ && context_.time() / 2 <= to_) {
            write();
        }
    }
    void close();

  private:
    void write();

    VerilatedContext &context_;
    bool active_;
    uint64_t from_, to_; // cycles
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> fst_;
#endif
};

#endif
