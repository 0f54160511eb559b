// SPDX-License-Identifier: Apache-2.0
// The accelerator against libfp8mac. Random commands work on a memory that stalls, and every
// byte of the memory is compared. Every error code is provoked and cleared. The bench is compiled
// once per parameter set: ROWS, COLS, LANES, TILES, AXI_DATA_W, the attributes of bursts, and the
// elements' (accel_element.h).
//
//   accel_tb [--seed N] [--batches N] [--gemm512] [--interrupt-every N] [--rows] [--blocks]
//   [--tables] [--cycles]
//
// --rows runs the tests of row commands alone, in more batches; --blocks bus errors under a
// quantisation to MX; --tables loads of tables; --cycles compares cycles with the model's alone.
// --gemm512 also runs a whole 512 x 512 x 512. --interrupt-every N leaves out the other beats and
// cycles of a product that is interrupted.
#include <algorithm>
#include <map>
#include <string>

#include "accel_cycles.h"

namespace
{

using accel::Command;
using accel::kBeat;
using accel::kElement;
using accel::kMaxMn;
using accel::kShape;

constexpr unsigned kQueueDepth = 8;

class Test : public accel::CycleTests
{
  public:
    using CycleTests::CycleTests;

    void identity();
    void tables();
    void table_loads();
    void protection();
    void random_batches(unsigned count);
    void convolutions(unsigned count);
    void convolution_speed();
    void narrow_images();
    void interrupts();
    void large_tiles();
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
    void causes();
    void speed(bool gemm512);
    void list_speed();
    void protocol();

  private:
    static constexpr unsigned kLatency = 8; // of the memory
    using Fault = axi::Fault;
    using Parts = std::map<std::string, uint32_t>; // cycles of each cause

    std::vector<Command> batch();
    void scene(std::vector<Command> &before, Command &bad, std::vector<Command> &after);
    void with_records(std::vector<Command> &before, Command &bad, std::vector<Command> &after);
    void illegal(const accel::Spoil &spoil);
    void hasty(std::vector<Command> &before, Command &bad, std::vector<Command> &after);
    void fails(const char *name, accel::Error code, const std::vector<Command> &before,
               const Command &bad, const std::vector<Command> &after);
    struct BadLoad {
        const char *name;
        accel::Error code;
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
    void expect_error(const char *name, accel::Error code, uint16_t tag);
    void failed_record(const Command &t, accel::Error code);
    std::vector<Command> product(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k);
    std::vector<Command> chains(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k,
                                uint32_t part);
    uint32_t utilisation(const char *name, const std::vector<Command> &tiles, double min_percent,
                         bool listed = false, unsigned latency = kLatency);
    Parts measure(const std::vector<Command> &tiles, const axi::Stop &stop);
    void grows(const char *cause, const std::vector<Command> &tiles, axi::Stop stop);

