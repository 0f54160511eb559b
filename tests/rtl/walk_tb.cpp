// SPDX-License-Identifier: Apache-2.0
// The tile walker against the host build's walk, which tests/system/plan.c checks against what a
// GEMM is: the same tile commands in the same order, for random commands, legal and illegal, and a
// receiver that is ready at random. The walk may end after a tile command that is illegal.
#include <algorithm>

#include "Vwalk_tb.h"
#include "fp8mac_regs.h"
#include "tb.h"

extern "C" {
#include "walk.h"
}

#include "fp8rt/registers.h"

namespace
{

constexpr uint64_t kAddresses = uint64_t(1) << 32; // the first address that does not exist

class Test
{
  public:
    Test(tb::Bench &bench, tb::Clocked<Vwalk_tb> &dut)
        : bench_(bench), dut_(dut), rng_(bench.seed())
    {
        caps_.block = GRANULE;
        caps_.beat_bytes = 16;
        dut_->valid_i = 0;
        dut_->ready_i = 0;
        dut_->abort_i = 0;
        dut_.reset();
    }
    void run(unsigned commands)
    {
        for (unsigned i = 0; i < commands && !bench_.hopeless(); i++) {
            one(random_command());
        }
        bench_.covered("tile commands", tiles_);
        bench_.covered("chunks that continue", chunks_);
        bench_.covered("reuses of A", reuses_a_);
        bench_.covered("reuses of B", reuses_b_);
        bench_.covered("tiles behind the last address", beyond_);
        bench_.covered("illegal chains", chains_);
        bench_.covered("aborts", aborts_);
        bench_.covered("tile commands with C", with_c_);
        bench_.covered("tile commands of element-wise commands", elementwise_);
        bench_.covered("tile commands with MX scales", with_mx_);
        bench_.covered("MX scales that begin within a beat", within_);
    }

  private:
    uint32_t size(uint32_t most)
    {
        return 1 + rng_.below(std::max(1u, most >> rng_.below(8)));
    }
    uint16_t tile(uint32_t total, uint32_t most)
    {
        return static_cast<uint16_t>(rng_.below(4) ? 1 + rng_.below(std::min(total + 2, most)) : 0);
    }
    uint32_t address(uint32_t far)
    {
        return rng_.below(8) ? static_cast<uint32_t>(rng_.next()) >> 1 : 0u - rng_.below(far);
    }
    bool rarely()
    {
        return rng_.below(16) == 0;
    }

