# SPDX-License-Identifier: Apache-2.0
# fp8mac: `make help` lists what there is, `make help-all` all of it. One fragment (build.mk) per folder; everything built goes to $(BUILD).

BUILD := build
CC := gcc
CXX := g++
VERILATOR := verilator
RISCV_PREFIX := riscv64-unknown-elf-

# The array: ROWS x COLS elements with LANES products a cycle each.
ROWS := 4
COLS := 4
LANES := 16
# 1: the chip for inference: its element has the fraction bits that networks need, and FP32 accumulators alone (docs/WIDTHS.md).
INFERENCE := 0
# The kind of element, and the width of its alignment window (empty: the kind's default).
ELEMENT := $(if $(filter 1,$(INFERENCE)),block64_fp32,block)
FRAC_BITS :=
# Bits of a beat of the accelerator's bus.
AXI_DATA_W := 128
# 1: the minimal accelerator, without the functions that can be left out (docs/INTEGRATION.md).
MINIMAL := 0
# 1: the simulated chip has the integer requantiser in the place of the FP32 epilogue (docs/INTEGRATION.md).
REQUANTISE := 0
# The program that `make run` runs: a folder of APPS_DIR.
APP := digits
APPS_DIR := firmware/apps
TIMED := 0
# `make waves` runs a simulator that writes waveforms.
TRACING := $(filter waves,$(MAKECMDGOALS))

include tools/variables.mk

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help help-all setup run waves test lint clean
all: model rtl firmware sim

# The letter, with -n, -q or -t: make then installs and generates nothing.
DRY_RUN := $(strip $(foreach letter,n q t,$(findstring $(letter),$(filter-out --%,$(firstword -$(MAKEFLAGS))))))

# Use every core unless the command line has -j.
ifeq (0,$(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)))
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules

# Python's compiled files go to the build folder too.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(BUILD)/pycache

# make prints one line for each product, or whole commands with V=1.
V := 0
VERBOSE := $(filter-out 0,$(V))
Q := $(if $(VERBOSE),,@)
say = $(if $(VERBOSE),,@printf '  %-9s %s\n' '$(1)' '$(2)')

# What is generated from the catalogue of elements.
CATALOGUE_DIR := $(BUILD)/catalogue
CATALOGUE_FILES := $(addprefix $(CATALOGUE_DIR)/,catalogue.mk fp8mac_catalogue_pkg.sv fp8mac/catalogue.h element_kind.rdl \
  elements.md)

# Pages of results that generators write for the HTML documentation: tools/docs/build_docs.py says how.
DOCS_RESULTS_DIR := $(BUILD)/docs-src/results
DOCS_RESULTS :=

# Set-up: before make builds a goal, tools/setup.sh installs what the goal's parts need. Files and goals that are not
# listed here get the parts SETUP_PARTS.
NO_SETUP_GOALS := help help-all clean
SETUP_PARTS := model python package networks rtl firmware speech sim synth tests
setup_parts_model := model
setup_parts_cli := model
setup_parts_install-model := model
setup_parts_install-firmware := model python firmware sim
setup_parts_rtl := model python rtl
setup_parts_rtl-release := model python synth
setup_parts_regs := model python rtl
setup_parts_firmware := model python firmware speech
setup_parts_sim := model python sim
setup_parts_run := model python firmware sim $(filter speech,$(APP:vad=speech))
setup_parts_waves := $(setup_parts_run)
setup_parts_sim-speed := model python firmware sim
setup_parts_bench-system := model python firmware sim
setup_parts_accept := model python package networks firmware speech sim clothes
setup_parts_accept-quality := model python package networks firmware clothes
setup_parts_accept-cycles := model python firmware speech sim
setup_parts_accept-sizes := model python firmware speech sim
setup_parts_accept-rows := model python rtl
setup_parts_accept-speed := model python
setup_parts_accept-formats := model python package networks speech clothes
setup_parts_accept-networks := model python package networks firmware speech sim
setup_parts_accept-widths := model python package networks firmware speech
setup_parts_page-figures := model python
setup_parts_bench-core := model python firmware sim
setup_parts_bench := model python firmware sim
setup_parts_bench-model := model python
setup_parts_fp8net := model python package networks
setup_parts_networks-tiny := model python package networks firmware speech sim
setup_parts_figures := model python package speech
setup_parts_all := model python rtl firmware speech sim
setup_parts_synth := model python synth
setup_parts_synth-full := model python synth
setup_parts_synth-report := model python synth
setup_parts_synth-stale := model python synth
setup_parts_synth-accel := model python synth
setup_parts_synth-fo4 := model python synth
setup_parts_synth-memories := model python synth
setup_parts_synth-stock := model python synth
setup_parts_synth-wires := model python synth layout
setup_parts_docs := model python docs
setup_parts_docs-sources := model python
setup_parts_$(BUILD)/test/docs-html.log := model python docs
setup_parts_test-long := $(SETUP_PARTS) compilers layout clothes docs
setup_parts_$(BUILD)/test/example_fashion_all.log := $(SETUP_PARTS) clothes
setup_parts_example-fashion-all := model python package networks clothes
setup_parts_example-fashion := model python package networks
setup_parts_fpga := model python firmware rtl fpga
setup_parts_synth-fpga-clock := model python rtl fpga
setup_parts_$(BUILD)/test/model-compilers.log := $(setup_parts_test-long)
setup_parts_$(BUILD)/test/synth_layout_routed.log := $(SETUP_PARTS) layout
# Files of these folders of BUILD need what a goal needs: FOLDER:GOAL.
setup_folders := model:model model-san:model
setup_goal_of = $(firstword $(foreach one,$(setup_folders),$(if \
  $(filter $(BUILD)/$(firstword $(subst :, ,$(one)))/%,$(1)),$(lastword $(subst :, ,$(one))))))
