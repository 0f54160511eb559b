// SPDX-License-Identifier: Apache-2.0
// Every transfer between the accelerator and the RAM, as CSV: cycle, channel, address, bytes. The
// columns are those of `fp8mac cycles --bus`. A beat of written data has the address and the number
// of the bytes that its strobes name, and one line more for each gap between them.
#ifndef FP8MAC_SIM_BUS_TRACE_H
#define FP8MAC_SIM_BUS_TRACE_H

#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>

class BusTrace
{
  public:
    // An empty file name records nothing. Throws std::runtime_error if the file cannot be written.
    explicit BusTrace(const std::string &file);
    bool wanted() const
    {
        return file_ != nullptr;
    }

    // What rtl/system/fp8mac_sys_bus_trace.sv reports. The channels answer in order, and data is
    // written behind its address.
    void transfer(unsigned channel, uint32_t address, uint32_t bytes, uint32_t beat,
                  uint32_t strobes, uint64_t cycle);
    // A transfer of which all is known
    void line(unsigned channel, uint32_t address, uint32_t bytes, uint64_t cycle);
    // Ends the file. False if some of it could not be written.
    bool close();

  private:
    struct Burst {
        uint32_t address, bytes, moved;
    };

    // The bytes of a beat that are written
    void written(uint32_t address, uint32_t beat, uint32_t strobes, uint64_t cycle);

    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
    std::deque<Burst> reads_, writes_, answers_;
};

#endif
