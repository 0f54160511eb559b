// SPDX-License-Identifier: Apache-2.0
// Row commands of the accelerator against libfp8mac: every operation with random formats,
// strides, masks and special values, alone and among other commands; interrupted ones;
// and the cycles of some.
#ifndef ACCEL_ROW_TESTS_H
#define ACCEL_ROW_TESTS_H

#include <fstream>
#include <iterator>
#include <string>

#include "accel_lists.h"

namespace accel
{

class RowTests : public Lists
{
  public:
    using Lists::Lists;

    // Whether the accelerator has them
    bool has_rows()
    {
        return FIELD_OF(host_.read(REG(CONFIG4)), CONFIG4, ROWS) != 0;
    }
    void row_commands(unsigned batches, unsigned stride);
    void bus_errors_of_blocks(unsigned stride);
    void row_speed();
    void record() // a run that measures compares nothing with the records
    {
        recording_ = true;
    }

  private:
    void shapes();
    void curves(unsigned count);
    void batches(unsigned count);
    uint64_t cycles_of(uint32_t row_op, uint32_t m, uint32_t n, bool vectors);

    bool recording_ = false;
};

inline void RowTests::row_commands(unsigned count, unsigned stride)
{
    shapes();
    curves(count / 4 + 1);
    batches(count);
    prepare(Rows);
    bus_stops(5 * stride);
    soft_resets(9 * stride, 0);
    soft_resets(19 * stride, 500);
    no_watchdog();
    repeats(3 * stride);
    batches(count / 10 + 1);
    bus_errors_of_blocks(stride);
}

// The bus errs while blocks are quantised to MX: codes and scales are written in turn.
inline void RowTests::bus_errors_of_blocks(unsigned stride)
{
    prepare(Blocks);
    bus_errs(stride);
    host_.write(REG(WATCHDOG), FP8MAC_REGS__WATCHDOG__CYCLES_reset);
}

// One row command at a time, of sizes around those of tiles, bands and columns of a tile command
inline void RowTests::shapes()
{
    static const uint32_t sides[] = {1, 2, 3, 4, 5, 15, 16, 17, 33};
    std::vector<uint32_t> lengths = {1, 3, 4, 5, 16, 17, 63, 64, 65, 127, 128, 129, 257, 300};
    if (MAX_MN > 480) { // columns of a tile command, at most
        lengths.insert(lengths.end(), {479, 480, 481, 512, 513, 1023, 1024, 1025});
    }
    for (uint32_t row_op = 0; row_op < kRowOps; row_op++) {
        for (uint32_t m : sides) {
            for (uint32_t n : lengths) {
                if (rng_.below(3) != 0) {
                    continue;
                }
                random_timing();
                begin();
                run({maker_.row_command(m, n, row_op)});
            }
        }
    }
}

// Sigmoid or tanh of pairs of rows, one command after the other. They differ in factor and flags
// alone. So only the factor keeps one from entering while the other is inside.
inline void RowTests::curves(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        random_timing();
        begin();
        const uint32_t pairs = 2 + rng_.below(6);
        const Command all =
            maker_.row_command(2 * pairs, 1 + rng_.below(200), rng_.coin() ? Sigmoid : Tanh);
        const float factors[] = {all.factor, 0.25f, 3.0f};
        std::vector<Command> tiles;
        for (uint32_t pair = 0; pair < pairs; pair++) {
            Command t = all;
            t.m = 2;
            t.a_addr += 2 * pair * t.a_stride, t.d_addr += 2 * pair * t.d_stride;
            t.factor = factors[rng_.below(3)], t.scale_a = as_bits(t.factor);
            t.tag = static_cast<uint16_t>(rng_.next());
            tiles.push_back(t);
        }
        run(tiles);
    }
}

inline void RowTests::batches(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        random_timing();
        begin();
        std::vector<Command> tiles;
        const unsigned length = 1 + rng_.below(8);
        while (tiles.size() < length && maker_.room()) {
            switch (rng_.below(4)) {
            case 0: tiles.push_back(maker_.tile(40, 64)); break;
            case 1: tiles.push_back(maker_.elementwise(40, 80)); break;
            default: tiles.push_back(maker_.any_row_command(40, rng_.below(4) ? 100 : 700)); break;
            }
        }
        run(tiles);
    }
}

