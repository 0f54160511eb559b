# SPDX-License-Identifier: Apache-2.0
# fp8mac: `make help` lists what there is. One fragment (build.mk) per folder; everything built goes to $(BUILD).

BUILD := build
CC := gcc
CXX := g++
VERILATOR := verilator
RISCV_PREFIX := riscv64-unknown-elf-

# The array: ROWS x COLS elements with LANES products a cycle each.
ROWS := 4
COLS := 4
LANES := 16
# The kind of element, and the width of its alignment window (empty: the kind's default).
ELEMENT := block
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
# 1: the simulator's fast mode.
FAST := 0
TIMED := 0
# `make waves` runs a simulator that writes waveforms.
TRACING := $(filter waves,$(MAKECMDGOALS))

include tools/variables.mk

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help setup run waves test lint clean
all: model rtl firmware sim

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

# Set-up: before make builds a goal, tools/setup.sh installs what the goal's parts need. Files and goals that are not
# listed here get the parts SETUP_PARTS.
NO_SETUP_GOALS := help clean
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
setup_parts_bench-cycles := model python firmware sim
setup_parts_bench-report := model python
setup_parts_bench-core := model python firmware sim
setup_parts_bench := model python firmware sim
setup_parts_bench-model := model python
setup_parts_fp8net := model python package networks
setup_parts_networks-report := model python package networks firmware speech sim
setup_parts_networks-tiny := $(setup_parts_networks-report)
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
setup_parts_test-long := $(SETUP_PARTS) compilers layout clothes
setup_parts_$(BUILD)/test/example_fashion_all.log := $(SETUP_PARTS) clothes
setup_parts_example-fashion-all := model python package networks clothes
setup_parts_example-fashion := model python package networks
setup_parts_fpga := model python firmware rtl fpga
setup_parts_synth-fpga-clock := model python rtl fpga
setup_parts_$(BUILD)/test/model-compilers.log := $(setup_parts_test-long)
setup_parts_$(BUILD)/test/synth_layout_routed.log := $(SETUP_PARTS) layout
setup_goals := $(filter-out $(NO_SETUP_GOALS),$(or $(MAKECMDGOALS),all))
setup_wanted := $(foreach goal,$(setup_goals),$(or $(setup_parts_$(goal)),$(SETUP_PARTS)))
setup_parts := $(strip $(foreach part,$(SETUP_PARTS) compilers layout clothes fpga,$(if $(filter $(part),$(setup_wanted)),$(part))))
empty :=
space := $(empty) $(empty)
comma := ,
SETUP_ENV := $(BUILD)/env/$(subst $(space),-,$(setup_parts)).mk

ifneq (,$(setup_goals))
include $(SETUP_ENV)
include $(CATALOGUE_DIR)/catalogue.mk tools/array.mk
# Each fragment appends the logs of its tests to TESTS; tests/tests.txt says which command runs them.
TESTS :=
# Python tests, one file each; tests/pytest.ini has the options
PYTEST = $(PYTHON) -B -m pytest -c tests/pytest.ini
PYTEST_FILES := tests/conftest.py tests/pytest.ini
include tools/verilate.mk rtl/build.mk model/build.mk firmware/build.mk firmware/fp8net/build.mk sim/build.mk tools/run.mk sim/waves/waves.mk rtl/board/build.mk synth/build.mk \
  tests/build.mk tools/lint.mk examples/build.mk
endif

$(BUILD)/env/%.mk: tools/setup.sh tools/packages.txt tools/requirements.txt tools/requirements-networks.txt \
  $(foreach part,$(filter layout fpga,$(setup_parts)),tools/requirements-$(part).txt)
	@mkdir -p $(BUILD) && touch $(BUILD)/FUSESOC_IGNORE
	@tools/setup.sh $(BUILD) $@ $(subst -, ,$*)

