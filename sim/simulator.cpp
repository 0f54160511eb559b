// SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

#include <cinttypes>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "Vfp8mac_system___024root.h"
#include "fp8rt/random.h"

namespace
{

constexpr uint32_t entry_point = Ram::base + 0x80; // where Ibex starts: boot address + 0x80
constexpr unsigned reset_cycles = 8;
constexpr uint64_t look_interval = 4096; // cycles between two readings of the host's clock

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int)
{
    interrupted = 1;
}

template <typename Words>
Ram ram_of(Words &words)
{
    static_assert(sizeof words[0] == 4, "the RAM is an array of 32-bit words");
    const uint16_t one = 1;
    if (*reinterpret_cast<const uint8_t *>(&one) != 1) {
        throw std::runtime_error("the host must be little-endian");
    }
    return {reinterpret_cast<uint8_t *>(&words[0]), sizeof words};
}

// Sets the start values of the registers of a chip that is built in `context`.
VerilatedContext *powered_up(VerilatedContext &context, int seed)
{
    constexpr int zeros = 0, random = 2;
    context.randReset(seed == 0 ? zeros : random);
    if (seed != 0) {
        context.randSeed(seed);
    }
    return &context;
}

const void *resolve(void *context, uint64_t address, uint64_t size)
{
    return static_cast<const Ram *>(context)->at(address, size);
}

constexpr uint8_t unused_stack = 0xa5; // fills the stack before the program starts

double seconds(std::chrono::steady_clock::duration d)
{
    return std::chrono::duration<double>(d).count();
}

} // namespace

Simulator *Simulator::running = nullptr;

Simulator::Simulator(const Options &options)
    : options_(options), chip_(powered_up(context_, options.power_up)),
      ram_(ram_of(chip_.rootp->fp8mac_system__DOT__u_ram__DOT__mem)),
      accelerator_(make_accelerator(
          context_, ram_, [this] { chip_.eval(); }, options.evaluate_all)),
      program_(load_elf(options.program.front(), ram_)),
      trace_(context_, chip_, options.trace_file, options.trace_from, options.trace_to),
      timeline_(options.timeline_file), bus_trace_(options.bus_file), watch_(chip_),
      instructions_(options.instructions_file, options.trace_from, options.trace_to,
                    options.instructions_in, program_),
      gdb_(watch_, ram_, [] { return interrupted != 0; }), dump_(nullptr, std::fclose)
{
    if (program_.entry != entry_point) {
        throw std::runtime_error("'" + options.program.front() + "' starts at " +
                                 program_.describe(program_.entry) + ", but the core starts at " +
                                 Program().describe(entry_point));
    }
    place_arguments(ram_, options.program);
    if (stack() != nullptr) {
        std::memset(stack(), unused_stack, program_.stack_top - program_.stack_bottom);
    }
    if (!options.dump_file.empty()) {
        dump_.reset(std::fopen(options.dump_file.c_str(), "wb"));
        if (!dump_) {
            throw std::runtime_error("the outputs '" + options.dump_file + "' cannot be written");
        }
    }
    context_.fatalOnError(false);
    running = this;
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    if (options.gdb >= 0) {
        gdb_.connect(options.gdb);
    }
}

Simulator::~Simulator()
{
    running = nullptr;
}

void Simulator::clock(bool level)
{
    chip_.clk_i = level;
    chip_.eval();
}

// Simulates one cycle, from a rising edge to the next. A cycle is two units of the time that the
// hardware's messages print.
void Simulator::step()
{
    context_.time(2 * cycles_);
    if (!accelerator_ || !accelerator_->cycle_alone(chip_.core_sleep_o)) {
        clock(true);
        trace_.dump();
        context_.time(2 * cycles_ + 1);
        clock(false);
        trace_.dump();
    }
    if (instructions_.wanted() || gdb_.wanted()) {
        follow();
    }
    cycles_++;
}

// The instructions of this cycle
void Simulator::follow()
{
    const CoreWatch::Events events = watch_.look(cycles_);
    if (instructions_.wanted()) {
        instructions_.write(watch_, events);
    }
    if (gdb_.wanted() && !gdb_.serve(events, chip_.core_sleep_o)) {
        stop(End::interrupted);
    }
}

// Cycle 0 is the first one after reset. Before it, registers have any value.
void Simulator::reset()
{
    chip_.rst_ni = 0;
    clock(false);
    for (unsigned i = 0; i < reset_cycles; i++) {
        if (accelerator_) {
            accelerator_->cycle_alone(false);
        }
        clock(true);
        clock(false);
    }
    chip_.rst_ni = 1;
}

// Only the first reason to stop is recorded.
void Simulator::stop(End why)
{
    if (end_ == End::none) {
        end_ = why;
    }
}

// Checks what need not be checked in every cycle.
void Simulator::look_around()
{
    if (interrupted) {
        stop(End::interrupted);
    }
    const Clock::time_point now = Clock::now();
    if (options_.heartbeat > 0 && seconds(now - last_beat_) >= options_.heartbeat) {
        heartbeat(now);
    }
}

