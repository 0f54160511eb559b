// SPDX-License-Identifier: Apache-2.0
// Each fault spoils the second of three commands. The first must complete. The third must write
// nothing.
#include "faults_commands.h"

#include <stdio.h>
#include <string.h>

#include "fp8rt/registers.h"
#include "operand_format.h"

// The good command: rows of A, B and D have at least two beats, also of 32 bytes.
enum {
    ROWS_M = 5,
    ROWS_N = 9,
    DEPTH = 64,
    STRIDE = 64,
    D_BYTES = ROWS_M * STRIDE,
    UNWRITTEN = 0xa5
};

#define ONE 0x3f800000u
#define INF 0x7f800000u
#define NOT_A_NUMBER 0x7fc00000u

typedef struct bench {
    faults *f;
    fp8rt_command good;
    uint8_t *d[3];             // of the three commands
    uint8_t expected[D_BYTES]; // D of the good command
} bench;

typedef void (*spoiler)(const fp8rt_caps *caps, fp8rt_command *tile);

typedef struct fault {
    const char *name;
    spoiler spoil;
    fp8rt_status expected;
} fault;

// ---- shape --------------------------------------------------------------------------------------
static void no_m(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->m = 0;
}
static void no_n(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->n = 0;
}
static void no_k(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->k = 0;
}
static void large_m(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->m = caps->max_mn + 1u;
}
static void large_n(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->n = caps->max_mn + 1u;
}
static void large_k(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->k = caps->buf_beats * caps->beat_bytes + 1u;
}
static void shape_before_scale(const fp8rt_caps *caps, fp8rt_command *tile)
{
    no_m(caps, tile);
    tile->d.scale = 0;
}

// ---- alignment ----------------------------------------------------------------------------------
static void odd_a(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.addr += 1;
}
static void odd_b_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.stride += 4;
}
static void odd_d(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->d.addr += 4;
}
static void odd_bias(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->finish.bias_en = true;
    tile->finish.bias = tile->a.addr + 4;
}
static void odd_scale_a(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->a.scale_vec = true;
    tile->a.scale = tile->a.addr + 4;
}

// ---- range --------------------------------------------------------------------------------------
static uintptr_t last_beat(const fp8rt_caps *caps)
{
    return UINT32_MAX - (caps->beat_bytes - 1u);
}
static void short_a_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->a.stride = caps->beat_bytes;
}
static void short_b_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.stride = 0;
}
static void short_d_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->d.stride = caps->beat_bytes;
}
static void a_past_the_end(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->a.addr = last_beat(caps);
}
static void d_past_the_end(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->d.addr = last_beat(caps);
}
static void bias_past_the_end(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->finish.bias_en = true;
    tile->finish.bias = last_beat(caps);
}

// ---- mode, exponents, scales --------------------------------------------------------------------
static void int8_d_that_does_not_saturate(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->d.fmt = FP8MAC_INT8, tile->finish.overflow = FP8MAC_OVERFLOW_IEEE;
}
static void set_formats(fp8rt_command *tile, fp8mac_format_id a, fp8mac_format_id b)
{
    fp8rt_set_format(&tile->a, a);
    fp8rt_set_format(&tile->b, b);
}
static void a_of_int8(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, set_formats(tile, FP8MAC_INT8, FP8MAC_E4M3FN);
}
static void b_of_int8(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, set_formats(tile, FP8MAC_E4M3FN, FP8MAC_INT8);
}
static void exponent_1(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.scale_exp = 1;
}
static void exponent_minus_1(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.scale_exp = -1;
}
static void reserved_overflow(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->finish.overflow = FP8MAC_OVERFLOWS;
}
static void reserved_act(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->finish.act = FP8MAC_ACTIVATIONS;
}
static void other_accumulator(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->mode.acc_fmt = !tile->mode.acc_fmt;
}
static void a_of_e5m2(const fp8rt_caps *caps, fp8rt_command *tile)
{
    set_formats(tile, FP8MAC_E5M2, fp8rt_element_format(&caps->element));
}
static void b_of_e5m2fnuz(const fp8rt_caps *caps, fp8rt_command *tile)
{
    set_formats(tile, fp8rt_element_format(&caps->element), FP8MAC_E5M2FNUZ);
}
static void exponent_33(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.scale_exp = 33;
}
static void exponent_minus_33(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.scale_exp = -33;
}
static void exponent_minus_128(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.scale_exp = -128;
}
static void scale_a_zero(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.scale = 0;
}
static void scale_a_nan(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.scale = NOT_A_NUMBER;
}
static void scale_b_negative(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.scale = ONE | 1u << 31;
}
static void scale_d_infinite(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->d.scale = INF;
}
static void clamp(fp8rt_command *tile, uint32_t lo, uint32_t hi)
{
    tile->finish.act = FP8MAC_ACT_CLAMP;
    tile->finish.clamp_lo = lo;
    tile->finish.clamp_hi = hi;
}
static void clamp_reversed(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, clamp(tile, ONE, 0);
}
static void clamp_nan(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, clamp(tile, NOT_A_NUMBER, ONE);
}
static void clamp_infinite(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, clamp(tile, 0, INF);
}

