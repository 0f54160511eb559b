// SPDX-License-Identifier: Apache-2.0
#include "instructions.h"

#include <cinttypes>
#include <stdexcept>

#include "disassemble.h"

namespace
{

constexpr unsigned ra = 1, sp = 2;

// " a5=00000003", or nothing
std::string result(const Instruction &instruction)
{
    if (instruction.rd == 0) {
        return "";
    }
    char text[32];
    std::snprintf(text, sizeof text, " %s=%08" PRIx32, register_name(instruction.rd),
                  instruction.value);
    return text;
}

// " load[80004004]=00000003", or nothing. There are two digits for each byte.
std::string access(const Access &access)
{
    if (access.kind == Access::Kind::none) {
        return "";
    }
    char text[40];
    std::snprintf(text, sizeof text, " %s[%08" PRIx32 "]=%0*" PRIx32,
                  access.kind == Access::Kind::load ? "load" : "store", access.address,
                  static_cast<int>(2 * access.bytes), access.data);
    return text;
}

} // namespace

InstructionTrace::InstructionTrace(const std::string &file, uint64_t from, uint64_t to,
                                   const std::string &function, const Program &program)
    : file_(nullptr, std::fclose), from_(from), to_(to), program_(program), whole_(function.empty())
{
    if (file.empty()) {
        return;
    }
    for (const auto &[address, name] : program.functions) {
        if (name == function) {
            entries_.insert(address);
        }
    }
    if (!whole_ && entries_.empty()) {
        throw std::runtime_error("the program has no function '" + function + "'");
    }
    file_.reset(std::fopen(file.c_str(), "w"));
    if (!file_) {
        throw std::runtime_error("the instructions '" + file + "' cannot be written");
    }
    std::fputs("#    cycle address  encoded  location                     instruction              "
               "effect\n",
               file_.get());
}

// A call ends before the instruction that it returns to, if the stack pointer is as at its
// beginning. A recursive call that returns to the same address has another one.
void InstructionTrace::follow(const Instruction &instruction)
{
    if (active_ && instruction.pc == return_pc_ && sp_ == return_sp_) {
        active_ = false;
    }
    if (!active_ && entries_.count(instruction.pc) != 0) {
        active_ = true;
        return_pc_ = ra_;
        return_sp_ = sp_;
    }
}

void InstructionTrace::write(const CoreWatch &watch, const CoreWatch::Events &events)
{
    if (events.retired) {
        follow(watch.instruction());
        ra_ = watch.registers()[ra];
        sp_ = watch.registers()[sp];
    }
    if (!whole_ && !active_) {
        return;
    }
    if (events.retired && within(watch.instruction().cycle)) {
        write(watch.instruction());
    }
    if (events.trapped && within(watch.trap().cycle)) {
        write(watch.trap());
    }
}

void InstructionTrace::write(const Instruction &instruction)
{
    std::fprintf(file_.get(), "%10" PRIu64 " %08" PRIx32 " %*s%0*" PRIx32 " %-28s %-24s%s%s\n",
                 instruction.cycle, instruction.pc, static_cast<int>(8 - 2 * instruction.bytes), "",
                 static_cast<int>(2 * instruction.bytes), instruction.encoded,
                 program_.location(instruction.pc).c_str(),
                 disassemble(instruction.code, instruction.pc).c_str(),
                 access(instruction.access).c_str(), result(instruction).c_str());
}

void InstructionTrace::write(const Trap &trap)
{
    std::fprintf(file_.get(),
                 "%10" PRIu64 " %08" PRIx32 " -------- %-28s %s %u, mtval=%08" PRIx32 "\n",
                 trap.cycle, trap.pc, program_.location(trap.pc).c_str(),
                 trap.interrupt ? "interrupt" : "exception", trap.cause, trap.value);
}

bool InstructionTrace::close()
{
    if (!file_) {
        return true;
    }
    const bool failed = std::ferror(file_.get()) != 0;
    return std::fclose(file_.release()) == 0 && !failed;
}
