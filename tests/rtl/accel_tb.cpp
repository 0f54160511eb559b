// SPDX-License-Identifier: Apache-2.0
// The accelerator against libfp8mac: random tile commands over a memory that stalls, every byte of the memory compared,
// every error code provoked and left again. Compiled once per parameter set (ROWS, COLS, LANES, AXI_DATA_W).
//
//   accel_tb [--seed N] [--batches N] [--gemm512]   --gemm512 also runs a whole 512 x 512 x 512
#include "Vfp8mac_accel.h"

#include "accel_host.h"
#include "accel_random.h"

namespace {

using accel::Tile;
constexpr unsigned kBeat = AXI_DATA_W / 8;
using Host = accel::Host<Vfp8mac_accel, kBeat>;

constexpr accel::Shape kShape{ROWS, COLS, LANES, kBeat, 2, 2, 256};
constexpr size_t kMemoryBytes = 1u << 20;
constexpr unsigned kMaxMn = 128;
constexpr unsigned kQueueDepth = 8;
constexpr uint32_t kClearError = FP8MAC_REGS__CTRL__CLEAR_ERROR_bm;
constexpr uint32_t kClearFlags = FP8MAC_REGS__CTRL__CLEAR_FLAGS_bm;
constexpr uint32_t kClearCounters = FP8MAC_REGS__CTRL__CLEAR_COUNTERS_bm;

class Test {
  public:
    Test(tb::Bench &bench, tb::Clocked<Vfp8mac_accel> &dut)
        : bench_(bench), rng_(bench.seed()), host_(bench, dut, rng_, kMemoryBytes),
          maker_(rng_, host_.memory.bytes(), kShape) {}

    void identity();
    void random_batches(unsigned count);
    void large_tiles();
    void illegal_commands();
    void bus_errors();
    void queue_full();
    void speed(bool gemm512);
    void protocol();

  private:
    using Fault = axi::Fault;
    std::vector<uint8_t> &bytes() { return host_.memory.bytes(); }

    std::vector<Tile> batch();
    void begin();
    void run(const std::vector<Tile> &tiles);
    void compare(const std::vector<uint8_t> &want, const char *what);
    void counters(const std::vector<Tile> &tiles, uint64_t reads, uint64_t writes);
    void random_timing();
    void works_again();
    Tile plain();
    void scene(std::vector<Tile> &before, Tile &bad, std::vector<Tile> &after);
    void roomy(Tile &bad, accel::Error code);
    void fails(const char *name, accel::Error code, const std::vector<Tile> &before, const Tile &bad,
               const std::vector<Tile> &after);
    void expect_error(const char *name, accel::Error code, uint16_t tag);
    std::vector<Tile> product(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k);
    void utilisation(const char *name, const std::vector<Tile> &tiles, double min_percent);

