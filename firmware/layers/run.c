// SPDX-License-Identifier: Apache-2.0
// The run of a network: its scratch, its status and its profile.
#include "layer.h"
#include "record.h"
#include "regions.h"

// A query has no memory. Its commands are checked, so its scratch stands where no tensor lies:
// where an address has 32 bits, in the last 512 MiB; else where no address is possible.
#if UINTPTR_MAX > UINT32_MAX
#define QUERY_SCRATCH (UINT64_C(1) << 62)
#else
#define QUERY_SCRATCH UINT32_C(0xe0000000)
#endif

static fp8rt_run run_of(fp8rt_device *dev)
{
    return (fp8rt_run){
        .dev = dev,
        .acc_format = dev == NULL ? FP8MAC_ACC_FP32 : fp8rt_element_accumulator(&dev->caps.element),
        .entry = FP8RT_NO_ENTRY,
    };
}

fp8rt_run fp8rt_run_query(fp8rt_device *dev)
{
    fp8rt_run run = run_of(dev);
    run.query = true;
    run.record_bytes = fp8rt_record_bytes();
    return run;
}

fp8rt_run fp8rt_run_on(fp8rt_device *dev, void *scratch, size_t bytes)
{
    fp8rt_run run = run_of(dev);
    run.scratch = scratch;
    run.bytes = bytes;
    return run;
}

// ---- profile ------------------------------------------------------------------------------------

static uint64_t now(const fp8rt_run *run)
{
    return run->profile == NULL || run->profile->clock == NULL ? 0 : run->profile->clock();
}

static fp8rt_profile_entry *entry_at(const fp8rt_run *run, uint32_t entry)
{
    return entry == FP8RT_NO_ENTRY ? NULL : &run->profile->entries[entry];
}

// The entry of a layer that begins.
static uint32_t open_entry(fp8rt_run *run, const char *name)
{
    fp8rt_profile *profile = run->profile;
    if (profile == NULL || run->query || run->recorder != NULL) {
        return FP8RT_NO_ENTRY;
    }
    const uint32_t index = profile->count++;
    if (index >= profile->capacity ||
        profile->entries == NULL) { // its commands count for the layer that calls it
        return run->entry;
    }
    profile->entries[index] = (fp8rt_profile_entry){.name = name, .depth = run->depth};
    return index;
}

void fp8rt_layer_flags(fp8rt_run *run, const fp8rt_gemm_result *result)
{
    run->flags |= result->flags;
    run->nonfinite = run->nonfinite || result->amax_nonfinite;
}

void fp8rt_layer_count(fp8rt_run *run, const fp8rt_gemm_result *result)
{
    fp8rt_layer_flags(run, result);
    fp8rt_profile_entry *entry = entry_at(run, run->entry);
    if (entry != NULL) {
        entry->commands++;
        fp8rt_counters_add(&entry->counters, &result->counters);
    }
}

static void close_entry(fp8rt_run *run, const fp8rt_scope *scope)
{
    if (run->entry == scope->parent) { // it has no entry of its own
        return;
    }
    fp8rt_profile_entry *entry = entry_at(run, run->entry);
    fp8rt_profile_entry *parent = entry_at(run, scope->parent);
    if (entry != NULL) {
        entry->core_cycles = (uint32_t)(now(run) - scope->start);
    }
    if (entry != NULL && parent != NULL) {
        parent->commands += entry->commands;
        fp8rt_counters_add(&parent->counters, &entry->counters);
    }
    run->entry = scope->parent;
}

void fp8rt_layer_observe(fp8rt_run *run, fp8rt_scope *scope, const void *desc)
{
    // A layer without an entry of its own has that of the layer that calls it.
    if (run->query || run->recorder != NULL || run->entry == scope->parent ||
        run->profile->observer == NULL) {
        return;
    }
    fp8rt_observer *observer = run->profile->observer;
    observer->before(observer, &run->dev->caps, entry_at(run, run->entry), desc);
    scope->observed = true;
}

// ---- layers -------------------------------------------------------------------------------------

static fp8rt_status check_run(const fp8rt_run *run)
{
    const fp8rt_profile *profile = run->profile;
    if (run->dev == NULL || (!run->query && run->scratch == NULL && run->bytes != 0) ||
        (profile != NULL && profile->entries == NULL && profile->capacity != 0)) {
        return FP8RT_ERR_NULL;
    }
    if (run->dev->stamp == 0) {
        return FP8RT_ERR_NOT_OPEN;
    }
    return ((uintptr_t)run->scratch & (run->dev->caps.beat_bytes - 1u)) != 0 ? FP8RT_ERR_ALIGNMENT
                                                                             : FP8RT_OK;
}

