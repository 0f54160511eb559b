// SPDX-License-Identifier: Apache-2.0
// The perceptron: each layer is one scaled GEMM with bias; ReLU stands between two layers. Both
// weights, FP8 and INT8, come from the same float32 weights. A command converts images to INT8;
// their pixels are integers.
//
// Hidden activations are written in FP8 or INT8 with the scale of a delayed recipe: each layer's
// amax, read back after its GEMM, scales the batches after it. The first batch has the calibration
// amax of the training images.
//
// Operands are used as code * 2^-floor(log2 largest value), so within +-2: no sum of theirs leaves
// an FP16 accumulator. The same power of two is in the scales, so that FP32 is not touched by it.
// INT8 operands are used as they are.
#include <inttypes.h>
#include <stdio.h>

#include "digits.h"
#include "fp8mac/convert.h"
#include "fp8mac/recipe.h"
#include "fp8rt/check.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/matrix.h"

enum {
    HIDDEN_LAYERS = DIGITS_LAYERS - 1,
    HISTORY = 16, // batches that the delayed scale looks back on
    BATCH = 128,
};

typedef struct perceptron {
    const void *images;   // the first image of the batch
    uint8_t *int8_images; // of the batch, with int8 elements
    fp8rt_gemm_plan plans[DIGITS_LAYERS];
    float scale_a[DIGITS_LAYERS]; // dequantise the inputs
    void *outputs[DIGITS_LAYERS]; // the batch: hidden activations, FP32 outputs
    int code_exp;                 // hidden activations are used as code * 2^-code_exp
    fp8mac_recipe_delayed recipe[HIDDEN_LAYERS];
    float history[HIDDEN_LAYERS][HISTORY];
} perceptron;

static perceptron net;

static fp8mac_format_id output_format(const digits_session *session, int layer)
{
    return layer < HIDDEN_LAYERS ? session->options.format : FP8MAC_FP32;
}

static uint32_t output_stride(const digits_session *session, int layer)
{
    uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(output_format(session, layer)));
    return fp8rt_packed_stride(&session->dev.caps, digits_layers[layer].n * bytes);
}

static void start_recipes(digits_session *session)
{
    float format_max = fp8mac_recipe_format_max(fp8mac_format_get(session->options.format));
    net.code_exp = digits_is_int8(session) ? 0 : fp8mac_recipe_floor_log2(format_max);
    // INT8 has no scaling exponents: the pixels' one is in the scale.
    net.scale_a[0] = digits_is_int8(session) ? fp8mac_recipe_power_of_two(DIGITS_PIXEL_EXP) : 1.0f;
    for (int layer = 0; layer < HIDDEN_LAYERS; layer++) {
        fp8mac_recipe_delayed_config config = {
            .formula = {.fp8_max = format_max},
            .history = net.history[layer],
            .history_length = HISTORY,
        };
        fp8mac_recipe_delayed_init(&net.recipe[layer], config, 1.0f);
        fp8mac_recipe_delayed_update(&net.recipe[layer], digits_layers[layer].calibration_amax,
                                     false);
    }
}

static fp8rt_status take_memory(digits_session *session)
{
    uint32_t batch = session->options.batch;
    bool enough = true;
    for (int layer = 0; layer < DIGITS_LAYERS; layer++) {
        net.outputs[layer] =
            fp8rt_arena_alloc(&session->arena, (size_t)batch * output_stride(session, layer));
        enough = enough && net.outputs[layer] != NULL;
    }
    if (digits_is_int8(session)) {
        net.int8_images = fp8rt_arena_alloc(&session->arena, (size_t)batch * DIGITS_PIXELS);
        enough = enough && net.int8_images != NULL;
    }
    start_recipes(session);
    session->classes_stride = output_stride(session, DIGITS_LAYERS - 1);
    return enough ? FP8RT_OK : FP8RT_ERR_SCRATCH;
}

