# SPDX-License-Identifier: Apache-2.0
# The model from Python, the shell and SystemVerilog.

BINDINGS_TESTS := tests/bindings
TESTS += $(BUILD)/test/bindings_cli.log $(BUILD)/test/bindings_cycles.log $(BUILD)/test/bindings_python.log
BINDINGS_PYTEST_FILES := $(PYTEST_FILES) $(BINDINGS_TESTS)/conftest.py tests/model/checks.py

# The tool with sanitizers in it; the one that is installed for commands of many steps
BINDINGS_CLI := $(addprefix $(BINDINGS_TESTS)/,test_cli.py test_cli_refusals.py)
$(BUILD)/test/bindings_cli.log: $(BINDINGS_CLI) $(BINDINGS_TESTS)/tool.py $(BUILD)/model-san/fp8mac $(BUILD)/model/fp8mac \
  $(BUILD)/model/fp8mac.1 $(BINDINGS_PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh bindings_cli $@ $(PYTEST) $(BINDINGS_CLI) --build $(BUILD) --folder $(BUILD)/bindings/cli

$(BUILD)/test/bindings_cycles.log: $(BINDINGS_TESTS)/test_cycles.py $(BUILD)/model-san/fp8mac $(BUILD)/model/fp8mac \
  sim/bench/results.json $(BINDINGS_PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh bindings_cycles $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/bindings/cycles

TESTS += $(BUILD)/test/bindings_plan.log
$(BUILD)/test/bindings_plan.log: $(BINDINGS_TESTS)/test_plan.py $(BUILD)/model/fp8mac $(BUILD)/model/fp8mac-plan \
  $(wildcard synth/results/a*.json model/plan/* model/plan/networks/*) docs/PLAN.md synth/study/shape_areas.py $(BINDINGS_PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh bindings_plan $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/bindings/plan

$(BUILD)/test/bindings_python.log: $(BINDINGS_TESTS)/python.sh $(BINDINGS_TESTS)/cc_unoptimised.sh $(wildcard $(BINDINGS_TESTS)/test_python*.py) $(BINDINGS_TESTS)/python_values.py $(BINDINGS_TESTS)/typed.py \
  $(BINDINGS_PYTEST_FILES) $(MODEL_SOURCES) $(MODEL_HEADERS) $(wildcard model/python/* model/python/fp8mac/* model/cli/settings.* model/cli/workload.*) $(CLI_LIBRARY) tests/run_test.sh
	@tests/run_test.sh bindings_python $@ $< $(PYTHON) $(BUILD)/bindings/python

# PyTorch is in the environment of the benchmark, if anywhere. Without it, the test prints that its part is skipped. The
# package is in the environment of bindings_python, and pytest in that of the build.
TORCH_PYTHON = $(firstword $(wildcard $(BUILD)/bench-venv/bin/python) $(PYTHON))
TESTS += $(BUILD)/test/bindings_torch.log
$(BUILD)/test/bindings_torch.log: $(BINDINGS_TESTS)/test_torch.py $(BINDINGS_PYTEST_FILES) $(BUILD)/test/bindings_python.log
	@packages() { $$1 -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }; \
	  PYTHONPATH=$$(packages $(BUILD)/bindings/python/bin/python):$$(packages $(PYTHON)) \
	  tests/run_test.sh bindings_torch $@ $(subst $(PYTHON),$(TORCH_PYTHON),$(PYTEST)) $<

# The DPI package as a scoreboard of rtl/element/exact/fp8mac_element_exact.sv.
DPI_SOURCES := model/dpi/fp8mac_dpi.c model/cli/settings.c
DPI_OBJECTS := $(patsubst %.c,$(BUILD)/model/dpi/%.o,$(notdir $(DPI_SOURCES)))
DPI_RTL := rtl/fp8mac_codes_pkg.sv rtl/fp8mac_pkg.sv \
  rtl/feed/fp8mac_decode.sv rtl/leaf/fp8mac_round_even.sv $(wildcard rtl/element/exact/*.sv)
DPI_EXAMPLE := $(BUILD)/tb/dpi/element_scoreboard

$(DPI_OBJECTS): $(BUILD)/model/dpi/%.o: $(DPI_SOURCES) $(MODEL_HEADERS) model/cli/settings.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) -Imodel/cli $(CFLAGS) -c -o $@ $(filter %/$*.c,$^)

$(DPI_EXAMPLE): model/dpi/fp8mac_dpi_pkg.sv model/dpi/example/element_scoreboard.sv $(DPI_RTL) $(DPI_OBJECTS) \
  $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D) && rm -f $@
	$(call say,VERILATE,$@)
	$(Q)MAKEFLAGS= $(VERILATOR) --binary --assert -Wno-WIDTH --Mdir $(@D) --top-module element_scoreboard -o $(@F) \
	  -LDFLAGS "$(abspath $(DPI_OBJECTS) $(BUILD)/model/libfp8mac.a) -pthread" -MAKEFLAGS "--no-print-directory" \
	  $(RTL_WAIVER) $(DPI_RTL) $(filter model/dpi/%.sv,$^) >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }

# make dpi-example: the model as a SystemVerilog scoreboard of the exact element.
.PHONY: dpi-example
dpi-example: $(DPI_EXAMPLE)
	@$<

TESTS += $(BUILD)/test/bindings_dpi.log
$(BUILD)/test/bindings_dpi.log: $(BINDINGS_TESTS)/dpi.sh $(DPI_EXAMPLE) tests/run_test.sh
	@tests/run_test.sh bindings_dpi $@ $< $(DPI_EXAMPLE)

# Mutated inputs to the library and to the tool, under the sanitizers. `make fuzz` takes FUZZ_CASES of them, with
# libFuzzer where clang and its run-time library are installed.
FUZZ_CASES := 100000
CLANG := $(firstword $(foreach name,clang clang-19 clang-16 clang-15 clang-14,$(shell command -v $(name))))
FUZZ_CLI := $(filter-out %/main.o,$(CLI_SAN_OBJECTS)) $(LAYERS_SAN_A)
FUZZ_FLAGS = $(CLI_FLAGS) -Imodel/cli -Wl,--wrap=fopen

$(BUILD)/model-san/fuzz: $(BINDINGS_TESTS)/fuzz.c $(FUZZ_CLI) $(BUILD)/model-san/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(FUZZ_FLAGS) $(SANITIZE_FLAGS) $(CFLAGS) -o $@ $^ -lm -pthread

TESTS += $(BUILD)/test/bindings_fuzz.log
$(BUILD)/test/bindings_fuzz.log: $(BUILD)/model-san/fuzz tests/run_test.sh
	@tests/run_test.sh bindings_fuzz $@ $< $(FUZZ_CASES)
TESTS += $(BUILD)/test/bindings_fuzz_long.log
$(BUILD)/test/bindings_fuzz_long.log: $(BUILD)/model-san/fuzz tests/run_test.sh
	@tests/run_test.sh bindings_fuzz_long $@ $< $$((20 * $(FUZZ_CASES))) 2

.PHONY: fuzz libfuzz
fuzz: $(BUILD)/model-san/fuzz
	@$(if $(DRY_RUN),: )if [ -e "$$($(or $(CLANG),false) -print-file-name=libclang_rt.fuzzer-$$(uname -m).a 2>/dev/null)" ]; then \
	  $(MAKE) --no-print-directory libfuzz; else $< $(FUZZ_CASES); fi

libfuzz: $(BUILD)/model-san/libfuzz
	@mkdir -p $(BUILD)/fuzz/corpus
	$< -runs=$(FUZZ_CASES) -max_len=2000 -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/corpus

$(BUILD)/model-san/libfuzz: $(BINDINGS_TESTS)/fuzz.c $(MODEL_SOURCES) $(filter-out %/main.c,$(CLI_SOURCES)) $(CLI_LIBRARY) $(MODEL_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) -std=c11 -O1 -g $(filter -I%,$(CLI_FLAGS)) -Imodel/cli \
	  -DFUZZ_WITH_LIBFUZZER -Wl,--wrap=fopen -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o $@ \
	  $(filter %.c,$^) -lm -pthread

# Converting every float32 to the four FP8 formats takes minutes. `make test` takes every 127th million of patterns.
$(BUILD)/model/all_float32: $(BINDINGS_TESTS)/all_float32.c $(BUILD)/model/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) $(CFLAGS) -o $@ $^ -pthread

TESTS += $(BUILD)/test/bindings_float32.log
$(BUILD)/test/bindings_float32.log: $(BUILD)/model/all_float32 tests/run_test.sh
	@tests/run_test.sh bindings_float32 $@ $< 1 127

TESTS += $(BUILD)/test/bindings_all_float32.log
$(BUILD)/test/bindings_all_float32.log: $(BUILD)/model/all_float32 tests/run_test.sh
	@tests/run_test.sh bindings_all_float32 $@ $< $$(nproc)
