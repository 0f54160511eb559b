// SPDX-License-Identifier: Apache-2.0
// What the vectors of start.c call.
#ifndef START_H
#define START_H

enum { FIRST_INTERRUPT = 3, SECOND_INTERRUPT = 37, INTERRUPTS = 40 };

void tick(void); // SysTick
void first_interrupt(void);
void second_interrupt(void);

#endif
