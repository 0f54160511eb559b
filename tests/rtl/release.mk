# SPDX-License-Identifier: Apache-2.0
# The file that `make rtl-release` writes is accepted by the tools that integrators have, and it is the accelerator: its
# bench passes. One release per parameter set, with the names and the parameters of the benches (accel.mk).
RELEASE_MINIMAL := 2_2_4_64_block_f13_minimal
RELEASE_SETS := 2_2_4_64_block_f13 4_4_16_128_block_f19 $(RELEASE_MINIMAL)
release_word = $(call accel_tb_word,$*,$(1))
release_config = TILES=$(call accel_tb_tiles,$(1)) AXI_ID=$(call accel_tb_attribute,$(1),1) AXI_PROT=$(call accel_tb_attribute,$(1),2) \
  AXI_CACHE=$(call accel_tb_attribute,$(1),3) AXI_QOS=$(call accel_tb_attribute,$(1),4)
RELEASE_BENCHES := $(RELEASE_SETS:%=$(BUILD)/tb/release_%/accel_tb)

# The release goes to a fixed folder first, because its own has the parameters of CONFIG in its name.
$(RELEASE_SETS:%=$(BUILD)/tb/release_%/fp8mac_accel.v): $(BUILD)/tb/release_%/fp8mac_accel.v: $(RELEASE_FROM)
	@mkdir -p $(@D)
	$(call say,RELEASE,$@)
	$(Q)rm -rf $(@D)/release && $(PYTHON) -B -m synth release --build $(BUILD) --out $(@D) --name release $(if $(filter %_minimal,$*),--minimal '$(MINIMAL_FUNCTIONS)') \
	  --config 'ROWS=$(call release_word,1) COLS=$(call release_word,2) LANES=$(call release_word,3) AXI_DATA_W=$(call release_word,4) ELEMENT=$(call element_name,$(accel_tb_element))$(call release_bits,$(call element_bits,$(accel_tb_element))) $(call release_config,$*)' \
	  >$(@D)/release.log && mv $(@D)/release/modules.json $(@D)/release/fp8mac_accel.v $(@D)

$(RELEASE_BENCHES): $(BUILD)/tb/release_%/accel_tb: tests/rtl/accel_tb.cpp $(BUILD)/tb/release_%/fp8mac_accel.v \
  $(wildcard tests/rtl/accel_*.h) $(wildcard tests/rtl/axi_*.h) tests/rtl/tb.h $(REGS_H) $(ACCEL_TB_LIB) $(VERILATED)
	$(call say,VERILATOR,$@)
	$(call verilate_bench,-Imodel/include -Itests/rtl -I$(REGS_DIR) -I$(CATALOGUE_DIR) \
	  $(call accel_tb_defines,$*),$(ACCEL_TB_LIB),-O3 --x-assign fast --x-initial unique -Wno-lint -Wno-style \
	  -Wno-UNOPTFLAT --top-module fp8mac_accel $(@D)/fp8mac_accel.v)

# The default accelerator's bench would take an hour.
RELEASE_LOGS := $(patsubst %,$(BUILD)/test/rtl_release_%.log,2_2_4_64_block_f13 $(RELEASE_MINIMAL))
$(RELEASE_LOGS): $(BUILD)/test/rtl_release_%.log: $(BUILD)/tb/release_%/accel_tb
	@tests/run_test.sh rtl_release_$* $@ $< --batches 60

RELEASE_ACCEPTED := $(patsubst %,$(BUILD)/test/rtl_release_accepted_%.log,$(filter-out $(RELEASE_MINIMAL),$(RELEASE_SETS)))
$(RELEASE_ACCEPTED): $(BUILD)/test/rtl_release_accepted_%.log: $(BUILD)/tb/release_%/fp8mac_accel.v tests/rtl/test_release.py \
  $(PYTEST_FILES) docs/INTEGRATION.md
	@VERILATOR=$(VERILATOR) tests/run_test.sh rtl_release_accepted_$* $@ $(PYTEST) tests/rtl/test_release.py --build $(BUILD) --released $<

# The tests of the accepted files, and what the minimal one leaves out
$(BUILD)/test/rtl_release_minimal.log: $(BUILD)/tb/release_$(RELEASE_MINIMAL)/fp8mac_accel.v tests/rtl/test_release.py $(PYTEST_FILES) \
  docs/INTEGRATION.md
	@VERILATOR=$(VERILATOR) tests/run_test.sh rtl_release_minimal $@ $(PYTEST) tests/rtl/test_release.py --build $(BUILD) --released $< \
	  --functions $(MINIMAL_FUNCTIONS)

TESTS += $(BUILD)/test/rtl_release_minimal.log $(RELEASE_LOGS) $(RELEASE_ACCEPTED)
