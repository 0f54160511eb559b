// SPDX-License-Identifier: Apache-2.0
// From accumulators to D: read-out, epilogue, conversion and flags.
#include "fast/work.h"

#include <math.h>

#if FP8MAC_FAST

enum { LONGEST_RUN = 256 }; // outputs that are finished together

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

// A sum of column n is rounded to FP32 at read-out.
static float read_exact(fp8mac_work *w, double exact, size_t n)
{
    float t0 = (float)exact;
    if (w->tracks && (double)t0 != exact && !w->b->special[n]) {
        w->seen |= FP8MAC_FLAG_INEXACT;
    }
    return t0;
}

// One row of a block's accumulators as FP32. A sum in one double or in two is rounded here, once.
void fp8mac_read_out(fp8mac_work *w, size_t i, size_t n0, size_t n)
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

static const float *c_row(fp8mac_work *w, size_t m, size_t n0, size_t n)
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
static void finish_singly(const fp8mac_work *w, size_t m, size_t n0, size_t n, const float *t0,
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
static bool convert_d(const fp8mac_work *w, size_t m, size_t n0, size_t n, const float *out,
                      uint8_t *d, fp8mac_flags *flags)
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

// Writes D's codes, through the table if there is one. False if a kernel cannot, or if a NaN is
// among them. Such a NaN comes from an overflow and has the value's sign, but the NaN that D
// must have is positive.
static bool write_d(const fp8mac_work *w, size_t m, size_t n0, size_t n, const float *out,
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
static void finish_infinities(fp8mac_work *w, size_t m, size_t n0, size_t n, const float *t0,
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
bool fp8mac_epilogue_is_identity(const fp8mac_work *w)
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
static void finish_run(fp8mac_work *w, size_t m, size_t n0, size_t n, const float *t0,
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
void fp8mac_finish_row(fp8mac_work *w, size_t m, size_t n0, size_t n, fp8mac_gemm_totals *totals)
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
#endif
