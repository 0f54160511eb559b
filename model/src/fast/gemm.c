// SPDX-License-Identifier: Apache-2.0
// A GEMM by the kernels. Columns of B are packed once, in blocks; so are rows of A. K is divided
// into blocks that are multiples of the group, in ascending order. Between them the accumulators
// stay in their own format.
#include "fast/any.h"

#include <math.h>
#include <stdlib.h>

#if FP8MAC_FAST

enum {
    ROW_TILES = 16,
    BLOCK_N = 1024,
    BLOCK_K = 384,
    BLOCK_K_DOUBLE = 128,
    ALIGNMENT = 64,
    LONGEST_RUN = 256, // outputs that are finished together
    BEYOND = 16
};

typedef struct work {
    const fp8mac_gemm_desc *desc;
    const fp8mac_operand_facts *a, *b;
    fp8mac_fast_plan plan;
    fp8mac_epilogue epilogue;
    size_t block_k;
    fp8mac_any any; // every setting, if the plan has it
    fp8mac_acc_range loaded;
    fp8mac_code_table a_table, b_table;
    fp8mac_flags seen;
    bool tracks;   // `inexact` and `underflow` are asked for
    bool identity; // the epilogue leaves t0 unchanged
    float *a_panel, *b_panel;
    double *a_double, *a_large, *a_small, *b_double;
    double *a_reach, *b_most;
    int8_t *a_exponent, *b_exponent;
    int32_t *a_block, *b_block, *a_group, *b_group;
    void *acc;
    float t0[BLOCK_N], c[BLOCK_N], out[BLOCK_N];
} work;

// ---- what the operands hold ---------------------------------------------------------------------

static bool facts_init(fp8mac_operand_facts *facts, const fp8mac_kernels *kernels,
                       const fp8mac_format *f, const fp8mac_gemm_operand *x, size_t rows, size_t k)
{
    facts->e_min = 1 - f->bias;
    if (fp8mac_format_bits(f) != 8 || !fp8mac_fast_format_init(&facts->format, f)) {
        return false;
    }
    uint8_t most = 0, least_less1 = 0xff;
    facts->specials = 0;
    for (size_t i = 0; i < rows; i++) {
        fp8mac_scan row = kernels->scan(x->codes + i * x->stride, k);
        facts->special[i] = row.most > facts->format.max_code ||
                            (row.minus_zero && facts->format.nan_is_minus_zero);
        if (facts->special[i]) {
            facts->specials++;
            continue;
        }
        most = row.most > most ? row.most : most;
        least_less1 = row.least_less1 < least_less1 ? row.least_less1 : least_less1;
    }
    int32_t top_field = most >> f->mantissa_bits,
            unit_field = (uint8_t)(least_less1 + 1) >> f->mantissa_bits;
    facts->e_max = (int32_t)(facts->format.max_code >> f->mantissa_bits) - f->bias;
    facts->top = (top_field == 0 ? 1 : top_field) - f->bias + 1;
    facts->unit = (unit_field == 0 ? 1 : unit_field) - f->bias - f->mantissa_bits;
    return true;
}

// ---- blocks -------------------------------------------------------------------------------------

static size_t tiles_of(size_t n, size_t side)
{
    return (n + side - 1) / side;
}

static bool is_any(const work *w)
{
    return w->plan.tile.any != NULL;
}

// One of the two matrices, and what its panels hold.
typedef struct side {
    const fp8mac_operand_facts *facts;
    const fp8mac_code_table *table;
    const fp8mac_gemm_operand *operand;
    float *panel, scale;
    int8_t *exponent;
    int32_t *block, *group;
    unsigned width;
    float unit; // of groups
} side;

