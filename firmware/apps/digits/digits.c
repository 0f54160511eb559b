// SPDX-License-Identifier: Apache-2.0
//: Classifies handwritten digits with three layers. Each layer is one scaled GEMM with bias; ReLU
//: stands between two layers.
//: IMAGES=    how many of the 540 test images, from the first on (chip: 256, host: all)
//: BATCH=     images of one batch, M of the GEMMs (128)
//: ACC=       accumulator: fp32, fp16, fixed or int32, if the element has it (its first)
//: FORMAT=    hidden activations: e4m3fn, e5m2, e4m3fnuz or e5m2fnuz (e4m3fn); int8 with int8 elements
//
// Weights and images are e4m3fn, or int8 with int8 elements. Both weights come from the same float32
// weights. A command converts the images, whose pixels are integers.
//
// Hidden activations are written in FP8 or INT8 with the scale of a delayed recipe: each layer's amax, read
// back after its GEMM, scales the batches after it. The first batch has the calibration amax of the
// training images.
//
// Operands are used as code * 2^-floor(log2 largest value), so within +-2: no sum of theirs leaves
// an FP16 accumulator. The same power of two is in the scales, so that FP32 is not touched by it.
// INT8 operands are used as they are.
//
// Exit status: 0; 1 if an output, amax or flag differs from the golden model or the runtime reports
// an error; 2 for an argument that is not possible.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_data.h"
#include "fp8mac/convert.h"
#include "fp8mac/recipe.h"
#include "fp8rt/app.h"
#include "fp8rt/check.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/matrix.h"

enum {
    HIDDEN_LAYERS = DIGITS_LAYERS - 1,
    HISTORY = 16, // batches that the delayed scale looks back on
    CHIP_IMAGES = 256,
    BATCH = 128,
};

typedef struct options {
    uint32_t images, batch;
    fp8mac_format_id format;
    fp8mac_acc_format acc_format;
} options;

typedef struct totals {
    uint32_t right, float32_right;
    uint32_t outputs, different;
    fp8rt_counters counters;
    uint64_t checker_cycles, console_cycles; // of the core
} totals;

typedef struct network {
    options options;
    fp8rt_device dev;
    fp8rt_arena arena;    // what is left for scratch
    const void *images;   // the first image of the batch
    uint8_t *int8_images; // of the batch, with int8 elements
    fp8rt_gemm_plan plans[DIGITS_LAYERS];
    float scale_a[DIGITS_LAYERS]; // dequantise the inputs
    void *outputs[DIGITS_LAYERS]; // the batch: hidden activations, FP32 outputs
    int code_exp;                 // hidden activations are used as code * 2^-code_exp
    fp8mac_recipe_delayed recipe[HIDDEN_LAYERS];
    float history[HIDDEN_LAYERS][HISTORY];
    totals totals;
} network;

// ---- arguments ----------------------------------------------------------------------------------

static const char *const option_names[] = {"IMAGES", "BATCH", "ACC", "FORMAT"};

static bool known_option(const char *argument)
{
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        size_t length = strlen(option_names[i]);
        if (strncmp(argument, option_names[i], length) == 0 && argument[length] == '=') {
            return true;
        }
    }
    printf("%s is not an option of digits: choose from IMAGES=, BATCH=, ACC= and FORMAT=.\n",
           argument);
    return false;
}

// Decimal, 1..DIGITS_IMAGES; 0 if it is not that.
static uint32_t parse_count(const char *text)
{
    uint32_t count = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') {
            return 0;
        }
        count = count * 10 + (uint32_t)(*c - '0');
        if (count > DIGITS_IMAGES) {
            return 0;
        }
    }
    return count;
}

static bool count_option(int argc, char **argv, const char *key, uint32_t *count)
{
    const char *text = fp8rt_app_option(argc, argv, key);
    if (text == NULL) {
        return true;
    }
    *count = parse_count(text);
    if (*count == 0) {
        printf("%s=%s is not possible: choose a number from 1 to %d.\n", key, text, DIGITS_IMAGES);
    }
    return *count != 0;
}

static const char *acc_name(fp8mac_acc_format format)
{
    switch (format) {
    case FP8MAC_ACC_FP32: return "fp32";
    case FP8MAC_ACC_FP16: return "fp16";
    case FP8MAC_ACC_INT32: return "int32";
    default: return "fixed";
    }
}

