// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

#include <string.h>

#include "parts.h"
#include "record.h"

// ---- windows ------------------------------------------------------------------------------------

static bool is_legal(const fp8rt_window *w)
{
    return w->dilation_y == 1 && w->dilation_x == 1 && w->pad_top < w->kernel_h &&
           w->pad_bottom < w->kernel_h && w->pad_left < w->kernel_w && w->pad_right < w->kernel_w;
}

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_layer_check_operand(run, desc->x);
    return status == FP8RT_OK ? fp8rt_layer_check_any(run, desc->out) : status;
}

static fp8rt_pools pools_of(const fp8rt_caps *caps, const fp8rt_pooling_desc *desc, fp8rt_window w)
{
    fp8rt_pools pools = {.desc = desc,
                         .window = w,
                         .images = fp8rt_or_one(desc->images),
                         .height = fp8rt_or_one(desc->height),
                         .width = fp8rt_or_one(desc->width),
                         .pixel_bytes = fp8rt_tensor_stride(caps, desc->x)};
    pools.out_h =
        fp8rt_window_count(w.kernel_h, w.stride_y, 1, pools.height, w.pad_top + w.pad_bottom);
    pools.out_w =
        fp8rt_window_count(w.kernel_w, w.stride_x, 1, pools.width, w.pad_left + w.pad_right);
    return pools;
}

fp8rt_status fp8rt_pools_check(fp8rt_run *run, const fp8rt_pooling_desc *desc, fp8rt_pools *pools)
{
    const fp8rt_status status = check_tensors(run, desc);
    if (status != FP8RT_OK) {
        return status;
    }
    *pools = pools_of(&run->dev->caps, desc, fp8rt_window_fill(&desc->window));
    if (!is_legal(&pools->window)) {
        return FP8RT_ERR_IMAGE;
    }
    const char *misfit =
        !fp8rt_is_product(desc->x->rows, pools->images, pools->height, pools->width) ? "desc->x"
        : pools->out_h == 0 || pools->out_w == 0 ? "desc->window"
        : !fp8rt_is_product(desc->out->rows, pools->images, pools->out_h, pools->out_w) ||
                desc->out->cols != desc->x->cols
            ? "desc->out"
            : NULL;
    return fp8rt_layer_fit(run, misfit);
}

// The caller's constants of an average are at beats.
static fp8rt_status check_given(fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    const uint32_t mask = run->dev->caps.beat_bytes - 1u;
    run->wrong = ((uintptr_t)desc->ones & mask) != 0       ? "desc->ones"
                 : ((uintptr_t)desc->inverses & mask) != 0 ? "desc->inverses"
                                                           : NULL;
    return run->wrong == NULL ? FP8RT_OK : FP8RT_ERR_ALIGNMENT;
}

bool fp8rt_pool_overlaps(const fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const fp8rt_region from = fp8rt_tensor_region(caps, desc->x);
    const fp8rt_region to = fp8rt_tensor_region(caps, desc->out);
    return fp8rt_regions_overlap(&from, &to);
}

static fp8rt_span span_of(uint32_t start, uint32_t padding, uint32_t kernel, uint32_t size)
{
    const uint32_t first = start < padding ? 0 : start - padding;
    const uint32_t end = start + kernel - padding;
    return (fp8rt_span){first, (end < size ? end : size) - first};
}

fp8rt_span fp8rt_pool_lines(const fp8rt_pools *pools, uint32_t oy)
{
    const fp8rt_window *w = &pools->window;
    return span_of(oy * w->stride_y, w->pad_top, w->kernel_h, pools->height);
}

fp8rt_span fp8rt_pool_pixels(const fp8rt_pools *pools, uint32_t ox)
{
    const fp8rt_window *w = &pools->window;
    return span_of(ox * w->stride_x, w->pad_left, w->kernel_w, pools->width);
}

// ---- weights of 1 -------------------------------------------------------------------------------

static uint8_t code_of_one(fp8mac_format_id format)
{
    const fp8mac_format *f = fp8mac_format_get(format);
    if (format == FP8MAC_INT8) {
        return 1;
    }
    return (uint8_t)(f->bias << f->mantissa_bits);
}

// Windows of `points` pixels that commands add for some channels at a time
typedef struct sums {
    uint32_t points;
    uint32_t group; // channels of a command
    // Channels of a pixel in a row of weights: the group's, or those of a depthwise command
    uint32_t quad;
} sums;

