// SPDX-License-Identifier: Apache-2.0
// Vectors, and every trap as a call of trap(mcause, mepc, mtval), which returns where to go on.
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
  .rept 32
  j trap_entry
  .endr
  .option pop

begin:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_top
  la t0, vectors
  csrw mtvec, t0
  la t0, __bss_start
  la t1, __bss_end
1:
  bgeu t0, t1, 2f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 1b
2:
  call main
  li t0, 0x20000000
  sw a0, 0(t0)
3:
  j 3b

// The registers that a C function may change.
  .macro each_caller_saved op
  \op ra, 0(sp)
  \op t0, 4(sp)
  \op t1, 8(sp)
  \op t2, 12(sp)
  \op a0, 16(sp)
  \op a1, 20(sp)
  \op a2, 24(sp)
  \op a3, 28(sp)
  \op a4, 32(sp)
  \op a5, 36(sp)
  \op a6, 40(sp)
  \op a7, 44(sp)
  \op t3, 48(sp)
  \op t4, 52(sp)
  \op t5, 56(sp)
  \op t6, 60(sp)
  .endm

  .text
trap_entry:
  addi sp, sp, -64
  each_caller_saved sw
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call trap
  csrw mepc, a0
  each_caller_saved lw
  addi sp, sp, 64
  mret
