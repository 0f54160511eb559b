# SPDX-License-Identifier: Apache-2.0
# The kernels against the definition: many cases with the installed build, fewer under the sanitizers.
MODEL_FAST_TESTS := fast fast_convert
MODEL_FAST_PROGRAMS := $(MODEL_FAST_TESTS:%=$(BUILD)/model/test_%) $(MODEL_FAST_TESTS:%=$(BUILD)/model-san/test_%)
MODEL_FAST_LOGS := $(BUILD)/test/model-fast.log $(BUILD)/test/model-fast-convert.log \
  $(BUILD)/test/model-fast-san.log $(BUILD)/test/model-fast-convert-san.log
TESTS += $(MODEL_FAST_LOGS)

$(MODEL_FAST_TESTS:%=$(BUILD)/model/test_%): $(BUILD)/model/test_%: tests/model/test_%.c $(BUILD)/model/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $(filter %.c %.a,$^)
$(MODEL_FAST_TESTS:%=$(BUILD)/model-san/test_%): $(BUILD)/model-san/test_%: tests/model/test_%.c \
    $(BUILD)/model-san/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(SANITIZE_FLAGS) $(CFLAGS) -MMD -MP -o $@ $(filter %.c %.a,$^)

$(BUILD)/test/model-fast.log: $(BUILD)/model/test_fast tests/run_test.sh
	@tests/run_test.sh model-fast $@ $< $$((80 * $${RANDOM_STEPS:-1}))
$(BUILD)/test/model-fast-san.log: $(BUILD)/model-san/test_fast tests/run_test.sh
	@tests/run_test.sh model-fast-san $@ $< $$((10 * $${RANDOM_STEPS:-1}))
$(BUILD)/test/model-fast-convert.log: $(BUILD)/model/test_fast_convert tests/run_test.sh
	@tests/run_test.sh model-fast-convert $@ $<
$(BUILD)/test/model-fast-convert-san.log: $(BUILD)/model-san/test_fast_convert tests/run_test.sh
	@tests/run_test.sh model-fast-convert-san $@ $< $$(($${RANDOM_STEPS:-0} ? 1 : 4))

-include $(MODEL_FAST_PROGRAMS:=.d)
