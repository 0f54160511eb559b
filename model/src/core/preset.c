// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

#define ROW(name) (&fp8mac_formats[FP8MAC_##name])
#define MMA_SIM                                                                                    \
    "MMA-Sim, bit-accurate against the hardware (github.com/microsoft/MMA-Sim, mmasim/simulator; " \
    "arXiv 2511.10909)"
#define MATLAB                                                                                     \
    "; MATLAB-tensor-core agrees (github.com/north-numerical-computing/MATLAB-tensor-core, "       \
    "models/"
#define NVIDIA_FP32 .acc_rounding = FP8MAC_ROUND_TOWARD_ZERO, .nan_code = 0x7fffffff
#define NVIDIA_FP16 .acc_format = FP8MAC_ACC_FP16, .nan_code = 0x7fff

static const fp8mac_preset presets[] = {
    {"ieee-fma",
     "One fused multiply-add a step, IEEE 754, nearest even, in FP32 (or FP16).",
     "IEEE 754-2019, 5.4.1 fusedMultiplyAdd",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 1}},
    {"hopper-fp8",
     "32 products and acc aligned to the largest, 13 bits below it kept toward zero; E8M13 toward "
     "zero.",
     MMA_SIM MATLAB "H100TC.m) but for the least alignment exponent, -133: min_exponent",
     true,
     {.a_format = ROW(E4M3FN),
      .b_format = ROW(E4M3FN),
      .acc_format = FP8MAC_ACC_E8M13,
      .group = 32,
      .frac_bits = 13,
      NVIDIA_FP32}},
    {"hopper-fp8-fp16",
     "As hopper-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM MATLAB "H100TC.m)",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 32, .frac_bits = 13, NVIDIA_FP16}},
    {"ada-fp8",
     "As hopper-fp8 in steps of 16: an instruction's 32 products are two steps in sequence.",
     MMA_SIM MATLAB "L40STC.m)",
     true,
     {.a_format = ROW(E4M3FN),
      .b_format = ROW(E4M3FN),
      .acc_format = FP8MAC_ACC_E8M13,
      .group = 16,
      .frac_bits = 13,
      NVIDIA_FP32}},
    {"ada-fp8-fp16",
     "As ada-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM MATLAB "L40STC.m)",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 16, .frac_bits = 13, NVIDIA_FP16}},
    {"blackwell-fp8",
     "32 products and acc aligned, 25 bits kept toward zero, FP32 toward zero; MX scales in the "
     "exponents.",
     MMA_SIM MATLAB "B200TC.m) but for the least alignment exponent, -133: min_exponent",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 32, .frac_bits = 25, NVIDIA_FP32}},
    {"blackwell-fp8-fp16",
     "As blackwell-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM,
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 32, .frac_bits = 25, NVIDIA_FP16}},
    {"cdna3-fp8",
     "Even and odd products of 16 summed apart, 24 bits toward zero; joined, and acc added, "
     "rounding down; FP32.",
     MMA_SIM MATLAB "CDNA3.m) but for the dropped acc: late_drop 0",
     true,
     {.a_format = ROW(E4M3FNUZ),
      .b_format = ROW(E4M3FNUZ),
      .group = 16,
      .frac_bits = 24,
      .acc_late = true,
      .late_bits_sum = 31,
      .late_bits_acc = 24,
      .late_drop = 25,
      .late_round = FP8MAC_ALIGN_FLOOR,
      .even_odd = true}},
    {"arm-fdot2",
     "Two products, scaled by 2^-lscale (0..15), fused into FP16, nearest even; acc_saturate as "
     "FPCR or FPMR ask.",
     "Arm A-profile instruction pages FDOT (2-way, FP8 to FP16) and FPMR.LSCALE "
     "(developer.arm.com, DDI 0602)",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .acc_format = FP8MAC_ACC_FP16, .group = 2}},
    {"arm-fdot4",
     "Four products, scaled by 2^-lscale (0..127), fused into FP32, nearest even; acc_saturate "
     "likewise.",
     "Arm A-profile instruction pages FDOT (4-way, FP8 to FP32) and FPMR.LSCALE "
     "(developer.arm.com, DDI 0602)",
     true,
     {.a_format = ROW(E4M3FN), .b_format = ROW(E4M3FN), .group = 4}},
    {"ibm-chunk",
     "One product a step into 1-6-9, nearest even; chunks of 64 into an outer 1-6-9 accumulator.",
     "Wang et al., Training deep neural networks with 8-bit floating point numbers, NeurIPS 2018 "
     "(arXiv 1812.08011)",
     true,
     {.a_format = ROW(E5M2),
      .b_format = ROW(E5M2),
      .acc_format = FP8MAC_ACC_E6M9,
      .group = 1,
      .chunk = 64}},
    {"ibm-stochastic",
     "One product a step into 1-6-9, rounded stochastically with 16 random bits; seed may be set.",
     "Wang et al., Training deep neural networks with 8-bit floating point numbers, NeurIPS 2018 "
     "(arXiv 1812.08011)",
     true,
     {.a_format = ROW(E5M2),
      .b_format = ROW(E5M2),
      .acc_format = FP8MAC_ACC_E6M9,
      .group = 1,
      .acc_rounding = FP8MAC_ROUND_STOCHASTIC,
      .random_bits = 16}},
    {"kulisch",
     "Every product exactly into one long fixed-point accumulator, rounded once at read-out.",
     "Kulisch, Computer arithmetic and validity, 2nd ed., de Gruyter 2013, chapter 8",
     true,
     {.a_format = ROW(E4M3FN),
      .b_format = ROW(E4M3FN),
      .acc_format = FP8MAC_ACC_FIXED,
      .group = 1}},
    {"gaudi2-fp8",
     "Not covered: subnormal operands are normalised before alignment, and acc joins with a sticky "
     "bit.",
     "HabanaAI/Intel_Gaudi3_Software, coral-sim/header/gaudi2/fs_core/fs_fma_gaudi2.h, "
     "fma_mul_add_tree_n",
     false,
     {.group = 0}},
    {"riscv-fqbdot8f",
     "32 products aligned to odd (F = 23 + log2 group, rounded up), their sum to odd in FP32, acc "
     "added to odd.",
     "riscv-isa-sim, riscv/bulknormdot.h and riscv/zvbdot.h (Zvfqbdot8f, VLEN 256), a draft "
     "extension's model",
     true,
     {.a_format = ROW(E4M3FN),
      .b_format = ROW(E4M3FN),
      .group = 32,
      .acc_rounding = FP8MAC_ROUND_ODD,
      .frac_bits = 28,
      .align_round = FP8MAC_ALIGN_ODD,
      .acc_late = true}},
};

const fp8mac_preset *fp8mac_preset_get(size_t index)
{
    return index < sizeof presets / sizeof presets[0] ? &presets[index] : NULL;
}

const fp8mac_preset *fp8mac_preset_by_name(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof presets / sizeof presets[0]; i++) {
        if (strcmp(name, presets[i].name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}
