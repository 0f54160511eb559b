// SPDX-License-Identifier: Apache-2.0
// The array in lockstep with the model. Random tiles run in every bank, with bubbles, short and
// masked steps, every format and accumulator that the elements have, and a slow reader. Flags,
// bank_full_o and busy_o are compared in every cycle. The build defines ROWS, COLS, LANES, BANKS_M,
// BANKS_N, ELEMENT_KIND and FRAC_BITS (0: no window). `--speed N` runs N cycles idle and N cycles
// at full rate, and reports the simulation's rates.
#include <ctime>
#include <deque>

#include "Vfp8mac_array.h"
#include "dot_steps.h"
#include "fp8mac/catalogue.h"

namespace
{

constexpr unsigned BANKS = BANKS_M * BANKS_N;
constexpr unsigned kElement = ELEMENT_KIND;
const fp8mac_element_info &kInfo = *fp8mac_element_find(kElement);
constexpr bool kStatic = kElement == FP8MAC_ELEMENT_STATIC;
constexpr bool kInt8 = kElement == FP8MAC_ELEMENT_INT8;
const bool kFp16 = kInfo.accumulators == 1u << FP8MAC_ACC_FP16; // the only accumulator
const bool kFixedPoint = (kInfo.accumulators & 1u << FP8MAC_ACC_FIXED) != 0;
const bool kInteger = kFixedPoint || kInt8;
const bool kInf = (kInfo.formats & 1u << FP8MAC_E5M2) != 0;
const bool kRotates = kInfo.rotating_banks != 0;
const unsigned kStages = kInfo.latency;
constexpr unsigned kLoop = 3;  // LoopCycles
constexpr unsigned kTurns = 4; // of accumulators that rotate
constexpr int kBoundBias = 16; // BoundBias, and the bits of a bound
constexpr unsigned kBoundW = 6;

using Dut = tb::Clocked<Vfp8mac_array>;

// FNUZ's bias is one larger; bounds do not know it.
int fnuz(unsigned format)
{
    return format >= 2;
}

// The model's configuration that computes the same as the elements. Bounds are those of the
// element's row and column.
fp8mac_dot_config model_of(const tb::StepConfig &step, int a_bound, int b_bound)
{
    fp8mac_dot_config config = step.model(LANES);
    if (kInt8) {
        config = {};
        config.a_format = config.b_format = fp8mac_format_get(FP8MAC_INT8);
    }
    const int static_exponent =
        a_bound + b_bound - 2 * kBoundBias - fnuz(step.a_format) - fnuz(step.b_format);
    fp8mac_element_settings(kInfo.kind, LANES, FRAC_BITS, static_exponent, &config);
    return config;
}

static_assert(kBoundW * ROWS < 64 && kBoundW * COLS < 64, "bounds are driven as one word");

void drive_bounds(Dut &dut, uint64_t a, uint64_t b)
{
    dut->a_bound_i =
        static_cast<decltype(Vfp8mac_array::a_bound_i + 0)>(a & ((1ull << kBoundW * ROWS) - 1));
    dut->b_bound_i =
        static_cast<decltype(Vfp8mac_array::b_bound_i + 0)>(b & ((1ull << kBoundW * COLS) - 1));
}

// One accumulator, by the model.
struct Accumulator {
    fp8mac_acc acc = {};
    uint32_t pattern = 0; // acc as FP32

