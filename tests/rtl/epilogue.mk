# SPDX-License-Identifier: Apache-2.0
# The epilogue and its leaves against libfp8mac and the host's floats.

EPILOGUE_TOP := rtl/epilogue/fp8mac_epilogue.sv
EPILOGUE_LEAVES := $(patsubst %,rtl/leaf/fp8mac_%.sv,round_even digit_product mux_n fill_n full_adder half_adder clock_gate two_port_ram) \
  rtl/epilogue/fp8mac_rows_pkg.sv $(filter-out $(EPILOGUE_TOP) %_pkg.sv,$(sort $(wildcard rtl/epilogue/*.sv)))
EPILOGUE_TREE := $(patsubst %,rtl/leaf/fp8mac_%.sv,adder compressor_tree)
EPILOGUE_LIB := $(BUILD)/model/libfp8mac.a
# The host's floats are the oracle, so the compiler must follow IEEE 754 exactly.
# $(1): flags of C++; $(2): Verilator's arguments, with the leaves.
epilogue_verilate = $(call verilate_bench,-ffp-contract=off -Imodel/include -Itests/rtl $(1),$(EPILOGUE_LIB),\
  --assert -Wall -O3 $(RTL_WAIVER) $(RTL_PACKAGE) $(2))

# This bench runs for a minute in make test-long.
$(BUILD)/tb/fp32/fp32_tb: BENCH_OPTIMISE := -O1
$(BUILD)/tb/fp32/fp32_tb: tests/rtl/fp32_tb.cpp tests/rtl/fp32_tb_top.sv tests/rtl/tb.h $(RTL_PACKAGE) \
    $(EPILOGUE_LEAVES) $(EPILOGUE_TREE) $(RTL_WAIVER) $(EPILOGUE_LIB) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call epilogue_verilate,,--top-module fp32_tb_top $(EPILOGUE_LEAVES) $(EPILOGUE_TREE) tests/rtl/fp32_tb_top.sv)

$(BUILD)/test/rtl_fp32.log: $(BUILD)/tb/fp32/fp32_tb
	@tests/run_test.sh rtl_fp32 $@ $< --pairs $$((600000 * $${RANDOM_STEPS:-1})) \
	  --every $$(($${RANDOM_STEPS:-1} > 1))
TESTS += $(BUILD)/test/rtl_fp32.log

# WIDTH_COLS
EPILOGUE_WIDTHS := 1_1 8_4
epilogue_word = $(word $(2),$(subst _, ,$(1)))
# Two dozen multipliers: their cells, which rtl_fp32 checks, would take minutes to compile.
EPILOGUE_FAST_TREE := $(patsubst %,rtl/behavioural/fp8mac_%.sv,adder compressor_tree)
EPILOGUE_CHIP_LEAVES := $(filter-out rtl/epilogue/fp8mac_fp32_product.sv,$(EPILOGUE_LEAVES)) rtl/behavioural/fp8mac_fp32_product.sv
EPILOGUE_BENCHES := $(EPILOGUE_WIDTHS:%=$(BUILD)/tb/epilogue_%/epilogue_tb)
EPILOGUE_LOGS := $(EPILOGUE_WIDTHS:%=$(BUILD)/test/rtl_epilogue_%.log)

$(EPILOGUE_BENCHES): $(BUILD)/tb/epilogue_%/epilogue_tb: tests/rtl/epilogue_tb.cpp tests/rtl/tb.h $(RTL_PACKAGE) \
    $(EPILOGUE_CHIP_LEAVES) $(EPILOGUE_FAST_TREE) $(EPILOGUE_TOP) $(RTL_WAIVER) $(EPILOGUE_LIB) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call epilogue_verilate,-DWIDTH=$(call epilogue_word,$*,1) -DCOLS=$(call epilogue_word,$*,2) -DROW_STEP=2,\
	  --top-module fp8mac_epilogue -GWIDTH=$(call epilogue_word,$*,1) -GCOLS=$(call epilogue_word,$*,2) -GMETA_W=32 \
	  -GROW_STEP=2 $(EPILOGUE_CHIP_LEAVES) $(EPILOGUE_FAST_TREE) $(EPILOGUE_TOP))

$(EPILOGUE_LOGS): $(BUILD)/test/rtl_epilogue_%.log: $(BUILD)/tb/epilogue_%/epilogue_tb
	@tests/run_test.sh rtl_epilogue_$* $@ $<
TESTS += $(EPILOGUE_LOGS)

# The integer requantiser: eight products, so the tree is the behavioural one here too
REQUANTISE_RTL := $(RTL_PACKAGE) $(EPILOGUE_FAST_TREE) \
  $(patsubst %,rtl/leaf/fp8mac_%.sv,digit_product mux_n fill_n clock_gate) \
  $(patsubst %,rtl/epilogue/fp8mac_%.sv,requantise_product requantise)
$(BUILD)/tb/requantise/requantise_tb: tests/rtl/requantise_tb.cpp tests/rtl/tb.h $(REQUANTISE_RTL) $(RTL_WAIVER) \
    $(EPILOGUE_LIB) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Imodel/include -Itests/rtl,$(EPILOGUE_LIB),--assert -Wall -O3 --top-module fp8mac_requantise \
	  $(RTL_WAIVER) $(REQUANTISE_RTL))

$(BUILD)/test/rtl_requantise.log: $(BUILD)/tb/requantise/requantise_tb
	@tests/run_test.sh rtl_requantise $@ $< --phases $$((2000 * $${RANDOM_STEPS:-1}))
TESTS += $(BUILD)/test/rtl_requantise.log