static size_t blocks_of(size_t k)
{
    return (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
}

static size_t groups_of(const work *w, size_t k)
{
    return (k + w->plan.tile.group - 1) / w->plan.tile.group;
}

// Columns of a panel for k terms.
static size_t panel_terms(const work *w, size_t k)
{
    return w->plan.is_int8 ? (k + 1) / 2 : k;
}

// Adds the exponents of the block scales to those of the groups, each of which lies in one block.
static void add_blocks(const work *w, const side *s, int32_t *groups, const uint8_t *mx,
                       unsigned rows, const uint8_t *special)
{
    size_t group = w->plan.tile.group;
    for (size_t k = 0; k < w->desc->k; k += group, groups += s->width) {
        for (unsigned i = 0; i < rows; i++) {
            const uint8_t *row = mx + i * s->operand->mx_stride;
            groups[i] += special[i] ? 0 : (int32_t)row[k / FP8MAC_MX_BLOCK] - 127;
        }
    }
}

// Values of a panel, as fp8mac_kernels.pack writes them; special rows are zero.
static void pack_values(const work *w, const side *s, float *panel, const uint8_t *codes,
                        unsigned rows, const uint8_t *special)
{
    size_t k = w->desc->k;
    if (!s->facts->is_vector) {
        fp8mac_any_pack(s->table, panel, NULL, s->width, codes, s->operand->stride, rows, k,
                        special);
        return;
    }
    w->plan.kernels->pack(&s->facts->format, panel, s->width, codes, s->operand->stride, rows, k,
                          s->scale);
    for (unsigned i = 0; i < rows; i++) {
        for (size_t j = 0; special[i] && j < k; j++) {
            panel[j * s->width + i] = 0;
        }
    }
}

static void pack_groups(const work *w, const side *s, size_t at, size_t row, unsigned rows)
{
    size_t k = w->desc->k;
    const fp8mac_gemm_operand *x = s->operand;
    const uint8_t *special = s->facts->special + row;
    float *panel = s->panel + at * k;
    int32_t *groups = s->group + at * groups_of(w, k);
    pack_values(w, s, panel, x->codes + row * x->stride, rows, special);
    w->plan.kernels->pack_groups(panel, groups, s->width, k, w->plan.tile.group, s->unit);
    if (x->mx != NULL) {
        add_blocks(w, s, groups, x->mx + row * x->mx_stride, rows, special);
    }
}

// The panel of `rows` rows from `row` on, of which `width` at most are present; `at` counts rows
// within the block.
static void pack_panel(const work *w, const side *s, size_t at, size_t row, size_t rows)
{
    const fp8mac_kernels *kernels = w->plan.kernels;
    size_t k = panel_terms(w, w->desc->k);
    unsigned present = rows < s->width ? (unsigned)rows : s->width;
    const fp8mac_gemm_operand *x = s->operand;
    const uint8_t *codes = x->codes + row * x->stride;
    float *panel = s->panel + at * k;
    int8_t *exponent = w->plan.needs_exponents ? s->exponent + at * k : NULL;
    if (w->plan.is_int8) {
        kernels->pack_pairs((int32_t *)panel, s->width, codes, x->stride, present, w->desc->k);
        return;
    }
    if (w->plan.needs_groups) {
        pack_groups(w, s, at, row, present);
        return;
    }
    if (is_any(w)) {
        fp8mac_any_pack(s->table, panel, exponent, s->width, codes, x->stride, present, k,
                        s->facts->special + row);
        if (w->any.blocks) {
            fp8mac_any_pack_blocks(s->block + at * blocks_of(k), s->width,
                                   x->mx != NULL ? x->mx + row * x->mx_stride : NULL, x->mx_stride,
                                   present, blocks_of(k), s->facts->special + row);
        }
        return;
    }
    kernels->pack(&s->facts->format, panel, s->width, codes, x->stride, present, k, s->scale);
    if (exponent != NULL) {
        kernels->pack_exponents(&s->facts->format, exponent, s->width, codes, x->stride, present, k,
                                FP8MAC_FAST_ZERO_EXPONENT);
    }
}

// factor * the largest magnitude of each group of `k` terms, for `panels` panels.
static void pack_most(const work *w, double *most, const double *values, size_t panels,
                      size_t width, double factor)
{
    size_t k = w->desc->k, group = w->plan.tile.group;
    for (size_t p = 0; p < panels; p++) {
        for (size_t k0 = 0; k0 < k; k0 += group, most += width) {
            size_t end = k - k0 < group ? k : k0 + group;
            for (size_t j = 0; j < width; j++) {
                most[j] = 0;
            }
            for (size_t i = k0; i < end; i++) {
                for (size_t j = 0; j < width; j++) {
                    double x = fabs(values[(p * k + i) * width + j]);
                    most[j] = x > most[j] ? x : most[j];
                }
            }
            for (size_t j = 0; j < width; j++) {
                most[j] *= factor;
            }
        }
    }
}

static void pack_b(work *w, size_t n0, size_t n)
{
    const fp8mac_gemm_desc *desc = w->desc;
    const side b = {w->b,          &w->b_table, &desc->b,   w->b_panel,          1,
                    w->b_exponent, w->b_block,  w->b_group, w->plan.kernels->nr, 1};
    for (size_t j = 0; j < n; j += b.width) {
        pack_panel(w, &b, j, n0 + j, n - j);
    }
    size_t size = tiles_of(n, b.width) * b.width * desc->k;
    for (size_t i = 0; w->plan.needs_double && i < size; i++) {
        w->b_double[i] = (double)w->b_panel[i];
    }
    if (w->plan.reach != 0) {
        pack_most(w, w->b_most, w->b_double, tiles_of(n, b.width), b.width, 1);
    }
}

static void pack_a(work *w, size_t m0, size_t m)
{
    const fp8mac_gemm_desc *desc = w->desc;
    size_t mr = w->plan.kernels->mr, k = w->desc->k;
    const side a = {w->a,
                    &w->a_table,
                    &desc->a,
                    w->a_panel,
                    w->plan.a_scale,
                    w->a_exponent,
                    w->a_block,
                    w->a_group,
                    w->plan.kernels->mr,
                    ldexpf(1, (int)w->any.frac_bits)};
    for (size_t i = 0; i < m; i += mr) {
        pack_panel(w, &a, i, m0 + i, m - i);
    }
    size_t size = tiles_of(m, mr) * mr * k;
    for (size_t i = 0; w->plan.needs_double && i < size; i++) {
        w->a_double[i] = (double)w->a_panel[i];
    }
    if (w->plan.reach != 0) {
        pack_most(w, w->a_reach, w->a_double, tiles_of(m, mr), mr, w->plan.reach);
    }
    for (size_t i = 0; w->plan.a_large != 0 && i < size; i++) {
        bool large = fabs(w->a_double[i]) >= w->plan.a_large;
        w->a_small[i] = large ? copysign(0, w->a_double[i]) : w->a_double[i];
        w->a_large[i] = large ? w->a_double[i] : copysign(0, w->a_double[i]);
    }
}

static void *acc_tile(const work *w, size_t i, size_t j, size_t columns)
{
    const fp8mac_kernels *kernels = w->plan.kernels;
    return (uint8_t *)w->acc + (i * columns + j) * kernels->mr * kernels->nr * w->plan.acc_bytes;
}

// The accumulators that a block begins with, where the caller loads them.
static void load_acc(const work *w, size_t m0, size_t m, size_t n0, size_t n)
{
    const fp8mac_gemm_desc *desc = w->desc;
    const fp8mac_format *format = fp8mac_acc_loaded_format(&desc->dot);
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, columns = tiles_of(n, nr);
    unsigned bytes = fp8mac_format_bytes(format);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            float *tile = acc_tile(w, i / mr, j / nr, columns);
            size_t at = i % mr * nr + j % nr + (w->plan.second ? mr * nr : 0);
            uint32_t code = fp8mac_load_code(desc->acc, (m0 + i) * desc->ldacc + n0 + j, bytes);
            tile[at] = (float)fp8mac_value_to_double(fp8mac_decode(format, code));
        }
    }
}

