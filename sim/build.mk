# SPDX-License-Identifier: Apache-2.0
# fp8mac-sim: the simulated chip, from Verilator, as a program that runs RISC-V programs.
#   make sim             $(BUILD)/sim/ROWSxCOLSxLANES-ELEMENT/fp8mac-sim
#   make sim AXI_DATA_W=64   the same with a bus of 64 bits, in a folder *-axi64
#   make waves           builds one that can write waveforms, in a folder *-trace
#   make sim FAST=1      the fast mode, in a folder *-fast: C code computes what the elements compute (sim/fast)
# IBEX_DIR is where the package pythondata-cpu-ibex keeps Ibex's sources.

$(call check_choice,FAST,0 1,0)
FAST_MODE := $(filter-out 0,$(FAST))
ifneq (,$(and $(FAST_MODE),$(filter-out $(FAST_ELEMENTS),$(ELEMENT))))
$(error FAST=1 is not possible with ELEMENT=$(ELEMENT): the fast mode knows ELEMENT=$(subst $(space), and ELEMENT=,$(FAST_ELEMENTS)))
endif
# The simulators of an array: $(SIM_BASE), with -fast, with -trace, with -fast-trace. SIM is the one asked for.
SIM_BASE := $(BUILD)/sim/$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)
SIM_DIR := $(SIM_BASE)$(if $(FAST_MODE),-fast)$(if $(TRACING),-trace)
SIM := $(SIM_DIR)/fp8mac-sim
SIM_RTL := $(SIM_BASE)/fp8mac-sim
SIM_FAST := $(SIM_BASE)-fast/fp8mac-sim
# The core with RAM alone, with which the speed of the others is compared.
SIM_CORE := $(BUILD)/sim/core/fp8mac-sim

# The installed library (firmware/install.mk) comes with the simulator.
install-firmware: $(SIM)

# Ibex: its packages are listed, its modules are found in its folder. Its primitives are rtl/system/prim_*.sv.
IBEX_PRIM := $(IBEX_DIR)/vendor/lowrisc_ip/ip/prim/rtl
IBEX_PACKAGES := $(patsubst %,$(IBEX_PRIM)/prim_%_pkg.sv,secded ram_1p util mubi count cipher) \
  $(IBEX_DIR)/rtl/ibex_pkg.sv
IBEX_FLAGS := -I$(IBEX_DIR)/vendor/lowrisc_ip/dv/sv/dv_utils -I$(IBEX_PRIM) -y $(IBEX_DIR)/rtl

