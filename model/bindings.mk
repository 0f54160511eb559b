# SPDX-License-Identifier: Apache-2.0
# The model from the shell: the tool fp8mac and its manual page.
#   make cli                                $(BUILD)/model/fp8mac, fp8mac.1 and fp8mac-plan
#   make plan                               $(BUILD)/plan: the sweep of docs/PLAN.md, some minutes
#   make plan-memories                      model/plan/memories.csv: the throughput list with other memories
#   make plan-tables                        model/plan/tables.csv: the cycles of tables that are loaded again
#   make plan-areas                         areas and bits of both files again, with their cycles
#   make plan-report                        docs/PLAN.md from model/plan/results.csv

# `fp8mac cycles` has the planner of the firmware's driver.
CLI_SOURCES := $(wildcard model/cli/*.c)
CLI_PLANNER := gemm_choose gemm_estimate
CLI_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model/cli/%.o) $(CLI_PLANNER:%=$(BUILD)/model/cli/%.o)
CLI_SAN_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model-san/cli/%.o) $(CLI_PLANNER:%=$(BUILD)/model-san/cli/%.o)
CLI_INCLUDES := -Ifirmware/include -Ifirmware/src -Ifirmware/port/host

.PHONY: cli install-cli
cli: $(BUILD)/model/fp8mac $(BUILD)/model/fp8mac.1 $(BUILD)/model/fp8mac-plan

$(BUILD)/model/cli/%.o: model/cli/%.c model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

$(CLI_PLANNER:%=$(BUILD)/model/cli/%.o): $(BUILD)/model/cli/%.o: firmware/src/%.c model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

$(CLI_PLANNER:%=$(BUILD)/model-san/cli/%.o): $(BUILD)/model-san/cli/%.o: firmware/src/%.c model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(SANITIZE_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/model-san/cli/%.o: model/cli/%.c model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(SANITIZE_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/model/fp8mac: $(CLI_OBJECTS) $(BUILD)/model/libfp8mac.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm -pthread

$(BUILD)/model-san/fp8mac: $(CLI_SAN_OBJECTS) $(BUILD)/model-san/libfp8mac.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZE_FLAGS) $(LDFLAGS) -o $@ $^ -lm -pthread

$(BUILD)/model/fp8mac.1: $(BUILD)/model/fp8mac
	$(Q)$< --man > $@

# `fp8mac plan`: a Python package in one file. The tool looks for it in its own folder.
PLAN_FILES := $(wildcard model/plan/*.py model/plan/fp8mac_plan/*.py model/plan/fp8mac_plan/*.json)
$(BUILD)/model/fp8mac-plan: $(PLAN_FILES)
	$(call say,ZIPAPP,$@)
	$(Q)rm -rf $@-files && mkdir -p $@-files/fp8mac_plan
	$(Q)cp model/plan/__main__.py $@-files
	$(Q)cp $(filter model/plan/fp8mac_plan/%,$^) $@-files/fp8mac_plan
	$(Q)python3 -m zipapp $@-files -p '/usr/bin/env python3' -o $@

.PHONY: plan plan-memories plan-tables plan-areas plan-report
plan: cli
	$(BUILD)/model/fp8mac plan $(wildcard model/plan/networks/*.csv) --sweep model/plan/sweep.toml -o $(BUILD)/plan
plan-memories: cli
	@$(PYTHON) -B model/plan/memories.py --tool $(BUILD)/model/fp8mac
plan-tables: cli
	@$(PYTHON) -B model/plan/tables.py --tool $(BUILD)/model/fp8mac
plan-areas:
	@$(PYTHON) -B model/plan/areas.py
plan-report:
	@$(PYTHON) -B model/plan/report.py

# Beside the library's own installation.
install-model: install-cli
install-cli: cli
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/model/fp8mac $(BUILD)/model/fp8mac-plan $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/model/fp8mac.1 $(DESTDIR)$(PREFIX)/share/man/man1

-include $(CLI_OBJECTS:.o=.d) $(CLI_SAN_OBJECTS:.o=.d)

include tests/bindings/bindings.mk
