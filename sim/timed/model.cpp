// SPDX-License-Identifier: Apache-2.0
#include "timed/model.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "choice.h"
#include "simulator.h"

namespace
{

constexpr unsigned after_access = 3;      // as in rtl/system/fp8mac_sys_accel.sv
constexpr unsigned after_event = 3;       // records take two cycles
constexpr uint32_t least_watchdog = 4096; // cycles. The chip's RAM answers sooner.
constexpr unsigned beat = FP8SIM_AXI_DATA_W / 8;

uint32_t whole_beats(unsigned words)
{
    return (words * 4 + beat - 1) / beat * beat;
}

fp8mac_cycles_config configuration()
{
    const Options &options = Simulator::running->options();
    fp8mac_cycles_config config = fp8mac_cycles_default();
    config.rows = FP8SIM_ROWS, config.cols = FP8SIM_COLS, config.lanes = FP8SIM_LANES;
    config.element = FP8SIM_ELEMENT, config.axi_data_w = FP8SIM_AXI_DATA_W;
    config.requantise = FP8SIM_REQUANTISE != 0;
    config.latency = options.latency, config.stall_permille = options.stall_permille;
    config.stall_state = fp8mac_cycles_stall_state(options.seed, 0);
    return config;
}

} // namespace

PartitionedModel::PartitionedModel(VerilatedContext *context, const char *name, const Ram &ram)
    : Vfp8mac_sys_accel(context, name), ram_(ram), live_(nullptr, fp8mac_live_free),
      bytes_(std::make_unique<fp8mac_accelerator>())
{
    const fp8rt_host_choice choice = {FP8SIM_ARRAY, FP8SIM_ELEMENT_SPEC, FP8SIM_WIDTH,
                                      FP8SIM_REQUANTISE ? "1" : "0", "0"};
    bytes_->context = &ram_;
    bytes_->memory = [](void *memory, uintptr_t address, uint64_t bytes) {
        return static_cast<void *>(static_cast<const Ram *>(memory)->at(address, bytes));
    };
    if (!fp8rt_host_choose(&choice, &bytes_->caps)) {
        throw std::runtime_error("the golden model has no array " FP8SIM_ARRAY
                                 " of " FP8SIM_ELEMENT_SPEC);
    }
}

PartitionedModel::~PartitionedModel() = default;

void PartitionedModel::stop(const char *why) const
{
    throw std::runtime_error("the timing model cannot go on in cycle " +
                             std::to_string(Simulator::running->cycles()) + ": " + why +
                             "; simulate the RTL instead");
}

// ---- submission ---------------------------------------------------------------------------------

void PartitionedModel::submit(const fp8mac_command &command, fp8mac_cycles_submission how,
                              uint32_t descriptor)
{
    fp8mac_cycles_command c{};
    c.submission = how;
    c.descriptor = descriptor;
    c.command = command;
    if (watchdog_o != 0 && watchdog_o < least_watchdog) {
        stop("WATCHDOG is less than 4096 cycles, and its errors are not modelled");
    }
    commands_.push_back(command);
    if (fp8mac_live_submit(live_.get(), &c) != FP8MAC_OK) {
        stop("the accelerator refuses a command, and errors of commands are not modelled");
    }
}

// Reads a descriptor, and returns the address behind it.
uint32_t PartitionedModel::read_descriptor(uint32_t address, fp8mac_command &command) const
{
    const uint32_t most = whole_beats(FP8MAC_COMMAND_WORDS_MOST),
                   least = whole_beats(FP8MAC_COMMAND_WORDS);
    uint32_t words[FP8MAC_COMMAND_WORDS_MOST] = {};
    const uint8_t *from = ram_.at(address, least);
    if (from == nullptr || address % beat != 0) {
        stop("a descriptor is not in the RAM, and its error is not modelled");
    }
    std::memcpy(words, from, FP8MAC_COMMAND_WORDS * 4);
    command = fp8mac_command_of_words(words);
    if (!command.mode.extended) {
        return address + least;
    }
    if (ram_.at(address, most) == nullptr) {
        stop("a descriptor is not in the RAM, and its error is not modelled");
    }
    std::memcpy(words, from, sizeof words);
    command = fp8mac_command_of_words(words);
    return address + most;
}

// Submits the commands of a list up to its end or its pause. In a pause, a descriptor
// has no list of its own.
void PartitionedModel::follow_list(uint32_t address, fp8mac_cycles_submission how)
{
    const uint32_t first = address;
    bool more = true;
    while (more) {
        fp8mac_command command;
        address = read_descriptor(address, command);
        const bool alone = view_.paused && how == FP8MAC_CYCLES_DOORBELL;
        command.pause = !alone && command.more && command.pause;
        submit(command, how, first);
        more = !alone && command.more && !command.pause;
        how = FP8MAC_CYCLES_LISTED;
    }
}

