// SPDX-License-Identifier: Apache-2.0
// Random commands and the memory they work on.
#ifndef ACCEL_RANDOM_H
#define ACCEL_RANDOM_H

#include "accel_operands.h"

namespace accel
{

class Maker : public Operands
{
  public:
    using Operands::Operands;

    // A tile with operands of its own.
    Command tile(unsigned max_mn, unsigned max_k)
    {
        uint32_t m, n, k;
        do {
            m = dimension(max_mn, 2 * shape_.rows);
            n = dimension(max_mn, 2 * shape_.cols);
            k = dimension(max_k, shape_.beat);
        } while (!shape_.fits(m, n, k));
        return maybe_scaled(tile_of(m, n, k));
    }

    // One tile wide or high, with many passes of few steps, so that everything waits for results.
    Command thin()
    {
        const bool tall = rng_.coin();
        uint32_t side, length, k;
        do {
            side = 1 + rng_.below(tall ? shape_.cols : shape_.rows);
            length = 1 + rng_.below(96);
            k = 1 + rng_.below(6 * shape_.lanes);
        } while (!shape_.fits(tall ? length : side, tall ? side : length, k));
        return maybe_scaled(tile_of(tall ? length : side, tall ? side : length, k));
    }

    Command tile_of(uint32_t m, uint32_t n, uint32_t k)
    {
        Command t;
        t.m = m;
        t.n = n;
        t.k = k;
        t.tag = static_cast<uint16_t>(rng_.next());
        t.pass_shape = rng_.below(4);
        formats(t);
        t.a_addr = matrix(m, k, t.a_stride);
        t.b_addr = matrix(n, k, t.b_stride);
        codes(t.a_addr, m, t.a_stride, k);
        codes(t.b_addr, n, t.b_stride, k);
        finish(t);
        return t;
    }

    // An element-wise command: a conversion, an addition or a product
    Command elementwise(unsigned most_m, unsigned most_n)
    {
        if (!kFunctions.elementwise) {
            return tile(most_m, std::min(most_n, 48u));
        }
        Command t;
        t.m = dimension(most_m, 2 * shape_.rows);
        t.n = dimension(most_n, 2 * shape_.beat);
        t.k = static_cast<uint32_t>(rng_.next()); // without effect
        t.tag = static_cast<uint16_t>(rng_.next());
        t.pass_shape = rng_.below(4);
        t.b_resident = rng_.coin();
        finish(t);
        t.extended = true;
        t.op = rng_.coin() ? FP8MAC_OP_MULTIPLY : FP8MAC_OP_ADD;
        t.x_fmt = rng_.below(8);
        t.a_addr = matrix(t.m, t.n * Command::bytes_of(t.x_fmt), t.a_stride);
        if (t.x_fmt == t.d_fmt && rng_.coin()) {
            t.a_addr = t.d_addr;
            t.a_stride = t.d_stride;
        }
        small_values(t.a_addr, t.m, t.m > 1 ? t.a_stride : 0, t.n, t.x_fmt);
        if (t.op == FP8MAC_OP_MULTIPLY) {
            add_c(t);
            t.bias_en = false;
        }
        t.maximum = t.op == FP8MAC_OP_ADD && t.reads_c() && rng_.coin();
        t.tile_m = t.m > 128 || rng_.coin() ? shape_.beat * (1 + rng_.below(3)) : 0;
        t.tile_n = t.n > 128 || rng_.coin() ? 32 * (1 + rng_.below(3)) : 0;
        return t;
    }

