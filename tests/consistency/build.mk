# SPDX-License-Identifier: Apache-2.0
# The files by which other tools know the project, and the documentation.

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

# The documentation: what Sphinx reads, in every test run, and what it makes of it, in the long ones.
TESTS += $(BUILD)/test/docs-sources.log $(BUILD)/test/docs-html.log
$(BUILD)/test/docs-sources.log: tests/habits/test_docs.py tests/habits/conftest.py $(PYTEST_FILES) docs-sources $(REGS_H)
	@tests/run_test.sh docs-sources $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/docs-seeded --regs-h $(REGS_H)

$(BUILD)/test/docs-html.log: tests/consistency/test_docs_html.py $(PYTEST_FILES) docs
	@tests/run_test.sh docs-html $@ $(PYTEST) $< --build $(BUILD)
