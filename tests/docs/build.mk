# SPDX-License-Identifier: Apache-2.0
# The documents: README's figures are what its commands print.

$(BUILD)/test/docs-readme-figures.log: tests/docs/test_readme_figures.py README.md $(SIM) $(FW_BUILD)/riscv/gemm.elf \
    $(FW_BUILD)/riscv/digits.elf tests/run_test.sh
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh docs-readme-figures $@ $(PYTHON) -B $< README.md
TESTS += $(BUILD)/test/docs-readme-figures.log
