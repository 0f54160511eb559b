// SPDX-License-Identifier: Apache-2.0
// The presets: a table of published hardware, and the elements of the catalogue.
#include "core/internal.h"
#include "fp8mac/catalogue.h"

#define FORMAT(name) (&fp8mac_formats[FP8MAC_##name])
#define MMA_SIM                                                                                    \
    "MMA-Sim, bit-accurate against the hardware (github.com/microsoft/MMA-Sim, mmasim/simulator; " \
    "arXiv 2511.10909)"
#define MATLAB                                                                                     \
    "; MATLAB-tensor-core agrees (github.com/north-numerical-computing/MATLAB-tensor-core, "       \
    "models/"
// The definition in exact integers, tests/oracle/definition.py, is compared in every run of the
// tests.
#define ORACLE "tests/oracle/definition.py, exact integers, bit for bit, in every test run"
#define RECORDED                                                                                   \
    "; MMA-Sim; with the other hopper-fp8 and ada-fp8 presets 50000 outputs recorded on H100, "    \
    "H200, "                                                                                       \
    "Ada and L40S GPUs (not in the repository)"
#define MMA_SYNC                                                                                   \
    "outputs of the instruction, recorded on the GPUs; no document or simulator describes it "     \
    "(PTX "                                                                                        \
    "ISA, mma.sync.aligned.m16n8k32, names the instruction)"
#define MMA_COMPARED                                                                               \
    "tests/oracle/mma_sync.py, exact rational numbers, bit for bit, in every test run; with the "  \
    "other mma.sync presets 40000 outputs recorded on H100, H200 and B200 (not in the repository)"
#define NVIDIA_MMA .group = 16, .frac_bits = 25, .k_order = FP8MAC_K_PAIRS
#define NVIDIA_FP32 .acc_rounding = FP8MAC_ROUND_TOWARD_ZERO, .nan_code = 0x7fffffff
#define NVIDIA_FP16 .acc_format = FP8MAC_ACC_FP16, .nan_code = 0x7fff

