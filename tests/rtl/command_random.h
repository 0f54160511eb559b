// SPDX-License-Identifier: Apache-2.0
// Random commands for the check of commands: legal ones of each kind, with values at their limits,
// and the same with fields that are wrong.
#ifndef COMMAND_RANDOM_H
#define COMMAND_RANDOM_H

#include <algorithm>
#include <initializer_list>

#include "tb.h"

extern "C" {
#include "fp8mac/tiles.h"
}

namespace command
{

enum Kind : unsigned {
    kGemm,
    kDivided, // a GEMM of several tile commands
    kLongK,   // with more products than an integer accumulator takes
    kChain,   // reuses, continues or keeps what the command before left
    kMx,
    kImage,
    kDepthwise, // without pairs
    kPairs,
    kAdd,
    kMultiply,
    kMaximum,
    kRows,
    kKinds
};

constexpr const char *kKindNames[kKinds] = {"GEMM", "divided",  "long K",    "chain",
                                            "MX",   "image",    "depthwise", "pairs",
                                            "add",  "multiply", "maximum",   "rows"};

class Random
{
  public:
    Random(tb::Rng &rng, const fp8mac_caps &caps) : rng_(rng), caps_(caps), beat_(caps.beat_bytes)
    {
        bound_ = fp8mac_caps_bound_block(&caps_);
        granule_ = std::max(bound_, beat_);
    }

    bool has(uint32_t functions) const
    {
        return (caps_.functions & functions) == functions;
    }
    bool possible(unsigned kind) const
    {
        switch (kind) {
        case kLongK: return caps_.element.terms_log2 != 0;
        case kMx: return has(FP8MAC_FUNCTION_MX);
        case kImage: return has(FP8MAC_FUNCTION_CONV_A);
        case kDepthwise: return has(FP8MAC_FUNCTION_DEPTHWISE);
        case kPairs: return has(FP8MAC_FUNCTION_DEPTHWISE) && caps_.cols >= 4;
        case kAdd: return has(FP8MAC_FUNCTION_ELEMENTWISE);
        case kMultiply:
        case kMaximum: return has(FP8MAC_FUNCTION_ELEMENTWISE | FP8MAC_FUNCTION_C);
        case kRows: return has(FP8MAC_FUNCTION_ROWS);
        default: return true;
        }
    }
    unsigned kind()
    {
        for (;;) {
            const unsigned kind = rng_.below(kKinds);
            // Of a kind that the accelerator does not have there are some, too: they are refused.
            if (kind != kLongK && (possible(kind) || rng_.below(8) == 0)) {
                return kind;
            }
            if (kind == kLongK && possible(kind) && rng_.below(8) == 0) {
                return kind;
            }
        }
    }

    fp8mac_command legal(unsigned kind)
    {
        if (kind == kChain) {
            return chain();
        }
        fp8mac_command c{};
        formats(c);
        finish(c);
        switch (kind) {
        case kDivided:
        case kMx: gemm(c, kind == kMx, kind == kDivided || rng_.below(4) == 0); break;
        case kLongK: long_k(c); break;
        case kImage: image(c); break;
        case kDepthwise:
        case kPairs: depthwise(c, kind == kPairs); break;
        case kAdd:
        case kMultiply:
        case kMaximum: elementwise(c, kind); break;
        case kRows: rows(c); break;
        default: gemm(c, false, false);
        }
        if (kind == kGemm || kind == kDivided || kind == kMx || kind == kImage) {
            adds_c(c);
        }
        c.mode.extended = extended(c) || rng_.coin();
        addresses(c);
        if (kind == kGemm || kind == kMx) {
            c.mode.acc_keep = rng_.below(4) == 0 && c.k % caps_.block == 0;
        }
        previous_ = c;
        return c;
    }

    // One field is wrong, or likely so.
    void spoil(fp8mac_command &c);

  private:
    tb::Rng &rng_;
    const fp8mac_caps &caps_;
    uint32_t beat_, bound_, granule_;
    fp8mac_command previous_{};

