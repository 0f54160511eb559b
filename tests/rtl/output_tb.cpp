// SPDX-License-Identifier: Apache-2.0
// The whole way of results to memory (fp8mac_output) against fp8mac_epilogue_apply. The bench plays
// the array, the vector memories and an AXI slave. Every byte of memory is compared: those of D,
// and all others, which must stay. Tile commands of every D format, pass shape and size are mixed
// with empty and kept ones, with gaps and stalls everywhere. Write errors come at every address of
// a tile command. The rates at which results are taken and the bus is used are checked, too.
#include <algorithm>
#include <deque>
#include <vector>

#include "Voutput_tb.h"
#include "axi_memory.h"
#include "fp8mac/fp8mac.h"
#include "tb.h"

namespace
{

constexpr unsigned kBeat = AXI_DATA_W / 8;
constexpr unsigned kBundle = ROWS / SHARE;
constexpr unsigned kPassTiles = 4;
constexpr size_t kMemory = 1u << 18;
constexpr unsigned kWriteSlvErr = 10, kWriteDecErr = 11, kReadSlvErr = 8;

float to_float(uint32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// A port of one word, or of several.
inline void put(IData &port, unsigned, uint32_t word)
{
    port = word;
}
inline void put(QData &port, unsigned i, uint32_t word)
{
    port = (port & ~(UINT64_C(0xffffffff) << 32 * i)) | static_cast<QData>(word) << 32 * i;
}
template <std::size_t N>
void put(VlWide<N> &port, unsigned i, uint32_t word)
{
    port[i] = word;
}

// The write channels of the module, and read channels that stay quiet.
struct Ports {
    explicit Ports(Voutput_tb &d)
        : m_axi_awaddr_o(d.m_axi_awaddr_o), m_axi_awlen_o(d.m_axi_awlen_o),
          m_axi_awsize_o(d.m_axi_awsize_o), m_axi_awburst_o(d.m_axi_awburst_o),
          m_axi_awvalid_o(d.m_axi_awvalid_o), m_axi_awready_i(d.m_axi_awready_i),
          m_axi_wdata_o(d.m_axi_wdata_o), m_axi_wstrb_o(d.m_axi_wstrb_o),
          m_axi_wlast_o(d.m_axi_wlast_o), m_axi_wvalid_o(d.m_axi_wvalid_o),
          m_axi_wready_i(d.m_axi_wready_i), m_axi_bresp_i(d.m_axi_bresp_i),
          m_axi_bvalid_i(d.m_axi_bvalid_i), m_axi_bready_o(d.m_axi_bready_o)
    {
    }
    decltype(Voutput_tb::m_axi_awaddr_o) m_axi_awaddr_o;
    decltype(Voutput_tb::m_axi_awlen_o) m_axi_awlen_o;
    decltype(Voutput_tb::m_axi_awsize_o) m_axi_awsize_o;
    decltype(Voutput_tb::m_axi_awburst_o) m_axi_awburst_o;
    decltype(Voutput_tb::m_axi_awvalid_o) m_axi_awvalid_o;
    decltype(Voutput_tb::m_axi_awready_i) m_axi_awready_i;
    decltype(Voutput_tb::m_axi_wdata_o) m_axi_wdata_o;
    decltype(Voutput_tb::m_axi_wstrb_o) m_axi_wstrb_o;
    decltype(Voutput_tb::m_axi_wlast_o) m_axi_wlast_o;
    decltype(Voutput_tb::m_axi_wvalid_o) m_axi_wvalid_o;
    decltype(Voutput_tb::m_axi_wready_i) m_axi_wready_i;
    decltype(Voutput_tb::m_axi_bresp_i) m_axi_bresp_i;
    decltype(Voutput_tb::m_axi_bvalid_i) m_axi_bvalid_i;
    decltype(Voutput_tb::m_axi_bready_o) m_axi_bready_o;
    uint32_t m_axi_araddr_o = 0;
    uint8_t m_axi_arlen_o = 0, m_axi_arsize_o = 0, m_axi_arburst_o = 0, m_axi_arvalid_o = 0;
    uint8_t m_axi_arready_i = 0, m_axi_rid_i = 0, m_axi_bid_i = 0, m_axi_rvalid_i = 0;
    uint8_t m_axi_rresp_i = 0, m_axi_rlast_i = 0, m_axi_rready_o = 0;
    uint8_t m_axi_rdata_i[kBeat] = {};
};

struct TileCommand {
    unsigned tag = 0, m = 1, n = 1, shape = 0, d_fmt = 0, overflow = 0, act = 0, bias_en = 0,
             error = 0;
    bool irq = false, skip = false, keep = false, a_vec = false, b_vec = false;
    uint64_t d_addr = axi::kMemoryBase, d_stride = 0;
    uint32_t clamp_lo = 0, clamp_hi = 0, scale_d = 0x3f800000u, scale_a = 0x3f800000u,
             scale_b = 0x3f800000u;
    std::vector<uint32_t> scales_a, scales_b, biases, t0; // t0: m x n

    unsigned bytes() const
    {
        return fp8mac_format_bytes(format());
    }
    const fp8mac_format *format() const
    {
        return fp8mac_format_get(static_cast<fp8mac_format_id>(d_fmt));
    }
    bool gives_results() const
    {
        return !skip && !keep;
    }
};

struct Bundle {
    unsigned command, phase, row_tile, col_tile;
    bool last;
    uint32_t t0[kBundle][COLS];
};

struct Traffic {
    unsigned gap_permille = 0; // cycles without a result, and commands that come late
    axi::Timing axi;
};

struct Events {
    uint64_t refused, partial_row_tile, partial_col_tile, page_crossed, empty, kept, errors,
        discarded, shapes[3], formats[FP8MAC_ARRAY_FORMAT_COUNT], region_rows, many_regions;
};

class OutputBench
{
  public:
    explicit OutputBench(tb::Bench &bench)
        : bench_(bench), dut_(bench), rng_(bench.seed()), ports_(*dut_),
          memory_(ports_, rng_, kMemory)
    {
        for (uint8_t &byte : memory_.bytes()) {
            byte = rng_.code8();
        }
        dut_->abort_i = dut_->valid_i = dut_->kept_i = dut_->result_valid_i = 0;
        dut_.reset();
    }
    tb::Rng &rng()
    {
        return rng_;
    }
    Events &events()
    {
        return events_;
    }
    uint64_t cycles() const
    {
        return dut_.cycles();
    }
    uint64_t write_beats() const
    {
        return memory_.write_beats();
    }
    uint64_t refusals() const
    {
        return refusals_;
    }

    TileCommand random_command(unsigned max_m, unsigned max_n);
    void run(std::vector<TileCommand> commands, const Traffic &traffic,
             std::vector<axi::Fault> faults = {});

  private:
    void issue(const TileCommand &c);
    void drive_command();
    void drive_result();
    void answer_vectors();
    void cycle();
    void expect_bytes(const TileCommand &c);

    tb::Bench &bench_;
    tb::Clocked<Voutput_tb> dut_;
    tb::Rng rng_;
    Ports ports_;
    axi::Memory<Ports, kBeat> memory_;
    Events events_ = {};

    // One run
    std::vector<TileCommand> commands_;
    std::deque<unsigned> waiting_; // commands given to the module, the oldest first
    std::deque<Bundle> bundles_;
    std::deque<unsigned> kept_; // kept commands that have not left the array
    std::vector<uint8_t> before_, want_;
    std::vector<bool> written_; // bytes of D of any command of the run
    size_t next_ = 0, retired_ = 0, stored_ = 0;
    bool offered_ = false, failed_ = false;
    unsigned gap_ = 0;
    uint64_t refusals_ = 0, idle_ = 0;
    bool in_burst_ = false, no_stalls_ = false;
    unsigned asked_row_ = 0, asked_col_ = 0, asked_half_ = 0;
    uint32_t amax_ = 0, want_amax_ = 0;
    fp8mac_flags flags_ = 0, want_flags_ = 0;
    bool nonfinite_ = false, want_nonfinite_ = false;
};

TileCommand OutputBench::random_command(unsigned max_m, unsigned max_n)
{
    TileCommand c;
    c.m = 1 + rng_.below(max_m);
    c.n = 1 + rng_.below(max_n);
    if (rng_.coin()) {
        c.n = std::max<unsigned>(1, c.n / COLS * COLS);
    }
    c.shape = rng_.below(3);
    c.d_fmt = rng_.below(FP8MAC_ARRAY_FORMAT_COUNT);
    c.overflow = c.d_fmt == FP8MAC_INT8 ? 0 : rng_.below(3);
    c.act = rng_.below(FP8MAC_ACTIVATIONS);
    c.bias_en = rng_.coin();
    c.irq = rng_.coin();
    c.a_vec = rng_.coin();
    c.b_vec = rng_.coin();
    c.clamp_lo = 0xbf800000u;
    c.clamp_hi = 0x42000000u;
    const auto scale = [&] { return (100 + rng_.below(50)) << 23 | rng_.below(1u << 23); };
    c.scale_a = scale();
    c.scale_b = scale();
    c.scale_d = scale();
    for (unsigned i = 0; i < c.m; i++) {
        c.scales_a.push_back(scale());
    }
    for (unsigned i = 0; i < c.n; i++) {
        c.scales_b.push_back(scale());
        c.biases.push_back(rng_.fp32());
    }
    for (unsigned i = 0; i < c.m * c.n; i++) {
        c.t0.push_back(rng_.chance(300) ? rng_.fp32()
                                        : (110 + rng_.below(50)) << 23 | rng_.below(1u << 23));
    }
    c.d_stride = (c.n * c.bytes() + kBeat - 1) / kBeat * kBeat + rng_.below(4) * kBeat;
    return c;
}

// Puts a command's bundles into the queue, in the order of passes.
void OutputBench::issue(const TileCommand &c)
{
    const unsigned index = static_cast<unsigned>(next_);
    const unsigned down = 1u << c.shape, across = kPassTiles >> c.shape;
    const unsigned tiles_m = (c.m + ROWS - 1) / ROWS, tiles_n = (c.n + COLS - 1) / COLS;
    for (unsigned m0 = 0; m0 < tiles_m; m0 += down) {
        for (unsigned n0 = 0; n0 < tiles_n; n0 += across) {
            for (unsigned i = m0; i < std::min(m0 + down, tiles_m); i++) {
                for (unsigned j = n0; j < std::min(n0 + across, tiles_n); j++) {
                    for (unsigned phase = 0; phase < SHARE; phase++) {
                        Bundle b = {index, phase, i, j, i == tiles_m - 1 && j == tiles_n - 1, {}};
                        for (unsigned g = 0; g < kBundle; g++) {
                            for (unsigned w = 0; w < COLS; w++) {
                                const unsigned row = i * ROWS + g * SHARE + phase,
                                               col = j * COLS + w;
                                b.t0[g][w] =
                                    row < c.m && col < c.n ? c.t0[row * c.n + col] : rng_.fp32();
                            }
                        }
                        bundles_.push_back(b);
                    }
                }
            }
        }
    }
    events_.partial_row_tile += c.m % ROWS != 0;
    events_.partial_col_tile += c.n * c.bytes() % kBeat != 0;
    events_.shapes[c.shape]++;
    events_.formats[c.d_fmt]++;
    events_.page_crossed += c.d_addr / 4096 != (c.d_addr + c.n * c.bytes() - 1) / 4096;
    events_.region_rows += c.m > ROWS;
    events_.many_regions += c.n * c.bytes() > (8 * kBeat >> c.shape);
}

void OutputBench::expect_bytes(const TileCommand &c)
{
    fp8mac_epilogue e = {};
    e.has_bias = c.bias_en != 0;
    e.activation = static_cast<fp8mac_activation>(c.act);
    e.clamp_lo = to_float(c.clamp_lo);
    e.clamp_hi = to_float(c.clamp_hi);
    e.d_format = c.format();
    e.d_mode = {FP8MAC_ROUND_NEAREST_EVEN, static_cast<fp8mac_overflow>(c.overflow)};
    e.scale_d = to_float(c.scale_d);
    for (unsigned i = 0; i < c.m; i++) {
        for (unsigned j = 0; j < c.n; j++) {
            const uint32_t d =
                fp8mac_epilogue_apply(&e, c.t0[i * c.n + j], c.a_vec ? c.scales_a[i] : c.scale_a,
                                      c.b_vec ? c.scales_b[j] : c.scale_b, c.biases[j], 0,
                                      &want_amax_, &want_nonfinite_, &want_flags_);
            const size_t at = c.d_addr - axi::kMemoryBase + i * c.d_stride + j * c.bytes();
            for (unsigned b = 0; b < c.bytes(); b++) {
                want_[at + b] = static_cast<uint8_t>(d >> 8 * b);
                written_[at + b] = true;
            }
        }
    }
}

void OutputBench::drive_command()
{
    dut_->valid_i = !waiting_.empty();
    if (waiting_.empty()) {
        return;
    }
    const TileCommand &c = commands_[waiting_.front()];
    dut_->skip_i = c.skip;
    dut_->acc_keep_i = c.keep;
    dut_->vector_half_i = waiting_.front() % 2;
    dut_->tag_i = static_cast<uint16_t>(c.tag);
    dut_->irq_i = c.irq;
    dut_->error_i = c.error;
    dut_->m_i = static_cast<uint16_t>(c.m);
    dut_->n_i = static_cast<uint16_t>(c.n);
    dut_->pass_shape_i = c.shape;
    dut_->d_addr_i = static_cast<uint32_t>(c.d_addr);
    dut_->d_stride_i = static_cast<uint32_t>(c.d_stride);
    dut_->d_fmt_i = c.d_fmt;
    dut_->overflow_i = c.overflow;
    dut_->act_i = c.act;
    dut_->bias_en_i = c.bias_en;
    dut_->clamp_lo_i = c.clamp_lo;
    dut_->clamp_hi_i = c.clamp_hi;
    dut_->scale_d_i = c.scale_d;
    dut_->scale_a_vec_i = c.a_vec;
    dut_->scale_b_vec_i = c.b_vec;
    dut_->scale_a_value_i = c.scale_a;
    dut_->scale_b_value_i = c.scale_b;
}

// A bundle that is offered stays until it is taken.
void OutputBench::drive_result()
{
    if (!offered_) {
        offered_ = !bundles_.empty() && bundles_.front().command < next_ && !rng_.chance(gap_);
    }
    dut_->result_valid_i = offered_;
    if (!offered_) {
        return;
    }
    const Bundle &b = bundles_.front();
    dut_->result_phase_i = b.phase;
    dut_->result_row_tile_i = static_cast<uint8_t>(b.row_tile);
    dut_->result_col_tile_i = static_cast<uint8_t>(b.col_tile);
    dut_->result_last_i = b.last;
    for (unsigned g = 0; g < kBundle; g++) {
        for (unsigned w = 0; w < COLS; w++) {
            put(dut_->result_i, g * COLS + w, b.t0[g][w]);
        }
    }
}

// The half of a command has its vectors from the end of the second command before it on, until its
// own end.
void OutputBench::answer_vectors()
{
    const size_t command = stored_ + ((asked_half_ ^ stored_) & 1);
    const TileCommand *c = command < next_ ? &commands_[command] : nullptr;
    const auto value = [&](const std::vector<uint32_t> *vector, unsigned i) {
        return vector != nullptr && i < vector->size() ? (*vector)[i] : rng_.fp32();
    };
    for (unsigned r = 0; r < ROWS; r++) {
        put(dut_->scale_a_i, r, value(c ? &c->scales_a : nullptr, asked_row_ * ROWS + r));
    }
    for (unsigned w = 0; w < COLS; w++) {
        put(dut_->scale_b_i, w, value(c ? &c->scales_b : nullptr, asked_col_ * COLS + w));
        put(dut_->bias_i, w, value(c ? &c->biases : nullptr, asked_col_ * COLS + w));
    }
}

void OutputBench::cycle()
{
    if (next_ < commands_.size() && waiting_.size() < 4 && !rng_.chance(gap_)) {
        TileCommand &c = commands_[next_];
        if (dut_->abort_i) {
            c.skip = true;
        }
        if (c.gives_results()) {
            issue(c);
        } else if (!c.skip) {
            kept_.push_back(static_cast<unsigned>(next_));
        }
        waiting_.push_back(static_cast<unsigned>(next_++));
    }
    // A kept command leaves the array after the results of those before it.
    dut_->kept_i = 0;
    if (!kept_.empty() && (bundles_.empty() || bundles_.front().command > kept_.front()) &&
        !rng_.chance(gap_)) {
        dut_->kept_i = 1;
        kept_.pop_front();
    }
    drive_command();
    drive_result();
    answer_vectors();
    memory_.drive();
    dut_->clk_i = 0;
    dut_.settle();

    idle_++;
    const bool taken = offered_ && dut_->result_ready_o, stored = dut_->ready_o;
    refusals_ += offered_ && !dut_->result_ready_o;
    events_.refused += offered_ && !dut_->result_ready_o;
    asked_row_ = dut_->row_tile_o;
    asked_col_ = dut_->col_tile_o;
    asked_half_ = dut_->vector_half_o;
    bench_.check("a command that is not there was not taken", !stored || !waiting_.empty());
    if (dut_->epi_valid_o) {
        amax_ = std::max<uint32_t>(amax_, dut_->epi_amax_o);
        nonfinite_ |= dut_->epi_nonfinite_o;
        flags_ |= dut_->epi_flags_o;
        idle_ = 0;
    }
    if (dut_->m_axi_wvalid_o && dut_->m_axi_wready_i) {
        in_burst_ = !dut_->m_axi_wlast_o;
        idle_ = 0;
    } else if (no_stalls_ && in_burst_) {
        bench_.check("the data of a burst are there when its first beat moves", false);
    }
    bool abort = dut_->abort_i;
    if (dut_->retire_valid_o && bench_.check("a command was to retire", retired_ < next_)) {
        const TileCommand &c = commands_[retired_++];
        idle_ = 0;
        bench_.equal("tag", dut_->retire_tag_o, c.tag);
        bench_.equal("irq", dut_->retire_irq_o, c.irq);
        if (!abort) {
            if (dut_->retire_error_o != 0 && c.error == 0) {
                failed_ = true;
                bench_.check("error of a write", dut_->retire_error_o == kWriteSlvErr ||
                                                     dut_->retire_error_o == kWriteDecErr);
            } else {
                bench_.equal("error", dut_->retire_error_o, c.error);
            }
            abort = dut_->retire_error_o != 0;
        }
    }
    memory_.sample();
    dut_.tick();
    if (taken) {
        bundles_.pop_front();
        offered_ = false;
    }
    if (stored && !waiting_.empty()) {
        waiting_.pop_front();
        stored_++;
    }
    dut_->abort_i = abort;
}

void OutputBench::run(std::vector<TileCommand> commands, const Traffic &traffic,
                      std::vector<axi::Fault> faults)
{
    if (bench_.hopeless()) {
        return;
    }
    commands_ = std::move(commands);
    before_ = want_ = memory_.bytes();
    written_.assign(before_.size(), false);
    next_ = retired_ = stored_ = 0;
    gap_ = traffic.gap_permille;
    amax_ = want_amax_ = 0;
    flags_ = want_flags_ = 0;
    nonfinite_ = want_nonfinite_ = failed_ = false;
    memory_.set_timing(traffic.axi);
    no_stalls_ = traffic.axi.stall_permille == 0;
    bool stops = !faults.empty();
    for (const TileCommand &c : commands_) {
        if (c.gives_results()) {
            expect_bytes(c);
        }
        events_.kept += c.keep && !c.skip;
        events_.empty += c.skip;
        stops |= c.error != 0;
    }
    memory_.set_faults({}, std::move(faults));
    dut_->abort_i = 0;
    for (idle_ = 0;
         idle_ < 3000 && !(retired_ == commands_.size() && bundles_.empty() && idle_ > 40);) {
        cycle();
    }
    bench_.equal("commands that retired", retired_, commands_.size());
    bench_.check("all results were taken", bundles_.empty());
    bench_.check("nothing is left inside", dut_->empty_o && memory_.quiet());
    bench_.check(memory_.violation().c_str(), memory_.violation().empty());
    if (stops) {
        events_.errors += failed_;
    } else {
        bench_.equal("amax", amax_, want_amax_);
        bench_.equal("nonfinite", nonfinite_, want_nonfinite_);
        bench_.equal("flags", flags_, want_flags_);
    }
    uint64_t wrong = 0, old = 0;
    for (size_t i = 0; i < want_.size(); i++) {
        const uint8_t got = memory_.bytes()[i];
        // After an error a byte of D may be left as it was.
        const bool left = stops && written_[i] && got == before_[i];
        if (got != want_[i] && !left && wrong++ < 3) {
            std::printf("byte %zx: got %02x, want %02x, was %02x\n", i, got, want_[i], before_[i]);
        }
        old += left && got != want_[i];
    }
    events_.discarded += stops && old != 0;
    bench_.equal("wrong bytes", wrong, 0);
    if (bench_.failed() != 0 && wrong != 0) {
        for (const TileCommand &c : commands_) {
            std::printf(
                "  command %u: m %u n %u shape %u fmt %u addr %llx stride %llu a_vec %d b_vec %d\n",
                c.tag, c.m, c.n, c.shape, c.d_fmt, static_cast<unsigned long long>(c.d_addr),
                static_cast<unsigned long long>(c.d_stride), c.a_vec, c.b_vec);
        }
    }
}

// Commands of a run lie one after the other in memory, often close to the end of a page.
void spread_out(std::vector<TileCommand> &commands, tb::Rng &rng)
{
    uint64_t at = axi::kMemoryBase + 4096 - (1 + rng.below(16)) * kBeat;
    unsigned tag = rng.below(1000);
    for (TileCommand &c : commands) {
        c.tag = tag++;
        c.d_addr = at;
        at += c.m * c.d_stride + rng.below(8) * kBeat;
    }
}

void random_runs(OutputBench &output, tb::Bench &bench, unsigned runs)
{
    tb::Rng &rng = output.rng();
    for (unsigned run = 0; run < runs && !bench.hopeless(); run++) {
        std::vector<TileCommand> commands(1 + rng.below(6));
        const bool large = run % 8 == 0;
        for (TileCommand &c : commands) {
            c = output.random_command(large ? 40 : 20, large ? 150 : 40);
            if (rng.chance(400) && &c != commands.data()) { // often the last one's configuration
                const TileCommand &old = *(&c - 1);
                c.d_fmt = old.d_fmt, c.overflow = old.overflow, c.act = old.act;
                c.bias_en = old.bias_en, c.scale_d = old.scale_d;
                c.d_stride = (c.n * c.bytes() + kBeat - 1) / kBeat * kBeat;
            }
            c.keep = rng.chance(150);
            c.skip = rng.chance(80);
        }
        spread_out(commands, rng);
        Traffic traffic;
        static const unsigned rates[] = {0, 0, 300, 900};
        traffic.gap_permille = rates[rng.below(4)];
        traffic.axi.stall_permille = rates[rng.below(4)];
        traffic.axi.latency = rng.coin() ? 2 : 30;
        output.run(commands, traffic);
    }
}

// A write error at every beat of a command, with commands before and behind it.
void errors(OutputBench &output, tb::Bench &bench)
{
    tb::Rng &rng = output.rng();
    for (const unsigned d_fmt : {0u, 6u}) {
        for (unsigned at = 0; at < 64 && !bench.hopeless(); at++) {
            std::vector<TileCommand> commands(4);
            for (TileCommand &c : commands) {
                c = output.random_command(12, 24);
                c.d_fmt = d_fmt;
                c.d_stride = (c.n * c.bytes() + kBeat - 1) / kBeat * kBeat;
            }
            commands[3].keep = rng.coin();
            spread_out(commands, rng);
            const TileCommand &c = commands[1];
            const unsigned row_beats = (c.n * c.bytes() + kBeat - 1) / kBeat;
            const unsigned beat = at % (c.m * row_beats);
            const uint64_t addr =
                c.d_addr + beat / row_beats * c.d_stride + beat % row_beats * kBeat;
            Traffic traffic;
            traffic.gap_permille = at % 2 * 300;
            traffic.axi.stall_permille = at % 3 * 300;
            output.run(commands, traffic, {{addr, addr, at % 2 ? axi::SlvErr : axi::DecErr}});
        }
    }
    // A command that failed before it was computed
    std::vector<TileCommand> commands(3);
    for (TileCommand &c : commands) {
        c = output.random_command(12, 24);
    }
    commands[1].skip = true;
    commands[1].error = kReadSlvErr;
    spread_out(commands, rng);
    output.run(commands, Traffic());
}

// With one scale per tensor, results of one byte are taken without a pause. Those of four
// bytes keep the bus busy.
void rates(OutputBench &output, tb::Bench &bench)
{
    for (unsigned shape = 0; shape < 3; shape++) {
        for (const unsigned d_fmt : {0u, 6u}) {
            for (const unsigned n : {16u, 64u}) {
                TileCommand c = output.random_command(1, 1);
                c.m = 64;
                c.n = n;
                c.scales_a.resize(c.m, c.scale_a);
                c.scales_b.resize(n, c.scale_b);
                c.biases.resize(n, c.scale_b);
                c.t0.resize(c.m * n, c.scale_a);
                c.shape = shape;
                c.d_fmt = d_fmt;
                c.a_vec = c.b_vec = false;
                c.d_stride = (n * c.bytes() + kBeat - 1) / kBeat * kBeat;
                Traffic traffic;
                traffic.axi.latency = 1;
                traffic.axi.random_latency = false;
                std::vector<TileCommand> commands = {c};
                spread_out(commands, output.rng());
                const uint64_t cycles = output.cycles(), beats = output.write_beats();
                output.run(commands, traffic);
                const uint64_t took = output.cycles() - cycles - 41;
                const uint64_t moved = output.write_beats() - beats;
                const uint64_t results = 64ull * n / WIDTH;
                // A burst takes two cycles at least, and a pass eight.
                const uint64_t pass_rows = ROWS << shape, pass_cols = COLS << (2 - shape);
                const uint64_t passes = 64 / pass_rows * ((n + pass_cols - 1) / pass_cols);
                const uint64_t bursts = passes * pass_rows;
                const uint64_t least = std::max({moved, results, 2 * bursts, 8 * passes});
                std::printf("  D of %u bytes, 64 x %u, shape %u: %llu cycles for %llu beats, %llu "
                            "transfers\n",
                            c.bytes(), n, shape, static_cast<unsigned long long>(took),
                            static_cast<unsigned long long>(moved),
                            static_cast<unsigned long long>(results));
                // The way through the epilogue, the first or last region, and 3 %
                bench.check("rate", took <= least + least * 3 / 100 + 40 + 8 * ROWS);
            }
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    OutputBench output(bench);

    rates(output, bench);
    random_runs(output, bench, bench.number("--runs", 200));
    errors(output, bench);

    const Events &e = output.events();
    bench.covered("a result was refused", e.refused);
    if (ROWS > 1) {
        bench.covered("a partial tile of rows", e.partial_row_tile);
    }
    bench.covered("a partial beat at a row's end", e.partial_col_tile);
    bench.covered("a row crosses a page", e.page_crossed);
    bench.covered("an empty command", e.empty);
    bench.covered("a kept command", e.kept);
    bench.covered("a write failed", e.errors);
    bench.covered("bytes that were not written after an error", e.discarded);
    bench.covered("rows of tiles below each other", e.region_rows);
    bench.covered("regions side by side", e.many_regions);
    for (const uint64_t hits : e.shapes) {
        bench.covered("pass shape", hits);
    }
    for (const uint64_t hits : e.formats) {
        bench.covered("D format", hits);
    }
    return bench.finish();
}
