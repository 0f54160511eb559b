// SPDX-License-Identifier: Apache-2.0
// The convolutional network. Activations are FP8 with static scales of the training images.
//
//   8 x 8 x 1     image
//   8 x 8 x 16    convolution 3 x 3, ReLU
//   4 x 4 x 32    convolution 3 x 3, stride 2, ReLU
//   10            linear, of all 512 features
#include "digits_cnn.h"

#include "fp8rt/convolution.h"
#include "fp8rt/linear.h"

enum {
    SIDE = DIGITS_SIDE,
    HALF = SIDE / 2,
    HALF_PIXELS = HALF * HALF,
    KERNEL = 3,
    CHANNELS1 = 16,
    CHANNELS2 = 32,
    FEATURES = HALF_PIXELS * CHANNELS2,
};

static struct {
    fp8rt_tensor convolution1, convolution2, classes;
} tensors;

static bool allocate(digits_layered *net, uint32_t batch)
{
    const digits_cnn *data = &digits_cnn_data;
    tensors.convolution1 =
        digits_activations(net, batch * DIGITS_PIXELS, CHANNELS1, data->convolution1_amax);
    tensors.convolution2 =
        digits_activations(net, batch * HALF_PIXELS, CHANNELS2, data->convolution2_amax);
    tensors.classes = digits_tensor(net, batch, DIGITS_CLASSES, FP8MAC_FP32);
    return true;
}

static fp8rt_status convolution1(digits_layered *net)
{
    const fp8rt_convolution_desc desc = {
        .x = &net->images,
        .images = net->number,
        .height = SIDE,
        .width = SIDE,
        .pixel_bytes = 1,
        .window = {KERNEL, KERNEL, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1},
        .weights = &digits_cnn_data.convolution1,
        .fused = {.activation = FP8MAC_ACT_RELU},
        .out = &tensors.convolution1,
    };
    return fp8rt_convolution(&net->run, &desc);
}

static fp8rt_status convolution2(digits_layered *net)
{
    const fp8rt_convolution_desc desc = {
        .x = &tensors.convolution1,
        .images = net->number,
        .height = SIDE,
        .width = SIDE,
        .window = {KERNEL, KERNEL, .stride_y = 2, .stride_x = 2, .pad_top = 1, .pad_left = 1},
        .weights = &digits_cnn_data.convolution2,
        .fused = {.activation = FP8MAC_ACT_RELU},
        .out = &tensors.convolution2,
    };
    return fp8rt_convolution(&net->run, &desc);
}

// The pixels of an image follow each other without gaps: they are one row.
static fp8rt_status classes(digits_layered *net)
{
    fp8rt_tensor features = tensors.convolution2;
    features.rows = net->number;
    features.cols = features.stride = FEATURES;
    const fp8rt_linear_desc desc = {
        .x = &features, .weights = &digits_cnn_data.classes, .out = &tensors.classes};
    return fp8rt_linear(&net->run, &desc);
}

static const digits_step steps[DIGITS_CNN_LAYERS] = {
    {"convolution1", DIGITS_PIXELS, convolution1, &tensors.convolution1},
    {"convolution2", HALF_PIXELS, convolution2, &tensors.convolution2},
    {"classes", 1, classes, &tensors.classes},
};

static const digits_sequence sequence = {
    .steps = steps,
    .count = DIGITS_CNN_LAYERS,
    .float32 = &digits_cnn_data.float32,
    .hashes = digits_cnn_hashes,
    .most = 0.75f,
    .allocate = allocate,
};

const digits_net digits_cnn_net = DIGITS_LAYERED_NET("cnn", &sequence);
