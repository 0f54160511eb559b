// SPDX-License-Identifier: Apache-2.0
// Networks made of the library's layers: memory, the sequence of their layers, and how
// each output is checked.
//
// A network whose layers can all be recorded runs as a list, a start for each whole batch. Others,
// and a last batch with fewer images, run layer by layer.
//
// The outputs of all layers are hashed, image by image. With elements, formats and accumulators
// as by default, each hash is compared with that of the host build (digits_NAME_hashes.c), where
// the golden model computes. The first layer that differs is named. In any case the record has
// one hash of everything, which is the same on chip and host. All scales are static, so no
// output depends on BATCH.
//
// The classes are also compared with those of the network in float32. The bound is a fixed number
// above what the codes of weights and activations cause over the 540 images.
//
// If the layers of the library compute other codes than before, this writes the hashes anew:
//
//   make build/firmware/host/digits
//   build/firmware/host/digits NET=cnn HASHES=1 >hashes.c
//   mv hashes.c firmware/apps/digits/digits_cnn_hashes.c
#ifndef DIGITS_LAYERED_H
#define DIGITS_LAYERED_H

#include "digits.h"
#include "fp8rt/network.h"

enum {
    DIGITS_LAYERED_BATCH = 32, // images of a batch, without BATCH=
    DIGITS_MOST_LAYERS = 12,
    DIGITS_SIDE = 8,       // of an image, pixels
    DIGITS_LOGIT_UNIT = 8, // float32's outputs are kept as multiples of 1 / this
};

// What a network in float32 says of the test images.
typedef struct digits_float32_answers {
    const uint8_t *predictions; // DIGITS_IMAGES
    const int8_t *logits;       // DIGITS_IMAGES x DIGITS_CLASSES
} digits_float32_answers;

typedef struct digits_layered digits_layered;

// A layer computes the batch and leaves its output in a tensor.
typedef struct digits_step {
    const char *name;
    uint32_t rows; // of the output that belong to an image
    fp8rt_status (*run)(digits_layered *net);
    fp8rt_tensor *out;
} digits_step;

// What digits_net.kind points to.
typedef struct digits_sequence {
    const digits_step *steps; // the last one's output are the classes in FP32
    uint32_t count;           // of steps, at most DIGITS_MOST_LAYERS
    const digits_float32_answers *float32;
    const uint16_t *hashes; // DIGITS_IMAGES x count
    float most;             // that a class may differ from float32's, with activations in e4m3fn
    // Takes the memory of the tensors for a batch.
    bool (*allocate)(digits_layered *net, uint32_t batch);
} digits_sequence;

// The network that runs.
struct digits_layered {
    const digits_sequence *kind;
    digits_session *session;
    fp8rt_run run;
    fp8rt_plans plans;     // of all commands of a batch
    fp8rt_network network; // a whole batch, if its layers can be recorded
    bool recorded;
    fp8rt_tensor images;    // of the batch, copied: a row for each pixel
    uint32_t first, number; // of the images
    uint32_t step;          // that runs
    bool known;             // the hashes are those of these elements, formats and accumulators
    uint32_t hash[DIGITS_IMAGES]; // of an image's outputs so far
    bool differs[DIGITS_IMAGES];
    uint16_t *list;                 // HASHES=1: as kind->hashes
    fp8rt_profile profile;          // of the layers that run
    fp8rt_profile_entry entries[4]; // of it
    fp8rt_profile
        all; // of all batches, a step each. The error is the largest difference of a class
    fp8rt_profile_entry layers[DIGITS_MOST_LAYERS]; // of it
};

// The functions of a digits_net whose kind is a digits_sequence.
fp8rt_status digits_layered_open(digits_session *session);
fp8rt_status digits_layered_run(digits_session *session, uint32_t first, uint32_t count);
const uint8_t *digits_layered_predictions(const digits_session *session);
bool digits_layered_report(const digits_session *session);
uint32_t digits_layered_hash(const digits_session *session);
void digits_layered_list(const digits_session *session);

// A digits_net whose kind is a digits_sequence.
#define DIGITS_LAYERED_NET(its_name, sequence)                                                     \
    {                                                                                              \
        .name = its_name,                                                                          \
        .batch = DIGITS_LAYERED_BATCH,                                                             \
        .kind = sequence,                                                                          \
        .open = digits_layered_open,                                                               \
        .run = digits_layered_run,                                                                 \
        .predictions = digits_layered_predictions,                                                 \
        .report = digits_layered_report,                                                           \
        .hash = digits_layered_hash,                                                               \
        .list = digits_layered_list,                                                               \
    }

// A tensor of the arena; data is NULL if there is not enough memory. Activations have the session's
// format, and a scale that makes `amax` the format's largest number.
fp8rt_tensor digits_tensor(digits_layered *net, uint32_t rows, uint32_t cols,
                           fp8mac_format_id format);
fp8rt_tensor digits_activations(digits_layered *net, uint32_t rows, uint32_t cols, float amax);

#endif
