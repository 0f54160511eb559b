# SPDX-License-Identifier: Apache-2.0
# The tool fp8net: import, quantiser, executor and the programs that it writes.
NETWORKS_TEST := tests/networks
NETWORKS_INPUTS := $(wildcard $(NETWORKS_TEST)/*.py) $(FP8NET_SOURCES) $(FP8NET) $(PYTEST_FILES) tests/run_test.sh
NETWORKS_PYTEST = env PYTHONPATH=$(FP8NET_PATH) $(PYTEST)
# Programs are small: compiling them takes most of the time, so they are not optimised.
NETWORKS_HOST := $(BUILD)/networks/libfp8rt.a
NETWORKS_COMPILE = $(CC) $(filter-out -O2 -MMD -MP,$(FW_CFLAGS)) -O0 -Ifirmware/port/host $(CFLAGS)
NETWORKS_COMPILER = --compile '$(NETWORKS_COMPILE) $(NETWORKS_LINK)' --objects '$(NETWORKS_LIBRARY) $(BUILD)/model/libfp8mac.a'
NETWORKS_LIBRARY := $(NETWORKS_HOST)

$(NETWORKS_HOST): $(addprefix $(FW_BUILD)/host/obj/,$(FW_HOST_OBJECTS))
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rc $@ $^

# The same for a core that has a cache: tests/system/cached.c. The bytes of these tests' programs are the executor's, so lists
# of INT8, of MX and of the accelerator that requantises clean and invalidate all that they must.
NETWORKS_CACHED := $(BUILD)/networks/libfp8rt-cached.a
$(NETWORKS_CACHED): $(SYS_CACHED_OBJECTS)
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rc $@ $^
NETWORKS_CACHED_LOGS := $(patsubst %,$(BUILD)/test/networks-%.log,int8 mx requantised)
$(NETWORKS_CACHED_LOGS): NETWORKS_LIBRARY := $(NETWORKS_CACHED)
$(NETWORKS_CACHED_LOGS): NETWORKS_LINK := -no-pie
$(NETWORKS_CACHED_LOGS): $(NETWORKS_CACHED)

$(BUILD)/test/networks-random.log $(BUILD)/test/networks-random-more.log $(BUILD)/test/networks-random-chip.log: $(NETWORKS_TEST)/test_random.py $(NETWORKS_INPUTS) \
    $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS) \
	  $(NETWORKS_COMPILER)
$(BUILD)/test/networks-random-more.log: NETWORKS_OPTIONS := --count 120
$(BUILD)/test/networks-random-chip.log: NETWORKS_OPTIONS := --count 20 --seed 7 --chip
$(BUILD)/test/networks-random-chip.log: $(SIM) $(FW_RISCV_OBJECTS)
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-random networks-random-more networks-random-chip)

$(BUILD)/test/networks-hostile.log: $(NETWORKS_TEST)/test_hostile.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-hostile $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-hostile.log

$(BUILD)/test/networks-answers.log: $(NETWORKS_TEST)/test_answers.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-answers $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-answers.log

$(BUILD)/test/networks-messages.log: $(NETWORKS_TEST)/test_messages.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-messages $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-messages.log

# Random graphs, numbers and names through all verbs
$(BUILD)/test/networks-fuzz.log $(BUILD)/test/networks-fuzz-more.log: $(NETWORKS_TEST)/test_fuzz.py $(NETWORKS_INPUTS)
	@tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS)
$(BUILD)/test/networks-fuzz.log: NETWORKS_OPTIONS := --count 250
$(BUILD)/test/networks-fuzz-more.log: NETWORKS_OPTIONS := --count 5000 --seed 1
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-fuzz networks-fuzz-more)

$(BUILD)/test/networks-tflite.log: $(NETWORKS_TEST)/test_tflite.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-tflite $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-tflite.log

$(BUILD)/test/networks-trust.log $(BUILD)/test/networks-trust-more.log: $(NETWORKS_TEST)/test_trust.py $(NETWORKS_INPUTS)
	@tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(TRUST_OPTIONS)
$(BUILD)/test/networks-trust.log: TRUST_OPTIONS := --count 300
$(BUILD)/test/networks-trust-more.log: TRUST_OPTIONS := --count 5000 --seed 1 -k test_random
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-trust networks-trust-more)

$(BUILD)/test/networks-litert.log: $(NETWORKS_TEST)/test_litert.py $(NETWORKS_INPUTS) tests/oracle/requantise.py
	@tests/run_test.sh networks-litert $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-litert.log

$(BUILD)/test/networks-precision.log: $(NETWORKS_TEST)/test_precision.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh networks-precision $@ $(NETWORKS_PYTEST) $< $(NETWORKS_COMPILER)
TESTS += $(BUILD)/test/networks-precision.log

$(BUILD)/test/networks-recipe.log: $(NETWORKS_TEST)/test_recipe.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh networks-recipe $@ $(NETWORKS_PYTEST) $< $(NETWORKS_COMPILER)
TESTS += $(BUILD)/test/networks-recipe.log

$(BUILD)/test/networks-words.log: $(NETWORKS_TEST)/test_words.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh networks-words $@ $(NETWORKS_PYTEST) $< $(NETWORKS_COMPILER)
TESTS += $(BUILD)/test/networks-words.log

$(BUILD)/test/networks-sequences.log: $(NETWORKS_TEST)/test_sequences.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh networks-sequences $@ $(NETWORKS_PYTEST) $< $(NETWORKS_COMPILER)
TESTS += $(BUILD)/test/networks-sequences.log

$(BUILD)/test/networks-int8.log $(BUILD)/test/networks-int8-chip.log: $(NETWORKS_TEST)/test_int8.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS) \
	  $(NETWORKS_COMPILER)
$(BUILD)/test/networks-int8.log: NETWORKS_OPTIONS := --count 8
$(BUILD)/test/networks-int8-chip.log: NETWORKS_OPTIONS := --count 8 --seed 3 --chip
$(BUILD)/test/networks-int8-chip.log: $(FW_RISCV_OBJECTS)  # the test builds the simulator with elements of INT8
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-int8 networks-int8-chip)

$(BUILD)/test/networks-mx.log $(BUILD)/test/networks-mx-chip.log: $(NETWORKS_TEST)/test_mx.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS) \
	  $(NETWORKS_COMPILER)
$(BUILD)/test/networks-mx.log: NETWORKS_OPTIONS := --count 8
$(BUILD)/test/networks-mx-chip.log: NETWORKS_OPTIONS := --count 8 --seed 3 --chip
$(BUILD)/test/networks-mx-chip.log: $(SIM) $(FW_RISCV_OBJECTS)
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-mx networks-mx-chip)

$(BUILD)/test/networks-fashion.log $(BUILD)/test/networks-fashion-chip.log: $(NETWORKS_TEST)/test_fashion.py $(wildcard examples/fashion/*) \
    $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS) \
	  $(NETWORKS_COMPILER)
$(BUILD)/test/networks-fashion-chip.log: NETWORKS_OPTIONS := --chip
$(BUILD)/test/networks-fashion-chip.log: $(SIM) $(FW_RISCV_OBJECTS) sim/bench/networks.json
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-fashion networks-fashion-chip)

# Full INT8 networks of TensorFlow Lite, on an accelerator that requantises. MLPERF_TINY=folder adds those of MLPerf Tiny.
REQUANTISED_TESTS := $(patsubst %,$(BUILD)/test/%.log,networks-requantised networks-requantised-litert networks-requantised-chip)
$(REQUANTISED_TESTS): $(NETWORKS_TEST)/test_requantised.py $(NETWORKS_INPUTS) $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
	@env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(NETWORKS_OPTIONS) \
	  $(NETWORKS_COMPILER)
$(BUILD)/test/networks-requantised.log: NETWORKS_OPTIONS := --count 6
$(BUILD)/test/networks-requantised-litert.log: NETWORKS_OPTIONS := --count 40 --seed 5 --reference
$(BUILD)/test/networks-requantised-chip.log: NETWORKS_OPTIONS := --count 2 --seed 3 --chip
$(BUILD)/test/networks-requantised-chip.log: $(FW_RISCV_OBJECTS)  # the test builds the simulator that requantises
TESTS += $(REQUANTISED_TESTS)

# ONNX's operator tests: a sample, and all.
$(BUILD)/test/networks-operators.log $(BUILD)/test/networks-operators-all.log: $(NETWORKS_TEST)/test_operators.py $(NETWORKS_INPUTS)
	@tests/run_test.sh $(notdir $(basename $@)) $@ $(NETWORKS_PYTEST) $< $(OPERATORS_OPTIONS)
$(BUILD)/test/networks-operators-all.log: OPERATORS_OPTIONS = --all-cases $(NETWORKS_COMPILER)
$(BUILD)/test/networks-operators-all.log: $(NETWORKS_HOST) $(BUILD)/model/libfp8mac.a
TESTS += $(patsubst %,$(BUILD)/test/%.log,networks-operators networks-operators-all)

# From an ONNX file to host and chip by commands.
$(BUILD)/test/networks-chip.log: $(NETWORKS_TEST)/chip.sh $(NETWORKS_INPUTS) sim/bench/networks.json $(SIM) $(addprefix $(FW_BUILD)/host/obj/,$(FW_HOST_OBJECTS)) \
    $(FW_RISCV_OBJECTS) $(BUILD)/model/libfp8mac.a
	@$(if $(DRY_RUN),: )tests/run_test.sh networks-chip $@ $< $(FP8NET) $(PYTHON) $(RISCV_PREFIX)gcc $(BUILD)/networks/chip $(MAKE) -s --no-print-directory
TESTS += $(BUILD)/test/networks-chip.log

# Estimates of moves by the core, on the timing model
$(BUILD)/test/networks-moves.log: $(NETWORKS_TEST)/core_moves.py $(NETWORKS_INPUTS) $(SIM_TIMED) $(FW_RISCV_OBJECTS) \
    $(addprefix sim/bench/,results.py results.json)
	@$(if $(DRY_RUN),: )env PYTHONPATH=$(FP8NET_PATH):. tests/run_test.sh networks-moves $@ $(PYTHON) -B $< $(BUILD)/networks/moves \
	  --compiler $(RISCV_PREFIX)gcc -- \
	  $(MAKE) -s --no-print-directory
TESTS += $(BUILD)/test/networks-moves.log

$(BUILD)/test/networks-speech.log: $(NETWORKS_TEST)/test_speech.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-speech $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-speech.log

$(BUILD)/test/networks-published.log: $(NETWORKS_TEST)/test_published.py $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-published $@ $(NETWORKS_PYTEST) $<
TESTS += $(BUILD)/test/networks-published.log

# Quality and cycles of networks from files: sim/bench/networks.json, which docs/NETWORKS.md quotes.
NETWORKS_TABLE = env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS PYTHONPATH=$(FP8NET_PATH):. $(PYTHON) -B $(NETWORKS_TEST)/table.py
NETWORKS_ONLY = $(if $(ONLY),--only '$(ONLY)')
ACCEPT_KINDS += networks
.PHONY: accept-networks networks-tiny
accept-networks: $(FP8NET) $(SIM_TIMED) $(FW_RISCV_OBJECTS) $(BUILD)/model/fp8mac
	$(Q)$(NETWORKS_TABLE) $(NETWORKS_ONLY) $(ACCEPT_REASON)
	$(if $(MLPERF_TINY),$(Q)MLPERF_TINY=$(MLPERF_TINY) $(NETWORKS_TABLE) --tiny $(ACCEPT_REASON))
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac
# Formats beside each other, and right answers: sim/bench/formats.json. CIFAR10=folder adds labelled images.
ACCEPT_KINDS += formats
.PHONY: accept-formats
accept-formats: $(FP8NET) $(BUILD)/model/fp8mac
	$(Q)$(if $(MLPERF_TINY),MLPERF_TINY=$(MLPERF_TINY)) $(if $(CIFAR10),CIFAR10=$(CIFAR10)) $(NETWORKS_TABLE:table.py=format_table.py) $(NETWORKS_ONLY) $(ACCEPT_REASON)
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac
# Networks that are written by hand, in several formats: sim/bench/quality.json
ACCEPT_KINDS += quality
.PHONY: accept-quality
accept-quality: $(FW_BUILD)/host/digits $(FW_BUILD)/host/vad $(FP8NET) $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m sim.bench.quality --digits $< --vad $(FW_BUILD)/host/vad --clothes '$(EXAMPLE_FASHION) --all' $(ACCEPT_REASON)
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac
# MLPerf Tiny's networks are not in this repository: make networks-tiny MLPERF_TINY=folder compares their rows.
networks-tiny: $(FP8NET) $(SIM_TIMED) $(FW_RISCV_OBJECTS)
	$(Q)MLPERF_TINY=$(MLPERF_TINY) $(NETWORKS_TABLE) --tiny --check
$(BUILD)/test/networks-table.log: $(NETWORKS_INPUTS) sim/bench/networks.json $(SIM_TIMED) $(FW_RISCV_OBJECTS)
	@tests/run_test.sh networks-table $@ $(NETWORKS_TABLE) --check
TESTS += $(BUILD)/test/networks-table.log

# How many fraction bits networks need: sim/bench/widths.json, which docs/WIDTHS.md quotes. Half an hour, so it is no part of
# `make accept`.
WIDTHS_HOST := $(FW_BUILD)/host/digits $(FW_BUILD)/host/vad
WIDTHS = env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS PYTHONPATH=$(FP8NET_PATH):. $(PYTHON) -B $(NETWORKS_TEST)/widths.py \
  --digits $(FW_BUILD)/host/digits --vad $(FW_BUILD)/host/vad $(if $(CASE),--case '$(CASE)')
.PHONY: accept-widths
accept-widths: $(FP8NET) $(WIDTHS_HOST) $(BUILD)/model/fp8mac
	$(Q)$(WIDTHS) $(NETWORKS_ONLY)
	$(if $(MLPERF_TINY),$(Q)MLPERF_TINY=$(MLPERF_TINY) $(WIDTHS) --tiny $(NETWORKS_ONLY))
	@$(PYTHON) -B -m sim.bench.pages --model $(BUILD)/model/fp8mac
$(BUILD)/test/networks-widths.log: $(NETWORKS_INPUTS) sim/bench/widths.json sim/bench/widths.py $(FW_BUILD)/host/digits
	@tests/run_test.sh networks-widths $@ env PYTHONPATH=$(FP8NET_PATH):. $(PYTHON) -B $(NETWORKS_TEST)/width_check.py $(FW_BUILD)/host/digits
TESTS += $(BUILD)/test/networks-widths.log

$(BUILD)/test/networks-package.log: $(NETWORKS_TEST)/package.sh $(wildcard firmware/fp8net/*) $(NETWORKS_INPUTS)
	@tests/run_test.sh networks-package $@ $< $(abspath $(PYTHON)) $(BUILD)/networks/package $(abspath $(BUILD)/examples/package)
TESTS += $(BUILD)/test/networks-package.log
