// SPDX-License-Identifier: Apache-2.0
// Row commands of the accelerator against libfp8mac: every operation with random formats, strides, masks
// and special values, alone and among other commands; and the cycles of some.
//
//   rows_tb [--seed N] [--batches N] [--speed]
#include <algorithm>

#include "accel_scenario.h"

namespace
{

using accel::Command;
using accel::kShape;

class Test : public accel::Scenario
{
  public:
    using Scenario::Scenario;

    void prepare()
    {
        host_.load_tables(0, 128);
    }
    void shapes();
    void batches(unsigned count);
    void speed(bool print);

  private:
    uint64_t cycles_of(uint32_t row_op, uint32_t m, uint32_t n, uint32_t fmt, bool vectors);
};

// One row command at a time, of sizes around those of tiles, bands and columns of a tile command
void Test::shapes()
{
    static const uint32_t sides[] = {1, 2, 3, 4, 5, 15, 16, 17, 33};
    static const uint32_t lengths[] = {1, 3, 4, 5, 16, 17, 63, 64, 65, 127, 128, 129, 257, 300};
    for (uint32_t row_op = 0; row_op < accel::kRowOps; row_op++) {
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

void Test::batches(unsigned count)
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

// Cycles from the submission to the interrupt
uint64_t Test::cycles_of(uint32_t row_op, uint32_t m, uint32_t n, uint32_t fmt, bool vectors)
{
    host_.memory.set_timing({0, 8, false});
    begin();
    Command t;
    do {
        maker_.fresh();
        t = maker_.row_command(m, n, row_op);
        t.x_fmt = fmt, t.d_fmt = row_op == accel::Argmax ? uint32_t{FP8MAC_FP32} : 0;
    } while (t.scale_b_vec != (vectors && accel::is_norm(row_op)) ||
             t.bias_en != (vectors && row_op == accel::LayerNorm) || t.pass_shape != 3 ||
             (m > 1 && t.a_stride < n * Command::bytes_of(fmt)) || t.act_table != 0);
    t.irq = true;
    std::vector<uint8_t> want = bytes();
    accel::Golden golden(want, axi::kMemoryBase);
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

void Test::speed(bool print)
{
    static const struct {
        const char *name;
        uint32_t row_op, m, n;
        bool vectors;
    } rows[] = {{"layer norm", accel::LayerNorm, 16, 64, true},
                {"layer norm", accel::LayerNorm, 16, 128, true},
                {"layer norm", accel::LayerNorm, 64, 64, true},
                {"layer norm", accel::LayerNorm, 1, 64, true},
                {"layer norm", accel::LayerNorm, 16, 256, true},
                {"RMS norm", accel::RmsNorm, 16, 64, true},
                {"RMS norm", accel::RmsNorm, 1, 64, true},
                {"softmax", accel::Softmax, 16, 64, false},
                {"softmax", accel::Softmax, 16, 128, false},
                {"softmax", accel::Softmax, 16, 256, false},
                {"softmax", accel::Softmax, 64, 64, false},
                {"softmax", accel::Softmax, 1, 64, false},
                {"sum", accel::Sum, 16, 64, false},
                {"maximum", accel::Maximum, 16, 64, false},
                {"argmax", accel::Argmax, 16, 64, false},
                {"argmax", accel::Argmax, 1, 10, false}};
    for (const auto &row : rows) {
        const uint64_t cycles = cycles_of(row.row_op, row.m, row.n, 0, row.vectors);
        if (print) {
            std::printf("%-10s %3u x %3u: %5u cycles, %.3f a value\n", row.name, row.m, row.n,
                        static_cast<unsigned>(cycles), double(cycles) / row.m / row.n);
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    const unsigned batches = bench.number("--batches", 60);
    const bool speed = bench.flag("--speed");
    tb::Clocked<Vfp8mac_accel> dut(bench);
    Test test(bench, dut);
    test.prepare();
    test.shapes();
    test.batches(batches);
    test.speed(speed);
    return bench.finish();
}
