# SPDX-License-Identifier: Apache-2.0
"""Energy of the elements' netlists and of their operand feeds on real operands, and of the chip's netlists while networks
run, from counted transitions.

tensors     operands of networks and random ones; data: as FP8, MX and INT8 codes, in the array's order
drive       a netlist's inputs from the feeds' outputs, and its results
circuit     a netlist for toggles.cpp, which counts transitions
power       energy from transitions; power_tables: internal power; clock: the clock tree
vcd         the same transitions in Icarus Verilog
sta_power   the same power in OpenSTA
measure     the study of elements; cli: its command
registered  the element with a register against glitches, as RTL
waveform    what the RTL's ports do while a program runs; ports.c reads a waveform
replay      netlists that do the same again
chip        which netlists, chips and programs; chip_run: their energy; chip_cli: its command
networks    multiplications of an inference
pages       synth/ENERGY.md and the page with every figure; grid, chip_pages: its tables
"""
