// SPDX-License-Identifier: Apache-2.0
// RISC-V instructions as text. It is written by hand: Debian 12's capstone does not know RISC-V.
#ifndef FP8MAC_SIM_DISASSEMBLE_H
#define FP8MAC_SIM_DISASSEMBLE_H

#include <cstdint>
#include <string>

// The instruction `code` of 32 bits at `pc`, of RV32IM with CSRs: as `objdump -d -M no-aliases`
// writes it, without the names of targets. What it does not know it gives as ".word 0x...".
std::string disassemble(uint32_t code, uint32_t pc);

// "a0" for 10; `number` is 0 to 31.
const char *register_name(unsigned number);

#endif
