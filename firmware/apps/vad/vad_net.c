// SPDX-License-Identifier: Apache-2.0
#include "vad_net.h"

#include <string.h>

#include "fp8rt/arithmetic.h"
#include "fp8rt/convolution.h"
#include "fp8rt/linear.h"
#include "fp8rt/nonlinear.h"
#include "fp8rt/recurrent.h"

// The FP32 pattern of SHIFT + i is SHIFT_BITS + i for each 16-bit i: so the core makes numbers of
// samples by one addition, and the accelerator takes SHIFT off again. SHIFT = 1.5 * 2^23.
#define SHIFT_BITS UINT32_C(0x4b400000)

enum {
    ROWS = VAD_SAMPLES / VAD_HOP,
    PARTS = 3, // of a sample
};

// Of samples, whose values are integer * 2^-15, and of their codes, which so are up to 256.
#define SAMPLE_SCALE 0x1p-15f
#define CODE_SCALE 0x1p-8f

// Codes of the convolutions' outputs are value * scale. The largest output over all recordings is
// 38, in the second one, and 9 in the last one.
static const float feature_scales[VAD_CONVOLUTIONS] = {4, 4, 4, 8};
static const uint32_t strides[VAD_CONVOLUTIONS] = {1, 2, 2, 1};

// ---- memory -------------------------------------------------------------------------------------

static fp8rt_tensor tensor(const vad_net *net, fp8rt_arena *arena, uint32_t rows, uint32_t cols,
                           fp8mac_format_id format, float scale)
{
    fp8rt_tensor t = {.rows = rows, .cols = cols, .format = format, .scale = scale};
    t.stride = fp8rt_tensor_stride(&net->dev->caps, &t);
    t.data = fp8rt_arena_alloc(arena, fp8rt_tensor_bytes(&net->dev->caps, &t));
    return t;
}

static bool allocate_features(vad_net *net, fp8rt_arena *arena)
{
    uint32_t columns = VAD_COLUMNS;
    bool enough = true;
    for (int i = 0; i < VAD_CONVOLUTIONS; i++) {
        columns = (columns + strides[i] - 1) / strides[i];
        net->features[i] = tensor(net, arena, columns, vad_convolutions[i].codes.rows,
                                  FP8MAC_E4M3FN, 1.0f / feature_scales[i]);
        enough = enough && net->features[i].data != NULL;
    }
    return enough;
}

static bool allocate(vad_net *net, fp8rt_arena *arena)
{
    net->shifted = tensor(net, arena, ROWS, VAD_HOP, FP8MAC_FP32, SAMPLE_SCALE);
    net->shift = tensor(net, arena, ROWS, VAD_HOP, FP8MAC_FP32, SAMPLE_SCALE);
    net->samples = tensor(net, arena, ROWS, VAD_HOP, FP8MAC_FP32, SAMPLE_SCALE);
    net->parts = tensor(net, arena, ROWS, PARTS * VAD_HOP, FP8MAC_E4M3FN, CODE_SCALE);
    net->spectrum = tensor(net, arena, VAD_COLUMNS, VAD_IMAGINARY + VAD_BINS, FP8MAC_FP32, 1.0f);
    net->magnitudes =
        tensor(net, arena, VAD_COLUMNS, VAD_BINS, FP8MAC_E4M3FN, 1.0f / (float)VAD_MAGNITUDE_SCALE);
    net->hidden = tensor(net, arena, 1, VAD_UNITS, FP8MAC_E4M3FN, 0x1p-8f);
    net->rectified = tensor(net, arena, 1, VAD_UNITS, FP8MAC_E4M3FN, 0x1p-8f);
    net->logit = tensor(net, arena, 1, 1, FP8MAC_FP32, 1.0f);
    net->cell = tensor(net, arena, 1, VAD_UNITS, FP8MAC_FP32, 1.0f);
    return allocate_features(net, arena) && net->cell.data != NULL;
}

// ---- layers -------------------------------------------------------------------------------------

// Columns of a tensor from `first` on.
static fp8rt_tensor part_of(const fp8rt_tensor *t, uint32_t first, uint32_t cols)
{
    fp8rt_tensor part = *t;
    part.data = (uint8_t *)t->data + first * fp8mac_format_bytes(fp8mac_format_get(t->format));
    part.cols = cols;
    return part;
}