static const float vector_with_zero[ROWS_N]
    __attribute__((aligned(64))) = {1, 1, 1, 1, 1, 1, 1, 1, 0};
static void vector_a_zero(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->m = ROWS_N;
    tile->a.addr = tile->b.addr;
    tile->a.scale_vec = true;
    tile->a.scale = (uintptr_t)vector_with_zero;
}
static void vector_b_zero(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->b.scale_vec = true;
    tile->b.scale = (uintptr_t)vector_with_zero;
}

// ---- MX scales: those of the good operands lie in the operands ----------------------------------
static void scaled(fp8rt_command *tile)
{
    tile->mode.extended = true;
    tile->mode.mx = true;
    tile->a.mx_addr = tile->a.addr;
    tile->b.mx_addr = tile->b.addr;
    tile->a.mx_stride = tile->b.mx_stride = STRIDE;
}
static void scales(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
}
static void odd_scales(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->a.mx_addr += 1;
}
static void odd_scales_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->b.mx_stride += 4;
}
static void short_scales_stride(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->a.mx_stride = 0;
}
static void scales_past_the_end(const fp8rt_caps *caps, fp8rt_command *tile)
{
    scaled(tile);
    tile->b.mx_addr = last_beat(caps);
}
static void scales_of_an_image(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->mode.conv_a = true;
    tile->image = (fp8mac_command_image){
        .width = DEPTH, .height = 1, .out_w = 1, .segment_bytes = DEPTH, .segments = 1};
}
static void reuse_without_scales(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->b.reuse = true;
}
static void scales_slverr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->a.mx_addr = fp8rt_app_slverr_address;
}
static void scales_decerr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, scaled(tile);
    tile->b.mx_addr = fp8rt_app_decerr_address;
}

// ---- sequence: the preceding command kept nothing, and had the good command's shape -------------
static void continue_nothing(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->mode.acc_continue = true;
}
// Codes of the shortest rows in the operand buffers: a block, and at least 32.
static uint32_t row_codes(const fp8rt_caps *caps)
{
    return caps->block > 32u ? caps->block : 32u;
}
// The most rows of A, or columns, of which the array computes `side` at once, that a command may
// have and the operand buffers hold.
static uint32_t most(const fp8rt_caps *caps, uint32_t side)
{
    const uint32_t fit = side * (caps->buf_beats * (uint32_t)caps->beat_bytes / row_codes(caps));
    return fit < caps->max_mn ? fit : caps->max_mn;
}
// More tiles than the accumulator memory holds; the operands fit their buffers.
static void keep_too_much(const fp8rt_caps *caps, fp8rt_command *tile)
{
    tile->m = most(caps, caps->rows);
    tile->n = most(caps, caps->cols);
    tile->k = row_codes(caps);
    tile->mode.acc_keep = true;
}
static void keep_part_of_a_block(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->k = DEPTH - 1;
    tile->mode.acc_keep = true;
}
static void reuse_other_m(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->m = ROWS_M - 1;
    tile->a.reuse = true;
}
static void reuse_other_a_format(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->a.fmt = FP8MAC_E4M3FNUZ, tile->a.reuse = true;
}
static void reuse_other_b_format(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->b.fmt = FP8MAC_E4M3FNUZ, tile->b.reuse = true;
}
static void reuse_other_k(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->k = DEPTH - 1;
    tile->b.reuse = true;
}
// The good command in two tile commands
static void divided_reuse(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->tile.m = ROWS_M - 1;
    tile->b.reuse = true;
}
static void divided_keep(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->tile.m = ROWS_M - 1;
    tile->mode.acc_keep = true;
}

