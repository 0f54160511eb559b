// SPDX-License-Identifier: Apache-2.0
// An AXI4 slave with memory, for one master that uses one identifier. It has random latency and
// stalls on every channel and error responses by address. It checks that the master keeps to the
// protocol. Responses come in order.
//
// Per clock: drive() sets the slave's outputs before the edge. sample() reads the handshakes just
// before the edge.
#ifndef AXI_MEMORY_H
#define AXI_MEMORY_H

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "axi_chip.h"
#include "axi_transfers.h"
#include "tb.h"

namespace axi
{

enum Response : uint8_t { Okay = 0, SlvErr = 2, DecErr = 3 };

struct Timing {
    unsigned stall_permille = 0; // probability of a stall per channel and cycle
    unsigned latency =
        4; // cycles from an address to its first response, plus a random part as large
    bool random_latency = true;
    bool chip = false;        // as the simulated chip's RAM, without a random part, faults or stops
    uint64_t stall_state = 1; // of the chip's generator; else the bench's draws the stalls
};

// Addresses lo..hi (inclusive) answer with `response`.
struct Fault {
    uint64_t lo, hi;
    Response response;
};

// From beat number `beat` on, counted from set_stop, one channel or all of them are silent: for
// `cycles` in which a beat could move, or until release() if that is 0. With a response other than
// Okay, the beat is not late but has this response.
struct Stop {
    static constexpr unsigned kNever = kChannels + 1, kAll = kChannels;
    unsigned channel = kNever;
    uint64_t beat = 0;
    uint64_t cycles = 0;
    Response response = Okay;
};

constexpr uint64_t kMemoryBase = 0x80000000u;

template <typename Dut, unsigned Beat>
class Memory
{
  public:
    Memory(Dut &dut, tb::Rng &rng, size_t bytes) : dut_(dut), rng_(rng), bytes_(bytes) {}

    std::vector<uint8_t> &bytes()
    {
        return bytes_;
    }
    // The master's identifier, which every answer has
    void set_id(uint8_t id)
    {
        id_ = id;
    }
    void set_timing(const Timing &timing)
    {
        timing_ = timing;
        chip_.latency = timing.latency;
        chip_.stall_permille = timing.stall_permille;
        chip_.stall_state = timing.stall_state;
    }
    void set_faults(std::vector<Fault> read, std::vector<Fault> write)
    {
        read_faults_ = std::move(read);
        write_faults_ = std::move(write);
    }
    void set_stop(const Stop &stop)
    {
        stop_ = stop;
        std::memcpy(stop_base_, moved_, sizeof moved_);
        stopped_ = 0;
    }
    void release()
    {
        set_stop(Stop{});
    }
    // Cycles in which a beat was late because of set_stop
    uint64_t stopped() const
    {
        return stopped_;
    }
    // Beats that the channel moved; all of them together with Stop::kAll
    uint64_t moved(unsigned channel) const
    {
        return channel == Stop::kAll ? moved_[Ar] + moved_[R] + moved_[Aw] + moved_[W] + moved_[B]
                                     : moved_[channel];
    }
    uint64_t read_beats() const
    {
        return moved_[R];
    }
    uint64_t write_beats() const
    {
        return moved_[W];
    }
    uint64_t bursts() const
    {
        return moved_[Ar] + moved_[Aw];
    }
    // Cycles in which a burst, its address taken, waited for the master's data
    uint64_t data_waits() const
    {
        return data_waits_;
    }
    // Write bursts of several beats
    uint64_t long_writes() const
    {
        return long_writes_;
    }
    unsigned most_reads_in_flight() const
    {
        return most_reads_;
    }
    unsigned most_writes_in_flight() const
    {
        return most_writes_;
    }
    uint64_t stall_state() const
    {
        return chip_.stall_state;
    }
    // The transfers since the last call, or since listen(), in their order. The bus is quiet at
    // both.
    std::vector<Transfer> take_transfers()
    {
        return transfers_.take();
    }
    void listen()
    {
        listens_ = true;
    }
    uint64_t now() const
    {
        return now_;
    }
    bool quiet() const
    {
        return reads_.empty() && writes_.empty() && write_data_.empty() && answers_.empty();
    }
    // A violation of the protocol by the master; empty if there is none.
    const std::string &violation() const
    {
        return violation_;
    }

