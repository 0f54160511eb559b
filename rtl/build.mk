# SPDX-License-Identifier: Apache-2.0
# The register files, generated from rtl/regs/fp8mac.rdl; the list of the accelerator's sources; lint.

# Files that are generated from the catalogue of elements. `make` includes its fragment before everything else.
CATALOGUE_SV := $(CATALOGUE_DIR)/fp8mac_catalogue_pkg.sv
CATALOGUE_RDL := $(CATALOGUE_DIR)/element_kind.rdl

RDL := rtl/regs/fp8mac.rdl
PEAKRDL := $(dir $(PYTHON))peakrdl
REGS_DIR := $(BUILD)/regs
REGS_SV := $(REGS_DIR)/fp8mac_regs_pkg.sv $(REGS_DIR)/fp8mac_regs.sv
# The command, of its registers or its descriptor
COMMAND_SV := $(REGS_DIR)/fp8mac_command_pkg.sv
REGS_H := $(REGS_DIR)/fp8mac_regs.h
# What software may expect of each register, for the application `selftest`.
REGS_LIST := $(REGS_DIR)/fp8mac_regs_list.h
# The project's version number, for the register RELEASE.
VERSION_H := model/include/fp8mac/version.h
RDL_DEFINES = $(shell sed -n 's/^.define \(FP8MAC_VERSION_[A-Z]*\) \([0-9]*\)$$/-D \1=\2/p' $(VERSION_H))
RDL_OPTIONS = -I $(CATALOGUE_DIR) $(RDL_DEFINES)

# Packages first; the order of modules is free.
RTL_PACKAGE := rtl/fp8mac_codes_pkg.sv rtl/fp8mac_pkg.sv
RTL_ARRAY_PACKAGES := $(RTL_PACKAGE) $(CATALOGUE_SV) rtl/element/fp8mac_element_pkg.sv
RTL_GENERATED := $(CATALOGUE_SV) $(REGS_SV) $(COMMAND_SV)
RTL_PACKAGES := $(RTL_ARRAY_PACKAGES) $(REGS_DIR)/fp8mac_regs_pkg.sv $(COMMAND_SV) rtl/accel/fp8mac_cmd_pkg.sv rtl/accel/fp8mac_accel_pkg.sv \
  rtl/epilogue/fp8mac_rows_pkg.sv