    Command any_row_command(unsigned most_m, unsigned most_n)
    {
        const uint32_t m = dimension(most_m, 16), n = dimension(most_n, 2 * shape_.beat);
        return row_command(m, n, rng_.below(kRowOps));
    }
    Command row_command(uint32_t m, uint32_t n, uint32_t row_op)
    {
        Command t;
        t.m = m, t.n = n, t.row_op = row_op;
        t.tag = static_cast<uint16_t>(rng_.next());
        t.pass_shape = rng_.below(4);
        t.b_resident = rng_.coin();
        t.tile_m = rng_.below(20), t.tile_n = rng_.below(300); // without effect, as this one
        t.tile_k = rng_.below(99);
        finish(t);
        t.extended = true, t.op = FP8MAC_OP_ROWS, t.stochastic = t.c_en = false, t.seed = 0;
        t.x_fmt = rng_.below(8);
        t.a_addr = matrix(t.m, t.n * Command::bytes_of(t.x_fmt), t.a_stride);
        if (t.x_fmt == t.d_fmt && !is_reduction(t.row_op) && rng_.coin()) {
            t.a_addr = t.d_addr, t.a_stride = t.d_stride;
        }
        small_values(t.a_addr, t.m, t.m > 1 ? t.a_stride : 0, t.n, t.x_fmt);
        fit_rows(t);
        if (is_reduction(t.row_op) && t.d_bytes() == 4 && rng_.coin()) {
            t.d_stride = 4; // one result behind the other
        }
        return t;
    }

    // What the operation of a row command has
    void fit_rows(Command &t)
    {
        t.scale_a_vec = false;
        t.scale_a = kOne, t.k = 0, t.causal = false, t.beta = 0;
        t.bias_en &= t.row_op == LayerNorm;
        t.scale_b_vec &= is_norm(t.row_op);
        t.scale_b = kOne;
        if (is_norm(t.row_op)) {
            t.scale_b = t.scale_b_vec ? vector(t.n, false) : kOne;
            t.b_stride = as_bits(1.0f / static_cast<float>(t.n));
            t.beta = rng_.below(4) ? 0x3727c5acu : rng_.coin() ? 0 : scale(); // 1e-5
            return;
        }
        t.k = rng_.coin() ? 0 : 1 + rng_.below(t.n);
        t.causal = rng_.below(3) == 0;
        if (t.row_op == Argmax) {
            t.d_fmt = FP8MAC_FP32, t.act = FP8MAC_ACT_NONE, t.act_table = 0, t.scale_d = kOne;
            t.overflow = FP8MAC_OVERFLOW_SATURATE;
            t.d_addr = matrix(t.m, 4, t.d_stride);
            return;
        }
        if (is_curve(t.row_op) || is_quantise(t.row_op)) {
            t.k = 0, t.causal = false;
        }
        if (t.row_op == QuantiseMx) {
            fit_mx(t);
            return;
        }
        const bool softmax = t.row_op == Softmax;
        do {
            t.factor = as_float(scale());
            t.scale_a = as_bits(softmax ? t.factor * kLog2E : t.factor);
        } while ((t.scale_a & 0x7f800000u) == 0x7f800000u);
    }

    // MX blocks have codes of FP8 and scales of their own, and nothing else.
    void fit_mx(Command &t)
    {
        t.d_fmt %= 4, t.act = FP8MAC_ACT_NONE, t.act_table = 0, t.scale_d = kOne,
                      t.overflow = FP8MAC_OVERFLOW_SATURATE;
        t.d_addr = matrix(t.m, t.n, t.d_stride);
        t.mx_a_addr = scales(t.m, uint32_t(fp8mac_rows_blocks(t.n)), t.mx_a_stride);
        if (t.x_fmt == t.d_fmt && rng_.coin()) {
            t.d_addr = t.a_addr, t.d_stride = t.a_stride;
        }
    }

    // Gives the tile a scale of each row and column, and a bias.
    void add_vectors(Command &t)
    {
        t.scale_b_vec = t.bias_en = true;
        if (kRequantise) {
            t.scale_b = int_scales(t.n);
            t.bias = int_biases(t.n);
            return;
        }
        t.scale_a_vec = true;
        t.scale_a = vector(t.m, true);
        t.scale_b = vector(t.n, true);
        t.bias = vector(t.n, false);
    }