    void drive()
    {
        dut_.m_axi_arready_i = timing_.chip ? chip_.ar_ready() : go() && !stops(Ar);
        dut_.m_axi_awready_i = timing_.chip ? chip_.aw_ready() : go() && !stops(Aw);
        dut_.m_axi_wready_i = timing_.chip ? chip_.w_ready() : go() && !stops(W);
        dut_.m_axi_rid_i = id_;
        dut_.m_axi_bid_i = id_;
        // A response that was offered stays until it is taken.
        if (timing_.chip) {
            r_offered_ = chip_.r_valid();
            b_offered_ = chip_.b_valid();
        } else if (!r_offered_) {
            r_offered_ = !reads_.empty() && reads_.front().due <= now_ && go() && !late(R);
        }
        if (!timing_.chip && !b_offered_) {
            b_offered_ = !answers_.empty() && answers_.front().due <= now_ && go() && !late(B);
        }
        dut_.m_axi_rvalid_i = r_offered_;
        dut_.m_axi_bvalid_i = b_offered_;
        if (r_offered_) {
            const Burst &burst = reads_.front();
            const Response response =
                errs(R) ? stop_.response : respond(read_faults_, burst.addr, burst.addr + Beat - 1);
            uint8_t data[Beat];
            for (unsigned i = 0; i < Beat; i++) {
                data[i] = response == Okay ? at(burst.addr + i) : rng_.code8();
            }
            if (!r_filled_) {
                std::memcpy(static_cast<void *>(&dut_.m_axi_rdata_i), data, Beat);
            }
            r_filled_ = true;
            dut_.m_axi_rresp_i = response;
            dut_.m_axi_rlast_i = burst.beats == 1;
        }
        if (b_offered_) {
            dut_.m_axi_bresp_i = errs(B) ? stop_.response : answers_.front().response;
        }
    }

    void sample()
    {
        if (listens_) {
            transfers_.record(dut_, now_, reads_.empty() ? 0 : reads_.front().addr);
        }
        now_++;
        if (timing_.chip) {
            clock_chip();
        }
        stopped_ += dut_.m_axi_arvalid_o && stops(Ar);
        stopped_ += dut_.m_axi_awvalid_o && stops(Aw);
        stopped_ += dut_.m_axi_wvalid_o && stops(W);
        watch(ar_, dut_.m_axi_arvalid_o, dut_.m_axi_arready_i, dut_.m_axi_araddr_o,
              dut_.m_axi_arlen_o, "AR");
        watch(aw_, dut_.m_axi_awvalid_o, dut_.m_axi_awready_i, dut_.m_axi_awaddr_o,
              dut_.m_axi_awlen_o, "AW");
        watch(w_, dut_.m_axi_wvalid_o, dut_.m_axi_wready_i, hash_w(), dut_.m_axi_wlast_o, "W");
        if (dut_.m_axi_rvalid_i && dut_.m_axi_rready_o) {
            moved_[R]++;
            r_offered_ = r_filled_ = false;
            reads_.front().addr += Beat;
            if (--reads_.front().beats == 0) {
                reads_.pop_front();
            }
        }
        if (dut_.m_axi_bvalid_i && dut_.m_axi_bready_o) {
            moved_[B]++;
            b_offered_ = false;
            answers_.pop_front();
        }
        data_waits_ += !writes_.empty() && dut_.m_axi_wready_i && !dut_.m_axi_wvalid_o;
        if (dut_.m_axi_arvalid_o && dut_.m_axi_arready_i) {
            moved_[Ar]++;
            reads_.push_back(burst(dut_.m_axi_araddr_o, dut_.m_axi_arlen_o, dut_.m_axi_arsize_o,
                                   dut_.m_axi_arburst_o));
        }
        if (dut_.m_axi_awvalid_o && dut_.m_axi_awready_i) {
            moved_[Aw]++;
            long_writes_ += dut_.m_axi_awlen_o != 0;
            writes_.push_back(burst(dut_.m_axi_awaddr_o, dut_.m_axi_awlen_o, dut_.m_axi_awsize_o,
                                    dut_.m_axi_awburst_o));
        }
        if (dut_.m_axi_wvalid_o && dut_.m_axi_wready_i) {
            moved_[W]++;
            Data data;
            std::memcpy(data.bytes, static_cast<const void *>(&dut_.m_axi_wdata_o), Beat);
            data.strobes = dut_.m_axi_wstrb_o;
            data.last = dut_.m_axi_wlast_o;
            write_data_.push_back(data);
        }
        write();
        if (reads_.size() > most_reads_) {
            most_reads_ = static_cast<unsigned>(reads_.size());
        }
        const size_t writing = writes_.size() + answers_.size();
        if (writing > most_writes_) {
            most_writes_ = static_cast<unsigned>(writing);
        }
    }

  private:
    struct Burst {
        uint64_t addr, start, due;
        unsigned beats;
    };
    struct Data {
        uint8_t bytes[Beat];
        uint64_t strobes;
        bool last;
    };
    struct Answer {
        uint64_t due;
        Response response;
    };
    struct Watched {
        bool waiting = false;
        uint64_t a = 0, b = 0;
    };

    // Whether set_stop has begun, and stops the channel.
    bool stops(unsigned channel) const
    {
        const bool chosen = stop_.channel == channel || stop_.channel == Stop::kAll;
        return chosen && stop_.response == Okay && reached() &&
               (stop_.cycles == 0 || stopped_ < stop_.cycles);
    }
    bool late(unsigned channel)
    {
        stopped_ += stops(channel);
        return stops(channel);
    }
    bool errs(unsigned channel) const
    {
        return stop_.channel == channel && stop_.response != Okay &&
               moved_[channel] - stop_base_[channel] == stop_.beat;
    }
    bool reached() const
    {
        uint64_t count = 0;
        for (unsigned c = 0; c < kChannels; c++) {
            count +=
                stop_.channel == c || stop_.channel == Stop::kAll ? moved_[c] - stop_base_[c] : 0;
        }
        return count >= stop_.beat;
    }

