// SPDX-License-Identifier: Apache-2.0
#include "ram.h"

#include <cstring>
#include <stdexcept>

namespace
{

void store_word(const Ram &ram, uint32_t address, uint32_t word)
{
    uint8_t *p = ram.at(address, 4);
    for (int i = 0; i < 4; i++) {
        p[i] = static_cast<uint8_t>(word >> 8 * i);
    }
}

} // namespace

void place_arguments(const Ram &ram, const std::vector<std::string> &arguments)
{
    size_t total = 4 + 4 * arguments.size();
    for (const std::string &argument : arguments) {
        total += argument.size() + 1;
    }
    if (total > Ram::argument_bytes) {
        throw std::runtime_error("the program's arguments take " + std::to_string(total) +
                                 " bytes, more than the " + std::to_string(Ram::argument_bytes) +
                                 " there are for them");
    }
    uint32_t bank = ram.argument_address();
    uint32_t text = bank + 4 + 4 * static_cast<uint32_t>(arguments.size());
    store_word(ram, bank, static_cast<uint32_t>(arguments.size()));
    for (const std::string &argument : arguments) {
        const uint32_t length = static_cast<uint32_t>(argument.size()) + 1;
        store_word(ram, bank += 4, text);
        std::memcpy(ram.at(text, length), argument.c_str(), length);
        text += length;
    }
}