    // A command of several tiles, chunks of K, or both.
    Command divided()
    {
        const uint32_t granule = shape_.granule(kElement.block);
        const uint32_t m_unit = std::max(shape_.rows, shape_.beat / 4);
        const uint32_t n_unit = std::max(shape_.cols, shape_.beat);
        Command t = tile_of(1 + rng_.below(6 * m_unit), 1 + rng_.below(4 * n_unit),
                            1 + rng_.below(5 * granule));
        do {
            t.tile_m = rng_.below(4) ? m_unit * (1 + rng_.below(3)) : t.m;
            t.tile_n = rng_.below(4) ? n_unit * (1 + rng_.below(2)) : t.n;
            t.tile_k = rng_.below(3) ? granule * (1 + rng_.below(3)) : t.k;
        } while (!shape_.fits(t.tile_m, t.tile_n, std::min(t.tile_k, t.k)) ||
                 !shape_.keeps(t.tile_m, t.tile_n, t.pass_shape));
        t.first_k = rng_.coin() ? granule : 0;
        t.b_resident = rng_.coin();
        const bool fit = shape_.scales_fit(t.tile_m, t.tile_n, std::min(t.tile_k, t.k), true);
        all_of(t.tile_m, t.m), all_of(t.tile_n, t.n), all_of(t.tile_k, t.k);
        return fit ? maybe_scaled(t) : t;
    }

    // Gives blocks of A and B MX scales, sometimes.
    Command maybe_scaled(Command t)
    {
        if (kElement.mx && rng_.below(3) == 0) {
            add_scales(t);
        }
        return t;
    }
    void add_scales(Command &t)
    {
        t.extended = t.mx = true;
        t.mx_a_addr = scales(t.m, t.blocks(), t.mx_a_stride);
        t.mx_b_addr = scales(t.n, t.blocks(), t.mx_b_stride);
    }

    // A depthwise convolution: columns of D have `cols` channels of A each, of one beat of
    // channels.
    Command depthwise()
    {
        const uint32_t beat = shape_.beat;
        fp8mac_image image{};
        image.channels = beat, image.pixel_bytes = beat * (1 + rng_.below(3));
        image.height = 1 + rng_.below(12), image.width = 1 + rng_.below(12);
        image.kernel_w = 1 + rng_.below(rng_.coin() ? 3 : 6);
        image.stride_y = rng_.below(4) ? 1 : rng_.below(4),
        image.stride_x = 1 + (rng_.below(4) == 0);
        image.dilation_y = 1 + (rng_.below(4) == 0), image.dilation_x = 1 + (rng_.below(4) == 0);
        image.pad_top = rng_.below(3), image.pad_left = rng_.below(3);
        image.out_w = 1 + rng_.below(rng_.below(4) ? 16 : 100);
        const bool pairs = !kRequantise && rng_.coin();
        // The first chunk of k has whole kernel lines, later ones begin with as many codes
        // as no line ends with.
        const bool chunks = !pairs && rng_.below(4) == 0;
        image.kernel_w = chunks ? 3 : image.kernel_w;
        const uint32_t pixels = image.kernel_w * (chunks ? 9 + rng_.below(4) : 1 + rng_.below(4));
        const uint32_t each = pairs ? shape_.cols / 2 : shape_.cols;
        const uint32_t k = each * (pixels - (rng_.below(4) ? 0 : rng_.below(image.kernel_w)));
        Command t;
        do {
            const uint32_t n = pairs ? each * (1 + rng_.below(beat / each)) : 1 + rng_.below(beat);
            t = tile_of(1 + rng_.below(30 * shape_.rows), n, k);
            t.tile_m = rng_.coin() ? shape_.beat / 4 * shape_.rows * (1 + rng_.below(3)) : t.m;
            t.tile_k =
                pairs || rng_.below(3) ? t.k : shape_.granule(kElement.block) * (1 + rng_.below(2));
        } while (!shape_.pixels_fit(t.tile_m, std::min(t.tile_k, t.k), each) ||
                 (pairs && !shape_.fits(1, 2 * t.n, k)) ||
                 !shape_.keeps(t.tile_m, pairs ? 2 * t.n : t.n, t.pass_shape));
        t.first_k = t.tile_k < t.k && (chunks || rng_.coin())
                        ? shape_.granule(kElement.block) * (chunks ? 3 : 1 + rng_.below(3))
                        : 0;
        if (!shape_.pixels_fit(t.tile_m, std::min(t.first_k, t.k), each)) {
            t.first_k = 0;
        }
        all_of(t.tile_m, t.m), all_of(t.tile_k, t.k);
        t.depthwise = true;
        t.a_stride = image.width * static_cast<uint32_t>(image.pixel_bytes) + beat * rng_.below(3);
        store_image(t, image, 0, false);
        if (pairs) {
            pair_up(t);
        }
        return t;
    }