// ---- bus ----------------------------------------------------------------------------------------
static void a_slverr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.addr = fp8rt_app_slverr_address;
}
static void a_decerr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->a.addr = fp8rt_app_decerr_address;
}
static void b_slverr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->b.addr = fp8rt_app_slverr_address;
}
static void d_slverr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->d.addr = fp8rt_app_slverr_address;
}
static void d_decerr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps, tile->d.addr = fp8rt_app_decerr_address;
}
static void scale_a_slverr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->a.scale_vec = true;
    tile->a.scale = fp8rt_app_slverr_address;
}
static void scale_b_decerr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->b.scale_vec = true;
    tile->b.scale = fp8rt_app_decerr_address;
}
static void bias_decerr(const fp8rt_caps *caps, fp8rt_command *tile)
{
    (void)caps;
    tile->finish.bias_en = true;
    tile->finish.bias = fp8rt_app_decerr_address;
}

static const fault illegal[] = {
    {"m of 0", no_m, FP8RT_ERR_HW_SHAPE},
    {"n of 0", no_n, FP8RT_ERR_HW_SHAPE},
    {"k of 0", no_k, FP8RT_ERR_HW_SHAPE},
    {"m above the limit", large_m, FP8RT_ERR_HW_SHAPE},
    {"n above the limit", large_n, FP8RT_ERR_HW_SHAPE},
    {"k larger than the buffers", large_k, FP8RT_ERR_HW_SHAPE},
    {"two errors: the first kind counts", shape_before_scale, FP8RT_ERR_HW_SHAPE},
    {"A not on a beat", odd_a, FP8RT_ERR_HW_ALIGNMENT},
    {"stride of B not of beats", odd_b_stride, FP8RT_ERR_HW_ALIGNMENT},
    {"D not on a beat", odd_d, FP8RT_ERR_HW_ALIGNMENT},
    {"bias not on a beat", odd_bias, FP8RT_ERR_HW_ALIGNMENT},
    {"scale vector not on a beat", odd_scale_a, FP8RT_ERR_HW_ALIGNMENT},
    {"stride of A shorter than its row", short_a_stride, FP8RT_ERR_HW_RANGE},
    {"stride of B of 0", short_b_stride, FP8RT_ERR_HW_RANGE},
    {"stride of D shorter than its row", short_d_stride, FP8RT_ERR_HW_RANGE},
    {"A past the end of addresses", a_past_the_end, FP8RT_ERR_HW_RANGE},
    {"D past the end of addresses", d_past_the_end, FP8RT_ERR_HW_RANGE},
    {"bias past the end of addresses", bias_past_the_end, FP8RT_ERR_HW_RANGE},
    {"D of int8 that does not saturate", int8_d_that_does_not_saturate, FP8RT_ERR_HW_MODE},
    {"reserved overflow mode", reserved_overflow, FP8RT_ERR_HW_MODE},
    {"reserved activation", reserved_act, FP8RT_ERR_HW_MODE},
    {"scaling exponent 33", exponent_33, FP8RT_ERR_HW_SCALE_EXPONENT},
    {"scaling exponent -33", exponent_minus_33, FP8RT_ERR_HW_SCALE_EXPONENT},
    {"scaling exponent -128", exponent_minus_128, FP8RT_ERR_HW_SCALE_EXPONENT},
    {"scale of A is 0", scale_a_zero, FP8RT_ERR_HW_SCALE},
    {"scale of A is NaN", scale_a_nan, FP8RT_ERR_HW_SCALE},
    {"scale of B is negative", scale_b_negative, FP8RT_ERR_HW_SCALE},
    {"scale of D is Inf", scale_d_infinite, FP8RT_ERR_HW_SCALE},
    {"a scale of a row of A is 0", vector_a_zero, FP8RT_ERR_HW_SCALE},
    {"a scale of a row of B is 0", vector_b_zero, FP8RT_ERR_HW_SCALE},
    {"clamp bounds reversed", clamp_reversed, FP8RT_ERR_HW_SCALE},
    {"clamp bound NaN", clamp_nan, FP8RT_ERR_HW_SCALE},
    {"clamp bound Inf", clamp_infinite, FP8RT_ERR_HW_SCALE},
    {"continues what was not kept", continue_nothing, FP8RT_ERR_HW_SEQUENCE},
    {"reuses A of another m", reuse_other_m, FP8RT_ERR_HW_SEQUENCE},
    {"reuses B of another k", reuse_other_k, FP8RT_ERR_HW_SEQUENCE},
    {"several tile commands that reuse B", divided_reuse, FP8RT_ERR_HW_SEQUENCE},
    {"several tile commands that keep", divided_keep, FP8RT_ERR_HW_SEQUENCE},
};

