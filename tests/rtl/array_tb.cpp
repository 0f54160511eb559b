// SPDX-License-Identifier: Apache-2.0
// The array in lockstep with the model: random tiles in every slot, with bubbles, masks, short and masked steps, both
// accumulators, a reader that takes its time, and every cycle's flags, slot_full_o and busy_o.
// ROWS, COLS, LANES, SLOTS_M and SLOTS_N are defined by the build.
// `--speed N` runs N cycles idle and N cycles at full rate, and reports the simulation's rates.
#include <ctime>
#include <deque>

#include "Vfp8mac_array.h"
#include "dot_steps.h"

namespace {

constexpr unsigned SLOTS = SLOTS_M * SLOTS_N;
constexpr unsigned kStages = 7; // ArrayStages
constexpr unsigned kLoop = 3;   // LoopCycles

using Dut = tb::Clocked<Vfp8mac_array>;

// What a finished tile leaves in its slot.
struct Results {
    uint32_t rows = 0, cols = 0;      // enabled
    uint32_t pattern[ROWS][COLS] = {}; // FP32
};

// One slot: the tile that is stepping, and the results of those before it.
struct Tile {
    explicit Tile(tb::Rng &rng) : steps(rng, LANES) {}
    tb::Steps steps;
    tb::Accumulator acc[ROWS][COLS];
    uint32_t rows = 0, cols = 0; // enabled
    unsigned left = 0;           // steps to issue
    uint64_t issued = 0;         // cycle of the last one
    bool first = false;
    std::deque<Results> results; // finished, not yet released
    bool reading = false;
    uint64_t release = 0;        // cycle, while reading
};

class ArrayTest {
  public:
    ArrayTest(tb::Bench &bench, Dut &dut, tb::Rng &rng)
        : bench_(bench), dut_(dut), rng_(rng), tiles_(SLOTS, Tile(rng)) {}

    void run(unsigned cycles, unsigned bubbles, unsigned reader_delay) {
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
    void report() {
        events_.report(bench_, "random", LANES, tb::Events::kSumFarBelow);
        bench_.covered("step of a tile with absent rows or columns", masked_);
        if (LANES > 1) bench_.covered("step with a gap in its lanes", gaps_);
        bench_.covered("last step issued while the slot was being read", overlapped_);
        bench_.covered("tile's results compared", compared_);
    }

  private:
    struct Shown {
        uint32_t flags = 0;
        bool valid = false, last = false;
        unsigned slot = 0;
    };

    bool idle() const {
        for (const Tile &tile : tiles_) {
            if (!tile.results.empty()) return false;
        }
        return true;
    }

    // A slot that may step now; SLOTS if there is none.
    unsigned ready_slot() {
        const unsigned start = rng_.below(SLOTS);
        for (unsigned i = 0; i < SLOTS; i++) {
            const unsigned slot = (start + i) % SLOTS;
            const Tile &tile = tiles_[slot];
            const bool free = tile.results.empty() ||
                              (tile.results.size() == 1 && tile.reading && tile.release < now_ + kStages);
            if (now_ - tile.issued >= kLoop && (tile.left != 1 || free)) return slot;
        }
        return SLOTS;
    }

    void new_tile(Tile &tile) {
        tile.left = 1 + rng_.below(6);
        tile.first = true;
        tile.rows = (1u << ROWS) - 1;
        tile.cols = (1u << COLS) - 1;
        if (rng_.chance(300)) tile.rows = 1 + rng_.below((1u << ROWS) - 1);
        if (rng_.chance(300)) tile.cols = 1 + rng_.below((1u << COLS) - 1);
        tile.steps.new_chain();
        for (auto &row : tile.acc) std::fill(std::begin(row), std::end(row), tb::Accumulator());
    }

    void issue(bool wanted) {
        dut_->step_valid_i = 0;
        shown_.push_back(Shown());
        if (!wanted) return;
        // A tile begins only in a cycle in which its only step could be its last.
        for (Tile &tile : tiles_) {
            if (tile.left == 0) new_tile(tile);
        }
        const unsigned slot = ready_slot();
        if (slot == SLOTS) return;
        Tile &tile = tiles_[slot];
        Shown &shown = shown_.back();
        shown.valid = true;
        shown.slot = slot;
        shown.last = tile.left == 1;
        shown.flags = step(tile, shown.last);
        dut_->step_valid_i = 1;
        dut_->step_slot_i = static_cast<uint8_t>(slot);
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
            }
        }
    }

