// SPDX-License-Identifier: Apache-2.0
// What the layers are made of: scratch, commands with scaled outputs, profile.
//
//   fp8rt_status fp8rt_example(fp8rt_run *run, const fp8rt_example_desc *desc)
//   {
//       return fp8rt_layer(run, "example", desc, check, compute);
//   }
//
// In a query `compute` takes the same scratch and issues the same commands, which do nothing. Loops
// of the core over data are skipped: `if (!run->query)`.
#ifndef FP8RT_LAYER_H
#define FP8RT_LAYER_H

#include "fp32_bits.h"
#include "fp8rt/rows.h"
#include "fp8rt/tensor.h"
#include "regions.h"

#define FP8RT_NO_ENTRY UINT32_MAX

typedef struct fp8rt_scope {
    size_t used;
    uint32_t parent; // its entry of the profile
    uint64_t start;
    const char *name;
    bool observed; // the profile's observer has seen its descriptor
} fp8rt_scope;

// FP8RT_ERR_NULL (run, its device, scratch or memory of a profile), FP8RT_ERR_NOT_OPEN, or the
// status of the run, if it has failed.
fp8rt_status fp8rt_layer_begin(fp8rt_run *run, const char *name, fp8rt_scope *scope);
// Shows the descriptor, which is right, to the profile's observer, before anything is written.
void fp8rt_layer_observe(fp8rt_run *run, fp8rt_scope *scope, const void *desc);
// Gives back the scratch that was taken since the beginning. Returns `status`.
fp8rt_status fp8rt_layer_end(fp8rt_run *run, const fp8rt_scope *scope, fp8rt_status status);

// A layer from its beginning to its end. `check` says whether the descriptor, which may be NULL, is
// right; `compute` runs the layer.
typedef fp8rt_status fp8rt_layer_check_function(fp8rt_run *run, const void *desc);
typedef fp8rt_status fp8rt_layer_compute_function(fp8rt_run *run, const void *desc);
static inline fp8rt_status fp8rt_layer(fp8rt_run *run, const char *name, const void *desc,
                                       fp8rt_layer_check_function *check,
                                       fp8rt_layer_compute_function *compute)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, name, &scope);
    if (status == FP8RT_OK) {
        status = check(run, desc);
    }
    if (status == FP8RT_OK) {
        fp8rt_layer_observe(run, &scope, desc);
        status = compute(run, desc);
    }
    return fp8rt_layer_end(run, &scope, status);
}

// `bytes` of scratch at a beat, until the layer ends. NULL: there is not that much
// (FP8RT_ERR_SCRATCH). In a query an address that must not be used.
void *fp8rt_layer_take(fp8rt_run *run, size_t bytes);
// A tensor in the scratch; data is NULL as above.
fp8rt_tensor fp8rt_layer_tensor(fp8rt_run *run, uint32_t rows, uint32_t cols,
                                fp8mac_format_id format);

// rows x cols of a tensor, from (row, col) on. `step` rows of it are from row to row of the part.
fp8rt_tensor fp8rt_tensor_part(const fp8rt_run *run, const fp8rt_tensor *whole, uint32_t row,
                               uint32_t rows, uint32_t step, uint32_t col, uint32_t cols);
// The weights of `count` outputs from output `first` on, with what belongs to these. Each has
// `rows` rows of cols codes.
fp8rt_weights fp8rt_weights_part(const fp8rt_run *run, const fp8rt_weights *whole, uint32_t first,
                                 uint32_t count, uint32_t rows, uint32_t cols);
// The first byte of a row.
static inline void *fp8rt_tensor_row(const fp8rt_caps *caps, const fp8rt_tensor *tensor,
                                     uint32_t row)
{
    return (uint8_t *)tensor->data + (size_t)row * fp8rt_tensor_stride(caps, tensor);
}

// FP32 numbers or other words of 32 bits from row to row.
static inline uint32_t fp8rt_tensor_words(const fp8rt_run *run, const fp8rt_tensor *tensor)
{
    return fp8rt_tensor_stride(&run->dev->caps, tensor) / sizeof(uint32_t);
}
// Its memory, without what is between the rows.
fp8rt_region fp8rt_tensor_region(const fp8rt_caps *caps, const fp8rt_tensor *tensor);

static inline float fp8rt_layer_scale(float scale)
{
    return fp8rt_fp32_is_zero(fp8rt_fp32_bits(scale)) ? 1.0f : scale;
}

