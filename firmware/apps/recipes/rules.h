// SPDX-License-Identifier: Apache-2.0
// The scaling recipes of fp8mac/recipe.h and fp8mac/recipe_published.h behind one interface: each
// one gives a quantising scale for an output.
#ifndef RULES_H
#define RULES_H

#include "fp8mac/convert.h"
#include "fp8mac/recipe_published.h"

enum { RULES_COUNT = 20, RULES_HISTORY = 16 };

// What a rule learns of an output.
typedef struct rules_observed {
    float amax;
    bool nonfinite;
    uint32_t saturated, outputs;
} rules_observed;

typedef enum rules_kind {
    RULES_GIVEN,  // the scale follows from a calibration and stays
    RULES_BEFORE, // from the outputs before this one: a GEMM writes the codes
    RULES_ITSELF, // from this output: a GEMM writes FP32, a second command the codes
    RULES_BLOCKS, // likewise, a scale for each 32 values
} rules_kind;

typedef struct rules_state rules_state;

typedef struct rules_rule {
    const char *name;
    rules_kind kind;
    fp8mac_format_id format;
    fp8mac_overflow overflow;
    // The scale after a calibration that has seen these values and their amax
    void (*begin)(rules_state *state, const float *values, uint32_t count, float amax);
    // The scale for the next output, or with RULES_ITSELF for this one. NULL: it stays
    void (*next)(rules_state *state, const rules_observed *observed);
    // Of Transformer Engine's delayed scaling
    fp8mac_recipe_window window;
    fp8mac_recipe_form form;
    int margin;
    uint32_t interval;
    // A variant of the recipe: a scheme of static scales, or powers of two
    fp8mac_recipe_scheme scheme;
    bool power_of_two;
} rules_rule;

struct rules_state {
    const rules_rule *rule;
    float fp8_max;
    float scale; // quantising
    float calibrated, dequantising, mu;
    int bias;
    fp8mac_recipe_delayed delayed;
    float history[RULES_HISTORY];
};

extern const rules_rule rules_all[RULES_COUNT];

// The state after the calibration.
void rules_begin(rules_state *state, const rules_rule *rule, const float *values, uint32_t count,
                 float amax);
// A copy with a history of its own.
void rules_copy(rules_state *to, const rules_state *from);
void rules_next(rules_state *state, const rules_observed *observed);

#endif
