// SPDX-License-Identifier: Apache-2.0
// The library's division of a command into tile commands, and its check of them (fp8mac/tiles.h),
// against the RTL's, which is its oracle (fp8mac_cmd_walk, fp8mac_cmd_check): the same tile commands
// in the same order, and the same verdict on each, for random commands, legal and not. Of legal
// commands, the memory that the library names (fp8mac/command.h) is that of the RTL's tile commands.
#include <algorithm>
#include <cinttypes>

#include "Vcommand_tb.h"
#include "accel_element.h"
#include "command_random.h"

namespace
{

constexpr unsigned kBeat = AXI_DATA_W / 8;
constexpr unsigned kMostTiles = 40; // a command is dropped behind them
constexpr unsigned kPatience = 2000;
constexpr uint32_t kAllFunctions =
    FP8MAC_FUNCTION_C | FP8MAC_FUNCTION_ELEMENTWISE | FP8MAC_FUNCTION_STOCHASTIC |
    FP8MAC_FUNCTION_TABLES | FP8MAC_FUNCTION_CONV_A | FP8MAC_FUNCTION_MX | FP8MAC_FUNCTION_INT8 |
    FP8MAC_FUNCTION_ROWS | FP8MAC_FUNCTION_REQUANTISE | FP8MAC_FUNCTION_DEPTHWISE;
constexpr unsigned kErrors = FP8MAC_COMMAND_ERROR_SEQUENCE + 1;
constexpr const char *kErrorNames[kErrors] = {"legal", "shape",     "align", "range",
                                              "mode",  "scale_exp", "scale", "sequence"};

// `rows`: it has row commands, which depends on the width of the epilogue.
uint32_t functions(bool rows)
{
    const accel::Functions &f = accel::kFunctions;
    uint32_t all = FP8MAC_FUNCTION_INT8;
    const auto add = [&all](bool there, uint32_t function) { all |= there ? function : 0; };
    add(f.c, FP8MAC_FUNCTION_C);
    add(f.elementwise, FP8MAC_FUNCTION_ELEMENTWISE);
    add(f.stochastic, FP8MAC_FUNCTION_STOCHASTIC);
    add(f.tables, FP8MAC_FUNCTION_TABLES);
    add(f.images, FP8MAC_FUNCTION_CONV_A);
    add(accel::kElement.mx, FP8MAC_FUNCTION_MX);
    add(rows, FP8MAC_FUNCTION_ROWS);
    add(accel::kRequantise, FP8MAC_FUNCTION_REQUANTISE);
    add(f.depthwise, FP8MAC_FUNCTION_DEPTHWISE);
    return all;
}

fp8mac_caps caps_of_build(bool rows)
{
    const accel::Element &e = accel::kElement;
    fp8mac_caps caps{};
    caps.rows = ROWS, caps.cols = COLS, caps.lanes = LANES, caps.beat_bytes = kBeat;
    caps.block = static_cast<uint16_t>(e.block);
    caps.pass_tiles = 4, caps.acc_tiles = TILES, caps.queue_depth = 8;
    caps.records = accel::kFunctions.records ? 8 : 0;
    caps.buf_beats = 256, caps.max_mn = MAX_MN;
    caps.functions = functions(rows);
    caps.element.kind = e.kind;
    caps.element.accumulators =
        static_cast<uint8_t>(fp8mac_element_find(ELEMENT_KIND)->accumulators);
    caps.element.e5m2 = e.e5m2, caps.element.narrow = e.narrow, caps.element.int8 = e.int8;
    caps.element.terms_log2 = static_cast<uint8_t>(e.terms_log2);
    return caps;
}

// What the tile commands of a command reach: the first byte, and the one behind the last
struct Extent {
    uint64_t first = UINT64_MAX, end = 0, bytes = 0;
    void add(uint64_t address, uint32_t rows, uint32_t stride, uint64_t row_bytes)
    {
        first = std::min(first, address);
        end = std::max(end, address + uint64_t(rows - 1) * stride + row_bytes);
        bytes += rows * row_bytes;
    }
};

// Of functions_t: records, depthwise, requantise, mx, rows, int8, conv_a, ..., c
unsigned functions_of(tb::Clocked<Vcommand_tb> &dut)
{
    dut.settle();
    return dut->functions_o;
}

class Test
{
  public:
    Test(tb::Bench &bench, tb::Clocked<Vcommand_tb> &dut)
        : bench_(bench), dut_(dut), rng_(bench.seed()),
          caps_(caps_of_build(functions_of(dut) >> 6 & 1)), random_(rng_, caps_)
    {
        dut_->valid_i = 0;
        dut_->ready_i = 0;
        dut_->abort_i = 0;
        dut_->clear_i = 0;
        dut_->tables_loaded_i = 0;
        dut_.reset();
        const uint32_t f = caps_.functions;
        const auto bit = [f](uint32_t function) { return (f & function) != 0 ? 1u : 0u; };
        bench_.equal("functions", functions_of(dut_),
                     (caps_.records ? 1u : 0u) << 10 | bit(FP8MAC_FUNCTION_DEPTHWISE) << 9 |
                         bit(FP8MAC_FUNCTION_REQUANTISE) << 8 | bit(FP8MAC_FUNCTION_MX) << 7 |
                         bit(FP8MAC_FUNCTION_ROWS) << 6 | bit(FP8MAC_FUNCTION_INT8) << 5 |
                         bit(FP8MAC_FUNCTION_CONV_A) << 4 | bit(FP8MAC_FUNCTION_TABLES) << 3 |
                         bit(FP8MAC_FUNCTION_STOCHASTIC) << 2 |
                         bit(FP8MAC_FUNCTION_ELEMENTWISE) << 1 | bit(FP8MAC_FUNCTION_C));
    }

