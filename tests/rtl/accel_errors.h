// SPDX-License-Identifier: Apache-2.0
// Every error of the accelerator is provoked and cleared: commands that break the rules, memory
// that cannot be read, errors of the bus, and a queue that is full. Commands before the bad one
// complete, those behind it have no effect, and their records say so.
#ifndef ACCEL_ERRORS_H
#define ACCEL_ERRORS_H

#include "accel_speed.h"

namespace accel
{

class ErrorTests : public SpeedTests
{
  public:
    using SpeedTests::SpeedTests;

    void illegal_commands();
    void broken_chains();
    void late_failure();
    void scales_that_do_not_fit();
    void bad_descriptors();
    void longest_chain();
    void bus_errors();
    void bad_vectors();
    void queue_full();
    void records();

  protected:
    static constexpr unsigned kQueueDepth = 8;
    using Fault = axi::Fault;

    void fails(const char *name, Error code, const std::vector<Command> &before, const Command &bad,
               const std::vector<Command> &after);
    void expect_error(const char *name, Error code, uint16_t tag);
    void failed_record(const Command &t, Error code);

  private:
    void scene(std::vector<Command> &before, Command &bad, std::vector<Command> &after);
    void with_records(std::vector<Command> &before, Command &bad, std::vector<Command> &after);
    void illegal(const Spoil &spoil);
    void hasty(std::vector<Command> &before, Command &bad, std::vector<Command> &after);

