// SPDX-License-Identifier: Apache-2.0
#include "move_products.h"

#include "fp8rt/network.h"
#include "layer.h"

enum {
    COLUMNS = FP8RT_TURN_COLUMNS,
    ONE = 0x38, // E4M3
    // From the largest exponent of a format, 8 or 7, down to the smallest subnormal, 2^-9 or 2^-10
    WINDOW = 17,
};

#define ROW_OF_IDENTITY(i) [(i) * (COLUMNS + 1)] = ONE
#define ROWS_OF_IDENTITY(i)                                                                        \
    ROW_OF_IDENTITY(i), ROW_OF_IDENTITY((i) + 1), ROW_OF_IDENTITY((i) + 2), ROW_OF_IDENTITY((i) + 3)
static const _Alignas(FP8RT_NETWORK_ALIGN) uint8_t identity[COLUMNS * COLUMNS] = {
    ROWS_OF_IDENTITY(0),  ROWS_OF_IDENTITY(4),  ROWS_OF_IDENTITY(8),  ROWS_OF_IDENTITY(12),
    ROWS_OF_IDENTITY(16), ROWS_OF_IDENTITY(20), ROWS_OF_IDENTITY(24), ROWS_OF_IDENTITY(28),
};

// ---- the rule -----------------------------------------------------------------------------------

// Whether a sum with one product that is not 0 gives this product. Scaling exponents, which FP16
// accumulators have, would take small codes below FP16's smallest number.
static bool is_exact(const fp8rt_run *run, fp8mac_format_id format)
{
    const fp8rt_element *element = &run->dev->caps.element;
    return (format == FP8MAC_E4M3FN || format == FP8MAC_E4M3FNUZ) &&
           fp8rt_element_takes(element, format) && run->acc_format != FP8MAC_ACC_FP16 &&
           (element->frac_bits == 0 || element->frac_bits >= WINDOW ||
            element->align_by == FP8MAC_ALIGN_BY_PRODUCTS);
}

static bool is_columns_to_rows(const fp8rt_move_axis *axis)
{
    return axis->from.rows == 0 && axis->from.cols == 1 && axis->to.rows > 0 && axis->to.cols == 0;
}

static bool is_rows_to_columns(const fp8rt_move_axis *axis)
{
    return axis->from.rows > 0 && axis->from.cols == 0 && axis->to.rows == 0 && axis->to.cols == 1;
}

bool fp8rt_turn_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_matrices *turn)
{
    if (!desc->by_value || !is_exact(run, desc->x->format) ||
        !fp8rt_matrices_of(run, desc, is_columns_to_rows, is_rows_to_columns, turn) ||
        turn->columns.count == 0 || turn->rows.count == 0) {
        return false;
    }
    const uint32_t commands = (turn->columns.count + COLUMNS - 1u) / COLUMNS;
    return commands <= FP8RT_MOVE_MOST_COMMANDS / turn->times &&
           turn->columns.count * (uint64_t)turn->rows.count >=
               (uint64_t)commands * FP8RT_MOVE_LEAST_VALUES;
}

// ---- the commands -------------------------------------------------------------------------------

// rows x cols of a tensor as codes of scale 1
static fp8rt_tensor codes_of(const fp8rt_run *run, const fp8rt_tensor *whole, uint32_t row,
                             uint32_t rows, uint32_t step, uint32_t col, uint32_t cols)
{
    fp8rt_tensor part = fp8rt_tensor_part(run, whole, row, rows, step, col, cols);
    part.scale = 1.0f;
    part.scaling = NULL;
    return part;
}

// Columns first .. first + count - 1 of one transposition
static fp8rt_status turn_columns(fp8rt_run *run, const fp8rt_move_desc *desc,
                                 const fp8rt_matrices *turn, const fp8rt_place *at, uint32_t first,
                                 uint32_t count)
{
    const fp8rt_tensor ones = {.data = (void *)(uintptr_t)identity,
                               .rows = count,
                               .cols = count,
                               .stride = COLUMNS,
                               .format = FP8MAC_E4M3FN,
                               .scale = 1.0f};
    const uint32_t step = (uint32_t)turn->columns.to.rows;
    const fp8rt_weights x = {.codes = codes_of(run, desc->x, at->x_row, turn->rows.count,
                                               (uint32_t)turn->rows.from.rows, at->x_col + first,
                                               count)};
    fp8rt_tensor out = codes_of(run, desc->out, at->out_row + first * step, count, step,
                                at->out_col, turn->rows.count);
    const fp8rt_product product = {.x = &ones, .weights = &x};
    return fp8rt_layer_gemm(run, &product, &out);
}

fp8rt_status fp8rt_turn_run(fp8rt_run *run, const fp8rt_move_desc *desc, const fp8rt_matrices *turn)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < turn->times; i++) {
        const fp8rt_place at = fp8rt_move_place(desc, turn->others, i);
        for (uint32_t first = 0; first < turn->columns.count && status == FP8RT_OK;
             first += COLUMNS) {
            const uint32_t left = turn->columns.count - first;
            status = turn_columns(run, desc, turn, &at, first, left < COLUMNS ? left : COLUMNS);
        }
    }
    return status;
}
