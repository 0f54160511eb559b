// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <math.h>
#include <stdlib.h>

#include "fp8rt/integer.h"
#include "fp8rt_plan.h"
#include "plans.h"

enum { PAGE = 4096 };

uint64_t convolution_outputs(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t dilation,
                             uint32_t pad)
{
    const uint64_t extent = (uint64_t)dilation * (kernel - 1u) + 1u;
    const uint64_t padded = size + 2ull * pad;
    return padded < extent ? 0 : (padded - extent) / stride + 1u;
}

workload workload_usual(const fp8mac_cycles_config *config)
{
    const bool int8 = config->element == FP8MAC_ELEMENT_INT8;
    const fp8mac_format_id format = int8 ? FP8MAC_INT8 : FP8MAC_E4M3FN;
    return (workload){.a_format = format,
                      .b_format = format,
                      .d_format = config->requantise ? FP8MAC_INT8 : FP8MAC_E4M3FN,
                      .scale_bytes = config->requantise ? 8 : 4};
}

uint32_t workload_bytes(fp8mac_format_id format)
{
    return fp8mac_format_bytes(fp8mac_format_get(format));
}

static uint64_t round_up(uint64_t x, uint64_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

// ---- what is refused ----------------------------------------------------------------------------

static bool is_narrow(fp8mac_format_id format)
{
    return format >= FP8MAC_E3M2FN && format <= FP8MAC_E2M1FN;
}

static bool is_point(const convolution *x)
{
    return x->kernel_h == 1 && x->kernel_w == 1 && x->stride_y == 1 && x->stride_x == 1 &&
           x->pad_y == 0 && x->pad_x == 0 && x->groups == 1;
}

static const char *refused_format(const fp8mac_cycles_config *config, const fp8rt_caps *caps,
                                  const workload *work)
{
    if (!fp8rt_element_takes(&caps->element, work->a_format)) {
        return "the element does not take the format of A";
    }
    if (!fp8rt_element_takes(&caps->element, work->b_format)) {
        return "the element does not take the format of B";
    }
    if (config->requantise && work->d_format != FP8MAC_INT8 &&
        (work->d_format != FP8MAC_FP32 || work->image.images != 0)) {
        return work->image.images != 0
                   ? "D of a convolution that is requantised is int8"
                   : "D of an accelerator that requantises is int8, or float32 for sums";
    }
    if (config->requantise && work->adds_c) {
        return "an accelerator that requantises adds no C";
    }
    return work->mx && (caps->functions & FP8MAC_FUNCTION_MX) == 0 ? "the element has no MX scales"
                                                                   : NULL;
}

// The first field of an image that is too large, with its limit
static const char *beyond(const convolution *x, const workload *work, uint64_t pixel, uint32_t beat)
{
    enum { BYTE = 255, HALF = 65535, WIDTH = (1 << 24) - 1 };
    return x->channels > WIDTH            ? "a pixel has at most 16777215 bytes"
           : x->height > HALF             ? "an image has at most 65535 lines"
           : x->width * pixel > WIDTH     ? "a line of the image has at most 16777215 bytes"
           : x->stride_x * pixel > HALF   ? "stride_x is at most 65535 bytes"
           : x->dilation_x * pixel > HALF ? "dilation_x is at most 65535 bytes"
           : x->pad_x * pixel > HALF      ? "pad_x is at most 65535 bytes"
           : x->stride_y > BYTE           ? "stride_y is at most 255"
           : x->dilation_y > BYTE         ? "dilation_y is at most 255"
           : x->pad_y > BYTE              ? "pad_y is at most 255"
           : pixel < x->channels          ? "pixel_bytes must be at least the number of channels"
           : x->channels % x->groups != 0 || x->filters % x->groups != 0
               ? "groups must divide both the channels and the filters"
           : work->mx && (!is_point(x) || pixel % beat != 0)
               ? "a convolution cannot have MX scales: leave mx empty or 0"
               : NULL;
}

// ---- a layer in memory --------------------------------------------------------------------------

// Weights as the library packs them
typedef struct packing {
    uint32_t rows, cols;
    uint32_t group_in, group_out; // 0: one group
    bool pairs;
} packing;

typedef struct placed {
    const workload *work;
    uint32_t pixel_bytes, table;
    uint64_t rows_a, row_a; // bytes of a line of the image, or of a row
    packing weights;
    uint32_t a, b, c, d, mx_a, mx_b, scales, biases;
} placed;

typedef struct issuer {
    const fp8mac_cycles_config *config;
    fp8rt_device dev;
    workload_tables tables;
    uint64_t next;  // the first page that is free
    uint32_t input; // D of the layer before; 0: there is none
} issuer;

static void *at(uint32_t address)
{
    return (void *)(uintptr_t)address;
}

static fp8rt_window window_of(const convolution *x)
{
    return (fp8rt_window){x->kernel_h,   x->kernel_w, x->stride_y, x->stride_x, x->dilation_y,
                          x->dilation_x, x->pad_y,    x->pad_y,    x->pad_x,    x->pad_x};
}

static packing pack(const fp8rt_caps *caps, const workload *work, uint32_t pixel_bytes)
{
    const convolution *x = &work->image;
    const fp8rt_window window = window_of(x);
    const uint32_t out_h =
        (uint32_t)convolution_outputs(x->height, x->kernel_h, x->stride_y, x->dilation_y, x->pad_y);
    const bool deep =
        x->groups == x->channels && x->groups == x->filters && pixel_bytes % caps->beat_bytes == 0;
    const uint32_t each_in = x->channels / x->groups, each_out = x->filters / x->groups;
    packing p = {.rows = x->filters, .cols = work->k};
    if (x->groups == 1) {
        return p;
    }
    if (deep && workload_bytes(work->d_format) == 1 && !work->adds_c &&
        fp8rt_takes_pairs(caps, x->channels, &window, out_h)) {
        return (packing){fp8rt_pairs_rows(x->channels),
                         fp8rt_pairs_cols(caps, x->kernel_h, x->kernel_w, x->stride_y),
                         caps->cols / 2u, caps->cols / 2u, true};
    }
    const bool by_c =
        work->adds_c && workload_bytes(work->c_format) < workload_bytes(work->d_format);
    const fp8mac_format_id least = by_c ? work->c_format : work->d_format;
    uint32_t joined = deep ? fp8rt_channels_to_join(caps, least, x->channels)
                           : fp8rt_groups_to_join(caps, least, each_out);
    joined = joined < x->groups ? joined : x->groups;
    p.cols *= joined;
    p.group_in = joined == x->groups ? 0 : joined * each_in;
    p.group_out = joined == x->groups ? 0 : joined * each_out;
    return p;
}

// The next pages
static uint32_t take(issuer *s, double *bytes, uint64_t rows, uint64_t stride)
{
    const uint64_t address = s->next;
    *bytes += (double)rows * (double)stride + PAGE;
    s->next += round_up(rows * stride, PAGE);
    return (uint32_t)address;
}

// From the page `first` on. False: the matrices do not fit.
static bool place_from(issuer *s, placed *p, uint64_t first)
{
    const workload *work = p->work;
    const uint64_t beat = s->dev.caps.beat_bytes, scales = round_up((work->k + 31ull) / 32u, beat);
    const uint64_t row_c = round_up((uint64_t)work->n * workload_bytes(work->c_format), beat),
                   row_d = round_up((uint64_t)work->n * workload_bytes(work->d_format), beat);
    const bool vectors = work->vectors || s->config->requantise;
    double bytes = (double)first;
    s->next = first;
    p->a = s->input != 0 ? s->input : take(s, &bytes, p->rows_a, p->row_a);
    p->b = take(s, &bytes, p->weights.rows, round_up(p->weights.cols, beat));
    p->d = take(s, &bytes, work->m, row_d);
    p->c = work->adds_c ? take(s, &bytes, work->m, row_c) : 0;
    p->mx_a = work->mx ? take(s, &bytes, work->m, scales) : 0;
    p->mx_b = work->mx ? take(s, &bytes, work->n, scales) : 0;
    p->scales = vectors ? take(s, &bytes, 1, (uint64_t)work->scale_bytes * work->n) : 0;
    p->biases = vectors ? take(s, &bytes, 1, 4ull * work->n) : 0;
    return bytes + PAGE <= 4294967296.0;
}

// Behind the layer before, whose D is A of this one, or else in front of it
static bool place(issuer *s, placed *p)
{
    const convolution *x = &p->work->image;
    const bool image = x->images != 0;
    p->rows_a = image ? (uint64_t)x->images * x->height : p->work->m;
    p->row_a =
        image ? (uint64_t)x->width * p->pixel_bytes : round_up(p->work->k, s->dev.caps.beat_bytes);
    const double end = s->input + (double)p->rows_a * (double)p->row_a;
    const uint64_t behind = s->input == 0        ? PAGE
                            : end > 4294967296.0 ? UINT32_MAX
                                                 : round_up((uint64_t)end, PAGE);
    if (place_from(s, p, s->next > behind ? s->next : behind)) {
        return true;
    }
    return s->input != 0 && end <= 4294967296.0 && place_from(s, p, PAGE) && s->next <= s->input;
}

// ---- a layer and the library --------------------------------------------------------------------

static fp8rt_status issue_gemm(fp8rt_run *run, const placed *p)
{
    const workload *work = p->work;
    const bool requantises = (run->dev->caps.functions & FP8MAC_FUNCTION_REQUANTISE) != 0;
    fp8rt_gemm_plan plan;
    fp8rt_gemm_result result;
    plan.desc = (fp8rt_gemm_desc){
        .m = work->m,
        .n = work->n,
        .k = work->k,
        .a = {.codes = at(p->a), .format = work->a_format, .mx = at(p->mx_a)},
        .b = {.codes = at(p->b), .format = work->b_format, .mx = at(p->mx_b)},
        .acc_format = run->acc_format,
        .beta = work->adds_c ? 1.0f : 0.0f,
        .c = at(p->c),
        .c_format = work->c_format,
        .d = at(p->d),
        .d_format = work->d_format,
        .coding.table = p->table,
    };
    plan.desc.a.stride = work->image.images != 0 ? p->pixel_bytes : 0;
    if (requantises) {
        plan.desc.requantise = (fp8rt_requantise){
            .scales = work->d_format == FP8MAC_INT8 ? at(p->scales) : NULL,
            .bias = work->vectors ? at(p->biases) : NULL,
            .lo = INT8_MIN,
            .hi = INT8_MAX,
        };
    } else if (work->vectors) {
        plan.desc.b.scale = (fp8mac_scale){FP8MAC_SCALE_VECTOR, at(p->scales)};
        plan.desc.bias = at(p->biases);
    }
    return fp8rt_plans_gemm(run, &plan, NULL, 0, &result);
}

// The layer library has no narrow formats: the accelerator takes their codes as those of FP8.
static fp8mac_format_id layer_format(fp8mac_format_id format)
{
    return is_narrow(format) ? FP8MAC_E4M3FN : format;
}

static fp8rt_status issue_image(fp8rt_run *run, const placed *p)
{
    const workload *work = p->work;
    const convolution *x = &work->image;
    const packing *w = &p->weights;
    const fp8rt_tensor image = {.data = at(p->a),
                                .rows = x->images * x->height * x->width,
                                .cols = x->channels,
                                .format = layer_format(work->a_format)},
                       residual = {.data = at(p->c),
                                   .rows = work->m,
                                   .cols = work->n,
                                   .format = work->c_format};
    fp8rt_tensor out = {
        .data = at(p->d), .rows = work->m, .cols = work->n, .format = work->d_format};
    const fp8rt_weights weights = {
        .codes = {.data = at(p->b),
                  .rows = w->rows,
                  .cols = w->cols,
                  .format = layer_format(work->b_format)},
        .row_scale = work->vectors ? at(p->scales) : NULL,
        .bias = work->vectors ? at(p->biases) : NULL,
    };
    const fp8rt_convolution_desc desc = {
        .x = &image,
        .images = x->images,
        .height = x->height,
        .width = x->width,
        .pixel_bytes = p->pixel_bytes,
        .window = window_of(x),
        .weights = &weights,
        .group_in = w->group_in,
        .group_out = w->group_out,
        .pairs = w->pairs,
        .residual = work->adds_c ? &residual : NULL,
        .fused.coding.table = p->table,
        .out = &out,
    };
    return fp8rt_convolution(run, &desc);
}

// An integer layer has one image.
static fp8rt_status issue_integer(fp8rt_run *run, const placed *p)
{
    const workload *work = p->work;
    const convolution *x = &work->image;
    const packing *w = &p->weights;
    const uint32_t pixels = x->height * x->width, outputs = work->m / x->images;
    const fp8rt_tensor weights = {
        .data = at(p->b), .rows = w->rows, .cols = w->cols, .format = FP8MAC_INT8};
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < x->images && status == FP8RT_OK; i++) {
        const fp8rt_tensor image = {.data = at(p->a + i * pixels * p->pixel_bytes),
                                    .rows = pixels,
                                    .cols = x->channels,
                                    .stride = p->pixel_bytes,
                                    .format = FP8MAC_INT8};
        fp8rt_tensor out = {.rows = outputs, .cols = work->n, .format = FP8MAC_INT8};
        out.data = at(p->d + i * outputs * fp8rt_tensor_stride(&run->dev->caps, &out));
        const fp8rt_int_convolution_desc desc = {
            .x = &image,
            .height = x->height,
            .width = x->width,
            .window = window_of(x),
            .weights = &weights,
            .group_in = w->group_in,
            .group_out = w->group_out,
            .pairs = w->pairs,
            .finish = {.scales = at(p->scales), .bias = at(p->biases), .lo = -128, .hi = 127},
            .out = &out,
        };
        status = fp8rt_int_convolution(run, &desc);
    }
    return status;
}

