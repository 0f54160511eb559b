// SPDX-License-Identifier: Apache-2.0
// Descriptors of devices without registers: each is its command. The device's fp8rt_device_state.h
// has the structure.
#include "backend.h"

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
    descriptor->command.a.addr = a;
    descriptor->command.b.addr = b;
    descriptor->command.d.addr = d;
}

void fp8rt_backend_set_scales(fp8rt_descriptor *descriptor, uintptr_t scale_a, uintptr_t scale_b,
                              uintptr_t bias, uint32_t scale_d)
{
    descriptor->command.a.scale = scale_a;
    descriptor->command.b.scale = scale_b;
    descriptor->command.finish.bias = bias;
    descriptor->command.d.scale = scale_d;
}

void fp8rt_backend_get_scales(const fp8rt_descriptor *descriptor, fp8rt_command *command)
{
    command->a.scale = descriptor->command.a.scale;
    command->b.scale = descriptor->command.b.scale;
    command->finish.bias = descriptor->command.finish.bias;
}

void fp8rt_backend_set_beta(fp8rt_descriptor *descriptor, uint32_t beta)
{
    descriptor->command.c.beta = beta;
}
