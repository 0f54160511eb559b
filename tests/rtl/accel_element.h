// SPDX-License-Identifier: Apache-2.0
// The array's elements: what they offer, and what of the golden model they are. The build defines ELEMENT_KIND and
// FRAC_BITS, which are fp8mac_accel's parameters.
#ifndef ACCEL_ELEMENT_H
#define ACCEL_ELEMENT_H

#include <algorithm>
#include <cstdint>

extern "C" {
#include "fp8mac/fp8mac.h"
}

namespace accel
{

// Of fp8mac_array_pkg.
enum Kind : unsigned {
    kExact = 0,
    kAlignedFp32 = 1,
    kAlignedFp16 = 2,
    kFixed = 3,
    kLateFp32 = 5,
    kLateFp16 = 6
};

struct Element {
    Kind kind;
    bool fp32, fp16, fixed; // accumulators
    bool e5m2;              // as format of A and B
    bool window;
};

constexpr Element kElements[] = {
    {kExact, true, true, false, true, false},
    {kAlignedFp32, true, false, false, true, true},
    {kAlignedFp16, false, true, false, true, true},
    {kFixed, false, false, true, false, false},
    {kLateFp32, true, false, false, true, LANES > 1},
    {kLateFp16, false, true, false, true, LANES > 1},
};

constexpr Element element_of(unsigned kind)
{
    for (const Element &element : kElements) {
        if (element.kind == kind) {
            return element;
        }
    }
    throw "no such element in an accelerator";
}

constexpr Element kElement = element_of(ELEMENT_KIND);
constexpr bool kOneAccumulator = kElement.fp32 + kElement.fp16 + kElement.fixed == 1;
constexpr bool kByOperands =
    kElement.window && (kElement.kind == kLateFp32 || kElement.kind == kLateFp16);
constexpr unsigned kTermsLog2 = kElement.fixed ? 16 : 0; // of an accumulator at most; 0: any number

// MODE.acc_fmt of a tile that wants what only some have, and of one that does not care.
constexpr uint32_t acc_fmt(bool wish)
{
    return kOneAccumulator ? kElement.fp16 : wish;
}

// Nothing is cut of one product.
inline void late(fp8mac_dot_config &dot, unsigned least_bits)
{
    if (LANES == 1) {
        return;
    }
    dot.frac_bits = FRAC_BITS;
    dot.align_by = FP8MAC_ALIGN_BY_OPERANDS;
    dot.acc_late = true;
    dot.late_bits_sum = dot.late_bits_acc = std::max<unsigned>(FRAC_BITS, least_bits);
    dot.late_round = FP8MAC_ALIGN_ODD;
}

inline void set_model(fp8mac_dot_config &dot)
{
    switch (kElement.kind) {
    case kExact: break;
    case kAlignedFp32: dot.frac_bits = FRAC_BITS; break;
    case kAlignedFp16: dot.frac_bits = FRAC_BITS, dot.min_exponent = -14; break;
    case kLateFp32: late(dot, 25); break;
    case kLateFp16: late(dot, 12); break;
    case kFixed: dot.acc_format = FP8MAC_ACC_FIXED, dot.guard_bits = kTermsLog2; break;
    }
}

} // namespace accel

#endif
