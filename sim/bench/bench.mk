# SPDX-License-Identifier: Apache-2.0
# Throughput of the chip and speed of its simulation: $(BUILD)/bench/system.json, system.md and roofline.svg.
#   make bench-system                ONLY= selects shapes, as ONLY=64x64x64. The fast mode is the default where it exists,
#                                    because its cycles are the same. Of the default chip, without ONLY=, it measures
#                                    all of docs/THROUGHPUT.md and writes $(BUILD)/bench/throughput.json, too
#   make bench-system WORKLOADS=FILE a list of layers, as `fp8mac cycles` reads it, on the chip beside the
#                                    model of cycles (sim/bench/lists.py); FAST=0 runs it in RTL. $(BUILD)/bench/workloads.csv
#   make bench-cycles                the cycles in sim/bench/results.json again, on the timing model (sim/bench/cycles.py)
#   make bench-core                  the core's constants of `fp8mac cycles`, measured on the chip (sim/bench/core.py)
#   make bench-report                docs/THROUGHPUT.md from sim/bench/results.json and sim/bench/throughput_page.md;
#                                    FROM=build/bench/throughput.json takes a measurement into the results first

BENCH_FAST := $(and $(filter $(FAST_ELEMENTS),$(ELEMENT)),$(filter-out command-0,$(firstword $(origin FAST))-$(FAST)))
BENCH_SIM := $(if $(BENCH_FAST),$(SIM_FAST),$(SIM_RTL))
BENCH_PROGRAMS := $(FW_BUILD)/riscv
BENCH_ELFS := $(patsubst %,$(BENCH_PROGRAMS)/%.elf,gemm digits convolution elementwise)

# The page is about the default chip, beside the same chip with int8 elements. A make of its own builds that one.
BENCH_CHIP := 4x4x16-block_f19
BENCH_OF_PAGE := $(filter $(BENCH_CHIP),$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)$(MINIMAL_NAME))
BENCH_INT8 := $(BUILD)/sim/4x4x16-int8/fp8mac-sim
ifneq (,$(BENCH_OF_PAGE))
$(BENCH_INT8): $(SIM_INPUTS) $(SIM_SOURCES) $(wildcard sim/*.h sim/partitioned/*) $(REGS_H) $(BUILD)/model/libfp8mac.a \
    $(call sim_chip_objects,128) $(SIM_LIBRARIES)
	+@$(MAKE) --no-print-directory sim ELEMENT=int8 FAST=0
endif
# Whether a measurement is one of the whole page
BENCH_ALL := $(if $(ONLY),,$(BENCH_OF_PAGE))

# One after the other, because each would slow the other down.
.PHONY: bench
bench:
	+@$(MAKE) --no-print-directory bench-system
	+@$(MAKE) --no-print-directory bench-model

# Both chips with the timing model. Other chips than the default one have no results.
BENCH_TIMED := $(SIM_TIMED) $(BUILD)/sim/4x4x16-int8-timed/fp8mac-sim
.PHONY: bench-cycles
bench-cycles: $(BENCH_ELFS)
ifeq (,$(BENCH_OF_PAGE))
	$(error make bench-cycles: results.json is about the default chip; leave ROWS, COLS, LANES, ELEMENT, AXI_DATA_W and MINIMAL out)
endif
	+@$(MAKE) --no-print-directory sim TIMED=1
	+@$(MAKE) --no-print-directory sim TIMED=1 ELEMENT=int8
	@$(PYTHON) -B -m sim.bench.cycles --sim $(firstword $(BENCH_TIMED)) --int8 $(lastword $(BENCH_TIMED)) --programs $(BENCH_PROGRAMS)

.PHONY: bench-system bench-report bench-core
bench-core: $(BENCH_SIM)
	@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $(BENCH_PROGRAMS)/cycles.elf
	@$(PYTHON) -B -m sim.bench.core --sim $(BENCH_SIM) --program $(BENCH_PROGRAMS)/cycles.elf --compiler $(RISCV_PREFIX)gcc

ifneq (,$(WORKLOADS))
bench-system: $(BUILD)/model/fp8mac $(BENCH_SIM) $(BENCH_PROGRAMS)/gemm.elf
	@$(PYTHON) -B -m sim.bench.lists '$(WORKLOADS)' --sim $(BENCH_SIM) --model $< --programs $(BENCH_PROGRAMS) \
	  --chip $(ROWS) $(COLS) $(LANES) $(ELEMENT) --beat $$(($(AXI_DATA_W) / 8)) --out $(BUILD)/bench
else
bench-system: $(BUILD)/model/fp8mac $(BENCH_SIM) $(if $(BENCH_ALL),$(BENCH_INT8)) $(SPEED_FROM) $(BENCH_ELFS)
	@$(PYTHON) -B -m sim.bench.bench --sim $(BENCH_SIM) --model $(BUILD)/model/fp8mac $(if $(BENCH_ALL),--int8 $(BENCH_INT8)) \
	  --programs $(BENCH_PROGRAMS) --array '$(ARRAY) $(ELEMENT_SPEC)' --chip $(ROWS) $(COLS) $(LANES) $(ELEMENT) \
	  --out $(BUILD)/bench --only '$(ONLY)' --compiler $(RISCV_PREFIX)gcc --core $(SIM_CORE) --speed-elf $(SPEED_ELF) \
	  $(SPEED_MODES)
endif

bench-report: $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m sim.bench.page --model $< $(call SYNTH_OPTION,FROM,from)
