// SPDX-License-Identifier: Apache-2.0
// The port for Zephyr over a kernel of one core in virtual time. An interrupt comes at every call
// of the kernel and in every millisecond of a sleep, if its line is high, it is enabled and no spin
// lock is held. The last line counts.
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zephyr/kernel.h>

#include "fp8rt/device.h"
#include "fp8rt_zephyr.h"

enum { DEVICES = 2, LIMIT_MS = 10, NEVER = 1 << 30, FIRST_INTERRUPT = 56 };

int device_start_0(void);
int device_start_1(void);

static unsigned passed, failed;

static bool check(const char *what, bool good)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("FAIL %s\n", what);
    }
    return good;
}

// ---- the accelerators ---------------------------------------------------------------------------

static struct {
    bool line, enabled;
    int rises_at; // the time of the next event
    void (*handler)(const struct device *);
    const struct device *device;
    int announced;      // events that fp8rt_device_interrupt has found
    bool inside;        // fp8rt_device_interrupt
    bool opened, fails; // fails: there is no accelerator
} chips[DEVICES];

static int now, spins_held;
static bool in_handler;
static const void *cleaned, *invalidated;
static size_t cleaned_bytes, invalidated_bytes;
static jmp_buf stuck;

static int number_of(const fp8rt_device *dev)
{
    return (int)dev->port->interrupt - FIRST_INTERRUPT;
}

static void deliver(void)
{
    for (int i = 0; i < DEVICES; i++) {
        if (chips[i].rises_at <= now) {
            chips[i].line = true;
            chips[i].rises_at = NEVER;
        }
        if (chips[i].line && chips[i].enabled && spins_held == 0 && !in_handler) {
            in_handler = true;
            chips[i].handler(chips[i].device);
            in_handler = false;
            if (!check("the handler lowers the line", !chips[i].line)) {
                longjmp(stuck, 1);
            }
        }
    }
}

fp8rt_status fp8rt_device_open(fp8rt_device *dev, const fp8rt_port *port)
{
    dev->port = port;
    chips[number_of(dev)].opened = true;
    return chips[number_of(dev)].fails ? FP8RT_ERR_NO_DEVICE : FP8RT_OK;
}

void fp8rt_device_interrupt(fp8rt_device *dev)
{
    const int i = number_of(dev);
    check("fp8rt_device_interrupt does not interrupt itself", !chips[i].inside);
    check("a spin lock keeps another core from fp8rt_device_interrupt", spins_held == 1);
    chips[i].inside = true;
    deliver();
    chips[i].announced += chips[i].line;
    chips[i].line = false;
    chips[i].inside = false;
}

// ---- the kernel ---------------------------------------------------------------------------------

int k_mutex_init(struct k_mutex *mutex)
{
    mutex->owner = 0;
    return 0;
}

int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout)
{
    check("a thread waits for the mutex", timeout.ticks == K_FOREVER.ticks);
    if (!check("the mutex was unlocked", mutex->owner == 0)) {
        longjmp(stuck, 1);
    }
    mutex->owner = 1;
    deliver();
    return 0;
}

int k_mutex_unlock(struct k_mutex *mutex)
{
    check("the mutex is locked", mutex->owner == 1);
    mutex->owner = 0;
    deliver();
    return 0;
}

static unsigned sem_limit;

int k_sem_init(struct k_sem *sem, unsigned initial, unsigned limit)
{
    sem->count = initial;
    sem_limit = limit;
    return 0;
}

void k_sem_give(struct k_sem *sem)
{
    sem->count += sem->count < sem_limit;
}

int k_sem_take(struct k_sem *sem, k_timeout_t timeout)
{
    check("no spin lock is held in a sleep", spins_held == 0);
    deliver();
    const int64_t end = timeout.ticks < 0 ? 1000 : now + timeout.ticks; // 1000 is for ever
    while (sem->count == 0 && now < end) {
        now++;
        deliver();
    }
    if (sem->count == 0) {
        if (!check("a sleep ends", timeout.ticks >= 0)) {
            longjmp(stuck, 1);
        }
        return -EAGAIN;
    }
    sem->count--;
    return 0;
}

k_spinlock_key_t k_spin_lock(struct k_spinlock *lock)
{
    deliver();
    if (!check("the spin lock was released", lock->held == 0)) {
        longjmp(stuck, 1);
    }
    lock->held = 1;
    return (k_spinlock_key_t){spins_held++};
}

void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key)
{
    check("the spin lock is held", lock->held == 1);
    lock->held = 0;
    spins_held = key.key;
    deliver();
}

int sys_cache_data_flush_range(void *start, size_t bytes)
{
    cleaned = start, cleaned_bytes = bytes;
    return 0;
}

int sys_cache_data_invd_range(void *start, size_t bytes)
{
    invalidated = start, invalidated_bytes = bytes;
    return 0;
}

