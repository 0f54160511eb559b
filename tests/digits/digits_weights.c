// SPDX-License-Identifier: Apache-2.0
// The library's weights in a layout that Python can read, whatever fields fp8rt_tensor has.
#include "fp8rt/tensor.h"

typedef struct digits_weights_view {
    const void *codes;
    uint32_t rows, cols, stride, format;
    const float *row_scale, *bias;
    float scale;
} digits_weights_view;

uint32_t digits_weights_words(void);
void digits_weights_read(const fp8rt_weights *weights, digits_weights_view *view);

// 64-bit words of an fp8rt_weights.
uint32_t digits_weights_words(void)
{
    _Static_assert(sizeof(fp8rt_weights) % 8 == 0, "pointers have 64 bits on the host");
    return sizeof(fp8rt_weights) / 8;
}

void digits_weights_read(const fp8rt_weights *weights, digits_weights_view *view)
{
    const fp8rt_tensor *codes = &weights->codes;
    *view = (digits_weights_view){.codes = codes->data,
                                  .rows = codes->rows,
                                  .cols = codes->cols,
                                  .stride = codes->stride,
                                  .format = codes->format,
                                  .row_scale = weights->row_scale,
                                  .bias = weights->bias,
                                  .scale = codes->scale};
}
