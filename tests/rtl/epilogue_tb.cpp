// SPDX-License-Identifier: Apache-2.0
// The epilogue of WIDTH outputs against fp8mac_epilogue_apply. D, amax, nonfinite, flags, order and
// meta of every transfer are compared, in all combinations of D format, overflow mode, activation
// and bias. Values are corners and random ones of every class. There are gaps at the input and a
// reset. The configuration changes as soon as no transfer is inside. With C, scales are those of
// the transfer before, differ from transfer to transfer in every second cycle, or rows take turns.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vfp8mac_epilogue.h"
#include "fp8mac/fp8mac.h"
#include "tb.h"

#if !defined WIDTH || !defined COLS || !defined ROW_STEP
#error "compile with -DWIDTH=n -DCOLS=n -DROW_STEP=n, as the module was"
#endif

namespace
{

constexpr uint32_t kNan = 0x7fc00000u;
constexpr uint32_t kInf = 0x7f800000u;
constexpr uint32_t kOne = 0x3f800000u;
constexpr unsigned kLatency = 20, kLatencyWithC = 25;
constexpr unsigned kAllPresent = (1u << WIDTH) - 1;

float to_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

uint32_t magnitude(uint32_t x)
{
    return x & 0x7fffffffu;
}

// A packed port of one element is a word, of several an array of words.
inline void put(IData &port, unsigned, uint32_t word)
{
    port = word;
}
inline uint32_t get(const IData &port, unsigned)
{
    return port;
}
template <std::size_t N>
void put(VlWide<N> &port, unsigned i, uint32_t word)
{
    port[i] = word;
}
template <std::size_t N>
uint32_t get(const VlWide<N> &port, unsigned i)
{
    return port[i];
}

// Bits of a packed port, the lowest first.
template <std::size_t N>
void put_bits(VlWide<N> &port, unsigned &at, unsigned width, uint32_t value)
{
    for (unsigned i = 0; i < width; i++, at++) {
        const uint32_t bit = uint32_t{1} << at % 32;
        port[at / 32] = (port[at / 32] & ~bit) | ((value >> i & 1) != 0 ? bit : 0);
    }
}

struct Config {
    unsigned d_fmt = 0, overflow = 0, act = 0, bias_en = 0;
    bool stochastic = false;
    uint32_t seed = 0, first_m = 0, first_n = 0;
    uint32_t clamp_lo = 0, clamp_hi = 0, scale_d = kOne;
    bool c_en = false, x_en = false, multiply = false, maximum = false;
    uint32_t beta = 0;

