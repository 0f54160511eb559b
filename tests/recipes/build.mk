# SPDX-License-Identifier: Apache-2.0
# The recipes of CONTRIBUTING.md, followed in a copy of the project
RECIPES_LOGS := $(BUILD)/test/recipes.log $(BUILD)/test/recipes-rtl.log
$(RECIPES_LOGS): CONTRIBUTING.md $(wildcard tests/recipes/*) $(BUILD)/model/fp8mac $(BUILD)/model/libfp8mac.so $(BUILD)/firmware/host/gemm \
    $(REGS_SV) $(REGS_H) $(CATALOGUE_FILES) $(FP8NET) $(PYTEST_FILES)
	@tests/run_test.sh $(notdir $(basename $@)) $@ $(PYTEST) tests/recipes/test_recipes.py --build $(BUILD) $(RECIPES_OPTIONS)
$(BUILD)/test/recipes-rtl.log: RECIPES_OPTIONS := --long
$(BUILD)/test/recipes-rtl.log: | $(BUILD)/test/recipes.log  # both use one copy
TESTS += $(RECIPES_LOGS)
