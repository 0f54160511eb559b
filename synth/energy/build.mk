# SPDX-License-Identifier: Apache-2.0
# Energy of the elements beside their INT8 baselines, on real operands. It is indicative. The netlists are those of
# $(BUILD)/synth/area.json, which `make synth` makes. Results: $(BUILD)/synth/energy.json and energy.md.
# It has elements of the kinds late, aligned and static, such as those that `make synth ONLY='_l1$$|_f25_l16$$'` measures.
#   make synth-energy              every such element of 1, 4 and 16 lanes, minutes
#   make synth-energy ONLY=regex DATA=digits|normal

ENERGY_TOGGLES := $(BUILD)/synth/toggles
$(ENERGY_TOGGLES): synth/energy/toggles.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra -Werror -o $@ $<

.PHONY: synth-energy
synth-energy: $(ENERGY_TOGGLES)
	@$(SYNTH) energy --build $(BUILD) --toggles $(ENERGY_TOGGLES) $(call SYNTH_OPTION,ONLY,only) \
	  $(call SYNTH_OPTION,DATA,data)

TESTS += $(BUILD)/test/synth_energy.log
$(BUILD)/test/synth_energy.log: tests/synth/test_energy.py $(PYTEST_FILES) tests/synth/conftest.py $(ENERGY_TOGGLES) \
  $(wildcard synth/*/*.py) tests/run_test.sh
	@tests/run_test.sh synth_energy $@ $(PYTEST) $< --toggles $(ENERGY_TOGGLES) --folder $(BUILD)/synth-energy-test
