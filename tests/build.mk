# SPDX-License-Identifier: Apache-2.0
# Tests. Each fragment adds the logs of its tests to one of two lists:
#   TESTS        what `make test` runs: each behaviour once; what can be exhausted is exhausted
#   TESTS_LONG   what `make test-long` runs as well: further parameter sets of the same code, longer random runs, deeper
#                proofs, further seeded faults
# Both run every test anew (what tests are built from is made only where it changed), go on after a failure, and end with
# what failed and the sum of what was counted. One test alone: make build/test/NAME.log
include tests/model/build.mk tests/sim/build.mk
include $(sort $(wildcard tests/rtl/*.mk))
include tests/habits/build.mk
include tests/catalogue/build.mk tests/digits.mk tests/system.mk tests/formal/build.mk tests/synth/build.mk tests/docs/build.mk

$(BUILD)/test/test-runner.log: tests/test_runner.sh tests/run_test.sh tests/summary.sh tests/first_failures.sh
	@tests/run_test.sh test-runner $@ $< $(BUILD)/test-runner
TESTS += $(BUILD)/test/test-runner.log

include tests/long.mk

# $(1): the logs of the tests to run.
define run_tests
	@rm -rf $(BUILD)/test
	+@TEST_TOTAL=$(words $(1)) $(MAKE) --no-print-directory -k $(1) && status=0 || status=1; \
	  tests/summary.sh $(1) && exit $$status
endef

.PHONY: test-long
test:
	$(call run_tests,$(TESTS))

test-long:
	$(call run_tests,$(TESTS) $(TESTS_LONG))