    // Sets the operands of a step and takes it in the model; returns its flags.
    uint32_t step(Tile &tile, bool last) {
        uint8_t a[ROWS][LANES], b[COLS][LANES];
        for (unsigned i = 0; i < std::max<unsigned>(ROWS, COLS); i++) {
            const uint32_t acc = tile.acc[i % ROWS][i % COLS].pattern;
            i == 0 ? tile.steps.next(acc, !last) : tile.steps.fill(acc);
            if (i < ROWS) std::memcpy(a[i], tile.steps.a, LANES);
            if (i < COLS) std::memcpy(b[i], tile.steps.b, LANES);
        }
        const uint32_t lanes = lane_mask(tile.steps.n);
        std::memcpy(&dut_->a_code_i, a, sizeof a);
        std::memcpy(&dut_->b_code_i, b, sizeof b);
        dut_->step_cfg_i = static_cast<uint16_t>(tile.steps.config.bits());
        dut_->row_en_i = static_cast<uint8_t>(tile.rows);
        dut_->col_en_i = static_cast<uint8_t>(tile.cols);
        dut_->lane_en_i = static_cast<uint16_t>(lanes);
        masked_ += tile.rows != (1u << ROWS) - 1 || tile.cols != (1u << COLS) - 1;
        uint32_t flags = 0;
        for (unsigned r = 0; r < ROWS; r++) {
            for (unsigned c = 0; c < COLS; c++) {
                if ((tile.rows >> r & 1) && (tile.cols >> c & 1)) {
                    flags |= element(tile.steps.config, tile.acc[r][c], a[r], b[c], lanes);
                }
            }
        }
        return flags;
    }

    // n lanes: the first ones or, sometimes, any.
    uint32_t lane_mask(unsigned n) {
        uint32_t mask = (1u << n) - 1;
        if (n == LANES || rng_.chance(300)) return mask;
        mask = 1 + rng_.below((1u << LANES) - 1);
        gaps_ += (mask & (mask + 1)) != 0;
        return mask;
    }

