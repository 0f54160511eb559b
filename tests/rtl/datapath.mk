# SPDX-License-Identifier: Apache-2.0
# The element and the array against libfp8mac.

DATAPATH_RTL := $(RTL_PACKAGE) rtl/fp8mac_decode.sv $(sort $(wildcard rtl/fp8mac_pe*.sv)) rtl/fp8mac_array.sv
DATAPATH_LIB := $(BUILD)/model/libfp8mac.a
DATAPATH_FROM := $(DATAPATH_RTL) $(RTL_WAIVER) $(DATAPATH_LIB) tests/rtl/tb.h tests/rtl/dot_steps.h
DATAPATH_VERILATE = $(VERILATOR) --cc --exe --build --assert -Wall -O3 --x-assign fast --x-initial fast \
  --Mdir $(@D) -CFLAGS "-std=c++17 -O2 -Wall -Wextra -I$(CURDIR)/model/include -I$(CURDIR)/tests/rtl" \
  -LDFLAGS $(abspath $(DATAPATH_LIB)) -MAKEFLAGS "--no-print-directory OPT_FAST=-O2" $(RTL_WAIVER) $(DATAPATH_RTL)

$(BUILD)/tb/pe/pe_tb: tests/rtl/pe_tb.cpp tests/rtl/pe_tb.sv $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(DATAPATH_VERILATE) --top-module pe_tb -o $(@F) tests/rtl/pe_tb.sv $(abspath $<) >$(@D)/build.log \
	  || { cat $(@D)/build.log; exit 1; }

$(BUILD)/test/rtl_pe.log: $(BUILD)/tb/pe/pe_tb
	@tests/run_test.sh rtl_pe $@ $<
TESTS += $(BUILD)/test/rtl_pe.log

# One build per parameter set: rows, columns, lanes, slots down, slots across.
ARRAY_TB_SETS := 8_8_4_2_2 4_4_1_2_2 2_4_16_3_1 3_5_2_2_3
array_tb_word = $(word $(2),$(subst _, ,$(1)))
ARRAY_TB_LOGS := $(ARRAY_TB_SETS:%=$(BUILD)/test/rtl_array_%.log)

$(ARRAY_TB_SETS:%=$(BUILD)/tb/array_%/array_tb): $(BUILD)/tb/array_%/array_tb: tests/rtl/array_tb.cpp $(DATAPATH_FROM)
	@mkdir -p $(@D)
	$(DATAPATH_VERILATE) --top-module fp8mac_array -o $(@F) \
	  -GROWS=$(call array_tb_word,$*,1) -GCOLS=$(call array_tb_word,$*,2) -GLANES=$(call array_tb_word,$*,3) \
	  -GSLOTS_M=$(call array_tb_word,$*,4) -GSLOTS_N=$(call array_tb_word,$*,5) \
	  -CFLAGS "-DROWS=$(call array_tb_word,$*,1) -DCOLS=$(call array_tb_word,$*,2) -DLANES=$(call array_tb_word,$*,3)" \
	  -CFLAGS "-DSLOTS_M=$(call array_tb_word,$*,4) -DSLOTS_N=$(call array_tb_word,$*,5)" $(abspath $<) >$(@D)/build.log \
	  || { cat $(@D)/build.log; exit 1; }

$(ARRAY_TB_LOGS): $(BUILD)/test/rtl_array_%.log: $(BUILD)/tb/array_%/array_tb
	@tests/run_test.sh rtl_array_$* $@ $<
TESTS += $(ARRAY_TB_LOGS)