static fp8rt_gemm_desc layer_gemm(digits_session *session, int layer, uint32_t batch)
{
    const digits_layer *data = &digits_layers[layer];
    const digits_weights *weights = digits_is_int8(session) ? &data->int8 : &data->fp8;
    const int code_exp = layer == 0 ? DIGITS_PIXEL_EXP : -net.code_exp;
    bool hidden = layer < HIDDEN_LAYERS;
    return (fp8rt_gemm_desc){
        .m = batch,
        .n = data->n,
        .k = data->k,
        .a.format =
            layer == 0 && !digits_is_int8(session) ? FP8MAC_E4M3FN : session->options.format,
        .b.format = digits_is_int8(session) ? FP8MAC_INT8 : FP8MAC_E4M3FN,
        .acc_format = session->options.acc_format,
        .a.codes = layer == 0 ? net.images : net.outputs[layer - 1],
        .b.codes = weights->codes,
        .b.stride = data->k,
        .a.scale_exp = digits_is_int8(session) ? 0 : code_exp,
        .b.scale_exp = digits_is_int8(session) ? 0 : DIGITS_WEIGHT_EXP,
        .a.scale = {.mode = FP8MAC_SCALE_TENSOR, .values = &net.scale_a[layer]},
        .b.scale = {.mode = FP8MAC_SCALE_VECTOR, .values = weights->scale_b},
        .bias = data->bias,
        .activation = hidden ? FP8MAC_ACT_RELU : FP8MAC_ACT_NONE,
        .d = net.outputs[layer],
        .d_stride = output_stride(session, layer),
        .d_format = output_format(session, layer),
        .scale_d = hidden ? &net.recipe[layer].scale : NULL,
    };
}

// The plan of the batch before serves again, if this one has the same size.
static fp8rt_status plan_layer(digits_session *session, int layer, uint32_t batch)
{
    fp8rt_gemm_plan *plan = &net.plans[layer];
    const fp8rt_gemm_desc desc = layer_gemm(session, layer, batch);
    return plan->desc.m == batch
               ? fp8rt_gemm_plan_move(&session->dev, plan, desc.a.codes, desc.b.codes, desc.d)
               : fp8rt_gemm_plan_make(&session->dev.caps, desc, plan);
}

static fp8rt_status run_layer(digits_session *session, int layer, uint32_t batch)
{
    fp8rt_gemm_plan *plan = &net.plans[layer];
    fp8rt_gemm_result result;
    fp8rt_status status = plan_layer(session, layer, batch);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_arena rest = session->arena;
    void *scratch = fp8rt_arena_alloc(&rest, plan->scratch_bytes);
    status = fp8rt_gemm_run(&session->dev, plan, scratch, plan->scratch_bytes, &result);
    if (status != FP8RT_OK) {
        return status;
    }

    uint32_t outputs = plan->desc.m * plan->desc.n;
    const uint64_t start = fp8rt_app_cycles();
    uint32_t different = fp8rt_check_gemm(&session->dev.caps, plan, &result);
    session->totals.checker_cycles += fp8rt_app_cycles() - start;
    if (different != FP8RT_CHECK_ABSENT) {
        session->totals.outputs += outputs;
        session->totals.different += different < outputs ? different : outputs;
    }
    fp8rt_counters_add(&session->totals.counters, &result.counters);
    if (layer < HIDDEN_LAYERS) {
        fp8mac_recipe_delayed *recipe = &net.recipe[layer];
        net.scale_a[layer + 1] =
            fp8mac_recipe_inverse(recipe->scale) * fp8mac_recipe_power_of_two(net.code_exp);
        fp8mac_recipe_delayed_update(recipe, result.amax, result.amax_nonfinite);
    }
    return FP8RT_OK;
}

// The images of a batch as operand A.
static fp8rt_status fetch_images(digits_session *session, uint32_t first, uint32_t count)
{
    const uint8_t *images = &digits_images[first * DIGITS_PIXELS];
    if (!digits_is_int8(session)) {
        net.images = images;
        return FP8RT_OK;
    }
    net.images = net.int8_images;
    return fp8rt_elementwise(&session->dev,
                             (fp8rt_elementwise_desc){
                                 .operation = FP8RT_OPERATION_ADD,
                                 .m = count,
                                 .n = DIGITS_PIXELS,
                                 .x = images,
                                 .x_format = FP8MAC_E4M3FN,
                                 .d = net.int8_images,
                                 .d_format = FP8MAC_INT8,
                             },
                             NULL);
}

static fp8rt_status classify(digits_session *session, uint32_t first, uint32_t count)
{
    static const char *const names[DIGITS_LAYERS] = {"1", "2", "3"};
    fp8rt_status status = fetch_images(session, first, count);
    if (status != FP8RT_OK) {
        return digits_failed(first, count, "", status);
    }
    for (int layer = 0; layer < DIGITS_LAYERS; layer++) {
        status = run_layer(session, layer, count);
        if (status != FP8RT_OK) {
            return digits_failed(first, count, names[layer], status);
        }
    }
    session->classes = net.outputs[DIGITS_LAYERS - 1];
    return FP8RT_OK;
}

static const uint8_t *predictions(const digits_session *session)
{
    (void)session;
    return digits_float32_predictions;
}

const digits_net digits_perceptron_net = {
    .name = "perceptron",
    .batch = BATCH,
    .open = take_memory,
    .run = classify,
    .predictions = predictions,
};
