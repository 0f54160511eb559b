# SPDX-License-Identifier: Apache-2.0
# The digits application's data and its host build, and the scaling recipes it uses.
DIGITS_DIR := firmware/apps/digits
DIGITS_HOST := $(BUILD)/firmware/host/digits
DIGITS_DATA := $(BUILD)/tests/digits/libdigits_data.so
DIGITS_DATA_SOURCES := $(wildcard $(DIGITS_DIR)/digits_*.c tests/digits/*.c)

# The committed arrays as a C compiler reads them, for Python to look at.
$(DIGITS_DATA): $(DIGITS_DATA_SOURCES) $(wildcard $(DIGITS_DIR)/*.h tests/digits/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -Wall -Wextra -Wconversion -Werror -I$(DIGITS_DIR) $(CFLAGS) -fPIC -shared -o $@ $(DIGITS_DATA_SOURCES)

$(BUILD)/test/recipe.log: tests/model/test_recipe.py $(BUILD)/model/libfp8mac.so tests/run_test.sh
	@tests/run_test.sh recipe $@ $(PYTHON) $< --lib $(BUILD)/model/libfp8mac.so

$(BUILD)/test/digits-data.log: tests/digits/test_data.py $(DIGITS_DIR)/train.py $(DIGITS_DATA) \
    $(BUILD)/model/libfp8mac.so tests/run_test.sh
	@tests/run_test.sh digits-data $@ $(PYTHON) $< --lib $(BUILD)/model/libfp8mac.so --data $(DIGITS_DATA)

$(BUILD)/test/digits-host.log: tests/digits/test_host.py $(DIGITS_HOST) tests/run_test.sh
	@tests/run_test.sh digits-host $@ $(PYTHON) $< $(DIGITS_HOST)

TESTS += $(BUILD)/test/recipe.log $(BUILD)/test/digits-data.log $(BUILD)/test/digits-host.log
