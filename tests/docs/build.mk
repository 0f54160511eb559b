# SPDX-License-Identifier: Apache-2.0
# The documents. Figures of runs are what their commands print.

FIGURE_PAGES := README.md docs/NETWORKS.md docs/THROUGHPUT.md
TESTS += $(BUILD)/test/docs-figures.log $(BUILD)/test/docs-figures-all.log
$(BUILD)/test/docs-figures-all.log: EVERY_FIGURE := --all
$(BUILD)/test/docs-figures-all.log: $(FW_BUILD)/riscv/vad.elf
$(BUILD)/test/docs-figures.log $(BUILD)/test/docs-figures-all.log: tests/docs/test_figures.py $(PYTEST_FILES) tests/docs/conftest.py $(FIGURE_PAGES) \
    $(SIM_TIMED) $(FW_BUILD)/riscv/gemm.elf $(FW_BUILD)/riscv/digits.elf tests/run_test.sh
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(basename $(@F)) $@ $(PYTEST) $< --pages '$(FIGURE_PAGES)' $(EVERY_FIGURE)

# docs/THROUGHPUT.md is what its generator makes of the results. If the chip is that of the page, docs-throughput repeats
# the quick rows, and docs-throughput-all every one.
THROUGHPUT_FROM := $(wildcard sim/bench/*) $(BUILD)/model/fp8mac tests/docs/test_throughput.py $(PYTEST_FILES) tests/docs/conftest.py docs/THROUGHPUT.md tests/run_test.sh \
  $(if $(BENCH_OF_PAGE),$(SIM_RTL) $(BENCH_ELFS))
THROUGHPUT_RUN = $(PYTEST) tests/docs/test_throughput.py --folder $(BUILD)/$(basename $(@F)) \
  $(if $(BENCH_OF_PAGE),--sim $(SIM_RTL) --programs $(BENCH_PROGRAMS))
TESTS += $(BUILD)/test/docs-throughput.log
$(BUILD)/test/docs-throughput.log: $(THROUGHPUT_FROM)
	@tests/run_test.sh docs-throughput $@ $(THROUGHPUT_RUN)

ifneq (,$(BENCH_OF_PAGE))
TESTS += $(BUILD)/test/docs-throughput-all.log
$(BUILD)/test/docs-throughput-all.log: $(THROUGHPUT_FROM) $(BENCH_INT8)
	@tests/run_test.sh docs-throughput-all $@ $(THROUGHPUT_RUN) --int8 $(BENCH_INT8) --all
endif

# Every command and every snippet of these pages runs as printed: build/test/docs-PAGE.log, where PAGE is the path with
# '-' for '/'. A page without code blocks is not listed: a run of no blocks is a failure.
DOCS_PAGES := README.md firmware/fp8net/README.md examples/fashion/README.md docs/ARCHITECTURE.md docs/COUNTERS.md docs/HOWTO.md docs/NETWORKS.md docs/PORTING.md docs/RECIPES.md docs/TIMING.md docs/TUTORIAL.md model/python/README.md model/NUMERICS.md model/SPEED.md
DOCS_LOGS := $(foreach page,$(DOCS_PAGES),$(BUILD)/test/docs-$(subst /,-,$(basename $(page))).log)
TESTS += $(DOCS_LOGS)

SNIPPETS_FROM := tests/docs/test_snippets.py $(PYTEST_FILES) tests/docs/conftest.py tests/run_test.sh
define DOCS_TEST
$(BUILD)/test/docs-$(subst /,-,$(basename $(1))).log: $(1) $(SNIPPETS_FROM) $(BUILD)/model/libfp8mac.so $(BUILD)/model/fp8mac
	@tests/run_test.sh $$(basename $$(@F)) $$@ $$(PYTEST) tests/docs/test_snippets.py --pages $(1)
endef
$(foreach page,$(DOCS_PAGES),$(eval $(call DOCS_TEST,$(page))))
$(patsubst %,$(BUILD)/test/docs-%.log,firmware-fp8net-README examples-fashion-README docs-HOWTO): $(FP8NET)
$(BUILD)/test/docs-docs-HOWTO.log: $(BUILD)/model/fp8mac-plan
$(BUILD)/test/docs-docs-PORTING.log: $(REGS_H) $(CATALOGUE_H)
$(BUILD)/test/docs-docs-RECIPES.log: $(FW_BUILD)/host/recipes
# What its commands run is built before, so that the test measures the page and not the compiler.
$(patsubst %,$(BUILD)/test/docs-%.log,README docs-ARCHITECTURE docs-COUNTERS docs-HOWTO docs-NETWORKS docs-TUTORIAL): $(SIM) \
  $(SIM_TIMED) $(FW_RISCV_ELFS) $(FW_HOST_APPS)

# The commands of these pages take minutes or hours. make accepts each of them; tests/synth/test_report.py says what those of
# `make synth` would measure.
TESTS += $(BUILD)/test/docs-synth-AREA.log
$(BUILD)/test/docs-synth-AREA.log: $(wildcard synth/*.md) $(SNIPPETS_FROM)
	@tests/run_test.sh docs-synth-AREA $@ $(PYTEST) tests/docs/test_snippets.py --possible --pages '$(wildcard synth/*.md)'
# docs/INTEGRATION.md has the memories, parameters, ports and registers of the sources, and the driver's order.
TESTS += $(BUILD)/test/docs-integration.log
$(BUILD)/test/docs-integration.log: tests/docs/test_integration.py $(PYTEST_FILES) tests/docs/conftest.py docs/INTEGRATION.md firmware/driver/device.c $(RTL_SOURCES) synth/study/memories.py \
  tests/run_test.sh
	@VERILATOR=$(VERILATOR) tests/run_test.sh docs-integration $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/docs-integration

# model/SPEED.md's list of GEMMs on the definition.
TESTS += $(BUILD)/test/docs-speed.log
$(BUILD)/test/docs-speed.log: tests/docs/test_speed.py $(PYTEST_FILES) tests/docs/conftest.py model/SPEED.md $(BUILD)/model/test_fast tests/run_test.sh
	@tests/run_test.sh docs-speed $@ $(PYTEST) $< --program $(BUILD)/model/test_fast