fp8rt_status fp8rt_layer_begin(fp8rt_run *run, const char *name, fp8rt_scope *scope)
{
    if (run == NULL) {
        *scope = (fp8rt_scope){0};
        return FP8RT_ERR_NULL;
    }
    if (run->label != NULL) {
        name = run->depth == 0 ? run->label : name;
        run->label = NULL;
    }
    *scope =
        (fp8rt_scope){.used = run->used, .parent = run->entry, .start = now(run), .name = name};
    run->entry = open_entry(run, name);
    run->depth++;
    run->wrong = run->status == FP8RT_OK ? NULL : run->wrong;
    if (run->recorder != NULL || run->query) {
        fp8rt_record_layer(run, name);
    }
    return run->status != FP8RT_OK ? run->status : check_run(run);
}

fp8rt_status fp8rt_layer_end(fp8rt_run *run, const fp8rt_scope *scope, fp8rt_status status)
{
    if (run == NULL) {
        return status;
    }
    if (run->status == FP8RT_OK && status != FP8RT_OK) {
        run->status = status;
    }
    if (run->status != FP8RT_OK && run->failed == NULL) {
        run->failed = scope->name;
    }
    run->used = scope->used;
    run->depth--;
    fp8rt_profile_entry *entry = entry_at(run, run->entry);
    close_entry(run, scope);
    if (scope->observed) {
        run->profile->observer->after(run->profile->observer, entry, status);
    }
    return status;
}

void *fp8rt_layer_take(fp8rt_run *run, size_t bytes)
{
    const size_t beat = run->dev->caps.beat_bytes, start = run->used;
    const size_t end = start + ((bytes + beat - 1u) & ~(beat - 1u));
    if (!run->query && end > run->bytes) {
        return NULL;
    }
    run->used = end;
    run->peak = end > run->peak ? end : run->peak;
    return run->query ? (void *)(uintptr_t)(QUERY_SCRATCH + start) : run->scratch + start;
}

fp8rt_tensor fp8rt_layer_tensor(fp8rt_run *run, uint32_t rows, uint32_t cols,
                                fp8mac_format_id format)
{
    fp8rt_tensor tensor = {.rows = rows, .cols = cols, .format = format, .scale = 1.0f};
    const uint64_t bytes = (uint64_t)rows * fp8rt_tensor_stride(&run->dev->caps, &tensor);
    tensor.data = bytes > UINT32_MAX / 2u ? NULL : fp8rt_layer_take(run, (size_t)bytes);
    return tensor;
}

// ---- checks -------------------------------------------------------------------------------------

