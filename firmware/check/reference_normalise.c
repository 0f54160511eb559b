// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_normalise.h"

#include <math.h>

typedef struct statistics {
    double mean, deviation, magnitudes; // the mean of the magnitudes
} statistics;

static statistics statistics_of(const fp8rt_norm_desc *desc, const double *x)
{
    const uint32_t n = desc->x->cols;
    double sum = 0, squares = 0, magnitudes = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
        magnitudes += fabs(x[i]);
    }
    const double mean = desc->rms ? 0 : sum / n;
    for (uint32_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return (statistics){mean, sqrt(squares / n + (double)desc->eps), magnitudes / n};
}

// The bound that the header states, for the value x of a row
static double bound_of(const fp8rt_norm_desc *desc, const statistics *s, double x, double gamma,
                       double result)
{
    const double u = 0x1p-24, c = ceil(desc->x->cols / 16.0);
    if (desc->rms) {
        return (13 + c / 2) * u * fabs(result);
    }
    const double rho = (7 + c) * u * s->magnitudes / s->deviation;
    return fabs(gamma) * (fabs(x) * ((15 + c / 2) * u + rho * rho / 2) + rho) + u * fabs(result);
}

void fp8rt_reference_normalise(fp8rt_reference *reference, const fp8rt_norm_desc *desc)
{
    const uint32_t cols = desc->x->cols;
    for (uint32_t row = 0; row < desc->x->rows; row++) {
        double *values = reference->values + (size_t)row * cols;
        double *bounds = reference->bounds + (size_t)row * cols;
        for (uint32_t i = 0; i < cols; i++) {
            values[i] = fp8rt_reference_at(reference->caps, desc->x, row, i);
        }
        const statistics s = statistics_of(desc, values);
        for (uint32_t i = 0; i < cols; i++) {
            const double gamma = desc->gamma == NULL ? 1.0 : (double)desc->gamma[i];
            const double beta = desc->beta == NULL ? 0.0 : (double)desc->beta[i];
            const double x = (values[i] - s.mean) / s.deviation;
            values[i] = x * gamma + beta;
            bounds[i] = bound_of(desc, &s, x, gamma, values[i]);
        }
    }
}

// The bounds are those of model/NUMERICS.md, with two roundings of the scale.
void fp8rt_reference_reduce(fp8rt_reference *reference, const fp8rt_reduce_desc *desc)
{
    const uint32_t cols = desc->x->cols;
    const bool magnitude = desc->operation == FP8MAC_ROWS_MAGNITUDE;
    const double least = 0x1p-100 * (double)(desc->x->scale == 0.0f ? 1.0f : desc->x->scale);
    for (uint32_t row = 0; row < desc->x->rows; row++) {
        double sum = 0, magnitudes = 0, most = magnitude ? least : -INFINITY;
        for (uint32_t i = 0; i < cols; i++) {
            const double x = fp8rt_reference_at(reference->caps, desc->x, row, i);
            const double term = desc->operation == FP8MAC_ROWS_SUM ? x : x * x;
            sum += term;
            magnitudes += fabs(term);
            most = fmax(most, magnitude ? fabs(x) : x);
        }
        const bool maximum = magnitude || desc->operation == FP8MAC_ROWS_MAXIMUM;
        reference->values[row] = maximum ? most : sum;
        reference->bounds[row] =
            (maximum ? 2 * fabs(most) : (8 + ceil(cols / 16.0)) * magnitudes) * 0x1p-24;
    }
}
