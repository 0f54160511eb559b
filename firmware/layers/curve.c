// SPDX-License-Identifier: Apache-2.0
#include "curve.h"

#include "record.h"

// One of them, as the core has it; strides in words
typedef struct block {
    const uint32_t *from;
    uint32_t *to;
    uint32_t rows, cols, from_stride, to_stride;
    fp8mac_rows_operation operation;
} block;

typedef struct blocks {
    block list[FP8RT_CURVES];
    uint32_t count;
} blocks;

static void compute_row(const uint32_t *from, uint32_t *to, uint32_t cols,
                        fp8mac_rows_operation operation)
{
    if (operation == FP8MAC_ROWS_TANH) {
        for (uint32_t i = 0; i < cols; i++) {
            to[i] = fp8mac_fp32_tanh(from[i], NULL);
        }
        return;
    }
    for (uint32_t i = 0; i < cols; i++) {
        to[i] = fp8mac_fp32_sigmoid(from[i], NULL);
    }
}

static void compute(void *context)
{
    const blocks *all = context;
    for (uint32_t i = 0; i < all->count; i++) {
        const block *b = &all->list[i];
        for (uint32_t row = 0; row < b->rows; row++) {
            compute_row(b->from + row * b->from_stride, b->to + row * b->to_stride, b->cols,
                        b->operation);
        }
    }
}

static fp8rt_status on_core(fp8rt_run *run, const fp8rt_curve *curves, uint32_t count)
{
    blocks all = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        const fp8rt_tensor *x = &curves[i].x, *out = &curves[i].out;
        all.list[i] = (block){
            .from = x->data,
            .to = out->data,
            .rows = x->rows,
            .cols = x->cols,
            .from_stride = fp8rt_tensor_words(run, x),
            .to_stride = fp8rt_tensor_words(run, out),
            .operation = curves[i].operation,
        };
    }
    return fp8rt_layer_core(run, compute, &all, sizeof all);
}

fp8rt_status fp8rt_layer_curves(fp8rt_run *run, const fp8rt_curve *curves, uint32_t count)
{
    if ((run->dev->caps.functions & FP8MAC_FUNCTION_ROWS) == 0) {
        return on_core(run, curves, count);
    }
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < count && status == FP8RT_OK; i++) {
        fp8rt_tensor out = curves[i].out;
        const fp8rt_row_operation rows = {
            .operation = curves[i].operation, .x = &curves[i].x, .factor = 1.0f};
        status = fp8rt_layer_rows(run, &rows, &out);
    }
    return status;
}