// Channels that are added together: their outputs are whole beats. Weights of depthwise commands
// have the fewest zeros.
static sums sums_of(const fp8rt_caps *caps, const fp8rt_pools *pools, const fp8rt_tensor *out)
{
    sums s = {.points = pools->window.kernel_h * pools->window.kernel_w};
    if (fp8rt_takes_quads(caps, pools->desc->x, pools->pixel_bytes)) {
        s.group = fp8rt_least(caps->beat_bytes, out->cols);
        s.quad = caps->cols;
    } else {
        s.group = fp8rt_least(fp8rt_groups_to_join(caps, out->format, 1), out->cols);
        s.quad = s.group;
    }
    return s;
}

// Rows of weights, each of which adds its own channel
typedef struct adders {
    uint8_t *codes;
    uint32_t rows, points, quad, stride;
    uint8_t one;
} adders;

static void fill_adders(void *context)
{
    const adders *a = context;
    memset(a->codes, 0, (size_t)a->rows * a->stride);
    for (uint32_t channel = 0; channel < a->rows; channel++) {
        uint8_t *code = a->codes + (size_t)channel * a->stride + channel % a->quad;
        for (uint32_t point = 0; point < a->points; point++, code += a->quad) {
            *code = a->one;
        }
    }
}

// For so many channels of a group, at `codes`
static adders adders_of(const fp8rt_run *run, const sums *s, uint32_t channels, void *codes)
{
    const fp8mac_format_id format = fp8rt_layer_operand(run);
    const uint32_t quad = fp8rt_least(s->quad, channels);
    const fp8rt_tensor row = {.cols = s->points * quad, .format = format};
    return (adders){.codes = codes,
                    .rows = channels,
                    .points = s->points,
                    .quad = quad,
                    .stride = fp8rt_tensor_stride(&run->dev->caps, &row),
                    .one = code_of_one(format)};
}

// given: codes of them; NULL: the core writes them.
static fp8rt_status adders_for(fp8rt_run *run, const sums *s, uint32_t channels,
                               const uint8_t *given, fp8rt_tensor *codes)
{
    const fp8mac_format_id format = fp8rt_layer_operand(run);
    const uint32_t cols = s->points * fp8rt_least(s->quad, channels);
    if (given != NULL) {
        *codes = (fp8rt_tensor){
            .data = (void *)(uintptr_t)given, .rows = channels, .cols = cols, .format = format};
        return FP8RT_OK;
    }
    *codes = fp8rt_layer_tensor(run, channels, cols, format);
    const adders a = adders_of(run, s, channels, codes->data);
    return codes->data == NULL ? FP8RT_ERR_SCRATCH
                               : fp8rt_layer_core(run, fill_adders, &a, sizeof a);
}

// Fewer channels than the group, which the last command has, need adders of their own. Those of
// depthwise commands are the group's first rows.
static uint32_t last_of(const sums *s, uint32_t channels)
{
    return s->quad < s->group ? 0 : channels % s->group;
}

// All adders of a layer, one behind the other: their bytes
static size_t write_adders(const fp8rt_run *run, const sums *s, uint32_t channels, uint8_t *codes)
{
    const uint32_t counts[2] = {s->group, last_of(s, channels)};
    size_t bytes = 0;
    for (unsigned i = 0; i < 2; i++) {
        adders a = adders_of(run, s, counts[i], codes == NULL ? NULL : codes + bytes);
        if (codes != NULL) {
            fill_adders(&a);
        }
        bytes += (size_t)a.rows * a.stride;
    }
    return bytes;
}

// ---- average ------------------------------------------------------------------------------------

static fp8rt_status add_group(fp8rt_run *run, const fp8rt_pools *pools, const sums *s,
                              const fp8rt_weights *weights, uint32_t first, fp8rt_parts *parts)
{
    const fp8rt_pooling_desc *desc = pools->desc;
    const uint32_t count = weights->codes.rows;
    fp8rt_tensor x = *desc->x;
    x.data = (uint8_t *)x.data + first;
    x.cols = count;
    fp8rt_tensor out = fp8rt_tensor_part(run, &parts->whole, 0, desc->out->rows, 1, first, count);
    const fp8rt_convolution_desc sum = {.x = &x,
                                        .images = desc->images,
                                        .height = desc->height,
                                        .width = desc->width,
                                        .pixel_bytes = pools->pixel_bytes,
                                        .window = pools->window,
                                        .group_in = fp8rt_least(s->quad, count),
                                        .group_out = fp8rt_least(s->quad, count),
                                        .weights = weights,
                                        .fused = parts->fused,
                                        .out = &out};
    const fp8rt_status status = fp8rt_convolution(run, &sum);
    parts->whole.scale = out.scale;
    return status;
}