    fp8mac_epilogue model() const
    {
        fp8mac_epilogue e = {};
        e.has_bias = bias_en != 0;
        e.activation = static_cast<fp8mac_activation>(act);
        e.clamp_lo = to_float(clamp_lo);
        e.clamp_hi = to_float(clamp_hi);
        e.d_format = fp8mac_format_get(static_cast<fp8mac_format_id>(d_fmt));
        e.d_mode = {FP8MAC_ROUND_NEAREST_EVEN, static_cast<fp8mac_overflow>(overflow)};
        e.scale_d = to_float(scale_d);
        e.beta = c_en ? to_float(beta) : 0;
        e.multiply = multiply;
        e.maximum = maximum;
        return e;
    }
    bool operator==(const Config &o) const
    {
        return d_fmt == o.d_fmt && overflow == o.overflow && act == o.act && bias_en == o.bias_en &&
               c_en == o.c_en && x_en == o.x_en && multiply == o.multiply && maximum == o.maximum &&
               beta == o.beta && clamp_lo == o.clamp_lo && clamp_hi == o.clamp_hi &&
               scale_d == o.scale_d && stochastic == o.stochastic && seed == o.seed &&
               first_m == o.first_m && first_n == o.first_n;
    }
};

// When transfers enter with C, and which row's multipliers take their scales (fp8mac_epilogue)
enum class Pace { held, every_second, rows_in_turn };

struct Transfer {
    Config cfg;
    Pace pace = Pace::held;
    unsigned next_row = 1; // 0: the product of scales is that of the transfer before
    unsigned en = kAllPresent;
    uint32_t t0[WIDTH] = {}, scale_a = kOne, scale_b[COLS] = {}, bias[COLS] = {}, meta = 0;
    uint32_t c[WIDTH] = {}, x[WIDTH] = {};
    uint32_t row = 0, col = 0; // of the first output, in its tile
};

// D's code by the model, where its random bits are drawn.
uint32_t drawn_code(const Transfer &t, unsigned w, uint32_t fp32, fp8mac_flags *flags)
{
    const uint32_t m = t.cfg.first_m + t.row + w / COLS * ROW_STEP,
                   n = t.cfg.first_n + t.col + w % COLS;
    const fp8mac_format *format = fp8mac_format_get(static_cast<fp8mac_format_id>(t.cfg.d_fmt));
    const uint32_t code =
        fp8mac_encode_stochastic(format, fp8mac_decode(fp8mac_format_get(FP8MAC_FP32), fp32),
                                 static_cast<fp8mac_overflow>(t.cfg.overflow),
                                 fp8mac_simon_bits(t.cfg.seed, m, n, 16), 16, flags);
    return fp8mac_decode(format, code).cls == FP8MAC_CLASS_NAN ? fp8mac_format_nan_code(format)
                                                               : code;
}

struct Output {
    Transfer in;
    uint32_t d[WIDTH], amax;
    bool nonfinite;
    fp8mac_flags flags;
};

struct Events {
    uint64_t invalid, overflow, saturated, nan_flag, nan_passes, nan_code, inf_code, subnormal_code,
        subnormal_t, clamp_lo, clamp_hi, clamp_keeps_zero, relu_negative, relu_nan, clamp_nan,
        nan_of_negative, nonfinite, amax_zero, drawn, absent, absent_special, none_present, gap,
        cfg_changes, cfg_kept, lost_to_reset, terms, products, maxima, zeros, held, every_second,
        rows_in_turn;
    uint64_t modes[FP8MAC_ARRAY_FORMAT_COUNT][FP8MAC_OVERFLOWS][FP8MAC_ACTIVATIONS][2];
};

class EpilogueBench
{
  public:
    explicit EpilogueBench(tb::Bench &bench) : bench_(bench), dut_(bench), rng_(bench.seed())
    {
        idle();
        dut_.reset();
    }
    tb::Rng &rng()
    {
        return rng_;
    }
    void traffic(unsigned gap_permille)
    {
        gap_permille_ = gap_permille;
    }

    // A transfer with another configuration waits until none is inside, and so does one with C
    // whose scales come at another pace, or are others than those that are held.
    void send(Transfer transfer)
    {
        transfer.meta = meta_++;
        while (rng_.chance(gap_permille_)) {
            events_.gap++;
            cycle(nullptr);
        }
        const bool held = is_held(transfer);
        if (!(transfer.cfg == last_.cfg) ||
            (transfer.cfg.c_en && (transfer.pace != last_.pace ||
                                   (transfer.pace == Pace::held && !same_scales(transfer))))) {
            events_.cfg_changes += flush() != 0;
        }
        while (!is_turn(transfer)) {
            cycle(nullptr);
        }
        if (transfer.cfg.c_en) {
            events_.held += held;
            events_.every_second += transfer.pace == Pace::every_second;
            events_.rows_in_turn += transfer.pace == Pace::rows_in_turn;
        }
        if (transfer.cfg.c_en && transfer.pace == Pace::held) {
            transfer.next_row = held ? 0 : 1;
        }
        cycle(&transfer);
        last_ = transfer;
    }
    void let_finish()
    {
        for (unsigned idle = 0; (is_inside() || idle < 2 * kLatencyWithC) && !bench_.hopeless();
             idle++) {
            cycle(nullptr);
        }
        bench_.equal("transfers left inside", expected_.size(), 0);
    }
    // Idle cycles until all transfers have left.
    unsigned flush()
    {
        unsigned idle = 0;
        for (; is_inside() && idle < 4 * kLatencyWithC; idle++) {
            cycle(nullptr);
        }
        return idle;
    }
    // A reset empties the pipeline: no transfer that was inside comes out.
    void reset()
    {
        events_.lost_to_reset += expected_.size();
        idle();
        dut_.reset();
        expected_.clear();
        offers_ = false;
    }
    uint64_t cycles() const
    {
        return dut_.cycles();
    }
    void report() const;