    uint32_t element(const tb::StepConfig &config, tb::Accumulator &acc, const uint8_t *a, const uint8_t *b,
                     uint32_t lanes) {
        uint8_t x[LANES], y[LANES];
        unsigned n = 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) == 0) continue;
            x[n] = a[lane];
            y[n++] = b[lane];
        }
        const uint32_t before = acc.pattern;
        const tb::Answer answer = acc.step(config, LANES, x, y, n);
        events_.count(config, before, x, y, n, LANES, answer);
        return answer.flags;
    }

    // One row per cycle, in an order of its own; a slot is released with its last row or later.
    void read() {
        dut_->slot_release_i = 0;
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            Tile &tile = tiles_[slot];
            if (!tile.reading || tile.release != now_) continue;
            dut_->slot_release_i |= static_cast<uint8_t>(1u << slot);
            tile.reading = false;
            tile.results.pop_front();
            full_ &= ~(1u << slot);
        }
        if (rows_left_ == 0) start_reading();
        compare_row_ = rows_left_ != 0;
        if (!compare_row_) return;
        rows_left_--;
        row_ = (first_row_ + rows_left_) % ROWS;
        dut_->read_slot_i = static_cast<uint8_t>(read_slot_);
        dut_->read_row_i = static_cast<uint8_t>(row_);
    }

    void start_reading() {
        const unsigned slot = rng_.below(SLOTS);
        Tile &tile = tiles_[slot];
        if (tile.reading || (full_ >> slot & 1) == 0 || rng_.chance(reader_delay_)) return;
        tile.reading = true;
        tile.release = now_ + ROWS - 1 + (rng_.coin() ? 0 : rng_.below(12));
        if (tile.release == now_) tile.release++; // this cycle's releases are already decided
        read_slot_ = slot;
        want_ = tile.results.front();
        first_row_ = rng_.below(ROWS);
        rows_left_ = ROWS;
        compared_++;
    }

    void clock() {
        dut_.tick();
        now_++;
        Shown shown;
        if (shown_.size() == kStages) {
            shown = shown_.front();
            shown_.pop_front();
        }
        if (shown.last) full_ |= 1u << shown.slot;
        bool busy = shown.valid;
        for (const Shown &s : shown_) busy = busy || s.valid;
        bench_.equal("flags", dut_->flags_o, shown.flags);
        bench_.equal("slot_full", dut_->slot_full_o, full_);
        bench_.equal("busy", dut_->busy_o, busy);
        if (compare_row_) compare();
    }

    void compare() {
        uint32_t got[COLS];
        std::memcpy(got, &dut_->read_data_o, sizeof got);
        if ((want_.rows >> row_ & 1) == 0) return;
        for (unsigned c = 0; c < COLS; c++) {
            if ((want_.cols >> c & 1) == 0) continue;
            bench_.equal("result", got[c], want_.pattern[row_][c],
                         [&] { return tb::text("slot %u, row %u, column %u", read_slot_, row_, c); });
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
    unsigned read_slot_ = 0, first_row_ = 0, rows_left_ = 0, row_ = 0;
    Results want_;
    bool compare_row_ = false;
    tb::Events events_;
    uint64_t masked_ = 0, gaps_ = 0, overlapped_ = 0, compared_ = 0;
};

// Steps in every cycle, random finite operands; nothing is compared.
void measure(Dut &dut, tb::Rng &rng, unsigned cycles) {
    dut->row_en_i = (1u << ROWS) - 1;
    dut->col_en_i = (1u << COLS) - 1;
    dut->lane_en_i = static_cast<uint16_t>((1u << LANES) - 1);
    dut->step_cfg_i = 0;
    dut->step_last_i = 0;
    for (unsigned busy = 0; busy < 2; busy++) {
        const std::clock_t start = std::clock();
        for (unsigned cycle = 0; cycle < cycles; cycle++) {
            uint8_t *a = reinterpret_cast<uint8_t *>(&dut->a_code_i), *b = reinterpret_cast<uint8_t *>(&dut->b_code_i);
            for (unsigned i = 0; i < ROWS * LANES; i++) a[i] = rng.code8() & 0xbf;
            for (unsigned i = 0; i < COLS * LANES; i++) b[i] = rng.code8() & 0xbf;
            dut->step_valid_i = static_cast<uint8_t>(busy);
            dut->step_slot_i = static_cast<uint8_t>(cycle % SLOTS);
            dut->step_first_i = cycle < SLOTS;
            dut.tick();
        }
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%s: %.1f kcycles per CPU second\n", busy ? "a step in every cycle" : "idle",
                    cycles / seconds * 1e-3);
    }
}

} // namespace

int main(int argc, char **argv) {
    tb::Bench bench(argc, argv);
    tb::Rng rng(bench.seed());
    Dut dut(bench);
    dut.reset();
    for (int i = 1; i + 1 < argc; i++) {
        if (std::strcmp(argv[i], "--speed") == 0) {
            measure(dut, rng, static_cast<unsigned>(std::atoi(argv[i + 1])));
            return 0;
        }
    }
    ArrayTest test(bench, dut, rng);
    test.run(6000, 0, 0);       // as fast as the array and its reader go
    test.run(6000, 200, 500);
    test.run(3000, 50, 950);    // results wait: slots fill up
    test.report();
    std::printf("%" PRIu64 " cycles\n", dut.cycles());
    return bench.finish();
}