$(CATALOGUE_FILES) &: rtl/catalogue/elements.toml $(wildcard rtl/catalogue/*.py) | $(SETUP_ENV)
	@python3 rtl/catalogue/catalogue.py --out $(CATALOGUE_DIR)
	@touch $(CATALOGUE_FILES)

help:
	@sed -n 's/^#: \{0,1\}\(.*\)/\1/p' $(firstword $(MAKEFILE_LIST))
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

#: fp8mac: an array of FP8 multiply-accumulate elements in SystemVerilog, its bit-exact golden model in C, firmware
#: for a simulated RISC-V chip around it, and a study of its area. Everything that is built goes to build/.
#:
#: Start here:
#:   make run              simulate the chip: its firmware classifies handwritten digits, and every output is checked
#:   make run APP=gemm M=70 N=33 K=200 A=e5m2fnuz B=e4m3fn ACC=fp16
#:                         one matrix product of any shape and format
#:   make run ELEMENT=late_fp16 FRAC_BITS=13
#:                         the same chip with another kind of processing element
#:   make run FAST=1       the same cycles and bits, simulated faster: C code computes what the array computes
#:   make run TIMED=1      the same cycles and bytes, faster still: the accelerator is its registers and models in C
#:   make waves APP=gemm TRACE_FROM=0 TRACE_TO=20000
#:                         write a waveform, build/APP.fst, and a GTKWave view of it
#:   make test             run and count the tests: about 15 minutes on two cores
#:
#: Parts:
#:   make model            the golden model: build/model/libfp8mac.a and .so
#:   make cli              the command-line tool build/model/fp8mac
#:   make install-model    install the model and the tool
#:   make install-firmware install the firmware library for the host and for the chip
#:   make dpi-example      the model as a SystemVerilog scoreboard of an element
#:   make rtl | regs       the RTL's sources | the register map as RTL, C header and HTML
#:   make rtl-release      the accelerator as one plain Verilog file, for a chip: docs/INTEGRATION.md
#:   make fpga             a bitstream of the chip for the board ULX3S-85F: docs/HOWTO.md
#:   make firmware | sim   the applications for chip and host | the simulator
#:   make fp8net           the tool that makes a C program of an ONNX file: build/fp8net/fp8net, docs/NETWORKS.md
#:   make examples         the model in C and Python, a trained network, the accelerator in a small system, a cocotb test
#:   make figures          the figures of published papers, computed by the model: docs/FIGURES.md; FIGURE=sqnr for one
#:   make docs             HTML of the documents, the C interfaces, the RTL modules and the registers: build/docs
#:
#: Area study:
#:   make synth            area of the elements beside their INT8 baselines, minutes
#:   make synth ELEMENT=aligned_fp16 FRAC_BITS=13 LANES=16 FORMATS=e4m3fn,e5m2 PERIOD=6 LIB=path.lib
#:                         the same for an element of your choice; with ROWS= or COLS= for a whole array
#:   make synth-fo4        the FO4 delay of a cell library, and the clock that is its default
#:   make synth TARGET=xilinx | ecp5  LUTs, flip-flops, DSPs and RAMs of an FPGA, minutes
#:   make synth-fpga-clock  the default element for an FPGA beside INT8, placed and routed, minutes
#:   make synth-memories   the area of the memories, from published areas of a bit
#:   make synth-stock      the elements of 16 lanes in the stock flow of Yosys, minutes
#:   make synth-wires      the netlists of `make synth`, placed and routed: utilisation, wire length, slack
#:   make synth-accel      the accelerator without its memories: area and worst path of each block, an hour
#:   make synth-full       every element and array, in every usual cell library, hours
#:   make synth-report     synth/AREA.md, its figures and plots, synth/ENERGY.md, from the results in synth/results
#:   make synth-stale      which results in synth/results are of other RTL than today's
#:   make synth-check      simulate the synthesised netlists against the golden model; firmware on a chip of gates
#:   make synth-energy     energy of the netlists of `make synth` on real operands, in pJ for each MAC
#:
#: Checks and tools:
#:   make test-long        all tests, with more parameter sets, seeded faults and data: hours
#:   make test-cost        where the processor time of the last `make test` went; fails above the budget
#:   make formal | formal-long  proofs of queues, handshakes, interrupts and the issue of steps | deeper ones
#:   make mutants          small faults in the sources, each of which some test should find: hours
#:   make lint | format    check the style and the RTL | apply the formatters
#:   make bench            bench-system and bench-model, one after the other
#:   make bench-system     throughput of the simulated chip on squares, vectors and layers of networks: half an hour
#:                         WORKLOADS=layers.csv: a list of layers on the chip, beside the model of cycles
#:   make bench-core       the core's constants of fp8mac cycles, from the simulated chip
#:   make bench-cycles     the cycles of those results again, on the timing model: seconds
#:   make bench-report     the page docs/THROUGHPUT.md, from the results in sim/bench/results.json
#:   make networks-report | networks-tiny  tables of docs/NETWORKS.md: quality and cycles of networks from files | compare that of MLPerf Tiny
#:   make lists            cycles of recorded networks in a dump of the chip's memory, by the model: docs/TIMING.md
#:   make sim-speed        speed of the simulators beside the core with RAM alone
#:   make bench-model      speed of the model beside PyTorch, ml_dtypes, gfloat and OpenBLAS (downloads 0.4 GB)
#:   make setup | clean    install and check all tools | remove everything that was built
#:
setup:
	@echo 'setup: everything is in place'

clean:
	rm -rf $(BUILD)