int Simulator::run()
{
    start_ = last_beat_ = Clock::now();
    reset();
    while (end_ == End::none) {
        step();
        if (context_.gotFinish()) {
            stop(End::assertion);
        }
        if (chip_.double_fault_o) {
            stop(End::double_fault);
        }
        if (cycles_ == options_.timeout) {
            stop(End::timeout);
        }
        if (cycles_ - last_output_ == options_.silence) {
            stop(End::silence);
        }
        if (cycles_ % look_interval == 0) {
            look_around();
        }
    }
    gdb_.ended(exit_status());
    return report();
}

void Simulator::heartbeat(Clock::time_point now)
{
    const double khz =
        static_cast<double>(cycles_ - last_beat_cycles_) / seconds(now - last_beat_) / 1e3;
    if (!options_.quiet) {
        std::fprintf(stderr, "fp8mac-sim: %.1f M cycles, %.1f kHz (%s), at %s\n",
                     static_cast<double>(cycles_) / 1e6, khz, simulator_mode, location().c_str());
    }
    last_beat_ = now;
    last_beat_cycles_ = cycles_;
}

void Simulator::on_exit(uint32_t status)
{
    stop(End::exit);
    program_status_ = status;
}

void Simulator::on_putc(uint8_t character)
{
    last_output_ = cycles_;
    std::putchar(character);
    if (character == '\n') {
        std::fflush(stdout);
    }
}

void Simulator::on_location(uint32_t address)
{
    for (const char character : program_.describe(address)) {
        on_putc(static_cast<uint8_t>(character));
    }
}

// Random codes in memory, for a program that would take millions of cycles for them. 0: refused.
uint32_t Simulator::on_fill(uint32_t record_address)
{
    fp8rt_fill_record record;
    const void *p = ram_.at(record_address, sizeof record);
    if (p == nullptr) {
        return 0;
    }
    std::memcpy(&record, p, sizeof record);
    uint8_t *const to = ram_.at(record.address, record.bytes);
    if (to == nullptr || (record.address | record.bytes) % 4 != 0 || record.state == 0) {
        std::fprintf(stderr, "fill: malformed record: 0x%08x, %u bytes\n", record.address,
                     record.bytes);
        return 0;
    }
    fp8rt_random random = {record.state};
    fp8rt_random_codes(&random, static_cast<fp8rt_data>(record.data),
                       static_cast<fp8mac_format_id>(record.format), to, record.bytes);
    return random.state;
}

uint32_t Simulator::on_check(uint32_t record_address)
{
    const void *magic = ram_.at(record_address, sizeof(uint32_t));
    const uint32_t fill_magic = FP8RT_FILL_MAGIC;
    if (magic != nullptr && std::memcmp(magic, &fill_magic, sizeof fill_magic) == 0) {
        return on_fill(record_address);
    }
    const Clock::time_point start = Clock::now();
    fp8rt_check_record record;
    const void *p = ram_.at(record_address, sizeof record);
    if (p == nullptr) {
        std::fprintf(stderr, "check: malformed record: 0x%08x is outside memory\n", record_address);
        counters_.malformed++;
        return FP8RT_CHECK_MALFORMED;
    }
    std::memcpy(&record, p, sizeof record);
    const uint32_t differing = fp8rt_check_run(&record, resolve, &ram_, &counters_);
    if (dump_ && differing != FP8RT_CHECK_MALFORMED) {
        dump_outputs(record);
    }
    checking_ += Clock::now() - start;
    return differing;
}

void Simulator::dump_outputs(const fp8rt_check_record &record)
{
    for (uint32_t row = 0; row < record.m; row++) {
        size_t bytes = 0;
        const void *p = fp8rt_check_d_row(&record, row, resolve, &ram_, &bytes);
        if (p == nullptr || std::fwrite(p, 1, bytes, dump_.get()) != bytes) {
            std::fprintf(stderr, "fp8mac-sim: '%s' cannot be written any further\n",
                         options_.dump_file.c_str());
            dump_.reset();
            stop(End::output_lost);
            return;
        }
    }
}

void Simulator::on_usage(unsigned macs_per_cycle, uint64_t macs, uint64_t busy_cycles)
{
    macs_per_cycle_ = macs_per_cycle;
    macs_ = macs;
    busy_cycles_ = busy_cycles;
}

// Simulated kilohertz, without the time spent in the golden model.
double Simulator::rate() const
{
    const double busy = seconds(Clock::now() - start_ - checking_);
    return busy > 0 ? static_cast<double>(cycles_) / busy / 1e3 : 0;
}

std::string Simulator::reason() const
{
    switch (end_) {
    case End::exit: return "exit status " + std::to_string(program_status_);
    case End::timeout: return "timeout";
    case End::silence:
        return std::to_string(options_.silence) + " cycles without console output (--silence)";
    case End::double_fault: return "an exception in the handler of an exception";
    case End::assertion: return "an assertion of the hardware failed";
    case End::output_lost: return "the outputs could not be kept";
    default: return "interrupted";
    }
}

