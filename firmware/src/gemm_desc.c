// SPDX-License-Identifier: Apache-2.0
// Checks the descriptor of a GEMM: one function per kind of error. Those of an operand are
// called for A and for B.
#include "gemm_desc.h"

#include "coding.h"
#include "fp32_bits.h"
#include "fp8rt/matrix.h"
#include "gemm_encode.h"
#include "gemm_image.h"
#include "gemm_regions.h"

static bool lacks_values(const fp8rt_operand *x)
{
    return x->codes == NULL || (x->scale.mode != FP8MAC_SCALE_NONE && x->scale.values == NULL);
}

static bool has_null(const fp8rt_gemm_desc *desc)
{
    return lacks_values(&desc->a) || lacks_values(&desc->b) || desc->d == NULL ||
           (fp8rt_gemm_reads_c(desc) && desc->c == NULL) ||
           (desc->a.mx == NULL) != (desc->b.mx == NULL);
}

static bool exponent_is_legal(const fp8rt_caps *caps, int exponent)
{
    return caps->element.int8
               ? exponent == 0
               : exponent >= FP8MAC_SCALE_EXPONENT_MIN && exponent <= FP8MAC_SCALE_EXPONENT_MAX;
}

static bool scale_is_legal(const fp8mac_scale *scale)
{
    if (scale->mode == FP8MAC_SCALE_TENSOR) {
        return fp8rt_fp32_is_scale(fp8rt_fp32_bits(scale->values[0]));
    }
    return scale->mode == FP8MAC_SCALE_NONE || scale->mode == FP8MAC_SCALE_VECTOR;
}

// Rows of a matrix. The stride matters only if there is a second one.
static fp8rt_status check_rows(const fp8rt_caps *caps, const void *address, uint32_t rows,
                               uint32_t stride, uint32_t row_bytes)
{
    if (rows > 1 && stride < row_bytes) {
        return FP8RT_ERR_STRIDE;
    }
    return fp8rt_is_aligned(caps, address, rows, stride) ? FP8RT_OK : FP8RT_ERR_ALIGNMENT;
}

// An image may begin at any byte, and its stride is that of its lines.
static fp8rt_status check_operand(const fp8rt_caps *caps, const fp8rt_operand *x, uint32_t rows,
                                  uint32_t k, bool is_image)
{
    fp8rt_status status = FP8RT_OK;
    if (!is_image) {
        status = check_rows(caps, x->codes, rows, x->stride, k);
    }
    if (status == FP8RT_OK && x->mx != NULL) {
        status = check_rows(caps, x->mx, rows, x->mx_stride, fp8rt_mx_blocks(k));
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (!exponent_is_legal(caps, x->scale_exp)) {
        return FP8RT_ERR_SCALE_EXPONENT;
    }
    return scale_is_legal(&x->scale) ? FP8RT_OK : FP8RT_ERR_SCALE;
}

static fp8rt_status check_results(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const fp8rt_status status =
        check_rows(caps, desc->d, desc->m, desc->d_stride, desc->n * fp8rt_gemm_d_bytes(desc));
    if (status != FP8RT_OK || !fp8rt_gemm_reads_c(desc)) {
        return status;
    }
    return check_rows(caps, desc->c, desc->m, desc->c_stride, desc->n * fp8rt_gemm_c_bytes(desc));
}

static fp8rt_status check_matrices(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    fp8rt_status status = check_results(caps, desc);
    if (status == FP8RT_OK) {
        status = check_operand(caps, &desc->a, desc->m, desc->k, fp8rt_has_image(desc));
    }
    return status == FP8RT_OK ? check_operand(caps, &desc->b, desc->n, desc->k, false) : status;
}

static fp8rt_status check_kinds(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const fp8rt_element *element = &caps->element;
    if (has_null(desc)) {
        return FP8RT_ERR_NULL;
    }
    if (desc->m == 0 || desc->n == 0 || desc->k == 0) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_element_takes(element, desc->a.format) ||
        !fp8rt_element_takes(element, desc->b.format) ||
        !fp8rt_is_result_format(caps, desc->d_format)) {
        return FP8RT_ERR_FORMAT;
    }
    if (fp8rt_gemm_reads_c(desc) && !fp8rt_is_result_format(caps, desc->c_format)) {
        return FP8RT_ERR_FORMAT;
    }
    if ((desc->flags & ~(uint32_t)FP8RT_GEMM_FLAGS) != 0) {
        return FP8RT_ERR_FLAGS;
    }
    if (desc->n > UINT32_MAX / 8 || desc->k > UINT32_MAX / 8) {
        return FP8RT_ERR_SHAPE; // the bytes of a row must fit 32 bits
    }
    if (!fp8rt_element_has(element, desc->acc_format)) {
        return FP8RT_ERR_ACCUMULATOR;
    }
    if (!fp8rt_element_holds(element, desc->k)) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_is_overflow(desc->overflow, desc->d_format)) {
        return FP8RT_ERR_OVERFLOW_MODE;
    }
    return FP8RT_OK;
}

