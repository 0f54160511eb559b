# SPDX-License-Identifier: Apache-2.0
# Area of the elements and their INT8 baselines, at a clock that OpenSTA confirms. Results: $(BUILD)/synth/area.json,
# area.md and plots. A run that is in the cache ($(BUILD)/synth/cache) is not repeated.
#   make synth                     the default table
#   make synth-full                every element and array, in every usual library
#   make synth ELEMENT=aligned_fp16 FRAC_BITS=13 LANES=16 FORMATS=e4m3fn,e5m2 PERIOD=6 LIB=path.lib
#                                  an element of your own. ELEMENT and any of the others, with the values of `make run`.
#                                  With ROWS= or COLS= the whole array is measured. LIB may name several files of one
#                                  library, and compressed ones (.lib.gz): LIB='a.lib.gz b.lib.gz'
#   make synth DONT_USE='*probe* *lpflow*'   cells that are not used;  CLOCK_FO4=60.5  the period in FO4 delays of LIB
#   make synth ONLY=regex          entries of synth-full by name;  JOBS=n  runs at a time (default: all cores)
#   make synth VARIANTS=1          one netlist of each point in place of the median of three: faster, with more noise
#   make synth EFFORTS=area        some efforts of the recipe (synth/flow/recipe.py) in place of all. Baselines get all.
#   make synth-fo4 LIB=path.lib    the FO4 delay of a library, and its default clock
#   make synth-accel               the accelerator without its memories: area and worst path of each block.
#                                  CONFIG='ROWS=2 LANES=4' changes its parameters, PART=MODULE measures a module alone,
#                                  BOXES=MODULE leaves out more modules, EFFORTS= names efforts of the recipe, DEPTH=
#                                  levels of instances in the tables, INSTANCES=1 areas by instance, CLOCK_GATES=4 a clock
#                                  gate before flip-flops with the same enable, if they are at least four. MINIMAL=1
#                                  measures the minimal accelerator, as in synth-memories and synth TARGET=
#   make synth-shape-areas         what fp8mac plan knows of areas, from synth/results. An accelerator of another shape
#                                  gets there by make synth-functions APART=1 ONLY='^none$' CONFIG=... and then
#                                  make synth-report FROM=build/synth/functions.json. If CONFIG names functions, it is one
#                                  of the two whole accelerators, FP8 and INT8, that the page compares
#   make synth-functions           the area of the accelerator without each function that can be left out, and without all
#                                  of them. CONFIG= as above; ONLY=regex chooses some; APART=1 keeps modules
#                                  apart, which is faster
#   make synth TARGET=xilinx       cells of an FPGA, xilinx or ecp5: the default element, its baseline, the accelerator
#   make synth-fpga-clock          the default element as it is, for an FPGA, and its INT8 baseline, placed and routed on an
#                                  ECP5: LUT, DSP and clock. LANES=, FRAC_BITS=, ONLY=regex, BOARD_SEED=
#   make synth-memories            the area of the accelerator's memories, from the area of a bit in published macros
#   make synth-gates               modules of the accelerator with clock gates that synthesis inserts, and without. ONLY=regex
#                                  chooses some, CLOCK_GATES='3 4 8' other least numbers of flip-flops
#   make synth-stock               the elements of 16 lanes in the stock flow of Yosys, which makes no full-adder cells
#   make synth-wires               the netlists of area.json in OSU018 are placed (Coriolis) and routed (qrouter), and
#                                  OpenSTA times them with the wires: $(BUILD)/synth/layout.json. ONLY=regex chooses some.
#                                  APART=1: elements with block accumulation in two netlists, the sum of one of them
#                                  and what they share
#   make synth-report              synth/AREA.md and ENERGY.md from synth/results, and into $(BUILD)/docs-src/results the pages
#                                  with every figure, and plots, as `make docs` does;
#                                  FROM=build/synth/area.json takes the records of a measurement into the results first
#   make synth-stale               which results are of other RTL than the tree's
#   make synth-check               the netlists of the table run the RTL's vectors, against the golden model
#   make synth-check CHECK=regex   those whose name, or whose element's, matches
#   make synth-check-chip          the netlist of a small accelerator in the simulated chip runs the firmware's selftest
#                                  and the digits (sim/gates); a part of synth-check without CHECK=. ROWS=, COLS= and
#                                  LANES= choose another array; AS_MAPPED=1 leaves out sizing and buffers

SYNTH_GIVEN = $(if $(filter command,$(firstword $(origin $(1)))),$($(1)))
SYNTH_OPTION = $(if $(call SYNTH_GIVEN,$(1)),--$(2) '$(call SYNTH_GIVEN,$(1))')
SYNTH_CONFIG = $(if $(ACCEL_CONFIG),--config '$(ACCEL_CONFIG)')
SYNTH_OPTIONS = $(call SYNTH_OPTION,ELEMENT,element) $(call SYNTH_OPTION,LANES,lanes) \
  $(call SYNTH_OPTION,FRAC_BITS,frac-bits) $(call SYNTH_OPTION,FORMATS,formats) $(call SYNTH_OPTION,ROWS,rows) \
  $(call SYNTH_OPTION,COLS,cols) $(call SYNTH_OPTION,PERIOD,period) $(call SYNTH_OPTION,LIB,lib) \
  $(call SYNTH_OPTION,DONT_USE,dont-use) $(call SYNTH_OPTION,CLOCK_FO4,clock-fo4) $(call SYNTH_OPTION,JOBS,jobs) \
  $(call SYNTH_OPTION,ONLY,only) $(call SYNTH_OPTION,VARIANTS,variants) $(call SYNTH_OPTION,EFFORTS,efforts)
