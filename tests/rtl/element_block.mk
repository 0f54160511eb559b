# SPDX-License-Identifier: Apache-2.0
# The elements of FamilyBlock against libfp8mac, built as those of element.mk.

# KIND_fF_lL_FORMATS: FORMATS is fp32, fp16, or both for a choice at run time. _noinf has no e5m2, _mx MX scales, and
# the rows of _staggered take their operands one after the other. _b1 has one accumulator in place of four. _fpga has the
# sum for an FPGA.
BLOCK_SETS := block_f19_l16_both block_f13_l16_both block_f19_l4_both block_f19_l1_both block_f19_l32_fp32 \
  block64_f19_l16_fp32 block_f13_l16_fp16 block_f13_l4_fp16_noinf block64_f25_l32_both block_f9_l16_fp16 \
  block_f19_l16_both_mx block_f19_l1_fp32_b1_staggered block_f13_l4_both_mx_staggered block64_f19_l16_fp32_b1 \
  block_f19_l16_both_fpga block_f13_l4_both_mx_fpga
# These sets try every pair of codes. All lanes are equal, so a few sets are enough.
BLOCK_PAIRS := block_f19_l4_both
BLOCK_TB := $(BLOCK_SETS:%=$(ELEMENT_DIR)/%/block_tb)
BLOCK_LOGS := $(BLOCK_SETS:%=$(BUILD)/test/rtl_%.log)

block_length = $(if $(filter block64,$(element_words)),64,32)
block_share = $(shell echo $$(($(block_length) / $(element_lanes))))
block_parameters = LANES=$(element_lanes) BLOCK=$(block_length) SHARE=$(block_share) BANKS=$(element_banks) \
  FRAC_BITS=$(patsubst f%,%,$(filter f%,$(filter-out fp%,$(element_words)))) \
  ACC_FP32=$(if $(filter fp16,$(element_words)),0,1) ACC_FP16=$(if $(filter fp32,$(element_words)),0,1) \
  INF=$(if $(filter noinf,$(element_words)),0,1) $(if $(filter mx,$(element_words)),MX=1)

block_rtl = $(if $(filter %_fpga,$(1)),$(call rtl_for_fpga,$(ELEMENT_RTL)),$(ELEMENT_RTL))

$(BLOCK_TB): $(ELEMENT_DIR)/%/block_tb: tests/rtl/element_build.sh tests/rtl/block_tb.sv tests/rtl/block_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(RTL_FPGA_SUM) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(if $(filter $*,$(BLOCK_PAIRS)),-O1,-O0) \
	  VERILATOR_FLAGS='$(VERILATOR_FLAGS) $(if $(filter %_staggered,$*),+define+ELEMENT_STAGGERED)' $< $(BUILD) block_tb $@ \
	  '$(call block_parameters,$*)' $(call block_rtl,$*) $(ELEMENT_BEHAVIOURAL) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(BLOCK_LOGS): $(BUILD)/test/rtl_%.log: $(ELEMENT_DIR)/%/block_tb
	@tests/run_test.sh rtl_$* $@ $< $(if $(filter $*,$(BLOCK_PAIRS)),--pairs)
TESTS += $(BLOCK_LOGS)

# Every pair of significands and distances of the product for an FPGA
PRODUCT_TB := $(BUILD)/tb/placed_product/placed_product_tb
$(PRODUCT_TB): BENCH_OPTIMISE := -O1
$(PRODUCT_TB): tests/rtl/placed_product_tb.cpp tests/rtl/placed_product_tb.sv tests/rtl/tb.h $(RTL_PACKAGE) $(RTL_FPGA_SUM) \
    $(RTL_WAIVER) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Itests/rtl,,-Wall $(VERILATOR_FLAGS) -O3 --top-module placed_product_tb $(RTL_WAIVER) $(RTL_PACKAGE) \
	  $(filter-out %/fp8mac_block_sum.sv,$(RTL_FPGA_SUM)) tests/rtl/placed_product_tb.sv)

$(BUILD)/test/rtl_placed_product.log: $(PRODUCT_TB)
	@tests/run_test.sh rtl_placed_product $@ $<
TESTS += $(BUILD)/test/rtl_placed_product.log