static fp8rt_status issue_one(fp8rt_run *run, const placed *p, workload_tables tables)
{
    const bool requantises = (run->dev->caps.functions & FP8MAC_FUNCTION_REQUANTISE) != 0;
    const fp8rt_status status =
        tables == WORKLOAD_TABLES_LOADED ? fp8rt_load_table(run, p->table, at(PAGE)) : FP8RT_OK;
    if (status != FP8RT_OK) {
        return status;
    }
    return p->work->image.images == 0 || p->work->mx ? issue_gemm(run, p)
           : requantises                             ? issue_integer(run, p)
                                                     : issue_image(run, p);
}

// What the library does not say: formats that it has not, and integer factors without
// vectors
static void finish(const workload *work, fp8mac_command *c, bool requantises)
{
    const bool narrow[] = {is_narrow(work->a_format), is_narrow(work->b_format)};
    c->a.narrow = c->a.narrow || narrow[0];
    c->b.narrow = c->b.narrow || narrow[1];
    c->a.fmt = narrow[0] ? (uint8_t)(work->a_format - FP8MAC_E3M2FN) : c->a.fmt;
    c->b.fmt = narrow[1] ? (uint8_t)(work->b_format - FP8MAC_E3M2FN) : c->b.fmt;
    if (requantises && !work->vectors && work->d_format == FP8MAC_INT8) {
        c->b.scale_vec = c->finish.bias_en = false;
        c->b.scale = 1u << 30;
    }
}