static fp8rt_status last_channels(fp8rt_run *run, const sums *s, uint32_t channels,
                                  const uint8_t *given, fp8rt_tensor *codes)
{
    if (last_of(s, channels) == 0) {
        codes->rows = channels;
        return FP8RT_OK;
    }
    const size_t whole = (size_t)s->group * fp8rt_tensor_stride(&run->dev->caps, codes);
    return adders_for(run, s, channels, given == NULL ? NULL : given + whole, codes);
}

// Sums of windows, times `scale`. The adders are the caller's, if it has given any.
static fp8rt_status add_windows(fp8rt_run *run, const fp8rt_pools *pools, float scale,
                                fp8rt_tensor *out)
{
    const uint8_t *given = pools->desc->ones;
    const sums s = sums_of(&run->dev->caps, pools, out);
    const fp8rt_fused fused = {0};
    fp8rt_parts parts;
    fp8rt_status status = fp8rt_parts_begin(
        run, &fused, out, pools->images * fp8rt_ceil_div(out->cols, s.group), &parts);
    fp8rt_weights weights = {.bias = NULL};
    if (status == FP8RT_OK) {
        status = adders_for(run, &s, s.group, given, &weights.codes);
    }
    for (uint32_t first = 0; first < out->cols && status == FP8RT_OK; first += s.group) {
        if (out->cols - first < s.group) { // the last channels
            status = last_channels(run, &s, out->cols - first, given, &weights.codes);
        }
        weights.codes.scale = scale;
        if (status == FP8RT_OK) {
            status = add_group(run, pools, &s, &weights, first, &parts);
        }
    }
    return status == FP8RT_OK ? fp8rt_parts_end(run, &parts, out) : status;
}

// The inverse of each output pixel's divisor
typedef struct divisors {
    fp8rt_pools pools;
    float *inverses;
} divisors;

static void fill_divisors(void *context)
{
    const divisors *d = context;
    const fp8rt_pools *pools = &d->pools;
    float *inverses = d->inverses;
    uint32_t known = 0;
    float inverse = 0.0f;
    for (uint32_t image = 0; image < pools->images; image++) {
        for (uint32_t oy = 0; oy < pools->out_h; oy++) {
            const uint32_t lines = fp8rt_pool_lines(pools, oy).count;
            for (uint32_t ox = 0; ox < pools->out_w; ox++) {
                const uint32_t count = lines * fp8rt_pool_pixels(pools, ox).count;
                if (count != known) {
                    known = count;
                    inverse = 1.0f / (float)count;
                }
                *inverses++ = inverse;
            }
        }
    }
}

