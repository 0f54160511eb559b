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

// Reports and ends the program. Registers and handler have memory of their own: the stack pointer may be what is
// wrong, and the stack says who called.
trap_entry:
  csrw mscratch, t0
  .option push
  .option norelax   // gp may be wrong, too
  la t0, fp8rt_trap_registers
  .option pop
  .irp n, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  sw x\n, 4 * \n(t0)
  .endr
  csrr t1, mscratch
  sw t1, 4 * 5(t0)
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  la sp, fp8rt_trap_stack + FP8RT_TRAP_STACK_BYTES
  call fp8rt_trap
