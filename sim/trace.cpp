// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <cstdio>
#include <stdexcept>

#if VM_TRACE_FST

namespace
{

constexpr int all_levels = 99;

} // namespace

Trace::Trace(VerilatedContext &context, Vfp8mac_system &chip, const std::string &file,
             uint64_t from, uint64_t to)
    : context_(context), active_(!file.empty()), from_(from), to_(to)
{
    if (!active_) {
        return;
    }
    // The library does not report a file that it cannot open.
    std::FILE *probe = std::fopen(file.c_str(), "wb");
    if (probe == nullptr) {
        throw std::runtime_error("the waveform '" + file + "' cannot be written");
    }
    std::fclose(probe);
    context.traceEverOn(true);
    fst_ = std::make_unique<VerilatedFstC>();
    chip.trace(fst_.get(), all_levels);
    fst_->open(file.c_str());
}

void Trace::write()
{
    fst_->dump(context_.time());
}

void Trace::close()
{
    if (active_) {
        fst_->close();
    }
    active_ = false;
}

#else

Trace::Trace(VerilatedContext &context, Vfp8mac_system &, const std::string &file, uint64_t from,
             uint64_t to)
    : context_(context), active_(false), from_(from), to_(to)
{
    if (!file.empty()) {
        throw std::runtime_error(
            "this simulator cannot write waveforms: build one that can with `make waves`");
    }
}

void Trace::write() {}

void Trace::close() {}

#endif
