# SPDX-License-Identifier: Apache-2.0
# Mutation testing: small faults in the sources, each of which some test should find. tests/README.md explains it.
#   make mutants MUTANTS=1000 SEED=1 JOBS=2   try mutants that have no result yet, and print the report
#   make mutants REPORT=1                     print the report
#   make mutants SURVIVORS=1                  try the survivors again; TESTS_OF='rtl_command_*': with these tests alone

MUTANTS_TOOL := tests/mutants/mutants.py
# $(1): a variable of make's command line; $(2): the option.
mutants_option = $(if $(filter command,$(origin $(1))),--$(2) $(call quote,$($(1))))

.PHONY: mutants
mutants:
	@$(PYTHON) -B $(MUTANTS_TOOL) --out $(BUILD)/mutants $(call mutants_option,MUTANTS,mutants) \
	  $(call mutants_option,SEED,seed) $(call mutants_option,JOBS,jobs) $(call mutants_option,REPORT,report) \
	  $(call mutants_option,SURVIVORS,survivors) $(call mutants_option,TESTS_OF,tests-of)

# Whether the RTL elaborates and its widths fit, in the array with a kind of element and in the accelerator. Tests need
# not find a mutant for which that is not so.
MUTANTS_ELABORATE = $(Q)$(VERILATOR) --lint-only -Werror-WIDTH -Werror-SELRANGE -Werror-LITENDIAN --assert -GROWS=2 \
  -GCOLS=2 -GLANES=4

$(BUILD)/elaborate/array_%.ok: $(RTL_WAIVER) $(RTL_SOURCES)
	@mkdir -p $(@D)
	$(MUTANTS_ELABORATE) --top-module fp8mac_array $(call element_parameters,$*) $^
	@touch $@

$(BUILD)/elaborate/accel.ok: $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	@mkdir -p $(@D)
	$(MUTANTS_ELABORATE) --top-module fp8mac_accel $(call element_parameters,block) $^
	@touch $@

TESTS += $(BUILD)/test/mutants-tool.log
$(BUILD)/test/mutants-tool.log: tests/mutants/test_mutants.py tests/mutants/test_campaign.py $(PYTEST_FILES) \
    $(wildcard tests/mutants/*) tests/run_test.sh
	@tests/run_test.sh mutants-tool $@ $(PYTEST) $(filter tests/mutants/test_%,$^) --folder $(BUILD)/mutants-tool
