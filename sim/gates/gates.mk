# SPDX-License-Identifier: Apache-2.0
# The chip with a small accelerator as a netlist: every flip-flop and gate of it is a cell of the library that
# `python -m synth chip` maps to. Memories and clock gates are RTL, as are the core and the memory around it.
#   make $(BUILD)/sim/gates/fp8mac-sim    needs minutes: synthesis, then a compilation of all cells
GATES_ROWS := 2
GATES_COLS := 2
GATES_LANES := 4
GATES_SPEC := block_f$(element_default_frac_bits_block)
GATES_V_DIR := $(BUILD)/synth/chip
GATES_V := $(addprefix $(GATES_V_DIR)/,cells.v netlists.v accel.v)
GATES_SIM := $(BUILD)/sim/gates/fp8mac-sim

$(GATES_V) &: $(RTL_SOURCES) $(wildcard synth/flow/*.py) synth/study/chip.py synth/study/accel.py
	$(call say,SYNTH,fp8mac_accel $(GATES_ROWS)x$(GATES_COLS)x$(GATES_LANES))
	$(Q)$(PYTHON) -B -m synth chip --build $(BUILD) --out $(GATES_V_DIR) $(call SYNTH_OPTION,LIB,lib) \
	  --config 'ROWS=$(GATES_ROWS) COLS=$(GATES_COLS) LANES=$(GATES_LANES) ELEMENT=block'

# The memories and clock gates, and the queues of the system's bus
GATES_RTL := $(patsubst %,rtl/accel/fp8mac_%.sv,fifo ram byte_ram vector_buffer) \
  rtl/array/fp8mac_acc_memory.sv $(patsubst %,rtl/leaf/fp8mac_%.sv,two_port_ram clock_gate)
SIM_INPUTS_GATES := $(call system_inputs,$(RTL_PACKAGES) $(GATES_RTL) $(GATES_V))
gates_parameters := $(call system_parameters,$(GATES_ROWS)_$(GATES_COLS)_$(GATES_LANES)_128) \
  $(call element_parameters,$(GATES_SPEC)) +define+ACCEL_NETLIST -Wno-lint -Wno-style -Wno-UNOPTFLAT
# One statement for each cell: -O3 would compile for half an hour.
$(SIM_UNITS:%=$(BUILD)/sim/gates/model/%.o): SIM_OPTIMISE := -O1
$(eval $(call SIMULATOR,$(BUILD)/sim/gates,SIM_INPUTS_GATES,$(gates_parameters),,,netlist))

# ---- the firmware on it: `make synth-check` --------------------------------------------------------------------------
# Flip-flops of a netlist have no initial value: each run starts them from other random values.
GATES_TESTS := $(patsubst %,$(BUILD)/test/gates-%.log,selftest bytes digits)
GATES_OUTPUTS := $(BUILD)/test/gates

.PHONY: synth-check-chip
synth-check-chip: $(GATES_TESTS)

$(BUILD)/test/gates-selftest.log: $(FW_BUILD)/riscv/selftest.elf $(GATES_SIM) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh gates-selftest $@ $(GATES_SIM) --quiet --power-up 1 --dump-outputs $(GATES_OUTPUTS).chip.bytes $<

# The host build computes the same outputs with the golden model.
$(BUILD)/test/gates-bytes.log: $(BUILD)/test/gates-selftest.log $(FW_BUILD)/host/selftest tests/system/equal_bytes.sh
	@rm -f $(GATES_OUTPUTS).host.bytes
	@FP8RT_ARRAY=$(GATES_ROWS)x$(GATES_COLS)x$(GATES_LANES) FP8RT_ELEMENT=$(GATES_SPEC) \
	  FP8RT_DUMP=$(GATES_OUTPUTS).host.bytes $(FW_BUILD)/host/selftest >$(GATES_OUTPUTS).host.out
	@tests/run_test.sh gates-bytes $@ tests/system/equal_bytes.sh $(GATES_OUTPUTS).chip.bytes $(GATES_OUTPUTS).host.bytes

$(BUILD)/test/gates-digits.log: $(FW_BUILD)/riscv/digits.elf $(GATES_SIM) tests/system/digits.sh tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh gates-digits $@ tests/system/digits.sh $(GATES_SIM) --quiet --power-up 2 $<