    uint64_t hits_dropped_ = 0; // records of dropped commands
    uint64_t hits_partial_ = 0;
};

inline void ErrorTests::expect_error(const char *name, Error code, uint16_t tag)
{
    // The done interrupt of an earlier command may have come first.
    uint32_t status = host_.wait_idle();
    bench_.equal(name, FIELD_OF(status, STATUS, ERROR_CODE), code);
    bench_.equal("STATUS.error", FIELD_OF(status, STATUS, ERROR), 1);
    bench_.equal("STATUS.error_tag", FIELD_OF(status, STATUS, ERROR_TAG), tag);
    bench_.equal("IRQ_STATE.error", FIELD_OF(host_.read(REG(IRQ_STATE)), IRQ_STATE, ERROR), 1);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
}

// A command that failed has a record with its error. One that was dropped has a record that says
// so, or none if it was submitted after the failure.
inline void ErrorTests::failed_record(const Command &t, Error code)
{
    if (!kFunctions.records || !t.record || (code == ErrDropped && !is_done(t))) {
        return;
    }
    const uint32_t record = record_of(t);
    bench_.equal("tag of a record", FIELD_OF(record, RECORD_STATUS, TAG), t.tag);
    bench_.equal("error of a record", FIELD_OF(record, RECORD_STATUS, ERROR_CODE), code);
    bench_.equal("done", FIELD_OF(record, RECORD_STATUS, DONE), 1);
    hits_dropped_ += code == ErrDropped;
}

// `before` completes, `bad` fails with `code`, and the commands after it have no effect.
inline void ErrorTests::fails(const char *name, Error code, const std::vector<Command> &before,
                              const Command &bad, const std::vector<Command> &after)
{
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    std::vector<Outcome> outcomes;
    for (const Command &t : before) {
        golden.run(t);
        outcomes.push_back(golden.outcome);
    }
    std::vector<uint8_t> all = want;
    const bool writes = code == ErrWriteSlv || code == ErrWriteDec;
    Golden younger(all, axi::kMemoryBase);
    const bool reads = code == ErrReadSlv || code == ErrReadDec;
    const bool partly = writes || (reads && (bad.reads_c() || bad.elementwise()));
    if (partly) {
        younger.run(bad);
    }
    for (unsigned i = 0; writes && i < after.size(); i++) {
        younger.run(after[i]);
    }

    const auto submit = [&](const Command &t) {
        if (before.size() >= kQueueDepth) {
            host_.wait_for_room();
        }
        host_.submit(t);
    };
    for (const Command &t : before) {
        submit(t);
    }
    submit(bad);
    for (const Command &t : after) {
        host_.submit(t);
    }
    completed_ += static_cast<uint32_t>(before.size());
    host_.wait_irq();
    expect_error(name, code, bad.tag);

    // Of a command whose write failed, and of those after it, any part may have been written before
    // that was known. Of a command whose C or X was not read, any part before may be written.
    const std::vector<uint8_t> &got = bytes();
    for (size_t i = 0; partly && i < got.size(); i++) {
        if (got[i] == all[i] && got[i] != want[i]) {
            want[i] = got[i];
            hits_partial_++;
        }
    }
    compare(want, name);
    for (size_t i = 0; i < before.size(); i++) {
        if (before[i].record) {
            check_record(before[i], outcomes[i]);
        }
    }
    failed_record(bad, code);
    for (const Command &t : after) {
        failed_record(t, ErrDropped);
    }
    release_all();
    if (!after.empty()) {
        host_.submit(after[0]); // discarded
        bench_.check("a discarded command has no record", !is_done(after[0]));
    }
    host_.wait_idle();
    compare(want, "memory after a command in the error state");
    host_.memory.set_faults({}, {});
    host_.clear(kClearError);
    bench_.equal("STATUS after clear_error", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
}

inline void roomy(Command &t)
{
    t.a_stride = t.b_stride = t.d_stride = 64 * kBeat;
    t.mx_a_stride = t.mx_b_stride = 64 * kBeat;
}

inline void ErrorTests::scene(std::vector<Command> &before, Command &bad,
                              std::vector<Command> &after)
{
    begin();
    random_timing();
    before.clear();
    after.clear();
    for (unsigned i = rng_.below(3); i > 0; i--) {
        before.push_back(plain());
    }
    before.push_back(plain());
    bad = plain();
    for (unsigned i = rng_.below(4); i > 0; i--) {
        after.push_back(plain());
    }
    for (std::vector<Command> *tiles : {&before, &after}) {
        for (Command &t : *tiles) {
            t.irq = false;
        }
    }
    with_records(before, bad, after);
}

// Asks for a record of each command, if there are records: at most 3, 1 and 3, so that each
// tag selects another one.
inline void ErrorTests::with_records(std::vector<Command> &before, Command &bad,
                                     std::vector<Command> &after)
{
    uint32_t index = rng_.below(kRecords);
    const auto add = [&](Command &t) {
        t.record = kFunctions.records;
        t.tag = static_cast<uint16_t>((rng_.next() & ~(kRecords - 1u)) | index++ % kRecords);
    };
    for (Command &t : before) {
        add(t);
    }
    add(bad);
    for (Command &t : after) {
        add(t);
    }
}

inline void ErrorTests::illegal(const Spoil &spoil)
{
    std::vector<Command> before, after;
    Command bad;
    scene(before, bad, after);
    spoil.spoil(bad, before.back());
    // A shape taken from another tile has to have legal strides, or another error would come first.
    if (spoil.code == ErrSequence) {
        roomy(bad);
    }
    const bool absent = asks_too_much(bad) || (bad.rows() && !has_rows());
    fails(spoil.name, absent ? ErrMode : spoil.code, before, bad, after);
    if (!MINIMAL) { // the model of cycles has no minimal accelerator
        model_refuses(spoil.name, before, bad);
    }
    works_again();
}

inline void ErrorTests::illegal_commands()
{
    std::vector<Command> before, after;
    Command bad;
    for (const Spoil &spoil : kSpoils) {
        illegal(spoil);
    }
    for (const Spoil &spoil : kFunctionSpoils) {
        Command asking;
        spoil.spoil(asking, asking);
        if (asks_too_much(asking)) {
            illegal(spoil);
        }
    }
    for (const Spoil &spoil : kDepthwiseSpoils) {
        illegal(spoil);
    }
    for (const Spoil &spoil : kFloatSpoils) {
        if (!kRequantise) {
            illegal(spoil);
        }
    }
    for (const Spoil &spoil : kIntegerSpoils) {
        if (kRequantise) {
            illegal(spoil);
        }
    }
    for (const Spoil &spoil : kRowSpoils) {
        if (has_rows()) {
            illegal(spoil);
        }
    }
    for (const Spoil &spoil : kScaleSpoils) {
        if (kElement.mx) {
            illegal(spoil);
        }
    }
    if (!kElement.mx) {
        illegal(kNoScaleSpoil);
    }
    if (kElement.block > 1) {
        illegal(kChunkSpoil);
    }
    if (kOneAccumulator) {
        illegal(kFormatSpoils[0]);
    }
    if (!kElement.e5m2) {
        illegal(kFormatSpoils[1]), illegal(kFormatSpoils[2]);
    }
    if (!kElement.narrow) {
        illegal(kFormatSpoils[3]), illegal(kFormatSpoils[4]);
    }
    if (!kElement.int8) {
        illegal(kFormatSpoils[5]), illegal(kFormatSpoils[6]);
    }
    for (const Spoil &spoil : kInt8Spoils) {
        if (kElement.int8) {
            illegal(spoil);
        }
    }
    for (const Spoil &spoil : kReuseSpoils) {
        if (!kElement.int8) {
            illegal(spoil);
        }
    }
    // State from before an error cannot be reused after it.
    scene(before, bad, after);
    bad.act = FP8MAC_ACTIVATIONS;
    fails("an error", ErrMode, before, bad, after);
    Command reusing = bad;
    reusing.act = FP8MAC_ACT_NONE;
    reusing.reuse_a = true;
    before.clear();
    fails("reuse after the error state", ErrSequence, before, reusing, after);
}

// The second command of a chain does not match the first.
inline void ErrorTests::broken_chains()
{
    struct Break {
        const char *name;
        bool possible; // and the first to be wrong
        void (*spoil)(Command &t);
    };
    const bool has_units = kElement.fixed && !kElement.int8;
    const Break breaks[] = {
        {"chain of other m", true, [](Command &t) { t.m = t.m > 1 ? t.m - 1 : 2; }},
        {"chain of other n", true, [](Command &t) { t.n = t.n > 1 ? t.n - 1 : 2; }},
        {"chain of another accumulator", !kOneAccumulator, [](Command &t) { t.acc_fmt ^= 1; }},
        {"chain that ends within a block", kElement.block > 1,
         [](Command &t) { t.k = kElement.block + 1; }},
        {"chain of another pass shape", true,
         [](Command &t) { t.pass_shape = (t.pass_shape + 1) % 3; }},
        {"chain of another unit: sa", has_units, [](Command &t) { t.sa += t.sa < 32 ? 1 : -1; }},
        {"chain of another unit: sb", has_units, [](Command &t) { t.sb -= t.sb > -32 ? 1 : -1; }},
        {"chain of another unit: format of A", has_units,
         [](Command &t) { t.a_fmt = other_format(t.a_fmt); }},
        {"chain of another unit: format of B", has_units,
         [](Command &t) { t.b_fmt = other_format(t.b_fmt); }},
    };
    std::vector<Command> before, after;
    Command bad;
    for (const Break &b : breaks) {
        if (!b.possible) {
            continue;
        }
        scene(before, bad, after);
        const std::vector<Command> chain = maker_.chain(3);
        before.push_back(chain[0]);
        bad = chain[1];
        roomy(bad);
        b.spoil(bad);
        fails(b.name, ErrSequence, before, bad, after);
        works_again();
    }
}

// The second tile of a command is illegal, because its part of D does not start at a beat. The
// command fails, and so does nothing behind it. Only the first tile of D is written.
inline void ErrorTests::late_failure()
{
    begin();
    random_timing();
    Command bad = maker_.tile_of(4, 2, 8), after = plain();
    bad.d_fmt = kRequantise ? FP8MAC_INT8 : FP8MAC_E4M3FN;
    bad.overflow = FP8MAC_OVERFLOW_SATURATE;
    bad.tile_n = 1;
    bad.irq = after.irq = false;
    std::vector<uint8_t> want = bytes();
    Command first = bad;
    first.n = 1;
    Golden golden(want, axi::kMemoryBase);
    golden.run(first);
    host_.submit(bad);
    host_.submit(after);
    host_.wait_irq();
    expect_error("second tile", ErrAlign, bad.tag);
    compare(want, "memory after a failure of the second tile");
    host_.clear(kClearError);
    works_again();
}

// A chunk along K whose operands fit their buffers, and whose MX scales do not: in each row they
// lie in two beats, because they begin in the last byte of a beat, or in the one before it. The
// chunks before it are summed. Nothing is written.
inline void ErrorTests::scales_that_do_not_fit()
{
    constexpr unsigned kChunk = 3 * FP8MAC_MX_BLOCK;
    const unsigned k = (kBeat + 4) * FP8MAC_MX_BLOCK;
    if (!kElement.mx || !kShape.fits(kMaxMn, 1, kChunk) ||
        kShape.scales_fit(kMaxMn, 1, kChunk, true)) {
        return;
    }
    begin();
    random_timing();
    Command bad = maker_.tile_of(kMaxMn, COLS, k), after = plain();
    maker_.add_scales(bad);
    bad.tile_k = kChunk;
    bad.irq = after.irq = false;
    const std::vector<uint8_t> want = bytes();
    host_.submit(bad);
    host_.submit(after);
    host_.wait_irq();
    expect_error("more MX scales than their memory holds", ErrShape, bad.tag);
    compare(want, "memory after a chunk whose MX scales do not fit");
    host_.clear(kClearError);
    works_again();
}

// Descriptors that cannot be read, and a command that comes while a descriptor is read.
inline void ErrorTests::bad_descriptors()
{
    struct Bad {
        const char *name;
        Error code;
        uint32_t from;          // added to a good address
        axi::Response response; // of the bus, in the descriptor's second beat
    };
    static const Bad bads[] = {
        {"descriptor not on a beat", ErrAlign, 4, axi::Okay},
        {"descriptor past the last address", ErrRange, 0u - kBeat, axi::Okay},
        {"descriptor without memory", ErrReadDec, 0x30000000, axi::Okay},
        {"descriptor answered SLVERR", ErrReadSlv, 0, axi::SlvErr},
        {"descriptor answered DECERR", ErrReadDec, 0, axi::DecErr},
    };
    for (const Bad &bad : bads) {
        begin();
        random_timing();
        Command before = plain(), after = plain();
        before.irq = after.irq = false;
        const uint32_t at = descriptor(after), second = at + kBeat;
        std::vector<uint8_t> want = bytes();
        Golden golden(want, axi::kMemoryBase);
        golden.run(before);
        if (bad.response != axi::Okay) {
            host_.memory.set_faults({Fault{second, second, bad.response}}, {});
        }
        host_.submit(before);
        host_.wait_for_room();
        const bool absolute = bad.code == ErrRange || bad.from == 0x30000000;
        host_.ring(absolute ? bad.from : at + bad.from);
        host_.wait_for_room();
        host_.submit(after); // dropped
        completed_++;
        host_.wait_irq();
        expect_error(bad.name, bad.code, 0);
        compare(want, "memory after a descriptor that cannot be read");
        host_.memory.set_faults({}, {});
        host_.clear(kClearError);
        works_again();
    }
    begin();
    axi::Timing slow;
    slow.latency = 500;
    slow.random_latency = false;
    host_.memory.set_timing(slow);
    Command first = plain(), second = plain();
    first.irq = second.irq = false;
    const uint32_t at = descriptor(first);
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    golden.run(first);
    host_.ring(at);
    bench_.equal("reading", FIELD_OF(host_.read(REG(STATUS)), STATUS, FETCHING), 1);
    bench_.equal("no room", FIELD_OF(host_.read(REG(STATUS)), STATUS, QUEUE_FULL), 1);
    host_.submit(second);
    completed_++;
    expect_error("submitted while a descriptor is read", ErrQueueFull, second.tag);
    compare(want, "memory after a command that was dropped");
    host_.clear(kClearError);
    host_.memory.set_timing(axi::Timing{});
    works_again();
}

// A sum of as many products as an accumulator takes, and one of one product more.
inline void ErrorTests::longest_chain()
{
    if (kElement.terms_log2 == 0) {
        return;
    }
    constexpr uint8_t kLargest = 0x7e; // 448
    const uint32_t part = kShape.buf_beats * kBeat, parts = (1u << kElement.terms_log2) / part;
    std::vector<Command> chain;
    begin();
    host_.memory.set_timing(axi::Timing{});
    while (chain.size() < parts) {
        Command t = maker_.tile_of(2, 2, part);
        for (uint32_t addr : {t.a_addr, t.b_addr}) {
            uint8_t *codes = &bytes()[addr - axi::kMemoryBase];
            std::memset(codes, kLargest, 2 * part);
            for (uint32_t i = 0; kElement.int8 && i < 2 * part; i++) {
                codes[i] = static_cast<uint8_t>(100 + rng_.below(28)); // the sum has above 24 bits
            }
        }
        t.a_stride = t.b_stride = part;
        t.a_fmt = t.b_fmt = kElement.int8 ? kInt8 : 0;
        t.pass_shape = FP8MAC_PASS_ACROSS;
        t.sa = t.sb = 0;
        t.acc_continue = !chain.empty();
        t.acc_keep = chain.size() + 1 < parts;
        t.irq = false;
        chain.push_back(t);
    }
    run(chain);
    Command bad = chain.back();
    chain.back().acc_keep = true;
    bad.k = 1;
    bad.tag ^= 1;
    fails("more products than an accumulator takes", ErrSequence, chain, bad, {});
    works_again();
}

// Small commands and a slow memory. Commands after the bad one are loaded before its error is
// known. They could be written while the commands before it still wait for their responses.
inline void ErrorTests::hasty(std::vector<Command> &before, Command &bad,
                              std::vector<Command> &after)
{
    axi::Timing slow;
    slow.latency = 20 + rng_.below(200);
    host_.memory.set_timing(slow);
    const auto small = [&] {
        Command t = maker_.tile_of(2 + rng_.below(3), 2 + rng_.below(3), 1 + rng_.below(2 * kBeat));
        t.irq = false;
        return t;
    };
    for (Command &t : before) {
        t = small();
    }
    bad = small();
    after = {small(), small()};
    with_records(before, bad, after);
}

inline void ErrorTests::bus_errors()
{
    std::vector<Command> before, after;
    Command bad;
    for (unsigned i = 0; i < 168; i++) {
        const unsigned position = i / 2 % 7;
        if (position == 4 && !kFunctions.c) {
            continue;
        }
        scene(before, bad, after);
        if (i % 3 != 0) {
            hasty(before, bad, after);
        }
        const axi::Response response = i & 1 ? axi::SlvErr : axi::DecErr;
        const bool slv = response == axi::SlvErr;
        const auto at = [&](uint32_t addr, uint32_t stride, uint32_t rows) {
            const uint64_t beat = addr + uint64_t(stride) * (rows > 1 ? rng_.below(rows) : 0);
            return Fault{beat, beat, response};
        };
        bad.bias_en |= i % 4 == 2;
        if (bad.bias_en && bad.bias == 0) {
            bad.bias = maker_.allocate(4 * bad.n);
        }
        if (position == 4) {
            maker_.add_own_c(bad);
        } else if (position >= 5) {
            const Command gemm = bad;
            bad = position == 5 ? maker_.elementwise(24, 40) : maker_.small_convolution(10, 5, 0);
            bad.tag = gemm.tag;
            bad.record = gemm.record;
        }
        switch (position) {
        case 0: host_.memory.set_faults({at(bad.a_addr, bad.a_stride, bad.m)}, {}); break;
        case 1: host_.memory.set_faults({at(bad.bias_en ? bad.bias : bad.b_addr, 0, 1)}, {}); break;
        case 2: host_.memory.set_faults({at(bad.b_addr, bad.b_stride, bad.n)}, {}); break;
        case 4: host_.memory.set_faults({at(bad.c_addr, bad.c_stride, bad.m)}, {}); break;
        case 5: host_.memory.set_faults({at(bad.a_addr, bad.a_stride, bad.m)}, {}); break;
        case 6: host_.memory.set_faults({at(bad.a_addr, bad.a_stride, 4)}, {}); break;
        default: host_.memory.set_faults({}, {at(bad.d_addr, bad.d_stride, bad.m)}); break;
        }
        const bool write = position == 3;
        fails(write ? "write error" : "read error",
              write ? (slv ? ErrWriteSlv : ErrWriteDec) : (slv ? ErrReadSlv : ErrReadDec), before,
              bad, after);
        works_again();
    }
    // Once the error is known, nothing more is written.
    begin();
    host_.memory.set_timing(axi::Timing{});
    bad = maker_.tile_of(64, 64, 16);
    host_.memory.set_faults({}, {Fault{bad.d_addr, bad.d_addr, axi::SlvErr}});
    const uint64_t written = hits_partial_;
    fails("write error in the first row", ErrWriteSlv, {}, bad, {});
    bench_.check("most of D is not written",
                 hits_partial_ - written < bad.m * bad.n * bad.d_bytes() / 2);
    // There is no memory at this address.
    scene(before, bad, after);
    maker_.without_c(bad); // its golden result would need A
    bad.a_addr = 0x30000000;
    fails("no memory at A", ErrReadDec, before, bad, after);
    works_again();
    bench_.covered("bytes written before a write error", hits_partial_);
    if (kFunctions.records) {
        bench_.covered("records of dropped commands", hits_dropped_);
    }
}

// A value of a scale vector that is no scale, at every position; behind the vector it does not
// count.
inline void ErrorTests::bad_vectors()
{
    const uint32_t no_scales[] = {0, 0x80000000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000};
    const uint32_t no_multipliers[] = {1u << 31, ~0u}, no_shifts[] = {31, 32, 1u << 30, 0u - 32};
    std::vector<Command> before, after;
    Command bad;
    uint64_t tried = 0;
    for (unsigned i = 0; i <= 2 * kBeat && !bench_.hopeless(); i++) {
        scene(before, bad, after);
        maker_.add_vectors(bad);
        const bool of_a = !kRequantise && i % 2 != 0;
        const uint32_t count = kRequantise ? 2 * bad.n : of_a ? bad.m : bad.n;
        const uint32_t index = (kRequantise ? i : i / 2) % (count + 1);
        const uint32_t vector = of_a ? bad.scale_a : bad.scale_b;
        const uint32_t value = !kRequantise     ? no_scales[rng_.below(6)]
                               : index % 2 == 0 ? no_multipliers[rng_.below(2)]
                                                : no_shifts[rng_.below(4)];
        if (index == count && count % (kBeat / 4) == 0) {
            continue;
        }
        std::memcpy(&bytes()[vector - axi::kMemoryBase + 4 * index], &value, 4);
        if (index == count) {
            run({bad});
            continue;
        }
        fails("a value of a vector is no scale", ErrScale, before, bad, after);
        works_again();
        tried++;
    }
    bench_.covered("vectors with a value that is no scale", tried);
}

// More commands than the queue holds, while the bus is stalled: one is dropped and reported, the
// others complete.
inline void ErrorTests::queue_full()
{
    begin();
    axi::Timing frozen;
    frozen.latency = 3000;
    frozen.random_latency = false;
    host_.memory.set_timing(frozen);
    std::vector<uint8_t> want = bytes();
    std::vector<Command> tiles;
    for (unsigned i = 0; i < 2 * kQueueDepth; i++) {
        tiles.push_back(maker_.tile_of(2, 2, 8));
        tiles.back().irq = false;
    }
    want = bytes();
    Golden golden(want, axi::kMemoryBase);
    unsigned accepted = 0;
    while (!FIELD_OF(host_.read(REG(STATUS)), STATUS, QUEUE_FULL) && accepted < tiles.size() - 1) {
        golden.run(tiles[accepted]);
        host_.submit(tiles[accepted++]);
    }
    bench_.check("the queue holds what it promises", accepted >= kQueueDepth);
    host_.submit(tiles[accepted]);
    const uint32_t status = host_.read(REG(STATUS));
    bench_.equal("queue_full at once", FIELD_OF(status, STATUS, ERROR_CODE), ErrQueueFull);
    bench_.equal("others are still there", FIELD_OF(status, STATUS, IDLE), 0);
    host_.clear(kClearError);
    bench_.equal("clear_error does nothing before idle",
                 FIELD_OF(host_.read(REG(STATUS)), STATUS, ERROR), 1);
    bench_.check("interrupt", host_.irq());
    host_.memory.set_timing(axi::Timing{});
    completed_ += accepted;
    expect_error("queue full", ErrQueueFull, tiles[accepted].tag);
    compare(want, "memory after queue_full");
    host_.clear(kClearError);
    works_again();
}

// A record belongs to its command until it is released. A command that asks for it meanwhile is
// dropped and reported, and the others complete.
inline void ErrorTests::records()
{
    for (const bool by_doorbell : {false, true}) {
        begin();
        axi::Timing slow;
        slow.latency = 1000;
        slow.random_latency = false;
        host_.memory.set_timing(slow);
        std::vector<uint8_t> want = bytes();
        std::vector<Command> tiles;
        for (unsigned i = 0; i < kRecords; i++) {
            tiles.push_back(maker_.tile_of(2, 2, 8));
            tiles.back().irq = false;
            tiles.back().record = true;
            tiles.back().tag = static_cast<uint16_t>(0x1230 + i);
        }
        Command late = maker_.tile_of(2, 2, 8);
        late.record = true;
        late.tag = 0x4561; // the second one's record
        const uint32_t at = by_doorbell ? descriptor(late) : 0;
        want = bytes();
        Golden golden(want, axi::kMemoryBase);
        std::vector<Outcome> outcomes;
        for (const Command &t : tiles) {
            golden.run(t);
            outcomes.push_back(golden.outcome);
            host_.wait_for_room();
            host_.submit(t);
        }
        bench_.check("the last command is in flight", !is_done(tiles.back()));
        release(tiles.back()); // no effect: its record is not complete
        host_.wait_for_room();
        host_.memory.set_timing(axi::Timing{});
        by_doorbell ? host_.ring(at) : host_.submit(late);
        completed_ += kRecords;
        expect_error("a record that is not free", ErrRecord, late.tag);
        compare(want, "memory after a command that has no record");
        release(late); // no effect: another command has the record
        bench_.equal("all records are complete", host_.read(REG(RECORD_DONE)),
                     (1u << kRecords) - 1);
        host_.clear(kClearError);
        // Complete records outlive a soft reset; those of dropped commands are free.
        for (unsigned i = 0; i < kRecords; i++) {
            check_record(tiles[i], outcomes[i]);
        }
        release(tiles[1]);
        host_.memory.set_timing(slow);
        bytes() = want;
        by_doorbell ? host_.ring(at) : host_.submit(late);
        for (unsigned i = 0; i < 1500; i++) {
            host_.tick();
        }
        host_.clear(kSoftReset);
        host_.memory.set_timing(axi::Timing{});
        host_.wait_idle();
        bench_.equal("the dropped command has no record", host_.read(REG(RECORD_DONE)),
                     ((1u << kRecords) - 1) & ~2u);
        check_record(tiles[0], outcomes[0]);
        release_all();
        bytes() = want; // D of the dropped command may be partly written, and may be its C
        golden.run(late);
        host_.submit(late);
        completed_++;
        collect(late, golden.outcome);
        host_.wait_idle();
        compare(want, "memory after a command whose record was freed");
        works_again();
    }
}

} // namespace accel

#endif
