// SPDX-License-Identifier: Apache-2.0
// The receiver of a serial line: 8 data bits, the lowest first, no parity, one stop bit.
// It shares nothing with the transmitter but the length of a bit, and looks at the line in
// the middle of each bit.
#pragma once
#include <cstdint>
#include <string>

class SerialLine
{
  public:
    explicit SerialLine(unsigned bit_cycles) : bit_cycles_(bit_cycles) {}

    // The line's level in the next clock cycle.
    void cycle(bool level)
    {
        if (!receiving_) {
            if (level) {
                idle_++;
                return;
            }
            receiving_ = true;
            idle_ = 0;
            cycle_ = 0;
            bits_ = 0;
        }
        const unsigned bit = cycle_ / bit_cycles_;
        if (cycle_ % bit_cycles_ == bit_cycles_ / 2) {
            bits_ |= static_cast<unsigned>(level) << bit;
            if (bit == 9) {
                end_frame();
            }
        }
        cycle_++;
    }

    const std::string &text() const
    {
        return text_;
    }
    uint64_t wrong_frames() const
    {
        return wrong_;
    } // start bit 1 or stop bit 0
    uint64_t idle_cycles() const
    {
        return idle_;
    } // since the last stop bit

  private:
    void end_frame()
    {
        wrong_ += (bits_ & 1u) != 0 || (bits_ >> 9 & 1u) == 0;
        text_ += static_cast<char>(bits_ >> 1);
        receiving_ = false;
    }

    unsigned bit_cycles_;
    bool receiving_ = false;
    unsigned cycle_ = 0, bits_ = 0; // bits_: start bit lowest
    uint64_t idle_ = 0, wrong_ = 0;
    std::string text_;
};