    uint32_t word()
    {
        return static_cast<uint32_t>(rng_.next() >> 32);
    }
    bool rarely()
    {
        return rng_.below(8) == 0;
    }
    static uint32_t up(uint64_t x, uint32_t to)
    {
        return static_cast<uint32_t>((x + to - 1) / to * to);
    }
    uint32_t within(uint32_t most) // 1 to most, small ones and the limit more often
    {
        most = std::max(1u, most);
        return rng_.below(6) == 0 ? most : 1 + rng_.below(std::max(1u, most >> rng_.below(4)));
    }
    uint32_t scale()
    {
        uint32_t x;
        do {
            x = rng_.fp32_finite() & 0x7fffffffu;
        } while (x == 0);
        return x;
    }
    static uint32_t bytes(uint32_t columns, unsigned fmt)
    {
        return columns << fp8mac_command_size_log2(fmt);
    }
    uint32_t stride(uint32_t row)
    {
        return up(row, beat_) + beat_ * (rng_.coin() ? 0 : rng_.below(5));
    }
    // Aligned, and the end of the region is sometimes that of the addresses.
    uint32_t place(uint64_t span)
    {
        if (rarely() && span < (1u << 31)) {
            return static_cast<uint32_t>((0x100000000u - span) & ~uint64_t(beat_ - 1));
        }
        return (word() & 0x3fffffffu) & ~(beat_ - 1);
    }
    static uint64_t span(uint32_t rows, uint32_t stride, uint64_t row)
    {
        return rows == 0 ? 0 : uint64_t(rows - 1) * stride + row;
    }

    bool extended(const fp8mac_command &c) const
    {
        return c.mode.op != 0 || c.c.en || c.mode.conv_a || c.mode.mx || c.finish.stochastic ||
               c.finish.act_table != 0;
    }

    void operand_format(fp8mac_command_operand &x)
    {
        if (caps_.element.int8) {
            x.narrow = true;
            x.fmt = 3;
        } else if (caps_.element.narrow && rng_.below(4) == 0) {
            x.narrow = true;
            x.fmt = static_cast<uint8_t>(rng_.below(3));
        } else {
            x.fmt = static_cast<uint8_t>(caps_.element.e5m2
                                             ? rng_.below(4)
                                             : one_of<uint32_t>({FP8MAC_E4M3FN, FP8MAC_E4M3FNUZ}));
        }
        x.scale_exp = caps_.element.int8 ? 0 : static_cast<int8_t>(rng_.range(-32, 32));
    }
    void formats(fp8mac_command &c)
    {
        operand_format(c.a);
        operand_format(c.b);
        const unsigned fp16 = caps_.element.accumulators >> FP8MAC_ACC_FP16 & 1;
        const unsigned others = caps_.element.accumulators & ~(1u << FP8MAC_ACC_FP16);
        c.mode.acc_fmt = fp16 != 0 && (others == 0 || rng_.coin());
        c.d.fmt = static_cast<uint8_t>(rng_.below(8));
        c.mode.pass_shape = static_cast<uint8_t>(rng_.below(4));
        c.mode.irq = rng_.coin();
        c.mode.b_free = rng_.coin();
        c.mode.after = static_cast<uint8_t>(rng_.below(16));
        c.mode.record = caps_.records != 0 && rng_.below(4) == 0;
        c.tag = static_cast<uint16_t>(word());
    }
    bool requantises() const
    {
        return has(FP8MAC_FUNCTION_REQUANTISE);
    }
    uint32_t byte()
    {
        return static_cast<uint32_t>(rng_.range(-128, 127));
    }
    void finish(fp8mac_command &c)
    {
        if (requantises()) {
            c.d.fmt = rng_.below(4) ? FP8MAC_INT8 : FP8MAC_FP32;
            c.a.scale = static_cast<uint32_t>(rng_.range(-31, 30));
            c.b.scale = word() >> 1;
            c.d.scale = byte();
            c.finish.act = rng_.coin() ? FP8MAC_ACT_CLAMP : FP8MAC_ACT_NONE;
            const int32_t lo = rng_.range(-128, 127);
            c.finish.clamp_lo = static_cast<uint32_t>(lo);
            c.finish.clamp_hi = static_cast<uint32_t>(rng_.range(lo, 127));
            c.b.scale_vec = rng_.coin();
        } else {
            c.a.scale = scale();
            c.b.scale = scale();
            c.d.scale = scale();
            c.finish.act = static_cast<uint8_t>(rng_.below(FP8MAC_ACTIVATIONS));
            const bool negative = rng_.coin();
            const uint32_t x = scale(), y = rng_.coin() ? x : scale();
            c.finish.clamp_lo = negative ? 0x80000000u | std::max(x, y) : std::min(x, y);
            c.finish.clamp_hi = negative ? 0x80000000u | std::min(x, y) : std::max(x, y);
            if (rarely()) {
                c.finish.clamp_lo = 0;
                c.finish.clamp_hi = 0x80000000u;
            }
            c.a.scale_vec = rng_.below(4) == 0;
            c.b.scale_vec = rng_.below(4) == 0;
            c.finish.stochastic = has(FP8MAC_FUNCTION_STOCHASTIC) && rng_.below(4) == 0;
            c.finish.seed = word();
        }
        c.finish.bias_en = rng_.below(3) == 0;
        c.finish.overflow = static_cast<uint8_t>(rng_.below(FP8MAC_OVERFLOWS));
        if (c.d.fmt == FP8MAC_INT8) {
            c.finish.overflow = FP8MAC_OVERFLOW_SATURATE;
        }
        if (has(FP8MAC_FUNCTION_TABLES) && fp8mac_command_size_log2(c.d.fmt) == 0 &&
            rng_.below(4) == 0) {
            c.finish.act_table = static_cast<uint8_t>(1 + rng_.below(2));
        }
    }