# Where set-up has put the cell libraries (synth/study/libraries.py)
export CELLS := $(abspath $(BUILD)/cells)
SYNTH := $(PYTHON) -B -m synth
SYNTH_MEASURE = $(SYNTH) measure --build $(BUILD) --model $(BUILD)/model/fp8mac $(if $(filter synth-full,$),--full) $(SYNTH_OPTIONS)
SYNTH_FPGA_OPTIONS = $(foreach v,ELEMENT=element LANES=lanes FRAC_BITS=frac-bits JOBS=jobs ONLY=only, \
  $(call SYNTH_OPTION,$(word 1,$(subst =, ,$(v))),$(word 2,$(subst =, ,$(v))))) $(SYNTH_CONFIG)

# The cells of an FPGA are counted without a clock and without these choices of an element.
ifneq (,$(TARGET))
$(foreach v,FORMATS ROWS COLS PERIOD CLOCK_FO4 LIB DONT_USE VARIANTS EFFORTS,\
  $(if $(call SYNTH_GIVEN,$(v)),$(error $(v) has no effect with TARGET=$(TARGET))))
else ifneq (,$(filter synth,$(MAKECMDGOALS)))
$(foreach v,CONFIG MINIMAL,$(if $(call SYNTH_GIVEN,$(v)),$(error $(v) has no effect on synth without TARGET)))
endif
ifneq (,$(and $(call SYNTH_GIVEN,PART),$(call SYNTH_GIVEN,MINIMAL)))
$(error MINIMAL has no effect with PART, whose parameters CONFIG gives)
endif

.PHONY: synth-fpga-clock
synth-fpga-clock: $(RTL_GENERATED)
	@$(SYNTH) fpga_clock --build $(BUILD) --seed '$(BOARD_SEED)' $(call SYNTH_OPTION,LANES,lanes) \
	  $(call SYNTH_OPTION,FRAC_BITS,frac-bits) $(call SYNTH_OPTION,ONLY,only)

.PHONY: synth synth-full synth-report synth-stale synth-check synth-functions synth-accel synth-fo4 synth-memories synth-shapes synth-shape-areas synth-stock synth-wires synth-gates
synth synth-full: $(RTL_GENERATED) $(BUILD)/model/fp8mac
	@$(if $(TARGET),$(SYNTH) fpga --build $(BUILD) --target '$(TARGET)' $(SYNTH_FPGA_OPTIONS),$(SYNTH_MEASURE))

synth-memories: $(RTL_GENERATED)
	@$(SYNTH) memories --build $(BUILD) $(SYNTH_CONFIG)

synth-shapes: $(BUILD)/model/fp8mac
	@$(SYNTH) shapes --model $<

# From accel_shapes.json in synth/results, where every accelerator stands with its command
synth-shape-areas:
	@$(SYNTH) shape_areas

synth-gates: $(RTL_GENERATED)
	@$(SYNTH) gates --build $(BUILD) $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,DONT_USE,dont-use) \
	  $(call SYNTH_OPTION,CLOCK_GATES,clock-gates) $(call SYNTH_OPTION,ONLY,only)

synth-stock: $(RTL_GENERATED)
	@$(SYNTH) stock --build $(BUILD)

synth-wires: $(RTL_GENERATED)
	@$(SYNTH) layout --build $(BUILD) --python $(BUILD)/layout/bin/python $(call SYNTH_OPTION,ONLY,only) \
	  $(call SYNTH_OPTION,APART,apart)

synth-report:
	@$(SYNTH) report $(call SYNTH_OPTION,FROM,from) --out synth --figures $(DOCS_RESULTS_DIR)

# Pages of `make docs` that are not committed: every figure of area and energy
SYNTH_FIGURES := $(DOCS_RESULTS_DIR)/area.md $(DOCS_RESULTS_DIR)/energy.md
DOCS_RESULTS += $(SYNTH_FIGURES)
$(SYNTH_FIGURES) &: $(wildcard synth/*/*.py synth/*/*.md synth/results/*)
	@$(SYNTH) report --figures $(DOCS_RESULTS_DIR)

synth-stale: $(RTL_GENERATED)
	@$(SYNTH) stale --build $(BUILD)

synth-accel: $(RTL_GENERATED)
	@$(SYNTH) accel --build $(BUILD) $(SYNTH_CONFIG) $(call SYNTH_OPTION,BOXES,boxes) \
	  $(call SYNTH_OPTION,PART,part) \
	  $(call SYNTH_OPTION,PERIOD,period) $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,DONT_USE,dont-use) \
	  $(call SYNTH_OPTION,EFFORTS,efforts) $(call SYNTH_OPTION,DEPTH,depth) $(call SYNTH_OPTION,INSTANCES,instances) \
	  $(call SYNTH_OPTION,CLOCK_GATES,clock-gates)

synth-functions: $(RTL_GENERATED)
	@$(SYNTH) functions --build $(BUILD) --functions '$(MINIMAL_FUNCTIONS)' $(call SYNTH_OPTION,CONFIG,config) \
	  $(call SYNTH_OPTION,ONLY,only) $(call SYNTH_OPTION,APART,apart)

synth-fo4:
	@$(SYNTH) fo4 $(call SYNTH_OPTION,LIB,lib) $(call SYNTH_OPTION,DONT_USE,dont-use)

# After `make synth`: the netlists that area.json quotes.
CHECK :=
synth-check: element-bench $(if $(CHECK),,synth-check-chip)
	@VERILATOR=$(VERILATOR) CXX=$(CXX) $(SYNTH) check --build $(BUILD) --only '$(CHECK)' \
	  $(call SYNTH_OPTION,JOBS,jobs) $(call SYNTH_OPTION,LIB,lib)

include synth/energy/build.mk