// All tiles of a block, all of K. The block's first output is m0, n0.
static void run_tiles(work *w, size_t m0, size_t m, size_t n0, size_t n)
{
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, k_all = w->desc->k;
    size_t k = panel_terms(w, k_all);
    size_t rows = tiles_of(m, mr), columns = tiles_of(n, nr), blocks = blocks_of(k);
    size_t groups = groups_of(w, k);
    memset(w->acc, 0, rows * columns * mr * nr * w->plan.acc_bytes);
    if (w->desc->acc != NULL) {
        load_acc(w, m0, m, n0, n);
    }
    for (size_t k0 = 0; k0 < k; k0 += w->block_k) {
        fp8mac_tile tile = w->plan.tile;
        size_t block = k0 / FP8MAC_MX_BLOCK, group = k0 / w->plan.tile.group;
        tile.k = k - k0 < w->block_k ? k - k0 : w->block_k;
        tile.k_first = k0;
        tile.k_all = k_all;
        tile.seen = &w->seen;
        for (size_t j = 0; j < columns; j++) {
            tile.b = w->b_panel + (j * k + k0) * nr;
            tile.b_double = w->b_double + (j * k + k0) * nr;
            tile.b_exponent = w->b_exponent + (j * k + k0) * nr;
            tile.b_block = w->b_block + (j * blocks + block) * nr;
            tile.b_most = w->b_most + (j * groups + group) * nr;
            tile.b_group = w->b_group + (j * groups + group) * nr;
            tile.n = w->desc->origin_n + (uint32_t)(n0 + j * nr);
            for (size_t i = 0; i < rows; i++) {
                tile.a = w->a_panel + (i * k + k0) * mr;
                tile.a_double = w->a_double + (i * k + k0) * mr;
                tile.a_large = w->a_large + (i * k + k0) * mr;
                tile.a_small = w->a_small + (i * k + k0) * mr;
                tile.a_exponent = w->a_exponent + (i * k + k0) * mr;
                tile.a_block = w->a_block + (i * blocks + block) * mr;
                tile.a_reach = w->a_reach + (i * groups + group) * mr;
                tile.a_group = w->a_group + (i * groups + group) * mr;
                tile.m = w->desc->origin_m + (uint32_t)(m0 + i * mr);
                tile.acc = acc_tile(w, i, j, columns);
                w->plan.kernel(&tile);
            }
        }
    }
}

// ---- outputs ------------------------------------------------------------------------------------

// high + low with the last bit set if something is lost: |high| >= |low|, or high is zero.
static double add_to_odd(double high, double low)
{
    double sum = high + low, lost = low - (sum - high);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && (bits & 1) == 0) {
        bits = (lost < 0) == (sum < 0) ? bits + 1 : bits - 1;
    }
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

// `inexact` and `underflow`, as far as they are asked for and have not been raised.
static fp8mac_flags missing_flags(const work *w, const fp8mac_gemm_totals *totals)
{
    fp8mac_flags asked = w->tracks ? FP8MAC_FLAG_INEXACT | FP8MAC_FLAG_UNDERFLOW : 0u;
    return asked & ~(totals->flags | w->seen);
}

// A sum of column n is rounded to FP32 at read-out.
static float read_exact(work *w, double exact, size_t n)
{
    float t0 = (float)exact;
    if (w->tracks && (double)t0 != exact && !w->b->special[n]) {
        w->seen |= FP8MAC_FLAG_INEXACT;
    }
    return t0;
}

