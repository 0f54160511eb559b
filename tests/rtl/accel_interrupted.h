// SPDX-License-Identifier: Apache-2.0
// A small product is interrupted at every point in turn: the bus stops, is late or errs at each
// beat of each channel, and software resets the accelerator in each cycle. Each time there is a
// status in bounded time, the bus protocol is kept, and the next product is right.
#ifndef ACCEL_INTERRUPTED_H
#define ACCEL_INTERRUPTED_H

#include "accel_scenario.h"

namespace accel
{

class Interrupted : public Scenario
{
  public:
    using Scenario::Scenario;

    enum Product {
        Gemms,   // two, of which the second uses A again
        Sources, // a convolution with C, and an element-wise command with C
        Rows,    // a layer norm of two bands, and a softmax
        Blocks   // a quantisation to MX of two bands and two blocks, and a smaller one
    };
    void prepare(Product product);
    void bus_stops(unsigned stride);
    void bus_errs(unsigned stride);
    void descriptor_stops();
    void soft_resets(unsigned stride, unsigned stall_permille);
    void no_watchdog();
    void repeats(unsigned stride);

  protected:
    static constexpr uint32_t kWatchdog = 60; // above the latency of the memory
    static constexpr uint64_t kMargin = 100;  // cycles for register accesses and the like

    void rewind();
    void submit();
    void interrupted(const char *what);
    void check_records(uint32_t status);
    void recover(const char *what, bool by_reset);
    void silent(unsigned channel, uint64_t beat);
    void late(unsigned channel, uint64_t beat);
    void error(unsigned channel, uint64_t beat, axi::Response response);
    void unread(const axi::Stop &stop, bool by_reset);
    void repeat(uint64_t beat, unsigned delay);

