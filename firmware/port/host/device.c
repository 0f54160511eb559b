// SPDX-License-Identifier: Apache-2.0
// The golden model behind the device interface. A command runs when it is submitted, one tile
// command after the other. The
// model computes steps and epilogue. This file does what the accelerator does around them: buffers,
// chains of commands, reuse, errors.
#include <string.h>

#include "array.h"
#include "backend.h"
#include "command_words.h"
#include "element_model.h"
#include "fp32_bits.h"
#include "fp8mac/fp8mac.h"
#include "fp8rt/registers.h"
#include "host_memory.h"
#include "network_image.h"
#include "rows.h"
#include "side.h"
#include "stamp.h"
#include "tile_check.h"

fp8rt_status fp8rt_backend_open(fp8rt_device *dev)
{
    memset(&dev->state, 0, sizeof dev->state);
    return fp8rt_host_array(&dev->caps) && fp8rt_host_fault_read(&dev->state.fault)
               ? FP8RT_OK
               : FP8RT_ERR_NO_DEVICE;
}

// ---- one tile command --------------------------------------------------------------------------------

// How the tile command computes.
typedef struct work {
    const fp8rt_command *tile;
    uint32_t first_m, first_n;
    bool stochastic;
    fp8mac_dot_config dot;
    fp8mac_epilogue epilogue;
    uint32_t d_bytes;
    bool continues, keeps, elementwise, reads_c, mx;
    bool requantises; // in place of the epilogue
    fp8mac_requantise requantise;
} work;

static fp8mac_epilogue epilogue_of(const fp8rt_command *tile)
{
    return (fp8mac_epilogue){
        .has_bias = FP8RT_GET(MODE__BIAS_EN, tile->mode) != 0,
        .activation = (fp8mac_activation)FP8RT_GET(MODE__ACT, tile->mode),
        .clamp_lo = fp8rt_fp32_from_bits(tile->clamp_lo),
        .clamp_hi = fp8rt_fp32_from_bits(tile->clamp_hi),
        .d_format = fp8mac_format_get((fp8mac_format_id)FP8RT_GET(MODE__D_FMT, tile->mode)),
        .d_mode = {.overflow = (fp8mac_overflow)FP8RT_GET(MODE__OVERFLOW, tile->mode)},
        .scale_d = fp8rt_fp32_from_bits(tile->scale_d),
        .beta = fp8rt_host_reads_c(tile) ? fp8rt_fp32_from_bits(tile->beta) : 0.0f,
        .multiply =
            FP8RT_GET(OPERATION__OP, fp8rt_host_operation(tile)) == FP8RT_OPERATION_MULTIPLY,
        .maximum = FP8RT_GET(OPERATION__MAXIMUM, fp8rt_host_operation(tile)) != 0,
    };
}

static fp8mac_requantise requantise_of(const fp8rt_command *tile)
{
    const bool clamps = FP8RT_GET(MODE__ACT, tile->mode) == FP8MAC_ACT_CLAMP;
    return (fp8mac_requantise){
        .zero_point = (int32_t)tile->scale_d,
        .lo = clamps ? (int32_t)tile->clamp_lo : INT8_MIN,
        .hi = clamps ? (int32_t)tile->clamp_hi : INT8_MAX,
    };
}

static work work_of(const fp8rt_device *dev, const fp8rt_host_tile *host_tile)
{
    const fp8rt_caps *caps = &dev->caps;
    const fp8rt_command *tile = &host_tile->command;
    const uint32_t operation = fp8rt_host_operation(tile);
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, operation);
    const bool requantises = (caps->functions & FP8RT_FUNCTION_REQUANTISE) != 0;
    work w = {
        .tile = tile,
        .first_m = host_tile->first_m,
        .first_n = host_tile->first_n,
        .stochastic = FP8RT_GET(OPERATION__ROUNDING, operation) != 0,
        .epilogue = epilogue_of(tile),
        .requantises = requantises,
        .requantise = requantises ? requantise_of(tile) : (fp8mac_requantise){0},
    };
    w.epilogue.d_table = table != 0 ? dev->state.tables[table - 1u] : NULL;
    w.dot = (fp8mac_dot_config){
        .group = caps->lanes,
        .a.scale_exp = tile->a.scale_exp,
        .b.scale_exp = tile->b.scale_exp,
    };
    fp8rt_element_model(fp8rt_element_encode(&caps->element), tile->mode, &w.dot);
    w.continues = FP8RT_GET(MODE__ACC_CONTINUE, tile->mode) != 0;
    w.keeps = FP8RT_GET(MODE__ACC_KEEP, tile->mode) != 0;
    w.elementwise = fp8rt_host_elementwise(tile);
    w.mx = fp8rt_host_mx(tile);
    w.reads_c = !w.keeps && fp8rt_host_reads_c(tile);
    if (!w.keeps) {
        w.d_bytes = fp8mac_format_bytes(w.epilogue.d_format);
    }
    return w;
}