    tb::Answer step(const fp8mac_dot_config &config, const uint8_t *a, const uint8_t *b, unsigned n)
    {
        fp8mac_flags flags = 0;
        const fp8mac_status status = fp8mac_dot_step(&config, &acc, a, b, n, &flags);
        if (status != FP8MAC_OK) {
            std::printf("model: %s\n", fp8mac_status_string(status));
            std::abort();
        }
        pattern = fp8mac_acc_to_fp32(&config, &acc, nullptr);
        return {pattern, flags};
    }
};

// The results that a finished tile leaves in its bank.
struct Results {
    uint32_t rows = 0, cols = 0;       // enabled
    uint32_t pattern[ROWS][COLS] = {}; // FP32
};

// One bank: the tile that is stepping, and the results of those before it.
struct Tile {
    explicit Tile(tb::Rng &rng) : steps(rng, LANES) {}
    tb::Steps steps;
    tb::StepConfig config;                      // kFixedPoint: of all its steps
    int a_bound[ROWS] = {}, b_bound[COLS] = {}; // kStatic
    bool extremes =
        false; // kInt8: mostly -128 * -128; kStatic: infinities in place of NaNs, which outlive all else
    Accumulator acc[ROWS][COLS];
    uint32_t rows = 0, cols = 0; // enabled
    unsigned left = 0;           // steps to issue
    uint64_t issued = 0;         // cycle of the last one
    bool first = false;
    std::deque<Results> results; // finished, not yet released
    bool reading = false;
    uint64_t release = 0; // cycle, while reading
};

class ArrayTest
{
  public:
    ArrayTest(tb::Bench &bench, Dut &dut, tb::Rng &rng)
        : bench_(bench), dut_(dut), rng_(rng), tiles_(BANKS, Tile(rng))
    {
    }

    void run(unsigned cycles, unsigned bubbles, unsigned reader_delay)
    {
        for (unsigned i = 0; i < cycles && !bench_.hopeless(); i++) {
            reader_delay_ = reader_delay;
            issue(!rng_.chance(bubbles));
            read();
            clock();
        }
        while (!idle() && !bench_.hopeless()) {
            issue(false);
            read();
            clock();
        }
    }
    void report()
    {
        report_events();
        bench_.covered("step of a tile with absent rows or columns", masked_);
        if (LANES > 1) {
            bench_.covered("step with a gap in its lanes", gaps_);
        }
        bench_.covered("last step issued while the bank was being read", overlapped_);
        bench_.covered("tile's results compared", compared_);
        bench_.covered("tile of more than 100 steps", long_);
        if (kInf) {
            bench_.covered("Inf that meets zeros only where it is masked", masked_specials_);
        }
        if (kStatic) {
            bench_.covered("product wholly below the window", cut_);
            bench_.covered("bound that is met", met_);
        }
        // In few bits that takes longer sums than those here.
        if (!kInteger || (kStatic && FRAC_BITS < 20)) {
            return;
        }
        bench_.covered("integer that FP32 cannot hold", rounded_);
        bench_.covered("integer half way between two FP32 values", ties_);
    }

  private:
    // What cannot happen: windows have no -0 but where FP16 underflows, FP32 neither underflows nor
    // overflows.
    void report_events()
    {
        using E = tb::Events;
        if (kElement == FP8MAC_ELEMENT_EXACT) {
            return events_.report(bench_, "random", LANES, E::kSumFarBelow);
        }
        bench_.covered("short step", LANES == 1 || events_.hits[E::kShortStep]);
        if (kInt8) {
            return;
        }
        bench_.covered("NaN operand", events_.hits[E::kNanFlag]);
        bench_.covered("NaN result", events_.hits[E::kNan]);
        bench_.covered("sum cancels acc", events_.hits[E::kCancelledToZero]);
        if (!kInf) {
            return;
        }
        bench_.covered("infinite result", events_.hits[E::kInf]);
        bench_.covered("Inf * 0", events_.hits[E::kInfTimesZero]);
        bench_.covered("Inf - Inf", LANES == 1 || events_.hits[E::kInfMinusInf]);
        // With many lanes an infinite accumulator hardly outlives the NaNs.
        if (LANES < 8) {
            bench_.covered("Inf - Inf in acc", events_.hits[E::kInfMinusAcc]);
        }
        if (kInteger) {
            return;
        }
        bench_.covered("sum far below acc", events_.hits[E::kSumFarBelow]);
        if (!kFp16) {
            return bench_.covered("acc far below sum", events_.hits[E::kAccFarBelow]);
        }
        bench_.covered("overflow", events_.hits[E::kOverflow]);
        bench_.covered("subnormal result", events_.hits[E::kSubnormal16]);
        // With 10 bits below 2^-14 nothing is smaller than a subnormal's last place.
        if (FRAC_BITS > 10) {
            bench_.covered("result -0", events_.hits[E::kMinusZero]);
        }
    }
    struct Shown {
        uint32_t flags = 0;
        bool valid = false, last = false;
        unsigned bank = 0;
    };

