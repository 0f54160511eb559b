// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_transformer.h"

#include <math.h>

void fp8rt_reference_embedding(fp8rt_reference *reference, const fp8rt_embedding_desc *desc)
{
    for (uint32_t row = 0; row < desc->out->rows; row++) {
        for (uint32_t col = 0; col < desc->out->cols; col++) {
            const size_t index = (size_t)row * desc->out->cols + col;
            const double word =
                fp8rt_reference_at(reference->caps, desc->table, desc->indices[row], col);
            const double position =
                desc->positions == NULL
                    ? 0.0
                    : fp8rt_reference_at(reference->caps, desc->positions, desc->first + row, col);
            reference->values[index] = word + position;
            reference->bounds[index] = (fabs(word) + fabs(position)) * 0x1p-22;
        }
    }
}

// ---- matrices -----------------------------------------------------------------------------------

typedef struct matrix {
    uint32_t rows, cols;
    double *at;
} matrix;

typedef struct memory {
    const fp8rt_caps *caps;
    fp8rt_arena arena;
} memory;

static matrix empty(memory *m, uint32_t rows, uint32_t cols)
{
    return (matrix){rows, cols, fp8rt_arena_alloc(&m->arena, (size_t)rows * cols * sizeof(double))};
}

static matrix matrix_of(memory *m, const fp8rt_tensor *tensor)
{
    const matrix x = empty(m, tensor->rows, tensor->cols);
    for (uint32_t row = 0; row < x.rows; row++) {
        for (uint32_t col = 0; col < x.cols; col++) {
            x.at[row * x.cols + col] = fp8rt_reference_at(m->caps, tensor, row, col);
        }
    }
    return x;
}

// a * b^T over columns `first` to first + count, times factor
static matrix product(memory *m, matrix a, matrix b, uint32_t first, uint32_t count, double factor)
{
    const matrix y = empty(m, a.rows, b.rows);
    for (uint32_t row = 0; row < a.rows; row++) {
        for (uint32_t col = 0; col < b.rows; col++) {
            double sum = 0;
            for (uint32_t i = first; i < first + count; i++) {
                sum += a.at[row * a.cols + i] * b.at[col * b.cols + i];
            }
            y.at[row * y.cols + col] = sum * factor;
        }
    }
    return y;
}

static matrix linear(memory *m, matrix x, const fp8rt_weights *weights)
{
    const matrix y = product(m, x, matrix_of(m, &weights->codes), 0, x.cols, 1.0);
    for (uint32_t i = 0; i < y.rows * y.cols; i++) {
        y.at[i] += weights->bias == NULL ? 0.0 : (double)weights->bias[i % y.cols];
    }
    return y;
}

static void add_to(matrix x, matrix y)
{
    for (uint32_t i = 0; i < x.rows * x.cols; i++) {
        x.at[i] += y.at[i];
    }
}

static void normalise_row(const fp8rt_block_norm *norm, uint32_t n, const double *x, double *y)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < n && !norm->rms; i++) {
        mean += x[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean) / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        y[i] = (x[i] - mean) / sqrt(squares + (double)norm->eps) *
                   (norm->gamma == NULL ? 1.0 : (double)norm->gamma[i]) +
               (norm->beta == NULL ? 0.0 : (double)norm->beta[i]);
    }
}

static void normalise(const fp8rt_block_norm *norm, matrix x, matrix y)
{
    for (uint32_t row = 0; row < x.rows; row++) {
        normalise_row(norm, x.cols, x.at + row * x.cols, y.at + row * x.cols);
    }
}

// ---- parts of a block ---------------------------------------------------------------------------

static matrix enter(memory *m, const fp8rt_block_desc *desc, const fp8rt_block_norm *norm, matrix x)
{
    if (desc->post_norm) {
        return x;
    }
    const matrix in = empty(m, x.rows, x.cols);
    normalise(norm, x, in);
    return in;
}

static void leave(const fp8rt_block_desc *desc, const fp8rt_block_norm *norm, matrix x)
{
    if (desc->post_norm) {
        normalise(norm, x, x);
    }
}

