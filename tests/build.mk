# SPDX-License-Identifier: Apache-2.0
# Tests. Each fragment adds the logs of its tests to one of two lists:
#   TESTS        `make test` runs these: each behaviour once, and every case where all can be tried
#   TESTS_LONG   `make test-long` runs these too: further parameter sets of the same code, longer random runs, deeper
#                proofs, further seeded faults
# Both commands run every test again, but rebuild only what changed. They continue after a failure. At the end they name
# the failed tests and print the sum of all counts. `make build/test/NAME.log` runs one test.
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
# Random batches of commands for each accelerator; `make test` runs 100.
test-long: export ACCEL_BATCHES = 300
test:
	$(call run_tests,$(TESTS))

test-long:
	$(call run_tests,$(TESTS) $(TESTS_LONG))
