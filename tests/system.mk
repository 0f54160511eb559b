# SPDX-License-Identifier: Apache-2.0
# The firmware on the simulated chip and on the host. ROWS, COLS, LANES and ELEMENT choose the array of the simulator
# SIM. The host build computes as the same array, so the outputs of both are compared byte for byte.

SYS_TEST := $(BUILD)/test
SYS_RUN = $(SIM) --quiet
SYS_RISCV := $(BUILD)/firmware/riscv
SYS_HOST := $(BUILD)/firmware/host
# Arrays in which buffers, blocks and beats have different ratios of sizes.
SYS_ARRAYS := 2x2x1 8x8x4 4x16x8 16x4x2 2x32x16 32x32x2
# Every kind of element, on the host.
SYS_HOST_ELEMENTS := 8x8x4:aligned_fp32 4x4x8:aligned_fp16_f29 2x2x1:late_fp32 2x2x16:late_fp16 4x4x8:late_f13 \
  4x4x4:aligned 2x2x1:block64_f13 8x8x4:kulisch 2x2x1:int8
SYS_HOST_ELEMENTS_MORE := 4x4x4:late_fp32_f10 2x2x1:late 4x4x16:block64 4x4x16:block64_fp32 2x2x1:kulisch 4x4x16:int8

TESTS += $(patsubst %,$(SYS_TEST)/%.log,firmware-host firmware-host-faults firmware-plan firmware-san \
  firmware-san-faults firmware-arrays firmware-elements firmware-elements-faults firmware-options system-selftest system-stalls \
  system-faults system-bytes system-cxx system-variables system-setup)

$(SYS_TEST)/firmware-host.log: $(SYS_HOST)/selftest tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) FP8RT_DUMP=$(SYS_TEST)/selftest.host.bytes \
	  tests/run_test.sh firmware-host $@ $<

# Every pair of formats of A and B with every format of D
TESTS += $(SYS_TEST)/firmware-host-pairs.log
$(SYS_TEST)/firmware-host-pairs.log: $(SYS_HOST)/selftest tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh firmware-host-pairs $@ $< PAIRS=all

$(SYS_TEST)/firmware-host-faults.log: $(SYS_HOST)/faults tests/run_test.sh
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh firmware-host-faults $@ $<