    bool idle() const
    {
        for (const Tile &tile : tiles_) {
            if (!tile.results.empty()) {
                return false;
            }
        }
        return true;
    }

    // A bank that may step now; BANKS if there is none.
    unsigned ready_bank()
    {
        const unsigned start = rng_.below(BANKS);
        for (unsigned i = 0; i < BANKS; i++) {
            const unsigned bank = (start + i) % BANKS;
            const Tile &tile = tiles_[bank];
            const bool free = tile.results.empty() || (tile.results.size() == 1 && tile.reading &&
                                                       tile.release < now_ + kStages);
            if (in_turn(tile) && (tile.left != 1 || free)) {
                return bank;
            }
        }
        return BANKS;
    }

    // With rotating accumulators a tile begins in a turn that no other tile has, and stays in it.
    bool in_turn(const Tile &tile) const
    {
        if (!kRotates) {
            return now_ - tile.issued >= kLoop;
        }
        if (!tile.first) {
            return (now_ - tile.issued) % kTurns == 0;
        }
        for (const Tile &other : tiles_) {
            if (other.left != 0 && !other.first && (now_ - other.issued) % kTurns == 0) {
                return false;
            }
        }
        return true;
    }

    void new_tile(Tile &tile)
    {
        tile.left = 1 + rng_.below(rng_.chance(kInt8 ? 100 : 20) ? 700 : 6);
        long_ += tile.left > 100;
        tile.first = true;
        tile.rows = (1u << ROWS) - 1;
        tile.cols = (1u << COLS) - 1;
        if (rng_.chance(300)) {
            tile.rows = 1 + rng_.below((1u << ROWS) - 1);
        }
        if (rng_.chance(300)) {
            tile.cols = 1 + rng_.below((1u << COLS) - 1);
        }
        tile.steps.new_chain();
        tile.config = tile.steps.config;
        if (!kInf) {
            tile.config.a_format &= 2; // E4M3
            tile.config.b_format &= 2;
        }
        for (int &bound : tile.a_bound) {
            bound = any_bound(tile.config.a_format);
        }
        for (int &bound : tile.b_bound) {
            bound = any_bound(tile.config.b_format);
        }
        tile.extremes = rng_.coin();
        take_config(tile);
        for (auto &row : tile.acc) {
            std::fill(std::begin(row), std::end(row), Accumulator());
        }
    }

    // Reduces a step's configuration to what the elements support.
    void take_config(Tile &tile)
    {
        if (kRotates) {
            tile.config.fp16 = tile.steps.config.fp16 = kFp16;
        }
        if (kFixedPoint) {
            tile.steps.config = tile.config;
        }
    }

    // An operand's exponent in the units of bounds, or -1 for zeros and specials, which have none.
    static int exponent(unsigned format, uint8_t code)
    {
        const double value = tb::Codes::of(format).value[code];
        return value == 0 || !std::isfinite(value) ? -1
                                                   : std::ilogb(value) + kBoundBias + fnuz(format);
    }
    // The format's largest exponent, or less, or more.
    int any_bound(unsigned format)
    {
        const int most = exponent(format, tb::Codes::of(format).finite.back());
        if (rng_.chance(400)) {
            return most;
        }
        return rng_.coin() ? most - rng_.range(0, 15) : rng_.range(0, 32);
    }
    // Another operand where it is above its bound.
    uint8_t within(int bound, unsigned format, uint8_t code, bool extremes)
    {
        const std::vector<uint8_t> &finite = tb::Codes::of(format).finite;
        if (extremes && format == 1 && std::isnan(tb::Codes::of(format).value[code])) {
            return rng_.coin() ? 0x7c : 0xfc;
        }
        while (exponent(format, code) > bound) {
            code = finite[rng_.below(static_cast<uint32_t>(finite.size()))];
        }
        return code;
    }
    void take_bounds(const Tile &tile, unsigned i, uint8_t *a, uint8_t *b)
    {
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (i < ROWS) {
                a[lane] = within(tile.a_bound[i], tile.config.a_format, a[lane], tile.extremes);
            }
            if (i < COLS) {
                b[lane] = within(tile.b_bound[i], tile.config.b_format, b[lane], tile.extremes);
            }
        }
    }
    void set_bounds(const Tile &tile)
    {
        uint64_t a = rng_.next(), b = rng_.next(); // others do not look at them
        if (kStatic) {
            a = b = 0;
            for (unsigned r = 0; r < ROWS; r++) {
                a |= static_cast<uint64_t>(tile.a_bound[r]) << kBoundW * r;
            }
            for (unsigned c = 0; c < COLS; c++) {
                b |= static_cast<uint64_t>(tile.b_bound[c]) << kBoundW * c;
            }
        }
        drive_bounds(dut_, a, b);
    }

