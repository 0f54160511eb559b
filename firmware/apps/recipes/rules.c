// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

static float observed_amax(const rules_observed *observed)
{
    const float infinity = 0x1p127f * 2.0f;
    return observed->nonfinite ? infinity : observed->amax;
}

static fp8mac_recipe_formula formula_of(const rules_state *state)
{
    return (fp8mac_recipe_formula){
        .fp8_max = state->fp8_max, .margin = state->rule->margin, .form = state->rule->form};
}

// A rule whose first scale comes from the calibration as the later ones come from outputs.
static void begin_with_next(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    const rules_observed observed = {.amax = amax, .outputs = 1};
    state->rule->next(state, &observed);
}

// ---- AutoFP8, vLLM, TensorRT-LLM ----------------------------------------------------------------

static void begin_static(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    float quantise, dequantise;
    if (fp8mac_recipe_static_scales(state->rule->scheme, state->fp8_max, &amax, 1, &quantise,
                                    &dequantise) == FP8MAC_OK) {
        fp8mac_recipe_static(quantise, &state->scale);
    }
}

// ---- dynamic, and Transformer Engine's delayed scaling ------------------------------------------

static void next_dynamic(rules_state *state, const rules_observed *observed)
{
    fp8mac_recipe_dynamic(formula_of(state), observed->amax, observed->nonfinite, &state->scale);
}

static float pytorch_scale(float amax, float previous, fp8mac_recipe_formula formula, void *context)
{
    (void)context;
    return fp8mac_recipe_pytorch_scale(formula.fp8_max, amax, false, previous);
}

static void next_delayed(rules_state *state, const rules_observed *observed)
{
    state->scale =
        fp8mac_recipe_delayed_update(&state->delayed, observed->amax, observed->nonfinite);
}

static void begin_delayed_by(rules_state *state, fp8mac_recipe_scale_fn scale_fn, float amax)
{
    const fp8mac_recipe_delayed_config config = {.formula = formula_of(state),
                                                 .interval = state->rule->interval,
                                                 .window = state->rule->window,
                                                 .scale_fn = scale_fn,
                                                 .history = state->history,
                                                 .history_length = RULES_HISTORY};
    if (fp8mac_recipe_delayed_init(&state->delayed, config, 1.0f) == FP8MAC_OK) {
        begin_with_next(state, NULL, 0, amax);
    }
}

static void begin_delayed(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    begin_delayed_by(state, NULL, amax);
}

// ---- PyTorch ------------------------------------------------------------------------------------

static void begin_pytorch_delayed(rules_state *state, const float *values, uint32_t count,
                                  float amax)
{
    (void)values, (void)count;
    begin_delayed_by(state, pytorch_scale, amax);
}

static void next_pytorch(rules_state *state, const rules_observed *observed)
{
    state->scale = fp8mac_recipe_pytorch_scale(state->fp8_max, observed_amax(observed),
                                               state->rule->power_of_two, state->scale);
}

static void begin_pytorch(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    const rules_observed observed = {.amax = amax};
    next_pytorch(state, &observed);
}

// ---- XLA ----------------------------------------------------------------------------------------

// The accelerator multiplies by 1 / scale; XLA divides by the scale.
static void next_xla(rules_state *state, const rules_observed *observed)
{
    state->dequantising =
        fp8mac_recipe_xla_next(state->fp8_max, observed_amax(observed), state->dequantising);
    state->scale = fp8mac_recipe_inverse(state->dequantising);
}

// ---- Graphcore ----------------------------------------------------------------------------------

static void next_graphcore(rules_state *state, const rules_observed *observed)
{
    state->bias =
        fp8mac_recipe_graphcore_amax_bias(state->fp8_max, observed_amax(observed), state->bias);
    state->scale = fp8mac_recipe_power_of_two(state->bias);
}

static void begin_cscale(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    const int bias = fp8mac_recipe_graphcore_amax_bias(state->fp8_max, amax, 0);
    state->bias = fp8mac_recipe_graphcore_cscale_bias(bias);
    state->scale = fp8mac_recipe_power_of_two(state->bias);
}

// ---- FP8-LM -------------------------------------------------------------------------------------

// The scale of the calibration, times the automatic factor.
static void next_fp8lm(rules_state *state, const rules_observed *observed)
{
    state->mu = fp8mac_recipe_fp8lm_mu(state->mu, observed->saturated, observed->outputs);
    state->scale = state->calibrated *
                   fp8mac_recipe_reduction_factors(FP8MAC_REDUCTION_AUTOMATIC, 1, state->mu).before;
}

static void begin_fp8lm(rules_state *state, const float *values, uint32_t count, float amax)
{
    (void)values, (void)count;
    state->calibrated = fp8mac_recipe_scale(formula_of(state), amax, 1.0f);
    state->scale = state->calibrated;
}