static fp8rt_status check_region(const fp8rt_run *run, const fp8rt_tensor *tensor)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    if ((((uintptr_t)tensor->data | tensor->stride) & (beat - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    if (tensor->stride == 0) {
        return FP8RT_OK;
    }
    const fp8rt_region region = {
        .address = (uintptr_t)tensor->data,
        .rows = tensor->rows,
        .stride = tensor->stride,
        .row_bytes = tensor->cols * fp8mac_format_bytes(fp8mac_format_get(tensor->format)),
    };
    return tensor->stride < region.row_bytes || !fp8rt_region_fits(&region) ? FP8RT_ERR_STRIDE
                                                                            : FP8RT_OK;
}

static fp8rt_status check_tensor(const fp8rt_run *run, const fp8rt_tensor *tensor,
                                 fp8mac_format_id first, fp8mac_format_id last)
{
    if (tensor == NULL || tensor->data == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (tensor->rows == 0 || tensor->cols == 0 || tensor->cols > UINT32_MAX / 8u) {
        return FP8RT_ERR_SHAPE;
    }
    if (tensor->format < first || tensor->format > last) {
        return FP8RT_ERR_FORMAT;
    }
    if (!fp8rt_fp32_is_scale(fp8rt_fp32_bits(fp8rt_layer_scale(tensor->scale))) ||
        (tensor->scaling != NULL && (unsigned)tensor->scaling->kind > FP8RT_SCALING_CALIBRATE)) {
        return FP8RT_ERR_SCALE;
    }
    if (tensor->one_scale && tensor->row_scale == NULL) {
        return FP8RT_ERR_NULL;
    }
    return tensor->mx != NULL || tensor->row_scale != NULL ? FP8RT_ERR_UNSUPPORTED
                                                           : check_region(run, tensor);
}

static fp8rt_status named(fp8rt_run *run, const char *name, fp8rt_status status)
{
    if (status != FP8RT_OK) {
        run->wrong = name;
    }
    return status;
}

fp8rt_status fp8rt_layer_fit(fp8rt_run *run, const char *misfit)
{
    return misfit == NULL ? FP8RT_OK : named(run, misfit, FP8RT_ERR_SHAPE);
}

fp8rt_status fp8rt_layer_check_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                     fp8mac_format_id first, fp8mac_format_id last,
                                     const char *name)
{
    return named(run, name, check_tensor(run, tensor, first, last));
}

fp8rt_status fp8rt_layer_check_ends(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    const fp8rt_status status =
        fp8rt_layer_check_named(run, x, FP8MAC_E4M3FN, fp8rt_layer_last_format(run), "desc->x");
    return status == FP8RT_OK ? fp8rt_layer_check_named(run, out, FP8MAC_E4M3FN,
                                                        fp8rt_layer_last_format(run), "desc->out")
                              : status;
}

static fp8rt_status check_mx(const fp8rt_run *run, const fp8rt_tensor *tensor)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    if ((unsigned)tensor->format > FP8MAC_E5M2FNUZ) {
        return FP8RT_ERR_FORMAT;
    }
    if ((run->dev->caps.functions & FP8MAC_FUNCTION_MX) == 0 || tensor->scaling != NULL) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if ((((uintptr_t)tensor->mx | tensor->mx_stride) & (beat - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    return fp8rt_tensor_mx_stride(&run->dev->caps, tensor) < fp8rt_mx_blocks(tensor->cols)
               ? FP8RT_ERR_STRIDE
               : FP8RT_OK;
}

// Whether the codes of all rows lie one behind the other, so that they are one row of a row command
static bool is_packed(const fp8rt_run *run, const fp8rt_tensor *tensor)
{
    return tensor->rows == 1 || (fp8rt_tensor_stride(&run->dev->caps, tensor) == tensor->cols &&
                                 (uint64_t)tensor->rows * tensor->cols <= FP8MAC_ROWS_MAX_COLS);
}

static fp8rt_status check_row_scale(const fp8rt_run *run, const fp8rt_tensor *tensor)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    if ((unsigned)tensor->format > FP8MAC_E5M2FNUZ) {
        return FP8RT_ERR_FORMAT;
    }
    if (tensor->scaling != NULL) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (fp8rt_fp32_bits(fp8rt_layer_scale(tensor->scale)) != FP8RT_FP32_ONE) {
        return FP8RT_ERR_SCALE;
    }
    if (tensor->one_scale && !is_packed(run, tensor)) {
        return FP8RT_ERR_SHAPE;
    }
    return ((uintptr_t)tensor->row_scale & (beat - 1u)) != 0 ? FP8RT_ERR_ALIGNMENT : FP8RT_OK;
}

fp8rt_status fp8rt_layer_check_rows_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                          fp8mac_format_id first, fp8mac_format_id last,
                                          const char *name)
{
    if (tensor == NULL || tensor->row_scale == NULL) {
        return fp8rt_layer_check_named(run, tensor, first, last, name);
    }
    fp8rt_tensor codes = *tensor;
    codes.row_scale = NULL;
    codes.one_scale = false;
    const fp8rt_status status = fp8rt_layer_check_named(run, &codes, first, last, name);
    return status == FP8RT_OK ? named(run, name, check_row_scale(run, tensor)) : status;
}

fp8rt_status fp8rt_layer_check_mx_named(fp8rt_run *run, const fp8rt_tensor *tensor,
                                        fp8mac_format_id first, fp8mac_format_id last,
                                        const char *name)
{
    if (tensor == NULL || tensor->mx == NULL) {
        return fp8rt_layer_check_rows_named(run, tensor, first, last, name);
    }
    fp8rt_tensor codes = *tensor;
    codes.mx = NULL;
    const fp8rt_status status = fp8rt_layer_check_named(run, &codes, first, last, name);
    return status == FP8RT_OK ? named(run, name, check_mx(run, tensor)) : status;
}

fp8rt_status fp8rt_layer_check_weights_named(fp8rt_run *run, const fp8rt_weights *weights,
                                             uint32_t k, const char *name)
{
    const fp8rt_status status =
        fp8rt_layer_check_named(run, weights == NULL ? NULL : &weights->codes,
                                fp8rt_layer_operand(run), fp8rt_layer_last_operand(run), name);
    if (status != FP8RT_OK) {
        return status;
    }
    const fp8rt_element *element = &run->dev->caps.element;
    const bool fits = weights->codes.cols == k && fp8rt_element_holds(element, k);
    return fp8rt_layer_fit(run, fits ? NULL : name);
}

// ---- message ------------------------------------------------------------------------------------

static char *append(char *to, const char *end, const char *text)
{
    while (*text != '\0' && to + 1 < end) {
        *to++ = *text++;
    }
    return to;
}

const char *fp8rt_run_message(const fp8rt_run *run, char *text, size_t bytes)
{
    char *to = text, *const end = text + bytes;
    if (bytes == 0) {
        return "";
    }
    if (run->failed != NULL) {
        to = append(append(to, end, run->failed), end, ": ");
    }
    if (run->failed != NULL && run->wrong != NULL) {
        to = append(append(to, end, run->wrong), end, ": ");
    }
    *append(to, end, fp8rt_status_string(run->status)) = '\0';
    return text;
}
