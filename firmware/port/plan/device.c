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

// ---- descriptors --------------------------------------------------------------------------------

void fp8rt_backend_encode(const fp8rt_command *command, fp8rt_descriptor *descriptor)
{
    descriptor->command = *command;
}

fp8rt_command fp8rt_backend_decode(const fp8rt_descriptor *descriptor)
{
    return descriptor->command;
}

void fp8rt_backend_set_matrices(fp8rt_descriptor *descriptor, uintptr_t a, uintptr_t b, uintptr_t d)
{
    descriptor->command.a.address = a;
    descriptor->command.b.address = b;
    descriptor->command.d = d;
}

void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d)
{
    descriptor->command.a.scale = scale_a;
    descriptor->command.b.scale = scale_b;
    descriptor->command.bias = bias;
    descriptor->command.scale_d = scale_d;
}

void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta)
{
    descriptor->command.beta = beta;
}

// ---- nothing runs -------------------------------------------------------------------------------

void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag)
{
    (void)dev, (void)descriptor, (void)tag;
}

fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear)
{
    (void)dev, (void)descriptor, (void)clear;
    return FP8RT_ERR_UNSUPPORTED;
}

fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters)
{
    *counters = (fp8rt_counters){0};
    return fp8rt_backend_run(dev, descriptor, clear);
}

void fp8rt_backend_list_start(fp8rt_device *dev, const fp8rt_network *network, uint32_t word)
{
    (void)dev, (void)network, (void)word;
}

fp8rt_status fp8rt_backend_list_run(fp8rt_device *dev, const fp8rt_network *network, uint32_t first,
                                    uint32_t last)
{
    (void)dev, (void)network, (void)first, (void)last;
    return FP8RT_ERR_UNSUPPORTED;
}

void fp8rt_backend_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    (void)dev, (void)table, (void)codes;
}

fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag)
{
    (void)dev, (void)tag;
    return (fp8rt_record){.status = FP8RT_ERR_UNSUPPORTED};
}

// ---- so nothing is in flight --------------------------------------------------------------------

fp8rt_status fp8rt_backend_room(fp8rt_device *dev)
{
    (void)dev;
    return FP8RT_OK;
}

void fp8rt_backend_fetched(const fp8rt_device *dev)
{
    (void)dev;
}

fp8rt_status fp8rt_backend_wait(fp8rt_device *dev)
{
    (void)dev;
    return FP8RT_OK;
}

fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what)
{
    (void)dev, (void)what;
    return FP8RT_OK;
}

fp8rt_status fp8rt_backend_reset(fp8rt_device *dev)
{
    (void)dev;
    return FP8RT_OK;
}

void fp8rt_backend_counters(const fp8rt_device *dev, fp8rt_counters *counters)
{
    (void)dev;
    *counters = (fp8rt_counters){0};
}

fp8rt_list_state fp8rt_backend_list_look(const fp8rt_device *dev)
{
    (void)dev;
    return FP8RT_LIST_ENDED;
}

fp8rt_list_state fp8rt_backend_list_await(fp8rt_device *dev)
{
    return fp8rt_backend_list_look(dev);
}

void fp8rt_backend_list_resume(fp8rt_device *dev)
{
    (void)dev;
}

uint32_t fp8rt_backend_list_position(const fp8rt_device *dev)
{
    (void)dev;
    return 0;
}

void fp8rt_backend_lower(fp8rt_device *dev)
{
    (void)dev;
}

bool fp8rt_backend_acknowledge(fp8rt_device *dev)
{
    (void)dev;
    return false;
}

uint32_t fp8rt_backend_done(const fp8rt_device *dev)
{
    (void)dev;
    return 0;
}

fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev)
{
    (void)dev;
    return (fp8rt_observed){0};
}

uint16_t fp8rt_device_error_tag(const fp8rt_device *dev)
{
    (void)dev;
    return 0;
}