// ---- recordings ---------------------------------------------------------------------------------

static fp8mac_status refuse(const char **why, fp8mac_status status, const char *text)
{
    *why = text;
    return status;
}

static fp8mac_status prepare(issuer *s, const workload *work, placed *p, const char **why)
{
    const fp8rt_caps *caps = &s->dev.caps;
    const convolution *x = &work->image;
    const char *format = refused_format(s->config, caps, work);
    if (format != NULL) {
        return refuse(why, FP8MAC_ERR_FORMAT, format);
    }
    if (work->m == 0 || work->n == 0 || work->k == 0) {
        return refuse(why, FP8MAC_ERR_SHAPE, "m, n and k are at least 1");
    }
    const uint64_t pixel =
        x->pixel_bytes != 0 ? x->pixel_bytes : round_up(x->channels, caps->beat_bytes);
    const char *field = x->images == 0 ? NULL
                        : s->config->requantise && pixel % caps->beat_bytes != 0
                            ? "pixels of a convolution that is requantised begin at beats"
                            : beyond(x, work, pixel, caps->beat_bytes);
    if (field != NULL) {
        return refuse(why, FP8MAC_ERR_SHAPE, field);
    }
    *p = (placed){.work = work, .pixel_bytes = (uint32_t)pixel};
    p->table = s->tables != WORKLOAD_NO_TABLES;
    p->weights = x->images != 0 ? pack(caps, work, p->pixel_bytes)
                                : (packing){work->n, work->k, 0, 0, false};
    return place(s, p) ? FP8MAC_OK : refuse(why, FP8MAC_ERR_SHAPE, "the matrices do not fit 4 GiB");
}

