// SPDX-License-Identifier: Apache-2.0
// The array in lockstep with the model. Random dot products run in every tile of the accumulator
// memory, their blocks interleaved, with bubbles, short and masked blocks, frozen cycles, and every
// format and accumulator that the elements have. Results, flags and busy_o are compared in every
// cycle. The build defines ROWS, COLS, LANES, TILES, ELEMENT_KIND, FRAC_BITS (0: no window) and MX
// (1: blocks have MX scales).
// `--speed N` runs N cycles idle and N cycles at full rate, and reports the simulation's rates.
#include <deque>

#include "array_model.h"
#include "array_speed.h"

namespace array
{

class ArrayTest
{
  public:
    ArrayTest(tb::Bench &bench, Dut &dut, tb::Rng &rng)
        : bench_(bench), dut_(dut), rng_(rng), tiles_(kTileMax, Tile(rng))
    {
        dut_.settle();
        const uint32_t parameters = dut_->parameters_o;
        bench_.equal("block", parameters >> 24, kBlock);
        share_ = parameters >> 16 & 0xff;
        loop_ = parameters >> 8 & 0xff;
        latency_ = parameters & 0xff;
        bench_.check("rows are shared", ROWS % share_ == 0 && share_ * LANES <= kBlock);
    }

    // `tiles` of them are in use: with few, blocks of one tile follow each other closely.
    void run(unsigned cycles, unsigned tiles, unsigned bubbles, unsigned freezes)
    {
        in_use_ = std::min(tiles, kTileMax);
        freezes_ = freezes;
        for (unsigned i = 0; i < cycles && !bench_.hopeless(); i++) {
            cycle(!rng_.chance(bubbles));
        }
        while ((block_.open || !shown_.empty()) && !bench_.hopeless()) {
            cycle(block_.open);
        }
        for (unsigned i = 0; i < 20; i++) {
            cycle(false);
        }
    }
    void report()
    {
        report_events();
        bench_.covered("block of a tile with absent rows or columns", masked_);
        if (kBlock > 1) {
            bench_.covered("block with a gap in its products", gaps_);
        }
        if (kBlock > LANES) {
            bench_.covered("block of one step", one_step_);
            bench_.covered("block of all steps", all_steps_);
            bench_.covered("cycle without a step inside a block", bubbles_inside_);
            bench_.covered("cycle frozen inside a block", frozen_inside_);
            bench_.covered("operands that are all zero", none_);
        }
        bench_.covered("result compared", compared_);
        bench_.covered("result that waits in frozen cycles", frozen_result_);
        bench_.covered("block as soon after its tile's as is possible", closest_);
        bench_.covered("block as soon after another as is possible", next_);
        bench_.covered("dot product of more than 100 blocks", long_);
        bench_.covered("dot product that others interrupt", interrupted_);
        bench_.covered("stopped clock", stopped_);
        if (kMx) {
            bench_.covered("FP32 result that is subnormal", subnormal_);
            bench_.covered("FP32 accumulator that is subnormal and takes a block", subnormal_acc_);
            bench_.covered("FP32 result -0", minus_zero_);
            bench_.covered("FP32 overflow", overflow_);
            bench_.covered("block's exponent below FP32's least subnormal number", far_below_);
            bench_.covered("block's exponent above FP32's largest number", far_above_);
            bench_.covered("scale that is a NaN", nan_scale_);
            bench_.covered("infinite operand with a scale that is a NaN", nan_scale_inf_);
        }
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
        bench_.covered("short block", kBlock == 1 || events_.hits[E::kShortStep]);
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
        bench_.covered("Inf - Inf", kBlock == 1 || events_.hits[E::kInfMinusInf]);
        // With many products an infinite accumulator hardly outlives the NaNs.
        if (kBlock < 8) {
            bench_.covered("Inf - Inf in acc", events_.hits[E::kInfMinusAcc]);
        }
        if (kInteger) {
            return;
        }
        bench_.covered("sum far below acc", events_.hits[E::kSumFarBelow]);
        if (!kFp16) {
            bench_.covered("acc far below sum", events_.hits[E::kAccFarBelow]);
        }
        if (!kFp16 && !kChoice) {
            return;
        }
        bench_.covered("overflow", events_.hits[E::kOverflow]);
        bench_.covered("subnormal result", events_.hits[E::kSubnormal16]);
        // With 10 bits below 2^-14 nothing is smaller than a subnormal's last place.
        if (FRAC_BITS > 10) {
            bench_.covered("result -0", events_.hits[E::kMinusZero]);
        }
    }

