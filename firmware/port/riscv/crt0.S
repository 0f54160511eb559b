// SPDX-License-Identifier: Apache-2.0
// The first instructions, and the vectors.
#include "soc.h"

  .section .boot, "ax"
  .space 0x80       // Ibex starts here
  .globl _start
_start:
  la t0, begin
  jr t0

  .section .vectors, "ax"
  .option push
  .option norvc
  .balign 256
vectors:
  .rept SOC_ACCELERATOR_IRQ // exceptions, then one entry per interrupt
  j trap_entry
  .endr
  j fp8rt_handle_interrupt
  .rept 31 - SOC_ACCELERATOR_IRQ
  j trap_entry
  .endr
  .option pop

begin:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_top
  la tp, __tls_base
  la t0, vectors
  ori t0, t0, 1     // vectored
  csrw mtvec, t0
  la t0, __bss_start
  la t1, __bss_end
1:
  bgeu t0, t1, 2f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 1b
2:
  call fp8rt_start  // does not return

// Reports and ends the program: nothing needs to be saved, and the stack pointer may be what is
// wrong.
trap_entry:
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  la sp, __stack_top
  call fp8rt_trap
