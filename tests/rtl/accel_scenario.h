// SPDX-License-Identifier: Apache-2.0
// The common part of the accelerator's tests: prepare a fresh memory, submit commands, and compare
// all effects of good ones: each byte of the memory, flags, amax, counters, interrupt.
#ifndef ACCEL_SCENARIO_H
#define ACCEL_SCENARIO_H

#include "Vfp8mac_accel.h"

#include "accel_host.h"
#include "accel_random.h"
#include "accel_spoils.h"

namespace accel
{

constexpr size_t kMemoryBytes = 1u << 20;
constexpr unsigned kRecords = 8;
constexpr uint32_t kClearError = FP8MAC_REGS__CTRL__CLEAR_ERROR_bm;
constexpr uint32_t kClearFlags = FP8MAC_REGS__CTRL__CLEAR_FLAGS_bm;
constexpr uint32_t kSoftReset = FP8MAC_REGS__CTRL__SOFT_RESET_bm;
constexpr uint32_t kClearCounters = FP8MAC_REGS__CTRL__CLEAR_COUNTERS_bm;

class Scenario
{
  public:
    Scenario(tb::Bench &bench, tb::Clocked<Vfp8mac_accel> &dut)
        : bench_(bench), rng_(bench.seed()), host_(bench, dut, rng_, kMemoryBytes),
          maker_(rng_, host_.memory.bytes(), kShape)
    {
    }

  protected:
    std::vector<uint8_t> &bytes()
    {
        return host_.memory.bytes();
    }
    void begin();
    void random_timing();
    void run(const std::vector<Command> &tiles);
    // With the commands as software writes them. `rings` has the addresses of their descriptors; 0:
    // submitted by registers; kListed: the list that was rung before submits it.
    static constexpr uint32_t kListed = 1;
    void run(const std::vector<Command> &tiles, const std::vector<Command> &sent,
             const std::vector<uint32_t> &rings);
    uint32_t descriptor(const Command &t);
    // Puts a list into memory and returns the addresses of its descriptors. It pauses behind those
    // whose number `pauses` has.
    std::vector<uint32_t> list(const std::vector<Command> &tiles,
                               const std::vector<size_t> &pauses);
    void compare(const std::vector<uint8_t> &want, const char *what);
    bool is_done(const Command &t);
    void release_all();
    uint32_t record_of(const Command &t);
    void check_record(const Command &t, const Outcome &want);
    void collect(const Command &t, const Outcome &want);
    void release(const Command &t);
    Command plain();
    void works_again();

    tb::Bench &bench_;
    tb::Rng rng_;
    Host<Vfp8mac_accel, kBeat> host_;
    Maker maker_;
    uint32_t completed_ = 0; // since reset
    uint64_t hits_nonfinite_ = 0, hits_finite_ = 0;
    uint64_t hits_records_ = 0, hits_waits_ = 0;  // records compared, and those awaited
    uint64_t hits_rung_ = 0, hits_submitted_ = 0; // by the doorbell, by registers
    uint64_t hits_listed_ = 0;                    // by the doorbell of a command before
    uint64_t hits_stochastic_ = 0, hits_table_ = 0, hits_table_load_ = 0;
    uint64_t results_ = 0; // cycles in which compute waited for results to be taken

