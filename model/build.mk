# SPDX-License-Identifier: Apache-2.0
# libfp8mac: static and shared library, installation, and a copy under the sanitizers for the tests.
#   make model                              $(BUILD)/model/libfp8mac.a and .so
#   make install-model DESTDIR= PREFIX=     headers, libraries, pkg-config file

PREFIX ?= /usr/local
# MAJOR.MINOR.PATCH of the whole project, and the three numbers.
VERSION_PARTS := $(foreach part,MAJOR MINOR PATCH,$(shell sed -n 's/^.define FP8MAC_VERSION_$(part) //p' \
  model/include/fp8mac/version.h))
VERSION := $(subst $(eval) ,.,$(VERSION_PARTS))
MODEL_SONAME := libfp8mac.so.$(word 1,$(VERSION_PARTS))
MODEL_SOURCES := $(wildcard model/src/*/*.c)
# The parts of the model that run on bare metal: formats, conversions, row commands and recipes.
MODEL_BARE_SOURCES := $(addprefix model/src/,core/format.c core/encode.c core/convert.c core/fp32.c core/status.c \
  core/version.c command/words.c command/regions.c core/requantise.c core/epilogue.c core/function.c core/curve.c core/function_tables.c core/rows_definition.c api/convert.c api/rows.c \
  api/checks.c) $(wildcard model/src/recipe/*.c)
MODEL_HEADERS := $(wildcard model/include/fp8mac/*.h) $(CATALOGUE_DIR)/fp8mac/catalogue.h
MODEL_CFLAGS := -std=c11 -O2 -g -ffp-contract=off -pthread -Wall -Wextra -Wconversion -Werror -fPIC -fvisibility=hidden \
  -Imodel/include -Imodel/src -I$(CATALOGUE_DIR)
# At -O2, or without the call, g++ needs four times as long for the vector kernels under the sanitizers.
SANITIZE_FLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
  --param=asan-instrumentation-with-call-threshold=0 -fno-var-tracking

MODEL_OBJECTS := $(MODEL_SOURCES:model/src/%.c=$(BUILD)/model/%.o)
MODEL_SAN_OBJECTS := $(MODEL_SOURCES:model/src/%.c=$(BUILD)/model-san/%.o)

.PHONY: model install-model
model: $(BUILD)/model/libfp8mac.a $(BUILD)/model/libfp8mac.so

$(BUILD)/model/%.o: model/src/%.c model/build.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/model-san/%.o: model/src/%.c model/build.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(SANITIZE_FLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The archive is made anew, so no object of a removed source stays in it. Folders may hold sources of the same name, and
# ar's q keeps both objects.
$(BUILD)/model/libfp8mac.a: $(MODEL_OBJECTS)
	$(Q)rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) qcs $@ $^

$(BUILD)/model-san/libfp8mac.a: $(MODEL_SAN_OBJECTS)
	$(Q)rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) qcs $@ $^

# Programs that are linked against the library look for the name of this link.
$(BUILD)/model/libfp8mac.so: $(MODEL_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -pthread -Wl,-soname,$(MODEL_SONAME) -Wl,--no-undefined $(LDFLAGS) -o $@ $^
	$(Q)ln -sf libfp8mac.so $(@D)/$(MODEL_SONAME)

install-model: model model/fp8mac.pc.in
	install -d $(DESTDIR)$(PREFIX)/include/fp8mac $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 $(MODEL_HEADERS) $(DESTDIR)$(PREFIX)/include/fp8mac
	install -m 644 $(BUILD)/model/libfp8mac.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/model/libfp8mac.so $(DESTDIR)$(PREFIX)/lib/libfp8mac.so.$(VERSION)
	ln -sf libfp8mac.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(MODEL_SONAME)
	ln -sf $(MODEL_SONAME) $(DESTDIR)$(PREFIX)/lib/libfp8mac.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' model/fp8mac.pc.in \
	  > $(DESTDIR)$(PREFIX)/lib/pkgconfig/fp8mac.pc

# The tests include private headers too, for the library's own definition of a step.
MODEL_C_TESTS := api by_hand edges environment dot_definition any_settings cycles command
MODEL_C_TEST_PROGRAMS := $(MODEL_C_TESTS:%=$(BUILD)/model-san/test_%)

$(MODEL_C_TEST_PROGRAMS): $(BUILD)/model-san/test_%: tests/model/test_%.c $(BUILD)/model-san/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(SANITIZE_FLAGS) $(CFLAGS) -MMD -MP -o $@ $(filter %.c %.a,$^)

MODEL_C_TEST_LOGS := $(BUILD)/test/model-api.log $(BUILD)/test/model-by-hand.log $(BUILD)/test/model-edges.log \
  $(BUILD)/test/model-environment.log $(BUILD)/test/model-dot-definition.log $(BUILD)/test/model-any-settings.log $(BUILD)/test/model-cycles.log $(BUILD)/test/model-command.log
TESTS += $(MODEL_C_TEST_LOGS)
$(BUILD)/test/model-api.log: $(BUILD)/model-san/test_api
$(BUILD)/test/model-by-hand.log: $(BUILD)/model-san/test_by_hand
$(BUILD)/test/model-edges.log: $(BUILD)/model-san/test_edges
$(BUILD)/test/model-environment.log: $(BUILD)/model-san/test_environment
$(BUILD)/test/model-dot-definition.log: $(BUILD)/model-san/test_dot_definition
$(BUILD)/test/model-any-settings.log: $(BUILD)/model-san/test_any_settings
$(BUILD)/test/model-cycles.log: $(BUILD)/model-san/test_cycles
$(BUILD)/test/model-command.log: $(BUILD)/model-san/test_command
$(MODEL_C_TEST_LOGS): $(BUILD)/test/%.log: tests/run_test.sh
	@tests/run_test.sh $* $@ $(filter $(BUILD)/model-san/%,$^)

-include $(MODEL_OBJECTS:.o=.d) $(MODEL_SAN_OBJECTS:.o=.d) $(MODEL_C_TEST_PROGRAMS:=.d)

include model/bench/bench.mk
include model/bindings.mk
