# SPDX-License-Identifier: Apache-2.0
# The generated catalogue of elements against a table that is typed in the test.

$(BUILD)/test/catalogue.log: tests/catalogue/test_catalogue.py $(PYTEST_FILES) $(CATALOGUE_FILES)
	@tests/run_test.sh catalogue $@ $(PYTEST) $< --build $(BUILD)
TESTS += $(BUILD)/test/catalogue.log

# A kind that is added to the catalogue alone is known everywhere.
$(BUILD)/test/catalogue-new-kind.log: tests/catalogue/new_kind.sh rtl/catalogue/elements.toml $(BUILD)/model/fp8mac \
    $(BUILD)/firmware/host/selftest tests/run_test.sh
	@tests/run_test.sh catalogue-new-kind $@ $< $(BUILD)/test-new-kind
TESTS += $(BUILD)/test/catalogue-new-kind.log

# The command for C, which the model keeps, against the register map
$(BUILD)/test/command.log: tests/catalogue/test_command.py $(wildcard rtl/regs/*) model/include/fp8mac/codes.h rtl/fp8mac_codes_pkg.sv \
    model/include/fp8mac/command_fields.h model/python/fp8mac/register_codes.py model/src/command/words.c $(PYTEST_FILES) $(CATALOGUE_FILES)
	@tests/run_test.sh command $@ $(PYTEST) $< --build $(BUILD)
TESTS += $(BUILD)/test/command.log