// One row of a block's accumulators as FP32. A sum in one double or in two is rounded here, once.
static void read_out(work *w, size_t i, size_t n0, size_t n)
{
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, columns = tiles_of(n, nr),
           bytes = w->plan.acc_bytes;
    for (size_t j = 0; j < columns; j++) {
        const void *tile = acc_tile(w, i / mr, j, columns);
        size_t count = n - j * nr < nr ? n - j * nr : nr, first = i % mr * nr;
        if (is_any(w)) {
            const float *sum = (const float *)tile + first + (w->plan.second ? mr * nr : 0);
            for (size_t x = 0; x < count; x++) {
                w->t0[j * nr + x] = isnan(sum[x]) ? fp8mac_float_from_bits(w->plan.nan) : sum[x];
            }
            continue;
        }
        if (w->plan.is_int8) {
            const int32_t *sum = (const int32_t *)tile + first;
            for (size_t x = 0; x < count; x++) {
                w->t0[j * nr + x] = read_exact(w, sum[x], n0 + j * nr + x);
            }
            continue;
        }
        if (bytes == sizeof(float)) {
            memcpy(w->t0 + j * nr, (const float *)tile + first, count * sizeof(float));
            continue;
        }
        const double *sum = (const double *)tile + first;
        for (size_t x = 0; x < count; x++) {
            double exact = bytes == sizeof(double) ? sum[x] : add_to_odd(sum[x], sum[x + mr * nr]);
            w->t0[j * nr + x] = read_exact(w, exact * w->plan.t0_scale, n0 + j * nr + x);
        }
    }
}

static const float *c_row(work *w, size_t m, size_t n0, size_t n)
{
    const fp8mac_gemm_desc *desc = w->desc;
    if (desc->beta == 0) {
        return NULL;
    }
    unsigned bytes = fp8mac_format_bytes(desc->c_format);
    const uint8_t *source = (const uint8_t *)desc->c + (m * desc->ldc + n0) * bytes;
    fp8mac_convert_mode ieee = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE};
    if (bytes == sizeof(float)) {
        memcpy(w->c, source, n * sizeof(float));
    } else if (!fp8mac_fast_convert(w->plan.kernels, &fp8mac_formats[FP8MAC_FP32], w->c,
                                    desc->c_format, source, n, ieee, NULL)) {
        (void)fp8mac_convert(&fp8mac_formats[FP8MAC_FP32], w->c, desc->c_format, source, n, ieee,
                             NULL);
    }
    return w->c;
}

// Finishes, one by one and with their flags, the outputs in which something is infinite or NaN. An
// infinite sum of finite products has overflowed.
static void finish_singly(const work *w, size_t m, size_t n0, size_t n, const float *t0,
                          fp8mac_gemm_totals *totals)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = fp8mac_float_bits(t0[i]);
        if (!fp8mac_fp32_is_finite(bits) && !is_any(w)) {
            totals->flags |= FP8MAC_FLAG_OVERFLOW;
        }
        fp8mac_gemm_finish(w->desc, &w->epilogue, m, n0 + i, bits, totals);
    }
}

// Converts n floats of row m to D's codes. False if no kernel rounds to D stochastically.
static bool convert_d(const work *w, size_t m, size_t n0, size_t n, const float *out, uint8_t *d,
                      fp8mac_flags *flags)
{
    const fp8mac_gemm_desc *desc = w->desc;
    const fp8mac_format *fp32 = &fp8mac_formats[FP8MAC_FP32];
    if (desc->d_mode.rounding != FP8MAC_ROUND_STOCHASTIC) {
        if (!fp8mac_fast_convert(w->plan.kernels, desc->d_format, d, fp32, out, n, desc->d_mode,
                                 flags)) {
            (void)fp8mac_convert(desc->d_format, d, fp32, out, n, desc->d_mode, flags);
        }
        return true;
    }
    uint32_t r[LONGEST_RUN];
    const fp8mac_draw at = {.m = desc->origin_m + (uint32_t)m,
                            .n = desc->origin_n + (uint32_t)n0,
                            .step_high = (uint32_t)FP8MAC_RANDOM_OUTPUT << 28,
                            .key = {(uint32_t)desc->dot.seed, (uint32_t)(desc->dot.seed >> 32)},
                            .bits = desc->d_random_bits};
    if (desc->d_generator == FP8MAC_GENERATOR_THREEFRY) {
        w->plan.kernels->draw(r, n, &at);
    } else {
        for (size_t i = 0; i < n; i++) {
            r[i] = fp8mac_simon_bits(desc->dot.seed, at.m, at.n + (uint32_t)i, at.bits);
        }
    }
    return fp8mac_fast_convert_stochastic(w->plan.kernels, desc->d_format, d, fp32, out, n,
                                          desc->d_mode.overflow, r, at.bits, flags);
}

// Writes D's codes, through the table if there is one. False if a kernel cannot, or if a NaN is among them. Such a NaN comes from an overflow and has the
// value's sign, but the NaN that D must have is positive.
static bool write_d(const work *w, size_t m, size_t n0, size_t n, const float *out,
                    fp8mac_flags *flags)
{
    const fp8mac_gemm_desc *desc = w->desc;
    unsigned bytes = fp8mac_format_bytes(desc->d_format);
    uint8_t *d = (uint8_t *)desc->d + (m * desc->ldd + n0) * bytes;
    fp8mac_flags own = 0;
    if (bytes == sizeof(float)) {
        memcpy(d, out, n * sizeof(float));
    } else if (!convert_d(w, m, n0, n, out, d, &own)) {
        return false;
    }
    for (size_t i = 0; desc->d_table != NULL && i < n; i++) {
        d[i] = desc->d_table[d[i]];
    }
    *flags |= own;
    return (own & FP8MAC_FLAG_OVERFLOW) == 0 || desc->d_format->has_inf;
}