    fp8rt_command random_command()
    {
        fp8rt_command c{};
        c.m = size(600);
        c.n = size(600);
        c.k = rarely() ? size(300000) : size(2000);
        c.tile_m = tile(c.m, 128);
        c.tile_n = tile(c.n, 128);
        c.tile_k = static_cast<uint16_t>(tile(c.k / GRANULE, 64) * GRANULE);
        if (rarely()) {
            c.tile_k = tile(c.k, 2000);
        }
        // Not so many that the walk takes long
        c.tile_m = static_cast<uint16_t>(c.tile_m ? std::max<uint32_t>(c.tile_m, c.m / 12) : 0);
        c.tile_n = static_cast<uint16_t>(c.tile_n ? std::max<uint32_t>(c.tile_n, c.n / 12) : 0);
        c.tile_k = static_cast<uint16_t>(c.tile_k ? std::max<uint32_t>(c.tile_k, c.k / 20) : 0);
        c.first_k = rng_.coin() ? static_cast<uint16_t>(GRANULE * (1 + rng_.below(3))) : 0;
        c.a.stride = c.k + rng_.below(100);
        c.b.stride = rarely() ? c.k - 1 : c.k + rng_.below(100);
        c.d_stride = 4 * c.n + rng_.below(100);
        if (rarely()) {
            c.a.stride = static_cast<uint32_t>(rng_.next());
        }
        if (rarely()) {
            c.d_stride = rng_.below(4 * c.n);
        }
        c.a.address = address(c.m * c.a.stride);
        c.b.address = address(c.n * c.b.stride);
        c.d = address(c.m * c.d_stride);
        c.a.scale = address(4 * c.m);
        c.b.scale = address(4 * c.n);
        c.bias = address(4 * c.n);
        c.tag = static_cast<uint16_t>(rng_.next());
        const bool extended = rng_.coin();
        c.operation =
            FP8RT_PUT(OPERATION__OP, rng_.below(3)) | FP8RT_PUT(OPERATION__C_EN, rng_.coin()) |
            FP8RT_PUT(OPERATION__C_FMT, rng_.below(8)) | FP8RT_PUT(OPERATION__X_FMT, rng_.below(8));
        c.beta = rng_.below(4) ? static_cast<uint32_t>(rng_.next()) : rng_.below(2) << 31;
        c.c_stride = rarely() ? rng_.below(4 * c.n) : 4 * c.n + rng_.below(100);
        c.c = address(c.m * c.c_stride);
        const uint32_t blocks = (c.k + 31) / 32;
        c.operation |= FP8RT_PUT(OPERATION__MX, rng_.coin());
        c.a.mx_stride = rarely() ? blocks - 1 : blocks + rng_.below(100);
        c.b.mx_stride = rarely() ? rng_.below(blocks) : blocks + rng_.below(100);
        c.a.mx = address(c.m * c.a.mx_stride);
        c.b.mx = address(c.n * c.b.mx_stride);
        if (extended && rng_.coin()) {
            c.a.stride = 4 * c.n + rng_.below(100);
        }
        c.mode = FP8RT_PUT(MODE__D_FMT, rng_.below(8)) | FP8RT_PUT(MODE__SCALE_A_VEC, rng_.coin()) |
                 FP8RT_PUT(MODE__SCALE_B_VEC, rng_.coin()) | FP8RT_PUT(MODE__BIAS_EN, rng_.coin()) |
                 FP8RT_PUT(MODE__B_RESIDENT, rng_.coin()) | FP8RT_PUT(MODE__REUSE_A, rarely()) |
                 FP8RT_PUT(MODE__REUSE_B, rarely()) | FP8RT_PUT(MODE__ACC_KEEP, rarely()) |
                 FP8RT_PUT(MODE__ACC_CONTINUE, rarely()) | FP8RT_PUT(MODE__EXTENDED, extended);
        return c;
    }

    void give(const fp8rt_command &c)
    {
        dut_->tag_i = c.tag;
        dut_->a_addr_i = static_cast<uint32_t>(c.a.address);
        dut_->a_stride_i = c.a.stride;
        dut_->b_addr_i = static_cast<uint32_t>(c.b.address);
        dut_->b_stride_i = c.b.stride;
        dut_->d_addr_i = static_cast<uint32_t>(c.d);
        dut_->d_stride_i = c.d_stride;
        dut_->m_i = c.m;
        dut_->n_i = c.n;
        dut_->k_i = c.k;
        dut_->tile_m_i = c.tile_m;
        dut_->tile_n_i = c.tile_n;
        dut_->tile_k_i = c.tile_k;
        dut_->first_k_i = c.first_k;
        dut_->b_resident_i = FP8RT_GET(MODE__B_RESIDENT, c.mode);
        dut_->acc_keep_i = FP8RT_GET(MODE__ACC_KEEP, c.mode);
        dut_->acc_continue_i = FP8RT_GET(MODE__ACC_CONTINUE, c.mode);
        dut_->reuse_a_i = FP8RT_GET(MODE__REUSE_A, c.mode);
        dut_->reuse_b_i = FP8RT_GET(MODE__REUSE_B, c.mode);
        dut_->scale_a_vec_i = FP8RT_GET(MODE__SCALE_A_VEC, c.mode);
        dut_->scale_b_vec_i = FP8RT_GET(MODE__SCALE_B_VEC, c.mode);
        dut_->bias_en_i = FP8RT_GET(MODE__BIAS_EN, c.mode);
        dut_->d_fmt_i = static_cast<uint8_t>(FP8RT_GET(MODE__D_FMT, c.mode));
        dut_->scale_a_i = static_cast<uint32_t>(c.a.scale);
        dut_->scale_b_i = static_cast<uint32_t>(c.b.scale);
        dut_->bias_i = static_cast<uint32_t>(c.bias);
        const uint32_t operation = fp8rt_host_operation(&c);
        dut_->op_i = FP8RT_GET(OPERATION__OP, operation);
        dut_->c_en_i = FP8RT_GET(OPERATION__C_EN, operation);
        dut_->c_fmt_i = FP8RT_GET(OPERATION__C_FMT, operation);
        dut_->x_fmt_i = FP8RT_GET(OPERATION__X_FMT, operation);
        dut_->c_addr_i = static_cast<uint32_t>(c.c);
        dut_->c_stride_i = c.c_stride;
        dut_->beta_i = c.beta;
        dut_->mx_i = FP8RT_GET(OPERATION__MX, operation);
        dut_->mx_a_addr_i = static_cast<uint32_t>(c.a.mx);
        dut_->mx_a_stride_i = c.a.mx_stride;
        dut_->mx_b_addr_i = static_cast<uint32_t>(c.b.mx);
        dut_->mx_b_stride_i = c.b.mx_stride;
    }

