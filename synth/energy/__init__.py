# SPDX-License-Identifier: Apache-2.0
"""Energy of the elements' netlists and of their operand feeds on real operands, from counted transitions.

tensors     operands of networks and random ones; data: as FP8 and INT8 codes, in the array's order
drive       a netlist's inputs from the feeds' outputs, and its results
circuit     a netlist for toggles.cpp, which counts transitions
power       energy from transitions; power_tables: internal power; clock: the clock tree
vcd         the same transitions in Icarus Verilog
sta_power   the same power in OpenSTA
measure     the study; cli: its command; networks, pages: synth/ENERGY.md
"""
