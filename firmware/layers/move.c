// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/move.h"

#include <string.h>

#include "layer.h"
#include "move_copies.h"
#include "move_products.h"
#include "record.h"

enum { AXES = FP8RT_MOVE_AXES };

static uint32_t count_of(const fp8rt_move_desc *desc, unsigned axis)
{
    return desc->axis[axis].count == 0 ? 1u : desc->axis[axis].count;
}

// ---- checks -------------------------------------------------------------------------------------

// Whether first + the sum of (count - 1) * step stays within 0 and size - 1, wherever the indices
// are
static bool is_inside(const fp8rt_move_desc *desc, uint32_t first, const int32_t step[AXES],
                      uint32_t size)
{
    int64_t low = first, high = first;
    for (unsigned i = 0; i < AXES; i++) {
        const int64_t way = (int64_t)(count_of(desc, i) - 1u) * step[i];
        low += way < 0 ? way : 0;
        high += way > 0 ? way : 0;
        if (low < 0 || high >= (int64_t)size) {
            return false;
        }
    }
    return true;
}

// The tensor in which the move does not stay, or NULL
static const char *misfit(const fp8rt_move_desc *desc)
{
    int32_t from_rows[AXES], from_cols[AXES], to_rows[AXES], to_cols[AXES];
    for (unsigned i = 0; i < AXES; i++) {
        const fp8rt_move_axis *axis = &desc->axis[i];
        from_rows[i] = axis->from.rows;
        from_cols[i] = axis->from.cols;
        to_rows[i] = axis->to.rows;
        to_cols[i] = axis->to.cols;
    }
    if (!is_inside(desc, desc->x_row, from_rows, desc->x->rows) ||
        !is_inside(desc, desc->x_col, from_cols, desc->x->cols)) {
        return "desc->x";
    }
    return is_inside(desc, desc->out_row, to_rows, desc->out->rows) &&
                   is_inside(desc, desc->out_col, to_cols, desc->out->cols)
               ? NULL
               : "desc->out";
}

