# SPDX-License-Identifier: Apache-2.0
# The element and the array against libfp8mac.

DATAPATH_RTL := $(RTL_ARRAY_PACKAGES) $(filter rtl/leaf/% rtl/feed/% rtl/element/% rtl/array/%,$(RTL_MODULES))
DATAPATH_LIB := $(BUILD)/model/libfp8mac.a
# Of the cells that the other kinds of elements are made of, the two large leaves are simulated as what they mean.
DATAPATH_FAST_RTL := $(filter-out $(RTL_SIM_LEAVES:rtl/behavioural/%=rtl/leaf/%),$(DATAPATH_RTL)) $(RTL_SIM_LEAVES)
DATAPATH_FROM := $(DATAPATH_RTL) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(DATAPATH_LIB) tests/rtl/tb.h tests/rtl/dot_steps.h
DATAPATH_VERILATE = $(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build --assert -Wall -O3 --x-assign fast --x-initial fast \
  --Mdir $(@D) -CFLAGS "-std=c++17 -O2 -Wall -Wextra -I$(CURDIR)/model/include -I$(CURDIR)/tests/rtl" \
  -LDFLAGS $(abspath $(DATAPATH_LIB)) -MAKEFLAGS "--no-print-directory OPT_FAST=-O2" $(RTL_WAIVER)

$(BUILD)/tb/pe/exact_tb: tests/rtl/exact_tb.cpp tests/rtl/exact_tb.sv $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(DATAPATH_VERILATE) $(DATAPATH_RTL) --top-module exact_tb -o $(@F) tests/rtl/exact_tb.sv $(abspath $<) >$(@D)/build.log \
	  || { cat $(@D)/build.log; exit 1; }

$(BUILD)/test/rtl_exact.log: $(BUILD)/tb/pe/exact_tb
	@tests/run_test.sh rtl_exact $@ $<
TESTS += $(BUILD)/test/rtl_exact.log

# One build per parameter set: rows, columns, lanes, banks down, banks across; the kind of element, exact unless it is
# said, and its fraction bits.
ARRAY_TB_SETS := 8_8_4_2_2 4_4_1_2_2 2_4_16_3_1 3_5_2_2_3 \
  3_2_4_2_2_fp32_25 2_3_16_4_1_fp32_29 3_2_1_2_2_fp32_23 2_3_4_2_2_fp16_13 5_3_2_1_4_fp16_10 \
  3_2_4_2_2_latefp32_25 2_3_8_1_4_latefp32_13 2_3_1_4_1_latefp32_25 3_2_8_4_1_latefp16_13 3_2_1_2_2_latefp16_13 \
  3_2_4_2_2_static_13 2_3_8_4_1_static_25 3_2_4_2_2_kulisch_34 2_1_16_4_1_kulisch_34 4_4_4_2_2_int8 2_3_16_4_1_int8
array_tb_word = $(word $(2),$(subst _, ,$(1)))
array_tb_element_ := 0
array_tb_element_fp32 := 1
array_tb_element_fp16 := 2
array_tb_element_kulisch := 3
array_tb_element_int8 := 4
array_tb_element_latefp32 := 5
array_tb_element_latefp16 := 6
array_tb_element_static := 7
array_tb_element = $(array_tb_element_$(call array_tb_word,$(1),6))
array_tb_frac_bits = $(or $(call array_tb_word,$(1),7),25)
ARRAY_TB_LOGS := $(ARRAY_TB_SETS:%=$(BUILD)/test/rtl_array_%.log)

$(ARRAY_TB_SETS:%=$(BUILD)/tb/array_%/array_tb): $(BUILD)/tb/array_%/array_tb: tests/rtl/array_tb.cpp $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(DATAPATH_VERILATE) $(DATAPATH_FAST_RTL) --top-module fp8mac_array -o $(@F) \
	  -GROWS=$(call array_tb_word,$*,1) -GCOLS=$(call array_tb_word,$*,2) -GLANES=$(call array_tb_word,$*,3) \
	  -GBANKS_M=$(call array_tb_word,$*,4) -GBANKS_N=$(call array_tb_word,$*,5) -GELEMENT=$(call array_tb_element,$*) \
	  -GFRAC_BITS=$(call array_tb_frac_bits,$*) \
	  -CFLAGS "-DROWS=$(call array_tb_word,$*,1) -DCOLS=$(call array_tb_word,$*,2) -DLANES=$(call array_tb_word,$*,3)" \
	  -CFLAGS "-DBANKS_M=$(call array_tb_word,$*,4) -DBANKS_N=$(call array_tb_word,$*,5)" \
	  -CFLAGS "-DELEMENT=$(call array_tb_element,$*) -DFRAC_BITS=$(call array_tb_frac_bits,$*)" $(abspath $<) \
	  >$(@D)/build.log || { cat $(@D)/build.log; exit 1; }

$(ARRAY_TB_LOGS): $(BUILD)/test/rtl_array_%.log: $(BUILD)/tb/array_%/array_tb
	@tests/run_test.sh rtl_array_$* $@ $<
TESTS += $(ARRAY_TB_LOGS)
