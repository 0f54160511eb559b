# SPDX-License-Identifier: Apache-2.0
# The flow's own tests: it rejects what must not be quoted, reuses what is there, and answers wrong requests.

TESTS += $(BUILD)/test/synth_flow.log
$(BUILD)/test/synth_flow.log: tests/synth/test_flow.py $(wildcard tests/synth/*.sv synth/*.py synth/flow/*.py) \
  tests/run_test.sh
	@tests/run_test.sh synth_flow $@ $(PYTHON) -B $< $(BUILD)/synth-test

# What the flow makes of the leaves, the boxes and the elements of one lane, proved equal to their RTL.
TESTS += $(BUILD)/test/synth_equivalence.log
$(BUILD)/test/synth_equivalence.log: tests/synth/test_equivalence.py $(wildcard tests/synth/*.sv synth/*.py \
  synth/flow/*.py rtl/behavioural/*.sv rtl/*.sv rtl/leaf/*.sv rtl/feed/*.sv rtl/element/*/*.sv rtl/array/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_equivalence $@ $(PYTHON) -B $< $(BUILD)/synth-equivalence
