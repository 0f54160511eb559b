# SPDX-License-Identifier: Apache-2.0
# The way of results to memory against libfp8mac. One build per parameter set, ROWS_COLS_SHARE_WIDTH_AXIWIDTH.

OUTPUT_TB_SETS := 4_4_2_8_128 4_4_2_4_64 4_4_1_16_128 2_2_1_2_256 8_8_1_8_128 1_4_1_4_128 4_1_2_2_64
OUTPUT_TB_LIB := $(BUILD)/model/libfp8mac.a
OUTPUT_TB_RTL := $(RTL_PACKAGES) $(filter-out %_pkg.sv,$(sort $(wildcard rtl/epilogue/*.sv))) \
  $(patsubst %,rtl/leaf/fp8mac_%.sv,round_even digit_product mux_n fill_n full_adder half_adder clock_gate two_port_ram) \
  $(patsubst %,rtl/behavioural/fp8mac_%.sv,adder compressor_tree) \
  $(addprefix rtl/accel/fp8mac_,fifo.sv burst_split.sv source.sv source_slots.sv source_buffer.sv store.sv byte_ram.sv pack.sv write_out.sv dma_write.sv output.sv)
OUTPUT_TB_BENCHES := $(OUTPUT_TB_SETS:%=$(BUILD)/tb/output_%/output_tb)
OUTPUT_TB_LOGS := $(OUTPUT_TB_SETS:%=$(BUILD)/test/rtl_output_%.log)
output_tb_word = $(word $(2),$(subst _, ,$(1)))
output_tb_defines = -DROWS=$(call output_tb_word,$(1),1) -DCOLS=$(call output_tb_word,$(1),2) \
  -DSHARE=$(call output_tb_word,$(1),3) -DWIDTH=$(call output_tb_word,$(1),4) -DAXI_DATA_W=$(call output_tb_word,$(1),5)

$(OUTPUT_TB_BENCHES): $(BUILD)/tb/output_%/output_tb: tests/rtl/output_tb.cpp tests/rtl/output_tb.sv \
    $(wildcard tests/rtl/axi_*.h) tests/rtl/tb.h $(OUTPUT_TB_RTL) $(RTL_WAIVER) $(OUTPUT_TB_LIB) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-ffp-contract=off -Imodel/include -Itests/rtl $(call output_tb_defines,$*),$(OUTPUT_TB_LIB),\
	  --assert -O3 --x-assign fast --x-initial fast --top-module output_tb -GROWS=$(call output_tb_word,$*,1) -GCOLS=$(call output_tb_word,$*,2) \
	  -GSHARE=$(call output_tb_word,$*,3) -GWIDTH=$(call output_tb_word,$*,4) \
	  -GAXI_DATA_W=$(call output_tb_word,$*,5) \
	  $(RTL_WAIVER) $(OUTPUT_TB_RTL) tests/rtl/output_tb.sv)

$(OUTPUT_TB_LOGS): $(BUILD)/test/rtl_output_%.log: $(BUILD)/tb/output_%/output_tb
	@tests/run_test.sh rtl_output_$* $@ $<
TESTS += $(OUTPUT_TB_LOGS)
