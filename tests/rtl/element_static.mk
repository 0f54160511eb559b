# SPDX-License-Identifier: Apache-2.0
# The elements of FamilyStatic against libfp8mac, built as those of element.mk.

# static_fF_lL, _b1 with one bank instead of four, _noinf without e5m2; kulisch_lL.
STATIC_SETS := static_f13_l1_b1 static_f13_l1 static_f13_l4 static_f25_l4 static_f25_l4_noinf \
  static_f25_l16 static_f13_l32 kulisch_l1 kulisch_l4 kulisch_l16
# These sets try every pair of codes. All lanes are equal, so a few sets are enough.
STATIC_PAIRS := static_f13_l1 static_f25_l4 kulisch_l1
STATIC_TB := $(STATIC_SETS:%=$(ELEMENT_DIR)/%/static_tb)
STATIC_LOGS := $(STATIC_SETS:%=$(BUILD)/test/rtl_%.log)

static_parameters = $(element_set_parameters) BANKS=$(element_banks) \
  INF=$(if $(filter kulisch noinf,$(element_words)),0,1)

$(STATIC_TB): $(ELEMENT_DIR)/%/static_tb: tests/rtl/element_build.sh tests/rtl/static_tb.sv tests/rtl/static_dut.cpp \
    tests/rtl/element_dut.h $(ELEMENT_RTL) $(ELEMENT_CELLS) $(RTL_SIM_LEAVES) $(RTL_WAIVER) $(ELEMENT_COMMON) \
    $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) OPTIMISE=$(call element_optimise,$*) $< $(BUILD) static_tb $@ \
	  '$(call static_parameters,$*)' $(ELEMENT_RTL) $(call element_leaves,$*) >$(@D)/build.log 2>&1 \
	  || { cat $(@D)/build.log; exit 1; }

$(STATIC_LOGS): $(BUILD)/test/rtl_%.log: $(ELEMENT_DIR)/%/static_tb
	@tests/run_test.sh rtl_$* $@ $< $(if $(filter $*,$(STATIC_PAIRS)),--pairs)
TESTS += $(STATIC_LOGS)
