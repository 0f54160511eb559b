// SPDX-License-Identifier: Apache-2.0
// When the simulated chip's RAM is ready, and when it answers: rtl/system/fp8mac_sys_axi_read.sv,
// fp8mac_sys_axi_write.sv and fp8mac_sys_stall.sv, written from their comments. It knows no
// addresses and no data.
#ifndef AXI_CHIP_H
#define AXI_CHIP_H

#include <cstdint>
#include <deque>

namespace axi
{

class ChipTiming
{
  public:
    unsigned latency = 0, stall_permille = 0;
    uint64_t stall_state = 1; // of xorshift64, which steps once a cycle if there are stalls

    // Before the edge
    bool ar_ready() const
    {
        return reads_.size() < kReads && !stalled(4);
    }
    bool r_valid() const
    {
        return shown_ != 0 && (r_waits_ || !stalled(3));
    }
    bool aw_ready() const
    {
        return writes_.size() < kWrites && !stalled(2);
    }
    bool w_ready() const
    {
        return !writes_.empty() && answers_.size() < kWrites && !stalled(1);
    }
    bool b_valid() const
    {
        return !answers_.empty() && (b_waits_ || (is_due(answers_.front()) && !stalled(0)));
    }

    // Beats of the bursts whose addresses are taken at this edge, 0 for none
    struct Moved {
        unsigned ar, aw;
        bool r, w, b;
    };
    void clock(const Moved &moved)
    {
        r_waits_ = r_valid() && !moved.r;
        b_waits_ = b_valid() && !moved.b;
        const bool issue =
            !reads_.empty() && is_due(reads_.front().arrival) && shown_ + issued_ < kBeats;
        shown_ += issued_;
        shown_ -= moved.r;
        issued_ = issue;
        if (issue && --reads_.front().beats == 0) {
            reads_.pop_front();
        }
        if (moved.ar != 0) {
            reads_.push_back(Burst{now_, moved.ar});
        }
        if (moved.b) {
            answers_.pop_front();
        }
        if (moved.w && --writes_.front() == 0) {
            writes_.pop_front();
            answers_.push_back(now_);
        }
        if (moved.aw != 0) {
            writes_.push_back(moved.aw);
        }
        draw();
        now_++;
    }

  private:
    static constexpr unsigned kReads = 32, kWrites = 16, kBeats = 4;

    struct Burst {
        uint64_t arrival;
        unsigned beats;
    };

    bool is_due(uint64_t arrival) const
    {
        return now_ - arrival > latency;
    }
    bool stalled(unsigned channel) const
    {
        return (stall_state >> 10 * channel & 1023) * 1000 < stall_permille * 1024;
    }
    void draw()
    {
        if (stall_permille != 0) {
            stall_state ^= stall_state << 13;
            stall_state ^= stall_state >> 7;
            stall_state ^= stall_state << 17;
        }
    }

    std::deque<Burst> reads_;
    std::deque<unsigned> writes_; // beats that are still to come
    std::deque<uint64_t> answers_;
    unsigned shown_ = 0;
    bool issued_ = false, r_waits_ = false, b_waits_ = false;
    uint64_t now_ = 0;
};

} // namespace axi

#endif
