# SPDX-License-Identifier: Apache-2.0
# Energy of the elements beside their INT8 baselines, with their operand feeds, on real operands. The netlists are those
# of $(BUILD)/synth/area.json, which `make synth` makes. Results: $(BUILD)/synth/energy.json.
#   make synth-energy LIB=path.lib DONT_USE='...'    the library of area.json's netlists and the cells left out, as there
#   make synth-energy ONLY=regex DATA='digits_2 normal'
#                                  some netlists; some operands (synth/energy/tensors.py)
#   make synth-energy ASSUMPTIONS=0   without the cases that vary wires and the counting of transitions
#   make synth-report FROM=build/synth/energy.json   synth/ENERGY.md from these results and older ones

ENERGY_TOGGLES := $(BUILD)/synth/toggles
$(ENERGY_TOGGLES): synth/energy/toggles.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra -Werror -o $@ $<

.PHONY: synth-energy
synth-energy: $(ENERGY_TOGGLES) $(RTL_GENERATED)
	@$(SYNTH) energy --build $(BUILD) --toggles $(ENERGY_TOGGLES) $(call SYNTH_OPTION,ONLY,only) \
	  $(call SYNTH_OPTION,DATA,data) $(call SYNTH_OPTION,ASSUMPTIONS,assumptions) $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,DONT_USE,dont-use)

TESTS += $(BUILD)/test/synth_energy.log
$(BUILD)/test/synth_energy.log: tests/synth/test_energy.py tests/synth/compared.py $(PYTEST_FILES) tests/synth/conftest.py $(ENERGY_TOGGLES) \
  $(wildcard synth/*/*.py) tests/run_test.sh
	@tests/run_test.sh synth_energy $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) --folder $(BUILD)/synth-energy-test

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
