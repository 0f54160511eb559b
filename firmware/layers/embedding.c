// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/embedding.h"

#include "layer.h"

static fp8rt_status check_positions(fp8rt_run *run, const fp8rt_embedding_desc *desc)
{
    const fp8rt_tensor *positions = desc->positions;
    if (positions == NULL) {
        return FP8RT_OK;
    }
    const fp8rt_status status = fp8rt_layer_check_any(run, desc->positions);
    if (status != FP8RT_OK) {
        return status;
    }
    const bool fits = positions->cols == desc->out->cols && desc->out->rows <= positions->rows;
    const char *misfit = !fits                                             ? "desc->positions"
                         : desc->first > positions->rows - desc->out->rows ? "desc->first"
                                                                           : NULL;
    return fp8rt_layer_fit(run, misfit);
}

static fp8rt_status check_indices(fp8rt_run *run, const fp8rt_embedding_desc *desc)
{
    for (uint32_t i = 0; i < desc->out->rows && !run->query; i++) {
        if (desc->indices[i] >= desc->table->rows) {
            return fp8rt_layer_fit(run, "desc->indices");
        }
    }
    return FP8RT_OK;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_embedding_desc *desc = layer;
    if (desc == NULL || desc->indices == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_any(run, desc->table);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status == FP8RT_OK && desc->out->cols != desc->table->cols) {
        status = fp8rt_layer_fit(run, "desc->out");
    }
    if (status == FP8RT_OK) {
        status = check_positions(run, desc);
    }
    return status == FP8RT_OK ? check_indices(run, desc) : status;
}

static void gather(const fp8rt_caps *caps, const fp8rt_embedding_desc *desc, fp8rt_tensor *rows)
{
    const uint32_t from = fp8rt_tensor_stride(caps, desc->table);
    const uint32_t to = fp8rt_tensor_stride(caps, rows);
    const uint32_t bytes = rows->cols * fp8mac_format_bytes(fp8mac_format_get(rows->format));
    for (uint32_t i = 0; i < rows->rows; i++) {
        memcpy((uint8_t *)rows->data + (size_t)i * to,
               (const uint8_t *)desc->table->data + (size_t)desc->indices[i] * from, bytes);
    }
}

// Rows of the table are those of `out` already.
static bool is_copy(const fp8rt_embedding_desc *desc)
{
    const fp8rt_tensor *table = desc->table, *out = desc->out;
    return desc->positions == NULL && table->format == out->format &&
           fp8rt_layer_scale(table->scale) == fp8rt_layer_scale(out->scale) &&
           fp8rt_layer_scaling(out) == FP8RT_SCALING_STATIC;
}

// Rows of the table as an operand: one row where it lies, several ones as copies.
static fp8rt_status take_rows(fp8rt_run *run, const fp8rt_embedding_desc *desc, fp8rt_tensor *rows)
{
    const fp8rt_tensor *table = desc->table, *out = desc->out;
    if (out->rows == 1) {
        *rows =
            fp8rt_tensor_part(run, table, run->query ? 0 : desc->indices[0], 1, 1, 0, table->cols);
        return FP8RT_OK;
    }
    *rows = fp8rt_layer_tensor(run, out->rows, out->cols, table->format);
    if (rows->data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    rows->scale = table->scale;
    if (fp8rt_layer_computes(run)) {
        gather(&run->dev->caps, desc, rows);
    }
    return FP8RT_OK;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_embedding_desc *desc = layer;
    const fp8rt_caps *caps = &run->dev->caps;
    if (is_copy(desc) && fp8rt_layer_computes(run)) {
        gather(caps, desc, desc->out);
    }
    if (is_copy(desc)) {
        return FP8RT_OK;
    }
    fp8rt_tensor rows, positions;
    fp8rt_combination sum = {.operation = FP8RT_OPERATION_ADD, .x = &rows, .factor = 1.0f};
    const fp8rt_status status = take_rows(run, desc, &rows);
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->positions != NULL) {
        positions = fp8rt_tensor_part(run, desc->positions, desc->first, rows.rows, 1, 0,
                                      desc->positions->cols);
        sum.c = &positions;
    }
    return fp8rt_layer_combine(run, &sum, desc->out);
}

fp8rt_status fp8rt_embedding(fp8rt_run *run, const fp8rt_embedding_desc *desc)
{
    return fp8rt_layer(run, "embedding", desc, check, compute);
}