static const fault other_formats[] = {
    {"reuses A of another format", reuse_other_a_format, FP8RT_ERR_HW_SEQUENCE},
    {"reuses B of another format", reuse_other_b_format, FP8RT_ERR_HW_SEQUENCE},
};

// With FP8 elements, and with INT8 elements
static const fault fp8_alone[] = {
    {"A of int8", a_of_int8, FP8RT_ERR_HW_MODE},
    {"B of int8", b_of_int8, FP8RT_ERR_HW_MODE},
};
static const fault int8_alone[] = {
    {"A of e4m3fn", b_of_int8, FP8RT_ERR_HW_MODE},
    {"B of e4m3fn", a_of_int8, FP8RT_ERR_HW_MODE},
    {"scaling exponent 1", exponent_1, FP8RT_ERR_HW_SCALE_EXPONENT},
    {"scaling exponent -1", exponent_minus_1, FP8RT_ERR_HW_SCALE_EXPONENT},
};

static const fault one_accumulator = {"an accumulator that the array does not have",
                                      other_accumulator, FP8RT_ERR_HW_MODE};

static const fault e4m3_alone[] = {
    {"A of e5m2", a_of_e5m2, FP8RT_ERR_HW_MODE},
    {"B of e5m2fnuz", b_of_e5m2fnuz, FP8RT_ERR_HW_MODE},
};

static const fault scaled_blocks[] = {
    {"MX scales of A not on a beat", odd_scales, FP8RT_ERR_HW_ALIGNMENT},
    {"stride of B's MX scales not of beats", odd_scales_stride, FP8RT_ERR_HW_ALIGNMENT},
    {"stride of A's MX scales shorter than a row", short_scales_stride, FP8RT_ERR_HW_RANGE},
    {"MX scales of B past the end of addresses", scales_past_the_end, FP8RT_ERR_HW_RANGE},
    {"MX scales of an image", scales_of_an_image, FP8RT_ERR_HW_MODE},
    {"reuses B without its MX scales", reuse_without_scales, FP8RT_ERR_HW_SEQUENCE},
    {"MX scales of A answered SLVERR", scales_slverr, FP8RT_ERR_HW_READ_SLVERR},
    {"MX scales of B answered DECERR", scales_decerr, FP8RT_ERR_HW_READ_DECERR},
};

static const fault no_scales = {"MX scales that the array does not have", scales,
                                FP8RT_ERR_HW_MODE};

static const fault blocks = {"keeps part of a block", keep_part_of_a_block, FP8RT_ERR_HW_SEQUENCE};

static const fault tiles = {"keeps more tiles than the array holds", keep_too_much,
                            FP8RT_ERR_HW_SEQUENCE};

static const fault bus[] = {
    {"A answered SLVERR", a_slverr, FP8RT_ERR_HW_READ_SLVERR},
    {"A answered DECERR", a_decerr, FP8RT_ERR_HW_READ_DECERR},
    {"B answered SLVERR", b_slverr, FP8RT_ERR_HW_READ_SLVERR},
    {"scales of A answered SLVERR", scale_a_slverr, FP8RT_ERR_HW_READ_SLVERR},
    {"scales of B answered DECERR", scale_b_decerr, FP8RT_ERR_HW_READ_DECERR},
    {"bias answered DECERR", bias_decerr, FP8RT_ERR_HW_READ_DECERR},
    {"D answered SLVERR", d_slverr, FP8RT_ERR_HW_WRITE_SLVERR},
    {"D answered DECERR", d_decerr, FP8RT_ERR_HW_WRITE_DECERR},
};