    void operands(Tile &tile, unsigned i, bool last)
    {
        const uint32_t acc = tile.acc[i % ROWS][i % COLS].pattern;
        i == 0 ? tile.steps.next(acc, !last) : tile.steps.fill(acc);
        if (i == 0) {
            take_config(tile);
        }
        if (!kInt8) {
            return;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            tile.steps.a[lane] = tile.extremes && !rng_.chance(50) ? 0x80 : rng_.code8();
            tile.steps.b[lane] = tile.extremes && !rng_.chance(50) ? 0x80 : rng_.code8();
        }
    }

    void issue(bool wanted)
    {
        dut_->step_valid_i = 0;
        shown_.push_back(Shown());
        if (!wanted) {
            return;
        }
        // A tile begins only in a cycle in which its only step could be its last.
        for (Tile &tile : tiles_) {
            if (tile.left == 0) {
                new_tile(tile);
            }
        }
        const unsigned bank = ready_bank();
        if (bank == BANKS) {
            return;
        }
        Tile &tile = tiles_[bank];
        Shown &shown = shown_.back();
        shown.valid = true;
        shown.bank = bank;
        shown.last = tile.left == 1;
        shown.flags = step(tile, shown.last);
        dut_->step_valid_i = 1;
        dut_->step_bank_i = static_cast<uint8_t>(bank);
        dut_->step_first_i = tile.first;
        dut_->step_last_i = shown.last;
        overlapped_ += shown.last && !tile.results.empty();
        tile.first = false;
        tile.left--;
        tile.issued = now_;
        if (shown.last) {
            tile.results.emplace_back();
            Results &results = tile.results.back();
            results.rows = tile.rows;
            results.cols = tile.cols;
            for (unsigned i = 0; i < ROWS * COLS; i++) {
                results.pattern[i / COLS][i % COLS] = tile.acc[i / COLS][i % COLS].pattern;
                if (kInteger) {
                    count_integer(tile.acc[i / COLS][i % COLS].acc);
                }
            }
        }
    }

