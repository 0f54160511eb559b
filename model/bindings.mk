# SPDX-License-Identifier: Apache-2.0
# The model from the shell: the tool fp8mac and its manual page.
#   make cli                                $(BUILD)/model/fp8mac and fp8mac.1

# `fp8mac cycles` has the planner of the firmware's driver.
CLI_SOURCES := $(wildcard model/cli/*.c)
CLI_PLANNER := firmware/src/gemm_choose.c
CLI_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model/cli/%.o) $(BUILD)/model/cli/gemm_choose.o
CLI_SAN_OBJECTS := $(CLI_SOURCES:model/cli/%.c=$(BUILD)/model-san/cli/%.o) $(BUILD)/model-san/cli/gemm_choose.o
CLI_INCLUDES := -Ifirmware/include -Ifirmware/src -Ifirmware/port/host

.PHONY: cli install-cli
cli: $(BUILD)/model/fp8mac $(BUILD)/model/fp8mac.1

$(BUILD)/model/cli/%.o: model/cli/%.c model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/model/cli/gemm_choose.o: $(CLI_PLANNER) model/bindings.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CLI_INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/model-san/cli/gemm_choose.o: $(CLI_PLANNER) model/bindings.mk
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

# Beside the library's own installation.
install-model: install-cli
install-cli: cli
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BUILD)/model/fp8mac $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/model/fp8mac.1 $(DESTDIR)$(PREFIX)/share/man/man1

-include $(CLI_OBJECTS:.o=.d) $(CLI_SAN_OBJECTS:.o=.d)

include tests/bindings/bindings.mk
