// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_attention.h"

#include <math.h>

// Replaces the first `seen` of `cols` scores by exp(score - largest), the others by 0. Returns the sum.
static double exponentials(double *scores, uint32_t cols, uint32_t seen)
{
    double most = -INFINITY, sum = 0;
    for (uint32_t c = 0; c < seen; c++) {
        most = fmax(most, scores[c]);
    }
    for (uint32_t c = 0; c < cols; c++) {
        scores[c] = c < seen ? exp(scores[c] - most) : 0.0;
        sum += scores[c];
    }
    return sum;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void fp8rt_reference_softmax(fp8rt_reference *reference, const fp8rt_softmax_desc *desc)
{
    const uint32_t cols = desc->x->cols, first = desc->seen == 0 ? cols : desc->seen;
    const double factor = desc->factor > 0.0f ? (double)desc->factor : 1.0;
    for (uint32_t row = 0; row < desc->x->rows; row++) {
        double *values = reference->values + (size_t)row * cols;
        for (uint32_t c = 0; c < cols; c++) {
            const double x = factor * fp8rt_reference_at(reference->caps, desc->x, row, c);
            values[c] = fmin(fmax(x, -709.0), 709.0);
        }
        const double sum =
            exponentials(values, cols, least(cols, first + (desc->causal ? row : 0)));
        for (uint32_t c = 0; c < cols; c++) {
            values[c] /= desc->row_scale == NULL ? sum : 1.0;
            reference->bounds[(size_t)row * cols + c] =
                values[c] * (0x1p-10 + (desc->row_scale == NULL ? ldexp(cols, -20) : 0));
        }
    }
}

// ---- attention ----------------------------------------------------------------------------------

typedef struct head {
    const fp8rt_attention_desc *desc;
    uint32_t size, first; // columns
    double factor;
    double *query, *key;     // one row each
    double *scores, *values; // one of each key
} head;

static fp8rt_reference_sum score(const fp8rt_reference *reference, const head *h, uint32_t key)
{
    for (uint32_t i = 0; i < h->size; i++) {
        h->key[i] = fp8rt_reference_at(reference->caps, &h->desc->cache->keys, key, h->first + i);
    }
    return fp8rt_reference_dot(reference->caps, h->query, h->key, h->size);
}

// The weights of one token, not normalised. Returns their relative error.
static double weigh(const fp8rt_reference *reference, const head *h, uint32_t token, double *sum)
{
    const uint32_t keys = h->desc->cache->length, tokens = h->desc->query->rows;
    const uint32_t mantissa_bits = fp8mac_format_get(h->desc->cache->values.format)->mantissa_bits;
    double worst = 0;
    for (uint32_t i = 0; i < h->size; i++) {
        h->query[i] = fp8rt_reference_at(reference->caps, h->desc->query, token, h->first + i);
    }
    for (uint32_t key = 0; key < keys; key++) {
        const fp8rt_reference_sum s = score(reference, h, key);
        h->scores[key] = s.sum * h->factor;
        worst = fmax(worst, s.bound * h->factor);
    }
    *sum = exponentials(h->scores, keys, h->desc->causal ? keys - tokens + token + 1u : keys);
    return ldexp(1, -(int)mantissa_bits - 1) + 0x1p-9 + 2 * worst;
}

static void attend(const fp8rt_reference *reference, const head *h, uint32_t token)
{
    const uint32_t keys = h->desc->cache->length;
    double sum;
    const double relative = weigh(reference, h, token, &sum);
    for (uint32_t i = 0; i < h->size; i++) {
        const size_t position = (size_t)token * h->desc->out->cols + h->first + i;
        double magnitude = 0, most = 0;
        for (uint32_t key = 0; key < keys; key++) {
            h->values[key] =
                fp8rt_reference_at(reference->caps, &h->desc->cache->values, h->first + i, key);
            magnitude += h->scores[key] * fabs(h->values[key]);
            most = fmax(most, fabs(h->values[key]));
        }
        const fp8rt_reference_sum mixed =
            fp8rt_reference_dot(reference->caps, h->scores, h->values, keys);
        reference->values[position] = mixed.sum / sum;
        reference->bounds[position] =
            (magnitude * relative + mixed.bound * (1 + relative)) / sum + keys * most * 0x1p-18;
    }
}

void fp8rt_reference_attention(fp8rt_reference *reference, const fp8rt_attention_desc *desc)
{
    fp8rt_arena arena = reference->arena;
    head h = {.desc = desc, .size = desc->query->cols / desc->heads};
    h.factor = desc->factor > 0.0f ? (double)desc->factor : 1.0 / sqrt(h.size);
    h.query = fp8rt_arena_alloc(&arena, h.size * sizeof(double));
    h.key = fp8rt_arena_alloc(&arena, h.size * sizeof(double));
    h.scores = fp8rt_arena_alloc(&arena, desc->cache->length * sizeof(double));
    h.values = fp8rt_arena_alloc(&arena, desc->cache->length * sizeof(double));
    for (; h.first < desc->query->cols; h.first += h.size) {
        for (uint32_t token = 0; token < desc->query->rows; token++) {
            attend(reference, &h, token);
        }
    }
}