    void run(unsigned commands)
    {
        for (unsigned i = 0; i < commands && !bench_.hopeless(); i++) {
            kind_ = random_.kind();
            command_ = random_.legal(kind_);
            const unsigned spoils = rng_.below(5);
            for (unsigned s = 0; s + 1 < spoils; s++) {
                random_.spoil(command_);
            }
            if (rng_.below(32) == 0) {
                tables_ = rng_.below(8) ? 3 : rng_.below(4);
            }
            one();
        }
        report();
    }

  private:
    tb::Bench &bench_;
    tb::Clocked<Vcommand_tb> &dut_;
    tb::Rng rng_;
    const fp8mac_caps caps_;
    command::Random random_;

    unsigned kind_ = 0;
    fp8mac_command command_{};
    fp8mac_left left_{};
    uint32_t tables_ = 3;
    Extent extents_[FP8MAC_TILE_REGIONS];

    uint64_t counts_[command::kKinds][kErrors] = {};
    uint64_t absent_ = 0, tiles_ = 0, dropped_ = 0, reuses_a_ = 0, reuses_b_ = 0, continues_ = 0,
             keeps_ = 0, backwards_ = 0, within_ = 0, regions_ = 0, steps_[16] = {},
             shapes_[4] = {}, seconds_ = 0, later_ = 0;

    template <typename Got, typename Want>
    void same(const char *what, Got got, Want want)
    {
        bench_.equal(what, static_cast<uint64_t>(got), static_cast<uint64_t>(want), [this] {
            std::string words = tb::text("%s, tables %u:", command::kKindNames[kind_], tables_);
            uint32_t w[FP8MAC_COMMAND_WORDS_MOST] = {};
            const unsigned count = fp8mac_words_of_command(&command_, w);
            for (unsigned i = 0; i < count; i++) {
                words += tb::text(" %x", w[i]);
            }
            return words;
        });
    }

    void tick()
    {
        dut_.tick();
    }
    void drop()
    {
        dut_->abort_i = 1;
        dut_->clear_i = 1;
        tick();
        dut_->abort_i = 0;
        dut_->clear_i = 0;
        left_ = fp8mac_left{};
    }

