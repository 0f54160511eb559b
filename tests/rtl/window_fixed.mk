# SPDX-License-Identifier: Apache-2.0
# The element with a fixed-point accumulator against libfp8mac, built as those of window.mk.

FIXED_RTL := $(WINDOW_BOXES) rtl/array/fp8mac_grid_fixed_edge.sv rtl/array/fp8mac_pe_fixed.sv

# Lanes, slots, fraction bits; hung from bounds on the data, all formats unless no Inf is said, or exact, E4M3 formats.
FIXED_SETS := 1_1_13_anchored 1_4_13_anchored 4_4_13_anchored 4_4_25_anchored 4_4_25_anchored_noinf \
  16_4_25_anchored 32_4_13_anchored 1_4_34_exact 4_4_34_exact 16_4_34_exact
# Every pair of codes: lanes are alike, so not in every set.
FIXED_PAIRS := 1_4_13_anchored 4_4_25_anchored 1_4_34_exact
FIXED_TB := $(FIXED_SETS:%=$(WINDOW_DIR)/fixed_%/fixed_tb)
FIXED_LOGS := $(FIXED_SETS:%=$(BUILD)/test/rtl_fixed_%.log)

# Distances reach just beyond the window.
fixed_parameters_anchored = HIDDEN_ONE=1 DISTANCE_W=$(if $(filter 13,$(call window_word,$(1),3)),4,5) \
  INF=$(if $(filter %_noinf,$(1)),0,1)
fixed_parameters_exact :=
fixed_parameters = LANES=$(call window_word,$(1),1) SLOTS=$(call window_word,$(1),2) \
  FRAC_BITS=$(call window_word,$(1),3) $(call fixed_parameters_$(call window_word,$(1),4),$(1))

$(FIXED_TB): $(WINDOW_DIR)/fixed_%/fixed_tb: tests/rtl/window_build.sh tests/rtl/fixed_tb.sv tests/rtl/fixed_dut.cpp \
    tests/rtl/window_dut.h $(FIXED_RTL) $(WINDOW_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(WINDOW_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call window_optimise,$*) $< $(BUILD) fixed_tb $@ \
	  '$(call fixed_parameters,$*)' $(FIXED_RTL) $(call window_leaves,fixed_$*) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(FIXED_LOGS): $(BUILD)/test/rtl_fixed_%.log: $(WINDOW_DIR)/fixed_%/fixed_tb
	@tests/run_test.sh rtl_fixed_$* $@ $< $(if $(filter $*,$(FIXED_PAIRS)),--pairs)
TESTS += $(FIXED_LOGS)
