// SPDX-License-Identifier: Apache-2.0
// Every instruction that sim/disassemble.cpp knows, with operands at both ends of their ranges.
  .option norvc
  .option norelax

  .macro registers name
  \name zero, ra, sp
  \name t6, t5, t4
  \name s0, a0, a7
  .endm
  .irp name, add, sub, sll, slt, sltu, xor, srl, sra, or, and
  registers \name
  .endr
  .irp name, mul, mulh, mulhsu, mulhu, div, divu, rem, remu
  registers \name
  .endr

  .irp name, addi, slti, sltiu, xori, ori, andi
  \name gp, tp, 2047
  \name t0, t1, -2048
  \name t2, s1, 0
  .endr
  .irp name, slli, srli, srai
  \name a1, a2, 31
  \name a3, a4, 1
  .endr

  .irp name, lb, lh, lw, lbu, lhu, sb, sh, sw
  \name a5, 2047(a6)
  \name s2, -2048(s3)
  \name s4, 4(s5)
  .endr
  jalr s6, -2048(s7)
  jalr zero, 0(ra)
  jalr s8, 2047(s9)

  .macro branches name
  \name s10, s11, .
  \name t3, zero, .+4094
  \name zero, t4, .-4096
  .endm
  .irp name, beq, bne, blt, bge, bltu, bgeu
  branches \name
  .endr
  jal ra, .
  jal zero, .+1048574
  jal t0, .-1048576
  lui a0, 0xfffff
  lui a1, 1
  auipc a2, 0x80000
  auipc a3, 0

  fence iorw, iorw
  fence r, w
  fence io, o
  fence.i
  ecall
  ebreak
  mret
  wfi

  .irp name, csrrw, csrrs, csrrc
  \name a0, mstatus, a1
  \name zero, mtvec, t6
  \name t1, 0x7c0, zero
  .endr
  .irp name, csrrwi, csrrsi, csrrci
  \name a0, mie, 31
  \name zero, mepc, 0
  .endr
  .irp name, misa, mscratch, mcause, mtval, mip, mcycle, minstret, mcycleh, minstreth, cycle, instret, cycleh
  csrrs a0, \name, zero
  .endr
  .irp name, instreth, mhartid, mcountinhibit
  csrrs a0, \name, zero
  .endr

  .word 0xffffffff
  .word 0x00000000
