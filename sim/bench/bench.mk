# SPDX-License-Identifier: Apache-2.0
# Cycles of the chip and speed of its simulation: $(BUILD)/bench/system.json, system.md and roofline.svg.
#   make accept-cycles               all cycles of sim/bench/results.json again, on the timing model; says what moved, refuses
#                                    losses without REASON=, writes the file and the pages that quote it (sim/bench/accept.py).
#                                    FROM=build/bench/throughput.json takes a measurement of bench-system instead
#   make accept-sizes                bytes of programs: sim/bench/sizes.json
#   make accept-rows                 cycles of row commands: sim/bench/row_commands.json
#   make page-figures                the figures and tables that pages quote from the result files (sim/bench/pages.py)
#   make bench-system                the same cycles in RTL. ONLY= selects shapes, as ONLY=64x64x64. Of the default chip, without
#                                    ONLY=, it writes $(BUILD)/bench/throughput.json, too, with the simulation's speed
#   make bench-system WORKLOADS=FILE a list of layers, as `fp8mac cycles` reads it, on the chip beside the
#                                    model of cycles (sim/bench/lists.py). $(BUILD)/bench/workloads.csv
#   make bench-core                  the core's constants of `fp8mac cycles`, measured on the chip (sim/bench/core.py)

BENCH_SIM := $(SIM_RTL)
BENCH_PROGRAMS := $(FW_BUILD)/riscv
BENCH_ELFS := $(patsubst %,$(BENCH_PROGRAMS)/%.elf,gemm digits convolution elementwise decoder dscnn tokens vad)
# The application `cycles` is one of the tests', and a make of its own builds it.
BENCH_CALLS := $(BENCH_PROGRAMS)/cycles.elf
ifneq (tests/system/apps,$(APPS_DIR))
$(BENCH_CALLS): $(wildcard tests/system/apps/cycles/*) $(FW_RISCV_OBJECTS)
	+@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $@
endif

# The results are about the default chip, beside the same chip with int8 elements. A make of its own builds that one.
BENCH_CHIP := 4x4x16-block_f19
BENCH_OF_RESULTS := $(filter $(BENCH_CHIP),$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)$(MINIMAL_NAME))
BENCH_INT8 := $(BUILD)/sim/4x4x16-int8/fp8mac-sim
ifneq (,$(BENCH_OF_RESULTS))
$(BENCH_INT8): $(SIM_INPUTS) $(SIM_SOURCES) $(wildcard sim/*.h sim/partitioned/*) $(REGS_H) $(BUILD)/model/libfp8mac.a \
    $(call sim_chip_objects,128) $(SIM_LIBRARIES)
	+@$(MAKE) --no-print-directory sim ELEMENT=int8
endif
# Whether a measurement is one of all results
BENCH_ALL := $(if $(ONLY),,$(BENCH_OF_RESULTS))

# One after the other, because each would slow the other down.
.PHONY: bench
bench:
	+@$(MAKE) --no-print-directory bench-system
	+@$(MAKE) --no-print-directory bench-model

# Both chips with the timing model. Other chips than the default one have no results.
BENCH_TIMED := $(SIM_TIMED)
BENCH_TIMED_INT8 := $(BUILD)/sim/4x4x16-int8-timed/fp8mac-sim
BENCH_RUN = --programs $(BENCH_PROGRAMS) --compiler $(RISCV_PREFIX)gcc
ACCEPT_KINDS += cycles
.PHONY: accept-cycles
accept-cycles: $(BENCH_ELFS) $(BENCH_CALLS) $(BUILD)/model/fp8mac
ifeq (,$(BENCH_OF_RESULTS))
	$(error make accept-cycles: the results are about the default chip; leave ROWS, COLS, LANES, ELEMENT, AXI_DATA_W and MINIMAL out)
endif
	$(if $(FROM),,+@$(MAKE) -s --no-print-directory sim TIMED=1)
	$(if $(FROM),,+@$(MAKE) -s --no-print-directory sim TIMED=1 ELEMENT=int8)
	@$(PYTHON) -B -m sim.bench.accept --sim $(BENCH_TIMED) --int8 $(BENCH_TIMED_INT8) $(BENCH_RUN) --model $(BUILD)/model/fp8mac \
	  $(ACCEPT_REASON) $(call SYNTH_OPTION,FROM,from)

# Bytes of programs, and the core's cycles of short runs: sim/bench/sizes.json
ACCEPT_KINDS += sizes
.PHONY: accept-sizes
accept-sizes: $(FW_RISCV_ELFS) $(SIM_TIMED)
ifeq (,$(BENCH_OF_RESULTS))
	$(error make accept-sizes: the sizes are about the default chip; leave ROWS, COLS, LANES, ELEMENT, AXI_DATA_W and MINIMAL out)
endif
	@$(PYTHON) -B -m sim.bench.sizes --sim $(BENCH_TIMED) --size $(RISCV_PREFIX)size $(BENCH_RUN) $(ACCEPT_REASON)

# Cycles of row commands: sim/bench/row_commands.json
ACCEPT_KINDS += rows
.PHONY: accept-rows
accept-rows: $(BUILD)/tb/accel_4_4_16_128_block_f19/accel_tb $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m sim.bench.row_commands --bench $< $(ACCEPT_REASON)
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac

.PHONY: page-figures
page-figures: $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m sim.bench.pages --model $<

# All tables, for `make docs`
BENCH_FULL := $(addprefix $(DOCS_RESULTS_DIR)/,cycles.md networks.md)
DOCS_RESULTS += $(BENCH_FULL)
$(BENCH_FULL) &: $(wildcard sim/bench/*) tools/docs/quotes.py $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac --full $(DOCS_RESULTS_DIR)

.PHONY: bench-system bench-core
bench-core: $(BENCH_SIM) $(BENCH_CALLS)
	@$(PYTHON) -B -m sim.bench.core --sim $(BENCH_SIM) --program $(BENCH_CALLS) --compiler $(RISCV_PREFIX)gcc

ifneq (,$(WORKLOADS))
bench-system: $(BUILD)/model/fp8mac $(BENCH_SIM) $(BENCH_PROGRAMS)/gemm.elf
	@$(PYTHON) -B -m sim.bench.lists '$(WORKLOADS)' --sim $(BENCH_SIM) --model $< --programs $(BENCH_PROGRAMS) \
	  --chip $(ROWS) $(COLS) $(LANES) $(ELEMENT) --beat $$(($(AXI_DATA_W) / 8)) --out $(BUILD)/bench
else
bench-system: $(BUILD)/model/fp8mac $(BENCH_SIM) $(if $(BENCH_ALL),$(BENCH_INT8)) $(SPEED_FROM) $(BENCH_ELFS) $(if $(BENCH_ALL),$(BENCH_CALLS))
	@$(PYTHON) -B -m sim.bench.bench --sim $(BENCH_SIM) --model $(BUILD)/model/fp8mac $(if $(BENCH_ALL),--int8 $(BENCH_INT8)) \
	  --programs $(BENCH_PROGRAMS) --array '$(ARRAY) $(ELEMENT_SPEC)' --chip $(ROWS) $(COLS) $(LANES) $(ELEMENT) \
	  --out $(BUILD)/bench --only '$(ONLY)' --compiler $(RISCV_PREFIX)gcc --core $(SIM_CORE) --speed-elf $(SPEED_ELF) \
	  $(SPEED_MODES)
endif