// Samples in FP32, without the shift, then as the sum of two codes.
static fp8rt_status split_samples(vad_net *net)
{
    const fp8rt_tensor *samples = &net->samples;
    fp8rt_tensor parts[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) {
        parts[i] = part_of(&net->parts, i * VAD_HOP, VAD_HOP);
    }
    const fp8rt_arithmetic_desc steps[] = {
        {.x = &net->shifted, .y = &net->shift, .factor = -1.0f, .out = &net->samples},
        {.x = samples, .out = &parts[0]},
        {.x = samples, .y = &parts[0], .factor = -1.0f, .out = &parts[1]},
        {.x = samples, .out = &parts[2]},
    };
    fp8rt_status status = FP8RT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == FP8RT_OK; i++) {
        status = fp8rt_add(&net->run, &steps[i]);
    }
    return status;
}

// A column of the spectrum is the basis times two neighbouring rows of samples.
static fp8rt_status transform(vad_net *net)
{
    const fp8rt_convolution_desc desc = {
        .x = &net->parts,
        .width = ROWS,
        .height = 1,
        .window = {.kernel_w = 2},
        .weights = &vad_fourier,
        .out = &net->spectrum,
    };
    return fp8rt_convolution(&net->run, &desc);
}

// Magnitudes are looked up for the e5m2 codes of powers, the sums of two squares.
static fp8rt_status take_magnitudes(vad_net *net)
{
    const fp8rt_tensor real = part_of(&net->spectrum, 0, VAD_BINS);
    const fp8rt_tensor imaginary = part_of(&net->spectrum, VAD_IMAGINARY, VAD_BINS);
    fp8rt_tensor powers = net->magnitudes;
    powers.format = FP8MAC_E5M2;
    const fp8rt_arithmetic_desc square = {
        .x = &net->spectrum, .y = &net->spectrum, .out = &net->spectrum};
    const fp8rt_arithmetic_desc add = {
        .x = &real,
        .y = &imaginary,
        .fused = {.coding = {.table = 1}, .table_scale = 1.0f / (float)VAD_POWER_SCALE},
        .out = &powers,
    };
    const fp8rt_status status = fp8rt_multiply(&net->run, &square);
    return status == FP8RT_OK ? fp8rt_add(&net->run, &add) : status;
}

static fp8rt_status convolve(vad_net *net)
{
    const fp8rt_tensor *x = &net->magnitudes;
    fp8rt_status status = FP8RT_OK;
    for (int i = 0; i < VAD_CONVOLUTIONS && status == FP8RT_OK; i++) {
        const fp8rt_convolution_desc desc = {
            .x = x,
            .width = x->rows,
            .height = 1,
            .window = {.kernel_w = 3, .stride_x = strides[i], .pad_left = 1, .pad_right = 1},
            .weights = &vad_convolutions[i],
            .fused = {.activation = FP8MAC_ACT_RELU},
            .out = &net->features[i],
        };
        status = fp8rt_convolution(&net->run, &desc);
        x = &net->features[i];
    }
    return status;
}

static fp8rt_status remember(vad_net *net)
{
    const fp8rt_recurrent_desc desc = {
        .x = &net->features[VAD_CONVOLUTIONS - 1],
        .input = &vad_input,
        .recurrent = &vad_recurrent,
        .hidden = &net->hidden,
        .state = &net->cell,
    };
    return fp8rt_lstm(&net->run, &desc);
}

static fp8rt_status decode(vad_net *net)
{
    const fp8rt_arithmetic_desc rectify = {
        .x = &net->hidden, .fused = {.activation = FP8MAC_ACT_RELU}, .out = &net->rectified};
    const fp8rt_linear_desc desc = {
        .x = &net->rectified, .weights = &vad_decoder, .out = &net->logit};
    const fp8rt_status status = fp8rt_add(&net->run, &rectify);
    return status == FP8RT_OK ? fp8rt_linear(&net->run, &desc) : status;
}

static fp8rt_status run_layers(vad_net *net)
{
    static fp8rt_status (*const steps[])(vad_net *) = {split_samples, transform, take_magnitudes,
                                                       convolve,      remember,  decode};
    fp8rt_status status = FP8RT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == FP8RT_OK; i++) {
        status = steps[i](net);
    }
    return status;
}

// ---- frames -------------------------------------------------------------------------------------

