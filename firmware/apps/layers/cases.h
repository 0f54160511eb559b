// SPDX-License-Identifier: Apache-2.0
// A case is one layer with operands from a seed. A family is a file of cases.
#ifndef CASES_H
#define CASES_H

#include "fp8rt/reference.h"
#include "fp8rt/trial.h"

typedef struct layers_test {
    fp8rt_device dev;
    fp8rt_arena arena; // of the case: it is as large again for the next one
    fp8rt_random random;
    unsigned passed, failed;
    unsigned recorded, refused; // cases that were also run as a list, and that have no list
    unsigned paused;            // lists that pause for the core
    const char *profile;        // what is printed of it: text, csv or NULL
    bool table;                 // the case looks its output up
    // What the case does once its layer has run, directly or as a list; NULL: nothing
    void (*finish)(const fp8rt_caps *caps, const void *desc);
} layers_test;

typedef fp8rt_status layers_call(fp8rt_run *run, const void *desc);
typedef void layers_reference(fp8rt_reference *reference, const void *desc);

// Runs the layer with the scratch that its query asks for. Prints a hash of the output; on the chip
// also cycles, on the host the error beside `reference`, which NULL leaves out.
void layers_try(layers_test *test, const char *name, layers_call *call, layers_reference *reference,
                const void *desc, fp8rt_tensor *out);
// Prints the name of what is right, and the hash of its codes and scale.
void layers_report(const layers_test *test, const char *name, const fp8rt_tensor *out);
// Counts a condition, and prints its name if it does not hold.
void layers_expect(layers_test *test, const char *name, bool good);

// Counts whether the case since when `before` cases were recorded was so, where there are row
// commands.
void layers_expect_recorded(layers_test *test, const char *name, unsigned before);

// The status of a query
fp8rt_status layers_linear_status(layers_test *test, const fp8rt_linear_desc *desc);

// Operands: their memory comes from the arena. Tensors have codes of all magnitudes, zeros and
// subnormals; floats have magnitudes of 2^-8 to 2^8.
void *layers_take(layers_test *test, size_t bytes);
fp8rt_tensor layers_empty(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format);
fp8rt_tensor layers_codes(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format);
const float *layers_floats(layers_test *test, bool is_signed, uint32_t count);
fp8rt_weights layers_weights(layers_test *test, uint32_t rows, uint32_t cols);

// The families, in the order in which they run: X(name), of the function layers_name.
#define LAYERS_FAMILIES(X)                                                                         \
    X(linear)                                                                                      \
    X(mx)                                                                                          \
    X(row_scales)                                                                                  \
    X(convolution)                                                                                 \
    X(transposed)                                                                                  \
    X(arithmetic)                                                                                  \
    X(nonlinear)                                                                                   \
    X(pooling)                                                                                     \
    X(batch_norm)                                                                                  \
    X(recurrent)                                                                                   \
    X(attention)                                                                                   \
    X(normalise)                                                                                   \
    X(reduce)                                                                                      \
    X(move)                                                                                        \
    X(reciprocal)                                                                                  \
    X(logarithm)                                                                                   \
    X(transformer)                                                                                 \
    X(plans)                                                                                       \
    X(queries)                                                                                     \
    X(network)                                                                                     \
    X(tables)

#define LAYERS_DECLARE(name) void layers_##name(layers_test *test);
LAYERS_FAMILIES(LAYERS_DECLARE)
#undef LAYERS_DECLARE

#endif
