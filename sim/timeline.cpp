// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include <stdexcept>

Timeline::Timeline(const std::string &file)
{
    if (file.empty()) {
        return;
    }
    events_ = trace_events_open(file.c_str(), 0);
    if (events_ == nullptr) {
        throw std::runtime_error("the timeline '" + file + "' cannot be written");
    }
}

void Timeline::list(uint32_t address, const ListNames &names)
{
    if (!names.names.empty() || address < names_.begin || address >= names_.end) {
        names_ = names;
    }
}

// Commands of a list have names, others their tags.
std::string Timeline::name_of(uint32_t tag) const
{
    const bool listed = tag >= 1 && tag <= names_.names.size();
    return listed ? names_.names[tag - 1] : std::to_string(tag);
}

void Timeline::begin(unsigned track, uint32_t tag, uint64_t cycle)
{
    trace_events_begin(events_, static_cast<trace_track>(track), name_of(tag).c_str(), tag, cycle);
}

void Timeline::end(unsigned track, uint64_t cycle)
{
    trace_events_end(events_, static_cast<trace_track>(track), cycle);
}

void Timeline::retire(uint32_t tag, uint64_t cycle)
{
    trace_events_retire(events_, tag, cycle);
}

void Timeline::rates(uint32_t steps, uint32_t reads, uint32_t writes, uint64_t cycle)
{
    trace_events_rates(events_, steps, reads, writes, cycle);
}

void Timeline::tell(const fp8mac_cycles_event &event, uint32_t tag, uint64_t cycle)
{
    trace_events_tell(events_, &event, name_of(tag).c_str(), tag, cycle);
}

bool Timeline::close(uint64_t cycle)
{
    trace_events *events = events_;
    events_ = nullptr;
    return events == nullptr || trace_events_close(events, cycle);
}
