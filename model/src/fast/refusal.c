// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#if FP8MAC_FAST

static const char *const texts[FP8MAC_REFUSALS] = {
    [FP8MAC_NOT_REFUSED] = "A kernel computes it",
    [FP8MAC_REFUSED_FIXED] = "`fixed`, if a product may be below 2^-149 or the sum may need more "
                             "than two doubles, which needs other operands than FP8",
    [FP8MAC_REFUSED_WIDE_GROUPS] = "exact groups, if the sum of a group's products may need more "
                                   "than two doubles: all of E5M2's range with groups above 16",
    [FP8MAC_REFUSED_BLOCKS] = "block scales with a group that does not divide 32",
    [FP8MAC_REFUSED_FRACTION] = "truncated alignment with F above 29, or of `mxint8` or `int8`",
    [FP8MAC_REFUSED_LATE_BITS] = "late accumulation, if fraction bits, 2 and log2 of the group "
                                 "together exceed 51",
    [FP8MAC_REFUSED_EXPONENTS] =
        "truncated alignment, if a product may lie outside float32's range "
        "of normal numbers",
    [FP8MAC_REFUSED_SPECIAL_ROWS] =
        "GEMMs in which more than half of A's or of B's rows hold Inf or NaN, unless all of their "
        "outputs are known to be NaN; in other GEMMs, the outputs of such rows",
    [FP8MAC_REFUSED_SPECIAL_ACC] = "loaded accumulators with Inf or NaN among them",
    [FP8MAC_REFUSED_RANDOM_FLAGS] = "`inexact` and `underflow` with stochastic rounding, where 64 "
                                    "sampled outputs and the operands' range leave one open",
    [FP8MAC_REFUSED_PAIRS] = "terms in pairs, if the last block of two groups is short and A's "
                             "format has no -0 or there are block scales; and block scales with "
                             "more than 16 products a group",
    [FP8MAC_REFUSED_MEMORY] = "GEMMs for whose panels there is no memory",
};

const char *fp8mac_refusal_text(fp8mac_refusal refusal)
{
    return texts[refusal];
}
#endif