    void clock_chip()
    {
        const bool ar = dut_.m_axi_arvalid_o && dut_.m_axi_arready_i;
        const bool aw = dut_.m_axi_awvalid_o && dut_.m_axi_awready_i;
        chip_.clock({ar ? dut_.m_axi_arlen_o + 1u : 0, aw ? dut_.m_axi_awlen_o + 1u : 0,
                     dut_.m_axi_rvalid_i && dut_.m_axi_rready_o,
                     dut_.m_axi_wvalid_o && dut_.m_axi_wready_i,
                     dut_.m_axi_bvalid_i && dut_.m_axi_bready_o});
    }
    bool go()
    {
        return !rng_.chance(timing_.stall_permille);
    }
    bool inside(uint64_t addr) const
    {
        return addr >= kMemoryBase && addr - kMemoryBase < bytes_.size();
    }
    uint8_t &at(uint64_t addr)
    {
        return bytes_[addr - kMemoryBase];
    }
    uint64_t due()
    {
        return now_ + timing_.latency +
               (timing_.random_latency ? rng_.below(timing_.latency + 1) : 0);
    }
    void violated(const std::string &what)
    {
        if (violation_.empty()) {
            violation_ = what;
        }
    }

    Response respond(const std::vector<Fault> &faults, uint64_t lo, uint64_t hi) const
    {
        for (const Fault &fault : faults) {
            if (lo <= fault.hi && hi >= fault.lo) {
                return fault.response;
            }
        }
        return inside(lo) && inside(hi) ? Okay : DecErr;
    }

    Burst burst(uint64_t addr, unsigned len, unsigned size, unsigned kind)
    {
        const uint64_t last = addr + (len + 1) * uint64_t(Beat) - 1;
        if (addr % Beat != 0) {
            violated("address is not aligned");
        }
        if (len > 15) {
            violated("more than 16 beats");
        }
        if ((1u << size) != Beat || kind != 1) {
            violated("not an INCR burst of whole beats");
        }
        if (addr / 4096 != last / 4096) {
            violated("burst crosses 4 KiB");
        }
        return Burst{addr, addr, due(), len + 1};
    }

    // A burst is written once its address and all its data have arrived. Data may come before the
    // address.
    void write()
    {
        while (!writes_.empty() && !write_data_.empty()) {
            Burst &burst = writes_.front();
            const Data &data = write_data_.front();
            if (data.last != (burst.beats == 1)) {
                violated("WLAST in the wrong place");
            }
            const Response response = respond(write_faults_, burst.addr, burst.addr + Beat - 1);
            if (response != Okay && answer_ == Okay) {
                answer_ = response;
            }
            for (unsigned i = 0; i < Beat && response == Okay; i++) {
                if (data.strobes >> i & 1) {
                    at(burst.addr + i) = data.bytes[i];
                }
            }
            burst.addr += Beat;
            if (--burst.beats == 0) {
                answers_.push_back(Answer{due(), answer_});
                answer_ = Okay;
                writes_.pop_front();
            }
            write_data_.pop_front();
        }
    }

    // A channel's valid and payload stay until ready.
    void watch(Watched &channel, bool valid, bool ready, uint64_t a, uint64_t b, const char *name)
    {
        if (channel.waiting && (!valid || a != channel.a || b != channel.b)) {
            violated(std::string(name) + " changed while it waited");
        }
        channel = Watched{valid && !ready, a, b};
    }
    uint64_t hash_w() const
    {
        uint8_t data[Beat];
        std::memcpy(data, static_cast<const void *>(&dut_.m_axi_wdata_o), Beat);
        uint64_t hash = dut_.m_axi_wstrb_o;
        for (uint8_t byte : data) {
            hash = hash * 0x100000001b3u + byte;
        }
        return hash;
    }

    Dut &dut_;
    tb::Rng &rng_;
    std::vector<uint8_t> bytes_;
    uint8_t id_ = 0;
    Timing timing_;
    ChipTiming chip_;
    std::vector<Fault> read_faults_, write_faults_;
    std::deque<Burst> reads_, writes_;
    std::deque<Data> write_data_;
    std::deque<Answer> answers_;
    Response answer_ = Okay; // of the burst being written
    bool r_offered_ = false, r_filled_ = false, b_offered_ = false;
    Watched ar_, aw_, w_;
    Stop stop_;
    bool listens_ = false;
    Transfers<Dut, Beat> transfers_;
    uint64_t moved_[kChannels] = {}, stop_base_[kChannels] = {}, stopped_ = 0;
    uint64_t data_waits_ = 0, long_writes_ = 0;
    uint64_t now_ = 0;
    unsigned most_reads_ = 0, most_writes_ = 0;
    std::string violation_;
};

} // namespace axi

#endif