    // The most rows of an operand whose rows have `words` beats
    uint32_t rows_that_fit(uint32_t side, uint32_t words)
    {
        return std::min<uint32_t>(caps_.max_mn, side * (caps_.buf_beats / std::max(1u, words)));
    }
    uint32_t words_of(uint32_t k) const
    {
        return up(k, bound_) / beat_;
    }

    void gemm(fp8mac_command &c, bool mx, bool divided)
    {
        const uint32_t most = caps_.buf_beats * beat_;
        const uint32_t k = rarely() ? within(most) : within(std::min(most, 600u));
        uint32_t tile_k = rng_.coin() ? up(k, caps_.block > bound_ ? caps_.block : bound_) : k;
        tile_k = std::min(tile_k, most);
        const uint32_t words = words_of(tile_k);
        uint32_t m = rows_that_fit(caps_.rows, words), n = rows_that_fit(caps_.cols, words);
        if (mx) { // scales of a row
            const uint32_t scales =
                (tile_k / bound_ + beat_) / beat_ + 1; // chunks begin at any byte
            const uint32_t fit = fp8mac_caps_scale_beats(&caps_) / scales;
            m = std::min(m, caps_.rows * fit);
            n = std::min(n, caps_.cols * fit);
        }
        c.mode.mx = mx;
        c.m = within(m), c.n = within(n), c.k = tile_k;
        if (divided) {
            const uint32_t whole = beat_ / (1u << rng_.below(2)) * 2u;
            c.tile.m = static_cast<uint16_t>(within(m / whole) * whole);
            c.tile.n = static_cast<uint16_t>(within(n / whole) * whole);
            c.tile.m = std::min<uint16_t>(c.tile.m, static_cast<uint16_t>(m));
            c.tile.n = std::min<uint16_t>(c.tile.n, static_cast<uint16_t>(n));
            c.m = c.tile.m * (1 + rng_.below(3)) - rng_.below(std::min<uint32_t>(c.tile.m, 3));
            c.n = c.tile.n * (1 + rng_.below(3)) - rng_.below(std::min<uint32_t>(c.tile.n, 3));
            if (rng_.coin()) {
                chunks(c, tile_k);
            }
            c.mode.b_resident = rng_.coin();
        }
        c.a.stride = stride(c.k), c.b.stride = stride(c.k);
        c.d.stride = stride(bytes(c.n, c.d.fmt));
        c.a.mx_stride = stride(fp8mac_command_scales(c.k));
        c.b.mx_stride = stride(fp8mac_command_scales(c.k));
    }
    void chunks(fp8mac_command &c, uint32_t tile_k)
    {
        const uint32_t chunk = std::max(granule_, tile_k / granule_ * granule_);
        if (chunk > caps_.buf_beats * beat_) {
            return;
        }
        c.tile.k = static_cast<uint16_t>(chunk);
        c.tile.first_k = rng_.coin() ? static_cast<uint16_t>(granule_) : 0;
        c.k = chunk * (1 + rng_.below(3)) + rng_.below(chunk + 1);
    }
    void long_k(fp8mac_command &c)
    {
        const uint32_t most = caps_.buf_beats * beat_, limit = 1u << caps_.element.terms_log2;
        c.m = 1, c.n = 1;
        c.tile.k = static_cast<uint16_t>(most);
        c.k = limit - 32 + rng_.below(64);
        c.k = rng_.coin() ? limit : c.k;
        c.a.stride = c.b.stride = stride(c.k);
        c.d.stride = stride(4);
    }
    void adds_c(fp8mac_command &c)
    {
        if (!has(FP8MAC_FUNCTION_C) || rng_.coin()) {
            return;
        }
        c.c.en = true;
        c.c.fmt = static_cast<uint8_t>(rng_.below(8));
        c.c.stride = stride(bytes(c.n, c.c.fmt));
        c.c.beta = rarely() ? rng_.below(2) << 31 : word();
    }
    void image(fp8mac_command &c)
    {
        gemm(c, false, rng_.below(4) == 0);
        fields_of_image(c);
        if (c.n > c.tile.n && c.tile.n != 0) {
            c.mode.b_resident = false;
        }
    }
    void fields_of_image(fp8mac_command &c)
    {
        c.mode.conv_a = true;
        c.image.width = within(3000);
        c.image.height = static_cast<uint16_t>(within(200));
        c.image.out_w = static_cast<uint16_t>(within(200));
        c.image.segment_bytes = static_cast<uint16_t>(within(100));
        c.image.segments = static_cast<uint8_t>(within(7));
        c.image.step_x = static_cast<uint16_t>(rng_.below(300));
        c.image.segment_step = static_cast<uint16_t>(rng_.below(300));
        c.image.step_y = static_cast<uint8_t>(rng_.below(4));
        c.image.dil_y = static_cast<uint8_t>(rng_.below(4));
        c.image.pad_top = static_cast<uint8_t>(rng_.below(4));
        c.image.pad_left = static_cast<uint16_t>(rng_.below(100));
        c.a.stride = stride(c.image.width);
    }
    void depthwise(fp8mac_command &c, bool pairs)
    {
        const uint32_t quad = pairs ? std::max(1u, caps_.cols / 2u) : caps_.cols;
        const uint32_t quads = beat_ / caps_.cols * (pairs ? 2 : 1);
        c.k = quad * within(25);
        while (words_of(c.k) * quads > caps_.buf_beats) {
            c.k -= quad;
        }
        if (rng_.below(64) == 0) { // too many, by the most
            c.k = 65536 - quad * within(40);
        }
        c.m = within(rows_that_fit(caps_.rows, words_of(c.k) * quads));
        c.n = within(beat_);
        c.n = pairs ? up(c.n, quad) : c.n;
        fields_of_image(c);
        c.mode.depthwise = true;
        c.mode.pairs = pairs;
        c.image.segment_bytes = static_cast<uint16_t>(beat_);
        c.image.width = up(c.image.width, beat_);
        c.a.stride = stride(c.image.width);
        c.image.step_x = static_cast<uint16_t>(up(c.image.step_x, beat_));
        c.image.segment_step = static_cast<uint16_t>(up(c.image.segment_step, beat_));
        c.image.pad_left = static_cast<uint16_t>(up(c.image.pad_left, beat_));
        c.b.stride = stride(c.k);
        if (pairs) {
            while (fp8mac_command_size_log2(c.d.fmt) != 0) {
                c.d.fmt =
                    requantises() ? uint8_t{FP8MAC_INT8} : static_cast<uint8_t>(rng_.below(8));
            }
            if (c.d.fmt == FP8MAC_INT8) {
                c.finish.overflow = FP8MAC_OVERFLOW_SATURATE;
            }
            c.finish.stochastic = false;
            c.c.stride = rng_.coin() ? c.m : rng_.below(c.m + 20);
        }
        if (rarely()) { // bands of rows
            const uint32_t rows = beat_ / 4u;
            c.tile.m = static_cast<uint16_t>(rows * within(c.m / rows + 1));
            c.tile.m = c.tile.m > c.m ? 0 : c.tile.m;
            c.m += c.tile.m * rng_.below(3);
        }
        c.d.stride = stride(bytes(c.n, c.d.fmt));
    }
    void elementwise(fp8mac_command &c, unsigned kind)
    {
        gemm(c, false, rng_.below(4) == 0);
        if (rng_.below(4) == 0) { // what has no effect
            c.k = word(), c.tile.k = static_cast<uint16_t>(word()), c.b.stride = word();
            c.a.fmt = static_cast<uint8_t>(rng_.below(4));
            c.a.narrow = rng_.coin();
        }
        c.mode.op = kind == kMultiply ? FP8MAC_OP_MULTIPLY : FP8MAC_OP_ADD;
        c.x_fmt = static_cast<uint8_t>(rng_.below(8));
        c.a.stride = stride(bytes(c.n, c.x_fmt));
        c.a.scale_exp = static_cast<int8_t>(rng_.range(-32, 32));
        c.b.scale_exp = static_cast<int8_t>(rng_.range(-32, 32));
        adds_c(c);
        if (kind != kAdd) {
            c.c.en = true;
            c.c.fmt = static_cast<uint8_t>(rng_.below(8));
            c.c.stride = stride(bytes(c.n, c.c.fmt));
            c.c.beta = kind == kMaximum ? word() | 1 : word();
            c.finish.bias_en = c.finish.bias_en && kind == kMaximum;
            c.mode.maximum = kind == kMaximum;
        }
    }
    void rows(fp8mac_command &c)
    {
        c.mode.op = FP8MAC_OP_ROWS;
        c.mode.row_op = static_cast<uint8_t>(rng_.below(FP8MAC_ROWS_OPERATIONS));
        c.m = within(40);
        c.n = rarely() ? within(700) : within(100);
        c.x_fmt = static_cast<uint8_t>(rng_.below(8));
        c.tile.m = static_cast<uint16_t>(rng_.coin() ? 0 : word());
        c.tile.n = static_cast<uint16_t>(rng_.coin() ? 0 : word());
        c.mode.b_resident = rng_.coin();
        const uint32_t op = c.mode.row_op;
        const bool norm = fp8mac_command_is_norm(&c), blocks = fp8mac_command_writes_scales(&c);
        const bool whole = norm || blocks || op == FP8MAC_ROWS_QUANTISE ||
                           op == FP8MAC_ROWS_SIGMOID || op == FP8MAC_ROWS_TANH;
        c.k = whole || rng_.coin() ? 0 : rng_.below(c.n + 1);
        c.mode.causal = !whole && rng_.coin();
        c.a.scale_vec = false;
        c.b.scale_vec = norm && rng_.coin();
        c.b.scale = FP8MAC_COMMAND_ONE;
        c.finish.bias_en = c.finish.bias_en && op == FP8MAC_ROWS_LAYER_NORM;
        c.finish.stochastic = false;
        c.b.stride = norm ? scale() : word();
        c.c.beta = norm ? (rng_.coin() ? 0 : scale()) : word();
        if (blocks || op == FP8MAC_ROWS_ARGMAX) {
            c.a.scale = c.d.scale = FP8MAC_COMMAND_ONE;
            c.finish.act = FP8MAC_ACT_NONE;
            c.finish.act_table = 0;
            c.d.fmt = static_cast<uint8_t>(blocks ? rng_.below(4) : unsigned{FP8MAC_FP32});
            c.finish.overflow = FP8MAC_OVERFLOW_SATURATE;
        }
        c.a.stride = stride(bytes(c.n, c.x_fmt));
        if (fp8mac_command_is_reduction(&c)) {
            c.d.stride = rng_.coin() ? 4 : stride(4);
        } else {
            c.d.stride = stride(bytes(c.n, c.d.fmt));
        }
        c.a.mx_stride = stride(fp8mac_command_scales(c.n));
    }