    uint64_t hits_refused_ = 0; // accesses with less protection than the DMA
    uint64_t hits_dropped_ = 0; // records of dropped commands
    uint64_t hits_elementwise_ = 0, hits_c_ = 0, hits_rescaled_ = 0;
    uint64_t hits_scaled_ = 0, hits_scaled_chunks_ = 0, hits_scaled_chain_ = 0,
             hits_scaled_reuse_ = 0, hits_scaled_fp16_ = 0;
    uint64_t hits_chain_ = 0, hits_reuse_ = 0, hits_divided_ = 0, hits_partial_ = 0,
             hits_convolution_ = 0;
};

void Test::identity()
{
    bench_.equal("ID", host_.read(REG(ID)), 0x46503841u);
    bench_.equal("RELEASE", host_.read(REG(RELEASE)),
                 FP8MAC_VERSION_MAJOR << 16 | FP8MAC_VERSION_MINOR << 8 | FP8MAC_VERSION_PATCH);
    const uint32_t config0 = host_.read(REG(CONFIG0)), config1 = host_.read(REG(CONFIG1));
    bench_.equal("rows", FIELD_OF(config0, CONFIG0, ROWS), ROWS);
    bench_.equal("cols", FIELD_OF(config0, CONFIG0, COLS), COLS);
    bench_.equal("lanes", FIELD_OF(config0, CONFIG0, LANES), LANES);
    bench_.equal("beat", FIELD_OF(config0, CONFIG0, BEAT_BYTES), kBeat);
    bench_.equal("tiles of the accumulator memory", FIELD_OF(config1, CONFIG1, ACC_TILES), TILES);
    bench_.equal("tiles of a pass", FIELD_OF(config1, CONFIG1, PASS_TILES),
                 accel::Shape::kPassTiles);
    bench_.equal("products of a block", FIELD_OF(host_.read(REG(CONFIG3)), CONFIG3, BLOCK),
                 kElement.block);
    bench_.equal("MX scales", FIELD_OF(host_.read(REG(CONFIG4)), CONFIG4, MX), kElement.mx);
    const uint32_t functions = host_.read(REG(CONFIG4));
    bench_.equal("images", FIELD_OF(functions, CONFIG4, CONV_A), accel::kFunctions.images);
    bench_.equal("element-wise", FIELD_OF(functions, CONFIG4, ELEMENTWISE),
                 accel::kFunctions.elementwise);
    bench_.equal("C", FIELD_OF(functions, CONFIG4, C), accel::kFunctions.c);
    bench_.equal("stochastic", FIELD_OF(functions, CONFIG4, STOCHASTIC),
                 accel::kFunctions.stochastic);
    bench_.equal("depthwise", FIELD_OF(functions, CONFIG4, DEPTHWISE), accel::kFunctions.depthwise);
    bench_.equal("tables", FIELD_OF(functions, CONFIG4, TABLES), accel::kFunctions.tables);
    bench_.equal("requantises", FIELD_OF(functions, CONFIG4, REQUANTISE), accel::kRequantise);
    bench_.equal("records", FIELD_OF(host_.read(REG(CONFIG3)), CONFIG3, RECORDS),
                 accel::kFunctions.records ? accel::kRecords : 0);
    bench_.equal("queue depth", FIELD_OF(config1, CONFIG1, QUEUE_DEPTH), kQueueDepth);
    bench_.equal("buffers", host_.read(REG(CONFIG2)), kShape.buf_beats | kMaxMn << 16);
    const uint32_t element = host_.read(REG(ELEMENT));
    bench_.equal("kind of elements", FIELD_OF(element, ELEMENT, KIND), kElement.kind);
    bench_.equal("FP32 accumulator", FIELD_OF(element, ELEMENT, ACC_FP32), kElement.fp32);
    bench_.equal("FP16 accumulator", FIELD_OF(element, ELEMENT, ACC_FP16), kElement.fp16);
    bench_.equal("fixed-point accumulator", FIELD_OF(element, ELEMENT, ACC_FIXED), kElement.fixed);
    bench_.equal("E5M2", FIELD_OF(element, ELEMENT, E5M2), kElement.e5m2);
    bench_.equal("NARROW", FIELD_OF(element, ELEMENT, NARROW), kElement.narrow);
    bench_.equal("INT8", FIELD_OF(element, ELEMENT, INT8), kElement.int8);
    if (ROWS == 4 && COLS == 4 && LANES == 16 && kElement.block == 32) {
        bench_.check("the default accelerator has row commands", has_rows());
    }
    bench_.equal("INT8 as C, D and X", FIELD_OF(host_.read(REG(CONFIG4)), CONFIG4, INT8), 1);
    bench_.equal("window", FIELD_OF(element, ELEMENT, FRAC_BITS), kElement.window ? FRAC_BITS : 0);
    bench_.equal("aligned to operands", FIELD_OF(element, ELEMENT, ALIGN_BY_OPERANDS),
                 kElement.by_operands);
    bench_.equal("products of an accumulator", FIELD_OF(element, ELEMENT, TERMS_LOG2),
                 kElement.terms_log2);
    bench_.equal("scale of D after reset", host_.read(REG(SCALE_D)), accel::kOne);
    bench_.equal("STATUS after reset", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    bench_.equal("AMAX after reset", host_.read(REG(AMAX)), 0);
    host_.read(0x400);
    bench_.check("no register there: PSLVERR", host_.slave_error());
    host_.read(REG(ID));
    bench_.check("a register there: no PSLVERR", !host_.slave_error());
}

// A table is there when its last word was written.
void Test::tables()
{
    if (!accel::kFunctions.tables) {
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
        fails("a table that was not loaded", accel::ErrSequence, {}, bad, {});
    }
    host_.load_tables(127, 128);
    bench_.equal("the position in the tables is at its beginning again",
                 host_.read(REG(TABLE_INDEX)), 0);
}

// As begin(), with the memory as it is
void Test::forget()
{
    host_.write(REG(IRQ_STATE), ~0u);
    host_.clear(accel::kClearFlags | accel::kClearCounters);
}

// A load that fails: its command has the error, with its tag and record. The table is lost
// if its reading began.
void Test::bad_table_load(const BadLoad &bad)
{
    begin();
    random_timing();
    Command before = mapped(), load = mapped(), use = mapped();
    before.act_table = use.act_table = 1;
    load.act_table = bad.table;
    load.load_table = true;
    load.record = accel::kFunctions.records;
    load.table_addr = bad.absolute ? bad.from : maker_.allocate(FP8MAC_TABLE_CODES) + bad.from;
    const std::vector<uint32_t> at = list({before, load, use}, {});
    std::vector<uint8_t> want = bytes();
    accel::Golden golden(want, axi::kMemoryBase);
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
    host_.clear(accel::kClearError);
    forget();
    if (bad.response == axi::Okay && !bad.absolute) {
        run({use}, {use}, {0}); // with the codes that were there
    } else if (bad.response != axi::Okay) {
        fails("a table whose load failed", accel::ErrSequence, {}, use, {});
    }
    host_.load_tables(0, 64);
    works_again();
}

// A command with D of codes and a table
Command Test::mapped()
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
void Test::table_loads()
{
    if (!accel::kFunctions.tables) {
        begin();
        Command t = plain();
        t.extended = t.load_table = true;
        t.act_table = 1;
        t.table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
        host_.ring(descriptor(t));
        host_.wait_irq();
        expect_error("a load without tables", accel::ErrMode, t.tag);
        host_.clear(accel::kClearError);
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
        {"a load of no table", accel::ErrMode, 0, 0, false, 0, axi::Okay},
        {"a load of a reserved table", accel::ErrMode, 3, 0, false, 0, axi::Okay},
        {"a table not at a beat", accel::ErrAlign, 1, 4, false, 0, axi::Okay},
        {"a table past the last address", accel::ErrRange, 1, 0u - kBeat, true, 0, axi::Okay},
        {"a table without memory", accel::ErrReadDec, 1, 0x30000000, true, 0, axi::Okay},
        {"a table whose first beat fails", accel::ErrReadSlv, 1, 0, false, 0, axi::SlvErr},
        {"a table in whose middle a beat fails", accel::ErrReadDec, 1, 0, false, 5, axi::DecErr},
        {"a table whose last beat fails", accel::ErrReadSlv, 1, 0, false, 256 / kBeat - 1,
         axi::SlvErr},
    };
    for (const BadLoad &bad : bads) {
        bad_table_load(bad);
    }
    begin();
    Command t = mapped();
    t.load_table = true;
    t.table_addr = maker_.allocate(FP8MAC_TABLE_CODES);
    fails("a load by the registers", accel::ErrMode, {}, t, {});
    silent_table_load();
}

// The bus does not answer, and a soft reset comes while a command waits for its table. The
// table is lost then, too.
void Test::silent_table_load()
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
            host_.clear(accel::kSoftReset);
        } else {
            host_.wait_irq();
            const uint32_t status = host_.read(REG(STATUS));
            bench_.equal("error of a table that does not come",
                         FIELD_OF(status, STATUS, ERROR_CODE), accel::ErrTimeout);
        }
        host_.memory.release();
        host_.wait_idle();
        host_.clear(accel::kClearError);
        host_.write(REG(WATCHDOG), FP8MAC_REGS__WATCHDOG__CYCLES_reset);
        compare(want, "memory after a table that did not come");
        forget();
        fails("a table that did not come", accel::ErrSequence, {}, use, {});
        host_.load_tables(0, 64);
        works_again();
    }
}

// Each of the eight values of PPROT. An access that is less secure or less privileged than the DMA
// is refused: it reads 0 and changes nothing. Any other has its effect.
void Test::protection()
{
    begin();
    const Command t = plain();
    host_.submit(t); // The registers hold a command that could be submitted again.
    completed_++;
    host_.wait_idle();
    bytes()[t.d_addr - axi::kMemoryBase] ^= 0xff; // what a second run would repair
    const std::vector<uint8_t> before = bytes();
    uint32_t tag = 0;
    host_.write(REG(RECORD_SELECT), tag);
    for (unsigned prot = 0; prot < 8; prot++) {
        const bool secure = (prot & 2) == 0, privileged = (prot & 1) != 0;
        const bool dma_secure = (AXI_PROT & 2) == 0, dma_privileged = (AXI_PROT & 1) != 0;
        const bool refused = (dma_secure && !secure) || (dma_privileged && !privileged);
        const auto what = [&] { return tb::text("PPROT %u, AXI_PROT %u", prot, AXI_PROT); };
        host_.protect(prot);
        bench_.equal("ID", host_.read(REG(ID)), refused ? 0 : 0x46503841u, what);
        bench_.equal("a read is refused", host_.slave_error(), refused, what);
        host_.write(REG(RECORD_SELECT), 100 + prot);
        bench_.equal("a write is refused", host_.slave_error(), refused, what);
        if (refused) {
            hits_refused_++;
            host_.write(REG(IRQ_ENABLE), 0);
            host_.write(REG(SUBMIT), t.tag);
            host_.write(REG(DOORBELL), t.a_addr);
            host_.write(REG(CTRL), FP8MAC_REGS__CTRL__SOFT_RESET_bm);
            bench_.check("the last of four writes is refused", host_.slave_error());
        } else {
            tag = 100 + prot;
        }
        host_.protect(AXI_PROT);
        bench_.equal("RECORD_SELECT", host_.read(REG(RECORD_SELECT)), tag, what);
        bench_.check("interrupts are still enabled", host_.read(REG(IRQ_ENABLE)) != 0);
        bench_.equal("nothing runs", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm, what);
        bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_, what);
    }
    compare(before, "memory after refused accesses");
    if (AXI_PROT % 4 != 2) { // a DMA that is neither secure nor privileged takes every access
        bench_.covered("refused accesses", hits_refused_);
    }
}

