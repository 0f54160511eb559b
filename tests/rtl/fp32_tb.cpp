// SPDX-License-Identifier: Apache-2.0
// The epilogue's leaves: FP32 multiply and add against the host's IEEE 754 floats (nearest even,
// subnormals, NaN made canonical), and the conversion of FP32 to every D format against libfp8mac.
//
// Multiply and add: all pairs of a list of corners, then random pairs of every class,
// near-cancellations, products about the smallest subnormals and about the largest finite value.
// Convert: every FP16 value, every code of every 8- and 16-bit format, the midpoints of
// neighbouring codes, one FP32 step to either side of all of these, the midpoints beyond the
// largest and below the smallest, and random patterns; in every overflow mode.
#include <array>
#include <cmath>
#include <deque>
#include <vector>

#include "Vfp32_tb_top.h"
#include "fp8mac/fp8mac.h"
#include "tb.h"

namespace
{

constexpr uint32_t kNan = 0x7fc00000u;
constexpr uint32_t kInf = 0x7f800000u;
constexpr uint32_t kMinNormal = 0x00800000u;
constexpr unsigned kMulStages = 5;
constexpr unsigned kAddStages = 5;
constexpr unsigned kConvertStages = 3;

float to_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

uint32_t to_bits(float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

uint32_t magnitude(uint32_t x)
{
    return x & 0x7fffffffu;
}
bool is_nan(uint32_t x)
{
    return magnitude(x) > kInf;
}
bool is_finite(uint32_t x)
{
    return magnitude(x) < kInf;
}
bool is_subnormal(uint32_t x)
{
    return magnitude(x) != 0 && magnitude(x) < kMinNormal;
}

// The result that an operation must give.
struct Result {
    uint32_t a, b, bits;
    bool invalid, overflow;
};

Result judge(uint32_t a, uint32_t b, float value)
{
    const uint32_t bits = std::isnan(value) ? kNan : to_bits(value);
    const bool invalid = bits == kNan && !is_nan(a) && !is_nan(b);
    const bool overflow = magnitude(bits) == kInf && is_finite(a) && is_finite(b);
    return {a, b, bits, invalid, overflow};
}

struct OperationEvents {
    uint64_t nan_in, subnormal_in, subnormal_out, overflow, overflow_by_rounding, invalid,
        zero_plus, zero_minus, tie, inexact, vanished, largest;

    // `error` is exact minus rounded, as far as the caller knows it.
    void count(const Result &r, double error)
    {
        const uint32_t m = magnitude(r.bits);
        nan_in += is_nan(r.a) || is_nan(r.b);
        subnormal_in += is_subnormal(r.a) || is_subnormal(r.b);
        subnormal_out += is_subnormal(r.bits);
        overflow += r.overflow;
        invalid += r.invalid;
        zero_plus += r.bits == 0;
        zero_minus += r.bits == 0x80000000u;
        largest += m == kInf - 1;
        if (m >= kInf) {
            return;
        }
        const double ulp = static_cast<double>(to_float(m + 1 < kInf ? m + 1 : m)) -
                           to_float(m + 1 < kInf ? m : m - 1);
        inexact += error != 0;
        tie += std::fabs(error) == ulp / 2;
        vanished += m == 0 && error != 0;
    }
    void report(tb::Bench &bench, const char *name) const
    {
        const auto line = [&](const char *event, uint64_t hits) {
            bench.covered((std::string(name) + ": " + event).c_str(), hits);
        };
        line("NaN operand", nan_in);
        line("subnormal operand", subnormal_in);
        line("subnormal result", subnormal_out);
        line("overflow", overflow);
        line("overflow, exact result below 2^128", overflow_by_rounding);
        line("invalid", invalid);
        line("+0", zero_plus);
        line("-0", zero_minus);
        line("largest finite", largest);
        line("inexact", inexact);
        line("tie", tie);
    }
};

class FpBench
{
  public:
    FpBench(tb::Bench &bench, tb::Clocked<Vfp32_tb_top> &dut) : bench_(bench), dut_(dut)
    {
        dut_->a_i = dut_->b_i = dut_->x_i = 0;
    }

    void pair(uint32_t a, uint32_t b)
    {
        const float fa = to_float(a), fb = to_float(b);
        const Result product = judge(a, b, fa * fb);
        const Result sum = judge(a, b, fa + fb);
        count(product, sum);
        dut_->a_i = a;
        dut_->b_i = b;
        dut_.tick();
        muls_[operations_ % kMulStages] = product;
        adds_[operations_ % kAddStages] = sum;
        operations_++;
        // The oldest entry of the ring is the one that leaves now.
        if (operations_ >= kMulStages) {
            compare("mul", muls_[operations_ % kMulStages], dut_->mul_o, dut_->mul_invalid_o,
                    dut_->mul_overflow_o);
        }
        if (operations_ >= kAddStages) {
            compare("add", adds_[operations_ % kAddStages], dut_->add_o, dut_->add_invalid_o,
                    dut_->add_overflow_o);
        }
    }
    void let_finish()
    {
        for (unsigned i = 0; i < kAddStages; i++) {
            pair(0, 0);
        }
    }
    void report() const
    {
        mul_.report(bench_, "mul");
        bench_.covered("mul: non-zero product rounds to zero", mul_.vanished);
        add_.report(bench_, "add");
        bench_.covered("add: exact cancellation to zero", cancelled_);
        bench_.covered("add: cancellation of 20 bits or more", deep_);
    }

  private:
    void compare(const char *name, const Result &want, uint32_t bits, bool invalid, bool overflow)
    {
        const uint64_t got =
            bits | static_cast<uint64_t>(invalid) << 32 | static_cast<uint64_t>(overflow) << 33;
        bench_.equal(
            name, got,
            want.bits | static_cast<uint64_t>(want.invalid) << 32 |
                static_cast<uint64_t>(want.overflow) << 33,
            [&] { return tb::text("(overflow, invalid, bits) for %08x, %08x", want.a, want.b); });
    }
    void count(const Result &product, const Result &sum)
    {
        const float a = to_float(product.a), b = to_float(product.b);
        const double exact = static_cast<double>(a) * b; // 48 bits: exact
        mul_.count(product, exact - to_float(product.bits));
        mul_.overflow_by_rounding += product.overflow && std::fabs(exact) < 0x1p128;
        if (!is_finite(sum.a) || !is_finite(sum.b) || !is_finite(sum.bits)) {
            add_.count(sum, 0);
            // Rounded, but below 2^128 here only if the exact sum is.
            add_.overflow_by_rounding +=
                sum.overflow && std::fabs(static_cast<double>(a) + b) < 0x1p128;
            return;
        }
        // Knuth's two-sum in double: what a double sum loses is far below a float's tie unless it
        // is 0.
        const double s = static_cast<double>(a) + b, bb = s - a;
        const double lost = (a - (s - bb)) + (b - bb);
        add_.count(sum, lost != 0 ? lost : s - to_float(sum.bits));
        cancelled_ += sum.bits == 0 && magnitude(sum.a) != 0;
        deep_ +=
            magnitude(sum.bits) != 0 && (magnitude(sum.a) >> 23) > (magnitude(sum.bits) >> 23) + 20;
    }

    tb::Bench &bench_;
    tb::Clocked<Vfp32_tb_top> &dut_;
    Result muls_[kMulStages] = {};
    Result adds_[kAddStages] = {};
    uint64_t operations_ = 0;
    uint64_t cancelled_ = 0, deep_ = 0;
    OperationEvents mul_ = {}, add_ = {};
};

std::vector<uint32_t> corners()
{
    std::vector<uint32_t> list = {
        0,           1,           2,           3,           0x003fffffu, 0x00400000u, 0x00400001u,
        0x007ffffeu, 0x007fffffu, 0x00800000u, 0x00800001u, 0x00ffffffu, 0x01000000u, 0x7f7fffffu,
        0x7f7ffffeu, 0x7f000000u, 0x7effffffu, 0x7f000001u, kInf,        kNan,        0x7f800001u,
        0x7fffffffu, 0x3f800000u, 0x3f800001u, 0x3f7fffffu, 0x3f000000u, 0x3effffffu, 0x3f000001u,
        0x3fc00000u, 0x3fffffffu, 0x3f800003u, 0x40400000u, 0x33800000u, 0x33800001u, 0x337fffffu,
        0x34000000u, 0x33000000u, 0x32ffffffu, 0x4b000000u, 0x4b800000u, 0x4b7fffffu, 0x20000000u,
        0x1fffffffu, 0x1f800000u, 0x5f800000u, 0x5f7fffffu, 0x5f000000u,
        0x73000000u, // half a last place of the largest finite value
        0x72ffffffu, 0x73000001u, 0x73800000u, 0x35000000u, 0x3fb504f3u, 0x3fb504f4u};
    for (uint32_t e = 0; e < 255; e += 10) {
        list.push_back(e << 23 | 0x2aaaaau);
    }
    const size_t positive = list.size();
    for (size_t i = 0; i < positive; i++) {
        list.push_back(list[i] | 0x80000000u);
    }
    return list;
}

void directed_pairs(FpBench &fp)
{
    const std::vector<uint32_t> list = corners();
    for (const uint32_t a : list) {
        for (const uint32_t b : list) {
            fp.pair(a, b);
        }
    }
}

// Two patterns whose product, or sum, is in a range that uniform ones seldom meet.
void random_pair(FpBench &fp, tb::Rng &rng)
{
    const uint32_t bits = static_cast<uint32_t>(rng.next());
    const uint32_t a = rng.fp32();
    const uint32_t mantissa = bits & 0x7fffffu, sign = bits & 0x80000000u;
    const int exponent = static_cast<int>(magnitude(a) >> 23);
    const auto with_exponent = [&](int e) {
        return sign | static_cast<uint32_t>(e < 0 ? 0 : e > 254 ? 254 : e) << 23 | mantissa;
    };
    switch (rng.below(8)) {
    case 0: fp.pair(bits, static_cast<uint32_t>(rng.next())); break;
    case 1:
        fp.pair(a, with_exponent(127 - exponent + rng.range(-28, 4)));
        break; // product about subnormal
    case 2:
        fp.pair(a, with_exponent(127 + 254 - exponent + rng.range(-2, 2)));
        break; // product about the largest
    case 3:
        fp.pair(a, (a ^ 0x80000000u) + static_cast<uint32_t>(rng.range(-64, 64)));
        break; // cancellation
    case 4: fp.pair(with_exponent(exponent + rng.range(-3, 3)), a); break;
    case 5: fp.pair(with_exponent(exponent + rng.range(-28, 28)), a); break;
    // Few significant bits: exact results and ties.
    case 6:
        fp.pair(a & 0xfffff000u, with_exponent(exponent + rng.range(-26, 26)) & 0xffffe000u);
        break;
    default: fp.pair(a, rng.fp32()); break;
    }
}

struct ConvertEvents {
    uint64_t subnormal, invalid, overflow, saturated, nan, nan_of_overflow, inf, zero_negative,
        fnuz_negative_zero, drawn;
};

class ConvertBench
{
  public:
    ConvertBench(tb::Bench &bench, tb::Clocked<Vfp32_tb_top> &dut)
        : bench_(bench), dut_(dut), rng_(bench.seed() + 1)
    {
        for (int f = 0; f < FP8MAC_ARRAY_FORMAT_COUNT; f++) {
            row_[f] = fp8mac_format_get(static_cast<fp8mac_format_id>(f));
        }
    }

    // Converter i converts to format (i + rotation) % 8, so that each converter handles each
    // format.
    void begin(fp8mac_overflow mode, bool stochastic, int rotation)
    {
        mode_ = mode;
        stochastic_ = stochastic;
        rotation_ = rotation;
        uint32_t fmt = 0;
        for (int i = 0; i < FP8MAC_ARRAY_FORMAT_COUNT; i++) {
            fmt |= static_cast<uint32_t>(format_of(i)) << (3 * i);
        }
        dut_->fmt_i = fmt;
        dut_->overflow_mode_i = mode;
        dut_->stochastic_i = stochastic;
        dut_.tick(); // the format is registered
        fed_ = 0;
    }
    void value(uint32_t x)
    {
        static const uint32_t extremes[] = {0, 1, 0x7fff, 0x8000, 0xffff};
        const uint32_t word = static_cast<uint32_t>(rng_.next());
        const uint32_t r = word % 4 == 0 ? extremes[word / 4 % 5] : word >> 16;
        dut_->x_i = x;
        dut_->random_i = r;
        dut_.tick();
        ring_[fed_ % kConvertStages] = {x, r};
        if (++fed_ >= kConvertStages) {
            compare(ring_[fed_ % kConvertStages]);
        }
    }
    void end()
    {
        for (unsigned i = 1; i < kConvertStages; i++) {
            value(0);
        }
    }
    void report() const
    {
        for (int f = 0; f < FP8MAC_ARRAY_FORMAT_COUNT; f++) {
            const ConvertEvents &e = events_[f];
            const fp8mac_format *row = row_[f];
            const auto line = [&](const char *event, uint64_t hits) {
                bench_.covered((std::string(row->name) + ": " + event).c_str(), hits);
            };
            const bool int8 = f == FP8MAC_INT8;
            line("subnormal code", e.subnormal);
            line(int8 ? "0 for a NaN" : "NaN code", int8 ? e.invalid : e.nan);
            if (f != FP8MAC_FP32) {
                line("rounded up by random bits", e.drawn);
            }
            if (f != FP8MAC_FP32 && !int8) {
                line("overflow", e.overflow);
            }
            if (f < FP8MAC_FP16 || int8) {
                line("saturated", e.saturated);
            }
            if (row->has_inf) {
                line("Inf code", e.inf);
            }
            if (!row->has_inf && !int8) {
                line("positive NaN for negative overflow", e.nan_of_overflow);
            }
            if (row->has_negative_zero && f != FP8MAC_FP32) {
                line("negative value rounds to -0", e.zero_negative);
            }
            if (!row->has_negative_zero) {
                line("negative value rounds to 0x00", e.fnuz_negative_zero);
            }
        }
    }

  private:
    struct Fed {
        uint32_t x, r;
    };

    int format_of(int converter) const
    {
        return (converter + rotation_) % FP8MAC_ARRAY_FORMAT_COUNT;
    }

    uint32_t model(int f, fp8mac_value v, uint32_t r, fp8mac_flags *flags) const
    {
        const fp8mac_overflow mode = f == FP8MAC_INT8 ? FP8MAC_OVERFLOW_SATURATE : mode_;
        return stochastic_ ? fp8mac_encode_stochastic(row_[f], v, mode, r, 16, flags)
                           : fp8mac_encode(row_[f], v, {FP8MAC_ROUND_NEAREST_EVEN, mode}, flags);
    }

    void compare(Fed fed)
    {
        const uint32_t x = fed.x;
        const fp8mac_value v = fp8mac_decode(row_[FP8MAC_FP32], x);
        for (int i = 0; i < FP8MAC_ARRAY_FORMAT_COUNT; i++) {
            const int f = format_of(i);
            fp8mac_flags flags = 0;
            uint32_t code = model(f, v, fed.r, &flags);
            // fp8mac_encode keeps a NaN's sign; the epilogue's conversion, like the model's
            // epilogue, does not.
            if (fp8mac_decode(row_[f], code).cls == FP8MAC_CLASS_NAN) {
                code = fp8mac_format_nan_code(row_[f]);
            }
            fp8mac_flags got_flags = 0;
            if (dut_->invalid_o >> i & 1) {
                got_flags |= FP8MAC_FLAG_INVALID;
            }
            if (dut_->overflow_o >> i & 1) {
                got_flags |= FP8MAC_FLAG_OVERFLOW;
            }
            if (dut_->saturated_o >> i & 1) {
                got_flags |= FP8MAC_FLAG_SATURATED;
            }
            bench_.equal("convert", dut_->code_o[i] | static_cast<uint64_t>(got_flags) << 32,
                         code | static_cast<uint64_t>(flags) << 32, [&] {
                             return tb::text("(flags, code) for %08x to %s, overflow mode %d, "
                                             "stochastic %d, random bits %04x",
                                             x, row_[f]->name, mode_, stochastic_, fed.r);
                         });
            count(f, x, code, flags);
            events_[f].drawn +=
                stochastic_ && code != model(f, v, 0, nullptr) && v.cls == FP8MAC_CLASS_FINITE;
        }
    }
    void count(int f, uint32_t x, uint32_t code, fp8mac_flags flags)
    {
        ConvertEvents &e = events_[f];
        const fp8mac_value d = fp8mac_decode(row_[f], code);
        const uint32_t mantissa_and_exponent = code & (fp8mac_format_max_code(row_[f]) | 1u);
        e.subnormal +=
            d.cls == FP8MAC_CLASS_FINITE && (mantissa_and_exponent >> row_[f]->mantissa_bits) == 0;
        e.nan += d.cls == FP8MAC_CLASS_NAN;
        e.nan_of_overflow += d.cls == FP8MAC_CLASS_NAN && !is_nan(x) && (x >> 31) != 0;
        e.inf += d.cls == FP8MAC_CLASS_INF;
        e.invalid += (flags & FP8MAC_FLAG_INVALID) != 0;
        e.overflow += (flags & FP8MAC_FLAG_OVERFLOW) != 0;
        e.saturated += (flags & FP8MAC_FLAG_SATURATED) != 0;
        e.zero_negative += d.cls == FP8MAC_CLASS_ZERO && d.sign && magnitude(x) != 0;
        e.fnuz_negative_zero += code == 0 && (x >> 31) != 0 && magnitude(x) != 0;
    }

    tb::Bench &bench_;
    tb::Clocked<Vfp32_tb_top> &dut_;
    tb::Rng rng_;
    const fp8mac_format *row_[FP8MAC_ARRAY_FORMAT_COUNT];
    ConvertEvents events_[FP8MAC_ARRAY_FORMAT_COUNT] = {};
    fp8mac_overflow mode_ = FP8MAC_OVERFLOW_SATURATE;
    int rotation_ = 0;
    bool stochastic_ = false;
    Fed ring_[kConvertStages] = {};
    uint64_t fed_ = 0;
};

void with_neighbours(ConvertBench &convert, double x)
{
    const uint32_t bits = to_bits(static_cast<float>(x));
    for (uint32_t sign : {0u, 0x80000000u}) {
        convert.value(bits | sign);
        convert.value((bits + 1) | sign);
        if (bits != 0) {
            convert.value((bits - 1) | sign);
        }
    }
}

// Codes of one format, each the lower end of an interval to the next; beyond the largest finite one
// the interval of the last binade goes on.
void codes_and_midpoints(ConvertBench &convert, const fp8mac_format *format)
{
    const uint32_t max = fp8mac_format_max_code(format);
    for (uint32_t code = 0; code <= max; code++) {
        const uint32_t from = code < max ? code : max - 1;
        const double low = fp8mac_value_to_double(fp8mac_decode(format, from));
        const double step = fp8mac_value_to_double(fp8mac_decode(format, from + 1)) - low;
        const double x = low + (code < max ? 0 : step);
        with_neighbours(convert, x);
        with_neighbours(convert, x + step / 2);
        if (code == max) {
            with_neighbours(convert, x + step);
        }
    }
}

// Each code of FP16, and each code and midpoint of the narrower formats
void every_code(ConvertBench &convert)
{
    const fp8mac_format *fp16 = fp8mac_format_get(FP8MAC_FP16);
    for (uint32_t code = 0; code < 0x10000u; code++) {
        const double x = fp8mac_value_to_double(fp8mac_decode(fp16, code));
        convert.value(std::isnan(x) ? code << 16 | 0x7f800001u : to_bits(static_cast<float>(x)));
    }
    for (const fp8mac_format_id f : {FP8MAC_E4M3FN, FP8MAC_E5M2, FP8MAC_E4M3FNUZ, FP8MAC_E5M2FNUZ,
                                     FP8MAC_FP16, FP8MAC_BF16, FP8MAC_INT8}) {
        codes_and_midpoints(convert, fp8mac_format_get(f));
    }
}

void convert_all(ConvertBench &convert, tb::Rng &rng, fp8mac_overflow mode, bool stochastic,
                 int rotation, bool every)
{
    convert.begin(mode, stochastic, rotation);
    if (every) {
        every_code(convert);
    }
    for (const uint32_t x : corners()) {
        convert.value(x);
    }
    for (int i = 0; i < 100000; i++) {
        convert.value(i % 2 != 0 ? rng.fp32() : static_cast<uint32_t>(rng.next()));
    }
    convert.end();
}

// Every code of 8 and 16 bits as FP32.
void values(tb::Bench &bench, tb::Clocked<Vfp32_tb_top> &dut)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    for (int f = 0; f < FP8MAC_ARRAY_FORMAT_COUNT; f++) {
        const fp8mac_format *format = fp8mac_format_get(static_cast<fp8mac_format_id>(f));
        const unsigned bits = fp8mac_format_bits(format);
        for (uint32_t code = 0; bits <= 16 && code < 1u << bits && !bench.hopeless(); code++) {
            dut->value_fmt_i = f;
            dut->value_code_i = code;
            dut.tick();
            const fp8mac_value value = fp8mac_decode(format, code);
            const auto about = [&] { return tb::text("%s %04x", format->name, code); };
            if (value.cls == FP8MAC_CLASS_NAN) {
                bench.equal("is NaN", is_nan(dut->value_o), 1, about);
            } else {
                const fp8mac_convert_mode ieee = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE};
                bench.equal("value", dut->value_o, fp8mac_encode(fp32, value, ieee, nullptr),
                            about);
            }
        }
    }
}

