// SPDX-License-Identifier: Apache-2.0
// The port of the simulated chip: no cache, one thread, and the sleep of the core with `wfi`.
#include "fp8rt/app.h"
#include "soc.h"

#define MSTATUS_MIE 8u
#define LINE (1u << SOC_ACCELERATOR_IRQ) // in mie and mip

static fp8rt_device *handled;
static volatile bool event; // since sleep_until_event returned last
void fp8rt_handle_interrupt(void);

static uint32_t mask_interrupts(void)
{
    uint32_t mstatus;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(mstatus) : "i"(MSTATUS_MIE) : "memory");
    return mstatus & MSTATUS_MIE;
}

static void unmask_interrupts(uint32_t mie)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(mie) : "memory");
}

static bool is_line_enabled(void)
{
    uint32_t mie;
    __asm__ volatile("csrr %0, mie" : "=r"(mie));
    return (mie & LINE) != 0;
}

// `wfi` ends for an interrupt that is enabled in mie, even while mstatus.MIE is clear. So an event
// before the `wfi` is not missed. Without a handler, or with a line that the program has
// disabled, the line is enabled only here, and nothing traps. The watchdog makes an event of a
// silent bus, so each sleep ends.
static void sleep_until_event(fp8rt_device *dev)
{
    const uint32_t mie = mask_interrupts();
    if (dev == handled && is_line_enabled()) {
        if (!event) {
            __asm__ volatile("wfi" ::: "memory");
            unmask_interrupts(mie); // the handler runs here
            mask_interrupts();
        }
        event = false;
        unmask_interrupts(mie);
    } else {
        __asm__ volatile("csrs mie, %0" ::"r"(LINE));
        __asm__ volatile("wfi" ::: "memory");
        __asm__ volatile("csrc mie, %0" ::"r"(LINE));
        unmask_interrupts(mie);
        fp8rt_device_interrupt(dev); // last, so that it returns to the caller
    }
}

const fp8rt_port fp8rt_app_port = {
    .registers = SOC_ACCELERATOR, .interrupt = SOC_ACCELERATOR_IRQ, .sleep = sleep_until_event};

// The entry of this interrupt in the table of vectors
__attribute__((interrupt("machine"))) void fp8rt_handle_interrupt(void)
{
    fp8rt_device_interrupt(handled);
    event = true;
}

bool fp8rt_app_interrupt_line(void)
{
    uint32_t mip;
    __asm__ volatile("csrr %0, mip" : "=r"(mip));
    return (mip & LINE) != 0;
}

void fp8rt_app_handle_interrupts(fp8rt_device *dev)
{
    mask_interrupts();
    handled = dev;
    event = false;
    if (dev != NULL) {
        __asm__ volatile("csrs mie, %0" ::"r"(LINE));
        unmask_interrupts(MSTATUS_MIE);
    } else {
        __asm__ volatile("csrc mie, %0" ::"r"(LINE));
    }
}
