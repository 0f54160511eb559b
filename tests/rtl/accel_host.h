// SPDX-License-Identifier: Apache-2.0
// Software's side of the accelerator: APB accesses, submitting commands, waiting. Every cycle runs
// the memory too, and compares the identifier and the attributes of the bursts with the parameters
// AXI_ID, AXI_PROT, AXI_CACHE and AXI_QOS.
#ifndef ACCEL_HOST_H
#define ACCEL_HOST_H

#include <array>
#include <cstddef>
#include <functional>
#include <map>

#include "accel_command.h"
#include "axi_memory.h"
#include "fp8mac_regs.h"
#include "tb.h"

#define REG(name) static_cast<uint32_t>(offsetof(fp8mac_regs_t, name))

// The parts of CYCLES but the idle cycles, which advance while they are read.
constexpr struct {
    const char *name;
    uint32_t reg;
} kCycleParts[] = {{"compute", REG(CYC_COMPUTE)}, {"results", REG(CYC_RESULTS)},
                   {"spacing", REG(CYC_SPACING)}, {"first load", REG(CYC_FIRST_LOAD)},
                   {"load", REG(CYC_LOAD)},       {"command", REG(CYC_COMMAND)},
                   {"store", REG(CYC_STORE)}};
#define FIELD(reg, name, value)                                                                    \
    ((static_cast<uint32_t>(value) << FP8MAC_REGS__##reg##__##name##_bp) &                         \
     FP8MAC_REGS__##reg##__##name##_bm)
#define FIELD_OF(word, reg, name)                                                                  \
    (((word) & FP8MAC_REGS__##reg##__##name##_bm) >> FP8MAC_REGS__##reg##__##name##_bp)

namespace accel
{

template <typename Dut, unsigned Beat>
class Host
{
  public:
    static constexpr uint64_t kPatience = 400000; // a wait of this many cycles counts as a hang

    Host(tb::Bench &bench, tb::Clocked<Dut> &dut, tb::Rng &rng, size_t memory_bytes)
        : memory(*dut, rng, memory_bytes), bench_(bench), dut_(dut)
    {
        dut_->psel_i = 0;
        dut_->penable_i = 0;
        dut_->pprot_i = AXI_PROT;
        memory.set_id(AXI_ID);
        memory.drive();
        dut_.reset();
    }

    axi::Memory<Dut, Beat> memory;
    // Called before each cycle, if it is set
    std::function<void()> before_tick;
    // What a wait of so many cycles does: it ends the bench, or throws Hang
    struct Hang {
    };
    uint64_t patience_cycles = kPatience;
    bool throws_hang = false;

    void tick()
    {
        if (before_tick) {
            before_tick();
        }
        memory.drive();
        dut_->clk_i = 0;
        dut_.settle();
        memory.sample();
        other_attributes_ += dut_->m_axi_arvalid_o &&
                             (dut_->m_axi_arid_o != AXI_ID || dut_->m_axi_arprot_o != AXI_PROT ||
                              dut_->m_axi_arcache_o != AXI_CACHE || dut_->m_axi_arqos_o != AXI_QOS);
        other_attributes_ += dut_->m_axi_awvalid_o &&
                             (dut_->m_axi_awid_o != AXI_ID || dut_->m_axi_awprot_o != AXI_PROT ||
                              dut_->m_axi_awcache_o != AXI_CACHE || dut_->m_axi_awqos_o != AXI_QOS);
        dut_.tick();
    }
    uint64_t cycles() const
    {
        return dut_.cycles();
    }
    // Cycles in which a burst was offered with other attributes than the parameters'
    uint64_t other_attributes() const
    {
        return other_attributes_;
    }
    bool irq()
    {
        dut_.settle();
        return dut_->irq_o;
    }

    uint32_t read(uint32_t addr)
    {
        return access(addr, false, 0);
    }
    void write(uint32_t addr, uint32_t value)
    {
        access(addr, true, value);
    }
    // Protection of the accesses that follow: what the DMA has, unless this is called
    void protect(unsigned prot)
    {
        dut_->pprot_i = static_cast<uint8_t>(prot);
    }
    bool slave_error() const
    {
        return slave_error_;
    } // of the last access

    // The command's descriptor: the registers A_ADDR .. SUBMIT, and those of its extension
    static constexpr uint32_t kWords = 20, kExtensionWords = 16;
    using Descriptor = std::vector<uint32_t>;
    static Descriptor describe(const Command &t)
    {
        Descriptor words(t.extended ? kWords + kExtensionWords : kWords);
        set(words, REG(A_ADDR), t.a_addr);
        set(words, REG(A_STRIDE), t.a_stride);
        set(words, REG(B_ADDR), t.b_addr);
        set(words, REG(B_STRIDE), t.b_stride);
        set(words, REG(D_ADDR), t.d_addr);
        set(words, REG(D_STRIDE), t.d_stride);
        set(words, REG(M), t.m);
        set(words, REG(N), t.n);
        set(words, REG(K), t.k);
        set(words, REG(TILE), FIELD(TILE, M, t.tile_m) | FIELD(TILE, N, t.tile_n));
        set(words, REG(TILE_K), FIELD(TILE_K, K, t.tile_k) | FIELD(TILE_K, FIRST, t.first_k));
        set(words, REG(MODE),
            FIELD(MODE, A_FMT, t.a_fmt % kNarrow) | FIELD(MODE, A_NARROW, t.a_fmt / kNarrow) |
                FIELD(MODE, B_FMT, t.b_fmt % kNarrow) | FIELD(MODE, B_NARROW, t.b_fmt / kNarrow) |
                FIELD(MODE, ACC_FMT, t.acc_fmt) | FIELD(MODE, D_FMT, t.d_fmt) |
                FIELD(MODE, OVERFLOW, t.overflow) | FIELD(MODE, ACT, t.act) |
                FIELD(MODE, SCALE_A_VEC, t.scale_a_vec) | FIELD(MODE, SCALE_B_VEC, t.scale_b_vec) |
                FIELD(MODE, BIAS_EN, t.bias_en) | FIELD(MODE, REUSE_A, t.reuse_a) |
                FIELD(MODE, REUSE_B, t.reuse_b) | FIELD(MODE, ACC_CONTINUE, t.acc_continue) |
                FIELD(MODE, ACC_KEEP, t.acc_keep) | FIELD(MODE, IRQ, t.irq) |
                FIELD(MODE, PASS_SHAPE, t.pass_shape) | FIELD(MODE, B_RESIDENT, t.b_resident) |
                FIELD(MODE, AFTER, t.after) | FIELD(MODE, B_FREE, t.b_free) |
                FIELD(MODE, RECORD, t.record) | FIELD(MODE, EXTENDED, t.extended));
        set(words, REG(SCALE_EXP), FIELD(SCALE_EXP, SA, t.sa) | FIELD(SCALE_EXP, SB, t.sb));
        set(words, REG(SCALE_A), t.scale_a);
        set(words, REG(SCALE_B), t.scale_b);
        set(words, REG(BIAS), t.bias);
        set(words, REG(SCALE_D), t.scale_d);
        set(words, REG(CLAMP_LO), t.clamp_lo);
        set(words, REG(CLAMP_HI), t.clamp_hi);
        set(words, REG(SUBMIT), t.tag);
        if (t.extended) {
            extend(words, t);
        }
        return words;
    }
    // Writes the registers whose contents differ, then submits.
    void submit(const Command &t)
    {
        const Descriptor words = describe(t);
        for (uint32_t i = 0; i + 1 < kWords; i++) {
            update(REG(A_ADDR) + 4 * i, words[i]);
        }
        for (uint32_t i = kWords; i < words.size(); i++) {
            update(REG(OPERATION) + 4 * (i - kWords), words[i]);
        }
        write(REG(SUBMIT), words[kWords - 1]);
    }
    // Bytes of a descriptor, in whole beats: the next one of a list is behind them
    static uint32_t bytes_of(const Descriptor &words)
    {
        return (static_cast<uint32_t>(words.size()) * 4 + Beat - 1) / Beat * Beat;
    }
    // What the descriptor says of the list that it is part of
    static void link(Descriptor &words, bool more, bool pause)
    {
        words[kWords - 1] |= FIELD(SUBMIT, MORE, more) | FIELD(SUBMIT, PAUSE, pause);
    }
    // Submits the command whose descriptor lies at this address.
    void ring(uint32_t descriptor)
    {
        write(REG(DOORBELL), descriptor);
    }
    // Words of both tables, which are taken as one
    void load_tables(size_t first, size_t end)
    {
        write(REG(TABLE_INDEX), FIELD(TABLE_INDEX, SECOND, first / 64) | first % 64);
        for (size_t i = first; i < end; i++) {
            uint32_t word;
            std::memcpy(&word, &code_tables()[i / 64][i % 64 * 4], sizeof word);
            write(REG(TABLE_DATA), word);
        }
    }
    void wait_for_room()
    {
        const uint64_t start = cycles();
        while (FIELD_OF(read(REG(STATUS)), STATUS, QUEUE_FULL)) {
            patience(start, "room in the queue");
        }
    }
    // The last STATUS read
    uint32_t wait_idle()
    {
        const uint64_t start = cycles();
        uint32_t status;
        while (!FIELD_OF(status = read(REG(STATUS)), STATUS, IDLE)) {
            patience(start, "idle");
        }
        return status;
    }
    void wait_irq()
    {
        const uint64_t start = cycles();
        while (!irq()) {
            tick();
            patience(start, "the interrupt");
        }
    }
    void clear(uint32_t what)
    {
        write(REG(CTRL), what);
    }

  private:
    uint32_t access(uint32_t addr, bool is_write, uint32_t value)
    {
        dut_->psel_i = 1;
        dut_->penable_i = 0;
        dut_->pwrite_i = is_write;
        dut_->paddr_i = static_cast<uint16_t>(addr);
        dut_->pwdata_i = value;
        dut_->pstrb_i = is_write ? 0xf : 0;
        tick();
        dut_->penable_i = 1;
        const uint64_t start = cycles();
        for (;;) {
            dut_.settle();
            if (dut_->pready_o) {
                break;
            }
            tick();
            patience(start, "PREADY");
        }
        const uint32_t data = dut_->prdata_o;
        slave_error_ = dut_->pslverr_o;
        tick();
        dut_->psel_i = 0;
        dut_->penable_i = 0;
        return data;
    }
    static void set(Descriptor &words, uint32_t addr, uint32_t value)
    {
        words.at((addr - REG(A_ADDR)) / 4) = value;
    }
    static void set_extension(Descriptor &words, uint32_t addr, uint32_t value)
    {
        words.at(kWords + (addr - REG(OPERATION)) / 4) = value;
    }
    static void extend(Descriptor &words, const Command &t)
    {
        set_extension(
            words, REG(OPERATION),
            FIELD(OPERATION, OP, t.op) | FIELD(OPERATION, C_EN, t.c_en) |
                FIELD(OPERATION, C_FMT, t.c_fmt) | FIELD(OPERATION, X_FMT, t.x_fmt) |
                FIELD(OPERATION, ROUNDING, t.stochastic) |
                FIELD(OPERATION, ACT_TABLE, t.act_table) | FIELD(OPERATION, CONV_A, t.conv_a) |
                FIELD(OPERATION, MX, t.mx) | FIELD(OPERATION, ROW_OP, t.row_op) |
                FIELD(OPERATION, CAUSAL, t.causal) | FIELD(OPERATION, DEPTHWISE, t.depthwise) |
                FIELD(OPERATION, MAXIMUM, t.maximum) | FIELD(OPERATION, LOAD_TABLE, t.load_table) |
                FIELD(OPERATION, PAIRS, t.pairs));
        set_extension(words, REG(C_ADDR), t.c_addr);
        set_extension(words, REG(C_STRIDE), t.c_stride);
        set_extension(words, REG(BETA), t.beta);
        set_extension(words, REG(SEED), t.seed);
        for (uint32_t i = 0; i < 6; i++) {
            set_extension(words, REG(CONV_LINE) + 4 * i, t.conv[i]);
        }
        set_extension(words, REG(MX_A_ADDR), t.mx_a_addr);
        set_extension(words, REG(MX_A_STRIDE), t.mx_a_stride);
        set_extension(words, REG(MX_B_ADDR), t.mx_b_addr);
        set_extension(words, REG(MX_B_STRIDE), t.mx_b_stride);
        set_extension(words, REG(TABLE_ADDR), t.table_addr);
    }
    void update(uint32_t addr, uint32_t value)
    {
        const auto known = shadow_.find(addr);
        if (known != shadow_.end() && known->second == value) {
            return;
        }
        write(addr, value);
        shadow_[addr] = value;
    }
    void patience(uint64_t start, const char *what)
    {
        if (cycles() - start < patience_cycles) {
            return;
        }
        if (throws_hang) {
            throw Hang{};
        }
        bench_.check((std::string("waited in vain for ") + what).c_str(), false);
        std::exit(bench_.finish());
    }

    tb::Bench &bench_;
    tb::Clocked<Dut> &dut_;
    std::map<uint32_t, uint32_t> shadow_;
    bool slave_error_ = false;
    uint64_t other_attributes_ = 0;
};

} // namespace accel

#endif
