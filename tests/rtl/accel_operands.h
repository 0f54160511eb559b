// SPDX-License-Identifier: Apache-2.0
// Random operands in the memory: matrices, scales, vectors and images' lines, and how a random
// command finishes its outputs.
#ifndef ACCEL_OPERANDS_H
#define ACCEL_OPERANDS_H

#include "accel_shape.h"

namespace accel
{

class Operands
{
  public:
    Operands(tb::Rng &rng, std::vector<uint8_t> &bytes, const Shape &shape)
        : rng_(rng), bytes_(bytes), shape_(shape)
    {
    }

    // Forgets all operands and fills the memory with random bytes.
    void fresh()
    {
        next_ = static_cast<uint32_t>(axi::kMemoryBase) + rng_.below(256) * shape_.beat;
        for (size_t i = 0; i < bytes_.size(); i += 8) {
            const uint64_t x = rng_.next();
            std::memcpy(&bytes_[i], &x, 8);
        }
        style_ = rng_.below(4);
    }

    bool room() const
    {
        return next_ - axi::kMemoryBase < bytes_.size() * 3 / 4;
    }

    uint32_t allocate(uint32_t size)
    {
        const uint32_t addr = next_;
        next_ += Shape::up(size, shape_.beat) * shape_.beat + rng_.below(4) * shape_.beat;
        if (next_ - axi::kMemoryBase > bytes_.size()) {
            std::abort(); // a mistake of the bench
        }
        return addr;
    }

  protected:
    // "All" can be said as 0, too.
    void all_of(uint32_t &tile, uint32_t total)
    {
        if (tile >= total && rng_.coin()) {
            tile = 0;
        }
    }

    uint32_t dimension(uint32_t most, uint32_t unit)
    {
        switch (rng_.below(4)) {
        case 0: return 1 + rng_.below(unit);
        case 1: return unit * (1 + rng_.below(most / unit));
        default: return 1 + rng_.below(most);
        }
    }

    uint32_t matrix(uint32_t rows, uint32_t row_bytes, uint32_t &stride)
    {
        stride =
            (Shape::up(row_bytes, shape_.beat) + (rng_.coin() ? 0 : rng_.below(4))) * shape_.beat;
        const uint32_t addr = allocate(rows * stride);
        if (rows == 1 && rng_.coin()) {
            stride = rng_.below(64); // the stride of a single row has no effect
        }
        return addr;
    }

