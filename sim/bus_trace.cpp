// SPDX-License-Identifier: Apache-2.0
#include "bus_trace.h"

#include <cinttypes>
#include <stdexcept>

namespace
{

enum Channel : unsigned { ar, r, aw, w, b };
constexpr const char *names[] = {"ar", "r", "aw", "w", "b"};

} // namespace

BusTrace::BusTrace(const std::string &file) : file_(nullptr, std::fclose)
{
    if (file.empty()) {
        return;
    }
    file_.reset(std::fopen(file.c_str(), "w"));
    if (!file_) {
        throw std::runtime_error("the trace of the bus '" + file + "' cannot be written");
    }
    std::fputs("cycle,channel,address,bytes\n", file_.get());
}

void BusTrace::line(unsigned channel, uint32_t address, uint32_t bytes, uint64_t cycle)
{
    std::fprintf(file_.get(), "%" PRIu64 ",%s,0x%08" PRIx32 ",%" PRIu32 "\n", cycle, names[channel],
                 address, bytes);
}

void BusTrace::written(uint32_t address, uint32_t beat, uint32_t strobes, uint64_t cycle)
{
    const auto is_written = [strobes](uint32_t i) { return (strobes >> i & 1u) != 0; };
    if (strobes == 0) {
        line(w, address, 0, cycle);
    }
    for (uint32_t i = 0; i < beat; i++) {
        const uint32_t first = i;
        while (i < beat && is_written(i)) {
            i++;
        }
        if (i != first) {
            line(w, address + first, i - first, cycle);
        }
    }
}

void BusTrace::transfer(unsigned channel, uint32_t address, uint32_t bytes, uint32_t beat,
                        uint32_t strobes, uint64_t cycle)
{
    if (channel == ar || channel == aw) {
        line(channel, address, bytes, cycle);
        (channel == ar ? reads_ : writes_).push_back({address, bytes, 0});
    } else if (channel == b) {
        line(channel, answers_.front().address, answers_.front().bytes, cycle);
        answers_.pop_front();
    } else {
        std::deque<Burst> &bursts = channel == r ? reads_ : writes_;
        Burst &burst = bursts.front();
        if (channel == w) {
            written(burst.address + burst.moved, beat, strobes, cycle);
        } else {
            line(channel, burst.address + burst.moved, bytes, cycle);
        }
        burst.moved += beat;
        if (burst.moved == burst.bytes) {
            if (channel == w) {
                answers_.push_back(burst);
            }
            bursts.pop_front();
        }
    }
}

bool BusTrace::close()
{
    if (!file_) {
        return true;
    }
    const bool failed = std::ferror(file_.get()) != 0;
    return std::fclose(file_.release()) == 0 && !failed;
}