    void addresses(fp8mac_command &c)
    {
        const bool x = fp8mac_command_has_x(&c);
        const uint64_t lines = c.image.height == 0 ? 1 : c.image.height;
        const uint32_t d_rows = fp8mac_command_has_pairs(&c) ? 2 * c.m + c.image.out_w : c.m;
        c.a.addr = place(c.mode.conv_a ? lines * c.a.stride
                                       : span(c.m, c.a.stride, x ? bytes(c.n, c.x_fmt) : c.k));
        c.b.addr = place(span(fp8mac_command_columns(&c), c.b.stride, c.k));
        c.d.addr = place(span(d_rows, c.d.stride, bytes(c.n, c.d.fmt)));
        c.c.addr = place(span(c.m, c.c.stride, bytes(c.n, c.c.fmt)));
        c.finish.bias = place(uint64_t(4) * c.n);
        c.a.mx_addr = place(span(c.m, c.a.mx_stride, 16));
        c.b.mx_addr = place(span(c.n, c.b.mx_stride, 16));
        if (c.a.scale_vec) {
            c.a.scale = place(uint64_t(4) * c.m);
        }
        if (c.b.scale_vec) {
            c.b.scale = place(uint64_t(requantises() ? 8 : 4) * c.n);
        }
    }

    // As the command before, with parts of it that are there
    fp8mac_command chain()
    {
        if (fp8mac_command_has_x(&previous_) || previous_.m == 0 || previous_.mode.conv_a) {
            return legal(kGemm);
        }
        fp8mac_command &c = previous_;
        const bool kept = c.mode.acc_keep;
        c.tile = fp8mac_command_tile{};
        c.mode.acc_continue = kept && rng_.below(8) != 0;
        c.mode.acc_keep = c.k % caps_.block == 0 && rng_.coin();
        c.a.reuse = rng_.coin();
        c.b.reuse = rng_.coin();
        if (!c.a.reuse && !c.mode.acc_continue && rng_.coin()) {
            c.m = within(c.m);
        }
        if (!c.a.reuse && !c.b.reuse && rng_.coin()) {
            c.k = up(within(c.k), bound_);
            c.a.stride = c.b.stride = stride(c.k);
        }
        if (rarely()) {
            operand_format(rng_.coin() ? c.a : c.b);
        }
        if (rarely()) {
            c.mode.pass_shape = static_cast<uint8_t>(rng_.below(4));
        }
        return c;
    }

