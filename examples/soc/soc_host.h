// SPDX-License-Identifier: Apache-2.0
// The host of soc_top: clock, APB accesses, memory words.
#ifndef SOC_HOST_H
#define SOC_HOST_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "Vsoc_top.h"
#include "fp8mac_regs.h"
#include "verilated.h"

// Address of a register, and a value in the place of a field.
#define SOC_REG(name) static_cast<uint32_t>(offsetof(fp8mac_regs_t, name))
#define SOC_FIELD(field, value) (static_cast<uint32_t>(value) << FP8MAC_REGS__##field##_bp)

// Codes of MODE, as the register map lists them.
constexpr uint32_t kE4m3fn = 0;     // a_fmt, b_fmt
constexpr uint32_t kAccFloat32 = 0; // acc_fmt
constexpr uint32_t kDFloat32 = 6;   // d_fmt

class SocHost
{
  public:
    static constexpr uint32_t kBeat = 8; // bytes of an AXI beat: soc_top's AXI_DATA_W / 8

    SocHost()
    {
        for (int i = 0; i < 4; i++) {
            tick();
        }
        top_.rst_ni = 1;
        tick();
    }
    ~SocHost()
    {
        top_.final();
    }

    uint32_t read(uint32_t address)
    {
        return access(address, false, 0);
    }
    void write(uint32_t address, uint32_t value)
    {
        access(address, true, value);
    }

    // Whole words; `address` is a multiple of kBeat.
    void store(uint32_t address, const void *from, size_t bytes)
    {
        for (size_t at = 0; at < bytes; at += kBeat) {
            uint64_t word = 0;
            std::memcpy(&word, static_cast<const uint8_t *>(from) + at,
                        bytes - at < kBeat ? bytes - at : kBeat);
            top_.mem_addr_i = address + static_cast<uint32_t>(at);
            top_.mem_wdata_i = word;
            top_.mem_we_i = 1;
            tick();
        }
        top_.mem_we_i = 0;
    }
    void load(void *to, uint32_t address, size_t bytes)
    {
        for (size_t at = 0; at < bytes; at += kBeat) {
            top_.mem_addr_i = address + static_cast<uint32_t>(at);
            top_.eval();
            const uint64_t word = top_.mem_rdata_o;
            std::memcpy(static_cast<uint8_t *>(to) + at, &word,
                        bytes - at < kBeat ? bytes - at : kBeat);
        }
    }

    bool irq()
    {
        top_.eval();
        return top_.irq_o;
    }
    void tick()
    {
        if (++cycles_ > kPatience) {
            throw std::runtime_error("the accelerator did not finish");
        }
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
    }
    uint64_t cycles() const
    {
        return cycles_;
    }

  private:
    static constexpr uint64_t kPatience = 100000;

    // One APB transfer: the setup cycle, then the access cycle until the slave is ready.
    uint32_t access(uint32_t address, bool is_write, uint32_t value)
    {
        top_.psel_i = 1;
        top_.penable_i = 0;
        top_.pwrite_i = is_write;
        top_.paddr_i = static_cast<uint16_t>(address);
        top_.pwdata_i = value;
        tick();
        top_.penable_i = 1;
        top_.eval();
        while (!top_.pready_o) {
            tick();
            top_.eval();
        }
        const uint32_t answer = top_.prdata_o;
        const bool refused = top_.pslverr_o;
        tick();
        top_.psel_i = 0;
        top_.penable_i = 0;
        if (refused) {
            throw std::runtime_error("an APB access was refused");
        }
        return answer;
    }

    Vsoc_top top_;
    uint64_t cycles_ = 0;
};

// D = A * B^T: A is m rows of k codes, B n rows, D m rows of n FP32 values.
struct SocGemm {
    uint32_t m, n, k;
    uint32_t a, a_stride, b, b_stride, d, d_stride; // bytes, multiples of SocHost::kBeat
};

// Runs one command with E4M3FN operands, and returns the cycles from the first register
// write to the interrupt.
inline uint64_t soc_run(SocHost &host, const SocGemm &gemm)
{
    const uint64_t start = host.cycles();
    host.write(SOC_REG(A_ADDR), gemm.a);
    host.write(SOC_REG(A_STRIDE), gemm.a_stride);
    host.write(SOC_REG(B_ADDR), gemm.b);
    host.write(SOC_REG(B_STRIDE), gemm.b_stride);
    host.write(SOC_REG(D_ADDR), gemm.d);
    host.write(SOC_REG(D_STRIDE), gemm.d_stride);
    host.write(SOC_REG(M), gemm.m);
    host.write(SOC_REG(N), gemm.n);
    host.write(SOC_REG(K), gemm.k);
    host.write(SOC_REG(MODE), SOC_FIELD(MODE__A_FMT, kE4m3fn) | SOC_FIELD(MODE__B_FMT, kE4m3fn) |
                                  SOC_FIELD(MODE__ACC_FMT, kAccFloat32) |
                                  SOC_FIELD(MODE__D_FMT, kDFloat32) | SOC_FIELD(MODE__IRQ, 1));
    host.write(SOC_REG(IRQ_ENABLE),
               SOC_FIELD(IRQ_ENABLE__DONE, 1) | SOC_FIELD(IRQ_ENABLE__ERROR, 1));
    host.write(SOC_REG(SUBMIT), 1);
    while (!host.irq()) {
        host.tick();
    }
    const uint64_t cycles = host.cycles() - start;
    const uint32_t status = host.read(SOC_REG(STATUS));
    if (status & FP8MAC_REGS__STATUS__ERROR_bm) {
        throw std::runtime_error("the accelerator refused the command");
    }
    host.write(SOC_REG(IRQ_STATE), SOC_FIELD(IRQ_STATE__DONE, 1));
    return cycles;
}

#endif
