# SPDX-License-Identifier: Apache-2.0
# The chip with an accelerator as a netlist: every flip-flop and gate of it is a cell of the library that
# `python -m synth chip` maps to. Memories and clock gates are RTL, as are the core and the memory around it.
#   make synth-check-chip                         2 x 2 elements of 4 lanes: minutes for synthesis and compilation
#   make synth-check-chip ROWS=4 COLS=4 LANES=16  another array, here the default one
#   make synth-check-chip ... AS_MAPPED=1         its flat netlist is neither sized nor buffered, which takes minutes less
gates_of = $(if $(filter command,$(firstword $(origin $(1)))),$($(1)),$(2))
GATES_ROWS := $(call gates_of,ROWS,2)
GATES_COLS := $(call gates_of,COLS,2)
GATES_LANES := $(call gates_of,LANES,4)
GATES_ARRAY := $(GATES_ROWS)x$(GATES_COLS)x$(GATES_LANES)
$(call check_choice,AS_MAPPED,0 1,0)
GATES_MAPPED := $(filter 1,$(AS_MAPPED))
GATES_NAME := $(GATES_ARRAY)$(if $(GATES_MAPPED),-as-mapped)
GATES_SPEC := block_f$(element_default_frac_bits_block)
GATES_V_DIR := $(BUILD)/synth/chip-$(GATES_NAME)
GATES_V := $(addprefix $(GATES_V_DIR)/,cells.v netlists.v accel.v)
GATES_DIR := $(BUILD)/sim/gates-$(GATES_NAME)
GATES_SIM := $(GATES_DIR)/fp8mac-sim

$(GATES_V) &: $(RTL_SOURCES) $(wildcard synth/flow/*.py) synth/study/chip.py synth/study/accel.py
	$(call say,SYNTH,fp8mac_accel $(GATES_ARRAY))
	$(Q)$(PYTHON) -B -m synth chip --build $(BUILD) --out $(GATES_V_DIR) $(call SYNTH_OPTION,LIB,lib) \
	  --config 'ROWS=$(GATES_ROWS) COLS=$(GATES_COLS) LANES=$(GATES_LANES) ELEMENT=block' $(if $(GATES_MAPPED),--as-mapped)

# The memories and clock gates, and the queues of the system's bus
GATES_RTL := $(patsubst %,rtl/accel/fp8mac_%.sv,fifo ram byte_ram vector_buffer) \
  rtl/array/fp8mac_acc_memory.sv $(patsubst %,rtl/leaf/fp8mac_%.sv,two_port_ram clock_gate)
SIM_INPUTS_GATES := $(call system_inputs,$(RTL_PACKAGES) $(GATES_RTL) $(GATES_V))
gates_parameters := $(call system_parameters,$(GATES_ROWS)_$(GATES_COLS)_$(GATES_LANES)_128) \
  $(call element_parameters,$(GATES_SPEC)) +define+ACCEL_NETLIST -Wno-lint -Wno-style -Wno-UNOPTFLAT
# One statement for each cell: -O3 would compile for half an hour.
$(SIM_UNITS:%=$(GATES_DIR)/model/%.o): SIM_OPTIMISE := -O1
$(eval $(call SIMULATOR,$(GATES_DIR),SIM_INPUTS_GATES,$(gates_parameters),,,netlist))

# ---- the firmware on it: `make synth-check` --------------------------------------------------------------------------
# Flip-flops of a netlist have no initial value: each run starts them from other random values.
GATES_TEST := $(BUILD)/test/gates-$(GATES_NAME)
GATES_TESTS := $(patsubst %,$(GATES_TEST)-%.log,selftest bytes digits)

.PHONY: synth-check-chip
synth-check-chip: $(GATES_TESTS)

$(GATES_TEST)-selftest.log: $(FW_BUILD)/riscv/selftest.elf $(GATES_SIM) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh gates-$(GATES_NAME)-selftest $@ $(GATES_SIM) --quiet --power-up 1 --dump-outputs $(GATES_TEST).chip.bytes $<

# The host build computes the same outputs with the golden model.
$(GATES_TEST)-bytes.log: $(GATES_TEST)-selftest.log $(FW_BUILD)/host/selftest tests/system/equal_bytes.sh
	@rm -f $(GATES_TEST).host.bytes
	@FP8RT_ARRAY=$(GATES_ARRAY) FP8RT_ELEMENT=$(GATES_SPEC) \
	  FP8RT_DUMP=$(GATES_TEST).host.bytes $(FW_BUILD)/host/selftest >$(GATES_TEST).host.out
	@tests/run_test.sh gates-$(GATES_NAME)-bytes $@ tests/system/equal_bytes.sh $(GATES_TEST).chip.bytes $(GATES_TEST).host.bytes

$(GATES_TEST)-digits.log: $(FW_BUILD)/riscv/digits.elf $(GATES_SIM) tests/system/digits.sh tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh gates-$(GATES_NAME)-digits $@ tests/system/digits.sh $(GATES_SIM) --quiet --power-up 2 $<
