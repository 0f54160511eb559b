// SPDX-License-Identifier: Apache-2.0
// The functions that sim/fast/fp8mac_grid.sv imports. A grid gathers the steps of a block. It joins
// a closed block with its accumulators when the array hands them over, phase after phase.
#include <svdpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fast/block.h"
#include "fp8mac/catalogue.h"
#include "fp8mac/preset.h"

namespace
{

// An accumulator of FP16 as the array keeps it (rtl/element/shared/fp8mac_acc_code.sv): FP32's
// code of the value. Below 2^-14 the field stays at that of 2^-14, the significand has no leading
// bit, and the lowest fraction bit is set.
constexpr unsigned fp16_frac_bits = 10, fp32_frac_bits = 23;
constexpr unsigned fewer_bits = fp32_frac_bits - fp16_frac_bits;
constexpr uint32_t fp16_field_max = 31, fp32_field_max = 255, field_offset = 112;
constexpr uint32_t fp16_fraction = (1u << fp16_frac_bits) - 1;

uint32_t to_array(uint32_t code)
{
    const uint32_t sign = code >> 15 << 31, fraction = (code & fp16_fraction) << fewer_bits;
    const uint32_t field = code >> fp16_frac_bits & fp16_field_max, below = field == 0;
    if (field == fp16_field_max) {
        return sign | fp32_field_max << fp32_frac_bits | fraction;
    }
    return sign | (field + below + field_offset) << fp32_frac_bits | fraction | below;
}

uint32_t from_array(uint32_t word)
{
    const uint32_t sign = word >> 31 << 15, fraction = word >> fewer_bits & fp16_fraction;
    const uint32_t field = word >> fp32_frac_bits & fp32_field_max;
    if (field == fp32_field_max) {
        return sign | fp16_field_max << fp16_frac_bits | fraction;
    }
    return sign | ((word & 1) != 0 ? 0 : field - field_offset) << fp16_frac_bits | fraction;
}

// What all steps of a block have in common.
struct Settings {
    unsigned a_format, b_format;
    bool acc_fp16;
    int scale_sum;

    bool operator==(const Settings &other) const
    {
        return a_format == other.a_format && b_format == other.b_format &&
               acc_fp16 == other.acc_fp16 && scale_sum == other.scale_sum;
    }
};

// The codes of the present operands of one row of A or one column of B.
struct Codes {
    unsigned n = 0;
    uint8_t code[FP8SIM_BLOCK_MAX];
};

// A block whose last step has been issued. Rows and columns that are not enabled have n = 0.
struct Block {
    std::shared_ptr<const fp8sim_block_config> config;
    std::vector<fp8sim_block_operands> a, b;
};

class Grid
{
  public:
    Grid(unsigned rows, unsigned cols, unsigned lanes, unsigned share, unsigned kind,
         unsigned frac_bits)
        : rows_(rows), cols_(cols), lanes_(lanes), share_(share), a_(rows), b_(cols)
    {
        if (fp8mac_element_config(kind, lanes, frac_bits, &dot_) != FP8MAC_OK) {
            refuse();
        }
        configure({0, 0, false, 0});
        for (Block &block : closed_) {
            block.a.resize(rows);
            block.b.resize(cols);
        }
    }

    void reset()
    {
        oldest_ = count_ = phase_ = 0;
    }

    void step(bool first, bool last, const Settings &settings, uint32_t row_en, uint32_t col_en,
              uint32_t lane_en, const uint8_t *a, const uint8_t *b, const uint8_t *a_scale,
              const uint8_t *b_scale)
    {
        gather(a_, first, row_en, lane_en, a);
        gather(b_, first, col_en, lane_en, b);
        if (last) {
            close(settings, a_scale, b_scale);
        }
    }

    // The next phase of the oldest closed block.
    void join(bool acc_first, const uint32_t *acc, uint32_t *result, uint8_t *flags)
    {
        const Block &block = closed_[oldest_];
        const bool fp16 = block.config->dot.acc_format == FP8MAC_ACC_FP16;
        for (unsigned r = phase_; r < rows_; r += share_) {
            for (unsigned c = 0; c < cols_; c++) {
                const unsigned unit = r / share_ * cols_ + c;
                const uint32_t before = acc_first ? 0 : fp16 ? from_array(acc[unit]) : acc[unit];
                uint32_t after = 0;
                fp8mac_flags raised = 0;
                if (block.a[r].n != 0 && block.b[c].n != 0) {
                    after = fp8sim_block_join(block.config.get(), before, &block.a[r], &block.b[c],
                                              &raised);
                }
                result[unit] = fp16 ? to_array(after) : after;
                flags[unit] = static_cast<uint8_t>(raised);
            }
        }
        if (++phase_ == share_) {
            phase_ = 0;
            oldest_ = (oldest_ + 1) % closed_max;
            count_--;
        }
    }