setup_parts_of = $(or $(setup_parts_$(1)),$(setup_parts_$(setup_goal_of)),$(SETUP_PARTS))
setup_goals := $(filter-out $(NO_SETUP_GOALS),$(or $(MAKECMDGOALS),all))
setup_wanted := $(foreach goal,$(setup_goals),$(call setup_parts_of,$(goal)))
setup_parts := $(strip $(foreach part,$(SETUP_PARTS) compilers layout clothes fpga docs,$(if $(filter $(part),$(setup_wanted)),$(part))))
empty :=
space := $(empty) $(empty)
comma := ,
SETUP_ENV := $(BUILD)/env/$(subst $(space),-,$(setup_parts)).mk

SETUP_FROM := tools/setup.sh tools/packages.txt tools/cells.txt tools/requirements.txt tools/requirements-networks.txt \
  tools/requirements-data.txt \
  $(foreach part,$(filter layout fpga docs,$(setup_parts)),tools/requirements-$(part).txt)
CATALOGUE_FROM := rtl/catalogue/elements.toml $(wildcard rtl/catalogue/*.py)

# Included files are made even with -n. So without them make says what is missing, and reads no further. The set-up of more
# parts does as well.
ifneq (,$(and $(DRY_RUN),$(setup_goals)))
env_parts = $(subst -, ,$(basename $(notdir $(1))))
SETUP_ENV := $(firstword $(wildcard $(SETUP_ENV)) $(foreach env,$(wildcard $(BUILD)/env/*.mk),$(if \
  $(filter-out $(call env_parts,$(env)),$(setup_parts)),,$(env))) $(SETUP_ENV))
GENERATED_MAKEFILES := $(SETUP_ENV) $(CATALOGUE_DIR)/catalogue.mk
setup_missing := $(shell tools/setup.sh --missing $(BUILD) $(SETUP_ENV) $(setup_parts))
dry_run_missing := $(filter-out $(wildcard $(GENERATED_MAKEFILES)),$(GENERATED_MAKEFILES))
dry_run_missing += $(shell find $(SETUP_FROM) -newer $(SETUP_ENV) 2>/dev/null)
dry_run_missing += $(shell find $(CATALOGUE_FROM) -newer $(CATALOGUE_DIR)/catalogue.mk 2>/dev/null)
endif
ifneq (,$(strip $(dry_run_missing)))
.PHONY: $(setup_goals) dry-run-setup
$(setup_goals): dry-run-setup
dry-run-setup:
	tools/setup.sh $(BUILD) $(SETUP_ENV) $(setup_parts)
$(info make -$(DRY_RUN): set-up comes first, and nothing was done. $(setup_missing) Run `make setup`, or the goal without -$(DRY_RUN).)
else ifneq (,$(setup_goals))
include $(SETUP_ENV)
include $(CATALOGUE_DIR)/catalogue.mk tools/array.mk
# Each fragment appends the logs of its tests to TESTS; tests/tests.txt says which command runs them.
TESTS :=
# Python tests, one file each; tests/pytest.ini has the options
PYTEST = $(PYTHON) -B -m pytest -c tests/pytest.ini
PYTEST_FILES := tests/conftest.py tests/pytest.ini
include tools/accept/accept.mk tools/verilate.mk rtl/build.mk model/build.mk firmware/build.mk firmware/fp8net/build.mk sim/build.mk tools/run.mk sim/waves/waves.mk rtl/board/build.mk synth/build.mk \
  tests/build.mk tools/lint.mk examples/build.mk tools/docs/build.mk
endif

ifeq (,$(DRY_RUN))
$(BUILD)/env/%.mk: $(SETUP_FROM)
	@mkdir -p $(BUILD) && touch $(BUILD)/FUSESOC_IGNORE
	@tools/setup.sh $(BUILD) $@ $(subst -, ,$*)

$(CATALOGUE_FILES) &: $(CATALOGUE_FROM) | $(SETUP_ENV)
	@python3 rtl/catalogue/catalogue.py --out $(CATALOGUE_DIR)
	@touch $(CATALOGUE_FILES)
endif

# What begins with `#:` is the short help, what begins with `#+` the rest.
help:
	@sed -n 's/^#: \{0,1\}\(.*\)/\1/p' $(firstword $(MAKEFILE_LIST))

help-all:
	@sed -n 's/^#[:+] \{0,1\}\(.*\)/\1/p' $(firstword $(MAKEFILE_LIST))
	@echo 'Applications (make run APP=name) and their options:'
	@for app in $(APPS_DIR)/*/; do echo "  $$(basename $$app)"; \
	  cat $$app*.c $$app*.cpp $$app*.cc $$app*.cxx 2>/dev/null | sed -n 's|^//: \{0,1\}|    |p'; done
	@echo
	@echo 'Variables, with their defaults in brackets:'
	@grep -v "^#\|make's own" tools/variables.txt | while read -r name users meaning; do \
	  case $$users in every | run,help) users= ;; *) users=" [make $$users]" ;; esac; \
	  printf '  %-13s %s%s\n' "$$name=" "$$meaning" "$$users"; done
	@echo
	@echo 'Kinds of ELEMENT; rtl/catalogue/elements.toml describes them:'
	@sed -n 's/^\[\([a-z0-9_]*\)\]$$/  \1/p' rtl/catalogue/elements.toml