    tb::Bench &bench_;
    tb::Rng rng_;
    Host host_;
    accel::Maker maker_;
    uint32_t completed_ = 0;
    uint64_t hits_chain_ = 0, hits_reuse_ = 0, hits_nonfinite_ = 0, hits_finite_ = 0, hits_partial_ = 0;
};

void Test::identity() {
    bench_.equal("ID", host_.read(REG(ID)), 0x46503841u);
    const uint32_t config0 = host_.read(REG(CONFIG0)), config1 = host_.read(REG(CONFIG1));
    bench_.equal("rows", FIELD_OF(config0, CONFIG0, ROWS), ROWS);
    bench_.equal("cols", FIELD_OF(config0, CONFIG0, COLS), COLS);
    bench_.equal("lanes", FIELD_OF(config0, CONFIG0, LANES), LANES);
    bench_.equal("beat", FIELD_OF(config0, CONFIG0, BEAT_BYTES), kBeat);
    bench_.equal("queue depth", FIELD_OF(config1, CONFIG1, QUEUE_DEPTH), kQueueDepth);
    bench_.equal("buffers", host_.read(REG(CONFIG2)), kShape.buf_beats | kMaxMn << 16);
    bench_.equal("scale of D after reset", host_.read(REG(SCALE_D)), accel::kOne);
    bench_.equal("STATUS after reset", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
    bench_.equal("AMAX after reset", host_.read(REG(AMAX)), 0);
    host_.read(0x400);
    bench_.check("no register there: PSLVERR", host_.slave_error());
    host_.read(REG(ID));
    bench_.check("a register there: no PSLVERR", !host_.slave_error());
}

void Test::random_timing() {
    static const unsigned stalls[] = {0, 0, 100, 500, 850};
    axi::Timing timing;
    timing.stall_permille = stalls[rng_.below(5)];
    timing.latency = rng_.below(3) ? rng_.below(16) : rng_.below(100);
    host_.memory.set_timing(timing);
}

std::vector<Tile> Test::batch() {
    std::vector<Tile> tiles;
    const unsigned count = 1 + rng_.below(6);
    while (tiles.size() < count && maker_.room()) {
        const unsigned kind = rng_.below(8);
        if (kind == 0) {
            const std::vector<Tile> chain = maker_.chain(2 + rng_.below(3));
            tiles.insert(tiles.end(), chain.begin(), chain.end());
            hits_chain_++;
        } else if (kind < 4 && !tiles.empty()) {
            tiles.push_back(maker_.reusing(tiles.back()));
            hits_reuse_++;
        } else {
            tiles.push_back(maker_.tile(48, 100));
        }
    }
    return tiles;
}

// Idle, nothing counted, nothing pending.
void Test::begin() {
    host_.wait_idle();
    host_.write(REG(IRQ_STATE), ~0u);
    host_.write(REG(IRQ_ENABLE), ~0u);
    host_.clear(kClearFlags | kClearCounters);
    host_.memory.set_faults({}, {});
    maker_.fresh();
}

void Test::compare(const std::vector<uint8_t> &want, const char *what) {
    const std::vector<uint8_t> &got = bytes();
    size_t wrong = 0;
    while (wrong < got.size() && got[wrong] == want[wrong]) wrong++;
    bench_.equal(what, wrong, got.size(), [&] {
        size_t differ = 0;
        for (size_t i = 0; i < got.size(); i++) differ += got[i] != want[i];
        return tb::text("first of %zu differing bytes at %#zx: %02x, want %02x (seed %" PRIu64 ", cycle %" PRIu64 ")",
                        differ, wrong, got[wrong], want[wrong], bench_.seed(), host_.cycles());
    });
}

void Test::run(const std::vector<Tile> &tiles) {
    std::vector<uint8_t> want = bytes();
    accel::Golden golden(want, axi::kMemoryBase, LANES);
    const uint64_t reads = host_.memory.read_beats(), writes = host_.memory.write_beats();
    bool any_irq = false;
    for (const Tile &t : tiles) {
        golden.run(t);
        Tile sent = t;
        maker_.scramble_unused(sent);
        host_.wait_for_room();
        host_.submit(sent);
        any_irq |= t.irq;
        if (rng_.below(4) == 0) {
            for (unsigned i = rng_.below(200); i > 0; i--) host_.tick();
        }
    }
    completed_ += static_cast<uint32_t>(tiles.size());
    if (tiles.back().irq && tiles.size() == 1) host_.wait_irq();
    const uint32_t status = host_.wait_idle();
    bench_.equal("bench: tiles the model refuses", golden.refusals, 0);
    bench_.equal("STATUS", status, FP8MAC_REGS__STATUS__IDLE_bm);
    compare(want, "memory");
    bench_.equal("FLAGS", host_.read(REG(FLAGS)), golden.outcome.flags | uint32_t(golden.outcome.nonfinite) << 8);
    bench_.equal("AMAX", host_.read(REG(AMAX)), golden.outcome.amax);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
    bench_.equal("interrupt", host_.irq(), any_irq);
    bench_.equal("IRQ_STATE", host_.read(REG(IRQ_STATE)), any_irq);
    bench_.check("memory is quiet when idle", host_.memory.quiet());
    counters(tiles, host_.memory.read_beats() - reads, host_.memory.write_beats() - writes);
    (golden.outcome.nonfinite ? hits_nonfinite_ : hits_finite_)++;
}

void Test::counters(const std::vector<Tile> &tiles, uint64_t reads, uint64_t writes) {
    uint64_t macs = 0;
    for (const Tile &t : tiles) macs += t.macs();
    bench_.equal("MACS", host_.read(REG(MACS_LO)) | uint64_t(host_.read(REG(MACS_HI))) << 32, macs);
    bench_.equal("READ_BEATS", host_.read(REG(READ_BEATS)), reads);
    bench_.equal("WRITE_BEATS", host_.read(REG(WRITE_BEATS)), writes);
    uint64_t sum = 0;
    for (uint32_t part : {REG(CYC_COMPUTE), REG(CYC_DRAIN), REG(CYC_LOAD), REG(CYC_STORE), REG(CYC_OVERHEAD)}) {
        sum += host_.read(part);
    }
    // The idle part goes on while we read.
    const uint64_t idle_at = host_.cycles();
    sum += host_.read(REG(CYC_IDLE));
    const uint64_t cycles_at = host_.cycles();
    const uint64_t cycles = host_.read(REG(CYCLES));
    bench_.equal("parts of CYCLES", sum, cycles - (cycles_at - idle_at));
}

void Test::random_batches(unsigned count) {
    for (unsigned i = 0; i < count && !bench_.hopeless(); i++) {
        begin();
        random_timing();
        run(batch());
    }
    bench_.covered("chains", hits_chain_);
    bench_.covered("tiles that reuse an operand", hits_reuse_);
    bench_.covered("batches with an output that is not finite", hits_nonfinite_);
    bench_.covered("batches with finite outputs only", hits_finite_);
}

void Test::protocol() {
    bench_.check(("AXI protocol: " + host_.memory.violation()).c_str(), host_.memory.violation().empty());
    bench_.covered("bursts", host_.memory.bursts());
    bench_.check("several reads in flight", host_.memory.most_reads_in_flight() > 2);
    bench_.check("several writes in flight", host_.memory.most_writes_in_flight() > 2);
}

// The largest tiles that fit, where indices and addresses come to their ends.
void Test::large_tiles() {
    const unsigned full_k = kShape.buf_beats / (kMaxMn / ROWS) * kBeat;
    const unsigned long_k = kShape.buf_beats * kBeat;
    begin();
    random_timing();
    run({maker_.tile_of(kMaxMn, kMaxMn, kShape.fits(kMaxMn, kMaxMn, full_k) ? full_k : kBeat)});
    begin();
    run({maker_.tile_of(ROWS, COLS, long_k), maker_.tile_of(1, 1, long_k - 1), maker_.tile_of(ROWS, 1, long_k - LANES)});
}

// ---- errors -------------------------------------------------------------------------------------------------------

// A good command works as ever, and so does reuse after it.
void Test::works_again() {
    begin();
    const Tile t = plain();
    run({t, maker_.reusing(t)});
}

// `before` completes, `bad` fails with `code`, and what follows it leaves no trace.
void Test::fails(const char *name, accel::Error code, const std::vector<Tile> &before, const Tile &bad,
                 const std::vector<Tile> &after) {
    std::vector<uint8_t> want = bytes();
    accel::Golden golden(want, axi::kMemoryBase, LANES);
    for (const Tile &t : before) golden.run(t);
    std::vector<uint8_t> all = want;
    const bool writes = code == accel::ErrWriteSlv || code == accel::ErrWriteDec;
    if (writes) accel::Golden(all, axi::kMemoryBase, LANES).run(bad);

    for (const Tile &t : before) host_.submit(t);
    host_.submit(bad);
    for (const Tile &t : after) host_.submit(t);
    completed_ += static_cast<uint32_t>(before.size());
    host_.wait_irq();
    expect_error(name, code, bad.tag);

    // Of a command whose write failed, any part may have been written.
    const std::vector<uint8_t> &got = bytes();
    for (size_t i = 0; writes && i < got.size(); i++) {
        if (got[i] == all[i] && got[i] != want[i]) {
            want[i] = got[i];
            hits_partial_++;
        }
    }
    compare(want, name);
    if (!after.empty()) host_.submit(after[0]); // discarded
    host_.wait_idle();
    compare(want, "memory after a command in the error state");
    host_.memory.set_faults({}, {});
    host_.clear(kClearError);
    bench_.equal("STATUS after clear_error", host_.read(REG(STATUS)), FP8MAC_REGS__STATUS__IDLE_bm);
}

void Test::expect_error(const char *name, accel::Error code, uint16_t tag) {
    // The done interrupt of an earlier command may have come first.
    uint32_t status = host_.wait_idle();
    bench_.equal(name, FIELD_OF(status, STATUS, ERROR_CODE), code);
    bench_.equal("STATUS.error", FIELD_OF(status, STATUS, ERROR), 1);
    bench_.equal("STATUS.error_tag", FIELD_OF(status, STATUS, ERROR_TAG), tag);
    bench_.equal("IRQ_STATE.error", FIELD_OF(host_.read(REG(IRQ_STATE)), IRQ_STATE, ERROR), 1);
    bench_.equal("COMPLETED", host_.read(REG(COMPLETED)), completed_);
}

// How to make a good tile bad; `before` is the tile submitted just before it.
struct Spoil {
    const char *name;
    accel::Error code;
    void (*spoil)(Tile &bad, const Tile &before);
};

const Spoil kSpoils[] = {
    {"m is 0", accel::ErrShape, [](Tile &t, const Tile &) { t.m = 0; }},
    {"n is 0", accel::ErrShape, [](Tile &t, const Tile &) { t.n = 0; }},
    {"k is 0", accel::ErrShape, [](Tile &t, const Tile &) { t.k = 0; }},
    {"m above its limit", accel::ErrShape, [](Tile &t, const Tile &) { t.m = kMaxMn + 1; }},
    {"n above its limit", accel::ErrShape, [](Tile &t, const Tile &) { t.n = 0xffff; }},
    {"A does not fit", accel::ErrShape,
     [](Tile &t, const Tile &) { t.m = kMaxMn, t.n = 1, t.k = kShape.buf_beats * ROWS / kMaxMn * kBeat + 1; }},
    {"B does not fit", accel::ErrShape,
     [](Tile &t, const Tile &) { t.n = kMaxMn, t.m = 1, t.k = kShape.buf_beats * COLS / kMaxMn * kBeat + 1; }},
    {"everything is wrong: shape comes first", accel::ErrShape,
     [](Tile &t, const Tile &) { t.k = 0, t.a_addr = 1, t.act = 3, t.sa = 99, t.scale_d = 0, t.acc_continue = true; }},
    {"address of A", accel::ErrAlign, [](Tile &t, const Tile &) { t.a_addr += 1; }},
    {"stride of B", accel::ErrAlign, [](Tile &t, const Tile &) { t.b_stride += kBeat / 2; }},
    {"address of D", accel::ErrAlign, [](Tile &t, const Tile &) { t.d_addr += 4; }},
    {"stride of D", accel::ErrAlign, [](Tile &t, const Tile &) { t.d_stride += 1; }},
    {"address of scale_a", accel::ErrAlign,
     [](Tile &t, const Tile &) { t.scale_a_vec = true, t.scale_a = 0x80000004; }},
    {"address of scale_b", accel::ErrAlign,
     [](Tile &t, const Tile &) { t.scale_b_vec = true, t.scale_b = 0x80000001; }},
    {"address of the bias", accel::ErrAlign, [](Tile &t, const Tile &) { t.bias_en = true, t.bias = 0x80000004; }},
    {"stride of A shorter than a row", accel::ErrRange, [](Tile &t, const Tile &) { t.a_stride = 0; }},
    {"stride of B shorter than a row", accel::ErrRange, [](Tile &t, const Tile &) { t.b_stride = (t.k - 1) & -kBeat; }},
    {"stride of D shorter than a row", accel::ErrRange,
     [](Tile &t, const Tile &) { t.d_stride = (t.n * t.d_bytes() - 1) & -kBeat; }},
    {"A runs past the last address", accel::ErrRange, [](Tile &t, const Tile &) { t.a_addr = 0u - kBeat; }},
    {"B runs past the last address", accel::ErrRange, [](Tile &t, const Tile &) { t.b_stride = 1u << 31; }},
    {"D runs past the last address", accel::ErrRange, [](Tile &t, const Tile &) { t.d_addr = 0u - t.d_stride; }},
    {"the bias runs past the last address", accel::ErrRange,
     [](Tile &t, const Tile &) { t.bias_en = true, t.n = kBeat / 4 + 1, t.bias = 0u - kBeat; }},
    {"reserved d_fmt", accel::ErrMode, [](Tile &t, const Tile &) { t.d_fmt = 7, t.d_stride += 64 * kBeat; }},
    {"reserved overflow", accel::ErrMode, [](Tile &t, const Tile &) { t.overflow = 3; }},
    {"reserved act", accel::ErrMode, [](Tile &t, const Tile &) { t.act = 3; }},
    {"sa too large", accel::ErrScaleExp, [](Tile &t, const Tile &) { t.sa = 33; }},
    {"sb too small", accel::ErrScaleExp, [](Tile &t, const Tile &) { t.sb = -33; }},
    {"sa far too small", accel::ErrScaleExp, [](Tile &t, const Tile &) { t.sa = -128; }},
    {"scale_a is 0", accel::ErrScale, [](Tile &t, const Tile &) { t.scale_a_vec = false, t.scale_a = 0; }},
    {"scale_b is negative", accel::ErrScale,
     [](Tile &t, const Tile &) { t.scale_b_vec = false, t.scale_b = 0xbf800000; }},
    {"scale_d is Inf", accel::ErrScale, [](Tile &t, const Tile &) { t.scale_d = 0x7f800000; }},
    {"scale_d is NaN", accel::ErrScale, [](Tile &t, const Tile &) { t.scale_d = 0x7fc00000; }},
    {"scale_d is -0", accel::ErrScale, [](Tile &t, const Tile &) { t.scale_d = 0x80000000; }},
    {"clamp bounds in the wrong order", accel::ErrScale,
     [](Tile &t, const Tile &) { t.act = 2, t.clamp_lo = 0xbf800000, t.clamp_hi = 0xbf800001; }},
    {"clamp bound is Inf", accel::ErrScale,
     [](Tile &t, const Tile &) { t.act = 2, t.clamp_lo = 0, t.clamp_hi = 0x7f800000; }},
    {"reuse of an A of other k", accel::ErrSequence,
     [](Tile &t, const Tile &before) { t.reuse_a = true, t.m = before.m, t.k = before.k > 1 ? before.k - 1 : 2; }},
    {"reuse of an A of other m", accel::ErrSequence,
     [](Tile &t, const Tile &before) { t.reuse_a = true, t.k = before.k, t.m = before.m > 1 ? before.m - 1 : 2; }},
    {"reuse of a B of other n", accel::ErrSequence,
     [](Tile &t, const Tile &before) { t.reuse_b = true, t.k = before.k, t.n = before.n > 1 ? before.n - 1 : 2; }},
    {"continues what was not kept", accel::ErrSequence,
     [](Tile &t, const Tile &before) { t.acc_continue = true, t.m = before.m, t.n = before.n; }},
    {"keeps more than a pass", accel::ErrSequence,
     [](Tile &t, const Tile &) { t.acc_keep = true, t.m = kShape.pass_m() + 1, t.k = LANES; }},
};

// Tiles of several rows and columns, so that strides count.
Tile Test::plain() {
    for (;;) {
        Tile t = maker_.tile(24, 48);
        if (t.m > 1 && t.n > 1) return t;
    }
}

void Test::scene(std::vector<Tile> &before, Tile &bad, std::vector<Tile> &after) {
    begin();
    random_timing();
    before.clear();
    after.clear();
    for (unsigned i = rng_.below(3); i > 0; i--) before.push_back(plain());
    before.push_back(plain());
    bad = plain();
    for (unsigned i = rng_.below(4); i > 0; i--) after.push_back(plain());
    for (std::vector<Tile> *tiles : {&before, &after}) {
        for (Tile &t : *tiles) t.irq = false;
    }
}

void Test::illegal_commands() {
    std::vector<Tile> before, after;
    Tile bad;
    for (const Spoil &spoil : kSpoils) {
        scene(before, bad, after);
        spoil.spoil(bad, before.back());
        // A spoilt shape has to have legal strides, or another error would come first.
        if (spoil.code == accel::ErrSequence || spoil.code == accel::ErrRange) roomy(bad, spoil.code);
        fails(spoil.name, spoil.code, before, bad, after);
        works_again();
    }
    // What was there before an error is not there after it.
    scene(before, bad, after);
    fails("first of two", accel::ErrMode, before, [&] { bad.act = 3; return bad; }(), after);
    Tile reusing = before.back();
    reusing.reuse_a = true;
    before.clear();
    fails("reuse after the error state", accel::ErrSequence, before, reusing, after);
    // Chains
    for (unsigned i = 0; i < 3; i++) {
        scene(before, bad, after);
        const std::vector<Tile> chain = maker_.chain(3);
        before.push_back(chain[0]);
        bad = chain[1];
        if (i == 0) bad.m = bad.m > 1 ? bad.m - 1 : 2;
        if (i == 1) bad.acc_fmt ^= 1;
        if (i == 2 && LANES == 1) break;
        if (i == 2) bad.k = LANES + 1, bad.a_stride = bad.b_stride = 64 * kBeat;
        fails("broken chain", accel::ErrSequence, before, bad, after);
        works_again();
    }
}

void Test::roomy(Tile &bad, accel::Error code) {
    if (code == accel::ErrSequence) bad.a_stride = bad.b_stride = bad.d_stride = 64 * kBeat;
}

void Test::bus_errors() {
    std::vector<Tile> before, after;
    Tile bad;
    for (unsigned i = 0; i < 40; i++) {
        scene(before, bad, after);
        const axi::Response response = i & 1 ? axi::SlvErr : axi::DecErr;
        const bool slv = response == axi::SlvErr;
        const auto at = [&](uint32_t addr, uint32_t stride, uint32_t rows) {
            const uint64_t beat = addr + uint64_t(stride) * (rows > 1 ? rng_.below(rows) : 0);
            return Fault{beat, beat, response};
        };
        bad.bias_en |= i % 4 == 2;
        if (bad.bias_en && bad.bias == 0) bad.bias = maker_.allocate(4 * bad.n);
        switch (i / 2 % 4) {
        case 0: host_.memory.set_faults({at(bad.a_addr, bad.a_stride, bad.m)}, {}); break;
        case 1: host_.memory.set_faults({at(bad.bias_en ? bad.bias : bad.b_addr, 0, 1)}, {}); break;
        case 2: host_.memory.set_faults({at(bad.b_addr, bad.b_stride, bad.n)}, {}); break;
        default: host_.memory.set_faults({}, {at(bad.d_addr, bad.d_stride, bad.m)}); break;
        }
        const bool write = i / 2 % 4 == 3;
        fails(write ? "write error" : "read error",
              write ? (slv ? accel::ErrWriteSlv : accel::ErrWriteDec) : (slv ? accel::ErrReadSlv : accel::ErrReadDec),
              before, bad, after);
        works_again();
    }
    // No memory there at all
    scene(before, bad, after);
    bad.a_addr = 0x30000000;
    fails("no memory at A", accel::ErrReadDec, before, bad, after);
    works_again();
    bench_.covered("bytes written before a write error", hits_partial_);
}

// More commands than the queue holds while the bus stands still: one is dropped and reported, the others complete.
void Test::queue_full() {
    begin();
    axi::Timing frozen;
    frozen.latency = 3000;
    frozen.random_latency = false;
    host_.memory.set_timing(frozen);
    std::vector<uint8_t> want = bytes();
    std::vector<Tile> tiles;
    for (unsigned i = 0; i < 2 * kQueueDepth; i++) {
        tiles.push_back(maker_.tile_of(2, 2, 8));
        tiles.back().irq = false;
    }
    want = bytes();
    accel::Golden golden(want, axi::kMemoryBase, LANES);
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
    host_.clear(kClearError);
    bench_.equal("clear_error does nothing before idle", FIELD_OF(host_.read(REG(STATUS)), STATUS, ERROR), 1);
    bench_.check("interrupt", host_.irq());
    host_.memory.set_timing(axi::Timing{});
    completed_ += accepted;
    expect_error("queue full", accel::ErrQueueFull, tiles[accepted].tag);
    compare(want, "memory after queue_full");
    host_.clear(kClearError);
    works_again();
}

// ---- speed --------------------------------------------------------------------------------------------------------

// `tiles` with a memory that never stalls. Cycles are from the first register write to the last result written.
void Test::utilisation(const char *name, const std::vector<Tile> &tiles, double min_percent) {
    axi::Timing ideal;
    ideal.latency = 8;
    ideal.random_latency = false;
    host_.memory.set_timing(ideal);
    host_.clear(kClearFlags | kClearCounters);
    run(tiles);
    uint64_t macs = 0;
    for (const Tile &t : tiles) macs += t.macs();
    const uint32_t busy = host_.read(REG(CYCLES)) - 0;
    (void)busy;
    uint32_t part[5], cycles = 0;
    const uint32_t regs[5] = {REG(CYC_COMPUTE), REG(CYC_DRAIN), REG(CYC_LOAD), REG(CYC_STORE), REG(CYC_OVERHEAD)};
    for (unsigned i = 0; i < 5; i++) cycles += part[i] = host_.read(regs[i]);
    const double percent = 100.0 * static_cast<double>(macs) / (ROWS * COLS * LANES) / cycles;
    std::printf("%s: utilisation %.2f %% of %u cycles from first command to idle "
                "(compute %u, drain %u, load %u, store %u, overhead %u), memory latency 8\n",
                name, percent, cycles, part[0], part[1], part[2], part[3], part[4]);
    bench_.check("utilisation is not below what it was", percent >= min_percent);
}

// 64 x 64 x 512 tiles of a larger product; A stays for `per_a` tiles. FP8 out, no vectors.
std::vector<Tile> Test::product(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k) {
    std::vector<Tile> tiles, b;
    for (unsigned i = 0; i < a_tiles; i++) {
        for (unsigned j = 0; j < b_tiles; j++) {
            Tile t = j == 0 ? maker_.lean(mn, mn, k) : tiles.back();
            if (i == 0) b.push_back(j == 0 ? t : maker_.lean(mn, mn, k));
            t.b_addr = b[j].b_addr;
            t.reuse_a = j > 0;
            t.d_addr = maker_.allocate(mn * t.d_stride);
            tiles.push_back(t);
        }
    }
    return tiles;
}

void Test::speed(bool gemm512) {
    begin();
    const uint32_t side = kShape.fits(64, 64, 512) ? 64 : 32, k = kShape.fits(64, 64, 512) ? 512 : 256;
    const std::string name = tb::text("%u x %u x %u, 8 commands", side, side, k);
    utilisation(name.c_str(), product(2, 4, side, k), 90.0);
    if (!gemm512) return;
    begin();
    utilisation("512 x 512 x 512", product(8, 8, 64, 512), 98.0);
}

} // namespace

int main(int argc, char **argv) {
    tb::Bench bench(argc, argv);
    unsigned batches = 300;
    bool gemm512 = false;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--batches") == 0 && i + 1 < argc) batches = static_cast<unsigned>(std::atoi(argv[++i]));
        if (std::strcmp(argv[i], "--gemm512") == 0) gemm512 = true;
    }
    tb::Clocked<Vfp8mac_accel> dut(bench);
    Test test(bench, dut);
    test.identity();
    test.random_batches(batches);
    test.large_tiles();
    test.illegal_commands();
    test.bus_errors();
    test.queue_full();
    test.random_batches(batches / 10 + 1);
    test.speed(gemm512);
    test.protocol();
    return bench.finish();
}
