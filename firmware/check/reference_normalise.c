// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_normalise.h"

#include <math.h>

typedef struct statistics {
    double mean, deviation, largest;
} statistics;

static statistics statistics_of(const fp8rt_norm_desc *desc, const double *x)
{
    const uint32_t n = desc->x->cols;
    double sum = 0, squares = 0, largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
        largest = fmax(largest, fabs(x[i]));
    }
    const double mean = desc->rms ? 0 : sum / n;
    for (uint32_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return (statistics){mean, sqrt(squares / n + (double)desc->eps), largest};
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
        const double reach = s.largest / s.deviation;
        for (uint32_t i = 0; i < cols; i++) {
            const double gamma = desc->gamma == NULL ? 1.0 : (double)desc->gamma[i];
            const double beta = desc->beta == NULL ? 0.0 : (double)desc->beta[i];
            const double x = (values[i] - s.mean) / s.deviation;
            values[i] = x * gamma + beta;
            bounds[i] = fabs(gamma) * (1 + fabs(x)) * reach * 0x1p-13 +
                        (fabs(gamma) * reach + fabs(beta)) * 0x1p-20;
        }
    }
}