  private:
    // Blocks between their last step and their last phase
    static constexpr unsigned closed_max = 16;

    [[noreturn]] static void refuse()
    {
        std::fprintf(stderr, "fp8mac-sim: the fast array does not compute these elements\n");
        std::exit(2);
    }

    void configure(const Settings &settings)
    {
        constexpr int most = FP8MAC_SCALE_EXPONENT_MAX;
        settings_ = settings;
        dot_.a.format = fp8mac_format_get(static_cast<fp8mac_format_id>(settings.a_format));
        dot_.b.format = fp8mac_format_get(static_cast<fp8mac_format_id>(settings.b_format));
        dot_.acc_format = settings.acc_fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
        dot_.a.scale_exp = settings.scale_sum / 2;
        dot_.b.scale_exp = settings.scale_sum - dot_.a.scale_exp;
        auto config = std::make_shared<fp8sim_block_config>();
        if (dot_.b.scale_exp > most || dot_.b.scale_exp < -most ||
            !fp8sim_block_init(config.get(), &dot_)) {
            refuse();
        }
        config_ = config;
    }

    void gather(std::vector<Codes> &rows, bool first, uint32_t enabled, uint32_t lane_en,
                const uint8_t *codes) const
    {
        for (size_t i = 0; i < rows.size(); i++) {
            Codes &row = rows[i];
            row.n = first ? 0 : row.n;
            for (unsigned lane = 0; lane < lanes_ && (enabled >> i & 1) != 0; lane++) {
                row.code[row.n] = codes[i * lanes_ + lane];
                row.n += lane_en >> lane & 1;
            }
        }
    }

    void close(const Settings &settings, const uint8_t *a_scale, const uint8_t *b_scale)
    {
        if (!(settings == settings_)) {
            configure(settings);
        }
        Block &block = closed_[(oldest_ + count_++) % closed_max];
        block.config = config_;
        for (unsigned r = 0; r < rows_; r++) {
            fp8sim_block_a(config_.get(), a_[r].code, a_[r].n, a_scale[r], &block.a[r]);
        }
        for (unsigned c = 0; c < cols_; c++) {
            fp8sim_block_b(config_.get(), b_[c].code, b_[c].n, b_scale[c], &block.b[c]);
        }
    }

    unsigned rows_, cols_, lanes_, share_;
    fp8mac_dot_config dot_{};
    Settings settings_{};
    std::shared_ptr<const fp8sim_block_config> config_; // of settings_
    std::vector<Codes> a_, b_;                          // of the open block
    std::array<Block, closed_max> closed_;
    unsigned oldest_ = 0, count_ = 0, phase_ = 0; // phase_: of the oldest closed block
};

Grid *grid_of(void *handle)
{
    return static_cast<Grid *>(handle);
}

} // namespace

extern "C" {

void *fp8sim_grid_new(unsigned rows, unsigned cols, unsigned lanes, unsigned share, unsigned kind,
                      unsigned frac_bits)
{
    return new Grid(rows, cols, lanes, share, kind, frac_bits);
}

void fp8sim_grid_delete(void *handle)
{
    delete grid_of(handle);
}

void fp8sim_grid_reset(void *handle)
{
    grid_of(handle)->reset();
}

void fp8sim_grid_step(void *handle, svBit first, svBit last, unsigned a_format, unsigned b_format,
                      svBit acc_fp16, int scale_sum, unsigned row_en, unsigned col_en,
                      unsigned lane_en, const svBitVecVal *a, const svBitVecVal *b,
                      const svBitVecVal *a_scale, const svBitVecVal *b_scale)
{
    grid_of(handle)->step(
        first, last, {a_format, b_format, acc_fp16 != 0, scale_sum}, row_en, col_en, lane_en,
        reinterpret_cast<const uint8_t *>(a), reinterpret_cast<const uint8_t *>(b),
        reinterpret_cast<const uint8_t *>(a_scale), reinterpret_cast<const uint8_t *>(b_scale));
}

void fp8sim_grid_join(void *handle, svBit acc_first, const svBitVecVal *acc, svBitVecVal *result,
                      svBitVecVal *flags)
{
    grid_of(handle)->join(acc_first, acc, result, reinterpret_cast<uint8_t *>(flags));
}
}
