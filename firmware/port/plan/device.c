// SPDX-License-Identifier: Apache-2.0
// The device interface over capabilities alone: descriptors are commands, and what would run one
// returns FP8RT_ERR_UNSUPPORTED.
#include "backend.h"

fp8rt_status fp8rt_backend_open(fp8rt_device *dev)
{
    dev->caps = *(const fp8rt_caps *)dev->port->context;
    dev->state.is_open = true;
    return FP8RT_OK;
}

// ---- nothing runs, and so nothing is in flight --------------------------------------------------

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NOTHING(name, ...)                                                                         \
    void name(__VA_ARGS__) {}
#define ANSWER(type, value, name, ...)                                                             \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        return (type)value;                                                                        \
    }
#define CONST const fp8rt_device *dev
#define DEVICE fp8rt_device *dev
#define RUN fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear

NOTHING(fp8rt_backend_fetched, CONST)
NOTHING(fp8rt_backend_submit, DEVICE, fp8rt_descriptor *descriptor, uint16_t tag)
NOTHING(fp8rt_backend_list_start, DEVICE, const fp8rt_network *network, uint32_t word)
NOTHING(fp8rt_backend_list_resume, DEVICE)
NOTHING(fp8rt_backend_load_table, DEVICE, uint32_t table, const uint8_t *codes)
NOTHING(fp8rt_backend_counters, CONST, fp8rt_counters *counters)
NOTHING(fp8rt_backend_lower, DEVICE)
ANSWER(fp8rt_status, FP8RT_ERR_UNSUPPORTED, fp8rt_backend_run, RUN)
ANSWER(fp8rt_status, FP8RT_ERR_UNSUPPORTED, fp8rt_backend_count, RUN, fp8rt_counters *counters)
ANSWER(fp8rt_status, FP8RT_ERR_UNSUPPORTED, fp8rt_backend_list_run, DEVICE,
       const fp8rt_network *network, uint32_t first, uint32_t last)
ANSWER(fp8rt_record, {.status = FP8RT_ERR_UNSUPPORTED}, fp8rt_backend_end, DEVICE, uint16_t tag)
ANSWER(fp8rt_status, FP8RT_OK, fp8rt_backend_room, DEVICE)
ANSWER(fp8rt_status, FP8RT_OK, fp8rt_backend_wait, DEVICE)
ANSWER(fp8rt_status, FP8RT_OK, fp8rt_backend_clear, DEVICE, uint32_t what)
ANSWER(fp8rt_status, FP8RT_OK, fp8rt_backend_reset, DEVICE)
ANSWER(fp8rt_list_state, FP8RT_LIST_ENDED, fp8rt_backend_list_look, CONST)
ANSWER(fp8rt_list_state, FP8RT_LIST_ENDED, fp8rt_backend_list_await, DEVICE)
ANSWER(uint32_t, 0, fp8rt_backend_list_position, CONST)
ANSWER(bool, false, fp8rt_backend_acknowledge, DEVICE)
ANSWER(uint32_t, 0, fp8rt_backend_done, CONST)
ANSWER(fp8rt_observed, {0}, fp8rt_device_observed, CONST)
ANSWER(uint16_t, 0, fp8rt_device_error_tag, CONST)
