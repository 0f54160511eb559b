// SPDX-License-Identifier: Apache-2.0
// What fits the buffers and the accumulators of the accelerator.
#ifndef ACCEL_SHAPE_H
#define ACCEL_SHAPE_H

#include <algorithm>
#include "accel_command.h"
#include "axi_memory.h"
#include "tb.h"

namespace accel
{

struct Shape {
    unsigned rows, cols, lanes, beat, tiles, buf_beats;

    static constexpr unsigned kPassTiles = 4;
    static constexpr unsigned kMaxSide = MAX_MN;
    // a row of an operand buffer has whole blocks, each with a bound
    static inline const unsigned kBoundBlock = kElement.block > 32 ? kElement.block : 32;

    static unsigned up(unsigned x, unsigned to)
    {
        return (x + to - 1) / to;
    }
    unsigned row_beats(unsigned k) const
    {
        return up(k, kBoundBlock) * (kBoundBlock / beat);
    }
    bool fits(unsigned m, unsigned n, unsigned k) const
    {
        return up(m, rows) * row_beats(k) <= buf_beats && up(n, cols) * row_beats(k) <= buf_beats;
    }
    // The same for A of a depthwise command
    bool pixels_fit(unsigned m, unsigned k, unsigned channels) const
    {
        return up(m, rows) * up(k, kBoundBlock) * (kBoundBlock / channels) <= buf_beats;
    }
    // Whether the MX scales of a tile fit their memories. In chunks of K they begin at any byte of
    // a beat.
    bool scales_fit(unsigned m, unsigned n, unsigned k, bool chunks) const
    {
        const unsigned first = chunks ? beat - 1 : 0, words = up(first + up(k, kBoundBlock), beat);
        const unsigned tiles = up(kMaxSide, std::min(rows, cols));
        unsigned depth = 1;
        while (depth < std::max(buf_beats / 8, tiles)) {
            depth *= 2;
        }
        return up(m, rows) * words <= depth && up(n, cols) * words <= depth;
    }
    // Chunks of K are whole granules.
    unsigned granule(unsigned block) const
    {
        return std::max({block, beat, kBoundBlock});
    }
    // Rows and columns of a pass
    unsigned pass_m(unsigned shape) const
    {
        return rows << shape;
    }
    unsigned pass_n(unsigned shape) const
    {
        return cols * kPassTiles >> shape;
    }
    // Whether the accumulators of a whole command fit the accumulator memory
    bool keeps(unsigned m, unsigned n, unsigned shape) const
    {
        if (shape == 3) {
            return keeps(m, n, 0) || keeps(m, n, 1) || keeps(m, n, 2);
        }
        return up(m, pass_m(shape)) * up(n, pass_n(shape)) * kPassTiles <= tiles;
    }
};

} // namespace accel

#endif
