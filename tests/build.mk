# SPDX-License-Identifier: Apache-2.0
# Tests: `make test` runs every one of $(TESTS) anew (what they are built from is made only where it changed), goes on
# after a failure, and ends with the sum of what was counted. One test alone: make build/test/NAME.log
include tests/model/build.mk tests/sim/build.mk
include $(sort $(wildcard tests/rtl/*.mk))
include tests/digits.mk tests/system.mk tests/formal/build.mk tests/synth/build.mk tests/docs/build.mk

test:
	@rm -rf $(BUILD)/test
	@$(MAKE) --no-print-directory -k $(TESTS) && status=0 || status=1; \
	  tests/summary.sh $(TESTS) && exit $$status