// Writes infinite sums where the epilogue leaves them unchanged.
static void finish_infinities(work *w, size_t m, size_t n0, size_t n, const float *t0,
                              fp8mac_gemm_totals *totals)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = fp8mac_float_bits(t0[i]) & 0x7fffffffu;
        if (!fp8mac_fp32_is_finite(magnitude)) {
            totals->flags |= FP8MAC_FLAG_OVERFLOW;
            totals->amax_nonfinite = true;
        } else if (magnitude > totals->amax) {
            totals->amax = magnitude;
        }
    }
    (void)write_d(w, m, n0, n, t0, &totals->flags);
}

// Whether T * scale_d equals t0.
static bool epilogue_is_identity(const work *w)
{
    const fp8mac_gemm_desc *desc = w->desc;
    return desc->a.scale.mode == FP8MAC_SCALE_NONE && desc->b.scale.mode == FP8MAC_SCALE_NONE &&
           desc->bias == NULL && desc->beta == 0 && desc->activation == FP8MAC_ACT_NONE &&
           w->epilogue.scale_d == 1 && !w->plan.second; // whose sum may be NaN
}

// Twice D's smallest normal number, or 0 if D has every float or no exponent.
static float twice_least(const fp8mac_format *d)
{
    return d->mantissa_bits == 23 || d->exponent_bits == 0 ? 0 : ldexpf(1, 2 - d->bias);
}

// Finishes n outputs of row m, none of them special.
static void finish_run(work *w, size_t m, size_t n0, size_t n, const float *t0,
                       fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool by_row = desc->a.scale.mode == FP8MAC_SCALE_VECTOR,
         by_column = desc->b.scale.mode == FP8MAC_SCALE_VECTOR;
    fp8mac_fast_outputs o = {
        .n = n,
        .t0 = t0,
        .scale_a =
            desc->a.scale.mode == FP8MAC_SCALE_NONE ? 1.0f : desc->a.scale.values[by_row ? m : 0],
        .scale_b = desc->b.scale.mode == FP8MAC_SCALE_TENSOR ? desc->b.scale.values[0] : 1.0f,
        .scales_b = by_column ? desc->b.scale.values + n0 : NULL,
        .bias = desc->bias != NULL ? desc->bias + n0 : NULL,
        .c = c_row(w, m, n0, n),
        .beta = desc->beta,
        .clamp_lo = desc->clamp_lo,
        .clamp_hi = desc->clamp_hi,
        .scale_d = w->epilogue.scale_d,
        .activation = desc->activation,
        .identity = w->identity,
        .d_least = twice_least(desc->d_format),
        .out = w->out,
    };
    fp8mac_flags missing = missing_flags(w, totals);
    o.find_tiny = missing != 0;
    bool is_exact = w->identity && desc->d_format->mantissa_bits == 23;
    if ((missing & FP8MAC_FLAG_INEXACT) != 0 && !is_exact) {
        finish_singly(w, m, n0, n, t0, totals);
        return;
    }
    w->plan.kernels->outputs(&o);
    if (o.tiny) {
        finish_singly(w, m, n0, n, t0, totals);
        return;
    }
    bool stochastic = desc->d_mode.rounding == FP8MAC_ROUND_STOCHASTIC;
    if (o.nonfinite && desc->d_format->has_inf && w->identity && !stochastic) {
        finish_infinities(w, m, n0, n, t0, totals);
    } else if (o.nonfinite || !write_d(w, m, n0, n, w->identity ? t0 : w->out, &totals->flags)) {
        finish_singly(w, m, n0, n, t0, totals);
    } else if (o.amax > totals->amax) {
        totals->amax = o.amax;
    }
}

// Finishes the runs of columns between the special ones. They are short, so that one special value
// does not slow down many others.
static void finish_row(work *w, size_t m, size_t n0, size_t n, fp8mac_gemm_totals *totals)
{
    for (size_t i = 0; i < n;) {
        size_t end = w->b->specials != 0 ? i : n - i < LONGEST_RUN ? n : i + LONGEST_RUN;
        while (end < n && end - i < LONGEST_RUN && !w->b->special[n0 + end]) {
            end++;
        }
        if (end > i) {
            finish_run(w, m, n0 + i, end - i, w->t0 + i, totals);
        }
        i = end > i ? end : i + 1;
    }
}

// ---- the whole ----------------------------------------------------------------------------------

