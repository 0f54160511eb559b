// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/tensor.h"

#include "layer.h"

static float format_max(fp8mac_format_id format)
{
    return fp8mac_recipe_format_max(fp8mac_format_get(format));
}

fp8mac_recipe_formula fp8rt_layer_formula(const fp8rt_tensor *tensor)
{
    fp8mac_recipe_formula formula = tensor->scaling->formula;
    if (fp8rt_fp32_is_zero(fp8rt_fp32_bits(formula.fp8_max))) {
        formula.fp8_max = format_max(tensor->format);
    }
    return formula;
}

fp8rt_scaling_kind fp8rt_layer_scaling(const fp8rt_tensor *tensor)
{
    return tensor->scaling == NULL || tensor->format > FP8MAC_E5M2FNUZ ? FP8RT_SCALING_STATIC
                                                                       : tensor->scaling->kind;
}

fp8rt_status fp8rt_layer_scale_from(fp8rt_tensor *tensor, float amax, bool nonfinite)
{
    float scale = fp8mac_recipe_inverse(fp8rt_layer_scale(tensor->scale));
    if (fp8mac_recipe_dynamic(fp8rt_layer_formula(tensor), amax, nonfinite, &scale) != FP8MAC_OK) {
        return FP8RT_ERR_SCALE;
    }
    tensor->scale = fp8mac_recipe_inverse(scale);
    return fp8rt_fp32_is_scale(fp8rt_fp32_bits(tensor->scale)) ? FP8RT_OK : FP8RT_ERR_SCALE;
}

fp8rt_status fp8rt_tensor_calibrated(fp8rt_tensor *tensor)
{
    if (tensor == NULL || tensor->scaling == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_tensor next = *tensor;
    if (fp8rt_fp32_is_zero(fp8rt_fp32_bits(tensor->scaling->amax)) ||
        fp8rt_layer_scale_from(&next, tensor->scaling->amax, false) != FP8RT_OK) {
        return FP8RT_ERR_SCALE;
    }
    *tensor = next;
    tensor->scaling->kind = FP8RT_SCALING_STATIC;
    return FP8RT_OK;
}

fp8rt_tensor fp8rt_tensor_part(const fp8rt_run *run, const fp8rt_tensor *whole, uint32_t row,
                               uint32_t rows, uint32_t step, uint32_t col, uint32_t cols)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(whole->format));
    fp8rt_tensor part = *whole;
    part.data = (uint8_t *)fp8rt_tensor_row(caps, whole, row) + (size_t)col * bytes;
    part.rows = rows;
    part.cols = cols;
    part.stride = step * fp8rt_tensor_stride(caps, whole);
    return part;
}

fp8rt_region fp8rt_tensor_region(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(tensor->format));
    return (fp8rt_region){(uintptr_t)tensor->data, tensor->rows, fp8rt_tensor_stride(caps, tensor),
                          tensor->cols * bytes};
}

fp8rt_weights fp8rt_weights_part(const fp8rt_run *run, const fp8rt_weights *whole, uint32_t first,
                                 uint32_t count, uint32_t rows, uint32_t cols)
{
    return (fp8rt_weights){
        .codes = fp8rt_tensor_part(run, &whole->codes, first * rows, count * rows, 1, 0, cols),
        .row_scale = whole->row_scale == NULL ? NULL : whole->row_scale + first,
        .bias = whole->bias == NULL ? NULL : whole->bias + first,
    };
}