// Formats of products' operands, and the last one of those that a tensor may have.
static inline fp8mac_format_id fp8rt_layer_operand(const fp8rt_run *run)
{
    return run->dev->caps.element.int8 ? FP8MAC_INT8 : FP8MAC_E4M3FN;
}
static inline fp8mac_format_id fp8rt_layer_last_operand(const fp8rt_run *run)
{
    return run->dev->caps.element.int8 ? FP8MAC_INT8 : FP8MAC_E5M2FNUZ;
}
static inline fp8mac_format_id fp8rt_layer_last_format(const fp8rt_run *run)
{
    return run->dev->caps.element.int8 ? FP8MAC_INT8 : FP8MAC_FP32;
}

// FP8RT_OK, FP8RT_ERR_NULL (tensor, data), FP8RT_ERR_SHAPE (a size is 0), FP8RT_ERR_FORMAT (the
// formats `first` to `last` are possible), FP8RT_ERR_SCALE (also a kind of scaling that there is
// not), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_UNSUPPORTED (MX scales). If they fail,
// run->wrong is the argument as it is written: "desc->x", say.
#define fp8rt_layer_check(run, tensor, first, last)                                                \
    fp8rt_layer_check_named(run, tensor, first, last, #tensor)
#define fp8rt_layer_check_fp8(run, tensor)                                                         \
    fp8rt_layer_check_named(run, tensor, FP8MAC_E4M3FN, FP8MAC_E5M2FNUZ, #tensor)
// Operands of products: FP8, or INT8 with elements of INT8
#define fp8rt_layer_check_operand(run, tensor) fp8rt_layer_check_operand_named(run, tensor, #tensor)
#define fp8rt_layer_check_operand_named(run, tensor, name)                                         \
    fp8rt_layer_check_named(run, tensor, fp8rt_layer_operand(run), fp8rt_layer_last_operand(run),  \
                            name)
// Of any format: INT8 with elements of INT8 alone
#define fp8rt_layer_check_any(run, tensor)                                                         \
    fp8rt_layer_check_named(run, tensor, FP8MAC_E4M3FN, fp8rt_layer_last_format(run), #tensor)
fp8rt_status fp8rt_layer_check_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                     fp8mac_format_id first, fp8mac_format_id last,
                                     const char *name);
// Both of a layer with one operand and an output, of any format. A descriptor's fields: x, out.
fp8rt_status fp8rt_layer_check_ends(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);
// The same for a tensor that may have a scale for each row, which is checked too.
// FP8RT_ERR_UNSUPPORTED: the tensor has a scaling.
#define fp8rt_layer_check_rows(run, tensor, first, last)                                           \
    fp8rt_layer_check_rows_named(run, tensor, first, last, #tensor)
fp8rt_status fp8rt_layer_check_rows_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                          fp8mac_format_id first, fp8mac_format_id last,
                                          const char *name);
// The same for a tensor that may have MX scales, which are checked too, or a scale for each row.
// FP8RT_ERR_UNSUPPORTED: the array has no MX, or the tensor has a scaling.
#define fp8rt_layer_check_mx(run, tensor, first, last)                                             \
    fp8rt_layer_check_mx_named(run, tensor, first, last, #tensor)
fp8rt_status fp8rt_layer_check_mx_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                        fp8mac_format_id first, fp8mac_format_id last,
                                        const char *name);
// FP8RT_ERR_SHAPE, and run->wrong is `misfit`, the argument whose size does not fit. NULL:
// all fit, and FP8RT_OK.
fp8rt_status fp8rt_layer_fit(fp8rt_run *run, const char *misfit);
static inline bool fp8rt_tensor_is(const fp8rt_tensor *tensor, uint32_t rows, uint32_t cols)
{
    return tensor->rows == rows && tensor->cols == cols;
}
static inline bool fp8rt_tensor_is_as(const fp8rt_tensor *tensor, const fp8rt_tensor *other)
{
    return fp8rt_tensor_is(tensor, other->rows, other->cols);
}
// The codes as a tensor, and FP8RT_ERR_SHAPE if a row has not `k` codes.
#define fp8rt_layer_check_weights(run, weights, k)                                                 \
    fp8rt_layer_check_weights_named(run, weights, k, #weights)
fp8rt_status fp8rt_layer_check_weights_named(fp8rt_run *run, const fp8rt_weights *weights,
                                             uint32_t k, const char *name);

// Whether the core may compute on data now: neither in a query nor in a recording, which cannot be
// made of such a layer and fails (FP8RT_ERR_UNSUPPORTED). fp8rt_layer_core (record.h) is for parts
// that can be recorded.
bool fp8rt_layer_computes(fp8rt_run *run);

// ---- for the sources of this frame --------------------------------------------------------------

// Static where the tensor has no choice.
fp8rt_scaling_kind fp8rt_layer_scaling(const fp8rt_tensor *tensor);
// The formula of the tensor's scaling, with its defaults.
fp8mac_recipe_formula fp8rt_layer_formula(const fp8rt_tensor *tensor);
// Writes the scale that its formula gives for `amax`. FP8RT_ERR_SCALE: the formula is out of range.
fp8rt_status fp8rt_layer_scale_from(fp8rt_tensor *tensor, float amax, bool nonfinite);
// Adds a command's flags and counters to the run.
void fp8rt_layer_count(fp8rt_run *run, const fp8rt_gemm_result *result);
// The same for a part of the core, which has no counters.
void fp8rt_layer_flags(fp8rt_run *run, const fp8rt_gemm_result *result);

// ---- commands -----------------------------------------------------------------------------------

// out = fused(x * weights^T + factor * c), in values: one GEMM, with one command more if the
// output's scale is dynamic.
typedef struct fp8rt_product {
    const fp8rt_tensor *x;
    const fp8rt_weights *weights; // n = codes.rows, k = codes.cols
    const float *x_scale;         // m values that take the place of x's scale; NULL: none
    // A convolution: x's data is the image, image.pixel_bytes 0 stands for x's stride, and
    // line_bytes 0 for width * pixel_bytes. m output pixels.
    fp8rt_image image; // channels 0: x is a matrix, and m is x->rows
    uint32_t line_bytes, m;
    const fp8rt_tensor *c; // NULL: nothing is added
    float factor;
    const fp8rt_fused *fused; // NULL: nothing
} fp8rt_product;
fp8rt_status fp8rt_layer_gemm(fp8rt_run *run, const fp8rt_product *product, fp8rt_tensor *out);

// FP8RT_OPERATION_ADD: out = fused(x + factor * c); _MULTIPLY: out = fused(x * (factor * c));
// _MAXIMUM: the larger of x and factor * c, in values.
typedef struct fp8rt_combination {
    uint32_t operation;
    const fp8rt_tensor *x;
    const float *x_scale;  // x->rows values at a beat that take the place of x's scale; NULL: none
    const fp8rt_tensor *c; // NULL: an addition converts x
    float factor;
    const fp8rt_fused *fused; // NULL: nothing
    fp8mac_overflow overflow;
} fp8rt_combination;
fp8rt_status fp8rt_layer_combine(fp8rt_run *run, const fp8rt_combination *combination,
                                 fp8rt_tensor *out);
// out = norms, softmax or reductions of x's rows, in values (fp8rt/rows.h): one command. Where the
// accelerator has no row commands, the core computes the same bytes. Gamma and beta are at a beat.
typedef struct fp8rt_row_operation {
    fp8mac_rows_operation operation;
    const fp8rt_tensor *x;
    float factor; // not of norms; > 0
    uint32_t seen;
    bool causal;
    float eps; // of norms; FP8RT_ERR_SCALE: eps / x->scale^2 is not finite or not above 0
    const float *gamma, *beta;
} fp8rt_row_operation;
fp8rt_status fp8rt_layer_rows(fp8rt_run *run, const fp8rt_row_operation *rows, fp8rt_tensor *out);
// The values of x, in FP32, become codes and scales of the rows of `out`: two commands. They and
// their flags count for the run.
fp8rt_status fp8rt_layer_quantise(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);

// out = fused(x). fused NULL: nothing.
fp8rt_status fp8rt_layer_convert(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_fused *fused,
                                 fp8rt_tensor *out);

// Whether there are row commands
bool fp8rt_layer_has_rows(const fp8rt_run *run);
// Codes and MX scales of x, which is FP32, FP16 or BF16. One command, with row commands. Otherwise
// parts of the core, and a command for each 32 columns.
fp8rt_status fp8rt_layer_rows_to_mx(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);
fp8rt_status fp8rt_layer_to_mx(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);

#endif