static bool overlap(const fp8rt_caps *caps, const fp8rt_move_desc *desc)
{
    fp8rt_region to = fp8rt_tensor_region(caps, desc->out);
    const fp8rt_region from = fp8rt_tensor_region(caps, desc->x);
    if (desc->clear) { // writes between the rows, too
        to.row_bytes = to.stride;
    }
    return fp8rt_regions_overlap(&from, &to);
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_move_desc *desc = layer;
    const fp8rt_caps *caps = &run->dev->caps;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_ends(run, desc->x, desc->out);
    if (status == FP8RT_OK && desc->x->format != desc->out->format) {
        status = FP8RT_ERR_FORMAT;
    }
    if (status == FP8RT_OK) {
        status =
            fp8rt_layer_fit(run, fp8rt_tensor_bytes(caps, desc->x) > INT32_MAX     ? "desc->x"
                                 : fp8rt_tensor_bytes(caps, desc->out) > INT32_MAX ? "desc->out"
                                                                                   : misfit(desc));
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (fp8rt_layer_scaling(desc->out) != FP8RT_SCALING_STATIC) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return overlap(caps, desc) ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

// ---- the core's part ----------------------------------------------------------------------------

// What a call is given: steps in bytes
typedef struct move {
    const uint8_t *from;
    uint8_t *to;
    uint32_t count[AXES];
    int32_t from_step[AXES], to_step[AXES];
    uint32_t bytes; // of a value
} move;

// `bytes` is constant where this is inlined. Values are aligned.
static inline void copy_each(const move *m, const uint8_t *from, uint8_t *to, const uint32_t bytes)
{
    const int32_t from_step = m->from_step[AXES - 1], to_step = m->to_step[AXES - 1];
    for (uint32_t i = m->count[AXES - 1]; i != 0; i--, from += from_step, to += to_step) {
        if (bytes == 4) {
            memcpy(__builtin_assume_aligned(to, 4), __builtin_assume_aligned(from, 4), 4);
        } else if (bytes == 2) {
            memcpy(__builtin_assume_aligned(to, 2), __builtin_assume_aligned(from, 2), 2);
        } else {
            *to = *from;
        }
    }
}

static void copy_values(const move *m, const uint8_t *from, uint8_t *to)
{
    const int32_t size = (int32_t)m->bytes;
    if (m->from_step[AXES - 1] == size && m->to_step[AXES - 1] == size) {
        memcpy(to, from, (size_t)m->count[AXES - 1] * m->bytes);
    } else if (size == 1) {
        copy_each(m, from, to, 1);
    } else if (size == 2) {
        copy_each(m, from, to, 2);
    } else {
        copy_each(m, from, to, 4);
    }
}

// Rows that become columns: axes along which codes lie one behind the other on one side alone
typedef struct transposition {
    uint32_t rows, cols;
    int32_t from_row, to_row; // bytes between rows, and between what columns become
} transposition;

static bool is_row_axis(const move *m, unsigned axis)
{
    return m->to_step[axis] == 1 && m->from_step[axis] % 4 == 0;
}

static bool is_column_axis(const move *m, unsigned axis)
{
    return m->from_step[axis] == 1 && m->to_step[axis] % 4 == 0;
}

// Whether the last two axes are one whose columns do not meet. Then 4 x 4 codes are four words on
// both sides.
static bool find_transposition(const move *m, transposition *t)
{
    const unsigned last = AXES - 1, before = AXES - 2;
    const bool forward = is_row_axis(m, last) && is_column_axis(m, before);
    const unsigned row = forward ? last : before, column = forward ? before : last;
    bool words = m->bytes == 1 && (((uintptr_t)m->from | (uintptr_t)m->to) & 3u) == 0;
    for (unsigned axis = 0; axis < before; axis++) {
        words = words && (m->count[axis] == 1 || (m->from_step[axis] | m->to_step[axis]) % 4 == 0);
    }
    *t = (transposition){m->count[row], m->count[column], m->from_step[row], m->to_step[column]};
    const uint32_t apart = (uint32_t)(t->to_row < 0 ? -t->to_row : t->to_row);
    return words && apart >= t->rows &&
           (forward || (is_row_axis(m, row) && is_column_axis(m, column)));
}

static void transpose_block(const uint8_t *from, int32_t from_row, uint8_t *to, int32_t to_row)
{
    const uint32_t even = 0x00ff00ffu, low = 0x0000ffffu;
    uint32_t a[4];
    for (int i = 0; i < 4; i++, from += from_row) {
        memcpy(&a[i], __builtin_assume_aligned(from, 4), 4);
    }
    const uint32_t p = (a[0] & even) | (a[1] & even) << 8, q = (a[0] >> 8 & even) | (a[1] & ~even);
    const uint32_t r = (a[2] & even) | (a[3] & even) << 8, s = (a[2] >> 8 & even) | (a[3] & ~even);
    const uint32_t b[4] = {(p & low) | r << 16, (q & low) | s << 16, p >> 16 | (r & ~low),
                           q >> 16 | (s & ~low)};
    for (int i = 0; i < 4; i++, to += to_row) {
        memcpy(__builtin_assume_aligned(to, 4), &b[i], 4);
    }
}

static void transpose_rest(const transposition *t, const uint8_t *from, uint8_t *to,
                           uint32_t first_row, uint32_t first_col)
{
    for (uint32_t c = first_col; c < t->cols; c++) {
        for (uint32_t r = first_row; r < t->rows; r++) {
            to[(ptrdiff_t)c * t->to_row + (ptrdiff_t)r] =
                from[(ptrdiff_t)r * t->from_row + (ptrdiff_t)c];
        }
    }
}

static void transpose(const transposition *t, const uint8_t *from, uint8_t *to)
{
    const uint32_t rows = t->rows & ~3u, cols = t->cols & ~3u;
    for (uint32_t c = 0; c < cols; c += 4) {
        const uint8_t *block = from + c;
        uint8_t *out = to + (ptrdiff_t)c * t->to_row;
        for (uint32_t r = 0; r < rows; r += 4, block += 4 * t->from_row, out += 4) {
            transpose_block(block, t->from_row, out, t->to_row);
        }
    }
    transpose_rest(t, from, to, rows, 0);
    const transposition above = {rows, t->cols, t->from_row, t->to_row};
    transpose_rest(&above, from, to, 0, cols);
}

// Counts through all axes but those that one copy or transposition has.
static void move_values(void *context)
{
    const move *m = context;
    transposition t;
    const bool transposes = find_transposition(m, &t);
    const unsigned inner = transposes ? AXES - 2 : AXES - 1;
    uint32_t index[AXES - 1] = {0};
    const uint8_t *from = m->from;
    uint8_t *to = m->to;
    for (;;) {
        if (transposes) {
            transpose(&t, from, to);
        } else {
            copy_values(m, from, to);
        }
        unsigned axis = inner;
        while (axis != 0 && ++index[axis - 1u] == m->count[axis - 1u]) {
            axis--;
            index[axis] = 0;
            from -= (ptrdiff_t)(m->count[axis] - 1u) * m->from_step[axis];
            to -= (ptrdiff_t)(m->count[axis] - 1u) * m->to_step[axis];
        }
        if (axis == 0) {
            return;
        }
        from += m->from_step[axis - 1u];
        to += m->to_step[axis - 1u];
    }
}

static int32_t bytes_of(fp8rt_step step, uint32_t stride, uint32_t bytes)
{
    return step.rows * (int32_t)stride + step.cols * (int32_t)bytes;
}

// Axes of one value do not count. The others are the last ones, so that the loops over values are
// inside.
static void set_axes(const fp8rt_move_desc *desc, uint32_t from, uint32_t to, move *m)
{
    unsigned place = AXES;
    for (unsigned i = AXES; i-- != 0;) {
        const uint32_t count = count_of(desc, i);
        if (count != 1) {
            place--;
            m->count[place] = count;
            m->from_step[place] = bytes_of(desc->axis[i].from, from, m->bytes);
            m->to_step[place] = bytes_of(desc->axis[i].to, to, m->bytes);
        }
    }
    while (place != 0) {
        m->count[--place] = 1;
    }
}

static fp8rt_status move_on_core(fp8rt_run *run, const fp8rt_move_desc *desc)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(desc->x->format));
    const uint32_t from = fp8rt_tensor_stride(caps, desc->x);
    const uint32_t to = fp8rt_tensor_stride(caps, desc->out);
    move m = {
        .from = (const uint8_t *)fp8rt_tensor_row(caps, desc->x, desc->x_row) + desc->x_col * bytes,
        .to = (uint8_t *)fp8rt_tensor_row(caps, desc->out, desc->out_row) + desc->out_col * bytes,
        .bytes = bytes};
    set_axes(desc, from, to, &m);
    return fp8rt_layer_core(run, move_values, &m, sizeof m);
}

// ---- the layer ----------------------------------------------------------------------------------

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_move_desc *desc = layer;
    fp8rt_matrices found;
    fp8rt_status status = FP8RT_OK;
    if (desc->clear) {
        status = fp8rt_layer_fill(run, desc->out->data, 0,
                                  fp8rt_tensor_bytes(&run->dev->caps, desc->out));
    }
    if (status == FP8RT_OK) {
        status = fp8rt_turn_of(run, desc, &found)     ? fp8rt_turn_run(run, desc, &found)
                 : fp8rt_copies_of(run, desc, &found) ? fp8rt_copies_run(run, desc, &found)
                                                      : move_on_core(run, desc);
    }
    if (status == FP8RT_OK && !run->query) {
        desc->out->scale = desc->x->scale;
    }
    return status;
}

fp8rt_status fp8rt_move(fp8rt_run *run, const fp8rt_move_desc *desc)
{
    return fp8rt_layer(run, "move", desc, check, compute);
}
