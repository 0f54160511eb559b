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

#include "accel_tables.h"

namespace
{

using accel::Command;
using accel::kBeat;
using accel::kElement;
using accel::kMaxMn;
using accel::kShape;

class Test : public accel::TableTests
{
  public:
    using TableTests::TableTests;

    void identity();
    void protection();
    void random_batches(unsigned count);
    void convolutions(unsigned count);
    void interrupts();
    void large_tiles();
    void protocol();

  private:
    std::vector<Command> batch();

    uint64_t hits_refused_ = 0; // accesses with less protection than the DMA
    uint64_t hits_elementwise_ = 0, hits_c_ = 0, hits_rescaled_ = 0;
    uint64_t hits_scaled_ = 0, hits_scaled_chunks_ = 0, hits_scaled_chain_ = 0,
             hits_scaled_reuse_ = 0, hits_scaled_fp16_ = 0;
    uint64_t hits_chain_ = 0, hits_reuse_ = 0, hits_divided_ = 0, hits_convolution_ = 0;
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

// All tests but those that an option alone runs
void run_all(Test &test, unsigned batches, unsigned stride, bool gemm512)
{
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
    run_all(test, batches, stride, gemm512);
    return bench.finish();
}
