# SPDX-License-Identifier: Apache-2.0
# The files by which other tools know the project, and the HTML documentation.

TESTS += $(BUILD)/test/packaging.log
$(BUILD)/test/packaging.log: tests/habits/test_packaging.py tests/habits/soc_integers.cpp tools/fusesoc_rtl.py \
    $(wildcard examples/soc/*) Bender.yml fp8mac.core CHANGELOG.md .github/workflows/ci.yml $(VERSION_H) $(REGS_H) \
    $(RTL_SOURCES)
	@tests/run_test.sh packaging $@ $(PYTHON) -B $< --version-h $(VERSION_H) --regs-h $(REGS_H) --build $(BUILD) \
	  --fusesoc $(BUILD)/fusesoc $(RTL_SOURCES)