SYSTEM_PACKAGE := rtl/system/fp8mac_sys_pkg.sv
SYSTEM_SOURCES := $(SYSTEM_PACKAGE) $(filter-out $(SYSTEM_PACKAGE),$(sort $(wildcard rtl/system/*.sv)))
system_inputs = $(RTL_WAIVER) $(IBEX_PACKAGES) $(1) $(SYSTEM_SOURCES)
SIM_INPUTS := $(call system_inputs,$(RTL_SIM_SOURCES))
# The fast mode replaces one module, the nest of operand feeds and elements.
SIM_INPUTS_FAST := \
  $(call system_inputs,$(filter-out rtl/array/fp8mac_nest.sv,$(RTL_SIM_SOURCES)) sim/fast/fp8mac_nest.sv)
SIM_INPUTS_CORE := $(RTL_WAIVER) $(IBEX_PACKAGES) $(SYSTEM_PACKAGE) $(sort $(wildcard rtl/system/prim_*.sv)) \
  $(patsubst %,rtl/system/fp8mac_sys_%.sv,core bus ctrl ram) sim/speed/fp8mac_system.sv
SYSTEM_FLAGS := -Wall --assert --top-module fp8mac_system $(IBEX_FLAGS)
# $(1): ROWS_COLS_LANES_AXIWIDTH, and what may follow it.
system_parameters = -GROWS=$(call lint_word,$(1),1) -GCOLS=$(call lint_word,$(1),2) \
  -GLANES=$(call lint_word,$(1),3) -GAXI_DATA_W=$(call lint_word,$(1),4)

# The simulator's --power-up sets the registers' initial values. An 'x of the sources becomes what is fastest.
SIM_VERILATOR_FLAGS := -O3 --x-initial unique --x-assign fast --no-timing \
  --output-split 20000 --output-split-cfuncs 2000
SIM_OPTIMISE := -O3
# One that writes waveforms waits for them most of the time.
$(BUILD)/sim/%-trace/model/fast_1.o $(BUILD)/sim/%-trace/model/fast_2.o $(BUILD)/sim/%-trace/model/fast_3.o: SIM_OPTIMISE := -O1
# The model is compiled in four parts (tools/units.sh), side by side.
SIM_UNITS := fast_1 fast_2 fast_3 slow

# The checker; firmware/check/build.mk lists its sources.
SIM_CHECK := $(CHECK_COMPARE) firmware/src/element.c firmware/check/random.c
SIM_SOURCES := $(wildcard sim/*.cpp) $(SIM_CHECK)
# Those that do not see the model are compiled once for all simulators.
SIM_SHARED_SOURCES := $(patsubst %,sim/%.cpp,disassemble elf_loader options ram timeline) $(SIM_CHECK)
SIM_SHARED := $(patsubst %,$(BUILD)/sim/shared/%.o,$(basename $(notdir $(SIM_SHARED_SOURCES))))
SIM_SOURCES_FAST := sim/fast/nest.cpp sim/fast/block.c
SIM_INCLUDES := -Isim -Imodel/include -I$(CATALOGUE_DIR) -Ifirmware/include $(CHECK_INCLUDES) -Ifirmware/src \
  -I$(REGS_DIR)
SIM_WARNINGS := -Wall -Wextra -Wconversion -Werror
# No warnings about Verilator's own headers. $(1): the folder of the model.
sim_model_includes = -isystem $(1) -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd

.PHONY: sim
sim: $(SIM)

# What a simulator is linked from. $(1): its folder; $(2): -trace or nothing; $(3): its sources.
simulator_objects = $(patsubst %,$(1)/%.o,$(basename $(notdir $(filter-out $(SIM_SHARED_SOURCES),$(3))))) $(SIM_SHARED) \
  $(SIM_UNITS:%=$(1)/model/%.o) $(VERILATED) $(VERILATED_DPI) $(if $(2),$(VERILATED_FST)) $(BUILD)/model/libfp8mac.a
SIM_FAST_OBJECTS := $(call simulator_objects,$(SIM_BASE)-fast,,$(SIM_SOURCES) $(SIM_SOURCES_FAST))

# A simulator. $(1): its folder; $(2): the variable of its model's inputs; $(3): Verilator's parameters; $(4): -trace or
# nothing; $(5): its sources; $(6): the mode that its messages name.
define SIMULATOR
$(1)/fp8mac-sim: $(call simulator_objects,$(1),$(4),$(5))
	$$(call say,LINK,$$@)
	$$(Q)$(CXX) $(LDFLAGS) -o $$@ $$^ -pthread -lm $(if $(4),-lz)

$(1)/model/units: $$($(2)) sim/fp8mac_sim.vlt sim/build.mk tools/units.sh
	@mkdir -p $$(@D)
	$$(call say,VERILATE,fp8mac_system $(notdir $(1)))
	$$(Q)rm -f $$(@D)/V*.cpp $$(@D)/V*.h
	$$(Q)$(VERILATOR) --cc $(SYSTEM_FLAGS) $(SIM_VERILATOR_FLAGS) $(if $(4),--trace-fst --trace-structs) $(3) \
	  --Mdir $$(@D) sim/fp8mac_sim.vlt $$($(2))
	$$(Q)tools/units.sh $$(@D) $$(words $$(filter fast_%,$(SIM_UNITS)))
	@touch $$@

$(SIM_UNITS:%=$(1)/model/%.o): $(1)/model/%.o: $(1)/model/units
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) -std=c++17 $$(if $$(filter slow,$$*),-O0,$$(SIM_OPTIMISE)) -w $(call sim_model_includes,$(1)/model) \
	  -DVM_TRACE_FST=$(if $(4),1,0) -c -o $$@ $$(@:.o=.cpp)

$(1)/%.o: sim/%.cpp $(1)/model/units $(CATALOGUE_H) sim/build.mk
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(call sim_model_includes,$(1)/model) \
	  -DVM_TRACE_FST=$(if $(4),1,0) -DFP8SIM_MODE='"$(6)"' $(CXXFLAGS) -MMD -MP -c -o $$@ $$<

$(1)/%.o: sim/fast/%.cpp $(CATALOGUE_H) sim/build.mk
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(call sim_model_includes,$(1)/model) $(CXXFLAGS) \
	  -MMD -MP -c -o $$@ $$<

$(call SIMULATOR_C,$(1),sim/fast/)
-include $(patsubst %,$(1)/%.d,$(basename $(notdir $(5))))
endef

# $(1): the simulator's folder; $(2): a folder with C sources.
define SIMULATOR_C
$(1)/%.o: $(2)%.c $(REGS_H) $(CATALOGUE_H) sim/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(CC) -std=c11 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(CFLAGS) -MMD -MP -c -o $$@ $$<


endef

$(BUILD)/sim/shared/%.o: sim/%.cpp $(CATALOGUE_H) $(REGS_H) sim/build.mk
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(foreach folder,$(sort $(dir $(SIM_CHECK))),$(eval $(call SIMULATOR_C,$(BUILD)/sim/shared,$(folder))))
-include $(SIM_SHARED:.o=.d)

sim_chip_parameters := $(call system_parameters,$(ROWS)_$(COLS)_$(LANES)_$(AXI_DATA_W)) \
  $(call element_parameters,$(ELEMENT_SPEC))
$(foreach trace,none -trace,\
  $(eval $(call SIMULATOR,$(SIM_BASE)$(trace:none=),SIM_INPUTS,$(sim_chip_parameters),$(trace:none=),$(SIM_SOURCES),RTL))\
  $(eval $(call SIMULATOR,$(SIM_BASE)-fast$(trace:none=),SIM_INPUTS_FAST,$(sim_chip_parameters),$(trace:none=),\
    $(SIM_SOURCES) $(SIM_SOURCES_FAST),fast mode)))
$(eval $(call SIMULATOR,$(BUILD)/sim/core,SIM_INPUTS_CORE,,,$(SIM_SOURCES),core alone))

# The system's lint has the accelerator's parameter sets. Its stamps have the same names in another folder.
SYSTEM_LINT_STAMPS := $(sort $(LINT_SETS:%=$(BUILD)/lint/system/%.ok) $(BUILD)/lint/system/4_4_4_128_aligned_fp32.ok)
lint: $(SYSTEM_LINT_STAMPS)

$(SYSTEM_LINT_STAMPS): $(BUILD)/lint/system/%.ok: $(SIM_INPUTS)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_system $*)
	$(Q)$(VERILATOR) --lint-only $(SYSTEM_FLAGS) $(call system_parameters,$*) \
	  $(call lint_element,$*,5) $^
	@touch $@

include sim/speed/speed.mk sim/bench/bench.mk sim/gates/gates.mk
