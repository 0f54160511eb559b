# SPDX-License-Identifier: Apache-2.0
# The firmware on the simulated chip and on the host. SIM is the simulator of the array that ROWS, COLS, LANES say;
# the host build stands for the same array, so that the two can be compared byte for byte.

SYS_TEST := $(BUILD)/test
SYS_RUN = $(SIM) --quiet
SYS_RISCV := $(BUILD)/firmware/riscv
SYS_HOST := $(BUILD)/firmware/host
# Arrays whose buffers, blocks and beats stand in every relation to each other.
SYS_ARRAYS := 2x2x1 4x4x4 4x16x8 16x4x2 2x32x16 32x32x2

TESTS += $(patsubst %,$(SYS_TEST)/%.log,firmware-host firmware-host-faults firmware-san firmware-san-faults \
  firmware-arrays firmware-options system-selftest system-stalls system-faults system-bytes)

$(SYS_TEST)/firmware-host.log: $(SYS_HOST)/selftest tests/run_test.sh
	@mkdir -p $(@D)
	@rm -f $(SYS_TEST)/selftest.host.bytes
	@FP8RT_ARRAY=$(ARRAY) FP8RT_DUMP=$(SYS_TEST)/selftest.host.bytes tests/run_test.sh firmware-host $@ $<

$(SYS_TEST)/firmware-host-faults.log: $(SYS_HOST)/faults tests/run_test.sh
	@FP8RT_ARRAY=$(ARRAY) tests/run_test.sh firmware-host-faults $@ $<

$(SYS_TEST)/firmware-san.log: $(SYS_HOST)-san/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-san $@ tests/system/arrays.sh $< 2x2x1 8x8x4

$(SYS_TEST)/firmware-san-faults.log: $(SYS_HOST)-san/faults tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-san-faults $@ tests/system/arrays.sh $< 2x2x1 8x8x4

$(SYS_TEST)/firmware-arrays.log: $(SYS_HOST)/selftest tests/system/arrays.sh tests/run_test.sh
	@tests/run_test.sh firmware-arrays $@ tests/system/arrays.sh $< $(SYS_ARRAYS)

$(SYS_TEST)/firmware-options.log: $(SYS_HOST)/gemm tests/system/gemm_options.sh tests/run_test.sh
	@tests/run_test.sh firmware-options $@ tests/system/gemm_options.sh $<

$(SYS_TEST)/system-selftest.log: $(SYS_RISCV)/selftest.elf $(SIM) tests/run_test.sh
	@mkdir -p $(@D)
	@tests/run_test.sh system-selftest $@ $(SYS_RUN) --dump-outputs $(SYS_TEST)/selftest.chip.bytes $<

# The same outputs, whatever the bus does.
$(SYS_TEST)/system-stalls.log: $(SYS_RISCV)/selftest.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh system-stalls $@ $(SYS_RUN) --stall 300 --seed 5 --latency 20 $<

$(SYS_TEST)/system-faults.log: $(SYS_RISCV)/faults.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh system-faults $@ $(SYS_RUN) $<

$(SYS_TEST)/system-bytes.log: $(SYS_TEST)/system-selftest.log $(SYS_TEST)/firmware-host.log tests/system/equal_bytes.sh
	@tests/run_test.sh system-bytes $@ tests/system/equal_bytes.sh $(SYS_TEST)/selftest.chip.bytes \
	  $(SYS_TEST)/selftest.host.bytes
