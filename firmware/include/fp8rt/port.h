// SPDX-License-Identifier: Apache-2.0
// What the library needs of the system around the accelerator, one fp8rt_port for each accelerator
// of a program. Every function may be NULL. A system whose memory is coherent, with one thread that
// may wait busily, needs an address:
//
//   static const fp8rt_port port = {.registers = 0x40000000};
//   static fp8rt_device dev;
//   status = fp8rt_device_open(&dev, &port);
//
// The library keeps the address of the port: the port stays unchanged while the device is in use.
// Core and accelerator see memory at the same addresses.
#ifndef FP8RT_PORT_H
#define FP8RT_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fp8rt_device;

typedef struct fp8rt_port {
    uintptr_t registers; // address of the accelerator's first register, not 0
    uint32_t interrupt;  // number of its interrupt, for the port alone
    void *context;       // for the port alone

    // Sleeps until the accelerator has an event. Whoever finds its interrupt line high calls
    // fp8rt_device_interrupt(dev), which lowers the line: a handler, or this function if
    // there is no handler. Returns at once if that call was made since this function returned
    // last. It may return early, because the library then reads the state and calls it again.
    // NULL: the library polls.
    void (*sleep)(struct fp8rt_device *dev);

    // A mutex, not taken twice by a thread. With both functions, several threads may use
    // one device: a call waits until the call of another thread has returned. NULL:
    // calls do not overlap.
    void (*lock)(struct fp8rt_device *dev);
    void (*unlock)(struct fp8rt_device *dev);

    // Cache maintenance by address, rounded outwards to whole lines. `clean` writes dirty lines to
    // memory; the library calls it for commands, for all that they read and for D, before a GEMM or
    // an element-wise command. `invalidate`
    // drops lines, and is called for D after the GEMM. So the core must not write to a line that
    // holds a byte of D while a GEMM is in flight; gaps between D's rows count as D. NULL: the
    // accelerator sees what the core writes, and the core what the accelerator writes.
    void (*clean)(struct fp8rt_device *dev, const void *start, size_t bytes);
    void (*invalidate)(struct fp8rt_device *dev, void *start, size_t bytes);
} fp8rt_port;

// Orders accesses to memory with those to registers, for the compiler, the core and the bus. Other
// architectures define it before they include this header.
#ifndef FP8RT_PORT_BARRIER
#if defined(__riscv)
#define FP8RT_PORT_BARRIER() __asm__ volatile("fence iorw, iorw" ::: "memory")
#elif defined(__arm__) || defined(__aarch64__)
#define FP8RT_PORT_BARRIER() __asm__ volatile("dsb sy" ::: "memory")
#else
#define FP8RT_PORT_BARRIER() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif
