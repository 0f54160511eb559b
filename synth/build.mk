# SPDX-License-Identifier: Apache-2.0
# Area of the elements and their INT8 baselines, at a clock that OpenSTA confirms. Results: $(BUILD)/synth/area.json,
# area.md and plots. What has not changed since the last run is not run again.
#   make synth                     the default table
#   make synth-full                every element, period and library
#   make synth LANES=8 ACC=fp16 FRAC=13 FORMATS=e4m3fn,e5m2 WINDOW=late PERIOD=6 LIB=path.lib     your own element; any
#                                  of these. ACC=fp32, fp16 or fixed; WINDOW=products, late, or static (fixed)
#   make synth ONLY=regex          elements by name;  JOBS=n  runs at a time (all cores)
#   make synth-check               the netlists of the table run the RTL's vectors, against the C model
#   make synth-check CHECK=regex   those whose name, or whose element's, matches

SYNTH_GIVEN = $(if $(filter command,$(firstword $(origin $(1)))),$($(1)))
SYNTH_OPTION = $(if $(call SYNTH_GIVEN,$(1)),--$(2) '$(call SYNTH_GIVEN,$(1))')
SYNTH_OPTIONS = $(call SYNTH_OPTION,LANES,lanes) $(call SYNTH_OPTION,ACC,acc) $(call SYNTH_OPTION,FRAC,frac) \
  $(call SYNTH_OPTION,FORMATS,formats) $(call SYNTH_OPTION,WINDOW,window) $(call SYNTH_OPTION,PERIOD,period) \
  $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,JOBS,jobs) $(call SYNTH_OPTION,ONLY,only)
SYNTH := synth --build $(BUILD) --model $(BUILD)/model/fp8mac

.PHONY: synth synth-full
synth synth-full: $(REGS_SV) $(BUILD)/model/fp8mac
	@$(PYTHON) $(SYNTH) $(if $(filter synth-full,$@),--full) $(SYNTH_OPTIONS)

# After `make synth`: what area.json quotes.
CHECK :=
.PHONY: synth-check
synth-check: element-bench
	@VERILATOR=$(VERILATOR) CXX=$(CXX) PYTHONPATH=synth $(PYTHON) -m flow.simulate --build $(BUILD) --only '$(CHECK)' \
	  $(call SYNTH_OPTION,JOBS,jobs) $(call SYNTH_OPTION,LIB,lib)

include synth/energy/build.mk
