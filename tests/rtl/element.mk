# SPDX-License-Identifier: Apache-2.0
# The elements with a window and their INT8 baseline against libfp8mac. What the parameter sets share is compiled once;
# element_build.sh does the rest, for a netlist too: `make element-bench` makes what it needs for that.

ELEMENT_DIR := $(BUILD)/tb/window
ELEMENT_COMMON := $(addprefix $(ELEMENT_DIR)/,element_tb.o static_tb.o int8_tb.o verilated.o verilated_threads.o)
ELEMENT_RTL := $(RTL_PACKAGE) rtl/element/fp8mac_element_pkg.sv $(filter rtl/feed/% rtl/element/%,$(RTL_MODULES))
# The leaves cell by cell, or the two large ones by what they mean, where cells would fill the compiler.
ELEMENT_CELLS := $(sort $(wildcard rtl/leaf/*.sv))
ELEMENT_MEANING := $(filter-out $(RTL_SIM_LEAVES:rtl/behavioural/%=rtl/leaf/%),$(ELEMENT_CELLS)) $(RTL_SIM_LEAVES)
ELEMENT_CELLS_IN := 1_25_fp32_products_all 1_0_fp32_late_all 1_0_fp16_late_all 4_13_fp16_late_all \
  fixed_1_4_13_static fixed_1_4_34_exact int8_1_1 int8_4_1
window_leaves = $(if $(filter $(1),$(ELEMENT_CELLS_IN)),$(ELEMENT_CELLS),$(ELEMENT_MEANING))
ELEMENT_CXX = $(CXX) -std=c++17 -Wall -Wextra -Imodel/include -Itests/rtl -isystem $(VERILATOR_ROOT)/include \
  -isystem $(VERILATOR_ROOT)/include/vltstd -MMD -MP

.PHONY: element-bench
element-bench: $(ELEMENT_COMMON) $(BUILD)/model/libfp8mac.a

$(ELEMENT_DIR)/%_tb.o: tests/rtl/%_tb.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(ELEMENT_CXX) -O2 -c -o $@ $<

$(ELEMENT_DIR)/verilated.o $(ELEMENT_DIR)/verilated_threads.o: $(ELEMENT_DIR)/%.o: $(VERILATOR_ROOT)/include/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(ELEMENT_CXX) -O1 -w -c -o $@ $<

-include $(ELEMENT_COMMON:.o=.d)

# One build per parameter set: lanes, fraction bits, accumulator, window, formats.
#   window     products: for all terms, of normalised operands; encoded: of operands that are not normalised;
#              late: fp8mac_element_late, whose products have a window of their own, or with one lane are exact
#   formats    all; nonan: without NaN; noinf: without e5m2; ocp: no FNUZ ones, no scaling exponent; narrow: the E4M3
#              ones, exponents of 4 bits; fixed: e4m3fn alone, no NaN, no scaling exponent
ELEMENT_SETS := \
  1_25_fp32_products_all 4_25_fp32_products_all 16_25_fp32_products_all 4_13_fp16_products_all \
  32_13_fp16_products_all 4_13_fp16_products_nonan 4_13_fp16_products_ocp \
  4_10_fp16_products_all 4_13_fp32_products_all 4_29_fp32_products_all \
  4_25_fp32_encoded_all 4_25_fp32_encoded_narrow 4_13_fp16_encoded_narrow 4_13_fp16_encoded_fixed \
  1_0_fp32_late_all 1_0_fp16_late_all 4_25_fp32_late_all 16_25_fp32_late_all 4_13_fp16_late_all 16_13_fp16_late_all \
  32_13_fp16_late_all 4_13_fp16_late_noinf 4_13_fp32_late_all 16_10_fp32_late_all 4_9_fp16_late_all

# Every pair of codes: lanes are alike, so not in every set.
ELEMENT_PAIRS_1_25_fp32_products_all := both
ELEMENT_PAIRS_4_13_fp16_products_all := both
ELEMENT_PAIRS_4_13_fp16_late_all := both
ELEMENT_PAIRS_1_0_fp32_late_all := running
ELEMENT_PAIRS_1_0_fp16_late_all := running

# A wide element's model would be longer in the optimiser than it runs.
window_optimise = $(if $(filter 16_% 32_%,$(1)),-O0,-O1)

window_word = $(word $(2),$(subst _, ,$(1)))
window_parameters_products :=
window_parameters_encoded := HIDDEN_ONE=0
window_parameters_late := LATE=1
window_parameters_all :=
window_parameters_nonan := NAN=0
window_parameters_noinf := INF=0
window_parameters_ocp := SCALE=0
window_parameters_narrow := EXP_W=4 INF=0
window_parameters_fixed := EXP_W=4 INF=0 NAN=0 SCALE=0
window_parameters = LANES=$(call window_word,$(1),1) FRAC_BITS=$(call window_word,$(1),2) \
  ACC_FP16=$(if $(findstring fp16,$(1)),1,0) $(window_parameters_$(call window_word,$(1),4)) \
  $(window_parameters_$(call window_word,$(1),5))

ELEMENT_TB := $(ELEMENT_SETS:%=$(ELEMENT_DIR)/%/element_tb)
ELEMENT_LOGS := $(ELEMENT_SETS:%=$(BUILD)/test/rtl_element_%.log)

$(ELEMENT_TB): $(ELEMENT_DIR)/%/element_tb: tests/rtl/element_build.sh tests/rtl/element_tb.sv tests/rtl/element_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call window_optimise,$*) $< $(BUILD) element_tb $@ \
	  '$(call window_parameters,$*)' $(ELEMENT_RTL) $(call window_leaves,$*) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(ELEMENT_LOGS): $(BUILD)/test/rtl_element_%.log: $(ELEMENT_DIR)/%/element_tb
	@tests/run_test.sh rtl_element_$* $@ $< $(if $(ELEMENT_PAIRS_$*),--pairs $(ELEMENT_PAIRS_$*))
TESTS += $(ELEMENT_LOGS)

# Lanes, banks, and whether there is a register behind the compressor tree.
INT8_SETS := 1_1 1_4 4_1 4_4 4_4_tree 16_4 32_4_tree
INT8_PAIRS := 1_4 4_1
INT8_TB := $(INT8_SETS:%=$(ELEMENT_DIR)/int8_%/int8_tb)
INT8_LOGS := $(INT8_SETS:%=$(BUILD)/test/rtl_int8_%.log)

$(INT8_TB): $(ELEMENT_DIR)/int8_%/int8_tb: tests/rtl/element_build.sh tests/rtl/int8_tb.sv tests/rtl/int8_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) $< $(BUILD) int8_tb $@ \
	  'LANES=$(call window_word,$*,1) BANKS=$(call window_word,$*,2)$(if $(findstring compressor tree,$*), TREE_REGISTER=1)' \
	  $(ELEMENT_RTL) $(call window_leaves,int8_$*) >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }

$(INT8_LOGS): $(BUILD)/test/rtl_int8_%.log: $(ELEMENT_DIR)/int8_%/int8_tb
	@tests/run_test.sh rtl_int8_$* $@ $< $(if $(filter $*,$(INT8_PAIRS)),--pairs)
TESTS += $(INT8_LOGS)

ELEMENT_LEAF_DIR := $(BUILD)/tb/element_leaf

$(ELEMENT_LEAF_DIR)/element_leaf_tb: tests/rtl/element_leaf_tb.cpp tests/rtl/element_leaf_tb.sv tests/rtl/tb.h \
    $(ELEMENT_CELLS) $(RTL_WAIVER)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build -Wall $(VERILATOR_FLAGS) -O3 --Mdir $(@D) \
	  -CFLAGS "-std=c++17 -Wall -Wextra -I$(CURDIR)/tests/rtl" \
	  -MAKEFLAGS '--no-print-directory OPT_FAST=-O0 OPT_GLOBAL=-O0' \
	  --top-module element_leaf_tb -o $(@F) $(RTL_WAIVER) $(ELEMENT_CELLS) tests/rtl/element_leaf_tb.sv $(abspath $<) \
	  >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }

$(BUILD)/test/rtl_element_leaf.log: $(ELEMENT_LEAF_DIR)/element_leaf_tb
	@tests/run_test.sh rtl_element_leaf $@ $<
TESTS += $(BUILD)/test/rtl_element_leaf.log
