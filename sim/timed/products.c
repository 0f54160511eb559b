// SPDX-License-Identifier: Apache-2.0
#include "timed/products.h"

#include <stdlib.h>
#include <string.h>

#include "command_words.h"
#include "element_model.h"
#include "fp32_bits.h"
#include "fp8mac/fp8mac.h"
#include "fp8mac/requantise.h"
#include "fp8rt/registers.h"
#include "walk.h"

// ---- which commands -----------------------------------------------------------------------------

// Chains and MX need the accelerator's buffers. Stochastic rounding depends on places in D.
// What loads a table is left to the model of the device, which has the tables.
static bool is_plain(const fp8rt_command *c)
{
    const uint32_t others = FP8RT_BIT(OPERATION__ROUNDING) | FP8RT_BIT(OPERATION__LOAD_TABLE);
    const uint32_t chained = FP8RT_BIT(MODE__REUSE_A) | FP8RT_BIT(MODE__REUSE_B) |
                             FP8RT_BIT(MODE__ACC_CONTINUE) | FP8RT_BIT(MODE__ACC_KEEP);
    return !fp8rt_host_elementwise(c) && (c->mode & chained) == 0 && !fp8rt_host_mx(c) &&
           !fp8rt_host_depthwise(c) && (fp8rt_host_operation(c) & others) == 0;
}

// ---- operands -----------------------------------------------------------------------------------

// Code k of row r of an image operand: the rules of the registers CONV_LINE .. CONV_PAD
static uint8_t image_code(const fp8rt_command *c, uint32_t r, uint32_t k)
{
    const uint32_t *w = c->conv;
    const uint32_t out_w = FP8RT_GET(CONV_SIZE__OUT_W, w[1]);
    const uint32_t segment = FP8RT_GET(CONV_SEGMENT__BYTES, w[2]);
    const uint32_t line = segment * FP8RT_GET(CONV_SEGMENT__SEGMENTS, w[2]);
    const int64_t y = (int64_t)(r / out_w) * FP8RT_GET(CONV_LINES__STEP_Y, w[4]) +
                      (int64_t)(k / line) * FP8RT_GET(CONV_LINES__DIL_Y, w[4]) -
                      FP8RT_GET(CONV_LINES__PAD_TOP, w[4]);
    const int64_t x = (int64_t)(r % out_w) * FP8RT_GET(CONV_STEP__STEP_X, w[3]) +
                      (int64_t)(k % line / segment) * FP8RT_GET(CONV_STEP__SEGMENT_STEP, w[3]) +
                      k % segment - FP8RT_GET(CONV_PAD__PAD_LEFT, w[5]);
    const bool inside = y >= 0 && y < FP8RT_GET(CONV_SIZE__HEIGHT, w[1]) && x >= 0 &&
                        x < FP8RT_GET(CONV_LINE__WIDTH, w[0]);
    return inside ? ((const uint8_t *)c->a.address)[(size_t)y * c->a.stride + (size_t)x] : 0;
}

// The image as a matrix of m x k codes; NULL: there is no memory.
static uint8_t *image_of(const fp8rt_command *c)
{
    uint8_t *codes = malloc((size_t)c->m * c->k);
    for (uint32_t r = 0; codes != NULL && r < c->m; r++) {
        for (uint32_t k = 0; k < c->k; k++) {
            codes[(size_t)r * c->k + k] = image_code(c, r, k);
        }
    }
    return codes;
}

static fp8mac_scale scale_of(const fp8rt_command_operand *x, bool vector, float *value)
{
    *value = vector ? 1.0f : fp8rt_fp32_from_bits((uint32_t)x->scale);
    return vector ? (fp8mac_scale){FP8MAC_SCALE_VECTOR, (const float *)x->scale}
                  : (fp8mac_scale){FP8MAC_SCALE_TENSOR, value};
}

// ---- the GEMM -----------------------------------------------------------------------------------

typedef struct values {
    float scale_a, scale_b, scale_d;
} values;

static void set_epilogue(const fp8rt_device *device, const fp8rt_command *c, values *v,
                         fp8mac_gemm_desc *g)
{
    const uint32_t operation = fp8rt_host_operation(c);
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, operation);
    const bool bias = fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN));
    v->scale_d = fp8rt_fp32_from_bits(c->scale_d);
    g->bias = bias ? (const float *)c->bias : NULL;
    if (fp8rt_host_reads_c(c)) {
        g->beta = fp8rt_fp32_from_bits(c->beta);
        g->c = (const void *)c->c;
        g->c_format = fp8mac_format_get((fp8mac_format_id)FP8RT_GET(OPERATION__C_FMT, operation));
        g->ldc = c->c_stride / fp8rt_host_c_bytes(c);
    }
    g->activation = (fp8mac_activation)FP8RT_GET(MODE__ACT, c->mode);
    if (g->activation == FP8MAC_ACT_CLAMP) {
        g->clamp_lo = fp8rt_fp32_from_bits(c->clamp_lo);
        g->clamp_hi = fp8rt_fp32_from_bits(c->clamp_hi);
    }
    g->d = (void *)c->d;
    g->d_format = fp8mac_format_get((fp8mac_format_id)FP8RT_GET(MODE__D_FMT, c->mode));
    g->ldd = c->m > 1 ? c->d_stride / fp8rt_host_d_bytes(c) : c->n;
    g->d_mode.overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, c->mode);
    g->scale_d = &v->scale_d;
    g->d_table = table != 0 ? device->state.tables[table - 1u] : NULL;
}

