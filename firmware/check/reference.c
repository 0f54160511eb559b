// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference.h"

#include <math.h>

#include "fp8mac/convert.h"
#include "fp8mac/recipe_published.h"

// ---- values -------------------------------------------------------------------------------------

static double scale_of(float scale)
{
    return scale == 0.0f ? 1.0 : (double)scale;
}

// The element at column `col` of the row at `row`.
static double decode(const fp8rt_tensor *tensor, const void *row, uint32_t col)
{
    const fp8mac_format *format = fp8mac_format_get(tensor->format);
    const uint8_t *code = (const uint8_t *)row + (size_t)col * fp8mac_format_bytes(format);
    float value;
    fp8mac_dequantize(&value, format, code, 1, 1.0f);
    return (double)value * scale_of(tensor->scale);
}

static const uint8_t *mx_at(const fp8rt_caps *caps, const fp8rt_tensor *tensor, uint32_t row,
                            uint32_t col)
{
    return tensor->mx + (size_t)row * fp8rt_tensor_mx_stride(caps, tensor) + col / FP8MAC_MX_BLOCK;
}

// The MX scale of an element, or that of its row; 1 if there is none.
static double block_scale(const fp8rt_caps *caps, const fp8rt_tensor *tensor, uint32_t row,
                          uint32_t col)
{
    if (tensor->mx == NULL) {
        return tensor->row_scale == NULL ? 1.0 : (double)tensor->row_scale[row];
    }
    const uint8_t code = *mx_at(caps, tensor, row, col);
    return code == 0xff ? (double)NAN : ldexp(1.0, (int)code - 127);
}

double fp8rt_reference_at(const fp8rt_caps *caps, const fp8rt_tensor *tensor, uint32_t row,
                          uint32_t col)
{
    const uint8_t *data = tensor->data;
    return decode(tensor, data + (size_t)row * fp8rt_tensor_stride(caps, tensor), col) *
           block_scale(caps, tensor, row, col);
}

double fp8rt_reference_fused(const fp8rt_fused *fused, double value)
{
    if (fused->activation == FP8MAC_ACT_RELU) {
        return fmax(value, 0.0);
    }
    return fused->activation == FP8MAC_ACT_CLAMP
               ? fmin(fmax(value, (double)fused->clamp_lo), (double)fused->clamp_hi)
               : value;
}

fp8rt_reference fp8rt_reference_of(const fp8rt_caps *caps, const fp8rt_tensor *out,
                                   fp8rt_arena arena)
{
    const size_t bytes = (size_t)out->rows * out->cols * sizeof(double);
    fp8rt_reference reference = {.arena = arena, .caps = caps};
    reference.values = fp8rt_arena_alloc(&reference.arena, bytes);
    reference.bounds = fp8rt_arena_alloc(&reference.arena, bytes);
    if (reference.bounds == NULL) {
        reference.values = NULL;
    }
    return reference;
}

// ---- sums of products ---------------------------------------------------------------------------

fp8rt_reference_sum fp8rt_reference_dot(const fp8rt_caps *caps, const double *a, const double *b,
                                        uint32_t k)
{
    double sum = 0, reach = 0;
    for (uint32_t first = 0; first < k; first += caps->block) {
        double largest_a = 0, largest_b = 0;
        for (uint32_t i = first; i < k && i < first + caps->block; i++) {
            sum += a[i] * b[i];
            largest_a = fmax(largest_a, fabs(a[i]));
            largest_b = fmax(largest_b, fabs(b[i]));
        }
        reach += largest_a * largest_b;
    }
    return (fp8rt_reference_sum){sum, ldexp(reach, -13)};
}

// A layer that is sums of products: row r of its operand comes from `gather`.
typedef struct products {
    const fp8rt_weights *weights;
    const fp8rt_tensor *residual;
    const fp8rt_fused *fused;
    uint32_t rows, cols;   // of the output
    uint32_t first, count; // the columns that see the operand
    uint32_t first_row;    // of weights, those of `first`
    // Whether a row of the output is computed; NULL: all are
    bool (*has)(const void *context, uint32_t row);
    uint32_t k;
    void (*gather)(const fp8rt_reference *reference, const void *context, uint32_t row, double *to);
    const void *context;
} products;