// The divisor depends on the output pixel: sums in FP32, then one command that divides them.
static fp8rt_status average_inside(fp8rt_run *run, const fp8rt_pools *pools)
{
    fp8rt_tensor *out = pools->desc->out;
    const float *given = pools->desc->inverses;
    fp8rt_tensor sums = fp8rt_layer_tensor(run, out->rows, out->cols, FP8MAC_FP32);
    float *own = given == NULL ? fp8rt_layer_take(run, out->rows * sizeof(float)) : NULL;
    const float *inverses = given == NULL ? own : given;
    if (sums.data == NULL || inverses == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_status status = add_windows(run, pools, 1.0f, &sums);
    if (status == FP8RT_OK && given == NULL) {
        const divisors d = {*pools, own};
        status = fp8rt_layer_core(run, fill_divisors, &d, sizeof d);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    const fp8rt_combination division = {
        .operation = FP8RT_OPERATION_ADD, .x = &sums, .x_scale = inverses};
    return fp8rt_layer_combine(run, &division, out);
}

fp8rt_status fp8rt_average_pool(fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    fp8rt_scope scope;
    fp8rt_pools pools;
    fp8rt_status status = fp8rt_layer_begin(run, "average_pool", &scope);
    if (status == FP8RT_OK) {
        status = fp8rt_pools_check(run, desc, &pools);
    }
    if (status == FP8RT_OK) {
        status = check_given(run, desc);
    }
    if (status == FP8RT_OK) {
        fp8rt_layer_observe(run, &scope, desc);
        const float points = (float)(pools.window.kernel_h * pools.window.kernel_w);
        status = desc->exclude_padding ? average_inside(run, &pools)
                                       : add_windows(run, &pools, 1.0f / points, desc->out);
    }
    return fp8rt_layer_end(run, &scope, status);
}

size_t fp8rt_average_pool_ones(const fp8rt_run *run, const fp8rt_pooling_desc *desc, void *codes)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const fp8rt_pools pools = pools_of(caps, desc, fp8rt_window_fill(&desc->window));
    const fp8rt_tensor out = {.cols = desc->x->cols,
                              .format = desc->exclude_padding ? FP8MAC_FP32 : desc->out->format};
    const sums s = sums_of(caps, &pools, &out);
    return write_adders(run, &s, out.cols, codes);
}

size_t fp8rt_average_pool_inverses(const fp8rt_run *run, const fp8rt_pooling_desc *desc,
                                   float *inverses)
{
    divisors d = {pools_of(&run->dev->caps, desc, fp8rt_window_fill(&desc->window)), inverses};
    if (!desc->exclude_padding) {
        return 0;
    }
    if (inverses != NULL) {
        fill_divisors(&d);
    }
    return (size_t)d.pools.images * d.pools.out_h * d.pools.out_w * sizeof *inverses;
}

// ---- global average -----------------------------------------------------------------------------

// Row c of the operand is channel c of all pixels: a pixel is a line of an image of bytes, and a
// channel is one of its columns.
static fp8rt_image transposed(uint32_t pixels, uint32_t channels)
{
    return (fp8rt_image){
        .height = pixels, .width = channels, .channels = 1, .pixel_bytes = 1, .out_w = channels};
}

// A column of codes becomes a row.
typedef struct column {
    const uint8_t *from;
    uint8_t *to;
    uint32_t rows, stride, bytes;
} column;

static void gather(void *context)
{
    const column *c = context;
    const uint8_t *from = c->from;
    uint8_t *to = c->to;
    for (uint32_t i = 0; i < c->rows; i++, from += c->stride) {
        for (uint32_t byte = 0; byte < c->bytes; byte++) {
            *to++ = from[byte];
        }
    }
}

static fp8rt_status gather_column(fp8rt_run *run, const fp8rt_tensor *from, const fp8rt_tensor *row)
{
    const column c = {
        .from = from->data,
        .to = row->data,
        .rows = from->rows,
        .stride = fp8rt_tensor_stride(&run->dev->caps, from),
        .bytes = fp8mac_format_bytes(fp8mac_format_get(from->format)),
    };
    return fp8rt_layer_core(run, gather, &c, sizeof c);
}

// Outputs that stay as the command writes them: a row for each channel
static bool is_column(const fp8rt_pooling_desc *desc)
{
    const fp8rt_tensor *out = desc->out;
    return fp8rt_or_one(desc->images) == 1 && out->cols == 1 && out->rows == desc->x->cols;
}

static fp8rt_status average_image(fp8rt_run *run, const fp8rt_pooling_desc *desc, uint32_t image,
                                  uint32_t pixels, const fp8rt_weights *weights, fp8rt_parts *parts)
{
    const uint32_t channels = desc->x->cols;
    const fp8rt_tensor x = fp8rt_tensor_part(run, desc->x, image * pixels, pixels, 1, 0, channels);
    const fp8rt_product product = {.x = &x,
                                   .weights = weights,
                                   .image = transposed(pixels, channels),
                                   .line_bytes = x.stride,
                                   .m = channels,
                                   .fused = &parts->fused};
    if (is_column(desc)) {
        return fp8rt_layer_gemm(run, &product, &parts->whole);
    }
    const size_t used = run->used;
    fp8rt_tensor column = fp8rt_layer_tensor(run, channels, 1, parts->whole.format);
    column.scale = parts->whole.scale;
    column.scaling = parts->whole.scaling;
    fp8rt_status status =
        column.data == NULL ? FP8RT_ERR_SCRATCH : fp8rt_layer_gemm(run, &product, &column);
    if (status == FP8RT_OK) {
        const fp8rt_tensor row = fp8rt_tensor_part(run, &parts->whole, image, 1, 1, 0, channels);
        status = gather_column(run, &column, &row);
        parts->whole.scale = column.scale;
    }
    run->used = used;
    return status;
}

static fp8rt_status weights_of_one(fp8rt_run *run, const fp8rt_pooling_desc *desc, uint32_t pixels,
                                   fp8rt_weights *weights)
{
    const fp8mac_format_id format = fp8rt_layer_operand(run);
    *weights = (fp8rt_weights){
        .codes = {.rows = 1, .cols = pixels, .format = format, .scale = 1.0f / (float)pixels}};
    if (desc->ones != NULL) {
        weights->codes.data = (void *)(uintptr_t)desc->ones;
        return FP8RT_OK;
    }
    weights->codes.data = fp8rt_layer_tensor(run, 1, pixels, format).data;
    return weights->codes.data == NULL
               ? FP8RT_ERR_SCRATCH
               : fp8rt_layer_fill(run, weights->codes.data, code_of_one(format), pixels);
}

// The image as the one window of an average. Its commands give rows of channels, which nobody
// gathers.
static bool is_one_window(const fp8rt_caps *caps, const fp8rt_pooling_desc *desc,
                          fp8rt_pools *pools, sums *s)
{
    enum { WIDTH = 255, CODES = 65535 }; // of a kernel
    const uint32_t width = fp8rt_or_one(desc->width), height = fp8rt_or_one(desc->height);
    const fp8rt_window image = {.kernel_h = height, .kernel_w = width};
    *pools = pools_of(caps, desc, fp8rt_window_fill(&image));
    *s = sums_of(caps, pools, desc->out);
    const uint64_t codes = (uint64_t)width * height * s->quad;
    return !is_column(desc) && width <= WIDTH && codes <= CODES &&
           fp8rt_element_holds(&caps->element, (uint32_t)codes);
}

size_t fp8rt_global_average_ones(const fp8rt_run *run, const fp8rt_pooling_desc *desc, void *codes)
{
    fp8rt_pools pools;
    sums s;
    if (is_one_window(&run->dev->caps, desc, &pools, &s)) {
        return write_adders(run, &s, desc->out->cols, codes);
    }
    const size_t pixels = (size_t)pools.height * pools.width;
    if (codes != NULL) {
        memset(codes, code_of_one(fp8rt_layer_operand(run)), pixels);
    }
    return pixels;
}

static fp8rt_status average_images(fp8rt_run *run, const void *layer)
{
    const fp8rt_pooling_desc *desc = layer;
    fp8rt_pools pools;
    sums s;
    if (desc->ones != NULL && is_one_window(&run->dev->caps, desc, &pools, &s)) {
        return add_windows(run, &pools, 1.0f / (float)(pools.height * pools.width), desc->out);
    }
    const uint32_t images = fp8rt_or_one(desc->images), pixels = desc->x->rows / images;
    const fp8rt_fused fused = {0};
    fp8rt_parts parts;
    fp8rt_status status = fp8rt_parts_begin(run, &fused, desc->out, images, &parts);
    fp8rt_weights weights;
    if (status == FP8RT_OK) {
        status = weights_of_one(run, desc, pixels, &weights);
    }
    for (uint32_t image = 0; image < images && status == FP8RT_OK; image++) {
        status = average_image(run, desc, image, pixels, &weights, &parts);
    }
    return status == FP8RT_OK ? fp8rt_parts_end(run, &parts, desc->out) : status;
}

static const char *misfit_of_global(const fp8rt_pooling_desc *desc)
{
    const uint32_t images = fp8rt_or_one(desc->images);
    if (!fp8rt_is_product(desc->x->rows, images, fp8rt_or_one(desc->height),
                          fp8rt_or_one(desc->width))) {
        return "desc->x";
    }
    return is_column(desc) || fp8rt_tensor_is(desc->out, images, desc->x->cols) ? NULL
                                                                                : "desc->out";
}

static fp8rt_status check_global(fp8rt_run *run, const void *layer)
{
    const fp8rt_pooling_desc *desc = layer;
    fp8rt_status status = check_tensors(run, desc);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_fit(run, misfit_of_global(desc));
    }
    if (status == FP8RT_OK) {
        status = check_given(run, desc);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    return fp8rt_pool_overlaps(run, desc) ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

fp8rt_status fp8rt_global_average(fp8rt_run *run, const fp8rt_pooling_desc *desc)
{
    return fp8rt_layer(run, "global_average", desc, check_global, average_images);
}
