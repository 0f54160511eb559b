// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over a sequence: LSTM and GRU, with PyTorch's formulas and order of gates.
//
//   LSTM   i = sigmoid(a_i)   f = sigmoid(a_f)   g = tanh(a_g)   o = sigmoid(a_o)
//          a_j = Wx_j x + bx_j + Wh_j h + bh_j   c' = f * c + i * g   h' = o * tanh(c')
//
//   GRU    r = sigmoid(a_r)   z = sigmoid(a_z)   n = tanh(Wx_n x + bx_n + r * (Wh_n h + bh_n))
//          h' = (1 - z) * n + z * h
//
// A GRU computes h' = n + z * (h - n). All of it is commands in FP32, one for each operation: Wx x
// + bx for all steps at once, then for each step the gates, sigmoid and tanh (fp8mac/function.h),
// and the products and sums of the state. Where the accelerator has no row commands, the core
// computes sigmoid and tanh, in integers and with the same bytes.
//
// Error of one step, besides the rounding of x, h and the weights to FP8: a gate differs by
// e, the error of its two sums (linear.h). Sigmoid is then within e / 4 + 2^-14.5, tanh
// within e + 2^-13.5, and
//
//   LSTM   c' within |c| * (e / 4 + 2^-14.5) + 5 e / 4 + 2^-12.9
//          h' within that of c' + e / 4 + 2^-12.9
//   GRU    n within d = 2 e + |Wh_n h + bh_n| * (e / 4 + 2^-14.5) + 2^-13.5
//          h' within d + |h - n| * (e / 4 + 2^-14.5)
//
// but for the rounding of FP32. Commands: 1, and for each step 9 of an LSTM, 10 of a GRU; with
// out one more, and one more for each step. The core moves gates apart where a gate's FP32
// numbers are no whole beats. Without row commands a step of an LSTM with 128 units takes 440
// cycles more for each unit.
#ifndef FP8RT_RECURRENT_H
#define FP8RT_RECURRENT_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Row t * batch + b of x and out belongs to step t of sequence b. The caller owns the state between
// calls: hidden and state, all zero at the start of a sequence.
typedef struct fp8rt_recurrent_desc {
    const fp8rt_tensor *x; // FP8, steps * batch x inputs
    const fp8rt_weights
        *input; // Wx, bx: gates * units x inputs, where an LSTM has 4 gates, a GRU 3
    const fp8rt_weights *recurrent; // Wh, bh: gates * units x units
    uint32_t batch;                 // sequences; 0: 1
    // h, FP8 with a static scale: batch x units. Its numbers are below 1 in magnitude, so that
    // 1/256 is a good scale of e4m3fn. Before the first step on entry, after the last one on
    // return.
    const fp8rt_tensor *hidden;
    // FP32 without a scale, batch x units: LSTM: c; GRU: h before it is rounded to FP8
    const fp8rt_tensor *state;
    fp8rt_tensor *out; // h of every step, steps * batch x units of any format; NULL: not kept
} fp8rt_recurrent_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_STRIDE, FP8RT_ERR_UNSUPPORTED (hidden has a scaling that is not static): nothing was
// written. Those of fp8rt_gemm and fp8rt_elementwise: the state is undefined.
fp8rt_status fp8rt_lstm(fp8rt_run *run, const fp8rt_recurrent_desc *desc);
fp8rt_status fp8rt_gru(fp8rt_run *run, const fp8rt_recurrent_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