    template <typename T>
    T one_of(std::initializer_list<T> list)
    {
        return list.begin()[rng_.below(static_cast<uint32_t>(list.size()))];
    }
    uint32_t no_scale()
    {
        return one_of({0u, 0x80000000u, 0x7f800000u, 0x7fc00000u, 0xbf800000u, 1u, 0x7f7fffffu,
                       128u, 127u, 0xffffff80u, 0xffffff7fu, 30u, 31u, 0xffffffe1u, 0xffffffe0u});
    }
    void spoil_stride(uint32_t &stride, uint32_t row)
    {
        stride = one_of({row - 1, row, up(row, beat_) - beat_, stride + 1, stride + beat_ / 2, 0u,
                         word(), word() & ~(beat_ - 1)});
    }
    void spoil_address(uintptr_t &address)
    {
        address =
            one_of({static_cast<uint32_t>(address) + 1 + rng_.below(beat_ - 1),
                    0u - beat_ * rng_.below(40), 0u - beat_, static_cast<uint32_t>(address) + beat_,
                    static_cast<uint32_t>(address) ^ (beat_ / 2), word()});
    }
    void spoil_size(uint32_t &size)
    {
        size = one_of({0u, size + 1, 2 * size, caps_.max_mn + 1u, caps_.max_mn + 0u, 65535u, 65536u,
                       65536u + size, 1u << 24, (1u << 24) + 1, size / 2, word()});
    }
    void spoil_tile(uint16_t &tile)
    {
        tile = static_cast<uint16_t>(
            one_of({0u, 1u, tile + 1u, tile - 1u, caps_.max_mn + 0u, caps_.max_mn + 1u, 65535u,
                    granule_, granule_ / 2, 32768u, 8u + rng_.below(100)}));
    }
};

inline void Random::spoil(fp8mac_command &c)
{
    const bool x = fp8mac_command_has_x(&c);
    switch (rng_.below(42)) {
    case 0: spoil_size(c.m); break;
    case 1: spoil_size(c.n); break;
    case 2: spoil_size(c.k); break;
    case 3: spoil_tile(c.tile.m); break;
    case 4: spoil_tile(c.tile.n); break;
    case 5: spoil_tile(c.tile.k); break;
    case 6: spoil_tile(c.tile.first_k); break;
    case 7: spoil_stride(c.a.stride, x ? bytes(c.n, c.x_fmt) : c.k); break;
    case 8: spoil_stride(c.b.stride, c.k); break;
    case 9: spoil_stride(c.d.stride, bytes(c.n, c.d.fmt)); break;
    case 10: spoil_stride(c.c.stride, bytes(c.n, c.c.fmt)); break;
    case 11: spoil_stride(c.a.mx_stride, fp8mac_command_scales(x ? c.n : c.k)); break;
    case 12: spoil_stride(c.b.mx_stride, fp8mac_command_scales(c.k)); break;
    case 13: spoil_address(c.a.addr); break;
    case 14: spoil_address(c.b.addr); break;
    case 15: spoil_address(c.d.addr); break;
    case 16: spoil_address(c.c.addr); break;
    case 17: spoil_address(rng_.coin() ? c.a.mx_addr : c.b.mx_addr); break;
    case 18: c.a.scale_vec ? spoil_address(c.a.scale) : void(c.a.scale = no_scale()); break;
    case 19: c.b.scale_vec ? spoil_address(c.b.scale) : void(c.b.scale = no_scale()); break;
    case 20: spoil_address(c.finish.bias); break;
    case 21: c.d.scale = no_scale(); break;
    case 22:
        c.finish.act = FP8MAC_ACT_CLAMP;
        std::swap(c.finish.clamp_lo, c.finish.clamp_hi);
        break;
    case 23: (rng_.coin() ? c.finish.clamp_lo : c.finish.clamp_hi) = no_scale(); break;
    case 24: (rng_.coin() ? c.a : c.b).scale_exp = static_cast<int8_t>(rng_.next()); break;
    case 25: (rng_.coin() ? c.a : c.b).scale_exp = one_of<int8_t>({33, -33, 32, -32, 1, -1}); break;
    case 26: operand_format(rng_.coin() ? c.a : c.b); break;
    case 27:
        (rng_.coin() ? c.a : c.b).fmt = static_cast<uint8_t>(rng_.below(4));
        (rng_.coin() ? c.a : c.b).narrow = rng_.coin();
        break;
    case 28: c.mode.acc_fmt = !c.mode.acc_fmt; break;
    case 29: c.d.fmt = static_cast<uint8_t>(rng_.below(8)); break;
    case 30: c.c.fmt = static_cast<uint8_t>(rng_.below(8)); break;
    case 31: c.c.beta = one_of({0u, 0x80000000u, no_scale()}); break;
    case 32:
        c.image.width = one_of({0u, (c.image.width + 1) & 0xffffffu, 0xffffffu});
        c.image.height = static_cast<uint16_t>(one_of({0u, 1u, 65535u}));
        break;
    case 33: c.image.segments = static_cast<uint8_t>(one_of({0u, 1u, 255u})); break;
    case 38: c.image.segment_bytes = static_cast<uint16_t>(one_of({0u, beat_, beat_ + 1})); break;
    case 34: c.image.out_w = static_cast<uint16_t>(one_of({0u, 1u, 65535u})); break;
    case 35: c.image.step_x ^= static_cast<uint16_t>(1u << rng_.below(16)); break;
    case 36: (rng_.coin() ? c.a : c.b).reuse ^= true; break;
    case 37: (rng_.coin() ? c.mode.acc_continue : c.mode.acc_keep) ^= true; break;
    case 39: // half of it does not fit
        c.k = 131072 - rng_.below(80);
        c.tile.k = static_cast<uint16_t>(65535 - rng_.below(40));
        break;
    default: { // any bit, more likely one of the codes
        uint32_t words[FP8MAC_COMMAND_WORDS_MOST] = {};
        fp8mac_words_of_command(&c, words);
        const uint32_t at = rng_.below(4);
        const uint32_t w = at == 0   ? rng_.below(FP8MAC_COMMAND_WORDS_MOST)
                           : at == 1 ? uint32_t{FP8MAC_WORD_MODE}
                                     : uint32_t{FP8MAC_WORD_OPERATION};
        words[w] ^= 1u << rng_.below(32);
        c = fp8mac_command_of_words(words);
    }
    }
}

} // namespace command

#endif
