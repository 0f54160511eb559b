# SPDX-License-Identifier: Apache-2.0
# What a run of the tests costs. With TEST_COSTS in the environment each line of a recipe is timed.
ifdef TEST_COSTS
SHELL := $(CURDIR)/tests/costs/timed_shell.sh
.SHELLFLAGS = $(or $@,-) -c
endif

TEST_COSTS_FILE := $(BUILD)/test/costs
CALIBRATION := $(BUILD)/test/calibration
TEST_CALIBRATE = $(PYTHON) -B tests/costs/calibrate.py $(CALIBRATION) $(CXX)
TEST_COST_REPORT = $(PYTHON) -B tests/costs/report.py $(TEST_COSTS_FILE) $(CALIBRATION) $(TEST_TABLE)

# make test-cost: the costs of the last run of `make test`. It fails if they are above the budget.
.PHONY: test-cost
test-cost:
	@$(TEST_COST_REPORT) --limit