// Those of an output channel
static void weight_row(const fp8rt_caps *caps, const fp8rt_weights *weights, uint32_t channel,
                       uint32_t row, uint32_t k, double *to)
{
    for (uint32_t i = 0; i < k; i++) {
        to[i] = fp8rt_reference_at(caps, &weights->codes, row, i) *
                (weights->row_scale == NULL ? 1.0 : (double)weights->row_scale[channel]);
    }
}

// Additions of FP32 numbers round, also where they cancel.
static void finish(const fp8rt_reference *reference, const products *p, uint32_t row, uint32_t col,
                   fp8rt_reference_sum dot)
{
    const size_t position = (size_t)row * p->cols + col;
    const double bias = p->weights->bias == NULL ? 0.0 : (double)p->weights->bias[col];
    const double residual =
        p->residual == NULL ? 0.0 : fp8rt_reference_at(reference->caps, p->residual, row, col);
    reference->values[position] = fp8rt_reference_fused(p->fused, dot.sum + bias + residual);
    reference->bounds[position] =
        dot.bound + ldexp(fabs(dot.sum) + fabs(bias) + fabs(residual), -21);
}

static void multiply(fp8rt_reference *reference, const products *p)
{
    const fp8rt_caps *caps = reference->caps;
    fp8rt_arena arena = reference->arena;
    double *row = fp8rt_arena_alloc(&arena, p->k * sizeof(double));
    double *weights = fp8rt_arena_alloc(&arena, (size_t)p->count * p->k * sizeof(double));
    if (row == NULL || weights == NULL) {
        reference->values = NULL;
        return;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        weight_row(caps, p->weights, p->first + i, p->first_row + i, p->k,
                   weights + (size_t)i * p->k);
    }
    for (uint32_t r = 0; r < p->rows; r++) {
        if (p->has != NULL && !p->has(p->context, r)) {
            continue;
        }
        p->gather(reference, p->context, r, row);
        for (uint32_t i = 0; i < p->count; i++) {
            finish(reference, p, r, p->first + i,
                   fp8rt_reference_dot(caps, row, weights + (size_t)i * p->k, p->k));
        }
    }
}

// ---- layers -------------------------------------------------------------------------------------

static void gather_row(const fp8rt_reference *reference, const void *context, uint32_t row,
                       double *to)
{
    const fp8rt_tensor *x = context;
    for (uint32_t i = 0; i < x->cols; i++) {
        to[i] = fp8rt_reference_at(reference->caps, x, row, i);
    }
}

void fp8rt_reference_linear(fp8rt_reference *reference, const fp8rt_linear_desc *desc)
{
    const products p = {.weights = desc->weights,
                        .residual = desc->residual,
                        .fused = &desc->fused,
                        .rows = desc->out->rows,
                        .cols = desc->out->cols,
                        .count = desc->out->cols,
                        .k = desc->x->cols,
                        .gather = gather_row,
                        .context = desc->x};
    multiply(reference, &p);
}

static uint32_t or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

typedef struct image_context {
    const fp8rt_tensor *x;
    fp8rt_window window; // its defaults filled in
    uint32_t height, width, pixel_bytes;
    uint32_t out_h, out_w;
    uint32_t first, channels;
    uint32_t lines;  // of the kernel, or of both kernels of two output lines
    uint32_t apart;  // output lines whose outputs have the same lines of the image: 1 or 2
    uint32_t number; // the output line of these that is computed
} image_context;

static const void *pixel_at(const image_context *c, uint32_t image, int32_t y, int32_t x)
{
    if (y < 0 || y >= (int32_t)c->height || x < 0 || x >= (int32_t)c->width) {
        return NULL;
    }
    const size_t pixel = ((size_t)image * c->height + (uint32_t)y) * c->width + (uint32_t)x;
    return (const uint8_t *)c->x->data + pixel * c->pixel_bytes;
}

