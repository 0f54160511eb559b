// SPDX-License-Identifier: Apache-2.0
// The simulator's command line.
#ifndef FP8MAC_SIM_OPTIONS_H
#define FP8MAC_SIM_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

struct Options {
    std::vector<std::string> program; // the ELF file, then its arguments
    std::string trace_file;           // empty: no waveform
    uint64_t trace_from = 0;          // first and last cycle of waveform and instructions, included
    uint64_t trace_to = UINT64_MAX;
    std::string instructions_file; // empty: no instructions
    std::string instructions_in;   // a function; empty: all
    int gdb = -1;                  // a port of the local host; 0: a free one; -1: no debugger
    uint64_t silence = 20'000'000; // cycles without console output; 0: any number
    uint64_t timeout = 0;          // cycles; 0: none
    double heartbeat = 10;         // seconds; 0: none
    unsigned stall_permille = 0;   // 0..900
    uint64_t seed = 1;
    int power_up = 0;          // 0: everything starts at zero
    unsigned latency = 0;      // 0..255 cycles
    std::string dump_file;     // empty: outputs are not kept
    std::string memory_file;   // empty: the memory is not kept
    std::string timeline_file; // empty: no timeline
    std::string bus_file;      // empty: no trace of the bus
    bool evaluate_all = false; // in every cycle
    bool usage = false;
    bool quiet = false;
    bool help = false;
};

// Throws std::runtime_error with one sentence if an option is unknown or its value is not possible.
Options parse_options(int argc, const char *const *argv);
extern const char *const usage_text;

#endif
