// SPDX-License-Identifier: Apache-2.0
// Loads a 32-bit little-endian RISC-V executable into the simulated RAM. It is written by hand:
// with libelf (tried) it has as many lines, because libelf takes files whose tables are cut short,
// and of damaged ones gives pointers that are not aligned.
#ifndef FP8MAC_SIM_ELF_LOADER_H
#define FP8MAC_SIM_ELF_LOADER_H

#include <cstdint>
#include <map>
#include <string>

#include "ram.h"

struct Program {
    uint32_t entry = 0;
    std::map<uint32_t, std::string> functions; // by first address; empty if the file was stripped
    // __stack_bottom and __stack_top; 0: the program has no such symbols
    uint32_t stack_bottom = 0, stack_top = 0;

    // "main+0x14", or "-" if no function is at or before the address.
    std::string location(uint32_t address) const;
    // "0x80001234 (main+0x14)", or the address alone.
    std::string describe(uint32_t address) const;
};

// Copies every loadable segment to its physical address and clears the rest of the segment. Throws
// std::runtime_error if the file is not such an executable, or does not fit below
// ram.argument_address(). The message is one sentence that names the file.
Program load_elf(const std::string &path, const Ram &ram);

#endif
