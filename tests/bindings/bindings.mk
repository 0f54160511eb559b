# SPDX-License-Identifier: Apache-2.0
# The model from Python, the shell and SystemVerilog.

BINDINGS_TESTS := tests/bindings
TESTS += $(BUILD)/test/bindings_cli.log $(BUILD)/test/bindings_python.log

# The tool with sanitizers in it.
$(BUILD)/test/bindings_cli.log: $(BINDINGS_TESTS)/test_cli.py $(BUILD)/model-san/fp8mac $(BUILD)/model/fp8mac.1 \
  tests/model/checks.py tests/run_test.sh
	@tests/run_test.sh bindings_cli $@ $(PYTHON) -B $< --tool $(BUILD)/model-san/fp8mac --man $(BUILD)/model/fp8mac.1

$(BUILD)/test/bindings_python.log: $(BINDINGS_TESTS)/python.sh $(BINDINGS_TESTS)/test_python.py $(MODEL_SOURCES) \
  $(MODEL_HEADERS) $(wildcard model/python/* model/python/fp8mac/* model/cli/settings.*) tests/run_test.sh
	@tests/run_test.sh bindings_python $@ $< $(PYTHON) $(BUILD)/bindings/python