std::vector<Command> Test::batch()
{
    std::vector<Command> tiles;
    const unsigned count = 1 + rng_.below(6);
    while (tiles.size() < count && maker_.room()) {
        const unsigned kind = rng_.below(10);
        if (kind == 0) {
            const std::vector<Command> chain = maker_.chain(2 + rng_.below(3));
            tiles.insert(tiles.end(), chain.begin(), chain.end());
            hits_chain_++;
        } else if (kind < 4 && !tiles.empty() && !tiles.back().has_tiles() &&
                   !tiles.back().elementwise()) {
            tiles.push_back(maker_.reusing(tiles.back()));
            hits_reuse_++;
        } else if (kind == 4) {
            tiles.push_back(maker_.thin());
        } else if (kind == 5) {
            tiles.push_back(maker_.convolution());
            hits_convolution_++;
        } else if (kind == 6) {
            tiles.push_back(maker_.elementwise(60, 300));
            hits_elementwise_++;
        } else if (kind > 7) {
            tiles.push_back(maker_.divided());
            hits_divided_++;
        } else {
            tiles.push_back(maker_.tile(48, 100));
        }
        while (maker_.can_rescale(tiles.back()) && maker_.room() && rng_.coin()) {
            tiles.push_back(maker_.rescaled(tiles.back()));
            hits_rescaled_++;
        }
    }
    for (const Command &t : tiles) {
        hits_c_ += t.reads_c();
        hits_scaled_ += t.mx;
        hits_scaled_chunks_ += t.mx && t.has_tiles() && t.tile_k != 0 && t.tile_k < t.k;
        hits_scaled_chain_ += t.mx && t.acc_continue;
        hits_scaled_reuse_ += t.mx && (t.reuse_a || t.reuse_b);
        hits_scaled_fp16_ += t.mx && t.acc_fmt != 0;
    }
    return tiles;
}
void Test::random_batches(unsigned count)
{
    for (unsigned i = 0; i < count && !bench_.hopeless(); i++) {
        begin();
        random_timing();
        run(batch());
    }
    bench_.covered("chains", hits_chain_);
    if (accel::kFloats) {
        bench_.covered("commands with C", hits_c_);
        bench_.covered("commands with C that are the one before with other scales", hits_rescaled_);
        bench_.covered("element-wise commands", hits_elementwise_);
        bench_.covered("commands with stochastic rounding", hits_stochastic_);
        bench_.covered("batches with an output that is not finite", hits_nonfinite_);
    }
    if (!MINIMAL) {
        bench_.covered("commands with a table", hits_table_);
        bench_.covered("commands that load a table", hits_table_load_);
        bench_.covered("convolutions among other commands", hits_convolution_);
    }
    if (kElement.mx) {
        bench_.covered("commands with MX scales", hits_scaled_);
        bench_.covered("chunks of K with MX scales", hits_scaled_chunks_);
        bench_.covered("chains with MX scales", hits_scaled_chain_);
        bench_.covered("operands with MX scales that are reused", hits_scaled_reuse_);
        bench_.covered("MX scales with the FP16 accumulator", hits_scaled_fp16_);
    }
    bench_.covered("commands by the doorbell", hits_rung_);
    bench_.covered("commands by registers", hits_submitted_);
    bench_.covered("commands by a list", hits_listed_);
    bench_.covered("commands that reuse an operand", hits_reuse_);
    if (accel::kFunctions.records) {
        bench_.covered("completion records", hits_records_);
        bench_.covered("waits for a record", hits_waits_);
    }
    bench_.covered("commands of several tile commands", hits_divided_);
    bench_.covered("batches with finite outputs only", hits_finite_);
    bench_.covered("cycles of waiting for results to be taken", results_);
}

// The line is the OR of state & enable. A state bit is cleared only by writing 1 to it.
void Test::interrupts()
{
    begin();
    Command t = plain();
    t.irq = true;
    host_.write(REG(IRQ_ENABLE), FP8MAC_REGS__IRQ_ENABLE__ERROR_bm);
    host_.submit(t);
    completed_++;
    host_.wait_idle();
    bench_.equal("done is noted", host_.read(REG(IRQ_STATE)), FP8MAC_REGS__IRQ_STATE__DONE_bm);
    bench_.check("but not enabled", !host_.irq());
    host_.write(REG(IRQ_ENABLE), FP8MAC_REGS__IRQ_ENABLE__DONE_bm);
    bench_.check("now enabled", host_.irq());
    host_.write(REG(IRQ_STATE), FP8MAC_REGS__IRQ_STATE__ERROR_bm);
    bench_.check("another cause was cleared", host_.irq());
    host_.write(REG(IRQ_STATE), FP8MAC_REGS__IRQ_STATE__DONE_bm);
    bench_.check("cleared", !host_.irq());
    t.irq = false;
    host_.submit(t);
    completed_++;
    host_.wait_idle();
    bench_.equal("a command that does not ask for it", host_.read(REG(IRQ_STATE)), 0);
}

void Test::protocol()
{
    bench_.check(("AXI protocol: " + host_.memory.violation()).c_str(),
                 host_.memory.violation().empty());
    bench_.covered("bursts", host_.memory.bursts());
    bench_.equal("cycles of bursts with other attributes", host_.other_attributes(), 0);
    bench_.covered("write bursts of several beats", host_.memory.long_writes());
    bench_.equal("cycles in which a burst waits for data", host_.memory.data_waits(), 0);
    bench_.check("several reads in flight", host_.memory.most_reads_in_flight() > 2);
    bench_.check("several writes in flight", host_.memory.most_writes_in_flight() > 2);
}

// The largest tiles that fit, so that indices and addresses reach their ends.
void Test::large_tiles()
{
    const unsigned full_k = kShape.buf_beats / (kMaxMn / std::min(ROWS, COLS)) * kBeat;
    const unsigned long_k = kShape.buf_beats * kBeat;
    begin();
    random_timing();
    uint32_t mn = kMaxMn;
    while (!kShape.fits(mn, mn, kBeat)) {
        mn /= 2;
    }
    run({maker_.tile_of(mn, mn, kShape.fits(mn, mn, full_k) ? full_k : kBeat)});
    begin();
    run({maker_.tile_of(ROWS, COLS, long_k), maker_.tile_of(1, 1, long_k - 1),
         maker_.tile_of(ROWS, 1, long_k - LANES)});
}

// ---- errors
// -------------------------------------------------------------------------------------------------

// `before` completes, `bad` fails with `code`, and the commands after it have no effect.
void Test::fails(const char *name, accel::Error code, const std::vector<Command> &before,
                 const Command &bad, const std::vector<Command> &after)
{
    std::vector<uint8_t> want = bytes();
    accel::Golden golden(want, axi::kMemoryBase);
    std::vector<accel::Outcome> outcomes;
    for (const Command &t : before) {
        golden.run(t);
        outcomes.push_back(golden.outcome);
    }
    std::vector<uint8_t> all = want;
    const bool writes = code == accel::ErrWriteSlv || code == accel::ErrWriteDec;
    accel::Golden younger(all, axi::kMemoryBase);
    const bool reads = code == accel::ErrReadSlv || code == accel::ErrReadDec;
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
        failed_record(t, accel::ErrDropped);
    }
    release_all();
    if (!after.empty()) {
        host_.submit(after[0]); // discarded
        bench_.check("a discarded command has no record", !is_done(after[0]));
    }
    host_.wait_idle();
    compare(want, "memory after a command in the error state");
    host_.memory.set_faults({}, {});
    host_.clear(accel::kClearError);
    bench_.equal("STATUS after clear_error", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
}