    // Sets the operands of a step and takes it in the model; returns its flags.
    uint32_t step(Tile &tile, bool last)
    {
        uint8_t a[ROWS][LANES], b[COLS][LANES];
        for (unsigned i = 0; i < std::max<unsigned>(ROWS, COLS); i++) {
            operands(tile, i, last);
            if (kStatic) {
                take_bounds(tile, i, tile.steps.a, tile.steps.b);
            }
            if (i < ROWS) {
                std::memcpy(a[i], tile.steps.a, LANES);
            }
            if (i < COLS) {
                std::memcpy(b[i], tile.steps.b, LANES);
            }
        }
        const uint32_t lanes = lane_mask(tile.steps.n);
        std::memcpy(&dut_->a_code_i, a, sizeof a);
        std::memcpy(&dut_->b_code_i, b, sizeof b);
        dut_->step_cfg_i = static_cast<uint16_t>(tile.steps.config.bits());
        dut_->row_en_i = static_cast<uint8_t>(tile.rows);
        dut_->col_en_i = static_cast<uint8_t>(tile.cols);
        dut_->lane_en_i = static_cast<uint16_t>(lanes);
        set_bounds(tile);
        masked_ += tile.rows != (1u << ROWS) - 1 || tile.cols != (1u << COLS) - 1;
        uint32_t flags = 0;
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned c = 0; c < COLS; c++) {
                if ((tile.rows >> r & 1) && (tile.cols >> c & 1)) {
                    flags |= element(tile, r, c, a[r], b[c], lanes);
                }
            }
        }
        masked_specials_ += flags == 0 && meets_mask(tile, a, b, lanes);
        return flags;
    }

    // A special value in a row or column that is enabled, beside one that is not. A NaN raises its
    // flag where it is not masked, so with no flag at all it is an Inf.
    bool meets_mask(const Tile &tile, const uint8_t a[][LANES], const uint8_t b[][LANES],
                    uint32_t lanes) const
    {
        bool a_special = false, b_special = false;
        for (unsigned lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) == 0) {
                continue;
            }
            for (unsigned r = 0; r < ROWS; r++) {
                a_special |=
                    (tile.rows >> r & 1) != 0 && special(tile.steps.config.a_format, a[r][lane]);
            }
            for (unsigned c = 0; c < COLS; c++) {
                b_special |=
                    (tile.cols >> c & 1) != 0 && special(tile.steps.config.b_format, b[c][lane]);
            }
        }
        return (a_special && tile.cols != (1u << COLS) - 1) ||
               (b_special && tile.rows != (1u << ROWS) - 1);
    }
    static bool special(unsigned format, uint8_t code)
    {
        return !std::isfinite(tb::Codes::of(format).value[code]);
    }

    // n lanes: the first ones or, sometimes, any.
    uint32_t lane_mask(unsigned n)
    {
        uint32_t mask = (1u << n) - 1;
        if (n == LANES || rng_.chance(300)) {
            return mask;
        }
        mask = 1 + rng_.below((1u << LANES) - 1);
        gaps_ += (mask & (mask + 1)) != 0;
        return mask;
    }

    uint32_t element(Tile &tile, unsigned r, unsigned c, const uint8_t *a, const uint8_t *b,
                     uint32_t lanes)
    {
        const tb::StepConfig &config = tile.steps.config;
        Accumulator &acc = tile.acc[r][c];
        uint8_t x[LANES], y[LANES];
        unsigned n = 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) == 0) {
                continue;
            }
            x[n] = a[lane];
            y[n++] = b[lane];
        }
        if (kStatic) {
            count_bounds(tile.a_bound[r], tile.b_bound[c], config, x, y, n);
        }
        const uint32_t before = acc.pattern;
        const tb::Answer answer =
            acc.step(model_of(config, tile.a_bound[r], tile.b_bound[c]), x, y, n);
        events_.count(config, before, x, y, n, LANES, answer);
        return answer.flags;
    }

    void count_bounds(int a_bound, int b_bound, const tb::StepConfig &config, const uint8_t *a,
                      const uint8_t *b, unsigned n)
    {
        for (unsigned i = 0; i < n; i++) {
            const int x = exponent(config.a_format, a[i]), y = exponent(config.b_format, b[i]);
            if (x < 0 || y < 0) {
                continue;
            }
            cut_ += a_bound - x + b_bound - y > static_cast<int>(FRAC_BITS) + 1;
            met_ += x == a_bound && y == b_bound;
        }
    }

    // A result that is an integer: does FP32 hold it, and if not, is it half way between two that
    // it holds?
    void count_integer(const fp8mac_acc &acc)
    {
        const int64_t value =
            kInt8 ? static_cast<int32_t>(acc.code) : static_cast<int64_t>(acc.fixed_lo);
        const uint64_t magnitude = static_cast<uint64_t>(std::abs(value));
        uint64_t quantum = 1;
        while (magnitude / quantum >> 24 != 0) {
            quantum *= 2;
        }
        const uint64_t lost = magnitude % quantum;
        rounded_ += lost != 0;
        ties_ += lost != 0 && 2 * lost == quantum;
    }

    // Reads one row per cycle, in a random order. A bank is released with its last row or later.
    void read()
    {
        dut_->bank_release_i = 0;
        for (unsigned bank = 0; bank < BANKS; bank++) {
            Tile &tile = tiles_[bank];
            if (!tile.reading || tile.release != now_) {
                continue;
            }
            dut_->bank_release_i |= static_cast<uint8_t>(1u << bank);
            tile.reading = false;
            tile.results.pop_front();
            full_ &= ~(1u << bank);
        }
        if (rows_left_ == 0) {
            start_reading();
        }
        compare_row_ = rows_left_ != 0;
        if (!compare_row_) {
            return;
        }
        rows_left_--;
        row_ = (first_row_ + rows_left_) % ROWS;
        dut_->read_bank_i = static_cast<uint8_t>(read_bank_);
        dut_->read_row_i = static_cast<uint8_t>(row_);
    }

    void start_reading()
    {
        const unsigned bank = rng_.below(BANKS);
        Tile &tile = tiles_[bank];
        if (tile.reading || (full_ >> bank & 1) == 0 || rng_.chance(reader_delay_)) {
            return;
        }
        tile.reading = true;
        tile.release = now_ + ROWS - 1 + (rng_.coin() ? 0 : rng_.below(12));
        if (tile.release == now_) {
            tile.release++; // this cycle's releases are already decided
        }
        read_bank_ = bank;
        want_ = tile.results.front();
        first_row_ = rng_.below(ROWS);
        rows_left_ = ROWS;
        compared_++;
    }

    void clock()
    {
        dut_.tick();
        now_++;
        Shown shown;
        if (shown_.size() == kStages) {
            shown = shown_.front();
            shown_.pop_front();
        }
        if (shown.last) {
            full_ |= 1u << shown.bank;
        }
        bool busy = shown.valid;
        for (const Shown &s : shown_) {
            busy = busy || s.valid;
        }
        bench_.equal("flags", dut_->flags_o, shown.flags);
        bench_.equal("bank_full", dut_->bank_full_o, full_);
        bench_.equal("busy", dut_->busy_o, busy);
        if (compare_row_) {
            compare();
        }
    }

    void compare()
    {
        uint32_t got[COLS];
        std::memcpy(got, &dut_->read_data_o, sizeof got);
        if ((want_.rows >> row_ & 1) == 0) {
            return;
        }
        for (unsigned c = 0; c < COLS; c++) {
            if ((want_.cols >> c & 1) == 0) {
                continue;
            }
            bench_.equal("result", got[c], want_.pattern[row_][c], [&] {
                return tb::text("bank %u, row %u, column %u", read_bank_, row_, c);
            });
        }
    }

    tb::Bench &bench_;
    Dut &dut_;
    tb::Rng &rng_;
    std::vector<Tile> tiles_;
    std::deque<Shown> shown_;
    uint64_t now_ = 100;
    uint32_t full_ = 0;
    unsigned reader_delay_ = 0;
    unsigned read_bank_ = 0, first_row_ = 0, rows_left_ = 0, row_ = 0;
    Results want_;
    bool compare_row_ = false;
    tb::Events events_;
    uint64_t masked_ = 0, gaps_ = 0, overlapped_ = 0, compared_ = 0, long_ = 0,
             masked_specials_ = 0;
    uint64_t rounded_ = 0, ties_ = 0, cut_ = 0, met_ = 0;
};

