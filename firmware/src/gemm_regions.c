// SPDX-License-Identifier: Apache-2.0
#include "gemm_regions.h"

#include "gemm_image.h"

// A vector of floats or of INT32, as rows of one: its bytes may exceed 32 bits.
static fp8rt_region floats(const void *values, uint32_t count)
{
    return (fp8rt_region){(uintptr_t)values, count, sizeof(float), sizeof(float)};
}

static unsigned add_operand(const fp8rt_operand *x, uint32_t rows, uint32_t k, fp8rt_region *next)
{
    unsigned count = 0;
    next[count++] = (fp8rt_region){(uintptr_t)x->codes, rows, x->stride, k};
    if (x->scale.mode != FP8MAC_SCALE_NONE) {
        const bool single = x->scale.mode == FP8MAC_SCALE_TENSOR;
        next[count++] = floats(x->scale.values, single ? 1 : rows);
    }
    if (x->mx != NULL) {
        next[count++] = (fp8rt_region){(uintptr_t)x->mx, rows, x->mx_stride, fp8rt_mx_blocks(k)};
    }
    return count;
}

// Each element of C is then read before the element of D in its place is written.
static bool c_is_d(const fp8rt_gemm_desc *desc)
{
    return desc->c == desc->d && desc->c_stride == desc->d_stride &&
           desc->c_format == desc->d_format;
}

unsigned fp8rt_gemm_a_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_SIDE_INPUTS])
{
    const unsigned count = add_operand(&desc->a, desc->m, desc->k, list);
    if (fp8rt_has_image(desc)) { // behind the channels of a line's last pixel nothing counts
        const fp8rt_image *image = &desc->image;
        list[0].rows = image->height;
        list[0].row_bytes = (image->width - 1u) * image->pixel_bytes + image->channels;
    }
    return count;
}

unsigned fp8rt_gemm_b_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_SIDE_INPUTS])
{
    unsigned count = add_operand(&desc->b, desc->n, desc->k, list);
    list[0].rows = fp8rt_gemm_columns(desc);
    if (fp8rt_gemm_bias(desc) != NULL) {
        list[count++] = floats(fp8rt_gemm_bias(desc), desc->n);
    }
    if (desc->requantise.scales != NULL) { // in the place of the scales of B
        list[count++] = floats(desc->requantise.scales, 2u * desc->n);
    }
    return count;
}

fp8rt_region fp8rt_gemm_c_input(const fp8rt_gemm_desc *desc)
{
    return (fp8rt_region){
        .address = (uintptr_t)desc->c,
        .rows = desc->m,
        .stride = desc->c_stride,
        .row_bytes = desc->n * fp8rt_gemm_c_bytes(desc),
    };
}

unsigned fp8rt_gemm_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_GEMM_INPUTS])
{
    unsigned count = fp8rt_gemm_a_inputs(desc, list);
    count += fp8rt_gemm_b_inputs(desc, &list[count]);
    if (desc->scale_d != NULL) {
        list[count++] = floats(desc->scale_d, 1);
    }
    if (fp8rt_gemm_reads_c(desc) && !c_is_d(desc)) {
        list[count++] = fp8rt_gemm_c_input(desc);
    }
    return count;
}

fp8rt_region fp8rt_gemm_output(const fp8rt_gemm_desc *desc)
{
    return (fp8rt_region){
        .address = (uintptr_t)desc->d,
        .rows = fp8rt_gemm_d_rows(desc),
        .stride = desc->d_stride,
        .row_bytes = desc->n * fp8rt_gemm_d_bytes(desc),
    };
}
