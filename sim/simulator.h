// SPDX-License-Identifier: Apache-2.0
// Runs the simulated chip: clock, reset, program, console, checker, waveform, progress.
#ifndef FP8MAC_SIM_SIMULATOR_H
#define FP8MAC_SIM_SIMULATOR_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "Vfp8mac_system.h"
#include "accelerator.h"
#include "bus_trace.h"
#include "core_watch.h"
#include "elf_loader.h"
#include "gdb.h"
#include "gemm_check.h"
#include "instructions.h"
#include "options.h"
#include "ram.h"
#include "timeline.h"
#include "trace.h"

class Simulator
{
  public:
    // Builds the chip, loads the program and opens the files. Throws std::runtime_error if any of
    // these fails.
    explicit Simulator(const Options &options);
    ~Simulator();
    Simulator(const Simulator &) = delete;
    Simulator &operator=(const Simulator &) = delete;

    // Simulates until the program ends or something stops it. Prints a report and returns the exit
    // status of the process.
    int run();

    // The services that the chip calls through DPI.
    void on_exit(uint32_t status);
    void on_putc(uint8_t character);
    void on_location(uint32_t address);
    uint32_t on_check(uint32_t record_address);
    void on_usage(unsigned macs_per_cycle, uint64_t macs, uint64_t busy_cycles);
    Timeline &timeline()
    {
        return timeline_;
    }
    BusTrace &bus_trace()
    {
        return bus_trace_;
    }
    uint64_t cycles() const
    {
        return cycles_;
    }
    const Options &options() const
    {
        return options_;
    }
    uint32_t argument_address() const
    {
        return ram_.argument_address();
    }
    const Ram &ram() const
    {
        return ram_;
    }

    // DPI calls and signals carry no context, so a process runs one simulation at a time.
    static Simulator *running;

  private:
    using Clock = std::chrono::steady_clock;
    enum class End {
        none,
        exit,
        timeout,
        silence,
        double_fault,
        assertion,
        interrupted,
        output_lost
    };

    void reset();
    void clock(bool level);
    void step();
    void follow();
    void look_around();
    void stop(End why);
    void heartbeat(Clock::time_point now);
    uint32_t on_fill(uint32_t record_address);
    void dump_outputs(const fp8rt_check_record &record);
    void close_output(bool complete, const char *what, const std::string &file);
    int report();
    uint8_t *stack() const;
    void report_stack() const;
    void report_usage() const;
    void report_checks() const;
    void dump_memory();
    bool differs() const;
    int exit_status() const;
    std::string reason() const;
    std::string location() const;
    double rate() const;

    Options options_;
    VerilatedContext context_;
    Vfp8mac_system chip_;
    Ram ram_;
    std::unique_ptr<Accelerator> accelerator_; // nullptr: it is in chip_
    Program program_;
    Trace trace_;
    Timeline timeline_;
    BusTrace bus_trace_;
    CoreWatch watch_;
    InstructionTrace instructions_;
    Gdb gdb_;
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> dump_;

    End end_ = End::none;
    uint32_t program_status_ = 0;
    uint64_t cycles_ = 0, last_output_ = 0;
    fp8rt_check_counters counters_{};
    unsigned macs_per_cycle_ = 0; // of the array; 0: there is none
    uint64_t macs_ = 0, busy_cycles_ = 0;
    Clock::time_point start_, last_beat_;
    uint64_t last_beat_cycles_ = 0;
    Clock::duration checking_{0}; // spent in the golden model
};

#endif
