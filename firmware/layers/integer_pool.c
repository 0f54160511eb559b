// SPDX-License-Identifier: Apache-2.0
// Windows of an image of codes, and an image with an edge of codes around it. The core computes
// both.
#include "integer.h"

#include <string.h>

#include "window.h"

// ---- windows ------------------------------------------------------------------------------------

typedef struct windows {
    const int8_t *x;
    int8_t *out;
    uint32_t height, width, out_h, out_w, channels, x_stride, out_stride;
    uint16_t kernel_h, kernel_w, stride_y, stride_x, pad_top, pad_left;
    int8_t lo, hi;
} windows;

static windows windows_of(const fp8rt_run *run, const fp8rt_int_pool_desc *desc)
{
    const fp8rt_window w = fp8rt_window_fill(&desc->window);
    const fp8rt_caps *caps = &run->dev->caps;
    windows a = {
        .x = desc->x->data,
        .out = desc->out->data,
        .height = fp8rt_or_one(desc->height),
        .width = fp8rt_or_one(desc->width),
        .channels = desc->x->cols,
        .x_stride = fp8rt_tensor_stride(caps, desc->x),
        .out_stride = fp8rt_tensor_stride(caps, desc->out),
        .kernel_h = (uint16_t)w.kernel_h,
        .kernel_w = (uint16_t)w.kernel_w,
        .stride_y = (uint16_t)w.stride_y,
        .stride_x = (uint16_t)w.stride_x,
        .pad_top = (uint16_t)w.pad_top,
        .pad_left = (uint16_t)w.pad_left,
        .lo = desc->lo,
        .hi = desc->hi,
    };
    a.out_h = fp8rt_window_count(w.kernel_h, w.stride_y, 1, a.height, w.pad_top + w.pad_bottom);
    a.out_w = fp8rt_window_count(w.kernel_w, w.stride_x, 1, a.width, w.pad_left + w.pad_right);
    return a;
}

static bool window_is_bad(const fp8rt_int_pool_desc *desc)
{
    const fp8rt_window w = fp8rt_window_fill(&desc->window);
    return w.dilation_y != 1 || w.dilation_x != 1 || w.kernel_h > UINT16_MAX ||
           w.kernel_w > UINT16_MAX || w.stride_y > UINT16_MAX || w.stride_x > UINT16_MAX ||
           w.pad_top >= w.kernel_h || w.pad_bottom >= w.kernel_h || w.pad_left >= w.kernel_w ||
           w.pad_right >= w.kernel_w;
}

// The image that is not of its height and width, or NULL
static const char *misfit_of(const fp8rt_tensor *x, uint32_t height, uint32_t width,
                             const fp8rt_tensor *out, uint32_t out_h, uint32_t out_w)
{
    if (!fp8rt_is_product(x->rows, 1, height, width)) {
        return "desc->x";
    }
    return out->cols == x->cols && fp8rt_is_product(out->rows, 1, out_h, out_w) ? NULL
                                                                                : "desc->out";
}

static fp8rt_status check_windows(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_pool_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_int_check_pair(run, desc->x, desc->out);
    if (status != FP8RT_OK) {
        return status;
    }
    if (window_is_bad(desc)) {
        return FP8RT_ERR_IMAGE;
    }
    const windows a = windows_of(run, desc);
    const char *misfit = a.out_h == 0 || a.out_w == 0
                             ? "desc->window"
                             : misfit_of(desc->x, a.height, a.width, desc->out, a.out_h, a.out_w);
    if (misfit != NULL) {
        return fp8rt_layer_fit(run, misfit);
    }
    return desc->lo > desc->hi ? FP8RT_ERR_ACTIVATION
                               : fp8rt_int_check_overlap(run, desc->x, desc->out, false);
}

typedef struct span {
    uint32_t first, end;
} span;

static span inputs_of(uint32_t output, uint32_t stride, uint32_t kernel, uint32_t pad,
                      uint32_t size)
{
    const uint32_t start = output * stride;
    const uint32_t end = start + kernel - pad;
    return (span){start > pad ? start - pad : 0, end < size ? end : size};
}