    std::vector<Command> tiles_;
    std::vector<uint32_t> rings_; // the second command's descriptor is read during the first's load
    uint32_t lone_ring_ = 0;      // the first command's descriptor, which nothing else reads
    std::vector<uint8_t> before_, after_; // the memory
    uint64_t beats_[axi::kChannels + 1] = {};
    uint64_t cycles_ = 0; // of the whole product
    std::vector<Outcome> outcomes_;
    uint64_t dropped_ = 0, refused_ = 0; // records of dropped commands, and commands without one
};

// The product, what it writes, how many beats each channel moves and how many cycles it takes
inline void Interrupted::prepare(Product product)
{
    begin();
    Command first, second;
    if (product == Gemms) {
        first = maker_.tile_of(ROWS + 1, 2 * COLS + 1, 2 * kBeat + 1);
        maker_.add_vectors(first);
        maker_.without_c(first);
        second = first;
        second.reuse_a = true;
        second.d_addr = maker_.allocate(second.m * second.d_stride);
    } else if (product == Rows) {
        first = maker_.row_command(17, 2 * COLS + 1, LayerNorm);
        second = maker_.row_command(5, COLS + 1, Softmax);
    } else if (product == Blocks) {
        first = maker_.row_command(17, FP8MAC_MX_BLOCK + 3, QuantiseMx);
        second = maker_.row_command(3, COLS + 1, QuantiseMx);
    } else {
        first = maker_.small_convolution(ROWS + 2, 2 * COLS + 1, 1);
        maker_.add_own_c(first);
        second = maker_.elementwise(ROWS + 2, 2 * COLS + 1);
        maker_.add_own_c(second);
    }
    second.tag = first.tag ^ 1;
    first.irq = second.irq = false;
    first.record = second.record = kFunctions.records;
    tiles_ = {first, second};
    outcomes_.clear();
    rings_ = {0, descriptor(second)};
    lone_ring_ = descriptor(first);
    before_ = bytes();
    axi::Timing fast;
    fast.random_latency = false;
    host_.memory.set_timing(fast);

    uint64_t moved[axi::kChannels + 1];
    for (unsigned c = 0; c <= axi::kChannels; c++) {
        moved[c] = host_.memory.moved(c);
    }
    rewind();
    run(tiles_, tiles_, rings_);
    after_ = bytes();
    std::vector<uint8_t> image = before_;
    Golden golden(image, axi::kMemoryBase);
    for (const Command &t : tiles_) {
        golden.run(t);
        outcomes_.push_back(golden.outcome);
    }
    for (unsigned c = 0; c <= axi::kChannels; c++) {
        beats_[c] = host_.memory.moved(c) - moved[c];
    }
    rewind();
    submit();
    const uint64_t start = host_.cycles();
    completed_ += 2;
    host_.wait_idle();
    cycles_ = host_.cycles() - start;
    release_all();
    host_.write(REG(WATCHDOG), kWatchdog);
    std::printf("%12" PRIu64 "  beats and %" PRIu64 " cycles in which a product is interrupted\n",
                beats_[axi::kChannels], cycles_);
}

inline void Interrupted::rewind()
{
    bytes() = before_;
    host_.write(REG(IRQ_STATE), ~0u);
    host_.write(REG(IRQ_ENABLE), ~0u);
    host_.clear(kClearFlags | kClearCounters);
}

inline void Interrupted::submit()
{
    host_.submit(tiles_[0]);
    host_.ring(rings_[1]);
}

// Of the interrupted product, any part may be in memory. Nothing else has changed.
inline void Interrupted::interrupted(const char *what)
{
    size_t wrong = 0;
    for (size_t i = 0; i < before_.size(); i++) {
        wrong += bytes()[i] != before_[i] && bytes()[i] != after_[i];
    }
    bench_.equal(what, wrong, 0, [] { return "bytes that are neither old nor new"; });
    const uint32_t completed = host_.read(REG(COMPLETED));
    bench_.check("completed commands", completed - completed_ <= 2);
    check_records(host_.read(REG(STATUS)));
    release_all();
    completed_ = completed;
}

// As many commands as completed have a record that says so, with their flags and amax, in order. Of
// the others in flight, the records have the error or say `dropped`.
inline void Interrupted::check_records(uint32_t status)
{
    if (!kFunctions.records) {
        return;
    }
    const bool error = FIELD_OF(status, STATUS, ERROR); // not left by a soft reset
    const uint32_t tag = FIELD_OF(status, STATUS, ERROR_TAG);
    const uint32_t completed = host_.read(REG(COMPLETED)) - completed_;
    for (uint32_t i = 0; i < tiles_.size(); i++) {
        if (i < completed) {
            check_record(tiles_[i], outcomes_[i]);
            continue;
        }
        const uint32_t record = record_of(tiles_[i]);
        if (!is_done(tiles_[i])) {
            bench_.check("only a command that was not accepted has no record", !error || i == 1);
            refused_++;
            continue;
        }
        bench_.equal("tag of a record", FIELD_OF(record, RECORD_STATUS, TAG), tiles_[i].tag);
        const uint32_t code = FIELD_OF(record, RECORD_STATUS, ERROR_CODE);
        if (error) {
            bench_.equal("error of a record", code,
                         tag == tiles_[i].tag ? FIELD_OF(status, STATUS, ERROR_CODE)
                                              : uint32_t{ErrDropped});
        } else {
            bench_.check("record of a failure before a soft reset",
                         code == ErrTimeout || code == ErrDropped);
        }
        dropped_ += code == ErrDropped;
    }
}

// The bus works again: the accelerator becomes idle, and the next product is right.
inline void Interrupted::recover(const char *what, bool by_reset)
{
    const uint64_t start = host_.cycles();
    if (by_reset) {
        host_.clear(kSoftReset);
    }
    host_.wait_idle();
    bench_.check("idle in bounded time", host_.cycles() - start < 8 * cycles_ + kMargin);
    interrupted(what);
    host_.clear(kClearError);
    bench_.equal("STATUS after recovery", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    bench_.check("memory is quiet after recovery", host_.memory.quiet());
    rewind();
    run(tiles_, tiles_, rings_);
}

inline void Interrupted::silent(unsigned channel, uint64_t beat)
{
    rewind();
    host_.memory.set_stop(axi::Stop{channel, beat, 0, axi::Okay});
    const uint64_t start = host_.cycles();
    submit();
    host_.wait_irq();
    bench_.check("a status in bounded time",
                 host_.cycles() - start < 2 * cycles_ + kWatchdog + kMargin);
    const uint32_t status = host_.read(REG(STATUS)), tag = FIELD_OF(status, STATUS, ERROR_TAG);
    bench_.equal("silent bus", FIELD_OF(status, STATUS, ERROR_CODE), ErrTimeout);
    bench_.equal("draining", FIELD_OF(status, STATUS, DRAINING), 1);
    bench_.equal("not idle", FIELD_OF(status, STATUS, IDLE), 0);
    bench_.check("tag of a command in flight", tag == tiles_[0].tag || tag == tiles_[1].tag);
    check_records(status);
    host_.submit(tiles_[0]); // discarded
    host_.clear(kClearError);
    bench_.equal("clear_error does nothing before idle", host_.read(REG(STATUS)), status);
    host_.memory.release();
    recover("memory after a silent bus", beat % 2 != 0);
}

inline void Interrupted::late(unsigned channel, uint64_t beat)
{
    rewind();
    host_.memory.set_stop(axi::Stop{channel, beat, kWatchdog - 20, axi::Okay});
    run(tiles_, tiles_, rings_);
    bench_.check("the bus was late", host_.memory.stopped() != 0);
    host_.memory.release();
}

inline void Interrupted::error(unsigned channel, uint64_t beat, axi::Response response)
{
    rewind();
    host_.memory.set_stop(axi::Stop{channel, beat, 0, response});
    const uint64_t start = host_.cycles();
    submit();
    host_.wait_irq();
    const uint32_t status = host_.wait_idle();
    bench_.check("a status in bounded time", host_.cycles() - start < 2 * cycles_ + kMargin);
    const uint32_t tag = FIELD_OF(status, STATUS, ERROR_TAG);
    bench_.check("tag of a command in flight, or of a descriptor",
                 tag == tiles_[0].tag || tag == tiles_[1].tag || (channel == axi::R && tag == 0));
    const bool slv = response == axi::SlvErr;
    bench_.equal("erroring bus", FIELD_OF(status, STATUS, ERROR_CODE),
                 channel == axi::R ? (slv ? ErrReadSlv : ErrReadDec)
                                   : (slv ? ErrWriteSlv : ErrWriteDec));
    host_.memory.release();
    recover("memory after an erroring bus", false);
}

// The bus errs at beats of reads, and at acknowledgements of writes.
inline void Interrupted::bus_errs(unsigned stride)
{
    const uint64_t step = stride | 1u; // even and odd beats in turn
    uint64_t errors[2][2] = {};        // of reads and writes; DECERR and SLVERR
    for (const unsigned channel : {axi::R, axi::B}) {
        for (uint64_t beat = 0; beat < beats_[channel] && !bench_.hopeless(); beat += step) {
            error(channel, beat, beat % 2 ? axi::SlvErr : axi::DecErr);
            errors[channel == axi::B][beat % 2]++;
        }
    }
    bench_.covered("reads that were answered DECERR", errors[0][0]);
    bench_.covered("reads that were answered SLVERR", errors[0][1]);
    bench_.covered("writes that were answered DECERR", errors[1][0]);
    bench_.covered("writes that were answered SLVERR", errors[1][1]);
}

inline void Interrupted::bus_stops(unsigned stride)
{
    const uint64_t step = stride | 1u; // even and odd beats in turn
    uint64_t stops = 0;
    for (unsigned channel = 0; channel <= axi::kChannels; channel++) {
        for (uint64_t beat = 0; beat < beats_[channel] && !bench_.hopeless(); beat += step) {
            silent(channel, beat);
            late(channel, beat);
            stops++;
        }
    }
    bus_errs(step);
    bench_.covered("beats at which the bus stopped", stops);
    if (kFunctions.records) {
        bench_.covered("records of dropped commands", dropped_);
        bench_.covered("commands that were not accepted", refused_);
    }
}

// The bus stops or errs at each beat of a descriptor, and nothing else is in flight. Nothing is
// known of the command then: the error has the tag 0, and there is no record.
inline void Interrupted::unread(const axi::Stop &stop, bool by_reset)
{
    rewind();
    host_.memory.set_stop(stop);
    const uint64_t start = host_.cycles();
    host_.ring(lone_ring_);
    host_.wait_irq();
    bench_.check("a status in bounded time", host_.cycles() - start < kWatchdog + kMargin);
    const bool silent = stop.response == axi::Okay;
    const uint32_t status = host_.read(REG(STATUS));
    bench_.equal("error of a descriptor", FIELD_OF(status, STATUS, ERROR_CODE),
                 silent                         ? ErrTimeout
                 : stop.response == axi::SlvErr ? ErrReadSlv
                                                : ErrReadDec);
    bench_.equal("tag of a descriptor that was not read", FIELD_OF(status, STATUS, ERROR_TAG), 0);
    bench_.equal("draining", FIELD_OF(status, STATUS, DRAINING), silent);
    host_.memory.release();
    if (by_reset) {
        host_.clear(kSoftReset);
    }
    host_.wait_idle();
    host_.clear(kClearError);
    bench_.equal("STATUS after recovery", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    bench_.equal("RECORD_DONE", host_.read(REG(RECORD_DONE)), 0);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
    compare(before_, "memory after a descriptor that was not read");
    rewind();
    run(tiles_, tiles_, rings_);
}

inline void Interrupted::descriptor_stops()
{
    constexpr uint64_t beats = (decltype(host_)::kWords * 4 + kBeat - 1) / kBeat;
    unread(axi::Stop{axi::Ar, 0, 0, axi::Okay}, false);
    unread(axi::Stop{axi::Ar, 0, 0, axi::Okay}, true);
    for (uint64_t beat = 0; beat < beats; beat++) {
        unread(axi::Stop{axi::R, beat, 0, axi::Okay}, beat % 2 != 0);
        unread(axi::Stop{axi::R, beat, 0, axi::SlvErr}, beat % 2 == 0);
        unread(axi::Stop{axi::R, beat, 0, axi::DecErr}, false);
    }
}

inline void Interrupted::soft_resets(unsigned stride, unsigned stall_permille)
{
    axi::Timing timing;
    timing.stall_permille = stall_permille;
    host_.memory.set_timing(timing);
    uint64_t drained = 0;
    for (uint64_t cycle = 0;
         cycle < (stall_permille == 0 ? 1 : 2) * cycles_ + 10 && !bench_.hopeless();
         cycle += stride) {
        rewind();
        submit();
        for (uint64_t i = 0; i < cycle; i++) {
            host_.tick();
        }
        host_.clear(kSoftReset);
        const uint32_t status = host_.read(REG(STATUS));
        bench_.equal("no error after a soft reset", FIELD_OF(status, STATUS, ERROR), 0);
        drained += FIELD_OF(status, STATUS, DRAINING);
        recover("memory after a soft reset", false);
    }
    bench_.covered("soft resets with answers outstanding", drained);
}

// Without a watchdog a silent bus gives no status; a soft reset frees the accelerator all the same.
inline void Interrupted::no_watchdog()
{
    host_.write(REG(WATCHDOG), 0);
    rewind();
    host_.memory.set_stop(axi::Stop{axi::R, 1, 0, axi::Okay});
    submit();
    for (unsigned i = 0; i < 20 * kWatchdog; i++) {
        host_.tick();
    }
    bench_.equal("no error without a watchdog", FIELD_OF(host_.read(REG(STATUS)), STATUS, ERROR),
                 0);
    host_.clear(kSoftReset);
    bench_.equal("draining", FIELD_OF(host_.read(REG(STATUS)), STATUS, DRAINING), 1);
    host_.memory.release();
    recover("memory after a soft reset of a stopped bus", true);
    host_.write(REG(WATCHDOG), FP8MAC_REGS__WATCHDOG__CYCLES_reset);
}

// The first command fails, and the same descriptor is read again `delay` cycles after its error is
// cleared: what the failed one has left in the pipelines must not meet it.
inline void Interrupted::repeat(uint64_t beat, unsigned delay)
{
    rewind();
    host_.memory.set_stop(axi::Stop{axi::R, beat, 0, axi::SlvErr});
    host_.ring(lone_ring_);
    host_.wait_irq();
    bench_.equal("read error", FIELD_OF(host_.wait_idle(), STATUS, ERROR_CODE), ErrReadSlv);
    host_.memory.release();
    bytes() = before_;
    release(tiles_[0]);
    host_.clear(kClearError | kClearFlags);
    for (unsigned i = 0; i < delay; i++) {
        host_.tick();
    }
    host_.ring(lone_ring_);
    host_.wait_idle();
    check_record(tiles_[0], outcomes_[0]);
    std::vector<uint8_t> want = before_;
    Golden(want, axi::kMemoryBase).run(tiles_[0]);
    compare(want, "a command that is repeated after an error");
    release_all();
    completed_ = host_.read(REG(COMPLETED));
}

inline void Interrupted::repeats(unsigned stride)
{
    const uint64_t descriptor = (decltype(host_)::kWords * 4 + kBeat - 1) / kBeat;
    uint64_t repeated = 0;
    for (uint64_t beat = descriptor; beat < beats_[axi::R] / 2 && !bench_.hopeless();
         beat += stride) {
        for (unsigned delay = 0; delay < 60; delay += 2 * stride + 1) {
            repeat(beat, delay);
            repeated++;
        }
    }
    bench_.covered("commands repeated after an error", repeated);
}

} // namespace accel

#endif
