// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

fp8rt_status fp8rt_parts_begin(fp8rt_run *run, const fp8rt_fused *fused, const fp8rt_tensor *out,
                               uint32_t count, fp8rt_parts *parts)
{
    *parts = (fp8rt_parts){.whole = *out, .fused = *fused};
    parts->collected = count > 1 && fp8rt_layer_scaling(out) != FP8RT_SCALING_STATIC;
    if (!parts->collected) {
        return FP8RT_OK;
    }
    if (fused->coding.table != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    parts->coding = fused->coding;
    parts->fused.coding = (fp8rt_coding){0};
    parts->whole = fp8rt_layer_tensor(run, out->rows, out->cols, FP8MAC_FP32);
    return parts->whole.data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

fp8rt_status fp8rt_parts_end(fp8rt_run *run, const fp8rt_parts *parts, fp8rt_tensor *out)
{
    if (!parts->collected) {
        out->scale = parts->whole.scale;
        return FP8RT_OK;
    }
    const fp8rt_fused fused = {.coding = parts->coding};
    return fp8rt_layer_convert(run, &parts->whole, &fused, out);
}
