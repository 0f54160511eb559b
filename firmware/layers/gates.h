// SPDX-License-Identifier: Apache-2.0
// The gates of a step of a recurrent layer, as operands of commands.
#ifndef FP8RT_LAYERS_GATES_H
#define FP8RT_LAYERS_GATES_H

#include "layer.h"

// All gates of a step in FP32, each batch x units. Where a gate's columns would begin between
// beats, the core moves it apart: its rows follow those of the gate before.
//
//   | gate 0 | gate 1 | ..   rows of the batch      apart   | gate 0 |  rows of the batch
//                                                           | gate 1 |  ..
typedef struct fp8rt_gate_set {
    fp8rt_tensor at;
    uint32_t batch, units;
    bool apart;
} fp8rt_gate_set;

// Whether gates of so many units must be apart.
bool fp8rt_gates_apart(const fp8rt_run *run, uint32_t units);

// `count` gates, from the `first` on, which are neighbours in both forms
fp8rt_tensor fp8rt_gates(const fp8rt_run *run, const fp8rt_gate_set *set, uint32_t first,
                         uint32_t count);

// `all`, batch x gates * units, as a set. `room`, gates * batch x units, is for gates apart; its
// data is NULL if they need not be.
fp8rt_status fp8rt_gates_from(fp8rt_run *run, const fp8rt_tensor *all, uint32_t units,
                              const fp8rt_tensor *room, fp8rt_gate_set *set);

#endif
