# SPDX-License-Identifier: Apache-2.0
# Tests. Each fragment adds the logs of its tests to TESTS and says how they are made. tests/tests.txt says when each runs:
#   make test        each behaviour once, and every case where all can be tried
#   make test-long   all tests: also further parameter sets of the same code, longer random runs, deeper proofs, further
#                    seeded faults
# Both commands run every test again, but rebuild only what changed. They continue after a failure. At the end they say
# what the tests cost, name the failed ones and print the sum of all counts. `make build/test/NAME.log` runs one test.
include tests/model/build.mk tests/sim/build.mk
include $(sort $(wildcard tests/rtl/*.mk))
include tests/consistency/build.mk
include tests/catalogue/build.mk tests/digits.mk tests/system.mk tests/formal/build.mk tests/synth/build.mk tests/docs/build.mk
include tests/costs/build.mk tests/mutants/build.mk tests/flips/build.mk tests/recipes/build.mk tests/networks/build.mk tests/tokens/tokens.mk

$(BUILD)/test/test-runner.log: tests/test_runner.sh tests/run_test.sh tests/summary.sh tests/first_failures.sh \
    $(PYTEST_FILES)
	@tests/run_test.sh test-runner $@ $< $(BUILD)/test-runner $(PYTHON)
TESTS += $(BUILD)/test/test-runner.log

# The fragments behind this one add tests, too, so these are not expanded before a recipe needs them.
TEST_TABLE := tests/tests.txt
test_rows = $(shell awk 'NF > 3 && $$1 !~ /^\#/ && $$2 ~ /^$(1)$$/ { print "$(BUILD)/test/" $$1 ".log" }' $(TEST_TABLE))
tests_of = $(filter $(call test_rows,$(1)),$(TESTS))

# Table and tests agree. Some tests exist for the default chip alone.
names_of = $(notdir $(basename $(1)))
no_row = $(call names_of,$(filter-out $(call test_rows,.*),$(TESTS)))
no_test = $(if $(filter 4x4x16-block_f19,$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)),$(call names_of,$(filter-out $(TESTS),$(call test_rows,.*))))

# $(1): the logs of the tests to run. The calibration runs beside them, once a minute.
ifeq (,$(DRY_RUN))
define run_tests
	$(if $(no_row),$(error tests without a row in $(TEST_TABLE): $(no_row)))
	$(if $(no_test),$(error rows of $(TEST_TABLE) without a test: $(no_test)))
	@rm -rf $(BUILD)/test && mkdir -p $(BUILD)/test && $(TEST_CALIBRATE)
	+@while sleep 60; do $(TEST_CALIBRATE); done >/dev/null 2>&1 & trap "kill $$!" EXIT; \
	  TEST_TOTAL=$(words $(1)) TEST_COSTS=$(abspath $(TEST_COSTS_FILE)) $(MAKE) --no-print-directory -k $(1) && \
	  status=0 || status=1; $(TEST_COST_REPORT); tests/summary.sh $(1) && exit $$status
endef
else
run_tests = +@$(MAKE) --no-print-directory -k $(1)
endif

.PHONY: test test-long list-tests list-tests-long
# Tests with random steps run this many times the steps of one that runs alone or in `make test`.
test-long: export RANDOM_STEPS = 5
test:
	$(call run_tests,$(call tests_of,test))

test-long:
	$(call run_tests,$(TESTS))

list-tests:
	@printf '%s\n' $(call names_of,$(call tests_of,test))

list-tests-long:
	@printf '%s\n' $(call names_of,$(call tests_of,long))
