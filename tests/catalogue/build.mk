# SPDX-License-Identifier: Apache-2.0
# The generated catalogue of elements against a table that is typed in the test.

$(BUILD)/test/catalogue.log: tests/catalogue/test_catalogue.py $(CATALOGUE_FILES)
	@tests/run_test.sh catalogue $@ $(PYTHON) $< $(CATALOGUE_DIR)
TESTS += $(BUILD)/test/catalogue.log