  private:
    void idle()
    {
        dut_->next_i = 0;
        dut_->in_valid_i = 0;
    }
    bool is_inside() const
    {
        return offers_ || !expected_.empty();
    }
    bool same_scales(const Transfer &t) const
    {
        return t.scale_a == last_.scale_a && std::equal(t.scale_b, t.scale_b + COLS, last_.scale_b);
    }
    bool is_held(const Transfer &t) const
    {
        return t.pace == Pace::held && is_inside() && t.cfg == last_.cfg && last_.pace == t.pace &&
               same_scales(t);
    }
    bool is_turn(const Transfer &t) const
    {
        const bool odd = (dut_.cycles() & 1) != 0;
        return !t.cfg.c_en || t.pace == Pace::held ||
               odd == (t.pace == Pace::rows_in_turn && (t.next_row & 0xaaaaaaaau) != 0);
    }
    void drive_scales(const Transfer &t)
    {
        dut_->next_row_i = t.next_row;
        dut_->scale_a_i = t.scale_a;
        for (unsigned c = 0; c < COLS; c++) {
            put(dut_->scale_b_i, c, t.scale_b[c]);
        }
    }
    void drive_config(const Transfer &t)
    {
        unsigned at = 0;
        for (const uint32_t word : {t.cfg.scale_d, t.cfg.clamp_hi, t.cfg.clamp_lo}) {
            put_bits(dut_->cfg_i, at, 32, word);
        }
        put_bits(dut_->cfg_i, at, 1, t.cfg.bias_en);
        put_bits(dut_->cfg_i, at, 2, t.cfg.act);
        put_bits(dut_->cfg_i, at, 2, t.cfg.overflow);
        put_bits(dut_->cfg_i, at, 3, t.cfg.d_fmt);
        put_bits(dut_->cfg_i, at, 2, 0); // the tables are behind the epilogue
        for (const uint32_t word : {t.cfg.first_n, t.cfg.first_m, t.cfg.seed}) {
            put_bits(dut_->cfg_i, at, 32, word);
        }
        put_bits(dut_->cfg_i, at, 1, t.cfg.stochastic);
        put_bits(dut_->cfg_i, at, 9, 0); // no row command
        put_bits(dut_->cfg_i, at, 32, t.cfg.beta);
        put_bits(dut_->cfg_i, at, 6, 0); // the codes are FP32
        put_bits(dut_->cfg_i, at, 1, t.cfg.maximum);
        put_bits(dut_->cfg_i, at, 1, t.cfg.multiply);
        put_bits(dut_->cfg_i, at, 1, t.cfg.c_en);
        put_bits(dut_->cfg_i, at, 1, t.cfg.x_en);
    }
    void drive(const Transfer &t)
    {
        dut_->row_i = static_cast<uint16_t>(t.row);
        dut_->col_i = static_cast<uint16_t>(t.col);
        dut_->in_en_i = t.en;
        dut_->meta_i = t.meta;
        for (unsigned w = 0; w < WIDTH; w++) {
            put(dut_->t0_i, w, t.t0[w]);
        }
        for (unsigned c = 0; c < COLS; c++) {
            put(dut_->bias_i, c, t.bias[c]);
        }
    }
    // The scales of `next`, and all else of the transfer before it
    void cycle(const Transfer *next)
    {
        const Config &cfg = offers_ ? offered_.cfg : next != nullptr ? next->cfg : entered_;
        dut_->next_i = next != nullptr;
        if (next != nullptr) {
            drive_scales(*next);
            drive_config(*next);
        }
        dut_->in_valid_i = offers_;
        if (offers_) {
            drive(offered_);
        }
        // C and X of a transfer come stages after it.
        for (unsigned w = 0; w < WIDTH; w++) {
            put(dut_->c_i, w, inside_[cfg.multiply ? 3 : 7].c[w]);
            put(dut_->x_i, w, inside_[cfg.multiply ? 8 : 3].x[w]);
        }
        inside_.push_front(offers_ ? offered_ : Transfer{});
        inside_.pop_back();
        dut_->clk_i = 0;
        dut_.settle();
        bench_.equal("busy", dut_->busy_o, !expected_.empty());
        if (dut_->out_valid_o) {
            receive();
        }
        dut_.tick();
        if (offers_) {
            expect(offered_);
        }
        offers_ = next != nullptr;
        if (offers_) {
            offered_ = *next;
        }
    }
    void expect(const Transfer &t);
    void receive();
    void count(const Transfer &t, unsigned w, uint32_t d);

