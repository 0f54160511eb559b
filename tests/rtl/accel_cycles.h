// SPDX-License-Identifier: Apache-2.0
// The accelerator's cycles against fp8mac_cycles_run: random commands on an ideal memory of
// constant latency, and on the simulated chip's without and with stalls. The model gets them, and
// the cycles in which software submits them, and must have every counter of the RTL, and the
// cycle of the interrupt.
#ifndef ACCEL_CYCLES_H
#define ACCEL_CYCLES_H

#include "accel_row_tests.h"

extern "C" {
#include "fp8mac/cycles.h"
}

namespace accel
{

// A command as the model has it, of the words that the bench writes. Its submission is not set.
inline fp8mac_cycles_command timed(const Command &t)
{
    fp8mac_cycles_command c{};
    c.command = fp8mac_command_of_words(Host<Vfp8mac_accel, kBeat>::describe(t).data());
    return c;
}

class CycleTests : public RowTests
{
  public:
    using RowTests::RowTests;

    void random_cycles(unsigned batches);
    // The model refuses what the RTL refuses.
    void model_refuses(const char *name, const std::vector<Command> &before, const Command &bad);

  private:
    using Timed = std::vector<fp8mac_cycles_command>;

    fp8mac_cycles_config timed_config(const axi::Timing &timing, bool odd) const;
    axi::Timing draw_memory(unsigned batch);
    std::vector<Command> timed_batch();
    Command kept_pairs();
    void refused();
    uint64_t cycles_from(const Command &t, const axi::Timing &timing, uint32_t image_turn);
    std::vector<Command> turned_batch(const axi::Timing &timing);
    uint64_t send(const std::vector<Command> &sent, Timed &timed, uint64_t &begin);
    void answer(const Command &next, Timed &timed, uint64_t begin);
    void resume(fp8mac_cycles_command &c, uint64_t begin);
    void compare_bus(const std::vector<axi::Transfer> &model, uint64_t begin);
    void compare_cycles(const Timed &timed, const axi::Timing &timing, bool odd, uint64_t irq);