// An output: what its windows' codes become
typedef int8_t finder(const windows *a, span lines, span pixels, uint32_t channel);

static int8_t average(const windows *a, span lines, span pixels, uint32_t channel)
{
    const int32_t count = (int32_t)((lines.end - lines.first) * (pixels.end - pixels.first));
    int32_t total = 0;
    for (uint32_t y = lines.first; y < lines.end; y++) {
        const int8_t *x = a->x + ((size_t)y * a->width + pixels.first) * a->x_stride + channel;
        for (uint32_t i = pixels.first; i < pixels.end; i++, x += a->x_stride) {
            total += *x;
        }
    }
    const int32_t away = total > 0 ? count / 2 : -(count / 2);
    return fp8rt_int_clamp((total + away) / count, a->lo, a->hi);
}

// Averages of four channels at a time. A word has their codes, whose sums are in halves of two
// words: each has 16 bits, which WORD_PLACES codes from 0 to 255 fill.
enum { WORD = 4, WORD_PLACES = 257 };

static void average_word(const windows *a, span lines, span pixels, uint32_t channel, int8_t *out)
{
    const int32_t count = (int32_t)((lines.end - lines.first) * (pixels.end - pixels.first));
    uint32_t even = 0, odd = 0;
    for (uint32_t y = lines.first; y < lines.end; y++) {
        const int8_t *x = a->x + ((size_t)y * a->width + pixels.first) * a->x_stride + channel;
        for (uint32_t i = pixels.first; i < pixels.end; i++, x += a->x_stride) {
            uint32_t codes;
            memcpy(&codes, __builtin_assume_aligned(x, WORD), sizeof codes);
            codes ^= 0x80808080u; // a code and 128
            even += codes & 0x00ff00ffu;
            odd += codes >> 8 & 0x00ff00ffu;
        }
    }
    const uint32_t sums[WORD] = {even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16};
    for (uint32_t i = 0; i < WORD; i++) {
        const int32_t total = (int32_t)sums[i] - 128 * count;
        const int32_t away = total > 0 ? count / 2 : -(count / 2);
        out[i] = fp8rt_int_clamp((total + away) / count, a->lo, a->hi);
    }
}

static int8_t maximum(const windows *a, span lines, span pixels, uint32_t channel)
{
    int8_t most = INT8_MIN;
    for (uint32_t y = lines.first; y < lines.end; y++) {
        const int8_t *x = a->x + ((size_t)y * a->width + pixels.first) * a->x_stride + channel;
        for (uint32_t i = pixels.first; i < pixels.end; i++, x += a->x_stride) {
            most = *x > most ? *x : most;
        }
    }
    return fp8rt_int_clamp(most, a->lo, a->hi);
}

static void each_window(const windows *a, finder *find)
{
    int8_t *out = a->out;
    for (uint32_t y = 0; y < a->out_h; y++) {
        const span lines = inputs_of(y, a->stride_y, a->kernel_h, a->pad_top, a->height);
        for (uint32_t x = 0; x < a->out_w; x++, out += a->out_stride) {
            const span pixels = inputs_of(x, a->stride_x, a->kernel_w, a->pad_left, a->width);
            for (uint32_t channel = 0; channel < a->channels; channel++) {
                out[channel] = find(a, lines, pixels, channel);
            }
        }
    }
}

// Rows of codes begin at beats, so words of four channels are whole, also those behind the last
// channel.
static void average_words(const windows *a)
{
    int8_t *out = a->out;
    for (uint32_t y = 0; y < a->out_h; y++) {
        const span lines = inputs_of(y, a->stride_y, a->kernel_h, a->pad_top, a->height);
        for (uint32_t x = 0; x < a->out_w; x++, out += a->out_stride) {
            const span pixels = inputs_of(x, a->stride_x, a->kernel_w, a->pad_left, a->width);
            for (uint32_t channel = 0; channel < a->channels; channel += WORD) {
                average_word(a, lines, pixels, channel, out + channel);
            }
        }
    }
}

static void average_windows(void *context)
{
    const windows *a = context;
    if ((uint32_t)a->kernel_h * a->kernel_w <= WORD_PLACES) {
        average_words(a);
    } else {
        each_window(a, average);
    }
}

