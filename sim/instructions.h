// SPDX-License-Identifier: Apache-2.0
// A text file of the instructions that the core retires, in a window of cycles or in the calls of
// one function.
#ifndef FP8MAC_SIM_INSTRUCTIONS_H
#define FP8MAC_SIM_INSTRUCTIONS_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "core_watch.h"
#include "elf_loader.h"

class InstructionTrace
{
  public:
    // Writes what happens in cycles `from` to `to`, both included. If `function` is not empty, only
    // while a call of that function of `program` is active, with all that it calls. An empty file
    // name writes nothing. Throws std::runtime_error if the file cannot be written, or if the
    // program has no such function.
    InstructionTrace(const std::string &file, uint64_t from, uint64_t to,
                     const std::string &function, const Program &program);
    bool wanted() const
    {
        return file_ != nullptr;
    }
    // Called for each cycle, after CoreWatch::look.
    void write(const CoreWatch &watch, const CoreWatch::Events &events);
    // Ends the file. False if some of it could not be written.
    bool close();

  private:
    void follow(const Instruction &instruction);
    bool within(uint64_t cycle) const
    {
        return cycle >= from_ && cycle <= to_;
    }
    void write(const Instruction &instruction);
    void write(const Trap &trap);

    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
    uint64_t from_, to_; // cycles
    const Program &program_;
    bool whole_;                 // no function was chosen
    std::set<uint32_t> entries_; // addresses of the function; static functions share names
    uint32_t ra_ = 0, sp_ = 0;   // before the instruction
    bool active_ = false;        // a call, which returns to return_pc_ with return_sp_
    uint32_t return_pc_ = 0, return_sp_ = 0;
};

#endif
