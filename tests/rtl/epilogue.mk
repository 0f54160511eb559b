# SPDX-License-Identifier: Apache-2.0
# The epilogue and its leaves against libfp8mac and the host's floats.

EPILOGUE_TOP := rtl/epilogue/fp8mac_epilogue.sv
EPILOGUE_LEAVES := $(patsubst %,rtl/leaf/fp8mac_%.sv,round_even booth_product full_adder half_adder clock_gate) \
  $(filter-out $(EPILOGUE_TOP),$(sort $(wildcard rtl/epilogue/*.sv)))
EPILOGUE_TREE := rtl/leaf/fp8mac_compressor_tree.sv
EPILOGUE_LIB := $(BUILD)/model/libfp8mac.a
# The host's floats are the oracle, so the compiler must follow IEEE 754 exactly.
EPILOGUE_CXXFLAGS := -std=c++17 -Wall -Wextra -ffp-contract=off -I$(CURDIR)/model/include -I$(CURDIR)/tests/rtl
EPILOGUE_VERILATE = $(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build --assert -Wall -O3 --prefix V$(1) --top-module $(1) \
  --Mdir $(@D) -CFLAGS "$(EPILOGUE_CXXFLAGS)" -LDFLAGS $(abspath $(EPILOGUE_LIB)) \
  -MAKEFLAGS '--no-print-directory OPT_FAST=-O2'

$(BUILD)/tb/fp32/fp32_tb: tests/rtl/fp32_tb.cpp tests/rtl/fp32_tb_top.sv tests/rtl/tb.h $(RTL_PACKAGE) \
    $(EPILOGUE_LEAVES) $(EPILOGUE_TREE) $(RTL_WAIVER) $(EPILOGUE_LIB)
	@mkdir -p $(@D) && rm -f $@
	$(call say,VERILATOR,$@)
	$(call EPILOGUE_VERILATE,fp32_tb_top) -o $(@F) $(RTL_WAIVER) $(RTL_PACKAGE) $(EPILOGUE_LEAVES) \
	  $(EPILOGUE_TREE) tests/rtl/fp32_tb_top.sv $(abspath $<) >$(@D)/build.log || { cat $(@D)/build.log; exit 1; }

$(BUILD)/test/rtl_fp32.log: $(BUILD)/tb/fp32/fp32_tb
	@tests/run_test.sh rtl_fp32 $@ $<
TESTS += $(BUILD)/test/rtl_fp32.log

# WIDTH_COLS
EPILOGUE_WIDTHS := 1_1 8_4
epilogue_word = $(word $(2),$(subst _, ,$(1)))
# Two dozen multipliers: the synthesis tool's cells would take minutes to compile.
EPILOGUE_FAST_TREE := rtl/behavioural/fp8mac_compressor_tree.sv
EPILOGUE_BENCHES := $(EPILOGUE_WIDTHS:%=$(BUILD)/tb/epilogue_%/epilogue_tb)
EPILOGUE_LOGS := $(EPILOGUE_WIDTHS:%=$(BUILD)/test/rtl_epilogue_%.log)

$(EPILOGUE_BENCHES): $(BUILD)/tb/epilogue_%/epilogue_tb: tests/rtl/epilogue_tb.cpp tests/rtl/tb.h $(RTL_PACKAGE) \
    $(EPILOGUE_LEAVES) $(EPILOGUE_FAST_TREE) $(EPILOGUE_TOP) $(RTL_WAIVER) $(EPILOGUE_LIB)
	@mkdir -p $(@D) && rm -f $@
	$(call say,VERILATOR,$@)
	$(call EPILOGUE_VERILATE,fp8mac_epilogue) -GWIDTH=$(call epilogue_word,$*,1) -GCOLS=$(call epilogue_word,$*,2) \
	  -GMETA_W=32 -GROW_STEP=2 -CFLAGS "-DWIDTH=$(call epilogue_word,$*,1) -DCOLS=$(call epilogue_word,$*,2) -DROW_STEP=2" -o $(@F) $(RTL_WAIVER) \
	  $(RTL_PACKAGE) $(EPILOGUE_LEAVES) $(EPILOGUE_FAST_TREE) $(EPILOGUE_TOP) $(abspath $<) >$(@D)/build.log \
	  || { cat $(@D)/build.log; exit 1; }

$(EPILOGUE_LOGS): $(BUILD)/test/rtl_epilogue_%.log: $(BUILD)/tb/epilogue_%/epilogue_tb
	@tests/run_test.sh rtl_epilogue_$* $@ $<
TESTS += $(EPILOGUE_LOGS)
