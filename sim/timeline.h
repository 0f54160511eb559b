// SPDX-License-Identifier: Apache-2.0
// The timeline of the chip's work. model/cli/trace_events.h writes it; here commands of lists get
// the names of their layers.
#ifndef FP8MAC_SIM_TIMELINE_H
#define FP8MAC_SIM_TIMELINE_H

#include <cstdint>
#include <string>

#include "list_names.h"
#include "trace_events.h"

class Timeline
{
  public:
    // An empty file name records nothing. Throws std::runtime_error if the file cannot be written.
    explicit Timeline(const std::string &file);
    bool wanted() const
    {
        return events_ != nullptr;
    }

    // As in trace_events.h, by the tags of the commands
    void begin(unsigned track, uint32_t tag, uint64_t cycle);
    void end(unsigned track, uint64_t cycle);
    void retire(uint32_t tag, uint64_t cycle);
    // A list of commands begins at this address: the commands with the tags 1 to names.size() have
    // these names, until another address is told. An address between the last one's and the end of
    // its list changes nothing.
    void list(uint32_t address, const ListNames &names);
    void rates(uint32_t steps, uint32_t reads, uint32_t writes, uint64_t cycle);
    // What the model of cycles tells of the command with this tag
    void tell(const fp8mac_cycles_event &event, uint32_t tag, uint64_t cycle);
    // False if some of the file could not be written.
    bool close(uint64_t cycle);

  private:
    std::string name_of(uint32_t tag) const;

    trace_events *events_ = nullptr;
    ListNames names_;
};

#endif