static const fp8mac_preset published[] = {
    {"ieee-fma",
     "One fused multiply-add a step, IEEE 754, nearest even, in FP32 (or FP16).",
     "IEEE 754-2019, 5.4.1 fusedMultiplyAdd",
     ORACLE "; Berkeley TestFloat's f16_mulAdd and f32_mulAdd",
     true,
     {.a.format = FORMAT(E4M3FN), .b.format = FORMAT(E4M3FN), .group = 1}},
    {"hopper-fp8",
     "WGMMA of H100 and H200: 32 products and acc aligned to the largest, truncated toward zero 13 "
     "bits below it; E8M13 toward zero.",
     MMA_SIM MATLAB "H100TC.m) but for the least alignment exponent, -133: min_exponent",
     ORACLE RECORDED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .acc_format = FP8MAC_ACC_E8M13,
      .group = 32,
      .frac_bits = 13,
      NVIDIA_FP32}},
    {"hopper-fp8-fp16",
     "As hopper-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM MATLAB "H100TC.m)",
     ORACLE RECORDED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .group = 32,
      .frac_bits = 13,
      NVIDIA_FP16}},
    {"ada-fp8",
     "mma.sync of Ada: as hopper-fp8 in steps of 16. An instruction's 32 products are two steps in "
     "sequence.",
     MMA_SIM MATLAB "L40STC.m)",
     ORACLE RECORDED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .acc_format = FP8MAC_ACC_E8M13,
      .group = 16,
      .frac_bits = 13,
      NVIDIA_FP32}},
    {"ada-fp8-fp16",
     "As ada-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM MATLAB "L40STC.m)",
     ORACLE RECORDED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .group = 16,
      .frac_bits = 13,
      NVIDIA_FP16}},
    {"blackwell-fp8",
     "tcgen05.mma of B200: 32 products and acc aligned to the largest, truncated toward zero 25 "
     "bits "
     "below it; FP32 toward zero; MX scales in the exponents.",
     MMA_SIM MATLAB "B200TC.m) but for the least alignment exponent, -133: min_exponent",
     ORACLE "; MMA-Sim",
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .group = 32,
      .frac_bits = 25,
      NVIDIA_FP32}},
    {"blackwell-fp8-fp16",
     "As blackwell-fp8 with an FP16 accumulator, nearest even.",
     MMA_SIM,
     ORACLE "; MMA-Sim",
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .group = 32,
      .frac_bits = 25,
      NVIDIA_FP16}},
    {"hopper-mma-fp8-fp16",
     "mma.sync of H100 and H200 with FP16 output: two steps of 16 products from zero, first those "
     "with k mod 4 < 2, truncated toward zero 25 bits below the largest; FP16 nearest even per "
     "step; "
     "then C is added, nearest even.",
     MMA_SYNC,
     MMA_COMPARED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .chunk = 32,
      NVIDIA_MMA,
      NVIDIA_FP16}},
    {"blackwell-mma-fp8",
     "mma.sync of B200: as hopper-mma-fp8-fp16, but FP32, toward zero per step; then C is added, "
     "nearest even.",
     MMA_SYNC,
     MMA_COMPARED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .promote = 32,
      NVIDIA_MMA,
      NVIDIA_FP32}},
    {"blackwell-mma-fp8-fp16",
     "mma.sync of B200 with FP16 output: as hopper-mma-fp8-fp16.",
     MMA_SYNC,
     MMA_COMPARED,
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .chunk = 32,
      NVIDIA_MMA,
      NVIDIA_FP16}},
    {"cdna3-fp8",
     "Even and odd products of 16 summed apart, 24 bits toward zero; joined, and acc added, "
     "rounding down; FP32.",
     MMA_SIM MATLAB "CDNA3.m) but for the dropped acc: late_drop 0",
     ORACLE "; MMA-Sim",
     true,
     {.a.format = FORMAT(E4M3FNUZ),
      .b.format = FORMAT(E4M3FNUZ),
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
     ORACLE "; not with hardware",
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .acc_format = FP8MAC_ACC_FP16,
      .group = 2}},
    {"arm-fdot4",
     "Four products, scaled by 2^-lscale (0..127), fused into FP32, nearest even; acc_saturate "
     "likewise.",
     "Arm A-profile instruction pages FDOT (4-way, FP8 to FP32) and FPMR.LSCALE "
     "(developer.arm.com, DDI 0602)",
     ORACLE "; not with hardware",
     true,
     {.a.format = FORMAT(E4M3FN), .b.format = FORMAT(E4M3FN), .group = 4}},
    {"ibm-chunk",
     "One product a step into 1-6-9, nearest even; chunks of 64 into an outer 1-6-9 accumulator.",
     "Wang et al., Training deep neural networks with 8-bit floating point numbers, NeurIPS 2018 "
     "(arXiv 1812.08011)",
     ORACLE "; not with hardware",
     true,
     {.a.format = FORMAT(E5M2),
      .b.format = FORMAT(E5M2),
      .acc_format = FP8MAC_ACC_E6M9,
      .group = 1,
      .chunk = 64}},
    {"ibm-stochastic",
     "One product a step into 1-6-9, rounded stochastically with 16 random bits; seed may be set.",
     "Wang et al., Training deep neural networks with 8-bit floating point numbers, NeurIPS 2018 "
     "(arXiv 1812.08011)",
     ORACLE "; not with hardware",
     true,
     {.a.format = FORMAT(E5M2),
      .b.format = FORMAT(E5M2),
      .acc_format = FP8MAC_ACC_E6M9,
      .group = 1,
      .acc_rounding = FP8MAC_ROUND_STOCHASTIC,
      .random_bits = 16}},
    {"gaudi2-fp8",
     "Not covered: subnormal operands are normalised before alignment, and acc joins with a sticky "
     "bit.",
     "HabanaAI/Intel_Gaudi3_Software, coral-sim/header/gaudi2/fs_core/fs_fma_gaudi2.h, "
     "fma_mul_add_tree_n",
     "nothing",
     false,
     {.group = 0}},
    {"riscv-fqbdot8f",
     "32 products aligned to odd (F = 23 + log2 group, rounded up), their sum to odd in FP32, acc "
     "added to odd.",
     "riscv-isa-sim, riscv/bulknormdot.h and riscv/zvbdot.h (Zvfqbdot8f, VLEN 256), a draft "
     "extension's model",
     ORACLE "; not with hardware",
     true,
     {.a.format = FORMAT(E4M3FN),
      .b.format = FORMAT(E4M3FN),
      .group = 32,
      .acc_rounding = FP8MAC_ROUND_ODD,
      .frac_bits = 28,
      .align_round = FP8MAC_ALIGN_ODD,
      .acc_late = true}},
};

