# SPDX-License-Identifier: Apache-2.0
# The way of results to memory against libfp8mac. One build per parameter set, ROWS_COLS_SHARE_WIDTH_AXIWIDTH.

OUTPUT_TB_SETS := 4_4_2_8_128 4_4_2_4_64 4_4_1_16_128 2_2_1_2_256 8_8_1_8_128 1_4_1_4_128 4_1_2_2_64
OUTPUT_TB_LIB := $(BUILD)/model/libfp8mac.a
OUTPUT_TB_RTL := $(RTL_PACKAGE) rtl/accel/fp8mac_cmd_pkg.sv $(sort $(wildcard rtl/epilogue/*.sv)) \
  $(patsubst %,rtl/leaf/fp8mac_%.sv,round_even booth_product full_adder half_adder clock_gate two_port_ram) \
  rtl/behavioural/fp8mac_compressor_tree.sv \
  $(addprefix rtl/accel/fp8mac_,fifo.sv burst_split.sv source.sv source_slots.sv source_buffer.sv store.sv byte_ram.sv pack.sv drain.sv dma_write.sv output.sv)
OUTPUT_TB_BENCHES := $(OUTPUT_TB_SETS:%=$(BUILD)/tb/output_%/output_tb)
OUTPUT_TB_LOGS := $(OUTPUT_TB_SETS:%=$(BUILD)/test/rtl_output_%.log)
output_tb_word = $(word $(2),$(subst _, ,$(1)))
output_tb_defines = -D$(1)=$(call output_tb_word,$(2),$(3))

$(OUTPUT_TB_BENCHES): $(BUILD)/tb/output_%/output_tb: tests/rtl/output_tb.cpp tests/rtl/output_tb.sv \
    tests/rtl/axi_memory.h tests/rtl/tb.h $(OUTPUT_TB_RTL) $(RTL_WAIVER) $(OUTPUT_TB_LIB)
	@mkdir -p $(@D) && rm -f $@
	$(call say,VERILATOR,$@)
	$(Q)MAKEFLAGS= $(VERILATOR) --cc --exe --build --assert -O3 --x-assign fast --x-initial fast --Mdir $(@D) \
	  --top-module output_tb -o $(@F) -GROWS=$(call output_tb_word,$*,1) -GCOLS=$(call output_tb_word,$*,2) \
	  -GSHARE=$(call output_tb_word,$*,3) -GWIDTH=$(call output_tb_word,$*,4) \
	  -GAXI_DATA_W=$(call output_tb_word,$*,5) \
	  -CFLAGS "-std=c++17 -Wall -Wextra -ffp-contract=off -I$(CURDIR)/model/include -I$(CURDIR)/tests/rtl" \
	  -CFLAGS "$(call output_tb_defines,ROWS,$*,1) $(call output_tb_defines,COLS,$*,2)" \
	  -CFLAGS "$(call output_tb_defines,SHARE,$*,3) $(call output_tb_defines,WIDTH,$*,4)" \
	  -CFLAGS "$(call output_tb_defines,AXI_DATA_W,$*,5)" -LDFLAGS $(abspath $(OUTPUT_TB_LIB)) \
	  -MAKEFLAGS "--no-print-directory $(BENCH_OPTIMISE)" $(RTL_WAIVER) $(OUTPUT_TB_RTL) tests/rtl/output_tb.sv \
	  $(abspath $<) >$(@D)/build.log || { cat $(@D)/build.log; exit 1; }

$(OUTPUT_TB_LOGS): $(BUILD)/test/rtl_output_%.log: $(BUILD)/tb/output_%/output_tb
	@tests/run_test.sh rtl_output_$* $@ $<
TESTS += $(OUTPUT_TB_LOGS)
