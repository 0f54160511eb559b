# SPDX-License-Identifier: Apache-2.0
# fp8mac_pe_fixed with its window hung from a bound, against libfp8mac: lanes, fraction bits.
ANCHORED_SETS := 1_13 4_13 4_25 16_13 16_25
ANCHORED_TB := $(ANCHORED_SETS:%=$(BUILD)/tb/anchored_%/anchored_tb)
ANCHORED_LOGS := $(ANCHORED_SETS:%=$(BUILD)/test/rtl_anchored_%.log)

$(ANCHORED_TB): $(BUILD)/tb/anchored_%/anchored_tb: tests/rtl/anchored_tb.cpp tests/rtl/anchored_tb.sv \
    $(WINDOW_RTL) rtl/array/fp8mac_pe_fixed.sv $(WINDOW_MEANING) $(BUILD)/model/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build -O3 -Wno-fatal -Wno-WIDTH -Mdir $(@D) -o anchored_tb \
	  -GLANES=$(word 1,$(subst _, ,$*)) -GFRAC_BITS=$(word 2,$(subst _, ,$*)) --top-module anchored_tb \
	  -CFLAGS '-std=c++17 -O1 -I$(CURDIR)/model/include' $(RTL_WAIVER) $(WINDOW_RTL) rtl/array/fp8mac_pe_fixed.sv \
	  $(WINDOW_MEANING) tests/rtl/anchored_tb.sv $(CURDIR)/tests/rtl/anchored_tb.cpp \
	  $(abspath $(BUILD)/model/libfp8mac.a) -LDFLAGS -lm >$(@D)/build.log 2>&1 || { tail -n 20 $(@D)/build.log; exit 1; }

$(ANCHORED_LOGS): $(BUILD)/test/rtl_anchored_%.log: $(BUILD)/tb/anchored_%/anchored_tb
	@tests/run_test.sh rtl_anchored_$* $@ $<
TESTS += $(ANCHORED_LOGS)
