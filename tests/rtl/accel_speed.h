// SPDX-License-Identifier: Apache-2.0
// Where the accelerator's cycles go: the cause of each lost one, and the share of the array that
// products, convolutions and lists use on a memory without stalls.
#ifndef ACCEL_SPEED_H
#define ACCEL_SPEED_H

#include <map>
#include <string>

#include "accel_cycles.h"

namespace accel
{

class SpeedTests : public CycleTests
{
  public:
    using CycleTests::CycleTests;

    void convolution_speed();
    void narrow_images();
    void causes();
    void speed(bool gemm512);
    void list_speed();

  protected:
    std::vector<Command> product(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k);

  private:
    static constexpr unsigned kLatency = 8;        // of the memory
    using Parts = std::map<std::string, uint32_t>; // cycles of each cause

    std::vector<Command> chains(unsigned a_tiles, unsigned b_tiles, uint32_t mn, uint32_t k,
                                uint32_t part);
    uint32_t utilisation(const char *name, const std::vector<Command> &tiles, double min_percent,
                         bool listed = false, unsigned latency = kLatency);
    Parts measure(const std::vector<Command> &tiles, const axi::Stop &stop);
    void grows(const char *cause, const std::vector<Command> &tiles, axi::Stop stop);
};

// A product divided into a_tiles x b_tiles tiles of mn x mn x k: each A is loaded once, each B once
// per A. FP8 results.
inline std::vector<Command> SpeedTests::product(unsigned a_tiles, unsigned b_tiles, uint32_t mn,
                                                uint32_t k)
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
        t.acc_fmt = acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? kInt8 : 0;
        t.a_stride = t.b_stride = k;
        t.d_stride = Shape::up(mn, kBeat) * kBeat;
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
inline std::vector<Command> SpeedTests::chains(unsigned a_tiles, unsigned b_tiles, uint32_t mn,
                                               uint32_t k, uint32_t part)
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

// Runs `tiles` on a memory that never stalls, one submission each or as a list. Cycles count from
// the first register write to the last result written.
inline uint32_t SpeedTests::utilisation(const char *name, const std::vector<Command> &tiles,
                                        double min_percent, bool listed, unsigned latency)
{
    axi::Timing ideal;
    ideal.latency = latency;
    ideal.random_latency = false;
    host_.memory.set_timing(ideal);
    host_.clear(kClearFlags | kClearCounters);
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

// A 3 x 3 convolution with padding of 1, as a network would run it, and the same GEMM with its
// operand A gathered before.
inline void SpeedTests::convolution_speed()
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
        t.acc_fmt = acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? kInt8 : 0;
        t.pass_shape = FP8MAC_PASS_AUTOMATIC;
        t.a_stride = t.b_stride = (t.k + kBeat - 1) / kBeat * kBeat;
        t.d_stride = Shape::up(t.n, kBeat) * kBeat;
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
inline void SpeedTests::narrow_images()
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
        t.acc_fmt = acc_fmt(false);
        t.a_fmt = t.b_fmt = kElement.int8 ? kInt8 : 0;
        t.pass_shape = FP8MAC_PASS_AUTOMATIC;
        t.b_stride = (t.k + kBeat - 1) / kBeat * kBeat;
        t.d_stride = Shape::up(t.n, kBeat) * kBeat;
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

inline void SpeedTests::speed(bool gemm512)
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
inline void SpeedTests::list_speed()
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

// Submits `tiles` without a pause, on a memory that never stalls but at `stop`.
inline SpeedTests::Parts SpeedTests::measure(const std::vector<Command> &tiles,
                                             const axi::Stop &stop)
{
    axi::Timing ideal;
    ideal.latency = 8;
    ideal.random_latency = false;
    host_.memory.set_timing(ideal);
    host_.wait_idle();
    host_.clear(kClearFlags | kClearCounters);
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
inline void SpeedTests::grows(const char *cause, const std::vector<Command> &tiles, axi::Stop stop)
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
inline void SpeedTests::causes()
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
    host_.clear(kClearCounters);
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

} // namespace accel

#endif