static fp8mac_status refuse_layer(const issuer *s, const fp8rt_run *run, const workload *work,
                                  fp8rt_status status, const char **why)
{
    if (run->recorder != NULL && run->recorder->commands == FP8RT_NETWORK_COMMANDS) {
        return refuse(why, FP8MAC_ERR_SHAPE,
                      "a layer has at most 65535 commands, and so has a list");
    }
    if (!fp8rt_element_holds(&s->dev.caps.element, work->k)) {
        return refuse(why, FP8MAC_ERR_COMMAND,
                      "k is more than an accumulator of this element takes");
    }
    switch (status) {
    case FP8RT_ERR_UNSUPPORTED:
        return refuse(why, FP8MAC_ERR_UNSUPPORTED, "no tile fits the memories of this accelerator");
    case FP8RT_ERR_IMAGE:
        return refuse(why, FP8MAC_ERR_SHAPE, "a field of the image is beyond the accelerator's");
    default:
        return refuse(why, FP8MAC_ERR_COMMAND,
                      s->tables != WORKLOAD_NO_TABLES && status == FP8RT_ERR_FORMAT
                          ? "codes of a table have one byte, and D has more"
                          : fp8rt_status_string(status));
    }
}

// All layers, in a query or a recording
static fp8mac_status issue_all(issuer *s, fp8rt_run *run, const workload *const *layers,
                               size_t count, bool listed, workload_commands *commands,
                               const char **why)
{
    s->next = s->tables == WORKLOAD_TABLES_LOADED ? 2 * PAGE : PAGE;
    s->input = 0;
    for (size_t i = 0; i < count; i++) {
        placed p;
        commands->failed = i;
        const fp8mac_status status = prepare(s, layers[i], &p, why);
        if (status != FP8MAC_OK) {
            return status;
        }
        const fp8rt_status issued = issue_one(run, &p, s->tables);
        if (issued != FP8RT_OK) {
            return refuse_layer(s, run, layers[i], issued, why);
        }
        if (run->recorder != NULL) {
            commands->behind[i] = run->recorder->commands;
        }
        s->input = listed ? p.d : 0;
    }
    return FP8MAC_OK;
}

