# SPDX-License-Identifier: Apache-2.0
# The model from the shell: the tool fp8mac and its manual page.
#   make cli                                $(BUILD)/model/fp8mac, fp8mac.1 and fp8mac-plan
#   make plan                               $(BUILD)/plan: the sweep of docs/PLAN.md, some minutes
#   make plan-memories                      model/plan/memories.csv: the throughput list with other memories
#   make plan-tables                        model/plan/tables.csv: the cycles of tables that are loaded again
#   make plan-areas                         areas and bits of both files again, with their cycles
#   make plan-report                        docs/PLAN.md from model/plan/results.csv

# `fp8mac cycles` asks the firmware's layer library, over a device that runs nothing.
CLI_SOURCES := $(wildcard model/cli/*.c)
CLI_LIBRARY := $(wildcard firmware/src/*.c firmware/layers/*.c firmware/port/command/*.c firmware/port/plan/*.c)
CLI_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model/cli/%.o)
CLI_SAN_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model-san/cli/%.o)
CLI_FLAGS := $(MODEL_CFLAGS) -Ifirmware/include -Ifirmware/src -Ifirmware/layers -Ifirmware/port/plan -I$(REGS_DIR)
LAYERS_A := $(BUILD)/model/liblayers.a
LAYERS_SAN_A := $(BUILD)/model-san/liblayers.a

.PHONY: cli install-cli
cli: $(BUILD)/model/fp8mac $(BUILD)/model/fp8mac.1 $(BUILD)/model/fp8mac-plan

# $(1): the folder, $(2): more flags
define CLI_RULES
$(1)/cli/%.o: model/cli/%.c model/bindings.mk | $(REGS_H)
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $(CLI_FLAGS) $(2) $$(CFLAGS) -MMD -MP -c -o $$@ $$<

$(1)/layers/%.o: %.c model/bindings.mk | $(REGS_H) $(REGS_LIST)
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $(CLI_FLAGS) $(2) $$(CFLAGS) -MMD -MP -c -o $$@ $$<

$(1)/liblayers.a: $(CLI_LIBRARY:%.c=$(1)/layers/%.o)
	$$(Q)rm -f $$@
	$$(call say,AR,$$@)
	$$(Q)$$(AR) qcs $$@ $$^

$(1)/fp8mac: $(CLI_SOURCES:model/cli/%.c=$(1)/cli/%.o) $(1)/liblayers.a $(1)/libfp8mac.a
	$$(call say,LINK,$$@)
	$$(Q)$$(CC) $(2) $$(LDFLAGS) -o $$@ $$^ -lm -pthread
endef
$(eval $(call CLI_RULES,$(BUILD)/model))
$(eval $(call CLI_RULES,$(BUILD)/model-san,$(SANITIZE_FLAGS)))

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

-include $(foreach folder,$(BUILD)/model $(BUILD)/model-san,$(CLI_SOURCES:model/cli/%.c=$(folder)/cli/%.d) \
  $(CLI_LIBRARY:%.c=$(folder)/layers/%.d))

include tests/bindings/bindings.mk