#: fp8mac: an FP8 multiply-accumulate array in SystemVerilog, its golden model in C, firmware for a simulated chip.
#:
#: Simulate the chip:
#:   make run              its firmware classifies handwritten digits, and every output is checked
#:   make run APP=gemm M=70 N=33 K=200 A=e5m2fnuz B=e4m3fn ACC=fp16
#:                         one matrix product of any shape and format; make help-all lists applications and options
#:   make run TIMED=1      the same cycles and bytes, simulated faster: the accelerator is its registers and models in C
#:   make waves            a waveform and a GTKWave view of it
#:
#: Choose INFERENCE=1 (13 fraction bits, blocks of 64, FP32 sums alone), or the array with any of these: ELEMENT=block (kind), ROWS=4 COLS=4 LANES=16 (shape), FRAC_BITS=19, AXI_DATA_W=128,
#: MINIMAL=1 (no functions that can be left out), REQUANTISE=1 (with ELEMENT=int8).
#:
#: Build a part:
#:   make model | cli      the golden model, build/model/libfp8mac.a and .so | the tool build/model/fp8mac
#:   make fp8net           the tool that makes a C program of an ONNX or TensorFlow Lite file
#:   make firmware | sim | rtl | regs  the applications | the simulator | the RTL's sources | the register map's RTL and C header
#:   make rtl-release      the accelerator as one plain Verilog file, for a chip
#:   make install-model | install-firmware  install them, below PREFIX
#:   make examples | docs  examples | pages, references and results as HTML with a search, build/docs
#:
#: Check:
#:   make test             run and count the tests: about 15 minutes on two cores
#:   make build/test/NAME.log  one test
#:   make lint | format    check the style and the RTL | apply the formatters
#:
#: Measure:
#:   make synth            area of the elements beside their INT8 baselines, minutes
#:   make synth-energy     energy of these netlists on operands of networks
#:   make bench-system     cycles of the simulated chip on squares, vectors and layers of networks: half an hour
#:   make bench-model      speed of the golden model beside PyTorch, ml_dtypes, gfloat and OpenBLAS
#:
#:   make help-all         every command, application, option and variable
#:   make setup | clean    install and check all tools | remove everything that was built
#:
#+ More parts:
#+   make dpi-example      the model as a SystemVerilog scoreboard of an element
#+   make fpga             a bitstream of the chip for the board ULX3S-85F: docs/HOWTO.md
#+   make figures          the figures of published papers, computed by the model: docs/FIGURES.md; FIGURE=sqnr for one
#+   make waves APP=gemm TRACE_FROM=0 TRACE_TO=20000
#+                         a waveform of these cycles, build/APP.fst
#+
#+ Area study:
#+   make synth ELEMENT=aligned_fp16 FRAC_BITS=13 LANES=16 FORMATS=e4m3fn,e5m2 PERIOD=6 LIB=path.lib
#+                         the same for an element of your choice; with ROWS= or COLS= for a whole array
#+   make synth-fo4        the FO4 delay of a cell library, and the clock that is its default
#+   make synth TARGET=xilinx | ecp5  LUTs, flip-flops, DSPs and RAMs of an FPGA, minutes
#+   make synth-fpga-clock  the default element for an FPGA beside INT8, placed and routed, minutes
#+   make synth-memories   the area of the memories, from published areas of a bit
#+   make synth-stock      the elements of 16 lanes in the stock flow of Yosys, minutes
#+   make synth-wires      the netlists of `make synth`, placed and routed: utilisation, wire length, slack
#+   make synth-accel      the accelerator without its memories: area and worst path of each block, an hour
#+   make synth-full       every element and array, in every usual cell library, hours
#+   make synth-report     synth/AREA.md, ENERGY.md and the pages with every figure, from synth/results
#+   make synth-stale      which results in synth/results are of other RTL than today's
#+   make synth-check      simulate the synthesised netlists against the golden model; firmware on a chip of gates
#+   make synth-energy     energy of the netlists of `make synth` on real operands, in pJ for each MAC
#+
#+ Checks and tools:
#+   make test-long        all tests, with more parameter sets, seeded faults and data: hours
#+   make test-cost        where the processor time of the last `make test` went; fails above the budget
#+   make formal | formal-long  proofs of queues, handshakes, interrupts and the issue of steps | deeper ones
#+   make mutants          small faults in the sources, each of which some test should find: hours
#+   make flips            single bits flipped in a running accelerator: masked, status, wrong, hang (tests/flips/build.mk)
#+   make bench            bench-system and bench-model, one after the other
#+   make bench-system     throughput of the simulated chip on squares, vectors and layers of networks: half an hour
#+                         WORKLOADS=layers.csv: a list of layers on the chip, beside the model of cycles
#+   make bench-core       the core's constants of fp8mac cycles, from the simulated chip
#+   make accept           measures recorded cycles and networks again, says what moved, and takes it into results and pages
#+   make accept-cycles | accept-rows | accept-sizes | accept-quality | accept-networks | accept-formats  one kind: minutes, the last two an hour; REASON= for a loss above 1 %
#+   make accept-widths    how many fraction bits networks need, docs/WIDTHS.md: half an hour; ONLY= and CASE= choose rows
#+   make accept-speed     what the last make bench-model measured, into model/SPEED.md
#+   make page-figures     the figures that pages quote, from the result files
#+   make networks-tiny    compares the results of MLPerf Tiny's networks: MLPERF_TINY=folder
#+   make lists            cycles of recorded networks in a dump of the chip's memory, by the model: docs/CYCLES.md
#+   make sim-speed        speed of the simulators beside the core with RAM alone
#+   make bench-model      speed of the model beside PyTorch, ml_dtypes, gfloat and OpenBLAS (downloads 0.4 GB)
#+
setup:
	@echo 'setup: everything is in place'

clean:
	rm -rf $(BUILD)