    static constexpr uint64_t kPatience = 1000000; // cycles until a list pauses
    static constexpr bool kTurns = ROWS > 2; // with two rows, one image in a thousand feels it
    uint32_t image_turn_ = 0;                // as the batches so far have left it
    uint64_t memory_begin_ = 0, transfers_ = 0;
    uint64_t stall_state_ = 1; // in the cycle of the first submission
    uint64_t cycles_ = 0, compared_ = 0, turned_ = 0, resumed_ = 0, inside_ = 0;
    uint64_t loads_ = 0; // of tables
    uint64_t refused_ = 0,
             short_ = 0; // pairs that are kept; those whose D has a stride that is too short
};

inline fp8mac_cycles_config CycleTests::timed_config(const axi::Timing &timing, bool odd) const
{
    fp8mac_cycles_config config = fp8mac_cycles_default();
    config.rows = ROWS, config.cols = COLS, config.lanes = LANES, config.element = ELEMENT_KIND;
    config.tiles = TILES, config.axi_data_w = AXI_DATA_W, config.max_mn = MAX_MN;
    config.memory = timing.chip ? FP8MAC_CYCLES_CHIP : FP8MAC_CYCLES_IDEAL;
    config.latency = timing.latency, config.odd = odd;
    config.stall_permille = timing.stall_permille, config.stall_state = timing.stall_state;
    config.image_turn = image_turn_;
    config.requantise = kRequantise;
    return config;
}

inline std::vector<Command> CycleTests::timed_batch()
{
    std::vector<Command> tiles;
    const bool rows = has_rows();
    const unsigned count = 1 + rng_.below(8);
    while (tiles.size() < count && maker_.room()) {
        const unsigned kind = rng_.below(rows ? 11 : 9);
        if (kind == 0) {
            const std::vector<Command> chain = maker_.chain(2 + rng_.below(3));
            tiles.insert(tiles.end(), chain.begin(), chain.end());
        } else if (kind == 1 && !tiles.empty() && !tiles.back().has_tiles() &&
                   !tiles.back().elementwise()) {
            tiles.push_back(maker_.reusing(tiles.back()));
        } else if (kind == 2) {
            tiles.push_back(maker_.thin());
        } else if (kind == 3) {
            tiles.push_back(maker_.elementwise(60, 300));
        } else if (kind == 8) {
            tiles.push_back(maker_.convolution());
        } else if (kind > 8) {
            tiles.push_back(maker_.any_row_command(40, rng_.below(4) ? 100 : 700));
        } else if (kind < 6) {
            tiles.push_back(maker_.divided());
        } else {
            tiles.push_back(maker_.tile(48, 100));
        }
        if (maker_.can_rescale(tiles.back()) && maker_.room() && rng_.coin()) {
            tiles.push_back(maker_.rescaled(tiles.back()));
        }
        tiles.back().after = rng_.below(3) == 0 ? 1 + rng_.below(3) : 0;
        tiles.back().b_free = rng_.coin();
    }
    for (Command &t : tiles) {
        t.irq = &t == &tiles.back();
        maker_.maybe_load_table(t);
        loads_ += t.load_table;
        maker_.scramble_unused(t);
    }
    return tiles;
}

// The model's cycles of the command alone
inline uint64_t CycleTests::cycles_from(const Command &t, const axi::Timing &timing,
                                        uint32_t image_turn)
{
    const fp8mac_cycles_command command = accel::timed(t);
    fp8mac_cycles_config config = timed_config(timing, false);
    config.image_turn = image_turn;
    fp8mac_cycles_counters counters{};
    fp8mac_cycles_run(&config, &command, 1, nullptr, nullptr, &counters);
    return counters.cycles;
}

// An image that takes more or less cycles than after a reset, because its words begin
// with another row. Few do.
inline std::vector<Command> CycleTests::turned_batch(const axi::Timing &timing)
{
    Command t{};
    bool turned = false;
    for (unsigned i = 0; i < 2000 && !turned; i++) {
        maker_.fresh();
        t = maker_.convolution();
        turned = cycles_from(t, timing, image_turn_) != cycles_from(t, timing, 0);
    }
    turned_ += turned;
    t.irq = true;
    maker_.scramble_unused(t);
    return {t};
}

// Waits for the pause of the list, and sometimes runs a command in it.
inline void CycleTests::answer(const Command &next, Timed &timed, uint64_t begin)
{
    if (rng_.coin()) {
        host_.wait_irq();
    } else { // perhaps before the accelerator is idle
        const uint64_t start = host_.cycles();
        while ((host_.read(REG(LIST)) & 1) == 0 && host_.cycles() - start < kPatience) {
        }
    }
    const bool alone = !next.acc_continue && !next.reuse_a && !next.reuse_b;
    if (alone && rng_.coin()) {
        const Command inside = lone();
        timed.push_back(accel::timed(inside));
        const bool rings = rng_.coin();
        host_.wait_for_room();
        timed.back().descriptor = rings ? descriptor(inside) : 0;
        timed.back().submission = rings ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_REGISTERS;
        rings ? host_.ring(timed.back().descriptor) : host_.submit(inside);
        timed.back().cycle = host_.cycles() - begin;
        if (rng_.coin()) {
            host_.wait_idle();
        }
        inside_++;
    }
}

// Ends the pause of the list, sometimes late.
inline void CycleTests::resume(fp8mac_cycles_command &c, uint64_t begin)
{
    for (unsigned wait = rng_.below(60); wait > 0; wait--) {
        host_.tick();
    }
    c.submission = FP8MAC_CYCLES_RESUMED;
    host_.clear(kResume);
    c.cycle = host_.cycles() - begin;
    host_.write(REG(IRQ_STATE), kPaused);
    resumed_++;
}

// Submits them, by a list or one after the other, and returns the cycle of the interrupt. Cycles
// count from the first submission.
inline uint64_t CycleTests::send(const std::vector<Command> &sent, Timed &timed, uint64_t &begin)
{
    const bool listed = rng_.below(3) == 0;
    const bool pauses = listed && rng_.below(3) == 0;
    std::vector<size_t> at; // behind the last one, a pause has no effect
    for (size_t i = 0; pauses && i + 1 < sent.size(); i++) {
        if (rng_.below(3) == 0) {
            at.push_back(i);
        }
    }
    const auto is_pause = [&](size_t i) { return std::find(at.begin(), at.end(), i) != at.end(); };
    const std::vector<uint32_t> addresses =
        listed ? list(sent, at) : std::vector<uint32_t>(sent.size());
    for (size_t i = 0; i < sent.size(); i++) {
        if (i > 0 && is_pause(i - 1)) {
            answer(sent[i], timed, begin);
        }
        timed.push_back(accel::timed(sent[i]));
        fp8mac_cycles_command &c = timed.back();
        c.command.pause = is_pause(i);
        if (i > 0 && is_pause(i - 1)) {
            resume(c, begin);
            continue;
        }
        if (listed && i > 0) {
            c.submission = FP8MAC_CYCLES_LISTED;
            continue;
        }
        const bool rings = listed || sent[i].load_table || rng_.coin();
        c.descriptor = listed ? addresses[0] : rings ? descriptor(sent[i]) : 0;
        c.submission = rings ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_REGISTERS;
        host_.wait_for_room();
        rings ? host_.ring(c.descriptor) : host_.submit(sent[i]);
        if (i == 0) {
            begin = host_.cycles();
            stall_state_ = host_.memory.stall_state();
            memory_begin_ = host_.memory.now();
        }
        c.cycle = host_.cycles() - begin;
        const bool idles = !listed && i + 1 < sent.size() && rng_.below(4) == 0;
        for (unsigned wait = idles ? rng_.below(400) : 0; wait > 0; wait--) {
            host_.tick();
        }
    }
    host_.wait_irq();
    return host_.cycles() - begin;
}

// Every transfer of the bus since the first submission, in its cycle.
inline void CycleTests::compare_bus(const std::vector<axi::Transfer> &model, uint64_t begin)
{
    const std::vector<axi::Transfer> rtl = host_.memory.take_transfers();
    size_t same = 0;
    while (same < rtl.size() && same < model.size()) {
        axi::Transfer t = rtl[same];
        t.cycle -= begin;
        if (!(t == model[same])) {
            break;
        }
        same++;
    }
    const auto show = [&](const std::vector<axi::Transfer> &all, uint64_t from) {
        return same >= all.size()
                   ? std::string("the end")
                   : tb::text("cycle %" PRIu64 " channel %u address %" PRIx64 " bytes %u",
                              all[same].cycle - from, all[same].channel, all[same].addr,
                              all[same].bytes);
    };
    const auto detail = [&] {
        return tb::text("transfer %zu: ", same) + show(rtl, begin) + "; model: " + show(model, 0);
    };
    bench_.equal("transfers that are equal", same, std::max(rtl.size(), model.size()), detail);
    transfers_ += same;
}

inline void CycleTests::compare_cycles(const Timed &timed, const axi::Timing &timing, bool odd,
                                       uint64_t irq)
{
    const fp8mac_cycles_config config = timed_config(timing, odd);
    std::vector<uint64_t> completed(timed.size());
    fp8mac_cycles_counters want{};
    size_t refused = 0;
    std::vector<axi::Transfer> transfers;
    const auto listen = [](void *context, const fp8mac_cycles_transfer *t) {
        static_cast<std::vector<axi::Transfer> *>(context)->push_back(
            {t->cycle, static_cast<unsigned>(t->channel), t->address, t->bytes});
    };
    const fp8mac_cycles_watcher watcher = {&transfers, listen, nullptr, 0};
    const fp8mac_status status = fp8mac_cycles_run_watched(
        &config, timed.data(), timed.size(), completed.data(), &refused, &want, &watcher);
    const auto detail = [&] {
        return tb::text("seed %" PRIu64 ", cycle %" PRIu64
                        ", %zu commands, %s memory, latency %u, stalls %u",
                        bench_.seed(), host_.cycles(), timed.size(),
                        timing.chip ? "chip's" : "ideal", timing.latency, timing.stall_permille);
    };
    if (!bench_.equal("status of the model", status, FP8MAC_OK, detail)) {
        return;
    }
    const uint64_t parts[] = {want.compute, want.results, want.spacing, want.first_load,
                              want.load,    want.command, want.store};
    for (size_t i = 0; i < std::size(parts); i++) {
        bench_.equal(kCycleParts[i].name, host_.read(kCycleParts[i].reg), parts[i], detail);
    }
    bench_.equal("READ_BEATS", host_.read(REG(READ_BEATS)), want.read_beats, detail);
    bench_.equal("WRITE_BEATS", host_.read(REG(WRITE_BEATS)), want.write_beats, detail);
    bench_.equal("MACS", host_.read(REG(MACS_LO)), want.macs & 0xffffffffu, detail);
    bench_.equal("the cycle of the interrupt", irq, completed.back() + 1, detail);
    compare_bus(transfers, memory_begin_);
    image_turn_ = static_cast<uint32_t>(want.image_turn);
    cycles_ += want.cycles;
    compared_++;
}

inline void CycleTests::model_refuses(const char *name, const std::vector<Command> &before,
                                      const Command &bad)
{
    Timed timed;
    for (const Command &t : before) {
        timed.push_back(accel::timed(t));
    }
    timed.push_back(accel::timed(bad));
    const fp8mac_cycles_config config = timed_config(axi::Timing{0, 0, false}, false);
    fp8mac_cycles_counters counters{};
    size_t refused = 0;
    const fp8mac_status status =
        fp8mac_cycles_run(&config, timed.data(), timed.size(), nullptr, &refused, &counters);
    const auto what = [&] { return std::string(name); };
    const bool has = status == FP8MAC_ERR_COMMAND || status == FP8MAC_ERR_UNSUPPORTED;
    bench_.check((std::string("the model refuses ") + name).c_str(), has);
    if (status == FP8MAC_ERR_COMMAND) {
        bench_.equal("the command that the model refuses", refused, before.size(), what);
    }
}

// Pairs cannot keep accumulators. Their D is not written then, so its stride may be too short.
inline Command CycleTests::kept_pairs()
{
    Command t;
    do {
        maker_.fresh();
        t = maker_.depthwise();
    } while (!t.pairs);
    t.acc_keep = true;
    t.d_stride = rng_.below(4) ? rng_.below(t.n) : t.d_stride;
    return t;
}

// Good commands, and one that the accelerator refuses because of its mode, as the model does.
inline void CycleTests::refused()
{
    begin();
    const Command bad = kept_pairs();
    std::vector<Command> before(rng_.below(3));
    for (Command &t : before) {
        t = lone();
        t.act_table = 0; // other commands have loaded the tables
    }
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    for (const Command &t : before) {
        golden.run(t);
        host_.submit(t);
    }
    host_.submit(bad);
    host_.wait_irq();
    const uint32_t status = host_.wait_idle();
    const auto what = [&] {
        return tb::text("a stride of %u for %u columns", bad.d_stride, bad.n);
    };
    bench_.equal("error of pairs that are kept", FIELD_OF(status, STATUS, ERROR_CODE), ErrMode,
                 what);
    bench_.equal("its tag", FIELD_OF(status, STATUS, ERROR_TAG), bad.tag);
    compare(want, "memory after pairs that are kept");
    host_.clear(kClearError);
    host_.memory.take_transfers();
    model_refuses("pairs that are kept", before, bad);
    refused_++;
    short_ += bad.d_stride < bad.n;
}

// An ideal memory, the chip's without stalls, the chip's with stalls
inline axi::Timing CycleTests::draw_memory(unsigned batch)
{
    axi::Timing timing;
    timing.random_latency = false;
    timing.latency = rng_.below(3) ? rng_.below(12) : rng_.below(100);
    timing.chip = batch % 3 != 0;
    if (batch % 3 == 2) {
        static const unsigned stalls[] = {1, 50, 100, 500, 850, 900};
        timing.stall_permille = stalls[rng_.below(6)];
        timing.stall_state = rng_.next() | 1u;
    }
    return timing;
}

inline void CycleTests::random_cycles(unsigned batches)
{
    host_.memory.listen();
    for (unsigned i = 0; i < batches && !bench_.hopeless(); i++) {
        begin();
        axi::Timing timing = draw_memory(i);
        host_.memory.set_timing(timing);
        Timed timed;
        uint64_t start = 0;
        const bool turns = kTurns && i % 32 >= 24 && image_turn_ != 0 && turned_ <= i / 32;
        const std::vector<Command> batch = turns ? turned_batch(timing) : timed_batch();
        const uint64_t irq = send(batch, timed, start);
        host_.wait_idle();
        timing.stall_state = stall_state_;
        compare_cycles(timed, timing, start % 2 != 0, irq);
        if (kFunctions.depthwise && !kRequantise && i % 8 == 0) {
            refused();
        }
    }
    bench_.covered("cycles compared with the model", cycles_);
    bench_.covered("batches of commands", compared_);
    bench_.covered("transfers of the bus", transfers_);
    bench_.covered("pauses of lists", resumed_);
    bench_.covered("commands in a pause", inside_);
    if (kFunctions.tables) {
        bench_.covered("loads of tables", loads_);
    }
    if (kFunctions.depthwise && !kRequantise) {
        bench_.covered("pairs that are kept, and refused", refused_);
        bench_.covered("those with a stride of D that is too short", short_);
    }
    if (kTurns) {
        bench_.covered("images that feel the turn of the rows", turned_);
    }
}

} // namespace accel

#endif