static void maximum_windows(void *context)
{
    each_window(context, maximum);
}

static fp8rt_status compute_average(fp8rt_run *run, const void *layer)
{
    const windows a = windows_of(run, layer);
    return fp8rt_layer_core(run, average_windows, &a, sizeof a);
}

static fp8rt_status compute_maximum(fp8rt_run *run, const void *layer)
{
    const windows a = windows_of(run, layer);
    return fp8rt_layer_core(run, maximum_windows, &a, sizeof a);
}

fp8rt_status fp8rt_int_average_pool(fp8rt_run *run, const fp8rt_int_pool_desc *desc)
{
    return fp8rt_layer(run, "int_average_pool", desc, check_windows, compute_average);
}

fp8rt_status fp8rt_int_max_pool(fp8rt_run *run, const fp8rt_int_pool_desc *desc)
{
    return fp8rt_layer(run, "int_max_pool", desc, check_windows, compute_maximum);
}

// ---- an edge of codes ---------------------------------------------------------------------------

#define MAX_SIDE 65535u // lines of an image, or pixels of a line

static uint32_t out_lines(const fp8rt_int_pad_desc *desc)
{
    return desc->top + fp8rt_or_one(desc->height) + desc->bottom;
}

static uint32_t out_pixels(const fp8rt_int_pad_desc *desc)
{
    return desc->left + fp8rt_or_one(desc->width) + desc->right;
}

static fp8rt_status check_pad(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_pad_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status = fp8rt_int_check_pair(run, desc->x, desc->out);
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->top > MAX_SIDE || desc->bottom > MAX_SIDE || desc->left > MAX_SIDE ||
        desc->right > MAX_SIDE || desc->height > MAX_SIDE || desc->width > MAX_SIDE) {
        return FP8RT_ERR_IMAGE;
    }
    const char *misfit = misfit_of(desc->x, fp8rt_or_one(desc->height), fp8rt_or_one(desc->width),
                                   desc->out, out_lines(desc), out_pixels(desc));
    if (misfit != NULL) {
        return fp8rt_layer_fit(run, misfit);
    }
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t pixel = fp8rt_tensor_stride(caps, desc->out);
    if (fp8rt_tensor_stride(caps, desc->x) != pixel ||
        pixel >= desc->out->cols + caps->beat_bytes) {
        return FP8RT_ERR_STRIDE;
    }
    return fp8rt_int_check_overlap(run, desc->x, desc->out, false);
}

typedef struct edge {
    const uint8_t *x;
    uint8_t *out;
    uint32_t height, top, bottom; // lines
    uint32_t line, left, right;   // bytes
    uint32_t out_line;
    int8_t code;
} edge;

// Bytes behind the channels of a pixel are written, too.
static void write_edge(void *context)
{
    const edge *e = context;
    uint8_t *out = e->out;
    memset(out, e->code, (size_t)e->top * e->out_line);
    out += (size_t)e->top * e->out_line;
    for (uint32_t y = 0; y < e->height; y++, out += e->out_line) {
        memset(out, e->code, e->left);
        memcpy(out + e->left, e->x + (size_t)y * e->line, e->line);
        memset(out + e->left + e->line, e->code, e->right);
    }
    memset(out, e->code, (size_t)e->bottom * e->out_line);
}

static fp8rt_status compute_pad(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_pad_desc *desc = layer;
    const uint32_t pixel = fp8rt_tensor_stride(&run->dev->caps, desc->out);
    const edge e = {
        .x = desc->x->data,
        .out = desc->out->data,
        .height = fp8rt_or_one(desc->height),
        .top = desc->top,
        .bottom = desc->bottom,
        .line = fp8rt_or_one(desc->width) * pixel,
        .left = desc->left * pixel,
        .right = desc->right * pixel,
        .out_line = out_pixels(desc) * pixel,
        .code = desc->code,
    };
    return fp8rt_layer_core(run, write_edge, &e, sizeof e);
}

fp8rt_status fp8rt_int_pad(fp8rt_run *run, const fp8rt_int_pad_desc *desc)
{
    return fp8rt_layer(run, "int_pad", desc, check_pad, compute_pad);
}