enum { PUBLISHED = sizeof published / sizeof published[0] };

// ---- elements of the catalogue ------------------------------------------------------------------

#define KULISCH "Kulisch, Computer arithmetic and validity, 2nd ed., de Gruyter 2013, chapter 8; "
#define OWN "this project, rtl/catalogue/elements.toml"
#define OWN_COMPARED                                                                               \
    "tests/oracle, exact integers, bit for bit, and the RTL of the element, in every test run"

static fp8mac_status element_preset(const fp8mac_element_info *element, unsigned lanes,
                                    unsigned frac_bits, fp8mac_preset *preset)
{
    *preset = (fp8mac_preset){.name = element->name,
                              .summary = element->summary,
                              .source = element->kind == FP8MAC_ELEMENT_KULISCH ? KULISCH OWN : OWN,
                              .compared = OWN_COMPARED,
                              .covered = true};
    return fp8mac_element_config(element->kind, lanes, frac_bits, &preset->config);
}

// Reads "_" LETTER NUMBER at *text, if it is there, and moves *text behind it. The number is 1 to
// 9999, without leading zeros. Returns false if it is malformed. Leaves *number unchanged if there
// is no such suffix.
static bool read_suffix(const char **text, char letter, unsigned *number)
{
    const char *at = *text;
    if (at[0] != '_' || at[1] != letter) {
        return true;
    }
    at += 2;
    if (*at < '1' || *at > '9') {
        return false;
    }
    unsigned value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (unsigned)(*at - '0');
        if (value > 9999) {
            return false;
        }
    }
    *number = value;
    *text = at;
    return true;
}

// KIND, KIND_fF, KIND_lL or KIND_fF_lL of this kind.
static bool is_spelling(const char *name, const fp8mac_element_info *element, unsigned *frac_bits,
                        unsigned *lanes)
{
    size_t length = strlen(element->name);
    const char *rest = name + length;
    *frac_bits = 0;
    *lanes = FP8MAC_ELEMENT_LANES_DEFAULT;
    return strncmp(name, element->name, length) == 0 && read_suffix(&rest, 'f', frac_bits) &&
           read_suffix(&rest, 'l', lanes) && *rest == '\0';
}

// ---- all of them --------------------------------------------------------------------------------

size_t fp8mac_preset_count(void)
{
    return PUBLISHED + FP8MAC_ELEMENT_COUNT;
}

fp8mac_status fp8mac_preset_get(size_t index, fp8mac_preset *preset)
{
    if (preset == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (index >= fp8mac_preset_count()) {
        return FP8MAC_ERR_PRESET;
    }
    if (index < PUBLISHED) {
        *preset = published[index];
        return FP8MAC_OK;
    }
    return element_preset(&fp8mac_element_table[index - PUBLISHED], FP8MAC_ELEMENT_LANES_DEFAULT, 0,
                          preset);
}

fp8mac_status fp8mac_preset_by_name(const char *name, fp8mac_preset *preset)
{
    if (name == NULL || preset == NULL) {
        return FP8MAC_ERR_NULL;
    }
    for (size_t i = 0; i < PUBLISHED; i++) {
        if (strcmp(name, published[i].name) == 0) {
            *preset = published[i];
            return FP8MAC_OK;
        }
    }
    for (size_t i = 0; i < FP8MAC_ELEMENT_COUNT; i++) {
        unsigned frac_bits, lanes;
        if (is_spelling(name, &fp8mac_element_table[i], &frac_bits, &lanes)) {
            return element_preset(&fp8mac_element_table[i], lanes, frac_bits, preset);
        }
    }
    return FP8MAC_ERR_PRESET;
}