    void one()
    {
        uint32_t words[FP8MAC_COMMAND_WORDS_MOST];
        for (uint32_t &word : words) {
            word = static_cast<uint32_t>(rng_.next()); // without the extension, its words are any
        }
        const unsigned count = fp8mac_words_of_command(&command_, words);
        std::copy(words, words + FP8MAC_COMMAND_WORDS_MOST, &dut_->words_i[0]);
        const fp8mac_command c = fp8mac_command_of_words(words);
        uint32_t again[FP8MAC_COMMAND_WORDS_MOST];
        same("words", fp8mac_words_of_command(&c, again), count);
        same("the words of the command of words", std::equal(words, words + count, again), true);
        dut_->tables_loaded_i = static_cast<uint8_t>(tables_);
        dut_->valid_i = 1;
        dut_.settle();
        same("ready for a command", dut_->ready_o, 1);
        tick();
        dut_->valid_i = 0;
        const bool whole = rng_.below(8) == 0; // all at once must give the same
        fp8mac_left left = left_;
        const fp8mac_command_error first = tile_by_tile(c);
        if (first == FP8MAC_COMMAND_ERROR_DROPPED) {
            dropped_++;
            drop();
            return;
        }
        counts_[kind_][first]++;
        if (whole) {
            same("the check of all tile commands", fp8mac_command_check(&caps_, &c, tables_, &left),
                 first);
        }
        if (first != FP8MAC_COMMAND_ERROR_NONE) {
            drop();
        } else {
            memory(c);
        }
    }

    // The first error; FP8MAC_COMMAND_ERROR_DROPPED: there are too many tile commands.
    fp8mac_command_error tile_by_tile(const fp8mac_command &c)
    {
        std::fill(std::begin(extents_), std::end(extents_), Extent{});
        const fp8mac_command_error absent = fp8mac_command_absent(&caps_, &c);
        absent_ += absent != FP8MAC_COMMAND_ERROR_NONE;
        fp8mac_walk walk;
        fp8mac_walk_begin(&walk, &caps_, &c);
        for (unsigned i = 0; i < kMostTiles; i++) {
            fp8mac_tile tile;
            fp8mac_walk_next(&walk, &tile);
            fp8mac_command_error error = absent;
            if (error == FP8MAC_COMMAND_ERROR_NONE) {
                error = fp8mac_tile_check(&caps_, &c, tables_, &left_, &tile);
            }
            if (!checked_tile()) {
                return FP8MAC_COMMAND_ERROR_DROPPED;
            }
            tiles_++;
            same("error", dut_->error_o, error);
            if (absent == FP8MAC_COMMAND_ERROR_NONE) {
                compare(c, tile);
            }
            if (error == FP8MAC_COMMAND_ERROR_NONE && dut_->error_o == 0) {
                compare_legal(c, tile);
                later_ += i != 0;
            }
            if (error == FP8MAC_COMMAND_ERROR_NONE && rng_.below(16) == 0) {
                for (unsigned wait = rng_.below(40); wait > 0; wait--) {
                    tick(); // the walk waits, and nothing changes
                }
            }
            dut_->ready_i = 1;
            tick();
            dut_->ready_i = 0;
            if (error != FP8MAC_COMMAND_ERROR_NONE || dut_->error_o != 0 || tile.last) {
                return error;
            }
        }
        return FP8MAC_COMMAND_ERROR_DROPPED;
    }

    bool checked_tile()
    {
        for (unsigned wait = 0; !dut_->valid_o; wait++) {
            if (wait == kPatience) {
                same("a tile command comes", false, true);
                return false;
            }
            tick();
        }
        return true;
    }

