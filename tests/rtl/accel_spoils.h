// SPDX-License-Identifier: Apache-2.0
// The parameter set for which the bench is compiled, and every way to make a good tile illegal.
#ifndef ACCEL_SPOILS_H
#define ACCEL_SPOILS_H

#include <algorithm>

#include "accel_random.h"

namespace accel
{

constexpr unsigned kBeat = AXI_DATA_W / 8;
constexpr Shape kShape{ROWS, COLS, LANES, kBeat, TILES, 256};
constexpr unsigned kMaxMn = MAX_MN;
// A side of more tiles than an accumulator memory holds, whose operands fit the buffers
inline const unsigned kManyTiles = std::min(
    kMaxMn, kShape.buf_beats / kShape.row_beats(kElement.block) * std::min<unsigned>(ROWS, COLS));

// A way to make a good tile illegal. `before` is the tile submitted just before it.
struct Spoil {
    const char *name;
    Error code;
    void (*spoil)(Command &bad, const Command &before);
};

// Whether the command asks for a function that the accelerator does not have
inline bool asks_too_much(const Command &t)
{
    if (t.record && !kFunctions.records) {
        return true;
    }
    return t.extended &&
           ((t.conv_a && !kFunctions.images) ||
            ((t.op != 0 || t.maximum) && !kFunctions.elementwise) || (t.c_en && !kFunctions.c) ||
            (t.stochastic && !kFunctions.stochastic) || (t.act_table != 0 && !kFunctions.tables) ||
            ((t.depthwise || t.pairs) && !kFunctions.depthwise) || (t.mx && !kElement.mx));
}

// Commands that ask for a function
const Spoil kFunctionSpoils[] = {
    {"an image", ErrMode, [](Command &t, const Command &) { t.extended = t.conv_a = true; }},
    {"an element-wise command", ErrMode,
     [](Command &t, const Command &) { t.extended = true, t.op = FP8MAC_OP_ADD; }},
    {"a maximum", ErrMode, [](Command &t, const Command &) { t.extended = t.maximum = true; }},
    {"C", ErrMode, [](Command &t, const Command &) { t.extended = t.c_en = true; }},
    {"stochastic rounding", ErrMode,
     [](Command &t, const Command &) { t.extended = t.stochastic = true; }},
    {"a table", ErrMode, [](Command &t, const Command &) { t.extended = true, t.act_table = 1; }},
    {"a completion record", ErrMode, [](Command &t, const Command &) { t.record = true; }},
};

// Makes A an image of one line.
inline void one_line(Command &t)
{
    t.extended = t.conv_a = true;
    t.mx = false;
    t.conv[0] = t.k;
    t.conv[1] = 1 | 1 << 16; // height, out_w
    t.conv[2] = 1 | 1 << 16; // bytes of a segment, segments
}

// Makes A the image of a depthwise command: one pixel.
inline void one_pixel(Command &t)
{
    one_line(t);
    t.depthwise = true;
    t.k = COLS, t.m = std::min<uint32_t>(t.m, ROWS), t.n = std::min<uint32_t>(t.n, kBeat);
    t.a_stride = kBeat;
    t.conv[0] = kBeat, t.conv[2] = kBeat | 1 << 16, t.conv[3] = t.conv[5] = 0;
}

// One pixel, two results of half a quad's channels
inline void one_pair(Command &t)
{
    one_pixel(t);
    t.pairs = true, t.k = t.n = COLS / 2, t.c_stride = t.m;
    t.c_en = t.stochastic = false, t.act_table = 0, t.d_fmt = kRequantise ? FP8MAC_INT8 : 0,
    t.overflow = FP8MAC_OVERFLOW_SATURATE;
    t.d_stride = kBeat;
}

// Makes a row command of one column.
inline void row_command(Command &t, uint32_t row_op)
{
    t.extended = true, t.op = FP8MAC_OP_ROWS, t.row_op = row_op, t.x_fmt = 0, t.n = 1, t.k = 0;
    t.mx = t.conv_a = t.c_en = t.stochastic = false, t.act = FP8MAC_ACT_NONE, t.act_table = 0;
    t.scale_a_vec = t.scale_b_vec = t.bias_en = false;
    t.scale_a = t.scale_b = t.scale_d = t.b_stride = kOne, t.beta = 0, t.bias = 0;
    t.d_fmt = FP8MAC_FP32;
}

// Makes it a quantisation to MX of one column, whose scales are where D is.
inline void mx_blocks(Command &t)
{
    row_command(t, QuantiseMx);
    t.m = 1, t.d_fmt = FP8MAC_E4M3FN, t.overflow = FP8MAC_OVERFLOW_SATURATE;
    t.mx_a_addr = t.d_addr, t.mx_a_stride = kBeat;
}

// Adds a C that is where X is.
inline void with_c(Command &t)
{
    t.c_en = true, t.c_fmt = t.x_fmt, t.c_addr = t.a_addr, t.c_stride = t.a_stride;
}

// Gives the requantiser one scale for all columns.
inline void one_scale(Command &t)
{
    t.scale_b_vec = false, t.scale_b = kUnitB;
}

const Spoil kDepthwiseSpoils[] = {
    {"a depthwise command without an image", ErrMode,
     [](Command &t, const Command &) { one_pixel(t), t.conv_a = false; }},
    {"more columns than channels", ErrShape,
     [](Command &t, const Command &) { one_pixel(t), t.n = kBeat + 1; }},
    {"half a quad", ErrShape, [](Command &t, const Command &) { one_pixel(t), t.k = COLS + 1; }},
    {"half a beat of channels", ErrShape,
     [](Command &t, const Command &) { one_pixel(t), t.conv[2] = kBeat / 2 | 1 << 16; }},
    {"a kernel whose pixels do not fit", ErrShape,
     [](Command &t, const Command &) { one_pixel(t), t.k = (kShape.buf_beats + 1) * COLS; }},
    {"a pixel between beats", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.a_addr += 1; }},
    {"lines between beats", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.a_stride += kBeat / 2; }},
    {"a line that ends between beats", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.conv[0] = kBeat - 1; }},
    {"outputs that begin between beats", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.conv[3] = kBeat / 2; }},
    {"segments that begin between beats", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.conv[3] = 1 << 16; }},
    {"padding of half a beat", ErrAlign,
     [](Command &t, const Command &) { one_pixel(t), t.conv[5] = kBeat / 2; }},
    {"columns of quads that are divided", ErrSequence,
     [](Command &t, const Command &) { one_pixel(t), t.n = 2, t.tile_n = 1; }},
    {"pairs that are not depthwise", ErrMode,
     [](Command &t, const Command &) { one_pair(t), t.depthwise = false; }},
    {"pairs in a D of two bytes", ErrMode,
     [](Command &t, const Command &) {
         one_pair(t), t.d_fmt = kRequantise ? FP8MAC_FP32 : FP8MAC_FP16;
     }},
    {"pairs that keep accumulators", ErrMode,
     [](Command &t, const Command &) { one_pair(t), t.acc_keep = true; }},
    {"pairs that keep accumulators, without a stride of D", ErrMode,
     [](Command &t, const Command &) { one_pair(t), t.acc_keep = true, t.d_stride = 0; }},
    {"pairs that continue accumulators", ErrMode,
     [](Command &t, const Command &) { one_pair(t), t.acc_continue = true; }},
    {"pairs with a divided K", ErrMode,
     [](Command &t, const Command &) {
         one_pair(t), t.k = 64 + COLS / 2, t.tile_k = 64, t.b_stride = 128;
     }},
    {"rows of D that are shorter than channels", ErrRange,
     [](Command &t, const Command &) { one_pair(t), t.m = 1, t.d_stride = 0; }},
    {"an output line behind the addresses", ErrRange,
     [](Command &t, const Command &) {
         one_pair(t), t.m = 1, t.d_addr = 0u - kBeat, t.conv[1] = 1 | 1 << 16;
     }},
};