    // ---- dot products --------------------------------------------------------------------------

    void new_dot_product(Tile &tile)
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
        choose_scales(tile);
        take_config(tile);
        for (auto &row : tile.acc) {
            std::fill(std::begin(row), std::end(row), Accumulator());
        }
    }

    // The middle of the scales' exponents, A's and B's together: FP32's ends, or any.
    void choose_scales(Tile &tile)
    {
        tile.scales = kMx && !rng_.chance(200);
        tile.spread = rng_.range(0, rng_.chance(300) ? 254 : 12);
        switch (rng_.below(5)) {
        case 0: tile.centre = rng_.range(-160, -120); break;
        case 1: tile.centre = rng_.range(100, 135); break;
        case 2: tile.centre = rng_.range(-254, 254); break;
        default: tile.centre = rng_.range(-16, 16); break;
        }
    }
    uint8_t any_scale(const Tile &tile)
    {
        if (!tile.scales) {
            return kScaleOne;
        }
        if (rng_.chance(3)) {
            return kScaleNan;
        }
        const int scale =
            static_cast<int>(kScaleOne) + tile.centre / 2 + rng_.range(-tile.spread, tile.spread);
        return static_cast<uint8_t>(std::min(254, std::max(0, scale)));
    }
    void set_scales(const Tile &tile)
    {
        for (uint8_t &scale : block_.a_scale) {
            scale = any_scale(tile);
        }
        for (uint8_t &scale : block_.b_scale) {
            scale = any_scale(tile);
        }
    }