  private:
    void counters(const std::vector<Command> &tiles, uint64_t reads, uint64_t writes);
};

inline void Scenario::random_timing()
{
    static const unsigned stalls[] = {0, 0, 100, 500, 850};
    axi::Timing timing;
    timing.stall_permille = stalls[rng_.below(5)];
    timing.latency = rng_.below(3) ? rng_.below(16) : rng_.below(100);
    host_.memory.set_timing(timing);
}

// Checks that the accelerator is idle, that nothing was counted and that nothing is pending.
inline void Scenario::begin()
{
    host_.wait_idle();
    host_.write(REG(IRQ_STATE), ~0u);
    host_.write(REG(IRQ_ENABLE), ~0u);
    host_.clear(kClearFlags | kClearCounters);
    host_.memory.set_faults({}, {});
    maker_.fresh();
}

// Puts a descriptor into memory and returns its address.
inline uint32_t Scenario::descriptor(const Command &t)
{
    const auto words = host_.describe(t);
    const uint32_t size = static_cast<uint32_t>(words.size() * sizeof words[0]);
    const uint32_t addr = maker_.allocate(size);
    std::memcpy(&bytes()[addr - axi::kMemoryBase], words.data(), size);
    return addr;
}

inline std::vector<uint32_t> Scenario::list(const std::vector<Command> &tiles,
                                            const std::vector<size_t> &pauses)
{
    std::vector<uint8_t> image;
    std::vector<uint32_t> addresses;
    for (size_t i = 0; i < tiles.size(); i++) {
        auto words = host_.describe(tiles[i]);
        host_.link(words, i + 1 < tiles.size(),
                   std::find(pauses.begin(), pauses.end(), i) != pauses.end());
        addresses.push_back(static_cast<uint32_t>(image.size()));
        image.resize(image.size() + host_.bytes_of(words));
        std::memcpy(&image[addresses.back()], words.data(), words.size() * sizeof words[0]);
    }
    const uint32_t at = maker_.allocate(static_cast<uint32_t>(image.size()));
    std::copy(image.begin(), image.end(), &bytes()[at - axi::kMemoryBase]);
    for (uint32_t &address : addresses) {
        address += at;
    }
    return addresses;
}

inline void Scenario::compare(const std::vector<uint8_t> &want, const char *what)
{
    const std::vector<uint8_t> &got = bytes();
    size_t wrong = 0;
    while (wrong < got.size() && got[wrong] == want[wrong]) {
        wrong++;
    }
    bench_.equal(what, wrong, got.size(), [&] {
        size_t differ = 0;
        for (size_t i = 0; i < got.size(); i++) {
            differ += got[i] != want[i];
        }
        return tb::text("first of %zu differing bytes at %#zx: %02x, want %02x (seed %" PRIu64
                        ", cycle %" PRIu64 ")",
                        differ, wrong, got[wrong], want[wrong], bench_.seed(), host_.cycles());
    });
}

// ---- completion records -------------------------------------------------------------------------

// Whether the record that the command's tag selects is complete
inline bool Scenario::is_done(const Command &t)
{
    return host_.read(REG(RECORD_DONE)) >> t.tag % kRecords & 1;
}

inline uint32_t Scenario::record_of(const Command &t)
{
    host_.write(REG(RECORD_SELECT), t.tag);
    return host_.read(REG(RECORD_STATUS));
}

inline void Scenario::check_record(const Command &t, const Outcome &want)
{
    const uint32_t status = want.flags | uint32_t(want.nonfinite) << 8 |
                            FP8MAC_REGS__RECORD_STATUS__DONE_bm | uint32_t(t.tag) << 16;
    bench_.equal("RECORD_STATUS", record_of(t), kFunctions.records ? status : 0);
    bench_.equal("RECORD_AMAX", host_.read(REG(RECORD_AMAX)), kFunctions.records ? want.amax : 0);
    hits_records_++;
}

inline void Scenario::release(const Command &t)
{
    host_.write(REG(RECORD_RELEASE), t.tag);
}

// Releases every complete record.
inline void Scenario::release_all()
{
    for (uint32_t index = 0; index < kRecords; index++) {
        host_.write(REG(RECORD_SELECT), index);
        host_.write(REG(RECORD_RELEASE),
                    FIELD_OF(host_.read(REG(RECORD_STATUS)), RECORD_STATUS, TAG));
    }
    bench_.equal("RECORD_DONE after all releases", host_.read(REG(RECORD_DONE)), 0);
}

// Waits for the command, compares its record and releases it.
inline void Scenario::collect(const Command &t, const Outcome &want)
{
    const uint64_t start = host_.cycles();
    while (!is_done(t)) {
        hits_waits_++;
        if (host_.cycles() - start > decltype(host_)::kPatience) {
            bench_.check("waited in vain for a record", false);
            std::exit(bench_.finish());
        }
    }
    if (rng_.below(4) == 0) {
        host_.write(REG(RECORD_RELEASE), t.tag ^ 0x8000u); // another command's
    }
    check_record(t, want);
    release(t);
}

inline void Scenario::run(const std::vector<Command> &wanted)
{
    std::vector<Command> tiles = wanted;
    for (Command &t : tiles) {
        maker_.maybe_load_table(t);
    }
    std::vector<Command> sent = tiles;
    std::vector<uint32_t> rings;
    const bool listed = rng_.below(3) == 0;
    uint32_t taken = 0; // records: nobody releases one while a list runs
    for (Command &t : sent) {
        maker_.scramble_unused(t);
        t.record =
            rng_.coin() && kFunctions.records && !(listed && (taken >> t.tag % kRecords & 1) != 0);
        taken |= uint32_t(t.record) << t.tag % kRecords;
        rings.push_back((rng_.coin() || t.load_table) && !listed ? descriptor(t) : 0);
    }
    if (listed) {
        rings.assign(sent.size(), kListed);
        rings[0] = list(sent, {})[0];
    }
    run(tiles, sent, rings);
    if (std::any_of(tiles.begin(), tiles.end(), [](const Command &t) { return t.load_table; })) {
        host_.load_tables(0, 128);
    }
}

inline void Scenario::run(const std::vector<Command> &tiles, const std::vector<Command> &sent,
                          const std::vector<uint32_t> &rings)
{
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    const uint64_t reads = host_.memory.read_beats(), writes = host_.memory.write_beats();
    bool any_irq = false;
    std::vector<Outcome> outcomes;
    std::vector<size_t> recorded; // commands whose records were not compared yet
    for (size_t i = 0; i < tiles.size(); i++) {
        golden.run(tiles[i]);
        outcomes.push_back(golden.outcome);
        // The record may be an earlier command's, which has to be read first.
        for (size_t j = 0; sent[i].record && j < recorded.size(); j++) {
            if ((sent[recorded[j]].tag - sent[i].tag) % kRecords == 0) {
                collect(sent[recorded[j]], outcomes[recorded[j]]);
                recorded.erase(recorded.begin() + static_cast<std::ptrdiff_t>(j--));
            }
        }
        if (sent[i].record) {
            recorded.push_back(i);
        }
        if (rings[i] != kListed) {
            host_.wait_for_room();
            rings[i] ? host_.ring(rings[i]) : host_.submit(sent[i]);
        }
        (rings[i] == kListed ? hits_listed_ : rings[i] ? hits_rung_ : hits_submitted_)++;
        hits_stochastic_ += tiles[i].stochastic;
        hits_table_ += tiles[i].act_table != 0;
        hits_table_load_ += tiles[i].load_table;
        any_irq |= tiles[i].irq;
        if (rng_.below(4) == 0) {
            for (unsigned i = rng_.below(200); i > 0; i--) {
                host_.tick();
            }
        }
    }
    completed_ += static_cast<uint32_t>(tiles.size());
    if (tiles.back().irq && tiles.size() == 1) {
        host_.wait_irq();
    }
    const uint32_t status = host_.wait_idle();
    bench_.equal("bench: commands the model refuses", golden.refusals, 0);
    bench_.equal("STATUS", status, FP8MAC_REGS__STATUS__IDLE_bm);
    compare(want, "memory");
    bench_.equal("FLAGS", host_.read(REG(FLAGS)),
                 golden.all.flags | uint32_t(golden.all.nonfinite) << 8);
    bench_.equal("AMAX", host_.read(REG(AMAX)), golden.all.amax);
    for (size_t i : recorded) {
        collect(sent[i], outcomes[i]);
    }
    bench_.equal("RECORD_DONE", host_.read(REG(RECORD_DONE)), 0);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
    bench_.equal("interrupt", host_.irq(), any_irq);
    bench_.equal("IRQ_STATE", host_.read(REG(IRQ_STATE)), any_irq);
    bench_.check("memory is quiet when idle", host_.memory.quiet());
    counters(tiles, host_.memory.read_beats() - reads, host_.memory.write_beats() - writes);
    (golden.all.nonfinite ? hits_nonfinite_ : hits_finite_)++;
}

inline void Scenario::counters(const std::vector<Command> &tiles, uint64_t reads, uint64_t writes)
{
    uint64_t macs = 0, steps = 0;
    for (const Command &t : tiles) {
        macs += t.macs();
        if (t.rows()) {
            // Each phase visits all columns, but the last one of a reduction and of MX blocks
            const uint64_t visits = visits_of(t.row_op);
            const uint64_t results =
                t.writes_scales() ? Shape::up(t.n, FP8MAC_MX_BLOCK) : is_reduction(t.row_op);
            steps += Shape::up(t.m, ROWS) * (visits * Shape::up(t.n, COLS) + results);
            continue;
        }
        steps += uint64_t(Shape::up(t.m, ROWS)) * Shape::up(t.columns(), COLS) *
                 (t.elementwise() ? 1 : Shape::up(t.k, LANES));
    }
    bench_.equal("CYC_COMPUTE is the number of steps", host_.read(REG(CYC_COMPUTE)), steps);
    results_ += host_.read(REG(CYC_RESULTS));
    bench_.equal("MACS", host_.read(REG(MACS_LO)) | uint64_t(host_.read(REG(MACS_HI))) << 32, macs);
    bench_.equal("READ_BEATS", host_.read(REG(READ_BEATS)), reads);
    bench_.equal("WRITE_BEATS", host_.read(REG(WRITE_BEATS)), writes);
    uint64_t sum = 0;
    for (const auto &part : kCycleParts) {
        sum += host_.read(part.reg);
    }
    // The idle counter advances during the reads.
    const uint64_t idle_at = host_.cycles();
    sum += host_.read(REG(CYC_IDLE));
    const uint64_t cycles_at = host_.cycles();
    const uint64_t cycles = host_.read(REG(CYCLES));
    bench_.equal("parts of CYCLES", sum, cycles - (cycles_at - idle_at));
}

// Several rows and columns, so that strides have an effect.
inline Command Scenario::plain()
{
    for (;;) {
        Command t = maker_.tile(24, 48);
        if (t.m > 1 && t.n > 1) {
            return t;
        }
    }
}

// Checks that a good command works after an error, and that a reuse after it works too.
inline void Scenario::works_again()
{
    begin();
    const Command t = plain();
    run({t, maker_.reusing(t)});
}

} // namespace accel

#endif