static void softmax(matrix scores, bool causal)
{
    for (uint32_t row = 0; row < scores.rows; row++) {
        double *s = scores.at + row * scores.cols, most = -INFINITY, sum = 0;
        const uint32_t seen = causal ? scores.cols - scores.rows + row + 1u : scores.cols;
        for (uint32_t i = 0; i < seen; i++) {
            most = fmax(most, s[i]);
        }
        for (uint32_t i = 0; i < scores.cols; i++) {
            s[i] = i < seen ? exp(s[i] - most) : 0.0;
            sum += s[i];
        }
        for (uint32_t i = 0; i < scores.cols; i++) {
            s[i] /= sum;
        }
    }
}

static matrix attend(memory *m, uint32_t heads, bool causal, matrix q, matrix k, matrix v)
{
    const matrix out = empty(m, q.rows, q.cols);
    const uint32_t size = q.cols / heads;
    for (uint32_t first = 0; first < q.cols; first += size) {
        const matrix weights = product(m, q, k, first, size, 1.0 / sqrt(size));
        softmax(weights, causal);
        for (uint32_t i = 0; i < q.rows * size; i++) {
            const uint32_t row = i / size, col = first + i % size;
            double sum = 0;
            for (uint32_t key = 0; key < k.rows; key++) {
                sum += weights.at[row * k.rows + key] * v.at[key * v.cols + col];
            }
            out.at[row * q.cols + col] = sum;
        }
    }
    return out;
}

static void attention(memory *m, const fp8rt_block_desc *desc, const fp8rt_block_attention *a,
                      matrix x, const matrix *others)
{
    const matrix in = enter(m, desc, &a->norm, x);
    const matrix tokens = others == NULL ? in : *others;
    const matrix mixed =
        attend(m, desc->heads, desc->causal && others == NULL, linear(m, in, a->query),
               linear(m, tokens, a->key), linear(m, tokens, a->value));
    add_to(x, linear(m, mixed, a->output));
    leave(desc, &a->norm, x);
}

static void feed_forward(memory *m, const fp8rt_block_desc *desc, matrix x)
{
    const fp8rt_block_feed_forward *f = &desc->feed_forward;
    const matrix hidden = linear(m, enter(m, desc, &f->norm, x), f->up);
    for (uint32_t i = 0; i < hidden.rows * hidden.cols; i++) {
        hidden.at[i] = fp8rt_reference_fused(&f->fused, hidden.at[i]);
    }
    add_to(x, linear(m, hidden, f->down));
    leave(desc, &f->norm, x);
}

static void set_bounds(const fp8rt_block_desc *desc, matrix before, matrix x, double *bounds)
{
    for (uint32_t row = 0; row < x.rows; row++) {
        double most = 0;
        for (uint32_t i = row * x.cols; i < (row + 1) * x.cols; i++) {
            most = fmax(most, fabs(desc->post_norm ? x.at[i] : x.at[i] - before.at[i]));
        }
        for (uint32_t i = row * x.cols; i < (row + 1) * x.cols; i++) {
            bounds[i] = most / 4;
        }
    }
}

void fp8rt_reference_block(fp8rt_reference *reference, const fp8rt_block_desc *desc,
                           const void *before, const fp8rt_tensor *memory_tokens)
{
    memory m = {reference->caps, reference->arena};
    fp8rt_tensor stream = *desc->x;
    stream.data = (void *)(uintptr_t)before;
    const matrix first = matrix_of(&m, &stream), x = matrix_of(&m, &stream);
    attention(&m, desc, &desc->self, x, NULL);
    if (desc->cross != NULL) {
        const matrix others = matrix_of(&m, memory_tokens);
        attention(&m, desc, desc->cross, x, &others);
    }
    feed_forward(&m, desc, x);
    set_bounds(desc, first, x, reference->bounds);
    for (uint32_t i = 0; i < x.rows * x.cols; i++) {
        reference->values[i] = x.at[i];
    }
}