// ---- Qualcomm -----------------------------------------------------------------------------------

// A flexible bias b is a scale of 2^(b - 7) before e4m3fn, whose bias is 7. The chip has no format
// without NaN, so its largest number is 448, where that of qc_e4m3 is 480.
static void begin_qualcomm(rules_state *state, const float *values, uint32_t count, float amax)
{
    enum { E4M3_BIAS = 7, SAMPLES = 32, BELOW = 2, ABOVE = 3 };
    float samples[SAMPLES];
    for (uint32_t i = 0; i < SAMPLES; i++) {
        samples[i] = values[i * (count / SAMPLES)];
    }
    const int middle = fp8mac_recipe_graphcore_amax_bias(state->fp8_max, amax, 0) + E4M3_BIAS;
    if (fp8mac_recipe_qualcomm_bias(FP8MAC_QC_E4M3, samples, SAMPLES, middle - BELOW,
                                    middle + ABOVE, &state->bias) == FP8MAC_OK) {
        state->scale = fp8mac_recipe_power_of_two(state->bias - E4M3_BIAS);
    }
}

// ---- table --------------------------------------------------------------------------------------

const rules_rule rules_all[RULES_COUNT] = {
    {.name = "autofp8", .begin = begin_static, .scheme = FP8MAC_SCHEME_AUTOFP8},
    {.name = "vllm", .begin = begin_static, .scheme = FP8MAC_SCHEME_VLLM},
    {.name = "tensorrt_llm", .begin = begin_static, .scheme = FP8MAC_SCHEME_TENSORRT_LLM},
    {.name = "pytorch_static", .begin = begin_pytorch},
    {.name = "graphcore_cscale", .begin = begin_cscale},
    {.name = "qualcomm_bias", .begin = begin_qualcomm},
    {.name = "te_max", .kind = RULES_BEFORE, .begin = begin_delayed, .next = next_delayed},
    {.name = "te_most_recent",
     .kind = RULES_BEFORE,
     .begin = begin_delayed,
     .next = next_delayed,
     .window = FP8MAC_RECIPE_MOST_RECENT},
    {.name = "te_interval_4",
     .kind = RULES_BEFORE,
     .begin = begin_delayed,
     .next = next_delayed,
     .interval = 4},
    {.name = "te_power_of_two",
     .kind = RULES_BEFORE,
     .begin = begin_delayed,
     .next = next_delayed,
     .form = FP8MAC_RECIPE_POWER_OF_TWO,
     .margin = 1},
    {.name = "te_hybrid_e5m2",
     .kind = RULES_BEFORE,
     .format = FP8MAC_E5M2,
     .begin = begin_delayed,
     .next = next_delayed},
    {.name = "pytorch_delayed",
     .kind = RULES_BEFORE,
     .begin = begin_pytorch_delayed,
     .next = next_delayed},
    {.name = "xla", .kind = RULES_BEFORE, .begin = begin_with_next, .next = next_xla},
    {.name = "xla_ieee_e5m2",
     .kind = RULES_BEFORE,
     .format = FP8MAC_E5M2,
     .overflow = FP8MAC_OVERFLOW_IEEE,
     .begin = begin_with_next,
     .next = next_xla},
    {.name = "fp8lm",
     .kind = RULES_BEFORE,
     .begin = begin_fp8lm,
     .next = next_fp8lm,
     .form = FP8MAC_RECIPE_POWER_OF_TWO},
    {.name = "dynamic", .kind = RULES_ITSELF, .begin = begin_with_next, .next = next_dynamic},
    {.name = "pytorch_dynamic",
     .kind = RULES_ITSELF,
     .begin = begin_with_next,
     .next = next_pytorch},
    {.name = "pytorch_pow2",
     .kind = RULES_ITSELF,
     .begin = begin_with_next,
     .next = next_pytorch,
     .power_of_two = true},
    {.name = "graphcore_amax",
     .kind = RULES_ITSELF,
     .begin = begin_with_next,
     .next = next_graphcore},
    {.name = "mx", .kind = RULES_BLOCKS},
};

void rules_begin(rules_state *state, const rules_rule *rule, const float *values, uint32_t count,
                 float amax)
{
    *state = (rules_state){.rule = rule,
                           .fp8_max = fp8mac_recipe_format_max(fp8mac_format_get(rule->format)),
                           .scale = 1.0f,
                           .dequantising = 1.0f,
                           .mu = 1.0f};
    if (rule->begin != NULL) {
        rule->begin(state, values, count, amax);
    }
}

void rules_copy(rules_state *to, const rules_state *from)
{
    *to = *from;
    to->delayed.config.history = to->history;
}

void rules_next(rules_state *state, const rules_observed *observed)
{
    if (state->rule->next != NULL) {
        state->rule->next(state, observed);
    }
}