static bool finishes_in_fp32(const fp8rt_gemm_desc *desc)
{
    const fp8rt_coding *coding = &desc->coding;
    return desc->a.scale.mode != FP8MAC_SCALE_NONE || desc->b.scale.mode != FP8MAC_SCALE_NONE ||
           desc->bias != NULL || desc->activation != FP8MAC_ACT_NONE || desc->scale_d != NULL ||
           fp8rt_gemm_reads_c(desc) || fp8rt_gemm_has_mx(desc) || coding->stochastic ||
           coding->table != 0;
}

static fp8rt_status check_requantise(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const fp8rt_requantise *r = &desc->requantise;
    if (!fp8rt_gemm_requantises(caps)) {
        return r->scales == NULL && r->bias == NULL ? FP8RT_OK : FP8RT_ERR_UNSUPPORTED;
    }
    if (finishes_in_fp32(desc)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (desc->d_format != FP8MAC_INT8 && desc->d_format != FP8MAC_FP32) {
        return FP8RT_ERR_FORMAT;
    }
    if (desc->d_format == FP8MAC_FP32 && r->scales != NULL) {
        return FP8RT_ERR_SCALE;
    }
    if (desc->d_format == FP8MAC_INT8 && r->scales == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (!fp8rt_is_aligned(caps, r->scales, 1, 0) || !fp8rt_is_aligned(caps, r->bias, 1, 0)) {
        return FP8RT_ERR_ALIGNMENT;
    }
    return r->lo <= r->hi ? FP8RT_OK : FP8RT_ERR_ACTIVATION;
}

static fp8rt_status check_values(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                 const fp8rt_command *command)
{
    const fp8rt_status regions = fp8rt_gemm_check_regions(caps, desc, command);
    const fp8rt_status matrices =
        regions == FP8RT_ERR_STRIDE ? regions : check_matrices(caps, desc);
    if (matrices != FP8RT_OK) {
        return matrices;
    }
    if (desc->scale_d != NULL && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(*desc->scale_d))) {
        return FP8RT_ERR_SCALE;
    }
    if (!fp8rt_is_activation(desc->activation, desc->clamp_lo, desc->clamp_hi)) {
        return FP8RT_ERR_ACTIVATION;
    }
    const fp8rt_status coding = fp8rt_coding_check(caps, &desc->coding, desc->d_format);
    if (coding != FP8RT_OK) {
        return coding;
    }
    if (fp8rt_gemm_reads_c(desc) && (caps->functions & FP8MAC_FUNCTION_C) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (fp8rt_gemm_has_mx(desc) &&
        ((caps->functions & FP8MAC_FUNCTION_MX) == 0 || fp8rt_has_image(desc))) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return regions;
}

static inline void fill_operand(const fp8rt_caps *caps, fp8rt_operand *x, uint32_t k)
{
    if (x->stride == 0) {
        x->stride = fp8rt_packed_stride(caps, k);
    }
    if (x->mx != NULL && x->mx_stride == 0) {
        x->mx_stride = fp8rt_packed_stride(caps, fp8rt_mx_blocks(k));
    }
}

void fp8rt_gemm_fill(const fp8rt_caps *caps, fp8rt_gemm_desc *desc)
{
    if (fp8rt_has_image(desc)) {
        fp8rt_image_fill(desc);
    }
    fill_operand(caps, &desc->a, desc->k);
    fill_operand(caps, &desc->b, desc->k);
    if (desc->d_stride == 0) {
        desc->d_stride = fp8rt_packed_stride(caps, desc->n * fp8rt_gemm_d_bytes(desc));
    }
    if (desc->c_stride == 0 && fp8rt_gemm_reads_c(desc)) {
        desc->c_stride = fp8rt_packed_stride(caps, desc->n * fp8rt_gemm_c_bytes(desc));
    }
}

fp8rt_status fp8rt_gemm_validate(const fp8rt_caps *caps, fp8rt_gemm_desc *desc,
                                 fp8rt_command *command)
{
    fp8rt_status status = check_kinds(caps, desc);
    if (status == FP8RT_OK) {
        status = check_requantise(caps, desc);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_gemm_fill(caps, desc);
    if (fp8rt_has_image(desc)) {
        status = fp8rt_image_check(caps, desc);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_gemm_command(caps, desc, command);
    return check_values(caps, desc, command);
}
