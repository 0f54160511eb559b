# SPDX-License-Identifier: Apache-2.0
# The application tokens: its model in NumPy, and its text on host and chip.
TESTS += $(BUILD)/test/tokens-model.log $(SYS_TEST)/system-tokens.log
$(BUILD)/test/tokens-model.log: tests/tokens/test_model.py $(wildcard firmware/apps/tokens/*.py) firmware/apps/tokens/weights.npz \
    sim/bench/quality.json $(PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh tokens-model $@ $(PYTEST) $<
$(SYS_TEST)/system-tokens.log: $(SYS_HOST)/tokens $(SYS_RISCV)/tokens.elf $(SIM) tests/tokens/tokens.sh tests/run_test.sh
	@mkdir -p $(@D)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) tests/run_test.sh system-tokens $@ tests/tokens/tokens.sh $< \
	  $(SYS_RUN) $(SYS_RISCV)/tokens.elf
