// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include "plans.h"

// The scale by which values become codes.
static float to_codes(const fp8rt_run *run, const fp8rt_target *t)
{
    if (t->kind == FP8RT_SCALING_DELAYED) {
        return t->out->scaling->delayed->scale;
    }
    const float scale = t->fused->coding.table != 0 ? t->fused->table_scale : t->out->scale;
    return fp8rt_plans_inverse(run, fp8rt_layer_scale(scale));
}

static fp8rt_status aim_at_values(fp8rt_run *run, fp8rt_target *t)
{
    t->values = fp8rt_layer_tensor(run, t->out->rows, t->out->cols, FP8MAC_FP32);
    t->d = &t->values;
    t->scale_d = 1.0f;
    return t->values.data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

// An output with MX scales or a scale for each row is made of FP32 values.
static fp8rt_status aim_at_scaled(fp8rt_run *run, fp8rt_target *t)
{
    if (t->fused->coding.table != 0 || t->fused->coding.stochastic) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    const float scale_d = to_codes(run, t);
    const fp8rt_status status = aim_at_values(run, t);
    t->scale_d = scale_d;
    return status;
}

fp8rt_status fp8rt_target_aim(fp8rt_run *run, const fp8rt_fused *fused, fp8rt_tensor *out,
                              fp8rt_target *t)
{
    static const fp8rt_fused nothing;
    t->out = out;
    t->d = out;
    t->kind = fp8rt_layer_scaling(out);
    t->fused = fused == NULL ? &nothing : fused;
    t->on_core = false;
    if (t->kind != FP8RT_SCALING_STATIC && t->fused->coding.table != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (t->kind == FP8RT_SCALING_DELAYED && out->scaling->delayed == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (out->mx != NULL || out->row_scale != NULL) {
        return aim_at_scaled(run, t);
    }
    if (fp8rt_waits_for_amax(t->kind)) {
        return aim_at_values(run, t);
    }
    t->scale_d = to_codes(run, t);
    return t->d->data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

// The values at t->d become the codes of the output, whose scale is known now.
static fp8rt_status convert(fp8rt_run *run, const fp8rt_target *t)
{
    const fp8rt_fused fused = {.coding = t->fused->coding};
    fp8rt_tensor out = *t->out;
    out.scaling = NULL;
    return fp8rt_layer_convert(run, t->d, &fused, &out);
}

static fp8rt_status scale_by_amax(fp8rt_run *run, const fp8rt_target *t,
                                  const fp8rt_gemm_result *result)
{
    fp8rt_scaling *scaling = t->out->scaling;
    if (t->kind == FP8RT_SCALING_CALIBRATE &&
        fp8rt_fp32_bits(result->amax) > fp8rt_fp32_bits(scaling->amax)) {
        scaling->amax = result->amax;
    }
    const fp8rt_status status =
        fp8rt_layer_scale_from(t->out, result->amax, result->amax_nonfinite);
    return status == FP8RT_OK ? convert(run, t) : status;
}

// What remains to be done when the first command has run. In a query its result is not there.
fp8rt_status fp8rt_target_finish(fp8rt_run *run, const fp8rt_target *t,
                                 const fp8rt_gemm_result *result)
{
    if (!run->query && run->recorder == NULL) {
        t->on_core ? fp8rt_layer_flags(run, result) : fp8rt_layer_count(run, result);
    }
    if (t->out->mx != NULL) {
        return fp8rt_layer_to_mx(run, t->d, t->out);
    }
    if (t->out->row_scale != NULL) {
        return fp8rt_layer_quantise(run, t->d, t->out);
    }
    if (run->query) {
        return fp8rt_waits_for_amax(t->kind) ? convert(run, t) : FP8RT_OK;
    }
    if (run->recorder != NULL) { // nothing may depend on what the command has given
        return t->kind == FP8RT_SCALING_STATIC ? FP8RT_OK : FP8RT_ERR_UNSUPPORTED;
    }
    if (fp8rt_waits_for_amax(t->kind)) {
        return scale_by_amax(run, t, result);
    }
    if (t->kind == FP8RT_SCALING_DELAYED) {
        t->out->scale = fp8mac_recipe_inverse(t->scale_d);
        fp8mac_recipe_delayed_update(t->out->scaling->delayed, result->amax,
                                     result->amax_nonfinite);
    }
    return FP8RT_OK;
}
