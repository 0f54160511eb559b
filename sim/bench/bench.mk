# SPDX-License-Identifier: Apache-2.0
# Throughput of the chip and speed of its simulation: $(BUILD)/bench/system.json, system.md and roofline.svg.
# ONLY= selects shapes, as ONLY=64x64x64. The fast mode is the default where it exists, because its cycles are the same.

BENCH_FAST := $(and $(filter $(FAST_ELEMENTS),$(ELEMENT)),$(filter-out command-0,$(firstword $(origin FAST))-$(FAST)))
BENCH_SIM := $(if $(BENCH_FAST),$(SIM_FAST),$(SIM_RTL))

# One after the other, because each would slow the other down.
.PHONY: bench
bench:
	+@$(MAKE) --no-print-directory bench-system
	+@$(MAKE) --no-print-directory bench-model

.PHONY: bench-system
bench-system: $(BENCH_SIM) $(SPEED_FROM) $(FW_BUILD)/riscv/gemm.elf
	@$(PYTHON) -B sim/bench/bench.py --sim $(BENCH_SIM) --elf $(FW_BUILD)/riscv/gemm.elf \
	  --array '$(ARRAY) $(ELEMENT_SPEC)' --macs $$(($(ROWS) * $(COLS) * $(LANES))) --out $(BUILD)/bench --only '$(ONLY)' \
	  --core $(SIM_CORE) --speed-elf $(SPEED_ELF) $(SPEED_MODES)
