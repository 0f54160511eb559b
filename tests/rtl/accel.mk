# SPDX-License-Identifier: Apache-2.0
# The whole accelerator against libfp8mac. One build per parameter set, ROWS_COLS_LANES_AXIWIDTH_ELEMENT, with the
# element's spelling (tools/array.mk). Those that end with `_minimal` have no function that can be left out, and those that
# end with `_requantise` the integer requantiser.

# Sets with one row have addresses of 40 bits.
ACCEL_TB_SETS := 1_2_16_128_block_f13 2_1_4_64_late_fp16_f13 4_4_16_128_block_f19 2_2_4_64_block_f13 4_4_16_256_block_f19 4_4_1_64_exact 8_8_4_128_exact \
  4_4_4_128_aligned_fp32_f25 4_2_8_128_late_fp16_f13 4_4_1_64_late_fp32 2_2_4_128_kulisch \
  2_2_8_128_late_f13 2_4_4_64_aligned_f25 2_2_4_64_int8 2_2_4_64_int8_requantise 4_4_16_128_int8_requantise 2_2_4_64_block_f13_minimal 4_4_16_128_block64_f13 2_2_8_64_block64_f19 2_2_16_64_block64_fp32_f13 \
  4_8_32_128_block_f19 2_4_32_128_block_f13 4_4_8_128_block_f19 2_16_4_64_late_fp16_f13 2_2_16_64_block_f13
ACCEL_TB_LIB := $(BUILD)/model/libfp8mac.a
ACCEL_TB_FROM := tests/rtl/accel_tb.cpp $(wildcard tests/rtl/accel_*.h tests/rtl/axi_*.h) tests/rtl/tb.h \
  $(RTL_SIM_SOURCES) $(RTL_WAIVER) $(REGS_H) $(ACCEL_TB_LIB) $(VERILATED)
ACCEL_TB_BENCHES := $(ACCEL_TB_SETS:%=$(BUILD)/tb/accel_%/accel_tb)
# The bench's oracle has no depthwise commands that are requantised: that set is for cycles alone.
ACCEL_TB_LOGS := $(patsubst %,$(BUILD)/test/rtl_accel_%.log,$(filter-out 4_4_16_128_int8_requantise,$(ACCEL_TB_SETS)))
accel_tb_word = $(word $(2),$(subst _, ,$(1)))
# The default array has its accumulator memory. The others have a smaller one, which small commands fill.
accel_tb_tiles = $(if $(filter 4_4_16_%,$(1)),256,64)
# One set has tile commands of the most rows and columns, more than row commands take.
accel_tb_max_mn = $(if $(filter 4_4_1_64_exact,$(1)),1024,128)
accel_tb_addr = $(if $(filter 1_%,$(1)),40,32)
# Identifier, PROT, CACHE and QOS of the bursts: the defaults in the default array, others in the others. The sets that
# `make test` runs have each combination of secure and privileged.
accel_tb_prot = $(if $(filter 1_%,$(1)),3,$(if $(filter %_int8,$(1)),2,5))
accel_tb_attributes = $(if $(filter 4_4_16_128_%,$(1)),0 0 3 0,$(if $(filter 4_%,$(1)),15 2 12 1,9 $(call accel_tb_prot,$(1)) 10 11))
accel_tb_attribute = $(word $(2),$(call accel_tb_attributes,$(1)))
accel_tb_parameters = -GROWS=$(call accel_tb_word,$(1),1) -GCOLS=$(call accel_tb_word,$(1),2) \
  -GLANES=$(call accel_tb_word,$(1),3) -GAXI_DATA_W=$(call accel_tb_word,$(1),4) -GAXI_ADDR_W=$(call accel_tb_addr,$(1)) \
  -GTILES=$(call accel_tb_tiles,$(1)) -GMAX_MN=$(call accel_tb_max_mn,$(1)) $(call element_parameters,$(accel_tb_element)) -GAXI_ID=$(call accel_tb_attribute,$(1),1) "-GAXI_PROT=3'd$(call accel_tb_attribute,$(1),2)" \
  "-GAXI_CACHE=4'd$(call accel_tb_attribute,$(1),3)" "-GAXI_QOS=4'd$(call accel_tb_attribute,$(1),4)" \
  $(if $(accel_tb_minimal),$(MINIMAL_FUNCTIONS:%=-G%=0)) $(if $(accel_tb_requantise),"-GREQUANTISE=1'b1")
accel_tb_defines = -DROWS=$(call accel_tb_word,$(1),1) -DCOLS=$(call accel_tb_word,$(1),2) \
  -DLANES=$(call accel_tb_word,$(1),3) -DAXI_DATA_W=$(call accel_tb_word,$(1),4) -DTILES=$(call accel_tb_tiles,$(1)) -DMAX_MN=$(call accel_tb_max_mn,$(1)) \
  $(call element_defines,$(accel_tb_element)) -DAXI_ID=$(call accel_tb_attribute,$(1),1) -DAXI_PROT=$(call accel_tb_attribute,$(1),2) \
  -DAXI_CACHE=$(call accel_tb_attribute,$(1),3) -DAXI_QOS=$(call accel_tb_attribute,$(1),4) \
  -DMINIMAL=$(if $(accel_tb_minimal),1,0) -DREQUANTISE=$(if $(accel_tb_requantise),1,0)