// ---- the three commands -------------------------------------------------------------------------

static fp8rt_command command(const bench *b, unsigned index)
{
    fp8rt_command tile = b->good;
    tile.d.addr = (uintptr_t)b->d[index];
    tile.tag = (uint16_t)(100 + index);
    memset(b->d[index], UNWRITTEN, D_BYTES);
    return tile;
}

static bool is_unwritten(const uint8_t *d)
{
    for (unsigned i = 0; i < D_BYTES; i++) {
        if (d[i] != UNWRITTEN) {
            return false;
        }
    }
    return true;
}

static bool is_refused(fp8rt_device *dev, const bench *b, fp8rt_status expected)
{
    return fp8rt_device_wait(dev) == expected && fp8rt_device_submit(dev, &b->good) == expected &&
           fp8rt_device_wait(dev) == expected;
}

static bool provoke(const bench *b, const fault *fault)
{
    fp8rt_device *dev = &b->f->dev;
    fp8rt_command tiles[3] = {command(b, 0), command(b, 1), command(b, 2)};
    fault->spoil(&dev->caps, &tiles[1]);
    for (unsigned i = 0; i < 3; i++) {
        fp8rt_device_push(dev, &tiles[i]);
    }
    fp8rt_status status = fp8rt_device_wait(dev);
    bool right = status == fault->expected && fp8rt_device_error_tag(dev) == tiles[1].tag &&
                 memcmp(b->d[0], b->expected, D_BYTES) == 0 && is_unwritten(b->d[1]) &&
                 is_unwritten(b->d[2]) && is_refused(dev, b, fault->expected) &&
                 is_unwritten(b->d[2]);
    if (status != fault->expected) {
        printf("     answered: %s\n", fp8rt_status_string(status));
    }
    fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR);
    return right && fp8rt_device_wait(dev) == FP8RT_OK;
}

static void run_fault(const bench *b, const fault *fault)
{
    bool right = provoke(b, fault);
    faults_count(b->f, faults_still_works(b->f) && right, fault->name);
}

// Submits more commands than the queue holds. Each takes longer than the submission of all.
static void fill_queue(const bench *b)
{
    fp8rt_device *dev = &b->f->dev;
    fp8rt_command tile = command(b, 0);
    tile.k =
        (uint32_t)dev->caps.buf_beats * dev->caps.beat_bytes; // of zeros, which nothing compares
    tile.a.stride = tile.b.stride = tile.k;
    tile.m = tile.n = 2;
    for (unsigned i = 0; i < 3u * dev->caps.queue_depth; i++) {
        fp8rt_device_push(dev, &tile);
    }
    fp8rt_status status = fp8rt_device_wait(dev);
    fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR);
    bool right = status == FP8RT_ERR_HW_QUEUE_FULL && fp8rt_device_wait(dev) == FP8RT_OK;
    faults_count(b->f, faults_still_works(b->f) && right, "queue full");
}

// The bus stops `delay` turns of a loop after the submission. The driver gives up in bounded time,
// or the command was complete before. When the bus moves again, the command has timed out. With
// `reset`, the accelerator is reset instead while the bus stands still.
static bool stop_bus(const bench *b, uint32_t delay, bool reset)
{
    fp8rt_device *dev = &b->f->dev;
    const fp8rt_command tile = command(b, 0);
    fp8rt_device_push(dev, &tile);
    for (uint32_t i = 0; i < delay; i++) {
        __asm__ volatile("");
    }
    fp8rt_app_stop_bus(true);
    fp8rt_status stopped = reset ? fp8rt_device_reset(dev) : fp8rt_device_wait(dev);
    bool refused = fp8rt_device_submit(dev, &tile) != FP8RT_OK;
    fp8rt_app_stop_bus(false);
    fp8rt_status moving = fp8rt_device_wait(dev);
    bool cleared = fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR) == FP8RT_OK;
    bool complete = memcmp(b->d[0], b->expected, D_BYTES) == 0;
    bool late = stopped == FP8RT_OK && complete;
    bool right = stopped == FP8RT_ERR_SILENT && refused &&
                 moving == (reset ? FP8RT_OK : FP8RT_ERR_HW_TIMEOUT);
    return (right || (late && delay > 0)) && cleared && fp8rt_device_wait(dev) == FP8RT_OK;
}