// A command that failed has a record with its error. One that was dropped has a record that says
// so, or none if it was submitted after the failure.
void Test::failed_record(const Command &t, accel::Error code)
{
    if (!accel::kFunctions.records || !t.record || (code == accel::ErrDropped && !is_done(t))) {
        return;
    }
    const uint32_t record = record_of(t);
    bench_.equal("tag of a record", FIELD_OF(record, RECORD_STATUS, TAG), t.tag);
    bench_.equal("error of a record", FIELD_OF(record, RECORD_STATUS, ERROR_CODE), code);
    bench_.equal("done", FIELD_OF(record, RECORD_STATUS, DONE), 1);
    hits_dropped_ += code == accel::ErrDropped;
}

void Test::expect_error(const char *name, accel::Error code, uint16_t tag)
{
    // The done interrupt of an earlier command may have come first.
    uint32_t status = host_.wait_idle();
    bench_.equal(name, FIELD_OF(status, STATUS, ERROR_CODE), code);
    bench_.equal("STATUS.error", FIELD_OF(status, STATUS, ERROR), 1);
    bench_.equal("STATUS.error_tag", FIELD_OF(status, STATUS, ERROR_TAG), tag);
    bench_.equal("IRQ_STATE.error", FIELD_OF(host_.read(REG(IRQ_STATE)), IRQ_STATE, ERROR), 1);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
}

void roomy(Command &t)
{
    t.a_stride = t.b_stride = t.d_stride = 64 * kBeat;
    t.mx_a_stride = t.mx_b_stride = 64 * kBeat;
}

void Test::scene(std::vector<Command> &before, Command &bad, std::vector<Command> &after)
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
void Test::with_records(std::vector<Command> &before, Command &bad, std::vector<Command> &after)
{
    uint32_t index = rng_.below(accel::kRecords);
    const auto add = [&](Command &t) {
        t.record = accel::kFunctions.records;
        t.tag = static_cast<uint16_t>((rng_.next() & ~(accel::kRecords - 1u)) |
                                      index++ % accel::kRecords);
    };
    for (Command &t : before) {
        add(t);
    }
    add(bad);
    for (Command &t : after) {
        add(t);
    }
}

void Test::illegal(const accel::Spoil &spoil)
{
    std::vector<Command> before, after;
    Command bad;
    scene(before, bad, after);
    spoil.spoil(bad, before.back());
    // A shape taken from another tile has to have legal strides, or another error would come first.
    if (spoil.code == accel::ErrSequence) {
        roomy(bad);
    }
    const bool absent = accel::asks_too_much(bad) || (bad.rows() && !has_rows());
    fails(spoil.name, absent ? accel::ErrMode : spoil.code, before, bad, after);
    if (!MINIMAL) { // the model of cycles has no minimal accelerator
        model_refuses(spoil.name, before, bad);
    }
    works_again();
}

void Test::illegal_commands()
{
    std::vector<Command> before, after;
    Command bad;
    for (const accel::Spoil &spoil : accel::kSpoils) {
        illegal(spoil);
    }
    for (const accel::Spoil &spoil : accel::kFunctionSpoils) {
        Command asking;
        spoil.spoil(asking, asking);
        if (accel::asks_too_much(asking)) {
            illegal(spoil);
        }
    }
    for (const accel::Spoil &spoil : accel::kDepthwiseSpoils) {
        illegal(spoil);
    }
    for (const accel::Spoil &spoil : accel::kFloatSpoils) {
        if (!accel::kRequantise) {
            illegal(spoil);
        }
    }
    for (const accel::Spoil &spoil : accel::kIntegerSpoils) {
        if (accel::kRequantise) {
            illegal(spoil);
        }
    }
    for (const accel::Spoil &spoil : accel::kRowSpoils) {
        if (has_rows()) {
            illegal(spoil);
        }
    }
    for (const accel::Spoil &spoil : accel::kScaleSpoils) {
        if (kElement.mx) {
            illegal(spoil);
        }
    }
    if (!kElement.mx) {
        illegal(accel::kNoScaleSpoil);
    }
    if (kElement.block > 1) {
        illegal(accel::kChunkSpoil);
    }
    if (accel::kOneAccumulator) {
        illegal(accel::kFormatSpoils[0]);
    }
    if (!kElement.e5m2) {
        illegal(accel::kFormatSpoils[1]), illegal(accel::kFormatSpoils[2]);
    }
    if (!kElement.narrow) {
        illegal(accel::kFormatSpoils[3]), illegal(accel::kFormatSpoils[4]);
    }
    if (!kElement.int8) {
        illegal(accel::kFormatSpoils[5]), illegal(accel::kFormatSpoils[6]);
    }
    for (const accel::Spoil &spoil : accel::kInt8Spoils) {
        if (kElement.int8) {
            illegal(spoil);
        }
    }
    for (const accel::Spoil &spoil : accel::kReuseSpoils) {
        if (!kElement.int8) {
            illegal(spoil);
        }
    }
    // State from before an error cannot be reused after it.
    scene(before, bad, after);
    bad.act = FP8MAC_ACTIVATIONS;
    fails("an error", accel::ErrMode, before, bad, after);
    Command reusing = bad;
    reusing.act = FP8MAC_ACT_NONE;
    reusing.reuse_a = true;
    before.clear();
    fails("reuse after the error state", accel::ErrSequence, before, reusing, after);
}

// The second command of a chain does not match the first.
void Test::broken_chains()
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
        {"chain of another accumulator", !accel::kOneAccumulator,
         [](Command &t) { t.acc_fmt ^= 1; }},
        {"chain that ends within a block", kElement.block > 1,
         [](Command &t) { t.k = kElement.block + 1; }},
        {"chain of another pass shape", true,
         [](Command &t) { t.pass_shape = (t.pass_shape + 1) % 3; }},
        {"chain of another unit: sa", has_units, [](Command &t) { t.sa += t.sa < 32 ? 1 : -1; }},
        {"chain of another unit: sb", has_units, [](Command &t) { t.sb -= t.sb > -32 ? 1 : -1; }},
        {"chain of another unit: format of A", has_units,
         [](Command &t) { t.a_fmt = accel::other_format(t.a_fmt); }},
        {"chain of another unit: format of B", has_units,
         [](Command &t) { t.b_fmt = accel::other_format(t.b_fmt); }},
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
        fails(b.name, accel::ErrSequence, before, bad, after);
        works_again();
    }
}

