// SPDX-License-Identifier: Apache-2.0
// A command as software describes it, and its result by the golden model on an image of the memory.
#ifndef ACCEL_COMMAND_H
#define ACCEL_COMMAND_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "accel_element.h"
#include "accel_rows.h"

namespace accel
{

enum Error {
    ErrNone,
    ErrShape,
    ErrAlign,
    ErrRange,
    ErrMode,
    ErrScaleExp,
    ErrScale,
    ErrSequence,
    ErrReadSlv,
    ErrReadDec,
    ErrWriteSlv,
    ErrWriteDec,
    ErrQueueFull,
    ErrTimeout,
    ErrRecord,
    ErrDropped
};

constexpr uint32_t kOne = 0x3f800000u;
// Scales that change nothing. An integer scale of 1 is the multiplier 2^30, of B, and the shift 1,
// of A.
constexpr uint32_t kUnitA = kRequantise ? 1 : kOne, kUnitB = kRequantise ? 1u << 30 : kOne,
                   kUnitD = kRequantise ? 0 : kOne;
// As Command::a_fmt: the first of the narrow formats, and INT8
constexpr uint32_t kNarrow = 4, kInt8 = 7;

// A format that the same elements have.
constexpr uint32_t other_format(uint32_t fmt)
{
    return fmt < kNarrow ? fmt ^ 2 : kNarrow + (fmt + 1 - kNarrow) % 3;
}

struct Command {
    uint32_t m = 1, n = 1, k = 1;
    uint32_t tile_m = 0, tile_n = 0, tile_k = 0, first_k = 0; // 0: all
    bool b_resident = false;
    uint32_t after = 0; // commands before: MODE.after
    bool b_free = false;
    bool record = false; // asks for a completion record
    uint32_t a_addr = 0, a_stride = 0, b_addr = 0, b_stride = 0, d_addr = 0, d_stride = 0;
    // a_fmt, b_fmt: 0 to 3 the codes of MODE, kNarrow to kInt8 those with a_narrow, b_narrow
    uint32_t a_fmt = 0, b_fmt = 0, acc_fmt = 0, overflow = 0, act = 0;
    uint32_t d_fmt = kRequantise ? FP8MAC_INT8 : FP8MAC_E4M3FN;
    uint32_t pass_shape = 0; // log2 of the pass's tiles down; 3: automatic
    bool scale_a_vec = false, scale_b_vec = false, bias_en = false;
    bool reuse_a = false, reuse_b = false, acc_continue = false, acc_keep = false, irq = false;
    int sa = 0, sb = 0;
    uint32_t scale_a = kUnitA, scale_b = kUnitB, bias = 0, scale_d = kUnitD, clamp_lo = 0,
             clamp_hi = 0;
    uint16_t tag = 0;
    // The extension
    bool extended = false;
    uint32_t op = 0, c_fmt = 0, x_fmt = 0, act_table = 0, row_op = 0;
    bool causal = false, maximum = false;
    float factor = 1; // of a row command: SCALE_A has it, or its product with log2(e)
    bool c_en = false, stochastic = false, conv_a = false, mx = false, depthwise = false;
    bool pairs = false; // with it, c_stride is the rows that have results 1
    uint32_t c_addr = 0, c_stride = 0, beta = 0, seed = 0;
    uint32_t conv[6] = {};
    uint32_t mx_a_addr = 0, mx_a_stride = 0, mx_b_addr = 0, mx_b_stride = 0;
    bool load_table = false; // only in a descriptor
    uint32_t table_addr = 0;
    // With conv_a: what the words of `conv` say, without `data` and `line_bytes`
    fp8mac_image image{};

