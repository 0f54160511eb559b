// SPDX-License-Identifier: Apache-2.0
#include "gates.h"

#include "record.h"

bool fp8rt_gates_apart(const fp8rt_run *run, uint32_t units)
{
    return (units * sizeof(float) & (run->dev->caps.beat_bytes - 1u)) != 0;
}

fp8rt_tensor fp8rt_gates(const fp8rt_run *run, const fp8rt_gate_set *set, uint32_t first,
                         uint32_t count)
{
    return set->apart ? fp8rt_tensor_part(run, &set->at, first * set->batch, count * set->batch, 1,
                                          0, set->units)
                      : fp8rt_tensor_part(run, &set->at, 0, set->batch, 1, first * set->units,
                                          count * set->units);
}

// What the core moves; strides in words
typedef struct moved {
    const uint32_t *from;
    uint32_t *to;
    uint32_t gates, batch, units, from_stride, to_stride;
} moved;

static void move_gates(void *context)
{
    const moved *m = context;
    for (uint32_t g = 0; g < m->gates; g++) {
        for (uint32_t b = 0; b < m->batch; b++) {
            const uint32_t *from = m->from + b * m->from_stride + g * m->units;
            uint32_t *to = m->to + (g * m->batch + b) * m->to_stride;
            for (uint32_t u = 0; u < m->units; u++) {
                to[u] = from[u];
            }
        }
    }
}

fp8rt_status fp8rt_gates_from(fp8rt_run *run, const fp8rt_tensor *all, uint32_t units,
                              const fp8rt_tensor *room, fp8rt_gate_set *set)
{
    *set = (fp8rt_gate_set){
        .at = *all, .batch = all->rows, .units = units, .apart = room->data != NULL};
    if (!set->apart) {
        return FP8RT_OK;
    }
    set->at = *room;
    const moved context = {
        .from = all->data,
        .to = room->data,
        .gates = room->rows / all->rows,
        .batch = all->rows,
        .units = units,
        .from_stride = fp8rt_tensor_words(run, all),
        .to_stride = fp8rt_tensor_words(run, room),
    };
    return fp8rt_layer_core(run, move_gates, &context, sizeof context);
}
