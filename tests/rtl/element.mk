# SPDX-License-Identifier: Apache-2.0
# The elements of FamilyAligned and FamilyLate and their INT8 baseline against libfp8mac. What the parameter sets share
# is compiled once. element_build.sh builds the rest of a bench, from the RTL or from a netlist. `make element-bench`
# makes what it needs for a netlist.

ELEMENT_DIR := $(BUILD)/tb/element
ELEMENT_COMMON := $(addprefix $(ELEMENT_DIR)/,element_tb.o static_tb.o block_tb.o int8_tb.o) $(VERILATED)
ELEMENT_RTL := $(RTL_ARRAY_PACKAGES) $(filter rtl/feed/% rtl/element/%,$(RTL_MODULES))
# Benches take the structural leaves, or behavioural forms of the two large ones, whose cells compile for minutes.
ELEMENT_CELLS := $(sort $(wildcard rtl/leaf/*.sv))
ELEMENT_BEHAVIOURAL := $(filter-out $(RTL_SIM_LEAVES:rtl/behavioural/%=rtl/leaf/%),$(ELEMENT_CELLS)) $(RTL_SIM_LEAVES)
ELEMENT_CELLS_IN := aligned_fp32_f25_l1_all late_fp32_l1_all late_fp16_l1_all late_fp16_f13_l4_all \
  static_f13_l1 kulisch_l1 int8_l1_b1 int8_l4_b1
element_leaves = $(if $(filter $(1),$(ELEMENT_CELLS_IN)),$(ELEMENT_CELLS),$(ELEMENT_BEHAVIOURAL))
ELEMENT_CXX = $(CXX) -std=c++17 -Wall -Wextra -Imodel/include -Itests/rtl -isystem $(VERILATOR_ROOT)/include \
  -isystem $(VERILATOR_ROOT)/include/vltstd -MMD -MP

.PHONY: element-bench
element-bench: $(ELEMENT_COMMON) $(BUILD)/model/libfp8mac.a

$(ELEMENT_DIR)/%_tb.o: tests/rtl/%_tb.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(ELEMENT_CXX) -O2 -c -o $@ $<

-include $(wildcard $(ELEMENT_DIR)/*_tb.d)

# One build per parameter set, named KIND_fF_lL_FORMATS, with _encoded behind it if operands are not normalised. A set
# without an alignment window has no _fF.
#   FORMATS    all      all four formats                  ocp      without the FNUZ formats and scaling exponents
#              nonan    without NaN                       narrow   the E4M3 formats, exponents of 4 bits
#              noinf    without e5m2                      e4m3fn   that format alone, without NaN and scaling exponents
ELEMENT_SETS := \
  aligned_fp32_f25_l1_all aligned_fp32_f25_l4_all aligned_fp32_f25_l16_all aligned_fp16_f13_l4_all \
  aligned_fp16_f13_l32_all aligned_fp16_f13_l4_nonan aligned_fp16_f13_l4_ocp \
  aligned_fp16_f10_l4_all aligned_fp32_f23_l4_all aligned_fp32_f29_l4_all \
  aligned_fp32_f25_l4_all_encoded aligned_fp32_f25_l4_narrow_encoded aligned_fp16_f13_l4_narrow_encoded \
  aligned_fp16_f13_l4_e4m3fn_encoded \
  late_fp32_l1_all late_fp16_l1_all late_fp32_f25_l4_all late_fp32_f25_l16_all late_fp16_f13_l4_all \
  late_fp16_f13_l16_all late_fp16_f13_l32_all late_fp16_f13_l4_noinf late_fp32_f13_l4_all late_fp32_f10_l16_all \
  late_fp16_f9_l4_all \
  aligned_f25_l1_all aligned_f23_l4_all aligned_f25_l16_all aligned_f29_l4_noinf \
  late_l1_all late_f13_l4_all late_f25_l16_all late_f9_l4_nonan late_f29_l32_all

# These sets try every pair of codes. All lanes are equal, so a few sets are enough.
ELEMENT_PAIRS_aligned_fp32_f25_l1_all := both
ELEMENT_PAIRS_aligned_fp16_f13_l4_all := both
ELEMENT_PAIRS_late_fp16_f13_l4_all := both
ELEMENT_PAIRS_late_fp32_l1_all := running
ELEMENT_PAIRS_late_fp16_l1_all := running
ELEMENT_PAIRS_aligned_f23_l4_all := both
ELEMENT_PAIRS_late_f13_l4_all := both
ELEMENT_PAIRS_late_l1_all := running

# Only benches that try every pair of codes run long enough for the optimiser to save time.
element_optimise = $(if $(ELEMENT_PAIRS_$(1))$(filter $(1),$(STATIC_PAIRS) $(INT8_PAIRS)),-O1,-O0)

# A set's lanes, banks and fraction bits, from its name. Without them it has 4 banks and the kind's own fraction bits.
element_words = $(subst _, ,$(1))
element_lanes = $(patsubst l%,%,$(filter l1 l4 l16 l32,$(element_words)))
element_banks = $(or $(patsubst b%,%,$(filter b1,$(element_words))),4)
element_set_bits = $(patsubst f%,%,$(filter f9 f10 f13 f23 f25 f29,$(element_words)))
element_set_kind = $(lastword $(sort $(foreach e,$(ELEMENTS),$(if $(filter $(e)_%,$(1)),$(e)))))
element_formats_nonan := NAN=0
element_formats_noinf := INF=0
element_formats_ocp := SCALE=0
element_formats_narrow := EXP_W=4 INF=0
element_formats_e4m3fn := EXP_W=4 INF=0 NAN=0 SCALE=0
element_set_parameters = ELEMENT=$(element_number_$(element_set_kind)) LANES=$(element_lanes) \
  FRAC_BITS=$(or $(element_set_bits),$(element_rtl_frac_bits_$(element_set_kind)),0)
element_tb_parameters = $(element_set_parameters) $(if $(filter encoded,$(element_words)),HIDDEN_ONE=0) \
  $(foreach word,$(element_words),$(element_formats_$(word)))

ELEMENT_TB := $(ELEMENT_SETS:%=$(ELEMENT_DIR)/%/element_tb)
ELEMENT_LOGS := $(ELEMENT_SETS:%=$(BUILD)/test/rtl_%.log)

$(ELEMENT_TB): $(ELEMENT_DIR)/%/element_tb: tests/rtl/element_build.sh tests/rtl/element_tb.sv \
    tests/rtl/element_dut.cpp tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call element_optimise,$*) $< $(BUILD) element_tb $@ \
	  '$(call element_tb_parameters,$*)' $(ELEMENT_RTL) $(call element_leaves,$*) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(ELEMENT_LOGS): $(BUILD)/test/rtl_%.log: $(ELEMENT_DIR)/%/element_tb
	@tests/run_test.sh rtl_$* $@ $< $(if $(ELEMENT_PAIRS_$*),--pairs $(ELEMENT_PAIRS_$*))
TESTS += $(ELEMENT_LOGS)

# int8_lL, _b1 with one bank instead of four, _tree with a register behind the compressor tree.
INT8_SETS := int8_l1_b1 int8_l1 int8_l4_b1 int8_l4 int8_l4_tree int8_l16 int8_l32_tree
INT8_PAIRS := int8_l1 int8_l4_b1
INT8_TB := $(INT8_SETS:%=$(ELEMENT_DIR)/%/int8_tb)
INT8_LOGS := $(INT8_SETS:%=$(BUILD)/test/rtl_%.log)

$(INT8_TB): $(ELEMENT_DIR)/%/int8_tb: tests/rtl/element_build.sh tests/rtl/int8_tb.sv tests/rtl/int8_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call element_optimise,$*) $< $(BUILD) int8_tb $@ \
	  'LANES=$(call element_lanes,$*) BANKS=$(call element_banks,$*)$(if $(filter %_tree,$*), TREE_REGISTER=1)' \
	  $(ELEMENT_RTL) $(call element_leaves,$*) >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }

$(INT8_LOGS): $(BUILD)/test/rtl_%.log: $(ELEMENT_DIR)/%/int8_tb
	@tests/run_test.sh rtl_$* $@ $< $(if $(filter $*,$(INT8_PAIRS)),--pairs)
TESTS += $(INT8_LOGS)

ELEMENT_LEAF_DIR := $(BUILD)/tb/element_leaf

$(ELEMENT_LEAF_DIR)/element_leaf_tb: BENCH_OPTIMISE := -O0
$(ELEMENT_LEAF_DIR)/element_leaf_tb: tests/rtl/element_leaf_tb.cpp tests/rtl/element_leaf_tb.sv tests/rtl/tb.h \
    $(ELEMENT_CELLS) $(RTL_WAIVER) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Itests/rtl,,-Wall $(VERILATOR_FLAGS) -O3 --top-module element_leaf_tb $(RTL_WAIVER) \
	  $(ELEMENT_CELLS) tests/rtl/element_leaf_tb.sv)

$(BUILD)/test/rtl_element_leaf.log: $(ELEMENT_LEAF_DIR)/element_leaf_tb
	@tests/run_test.sh rtl_element_leaf $@ $<
TESTS += $(BUILD)/test/rtl_element_leaf.log