static uint32_t beats(const fp8rt_caps *caps, uint32_t bytes)
{
    return (bytes + caps->beat_bytes - 1u) / caps->beat_bytes;
}

static fp8rt_host_operand *buffers_of(fp8rt_device *dev, fp8rt_host_side side)
{
    return side.is_b ? &dev->state.b : &dev->state.a;
}

// The rows of a buffer, `bytes` each, from rows in memory that begin at byte `first` of a beat.
// `part` is the part of A with their faults.
static void load_rows(fp8rt_device *dev, fp8rt_host_side side, fp8rt_host_part part,
                      uint8_t *buffer, uintptr_t address, uint32_t stride, uint32_t first,
                      uint32_t bytes)
{
    const uint32_t rams = fp8rt_host_row_rams(&dev->caps, side.is_b);
    for (uint32_t r = 0; r < side.code_rows; r++) {
        uint8_t *row = buffer + (size_t)r * bytes;
        memcpy(row, fp8rt_host_at(address + (size_t)r * stride + first, bytes), bytes);
        fp8rt_host_stuck_bytes(&dev->state.fault, fp8rt_host_part_of(part, side.is_b),
                               r & (rams - 1u), dev->caps.beat_bytes, first, row, bytes);
    }
    dev->state.counters.read_beats += side.code_rows * beats(&dev->caps, first + bytes);
}

// The code of an image operand that the registers CONV_LINE .. CONV_PAD place at row r and code k.
static uint8_t image_code(const fp8rt_command *tile, uint32_t r, uint32_t k)
{
    const uint32_t *w = tile->conv;
    const uint32_t out_w = FP8RT_GET(CONV_SIZE__OUT_W, w[1]),
                   segment = FP8RT_GET(CONV_SEGMENT__BYTES, w[2]);
    const uint32_t line =
        segment * FP8RT_GET(CONV_SEGMENT__SEGMENTS, w[2]); // codes of a kernel line
    const int64_t y = (int64_t)(r / out_w) * FP8RT_GET(CONV_LINES__STEP_Y, w[4]) +
                      (int64_t)(k / line) * FP8RT_GET(CONV_LINES__DIL_Y, w[4]) -
                      FP8RT_GET(CONV_LINES__PAD_TOP, w[4]);
    const int64_t x = (int64_t)(r % out_w) * FP8RT_GET(CONV_STEP__STEP_X, w[3]) +
                      (int64_t)(k % line / segment) * FP8RT_GET(CONV_STEP__SEGMENT_STEP, w[3]) +
                      k % segment - FP8RT_GET(CONV_PAD__PAD_LEFT, w[5]);
    if (y < 0 || y >= FP8RT_GET(CONV_SIZE__HEIGHT, w[1]) || x < 0 ||
        x >= FP8RT_GET(CONV_LINE__WIDTH, w[0])) {
        return 0;
    }
    return *fp8rt_host_at(tile->a.address + (size_t)y * tile->a.stride + (size_t)x, 1);
}

// A depthwise command has the rows of A for each quad of channels, or for each group of half a quad with pairs.
typedef struct quads {
    uint32_t count, codes; // of each pixel
} quads;

static quads quads_of(const fp8rt_caps *caps, const fp8rt_command *tile)
{
    const uint32_t codes = fp8rt_host_pairs(tile) ? caps->cols / 2u : caps->cols;
    return fp8rt_host_depthwise(tile) ? (quads){(tile->n + codes - 1u) / codes, codes}
                                      : (quads){1, 0};
}

// The code of all that a quad's code k is
static uint32_t code_of_quad(const fp8rt_caps *caps, const quads *q, uint32_t quad, uint32_t k)
{
    return q->codes == 0 ? k : k / q->codes * caps->beat_bytes + quad * q->codes + k % q->codes;
}