static const char *good_accumulators(const fp8rt_element *element)
{
    bool both =
        fp8rt_element_has(element, FP8MAC_ACC_FP32) && fp8rt_element_has(element, FP8MAC_ACC_FP16);
    return both ? "fp32 or fp16" : acc_name(fp8rt_element_accumulator(element));
}

static bool refuse(const fp8rt_element *element, const char *key, const char *text,
                   const char *good)
{
    printf("%s=%s is not possible with %s elements: choose %s.\n", key, text,
           fp8rt_element_name(element->kind), good);
    return false;
}

static bool acc_option(int argc, char **argv, const fp8rt_element *element,
                       fp8mac_acc_format *acc_format)
{
    const char *text = fp8rt_app_option(argc, argv, "ACC");
    *acc_format = fp8rt_element_accumulator(element);
    if (text == NULL) {
        return true;
    }
    for (int format = FP8MAC_ACC_FP32; format <= FP8MAC_ACC_INT32; format++) {
        *acc_format = (fp8mac_acc_format)format;
        if (fp8rt_element_has(element, *acc_format) && strcmp(text, acc_name(*acc_format)) == 0) {
            return true;
        }
    }
    return refuse(element, "ACC", text, good_accumulators(element));
}

static const char *good_formats(const fp8rt_element *element)
{
    if (element->int8) {
        return "int8";
    }
    return element->e5m2 ? "e4m3fn, e5m2, e4m3fnuz or e5m2fnuz" : "e4m3fn or e4m3fnuz";
}

static bool format_option(int argc, char **argv, const fp8rt_element *element,
                          fp8mac_format_id *format)
{
    const char *text = fp8rt_app_option(argc, argv, "FORMAT");
    *format = fp8rt_element_format(element);
    if (text == NULL) {
        return true;
    }
    for (int id = FP8MAC_E4M3FN; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        *format = (fp8mac_format_id)id;
        if (fp8rt_element_takes(element, *format) &&
            strcmp(text, fp8mac_format_get(*format)->name) == 0) {
            return true;
        }
    }
    return refuse(element, "FORMAT", text, good_formats(element));
}

static bool parse_options(int argc, char **argv, const fp8rt_element *element, options *options)
{
    options->images = fp8rt_app_is_host ? DIGITS_IMAGES : CHIP_IMAGES;
    options->batch = BATCH;
    for (int i = 1; i < argc; i++) {
        if (!known_option(argv[i])) {
            return false;
        }
    }
    return count_option(argc, argv, "IMAGES", &options->images) &&
           count_option(argc, argv, "BATCH", &options->batch) &&
           acc_option(argc, argv, element, &options->acc_format) &&
           format_option(argc, argv, element, &options->format);
}

// ---- the network --------------------------------------------------------------------------------

static bool is_int8(const network *net)
{
    return net->options.format == FP8MAC_INT8;
}

static fp8mac_format_id output_format(const network *net, int layer)
{
    return layer < HIDDEN_LAYERS ? net->options.format : FP8MAC_FP32;
}

static uint32_t output_stride(const network *net, int layer)
{
    uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(output_format(net, layer)));
    return fp8rt_packed_stride(&net->dev.caps, digits_layers[layer].n * bytes);
}

static bool allocate(network *net)
{
    uint32_t batch = net->options.batch;
    net->arena = fp8rt_app_arena();
    bool enough = true;
    for (int layer = 0; layer < DIGITS_LAYERS; layer++) {
        net->outputs[layer] =
            fp8rt_arena_alloc(&net->arena, (size_t)batch * output_stride(net, layer));
        enough = enough && net->outputs[layer] != NULL;
    }
    if (is_int8(net)) {
        net->int8_images = fp8rt_arena_alloc(&net->arena, (size_t)batch * DIGITS_PIXELS);
        enough = enough && net->int8_images != NULL;
    }
    return enough;
}

static void start_recipes(network *net)
{
    float format_max = fp8mac_recipe_format_max(fp8mac_format_get(net->options.format));
    net->code_exp = is_int8(net) ? 0 : fp8mac_recipe_floor_log2(format_max);
    // INT8 has no scaling exponents: the pixels' one is in the scale.
    net->scale_a[0] = is_int8(net) ? fp8mac_recipe_power_of_two(DIGITS_PIXEL_EXP) : 1.0f;
    for (int layer = 0; layer < HIDDEN_LAYERS; layer++) {
        fp8mac_recipe_delayed_config config = {
            .formula = {.fp8_max = format_max},
            .history = net->history[layer],
            .history_length = HISTORY,
        };
        fp8mac_recipe_delayed_init(&net->recipe[layer], config, 1.0f);
        fp8mac_recipe_delayed_update(&net->recipe[layer], digits_layers[layer].calibration_amax,
                                     false);
    }
}

