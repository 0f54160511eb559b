// SPDX-License-Identifier: Apache-2.0
#include "disassemble.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace
{

// The operands of an instruction, in the names of the RISC-V specification's formats
enum class Form { none, r, i, shift, load, store, branch, upper, jump, fence, csr, csr_immediate };

struct Row {
    uint32_t mask, match;
    const char *name;
    Form form;
};

constexpr uint32_t opcode = 0x7f, funct3 = 0x707f, funct7 = 0xfe00707f, all = 0xffffffff;

constexpr Row rows[] = {
    {opcode, 0x37, "lui", Form::upper},
    {opcode, 0x17, "auipc", Form::upper},
    {opcode, 0x6f, "jal", Form::jump},
    {funct3, 0x0067, "jalr", Form::load},
    {funct3, 0x0063, "beq", Form::branch},
    {funct3, 0x1063, "bne", Form::branch},
    {funct3, 0x4063, "blt", Form::branch},
    {funct3, 0x5063, "bge", Form::branch},
    {funct3, 0x6063, "bltu", Form::branch},
    {funct3, 0x7063, "bgeu", Form::branch},
    {funct3, 0x0003, "lb", Form::load},
    {funct3, 0x1003, "lh", Form::load},
    {funct3, 0x2003, "lw", Form::load},
    {funct3, 0x4003, "lbu", Form::load},
    {funct3, 0x5003, "lhu", Form::load},
    {funct3, 0x0023, "sb", Form::store},
    {funct3, 0x1023, "sh", Form::store},
    {funct3, 0x2023, "sw", Form::store},
    {funct3, 0x0013, "addi", Form::i},
    {funct3, 0x2013, "slti", Form::i},
    {funct3, 0x3013, "sltiu", Form::i},
    {funct3, 0x4013, "xori", Form::i},
    {funct3, 0x6013, "ori", Form::i},
    {funct3, 0x7013, "andi", Form::i},
    {funct7, 0x00001013, "slli", Form::shift},
    {funct7, 0x00005013, "srli", Form::shift},
    {funct7, 0x40005013, "srai", Form::shift},
    {funct7, 0x00000033, "add", Form::r},
    {funct7, 0x40000033, "sub", Form::r},
    {funct7, 0x00001033, "sll", Form::r},
    {funct7, 0x00002033, "slt", Form::r},
    {funct7, 0x00003033, "sltu", Form::r},
    {funct7, 0x00004033, "xor", Form::r},
    {funct7, 0x00005033, "srl", Form::r},
    {funct7, 0x40005033, "sra", Form::r},
    {funct7, 0x00006033, "or", Form::r},
    {funct7, 0x00007033, "and", Form::r},
    {funct7, 0x02000033, "mul", Form::r},
    {funct7, 0x02001033, "mulh", Form::r},
    {funct7, 0x02002033, "mulhsu", Form::r},
    {funct7, 0x02003033, "mulhu", Form::r},
    {funct7, 0x02004033, "div", Form::r},
    {funct7, 0x02005033, "divu", Form::r},
    {funct7, 0x02006033, "rem", Form::r},
    {funct7, 0x02007033, "remu", Form::r},
    {0xf00fffff, 0x0000000f, "fence", Form::fence},
    {all, 0x0000100f, "fence.i", Form::none},
    {all, 0x00000073, "ecall", Form::none},
    {all, 0x00100073, "ebreak", Form::none},
    {all, 0x30200073, "mret", Form::none},
    {all, 0x10500073, "wfi", Form::none},
    {funct3, 0x1073, "csrrw", Form::csr},
    {funct3, 0x2073, "csrrs", Form::csr},
    {funct3, 0x3073, "csrrc", Form::csr},
    {funct3, 0x5073, "csrrwi", Form::csr_immediate},
    {funct3, 0x6073, "csrrsi", Form::csr_immediate},
    {funct3, 0x7073, "csrrci", Form::csr_immediate},
};

struct Csr {
    uint32_t number;
    const char *name;
};

constexpr Csr csrs[] = {
    {0x300, "mstatus"},       {0x301, "misa"},      {0x304, "mie"},     {0x305, "mtvec"},
    {0x320, "mcountinhibit"}, {0x340, "mscratch"},  {0x341, "mepc"},    {0x342, "mcause"},
    {0x343, "mtval"},         {0x344, "mip"},       {0xb00, "mcycle"},  {0xb02, "minstret"},
    {0xb80, "mcycleh"},       {0xb82, "minstreth"}, {0xc00, "cycle"},   {0xc02, "instret"},
    {0xc80, "cycleh"},        {0xc82, "instreth"},  {0xf14, "mhartid"},
};

__attribute__((format(printf, 1, 2))) std::string text(const char *format, ...)
{
    char line[64];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return line;
}

// Bits `high` to `low` of `code`
constexpr uint32_t bits(uint32_t code, unsigned high, unsigned low)
{
    return code >> low & ((1u << (high - low + 1)) - 1);
}

// `value` of `width` bits with the highest as its sign
constexpr int32_t extended(uint32_t value, unsigned width)
{
    return static_cast<int32_t>(value << (32 - width)) >> (32 - width);
}

int32_t branch_offset(uint32_t code)
{
    return extended(bits(code, 31, 31) << 12 | bits(code, 7, 7) << 11 | bits(code, 30, 25) << 5 |
                        bits(code, 11, 8) << 1,
                    13);
}

int32_t jump_offset(uint32_t code)
{
    return extended(bits(code, 31, 31) << 20 | bits(code, 19, 12) << 12 | bits(code, 20, 20) << 11 |
                        bits(code, 30, 21) << 1,
                    21);
}

// The sets of accesses that a fence orders
std::string fence_set(uint32_t set)
{
    std::string letters;
    for (unsigned i = 0; i < 4; i++) {
        if (set >> (3 - i) & 1) {
            letters.push_back("iorw"[i]);
        }
    }
    return letters.empty() ? "unknown" : letters;
}

std::string csr_name(uint32_t number)
{
    for (const Csr &csr : csrs) {
        if (csr.number == number) {
            return csr.name;
        }
    }
    return text("0x%" PRIx32, number);
}

std::string operands(Form form, uint32_t code, uint32_t pc)
{
    const char *rd = register_name(bits(code, 11, 7)), *rs1 = register_name(bits(code, 19, 15)),
               *rs2 = register_name(bits(code, 24, 20));
    const int32_t immediate = extended(bits(code, 31, 20), 12);
    switch (form) {
    case Form::r: return text(" %s,%s,%s", rd, rs1, rs2);
    case Form::i: return text(" %s,%s,%" PRId32, rd, rs1, immediate);
    case Form::shift: return text(" %s,%s,0x%" PRIx32, rd, rs1, bits(code, 24, 20));
    case Form::load: return text(" %s,%" PRId32 "(%s)", rd, immediate, rs1);
    case Form::store:
        return text(" %s,%" PRId32 "(%s)", rs2,
                    extended(bits(code, 31, 25) << 5 | bits(code, 11, 7), 12), rs1);
    case Form::branch:
        return text(" %s,%s,%" PRIx32, rs1, rs2, pc + static_cast<uint32_t>(branch_offset(code)));
    case Form::upper: return text(" %s,0x%" PRIx32, rd, bits(code, 31, 12));
    case Form::jump: return text(" %s,%" PRIx32, rd, pc + static_cast<uint32_t>(jump_offset(code)));
    case Form::fence:
        return " " + fence_set(bits(code, 27, 24)) + "," + fence_set(bits(code, 23, 20));
    case Form::csr: return text(" %s,%s,%s", rd, csr_name(bits(code, 31, 20)).c_str(), rs1);
    case Form::csr_immediate:
        return text(" %s,%s,%" PRIu32, rd, csr_name(bits(code, 31, 20)).c_str(),
                    bits(code, 19, 15));
    case Form::none: break;
    }
    return "";
}

} // namespace

const char *register_name(unsigned number)
{
    static constexpr const char *names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                              "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                              "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                              "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    return names[number];
}

std::string disassemble(uint32_t code, uint32_t pc)
{
    for (const Row &row : rows) {
        if ((code & row.mask) == row.match) {
            return row.name + operands(row.form, code, pc);
        }
    }
    return text(".word 0x%08" PRIx32, code);
}