# The tile commands of the planner, recorded in place of an accelerator.
SYS_PLAN_SOURCES := tests/system/plan.c $(patsubst %,firmware/src/%.c,gemm_plan gemm_desc gemm_choose gemm_estimate gemm_encode gemm_image gemm_regions gemm_run regions cache stamp element status)
$(BUILD)/system-plan/plan: $(SYS_PLAN_SOURCES) $(wildcard firmware/src/*.h firmware/port/host/*.h firmware/include/fp8rt/*.h) $(REGS_H) \
    $(CATALOGUE_H) $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -MF $@.d -Ifirmware/port/host $(CFLAGS) $(LDFLAGS) -o $@ $(SYS_PLAN_SOURCES) \
	  $(BUILD)/model/libfp8mac.a -lm

$(SYS_TEST)/firmware-plan.log: $(BUILD)/system-plan/plan tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-plan $@ $<

# The planner's tiles beside the best ones, by the model of cycles
TESTS += $(SYS_TEST)/firmware-divisions.log
SYS_DIVISIONS := tests/system/divisions.c model/cli/workload.c
$(BUILD)/system-plan/divisions: $(SYS_DIVISIONS) model/cli/workload.h $(LAYERS_A) $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CLI_FLAGS) -Imodel/cli $(CFLAGS) $(LDFLAGS) -o $@ $(SYS_DIVISIONS) $(LAYERS_A) $(BUILD)/model/libfp8mac.a \
	  -lm -pthread

$(SYS_TEST)/firmware-divisions.log: $(BUILD)/system-plan/divisions tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-divisions $@ $<

# Parts of the library alone: tables of activations and 1 / sqrt beside those of math.h, and the conversions
# in integers beside the model's; the counts of the application `recipes`.
SYS_PARTS := activation convert root tally
$(BUILD)/system-plan/activation: $(SYS_HOST)/obj/firmware/src/activation.c.o
$(BUILD)/system-plan/root: $(SYS_HOST)/obj/firmware/layers/root.c.o
$(BUILD)/system-plan/convert: $(patsubst %,$(SYS_HOST)/obj/firmware/src/%.c.o,matrix convert_fp8)
$(BUILD)/system-plan/tally: $(patsubst %,$(SYS_HOST)/obj/firmware/%.c.o,apps/recipes/tally src/matrix src/convert_fp8)
$(SYS_PARTS:%=$(BUILD)/system-plan/%): $(BUILD)/system-plan/%: tests/system/%.c $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -MF $@.d -Ifirmware/port/host $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o,$^) $(filter %.a,$^) -lm

TESTS += $(SYS_PARTS:%=$(SYS_TEST)/firmware-%.log)
$(SYS_PARTS:%=$(SYS_TEST)/firmware-%.log): $(SYS_TEST)/firmware-%.log: $(BUILD)/system-plan/% tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-$* $@ $<

$(SYS_TEST)/firmware-san.log: $(SYS_HOST)-san/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-san $@ tests/system/arrays.sh $< 2x2x1 4x4x2:kulisch

$(SYS_TEST)/firmware-san-faults.log: $(SYS_HOST)-san/faults tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-san-faults $@ tests/system/arrays.sh $< 2x2x1 4x4x16:block 4x4x2:kulisch

$(SYS_TEST)/firmware-arrays.log: $(SYS_HOST)/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-arrays $@ tests/system/arrays.sh $< $(SYS_ARRAYS)

$(SYS_TEST)/firmware-elements.log: $(SYS_HOST)/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-elements $@ tests/system/arrays.sh $< $(SYS_HOST_ELEMENTS)

TESTS += $(SYS_TEST)/firmware-elements-more.log
$(SYS_TEST)/firmware-elements-more.log: $(SYS_HOST)/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-elements-more $@ tests/system/arrays.sh $< $(SYS_HOST_ELEMENTS_MORE)

$(SYS_TEST)/firmware-elements-faults.log: $(SYS_HOST)/faults tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-elements-faults $@ tests/system/arrays.sh $< $(SYS_HOST_ELEMENTS) $(SYS_HOST_ELEMENTS_MORE)

$(SYS_TEST)/firmware-options.log: $(SYS_HOST)/gemm tests/system/gemm_options.sh tests/run_test.sh
	@tests/run_test.sh firmware-options $@ tests/system/gemm_options.sh $<

$(SYS_TEST)/system-selftest.log: $(SYS_RISCV)/selftest.elf $(SIM) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-selftest $@ $(SYS_RUN) --dump-outputs $(SYS_TEST)/selftest.chip.bytes $<

# What selftest says of faults: in the golden model's memories and paths, and in a register file
TESTS += $(SYS_TEST)/firmware-selftest-faults.log $(SYS_TEST)/firmware-selftest-bus.log
$(SYS_TEST)/firmware-selftest-faults.log: $(SYS_HOST)/selftest tests/system/selftest_faults.sh tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-selftest-faults $@ tests/system/selftest_faults.sh $<

SYS_SELFTEST_BUS := tests/system/selftest_bus.c $(patsubst %,$(SYS_HOST)/obj/firmware/%.c.o,$(patsubst %,apps/selftest/%, \
  registers events report) src/element)
$(BUILD)/system-plan/selftest_bus: $(SYS_SELFTEST_BUS) $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -MF $@.d -Ifirmware/port/host $(CFLAGS) $(LDFLAGS) -o $@ $^

$(SYS_TEST)/firmware-selftest-bus.log: $(BUILD)/system-plan/selftest_bus tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-selftest-bus $@ $<

# Convolutions that read their images in place, and the GEMMs that they stand for.
TESTS += $(patsubst %,$(SYS_TEST)/%.log,firmware-convolution system-convolution system-convolution-bytes)
$(SYS_TEST)/firmware-convolution.log: $(SYS_HOST)/convolution tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) FP8RT_DUMP=$(SYS_TEST)/convolution.host.bytes \
	  tests/run_test.sh firmware-convolution $@ $<

$(SYS_TEST)/system-convolution.log: $(SYS_RISCV)/convolution.elf $(SIM) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-convolution $@ $(SYS_RUN) --dump-outputs $(SYS_TEST)/convolution.chip.bytes $<

$(SYS_TEST)/system-convolution-bytes.log: $(SYS_TEST)/system-convolution.log $(SYS_TEST)/firmware-convolution.log \
    tests/system/equal_bytes.sh
	@tests/run_test.sh system-convolution-bytes $@ tests/system/equal_bytes.sh $(SYS_TEST)/convolution.chip.bytes \
	  $(SYS_TEST)/convolution.host.bytes

# What a program prints beside sim/bench/results.json
SYS_JUDGE = $(PYTHON) -B -m sim.bench.judge --compiler $(RISCV_PREFIX)gcc
SYS_JUDGED := $(addprefix sim/bench/,judge.py programs.py results.py results.json) tools/accept/expectations.py

# Core cycles of the digits application
TESTS += $(SYS_TEST)/system-digits-cycles.log
$(SYS_TEST)/system-digits-cycles.log: $(SYS_RISCV)/digits.elf $(SIM) tests/system/digits_cycles.sh $(SYS_JUDGED) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-digits-cycles $@ tests/system/digits_cycles.sh $(SIM) $< $(SYS_JUDGE)

# The digits with layers of the library: outputs on the chip
TESTS += $(SYS_TEST)/system-digits-layered.log
$(SYS_TEST)/system-digits-layered.log: $(SYS_HOST)/digits $(SYS_RISCV)/digits.elf $(SIM) tests/system/digits_layered.sh \
    tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-digits-layered $@ \
	  tests/system/digits_layered.sh $< $(SYS_RUN) $(SYS_RISCV)/digits.elf

# Recorded networks: bytes of the host, and cycles of a frame of keyword spotting and of a decoder's token
SYS_RECORDED := dscnn decoder
TESTS += $(SYS_RECORDED:%=$(SYS_TEST)/system-%.log)
$(SYS_RECORDED:%=$(SYS_TEST)/system-%.log): $(SYS_TEST)/system-%.log: $(SYS_HOST)/% $(SYS_RISCV)/%.elf $(SIM) \
    tests/system/recorded.sh $(SYS_JUDGED) tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-$* $@ tests/system/recorded.sh $* $< \
	  $(SIM) $(SYS_RISCV)/$*.elf $(SYS_JUDGE)

# The voice activity detector: decisions on the host, bytes and cycles on the chip
TESTS += $(SYS_TEST)/system-vad.log
$(SYS_TEST)/system-vad.log: $(SYS_HOST)/vad $(SYS_RISCV)/vad.elf $(SIM) tests/system/vad.sh $(SYS_JUDGED) tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-vad $@ tests/system/vad.sh $< \
	  $(SIM) $(SYS_RISCV)/vad.elf $(SYS_JUDGE)

# Inference works in integers.
TESTS += $(SYS_TEST)/system-integers.log
$(SYS_TEST)/system-integers.log: $(SYS_RISCV)/digits.elf $(SYS_RISCV)/vad.elf $(SIM) tests/system/integers.sh \
    tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-integers $@ tests/system/integers.sh $(SYS_RISCV) $(SYS_RUN)

TESTS += $(SYS_TEST)/firmware-vad.log
$(SYS_TEST)/firmware-vad.log: $(SYS_HOST)/vad tests/system/vad_decisions.sh sim/bench/quality.json tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh firmware-vad $@ tests/system/vad_decisions.sh $<

# Scaling recipes on outputs that drift: the same text on chip and host, and what each recipe does on the host
TESTS += $(SYS_TEST)/system-recipes.log
$(SYS_TEST)/system-recipes.log: $(SYS_HOST)/recipes $(SYS_RISCV)/recipes.elf $(SIM) \
    firmware/apps/recipes/plot.py model/NUMERICS.md tests/system/recipes.sh tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-recipes $@ tests/system/recipes.sh $< \
	  $(PYTHON) $(SYS_RUN) $(SYS_RISCV)/recipes.elf

# Element-wise commands, and GEMMs with C, stochastic rounding and tables
TESTS += $(SYS_TEST)/system-elementwise.log
$(SYS_TEST)/system-elementwise.log: $(SYS_HOST)/elementwise $(SYS_RISCV)/elementwise.elf $(SIM) \
    tests/system/elementwise.sh tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-elementwise $@ \
	  tests/system/elementwise.sh $< $(SYS_RUN) $(SYS_RISCV)/elementwise.elf

# Row commands: host, sanitizers and chip
TESTS += $(patsubst %,$(SYS_TEST)/%.log,firmware-rows firmware-san-rows system-rows)
$(SYS_TEST)/firmware-rows.log: $(SYS_HOST)/rows tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-rows $@ $<

$(SYS_TEST)/firmware-san-rows.log: $(SYS_HOST)-san/rows tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-san-rows $@ $<

$(SYS_TEST)/system-rows.log: $(SYS_HOST)/rows $(SYS_RISCV)/rows.elf $(SIM) \
    tests/system/elementwise.sh tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-rows $@ \
	  tests/system/elementwise.sh $< $(SYS_RUN) $(SYS_RISCV)/rows.elf

# What the RTL reads and writes, beside what the library cleans and invalidates. The tests run make themselves.
SYS_TOUCHED := tests/sim/test_touched.py $(wildcard tests/system/apps/touched/*) $(SIM_PYTEST_FILES) $(FW_RISCV_OBJECTS) tests/run_test.sh
SYS_TOUCHED_ELF := $(SYS_RISCV)/touched.elf
$(SYS_TEST)/system-touched.log: SYS_TOUCHED_COUNT := 8
$(SYS_TEST)/system-touched-more.log: SYS_TOUCHED_COUNT := 100 --seed 7
TESTS += $(patsubst %,$(SYS_TEST)/%.log,system-touched system-touched-more)
$(patsubst %,$(SYS_TEST)/%.log,system-touched system-touched-more): $(SYS_TOUCHED) $(SIM)
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $(SYS_TOUCHED_ELF)
	@tests/run_test.sh $(basename $(@F)) $@ $(SIM_PYTEST) --sim $(SIM) --elf $(SYS_TOUCHED_ELF) --count $(SYS_TOUCHED_COUNT)

# Random descriptors. The test runs make itself.
TESTS += $(SYS_TEST)/system-fuzz.log
$(SYS_TEST)/system-fuzz.log: tests/system/fuzz.sh $(wildcard tests/system/apps/fuzz/*) $(SIM) $(FW_RISCV_OBJECTS) \
    $(SYS_HOST)-san/selftest tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-fuzz $@ $< $$((8000 * $${RANDOM_STEPS:-1})) 20 $(SYS_RUN)

# Layers of networks: outputs of chip and host, errors on the host, plain and under the sanitizers
TESTS += $(patsubst %,$(SYS_TEST)/%.log,firmware-layers firmware-san-layers system-layers)
$(SYS_TEST)/firmware-layers.log: $(SYS_HOST)/layers tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-layers $@ $<

# Convolutions on an array of one row, whose buffers hold few rows of A
TESTS += $(SYS_TEST)/firmware-layers-row.log
$(SYS_TEST)/firmware-layers-row.log: $(SYS_HOST)/layers tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=1x4x16 tests/run_test.sh firmware-layers-row $@ $< FAMILY=convolution

# The layers on buses of other widths, by the bits of a beat
SYS_LAYERS_BUSES := 64 256
TESTS += $(SYS_LAYERS_BUSES:%=$(SYS_TEST)/firmware-layers-axi%.log)
$(SYS_LAYERS_BUSES:%=$(SYS_TEST)/firmware-layers-axi%.log): $(SYS_TEST)/firmware-layers-axi%.log: $(SYS_HOST)/layers tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_AXI_DATA_W=$* tests/run_test.sh firmware-layers-axi$* $@ $<

# Norms, softmax and attention on the core, for an accelerator without row commands
TESTS += $(SYS_TEST)/firmware-layers-core.log
$(SYS_TEST)/firmware-layers-core.log: $(SYS_HOST)/layers tests/system/layers_core.sh tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-layers-core $@ tests/system/layers_core.sh $<

$(SYS_TEST)/firmware-san-layers.log: $(SYS_HOST)-san/layers tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-san-layers $@ $<

TESTS += $(SYS_TEST)/firmware-profile.log
$(SYS_TEST)/firmware-profile.log: $(SYS_HOST)/layers tests/system/profile.sh tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-profile $@ tests/system/profile.sh $<

TESTS += $(SYS_TEST)/system-layers-all.log
# The others take most of the time; they are made of these, or of functions that the host tests.
$(SYS_TEST)/system-layers.log: SYS_LAYERS := linear mx row_scales arithmetic convolution transposed batch_norm pooling attention normalise \
  move transformer
$(SYS_TEST)/system-layers.log $(SYS_TEST)/system-layers-all.log: $(SYS_HOST)/layers $(SYS_RISCV)/layers.elf $(SIM) \
    tests/system/layers.sh tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh $(basename $(@F)) $@ tests/system/layers.sh $< '$(SYS_LAYERS)' \
	  $(SYS_RUN) $(SYS_RISCV)/layers.elf

# The accelerator's cycles of convolutions on the chip, beside the model of cycles
TESTS += $(SYS_TEST)/system-convolution-cycles.log
$(SYS_TEST)/system-convolution-cycles.log: tests/sim/test_convolutions.py $(SIM_PYTEST_FILES) $(SIM) $(SYS_RISCV)/layers.elf \
    $(BUILD)/model/fp8mac tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-convolution-cycles $@ $(SIM_PYTEST) --sim $(SIM) --elf $(SYS_RISCV)/layers.elf \
	  --tool $(BUILD)/model/fp8mac

# Lists of layers on the chip, beside the model of cycles
TESTS += $(SYS_TEST)/system-workloads.log
$(SYS_TEST)/system-workloads.log: tests/sim/test_lists.py $(SIM_PYTEST_FILES) $(wildcard sim/bench/*.py) $(SIM) $(SYS_RISCV)/gemm.elf \
    $(BUILD)/model/fp8mac tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-workloads $@ $(SIM_PYTEST) --sim $(SIM) --elf $(SYS_RISCV)/gemm.elf --tool $(BUILD)/model/fp8mac

# Totals of networks by the model of cycles, the core's constants and the networks' own parts
TESTS += $(SYS_TEST)/system-core.log
$(SYS_TEST)/system-core.log: tests/sim/test_core.py $(SIM_PYTEST_FILES) sim/bench/core.py $(SIM) $(SYS_RISCV)/digits.elf \
    $(wildcard tests/system/apps/cycles/*) $(BUILD)/model/fp8mac $(SYS_RISCV)/vad.elf $(SIM_LISTS) tests/run_test.sh
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $(SYS_RISCV)/cycles.elf
	@tests/run_test.sh system-core $@ $(SIM_PYTEST) --sim $(SIM) --elf $(SYS_RISCV)/cycles.elf --digits $(SYS_RISCV)/digits.elf \
	  --tool $(BUILD)/model/fp8mac --vad $(SYS_RISCV)/vad.elf --lists $(SIM_LISTS)

# The same outputs, whatever the bus does.
$(SYS_TEST)/system-stalls.log: $(SYS_RISCV)/selftest.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh system-stalls $@ $(SYS_RUN) --stall 300 --seed 5 --latency 20 $<

$(SYS_TEST)/system-faults.log: $(SYS_RISCV)/faults.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh system-faults $@ $(SYS_RUN) $<

$(SYS_TEST)/system-bytes.log: $(SYS_TEST)/system-selftest.log $(SYS_TEST)/firmware-host.log tests/system/equal_bytes.sh
	@tests/run_test.sh system-bytes $@ tests/system/equal_bytes.sh $(SYS_TEST)/selftest.chip.bytes \
	  $(SYS_TEST)/selftest.host.bytes

# Applications in C++, and variables that make refuses. Both tests run make themselves.
$(SYS_TEST)/system-cxx.log: tests/system/cxx.sh $(wildcard tests/system/apps/*/*) $(SIM) $(FW_RISCV_OBJECTS) \
    $(SYS_HOST)/gemm tests/run_test.sh
	@tests/run_test.sh system-cxx $@ $< $(BUILD)/system-cxx