    // Its last tile command need not have all of A or B.
    bool has_tiles() const
    {
        return tile_m != 0 || tile_n != 0 || tile_k != 0;
    }
    uint64_t macs() const
    {
        return elementwise() ? 0 : uint64_t(m) * columns() * k;
    }
    // Of the products
    uint32_t columns() const
    {
        return pairs ? 2 * n : n;
    }
    // The channels of a depthwise command that a tile of columns has
    uint32_t tile_channels() const
    {
        return pairs ? COLS / 2 : COLS;
    }
    // With pairs: the row of D that has result `second` of row r
    uint32_t pair_row(uint32_t r, uint32_t second) const
    {
        const uint32_t out_w = conv[1] >> 16;
        return (2 * (r / out_w) + second) * out_w + r % out_w;
    }
    static uint32_t bytes_of(uint32_t fmt)
    {
        return fp8mac_format_bytes(fp8mac_format_get(static_cast<fp8mac_format_id>(fmt)));
    }
    uint32_t d_bytes() const
    {
        return bytes_of(d_fmt);
    }
    bool elementwise() const
    {
        return extended && op != 0;
    }
    bool rows() const
    {
        return extended && op == 3;
    }
    // Scales of MX blocks are written to mx_a_addr.
    bool writes_scales() const
    {
        return rows() && row_op == QuantiseMx;
    }
    // Columns of D
    uint32_t d_columns() const
    {
        return rows() && is_reduction(row_op) ? 1 : n;
    }
    // Blocks along K that have an MX scale
    uint32_t blocks() const
    {
        return (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
    }
    // C is read: not where beta is 0, unless X is multiplied by C.
    bool reads_c() const
    {
        return extended && c_en && !acc_keep && !rows() && (op == 2 || (beta & 0x7fffffff) != 0);
    }
};

// The effects of one command, or of all together, other than D.
struct Outcome {
    fp8mac_flags flags = 0;
    uint32_t amax = 0;
    bool nonfinite = false;

    void add(const Outcome &other)
    {
        flags |= other.flags;
        amax = std::max(amax, other.amax);
        nonfinite |= other.nonfinite;
    }
};

// The codes of both tables: any that differ.
inline const std::array<std::array<uint8_t, FP8MAC_TABLE_CODES>, 2> &code_tables()
{
    static const auto tables = [] {
        std::array<std::array<uint8_t, FP8MAC_TABLE_CODES>, 2> made{};
        for (uint32_t i = 0; i < FP8MAC_TABLE_CODES; i++) {
            made[0][i] = static_cast<uint8_t>(i * 77 + 5);
            made[1][i] = static_cast<uint8_t>(~(i * 13));
        }
        return made;
    }();
    return tables;
}

class Golden
{
  public:
    Golden(std::vector<uint8_t> &image, uint64_t base) : image_(image), base_(base) {}
    Outcome all;           // of all commands
    Outcome outcome;       // of the last one
    unsigned refusals = 0; // commands that the model refused to compute: a mistake of the bench

    // A table is read before anything is computed.
    void run(const Command &t)
    {
        outcome = Outcome{};
        if (t.extended && t.load_table) {
            std::memcpy(tables_[t.act_table - 1].data(), at(t.table_addr), FP8MAC_TABLE_CODES);
        }
        if (t.rows()) {
            refusals += !run_rows(t, [this](uint32_t addr) { return at(addr); }, table(t), outcome);
        } else if (t.elementwise()) {
            run_elementwise(t);
        } else if (kRequantise) {
            run_requantised(t);
        } else if (t.acc_keep || t.acc_continue || t.depthwise) {
            run_chained(t);
        } else {
            run_gemm(t);
        }
        all.add(outcome);
    }