// The last samples of the frame before are the context of this one.
static void take_samples(vad_net *net, const int16_t *samples)
{
    uint32_t *context = net->shifted.data, *frame = context + VAD_CONTEXT, *end = frame + VAD_FRAME;
    memcpy(context, end - VAD_CONTEXT, VAD_CONTEXT * sizeof *context);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < VAD_FRAME; i++) {
        frame[i] = SHIFT_BITS + (uint32_t)samples[i];
    }
    for (uint32_t i = 0; i < VAD_REFLECTED; i++) {
        end[i] = *(end - 2 - i);
    }
}

// The layers as a list of commands, and a run with plans for a caller that profiles them one by
// one. net->run is a query of the layers.
static fp8rt_status record(vad_net *net, fp8rt_arena *arena)
{
    const fp8rt_run query = net->run;
    void *scratch = fp8rt_arena_alloc(arena, query.peak);
    void *list = fp8rt_arena_alloc(arena, query.record_bytes);
    if (scratch == NULL || list == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_recorder recorder = fp8rt_recorder_in(list, query.record_bytes);
    net->run = fp8rt_run_on(net->dev, scratch, query.peak);
    net->run.recorder = &recorder;
    fp8rt_status status = run_layers(net);
    if (status == FP8RT_OK) {
        status = fp8rt_network_record(&net->network, &net->run);
    }
    net->plans = fp8rt_plans_in(fp8rt_arena_alloc(arena, query.plan_bytes), query.plan_bytes);
    net->run = fp8rt_run_on(net->dev, scratch, query.peak);
    net->run.plans = &net->plans;
    return status;
}

fp8rt_status vad_net_open(vad_net *net, fp8rt_device *dev, fp8rt_arena *arena)
{
    *net = (vad_net){.dev = dev};
    if (!allocate(net, arena)) {
        return FP8RT_ERR_SCRATCH;
    }
    net->run = fp8rt_run_query(dev);
    fp8rt_status status = run_layers(net);
    if (status != FP8RT_OK) {
        return status;
    }
    uint32_t *shift = net->shift.data;
    for (uint32_t i = 0; i < VAD_SAMPLES; i++) {
        shift[i] = SHIFT_BITS;
    }
    vad_net_reset(net);
    status = fp8rt_device_load_table(dev, 1, vad_square_root);
    return status == FP8RT_OK ? record(net, arena) : status;
}

void vad_net_reset(vad_net *net)
{
    uint32_t *shifted = net->shifted.data;
    for (uint32_t i = 0; i < VAD_SAMPLES; i++) {
        shifted[i] = SHIFT_BITS;
    }
    memset(net->hidden.data, 0, VAD_UNITS);
    memset(net->cell.data, 0, VAD_UNITS * sizeof(float));
}

fp8rt_status vad_net_frame(vad_net *net, const int16_t *samples, float *probability)
{
    take_samples(net, samples);
    const fp8rt_status status =
        net->run.profile == NULL ? fp8rt_network_run(&net->network, NULL) : run_layers(net);
    if (status == FP8RT_OK) {
        fp8rt_interpolate(FP8RT_CURVE_SIGMOID, net->logit.data, probability, 1);
    }
    return status;
}

// ---- checksum -----------------------------------------------------------------------------------

static uint32_t add_bytes(uint32_t sum, const void *data, size_t bytes)
{
    const uint8_t *byte = data;
    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ byte[i]) * UINT32_C(16777619);
    }
    return sum;
}

// Without the padding of rows
static uint32_t add_tensor(uint32_t sum, const fp8rt_tensor *t)
{
    const uint32_t bytes = t->cols * fp8mac_format_bytes(fp8mac_format_get(t->format));
    for (uint32_t row = 0; row < t->rows; row++) {
        sum = add_bytes(sum, (const uint8_t *)t->data + row * t->stride, bytes);
    }
    return sum;
}

uint32_t vad_net_checksum(const vad_net *net, uint32_t sum)
{
    sum = add_tensor(sum, &net->magnitudes);
    for (int i = 0; i < VAD_CONVOLUTIONS; i++) {
        sum = add_tensor(sum, &net->features[i]);
    }
    sum = add_tensor(sum, &net->hidden);
    sum = add_tensor(sum, &net->cell);
    return add_tensor(sum, &net->logit);
}
