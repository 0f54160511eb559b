# SPDX-License-Identifier: Apache-2.0
# fp8mac: `make help` lists what there is. One fragment (build.mk) per folder; everything built goes to $(BUILD).

BUILD := build
CC := gcc
CXX := g++
VERILATOR := verilator
RISCV_PREFIX := riscv64-unknown-elf-

# The array: ROWS x COLS elements with LANES products a cycle each.
ROWS := 8
COLS := 8
LANES := 4
# The kind of element, and the width of its alignment window (empty: the kind's default).
ELEMENT := exact
FRAC_BITS :=
# The program that `make run` runs: a folder of APPS_DIR.
APP := digits
APPS_DIR := firmware/apps
# 1: the simulator writes waveforms.
TRACE := 0
TRACING := $(filter-out 0,$(TRACE))

include tools/variables.mk

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help setup run test lint clean
all: model rtl firmware sim

# Use every core unless told otherwise.
ifeq (0,$(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)))
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules

# What Python compiles goes to the build folder too.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(BUILD)/pycache

# One line for each product; V=1 prints whole commands instead.
V := 0
VERBOSE := $(filter-out 0,$(V))
Q := $(if $(VERBOSE),,@)
say = $(if $(VERBOSE),,@printf '  %-9s %s\n' '$(1)' '$(2)')

# What is generated from the catalogue of elements.
CATALOGUE_DIR := $(BUILD)/catalogue
CATALOGUE_FILES := $(addprefix $(CATALOGUE_DIR)/,catalogue.mk fp8mac_catalogue_pkg.sv fp8mac/catalogue.h element_kind.rdl \
  elements.md)

# Set-up: before a goal is built, tools/setup.sh installs what the goal's parts need. Goals that are not listed here,
# and files, may need everything.
NO_SETUP_GOALS := help clean
SETUP_PARTS := model python rtl firmware sim synth tests
setup_parts_model := model
setup_parts_cli := model
setup_parts_install-model := model
setup_parts_rtl := model python rtl
setup_parts_regs := model python rtl
setup_parts_firmware := model python firmware
setup_parts_sim := model python sim
setup_parts_run := model python firmware sim
setup_parts_all := model python rtl firmware sim
setup_parts_synth := model python synth
setup_parts_synth-full := model python synth
setup_parts_synth-report := model python synth
setup_goals := $(filter-out $(NO_SETUP_GOALS),$(or $(MAKECMDGOALS),all))
setup_wanted := $(foreach goal,$(setup_goals),$(or $(setup_parts_$(goal)),$(SETUP_PARTS)))
setup_parts := $(strip $(foreach part,$(SETUP_PARTS),$(if $(filter $(part),$(setup_wanted)),$(part))))
empty :=
space := $(empty) $(empty)
SETUP_ENV := $(BUILD)/env/$(subst $(space),-,$(setup_parts)).mk

ifneq (,$(setup_goals))
include $(SETUP_ENV)
include $(CATALOGUE_DIR)/catalogue.mk tools/array.mk
# Each fragment appends the logs of its tests to TESTS, or to TESTS_LONG if only `make test-long` runs them.
TESTS :=
TESTS_LONG :=
include model/build.mk rtl/build.mk firmware/build.mk sim/build.mk synth/build.mk tests/build.mk tools/run.mk tools/lint.mk \
  examples/build.mk
endif

$(BUILD)/env/%.mk: tools/setup.sh tools/packages.txt tools/requirements.txt
	@mkdir -p $(BUILD) && touch $(BUILD)/FUSESOC_IGNORE
	@tools/setup.sh $(BUILD) $@ $(subst -, ,$*)

$(CATALOGUE_FILES) &: rtl/catalogue/elements.toml rtl/catalogue/catalogue.py | $(SETUP_ENV)
	@python3 rtl/catalogue/catalogue.py --out $(CATALOGUE_DIR)
	@touch $(CATALOGUE_FILES)

help:
	@sed -n 's/^#: \(.*\)/\1/p' $(firstword $(MAKEFILE_LIST))

#: make run                  firmware on the simulated chip classifies handwritten digits, every output checked
#: make run APP=gemm M=.. N=.. K=.. A=e5m2fnuz B=e4m3fn ACC=fp16 ...
#:                           one scaled GEMM of any shape and format, checked (a bad value lists the good ones)
#: make run TRACE=1 ...      the same with a waveform: TRACE_FILE=.. TRACE_FROM=cycle TRACE_TO=cycle
#: make test                 every behaviour once, counted: 15 minutes at most on two cores
#: make test-long            all of it, and more parameter sets, seeded faults, random steps; all 2^32 float32: hours
#: make bench                the model's speed beside PyTorch, ml_dtypes, gfloat and OpenBLAS (fetches them: 5 GB)
#: make lint                 every style checker, and Verilator -Wall over every module and parameter set
#: make format               the formatters of C, C++ and Python
#: make model|rtl|firmware|sim   one part;  make regs  register RTL, C header and HTML
#: make install-model        libfp8mac with headers and pkg-config, the tool fp8mac and its man page (DESTDIR=, PREFIX=)
#: make cli                  the tool build/model/fp8mac
#: make dpi-example          the model as a SystemVerilog scoreboard of an element
#: make formal | formal-long  queues, handshakes, interrupts and the issue of steps, proved with SymbiYosys | deeper
#: make synth                area of the elements beside their INT8 baselines, at a clock that OpenSTA confirms, minutes
#: make synth ELEMENT=late_fp16 FRAC_BITS=13 LANES=16 FORMATS=.. PERIOD=ns LIB=path.lib
#:                           the same for an element of your own; with ROWS= or COLS= for a whole array
#: make synth-full           every element, clock period and library, hours
#: make synth-report         the page synth/AREA.md and its plots, from the results in synth/results
#: make synth-check          the table's netlists run the RTL's vectors in Verilator; small ones are proved equal to it
#: make synth-energy         energy of those netlists on real operands, indicative
#: make examples             the model in C and Python, the accelerator in a small system, a cocotb test (examples/)
#: make setup                install and check the tools, and nothing else
#: make clean                remove everything that was built
#: ROWS= COLS= LANES= (8 8 4)   size of the array, for run, sim and rtl
#: ELEMENT=exact|aligned_fp32|aligned_fp16|late_fp32|late_fp16|kulisch   what it is made of, for run and sim; of a window
#:                           FRAC_BITS= (25 for FP32, 13 for FP16)
setup:
	@echo 'setup: everything is in place'

clean:
	rm -rf $(BUILD)
