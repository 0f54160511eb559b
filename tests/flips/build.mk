# SPDX-License-Identifier: Apache-2.0
# Single bits flipped in a running accelerator. Not a part of any test list: it measures.
#   make flips FLIPS=1000 SEED=1 CLASS=control   CLASS: control, data, memory
#   make flips FIRST=1000 FLIPS=1000             the next thousand of the same seed
FLIPS ?= 1000
CLASS ?= control
FIRST ?= 0
FLIPS_SET := 4_4_16_128_block_f19
FLIPS_DIR := $(BUILD)/tb/flips_$(FLIPS_SET)
flips_verilator = -DSYNTHESIS --top-module fp8mac_accel $(call accel_tb_parameters,$*)

$(FLIPS_DIR)/registers: $(BUILD)/tb/flips_%/registers: tests/flips/registers.py $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(Q)$(VERILATOR) --xml-only --xml-output $(@D)/accel.xml $(flips_verilator) $(RTL_WAIVER) $(RTL_SIM_SOURCES)
	$(Q)$(PYTHON) -B tests/flips/registers.py $(@D)/accel.xml $@ $(@D)/registers.vlt

$(FLIPS_DIR)/flips_tb: $(BUILD)/tb/flips_%/flips_tb: tests/flips/flips_tb.cpp $(FLIPS_DIR)/registers $(ACCEL_TB_FROM)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Imodel/include -Itests/rtl -I$(REGS_DIR) -I$(CATALOGUE_DIR) \
	  $(call accel_tb_defines,$*),$(ACCEL_TB_LIB),-O3 --x-assign fast --x-initial unique $(flips_verilator) \
	  $(@D)/registers.vlt $(RTL_WAIVER) $(RTL_SIM_SOURCES))

.PHONY: flips
flips: $(FLIPS_DIR)/flips_tb
	$(Q)$< --registers $(FLIPS_DIR)/registers --class $(CLASS) --flips $(FLIPS) --first $(FIRST) \
	  --seed $(or $(SEED),1) --out $(FLIPS_DIR)/$(CLASS)-$(or $(SEED),1)-$(FIRST).txt