// Cycles from the submission to the interrupt, of values in E4M3
inline uint64_t RowTests::cycles_of(uint32_t row_op, uint32_t m, uint32_t n, bool vectors)
{
    host_.memory.set_timing({0, 8, false});
    begin();
    Command t;
    do {
        maker_.fresh();
        t = maker_.row_command(m, n, row_op);
        t.x_fmt = 0, t.d_fmt = row_op == Argmax ? uint32_t{FP8MAC_FP32} : 0;
    } while (t.scale_b_vec != (vectors && is_norm(row_op)) ||
             t.bias_en != (vectors && row_op == LayerNorm) || t.pass_shape != 3 ||
             (m > 1 && (t.a_stride < n || t.d_stride % kBeat != 0)) || t.act_table != 0);
    t.irq = true;
    std::vector<uint8_t> want = bytes();
    Golden golden(want, axi::kMemoryBase);
    golden.run(t);
    host_.submit(t);
    const uint64_t start = host_.cycles();
    host_.wait_irq();
    const uint64_t cycles = host_.cycles() - start;
    host_.wait_idle();
    completed_++;
    compare(want, "a row command that is measured");
    return cycles;
}

// Cycles of the row NAME in the result file; 0 if it has none
inline uint64_t recorded_cycles(const std::string &text, const std::string &name)
{
    const std::string key = "\"" + name + "\": {\"cycles\": ";
    const size_t at = text.find(key);
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
}

// The default accelerator's cycles are those of sim/bench/row_commands.json, or at most 1 % more.
// `make accept-rows` measures and accepts them.
inline void RowTests::row_speed()
{
    static const struct {
        const char *name;
        uint32_t row_op, m, n;
    } rows[] = {{"layer norm", LayerNorm, 16, 64},
                {"layer norm", LayerNorm, 16, 256},
                {"layer norm", LayerNorm, 64, 64},
                {"layer norm", LayerNorm, 1, 64},
                {"RMS norm", RmsNorm, 16, 64},
                {"softmax", Softmax, 16, 64},
                {"softmax", Softmax, 16, 256},
                {"softmax", Softmax, 64, 64},
                {"softmax", Softmax, 1, 64},
                {"sum", Sum, 16, 64},
                {"sum of squares", SumOfSquares, 16, 64},
                {"maximum", Maximum, 16, 64},
                {"argmax", Argmax, 16, 64},
                {"magnitude", Magnitude, 16, 64},
                {"quantise", Quantise, 16, 64},
                {"quantise", Quantise, 1, 64},
                {"quantise MX", QuantiseMx, 16, 64},
                {"quantise MX", QuantiseMx, 64, 64},
                {"quantise MX", QuantiseMx, 1, 64},
                {"sigmoid", Sigmoid, 1, 512},
                {"tanh", Tanh, 16, 64}};
    const bool is_array = LANES == 16 && ROWS == 4 && COLS == 4;
    const bool is_default = is_array && kBeat == 16 && ELEMENT_KIND == FP8MAC_ELEMENT_BLOCK;
    std::ifstream file("sim/bench/row_commands.json");
    const std::string recorded{std::istreambuf_iterator<char>(file), {}};
    for (const auto &row : rows) {
        const uint64_t cycles = cycles_of(row.row_op, row.m, row.n, is_norm(row.row_op));
        std::printf("%s, %u x %u: %" PRIu64 " cycles, %.3f for each value\n", row.name, row.m,
                    row.n, cycles, static_cast<double>(cycles) / row.m / row.n);
        const std::string name = tb::text("%s, %u x %u", row.name, row.m, row.n);
        const uint64_t accepted = recorded_cycles(recorded, name);
        bench_.check(tb::text("%s: %" PRIu64 " cycles, %" PRIu64
                              " are recorded; `make accept-rows`",
                              name.c_str(), cycles, accepted)
                         .c_str(),
                     !is_default || recording_ || 100 * cycles <= 101 * accepted);
    }
}

} // namespace accel

#endif