// Where there are row commands
const Spoil kRowSpoils[] = {
    {"an infinite eps", ErrScale,
     [](Command &t, const Command &) { row_command(t, RmsNorm), t.beta = 0x7f800000; }},
    {"an eps below 0", ErrScale,
     [](Command &t, const Command &) { row_command(t, LayerNorm), t.beta = 0x80000001; }},
    {"a 1/n that is 0", ErrScale,
     [](Command &t, const Command &) { row_command(t, LayerNorm), t.b_stride = 0; }},
};

// Formats that some elements do not have.
const Spoil kFormatSpoils[] = {
    {"an accumulator that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.acc_fmt ^= 1; }},
    {"a format of A that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.a_fmt = 1; }},
    {"a format of B that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.b_fmt = 1; }},
    {"narrow codes of A that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.a_fmt = kNarrow; }},
    {"narrow codes of B that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.b_fmt = kNarrow + 2; }},
    {"INT8 of A that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.a_fmt = kInt8; }},
    {"INT8 of B that the elements have not", ErrMode,
     [](Command &t, const Command &) { t.b_fmt = kInt8; }},
};

// Scales of the FP32 epilogue
const Spoil kFloatSpoils[] = {
    {"address of scale_a", ErrAlign,
     [](Command &t, const Command &) { t.scale_a_vec = true, t.scale_a = 0x80000004; }},
    {"scale_a is 0", ErrScale,
     [](Command &t, const Command &) { t.scale_a_vec = false, t.scale_a = 0; }},
};

// The requantiser: what it does not have, and integers beyond their ranges
const Spoil kIntegerSpoils[] = {
    {"scales of rows", ErrMode, [](Command &t, const Command &) { t.scale_a_vec = true; }},
    {"ReLU", ErrMode, [](Command &t, const Command &) { t.act = FP8MAC_ACT_RELU; }},
    {"D in E4M3", ErrMode, [](Command &t, const Command &) { t.d_fmt = FP8MAC_E4M3FN; }},
    {"D in FP16", ErrMode, [](Command &t, const Command &) { t.d_fmt = FP8MAC_FP16; }},
    {"D in BF16", ErrMode, [](Command &t, const Command &) { t.d_fmt = FP8MAC_BF16; }},
    {"a multiplier below 0", ErrScale,
     [](Command &t, const Command &) { t.scale_b_vec = false, t.scale_b = 0xffffffff; }},
    {"a multiplier of 2^31", ErrScale,
     [](Command &t, const Command &) { t.scale_b_vec = false, t.scale_b = 0x80000000; }},
    {"a shift of 31", ErrScale, [](Command &t, const Command &) { one_scale(t), t.scale_a = 31; }},
    {"a shift of -32", ErrScale,
     [](Command &t, const Command &) { one_scale(t), t.scale_a = 0u - 32; }},
    {"a shift of 32", ErrScale, [](Command &t, const Command &) { one_scale(t), t.scale_a = 32; }},
    {"a shift of 2^30", ErrScale,
     [](Command &t, const Command &) { one_scale(t), t.scale_a = 1u << 30; }},
    {"a zero point of 128", ErrScale, [](Command &t, const Command &) { t.scale_d = 128; }},
    {"a zero point of -129", ErrScale, [](Command &t, const Command &) { t.scale_d = 0u - 129; }},
    {"a zero point of 1.0", ErrScale, [](Command &t, const Command &) { t.scale_d = kOne; }},
    {"an upper bound of 128", ErrScale,
     [](Command &t, const Command &) {
         t.act = FP8MAC_ACT_CLAMP, t.clamp_lo = 0, t.clamp_hi = 128;
     }},
    {"a lower bound of -129", ErrScale,
     [](Command &t, const Command &) {
         t.act = FP8MAC_ACT_CLAMP, t.clamp_lo = 0u - 129, t.clamp_hi = 0;
     }},
    {"integer bounds in the wrong order", ErrScale,
     [](Command &t, const Command &) {
         t.act = FP8MAC_ACT_CLAMP, t.clamp_lo = 0, t.clamp_hi = ~0u;
     }},
};

// Elements of INT8
const Spoil kInt8Spoils[] = {
    {"FP8 as A", ErrMode, [](Command &t, const Command &) { t.a_fmt = 0; }},
    {"FP8 as B", ErrMode, [](Command &t, const Command &) { t.b_fmt = 2; }},
    {"a scaling exponent of A", ErrScaleExp, [](Command &t, const Command &) { t.sa = 1; }},
    {"a scaling exponent of B", ErrScaleExp, [](Command &t, const Command &) { t.sb = -32; }},
};

// Operands that are reused in another format, which elements of INT8 do not have
const Spoil kReuseSpoils[] = {
    {"reuse of an A in another format", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_a = true, t.k = before.k, t.m = before.m, t.a_fmt = other_format(before.a_fmt);
         Maker::without_c(t);
     }},
    {"reuse of a B in another format", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_b = true, t.k = before.k, t.n = before.n, t.b_fmt = other_format(before.b_fmt);
         Maker::without_c(t);
     }},
};

// MX scales, which make a good command of itself. Its operands have those addresses.
inline void scaled(Command &t)
{
    t.extended = t.mx = true;
    t.mx_a_addr = t.a_addr, t.mx_a_stride = t.a_stride & -kBeat;
    t.mx_b_addr = t.b_addr, t.mx_b_stride = t.b_stride & -kBeat;
}

const Spoil kScaleSpoils[] = {
    {"address of A's MX scales", ErrAlign,
     [](Command &t, const Command &) { scaled(t), t.mx_a_addr += 1; }},
    {"address of B's MX scales", ErrAlign,
     [](Command &t, const Command &) { scaled(t), t.mx_b_addr += kBeat / 2; }},
    {"stride of A's MX scales", ErrAlign,
     [](Command &t, const Command &) { scaled(t), t.mx_a_stride += 4; }},
    {"stride of B's MX scales", ErrAlign,
     [](Command &t, const Command &) { scaled(t), t.mx_b_stride += 1; }},
    {"stride of A's MX scales shorter than a row", ErrRange,
     [](Command &t, const Command &) { scaled(t), t.mx_a_stride = 0; }},
    {"stride of B's MX scales shorter than a row", ErrRange,
     [](Command &t, const Command &) { scaled(t), t.mx_b_stride = 0; }},
    {"A's MX scales run past the last address", ErrRange,
     [](Command &t, const Command &) { scaled(t), t.mx_a_addr = 0u - kBeat; }},
    {"B's MX scales run past the last address", ErrRange,
     [](Command &t, const Command &) { scaled(t), t.mx_b_stride = 1u << 31; }},
    {"MX scales of an image", ErrMode,
     [](Command &t, const Command &) { one_line(t), scaled(t), t.mx_a_stride = 64 * kBeat; }},
    {"reuse of an A without its MX scales", ErrSequence,
     [](Command &t, const Command &before) {
         scaled(t);
         t.reuse_a = true, t.k = before.k, t.m = before.m, t.a_fmt = before.a_fmt;
         t.extended = t.mx = !before.mx;
         t.c_en = false;
         t.mx_a_stride = t.mx_b_stride = 64 * kBeat;
     }},
    {"reuse of a B without its MX scales", ErrSequence,
     [](Command &t, const Command &before) {
         scaled(t);
         t.reuse_b = true, t.k = before.k, t.n = before.n, t.b_fmt = before.b_fmt;
         t.extended = t.mx = !before.mx;
         t.c_en = false;
         t.mx_a_stride = t.mx_b_stride = 64 * kBeat;
     }},
};

// Where blocks have none
const Spoil kNoScaleSpoil = {"MX scales that the elements have not", ErrMode,
                             [](Command &t, const Command &) { scaled(t); }};

// Where a block has several products
const Spoil kChunkSpoil = {
    "chunks that are no whole blocks", ErrSequence, [](Command &t, const Command &) {
        t.k = std::max(128u, 4 * kElement.block), t.tile_k = kElement.block + 1;
    }};

const Spoil kSpoils[] = {
    {"m is 0", ErrShape, [](Command &t, const Command &) { t.m = 0; }},
    {"n is 0", ErrShape, [](Command &t, const Command &) { t.n = 0; }},
    {"k is 0", ErrShape, [](Command &t, const Command &) { t.k = 0; }},
    {"m above its limit", ErrShape, [](Command &t, const Command &) { t.m = kMaxMn + 1; }},
    {"m of more than 16 bits", ErrShape, [](Command &t, const Command &) { t.m = 0x10001; }},
    {"k of more than 16 bits", ErrShape, [](Command &t, const Command &) { t.k = 0x10001; }},
    {"n above its limit", ErrShape, [](Command &t, const Command &) { t.n = 0xffff; }},
    {"A does not fit", ErrShape,
     [](Command &t, const Command &) {
         t.m = kMaxMn, t.n = 1, t.k = kShape.buf_beats * ROWS / kMaxMn * kBeat + 1;
     }},
    {"B does not fit", ErrShape,
     [](Command &t, const Command &) {
         t.n = kMaxMn, t.m = 1, t.k = kShape.buf_beats * COLS / kMaxMn * kBeat + 1;
     }},
    {"everything is wrong: shape comes first", ErrShape,
     [](Command &t, const Command &) {
         t.k = 0, t.a_addr = 1, t.act = FP8MAC_ACTIVATIONS, t.sa = 99, t.scale_d = 0, t.acc_continue = true;
     }},
    {"an image without columns", ErrShape,
     [](Command &t, const Command &) { one_line(t), t.conv[0] = 0; }},
    {"an image without lines", ErrShape,
     [](Command &t, const Command &) { one_line(t), t.conv[1] = 1 << 16; }},
    {"output lines without pixels", ErrShape,
     [](Command &t, const Command &) { one_line(t), t.conv[1] = 1; }},
    {"segments without bytes", ErrShape,
     [](Command &t, const Command &) { one_line(t), t.conv[2] = 1 << 16; }},
    {"kernel lines without segments", ErrShape,
     [](Command &t, const Command &) { one_line(t), t.conv[2] = 1; }},
    {"address of A", ErrAlign, [](Command &t, const Command &) { t.a_addr += 1; }},
    {"stride of B", ErrAlign, [](Command &t, const Command &) { t.b_stride += kBeat / 2; }},
    {"address of D", ErrAlign, [](Command &t, const Command &) { t.d_addr += 4; }},
    {"stride of D", ErrAlign, [](Command &t, const Command &) { t.d_stride += 1; }},
    {"address of scale_b", ErrAlign,
     [](Command &t, const Command &) { t.scale_b_vec = true, t.scale_b = 0x80000001; }},
    {"address of the bias", ErrAlign,
     [](Command &t, const Command &) { t.bias_en = true, t.bias = 0x80000004; }},
    {"stride of A shorter than a row", ErrRange,
     [](Command &t, const Command &) { t.a_stride = 0; }},
    {"stride of B shorter than a row", ErrRange,
     [](Command &t, const Command &) { t.b_stride = (t.k - 1) & -kBeat; }},
    {"stride of D shorter than a row", ErrRange,
     [](Command &t, const Command &) { t.d_stride = (t.n * t.d_bytes() - 1) & -kBeat; }},
    {"A runs past the last address", ErrRange,
     [](Command &t, const Command &) { t.a_addr = 0u - kBeat; }},
    {"the line of an image runs past the last address", ErrRange,
     [](Command &t, const Command &) { one_line(t), t.conv[0] = 17, t.a_addr = 0u - 16; }},
    {"an image runs past the last address", ErrRange,
     [](Command &t, const Command &) {
         one_line(t), t.conv[1] = 0xffff | 1 << 16, t.a_stride = 0x10001;
     }},
    {"B runs past the last address", ErrRange,
     [](Command &t, const Command &) { t.b_stride = 1u << 31; }},
    {"D runs past the last address", ErrRange,
     [](Command &t, const Command &) { t.d_addr = 0u - t.d_stride; }},
    {"the bias runs past the last address", ErrRange,
     [](Command &t, const Command &) {
         t.bias_en = true, t.n = kBeat / 4 + 1, t.bias = 0u - kBeat;
     }},
    {"INT8 as D that does not saturate", ErrMode,
     [](Command &t, const Command &) { t.d_fmt = FP8MAC_INT8, t.overflow = FP8MAC_OVERFLOW_IEEE; }},
    {"reserved overflow", ErrMode, [](Command &t, const Command &) { t.overflow = FP8MAC_OVERFLOWS; }},
    {"reserved act", ErrMode, [](Command &t, const Command &) { t.act = FP8MAC_ACTIVATIONS; }},
    {"a maximum in a GEMM", ErrMode,
     [](Command &t, const Command &) {
         t.extended = t.maximum = true, t.x_fmt = 0, t.beta = kOne, with_c(t);
         t.c_stride = (t.n + kBeat - 1) / kBeat * kBeat; // a row of A may be shorter
     }},
    {"a maximum in a row command", ErrMode,
     [](Command &t, const Command &) { row_command(t, Sum), t.maximum = true; }},
    {"reserved row_op", ErrMode, [](Command &t, const Command &) { row_command(t, kRowOps); }},
    {"a mask of a norm", ErrMode,
     [](Command &t, const Command &) { row_command(t, LayerNorm), t.k = 1; }},
    {"a causal norm", ErrMode,
     [](Command &t, const Command &) { row_command(t, RmsNorm), t.causal = true; }},
    {"gamma of a sum", ErrMode,
     [](Command &t, const Command &) { row_command(t, Sum), t.scale_b_vec = true; }},
    {"gamma that is one number", ErrMode,
     [](Command &t, const Command &) { row_command(t, LayerNorm), t.scale_b = 0x40000000; }},
    {"C of a softmax", ErrMode,
     [](Command &t, const Command &) { row_command(t, Softmax), with_c(t); }},
    {"C of a norm", ErrMode,
     [](Command &t, const Command &) { row_command(t, RmsNorm), with_c(t), t.beta = kOne; }},
    {"a factor for each row", ErrMode,
     [](Command &t, const Command &) { row_command(t, Softmax), t.scale_a_vec = true; }},
    {"beta of an RMS norm", ErrMode,
     [](Command &t, const Command &) { row_command(t, RmsNorm), t.bias_en = true; }},
    {"results of two bytes, one behind the other", ErrAlign,
     [](Command &t, const Command &) {
         row_command(t, Sum), t.m = 2, t.a_stride = kBeat, t.d_fmt = FP8MAC_FP16, t.d_stride = 2;
     }},
    {"results one behind the other, from half a beat on", ErrAlign,
     [](Command &t, const Command &) {
         row_command(t, Magnitude), t.d_fmt = FP8MAC_FP32, t.d_stride = 4, t.d_addr += kBeat / 2;
     }},
    {"a mask of a quantisation", ErrMode,
     [](Command &t, const Command &) { row_command(t, Quantise), t.k = 1; }},
    {"a factor of each column of a quantisation", ErrMode,
     [](Command &t, const Command &) { row_command(t, Quantise), t.scale_b_vec = true, t.scale_b = t.a_addr; }},
    {"a mask of MX blocks", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.k = 1; }},
    {"MX blocks in FP16", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.d_fmt = FP8MAC_FP16; }},
    {"MX blocks in INT8", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.d_fmt = FP8MAC_INT8; }},
    {"MX blocks that do not saturate", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.overflow = FP8MAC_OVERFLOW_IEEE; }},
    {"MX blocks with an activation", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.act = FP8MAC_ACT_RELU; }},
    {"MX blocks with a scale", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.scale_d = 0x40000000; }},
    {"MX blocks with a factor", ErrMode,
     [](Command &t, const Command &) { mx_blocks(t), t.scale_a = 0x40000000; }},
    {"MX scales between beats", ErrAlign,
     [](Command &t, const Command &) { mx_blocks(t), t.mx_a_addr += 1; }},
    {"rows of MX scales between beats", ErrAlign,
     [](Command &t, const Command &) {
         mx_blocks(t), t.m = 2, t.a_stride = t.d_stride = kBeat, t.mx_a_stride = kBeat + 1;
     }},
    {"rows of MX scales that overlap", ErrRange,
     [](Command &t, const Command &) {
         mx_blocks(t), t.m = 2, t.a_stride = t.d_stride = kBeat, t.mx_a_stride = 0;
     }},
    {"MX scales that run past the last address", ErrRange,
     [](Command &t, const Command &) {
         mx_blocks(t), t.m = 2, t.a_stride = t.d_stride = kBeat, t.mx_a_stride = 0u - kBeat;
     }},
    {"a mask of a tanh", ErrMode,
     [](Command &t, const Command &) { row_command(t, Tanh), t.k = 1; }},
    {"a causal sigmoid", ErrMode,
     [](Command &t, const Command &) { row_command(t, Sigmoid), t.causal = true; }},
    {"gamma of a sigmoid", ErrMode,
     [](Command &t, const Command &) { row_command(t, Sigmoid), t.scale_b_vec = true, t.scale_b = t.a_addr; }},
    {"a softmax that is rounded stochastically", ErrMode,
     [](Command &t, const Command &) { row_command(t, Softmax), t.stochastic = true; }},
    {"an activation of argmax", ErrMode,
     [](Command &t, const Command &) { row_command(t, Argmax), t.act = FP8MAC_ACT_RELU; }},
    {"argmax in FP16", ErrMode,
     [](Command &t, const Command &) {
         row_command(t, Argmax), t.d_fmt = FP8MAC_FP16;
     }},
    {"a row that sees more columns than there are", ErrShape,
     [](Command &t, const Command &) { row_command(t, Maximum), t.k = 2; }},
    {"more columns than a row command takes", ErrShape,
     [](Command &t, const Command &) {
         row_command(t, Sum), t.m = 1, t.n = (1u << 24) + 1;
     }},
    {"reserved act_table", ErrMode,
     [](Command &t, const Command &) { t.extended = true, t.act_table = 3; }},
    {"a table for FP16", ErrMode,
     [](Command &t, const Command &) {
         t.extended = true, t.act_table = 1, t.d_fmt = FP8MAC_FP16, t.d_stride += 64 * kBeat;
     }},
    {"sa too large", ErrScaleExp, [](Command &t, const Command &) { t.sa = 33; }},
    {"sb too small", ErrScaleExp, [](Command &t, const Command &) { t.sb = -33; }},
    {"sa far too small", ErrScaleExp, [](Command &t, const Command &) { t.sa = -128; }},
    {"scale_b is negative", ErrScale,
     [](Command &t, const Command &) { t.scale_b_vec = false, t.scale_b = 0xbf800000; }},
    {"scale_d is Inf", ErrScale, [](Command &t, const Command &) { t.scale_d = 0x7f800000; }},
    {"scale_d is NaN", ErrScale, [](Command &t, const Command &) { t.scale_d = 0x7fc00000; }},
    {"scale_d is -0", ErrScale, [](Command &t, const Command &) { t.scale_d = 0x80000000; }},
    {"clamp bounds in the wrong order", ErrScale,
     [](Command &t, const Command &) {
         t.act = FP8MAC_ACT_CLAMP, t.clamp_lo = 0xbf800000, t.clamp_hi = 0xbf800001;
     }},
    {"clamp bound is Inf", ErrScale,
     [](Command &t, const Command &) { t.act = FP8MAC_ACT_CLAMP, t.clamp_lo = 0, t.clamp_hi = 0x7f800000; }},
    {"reuse of an A of other k", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_a = true, t.m = before.m, t.k = before.k > 1 ? before.k - 1 : 2;
         t.a_fmt = before.a_fmt;
         Maker::without_c(t);
     }},
    {"reuse of an A of other m", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_a = true, t.k = before.k, t.m = before.m > 1 ? before.m - 1 : 2;
         t.a_fmt = before.a_fmt;
         Maker::without_c(t);
     }},
    {"reuse of a B of other n", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_b = true, t.k = before.k, t.n = before.n > 1 ? before.n - 1 : 2;
         t.b_fmt = before.b_fmt;
         Maker::without_c(t);
     }},
    {"continues what was not kept", ErrSequence,
     [](Command &t, const Command &before) {
         t.acc_continue = true, t.m = before.m, t.n = before.n;
         Maker::without_c(t);
     }},
    {"several tiles that reuse A", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_a = true, t.m = before.m, t.tile_m = t.m - 1, t.k = before.k,
         t.a_fmt = before.a_fmt;
         Maker::without_c(t);
     }},
    {"several tiles that reuse B", ErrSequence,
     [](Command &t, const Command &before) {
         t.reuse_b = true, t.n = before.n, t.tile_m = t.m - 1, t.k = before.k,
         t.b_fmt = before.b_fmt;
         Maker::without_c(t);
     }},
    {"rows of an image that would be visited twice", ErrSequence,
     [](Command &t, const Command &) { one_line(t), t.b_resident = true, t.tile_n = t.n - 1; }},
    {"several chunks that are kept", ErrSequence,
     [](Command &t, const Command &) {
         t.acc_keep = true, t.k = 128, t.tile_k = 64;
         Maker::without_c(t);
     }},
    {"keeps more tiles than there are", ErrSequence,
     [](Command &t, const Command &) {
         t.acc_keep = true, t.m = t.n = kManyTiles, t.k = kElement.block;
         Maker::without_c(t);
     }},
};

} // namespace accel

#endif