# The installed library, used by an application outside the project.
TESTS += $(SYS_TEST)/system-install.log
SYS_STAGE = $(abspath $(BUILD))/system-install
$(SYS_TEST)/system-install.log: tests/system/install.sh $(FW_LIB_HOST) $(FW_LIB_RISCV) $(SIM) firmware/install.mk \
    tests/run_test.sh
	@rm -rf $(SYS_STAGE)
	@$(MAKE) --no-print-directory install-firmware DESTDIR= PREFIX=$(SYS_STAGE) >/dev/null
	@tests/run_test.sh system-install $@ $< $(SYS_STAGE) $(abspath $(SIM))

# Core cycles of conversions and planned runs. The test runs make itself.
# Behind system-runtime, which builds the application `deep`.
TESTS += $(SYS_TEST)/system-footprint.log
$(SYS_TEST)/system-footprint.log: tests/system/test_footprint.py tests/system/conftest.py $(addprefix sim/bench/,sizes.py sizes.json) \
    $(SYS_JUDGED) $(PYTEST_FILES) $(SIM) $(FW_RISCV_ELFS) $(SYS_TEST)/system-runtime.log
	@mkdir -p $(@D)
	@tests/run_test.sh system-footprint $@ $(PYTEST) $< --sim $(SIM) --size $(RISCV_PREFIX)size $(BENCH_RUN)

