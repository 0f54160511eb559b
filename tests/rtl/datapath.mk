# SPDX-License-Identifier: Apache-2.0
# The element and the array against libfp8mac.

DATAPATH_RTL := $(RTL_ARRAY_PACKAGES) $(filter rtl/leaf/% rtl/feed/% rtl/element/% rtl/array/%,$(RTL_MODULES))
DATAPATH_LIB := $(BUILD)/model/libfp8mac.a
# The two large leaves of the other kinds of elements are simulated by their behavioural descriptions.
DATAPATH_FAST_RTL := $(filter-out $(RTL_SIM_LEAVES:rtl/behavioural/%=rtl/leaf/%),$(DATAPATH_RTL)) $(RTL_SIM_LEAVES)
DATAPATH_FROM := $(DATAPATH_RTL) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(DATAPATH_LIB) tests/rtl/tb.h tests/rtl/dot_steps.h \
  $(VERILATED)
DATAPATH_CXXFLAGS := -Imodel/include -Itests/rtl
DATAPATH_VERILATOR := --assert -Wall -O3 --x-assign fast --x-initial fast $(RTL_WAIVER)

# This bench runs 22 million checks.
$(BUILD)/tb/pe/exact_tb: BENCH_OPTIMISE := -O2
$(BUILD)/tb/pe/exact_tb: tests/rtl/exact_tb.cpp tests/rtl/exact_tb.sv $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,$(DATAPATH_CXXFLAGS),$(DATAPATH_LIB),$(DATAPATH_VERILATOR) --top-module exact_tb $(DATAPATH_RTL) \
	  tests/rtl/exact_tb.sv)

$(BUILD)/test/rtl_exact.log: $(BUILD)/tb/pe/exact_tb
	@tests/run_test.sh rtl_exact $@ $<
TESTS += $(BUILD)/test/rtl_exact.log

$(BUILD)/tb/readout/readout_tb: BENCH_OPTIMISE := -O0
$(BUILD)/tb/readout/readout_tb: tests/rtl/readout_tb.cpp tests/rtl/readout_tb.sv tests/rtl/tb.h $(DATAPATH_RTL) \
    $(RTL_WAIVER) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Itests/rtl,,-Wall -O3 --top-module readout_tb $(RTL_WAIVER) $(RTL_ARRAY_PACKAGES) \
	  rtl/array/fp8mac_readout.sv rtl/array/fp8mac_readout_integer.sv rtl/leaf/fp8mac_round_even.sv \
	  rtl/element/shared/fp8mac_acc_pattern.sv tests/rtl/readout_tb.sv)

$(BUILD)/test/rtl_readout.log: $(BUILD)/tb/readout/readout_tb
	@tests/run_test.sh rtl_readout $@ $<
TESTS += $(BUILD)/test/rtl_readout.log

# One build per parameter set: rows, columns, lanes, tiles, and the element's spelling.
ARRAY_TB_SETS := 2_3_16_8_block_f19 4_4_16_8_block_f19 8_2_8_5_block_f13 2_3_32_6_block_f19 6_2_4_7_block_f29 3_4_1_4_block_f9 \
  4_4_16_8_block64_f19 6_2_4_7_block64_f13 4_2_16_5_block64_fp32_f13 \
  8_8_4_5_exact 4_4_1_6_exact 2_4_16_7_exact 3_5_2_4_exact \
  3_2_4_8_aligned_fp32_f25 2_3_16_4_aligned_fp32_f29 3_2_1_5_aligned_fp32_f23 2_3_4_8_aligned_fp16_f13 \
  5_3_2_6_aligned_fp16_f10 \
  3_2_4_8_late_f25 2_3_1_5_late 2_3_8_4_late_f13 3_2_4_8_aligned_f25 2_3_8_4_aligned_f23 \
  3_2_4_8_late_fp32_f25 2_3_8_4_late_fp32_f13 2_3_1_5_late_fp32 3_2_8_6_late_fp16_f13 3_2_1_4_late_fp16 \
  3_2_4_8_static_f13 2_3_8_5_static_f25 3_2_4_6_kulisch 2_1_16_4_kulisch 4_4_4_8_int8 2_3_16_5_int8
array_tb_word = $(word $(2),$(subst _, ,$(1)))
array_tb_element = $(subst $(space),_,$(wordlist 5,9,$(subst _, ,$(1))))
# The kind `block` has MX scales, but for one of its sets.
array_tb_mx = $(if $(findstring _block_,$(filter-out 3_4_1_4_%,$(1))),1,0)
ARRAY_TB_LOGS := $(ARRAY_TB_SETS:%=$(BUILD)/test/rtl_array_%.log)

# $(1): the RTL; $(2): further flags of C++; $(3): further objects.
array_tb_verilate = $(call verilate_bench,$(DATAPATH_CXXFLAGS) -I$(CATALOGUE_DIR) $(2) $(call array_tb_defines,$*),\
  $(3) $(DATAPATH_LIB),$(DATAPATH_VERILATOR) --top-module array_tb $(call array_tb_parameters,$*) $(1) tests/rtl/array_tb.sv)
array_tb_parameters = -GROWS=$(call array_tb_word,$(1),1) -GCOLS=$(call array_tb_word,$(1),2) -GLANES=$(call array_tb_word,$(1),3) \
  -GTILES=$(call array_tb_word,$(1),4) "-GMX=1'b$(call array_tb_mx,$(1))" $(call element_parameters,$(call array_tb_element,$(1)))
array_tb_defines = -DROWS=$(call array_tb_word,$(1),1) -DCOLS=$(call array_tb_word,$(1),2) \
  -DLANES=$(call array_tb_word,$(1),3) -DTILES=$(call array_tb_word,$(1),4) -DMX=$(call array_tb_mx,$(1)) \
  $(call element_defines,$(call array_tb_element,$(1)))
# These benches run for seconds.
$(BUILD)/tb/array_%: BENCH_OPTIMISE := -O0

$(ARRAY_TB_SETS:%=$(BUILD)/tb/array_%/array_tb): $(BUILD)/tb/array_%/array_tb: tests/rtl/array_tb.cpp $(wildcard tests/rtl/array_*.h) \
    tests/rtl/array_tb.sv $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call array_tb_verilate,$(DATAPATH_FAST_RTL))

$(ARRAY_TB_LOGS): $(BUILD)/test/rtl_array_%.log: $(BUILD)/tb/array_%/array_tb
	@tests/run_test.sh rtl_array_$* $@ $<
TESTS += $(ARRAY_TB_LOGS)