// Tiles are whole beats of D, also where max_mn is less.
static fp8mac_status take_commands(const issuer *s, const fp8rt_recorder *recorder,
                                   const workload *const *layers, size_t count,
                                   workload_commands *commands, const char **why)
{
    fp8rt_plan_commands(recorder, &s->dev.caps, commands->list);
    for (size_t layer = 0; layer < count; layer++) {
        for (; commands->count < commands->behind[layer]; commands->count++) {
            fp8mac_command *c = &commands->list[commands->count].command;
            finish(layers[layer], c, s->config->requantise);
            if (c->tile.m > s->config->max_mn || c->tile.n > s->config->max_mn) {
                commands->failed = layer;
                return refuse(why, FP8MAC_ERR_UNSUPPORTED,
                              "no tile fits the memories of this accelerator");
            }
        }
    }
    return FP8MAC_OK;
}

static fp8mac_status record(issuer *s, const workload *const *layers, size_t count, bool listed,
                            size_t bytes, workload_commands *commands, const char **why)
{
    bytes = round_up(bytes, FP8RT_NETWORK_ALIGN);
    void *memory = aligned_alloc(FP8RT_NETWORK_ALIGN, bytes);
    commands->behind = calloc(count + 1u, sizeof *commands->behind);
    fp8rt_recorder recorder = fp8rt_recorder_in(memory, bytes);
    recorder.one_by_one = !listed;
    fp8rt_run run = fp8rt_run_on(&s->dev, NULL, 0);
    run.recorder = &recorder;
    fp8mac_status status = memory == NULL || commands->behind == NULL
                               ? refuse(why, FP8MAC_ERR_UNSUPPORTED, "there is no memory")
                               : issue_all(s, &run, layers, count, listed, commands, why);
    if (status == FP8MAC_OK) {
        commands->list = calloc(recorder.commands + 1u, sizeof *commands->list);
        status = commands->list == NULL ? refuse(why, FP8MAC_ERR_UNSUPPORTED, "there is no memory")
                                        : take_commands(s, &recorder, layers, count, commands, why);
    }
    free(memory);
    return status;
}