void PartitionedModel::take_submissions()
{
    if (submit_o) {
        fp8mac_command command = fp8mac_command_of_words(words_o.data());
        command.more = command.pause = false; // no effect in a write of the register
        submit(command, FP8MAC_CYCLES_REGISTERS, 0);
    }
    if (ring_o) {
        if (Simulator::running->timeline().wanted()) {
            Simulator::running->timeline().list(
                ring_addr_o, names_of_list(Simulator::running->ram(), ring_addr_o));
        }
        follow_list(ring_addr_o, FP8MAC_CYCLES_DOORBELL);
    }
    if (resume_o && view_.paused) {
        follow_list(view_.position, FP8MAC_CYCLES_RESUMED);
    }
}

// ---- timeline, and transfers of the bus ---------------------------------------------------------

uint64_t PartitionedModel::cycle_of(uint64_t cycle) const
{
    return first_cycle_ + cycle;
}

void PartitionedModel::on_transfer(const fp8mac_cycles_transfer &t) const
{
    Simulator::running->bus_trace().line(t.channel, t.address, t.bytes, cycle_of(t.cycle));
}

void PartitionedModel::on_event(const fp8mac_cycles_event &e) const
{
    const bool window = e.kind == FP8MAC_CYCLES_WINDOW_ENDS; // of no command
    const uint32_t tag = window ? 0 : commands_[e.command].tag;
    Simulator::running->timeline().tell(e, tag, cycle_of(e.cycle));
}

void PartitionedModel::watch()
{
    fp8mac_cycles_watcher watcher{};
    watcher.context = this;
    if (Simulator::running->bus_trace().wanted()) {
        watcher.transfer = [](void *model, const fp8mac_cycles_transfer *t) {
            static_cast<const PartitionedModel *>(model)->on_transfer(*t);
        };
    }
    if (Simulator::running->timeline().wanted()) {
        watcher.event = [](void *model, const fp8mac_cycles_event *e) {
            static_cast<const PartitionedModel *>(model)->on_event(*e);
        };
    }
    if ((watcher.transfer != nullptr || watcher.event != nullptr) &&
        !fp8mac_live_watch(live_.get(), &watcher)) {
        throw std::runtime_error("there is no memory for the timeline and the trace of the bus");
    }
}

// ---- a cycle ------------------------------------------------------------------------------------

// What the registers see of the model in the cycle to come
void PartitionedModel::look()
{
    fp8mac_live_look(live_.get(), &view_);
    engines_idle_i = view_.engines_idle;
    list_busy_i = view_.list_busy;
    queue_full_i = view_.queue_full;
    queue_level_i = static_cast<CData>(view_.queue_level);
    paused_i = view_.paused;
    list_position_i = view_.position;
    fp8mac_cycles_counters n;
    fp8mac_live_counters(live_.get(), &n);
    const uint64_t words[] = {n.write_beats, n.read_beats, n.macs,  n.macs >> 32, n.idle,
                              n.store,       n.command,    n.load,  n.first_load, n.spacing,
                              n.results,     n.compute,    n.cycles};
    for (size_t i = 0; i < std::size(words); i++) {
        counters_i[i] = static_cast<uint32_t>(words[i]);
    }
    observed_i = observed_record_i = fetched_i = retired_i = paused_event_i = 0;
}

// A command's bytes, and what it leaves in FLAGS, AMAX and its record
void PartitionedModel::run_bytes(size_t number)
{
    const fp8mac_command &c = commands_[number];
    fp8mac_observed &seen = bytes_->observed;
    seen = {};
    if (fp8mac_accelerator_run(bytes_.get(), &c) != FP8MAC_COMMAND_ERROR_NONE) {
        stop(
            "a command fails in memory or for its scales, and errors of commands are not modelled");
    }
    observed_i = 1;
    observed_tag_i = c.tag;
    observed_record_i = c.mode.record;
    observed_flags_i = static_cast<CData>(seen.flags & 0xf);
    observed_amax_i = seen.amax;
    observed_nonfinite_i = seen.amax_nonfinite;
}

// Four codes of a table, whose last word makes it loaded
void PartitionedModel::write_table(unsigned table, unsigned word, uint32_t codes)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes_->tables[table][4 * word + i] = static_cast<uint8_t>(codes >> 8 * i);
    }
    if (4 * word + 4 == sizeof bytes_->tables[table]) {
        bytes_->tables_loaded |= 1u << table;
    }
}

// The pause of a list, as in fp8mac_list
void PartitionedModel::announce_pause()
{
    if (!view_.paused || resume_o || end_list_o) {
        announced_ = false;
        return;
    }
    if (announced_ && pause_limit_o != 0 && pause_cycles_ >= pause_limit_o) {
        stop("software has not answered a pause within PAUSE_LIMIT, whose error is not modelled");
    }
    pause_cycles_ = announced_ ? pause_cycles_ + 1 : 0;
    paused_event_i = !announced_ && events_.idle;
    announced_ |= events_.idle;
}

