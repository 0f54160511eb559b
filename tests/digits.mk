# SPDX-License-Identifier: Apache-2.0
# The digits application's data and its host build, and the scaling recipes it uses.
DIGITS_DIR := firmware/apps/digits
DIGITS_HOST := $(BUILD)/firmware/host/digits
DIGITS_DATA := $(BUILD)/tests/digits/libdigits_data.so
DIGITS_DATA_SOURCES := $(wildcard $(addprefix $(DIGITS_DIR)/digits_,net.c images.c *_data.c *_hashes.c) tests/digits/*.c)

# The committed arrays as a C compiler reads them, for Python to look at.
$(DIGITS_DATA): $(DIGITS_DATA_SOURCES) $(wildcard $(DIGITS_DIR)/*.h tests/digits/*.h firmware/include/fp8rt/*.h) | $(REGS_H) \
    $(CATALOGUE_H)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -Wall -Wextra -Wconversion -Werror -I$(DIGITS_DIR) -Ifirmware/include -Imodel/include -I$(CATALOGUE_DIR) \
	  -I$(REGS_DIR) -Ifirmware/port/host $(CFLAGS) -fPIC -shared -o $@ $(DIGITS_DATA_SOURCES)

$(BUILD)/test/recipe.log: tests/model/test_recipe.py $(BUILD)/model/libfp8mac.so $(MODEL_TEST_INPUTS)
	@tests/run_test.sh recipe $@ $(PYTEST) $< --build $(BUILD)

DIGITS_TEST_INPUTS := $(wildcard tests/digits/conftest.py $(DIGITS_DIR)/*.py tests/model/checks.py tests/model/clib.py) \
  $(PYTEST_FILES) tests/run_test.sh

$(BUILD)/test/digits-data.log: tests/digits/test_data.py $(DIGITS_TEST_INPUTS) $(DIGITS_DATA) $(BUILD)/model/libfp8mac.so
	@tests/run_test.sh digits-data $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/digits-data --data $(DIGITS_DATA)

$(BUILD)/test/digits-layered.log: tests/digits/test_layered.py $(DIGITS_TEST_INPUTS) $(DIGITS_DATA)
	@tests/run_test.sh digits-layered $@ $(PYTEST) $< --data $(DIGITS_DATA)

$(BUILD)/test/digits-networks.log: tests/digits/test_networks.py $(DIGITS_TEST_INPUTS) $(BUILD)/model/libfp8mac.so
	@tests/run_test.sh digits-networks $@ $(PYTEST) $< --build $(BUILD)

$(BUILD)/test/digits-host.log: tests/digits/test_host.py sim/bench/quality.json $(DIGITS_TEST_INPUTS) $(DIGITS_HOST)
	@tests/run_test.sh digits-host $@ $(PYTEST) $< --program $(DIGITS_HOST)

TESTS += $(patsubst %,$(BUILD)/test/%.log,recipe digits-data digits-layered digits-networks digits-host)