// The second tile of a command is illegal, because its part of D does not start at a beat. The
// command fails, and so does nothing behind it. Only the first tile of D is written.
void Test::late_failure()
{
    begin();
    random_timing();
    Command bad = maker_.tile_of(4, 2, 8), after = plain();
    bad.d_fmt = accel::kRequantise ? FP8MAC_INT8 : FP8MAC_E4M3FN;
    bad.overflow = FP8MAC_OVERFLOW_SATURATE;
    bad.tile_n = 1;
    bad.irq = after.irq = false;
    std::vector<uint8_t> want = bytes();
    Command first = bad;
    first.n = 1;
    accel::Golden golden(want, axi::kMemoryBase);
    golden.run(first);
    host_.submit(bad);
    host_.submit(after);
    host_.wait_irq();
    expect_error("second tile", accel::ErrAlign, bad.tag);
    compare(want, "memory after a failure of the second tile");
    host_.clear(accel::kClearError);
    works_again();
}

// A chunk along K whose operands fit their buffers, and whose MX scales do not: in each row they
// lie in two beats, because they begin in the last byte of a beat, or in the one before it. The
// chunks before it are summed. Nothing is written.
void Test::scales_that_do_not_fit()
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
    expect_error("more MX scales than their memory holds", accel::ErrShape, bad.tag);
    compare(want, "memory after a chunk whose MX scales do not fit");
    host_.clear(accel::kClearError);
    works_again();
}

// Descriptors that cannot be read, and a command that comes while a descriptor is read.
void Test::bad_descriptors()
{
    struct Bad {
        const char *name;
        accel::Error code;
        uint32_t from;          // added to a good address
        axi::Response response; // of the bus, in the descriptor's second beat
    };
    static const Bad bads[] = {
        {"descriptor not on a beat", accel::ErrAlign, 4, axi::Okay},
        {"descriptor past the last address", accel::ErrRange, 0u - kBeat, axi::Okay},
        {"descriptor without memory", accel::ErrReadDec, 0x30000000, axi::Okay},
        {"descriptor answered SLVERR", accel::ErrReadSlv, 0, axi::SlvErr},
        {"descriptor answered DECERR", accel::ErrReadDec, 0, axi::DecErr},
    };
    for (const Bad &bad : bads) {
        begin();
        random_timing();
        Command before = plain(), after = plain();
        before.irq = after.irq = false;
        const uint32_t at = descriptor(after), second = at + kBeat;
        std::vector<uint8_t> want = bytes();
        accel::Golden golden(want, axi::kMemoryBase);
        golden.run(before);
        if (bad.response != axi::Okay) {
            host_.memory.set_faults({Fault{second, second, bad.response}}, {});
        }
        host_.submit(before);
        host_.wait_for_room();
        const bool absolute = bad.code == accel::ErrRange || bad.from == 0x30000000;
        host_.ring(absolute ? bad.from : at + bad.from);
        host_.wait_for_room();
        host_.submit(after); // dropped
        completed_++;
        host_.wait_irq();
        expect_error(bad.name, bad.code, 0);
        compare(want, "memory after a descriptor that cannot be read");
        host_.memory.set_faults({}, {});
        host_.clear(accel::kClearError);
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
    accel::Golden golden(want, axi::kMemoryBase);
    golden.run(first);
    host_.ring(at);
    bench_.equal("reading", FIELD_OF(host_.read(REG(STATUS)), STATUS, FETCHING), 1);
    bench_.equal("no room", FIELD_OF(host_.read(REG(STATUS)), STATUS, QUEUE_FULL), 1);
    host_.submit(second);
    completed_++;
    expect_error("submitted while a descriptor is read", accel::ErrQueueFull, second.tag);
    compare(want, "memory after a command that was dropped");
    host_.clear(accel::kClearError);
    host_.memory.set_timing(axi::Timing{});
    works_again();
}

// A sum of as many products as an accumulator takes, and one of one product more.
void Test::longest_chain()
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
        t.a_fmt = t.b_fmt = kElement.int8 ? accel::kInt8 : 0;
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
    fails("more products than an accumulator takes", accel::ErrSequence, chain, bad, {});
    works_again();
}

// Small commands and a slow memory. Commands after the bad one are loaded before its error is
// known. They could be written while the commands before it still wait for their responses.
void Test::hasty(std::vector<Command> &before, Command &bad, std::vector<Command> &after)
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

void Test::bus_errors()
{
    std::vector<Command> before, after;
    Command bad;
    for (unsigned i = 0; i < 168; i++) {
        const unsigned position = i / 2 % 7;
        if (position == 4 && !accel::kFunctions.c) {
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
              write ? (slv ? accel::ErrWriteSlv : accel::ErrWriteDec)
                    : (slv ? accel::ErrReadSlv : accel::ErrReadDec),
              before, bad, after);
        works_again();
    }
    // Once the error is known, nothing more is written.
    begin();
    host_.memory.set_timing(axi::Timing{});
    bad = maker_.tile_of(64, 64, 16);
    host_.memory.set_faults({}, {Fault{bad.d_addr, bad.d_addr, axi::SlvErr}});
    const uint64_t written = hits_partial_;
    fails("write error in the first row", accel::ErrWriteSlv, {}, bad, {});
    bench_.check("most of D is not written",
                 hits_partial_ - written < bad.m * bad.n * bad.d_bytes() / 2);
    // There is no memory at this address.
    scene(before, bad, after);
    maker_.without_c(bad); // its golden result would need A
    bad.a_addr = 0x30000000;
    fails("no memory at A", accel::ErrReadDec, before, bad, after);
    works_again();
    bench_.covered("bytes written before a write error", hits_partial_);
    if (accel::kFunctions.records) {
        bench_.covered("records of dropped commands", hits_dropped_);
    }
}

// A value of a scale vector that is no scale, at every position; behind the vector it does not
// count.
void Test::bad_vectors()
{
    const uint32_t no_scales[] = {0, 0x80000000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000};
    const uint32_t no_multipliers[] = {1u << 31, ~0u}, no_shifts[] = {31, 32, 1u << 30, 0u - 32};
    std::vector<Command> before, after;
    Command bad;
    uint64_t tried = 0;
    for (unsigned i = 0; i <= 2 * kBeat && !bench_.hopeless(); i++) {
        scene(before, bad, after);
        maker_.add_vectors(bad);
        const bool of_a = !accel::kRequantise && i % 2 != 0;
        const uint32_t count = accel::kRequantise ? 2 * bad.n : of_a ? bad.m : bad.n;
        const uint32_t index = (accel::kRequantise ? i : i / 2) % (count + 1);
        const uint32_t vector = of_a ? bad.scale_a : bad.scale_b;
        const uint32_t value = !accel::kRequantise ? no_scales[rng_.below(6)]
                               : index % 2 == 0    ? no_multipliers[rng_.below(2)]
                                                   : no_shifts[rng_.below(4)];
        if (index == count && count % (kBeat / 4) == 0) {
            continue;
        }
        std::memcpy(&bytes()[vector - axi::kMemoryBase + 4 * index], &value, 4);
        if (index == count) {
            run({bad});
            continue;
        }
        fails("a value of a vector is no scale", accel::ErrScale, before, bad, after);
        works_again();
        tried++;
    }
    bench_.covered("vectors with a value that is no scale", tried);
}

