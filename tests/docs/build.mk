# SPDX-License-Identifier: Apache-2.0
# The documents.

# sim/bench/results.json is what the timing model takes now. docs-results repeats the quick rows, docs-results-all every one,
# and docs-results-rtl every one in RTL.
ifneq (,$(BENCH_OF_RESULTS))
RESULTS_FROM := $(wildcard sim/bench/*) tools/accept/expectations.py tests/docs/test_results.py $(PYTEST_FILES) tests/docs/conftest.py tests/run_test.sh \
  $(BENCH_ELFS) $(BENCH_CALLS)
RESULTS_RUN = tests/run_test.sh $(basename $(@F)) $@ $(PYTEST) tests/docs/test_results.py $(BENCH_RUN)
TESTS += $(patsubst %,$(BUILD)/test/%.log,docs-results docs-results-all docs-results-rtl)
$(BUILD)/test/docs-results.log: $(RESULTS_FROM) $(BENCH_TIMED)
	@$(RESULTS_RUN) --sim $(BENCH_TIMED)
$(BENCH_TIMED_INT8): $(BENCH_TIMED) $(SIM_SOURCES) $(SIM_INPUTS)
	+@$(MAKE) --no-print-directory sim ELEMENT=int8 TIMED=1
$(BUILD)/test/docs-results-all.log: $(RESULTS_FROM) $(BENCH_TIMED) $(BENCH_TIMED_INT8)
	@$(RESULTS_RUN) --sim $(BENCH_TIMED) --int8 $(BENCH_TIMED_INT8) --all
$(BUILD)/test/docs-results-rtl.log: $(RESULTS_FROM) $(BENCH_SIM) $(BENCH_INT8)
	@$(RESULTS_RUN) --sim $(BENCH_SIM) --int8 $(BENCH_INT8) --all
endif

# Pages quote the result files. How a change of these is accepted.
TESTS += $(BUILD)/test/docs-pages.log $(BUILD)/test/docs-expectations.log
$(BUILD)/test/docs-pages.log: tests/docs/test_pages.py $(wildcard sim/bench/*) tools/docs/quotes.py tools/accept/expectations.py $(BUILD)/model/fp8mac \
    $(PYTEST_FILES) tests/docs/conftest.py README.md docs/ARCHITECTURE.md docs/CYCLES.md docs/INTEGRATION.md docs/NETWORKS.md docs/WIDTHS.md \
    model/SPEED.md $(wildcard model/bench/speed.* synth/results/*.json synth/study/*.py) tests/run_test.sh
	@tests/run_test.sh docs-pages $@ $(PYTEST) $< --folder $(BUILD)/docs-pages
$(BUILD)/test/docs-expectations.log: tests/docs/test_expectations.py tools/accept/expectations.py $(PYTEST_FILES) tests/docs/conftest.py tests/run_test.sh
	@tests/run_test.sh docs-expectations $@ $(PYTEST) $<

# Every command and every snippet of these pages runs as printed: build/test/docs-PAGE.log, where PAGE is the path with
# '-' for '/'. A page without code blocks is not listed: a run of no blocks is a failure.
DOCS_PAGES := README.md firmware/fp8net/README.md examples/fashion/README.md docs/ARCHITECTURE.md docs/CYCLES.md docs/HOWTO.md docs/NETWORKS.md docs/PORTING.md docs/TUTORIAL.md model/python/README.md model/NUMERICS.md model/SPEED.md
DOCS_LOGS := $(foreach page,$(DOCS_PAGES),$(BUILD)/test/docs-$(subst /,-,$(basename $(page))).log)
TESTS += $(DOCS_LOGS)

SNIPPETS_FROM := tests/docs/test_snippets.py $(PYTEST_FILES) tests/docs/conftest.py tests/run_test.sh
define DOCS_TEST
$(BUILD)/test/docs-$(subst /,-,$(basename $(1))).log: $(1) $(SNIPPETS_FROM) $(BUILD)/model/libfp8mac.so $(BUILD)/model/fp8mac
	@tests/run_test.sh $$(basename $$(@F)) $$@ $(DOCS_WITH_$(1)) $$(PYTEST) tests/docs/test_snippets.py --pages $(1)
endef
DOCS_WITH_model/python/README.md := env CC=$(abspath tests/bindings/cc_unoptimised.sh)
$(foreach page,$(DOCS_PAGES),$(eval $(call DOCS_TEST,$(page))))
$(patsubst %,$(BUILD)/test/docs-%.log,firmware-fp8net-README examples-fashion-README docs-HOWTO): $(FP8NET)
$(BUILD)/test/docs-docs-HOWTO.log: $(BUILD)/model/fp8mac-plan
$(BUILD)/test/docs-model-python-README.log: tests/bindings/cc_unoptimised.sh
$(BUILD)/test/docs-docs-CYCLES.log: $(SIM_TIMED) $(SIM_LISTS)
$(BUILD)/test/docs-docs-PORTING.log: $(REGS_H) $(CATALOGUE_H)
# What its commands run is built before, so that the test measures the page and not the compiler.
$(patsubst %,$(BUILD)/test/docs-%.log,README docs-ARCHITECTURE docs-CYCLES docs-HOWTO docs-NETWORKS docs-TUTORIAL): $(SIM) \
  $(SIM_TIMED) $(FW_RISCV_ELFS) $(FW_HOST_APPS)

# The commands of these pages take minutes or hours. make accepts each of them; tests/synth/test_report.py says what those of
# `make synth` would measure.
TESTS += $(BUILD)/test/docs-synth-AREA.log
$(BUILD)/test/docs-synth-AREA.log: $(wildcard synth/*.md) $(SYNTH_FIGURES) $(SNIPPETS_FROM)
	@tests/run_test.sh docs-synth-AREA $@ $(PYTEST) tests/docs/test_snippets.py --possible --pages '$(wildcard synth/*.md) $(SYNTH_FIGURES)'
# docs/INTEGRATION.md has the memories, parameters, ports and registers of the sources, and the driver's order.
TESTS += $(BUILD)/test/docs-integration.log
$(BUILD)/test/docs-integration.log: tests/docs/test_integration.py $(PYTEST_FILES) tests/docs/conftest.py docs/INTEGRATION.md firmware/driver/device.c $(RTL_SOURCES) synth/study/memories.py \
  tests/run_test.sh
	@VERILATOR=$(VERILATOR) tests/run_test.sh docs-integration $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/docs-integration

# model/SPEED.md's list of GEMMs on the definition.
TESTS += $(BUILD)/test/docs-speed.log
$(BUILD)/test/docs-speed.log: tests/docs/test_speed.py $(PYTEST_FILES) tests/docs/conftest.py model/SPEED.md $(wildcard model/bench/*) $(BUILD)/model/test_fast tests/run_test.sh
	@tests/run_test.sh docs-speed $@ $(PYTEST) $< --program $(BUILD)/model/test_fast
