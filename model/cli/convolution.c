// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

enum {
    MOST_LINES = 65535,    // of an image
    MOST_COMMANDS = 65535, // of a layer: as many as a recorded network has
};

uint64_t convolution_outputs(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                             uint32_t pad)
{
    const uint64_t extent = (uint64_t)dilation * (kernel - 1u) + 1u;
    const uint64_t padded = size + 2ull * pad;
    return padded < extent ? 0 : (padded - extent) / stride + 1u;
}

// What is issued, with images merged and groups joined
typedef struct plan {
    const convolution *layer;
    const workload *work;
    uint32_t images, height, out_h, out_w, pixel_bytes;
    uint32_t groups, group_in, group_out, d_bytes, c_bytes;
    uint32_t group_codes; // of a pixel, in a row of weights
    bool depthwise;       // as one command for each beat of channels
    bool pairs;           // whose rows have the outputs of two lines
    bool is_point;        // a GEMM of pixels, but for their alignment
    uint32_t beat;
    uint64_t a, b, c, d, scales, biases, row_b, row_c, row_d;
} plan;

static uint64_t round_up(uint64_t x, uint64_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

static uint32_t part_size(uint32_t total, uint32_t part, uint32_t number)
{
    const uint32_t left = total - number * part;
    return left < part ? left : part;
}

// Where the accelerator has depthwise commands, and channels are whole quads, or groups of
// half a quad with pairs
static bool is_depthwise(const plan *p, uint32_t quads, uint32_t each)
{
    const convolution *x = p->layer;
    return x->groups == x->channels && x->groups == x->filters && x->channels > p->beat / quads &&
           x->channels % each == 0 && p->pixel_bytes % p->beat == 0;
}

// As fp8rt_takes_pairs of fp8rt/convolution.h
static bool takes_pairs(const plan *p, uint32_t quads)
{
    return is_depthwise(p, quads, p->beat / quads / 2u) && p->out_h > 1 && p->layer->kernel_h > 1 &&
           p->layer->dilation_y == 1 && p->layer->stride_y <= 127u && p->d_bytes == 1 &&
           p->c_bytes == 0;
}

// Lines of a row of weights
static uint32_t kernel_lines(const plan *p)
{
    return p->layer->kernel_h + (p->pairs ? p->layer->stride_y : 0);
}

// Rows of A for an image
static uint32_t rows_of(const plan *p)
{
    return (p->pairs ? p->out_h / 2u + p->out_h % 2u : p->out_h) * p->out_w;
}

static void join_groups(plan *p, uint32_t beat, uint32_t quads)
{
    const convolution *layer = p->layer;
    uint32_t joined = 1;
    p->pairs = quads != 0 && takes_pairs(p, quads);
    if (p->pairs || (quads != 0 && is_depthwise(p, quads, beat / quads))) {
        p->depthwise = true;
        p->group_in = p->group_out = beat;
        p->group_codes = p->pairs ? beat / quads / 2u : beat / quads;
        p->groups = (layer->channels + beat - 1u) / beat;
        return;
    }
    p->group_in = layer->channels / layer->groups;
    p->group_out = layer->filters / layer->groups;
    if (layer->groups > 1) {
        while ((uint64_t)joined * p->group_out * p->d_bytes % beat != 0) {
            joined++;
        }
    }
    joined = joined < layer->groups ? joined : layer->groups;
    p->groups = (layer->groups + joined - 1u) / joined;
    p->group_in *= joined;
    p->group_out *= joined;
    p->group_codes = p->group_in;
}

// Lines that depend on no others of their image are lines of one high image.
static void merge_images(plan *p)
{
    const convolution *layer = p->layer;
    if (layer->kernel_h == 1 && layer->stride_y == 1 && layer->pad_y == 0 &&
        (uint64_t)p->images * p->height <= MOST_LINES) {
        p->height *= p->images;
        p->out_h *= p->images;
        p->images = 1;
    }
}

static bool is_point(const plan *p)
{
    const convolution *layer = p->layer;
    return layer->kernel_h == 1 && layer->kernel_w == 1 && layer->stride_y == 1 &&
           layer->stride_x == 1 && layer->pad_y == 0 && layer->pad_x == 0 && p->images == 1;
}

// A group whose pixels begin at beats is a matrix.
static bool is_matrix(const plan *p, uint32_t group)
{
    return p->is_point && !p->depthwise && (p->pixel_bytes | group * p->group_in) % p->beat == 0;
}

static plan plan_of(const convolution *layer, const workload *work,
                    const fp8mac_cycles_config *config)
{
    const uint32_t beat = config->axi_data_w / 8u;
    plan p = {
        .beat = beat,
        .layer = layer,
        .work = work,
        .images = layer->images,
        .height = layer->height,
        .pixel_bytes = layer->pixel_bytes != 0 ? layer->pixel_bytes
                                               : (uint32_t)round_up(layer->channels, beat),
        .d_bytes = workload_bytes(work->d_format),
        .c_bytes = work->adds_c ? workload_bytes(work->c_format) : 0,
        .out_h = (uint32_t)convolution_outputs(layer->height, layer->kernel_h, layer->stride_y,
                                               layer->dilation_y, layer->pad_y),
        .out_w = (uint32_t)convolution_outputs(layer->width, layer->kernel_w, layer->stride_x,
                                               layer->dilation_x, layer->pad_x),
    };
    join_groups(&p, beat, fp8mac_cycles_quads(config));
    merge_images(&p);
    p.is_point = is_point(&p);
    return p;
}

// ---- fields of the image ------------------------------------------------------------------------

static bool is_one_segment(const plan *p)
{
    return p->layer->dilation_x == 1 && p->pixel_bytes == p->layer->channels && p->groups == 1 &&
           !p->depthwise;
}

// The first field that is too large, with its limit
static const char *beyond(const plan *p)
{
    enum { BYTE = 255, HALF = 65535, WIDTH = (1 << 24) - 1 };
    const convolution *x = p->layer;
    const uint64_t pixel = p->pixel_bytes;
    const bool one = is_one_segment(p);
    const uint64_t segment = (uint64_t)p->group_in * (one ? x->kernel_w : 1u);
    return x->channels > WIDTH            ? "a pixel has at most 16777215 bytes"
           : p->height > HALF             ? "an image has at most 65535 lines"
           : x->width * pixel > WIDTH     ? "a line of the image has at most 16777215 bytes"
           : p->out_w > HALF              ? "an output line has at most 65535 pixels"
           : segment > HALF               ? "a segment of the kernel has at most 65535 bytes"
           : !one && x->kernel_w > BYTE   ? "a line of the kernel has at most 255 pixels"
           : x->stride_x * pixel > HALF   ? "stride_x is at most 65535 bytes"
           : x->dilation_x * pixel > HALF ? "dilation_x is at most 65535 bytes"
           : x->pad_x * pixel > HALF      ? "pad_x is at most 65535 bytes"
           : x->stride_y > BYTE           ? "stride_y is at most 255"
           : x->dilation_y > BYTE         ? "dilation_y is at most 255"
           : x->pad_y > BYTE              ? "pad_y is at most 255"
           : x->pixel_bytes != 0 && x->pixel_bytes < x->channels
               ? "pixel_bytes must be at least the number of channels"
           : x->channels % x->groups != 0 || x->filters % x->groups != 0
               ? "groups must divide both the channels and the filters"
           : (uint64_t)p->images * p->groups > MOST_COMMANDS ? "a layer has at most 65535 commands"
           : p->work->mx && !(p->groups == 1 && is_matrix(p, 0))
               ? "a convolution cannot have MX scales: leave mx empty or 0"
               : NULL;
}

static void set_image(const plan *p, fp8mac_cycles_command *command)
{
    const convolution *layer = p->layer;
    const uint32_t pixel = p->pixel_bytes,
                   channels = p->depthwise ? p->beat
                                           : command->command.k / layer->kernel_w / layer->kernel_h;
    const bool one = is_one_segment(p);
    command->command.mode.conv_a = command->command.mode.extended = true;
    command->command.mode.depthwise = p->depthwise;
    command->command.mode.pairs = p->pairs;
    if (p->pairs) { // rows that have the output of a second line
        command->command.c.stride = command->command.m - (p->out_h % 2u != 0 ? p->out_w : 0);
    }
    command->command.image.width = layer->width * pixel;
    command->command.image.height = (uint16_t)p->height;
    command->command.image.out_w = (uint16_t)p->out_w;
    command->command.image.segment_bytes = (uint16_t)(channels * (one ? layer->kernel_w : 1u));
    command->command.image.segments = (uint8_t)(one ? 1u : layer->kernel_w);
    command->command.image.step_x = (uint16_t)(layer->stride_x * pixel);
    command->command.image.segment_step = (uint16_t)(layer->dilation_x * pixel);
    command->command.image.step_y = (uint8_t)(layer->stride_y * (p->pairs ? 2u : 1u));
    command->command.image.dil_y = (uint8_t)layer->dilation_y;
    command->command.image.pad_top = (uint8_t)layer->pad_y;
    command->command.image.pad_left = (uint16_t)(layer->pad_x * pixel);
}

// ---- commands -----------------------------------------------------------------------------------

static uint64_t points(const plan *p)
{
    return (uint64_t)kernel_lines(p) * p->layer->kernel_w;
}

static uint64_t rows_of_weights(const plan *p, uint64_t filters)
{
    return p->pairs ? 2u * filters : filters;
}

// Where image, weights, C and D lie, each from a page on; false: they do not fit 4 GiB.
static bool place(plan *p)
{
    const uint32_t beat = p->beat;
    enum { PAGE = 4096 };
    const uint64_t rows = (uint64_t)p->images * p->out_h * p->out_w;
    p->row_b = round_up(points(p) * p->group_codes, beat);
    p->row_c = round_up((uint64_t)p->layer->filters * p->c_bytes, beat);
    p->row_d = round_up((uint64_t)p->layer->filters * p->d_bytes, beat);
    const uint64_t line = (uint64_t)p->layer->width * p->pixel_bytes;
    const double bytes = (double)p->images * p->height * (double)line +
                         (double)rows_of_weights(p, p->layer->filters) * (double)p->row_b +
                         12.0 * p->layer->filters + (double)rows * (double)(p->row_c + p->row_d) +
                         7.0 * PAGE;
    if (bytes > 4294967296.0) {
        return false;
    }
    p->a = PAGE;
    p->b = p->a + round_up((uint64_t)p->images * p->height * line, PAGE);
    p->d = p->b + round_up(rows_of_weights(p, p->layer->filters) * p->row_b, PAGE);
    p->c = p->d + round_up(rows * p->row_d, PAGE);
    p->scales = p->c + round_up(rows * p->row_c, PAGE);
    p->biases = p->scales + round_up((uint64_t)p->work->scale_bytes * p->layer->filters, PAGE);
    return true;
}

static void set_addresses(const plan *p, uint32_t image, uint32_t group,
                          fp8mac_cycles_command *command)
{
    const uint64_t line = (uint64_t)p->layer->width * p->pixel_bytes;
    const uint64_t row = (uint64_t)image * p->out_h * p->out_w, column = group * p->group_out;
    command->command.a.addr = (uint32_t)(p->a + image * p->height * line + group * p->group_in);
    command->command.a.stride = (uint32_t)(is_matrix(p, group) ? p->pixel_bytes : line);
    command->command.b.addr = (uint32_t)(p->b + rows_of_weights(p, column) * p->row_b);
    command->command.d.addr = (uint32_t)(p->d + row * p->row_d + column * p->d_bytes);
    command->command.d.stride = (uint32_t)p->row_d;
    command->command.c.addr = (uint32_t)(p->c + row * p->row_c + column * p->c_bytes);
    command->command.c.stride = p->pairs ? command->command.c.stride : (uint32_t)p->row_c;
    if (p->work->vectors) {
        command->command.b.scale = (uint32_t)(p->scales + column * p->work->scale_bytes);
        command->command.finish.bias = (uint32_t)(p->biases + column * 4u);
    }
}

static fp8mac_status command_of(const fp8mac_cycles_config *config, const plan *p, uint32_t image,
                                uint32_t group, fp8mac_cycles_command *command, bool *fits,
                                const char **why)
{
    workload part = *p->work;
    part.m = rows_of(p);
    part.out_h = p->pairs ? p->out_h : 0;
    part.out_w = p->out_w;
    part.n = part_size(p->layer->filters, p->group_out, group);
    const uint32_t channels = part_size(p->layer->channels, p->group_in, group);
    part.k = (uint32_t)points(p) * (p->depthwise ? p->group_codes : channels);
    part.depthwise = p->depthwise;
    if (!is_matrix(p, group)) {
        part.channels = p->depthwise ? p->beat : channels;
        part.pixel_bytes = p->pixel_bytes;
        part.kernel_w = p->layer->kernel_w;
        part.stride_x = p->layer->stride_x;
        part.dilation_x = p->layer->dilation_x;
    }
    const fp8mac_status status = workload_command(config, &part, command, why);
    if (status == FP8MAC_OK) {
        set_addresses(p, image, group, command);
        *fits = workload_is_one_tile(config, &part);
        if (part.channels != 0) {
            set_image(p, command);
        }
    }
    return status;
}

static double bytes_read(const plan *p)
{
    const convolution *x = p->layer;
    const double outputs = (double)p->work->m * p->work->n;
    return (double)x->images * x->height * x->width * x->channels +
           (double)p->work->n * p->work->k + outputs * p->c_bytes +
           (p->work->vectors ? (4.0 + p->work->scale_bytes) * x->filters : 0);
}

fp8mac_status convolution_each(const fp8mac_cycles_config *config, const convolution *layer,
                               const workload *work, convolution_listener *listener, void *context,
                               const char **why)
{
    plan p = plan_of(layer, work, config);
    *why = beyond(&p);
    if (*why == NULL && !place(&p)) {
        *why = "the matrices do not fit 4 GiB";
    }
    fp8mac_status status = *why != NULL ? FP8MAC_ERR_SHAPE : FP8MAC_OK;
    for (uint32_t i = 0; i < p.images && status == FP8MAC_OK; i++) {
        for (uint32_t group = 0; group < p.groups && status == FP8MAC_OK; group++) {
            fp8mac_cycles_command command;
            bool fits;
            status = command_of(config, &p, i, group, &command, &fits, why);
            if (status == FP8MAC_OK) {
                status = listener(context, &command, i, fits, why);
            }
        }
    }
    return status;
}

// ---- a run --------------------------------------------------------------------------------------

typedef struct sum {
    fp8mac_cycles_config config;
    const workload *work;
    workload_result *result;
} sum;

static fp8mac_status add(void *context, const fp8mac_cycles_command *command, uint32_t image,
                         bool fits, const char **why)
{
    sum *s = context;
    (void)image, (void)fits;
    s->config.image_turn = (uint32_t)s->result->counters.image_turn;
    return workload_add(&s->config, command, s->work, s->result, why);
}

fp8mac_status convolution_run(const fp8mac_cycles_config *config, const convolution *layer,
                              const workload *work, uint32_t *turn, workload_result *result,
                              const char **why)
{
    sum s = {*config, work, result};
    *result = (workload_result){.counters.image_turn = *turn};
    const fp8mac_status status = convolution_each(config, layer, work, add, &s, why);
    if (status == FP8MAC_OK) {
        const plan p = plan_of(layer, work, config);
        *turn = (uint32_t)result->counters.image_turn;
        workload_rate(config, work, bytes_read(&p), result);
    }
    return status;
}
