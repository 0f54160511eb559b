# SPDX-License-Identifier: Apache-2.0
# The library of commands against the RTL's walk and check. One build per set of parameters, named as in accel.mk.

COMMAND_TB_SETS := 4_4_16_128_block_f19 2_2_4_64_int8_requantise 2_2_4_64_block_f13_minimal 4_4_16_256_block_f19 \
  4_4_16_128_block64_f13 2_2_16_64_block64_fp32_f13 2_2_4_128_kulisch 4_4_16_128_int8_requantise 1_2_16_128_block_f13 4_4_1_64_exact 8_8_4_128_exact
# Commands of a run
command_tb_commands = $(if $(filter 4_4_16_128_block_f19,$(1)),700000,300000)
# Elements behind commands are left out, and so are the registers.
COMMAND_TB_RTL := $(RTL_PACKAGES) rtl/accel/fp8mac_cmd_walk.sv rtl/accel/fp8mac_cmd_check.sv
COMMAND_TB_FROM := tests/rtl/command_tb.cpp tests/rtl/command_tb.sv tests/rtl/command_random.h tests/rtl/accel_element.h \
  tests/rtl/tb.h $(COMMAND_TB_RTL) $(RTL_WAIVER) $(CATALOGUE_H) $(BUILD)/model/libfp8mac.a $(VERILATED)
COMMAND_TB_BENCHES := $(COMMAND_TB_SETS:%=$(BUILD)/tb/command_%/command_tb)
COMMAND_TB_LOGS := $(COMMAND_TB_SETS:%=$(BUILD)/test/rtl_command_%.log)
command_tb_parameters = -GROWS=$(call accel_tb_word,$(1),1) -GCOLS=$(call accel_tb_word,$(1),2) \
  -GLANES=$(call accel_tb_word,$(1),3) -GAXI_DATA_W=$(call accel_tb_word,$(1),4) -GTILES=$(call accel_tb_tiles,$(1)) \
  -GMAX_MN=$(call accel_tb_max_mn,$(1)) -GELEMENT=$(call command_tb_kind,$(accel_tb_element)) \
  $(if $(accel_tb_minimal),$(MINIMAL_FUNCTIONS:%=-G%=0)) $(if $(accel_tb_requantise),"-GREQUANTISE=1'b1")
command_tb_kind = $(element_kind)
# $(1): a set; $(2): objects and libraries
verilate_command_tb = $(call verilate_bench,-Imodel/include -Itests/rtl -I$(REGS_DIR) -I$(CATALOGUE_DIR) \
  $(call accel_tb_defines,$(1)),$(2),--assert -O3 --x-assign fast --x-initial fast --top-module command_tb \
  $(call command_tb_parameters,$(1)) $(RTL_WAIVER) $(COMMAND_TB_RTL) tests/rtl/command_tb.sv)

$(COMMAND_TB_BENCHES): $(BUILD)/tb/command_%/command_tb: $(COMMAND_TB_FROM)
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_command_tb,$*,$(BUILD)/model/libfp8mac.a)

$(COMMAND_TB_LOGS): $(BUILD)/test/rtl_command_%.log: $(BUILD)/tb/command_%/command_tb
	@tests/run_test.sh rtl_command_$* $@ $< --commands $$(($(call command_tb_commands,$*) * $${RANDOM_STEPS:-1}))
TESTS += $(COMMAND_TB_LOGS)

# The same with seeded faults in the library, of which each run chooses one
COMMAND_FAULTS := $(BUILD)/tb/command_faults
COMMAND_FAULTS_SETS := 4_4_16_128_block_f19 2_2_4_64_int8_requantise
COMMAND_FAULTS_SOURCES := $(wildcard model/src/command/*.c)
COMMAND_FAULTS_BENCHES := $(COMMAND_FAULTS_SETS:%=$(COMMAND_FAULTS)/%/command_tb)
$(COMMAND_FAULTS)/seeded.a: tests/rtl/command_faults.py tests/rtl/faults.py $(COMMAND_FAULTS_SOURCES) \
    $(wildcard model/src/command/*.h model/include/fp8mac/*.h)
	@mkdir -p $(@D)
	$(call say,FAULTS,$@)
	$(Q)rm -f $@ && $(PYTHON) -B -m tests.rtl.command_faults $(@D) $(COMMAND_FAULTS_SOURCES)
	$(Q)set -e; for source in seeded_fault $(basename $(notdir $(COMMAND_FAULTS_SOURCES))); do \
	  $(CC) -std=c11 -O1 -w -Imodel/include -Imodel/src -I$(CATALOGUE_DIR) -c -o $(@D)/$$source.o $(@D)/$$source.c; done
	$(Q)$(AR) rcs $@ $(COMMAND_FAULTS_SOURCES:model/src/command/%.c=$(@D)/%.o) $(@D)/seeded_fault.o

$(COMMAND_FAULTS_BENCHES): $(COMMAND_FAULTS)/%/command_tb: $(COMMAND_TB_FROM) $(COMMAND_FAULTS)/seeded.a
	@mkdir -p $(@D)
	$(call say,VERILATOR,$@)
	$(call verilate_command_tb,$*,$(COMMAND_FAULTS)/seeded.a $(BUILD)/model/libfp8mac.a)

$(BUILD)/test/rtl_command_faults.log: tests/rtl/test_command_faults.py $(COMMAND_FAULTS_BENCHES) tests/rtl/command_faults.py \
    $(PYTEST_FILES)
	@tests/run_test.sh rtl_command_faults $@ $(PYTEST) $< --bench $(COMMAND_FAULTS)
TESTS += $(BUILD)/test/rtl_command_faults.log
