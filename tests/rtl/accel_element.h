// SPDX-License-Identifier: Apache-2.0
// The array's elements: what they support, and the golden model's settings that compute the same.
// The build defines ELEMENT_KIND and FRAC_BITS, which are fp8mac_accel's parameters, and MINIMAL: 1
// without any function that can be left out; and REQUANTISE: 1 with the integer requantiser.
#ifndef ACCEL_ELEMENT_H
#define ACCEL_ELEMENT_H

#include <cstdint>

extern "C" {
#include "fp8mac/catalogue.h"
#include "fp8mac/fp8mac.h"
}

namespace accel
{

struct Element {
    fp8mac_element_kind kind;
    bool fp32, fp16, fixed; // accumulators; `fixed` is an integer
    bool e5m2;              // as format of A and B
    bool narrow;            // FP6 and FP4 as formats of A and B
    bool int8;              // the only format of A and B
    bool window;            // an alignment window of FRAC_BITS
    bool by_operands;       // aligned to the largest operands
    unsigned terms_log2;    // an accumulator takes 2^terms_log2 products; 0: any number
    unsigned block;         // products that join the accumulator together
    bool mx;                // blocks may have MX scales
};

inline Element element_of(unsigned kind)
{
    const fp8mac_element_info &info = *fp8mac_element_find(kind);
    const bool window = fp8mac_element_has_window(&info, LANES);
    const auto accumulates = [&](fp8mac_acc_format format) {
        return (info.accumulators >> format & 1) != 0;
    };
    return {info.kind,
            accumulates(FP8MAC_ACC_FP32),
            accumulates(FP8MAC_ACC_FP16),
            accumulates(FP8MAC_ACC_FIXED) || accumulates(FP8MAC_ACC_INT32),
            (info.formats >> FP8MAC_E5M2 & 1) != 0,
            info.narrow,
            (info.formats >> FP8MAC_INT8 & 1) != 0,
            window,
            window && info.align_by_operands,
            info.terms_log2,
            info.block ? info.block : unsigned{LANES},
            info.block == FP8MAC_MX_BLOCK && !MINIMAL};
}

// What commands may ask for beside MX scales. Where a function is absent, the bench's commands do
// not ask for it, and a command that does must fail.
struct Functions {
    bool images, elementwise, c, stochastic, tables, depthwise, records;
};

constexpr bool kRequantise = REQUANTISE != 0;
constexpr bool kFloats = !MINIMAL && !kRequantise; // functions that need the FP32 epilogue
constexpr bool kDepthwise = !MINIMAL && LANES * 8 >= AXI_DATA_W && COLS >= 2 &&
                            2 * COLS <= AXI_DATA_W / 8 && AXI_DATA_W / 8 <= 8 * COLS;
constexpr Functions kFunctions{!MINIMAL, kFloats, kFloats, kFloats, !MINIMAL, kDepthwise, !MINIMAL};

inline const Element kElement = element_of(ELEMENT_KIND);
inline const bool kOneAccumulator = kElement.fp32 + kElement.fp16 + kElement.fixed == 1;

// MODE.acc_fmt of a tile that needs a certain accumulator, and of a tile that takes any.
inline uint32_t acc_fmt(bool wish)
{
    return kOneAccumulator ? kElement.fp16 : wish;
}

inline void set_model(fp8mac_dot_config &dot)
{
    fp8mac_element_settings(kElement.kind, LANES, FRAC_BITS, 0, &dot);
}

} // namespace accel

#endif
