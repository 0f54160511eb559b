# SPDX-License-Identifier: Apache-2.0
# The simulator: its parts on the host under the sanitizers, its command line, and the chip around the accelerator.

SIM_TEST := $(BUILD)/test
SIM_TEST_BUILD := $(BUILD)/sim-test
TESTS += $(patsubst %,$(SIM_TEST)/%.log,sim-check sim-elf sim-soc sim-command-line)

$(SIM_TEST_BUILD)/test_gemm_check: tests/sim/test_gemm_check.c $(SIM_CHECK) $(wildcard firmware/check/*.h firmware/check/include/fp8rt/*.h) \
    $(REGS_H) $(BUILD)/model-san/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -O1 -g $(SIM_WARNINGS) $(SANITIZE_FLAGS) $(SIM_INCLUDES) -o $@ $(filter %.c %.a,$^)

$(SIM_TEST_BUILD)/test_elf: tests/sim/test_elf.cpp sim/elf_loader.cpp sim/ram.cpp sim/elf_loader.h sim/ram.h
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O1 -g $(SIM_WARNINGS) $(SANITIZE_FLAGS) -Isim -o $@ $(filter %.cpp,$^)

# A complete program without runtime and C library.
$(SIM_TEST_BUILD)/soc.elf: tests/sim/soc_start.S tests/sim/soc.c firmware/link.ld \
    firmware/port/riscv/soc.h $(REGS_H)
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -MF $@.d -nostartfiles -Tfirmware/link.ld -Wl,--fatal-warnings -o $@ \
	  $(filter %.S %.c,$^)

$(SIM_TEST)/sim-check.log: $(SIM_TEST_BUILD)/test_gemm_check tests/run_test.sh
	@tests/run_test.sh sim-check $@ $<

$(SIM_TEST)/sim-elf.log: $(SIM_TEST_BUILD)/test_elf tests/run_test.sh
	@tests/run_test.sh sim-elf $@ $< $(SIM_TEST_BUILD)/test.elf

$(SIM_TEST)/sim-soc.log: $(SIM_TEST_BUILD)/soc.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh sim-soc $@ $(SIM) --quiet --power-up 7 $<

$(SIM_TEST)/sim-command-line.log: tests/sim/command_line.sh $(SIM_TEST_BUILD)/soc.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh sim-command-line $@ $< $(SIM) $(SIM_TEST_BUILD)/soc.elf $(SIM_TEST_BUILD)

TESTS += $(SIM_TEST)/sim-timeline.log
$(SIM_TEST)/sim-timeline.log: tests/sim/test_timeline.py $(SIM) $(FW_BUILD)/riscv/gemm.elf tests/run_test.sh
	@mkdir -p $(SIM_TEST_BUILD)
	@tests/run_test.sh sim-timeline $@ $(PYTHON) $< $(SIM) $(FW_BUILD)/riscv/gemm.elf $(SIM_TEST_BUILD)