    void one(const fp8rt_command &c)
    {
        give(c);
        dut_->valid_i = 1;
        dut_.settle();
        bench_.equal("ready for a command", dut_->ready_o, 1);
        dut_.tick();
        dut_->valid_i = 0;
        over_ = false;
        left_ = rng_.below(32) ? ~0u : rng_.below(4);
        fp8rt_host_walk(&caps_, &c, expect_tile, this);
        dut_.settle();
        if (!dut_->idle_o) { // a tile command was illegal, or the walk is to be dropped
            bench_.check("nothing is left", over_);
            dut_->abort_i = 1;
            dut_.tick();
            dut_->abort_i = 0;
            dut_.settle();
        }
        bench_.equal("idle", dut_->idle_o, 1);
    }

    static bool expect_tile(void *context, const fp8rt_host_tile *tile)
    {
        return static_cast<Test *>(context)->expect(*tile);
    }

    bool expect(const fp8rt_host_tile &tile)
    {
        if (left_-- == 0) {
            aborts_++;
            over_ = true;
            return false;
        }
        for (unsigned wait = 0; !dut_->valid_o; wait++) {
            if (wait == kPatience) {
                bench_.check("a tile command comes", false);
                return false;
            }
            dut_.tick();
            dut_.settle();
        }
        for (unsigned i = rng_.coin() ? rng_.below(40) : 0; i > 0; i--) {
            dut_.tick();
        }
        dut_.settle();
        compare(tile);
        dut_->ready_i = 1;
        dut_.settle();
        dut_.tick();
        dut_->ready_i = 0;
        dut_.settle();
        return !over_;
    }