// The beats that the accelerator reads of an image depend on which rows it reads together. They are
// counted as if each row were read alone and without padding.
static void load_image(fp8rt_device *dev, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = &host_tile->command;
    const quads q = quads_of(&dev->caps, tile);
    for (uint32_t quad = 0; quad < q.count; quad++) {
        for (uint32_t r = 0; r < tile->m; r++) {
            uint8_t *row = dev->state.a.codes + ((size_t)quad * tile->m + r) * tile->k;
            for (uint32_t k = 0; k < tile->k; k++) {
                row[k] = image_code(tile, host_tile->a_row + r,
                                    code_of_quad(&dev->caps, &q, quad, host_tile->a_k + k));
            }
        }
    }
    dev->state.counters.read_beats += tile->m * beats(&dev->caps, tile->k) * q.count;
}

// MX scales come in whole beats, which begin before the chunk's first scale.
static void load_operand(fp8rt_device *dev, const work *w, const fp8rt_host_tile *host_tile,
                         fp8rt_host_side side)
{
    const fp8rt_command *tile = w->tile;
    const fp8rt_command_operand *x = side.operand;
    fp8rt_host_operand *to = buffers_of(dev, side);
    if (!w->elementwise && !side.reused) {
        if (fp8rt_host_conv_a(tile) && !side.is_b) {
            load_image(dev, host_tile);
        } else {
            load_rows(dev, side, FP8RT_HOST_PART_A, to->codes, x->address, x->stride, 0, tile->k);
        }
        if (w->mx) {
            load_rows(dev, side, FP8RT_HOST_PART_MX_A, to->mx, x->mx, x->mx_stride,
                      host_tile->mx_first, fp8rt_host_blocks(tile));
        }
    }
    if (!w->keeps && side.scale_is_vector) {
        dev->state.counters.read_beats +=
            beats(&dev->caps, side.rows * fp8rt_host_scale_bytes(&dev->caps, side.is_b));
    }
}

static void load(fp8rt_device *dev, const work *w, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = w->tile;
    const uint32_t bias = FP8RT_GET(MODE__BIAS_EN, tile->mode) * beats(&dev->caps, tile->n * 4u);
    const uint32_t c_row = tile->n * fp8rt_host_c_bytes(tile),
                   x_row = tile->n * fp8rt_host_x_bytes(tile);
    dev->state.counters.read_beats += w->reads_c ? tile->m * beats(&dev->caps, c_row) : 0;
    dev->state.counters.read_beats += w->elementwise ? tile->m * beats(&dev->caps, x_row) : 0;
    dev->state.counters.read_beats += w->keeps ? 0 : bias;
    load_operand(dev, w, host_tile, fp8rt_host_a(tile));
    load_operand(dev, w, host_tile, fp8rt_host_b(tile));
}