// More commands than the queue holds, while the bus is stalled: one is dropped and reported, the
// others complete.
void Test::queue_full()
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
    accel::Golden golden(want, axi::kMemoryBase);
    unsigned accepted = 0;
    while (!FIELD_OF(host_.read(REG(STATUS)), STATUS, QUEUE_FULL) && accepted < tiles.size() - 1) {
        golden.run(tiles[accepted]);
        host_.submit(tiles[accepted++]);
    }
    bench_.check("the queue holds what it promises", accepted >= kQueueDepth);
    host_.submit(tiles[accepted]);
    const uint32_t status = host_.read(REG(STATUS));
    bench_.equal("queue_full at once", FIELD_OF(status, STATUS, ERROR_CODE), accel::ErrQueueFull);
    bench_.equal("others are still there", FIELD_OF(status, STATUS, IDLE), 0);
    host_.clear(accel::kClearError);
    bench_.equal("clear_error does nothing before idle",
                 FIELD_OF(host_.read(REG(STATUS)), STATUS, ERROR), 1);
    bench_.check("interrupt", host_.irq());
    host_.memory.set_timing(axi::Timing{});
    completed_ += accepted;
    expect_error("queue full", accel::ErrQueueFull, tiles[accepted].tag);
    compare(want, "memory after queue_full");
    host_.clear(accel::kClearError);
    works_again();
}

