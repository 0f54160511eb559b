// SPDX-License-Identifier: Apache-2.0
#include "fixed.h"

#include "record.h"

// A tensor of ones, each of one byte.
static fp8rt_status take_ones(fp8rt_run *run, const fp8rt_tensor *like, fp8rt_tensor *ones)
{
    const uint8_t one = 0x38;
    *ones = fp8rt_layer_tensor(run, like->rows, like->cols, FP8MAC_E4M3FN);
    if (ones->data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    return fp8rt_layer_fill(run, ones->data, one, fp8rt_tensor_bytes(&run->dev->caps, ones));
}

// out = x + offset
static fp8rt_status shift(fp8rt_run *run, const fp8rt_tensor *x, float offset, fp8rt_tensor *out)
{
    const size_t used = run->used;
    fp8rt_tensor ones;
    fp8rt_status status = take_ones(run, x, &ones);
    if (status == FP8RT_OK) {
        const fp8rt_combination sum = {
            .operation = FP8RT_OPERATION_ADD, .x = x, .c = &ones, .factor = offset};
        status = fp8rt_layer_combine(run, &sum, out);
    }
    run->used = used;
    return status;
}

fp8rt_status fp8rt_fixed_from(fp8rt_run *run, const fp8rt_tensor *x, float factor,
                              fp8rt_tensor *words)
{
    fp8rt_tensor scaled = *x;
    scaled.scale = fp8rt_layer_scale(x->scale) * factor;
    return shift(run, &scaled, FP8RT_FIXED_OFFSET, words);
}

fp8rt_status fp8rt_fixed_to(fp8rt_run *run, const fp8rt_tensor *words, float unit,
                            fp8rt_tensor *out)
{
    fp8rt_tensor scaled = *words;
    scaled.scale = unit;
    return shift(run, &scaled, -FP8RT_FIXED_OFFSET * unit, out);
}
