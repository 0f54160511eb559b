# SPDX-License-Identifier: Apache-2.0
# The tile walker against the host build's walk. One build per granule of K.

WALK_TB_SETS := 32 64
WALK_TB_LIBS := $(FW_BUILD)/host/obj/firmware/port/host/walk.c.o $(BUILD)/model/libfp8mac.a
WALK_TB_RTL := $(RTL_PACKAGES) rtl/accel/fp8mac_cmd_walk.sv
WALK_TB_BENCHES := $(WALK_TB_SETS:%=$(BUILD)/tb/walk_%/walk_tb)
WALK_TB_LOGS := $(WALK_TB_SETS:%=$(BUILD)/test/rtl_walk_%.log)

$(WALK_TB_BENCHES): $(BUILD)/tb/walk_%/walk_tb: tests/rtl/walk_tb.cpp tests/rtl/walk_tb.sv tests/rtl/tb.h \
    $(WALK_TB_RTL) $(RTL_WAIVER) $(REGS_H) $(CATALOGUE_H) $(WALK_TB_LIBS) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-DGRANULE=$*u $(foreach d,model/include tests/rtl firmware/include firmware/port/host \
	  $(REGS_DIR) $(CATALOGUE_DIR),-I$(d)),$(WALK_TB_LIBS),--assert -O3 --x-assign fast --x-initial fast \
	  --top-module walk_tb -GGRANULE=$* $(RTL_WAIVER) $(WALK_TB_RTL) tests/rtl/walk_tb.sv)

$(WALK_TB_LOGS): $(BUILD)/test/rtl_walk_%.log: $(BUILD)/tb/walk_%/walk_tb
	@tests/run_test.sh rtl_walk_$* $@ $<
TESTS += $(WALK_TB_LOGS)
