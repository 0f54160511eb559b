// SPDX-License-Identifier: Apache-2.0
// A port for each accelerator of the devicetree: a mutex as lock, a semaphore that the interrupt
// handler gives, and Zephyr's functions for the cache.
//
// A sleep ends after LONGEST_SLEEP_MS, and the thread does what the handler would have done. So a
// program goes on, if slowly, while the interrupt is disabled. The spin lock keeps handler and
// thread apart: fp8rt_device_interrupt must not interrupt itself, nor run on two cores at once.
#define DT_DRV_COMPAT fp8mac_accelerator

#include "fp8rt_zephyr.h"

#include <errno.h>
#include <zephyr/cache.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>

#define LONGEST_SLEEP_MS 10

// The device is first: fp8rt_zephyr_device.
struct accelerator {
    fp8rt_device device;
    struct k_mutex mutex;
    struct k_sem event;
    struct k_spinlock announcing; // held in fp8rt_device_interrupt
};

static struct accelerator *of(fp8rt_device *dev)
{
    return dev->port->context;
}

// Lowers the line and announces what has completed.
static void take_events(struct accelerator *accelerator)
{
    const k_spinlock_key_t key = k_spin_lock(&accelerator->announcing);
    fp8rt_device_interrupt(&accelerator->device);
    k_spin_unlock(&accelerator->announcing, key);
}

// The library reads the state behind, and sleeps again if nothing has happened.
static void sleep_until_event(fp8rt_device *dev)
{
    if (k_sem_take(&of(dev)->event, K_MSEC(LONGEST_SLEEP_MS)) != 0) {
        take_events(of(dev));
    }
}

static void lock(fp8rt_device *dev)
{
    k_mutex_lock(&of(dev)->mutex, K_FOREVER);
}

static void unlock(fp8rt_device *dev)
{
    k_mutex_unlock(&of(dev)->mutex);
}

static void clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    ARG_UNUSED(dev);
    sys_cache_data_flush_range((void *)start, bytes);
}

static void invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    ARG_UNUSED(dev);
    sys_cache_data_invd_range(start, bytes);
}

static void handle(const struct device *dev)
{
    struct accelerator *accelerator = dev->data;
    take_events(accelerator);
    k_sem_give(&accelerator->event);
}

static int open_accelerator(const struct device *dev)
{
    struct accelerator *accelerator = dev->data;
    k_mutex_init(&accelerator->mutex);
    k_sem_init(&accelerator->event, 0, 1);
    return fp8rt_device_open(&accelerator->device, dev->config) == FP8RT_OK ? 0 : -ENODEV;
}

#define ACCELERATOR(n)                                                                             \
    static struct accelerator accelerator_##n;                                                     \
    static const fp8rt_port port_##n = {                                                           \
        .registers = DT_INST_REG_ADDR(n),                                                          \
        .interrupt = DT_INST_IRQN(n),                                                              \
        .context = &accelerator_##n,                                                               \
        .sleep = sleep_until_event,                                                                \
        .lock = lock,                                                                              \
        .unlock = unlock,                                                                          \
        .clean = clean,                                                                            \
        .invalidate = invalidate,                                                                  \
    };                                                                                             \
    static int start_##n(const struct device *dev)                                                 \
    {                                                                                              \
        const int status = open_accelerator(dev);                                                  \
        if (status == 0) {                                                                         \
            IRQ_CONNECT(DT_INST_IRQN(n), DT_INST_IRQ(n, priority), handle, DEVICE_DT_INST_GET(n),  \
                        0);                                                                        \
            irq_enable(DT_INST_IRQN(n));                                                           \
        }                                                                                          \
        return status;                                                                             \
    }                                                                                              \
    DEVICE_DT_INST_DEFINE(n, start_##n, NULL, &accelerator_##n, &port_##n, POST_KERNEL,            \
                          CONFIG_KERNEL_INIT_PRIORITY_DEVICE, NULL);

DT_INST_FOREACH_STATUS_OKAY(ACCELERATOR)
