# SPDX-License-Identifier: Apache-2.0
# Energy of the elements beside their INT8 baselines, with their operand feeds, on real operands. The netlists are those
# of $(BUILD)/synth/area.json, which `make synth` makes. Results: $(BUILD)/synth/energy.json.
#   make synth-energy LIB=path.lib DONT_USE='...'    the library of area.json's netlists and the cells left out, as there
#   make synth-energy ONLY=regex DATA='digits_2 normal'
#                                  some netlists; some operands (synth/energy/tensors.py)
#   make synth-energy ASSUMPTIONS=0   without the cases that vary wires and the counting of transitions
#   make synth-report FROM=build/synth/energy.json   synth/ENERGY.md from these results and older ones

#   make synth-energy CHIP=default SCOPE=array PROGRAM='digits vad' CLOCK_FO4=80
#                                  of the array, or SCOPE=accelerator, of a chip of synth/energy/chip.py while networks run;
#                                  results: $(BUILD)/synth/energy_chip.json. PROGRAM='transformer_products vad_products': a
#                                  network's products alone, which INT8 elements run too. CLOCK_GATES=4: with a clock gate before
#                                  flip-flops that have the same enable, if they are at least four

ENERGY_TOGGLES := $(BUILD)/synth/toggles
$(ENERGY_TOGGLES): synth/energy/toggles.cpp synth/energy/toggles_files.h
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra -Wconversion -Werror -o $@ $<

# Verilator brings the reader of its waveforms.
ENERGY_PORTS := $(BUILD)/synth/ports
$(ENERGY_PORTS): synth/energy/ports.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O2 -w -DFST_CONFIG_INCLUDE='"fst_config.h"' -I$(VERILATOR_ROOT)/include \
	  -I$(VERILATOR_ROOT)/include/gtkwave -o $@ $< \
	  $(patsubst %,$(VERILATOR_ROOT)/include/gtkwave/%.c,fstapi fastlz lz4) -lz

ENERGY_OPTIONS = $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,DONT_USE,dont-use)
ENERGY_ELEMENTS = $(SYNTH) energy --build $(BUILD) --toggles $(ENERGY_TOGGLES) $(call SYNTH_OPTION,ONLY,only) \
  $(call SYNTH_OPTION,DATA,data) $(call SYNTH_OPTION,ASSUMPTIONS,assumptions) $(ENERGY_OPTIONS)
ENERGY_CHIP = $(SYNTH) energy_chip --build $(BUILD) --toggles $(ENERGY_TOGGLES) --ports $(ENERGY_PORTS) --chip '$(CHIP)' \
  $(call SYNTH_OPTION,CLOCK_GATES,clock-gates) $(call SYNTH_OPTION,SCOPE,scope) $(call SYNTH_OPTION,PROGRAM,program) $(call SYNTH_OPTION,CLOCK_FO4,clock-fo4) $(ENERGY_OPTIONS)
# The simulators of the chips of synth/energy/chip.py
ENERGY_SIM_default := $(BUILD)/sim/ports/4_4_16_128-block_f19/fp8mac-sim
ENERGY_SIM_default_int8 := $(BUILD)/sim/ports/4_4_16_128-int8/fp8mac-sim
ENERGY_SIM_small := $(BUILD)/sim/ports/2_2_4_128-block_f19/fp8mac-sim
ENERGY_SIM_small_int8 := $(BUILD)/sim/ports/2_2_4_128-int8/fp8mac-sim
CHIP :=
ifneq (,$(filter synth-energy,$(MAKECMDGOALS)))
$(foreach v,$(if $(CHIP),ONLY DATA ASSUMPTIONS,SCOPE PROGRAM CLOCK_FO4 CLOCK_GATES),$(if $(call SYNTH_GIVEN,$(v)),\
  $(error $(v) has no effect on synth-energy $(if $(CHIP),with,without) CHIP)))
endif

.PHONY: synth-energy
synth-energy: $(ENERGY_TOGGLES) $(RTL_GENERATED) \
  $(if $(CHIP),$(ENERGY_PORTS) $(ENERGY_SIM_$(CHIP)) $(patsubst %,$(BUILD)/firmware/riscv/%.elf,digits gemm vad))
	@$(if $(CHIP),$(ENERGY_CHIP),$(ENERGY_ELEMENTS))

ENERGY_TEST_INPUTS := tests/synth/compared.py tests/synth/hand.py $(PYTEST_FILES) tests/synth/conftest.py $(SYNTH_PY) tests/run_test.sh

TESTS += $(BUILD)/test/synth_energy.log
$(BUILD)/test/synth_energy.log: tests/synth/test_energy.py $(ENERGY_TOGGLES) $(ENERGY_TEST_INPUTS)
	@tests/run_test.sh synth_energy $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) --folder $(BUILD)/synth-energy-test

TESTS += $(BUILD)/test/synth_energy_tools.log
$(BUILD)/test/synth_energy_tools.log: tests/synth/test_energy_tools.py $(ENERGY_TOGGLES) $(ENERGY_TEST_INPUTS)
	@tests/run_test.sh synth_energy_tools $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) \
	  --folder $(BUILD)/synth-energy-tools-test

TESTS += $(BUILD)/test/synth_energy_replay.log
$(BUILD)/test/synth_energy_replay.log: tests/synth/test_energy_replay.py $(ENERGY_TOGGLES) $(ENERGY_PORTS) $(ENERGY_TEST_INPUTS)
	@tests/run_test.sh synth_energy_replay $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) --ports $(ENERGY_PORTS) \
	  --folder $(BUILD)/synth-energy-replay-test

TESTS += $(BUILD)/test/synth_energy_page.log
$(BUILD)/test/synth_energy_page.log: tests/synth/test_energy_page.py $(ENERGY_TEST_INPUTS)
	@tests/run_test.sh synth_energy_page $@ $(PYTEST) $<

TESTS += $(BUILD)/test/synth_energy_operands.log
$(BUILD)/test/synth_energy_operands.log: tests/synth/test_energy_operands.py tests/synth/compared.py $(PYTEST_FILES) \
  $(SYNTH_PY) $(wildcard firmware/apps/digits/*) tests/run_test.sh
	@tests/run_test.sh synth_energy_operands $@ $(PYTEST) $<

# Two real netlists: their results, Icarus's transitions, OpenSTA's power.
TESTS += $(BUILD)/test/synth_energy_netlists.log
$(BUILD)/test/synth_energy_netlists.log: tests/synth/test_energy_netlists.py $(PYTEST_FILES) tests/synth/conftest.py \
  $(ENERGY_TOGGLES) $(SYNTH_PY) $(RTL_GENERATED) $(wildcard rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_energy_netlists $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) --build $(BUILD) \
	  --folder $(BUILD)/synth-energy-netlists-test
