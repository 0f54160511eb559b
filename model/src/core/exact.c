// SPDX-License-Identifier: Apache-2.0
#include "core/exact.h"
#include "core/round.h"

enum { LIMBS = FP8MAC_EXACT_LIMBS, UNIT = FP8MAC_EXACT_UNIT };

static bool is_negative(const fp8mac_exact *x)
{
    return x->limb[LIMBS - 1] >> 63 != 0;
}

static void add_at(fp8mac_exact *sum, size_t first, uint64_t x)
{
    for (size_t i = first; i < LIMBS && x != 0; i++) {
        sum->limb[i] += x;
        x = sum->limb[i] < x ? 1 : 0; // carry
    }
}

static void subtract_at(fp8mac_exact *sum, size_t first, uint64_t x)
{
    for (size_t i = first; i < LIMBS && x != 0; i++) {
        uint64_t before = sum->limb[i];
        sum->limb[i] = before - x;
        x = before < x ? 1 : 0; // borrow
    }
}

static void negate(fp8mac_exact *x)
{
    for (size_t i = 0; i < LIMBS; i++) {
        x->limb[i] = ~x->limb[i];
    }
    add_at(x, 0, 1);
}

void fp8mac_exact_add(fp8mac_exact *sum, fp8mac_value value)
{
    if (value.cls != FP8MAC_CLASS_FINITE) {
        return;
    }
    uint32_t position = (uint32_t)(value.exponent - UNIT);
    size_t first = position / 64;
    uint32_t offset = position % 64;
    uint64_t low = value.significand << offset;
    uint64_t high = offset == 0 ? 0 : value.significand >> (64 - offset);
    void (*put)(fp8mac_exact *, size_t, uint64_t) = value.sign ? subtract_at : add_at;
    put(sum, first, low);
    put(sum, first + 1, high);
}

void fp8mac_exact_add_exact(fp8mac_exact *sum, const fp8mac_exact *x)
{
    for (size_t i = 0; i < LIMBS; i++) {
        add_at(sum, i, x->limb[i]);
    }
}

// Clearing the low bits of a two's complement number rounds down. Rounding toward zero and to odd
// work on the magnitude, so a negative sum is negated before and after.
void fp8mac_exact_truncate(fp8mac_exact *sum, int32_t exponent, fp8mac_align_round round)
{
    if (exponent <= UNIT) {
        return;
    }
    bool mirrored = round != FP8MAC_ALIGN_FLOOR && is_negative(sum);
    if (mirrored) {
        negate(sum);
    }
    uint32_t bits = (uint32_t)(exponent - UNIT);
    uint64_t lost = 0;
    for (size_t i = 0; i < LIMBS && 64 * i < bits; i++) {
        uint64_t kept = bits - 64 * i >= 64 ? 0 : sum->limb[i] >> (bits % 64) << (bits % 64);
        lost |= sum->limb[i] ^ kept;
        sum->limb[i] = kept;
    }
    if (round == FP8MAC_ALIGN_ODD && lost != 0 && bits / 64 < LIMBS) {
        sum->limb[bits / 64] |= UINT64_C(1) << (bits % 64);
    }
    if (mirrored) {
        negate(sum);
    }
}

fp8mac_value fp8mac_exact_value(const fp8mac_exact *sum)
{
    fp8mac_exact x = *sum;
    bool sign = is_negative(&x);
    if (sign) {
        negate(&x);
    }
    size_t top = LIMBS;
    while (top > 0 && x.limb[top - 1] == 0) {
        top--;
    }
    if (top == 0) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO};
    }
    // The first 64 bits: the leading limb, and the top of the limb below it. All lower bits only
    // set the sticky bit.
    uint64_t below = top > 1 ? x.limb[top - 2] : 0;
    int32_t room = 64 - fp8mac_bit_length(x.limb[top - 1]);
    uint64_t leading = room == 0 ? x.limb[top - 1] : x.limb[top - 1] << room | below >> (64 - room);
    bool sticky = below << room != 0;
    for (size_t i = 0; i + 2 < top; i++) {
        sticky |= x.limb[i] != 0;
    }
    return (fp8mac_value){.cls = FP8MAC_CLASS_FINITE,
                          .sign = sign,
                          .significand = leading | (sticky ? 1 : 0),
                          .exponent = UNIT + 64 * (int32_t)(top - 1) - room};
}
