// SPDX-License-Identifier: Apache-2.0
#include "core/accumulator.h"

const fp8mac_format *fp8mac_acc_rounded_format(fp8mac_acc_format acc_format)
{
    switch (acc_format) {
    case FP8MAC_ACC_FP32: return fp8mac_format_get(FP8MAC_FP32);
    case FP8MAC_ACC_FP16: return fp8mac_format_get(FP8MAC_FP16);
    case FP8MAC_ACC_BF16: return fp8mac_format_get(FP8MAC_BF16);
    case FP8MAC_ACC_E8M13: return fp8mac_format_get(FP8MAC_E8M13);
    case FP8MAC_ACC_E6M9: return fp8mac_format_get(FP8MAC_E6M9);
    case FP8MAC_ACC_FIXED:
    case FP8MAC_ACC_INT32: break;
    }
    return NULL;
}

const fp8mac_format *fp8mac_acc_loaded_format(const fp8mac_dot_config *config)
{
    return config->promote != 0 ? fp8mac_format_get(FP8MAC_FP32)
                                : fp8mac_acc_code_format(config->acc_format);
}

fp8mac_status fp8mac_acc_load(const fp8mac_dot_config *config, fp8mac_acc *acc, uint32_t code)
{
    if (config == NULL || acc == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_acc_loaded_format(config) == NULL) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    bool has_second = config->promote != 0 || config->chunk != 0;
    *(has_second ? &acc->second : &acc->code) = code;
    return FP8MAC_OK;
}

const fp8mac_format *fp8mac_acc_code_format(fp8mac_acc_format format)
{
    return format == FP8MAC_ACC_E8M13 ? fp8mac_format_get(FP8MAC_FP32)
                                      : fp8mac_acc_rounded_format(format);
}

int32_t fp8mac_acc_min_exponent(const fp8mac_dot_config *config)
{
    switch (config->min_exponent) {
    case 0: return FP8MAC_MIN_EXPONENT_DEFAULT;
    case FP8MAC_MIN_EXPONENT_ACC: return 1 - fp8mac_acc_rounded_format(config->acc_format)->bias;
    default: return config->min_exponent;
    }
}