static fp8rt_gemm_desc layer_gemm(network *net, int layer, uint32_t batch)
{
    const digits_layer *data = &digits_layers[layer];
    const digits_weights *weights = is_int8(net) ? &data->int8 : &data->fp8;
    const int code_exp = layer == 0 ? DIGITS_PIXEL_EXP : -net->code_exp;
    bool hidden = layer < HIDDEN_LAYERS;
    return (fp8rt_gemm_desc){
        .m = batch,
        .n = data->n,
        .k = data->k,
        .a_format = layer == 0 && !is_int8(net) ? FP8MAC_E4M3FN : net->options.format,
        .b_format = is_int8(net) ? FP8MAC_INT8 : FP8MAC_E4M3FN,
        .acc_format = net->options.acc_format,
        .a = layer == 0 ? net->images : net->outputs[layer - 1],
        .b = weights->codes,
        .b_stride = data->k,
        .scale_exp_a = is_int8(net) ? 0 : code_exp,
        .scale_exp_b = is_int8(net) ? 0 : DIGITS_WEIGHT_EXP,
        .scale_a = {.mode = FP8MAC_SCALE_TENSOR, .values = &net->scale_a[layer]},
        .scale_b = {.mode = FP8MAC_SCALE_VECTOR, .values = weights->scale_b},
        .bias = data->bias,
        .activation = hidden ? FP8MAC_ACT_RELU : FP8MAC_ACT_NONE,
        .d = net->outputs[layer],
        .d_stride = output_stride(net, layer),
        .d_format = output_format(net, layer),
        .scale_d = hidden ? &net->recipe[layer].scale : NULL,
    };
}

// The plan of the batch before serves again, if this one has the same size.
static fp8rt_status plan_layer(network *net, int layer, uint32_t batch)
{
    fp8rt_gemm_plan *plan = &net->plans[layer];
    const fp8rt_gemm_desc desc = layer_gemm(net, layer, batch);
    return plan->desc.m == batch ? fp8rt_gemm_plan_move(&net->dev, plan, desc.a, desc.b, desc.d)
                                 : fp8rt_gemm_plan_make(&net->dev.caps, desc, plan);
}

static fp8rt_status run_layer(network *net, int layer, uint32_t batch)
{
    fp8rt_gemm_plan *plan = &net->plans[layer];
    fp8rt_gemm_result result;
    fp8rt_status status = plan_layer(net, layer, batch);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_arena rest = net->arena;
    void *scratch = fp8rt_arena_alloc(&rest, plan->scratch_bytes);
    status = fp8rt_gemm_run(&net->dev, plan, scratch, plan->scratch_bytes, &result);
    if (status != FP8RT_OK) {
        return status;
    }

    uint32_t outputs = plan->desc.m * plan->desc.n;
    const uint64_t start = fp8rt_app_cycles();
    uint32_t different = fp8rt_check_gemm(&net->dev.caps, plan, &result);
    net->totals.checker_cycles += fp8rt_app_cycles() - start;
    net->totals.outputs += outputs;
    net->totals.different += different < outputs ? different : outputs;
    fp8rt_counters_add(&net->totals.counters, &result.counters);
    if (layer < HIDDEN_LAYERS) {
        fp8mac_recipe_delayed *recipe = &net->recipe[layer];
        net->scale_a[layer + 1] =
            fp8mac_recipe_inverse(recipe->scale) * fp8mac_recipe_power_of_two(net->code_exp);
        fp8mac_recipe_delayed_update(recipe, result.amax, result.amax_nonfinite);
    }
    return FP8RT_OK;
}

// Maps FP32 patterns to integers of the same order: a negative number's magnitude bits are
// inverted.
static int32_t ordered(uint32_t fp32)
{
    return (int32_t)(fp32 ^ ((0u - (fp32 >> 31)) >> 1));
}

// The index of the largest value; the first one if several are equal.
static uint32_t argmax(const uint32_t *outputs)
{
    int32_t largest = ordered(outputs[0]);
    uint32_t best = 0;
    for (uint32_t i = 1; i < DIGITS_CLASSES; i++) {
        const int32_t output = ordered(outputs[i]);
        if (output > largest) {
            largest = output;
            best = i;
        }
    }
    return best;
}

