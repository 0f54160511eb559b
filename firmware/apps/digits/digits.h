// SPDX-License-Identifier: Apache-2.0
// What the networks of the application share: options, the device, and what is counted.
#ifndef DIGITS_H
#define DIGITS_H

#include "digits_data.h"
#include "fp8rt/app.h"

typedef struct digits_net digits_net;

typedef struct digits_options {
    const digits_net *net;
    uint32_t images, batch;
    fp8mac_format_id format;      // of hidden activations
    fp8mac_acc_format acc_format; // of all products
    bool hashes;
} digits_options;

typedef struct digits_totals {
    uint32_t right, float32_right;
    uint32_t outputs, different;
    fp8rt_counters counters;
    uint64_t checker_cycles, console_cycles; // of the core
} digits_totals;

typedef struct digits_session {
    digits_options options;
    fp8rt_device dev;
    fp8rt_arena arena; // what is left
    // Of the batch: FP32 patterns of DIGITS_CLASSES numbers for each image, and the
    // bytes from one to the next
    const void *classes;
    uint32_t classes_stride;
    digits_totals totals;
} digits_session;

// One way to classify images. The functions find it in session->options.net.
struct digits_net {
    const char *name;
    uint32_t batch;   // without BATCH=
    const void *kind; // its own
    // Takes its memory from the arena. FP8RT_ERR_SCRATCH: it is too small.
    fp8rt_status (*open)(digits_session *session);
    // Classifies and checks images of the test set. Prints the layer that fails.
    fp8rt_status (*run)(digits_session *session, uint32_t first, uint32_t count);
    // What float32 answers for the test set.
    const uint8_t *(*predictions)(const digits_session *session);
    // What the report of all networks has not; NULL: nothing. False: it is not as it must be.
    bool (*report)(const digits_session *session);
    // Of all outputs; NULL: none.
    uint32_t (*hash)(const digits_session *session);
    // HASHES=1; NULL: not possible.
    void (*list)(const digits_session *session);
};

extern const digits_net digits_perceptron_net, digits_cnn_net, digits_transformer_net;

static inline bool digits_is_int8(const digits_session *session)
{
    return session->options.format == FP8MAC_INT8;
}

// Prints the sentence of a batch that failed in a layer, and returns the status.
fp8rt_status digits_failed(uint32_t first, uint32_t count, const char *layer, fp8rt_status status);

// ---- options (digits_options.c) -----------------------------------------------------------------

// Fills *options. An argument that is not possible: prints one sentence and returns false.
bool digits_parse_options(int argc, char **argv, const fp8rt_element *element,
                          digits_options *options);
const char *digits_acc_name(fp8mac_acc_format format);

// ---- report (digits_report.c) -------------------------------------------------------------------

void digits_print_head(const digits_session *session);
// Returns main's exit status.
int digits_print_report(const digits_session *session, uint32_t core_cycles);

#endif
