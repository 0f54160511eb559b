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
    sum.bound += ldexp(fabs(sum.sum) + fabs(bias), -21); // FP32
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

// Of fp8mac/function.h: 2^-14.5 and 2^-13.5
static const double sigmoid_error = 4.3159e-5, tanh_error = 8.6318e-5;

static gate sigmoid_of(parts p)
{
    const gate x = sum_of(p);
    return (gate){sigmoid(x.sum), x.bound / 4 + sigmoid_error};
}

static gate tanh_of(gate x)
{
    return (gate){tanh(x.sum), x.bound + tanh_error};
}

static gate product(gate x, gate y)
{
    const double exact = fabs(x.sum * y.sum);
    return (gate){x.sum * y.sum, fabs(x.sum) * y.bound + fabs(y.sum) * x.bound + x.bound * y.bound +
                                     ldexp(exact, -23)};
}

static gate plus(gate x, gate y)
{
    return (gate){x.sum + y.sum, x.bound + y.bound + ldexp(fabs(x.sum) + fabs(y.sum), -23)};
}

static void step_lstm(const parts p[4], gate *h, gate *c)
{
    const gate in = sigmoid_of(p[0]), forget = sigmoid_of(p[1]), new = tanh_of(sum_of(p[2]));
    *c = plus(product(forget, *c), product(in, new));
    *h = product(sigmoid_of(p[3]), tanh_of(*c));
}

static void step_gru(const parts p[4], gate *h, gate *c)
{
    const gate reset = sigmoid_of(p[0]), keep = sigmoid_of(p[1]);
    const gate new = tanh_of(plus(p[2].input, product(reset, p[2].recurrent)));
    const gate from = plus(*c, (gate){-new.sum, new.bound});
    *c = plus(new, product(keep, from));
    *h = *c;
}

void fp8rt_reference_recurrent(fp8rt_reference *reference, const fp8rt_reference_step *step)
{
    const uint32_t units = step->desc->hidden->cols, gates = step->gru ? 3 : 4;
    for (uint32_t s = 0; s < step->desc->hidden->rows; s++) {
        for (uint32_t u = 0; u < units; u++) {
            parts p[4];
            gate h, c = {(double)step->state[s * units + u], 0};
            for (uint32_t g = 0; g < gates; g++) {
                p[g] = parts_of(reference, step, s, g * units + u);
            }
            step->gru ? step_gru(p, &h, &c) : step_lstm(p, &h, &c);
            const uint32_t position = 2 * s * units + u;
            reference->values[position] = h.sum;
            reference->bounds[position] = h.bound;
            reference->values[position + units] = c.sum;
            reference->bounds[position + units] = c.bound;
        }
    }
}