// A record belongs to its command until it is released. A command that asks for it meanwhile is
// dropped and reported, and the others complete.
void Test::records()
{
    for (const bool by_doorbell : {false, true}) {
        begin();
        axi::Timing slow;
        slow.latency = 1000;
        slow.random_latency = false;
        host_.memory.set_timing(slow);
        std::vector<uint8_t> want = bytes();
        std::vector<Command> tiles;
        for (unsigned i = 0; i < accel::kRecords; i++) {
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
        accel::Golden golden(want, axi::kMemoryBase);
        std::vector<accel::Outcome> outcomes;
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
        completed_ += accel::kRecords;
        expect_error("a record that is not free", accel::ErrRecord, late.tag);
        compare(want, "memory after a command that has no record");
        release(late); // no effect: another command has the record
        bench_.equal("all records are complete", host_.read(REG(RECORD_DONE)),
                     (1u << accel::kRecords) - 1);
        host_.clear(accel::kClearError);
        // Complete records outlive a soft reset; those of dropped commands are free.
        for (unsigned i = 0; i < accel::kRecords; i++) {
            check_record(tiles[i], outcomes[i]);
        }
        release(tiles[1]);
        host_.memory.set_timing(slow);
        bytes() = want;
        by_doorbell ? host_.ring(at) : host_.submit(late);
        for (unsigned i = 0; i < 1500; i++) {
            host_.tick();
        }
        host_.clear(accel::kSoftReset);
        host_.memory.set_timing(axi::Timing{});
        host_.wait_idle();
        bench_.equal("the dropped command has no record", host_.read(REG(RECORD_DONE)),
                     ((1u << accel::kRecords) - 1) & ~2u);
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

// ---- causes of lost cycles
// -------------------------------------------------------------------------------------------

// Submits `tiles` without a pause, on a memory that never stalls but at `stop`.
Test::Parts Test::measure(const std::vector<Command> &tiles, const axi::Stop &stop)
{
    axi::Timing ideal;
    ideal.latency = 8;
    ideal.random_latency = false;
    host_.memory.set_timing(ideal);
    host_.wait_idle();
    host_.clear(accel::kClearFlags | accel::kClearCounters);
    host_.memory.set_stop(stop);
    for (const Command &t : tiles) {
        host_.submit(t);
    }
    host_.wait_idle();
    host_.memory.release();
    completed_ += static_cast<uint32_t>(tiles.size());
    Parts parts;
    for (const auto &part : kCycleParts) {
        parts[part.name] = host_.read(part.reg);
    }
    return parts;
}

// A channel that is silent for 100 cycles more adds 100 cycles to one cause, and to no other.
void Test::grows(const char *cause, const std::vector<Command> &tiles, axi::Stop stop)
{
    constexpr uint32_t more = 100;
    const Parts before = measure(tiles, stop);
    stop.cycles += more;
    Parts after = measure(tiles, stop);
    for (const auto &[name, cycles] : before) {
        bench_.equal(tb::text("%s grows: cycles of %s", cause, name.c_str()).c_str(), after[name],
                     cycles + (name == cause ? more : 0));
    }
}

// Every cause has a test with a known number of cycles. CYC_COMPUTE is checked in every batch.
void Test::causes()
{
    begin();
    constexpr uint32_t wait = 4000; // longer than everything else in these commands
    const unsigned unit = std::max<unsigned>(kElement.block, kBeat);
    const uint32_t k = 4 * unit;
    Command small = product(1, 1, std::max(ROWS, COLS), k).front();
    small.m = ROWS;
    small.n = COLS;
    small.d_stride = std::max<uint32_t>(COLS, kBeat);
    small.d_addr = maker_.allocate(ROWS * small.d_stride);
    Command late = small;
    late.d_addr = maker_.allocate(ROWS * late.d_stride);
    const uint64_t first_beats = uint64_t(ROWS + COLS) * k / kBeat;
    grows("first load", {small}, {.channel = axi::R, .beat = 0, .cycles = wait});
    grows("load", {small, late}, {.channel = axi::R, .beat = first_beats + 1, .cycles = wait});
    grows("store", {small}, {.channel = axi::B, .beat = 0, .cycles = wait});

    // Many results of few products each, while nothing can be written
    uint32_t side = 64;
    while (!kShape.fits(side, side, unit)) {
        side /= 2;
    }
    Command wide = product(1, 1, side, unit).front();
    wide.d_fmt = 6; // FP32
    wide.d_stride = 4 * side;
    wide.d_addr = maker_.allocate(4 * side * side);
    grows("results", {wide}, {.channel = axi::W, .beat = 0, .cycles = wait});

    // Blocks of one tile follow each other at the distance of the array's loop.
    const unsigned blocks = k / kElement.block, steps = kElement.block / LANES;
    const uint32_t spacing = measure({small}, {})["spacing"];
    bench_.equal("cycles of spacing of the blocks behind the first", spacing % (blocks - 1), 0);
    if (ELEMENT_KIND == FP8MAC_ELEMENT_BLOCK && LANES == 16 && ROWS == 4) {
        bench_.equal("cycles of spacing, a loop of 6 cycles", spacing, (blocks - 1) * (6 - steps));
    }

    // The way of a command to its load takes the same cycles each time.
    Parts once = measure({small}, {});
    host_.wait_idle();
    host_.clear(accel::kClearCounters);
    for (unsigned i = 0; i < 3; i++) {
        host_.submit(small);
        host_.wait_idle();
    }
    completed_ += 3;
    bench_.check("a command takes some cycles until its load", once["command"] > 0);
    bench_.equal("cycles of three commands on their way", host_.read(REG(CYC_COMMAND)),
                 3 * once["command"]);

    const uint32_t idle = host_.read(REG(CYC_IDLE));
    const uint64_t at = host_.cycles();
    for (unsigned i = 0; i < 100; i++) {
        host_.tick();
    }
    const uint32_t later = host_.read(REG(CYC_IDLE));
    bench_.equal("idle cycles", later - idle, host_.cycles() - at);
    begin();
}

// ---- speed
// -------------------------------------------------------------------------------------------------

// Runs `tiles` on a memory that never stalls, one submission each or as a list. Cycles count from
// the first register write to the last result written.
uint32_t Test::utilisation(const char *name, const std::vector<Command> &tiles, double min_percent,
                           bool listed, unsigned latency)
{
    axi::Timing ideal;
    ideal.latency = latency;
    ideal.random_latency = false;
    host_.memory.set_timing(ideal);
    host_.clear(accel::kClearFlags | accel::kClearCounters);
    std::vector<uint32_t> rings(tiles.size(), listed ? kListed : 0);
    if (listed) {
        rings[0] = list(tiles, {})[0];
    }
    run(tiles, tiles, rings);
    uint64_t macs = 0;
    for (const Command &t : tiles) {
        macs += t.macs();
    }
    uint32_t cycles = 0;
    std::string parts;
    for (const auto &part : kCycleParts) {
        const uint32_t value = host_.read(part.reg);
        cycles += value;
        parts += tb::text("%s%s %u", parts.empty() ? "" : ", ", part.name, value);
    }
    const double percent = 100.0 * static_cast<double>(macs) / (ROWS * COLS * LANES) / cycles;
    std::printf("%s: utilisation %.2f %% of %u cycles from first command to idle "
                "(%s), memory latency %u\n",
                name, percent, cycles, parts.c_str(), latency);
    bench_.check("utilisation is not below what it was", percent >= min_percent);
    return cycles;
}

// A product divided into a_tiles x b_tiles tiles of mn x mn x k: each A is loaded once, each B once
// per A. FP8 results.
std::vector<Command> Test::product(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k)
{
    std::vector<Command> tiles;
    std::vector<uint32_t> b;
    for (unsigned j = 0; j < b_tiles; j++) {
        b.push_back(maker_.dense(mn, k));
    }
    for (unsigned i = 0; i < a_tiles; i++) {
        Command t;
        t.m = t.n = mn;
        t.k = k;
        t.acc_fmt = accel::acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? accel::kInt8 : 0;
        t.a_stride = t.b_stride = k;
        t.d_stride = accel::Shape::up(mn, kBeat) * kBeat;
        t.a_addr = maker_.dense(mn, k);
        for (unsigned j = 0; j < b_tiles; j++) {
            t.reuse_a = j > 0;
            t.b_addr = b[j];
            t.d_addr = maker_.allocate(mn * t.d_stride);
            tiles.push_back(t);
        }
    }
    return tiles;
}

// The same with k divided into parts: the accumulators of an mn x mn tile stay where they are.
std::vector<Command> Test::chains(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k,
                                  uint32_t part)
{
    std::vector<Command> tiles;
    for (Command t : product(a_tiles, b_tiles, mn, k)) {
        t.reuse_a = t.k == part && t.reuse_a;
        const uint32_t a_addr = t.a_addr, b_addr = t.b_addr;
        t.k = part;
        for (uint32_t from = 0; from < k; from += part) {
            t.a_addr = a_addr + from;
            t.b_addr = b_addr + from;
            t.acc_continue = from > 0;
            t.acc_keep = from + part < k;
            tiles.push_back(t);
        }
    }
    return tiles;
}

// A 3 x 3 convolution with padding of 1, as a network would run it, and the same GEMM with its
// operand A gathered before.
void Test::convolution_speed()
{
    struct Layer {
        uint32_t width, height, channels, n, tile_m, tile_n, tile_k;
    };
    // The second one is a part of ResNet's 56 x 56 x 64 to 64, as high as the memory of
    // this bench has room for.
    for (const Layer &layer :
         {Layer{28, 28, 8, 16, 112, 16, 0}, Layer{56, 8, 64, 64, 64, 64, 192}}) {
        fp8mac_image image{};
        image.channels = layer.channels, image.pixel_bytes = layer.channels;
        image.height = layer.height, image.width = image.out_w = layer.width;
        image.kernel_w = 3, image.pad_top = image.pad_left = 1;
        image.stride_x = image.stride_y = image.dilation_x = image.dilation_y = 1;
        begin();
        Command t;
        t.m = layer.width * layer.height, t.n = layer.n, t.k = 9 * layer.channels;
        t.tile_m = layer.tile_m, t.tile_n = layer.tile_n, t.tile_k = layer.tile_k;
        t.acc_fmt = accel::acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? accel::kInt8 : 0;
        t.pass_shape = FP8MAC_PASS_AUTOMATIC;
        t.a_stride = t.b_stride = (t.k + kBeat - 1) / kBeat * kBeat;
        t.d_stride = accel::Shape::up(t.n, kBeat) * kBeat;
        if (!kShape.fits(t.tile_m, t.tile_n, t.tile_k ? t.tile_k : t.k) ||
            !kShape.keeps(t.tile_m, t.tile_n, t.pass_shape) ||
            t.macs() / (ROWS * COLS * LANES) > 100000) { // cycles: a small array takes too long
            continue;
        }
        Command gemm = t;
        gemm.b_addr = t.b_addr = maker_.dense(t.n, t.b_stride);
        gemm.d_addr = t.d_addr = maker_.allocate(t.m * t.d_stride);
        gemm.a_addr = maker_.dense(t.m, t.a_stride);
        t.a_stride = layer.width * layer.channels;
        maker_.store_image(t, image, 0, true);
        const std::string name = tb::text("3 x 3, %u x %u x %u to %u", layer.height, layer.width,
                                          layer.channels, layer.n);
        utilisation((name + ", as a GEMM").c_str(), {gemm}, 0);
        host_.wait_idle();
        host_.write(REG(IRQ_STATE), ~0u);
        utilisation((name + ", read in place").c_str(), {t}, 0);
    }
}

// Images whose segments are short: a memory that answers later hardly costs more.
void Test::narrow_images()
{
    struct Layer {
        const char *name;
        uint32_t width, channels, pixel_bytes, n, stride, tile_m;
    };
    for (const Layer &layer : {Layer{"first layer, 1 channel", 28, 1, 1, 16, 1, 112},
                               Layer{"first layer, 3 channels", 28, 3, 3, 16, 2, 112},
                               Layer{"depthwise, a group of 16 channels", 14, 16, 64, 16, 1, 64}}) {
        fp8mac_image image{};
        image.channels = layer.channels, image.pixel_bytes = layer.pixel_bytes;
        image.height = image.width = layer.width, image.out_w = layer.width / layer.stride;
        image.kernel_w = 3, image.pad_top = image.pad_left = 1;
        image.stride_x = image.stride_y = layer.stride;
        image.dilation_x = image.dilation_y = 1;
        begin();
        Command t;
        t.m = image.out_w * image.out_w, t.n = layer.n, t.k = 9 * layer.channels;
        t.tile_m = layer.tile_m;
        t.acc_fmt = accel::acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? accel::kInt8 : 0;
        t.pass_shape = FP8MAC_PASS_AUTOMATIC;
        t.b_stride = (t.k + kBeat - 1) / kBeat * kBeat;
        t.d_stride = accel::Shape::up(t.n, kBeat) * kBeat;
        t.a_stride = layer.width * layer.pixel_bytes;
        if (!kShape.fits(t.tile_m, t.n, t.k) || !kShape.keeps(t.tile_m, t.n, t.pass_shape) ||
            t.tile_m > kMaxMn) {
            continue;
        }
        t.b_addr = maker_.dense(t.n, t.b_stride);
        t.d_addr = maker_.allocate(t.m * t.d_stride);
        maker_.store_image(t, image, 0, true);
        const uint32_t early = utilisation(layer.name, {t}, 0);
        host_.write(REG(IRQ_STATE), ~0u);
        const uint32_t beats = host_.read(REG(READ_BEATS));
        if (layer.pixel_bytes != layer.channels && ROWS == 4) {
            // Rows side by side share the reads of a pixel: 6 serve 4 rows where each alone has 3.
            bench_.check("a layer with gaps reads a pixel once for neighbouring rows",
                         beats < t.m * 9 * 7 / 10);
        }
        const uint32_t late = utilisation(layer.name, {t}, 0, false, kLatency + 20);
        bench_.check("a late memory costs a fifth at most", late * 5 <= early * 6);
        host_.write(REG(IRQ_STATE), ~0u);
    }
}

void Test::convolutions(unsigned count)
{
    for (unsigned i = 0; i < count && !bench_.hopeless(); i++) {
        random_timing();
        begin();
        std::vector<Command> tiles;
        while (tiles.size() < 1 + i % 4 && maker_.room()) {
            tiles.push_back(maker_.convolution());
        }
        run(tiles);
    }
}

void Test::speed(bool gemm512)
{
    begin();
    const uint32_t side = kShape.fits(64, 64, 256) ? 64 : 32;
    uint32_t k = 512;
    while (!kShape.fits(side, side, k)) {
        k /= 2;
    }
    const std::string name = tb::text("%u x %u x %u, 8 commands", side, side, k);
    utilisation(name.c_str(), product(2, 4, side, k), 90.0);
    for (const auto &[mn, depth] :
         {std::pair<unsigned, unsigned>{64, 32}, {64, 64}, {64, 128}, {16, 512}}) {
        if (!kShape.fits(mn, mn, depth)) {
            continue;
        }
        begin();
        utilisation(tb::text("%u x %u x %u, 6 commands", mn, mn, depth).c_str(),
                    product(2, 3, mn, depth), 0);
    }
    if (!gemm512) {
        return;
    }
    begin();
    utilisation("512 x 512 x 512", chains(8, 8, 64, 512, k), 98.0);
}

// Lists of 64 GEMMs: none depends on another one; each one's A is D of the one before.
void Test::list_speed()
{
    constexpr uint32_t kSide = 32, kCount = 64;
    if (!kShape.fits(kSide, kSide, kSide) || uint64_t(ROWS) * COLS * LANES < 256) {
        return;
    }
    begin();
    std::vector<Command> tiles;
    for (uint32_t i = 0; i < kCount; i++) {
        tiles.push_back(product(1, 1, kSide, kSide)[0]);
    }
    // With more elements the results of short sums wait for the epilogue.
    const double least = ROWS * COLS <= 16 ? 85.0 : 0;
    utilisation("a list of 64 x 32 x 32 x 32, independent", tiles, least, true);
    for (uint32_t i = 1; i < kCount; i++) {
        tiles[i].a_addr = tiles[i - 1].d_addr;
        tiles[i].after = 1;
    }
    utilisation("a list of 64 x 32 x 32 x 32, each after the one before", tiles, 0, true);
    for (Command &t : tiles) {
        t.b_free = true;
    }
    utilisation("a list of 64 x 32 x 32 x 32, the same with B read before", tiles, 0, true);
}

// What software can read: every register, and every completion record.
std::vector<uint32_t> readable(accel::Host<Vfp8mac_accel, kBeat> &host)
{
    std::vector<uint32_t> words;
    for (uint32_t addr = 0; addr < sizeof(fp8mac_regs_t); addr += sizeof(uint32_t)) {
        words.push_back(host.read(addr));
    }
    for (uint32_t index = 0; index < accel::kRecords; index++) {
        host.write(REG(RECORD_SELECT), index);
        words.push_back(host.read(REG(RECORD_STATUS)));
        words.push_back(host.read(REG(RECORD_AMAX)));
    }
    return words;
}

// No start with random contents of registers and memories stops at an assertion, and software
// reads the same after each.
void power_up(tb::Bench &bench, unsigned starts)
{
    std::vector<uint32_t> want;
    for (unsigned start = 0; start < starts; start++) {
        VerilatedContext context;
        tb::random_start(context, bench.seed() + start);
        tb::Clocked<Vfp8mac_accel> dut(context);
        tb::Rng rng(start);
        accel::Host<Vfp8mac_accel, kBeat> host(bench, dut, rng, kBeat);
        bench.equal("STATUS after a random start", host.read(REG(STATUS)),
                    FP8MAC_REGS__STATUS__IDLE_bm);
        const std::vector<uint32_t> words = readable(host);
        want = start == 0 ? words : want;
        for (size_t i = 0; i < words.size(); i++) {
            bench.equal("a word after a random start", words[i], want[i],
                        [&] { return tb::text("word %zu, start %u", i, start); });
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    const unsigned batches = bench.number("--batches", 300);
    const bool gemm512 = bench.flag("--gemm512");
    const unsigned stride = bench.number("--interrupt-every", 1);
    const bool rows_alone = bench.flag("--rows");
    const bool row_cycles = bench.flag("--row-cycles");
    const bool cycles_alone = bench.flag("--cycles");
    const bool blocks_alone = bench.flag("--blocks");
    const bool tables_alone = bench.flag("--tables");
    const bool part = rows_alone || row_cycles || blocks_alone || tables_alone || cycles_alone;
    power_up(bench, part ? 0 : 300);
    tb::random_start(*bench.context(), bench.seed());
    tb::Clocked<Vfp8mac_accel> dut(bench);
    Test test(bench, dut);
    test.identity();
    test.tables();
    if (cycles_alone) {
        test.random_cycles(batches);
        return bench.finish();
    }
    if (tables_alone) {
        test.table_loads();
        return bench.finish();
    }
    if (blocks_alone) {
        test.bus_errors_of_blocks(stride);
        return bench.finish();
    }
    if (row_cycles) {
        test.record();
        test.row_speed();
        return bench.finish();
    }
    if (rows_alone) {
        test.row_commands(batches, stride);
        test.row_speed();
        return bench.finish();
    }
    if (test.has_rows()) {
        test.row_commands(batches / 4 + 1, stride + 1);
    }
    test.protection();
    test.convolutions(batches);
    test.convolution_speed();
    test.narrow_images();
    test.random_batches(batches);
    test.interrupts();
    test.large_tiles();
    test.illegal_commands();
    test.broken_chains();
    test.late_failure();
    test.scales_that_do_not_fit();
    test.bad_descriptors();
    test.table_loads();
    test.dependent(batches / 2 + 5);
    test.pauses(batches / 4 + 5);
    test.answers();
    test.lists_that_fail();
    test.longest_chain();
    test.bus_errors();
    test.bad_vectors();
    test.queue_full();
    if (accel::kFunctions.records) {
        test.records();
    }
    test.prepare(Test::Gemms);
    test.bus_stops(stride);
    test.descriptor_stops();
    test.soft_resets(stride, 0);
    test.soft_resets(stride, 500);
    test.prepare(Test::Sources);
    test.bus_stops(3 * stride);
    test.soft_resets(3 * stride, 0);
    test.no_watchdog();
    test.random_batches(batches / 10 + 1);
    test.causes();
    test.speed(gemm512);
    test.list_speed();
    if (test.has_rows()) {
        test.row_speed();
    }
    test.protocol();
    return bench.finish();
}
