# SPDX-License-Identifier: Apache-2.0
# Throughput of the chip: $(BUILD)/bench/system.json, system.md and roofline.svg. ONLY= selects shapes, as ONLY=64x64x64.

.PHONY: bench-system
bench-system: $(SIM) $(FW_BUILD)/riscv/gemm.elf
	@$(PYTHON) -B sim/bench/bench.py --sim $(SIM) --elf $(FW_BUILD)/riscv/gemm.elf \
	  --array '$(ARRAY) $(ELEMENT_SPEC)' --out $(BUILD)/bench --only '$(ONLY)'