    // Makes a depthwise command one with pairs: B and D have other rows, and results are
    // finished in fewer ways.
    void pair_up(Command &t)
    {
        const uint32_t out_w = t.conv[1] >> 16;
        t.extended = t.pairs = true;
        t.c_en = t.stochastic = t.acc_keep = t.acc_continue = false;
        t.seed = t.beta = t.c_addr = 0;
        t.c_stride = rng_.coin() ? t.m : rng_.below(t.m + 2 * out_w);
        if (t.d_bytes() != 1) {
            t.d_fmt = rng_.below(4), t.act_table = 0;
        }
        if (!t.reuse_b) {
            t.b_addr = matrix(2 * t.n, t.k, t.b_stride);
            codes(t.b_addr, 2 * t.n, t.b_stride, t.k);
        }
        t.d_addr = matrix(2 * t.m + 2 * out_w, t.n, t.d_stride);
    }

    // A convolution that reads its image in place, in one tile command or in several.
    Command convolution()
    {
        if (kFunctions.depthwise && rng_.below(3) == 0) {
            return depthwise();
        }
        const uint32_t granule = shape_.granule(kElement.block);
        const uint32_t m_unit = std::max(shape_.rows, shape_.beat / 4);
        const uint32_t n_unit = std::max(shape_.cols, shape_.beat);
        fp8mac_image image{};
        image.channels = 1 + rng_.below(rng_.coin() ? 4 : 40);
        image.pixel_bytes = image.channels + (rng_.below(4) ? 0 : rng_.below(20));
        image.height = 1 + rng_.below(12), image.width = 1 + rng_.below(12);
        image.kernel_w = 1 + rng_.below(5);
        image.stride_y = rng_.below(4), image.stride_x = rng_.below(8) ? 1 + rng_.below(3) : 0;
        image.dilation_y = rng_.below(4), image.dilation_x = rng_.coin() ? 1 : rng_.below(4);
        image.pad_top = rng_.below(4), image.pad_left = rng_.below(4);
        image.out_w = rng_.below(4) ? 1 + rng_.below(16) : 1 + rng_.below(100);
        const uint32_t line = image.kernel_w * image.channels;
        const uint32_t k = line * (1 + rng_.below(4)) - (rng_.below(4) ? 0 : rng_.below(line));
        Command t = tile_of(1 + rng_.below(6 * m_unit), 1 + rng_.below(3 * n_unit), k);
        if (!kFunctions.images) {
            return tile(48, 100);
        }
        do {
            t.tile_m = rng_.below(4) ? m_unit * (1 + rng_.below(3)) : t.m;
            t.tile_n = rng_.below(4) ? n_unit * (1 + rng_.below(2)) : t.n;
            t.tile_k = rng_.below(3) ? granule * (1 + rng_.below(3)) : t.k;
        } while (!shape_.fits(t.tile_m, t.tile_n, std::min(t.tile_k, t.k)) ||
                 !shape_.keeps(t.tile_m, t.tile_n, t.pass_shape));
        t.first_k = rng_.coin() ? granule : 0;
        t.b_resident = t.tile_n >= t.n && rng_.coin();
        all_of(t.tile_m, t.m), all_of(t.tile_n, t.n), all_of(t.tile_k, t.k);
        place_image(t, image);
        return t;
    }

    // A convolution of 3 x 3 pixels with 3 channels, of which it reads every line of the image
    Command small_convolution(uint32_t m, uint32_t n, uint32_t padding)
    {
        fp8mac_image image{};
        image.channels = 3, image.pixel_bytes = 3;
        image.kernel_w = 3, image.stride_x = image.stride_y = 1;
        image.dilation_x = image.dilation_y = 1;
        image.pad_top = image.pad_left = padding;
        image.out_w = 4, image.width = 6 - 2 * padding;
        image.height = (m + 3) / 4 + 2 - 2 * padding;
        Command t = tile_of(m, n, 27);
        if (!kFunctions.images) {
            return t;
        }
        t.a_stride = image.width * 3 + 5;
        store_image(t, image, 1, false);
        return t;
    }