fp8mac_status workload_issue(const fp8mac_cycles_config *config, const workload *const *layers,
                             size_t count, bool listed, workload_tables tables,
                             workload_commands *commands, const char **why)
{
    fp8rt_caps caps = fp8rt_plan_caps(config);
    const fp8rt_port port = {.context = &caps};
    issuer s = {.config = config, .tables = tables};
    *commands = (workload_commands){0};
    fp8rt_device_open(&s.dev, &port);
    fp8rt_run query = fp8rt_run_query(&s.dev);
    fp8mac_status status = issue_all(&s, &query, layers, count, listed, commands, why);
    if (status == FP8MAC_OK) {
        status = record(&s, layers, count, listed, query.record_bytes, commands, why);
    }
    if (status != FP8MAC_OK) {
        workload_free(commands);
    }
    return status;
}

void workload_free(workload_commands *commands)
{
    free(commands->list);
    free(commands->behind);
    commands->list = NULL;
    commands->behind = NULL;
}

// ---- cycles -------------------------------------------------------------------------------------

// Bytes that are read if each is read once
static double bytes_read(const workload *work)
{
    const convolution *x = &work->image;
    const double m = work->m, n = work->n, k = work->k;
    const double scales = work->mx ? (m + n) * ceil(k / 32) : 0;
    const double a = x->images != 0 && !work->mx
                         ? (double)x->images * x->height * x->width * x->channels
                         : m * k;
    return a + n * k + scales + (work->vectors ? (4 + work->scale_bytes) * n : 0) +
           (work->adds_c ? m * n * workload_bytes(work->c_format) : 0);
}

static void add(fp8mac_cycles_counters *sum, const fp8mac_cycles_counters *x)
{
    sum->cycles += x->cycles;
    sum->compute += x->compute;
    sum->results += x->results;
    sum->spacing += x->spacing;
    sum->first_load += x->first_load;
    sum->load += x->load;
    sum->command += x->command;
    sum->store += x->store;
    sum->idle += x->idle;
    sum->macs += x->macs;
    sum->read_beats += x->read_beats;
    sum->write_beats += x->write_beats;
    sum->image_turn = x->image_turn;
}

static void rate(const fp8mac_cycles_config *config, const workload *work, workload_result *result)
{
    const double m = work->m, n = work->n, k = work->k, beat = config->axi_data_w / 8u;
    const double peak = m * n * k / ((double)config->rows * config->cols * config->lanes);
    const double writes = m * n * workload_bytes(work->d_format) / beat;
    const double cycles = (double)result->counters.cycles;
    result->utilisation = peak / cycles;
    result->roofline = fmax(peak, fmax(bytes_read(work) / beat, writes)) / cycles;
}

fp8mac_status workload_run(const fp8mac_cycles_config *config, const workload *work,
                           workload_result *result, const char **why)
{
    workload_commands commands;
    fp8mac_cycles_config own = *config;
    fp8mac_status status =
        workload_issue(config, &work, 1, false, WORKLOAD_NO_TABLES, &commands, why);
    *result = (workload_result){.counters.image_turn = config->image_turn};
    if (status != FP8MAC_OK) {
        return status;
    }
    for (size_t i = 0; i < commands.count && status == FP8MAC_OK; i++) {
        fp8mac_cycles_counters counters;
        own.image_turn = (uint32_t)result->counters.image_turn;
        commands.list[i].submission = FP8MAC_CYCLES_DOORBELL;
        status = fp8mac_cycles_run(&own, &commands.list[i], 1, NULL, NULL, &counters);
        add(&result->counters, &counters);
        result->commands++;
    }
    workload_free(&commands);
    if (status != FP8MAC_OK) {
        *why = status == FP8MAC_ERR_UNSUPPORTED ? "it has more than 1048576 tile commands"
                                                : "the accelerator refuses the command";
        return status;
    }
    rate(config, work, result);
    return FP8MAC_OK;
}