// The bytes at an address, as they arrive
static uint32_t arriving(const fp8rt_device *dev, fp8rt_host_part part, uintptr_t address,
                         uint32_t bytes)
{
    uint8_t byte[4] = {0};
    memcpy(byte, fp8rt_host_at(address, bytes), bytes);
    fp8rt_host_stuck_bytes(&dev->state.fault, part, 0, dev->caps.beat_bytes, (uint32_t)address,
                           byte, bytes);
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

static uint32_t float_at(const fp8rt_device *dev, fp8rt_host_part part, uintptr_t address,
                         uint32_t index)
{
    return arriving(dev, part, address + (size_t)index * 4u, 4);
}

static uint32_t scale_at(const fp8rt_device *dev, fp8rt_host_side side, uint32_t row)
{
    const fp8rt_host_part part = fp8rt_host_part_of(FP8RT_HOST_PART_SCALE_A, side.is_b);
    return side.scale_is_vector ? float_at(dev, part, side.operand->scale, row)
                                : (uint32_t)side.operand->scale;
}

// The FP32 value of an element of C or X
static uint32_t value_at(const fp8rt_device *dev, fp8rt_host_part part, uintptr_t address,
                         uint32_t stride, uint32_t m, uint32_t n, uint32_t format)
{
    const fp8mac_format *f = fp8mac_format_get((fp8mac_format_id)format);
    const uint32_t bytes = fp8mac_format_bytes(f);
    const uint32_t code =
        arriving(dev, part, address + (size_t)m * stride + (size_t)n * bytes, bytes);
    fp8mac_convert_mode ieee = {.overflow = FP8MAC_OVERFLOW_IEEE};
    return fp8mac_encode(fp8mac_format_get(FP8MAC_FP32), fp8mac_decode(f, code), ieee, NULL);
}

static uint32_t c_at(const fp8rt_device *dev, const work *w, uint32_t m, uint32_t n)
{
    const uint32_t format = FP8RT_GET(OPERATION__C_FMT, fp8rt_host_operation(w->tile));
    return w->reads_c
               ? value_at(dev, FP8RT_HOST_PART_C, w->tile->c, w->tile->c_stride, m, n, format)
               : 0;
}

static uint32_t x_at(fp8rt_device *dev, const work *w, uint32_t m, uint32_t n)
{
    const uint32_t format = FP8RT_GET(OPERATION__X_FMT, fp8rt_host_operation(w->tile));
    const uint32_t x =
        value_at(dev, FP8RT_HOST_PART_X, w->tile->a.address, w->tile->a.stride, m, n, format);
    dev->state.observed.flags |= fp8rt_fp32_is_nan(x) ? FP8MAC_FLAG_NAN : 0;
    return x;
}

enum { RANDOM_BITS = 16 }; // of an output that is rounded stochastically

// What a column of the products gives: the output at row m and column n, `row` rows of D from the tile command's address
typedef struct output {
    uint32_t m, n, row;
    bool given;
} output;

static output output_of(const fp8rt_device *dev, const work *w, uint32_t m, uint32_t column)
{
    const uint32_t cols = dev->caps.cols, each = cols / 2u, row = w->first_m + m;
    if (!fp8rt_host_pairs(w->tile)) {
        return (output){m, column, m, true};
    }
    const uint32_t second = column % cols / each;
    return (output){m, column / cols * each + column % each,
                    fp8rt_host_pair_row(w->tile, row, second),
                    second == 0 || row < w->tile->c_stride};
}

static void store(fp8rt_device *dev, const work *w, uint32_t d, const output *to)
{
    const fp8rt_command *tile = w->tile;
    const uintptr_t address =
        tile->d + (size_t)to->row * tile->d_stride + (size_t)to->n * w->d_bytes;
    uint8_t *out = fp8rt_host_at(address, w->d_bytes);
    for (uint32_t i = 0; i < w->d_bytes; i++) {
        out[i] = (uint8_t)(d >> 8 * i);
    }
    fp8rt_host_stuck_bytes(&dev->state.fault, FP8RT_HOST_PART_D, 0, dev->caps.beat_bytes,
                           (uint32_t)address, out, w->d_bytes);
}

// The integer scale of column n
static fp8mac_int_scale int_scale_at(const fp8rt_device *dev, const fp8rt_command *tile, uint32_t n)
{
    if (!fp8rt_host_b(tile).scale_is_vector) {
        return (fp8mac_int_scale){(int32_t)tile->b.scale, (int32_t)tile->a.scale};
    }
    return (fp8mac_int_scale){
        (int32_t)float_at(dev, FP8RT_HOST_PART_SCALE_B, tile->b.scale, 2u * n),
        (int32_t)float_at(dev, FP8RT_HOST_PART_SCALE_B, tile->b.scale, 2u * n + 1u)};
}

// `sum` in two's complement
static void requantise(fp8rt_device *dev, const work *w, uint32_t sum, const output *to)
{
    const fp8rt_command *tile = w->tile;
    const uint32_t n = to->n;
    const uint32_t bias =
        w->epilogue.has_bias ? float_at(dev, FP8RT_HOST_PART_BIAS, tile->bias, n) : 0;
    uint32_t d = sum + bias;
    if (w->d_bytes == 1) {
        d = (uint8_t)fp8mac_requantise_apply(&w->requantise, (int32_t)sum, (int32_t)bias,
                                             int_scale_at(dev, tile, n));
        d = w->epilogue.d_table != NULL ? w->epilogue.d_table[d] : d;
    }
    store(dev, w, d, to);
}

static void finish(fp8rt_device *dev, const work *w, uint32_t t0, const output *to)
{
    const fp8rt_command *tile = w->tile;
    const uint32_t m = to->m, n = to->n;
    fp8rt_observed *seen = &dev->state.observed;
    const uint32_t scale_a = scale_at(dev, fp8rt_host_a(tile), m),
                   scale_b = scale_at(dev, fp8rt_host_b(tile), n);
    uint32_t bias = w->epilogue.has_bias ? float_at(dev, FP8RT_HOST_PART_BIAS, tile->bias, n) : 0;
    uint32_t c = c_at(dev, w, m, n), d;
    if (w->stochastic) {
        uint32_t r = fp8mac_simon_bits(tile->seed, w->first_m + m, w->first_n + n, RANDOM_BITS);
        d = fp8mac_epilogue_apply_random(&w->epilogue, r, RANDOM_BITS, t0, scale_a, scale_b, bias,
                                         c, &seen->amax, &seen->amax_nonfinite, &seen->flags);
    } else {
        d = fp8mac_epilogue_apply(&w->epilogue, t0, scale_a, scale_b, bias, c, &seen->amax,
                                  &seen->amax_nonfinite, &seen->flags);
    }
    store(dev, w, d, to);
}

static fp8mac_acc *kept_acc(fp8rt_device *dev, uint32_t m, uint32_t n)
{
    return &dev->state.acc[m * dev->caps.max_mn + n];
}

// An element's result, with the faults that it may have.
static uint32_t stuck_result(const fp8rt_device *dev, const fp8rt_command *tile, uint32_t m,
                             uint32_t n, uint32_t t0)
{
    const fp8rt_host_fault *fault = &dev->state.fault;
    if (fault->part == FP8RT_HOST_PART_FORMAT) {
        t0 = fp8rt_host_stuck(fault, FP8RT_HOST_PART_FORMAT, fp8rt_host_a(tile).format, 0, t0);
        return fp8rt_host_stuck(fault, FP8RT_HOST_PART_FORMAT, fp8rt_host_b(tile).format, 1, t0);
    }
    return fp8rt_host_stuck(fault, FP8RT_HOST_PART_ARRAY, m & (dev->caps.rows - 1u),
                            n & (dev->caps.cols - 1u), t0);
}

static fp8mac_dot_terms terms_of(const fp8rt_command *tile, const fp8rt_host_operand *buffers,
                                 uint32_t row)
{
    return (fp8mac_dot_terms){.codes = buffers->codes + (size_t)row * tile->k,
                              .mx = buffers->mx + (size_t)row * fp8rt_host_blocks(tile)};
}

static void compute_output(fp8rt_device *dev, const work *w, uint32_t m, uint32_t n)
{
    const fp8rt_command *tile = w->tile;
    const output to = output_of(dev, w, m, n);
    if (w->elementwise) {
        finish(dev, w, x_at(dev, w, m, n), &to);
        return;
    }
    fp8mac_acc acc = w->continues ? *kept_acc(dev, m, n) : (fp8mac_acc){0};
    const uint32_t first = fp8rt_host_depthwise(tile) ? n / dev->caps.cols * tile->m : 0;
    const fp8mac_dot_terms a = terms_of(tile, &dev->state.a, first + m),
                           b = terms_of(tile, &dev->state.b, n);
    if (w->mx) {
        fp8mac_dot_mx(&w->dot, &acc, a, b, tile->k, &dev->state.observed.flags);
    } else {
        fp8mac_dot(&w->dot, &acc, a.codes, b.codes, tile->k, &dev->state.observed.flags);
    }
    if (w->keeps) {
        *kept_acc(dev, m, n) = acc;
    } else if (!to.given) {
        (void)fp8mac_acc_to_fp32(&w->dot, &acc, &dev->state.observed.flags);
    } else if (w->requantises) {
        requantise(dev, w, stuck_result(dev, tile, m, n, acc.code), &to);
    } else {
        const uint32_t t0 = fp8mac_acc_to_fp32(&w->dot, &acc, &dev->state.observed.flags);
        finish(dev, w, stuck_result(dev, tile, m, n, t0), &to);
    }
}

static void leave(fp8rt_device_state *state, const work *w, uint32_t mx_first)
{
    state->mx = w->mx;
    state->depthwise = fp8rt_host_depthwise(w->tile);
    state->pairs = fp8rt_host_pairs(w->tile);
    state->mx_first = mx_first;
    state->terms = (w->continues ? state->terms : 0) + w->tile->k;
    state->before = !w->elementwise;
    state->kept = w->keeps;
    state->m = w->tile->m;
    state->n = w->tile->n;
    state->k = w->tile->k;
    state->mode = w->tile->mode;
    state->a.scale_exp = w->tile->a.scale_exp;
    state->b.scale_exp = w->tile->b.scale_exp;
}

static void run(fp8rt_device *dev, const fp8rt_host_tile *host_tile)
{
    const fp8rt_command *tile = &host_tile->command;
    const work w = work_of(dev, host_tile);
    const uint32_t columns = fp8rt_host_columns(tile);
    load(dev, &w, host_tile);
    for (uint32_t m = 0; m < tile->m; m++) {
        for (uint32_t n = 0; n < columns; n++) {
            compute_output(dev, &w, m, n);
        }
    }
    dev->state.counters.macs += w.elementwise ? 0 : (uint64_t)tile->m * columns * tile->k;
    if (!w.keeps) {
        const uint32_t rows = tile->m + fp8rt_host_seconds(tile, w.first_m);
        dev->state.counters.write_beats += rows * beats(&dev->caps, tile->n * w.d_bytes);
    }
    leave(&dev->state, &w, host_tile->mx_first);
}

// ---- the interface ------------------------------------------------------------------------------

static fp8rt_status error_of(const fp8rt_device *dev)
{
    return dev->state.error == 0 ? FP8RT_OK : (fp8rt_status)(FP8RT_ERR_HW + dev->state.error);
}

static bool fail(fp8rt_device *dev, const fp8rt_command *command, fp8rt_status status)
{
    dev->state.error = (uint16_t)(status - FP8RT_ERR_HW);
    dev->state.error_tag = command->tag;
    dev->state.error_event = true;
    return false;
}

static bool run_tile(void *context, const fp8rt_host_tile *tile)
{
    fp8rt_device *dev = context;
    fp8rt_host_tile shaped = *tile;
    shaped.command.mode = fp8rt_host_pass_shape(&dev->caps, &tile->command);
    fp8rt_status status = fp8rt_host_tile_check(dev, &shaped);
    if (status == FP8RT_OK) {
        run(dev, &shaped);
        return true;
    }
    return fail(dev, &tile->command, status);
}

// OPERATION.load_table
static fp8rt_status load_table(fp8rt_device *dev, const fp8rt_command *command)
{
    const uint32_t operation = fp8rt_host_operation(command);
    const uint32_t table = FP8RT_GET(OPERATION__ACT_TABLE, operation);
    if (FP8RT_GET(OPERATION__LOAD_TABLE, operation) == 0) {
        return FP8RT_OK;
    }
    if ((dev->caps.functions & FP8RT_FUNCTION_TABLES) == 0 || table == 0 || table > FP8RT_TABLES) {
        return FP8RT_ERR_HW_MODE;
    }
    if ((command->table & (dev->caps.beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_HW_ALIGNMENT;
    }
    if (command->table > UINTPTR_MAX - (FP8RT_TABLE_CODES - 1u)) {
        return FP8RT_ERR_HW_RANGE;
    }
    fp8rt_backend_load_table(dev, table, fp8rt_host_at(command->table, FP8RT_TABLE_CODES));
    dev->state.counters.read_beats += (uint32_t)FP8RT_TABLE_CODES / dev->caps.beat_bytes;
    return FP8RT_OK;
}

static void run_command(fp8rt_device *dev, const fp8rt_command *command)
{
    const fp8rt_status loaded = load_table(dev, command);
    if (loaded != FP8RT_OK) {
        fail(dev, command, loaded);
        return;
    }
    if (!fp8rt_host_is_rows(command)) {
        fp8rt_host_walk(&dev->caps, command, run_tile, dev);
        return;
    }
    const fp8rt_status status = fp8rt_host_rows(dev, command);
    if (status != FP8RT_OK) {
        fail(dev, command, status);
    }
}

void fp8rt_backend_encode(const fp8rt_command *command, fp8rt_descriptor *descriptor)
{
    descriptor->command = *command;
}

fp8rt_command fp8rt_backend_decode(const fp8rt_descriptor *descriptor)
{
    return descriptor->command;
}

void fp8rt_backend_set_matrices(fp8rt_descriptor *descriptor, uintptr_t a, uintptr_t b, uintptr_t d)
{
    descriptor->command.a.address = a;
    descriptor->command.b.address = b;
    descriptor->command.d = d;
}

void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d)
{
    descriptor->command.a.scale = scale_a;
    descriptor->command.b.scale = scale_b;
    descriptor->command.bias = bias;
    descriptor->command.scale_d = scale_d;
}

void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta)
{
    descriptor->command.beta = beta;
}

void fp8rt_backend_fetched(const fp8rt_device *dev)
{
    (void)dev;
}

fp8rt_status fp8rt_backend_room(fp8rt_device *dev)
{
    return error_of(dev);
}

fp8rt_status fp8rt_backend_wait(fp8rt_device *dev)
{
    return error_of(dev);
}

// ---- lists --------------------------------------------------------------------------------------

// The words of the command at a word of the list
static const uint32_t *listed_words(const fp8rt_network *network, uint32_t word)
{
    const uintptr_t address = (uintptr_t)(fp8rt_list_of(network) + word);
    const void *words = fp8rt_host_at(address, FP8RT_WORDS_SHORT * sizeof(uint32_t));
    return (const void *)fp8rt_host_at(address, fp8rt_words_count(words) * sizeof(uint32_t));
}

// The command that they are, with addresses as the host has them: a word holds the low bits of symbol + offset.
static fp8rt_command listed_command(const fp8rt_network *network, uint32_t word,
                                    const uint32_t *words)
{
    fp8rt_command command = fp8rt_command_of_words(words);
    fp8rt_address addresses[FP8RT_ADDRESSES_MOST];
    const unsigned count = fp8rt_command_addresses(&command, addresses);
    const uint32_t *note = fp8rt_notes_of(network);
    for (unsigned i = 0; i < count; i++) {
        while (note != fp8rt_notes_end(network) &&
               (fp8rt_note_kind_of(*note) != FP8RT_NOTE_RELOCATION ||
                fp8rt_note_word(*note) != word + addresses[i].word)) {
            note += fp8rt_note_words(*note);
        }
        if (note != fp8rt_notes_end(network)) {
            const uintptr_t base = network->bases[fp8rt_note_symbol(*note)];
            *addresses[i].at = base + (uint32_t)(words[addresses[i].word] - (uint32_t)base);
        }
    }
    return command;
}

// Until the list pauses or ends
static void run_list(fp8rt_device *dev)
{
    fp8rt_device_state *state = &dev->state;
    bool more = true;
    state->list_paused = false;
    while (more && !state->list_paused && state->error == 0) {
        const uint32_t *words = listed_words(state->network, state->list_word);
        const uint32_t submit = words[FP8RT_WORD_SUBMIT];
        const fp8rt_command command = listed_command(state->network, state->list_word, words);
        run_command(dev, &command);
        more = (submit & FP8RT_BIT(SUBMIT__MORE)) != 0;
        if (more && state->error == 0) {
            state->list_word += fp8rt_words_stride(&dev->caps, words);
            state->list_paused = (submit & FP8RT_BIT(SUBMIT__PAUSE)) != 0;
        }
    }
    fp8rt_device_interrupt(dev);
}

void fp8rt_backend_list_start(fp8rt_device *dev, const fp8rt_network *network, uint32_t word)
{
    dev->state.network = network;
    dev->state.list_word = word;
    run_list(dev);
}

fp8rt_status fp8rt_backend_list_run(fp8rt_device *dev, const fp8rt_network *network, uint32_t first,
                                    uint32_t last)
{
    if (error_of(dev) != FP8RT_OK) {
        return error_of(dev);
    }
    fp8rt_backend_clear(dev, FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS);
    fp8rt_backend_list_start(dev, network, first);
    const fp8rt_device_state *state = &dev->state;
    return state->error == 0 && !state->list_paused && state->list_word == last ? FP8RT_OK
                                                                                : FP8RT_ERR_LATE;
}

fp8rt_list_state fp8rt_backend_list_look(const fp8rt_device *dev)
{
    return dev->state.list_paused && dev->state.error == 0 ? FP8RT_LIST_PAUSES : FP8RT_LIST_ENDED;
}

fp8rt_list_state fp8rt_backend_list_await(fp8rt_device *dev)
{
    return fp8rt_backend_list_look(dev);
}

void fp8rt_backend_list_resume(fp8rt_device *dev)
{
    run_list(dev);
}

uint32_t fp8rt_backend_list_position(const fp8rt_device *dev)
{
    return (uint32_t)(uintptr_t)(fp8rt_list_of(dev->state.network) + dev->state.list_word);
}

void fp8rt_device_pause_limit(fp8rt_device *dev, uint32_t cycles)
{
    (void)dev, (void)cycles;
}

// ---- commands with a record ---------------------------------------------------------------------

static uint32_t record_of(uint16_t tag)
{
    return tag % FP8RT_HOST_RECORDS;
}

// The command runs here. One with a record has flags and amax of its own.
void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag)
{
    fp8rt_device_state *state = &dev->state;
    const fp8rt_observed before = state->observed;
    if (tag != 0) {
        descriptor->command.tag = tag;
        state->observed = (fp8rt_observed){0};
    }
    if (state->error == 0) {
        run_command(dev, &descriptor->command);
    }
    if (tag != 0) {
        state->records[record_of(tag)] = (fp8rt_record){error_of(dev), state->observed};
        state->observed.flags |= before.flags;
        state->observed.amax_nonfinite |= before.amax_nonfinite;
        if (before.amax > state->observed.amax) {
            state->observed.amax = before.amax;
        }
    }
    fp8rt_device_interrupt(dev); // as a handler that runs at once
}