static bool set_operands(const fp8rt_device *device, const fp8rt_command *c, values *v,
                         const uint8_t *image, fp8mac_gemm_desc *g)
{
    g->m = c->m, g->n = c->n, g->k = c->k;
    g->dot.group = device->caps.lanes;
    g->dot.a.scale_exp = c->a.scale_exp;
    g->dot.b.scale_exp = c->b.scale_exp;
    g->a.codes = image != NULL ? image : (const uint8_t *)c->a.address;
    g->a.stride = image != NULL || c->m == 1 ? c->k : c->a.stride;
    g->b.codes = (const uint8_t *)c->b.address;
    g->b.stride = c->n == 1 ? c->k : c->b.stride;
    g->a.scale = scale_of(&c->a, fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_A_VEC)), &v->scale_a);
    g->b.scale = scale_of(&c->b, fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC)), &v->scale_b);
    return fp8rt_element_model(fp8rt_element_encode(&device->caps.element), c->mode, &g->dot);
}

// ---- what is left to the next command -----------------------------------------------------------

static void fill(fp8rt_host_operand *to, const uint8_t *codes, size_t stride, uint32_t rows,
                 uint32_t k)
{
    for (uint32_t r = 0; r < rows; r++) {
        memcpy(to->codes + (size_t)r * k, codes + r * stride, k);
    }
}

// `a` and `b` are the codes of both operands, whose rows are so far apart.
static void leave(fp8rt_device *device, const fp8rt_command *c, const uint8_t *a, size_t a_stride,
                  const uint8_t *b, size_t b_stride)
{
    fp8rt_device_state *s = &device->state;
    s->kept = false;
    s->before = fp8rt_command_is_one_tile(c);
    if (!s->before) {
        return;
    }
    fill(&s->a, a, a_stride, c->m, c->k);
    fill(&s->b, b, b_stride, c->n, c->k);
    s->a.scale_exp = c->a.scale_exp, s->b.scale_exp = c->b.scale_exp;
    s->m = c->m, s->n = c->n, s->k = s->terms = c->k;
    s->mode = c->mode;
    s->depthwise = s->pairs = s->mx = false;
    s->mx_first = 0;
}

static bool multiply(fp8rt_device *device, const fp8rt_command *c, const uint8_t *image)
{
    fp8mac_gemm_desc g = {.m = 0};
    fp8mac_gemm_result result;
    values v;
    set_epilogue(device, c, &v, &g);
    if (!set_operands(device, c, &v, image, &g) || fp8mac_gemm(&g, &result) != FP8MAC_OK) {
        return false;
    }
    device->state.observed = (fp8rt_observed){.flags = result.flags,
                                              .amax_nonfinite = result.amax_nonfinite,
                                              .amax = fp8rt_fp32_bits(result.amax)};
    leave(device, c, g.a.codes, g.a.stride, g.b.codes, g.b.stride);
    return true;
}

// ---- the GEMM of an accelerator that requantises ------------------------------------------------

static bool requantises(const fp8rt_device *device)
{
    return (device->caps.functions & FP8RT_FUNCTION_REQUANTISE) != 0;
}

static fp8mac_requantise limits_of(const fp8rt_command *c)
{
    const bool clamps = FP8RT_GET(MODE__ACT, c->mode) == FP8MAC_ACT_CLAMP;
    return (fp8mac_requantise){
        .zero_point = (int32_t)c->scale_d,
        .lo = clamps ? (int32_t)c->clamp_lo : INT8_MIN,
        .hi = clamps ? (int32_t)c->clamp_hi : INT8_MAX,
    };
}

static bool multiply_integers(fp8rt_device *device, const fp8rt_command *c, const uint8_t *image)
{
    const fp8mac_int_scale one = {(int32_t)c->b.scale, (int32_t)c->a.scale};
    const bool vector = fp8rt_host_has(c, FP8RT_BIT(MODE__SCALE_B_VEC));
    const fp8mac_int8_gemm_desc g = {
        .m = c->m,
        .n = c->n,
        .k = c->k,
        .a = image != NULL ? (const int8_t *)image : (const int8_t *)c->a.address,
        .b = (const int8_t *)c->b.address,
        .lda = image != NULL || c->m == 1 ? c->k : c->a.stride,
        .ldb = c->n == 1 ? c->k : c->b.stride,
        .bias = fp8rt_host_has(c, FP8RT_BIT(MODE__BIAS_EN)) ? (const int32_t *)c->bias : NULL,
        .scales = vector ? (const fp8mac_int_scale *)c->b.scale : &one,
        .scale_per_column = vector,
        .to = limits_of(c),
        .sums = FP8RT_GET(MODE__D_FMT, c->mode) != FP8MAC_INT8,
        .d = (void *)c->d,
        .ldd = c->m > 1 ? c->d_stride / fp8rt_host_d_bytes(c) : c->n,
    };
    if (FP8RT_GET(OPERATION__ACT_TABLE, fp8rt_host_operation(c)) != 0 ||
        fp8mac_int8_gemm(&g) != FP8MAC_OK) {
        return false;
    }
    device->state.observed = (fp8rt_observed){0};
    leave(device, c, (const uint8_t *)g.a, g.lda, (const uint8_t *)g.b, g.ldb);
    return true;
}

fp8sim_products fp8sim_products_run(fp8rt_device *device, const fp8rt_command *command)
{
    if (!is_plain(command)) {
        return FP8SIM_PRODUCTS_OTHER;
    }
    const bool conv = fp8rt_host_conv_a(command);
    uint8_t *image = conv ? image_of(command) : NULL;
    const bool done =
        (image != NULL || !conv) && (requantises(device) ? multiply_integers(device, command, image)
                                                         : multiply(device, command, image));
    free(image);
    return done ? FP8SIM_PRODUCTS_DONE : FP8SIM_PRODUCTS_OTHER;
}
