// SPDX-License-Identifier: Apache-2.0
#include "words.h"

static fp8rt_status check_scale(const fp8rt_tensor *tensor)
{
    if (fp8rt_fp32_bits(fp8rt_layer_scale(tensor->scale)) != FP8RT_FP32_ONE) {
        return FP8RT_ERR_SCALE;
    }
    return fp8rt_layer_scaling(tensor) == FP8RT_SCALING_STATIC ? FP8RT_OK : FP8RT_ERR_UNSUPPORTED;
}

static bool is_apart(const fp8rt_caps *caps, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    const fp8rt_region from = fp8rt_tensor_region(caps, x), to = fp8rt_tensor_region(caps, out);
    const bool in_place =
        x->data == out->data && fp8rt_tensor_stride(caps, x) == fp8rt_tensor_stride(caps, out);
    return in_place || !fp8rt_regions_overlap(&from, &to);
}

fp8rt_status fp8rt_words_check(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    fp8rt_status status = fp8rt_layer_check_named(run, x, FP8MAC_FP32, FP8MAC_FP32, "desc->x");
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_named(run, out, FP8MAC_FP32, FP8MAC_FP32, "desc->out");
    }
    if (status == FP8RT_OK && !fp8rt_tensor_is_as(out, x)) {
        status = fp8rt_layer_fit(run, "desc->out");
    }
    if (status == FP8RT_OK) {
        status = check_scale(x);
    }
    if (status == FP8RT_OK) {
        status = check_scale(out);
    }
    return status == FP8RT_OK && !is_apart(&run->dev->caps, x, out) ? FP8RT_ERR_OVERLAP : status;
}

fp8rt_status fp8rt_words_run(fp8rt_run *run, fp8rt_core_function *function, const fp8rt_tensor *x,
                             const fp8rt_tensor *out, float a, float b)
{
    const uint32_t fit = FP8RT_WORDS_OF_CALL / x->cols, most = fit == 0 ? 1 : fit;
    fp8rt_words words = {.x = x->data,
                         .out = out->data,
                         .cols = x->cols,
                         .from_stride = fp8rt_tensor_words(run, x),
                         .to_stride = fp8rt_tensor_words(run, out),
                         .a = a,
                         .b = b};
    fp8rt_status status = FP8RT_OK;
    for (uint32_t row = 0; row < x->rows && status == FP8RT_OK; row += words.rows) {
        words.rows = x->rows - row < most ? x->rows - row : most;
        words.x = (const float *)x->data + (size_t)row * words.from_stride;
        words.out = (float *)out->data + (size_t)row * words.to_stride;
        status = fp8rt_layer_core(run, function, &words, sizeof words);
    }
    return status;
}
