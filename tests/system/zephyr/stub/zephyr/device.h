// SPDX-License-Identifier: Apache-2.0
// What the port uses of Zephyr's interface, for a compiler without Zephyr: two accelerators in the
// devicetree.
#ifndef ZEPHYR_DEVICE_H
#define ZEPHYR_DEVICE_H

#include <stddef.h>
#include <stdint.h>

struct device {
    const void *config;
    void *data;
};

struct k_mutex {
    int owner;
};
struct k_sem {
    unsigned count;
};
typedef struct k_timeout {
    int64_t ticks;
} k_timeout_t;
#define K_FOREVER ((k_timeout_t){-1})
#define K_MSEC(ms) ((k_timeout_t){ms}) // a tick is a millisecond
struct k_spinlock {
    int held;
};
typedef struct k_spinlock_key {
    int key;
} k_spinlock_key_t;
k_spinlock_key_t k_spin_lock(struct k_spinlock *lock);
void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key);
int k_mutex_init(struct k_mutex *mutex);
int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout);
int k_mutex_unlock(struct k_mutex *mutex);
int k_sem_init(struct k_sem *sem, unsigned initial, unsigned limit);
int k_sem_take(struct k_sem *sem, k_timeout_t timeout);
void k_sem_give(struct k_sem *sem);
int sys_cache_data_flush_range(void *start, size_t bytes);
int sys_cache_data_invd_range(void *start, size_t bytes);
void irq_enable(unsigned interrupt);
void connect_interrupt(unsigned interrupt, unsigned priority,
                       void (*handler)(const struct device *), const struct device *dev);

#define ARG_UNUSED(x) (void)(x)
#define CONFIG_KERNEL_INIT_PRIORITY_DEVICE 50
#define IRQ_CONNECT(interrupt, priority, handler, dev, flags)                                      \
    connect_interrupt(interrupt, priority, handler, dev)
#define DT_INST_REG_ADDR(n) (0x40000000u + (n) * 0x1000u)
#define DT_INST_IRQN(n) (56u + (n))
#define DT_INST_IRQ(n, cell) 3u
#define DT_INST_FOREACH_STATUS_OKAY(macro) macro(0) macro(1)
#define DEVICE_DT_INST_GET(n) (&device_##n)
extern const struct device device_0, device_1;
#define DEVICE_DT_INST_DEFINE(n, start, power, data_of, config_of, level, priority, api)           \
    const struct device device_##n = {config_of, data_of};                                         \
    int device_start_##n(void);                                                                    \
    int device_start_##n(void)                                                                     \
    {                                                                                              \
        return start(&device_##n);                                                                 \
    }

#endif