TESTS += $(SYS_TEST)/system-cycles.log
$(SYS_TEST)/system-cycles.log: tests/system/cycles.sh $(wildcard tests/system/apps/*/*) $(SIM) $(FW_RISCV_OBJECTS) \
    $(SYS_JUDGED) tests/run_test.sh
	@tests/run_test.sh system-cycles $@ $< $(SIM) $(SYS_JUDGE)

TESTS += $(SYS_TEST)/system-runtime.log
$(SYS_TEST)/system-runtime.log: tests/system/runtime.sh $(wildcard tests/system/apps/*/*) $(SIM) $(FW_RISCV_OBJECTS) \
    $(SYS_HOST)/gemm tests/run_test.sh
	@tests/run_test.sh system-runtime $@ $< $(SIM)

# Threads that share a device, with the lock of its port; the MX quantiser beside the model's recipe; integer requantisation;
# the names of arguments that do not fit
$(addprefix $(BUILD)/system-plan/,threads mx requantise misfits): $(BUILD)/system-plan/%: tests/system/%.c $(addprefix $(SYS_HOST)/obj/,$(FW_HOST_OBJECTS)) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -pthread -MF $@.d -Ifirmware/port/host $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

TESTS += $(SYS_TEST)/firmware-threads.log
TESTS += $(SYS_TEST)/firmware-mx.log
TESTS += $(SYS_TEST)/firmware-misfits.log
$(addprefix $(SYS_TEST)/firmware-,$(addsuffix .log,threads mx misfits)): $(SYS_TEST)/firmware-%.log: $(BUILD)/system-plan/% \
    tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh firmware-$* $@ $<