    void compare(const fp8rt_host_tile &tile)
    {
        const fp8rt_command &t = tile.command;
        const bool bias = FP8RT_GET(MODE__BIAS_EN, t.mode),
                   a_vec = FP8RT_GET(MODE__SCALE_A_VEC, t.mode),
                   b_vec = FP8RT_GET(MODE__SCALE_B_VEC, t.mode);
        const auto past = [](uintptr_t address) { return address >= kAddresses; };
        const bool reads_c = fp8rt_host_reads_c(&t), elementwise = fp8rt_host_elementwise(&t);
        const bool beyond = past(t.a.address) || (!elementwise && past(t.b.address)) ||
                            (reads_c && past(t.c)) || past(t.d) || (a_vec && past(t.a.scale)) ||
                            (b_vec && past(t.b.scale)) || (bias && past(t.bias)) ||
                            (fp8rt_host_mx(&t) && (past(t.a.mx) || past(t.b.mx)));
        bench_.equal("last", dut_->last_o, tile.last);
        bench_.equal("sequence_bad", dut_->sequence_bad_o, tile.sequence_bad);
        bench_.equal("range_bad", dut_->range_bad_o, tile.range_bad || beyond);
        bench_.equal("m", dut_->m_o, dimension(t.m));
        bench_.equal("n", dut_->n_o, dimension(t.n));
        bench_.equal("k", dut_->k_o, dimension(t.k));
        bench_.equal("tag", dut_->tag_o, t.tag);
        tiles_++;
        chunks_ += FP8RT_GET(MODE__ACC_CONTINUE, t.mode);
        reuses_a_ += FP8RT_GET(MODE__REUSE_A, t.mode);
        reuses_b_ += FP8RT_GET(MODE__REUSE_B, t.mode);
        beyond_ += beyond;
        chains_ += tile.sequence_bad;
        over_ = tile.range_bad || beyond || tile.sequence_bad;
        if (over_) {
            return;
        }
        bench_.equal("acc_keep", dut_->acc_keep_o, FP8RT_GET(MODE__ACC_KEEP, t.mode));
        bench_.equal("acc_continue", dut_->acc_continue_o, FP8RT_GET(MODE__ACC_CONTINUE, t.mode));
        bench_.equal("reuse_a", dut_->reuse_a_o, FP8RT_GET(MODE__REUSE_A, t.mode));
        bench_.equal("reuse_b", dut_->reuse_b_o, FP8RT_GET(MODE__REUSE_B, t.mode));
        bench_.equal("address of A", dut_->a_addr_o, static_cast<uint32_t>(t.a.address));
        bench_.equal("C is read", dut_->c_en_o, reads_c);
        if (!elementwise) {
            bench_.equal("address of B", dut_->b_addr_o, static_cast<uint32_t>(t.b.address));
        }
        if (reads_c) {
            bench_.equal("address of C", dut_->c_addr_o, static_cast<uint32_t>(t.c));
        }
        if (fp8rt_host_mx(&t)) {
            bench_.equal("address of A's MX scales", dut_->mx_a_addr_o,
                         static_cast<uint32_t>(t.a.mx));
            bench_.equal("address of B's MX scales", dut_->mx_b_addr_o,
                         static_cast<uint32_t>(t.b.mx));
            bench_.equal("first MX scale in its beat", dut_->mx_first_o, tile.mx_first);
            with_mx_++;
            within_ += tile.mx_first != 0;
            // The check refuses a chunk that ends inside a block of scales, and what
            // follows does not matter.
            over_ = FP8RT_GET(MODE__ACC_KEEP, t.mode) && t.k % FP8MAC_MX_BLOCK != 0;
        }
        with_c_ += reads_c;
        elementwise_ += elementwise;
        bench_.equal("address of D", dut_->d_addr_o, static_cast<uint32_t>(t.d));
        bench_.equal("scale of A", dut_->scale_a_o, static_cast<uint32_t>(t.a.scale));
        bench_.equal("scale of B", dut_->scale_b_o, static_cast<uint32_t>(t.b.scale));
        if (bias) {
            bench_.equal("address of the bias", dut_->bias_o, static_cast<uint32_t>(t.bias));
        }
    }

    // Sizes of more than 16 bits are illegal, and passed on as 0.
    static uint32_t dimension(uint32_t x)
    {
        return x >> 16 ? 0 : x;
    }

    static constexpr unsigned kPatience = 100;
    tb::Bench &bench_;
    tb::Clocked<Vwalk_tb> &dut_;
    tb::Rng rng_;
    fp8rt_caps caps_{};
    bool over_ = false; // an illegal tile command was seen
    uint32_t left_ = 0; // tile commands until the walk is dropped
    uint64_t tiles_ = 0, chunks_ = 0, reuses_a_ = 0, reuses_b_ = 0, beyond_ = 0, chains_ = 0,
             aborts_ = 0, with_c_ = 0, elementwise_ = 0, with_mx_ = 0, within_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Bench bench(argc, argv);
    const unsigned commands = bench.number("--commands", 20000);
    tb::Clocked<Vwalk_tb> dut(bench);
    Test(bench, dut).run(commands);
    return bench.finish();
}
