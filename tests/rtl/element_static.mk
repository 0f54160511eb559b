# SPDX-License-Identifier: Apache-2.0
# The element with a fixed-point accumulator against libfp8mac, built as those of window.mk.

# Lanes, banks, fraction bits; hung from bounds on the data, all formats unless no Inf is said, or exact, E4M3 formats.
FIXED_SETS := 1_1_13_static 1_4_13_static 4_4_13_static 4_4_25_static 4_4_25_static_noinf \
  16_4_25_static 32_4_13_static 1_4_34_exact 4_4_34_exact 16_4_34_exact
# Every pair of codes: lanes are alike, so not in every set.
FIXED_PAIRS := 1_4_13_static 4_4_25_static 1_4_34_exact
FIXED_TB := $(FIXED_SETS:%=$(ELEMENT_DIR)/fixed_%/static_tb)
FIXED_LOGS := $(FIXED_SETS:%=$(BUILD)/test/rtl_static_%.log)

# Distances reach just beyond the window.
fixed_parameters_static = HIDDEN_ONE=1 DISTANCE_W=$(if $(filter 13,$(call window_word,$(1),3)),4,5) \
  INF=$(if $(filter %_noinf,$(1)),0,1)
fixed_parameters_exact :=
fixed_parameters = LANES=$(call window_word,$(1),1) BANKS=$(call window_word,$(1),2) \
  FRAC_BITS=$(call window_word,$(1),3) $(call fixed_parameters_$(call window_word,$(1),4),$(1))

$(FIXED_TB): $(ELEMENT_DIR)/fixed_%/static_tb: tests/rtl/element_build.sh tests/rtl/static_tb.sv tests/rtl/static_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call window_optimise,$*) $< $(BUILD) static_tb $@ \
	  '$(call fixed_parameters,$*)' $(ELEMENT_RTL) $(call window_leaves,fixed_$*) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(FIXED_LOGS): $(BUILD)/test/rtl_static_%.log: $(ELEMENT_DIR)/fixed_%/static_tb
	@tests/run_test.sh rtl_static_$* $@ $< $(if $(filter $*,$(FIXED_PAIRS)),--pairs)
TESTS += $(FIXED_LOGS)