    void compare(const fp8mac_command &c, const fp8mac_tile &t)
    {
        same("m", dut_->m_o, t.m);
        same("n", dut_->n_o, t.n);
        same("k", dut_->k_o, t.k);
        same("first", dut_->first_o, t.first);
        same("last", dut_->last_o, t.last);
        same("range", dut_->range_bad_o, t.range_bad);
        same("sequence", dut_->sequence_bad_o, t.sequence_bad);
        same("reuse of A", dut_->reuse_a_o, t.reuse_a);
        same("reuse of B", dut_->reuse_b_o, t.reuse_b);
        same("acc_continue", dut_->acc_continue_o, t.acc_continue);
        same("acc_keep", dut_->acc_keep_o, t.acc_keep);
        same("first_m", dut_->first_m_o, t.first_m);
        same("first_n", dut_->first_n_o, t.first_n);
        if (fp8mac_command_is_rows(&c)) {
            same("phase", dut_->rows_phase_o, t.phase);
            same("rows_first", dut_->rows_first_o, t.rows_first);
            same("rows_end", dut_->rows_end_o, t.rows_end);
        }
        if (c.mode.conv_a) {
            same("next_rows", dut_->next_rows_o, t.next_rows);
            same("k_start", dut_->k_start_o, t.k_start);
        }
        if (!t.range_bad) {
            compare_addresses(c, t);
        }
    }

    void compare_addresses(const fp8mac_command &c, const fp8mac_tile &t)
    {
        const bool x = fp8mac_command_has_x(&c), pairs = fp8mac_command_has_pairs(&c);
        const bool mx = fp8mac_command_has_mx(&c);
        same("address of A", dut_->a_addr_o, t.address[FP8MAC_REGION_A]);
        if (!x) {
            same("address of B", dut_->b_addr_o, t.address[FP8MAC_REGION_B]);
        }
        same("address of D", pairs ? dut_->c_addr_o : dut_->d_addr_o, t.address[FP8MAC_REGION_D]);
        if (fp8mac_command_reads_c(&c) && !pairs) {
            same("address of C", dut_->c_addr_o, t.address[FP8MAC_REGION_C]);
        }
        if (c.a.scale_vec) {
            same("scales of A", dut_->scale_a_o, t.address[FP8MAC_REGION_SCALE_A]);
        }
        if (c.b.scale_vec) {
            same("scales of B", dut_->scale_b_o, t.address[FP8MAC_REGION_SCALE_B]);
        }
        if (c.finish.bias_en) {
            same("bias", dut_->bias_o, t.address[FP8MAC_REGION_BIAS]);
        }
        if (mx || fp8mac_command_writes_scales(&c)) {
            same("MX scales of A", dut_->mx_a_addr_o, t.address[FP8MAC_REGION_MX_A]);
        }
        if (mx) {
            same("MX scales of B", dut_->mx_b_addr_o, t.address[FP8MAC_REGION_MX_B]);
            same("the first MX scale", dut_->mx_first_o, t.mx_first);
        }
    }

    void compare_legal(const fp8mac_command &c, const fp8mac_tile &t)
    {
        const bool statistic = fp8mac_step_is_statistic(t.step);
        fp8mac_tile_region list[FP8MAC_TILE_REGIONS];
        fp8mac_tile_regions(&caps_, &c, &t, list);
        same("shape of passes", dut_->shape_o, t.shape);
        same("columns", dut_->columns_o, t.columns);
        same("step", dut_->step_o, t.step);
        same("X is read", dut_->x_wanted_o, t.uses_x);
        same("D is written", !dut_->acc_keep_o && !statistic, t.writes);
        if (fp8mac_command_has_pairs(&c)) {
            same("second results", std::min<uint32_t>(dut_->seconds_o, t.m), t.seconds);
            seconds_ += t.seconds != 0 && t.seconds != t.m;
        }
        if (fp8mac_command_has_x(&c)) {
            same("X is a region", list[FP8MAC_REGION_A].used, true);
        } else {
            same("A is loaded", dut_->a_wanted_o,
                 list[FP8MAC_REGION_A].used || (c.mode.conv_a && !t.reuse_a));
        }
        same("B is loaded", dut_->b_wanted_o, list[FP8MAC_REGION_B].used);
        same("C is read", dut_->c_wanted_o, list[FP8MAC_REGION_C].used);
        same("MX scales of A are loaded", dut_->mx_a_wanted_o,
             list[FP8MAC_REGION_MX_A].used && !fp8mac_command_writes_scales(&c));
        same("MX scales of B are loaded", dut_->mx_b_wanted_o, list[FP8MAC_REGION_MX_B].used);
        same("scales of A are loaded", dut_->scale_a_wanted_o,
             list[FP8MAC_REGION_SCALE_A].used && !statistic);
        same("scales of B are loaded", dut_->scale_b_wanted_o,
             list[FP8MAC_REGION_SCALE_B].used && !statistic);
        same("the bias is loaded", dut_->bias_wanted_o,
             list[FP8MAC_REGION_BIAS].used && !statistic);
        note(c, t);
        reuses_a_ += t.reuse_a, reuses_b_ += t.reuse_b;
        continues_ += t.acc_continue, keeps_ += t.acc_keep;
        within_ += fp8mac_command_has_mx(&c) && t.mx_first != 0;
        backwards_ += !t.first && (t.reuse_a || t.reuse_b);
        steps_[t.step]++, shapes_[t.shape]++;
    }

