// SPDX-License-Identifier: Apache-2.0
// Each line of the input is an address and an instruction in hexadecimal. The output is their text.
#include <cinttypes>
#include <cstdio>

#include "disassemble.h"

int main()
{
    uint32_t pc, code;
    while (std::scanf("%" SCNx32 " %" SCNx32, &pc, &code) == 2) {
        std::puts(disassemble(code, pc).c_str());
    }
}