// Positions that enter one after the other, and their blocks.
void random_blocks(tb::Bench &bench, tb::Clocked<Vfp32_tb_top> &dut, tb::Rng &rng)
{
    constexpr unsigned kStages = 2;
    std::deque<std::array<uint32_t, 2>> inside;
    for (int i = 0; i < 20000 && !bench.hopeless(); i++) {
        if (i % 1000 == 0) { // the seed stays while positions are inside
            inside.clear();
            dut->seed_i = static_cast<uint32_t>(rng.next());
        }
        const std::array<uint32_t, 2> at = {static_cast<uint32_t>(rng.next() >> rng.below(32)),
                                            static_cast<uint32_t>(rng.next() >> rng.below(32))};
        dut->m_i = at[0];
        dut->n_block_i = at[1];
        dut.tick();
        inside.push_back(at);
        if (inside.size() < kStages) {
            continue;
        }
        const uint32_t key[2] = {dut->seed_i, 0};
        uint32_t want[2];
        fp8mac_simon64(inside.front().data(), key, want);
        inside.pop_front();
        bench.equal("random bits", dut->random_o, static_cast<uint64_t>(want[1]) << 32 | want[0]);
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    tb::Clocked<Vfp32_tb_top> dut(bench);
    FpBench fp(bench, dut);

    dut->pairs_i = 1;
    directed_pairs(fp);
    const unsigned pairs = bench.number("--pairs", 1500000);
    for (unsigned i = 0; i < pairs && !bench.hopeless(); i++) {
        random_pair(fp, rng);
    }
    fp.let_finish();
    fp.report();
    dut->pairs_i = 0;

    // Without --every, two of the six modes get every code.
    const bool every = bench.number("--every", 1) != 0;
    ConvertBench convert(bench, dut);
    int rotation = 0;
    for (const fp8mac_overflow mode :
         {FP8MAC_OVERFLOW_SATURATE, FP8MAC_OVERFLOW_SATURATE_FINITE, FP8MAC_OVERFLOW_IEEE}) {
        for (const bool stochastic : {false, true}) {
            if (!bench.hopeless()) {
                convert_all(convert, rng, mode, stochastic, rotation, every || rotation % 3 == 0);
                rotation++;
            }
        }
    }
    convert.report();
    values(bench, dut);
    random_blocks(bench, dut, rng);
    return bench.finish();
}