  private:
    uint8_t *at(uint32_t addr)
    {
        return &image_[addr - base_];
    }
    float as_float(uint32_t bits) const
    {
        float x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
    uint32_t word(uint32_t addr, uint32_t index)
    {
        uint32_t x;
        std::memcpy(&x, at(addr) + 4 * index, sizeof x);
        return x;
    }
    // A in memory, or gathered from its image. Of a depthwise command, the channels of one tile of
    // columns
    const uint8_t *a_of(const Command &t, uint32_t &stride, uint32_t tile = 0)
    {
        stride = t.a_stride;
        if (!t.conv_a) {
            return at(t.a_addr);
        }
        fp8mac_image view = t.image;
        view.data = at(t.a_addr + tile * t.tile_channels());
        view.channels = t.depthwise ? t.tile_channels() : view.channels;
        view.line_bytes = t.a_stride;
        stride = t.k;
        rows_.resize(size_t(t.m) * t.k);
        for (uint32_t r = 0; r < t.m; r++) {
            if (fp8mac_image_row(&view, r, 0, t.k, &rows_[size_t(r) * t.k]) != FP8MAC_OK) {
                std::abort(); // a mistake of the bench
            }
        }
        return rows_.data();
    }
    static const fp8mac_format *format(uint32_t id)
    {
        return fp8mac_format_get(static_cast<fp8mac_format_id>(id));
    }

    static const fp8mac_format *operand_format(uint32_t fmt)
    {
        return format(fmt < kNarrow  ? fmt
                      : fmt == kInt8 ? uint32_t{FP8MAC_INT8}
                                     : fmt - kNarrow + FP8MAC_E3M2FN);
    }

    const uint8_t *table(const Command &t) const
    {
        return t.act_table == 0 ? nullptr : tables_[t.act_table - 1].data();
    }

    fp8mac_dot_config dot_config(const Command &t) const
    {
        fp8mac_dot_config dot{};
        dot.a.format = operand_format(t.a_fmt);
        dot.b.format = operand_format(t.b_fmt);
        dot.acc_format = t.acc_fmt ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        dot.a.scale_exp = t.sa;
        dot.b.scale_exp = t.sb;
        set_model(dot);
        return dot;
    }

    // The activation, and how D is coded
    void finish_of(const Command &t, fp8mac_gemm_desc &desc)
    {
        desc.activation = static_cast<fp8mac_activation>(t.act);
        desc.clamp_lo = as_float(t.clamp_lo);
        desc.clamp_hi = as_float(t.clamp_hi);
        desc.d_format = format(t.d_fmt);
        desc.d_mode.overflow = static_cast<fp8mac_overflow>(t.overflow);
        desc.d_table = table(t);
        if (t.stochastic) {
            desc.d_mode.rounding = FP8MAC_ROUND_STOCHASTIC;
            desc.d_generator = FP8MAC_GENERATOR_SIMON;
            desc.d_random_bits = 16;
            desc.dot.seed = t.seed;
        }
    }

    void run_gemm(const Command &t)
    {
        const float scale_a = as_float(t.scale_a), scale_b = as_float(t.scale_b),
                    scale_d = as_float(t.scale_d);
        std::vector<float> a_values(t.m), b_values(t.n), bias(t.n);
        if (t.scale_a_vec) {
            std::memcpy(a_values.data(), at(t.scale_a), 4 * t.m);
        }
        if (t.scale_b_vec) {
            std::memcpy(b_values.data(), at(t.scale_b), 4 * t.n);
        }
        if (t.bias_en) {
            std::memcpy(bias.data(), at(t.bias), 4 * t.n);
        }
        // D is computed beside the image, because the model's leading stride counts elements and
        // the command's bytes.
        std::vector<uint8_t> d(size_t(t.m) * t.n * t.d_bytes());

        fp8mac_gemm_desc desc{};
        desc.m = t.m;
        desc.n = t.n;
        desc.k = t.k;
        desc.dot = dot_config(t);
        uint32_t a_stride;
        desc.a.codes = a_of(t, a_stride);
        desc.a.stride = t.m > 1 ? a_stride : t.k;
        desc.b.codes = at(t.b_addr);
        desc.b.stride = t.n > 1 ? t.b_stride : t.k;
        if (t.mx) {
            desc.a.mx = at(t.mx_a_addr);
            desc.a.mx_stride = t.m > 1 ? t.mx_a_stride : t.blocks();
            desc.b.mx = at(t.mx_b_addr);
            desc.b.mx_stride = t.n > 1 ? t.mx_b_stride : t.blocks();
        }
        desc.a.scale = {t.scale_a_vec ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_TENSOR,
                        t.scale_a_vec ? a_values.data() : &scale_a};
        desc.b.scale = {t.scale_b_vec ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_TENSOR,
                        t.scale_b_vec ? b_values.data() : &scale_b};
        desc.bias = t.bias_en ? bias.data() : nullptr;
        // C beside the image, too
        std::vector<uint8_t> c(size_t(t.m) * t.n * Command::bytes_of(t.c_fmt));
        if (t.reads_c()) {
            const uint32_t row = t.n * Command::bytes_of(t.c_fmt);
            for (uint32_t r = 0; r < t.m; r++) {
                std::memcpy(&c[size_t(r) * row], at(t.c_addr + r * t.c_stride), row);
            }
            desc.beta = as_float(t.beta);
            desc.c = c.data();
            desc.c_format = format(t.c_fmt);
            desc.ldc = t.n;
        }
        desc.d = d.data();
        desc.ldd = t.n;
        desc.scale_d = &scale_d;
        finish_of(t, desc);
        fp8mac_gemm_result result{};
        if (fp8mac_gemm(&desc, &result) != FP8MAC_OK) {
            refusals++;
        }

        for (uint32_t r = 0; r < t.m; r++) {
            std::memcpy(at(t.d_addr + r * t.d_stride), &d[size_t(r) * t.n * t.d_bytes()],
                        t.n * t.d_bytes());
        }
        uint32_t amax;
        std::memcpy(&amax, &result.amax, sizeof amax);
        outcome.flags |= result.flags;
        if (amax > outcome.amax) {
            outcome.amax = amax;
        }
        outcome.nonfinite |= result.amax_nonfinite;
    }

    // In a chain each command continues the accumulators of the one before it, with its own
    // formats.
    void run_chained(const Command &t)
    {
        const fp8mac_dot_config dot = dot_config(t);
        if (!t.acc_continue) {
            acc_.assign(size_t(t.m) * t.columns(), fp8mac_acc{});
        }
        uint32_t a_stride;
        const uint8_t *a = nullptr;
        for (uint32_t c = 0; c < t.columns(); c++) {
            if (c == 0 || (t.depthwise && c % COLS == 0)) {
                a = a_of(t, a_stride, c / COLS);
            }
            for (uint32_t r = 0; r < t.m; r++) {
                fp8mac_acc &acc = acc_[size_t(r) * t.columns() + c];
                const uint8_t *row = a + size_t(r) * a_stride,
                              *column = at(t.b_addr + c * t.b_stride);
                const fp8mac_status status =
                    t.mx ? fp8mac_dot_mx(&dot, &acc, {row, at(t.mx_a_addr + r * t.mx_a_stride)},
                                         {column, at(t.mx_b_addr + c * t.mx_b_stride)}, t.k,
                                         &outcome.flags)
                         : fp8mac_dot(&dot, &acc, row, column, t.k, &outcome.flags);
                if (status != FP8MAC_OK) {
                    refusals++;
                }
                if (!t.acc_keep) {
                    const uint32_t sum = fp8mac_acc_to_fp32(&dot, &acc, &outcome.flags);
                    t.pairs ? finish_pair(t, sum, r, c)
                            : finish(t, sum, r, c, t.d_addr + r * t.d_stride);
                }
            }
        }
    }

    // The model's INT8 GEMM. Of a command with a chain before or behind it, it gives the sums.
    void run_requantised(const Command &t)
    {
        uint32_t a_stride;
        fp8mac_int8_gemm_desc desc{};
        desc.a = reinterpret_cast<const int8_t *>(a_of(t, a_stride));
        desc.b = reinterpret_cast<const int8_t *>(at(t.b_addr));
        desc.m = t.m, desc.n = t.n, desc.k = t.k, desc.ldd = t.n;
        desc.lda = t.m > 1 ? a_stride : t.k, desc.ldb = t.n > 1 ? t.b_stride : t.k;
        if (t.acc_keep || t.acc_continue) {
            chain_sums(t, desc);
        } else {
            requantise(t, desc);
        }
    }
    void chain_sums(const Command &t, fp8mac_int8_gemm_desc &desc)
    {
        std::vector<int32_t> sums(size_t(t.m) * t.n);
        desc.sums = true;
        desc.d = sums.data();
        refusals += fp8mac_int8_gemm(&desc) != FP8MAC_OK;
        sums_.resize(sums.size());
        for (size_t i = 0; i < sums.size(); i++) {
            sums_[i] = sums[i] + (t.acc_continue ? sums_[i] : 0);
        }
        for (size_t i = 0; i < sums.size() && !t.acc_keep; i++) {
            const uint32_t column = static_cast<uint32_t>(i % t.n);
            const int32_t bias = t.bias_en ? static_cast<int32_t>(word(t.bias, column)) : 0;
            const fp8mac_requantise to = limits(t);
            store(t, i,
                  t.d_fmt == FP8MAC_FP32 ? uint32_t(sums_[i]) + uint32_t(bias)
                                         : uint8_t(fp8mac_requantise_apply(&to, sums_[i], bias,
                                                                           int_scales(t)[column])));
        }
    }
    void requantise(const Command &t, fp8mac_int8_gemm_desc &desc)
    {
        std::vector<int32_t> bias(t.n);
        std::vector<uint8_t> d(size_t(t.m) * t.n * t.d_bytes());
        const std::vector<fp8mac_int_scale> scales = int_scales(t);
        if (t.bias_en) {
            std::memcpy(bias.data(), at(t.bias), 4 * t.n);
            desc.bias = bias.data();
        }
        desc.sums = t.d_fmt == FP8MAC_FP32;
        desc.scales = desc.sums ? nullptr : scales.data();
        desc.scale_per_column = !desc.sums;
        desc.to = desc.sums ? fp8mac_requantise{} : limits(t);
        desc.d = d.data();
        refusals += fp8mac_int8_gemm(&desc) != FP8MAC_OK;
        for (size_t i = 0; i < size_t(t.m) * t.n; i++) {
            uint32_t code = 0;
            std::memcpy(&code, &d[i * t.d_bytes()], t.d_bytes());
            store(t, i, code);
        }
    }
    // Element i of D, through the table
    void store(const Command &t, size_t i, uint32_t code)
    {
        code = table(t) != nullptr ? table(t)[code] : code;
        std::memcpy(at(t.d_addr + uint32_t(i / t.n) * t.d_stride + uint32_t(i % t.n) * t.d_bytes()),
                    &code, t.d_bytes());
    }
    static fp8mac_requantise limits(const Command &t)
    {
        const bool clamp = t.act == FP8MAC_ACT_CLAMP;
        return {static_cast<int32_t>(t.scale_d), clamp ? static_cast<int32_t>(t.clamp_lo) : -128,
                clamp ? static_cast<int32_t>(t.clamp_hi) : 127};
    }
    // Of each column
    std::vector<fp8mac_int_scale> int_scales(const Command &t)
    {
        std::vector<fp8mac_int_scale> scales(t.n);
        for (uint32_t c = 0; c < t.n; c++) {
            scales[c].multiplier =
                static_cast<int32_t>(t.scale_b_vec ? word(t.scale_b, 2 * c) : t.scale_b);
            scales[c].shift =
                static_cast<int32_t>(t.scale_b_vec ? word(t.scale_b, 2 * c + 1) : t.scale_a);
        }
        return scales;
    }

    // The FP32 value of an element, which a float holds for every format
    uint32_t value(uint32_t fmt, uint32_t addr)
    {
        uint32_t code = 0;
        std::memcpy(&code, at(addr), Command::bytes_of(fmt));
        fp8mac_convert_mode ieee{};
        ieee.overflow = FP8MAC_OVERFLOW_IEEE;
        return fp8mac_encode(format(FP8MAC_FP32), fp8mac_decode(format(fmt), code), ieee, nullptr);
    }

    void run_elementwise(const Command &t)
    {
        const uint32_t bytes = Command::bytes_of(t.x_fmt);
        for (uint32_t r = 0; r < t.m; r++) {
            for (uint32_t c = 0; c < t.n; c++) {
                const uint32_t x = value(t.x_fmt, t.a_addr + r * t.a_stride + c * bytes);
                outcome.flags |= (x & 0x7fffffff) > 0x7f800000 ? FP8MAC_FLAG_NAN : 0;
                finish(t, x, r, c, t.d_addr + r * t.d_stride);
            }
        }
    }

    // Column c of the products: results 0 of half a tile's columns, then their results 1,
    // which the first rows have
    void finish_pair(const Command &t, uint32_t sum, uint32_t r, uint32_t c)
    {
        const uint32_t each = t.tile_channels(), second = c % COLS / each;
        if (second == 0 || r < t.c_stride) {
            finish(t, sum, r, c / COLS * each + c % each,
                   t.d_addr + t.pair_row(r, second) * t.d_stride);
        }
    }

    // `row`: the address of D's row
    void finish(const Command &t, uint32_t t0, uint32_t r, uint32_t c, uint32_t row)
    {
        fp8mac_epilogue epilogue{};
        epilogue.has_bias = t.bias_en;
        epilogue.activation = static_cast<fp8mac_activation>(t.act);
        epilogue.clamp_lo = as_float(t.clamp_lo);
        epilogue.clamp_hi = as_float(t.clamp_hi);
        epilogue.multiply = t.elementwise() && t.op == FP8MAC_OP_MULTIPLY;
        epilogue.maximum = t.extended && t.maximum;
        uint32_t c_value = 0;
        if (t.reads_c()) {
            epilogue.beta = as_float(t.beta);
            c_value = value(t.c_fmt, t.c_addr + r * t.c_stride + c * Command::bytes_of(t.c_fmt));
        }
        epilogue.d_format = format(t.stochastic ? uint32_t{FP8MAC_FP32} : t.d_fmt);
        epilogue.d_mode.overflow = static_cast<fp8mac_overflow>(t.overflow);
        epilogue.scale_d = as_float(t.scale_d);
        uint32_t code = fp8mac_epilogue_apply(
            &epilogue, t0, t.scale_a_vec ? word(t.scale_a, r) : t.scale_a,
            t.scale_b_vec ? word(t.scale_b, c) : t.scale_b, t.bias_en ? word(t.bias, c) : 0,
            c_value, &outcome.amax, &outcome.nonfinite, &outcome.flags);
        if (t.stochastic) {
            code =
                fp8mac_encode_stochastic(format(t.d_fmt), fp8mac_decode(format(FP8MAC_FP32), code),
                                         static_cast<fp8mac_overflow>(t.overflow),
                                         fp8mac_simon_bits(t.seed, r, c, 16), 16, &outcome.flags);
            if (fp8mac_decode(format(t.d_fmt), code).cls == FP8MAC_CLASS_NAN) {
                code = fp8mac_format_nan_code(format(t.d_fmt));
            }
        }
        code = table(t) != nullptr ? table(t)[code] : code;
        std::memcpy(at(row + c * t.d_bytes()), &code, t.d_bytes());
    }

    std::vector<uint8_t> &image_;
    std::array<std::array<uint8_t, FP8MAC_TABLE_CODES>, 2> tables_ = code_tables();
    uint64_t base_;
    std::vector<fp8mac_acc> acc_;
    std::vector<int32_t> sums_; // of a chain that is requantised
    std::vector<uint8_t> rows_; // of an image operand
};

} // namespace accel

#endif
