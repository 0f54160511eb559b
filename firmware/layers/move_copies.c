// SPDX-License-Identifier: Apache-2.0
#include "move_copies.h"

#include "layer.h"
#include "plans.h"

// ---- the rule -----------------------------------------------------------------------------------

static bool is_possible(const fp8rt_run *run)
{
    return (run->dev->caps.functions & FP8MAC_FUNCTION_ELEMENTWISE) != 0;
}

static bool is_columns(const fp8rt_move_axis *axis)
{
    return axis->from.rows == 0 && axis->from.cols == 1 && axis->to.rows == 0 && axis->to.cols == 1;
}

static bool is_rows(const fp8rt_move_axis *axis)
{
    return axis->from.rows > 0 && axis->from.cols == 0 && axis->to.rows > 0 && axis->to.cols == 0;
}

static uint32_t rows_of(const fp8rt_matrices *copies)
{
    return copies->rows.count == 0 ? 1u : copies->rows.count;
}

bool fp8rt_copies_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_matrices *copies)
{
    return desc->by_value && is_possible(run) &&
           fp8rt_matrices_of(run, desc, is_columns, is_rows, copies) &&
           copies->columns.count != 0 &&
           copies->columns.count * (uint64_t)rows_of(copies) >= FP8RT_MOVE_LEAST_VALUES;
}

// ---- the commands -------------------------------------------------------------------------------

// The accelerator writes no -128. So bytes of INT8 are copied as E4M3FNUZ, whose 256 codes stay
// what they are: it has one NaN, 0x80, and no -0.
static fp8mac_format_id format_of(fp8mac_format_id format)
{
    return format == FP8MAC_INT8 ? FP8MAC_E4M3FNUZ : format;
}

static uint32_t step_of(uint32_t count, int32_t rows)
{
    return count == 0 ? 1u : (uint32_t)rows;
}

static fp8rt_status copy_matrix(fp8rt_run *run, const fp8rt_move_desc *desc,
                                const fp8rt_matrices *copies, const fp8rt_place *at)
{
    const uint32_t rows = rows_of(copies), cols = copies->columns.count;
    const fp8rt_tensor x =
        fp8rt_tensor_part(run, desc->x, at->x_row, rows,
                          step_of(copies->rows.count, copies->rows.from.rows), at->x_col, cols);
    const fp8rt_tensor out =
        fp8rt_tensor_part(run, desc->out, at->out_row, rows,
                          step_of(copies->rows.count, copies->rows.to.rows), at->out_col, cols);
    fp8rt_elementwise_plan plan;
    fp8rt_gemm_result result;
    fp8rt_plans_clear(&plan.desc, sizeof plan.desc);
    plan.desc.operation = FP8RT_OPERATION_ADD;
    plan.desc.m = rows;
    plan.desc.n = cols;
    plan.desc.x = x.data;
    plan.desc.x_stride = x.stride;
    plan.desc.x_format = format_of(x.format);
    plan.desc.d = out.data;
    plan.desc.d_stride = out.stride;
    plan.desc.d_format = format_of(out.format);
    plan.desc.overflow = FP8MAC_OVERFLOW_IEEE;
    const fp8rt_status status = fp8rt_plans_elementwise(run, &plan, &result);
    if (status == FP8RT_OK && x.format != FP8MAC_INT8) { // -128 is no NaN
        fp8rt_layer_flags(run, &result);
    }
    return status;
}

fp8rt_status fp8rt_copies_run(fp8rt_run *run, const fp8rt_move_desc *desc,
                              const fp8rt_matrices *copies)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < copies->times && status == FP8RT_OK; i++) {
        const fp8rt_place at = fp8rt_move_place(desc, copies->others, i);
        status = copy_matrix(run, desc, copies, &at);
    }
    return status;
}
