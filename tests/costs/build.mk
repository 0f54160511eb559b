# SPDX-License-Identifier: Apache-2.0
# What a run of the tests costs. With TEST_COSTS in the environment each line of a recipe is timed.
ifdef TEST_COSTS
SHELL := $(CURDIR)/tests/costs/timed_shell.sh
.SHELLFLAGS = $(or $@,-) -c
endif

CALIBRATION := $(BUILD)/test/calibration
CALIBRATIONS := $(addprefix $(CALIBRATION)-,1 2 3 4)
.PHONY: $(CALIBRATIONS)
$(CALIBRATIONS):
	@$(PYTHON) -B tests/costs/calibrate.py $(CALIBRATION) $(CXX)

# The logs $(1) with the calibrations between them.
test_quarter = $(shell echo $$(($(words $(1)) / 4)))
calibrated = $(call calibrated_by,$(1),$(call test_quarter,$(1)))
calibrated_by = $(foreach n,1 2 3 4,$(wordlist $(shell echo $$((($(n) - 1) * $(2) + 1))),$(if $(filter 4,$(n)),9999,\
  $(shell echo $$(($(n) * $(2))))),$(1)) $(CALIBRATION)-$(n))

TEST_COST_REPORT = $(PYTHON) -B tests/costs/report.py $(BUILD)/test/costs $(CALIBRATION) $(TEST_TABLE)

# make test-cost: the costs of the last run of `make test`. It fails if they are above the budget.
.PHONY: test-cost
test-cost:
	@$(TEST_COST_REPORT) --limit