    // Reduces a block's configuration to what the elements support.
    void take_config(Tile &tile)
    {
        if (!kChoice) {
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
    // The largest exponent of a block's operands. Whether a NaN or an Inf counts makes no
    // difference.
    int bound_of(unsigned format, const uint8_t *codes, uint64_t lanes, bool specials)
    {
        int bound = -1;
        for (unsigned lane = 0; lane < kBlock; lane++) {
            if ((lanes >> lane & 1) == 0) {
                continue;
            }
            const bool special = !std::isfinite(tb::Codes::of(format).value[codes[lane]]);
            bound = std::max(bound, special && specials ? 32 : exponent(format, codes[lane]));
        }
        none_ += bound < 0;
        return bound < 0 ? kBoundNone : bound;
    }
    void set_bounds(const Tile &tile)
    {
        block_.a_bounds = rng_.next(); // other kinds do not look at them
        block_.b_bounds = rng_.next();
        if (kStatic) {
            block_.a_bounds = packed(tile.a_bound, ROWS);
            block_.b_bounds = packed(tile.b_bound, COLS);
        }
        if (kInfo.block != 0) {
            int a[ROWS], b[COLS];
            const bool specials = rng_.coin();
            const tb::StepConfig &config = tile.steps.config;
            for (unsigned r = 0; r < ROWS; r++) {
                a[r] = bound_of(config.a_format, block_.a[r], block_.lanes, specials);
            }
            for (unsigned c = 0; c < COLS; c++) {
                b[c] = bound_of(config.b_format, block_.b[c], block_.lanes, specials);
            }
            block_.a_bounds = packed(a, ROWS);
            block_.b_bounds = packed(b, COLS);
        }
    }

    void operands(Tile &tile, unsigned i, bool last)
    {
        const uint32_t acc = tile.acc[i % ROWS][i % COLS].pattern;
        i == 0 ? tile.steps.next(acc, !last && rng_.coin()) : tile.steps.fill(acc);
        if (i == 0) {
            take_config(tile);
        }
        if (kInfo.block != 0 && tile.extremes) {
            for (unsigned lane = 0; lane < kBlock; lane++) {
                tile.steps.a[lane] =
                    within(32, tile.steps.config.a_format, tile.steps.a[lane], true);
                tile.steps.b[lane] =
                    within(32, tile.steps.config.b_format, tile.steps.b[lane], true);
            }
        }
        if (kInfo.block != 0 && rng_.chance(30)) {
            std::memset(tile.steps.a, rng_.chance(500) ? 0x80 * (tile.config.a_format < 2) : 0,
                        kBlock);
        }
        if (!kInt8) {
            return;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            tile.steps.a[lane] = tile.extremes && !rng_.chance(50) ? 0x80 : rng_.code8();
            tile.steps.b[lane] = tile.extremes && !rng_.chance(50) ? 0x80 : rng_.code8();
        }
    }

    // ---- blocks --------------------------------------------------------------------------------

    // Begins a block: chooses its operands and adds it in the model.
    void begin(unsigned index)
    {
        Tile &tile = tiles_[index];
        if (tile.left == 0) {
            new_dot_product(tile);
        }
        block_ = Block();
        block_.open = true;
        block_.tile = index;
        block_.first = tile.first;
        block_.last = tile.left == 1;
        block_.meta = rng_.below(kMetas);
        for (unsigned i = 0; i < std::max<unsigned>(ROWS, COLS); i++) {
            operands(tile, i, block_.last);
            if (kStatic) {
                take_bounds(tile, i, tile.steps.a, tile.steps.b);
            }
            if (i < ROWS) {
                std::memcpy(block_.a[i], tile.steps.a, kBlock);
            }
            if (i < COLS) {
                std::memcpy(block_.b[i], tile.steps.b, kBlock);
            }
        }
        block_.lanes = lane_mask(tile.steps.n);
        unsigned steps = 1;
        while (steps * LANES < kBlock && block_.lanes >> steps * LANES != 0) {
            steps++;
        }
        block_.steps = rng_.chance(100) ? kBlock / LANES : steps; // the last ones may be empty
        one_step_ += block_.steps == 1;
        all_steps_ += block_.steps == kBlock / LANES;
        set_bounds(tile);
        set_scales(tile);
        add(tile);
        interrupted_ += !tile.first && last_tile_ != index;
        last_tile_ = index;
        tile.first = false;
        tile.left--;
    }

    void add(Tile &tile)
    {
        masked_ += tile.rows != (1u << ROWS) - 1 || tile.cols != (1u << COLS) - 1;
        uint32_t flags = 0;
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned c = 0; c < COLS; c++) {
                if ((tile.rows >> r & 1) && (tile.cols >> c & 1)) {
                    block_.flags[r] |= element(tile, r, c);
                }
            }
            flags |= block_.flags[r];
        }
        masked_specials_ += flags == 0 && meets_mask(tile);
    }

    // A special value in a row or column that is enabled, beside one that is not. A NaN raises its
    // flag where it is not masked, so with no flag at all it is an Inf.
    bool meets_mask(const Tile &tile) const
    {
        bool a_special = false, b_special = false;
        for (unsigned lane = 0; lane < kBlock; lane++) {
            if ((block_.lanes >> lane & 1) == 0) {
                continue;
            }
            for (unsigned r = 0; r < ROWS; r++) {
                a_special |= (tile.rows >> r & 1) != 0 &&
                             special(tile.steps.config.a_format, block_.a[r][lane]);
            }
            for (unsigned c = 0; c < COLS; c++) {
                b_special |= (tile.cols >> c & 1) != 0 &&
                             special(tile.steps.config.b_format, block_.b[c][lane]);
            }
        }
        return (a_special && tile.cols != (1u << COLS) - 1) ||
               (b_special && tile.rows != (1u << ROWS) - 1);
    }
    static bool special(unsigned format, uint8_t code)
    {
        return !std::isfinite(tb::Codes::of(format).value[code]);
    }

    // n products: the first ones or, sometimes, any.
    uint64_t lane_mask(unsigned n)
    {
        if (n == kBlock || rng_.chance(kBlock > LANES ? 700 : 300)) {
            return ~0ull >> (64 - n);
        }
        const uint64_t all = ~0ull >> (64 - kBlock);
        const uint64_t mask =
            kBlock > 32 ? 1 + rng_.next() % all : 1 + rng_.below(static_cast<uint32_t>(all));
        gaps_ += (mask & (mask + 1)) != 0;
        return mask;
    }