static void run_silence(const bench *b)
{
    fp8rt_device *dev = &b->f->dev;
    fp8rt_device_watchdog(dev, 1000);
    bool right = true, right_reset = true;
    for (uint32_t delay = 0; delay < 100; delay += 7) {
        right = stop_bus(b, delay, false) && faults_still_works(b->f) && right;
        right_reset = stop_bus(b, delay, true) && faults_still_works(b->f) && right_reset;
    }
    faults_count(b->f, right, "the bus stops");
    faults_count(b->f, right_reset, "reset while the bus stands still");
    fp8rt_device_watchdog(dev, FP8MAC_REGS__WATCHDOG__CYCLES_reset);
}

// ---- what only some elements have not -----------------------------------------------------------

// The first of two chained commands keeps its accumulators. The second is spoilt: it must fail and
// write nothing.
// The second command of a chain, with something that the first one has not
typedef void breaker(fp8rt_command *second);

static void other_shape(fp8rt_command *second)
{
    second->mode.pass_shape ^= FP8MAC_PASS_SQUARE;
}
static void chained_accumulator(fp8rt_command *second)
{
    second->mode.acc_fmt = !second->mode.acc_fmt;
}
static void other_exponent(fp8rt_command *second)
{
    second->b.scale_exp = 1;
}
static void other_format(fp8rt_command *second)
{
    second->a.fmt ^= FP8MAC_E4M3FNUZ;
}

static void break_chain(const bench *b, const char *name, breaker *break_second)
{
    fp8rt_device *dev = &b->f->dev;
    fp8rt_command first = command(b, 0), second = command(b, 1);
    first.m = second.m = first.n = second.n = 1;
    first.mode.acc_keep = true;
    second.mode.acc_continue = true;
    break_second(&second);
    fp8rt_device_push(dev, &first);
    fp8rt_device_push(dev, &second);
    fp8rt_status status = fp8rt_device_wait(dev);
    bool right = status == FP8RT_ERR_HW_SEQUENCE && fp8rt_device_error_tag(dev) == second.tag &&
                 is_unwritten(b->d[0]) && is_unwritten(b->d[1]);
    if (status != FP8RT_ERR_HW_SEQUENCE) {
        printf("     answered: %s\n", fp8rt_status_string(status));
    }
    fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR);
    faults_count(b->f, faults_still_works(b->f) && right, name);
}

static void run_element(const bench *b)
{
    const fp8rt_element *element = &b->f->dev.caps.element;
    bool both =
        fp8rt_element_has(element, FP8MAC_ACC_FP32) && fp8rt_element_has(element, FP8MAC_ACC_FP16);
    if (!both) {
        run_fault(b, &one_accumulator);
    } else {
        faults_skip(b->f, one_accumulator.name, "it has both");
    }
    for (size_t i = 0; i < sizeof e4m3_alone / sizeof e4m3_alone[0]; i++) {
        if (!element->e5m2) {
            run_fault(b, &e4m3_alone[i]);
        } else {
            faults_skip(b->f, e4m3_alone[i].name, "the array takes it");
        }
    }
    for (size_t i = 0; !element->int8 && i < sizeof fp8_alone / sizeof fp8_alone[0]; i++) {
        run_fault(b, &fp8_alone[i]);
    }
    for (size_t i = 0; element->int8 && i < sizeof int8_alone / sizeof int8_alone[0]; i++) {
        run_fault(b, &int8_alone[i]);
    }
    for (size_t i = 0; i < sizeof other_formats / sizeof other_formats[0]; i++) {
        if (!element->int8) {
            run_fault(b, &other_formats[i]);
        } else {
            faults_skip(b->f, other_formats[i].name, "there is one format");
        }
    }
    break_chain(b, "chain of another pass shape", other_shape);
    if (both) {
        break_chain(b, "chain of another accumulator", chained_accumulator);
    }
    if (!fp8rt_element_has(element, FP8MAC_ACC_FIXED)) {
        return;
    }
    break_chain(b, "fixed-point chain of another scaling exponent", other_exponent);
    break_chain(b, "fixed-point chain of another format", other_format);
}

