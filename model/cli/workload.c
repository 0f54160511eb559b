// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <math.h>

#include "gemm_choose.h"

enum { PAGE = 4096 };

#define ONE 0x3f800000u

static bool is_int8(const fp8mac_cycles_config *config)
{
    return config->element == FP8MAC_ELEMENT_INT8;
}

static fp8rt_caps caps_of(const fp8mac_cycles_config *config)
{
    const uint8_t block = fp8mac_element_find(config->element)->block;
    return (fp8rt_caps){
        .rows = (uint16_t)config->rows,
        .cols = (uint16_t)config->cols,
        .lanes = (uint16_t)config->lanes,
        .beat_bytes = (uint16_t)(config->axi_data_w / 8u),
        .block = (uint16_t)(block != 0 ? block : config->lanes),
        .pass_tiles = 4,
        .acc_tiles = (uint16_t)config->tiles,
        .queue_depth = (uint16_t)config->queue_depth,
        .buf_beats = (uint16_t)config->buf_beats,
        .max_mn = (uint16_t)config->max_mn,
    };
}

workload workload_usual(const fp8mac_cycles_config *config)
{
    const fp8mac_format_id format = is_int8(config) ? FP8MAC_INT8 : FP8MAC_E4M3FN;
    return (workload){.a_format = format,
                      .b_format = format,
                      .d_format = config->requantise ? FP8MAC_INT8 : FP8MAC_E4M3FN,
                      .scale_bytes = config->requantise ? 8 : 4};
}

static fp8rt_gemm_desc desc_of(const workload *work)
{
    static const uint8_t scale = 0; // the planner asks whether there are scales
    static const float one = 1.0f;
    return (fp8rt_gemm_desc){
        .m = work->m,
        .n = work->n,
        .k = work->k,
        .a = {.mx = work->mx ? &scale : NULL},
        .beta = work->adds_c ? 1.0f : 0.0f,
        .c_format = work->c_format,
        .d_format = work->d_format,
        .bias = work->vectors ? &one : NULL,
        .b.scale = {work->vectors ? FP8MAC_SCALE_VECTOR : FP8MAC_SCALE_NONE, &one},
        .image.channels = work->channels,
        .image.pixel_bytes = work->pixel_bytes,
        .image.kernel_w = work->kernel_w,
        .image.stride_x = work->stride_x,
        .image.dilation_x = work->dilation_x,
        .image.depthwise = work->depthwise,
        .image.pairs = work->out_h != 0,
        .image.odd = work->out_h % 2u != 0,
        .image.out_w = work->out_w,
    };
}

static bool choose(const fp8mac_cycles_config *config, const workload *work,
                   fp8rt_gemm_tiles *tiles)
{
    const fp8rt_caps caps = caps_of(config);
    const fp8rt_gemm_desc desc = desc_of(work);
    // Tiles are whole beats of D, also where max_mn is less.
    return fp8rt_gemm_choose_tiles(&caps, &desc, tiles) == FP8RT_OK && tiles->m <= config->max_mn &&
           tiles->n <= config->max_mn;
}

bool workload_is_one_tile(const fp8mac_cycles_config *config, const workload *work)
{
    const fp8rt_caps caps = caps_of(config);
    const fp8rt_gemm_desc desc = desc_of(work);
    uint32_t beats, steps;
    return fp8rt_gemm_is_one_tile(&caps, &desc, &beats, &steps);
}

