# SPDX-License-Identifier: Apache-2.0
# The golden model against exact arithmetic, ml_dtypes and NumPy. Each script is a test by itself.
MODEL_TESTS := declared formats conversions fp32 dot fixed static_exponent gemm output rows settings scaled recipes_published recipes_recorded inexact \
  effects functions row_commands requantise
MODEL_TEST_LOGS := $(MODEL_TESTS:%=$(BUILD)/test/model-%.log)
MODEL_TEST_INPUTS := $(wildcard rtl/*_pkg.sv tests/model/*.py tests/model/*environment*.[ch] tests/oracle/*.py model/src/core/function_tables.* tests/model/recorded/*.csv model/include/fp8mac/*.h) $(wildcard rtl/epilogue/*_table.sv) $(PYTEST_FILES) \
  tests/run_test.sh
TESTS += $(MODEL_TEST_LOGS)

$(MODEL_TEST_LOGS): $(BUILD)/test/model-%.log: tests/model/test_%.py $(BUILD)/model/libfp8mac.so $(MODEL_TEST_INPUTS)
	@tests/run_test.sh model-$* $@ $(PYTEST) $< --build $(BUILD)

TESTS += $(BUILD)/test/model-compilers.log
$(BUILD)/test/model-compilers.log: tests/model/compilers.sh $(wildcard tests/model/*environment*.[ch]) $(BUILD)/test/model-environment.log \
    $(MODEL_SOURCES) $(MODEL_HEADERS) tests/run_test.sh
	@tests/run_test.sh model-compilers $@ tests/model/compilers.sh $(BUILD)/model-compilers $(CATALOGUE_DIR) \
	  $(BUILD)/test/model-environment.log

# Every float32 through each function takes minutes. `make test` takes every 127th pattern.
$(BUILD)/model/functions: tests/model/functions.c $(BUILD)/model/libfp8mac.a
	$(call say,CC,$@)
	$(Q)$(CC) $(MODEL_CFLAGS) -D_DEFAULT_SOURCE $(CFLAGS) -o $@ $^ -lm -pthread

TESTS += $(BUILD)/test/model-functions-sample.log $(BUILD)/test/model-functions-all.log
$(BUILD)/test/model-functions-sample.log: $(BUILD)/model/functions tests/run_test.sh
	@tests/run_test.sh model-functions-sample $@ $< 1 127
$(BUILD)/test/model-functions-all.log: $(BUILD)/model/functions tests/run_test.sh
	@tests/run_test.sh model-functions-all $@ $< $$(nproc) 1

include tests/model/fast.mk

MODEL_STAGE := $(abspath $(BUILD))/model-stage
$(BUILD)/test/model-install.log: tests/model/install.sh $(BUILD)/model/libfp8mac.a $(BUILD)/model/libfp8mac.so \
    tests/run_test.sh
	@rm -rf $(MODEL_STAGE)
	@$(MAKE) --no-print-directory install-model DESTDIR= PREFIX=$(MODEL_STAGE) >/dev/null
	@tests/run_test.sh model-install $@ tests/model/install.sh $(MODEL_STAGE)
TESTS += $(BUILD)/test/model-install.log
