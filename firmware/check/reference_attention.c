// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_attention.h"

#include <math.h>

// Replaces the first `seen` of `cols` scores by exp(score - largest), the others by 0. Returns the
// sum.
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
            values[c] = factor * fp8rt_reference_at(reference->caps, desc->x, row, c);
        }
        const double sum =
            exponentials(values, cols, least(cols, first + (desc->causal ? row : 0)));
        for (uint32_t c = 0; c < cols; c++) {
            values[c] /= sum;
            reference->bounds[(size_t)row * cols + c] = values[c] * 0x1p-14 + 0x1p-114;
        }
    }
}

// ---- attention ----------------------------------------------------------------------------------

typedef struct head {
    const fp8rt_attention_desc *desc;
    const fp8rt_kv_cache *cache; // of the sequence
    uint32_t tokens, before;     // of the sequence; those of the sequences before it
    uint32_t size, first;        // columns
    double factor;
    double *query, *key;     // one row each
    double *scores, *values; // one of each key
} head;

static fp8rt_reference_sum score(const fp8rt_reference *reference, const head *h, uint32_t key)
{
    for (uint32_t i = 0; i < h->size; i++) {
        h->key[i] = fp8rt_reference_at(reference->caps, &h->cache->keys, key, h->first + i);
    }
    return fp8rt_reference_dot(reference->caps, h->query, h->key, h->size);
}

// The weights of one token, not normalised. Returns their relative error.
static double weigh(const fp8rt_reference *reference, const head *h, uint32_t token, double *sum)
{
    const uint32_t keys = h->cache->length;
    const uint32_t mantissa_bits = fp8mac_format_get(h->cache->values.format)->mantissa_bits;
    double worst = 0;
    for (uint32_t i = 0; i < h->size; i++) {
        h->query[i] =
            fp8rt_reference_at(reference->caps, h->desc->query, h->before + token, h->first + i);
    }
    for (uint32_t key = 0; key < keys; key++) {
        const fp8rt_reference_sum s = score(reference, h, key);
        h->scores[key] = s.sum * h->factor;
        worst = fmax(worst, s.bound * h->factor);
    }
    *sum = exponentials(h->scores, keys, h->desc->causal ? keys - h->tokens + token + 1u : keys);
    return ldexp(1, -(int)mantissa_bits - 1) + 0x1p-14 + 2 * worst;
}

static void attend(const fp8rt_reference *reference, const head *h, uint32_t token)
{
    const uint32_t keys = h->cache->length;
    double sum;
    const double relative = weigh(reference, h, token, &sum);
    for (uint32_t i = 0; i < h->size; i++) {
        const size_t position = (size_t)(h->before + token) * h->desc->out->cols + h->first + i;
        double magnitude = 0, most = 0;
        for (uint32_t key = 0; key < keys; key++) {
            h->values[key] =
                fp8rt_reference_at(reference->caps, &h->cache->values, h->first + i, key);
            magnitude += h->scores[key] * fabs(h->values[key]);
            most = fmax(most, fabs(h->values[key]));
        }
        const fp8rt_reference_sum mixed =
            fp8rt_reference_dot(reference->caps, h->scores, h->values, keys);
        const float *bias = h->desc->value_bias;
        reference->values[position] =
            mixed.sum / sum + (bias == NULL ? 0 : (double)bias[h->first + i]);
        reference->bounds[position] = (magnitude * relative + mixed.bound * (1 + relative)) / sum +
                                      keys * most * 0x1p-18 +
                                      fabs(reference->values[position]) * 0x1p-24;
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
    h.tokens = desc->query->rows / (desc->sequences == 0 ? 1 : desc->sequences);
    for (h.cache = desc->cache; h.before < desc->query->rows; h.before += h.tokens, h.cache++) {
        for (h.first = 0; h.first < desc->query->cols; h.first += h.size) {
            for (uint32_t token = 0; token < h.tokens; token++) {
                attend(reference, &h, token);
            }
        }
    }
}