void irq_enable(unsigned interrupt)
{
    check("a handler is there before its interrupt",
          chips[interrupt - FIRST_INTERRUPT].handler != NULL);
    check("the accelerator is open before its interrupt",
          chips[interrupt - FIRST_INTERRUPT].opened);
    chips[interrupt - FIRST_INTERRUPT].enabled = true;
    deliver();
}

void connect_interrupt(unsigned interrupt, unsigned priority,
                       void (*handler)(const struct device *), const struct device *dev)
{
    (void)priority;
    chips[interrupt - FIRST_INTERRUPT].handler = handler;
    chips[interrupt - FIRST_INTERRUPT].device = dev;
}

// ---- the tests ----------------------------------------------------------------------------------

static void start(void)
{
    memset(chips, 0, sizeof chips);
    now = spins_held = 0;
    in_handler = false;
    chips[0].rises_at = chips[1].rises_at = NEVER;
}

// Both, with interrupts
static fp8rt_device *both(void)
{
    start();
    check("the first accelerator starts", device_start_0() == 0);
    check("the second accelerator starts", device_start_1() == 0);
    check("their interrupts are enabled", chips[0].enabled && chips[1].enabled);
    return fp8rt_zephyr_device(&device_0);
}

static int sleeps(fp8rt_device *dev)
{
    const int begin = now;
    dev->port->lock(dev);
    dev->port->sleep(dev);
    dev->port->unlock(dev);
    return now - begin;
}

static void an_event_ends_a_sleep(void)
{
    fp8rt_device *dev = both();
    chips[0].rises_at = 3;
    check("an event in a sleep ends it", sleeps(dev) == 3);
    check("the handler has announced it", chips[0].announced == 1 && chips[1].announced == 0);
    chips[0].rises_at = now;
    deliver();
    check("an event before a sleep ends it at once", sleeps(dev) == 0);
    check("and is announced once", chips[0].announced == 2);
}

static void a_sleep_without_an_event(void)
{
    fp8rt_device *dev = both();
    const int slept = sleeps(dev);
    check("a sleep without an event ends", slept > 0 && slept <= LIMIT_MS);
    check("nothing is announced", chips[0].announced == 0);
    chips[0].rises_at = now + 5;
    check("the next one ends with the event", sleeps(dev) == 5);
}

static void a_disabled_interrupt(void)
{
    fp8rt_device *dev = both();
    chips[0].enabled = false;
    chips[0].rises_at = 4;
    const int slept = sleeps(dev);
    check("a sleep with a disabled interrupt ends", slept > 0 && slept <= LIMIT_MS);
    check("the thread lowers the line", !chips[0].line);
    check("and announces the event", chips[0].announced == 1);
    chips[0].rises_at = now + 2;
    chips[0].enabled = true;
    check("with the interrupt, the event ends the sleep", sleeps(dev) == 2);
    check("and is announced by the handler", chips[0].announced == 2);
}

// The event comes with the end of the sleep, or the thread meets it in fp8rt_device_interrupt.
static void an_event_at_the_limit(void)
{
    for (int late = -1; late <= 1; late++) {
        fp8rt_device *dev = both();
        chips[0].rises_at = LIMIT_MS + late;
        const int slept = sleeps(dev);
        check("a sleep until its limit", slept <= LIMIT_MS);
        if (chips[0].announced == 0) {
            check("the event behind ends the next sleep", sleeps(dev) == 1);
        }
        check("one event is announced once", chips[0].announced == 1);
        check("no spin lock is held behind", spins_held == 0);
    }
}

static void each_has_its_own(void)
{
    fp8rt_device *first = both(), *second = fp8rt_zephyr_device(&device_1);
    check("two devices", first != second && first->port->registers != second->port->registers);
    chips[1].rises_at = 2;
    check("the other's event does not end a sleep", sleeps(first) == LIMIT_MS);
    check("it ends a sleep of its own", sleeps(second) == 0);
    first->port->lock(first);
    second->port->lock(second);
    second->port->unlock(second);
    first->port->unlock(first);
    char bytes[8];
    first->port->clean(first, bytes, 5);
    first->port->invalidate(first, bytes + 1, 6);
    check("clean has its range", cleaned == bytes && cleaned_bytes == 5);
    check("invalidate has its range", invalidated == bytes + 1 && invalidated_bytes == 6);
}

static void there_is_none(void)
{
    start();
    chips[0].fails = true;
    check("an accelerator that is not there", device_start_0() == -ENODEV);
    check("has no interrupt", !chips[0].enabled);
}

int main(void)
{
    static void (*const tests[])(void) = {an_event_ends_a_sleep, a_sleep_without_an_event,
                                          a_disabled_interrupt,  an_event_at_the_limit,
                                          each_has_its_own,      there_is_none};
    for (size_t i = 0; i < sizeof tests / sizeof *tests && failed == 0; i++) {
        if (setjmp(stuck) == 0) {
            tests[i]();
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
