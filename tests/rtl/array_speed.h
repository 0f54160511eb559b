// SPDX-License-Identifier: Apache-2.0
// The rates of the array's simulation.
#ifndef ARRAY_SPEED_H
#define ARRAY_SPEED_H

#include <ctime>

#include "array_model.h"

namespace array
{

// Steps in every cycle with random finite operands. Nothing is compared.
inline void measure(Dut &dut, tb::Rng &rng, unsigned cycles)
{
    dut->advance_i = 1;
    dut->row_en_i = (1u << ROWS) - 1;
    dut->col_en_i = (1u << COLS) - 1;
    dut->lane_en_i = static_cast<decltype(Varray_tb::lane_en_i + 0)>((1ull << LANES) - 1);
    dut->step_cfg_i = kFp16 ? 1u << 8 : 0;
    const uint64_t above_all = 040404040404040404040;
    drive_bounds(dut, above_all, above_all);
    std::memset(&dut->a_scale_i, kScaleOne, ROWS);
    std::memset(&dut->b_scale_i, kScaleOne, COLS);
    const unsigned steps = kBlock / LANES;
    for (unsigned busy = 0; busy < 2; busy++) {
        const std::clock_t start = std::clock();
        for (unsigned cycle = 0; cycle < cycles; cycle++) {
            uint8_t *a = reinterpret_cast<uint8_t *>(&dut->a_code_i),
                    *b = reinterpret_cast<uint8_t *>(&dut->b_code_i);
            for (unsigned i = 0; i < ROWS * LANES; i++) {
                a[i] = rng.code8() & 0xbf;
            }
            for (unsigned i = 0; i < COLS * LANES; i++) {
                b[i] = rng.code8() & 0xbf;
            }
            dut->step_valid_i = static_cast<uint8_t>(busy);
            dut->step_tile_i = static_cast<uint8_t>(cycle / steps % kTileMax);
            dut->block_first_i = cycle % steps == 0;
            dut->block_last_i = cycle % steps == steps - 1;
            dut->acc_first_i = 1;
            dut.tick();
        }
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%s: %.1f kcycles per CPU second\n", busy ? "a step in every cycle" : "idle",
                    cycles / seconds * 1e-3);
    }
}

} // namespace array

#endif
