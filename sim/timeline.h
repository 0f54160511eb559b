// SPDX-License-Identifier: Apache-2.0
// A timeline of the chip's work as trace-event JSON, which ui.perfetto.dev and chrome://tracing
// show. One microsecond of the timeline is one cycle.
#ifndef FP8MAC_SIM_TIMELINE_H
#define FP8MAC_SIM_TIMELINE_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>

#include "list_names.h"

class Timeline
{
  public:
    // An empty file name records nothing. Throws std::runtime_error if the file cannot be written.
    explicit Timeline(const std::string &file);
    bool wanted() const
    {
        return file_ != nullptr;
    }

    // Spans of a track end in the order in which they begin. `track` is a number of
    // rtl/system/fp8mac_sys_timeline.sv.
    void begin(unsigned track, uint32_t tag, uint64_t cycle);
    void end(unsigned track, uint64_t cycle);
    // Ends the span of a command. Commands before it that are still open have been dropped.
    void retire(uint32_t tag, uint64_t cycle);
    // A list of commands begins at this address: the commands with the tags 1 to names.size() have
    // these names, until another address is told. An address between the last one's and the end of
    // its list changes nothing.
    void list(uint32_t address, const ListNames &names);
    // Cycles with a step and beats of the bus since the last call.
    void rates(uint32_t steps, uint32_t reads, uint32_t writes, uint64_t cycle);
    // Ends all spans and the file. False if some of it could not be written.
    bool close(uint64_t cycle);

  private:
    struct Span {
        std::string name;
        uint32_t tag;
        uint64_t begin;
    };
    static constexpr unsigned tracks = 4;

    void span(unsigned track, const Span &open, uint64_t cycle, const char *outcome);
    std::string name_of(uint32_t tag) const;
    void event(const char *format, ...) __attribute__((format(printf, 2, 3)));

    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
    std::array<std::deque<Span>, tracks> open_;
    std::array<uint64_t, tracks> free_{}; // first cycle after the track's last span
    ListNames names_;
    uint64_t last_rates_ = 0;
    bool first_ = true;
};

#endif