    tb::Bench &bench_;
    tb::Clocked<Vfp8mac_epilogue> dut_;
    tb::Rng rng_;
    std::deque<Output> expected_;
    std::deque<Transfer> inside_ =
        std::deque<Transfer>(10); // of the last cycles, the youngest first
    Transfer offered_;            // enters in this cycle
    bool offers_ = false;
    Config entered_; // of the last transfer that entered
    unsigned gap_permille_ = 0;
    uint32_t meta_ = 0;
    Transfer last_; // whose scales were given
    Events events_ = {};
};

void EpilogueBench::expect(const Transfer &t)
{
    Output out = {t, {}, 0, false, 0};
    fp8mac_epilogue epilogue = t.cfg.model();
    if (t.cfg.stochastic) {
        epilogue.d_format = fp8mac_format_get(FP8MAC_FP32);
    }
    for (unsigned w = 0; w < WIDTH; w++) {
        if ((t.en >> w & 1) == 0) {
            events_.absent++;
            events_.absent_special +=
                magnitude(t.t0[w]) >= kInf || magnitude(t.scale_b[w % COLS]) > kInf;
            continue;
        }
        const uint32_t t0 = t.cfg.x_en ? t.x[w] : t.t0[w];
        if (t.cfg.x_en && magnitude(t0) > kInf) {
            out.flags |= FP8MAC_FLAG_NAN;
        }
        events_.terms += t.cfg.c_en && !t.cfg.multiply;
        events_.products += t.cfg.multiply;
        events_.maxima += t.cfg.maximum;
        events_.zeros += t.cfg.maximum && magnitude(t.c[w]) == 0 && magnitude(t0) == 0;
        out.d[w] =
            fp8mac_epilogue_apply(&epilogue, t0, t.scale_a, t.scale_b[w % COLS], t.bias[w % COLS],
                                  t.c[w], &out.amax, &out.nonfinite, &out.flags);
        if (t.cfg.stochastic) {
            const uint32_t fp32 = out.d[w];
            out.d[w] = drawn_code(t, w, fp32, &out.flags);
            events_.drawn++;
        }
        count(t, w, out.d[w]);
    }
    events_.invalid += (out.flags & FP8MAC_FLAG_INVALID) != 0;
    events_.overflow += (out.flags & FP8MAC_FLAG_OVERFLOW) != 0;
    events_.saturated += (out.flags & FP8MAC_FLAG_SATURATED) != 0;
    events_.nan_flag += (out.flags & FP8MAC_FLAG_NAN) != 0;
    events_.nonfinite += out.nonfinite;
    events_.amax_zero += out.amax == 0 && !out.nonfinite && t.en != 0;
    events_.none_present += t.en == 0;
    events_.cfg_kept += t.cfg == entered_;
    entered_ = t.cfg;
    expected_.push_back(out);
}

void EpilogueBench::receive()
{
    if (!bench_.check("a transfer was expected", !expected_.empty())) {
        return;
    }
    const Output want = expected_.front();
    expected_.pop_front();
    const Transfer &t = want.in;
    const auto about = [&](unsigned w) {
        return tb::text(
            "transfer %u element %u: t0 %08x scale_a %08x scale_b %08x bias %08x en %x; "
            "fmt %u overflow %u act %u bias_en %u lo %08x hi %08x scale_d %08x; stochastic %d",
            t.meta, w, t.t0[w], t.scale_a, t.scale_b[w % COLS], t.bias[w % COLS], t.en, t.cfg.d_fmt,
            t.cfg.overflow, t.cfg.act, t.cfg.bias_en, t.cfg.clamp_lo, t.cfg.clamp_hi, t.cfg.scale_d,
            t.cfg.stochastic);
    };
    bench_.equal("meta", dut_->meta_o, t.meta);
    for (unsigned w = 0; w < WIDTH; w++) {
        if ((t.en >> w & 1) != 0) {
            bench_.equal("d", get(dut_->d_o, w), want.d[w], [&] { return about(w); });
        }
    }
    bench_.equal("amax", dut_->amax_o, want.amax, [&] { return about(0); });
    bench_.equal("nonfinite", dut_->nonfinite_o, want.nonfinite, [&] { return about(0); });
    bench_.equal("flags", dut_->flags_o, want.flags, [&] { return about(0); });
}

// T is what the model gives with scale_d = 1 in FP32; before the activation, without one.
void EpilogueBench::count(const Transfer &t, unsigned w, uint32_t d)
{
    Config plain = t.cfg;
    plain.d_fmt = FP8MAC_FP32;
    plain.scale_d = kOne;
    const auto value = [&](const Config &cfg) {
        uint32_t amax = 0;
        bool nonfinite = false;
        fp8mac_flags flags = 0;
        const fp8mac_epilogue epilogue = cfg.model();
        return fp8mac_epilogue_apply(&epilogue, t.cfg.x_en ? t.x[w] : t.t0[w], t.scale_a,
                                     t.scale_b[w % COLS], t.bias[w % COLS], t.c[w], &amax,
                                     &nonfinite, &flags);
    };
    const uint32_t after = value(plain);
    plain.act = FP8MAC_ACT_NONE;
    const uint32_t before = value(plain);
    const fp8mac_format *format = fp8mac_format_get(static_cast<fp8mac_format_id>(t.cfg.d_fmt));
    const fp8mac_value code = fp8mac_decode(format, d);
    const bool clamp = t.cfg.act == FP8MAC_ACT_CLAMP, relu = t.cfg.act == FP8MAC_ACT_RELU;

    events_.modes[t.cfg.d_fmt][t.cfg.overflow][t.cfg.act][t.cfg.bias_en]++;
    events_.nan_passes += magnitude(t.t0[w]) > kInf;
    events_.nan_code += code.cls == FP8MAC_CLASS_NAN;
    events_.nan_of_negative += d == fp8mac_format_nan_code(fp8mac_format_get(FP8MAC_E4M3FN)) &&
                               t.cfg.d_fmt == FP8MAC_E4M3FN && after >> 31 != 0;
    events_.inf_code += code.cls == FP8MAC_CLASS_INF;
    events_.subnormal_code +=
        code.cls == FP8MAC_CLASS_FINITE && code.significand < UINT64_C(1) << format->mantissa_bits;
    events_.subnormal_t += magnitude(after) != 0 && magnitude(after) < 0x00800000u;
    events_.clamp_lo += clamp && after != before && after == t.cfg.clamp_lo;
    events_.clamp_hi += clamp && after != before && after == t.cfg.clamp_hi;
    events_.clamp_keeps_zero +=
        clamp && magnitude(before) == 0 && after == before &&
        (before == (t.cfg.clamp_lo ^ 0x80000000u) || before == (t.cfg.clamp_hi ^ 0x80000000u));
    events_.relu_negative += relu && before != after;
    events_.relu_nan += relu && after == kNan;
    events_.clamp_nan += clamp && after == kNan;
}

void EpilogueBench::report() const
{
    const Events &e = events_;
    const auto line = [&](const char *event, uint64_t hits) { bench_.covered(event, hits); };
    line("flag invalid", e.invalid);
    line("flag overflow", e.overflow);
    line("flag saturated", e.saturated);
    line("flag nan", e.nan_flag);
    line("outputs with beta * C", e.terms);
    line("products of X and C", e.products);
    line("maxima of X and beta * C", e.maxima);
    line("maxima of two zeros", e.zeros);
    line("NaN accumulator", e.nan_passes);
    line("NaN code", e.nan_code);
    line("positive NaN code of e4m3fn for a negative overflow", e.nan_of_negative);
    line("Inf code", e.inf_code);
    line("subnormal code", e.subnormal_code);
    line("subnormal T", e.subnormal_t);
    line("clamped to lo", e.clamp_lo);
    line("clamped to hi", e.clamp_hi);
    line("zero stays beside a zero bound of the other sign", e.clamp_keeps_zero);
    line("NaN through clamp", e.clamp_nan);
    line("ReLU makes +0", e.relu_negative);
    line("NaN through ReLU", e.relu_nan);
    line("nonfinite", e.nonfinite);
    line("amax +0 of finite outputs", e.amax_zero);
    line("stochastic rounding", e.drawn);
    line("absent element", e.absent);
    line("absent element with Inf or NaN", e.absent_special);
    line("transfer without elements", e.none_present);
    line("gap", e.gap);
    line("configuration changed as soon as no transfer was inside", e.cfg_changes);
    line("transfer with the configuration of the one before", e.cfg_kept);
    line("transfer inside at a reset", e.lost_to_reset);
    line("transfer with C and the scales of the one before", e.held);
    line("transfer with C and scales of its own, in every second cycle", e.every_second);
    if (WIDTH > COLS) {
        line("transfer with C and a row whose turn it is", e.rows_in_turn);
    }
    uint64_t least = UINT64_MAX;
    for (unsigned f = 0; f < FP8MAC_ARRAY_FORMAT_COUNT; f++) {
        for (unsigned overflow = 0; overflow < (f == FP8MAC_INT8 ? 1 : 3); overflow++) {
            for (const auto &act : e.modes[f][overflow]) {
                least = std::min({least, act[0], act[1]});
            }
        }
    }
    line("outputs of the rarest mode", least);
}

// -------------------------------------------------------------------------------------------------
// Stimuli
// -------------------------------------------------------------------------------------------------

uint32_t power_of_two(tb::Rng &rng, int lo, int hi)
{
    return static_cast<uint32_t>(127 + rng.range(lo, hi)) << 23;
}

uint32_t positive_finite(tb::Rng &rng)
{
    return magnitude(rng.fp32_finite());
}

// Few significant bits about 2^e: sums are exact, and conversions meet ties.
uint32_t short_value(tb::Rng &rng, int lo, int hi)
{
    return static_cast<uint32_t>(rng.coin()) << 31 | power_of_two(rng, lo, hi) |
           rng.below(64) << 17;
}

// By value, as the model requires: clamp_lo <= clamp_hi, both finite.
void random_clamp(tb::Rng &rng, Config &cfg)
{
    const uint32_t kinds[] = {rng.fp32_finite(), short_value(rng, -4, 4),
                              static_cast<uint32_t>(rng.coin()) << 31};
    cfg.clamp_lo = kinds[rng.below(3)];
    cfg.clamp_hi = rng.chance(100) ? cfg.clamp_lo : kinds[rng.below(3)];
    if (to_float(cfg.clamp_lo) > to_float(cfg.clamp_hi)) {
        std::swap(cfg.clamp_lo, cfg.clamp_hi);
    }
}

Config random_config(tb::Rng &rng)
{
    Config cfg;
    cfg.d_fmt = rng.below(FP8MAC_ARRAY_FORMAT_COUNT);
    cfg.overflow = cfg.d_fmt == FP8MAC_INT8 ? 0 : rng.below(3);
    cfg.act = rng.below(FP8MAC_ACTIVATIONS);
    cfg.bias_en = rng.below(2);
    cfg.c_en = rng.coin();
    cfg.x_en = rng.below(3) == 0;
    cfg.multiply = cfg.c_en && cfg.x_en && rng.coin();
    cfg.maximum = cfg.c_en && !cfg.multiply && rng.coin();
    cfg.bias_en &= !cfg.multiply;
    // The epilogue is told of C only if beta is not 0.
    cfg.beta = rng.coin() ? short_value(rng, -3, 3) | 1 : rng.fp32() | 1;
    random_clamp(rng, cfg);
    cfg.scale_d = rng.chance(500)   ? power_of_two(rng, -12, 12)
                  : rng.chance(900) ? positive_finite(rng)
                                    : rng.fp32();
    cfg.stochastic = rng.below(3) == 0;
    if (cfg.stochastic) {
        cfg.seed = static_cast<uint32_t>(rng.next());
        cfg.first_m = static_cast<uint32_t>(rng.next() >> rng.below(32));
        cfg.first_n = static_cast<uint32_t>(rng.next() >> rng.below(32)) & ~3u;
    }
    return cfg;
}

// One field differs, which is the smallest change between two tiles.
Config neighbour(tb::Rng &rng, Config cfg)
{
    switch (rng.below(6)) {
    case 0: cfg.d_fmt = (cfg.d_fmt + 1) % FP8MAC_ARRAY_FORMAT_COUNT; break;
    case 1: cfg.overflow = (cfg.overflow + 1) % 3; break;
    case 2: cfg.act = (cfg.act + 1) % FP8MAC_ACTIVATIONS; break;
    case 3: cfg.bias_en ^= !cfg.multiply; break;
    case 4: cfg.scale_d = power_of_two(rng, -12, 12); break;
    default: random_clamp(rng, cfg); break;
    }
    cfg.overflow = cfg.d_fmt == FP8MAC_INT8 ? 0 : cfg.overflow; // INT8 only saturates
    return cfg;
}

Transfer random_transfer(tb::Rng &rng, const Config &cfg)
{
    Transfer t;
    t.cfg = cfg;
    t.row = rng.below(1u << 10);
    t.col = rng.below(1u << 8) * COLS;
    t.en = rng.chance(700) ? kAllPresent : static_cast<unsigned>(rng.next() & kAllPresent);
    const uint32_t kind = rng.below(4);
    t.scale_a = kind == 0   ? rng.fp32()
                : kind == 1 ? positive_finite(rng)
                            : power_of_two(rng, -10, 10);
    for (unsigned w = 0; w < WIDTH; w++) {
        switch (kind) {
        case 0: // anything
            t.t0[w] = rng.fp32();
            t.scale_b[w % COLS] = rng.fp32();
            t.bias[w % COLS] = rng.fp32();
            break;
        case 1: // legal scales, any class of accumulator
            t.t0[w] = rng.fp32();
            t.scale_b[w % COLS] = rng.coin() ? positive_finite(rng)
                                             : (magnitude(t.scale_a) ^ 0x3fffffffu) & 0x7f7fffffu;
            t.bias[w % COLS] = rng.fp32();
            break;
        case 2: // about 1, few bits
            t.t0[w] = short_value(rng, -12, 12);
            t.scale_b[w % COLS] = power_of_two(rng, -3, 3);
            t.bias[w % COLS] = short_value(rng, -12, 12);
            break;
        default: // the bias cancels the product
            t.t0[w] = rng.fp32_finite();
            t.scale_b[w % COLS] = (254u << 23) - (t.scale_a & kInf); // its reciprocal
            t.bias[w % COLS] = t.t0[w] ^ 0x80000000u;
            if (rng.coin()) {
                t.bias[w % COLS] ^= rng.below(256);
            }
            break;
        }
    }
    for (unsigned w = 0; w < WIDTH; w++) {
        t.c[w] = kind < 2 ? rng.fp32() : short_value(rng, -12, 12);
        if (cfg.maximum && rng.chance(100)) {
            t.c[w] &= 0x80000000u;
            t.t0[w] &= 0x80000000u;
        }
        t.x[w] = t.t0[w];
        t.t0[w] = cfg.x_en ? rng.fp32() : t.t0[w];
    }
    return t;
}

constexpr unsigned kRows = WIDTH / COLS;

// A transfer of a tile behind `before`, or the first one
Transfer paced_transfer(tb::Rng &rng, const Config &cfg, Pace pace, const Transfer *before)
{
    Transfer t = random_transfer(rng, cfg);
    const unsigned row = rng.below(kRows);
    t.pace = pace;
    t.next_row = 1u << row;
    if (cfg.c_en && pace == Pace::held && before != nullptr) {
        t.scale_a = before->scale_a;
        std::copy(before->scale_b, before->scale_b + COLS, t.scale_b);
    }
    if (cfg.c_en && pace == Pace::held) { // one product for all columns
        std::fill(t.scale_b, t.scale_b + COLS, t.scale_b[0]);
    }
    if (cfg.c_en && pace == Pace::rows_in_turn) {
        t.en &= ((1u << COLS) - 1) << row * COLS;
    }
    return t;
}

Pace random_pace(tb::Rng &rng)
{
    const Pace paces[] = {Pace::held, Pace::every_second, Pace::rows_in_turn};
    return paces[rng.below(kRows > 1 ? 3 : 2)];
}

// Tiles of transfers with one configuration, often close to the last one or the same.
void random_tiles(EpilogueBench &epilogue, tb::Bench &bench, unsigned transfers)
{
    tb::Rng &rng = epilogue.rng();
    Config cfg = random_config(rng);
    while (transfers > 0 && !bench.hopeless()) {
        cfg = rng.chance(200) ? cfg : rng.chance(300) ? neighbour(rng, cfg) : random_config(rng);
        const unsigned tile = std::min<unsigned>(transfers, 1 + rng.below(rng.coin() ? 4 : 64));
        const Pace pace = random_pace(rng);
        Transfer t;
        for (unsigned i = 0; i < tile; i++) {
            t = paced_transfer(rng, cfg, pace, i == 0 || rng.chance(50) ? nullptr : &t);
            epilogue.send(t);
        }
        transfers -= tile;
    }
}

// All triples of corner values in every mode, with a clamp about zero.
void corners(EpilogueBench &epilogue, tb::Bench &bench)
{
    static const uint32_t values[] = {0,
                                      0x80000000u,
                                      1,
                                      0x80000001u,
                                      0x00800000u,
                                      kOne,
                                      kOne | 0x80000000u,
                                      0x43e00000u,
                                      0xc3e80001u,
                                      0x7f7fffffu,
                                      0xff7fffffu,
                                      kInf,
                                      kInf | 0x80000000u,
                                      kNan,
                                      0xffc00001u};
    static const uint32_t scales[] = {kOne, 0x20000000u, 0x5f800000u};
    constexpr unsigned kOfFormat = FP8MAC_OVERFLOWS * FP8MAC_ACTIVATIONS * 2;
    for (unsigned mode = 0; mode < FP8MAC_ARRAY_FORMAT_COUNT * kOfFormat && !bench.hopeless();
         mode++) {
        Transfer t;
        t.cfg.d_fmt = mode / kOfFormat;
        t.cfg.overflow = mode / (2 * FP8MAC_ACTIVATIONS) % FP8MAC_OVERFLOWS;
        if (t.cfg.d_fmt == FP8MAC_INT8 && t.cfg.overflow != 0) {
            continue;
        }
        t.cfg.act = mode / 2 % FP8MAC_ACTIVATIONS;
        t.cfg.bias_en = mode % 2;
        t.cfg.clamp_lo = mode % 4 < 2 ? 0x80000000u : 0xbf800000u;
        t.cfg.clamp_hi = mode % 4 < 2 ? 0x00000000u : 0x43000000u;
        unsigned c = 0;
        for (const uint32_t scale : scales) {
            t.scale_a = scale;
            for (const uint32_t t0 : values) {
                for (const uint32_t bias : values) {
                    for (unsigned w = c; w < WIDTH; w += COLS) {
                        t.t0[w] = t0;
                    }
                    t.scale_b[c] = scale;
                    t.bias[c] = bias;
                    if (++c == COLS) {
                        epilogue.send(t);
                    }
                    c %= COLS;
                }
            }
        }
    }
    epilogue.let_finish();
}

// Without gaps and changes of configuration there is one transfer per cycle, and the
// latency is constant.
void full_speed(EpilogueBench &epilogue, tb::Bench &bench)
{
    const unsigned transfers = 1000;
    const Config cfg = random_config(epilogue.rng());
    epilogue.traffic(0);
    epilogue.let_finish();
    const uint64_t start = epilogue.cycles();
    Transfer t;
    for (unsigned i = 0; i < transfers; i++) {
        t = paced_transfer(epilogue.rng(), cfg, Pace::held, i == 0 ? nullptr : &t);
        epilogue.send(t);
    }
    bench.equal("cycles for 1000 transfers", epilogue.cycles() - start, transfers);
    bench.equal("cycles until they have left", epilogue.flush(),
                1 + (cfg.c_en ? kLatencyWithC : kLatency));
    epilogue.let_finish();
}

void reset_inside(EpilogueBench &epilogue)
{
    // One configuration a time, so that many transfers are inside when the reset comes.
    for (int i = 0; i < 50; i++) {
        const Config cfg = random_config(epilogue.rng());
        for (unsigned n = 1 + epilogue.rng().below(40); n > 0; n--) {
            epilogue.send(paced_transfer(epilogue.rng(), cfg, Pace::held, nullptr));
        }
        epilogue.reset();
        epilogue.let_finish();
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    EpilogueBench epilogue(bench);

    corners(epilogue, bench);
    full_speed(epilogue, bench);
    for (const unsigned gap : {0u, 300u, 900u}) {
        epilogue.traffic(gap);
        random_tiles(epilogue, bench, 50000);
    }
    epilogue.let_finish();
    epilogue.traffic(200);
    reset_inside(epilogue);
    full_speed(epilogue, bench);
    epilogue.report();
    return bench.finish();
}