static uint32_t count_right(network *net, uint32_t first, uint32_t count)
{
    const uint8_t *outputs = net->outputs[DIGITS_LAYERS - 1];
    uint32_t stride = output_stride(net, DIGITS_LAYERS - 1), right = 0;
    for (uint32_t i = 0; i < count; i++, outputs += stride) {
        right += argmax((const uint32_t *)(const void *)outputs) == digits_labels[first + i];
        net->totals.float32_right +=
            digits_float32_predictions[first + i] == digits_labels[first + i];
    }
    return right;
}

// The images of a batch as operand A.
static fp8rt_status fetch_images(network *net, uint32_t first, uint32_t count)
{
    const uint8_t *images = &digits_images[first * DIGITS_PIXELS];
    if (!is_int8(net)) {
        net->images = images;
        return FP8RT_OK;
    }
    net->images = net->int8_images;
    return fp8rt_elementwise(&net->dev,
                             (fp8rt_elementwise_desc){
                                 .operation = FP8RT_OPERATION_ADD,
                                 .m = count,
                                 .n = DIGITS_PIXELS,
                                 .x = images,
                                 .x_format = FP8MAC_E4M3FN,
                                 .d = net->int8_images,
                                 .d_format = FP8MAC_INT8,
                             },
                             NULL);
}

static fp8rt_status run_batch(network *net, uint32_t first, uint32_t count)
{
    totals before = net->totals;
    const fp8rt_status fetched = fetch_images(net, first, count);
    if (fetched != FP8RT_OK) {
        printf("images %" PRIu32 "..%" PRIu32 ": %s\n", first, first + count - 1,
               fp8rt_status_string(fetched));
        return fetched;
    }
    for (int layer = 0; layer < DIGITS_LAYERS; layer++) {
        fp8rt_status status = run_layer(net, layer, count);
        if (status != FP8RT_OK) {
            printf("images %" PRIu32 "..%" PRIu32 ", layer %d: %s\n", first, first + count - 1,
                   layer + 1, fp8rt_status_string(status));
            return status;
        }
    }
    uint32_t right = count_right(net, first, count);
    net->totals.right += right;
    uint32_t outputs = net->totals.outputs - before.outputs;
    uint32_t equal = outputs - (net->totals.different - before.different);
    const uint64_t start = fp8rt_app_cycles();
    printf("images %3" PRIu32 "..%-3" PRIu32 " %3" PRIu32 " of %" PRIu32 " right; outputs: %" PRIu32
           " compared, %" PRIu32 " equal\n",
           first, first + count - 1, right, count, outputs, equal);
    net->totals.console_cycles += fp8rt_app_cycles() - start;
    return FP8RT_OK;
}

// ---- report -------------------------------------------------------------------------------------

static const char *format_name(const network *net)
{
    return fp8mac_format_get(net->options.format)->name;
}

static void print_head(const network *net)
{
    const fp8rt_caps *caps = &net->dev.caps;
    printf("digits        %" PRIu32 " images in batches of %" PRIu32
           " on an array of %u x %u x %u\n",
           net->options.images, net->options.batch, caps->rows, caps->cols, caps->lanes);
    fp8rt_app_print_element(caps);
    printf("formats       activations %s, weights %s, accumulator %s\n", format_name(net),
           is_int8(net) ? "int8" : "e4m3fn", acc_name(net->options.acc_format));
}

static void print_percent(int width, uint64_t part, uint64_t whole)
{
    uint32_t hundredths = whole == 0 ? 0 : (uint32_t)((part * 10000 + whole / 2) / whole);
    printf("%*" PRIu32 ".%02" PRIu32 " %%", width, hundredths / 100, hundredths % 100);
}

static void print_accuracy(const char *name, uint32_t right, uint32_t images)
{
    printf("%s %4" PRIu32 " of %" PRIu32 " images right, ", name, right, images);
    print_percent(2, right, images);
    printf("\n");
}

static void print_part(const char *name, uint32_t cycles, uint32_t whole, const char *meaning)
{
    printf("  %-11s %9" PRIu32, name, cycles);
    print_percent(5, cycles, whole);
    printf("  %s\n", meaning);
}

