// SPDX-License-Identifier: Apache-2.0
// The golden model in C: converts values to FP8, and compares one dot product as three
// accumulators compute it.
#include <math.h>
#include <stdio.h>

#include "fp8mac/fp8mac.h"

enum { K = 256 };

// The dot product as `config` computes it, or NaN with a message if the model refuses it.
static float dot(const fp8mac_dot_config *config, const uint8_t *a, const uint8_t *b)
{
    fp8mac_acc acc = {0};
    fp8mac_flags flags = 0;
    fp8mac_status status = fp8mac_dot(config, &acc, a, b, K, &flags);
    if (status != FP8MAC_OK) {
        printf("%s\n", fp8mac_status_string(status));
        return NAN;
    }
    union {
        uint32_t bits;
        float value;
    } out = {.bits = fp8mac_acc_to_fp32(config, &acc, &flags)};
    return out.value;
}

int main(void)
{
    const fp8mac_format *e4m3fn = fp8mac_format_get(FP8MAC_E4M3FN);
    uint8_t a[K], b[K];
    double x[K], y[K];
    for (int i = 0; i < K; i++) {
        x[i] = sin(i);
        y[i] = sin(i + 1);
    }
    // Nearest even, saturating; then back, to know what the codes stand for.
    const fp8mac_convert_mode mode = {0};
    fp8mac_convert_from_double(e4m3fn, a, x, K, mode, NULL);
    fp8mac_convert_from_double(e4m3fn, b, y, K, mode, NULL);
    fp8mac_convert_to_double(x, e4m3fn, a, K);
    fp8mac_convert_to_double(y, e4m3fn, b, K);
    double exact = 0;
    for (int i = 0; i < K; i++) {
        exact += x[i] * y[i];
    }
    fp8mac_dot_config fp32 = {.a.format = e4m3fn, .b.format = e4m3fn, .group = 4};
    fp8mac_dot_config fp16 = fp32;
    fp16.acc_format = FP8MAC_ACC_FP16;
    fp8mac_preset preset;
    if (fp8mac_preset_by_name("hopper-fp8", &preset) != FP8MAC_OK) {
        return 1;
    }
    fp8mac_dot_config hopper = preset.config;
    float with_fp32 = dot(&fp32, a, b), with_fp16 = dot(&fp16, a, b),
          on_hopper = dot(&hopper, a, b);
    printf("exact                            %.9g\n", exact);
    printf("FP32 accumulator, 4 lanes        %.9g\n", (double)with_fp32);
    printf("FP16 accumulator, 4 lanes        %.9g\n", (double)with_fp16);
    printf("preset hopper-fp8                %.9g\n", (double)on_hopper);
    // Every product is a multiple of 2^-18 and the sum is small: the FP32 accumulator is exact
    // here.
    int passed = (double)with_fp32 == exact;
    passed += fabs(with_fp16 - exact) < 0.25;
    passed += fabs(on_hopper - exact) < 0.25;
    printf("%d passed, %d failed\n", passed, 3 - passed);
    return passed == 3 ? 0 : 1;
}