    // What the RTL's tile command reads and writes; its results alone come from the bench.
    void note(const fp8mac_command &c, const fp8mac_tile &t)
    {
        const uint32_t m = dut_->m_o, n = dut_->n_o, k = dut_->k_o;
        const uint32_t value = 1u << fp8mac_command_size_log2(c.d.fmt);
        Extent *const e = extents_;
        if (dut_->x_wanted_o) {
            e[FP8MAC_REGION_A].add(dut_->a_addr_o, m, c.a.stride,
                                   uint64_t(n) << fp8mac_command_size_log2(c.x_fmt));
        } else if (dut_->a_wanted_o && !c.mode.conv_a) {
            e[FP8MAC_REGION_A].add(dut_->a_addr_o, m, c.a.stride, k);
        }
        if (dut_->b_wanted_o) {
            e[FP8MAC_REGION_B].add(dut_->b_addr_o, dut_->columns_o, c.b.stride, k);
        }
        if (dut_->c_wanted_o) {
            e[FP8MAC_REGION_C].add(dut_->c_addr_o, m, c.c.stride,
                                   uint64_t(n) << fp8mac_command_size_log2(c.c.fmt));
        }
        const bool scales_out = fp8mac_command_writes_scales(&c) && t.step == FP8MAC_STEP_RESULT;
        if (t.writes && !scales_out) {
            e[FP8MAC_REGION_D].add(dut_->d_addr_o, m, c.d.stride, uint64_t(n) * value);
        }
        if (scales_out) {
            e[FP8MAC_REGION_MX_A].add(uint64_t(dut_->mx_a_addr_o) + dut_->first_n_o / 32, m,
                                      c.a.mx_stride, 1);
        }
        if (dut_->scale_a_wanted_o) {
            e[FP8MAC_REGION_SCALE_A].add(dut_->scale_a_o, 1, 0, 4 * m);
        }
        if (dut_->scale_b_wanted_o) {
            e[FP8MAC_REGION_SCALE_B].add(dut_->scale_b_o, 1, 0, (accel::kRequantise ? 8 : 4) * n);
        }
        if (dut_->bias_wanted_o) {
            e[FP8MAC_REGION_BIAS].add(dut_->bias_o, 1, 0, 4 * n);
        }
        if (dut_->mx_a_wanted_o) {
            e[FP8MAC_REGION_MX_A].add(dut_->mx_a_addr_o, m, c.a.mx_stride,
                                      dut_->mx_first_o + (k + 31) / 32);
        }
        if (dut_->mx_b_wanted_o) {
            e[FP8MAC_REGION_MX_B].add(dut_->mx_b_addr_o, n, c.b.mx_stride,
                                      dut_->mx_first_o + (k + 31) / 32);
        }
    }