static void print_cycles(const fp8rt_counters *c, uint32_t macs_per_cycle)
{
    printf("cycles        %9" PRIu32 " while the accelerator ran GEMMs:\n", c->cycles);
    print_part("useful", (uint32_t)(c->macs / macs_per_cycle), c->cycles,
               "computing outputs, all multipliers in use");
    print_part("absent", (uint32_t)(c->compute - c->macs / macs_per_cycle), c->cycles,
               "computing outputs beyond the matrix's edge");
    const char *part = "compute"; // printed above, in two parts
#define PRINT_PART(field, meaning)                                                                 \
    if (strcmp(#field, part) != 0) {                                                               \
        print_part(#field, c->field, c->cycles, meaning);                                          \
    }
    FP8RT_CYCLE_PARTS(PRINT_PART)
#undef PRINT_PART
}

static void print_core_cycles(const network *net, uint32_t core_cycles)
{
    const uint32_t images = net->options.images;
    const uint32_t checker = (uint32_t)net->totals.checker_cycles;
    const uint32_t console = (uint32_t)net->totals.console_cycles;
    const uint32_t network = core_cycles - checker - console;
    printf("core cycles   %9" PRIu32 " of the whole run, %" PRIu32 " for each image:\n",
           core_cycles, core_cycles / images);
    print_part("network", network, core_cycles, "the accelerator's included");
    print_part("checker", checker, core_cycles, "asking for the comparison with the golden model");
    print_part("console", console, core_cycles, "printing");
    printf("              %9" PRIu32 " cycles of the network for each image\n", network / images);
}

// One line of key=value for programs.
static void print_record(const network *net, uint32_t core_cycles)
{
    const totals *t = &net->totals;
    const fp8rt_counters *c = &t->counters;
    printf("digits: images=%" PRIu32 " batch=%" PRIu32 " format=%s acc=%s float32_right=%" PRIu32
           " right=%" PRIu32 " outputs=%" PRIu32 " equal=%" PRIu32 " macs=%" PRIu32
           " cycles=%" PRIu32,
           net->options.images, net->options.batch, format_name(net),
           acc_name(net->options.acc_format), t->float32_right, t->right, t->outputs,
           t->outputs - t->different, (uint32_t)c->macs, c->cycles);
#define PRINT_PART(field, meaning) printf(" " #field "=%" PRIu32, c->field);
    FP8RT_CYCLE_PARTS(PRINT_PART)
#undef PRINT_PART
    printf(" core_cycles=%" PRIu32 "\n", core_cycles);
}

static int report(const network *net, uint32_t core_cycles)
{
    const totals *t = &net->totals;
    const fp8rt_counters *c = &t->counters;
    const fp8rt_caps *caps = &net->dev.caps;
#define ADD_PART(field, meaning) +c->field
    bool parts_add_up = (0 FP8RT_CYCLE_PARTS(ADD_PART)) == c->cycles;
#undef ADD_PART

    print_accuracy("accuracy      float32", t->float32_right, net->options.images);
    print_accuracy(is_int8(net) ? "              INT8   " : "              FP8    ", t->right,
                   net->options.images);
    printf("outputs       %9" PRIu32 " compared, %" PRIu32 " equal\n", t->outputs,
           t->outputs - t->different);
    printf("macs          %9" PRIu32 "\n", (uint32_t)c->macs);
    if (fp8rt_app_is_host) {
        printf("cycles        none: the golden model has no clock\n");
    } else {
        fp8rt_app_print_utilisation(caps, c, core_cycles);
        print_cycles(c, (uint32_t)caps->rows * caps->cols * caps->lanes);
        print_core_cycles(net, core_cycles);
    }
    if (!parts_add_up) {
        printf("the parts of the cycles do not add up to them\n");
    }
    print_record(net, core_cycles);
    return t->different == 0 && parts_add_up ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static network net;
    fp8rt_status status = fp8rt_device_open(&net.dev, &fp8rt_app_port);
    if (status == FP8RT_OK && !parse_options(argc, argv, &net.dev.caps.element, &net.options)) {
        return 2;
    }
    if (status != FP8RT_OK || !allocate(&net)) {
        printf("digits: %s\n", status != FP8RT_OK ? fp8rt_status_string(status)
                                                  : "not enough memory for this BATCH");
        return EXIT_FAILURE;
    }
    print_head(&net);
    start_recipes(&net);
    uint64_t start = fp8rt_app_cycles();
    for (uint32_t first = 0, count; first < net.options.images; first += count) {
        uint32_t left = net.options.images - first;
        count = left < net.options.batch ? left : net.options.batch;
        if (run_batch(&net, first, count) != FP8RT_OK) {
            return EXIT_FAILURE;
        }
    }
    return report(&net, (uint32_t)(fp8rt_app_cycles() - start));
}