std::string Simulator::location() const
{
    return program_.describe(chip_.pc_o) + (chip_.core_sleep_o ? ", waiting for an interrupt" : "");
}

bool Simulator::differs() const
{
    return counters_.gemms_equal != counters_.gemms || counters_.malformed != 0;
}

int Simulator::exit_status() const
{
    switch (end_) {
    case End::exit: {
        const int status = static_cast<int>(program_status_ & 0xff);
        return status != 0 ? status : (differs() || program_status_ != 0 ? 1 : 0);
    }
    case End::timeout:
    case End::silence: return 124;
    case End::double_fault:
    case End::assertion: return 125;
    case End::output_lost: return 2;
    default: return 130;
    }
}

void Simulator::close_output(bool complete, const char *what, const std::string &file)
{
    if (!complete) {
        std::fprintf(stderr, "fp8mac-sim: the %s '%s' could not be written completely\n", what,
                     file.c_str());
        end_ = End::output_lost;
    }
}

int Simulator::report()
{
    const double khz = rate();
    trace_.close();
    if (accelerator_) {
        accelerator_->end();
    }
    close_output(timeline_.close(cycles_), "timeline", options_.timeline_file);
    close_output(bus_trace_.close(), "trace of the bus", options_.bus_file);
    close_output(instructions_.close(), "list of instructions", options_.instructions_file);
    chip_.final();
    dump_memory();
    std::fflush(stdout);
    if (!options_.quiet || end_ != End::exit) {
        std::fprintf(stderr,
                     "fp8mac-sim: %s after %" PRIu64 " cycles in %.1f s (%.1f kHz, %s)%s%s\n",
                     reason().c_str(), cycles_, seconds(Clock::now() - start_), khz, simulator_mode,
                     end_ == End::exit ? "" : ", at ", end_ == End::exit ? "" : location().c_str());
    }
    if (options_.usage) {
        report_usage();
    }
    if (!options_.quiet) {
        report_stack();
    }
    if (!options_.quiet || differs()) {
        report_checks();
    }
    return exit_status();
}

// The program's stack, or nullptr if the program does not name its ends.
uint8_t *Simulator::stack() const
{
    return program_.stack_bottom < program_.stack_top
               ? ram_.at(program_.stack_bottom, program_.stack_top - program_.stack_bottom)
               : nullptr;
}

// The stack was filled with one byte. What is below the first other byte was not used.
void Simulator::report_stack() const
{
    if (stack() == nullptr) {
        return;
    }
    const uint32_t size = program_.stack_top - program_.stack_bottom;
    uint32_t unused = 0;
    while (unused < size && stack()[unused] == unused_stack) {
        unused++;
    }
    std::fprintf(stderr, "fp8mac-sim: %" PRIu32 " of %" PRIu32 " bytes of stack were used\n",
                 size - unused, size);
}

// Of the whole run, the core's own work included, and of the cycles with a command.
void Simulator::report_usage() const
{
    if (macs_per_cycle_ == 0) {
        return;
    }
    const double used = 100.0 * static_cast<double>(macs_) / macs_per_cycle_;
    std::fprintf(stderr,
                 "fp8mac-sim: array used %.2f %% of the whole run, %.2f %% of the %" PRIu64
                 " cycles with a command\n",
                 used / static_cast<double>(cycles_),
                 busy_cycles_ == 0 ? 0 : used / static_cast<double>(busy_cycles_), busy_cycles_);
}

void Simulator::dump_memory()
{
    if (options_.memory_file.empty()) {
        return;
    }
    std::FILE *file = std::fopen(options_.memory_file.c_str(), "wb");
    const bool written =
        file != nullptr && std::fwrite(ram_.bytes, 1, ram_.size, file) == ram_.size;
    if ((file != nullptr && std::fclose(file) != 0) || !written) {
        std::fprintf(stderr, "fp8mac-sim: the memory cannot be written to '%s'\n",
                     options_.memory_file.c_str());
        end_ = End::output_lost;
    }
}

void Simulator::report_checks() const
{
    if (counters_.gemms == 0 && counters_.malformed == 0) {
        std::fprintf(stderr, "fp8mac-sim: the program asked for no check of a GEMM\n");
        return;
    }
    std::fprintf(stderr,
                 "fp8mac-sim: GEMMs checked %" PRIu64 ", equal to the golden model %" PRIu64
                 "; outputs compared %" PRIu64 ", equal %" PRIu64 " (%.1f s)\n",
                 counters_.gemms, counters_.gemms_equal, counters_.outputs, counters_.outputs_equal,
                 seconds(checking_));
    if (counters_.malformed != 0) {
        std::fprintf(stderr, "fp8mac-sim: malformed check records %" PRIu64 "\n",
                     counters_.malformed);
    }
}
