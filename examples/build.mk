# SPDX-License-Identifier: Apache-2.0
# Examples of use; each folder has a README with its one command, and `make test` runs every one.
#   make examples          all of them;  make example-c | example-python | example-fashion | example-soc | example-cocotb
#   make example-fashion-all    that of a trained network with all 10,000 images of the test, in some minutes
#   make figures           docs/FIGURES.md and its plots, from examples/python/figures; FIGURE=sqnr computes that one alone

EXAMPLES := c python fashion soc cocotb
EXAMPLES_DIR := $(BUILD)/examples
EXAMPLE_LOGS := $(EXAMPLES:%=$(BUILD)/test/example_%.log)
TESTS += $(EXAMPLE_LOGS)

.PHONY: examples $(EXAMPLES:%=example-%)
examples: $(EXAMPLES:%=example-%)

# ---- the model in C --------------------------------------------------------------------------------------------------
EXAMPLE_C := $(EXAMPLES_DIR)/c/dot
$(EXAMPLE_C): examples/c/dot.c $(BUILD)/model/libfp8mac.a $(MODEL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -Wall -Wextra -Werror -Imodel/include $(CFLAGS) -o $@ $< $(BUILD)/model/libfp8mac.a -lm -pthread

example-c: $(EXAMPLE_C)
	@$<
$(BUILD)/test/example_c.log: $(EXAMPLE_C)
	@tests/run_test.sh example_c $@ $<

# ---- the model in Python ---------------------------------------------------------------------------------------------
# The package model/python, installed into a folder of its own, with the model that is built already.
EXAMPLE_PACKAGE := $(EXAMPLES_DIR)/package
EXAMPLE_PYTHON := PYTHONPATH=$(abspath $(EXAMPLE_PACKAGE)) $(PYTHON) -B
$(EXAMPLE_PACKAGE)/installed: $(MODEL_SOURCES) $(wildcard model/include/fp8mac/*.h model/src/*/*.h model/python/* \
    model/python/fp8mac/* model/cli/settings.* model/cli/workload.*) $(BUILD)/model/libfp8mac.a $(CLI_LIBRARY) $(wildcard firmware/include/fp8rt/*.h)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call say,PIP,$(@D))
	@find model/python -type f -exec sha256sum {} + | sort >$(@D).before
	$(Q)FP8MAC_LIBRARY=$(abspath $(BUILD)/model/libfp8mac.a) $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps \
	  --target $(@D) ./model/python
	@find model/python -type f -exec sha256sum {} + | sort | cmp - $(@D).before
	@touch $@

example-python: $(EXAMPLE_PACKAGE)/installed
	@$(EXAMPLE_PYTHON) examples/python/gemm.py
$(BUILD)/test/example_python.log: examples/python/gemm.py $(EXAMPLE_PACKAGE)/installed
	@tests/run_test.sh example_python $@ env $(EXAMPLE_PYTHON) $<

# ---- a network for fashion-MNIST -------------------------------------------------------------------------------------
EXAMPLE_FASHION = env PYTHONPATH=$(FP8NET_PATH) $(PYTHON) -B examples/fashion/compare.py --out $(EXAMPLES_DIR)/fashion
example-fashion: $(FP8NET)
	@$(EXAMPLE_FASHION)
$(BUILD)/test/example_fashion.log: $(wildcard examples/fashion/*) firmware/apps/digits/operations.py $(FP8NET_SOURCES) $(FP8NET)
	@tests/run_test.sh example_fashion $@ $(EXAMPLE_FASHION)

.PHONY: example-fashion-all
example-fashion-all: $(FP8NET)
	@$(EXAMPLE_FASHION) --all
$(BUILD)/test/example_fashion_all.log: $(wildcard examples/fashion/*) $(FP8NET_SOURCES) $(FP8NET) sim/bench/quality.json
	@tests/run_test.sh example_fashion_all $@ $(EXAMPLE_FASHION) --all --results sim/bench/quality.json
TESTS += $(BUILD)/test/example_fashion_all.log

# ---- figures of published papers -------------------------------------------------------------------------------------
# One after the other: each uses every core. The page is written from the results of all.
FIGURES_DIR := examples/python/figures
FIGURE_NAMES := sqnr accumulation post_training scaling_bias cfloat8 gradient_scaling gpu_generations
$(call check_choice,FIGURE,$(FIGURE_NAMES),sqnr)

.PHONY: figures
figures: $(EXAMPLE_PACKAGE)/installed
	@set -e; for figure in $(or $(FIGURE),$(FIGURE_NAMES)); do $(EXAMPLE_PYTHON) $(FIGURES_DIR)/$$figure.py; done
	@$(EXAMPLE_PYTHON) $(FIGURES_DIR)/page.py

# docs/FIGURES.md is what its scripts make of the results. docs-papers computes the quick rows again, docs-papers-all every one.
PAPERS_FROM := $(wildcard $(FIGURES_DIR)/* $(FIGURES_DIR)/*/* docs/figures/*) docs/FIGURES.md tests/docs/test_papers.py \
  tests/docs/conftest.py tests/model/test_effects.py $(PYTEST_FILES) tests/run_test.sh
TESTS += $(BUILD)/test/docs-papers.log $(BUILD)/test/docs-papers-all.log
$(BUILD)/test/docs-papers-all.log: EVERY_PAPER := --all
$(BUILD)/test/docs-papers.log $(BUILD)/test/docs-papers-all.log: $(PAPERS_FROM) $(EXAMPLE_PACKAGE)/installed
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(basename $(@F)) $@ $(PYTEST) tests/docs/test_papers.py --build $(BUILD) \
	  $(EVERY_PAPER)

# ---- the accelerator in a small system -------------------------------------------------------------------------------
EXAMPLE_SOC := $(EXAMPLES_DIR)/soc/soc
EXAMPLE_SOC_RTL := $(RTL_WAIVER) $(RTL_SIM_SOURCES) examples/soc/axi_ram.sv examples/soc/soc_top.sv
$(EXAMPLE_SOC): examples/soc/main.cpp examples/soc/soc_host.h $(EXAMPLE_SOC_RTL) $(REGS_H) $(BUILD)/model/libfp8mac.a $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Iexamples/soc -Imodel/include -I$(REGS_DIR) -I$(CATALOGUE_DIR),$(BUILD)/model/libfp8mac.a,\
	  --assert -Wall --top-module soc_top $(EXAMPLE_SOC_RTL))

example-soc: $(EXAMPLE_SOC)
	@$<
$(BUILD)/test/example_soc.log: $(EXAMPLE_SOC)
	@tests/run_test.sh example_soc $@ $<

# ---- a cocotb test ---------------------------------------------------------------------------------------------------
EXAMPLE_COCOTB_RTL := $(RTL_WAIVER) $(RTL_SIM_SOURCES)
EXAMPLE_COCOTB = env $(EXAMPLE_PYTHON) examples/cocotb/run.py --build $(EXAMPLES_DIR)/cocotb $(EXAMPLE_COCOTB_RTL)

example-cocotb: $(EXAMPLE_COCOTB_RTL) $(EXAMPLE_PACKAGE)/installed
	@$(EXAMPLE_COCOTB)
$(BUILD)/test/example_cocotb.log: examples/cocotb/run.py examples/cocotb/test_element.py $(EXAMPLE_COCOTB_RTL) \
    $(EXAMPLE_PACKAGE)/installed
	@tests/run_test.sh example_cocotb $@ $(EXAMPLE_COCOTB)