    // An image that begins at any byte. Its lines may overlap.
    void place_image(Command &t, const fp8mac_image &image)
    {
        const uint32_t width = image.width * static_cast<uint32_t>(image.pixel_bytes);
        t.a_stride = rng_.below(8) ? width + rng_.below(24) : 1 + rng_.below(width);
        store_image(t, image, rng_.below(shape_.beat), rng_.below(4) != 0);
    }

    // An image with lines t.a_stride bytes apart, `offset` bytes behind a beat. Where the kernel's
    // pixels are neighbours, they can be one segment.
    void store_image(Command &t, const fp8mac_image &image, uint32_t offset, bool join)
    {
        const uint32_t pixel = static_cast<uint32_t>(image.pixel_bytes);
        const uint32_t width = image.width * pixel;
        const bool one_run = image.dilation_x == 1 && pixel == image.channels && join;
        t.extended = t.conv_a = true;
        t.mx = false;
        t.image = image;
        const uint32_t bytes = image.height * std::max(t.a_stride, width) + offset;
        const uint32_t addr = allocate(bytes);
        codes(addr, 1, 0, bytes);
        t.a_addr = addr + offset;
        t.conv[0] = width;
        t.conv[1] = image.height | image.out_w << 16;
        t.conv[2] = one_run ? image.kernel_w * image.channels | 1 << 16
                            : image.channels | image.kernel_w << 16;
        t.conv[3] = image.stride_x * pixel | image.dilation_x * pixel << 16;
        t.conv[4] = image.stride_y | image.dilation_y << 8 | image.pad_top << 16;
        t.conv[5] = image.pad_left * pixel;
    }

    // Stores rows x k codes without gaps, where k is a multiple of the beat, and returns their
    // address.
    uint32_t dense(uint32_t rows, uint32_t k)
    {
        const uint32_t addr = allocate(rows * k);
        codes(addr, rows, k, k);
        return addr;
    }

    // A tile of the same shape as `t` that reuses its A, its B or both, in their formats.
    Command reusing(const Command &t)
    {
        const bool a = rng_.coin() || t.depthwise;
        Command u = t;
        u.tag = static_cast<uint16_t>(rng_.next());
        u.reuse_a = a;
        u.reuse_b = !a || rng_.below(4) == 0;
        u.acc_continue = u.acc_keep = false;
        u.pass_shape = rng_.below(4);
        formats(u);
        if (u.reuse_a) {
            u.a_fmt = t.a_fmt;
        }
        if (u.reuse_b) {
            u.b_fmt = t.b_fmt;
        }
        if (!u.reuse_a) {
            u.m = dimension(48, 2 * shape_.rows);
            while (!shape_.fits(u.m, u.n, u.k)) {
                u.m = (u.m + 1) / 2;
            }
            u.a_addr = matrix(u.m, u.k, u.a_stride);
            codes(u.a_addr, u.m, u.a_stride, u.k);
            u.conv_a = u.depthwise = u.pairs = false;
            if (u.mx) {
                u.mx_a_addr = scales(u.m, u.blocks(), u.mx_a_stride);
            }
        }
        if (!u.reuse_b) {
            u.n = dimension(t.depthwise ? shape_.beat : 48, 2 * shape_.cols);
            u.n = t.pairs && u.reuse_a ? Shape::up(u.n, shape_.cols / 2) * (shape_.cols / 2) : u.n;
            while (!shape_.fits(u.m, u.n, u.k)) {
                u.n = (u.n + 1) / 2;
            }
            u.b_addr = matrix(u.n, u.k, u.b_stride);
            codes(u.b_addr, u.n, u.b_stride, u.k);
            if (u.mx) {
                u.mx_b_addr = scales(u.n, u.blocks(), u.mx_b_stride);
            }
        }
        finish(u);
        u.extended |= u.depthwise; // or A would be that of another command
        if (u.pairs) {
            pair_up(u);
        }
        return u;
    }

