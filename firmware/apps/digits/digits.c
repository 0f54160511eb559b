// SPDX-License-Identifier: Apache-2.0
//: Classifies handwritten digits with one of three networks. Every output is checked.
//: NET=       perceptron, cnn or transformer (perceptron)
//: IMAGES=    how many of the 540 test images, from the first on (chip: 256, host: all)
//: BATCH=     images of one batch (perceptron: 128, others: 32)
//: ACC=       accumulator: fp32, fp16, fixed or int32, if the element has it (its first)
//: FORMAT=    hidden activations: e4m3fn, e5m2, e4m3fnuz or e5m2fnuz (e4m3fn); int8 with
//:            int8 elements
//: HASHES=1   hashes of the layers' outputs as a C source, in place of the report (cnn,
//:            transformer)
//
// Weights and images are e4m3fn, or int8 with int8 elements and the perceptron.
//
//   perceptron    three GEMMs; the golden model checks each (digits_perceptron.c)
//   cnn           two convolutions and a linear layer (digits_cnn.c)
//   transformer   an encoder block between two linear layers (digits_transformer.c)
//
// The last two are made of the library's layers. Their outputs are compared with hashes of the
// golden model's, and the classes with those of float32 (digits_layered.h).
//
// Exit status: 0; 1 if an output, amax or flag differs from the golden model, a class is too far
// from float32's, or the runtime reports an error; 2 for an argument that is not possible.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "digits.h"

fp8rt_status digits_failed(uint32_t first, uint32_t count, const char *layer, fp8rt_status status)
{
    printf("images %" PRIu32 "..%" PRIu32 "%s%s: %s\n", first, first + count - 1,
           *layer == '\0' ? "" : ", layer ", layer, fp8rt_status_string(status));
    return status;
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

static uint32_t count_right(digits_session *session, uint32_t first, uint32_t count)
{
    const uint8_t *predictions = session->options.net->predictions(session);
    const uint8_t *outputs = session->classes;
    uint32_t right = 0;
    for (uint32_t i = 0; i < count; i++, outputs += session->classes_stride) {
        right += argmax((const uint32_t *)(const void *)outputs) == digits_labels[first + i];
        session->totals.float32_right += predictions[first + i] == digits_labels[first + i];
    }
    return right;
}

static fp8rt_status run_batch(digits_session *session, uint32_t first, uint32_t count)
{
    const digits_totals before = session->totals;
    const fp8rt_status status = session->options.net->run(session, first, count);
    if (status != FP8RT_OK || session->options.hashes) {
        return status;
    }
    uint32_t right = count_right(session, first, count);
    session->totals.right += right;
    uint32_t outputs = session->totals.outputs - before.outputs;
    uint32_t equal = outputs - (session->totals.different - before.different);
    const uint64_t start = fp8rt_app_cycles();
    printf("images %3" PRIu32 "..%-3" PRIu32 " %3" PRIu32 " of %" PRIu32 " right; outputs: %" PRIu32
           " compared, %" PRIu32 " equal\n",
           first, first + count - 1, right, count, outputs, equal);
    session->totals.console_cycles += fp8rt_app_cycles() - start;
    return FP8RT_OK;
}

int main(int argc, char **argv)
{
    static digits_session session;
    const digits_options *options = &session.options;
    fp8rt_status status = fp8rt_device_open(&session.dev, &fp8rt_app_port);
    if (status == FP8RT_OK &&
        !digits_parse_options(argc, argv, &session.dev.caps.element, &session.options)) {
        return 2;
    }
    if (status == FP8RT_OK) {
        session.arena = fp8rt_app_arena();
        status = options->net->open(&session);
    }
    if (status != FP8RT_OK) {
        printf("digits: %s\n", status == FP8RT_ERR_SCRATCH ? "not enough memory for this BATCH"
                                                           : fp8rt_status_string(status));
        return EXIT_FAILURE;
    }
    if (!options->hashes) {
        digits_print_head(&session);
    }
    uint64_t start = fp8rt_app_cycles();
    for (uint32_t first = 0, count; first < options->images; first += count) {
        uint32_t left = options->images - first;
        count = left < options->batch ? left : options->batch;
        if (run_batch(&session, first, count) != FP8RT_OK) {
            return EXIT_FAILURE;
        }
    }
    const uint32_t core_cycles = (uint32_t)(fp8rt_app_cycles() - start);
    if (options->hashes) {
        options->net->list(&session);
        return EXIT_SUCCESS;
    }
    return digits_print_report(&session, core_cycles);
}