// The events of the cycle become inputs of the registers.
void PartitionedModel::take_events()
{
    if (events_.stored) {
        run_bytes(events_.stored_command);
    }
    if (events_.fetched) {
        const fp8mac_command &c = commands_[events_.fetched_command];
        fetched_i = 1;
        queue_full_i = 0; // a descriptor is read only if the queue has room
        fetched_tag_i = c.tag;
        fetched_record_i = c.mode.record;
    }
    if (events_.retired) {
        const fp8mac_command &c = commands_[events_.retired_command];
        retired_i = 1;
        retired_tag_i = c.tag;
        retired_record_i = c.mode.record;
        retired_irq_i = c.mode.irq;
    }
    announce_pause();
}

// What software asked for in this cycle, behind it
void PartitionedModel::registers_said()
{
    fp8mac_live *l = live_.get();
    if (refused_o && events_.idle) {
        fp8mac_live_count_command(l);
    }
    if (draining_o && events_.idle) {
        fp8mac_live_count_store(l);
    }
    if (soft_reset_o && !view_.engines_idle) {
        stop("software resets the accelerator while it works, which is not modelled");
    }
    if (end_list_o) {
        fp8mac_live_end_list(l);
    }
    if (soft_reset_o || draining_o) {
        fp8mac_live_reset(l);
    }
    if (clear_o || soft_reset_o) {
        fp8mac_live_forget(l);
        fp8mac_accelerator_forget(bytes_.get());
    }
    if (clear_counters_o) {
        fp8mac_live_clear_counters(l);
    }
    if (stall_write_i) {
        fp8mac_live_stall(l, stall_permille_i);
    }
    if (table_write_o) {
        write_table(table_word_o >> 6, table_word_o & 63u, table_codes_o);
    }
}

void PartitionedModel::clock_registers()
{
    eval();
    if (list_refused_o) {
        stop("a list asks for a record that is not free, whose error is not modelled");
    }
    registers_said();
    clk_i = 1;
    eval();
    look();
    clk_i = 0;
    eval();
}

void PartitionedModel::settle_after()
{
    idle_cycles_ = !events_.idle || view_.paused ? 0 : idle_cycles_ + (idle_cycles_ < 255);
    quiet_o = awake_ == 0 && !selecting_o && idle_cycles_ > FP8MAC_LIVE_SETTLED;
}

void PartitionedModel::reset()
{
    live_.reset();
    clk_i = 1;
    eval();
    clk_i = 0;
    eval();
    quiet_o = false;
}

void PartitionedModel::start()
{
    const fp8mac_cycles_config config = configuration();
    live_.reset(fp8mac_live_new(&config));
    if (!live_) {
        throw std::runtime_error("the timing model has no such array");
    }
    first_cycle_ = Simulator::running->cycles();
    watch();
    look();
    eval();
}

// Whether the core sleeps, for the timeline
void PartitionedModel::follow_core()
{
    Timeline &timeline = Simulator::running->timeline();
    const bool sleeps = sleeping_i != 0;
    if (sleeps == slept_ || !timeline.wanted()) {
        return;
    }
    if (sleeps) {
        timeline.end(TRACE_CORE, Simulator::running->cycles());
    } else {
        timeline.begin(TRACE_CORE, 0, Simulator::running->cycles());
    }
    slept_ = sleeps;
}

void PartitionedModel::cycle()
{
    if (!rst_ni) {
        reset();
        return;
    }
    if (!live_) {
        start();
    }
    if (valid_i || stall_write_i || selecting_o) {
        awake_ = after_access + 1;
    }
    follow_core();
    if (awake_ != 0) {
        look();
        eval();
        take_submissions();
    }
    fp8mac_live_cycle(live_.get(), &events_);
    if (events_.stored || events_.fetched || events_.retired ||
        (view_.paused && events_.idle && !announced_)) {
        awake_ = std::max(awake_, after_event + 1);
    }
    take_events();
    if (awake_ != 0) {
        clock_registers();
        awake_--;
    }
    settle_after();
}

void PartitionedModel::catch_up(uint64_t cycles)
{
    if (live_) {
        fp8mac_live_skip(live_.get(), cycles);
    }
}

void PartitionedModel::final()
{
    Vfp8mac_sys_accel::final();
    if (live_) {
        uint64_t macs, busy;
        fp8mac_live_usage(live_.get(), &macs, &busy);
        Simulator::running->on_usage(FP8SIM_ROWS * FP8SIM_COLS * FP8SIM_LANES, macs, busy);
    }
}