void fp8rt_backend_lower(fp8rt_device *dev)
{
    dev->state.error_event = false;
}

bool fp8rt_backend_acknowledge(fp8rt_device *dev)
{
    const bool error = dev->state.error_event;
    dev->state.error_event = false;
    return error;
}

// Of every command that was begun
uint32_t fp8rt_backend_done(const fp8rt_device *dev)
{
    return dev->begun;
}

fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear)
{
    fp8rt_backend_clear(dev, clear);
    fp8rt_backend_submit(dev, descriptor, 0);
    return error_of(dev);
}

void fp8rt_backend_counters(const fp8rt_device *dev, fp8rt_counters *counters)
{
    *counters = dev->state.counters;
}

fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters)
{
    const fp8rt_status status = fp8rt_backend_run(dev, descriptor, clear);
    fp8rt_backend_counters(dev, counters);
    return status;
}

bool fp8rt_device_is_done(const fp8rt_device *dev, uint16_t tag)
{
    (void)dev, (void)tag;
    return true;
}

fp8rt_status fp8rt_device_await(const fp8rt_device *dev, uint16_t tag, uint32_t cycles)
{
    (void)tag, (void)cycles;
    return fp8rt_open_status(dev);
}

fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag)
{
    return dev->state.records[record_of(tag)];
}

