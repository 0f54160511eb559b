// SPDX-License-Identifier: Apache-2.0
// A row command by the golden model, on an image of the memory.
#ifndef ACCEL_ROWS_H
#define ACCEL_ROWS_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "fp8mac/rows.h"

namespace accel
{

enum RowOp : uint32_t {
    Sum,
    SumOfSquares,
    Maximum,
    Argmax,
    RmsNorm,
    LayerNorm,
    Softmax,
    Sigmoid,
    Tanh,
    Magnitude,
    Quantise,
    QuantiseMx,
    kRowOps
};

constexpr bool is_norm(uint32_t row_op)
{
    return row_op == RmsNorm || row_op == LayerNorm;
}

// A function of each value
constexpr bool is_curve(uint32_t row_op)
{
    return row_op == Sigmoid || row_op == Tanh;
}

// Without masks
constexpr bool is_quantise(uint32_t row_op)
{
    return row_op == Quantise || row_op == QuantiseMx;
}

// How often X is visited
constexpr uint32_t visits_of(uint32_t row_op)
{
    return is_curve(row_op)                                               ? 1
           : row_op == LayerNorm || row_op == Softmax                     ? 3
           : row_op == RmsNorm || row_op == Argmax || is_quantise(row_op) ? 2
                                                                          : 1;
}

constexpr bool is_reduction(uint32_t row_op)
{
    return row_op <= Argmax || row_op == Magnitude;
}

inline float as_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline uint32_t as_bits(float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// log2(e), to nearest
constexpr float kLog2E = 1.4426950408889634f;

// `at` gives the place of an address. The model's leading strides count elements, and
// the command's are bytes: rows of X are gathered, and rows of D are stored. False: the
// model refuses the command.
template <typename Command, typename At, typename Outcome>
bool run_rows(const Command &t, At at, const uint8_t *table, Outcome &outcome)
{
    const uint32_t x_bytes = Command::bytes_of(t.x_fmt);
    const uint32_t columns = is_reduction(t.row_op) ? 1 : t.n;
    std::vector<uint8_t> x(size_t(t.m) * t.n * x_bytes), d(size_t(t.m) * columns * t.d_bytes());
    for (uint32_t r = 0; r < t.m; r++) {
        std::memcpy(&x[size_t(r) * t.n * x_bytes], at(t.a_addr + r * t.a_stride), t.n * x_bytes);
    }
    std::vector<float> gamma(t.n), beta(t.n);
    fp8mac_rows_desc desc{};
    desc.operation = static_cast<fp8mac_rows_operation>(t.row_op);
    desc.rows = t.m, desc.cols = t.n;
    desc.x = x.data();
    desc.x_format = fp8mac_format_get(static_cast<fp8mac_format_id>(t.x_fmt));
    desc.ldx = t.n;
    if (is_norm(t.row_op)) {
        desc.eps = as_float(t.beta);
        if (t.scale_b_vec) {
            std::memcpy(gamma.data(), at(t.scale_b), 4 * t.n);
            desc.gamma = gamma.data();
        }
        if (t.bias_en) {
            std::memcpy(beta.data(), at(t.bias), 4 * t.n);
            desc.beta = beta.data();
        }
    } else {
        desc.seen = t.k;
        desc.causal = t.causal;
        desc.factor = t.row_op == Argmax || is_quantise(t.row_op) ? nullptr : &t.factor;
    }
    const float scale_d = as_float(t.scale_d);
    desc.d = d.data();
    desc.ldd = columns;
    if (t.row_op != Argmax) {
        desc.activation = static_cast<fp8mac_activation>(t.act);
        desc.clamp_lo = as_float(t.clamp_lo), desc.clamp_hi = as_float(t.clamp_hi);
        desc.d_format = fp8mac_format_get(static_cast<fp8mac_format_id>(t.d_fmt));
        desc.d_mode.overflow = static_cast<fp8mac_overflow>(t.overflow);
        desc.scale_d = t.row_op == QuantiseMx ? nullptr : &scale_d;
        desc.d_table = table;
    }
    const size_t blocks = t.row_op == QuantiseMx ? fp8mac_rows_blocks(t.n) : 0;
    std::vector<uint8_t> scales(t.m * blocks);
    if (t.row_op == QuantiseMx) {
        desc.scales = scales.data(), desc.lds = blocks;
    }
    fp8mac_gemm_result result{};
    if (fp8mac_rows(&desc, &result) != FP8MAC_OK) {
        return false;
    }
    const uint32_t row = columns * t.d_bytes();
    for (uint32_t r = 0; r < t.m; r++) {
        std::memcpy(at(t.d_addr + r * t.d_stride), &d[size_t(r) * row], row);
        if (blocks != 0) {
            std::memcpy(at(t.mx_a_addr + r * t.mx_a_stride), &scales[r * blocks], blocks);
        }
    }
    outcome.flags |= result.flags;
    outcome.amax = as_bits(result.amax);
    outcome.nonfinite = result.amax_nonfinite;
    return true;
}

} // namespace accel

#endif
