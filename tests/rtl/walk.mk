# SPDX-License-Identifier: Apache-2.0
# The tile walker against the host build's walk. One build per granule of K.

WALK_TB_SETS := 32 64
WALK_TB_LIBS := $(FW_BUILD)/host/obj/firmware/port/host/walk.c.o $(BUILD)/model/libfp8mac.a
WALK_TB_RTL := $(RTL_PACKAGE) rtl/accel/fp8mac_cmd_pkg.sv rtl/accel/fp8mac_cmd_walk.sv
WALK_TB_BENCHES := $(WALK_TB_SETS:%=$(BUILD)/tb/walk_%/walk_tb)
WALK_TB_LOGS := $(WALK_TB_SETS:%=$(BUILD)/test/rtl_walk_%.log)

$(WALK_TB_BENCHES): $(BUILD)/tb/walk_%/walk_tb: tests/rtl/walk_tb.cpp tests/rtl/walk_tb.sv tests/rtl/tb.h \
    $(WALK_TB_RTL) $(RTL_WAIVER) $(REGS_H) $(CATALOGUE_H) $(WALK_TB_LIBS)
	@mkdir -p $(@D) && rm -f $@
	$(call say,VERILATOR,$@)
	$(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build --assert -O3 --x-assign fast --x-initial fast --Mdir $(@D) \
	  --top-module walk_tb -o $(@F) -GGRANULE=$* -CFLAGS "-std=c++17 -Wall -Wextra -DGRANULE=$*u" \
	  -CFLAGS "$(foreach d,model/include tests/rtl firmware/include firmware/port/host,-I$(CURDIR)/$(d))" \
	  -CFLAGS "-I$(CURDIR)/$(REGS_DIR) -I$(CURDIR)/$(CATALOGUE_DIR)" -LDFLAGS "$(abspath $(WALK_TB_LIBS))" \
	  -MAKEFLAGS "--no-print-directory $(BENCH_OPTIMISE)" $(RTL_WAIVER) $(WALK_TB_RTL) tests/rtl/walk_tb.sv \
	  $(abspath $<) >$(@D)/build.log || { cat $(@D)/build.log; exit 1; }

$(WALK_TB_LOGS): $(BUILD)/test/rtl_walk_%.log: $(BUILD)/tb/walk_%/walk_tb
	@tests/run_test.sh rtl_walk_$* $@ $<
TESTS += $(WALK_TB_LOGS)
