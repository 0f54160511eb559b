// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_recurrent.h"

#include <math.h>

typedef struct fp8rt_reference_sum gate;

// The parts of one gate of one unit
typedef struct parts {
    gate input, recurrent;
} parts;

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static double limited(double x)
{
    return fmin(fmax(x, -128.0), 128.0);
}

static gate part_of(const fp8rt_reference *reference, const fp8rt_weights *weights, uint32_t row,
                    const fp8rt_tensor *x, uint32_t x_row)
{
    fp8rt_arena arena = reference->arena;
    const uint32_t k = x->cols;
    double *a = fp8rt_arena_alloc(&arena, k * sizeof(double));
    double *b = fp8rt_arena_alloc(&arena, k * sizeof(double));
    const double scale = weights->row_scale == NULL ? 1.0 : (double)weights->row_scale[row];
    const double bias = weights->bias == NULL ? 0.0 : (double)weights->bias[row];
    for (uint32_t i = 0; i < k; i++) {
        a[i] = fp8rt_reference_at(reference->caps, x, x_row, i);
        b[i] = fp8rt_reference_at(reference->caps, &weights->codes, row, i) * scale;
    }
    gate sum = fp8rt_reference_dot(reference->caps, a, b, k);
    sum.bound += ldexp(fabs(sum.sum) + fabs(bias), -21) + ldexp(1, -15); // FP32, and a gate's unit
    sum.sum += bias;
    return sum;
}

static parts parts_of(const fp8rt_reference *reference, const fp8rt_reference_step *step,
                      uint32_t sequence, uint32_t row)
{
    fp8rt_tensor hidden = *step->desc->hidden;
    hidden.data = (void *)(uintptr_t)step->hidden;
    return (parts){part_of(reference, step->desc->input, row, step->desc->x, sequence),
                   part_of(reference, step->desc->recurrent, row, &hidden, sequence)};
}

// Both parts of a gate
static gate sum_of(parts p)
{
    return (gate){p.input.sum + p.recurrent.sum, p.input.bound + p.recurrent.bound};
}

static const double function_error = 0x1p-14;

static gate sigmoid_of(parts p)
{
    const gate x = sum_of(p);
    return (gate){sigmoid(x.sum), x.bound / 4 + function_error};
}

static gate tanh_of(gate x)
{
    return (gate){tanh(x.sum), x.bound + function_error};
}

static gate product(gate x, gate y)
{
    return (gate){x.sum * y.sum, fabs(x.sum) * y.bound + fabs(y.sum) * x.bound + x.bound * y.bound};
}

static gate plus(gate x, gate y)
{
    return (gate){x.sum + y.sum, x.bound + y.bound + 0x1p-20};
}

static void step_lstm(const parts p[4], gate *h, gate *c)
{
    const gate in = sigmoid_of(p[0]), forget = sigmoid_of(p[1]), new = tanh_of(sum_of(p[2]));
    *c = plus(product(forget, *c), product(in, new));
    c->sum = fmin(fmax(c->sum, -2046.0), 2046.0);
    *h = product(sigmoid_of(p[3]), tanh_of(*c));
}

static void step_gru(const parts p[4], gate *h, gate *c)
{
    const gate reset = sigmoid_of(p[0]), keep = sigmoid_of(p[1]);
    const gate input = {limited(p[2].input.sum), p[2].input.bound};
    const gate back = {limited(p[2].recurrent.sum), p[2].recurrent.bound};
    const gate new = tanh_of(plus(input, product(reset, back)));
    const gate rest = {1.0 - keep.sum, keep.bound};
    *c = plus(product(rest, new), product(keep, *c));
    *h = *c;
}

void fp8rt_reference_recurrent(fp8rt_reference *reference, const fp8rt_reference_step *step)
{
    const uint32_t units = step->desc->hidden->cols, gates = step->gru ? 3 : 4;
    for (uint32_t s = 0; s < step->desc->hidden->rows; s++) {
        for (uint32_t u = 0; u < units; u++) {
            parts p[4];
            gate h, c = {ldexp(step->state[s * units + u], -FP8RT_STATE_BITS), 0};
            for (uint32_t g = 0; g < gates; g++) {
                p[g] = parts_of(reference, step, s, g * units + u);
            }
            step->gru ? step_gru(p, &h, &c) : step_lstm(p, &h, &c);
            const uint32_t position = 2 * s * units + u;
            reference->values[position] = h.sum;
            reference->bounds[position] = h.bound + 0x1p-20;
            reference->values[position + units] = c.sum;
            reference->bounds[position + units] = c.bound;
        }
    }
}