uint16_t fp8rt_device_error_tag(const fp8rt_device *dev)
{
    return dev->state.error == 0 ? 0 : dev->state.error_tag;
}

fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what)
{
    fp8rt_device_state *state = &dev->state;
    if ((what & FP8RT_CLEAR_ERROR) && state->error != 0) {
        state->error = 0;
        state->before = false;
        state->kept = false;
    }
    if (what & FP8RT_CLEAR_ERROR) {
        state->error_event = false;
    }
    if (what & FP8RT_CLEAR_FLAGS) {
        state->observed = (fp8rt_observed){0};
    }
    if (what & FP8RT_CLEAR_COUNTERS) {
        state->counters = (fp8rt_counters){0};
    }
    return FP8RT_OK;
}

void fp8rt_backend_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    uint8_t *kept = dev->state.tables[table - 1u];
    dev->state.loaded[table - 1u] = true;
    memcpy(kept, codes, FP8RT_TABLE_CODES);
    fp8rt_host_stuck_bytes(&dev->state.fault, FP8RT_HOST_PART_TABLE, table, 4, 0, kept,
                           FP8RT_TABLE_CODES);
}

fp8rt_status fp8rt_backend_reset(fp8rt_device *dev)
{
    dev->state.error = 0;
    dev->state.list_paused = false;
    dev->state.before = false;
    dev->state.kept = false;
    return FP8RT_OK;
}

void fp8rt_device_watchdog(fp8rt_device *dev, uint32_t cycles)
{
    (void)dev, (void)cycles;
}

fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev)
{
    return dev->state.observed;
}

fp8rt_counters fp8rt_device_counters(const fp8rt_device *dev)
{
    return dev->state.counters;
}