    bool can_rescale(const Command &t) const
    {
        return t.c_en && t.row_op == 0 && !t.pairs && !t.reuse_a && !t.reuse_b && !t.acc_keep &&
               !t.acc_continue;
    }
    // `t` again, with other scales of A or B, or the same: so the epilogue's
    // configuration is as before.
    Command rescaled(const Command &t)
    {
        Command u = t;
        u.tag = static_cast<uint16_t>(rng_.next());
        u.d_addr = matrix(u.m, u.n * u.d_bytes(), u.d_stride);
        if (rng_.coin()) {
            u.scale_a_vec = rng_.below(3) == 0;
            u.scale_a = u.scale_a_vec ? vector(u.m, true) : scale();
        }
        if (rng_.coin()) {
            u.scale_b_vec = rng_.below(3) == 0;
            u.scale_b = u.scale_b_vec ? vector(u.n, true) : scale();
        }
        return u;
    }

    // A chain that divides a long K. All tiles but the last keep their accumulators, and all but
    // the first continue.
    std::vector<Command> chain(unsigned pieces)
    {
        std::vector<Command> tiles;
        const uint32_t most = rng_.coin() ? 2 * shape_.rows : 64, shape = rng_.below(3);
        uint32_t m, n;
        do {
            m = 1 + rng_.below(most);
            n = 1 + rng_.below(most);
        } while (!shape_.keeps(m, n, shape) || !shape_.fits(m, n, 128));
        for (unsigned i = 0; i < pieces; i++) {
            const bool last = i + 1 == pieces;
            uint32_t k = 1 + rng_.below(100);
            if (!last) {
                k = Shape::up(k, kElement.block) * kElement.block;
            }
            Command t = maybe_scaled(tile_of(m, n, k));
            t.pass_shape = shape;
            if (i > 0) {
                t.acc_fmt = tiles[0].acc_fmt;
            }
            if (i > 0 && kElement.fixed) {
                share_unit(t, tiles[0]);
            }
            t.acc_continue = i > 0;
            t.acc_keep = !last;
            tiles.push_back(t);
        }
        return tiles;
    }

    // A fixed-point accumulator counts in one unit, given by the formats and scaling exponents.
    static void share_unit(Command &t, const Command &first)
    {
        t.a_fmt = first.a_fmt;
        t.b_fmt = first.b_fmt;
        t.sa = first.sa;
        t.sb = first.sb;
    }

    // Gives nonsense to the addresses and scales that the command does not use.
    void scramble_unused(Command &t)
    {
        if (t.reuse_a) {
            t.a_addr = 1, t.a_stride = 3;
        }
        if (t.reuse_b) {
            t.b_addr = 0xffffffff, t.b_stride = 1;
        }
        if (t.acc_keep) {
            t.d_addr = 7, t.d_stride = 1, t.scale_a = 0x80000000, t.scale_b = 0xffc00000,
            t.scale_d = 0x80000000, t.bias = 3;
        }
        if (kRequantise && t.scale_b_vec) {
            t.scale_a = 0x80000000; // the shifts are in the vector
        }
        if (!t.bias_en) {
            t.bias = 0xfffffff1;
        }
        // An extension that asks for nothing has no effect.
        if (!t.extended && rng_.below(4) == 0) {
            t.extended = true;
            t.c_fmt = rng_.below(8), t.x_fmt = rng_.below(8);
            t.c_stride = 7, t.beta = kOne, t.seed = static_cast<uint32_t>(rng_.next());
        }
        if (!t.reads_c()) {
            t.c_addr = 3;
        }
        if (t.elementwise()) {
            t.b_addr = 1, t.b_stride = t.rows() ? t.b_stride : 0, t.a_fmt = rng_.below(4),
            t.b_fmt = rng_.below(4);
        }
        if (!t.mx) {
            t.mx_a_addr = t.writes_scales() ? t.mx_a_addr : 5;
            t.mx_b_addr = 0xffffffff;
        }
        if (!t.load_table) {
            t.table_addr = 0xfffffff9;
        }
        if (t.mx && t.reuse_a) {
            t.mx_a_addr = 3, t.mx_a_stride = 1;
        }
        if (t.mx && t.reuse_b) {
            t.mx_b_addr = 0xfffffff1, t.mx_b_stride = 0;
        }
    }
};

} // namespace accel

#endif