    uint32_t element(Tile &tile, unsigned r, unsigned c)
    {
        const tb::StepConfig &config = tile.steps.config;
        Accumulator &acc = tile.acc[r][c];
        uint8_t x[tb::kLanesMax], y[tb::kLanesMax];
        unsigned n = 0;
        for (unsigned lane = 0; lane < kBlock; lane++) {
            if ((block_.lanes >> lane & 1) == 0) {
                continue;
            }
            x[n] = block_.a[r][lane];
            y[n++] = block_.b[c][lane];
        }
        if (kStatic) {
            count_bounds(tile.a_bound[r], tile.b_bound[c], config, x, y, n);
        }
        const uint32_t before = acc.pattern;
        const uint8_t mx_a = block_.a_scale[r], mx_b = block_.b_scale[c];
        const tb::Answer answer =
            acc.step(model_of(config, tile.a_bound[r], tile.b_bound[c]), x, y, n, &mx_a, &mx_b);
        if (tile.scales) {
            count_scales(config, before, x, y, n, mx_a, mx_b, answer);
        } else {
            events_.count(config, before, x, y, n, kBlock, answer);
        }
        return answer.flags;
    }

    void count_scales(const tb::StepConfig &config, uint32_t before, const uint8_t *a,
                      const uint8_t *b, unsigned n, unsigned mx_a, unsigned mx_b,
                      const tb::Answer &answer)
    {
        const float result = tb::float_of(answer.result), acc = tb::float_of(before);
        int a_most = -1, b_most = -1;
        bool infinite = false;
        for (unsigned i = 0; i < n; i++) {
            a_most = std::max(a_most, exponent(config.a_format, a[i]));
            b_most = std::max(b_most, exponent(config.b_format, b[i]));
            infinite |= std::isinf(tb::Codes::of(config.a_format).value[a[i]]) ||
                        std::isinf(tb::Codes::of(config.b_format).value[b[i]]);
        }
        const bool nan = mx_a == kScaleNan || mx_b == kScaleNan;
        nan_scale_ += nan;
        nan_scale_inf_ += nan && infinite;
        if (nan || config.fp16) {
            return;
        }
        if ((answer.flags & FP8MAC_FLAG_OVERFLOW) == 0) { // that event is FP16's
            tb::StepConfig scaled = config;
            scaled.scale_a += static_cast<int>(mx_a - kScaleOne);
            scaled.scale_b += static_cast<int>(mx_b - kScaleOne);
            events_.count(scaled, before, a, b, n, kBlock, answer);
        }
        if (a_most < 0 || b_most < 0) {
            return;
        }
        const int block = a_most + b_most - 2 * kBoundBias - fnuz(config.a_format) -
                          fnuz(config.b_format) + config.scale_a + config.scale_b +
                          static_cast<int>(mx_a + mx_b) - 2 * static_cast<int>(kScaleOne);
        far_below_ += block < -149;
        far_above_ += block > 127;
        subnormal_ += std::fpclassify(result) == FP_SUBNORMAL;
        subnormal_acc_ += std::fpclassify(acc) == FP_SUBNORMAL;
        minus_zero_ += answer.result == 0x80000000u;
        overflow_ += (answer.flags & FP8MAC_FLAG_OVERFLOW) != 0;
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

    // ---- cycles --------------------------------------------------------------------------------

    // One cycle of the array, with a step if one is wanted and allowed, after any number of frozen
    // cycles.
    void cycle(bool wanted)
    {
        const bool in_flight = busy();
        while (rng_.chance(freezes_)) {
            freeze();
        }
        dut_->advance_i = 1;
        const bool stepped = wanted ? issue() : no_step();
        dut_.settle();
        const Shown shown = take_shown();
        bench_.equal("flags", dut_->flags_o, shown.flags);
        bench_.equal("busy", dut_->busy_o, in_flight);
        bench_.equal("result_valid", dut_->result_valid_o, shown.results);
        if (shown.results) {
            compare(shown);
        }
        tick(stepped || in_flight);
        now_++;
    }

    // A frozen cycle: whatever is at the inputs, nothing happens.
    void freeze()
    {
        dut_->advance_i = 0;
        drive_anything();
        dut_.settle();
        bench_.equal("flags while frozen", dut_->flags_o, 0);
        const bool results =
            !shown_.empty() && shown_.front().first == now_ && shown_.front().second.results;
        bench_.equal("result_valid while frozen", dut_->result_valid_o, results);
        if (results) {
            compare(shown_.front().second);
            frozen_result_++;
        }
        frozen_inside_ += block_.open && block_.step != 0;
        tick(false);
    }

    // The array's clock rises if it should.
    void tick(bool advances)
    {
        dut_.tick();
        bench_.equal("clock", dut_->running_o, advances);
        stopped_ += !advances && dut_->advance_i;
    }

    bool busy() const
    {
        return !shown_.empty() && shown_.front().first < now_ + latency_;
    }

    Shown take_shown()
    {
        Shown shown;
        if (!shown_.empty() && shown_.front().first == now_) {
            shown = shown_.front().second;
            shown_.pop_front();
        }
        return shown;
    }

    bool no_step()
    {
        drive_anything();
        dut_->step_valid_i = 0;
        bubbles_inside_ += block_.open && block_.step != 0;
        return false;
    }

    bool issue()
    {
        if (!block_.open) {
            begin(rng_.below(in_use_));
        }
        const Tile &tile = tiles_[block_.tile];
        const bool last = block_.step + 1 == block_.steps;
        const uint64_t since = now_ - tile.issued, since_any = now_ - issued_;
        if (last && (since_any < share_ || (!block_.first && since < loop_))) {
            return no_step();
        }
        drive(tile, last);
        block_.step++;
        if (last) {
            closest_ += !block_.first && since == loop_;
            next_ += since_any == share_;
            finish(tiles_[block_.tile]);
        }
        return true;
    }

    void drive(const Tile &tile, bool last)
    {
        uint8_t a[ROWS][LANES], b[COLS][LANES];
        for (unsigned r = 0; r < ROWS; r++) {
            std::memcpy(a[r], block_.a[r] + block_.step * LANES, LANES);
        }
        for (unsigned c = 0; c < COLS; c++) {
            std::memcpy(b[c], block_.b[c] + block_.step * LANES, LANES);
        }
        std::memcpy(&dut_->a_code_i, a, sizeof a);
        std::memcpy(&dut_->b_code_i, b, sizeof b);
        dut_->step_valid_i = 1;
        dut_->step_tile_i = static_cast<uint8_t>(block_.tile);
        dut_->block_first_i = block_.step == 0;
        dut_->block_last_i = last;
        dut_->acc_first_i = block_.first;
        dut_->acc_last_i = block_.last;
        dut_->step_cfg_i = static_cast<uint16_t>(tile.steps.config.bits());
        dut_->row_en_i = static_cast<uint8_t>(tile.rows);
        dut_->col_en_i = static_cast<uint8_t>(tile.cols);
        dut_->lane_en_i = static_cast<decltype(Varray_tb::lane_en_i + 0)>(
            block_.lanes >> block_.step * LANES & ((1ull << LANES) - 1));
        dut_->meta_i = block_.meta;
        drive_bounds(dut_, block_.a_bounds, block_.b_bounds);
        std::memcpy(&dut_->a_scale_i, block_.a_scale, sizeof block_.a_scale);
        std::memcpy(&dut_->b_scale_i, block_.b_scale, sizeof block_.b_scale);
    }

    void drive_anything()
    {
        dut_->step_valid_i = rng_.coin();
        dut_->step_tile_i = static_cast<uint8_t>(rng_.below(kTileMax));
        dut_->block_first_i = rng_.coin();
        dut_->block_last_i = rng_.coin();
        dut_->acc_first_i = rng_.coin();
        dut_->acc_last_i = rng_.coin();
        dut_->meta_i = rng_.below(kMetas);
        uint8_t *a = reinterpret_cast<uint8_t *>(&dut_->a_code_i);
        for (unsigned i = 0; i < ROWS * LANES; i++) {
            a[i] = rng_.code8();
        }
        drive_bounds(dut_, rng_.next(), rng_.next());
        uint8_t *scale = reinterpret_cast<uint8_t *>(&dut_->a_scale_i);
        for (unsigned i = 0; i < ROWS; i++) {
            scale[i] = rng_.code8();
        }
    }

    // The block is issued: its phases will be shown.
    void finish(Tile &tile)
    {
        for (unsigned phase = 0; phase < share_; phase++) {
            Shown shown;
            shown.valid = true;
            shown.results = block_.last;
            shown.tile = block_.tile;
            shown.phase = phase;
            shown.meta = block_.meta;
            shown.rows = tile.rows;
            shown.cols = tile.cols;
            for (unsigned r = phase; r < ROWS; r += share_) {
                shown.flags |= block_.flags[r];
            }
            for (unsigned i = 0; block_.last && i < ROWS * COLS; i++) {
                shown.pattern[i / COLS][i % COLS] = tile.acc[i / COLS][i % COLS].pattern;
                if (kInteger) {
                    count_integer(tile.acc[i / COLS][i % COLS].acc);
                }
            }
            shown_.emplace_back(now_ + latency_ + phase, shown);
        }
        tile.issued = issued_ = now_;
        block_.open = false;
    }

    void compare(const Shown &want)
    {
        uint32_t got[ROWS][COLS];
        std::memcpy(got, &dut_->result_o, sizeof got / share_);
        bench_.equal("phase", dut_->result_phase_o, want.phase);
        bench_.equal("meta", dut_->result_meta_o, want.meta);
        for (unsigned r = want.phase; r < ROWS; r += share_) {
            for (unsigned c = 0; c < COLS; c++) {
                if ((want.rows >> r & 1) == 0 || (want.cols >> c & 1) == 0) {
                    continue;
                }
                compared_++;
                bench_.equal("result", got[r / share_][c], want.pattern[r][c], [&] {
                    return tb::text("tile %u, row %u, column %u", want.tile, r, c);
                });
            }
        }
    }

    tb::Bench &bench_;
    Dut &dut_;
    tb::Rng &rng_;
    unsigned share_ = 1, loop_ = 1, latency_ = 1;
    std::vector<Tile> tiles_;
    Block block_;
    std::deque<std::pair<uint64_t, Shown>> shown_; // in the order of their cycles
    uint64_t now_ = 1000;                          // cycles that were not frozen
    uint64_t issued_ = 0;
    unsigned in_use_ = kTileMax, freezes_ = 0, last_tile_ = 0;
    tb::Events events_;
    uint64_t masked_ = 0, gaps_ = 0, compared_ = 0, long_ = 0, masked_specials_ = 0;
    uint64_t one_step_ = 0, all_steps_ = 0, bubbles_inside_ = 0, frozen_inside_ = 0,
             frozen_result_ = 0, closest_ = 0, next_ = 0, interrupted_ = 0, stopped_ = 0, none_ = 0;
    uint64_t rounded_ = 0, ties_ = 0, cut_ = 0, met_ = 0;
    uint64_t subnormal_ = 0, subnormal_acc_ = 0, minus_zero_ = 0, overflow_ = 0, far_below_ = 0,
             far_above_ = 0, nan_scale_ = 0, nan_scale_inf_ = 0;
};

} // namespace array

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    array::Dut dut(bench);
    dut.reset();
    if (bench.option("--speed") != nullptr) {
        array::measure(dut, rng, bench.number("--speed", 0));
        return 0;
    }
    array::ArrayTest test(bench, dut, rng);
    test.run(12000, TILES, 0, 0); // as fast as the array goes
    test.run(6000, 1, 0, 50);     // a single tile waits for its own results
    test.run(6000, 2, 20, 100);
    test.run(8000, TILES, 300, 300);
    test.run(1500, 3, 930, 100); // mostly idle
    test.report();
    std::printf("%" PRIu64 " cycles\n", dut.cycles());
    return bench.finish();
}
