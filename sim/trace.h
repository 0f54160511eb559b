// SPDX-License-Identifier: Apache-2.0
// The waveform of a window of cycles. Only a simulator built with TRACE=1 can write one: a model that could costs speed
// even while it does not.
#ifndef FP8MAC_SIM_TRACE_H
#define FP8MAC_SIM_TRACE_H

#include <cstdint>
#include <memory>
#include <string>

#include "Vfp8mac_system.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

class Trace {
public:
    // An empty file name traces nothing. Throws std::runtime_error if tracing is asked for and not possible.
    Trace(VerilatedContext &context, Vfp8mac_system &chip, const std::string &file, uint64_t from, uint64_t to);

    // The chip's state after the rising (phase 0) or falling (phase 1) edge of `cycle`.
    void dump(uint64_t cycle, unsigned phase) {
        if (active_ && cycle >= from_ && cycle <= to_) write(2 * cycle + phase);
    }
    void close();

private:
    void write(uint64_t time);

    bool active_;
    uint64_t from_, to_;
#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> fst_;
#endif
};

#endif