// MX scales, of an array that has them or not
static void run_scales(const bench *b)
{
    const bool has = (b->f->dev.caps.functions & FP8MAC_FUNCTION_MX) != 0;
    for (size_t i = 0; i < sizeof scaled_blocks / sizeof scaled_blocks[0]; i++) {
        const fault *fault = &scaled_blocks[i];
        if (!has) {
            faults_skip(b->f, fault->name, "the array has no MX scales");
        } else if (fault->expected == FP8RT_ERR_HW_READ_SLVERR && fp8rt_app_slverr_address == 0) {
            faults_skip(b->f, fault->name, "the host build has no SLVERR");
        } else {
            run_fault(b, fault);
        }
    }
    if (has) {
        faults_skip(b->f, no_scales.name, "it has them");
    } else {
        run_fault(b, &no_scales);
    }
}

static void *take(faults *f, size_t bytes)
{
    return fp8rt_arena_alloc(&f->arena, bytes);
}

// Sets the operands, and the expected D of the good command.
static bool prepare(bench *b)
{
    faults *f = b->f;
    const fp8mac_format_id format = fp8rt_element_format(&f->dev.caps.element);
    fp8rt_random random = fp8rt_random_seed(1);
    uint8_t *a = take(f, ROWS_M * STRIDE), *second = take(f, ROWS_N * STRIDE);
    for (unsigned i = 0; i < 3; i++) {
        b->d[i] = take(f, D_BYTES);
    }
    if (a == NULL || second == NULL || b->d[2] == NULL) {
        return false;
    }
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, format, a, ROWS_M * STRIDE);
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, format, second, ROWS_N * STRIDE);
    b->good = (fp8rt_command){.a.addr = (uintptr_t)a,
                              .b.addr = (uintptr_t)second,
                              .m = ROWS_M,
                              .n = ROWS_N,
                              .k = DEPTH,
                              .a.stride = STRIDE,
                              .b.stride = STRIDE,
                              .d.stride = STRIDE,
                              .a.scale = ONE,
                              .b.scale = ONE,
                              .d.scale = ONE,
                              .d.fmt = FP8MAC_FP32};
    fp8rt_set_formats(&b->good, &f->dev.caps.element, format, format);
    const fp8rt_command tile = command(b, 0);
    bool ran =
        fp8rt_device_submit(&f->dev, &tile) == FP8RT_OK && fp8rt_device_wait(&f->dev) == FP8RT_OK;
    memcpy(b->expected, b->d[0], D_BYTES);
    return ran && !is_unwritten(b->d[0]);
}

void faults_run_commands(faults *f)
{
    static bench b;
    const fp8rt_arena start = f->arena;
    b.f = f;
    faults_count(f, prepare(&b) && faults_still_works(f), "a good command");
    for (size_t i = 0; i < sizeof illegal / sizeof illegal[0]; i++) {
        run_fault(&b, &illegal[i]);
    }
    run_element(&b);
    run_scales(&b);
    const fp8rt_caps *caps = &f->dev.caps;
    if (caps->block > 1) {
        run_fault(&b, &blocks);
    } else {
        faults_skip(f, blocks.name, "every k is whole blocks of one");
    }
    if (most(caps, caps->rows) / caps->rows * (most(caps, caps->cols) / caps->cols) >
        caps->acc_tiles) {
        run_fault(&b, &tiles);
    } else {
        faults_skip(f, tiles.name, "it holds every command's");
    }
    for (size_t i = 0; i < sizeof bus / sizeof bus[0]; i++) {
        if (fp8rt_app_slverr_address != 0 || bus[i].expected == FP8RT_ERR_HW_READ_DECERR ||
            bus[i].expected == FP8RT_ERR_HW_WRITE_DECERR) {
            run_fault(&b, &bus[i]);
        } else {
            faults_skip(f, bus[i].name, "the host build has no SLVERR");
        }
    }
    if (!fp8rt_app_is_host) {
        fill_queue(&b);
        run_silence(&b);
    } else {
        faults_skip(f, "the bus stops", "the host build has no bus");
        faults_skip(f, "queue full", "the golden model runs a command when it is submitted");
    }
    f->arena = start;
}