static void *allocate(size_t count, size_t size)
{
    if (count > (SIZE_MAX / 2 - ALIGNMENT) / size) {
        return NULL;
    }
    return aligned_alloc(ALIGNMENT, (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static bool allocate_panels(work *w)
{
    size_t mr = w->plan.kernels->mr, nr = w->plan.kernels->nr, k = w->desc->k;
    size_t m = mr * (tiles_of(w->desc->m, mr) < ROW_TILES ? tiles_of(w->desc->m, mr) : ROW_TILES);
    size_t n = nr * tiles_of(w->desc->n < BLOCK_N ? w->desc->n : BLOCK_N, nr);
    if (k > SIZE_MAX / 64 / n) {
        return false;
    }
    bool exponents = w->plan.needs_exponents;
    w->a_panel = allocate(m * k + BEYOND, sizeof(float));
    w->b_panel = allocate(n * k + BEYOND, sizeof(float));
    w->a_double = allocate(w->plan.needs_double ? m * k : 1, sizeof(double));
    w->b_double = allocate(w->plan.needs_double ? n * k : 1, sizeof(double));
    w->a_large = allocate(w->plan.a_large != 0 ? m * k : 1, sizeof(double));
    w->a_small = allocate(w->plan.a_large != 0 ? m * k : 1, sizeof(double));
    w->a_reach = allocate(w->plan.reach != 0 ? m * groups_of(w, k) : 1, sizeof(double));
    w->b_most = allocate(w->plan.reach != 0 ? n * groups_of(w, k) : 1, sizeof(double));
    w->a_exponent = allocate(exponents ? m * k + BEYOND : 1, 1);
    w->b_exponent = allocate(exponents ? n * k + BEYOND : 1, 1);
    w->a_block = allocate(w->any.blocks ? m * blocks_of(k) : 1, sizeof(int32_t));
    w->b_block = allocate(w->any.blocks ? n * blocks_of(k) : 1, sizeof(int32_t));
    w->a_group = allocate(w->plan.needs_groups ? m * groups_of(w, k) + BEYOND : 1, sizeof(int32_t));
    w->b_group = allocate(w->plan.needs_groups ? n * groups_of(w, k) + BEYOND : 1, sizeof(int32_t));
    w->acc = allocate(m * n, w->plan.acc_bytes);
    return w->b_double != NULL && w->a_block != NULL && w->b_block != NULL && w->a_panel != NULL &&
           w->b_panel != NULL && w->a_double != NULL && w->a_large != NULL && w->a_small != NULL &&
           w->a_reach != NULL && w->b_most != NULL && w->a_exponent != NULL &&
           w->b_exponent != NULL && w->a_group != NULL && w->b_group != NULL && w->acc != NULL;
}

static void free_panels(work *w)
{
    free(w->a_panel);
    free(w->b_panel);
    free(w->a_double);
    free(w->a_large);
    free(w->a_small);
    free(w->b_double);
    free(w->a_reach);
    free(w->b_most);
    free(w->a_exponent);
    free(w->b_exponent);
    free(w->a_block);
    free(w->b_block);
    free(w->a_group);
    free(w->b_group);
    free(w->acc);
}

static void run_blocks(work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    size_t block_m = ROW_TILES * (size_t)w->plan.kernels->mr;
    for (size_t n0 = 0; n0 < desc->n; n0 += BLOCK_N) {
        size_t n = desc->n - n0 < BLOCK_N ? desc->n - n0 : BLOCK_N;
        pack_b(w, n0, n);
        for (size_t m0 = 0; m0 < desc->m; m0 += block_m) {
            size_t m = desc->m - m0 < block_m ? desc->m - m0 : block_m;
            pack_a(w, m0, m);
            run_tiles(w, m0, m, n0, n);
            for (size_t i = 0; i < m; i++) {
                if (!w->a->special[m0 + i]) {
                    read_out(w, i, n0, n);
                    finish_row(w, m0 + i, n0, n, totals);
                }
            }
        }
    }
}

// Outputs that are known to be NaN have an epilogue too. Where it is the same for each of them, one
// is computed and copied. Once the overflow flag is set, later overflows need not be detected.
static void finish_nans(const work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool uniform = desc->bias == NULL && desc->beta == 0 &&
                   desc->a.scale.mode != FP8MAC_SCALE_VECTOR &&
                   desc->b.scale.mode != FP8MAC_SCALE_VECTOR;
    unsigned bytes = fp8mac_format_bytes(desc->d_format);
    bool known = false;
    uint32_t code = 0;
    for (size_t m = 0; m < desc->m; m++) {
        for (size_t n = 0; n < desc->n; n++) {
            if (!w->a->special[m] && !w->b->special[n]) {
                continue;
            }
            if (known) {
                fp8mac_store_code(desc->d, m * desc->ldd + n, bytes, code);
                continue;
            }
            if (w->plan.may_overflow && (totals->flags & w->plan.overflow_flag) == 0) {
                fp8mac_gemm_desc part = fp8mac_gemm_part(desc, m, 1, n, 1);
                fp8mac_gemm_defined(&part, totals);
                continue;
            }
            totals->flags |= FP8MAC_FLAG_NAN;
            fp8mac_gemm_finish(desc, &w->epilogue, m, n, w->plan.nan, totals);
            code = fp8mac_load_code(desc->d, m * desc->ldd + n, bytes);
            known = uniform;
        }
    }
}

// The definition computes the outputs of rows of A with Inf or NaN. In the other rows, it computes
// the outputs of columns of B with Inf or NaN.
static void run_specials(const work *w, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    for (size_t m = 0; m < desc->m;) {
        size_t end = m;
        while (end < desc->m && w->a->special[end] == w->a->special[m]) {
            end++;
        }
        for (size_t n = 0; n < desc->n;) {
            size_t n_end = n;
            while (n_end < desc->n && (w->a->special[m] || w->b->special[n_end])) {
                n_end++;
            }
            if (n_end > n) {
                fp8mac_gemm_desc part = fp8mac_gemm_part(desc, m, end - m, n, n_end - n);
                fp8mac_gemm_defined(&part, totals);
            }
            n = n_end > n ? n_end : n + 1;
        }
        m = end;
    }
}

static bool run_plan(work *w, fp8mac_gemm_totals *totals)
{
    size_t group = w->plan.tile.group;
    size_t block_k = w->plan.needs_double ? BLOCK_K_DOUBLE : BLOCK_K; // B's block fits L1
    w->block_k = tiles_of(block_k, group) * group;
    w->epilogue = fp8mac_gemm_epilogue(w->desc);
    w->identity = epilogue_is_identity(w);
    bool ok = allocate_panels(w);
    w->plan.refusal = ok ? FP8MAC_NOT_REFUSED : FP8MAC_REFUSED_MEMORY;
    if (ok) {
        run_blocks(w, totals);
        totals->flags |= w->seen;
        if (w->a->specials + w->b->specials == 0) {
            // no output is left
        } else if (w->plan.specials_are_nan && missing_flags(w, totals) == 0) {
            finish_nans(w, totals);
        } else {
            run_specials(w, totals);
        }
    }
    free_panels(w);
    return ok;
}

// The kernels for one setting each, the fastest.
static bool run_special_kernels(work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                                const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool done = facts_init(a, kernels, desc->dot.a.format, &desc->a, desc->m, desc->k) &&
                facts_init(b, kernels, desc->dot.b.format, &desc->b, desc->n, desc->k) &&
                fp8mac_fast_plan_init(&w->plan, kernels, desc, a, b, &w->loaded);
    bool few = a->specials <= desc->m / 2 && b->specials <= desc->n / 2;
    return done && (few || w->plan.specials_are_nan) && run_plan(w, totals);
}

// Facts by vectors where a format has them. Sums of values that are not truncated need the units of
// all values, not those of their binades.
static void find_facts(const work *w, const fp8mac_kernels *kernels, fp8mac_operand_facts *facts,
                       const fp8mac_code_table *table, const fp8mac_format *format,
                       const fp8mac_gemm_operand *x, size_t rows)
{
    size_t k = w->desc->k;
    facts->specials = 0;
    facts->is_vector =
        w->desc->dot.frac_bits != 0 && facts_init(facts, kernels, format, x, rows, k);
    if (!facts->is_vector) {
        fp8mac_any_facts(facts, table, x, rows, k);
        return;
    }
    for (size_t i = 0; x->mx != NULL && i < rows; i++) {
        bool nan =
            !facts->special[i] && memchr(x->mx + i * x->mx_stride, 0xff, blocks_of(k)) != NULL;
        facts->special[i] |= (uint8_t)nan;
        facts->specials += nan;
    }
}

// The kernels for every setting.
static bool find_all_facts(work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                           const fp8mac_kernels *kernels)
{
    const fp8mac_gemm_desc *desc = w->desc;
    bool normalised = desc->dot.align_by == FP8MAC_ALIGN_BY_OPERANDS;
    if (!fp8mac_code_table_init(&w->a_table, desc->dot.a.format, normalised) ||
        !fp8mac_code_table_init(&w->b_table, desc->dot.b.format, normalised)) {
        w->plan.refusal = FP8MAC_REFUSED_EXPONENTS;
        return false;
    }
    find_facts(w, kernels, a, &w->a_table, desc->dot.a.format, &desc->a, desc->m);
    find_facts(w, kernels, b, &w->b_table, desc->dot.b.format, &desc->b, desc->n);
    return true;
}

static bool run_any_kernels(work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                            const fp8mac_kernels *kernels, bool track, fp8mac_gemm_totals *totals)
{
    const fp8mac_gemm_desc *desc = w->desc;
    if (!find_all_facts(w, a, b, kernels)) {
        return false;
    }
    bool few = a->specials <= desc->m / 2 && b->specials <= desc->n / 2;
    if (!fp8mac_any_plan_init(&w->plan, &w->any, kernels, desc, a, b, &w->a_table, &w->b_table,
                              &w->loaded, track)) {
        return false;
    }
    w->plan.refusal = FP8MAC_REFUSED_SPECIAL_ROWS;
    return (few || w->plan.specials_are_nan) && run_plan(w, totals);
}

// INT8 has no special values.
static bool run_int8(work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                     const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    if (w->desc->dot.acc_format != FP8MAC_ACC_INT32) {
        return false;
    }
    memset(a->special, 0, w->desc->m);
    memset(b->special, 0, w->desc->n);
    w->plan = (fp8mac_fast_plan){.kernels = kernels,
                                 .kernel = kernels->int8,
                                 .tile = {.group = 1},
                                 .acc_bytes = sizeof(int32_t),
                                 .is_int8 = true};
    return run_plan(w, totals);
}

// ---- terms in another order ---------------------------------------------------------------------

// The codes of an operand with its terms at other places: place i has term order[i], or the code
// `absent` where order[i] is SIZE_MAX.
static uint8_t *reordered(const fp8mac_gemm_operand *x, size_t rows, const size_t *order,
                          size_t places, uint8_t absent)
{
    uint8_t *codes = malloc(rows * places);
    for (size_t i = 0; codes != NULL && i < rows; i++) {
        for (size_t j = 0; j < places; j++) {
            codes[i * places + j] =
                order[j] == SIZE_MAX ? absent : x->codes[i * x->stride + order[j]];
        }
    }
    return codes;
}

static fp8mac_refusal gemm_ascending(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                     fp8mac_gemm_totals *totals);

// Terms with k mod 4 < 2 come first in each block of two groups. Where the first step of the last
// block is short and a second one follows, the first is filled with products of -0, which change
// nothing: a sum is -0 only if all terms are.
static fp8mac_refusal gemm_pairs(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                 fp8mac_gemm_totals *totals)
{
    size_t group = desc->dot.group, places = 0;
    const fp8mac_format *f = desc->dot.a.format;
    bool whole = desc->k % (2 * group) == 0;
    if (desc->k > SIZE_MAX / sizeof(size_t) / 4 - 2 * group || (!whole && !f->has_negative_zero) ||
        (fp8mac_gemm_has_mx(desc) && (!whole || FP8MAC_MX_BLOCK % (2 * group) != 0))) {
        return FP8MAC_REFUSED_PAIRS;
    }
    size_t *order = malloc((desc->k + 2 * group) * sizeof *order);
    for (size_t first = 0; order != NULL && first < desc->k; first += 2 * group) {
        size_t end = desc->k - first < 2 * group ? desc->k : first + 2 * group;
        for (unsigned half = 0; half < 2; half++) {
            for (size_t k = first; k < end; k++) {
                if (k % 4 / 2 == half) {
                    order[places++] = k;
                }
            }
            while (half == 0 && places % group != 0 && end - first > 2) {
                order[places++] = SIZE_MAX;
            }
        }
    }
    fp8mac_gemm_desc other = *desc;
    other.k = places;
    other.a.stride = other.b.stride = places;
    uint8_t minus_zero = (uint8_t)(1u << (fp8mac_format_bits(f) - 1));
    uint8_t *a = order == NULL ? NULL : reordered(&desc->a, desc->m, order, places, minus_zero);
    uint8_t *b = order == NULL ? NULL : reordered(&desc->b, desc->n, order, places, 0);
    other.a.codes = a;
    other.b.codes = b;
    other.dot.k_order = FP8MAC_K_ASCENDING;
    fp8mac_refusal refusal =
        a == NULL || b == NULL ? FP8MAC_REFUSED_MEMORY : gemm_ascending(kernels, &other, totals);
    free(order);
    free(a);
    free(b);
    return refusal;
}

fp8mac_refusal fp8mac_fast_gemm(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                fp8mac_gemm_totals *totals)
{
    return desc->dot.k_order == FP8MAC_K_PAIRS ? gemm_pairs(kernels, desc, totals)
                                               : gemm_ascending(kernels, desc, totals);
}

// Outputs here and there by the definition, because most GEMMs raise `inexact` at one of a few.
static void run_samples(const fp8mac_gemm_desc *desc, fp8mac_gemm_totals *totals)
{
    enum { MOST = 64, OUTPUTS_FOR_ONE = 1024 };
    size_t count = desc->m * desc->n / OUTPUTS_FOR_ONE;
    count = count < MOST ? count : MOST;
    for (size_t i = 0; i < count && (totals->flags & FP8MAC_FLAG_INEXACT) == 0; i++) {
        const fp8mac_gemm_desc part =
            fp8mac_gemm_part(desc, i * desc->m / count, 1, i * desc->n / count, 1);
        fp8mac_gemm_defined(&part, totals);
    }
}

// With `inexact` and `underflow`. Where the steps cannot raise what is missing, the fastest kernels
// are right.
static bool run_tracked(work *w, fp8mac_operand_facts *a, fp8mac_operand_facts *b,
                        const fp8mac_kernels *kernels, fp8mac_gemm_totals *totals)
{
    run_samples(w->desc, totals);
    if (!find_all_facts(w, a, b, kernels)) {
        return false;
    }
    fp8mac_flags may = fp8mac_any_may_raise(w->desc, a, b, &w->loaded);
    if ((may & missing_flags(w, totals)) != 0) {
        return run_any_kernels(w, a, b, kernels, true, totals);
    }
    return run_special_kernels(w, a, b, kernels, totals) ||
           run_any_kernels(w, a, b, kernels, false, totals);
}

static fp8mac_refusal gemm_ascending(const fp8mac_kernels *kernels, const fp8mac_gemm_desc *desc,
                                     fp8mac_gemm_totals *totals)
{
    fp8mac_acc_range acc = {0};
    if (desc->acc != NULL && !fp8mac_acc_range_init(&acc, desc)) {
        return FP8MAC_REFUSED_SPECIAL_ACC;
    }
    fp8mac_operand_facts a = {.special = malloc(desc->m)}, b = {.special = malloc(desc->n)};
    work *w = malloc(sizeof *w);
    fp8mac_refusal refusal = FP8MAC_REFUSED_MEMORY;
    if (w != NULL && a.special != NULL && b.special != NULL) {
        *w = (work){.desc = desc, .a = &a, .b = &b, .loaded = acc};
        w->tracks = fp8mac_tracks_inexact(&totals->flags);
        bool done = run_int8(w, &a, &b, kernels, totals) ||
                    (w->tracks ? run_tracked(w, &a, &b, kernels, totals)
                               : run_special_kernels(w, &a, &b, kernels, totals) ||
                                     run_any_kernels(w, &a, &b, kernels, false, totals));
        refusal = done ? FP8MAC_NOT_REFUSED : w->plan.refusal;
    }
    free(a.special);
    free(b.special);
    free(w);
    return refusal;
}
#endif
