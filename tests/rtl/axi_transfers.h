// SPDX-License-Identifier: Apache-2.0
// The transfers of an AXI4 bus, as the master's ports show them: cycle, channel, address and bytes.
#ifndef AXI_TRANSFERS_H
#define AXI_TRANSFERS_H

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace axi
{

enum Channel : unsigned { Ar, R, Aw, W, B, kChannels };

struct Transfer {
    uint64_t cycle;
    unsigned channel;
    uint64_t addr;
    unsigned bytes;
    bool operator==(const Transfer &o) const
    {
        return cycle == o.cycle && channel == o.channel && addr == o.addr && bytes == o.bytes;
    }
};

template <typename Dut, unsigned Beat>
class Transfers
{
  public:
    // The handshakes just before an edge. `read_addr`: of the beat on R.
    void record(const Dut &dut, uint64_t cycle, uint64_t read_addr)
    {
        const unsigned ar = (dut.m_axi_arlen_o + 1u) * Beat, aw = (dut.m_axi_awlen_o + 1u) * Beat;
        const auto add = [&](unsigned channel, uint64_t addr, unsigned bytes) {
            all_.push_back(Transfer{cycle, channel, addr, bytes});
        };
        if (dut.m_axi_arvalid_o && dut.m_axi_arready_i) {
            add(Ar, dut.m_axi_araddr_o, ar);
        }
        if (dut.m_axi_rvalid_i && dut.m_axi_rready_o) {
            add(R, read_addr, Beat);
        }
        if (dut.m_axi_awvalid_o && dut.m_axi_awready_i) {
            add(Aw, dut.m_axi_awaddr_o, aw);
            writes_.push_back({dut.m_axi_awaddr_o, aw});
        }
        if (dut.m_axi_wvalid_o && dut.m_axi_wready_i) {
            add(W, moved_, static_cast<unsigned>(__builtin_popcountll(dut.m_axi_wstrb_o)));
            moved_ = dut.m_axi_wlast_o ? 0 : moved_ + Beat;
        }
        if (dut.m_axi_bvalid_i && dut.m_axi_bready_o) {
            add(B, writes_.front().first, writes_.front().second);
            writes_.pop_front();
        }
    }

    // Those since the last call, in their order. The bus is quiet.
    std::vector<Transfer> take()
    {
        std::vector<Transfer> taken;
        taken.swap(all_);
        place_writes(taken);
        return taken;
    }

  private:
    // Beats of W may come before their address: until here they have their place in the burst.
    static void place_writes(std::vector<Transfer> &all)
    {
        std::deque<uint64_t> bursts;
        for (const Transfer &t : all) {
            if (t.channel == Aw) {
                bursts.push_back(t.addr);
            }
        }
        uint64_t base = 0;
        for (Transfer &t : all) {
            if (t.channel == W && t.addr == 0) {
                base = bursts.front();
                bursts.pop_front();
            }
            t.addr += t.channel == W ? base : 0;
        }
    }

    std::vector<Transfer> all_;
    std::deque<std::pair<uint64_t, unsigned>> writes_; // addresses and bytes, until B
    uint64_t moved_ = 0;                               // of the burst on W
};

} // namespace axi

#endif
