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

static bool choose(const fp8mac_cycles_config *config, const workload *work,
                   fp8rt_gemm_tiles *tiles)
{
    const fp8rt_caps caps = caps_of(config);
    const fp8rt_gemm_desc desc = {
        .m = work->m, .n = work->n, .k = work->k, .d_format = work->d_format};
    return fp8rt_gemm_choose_tiles(&caps, &desc, tiles) == FP8RT_OK;
}

static uint64_t round_up(uint64_t x, uint64_t power)
{
    return (x + power - 1u) & ~(power - 1u);
}

static uint32_t d_bytes(const workload *work)
{
    return fp8mac_format_bytes(fp8mac_format_get(work->d_format));
}

// Addresses and strides; false: they do not fit
static bool place(const fp8mac_cycles_config *config, const workload *work,
                  fp8mac_cycles_command *command)
{
    const uint64_t beat = config->axi_data_w / 8u, row = round_up(work->k, beat);
    const uint64_t d_row = round_up((uint64_t)work->n * d_bytes(work), beat);
    const double bytes = (double)row * work->m + (double)row * work->n + (double)d_row * work->m;
    if (bytes + 4.0 * PAGE > 4294967296.0) {
        return false;
    }
    const uint64_t a = PAGE, b = a + round_up(row * work->m, PAGE);
    command->a_addr = (uint32_t)a;
    command->b_addr = (uint32_t)b;
    command->d_addr = (uint32_t)(b + round_up(row * work->n, PAGE));
    command->a_stride = command->b_stride = (uint32_t)row;
    command->d_stride = (uint32_t)d_row;
    return b + round_up(row * work->n, PAGE) + d_row * work->m <= 1ull << 32;
}

fp8mac_status workload_command(const fp8mac_cycles_config *config, const workload *work,
                               fp8mac_cycles_command *command)
{
    const uint8_t format = is_int8(config) ? 3 : 0; // INT8 is a narrow format
    *command = (fp8mac_cycles_command){
        .submission = FP8MAC_CYCLES_DOORBELL,
        .m = work->m,
        .n = work->n,
        .k = work->k,
        .scale_a = ONE,
        .scale_b = ONE,
        .scale_d = ONE,
        .a_fmt = format,
        .b_fmt = format,
        .a_narrow = is_int8(config),
        .b_narrow = is_int8(config),
        .acc_fmt = fp8mac_element_find(config->element)->accumulators == 1u << FP8MAC_ACC_FP16,
        .d_fmt = (uint8_t)work->d_format,
        .pass_shape = 3,
    };
    if (work->m == 0 || work->n == 0 || work->k == 0 || !place(config, work, command)) {
        return FP8MAC_ERR_SHAPE;
    }
    fp8rt_gemm_tiles tiles;
    if (!choose(config, work, &tiles)) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    command->tile_m = tiles.m, command->tile_n = tiles.n, command->tile_k = tiles.k;
    command->first_k = tiles.first_k;
    command->b_resident = tiles.b_resident;
    return FP8MAC_OK;
}

fp8mac_status workload_run(const fp8mac_cycles_config *config, const workload *work,
                           workload_result *result)
{
    fp8mac_cycles_command command;
    fp8mac_status status = workload_command(config, work, &command);
    if (status == FP8MAC_OK) {
        status = fp8mac_cycles_run(config, &command, 1, NULL, NULL, &result->counters);
    }
    if (status != FP8MAC_OK) {
        return status;
    }
    const double m = work->m, n = work->n, k = work->k, beat = config->axi_data_w / 8u;
    const double peak = m * n * k / ((double)config->rows * config->cols * config->lanes);
    const double reads = (m + n) * k / beat, writes = m * n * d_bytes(work) / beat;
    const double cycles = (double)result->counters.cycles;
    result->utilisation = peak / cycles;
    result->roofline = fmax(peak, fmax(reads, writes)) / cycles;
    return FP8MAC_OK;
}
