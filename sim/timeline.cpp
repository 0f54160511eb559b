// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <stdexcept>

namespace
{

constexpr unsigned core = 0, command = 3;
constexpr const char *names[] = {"core", "load", "compute", "command"};

} // namespace

Timeline::Timeline(const std::string &file) : file_(nullptr, std::fclose)
{
    if (file.empty()) {
        return;
    }
    file_.reset(std::fopen(file.c_str(), "w"));
    if (!file_) {
        throw std::runtime_error("the timeline '" + file + "' cannot be written");
    }
    std::fputs("{\"traceEvents\":[", file_.get());
    event(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"fp8mac"}})");
    for (unsigned track = 0; track < tracks; track++) {
        if (track != command) {
            event(R"({"ph":"M","pid":1,"tid":%u,"name":"thread_name","args":{"name":"%s"}})", track,
                  names[track]);
        }
    }
}

void Timeline::event(const char *format, ...)
{
    std::fputs(first_ ? "\n" : ",\n", file_.get());
    first_ = false;
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(file_.get(), format, arguments);
    va_end(arguments);
}

void Timeline::begin(unsigned track, uint32_t tag, uint64_t cycle)
{
    open_.at(track).push_back({name_of(tag), tag, cycle});
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

// A name as JSON has it
static std::string quoted(const std::string &name)
{
    std::string text;
    for (const char c : name) {
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return text;
}

// Commands overlap, so each has a line of its own. On the other tracks a span begins when the one
// before it has ended.
void Timeline::span(unsigned track, const Span &open, uint64_t cycle, const char *outcome)
{
    if (track == command) {
        const char *format = R"({"ph":"%c","pid":1,"cat":"command","id":%)" PRIu64
                             R"(,"name":"command %s%s","ts":%)" PRIu64 "}";
        const std::string name = quoted(open.name);
        event(format, 'b', open.begin, name.c_str(), outcome, open.begin);
        event(format, 'e', open.begin, name.c_str(), outcome, cycle);
        return;
    }
    const uint64_t begin = std::max(open.begin, free_[track]);
    const std::string name =
        track == core ? "active" : std::string(names[track]) + " " + quoted(open.name);
    event(R"({"ph":"X","pid":1,"tid":%u,"name":"%s","ts":%)" PRIu64 R"(,"dur":%)" PRIu64 "}", track,
          name.c_str(), begin, std::max(cycle, begin) - begin);
    free_[track] = std::max(cycle, begin);
}

void Timeline::end(unsigned track, uint64_t cycle)
{
    std::deque<Span> &open = open_.at(track);
    if (!open.empty()) {
        span(track, open.front(), cycle, "");
        open.pop_front();
    }
}

void Timeline::retire(uint32_t tag, uint64_t cycle)
{
    std::deque<Span> &open = open_[command];
    while (!open.empty()) {
        const Span oldest = open.front();
        open.pop_front();
        span(command, oldest, cycle, oldest.tag == tag ? "" : ", dropped");
        if (oldest.tag == tag) {
            return;
        }
    }
}

void Timeline::rates(uint32_t steps, uint32_t reads, uint32_t writes, uint64_t cycle)
{
    const double window = static_cast<double>(cycle - last_rates_);
    event(R"({"ph":"C","pid":1,"name":"steps per cycle","ts":%)" PRIu64
          R"(,"args":{"steps":%.3f}})",
          last_rates_, steps / window);
    event(R"({"ph":"C","pid":1,"name":"bus beats per cycle","ts":%)" PRIu64
          R"(,"args":{"read":%.3f,"write":%.3f}})",
          last_rates_, reads / window, writes / window);
    last_rates_ = cycle;
}

bool Timeline::close(uint64_t cycle)
{
    if (!file_) {
        return true;
    }
    for (unsigned track = 0; track < tracks; track++) {
        for (const Span &open : open_[track]) {
            span(track, open, cycle, ", unfinished");
        }
        open_[track].clear();
    }
    std::fputs("\n],\"displayTimeUnit\":\"ns\"}\n", file_.get());
    const bool failed = std::ferror(file_.get()) != 0;
    return std::fclose(file_.release()) == 0 && !failed;
}