static void gather_window(const fp8rt_reference *reference, const void *context, uint32_t row,
                          double *to)
{
    const image_context *c = context;
    const fp8rt_window *w = &c->window;
    const uint32_t image = row / (c->out_h * c->out_w), pixel = row % (c->out_h * c->out_w);
    const uint32_t line = pixel / c->out_w / c->apart * c->apart;
    const int32_t top = (int32_t)(line * w->stride_y) - (int32_t)w->pad_top;
    const int32_t left = (int32_t)(pixel % c->out_w * w->stride_x) - (int32_t)w->pad_left;
    (void)reference;
    for (uint32_t ky = 0; ky < c->lines; ky++) {
        for (uint32_t kx = 0; kx < w->kernel_w; kx++) {
            const void *from = pixel_at(c, image, top + (int32_t)(ky * w->dilation_y),
                                        left + (int32_t)(kx * w->dilation_x));
            for (uint32_t i = 0; i < c->channels; i++) {
                *to++ = from == NULL ? 0.0 : decode(c->x, from, c->first + i);
            }
        }
    }
}

static bool has_line(const void *context, uint32_t row)
{
    const image_context *c = context;
    return row % (c->out_h * c->out_w) / c->out_w % c->apart == c->number;
}

static image_context context_of(const fp8rt_caps *caps, const fp8rt_convolution_desc *desc)
{
    const fp8rt_window *w = &desc->window;
    image_context c = {.x = desc->x,
                       .window = *w,
                       .height = or_one(desc->height),
                       .width = or_one(desc->width),
                       .pixel_bytes = desc->pixel_bytes != 0 ? desc->pixel_bytes
                                                             : fp8rt_tensor_stride(caps, desc->x)};
    c.window.kernel_h = or_one(w->kernel_h);
    c.window.kernel_w = or_one(w->kernel_w);
    c.window.stride_y = or_one(w->stride_y);
    c.window.stride_x = or_one(w->stride_x);
    c.window.dilation_y = or_one(w->dilation_y);
    c.window.dilation_x = or_one(w->dilation_x);
    c.out_h = fp8rt_window_count(w->kernel_h, w->stride_y, w->dilation_y, c.height,
                                 w->pad_top + w->pad_bottom);
    c.out_w = fp8rt_window_count(w->kernel_w, w->stride_x, w->dilation_x, c.width,
                                 w->pad_left + w->pad_right);
    c.apart = desc->pairs ? 2u : 1u;
    c.lines = c.window.kernel_h + (desc->pairs ? c.window.stride_y : 0);
    return c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void fp8rt_reference_convolution(fp8rt_reference *reference, const fp8rt_convolution_desc *desc)
{
    image_context c = context_of(reference->caps, desc);
    const uint32_t in = desc->group_in == 0 ? desc->x->cols : desc->group_in;
    const uint32_t out = desc->group_out == 0 ? desc->out->cols : desc->group_out;
    products p = {.weights = desc->weights,
                  .residual = desc->residual,
                  .fused = &desc->fused,
                  .rows = desc->out->rows,
                  .cols = desc->out->cols,
                  .gather = gather_window,
                  .has = has_line,
                  .context = &c};
    for (c.first = 0; reference->values != NULL && c.first < desc->x->cols;
         c.first += in, p.first += out) {
        c.channels = least(in, desc->x->cols - c.first);
        p.count = least(out, desc->out->cols - p.first);
        p.k = c.lines * c.window.kernel_w * c.channels;
        p.first_row = p.first * c.apart;
        for (c.number = 0; c.number < c.apart; c.number++, p.first_row += out) {
            multiply(reference, &p);
        }
    }
}

// ---- comparison ---------------------------------------------------------------------------------

// The value of the code of `value`, in a block with this MX scale.
static double rounded(const fp8rt_tensor *out, double value, double block)
{
    const fp8mac_format *format = fp8mac_format_get(out->format);
    const float number = (float)(value / (scale_of(out->scale) * block));
    uint32_t code = 0;
    fp8mac_quantize(format, &code, &number, 1, 1.0f, (fp8mac_convert_mode){0}, NULL);
    return decode(out, &code, 0) * block;
}

// The MX scales that do not follow from a largest value within the bounds.
static uint32_t wrong_scales(const fp8rt_reference *reference, const fp8rt_tensor *out)
{
    const fp8mac_format *format = fp8mac_format_get(out->format);
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < out->rows; row++) {
        for (uint32_t first = 0; first < out->cols; first += FP8MAC_MX_BLOCK) {
            double low = 0, high = 0;
            for (uint32_t col = first; col < out->cols && col < first + FP8MAC_MX_BLOCK; col++) {
                const size_t position = (size_t)row * out->cols + col;
                const double magnitude = fabs(reference->values[position]);
                low = fmax(low, magnitude - reference->bounds[position]);
                high = fmax(high, magnitude + reference->bounds[position]);
            }
            const double scale = scale_of(out->scale);
            const uint8_t got = *mx_at(reference->caps, out, row, first);
            wrong += got < fp8mac_recipe_mx_scale(format, (float)(low / scale)) ||
                     got > fp8mac_recipe_mx_scale(format, (float)(high / scale));
        }
    }
    return wrong;
}

