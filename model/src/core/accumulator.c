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

const fp8mac_format *fp8mac_acc_code_format(fp8mac_acc_format format)
{
    return format == FP8MAC_ACC_E8M13 ? fp8mac_format_get(FP8MAC_FP32)
                                      : fp8mac_acc_rounded_format(format);
}