    // The regions of a legal command reach as far as those of its tile commands. D has as many bytes:
    // each is written once. Lines of images, and D with pairs, are compared on the bus elsewhere.
    void memory(const fp8mac_command &c)
    {
        fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
        const unsigned count = fp8mac_command_regions(&caps_, &c, list);
        Extent all[FP8MAC_REGION_KINDS];
        for (unsigned i = 0; i < count; i++) {
            const fp8mac_region &r = list[i].at;
            all[list[i].of].add(r.address, r.rows, r.stride, r.row_bytes);
            const bool scales = list[i].of == FP8MAC_REGION_MX_A && fp8mac_command_has_x(&c);
            same("it is written", list[i].written, list[i].of == FP8MAC_REGION_D || scales);
        }
        for (unsigned of = 0; of < FP8MAC_TILE_REGIONS; of++) {
            if ((of == FP8MAC_REGION_A && c.mode.conv_a) ||
                (of == FP8MAC_REGION_D && fp8mac_command_has_pairs(&c))) {
                continue;
            }
            const bool tiled_scales = (of == FP8MAC_REGION_MX_A || of == FP8MAC_REGION_MX_B);
            same("a region begins", all[of].first, extents_[of].first);
            same("a region ends", all[of].end, extents_[of].end);
            if (of == FP8MAC_REGION_D || (tiled_scales && fp8mac_command_has_x(&c))) {
                same("bytes of D", all[of].bytes, extents_[of].bytes);
            }
            regions_ += all[of].bytes != 0;
        }
    }

    // ---- what has happened ----------------------------------------------------------------------

    // Outcomes that a kind cannot have
    bool impossible(unsigned kind, unsigned error) const
    {
        if (!random_.possible(kind)) { // it asks for an absent function, or it is not there at all
            return kind == command::kLongK || error != FP8MAC_COMMAND_ERROR_MODE;
        }
        return false;
    }
    void report()
    {
        std::printf("%-10s", "");
        for (const char *name : kErrorNames) {
            std::printf(" %9s", name);
        }
        std::printf("\n");
        for (unsigned kind = 0; kind < command::kKinds; kind++) {
            std::printf("%-10s", command::kKindNames[kind]);
            for (uint64_t count : counts_[kind]) {
                std::printf(" %9" PRIu64, count);
            }
            std::printf("\n");
        }
        for (unsigned kind = 0; kind < command::kKinds; kind++) {
            for (unsigned error = 0; error < kErrors; error++) {
                if (counts_[kind][error] == 0 && !impossible(kind, error)) {
                    bench_.covered(
                        tb::text("%s: %s", command::kKindNames[kind], kErrorNames[error]).c_str(),
                        0);
                }
            }
        }
        bench_.covered("tile commands", tiles_);
        bench_.covered("legal tile commands behind the first", later_);
        if ((caps_.functions | FP8MAC_FUNCTION_REQUANTISE) != kAllFunctions) {
            bench_.covered("commands that ask for absent functions", absent_);
        }
        bench_.covered("reuses of A", reuses_a_);
        bench_.covered("reuses of B", reuses_b_);
        bench_.covered("reuses within a command", backwards_);
        bench_.covered("tile commands that continue", continues_);
        bench_.covered("tile commands that keep", keeps_);
        bench_.covered("commands of too many tile commands, dropped", dropped_);
        bench_.covered("regions of legal commands", regions_);
        for (unsigned shape = 0; shape < 3; shape++) {
            bench_.covered(tb::text("shape %u of passes", shape).c_str(), shapes_[shape]);
        }
        if (random_.possible(command::kMx)) {
            bench_.covered("MX scales that begin within a beat", within_);
        }
        if (random_.possible(command::kPairs)) {
            bench_.covered("pairs with second results of some rows", seconds_);
        }
        if (random_.possible(command::kRows)) {
            for (unsigned step = FP8MAC_STEP_SUM; step <= FP8MAC_STEP_TANH; step++) {
                bench_.covered(tb::text("step %u of row commands", step).c_str(), steps_[step]);
            }
        }
    }
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    tb::Clocked<Vcommand_tb> dut(bench);
    Test(bench, dut).run(bench.number("--commands", 100000));
    return bench.finish();
}