// Bounds of the largest magnitude of `rows` rows
static void magnitude_of_rows(const fp8rt_reference *reference, const fp8rt_tensor *out,
                              uint32_t first, uint32_t rows, double *low, double *high)
{
    *low = *high = 0x1p-100;
    for (size_t i = (size_t)first * out->cols; i < (size_t)(first + rows) * out->cols; i++) {
        const double magnitude = fabs(reference->values[i]);
        *low = fmax(*low, magnitude - reference->bounds[i]);
        *high = fmax(*high, magnitude + reference->bounds[i]);
    }
}

// The scales of rows whose largest code is not their largest value, or that of all rows, within the
// bounds
static uint32_t wrong_row_scales(const fp8rt_reference *reference, const fp8rt_tensor *out)
{
    const double most = (double)fp8mac_recipe_format_max(fp8mac_format_get(out->format));
    const uint32_t rows = out->one_scale ? out->rows : 1;
    uint32_t wrong = 0;
    double low = 0, high = 0;
    for (uint32_t row = 0; row < out->rows; row++) {
        if (row % rows == 0) {
            magnitude_of_rows(reference, out, row, rows, &low, &high);
        }
        const double got = (double)out->row_scale[row] * most;
        wrong += !(got >= low * (1 - 0x1p-22) && got <= high * (1 + 0x1p-22));
    }
    return wrong;
}

fp8rt_deviation fp8rt_reference_compare(const fp8rt_reference *reference, const fp8rt_tensor *out)
{
    fp8rt_deviation d = {.wrong = out->mx != NULL          ? wrong_scales(reference, out)
                                  : out->row_scale != NULL ? wrong_row_scales(reference, out)
                                                           : 0};
    for (uint32_t row = 0; row < out->rows; row++) {
        for (uint32_t col = 0; col < out->cols; col++) {
            const size_t position = (size_t)row * out->cols + col;
            const double value = reference->values[position], bound = reference->bounds[position];
            const double got = fp8rt_reference_at(reference->caps, out, row, col);
            const double block = block_scale(reference->caps, out, row, col);
            const double low = rounded(out, value - bound, block);
            const double high = rounded(out, value + bound, block);
            const double error = fabs(got - value);
            d.wrong += !(low <= got && got <= high);
            d.amax = fmax(d.amax, fabs(value));
            if (!(error <= d.error)) {
                d.error = error;
                d.bound = fmax(high - value, value - low);
            }
        }
    }
    return d;
}
