# SPDX-License-Identifier: Apache-2.0
# Tests of the synthesis package. The flow rejects netlists that must not be quoted, takes finished runs from its cache,
# and refuses wrong requests with a sentence. The pages synth/AREA*.md are those that their generator writes.
SYNTH_PY := $(wildcard synth/*.py synth/*/*.py rtl/catalogue/*)

TESTS += $(BUILD)/test/synth_flow.log
SYNTH_FLOW_TESTS := tests/synth/test_flow.py tests/synth/test_study.py
$(BUILD)/test/synth_flow.log: $(SYNTH_FLOW_TESTS) $(PYTEST_FILES) $(SYNTH_PY) $(wildcard tests/synth/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_flow $@ $(PYTEST) $(SYNTH_FLOW_TESTS) --folder $(BUILD)/synth-test

TESTS += $(BUILD)/test/synth_liberty.log
$(BUILD)/test/synth_liberty.log: tests/synth/test_liberty.py $(SYNTH_PY) $(PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh synth_liberty $@ $(PYTEST) $< --folder $(BUILD)/synth-liberty-test

TESTS += $(BUILD)/test/synth_rules.log
$(BUILD)/test/synth_rules.log: tests/synth/test_rules.py $(SYNTH_PY) $(PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh synth_rules $@ $(PYTEST) $< --folder $(BUILD)/synth-rules-test

TESTS += $(BUILD)/test/synth_stock.log
$(BUILD)/test/synth_stock.log: tests/synth/test_stock.py $(SYNTH_PY) $(PYTEST_FILES) $(wildcard tests/synth/*.sv) \
  $(wildcard synth/results/* synth/study/*.md) tests/run_test.sh
	@tests/run_test.sh synth_stock $@ $(PYTEST) $< --folder $(BUILD)/synth-stock-test

TESTS += $(BUILD)/test/synth_board.log
$(BUILD)/test/synth_board.log: tests/synth/test_board.py tests/synth/fp8mac_board_gated.sv rtl/leaf/fp8mac_clock_gate.sv \
  $(SYNTH_PY) $(PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh synth_board $@ $(PYTEST) $< --folder $(BUILD)/synth-board-test

TESTS += $(BUILD)/test/synth_shapes.log
$(BUILD)/test/synth_shapes.log: tests/synth/test_shapes.py $(SYNTH_PY) $(PYTEST_FILES) $(wildcard synth/results/*) \
  $(BUILD)/model/fp8mac tests/run_test.sh
	@tests/run_test.sh synth_shapes $@ $(PYTEST) $< --build $(BUILD)

# The planner's bits of memory beside the RTL's: of two accelerators, or of many
TESTS += $(BUILD)/test/synth_memories.log $(BUILD)/test/synth_memories_all.log
$(BUILD)/test/synth_memories.log: PYTEST_CHOICE := -k test_default
$(BUILD)/test/synth_memories.log $(BUILD)/test/synth_memories_all.log: tests/synth/test_memories.py $(SYNTH_PY) $(PYTEST_FILES) $(wildcard model/plan/fp8mac_plan/*.py) \
  $(RTL_SOURCES) $(RTL_GENERATED) tests/run_test.sh
	@tests/run_test.sh $(basename $(@F)) $@ $(PYTEST) $< $(PYTEST_CHOICE) --build $(BUILD) --folder $(BUILD)/$(basename $(@F)) \
	  --functions $(MINIMAL_FUNCTIONS)

TESTS += $(BUILD)/test/synth_wires.log
$(BUILD)/test/synth_wires.log: tests/synth/test_wires.py $(SYNTH_PY) $(PYTEST_FILES) $(wildcard tests/synth/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_wires $@ $(PYTEST) $< --folder $(BUILD)/synth-wires-test

TESTS += $(BUILD)/test/synth_layout.log
$(BUILD)/test/synth_layout.log: tests/synth/test_layout.py $(SYNTH_PY) $(PYTEST_FILES) $(wildcard tests/synth/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_layout $@ $(PYTEST) $< --folder $(BUILD)/synth-layout-test

# A netlist placed and routed, with the tools of set-up part `layout`.
TESTS += $(BUILD)/test/synth_layout_routed.log
$(BUILD)/test/synth_layout_routed.log: tests/synth/test_layout_routed.py $(SYNTH_PY) $(PYTEST_FILES) $(CATALOGUE_SV) \
  $(wildcard rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_layout_routed $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/synth-layout-routed-test

# Elements for one format in Icarus: one of them, or all.
SYNTH_FORMATS_NEEDS := tests/synth/test_formats.py $(PYTEST_FILES) tests/synth/conftest.py $(SYNTH_PY) $(CATALOGUE_SV) \
  $(BUILD)/model/fp8mac $(wildcard rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
TESTS += $(BUILD)/test/synth_formats.log $(BUILD)/test/synth_formats_all.log
$(BUILD)/test/synth_formats.log: $(SYNTH_FORMATS_NEEDS)
	@tests/run_test.sh synth_formats $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/synth-formats-test
$(BUILD)/test/synth_formats_all.log: $(SYNTH_FORMATS_NEEDS)
	@tests/run_test.sh synth_formats_all $@ $(PYTEST) $< --all-formats --build $(BUILD) --folder $(BUILD)/synth-formats-all-test

TESTS += $(BUILD)/test/synth_views.log
$(BUILD)/test/synth_views.log: tests/synth/test_views.py $(SYNTH_PY) $(PYTEST_FILES) $(RTL_SOURCES) $(RTL_GENERATED) \
  tests/run_test.sh
	@tests/run_test.sh synth_views $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/synth-views-test

TESTS += $(BUILD)/test/synth_clock_gates.log
$(BUILD)/test/synth_clock_gates.log: tests/synth/test_clock_gates.py $(SYNTH_PY) $(PYTEST_FILES) rtl/leaf/fp8mac_clock_gate.sv \
  tests/run_test.sh
	@tests/run_test.sh synth_clock_gates $@ $(PYTEST) $< --folder $(BUILD)/synth-clock-gates-test

TESTS += $(BUILD)/test/synth_report.log
$(BUILD)/test/synth_report.log: tests/synth/test_report.py $(PYTEST_FILES) $(SYNTH_PY) $(wildcard synth/*.md) README.md \
  $(wildcard synth/results/* synth/study/*.md synth/energy/*.md) synth/result.svg sim/bench/results.json tests/run_test.sh
	@tests/run_test.sh synth_report $@ $(PYTEST) $< --folder $(BUILD)/synth-report-test

TESTS += $(BUILD)/test/synth_left_out.log
$(BUILD)/test/synth_left_out.log: tests/synth/test_left_out.py $(PYTEST_FILES) $(SYNTH_PY) $(RTL_GENERATED) \
  $(wildcard rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_left_out $@ $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/synth-left-out-test

# The flow's netlists of the leaves, the boxes and the elements of one lane, proved equal to their RTL.
TESTS += $(BUILD)/test/synth_equivalence.log
$(BUILD)/test/synth_equivalence.log: tests/synth/test_equivalence.py $(PYTEST_FILES) $(SYNTH_PY) $(CATALOGUE_SV) \
  $(wildcard tests/synth/*.sv rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
	@tests/run_test.sh synth_equivalence $@ $(PYTEST) $< --build $(BUILD)

# Netlists of two small units run the vectors of the RTL's benches.
TESTS += $(BUILD)/test/synth_netlists.log
$(BUILD)/test/synth_netlists.log: tests/synth/test_netlists.py $(PYTEST_FILES) $(SYNTH_PY) $(CATALOGUE_SV) \
  $(ELEMENT_COMMON) $(BUILD)/model/libfp8mac.a tests/rtl/block_tb.sv tests/rtl/block_dut.cpp tests/rtl/int8_tb.sv \
  tests/rtl/int8_dut.cpp tests/rtl/element_build.sh $(wildcard rtl/*.sv rtl/*/*.sv rtl/*/*/*.sv) tests/run_test.sh
	@VERILATOR=$(VERILATOR) CXX=$(CXX) tests/run_test.sh synth_netlists $@ \
	  $(PYTEST) $< --build $(BUILD) --folder $(BUILD)/synth-netlists-test
