// SPDX-License-Identifier: Apache-2.0
// Tables of activation functions: what the accelerator says of them, and commands that load them.
#ifndef ACCEL_TABLES_H
#define ACCEL_TABLES_H

#include "accel_errors.h"

namespace accel
{

class TableTests : public ErrorTests
{
  public:
    using ErrorTests::ErrorTests;

    void tables();
    void table_loads();

  private:
    struct BadLoad {
        const char *name;
        Error code;
        uint32_t table;
        uint32_t from; // added to a good address, or the address itself
        bool absolute;
        uint32_t beat; // of the bus, with this response
        axi::Response response;
    };

    void forget();
    void bad_table_load(const BadLoad &bad);
    void silent_table_load();
    Command mapped();
};

// A table is there when its last word was written.
inline void TableTests::tables()
{
    if (!kFunctions.tables) {
        return;
    }
    struct Step {
        size_t first, end; // words that are loaded before a command with this table
        unsigned table;
    };
    for (const Step &step : {Step{0, 0, 1}, {0, 63, 1}, {63, 64, 2}, {64, 127, 2}}) {
        host_.load_tables(step.first, step.end);
        begin();
        Command bad;
        do {
            bad = maker_.tile(24, 48);
        } while (bad.d_bytes() != 1);
        bad.extended = true;
        bad.act_table = step.table;
        fails("a table that was not loaded", ErrSequence, {}, bad, {});
    }
    host_.load_tables(127, 128);
    bench_.equal("the position in the tables is at its beginning again",
                 host_.read(REG(TABLE_INDEX)), 0);
}

// As begin(), with the memory as it is
inline void TableTests::forget()
{
    host_.write(REG(IRQ_STATE), ~0u);
    host_.clear(kClearFlags | kClearCounters);
}

// A load that fails: its command has the error, with its tag and record. If there is such a
// table, it is lost.
inline void TableTests::bad_table_load(const BadLoad &bad)
{
    begin();
    random_timing();
    Command before = mapped(), load = mapped(), use = mapped();
    before.act_table = use.act_table = 1;
    load.act_table = bad.table;
    load.load_table = true;
    load.record = kFunctions.records;
    load.table_addr = bad.absolute ? bad.from : maker_.allocate(FP8MAC_TABLE_CODES) + bad.from;
    const std::vector<uint32_t> at = list({before, load, use}, {});
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    golden.run(before);
    if (bad.response != axi::Okay) {
        const uint32_t beat = load.table_addr + bad.beat * kBeat;
        host_.memory.set_faults({Fault{beat, beat, bad.response}}, {});
    }
    host_.ring(at[0]);
    completed_++;
    host_.wait_irq();
    expect_error(bad.name, bad.code, load.tag);
    bench_.equal("the list is over", host_.read(REG(LIST)), at[1]);
    failed_record(load, bad.code);
    release_all();
    compare(want, "memory after a table that was not loaded");
    host_.memory.set_faults({}, {});
    host_.clear(kClearError);
    forget();
    if (bad.code == ErrMode) {
        run({use}, {use}, {0}); // with the codes that were there
    } else {
        fails("a table whose load failed", ErrSequence, {}, use, {});
    }
    host_.load_tables(0, 64);
    works_again();
}

// A command with D of codes and a table
inline Command TableTests::mapped()
{
    Command t;
    do {
        t = plain();
    } while (t.d_bytes() != 1);
    t.extended = true;
    t.act_table = 1;
    t.irq = t.record = false;
    return t;
}

// Tables that lists load between commands that use them, and loads that fail.
inline void TableTests::table_loads()
{
    if (!kFunctions.tables) {
        begin();
        Command t = plain();
        t.extended = t.load_table = true;
        t.act_table = 1;
        t.table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
        host_.ring(descriptor(t));
        host_.wait_irq();
        expect_error("a load without tables", ErrMode, t.tag);
        host_.clear(kClearError);
        works_again();
        return;
    }
    for (unsigned i = 0; i < 12 && !bench_.hopeless(); i++) {
        begin();
        random_timing();
        std::vector<Command> all;
        for (unsigned j = 0; j < 6; j++) {
            all.push_back(mapped());
            all.back().act_table = 1 + rng_.below(2);
            all.back().load_table = rng_.coin();
            all.back().table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
        }
        std::vector<uint32_t> rings(all.size(), kListed);
        rings[0] = list(all, {})[0];
        run(all, all, rings);
        host_.load_tables(0, 128);
    }
    static const BadLoad bads[] = {
        {"a load of no table", ErrMode, 0, 0, false, 0, axi::Okay},
        {"a load of a reserved table", ErrMode, 3, 0, false, 0, axi::Okay},
        {"a table not at a beat", ErrAlign, 1, 4, false, 0, axi::Okay},
        {"a table past the last address", ErrRange, 1, 0u - kBeat, true, 0, axi::Okay},
        {"a table without memory", ErrReadDec, 1, 0x30000000, true, 0, axi::Okay},
        {"a table whose first beat fails", ErrReadSlv, 1, 0, false, 0, axi::SlvErr},
        {"a table in whose middle a beat fails", ErrReadDec, 1, 0, false, 5, axi::DecErr},
        {"a table whose last beat fails", ErrReadSlv, 1, 0, false, 256 / kBeat - 1, axi::SlvErr},
    };
    for (const BadLoad &bad : bads) {
        bad_table_load(bad);
    }
    begin();
    Command t = mapped();
    t.load_table = true;
    t.table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
    fails("a load by the registers", ErrMode, {}, t, {});
    silent_table_load();
}

// The bus does not answer, and a soft reset comes while a command waits for its table. The
// table is lost then, too.
inline void TableTests::silent_table_load()
{
    for (const bool reset : {false, true}) {
        begin();
        host_.memory.set_timing(axi::Timing{});
        Command t = mapped(), use = t;
        t.load_table = true;
        t.table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
        const uint32_t at = descriptor(t);
        const std::vector<uint8_t> want = bytes();
        const uint64_t beats = (host_.describe(t).size() * 4 + kBeat - 1) / kBeat;
        host_.memory.set_stop(axi::Stop{axi::R, beats + 3, 0, axi::Okay});
        host_.write(REG(WATCHDOG), 60);
        host_.ring(at);
        if (reset) {
            for (unsigned i = 0; i < 1000 && host_.memory.stopped() == 0; i++) {
                host_.tick();
            }
            host_.clear(kSoftReset);
        } else {
            host_.wait_irq();
            const uint32_t status = host_.read(REG(STATUS));
            bench_.equal("error of a table that does not come",
                         FIELD_OF(status, STATUS, ERROR_CODE), ErrTimeout);
        }
        host_.memory.release();
        host_.wait_idle();
        host_.clear(kClearError);
        host_.write(REG(WATCHDOG), FP8MAC_REGS__WATCHDOG__CYCLES_reset);
        compare(want, "memory after a table that did not come");
        forget();
        fails("a table that did not come", ErrSequence, {}, use, {});
        host_.load_tables(0, 64);
        works_again();
    }
}

} // namespace accel

#endif