accel_tb_element = $(subst $(space),_,$(wordlist 5,9,$(subst _, ,$(patsubst %_requantise,%,$(*:%_minimal=%)))))
# Verilator 5.006 does not build assertions of the array where what they see has more than some words.
accel_tb_assert = $(if $(filter 4_8_32_% 2_16_%,$*),,--assert)
accel_tb_minimal = $(filter %_minimal,$(1))
accel_tb_requantise = $(filter %_requantise,$(1))

$(ACCEL_TB_BENCHES): $(BUILD)/tb/accel_%/accel_tb: $(ACCEL_TB_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Imodel/include -Itests/rtl -I$(REGS_DIR) -I$(CATALOGUE_DIR) \
	  $(call accel_tb_defines,$*),$(ACCEL_TB_LIB),$(accel_tb_assert) -O3 --x-assign fast --x-initial unique --top-module fp8mac_accel \
	  $(call accel_tb_parameters,$*) $(RTL_WAIVER) $(RTL_SIM_SOURCES))

# The bench reads the recorded cycles of row commands.
$(ACCEL_TB_LOGS): $(BUILD)/test/rtl_accel_%.log: $(BUILD)/tb/accel_%/accel_tb sim/bench/row_commands.json
	@tests/run_test.sh rtl_accel_$* $@ $< --batches $$((40 * $${RANDOM_STEPS:-1}))
TESTS += $(ACCEL_TB_LOGS)

$(BUILD)/test/rtl_accel_parameters.log: PARAMETERS_OF := accel
$(BUILD)/test/rtl_unknown_kinds.log: PARAMETERS_OF := kinds
$(BUILD)/test/rtl_accel_parameters.log $(BUILD)/test/rtl_unknown_kinds.log: tests/rtl/accel_parameters.sh $(RTL_SIM_SOURCES) \
    $(RTL_WAIVER)
	@tests/run_test.sh $(basename $(@F)) $@ $< $(PARAMETERS_OF) $(VERILATOR) $(BUILD)/tb/$(basename $(@F)) $(RTL_WAIVER) \
	  $(RTL_SIM_SOURCES)
TESTS += $(BUILD)/test/rtl_accel_parameters.log $(BUILD)/test/rtl_unknown_kinds.log

# Cycles against the model's. The commands have every function of the accelerator.
CYCLES_TB_LOGS := $(ACCEL_TB_SETS:%=$(BUILD)/test/rtl_cycles_%.log)
CYCLES_TB_LONG := $(BUILD)/test/rtl_cycles_long.log
$(CYCLES_TB_LOGS): $(BUILD)/test/rtl_cycles_%.log: $(BUILD)/tb/accel_%/accel_tb
	@tests/run_test.sh rtl_cycles_$* $@ $< --cycles --batches $$((120 * $${RANDOM_STEPS:-1}))
$(CYCLES_TB_LONG): $(BUILD)/tb/accel_4_4_16_128_block_f19/accel_tb
	@tests/run_test.sh $(basename $(@F)) $@ $< --cycles --seed 2 --batches 4000
TESTS += $(CYCLES_TB_LOGS) $(CYCLES_TB_LONG)

# Row commands alone, in more batches
ROWS_TB_LOGS := $(patsubst %,$(BUILD)/test/rtl_rows_%.log,4_4_16_128_block_f19 4_4_16_256_block_f19 4_4_1_64_exact)
$(ROWS_TB_LOGS): $(BUILD)/test/rtl_rows_%.log: $(BUILD)/tb/accel_%/accel_tb sim/bench/row_commands.json
	@tests/run_test.sh rtl_rows_$* $@ $< --rows --batches $$((200 * $${RANDOM_STEPS:-1}))
TESTS += $(ROWS_TB_LOGS)

# The same bench with seeded faults in the RTL, of which each run chooses one
FAULTS_TB := $(BUILD)/tb/accel_faults_4_4_16_128_block_f19
FAULTS_TB_RTL := rtl/epilogue/fp8mac_rows.sv $(patsubst %,rtl/accel/fp8mac_%.sv,table_load write_out cmd_walk)
$(FAULTS_TB)/accel_tb: $(BUILD)/tb/accel_faults_%/accel_tb: $(ACCEL_TB_FROM) tests/rtl/faults.py
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)$(PYTHON) -B tests/rtl/faults.py $(@D)/rtl $(FAULTS_TB_RTL)
	$(call verilate_bench,-Imodel/include -Itests/rtl -I$(REGS_DIR) -I$(CATALOGUE_DIR) \
	  $(call accel_tb_defines,$*),$(ACCEL_TB_LIB),--assert -O3 --x-assign fast --x-initial unique --top-module fp8mac_accel \
	  $(call accel_tb_parameters,$*) $(RTL_WAIVER) $(foreach file,$(RTL_SIM_SOURCES),$(if $(filter \
	  $(file),$(FAULTS_TB_RTL)),$(@D)/rtl/$(notdir $(file)),$(file))))

$(BUILD)/test/rtl_faults.log: tests/rtl/test_faults.py $(FAULTS_TB)/accel_tb tests/rtl/faults.py $(PYTEST_FILES)
	@tests/run_test.sh rtl_faults $@ $(PYTEST) $< --bench $(FAULTS_TB)/accel_tb
TESTS += $(BUILD)/test/rtl_faults.log