RTL_ELEMENT_FOLDERS := $(patsubst %/,%,$(wildcard rtl/element/*/))
RTL_FOLDERS := rtl/leaf rtl/feed rtl/element $(RTL_ELEMENT_FOLDERS) rtl/array rtl/epilogue rtl/accel
RTL_MODULES := $(filter-out $(RTL_PACKAGES),$(sort $(wildcard $(RTL_FOLDERS:%=%/*.sv))))
RTL_SOURCES := $(RTL_PACKAGES) $(filter-out $(RTL_PACKAGES),$(REGS_SV)) $(RTL_MODULES)
# Benches of elements and arrays take behavioural forms of the two largest leaves, whose cells compile for minutes.
# The test rtl_element_leaf compares both. Simulations of the accelerator take more behavioural forms, because they run
# for longer. The benches of elements, arrays and the epilogue check the cells in their place.
RTL_SIM_LEAVES := rtl/behavioural/fp8mac_align_shift.sv rtl/behavioural/fp8mac_compressor_tree.sv
RTL_CHIP_LEAVES := $(RTL_SIM_LEAVES) $(patsubst %,rtl/behavioural/fp8mac_%.sv,adder maximum fp32_product)
RTL_SIM_SOURCES := $(filter-out $(addprefix %/,$(notdir $(RTL_CHIP_LEAVES))),$(RTL_SOURCES)) $(RTL_CHIP_LEAVES)
# For an FPGA: a DSP block aligns each product. The module has the name and the bits of the one that it replaces.
RTL_FPGA_SUM := rtl/fpga/fp8mac_block_sum.sv rtl/fpga/fp8mac_placed_product.sv rtl/fpga/fp8mac_operand_place.sv
rtl_for_fpga = $(filter-out rtl/element/block/fp8mac_block_sum.sv,$(1)) $(RTL_FPGA_SUM)
RTL_WAIVER := rtl/lint/verilator_waiver.vlt
# Parameters of fp8mac_accel that leave out a function where they are 0
MINIMAL_FUNCTIONS := IMAGES DEPTHWISE ELEMENTWISE ADD_C STOCHASTIC TABLES MX ROW_COMMANDS RECORDS

# CONFIG behind what MINIMAL=1 says, so that CONFIG may give a function back
ACCEL_CONFIG = $(strip $(if $(filter 1,$(MINIMAL)),$(MINIMAL_FUNCTIONS:%=%=0)) $(call SYNTH_GIVEN,CONFIG))

.PHONY: rtl rtl-sources rtl-functions rtl-release regs
rtl: $(RTL_SOURCES)
# For other build systems (tools/fusesoc_rtl.py): the sources in the order of compilation, and the registers' C header; the functions that
# can be left out.
rtl-sources: $(RTL_SOURCES) $(REGS_H)
	@echo $^
rtl-functions:
	@echo $(MINIMAL_FUNCTIONS)
# The accelerator as one plain Verilog file: $(BUILD)/rtl-release/SPELLING/fp8mac_accel.v. CONFIG has parameters that are
# no variables of make.
RELEASE_DIR := $(BUILD)/rtl-release
RELEASE_FROM := $(RTL_SOURCES) $(wildcard synth/flow/*.py) $(addprefix synth/study/,release.py memories.py accel.py)
release_bits = $(if $(1), FRAC_BITS=$(1))
# $(1): rows, $(2): columns, $(3): lanes, $(4): bits of a beat, $(5): the element's spelling, $(6): what CONFIG has,
# $(7): 1 for the minimal accelerator
rtl_release = $(PYTHON) -B -m synth release --build $(BUILD) --out $(RELEASE_DIR) \
  --name $(1)x$(2)x$(3)-$(5)$(if $(filter-out 128,$(4)),-axi$(4))$(if $(filter 1,$(7)),-minimal) --more '$(6)' \
  $(if $(filter 1,$(7)),--minimal '$(MINIMAL_FUNCTIONS)') \
  --config 'ROWS=$(1) COLS=$(2) LANES=$(3) AXI_DATA_W=$(4) ELEMENT=$(call element_name,$(5))$(call release_bits,$(call element_bits,$(5)))'
rtl-release: $(RELEASE_FROM)
	@$(call rtl_release,$(ROWS),$(COLS),$(LANES),$(AXI_DATA_W),$(ELEMENT_SPEC),$(call SYNTH_GIVEN,CONFIG),$(MINIMAL))
regs: $(REGS_SV) $(REGS_H) command-c
# The command for C is kept in the model, and the codes that the array knows in rtl. A test compares them with the register map.
.PHONY: command-c
command-c: | $(CATALOGUE_RDL) $(VERSION_H)
	$(call say,COMMAND,model)
	$(Q)$(PYTHON) -B rtl/regs/command_c.py $(RDL_OPTIONS) -o model $(RDL)
	$(Q)$(PYTHON) -B rtl/regs/command_package.py $(RDL_OPTIONS) -o rtl/fp8mac_codes_pkg.sv $(RDL)

$(REGS_SV) &: $(RDL) $(CATALOGUE_RDL) $(VERSION_H)
	@mkdir -p $(REGS_DIR)
	$(call say,PEAKRDL,$(REGS_SV))
	$(Q)$(PEAKRDL) regblock $(RDL_OPTIONS) $< --cpuif apb4-flat --addr-width 12 --default-reset rst_n --type-style hier \
	  --err-if-bad-addr -o $(REGS_DIR)
	@touch $(REGS_SV)

$(REGS_H): $(RDL) $(CATALOGUE_RDL) $(VERSION_H)
	@mkdir -p $(REGS_DIR)
	$(call say,PEAKRDL,$@)
	$(Q)$(PEAKRDL) c-header $(RDL_OPTIONS) $< --std gnu11 --type-style hier -o $@

$(COMMAND_SV): rtl/regs/command_package.py rtl/regs/register_map.py $(RDL) $(CATALOGUE_RDL) $(VERSION_H)
	@mkdir -p $(REGS_DIR)
	$(call say,COMMAND,$@)
	$(Q)$(PYTHON) -B $< $(RDL_OPTIONS) -o $@ $(RDL)

$(REGS_LIST): rtl/regs/register_list.py rtl/regs/register_map.py $(RDL) $(CATALOGUE_RDL) $(VERSION_H)
	@mkdir -p $(REGS_DIR)
	$(call say,REGISTERS,$@)
	$(Q)$(PYTHON) -B $< $(RDL_OPTIONS) -o $@ $(RDL)

# One lint run per parameter set, written as ROWS_COLS_LANES_AXIWIDTH_ELEMENT; of the array alone,
# ROWS_COLS_LANES_ELEMENT.
LINT_SETS := 8_8_4_128_exact 4_4_1_64_exact 4_2_8_128_block_f19 8_4_16_256_block_f19 \
  $(ROWS)_$(COLS)_$(LANES)_128_$(ELEMENT_SPEC)
LINT_SETS_ELEMENT := 4_4_1_64_late_fp32 4_4_4_128_late_fp16 4_4_4_128_aligned_fp32 2_4_16_128_aligned_fp32 \
  4_4_4_128_aligned_fp16 2_4_1_128_aligned_fp16 4_4_4_128_kulisch 4_4_4_128_late 2_4_4_128_aligned \
  2_4_16_128_int8 4_4_8_128_block64_f19 4_4_16_128_block64_fp32_f13
LINT_SETS_ARRAY := 3_4_1_block_f9 6_2_4_block_f29 4_4_4_int8 2_3_16_int8 4_4_4_late_fp32 3_2_1_late_fp32 \
  2_3_16_late_fp16 2_3_1_late 2_3_4_late_f13 3_2_4_aligned 4_4_4_static 2_3_16_static 4_2_16_block64_f13
LINT_STAMPS := $(sort $(LINT_SETS:%=$(BUILD)/lint/%.ok) $(LINT_SETS_ELEMENT:%=$(BUILD)/lint/%.ok))
LINT_STAMPS_ARRAY := $(LINT_SETS_ARRAY:%=$(BUILD)/lint/array_%.ok)
lint_word = $(word $(2),$(subst _, ,$(1)))
# The element's name from word $(2) on, as Verilator's parameters.
lint_element = $(call element_parameters,$(subst $(space),_,$(wordlist $(2),9,$(subst _, ,$(1)))))

LINT_MINIMAL := $(BUILD)/lint/minimal.ok
LINT_REQUANTISE := $(BUILD)/lint/requantise.ok
lint: $(LINT_STAMPS) $(LINT_STAMPS_ARRAY) $(LINT_MINIMAL) $(LINT_REQUANTISE)

$(LINT_REQUANTISE): $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_accel that requantises)
	$(Q)$(VERILATOR) --lint-only -Wall --assert --top-module fp8mac_accel $(call element_parameters,int8) "-GREQUANTISE=1'b1" $^
	@touch $@

# The default accelerator without the functions that can be left out
$(LINT_MINIMAL): $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_accel minimal)
	$(Q)$(VERILATOR) --lint-only -Wall --assert --top-module fp8mac_accel $(MINIMAL_FUNCTIONS:%=-G%=0) $^
	@touch $@

# The accelerator has dozens of compressor trees, whose cells would take minutes. Arrays are linted with the cells.
$(LINT_STAMPS): $(BUILD)/lint/%.ok: $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_accel $*)
	$(Q)$(VERILATOR) --lint-only -Wall --assert --top-module fp8mac_accel -GROWS=$(call lint_word,$*,1) \
	  -GCOLS=$(call lint_word,$*,2) -GLANES=$(call lint_word,$*,3) -GAXI_DATA_W=$(call lint_word,$*,4) \
	  $(call lint_element,$*,5) $^
	@touch $@

$(LINT_STAMPS_ARRAY): $(BUILD)/lint/array_%.ok: $(RTL_WAIVER) $(RTL_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_array $*)
	$(Q)$(VERILATOR) --lint-only -Wall --assert --top-module fp8mac_array -GROWS=$(call lint_word,$*,1) \
	  -GCOLS=$(call lint_word,$*,2) -GLANES=$(call lint_word,$*,3) \
	  $(call lint_element,$*,4) $^
	@touch $@
