# SPDX-License-Identifier: Apache-2.0
# The files by which other tools know the project, and the HTML documentation.

TESTS += $(BUILD)/test/packaging.log $(BUILD)/test/packaging-sim.log
$(BUILD)/test/packaging-sim.log: PACKAGING_TESTS := simulation
$(BUILD)/test/packaging.log: PACKAGING_TESTS := not simulation
$(BUILD)/test/packaging.log $(BUILD)/test/packaging-sim.log: tests/consistency/test_packaging.py tests/consistency/conftest.py \
    $(PYTEST_FILES) tests/consistency/soc_integers.cpp tools/fusesoc_rtl.py \
    $(wildcard examples/soc/*) Bender.yml fp8mac.core CHANGELOG.md .github/workflows/ci.yml $(VERSION_H) $(REGS_H) \
    $(RTL_SOURCES)
	@tests/run_test.sh $(basename $(@F)) $@ $(PYTEST) $< -k '$(PACKAGING_TESTS)' --version-h $(VERSION_H) --regs-h $(REGS_H) \
	  --build $(BUILD) --folder $(BUILD)/fusesoc-$(basename $(@F)) --sources $(RTL_SOURCES) \
	  --functions $(MINIMAL_FUNCTIONS)

# ---- HTML documentation ----------------------------------------------------------------------------------------------
#   make docs      $(BUILD)/docs/index.html: the pages, the C interfaces, the RTL modules, the registers
DOCS_DIR := $(BUILD)/docs
.PHONY: docs
docs: $(REGS_DIR)/html/index.html
	$(call say,DOCS,$(DOCS_DIR)/index.html)
	$(Q)$(PYTHON) -B tools/docs/build_docs.py --out $(DOCS_DIR) --registers $(REGS_DIR)/html

TESTS += $(BUILD)/test/docs-html.log
$(BUILD)/test/docs-html.log: tests/consistency/test_docs.py $(PYTEST_FILES) docs
	@tests/run_test.sh docs-html $@ $(PYTEST) $< --build $(BUILD)
