// SPDX-License-Identifier: Apache-2.0
// A debugger at the simulated core: gdb's remote serial protocol over TCP. The simulation stands
// still while the program is stopped, so no cycle passes and nothing of the chip is disturbed.
//
// Registers can be read, memory read and written; memory is the RAM. Breakpoints compare addresses
// and change no instruction. Watchpoints stop behind the instruction. Accesses of the accelerator
// are not watched. Registers cannot be written: the core's pipeline has copies of them.
#ifndef FP8MAC_SIM_GDB_H
#define FP8MAC_SIM_GDB_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core_watch.h"
#include "ram.h"

class Gdb
{
  public:
    // There is no debugger yet. Whenever it waits for one, it asks `cancelled` whether to go on.
    Gdb(const CoreWatch &watch, const Ram &ram, bool (*cancelled)());
    ~Gdb();
    // Prints the port and waits on it until a debugger on this machine connects; port 0: a free
    // one. Throws std::runtime_error if the port cannot be used, or if it is cancelled.
    void connect(int port);
    Gdb(const Gdb &) = delete;
    Gdb &operator=(const Gdb &) = delete;
    bool wanted() const
    {
        return connection_ >= 0;
    }

    // Called in each cycle after CoreWatch::look. Returns when the program goes on. False: the
    // debugger has ended the program or is gone, or `cancelled` says so.
    bool serve(const CoreWatch::Events &events, bool sleeping);
    // The program has ended.
    void ended(int status);

  private:
    enum class Answer { none, go_on, end };
    // Ends are exclusive. `kind` is that of the protocol: 2 writes, 3 reads, 4 both.
    struct Watchpoint {
        char kind;
        uint32_t begin, end;
    };

    std::string watched(const Access &access) const;
    bool asked_to_stop();
    bool talk();
    bool receive(char &character);
    bool packet(std::string &text);
    void send(const std::string &text);
    Answer handle(const std::string &text);
    std::string read_memory(const std::string &where) const;
    std::string write_memory(const std::string &where) const;
    std::string change_point(const std::string &text);
    std::string query(const std::string &text) const;
    std::string registers() const;

    const CoreWatch &watch_;
    const Ram &ram_;
    bool (*cancelled_)();
    int connection_ = -1;
    std::set<uint32_t> breakpoints_;
    std::vector<Watchpoint> watchpoints_;
    bool stop_ = true;     // at the next boundary; at first, before the first instruction
    bool started_ = false; // the debugger waits for an answer to its command to go on
    bool interrupt_ = false;
    std::string hit_;    // the answer for a watchpoint; empty: none was hit
    unsigned cycle_ = 0; // since the last look for an interrupt
};

#endif
