// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_profile.h"

#include <stddef.h>
#include <string.h>

#include "fp8rt/reference_attention.h"
#include "fp8rt/reference_elementwise.h"
#include "fp8rt/reference_normalise.h"
#include "fp8rt/reference_transformer.h"

// ---- kinds of layers ----------------------------------------------------------------------------

typedef struct kind {
    const char *name; // of its entries
    size_t out;       // position of the pointer to the output in the descriptor
    void (*compute)(fp8rt_reference *reference, const void *desc);
} kind;

#define COMPUTE(name)                                                                              \
    static void name(fp8rt_reference *reference, const void *desc)                                 \
    {                                                                                              \
        fp8rt_reference_##name(reference, desc);                                                   \
    }
COMPUTE(linear)
COMPUTE(convolution)
COMPUTE(add)
COMPUTE(multiply)
COMPUTE(nonlinear)
COMPUTE(max_pool)
COMPUTE(average_pool)
COMPUTE(global_average)
COMPUTE(softmax)
COMPUTE(attention)
COMPUTE(normalise)
COMPUTE(reduce)
COMPUTE(embedding)
#undef COMPUTE

static const kind kinds[] = {
    {"linear", offsetof(fp8rt_linear_desc, out), linear},
    {"convolution", offsetof(fp8rt_convolution_desc, out), convolution},
    {"add", offsetof(fp8rt_arithmetic_desc, out), add},
    {"multiply", offsetof(fp8rt_arithmetic_desc, out), multiply},
    {"nonlinear", offsetof(fp8rt_nonlinear_desc, out), nonlinear},
    {"max_pool", offsetof(fp8rt_pooling_desc, out), max_pool},
    {"average_pool", offsetof(fp8rt_pooling_desc, out), average_pool},
    {"global_average", offsetof(fp8rt_pooling_desc, out), global_average},
    {"softmax", offsetof(fp8rt_softmax_desc, out), softmax},
    {"attention", offsetof(fp8rt_attention_desc, out), attention},
    {"normalise", offsetof(fp8rt_norm_desc, out), normalise},
    {"reduce", offsetof(fp8rt_reduce_desc, out), reduce},
    {"embedding", offsetof(fp8rt_embedding_desc, out), embedding},
};

static const kind *kind_of(const char *name, const void *desc)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(name, kinds[i].name) != 0) {
            continue;
        }
        // The codes of a table may stand for any function.
        const bool table = kinds[i].compute == nonlinear &&
                           ((const fp8rt_nonlinear_desc *)desc)->way == FP8RT_NONLINEAR_TABLE;
        const bool argmax = kinds[i].compute == reduce &&
                            ((const fp8rt_reduce_desc *)desc)->operation == FP8MAC_ROWS_ARGMAX;
        return table || argmax ? NULL : &kinds[i];
    }
    return NULL;
}

// Why a layer has no reference
static const char *reason_of(const char *name)
{
    static const struct {
        const char *name, *reason;
    } reasons[] = {
        {"lstm", "recurrent"},
        {"gru", "recurrent"},
        {"transposed_convolution", "transposed"},
        {"nonlinear", "table"},
        {"reduce", "argmax"},
        {"kv project", "cache"},
        {"transformer block", "layers"}, // those that it consists of are compared
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(name, reasons[i].name) == 0) {
            return reasons[i].reason;
        }
    }
    return "copy";
}

// ---- the observer -------------------------------------------------------------------------------

static void before(fp8rt_observer *observer, const fp8rt_caps *caps,
                   const fp8rt_profile_entry *entry, const void *desc)
{
    fp8rt_reference_observer *self = (fp8rt_reference_observer *)observer;
    const uint32_t depth = self->depth++;
    const kind *kind = kind_of(entry->name, desc);
    if (depth >= FP8RT_REFERENCE_DEPTH) {
        return;
    }
    fp8rt_reference_frame *frame = &self->frames[depth];
    *frame = (fp8rt_reference_frame){.saved = self->arena,
                                     .reason = kind == NULL ? reason_of(entry->name) : "memory"};
    if (kind != NULL) {
        memcpy(&frame->out, (const char *)desc + kind->out, sizeof frame->out);
        frame->reference = fp8rt_reference_of(caps, frame->out, self->arena);
    }
    if (frame->reference.values != NULL) {
        kind->compute(&frame->reference, desc);
        self->arena = frame->reference.arena;
    }
}

static void after(fp8rt_observer *observer, fp8rt_profile_entry *entry, fp8rt_status status)
{
    fp8rt_reference_observer *self = (fp8rt_reference_observer *)observer;
    if (--self->depth >= FP8RT_REFERENCE_DEPTH) {
        entry->reason = "depth";
        return;
    }
    const fp8rt_reference_frame *frame = &self->frames[self->depth];
    if (frame->reference.values != NULL && status == FP8RT_OK) {
        entry->error = (float)fp8rt_reference_compare(&frame->reference, frame->out).error;
        entry->compared = true;
    } else {
        entry->reason = frame->reason;
    }
    self->arena = frame->saved;
}

fp8rt_reference_observer fp8rt_reference_observer_on(fp8rt_arena arena)
{
    return (fp8rt_reference_observer){.observer = {.before = before, .after = after},
                                      .arena = arena};
}
