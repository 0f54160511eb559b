// SPDX-License-Identifier: Apache-2.0
#include "move_matrices.h"

#include "layer.h"

static bool is_beats(const fp8rt_run *run, const fp8rt_move_desc *desc, int32_t columns)
{
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(desc->x->format));
    return ((uint32_t)columns * bytes & (run->dev->caps.beat_bytes - 1u)) == 0;
}

static bool sort(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_is_axis *is_columns,
                 fp8rt_is_axis *is_rows, fp8rt_matrices *matrices)
{
    unsigned others = 0;
    for (unsigned i = 0; i < FP8RT_MOVE_AXES; i++) {
        const fp8rt_move_axis *axis = &desc->axis[i];
        if (axis->count <= 1) {
            continue;
        }
        if (matrices->columns.count == 0 && is_columns(axis)) {
            matrices->columns = *axis;
        } else if (matrices->rows.count == 0 && is_rows(axis)) {
            matrices->rows = *axis;
        } else if (is_beats(run, desc, axis->from.cols) && is_beats(run, desc, axis->to.cols)) {
            matrices->others[others++] = *axis;
        } else {
            return false;
        }
    }
    return true;
}

bool fp8rt_matrices_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_is_axis *is_columns,
                       fp8rt_is_axis *is_rows, fp8rt_matrices *matrices)
{
    *matrices = (fp8rt_matrices){.times = 1};
    if (!is_beats(run, desc, (int32_t)desc->x_col) ||
        !is_beats(run, desc, (int32_t)desc->out_col) ||
        !sort(run, desc, is_columns, is_rows, matrices) ||
        matrices->columns.count > FP8RT_MOVE_MOST_COUNT ||
        matrices->rows.count > FP8RT_MOVE_MOST_COUNT) {
        return false;
    }
    for (unsigned i = 0; i < FP8RT_MOVE_AXES && matrices->others[i].count != 0; i++) {
        if (matrices->others[i].count > FP8RT_MOVE_MOST_COMMANDS / matrices->times) {
            return false;
        }
        matrices->times *= matrices->others[i].count;
    }
    return true;
}

fp8rt_place fp8rt_move_place(const fp8rt_move_desc *desc,
                             const fp8rt_move_axis others[FP8RT_MOVE_AXES], uint32_t index)
{
    fp8rt_place at = {desc->x_row, desc->x_col, desc->out_row, desc->out_col};
    for (unsigned i = FP8RT_MOVE_AXES; i-- != 0;) {
        const fp8rt_move_axis *axis = &others[i];
        if (axis->count != 0) {
            const uint32_t step = index % axis->count;
            index /= axis->count;
            at.x_row += step * (uint32_t)axis->from.rows;
            at.x_col += step * (uint32_t)axis->from.cols;
            at.out_row += step * (uint32_t)axis->to.rows;
            at.out_col += step * (uint32_t)axis->to.cols;
        }
    }
    return at;
}