    // Full-range codes soon give NaN, Inf and overflow. Other styles keep the sums finite.
    void codes(uint32_t addr, uint32_t rows, uint32_t stride, uint32_t k)
    {
        const unsigned style = rng_.below(8) == 0 ? rng_.below(4) : style_;
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t i = 0; i < k; i++) {
                uint8_t &code = bytes_[addr - axi::kMemoryBase + r * stride + i];
                switch (style) {
                case 0: break; // every code
                case 1:
                    code = static_cast<uint8_t>((code & 0x80) | (0x28 + (code & 0x1f)));
                    break; // about 1
                case 2:
                    code = code & 0x40 ? static_cast<uint8_t>(code & 0xbf) : 0;
                    break;                    // small, many zeros
                default: code &= 0xf7; break; // no NaN in e4m3fn
                }
            }
        }
    }

    // MX scales about 1, or of which products overflow or underflow, or any; some are NaNs
    uint32_t scales(uint32_t rows, uint32_t count, uint32_t &stride)
    {
        const uint32_t addr = matrix(rows, count, stride);
        const uint32_t kind = rng_.below(4), most = rows > 1 ? stride : count;
        const uint8_t middle = kind == 0 ? 56 : kind == 1 ? 176 : 120;
        for (uint32_t i = 0; i < rows * most && kind != 3; i++) {
            uint8_t &scale = bytes_[addr - axi::kMemoryBase + i];
            scale = static_cast<uint8_t>(middle + scale % 16);
        }
        if (rng_.below(4) == 0) {
            bytes_[addr - axi::kMemoryBase + rng_.below(count)] = 0xff;
        }
        return addr;
    }

    uint32_t operand_format()
    {
        if (kElement.int8) {
            return kInt8;
        }
        if (kElement.narrow && rng_.below(4) == 0) {
            return kNarrow + rng_.below(3);
        }
        return rng_.below(4) & (kElement.e5m2 ? 3u : 2u);
    }

    void formats(Command &t)
    {
        t.a_fmt = operand_format();
        t.b_fmt = operand_format();
        t.acc_fmt = acc_fmt(rng_.coin());
        if (kElement.int8) {
            return; // without scaling exponents
        }
        t.sa = rng_.below(4) ? rng_.range(-4, 4) : rng_.range(-32, 32);
        t.sb = rng_.below(4) ? rng_.range(-4, 4) : rng_.range(-32, 32);
    }

    uint32_t scale()
    {
        if (rng_.below(4)) {
            return 0x3f000000u + rng_.below(0x01800000u); // 0.5 .. 4
        }
        const uint32_t x = rng_.fp32_finite() & 0x7fffffffu;
        return x ? x : 1;
    }

    uint32_t vector(uint32_t count, bool scales)
    {
        const uint32_t addr = allocate(4 * count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t x = scales ? scale() : rng_.below(8) ? rng_.fp32_finite() : rng_.fp32();
            std::memcpy(&bytes_[addr - axi::kMemoryBase + 4 * i], &x, 4);
        }
        return addr;
    }

    void finish(Command &t)
    {
        t.op = FP8MAC_OP_GEMM;
        t.d_fmt = kRequantise ? (rng_.below(3) ? FP8MAC_INT8 : FP8MAC_FP32) : rng_.below(8);
        t.overflow = t.d_fmt == FP8MAC_INT8 ? 0 : rng_.below(3);
        t.act = kRequantise ? 2 * rng_.below(2) : rng_.below(FP8MAC_ACTIVATIONS);
        t.irq = rng_.coin();
        t.d_addr = matrix(t.m, t.n * t.d_bytes(), t.d_stride);
        kRequantise ? finish_integers(t) : finish_floats(t);
    }
    void maybe_table(Command &t)
    {
        const bool table = kFunctions.tables && t.d_bytes() == 1 && rng_.below(3) == 0;
        t.act_table = table ? 1 + rng_.below(2) : 0;
        t.extended = t.mx || t.stochastic || t.act_table != 0;
    }
    void finish_floats(Command &t)
    {
        t.scale_a_vec = rng_.coin();
        t.scale_b_vec = rng_.coin();
        t.bias_en = rng_.coin();
        t.scale_a = t.scale_a_vec ? vector(t.m, true) : scale();
        t.scale_b = t.scale_b_vec ? vector(t.n, true) : scale();
        t.bias = t.bias_en ? vector(t.n, false) : 0;
        t.scale_d = scale();
        clamp(t);
        t.stochastic = kFunctions.stochastic && rng_.below(4) == 0;
        t.seed = t.stochastic ? static_cast<uint32_t>(rng_.next()) : 0;
        maybe_table(t);
        t.c_en = kFunctions.c && rng_.below(3) == 0;
        if (t.c_en) {
            add_c(t);
        }
    }
    // What the requantiser has in their place
    void finish_integers(Command &t)
    {
        t.scale_b_vec = rng_.coin();
        t.bias_en = rng_.coin();
        t.scale_a = int_shift();
        t.scale_b = t.scale_b_vec ? int_scales(t.n) : int_multiplier();
        t.bias = t.bias_en ? int_biases(t.n) : 0;
        t.scale_d = static_cast<uint32_t>(rng_.range(-128, 127));
        const int lo = rng_.range(-128, 127);
        t.clamp_lo = static_cast<uint32_t>(lo);
        t.clamp_hi = static_cast<uint32_t>(rng_.range(lo, 127));
        maybe_table(t);
    }
    // Most results are within the range of INT8.
    uint32_t int_shift()
    {
        return static_cast<uint32_t>(rng_.below(4) ? rng_.range(-12, -2) : rng_.range(-31, 30));
    }
    uint32_t int_multiplier()
    {
        return (static_cast<uint32_t>(rng_.next()) & 0x7fffffff) | (rng_.below(8) ? 1u << 30 : 0);
    }
    uint32_t int_scales(uint32_t count)
    {
        const uint32_t addr = allocate(8 * count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t scale[2] = {int_multiplier(), int_shift()};
            std::memcpy(&bytes_[addr - axi::kMemoryBase + 8 * i], scale, 8);
        }
        return addr;
    }
    uint32_t int_biases(uint32_t count)
    {
        const uint32_t addr = allocate(4 * count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t bias = rng_.below(8) ? static_cast<uint32_t>(rng_.range(-99999, 99999))
                                                : static_cast<uint32_t>(rng_.next());
            std::memcpy(&bytes_[addr - axi::kMemoryBase + 4 * i], &bias, 4);
        }
        return addr;
    }

  public:
    // The command loads its table from anywhere, if it has one: any codes.
    void maybe_load_table(Command &t)
    {
        t.load_table = t.extended && t.act_table != 0 && rng_.coin();
        t.table_addr = t.load_table ? allocate(FP8MAC_TABLE_CODES) : 0;
    }
    static void without_c(Command &t)
    {
        t.c_en = false;
        t.extended = t.mx || t.stochastic || t.act_table != 0;
    }

    // beta * C, of any format, that is read; not in place of D
    void add_own_c(Command &t)
    {
        if (!kFunctions.c) {
            return;
        }
        do {
            add_c(t);
        } while (t.c_addr == t.d_addr || !t.reads_c());
    }

    // beta * C, of any format; in place of D if it has D's
    void add_c(Command &t)
    {
        t.extended = t.c_en = true;
        t.c_fmt = rng_.below(8);
        t.beta = rng_.below(8) ? scale() ^ (rng_.coin() ? 0 : 0x80000000u) : rng_.fp32();
        if (rng_.below(16) == 0) {
            t.beta = rng_.coin() ? 0 : 0x80000000u;
        }
        t.c_addr = matrix(t.m, t.n * Command::bytes_of(t.c_fmt), t.c_stride);
        if (t.c_fmt == t.d_fmt && rng_.coin()) {
            t.c_addr = t.d_addr;
            t.c_stride = t.d_stride;
        }
        small_values(t.c_addr, t.m, t.m > 1 ? t.c_stride : 0, t.n, t.c_fmt);
    }

    // Random bits are mostly huge or tiny in the wide formats. These are mostly near 1.
    void small_values(uint32_t addr, uint32_t rows, uint32_t stride, uint32_t n, uint32_t fmt)
    {
        if (Command::bytes_of(fmt) == 1 || rng_.below(4) == 0) {
            return;
        }
        const uint32_t bytes = Command::bytes_of(fmt);
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t i = 0; i < n; i++) {
                uint8_t &top = bytes_[addr - axi::kMemoryBase + r * stride + i * bytes + bytes - 1];
                if (rng_.below(16) != 0) {
                    top = static_cast<uint8_t>((top & 0x81) | 0x3c);
                }
            }
        }
    }

    // lo <= hi by value
    void clamp(Command &t)
    {
        t.clamp_lo = 0x80000000u | (rng_.fp32_finite() & 0x7fffffffu);
        t.clamp_hi = rng_.fp32_finite() & 0x7fffffffu;
        if (rng_.below(4) == 0) {
            t.clamp_lo = t.clamp_hi;
        }
        if (rng_.below(8) == 0) {
            t.clamp_lo = 0, t.clamp_hi = 0x80000000u; // +0 and -0 are equal
        }
    }

    tb::Rng &rng_;
    std::vector<uint8_t> &bytes_;
    Shape shape_;
    uint32_t next_ = 0;
    unsigned style_ = 0;
};

} // namespace accel

#endif