static uint64_t round_up(uint64_t x, uint64_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

uint32_t workload_bytes(fp8mac_format_id format)
{
    return fp8mac_format_bytes(fp8mac_format_get(format));
}

// ---- formats ------------------------------------------------------------------------------------

static bool is_narrow(fp8mac_format_id format)
{
    return format >= FP8MAC_E3M2FN && format <= FP8MAC_E2M1FN;
}

static bool takes(const fp8mac_element_info *element, fp8mac_format_id format)
{
    return is_narrow(format) ? element->narrow : (element->formats >> format & 1u) != 0;
}

// The code of MODE: narrow formats and INT8 have a bit beside it.
static uint8_t code_of(fp8mac_format_id format)
{
    return (uint8_t)(is_narrow(format)       ? format - FP8MAC_E3M2FN
                     : format == FP8MAC_INT8 ? 3
                                             : format);
}

static const char *refused_format(const fp8mac_cycles_config *config, const workload *work)
{
    const fp8mac_element_info *element = fp8mac_element_find(config->element);
    if (!takes(element, work->a_format)) {
        return "the element does not take the format of A";
    }
    if (!takes(element, work->b_format)) {
        return "the element does not take the format of B";
    }
    if (config->requantise && work->d_format != FP8MAC_INT8 && work->d_format != FP8MAC_FP32) {
        return "D of an accelerator that requantises is int8, or float32 for sums";
    }
    if (config->requantise && work->adds_c) {
        return "an accelerator that requantises adds no C";
    }
    return work->mx && !element->mx ? "the element has no MX scales" : NULL;
}

// ---- the command --------------------------------------------------------------------------------

// The next pages of memory
typedef struct space {
    uint64_t next;
    double bytes; // also where `next` has wrapped
} space;

static uint32_t take(space *s, uint64_t rows, uint64_t stride)
{
    const uint64_t address = s->next;
    s->next += round_up(rows * stride, PAGE);
    s->bytes += (double)rows * (double)stride + PAGE;
    return (uint32_t)address;
}

static void place_vectors(const workload *work, space *s, fp8mac_cycles_command *command)
{
    if (work->vectors) {
        command->command.b.scale = take(s, 1, (uint64_t)work->scale_bytes * work->n);
        command->command.finish.bias = take(s, 1, 4ull * work->n);
    }
}

static void place_extension(const workload *work, uint64_t beat, space *s,
                            fp8mac_cycles_command *command)
{
    if (work->adds_c) {
        command->command.c.stride =
            (uint32_t)round_up((uint64_t)work->n * workload_bytes(work->c_format), beat);
        command->command.c.addr = take(s, work->m, command->command.c.stride);
    }
    if (work->mx) {
        const uint64_t row = round_up((work->k + 31ull) / 32u, beat);
        command->command.a.mx_stride = command->command.b.mx_stride = (uint32_t)row;
        command->command.a.mx_addr = take(s, work->m, row);
        command->command.b.mx_addr = take(s, work->n, row);
    }
}

// Addresses and strides; false: they do not fit
static bool place(const fp8mac_cycles_config *config, const workload *work,
                  fp8mac_cycles_command *command)
{
    const uint64_t beat = config->axi_data_w / 8u, row = round_up(work->k, beat);
    const uint64_t d_row = round_up((uint64_t)work->n * workload_bytes(work->d_format), beat);
    space s = {.next = PAGE, .bytes = PAGE};
    command->command.a.stride = command->command.b.stride = (uint32_t)row;
    command->command.d.stride = (uint32_t)d_row;
    command->command.a.addr = take(&s, work->m, row);
    command->command.b.addr = take(&s, work->n, row);
    command->command.d.addr = take(&s, work->m, d_row);
    place_extension(work, beat, &s, command);
    place_vectors(work, &s, command);
    return s.bytes <= 4294967296.0;
}

static fp8mac_cycles_command command_of(const fp8mac_cycles_config *config, const workload *work)
{
    return (fp8mac_cycles_command){
        .submission = FP8MAC_CYCLES_DOORBELL,
        .command.mode.extended = work->adds_c || work->mx,
        .command.m = work->m,
        .command.n = work->n,
        .command.k = work->k,
        .command.a.scale = config->requantise ? 0 : ONE, // a shift
        .command.b.scale = config->requantise ? 1u << 30 : ONE,
        .command.d.scale = config->requantise ? 0 : ONE, // a zero point
        .command.c.beta = work->adds_c ? ONE : 0,
        .command.a.fmt = code_of(work->a_format),
        .command.b.fmt = code_of(work->b_format),
        .command.a.narrow = work->a_format > FP8MAC_E5M2FNUZ,
        .command.b.narrow = work->b_format > FP8MAC_E5M2FNUZ,
        .command.mode.acc_fmt =
            fp8mac_element_find(config->element)->accumulators == 1u << FP8MAC_ACC_FP16,
        .command.c.en = work->adds_c,
        .command.c.fmt = (uint8_t)(work->adds_c ? work->c_format : 0),
        .command.mode.mx = work->mx,
        .command.b.scale_vec = work->vectors,
        .command.finish.bias_en = work->vectors,
        .command.d.fmt = (uint8_t)work->d_format,
        .command.mode.pass_shape = FP8MAC_PASS_AUTOMATIC,
    };
}

static fp8mac_status refuse(const char **why, fp8mac_status status, const char *text)
{
    *why = text;
    return status;
}

fp8mac_status workload_command(const fp8mac_cycles_config *config, const workload *work,
                               fp8mac_cycles_command *command, const char **why)
{
    const char *format = refused_format(config, work);
    if (format != NULL) {
        return refuse(why, FP8MAC_ERR_FORMAT, format);
    }
    *command = command_of(config, work);
    if (work->m == 0 || work->n == 0 || work->k == 0) {
        return refuse(why, FP8MAC_ERR_SHAPE, "m, n and k are at least 1");
    }
    if (!place(config, work, command)) {
        return refuse(why, FP8MAC_ERR_SHAPE, "the matrices do not fit 4 GiB");
    }
    fp8rt_gemm_tiles tiles;
    if (!choose(config, work, &tiles)) {
        return refuse(why, FP8MAC_ERR_UNSUPPORTED, "no tile fits the memories of this accelerator");
    }
    command->command.tile.m = tiles.m, command->command.tile.n = tiles.n,
    command->command.tile.k = tiles.k;
    command->command.tile.first_k = tiles.first_k;
    command->command.mode.b_resident = tiles.b_resident;
    return FP8MAC_OK;
}

// Why the model does not run the command of a workload
static const char *refusal(const fp8mac_cycles_config *config, const workload *work,
                           fp8mac_status status)
{
    const uint8_t terms_log2 = fp8mac_element_find(config->element)->terms_log2;
    if (status == FP8MAC_ERR_UNSUPPORTED) {
        return "it has more than 1048576 tile commands";
    }
    return terms_log2 != 0 && work->k > 1ull << terms_log2
               ? "k is more than an accumulator of this element takes"
               : "the accelerator refuses the command";
}

// ---- the run ------------------------------------------------------------------------------------

// Bytes that are read if each is read once
static double bytes_read(const workload *work)
{
    const double m = work->m, n = work->n, k = work->k;
    const double scales = work->mx ? (m + n) * ceil(k / 32) : 0;
    return (m + n) * k + scales + (work->vectors ? (4 + work->scale_bytes) * n : 0) +
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

fp8mac_status workload_add(const fp8mac_cycles_config *config, const fp8mac_cycles_command *command,
                           const workload *work, workload_result *result, const char **why)
{
    fp8mac_cycles_counters counters;
    const fp8mac_status status = fp8mac_cycles_run(config, command, 1, NULL, NULL, &counters);
    if (status != FP8MAC_OK) {
        return refuse(why, status, refusal(config, work, status));
    }
    add(&result->counters, &counters);
    result->commands++;
    return FP8MAC_OK;
}

void workload_rate(const fp8mac_cycles_config *config, const workload *work, double bytes_read,
                   workload_result *result)
{
    const double m = work->m, n = work->n, k = work->k, beat = config->axi_data_w / 8u;
    const double peak = m * n * k / ((double)config->rows * config->cols * config->lanes);
    const double writes = m * n * workload_bytes(work->d_format) / beat;
    const double cycles = (double)result->counters.cycles;
    result->utilisation = peak / cycles;
    result->roofline = fmax(peak, fmax(bytes_read / beat, writes)) / cycles;
}

fp8mac_status workload_run(const fp8mac_cycles_config *config, const workload *work,
                           workload_result *result, const char **why)
{
    fp8mac_cycles_command command;
    fp8mac_status status = workload_command(config, work, &command, why);
    *result = (workload_result){.counters.image_turn = config->image_turn};
    if (status == FP8MAC_OK) {
        status = workload_add(config, &command, work, result, why);
    }
    if (status == FP8MAC_OK) {
        workload_rate(config, work, bytes_read(work), result);
    }
    return status;
}