TESTS += $(SYS_TEST)/firmware-requantise.log
$(SYS_TEST)/firmware-requantise.log: $(BUILD)/system-plan/requantise tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=4x4x16 FP8RT_ELEMENT=int8 FP8RT_REQUANTISE=1 tests/run_test.sh firmware-requantise $@ $<

# Ports: completion functions, locks, caches, bare addresses. The test runs make itself.
TESTS += $(SYS_TEST)/system-port.log
$(SYS_TEST)/system-port.log: tests/system/app.sh $(wildcard tests/system/apps/*/*) $(SIM) $(FW_RISCV_OBJECTS) \
    $(SYS_HOST)-san/selftest tests/run_test.sh
	@tests/run_test.sh system-port $@ $< port $(SYS_RUN)

# The same programs with a core that has a cache. Addresses in a list have 32 bits, so these programs are linked at low ones.
SYS_CACHED := $(BUILD)/firmware/host-cached
SYS_CACHED_APPS := layers dscnn decoder digits vad tokens elementwise rows
SYS_CACHED_OBJECTS := $(SYS_HOST)/obj/tests/system/cached.c.o $(addprefix $(SYS_HOST)/obj/,$(filter-out \
  $(patsubst %,firmware/port/host/%.c.o,host_memory port),$(FW_HOST_OBJECTS)))
# $(1): the application.
define SYS_CACHED_APP
$(SYS_CACHED)/$(1): $$(FW_SOURCES_$(1):%=$(SYS_HOST)/obj/%.o) $(SYS_CACHED_OBJECTS) $(BUILD)/model/libfp8mac.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) -no-pie $(CFLAGS) $(LDFLAGS) -o $$@ $$^ -lm
endef
$(foreach app,$(SYS_CACHED_APPS),$(eval $(call SYS_CACHED_APP,$(app))))

# Faults in what is cleaned and invalidated, which both tests find
SYS_TOUCHED_OBJECTS := $(SYS_RISCV)/obj/tests/system/apps/touched/touched.c.o $(FW_RISCV_OBJECTS)
SYS_LAYERS_OBJECTS := $(FW_SOURCES_layers:%=$(SYS_HOST)/obj/%.o) $(SYS_CACHED_OBJECTS) $(BUILD)/model/libfp8mac.a
TESTS += $(SYS_TEST)/system-touched-faults.log
$(SYS_TEST)/system-touched-faults.log: tests/sim/test_touched_faults.py $(SYS_TOUCHED) $(SIM) $(SYS_LAYERS_OBJECTS)
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $(SYS_TOUCHED_ELF)
	@tests/run_test.sh system-touched-faults $@ $(SIM_PYTEST) --sim $(SIM) \
	  --chip '$(RISCV_PREFIX)gcc $(filter-out -MMD -MP,$(FW_RISCV_CFLAGS)) -Wno-unused' --chip-link '$(RISCV_PREFIX)gcc $(FW_RISCV_LDFLAGS) $(SYS_TOUCHED_OBJECTS)' \
	  --host '$(CC) $(filter-out -MMD -MP,$(FW_CFLAGS)) -Wno-unused -Ifirmware/port/host $(CFLAGS)' \
	  --host-link '$(CC) -no-pie $(CFLAGS) $(LDFLAGS) $(SYS_LAYERS_OBJECTS)'

TESTS += $(SYS_TEST)/firmware-cached.log
$(SYS_TEST)/firmware-cached.log: tests/system/cached.sh $(SYS_CACHED_APPS:%=$(SYS_CACHED)/%) $(SYS_CACHED_APPS:%=$(SYS_HOST)/%) \
    $(SYS_TEST)/firmware-layers.log tests/run_test.sh
	@tests/run_test.sh firmware-cached $@ $< $(SYS_HOST) $(SYS_CACHED) $(SYS_TEST)/firmware-layers.log

$(SYS_TEST)/system-variables.log: tests/system/variables.sh tools/variables.txt $(SIM) $(SYS_HOST)/gemm $(SYS_HOST)/digits \
    tests/run_test.sh
	@tests/run_test.sh system-variables $@ $<

$(SYS_TEST)/system-setup.log: tests/system/setup.sh tools/setup.sh tools/packages.txt tests/run_test.sh
	@tests/run_test.sh system-setup $@ $< $(BUILD)/system-setup

# Yosys from the cache that set-up made, and from one that is made by the test
TESTS += $(SYS_TEST)/system-yosys.log $(SYS_TEST)/system-yosys-fresh.log
$(SYS_TEST)/system-yosys-fresh.log: YOSYS_FRESH := fresh
$(SYS_TEST)/system-yosys.log $(SYS_TEST)/system-yosys-fresh.log: tests/system/yosys.sh tools/yosys_cache.sh tests/run_test.sh
	@tests/run_test.sh $(basename $(@F)) $@ $< $(abspath $(dir $(PYTHON))..) $(BUILD)/$(basename $(@F)) $(YOSYS_FRESH)

# The newest Verilator; all other tests use the one that is installed. The test runs make itself.
TESTS += $(SYS_TEST)/newest-verilator.log
$(SYS_TEST)/newest-verilator.log: tests/system/newest_verilator.sh tools/requirements-newest.txt $(SIM_INPUTS) \
    $(BUILD)/model/libfp8mac.a tests/run_test.sh
	@tests/run_test.sh newest-verilator $@ $< $(BUILD) $(BUILD)/newest

# The same programs and comparisons on small chips with other elements and other widths of the bus, as
# ROWSxCOLSxLANES-ELEMENT_SPEC-axiWIDTH, and -minimal without the functions that can be left out. A make that the test starts builds their simulators.
SYS_CHIPS := 2x2x4-late_fp16_f13-axi64 2x2x4-kulisch-axi256 2x2x4-int8-axi64 4x2x8-block64_f13-axi64 2x2x16-block64_fp32_f13-axi64 \
  2x2x4-block_f13-axi64-minimal
SYS_CHIP_FROM := $(SIM_INPUTS) $(SIM_SOURCES) $(wildcard sim/* sim/partitioned/*) $(REGS_H) $(BUILD)/model/libfp8mac.a \
  $(foreach width,64 128 256,$(call sim_chip_objects,$(width))) $(SIM_LIBRARIES)
sys_chip_word = $(word $(2),$(subst x, ,$(firstword $(subst -, ,$(1)))))
sys_chip_spec = $(word 2,$(subst -, ,$(1)))
sys_chip_axi = $(patsubst axi%,%,$(word 3,$(subst -, ,$(1))))
SYS_CHIP_TESTS := $(foreach test,selftest faults digits bytes,$(SYS_CHIPS:%=$(SYS_TEST)/system-%-$(test).log))
TESTS += $(SYS_CHIP_TESTS)

$(filter-out $(SIM_RTL),$(SYS_CHIPS:%=$(BUILD)/sim/%/fp8mac-sim)): $(BUILD)/sim/%/fp8mac-sim: $(SYS_CHIP_FROM)
	+@$(MAKE) --no-print-directory sim ROWS=$(call sys_chip_word,$*,1) COLS=$(call sys_chip_word,$*,2) \
	  LANES=$(call sys_chip_word,$*,3) ELEMENT=$(call element_name,$(call sys_chip_spec,$*)) \
	  FRAC_BITS=$(call element_bits,$(call sys_chip_spec,$*)) AXI_DATA_W=$(call sys_chip_axi,$*) \
	  MINIMAL=$(words $(filter minimal,$(subst -, ,$*)))

# What the RTL reads and writes on the accelerator that requantises, whose simulator another make builds
SYS_TOUCHED_INT8 := $(BUILD)/sim/4x4x16-int8-requantise/fp8mac-sim
ifneq ($(SYS_TOUCHED_INT8),$(SIM_RTL))
$(SYS_TOUCHED_INT8): $(SYS_CHIP_FROM)
	+@$(MAKE) --no-print-directory sim ELEMENT=int8 REQUANTISE=1 ROWS=4 COLS=4 LANES=16
endif
TESTS += $(SYS_TEST)/system-touched-requantise.log
$(SYS_TEST)/system-touched-requantise.log: $(SYS_TOUCHED) $(SYS_TOUCHED_INT8)
	@mkdir -p $(@D)
	@$(MAKE) --no-print-directory APPS_DIR=tests/system/apps $(SYS_TOUCHED_ELF)
	@tests/run_test.sh system-touched-requantise $@ $(SIM_PYTEST) --sim $(SYS_TOUCHED_INT8) --elf $(SYS_TOUCHED_ELF) --count 60

$(SYS_CHIPS:%=$(SYS_TEST)/system-%-selftest.log): $(SYS_TEST)/system-%-selftest.log: $(SYS_RISCV)/selftest.elf \
    $(BUILD)/sim/%/fp8mac-sim tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-$*-selftest $@ $(BUILD)/sim/$*/fp8mac-sim --quiet --stall 100 --seed 3 \
	  --dump-outputs $(SYS_TEST)/$*.chip.bytes $<

$(SYS_CHIPS:%=$(SYS_TEST)/system-%-faults.log): $(SYS_TEST)/system-%-faults.log: $(SYS_RISCV)/faults.elf \
    $(BUILD)/sim/%/fp8mac-sim tests/run_test.sh
	@tests/run_test.sh system-$*-faults $@ $(BUILD)/sim/$*/fp8mac-sim --quiet $<

$(SYS_CHIPS:%=$(SYS_TEST)/system-%-digits.log): $(SYS_TEST)/system-%-digits.log: $(SYS_RISCV)/digits.elf \
    $(BUILD)/sim/%/fp8mac-sim tests/system/digits.sh tests/run_test.sh
	@tests/run_test.sh system-$*-digits $@ tests/system/digits.sh $(BUILD)/sim/$*/fp8mac-sim --quiet $<

$(SYS_CHIPS:%=$(SYS_TEST)/system-%-bytes.log): $(SYS_TEST)/system-%-bytes.log: $(SYS_TEST)/system-%-selftest.log \
    $(SYS_HOST)/selftest tests/system/equal_bytes.sh tests/run_test.sh
	@FP8RT_ARRAY=$(firstword $(subst -, ,$*)) FP8RT_ELEMENT=$(call sys_chip_spec,$*) \
	  FP8RT_AXI_DATA_W=$(call sys_chip_axi,$*) FP8RT_MINIMAL=$(words $(filter minimal,$(subst -, ,$*))) \
	  FP8RT_DUMP=$(SYS_TEST)/$*.host.bytes $(SYS_HOST)/selftest >$(SYS_TEST)/$*.host.out
	@tests/run_test.sh system-$*-bytes $@ tests/system/equal_bytes.sh $(SYS_TEST)/$*.chip.bytes \
	  $(SYS_TEST)/$*.host.bytes

include tests/system/cortex-m/build.mk
