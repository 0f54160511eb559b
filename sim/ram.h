// SPDX-License-Identifier: Apache-2.0
// The simulator's view of the simulated chip's RAM, and the arguments that it writes there for the
// program.
#ifndef FP8MAC_SIM_RAM_H
#define FP8MAC_SIM_RAM_H

#include <cstdint>
#include <string>
#include <vector>

// A view of the RAM inside the simulated model. It does not own the RAM.
struct Ram {
    static constexpr uint32_t base = 0x80000000u;    // fp8mac_sys_pkg: RamBase
    static constexpr uint32_t argument_bytes = 4096; // at the top; no program is loaded there

    uint8_t *bytes;
    uint32_t size;

    // The host's view of [address, address + length), or nullptr if any of it is outside.
    uint8_t *at(uint64_t address, uint64_t length) const
    {
        const bool inside = address >= base && length <= size && address - base <= size - length;
        return inside ? bytes + (address - base) : nullptr;
    }
    uint32_t argument_address() const
    {
        return base + size - argument_bytes;
    }
};

// Writes argc, argv[0..argc-1] (32-bit addresses) and the strings to ram.argument_address().
// Throws std::runtime_error if they do not fit.
void place_arguments(const Ram &ram, const std::vector<std::string> &arguments);

#endif