// Steps in every cycle with random finite operands. Nothing is compared.
void measure(Dut &dut, tb::Rng &rng, unsigned cycles)
{
    dut->row_en_i = (1u << ROWS) - 1;
    dut->col_en_i = (1u << COLS) - 1;
    dut->lane_en_i = static_cast<uint16_t>((1u << LANES) - 1);
    dut->step_cfg_i = kFp16 ? 1u << 8 : 0;
    dut->step_last_i = 0;
    const uint64_t above_all = 040404040404040404040;
    drive_bounds(dut, above_all, above_all);
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
            dut->step_bank_i = static_cast<uint8_t>(cycle % BANKS);
            dut->step_first_i = cycle < BANKS;
            dut.tick();
        }
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%s: %.1f kcycles per CPU second\n", busy ? "a step in every cycle" : "idle",
                    cycles / seconds * 1e-3);
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    Dut dut(bench);
    dut.reset();
    if (bench.option("--speed") != nullptr) {
        measure(dut, rng, bench.number("--speed", 0));
        return 0;
    }
    ArrayTest test(bench, dut, rng);
    test.run(6000, 0, 0); // as fast as the array and its reader go
    test.run(6000, 200, 500);
    test.run(3000, 50, 950); // results wait: banks fill up
    test.report();
    std::printf("%" PRIu64 " cycles\n", dut.cycles());
    return bench.finish();
}
